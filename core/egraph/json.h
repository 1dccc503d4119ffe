// SPDX-License-Identifier: GPL-3.0-or-later
// E-graph files: the egraph-serialize JSON format, which public engines write and public extractors read.
#pragma once

#include "core/base/source_text.h"
#include "core/egraph/snapshot.h"

#include <string>
#include <vector>

namespace mitos::egraph {

/// The contents of a file, with warnings about what a snapshot cannot represent.
struct LoadedSnapshot {
    Snapshot snapshot;
    std::vector<std::string> warnings;  ///< what was left out: unknown keys of nodes, data about classes without nodes
};

/// Reads the format as written: no nodes or classes are merged. Nodes keep the order of the file; other top-level keys
/// keep their values. Fails, naming the node or class and the place, if the text is not JSON (truncated, empty, NaN),
/// or for values of the wrong type, a cost of null, two nodes with one id or any other repeated key, children that are
/// not nodes, and roots that are not classes (lean-egg writes such stale roots).
[[nodiscard]] Result<LoadedSnapshot> readJson(const SourceText& source);

/// Pretty-printed; numbers are the shortest decimals that read back as the same double. The format cannot represent the
/// iterations and rules of nodes, so they are left out; a round trip keeps everything else.
[[nodiscard]] std::string writeJson(const Snapshot& snapshot);

/// The text as a quoted JSON string; error messages quote ids this way.
[[nodiscard]] std::string jsonText(const std::string& text);

}  // namespace mitos::egraph
