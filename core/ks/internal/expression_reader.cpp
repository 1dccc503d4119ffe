// SPDX-License-Identifier: GPL-3.0-or-later
// Reads literals, variables, keywords and lambdas.
#include "core/ks/internal/expression_reader.h"

#include "core/base/number_text.h"
#include "core/base/suggestion.h"
#include "core/ks/internal/statement_reader.h"
#include "core/ks/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace mitos::ks {

using ir::TermId;
using ir::TypeId;

void ExpressionReader::declare(Symbol name, TypeId type) { m_declared.emplace(name, m_bank.types().erased(type)); }

TermId ExpressionReader::read(FormId form) {
    return forms().is(form, FormKind::List) ? readList(form) : readAtom(form);
}

TermId ExpressionReader::readAtom(FormId form) {
    const std::string_view text = forms().text(form);
    const std::string_view unsignedText = text.starts_with('+') ? text.substr(1) : text;
    switch (forms().kind(form)) {
        case FormKind::Integer: {
            const std::optional<std::int64_t> value = numberFrom<std::int64_t>(unsignedText);
            if (!value) {
                return m_file.fail(form, fmt::format("the Integer {} does not fit into 64 bits", shortText(form)),
                                   "write it as a Float, with .0 at its end");
            }
            return m_bank.integer(*value);
        }
        case FormKind::Float: {
            // strtod also returns the correct infinity or zero for values outside the range of a double.
            return m_bank.floating(std::strtod(std::string(unsignedText).c_str(), nullptr));
        }
        case FormKind::String: {
            const std::optional<std::string> value = stringValue(text);
            if (!value) {
                return m_file.fail(form, "this String has an unknown escape",
                                   "escapes are \\n, \\t, \\r, \\\", \\\\ and \\x41");
            }
            return m_bank.string(*value);
        }
        case FormKind::Bracket:
            return m_file.fail(form, "a structured name is a function, not a value", "call it: ([rev f] x dy)");
        case FormKind::Name: return readName(form, m_freeNames == FreeNames::Floats);
        case FormKind::List: break;
    }
    return {};
}

TermId ExpressionReader::readName(FormId form, bool mayBecomeFloat) {
    const std::string_view text = forms().text(form);
    if (text == "true" || text == "True") return m_bank.boolean(true);
    if (text == "false" || text == "False") return m_bank.boolean(false);
    if (const std::optional<double> nan = notANumber(text)) return m_bank.floating(*nan);
    if (isReserved(text)) return m_file.fail(form, fmt::format("{} is a reserved word, not a value", text));
    const Symbol name = m_bank.symbols().intern(text);
    if (const TermId variable = findVariable(name); variable.isValid()) return variable;
    if (mayBecomeFloat) {
        m_floats.push_back({name, m_bank.types().floating()});
        declare(name, m_bank.types().floating());
        return m_bank.variable(name, m_bank.types().floating());
    }
    const bool function = m_file.functions.contains(text) || m_bank.registry().find(text).isValid();
    const std::string hint = function ? fmt::format("to call the function {}, write ({})", text, text)
                                      : "parameters, let and lam introduce variables";
    return m_file.fail(form, fmt::format("unknown variable {}", text),
                       function ? hint : suggestion(text, knownVariables(), hint));
}

void ExpressionReader::enter(Local local) {
    if (local.name.isValid()) m_places[local.name].push_back(static_cast<std::uint32_t>(m_locals.size()));
    m_locals.push_back(local);
}

void ExpressionReader::leaveTo(std::size_t locals) {
    for (; m_locals.size() > locals; m_locals.pop_back()) {
        if (m_locals.back().name.isValid()) m_places[m_locals.back().name].pop_back();
    }
}

TermId ExpressionReader::findVariable(Symbol name) {
    if (const auto places = m_places.find(name); places != m_places.end() && !places->second.empty()) {
        const std::uint32_t at = places->second.back();
        return m_bank.bound(static_cast<std::uint32_t>(m_locals.size()) - 1 - at, m_locals[at].type);
    }
    const auto found = m_declared.find(name);
    return found == m_declared.end() ? TermId() : m_bank.variable(name, found->second);
}

std::vector<std::string_view> ExpressionReader::knownVariables() const {
    std::vector<std::string_view> names;
    for (std::size_t i = m_locals.size(); i-- > 0;) {
        if (m_locals[i].name.isValid()) names.push_back(m_bank.text(m_locals[i].name));
    }
    const auto locals = static_cast<std::ptrdiff_t>(names.size());
    for (const auto& [name, type] : m_declared) names.push_back(m_bank.text(name));
    std::sort(names.begin() + locals, names.end());
    return names;
}

std::optional<Symbol> ExpressionReader::binderName(FormId form) {
    if (forms().is(form, FormKind::Name) && isVariableName(forms().text(form))) {
        return m_bank.symbols().intern(forms().text(form));
    }
    const bool word = forms().is(form, FormKind::Name);
    static_cast<void>(
        m_file.fail(form, word ? fmt::format("{} is a reserved word, not a name for a variable", forms().text(form))
                               : fmt::format("expected the name of a variable, found {}", shortText(form))));
    return std::nullopt;
}

TermId ExpressionReader::readList(FormId form) {
    const std::span<const FormId> parts = forms().children(form);
    if (parts.empty()) return m_file.fail(form, "() is not an expression", "the empty tuple is written (tuple)");
    const FormId head = parts[0];
    const std::span<const FormId> arguments = parts.subspan(1);
    if (forms().is(head, FormKind::Bracket)) return readCall(form, head, arguments);
    if (!forms().is(head, FormKind::Name)) {
        if (arguments.empty()) return read(head);  // superfluous parentheses
        return m_file.fail(head, fmt::format("expected the name of a function, found {}", shortText(head)),
                           "a form is (function argument ...)");
    }
    const std::string_view word = forms().text(head);
    if (word == "if") return readIf(form, arguments);
    if (word == "let") return readLet(form, arguments);
    if (word == "do" && !m_file.functions.contains(word)) return StatementReader(*this).read(form);
    if (word == "$dummy") return readDummy(form, arguments);
    if (word == "lam") {
        return m_file.fail(form,
                           "a lam can only stand as an argument of build, sumbuild, fold, map and the like, or of an "
                           "edef that takes a (Lam S T)");
    }
    if (word == "tuple") {
        std::vector<TermId> elements;
        for (const FormId argument : arguments) {
            elements.push_back(read(argument));
            if (!elements.back().isValid()) return {};
        }
        return m_bank.tuple(elements);
    }
    if (word == "true" || word == "false" || word == "True" || word == "False" || notANumber(word)) {
        if (arguments.empty()) return readName(head, false);
        return m_file.fail(head, fmt::format("{} is a value, not a function", word));
    }
    if (word != "assert" && isReserved(word)) {
        return m_file.fail(head, fmt::format("{} cannot begin an expression", word),
                           TypeReader::isTypeWord(word) ? "this is a type; tuples are built with (tuple a b)" : "");
    }
    return readCall(form, head, arguments);
}

TermId ExpressionReader::readIf(FormId form, std::span<const FormId> arguments) {
    if (arguments.size() != 3) {
        return m_file.fail(form,
                           fmt::format("if takes a condition and two branches; found {} forms", arguments.size()));
    }
    Terms parts;
    for (const FormId argument : arguments) {
        parts.push_back(read(argument));
        if (!parts.back().isValid()) return {};
    }
    return callOperator(form, Op::If, "if", parts);
}

TermId ExpressionReader::readDummy(FormId form, std::span<const FormId> arguments) {
    if (arguments.empty()) return m_file.fail(form, "$dummy takes a type", "write ($dummy Float)");
    const TypeId type = m_types.typeOf(arguments, form);
    if (!type.isValid()) return {};
    const Result<TermId> made =
        m_bank.make(ir::opId(ir::CoreOp::Dummy), {}, ir::Payload::type(m_bank.types().erased(type)));
    return *made;
}

TermId ExpressionReader::readFunction(FormId form, TypeId expected, bool orInteger) {
    FormId inner = form;
    while (forms().is(inner, FormKind::List) && forms().children(inner).size() == 1) inner = forms().children(inner)[0];
    const bool lam = forms().is(inner, FormKind::List) && !forms().children(inner).empty() &&
                     forms().isName(forms().children(inner)[0], "lam");
    if (lam) return readLam(inner, expected, orInteger);
    const std::optional<TermId> named =
        readFunctionName(form, expected.isValid() || !orInteger ? expected : m_bank.types().integer());
    return named ? *named : read(form);
}

std::optional<TermId> ExpressionReader::readFunctionName(FormId form, TypeId expected) {
    const bool plain = forms().is(form, FormKind::Name);
    if (!plain && !forms().is(form, FormKind::Bracket)) return std::nullopt;
    if (plain &&
        (isReserved(forms().text(form)) || findVariable(m_bank.symbols().intern(forms().text(form))).isValid()))
        return std::nullopt;
    const std::optional<FunctionName> name = calledName(form);
    if (!name) return TermId();
    const std::vector<ir::FunctionId> overloads = m_file.functions.overloads(*name);
    const Op op = ksOp(m_bank.registry().find(withoutAlias(name->text)));
    const bool builtIn = op != Op::Count && op != Op::If && op != Op::Dup && !takesFunctions(op);
    if (overloads.empty() && !builtIn) return std::nullopt;
    if (!expected.isValid()) {
        if (overloads.size() != 1) {
            return m_file.fail(form, fmt::format("the type that {} is applied to is not known here", name->text),
                               fmt::format("write (lam (x : Float) ({} x)) with its type", name->text));
        }
        expected = m_bank.function(overloads[0]).argument;
    }
    const Symbol variable = m_bank.symbols().intern("x");
    enter({Symbol(), expected});
    const Terms argument{m_bank.bound(0, expected)};
    const std::vector<TypeId> types{expected};
    const bool own = !overloads.empty() && (!builtIn || m_file.functions.choose(overloads, types));
    const TermId body = own ? callFunction(form, *name, overloads, argument)
                            : callOperator(form, op, withoutAlias(name->text), argument);
    leaveTo(m_locals.size() - 1);
    return body.isValid() ? m_bank.lambda(variable, expected, body) : TermId();
}

TermId ExpressionReader::readLam(FormId form, TypeId expected, bool orInteger) {
    const std::span<const FormId> arguments = forms().children(form).subspan(1);
    if (arguments.size() != 2) {
        return m_file.fail(form, fmt::format("lam takes a variable and a body; found {} forms", arguments.size()),
                           "write (lam (i : Integer) body)");
    }
    FormId binder = arguments[0];
    while (forms().is(binder, FormKind::List) && forms().children(binder).size() == 1)
        binder = forms().children(binder)[0];
    Local local;
    if (forms().is(binder, FormKind::List)) {
        const std::optional<ir::Parameter> typed = m_types.parameter(forms().children(binder), binder);
        if (!typed) return {};
        local = {typed->name, m_bank.types().erased(typed->type)};
    } else {
        const std::optional<Symbol> name = binderName(binder);
        if (!name) return {};
        local = {*name, expected.isValid() || !orInteger ? expected : m_bank.types().integer()};
        if (!local.type.isValid()) {
            return m_file.fail(binder, fmt::format("the type of {} is not known here", forms().text(binder)),
                               fmt::format("write (lam ({} : Float) ...) with its type", forms().text(binder)));
        }
    }
    enter(local);
    const TermId body = read(arguments[1]);
    leaveTo(m_locals.size() - 1);
    return body.isValid() ? m_bank.lambda(local.name, local.type, body) : TermId();
}

}  // namespace mitos::ks
