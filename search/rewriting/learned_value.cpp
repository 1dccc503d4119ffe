// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/learned_value.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::search {

double scaledCost(const ValueModel& model, double cost) {
    return model.scale == CostScale::Unit ? cost / model.unit : std::log1p(std::max(0.0, cost));
}

double reductionOf(const ValueModel& model, double cost, double scaledReduction) {
    if (model.scale == CostScale::Unit) return scaledReduction * model.unit;
    return (1.0 + std::max(0.0, cost)) * -std::expm1(-scaledReduction);
}

LearnedValue::LearnedValue(const ir::TermBank& bank, ir::Sharing sharing, const ValueModel& model,
                           std::unique_ptr<learned::ValueNetwork> network, std::unique_ptr<cost::CostEvaluator> costs,
                           std::vector<std::unique_ptr<ValueFunction>> hints)
    : m_bank(bank),
      m_sharing(sharing),
      m_model(model),
      m_vocabulary(model.vocabulary),
      m_network(std::move(network)),
      m_costs(std::move(costs)),
      m_hints(std::move(hints)) {}

std::vector<float> LearnedValue::hintsOf(std::span<const ir::TermId> roots) {
    const std::uint32_t width = m_network->shape().times;
    const std::size_t all = m_hints.size() * width;
    std::vector<float> hints(roots.size() * all);
    for (std::size_t h = 0; h < m_hints.size(); ++h) {
        const std::vector<double> values = m_hints[h]->values(roots, {1, width});
        for (std::size_t i = 0; i < roots.size(); ++i) {
            for (std::uint32_t t = 0; t < width; ++t)
                hints[i * all + h * width + t] = static_cast<float>(values[i * width + t] / m_model.unit / (t + 1.0));
        }
    }
    return hints;
}

std::vector<double> LearnedValue::values(std::span<const ir::TermId> roots, TimesLeft times) {
    std::vector<ir::ProgramGraph> graphs;
    std::vector<std::size_t> places;
    std::vector<ir::TermId> known;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        Result<ir::ProgramGraph> graph = ir::programGraph(m_bank, roots[i], m_sharing, m_vocabulary);
        if (!graph) continue;
        graphs.push_back(*std::move(graph));
        places.push_back(i);
        known.push_back(roots[i]);
    }
    std::vector<double> values(roots.size() * times.count(), 0.0);
    const std::uint32_t width = m_network->shape().times;
    std::vector<float> outputs(graphs.size() * width);
    if (graphs.empty() || !m_network->forward({m_bank, graphs, hintsOf(known)}, outputs)) return values;
    for (std::size_t i = 0; i < places.size(); ++i) {
        double cost = 0.0;
        if (m_model.scale == CostScale::Logarithm) {
            const Result<double> known = m_costs->cost(roots[places[i]], {});
            cost = known ? *known : 0.0;
        }
        for (std::uint32_t left = std::max(1U, times.least); left <= times.most; ++left) {
            const std::uint32_t time = std::min(left, width);
            const double reduction = time * static_cast<double>(outputs[i * width + time - 1]);
            values[places[i] * times.count() + left - times.least] =
                reductionOf(m_model, cost, std::max(0.0, reduction));
        }
    }
    return values;
}

}  // namespace mitos::search
