// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the rewrites of one program state with their cost changes, off the GUI thread, and delivers them in batches.
#pragma once

#include "core/cost/cost_model.h"
#include "core/ir/node_places.h"
#include "core/rewrite/rewriter.h"
#include "views/document/document.h"

#include <QString>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace mitos::views {

/// One applicable rewrite as data. It identifies its step by rule, place and number, so the rewrite can be found again
/// in any bank: see findRewrite.
struct RewriteRow {
    std::shared_ptr<const rules::DirectedRule> rule;
    std::shared_ptr<const ir::NodePlaces> places;  ///< of the program's nodes
    std::vector<ir::NodePlaces::Index> roots;      ///< the places of the rule's roots
    std::uint32_t match = 0;                       ///< number among the rewrites of that rule at these places
    QString place;                                 ///< readable name of that place (PlaceNames)
    QString subterm;                               ///< the term at that place, shortened
    QString where;                                 ///< both; in a tree, also the `let` whose value contains the place
    QString shown;                                 ///< the subterm in the reading form; of a graph the same as `where`
    double costAfter = 0.0;                        ///< of the whole program
    std::int64_t sizeChange = 0;   ///< change of the whole program's node count, counted as a tree or as a graph
    std::uint64_t resultHash = 0;  ///< content hash of the whole program after the rewrite; 0: unknown (MaxNewTerms)
    QString assumed = {};          ///< assumptions of the rewrite, "x + 3 > 0"; usually empty

    /// The rewrite's place as a step without bound values.
    [[nodiscard]] rewrite::Step step() const;
};

/// Carries rows from the collecting thread to the GUI thread.
class RewriteChannel {
public:
    void push(std::vector<RewriteRow>& rows);  ///< takes the rows; `rows` is empty afterwards
    [[nodiscard]] std::vector<RewriteRow> take();

private:
    std::mutex m_mutex;
    std::vector<RewriteRow> m_rows;
};

struct RewriteTotals {
    std::size_t found = 0;
    bool cutOff = false;  ///< there are more than MaxRewriteRows
};

inline constexpr std::size_t MaxRewriteRows = 50'000;
/// The results of rewrites are made until they have so many new terms; each has some from its place up to the root. Of a graph, the costs and
/// sizes of later rewrites are those of the parts they change (cost::ReplacementCosts), and their results are unknown; rewrites that have no
/// such costs are made all the same. Of a tree, later rewrites are made in a new copy of the bank.
inline constexpr std::size_t MaxNewTerms = 2'000'000;

/// Sends every rewrite of the state through the channel.
RewriteTotals collectRewrites(const Snapshot& snapshot,
                              const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
                              const cost::CostModel& model, RewriteChannel& channel, const std::stop_token& stop);

/// The row's rewrite in a bank that holds the same state as `program`. Fails if the rewrite does not apply there.
[[nodiscard]] Result<rewrite::Rewrite> findRewrite(ir::TermBank& bank, const ir::Program& program,
                                                   const RewriteRow& row);

}  // namespace mitos::views
