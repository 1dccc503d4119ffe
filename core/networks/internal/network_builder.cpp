// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/networks/internal/network_builder.h"

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mitos::networks {

namespace {

constexpr std::uint64_t WeightSeed = 1;

Shape paddingOf(Padding padding, std::pair<std::int64_t, std::int64_t> kernel) {
    if (padding == Padding::Valid) return {0, 0, 0, 0};
    const std::int64_t h = kernel.first / 2;
    const std::int64_t w = kernel.second / 2;
    return {h, w, h, w};
}

}  // namespace

NetworkBuilder::NetworkBuilder(ir::TermBank& bank, std::string name, Style style)
    : m_bank(bank),
      m_name(std::move(name)),
      m_style(style) {}

Shape NetworkBuilder::shape(TermId term) const { return tensor::arrayType(m_bank.types(), m_bank.type(term)).shape(); }

std::string NetworkBuilder::unique(const std::string& name) {
    const int number = ++m_taken[name];
    return number == 1 ? name : fmt::format("{}_{}", name, number);
}

TermId NetworkBuilder::input(const std::string& name, const Shape& shape) {
    std::vector<ir::Dimension> dimensions;
    for (const std::int64_t size : shape) dimensions.push_back(ir::Dimension::of(size));
    const ir::TypeId type = m_bank.types().array(ir::Dtype::F32, dimensions);
    const Symbol symbol = m_bank.symbols().intern(unique(name));
    m_parameters.push_back({symbol, type});
    return m_bank.variable(symbol, type);
}

TermId NetworkBuilder::weight(const std::string& name, const Shape& shape) {
    const std::string own = unique(name);
    std::vector<ir::Dimension> dimensions;
    for (const std::int64_t size : shape) dimensions.push_back(ir::Dimension::of(size));
    m_weights.set(own, tensor::WeightData::random(ir::Dtype::F32, shape, WeightSeed, own));
    return m_bank.stated(m_bank.registry().find(tensor::WeightName), m_bank.types().array(ir::Dtype::F32, dimensions),
                         {}, ir::Payload::name(m_bank.symbols().intern(own)));
}

TermId NetworkBuilder::node(const std::string& op, std::vector<TermId> inputs, const std::vector<Setting>& settings) {
    const tensor::Operator* const entry = tensor::findOperator(op);
    assert(entry != nullptr);
    tensor::Attributes attributes(*entry);
    for (const auto& [name, value] : settings) attributes.set(name, value);
    const Symbol hint = m_bank.symbols().intern(unique(absl::AsciiStrToLower(op)));
    const Result<TermId> made = tensor::make(m_bank, *entry, inputs, attributes, hint);
    assert(made.ok());
    return *made;
}

TermId NetworkBuilder::scalar(double value) {
    return node("Constant", {}, {{"value", value}, {"dtype", std::string("f32")}, {"shape", Shape{}}});
}

TermId NetworkBuilder::dense(TermId x, std::int64_t width, const std::string& name) {
    const TermId product = matmul(x, weight(name, {shape(x).back(), width}));
    return isRealistic() ? add(product, weight(name + "_bias", {width})) : product;
}

TermId NetworkBuilder::concat(std::vector<TermId> inputs, std::int64_t axis) {
    return node("Concat", std::move(inputs), {{"axis", axis}});
}

TermId NetworkBuilder::plainConv(TermId x, std::int64_t channels, std::pair<std::int64_t, std::int64_t> kernel,
                                 const ConvOptions& options) {
    const std::int64_t inputChannels = shape(x)[1];
    const TermId w = weight("w", {channels, inputChannels / options.groups, kernel.first, kernel.second});
    const TermId result = node("Conv", {x, w},
                               {{"strides", Shape{options.stride, options.stride}},
                                {"pads", paddingOf(options.padding, kernel)},
                                {"dilations", Shape{1, 1}},
                                {"group", options.groups}});
    return options.relu ? relu(result) : result;
}

TermId NetworkBuilder::conv(TermId x, std::int64_t channels, std::pair<std::int64_t, std::int64_t> kernel,
                            const ConvOptions& options) {
    if (!isRealistic()) return plainConv(x, channels, kernel, options);
    ConvOptions linear = options;
    linear.relu = false;
    const TermId normalized = batchNorm(plainConv(x, channels, kernel, linear));
    return options.relu ? relu(normalized) : normalized;
}

TermId NetworkBuilder::batchNorm(TermId x) {
    const Shape channels{shape(x)[1]};
    const TermId scale = weight("bn_scale", channels);
    const TermId bias = weight("bn_bias", channels);
    const TermId mean = weight("bn_mean", channels);
    const std::string variance = unique("bn_variance");
    // Ones instead of random values, since a variance must be positive.
    m_weights.set(variance, tensor::WeightData::filled(ir::Dtype::F32, channels, 1.0));
    const TermId deviation = m_bank.stated(m_bank.registry().find(tensor::WeightName), m_bank.type(mean), {},
                                           ir::Payload::name(m_bank.symbols().intern(variance)));
    return node("BatchNormalization", {x, scale, bias, mean, deviation});
}

TermId NetworkBuilder::layerNorm(TermId x) {
    const Shape width{shape(x).back()};
    const TermId scale = weight("ln_scale", width);
    const TermId bias = weight("ln_bias", width);
    return node("LayerNormalization", {x, scale, bias}, {{"axis", lastAxis(x)}});
}

std::vector<NetworkBuilder::Setting> NetworkBuilder::window(std::int64_t kernel, const PoolOptions& options) {
    return {{"kernel_shape", Shape{kernel, kernel}},
            {"strides", Shape{options.stride, options.stride}},
            {"pads", paddingOf(options.padding, {kernel, kernel})}};
}

TermId NetworkBuilder::maxPool(TermId x, std::int64_t kernel, const PoolOptions& options) {
    std::vector<Setting> settings = window(kernel, options);
    settings.emplace_back("dilations", Shape{1, 1});
    return node("MaxPool", {x}, settings);
}

TermId NetworkBuilder::avgPool(TermId x, std::int64_t kernel, const PoolOptions& options) {
    return node("AveragePool", {x}, window(kernel, options));
}

TermId NetworkBuilder::gelu(TermId x) {
    const TermId half = mul(x, scalar(0.5));
    return mul(half, add(node("Erf", {mul(x, scalar(std::sqrt(0.5)))}), scalar(1.0)));
}

TermId NetworkBuilder::classifier(TermId x, std::int64_t classes) {
    const TermId pooled = node("GlobalAveragePool", {x});
    return dense(reshape(pooled, {shape(x)[0], shape(x)[1]}), classes, "fc");
}

tensor::Model NetworkBuilder::finish(const std::vector<std::pair<std::string, TermId>>& outputs) {
    tensor::Model model;
    std::vector<TermId> roots;
    for (const auto& [name, term] : outputs) {
        roots.push_back(term);
        model.outputs.push_back(name);
    }
    const TermId root = roots.size() == 1 ? roots.front() : m_bank.tuple(roots);
    ir::Function function;
    function.name = m_name;
    std::vector<ir::TypeId> arguments;
    for (const ir::Parameter& parameter : m_parameters) arguments.push_back(parameter.type);
    function.parameters = std::move(m_parameters);
    function.argument = arguments.size() == 1 ? arguments.front() : m_bank.types().tuple(arguments);
    function.result = m_bank.type(root);
    function.declaredResult = function.result;
    function.dialect = tensor::DialectName;
    const Result<ir::FunctionId> id = m_bank.declare(std::move(function));
    assert(id.ok());
    m_bank.define(*id, root);
    model.program = {*id, root};
    model.weights = std::make_shared<const tensor::Weights>(std::move(m_weights));
    model.name = m_name;
    return model;
}

}  // namespace mitos::networks
