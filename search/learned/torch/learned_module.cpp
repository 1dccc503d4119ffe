// SPDX-License-Identifier: GPL-3.0-or-later
// The graph network of the REGAL paper (section 3.2) in LibTorch. Only tensors and automatic differentiation of LibTorch are used, from
// headers of single operators: all of them would take half a minute to compile.
#include "search/learned/learned_module.h"

#include "core/base/random.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

namespace mitos::search::learned {

namespace {

/// A linear layer.
struct Layer {
    at::Tensor weight;  ///< [outputs, inputs]
    at::Tensor bias;    ///< [outputs]

    [[nodiscard]] at::Tensor operator()(const at::Tensor& rows) const { return at::linear(rows, weight, bias); }
};

class TorchGraphNetwork final : public GraphNetwork {
public:
    explicit TorchGraphNetwork(const NetworkShape& shape) : m_shape(shape) {
        const auto hidden = static_cast<std::int64_t>(shape.hidden);
        m_nodeEncoder = add(shape.nodeFeatures, hidden);
        m_edgeEncoder = add(shape.edgeFeatures, hidden);
        if (shape.rounds > 0) {
            for (Messages* messages : {&m_forward, &m_backward}) {
                messages->sender = add(hidden, hidden);
                messages->receiver = add(hidden, hidden);
                messages->edge = add(hidden, hidden);
            }
            m_update = add(3 * hidden, hidden);
            m_change = add(hidden, hidden);
        }
        m_head = add(hidden, hidden);
        m_last = add(hidden, shape.outputs);
    }

    [[nodiscard]] const NetworkShape& shape() const override { return m_shape; }
    [[nodiscard]] std::size_t parameterCount() const override { return m_count; }

    void initialize(std::uint64_t seed) override {
        constexpr double LastScale = 0.01;
        Random random(seed);
        const at::NoGradGuard noGradients;
        for (std::size_t i = 0; i < m_parameters.size(); i += 2) {
            at::Tensor& weight = m_parameters[i];
            const double scale = i + 2 == m_parameters.size() ? LastScale : 1.0;
            const double bound = scale * std::sqrt(6.0 / static_cast<double>(weight.size(1)));
            float* const values = weight.data_ptr<float>();
            for (std::int64_t k = 0; k < weight.numel(); ++k)
                values[k] = static_cast<float>(random.uniform(-bound, bound));
            m_parameters[i + 1].zero_();
        }
    }
    void getParameters(std::span<float> into) const override {
        std::size_t done = 0;
        for (const at::Tensor& tensor : m_parameters) {
            const auto count = static_cast<std::size_t>(tensor.numel());
            std::copy_n(tensor.data_ptr<float>(), count, into.subspan(done, count).begin());
            done += count;
        }
    }
    void setParameters(std::span<const float> parameters) override {
        std::size_t done = 0;
        for (const at::Tensor& tensor : m_parameters) {
            const auto count = static_cast<std::size_t>(tensor.numel());
            std::ranges::copy(parameters.subspan(done, count), tensor.data_ptr<float>());
            done += count;
        }
    }

    [[nodiscard]] bool forward(const GraphView& graph, std::span<float> outputs) override {
        return guarded([&] {
            const at::NoGradGuard noGradients;
            const at::Tensor found = outputsOf(graph).contiguous();
            std::copy_n(found.data_ptr<float>(), outputs.size(), outputs.begin());
        });
    }
    [[nodiscard]] bool backward(const GraphView& graph, std::span<const float> byOutput,
                                std::span<float> byParameter) override {
        return guarded([&] {
            for (at::Tensor& tensor : m_parameters) tensor.mutable_grad() = at::Tensor();
            const at::Tensor found = outputsOf(graph);
            found.backward(rowsOf(byOutput, m_shape.outputs));
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
    [[nodiscard]] const char* failure() const override { return m_failure.c_str(); }

private:
    /// A layer of messages over (sender, receiver, edge); its first part is computed once for each node.
    struct Messages {
        Layer sender;
        Layer receiver;
        Layer edge;
    };

    Layer add(std::int64_t inputs, std::int64_t outputs) {
        const Layer layer{at::zeros({outputs, inputs}), at::zeros({outputs})};
        for (const at::Tensor& tensor : {layer.weight, layer.bias}) {
            tensor.requires_grad_(true);
            m_parameters.push_back(tensor);
        }
        m_count += static_cast<std::size_t>(outputs * (inputs + 1));
        return layer;
    }

    static at::Tensor rowsOf(std::span<const float> values, std::uint32_t columns) {
        at::Tensor rows = at::zeros({static_cast<std::int64_t>(values.size() / columns), std::int64_t{columns}});
        std::ranges::copy(values, rows.data_ptr<float>());
        return rows;
    }
    static at::Tensor numbersOf(std::span<const std::uint32_t> values) {
        at::Tensor numbers = at::zeros({static_cast<std::int64_t>(values.size())}, at::kLong);
        std::ranges::copy(values, numbers.data_ptr<std::int64_t>());
        return numbers;
    }
    /// The mean of the messages that each node gets; 0 where it gets none.
    static at::Tensor meanAt(const at::Tensor& messages, const at::Tensor& receivers, std::int64_t nodes) {
        const at::Tensor sums = at::index_add(at::zeros({nodes, messages.size(1)}), 0, receivers, messages);
        const at::Tensor counts =
            at::index_add(at::zeros({nodes, 1}), 0, receivers, at::ones({receivers.size(0), 1})).clamp_min(1.0);
        return sums.div(counts);
    }
    static at::Tensor gathered(const Messages& layers, const at::Tensor& nodes, const at::Tensor& edges,
                               const at::Tensor& senders, const at::Tensor& receivers) {
        const at::Tensor fromSenders = at::index_select(layers.sender(nodes), 0, senders);
        const at::Tensor fromReceivers = at::index_select(layers.receiver(nodes), 0, receivers);
        const at::Tensor messages = at::relu(fromSenders.add(fromReceivers).add(layers.edge(edges)));
        return meanAt(messages, receivers, nodes.size(0));
    }

    at::Tensor outputsOf(const GraphView& graph) {
        at::Tensor nodes = at::relu(m_nodeEncoder(rowsOf(graph.nodeFeatures, m_shape.nodeFeatures)));
        if (m_shape.rounds > 0) {
            const at::Tensor edges = at::relu(m_edgeEncoder(rowsOf(graph.edgeFeatures, m_shape.edgeFeatures)));
            const at::Tensor from = numbersOf(graph.from);
            const at::Tensor to = numbersOf(graph.to);
            for (std::uint32_t round = 0; round < m_shape.rounds; ++round) {
                const at::Tensor before = gathered(m_forward, nodes, edges, from, to);
                const at::Tensor behind = gathered(m_backward, nodes, edges, to, from);
                nodes = nodes.add(m_change(at::relu(m_update(at::cat({nodes, before, behind}, 1)))));
            }
        }
        return m_last(at::relu(m_head(nodes)));
    }

    template <typename Work>
    bool guarded(const Work& work) {
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

    NetworkShape m_shape;
    std::size_t m_count = 0;
    std::vector<at::Tensor> m_parameters;  ///< weight and bias of each layer, in the order of files
    Layer m_nodeEncoder;
    Layer m_edgeEncoder;
    Messages m_forward;
    Messages m_backward;
    Layer m_update;
    Layer m_change;
    Layer m_head;
    Layer m_last;
    std::string m_failure;
};

const char* libraryVersion() { return TORCH_VERSION; }

GraphNetwork* makeGraphNetwork(const NetworkShape& shape) {
    try {
        return new TorchGraphNetwork(shape);
    } catch (const std::exception&) {
        return nullptr;
    }
}

}  // namespace

}  // namespace mitos::search::learned

extern "C" const void* mitosLearnedModule();
extern "C" const void* mitosLearnedModule() {
    using namespace mitos::search::learned;
    static const LearnedModule module{.libraryVersion = libraryVersion, .makeGraphNetwork = makeGraphNetwork};
    return &module;
}
