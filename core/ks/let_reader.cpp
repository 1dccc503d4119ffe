// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the forms of let: one binding or a group, typed or not, tuple patterns, and the oldest form (let x e body).
#include "core/ks/internal/expression_reader.h"
#include "core/ks/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

using ir::TermId;
using ir::TypeId;

TermId ExpressionReader::readLet(FormId form, std::span<const FormId> arguments) {
    const std::size_t outer = m_locals.size();
    std::vector<Binding> bindings;
    const auto readBindings = [&]() -> bool {
        if (arguments.size() == 3 && forms().is(arguments[0], FormKind::Name)) {
            return readBinding(arguments.first(2), form, bindings);
        }
        if (arguments.size() != 2 || !forms().is(arguments[0], FormKind::List)) {
            static_cast<void>(m_file.fail(form, "let takes bindings and a body",
                                          "write (let (x e) body) or (let ((x e1) (y e2)) body)"));
            return false;
        }
        const std::span<const FormId> group = forms().children(arguments[0]);
        if (group.empty()) return true;
        if (forms().is(group[0], FormKind::Name)) return readBinding(group, arguments[0], bindings);
        if (group.size() == 2 && isNameList(group[0]) && takesTuplePattern(group[0], group[1])) {
            return readPattern(group[0], group[1], bindings);
        }
        return std::ranges::all_of(group, [&](FormId binding) {
            const bool list = forms().is(binding, FormKind::List);
            return readBinding(list ? forms().children(binding) : std::span<const FormId>(), binding, bindings);
        });
    };
    TermId result;
    if (readBindings()) result = read(arguments.back());
    leaveTo(outer);
    if (!result.isValid()) return {};
    for (std::size_t i = bindings.size(); i-- > 0;) result = m_bank.let(bindings[i].hint, bindings[i].value, result);
    return result;
}

/// `x e`, `x : T e` or `(a b) e`.
bool ExpressionReader::readBinding(std::span<const FormId> parts, FormId place, std::vector<Binding>& bindings) {
    const bool typed = parts.size() >= 4 && forms().isName(parts[1], ":");
    if (!typed && parts.size() != 2) {
        static_cast<void>(
            m_file.fail(place, "expected a binding", "bindings look like (x e), (x : Float e) or ((a b) e)"));
        return false;
    }
    if (forms().is(parts[0], FormKind::List)) {
        if (typed || !isNameList(parts[0])) {
            static_cast<void>(m_file.fail(parts[0], "expected a name or a list of names to bind"));
            return false;
        }
        return readPattern(parts[0], parts[1], bindings);
    }
    TypeId type;
    if (typed) {
        type = m_types.typeOf(parts.subspan(2, parts.size() - 3), parts[1]);
        if (!type.isValid()) return false;
    }
    const TermId value = read(parts.back());
    if (!value.isValid()) return false;
    if (typed && m_bank.types().erased(type) != m_bank.type(value)) {
        static_cast<void>(
            m_file.fail(parts.back(), fmt::format("{} is declared as {}, but its value is a {}", shortText(parts[0]),
                                                  m_bank.types().toShortString(type), typeText(value))));
        return false;
    }
    return bind(parts[0], value, bindings);
}

bool ExpressionReader::bind(FormId name, TermId value, std::vector<Binding>& bindings) {
    const std::optional<Symbol> symbol = binderName(name);
    if (!symbol) return false;
    bindings.push_back({*symbol, value});
    enter({*symbol, m_bank.type(value)});
    return true;
}

bool ExpressionReader::readPattern(FormId pattern, FormId form, std::vector<Binding>& bindings) {
    TermId value = read(form);
    if (!value.isValid()) return false;
    const std::span<const FormId> names = forms().children(pattern);
    ir::TypeTable& types = m_bank.types();
    const TypeId type = m_bank.type(value);
    if (!types.isTuple(type) || types.children(type).size() != names.size()) {
        static_cast<void>(
            m_file.fail(form, fmt::format("a tuple with {} element{} is taken apart here; found {}", names.size(),
                                          names.size() == 1 ? "" : "s", types.toShortString(type))));
        return false;
    }
    const bool variable = m_bank.is(value, ir::CoreOp::Bound) || m_bank.is(value, ir::CoreOp::Variable);
    if (!variable) {
        std::string hint;
        for (const FormId name : names) hint += (hint.empty() ? "" : "_") + std::string(forms().text(name));
        const Symbol symbol = m_bank.symbols().intern(hint.empty() ? "unit" : hint.substr(0, 40));
        bindings.push_back({symbol, value});
        // The program cannot refer to this variable, since it has no name there.
        enter({Symbol(), type});
        value = m_bank.bound(0, type);
    }
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        if (!bind(names[i], m_bank.get(value, i), bindings)) return false;
        // If the tuple is a bound variable, one more binder now lies between this place and its binder.
        if (m_bank.is(value, ir::CoreOp::Bound)) value = m_bank.bound(m_bank.payload(value).asIndex() + 1, type);
    }
    return true;
}

/// Whether the form is a list of names only, and not a typed binding (x : T e).
bool ExpressionReader::isNameList(FormId form) const {
    if (!forms().is(form, FormKind::List)) return false;
    const std::span<const FormId> parts = forms().children(form);
    const bool names = std::ranges::all_of(parts, [&](FormId part) { return forms().is(part, FormKind::Name); });
    return names && !(parts.size() > 1 && forms().isName(parts[1], ":"));
}

/// Whether ((a b) (g h)) binds (a b) to the call (g h) rather than a to b and g to h (ks-language.md 4).
bool ExpressionReader::takesTuplePattern(FormId pattern, FormId second) {
    if (!forms().is(second, FormKind::List)) return true;
    const std::span<const FormId> call = forms().children(second);
    const bool couldBeBindings = forms().children(pattern).size() == 2 &&
                                 (call.size() == 2 || (call.size() >= 4 && forms().isName(call[1], ":"))) &&
                                 (forms().is(call[0], FormKind::Name) || isNameList(call[0]));
    if (!couldBeBindings) return true;
    bool function = false;
    if (forms().is(call[0], FormKind::Name)) {
        const std::string_view head = forms().text(call[0]);
        function = isReserved(head) || m_file.functions.contains(head) || m_bank.registry().find(head).isValid() ||
                   head == "select" || head.starts_with("get$") || head.starts_with("dup$") ||
                   withoutAlias(head) != head || head == "ifold";
    }
    m_file.diagnostics.warning(
        forms().span(pattern),
        fmt::format("{} {} can be read in two ways; it is read as {}", shortText(pattern), shortText(second),
                    function ? "a tuple that is taken apart" : "two bindings"));
    return function;
}

}  // namespace mitos::ks
