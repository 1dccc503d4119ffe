// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse mode of fold, whose steps run forward once and then backward. The way forward keeps for the way back the state before each step,
// and what of the step takes longer to compute than to read.
#include "core/autodiff/internal/differentiator.h"
#include "core/autodiff/internal/shared_values.h"

#include <algorithm>
#include <utility>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

/// The sizes of the tensors in the value at the place.
void Differentiator::addSizes(const Block& block, const Place& place, std::vector<std::vector<TermId>>& sizes) {
    const ir::TypeTable& types = m_bank.types();
    const TypeId type = m_make.typeAt(place);
    if (types.isTuple(type)) {
        const auto count = static_cast<std::uint32_t>(types.children(type).size());
        for (std::uint32_t k = 0; k < count; ++k) addSizes(block, place.then({{}, k}), sizes);
    }
    if (!types.isTensor(type)) return;
    const TermId size = plainSize(block, m_make.sizeAt(place));
    const Place element = place.then({m_make.zeroIndex(m_bank.type(size)), 0});
    std::vector<std::vector<TermId>> inside;
    addSizes(block, element, inside);
    if (inside.empty()) inside.emplace_back();
    for (std::vector<TermId>& each : inside) {
        each.insert(each.begin(), size);
        sizes.push_back(std::move(each));
    }
}

TermId Differentiator::plainSize(const Block& block, TermId size) {
    const TermId plain = resolved(block, size);
    if (m_bank.op(plain) != opId(Op::Size)) return plain;
    std::vector<std::uint32_t> steps;
    TermId tensor = m_bank.child(plain, 0);
    while (true) {
        TermId next;
        if (m_bank.is(tensor, CoreOp::Get)) {
            steps.push_back(m_bank.payload(tensor).projectionIndex());
            next = m_bank.child(tensor, 0);
        } else if (isVariable(tensor)) {
            const TermId value = block.definition(symbolOf(tensor));
            if (value.isValid() && (isVariable(value) || m_bank.is(value, CoreOp::Get))) next = value;
        }
        if (!next.isValid()) break;
        tensor = next;
    }
    for (; !steps.empty(); steps.pop_back()) tensor = m_make.get(tensor, steps.back());
    return m_make.op(Op::Size, {tensor});
}

bool Differentiator::isOfState(const std::vector<TermId>& sizes) const {
    return std::ranges::any_of(m_step->sizes, [&](std::vector<TermId> left) {
        return std::ranges::all_of(sizes, [&](TermId size) {
            if (m_bank.is(size, CoreOp::Literal)) return true;
            const auto found = std::ranges::find(left, size);
            if (found == left.end()) return false;
            left.erase(found);
            return true;
        });
    });
}

bool Differentiator::isKeptByStep(const Block& block, TermId variable, TermId value) {
    if (!m_make.carriesTangent(m_bank.type(value)) || m_make.hasOpaqueTangent(m_bank.type(value))) return false;
    if (!takesLong(m_bank, value)) return false;
    m_make.declare(variable, m_make.statedType(block, value));
    std::vector<std::vector<TermId>> sizes;
    addSizes(block, {variable}, sizes);
    return std::ranges::all_of(sizes, [&](const std::vector<TermId>& each) { return isOfState(each); });
}

/// (RFold z f f' s v dt): f' gives the tangents of what f captures, and those of the state and the element.
void Differentiator::pullFold(Block& block, const Record& record, TermId dt) {
    const TermId function = record.parts[0].term;
    if (!m_bank.is(function, CoreOp::Lam)) fail(record.term, "the function is not written here");
    const TypeId pointType = m_bank.boundType(function);
    const std::vector<TypeId> parts{m_make.statedType(block, record.term),
                                    m_bank.types().element(m_make.statedType(block, record.parts[2].value))};
    Sums outside = std::exchange(m_sums, {});
    Block inner(m_bank, m_names, &block);
    std::vector<TypeId> argument{pointType, m_bank.type(dt)};
    TermId p = inner.parameter("p", m_bank.types().tuple(argument));
    const TermId point = inner.emit(m_make.get(p, 0), hintText(function, "at"), true);
    const TermId at = inner.alias(point);
    m_make.declare(at, m_bank.types().tuple(parts));
    const TermId dState = inner.emit(m_make.get(p, 1), "dt", true);
    Env env{at};
    TermId state;
    if (record.parts[2].isActive) {
        setActive(symbolOf(at), {at});
    } else {
        // The elements are constants, which are kept apart from the state.
        state = inner.alias(inner.emit(m_make.get(at, 0), "state"));
        m_make.declare(state, parts[0]);
        setActive(symbolOf(state), {state});
        const TermId element = inner.alias(inner.emit(m_make.get(at, 1), "element"));
        m_make.declare(element, parts[1]);
        env = {m_make.tuple({state, element})};
    }
    const Record body = sweepFunction(inner, record.parts[0], env);
    Step current{inner, body.value, {}};
    addSizes(inner, {at}, current.sizes);
    const Step* const around = std::exchange(m_step, &current);
    pull(inner, body, {{}, dState});
    const TermId dPoint = state.isValid()
                              ? m_make.tuple({tangentOf(inner, state), m_make.zeroAt(Place{at}.then({{}, 1}))})
                              : tangentOf(inner, at);
    std::vector<Place> captured;
    std::vector<TermId> tangents;
    for (const Symbol name : sortedNames(m_sums)) {
        for (const auto& [place, contributions] : byNamedPart(block, baseOf(name), take(name))) {
            captured.push_back(place);
            tangents.push_back(m_combiner.combine(inner, place, contributions));
        }
    }
    const auto joined = [&](const std::vector<TermId>& terms) {
        return terms.size() == 1 ? terms[0] : m_make.tuple(terms);
    };
    const TermId result = m_make.tuple({joined(tangents), dPoint});
    TermId step = function;
    Block forward = inner.needed({body.value});
    const std::vector<TermId> kept = inner.firstNeeded({result}, inner.size(), [&](TermId variable, TermId value) {
        return m_form != Form::Delta && forward.binds(symbolOf(variable)) && isKeptByStep(inner, variable, value);
    });
    if (!kept.empty()) {
        forward.equate(point, forward.parameter(hintText(function, "q"), pointType));
        step = forward.closeAsLambda(m_make.tuple({body.value, joined(kept)}));
        argument.push_back(m_bank.type(joined(kept)));
        p = inner.parameter("p", m_bank.types().tuple(argument));
        inner.equate(point, m_make.get(p, 0));
        inner.equate(dState, m_make.get(p, 1));
        for (std::uint32_t k = 0; k < kept.size(); ++k) {
            inner.equate(kept[k], kept.size() == 1 ? m_make.get(p, 2) : m_make.get(m_make.get(p, 2), k));
        }
    }
    const TermId back = inner.closeAsLambda(result);
    m_step = around;
    m_sums = std::move(outside);
    std::vector<TermId> zeros;
    for (const Place& place : captured) zeros.push_back(m_make.zeroAt(place));
    const TermId d = block.emit(
        m_make.op(Op::RFold, {joined(zeros), step, back, record.parts[1].value, record.parts[2].value, dt}), "d");
    const TermId ofCaptured = block.emit(m_make.get(d, 0), "d");
    for (std::uint32_t k = 0; k < captured.size(); ++k) {
        add(captured[k], {{}, captured.size() == 1 ? ofCaptured : block.emit(m_make.get(ofCaptured, k), "d")});
    }
    const TermId ofPoint = block.emit(m_make.get(d, 1), "d");
    pull(block, record.parts[1], {{}, block.emit(m_make.get(ofPoint, 0), "d")});
    pull(block, record.parts[2], {{}, block.emit(m_make.get(ofPoint, 1), "d")});
}

/// Contributions to a variable by the parts that have a name in the block: their tangents are smaller than that of the whole.
std::vector<std::pair<Place, std::vector<Contribution>>> Differentiator::byNamedPart(
    const Block& block, TermId base, std::vector<Contribution> contributions) {
    std::vector<std::pair<Place, std::vector<Contribution>>> parts;
    for (Contribution& c : contributions) {
        const auto rest = c.path.begin() + static_cast<std::ptrdiff_t>(c.nest ? 0 : namedSteps(block, {base, c.path}));
        const Place place{base, PartPath(c.path.begin(), rest)};
        c.path.erase(c.path.begin(), rest);
        // A part that has a name exists.
        c.isGuarded = c.isGuarded && !c.path.empty();
        auto known = std::ranges::find_if(parts, [&](const auto& part) { return part.first.path == place.path; });
        if (known == parts.end()) known = parts.insert(parts.end(), {place, {}});
        known->second.push_back(std::move(c));
    }
    return parts;
}

}  // namespace mitos::autodiff
