// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/policy.h"

#include "core/base/random.h"
#include "search/placement/list_scheduling.h"
#include "search/placement/simple_methods.h"

#include <fmt/format.h>

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
constexpr double UniformShare = 0.05;  ///< of a density, where schedules are imitated

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

constexpr std::array<std::pair<PolicyView, const char*>, 4> Views{{{PolicyView::All, "all"},
                                                                   {PolicyView::Methods, "methods"},
                                                                   {PolicyView::NoLevels, "no-levels"},
                                                                   {PolicyView::Nothing, "nothing"}}};

/// Columns that all nodes have in common.
std::vector<float> shapeOf(const Problem& problem) {
    const double count = problem.operationCount();
    std::size_t edges = 0;
    std::size_t most = 0;
    std::vector<std::uint32_t> depth(problem.operationCount(), 1);
    for (const std::uint32_t operation : problem.topologicalOrder()) {
        const auto next = problem.successorsOf(operation);
        edges += next.size();
        most = std::max({most, next.size(), problem.predecessorsOf(operation).size()});
        for (const std::uint32_t one : next) depth[one] = std::max(depth[one], depth[operation] + 1);
    }
    return {static_cast<float>(std::log1p(count)), static_cast<float>(std::log1p(static_cast<double>(edges) / count)),
            static_cast<float>(std::log1p(static_cast<double>(most)) / std::log1p(count)),
            static_cast<float>(std::log1p(*std::ranges::max_element(depth)) / std::log1p(count))};
}

/// The columns of the methods for all nodes, in rows.
std::vector<std::vector<float>> methodColumns(const Problem& problem, Objective objective) {
    const std::uint32_t count = problem.operationCount();
    const std::uint32_t devices = problem.deviceCount();
    std::vector<std::vector<float>> rows(count);
    const auto schedules = simpleSchedules(problem, objective, true);
    schedule::PerformanceModel model(problem);
    std::vector<double> costs;
    double best = 0.0;
    for (const auto& own : schedules) {
        double cost = 0.0;
        if (own) {
            const schedule::Score score = evaluated(model, *own).score;
            cost = objective == Objective::Memory ? static_cast<double>(score.peak) : score.runtime;
            if (best == 0.0 || cost < best) best = cost;
        }
        costs.push_back(cost);
    }
    for (std::size_t k = 0; k < schedules.size(); ++k) {
        const std::vector<float> keys = schedules[k] ? encoded(problem, Decode::Paper, *schedules[k])
                                                     : std::vector<float>(std::size_t{count} * (devices + 1), 0.0F);
        const auto quality = static_cast<float>(costs[k] > 0.0 ? best / costs[k] : 0.0);
        for (std::size_t i = 0; i < count; ++i) {
            const auto affinities = keys.begin() + static_cast<std::ptrdiff_t>(i * devices);
            rows[i].insert(rows[i].end(), affinities, affinities + devices);
            rows[i].push_back(keys[std::size_t{count} * devices + i]);
            rows[i].push_back(quality);
        }
    }
    const std::vector<float> shape = shapeOf(problem);
    for (std::vector<float>& row : rows) row.insert(row.end(), shape.begin(), shape.end());
    return rows;
}

/// Whether devices are told apart by nothing but their names.
bool hasEqualDevices(const schedule::Machine& machine) {
    const schedule::Device& first = machine.devices.front();
    return std::ranges::all_of(machine.devices, [&](const schedule::Device& device) {
        return device.speed == first.speed && device.memory == first.memory;
    });
}

/// Exchanges the names of devices, largest overlap first, so that they agree with those of a reference.
void renameDevices(std::vector<std::uint32_t>& device, std::span<const std::uint32_t> reference,
                   std::uint32_t devices) {
    std::vector<std::vector<std::uint32_t>> overlap(devices, std::vector<std::uint32_t>(devices, 0));
    for (std::size_t i = 0; i < device.size(); ++i) ++overlap[device[i]][reference[i]];
    std::vector<std::optional<std::uint32_t>> name(devices);
    std::vector<bool> isTaken(devices, false);
    for (std::uint32_t round = 0; round < devices; ++round) {
        std::optional<std::pair<std::uint32_t, std::uint32_t>> most;
        for (std::uint32_t own = 0; own < devices; ++own) {
            for (std::uint32_t other = 0; other < devices && !name[own]; ++other) {
                if (!isTaken[other] && (!most || overlap[own][other] > overlap[most->first][most->second]))
                    most = {own, other};
            }
        }
        name[most->first] = most->second;
        isTaken[most->second] = true;
    }
    for (std::uint32_t& one : device) one = *name[one];
}

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

std::vector<std::string> nodeFeatureNames(PolicyView view, std::uint32_t devices) {
    if (view == PolicyView::Nothing) return {"one"};
    std::vector<std::string> names{"duration", "output_bytes", "input_bytes", "log_inputs", "log_outputs", "random"};
    if (view != PolicyView::NoLevels) names.insert(names.end(), {"bottom_level", "top_level"});
    if (view != PolicyView::Methods) return names;
    for (const std::string_view method : SimpleMethods) {
        for (std::uint32_t k = 0; k < devices; ++k) names.push_back(fmt::format("{} device {}", method, k));
        names.push_back(fmt::format("{} priority", method));
        names.push_back(fmt::format("{} quality", method));
    }
    names.insert(names.end(), {"log_operations", "log_edges", "log_largest_degree", "log_depth"});
    return names;
}

std::vector<std::string> edgeFeatureNames() { return {"bytes", "is_control", "log_consumers"}; }

PolicyGraph policyGraph(const Problem& problem, Objective objective, PolicyView view) {
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
    std::vector<std::vector<float>> methods;
    if (view == PolicyView::Methods) methods = methodColumns(problem, objective);
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
        if (view == PolicyView::NoLevels) continue;
        add(row, bottom[i] / longest);
        add(row, top[i] / longest);
        if (view == PolicyView::Methods) row.insert(row.end(), methods[i].begin(), methods[i].end());
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
    std::vector<Beta> betas{{1.0, 1.0}};
    for (const double concentration : {3.0, 8.0}) {
        for (int i = 0; i < 10; ++i) betas.push_back(Beta::ofMean(0.05 + 0.1 * i, concentration));
    }
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

std::vector<float> valuesOfChoices(const Problem& problem, Objective objective, Decode decode,
                                   std::span<const Beta> betas, std::span<const schedule::Schedule> schedules) {
    constexpr double GoodAffinity = 0.85;
    constexpr double LeastKey = 0.01;
    const std::uint32_t operations = problem.operationCount();
    const std::uint32_t devices = problem.deviceCount();
    const std::uint32_t heads = policyHeads(decode, devices);
    const std::size_t affinities = heads - 1;
    const double share = 1.0 / static_cast<double>(schedules.size());
    std::vector<double> logNormal;
    for (const Beta& beta : betas) {
        logNormal.push_back(std::lgamma(beta.alpha + beta.beta) - std::lgamma(beta.alpha) - std::lgamma(beta.beta));
    }
    std::vector<float> values(std::size_t{operations} * heads * betas.size());
    const auto add = [&](std::size_t decision, double key) {
        for (std::size_t i = 0; i < betas.size(); ++i) {
            const double density = std::exp(logNormal[i] + (betas[i].alpha - 1.0) * std::log(key) +
                                            (betas[i].beta - 1.0) * std::log1p(-key));
            values[decision * betas.size() + i] +=
                static_cast<float>(share * std::log((1.0 - UniformShare) * density + UniformShare));
        }
    };
    const std::optional<schedule::Schedule> reference = simpleSchedules(problem, objective, false).back();
    for (schedule::Schedule schedule : schedules) {
        if (reference && hasEqualDevices(problem.machine())) renameDevices(schedule.device, reference->device, devices);
        const std::vector<float> keys = encoded(problem, decode, schedule);
        for (std::size_t i = 0; i < operations; ++i) {
            for (std::size_t k = 0; k < affinities; ++k) {
                add(i * heads + k, keys[i * affinities + k] > 0.5F ? GoodAffinity : 1.0 - GoodAffinity);
            }
            add(i * heads + affinities,
                std::clamp(double{keys[operations * affinities + i]}, LeastKey, 1.0 - LeastKey));
        }
    }
    return values;
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
