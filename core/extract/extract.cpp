// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/extract.h"

#include "core/base/suggestion.h"
#include "core/extract/check.h"
#include "core/extract/internal/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace mitos::extract {

namespace {

struct Method {
    MethodInfo info;
    Result<Extraction> (*run)(const Problem&, const Options&, const Deadline&);
};

const std::array AllMethods{
    Method{{"tree", "Least trees", "bottom-up; every use of a shared class is paid for, so sharing is ignored", false,
            false},
           runTree},
    Method{{"paper", "Algorithm 2 of the paper",
            "greedy with the cost function of the MCTS paper, which subtracts the largest overlap; its prediction is "
            "shown",
            false, false},
           runPaper},
    Method{{"dag", "Greedy with sharing", "greedy with sets of classes, then local search: what is shared is paid once",
            true, false},
           runDag},
    Method{{"brkga", "Random keys", "a genetic algorithm over the nodes, for graphs where exact search does not end",
            true, true},
           runBrkga},
    Method{{"ilp", "Exact",
            "branch and bound, and the solver CBC where that does not end: proves the least cost, or bounds the "
            "distance to it",
            true, false},
           runIlp},
    Method{{"best", "Best of all", "all of these within the time: the best answer, and the proof if there is one", true,
            true},
           runBest},
};

/// Null if there is no such method.
const Method* find(std::string_view name) {
    const auto* const found =
        std::ranges::find_if(AllMethods, [&](const Method& method) { return method.info.name == name; });
    return found == AllMethods.end() ? nullptr : found;
}

Error unknownMethod(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Method& method : AllMethods) names.emplace_back(method.info.name);
    return noSuchName("extraction method", name, names);
}

/// The method's answer, checked by the definition alone. Fails if the method fails, or if its answer is invalid
/// (Evaluation).
Result<Extraction> checked(const Method& method, const Problem& problem, const Options& options,
                           const Deadline& deadline) {
    MITOS_TRY(Extraction answer, method.run(problem, options, deadline));
    const CheckReport report = check(problem, answer.choice);
    if (report.valid) return answer;
    return Error{ErrorCode::Evaluation,
                 fmt::format("the answer of {} is invalid: {}", method.info.name, report.problem), std::nullopt,
                 "this is a defect of Mitos; try another method"};
}

}  // namespace

std::span<const MethodInfo> methods() {
    static const auto all = [] {
        std::array<MethodInfo, AllMethods.size()> infos{};
        std::ranges::transform(AllMethods, infos.begin(), [](const Method& m) { return m.info; });
        return infos;
    }();
    return all;
}

Status requireMethod(std::string_view name) {
    return find(name) != nullptr ? Status(Success{}) : Status(unknownMethod(name));
}

Result<Extraction> extract(const Problem& problem, std::string_view method, const Options& options,
                           std::stop_token stop) {
    const Method* chosen = find(method);
    if (chosen == nullptr) return unknownMethod(method);
    const std::vector<std::uint32_t> infeasible = infeasibleClasses(problem);
    for (const std::uint32_t root : problem.roots) {
        if (!std::ranges::binary_search(infeasible, root)) continue;
        return inputError(
            fmt::format("the root, class number {}, has no finite term: each of its nodes needs the class itself",
                        root),
            "choose another root");
    }
    const auto started = std::chrono::steady_clock::now();
    const Deadline deadline(options.seconds, std::move(stop));
    std::string failed;  // errors of the methods that gave no answer
    Result<Extraction> answer = checked(*chosen, problem, options, deadline);
    // These methods need no solver, and always have an answer.
    for (const std::string_view next : {"dag", "tree"}) {
        if (answer || answer.error().code != ErrorCode::Evaluation) break;
        if (chosen->info.name == next) continue;
        failed += fmt::format("{}{}", failed.empty() ? "" : "; ", answer.error().message);
        chosen = find(next);
        answer = checked(*chosen, problem, options, deadline);
    }
    if (!answer) return answer.error();
    Extraction result = *std::move(answer);
    const CheckReport report = check(problem, result.choice);
    result.method = chosen->info.name;
    result.choice = needed(problem, result.choice);
    result.cost = report.cost;
    result.treeCost = report.treeCost;
    if (result.proven) result.bound = result.cost;
    if (!failed.empty()) {
        result.note = fmt::format("{}; this is the answer of {}{}{}", failed, result.method,
                                  result.note.empty() ? "" : ": ", result.note);
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (hasNegativeCosts(problem)) {
        result.bound.reset();
        result.proven = false;
        result.note += fmt::format("{}there are negative costs: the quality of the answer is not guaranteed",
                                   result.note.empty() ? "" : "; ");
    }
    return result;
}

}  // namespace mitos::extract
