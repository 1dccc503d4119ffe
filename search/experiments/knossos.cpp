// SPDX-License-Identifier: GPL-3.0-or-later
// See knossos.h.
#include "search/experiments/knossos.h"

#include "core/base/suggestion.h"
#include "search/rewriting/value_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace mitos::search::experiments {

namespace {

constexpr std::array<std::string_view, 4> ComparedSearches{"astar", "greedy", "beam", "mcts"};
constexpr std::array<std::string_view, 3> PaperNetworks{"small", "paper", "terms"};

constexpr std::array KnossosMethods{
    KnossosMethod{"terms", "Terms", "astar", nullptr, true, true, false,
                  "embeddings of terms with hints, trained with labels and a discount"},
    KnossosMethod{"terms-plain", "Terms without hints", "astar", nullptr, true, true, false,
                  "the same without hints: the network sees the program only"},
    KnossosMethod{"knossos", "Graph network", "astar", nullptr, true, false, true,
                  "the paper's network with 64 numbers a node and 5 rounds of messages, trained as the others"},
    KnossosMethod{"knossos-flat", "Without recurrence", "astar", nullptr, true, false, true,
                  "the same without rounds of messages, trained alike"},
    KnossosMethod{"paper", "Algorithm 1", "astar", nullptr, true, false, true,
                  "Algorithm 1 as printed: no labels, no discount, 5,000 evaluations of each expression of an epoch, "
                  "and the learning rate and batches of Table 2"},
    KnossosMethod{"astar-zero", "A*, no value", "astar", "zero", false, true, false, ""},
    KnossosMethod{"astar-potential", "A*, potential", "astar", "potential", false, true, false, ""},
    KnossosMethod{"greedy-zero", "Greedy, no value", "greedy", "zero", false, true, false, ""},
    KnossosMethod{"greedy-potential", "Greedy, potential", "greedy", "potential", false, true, false, ""},
    KnossosMethod{"beam-zero", "Beam, no value", "beam", "zero", false, true, false, ""},
    KnossosMethod{"beam-potential", "Beam, potential", "beam", "potential", false, true, false, ""},
    KnossosMethod{"mcts-zero", "MCTS, no value", "mcts", "zero", true, true, false, ""},
    KnossosMethod{"mcts-potential", "MCTS, potential", "mcts", "potential", true, true, false, ""},
    KnossosMethod{"random", "Random", "random", "", true, true, false, ""},
    KnossosMethod{"saturation", "Saturation", "saturation", "", false, true, false, ""},
    KnossosMethod{"phases", "Phases", "phases", "", false, true, false, ""},
};

/// "table6-1", "table6-2", …
std::vector<std::string> arithmeticNames(const char* format, int count) {
    std::vector<std::string> names;
    for (int i = 1; i <= count; ++i) names.push_back(fmt::format(fmt::runtime(format), i));
    return names;
}

Status requireKnown(const std::vector<std::string>& names, const std::vector<std::string_view>& known,
                    const char* kind) {
    for (const std::string& name : names) {
        if (std::ranges::find(known, name) == known.end()) return noSuchName(kind, name, known);
    }
    return Success{};
}

std::vector<std::string_view> taskNames() {
    std::vector<std::string_view> names;
    for (const KnossosTaskInfo& info : knossosTasks()) names.emplace_back(info.name);
    return names;
}

constexpr std::int64_t GraphHidden = 64;
constexpr std::int64_t GraphRounds = 5;

/// The parameters of a training that are not the defaults, which are those of our trials.
ParameterValues ownParametersOf(const KnossosPlan& plan, std::string_view method) {
    const ParameterValues terms{{"network", std::string("terms")}};
    const ParameterValues graph{{"network", std::string("knossos")}, {"hidden", GraphHidden}, {"rounds", GraphRounds}};
    ParameterValues own = method.starts_with(KnossosOurs) ? terms : graph;
    if (method == "terms-plain") own["hints"] = std::string("none");
    if (method == KnossosFlat) own["rounds"] = std::int64_t{0};
    if (method == KnossosAsPrinted) {
        if (plan.paperNetwork == "terms") own = {{"network", std::string("terms")}, {"hints", std::string("none")}};
        if (plan.paperNetwork == "paper") own = {{"network", std::string("knossos")}, {"size", std::string("paper")}};
        own["search_evaluations"] = std::int64_t{5'000};
        own["labels"] = std::int64_t{0};
        own["variants"] = 0.0;
        own["discount"] = 1.0;
        own["time_weight"] = 0.0;
        own["passes"] = std::int64_t{1};
        own["batch"] = std::int64_t{16};
        own["learning_rate"] = 1e-4;
        own["averaging"] = 0.0;
    }
    own["depth"] = KnossosDepth;
    own["validate_every"] = std::int64_t{plan.stage};
    return own;
}

}  // namespace

std::span<const KnossosTaskInfo> knossosTasks() {
    static const std::array<KnossosTaskInfo, 2> all{
        KnossosTaskInfo{KnossosTask::Generalization, "generalization", "Generalization to unseen expressions",
                        "Figure 5a", "the 12 test expressions of Table 5", arithmeticNames("table5-train-{:02}", 36),
                        arithmeticNames("table5-test-{:02}", 12)},
        KnossosTaskInfo{KnossosTask::Bootstrap, "bootstrap", "Bootstrap mode", "Figure 5b",
                        "the 8 expressions of Table 6", arithmeticNames("table6-{}", 8),
                        arithmeticNames("table6-{}", 8)}};
    return all;
}

const KnossosTaskInfo& infoOf(KnossosTask task) { return knossosTasks()[static_cast<std::size_t>(task)]; }

std::span<const KnossosMethod> knossosMethods() { return KnossosMethods; }

std::vector<std::string_view> knossosMethodNames() {
    std::vector<std::string_view> names;
    for (const KnossosMethod& method : KnossosMethods) names.emplace_back(method.name);
    return names;
}

const KnossosMethod* findKnossosMethod(std::string_view name) {
    const auto* const found = std::ranges::find(KnossosMethods, name, &KnossosMethod::name);
    return found == KnossosMethods.end() ? nullptr : found;
}

std::span<const std::string_view> knossosSearches() { return ComparedSearches; }
std::span<const std::string_view> knossosPaperNetworks() { return PaperNetworks; }

std::vector<const KnossosMethod*> KnossosPlan::chosenMethods() const {
    std::vector<const KnossosMethod*> chosen;
    for (const KnossosMethod& method : KnossosMethods) {
        const bool isNamed = std::ranges::find(methods, method.name) != methods.end();
        if (methods.empty() ? method.isUsual : isNamed) chosen.push_back(&method);
    }
    return chosen;
}

std::vector<KnossosTask> KnossosPlan::chosenTasks() const {
    std::vector<KnossosTask> chosen;
    for (const KnossosTaskInfo& info : knossosTasks()) {
        if (tasks.empty() || std::ranges::find(tasks, info.name) != tasks.end()) chosen.push_back(info.task);
    }
    return chosen;
}

Status checkPlan(const KnossosPlan& plan) {
    MITOS_REQUIRE(requireKnown(plan.tasks, taskNames(), "task"));
    MITOS_REQUIRE(requireKnown(plan.methods, knossosMethodNames(), "method"));
    MITOS_REQUIRE(requireKnown({plan.paperNetwork}, {PaperNetworks.begin(), PaperNetworks.end()}, "network"));
    if (plan.repetitions == 0 || plan.epochs == 0 || plan.stage == 0)
        return inputError("repetitions, epochs and the epochs of a stage are at least 1", "");
    const bool isAscending =
        std::ranges::adjacent_find(plan.budgets, std::ranges::greater_equal()) == plan.budgets.end();
    if (plan.budgets.empty() || plan.budgets.front() == 0 || !isAscending)
        return inputError("the numbers of evaluations are not ascending numbers from 1 on",
                          "write them as 100,300,1000");
    for (const KnossosMethod* const method : plan.chosenMethods()) {
        if (!method->isLearned()) continue;
        MITOS_REQUIRE(trainingParameters(plan, *method));
    }
    return Success{};
}

Result<ParameterValues> trainingParameters(const KnossosPlan& plan, const KnossosMethod& method) {
    ParameterValues values = ownParametersOf(plan, method.name);
    for (const auto& [name, value] : plan.training) values[name] = value;
    return resolveParameters("the training", valueTrainingParameters(), values);
}

std::string KnossosRun::name() const { return fmt::format("{}-{}-{:02}", infoOf(task).name, method->name, repetition); }

std::vector<KnossosRun> knossosRuns(const KnossosPlan& plan) {
    std::vector<KnossosRun> runs;
    const std::vector<const KnossosMethod*> methods = plan.chosenMethods();
    const auto add = [&](bool isLearned, std::uint32_t repetition) {
        for (const KnossosTask task : plan.chosenTasks()) {
            for (const KnossosMethod* const method : methods) {
                if (method->isLearned() != isLearned || (repetition > 1 && !method->isRandomized)) continue;
                runs.push_back({task, method, repetition});
            }
        }
    };
    for (const bool isLearned : {false, true}) {
        for (std::uint32_t repetition = 1; repetition <= plan.repetitions; ++repetition) add(isLearned, repetition);
    }
    return runs;
}

}  // namespace mitos::search::experiments
