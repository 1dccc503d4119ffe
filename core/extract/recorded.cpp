// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/recorded.h"

#include "core/egraph/json.h"
#include "core/extract/check.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace mitos::extract {

namespace {

constexpr std::string_view Key = "chosen";

const std::string* recordedIn(const egraph::Snapshot::Class& eclass) {
    const auto found = std::ranges::find(eclass.data, Key, [](const auto& entry) { return entry.first; });
    return found == eclass.data.end() ? nullptr : &found->second;
}

Error invalid(const std::string& why) {
    return inputError(fmt::format("the recorded extraction is not valid: {}", why),
                      "the file was changed after it was recorded; extract again");
}

}  // namespace

egraph::NodeChoice chosenNodes(const Problem& problem, const Choice& choice) {
    egraph::NodeChoice nodes;
    for (const std::uint32_t node : choice) {
        nodes.push_back(node == None ? egraph::Snapshot::None : problem.origin[node]);
    }
    return nodes;
}

void record(egraph::Snapshot& snapshot, const egraph::NodeChoice& choice) {
    for (std::uint32_t i = 0; i < snapshot.classes.size(); ++i) {
        egraph::Snapshot::Class& eclass = snapshot.classes[i];
        std::erase_if(eclass.data, [](const auto& entry) { return entry.first == Key; });
        if (choice[i] != egraph::Snapshot::None) eclass.data.emplace_back(Key, snapshot.nodes[choice[i]].id);
    }
}

Result<std::optional<RecordedChoice>> recordedChoice(const egraph::Snapshot& snapshot) {
    const bool isRecorded =
        std::ranges::any_of(snapshot.classes, [](const auto& c) { return recordedIn(c) != nullptr; });
    if (!isRecorded) return std::optional<RecordedChoice>();
    const Problem problem = makeProblem(snapshot);
    absl::flat_hash_map<std::string_view, std::uint32_t> numbers;
    for (std::uint32_t node = 0; node < problem.nodeCount(); ++node) {
        numbers.emplace(snapshot.nodes[problem.origin[node]].id, node);
    }
    Choice choice(snapshot.classes.size(), None);
    for (std::uint32_t i = 0; i < snapshot.classes.size(); ++i) {
        const std::string* const id = recordedIn(snapshot.classes[i]);
        if (id == nullptr) continue;
        const auto found = numbers.find(*id);
        if (found == numbers.end() || snapshot.nodes[problem.origin[found->second]].eclass != i) {
            return invalid(fmt::format("class {} has no e-node {} that may be chosen",
                                       egraph::jsonText(snapshot.classes[i].id), egraph::jsonText(*id)));
        }
        choice[i] = found->second;
    }
    const CheckReport report = check(problem, choice);
    if (!report.valid) return invalid("a needed class has no e-node, or needs itself");
    return std::optional(RecordedChoice{chosenNodes(problem, needed(problem, choice)), report.cost});
}

}  // namespace mitos::extract
