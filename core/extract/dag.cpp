// SPDX-License-Identifier: GPL-3.0-or-later
// Greedy extraction that accounts for sharing, improved by local search.
#include "core/extract/bottom_up.h"
#include "core/extract/check.h"
#include "core/extract/internal/local_search.h"
#include "core/extract/internal/method.h"
#include "core/extract/internal/reduce.h"
#include "core/extract/internal/shared_bottom_up.h"

#include <algorithm>

namespace mitos::extract {

Choice greedyChoice(const Problem& problem, const ParentIndex& parents, const Deadline& deadline) {
    std::vector<double> weight = problem.cost;
    for (double& cost : weight) cost = std::max(cost, 0.0);
    Choice tree = bottomUp(problem, parents, weight).choice;
    Choice shared = sharedBottomUp(problem, parents, weight, deadline);
    return check(problem, shared).cost < check(problem, tree).cost ? shared : tree;
}

Result<Answer> runDag(const Problem& problem, const Options& /*options*/, const Deadline& deadline) {
    const Reduction reduction = reduce(problem, deadline);
    const ParentIndex parents(reduction.problem);
    LocalSearch search(reduction.problem, parents, greedyChoice(reduction.problem, parents, deadline));
    search.run(deadline);
    Answer answer;
    answer.choice = reduction.expand(needed(reduction.problem, search.choice()));
    if (deadline.isReached()) answer.note = "the time was up before local search had come to its end";
    return answer;
}

}  // namespace mitos::extract
