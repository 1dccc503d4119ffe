// SPDX-License-Identifier: GPL-3.0-or-later
// See region_key.h.
#include "core/eval/region_key.h"

#include "core/tensor/operator.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

namespace mitos::eval {

using ir::TermId;

std::vector<std::uint32_t> regionKey(const ir::TermBank& bank, std::span<const TermId> nodes,
                                     std::span<const TermId> cuts) {
    // Entries encode their own length, so different regions have different keys.
    enum Kind : std::uint32_t { Open, Leaf, Inner, End };
    std::vector<std::uint32_t> key;
    absl::flat_hash_map<TermId, std::uint32_t> numbers;
    const auto isOpen = [&](TermId node) {
        return std::ranges::find(cuts, node) != cuts.end() || bank.is(node, ir::CoreOp::Variable) ||
               bank.opName(node) == tensor::WeightName;
    };
    std::vector<TermId> waiting(nodes.rbegin(), nodes.rend());
    while (!waiting.empty()) {
        const TermId node = waiting.back();
        if (numbers.contains(node)) {
            waiting.pop_back();
            continue;
        }
        const std::size_t before = waiting.size();
        if (!isOpen(node)) {
            const auto children = bank.children(node);
            for (auto child = children.rbegin(); child != children.rend(); ++child) {
                if (!numbers.contains(*child)) waiting.push_back(*child);
            }
        }
        if (waiting.size() > before) continue;
        waiting.pop_back();
        numbers.emplace(node, static_cast<std::uint32_t>(numbers.size()));
        if (isOpen(node)) {
            key.insert(key.end(), {Open, bank.type(node).value});
        } else if (bank.childCount(node) == 0) {
            key.insert(key.end(), {Leaf, node.value});
        } else {
            const ir::Payload& payload = bank.payload(node);
            key.insert(
                key.end(),
                {Inner, bank.op(node).value, bank.type(node).value, static_cast<std::uint32_t>(payload.kind()),
                 static_cast<std::uint32_t>(payload.rawBits()), static_cast<std::uint32_t>(payload.rawBits() >> 32U),
                 static_cast<std::uint32_t>(bank.childCount(node))});
            for (const TermId child : bank.children(node)) key.push_back(numbers.at(child));
        }
    }
    key.push_back(End);
    for (const TermId node : nodes) key.push_back(numbers.at(node));
    return key;
}

}  // namespace mitos::eval
