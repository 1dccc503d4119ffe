// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates conditions over substitutions.
#include "core/rules/matching/conditions.h"

#include "core/facts/analysis.h"
#include "core/ir/binding.h"
#include "core/rules/language/array_operators.h"
#include "core/rules/matching/internal/analysis_values.h"
#include "core/rules/matching/internal/condition_value.h"
#include "core/rules/matching/scope.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cmath>

namespace mitos::rules {

using ir::CoreOp;
using ir::PayloadKind;
using ir::TermId;
using ir::TypeId;
using ir::TypeKind;

ir::TypeId TypeSpec::in(ir::TypeTable& types) const {
    std::vector<TypeId> parts;
    parts.reserve(children.size());
    for (const TypeSpec& child : children) parts.push_back(child.in(types));
    switch (kind) {
        case TypeKind::Integer: return types.integer();
        case TypeKind::Bool: return types.boolean();
        case TypeKind::String: return types.string();
        case TypeKind::Tuple: return types.tuple(parts);
        case TypeKind::Tensor: return types.tensor(rank, parts.front());
        default: return types.floating();
    }
}

Context effectiveContext(const ir::TermBank& bank, const CompiledRule& rule, std::span<const Binding> values,
                         VarIndex var) {
    Context result;
    for (const VarIndex entry : rule.variables[var].context) {
        if (rule.variables[entry].kind == VarKind::Function) {
            if (!values[entry].term.isValid()) continue;
            const ir::OperatorInfo& info = bank.registry().info(bank.op(values[entry].term));
            if (info.bindingChild == ir::OperatorInfo::BindsNothing) continue;
        }
        result.push_back(entry);
    }
    return result;
}

namespace {

/// The type of the numbers that a type contains; invalid if they have several types or there are none.
TypeId elementType(const ir::TypeTable& types, TypeId type) {
    switch (types.kind(type)) {
        case TypeKind::Tensor: return elementType(types, types.element(type));
        case TypeKind::Tuple: {
            TypeId common;
            for (const TypeId part : types.children(type)) {
                const TypeId own = elementType(types, part);
                if (!own.isValid() || (common.isValid() && common != own)) return {};
                common = own;
            }
            return common;
        }
        case TypeKind::Lambda:
        case TypeKind::LinearMap: return {};
        default: return type;
    }
}

/// Whether the predicate holds for some subterm, including the bodies of called functions.
bool anySubterm(const ir::TermBank& bank, TermId term, absl::FunctionRef<bool(TermId)> predicate) {
    std::vector<TermId> open{term};
    absl::flat_hash_set<TermId> seen;
    while (!open.empty()) {
        const TermId current = open.back();
        open.pop_back();
        if (!seen.insert(current).second) continue;
        if (predicate(current)) return true;
        if (bank.is(current, CoreOp::Call)) {
            const TermId body = bank.function(bank.payload(current).asFunction()).body;
            if (body.isValid()) open.push_back(body);
        }
        for (const TermId child : bank.children(current)) open.push_back(child);
    }
    return false;
}

bool hasEffects(const ir::TermBank& bank, TermId term) {
    return anySubterm(bank, term, [&](TermId id) { return bank.registry().info(bank.op(id)).traits.effectful; });
}

/// The relation to zero that the attribute expresses, as written behind a term; nothing if it is not about a sign.
std::optional<std::string_view> signRelation(Attribute attribute) {
    switch (attribute) {
        case Attribute::IsPositive: return "> 0";
        case Attribute::IsNonnegative: return ">= 0";
        case Attribute::IsNonzero: return "!= 0";
        case Attribute::IsNegative: return "< 0";
        case Attribute::IsNonpositive: return "<= 0";
        default: return std::nullopt;
    }
}

enum class Known : std::uint8_t { Yes, No, Unknown };

/// Whether a condition about the sign of a term holds, does not hold, or is unknown, given the term's range.
Known knownSign(Attribute attribute, const ir::ValueRange& range) {
    const auto known = [](bool yes, bool no) { return yes ? Known::Yes : no ? Known::No : Known::Unknown; };
    switch (attribute) {
        case Attribute::IsPositive: return known(range.isPositive(), range.isNonpositive());
        case Attribute::IsNonnegative: return known(range.isNonnegative(), range.isNegative());
        case Attribute::IsNegative: return known(range.isNegative(), range.isNonnegative());
        case Attribute::IsNonpositive: return known(range.isNonpositive(), range.isPositive());
        default: return known(range.excludesZero(), range.low == 0.0 && range.high == 0.0);
    }
}

class Evaluator {
public:
    explicit Evaluator(const ConditionInput& input) : m_in(input) {}

    Value value(std::uint32_t index) {
        const ConditionNode& node = m_in.table.conditions[index];
        switch (node.kind) {
            case ConditionKind::And: {
                const Value left = value(node.left);
                if (left.isFalse()) return left;
                const Value right = value(node.right);
                return left.isTrue() ? right : right.isFalse() ? right : Value();
            }
            case ConditionKind::Or: {
                const Value left = value(node.left);
                if (left.isTrue()) return left;
                const Value right = value(node.right);
                return left.isFalse() ? right : right.isTrue() ? right : Value();
            }
            case ConditionKind::Not: {
                const Value inner = value(node.left);
                return inner.kind == Value::Kind::Bool ? Value::boolean(inner.integer == 0) : Value();
            }
            case ConditionKind::Equal:
            case ConditionKind::NotEqual: return comparison(node);
            case ConditionKind::Less:
            case ConditionKind::LessEqual:
            case ConditionKind::Greater:
            case ConditionKind::GreaterEqual: return order(value(node.left), value(node.right), node.kind);
            case ConditionKind::Add:
            case ConditionKind::Subtract:
            case ConditionKind::Multiply:
            case ConditionKind::Divide:
            case ConditionKind::Remainder: return arithmetic(value(node.left), value(node.right), node.kind);
            case ConditionKind::Negate: return arithmetic(Value::whole(0), value(node.left), ConditionKind::Subtract);
            case ConditionKind::Apply: return function(node);
            case ConditionKind::Constant:
                if (node.isBoolean) return Value::boolean(node.integer == 1);
                return node.isInteger ? Value::whole(node.integer) : Value::real(node.number);
            case ConditionKind::Word: return Value::text(node.text);
            case ConditionKind::Type: return Value::ofType(node.type.in(m_in.bank.types()));
            case ConditionKind::Value:
                if (m_in.operands != nullptr && m_in.rule.variables[node.var].kind == VarKind::Term)
                    return (*m_in.operands)[node.var];
                return literal(term(node));
            case ConditionKind::Attribute: return attribute(node);
            case ConditionKind::Mentions: return mentions(node);
            case ConditionKind::MemberOf: {
                const TermId subject = term(node);
                if (!subject.isValid()) return {};
                return Value::boolean(std::ranges::find(node.words, operatorName(m_in.bank, subject)) !=
                                      node.words.end());
            }
            case ConditionKind::List: return Value::ofList(values(node.elements));
            case ConditionKind::Element: return element(value(node.left), value(node.right));
            case ConditionKind::Slice: {
                const Value list = value(node.left);
                const Value end = node.elements.size() > 1 ? value(node.elements[1])
                                                           : Value::whole(static_cast<std::int64_t>(list.list.size()));
                return slice(list, value(node.elements[0]), end);
            }
            case ConditionKind::ListCall:
                if (node.function == ListFunction::Sizes) return sizes(node);
                return listCall(node.function, values(node.elements), m_in.bank.types());
        }
        return {};
    }

    /// The value of a constant of the program or of an attribute.
    [[nodiscard]] Value literal(TermId id) const {
        if (!id.isValid()) return {};
        if (m_in.bank.is(id, CoreOp::Tuple)) {
            std::vector<Value> elements;
            for (const TermId child : m_in.bank.children(id)) {
                elements.push_back(literal(child));
                if (elements.back().kind == Value::Kind::Undefined) return {};
            }
            return Value::ofList(std::move(elements));
        }
        if (!m_in.bank.is(id, CoreOp::Literal)) return constant(id);
        const ir::Payload& payload = m_in.bank.payload(id);
        switch (payload.kind()) {
            case PayloadKind::Integer: return Value::whole(payload.asInteger());
            case PayloadKind::Float: return Value::real(payload.asFloat());
            case PayloadKind::Bool: return Value::boolean(payload.asBool());
            case PayloadKind::String: return Value::text(m_in.bank.text(payload.asSymbol()));
            default: return {};
        }
    }

private:
    /// The value of the variable that the node refers to; null if it is not known.
    [[nodiscard]] const Binding* binding(const ConditionNode& node) const {
        switch (node.owner) {
            case Owner::Parameter: return node.var < m_in.parameters.size() ? m_in.parameters[node.var] : nullptr;
            case Owner::Local: return node.var < m_in.locals.size() ? &m_in.locals[node.var] : nullptr;
            case Owner::Rule: break;
        }
        return node.var < m_in.values.size() ? &m_in.values[node.var] : nullptr;
    }

    [[nodiscard]] TermId term(const ConditionNode& node) const {
        const Binding* known = binding(node);
        return known == nullptr ? TermId() : known->term;
    }

    [[nodiscard]] std::vector<Value> values(const std::vector<std::uint32_t>& elements) {
        std::vector<Value> result;
        for (const std::uint32_t each : elements) result.push_back(value(each));
        return result;
    }

    [[nodiscard]] Value shape(TypeId type) const {
        const ir::TypeTable& types = m_in.bank.types();
        if (!types.isArray(type) || !types.hasRank(type)) return {};
        std::vector<Value> result;
        for (const ir::Dimension& dimension : types.dimensions(type)) {
            result.push_back(dimension.isKnown() ? Value::whole(dimension.size)
                                                 : Value::size(m_in.bank.text(dimension.name)));
        }
        return Value::ofList(std::move(result));
    }

    [[nodiscard]] Value sizes(const ConditionNode& node) {
        const Value axis = value(node.elements.front());
        const Binding* known = binding(node);
        if (known == nullptr) return {};
        std::vector<Value> result;
        for (const TermId each : known->sequence) result.push_back(element(shape(m_in.bank.type(each)), axis));
        return Value::ofList(std::move(result));
    }

    [[nodiscard]] Value constant(TermId id) const {
        const std::optional<double> number = constantValue(m_in.bank, id);
        if (!number) return {};
        const bool isWhole = !ir::isFloating(m_in.bank.types().dtype(m_in.bank.type(id)));
        const bool fits = isWhole && std::abs(*number) < 0x1p53;
        return fits ? Value::whole(static_cast<std::int64_t>(*number)) : Value::real(*number);
    }

    /// Equal or NotEqual. Two names denote their terms, unless both have values; in an equation of an analysis they denote values only.
    Value comparison(const ConditionNode& node) {
        const Value left = value(node.left);
        const Value right = value(node.right);
        const ConditionNode& first = m_in.table.conditions[node.left];
        const ConditionNode& second = m_in.table.conditions[node.right];
        const bool haveValues = left.kind != Value::Kind::Undefined && right.kind != Value::Kind::Undefined;
        if (haveValues || m_in.operands != nullptr || first.kind != ConditionKind::Value ||
            second.kind != ConditionKind::Value) {
            return equality(left, right, node.kind, m_in.bank.types());
        }
        const std::optional<bool> areSame = isSameTerm(first, second);
        return areSame ? Value::boolean(*areSame == (node.kind == ConditionKind::Equal)) : Value();
    }

    /// Whether two variables have the same term. Unknown if one is unbound, and for two terms below bound variables of which one is the
    /// value of a parameter or a local of a named pattern, because the binders around those are not recorded.
    [[nodiscard]] std::optional<bool> isSameTerm(const ConditionNode& first, const ConditionNode& second) const {
        const TermId left = term(first);
        const TermId right = term(second);
        if (!left.isValid() || !right.isValid()) return std::nullopt;
        const bool areClosed = m_in.bank.looseBound(left) == 0 || m_in.bank.looseBound(right) == 0;
        if (areClosed) return left == right;
        if (first.owner != Owner::Rule || second.owner != Owner::Rule) return std::nullopt;
        const auto contextOfVariable = [&](VarIndex var) { return contextOf(m_in.bank, m_in.rule, m_in.values, var); };
        return moved(m_in.bank, left, contextOfVariable(first.var), contextOfVariable(second.var)) == right;
    }

    Value function(const ConditionNode& node) {
        const Value a = value(node.left);
        if (!a.isNumber()) return {};
        if (node.text == "neg") return arithmetic(Value::whole(0), a, ConditionKind::Subtract);
        if (node.text == "max" || node.text == "min") {
            const Value b = value(node.right);
            if (!b.isNumber()) return {};
            return (order(a, b, ConditionKind::Less).isTrue() == (node.text == "min")) ? a : b;
        }
        if (node.text == "log") return Value::real(std::log(a.number));
        if (node.text == "exp") return Value::real(std::exp(a.number));
        if (node.text == "sqrt") return Value::real(std::sqrt(a.number));
        if (node.text == "sin") return Value::real(std::sin(a.number));
        if (node.text == "cos") return Value::real(std::cos(a.number));
        if (node.text == "tanh") return Value::real(std::tanh(a.number));
        if (node.text == "erf") return Value::real(std::erf(a.number));
        if (node.text == "to_float") return Value::real(a.number);
        return Value::real(std::abs(a.number));
    }

    Value attribute(const ConditionNode& node) {
        ir::TermBank& bank = m_in.bank;
        const Binding* known = binding(node);
        if (known == nullptr) return {};
        if (node.attribute == Attribute::Length) return Value::whole(static_cast<std::int64_t>(known->sequence.size()));
        const TermId id = known->term;
        if (!id.isValid()) return {};
        const ir::OperatorInfo& info = bank.registry().info(bank.op(id));
        const TypeId type = bank.type(id);
        switch (node.attribute) {
            case Attribute::Type: return Value::ofType(type);
            case Attribute::Dtype: {
                if (bank.types().isArray(type)) return Value::text(ir::dtypeName(bank.types().dtype(type)));
                const TypeId element = elementType(bank.types(), type);
                return element.isValid() ? Value::ofType(element) : Value();
            }
            case Attribute::Rank:
                if (bank.types().isArray(type)) {
                    return bank.types().hasRank(type) ? Value::whole(bank.types().rank(type)) : Value();
                }
                return Value::whole(bank.types().isTensor(type) ? bank.types().rank(type) : 0);
            case Attribute::IsConst:
                return Value::boolean(bank.is(id, CoreOp::Literal) || constantValue(bank, id).has_value());
            case Attribute::IsVar: return Value::boolean(bank.is(id, CoreOp::Variable) || bank.is(id, CoreOp::Bound));
            case Attribute::IsLet: return Value::boolean(bank.is(id, CoreOp::Let));
            case Attribute::IsLambda: return Value::boolean(bank.is(id, CoreOp::Lam));
            case Attribute::IsTuple: return Value::boolean(bank.types().isTuple(type));
            case Attribute::IsScalar: return Value::boolean(bank.types().isNumeric(type));
            case Attribute::HasEffects: return Value::boolean(hasEffects(bank, id));
            case Attribute::IsTotal: return Value::boolean(facts::of(bank).isTotal(id));
            case Attribute::IsZero: return Value::boolean(facts::of(bank).range(id).isZero());
            case Attribute::HasOneShape: return oneShape(node, id);
            case Attribute::Value: return literal(id);
            case Attribute::Nodes: return Value::whole(static_cast<std::int64_t>(bank.treeSize(id)));
            case Attribute::Op: return Value::text(operatorName(bank, id));
            case Attribute::Arity: return Value::whole(static_cast<std::int64_t>(bank.childCount(id)));
            case Attribute::Binds: return Value::boolean(info.bindingChild != ir::OperatorInfo::BindsNothing);
            case Attribute::MayFail: return Value::boolean(info.traits.mayFail);
            case Attribute::Effectful: return Value::boolean(info.traits.effectful);
            case Attribute::Commutative: return Value::boolean(info.traits.commutative);
            case Attribute::Pointwise: return Value::boolean(info.traits.pointwise);
            case Attribute::Shape: return shape(type);
            case Attribute::IsStatic: {
                const Value known = shape(type);
                return Value::boolean(known.isList() && std::ranges::none_of(known.list, [](const Value& size) {
                                          return size.kind == Value::Kind::Size;
                                      }));
            }
            case Attribute::IsFloating:
                return Value::boolean(bank.types().isArray(type) && ir::isFloating(bank.types().dtype(type)));
            case Attribute::IsWeight: return Value::boolean(dependsOnWeightsOnly(bank, id));
            case Attribute::IsPositive:
            case Attribute::IsNonnegative:
            case Attribute::IsNonzero:
            case Attribute::IsNegative:
            case Attribute::IsNonpositive: {
                const Known known = knownSign(node.attribute, facts::of(bank).range(id));
                return Value::boolean(known == Known::Yes || (known == Known::Unknown && m_in.rule.allowsAssumptions));
            }
            case Attribute::Analysis: return analysisValue(bank, *(*m_in.rule.analyses)[node.analysis], id);
            case Attribute::Length: break;
        }
        return {};
    }

    /// Known for variables of the rule only, because the binders around a parameter of a named pattern are not recorded.
    Value oneShape(const ConditionNode& node, TermId id) const {
        if (node.owner != Owner::Rule) return {};
        const Context context = effectiveContext(m_in.bank, m_in.rule, m_in.values, node.var);
        return Value::boolean(facts::of(m_in.bank).hasOneShape(id, static_cast<std::uint32_t>(context.size())));
    }

    Value mentions(const ConditionNode& node) const {
        if (node.owner != Owner::Rule || node.var >= m_in.values.size()) return {};
        const bool isSequence = m_in.rule.variables[node.var].kind == VarKind::Sequence;
        if (!isSequence && !m_in.values[node.var].term.isValid()) return {};
        const Context context = effectiveContext(m_in.bank, m_in.rule, m_in.values, node.var);
        const auto found = std::ranges::find(context, node.binder);
        if (found == context.end()) return Value::boolean(false);
        const auto index = static_cast<std::uint32_t>(context.end() - found - 1);
        const Binding& value = m_in.values[node.var];
        if (value.term.isValid() && ir::mentions(m_in.bank, value.term, index)) return Value::boolean(true);
        return Value::boolean(std::ranges::any_of(
            value.sequence, [&](TermId element) { return ir::mentions(m_in.bank, element, index); }));
    }

    const ConditionInput& m_in;
};

}  // namespace

Value valueOf(const ConditionInput& input, std::uint32_t condition) { return Evaluator(input).value(condition); }

Value valueOfLiteral(ir::TermBank& bank, TermId term) {
    const CompiledRule nothing;
    return Evaluator({bank, nothing, {}, nothing.table}).literal(term);
}

bool holds(const ConditionInput& input, std::uint32_t condition) {
    return condition == NoNode || Evaluator(input).value(condition).isTrue();
}

std::uint32_t failingPart(const ConditionInput& input, std::uint32_t condition) {
    if (holds(input, condition)) return NoNode;
    while (input.table.conditions[condition].kind == ConditionKind::And) {
        const ConditionNode& both = input.table.conditions[condition];
        condition = holds(input, both.left) ? both.right : both.left;
    }
    return condition;
}

namespace {

/// Adds the assumptions of a condition that holds.
void collectAssumptions(const ConditionInput& input, std::uint32_t condition, std::vector<Assumption>& into) {
    const ConditionNode& node = input.table.conditions[condition];
    if (node.kind == ConditionKind::And) {
        collectAssumptions(input, node.left, into);
        collectAssumptions(input, node.right, into);
        return;
    }
    if (node.kind == ConditionKind::Or) {
        // One arm is enough: the one with fewer assumptions.
        std::optional<std::vector<Assumption>> least;
        for (const std::uint32_t arm : {node.left, node.right}) {
            if (!holds(input, arm)) continue;
            std::vector<Assumption> own;
            collectAssumptions(input, arm, own);
            if (!least || own.size() < least->size()) least = std::move(own);
        }
        if (least) into.insert(into.end(), least->begin(), least->end());
        return;
    }
    if (node.kind != ConditionKind::Attribute || node.owner != Owner::Rule || node.var >= input.values.size()) return;
    const std::optional<std::string_view> relation = signRelation(node.attribute);
    const TermId term = input.values[node.var].term;
    if (!relation || !term.isValid() || knownSign(node.attribute, facts::of(input.bank).range(term)) == Known::Yes)
        return;
    const Assumption assumption{term, *relation};
    if (std::ranges::find(into, assumption) == into.end()) into.push_back(assumption);
}

}  // namespace

std::vector<Assumption> assumptions(const ConditionInput& input, std::uint32_t condition) {
    std::vector<Assumption> result;
    if (condition != NoNode && input.rule.allowsAssumptions) collectAssumptions(input, condition, result);
    return result;
}

namespace {

std::optional<TermId> literalOf(ir::TermBank& bank, const Value& value) {
    switch (value.kind) {
        case Value::Kind::Bool: return bank.boolean(value.integer == 1);
        case Value::Kind::Integer: return bank.integer(value.integer);
        case Value::Kind::Float:
            if (std::isfinite(value.number)) return bank.floating(value.number);
            return std::nullopt;
        case Value::Kind::Word: return bank.string(value.word);
        case Value::Kind::List: {
            std::vector<TermId> elements;
            for (const Value& each : value.list) {
                const std::optional<TermId> element = each.isList() ? std::nullopt : literalOf(bank, each);
                if (!element) return std::nullopt;
                elements.push_back(*element);
            }
            return bank.tuple(elements);
        }
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<TermId> computedConstant(const ConditionInput& input, std::uint32_t condition) {
    return literalOf(input.bank, Evaluator(input).value(condition));
}

std::string_view operatorName(const ir::TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Bound)) return bank.registry().info(ir::opId(CoreOp::Variable)).name;
    if (!bank.is(term, CoreOp::Call)) return bank.opName(term);
    const ir::OpId declared = bank.registry().find(bank.function(bank.payload(term).asFunction()).name);
    const bool isDeclared = declared.isValid() && bank.registry().info(declared).dialect == "user";
    return isDeclared ? std::string_view(bank.registry().info(declared).name) : bank.opName(term);
}

}  // namespace mitos::rules
