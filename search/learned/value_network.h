// SPDX-License-Identifier: GPL-3.0-or-later
// Networks that estimate how much the cost of a program can be reduced: V̄(e) of the Knossos paper (section 3.2), a number for each time left.
#pragma once

#include "core/base/result.h"
#include "core/ir/program_graph.h"

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace mitos::search::learned {

enum class ValueNetworkKind : std::uint32_t {
    /// The graph network of the Knossos paper: messages along nine types of edges, gated recurrent units, a gated read-out. By LibTorch.
    Knossos,
    /// Embeddings of terms from those of their children, one computation for each distinct term. Needs no LibTorch.
    Terms,
};

/// "knossos" and "terms", as files and parameters have them.
[[nodiscard]] const char* toString(ValueNetworkKind kind);
[[nodiscard]] std::optional<ValueNetworkKind> valueNetworkKindFrom(std::string_view name);

struct ValueNetworkShape {
    ValueNetworkKind kind = ValueNetworkKind::Terms;
    std::uint32_t kinds = 0;     ///< of nodes: the size of the vocabulary
    std::uint32_t hidden = 32;   ///< numbers of a node; the paper: 200
    std::uint32_t rounds = 10;   ///< of Knossos: steps of propagation; 0: without recurrence
    std::uint32_t readout = 32;  ///< width of the hidden layers behind the read-out; the paper: 200
    std::uint32_t layers = 2;    ///< of these hidden layers
    double dropout = 0.0;  ///< probability with which numbers of these layers are left out in training; the paper: 0.2
    std::uint32_t hints =
        0;  ///< numbers about a whole program that the read-out gets, such as estimates without learning
    std::uint32_t times = 10;  ///< outputs: for 1, 2, … steps left

    friend bool operator==(const ValueNetworkShape&, const ValueNetworkShape&) = default;
};

/// Programs of one bank.
struct ValueInput {
    const ir::TermBank& bank;
    std::span<const ir::ProgramGraph> programs = {};
    std::span<const float> hints = {};  ///< ValueNetworkShape::hints for each program
};

/// A network with its parameters. The same calls have the same results on one machine, and a program's outputs do not depend on the others of its
/// batch beyond rounding. Calls fail only if an underlying library does.
class ValueNetwork {
public:
    ValueNetwork() = default;
    ValueNetwork(const ValueNetwork&) = delete;
    ValueNetwork& operator=(const ValueNetwork&) = delete;
    virtual ~ValueNetwork() = default;

    [[nodiscard]] virtual const ValueNetworkShape& shape() const = 0;
    [[nodiscard]] virtual std::size_t parameterCount() const = 0;
    virtual void initialize(std::uint64_t seed) = 0;
    virtual void getParameters(std::span<float> into) const = 0;
    virtual void setParameters(std::span<const float> parameters) = 0;

    /// ValueNetworkShape::times numbers for each program of the bank, in rows. What is known of the bank's terms is kept for later calls with this
    /// bank, until the parameters change.
    [[nodiscard]] virtual Status forward(const ValueInput& input, std::span<float> outputs) = 0;
    /// The derivatives by the parameters of a function of the outputs. `byOutput` gets the outputs, computed with the dropout of `seed`, and writes the
    /// derivatives by them in their place.
    [[nodiscard]] virtual Status backward(const ValueInput& input, std::uint64_t seed,
                                          absl::FunctionRef<void(std::span<float> outputs)> byOutput,
                                          std::span<float> byParameter) = 0;
    /// Forgets what is known of terms. Needed before a call with another bank.
    virtual void forget() {}
    /// Bytes kept about terms.
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// Fails for shapes of size 0 or too large; for Knossos if LibTorch cannot be loaded.
[[nodiscard]] Result<std::unique_ptr<ValueNetwork>> makeValueNetwork(const ValueNetworkShape& shape);

}  // namespace mitos::search::learned
