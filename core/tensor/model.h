// SPDX-License-Identifier: GPL-3.0-or-later
// A model: a program of the tensor dialect with its weights and the other contents of its file.
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

/// A node of an unknown operator, which is carried through unchanged: its description in the file, as bytes that only core/onnx
/// reads.
struct OpaqueNode {
    std::string domain;
    std::string type;
    std::int64_t opset = 1;  ///< the version of ONNX's own operators in the file, whatever the node's domain
    std::shared_ptr<const std::string> bytes;
};

/// The name of a node in its file.
struct NodeName {
    std::string name;                       ///< empty if the node has none
    std::string op;                         ///< operator of the term that the node became; empty if it became several
    std::vector<std::string> outputs = {};  ///< names of a node's several outputs, "" for one left out
    std::string documentation = {};
};

/// Which model a file holds, and which program made it.
struct Identity {
    std::string producer = {};  ///< the program; empty if the file names none
    std::string producerVersion = {};
    std::string domain = {};
    std::int64_t version = 0;  ///< version of the model
    std::string documentation = {};
    std::string graphDocumentation = {};

    friend bool operator==(const Identity&, const Identity&) = default;
};

/// The parts of the declaration of an input or output that its type does not have.
struct ValueNotes {
    std::string documentation = {};
    std::string denotation = {};         ///< the meaning of its elements, such as IMAGE
    std::vector<std::string> axes = {};  ///< the meaning of each axis, such as DATA_CHANNEL; "" if none is declared

    friend bool operator==(const ValueNotes&, const ValueNotes&) = default;
};

struct Model {
    ir::Program
        program;  ///< the function's parameters are the inputs; the root is the output, or the tuple of all outputs
    std::vector<std::string> outputs;  ///< names of the outputs
    std::shared_ptr<const Weights> weights;
    absl::btree_map<std::string, OpaqueNode, std::less<>> opaque;     ///< by the name in the term's payload
    absl::btree_map<std::string, std::string, std::less<>> metadata;  ///< metadata_props of the file
    std::string name;                                                 ///< name of the graph
    Identity identity = {};                                           ///< what else names the file's model
    std::int64_t opset =
        17;  ///< version of ONNX's own operators in the file; the oldest that is written if there is no file
    /// Names of nodes, by the hints of the terms that they became: the name of the value, or of a node with several outputs.
    absl::btree_map<std::string, NodeName, std::less<>> nodeNames = {};
    /// By the name of the input or output.
    absl::btree_map<std::string, ValueNotes, std::less<>> notes = {};
    /// The sizes that the file declares, as types show them, for outputs whose rank the program does not determine.
    absl::btree_map<std::string, std::vector<std::string>, std::less<>> declaredSizes = {};
    std::string file = {};                    ///< the file that it was read from; empty if there is none
    std::vector<std::string> dataFiles = {};  ///< further files that hold its weights
    std::vector<std::string> warnings;        ///< warnings of the file's reader: opaque nodes, unread parts
};

/// A model for a program without one (a listing): it has no weights, and outputs named output_0, output_1, …
[[nodiscard]] Model modelOf(const ir::TermBank& bank, const ir::Program& program);
/// Random numbers for a weight whose size is known. Vectors get positive numbers, as many are variances; see WeightData::random.
[[nodiscard]] WeightData sampledWeight(const ArrayType& type, std::uint64_t seed, std::string_view name);
/// Sampled weights for every weight of a program whose size is known.
[[nodiscard]] Weights sampledWeights(const ir::TermBank& bank, ir::TermId root, std::uint64_t seed);

}  // namespace mitos::tensor
