// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment on arithmetic of the Knossos paper (its section 5 and Appendix B): a value function is trained, and A* with it is compared with
// searches that learn nothing. Tasks, methods, settings, and the runs that they need.
#pragma once

#include "core/cost/cost_model.h"
#include "core/eval/testing/trusted_rules.h"
#include "core/ir/term_bank.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// Table 3 with a / a => 1, which the paper's costs of Table 6 need.
inline constexpr std::string_view KnossosRules = "ks-arithmetic";
inline constexpr std::string_view KnossosCost = "ks-2021";
inline constexpr std::int64_t KnossosDepth = 10;  ///< steps of a search

/// The expressions to train on, and those whose costs are compared.
enum class KnossosTask : std::uint8_t {
    Generalization,  ///< Figure 5a: the two sets of Table 5
    Bootstrap,       ///< Figure 5b: those of Table 6 for both
};
struct KnossosTaskInfo {
    KnossosTask task;
    const char* name;     ///< in files: "generalization"
    const char* title;    ///< "Generalization"
    const char* figure;   ///< "Figure 5a"
    const char* subject;  ///< "the 12 test expressions of Table 5"
    std::vector<std::string> training;
    std::vector<std::string> tested;
};
/// Programs are named after their files in samples/arithmetic.
[[nodiscard]] std::span<const KnossosTaskInfo> knossosTasks();
[[nodiscard]] const KnossosTaskInfo& infoOf(KnossosTask task);

/// A method: a search, or a training whose value function guides searches.
struct KnossosMethod {
    const char* name;      ///< in files: "terms", "greedy-potential"
    const char* title;     ///< "Greedy, potential"
    const char* strategy;  ///< that it is compared by
    const char* value;     ///< the value function of a search; empty: it takes none. Null: a trained one
    bool isRandomized;     ///< whether there is a run for each repetition
    bool isUsual;          ///< whether it has runs if none are named
    bool needsLibrary;     ///< whether its network needs LibTorch
    const char* meaning;   ///< of trained ones: what is trained, and how

    [[nodiscard]] bool isLearned() const { return value == nullptr; }
};
/// The learned ones first.
[[nodiscard]] std::span<const KnossosMethod> knossosMethods();
[[nodiscard]] std::vector<std::string_view> knossosMethodNames();
/// Null if there is none of that name.
[[nodiscard]] const KnossosMethod* findKnossosMethod(std::string_view name);

/// The name of "paper": Algorithm 1 as printed.
inline constexpr std::string_view KnossosAsPrinted = "paper";
/// The method with which our claims are about, and that which the paper's are about.
inline constexpr std::string_view KnossosOurs = "terms";
inline constexpr std::string_view KnossosGraph = "knossos";
inline constexpr std::string_view KnossosFlat = "knossos-flat";

/// Searches that are compared with and without the value functions at the end of a training, A* first.
[[nodiscard]] std::span<const std::string_view> knossosSearches();

/// The network of KnossosAsPrinted.
[[nodiscard]] std::span<const std::string_view> knossosPaperNetworks();  ///< "small", "paper", "terms"

struct KnossosPlan {
    std::vector<std::string> tasks = {};    ///< names; empty: all
    std::vector<std::string> methods = {};  ///< names; empty: the usual ones
    std::uint32_t repetitions = 10;         ///< with the seeds 1, 2, …
    std::uint32_t epochs = 30;
    std::uint32_t stage = 5;                                        ///< epochs between two comparisons
    std::vector<std::uint64_t> budgets = {100, 300, 1'000, 5'000};  ///< evaluations of each program, ascending
    std::string paperNetwork = "small";
    ParameterValues training =
        {};  ///< parameters of all trainings (valueTrainingParameters()), instead of those of the methods
    std::string ruleSets = std::string(KnossosRules);
    eval::TrustedRules rules = {};  ///< those of `ruleSets`, over `registry`
    std::shared_ptr<const ir::OperatorRegistry> registry = nullptr;
    std::shared_ptr<const cost::CostModel> cost = nullptr;  ///< KnossosCost
    std::string folder = {};                                ///< of the experiment: models are kept in it
    unsigned jobs = 1;

    [[nodiscard]] std::uint64_t mostEvaluations() const { return budgets.back(); }
    [[nodiscard]] std::vector<const KnossosMethod*> chosenMethods() const;
    [[nodiscard]] std::vector<KnossosTask> chosenTasks() const;
};
/// Fails for names that do not exist, and for numbers that make no sense.
[[nodiscard]] Status checkPlan(const KnossosPlan& plan);

/// The parameters of a method's training, resolved. Fails for parameters that do not exist.
[[nodiscard]] Result<ParameterValues> trainingParameters(const KnossosPlan& plan, const KnossosMethod& method);

struct KnossosRun {
    KnossosTask task = KnossosTask::Generalization;
    const KnossosMethod* method = nullptr;
    std::uint32_t repetition = 1;  ///< and seed

    [[nodiscard]] std::string name() const;  ///< "generalization-terms-01"
};
/// All runs of the plan: those of a task that learn nothing first, then repetition by repetition. A method that is not randomized has one.
[[nodiscard]] std::vector<KnossosRun> knossosRuns(const KnossosPlan& plan);

}  // namespace mitos::search::experiments
