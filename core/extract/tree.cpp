// SPDX-License-Identifier: GPL-3.0-or-later
// Cheapest trees: optimal where nothing is shared, and fast.
#include "core/extract/bottom_up.h"
#include "core/extract/internal/method.h"

#include <algorithm>

namespace mitos::extract {

Result<Answer> runTree(const Problem& problem, const Options& /*options*/, const Deadline& /*deadline*/) {
    std::vector<double> weight = problem.cost;
    for (double& cost : weight) cost = std::max(cost, 0.0);
    Answer answer;
    answer.choice = bottomUp(problem, ParentIndex(problem), weight).choice;
    return answer;
}

}  // namespace mitos::extract
