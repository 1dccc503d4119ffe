// SPDX-License-Identifier: GPL-3.0-or-later
// The state shared by the parts of the ks reader while one file is read.
#pragma once

#include "core/ir/dialect.h"
#include "core/ir/term_bank.h"
#include "core/ks/internal/diagnostics.h"
#include "core/ks/internal/forms.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::ks {

/// f, [f (Vec Float)], [rev f], [rev [f (Vec Float)]].
struct FunctionName {
    std::string text;      ///< canonical text, without an argument type at the outermost level
    std::string stripped;  ///< without any argument types, "[rev f]"; overloads are grouped by it
    ir::TypeId argument;   ///< the type of an outermost [f T], else invalid

    /// The name as written: text, or [text T].
    [[nodiscard]] std::string full(const ir::TypeTable& types) const;
};

/// How the arguments of a call correspond to the parameters. Every function has one argument (ks-language.md 2, Arity).
enum class Fit {
    Direct,    ///< one by one
    Packed,    ///< several arguments for one tuple parameter
    Unpacked,  ///< one tuple for several (or no) parameters
};

struct Choice {
    ir::FunctionId function;
    Fit fit = Fit::Direct;
};

class FunctionTable {
public:
    explicit FunctionTable(ir::TermBank& bank) : m_bank(bank) {}

    void add(const FunctionName& name, ir::FunctionId id);
    /// All overloads of a name, exact ones first. For [rev f] also [rev [f T]], and vice versa.
    [[nodiscard]] std::vector<ir::FunctionId> overloads(const FunctionName& name) const;
    /// The overload that takes these arguments.
    [[nodiscard]] std::optional<Choice> choose(std::span<const ir::FunctionId> overloads,
                                               std::span<const ir::TypeId> arguments) const;
    [[nodiscard]] bool contains(std::string_view stripped) const { return m_functions.contains(std::string(stripped)); }
    /// All defined names, in order of definition.
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }

private:
    struct Entry {
        std::string text;
        ir::FunctionId id;
    };
    ir::TermBank& m_bank;
    absl::flat_hash_map<std::string, std::vector<Entry>> m_functions;
    std::vector<std::string> m_names;
};

struct FileContext {
    FileContext(ir::TermBank& b, const SourceText& s, const FormTree& f, Diagnostics& d)
        : bank(b),
          source(s),
          forms(f),
          diagnostics(d),
          functions(b) {}

    ir::TermBank& bank;
    const SourceText& source;
    const FormTree& forms;
    Diagnostics& diagnostics;
    FunctionTable functions;
    /// Names whose definition has errors. Their uses are not reported again.
    absl::flat_hash_set<std::string> broken;
    /// Names that are defined later in the file, with the place of their definition.
    absl::flat_hash_map<std::string, SourceSpan> later;
    /// Functions whose body in the bank differs from that in this file. Calls of them would refer to the wrong body.
    absl::flat_hash_set<ir::FunctionId> redefined;

    /// The derived functions that the file asks for, with the place that does.
    struct Derived {
        ir::DerivedFunction function;
        SourceSpan place;
    };
    std::vector<Derived> derived;

    /// Reports an error and returns an invalid term, type or id, for `return fail(…)`.
    struct Failure {
        operator ir::TermId() const { return {}; }
        operator ir::TypeId() const { return {}; }
    };
    Failure fail(FormId form, std::string message, std::string hint = {}) {
        diagnostics.error(forms.span(form), std::move(message), std::move(hint));
        return {};
    }
};

}  // namespace mitos::ks
