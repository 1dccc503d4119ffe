// SPDX-License-Identifier: GPL-3.0-or-later
// Names in a graph that is written: those that the file had where there was one, and each once. Only for .cpp files of this
// folder.
#pragma once

#include "core/ir/term_bank.h"
#include "core/tensor/model.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>

namespace mitos::onnx {

/// Names that are used once.
class UniqueNames {
public:
    /// False: it is taken already.
    bool take(std::string_view name) { return m_taken.emplace(name).second; }
    /// The name wanted, with a number behind it if it is taken.
    std::string unique(std::string_view wanted);

private:
    absl::flat_hash_set<std::string> m_taken;
    absl::flat_hash_map<std::string, int> m_lastNumber;  ///< by name wanted
};

/// Names of values and nodes; the two do not disturb each other.
class WrittenNames {
public:
    /// Both must outlive it.
    WrittenNames(const ir::TermBank& bank, const tensor::Model& model);

    UniqueNames& values() { return m_values; }
    UniqueNames& nodes() { return m_nodes; }

    /// As the term's hint says, else its operator.
    [[nodiscard]] std::string wanted(ir::TermId term) const;
    /// A name for output `index` of `count`: as the file called it, if the term is the file's node; else as the term.
    std::string ofOutput(ir::TermId term, std::size_t index, std::size_t count);
    /// As the file called the node that the term was; with the operator as a suffix, if rewriting made it another one;
    /// else as its output.
    std::string ofNode(ir::TermId term, std::string_view type, const std::string& output);

private:
    const ir::TermBank& m_bank;
    const tensor::Model& m_model;
    UniqueNames m_values;
    UniqueNames m_nodes;
    absl::flat_hash_set<std::string> m_named;  ///< entries of Model::nodeNames whose nodes have got the file's names
};

}  // namespace mitos::onnx
