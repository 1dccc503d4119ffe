// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of recurrent layers as terms.
#include "core/tensor/expand.h"
#include "core/tensor/internal/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

using ir::TermId;

namespace {

using Axes = std::vector<std::int64_t>;

/// A layer whose batch is the second axis of X.
struct Layer {
    TermMaker& make;
    const Attributes& attributes;
    std::span<const TermId> inputs;  ///< invalid where left out, all eight
    CellKind kind;
    std::int64_t steps = 0;
    std::int64_t hidden = 0;
    bool isBatchFirst = false;  ///< in the states that come in and go out

    [[nodiscard]] TermId slice(TermId whole, std::int64_t axis, std::int64_t from, std::int64_t to) const {
        return make.node("Slice", {whole},
                         {{"starts", Axes{from}}, {"ends", Axes{to}}, {"axes", Axes{axis}}, {"steps", Axes{1}}});
    }
    [[nodiscard]] TermId squeezed(TermId whole, std::int64_t axis) const {
        return make.node("Squeeze", {whole}, {{"axes", Axes{axis}}});
    }
    [[nodiscard]] TermId unsqueezed(TermId whole, std::int64_t axis) const {
        return make.node("Unsqueeze", {whole}, {{"axes", Axes{axis}}});
    }
    [[nodiscard]] TermId at(TermId whole, std::int64_t axis, std::int64_t place) const {
        return squeezed(slice(whole, axis, place, place + 1), axis);
    }
    [[nodiscard]] TermId concatenated(const std::vector<TermId>& parts, std::int64_t axis) const {
        return parts.size() == 1 ? parts.front() : make.node("Concat", parts, {{"axis", axis}});
    }
};

/// One direction of a layer: its states, step by step.
class Direction {
public:
    Direction(const Layer& layer, std::int64_t number) : m_layer(layer), m_make(layer.make), m_number(number) {
        const std::int64_t gates = m_layer.kind.gates;
        m_r = m_make.transposed(part(InR));
        if (const TermId bias = part(InB); bias.isValid()) {
            m_ofX = m_layer.slice(bias, 0, 0, gates * m_layer.hidden);
            m_ofH = m_layer.slice(bias, 0, gates * m_layer.hidden, 2 * gates * m_layer.hidden);
        }
        const TermId products = m_make.node("MatMul", {m_layer.inputs[InX], m_make.transposed(part(InW))});
        m_sums = m_ofX.isValid() ? m_make.node("Add", {products, m_ofX}) : products;
        const std::int64_t stateAxis = m_layer.isBatchFirst ? 1 : 0;
        if (m_layer.inputs[InFirstH].isValid()) m_h = m_layer.at(m_layer.inputs[InFirstH], stateAxis, m_number);
        if (m_layer.inputs[InFirstC].isValid()) m_c = m_layer.at(m_layer.inputs[InFirstC], stateAxis, m_number);
        if (const TermId peepholes = part(InPeepholes); peepholes.isValid()) {
            for (std::int64_t i = 0; i < 3; ++i)
                m_peepholes.push_back(m_layer.slice(peepholes, 0, i * m_layer.hidden, (i + 1) * m_layer.hidden));
        }
        const auto& names = m_layer.attributes.names("activations");
        const auto count = m_layer.kind.activations.size();
        const auto first = names.begin() + static_cast<std::ptrdiff_t>(count * static_cast<std::size_t>(number));
        m_activations.assign(first, first + static_cast<std::ptrdiff_t>(count));
    }

    void run() {
        const bool isBackward = m_layer.attributes.word("direction") == "reverse" || m_number == 1;
        m_outputs.assign(static_cast<std::size_t>(m_layer.steps), TermId());
        for (std::int64_t i = 0; i < m_layer.steps && !m_make.failed(); ++i)
            step(isBackward ? m_layer.steps - 1 - i : i);
    }
    /// [steps, batch, hidden]
    [[nodiscard]] TermId outputs() const {
        std::vector<TermId> all;
        for (const TermId output : m_outputs) all.push_back(m_layer.unsqueezed(output, 0));
        return m_layer.concatenated(all, 0);
    }
    [[nodiscard]] TermId lastH() const { return m_h; }
    [[nodiscard]] TermId lastC() const { return m_c; }

private:
    /// The slice of an input for this direction; invalid if the input is left out.
    [[nodiscard]] TermId part(RecurrentInput input) const {
        return m_layer.inputs[input].isValid() ? m_layer.at(m_layer.inputs[input], 0, m_number) : TermId();
    }

    [[nodiscard]] TermId add(TermId a, TermId b) const {
        if (!a.isValid() || !b.isValid()) return a.isValid() ? a : b;
        return m_make.node("Add", {a, b});
    }
    [[nodiscard]] TermId multiply(TermId a, TermId b) const { return m_make.node("Mul", {a, b}); }
    [[nodiscard]] TermId gate(TermId all, std::int64_t number) const {
        if (!all.isValid() || m_layer.kind.gates == 1) return all;
        const auto last = static_cast<std::int64_t>(m_make.type(all).rank()) - 1;  // a bias alone has one axis
        return m_layer.slice(all, last, number * m_layer.hidden, (number + 1) * m_layer.hidden);
    }
    [[nodiscard]] TermId activated(std::size_t function, TermId x, bool isClipped = true) const {
        const double clip = m_layer.attributes.floating("clip");
        if (isClipped && clip > 0.0) x = m_make.node("Clip", {x}, {{"min", -clip}, {"max", clip}});
        return m_make.node(m_activations[function], {x});
    }

    /// h Rᵀ with its bias for gates from one number to another; of a first state that is zero the bias alone, which may be missing.
    [[nodiscard]] TermId ofState(TermId h, std::int64_t from, std::int64_t to) const {
        const auto part = [&](TermId whole, std::int64_t axis) {
            const bool isWhole = from == 0 && to == m_layer.kind.gates;
            return isWhole || !whole.isValid() ? whole
                                               : m_layer.slice(whole, axis, from * m_layer.hidden, to * m_layer.hidden);
        };
        const TermId bias = part(m_ofH, 0);
        return h.isValid() ? add(m_make.node("MatMul", {h, part(m_r, 1)}), bias) : bias;
    }

    void step(std::int64_t t) {
        const TermId ofInput = m_layer.at(m_sums, 0, t);
        TermId h;
        TermId c;
        if (m_layer.kind.gates == 1) {
            h = activated(0, add(ofInput, ofState(m_h, 0, 1)));
        } else if (m_layer.kind.hasCell) {
            c = nextCell(ofInput);
            h = multiply(m_outputGate, activated(2, c, false));
        } else {
            h = nextGru(ofInput);
        }
        TermId output = h;
        if (m_layer.inputs[InLengths]
                .isValid()) {  // a sequence that has ended keeps its state, and its outputs are zeros
            const TermId step = m_make.scalar(static_cast<double>(t), m_layer.inputs[InLengths]);
            const TermId isRunning = m_layer.unsqueezed(m_make.node("Greater", {m_layer.inputs[InLengths], step}), 1);
            const TermId zero = m_make.scalar(0.0, h);
            const auto kept = [&](TermId next, TermId before) {
                return m_make.node("Where", {isRunning, next, before.isValid() ? before : zero});
            };
            output = kept(h, zero);
            h = kept(h, m_h);
            if (c.isValid()) c = kept(c, m_c);
        }
        m_outputs[static_cast<std::size_t>(t)] = output;
        m_h = h;
        m_c = c;
    }

    /// The cell after a step of an LSTM, and its output gate. Gates in the order input, output, forget, cell.
    TermId nextCell(TermId ofInput) {
        const TermId all = add(ofInput, ofState(m_h, 0, 4));
        const auto sum = [&](std::int64_t number, std::size_t peephole, TermId c) {
            const bool isSeen = !m_peepholes.empty() && c.isValid();
            return isSeen ? add(gate(all, number), multiply(m_peepholes[peephole], c)) : gate(all, number);
        };
        TermId c = multiply(activated(0, sum(0, 0, m_c)), activated(1, gate(all, 3)));
        if (m_c.isValid()) c = add(multiply(activated(0, sum(2, 2, m_c)), m_c), c);
        m_outputGate = activated(0, sum(1, 1, c));
        return c;
    }

    /// The state after a step of a GRU. Gates in the order update, reset, hidden.
    [[nodiscard]] TermId nextGru(TermId ofInput) const {
        const TermId both = ofState(m_h, 0, 2);
        const auto sum = [&](std::int64_t number) { return add(gate(ofInput, number), gate(both, number)); };
        const TermId update = activated(0, sum(0));
        const TermId reset = activated(0, sum(1));
        TermId other;
        if (m_layer.attributes.boolean("linear_before_reset")) {
            other = ofState(m_h, 2, 3);
            if (other.isValid()) other = multiply(reset, other);
        } else {
            other = ofState(m_h.isValid() ? multiply(m_h, reset) : TermId(), 2, 3);
        }
        const TermId next = activated(1, add(gate(ofInput, 2), other));
        const TermId kept = multiply(m_make.node("Sub", {m_make.scalar(1.0, update), update}), next);
        return m_h.isValid() ? add(kept, multiply(update, m_h)) : kept;
    }

    const Layer& m_layer;
    TermMaker& m_make;
    std::int64_t m_number;
    std::vector<std::string> m_activations;
    TermId m_sums;                    ///< X Wᵀ with its bias, all steps: [steps, batch, gates * hidden]
    TermId m_r;                       ///< Rᵀ: [hidden, gates * hidden]
    TermId m_ofX;                     ///< bias of the products with X; invalid without one
    TermId m_ofH;                     ///< bias of the products with h
    std::vector<TermId> m_peepholes;  ///< of input, output and forget gate
    TermId m_h;                       ///< invalid while it is zero
    TermId m_c;
    TermId m_outputGate;
    std::vector<TermId> m_outputs;  ///< by step
};

}  // namespace

Result<TermId> recurrentSteps(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                              Symbol hint) {
    TermMaker make(bank, hint);
    std::vector<TermId> present(inputs.begin(), inputs.end());
    present.resize(InPeepholes + 1);
    for (TermId& input : present) {
        if (input.isValid() && bank.opName(input) == AbsentName) input = TermId();
    }
    const ArrayType x = make.type(present[InX]);
    if (!x.hasRank || x.rank() != 3) return shapeError("the rank of X is unknown");
    const bool isBatchFirst = attributes.boolean("layout");
    const std::int64_t steps = make.known(x.dimensions[isBatchFirst ? 1 : 0], "the number of steps");
    if (!make.failed() && (steps < 1 || steps > MostRecurrentSteps)) {
        return shapeError(fmt::format("1 to {} steps are written out, not {}", MostRecurrentSteps, steps));
    }
    if (isBatchFirst) present[InX] = make.node("Transpose", {present[InX]}, {{"perm", Axes{1, 0, 2}}});
    const Layer layer{.make = make,
                      .attributes = attributes,
                      .inputs = present,
                      .kind = cellKindOf(attributes.op()),
                      .steps = steps,
                      .hidden = attributes.integer("hidden_size"),
                      .isBatchFirst = isBatchFirst};
    std::vector<std::vector<TermId>> results(3);  // all states, the last ones, the last cells; by direction
    const std::int64_t stateAxis = isBatchFirst ? 1 : 0;
    for (std::int64_t number = 0; number < directionsOf(attributes) && !make.failed(); ++number) {
        Direction direction(layer, number);
        direction.run();
        TermId all = layer.unsqueezed(direction.outputs(), 1);
        if (isBatchFirst) all = make.node("Transpose", {all}, {{"perm", Axes{2, 0, 1, 3}}});
        results[0].push_back(all);
        results[1].push_back(layer.unsqueezed(direction.lastH(), stateAxis));
        if (layer.kind.hasCell) results[2].push_back(layer.unsqueezed(direction.lastC(), stateAxis));
    }
    if (make.failed()) return make.take({});
    const auto count = static_cast<std::size_t>(attributes.integer(OutputsName));
    std::vector<TermId> outputs;
    for (std::size_t i = 0; i < count; ++i)
        outputs.push_back(layer.concatenated(results[i], i > 0 ? stateAxis : isBatchFirst ? 2 : 1));
    MITOS_TRY(const TermId first, make.take(outputs.front()));
    return count == 1 ? first : bank.tuple(outputs);
}

}  // namespace mitos::tensor
