// SPDX-License-Identifier: GPL-3.0-or-later
// Recurrent layers: RNN, GRU and LSTM over whole sequences, in one or both directions.
#include "core/tensor/internal/recurrent.h"

#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mitos::tensor {

CellKind cellKindOf(const Operator& op) {
    if (op.name == "LSTM") return {4, {"Sigmoid", "Tanh", "Tanh"}, true};
    if (op.name == "GRU") return {3, {"Sigmoid", "Tanh"}, false};
    return {1, {"Tanh"}, false};
}

std::int64_t directionsOf(const Attributes& attributes) {
    return attributes.word("direction") == "bidirectional" ? 2 : 1;
}

namespace {

using ir::Dimension;

using Activation = double (*)(double);

/// The activation of that name; null if it is unknown or needs parameters.
Activation activationNamed(std::string_view name) {
    if (name == "Sigmoid") return [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    if (name == "Tanh") return [](double x) { return std::tanh(x); };
    if (name == "Relu") return [](double x) { return std::max(0.0, x); };
    if (name == "Softsign") return [](double x) { return x / (1.0 + std::abs(x)); };
    if (name == "Softplus") return [](double x) { return std::log1p(std::exp(x)); };
    return nullptr;
}

// --- types ------------------------------------------------------------------------------------------------------------

Status checkInput(const ShapeInput& in, RecurrentInput input, const std::vector<Dimension>& expected) {
    if (!in.isPresent(input) || !in.inputs[input].hasRank) return Success{};
    const std::vector<Dimension>& found = in.inputs[input].dimensions;
    if (std::ranges::equal(found, expected, mayBeEqual)) return Success{};
    return shapeError(fmt::format("{}: the sizes of {} do not fit the others", in.op.name, in.op.inputs[input].name));
}

Result<std::vector<ArrayType>> recurrentShape(const ShapeInput& in) {
    std::vector<ArrayType> numbers(in.inputs.begin(), in.inputs.end());
    if (in.isPresent(InLengths)) numbers[InLengths] = ArrayType::absent();
    const ShapeInput floats{in.op, in.attributes, numbers, in.symbols};
    MITOS_REQUIRE(checkElements(floats, Takes::Floats));
    const CellKind kind = cellKindOf(in.op);
    const std::int64_t outputs = in.attributes.integer(OutputsName);
    const std::int64_t most = kind.hasCell ? 3 : 2;
    if (outputs < 1 || outputs > most) return shapeError(fmt::format("{} has 1 to {} outputs", in.op.name, most));
    const ArrayType& x = in.inputs[InX];
    if (!x.hasRank) return std::vector<ArrayType>(static_cast<std::size_t>(outputs), x);
    const std::int64_t size = in.attributes.integer("hidden_size");
    const bool fits = size > 0 && x.rank() == 3 && size < std::int64_t{1} << 31U &&
                      in.attributes.names("activations").size() ==
                          kind.activations.size() * static_cast<std::size_t>(directionsOf(in.attributes));
    if (!fits) return shapeError(fmt::format("{}: X is of rank 3; found {}", in.op.name, x.rank()));
    for (const std::string& name : in.attributes.names("activations")) {
        if (activationNamed(name) == nullptr)
            return shapeError(fmt::format("{} has no activation {}", in.op.name, name));
    }
    const bool isBatchFirst = in.attributes.boolean("layout");
    const Dimension directions = Dimension::of(directionsOf(in.attributes));
    const Dimension hidden = Dimension::of(size);
    const Dimension steps = x.dimensions[isBatchFirst ? 1 : 0];
    const Dimension batch = x.dimensions[isBatchFirst ? 0 : 1];
    const Dimension rows = Dimension::of(kind.gates * size);
    const std::vector<Dimension> state =
        isBatchFirst ? std::vector{batch, directions, hidden} : std::vector{directions, batch, hidden};
    const std::array<std::vector<Dimension>, 8> expected{x.dimensions,
                                                         std::vector{directions, rows, x.dimensions[2]},
                                                         std::vector{directions, rows, hidden},
                                                         std::vector{directions, Dimension::of(2 * kind.gates * size)},
                                                         std::vector{batch},
                                                         state,
                                                         state,
                                                         std::vector{directions, Dimension::of(3 * size)}};
    for (std::size_t i = InW; i < in.op.inputs.size(); ++i) {
        MITOS_REQUIRE(checkInput(in, static_cast<RecurrentInput>(i), expected[i]));
    }
    const std::vector<Dimension> all =
        isBatchFirst ? std::vector{batch, steps, directions, hidden} : std::vector{steps, directions, batch, hidden};
    std::vector<ArrayType> types(static_cast<std::size_t>(outputs), {.dtype = x.dtype, .dimensions = state});
    types[0].dimensions = all;
    return types;
}

// --- evaluation -------------------------------------------------------------------------------------------------------

/// One direction of one layer, and the state of one sequence.
class Layer {
public:
    Layer(const EvaluateInput& in, std::int64_t direction)
        : m_kind(cellKindOf(in.attributes.op())),
          m_direction(direction) {
        m_hidden = in.attributes.integer("hidden_size");
        m_inputs = in.inputs[InX]->shape[2];
        m_w = part(in, InW);
        m_r = part(in, InR);
        m_b = part(in, InB);
        m_p = part(in, InPeepholes);
        const auto& names = in.attributes.names("activations");
        const std::size_t count = m_kind.activations.size();
        for (std::size_t i = 0; i < count; ++i)
            m_functions.push_back(activationNamed(names[static_cast<std::size_t>(direction) * count + i]));
        const double clip = in.attributes.floating("clip");
        m_clip = clip > 0.0 ? clip : HUGE_VAL;
        m_resetsLast = in.attributes.op().name == "GRU" && in.attributes.boolean("linear_before_reset");
    }

    /// Advances h and c by the input x.
    void step(const double* x, std::vector<double>& h, std::vector<double>& c) const {
        if (m_kind.gates == 1) {
            std::vector<double> next = sums(x, h, 0);
            for (double& element : next) element = apply(0, element);
            h = std::move(next);
        } else if (m_kind.hasCell) {
            stepLstm(x, h, c);
        } else {
            stepGru(x, h);
        }
    }

private:
    const double* part(const EvaluateInput& in, std::size_t input) const {
        if (input >= in.inputs.size() || in.inputs[input] == nullptr) return nullptr;
        const Array& array = *in.inputs[input];
        return array.elements.data() + m_direction * (elementCount(array.shape) / array.shape[0]);
    }

    [[nodiscard]] double apply(std::size_t function, double x) const {
        return m_functions[function](std::clamp(x, -m_clip, m_clip));
    }

    /// The contribution of the input to a gate, with its bias.
    [[nodiscard]] std::vector<double> ofInput(const double* x, std::int64_t gate) const {
        std::vector<double> result(static_cast<std::size_t>(m_hidden));
        for (std::int64_t i = 0; i < m_hidden; ++i) {
            const std::int64_t row = gate * m_hidden + i;
            double sum = m_b != nullptr ? m_b[row] : 0.0;
            for (std::int64_t k = 0; k < m_inputs; ++k) sum += m_w[row * m_inputs + k] * x[k];
            result[static_cast<std::size_t>(i)] = sum;
        }
        return result;
    }
    /// The contribution of a state.
    [[nodiscard]] std::vector<double> ofState(const std::vector<double>& h, std::int64_t gate) const {
        std::vector<double> result(static_cast<std::size_t>(m_hidden));
        for (std::int64_t i = 0; i < m_hidden; ++i) {
            const std::int64_t row = gate * m_hidden + i;
            double sum = m_b != nullptr ? m_b[m_kind.gates * m_hidden + row] : 0.0;
            for (std::int64_t k = 0; k < m_hidden; ++k) sum += m_r[row * m_hidden + k] * h[static_cast<std::size_t>(k)];
            result[static_cast<std::size_t>(i)] = sum;
        }
        return result;
    }
    [[nodiscard]] std::vector<double> sums(const double* x, const std::vector<double>& h, std::int64_t gate) const {
        std::vector<double> result = ofInput(x, gate);
        const std::vector<double> other = ofState(h, gate);
        for (std::size_t i = 0; i < result.size(); ++i) result[i] += other[i];
        return result;
    }
    [[nodiscard]] double peephole(std::int64_t which, std::size_t i, double c) const {
        return m_p != nullptr ? m_p[which * m_hidden + static_cast<std::int64_t>(i)] * c : 0.0;
    }

    /// Gates in the order input, output, forget, cell; peepholes input, output, forget.
    void stepLstm(const double* x, std::vector<double>& h, std::vector<double>& c) const {
        const std::vector<double> input = sums(x, h, 0);
        const std::vector<double> output = sums(x, h, 1);
        const std::vector<double> forget = sums(x, h, 2);
        const std::vector<double> cell = sums(x, h, 3);
        for (std::size_t i = 0; i < c.size(); ++i) {
            const double before = c[i];
            c[i] = apply(0, forget[i] + peephole(2, i, before)) * before +
                   apply(0, input[i] + peephole(0, i, before)) * apply(1, cell[i]);
            h[i] = apply(0, output[i] + peephole(1, i, c[i])) * m_functions[2](c[i]);
        }
    }

    /// Gates in the order update, reset, hidden.
    void stepGru(const double* x, std::vector<double>& h) const {
        const std::vector<double> update = sums(x, h, 0);
        std::vector<double> reset = sums(x, h, 1);
        for (double& element : reset) element = apply(0, element);
        std::vector<double> hidden = ofInput(x, 2);
        std::vector<double> before = h;
        if (!m_resetsLast) {
            for (std::size_t i = 0; i < before.size(); ++i) before[i] *= reset[i];
        }
        const std::vector<double> other = ofState(before, 2);
        for (std::size_t i = 0; i < h.size(); ++i) {
            const double z = apply(0, update[i]);
            const double next = apply(1, hidden[i] + (m_resetsLast ? reset[i] : 1.0) * other[i]);
            h[i] = (1.0 - z) * next + z * h[i];
        }
    }

    CellKind m_kind;
    std::int64_t m_direction;
    std::int64_t m_hidden = 0;
    std::int64_t m_inputs = 0;
    const double* m_w = nullptr;
    const double* m_r = nullptr;
    const double* m_b = nullptr;
    const double* m_p = nullptr;
    std::vector<Activation> m_functions;
    double m_clip = 0.0;
    bool m_resetsLast = false;
};

Result<std::vector<ArrayPtr>> recurrent(const EvaluateInput& in) {
    const Shape& x = in.inputs[InX]->shape;
    const bool isBatchFirst = in.attributes.boolean("layout");
    const std::int64_t steps = x[isBatchFirst ? 1 : 0];
    const std::int64_t batch = x[isBatchFirst ? 0 : 1];
    const std::int64_t directions = directionsOf(in.attributes);
    const std::int64_t hidden = in.attributes.integer("hidden_size");
    const std::shared_ptr<Array> all = blank(in.outputs[0]);
    ArrayType stateType{.dtype = in.outputs[0].dtype};
    for (const std::int64_t size : isBatchFirst ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden})
        stateType.dimensions.push_back(Dimension::of(size));
    const std::shared_ptr<Array> lastH = blank(stateType);
    const std::shared_ptr<Array> lastC = blank(stateType);
    for (std::int64_t d = 0; d < directions; ++d) {
        const Layer layer(in, d);
        const bool isBackward = in.attributes.word("direction") == "reverse" || d == 1;
        for (std::int64_t b = 0; b < batch; ++b) {
            const std::int64_t state = (isBatchFirst ? b * directions + d : d * batch + b) * hidden;
            const auto first = [&](std::size_t input) {
                std::vector<double> values(static_cast<std::size_t>(hidden), 0.0);
                if (input < in.inputs.size() && in.inputs[input] != nullptr)
                    std::copy_n(in.inputs[input]->elements.begin() + state, hidden, values.begin());
                return values;
            };
            std::vector<double> h = first(InFirstH);
            std::vector<double> c = first(InFirstC);
            const bool hasLengths = in.inputs.size() > InLengths && in.inputs[InLengths] != nullptr;
            const std::int64_t length =
                hasLengths ? wholeNumber(in.inputs[InLengths]->elements[static_cast<std::size_t>(b)]) : steps;
            if (length < 0 || length > steps)
                return shapeError(fmt::format("a sequence has {} of {} steps", length, steps));
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t t = isBackward ? length - 1 - i : i;
                const std::int64_t row = isBatchFirst ? b * steps + t : t * batch + b;
                layer.step(in.inputs[InX]->elements.data() + row * x[2], h, c);
                const std::int64_t to =
                    isBatchFirst ? (b * steps + t) * directions + d : (t * directions + d) * batch + b;
                std::ranges::copy(h, all->elements.begin() + to * hidden);
            }
            std::ranges::copy(h, lastH->elements.begin() + state);
            std::ranges::copy(c, lastC->elements.begin() + state);
        }
    }
    std::vector<ArrayPtr> results{all, lastH, lastC};
    results.resize(in.outputs.size());
    return results;
}

/// The work of the products with W and R, and of the activations.
Work recurrentWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    if (!in.inputs[InX].hasRank) return work;
    const double rows =
        elements(in.inputs[InX]) / std::max(1.0, elements({.dimensions = {in.inputs[InX].dimensions.back()}}));
    work.flops = rows * (2.0 * (elements(in.inputs[InW]) + elements(in.inputs[InR]))) +
                 SeriesFlops * elements(outputs[0]) * static_cast<double>(cellKindOf(in.op).gates);
    return work;
}

// --- ONNX -------------------------------------------------------------------------------------------------------------

Result<Imported> importRecurrent(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    OnnxNode whole = node;
    if (!floatsOf(node, "activation_alpha").value_or(std::vector<double>()).empty() ||
        !floatsOf(node, "activation_beta").value_or(std::vector<double>()).empty()) {
        return notThisForm(fmt::format("{} with numbers for its activations", node.type));
    }
    whole.attributes.erase("activation_alpha");
    whole.attributes.erase("activation_beta");
    whole.attributes.erase("output_sequence");  // before opset 7: whether there is a first output
    if (integerOf(node, "input_forget", 0) != 0) return notThisForm("LSTM with coupled gates");
    whole.attributes.erase("input_forget");
    if (!whole.attributes.contains("hidden_size")) {
        const Result<ArrayType> r = rankedInput(node, context, InR);
        if (!r) return r.error();
        if (r->rank() != 3 || !r->dimensions[2].isKnown()) return notThisForm("the hidden size is unknown");
        whole.attributes.emplace("hidden_size", r->dimensions[2].size);
    }
    if (!whole.attributes.contains("activations")) {
        const CellKind kind = cellKindOf(op);
        std::vector<std::string> names = kind.activations;
        if (wordOf(node, "direction", "forward") == "bidirectional")
            names.insert(names.end(), kind.activations.begin(), kind.activations.end());
        whole.attributes.emplace("activations", std::move(names));
    }
    return importPlainly(op, whole);
}

Exported exportRecurrent(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    Exported result = exportPlainly(attributes);
    if (attributes.floating("clip") == 0.0) result.attributes.erase("clip");
    return result;
}

}  // namespace

void addRecurrent(std::vector<Operator>& table) {
    const auto optional = [](std::string name) { return InputInfo{std::move(name), InputInfo::Kind::Optional}; };
    const auto add = [&](std::string name, std::string doc, std::vector<AttributeInfo> own) {
        std::vector<InputInfo> inputs{
            {.name = "X"},        {.name = "W"}, {.name = "R"}, optional("B"), optional("sequence_lens"),
            optional("initial_h")};
        if (name == "LSTM") inputs.insert(inputs.end(), {optional("initial_c"), optional("P")});
        std::vector<AttributeInfo> attributes{
            integerAttribute("hidden_size", {}, "size of a state"),
            {.name = "direction",
             .kind = AttributeKind::Word,
             .defaultText = "forward",
             .words = {"forward", "reverse", "bidirectional"}},
            {.name = "activations", .kind = AttributeKind::Names, .doc = "of the gates, for each direction"},
            floatAttribute("clip", "0.0", "largest absolute value of the inputs of activations; 0: no limit"),
            flagAttribute("layout", "false", "the batch is the first axis, else the second")};
        attributes.insert(attributes.end(), own.begin(), own.end());
        attributes.push_back(
            integerAttribute(std::string(OutputsName), "1", "all states, the last ones, the last cells"));
        table.push_back({.name = std::move(name),
                         .doc = std::move(doc),
                         .inputs = std::move(inputs),
                         .attributes = std::move(attributes),
                         .shape = recurrentShape,
                         .evaluate = recurrent,
                         .work = recurrentWork,
                         .traits = {.mayFail = true},
                         .onnx = {.import = importRecurrent, .exportNode = exportRecurrent},
                         .gradient = {.instead = recurrentSteps}});
    };
    add("RNN", "a layer that sees its own last output", {});
    add("GRU", "a recurrent layer with gates that update and reset its state",
        {flagAttribute("linear_before_reset", "false", "the reset is applied after the product")});
    add("LSTM", "a recurrent layer with a cell that gates write, keep and read", {});
}

}  // namespace mitos::tensor
