// SPDX-License-Identifier: GPL-3.0-or-later
// What ONNX's own library says about nodes and models: schemas, shape inference, the checker. Its exceptions end here. Only
// for .cpp files of this folder.
#pragma once

#include "core/onnx/proto.h"
#include "core/tensor/array.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::onnx {

/// "ai.onnx" is another name of "".
[[nodiscard]] std::string canonicalDomain(const std::string& domain);

/// The opset since which an operator is as it is in `opset`; nothing for operators that the library does not know.
[[nodiscard]] std::optional<int> sinceVersion(const std::string& domain, const std::string& type, int opset);

/// Whether the library knows an operator of ONNX's own of that name, of whichever opset.
[[nodiscard]] bool isKnownOperator(const std::string& type);

/// Whether nodes of one of ONNX's own operators mean the same in two versions: there it takes the same inputs and attributes with
/// the same defaults, and some more attributes or element types in the later one. So do operators that the library does not know.
[[nodiscard]] bool meansTheSame(const std::string& type, int before, int after);

/// Whether a node of one of ONNX's own operators may leave out its output `output`. False: not, or nobody knows.
[[nodiscard]] bool isOptionalOutput(const std::string& type, int opset, std::size_t output);

/// The numbers of inputs and outputs and the names and kinds of attributes, as the operator's schema wants them. Nodes
/// of operators without schema pass. Errors: in the library's words.
[[nodiscard]] Status checkNode(const proto::NodeProto& node, int opset);

/// How the schema of a node calls the types of its inputs and outputs, one name each: values with the same name have the same type.
/// "": nothing is said.
struct TypeNames {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
};
/// Of other domains' nodes, and of operators that the library does not know, nothing is said.
[[nodiscard]] TypeNames typeNames(const proto::NodeProto& node, int opset);
/// What such a name says by itself, "tensor(float)", as ONNX numbers element types; else 0.
[[nodiscard]] std::int32_t elementTypeOf(std::string_view typeName);

/// What a node consists of: nodes for the same inputs and outputs, in an order in which they can be read.
struct Expansion {
    proto::GraphProto nodes;
    int opset = 1;  ///< in which they are written
};
/// Nothing for operators that are none of the file's functions and whose schema does not define them by others.
[[nodiscard]] std::optional<Expansion> expanded(const proto::NodeProto& node, int opset,
                                                const std::vector<proto::TypeProto>& inputTypes,
                                                const proto::ModelProto& file);

/// Whether inference can be asked about a node whose first input has that rank. The library trusts what it reads and
/// follows subgraphs however deep they are: for most operators a wrong rank or attribute makes it read beyond arrays or
/// divide by zero. So only some are asked about, those that fuzzing (tests/onnx/fuzz_onnx.cpp) could not break.
[[nodiscard]] bool isSafeToInfer(const proto::NodeProto& node, std::optional<std::size_t> rank);

/// What a node reads, for inference.
struct NodeInput {
    std::string name;
    std::optional<proto::TypeProto> type;
    tensor::ArrayPtr known;  ///< its elements, where they are few and known
};
/// The types of the outputs of the graph's only node; nothing where the library does not know. Sizes that inference
/// could not tell have neither number nor name. For nodes that are not safe to ask about: element types, by the schema.
/// Errors: the node contradicts its inputs.
[[nodiscard]] Result<std::vector<std::optional<proto::TypeProto>>> inferTypes(proto::ModelProto single,
                                                                              const std::vector<NodeInput>& inputs);

/// "" or what the checker has to complain.
[[nodiscard]] std::string checkModel(const proto::ModelProto& model);
/// The same for a file, with its external data.
[[nodiscard]] std::string checkModelFile(const std::filesystem::path& path);
/// "" or what strict shape inference with data propagation stumbles over. It is not asked about `unsafe` nodes (places in
/// the graph). The model is as before afterwards.
[[nodiscard]] std::string checkShapes(proto::ModelProto& model, const std::vector<int>& unsafe);

}  // namespace mitos::onnx
