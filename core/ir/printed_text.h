// SPDX-License-Identifier: GPL-3.0-or-later
// The output of the printers of all dialects: a program as text, with the place of each node.
#pragma once

#include "core/ir/node_places.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mitos::ir {

struct PrintOptions {
    int width = 100;  ///< columns before a form is broken over lines; 0 prints one line (ks)
    bool compact =
        false;  ///< ks: omits the types of lambda variables and the function's header; graphs: omits the types of
                ///< nodes, weights last below their number (only to be shown)
    bool headed = false;  ///< prints bare expressions too as definitions, which list all parameters in order (ks)
};

/// A form for readers: plain text, or LaTeX to be pasted into a paper.
enum class MathForm : std::uint8_t { Text, Latex };

/// A run of printed text that belongs to one node.
struct PrintedSpan {
    std::size_t begin = 0;  ///< byte offsets into the text
    std::size_t end = 0;
};

struct PrintedText {
    std::string text;
    NodePlaces places;  ///< of the nodes
    /// By place. In a tree each span is inside that of the parent; in a graph it is where the node is defined.
    std::vector<PrintedSpan> spans;

    /// The span of the node at a path; null if no place has that path.
    [[nodiscard]] const PrintedSpan* find(const Path& path) const {
        const auto place = places.find(path);
        return place ? &spans[*place] : nullptr;
    }
};

}  // namespace mitos::ir
