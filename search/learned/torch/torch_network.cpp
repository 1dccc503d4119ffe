// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/torch/torch_network.h"

#include "core/base/random.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace mitos::search::learned {

double TorchNetwork::usualBound(std::int64_t inputs) { return std::sqrt(6.0 / static_cast<double>(inputs)); }

double TorchNetwork::balancedBound(std::int64_t inputs, std::int64_t outputs) { return usualBound(inputs + outputs); }

Layer TorchNetwork::add(std::int64_t inputs, std::int64_t outputs, double bound) {
    const Layer layer{at::zeros({outputs, inputs}), at::zeros({outputs})};
    for (const at::Tensor& tensor : {layer.weight, layer.bias}) {
        tensor.requires_grad_(true);
        m_parameters.push_back(tensor);
    }
    m_bounds.push_back(bound);
    m_count += static_cast<std::size_t>(outputs * (inputs + 1));
    return layer;
}

void TorchNetwork::initialize(std::uint64_t seed) {
    constexpr double LastScale = 0.01;
    Random random(seed);
    const at::NoGradGuard noGradients;
    for (std::size_t layer = 0; layer < m_bounds.size(); ++layer) {
        at::Tensor& weight = m_parameters[2 * layer];
        const double bound = (layer + 1 == m_bounds.size() ? LastScale : 1.0) * m_bounds[layer];
        float* const values = weight.data_ptr<float>();
        for (std::int64_t k = 0; k < weight.numel(); ++k) values[k] = static_cast<float>(random.uniform(-bound, bound));
        m_parameters[2 * layer + 1].zero_();
    }
}

void TorchNetwork::getParameters(std::span<float> into) const {
    std::size_t done = 0;
    for (const at::Tensor& tensor : m_parameters) {
        const auto count = static_cast<std::size_t>(tensor.numel());
        std::copy_n(tensor.data_ptr<float>(), count, into.subspan(done, count).begin());
        done += count;
    }
}

void TorchNetwork::setParameters(std::span<const float> parameters) {
    std::size_t done = 0;
    for (const at::Tensor& tensor : m_parameters) {
        const auto count = static_cast<std::size_t>(tensor.numel());
        std::ranges::copy(parameters.subspan(done, count), tensor.data_ptr<float>());
        done += count;
    }
}

bool TorchNetwork::forward(const GraphView& graph, std::span<float> outputs) {
    return guarded([&] {
        const at::NoGradGuard noGradients;
        const at::Tensor found = outputsOf(graph).contiguous();
        std::copy_n(found.data_ptr<float>(), outputs.size(), outputs.begin());
    });
}

bool TorchNetwork::backward(const GraphView& graph, absl::FunctionRef<void(std::span<float>)> byOutput,
                            std::span<float> byParameter) {
    return guarded([&] {
        for (at::Tensor& tensor : m_parameters) tensor.mutable_grad() = at::Tensor();
        const at::Tensor found = outputsOf(graph);
        const at::Tensor derivatives = found.detach().contiguous().clone();
        byOutput({derivatives.data_ptr<float>(), static_cast<std::size_t>(derivatives.numel())});
        found.backward(derivatives);
        std::size_t done = 0;
        for (const at::Tensor& tensor : m_parameters) {
            const auto count = static_cast<std::size_t>(tensor.numel());
            const std::span<float> part = byParameter.subspan(done, count);
            // A parameter that the outputs do not depend on has no gradient.
            if (tensor.grad().defined()) {
                const at::Tensor gradient = tensor.grad().contiguous();
                std::copy_n(gradient.data_ptr<float>(), count, part.begin());
            } else {
                std::ranges::fill(part, 0.0F);
            }
            done += count;
        }
    });
}

template <typename Work>
bool TorchNetwork::guarded(const Work& work) {
    try {
        // More than one thread would change the order of sums, and the results with it.
        at::set_num_threads(1);
        work();
        return true;
    } catch (const std::exception& error) {
        m_failure = error.what();
    }
    return false;
}

at::Tensor rowsOf(std::span<const float> values, std::uint32_t columns) {
    at::Tensor rows = at::zeros({static_cast<std::int64_t>(values.size() / columns), std::int64_t{columns}});
    std::ranges::copy(values, rows.data_ptr<float>());
    return rows;
}

at::Tensor numbersOf(std::span<const std::uint32_t> values) {
    at::Tensor numbers = at::zeros({static_cast<std::int64_t>(values.size())}, at::kLong);
    std::ranges::copy(values, numbers.data_ptr<std::int64_t>());
    return numbers;
}

}  // namespace mitos::search::learned
