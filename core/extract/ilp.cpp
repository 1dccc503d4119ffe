// SPDX-License-Identifier: GPL-3.0-or-later
// Exact extraction as a method: reductions, a start from the dag method, then the solver.
#include "core/extract/check.h"
#include "core/extract/internal/exact.h"
#include "core/extract/internal/local_search.h"
#include "core/extract/internal/method.h"
#include "core/extract/internal/reduce.h"

#include <algorithm>

namespace mitos::extract {

namespace {

/// Maximum share of the time for the start.
constexpr double ShareOfStart = 0.2;

}  // namespace

Result<Answer> runIlp(const Problem& problem, const Options& options, const Deadline& deadline) {
    if (hasNegativeCosts(problem)) {
        return Error{ErrorCode::Unsupported,
                     "exact extraction needs costs that are not negative: a larger choice could always be cheaper",
                     std::nullopt,
                     "the other methods answer too, without a promise of how good that is",
                     {}};
    }
    const Reduction reduction = reduce(problem, deadline);
    const Problem& small = reduction.problem;
    const ParentIndex parents(small);
    const Deadline soon(deadline.secondsLeft() * ShareOfStart, deadline.stop());
    LocalSearch search(small, parents, greedyChoice(small, parents, soon));
    search.run(soon);
    Result<ExactAnswer> exact = solveExactly(small, search.choice(), options.solver, deadline);
    if (!exact) return exact.error();
    Answer answer;
    answer.choice = reduction.expand(needed(small, exact->choice));
    if (exact->bound) answer.bound = *exact->bound + reduction.paid;
    answer.proven = exact->proven;
    answer.note = std::move(exact->note);
    return answer;
}

}  // namespace mitos::extract
