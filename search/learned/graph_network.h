// SPDX-License-Identifier: GPL-3.0-or-later
// A network as a function from graphs to numbers for each node, or for each graph. Implemented by a library that is loaded when it is first used
// (learned_library.h). Only plain values and no exceptions cross the border.
#pragma once

#include <absl/functional/function_ref.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mitos::search::learned {

/// How a network knows what is around a node.
enum class NetworkKind : std::uint32_t {
    /// The graph network of the REGAL paper (section 3.2): encoders of nodes and edges, then rounds in which each node gets a message from each node before
    /// it and each behind it, then a head.
    Graph,
    /// The paper's baseline "graph as sequence" (section 5.2): the encoder of nodes, then layers of two gated recurrent units (Cho et al. 2014), one from the
    /// first to the last node in topological order (sequenceOf()) and one back, then the same head. Each layer adds to what is known of a node. Edges
    /// only determine the order. The paper says neither the kind of recurrence nor its direction; both directions are our choice, because a graph
    /// network gets messages from both, too.
    Sequence,
    /// The graph network of the Knossos paper (section 3.2, appendix B), after Li et al. 2016: nodes have kinds and edges have types. In each round a node
    /// gets the sum of the messages of its neighbours, by one dense layer for each type, and a gated recurrent unit takes it in. The read-out is a
    /// sum over the nodes of σ(g(h_T, h_0)) r(h_T) for each graph, with dense layers behind it.
    Gated,
};

/// "graph", "sequence" and "gated", as files and parameters have them.
[[nodiscard]] const char* toString(NetworkKind kind);
[[nodiscard]] std::optional<NetworkKind> networkKindFrom(std::string_view name);

struct NetworkShape {
    NetworkKind kind = NetworkKind::Graph;
    std::uint32_t nodeFeatures =
        0;  ///< of Gated: kinds of nodes, each a number of its own in the first state of a node
    std::uint32_t edgeFeatures = 0;  ///< of Gated: types of edges
    std::uint32_t hidden = 32;       ///< of Gated at least as many as kinds of nodes
    /// Of Graph and Gated, rounds of messages (T of the papers), and of Sequence, layers; with 0 a node knows only its own features.
    std::uint32_t rounds = 3;
    std::uint32_t outputs = 0;  ///< for each node; of Gated for each graph
    // Of Gated only: the layers between the read-out and the outputs, with tanh.
    std::uint32_t layers = 0;
    std::uint32_t readout = 32;  ///< width of each
    double dropout =
        0.0;  ///< probability with which a number of these layers is left out, where GraphView::dropout says so

    friend bool operator==(const NetworkShape&, const NetworkShape&) = default;
};

inline constexpr std::uint32_t LargestHidden = 1024;
inline constexpr std::uint32_t MostRounds = 64;
inline constexpr std::uint32_t MostLayers = 16;

/// One or several graphs as one: nodes and edges of all of them, in rows.
struct GraphView {
    std::uint32_t nodes = 0;
    std::span<const float> nodeFeatures = {};  ///< NetworkShape::nodeFeatures for each node
    std::span<const float> edgeFeatures = {};  ///< NetworkShape::edgeFeatures for each edge
    std::span<const std::uint32_t> from = {};  ///< by edge: its source
    std::span<const std::uint32_t> to = {};    ///< by edge: its target
    /// The first nodes of the graphs, in order; empty: one graph. Edges lead to nodes of the same graph. Nodes that are not connected may
    /// belong to one graph, which makes a difference for sequences.
    std::span<const std::uint32_t> begins = {};
    // Of Gated only, in the place of features.
    std::span<const std::uint32_t> nodeKinds = {};  ///< by node
    std::span<const std::uint32_t> edgeTypes = {};  ///< by edge
    /// The seed by which numbers are left out (NetworkShape::dropout), for training; nothing: all are used.
    std::optional<std::uint64_t> dropout = {};

    [[nodiscard]] std::size_t edges() const { return from.size(); }
    [[nodiscard]] std::size_t graphs() const { return begins.empty() ? 1 : begins.size(); }
};

/// A network with its parameters. The same calls have the same results on one machine, since it computes on one thread. Calls return
/// false if the underlying library fails, for which failure() has the reason.
class GraphNetwork {
public:
    GraphNetwork() = default;
    GraphNetwork(const GraphNetwork&) = delete;
    GraphNetwork& operator=(const GraphNetwork&) = delete;
    virtual ~GraphNetwork() = default;

    [[nodiscard]] virtual const NetworkShape& shape() const = 0;
    [[nodiscard]] virtual std::size_t parameterCount() const = 0;
    /// Sets all parameters at random, scaled by the number of inputs of their layer (He et al. 2015; those of recurrent layers uniform up to
    /// 1/√hidden, as is usual), those of the last layer a hundredth of that, so that the first outputs are near 0.
    virtual void initialize(std::uint64_t seed) = 0;
    /// Copies all parameters, parameterCount() numbers.
    virtual void getParameters(std::span<float> into) const = 0;
    virtual void setParameters(std::span<const float> parameters) = 0;

    /// NetworkShape::outputs numbers for each node, or each graph, in rows.
    [[nodiscard]] virtual bool forward(const GraphView& graph, std::span<float> outputs) = 0;
    /// The derivatives by the parameters of a function of the outputs. `byOutput` gets the outputs and writes the derivatives by them in their place.
    [[nodiscard]] virtual bool backward(const GraphView& graph,
                                        absl::FunctionRef<void(std::span<float> outputs)> byOutput,
                                        std::span<float> byParameter) = 0;
    /// The same where the derivatives by the outputs are known.
    [[nodiscard]] bool backward(const GraphView& graph, const std::vector<float>& byOutput,
                                std::span<float> byParameter) {
        return backward(
            graph, [&byOutput](std::span<float> outputs) { std::ranges::copy(byOutput, outputs.begin()); },
            byParameter);
    }
    [[nodiscard]] virtual const char* failure() const = 0;
};

}  // namespace mitos::search::learned
