// SPDX-License-Identifier: GPL-3.0-or-later
// Sparse builds, and sums into places that exist already: the gradient of a loop adds to the gradients of what the loop reads, and makes no
// tensor for each iteration.
#include "core/codegen/internal/emitter.h"
#include "core/codegen/internal/shapes.h"
#include "core/facts/analysis.h"
#include "core/ir/binding.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace mitos::codegen {

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

/// Whether a tensor of a sparse build is a vector of one element, and every summand goes to it.
bool hasOneElement(const TermBank& bank, TermId sparse, std::size_t part) {
    const std::optional<TermId> shape = shapeOf(bank, sparse, part);
    if (!shape || !is(bank, *shape, Op::ConstVec) || !isInteger(bank, bank.child(*shape, 0), 1)) return false;
    const std::vector<TermId> pairs = pairsOf(bank, sparse, belowLets(bank, bank.child(bank.child(sparse, 2), 0)));
    return part < pairs.size() && isInteger(bank, bank.child(pairs[part], 0), 0);
}

/// A part of the value of a bound variable: get$k, or the first element of that.
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
    if (!bank.is(term, CoreOp::Get)) return std::nullopt;
    const TermId tuple = bank.child(term, 0);
    if (!bank.is(tuple, CoreOp::Bound) || bank.payload(tuple).asIndex() != variable) return std::nullopt;
    part.place = bank.payload(term).projectionIndex();
    return part;
}

/// Whether the tensors of a sparse build bound by a let are only added to something, each once at most.
class OnlyAdded {
public:
    OnlyAdded(const TermBank& bank, TermId sparse) : m_bank(bank), m_sparse(sparse) {}

    /// `variable` is the let's variable in the scope of a term whose value is added up.
    bool asSummand(TermId term, std::uint32_t variable) {
        if (!ir::mentions(m_bank, term, variable)) return true;
        if (m_bank.is(term, CoreOp::Let)) {
            return !ir::mentions(m_bank, m_bank.child(term, 0), variable) &&
                   asSummand(m_bank.child(term, 1), variable + 1);
        }
        if (const std::optional<Part> part = partOf(m_bank, term, variable)) {
            const bool isFirst = std::ranges::find(m_seen, part->place) == m_seen.end();
            m_seen.push_back(part->place);
            return isFirst && (!part->isElement || hasOneElement(m_bank, m_sparse, part->place));
        }
        const bool isSum = is(m_bank, term, Op::TsAdd) && m_bank.type(m_bank.child(term, 1)) == m_bank.type(term);
        if (!isSum && !m_bank.is(term, CoreOp::Tuple)) return false;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            if (!asSummand(m_bank.child(term, i), variable)) return false;
        }
        return true;
    }

    /// The same for what an iteration of the sparse build `outer` makes.
    bool asContribution(TermId outer, TermId term, std::uint32_t variable) {
        if (m_bank.is(term, CoreOp::Let)) {
            return !ir::mentions(m_bank, m_bank.child(term, 0), variable) &&
                   asContribution(outer, m_bank.child(term, 1), variable + 1);
        }
        const std::vector<TermId> pairs = pairsOf(m_bank, outer, term);
        return !pairs.empty() && std::ranges::all_of(pairs, [&](TermId pair) {
            return !ir::mentions(m_bank, m_bank.child(pair, 0), variable) && asSummand(m_bank.child(pair, 1), variable);
        });
    }

private:
    const TermBank& m_bank;
    TermId m_sparse;
    std::vector<std::uint32_t> m_seen;
};

/// Sums in the scope of a let that add nothing but parts of its variable to each other, each used there only.
class PartSums {
public:
    PartSums(const TermBank& bank, TermId sparse, TermId body) : m_bank(bank), m_sparse(sparse), m_body(body) {
        for (std::size_t p = 0; p < bank.types().children(bank.type(sparse)).size(); ++p) m_first.push_back(p);
        visit(body, 0);
    }

    /// The first part of the sum in which a part is, or the part itself.
    [[nodiscard]] std::size_t firstOf(std::size_t part) const { return m_first[part]; }

private:
    void visit(TermId term, std::uint32_t variable) {
        if (m_bank.is(term, CoreOp::Lam) || !ir::mentions(m_bank, term, variable)) return;
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
        if (!part || part->isElement || usesOf(m_bank, m_body, 0, part->place) != 1) return false;
        parts.push_back(part->place);
        const auto& types = m_bank.types().children(m_bank.type(m_sparse));
        const std::optional<TermId> shape = shapeOf(m_bank, m_sparse, part->place);
        return shape && shape == shapeOf(m_bank, m_sparse, parts[0]) && types[part->place] == types[parts[0]];
    }

    const TermBank& m_bank;
    TermId m_sparse;
    TermId m_body;
    std::vector<std::size_t> m_first;
};

/// Whether a variable occurs in tuples and sums alone.
bool hasPlainParts(const TermBank& bank, TermId term, std::uint32_t variable) {
    if (!ir::mentions(bank, term, variable) || partOf(bank, term, variable)) return true;
    if (!bank.is(term, CoreOp::Tuple) && !is(bank, term, Op::TsAdd)) return false;
    return std::ranges::all_of(bank.children(term), [&](TermId child) { return hasPlainParts(bank, child, variable); });
}

/// Whether a term makes vectors that can be added to other places by its own loop.
bool canScatterElsewhere(const TermBank& bank, TermId term, Op op) {
    if (!is(bank, term, op) || !bank.is(bank.child(term, 2), CoreOp::Lam)) return false;
    const TypeId type = bank.type(term);
    if (op == Op::BuildFromSparse) return bank.types().rank(type) == 1;
    return std::ranges::all_of(bank.types().children(type), [&](TypeId part) { return bank.types().rank(part) == 1; });
}

}  // namespace

bool FunctionEmitter::hasNumbers(TypeId type) const {
    if (m_types.isTuple(type)) {
        return std::ranges::any_of(m_types.children(type), [this](TypeId part) { return hasNumbers(part); });
    }
    return m_types.isTensor(type) ? hasNumbers(m_types.element(type)) : m_types.isNumeric(type);
}

std::string FunctionEmitter::declareZeros(TermId sparse, std::size_t part, std::string_view hint) {
    const bool isTupled = is(m_bank, sparse, Op::BuildFromSparseTupled);
    const TypeId tensor = isTupled ? m_types.children(m_bank.type(sparse))[part] : m_bank.type(sparse);
    const TypeId element = m_types.element(tensor);
    const std::string cpp = type(tensor);
    const std::optional<TermId> shape = shapeOf(m_bank, sparse, part);
    const auto isShapeOf = [this](TermId term, TypeId of) {
        return is(m_bank, term, Op::Shape) && m_bank.type(m_bank.child(term, 0)) == of;
    };
    const auto zerosLike = [this](const std::string& cppType, const std::string& value) {
        m_helpers.need("zeroLike");
        return fmt::format("ks::zeroLike<{}>({})", cppType, value);
    };
    std::string zeros;
    if (shape && isShapeOf(*shape, tensor)) {
        zeros = " = " + zerosLike(cpp, stored(m_bank.child(*shape, 0), "shape"));
    } else if (shape && is(m_bank, *shape, Op::ConstVec) && m_types.rank(tensor) == 1) {
        const TermId each = m_bank.child(*shape, 1);
        const std::string size = sizeArgument(components(m_bank.child(*shape, 0), 1, false)[0]);
        if (isPlainLength(m_bank, *shape, isSummedFromZero(element))) {
            zeros = fmt::format("({})", size);
        } else if (isShapeOf(each, element)) {
            const std::string like = stored(m_bank.child(each, 0), "shape");
            zeros = fmt::format("({}, {})", size, zerosLike(type(element), like));
        }
    }
    if (zeros.empty()) {
        const std::string shapes = stored(shape ? *shape : m_bank.child(sparse, 0), "shapes");
        const TypeId all = m_bank.type(m_bank.child(sparse, 0));
        const TypeId shapeType = isTupled ? m_types.children(all)[part] : all;
        const bool isLike = m_types.element(shapeType) == element;
        const std::string one = shape ? shapes : fmt::format("std::get<{}>({})", part, shapes);
        const char* helper = isLike ? "zeroLike" : "zeroOf";
        m_helpers.need(helper);
        zeros = fmt::format(" = ks::{}<{}>({})", helper, cpp, one);
    }
    const std::string name = m_scope.declare(hint);
    line(fmt::format("{} {}{};", cpp, name, zeros));
    return name;
}

void FunctionEmitter::requireShape(TermId sparse, std::size_t part, const Target& target) {
    const bool isTupled = is(m_bank, sparse, Op::BuildFromSparseTupled);
    const TypeId tensor = isTupled ? m_types.children(m_bank.type(sparse))[part] : m_bank.type(sparse);
    const std::optional<TermId> shape = shapeOf(m_bank, sparse, part);
    if (!target.isOnlyElement && !isTupled && isKnown(target.text, sparse)) return;
    const char* otherwise = "the sizes of two vectors differ";
    const bool isPlainElement = isSummedFromZero(m_types.element(tensor));
    if (!target.isOnlyElement && shape && isPlainLength(m_bank, *shape, isPlainElement)) {
        return requireLength(target.text, components(m_bank.child(*shape, 0), 1, false)[0]);
    }
    if (target.isOnlyElement && isScalar(m_types.element(tensor))) return;
    const TermId known = target.isOnlyElement ? m_bank.child(*shape, 1) : shape.value_or(m_bank.child(sparse, 0));
    std::string expected = wrapped(emit(known), Primary);
    if (!target.isOnlyElement && !shape) expected = fmt::format("std::get<{}>({})", part, expected);
    const bool isPlain = !target.isOnlyElement && isScalar(m_types.element(tensor));
    // The shapes of vectors of vectors are vectors.
    const std::string condition = fmt::format("{} == {}", ksCall(isPlain ? "size" : "shape", target.text),
                                              isPlain ? ksCall("size", expected) : expected);
    line(ksCall("requireThat", fmt::format("[&] {{ return {}; }}, \"{}\"", condition, otherwise)) + ";");
}

Binding FunctionEmitter::scattered(TermId term) {
    std::vector<Target> targets;
    Binding binding;
    for (std::size_t p = 0; p < m_types.children(m_bank.type(term)).size(); ++p) {
        targets.push_back({declareZeros(term, p, "scattered"), false});
        binding.parts.push_back(Binding{targets.back().text, {}});
    }
    scatterInto(term, targets);
    return binding;
}

Binding FunctionEmitter::scattered(TermId sparse, TermId body) {
    const PartSums sums(m_bank, sparse, body);
    std::vector<Target> targets;
    Binding binding;
    for (std::uint32_t p = 0; p < m_types.children(m_bank.type(sparse)).size(); ++p) {
        const std::size_t first = sums.firstOf(p);
        targets.push_back({first == p ? declareZeros(sparse, p, "scattered") : targets[first].text, false});
        Binding part{targets.back().text, {}};
        part.isMovable = usesOf(m_bank, body, 0, p) == 1;
        binding.parts.push_back(std::move(part));
    }
    scatterInto(sparse, targets);
    return binding;
}

Code FunctionEmitter::sparse(TermId term, std::string_view hint) {
    if (is(m_bank, term, Op::BuildFromSparse)) {
        const std::string name = declareZeros(term, 0, hint.empty() ? "scattered" : hint);
        scatterInto(term, {{name, false}});
        return Code{name, Primary, Form::Local};
    }
    const Binding parts = scattered(term);
    std::vector<std::string> moved;
    for (const Binding& part : parts.parts) moved.push_back("std::move(" + part.text + ")");
    m_helpers.needHeader("utility");
    return Code{fmt::format("{}({})", type(m_bank.type(term)), list(moved))};
}

void FunctionEmitter::scatterInto(TermId sparse, const std::vector<Target>& targets) {
    const TypeId indexType = m_bank.type(m_bank.child(sparse, 1));
    const std::uint32_t rank =
        m_types.isTuple(indexType) ? static_cast<std::uint32_t>(m_types.children(indexType).size()) : 1;
    if (isUnrolled(m_bank, sparse)) {
        const std::int64_t count = m_bank.payload(m_bank.child(sparse, 1)).asInteger();
        for (std::int64_t k = 0; k < count; ++k) {
            m_bound.push_back(Binding{fmt::format("{}", k), {}, ir::ValueRange::exactly(static_cast<double>(k))});
            contribute(sparse, m_bank.child(m_bank.child(sparse, 2), 0), targets);
            m_bound.pop_back();
        }
        return;
    }
    const std::vector<Code> sizes = components(m_bank.child(sparse, 1), rank, true);
    const Binding index = openLoops(sizes, m_bank.child(sparse, 2));
    if (isInPlace(sparse, 2)) {
        m_bound.push_back(index);
        contribute(sparse, m_bank.child(m_bank.child(sparse, 2), 0), targets);
        m_bound.pop_back();
    } else {
        const Code pairs = inlined(sparse, 2, index);
        addContribution(
            sparse, declare("contribution", m_types.children(m_bank.type(m_bank.child(sparse, 2)))[1], pairs), targets);
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) close();
}

void FunctionEmitter::contribute(TermId sparse, TermId term, const std::vector<Target>& targets) {
    if (m_bank.is(term, CoreOp::Let)) {
        const TermId value = m_bank.child(term, 0);
        const TermId rest = m_bank.child(term, 1);
        const bool isLater = canScatterElsewhere(m_bank, value, Op::BuildFromSparseTupled) &&
                             OnlyAdded(m_bank, value).asContribution(sparse, rest, 0);
        const auto emitRest = [&] { contribute(sparse, rest, targets); };
        return isLater ? addedLater(value, emitRest) : boundFor(term, emitRest);
    }
    if (is(m_bank, term, Op::If)) {
        return eitherWay(term, [&](TermId branch) { contribute(sparse, branch, targets); });
    }
    const std::vector<TermId> pairs = pairsOf(m_bank, sparse, term);
    if (pairs.empty()) {
        const Code code = emit(term, "contribution");
        const std::string pair =
            code.form == Form::Value ? declare("contribution", m_bank.type(term), code) : code.text;
        return addContribution(sparse, pair, targets);
    }
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const TermId summand = m_bank.child(pairs[p], 1);
        const TypeId element = m_bank.type(summand);
        if (!hasNumbers(element)) continue;
        const std::string place = placeIn(targets[p], m_bank.child(pairs[p], 0));
        addInto(summand, isScalar(element) ? place : reference(place, element));
    }
}

void FunctionEmitter::addContribution(TermId sparse, const std::string& pairs, const std::vector<Target>& targets) {
    const bool isTupled = is(m_bank, sparse, Op::BuildFromSparseTupled);
    for (std::size_t p = 0; p < targets.size(); ++p) {
        const TypeId tensor = isTupled ? m_types.children(m_bank.type(sparse))[p] : m_bank.type(sparse);
        if (!hasNumbers(m_types.element(tensor))) continue;
        const std::string pair = isTupled ? fmt::format("std::get<{}>({})", p, pairs) : pairs;
        const std::uint32_t rank = m_types.rank(tensor);
        std::vector<std::string> at;
        for (std::uint32_t d = 0; d < rank; ++d) at.push_back(fmt::format("std::get<{}>(std::get<0>({}))", d, pair));
        const std::string place = rank == 1 ? ksCall("at", fmt::format("{}, std::get<0>({})", targets[p].text, pair))
                                            : fmt::format("{}({})", targets[p].text, list(at));
        line(ksCall("addTo", fmt::format("{}, std::get<1>({})", place, pair)) + ";");
    }
}

std::string FunctionEmitter::placeIn(const Target& target, TermId at) {
    if (target.isOnlyElement) return target.text;
    const TypeId indexType = m_bank.type(at);
    const std::uint32_t rank =
        m_types.isTuple(indexType) ? static_cast<std::uint32_t>(m_types.children(indexType).size()) : 1;
    const std::vector<Code> indices = components(at, rank, true);
    return rank == 1 ? ksCall("at", fmt::format("{}, {}", target.text, indices[0].text))
                     : fmt::format("{}({})", target.text, list(indices));
}

std::string FunctionEmitter::reference(const std::string& place, TypeId placeType) {
    const std::string name = m_scope.declare("total");
    line(fmt::format("{}& {} = {};", type(placeType), name, place));
    return name;
}

void FunctionEmitter::boundFor(TermId let, absl::FunctionRef<void()> emitRest) {
    bindValue(let, m_bank.child(let, 0), m_bank.child(let, 1));
    emitRest();
    m_bound.pop_back();
}

bool FunctionEmitter::isAddedByRest(TermId term) const {
    if (!m_bank.is(term, CoreOp::Let)) return false;
    const TermId value = m_bank.child(term, 0);
    return canScatterElsewhere(m_bank, value, Op::BuildFromSparseTupled) &&
           OnlyAdded(m_bank, value).asSummand(m_bank.child(term, 1), 0);
}

bool FunctionEmitter::isAddedByStep(TermId sparse, TermId body) const {
    if (!canScatterElsewhere(m_bank, sparse, Op::BuildFromSparseTupled)) return false;
    OnlyAdded added(m_bank, sparse);
    std::uint32_t variable = 0;
    for (; m_bank.is(body, CoreOp::Let); body = m_bank.child(body, 1), ++variable) {
        if (ir::mentions(m_bank, m_bank.child(body, 0), variable)) return false;
    }
    const bool isPair = m_bank.is(body, CoreOp::Tuple) && m_bank.is(m_bank.child(body, 1), CoreOp::Tuple);
    return isPair && hasPlainParts(m_bank, m_bank.child(body, 1), variable) && added.asSummand(body, variable);
}

const LaterSum* FunctionEmitter::laterOf(TermId term) const {
    if (is(m_bank, term, Op::TsAdd)) {
        const LaterSum* const first = laterOf(m_bank.child(term, 0));
        return first != nullptr ? first : laterOf(m_bank.child(term, 1));
    }
    for (const LaterSum& sum : m_later) {
        if (sum.depth >= m_bound.size()) continue;
        if (partOf(m_bank, term, static_cast<std::uint32_t>(m_bound.size() - 1 - sum.depth))) return &sum;
    }
    return nullptr;
}

std::string FunctionEmitter::startOf(TermId term) {
    const TypeId startType = m_bank.type(term);
    if (m_bank.is(term, CoreOp::Tuple) && m_bank.childCount(term) > 0) {
        std::vector<std::string> parts;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) parts.push_back(startOf(m_bank.child(term, i)));
        return fmt::format("{}({})", type(startType), list(parts));
    }
    const LaterSum* const later = laterOf(term);
    if (later == nullptr) return consume(emit(term));
    TermId summand = term;
    std::optional<Part> part;
    while (!part) {
        const auto variable = static_cast<std::uint32_t>(m_bound.size() - 1 - later->depth);
        part = partOf(m_bank, summand, variable);
        if (!part) summand = m_bank.child(summand, laterOf(m_bank.child(summand, 0)) == later ? 0 : 1);
    }
    // The shape stands where the sparse build does.
    const TermId sparse = later->sparse;
    const std::vector<Binding> inner(m_bound.begin() + static_cast<std::ptrdiff_t>(later->depth), m_bound.end());
    m_bound.resize(later->depth);
    std::string zero;
    if (!part->isElement) {
        zero = fmt::format("std::move({})", declareZeros(sparse, part->place, "zeros"));
        m_helpers.needHeader("utility");
    } else if (const TermId each = m_bank.child(*shapeOf(m_bank, sparse, part->place), 1);
               is(m_bank, each, Op::Shape)) {
        const bool isOfValue = m_bank.type(m_bank.child(each, 0)) == startType;
        const std::string value = stored(m_bank.child(each, 0), "shape");
        m_helpers.need(isOfValue ? "zeroLike" : "zeroOf");
        zero = isOfValue ? fmt::format("ks::zeroLike<{}>({})", type(startType), value)
                         : fmt::format("ks::zeroOf<{}>(ks::shape({}))", type(startType), value);
        if (!isOfValue) m_helpers.need("shape");
    } else if (m_bank.type(each) == m_types.unit()) {
        zero = type(startType) + "{}";
    } else {
        m_helpers.need("zeroOf");
        zero = fmt::format("ks::zeroOf<{}>({})", type(startType), emit(each).text);
    }
    m_bound.insert(m_bound.end(), inner.begin(), inner.end());
    return zero;
}

void FunctionEmitter::addLaterParts(TermId term, const std::string& target) {
    if (m_bank.is(term, CoreOp::Tuple)) {
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            addLaterParts(m_bank.child(term, i), fmt::format("std::get<{}>({})", i, target));
        }
    } else if (laterOf(term) != nullptr) {
        addInto(term, target);
    }
}

void FunctionEmitter::addedLater(TermId sparse, absl::FunctionRef<void()> emitRest) {
    LaterSum sum{sparse, m_bound.size(), {}};
    sum.targets.resize(m_types.children(m_bank.type(sparse)).size());
    m_later.push_back(std::move(sum));
    m_bound.emplace_back();
    emitRest();
    m_bound.pop_back();
    sum = std::move(m_later.back());
    m_later.pop_back();
    for (std::size_t p = 0; p < sum.targets.size(); ++p) {
        if (sum.targets[p].text.empty()) {
            sum.targets[p].text = declareZeros(sparse, p, "scattered");
        } else {
            requireShape(sparse, p, sum.targets[p]);
        }
    }
    scatterInto(sparse, sum.targets);
}

bool FunctionEmitter::isAddedLater(TermId term, const std::string* target) {
    for (LaterSum& sum : m_later) {
        if (sum.depth >= m_bound.size()) continue;
        const std::optional<Part> part =
            partOf(m_bank, term, static_cast<std::uint32_t>(m_bound.size() - 1 - sum.depth));
        if (!part) continue;
        if (target != nullptr) sum.targets[part->place] = {*target, part->isElement};
        return true;
    }
    return false;
}

void FunctionEmitter::eitherWay(TermId conditional, absl::FunctionRef<void(TermId)> emitBranch) {
    open(fmt::format("if ({})", emit(m_bank.child(conditional, 0)).text));
    emitBranch(m_bank.child(conditional, 1));
    close();
    const std::string before = m_out;
    open("else");
    const std::size_t inside = m_out.size();
    emitBranch(m_bank.child(conditional, 2));
    const bool isEmpty = m_out.size() == inside;
    close();
    if (isEmpty) m_out = before;
}

void FunctionEmitter::addInto(TermId term, const std::string& target) {
    const TypeId sumType = m_bank.type(term);
    if (isAddedLater(term, &target)) return;
    if (m_bank.is(term, CoreOp::Let) && !isScalar(sumType)) {
        const auto emitRest = [&] { addInto(m_bank.child(term, 1), target); };
        return isAddedByRest(term) ? addedLater(m_bank.child(term, 0), emitRest) : boundFor(term, emitRest);
    }
    if (m_bank.is(term, CoreOp::Tuple)) {
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            if (!hasNumbers(m_bank.type(m_bank.child(term, i)))) continue;
            addInto(m_bank.child(term, i), fmt::format("std::get<{}>({})", i, target));
        }
        return;
    }
    if (!isScalar(sumType)) {
        if (is(m_bank, term, Op::If)) {
            if (addSumOrZero(term, target)) return;
            return eitherWay(term, [&](TermId branch) { addInto(branch, target); });
        }
        if (is(m_bank, term, Op::TsAdd) && m_bank.type(m_bank.child(term, 1)) == sumType && !isPointwiseAlone(term)) {
            addInto(m_bank.child(term, 0), target);
            return addInto(m_bank.child(term, 1), target);
        }
        if (pointwiseOperations(term) > 0) return addPointwise(term, target);
        if (is(m_bank, term, Op::Sumbuild) && isInPlace(term, 1)) return addSumbuild(term, target, false);
        if (m_types.isTensor(sumType) && m_types.rank(sumType) == 1 && isZero(m_bank, term)) {
            if (isKnown(target, term)) return;
            return requireLength(target, components(m_bank.child(term, 0), 1, false)[0]);
        }
        if (is(m_bank, term, Op::Build) && m_types.rank(sumType) == 1) {
            const std::vector<Code> sizes = components(m_bank.child(term, 0), 1, true);
            requireLength(target, sizes[0]);
            return fillBuild(term, target, sizes, true);
        }
        if (is(m_bank, term, Op::DeltaVec) && m_types.rank(sumType) == 1) return addDeltaVec(term, target);
        if (canScatterElsewhere(m_bank, term, Op::BuildFromSparse)) {
            requireShape(term, 0, {target, false});
            return scatterInto(term, {{target, false}});
        }
    }
    const Code code = emit(term, "term");
    if (sumType == m_types.floating()) return line(fmt::format("{} += {};", target, code.text));
    if (sumType == m_types.integer()) {
        return line(fmt::format("{} = {};", target, ksCall("plus", target + ", " + code.text)));
    }
    line(ksCall("addTo", fmt::format("{}, {}", target, code.text)) + ";");
}

void FunctionEmitter::addDeltaVec(TermId term, const std::string& target) {
    const Code size = components(m_bank.child(term, 0), 1, true)[0];
    const Code at = components(m_bank.child(term, 1), 1, true)[0];
    requireLength(target, size);
    const TermId summand = m_bank.child(term, 2);
    const TypeId summandType = m_bank.type(summand);
    if (!hasNumbers(summandType)) return;
    const std::string place = ksCall("at", fmt::format("{}, {}", target, at.text));
    std::string exists = fmt::format("{} < {}", wrapped(at, Additive), wrapped(size, Additive));
    if (!at.range.isNonnegative()) exists = fmt::format("{} >= 0 && {}", wrapped(at, Additive), exists);
    if (!facts::Analysis(m_bank).isTotal(summand)) {
        // It fails wherever the index is.
        const std::string value = declare("e", summandType, emit(summand));
        open(fmt::format("if ({})", exists));
        line(ksCall("addTo", fmt::format("{}, {}", place, value)) + ";");
        return close();
    }
    open(fmt::format("if ({})", exists));
    addInto(summand, isScalar(summandType) ? place : reference(place, summandType));
    close();
}

void FunctionEmitter::inlinedAdded(TermId term, std::uint32_t child, Binding argument, const std::string& target) {
    if (!isInPlace(term, child)) {
        const Code value = inlined(term, child, std::move(argument));
        return line(ksCall("addTo", fmt::format("{}, {}", target, value.text)) + ";");
    }
    const TermId summand = m_bank.child(m_bank.child(term, child), 0);
    const TypeId type = m_bank.type(summand);
    m_bound.push_back(std::move(argument));
    addInto(summand, isScalar(type) ? target : reference(target, type));
    m_bound.pop_back();
}

}  // namespace mitos::codegen
