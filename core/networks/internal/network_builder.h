// SPDX-License-Identifier: GPL-3.0-or-later
// Builds networks concisely: every call makes one node (or a few that usually belong together) and names it.
#pragma once

#include "core/networks/networks.h"
#include "core/tensor/operator.h"

#include <string>
#include <utility>
#include <vector>

namespace mitos::networks {

using ir::TermId;
using tensor::Shape;

/// Padding of a convolution or pool.
enum class Padding : std::uint8_t {
    Same,   ///< kernel / 2 on each side: the output has the size of the input, or half of it with stride 2
    Valid,  ///< no padding
};

struct ConvOptions {
    std::int64_t stride = 1;
    Padding padding = Padding::Same;
    std::int64_t groups = 1;
    bool relu = false;
};

struct PoolOptions {
    std::int64_t stride = 1;
    Padding padding = Padding::Same;
};

/// Builds one model. Invalid nodes are programming errors and are asserted.
class NetworkBuilder {
public:
    NetworkBuilder(ir::TermBank& bank, std::string name, Style style);

    [[nodiscard]] bool isRealistic() const { return m_style == Style::Realistic; }
    [[nodiscard]] Shape shape(TermId term) const;

    TermId input(const std::string& name, const Shape& shape);
    /// Adds a weight; a number is appended to the name if it is taken.
    TermId weight(const std::string& name, const Shape& shape);
    using Setting = std::pair<std::string, tensor::AttributeValue>;
    TermId node(const std::string& op, std::vector<TermId> inputs, const std::vector<Setting>& settings = {});
    /// A splat constant of rank 0.
    TermId scalar(double value);

    TermId relu(TermId x) { return node("Relu", {x}); }
    TermId add(TermId a, TermId b) { return node("Add", {a, b}); }
    TermId mul(TermId a, TermId b) { return node("Mul", {a, b}); }
    TermId tanh(TermId x) { return node("Tanh", {x}); }
    TermId sigmoid(TermId x) { return node("Sigmoid", {x}); }
    TermId matmul(TermId a, TermId b) { return node("MatMul", {a, b}); }
    /// x W with a new weight W of `width` columns; plus a bias if realistic.
    TermId dense(TermId x, std::int64_t width, const std::string& name);
    TermId reshape(TermId x, Shape shape) { return node("Reshape", {x}, {{"shape", std::move(shape)}}); }
    TermId transpose(TermId x, Shape permutation) { return node("Transpose", {x}, {{"perm", std::move(permutation)}}); }
    TermId concat(std::vector<TermId> inputs, std::int64_t axis = 1);
    /// Convolution without bias, in both styles. Kernels may be non-square: {1, 7}.
    TermId plainConv(TermId x, std::int64_t channels, std::pair<std::int64_t, std::int64_t> kernel,
                     const ConvOptions& options = {});
    /// Convolution; if realistic, followed by batch normalization (before the relu).
    TermId conv(TermId x, std::int64_t channels, std::pair<std::int64_t, std::int64_t> kernel,
                const ConvOptions& options = {});
    TermId conv(TermId x, std::int64_t channels, std::int64_t kernel, const ConvOptions& options = {}) {
        return conv(x, channels, {kernel, kernel}, options);
    }
    TermId softmax(TermId x) { return node("Softmax", {x}, {{"axis", lastAxis(x)}}); }
    /// Dropout at inference, where it is the identity.
    TermId dropout(TermId x) { return node("Dropout", {x}); }
    TermId batchNorm(TermId x);
    TermId layerNorm(TermId x);
    TermId maxPool(TermId x, std::int64_t kernel, const PoolOptions& options);
    TermId avgPool(TermId x, std::int64_t kernel, const PoolOptions& options);
    TermId gelu(TermId x);
    /// The head of a realistic classifier: global average, flattening and a dense layer.
    TermId classifier(TermId x, std::int64_t classes);

    [[nodiscard]] tensor::Model finish(const std::vector<std::pair<std::string, TermId>>& outputs);

private:
    [[nodiscard]] std::string unique(const std::string& name);
    [[nodiscard]] std::int64_t lastAxis(TermId x) const { return static_cast<std::int64_t>(shape(x).size()) - 1; }
    [[nodiscard]] static std::vector<Setting> window(std::int64_t kernel, const PoolOptions& options);

    ir::TermBank& m_bank;
    std::string m_name;
    Style m_style;
    std::vector<ir::Parameter> m_parameters;
    tensor::Weights m_weights;
    absl::btree_map<std::string, int> m_taken;
};

}  // namespace mitos::networks
