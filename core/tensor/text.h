// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor programs as text: a listing with one node per line, each before its uses.
//
//   graph squeezenet(x: f32[1,3,224,224])
//     weight conv1_w: f32[64,3,3,3]
//     conv1 = Conv[strides=[2,2]](x, conv1_w)           # f32[1,64,111,111]
//     parts = Split[axis=1,sizes=[32,32]](conv1)        # (f32[1,32,111,111], f32[1,32,111,111])
//     fancy = Opaque["com.acme::Fancy#7"](parts[0]): f32[1,32]
//     return (fancy, parts[1])
//
// Names with characters other than letters, digits, _ . / - are written in double quotes. `parts[1]` is an output of a node with
// several, `_` an optional input that is left out. Attributes at their default are left out. A # begins a comment. A weight whose
// name in the listing differs from its own is written `weight w = "its.own": f32[64]`. A term may be written in place of a
// name, `Relu(Add(x, y))`; printed listings have a line for each node.
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

/// Whether a text is a listing: its first word after comments is `graph`.
[[nodiscard]] bool isListing(std::string_view text);

/// Reads a listing into the bank. Names become hints. If the bank already has a function of that name with those parameters, it is
/// reused. Fails, with the position, if the text is not a listing, for unknown operators and names, names given twice, and
/// attributes and types that do not fit.
[[nodiscard]] Result<ir::Program> parseListing(ir::TermBank& bank, const SourceText& source);

/// Reads a text about another program of the bank, `like`, into a program with the same signature: a listing; or lines of one, in which
/// the names of the listing of `like` (parameters, weights, nodes) stand for what they name there, unless a line defines them anew. The
/// last line is `return y`, or the result itself: `Relu(Add(x, y))`. Also fails for parameters and weights that `like` does not have,
/// and for another type.
[[nodiscard]] Result<ir::Program> parseListingLike(ir::TermBank& bank, const SourceText& source,
                                                   const ir::Program& like);

/// The program as a listing that parses to an equal program. Names come from hints and are made unique.
[[nodiscard]] ir::PrintedText printListing(const ir::TermBank& bank, const ir::Program& program,
                                           const ir::PrintOptions& options = {});

/// The same without the positions of its nodes.
[[nodiscard]] std::string listingText(const ir::TermBank& bank, const ir::Program& program,
                                      const ir::PrintOptions& options = {});

/// A node of a graph in a text.
struct PrintedNode {
    ir::TermId node;
    std::size_t begin = 0;  ///< byte offsets of its line
    std::size_t end = 0;
};

/// Some nodes of a graph, in this order, each as a line of a listing: "y = Relu(x)". Terms without a line of their own (parameters,
/// weights) are left out. Names are unique here, but need not be those in a listing of the whole program.
struct PrintedNodes {
    std::string text;
    std::vector<PrintedNode> nodes;
};
[[nodiscard]] PrintedNodes printNodes(const ir::TermBank& bank, std::span<const ir::TermId> nodes);

/// The name of each node in the listing of a program: "conv1", "parts[1]" for an output of a node with several, "_" for an
/// input that is left out.
[[nodiscard]] absl::flat_hash_map<ir::TermId, std::string> listingNames(const ir::TermBank& bank,
                                                                        const ir::Program& program);
/// A readable name of a node outside a listing: its own name, which a listing may number; else, for a node that a rewrite made, its
/// operator and operands: "Relu(conv1)".
[[nodiscard]] std::string nodeText(const ir::TermBank& bank, ir::TermId node);

/// An operator with its attributes, `Conv[strides=[2,2]]`; those at their default are left out. For an opaque node, its operator:
/// `com.acme::Fancy`.
[[nodiscard]] std::string operatorText(const ir::TermBank& bank, ir::TermId term);
/// The name of a term's operator without its domain, that of the file for an opaque node: `Fancy` for `com.acme::Fancy`.
[[nodiscard]] std::string_view operatorName(const ir::TermBank& bank, ir::TermId term);

/// A term on one line for messages and lists, `Relu(Conv[strides=[2,2]](…, conv1_w))`: `levels` levels of it; deeper terms are shown
/// by their names, or as …
[[nodiscard]] std::string termText(const ir::TermBank& bank, ir::TermId term, int levels = 3);

/// A type as text: f32[1,3,N], (f32[1], i64[...]).
[[nodiscard]] std::string typeText(const ir::TypeTable& types, ir::TypeId type);

}  // namespace mitos::tensor
