// SPDX-License-Identifier: GPL-3.0-or-later
// Programs as text, in which each node has its place: what the printers of all dialects give.
#pragma once

#include "core/ir/path.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mitos::ir {

struct PrintOptions {
    int width = 100;  ///< columns before a form is broken over lines; 0: one line (ks)
    bool compact =
        false;  ///< ks: leave out the types of lambda variables and the function's header; graphs: the types of
                ///< nodes (previews only)
    bool headed = false;  ///< bare expressions too print as definitions, which name all parameters in their order (ks)
};

/// A run of printed text that belongs to one node.
struct PrintedSpan {
    Path path;
    std::size_t begin = 0;  ///< byte offsets into the text
    std::size_t end = 0;
};

struct PrintedText {
    std::string text;
    /// In pre-order of the paths. Of a tree one for every node of the tree, each inside of its parent's; of a graph one for
    /// every distinct node, with its first path (ir/shared.h), where it is defined.
    std::vector<PrintedSpan> spans;
};

}  // namespace mitos::ir
