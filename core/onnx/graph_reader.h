// SPDX-License-Identifier: GPL-3.0-or-later
// Terms from the nodes of an ONNX graph. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/element_types.h"
#include "core/onnx/graph_order.h"
#include "core/onnx/library.h"
#include "core/onnx/node_mapping.h"
#include "core/onnx/opaque.h"
#include "core/onnx/tensor_proto.h"
#include "core/onnx/values.h"
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

/// Reads one file into one model.
class GraphReader {
public:
    /// constants: inputs that are always the same. They must outlive the reader. depth: how many subgraphs the graph is inside of.
    GraphReader(ir::TermBank& bank, ModelFile file, const tensor::Inputs& constants, int depth = 0)
        : m_bank(bank),
          m_constants(constants),
          m_file(file),
          m_graph(m_file.model->graph()),
          m_tensors(std::move(file)),
          m_sizeNames(*m_file.model),
          m_values(bank),
          m_depth(depth) {}

    Result<tensor::Model> read();
    /// The files of external data that were read.
    [[nodiscard]] const std::vector<std::string>& dataFiles() const { return m_tensors.dataFiles(); }

private:
    /// Nodes by operator and reason.
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
    /// Nodes that are read here and not by the table. False: it is none of them.
    Result<bool> readSpecial(const proto::NodeProto& node);
    /// A ConstantOfShape node whose sizes have names: one number, expanded. False: it holds no numbers.
    Result<bool> readFill(const proto::NodeProto& node, const Value& shape);
    /// The node's output is that constant. Nothing: the node stays opaque.
    Status setConstant(const proto::NodeProto& node, Result<std::optional<tensor::WeightData>> data);
    /// False: not in this form.
    Result<bool> readMapped(const proto::NodeProto& node, const NodeInputs& context);
    /// Reads what the library says the node consists of. False: it does not say, or some of that is not known either.
    Result<bool> readExpanded(const proto::NodeProto& node, const NodeInputs& context);
    /// The nodes that another stands for, which has these outputs. False: some of that is not known.
    bool readBody(const proto::GraphProto& body, const Names& outputs, const OpaqueCounts& opaqueCounts);
    Result<ir::TermId> makeTerm(const MappedNode& mapped, const std::vector<ir::TermId>& inputs, Symbol hint);
    Status readOpaque(const proto::NodeProto& node, const std::string& reason);
    /// How many bytes another opaque node may have.
    [[nodiscard]] std::uintmax_t freeBytes() const { return MostKeptBytes - std::min(MostKeptBytes, m_keptBytes); }
    Result<std::vector<std::optional<proto::TypeProto>>> inferred(const KeptNode& kept);
    /// How far it is believed what a file declares of an output of a node that stays opaque, besides its element type.
    enum class Declared : std::uint8_t {
        Nothing,  ///< the node's subgraphs tell
        Rank,  ///< ONNX's own operators: of sizes that inference cannot tell, files often have those of one example. Besides the
        ///< rank, names that no input has
        Sizes,  ///< operators that nobody knows
    };
    [[nodiscard]] Declared declaredOf(const proto::NodeProto& node) const;
    Result<ir::TypeId> outputType(const std::string& name, const std::optional<proto::TypeProto>& inferred,
                                  Declared believed, std::optional<proto::TypeProto>& other);
    /// Whether an input has a size of that name.
    [[nodiscard]] bool isSizeOfInput(Symbol name) const;
    /// Remembers that the sizes that are declared are not those that the value has here.
    void compareSizes(const std::string& name, const tensor::ArrayType& declared, const tensor::ArrayType& found);

    [[nodiscard]] std::string nameOf(const proto::NodeProto& node) const;
    [[nodiscard]] Symbol hintOf(const proto::NodeProto& node);
    [[nodiscard]] bool isUsed(const std::string& name) const { return m_order.used.contains(name); }
    Result<ir::FunctionId> makeFunction(ir::TermId root);
    /// Of a node that became a term of `op`, or several ("").
    void keepName(const proto::NodeProto& node, std::string_view op);
    void keepDeclaredSizes(const proto::ValueInfoProto& output);
    /// Warns where what is declared contradicts what the output is.
    void compareDeclared(const proto::ValueInfoProto& output, ir::TypeId type);
    /// Weights and opaque nodes that the root reaches.
    void keepUsed(ir::TermId root);
    void writeWarnings();

    ir::TermBank& m_bank;
    const tensor::Inputs& m_constants;
    ModelFile m_file;
    const proto::GraphProto& m_graph;
    TensorReader m_tensors;
    SizeNames m_sizeNames;
    tensor::Model m_model;
    Opsets m_opsets;
    GraphOrder m_order;
    std::vector<ir::Parameter> m_parameters;
    std::vector<std::string> m_defaults;  ///< inputs that are initializers, too
    ValueTable m_values;
    absl::flat_hash_map<std::string, const proto::TypeProto*> m_declared;
    std::optional<ElementTypes> m_elementTypes;  ///< made when the first type is neither declared nor inferred
    OpaqueCounts m_opaqueCounts;
    std::vector<std::string> m_unconfirmed;  ///< values whose declared sizes are not relied on
    std::vector<std::string> m_believed;     ///< values whose declared sizes nobody can check
    std::uintmax_t m_keptBytes = 0;          ///< of opaque nodes
    /// m_order.used has views into them, weights have their numbers there.
    std::deque<std::shared_ptr<const proto::GraphProto>> m_expansions;
    std::vector<std::string_view>
        m_expansionNames;              ///< of values of expansions, as far as m_order.used has them of there
    std::int64_t m_expandedNodes = 0;  ///< all that were read, also in vain
    int m_expansionDepth = 0;
    int m_depth = 0;
};

}  // namespace mitos::onnx
