// SPDX-License-Identifier: GPL-3.0-or-later
// All matches of a rule with several roots at given places.
#pragma once

#include "core/rules/matching/multi_matcher.h"

#include <vector>

namespace mitos::tests {

/// Reports every match whose roots are at some of the places. Returns false if the matcher gave up.
inline bool forEachJointMatch(const rules::GraphView& view, const rules::DirectedRule& rule,
                              const std::vector<rules::PlaceId>& places, rules::MultiMatcher::Found found) {
    std::vector<rules::MatchMemo> memos = rules::MultiMatcher::memosFor(rule);
    rules::MultiMatcher matcher(view, rule, memos);
    std::vector<std::vector<rules::RootMatch>> matches(rule.roots().size());
    bool isComplete = true;
    for (std::size_t root = 0; root < matches.size(); ++root) {
        for (const rules::PlaceId place : places) {
            isComplete = matcher.matchRoot(root, place, matches[root]) && isComplete;
        }
    }
    const auto admits = [](std::span<const rules::PlaceId>) { return true; };
    return matcher.join(matches, admits, found, [] { return true; }) && isComplete;
}

}  // namespace mitos::tests
