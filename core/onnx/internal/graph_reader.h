// SPDX-License-Identifier: GPL-3.0-or-later
// Makes terms from the nodes of an ONNX graph. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/import.h"
#include "core/onnx/internal/element_types.h"
#include "core/onnx/internal/graph_order.h"
#include "core/onnx/internal/library.h"
#include "core/onnx/internal/node_mapping.h"
#include "core/onnx/internal/opaque.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/onnx/internal/values.h"
#include "core/tensor/model.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::onnx {

/// The name of one of several opaque nodes that are equal but may differ in their results, from 1 on.
[[nodiscard]] std::string numbered(const std::string& name, int number);

/// Reads one file into one model.
class GraphReader {
public:
    /// `depth` is the number of subgraphs around the graph.
    GraphReader(ir::TermBank& bank, ModelFile file, ImportOptions options, int depth = 0)
        : m_bank(bank),
          m_options(std::move(options)),
          m_file(file),
          m_graph(m_file.model->graph()),
          m_tensors(std::move(file)),
          m_sizeNames(*m_file.model),
          m_values(bank, m_options.weights),
          m_depth(depth) {}

    Result<tensor::Model> read();
    /// The files of external data that were read.
    [[nodiscard]] const std::vector<std::string>& dataFiles() const { return m_tensors.dataFiles(); }

private:
    /// Numbers of opaque nodes by operator and reason.
    using OpaqueCounts = absl::btree_map<std::pair<std::string, std::string>, int>;
    using Names = google::protobuf::RepeatedPtrField<std::string>;

    Status readOpsets();
    Status readInputs();
    Status readConstantInput(const std::string& name, const tensor::ArrayType& type, const tensor::ArrayPtr& array);
    Status readOutputs();
    void readDeclaredTypes();
    /// Initializers become values when something reads them.
    Result<const Value*> value(const std::string& name);

    Status readNode(const proto::NodeProto& node);
    /// Reads nodes that are not read by the table. False if the node is none of them.
    Result<bool> readSpecial(const proto::NodeProto& node);
    /// Reads a ConstantOfShape node whose sizes have names as one number, expanded. False if it does not hold numbers.
    Result<bool> readFill(const proto::NodeProto& node, const Value& shape);
    /// Sets the node's output to that constant. If there is none, the node stays opaque.
    Status setConstant(const proto::NodeProto& node, Result<std::optional<tensor::WeightData>> data);
    /// Reads a node by the table. False if the table does not have this form.
    Result<bool> readMapped(const proto::NodeProto& node, const NodeInputs& context);
    /// Reads the nodes of the node's definition in the library. False if there is none, or some of these are unknown too.
    Result<bool> readExpanded(const proto::NodeProto& node, const NodeInputs& context);
    /// Reads an If with a constant condition as the nodes of its branch. False if the condition is not known, or these cannot be read.
    Result<bool> readBranch(const proto::NodeProto& node);
    /// Nodes that stand for another node, and the opset in which they are written.
    struct Replacement {
        proto::GraphProto nodes;
        std::int64_t opset = 1;
        bool mayBeOpaque = false;  ///< whether they may be unknown; otherwise the other node is rather kept
    };
    /// Reads the replacement of a node. False if it cannot be read; then nothing is changed.
    Result<bool> readInstead(const proto::NodeProto& node, Replacement replacement);
    /// Reads the nodes that replace another node, which has these outputs. False if they cannot be read, or if, with `opaqueCounts`, some
    /// of them are unknown.
    bool readBody(const proto::GraphProto& body, const Names& outputs, const OpaqueCounts* opaqueCounts);
    Result<ir::TermId> makeTerm(const MappedNode& mapped, const std::vector<ir::TermId>& inputs, Symbol hint);
    Status readOpaque(const proto::NodeProto& node, const std::string& reason);
    /// The number of bytes that another opaque node may have.
    [[nodiscard]] std::uintmax_t freeBytes() const { return MostKeptBytes - std::min(MostKeptBytes, m_keptBytes); }
    Result<std::vector<std::optional<proto::TypeProto>>> inferred(const KeptNode& kept);
    /// How much of a file's declaration of an opaque node's output is relied on, besides the element type.
    enum class Declared : std::uint8_t {
        Nothing,  ///< for nodes whose subgraphs determine the type
        Rank,  ///< for ONNX's own operators, as files often declare the sizes of one example where inference cannot derive them. Besides
        ///< the rank, names that no input has are relied on
        Sizes,  ///< for unknown operators
    };
    [[nodiscard]] Declared declaredOf(const proto::NodeProto& node) const;
    Result<ir::TypeId> outputType(const std::string& name, const std::optional<proto::TypeProto>& inferred,
                                  Declared believed, std::optional<proto::TypeProto>& other);
    /// Whether an input has a size of that name.
    [[nodiscard]] bool isSizeOfInput(Symbol name) const;
    /// Records the value if its declared sizes differ from those found.
    void compareSizes(const std::string& name, const tensor::ArrayType& declared, const tensor::ArrayType& found);

    [[nodiscard]] std::string nameOf(const proto::NodeProto& node) const;
    [[nodiscard]] Symbol hintOf(const proto::NodeProto& node);
    [[nodiscard]] bool isUsed(const std::string& name) const { return m_order.used.contains(name); }
    Result<ir::FunctionId> makeFunction(ir::TermId root);
    /// Keeps the name of a node that became a term of `op`, or several terms ("").
    void keepName(const proto::NodeProto& node, std::string_view op);
    void keepIdentity();
    /// Keeps what the file declares about an input or output besides its type.
    void keepNotes(const proto::ValueInfoProto& info);
    void keepDeclaredSizes(const proto::ValueInfoProto& output);
    /// Warns if the declared type contradicts the output's type.
    void compareDeclared(const proto::ValueInfoProto& output, ir::TypeId type);
    /// The root with opaque nodes that may differ although they are equal numbered in the order of the graph, as they are when it is read
    /// from an exported file.
    ir::TermId withNumberedNodes(ir::TermId root);
    /// Keeps the weights and opaque nodes that the root reaches.
    void keepUsed(ir::TermId root);
    void writeWarnings();

    ir::TermBank& m_bank;
    const ImportOptions m_options;
    ModelFile m_file;
    const proto::GraphProto& m_graph;
    TensorReader m_tensors;
    SizeNames m_sizeNames;
    tensor::Model m_model;
    Opsets m_opsets;
    GraphOrder m_order;
    std::vector<ir::Parameter> m_parameters;
    std::vector<std::string> m_defaults;  ///< inputs that are also initializers
    ValueTable m_values;
    absl::flat_hash_map<std::string, const proto::TypeProto*> m_declared;
    std::optional<ElementTypes> m_elementTypes;  ///< created for the first type that is neither declared nor inferred
    OpaqueCounts m_opaqueCounts;
    absl::flat_hash_map<std::string, int>
        m_sameNodes;                         ///< how many nodes that may differ were read, by name without number
    std::vector<std::string> m_unconfirmed;  ///< values whose declared sizes are not relied on
    std::vector<std::string> m_believed;     ///< values whose declared sizes cannot be checked
    std::uintmax_t m_keptBytes = 0;          ///< bytes of opaque nodes
    /// Expansions: m_order.used has views into them, and weights point to their numbers there.
    std::deque<std::shared_ptr<const proto::GraphProto>> m_expansions;
    std::vector<std::string_view>
        m_expansionNames;              ///< names of values of expansions, if the views in m_order.used are theirs
    std::int64_t m_expandedNodes = 0;  ///< all nodes of expansions, including those given up
    int m_expansionDepth = 0;
    int m_depth = 0;
};

}  // namespace mitos::onnx
