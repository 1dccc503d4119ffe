// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/code.h"

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace mitos::loops {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

BlockId NamedBlocks::open(BlockId outer) {
    m_blocks.push_back(Block{outer});
    return BlockId(static_cast<std::uint32_t>(m_blocks.size() - 1));
}

BlockId NamedBlocks::openBranch(BlockId outer, TermId condition, std::size_t branch) {
    const BlockId block = open(outer);
    m_blocks[block.value].condition = definition(condition);
    m_blocks[block.value].branch = branch;
    return block;
}

bool NamedBlocks::isIn(BlockId block, BlockId outer) const {
    outer = resolved(outer);
    while (block.isValid() && block != outer) block = m_blocks[block.value].outer;
    return block == outer;
}

Symbol NamedBlocks::fresh(std::string_view hint) {
    return m_bank.symbols().intern(fmt::format("{}#{}", hint.substr(0, hint.find('#')), ++m_next));
}

Symbol NamedBlocks::hintFor(std::string_view hint) {
    return m_bank.symbols().intern(std::string(hint.substr(0, hint.find('#'))));
}

TermId NamedBlocks::parameter(BlockId block, std::string_view hint, TypeId type) {
    Block& lambda = m_blocks[block.value];
    lambda.parameter = fresh(hint);
    lambda.hint = hintFor(hint);
    lambda.parameterType = type;
    return m_bank.variable(lambda.parameter, type);
}

void NamedBlocks::note(BlockId block, Binding binding) {
    Block& target = m_blocks[block.value];
    if (m_origins != nullptr) {
        for (const Symbol name : binding.names) m_origins->note(name, m_origin);
    }
    for (std::uint32_t leaf = 0; leaf < binding.names.size(); ++leaf) {
        m_places[binding.names[leaf]] = {block, static_cast<std::uint32_t>(target.bindings.size()), leaf};
    }
    target.isTotal = target.isTotal && binding.isTotal;
    if (binding.op == Op::If) {
        target.choices[definition(binding.operand)].push_back(static_cast<std::uint32_t>(target.bindings.size()));
    }
    target.bindings.push_back(std::move(binding));
}

TermId NamedBlocks::known(BlockId block, TermId value) {
    for (int level = 0; level < MostBlocks && block.isValid(); ++level, block = outer(block)) {
        const auto& values = m_blocks[block.value].known;
        if (const auto found = values.find(value); found != values.end()) return found->second;
        if (!m_blocks[block.value].condition.isValid()) continue;
        if (const TermId variable = knownByChoice(block, value); variable.isValid()) return variable;
    }
    return {};
}

std::vector<NamedBlocks::Place> NamedBlocks::choicesOn(TermId condition, BlockId block) const {
    std::vector<Place> places;
    for (int level = 0; level < MostBlocks && block.isValid(); ++level, block = outer(block)) {
        const auto found = m_blocks[block.value].choices.find(condition);
        if (found == m_blocks[block.value].choices.end()) continue;
        for (auto index = found->second.rbegin(); index != found->second.rend(); ++index) {
            if (places.size() == MostChoices) return places;
            places.push_back({block, *index});
        }
    }
    return places;
}

TermId NamedBlocks::knownByChoice(BlockId branch, TermId value) {
    const Block& block = m_blocks[branch.value];
    if (!zeroOf(m_bank.type(value)).isValid() || m_bank.treeSize(value) > LargestKnown) return {};
    const std::size_t which = block.branch;
    for (const Place& place : choicesOn(block.condition, outer(branch))) {
        Binding& choice = bindingAt(place);
        const auto& values = m_blocks[choice.blocks[which].value].known;
        const auto found = values.find(inBranch(value, choice, which));
        if (found != values.end()) return addLeaf(choice, place, which, found->second);
    }
    return {};
}

TermId NamedBlocks::zeroOf(TypeId type) {
    if (type == m_bank.types().floating()) return m_bank.floating(0.0);
    if (type == m_bank.types().integer()) return m_bank.integer(0);
    if (type == m_bank.types().boolean()) return m_bank.boolean(false);
    return {};
}

TermId NamedBlocks::inBranch(TermId term, const Binding& binding, std::size_t branch) {
    if (m_bank.is(term, CoreOp::Variable)) {
        const auto place = m_places.find(m_bank.payload(term).asSymbol());
        if (place == m_places.end() || &bindingAt(place->second) != &binding) return term;
        return binding.leaves[branch][place->second.leaf];
    }
    if (m_bank.childCount(term) == 0) return term;
    absl::InlinedVector<TermId, 8> children(m_bank.children(term).begin(), m_bank.children(term).end());
    bool isChanged = false;
    for (TermId& child : children) {
        const TermId before = child;
        child = inBranch(child, binding, branch);
        isChanged = isChanged || child != before;
    }
    if (!isChanged) return term;
    return m_bank.stated(m_bank.op(term), m_bank.type(term), children, m_bank.payload(term));
}

TermId NamedBlocks::addLeaf(Binding& binding, const Place& place, std::size_t branch, TermId value) {
    for (std::size_t leaf = 0; leaf < binding.names.size(); ++leaf) {
        if (binding.leaves[branch][leaf] == value) return m_bank.variable(binding.names[leaf], m_bank.type(value));
    }
    const Symbol name = fresh(m_bank.text(binding.hint));
    m_places[name] = {place.block, place.binding, static_cast<std::uint32_t>(binding.names.size())};
    binding.names.push_back(name);
    binding.isNeeded.push_back(false);
    for (std::size_t i = 0; i < binding.leaves.size(); ++i) {
        binding.leaves[i].push_back(i == branch ? value : zeroOf(m_bank.type(value)));
    }
    return m_bank.variable(name, m_bank.type(value));
}

TermId NamedBlocks::bind(BlockId block, TermId value, std::string_view hint, bool isTemporary) {
    if (const TermId variable = known(block, value); variable.isValid()) {
        if (!isTemporary) keep(variable);
        return variable;
    }
    const Symbol name = fresh(hint);
    const TypeId type = m_bank.type(value);
    note(block, Binding{.hint = hintFor(hint),
                        .value = value,
                        .names = {name},
                        .isTemporary = isTemporary,
                        .isTotal = mayDrop(value)});
    const TermId variable = m_bank.variable(name, type);
    m_blocks[block.value].known.emplace(value, variable);
    return variable;
}

void NamedBlocks::keep(TermId variable) {
    if (!m_bank.is(variable, CoreOp::Variable)) return;
    const auto place = m_places.find(m_bank.payload(variable).asSymbol());
    if (place != m_places.end()) bindingAt(place->second).isTemporary = false;
}

std::vector<TermId> NamedBlocks::bindLeaves(BlockId block, Op op, TermId operand, std::span<const BlockId> blocks,
                                            std::vector<std::vector<TermId>> leaves, std::string_view hint,
                                            bool isTemporary) {
    Binding binding{.hint = hintFor(hint), .names = {}, .isTemporary = isTemporary, .op = op, .operand = operand};
    binding.isTotal = op == Op::If && isTotal(operand);
    binding.blocks.assign(blocks.begin(), blocks.end());
    for (const BlockId inner : blocks) binding.isTotal = binding.isTotal && m_blocks[inner.value].isTotal;
    const TermId condition = definition(operand);
    const std::vector<Place> earlier = op == Op::If ? choicesOn(condition, block) : std::vector<Place>();
    std::vector<TermId> variables;
    std::vector<std::vector<TermId>> own(leaves.size());
    for (std::size_t leaf = 0; leaf < leaves[0].size(); ++leaf) {
        // A leaf that an earlier choice has is not made again.
        TermId same;
        for (const Place& place : earlier) {
            const Binding& choice = bindingAt(place);
            const TermId first = inBranch(leaves[0][leaf], choice, 0);
            const TermId second = inBranch(leaves[1][leaf], choice, 1);
            for (std::size_t i = 0; i < choice.names.size() && !same.isValid(); ++i) {
                if (choice.leaves[0][i] != first || choice.leaves[1][i] != second) continue;
                same = m_bank.variable(choice.names[i], m_bank.type(first));
            }
        }
        if (same.isValid()) {
            variables.push_back(same);
            continue;
        }
        binding.names.push_back(fresh(hint));
        variables.push_back(m_bank.variable(binding.names.back(), m_bank.type(leaves[0][leaf])));
        for (std::size_t i = 0; i < leaves.size(); ++i) own[i].push_back(leaves[i][leaf]);
    }
    if (binding.names.empty() && binding.isTotal) return variables;
    binding.isNeeded.resize(binding.names.size(), false);
    binding.leaves = std::move(own);
    note(block, std::move(binding));
    return variables;
}

void NamedBlocks::splice(BlockId inner) {
    std::vector<Binding> bindings = std::exchange(m_blocks[inner.value].bindings, {});
    m_blocks[inner.value].isSpliced = true;
    const BlockId into = resolved(inner);
    for (Binding& binding : bindings) note(into, std::move(binding));
    m_blocks[inner.value].choices.clear();
    for (const auto& [value, variable] : std::exchange(m_blocks[inner.value].known, {})) {
        m_blocks[into.value].known.emplace(value, variable);
    }
}

BlockId NamedBlocks::resolved(BlockId block) const {
    while (block.isValid() && m_blocks[block.value].isSpliced) block = m_blocks[block.value].outer;
    return block;
}

TermId NamedBlocks::standIn(BlockId block, TermId result, TypeId type) {
    const Symbol name = fresh("block");
    const bool isBlockTotal = m_blocks[block.value].isTotal && isTotal(result);
    m_nested.emplace(name, Nested{block, result});
    const TermId variable = m_bank.variable(name, type);
    m_total[variable] = isBlockTotal;
    return variable;
}

TermId NamedBlocks::lambda(BlockId block, TermId result) {
    const TypeId type = m_bank.types().lambda(m_blocks[block.value].parameterType, m_bank.type(result));
    return standIn(block, result, type);
}

TermId NamedBlocks::branch(BlockId block, TermId result) {
    if (isEmpty(block)) return result;
    return standIn(block, result, m_bank.type(result));
}

TermId NamedBlocks::definition(TermId term) const {
    if (!m_bank.is(term, CoreOp::Variable)) return term;
    const auto place = m_places.find(m_bank.payload(term).asSymbol());
    if (place == m_places.end() || !bindingAt(place->second).value.isValid()) return term;
    return bindingAt(place->second).value;
}

bool NamedBlocks::isAtom(TermId term) const {
    if (m_bank.is(term, CoreOp::Literal)) return true;
    if (m_bank.is(term, CoreOp::Tuple)) return m_bank.childCount(term) == 0;
    return m_bank.is(term, CoreOp::Variable) && !m_nested.contains(m_bank.payload(term).asSymbol());
}

bool NamedBlocks::isOwnTotal(TermId term) const {
    const auto isSize = [&](TermId size) {
        if (m_bank.type(size) != m_bank.types().integer()) return false;
        if (m_bank.is(size, CoreOp::Literal)) return m_bank.payload(size).asInteger() >= 0;
        return m_sizes.contains(size) || m_bank.op(size) == ks::opId(Op::Size);
    };
    const Op op = ks::ksOp(m_bank.op(term));
    const ir::TypeTable& types = m_bank.types();
    switch (op) {
        case Op::Count: return !m_bank.is(term, CoreOp::Call);
        case Op::Div:
        case Op::TsAdd: return m_bank.type(term) == types.floating();
        case Op::Max: return m_bank.childCount(term) == 2;
        case Op::ConstVec:
        case Op::DeltaVec:
        case Op::Build: return isSize(m_bank.child(term, 0));
        case Op::Loop:
        case Op::Apply:
        case Op::FFold:
        case Op::RFold: return false;
        default: break;
    }
    const ir::OperatorTraits& traits = m_bank.registry().info(m_bank.op(term)).traits;
    const bool isOfNumbers = types.isNumeric(m_bank.type(term)) || op >= Op::Gt;
    return !traits.mayFail && !traits.effectful && (!traits.pointwise || isOfNumbers);
}

bool NamedBlocks::isTotal(TermId term) {
    if (m_bank.is(term, CoreOp::Literal)) return true;
    if (const auto known = m_total.find(term); known != m_total.end()) return known->second;
    bool result = isOwnTotal(term);
    for (std::size_t i = 0; result && i < m_bank.childCount(term); ++i) result = isTotal(m_bank.child(term, i));
    m_total[term] = result;
    return result;
}

bool NamedBlocks::mayDrop(TermId term) {
    const TypeId type = m_bank.type(term);
    return isTotal(term) || !(m_bank.types().isNumeric(type) || type == m_bank.types().boolean());
}

bool NamedBlocks::isNeverNegativeZero(TermId term, int levels) const {
    if (levels == 0) return false;
    const auto child = [&](std::size_t i) { return isNeverNegativeZero(m_bank.child(term, i), levels - 1); };
    if (m_bank.is(term, CoreOp::Literal)) {
        const double value = m_bank.payload(term).asFloat();
        return value != 0.0 || !std::signbit(value);
    }
    if (m_bank.is(term, CoreOp::Variable)) {
        const auto place = m_places.find(m_bank.payload(term).asSymbol());
        if (place == m_places.end() || !bindingAt(place->second).value.isValid()) return false;
        return isNeverNegativeZero(bindingAt(place->second).value, levels - 1);
    }
    switch (ks::ksOp(m_bank.op(term))) {
        case Op::Add: return child(0) || child(1);
        case Op::Sub: return child(0);
        case Op::If: return child(1) && child(2);
        case Op::Mul: return m_bank.child(term, 0) == m_bank.child(term, 1);
        case Op::Exp:
        case Op::Cosh:
        case Op::Abs:
        case Op::ToFloat:
        case Op::BoolToFloat:
        case Op::Dot: return true;
        default: return false;
    }
}

// --- what is needed -----------------------------------------------------------------------------------------------------

void NamedBlocks::enter(BlockId block) {
    const std::vector<Binding>& bindings = m_blocks[block.value].bindings;
    for (std::uint32_t i = 0; i < bindings.size(); ++i) {
        if (!bindings[i].isTotal && !bindings[i].isReached) m_pending.push_back({block, i});
    }
}

void NamedBlocks::need(const Place& place) {
    Binding& binding = bindingAt(place);
    if (binding.isReached) return;
    binding.isReached = true;
    m_open.emplace_back(binding.value.isValid() ? binding.value : binding.operand, place.block);
    for (const BlockId inner : binding.blocks) enter(inner);
}

bool NamedBlocks::isCovered(TermId value, BlockId at) {
    if (isTotal(value)) return true;
    for (BlockId block = at; block.isValid(); block = outer(block)) {
        if (m_computed.contains({value, block})) return true;
    }
    if (m_bank.childCount(value) == 0 || !isOwnTotal(value)) return false;
    for (std::size_t i = 0; i < m_bank.childCount(value); ++i) {
        if (!isCovered(m_bank.child(value, i), at)) return false;
    }
    return true;
}

void NamedBlocks::visitVariable(Symbol name, BlockId at) {
    if (const auto nested = m_nested.find(name); nested != m_nested.end()) {
        enter(nested->second.block);
        m_open.emplace_back(nested->second.result, nested->second.block);
        return;
    }
    const auto place = m_places.find(name);
    if (place == m_places.end()) return;
    const BlockId home = place->second.block;
    Use& use = m_uses[name];
    ++use.count;
    use.isInside = use.isInside || at != home;
    need(place->second);
    Binding& binding = bindingAt(place->second);
    if (binding.value.isValid()) return;
    const std::uint32_t leaf = place->second.leaf;
    if (binding.isNeeded[leaf]) return;
    binding.isNeeded[leaf] = true;
    for (std::size_t i = 0; i < binding.blocks.size(); ++i) {
        m_open.emplace_back(binding.leaves[i][leaf], binding.blocks[i]);
    }
}

void NamedBlocks::visit(TermId term, BlockId at) {
    if (m_bank.is(term, CoreOp::Variable)) return visitVariable(m_bank.payload(term).asSymbol(), at);
    if (m_bank.childCount(term) > 0 && !isOwnTotal(term)) m_computed.emplace(term, at);
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) visit(m_bank.child(term, i), at);
}

void NamedBlocks::reach(BlockId block, TermId result) {
    enter(block);
    m_open.emplace_back(result, block);
    while (!m_open.empty() || !m_pending.empty()) {
        if (m_open.empty()) {
            const Place next = m_pending.back();
            m_pending.pop_back();
            const TermId value = bindingAt(next).value;
            if (!value.isValid() || !isCovered(value, next.block)) need(next);
            continue;
        }
        const auto [term, at] = m_open.back();
        m_open.pop_back();
        visit(term, at);
    }
}

// --- lets and lambdas -----------------------------------------------------------------------------------------------------

bool NamedBlocks::isInlined(const Binding& binding) const {
    if (!binding.isTemporary) return false;
    if (std::ranges::count(binding.isNeeded, true) > 1) return false;
    int uses = 0;
    for (const Symbol name : binding.names) {
        const auto use = m_uses.find(name);
        if (use == m_uses.end()) continue;
        if (use->second.isInside) return false;
        uses += use->second.count;
    }
    return uses == 1;
}

TermId NamedBlocks::close(BlockId block, TermId result) {
    reach(block, result);
    return closed(block, {&result, 1}, 0);
}

TermId NamedBlocks::closed(BlockId block, std::span<const TermId> results, std::uint32_t depth) {
    std::vector<std::pair<Symbol, TermId>> lets;
    for (const Binding& binding : m_blocks[block.value].bindings) {
        if (!binding.isReached || isInlined(binding)) continue;
        const TermId value = binding.value.isValid() ? placed(binding.value, depth) : placedLeaves(binding, depth);
        noteValue(binding, value);
        for (const Symbol name : binding.names) m_levels[name] = depth;
        lets.emplace_back(binding.hint, value);
        ++depth;
    }
    absl::InlinedVector<TermId, 8> parts;
    for (const TermId part : results) parts.push_back(placed(part, depth));
    TermId term = parts.size() == 1 ? parts[0] : m_bank.tuple(parts);
    for (auto let = lets.rbegin(); let != lets.rend(); ++let) term = m_bank.let(let->first, let->second, term);
    return term;
}

TermId NamedBlocks::lambdaOver(BlockId block, std::span<const TermId> results, std::uint32_t depth) {
    const Block& lambda = m_blocks[block.value];
    m_levels[lambda.parameter] = depth;
    return m_bank.lambda(lambda.hint, lambda.parameterType, closed(block, results, depth + 1));
}

TermId NamedBlocks::placedLeaves(const Binding& binding, std::uint32_t depth) {
    absl::InlinedVector<TermId, 3> children{placed(binding.operand, depth)};
    for (std::size_t i = 0; i < binding.blocks.size(); ++i) {
        std::vector<TermId> needed;
        for (std::size_t leaf = 0; leaf < binding.isNeeded.size(); ++leaf) {
            if (binding.isNeeded[leaf]) needed.push_back(binding.leaves[i][leaf]);
        }
        if (needed.empty()) needed.push_back(m_bank.integer(0));
        children.push_back(m_blocks[binding.blocks[i].value].parameter.isValid()
                               ? lambdaOver(binding.blocks[i], needed, depth)
                               : closed(binding.blocks[i], needed, depth));
    }
    return *m_bank.make(ks::opId(binding.op), children);
}

TermId NamedBlocks::allLeaves(TermId tuple, std::uint32_t depth) {
    const Binding* common = nullptr;
    for (std::uint32_t i = 0; i < m_bank.childCount(tuple); ++i) {
        const TermId part = m_bank.child(tuple, i);
        if (!m_bank.is(part, CoreOp::Variable)) return {};
        const auto place = m_places.find(m_bank.payload(part).asSymbol());
        if (place == m_places.end() || place->second.leaf != i) return {};
        const Binding& binding = bindingAt(place->second);
        if (binding.value.isValid() || (common != nullptr && common != &binding)) return {};
        common = &binding;
    }
    if (common == nullptr || common->names.size() != m_bank.childCount(tuple)) return {};
    if (common->names.size() == 1) return {};
    return m_bank.bound(depth - 1 - m_levels.at(common->names[0]), m_bank.type(tuple));
}

TermId NamedBlocks::placedVariable(TermId variable, std::uint32_t depth) {
    const Symbol name = m_bank.payload(variable).asSymbol();
    if (const auto nested = m_nested.find(name); nested != m_nested.end()) {
        const Nested inner = nested->second;
        const std::span<const TermId> result(&inner.result, 1);
        return m_blocks[inner.block.value].parameter.isValid() ? lambdaOver(inner.block, result, depth)
                                                               : closed(inner.block, result, depth);
    }
    const auto place = m_places.find(name);
    if (place == m_places.end()) {
        const auto level = m_levels.find(name);
        return level == m_levels.end() ? variable : m_bank.bound(depth - 1 - level->second, m_bank.type(variable));
    }
    const Binding& binding = bindingAt(place->second);
    if (isInlined(binding)) {
        return binding.value.isValid() ? placed(binding.value, depth) : placedLeaves(binding, depth);
    }
    const std::uint32_t index = depth - 1 - m_levels.at(name);
    const auto needed = static_cast<std::uint32_t>(std::ranges::count(binding.isNeeded, true));
    if (needed < 2) return m_bank.bound(index, m_bank.type(variable));
    std::vector<TypeId> types;
    std::uint32_t at = 0;
    for (std::uint32_t leaf = 0; leaf < binding.isNeeded.size(); ++leaf) {
        if (!binding.isNeeded[leaf]) continue;
        if (leaf == place->second.leaf) at = static_cast<std::uint32_t>(types.size());
        types.push_back(m_bank.type(binding.leaves[0][leaf]));
    }
    return m_bank.get(m_bank.bound(index, m_bank.types().tuple(types)), at);
}

void NamedBlocks::noteValue(const Binding& binding, TermId value) {
    if (m_origins == nullptr || m_bank.childCount(value) == 0) return;
    for (const Symbol name : binding.names) m_origins->noteValue(name, value);
}

TermId NamedBlocks::placed(TermId term, std::uint32_t depth) {
    const TermId result = placedPlain(term, depth);
    if (m_origins != nullptr && m_bank.childCount(result) > 0) m_origins->carry(term, result);
    return result;
}

TermId NamedBlocks::placedPlain(TermId term, std::uint32_t depth) {
    if (m_bank.is(term, CoreOp::Variable)) return placedVariable(term, depth);
    if (m_bank.childCount(term) == 0) return term;
    if (m_bank.is(term, CoreOp::Tuple)) {
        if (const TermId all = allLeaves(term, depth); all.isValid()) return all;
    }
    absl::InlinedVector<TermId, 8> children(m_bank.children(term).begin(), m_bank.children(term).end());
    for (TermId& child : children) child = placed(child, depth);
    return m_bank.stated(m_bank.op(term), m_bank.type(term), children, m_bank.payload(term), m_bank.hint(term));
}

}  // namespace mitos::loops
