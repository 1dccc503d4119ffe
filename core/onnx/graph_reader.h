// SPDX-License-Identifier: GPL-3.0-or-later
// Terms from the nodes of an ONNX graph. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/graph_order.h"
#include "core/onnx/library.h"
#include "core/onnx/node_mapping.h"
#include "core/onnx/opaque.h"
#include "core/onnx/tensor_proto.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/model.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace mitos::onnx {

/// A value of the graph.
struct Value {
    ir::TermId term;
    tensor::ArrayPtr known;                 ///< its elements, if they are few and known
    std::optional<proto::TypeProto> other;  ///< the type of what is no dense tensor: a sequence, a map
};

/// Reads one file into one model.
class GraphReader {
public:
    /// constants: inputs that are always the same. They must outlive the reader.
    GraphReader(ir::TermBank& bank, ModelFile file, const tensor::Inputs& constants)
        : m_bank(bank),
          m_constants(constants),
          m_file(file),
          m_graph(m_file.model->graph()),
          m_tensors(std::move(file)) {}

    Result<tensor::Model> read();

private:
    /// What a node reads, ready for mapping.
    class Context;

    Status readOpsets();
    Status readInputs();
    Status readConstantInput(const std::string& name, const tensor::ArrayType& type, const tensor::ArrayPtr& array);
    Status readOutputs();
    void readDeclaredTypes();
    Result<Value*> value(const std::string& name);

    Status readNode(const proto::NodeProto& node);
    /// Nodes that are read here and not by the table. False: it is none of them.
    Result<bool> readSpecial(const proto::NodeProto& node);
    Status readConstant(const proto::NodeProto& node);
    Status readConstantOfShape(const proto::NodeProto& node, const tensor::Shape& shape);
    /// False: not in this form.
    Result<bool> readMapped(const proto::NodeProto& node, const Context& context);
    /// Reads what the library says the node consists of. False: it does not say, or some of that is not known either.
    Result<bool> readExpanded(const proto::NodeProto& node, const Context& context);
    /// The outputs, if all inputs are known and some of them are Integers.
    [[nodiscard]] std::optional<std::vector<tensor::ArrayPtr>> folded(const MappedNode& mapped,
                                                                      const Context& context) const;
    Result<ir::TermId> makeTerm(const MappedNode& mapped, const std::vector<ir::TermId>& inputs, Symbol hint);
    Status readOpaque(const proto::NodeProto& node, const std::string& reason);
    Result<std::vector<std::optional<proto::TypeProto>>> inferred(const KeptNode& kept);
    Result<ir::TypeId> outputType(const std::string& name, const std::optional<proto::TypeProto>& inferred,
                                  std::optional<proto::TypeProto>& other);

    /// A weight, or a Constant term if it has one element.
    Value constant(const std::string& name, tensor::WeightData data);
    [[nodiscard]] tensor::ArrayPtr elements(const Value& value) const;
    [[nodiscard]] std::string nameOf(const proto::NodeProto& node) const;
    [[nodiscard]] Symbol hintOf(const proto::NodeProto& node);
    [[nodiscard]] bool isUsed(const std::string& name) const { return m_order.used.contains(name); }
    Result<ir::FunctionId> makeFunction(ir::TermId root);
    /// Weights and opaque nodes that the root reaches.
    void keepUsed(ir::TermId root);
    void writeWarnings();

    ir::TermBank& m_bank;
    const tensor::Inputs& m_constants;
    ModelFile m_file;
    const proto::GraphProto& m_graph;
    TensorReader m_tensors;
    tensor::Model m_model;
    tensor::Weights m_weights;
    Opsets m_opsets;
    GraphOrder m_order;
    std::vector<ir::Parameter> m_parameters;
    absl::flat_hash_map<std::string, Value> m_values;
    absl::flat_hash_map<std::string, const proto::TypeProto*> m_declared;
    absl::btree_map<std::pair<std::string, std::string>, int> m_opaqueCounts;  ///< by operator and reason
    std::deque<proto::GraphProto> m_expansions;                                ///< m_order.used has views into them
    int m_expansionDepth = 0;
};

}  // namespace mitos::onnx
