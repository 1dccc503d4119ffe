// SPDX-License-Identifier: GPL-3.0-or-later
// Makes ONNX nodes from terms. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/export.h"
#include "core/onnx/internal/opaque.h"
#include "core/onnx/internal/proto.h"
#include "core/onnx/internal/written_names.h"
#include "core/tensor/operator.h"
#include "core/tensor/weights.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mitos::onnx {

/// A model whose weights are still to be written.
struct WrittenModel {
    proto::ModelProto model;
    struct Weight {
        int initializer = 0;  ///< its index among the graph's initializers
        tensor::WeightData data;
    };
    std::vector<Weight> weights;
    std::size_t folded = 0;
    std::size_t unfolded = 0;  ///< weights that were not computed because folding was ended
    std::size_t expanded = 0;  ///< operators that were expanded
    std::size_t idle = 0;      ///< operators left out because they do nothing
    std::vector<int> unsafe;   ///< nodes on which shape inference must not be run (library.h)
    std::vector<int> newer;    ///< nodes in the forms of opsets after 17, unknown to ONNX's library
    int opset = Opset;         ///< the intended opset; nodes are in the forms of 17 (opset_changes.h)
    UniqueNames names = {};    ///< names of values
};

/// Writes one program.
class GraphWriter {
public:
    /// `opset` is the one in which the model will be written.
    GraphWriter(const ir::TermBank& bank, const tensor::Model& model, int opset)
        : m_bank(bank),
          m_model(model),
          m_names(bank, model) {
        m_written.opset = opset;
    }

    Result<WrittenModel> write(const ExportOptions& options);

private:
    /// An output of a term that represents a node.
    using Output = std::pair<ir::TermId, std::uint32_t>;

    [[nodiscard]] Output outputOf(ir::TermId term) const;
    [[nodiscard]] std::size_t outputCount(ir::TermId term) const;
    [[nodiscard]] tensor::ArrayType typeOf(ir::TermId node, std::uint32_t output) const;
    [[nodiscard]] std::vector<Output> rootOutputs() const;
    /// Whether the term is a leaf (a parameter, a weight). A leaf has its own name, so as an output it needs a renaming node.
    [[nodiscard]] bool isLeaf(ir::TermId term) const;

    Status writeInputs();
    Status reserveNames();
    void nameOutputs();
    Status writeTerm(ir::TermId term);
    Status writeWeight(ir::TermId term, const tensor::WeightData& data, const std::string& name);
    Status writeConstant(ir::TermId term);
    Status writeOpaque(ir::TermId term);
    Status writeOperator(ir::TermId term, const tensor::Operator& op);
    void writeNode(const tensor::Exported& form, const std::vector<std::string>& own, ir::Dtype scalarType,
                   const std::vector<std::string>& outputs, const NodeLabel& label);
    void writeOutputs();
    void writeIdentity();
    /// Adds what the file declares about an input or output besides its type, which `info` already has.
    void writeNotes(proto::ValueInfoProto& info) const;
    void writeOpsets();

    void addInitializer(const std::string& name, tensor::WeightData data);
    std::string constantInput(const tensor::AttributeValue& values, ir::Dtype scalarType);
    [[nodiscard]] std::string inputName(ir::TermId term) const;
    /// Names of all outputs of a term, made up for those without one. Outputs that nothing reads and that may be left out are "",
    /// or are dropped at the end.
    std::vector<std::string> outputNames(ir::TermId term, absl::FunctionRef<bool(std::size_t)> mayBeLeftOut);
    /// Whether sizes of the outputs are named after them. The file must declare such names, or reading it makes other ones.
    [[nodiscard]] bool nameOwnSizes(ir::TermId term, const std::vector<std::string>& outputs) const;
    void describeOutputs(ir::TermId term, const std::vector<std::string>& names);
    void useDomain(const std::string& domain, std::int64_t version);

    const ir::TermBank& m_bank;
    const tensor::Model& m_model;
    WrittenModel m_written;
    WrittenNames m_names;
    absl::flat_hash_map<Output, std::string> m_valueNames;
    absl::flat_hash_set<Output> m_read;  ///< outputs that something reads
    absl::flat_hash_map<ir::TermId, tensor::WeightData> m_folded;
    absl::flat_hash_map<std::string, std::string> m_constants;  ///< names of inputs that were attributes, by content
    absl::flat_hash_set<std::string> m_functions;
    Opsets m_opsets;
};

}  // namespace mitos::onnx
