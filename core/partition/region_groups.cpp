// SPDX-License-Identifier: GPL-3.0-or-later
// See region_groups.h.
#include "core/partition/region_groups.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::partition {

namespace {

using Form = std::vector<std::uint64_t>;

/// A list that is equal for regions of one form.
Form formOf(const ir::TermBank& bank, const Region& region) {
    constexpr std::uint64_t Inside = 1;
    constexpr std::uint64_t Outside = 2;
    constexpr std::uint64_t Constant = 3;
    absl::flat_hash_map<ir::TermId, std::uint64_t> indexes;
    for (const ir::TermId node : region.nodes) indexes.emplace(node, indexes.size());
    absl::flat_hash_map<ir::TermId, std::uint64_t> inputs;
    for (const ir::TermId input : region.inputs) inputs.emplace(input, inputs.size());
    absl::flat_hash_map<ir::TermId, std::uint64_t> constants;  // one that is used twice is one of both copies
    Form form;
    for (const ir::TermId node : region.nodes) {
        form.push_back(bank.headHash(bank.op(node), bank.payload(node), bank.type(node)));
        form.push_back(std::ranges::find(region.outputs, node) == region.outputs.end() ? 0 : 1);
        for (const ir::TermId child : bank.children(node)) {
            if (const auto index = indexes.find(child); index != indexes.end()) {
                form.insert(form.end(), {Inside, index->second, 0});
            } else if (const auto input = inputs.find(child); input != inputs.end()) {
                form.insert(form.end(), {Outside, input->second, bank.type(child).value});
            } else {
                const std::uint64_t number = constants.emplace(child, constants.size()).first->second;
                form.insert(form.end(), {Constant, number, bank.type(child).value, bank.op(child).value});
            }
        }
    }
    return form;
}

}  // namespace

std::string regionName(std::string_view pattern, std::size_t index) { return fmt::format("{} {}", pattern, index + 1); }

std::vector<RegionGroup> groupsOf(const ir::TermBank& bank, const std::vector<Region>& regions) {
    std::vector<RegionGroup> groups;
    absl::flat_hash_map<Form, std::size_t> known;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const auto [group, isNew] = known.try_emplace(formOf(bank, regions[i]), groups.size());
        if (isNew) groups.emplace_back();
        groups[group->second].regions.push_back(i);
    }
    return groups;
}

}  // namespace mitos::partition
