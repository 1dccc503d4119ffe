// SPDX-License-Identifier: GPL-3.0-or-later
// How a tensor operator is written in ONNX, as data without ONNX's types. core/onnx uses it for reading and writing.
#pragma once

#include "core/base/result.h"
#include "core/tensor/attributes.h"
#include "core/tensor/dimension.h"

#include <absl/container/btree_map.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tensor {

struct ArrayType;

/// The opset whose operators the table has. Entries that a later one introduced say so (OnnxMapping::since).
inline constexpr int TableOpset = 17;

/// The parts of an ONNX node that mappings need. Names are the file's values; "" is an input left out.
struct OnnxNode {
    std::string domain = {};  ///< "" is ai.onnx
    std::string type = {};    ///< "Conv"
    std::int64_t opset = TableOpset;
    std::vector<std::string> inputs = {};
    std::vector<std::string> outputs = {};
    absl::btree_map<std::string, AttributeValue, std::less<>> attributes = {};
};

/// Information about the node's inputs for importing hooks.
class OnnxContext {
public:
    virtual ~OnnxContext() = default;
    /// The type of input `i`; null if it is left out.
    [[nodiscard]] virtual const ArrayType* type(std::size_t input) const = 0;
    /// The elements of a constant Integer (or Bool) input of modest size, for shapes, axes, pads and the like.
    [[nodiscard]] virtual std::optional<std::vector<std::int64_t>> integers(std::size_t input) const = 0;
    /// The elements of a constant floating input of modest size.
    [[nodiscard]] virtual std::optional<std::vector<double>> floats(std::size_t input) const = 0;
    /// The elements of an Integer input that is computed from sizes alone: numbers, or expressions of names of sizes.
    [[nodiscard]] virtual std::optional<std::vector<SizeExpression>> sizes(std::size_t input) const;
    /// The symbols of the names in types.
    [[nodiscard]] virtual SymbolTable& symbols() const = 0;
};

/// The imported form of a node: attributes of the table operator, and which of the node's inputs stay inputs, in order
/// (-1: Absent).
struct Imported {
    Attributes attributes;
    std::vector<int> inputs;
    /// The operator has two inputs and is applied from left to right, ((a + b) + c); a single input is the result itself.
    bool isFold = false;
};
/// Reads a node as the operator. Fails if the operator does not have this form (a shape that is not a constant); then the node
/// stays opaque unless another operator takes it, and the message goes into the import report. After invalidNode, the file is refused.
using OnnxImport = Result<Imported> (*)(const Operator& op, const OnnxNode& node, const OnnxContext& context);

/// An Integer or Float array that an exported node needs as an input and that the term has as an attribute.
struct OnnxConstant {
    std::size_t input = 0;  ///< its place among the node's inputs
    AttributeValue
        values;  ///< std::vector<int64> (rank 1), std::vector<double> (rank 1, f32), int64 or double (scalar); a word:
                 ///< the input is left out
};
struct Exported {
    std::string type;
    std::string domain = {};
    absl::btree_map<std::string, AttributeValue, std::less<>> attributes = {};
    std::vector<OnnxConstant> constants = {};
    /// Further nodes, if ONNX has no single node for the term; each reads the first output of the one before.
    std::vector<Exported> then = {};
};
/// Writes a term at opset 17. `inputs` has the types of the term's children.
using OnnxExport = Exported (*)(const Attributes& attributes, std::span<const ArrayType> inputs);

/// Null hooks stand for importPlainly and exportPlainly.
struct OnnxMapping {
    std::string type = {};  ///< empty if it is the operator's own name
    std::string domain = {};
    /// Names of ONNX operators, besides `type`, that are imported as this one (Sum -> Add).
    std::vector<std::string> alsoFrom = {};
    OnnxImport import = nullptr;
    OnnxExport exportNode = nullptr;
    /// The opset that introduced the operator, if that is later than TableOpset. In earlier ones its expansion is written.
    int since = 1;
    bool exists = true;  ///< false if no node becomes this and this becomes no node (Constant: an initializer)
};

/// The attribute with a term's number of outputs, for operators whose last outputs are optional. ONNX counts the node's outputs.
inline constexpr std::string_view OutputsName = "outputs";

/// Imports a node whose attributes have ONNX's names, kinds and defaults; in ONNX a Boolean is 0 or 1, and an element type (a Word
/// without words) is a number. All inputs stay. Fails if the node has an attribute unknown to the operator, or lacks a required one.
[[nodiscard]] Result<Imported> importPlainly(const Operator& op, const OnnxNode& node);
/// The inverse of importPlainly.
[[nodiscard]] Exported exportPlainly(const Attributes& attributes);

/// ONNX's numbers of element types (TensorProto.DataType).
[[nodiscard]] std::optional<ir::Dtype> dtypeOfOnnx(std::int64_t number);
/// The inverse of dtypeOfOnnx; 0 for Unknown.
[[nodiscard]] std::int64_t onnxNumber(ir::Dtype dtype);

}  // namespace mitos::tensor
