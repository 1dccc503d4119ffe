// SPDX-License-Identifier: GPL-3.0-or-later
// Repetitions are found in the sequence of operators, and then confirmed by their edges.
#include "core/ir/repeats.h"

#include "core/base/hash.h"
#include "core/ir/shared.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mitos::ir {

namespace {

constexpr std::size_t SmallestPart = 4;  ///< operators; smaller ones are searched as quickly where they stand
constexpr std::size_t LargestPart = 512;
constexpr int MostScans = 32;  ///< for the longest run of a range

/// Whether a node is a weight or a number, which a part has itself.
bool isConstant(const TermBank& bank, TermId node) {
    return bank.childCount(node) == 0 && !bank.is(node, CoreOp::Variable);
}

/// The operators of a graph, children before their parents, in the order of the first paths.
std::vector<TermId> operatorsOf(const TermBank& bank, TermId root) {
    std::vector<TermId> nodes;
    for (const TermId node : SharedNodes(bank, root)) {
        const bool isOutputs = node == root && bank.is(node, CoreOp::Tuple);
        if (bank.childCount(node) > 0 && !isOutputs) nodes.push_back(node);
    }
    return nodes;
}

/// The same with those first that values are computed from which are used over much of the graph: a mask stands before all layers that use
/// it, not within the first one.
std::vector<TermId> withLongLivedFirst(const TermBank& bank, std::vector<TermId> nodes) {
    absl::flat_hash_map<TermId, std::size_t> indexes;
    for (std::size_t i = 0; i < nodes.size(); ++i) indexes.emplace(nodes[i], i);
    absl::flat_hash_set<TermId> first;
    for (std::size_t i = nodes.size(); i-- > 0;) {
        for (const TermId child : bank.children(nodes[i])) {
            const auto index = indexes.find(child);
            if (index == indexes.end()) continue;
            if (first.contains(nodes[i]) || i - index->second > nodes.size() / 2) first.insert(child);
        }
    }
    std::stable_partition(nodes.begin(), nodes.end(), [&](TermId node) { return first.contains(node); });
    return nodes;
}

struct Sequence {
    std::vector<TermId> nodes;
    absl::flat_hash_map<TermId, std::size_t> indexes;
    std::vector<std::uint64_t> heads;  ///< hashes of operator, types and number of children

    Sequence(const TermBank& bank, TermId root) : nodes(withLongLivedFirst(bank, operatorsOf(bank, root))) {
        for (const TermId node : nodes) {
            indexes.emplace(node, indexes.size());
            std::uint64_t head = bank.headHash(bank.op(node), bank.payload(node), bank.type(node));
            for (const TermId child : bank.children(node)) head = combineHash(head, bank.type(child).value);
            heads.push_back(head);
        }
    }
};

/// Operators one after the other that are equal to those `period` places behind them.
struct Run {
    std::size_t first = 0;
    std::size_t period = 0;
    std::size_t length = 0;  ///< of all copies, also of an unfinished one
};

/// The run in [from, to) that covers most operators; of equally long ones the one with most copies.
std::optional<Run> longestRun(const Sequence& sequence, std::size_t from, std::size_t to) {
    std::optional<Run> best;
    for (std::size_t period = SmallestPart; period <= LargestPart && from + 2 * period <= to; ++period) {
        std::size_t equal = 0;
        for (std::size_t i = from; i + period <= to; ++i) {
            if (i + period < to && sequence.heads[i] == sequence.heads[i + period]) {
                ++equal;
                continue;
            }
            if (equal >= period && (!best || equal + period > best->length))
                best = Run{i - equal, period, equal + period};
            equal = 0;
        }
    }
    return best;
}

/// A copy beside the first one: what corresponds to the children of the first copy's operators.
class Correspondence {
public:
    Correspondence(const TermBank& bank, const Sequence& sequence) : m_bank(bank), m_sequence(sequence) {}

    /// Whether the operators [copy, copy + period) have the edges of [first, first + period).
    bool holds(std::size_t first, std::size_t copy, std::size_t period) {
        m_outside.clear();
        for (std::size_t i = 0; i < period; ++i) {
            const TermId one = m_sequence.nodes[first + i];
            const TermId other = m_sequence.nodes[copy + i];
            for (std::size_t j = 0; j < m_bank.childCount(one); ++j) {
                if (!agrees(m_bank.child(one, j), first, m_bank.child(other, j), copy, period)) return false;
            }
        }
        return true;
    }

private:
    /// The index of a node within a copy; nothing if it stands outside.
    [[nodiscard]] std::optional<std::size_t> within(TermId node, std::size_t from, std::size_t period) const {
        const auto index = m_sequence.indexes.find(node);
        if (index == m_sequence.indexes.end() || index->second < from || index->second >= from + period)
            return std::nullopt;
        return index->second - from;
    }

    bool agrees(TermId one, std::size_t first, TermId other, std::size_t copy, std::size_t period) {
        const std::optional<std::size_t> place = within(one, first, period);
        if (place != within(other, copy, period)) return false;
        if (place) return true;
        if (isConstant(m_bank, one) && m_bank.op(one) != m_bank.op(other)) return false;
        return m_bank.type(one) == m_bank.type(other) && m_outside.try_emplace(one, other).first->second == other;
    }

    const TermBank& m_bank;
    const Sequence& m_sequence;
    absl::flat_hash_map<TermId, TermId> m_outside;
};

/// The number of values that are computed before an operator and used from there on: few of them at the border of a layer.
std::vector<std::size_t> liveBefore(const TermBank& bank, const Sequence& sequence) {
    const std::size_t count = sequence.nodes.size();
    std::vector<std::size_t> lastUse(count);
    for (std::size_t i = 0; i < count; ++i) {
        lastUse[i] = i;
        for (const TermId child : bank.children(sequence.nodes[i])) {
            if (const auto index = sequence.indexes.find(child); index != sequence.indexes.end())
                lastUse[index->second] = i;
        }
    }
    std::vector<std::size_t> change(count + 2, 0);
    for (std::size_t i = 0; i < count; ++i) {
        if (lastUse[i] == i) continue;
        ++change[i + 1];
        --change[lastUse[i] + 1];  // wraps around, as does the sum
    }
    std::vector<std::size_t> live(count + 1, 0);
    std::size_t held = 0;
    for (std::size_t i = 0; i <= count; ++i) live[i] = held += change[i];
    return live;
}

/// The part of a run whose copies agree: of all places where the first copy may begin the one with most copies, then with the fewest values
/// at its border.
RepeatedPart partOf(const TermBank& bank, const Sequence& sequence, const Run& run,
                    const std::vector<std::size_t>& live) {
    Correspondence correspondence(bank, sequence);
    std::vector<std::size_t> best;
    std::size_t width = 0;
    const std::size_t slack = std::min(run.period, run.length - 2 * run.period + 1);
    for (std::size_t shift = 0; shift < slack; ++shift) {
        const std::size_t first = run.first + shift;
        if (bank.is(sequence.nodes[first], CoreOp::Get)) continue;  // stays with the operator whose result it is
        const std::size_t most = (run.length - shift) / run.period;
        if (most < best.size() || (most == best.size() && live[first] >= width)) continue;
        // The first layer is often unlike the others, whose input is the layer before.
        for (std::size_t skipped = 0; skipped < 2 && most - skipped >= std::max<std::size_t>(2, best.size());
             ++skipped) {
            const std::size_t begin = first + skipped * run.period;
            std::vector<std::size_t> copies{begin};
            for (std::size_t k = skipped + 1; k < most; ++k) {
                const std::size_t copy = first + k * run.period;
                if (correspondence.holds(begin, copy, run.period)) copies.push_back(copy);
            }
            if (copies.size() < 2 || copies.size() < best.size()) continue;
            if (copies.size() == best.size() && live[begin] >= width) continue;
            best = std::move(copies);
            width = live[begin];
        }
    }
    RepeatedPart part;
    for (const std::size_t copy : best) {
        const auto from = sequence.nodes.begin() + static_cast<std::ptrdiff_t>(copy);
        part.copies.emplace_back(from, from + static_cast<std::ptrdiff_t>(run.period));
    }
    return part;
}

/// The name of a further parameter, which stands for a value of the whole program.
std::string parameterName(const TermBank& bank, TermId value, const std::vector<Parameter>& parameters,
                          PartNames names) {
    const auto isFree = [&](const std::string& name) {
        return std::ranges::none_of(parameters, [&](const Parameter& other) { return bank.text(other.name) == name; });
    };
    std::string name;
    if (names == PartNames::OfValues) {
        const Symbol own = bank.is(value, CoreOp::Variable) ? bank.payload(value).asSymbol() : bank.hint(value);
        if (own.isValid()) name = bank.text(own);
        if (!name.empty() && isFree(name)) return name;
    }
    const std::string base = name.empty() ? "x" : name + "_";
    std::size_t number = name.empty() ? parameters.size() + 1 : 2;
    while (!isFree(fmt::format("{}{}", base, number))) ++number;
    return fmt::format("{}{}", base, number);
}

}  // namespace

std::vector<RepeatedPart> repeatedParts(const TermBank& bank, TermId root) {
    const Sequence sequence(bank, root);
    const std::vector<std::size_t> live = liveBefore(bank, sequence);
    std::vector<RepeatedPart> parts;
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, sequence.nodes.size()}};
    for (int scan = 0; scan < MostScans && !open.empty(); ++scan) {
        const auto [from, to] = open.back();
        open.pop_back();
        const std::optional<Run> run = longestRun(sequence, from, to);
        if (!run) continue;
        if (RepeatedPart part = partOf(bank, sequence, *run, live); !part.copies.empty())
            parts.push_back(std::move(part));
        open.emplace_back(run->first + run->length, to);
        open.emplace_back(from, run->first);
    }
    std::ranges::stable_sort(parts, std::greater(),
                             [](const RepeatedPart& part) { return part.copies.size() * part.copies.front().size(); });
    return parts;
}

Result<PartProgram> programOf(TermBank& bank, const Program& whole, const RepeatedPart& part, PartNames names) {
    const std::vector<TermId>& first = part.copies.front();
    absl::flat_hash_map<TermId, TermId>
        own;  // forms of the first copy's nodes, and of what they use, in the program of the part
    for (const TermId node : first) own.emplace(node, node);
    std::vector<Parameter> parameters;
    PartProgram result{{}, std::vector<absl::flat_hash_map<TermId, TermId>>(part.copies.size())};
    std::vector<TermId> children;
    for (std::size_t i = 0; i < first.size(); ++i) {
        children.clear();
        for (std::size_t j = 0; j < bank.childCount(first[i]); ++j) {
            const TermId child = bank.child(first[i], j);
            auto form = own.find(child);
            if (form == own.end()) {
                TermId stands = child;
                if (!isConstant(bank, child)) {
                    const Symbol name = bank.symbols().intern(parameterName(bank, child, parameters, names));
                    parameters.push_back({name, bank.type(child)});
                    stands = bank.variable(name, bank.type(child));
                }
                form = own.emplace(child, stands).first;
                for (std::size_t k = 0; k < part.copies.size(); ++k)
                    result.images[k].emplace(stands, bank.child(part.copies[k][i], j));
            }
            children.push_back(form->second);
        }
        MITOS_TRY(const TermId made, bank.withChildren(first[i], children));
        own[first[i]] = made;
        for (std::size_t k = 0; k < part.copies.size(); ++k) result.images[k].emplace(made, part.copies[k][i]);
    }

    const absl::flat_hash_set<TermId> inside(first.begin(), first.end());
    absl::flat_hash_set<TermId> used;
    if (inside.contains(whole.root)) used.insert(whole.root);
    for (const TermId node : SharedNodes(bank, whole.root)) {
        if (inside.contains(node)) continue;
        for (const TermId child : bank.children(node)) {
            if (inside.contains(child)) used.insert(child);
        }
    }
    std::vector<TermId> results;
    for (const TermId node : first) {
        if (used.contains(node)) results.push_back(own.at(node));
    }
    if (results.empty()) return inputError("nothing outside a part of the program uses it", "");

    Function function;
    const Function& outer = bank.function(whole.function);
    function.dialect = outer.dialect;
    function.sizes = outer.sizes;
    for (SizeName& size : function.sizes) size.parameter = std::nullopt;
    std::vector<TypeId> types;
    for (const Parameter& parameter : parameters) types.push_back(parameter.type);
    function.parameters = std::move(parameters);
    function.argument = types.size() == 1 ? types.front() : bank.types().tuple(types);
    result.program.root = results.size() == 1 ? results.front() : bank.tuple(results);
    function.result = function.declaredResult = bank.type(result.program.root);
    function.name = fmt::format("{} {:016x}", outer.name, bank.hash(result.program.root));
    result.program.function = bank.findFunction(function.name, function.argument);
    if (result.program.function.isValid()) return result;
    MITOS_TRY(result.program.function, bank.declare(std::move(function)));
    bank.define(result.program.function, result.program.root);
    return result;
}

}  // namespace mitos::ir
