// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep over the primal: emits values, and rewrites operators that have no rule of their own in simpler ones.
#include "core/autodiff/internal/differentiator.h"
#include "core/ir/binding.h"
#include "core/ks/module.h"

#include <fmt/format.h>

#include <algorithm>
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
    if (m_make.hasFloats(m_bank.type(variable))) setActive(symbolOf(variable), {variable});
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
    if (m_bank.is(term, CoreOp::Let)) return sweepLets(block, term, env);
    if (m_bank.childCount(term) == 0) return sweepLeaf(term, env);
    return sweepParts(block, term, env);
}

Record Differentiator::sweepLets(Block& block, TermId term, Env& env) {
    Record record;
    const std::size_t outside = env.size();
    for (; m_bank.is(term, CoreOp::Let); term = m_bank.child(term, 1)) {
        const Symbol hint = m_bank.hint(term);
        const std::string name(hint.isValid() ? m_bank.text(hint) : "t");
        Record value = sweep(block, m_bank.child(term, 0), env);
        const TermId atom = block.emit(value.value, name, true);
        if (!value.isActive) {
            env.push_back(atom);
            continue;
        }
        env.push_back(addLet(block, record, std::move(value), atom));
    }
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
        const bool isFunction = m_bank.types().kind(m_bank.type(child)) == TypeKind::Lambda;
        Record part;
        if (isFunction || (hasBranches && i > 0)) {
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
    record.isActive = isActive && m_make.hasFloats(m_bank.type(term));
    record.value = record.term;
    if (!record.isActive) return record;
    for (std::size_t i = 0; i < count; ++i) {
        if (hasBranches && i > 0) continue;
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
        const bool isFunction = m_bank.types().kind(m_bank.type(part.value)) == TypeKind::Lambda;
        operands.push_back(part.isActive && !isFunction ? addLet(block, result, std::move(part), part.value)
                                                        : part.value);
    }
    Record body = sweep(block, make(operands));
    return withBody(std::move(result), std::move(body));
}

/// (let (e (index i tensor)) body) below a lambda over i, for a function of an element.
TermId Differentiator::elementBound(TermId lambda, TermId tensor) {
    const TypeId indexType = m_bank.types().indexType(m_bank.types().rank(m_bank.type(tensor)));
    const TermId element = m_make.op(Op::Index, {m_bank.bound(0, indexType), tensor});
    const TermId body = m_bank.let(m_bank.hint(lambda), element, m_bank.child(lambda, 0));
    return m_bank.lambda(m_bank.symbols().intern("i"), indexType, body);
}

std::optional<Record> Differentiator::sweepRewritten(Block& block, Op op, Record& record) {
    using Operands = const std::vector<TermId>&;
    const TermId term = record.term;
    const auto isLambda = [&](std::size_t i) { return m_bank.is(record.parts[i].term, CoreOp::Lam); };
    switch (op) {
        case Op::Map:
            if (!isLambda(0)) fail(term, "the function is not written here, so its derivative is not known");
            return rewritten(block, record, [&](Operands x) {
                return m_make.op(Op::Build, {m_make.op(Op::Size, {x[1]}), elementBound(x[0], x[1])});
            });
        case Op::Map2:
            if (!isLambda(0)) fail(term, "the function is not written here, so its derivative is not known");
            return rewritten(block, record, [&](Operands x) {
                const TypeId indexType = m_bank.types().indexType(m_bank.types().rank(m_bank.type(x[1])));
                const TermId i = m_bank.bound(0, indexType);
                const TermId pair = m_make.tuple({m_make.op(Op::Index, {i, x[1]}), m_make.op(Op::Index, {i, x[2]})});
                const TermId body = m_bank.let(m_bank.hint(x[0]), pair, m_bank.child(x[0], 0));
                return m_make.op(Op::Build, {m_make.op(Op::Size, {x[1]}),
                                             m_bank.lambda(m_bank.symbols().intern("i"), indexType, body)});
            });
        case Op::Diag:
            if (!isLambda(2)) fail(term, "the function is not written here, so its derivative is not known");
            return rewritten(block, record, [&](Operands x) {
                const TermId row =
                    m_make.op(Op::DeltaVec, {x[1], m_bank.bound(0, m_bank.types().integer()), m_bank.child(x[2], 0)});
                return m_make.op(Op::Build, {x[0], m_bank.lambda(m_bank.hint(x[2]), m_bank.types().integer(), row)});
            });
        case Op::Unzip:
            return rewritten(block, record, [&](Operands x) {
                const TypeId indexType = m_bank.types().indexType(m_bank.types().rank(m_bank.type(x[0])));
                const TermId element = m_make.op(Op::Index, {m_bank.bound(0, indexType), x[0]});
                const auto count = static_cast<std::uint32_t>(m_bank.types().children(m_bank.type(element)).size());
                std::vector<TermId> parts;
                for (std::uint32_t k = 0; k < count; ++k) {
                    const TermId part = m_bank.lambda(m_bank.symbols().intern("i"), indexType, m_make.get(element, k));
                    parts.push_back(m_make.op(Op::Build, {m_make.op(Op::Size, {x[0]}), part}));
                }
                return m_make.tuple(parts);
            });
        case Op::Sum:
            return rewritten(block, record, [&](Operands x) {
                const TypeId indexType = m_bank.types().indexType(m_bank.types().rank(m_bank.type(x[0])));
                const TermId element = m_make.op(Op::Index, {m_bank.bound(0, indexType), x[0]});
                return m_make.op(Op::Sumbuild, {m_make.op(Op::Size, {x[0]}),
                                                m_bank.lambda(m_bank.symbols().intern("i"), indexType, element)});
            });
        case Op::ConstVec:
            return rewritten(block, record, [&](Operands x) {
                const TermId same = m_bank.lambda(m_bank.symbols().intern("i"), m_bank.type(x[0]), x[1]);
                return m_make.op(Op::Build, {x[0], same});
            });
        case Op::DeltaVec:
            return rewritten(block, record, [&](Operands x) {
                const TypeId indexType = m_bank.type(x[0]);
                const TermId element = m_make.op(Op::Delta, {m_bank.bound(0, indexType), x[1], x[2]});
                return m_make.op(Op::Build, {x[0], m_bank.lambda(m_bank.symbols().intern("j"), indexType, element)});
            });
        case Op::Dup:
            return rewritten(block, record, [&](Operands x) {
                const auto copies = static_cast<std::size_t>(m_bank.payload(term).asInteger());
                return m_make.tuple(std::vector<TermId>(copies, x[0]));
            });
        case Op::Apply:
            if (!isLambda(0)) fail(term, "the function is not written here, so its derivative is not known");
            return rewritten(block, record,
                             [&](Operands x) { return m_bank.let(m_bank.hint(x[0]), x[1], m_bank.child(x[0], 0)); });
        default: break;
    }
    if (op == Op::Count) {
        const bool isKnown = m_bank.is(term, CoreOp::Tuple) || m_bank.is(term, CoreOp::Get) ||
                             m_bank.is(term, CoreOp::Call) || m_bank.is(term, CoreOp::Let);
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
    const ir::OpId id = m_bank.op(term);
    return rewritten(block, record, [&](Operands x) { return m_texts.apply(id, record.texts->expansion, x, {}, {}); });
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
        const auto elementOf = [&](TermId x) { return isCompound(x) ? m_make.op(Op::Index, {i, x}) : x; };
        return componentwise(op, elementOf(a), elementOf(b));
    });
    return m_make.op(Op::Build, {size, elements});
}

}  // namespace mitos::autodiff
