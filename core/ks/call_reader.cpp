// SPDX-License-Identifier: GPL-3.0-or-later
// Reads calls: functions of the file and their overloads, operators, and the additions of the paper's dialect.
#include "core/base/number_text.h"
#include "core/base/suggestion.h"
#include "core/ir/attributes.h"
#include "core/ks/internal/expression_reader.h"
#include "core/ks/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

using ir::CoreOp;
using ir::FunctionId;
using ir::TermId;
using ir::TypeId;

bool takesFunctions(Op op) {
    switch (op) {
        case Op::Build:
        case Op::Sumbuild:
        case Op::Fold:
        case Op::Map:
        case Op::Map2:
        case Op::Diag:
        case Op::BuildFromSparse:
        case Op::BuildFromSparseTupled:
        case Op::Check:
        case Op::Bench:
        case Op::LmFold:
        case Op::FFold:
        case Op::RFold:
        case Op::Apply:
        case Op::Loop: return true;
        default: return false;
    }
}

TermId ExpressionReader::readCall(FormId form, FormId head, std::span<const FormId> arguments) {
    if (forms().is(head, FormKind::Name)) {
        const std::string_view word = forms().text(head);
        const TermId variable = findVariable(m_bank.symbols().intern(word));
        if (variable.isValid()) {
            if (arguments.empty()) return variable;
            if (m_bank.types().kind(m_bank.type(variable)) == ir::TypeKind::Lambda) {
                const std::optional<Terms> values = readArguments(arguments, {});
                if (!values) return {};
                const TermId argument = values->size() == 1 ? values->front() : m_bank.tuple(*values);
                return callOperator(form, Op::Apply, word, {variable, argument});
            }
        }
        const Op op = ksOp(m_bank.registry().find(word));
        if (op != Op::Count && takesFunctions(op)) return readLambdaOperator(form, op, arguments);
        if (word == "ifold" && !m_file.functions.contains(word)) return readIfold(form, arguments);
    }
    const std::optional<FunctionName> name = calledName(head);
    return name ? readNamedCall(form, *name, arguments) : TermId();
}

bool ExpressionReader::isBuiltIn(std::string_view name) const {
    const std::string_view word = withoutAlias(name);
    if (word.starts_with("get$") || word.starts_with("dup$") || word == "select") return true;
    return ksOp(m_bank.registry().find(word)) != Op::Count && word != "dup" && word != "if";
}

TermId ExpressionReader::readNamedCall(FormId form, const FunctionName& name, std::span<const FormId> arguments) {
    const std::vector<FunctionId> overloads = m_file.functions.overloads(name);
    const FormId head = forms().children(form)[0];
    const std::string_view word = withoutAlias(name.text);
    const bool special = word.starts_with("get$") || word.starts_with("dup$") || word == "select";
    const bool builtIn = isBuiltIn(name.text);
    if (overloads.empty() && !builtIn) {
        if (const std::optional<Declared> declared = declaredOperator(name.text)) {
            return callDeclared(form, *declared, name.text, arguments);
        }
        // In a bare expression, (x) is the variable x in superfluous parentheses.
        const bool loneName = arguments.empty() && forms().is(head, FormKind::Name);
        if (loneName && m_freeNames == FreeNames::Floats) return readName(head, true);
        return unknownFunction(head, name);
    }
    const std::optional<Terms> values = readArguments(arguments, overloads);
    if (!values) return {};
    if (!overloads.empty()) {
        std::vector<TypeId> types;
        for (const TermId value : *values) types.push_back(m_bank.type(value));
        if (!builtIn || m_file.functions.choose(overloads, types)) return callFunction(form, name, overloads, *values);
    }
    if (name.argument.isValid()) {
        std::vector<TypeId> types;
        for (const TermId value : *values) types.push_back(m_bank.type(value));
        const TypeId argument = types.size() == 1 ? types[0] : m_bank.types().tuple(types);
        if (argument != name.argument) {
            return m_file.fail(form,
                               fmt::format("{} is called with {}", name.full(m_bank.types()), argumentTypes(*values)));
        }
    }
    if (special) return callCoreOrSpecial(form, word, *values);
    return callOperator(form, ksOp(m_bank.registry().find(word)), word, *values);
}

std::optional<ExpressionReader::Declared> ExpressionReader::declaredOperator(std::string_view word) const {
    const ir::OperatorRegistry& registry = m_bank.registry();
    const auto declared = [&](std::string_view name) {
        const ir::OpId id = registry.find(name);
        return id.isValid() && registry.info(id).dialect == "user" ? id : ir::OpId();
    };
    if (const ir::OpId id = declared(word); id.isValid()) return Declared{id, {}};
    for (std::size_t dollar = word.find('$'); dollar != std::string_view::npos; dollar = word.find('$', dollar + 1)) {
        const ir::OpId id = declared(word.substr(0, dollar));
        if (id.isValid()) return Declared{id, word.substr(dollar + 1)};
    }
    return std::nullopt;
}

/// Reads an application of an operator declared in a rule file: (fused a b), with attributes (conv$2$same x w).
TermId ExpressionReader::callDeclared(FormId form, const Declared& declared, std::string_view word,
                                      std::span<const FormId> arguments) {
    const ir::OperatorInfo& info = m_bank.registry().info(declared.op);
    std::vector<std::string> values;
    if (!declared.attributes.empty()) {
        for (const std::string_view value : ir::attributeValues(declared.attributes)) values.emplace_back(value);
    }
    const bool open = std::ranges::any_of(values, &std::string::empty);
    if (open || values.size() != info.attributes.size()) {
        return m_file.fail(form, fmt::format("{} is not the operator {} with its attributes", word, info.name),
                           info.attributes.empty() ? fmt::format("{} has no attributes", info.name)
                                                   : fmt::format("write their values behind it: {}${}", info.name,
                                                                 fmt::join(info.attributes, "$")));
    }
    const std::optional<Terms> terms = readArguments(arguments, {});
    if (!terms) return {};
    const ir::Payload payload = values.empty() ? ir::Payload() : ir::attributesPayload(m_bank, values);
    const Result<TermId> made = m_bank.make(declared.op, *terms, payload);
    return made ? *made : TermId(m_file.fail(form, made.error().message, info.doc));
}

TermId ExpressionReader::unknownFunction(FormId head, const FunctionName& name) {
    if (m_file.broken.contains(name.stripped)) {
        // The error in its definition is reported already, so this use is not reported and has no term.
        return {};
    }
    if (const auto later = m_file.later.find(name.stripped); later != m_file.later.end()) {
        return m_file.fail(head,
                           fmt::format("{} is defined further down, in line {}", name.stripped,
                                       m_file.source.place(later->second.begin).line),
                           "a definition must come before its uses");
    }
    if (forms().is(head, FormKind::Name)) {
        if (const TermId variable = findVariable(m_bank.symbols().intern(forms().text(head))); variable.isValid()) {
            return m_file.fail(head, fmt::format("{} is a {}, not a function", name.text, typeText(variable)));
        }
    }
    std::vector<std::string_view> candidates;
    for (const std::string& known : m_file.functions.names()) candidates.emplace_back(known);
    for (std::uint32_t i = static_cast<std::uint32_t>(CoreOp::Count); i < m_bank.registry().size(); ++i) {
        candidates.emplace_back(m_bank.registry().info(ir::OpId(i)).name);
    }
    candidates.insert(candidates.end(), {"let", "lam", "tuple", "select"});
    const std::string kind = name.text.starts_with('[') ? "no definition of" : "unknown function";
    return m_file.fail(head, fmt::format("{} {}", kind, name.full(m_bank.types())),
                       suggestion(name.text, candidates,
                                  name.text.starts_with('[') ? "request it with (gdef rev [f T]), or define it"
                                                             : "define it with def, or declare it with edef"));
}

std::optional<Terms> ExpressionReader::readArguments(std::span<const FormId> arguments,
                                                     std::span<const FunctionId> overloads) {
    Terms values;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        TypeId function;
        for (const FunctionId id : overloads) {
            const std::vector<ir::Parameter>& parameters = m_bank.function(id).parameters;
            if (parameters.size() != arguments.size() || function.isValid()) continue;
            const TypeId wanted = m_bank.types().erased(parameters[i].type);
            if (m_bank.types().kind(wanted) == ir::TypeKind::Lambda) function = wanted;
        }
        values.push_back(function.isValid() ? readFunction(arguments[i], m_bank.types().children(function)[0], false)
                                            : read(arguments[i]));
        if (!values.back().isValid()) return std::nullopt;
    }
    return values;
}

std::string ExpressionReader::argumentTypes(const Terms& arguments) const {
    if (arguments.empty()) return "no argument";
    std::string text;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i > 0) text += i + 1 == arguments.size() ? " and " : ", ";
        text += typeText(arguments[i]);
    }
    return text;
}

template <typename Use>
TermId ExpressionReader::withElements(TermId tuple, Use use) {
    const TypeId type = m_bank.type(tuple);
    const std::size_t count = m_bank.types().children(type).size();
    Terms elements;
    if (m_bank.is(tuple, CoreOp::Tuple)) {
        elements.assign(m_bank.children(tuple).begin(), m_bank.children(tuple).end());
        return use(elements);
    }
    const bool variable = m_bank.is(tuple, CoreOp::Bound) || m_bank.is(tuple, CoreOp::Variable);
    const TermId source = variable ? tuple : m_bank.bound(0, type);
    for (std::uint32_t i = 0; i < count; ++i) elements.push_back(m_bank.get(source, i));
    const TermId used = use(elements);
    if (variable || !used.isValid()) return used;
    return m_bank.let(m_bank.symbols().intern("t"), tuple, used);
}

TermId ExpressionReader::callFunction(FormId form, const FunctionName& name, std::span<const FunctionId> overloads,
                                      const Terms& arguments) {
    std::vector<TypeId> types;
    for (const TermId argument : arguments) types.push_back(m_bank.type(argument));
    const std::optional<Choice> choice = m_file.functions.choose(overloads, types);
    if (!choice && name.text.starts_with('[')) {
        if (const TermId made = callWithLooseArguments(form, overloads, arguments); made.isValid()) return made;
    }
    if (!choice) {
        std::string wanted;
        for (const FunctionId id : overloads) {
            std::string parameters;
            for (const ir::Parameter& p : m_bank.function(id).parameters) {
                parameters +=
                    (parameters.empty() ? "" : ", ") + m_bank.types().toShortString(m_bank.types().erased(p.type));
            }
            wanted += (wanted.empty() ? "" : " or ") + (parameters.empty() ? "no argument" : parameters);
        }
        return m_file.fail(
            form, fmt::format("{} takes {}; found {}", name.full(m_bank.types()), wanted, argumentTypes(arguments)));
    }
    if (m_file.redefined.contains(choice->function)) {
        return m_file.fail(form,
                           fmt::format("{} is defined here in another way than in the program that is open", name.text),
                           "give one of the two another name");
    }
    const auto call = [&](std::span<const TermId> values) {
        const Result<TermId> made = m_bank.call(choice->function, values);
        return made ? *made : TermId(m_file.fail(form, made.error().message));
    };
    if (choice->fit == Fit::Direct) return call(arguments);
    if (choice->fit == Fit::Packed) return call(std::vector{m_bank.tuple(arguments)});
    return withElements(arguments[0], [&](const Terms& elements) { return call(elements); });
}

TermId ExpressionReader::callOperator(FormId form, Op op, std::string_view name, const Terms& arguments,
                                      ir::Payload payload) {
    const auto make = [&](Terms values) {
        if (m_freeNames == FreeNames::Floats) makeFloats(op, values);
        return m_bank.make(opId(op), values, payload);
    };
    Result<TermId> made = make(arguments);
    if (made) return *made;
    ir::TypeTable& types = m_bank.types();
    if (arguments.size() == 1 && types.isTuple(m_bank.type(arguments[0])) &&
        types.children(m_bank.type(arguments[0])).size() != 1) {
        // One tuple is given for all arguments.
        const TermId result = withElements(arguments[0], [&](const Terms& elements) {
            Result<TermId> expanded = make(elements);
            if (expanded) return *expanded;
            made = std::move(expanded);
            return TermId();
        });
        if (result.isValid()) return result;
    }
    std::string hint;
    const auto isType = [&](std::size_t i, TypeId type) {
        return i < arguments.size() && m_bank.type(arguments[i]) == type;
    };
    const bool mixed = (isType(0, types.floating()) && isType(1, types.integer())) ||
                       (isType(0, types.integer()) && isType(1, types.floating()));
    if (op == Op::Index && arguments.size() == 2 && types.isTensor(m_bank.type(arguments[0]))) {
        hint = "the index comes first: (index i v)";
    } else if (mixed) {
        hint = "a Float literal has a point, 2.0; (to_float n) turns an Integer into a Float";
    } else if (op != Op::Apply) {
        hint = m_bank.registry().info(opId(op)).doc;
    }
    std::string message = made.error().message;
    if (op == Op::Apply && name != "apply") message = fmt::format("the function value {}: {}", name, message);
    return m_file.fail(form, std::move(message), std::move(hint));
}

TermId ExpressionReader::readLambdaOperator(FormId form, Op op, std::span<const FormId> arguments) {
    const ir::OperatorInfo& info = m_bank.registry().info(opId(op));
    if (op == Op::Check && arguments.size() == info.minArity + 1) return readTwoPointCheck(form, arguments);
    if (arguments.size() != info.minArity) {
        return m_file.fail(form,
                           fmt::format("{} takes {} argument{}; found {}", info.name, info.minArity,
                                       info.minArity == 1 ? "" : "s", arguments.size()),
                           info.doc);
    }
    ir::TypeTable& types = m_bank.types();
    Terms values(arguments.size());
    const auto value = [&](std::size_t i) {
        values[i] = read(arguments[i]);
        return values[i].isValid();
    };
    const auto function = [&](std::size_t i, TypeId expected, bool orInteger = false) {
        values[i] = readFunction(arguments[i], expected, orInteger);
        return values[i].isValid();
    };
    const auto typeOf = [&](std::size_t i) { return m_bank.type(values[i]); };
    const auto elementOf = [&](std::size_t i) {
        return types.isTensor(typeOf(i)) ? types.element(typeOf(i)) : TypeId();
    };
    const auto pair = [&](TypeId first, TypeId second) {
        if (!first.isValid() || !second.isValid()) return TypeId();
        const std::vector<TypeId> elements{first, second};
        return types.tuple(elements);
    };
    bool ok = false;
    switch (op) {
        case Op::Build:
        case Op::Sumbuild: ok = value(0) && function(1, typeOf(0), true); break;
        case Op::Diag: ok = value(0) && value(1) && function(2, types.integer()); break;
        case Op::BuildFromSparse:
        case Op::BuildFromSparseTupled: ok = value(0) && value(1) && function(2, typeOf(1), true); break;
        case Op::Fold: ok = value(1) && value(2) && function(0, pair(typeOf(1), elementOf(2))); break;
        case Op::Map: ok = value(1) && function(0, elementOf(1)); break;
        case Op::Map2: ok = value(1) && value(2) && function(0, pair(elementOf(1), elementOf(2))); break;
        case Op::Loop: ok = value(0) && value(1) && function(2, pair(types.integer(), typeOf(1))); break;
        case Op::Apply: ok = value(1) && function(0, typeOf(1)); break;
        case Op::Bench: ok = function(0, types.unit()); break;
        case Op::Check: {
            ok = value(2) && function(0, typeOf(2));
            if (!ok) break;
            const bool lambda = types.kind(typeOf(0)) == ir::TypeKind::Lambda;
            const TypeId dResult = lambda ? types.tangent(types.children(typeOf(0))[1]) : TypeId();
            ok = function(1, pair(typeOf(2), dResult)) && value(3) && value(4);
            break;
        }
        default:  // the fold derivatives, whose functions are written with types
            ok = true;
            for (std::size_t i = 0; i < arguments.size() && ok; ++i) ok = function(i, {});
    }
    return ok ? callOperator(form, op, info.name, values) : TermId();
}

TermId ExpressionReader::callCoreOrSpecial(FormId form, std::string_view name, const Terms& arguments) {
    if (name == "select") return readSelect(form, arguments);
    if (name.starts_with("get$")) return readGet(form, name, arguments);
    const std::optional<std::uint32_t> copies = numberFrom<std::uint32_t>(name.substr(4));
    if (!copies || *copies == 0 || *copies > 1000) {
        return m_file.fail(form, fmt::format("{} is not known", name), "dup$2 makes a pair of copies");
    }
    return callOperator(form, Op::Dup, name, arguments, ir::Payload::integer(*copies));
}

/// get$i$n, where i is 1-based.
TermId ExpressionReader::readGet(FormId form, std::string_view name, const Terms& arguments) {
    const std::string_view numbers = name.substr(4);
    const std::size_t dollar = numbers.find('$');
    const std::optional<std::uint32_t> index =
        dollar == std::string_view::npos ? std::nullopt : numberFrom<std::uint32_t>(numbers.substr(0, dollar));
    const std::optional<std::uint32_t> count =
        index ? numberFrom<std::uint32_t>(numbers.substr(dollar + 1)) : std::nullopt;
    if (!count || *index < 1 || *index > *count) {
        return m_file.fail(form, fmt::format("{} is not an element of a tuple", name),
                           "get$1$2 is the first element of a pair: elements count from 1");
    }
    const TermId tuple = arguments.size() == 1 ? arguments[0] : m_bank.tuple(arguments);
    const TypeId type = m_bank.type(tuple);
    if (!m_bank.types().isTuple(type) || m_bank.types().children(type).size() != *count) {
        return m_file.fail(form, fmt::format("{} takes a tuple with {} element{}; found {}", name, *count,
                                             *count == 1 ? "" : "s", argumentTypes(arguments)));
    }
    return m_bank.get(tuple, *index - 1);
}

/// (select t i) or (select i t), where i is a 0-based Integer literal.
TermId ExpressionReader::readSelect(FormId form, const Terms& arguments) {
    const auto isIndex = [&](TermId term) {
        return m_bank.is(term, CoreOp::Literal) && m_bank.payload(term).kind() == ir::PayloadKind::Integer;
    };
    const bool two = arguments.size() == 2 && (isIndex(arguments[0]) || isIndex(arguments[1]));
    const std::size_t at = two && isIndex(arguments[0]) ? 0 : 1;
    if (!two || !m_bank.types().isTuple(m_bank.type(arguments[1 - at]))) {
        return m_file.fail(
            form, fmt::format("select takes a tuple and an Integer literal; found {}", argumentTypes(arguments)),
            "(select t 0) is the first element: elements count from 0");
    }
    const TermId tuple = arguments[1 - at];
    const std::int64_t index = m_bank.payload(arguments[at]).asInteger();
    const std::size_t count = m_bank.types().children(m_bank.type(tuple)).size();
    if (index < 0 || static_cast<std::uint64_t>(index) >= count) {
        return m_file.fail(form, fmt::format("element {} is selected from a tuple with {} elements", index, count),
                           "select counts from 0");
    }
    return m_bank.get(tuple, static_cast<std::uint32_t>(index));
}

}  // namespace mitos::ks
