// SPDX-License-Identifier: GPL-3.0-or-later
// Sparse builds, and sums into places that exist already: the gradient of a loop adds to the gradients of what the loop reads, and makes no
// tensor for each iteration.
#include "core/facts/analysis.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"
#include "core/loops/internal/lowerer.h"
#include "core/loops/internal/shapes.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

bool isInteger(const TermBank& bank, TermId term, std::int64_t value) {
    return bank.is(term, CoreOp::Literal) && bank.payload(term) == ir::Payload::integer(value);
}

/// The pairs of an index and a summand that an iteration of a sparse build makes; none if `term` is no literal tuple of them.
std::vector<TermId> pairsOf(const TermBank& bank, TermId sparse, TermId term) {
    if (!bank.is(term, CoreOp::Tuple)) return {};
    std::vector<TermId> pairs;
    if (is(bank, sparse, Op::BuildFromSparse)) {
        pairs.push_back(term);
    } else {
        for (std::uint32_t i = 0; i < bank.childCount(term); ++i) pairs.push_back(bank.child(term, i));
    }
    const bool areLiteral = std::ranges::all_of(pairs, [&](TermId pair) { return bank.is(pair, CoreOp::Tuple); });
    return areLiteral ? pairs : std::vector<TermId>{};
}

/// The term below the lets of a term.
TermId belowLets(const TermBank& bank, TermId term) {
    while (bank.is(term, CoreOp::Let)) term = bank.child(term, 1);
    return term;
}

/// The shape of one tensor of a sparse build, if the program states it by itself.
std::optional<TermId> shapeOf(const TermBank& bank, TermId sparse, std::size_t part) {
    const TermId shapes = bank.child(sparse, 0);
    if (is(bank, sparse, Op::BuildFromSparse)) return shapes;
    if (!bank.is(shapes, CoreOp::Tuple)) return std::nullopt;
    return bank.child(shapes, static_cast<std::uint32_t>(part));
}

/// Whether a shape tells the length of a vector of numbers, or of tuples of them, and nothing else.
bool isPlainLength(const TermBank& bank, TermId shape, bool isOfNumbers) {
    if (!isOfNumbers || !is(bank, shape, Op::ConstVec)) return false;
    const TermId each = bank.child(shape, 1);
    return bank.type(bank.child(shape, 0)) == bank.types().integer() && bank.type(each) == bank.types().unit() &&
           bank.childCount(each) == 0;
}

/// Whether a part of what a sparse build makes, or of a tuple of them, is a vector of one element, and every summand goes to it.
bool hasOneElement(const TermBank& bank, TermId sparse, std::size_t part) {
    if (bank.is(sparse, CoreOp::Let)) return hasOneElement(bank, bank.child(sparse, 1), part);
    if (is(bank, sparse, Op::If))
        return hasOneElement(bank, bank.child(sparse, 1), part) && hasOneElement(bank, bank.child(sparse, 2), part);
    if (bank.is(sparse, CoreOp::Tuple)) {
        const TermId vector = bank.child(sparse, static_cast<std::uint32_t>(part));
        return is(bank, vector, Op::BuildFromSparse) && bank.is(bank.child(vector, 2), CoreOp::Lam) &&
               hasOneElement(bank, vector, 0);
    }
    const std::optional<TermId> shape = shapeOf(bank, sparse, part);
    if (!shape || !is(bank, *shape, Op::ConstVec) || !isInteger(bank, bank.child(*shape, 0), 1)) return false;
    const std::vector<TermId> pairs = pairsOf(bank, sparse, belowLets(bank, bank.child(bank.child(sparse, 2), 0)));
    return part < pairs.size() && isInteger(bank, bank.child(pairs[part], 0), 0);
}

/// A part of the value of a bound variable: get$k, or the first element of that; or the whole value, if it is no tuple.
struct Part {
    std::uint32_t place = 0;
    bool isElement = false;
};

std::optional<Part> partOf(const TermBank& bank, TermId term, std::uint32_t variable) {
    Part part;
    if (is(bank, term, Op::Index) && isInteger(bank, bank.child(term, 0), 0)) {
        part.isElement = true;
        term = bank.child(term, 1);
    }
    const bool isWhole = bank.is(term, CoreOp::Bound) && bank.types().isTensor(bank.type(term));
    if (!isWhole && !bank.is(term, CoreOp::Get)) return std::nullopt;
    const TermId tuple = isWhole ? term : bank.child(term, 0);
    if (!bank.is(tuple, CoreOp::Bound) || bank.payload(tuple).asIndex() != variable) return std::nullopt;
    if (!isWhole) part.place = bank.payload(term).projectionIndex();
    return part;
}

/// Whether a term is the sum of two values of its type, which may be added to a place one after the other.
bool isAddition(const TermBank& bank, TermId term) {
    if (is(bank, term, Op::Add)) return bank.type(term) == bank.types().floating();
    return is(bank, term, Op::TsAdd) && bank.type(bank.child(term, 1)) == bank.type(term);
}

/// Whether a number is zero, as it stands.
bool isSumOfZeros(const TermBank& bank, TermId number) {
    if (bank.is(number, CoreOp::Literal)) return isZero(bank, number);
    return isAddition(bank, number) && isSumOfZeros(bank, bank.child(number, 0)) &&
           isSumOfZeros(bank, bank.child(number, 1));
}

bool isOfFloats(const ir::TypeTable& types, TypeId type) {
    if (type == types.floating()) return true;
    const bool isMade = types.isTuple(type) || types.isTensor(type);
    return isMade && std::ranges::all_of(types.children(type), [&](TypeId part) { return isOfFloats(types, part); });
}

/// Whether a term is a vector or tuple of Floats times -1, which may be subtracted.
bool isNegative(const TermBank& bank, TermId term) {
    const TypeId type = bank.type(term);
    return is(bank, term, Op::TsNeg) && type != bank.types().floating() && isOfFloats(bank.types(), type);
}

/// Whether a term adds one summand to a vector of zeros.
bool hasOneIteration(const TermBank& bank, TermId term) {
    return is(bank, term, Op::BuildFromSparse) && bank.is(bank.child(term, 2), CoreOp::Lam) &&
           bank.types().rank(bank.type(term)) == 1 && isInteger(bank, bank.child(term, 1), 1);
}

/// Whether the parts of a tuple bound by a let are only added to something, each once at most.
class OnlyAdded {
public:
    OnlyAdded(const TermBank& bank, Uses& uses, TermId value) : m_bank(bank), m_uses(uses), m_value(value) {}

    /// `variable` is the let's variable in the scope of a term whose value is added up.
    bool asSummand(TermId term, std::uint32_t variable) {
        if (!m_uses.mentions(term, variable)) return true;
        if (m_bank.is(term, CoreOp::Let)) {
            return !m_uses.mentions(m_bank.child(term, 0), variable) && asSummand(m_bank.child(term, 1), variable + 1);
        }
        if (isNegative(m_bank, term)) return asSummand(m_bank.child(term, 0), variable);
        if (const std::optional<Part> part = partOf(m_bank, term, variable)) {
            const bool isFirst = std::ranges::find(m_seen, part->place) == m_seen.end();
            m_seen.push_back(part->place);
            return isFirst && (!part->isElement || hasOneElement(m_bank, m_value, part->place));
        }
        if (hasOneIteration(m_bank, term)) {
            return !m_uses.mentions(m_bank.child(term, 0), variable) &&
                   asContribution(term, m_bank.child(m_bank.child(term, 2), 0), variable + 1);
        }
        if (!isAddition(m_bank, term) && !m_bank.is(term, CoreOp::Tuple)) return false;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            if (!asSummand(m_bank.child(term, i), variable)) return false;
        }
        return true;
    }

    /// The same for what an iteration of the sparse build `outer` makes.
    bool asContribution(TermId outer, TermId term, std::uint32_t variable) {
        if (m_bank.is(term, CoreOp::Let)) {
            return !m_uses.mentions(m_bank.child(term, 0), variable) &&
                   asContribution(outer, m_bank.child(term, 1), variable + 1);
        }
        const std::vector<TermId> pairs = pairsOf(m_bank, outer, term);
        return !pairs.empty() && std::ranges::all_of(pairs, [&](TermId pair) {
            return !m_uses.mentions(m_bank.child(pair, 0), variable) && asSummand(m_bank.child(pair, 1), variable);
        });
    }

private:
    const TermBank& m_bank;
    Uses& m_uses;
    TermId m_value;
    std::vector<std::uint32_t> m_seen;
};

/// Sums in the scope of a let that add nothing but parts of its variable to each other, each used there only.
class PartSums {
public:
    PartSums(const TermBank& bank, Uses& uses, TermId sparse, TermId body)
        : m_bank(bank),
          m_uses(uses),
          m_sparse(sparse),
          m_body(body) {
        for (std::size_t p = 0; p < bank.types().children(bank.type(sparse)).size(); ++p) m_first.push_back(p);
        visit(body, 0);
    }

    /// The first part of the sum in which a part is, or the part itself.
    [[nodiscard]] std::size_t firstOf(std::size_t part) const { return m_first[part]; }

private:
    void visit(TermId term, std::uint32_t variable) {
        if (m_bank.is(term, CoreOp::Lam) || !m_uses.mentions(term, variable)) return;
        std::vector<std::uint32_t> parts;
        if (is(m_bank, term, Op::TsAdd) && areParts(term, variable, parts)) {
            const std::uint32_t first = *std::ranges::min_element(parts);
            for (const std::uint32_t part : parts) m_first[part] = first;
            return;
        }
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            visit(m_bank.child(term, i), variable + m_bank.boundIn(term, i));
        }
    }

    bool areParts(TermId term, std::uint32_t variable, std::vector<std::uint32_t>& parts) const {
        if (is(m_bank, term, Op::TsAdd)) {
            return areParts(m_bank.child(term, 0), variable, parts) && areParts(m_bank.child(term, 1), variable, parts);
        }
        const std::optional<Part> part = partOf(m_bank, term, variable);
        if (!part || part->isElement || m_uses.countOfPart(m_body, 0, part->place) != 1) return false;
        parts.push_back(part->place);
        const auto& types = m_bank.types().children(m_bank.type(m_sparse));
        const std::optional<TermId> shape = shapeOf(m_bank, m_sparse, part->place);
        return shape && shape == shapeOf(m_bank, m_sparse, parts[0]) && types[part->place] == types[parts[0]];
    }

    const TermBank& m_bank;
    Uses& m_uses;
    TermId m_sparse;
    TermId m_body;
    std::vector<std::size_t> m_first;
};

/// Whether a variable occurs in tuples and sums alone.
bool hasPlainParts(const TermBank& bank, Uses& uses, TermId term, std::uint32_t variable) {
    if (!uses.mentions(term, variable) || partOf(bank, term, variable)) return true;
    if (!bank.is(term, CoreOp::Tuple) && !is(bank, term, Op::TsAdd)) return false;
    return std::ranges::all_of(bank.children(term),
                               [&](TermId child) { return hasPlainParts(bank, uses, child, variable); });
}

/// Whether a term makes vectors that can be added to other places by its own loop.
bool canScatterElsewhere(const TermBank& bank, TermId term, Op op) {
    if (!is(bank, term, op) || !bank.is(bank.child(term, 2), CoreOp::Lam)) return false;
    const TypeId type = bank.type(term);
    if (op == Op::BuildFromSparse) return bank.types().rank(type) == 1;
    return std::ranges::all_of(bank.types().children(type), [&](TypeId part) { return bank.types().rank(part) == 1; });
}

/// Whether a term makes a tuple whose parts can be added to other places where they are computed.
bool canAddElsewhere(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Let)) return canAddElsewhere(bank, bank.child(term, 1));
    if (is(bank, term, Op::If)) {
        const auto hasParts = [&](TermId branch) {
            const TermId below = belowLets(bank, branch);
            return (bank.is(below, CoreOp::Tuple) && bank.childCount(below) > 0) || canAddElsewhere(bank, below);
        };
        return bank.types().isTuple(bank.type(term)) && hasParts(bank.child(term, 1)) && hasParts(bank.child(term, 2));
    }
    if (bank.types().isTensor(bank.type(term)) && bank.types().rank(bank.type(term)) == 1)
        return is(bank, term, Op::DeltaVec) || canScatterElsewhere(bank, term, Op::BuildFromSparse);
    return canScatterElsewhere(bank, term, Op::BuildFromSparseTupled);
}

}  // namespace

bool FunctionLowerer::hasNumbers(TypeId type) const {
    if (m_types.isTuple(type)) {
        return std::ranges::any_of(m_types.children(type), [this](TypeId part) { return hasNumbers(part); });
    }
    return m_types.isTensor(type) ? hasNumbers(m_types.element(type)) : m_types.isNumeric(type);
}

ExpressionId FunctionLowerer::declareZeros(TermId sparse, std::size_t part, std::string_view hint) {
    const bool isTupled = is(m_bank, sparse, Op::BuildFromSparseTupled);
    const TypeId tensor = isTupled ? m_types.children(m_bank.type(sparse))[part] : m_bank.type(sparse);
    const TypeId element = m_types.element(tensor);
    const std::optional<TermId> shape = shapeOf(m_bank, sparse, part);
    const auto isShapeOf = [this](TermId term, TypeId of) {
        return is(m_bank, term, Op::Shape) && m_bank.type(m_bank.child(term, 0)) == of;
    };
    if (shape && isShapeOf(*shape, tensor)) {
        return variable(hint, tensor, zeroLike(tensor, stored(m_bank.child(*shape, 0), "shape")));
    }
    if (shape && is(m_bank, *shape, Op::ConstVec) && m_types.rank(tensor) == 1) {
        const TermId each = m_bank.child(*shape, 1);
        const ExpressionId size = sizeArgument(components(m_bank.child(*shape, 0), 1, false)[0]);
        if (isPlainLength(m_bank, *shape, isSummedFromZero(element))) {
            return variable(hint, tensor, filled(tensor, {size}), true);
        }
        if (isShapeOf(each, element)) {
            const ExpressionId like = stored(m_bank.child(each, 0), "shape");
            return variable(hint, tensor, filled(tensor, {size}, zeroLike(element, like)), true);
        }
    }
    const ExpressionId shapes = stored(shape ? *shape : m_bank.child(sparse, 0), "shapes");
    const TypeId all = m_bank.type(m_bank.child(sparse, 0));
    const TypeId shapeType = isTupled ? m_types.children(all)[part] : all;
    const bool isLike = m_types.isTensor(shapeType) && m_types.element(shapeType) == element;
    const ExpressionId one = shape ? shapes : this->part(shapes, static_cast<std::uint32_t>(part));
    return variable(hint, tensor, run(isLike ? Operation::ZeroLike : Operation::ZeroOf, tensor, {one}, tensor));
}

void FunctionLowerer::requireShape(TermId sparse, std::size_t part, const Target& target) {
    const bool isTupled = is(m_bank, sparse, Op::BuildFromSparseTupled);
    const TypeId tensor = isTupled ? m_types.children(m_bank.type(sparse))[part] : m_bank.type(sparse);
    const std::optional<TermId> shape = shapeOf(m_bank, sparse, part);
    if (!target.isOnlyElement && !isTupled && isKnown(target.place, sparse)) return;
    const bool isPlainElement = isSummedFromZero(m_types.element(tensor));
    if (!target.isOnlyElement && shape && isPlainLength(m_bank, *shape, isPlainElement)) {
        return requireLength(target.place, components(m_bank.child(*shape, 0), 1, false)[0]);
    }
    if (target.isOnlyElement && isScalar(m_types.element(tensor))) return;
    const TermId known = target.isOnlyElement ? m_bank.child(*shape, 1) : shape.value_or(m_bank.child(sparse, 0));
    ExpressionId expected = lower(known).expression;
    if (!target.isOnlyElement && !shape) expected = this->part(expected, static_cast<std::uint32_t>(part));
    const bool isPlain = !target.isOnlyElement && isScalar(m_types.element(tensor));
    // The shapes of vectors of vectors are vectors.
    const ExpressionId actual =
        isPlain ? sizeCode(target.place).expression : run(Operation::Shape, m_result.at(expected).type, {target.place});
    if (isPlain) expected = sizeCode(expected).expression;
    const ExpressionId condition = binary(Operator::Equal, m_types.boolean(), actual, expected);
    append(Require{condition, "the sizes of two vectors differ", false, true});
}

Binding FunctionLowerer::scattered(TermId term) {
    std::vector<Target> targets;
    Binding binding;
    for (std::size_t p = 0; p < m_types.children(m_bank.type(term)).size(); ++p) {
        targets.push_back({declareZeros(term, p, "scattered"), false});
        binding.parts.push_back(Binding{targets.back().place});
    }
    scatterInto(term, targets);
    return binding;
}

Binding FunctionLowerer::scattered(TermId sparse, TermId body) {
    const PartSums sums(m_bank, m_uses, sparse, body);
    std::vector<Target> targets;
    Binding binding;
    for (std::uint32_t p = 0; p < m_types.children(m_bank.type(sparse)).size(); ++p) {
        const std::size_t first = sums.firstOf(p);
        targets.push_back({first == p ? declareZeros(sparse, p, "scattered") : targets[first].place, false});
        Binding part{targets.back().place};
        part.isMovable = m_uses.countOfPart(body, 0, p) == 1;
        binding.parts.push_back(std::move(part));
    }
    scatterInto(sparse, targets);
    return binding;
}

Code FunctionLowerer::sparse(TermId term, std::string_view hint) {
    if (is(m_bank, term, Op::BuildFromSparse)) {
        const ExpressionId name = declareZeros(term, 0, hint.empty() ? "scattered" : hint);
        scatterInto(term, {{name, false}});
        return Code{name, Form::Local};
    }
    const Binding parts = scattered(term);
    std::vector<ExpressionId> all;
    for (const Binding& part : parts.parts) all.push_back(moved(part.expression));
    return Code{tuple(m_bank.type(term), std::move(all))};
}

void FunctionLowerer::scatterInto(TermId sparse, const std::vector<Target>& targets) {
    if (isUnrolled(m_bank, sparse)) {
        const std::int64_t count = m_bank.payload(m_bank.child(sparse, 1)).asInteger();
        for (std::int64_t k = 0; k < count; ++k) {
            m_bound.push_back(Binding{integer(k), {}, ir::ValueRange::exactly(static_cast<double>(k))});
            contribute(sparse, m_bank.child(m_bank.child(sparse, 2), 0), targets);
            m_bound.pop_back();
        }
        return;
    }
    const std::uint32_t rank = rankOfIndex(m_bank.type(m_bank.child(sparse, 1)));
    const std::vector<Code> sizes = components(m_bank.child(sparse, 1), rank, true);
    const Binding index = openLoops(sizes, m_bank.child(sparse, 2));
    if (isInPlace(sparse, 2)) {
        m_bound.push_back(index);
        contribute(sparse, m_bank.child(m_bank.child(sparse, 2), 0), targets);
        m_bound.pop_back();
    } else {
        const TypeId pairsType = m_types.children(m_bank.type(m_bank.child(sparse, 2)))[1];
        addContribution(sparse, declare("contribution", pairsType, inlined(sparse, 2, index)), targets);
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) closeLoop();
}

void FunctionLowerer::contribute(TermId sparse, TermId term, const std::vector<Target>& targets) {
    m_term = term;
    const Restored sign(m_isLess);
    if (m_bank.is(term, CoreOp::Let)) {
        const TermId value = m_bank.child(term, 0);
        const TermId rest = m_bank.child(term, 1);
        const bool isLater =
            canAddElsewhere(m_bank, value) && OnlyAdded(m_bank, m_uses, value).asContribution(sparse, rest, 0);
        const auto lowerRest = [&] { contribute(sparse, rest, targets); };
        return isLater ? addedLater(value, lowerRest) : boundFor(term, lowerRest);
    }
    if (is(m_bank, term, Op::If)) {
        return eitherWay(term, [&](TermId branch) { contribute(sparse, branch, targets); });
    }
    const std::vector<TermId> pairs = pairsOf(m_bank, sparse, term);
    if (pairs.empty()) {
        const Code code = lower(term, "contribution");
        const bool isStored = code.form != Form::Value;
        const ExpressionId pair = isStored ? code.expression : declare("contribution", m_bank.type(term), code);
        return addContribution(sparse, pair, targets);
    }
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const TermId summand = m_bank.child(pairs[p], 1);
        const TypeId element = m_bank.type(summand);
        if (!hasNumbers(element)) continue;
        const ExpressionId place = placeIn(targets[p], m_bank.child(pairs[p], 0));
        m_isLess = targets[p].isLess;
        addInto(summand, isScalar(element) ? place : reference(place, element));
    }
}

void FunctionLowerer::accumulate(ExpressionId place, ExpressionId value, bool isByParts) {
    const TypeId type = m_result.at(value).type;
    if (!m_isLess) return append(Accumulate{place, value, false, isByParts});
    if (type == m_types.floating()) return append(Accumulate{place, value, true});
    append(Accumulate{place, run(Operation::ScaleTangent, type, {floating(-1.0), value}), false, isByParts});
}

void FunctionLowerer::addContribution(TermId sparse, ExpressionId pairs, const std::vector<Target>& targets) {
    const bool isTupled = is(m_bank, sparse, Op::BuildFromSparseTupled);
    const Restored sign(m_isLess);
    for (std::size_t p = 0; p < targets.size(); ++p) {
        const TypeId tensor = isTupled ? m_types.children(m_bank.type(sparse))[p] : m_bank.type(sparse);
        if (!hasNumbers(m_types.element(tensor))) continue;
        const ExpressionId pair = isTupled ? part(pairs, static_cast<std::uint32_t>(p)) : pairs;
        const std::uint32_t rank = m_types.rank(tensor);
        std::vector<ExpressionId> at;
        for (std::uint32_t d = 0; d < rank; ++d) at.push_back(rank == 1 ? part(pair, 0) : part(part(pair, 0), d));
        m_isLess = targets[p].isLess;
        accumulate(element(targets[p].place, std::move(at), true), part(pair, 1), true);
    }
}

ExpressionId FunctionLowerer::placeIn(const Target& target, TermId at) {
    if (target.isOnlyElement) return target.place;
    return element(target.place, list(components(at, rankOfIndex(m_bank.type(at)), true)), true);
}

ExpressionId FunctionLowerer::reference(ExpressionId place, TypeId placeType) {
    const SymbolId made = symbol("total", placeType, Storage::Place);
    append(Declare{made, place});
    return name(made);
}

void FunctionLowerer::boundFor(TermId let, absl::FunctionRef<void()> lowerRest) {
    const bool isLess = std::exchange(m_isLess, false);
    bindValue(let, m_bank.child(let, 0), m_bank.child(let, 1));
    m_isLess = isLess;
    lowerRest();
    m_bound.pop_back();
}

bool FunctionLowerer::isAddedByRest(TermId term) const {
    if (!m_bank.is(term, CoreOp::Let)) return false;
    const TermId value = m_bank.child(term, 0);
    return canAddElsewhere(m_bank, value) && OnlyAdded(m_bank, m_uses, value).asSummand(m_bank.child(term, 1), 0);
}

bool FunctionLowerer::isAddedByStep(TermId sparse, TermId body) const {
    if (!canScatterElsewhere(m_bank, sparse, Op::BuildFromSparseTupled)) return false;
    OnlyAdded added(m_bank, m_uses, sparse);
    std::uint32_t variable = 0;
    for (; m_bank.is(body, CoreOp::Let); body = m_bank.child(body, 1), ++variable) {
        if (m_uses.mentions(m_bank.child(body, 0), variable)) return false;
    }
    const bool isPair = m_bank.is(body, CoreOp::Tuple) && m_bank.is(m_bank.child(body, 1), CoreOp::Tuple);
    return isPair && hasPlainParts(m_bank, m_uses, m_bank.child(body, 1), variable) && added.asSummand(body, variable);
}

const LaterSum* FunctionLowerer::laterOf(TermId term) const {
    if (isAddition(m_bank, term)) {
        const LaterSum* const first = laterOf(m_bank.child(term, 0));
        return first != nullptr ? first : laterOf(m_bank.child(term, 1));
    }
    for (const LaterSum& sum : m_later) {
        if (sum.depth >= m_bound.size()) continue;
        if (partOf(m_bank, term, static_cast<std::uint32_t>(m_bound.size() - 1 - sum.depth))) return &sum;
    }
    return nullptr;
}

ExpressionId FunctionLowerer::startOf(TermId term) {
    const TypeId startType = m_bank.type(term);
    if (m_bank.is(term, CoreOp::Tuple) && m_bank.childCount(term) > 0) {
        std::vector<ExpressionId> parts;
        for (const TermId child : m_bank.children(term)) parts.push_back(startOf(child));
        return tuple(startType, std::move(parts));
    }
    const LaterSum* const later = laterOf(term);
    if (later == nullptr) return consume(lower(term));
    TermId summand = term;
    std::optional<Part> part;
    while (!part) {
        const auto variable = static_cast<std::uint32_t>(m_bound.size() - 1 - later->depth);
        part = partOf(m_bank, summand, variable);
        if (!part) summand = m_bank.child(summand, laterOf(m_bank.child(summand, 0)) == later ? 0 : 1);
    }
    // The shape stands where the sparse build does.
    const TermId sparse = later->value;
    const std::vector<Binding> inner(m_bound.begin() + static_cast<std::ptrdiff_t>(later->depth), m_bound.end());
    m_bound.resize(later->depth);
    const ExpressionId zero = part->isElement ? zeroElement(sparse, part->place, startType)
                                              : moved(declareZeros(sparse, part->place, "zeros"));
    m_bound.insert(m_bound.end(), inner.begin(), inner.end());
    return zero;
}

ExpressionId FunctionLowerer::zeroElement(TermId sparse, std::size_t part, TypeId type) {
    const TermId each = m_bank.child(*shapeOf(m_bank, sparse, part), 1);
    if (is(m_bank, each, Op::Shape)) {
        const ExpressionId value = stored(m_bank.child(each, 0), "shape");
        if (m_bank.type(m_bank.child(each, 0)) == type) return zeroLike(type, value);
        const ExpressionId shape = run(Operation::Shape, m_bank.type(each), {value});
        return run(Operation::ZeroOf, type, {shape}, type);
    }
    if (m_bank.type(each) == m_types.unit()) return make(ExpressionKind::Empty, type);
    return run(Operation::ZeroOf, type, {lower(each).expression}, type);
}

void FunctionLowerer::addLaterParts(TermId term, ExpressionId target) {
    if (m_bank.is(term, CoreOp::Tuple)) {
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            addLaterParts(m_bank.child(term, i), part(target, i));
        }
    } else if (laterOf(term) != nullptr) {
        addInto(term, target);
    }
}

void FunctionLowerer::addedLater(TermId value, absl::FunctionRef<void()> lowerRest) {
    LaterSum sum{value, m_bound.size(), {}};
    const bool isTuple = m_types.isTuple(m_bank.type(value));
    sum.targets.resize(isTuple ? m_types.children(m_bank.type(value)).size() : 1);
    m_later.push_back(std::move(sum));
    m_bound.emplace_back();
    lowerRest();
    m_bound.pop_back();
    sum = std::move(m_later.back());
    m_later.pop_back();
    addPartsInto(value, sum.targets);
}

void FunctionLowerer::addPartsInto(TermId term, std::vector<Target> targets) {
    m_term = term;
    const Restored sign(m_isLess);
    if (m_bank.is(term, CoreOp::Let)) {
        const auto lowerRest = [&] { addPartsInto(m_bank.child(term, 1), targets); };
        return isAddedByRest(term) ? addedLater(m_bank.child(term, 0), lowerRest) : boundFor(term, lowerRest);
    }
    if (is(m_bank, term, Op::If)) {
        return eitherWay(term, [&](TermId branch) { addPartsInto(branch, targets); });
    }
    if (!m_types.isTuple(m_bank.type(term))) {
        if (!targets[0].place.isValid()) return;
        m_isLess = targets[0].isLess;
        return targets[0].isOnlyElement ? scatterInto(term, targets) : addInto(term, targets[0].place);
    }
    if (canScatterElsewhere(m_bank, term, Op::BuildFromSparseTupled)) {
        for (std::size_t p = 0; p < targets.size(); ++p) {
            if (targets[p].place.isValid()) {
                requireShape(term, p, targets[p]);
            } else {
                targets[p].place = declareZeros(term, p, "scattered");
            }
        }
        return scatterInto(term, targets);
    }
    const bool isTuple = m_bank.is(term, CoreOp::Tuple);
    const ExpressionId value = isTuple ? ExpressionId() : stored(term, "parts");
    for (std::uint32_t p = 0; p < targets.size(); ++p) {
        m_isLess = targets[p].isLess;
        if (!targets[p].place.isValid() || !hasNumbers(m_types.children(m_bank.type(term))[p])) continue;
        if (!isTuple) {
            const ExpressionId whole = part(value, p);
            const ExpressionId summand = targets[p].isOnlyElement ? element(whole, std::vector{integer(0)}) : whole;
            accumulate(targets[p].place, summand, true);
        } else if (targets[p].isOnlyElement) {
            scatterInto(m_bank.child(term, p), {targets[p]});
        } else {
            addInto(m_bank.child(term, p), targets[p].place);
        }
    }
}

bool FunctionLowerer::isAddedLater(TermId term, const ExpressionId* target) {
    for (LaterSum& sum : m_later) {
        if (sum.depth >= m_bound.size()) continue;
        const std::optional<Part> part =
            partOf(m_bank, term, static_cast<std::uint32_t>(m_bound.size() - 1 - sum.depth));
        if (!part) continue;
        if (target != nullptr) sum.targets[part->place] = {*target, part->isElement, m_isLess};
        return true;
    }
    return false;
}

void FunctionLowerer::eitherWay(TermId conditional, absl::FunctionRef<void(TermId)> lowerBranch) {
    const ExpressionId condition = lower(m_bank.child(conditional, 0)).expression;
    Block then = inBlock([&] { lowerBranch(m_bank.child(conditional, 1)); });
    Block otherwise = inBlock([&] { lowerBranch(m_bank.child(conditional, 2)); });
    const bool isOnlyOtherwise = then.isEmpty() && !otherwise.isEmpty();
    const TypeId truth = m_types.boolean();
    if (isOnlyOtherwise) return append(If{unary(Operator::Not, truth, condition), std::move(otherwise)});
    append(If{condition, std::move(then), std::move(otherwise)});
}

void FunctionLowerer::addInto(TermId term, ExpressionId target) {
    m_term = term;
    const Restored sign(m_isLess);
    const bool isOnlyNamed = m_bank.is(term, CoreOp::Let) && m_bank.is(m_bank.child(term, 1), CoreOp::Bound) &&
                             m_bank.payload(m_bank.child(term, 1)).asIndex() == 0;
    if (isOnlyNamed) return addInto(m_bank.child(term, 0), target);
    if (isAddedLater(term, &target)) return;
    if (m_bank.is(term, CoreOp::Let) && !isScalar(m_bank.type(term))) {
        const auto lowerRest = [&] { addInto(m_bank.child(term, 1), target); };
        return isAddedByRest(term) ? addedLater(m_bank.child(term, 0), lowerRest) : boundFor(term, lowerRest);
    }
    // x + 0.0 is x, since sums begin with 0.0, which is not -0.0.
    if (m_bank.is(term, CoreOp::Literal) && isZero(m_bank, term)) return;
    if (m_bank.is(term, CoreOp::Get) && canAddElsewhere(m_bank, m_bank.child(term, 0))) {
        const TermId whole = m_bank.child(term, 0);
        std::vector<Target> targets(m_types.children(m_bank.type(whole)).size());
        targets[m_bank.payload(term).projectionIndex()] = {target, false, m_isLess};
        return addPartsInto(whole, std::move(targets));
    }
    if (m_bank.is(term, CoreOp::Tuple)) {
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            if (hasNumbers(m_bank.type(m_bank.child(term, i)))) addInto(m_bank.child(term, i), part(target, i));
        }
        return;
    }
    if (!isScalar(m_bank.type(term)) && addInLoops(term, target)) return;
    if (isScalar(m_bank.type(term)) && isAddition(m_bank, term) && laterOf(term) != nullptr) {
        for (const TermId summand : {m_bank.child(term, 0), m_bank.child(term, 1)}) addInto(summand, target);
        return;
    }
    if (isScalar(m_bank.type(term)) && isAddition(m_bank, term)) {
        for (const std::uint32_t zero : {0U, 1U}) {
            if (isSumOfZeros(m_bank, m_bank.child(term, zero))) return addInto(m_bank.child(term, 1 - zero), target);
        }
    }
    accumulate(target, lower(term, "term").expression);
}

bool FunctionLowerer::addInLoops(TermId term, ExpressionId target) {
    const TypeId sumType = m_bank.type(term);
    if (is(m_bank, term, Op::If)) {
        if (!addSumOrZero(term, target)) eitherWay(term, [&](TermId branch) { addInto(branch, target); });
        return true;
    }
    if (is(m_bank, term, Op::TsAdd) && m_bank.type(m_bank.child(term, 1)) == sumType && !isPointwiseAlone(term)) {
        addInto(m_bank.child(term, 0), target);
        addInto(m_bank.child(term, 1), target);
        return true;
    }
    if (isNegative(m_bank, term) && !isPointwiseAlone(term)) {
        m_isLess = !m_isLess;
        addInto(m_bank.child(term, 0), target);
        return true;
    }
    if (pointwiseOperations(term) > 0) {
        addPointwise(term, target);
        return true;
    }
    if (is(m_bank, term, Op::Sumbuild) && isInPlace(term, 1)) {
        addSumbuild(term, target, false);
        return true;
    }
    const bool isVector = m_types.isTensor(sumType) && m_types.rank(sumType) == 1;
    if (isVector && isZero(m_bank, term)) {
        if (!isKnown(target, term)) requireLength(target, components(m_bank.child(term, 0), 1, false)[0]);
        return true;
    }
    if (is(m_bank, term, Op::Build) && isVector) {
        const std::vector<Code> sizes = components(m_bank.child(term, 0), 1, true);
        requireLength(target, sizes[0]);
        fillBuild(term, target, sizes, true);
        return true;
    }
    if (is(m_bank, term, Op::DeltaVec) && isVector) {
        addDeltaVec(term, target);
        return true;
    }
    if (isAddingCall(term) && !m_isLess) {
        append(Accumulate{target, calling(term, true)});
        return true;
    }
    if (is(m_bank, term, Op::VecInit) && isVector) {
        addElements(term, target);
        return true;
    }
    if (canScatterElsewhere(m_bank, term, Op::BuildFromSparse)) {
        requireShape(term, 0, {target, false});
        scatterInto(term, {{target, false, m_isLess}});
        return true;
    }
    return false;
}

void FunctionLowerer::addDeltaVec(TermId term, ExpressionId target) {
    const Code size = components(m_bank.child(term, 0), 1, true)[0];
    const Code at = components(m_bank.child(term, 1), 1, true)[0];
    requireLength(target, size);
    const TermId summand = m_bank.child(term, 2);
    const TypeId summandType = m_bank.type(summand);
    if (!hasNumbers(summandType)) return;
    const TypeId truth = m_types.boolean();
    const bool isInside = at.range.isNonnegative() && at.range.high < size.range.low;
    const ExpressionId place = element(target, std::vector{at.expression}, !isInside);
    const auto addSummand = [&] { addInto(summand, isScalar(summandType) ? place : reference(place, summandType)); };
    if (isInside) return addSummand();
    ExpressionId exists = binary(Operator::Less, truth, at.expression, size.expression);
    if (!at.range.isNonnegative()) exists = binary(Operator::And, truth, isAtLeast(at, 0), exists);
    if (!facts::Analysis(m_bank).isTotal(summand)) {
        // It fails wherever the index is.
        const ExpressionId value = declare("e", summandType, lower(summand));
        return append(If{exists, inBlock([&] { accumulate(place, value, true); })});
    }
    append(If{exists, inBlock(addSummand)});
}

void FunctionLowerer::addElements(TermId term, ExpressionId target) {
    requireLength(target, Code{integer(static_cast<std::int64_t>(m_bank.childCount(term))), Form::Value, true});
    const TypeId type = m_types.element(m_bank.type(term));
    if (!hasNumbers(type)) return;
    for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
        const ExpressionId place = element(target, std::vector{integer(i)});
        addInto(m_bank.child(term, i), isScalar(type) ? place : reference(place, type));
    }
}

void FunctionLowerer::inlinedAdded(TermId term, std::uint32_t child, Binding argument, ExpressionId target) {
    if (!isInPlace(term, child)) {
        const Code value = inlined(term, child, std::move(argument));
        return accumulate(target, value.expression, true);
    }
    const TermId summand = m_bank.child(m_bank.child(term, child), 0);
    const TypeId type = m_bank.type(summand);
    m_bound.push_back(std::move(argument));
    addInto(summand, isScalar(type) ? target : reference(target, type));
    m_bound.pop_back();
}

}  // namespace mitos::loops
