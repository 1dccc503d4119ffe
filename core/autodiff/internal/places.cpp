// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/places.h"

#include "core/autodiff/internal/simplify.h"
#include "core/base/number_text.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>

namespace mitos::autodiff {

using ir::TermId;
using ir::TypeId;
using ir::TypeTable;
using ks::Op;

namespace {

/// Whether the declared type names all its sizes, so that elements have one shape.
bool areSizesNamed(const TypeTable& types, TypeId type) {
    const auto sizes = types.sizes(type);
    const bool areOwnNamed = std::ranges::all_of(sizes, [](Symbol size) { return size.isValid(); });
    if (types.isTensor(type) && (sizes.empty() || !areOwnNamed)) return false;
    return std::ranges::all_of(types.children(type), [&](TypeId part) { return areSizesNamed(types, part); });
}

}  // namespace

Place Place::then(const PathStep& step) const {
    Place further = *this;
    further.path.push_back(step);
    return further;
}

TermId TermMaker::op(Op op, std::initializer_list<TermId> children) {
    const absl::InlinedVector<TermId, 4> list(children);
    const Result<TermId> made = m_bank.make(opId(op), list);
    if (!made) throw NotDifferentiable{made.error()};
    return simplified(m_bank, *made, list);
}

TermId TermMaker::get(TermId tuple, std::uint32_t element) {
    if (m_bank.is(tuple, ir::CoreOp::Tuple)) return m_bank.child(tuple, element);
    return m_bank.get(tuple, element);
}

TermId TermMaker::lambda(const Block* outer, std::string_view hint, TypeId type,
                         absl::FunctionRef<TermId(Block&, TermId)> body) {
    Block block(m_bank, m_names, outer);
    const TermId variable = block.parameter(hint, type);
    const TermId result = body(block, variable);
    return block.closeAsLambda(result);
}

bool TermMaker::carriesTangent(TypeId type) {
    const TypeTable& types = m_bank.types();
    if (type == types.floating() || hasOpaqueTangent(type)) return true;
    if (!types.isTuple(type) && !types.isTensor(type)) return false;
    const auto parts = types.children(type);
    return std::ranges::any_of(parts, [&](TypeId part) { return carriesTangent(part); });
}

bool TermMaker::hasOpaqueTangent(TypeId type) {
    const TypeTable& types = m_bank.types();
    const ir::TypeKind kind = types.kind(type);
    if (kind == ir::TypeKind::LinearMap || kind == ir::TypeKind::Lambda) return true;
    if (!types.isTuple(type) && !types.isTensor(type)) return false;
    const auto parts = types.children(type);
    return std::ranges::any_of(parts, [&](TypeId part) { return hasOpaqueTangent(part); });
}

bool TermMaker::hasKnownShape(TypeId type) {
    const TypeTable& types = m_bank.types();
    if (types.isTensor(type)) return false;
    if (!types.isTuple(type)) return true;
    return std::ranges::all_of(types.children(type), [&](TypeId part) { return hasKnownShape(part); });
}

bool TermMaker::hasNamedSizes(const Place& place) const {
    const TypeTable& types = m_bank.types();
    const auto known = m_declared.find(place.base);
    if (known == m_declared.end()) return false;
    TypeId type = known->second;
    for (const PathStep& step : place.path) type = types.children(type)[step.isIndex() ? 0 : step.element];
    return areSizesNamed(types, type);
}

TypeId TermMaker::statedType(const Block& block, TermId value) {
    const auto definition = [&](TermId variable) { return block.definition(m_bank.payload(variable).asSymbol()); };
    return autodiff::statedType(m_bank, m_declared, definition, value);
}

TermId TermMaker::valueAt(const Place& place) {
    TermId value = place.base;
    for (const PathStep& step : place.path) {
        value = step.isIndex() ? op(Op::Index, {step.index, value}) : get(value, step.element);
    }
    return value;
}

TypeId TermMaker::typeAt(const Place& place) {
    TypeId type = m_bank.type(place.base);
    for (const PathStep& step : place.path) {
        type = step.isIndex() ? m_bank.types().element(type) : m_bank.types().children(type)[step.element];
    }
    return type;
}

TermId TermMaker::sizeAt(const Place& place) {
    TypeTable& types = m_bank.types();
    if (const auto known = m_declared.find(place.base); known != m_declared.end()) {
        TypeId type = known->second;
        for (const PathStep& step : place.path) type = types.children(type)[step.isIndex() ? 0 : step.element];
        std::vector<TermId> sizes;
        for (const Symbol name : types.sizes(type)) {
            if (!name.isValid()) break;
            const std::optional<std::int64_t> number = numberFrom<std::int64_t>(m_bank.text(name));
            sizes.push_back(number ? m_bank.integer(*number) : m_bank.variable(name, types.integer()));
        }
        if (!sizes.empty() && sizes.size() == types.rank(type)) return sizes.size() == 1 ? sizes[0] : tuple(sizes);
    }
    return op(Op::Size, {valueAt(place)});
}

TermId TermMaker::zeroAt(const Place& place) {
    TypeTable& types = m_bank.types();
    const TypeId type = typeAt(place);
    if (type == types.floating()) return m_bank.floating(0.0);
    if (types.isTuple(type)) {
        const auto count = static_cast<std::uint32_t>(types.children(type).size());
        std::vector<TermId> zeros;
        for (std::uint32_t i = 0; i < count; ++i) zeros.push_back(zeroAt(place.then({{}, i})));
        return tuple(zeros);
    }
    if (!types.isTensor(type)) return tuple({});
    const TypeId element = types.element(type);
    const TermId size = sizeAt(place);
    const bool isSameEverywhere = hasKnownShape(element);
    if (isSameEverywhere) {
        // The element's zero does not depend on the element, so any index will do.
        return op(Op::ConstVec, {size, zeroAt(place.then({zeroIndex(m_bank.type(size)), 0}))});
    }
    const TermId zeros = lambda(nullptr, "i", m_bank.type(size), [&](Block&, TermId i) {
        return zeroAt(place.then({i, 0}));
    });
    return op(Op::Build, {size, zeros});
}

TermId TermMaker::shapesAt(const Place& place) {
    if (hasKnownShape(m_bank.types().element(typeAt(place)))) {
        return op(Op::ConstVec, {sizeAt(place), tuple({})});
    }
    return op(Op::Shape, {valueAt(place)});
}

TermId TermMaker::sum(const std::vector<TermId>& tangents) {
    const bool isFloat = m_bank.type(tangents[0]) == m_bank.types().floating();
    std::vector<std::pair<TermId, double>> multiples;  // in order of appearance
    for (const TermId tangent : tangents) {
        const auto known = std::ranges::find(multiples, tangent, &std::pair<TermId, double>::first);
        if (known == multiples.end()) {
            multiples.emplace_back(tangent, 1.0);
        } else {
            known->second += 1.0;
        }
    }
    TermId total;
    for (const auto& [tangent, factor] : multiples) {
        const TermId summand =
            factor == 1.0 ? tangent : op(isFloat ? Op::Mul : Op::TsScale, {m_bank.floating(factor), tangent});
        total = total.isValid() ? op(isFloat ? Op::Add : Op::TsAdd, {total, summand}) : summand;
    }
    return total;
}

TermId TermMaker::isPositive(TermId size) {
    TypeTable& types = m_bank.types();
    const TermId zero = m_bank.integer(0);
    if (!types.isTuple(m_bank.type(size))) return op(Op::Gt, {size, zero});
    const auto count = static_cast<std::uint32_t>(types.children(m_bank.type(size)).size());
    TermId isPositive = op(Op::Gt, {get(size, 0), zero});
    for (std::uint32_t i = 1; i < count; ++i) isPositive = op(Op::And, {isPositive, op(Op::Gt, {get(size, i), zero})});
    return isPositive;
}

TermId TermMaker::isIndexBelow(TermId index, TermId size) {
    TypeTable& types = m_bank.types();
    if (!types.isTuple(m_bank.type(index))) {
        return op(Op::And, {op(Op::Gte, {index, m_bank.integer(0)}), op(Op::Lt, {index, size})});
    }
    const auto count = static_cast<std::uint32_t>(types.children(m_bank.type(index)).size());
    TermId isBelow = isIndexBelow(get(index, 0), get(size, 0));
    for (std::uint32_t i = 1; i < count; ++i) {
        isBelow = op(Op::And, {isBelow, isIndexBelow(get(index, i), get(size, i))});
    }
    return isBelow;
}

TermId TermMaker::zeroIndex(TypeId indexType) {
    if (!m_bank.types().isTuple(indexType)) return m_bank.integer(0);
    return tuple(std::vector<TermId>(m_bank.types().children(indexType).size(), m_bank.integer(0)));
}

TermId Combiner::combine(Block& block, const Place& place, const std::vector<Contribution>& contributions) {
    std::vector<TermId> dense;
    bool isSparse = false;
    const bool hasNests = std::ranges::any_of(contributions, [](const Contribution& c) { return c.nest != nullptr; });
    if (hasNests) {
        std::vector<Contribution> closed;
        for (const Contribution& c : contributions) {
            if (c.nest == nullptr) {
                closed.push_back(c);
            } else {
                closed.push_back({{}, block.emit(closedNest(block, place, c), "d")});
            }
        }
        return combine(block, place, closed);
    }
    for (const Contribution& c : contributions) {
        if (c.path.empty()) {
            dense.push_back(c.value);
        } else {
            isSparse = true;
        }
    }
    if (!isSparse) return dense.empty() ? m_make.zeroAt(place) : m_make.sum(dense);
    if (m_bank.types().isTuple(m_make.typeAt(place))) return combineTuple(block, place, contributions);
    addElements(block, place, contributions, dense);
    return m_make.sum(dense);
}

TermId Combiner::combineTuple(Block& block, const Place& place, const std::vector<Contribution>& contributions) {
    const auto count = static_cast<std::uint32_t>(m_bank.types().children(m_make.typeAt(place)).size());
    std::vector<TermId> elements;
    for (std::uint32_t k = 0; k < count; ++k) {
        std::vector<Contribution> parts;
        for (const Contribution& c : contributions) {
            if (c.path.empty()) {
                parts.push_back({{}, block.emit(m_make.get(c.value, k), "d")});
            } else if (c.path.front().element == k) {
                parts.push_back({PartPath(c.path.begin() + 1, c.path.end()), c.value, c.isGuarded});
            }
        }
        elements.push_back(combine(block, place.then({{}, k}), parts));
    }
    return m_make.tuple(elements);
}

void Combiner::addElements(Block& block, const Place& place, const std::vector<Contribution>& contributions,
                           std::vector<TermId>& summands) {
    struct Element {
        TermId index;
        std::vector<Contribution> parts;
    };
    std::vector<Element> elements;  // in order of appearance
    for (const Contribution& c : contributions) {
        if (c.path.empty()) continue;
        const auto same = [&](const Element& e) { return e.index == c.path.front().index; };
        auto element = std::ranges::find_if(elements, same);
        if (element == elements.end()) element = elements.insert(elements.end(), {c.path.front().index, {}});
        element->parts.push_back({PartPath(c.path.begin() + 1, c.path.end()), c.value, c.isGuarded});
    }
    const auto isGuarded = [](const Element& element) {
        return std::ranges::any_of(element.parts, [](const Contribution& c) { return c.isGuarded; });
    };
    const auto valuesIn = [&](Block& code) {
        std::vector<Contribution> values;
        for (const Element& element : elements) {
            const PathStep step{element.index, 0};
            const TermId value = combine(code, place.then(step), element.parts);
            values.push_back({{step}, code.emit(value, "d"), isGuarded(element)});
        }
        return values;
    };
    // A deltaVec has zeros of the value's shape, so it needs elements of one shape.
    const bool hasShape = m_make.hasKnownShape(m_bank.types().element(m_make.typeAt(place)));
    const bool isUniform = hasShape || m_make.hasNamedSizes(place);
    // Values of elements that are no numbers may read the elements.
    const bool mayRead = !hasShape && std::ranges::any_of(elements, isGuarded);
    if (!isUniform || (m_form == Form::Scatter && (elements.size() > 1 || mayRead))) {
        if (std::ranges::any_of(elements, isGuarded)) {
            // The values may read the elements, so they are computed where there are some.
            Block inner(m_bank, m_names, &block);
            Block& code = hasShape ? block : inner;
            const TermId added = inner.close(scattered(code, place, valuesIn(code)));
            const TermId isNotEmpty = m_make.isPositive(m_make.sizeAt(place));
            summands.push_back(block.emit(m_make.op(Op::If, {isNotEmpty, added, m_make.zeroAt(place)}), "d"));
        } else {
            summands.push_back(block.emit(scattered(block, place, valuesIn(block)), "d"));
        }
        return;
    }
    for (const Contribution& v : valuesIn(block)) {
        summands.push_back(block.emit(m_make.op(Op::DeltaVec, {m_make.sizeAt(place), v.path[0].index, v.value}), "d"));
    }
}

/// Several elements of a tensor, added at their indices in one pass.
TermId Combiner::scattered(Block& block, const Place& place, const std::vector<Contribution>& elements) {
    const TermId shapes = m_make.shapesAt(place);
    if (elements.size() == 1) {
        const TermId only = m_make.lambda(&block, "k", m_bank.types().integer(), [&](Block&, TermId) {
            return m_make.tuple({elements[0].path[0].index, elements[0].value});
        });
        return m_make.op(Op::BuildFromSparse, {shapes, m_bank.integer(1), only});
    }
    std::vector<TermId> indices;
    std::vector<TermId> values;
    for (const Contribution& e : elements) {
        indices.push_back(e.path[0].index);
        values.push_back(e.value);
    }
    const auto vector = [&](const std::vector<TermId>& parts, std::string_view hint) {
        const Result<TermId> made = m_bank.make(opId(Op::VecInit), parts);
        if (!made) throw NotDifferentiable{made.error()};
        return block.emit(*made, hint);
    };
    const TermId at = vector(indices, "at");
    const TermId added = vector(values, "added");
    const TermId pairs = m_make.lambda(&block, "k", m_bank.types().integer(), [&](Block&, TermId k) {
        return m_make.tuple({m_make.op(Op::Index, {k, at}), m_make.op(Op::Index, {k, added})});
    });
    return m_make.op(Op::BuildFromSparse, {shapes, m_bank.integer(static_cast<std::int64_t>(elements.size())), pairs});
}

}  // namespace mitos::autodiff
