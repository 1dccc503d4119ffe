// SPDX-License-Identifier: GPL-3.0-or-later
// Writing networks down briefly: every call makes one node (or a customary few) and gives it a name.
#pragma once

#include "core/networks/networks.h"
#include "core/tensor/operator.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace mitos::networks {

using ir::TermId;
using tensor::Shape;

/// Padding of a convolution or pool.
enum class Padding : std::uint8_t {
    Same,   ///< kernel / 2 on each side: the output is as large as the input, or half with stride 2
    Valid,  ///< none
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

/// Makes one model. What the tables do not take is our own mistake, so it asserts.
class NetworkBuilder {
public:
    NetworkBuilder(ir::TermBank& bank, std::string name, Style style);

    [[nodiscard]] bool isRealistic() const { return m_style == Style::Realistic; }
    [[nodiscard]] Shape shape(TermId term) const;

    TermId input(const std::string& name, const Shape& shape);
    /// A new weight, numbered if the name is taken.
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
    /// x W with a new weight of `width` columns; realistic: + bias.
    TermId dense(TermId x, std::int64_t width, const std::string& name);
    TermId reshape(TermId x, Shape shape) { return node("Reshape", {x}, {{"shape", std::move(shape)}}); }
    TermId transpose(TermId x, Shape permutation) { return node("Transpose", {x}, {{"perm", std::move(permutation)}}); }
    TermId concat(std::vector<TermId> inputs, std::int64_t axis = 1);
    /// Without bias, whatever the style. Kernels may be oblong: {1, 7}.
    TermId plainConv(TermId x, std::int64_t channels, std::pair<std::int64_t, std::int64_t> kernel,
                     const ConvOptions& options = {});
    /// Convolution; realistic: with batch normalization after it (before the relu).
    TermId conv(TermId x, std::int64_t channels, std::pair<std::int64_t, std::int64_t> kernel,
                const ConvOptions& options = {});
    TermId conv(TermId x, std::int64_t channels, std::int64_t kernel, const ConvOptions& options = {}) {
        return conv(x, channels, {kernel, kernel}, options);
    }
    TermId softmax(TermId x) { return node("Softmax", {x}, {{"axis", lastAxis(x)}}); }
    /// As it runs: it changes nothing.
    TermId dropout(TermId x) { return node("Dropout", {x}); }
    TermId batchNorm(TermId x);
    TermId layerNorm(TermId x);
    TermId maxPool(TermId x, std::int64_t kernel, const PoolOptions& options);
    TermId avgPool(TermId x, std::int64_t kernel, const PoolOptions& options);
    TermId gelu(TermId x);
    /// Global average, flattened, and a dense layer: the head of a realistic classifier.
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
