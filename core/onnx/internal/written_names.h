// SPDX-License-Identifier: GPL-3.0-or-later
// Unique names in a graph that is written; those of the original file if there was one. Only for .cpp files of this
// folder.
#pragma once

#include "core/ir/term_bank.h"
#include "core/tensor/model.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>

namespace mitos::onnx {

/// A set of names, each used once.
class UniqueNames {
public:
    /// Takes a name. False if it is already taken.
    bool take(std::string_view name) { return m_taken.emplace(name).second; }
    /// The wanted name, followed by a number if it is taken.
    std::string unique(std::string_view wanted);

private:
    absl::flat_hash_set<std::string> m_taken;
    absl::flat_hash_map<std::string, int> m_lastNumber;  ///< by wanted name
};

/// The name and the documentation with which a node is written.
struct NodeLabel {
    std::string name;
    std::string documentation = {};
};

/// Names of values and nodes, which are independent of each other.
class WrittenNames {
public:
    /// Both must outlive it.
    WrittenNames(const ir::TermBank& bank, const tensor::Model& model);

    UniqueNames& values() { return m_values; }
    UniqueNames& nodes() { return m_nodes; }

    /// The term's hint, or its operator if it has none.
    [[nodiscard]] std::string wanted(ir::TermId term) const;
    /// A name for output `index` of `count`: its name in the file if the term is the file's node; else one from the term.
    std::string ofOutput(ir::TermId term, std::size_t index, std::size_t count);
    /// The name and documentation of the term's node in the file; the name with the operator as a suffix if rewriting changed the
    /// node; else the name of its output.
    NodeLabel ofNode(ir::TermId term, std::string_view type, const std::string& output);

private:
    const ir::TermBank& m_bank;
    const tensor::Model& m_model;
    UniqueNames m_values;
    UniqueNames m_nodes;
    absl::flat_hash_set<std::string> m_named;  ///< entries of Model::nodeNames already used for a node
};

}  // namespace mitos::onnx
