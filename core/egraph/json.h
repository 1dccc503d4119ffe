// SPDX-License-Identifier: GPL-3.0-or-later
// E-graphs as files: the egraph-serialize JSON format, which public engines write and public extractors read.
#pragma once

#include "core/base/source_text.h"
#include "core/egraph/snapshot.h"

#include <string>
#include <vector>

namespace mitos::egraph {

/// What a file holds, and what of it a snapshot has no room for.
struct LoadedSnapshot {
    Snapshot snapshot;
    std::vector<std::string> warnings;  ///< keys of nodes nobody knows, data about classes without nodes: left out
};

/// Reads the format as written: no nodes or classes are merged. Nodes keep the order of the file, further keys of the top level their
/// values. Refused, with the node or class and the place: what is no JSON (truncated, empty, NaN), values of the wrong
/// type, a cost of null, two nodes of one id and any other repeated key, children that are no node, and roots that are no
/// class (lean-egg writes such stale ones).
[[nodiscard]] Result<LoadedSnapshot> readJson(const SourceText& source);

/// Pretty-printed, numbers as the shortest decimals that read back as the same double. Iterations and rules of nodes have no place in
/// the format and are left out; a round trip keeps everything else.
[[nodiscard]] std::string writeJson(const Snapshot& snapshot);

/// A text in quotes, as JSON has it; errors quote ids this way.
[[nodiscard]] std::string jsonText(const std::string& text);

}  // namespace mitos::egraph
