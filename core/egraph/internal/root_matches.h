// SPDX-License-Identifier: GPL-3.0-or-later
// Matches of the roots of a rule with several roots, kept while the graph grows. Private to core/egraph.
#pragma once

#include "core/egraph/egraph.h"
#include "core/egraph/egraph_rule.h"
#include "core/egraph/internal/changes.h"
#include "core/rules/matching/multi_matcher.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::egraph {

/// The classes, ascending, that have an e-node with one of the operators; all classes if `ops` is empty.
[[nodiscard]] std::vector<std::uint32_t> classesWith(EGraph& graph, const std::vector<ir::OpId>& ops);

/// The matches of each root of a rule by itself. A search matches roots again only where something within their height
/// has changed, and joins only combinations that contain a new match (semi-naive evaluation).
class RootMatches {
public:
    /// Updates the matches. Returns false if `mayGoOn` returned false; then nothing is kept. The graph must be clean.
    bool update(EGraph& graph, const EGraphRule& rule, rules::MultiMatcher& matcher, Changes& changes,
                absl::FunctionRef<bool()> mayGoOn);
    /// The matches by root, in the order of the classes; a match is new if it was not there at the last `markOld`.
    [[nodiscard]] std::span<const std::vector<rules::RootMatch>> matches() const { return m_matches; }
    /// Whether the matcher never gave up at a place.
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    /// Marks all matches as not new.
    void markOld();

    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    std::size_t m_bytes = 0;    // cached because `bytes` is called often
    std::uint32_t m_since = 0;  ///< epoch of the last update
    bool m_isComplete = true;
    std::vector<std::vector<rules::RootMatch>> m_matches;
};

}  // namespace mitos::egraph
