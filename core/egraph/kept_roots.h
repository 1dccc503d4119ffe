// SPDX-License-Identifier: GPL-3.0-or-later
// Matches of the roots of a rule with several, kept while the graph grows. Private to core/egraph.
#pragma once

#include "core/egraph/changes.h"
#include "core/egraph/egraph.h"
#include "core/egraph/egraph_rule.h"
#include "core/rules/multi_matcher.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::egraph {

/// The classes, ascending, that have an e-node of one of the operators; all classes if there are none.
[[nodiscard]] std::vector<std::uint32_t> classesWith(EGraph& graph, const std::vector<ir::OpId>& ops);

/// What each root of a rule matches by itself. A search matches roots again only where something in reach of them has changed,
/// and joins only what has a new match among them (semi-naive evaluation).
class KeptRoots {
public:
    /// Brings the matches up to date. False if `mayGoOn` said no; then nothing is kept. The graph must be clean.
    bool update(EGraph& graph, const EGraphRule& rule, rules::MultiMatcher& matcher, Changes& changes,
                absl::FunctionRef<bool()> mayGoOn);
    /// By root, in the order of the classes; new are those that were not there at the last `settle`.
    [[nodiscard]] std::span<const std::vector<rules::RootMatch>> matches() const { return m_matches; }
    /// Whether matching was never given up at a place.
    [[nodiscard]] bool isComplete() const { return m_isComplete; }
    /// All that was found is known.
    void settle();

    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    std::size_t m_bytes = 0;    // asked often, so counted where the matches change
    std::uint32_t m_since = 0;  ///< epoch of the last update
    bool m_isComplete = true;
    std::vector<std::vector<rules::RootMatch>> m_matches;
};

}  // namespace mitos::egraph
