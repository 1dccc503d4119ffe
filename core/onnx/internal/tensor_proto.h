// SPDX-License-Identifier: GPL-3.0-or-later
// Converts tensors, types and attributes between ONNX's messages and Mitos's data. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/mapped_file.h"
#include "core/onnx/internal/proto.h"
#include "core/tensor/operator.h"
#include "core/tensor/weights.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::onnx {

/// Reads the tensors of one file. Elements that are stored in the required form (raw data, floats, 64-bit Integers,
/// external files) are not copied.
class TensorReader {
public:
    explicit TensorReader(ModelFile file) : m_file(std::move(file)), m_owner(m_file.model) {}

    /// Fails for an element type that the evaluator cannot compute with, sizes below 0 or beyond memory, too few or too many
    /// elements, and external data that is missing or outside of the model's folder.
    Result<tensor::WeightData> read(const proto::TensorProto& tensor);
    /// Tensors read from now on are in the model or in `body`, whose numbers are not copied either: weights keep both alive.
    void readFrom(const std::shared_ptr<const proto::GraphProto>& body) {
        m_owner =
            std::make_shared<const std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(m_owner, body);
    }
    [[nodiscard]] std::shared_ptr<const void> owner() const { return m_owner; }
    void setOwner(std::shared_ptr<const void> owner) { m_owner = std::move(owner); }
    /// The files of external data that were read.
    [[nodiscard]] const std::vector<std::string>& dataFiles() const { return m_dataFiles; }

private:
    Result<tensor::WeightData> readExternal(const proto::TensorProto& tensor, ir::Dtype dtype, tensor::Shape shape);

    ModelFile m_file;
    std::shared_ptr<const void> m_owner;  ///< owner of the tensors that are read
    absl::btree_map<std::string, std::shared_ptr<const MappedFile>> m_external;
    std::vector<std::string> m_dataFiles;
};

/// The sizes of a tensor. Fails if one is below 0, or if there are more than 2^47 elements in all.
[[nodiscard]] Result<tensor::Shape> tensorShape(std::span<const std::int64_t> sizes);

/// Names for sizes that have none in a file: "x_0", after a value and the axis, never a name that the file uses for another size.
class SizeNames {
public:
    explicit SizeNames(const proto::ModelProto& file);

    [[nodiscard]] std::string of(std::string_view value, std::size_t axis) const;
    /// The name after which operators name the sizes of a value: the value's own, unless the file has another size named in that way.
    [[nodiscard]] std::string stem(const std::string& value) const;
    /// Whether a size of a value is named after it. Files written by Mitos declare such sizes, so that reading makes the same names.
    [[nodiscard]] static bool isOwn(std::string_view name, std::string_view value, std::size_t axis);

private:
    void add(const proto::GraphProto& graph);

    absl::flat_hash_set<std::string> m_given;
    absl::flat_hash_set<std::string> m_own;    ///< those named after their own value
    absl::flat_hash_set<std::string> m_stems;  ///< stems of the others
};

/// The type of a value if it is a dense tensor of a known element type; else nullopt. A size that has neither number nor name
/// gets one of `names`; a name that is a number is read as that number. Fails for sizes below 0.
[[nodiscard]] Result<std::optional<tensor::ArrayType>> readType(const proto::TypeProto& type, std::string_view value,
                                                                const SizeNames& names, SymbolTable& symbols);
void writeType(const tensor::ArrayType& type, const SymbolTable& symbols, proto::TypeProto& to);

/// The shortest decimal number that is this float: 0.1, as it was written, and not 0.10000000149.
[[nodiscard]] double shortest(float value);
/// The value of an attribute; nullopt for kinds that the table does not have: tensors, graphs.
[[nodiscard]] std::optional<tensor::AttributeValue> attributeValue(const proto::AttributeProto& attribute);
/// Null if the node has no attribute of that name.
[[nodiscard]] const proto::AttributeProto* findAttribute(const proto::NodeProto& node, std::string_view name);

/// The elements as a file holds them, little-endian, rounded to the nearest that the type has.
[[nodiscard]] std::string encoded(const tensor::Array& array);
/// The same, exactly. The data must be readable.
[[nodiscard]] std::string encoded(const tensor::WeightData& data);
/// An i64 tensor whose elements are exact.
[[nodiscard]] tensor::WeightData integerData(tensor::Shape shape, std::span<const std::int64_t> elements);
/// Writes name, sizes and element type, but no elements.
void writeHead(std::string_view name, ir::Dtype dtype, const tensor::Shape& shape, proto::TensorProto& to);

}  // namespace mitos::onnx
