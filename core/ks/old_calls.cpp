// SPDX-License-Identifier: GPL-3.0-or-later
// Reads calls in the syntax of old compilers and generated files (ks-language.md 8, 9): mangled names, derived functions without a
// request, their arguments in parts, ifold.
#include "core/ks/internal/derived_functions.h"
#include "core/ks/internal/expression_reader.h"
#include "core/ks/names.h"

#include <fmt/format.h>

namespace mitos::ks {

using ir::FunctionId;
using ir::TermId;
using ir::TypeId;

/// The name of a called function: the written name if it is known, else the name denoted by a name of old files.
std::optional<FunctionName> ExpressionReader::calledName(FormId head) {
    const bool plain = forms().is(head, FormKind::Name);
    const std::string word(forms().text(head));
    const std::optional<FunctionName> written = plain ? FunctionName{word, word, {}} : m_types.functionName(head);
    if (!written) return std::nullopt;
    const auto known = [&](const FunctionName& name) {
        return !m_file.functions.overloads(name).empty() || isBuiltIn(name.text) ||
               m_file.later.contains(name.stripped) || m_file.broken.contains(name.stripped);
    };
    if (known(*written)) return written;
    if (!plain) return written;
    if (const std::optional<DerivedName> parts = derivedName(word)) {
        const std::string base(parts->base);
        const std::string text = fmt::format("[{} {}]", parts->derivation, base);
        const FunctionName derived{text, text, {}};
        if (known(derived) || derive(head, parts->derivation, {base, base, {}})) return derived;
    }
    if (const std::optional<std::string_view> base = withoutTypeLetters(word)) {
        const FunctionName unmangled{std::string(*base), std::string(*base), {}};
        if (known(unmangled)) return unmangled;
    }
    return written;
}

/// Declares a derived function that is called as rev$f without a gdef: the old compilers generated all derived functions.
bool ExpressionReader::derive(FormId head, std::string_view derivation, const FunctionName& base) {
    if (m_file.broken.contains(base.stripped)) {
        m_file.broken.insert(fmt::format("[{} {}]", derivation, base.stripped));
        return true;
    }
    bool declared = false;
    for (const FunctionId id : m_file.functions.overloads(base)) {
        const FunctionName exact{m_bank.function(id).name, base.stripped, m_bank.function(id).argument};
        declared = declareDerived(m_file, derivation, exact, id, head) || declared;
    }
    if (declared) {
        m_file.diagnostics.warning(
            forms().span(head), fmt::format("{} is not requested; write (gdef {} {}) before its uses", shortText(head),
                                            derivation, base.full(m_bank.types())));
    }
    return declared;
}

/// Old files pass the parts of a derived function's arguments one by one: (rev$f x y dr) for ([rev f] (tuple x y) dr).
TermId ExpressionReader::callWithLooseArguments(FormId form, std::span<const FunctionId> overloads,
                                                const Terms& arguments) {
    ir::TypeTable& types = m_bank.types();
    for (const FunctionId id : overloads) {
        Terms grouped;
        std::size_t next = 0;
        bool fits = true;
        for (const ir::Parameter& parameter : m_bank.function(id).parameters) {
            const TypeId wanted = types.erased(parameter.type);
            if (next < arguments.size() && m_bank.type(arguments[next]) == wanted) {
                grouped.push_back(arguments[next++]);
                continue;
            }
            const std::size_t count = types.isTuple(wanted) ? types.children(wanted).size() : 0;
            fits = count > 0 && next + count <= arguments.size();
            if (!fits) break;
            const Terms parts(arguments.begin() + static_cast<std::ptrdiff_t>(next),
                              arguments.begin() + static_cast<std::ptrdiff_t>(next + count));
            grouped.push_back(m_bank.tuple(parts));
            fits = m_bank.type(grouped.back()) == wanted;
            if (!fits) break;
            next += count;
        }
        if (!fits || next != arguments.size()) continue;
        const Result<TermId> made = m_bank.call(id, grouped);
        return made ? *made : TermId(m_file.fail(form, made.error().message));
    }
    return {};
}

/// ($check f revf x y dx df), the form of the compiler's last version: y is the point for revf, and equals x in every known file.
TermId ExpressionReader::readTwoPointCheck(FormId form, std::span<const FormId> arguments) {
    const TermId x = read(arguments[2]);
    const TermId y = x.isValid() ? read(arguments[3]) : TermId();
    if (!y.isValid()) return {};
    if (x != y) {
        return m_file.fail(arguments[3], "the reverse derivative is checked at another point than the function",
                           "give $check the same point twice, or once: ($check f revf x dx df)");
    }
    std::vector<FormId> once(arguments.begin(), arguments.end());
    once.erase(once.begin() + 3);
    return readLambdaOperator(form, Op::Check, once);
}

/// (ifold n f s) applies f to (state, i) for i = 0 … n - 1. It is read as the fold of f over (build n (lam (i : Integer) i)).
TermId ExpressionReader::readIfold(FormId form, std::span<const FormId> arguments) {
    if (arguments.size() != 3) {
        return m_file.fail(form, fmt::format("ifold takes 3 arguments; found {}", arguments.size()),
                           "(ifold n f s): f applied to (state, i) for each i below n, from state s");
    }
    ir::TypeTable& types = m_bank.types();
    const TermId count = read(arguments[0]);
    const TermId start = count.isValid() ? read(arguments[2]) : TermId();
    if (!start.isValid()) return {};
    const std::vector<TypeId> pair{m_bank.type(start), types.integer()};
    const TermId step = readFunction(arguments[1], types.tuple(pair), false);
    if (!step.isValid()) return {};
    const TermId index = m_bank.lambda(m_bank.symbols().intern("i"), types.integer(), m_bank.bound(0, types.integer()));
    const TermId indices = callOperator(form, Op::Build, "ifold", {count, index});
    return indices.isValid() ? callOperator(form, Op::Fold, "ifold", {step, start, indices}) : TermId();
}

}  // namespace mitos::ks
