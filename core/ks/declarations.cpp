// SPDX-License-Identifier: GPL-3.0-or-later
// Reads definitions in order; after an error in one definition the others are still read.
#include "core/base/suggestion.h"
#include "core/ir/binding.h"
#include "core/ir/calls.h"
#include "core/ks/internal/declaration_reader.h"
#include "core/ks/internal/derived_functions.h"
#include "core/ks/names.h"
#include "core/ks/signature.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::ks {

using ir::FunctionId;
using ir::TermId;
using ir::TypeId;

namespace {

/// A term may be slightly deeper than its forms (tuple patterns, expanded tuples), but not by orders of magnitude.
/// Code that traverses terms relies on this limit.
constexpr std::uint32_t MaxTermDepth = 12'000;
/// Limits the nesting of bodies that call each other in a chain, since running or costing a program nests through all of them.
constexpr std::size_t MaxNesting = 50'000;
constexpr std::string_view CostPrefix = "cost$";
constexpr std::string_view BareName = "expression";

bool sameSignature(const ir::Function& a, const ir::Function& b, bool external) {
    const auto same = [&](const ir::Parameter& x, const ir::Parameter& y) {
        return x.type == y.type && (external || x.name == y.name);
    };
    return a.declaredResult == b.declaredResult && std::ranges::equal(a.parameters, b.parameters, same);
}

}  // namespace

DeclarationReader::Keyword DeclarationReader::keyword(FormId form) const {
    if (!forms().is(form, FormKind::List) || forms().children(form).empty()) return Keyword::None;
    const FormId head = forms().children(form)[0];
    if (forms().isName(head, "def")) return Keyword::Def;
    if (forms().isName(head, "edef")) return Keyword::Edef;
    if (forms().isName(head, "gdef")) return Keyword::Gdef;
    if (forms().isName(head, "rule")) return Keyword::Rule;
    return Keyword::None;
}

/// The name that a def or edef defines, without argument types; empty if it has none.
std::string DeclarationReader::definedName(FormId form) const {
    const Keyword word = keyword(form);
    if ((word != Keyword::Def && word != Keyword::Edef) || forms().children(form).size() < 2) return {};
    FormId name = forms().children(form)[1];
    std::string open;
    std::string close;
    while (forms().is(name, FormKind::Bracket) && forms().children(name).size() == 2) {
        const std::span<const FormId> parts = forms().children(name);
        const bool typed = forms().is(parts[1], FormKind::List) || TypeReader::isTypeWord(forms().text(parts[1]));
        if (!typed) {
            open += fmt::format("[{} ", forms().text(parts[0]));
            close += ']';
        }
        name = parts[typed ? 0 : 1];
    }
    return open + std::string(forms().is(name, FormKind::Name) ? forms().text(name) : "") + close;
}

Module DeclarationReader::read() {
    const std::vector<FormId>& top = forms().top();
    for (const FormId form : forms().broken()) {
        if (const std::string name = definedName(form); !name.empty()) m_file.broken.insert(name);
    }
    const auto defines = [&](FormId form) { return keyword(form) != Keyword::None; };
    const bool definitions = std::ranges::any_of(top, defines) || std::ranges::any_of(forms().broken(), defines);
    if (definitions) {
        readDefinitions(top);
    } else if (!forms().broken().empty()) {
        return {};  // the errors are reported already
    } else if (top.size() == 1) {
        readBare(top[0]);
    } else if (top.size() > 1) {
        static_cast<void>(m_file.fail(
            top[1], fmt::format("found {} expressions; a file holds definitions, or one expression", top.size()),
            "put each expression into a file of its own, or into a definition "
            "(def name Float (x : Float) ...)"));
    }
    return std::move(m_module);
}

void DeclarationReader::readDefinitions(std::span<const FormId> top) {
    for (const FormId form : top) {
        if (const std::string name = definedName(form); !name.empty()) m_file.later.emplace(name, forms().span(form));
    }
    for (const FormId form : top) {
        if (m_file.diagnostics.enough()) return;
        const std::string name = definedName(form);
        const std::span<const FormId> parts =
            forms().is(form, FormKind::List) ? forms().children(form).subspan(1) : std::span<const FormId>();
        bool good = false;
        m_file.later.erase(name);
        switch (keyword(form)) {
            case Keyword::Def: good = readDef(form, parts); break;
            case Keyword::Edef: good = readEdef(form, parts); break;
            case Keyword::Gdef: good = readGdef(form, parts); break;
            case Keyword::Rule: good = readRule(form, parts); break;
            case Keyword::None: rejectExpression(form); break;
        }
        if (!good && !name.empty()) m_file.broken.insert(name);
    }
}

void DeclarationReader::rejectExpression(FormId form) {
    if (forms().is(form, FormKind::List) && !forms().children(form).empty()) {
        const FormId head = forms().children(form)[0];
        const std::string_view word = forms().is(head, FormKind::Name) ? forms().text(head) : std::string_view();
        const std::string_view meant = closestName(word, {"def", "edef", "gdef", "rule"});
        if (!meant.empty() || word == "define" || word == "defun") {
            static_cast<void>(m_file.fail(head, fmt::format("{} begins no definition", word),
                                          fmt::format("did you mean {}?", meant.empty() ? "def" : meant)));
            return;
        }
    }
    static_cast<void>(
        m_file.fail(form, "found an expression beside definitions",
                    "a file holds definitions, or one bare expression: write (def main Float () ...) around it"));
}

void DeclarationReader::readBare(FormId form) {
    ExpressionReader reader(m_file, ExpressionReader::FreeNames::Floats);
    const TermId root = reader.read(form);
    if (!root.isValid() || !isShallow(form, root)) return;
    ir::Function function =
        m_types.signature({std::string(BareName), std::string(BareName), {}}, reader.floats(), m_bank.type(root));
    function.bareExpression = true;
    // The bank may already hold expressions over other variables.
    for (int i = 2;; ++i) {
        const FunctionId there = m_bank.findFunction(function.name, function.argument);
        if (!there.isValid() || sameSignature(m_bank.function(there), function, false)) break;
        function.name = fmt::format("{}_{}", BareName, i);
    }
    const std::optional<FunctionId> id = declare(form, std::move(function));
    if (id) setBody(*id, root);
}

bool DeclarationReader::isShallow(FormId form, TermId body) {
    if (m_bank.depth(body) <= MaxTermDepth) return true;
    m_file.diagnostics.error(
        forms().span(form), fmt::format("this program is nested {} levels deep", m_bank.depth(body)),
        fmt::format("up to {} levels are possible; split it into several definitions", MaxTermDepth), ErrorCode::Limit);
    return false;
}

bool DeclarationReader::callsAreShallow(FormId form, FunctionId function, TermId body) {
    std::size_t deepest = 0;
    for (const FunctionId callee : ir::calleesOf(m_bank, body)) {
        const auto known = m_nesting.find(callee);
        if (known != m_nesting.end()) deepest = std::max(deepest, known->second);
    }
    const std::size_t nesting = deepest + m_bank.depth(body);
    m_nesting[function] = nesting;
    if (nesting <= MaxNesting) return true;
    m_file.diagnostics.error(
        forms().span(form),
        fmt::format("{} and what it calls are nested {} levels deep", m_bank.function(function).name, nesting),
        fmt::format("up to {} levels are possible; let it call fewer functions in a chain", MaxNesting),
        ErrorCode::Limit);
    return false;
}

bool DeclarationReader::argumentAgrees(FormId form, const FunctionName& name, const ir::Function& function) {
    if (!name.argument.isValid() || name.argument == function.argument) return true;
    static_cast<void>(
        m_file.fail(form, fmt::format("{} is defined with the argument type {}", name.full(m_bank.types()),
                                      m_bank.types().toString(function.argument))));
    return false;
}

std::optional<FunctionId> DeclarationReader::declare(FormId form, ir::Function function) {
    const FunctionId there = m_bank.findFunction(function.name, function.argument);
    if (!there.isValid()) return *m_bank.declare(std::move(function));
    if (m_own.contains(there)) {
        static_cast<void>(m_file.fail(form, fmt::format("{} is defined twice for the argument type {}", function.name,
                                                        m_bank.types().toString(function.argument))));
        return std::nullopt;
    }
    const ir::Function& known = m_bank.function(there);
    if (!sameSignature(known, function, !known.body.isValid())) {
        static_cast<void>(m_file.fail(form,
                                      fmt::format("{} is defined here with other parameters or another result than in "
                                                  "the program that is open",
                                                  function.name),
                                      "give one of the two another name"));
        return std::nullopt;
    }
    return there;
}

void DeclarationReader::setBody(FunctionId id, TermId body) {
    const TermId known = m_bank.function(id).body;
    if (!known.isValid() && body.isValid()) m_bank.define(id, body);
    if (known.isValid() && known != body && body.isValid()) m_file.redefined.insert(id);
    m_own.insert(id);
    m_module.functions.push_back(id);
    m_module.bodies.push_back(body);
}

bool DeclarationReader::readDef(FormId form, std::span<const FormId> parts) {
    if (parts.size() != 4) {
        static_cast<void>(
            m_file.fail(form,
                        fmt::format("def takes a name, a result type, parameters and a body; found {} form{}",
                                    parts.size(), parts.size() == 1 ? "" : "s"),
                        "write (def f Float ((x : Float) (y : Float)) (add x y))"));
        return false;
    }
    const std::optional<FunctionName> name = m_types.functionName(parts[0]);
    if (!name) return false;
    if (const Op op = ksOp(m_bank.registry().find(name->text)); op != Op::Count && takesFunctions(op)) {
        static_cast<void>(m_file.fail(parts[0], fmt::format("{} is built in and cannot be defined", name->text)));
        return false;
    }
    const TypeId result = m_types.type(parts[1]);
    if (!result.isValid()) return false;
    std::optional<std::vector<ir::Parameter>> parameters = m_types.parameters(parts[2]);
    if (!parameters) return false;
    ExpressionReader reader(m_file, ExpressionReader::FreeNames::Declared);
    ir::Function function = m_types.signature(*name, *parameters, result);
    for (const ir::Parameter& p : function.parameters) reader.declare(p.name, p.type);
    for (const ir::SizeName& s : function.sizes) reader.declare(s.name, m_bank.types().integer());
    if (!argumentAgrees(parts[0], *name, function)) return false;

    const auto checkedBody = [&]() -> TermId {
        const TermId body = reader.read(parts[3]);
        if (!body.isValid() || !isShallow(form, body)) return {};
        if (m_bank.type(body) == m_bank.types().erased(result)) return body;
        return m_file.fail(parts[3], fmt::format("{} is declared to give {}, but its body is a {}", name->text,
                                                 m_bank.types().toShortString(result),
                                                 m_bank.types().toShortString(m_bank.type(body))));
    };
    if (name->text.starts_with(CostPrefix)) {
        const std::string edef = name->text.substr(CostPrefix.size());
        if (m_file.functions.contains(edef)) {
            const TermId body = checkedBody();
            if (!body.isValid()) return false;
            if (readDeclaredCost(edef, *parameters, body)) return true;
        }
    }
    const std::optional<FunctionId> id = declare(parts[0], std::move(function));
    if (!id) return false;
    m_file.functions.add(*name, *id);  // before the body: it may call itself
    const TermId body = checkedBody();
    if (!body.isValid()) return true;  // the signature is valid, so uses can be checked
    setBody(*id, body);
    return callsAreShallow(parts[0], *id, body);
}

/// (def cost$f Float params c) sets the cost of an external function. Returns false if the definition does not have that form.
bool DeclarationReader::readDeclaredCost(const std::string& edef, const std::vector<ir::Parameter>& parameters,
                                         TermId body) {
    if (!m_bank.is(body, ir::CoreOp::Literal) || m_bank.payload(body).kind() != ir::PayloadKind::Float) return false;
    bool found = false;
    std::vector<TypeId> types;
    for (const ir::Parameter& p : parameters) types.push_back(m_bank.types().erased(p.type));
    const std::vector<FunctionId> overloads = m_file.functions.overloads({edef, edef, {}});
    const std::optional<Choice> chosen = m_file.functions.choose(overloads, types);
    for (const FunctionId id : overloads) {
        const bool meant = parameters.empty() || (chosen && chosen->function == id);
        if (m_bank.function(id).body.isValid() || !meant) continue;
        m_bank.setDeclaredCost(id, m_bank.payload(body).asFloat());
        found = true;
    }
    return found;
}

bool DeclarationReader::readEdef(FormId form, std::span<const FormId> parts) {
    if (parts.size() != 3) {
        static_cast<void>(
            m_file.fail(form,
                        fmt::format("edef takes a name, a result type and an argument type; found {} form{}",
                                    parts.size(), parts.size() == 1 ? "" : "s"),
                        "write (edef f Float (Tuple Float Integer))"));
        return false;
    }
    const std::optional<FunctionName> name = m_types.functionName(parts[0]);
    if (!name) return false;
    const TypeId result = m_types.type(parts[1]);
    if (!result.isValid()) return false;
    std::optional<std::vector<ir::Parameter>> parameters = externalParameters(parts[2]);
    if (!parameters) return false;
    ir::Function function = m_types.signature(*name, *std::move(parameters), result);
    if (!argumentAgrees(parts[0], *name, function)) return false;
    const std::string_view plainName = withoutTypeLetters(name->text).value_or(name->text);
    if (const ir::OpId op = m_bank.registry().find(plainName); ksOp(op) != Op::Count && ksOp(op) != Op::Dup) {
        // The prelude declares functions that are built in here. An equal declaration adds nothing.
        const ir::OperatorInfo& info = m_bank.registry().info(op);
        std::vector<TypeId> types;
        for (const ir::Parameter& p : function.parameters) types.push_back(m_bank.types().erased(p.type));
        if (types.size() >= info.minArity && types.size() <= info.maxArity) {
            const Result<TypeId> builtIn = info.typeRule({m_bank.types(), ir::Payload(), types, info});
            if (builtIn && *builtIn == function.result) return true;
        }
        if (takesFunctions(ksOp(op))) {
            static_cast<void>(
                m_file.fail(parts[0], fmt::format("{} is built in and cannot be declared otherwise", name->text)));
            return false;
        }
    }
    const std::optional<FunctionId> id = declare(parts[0], std::move(function));
    if (!id) return false;
    m_file.functions.add(*name, *id);
    m_own.insert(*id);
    m_module.functions.push_back(*id);
    m_module.bodies.emplace_back();
    return true;
}

/// Reads an argument type, or parameters as in a def: (edef f Float (Vec Float)), (edef f Float ((v : Vec Float))).
std::optional<std::vector<ir::Parameter>> DeclarationReader::externalParameters(FormId form) {
    const auto isParameter = [&](std::span<const FormId> parts) {
        return parts.size() > 1 && forms().isName(parts[1], ":");
    };
    const std::span<const FormId> parts =
        forms().is(form, FormKind::List) ? forms().children(form) : std::span<const FormId>();
    const bool several =
        !parts.empty() && forms().is(parts[0], FormKind::List) && isParameter(forms().children(parts[0]));
    if (several || isParameter(parts)) return m_types.parameters(form);
    const TypeId argument = m_types.argumentType(form);
    return argument.isValid() ? std::optional(m_types.externalParameters(argument)) : std::nullopt;
}

bool DeclarationReader::readGdef(FormId form, std::span<const FormId> parts) {
    if (parts.size() != 2 || !forms().is(parts[0], FormKind::Name) || !isDerivation(forms().text(parts[0]))) {
        static_cast<void>(m_file.fail(form, "gdef takes a derivation and the function it derives from",
                                      fmt::format("write (gdef rev [f (Vec Float)]); {}", DerivationsAre)));
        return false;
    }
    const std::string derivation(forms().text(parts[0]));
    const std::optional<FunctionName> name = m_types.functionName(parts[1]);
    if (!name) return false;
    const std::vector<FunctionId> overloads = m_file.functions.overloads(*name);
    if (overloads.empty() && m_file.broken.contains(name->stripped)) return false;
    if (overloads.empty()) {
        std::vector<std::string_view> candidates;
        for (const std::string& known : m_file.functions.names()) candidates.emplace_back(known);
        static_cast<void>(m_file.fail(parts[1],
                                      fmt::format("there is no function {} to derive from", name->full(m_bank.types())),
                                      suggestion(name->stripped, candidates, "define it before this line")));
        return false;
    }
    if (overloads.size() > 1) {
        static_cast<void>(m_file.fail(parts[1],
                                      fmt::format("there are {} functions called {}", overloads.size(), name->text),
                                      fmt::format("say which by its argument type: [{} {}]", name->text,
                                                  m_bank.types().toString(m_bank.function(overloads[0]).argument))));
        return false;
    }
    if (hasLargeTypes(m_bank, overloads[0])) {
        static_cast<void>(m_file.fail(parts[1], fmt::format("the types of {} are too large to derive from", name->text),
                                      "each derivation of a derived function about doubles them"));
        return false;
    }
    FunctionName exact{m_bank.function(overloads[0]).name, name->stripped, m_bank.function(overloads[0]).argument};
    m_module.derivatives.push_back({derivation, exact.full(m_bank.types()), overloads[0]});
    declareDerived(m_file, derivation, exact, overloads[0], parts[1]);
    return true;
}

/// (rule "name" params lhs rhs), (rule name params lhs rhs), (rule lhs rhs).
bool DeclarationReader::readRule(FormId form, std::span<const FormId> parts) {
    const bool named =
        parts.size() == 4 && (forms().is(parts[0], FormKind::String) || forms().is(parts[0], FormKind::Name));
    if (!named && parts.size() != 2) {
        static_cast<void>(m_file.fail(form, "rule takes a name, pattern variables, a left side and a right side",
                                      "write (rule \"add_zero\" (x : Float) (add x 0.0) x)"));
        return false;
    }
    KsRule rule;
    rule.name = fmt::format("rule_{}", m_module.rules.size() + 1);
    ExpressionReader reader(m_file,
                            named ? ExpressionReader::FreeNames::Declared : ExpressionReader::FreeNames::Floats);
    if (named) {
        rule.name = std::string(forms().text(parts[0]));
        if (forms().is(parts[0], FormKind::String)) rule.name = stringValue(rule.name).value_or(rule.name);
        std::optional<std::vector<ir::Parameter>> variables = m_types.parameters(parts[1]);
        if (!variables) return false;
        const ir::Function scope = m_types.signature({rule.name, rule.name, {}}, *variables, m_bank.types().unit());
        for (const ir::Parameter& p : scope.parameters) reader.declare(p.name, p.type);
        for (const ir::SizeName& s : scope.sizes) reader.declare(s.name, m_bank.types().integer());
        rule.variables = std::move(*variables);
    }
    rule.lhs = reader.read(parts[parts.size() - 2]);
    if (!rule.lhs.isValid()) return false;
    const std::size_t known = reader.floats().size();
    rule.rhs = reader.read(parts.back());
    if (!rule.rhs.isValid()) return false;
    if (!named) rule.variables = reader.floats();
    if (!isShallow(form, rule.lhs) || !isShallow(form, rule.rhs)) return false;
    if (m_bank.type(rule.lhs) != m_bank.type(rule.rhs)) {
        static_cast<void>(m_file.fail(parts.back(), fmt::format("the left side is a {}, the right side a {}",
                                                                m_bank.types().toShortString(m_bank.type(rule.lhs)),
                                                                m_bank.types().toShortString(m_bank.type(rule.rhs)))));
        return false;
    }
    for (std::size_t i = 0; i < rule.variables.size(); ++i) {
        const Symbol variable = rule.variables[i].name;
        const bool unbound =
            named ? ir::mentionsFree(m_bank, rule.rhs, variable) && !ir::mentionsFree(m_bank, rule.lhs, variable)
                  : i >= known;
        if (unbound) {
            static_cast<void>(m_file.fail(
                parts.back(),
                fmt::format("the right side uses {}, which the left side does not bind", m_bank.text(variable))));
            return false;
        }
    }
    m_module.rules.push_back(std::move(rule));
    return true;
}

}  // namespace mitos::ks
