// SPDX-License-Identifier: GPL-3.0-or-later
// Reverse mode: passes tangents from values to what they were computed from. Variables collect contributions.
#include "core/autodiff/internal/differentiator.h"
#include "core/autodiff/internal/shared_values.h"
#include "core/autodiff/internal/singular.h"
#include "core/ir/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermId;
using ks::Op;

TermId Differentiator::tangentOf(Block& block, TermId variable) {
    return m_combiner.combine(block, {variable}, take(symbolOf(variable)));
}

std::vector<Contribution> Differentiator::take(Symbol name) {
    const auto found = m_sums.find(name);
    if (found == m_sums.end()) return {};
    std::vector<Contribution> taken = std::move(found->second);
    m_sums.erase(found);
    return taken;
}

void Differentiator::add(const Place& place, const Cotangent& dt) {
    Contribution contribution{place.path, dt.value, dt.isGuarded};
    contribution.path.insert(contribution.path.end(), dt.path.begin(), dt.path.end());
    m_sums[symbolOf(place.base)].push_back(std::move(contribution));
}

std::vector<Symbol> Differentiator::sortedNames(const Sums& sums) {
    std::vector<Symbol> names;
    for (const auto& [name, contributions] : sums) names.push_back(name);
    std::ranges::sort(names, {}, [](Symbol name) { return name.value; });
    return names;
}

PartPath Differentiator::outerPrefix(Block& outer, const Block& inner, const PartPath& path) {
    PartPath prefix;
    for (const PathStep& step : path) {
        if (step.isIndex() && inner.isInner(step.index)) {
            const std::optional<TermId> lifted = inner.lifted(step.index);
            if (!lifted) break;
            prefix.push_back({outer.emit(*lifted, "i"), 0});
        } else {
            prefix.push_back(step);
        }
    }
    return prefix;
}

/// The whole tangent of the record's value.
TermId Differentiator::dense(Block& block, const Record& record, const Cotangent& dt) {
    if (dt.path.empty()) return dt.value;
    const Place place{block.emit(record.value, "t")};
    // The sizes that it states serve for the zeros of its other parts.
    if (m_bank.is(place.base, ir::CoreOp::Variable)) m_make.declare(place.base, m_make.statedType(block, record.term));
    return block.emit(m_combiner.combine(block, place, {{dt.path, dt.value, dt.isGuarded}}), "d");
}

void Differentiator::pull(Block& block, const Record& record, const Cotangent& dt) {
    if (!record.isActive) return;
    const AtOrigin at(m_names, record.origin);
    if (!record.lets.empty()) return pullLets(block, record, dt);
    if (record.place) return add(*record.place, dt);
    pullOperator(block, record, dt);
}

void Differentiator::pullLets(Block& block, const Record& record, const Cotangent& dt) {
    const std::size_t outside = m_branchLets.size();
    std::ranges::move(branchLetsOf(record), std::back_inserter(m_branchLets));
    pull(block, record.parts.back(), dt);
    m_branchLets.resize(outside);
    for (std::size_t i = record.lets.size(); i-- > 0;) {
        const Record::Let& let = record.lets[i];
        const std::vector<Contribution> contributions = take(let.name);
        if (!contributions.empty()) pullLet(block, let.name, record.parts[let.value], contributions);
    }
}

void Differentiator::pullLet(Block& block, Symbol name, const Record& value,
                             const std::vector<Contribution>& contributions) {
    if (contributions.size() == 1 && !contributions[0].nest) {
        if (contributions[0].path.empty()) block.rename(contributions[0].value, tangentHint(block, name));
        return pull(block, value, {contributions[0].path, contributions[0].value, contributions[0].isGuarded});
    }
    const TermId variable = m_bank.variable(name, m_bank.type(value.value));
    const AtOrigin at(m_names, value.origin);
    const TermId d = m_combiner.combine(block, {variable}, contributions);
    const bool isNamed = m_make.hasKnownShape(m_bank.type(d));  // a tensor that is used once is not stored
    pull(block, value, {{}, block.emit(d, tangentHint(block, name), isNamed)});
}

/// The lets of loops whose values no later let needs, and one branch of the body.
std::vector<Differentiator::BranchLet> Differentiator::branchLetsOf(const Record& record) const {
    const Record& choice = record.parts.back();
    std::vector<BranchLet> found;
    if (!choice.isActive || !choice.lets.empty() || choice.place || ksOp(choice) != Op::If) return found;
    for (std::size_t i = 0; i < record.lets.size(); ++i) {
        const Record::Let& let = record.lets[i];
        const Record& value = record.parts[let.value];
        const bool isNeededLater = std::any_of(
            record.lets.begin() + static_cast<std::ptrdiff_t>(i) + 1, record.lets.end(),
            [&](const Record::Let& later) { return mentions(m_bank, record.parts[later.value], let.name); });
        const bool isInFirst = mentionsFree(m_bank, choice.parts[1].term, let.name);
        const bool isInSecond = mentionsFree(m_bank, choice.parts[2].term, let.name);
        if (isNeededLater || isInFirst == isInSecond || !isPlainLoop(value)) continue;
        found.push_back({&choice, isInFirst ? 0U : 1U, let.name, &value});
    }
    return found;
}

bool Differentiator::mentions(const ir::TermBank& bank, const Record& record, Symbol name) {
    return mentionsFree(bank, record.term, name) ||
           std::ranges::any_of(record.parts, [&](const Record& part) { return mentions(bank, part, name); });
}

/// Whether a value is a sum of what is cheap to compute again.
bool Differentiator::isPlainLoop(const Record& record) const {
    if (!record.lets.empty()) return isPlainLoop(record.parts.back());
    return ksOp(record) == Op::Sumbuild && m_bank.is(record.parts[1].term, CoreOp::Lam) &&
           !hasCostlyParts(m_bank, m_bank.child(record.parts[1].term, 0));
}

void Differentiator::pullElement(Block& block, const Record& record, const Cotangent& dt, const PathStep& step,
                                 std::size_t part) {
    Cotangent further{{step}, dt.value, dt.isGuarded};
    further.path.insert(further.path.end(), dt.path.begin(), dt.path.end());
    pull(block, record.parts[part], further);
}

void Differentiator::pullOperator(Block& block, const Record& record, const Cotangent& dt) {
    if (m_bank.is(record.term, CoreOp::Get)) {
        return pullElement(block, record, dt, {{}, m_bank.payload(record.term).projectionIndex()}, 0);
    }
    if (m_bank.is(record.term, CoreOp::Tuple)) {
        if (!dt.path.empty()) {
            const PartPath rest(dt.path.begin() + 1, dt.path.end());
            return pull(block, record.parts[dt.path[0].element], {rest, dt.value, dt.isGuarded});
        }
        for (std::uint32_t k = 0; k < record.parts.size(); ++k) {
            if (!record.parts[k].isActive) continue;
            pull(block, record.parts[k], {{}, block.emit(m_make.get(dt.value, k), "d")});
        }
        return;
    }
    if (m_bank.is(record.term, CoreOp::Call)) return pullCall(block, record, dense(block, record, dt));
    switch (ksOp(record)) {
        case Op::If: return pullBranches(block, record, dt);
        case Op::Assert: {
            const TermId d = m_make.op(Op::Assert, {record.parts[0].value, dt.value});
            return pull(block, record.parts[1], {dt.path, block.emit(d, "d"), dt.isGuarded});
        }
        case Op::Index: return pullElement(block, record, dt, {record.parts[0].value, 0}, 1);
        case Op::VecInit: {
            const TermId d = dense(block, record, dt);
            for (std::size_t k = 0; k < record.parts.size(); ++k) {
                if (!record.parts[k].isActive) continue;
                const TermId index = m_bank.integer(static_cast<std::int64_t>(k));
                pull(block, record.parts[k], {{}, block.emit(m_make.op(Op::Index, {index, d}), "d")});
            }
            return;
        }
        case Op::DeltaVec: return pullDeltaVec(block, record, dt);
        case Op::Build:
        case Op::Sumbuild: return pullLoop(block, record, dt);
        case Op::Fold: return pullFold(block, record, dense(block, record, dt));
        case Op::RFold: fail(record.term, "the reverse derivative of a fold has only a forward derivative");
        case Op::BuildFromSparse:
        case Op::BuildFromSparseTupled: return pullSparse(block, record, dt);
        default: break;
    }
    if (record.texts == nullptr) fail(record.term, fmt::format("{} has no derivative", m_bank.opName(record.term)));
    pullTexts(block, record, dense(block, record, dt));
}

/// The only element that is not zero has the tangent at its index, if that is the index of an element.
void Differentiator::pullDeltaVec(Block& block, const Record& record, const Cotangent& dt) {
    const TermId index = record.parts[1].value;
    const Record& element = record.parts[2];
    if (!dt.path.empty()) {
        const TermId d = m_make.op(Op::Delta, {dt.path[0].index, index, dt.value});
        const PartPath rest(dt.path.begin() + 1, dt.path.end());
        return pull(block, element, {rest, block.emit(d, "d"), dt.isGuarded});
    }
    const TermId exists = m_make.isIndexBelow(index, record.parts[0].value);
    const TermId d = m_make.op(Op::Index, {index, dt.value});
    pull(block, element, {{}, block.emit(m_make.op(Op::If, {exists, d, m_make.zeroAt({element.value})}), "d")});
}

void Differentiator::pullTexts(Block& block, const Record& record, TermId dt) {
    std::vector<TermId> operands;
    for (const Record& part : record.parts) operands.push_back(part.value);
    const SingularSlopes slopes(m_bank, block);
    const std::size_t pending = m_pending.size();
    std::vector<std::pair<std::size_t, TermId>> tangents;
    for (std::size_t i = 0; i < record.parts.size(); ++i) {
        const std::string& text = record.texts->parts[i].reverse;
        if (text.empty() || !record.parts[i].isActive) continue;
        const TermId d =
            slopes.withoutKnownTest(m_texts.apply(m_bank.op(record.term), text, operands, record.value, dt));
        const TermId guarded = slopes.guarded(m_bank.op(record.term), d, dt);
        tangents.emplace_back(i, block.emit(overKnownValues(block, guarded, {}), "d"));
        m_pending.push_back(tangents.back().second);
    }
    for (const auto& [i, d] : tangents) pull(block, record.parts[i], {{}, d});
    m_pending.resize(pending);
}

/// The term with the block's variables in place of their values, and with x * r in place of x / b where r = 1 / b is one of them. Where a
/// condition does not hold, (if condition 0.0 x) is x.
TermId Differentiator::overKnownValues(const Block& block, TermId term, TermId condition) {
    if (m_bank.childCount(term) == 0 || m_bank.is(term, CoreOp::Lam)) return term;
    const TermId zero = m_bank.floating(0.0);
    const bool isGuard = m_bank.op(term) == opId(Op::If) && m_bank.child(term, 1) == zero;
    std::vector<TermId> children(m_bank.children(term).begin(), m_bank.children(term).end());
    for (std::size_t i = 0; i < children.size(); ++i) {
        children[i] = overKnownValues(block, children[i], isGuard && i == 2 ? children[0] : condition);
    }
    const TermId result = *m_bank.withChildren(term, children);
    if (const TermId known = block.known(result); known.isValid()) return known;
    const bool isFloat = m_bank.type(term) == m_bank.types().floating();
    if (condition.isValid() && isFloat) {
        const TermId known = block.known(m_make.op(Op::If, {condition, zero, result}));
        if (known.isValid()) return known;
    }
    if (m_bank.op(term) == opId(Op::Div) && isFloat) {
        const std::array reciprocal{m_bank.floating(1.0), children[1]};
        const TermId known = block.known(*m_bank.withChildren(term, reciprocal));
        if (known.isValid()) return m_make.op(Op::Mul, {children[0], known});
    }
    return result;
}

void Differentiator::pullCall(Block& block, const Record& record, TermId dt) {
    std::vector<TermId> arguments;
    for (const Record& part : record.parts) {
        if (m_bank.types().kind(m_bank.type(part.value)) == ir::TypeKind::Lambda) {
            fail(record.term, "a function that takes functions has no derivative");
        }
        arguments.push_back(part.value);
    }
    const bool isSingle = arguments.size() == 1;
    const TermId tangents =
        block.emit(calledDerivative(record, isSingle ? arguments[0] : m_make.tuple(arguments), dt), "d");
    for (std::uint32_t k = 0; k < record.parts.size(); ++k) {
        if (!record.parts[k].isActive) continue;
        pull(block, record.parts[k], {{}, block.emit(isSingle ? tangents : m_make.get(tangents, k), "d")});
    }
}

/// Sorts what a branch contributes by the parts that can be told outside of it.
void Differentiator::collectBranch(Block& block, const Block& inner, Sums& sums, std::size_t branch,
                                   std::vector<BranchPart>& parts) {
    for (const Symbol name : sortedNames(sums)) {
        for (const Contribution& c : sums[name]) {
            const BranchPart part{baseOf(name), c.nest ? PartPath() : outerPrefix(block, inner, c.path)};
            const PartPath rest(c.path.begin() + static_cast<std::ptrdiff_t>(part.path.size()), c.path.end());
            partAt(parts, part.base, part.path).contributions[branch].push_back({rest, c.value, c.isGuarded, c.nest});
        }
    }
}

Differentiator::BranchPart& Differentiator::partAt(std::vector<BranchPart>& parts, TermId base, const PartPath& path) {
    const auto same = [&](const BranchPart& p) { return p.base == base && p.path == path; };
    const auto known = std::ranges::find_if(parts, same);
    return known != parts.end() ? *known : *parts.insert(parts.end(), BranchPart{base, path});
}

/// Elements of one tensor that only one branch contributes to each, as one element whose index the condition chooses: no zero is needed
/// for the other branch.
void Differentiator::joinElements(Block& block, TermId condition, std::vector<BranchPart>& parts) {
    const auto isOfOne = [](const BranchPart& part, std::size_t branch) {
        return !part.contributions[branch].empty() && part.contributions[1 - branch].empty();
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (!isOfOne(parts[i], 0)) continue;
        const auto isOther = [&](const BranchPart& other) {
            const auto isAlike = [](const PathStep& a, const PathStep& b) {
                return a.isIndex() == b.isIndex() && a.element == b.element;
            };
            return isOfOne(other, 1) && other.base == parts[i].base &&
                   std::ranges::equal(other.path, parts[i].path, isAlike);
        };
        const auto other = std::ranges::find_if(parts, isOther);
        if (other == parts.end()) continue;
        for (std::size_t k = 0; k < other->path.size(); ++k) {
            PathStep& step = parts[i].path[k];
            if (step == other->path[k]) continue;
            step.index = block.emit(m_make.op(Op::If, {condition, step.index, other->path[k].index}), "i");
        }
        parts[i].contributions[1] = std::move(other->contributions[1]);
        const auto at = static_cast<std::size_t>(other - parts.begin());
        parts.erase(other);
        if (at < i) --i;
    }
}

std::size_t Differentiator::namedSteps(const Block& block, const Place& place) {
    if (m_step == nullptr) return 0;
    std::size_t named = 0;
    TermId value = place.base;
    for (std::size_t i = 0; i < place.path.size(); ++i) {
        const PathStep& step = place.path[i];
        if (!step.isIndex()) {
            value = m_make.get(value, step.element);
            continue;
        }
        value = block.known(m_make.op(Op::Index, {step.index, value}));
        if (!value.isValid()) break;
        named = i + 1;
    }
    return named;
}

/// Parts that only one branch contributes to need a zero. Where that would be made from an element, which may not exist where the other
/// branch is taken, the part is the tensor that has a name.
std::vector<Differentiator::BranchPart> Differentiator::withZeros(const Block& block, std::vector<BranchPart> parts) {
    std::vector<BranchPart> all;
    for (BranchPart& part : parts) {
        const bool isInBoth = !part.contributions[0].empty() && !part.contributions[1].empty();
        PartPath path = part.path;
        if (!isInBoth && !m_make.hasKnownShape(m_make.typeAt({part.base, part.path}))) {
            const auto named = path.begin() + static_cast<std::ptrdiff_t>(namedSteps(block, {part.base, path}));
            path.erase(std::find_if(named, path.end(), [](const PathStep& step) { return step.isIndex(); }),
                       path.end());
        }
        BranchPart& known = partAt(all, part.base, path);
        const auto first = part.path.begin() + static_cast<std::ptrdiff_t>(path.size());
        for (std::size_t branch = 0; branch < part.contributions.size(); ++branch) {
            for (Contribution& c : part.contributions[branch]) {
                c.path.insert(c.path.begin(), first, part.path.end());
                known.contributions[branch].push_back(std::move(c));
            }
        }
    }
    return all;
}

/// Adds the value of the branch that is taken. Where the other branch is taken, the element may not exist; its value is zero, and its index
/// is that of another element.
void Differentiator::addBranchPart(Block& block, TermId condition, BranchPart part, TermId value) {
    const bool isInFirst = !part.contributions[0].empty();
    const bool isInBoth = isInFirst && !part.contributions[1].empty();
    Place place{part.base, part.path};
    bool isGuarded = !isInBoth && guardIndices(block, place, condition, isInFirst);
    for (const std::vector<Contribution>& list : part.contributions) {
        isGuarded = isGuarded || std::ranges::any_of(list, &Contribution::isGuarded);
    }
    add({place.base}, {place.path, value, isGuarded});
}

/// Where the condition is not `exists`, the place is on another element. Returns whether there is an index that needs it.
bool Differentiator::guardIndices(Block& block, Place& place, TermId condition, bool exists) {
    bool isGuarded = false;
    for (std::size_t i = namedSteps(block, place); i < place.path.size(); ++i) {
        PathStep& step = place.path[i];
        const Place whole{place.base,
                          PartPath(place.path.begin(), place.path.begin() + static_cast<std::ptrdiff_t>(i))};
        if (!step.isIndex() || isInRange(block, step.index, whole)) continue;
        const TermId zero = m_make.zeroIndex(m_bank.type(step.index));
        step.index =
            block.emit(m_make.op(Op::If, {condition, exists ? step.index : zero, exists ? zero : step.index}), "i");
        isGuarded = true;
    }
    return isGuarded;
}

/// The contributions of the branch that is taken. Both branches give a value for each part that one of them contributes to.
void Differentiator::pullBranches(Block& block, const Record& record, const Cotangent& dt) {
    std::vector<BranchPart> parts;
    std::array blocks{Block(m_bank, m_names, &block), Block(m_bank, m_names, &block)};
    std::array<TermId, 2> values;
    for (std::size_t branch = 0; branch < blocks.size(); ++branch) {
        Sums outside = std::exchange(m_sums, {});
        const Record taken = sweepBranch(blocks[branch], record.parts[branch + 1]);
        values[branch] = taken.value;
        pull(blocks[branch], taken, dt);
        for (std::size_t i = m_branchLets.size(); i-- > 0;) {
            const BranchLet let = m_branchLets[i];
            if (let.choice != &record || let.branch != branch) continue;
            const std::vector<Contribution> contributions = take(let.name);
            if (!contributions.empty()) pullLet(blocks[branch], let.name, *let.value, contributions);
        }
        Sums inside = std::exchange(m_sums, std::move(outside));
        collectBranch(block, blocks[branch], inside, branch, parts);
    }
    if (parts.empty()) return;
    const TermId condition = record.parts[0].value;
    joinElements(block, condition, parts);
    parts = withZeros(block, std::move(parts));
    std::array<TermId, 2> results;
    std::array<TermId, 2> reusing;
    for (std::size_t branch = 0; branch < blocks.size(); ++branch) {
        std::vector<TermId> tangents;
        for (const BranchPart& part : parts) {
            tangents.push_back(m_combiner.combine(blocks[branch], {part.base, part.path}, part.contributions[branch]));
        }
        const TermId all = tangents.size() == 1 ? tangents[0] : m_make.tuple(tangents);
        results[branch] = blocks[branch].close(all);
        // Where the branch is taken, its value is that of the whole.
        blocks[branch].equate(values[branch], record.value);
        reusing[branch] = blocks[branch].close(all);
    }
    const TermId chosen = block.emit(m_make.op(Op::If, {condition, reusing[0], reusing[1]}), "d");
    if (reusing != results) {
        block.setAlternative(chosen, m_make.op(Op::If, {condition, results[0], results[1]}), record.value);
    }
    const bool isSingle = parts.size() == 1;
    for (std::uint32_t k = 0; k < parts.size(); ++k) {
        addBranchPart(block, condition, std::move(parts[k]),
                      isSingle ? chosen : block.emit(m_make.get(chosen, k), "d"));
    }
}

}  // namespace mitos::autodiff
