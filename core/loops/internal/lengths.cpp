// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/lengths.h"

#include "core/eval/signature.h"
#include "core/ks/operators.h"

#include <algorithm>
#include <utility>

namespace mitos::loops {

using ir::CoreOp;
using ir::FunctionId;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

constexpr std::int64_t Unknown = -1;
/// Larger terms are not looked at.
constexpr std::uint64_t LargestTerm = 5'000;

/// All lengths that either tells of one value.
std::optional<Lengths> both(const std::optional<Lengths>& a, const std::optional<Lengths>& b) {
    if (!a || !b || a->size() != b->size()) return a ? a : b;
    Lengths lengths = *a;
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = std::max((*a)[i], (*b)[i]);
    return lengths;
}

/// The lengths that both of two values have.
std::optional<Lengths> either(const std::optional<Lengths>& a, const std::optional<Lengths>& b) {
    if (!a || !b || a->size() != b->size()) return std::nullopt;
    Lengths lengths = *a;
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = (*a)[i] == (*b)[i] ? (*a)[i] : Unknown;
    return lengths;
}

}  // namespace

bool areKnown(const Lengths& lengths) {
    return std::ranges::all_of(lengths, [](std::int64_t length) { return length >= 0; });
}

std::optional<Lengths> KnownLengths::ofType(TypeId declared) const {
    const ir::TypeTable& types = m_bank.types();
    Lengths lengths;
    for (; types.isTensor(declared) && types.rank(declared) == 1; declared = types.element(declared)) {
        const auto sizes = types.sizes(declared);
        const bool isNamed = !sizes.empty() && sizes[0].isValid();
        const auto constant = isNamed ? eval::constantSize(m_bank, sizes[0]) : std::nullopt;
        lengths.push_back(constant.value_or(Unknown));
    }
    if (declared != types.floating()) return std::nullopt;
    return lengths;
}

std::optional<Lengths> KnownLengths::ofResult(FunctionId id) {
    if (const auto known = m_results.find(id); known != m_results.end()) return known->second;
    const ir::Function& function = m_bank.function(id);
    m_results.emplace(id, std::nullopt);
    if (!function.body.isValid()) return std::nullopt;
    const auto parameter = [&](TermId place, std::uint32_t /*index*/) -> std::optional<Lengths> {
        const bool isPart = m_bank.is(place, CoreOp::Get);
        const TermId variable = isPart ? m_bank.child(place, 0) : place;
        if (!m_bank.is(variable, CoreOp::Variable)) return std::nullopt;
        const auto isIt = [&](const ir::Parameter& p) { return p.name == m_bank.payload(variable).asSymbol(); };
        const auto at = std::ranges::find_if(function.parameters, isIt);
        if (at == function.parameters.end()) return std::nullopt;
        if (!isPart) return ofType(at->type);
        return ofType(m_bank.types().children(at->type)[m_bank.payload(place).projectionIndex()]);
    };
    const std::vector<std::optional<Lengths>> outside = std::exchange(m_bound, {});
    const std::optional<Lengths> result = of(function.body, parameter);
    m_bound = outside;
    m_results[id] = result;
    return result;
}

std::optional<Lengths> KnownLengths::of(TermId term, Outside outside) {
    if (m_bank.treeSize(term) > LargestTerm) return std::nullopt;
    return walk(term, outside);
}

std::optional<Lengths> KnownLengths::ofVector(TermId size, std::optional<Lengths> element) const {
    if (!element || m_bank.type(size) != m_bank.types().integer()) return std::nullopt;
    const bool isKnown = m_bank.is(size, CoreOp::Literal) && m_bank.payload(size).asInteger() >= 0;
    element->insert(element->begin(), isKnown ? m_bank.payload(size).asInteger() : Unknown);
    return element;
}

std::optional<Lengths> KnownLengths::below(TermId term, std::optional<Lengths> variable, Outside outside) {
    m_bound.push_back(std::move(variable));
    std::optional<Lengths> lengths = walk(term, outside);
    m_bound.pop_back();
    return lengths;
}

std::optional<Lengths> KnownLengths::walk(TermId term, Outside outside) {
    const TypeId type = m_bank.type(term);
    const ir::TypeTable& types = m_bank.types();
    if (type == types.floating()) return Lengths{};
    if (!types.isTensor(type) || types.rank(type) != 1) return std::nullopt;
    const auto child = [&](std::uint32_t i) { return m_bank.child(term, i); };
    switch (static_cast<CoreOp>(m_bank.op(term).value)) {
        case CoreOp::Bound: {
            const std::uint32_t index = m_bank.payload(term).asIndex();
            if (index < m_bound.size()) return m_bound[m_bound.size() - 1 - index];
            return outside(term, index - static_cast<std::uint32_t>(m_bound.size()));
        }
        case CoreOp::Variable:
        case CoreOp::Get: return outside(term, 0);
        case CoreOp::Let: return below(child(1), walk(child(0), outside), outside);
        case CoreOp::Call: return ofResult(m_bank.payload(term).asFunction());
        default: break;
    }
    switch (ks::ksOp(m_bank.op(term))) {
        case Op::Build:
            if (!m_bank.is(child(1), CoreOp::Lam)) return std::nullopt;
            return ofVector(child(0), below(m_bank.child(child(1), 0), std::nullopt, outside));
        case Op::Sumbuild:
            if (!m_bank.is(child(1), CoreOp::Lam)) return std::nullopt;
            return below(m_bank.child(child(1), 0), std::nullopt, outside);
        case Op::VecInit: {
            std::optional<Lengths> lengths = walk(child(0), outside);
            for (std::uint32_t i = 1; i < m_bank.childCount(term); ++i)
                lengths = either(lengths, walk(child(i), outside));
            if (lengths) lengths->insert(lengths->begin(), static_cast<std::int64_t>(m_bank.childCount(term)));
            return lengths;
        }
        case Op::ConstVec: return ofVector(child(0), walk(child(1), outside));
        case Op::DeltaVec: return ofVector(child(0), walk(child(2), outside));
        case Op::Index: {
            if (types.rank(m_bank.type(child(1))) != 1) return std::nullopt;
            std::optional<Lengths> lengths = walk(child(1), outside);
            if (lengths) lengths->erase(lengths->begin());
            return lengths;
        }
        case Op::If: return either(walk(child(1), outside), walk(child(2), outside));
        case Op::Assert: return walk(child(1), outside);
        case Op::TsNeg: return walk(child(0), outside);
        case Op::TsScale: return walk(child(1), outside);
        case Op::TsAdd:
            if (m_bank.type(child(1)) != type) return std::nullopt;
            return both(walk(child(0), outside), walk(child(1), outside));
        default: return std::nullopt;
    }
}

}  // namespace mitos::loops
