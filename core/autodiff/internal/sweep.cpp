// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep over the primal: emits values, and rewrites operators that have no rule of their own in simpler ones.
#include "core/autodiff/internal/differentiator.h"
#include "core/autodiff/internal/gather.h"
#include "core/ir/binding.h"
#include "core/ks/loops.h"
#include "core/ks/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ir::TypeKind;
using ks::Op;
using DerivativeKind = ir::OperatorDerivative::Kind;

void Differentiator::fail(TermId term, std::string reason) const {
    std::string text = ks::printTerm(m_bank, term, {.width = 0});
    constexpr std::size_t Longest = 100;
    if (text.size() > Longest) text = text.substr(0, Longest) + "…";
    std::string shown;  // names as readers know them
    bool isSkipped = false;
    for (const char c : text) {
        isSkipped = c == '#' || (isSkipped && c >= '0' && c <= '9');
        if (!isSkipped) shown += c;
    }
    const bool isCall = m_bank.is(term, CoreOp::Call);
    throw NotDifferentiable{
        Error{ErrorCode::Unsupported, fmt::format("{}: {}", shown, reason)},
        isCall ? m_bank.function(m_bank.payload(term).asFunction()).name : std::string(m_bank.opName(term))};
}

std::string Differentiator::hintText(TermId lambda, std::string_view otherwise) const {
    const Symbol hint = m_bank.hint(lambda);
    return std::string(hint.isValid() ? m_bank.text(hint) : otherwise);
}

void Differentiator::addVariable(TermId variable, TypeId declared) {
    m_make.declare(variable, declared);
    const TypeId type = m_bank.type(variable);
    if (!m_make.carriesTangent(type)) return;
    if (m_make.hasOpaqueTangent(type)) {
        throw NotDifferentiable{{ErrorCode::Unsupported, fmt::format("there is none by a parameter of the type {}",
                                                                     m_bank.types().toShortString(type))},
                                {}};
    }
    setActive(symbolOf(variable), {variable});
}

TermId Differentiator::named(TermId term, const Env& env) {
    if (m_bank.looseBound(term) == 0) return term;
    const auto count = static_cast<std::uint32_t>(env.size());
    return ir::substituteLoose(m_bank, term, count, -static_cast<std::int32_t>(count),
                               [&](std::uint32_t index, TypeId) { return env[env.size() - 1 - index]; });
}

bool Differentiator::mentionsActive(TermId term) const {
    bool isFound = false;
    forEachFree(m_bank, term, [&](Symbol name, bool) { isFound = isFound || m_places.contains(name); });
    return isFound;
}

Record Differentiator::sweep(Block& block, TermId term) {
    Env env;
    return sweep(block, term, env);
}

Record Differentiator::sweep(Block& block, TermId term, Env& env) {
    const Op op = ks::ksOp(m_bank.op(term));
    if ((op == Op::LmApply || op == Op::LmApplyR) && mentionsActive(named(term, env))) {
        Record applied = sweepApplied(block, term, env);
        applied.origin = m_names.origin();
        return applied;
    }
    const bool isLeaf = m_bank.childCount(term) == 0;
    if (isLeaf && m_bank.is(named(term, env), CoreOp::Tuple) && !m_bank.is(term, CoreOp::Tuple)) {
        return sweep(block, named(term, env));  // a variable whose parts have names
    }
    Record record = m_bank.is(term, CoreOp::Let) ? sweepLets(block, term, env)
                    : isLeaf                     ? sweepLeaf(term, env)
                                                 : sweepParts(block, term, env);
    record.origin = m_names.origin();
    return record;
}

Record Differentiator::sweepFunction(Block& block, const Record& function, Env& env) {
    const AtOrigin at(m_names, m_names.inner(function.origin, 0));
    return sweep(block, m_bank.child(function.term, 0), env);
}

Record Differentiator::sweepBranch(Block& block, const Record& branch) {
    const AtOrigin at(m_names, branch.origin);
    return sweep(block, branch.term);
}

Record Differentiator::sweepLets(Block& block, TermId term, Env& env) {
    Record record;
    const std::size_t outside = env.size();
    Origin origin = m_names.origin();
    for (; m_bank.is(term, CoreOp::Let); term = m_bank.child(term, 1)) {
        const AtOrigin at(m_names, m_names.inner(origin, 0));
        origin = m_names.inner(origin, 1);
        const Symbol hint = m_bank.hint(term);
        const std::string name(hint.isValid() ? m_bank.text(hint) : "t");
        if (m_bank.types().kind(m_bank.type(m_bank.child(term, 0))) == TypeKind::LinearMap) {
            env.push_back(named(m_bank.child(term, 0), env));  // it is constructed where it is applied
            continue;
        }
        Record value = sweep(block, m_bank.child(term, 0), env);
        const TermId atom = block.emit(value.value, name, true);
        if (!value.isActive) {
            env.push_back(atom);
            continue;
        }
        env.push_back(addLet(block, record, std::move(value), atom));
    }
    const AtOrigin at(m_names, origin);
    Record body = sweep(block, term, env);
    env.resize(outside);
    return withBody(std::move(record), std::move(body));
}

/// The record of lets with the record of their body.
Record Differentiator::withBody(Record lets, Record body) {
    if (lets.lets.empty()) return body;
    lets.term = body.term;
    lets.value = body.value;
    lets.isActive = body.isActive;
    // A part of a variable of these lets must be passed on to what that variable names.
    const auto isOwn = [&](const Record::Let& let) { return body.place && symbolOf(body.place->base) == let.name; };
    if (std::ranges::none_of(lets.lets, isOwn)) lets.place = body.place;
    lets.parts.push_back(std::move(body));
    return lets;
}

/// A variable that has a tangent, for a value that is used several times.
TermId Differentiator::addLet(Block& block, Record& lets, Record value, TermId atom) {
    const TermId variable = block.alias(atom);
    m_make.declare(variable, m_make.statedType(block, value.term));
    setActive(symbolOf(variable), value.place ? *value.place : Place{variable});
    lets.lets.push_back({symbolOf(variable), lets.parts.size()});
    lets.parts.push_back(std::move(value));
    return variable;
}

Record Differentiator::sweepLeaf(TermId term, const Env& env) {
    const TermId value = named(term, env);
    Record record{.term = value, .value = value};
    if (isVariable(value)) {
        if (const auto place = m_places.find(symbolOf(value)); place != m_places.end()) {
            record.isActive = true;
            record.place = place->second;
        }
    }
    return record;
}

/// Sweeps the operands, except for functions and branches, which are swept where they are entered.
Record Differentiator::sweepParts(Block& block, TermId term, Env& env) {
    const Op op = ks::ksOp(m_bank.op(term));
    const bool hasBranches = op == Op::If;
    Record record;
    std::vector<TermId> children;
    bool isActive = false;
    const std::size_t count = m_bank.childCount(term);
    for (std::size_t i = 0; i < count; ++i) {
        const TermId child = m_bank.child(term, i);
        const AtOrigin at(m_names, m_names.inner(m_names.origin(), i));
        const bool isFunction = m_bank.types().kind(m_bank.type(child)) == TypeKind::Lambda;
        Record part;
        if (isFunction || (hasBranches && i > 0)) {
            part.origin = m_names.origin();
            part.term = part.value = named(child, env);
            part.isActive = mentionsActive(part.term);
        } else {
            part = sweep(block, child, env);
        }
        isActive = isActive || part.isActive;
        children.push_back(part.value);
        record.parts.push_back(std::move(part));
    }
    record.term = *m_bank.withChildren(term, children);
    record.isActive = isActive && m_make.carriesTangent(m_bank.type(term));
    record.value = record.term;
    if (!record.isActive) return record;
    for (std::size_t i = 0; i < count; ++i) {
        if (hasBranches && i > 0) continue;
        const AtOrigin at(m_names, record.parts[i].origin);
        record.parts[i].value = children[i] = block.emit(children[i], "t");
    }
    record.term = *m_bank.withChildren(record.term, children);
    return sweepOperator(block, op, std::move(record));
}

Record Differentiator::sweepOperator(Block& block, Op op, Record record) {
    if (std::optional<Record> simpler = sweepRewritten(block, op, record)) return *std::move(simpler);
    const TermId term = record.term;
    if (m_bank.is(term, CoreOp::Get) && record.parts[0].place) {
        record.place = record.parts[0].place->then({{}, m_bank.payload(term).projectionIndex()});
    } else if (op == Op::Index) {
        if (record.parts[1].place) record.place = record.parts[1].place->then({record.parts[0].value, 0});
    }
    record.value = block.emit(term, "t");
    if (m_bank.is(term, CoreOp::Get)) {
        const TermId tuple = isVariable(record.parts[0].value) ? definitionOf(block, record.parts[0].value) : TermId();
        if (tuple.isValid() && m_bank.is(tuple, CoreOp::Tuple)) {
            record.value = m_bank.child(tuple, m_bank.payload(term).projectionIndex());
        }
    }
    return record;
}

TermId Differentiator::definitionOf(const Block& block, TermId variable) const {
    TermId value = variable;
    while (value.isValid() && isVariable(value)) value = block.definition(symbolOf(value));
    return value;
}

/// Variables for the operands, and the record of the term that `make` makes of them in place of the operator.
Record Differentiator::rewritten(Block& block, Record& record,
                                 absl::FunctionRef<TermId(const std::vector<TermId>&)> make) {
    Record result;
    std::vector<TermId> operands;
    for (Record& part : record.parts) {
        const TermId value = part.value;
        const bool isFunction = m_bank.types().kind(m_bank.type(value)) == TypeKind::Lambda;
        operands.push_back(part.isActive && !isFunction ? addLet(block, result, std::move(part), value) : value);
    }
    const AtOrigin at(m_names, {m_names.origin().place, true});
    Record body = sweep(block, make(operands));
    return withBody(std::move(result), std::move(body));
}

/// (FFold f s v f' ds dv) as the tangent of a fold over values and tangents together.
TermId Differentiator::foldOfPairs(const std::vector<TermId>& operands) {
    ir::TypeTable& types = m_bank.types();
    const auto pairOf = [&](TypeId first, TypeId second) {
        const std::vector<TypeId> elements{first, second};
        return types.tuple(elements);
    };
    const TermId vector = operands[2];
    const TypeId element = types.element(m_bank.type(vector));
    const TypeId states = pairOf(m_bank.type(operands[1]), m_bank.type(operands[4]));
    const TypeId elements = pairOf(element, types.element(m_bank.type(operands[5])));
    const TypeId both = pairOf(states, elements);
    const auto part = [&](std::uint32_t depth, std::uint32_t outer, std::uint32_t inner) {
        return m_bank.get(m_bank.get(m_bank.bound(depth, both), outer), inner);
    };
    const TermId point = m_make.tuple({part(0, 0, 0), part(0, 1, 0)});
    const TermId pointAndTangent =
        m_make.tuple({m_bank.bound(0, m_bank.type(point)), m_make.tuple({part(1, 0, 1), part(1, 1, 1)})});
    const TermId step =
        m_make.tuple({m_bank.child(operands[0], 0),
                      m_bank.let(m_bank.hint(operands[3]), pointAndTangent, m_bank.child(operands[3], 0))});
    const TermId body = m_bank.let(m_bank.hint(operands[0]), point, step);
    const TermId index = m_bank.bound(0, types.integer());
    const TermId pair =
        m_make.tuple({m_make.op(Op::Index, {index, vector}), m_make.op(Op::Index, {index, operands[5]})});
    const TermId pairs = m_make.op(
        Op::Build, {m_make.op(Op::Size, {vector}), m_bank.lambda(m_bank.symbols().intern("i"), types.integer(), pair)});
    const TermId fold = m_make.op(Op::Fold, {m_bank.lambda(m_bank.symbols().intern("q"), both, body),
                                             m_make.tuple({operands[1], operands[4]}), pairs});
    return m_bank.get(fold, 1);
}

/// (lam (hint : index of the tensor) body), where the body's innermost variable is the index.
TermId Differentiator::overIndices(TermId tensor, std::string_view hint, TermId body) {
    const TypeId indexType = m_bank.types().indexType(m_bank.types().rank(m_bank.type(tensor)));
    return m_bank.lambda(m_bank.symbols().intern(hint), indexType, body);
}

/// The element of a tensor at the innermost variable.
TermId Differentiator::elementOf(TermId tensor) {
    const TypeId indexType = m_bank.types().indexType(m_bank.types().rank(m_bank.type(tensor)));
    return m_make.op(Op::Index, {m_bank.bound(0, indexType), tensor});
}

/// The tuple of tensors that `unzip` gives, each built from the elements' parts.
TermId Differentiator::unzipped(TermId tensor) {
    const TermId element = elementOf(tensor);
    const auto count = static_cast<std::uint32_t>(m_bank.types().children(m_bank.type(element)).size());
    std::vector<TermId> parts;
    for (std::uint32_t k = 0; k < count; ++k) {
        const TermId part = overIndices(tensor, "i", m_make.get(element, k));
        parts.push_back(m_make.op(Op::Build, {m_make.op(Op::Size, {tensor}), part}));
    }
    return m_make.tuple(parts);
}

/// A term of the same value that has loops, or lets, in place of the operator; invalid if the operator has a rule of its own.
TermId Differentiator::simpler(TermId term, const std::vector<TermId>& x) {
    const auto size = [&](TermId tensor) { return m_make.sizeAt({tensor}); };
    const auto body = [&](TermId lambda) { return m_bank.child(lambda, 0); };
    switch (ks::ksOp(m_bank.op(term))) {
        case Op::Map: {
            const TermId element = m_bank.let(m_bank.hint(x[0]), elementOf(x[1]), body(x[0]));
            return m_make.op(Op::Build, {size(x[1]), overIndices(x[1], "i", element)});
        }
        case Op::Map2: {
            const TermId pair = m_make.tuple({elementOf(x[1]), elementOf(x[2])});
            const TermId element = m_bank.let(m_bank.hint(x[0]), pair, body(x[0]));
            return m_make.op(Op::Build, {size(x[1]), overIndices(x[1], "i", element)});
        }
        case Op::Diag: {
            const TypeId integer = m_bank.types().integer();
            const TermId row = m_make.op(Op::DeltaVec, {x[1], m_bank.bound(0, integer), body(x[2])});
            return m_make.op(Op::Build, {x[0], m_bank.lambda(m_bank.hint(x[2]), integer, row)});
        }
        case Op::Unzip: return unzipped(x[0]);
        case Op::Sum: return m_make.op(Op::Sumbuild, {size(x[0]), overIndices(x[0], "i", elementOf(x[0]))});
        case Op::ConstVec: return m_make.op(Op::Build, {x[0], overIndices(term, "i", x[1])});
        case Op::Dup:
            return m_make.tuple(std::vector<TermId>(static_cast<std::size_t>(m_bank.payload(term).asInteger()), x[0]));
        case Op::FFold: return foldOfPairs(x);
        case Op::Apply: return m_bank.let(m_bank.hint(x[0]), x[1], body(x[0]));
        default: return {};
    }
}

/// A loop is run for its value and its trip count, which is a constant; its tangent is that of the fold over the rounds that ran.
Record Differentiator::sweepLoop(Block& block, Record record) {
    if (!m_bank.is(record.parts[2].term, CoreOp::Lam)) fail(record.term, "the function is not written here");
    const TermId pair = block.emit(record.term, "r");
    Record lets;
    const TermId bound = record.parts[0].value;
    TermId start = record.parts[1].value;
    if (record.parts[1].isActive) start = addLet(block, lets, std::move(record.parts[1]), start);
    const TermId iterations = block.emit(m_make.get(pair, 0), "n");
    const TermId loop = m_make.op(Op::Loop, {bound, start, record.parts[2].term});
    TermId fold = ks::foldOfIterations(m_bank, loop, iterations);
    if (!fold.isValid()) {
        const TermId rounds = block.emit(ks::roundsOfLoop(m_bank, bound, iterations), "rounds");
        fold = ks::foldOfLoop(m_bank, loop, rounds);
    }
    Record state = sweep(block, fold);
    state.value = block.emit(m_make.get(pair, 1), "t");
    Record value{.term = m_make.tuple({iterations, state.value}), .value = pair, .isActive = true};
    value.parts.push_back({.term = iterations, .value = iterations});
    value.parts.push_back(std::move(state));
    return withBody(std::move(lets), std::move(value));
}

/// The record of a simpler term of the same value, if the operator is differentiated through one.
std::optional<Record> Differentiator::sweepRewritten(Block& block, Op op, Record& record) {
    using Operands = const std::vector<TermId>&;
    constexpr std::array ByLoops{Op::Map,      Op::Map2, Op::Diag,  Op::Unzip, Op::Sum,
                                 Op::ConstVec, Op::Dup,  Op::FFold, Op::Apply};
    const TermId term = record.term;
    if (op == Op::Fold && m_bank.is(record.parts[0].term, CoreOp::Lam)) {
        const auto hasTangent = [&](Symbol name) { return m_places.contains(name); };
        const TermId vector = record.parts[2].value;
        const TermId definition = isVariable(vector) ? definitionOf(block, vector) : vector;
        const auto gathered = [&](Operands x) {
            return gatheredFold(m_bank, x[0], x[1], x[2], definition, hasTangent);
        };
        const std::vector<TermId> operands{record.parts[0].value, record.parts[1].value, record.parts[2].value};
        if (gathered(operands).isValid()) return rewritten(block, record, gathered);
    }
    if (op == Op::Loop) return sweepLoop(block, std::move(record));
    if (std::ranges::find(ByLoops, op) != ByLoops.end()) {
        for (const Record& part : record.parts) {
            const bool isFunction = m_bank.types().kind(m_bank.type(part.term)) == TypeKind::Lambda;
            if (isFunction && !m_bank.is(part.term, CoreOp::Lam)) fail(term, "the function is not written here");
        }
        return rewritten(block, record, [&](Operands x) { return simpler(term, x); });
    }
    if (op == Op::Count) {
        const bool isKnown =
            m_bank.is(term, CoreOp::Tuple) || m_bank.is(term, CoreOp::Get) || m_bank.is(term, CoreOp::Call);
        if (!isKnown) fail(term, fmt::format("{} has no derivative", m_bank.opName(term)));
        return std::nullopt;
    }
    const ir::OperatorInfo& info = m_bank.registry().info(m_bank.op(term));
    if (info.derivative.kind == DerivativeKind::Undefined) fail(term, fmt::format("{} has no derivative", info.name));
    if (info.derivative.kind != DerivativeKind::Texts) return std::nullopt;
    std::vector<TypeId> types;
    for (const Record& part : record.parts) types.push_back(m_bank.type(part.value));
    record.texts = m_texts.find(m_bank.op(term), types);
    if (record.texts == nullptr && info.traits.pointwise && types.size() == 2) {
        return rewritten(block, record, [&](Operands x) { return componentwise(op, x[0], x[1]); });
    }
    if (record.texts == nullptr) fail(term, fmt::format("{} has no derivative for these types", info.name));
    if (record.texts->expansion.empty()) return std::nullopt;
    const OperatorTexts::Case& texts = *record.texts;
    const ir::OpId id = m_bank.op(term);
    return rewritten(block, record, [&](Operands x) { return m_texts.apply(id, texts.expansion, x, {}, {}); });
}

/// An operator on tuples and tensors, part by part; a number is used for every part.
TermId Differentiator::componentwise(Op op, TermId a, TermId b) {
    const ir::TypeTable& types = m_bank.types();
    const auto isCompound = [&](TermId x) { return types.isTuple(m_bank.type(x)) || types.isTensor(m_bank.type(x)); };
    if (!isCompound(a) && !isCompound(b)) return m_make.op(op, {a, b});
    const TermId whole = isCompound(a) ? a : b;
    const TypeId type = m_bank.type(whole);
    if (types.isTuple(type)) {
        std::vector<TermId> parts;
        const auto count = static_cast<std::uint32_t>(types.children(type).size());
        for (std::uint32_t k = 0; k < count; ++k) {
            parts.push_back(
                componentwise(op, isCompound(a) ? m_make.get(a, k) : a, isCompound(b) ? m_make.get(b, k) : b));
        }
        return m_make.tuple(parts);
    }
    const TermId size = m_make.op(Op::Size, {whole});
    const TermId elements = m_make.lambda(nullptr, "i", m_bank.type(size), [&](Block&, TermId i) {
        const auto partOf = [&](TermId x) { return isCompound(x) ? m_make.op(Op::Index, {i, x}) : x; };
        return componentwise(op, partOf(a), partOf(b));
    });
    return m_make.op(Op::Build, {size, elements});
}

}  // namespace mitos::autodiff
