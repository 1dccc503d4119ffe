// SPDX-License-Identifier: GPL-3.0-or-later
// The genetic algorithm of random_keys.h as a method.
#include "core/extract/check.h"
#include "core/extract/internal/method.h"
#include "core/extract/internal/random_keys.h"
#include "core/extract/internal/reduce.h"

#include <fmt/format.h>

namespace mitos::extract {

Result<Answer> runBrkga(const Problem& problem, const Options& options, const Deadline& deadline) {
    const Reduction reduction = reduce(problem, deadline);
    const Problem& small = reduction.problem;
    Answer answer;
    if (small.classCount() == 0) {
        answer.choice = reduction.expand({});
        answer.note = "decided by reductions alone";
        return answer;
    }
    const std::vector<Choice> starts{greedyChoice(small, ParentIndex(small), deadline)};
    const RandomKeysAnswer found = searchByRandomKeys(small, starts, {options.seed, options.generations}, deadline);
    answer.choice = reduction.expand(needed(small, found.choice));
    answer.note = fmt::format("{} generations", found.generations);
    return answer;
}

}  // namespace mitos::extract
