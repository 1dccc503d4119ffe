// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/rule_sets.h"

#include "core/rules/rule.h"

#include <algorithm>

namespace mitos::rules {

std::string_view defaultRules(ir::Sharing sharing) {
    return sharing == ir::Sharing::Graph ? std::string_view("tensor-default") : DefaultRules;
}

std::vector<std::string> shippedRuleSets(ir::Sharing sharing) {
    std::vector<std::string> sets;
    std::ranges::copy_if(shippedRuleSets(), std::back_inserter(sets),
                         [sharing](const std::string& name) { return isFor(name, sharing); });
    return sets;
}

bool isFor(std::string_view set, ir::Sharing sharing) {
    if (set.starts_with("tensat:")) return sharing == ir::Sharing::Graph;
    if (std::ranges::find(shippedRuleSets(), set) == shippedRuleSets().end()) return true;
    const bool isForGraphs = set == "fused" || set.starts_with("tensor");
    return isForGraphs == (sharing == ir::Sharing::Graph);
}

}  // namespace mitos::rules
