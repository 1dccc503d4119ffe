// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps ONNX's own library: schemas, shape inference, the checker. Its exceptions are caught here. Only for .cpp files of this
// folder.
#pragma once

#include "core/onnx/internal/proto.h"
#include "core/tensor/array.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::onnx {

/// The domain by its canonical name: "ai.onnx" is another name of "".
[[nodiscard]] std::string canonicalDomain(const std::string& domain);

/// The opset that introduced the version of an operator valid in `opset`; nullopt for operators unknown to the library.
[[nodiscard]] std::optional<int> sinceVersion(const std::string& domain, const std::string& type, int opset);

/// Whether the library has one of ONNX's own operators of that name, in any opset.
[[nodiscard]] bool isKnownOperator(const std::string& type);

/// Whether nodes of one of ONNX's own operators mean the same in two versions: both take the same inputs and attributes with
/// the same defaults, and the later one may take more attributes or element types. True for operators unknown to the library.
[[nodiscard]] bool meansTheSame(const std::string& type, int before, int after);

/// Whether a node of one of ONNX's own operators may leave out its output `output`. False if it may not, or the operator is unknown.
[[nodiscard]] bool isOptionalOutput(const std::string& type, int opset, std::size_t output);

/// Whether two equal nodes with equal inputs give equal results. Where they do not, or may not, each node of a file is a term of its own.
enum class Determinism : std::uint8_t {
    Certain,
    Unknown,  ///< for operators of which nothing is known
    Random,   ///< for nodes that draw random numbers
};
/// Whether equal nodes of the operator give equal results. Its subgraphs are not looked at.
[[nodiscard]] Determinism determinismOf(const proto::NodeProto& node);

/// Checks the numbers of inputs and outputs and the names and kinds of attributes against the operator's schema. Nodes
/// of operators without a schema pass. Errors have the library's message.
[[nodiscard]] Status checkNode(const proto::NodeProto& node, int opset);

/// The names that a node's schema gives to the types of its inputs and outputs: values with the same name have the same type.
/// Empty if the schema states nothing.
struct TypeNames {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
};
/// The result has no names for nodes of other domains and of operators unknown to the library.
[[nodiscard]] TypeNames typeNames(const proto::NodeProto& node, int opset);
/// The element type, as ONNX numbers it, if the name itself is a type, "tensor(float)"; else 0.
[[nodiscard]] std::int32_t elementTypeOf(std::string_view typeName);

/// The definition of a node by other nodes, for the same inputs and outputs, in an order in which they can be read.
struct Expansion {
    proto::GraphProto nodes;
    int opset = 1;  ///< the opset in which they are written
};
/// nullopt for operators that are not functions of the file and whose schema does not define them by others.
[[nodiscard]] std::optional<Expansion> expanded(const proto::NodeProto& node, int opset,
                                                const std::vector<proto::TypeProto>& inputTypes,
                                                const proto::ModelProto& file);

/// Whether inference can be run on a node whose first input has that rank. The library trusts its input and
/// follows subgraphs of any depth: for most operators a wrong rank or attribute makes it read beyond arrays or
/// divide by zero. So it is run only on some operators, those that fuzzing (tests/onnx/fuzz_onnx.cpp) could not break.
[[nodiscard]] bool isSafeToInfer(const proto::NodeProto& node, std::optional<std::size_t> rank);

/// A value that a node reads, for inference.
struct NodeInput {
    std::string name;
    std::optional<proto::TypeProto> type;
    tensor::ArrayPtr known;  ///< its elements if they are few and known, else null
};
/// The types of the outputs of the graph's only node; nullopt where the library cannot derive one. Sizes that inference
/// could not derive have neither number nor name. For nodes that are not safe to infer, the schema gives the element types.
/// Fails if the node contradicts its inputs.
[[nodiscard]] Result<std::vector<std::optional<proto::TypeProto>>> inferTypes(proto::ModelProto single,
                                                                              const std::vector<NodeInput>& inputs);

/// The checker's message; empty if it accepts the model.
[[nodiscard]] std::string checkModel(const proto::ModelProto& model);
/// The same for a file, with its external data.
[[nodiscard]] std::string checkModelFile(const std::filesystem::path& path);
/// The message of strict shape inference with data propagation; empty if it accepts the model. It is not run on `unsafe` nodes
/// (indices in the graph). The model is restored afterwards.
[[nodiscard]] std::string checkShapes(proto::ModelProto& model, const std::vector<int>& unsafe);

}  // namespace mitos::onnx
