// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/policy.h"

#include "core/base/random.h"
#include "search/placement/list_scheduling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

namespace mitos::search::placement {

namespace {

using random_keys::Beta;
using random_keys::MutantDistributions;
using schedule::Problem;

constexpr double Concentration = 8.0;

/// By operation: the longest chain of durations that ends where it starts, on devices of average speed.
std::vector<double> topLevels(const Problem& problem) {
    const std::span<const double> slowness = problem.slowness();
    const double mean = std::accumulate(slowness.begin(), slowness.end(), 0.0) / static_cast<double>(slowness.size());
    std::vector<double> levels(problem.operationCount(), 0.0);
    for (const std::uint32_t operation : problem.topologicalOrder()) {
        const double end = levels[operation] + problem.durationOf(operation) * mean;
        for (const std::uint32_t next : problem.successorsOf(operation)) levels[next] = std::max(levels[next], end);
    }
    return levels;
}

/// The numbers divided by the mean of those above 0, or as they are if there is none.
class Scale {
public:
    void add(double number) {
        if (number <= 0.0) return;
        m_sum += number;
        ++m_count;
    }
    [[nodiscard]] double operator()(double number) const { return m_count == 0 ? number : number * m_count / m_sum; }

private:
    double m_sum = 0.0;
    double m_count = 0;
};

constexpr std::array<std::pair<PolicyView, const char*>, 3> Views{
    {{PolicyView::All, "all"}, {PolicyView::NoLevels, "no-levels"}, {PolicyView::Nothing, "nothing"}}};

}  // namespace

const char* toString(PolicyView view) {
    return std::ranges::find(Views, view, &std::pair<PolicyView, const char*>::first)->second;
}

std::optional<PolicyView> policyViewFrom(std::string_view name) {
    for (const auto& [view, own] : Views) {
        if (name == own) return view;
    }
    return std::nullopt;
}

std::vector<std::string> nodeFeatureNames(PolicyView view) {
    if (view == PolicyView::Nothing) return {"one"};
    std::vector<std::string> names{"duration", "output_bytes", "input_bytes", "log_inputs", "log_outputs", "random"};
    if (view == PolicyView::All) names.insert(names.end(), {"bottom_level", "top_level"});
    return names;
}

std::vector<std::string> edgeFeatureNames() { return {"bytes", "is_control", "log_consumers"}; }

PolicyGraph policyGraph(const Problem& problem, PolicyView view) {
    constexpr std::uint64_t RandomFeature = 0x6665617475726573ULL;
    const std::uint32_t count = problem.operationCount();
    PolicyGraph graph{.nodes = count};
    Scale duration;
    Scale bytes;
    for (std::uint32_t i = 0; i < count; ++i) duration.add(problem.durationOf(i));
    for (std::uint32_t i = 0; i < problem.tensorCount(); ++i) bytes.add(static_cast<double>(problem.bytesOf(i)));
    const auto size = [&](std::uint32_t tensor) { return bytes(static_cast<double>(problem.bytesOf(tensor))); };
    const std::vector<double> bottom = bottomLevels(problem);
    const std::vector<double> top = topLevels(problem);
    const double longest = std::max(*std::ranges::max_element(bottom), 1e-300);
    const auto add = [](std::vector<float>& row, double number) { row.push_back(static_cast<float>(number)); };
    for (std::uint32_t i = 0; i < count; ++i) {
        std::vector<float>& row = graph.nodeFeatures;
        if (view == PolicyView::Nothing) {
            add(row, 1.0);
            continue;
        }
        double outputs = 0.0;
        double inputs = 0.0;
        for (const std::uint32_t tensor : problem.outputsOf(i)) outputs += size(tensor);
        for (const std::uint32_t tensor : problem.inputsOf(i)) inputs += size(tensor);
        add(row, std::log1p(duration(problem.durationOf(i))));
        add(row, std::log1p(outputs));
        add(row, std::log1p(inputs));
        add(row, std::log1p(static_cast<double>(problem.predecessorsOf(i).size())));
        add(row, std::log1p(static_cast<double>(problem.successorsOf(i).size())));
        add(row, Random(combineHash(RandomFeature, i)).uniform());
        if (view != PolicyView::All) continue;
        add(row, bottom[i] / longest);
        add(row, top[i] / longest);
    }
    const auto connect = [&](std::uint32_t from, std::uint32_t to, double amount, bool isControl, double consumers) {
        graph.from.push_back(from);
        graph.to.push_back(to);
        add(graph.edgeFeatures, std::log1p(amount));
        add(graph.edgeFeatures, isControl ? 1.0 : 0.0);
        add(graph.edgeFeatures, std::log1p(consumers));
    };
    for (std::uint32_t tensor = 0; tensor < problem.tensorCount(); ++tensor) {
        const std::span<const std::uint32_t> consumers = problem.consumersOf(tensor);
        for (const std::uint32_t consumer : consumers)
            connect(problem.producerOf(tensor), consumer, size(tensor), false, static_cast<double>(consumers.size()));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const std::uint32_t next : problem.controlledBy(i)) connect(i, next, 0.0, true, 0.0);
    }
    return graph;
}

std::vector<Beta> policyBetas() {
    std::vector<Beta> betas{{1.0, 1.0}, {0.5, 0.5}};
    for (const double mean : {0.1, 0.3, 0.5, 0.7, 0.9}) betas.push_back(Beta::ofMean(mean, Concentration));
    return betas;
}

std::uint32_t policyHeads(Decode decode, std::uint32_t devices) { return decode == Decode::Paper ? devices + 1 : 1; }

learned::ChoiceSpace policyChoices(Decode decode, std::uint32_t devices, std::size_t betas) {
    constexpr float TowardsUniform = 1.5F;
    learned::ChoiceSpace space{.heads = policyHeads(decode, devices), .prior = std::vector<float>(betas, 0.0F)};
    if (!space.prior.empty()) space.prior.front() = TowardsUniform;
    return space;
}

MutantDistributions distributionsOf(const Problem& problem, Decode decode, std::span<const Beta> betas,
                                    std::span<const std::uint8_t> choices) {
    const std::uint32_t operations = problem.operationCount();
    const std::uint32_t heads = policyHeads(decode, problem.deviceCount());
    const std::size_t affinities = heads - 1;
    MutantDistributions mutants{.choices = {betas.begin(), betas.end()},
                                .ofGene = std::vector<std::uint16_t>(geneCount(problem, decode), 0)};
    // Genes without a choice are uniform, as the first distribution is unless a model says otherwise.
    if (!mutants.choices.front().isUniform()) {
        std::ranges::fill(mutants.ofGene, static_cast<std::uint16_t>(mutants.choices.size()));
        mutants.choices.emplace_back();
    }
    for (std::size_t i = 0; i < operations; ++i) {
        for (std::size_t k = 0; k < affinities; ++k) mutants.ofGene[i * affinities + k] = choices[i * heads + k];
        mutants.ofGene[operations * affinities + i] = choices[i * heads + affinities];
    }
    return mutants;
}

MutantDistributions criticalPathDistributions(const Problem& problem, Decode decode) {
    constexpr std::size_t Steps = 64;
    const std::vector<double> bottom = bottomLevels(problem);
    const double longest = *std::ranges::max_element(bottom);
    const std::size_t first =
        decode == Decode::Paper ? std::size_t{problem.operationCount()} * problem.deviceCount() : 0;
    MutantDistributions mutants{.choices = {Beta{}},
                                .ofGene = std::vector<std::uint16_t>(geneCount(problem, decode), 0)};
    for (std::size_t i = 0; i < Steps; ++i)
        mutants.choices.push_back(Beta::ofMean((static_cast<double>(i) + 0.5) / Steps, Concentration));
    if (longest <= 0.0) return mutants;
    for (std::size_t i = 0; i < bottom.size(); ++i) {
        const auto step = std::min(Steps - 1, static_cast<std::size_t>(bottom[i] / longest * Steps));
        mutants.ofGene[first + i] = static_cast<std::uint16_t>(1 + step);
    }
    return mutants;
}

}  // namespace mitos::search::placement
