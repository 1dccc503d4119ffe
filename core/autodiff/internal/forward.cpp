// SPDX-License-Identifier: GPL-3.0-or-later
// Forward mode: the tangent of every record, in the order of the primal.
#include "core/autodiff/internal/differentiator.h"
#include "core/autodiff/internal/singular.h"
#include "core/ks/loops.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

TermId Differentiator::forward(Block& block, TermId body) {
    const Record record = sweep(block, body);
    return tangentOrZero(block, record);
}

TermId Differentiator::tangentOrZero(Block& block, const Record& record) {
    const TermId d = tangent(block, record);
    if (d.isValid()) return d;
    return m_make.zeroAt({block.emit(record.value, "t")});
}

TermId Differentiator::tangent(Block& block, const Record& record) {
    if (!record.isActive) return {};
    const AtOrigin at(m_names, record.origin);
    if (!record.lets.empty()) {
        for (const Record::Let& let : record.lets) {
            const TermId d = tangent(block, record.parts[let.value]);
            if (d.isValid()) m_tangents[let.name] = block.emit(d, tangentHint(block, let.name), true);
        }
        return tangent(block, record.parts.back());
    }
    if (isVariable(record.term)) {
        const auto known = m_tangents.find(symbolOf(record.term));
        return known == m_tangents.end() ? TermId() : known->second;
    }
    const TermId d = forwardOperator(block, record);
    return d.isValid() ? block.emit(d, "d") : d;
}

TermId Differentiator::forwardOperator(Block& block, const Record& record) {
    if (m_bank.is(record.term, CoreOp::Tuple)) {
        std::vector<TermId> parts;
        for (const Record& part : record.parts) parts.push_back(tangentOrZero(block, part));
        return m_make.tuple(parts);
    }
    if (m_bank.is(record.term, CoreOp::Get)) {
        const TermId whole = tangent(block, record.parts[0]);
        return whole.isValid() ? m_make.get(whole, m_bank.payload(record.term).projectionIndex()) : TermId();
    }
    if (m_bank.is(record.term, CoreOp::Call)) return forwardCall(block, record);
    switch (ksOp(record)) {
        case Op::If: return forwardBranches(block, record);
        case Op::Assert: {
            const TermId d = tangent(block, record.parts[1]);
            return d.isValid() ? m_make.op(Op::Assert, {record.parts[0].value, d}) : d;
        }
        case Op::Index: {
            const TermId whole = tangent(block, record.parts[1]);
            return whole.isValid() ? m_make.op(Op::Index, {record.parts[0].value, whole}) : whole;
        }
        case Op::VecInit: {
            std::vector<TermId> parts;
            for (const Record& part : record.parts) parts.push_back(tangentOrZero(block, part));
            const Result<TermId> made = m_bank.make(opId(Op::VecInit), parts);
            if (!made) fail(record.term, made.error().message);
            return *made;
        }
        case Op::DeltaVec: {
            const TermId d = tangent(block, record.parts[2]);
            return d.isValid() ? m_make.op(Op::DeltaVec, {record.parts[0].value, record.parts[1].value, d}) : d;
        }
        case Op::Build:
        case Op::Sumbuild: return forwardLoop(block, record, 1);
        case Op::Fold: return forwardFold(block, record);
        case Op::RFold: return forwardReverseFold(block, record);
        case Op::BuildFromSparse:
        case Op::BuildFromSparseTupled: return forwardSparse(block, record);
        default: break;
    }
    if (record.texts == nullptr) fail(record.term, fmt::format("{} has no derivative", m_bank.opName(record.term)));
    return forwardTexts(block, record);
}

TermId Differentiator::forwardTexts(Block& block, const Record& record) {
    std::vector<TermId> operands;
    for (const Record& part : record.parts) operands.push_back(part.value);
    std::vector<TermId> summands;
    for (std::size_t i = 0; i < record.parts.size(); ++i) {
        const std::string& text = record.texts->parts[i].forward;
        if (text.empty() || !record.parts[i].isActive) continue;
        const TermId d = tangent(block, record.parts[i]);
        if (!d.isValid()) continue;
        const TermId part = m_texts.apply(m_bank.op(record.term), text, operands, record.value, d);
        summands.push_back(block.emit(SingularSlopes(m_bank, block).withoutKnownTest(part), "d"));
    }
    return summands.empty() ? TermId() : m_make.sum(summands);
}

TermId Differentiator::forwardBranches(Block& block, const Record& record) {
    std::vector<TermId> branches;
    for (std::size_t i = 1; i <= 2; ++i) {
        Block inner(m_bank, m_names, &block);
        const Record branch = sweepBranch(inner, record.parts[i]);
        const TermId d = tangentOrZero(inner, branch);
        branches.push_back(inner.close(d));
    }
    return m_make.op(Op::If, {record.parts[0].value, branches[0], branches[1]});
}

TermId Differentiator::forwardCall(Block& block, const Record& record) {
    std::vector<TermId> arguments;
    std::vector<TermId> tangents;
    for (const Record& part : record.parts) {
        if (m_bank.types().kind(m_bank.type(part.value)) == ir::TypeKind::Lambda) {
            fail(record.term, "a function that takes functions has no derivative");
        }
        arguments.push_back(part.value);
        tangents.push_back(tangentOrZero(block, part));
    }
    const bool isSingle = arguments.size() == 1;
    return calledDerivative(record, isSingle ? arguments[0] : m_make.tuple(arguments),
                            isSingle ? tangents[0] : m_make.tuple(tangents));
}

/// The call of the derivative of the function that the record calls.
TermId Differentiator::calledDerivative(const Record& record, TermId point, TermId tangent) {
    ir::FunctionId derivative;
    try {
        derivative = m_callees.derivative(m_bank.payload(record.term).asFunction());
    } catch (const NotDifferentiable& failure) {
        fail(record.term, failure.error.message);
    }
    const bool isPacked = m_bank.function(derivative).parameters.size() == 1;
    const std::vector<TermId> pair{point, tangent};
    const std::vector<TermId> packed{m_make.tuple(pair)};
    const Result<TermId> call = m_bank.call(derivative, isPacked ? packed : pair);
    if (!call) fail(record.term, call.error().message);
    return *call;
}

TermId Differentiator::forwardLoop(Block& block, const Record& record, std::size_t lambda) {
    const TermId function = record.parts[lambda].term;
    if (!m_bank.is(function, CoreOp::Lam)) fail(record.term, "the function is not written here");
    const TermId tangents =
        m_make.lambda(&block, hintText(function, "i"), m_bank.boundType(function), [&](Block& inner, TermId i) {
            Env env{i};
            return tangentOrZero(inner, sweepFunction(inner, record.parts[lambda], env));
        });
    return m_make.op(ksOp(record), {record.parts[0].value, tangents});
}

TermId Differentiator::forwardSparse(Block& block, const Record& record) {
    const TermId function = record.parts[2].term;
    if (!m_bank.is(function, CoreOp::Lam)) fail(record.term, "the function is not written here");
    const TermId pairs =
        m_make.lambda(&block, hintText(function, "i"), m_bank.boundType(function), [&](Block& inner, TermId i) {
            Env env{i};
            const Record body = sweepFunction(inner, record.parts[2], env);
            const TermId value = inner.emit(body.value, "t");
            const TermId d = inner.emit(tangentOrZero(inner, body), "d");
            const auto pairOf = [&](TermId at, TermId dAt) {
                return m_make.tuple({m_make.get(at, 0), m_make.get(dAt, 1)});
            };
            if (ksOp(record) == Op::BuildFromSparse) return pairOf(value, d);
            std::vector<TermId> parts;
            const auto count = static_cast<std::uint32_t>(m_bank.types().children(m_bank.type(value)).size());
            for (std::uint32_t k = 0; k < count; ++k) parts.push_back(pairOf(m_make.get(value, k), m_make.get(d, k)));
            return m_make.tuple(parts);
        });
    const Place whole{block.emit(record.value, "t")};
    if (ksOp(record) == Op::BuildFromSparse) {
        return m_make.op(Op::BuildFromSparse, {m_make.shapesAt(whole), record.parts[1].value, pairs});
    }
    std::vector<TermId> shapes;
    const auto count = static_cast<std::uint32_t>(m_bank.types().children(m_bank.type(whole.base)).size());
    for (std::uint32_t k = 0; k < count; ++k) shapes.push_back(m_make.shapesAt(whole.then({{}, k})));
    return m_make.op(Op::BuildFromSparseTupled, {m_make.tuple(shapes), record.parts[1].value, pairs});
}

/// (FFold f s v f' ds dv), where f' takes ((state, element), their tangents).
TermId Differentiator::forwardFold(Block& block, const Record& record) {
    const TermId function = record.parts[0].term;
    if (!m_bank.is(function, CoreOp::Lam)) fail(record.term, "the function is not written here");
    const TypeId point = m_bank.boundType(function);
    const std::vector<TypeId> both{point, m_make.tangent(point)};
    const TermId step = m_make.lambda(&block, "p", m_bank.types().tuple(both), [&](Block& inner, TermId p) {
        const TermId at = inner.alias(inner.emit(m_make.get(p, 0), hintText(function, "at"), true));
        setActive(symbolOf(at), {at});
        m_tangents[symbolOf(at)] = inner.emit(m_make.get(p, 1), "d" + hintText(function, "at"), true);
        Env env{at};
        return tangentOrZero(inner, sweepFunction(inner, record.parts[0], env));
    });
    const TermId dState = block.emit(tangentOrZero(block, record.parts[1]), "d");
    const TermId dElements = block.emit(tangentOrZero(block, record.parts[2]), "d");
    return m_make.op(Op::FFold, {function, record.parts[1].value, record.parts[2].value, step, dState, dElements});
}

/// The function of an RFold over pairs (value, tangent): from a tuple of pairs, the value at the values and its tangent. `regroup` makes
/// the argument of the original function from the firsts, or the seconds, of these pairs.
TermId Differentiator::dualStep(Block& block, TermId function, TypeId pairs,
                                absl::FunctionRef<TermId(TermId pairs, std::uint32_t which)> regroup,
                                absl::FunctionRef<TermId(TermId value, TermId tangent)> result) {
    return m_make.lambda(&block, "p", pairs, [&](Block& inner, TermId p) {
        const TermId at = inner.alias(inner.emit(regroup(p, 0), hintText(function, "at"), true));
        setActive(symbolOf(at), {at});
        m_tangents[symbolOf(at)] = inner.emit(regroup(p, 1), "d" + hintText(function, "at"), true);
        Env env{at};
        const Record body = sweep(inner, m_bank.child(function, 0), env);
        const TermId value = inner.emit(body.value, "t");
        return result(value, inner.emit(tangentOrZero(inner, body), "d"));
    });
}

/// An RFold over pairs (value, tangent) of everything: its function is f with its tangent, and its reverse step is f' with the tangent of
/// that. The tangents in its result are the tangent of the original result.
TermId Differentiator::forwardReverseFold(Block& block, const Record& record) {
    const TermId function = record.parts[1].term;
    const TermId reverse = record.parts[2].term;
    if (!m_bank.is(function, CoreOp::Lam) || !m_bank.is(reverse, CoreOp::Lam)) {
        fail(record.term, "the function is not written here");
    }
    ir::TypeTable& types = m_bank.types();
    const auto pairType = [&](TypeId first, TypeId second) {
        const std::vector<TypeId> elements{first, second};
        return types.tuple(elements);
    };
    const auto withTangent = [&](TypeId type) { return pairType(type, m_make.tangent(type)); };
    const auto dual = [&](std::size_t part) {
        const TermId d = block.emit(tangentOrZero(block, record.parts[part]), "d");
        return m_make.tuple({record.parts[part].value, d});
    };
    const TermId vector = record.parts[4].value;
    const TermId dVector = block.emit(tangentOrZero(block, record.parts[4]), "d");
    const TermId elements = m_make.lambda(&block, "i", types.integer(), [&](Block&, TermId i) {
        return m_make.tuple({m_make.op(Op::Index, {i, vector}), m_make.op(Op::Index, {i, dVector})});
    });
    const TermId dualVector = m_make.op(Op::Build, {m_make.op(Op::Size, {vector}), elements});
    // ((a, da), (e, de)) and (((a, da), (e, de)), (dr, ddr)), the latter with (kept, dkept).
    const TypeId point =
        pairType(withTangent(m_bank.type(record.parts[3].value)), withTangent(types.element(m_bank.type(vector))));
    const TypeId kept = ks::keptByStep(types, m_bank.type(function), m_bank.type(record.parts[3].value));
    std::vector<TypeId> pointAndTangent{point, withTangent(m_bank.type(record.parts[5].value))};
    if (kept.isValid()) pointAndTangent.push_back(withTangent(kept));
    const auto pointOf = [&](TermId pairs, std::uint32_t which) {
        return m_make.tuple({m_make.get(m_make.get(pairs, 0), which), m_make.get(m_make.get(pairs, 1), which)});
    };
    const auto both = [&](TermId value, TermId tangent, std::uint32_t part) {
        return m_make.tuple({m_make.get(value, part), m_make.get(tangent, part)});
    };
    const TermId step = dualStep(block, function, point, pointOf, [&](TermId value, TermId tangent) {
        return kept.isValid() ? m_make.tuple({both(value, tangent, 0), both(value, tangent, 1)})
                              : m_make.tuple({value, tangent});
    });
    const auto argumentOf = [&](TermId pairs, std::uint32_t which) {
        std::vector<TermId> parts{pointOf(m_make.get(pairs, 0), which)};
        for (std::uint32_t k = 1; k < pointAndTangent.size(); ++k) {
            parts.push_back(m_make.get(m_make.get(pairs, k), which));
        }
        return m_make.tuple(parts);
    };
    const TermId back =
        dualStep(block, reverse, types.tuple(pointAndTangent), argumentOf, [&](TermId value, TermId tangent) {
            const TermId ofPoint = m_make.get(value, 1);
            const TermId dOfPoint = m_make.get(tangent, 1);
            return m_make.tuple(
                {both(value, tangent, 0), m_make.tuple({both(ofPoint, dOfPoint, 0), both(ofPoint, dOfPoint, 1)})});
        });
    const TermId result = block.emit(m_make.op(Op::RFold, {dual(0), step, back, dual(3), dualVector, dual(5)}), "d");
    const TermId ofPoint = block.emit(m_make.get(result, 1), "d");
    const TermId pairs = block.emit(m_make.get(ofPoint, 1), "d");
    const TermId tangents = m_make.lambda(&block, "i", types.integer(), [&](Block&, TermId i) {
        return m_make.get(m_make.op(Op::Index, {i, pairs}), 1);
    });
    return m_make.tuple({m_make.get(m_make.get(result, 0), 1),
                         m_make.tuple({m_make.get(m_make.get(ofPoint, 0), 1),
                                       m_make.op(Op::Build, {m_make.op(Op::Size, {vector}), tangents})})});
}

}  // namespace mitos::autodiff
