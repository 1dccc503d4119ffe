// SPDX-License-Identifier: GPL-3.0-or-later
// Operators are in an order of evaluation; a contiguous range of it is convex.
#include "core/tensor/blocks.h"

#include "core/base/hash.h"
#include "core/ir/shared.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace mitos::tensor {

using ir::TermId;

namespace {

using Number = std::uint32_t;
/// The scopes in a name: "a", "b" of "/a/b/conv".
using Scope = std::vector<std::string_view>;

constexpr Number SmallestBlock = 2;
constexpr Number SmallestPiece = 3;      ///< operators from which a piece that does not repeat becomes a block
constexpr Number SmallestWithInner = 8;  ///< a repeated block of fewer operators is not divided again
constexpr Number SmallestDivided = 12;   ///< programs of fewer operators are not divided, as they are easy to view
constexpr Number MostWidth = 4;          ///< live values at a cut
constexpr Number LargestPiece = 12;      ///< operators; or a third of all operators
constexpr Number LongestPeriod = 64;     ///< in pieces
constexpr std::size_t MostOperatorsNamed = 3;

/// The operators of a program in an order of evaluation.
struct Flow {
    const ir::TermBank& bank;
    std::vector<TermId> nodes;
    std::vector<std::vector<Number>> operands;  ///< only operands that are operators

    Flow(const ir::TermBank& terms, TermId root) : bank(terms) {
        absl::flat_hash_map<TermId, Number> numbers;
        for (const TermId node : ir::SharedNodes(bank, root)) {
            const bool isOutputs = node == root && bank.is(node, ir::CoreOp::Tuple);
            if (bank.childCount(node) == 0 || isOutputs) continue;
            numbers.emplace(node, size());
            nodes.push_back(node);
            operands.emplace_back();
            for (const TermId child : bank.children(node)) {
                if (const auto known = numbers.find(child); known != numbers.end()) {
                    operands.back().push_back(known->second);
                }
            }
        }
    }
    [[nodiscard]] Number size() const { return static_cast<Number>(nodes.size()); }
};

/// The most frequent operators, in the order of their first occurrence: "Conv · Relu".
std::string summary(const Flow& flow, Number first, Number last) {
    std::vector<std::pair<std::string_view, Number>> counts;
    for (Number i = first; i < last; ++i) {
        if (flow.bank.is(flow.nodes[i], ir::CoreOp::Get)) continue;
        const std::string_view name = operatorName(flow.bank, flow.nodes[i]);
        const auto known = std::ranges::find(counts, name, &std::pair<std::string_view, Number>::first);
        if (known == counts.end())
            counts.emplace_back(name, 1);
        else
            ++known->second;
    }
    std::vector<Number> most;
    for (const auto& [name, count] : counts) most.push_back(count);
    std::ranges::sort(most, std::greater());
    const Number least = most.size() > MostOperatorsNamed ? most[MostOperatorsNamed - 1] : 0;
    std::string text;
    std::size_t written = 0;
    for (const auto& [name, count] : counts) {
        if (count < least || written == MostOperatorsNamed) continue;
        text += fmt::format("{}{}", written++ > 0 ? " · " : "", name);
    }
    return written < counts.size() ? text + " …" : text;
}

// --- scopes --------------------------------------------------------------------------------------------------------------

Scope scopeOf(std::string_view name) {
    Scope scope;
    while (!name.empty()) {
        const std::size_t end = name.find('/');
        if (end == std::string_view::npos) break;  // the rest is the operator's own name
        if (end > 0) scope.push_back(name.substr(0, end));
        name.remove_prefix(end + 1);
    }
    return scope;
}

class ScopeBlocks {
public:
    explicit ScopeBlocks(const Flow& flow) : m_flow(flow), m_scopes(flow.size()) {
        for (Number i = 0; i < flow.size(); ++i) m_scopes[i] = find(i);
        dropCommonPrefix();
    }

    /// Whether names give the scopes of at least half of the operators.
    [[nodiscard]] bool isTelling() const {
        const auto scoped = std::ranges::count_if(m_scopes, [](const Scope& scope) { return !scope.empty(); });
        return m_flow.size() > 0 && 2 * static_cast<std::size_t>(scoped) >= m_scopes.size();
    }

    std::vector<Block> run() {
        std::vector<Number> all(m_flow.size());
        for (Number i = 0; i < m_flow.size(); ++i) all[i] = i;
        divide(all, 0, Block::None, {});
        return std::move(m_blocks);
    }

private:
    [[nodiscard]] Scope find(Number at) const {
        const ir::TermBank& bank = m_flow.bank;
        const TermId node = m_flow.nodes[at];
        if (const Symbol hint = bank.hint(node); hint.isValid()) {
            if (Scope scope = scopeOf(bank.text(hint)); !scope.empty()) return scope;
        }
        for (const TermId child : bank.children(node)) {
            if (bank.opName(child) != WeightName) continue;
            if (Scope scope = scopeOf(bank.text(bank.payload(child).asSymbol())); !scope.empty()) return scope;
        }
        const std::vector<Number>& operands = m_flow.operands[at];
        if (operands.empty()) return {};
        const Scope& first = m_scopes[operands.front()];
        const bool agree = std::ranges::all_of(operands, [&](Number other) { return m_scopes[other] == first; });
        return agree ? first : Scope();
    }

    /// Drops the common prefix of all names, which distinguishes nothing.
    void dropCommonPrefix() {
        const Scope* shortest = nullptr;
        std::size_t common = 0;
        for (const Scope& scope : m_scopes) {
            if (scope.empty()) continue;
            if (shortest == nullptr) {
                shortest = &scope;
                common = scope.size();
            }
            const auto differs = std::ranges::mismatch(*shortest, scope).in1;
            common = std::min(common, static_cast<std::size_t>(differs - shortest->begin()));
        }
        if (common == 0) return;
        const auto drop = static_cast<std::ptrdiff_t>(common);
        for (Scope& scope : m_scopes) {
            if (!scope.empty()) scope.erase(scope.begin(), scope.begin() + drop);
        }
    }

    void divide(const std::vector<Number>& members, std::size_t level, Number parent, const std::string& prefix) {
        std::vector<std::pair<std::string_view, std::vector<Number>>> groups;
        absl::flat_hash_map<std::string_view, std::size_t> known;
        for (const Number member : members) {
            if (m_scopes[member].size() <= level) {
                if (parent != Block::None) m_blocks[parent].nodes.push_back(m_flow.nodes[member]);
                continue;
            }
            const std::string_view name = m_scopes[member][level];
            const auto [at, isNew] = known.emplace(name, groups.size());
            if (isNew) groups.push_back({name, {}});
            groups[at->second].second.push_back(member);
        }
        for (const auto& [name, group] : groups) {
            const std::string path = prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
            if (group.size() == members.size()) {  // a scope that is all of its parent scope
                divide(group, level + 1, parent, path);
                if (parent != Block::None) m_blocks[parent].name = path;
                continue;
            }
            const std::vector<std::vector<Number>> parts = convexParts(group);
            for (std::size_t i = 0; i < parts.size(); ++i) {
                if (parts[i].size() < SmallestBlock) {
                    for (const Number member : parts[i]) {
                        if (parent != Block::None) m_blocks[parent].nodes.push_back(m_flow.nodes[member]);
                    }
                    continue;
                }
                Block block;
                block.name = i == 0 ? path : fmt::format("{} ({})", path, i + 1);
                block.parent = parent;
                block.operators = parts[i].size();
                const auto number = static_cast<Number>(m_blocks.size());
                m_blocks.push_back(std::move(block));
                divide(parts[i], level + 1, number, path);
            }
        }
    }

    /// Divides a group where a path leads out of it and back: each part is numbered by how often a path did so, at most.
    [[nodiscard]] std::vector<std::vector<Number>> convexParts(const std::vector<Number>& group) {
        const Number first = group.front();
        const Number last = group.back();
        std::vector<bool> isMember(last - first + 1, false);
        for (const Number member : group) isMember[member - first] = true;
        std::vector<Number> part(last - first + 1, 0);
        std::vector<bool> isBehind(last - first + 1, false);  // a path from the group leads here
        std::vector<std::vector<Number>> parts;
        for (Number at = first; at <= last; ++at) {
            const Number here = at - first;
            for (const Number operand : m_flow.operands[at]) {
                if (operand < first) continue;
                const Number before = operand - first;
                if (!isMember[before] && !isBehind[before]) continue;
                isBehind[here] = true;
                const bool returns = isMember[here] && !isMember[before];
                part[here] = std::max(part[here], part[before] + (returns ? 1 : 0));
            }
            if (!isMember[here]) continue;
            if (parts.size() <= part[here]) parts.resize(part[here] + 1);
            parts[part[here]].push_back(at);
        }
        std::erase_if(parts, [](const std::vector<Number>& one) { return one.empty(); });
        return parts;
    }

    const Flow& m_flow;
    std::vector<Scope> m_scopes;
    std::vector<Block> m_blocks;
};

// --- structure -----------------------------------------------------------------------------------------------------------

class StructureBlocks {
public:
    explicit StructureBlocks(const Flow& flow) : m_flow(flow) { cut(); }

    std::vector<Block> run() {
        sign();
        for (std::size_t at = 0; at + 1 < m_pieces.size();) {
            const auto [period, count] = repetition(at);
            if (period == 0) {
                if (sizeOf(at, at + 1) >= SmallestPiece) add(at, at + 1, Block::None);
                ++at;
                continue;
            }
            for (std::size_t i = 0; i < count; ++i, at += period) {
                const Number block = add(at, at + period, Block::None);
                m_blocks[block].repeat = static_cast<Number>(i + 1);
                m_blocks[block].repeats = static_cast<Number>(count);
            }
        }
        if (m_blocks.size() == 1 && m_blocks.front().operators == m_flow.size()) m_blocks.clear();  // shows nothing
        return std::move(m_blocks);
    }

private:
    /// Computes where pieces begin, and the end: cuts at the fewest live values that leave no piece too large.
    void cut() {
        const Number n = m_flow.size();
        std::vector<Number> lastUse(n);
        for (Number i = 0; i < n; ++i) {
            lastUse[i] = i;
            for (const Number operand : m_flow.operands[i]) lastUse[operand] = i;
        }
        const Number longest = std::max<Number>(n / 3, LargestPiece);
        std::vector<int> change(n + 1, 0);
        for (Number i = 0; i < n; ++i) {
            if (lastUse[i] - i > longest) continue;
            ++change[i];
            --change[lastUse[i]];
        }
        for (Number width = 1; width <= MostWidth; ++width) {
            m_pieces.assign(1, 0);
            int held = 0;
            Number largest = 0;
            for (Number i = 0; i + 1 < n; ++i) {
                held += change[i];
                if (held > static_cast<int>(width)) continue;
                largest = std::max(largest, i + 1 - m_pieces.back());
                m_pieces.push_back(i + 1);
            }
            largest = std::max(largest, n - m_pieces.back());
            m_pieces.push_back(n);
            if (largest <= longest) return;
        }
        m_pieces.clear();
    }

    /// Computes a hash of the operators of each piece.
    void sign() {
        for (std::size_t piece = 0; piece + 1 < m_pieces.size(); ++piece) {
            std::uint64_t hash = 0;
            for (Number i = m_pieces[piece]; i < m_pieces[piece + 1]; ++i) {
                hash = combineHash(hash, m_flow.bank.op(m_flow.nodes[i]).value);
                hash = combineHash(hash, m_flow.operands[i].size());
            }
            m_signatures.push_back(hash);
        }
    }

    [[nodiscard]] Number sizeOf(std::size_t from, std::size_t to) const { return m_pieces[to] - m_pieces[from]; }

    /// The length, in pieces, and the count of the immediate repetition from here on that covers most pieces.
    [[nodiscard]] std::pair<std::size_t, std::size_t> repetition(std::size_t at) const {
        std::pair<std::size_t, std::size_t> best{0, 0};
        const std::size_t rest = m_signatures.size() - at;
        for (std::size_t period = 1; period <= std::min<std::size_t>(rest / 2, LongestPeriod); ++period) {
            if (sizeOf(at, at + period) < SmallestBlock) continue;
            std::size_t equal = 0;
            while (equal + period < rest && m_signatures[at + equal] == m_signatures[at + equal + period]) ++equal;
            const std::size_t count = equal / period + 1;
            if (count >= 2 && count * period > best.first * best.second) best = {period, count};
        }
        return best;
    }

    Number add(std::size_t from, std::size_t to, Number parent) {
        const auto number = static_cast<Number>(m_blocks.size());
        Block block;
        block.name = summary(m_flow, m_pieces[from], m_pieces[to]);
        block.parent = parent;
        block.operators = sizeOf(from, to);
        m_blocks.push_back(std::move(block));
        std::size_t inner = 0;
        for (std::size_t piece = from; piece < to; ++piece) inner += sizeOf(piece, piece + 1) >= SmallestPiece ? 1 : 0;
        const bool divides = inner > 1 && sizeOf(from, to) >= SmallestWithInner;
        for (std::size_t piece = from; piece < to; ++piece) {
            if (divides && sizeOf(piece, piece + 1) >= SmallestPiece) {
                add(piece, piece + 1, number);
                continue;
            }
            for (Number i = m_pieces[piece]; i < m_pieces[piece + 1]; ++i) {
                m_blocks[number].nodes.push_back(m_flow.nodes[i]);
            }
        }
        return number;
    }

    const Flow& m_flow;
    std::vector<Number> m_pieces;
    std::vector<std::uint64_t> m_signatures;
    std::vector<Block> m_blocks;
};

}  // namespace

std::vector<Block> findBlocks(const ir::TermBank& bank, TermId root) {
    const Flow flow(bank, root);
    if (flow.size() < SmallestBlock) return {};
    if (ScopeBlocks scopes(flow); scopes.isTelling()) return scopes.run();
    if (flow.size() < SmallestDivided) return {};
    return StructureBlocks(flow).run();
}

}  // namespace mitos::tensor
