// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor programs as text: a listing, one node a line, each before its uses.
//
//   graph squeezenet(x: f32[1,3,224,224])
//     weight conv1_w: f32[64,3,3,3]
//     conv1 = Conv[strides=[2,2]](x, conv1_w)           # f32[1,64,111,111]
//     parts = Split[axis=1,sizes=[32,32]](conv1)        # (f32[1,32,111,111], f32[1,32,111,111])
//     fancy = Opaque["com.acme::Fancy#7"](parts[0]): f32[1,32]
//     return (fancy, parts[1])
//
// Names that are no words of letters, digits, _ . / - stand in double quotes. `parts[1]` is an output of a node with several,
// `_` an optional input that is left out. Attributes at their default are left out. What begins with # is a comment. A
// weight whose name in the listing is not its own reads `weight w = "its.own": f32[64]`. A term may be written in the place of a
// name, `Relu(Add(x, y))`; what is printed has a line for each node.
#pragma once

#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/ir/function.h"
#include "core/ir/printed_text.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::tensor {

/// Whether a text is a listing: its first word is `graph`, behind comments.
[[nodiscard]] bool isListing(std::string_view text);

/// Reads a listing into the bank. Names become hints. A function of that name and those parameters that the bank has
/// already is taken. Errors, with place: what is no listing, unknown operators and names, names given twice,
/// attributes and types that do not fit.
[[nodiscard]] Result<ir::Program> parseListing(ir::TermBank& bank, const SourceText& source);

/// The program as a listing that parses to an equal program. Names come from hints and are made unique.
[[nodiscard]] ir::PrintedText printListing(const ir::TermBank& bank, const ir::Program& program,
                                           const ir::PrintOptions& options = {});

/// The same without the places of its nodes.
[[nodiscard]] std::string listingText(const ir::TermBank& bank, const ir::Program& program,
                                      const ir::PrintOptions& options = {});

/// A node of a graph in a text.
struct PrintedNode {
    ir::TermId node;
    std::size_t begin = 0;  ///< byte offsets of its line
    std::size_t end = 0;
};

/// Some nodes of a graph, in this order, as lines of a listing: "y = Relu(x)" each. What has no line of its own (parameters,
/// weights) is left out. Names are unique here, but need not be those that a listing of the whole program gives.
struct PrintedNodes {
    std::string text;
    std::vector<PrintedNode> nodes;
};
[[nodiscard]] PrintedNodes printNodes(const ir::TermBank& bank, std::span<const ir::TermId> nodes);

/// What the listing of a program calls each of its nodes: "conv1", "parts[1]" for an output of a node with several, "_" for an
/// input that is left out.
[[nodiscard]] absl::flat_hash_map<ir::TermId, std::string> listingNames(const ir::TermBank& bank,
                                                                        const ir::Program& program);
/// What people call a node where no listing is at hand: its own name, which a listing may have numbered; else, of a node that a
/// rewrite made, what it computes from what: "Relu(conv1)".
[[nodiscard]] std::string nodeText(const ir::TermBank& bank, ir::TermId node);

/// An operator with its attributes, `Conv[strides=[2,2]]`; those at their default are left out. Of an opaque node, what it is:
/// `com.acme::Fancy`.
[[nodiscard]] std::string operatorText(const ir::TermBank& bank, ir::TermId term);

/// A term on one line for messages and lists, `Relu(Conv[strides=[2,2]](…, conv1_w))`: `levels` levels of it, deeper ones as
/// the names they have, or as …
[[nodiscard]] std::string termText(const ir::TermBank& bank, ir::TermId term, int levels = 3);

/// f32[1,3,N], (f32[1], i64[...]).
[[nodiscard]] std::string typeText(const ir::TypeTable& types, ir::TypeId type);

}  // namespace mitos::tensor
