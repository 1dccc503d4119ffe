// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse mode of loops: build, sumbuild and buildFromSparse. What the iterations contribute to a variable of the surroundings is
// added up in one loop, at the indices where it belongs.
#include "core/autodiff/internal/differentiator.h"
#include "core/autodiff/internal/shared_values.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

/// The terms that contributions mention.
std::vector<TermId> Differentiator::termsOf(const Sums& sums) {
    std::vector<TermId> terms;
    for (const auto& [name, contributions] : sums) {
        for (const Contribution& c : contributions) {
            terms.push_back(c.value);
            for (const PathStep& step : c.path) {
                if (step.isIndex()) terms.push_back(step.index);
            }
            if (!c.nest) continue;
            for (const OpenLoop& loop : c.nest->loops) {
                for (const TermId value : loop.body.values()) terms.push_back(value);
            }
        }
    }
    return terms;
}

/// The tangent of element i of a build is element i of the tangent; that of every summand of a sumbuild is the tangent itself.
void Differentiator::pullLoop(Block& block, const Record& record, const Cotangent& dt) {
    const TermId function = record.parts[1].term;
    if (!m_bank.is(function, CoreOp::Lam)) fail(record.term, "the function is not written here");
    const bool isBuild = ksOp(record) == Op::Build;
    if (isBuild && !dt.path.empty()) {
        // The tangent of one element: only that iteration counts.
        Env env{dt.path[0].index};
        const Record body = sweepFunction(block, record.parts[1], env);
        return pull(block, body, {PartPath(dt.path.begin() + 1, dt.path.end()), dt.value, dt.isGuarded});
    }
    Block inner(m_bank, m_names, &block);
    const TermId index = inner.parameter(hintText(function, "i"), m_bank.boundType(function));
    const TermId size = resolved(block, record.parts[0].value);
    m_ranges[symbolOf(index)] = size;
    std::optional<Twice> twice = runningTwice(block, record, dt);
    Sums outside = std::exchange(m_sums, {});
    Env env{index};
    const Record body = sweepFunction(inner, record.parts[1], env);
    const TermId last = inner.last();
    Cotangent part = dt;
    if (isBuild) part.value = inner.emit(elementAt(block, dt.value, index), "dt");
    const bool runsTwice = twice.has_value();
    if (runsTwice) twice->block = &inner;
    std::swap(m_twice, twice);
    pull(inner, body, part);
    std::swap(m_twice, twice);
    if (runsTwice) keepValues(block, record, {inner, index, body.value, last});
    const bool isPositive = m_bank.is(size, CoreOp::Literal) && m_bank.payload(size).asInteger() > 0;
    Loop loop{size, &inner, index, !isBuild || isPositive, std::exchange(m_sums, std::move(outside))};
    addLoop(block, loop);
}

/// Whether a loop runs for its value and again for the tangents of its iterations: the tangents of the surroundings need the value, or the loop is
/// in an iteration that runs twice, or in the step of a fold, whose way forward needs its value. The result has no block yet.
std::optional<Differentiator::Twice> Differentiator::runningTwice(const Block& block, const Record& record,
                                                                  const Cotangent& dt) {
    const TermId loop = record.value;
    const bool isHere = isVariable(loop) && block.isDefinedAs(loop, record.term);
    const bool isCounted = m_bank.boundType(record.parts[1].term) == m_bank.types().integer();
    if (m_form == Form::Delta || !m_keepsValues || !isHere || !isCounted) return std::nullopt;
    const bool isInTwice = m_twice && m_twice->block == &block;
    if (isInTwice && !m_twice->isForStep) return Twice{};
    std::vector<TermId> needed = termsOf(m_sums);
    needed.push_back(dt.value);
    needed.insert(needed.end(), m_pending.begin(), m_pending.end());
    if (block.needs(needed, loop)) return Twice{};
    const bool isOfStep =
        m_step != nullptr && (isInTwice || (&block == &m_step->block && block.needs({m_step->value}, loop)));
    if (!isOfStep || !takesLong(m_bank, record.parts[1].term)) return std::nullopt;
    Twice twice{nullptr, true, isInTwice ? m_twice->sizes : std::vector<TermId>{}};
    twice.sizes.push_back(plainSize(block, record.parts[0].value));
    return isOfState(twice.sizes) ? std::optional(std::move(twice)) : std::nullopt;
}

/// Costly values of the iterations of a loop that runs twice are kept in a vector if the tangents need them, and both runs read them. So are the vectors
/// that loops in the iteration keep.
void Differentiator::keepValues(Block& block, const Record& record, const Iteration& iteration) {
    const TermId loop = record.value;
    const auto isWanted = [&](TermId, TermId value) {
        return isCostly(m_bank, value) || m_keptVectors.contains(value);
    };
    const std::vector<TermId> kept =
        iteration.block.firstNeeded(termsOf(m_sums), iteration.block.countUpTo(iteration.last), isWanted);
    if (kept.empty()) return;
    const TermId size = record.parts[0].value;
    const bool isWhole = ksOp(record) == Op::Build && kept.size() == 1 &&
                         definitionOf(iteration.block, iteration.value) == definitionOf(iteration.block, kept[0]);
    TermId vector = loop;
    if (!isWhole) {
        const TermId all = kept.size() == 1 ? kept[0] : m_make.tuple(kept);
        const TermId values = m_make.op(Op::Build, {size, iteration.block.closeAsLambda(all)});
        vector = block.emitBefore(loop, values, "kept");
        if (!vector.isValid()) return;
    }
    m_keptVectors.insert(definitionOf(block, vector));
    for (std::uint32_t k = 0; k < kept.size(); ++k) {
        const TermId element = m_make.op(Op::Index, {iteration.index, vector});
        iteration.block.equate(kept[k], kept.size() == 1 ? element : m_make.get(element, k));
    }
    if (!isWhole) block.equate(loop, m_make.op(ksOp(record), {size, iteration.block.closeAsLambda(iteration.value)}));
}

/// The value that an iteration adds at an index has the tangent at that index.
void Differentiator::pullSparse(Block& block, const Record& record, const Cotangent& dt) {
    const TermId function = record.parts[2].term;
    if (!m_bank.is(function, CoreOp::Lam)) fail(record.term, "the function is not written here");
    const TermId whole = dense(block, record, dt);
    Block inner(m_bank, m_names, &block);
    const TermId index = inner.parameter(hintText(function, "i"), m_bank.boundType(function));
    const TermId size = record.parts[1].value;
    m_ranges[symbolOf(index)] = resolved(block, size);
    Sums outside = std::exchange(m_sums, {});
    Env env{index};
    const Record body = sweepFunction(inner, record.parts[2], env);
    const TermId value = inner.emit(body.value, "t");
    const auto element = [&](TermId pair, TermId tensor) {
        return inner.emit(m_make.op(Op::Index, {m_make.get(pair, 0), tensor}), "d");
    };
    if (ksOp(record) == Op::BuildFromSparse) {
        pull(inner, body, {{{{}, 1}}, element(value, whole)});
    } else {
        const auto count = static_cast<std::uint32_t>(m_bank.types().children(m_bank.type(value)).size());
        for (std::uint32_t k = 0; k < count; ++k) {
            const PartPath path{{{}, k}, {{}, 1}};
            pull(inner, body, {path, element(m_make.get(value, k), block.emit(m_make.get(whole, k), "d"))});
        }
    }
    Loop loop{size, &inner, index, false, std::exchange(m_sums, std::move(outside))};
    addLoop(block, loop);
}

void Differentiator::addLoop(Block& block, Loop& loop) {
    if (loop.sums.empty()) return;
    if (m_form == Form::Delta) return addDelta(block, loop);
    addScattered(block, loop);
}

/// One sum over the loop of a tuple of whole tangents.
void Differentiator::addDelta(Block& block, Loop& loop) {
    const std::vector<Symbol> names = sortedNames(loop.sums);
    std::vector<TermId> tangents;
    for (const Symbol name : names) {
        tangents.push_back(m_combiner.combine(*loop.body, {baseOf(name)}, loop.sums[name]));
    }
    const bool isSingle = tangents.size() == 1;
    const TermId summand = loop.body->closeAsLambda(isSingle ? tangents[0] : m_make.tuple(tangents));
    const TermId sum = block.emit(m_make.op(Op::Sumbuild, {loop.size, summand}), "d");
    for (std::uint32_t k = 0; k < names.size(); ++k) {
        add({baseOf(names[k])}, {{}, isSingle ? sum : block.emit(m_make.get(sum, k), "d")});
    }
}

std::vector<Differentiator::Slot> Differentiator::slotsOf(Block& block, Loop& loop) {
    std::vector<Slot> slots;
    for (const Symbol name : sortedNames(loop.sums)) {
        for (const Contribution& c : loop.sums[name]) {
            PartPath rest = c.path;
            Slot slot{{baseOf(name), outerPrefix(block, *loop.body, c.path)}};
            rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(slot.place.path.size()));
            if (!rest.empty()) {
                slot.index = rest[0].index;
                rest.erase(rest.begin());
            }
            const auto same = [&](const Slot& s) {
                return s.place.base == slot.place.base && s.place.path == slot.place.path && s.index == slot.index;
            };
            auto known = std::ranges::find_if(slots, same);
            if (known == slots.end()) known = slots.insert(slots.end(), std::move(slot));
            const bool exists = rest.empty() && isLoopOver(block, loop, *known);
            known->contributions.push_back({rest, c.value, c.isGuarded && !exists});
            known->isGuarded = known->isGuarded || (c.isGuarded && !exists);
        }
    }
    for (Slot& slot : slots) {
        const Place place = slot.index.isValid() ? slot.place.then({slot.index, 0}) : slot.place;
        slot.value = m_combiner.combine(*loop.body, place, slot.contributions);
    }
    return slots;
}

/// Whether the loop makes an iteration for each element of the slot's tensor, which then has elements if there is an iteration.
bool Differentiator::isLoopOver(const Block& block, const Loop& loop, const Slot& slot) {
    const bool isOutside = std::ranges::none_of(slot.place.path, [](const PathStep& step) { return step.isIndex(); });
    return isOutside && slot.index.isValid() &&
           sameSize(block, resolved(block, loop.size), resolved(block, m_make.sizeAt(slot.place)));
}

/// The nest of a contribution with this loop around it; null if the loop has to be closed here.
std::shared_ptr<const Nest> Differentiator::opened(const Loop& loop, const Contribution& contribution) const {
    const bool isPlainIndex = m_bank.type(loop.index) == m_bank.types().integer();
    if (!isPlainIndex) return nullptr;
    std::vector<TermId> terms{contribution.value};
    for (const PathStep& step : contribution.path) {
        if (step.isIndex()) terms.push_back(step.index);
    }
    auto nest = std::make_shared<Nest>();
    if (contribution.nest) {
        for (const OpenLoop& inner : contribution.nest->loops) {
            if (loop.body->isInner(inner.size)) return nullptr;
            for (const TermId value : inner.body.values()) terms.push_back(value);
        }
    }
    Block needed = loop.body->needed(terms);
    if (!needed.isCheap()) return nullptr;
    nest->loops.push_back({std::move(needed), loop.index, loop.size, loop.isNotEmpty});
    if (contribution.nest) {
        for (const OpenLoop& inner : contribution.nest->loops) nest->loops.push_back(inner);
    }
    return nest;
}

/// Leaves the loop open around contributions whose element is not found by the loop's steps alone: closing it would make a tensor that is
/// zero but for one element in every iteration. Contributions of open loops that cannot be opened further are closed in the iteration.
void Differentiator::openNests(Block& block, Loop& loop) {
    for (const Symbol name : sortedNames(loop.sums)) {
        std::vector<Contribution> closed;
        for (Contribution& c : loop.sums[name]) {
            const PartPath outer = outerPrefix(block, *loop.body, c.path);
            const auto rest = c.path.begin() + static_cast<std::ptrdiff_t>(std::min(outer.size() + 1, c.path.size()));
            const bool isDeep = std::any_of(rest, c.path.end(), [](const PathStep& step) { return step.isIndex(); });
            std::shared_ptr<const Nest> nest;
            if (c.nest || isDeep) nest = opened(loop, c);
            if (nest) {
                m_sums[name].push_back({c.path, c.value, c.isGuarded, std::move(nest)});
            } else if (c.nest) {
                const TermId whole = m_combiner.combine(*loop.body, {baseOf(name)}, {c});
                closed.push_back({{}, loop.body->emit(whole, "d")});
            } else {
                closed.push_back(std::move(c));
            }
        }
        loop.sums[name] = std::move(closed);
        if (loop.sums[name].empty()) loop.sums.erase(name);
    }
}

void Differentiator::addScattered(Block& block, Loop& loop) {
    openNests(block, loop);
    if (loop.sums.empty()) return;
    constexpr std::uint64_t Small = 40;
    const std::vector<Slot> slots = slotsOf(block, loop);
    std::vector<TermId> apart;
    std::uint64_t sizeApart = 0;
    for (const Slot& slot : slots) {
        apart.push_back(alone(block, loop, slot));
        sizeApart += m_bank.treeSize(apart.back());
    }
    // Separate loops are plainer. They are taken unless they repeat much of the iteration's work.
    std::vector<TermId> results = apart;
    const bool mayMissElements = std::ranges::any_of(slots, &Slot::isGuarded);
    const auto isUnsure = [&](const Slot& slot) {
        return firstUnsure(block, loop, slot.place) < slot.place.path.size();
    };
    const bool areUnsure = std::ranges::any_of(slots, isUnsure);
    if (mayMissElements && !areUnsure && slots.size() > 1 && sizeApart > Small && areOfOneTensor(slots)) {
        return addGuardedTogether(block, loop, slots);
    }
    if (slots.size() > 1 && !mayMissElements && !areUnsure) {
        const std::vector<TermId> joint = together(block, loop, slots);
        const TermId whole = m_bank.is(joint[0], CoreOp::Variable) ? definitionOf(block, joint[0]) : joint[0];
        constexpr double Tolerated = 1.25;
        const auto sizeTogether = static_cast<double>(m_bank.treeSize(whole));
        const bool isRepetitive =
            sizeApart > Small && static_cast<double>(sizeApart) > Tolerated * std::max(sizeTogether, 1.0);
        if (isRepetitive) results = joint;
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (isUnsure(slots[i])) {
            addUnsure(block, loop, slots[i]);
        } else {
            add(slots[i].place, {{}, block.emit(results[i], "d"), slots[i].isGuarded && !slots[i].index.isValid()});
        }
    }
}

/// The first step of a place to an element that only the loop's iterations read, so that it may not exist if there is none.
std::size_t Differentiator::firstUnsure(const Block& block, const Loop& loop, const Place& place) {
    for (std::size_t i = 0; i < place.path.size() && !loop.isNotEmpty; ++i) {
        const Place whole{place.base,
                          PartPath(place.path.begin(), place.path.begin() + static_cast<std::ptrdiff_t>(i))};
        if (place.path[i].isIndex() && !isInRange(block, place.path[i].index, whole)) return i;
    }
    return place.path.size();
}

/// Adds a zero in the place of another element if the loop has no iteration. If the zero's shape is that of the element, the whole tensor's
/// tangent is chosen instead, unless that would be one in each iteration of a surrounding loop.
void Differentiator::addUnsure(Block& block, const Loop& loop, const Slot& slot) {
    const TermId runs = m_make.isPositive(loop.size);
    const bool isSlotOfElements = slot.index.isValid();
    const TypeId type = m_make.typeAt(slot.place);
    const bool isShapeKnown =
        isSlotOfElements ? m_make.hasNamedSizes(slot.place) && m_make.hasKnownShape(m_bank.types().element(type))
                         : m_make.hasKnownShape(type) || m_make.hasNamedSizes(slot.place);
    Place place = slot.place;
    PartPath rest;
    if (!isShapeKnown && block.isOutermost()) {
        const auto first = place.path.begin() + static_cast<std::ptrdiff_t>(firstUnsure(block, loop, place));
        rest.assign(first, place.path.end());
        place.path.erase(first, place.path.end());
    } else {
        guardIndices(block, place, runs, true);
    }
    const bool isOther = rest.empty();  // another element
    if (isShapeKnown) return add({place.base}, {place.path, block.emit(alone(block, loop, slot), "d"), isOther});
    Block inner(m_bank, m_names, &block);
    Loop running = loop;
    running.isNotEmpty = true;
    const bool isGuarded = slot.isGuarded && !isSlotOfElements;
    const TermId sum = inner.emit(alone(inner, running, slot), "d");
    const TermId taken = isOther ? sum : m_combiner.combine(inner, place, {{rest, sum, isGuarded}});
    const TermId value = m_make.op(Op::If, {runs, inner.close(taken), m_make.zeroAt(place)});
    add({place.base}, {place.path, block.emit(value, "d"), isOther});
}

bool Differentiator::areOfOneTensor(const std::vector<Slot>& slots) {
    return std::ranges::all_of(slots, [&](const Slot& slot) {
        return slot.index.isValid() && slot.place.base == slots[0].place.base && slot.place.path == slots[0].place.path;
    });
}

/// One loop and one sum for the elements of a tensor, and zero if the tensor has none: where an index is that of no element of its own, it
/// is that of the first one.
void Differentiator::addGuardedTogether(Block& block, const Loop& loop, const std::vector<Slot>& slots) {
    const Place& place = slots[0].place;
    Block inner(m_bank, m_names, &block);
    const TermId sum = m_make.sum(together(inner, loop, slots));
    const TermId isNotEmpty = m_make.isPositive(m_make.sizeAt(place));
    const TermId guardedSum = m_make.op(Op::If, {isNotEmpty, inner.close(sum), m_make.zeroAt(place)});
    add(place, {{}, block.emit(guardedSum, "d")});
}

/// The sum, or zero if the loop has no iteration.
TermId Differentiator::guarded(TermId sum, const Loop& loop, const Place& place) {
    if (loop.isNotEmpty) return sum;
    return m_make.op(Op::If, {m_make.isPositive(loop.size), sum, m_make.zeroAt(place)});
}

Differentiator::Product Differentiator::factored(const Block& body, TermId value) {
    const bool isDefined = isVariable(value) && body.binds(symbolOf(value));
    const TermId term = isDefined ? body.definition(symbolOf(value)) : value;
    if (!term.isValid() || m_bank.type(term) != m_bank.types().floating()) return {{}, value};
    if (m_bank.op(term) == opId(Op::Neg)) {
        Product product = factored(body, m_bank.child(term, 0));
        if (!product.factor.isValid()) return {{}, value};
        product.factor = m_make.op(Op::Neg, {product.factor});
        return product;
    }
    if (m_bank.op(term) != opId(Op::Mul)) return {{}, value};
    std::array<Product, 2> parts;
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
        const TermId child = m_bank.child(term, i);
        const bool isSame = isAtom(m_bank, child) && !body.isInner(child);
        parts[i] = isSame ? Product{child, {}, m_bank.is(child, CoreOp::Literal)} : factored(body, child);
    }
    const auto& [left, right] = parts;
    if (!left.rest.isValid() && !right.rest.isValid()) return {{}, value};
    if (!left.factor.isValid() && !right.factor.isValid()) return {{}, value};
    const auto both = [&](TermId a, TermId b) {
        return !a.isValid() ? b : !b.isValid() ? a : m_make.op(Op::Mul, {a, b});
    };
    return {both(left.factor, right.factor), both(left.rest, right.rest), left.isOfNumbers && right.isOfNumbers};
}

/// A loop for one slot.
TermId Differentiator::alone(Block& block, const Loop& loop, const Slot& slot) {
    if (!slot.index.isValid()) {
        // One multiplication after the loop; the loop may run before the factor is known.
        const Product product = factored(*loop.body, slot.value);
        const bool isFactored = product.factor.isValid() && !product.isOfNumbers;
        const TermId summand = isFactored ? product.rest : slot.value;
        const TermId sum =
            guarded(m_make.op(Op::Sumbuild, {loop.size, loop.body->closeAsLambda(summand)}), loop, slot.place);
        return isFactored ? m_make.op(Op::Mul, {product.factor, sum}) : sum;
    }
    if (slot.index == loop.index && isInRange(block, slot.index, slot.place)) {
        return m_make.op(Op::Build, {loop.size, loop.body->closeAsLambda(slot.value)});
    }
    const TermId pair = loop.body->closeAsLambda(m_make.tuple({slot.index, slot.value}));
    const TermId added = m_make.op(Op::BuildFromSparse, {m_make.shapesAt(slot.place), loop.size, pair});
    if (!slot.isGuarded) return added;
    const TermId isNotEmpty = m_make.isPositive(m_make.sizeAt(slot.place));
    return m_make.op(Op::If, {isNotEmpty, added, m_make.zeroAt(slot.place)});
}

/// One sum over the loop of a tuple of numbers.
std::vector<TermId> Differentiator::summedTogether(Block& block, const Loop& loop, const std::vector<Slot>& slots) {
    std::vector<TermId> values;
    std::vector<TermId> zeros;
    for (const Slot& slot : slots) {
        values.push_back(slot.value);
        if (!loop.isNotEmpty) zeros.push_back(m_make.zeroAt(slot.place));
    }
    TermId sum = m_make.op(Op::Sumbuild, {loop.size, loop.body->closeAsLambda(m_make.tuple(values))});
    if (!loop.isNotEmpty) sum = m_make.op(Op::If, {m_make.isPositive(loop.size), sum, m_make.tuple(zeros)});
    const TermId sums = block.emit(sum, "d");
    std::vector<TermId> results;
    for (std::uint32_t k = 0; k < slots.size(); ++k) results.push_back(m_make.get(sums, k));
    return results;
}

/// One loop for all slots. A value that is added to a whole part beside others at indices is element 0 of a vector.
std::vector<TermId> Differentiator::together(Block& block, const Loop& loop, const std::vector<Slot>& slots) {
    const auto isNumber = [&](const Slot& slot) {
        return !slot.index.isValid() && m_make.hasKnownShape(m_make.typeAt(slot.place));
    };
    if (std::ranges::all_of(slots, isNumber)) return summedTogether(block, loop, slots);
    std::vector<TermId> shapes;
    std::vector<TermId> pairs;
    for (const Slot& slot : slots) {
        if (slot.index.isValid()) {
            shapes.push_back(m_make.shapesAt(slot.place));
            pairs.push_back(m_make.tuple({slot.index, slot.value}));
            continue;
        }
        const bool isKnown = m_make.hasKnownShape(m_make.typeAt(slot.place));
        const TermId shape = isKnown ? m_make.tuple({}) : m_make.op(Op::Shape, {m_make.valueAt(slot.place)});
        shapes.push_back(m_make.op(Op::ConstVec, {m_bank.integer(1), shape}));
        pairs.push_back(m_make.tuple({m_bank.integer(0), slot.value}));
    }
    const TermId iteration = loop.body->closeAsLambda(m_make.tuple(pairs));
    const TermId sums = m_make.op(Op::BuildFromSparseTupled, {m_make.tuple(shapes), loop.size, iteration});
    std::vector<TermId> results;
    for (std::uint32_t k = 0; k < slots.size(); ++k) {
        const TermId sum = m_make.get(block.emit(sums, "d"), k);
        results.push_back(slots[k].index.isValid() ? sum : m_make.op(Op::Index, {m_bank.integer(0), sum}));
    }
    return results;
}

/// A size through other names of it; that of a vector that is built is the one that it is built with.
TermId Differentiator::resolved(const Block& block, TermId term) const {
    TermId current = term;
    while (true) {
        TermId next;
        if (isVariable(current)) {
            const TermId value = block.definition(symbolOf(current));
            const bool isPlain = value.isValid() && (isVariable(value) || m_bank.op(value) == opId(Op::Size) ||
                                                     m_bank.is(value, CoreOp::Literal));
            if (isPlain) next = value;
        } else if (m_bank.op(current) == opId(Op::Size) && isVariable(m_bank.child(current, 0))) {
            const TermId tensor = definitionOf(block, m_bank.child(current, 0));
            const bool isBuilt =
                tensor.isValid() && (m_bank.op(tensor) == opId(Op::Build) || m_bank.op(tensor) == opId(Op::ConstVec));
            if (isBuilt && isAtom(m_bank, m_bank.child(tensor, 0))) next = m_bank.child(tensor, 0);
        }
        if (!next.isValid()) return current;
        current = next;
    }
}

/// The element of the vector at an index of its own. One that is the same everywhere is not read.
TermId Differentiator::elementAt(const Block& block, TermId vector, TermId index) {
    const TermId value = isVariable(vector) ? definitionOf(block, vector) : vector;
    if (value.isValid() && m_bank.op(value) == opId(Op::Build) && m_bank.is(m_bank.child(value, 1), CoreOp::Lam)) {
        const TermId element = m_bank.child(m_bank.child(value, 1), 0);
        if (isAtom(m_bank, element)) return element;
    }
    return m_make.op(Op::Index, {index, vector});
}

bool Differentiator::isInRange(const Block& block, TermId index, const Place& tensor) {
    if (m_bank.is(index, CoreOp::Literal)) {
        const TermId size = m_make.sizeAt(tensor);
        const std::int64_t at = m_bank.payload(index).asInteger();
        return m_bank.is(size, CoreOp::Literal) && at >= 0 && at < m_bank.payload(size).asInteger();
    }
    if (!isVariable(index)) return false;
    const auto range = m_ranges.find(symbolOf(index));
    if (range == m_ranges.end()) return false;
    const TermId size = resolved(block, m_make.sizeAt(tensor));
    return sameSize(block, range->second, size);
}

/// Whether two terms are the same size, through other names of the tensors.
bool Differentiator::sameSize(const Block& block, TermId a, TermId b) const {
    if (a == b) return true;
    const auto isSize = [&](TermId term) { return m_bank.op(term) == opId(Op::Size); };
    if (!isSize(a) || !isSize(b)) return false;
    const auto plain = [&](TermId size) {
        TermId tensor = m_bank.child(size, 0);
        while (isVariable(tensor)) {
            const TermId value = block.definition(symbolOf(tensor));
            if (!value.isValid() || !isVariable(value)) break;
            tensor = value;
        }
        return tensor;
    };
    return plain(a) == plain(b);
}

}  // namespace mitos::autodiff
