// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/torch/gated_recurrence.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mitos::search::learned {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The numbers of each step that the derivatives need: reset, update, candidate, and U_n h.
constexpr std::int64_t Kept = 4;

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

/// sums[i] += factor * row[i]
void addScaled(float factor, const float* row, std::size_t count, float* sums) {
    for (std::size_t i = 0; i < count; ++i) sums[i] += factor * row[i];
}

/// By step: whether the state before it is 0.
std::vector<char> startsIn(const std::vector<std::int64_t>& begins, std::int64_t steps) {
    std::vector<char> starts(static_cast<std::size_t>(steps), 0);
    if (steps > 0) starts.front() = 1;
    for (const std::int64_t step : begins) {
        if (step < steps) starts[static_cast<std::size_t>(step)] = 1;
    }
    return starts;
}

/// The operator as automatic differentiation takes it.
struct Recurrence : torch::autograd::Function<Recurrence> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& given, const at::Tensor& weight,
                              const at::Tensor& bias, const std::vector<std::int64_t>& begins) {
        const at::Tensor inputs = given.contiguous();
        // Rows for each number of the state: then sums over a row are independent, and computed several at a time.
        const at::Tensor columns = weight.t().contiguous();
        const std::int64_t steps = inputs.size(0);
        const std::int64_t width = weight.size(1);
        const auto hidden = static_cast<std::size_t>(width);
        at::Tensor states = at::empty({steps, width});
        at::Tensor kept = at::empty({steps, Kept * width});
        const std::vector<char> starts = startsIn(begins, steps);
        const std::vector<float> none(hidden, 0.0F);
        std::vector<float> sums(3 * hidden);
        const float* const offsets = bias.data_ptr<float>();
        for (std::size_t step = 0; step < starts.size(); ++step) {
            float* const state = states.data_ptr<float>() + step * hidden;
            const float* const before = starts[step] != 0 ? none.data() : state - hidden;
            const float* const x = inputs.data_ptr<float>() + step * 3 * hidden;
            float* const own = kept.data_ptr<float>() + step * 4 * hidden;
            std::copy_n(offsets, sums.size(), sums.begin());
            for (std::size_t k = 0; k < hidden; ++k)
                addScaled(before[k], columns.data_ptr<float>() + k * sums.size(), sums.size(), sums.data());
            for (std::size_t i = 0; i < hidden; ++i) {
                const float reset = sigmoid(x[i] + sums[i]);
                const float update = sigmoid(x[hidden + i] + sums[hidden + i]);
                const float recurrent = sums[2 * hidden + i];
                const float candidate = std::tanh(x[2 * hidden + i] + reset * recurrent);
                state[i] = (1.0F - update) * candidate + update * before[i];
                own[i] = reset;
                own[hidden + i] = update;
                own[2 * hidden + i] = candidate;
                own[3 * hidden + i] = recurrent;
            }
        }
        context->save_for_backward({weight, states, kept});
        context->saved_data["begins"] = begins;
        return states;
    }

    static variable_list backward(AutogradContext* context, const variable_list& byOutput) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor weight = saved[0].contiguous();
        const at::Tensor& states = saved[1];
        const at::Tensor& kept = saved[2];
        const at::Tensor byState = byOutput[0].contiguous();
        const std::int64_t steps = states.size(0);
        const std::int64_t width = weight.size(1);
        const auto hidden = static_cast<std::size_t>(width);
        at::Tensor byInput = at::empty({steps, Gates * width});
        at::Tensor bySum = at::empty({steps, Gates * width});
        at::Tensor allBefore = at::zeros({steps, width});
        const std::vector<char> starts = startsIn(context->saved_data["begins"].toIntVector(), steps);
        std::vector<float> carried(hidden, 0.0F);  // by the state after the step, from the steps behind it
        for (std::size_t step = starts.size(); step-- > 0;) {
            const float* const own = kept.data_ptr<float>() + step * 4 * hidden;
            float* const before = allBefore.data_ptr<float>() + step * hidden;
            if (starts[step] == 0) std::copy_n(states.data_ptr<float>() + (step - 1) * hidden, hidden, before);
            const float* const outer = byState.data_ptr<float>() + step * hidden;
            float* const x = byInput.data_ptr<float>() + step * 3 * hidden;
            float* const sums = bySum.data_ptr<float>() + step * 3 * hidden;
            for (std::size_t i = 0; i < hidden; ++i) {
                const float reset = own[i];
                const float update = own[hidden + i];
                const float candidate = own[2 * hidden + i];
                const float all = outer[i] + carried[i];
                const float byCandidate = all * (1.0F - update) * (1.0F - candidate * candidate);
                x[i] = byCandidate * own[3 * hidden + i] * reset * (1.0F - reset);
                x[hidden + i] = all * (before[i] - candidate) * update * (1.0F - update);
                x[2 * hidden + i] = byCandidate;
                sums[i] = x[i];
                sums[hidden + i] = x[hidden + i];
                sums[2 * hidden + i] = byCandidate * reset;
                carried[i] = all * update;
            }
            if (starts[step] != 0) {
                std::ranges::fill(carried, 0.0F);
                continue;
            }
            for (std::size_t k = 0; k < 3 * hidden; ++k)
                addScaled(sums[k], weight.data_ptr<float>() + k * hidden, hidden, carried.data());
        }
        return {byInput, at::mm(bySum.t(), allBefore), bySum.sum(0), at::Tensor()};
    }
};

}  // namespace

at::Tensor gatedRecurrence(const at::Tensor& inputs, const Layer& recurrent, const std::vector<std::int64_t>& begins) {
    return Recurrence::apply(inputs, recurrent.weight, recurrent.bias, begins);
}

}  // namespace mitos::search::learned
