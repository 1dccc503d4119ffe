// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of ks programs as C++, compiled alike and linked into one program that measures them.
#pragma once

#include "core/base/child_process.h"
#include "core/base/result.h"
#include "core/ir/term_bank.h"

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::experiments {

/// A private folder with objects of emitted functions. All is compiled with `-std=c++17 -O3 -DNDEBUG`.
class CompiledFunctions {
public:
    /// Errors: no compiler of this name (Io), stopped (Cancelled).
    [[nodiscard]] static Result<CompiledFunctions> make(std::string compiler, std::stop_token stop);

    /// The first line of the compiler's --version, and the flags.
    [[nodiscard]] const std::string& compiler() const { return m_compilerText; }
    /// Whether a program that only includes a header compiles and links with these flags.
    [[nodiscard]] Result<bool> hasHeader(std::string_view header, const std::vector<std::string>& flags) const;

    /// Writes and compiles NAMESPACE.cpp and NAMESPACE.h, with the function in that namespace. Errors: the function cannot be emitted
    /// or compiled (Unsupported), stopped (Cancelled).
    [[nodiscard]] Status add(const ir::TermBank& bank, const ir::Program& program, const std::string& nameSpace,
                             const std::string& function);
    /// Writes a file into the folder, for the measuring program to include.
    [[nodiscard]] Status write(const std::string& file, std::string_view text) const;
    /// Compiles a source, links it with all functions added, and runs it. Flags come before the source; libraries after it. Errors: it does
    /// not compile, fails, or takes more than `limit` seconds; stopped.
    [[nodiscard]] Result<std::string> run(std::string_view source, const std::vector<std::string>& flags,
                                          const std::vector<std::string>& libraries,
                                          const std::vector<std::string>& arguments, double limit) const;
    /// Forgets the functions, so that others can be added.
    void clear() { m_objects.clear(); }

private:
    CompiledFunctions(TemporaryFolder folder, std::string compiler, std::stop_token stop)
        : m_folder(std::move(folder)),
          m_compiler(std::move(compiler)),
          m_stop(std::move(stop)) {}
    [[nodiscard]] ChildOptions options(double seconds) const;
    [[nodiscard]] Status compile(const std::vector<std::string>& arguments) const;

    TemporaryFolder m_folder;
    std::string m_compiler;
    std::stop_token m_stop;
    std::string m_compilerText;
    std::vector<std::string> m_objects;
};

}  // namespace mitos::experiments
