// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/tensor_check.h"

#include "core/autodiff/differences.h"
#include "core/base/hash.h"
#include "core/base/random.h"
#include "core/ir/shared.h"
#include "core/tensor/operator.h"
#include "core/tensor/samples.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace mitos::autodiff {

using ir::TermId;
using tensor::ArrayPtr;

namespace {

constexpr int DrawnPerPoint = 4;  // inputs drawn for each point that is wanted
constexpr double FirstStep = 0.01;
constexpr double LeastScale = 0.1;  // of an array's elements
constexpr double Enough = 1e-10;    // relative error of differences
constexpr double Skip = 16.0;       // among the millions of signs in a network, some change within small steps

/// The nodes whose values are the decisions that gradients depend on: conditions, indices, signs.
std::vector<TermId> decisionsOf(const ir::TermBank& bank, const ir::Program& program) {
    absl::flat_hash_set<TermId> smooth;
    std::vector<TermId> decisions;
    for (const TermId node : ir::SharedNodes(bank, program.root)) {
        const bool isSmooth = isDifferentiable(bank.types(), bank.type(node));
        if (isSmooth && bank.is(node, ir::CoreOp::Variable)) smooth.insert(node);
        const bool depends =
            std::ranges::any_of(bank.children(node), [&](TermId child) { return smooth.contains(child); });
        if (!depends) continue;
        const tensor::Operator* const op = tensor::operatorOf(bank, node);
        const bool isStep =
            (op != nullptr && op->gradient.isZero) || (!isSmooth && bank.types().isArray(bank.type(node)));
        if (isStep)
            decisions.push_back(node);
        else
            smooth.insert(node);  // a tuple is passed through
    }
    return decisions;
}

/// The loss of an output, and the sum of the absolute values of its summands. `further` is the target or the cotangent, if there is one.
Product lossOf(Loss loss, const tensor::Array& output, const Numbers& further) {
    const Numbers& y = output.elements;
    const auto count = static_cast<double>(y.size());
    switch (loss) {
        case Loss::Output:
        case Loss::Sum: return inner(y, Numbers(y.size(), 1.0));
        case Loss::Cotangent: return inner(y, further);
        case Loss::MeanSquare: {
            Numbers apart;
            for (std::size_t i = 0; i < y.size(); ++i) apart.push_back(y[i] - further[i]);
            const Product squares = inner(apart, apart);
            return {squares.sum / count, squares.size / count};
        }
        case Loss::SoftmaxCrossEntropy: break;
    }
    const auto classes = static_cast<std::size_t>(output.shape.back());
    Product total;
    for (std::size_t row = 0; row < y.size(); row += classes) {
        const double most = *std::max_element(y.begin() + static_cast<std::ptrdiff_t>(row),
                                              y.begin() + static_cast<std::ptrdiff_t>(row + classes));
        double sum = 0.0;
        for (std::size_t i = row; i < row + classes; ++i) sum += std::exp(y[i] - most);
        for (std::size_t i = row; i < row + classes; ++i) {
            const double summand = further[i] * (most + std::log(sum) - y[i]) * static_cast<double>(classes) / count;
            total.sum += summand;
            total.size += std::abs(summand);
        }
    }
    return total;
}

class TensorChecker {
public:
    TensorChecker(const ir::TermBank& bank, const TrainingGraph& graph, const TensorCheckOptions& options)
        : m_bank(bank),
          m_graph(graph),
          m_options(options),
          m_weights(*graph.model.weights),
          m_loss(bank.child(graph.model.program.root, 0)),
          m_wanted(decisionsOf(bank, graph.model.program)),
          m_random(options.seed) {
        m_wanted.push_back(m_loss);
    }

    Result<TensorCheckReport> run() {
        drawMissingWeights();
        for (const std::string& array : m_graph.arrays) m_report.arrays.push_back({.array = array});
        for (int drawn = 0; drawn < m_options.points * DrawnPerPoint && m_report.points < m_options.points; ++drawn) {
            MITOS_REQUIRE(compareAtPoint());
        }
        m_report.passed = m_report.points > 0 && m_report.isLossWithin;
        for (const ArrayCheck& array : m_report.arrays) {
            m_report.deviation = std::max(m_report.deviation, array.deviation);
            m_report.passed = m_report.passed && array.isWithin && array.compared > 0;
        }
        return std::move(m_report);
    }

private:
    /// Numbers for weights that stay in the graph, of a model that has none.
    void drawMissingWeights() {
        for (const TermId root : {m_graph.model.program.root, m_graph.source.program.root}) {
            const tensor::Weights drawn = tensor::sampledWeights(m_bank, root, m_options.seed);
            for (const auto& [name, data] : drawn) {
                if (m_weights.find(name) == nullptr) m_weights.set(name, data);
            }
        }
    }

    /// Random inputs; the model's numbers for those that were weights.
    Result<tensor::Inputs> drawnInputs() {
        const ir::Function& function = m_bank.function(m_graph.model.program.function);
        MITOS_TRY(const tensor::Sizes sizes, tensor::randomSizes(m_bank, function, {}, m_random));
        MITOS_TRY(tensor::Inputs inputs, tensor::randomInputs(m_bank, function, sizes, m_random));
        for (auto& [name, value] : inputs) {
            const auto given = m_options.given.find(name);
            if (given != m_options.given.end()) {
                value = given->second;
                continue;
            }
            const tensor::WeightData* const weight = m_weights.find(name);
            if (weight == nullptr) continue;
            MITOS_TRY(value, weight->read());
        }
        return inputs;
    }

    Status compareAtPoint() {
        MITOS_TRY(const tensor::Inputs inputs, drawnInputs());
        MITOS_TRY(const std::vector<ArrayPtr> values,
                  tensor::evaluate(m_bank, m_graph.model.program.root, inputs, m_weights, m_options.evaluation));
        if (!std::ranges::all_of(values, [](const ArrayPtr& value) { return areFinite(value->elements); })) {
            ++m_report.singular;
            return Success{};
        }
        bool isCompared = false;
        for (std::size_t i = 0; i < m_graph.arrays.size(); ++i) {
            MITOS_TRY(const bool counts, compareAlong(inputs, values[i + 1]->elements, m_report.arrays[i]));
            isCompared = isCompared || counts;
            const double done = static_cast<double>(i + 1) / static_cast<double>(m_graph.arrays.size());
            if (m_options.progress) m_options.progress((m_report.points + done) / m_options.points);
        }
        MITOS_REQUIRE(compareLoss(inputs));
        if (isCompared) ++m_report.points;
        return Success{};
    }

    /// Compares the graph's loss with that of the model's own output, at inputs and weights that are all moved.
    Status compareLoss(const tensor::Inputs& inputs) {
        const tensor::Inputs at = movedTogether(inputs);
        const Result<tensor::NodeValues> values =
            tensor::evaluateNodes(m_bank, std::array{m_loss}, {}, at, m_weights, m_options.evaluation);
        if (!values) return values.error().code == ErrorCode::Cancelled ? Status(values.error()) : Success{};
        const double found = values->at(m_loss).front()->elements.front();
        tensor::Weights numbers = m_weights;
        for (const std::string& array : m_graph.arrays)
            numbers.set(array, tensor::WeightData::of(at.find(array)->second));
        MITOS_TRY(const ArrayPtr output, ownOutput(at, numbers));
        const ir::Function& function = m_bank.function(m_graph.model.program.function);
        const auto further = at.find(m_bank.text(function.parameters.back().name));
        const Product expected = lossOf(m_graph.loss, *output, further->second->elements);
        if (!std::isfinite(expected.sum) || !std::isfinite(found)) return Success{};
        const double deviation = relative(std::abs(found - expected.sum), expected.size);
        m_report.lossDeviation = std::max(m_report.lossDeviation, deviation);
        m_report.isLossWithin = m_report.isLossWithin && deviation <= m_options.tolerance;
        return Success{};
    }

    /// The inputs with a random multiple of the first step added to each element of the arrays.
    tensor::Inputs movedTogether(tensor::Inputs inputs) {
        for (const std::string& array : m_graph.arrays) {
            ArrayPtr& value = inputs.find(array)->second;
            auto moved = std::make_shared<tensor::Array>(*value);
            const double step = FirstStep * std::max(LeastScale, largest(moved->elements));
            for (double& element : moved->elements) {
                element = tensor::roundTo(moved->dtype, element + step * m_random.uniform(-1.0, 1.0));
            }
            value = std::move(moved);
        }
        return inputs;
    }

    /// The output of the model itself, with these numbers as its weights.
    Result<ArrayPtr> ownOutput(const tensor::Inputs& inputs, const tensor::Weights& numbers) {
        ir::TermBank own(m_bank.sharedRegistry());
        const ir::TermBank* bank = &m_bank;
        tensor::Model model = m_graph.source;
        tensor::Weights weights = numbers;
        if (m_options.reread) {
            MITOS_TRY(model, m_options.reread(own, numbers));
            bank = &own;
            weights = *model.weights;
        }
        MITOS_TRY(const std::vector<ArrayPtr> outputs,
                  tensor::evaluate(*bank, model.program.root, inputs, weights, m_options.evaluation));
        const auto chosen = std::ranges::find(model.outputs, m_graph.output);
        return outputs[chosen == model.outputs.end() ? 0 : static_cast<std::size_t>(chosen - model.outputs.begin())];
    }

    /// Returns whether the direction counts.
    Result<bool> compareAlong(const tensor::Inputs& inputs, const Numbers& gradient, ArrayCheck& check) {
        const tensor::Array& at = *inputs.find(check.array)->second;
        Numbers direction;
        for (std::size_t i = 0; i < at.elements.size(); ++i) direction.push_back(m_random.uniform(-1.0, 1.0));
        const auto moved = [&](double step) { return movedBy(inputs, check.array, direction, step); };
        const DifferenceOptions steps{
            .firstStep = FirstStep * std::max(LeastScale, largest(at.elements)), .enough = Enough, .skip = Skip};
        MITOS_TRY(const std::optional<Slope> slope, slopeAlong(moved, steps));
        if (!slope) {
            ++m_report.redrawn;
            return false;
        }
        if (!slope->isSettled()) {
            ++m_report.unsettled;
            return false;
        }
        const Product product = inner(gradient, direction);
        const double size = std::max(product.size, slope->size());
        const double deviation = relative(std::abs(product.sum - slope->values.front()), size);
        check.deviation = std::max(check.deviation, deviation);
        check.isWithin = check.isWithin && deviation <= m_options.tolerance + slope->allowance(size);
        ++check.compared;
        return true;
    }

    /// The loss with one array moved; nothing where it cannot be computed.
    Result<std::optional<Moved>> movedBy(const tensor::Inputs& inputs, const std::string& array,
                                         const Numbers& direction, double step) const {
        tensor::Inputs at = inputs;
        ArrayPtr& value = at.find(array)->second;
        auto elements = std::make_shared<tensor::Array>(*value);
        for (std::size_t i = 0; i < direction.size(); ++i) elements->elements[i] += step * direction[i];
        value = std::move(elements);
        const Result<tensor::NodeValues> values =
            tensor::evaluateNodes(m_bank, m_wanted, {}, at, m_weights, m_options.evaluation);
        if (!values) {
            if (values.error().code == ErrorCode::Cancelled) return values.error();
            return std::optional<Moved>();
        }
        std::uint64_t decisions = 0;
        for (const TermId node : m_wanted) {
            if (node == m_loss) continue;
            for (const double element : values->at(node).front()->elements) {
                decisions = mixBits(decisions + std::bit_cast<std::uint64_t>(element));
            }
        }
        return std::optional(Moved{values->at(m_loss).front()->elements, std::to_string(decisions)});
    }

    const ir::TermBank& m_bank;
    const TrainingGraph& m_graph;
    const TensorCheckOptions& m_options;
    tensor::Weights m_weights;
    TermId m_loss;
    std::vector<TermId> m_wanted;  ///< decisions, and the loss
    Random m_random;
    TensorCheckReport m_report;
};

std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

Result<TensorCheckReport> checkGradients(const ir::TermBank& bank, const TrainingGraph& graph,
                                         const TensorCheckOptions& options) {
    return TensorChecker(bank, graph, options).run();
}

std::string describe(const TensorCheckReport& report) {
    std::string text = fmt::format(
        "checked at {}: the gradients of {} deviate by at most {:.2g} (relative) from central differences\n",
        counted(static_cast<std::size_t>(report.points), "point"), counted(report.arrays.size(), "array"),
        report.deviation);
    const std::array<std::pair<int, const char*>, 3> others{
        {{report.redrawn, "direction{} left out: a sign or the place of a maximum changes there"},
         {report.unsettled, "direction{} left out: the differences do not converge there"},
         {report.singular, "point{} drawn again: the loss or a gradient is not finite there"}}};
    for (const auto& [count, what] : others) {
        if (count > 0) text += fmt::format("{} {}\n", count, fmt::format(fmt::runtime(what), count == 1 ? "" : "s"));
    }
    if (!report.isLossWithin) {
        text += fmt::format(
            "where the arrays are moved, the loss of the graph deviates by {:.2g} from that of the model: the graph "
            "does not depend on "
            "them as the model does\n",
            report.lossDeviation);
    }
    for (const ArrayCheck& array : report.arrays) {
        if (array.compared == 0) text += fmt::format("{}: no direction could be compared\n", array.array);
        if (!array.isWithin) text += fmt::format("{}: deviates by {:.2g}\n", array.array, array.deviation);
    }
    return text;
}

}  // namespace mitos::autodiff
