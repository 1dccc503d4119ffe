// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/learned_value.h"

#include "search/learned/model_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::search {

namespace {

constexpr const char* ModelParameter = "model";
constexpr std::string_view ShippedModel = "shipped";

Result<ShippedValue> askedFor(const SearchProblem& problem) {
    const std::string& name = std::get<std::string>(problem.parameters.at(ModelParameter));
    if (name != ShippedModel) {
        MITOS_TRY(ValueModel model, loadValueModel(name));
        return ShippedValue{name, std::move(model)};
    }
    if (auto shipped = shippedValueFor(problem)) return *std::move(shipped);
    return inputError(
        fmt::format("no trained value function that fits comes with this program for {} programs and --cost {}",
                    problem.bank.dialect(problem.program.function).name, problem.cost->info().name),
        "train one: mitos-cli train value PROGRAMS -o my.model; then --set value=learned:my.model");
}

Result<std::unique_ptr<ValueFunction>> learnedValueFor(const SearchProblem& problem) {
    MITOS_TRY(const ShippedValue found, askedFor(problem));
    MITOS_REQUIRE(checkFit(found.model, found.name, problem));
    MITOS_TRY(std::unique_ptr<learned::ValueNetwork> network, networkOf(found.model));
    MITOS_TRY(std::unique_ptr<LearnedValue> value, LearnedValue::make(found.model, std::move(network), problem));
    if (auto remark = remarkOn(found.model, found.name, problem)) value->addNote(*std::move(remark));
    return std::unique_ptr<ValueFunction>(std::move(value));
}

/// All but the parameters, which the network has.
ValueModel withoutParameters(const ValueModel& model) {
    ValueModel own{.shape = model.shape, .vocabulary = model.vocabulary, .scale = model.scale, .unit = model.unit};
    return own;
}

}  // namespace

Result<ValueHints> ValueHints::make(const ValueModel& model, const SearchProblem& problem) {
    ValueHints hints;
    hints.m_times = model.shape.times;
    hints.m_unit = model.unit;
    for (const std::string& name : model.hints) {
        const SearchProblem own{problem.bank,
                                problem.program,
                                problem.rules,
                                problem.cost,
                                problem.budget,
                                problem.seed,
                                {{"value", name}, {"discount", 1.0}}};
        MITOS_TRY(std::unique_ptr<ValueFunction> function, makeValue(allValueFunctions(), own));
        hints.m_functions.push_back(std::move(function));
    }
    return hints;
}

std::vector<float> ValueHints::of(std::span<const ir::TermId> roots) {
    const std::size_t all = m_functions.size() * m_times;
    std::vector<float> hints(roots.size() * all);
    for (std::size_t h = 0; h < m_functions.size(); ++h) {
        const std::vector<double> values = m_functions[h]->values(roots, {1, m_times});
        for (std::size_t i = 0; i < roots.size(); ++i) {
            for (std::uint32_t t = 0; t < m_times; ++t)
                hints[i * all + h * m_times + t] = static_cast<float>(values[i * m_times + t] / m_unit / (t + 1.0));
        }
    }
    return hints;
}

std::size_t ValueHints::bytes() const {
    std::size_t bytes = 0;
    for (const auto& function : m_functions) bytes += function->bytes();
    return bytes;
}

LearnedValue::LearnedValue(const SearchProblem& problem, const ValueModel& model,
                           std::unique_ptr<learned::ValueNetwork> network, ValueHints hints)
    : m_bank(problem.bank),
      m_sharing(problem.bank.function(problem.program.function).sharing),
      m_model(withoutParameters(model)),
      m_vocabulary(model.vocabulary),
      m_network(std::move(network)),
      m_costs(problem.cost->evaluator(problem.bank, problem.program.function)),
      m_hints(std::move(hints)) {}

Result<std::unique_ptr<LearnedValue>> LearnedValue::make(const ValueModel& model,
                                                         std::unique_ptr<learned::ValueNetwork> network,
                                                         const SearchProblem& problem) {
    MITOS_TRY(ValueHints hints, ValueHints::make(model, problem));
    return std::unique_ptr<LearnedValue>(new LearnedValue(problem, model, std::move(network), std::move(hints)));
}

// A network of terms takes microseconds for a program. That of the Knossos paper takes milliseconds, and the time for 16 at once is not much longer
// than for one.
std::size_t LearnedValue::batch() const {
    constexpr std::size_t OfTerms = 256;
    return m_model.shape.kind == learned::ValueNetworkKind::Terms ? OfTerms : leastBatch();
}

std::size_t LearnedValue::leastBatch() const {
    constexpr std::size_t OfGraphs = 16;
    return m_model.shape.kind == learned::ValueNetworkKind::Terms ? 1 : OfGraphs;
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
    if (graphs.empty() || !m_network->forward({m_bank, graphs, m_hints.of(known)}, outputs)) return values;
    for (std::size_t i = 0; i < places.size(); ++i) {
        double cost = 0.0;
        if (m_model.scale == CostScale::Logarithm) {
            const Result<double> own = m_costs->cost(roots[places[i]], {});
            cost = own ? *own : 0.0;
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

ValueInfo learnedValueInfo() {
    return {"learned",
            "that of a trained network",
            learnedValueFor,
            {{.name = ModelParameter,
              .title = "Model",
              .help = "of value=learned: a file that `mitos-cli train value` wrote (value=learned:FILE is short for "
                      "both); shipped: the one that comes with the program for the dialect, cost model and rules",
              .defaultValue = std::string(ShippedModel),
              .choices = {std::string(ShippedModel)},
              .fileEnding = std::string(learned::ModelEnding)}}};
}

}  // namespace mitos::search
