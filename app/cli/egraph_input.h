// SPDX-License-Identifier: GPL-3.0-or-later
// E-graph files as FILE: opening them, and the extraction that a command shows or writes.
#pragma once

#include "app/cli/context.h"
#include "core/egraph/congruence.h"
#include "core/egraph/snapshot.h"
#include "core/extract/extract.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::cli {

/// Whether FILE is an e-graph: its name ends in .json, or its text is a JSON object; unless it is a task graph. `options` are settled.
[[nodiscard]] bool isEGraph(const CommonOptions& options);

/// Fails if one of the options was given; they are for programs.
[[nodiscard]] Status requireForEGraph(const std::vector<const CLI::Option*>& ofPrograms);
/// Fails if one of the options was given; they are for e-graphs.
[[nodiscard]] Status requireForProgram(const std::vector<const CLI::Option*>& ofEGraphs);

struct OpenGraph {
    egraph::Snapshot snapshot;
    egraph::CongruenceReport merged = {};
};
/// Reads FILE, from `options.program` if it is settled. Warnings go to stderr.
[[nodiscard]] Result<OpenGraph> openGraph(const CommonOptions& options);

/// The extraction that a command shows or writes.
struct ShownExtraction {
    egraph::NodeChoice nodes;    ///< empty: none
    std::string about;           ///< for users: "extraction by tree, cost 5", or why there is none
    std::string method;          ///< empty if none
    bool isRecorded = false;     ///< it is that of the file
    std::optional<double> cost;  ///< with shared nodes counted once
};
/// The extraction by that method; without one, that recorded in the file, otherwise the cheapest tree. An invalid record is
/// reported on stderr. There is none if the file has no roots or if a root has no finite term. Fails as extract::extract() does.
[[nodiscard]] Result<ShownExtraction> shownExtraction(const egraph::Snapshot& snapshot, const std::string& method,
                                                      const std::stop_token& stop);

/// The flags of `show` and `export` for e-graphs.
struct EGraphFlags {
    std::string method;                ///< empty: see shownExtraction()
    std::optional<std::size_t> limit;  ///< of drawn e-nodes
    std::vector<const CLI::Option*> options;

    void addMethod(CLI::App& command);
    void addLimit(CLI::App& command);
};

/// The e-graph as dot or svg, and for `text` as a list of its classes.
[[nodiscard]] Result<std::string> drawnGraph(const egraph::Snapshot& snapshot, const ShownExtraction& extraction,
                                             const std::string& as, const EGraphFlags& flags);

}  // namespace mitos::cli
