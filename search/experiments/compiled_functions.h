// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of ks programs as C++, compiled alike and linked into one program that measures them.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/timing/compiled_programs.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// Objects of emitted functions in a private folder.
class CompiledFunctions {
public:
    /// Errors: as timing::CompiledPrograms::make.
    [[nodiscard]] static Result<CompiledFunctions> make(std::string compiler, std::stop_token stop);

    /// The folder, for headers that the measuring program includes.
    [[nodiscard]] const timing::CompiledPrograms& programs() const { return m_programs; }
    /// The first line of the compiler's --version, and the flags.
    [[nodiscard]] std::string compiler() const;

    /// Writes and compiles NAMESPACE.cpp and NAMESPACE.h, with the function in that namespace. Errors: the function cannot be emitted
    /// or compiled (Unsupported), stopped (Cancelled).
    [[nodiscard]] Status add(const ir::TermBank& bank, const ir::Program& program, const std::string& nameSpace,
                             const std::string& function);
    /// Compiles a source, links it with all functions added, and runs it. Flags come before the source; libraries after it. Errors: it does
    /// not compile, fails, or takes more than `limit` seconds; stopped.
    [[nodiscard]] Result<std::string> run(std::string_view source, const std::vector<std::string>& flags,
                                          const std::vector<std::string>& libraries,
                                          const std::vector<std::string>& arguments, double limit) const;
    /// Forgets the functions, so that others can be added.
    void clear() { m_objects.clear(); }

private:
    explicit CompiledFunctions(timing::CompiledPrograms programs) : m_programs(std::move(programs)) {}

    timing::CompiledPrograms m_programs;
    std::vector<std::string> m_objects;
};

}  // namespace mitos::search::experiments
