// SPDX-License-Identifier: GPL-3.0-or-later
// A model: a program of the tensor dialect with its numbers and with what its file said besides.
#pragma once

#include "core/ir/function.h"
#include "core/ir/term_bank.h"
#include "core/tensor/operator.h"
#include "core/tensor/weights.h"

#include <absl/container/btree_map.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mitos::tensor {

/// An operator that nobody knows is carried through untouched: what the file said about it, as bytes that only core/onnx
/// reads.
struct OpaqueNode {
    std::string domain;
    std::string type;
    std::int64_t opset = 1;  ///< of ONNX's own operators in the file, whatever the node's domain
    std::shared_ptr<const std::string> bytes;
};

/// What a file calls a node.
struct NodeName {
    std::string name;                       ///< "": nothing
    std::string op;                         ///< of the term that the node became; "": it became several
    std::vector<std::string> outputs = {};  ///< of a node with several: their names, "" for one left out
};

struct Model {
    ir::Program
        program;  ///< the function's parameters are the inputs; the root is the output, or the tuple of all outputs
    std::vector<std::string> outputs;  ///< their names
    std::shared_ptr<const Weights> weights;
    absl::btree_map<std::string, OpaqueNode, std::less<>> opaque;     ///< by the name in the term's payload
    absl::btree_map<std::string, std::string, std::less<>> metadata;  ///< metadata_props of the file
    std::string name;                                                 ///< of the graph
    std::int64_t opset =
        17;  ///< of ONNX's own operators in the file; a program without a file: the oldest that is written
    /// Names of nodes, by the hints of the terms that they became: the name of the value, or of a node of several outputs.
    absl::btree_map<std::string, NodeName, std::less<>> nodeNames = {};
    /// Of outputs whose rank the program does not tell: the sizes that the file declares, as types show them.
    absl::btree_map<std::string, std::vector<std::string>, std::less<>> declaredSizes = {};
    std::string file = {};                    ///< that it was read from; empty: none
    std::vector<std::string> dataFiles = {};  ///< that hold its weights besides
    std::vector<std::string> warnings;        ///< what the reader of the file had to say: opaque nodes, unread parts
};

/// A model of a program that came without one (a listing): no weights, outputs called output_0, output_1, …
[[nodiscard]] Model modelOf(const ir::TermBank& bank, const ir::Program& program);
/// Random numbers for a weight whose size is known, those of vectors positive: many are variances; see WeightData::random.
[[nodiscard]] WeightData sampledWeight(const ArrayType& type, std::uint64_t seed, std::string_view name);
/// For every weight of a program whose size is known.
[[nodiscard]] Weights sampledWeights(const ir::TermBank& bank, ir::TermId root, std::uint64_t seed);

}  // namespace mitos::tensor
