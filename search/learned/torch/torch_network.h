// SPDX-License-Identifier: GPL-3.0-or-later
// The parts that all networks in LibTorch share: their parameters, and the way from arrays to tensors and back. Only tensors and automatic differentiation of
// LibTorch are used, from headers of single operators: all of them would take half a minute to compile.
#pragma once

#include "search/learned/graph_network.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/linear.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mitos::search::learned {

/// A linear layer.
struct Layer {
    at::Tensor weight;  ///< [outputs, inputs]
    at::Tensor bias;    ///< [outputs]

    [[nodiscard]] at::Tensor operator()(const at::Tensor& rows) const { return at::linear(rows, weight, bias); }
};

/// A network is its layers, in the order in which files have their parameters, and a function that computes outputs by them.
class TorchNetwork : public GraphNetwork {
public:
    [[nodiscard]] const NetworkShape& shape() const override { return m_shape; }
    [[nodiscard]] std::size_t parameterCount() const override { return m_count; }
    void initialize(std::uint64_t seed) override;
    void getParameters(std::span<float> into) const override;
    void setParameters(std::span<const float> parameters) override;
    [[nodiscard]] bool forward(const GraphView& graph, std::span<float> outputs) override;
    [[nodiscard]] bool backward(const GraphView& graph, absl::FunctionRef<void(std::span<float>)> byOutput,
                                std::span<float> byParameter) override;
    [[nodiscard]] const char* failure() const override { return m_failure.c_str(); }

protected:
    explicit TorchNetwork(const NetworkShape& shape) : m_shape(shape) {}

    /// The uniform distribution of He et al. for layers in front of rectifiers.
    [[nodiscard]] static double usualBound(std::int64_t inputs);
    /// That of Glorot and Bengio, for others.
    [[nodiscard]] static double balancedBound(std::int64_t inputs, std::int64_t outputs);
    /// A layer whose first weights are uniform up to `bound`. The last one that is added gets a hundredth of that.
    Layer add(std::int64_t inputs, std::int64_t outputs, double bound);
    Layer add(std::int64_t inputs, std::int64_t outputs) { return add(inputs, outputs, usualBound(inputs)); }

    /// [nodes or graphs, NetworkShape::outputs]. An exception makes the call fail.
    [[nodiscard]] virtual at::Tensor outputsOf(const GraphView& graph) const = 0;

private:
    template <typename Work>
    bool guarded(const Work& work);

    NetworkShape m_shape;
    std::size_t m_count = 0;
    std::vector<at::Tensor> m_parameters;  ///< weight and bias of each layer
    std::vector<double> m_bounds;          ///< by layer
    std::string m_failure;
};

/// Values as rows of so many columns, and as whole numbers.
[[nodiscard]] at::Tensor rowsOf(std::span<const float> values, std::uint32_t columns);
[[nodiscard]] at::Tensor numbersOf(std::span<const std::uint32_t> values);

}  // namespace mitos::search::learned
