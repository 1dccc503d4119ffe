// SPDX-License-Identifier: GPL-3.0-or-later
// The rewrites of one program state, collected off the GUI thread with the cost change of each, and handed over in batches.
#pragma once

#include "core/cost/cost_model.h"
#include "core/rewrite/rewriter.h"
#include "views/document/document.h"

#include <QString>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace mitos::views {

/// One applicable rewrite as data. It names its step by rule, place and number, so it can be found again in any bank:
/// see findRewrite.
struct RewriteRow {
    std::shared_ptr<const rules::DirectedRule> rule;
    ir::Path position;
    std::uint32_t match = 0;       ///< number among the rewrites of that rule at that position
    QString place;                 ///< where that is, for people (PlaceNames)
    QString subterm;               ///< what stands there, shortened
    QString where;                 ///< both, and of a tree whose value it is a part of
    double costAfter = 0.0;        ///< of the whole program
    std::int64_t sizeChange = 0;   ///< nodes of the whole program: of a tree, or of a graph
    std::uint64_t resultHash = 0;  ///< content hash of the whole program after it
    /// Where the other roots stand, of a rule with several.
    std::vector<ir::Path> furtherPositions = {};
    QString assumed = {};  ///< what it takes for granted, "x + 3 > 0"; mostly empty

    /// Where it rewrites, as a step that has no values yet.
    [[nodiscard]] rewrite::Step step() const {
        return {.rule = rule, .position = position, .substitution = {}, .furtherPositions = furtherPositions};
    }
};

/// Rows on their way from the collecting thread to the GUI.
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

/// Sends every rewrite of the state through the channel. Uses the snapshot's bank: nobody else may meanwhile.
RewriteTotals collectRewrites(const Snapshot& snapshot,
                              const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
                              const cost::CostModel& model, RewriteChannel& channel, const std::stop_token& stop);

/// The row's rewrite in a bank that holds the same state as `program`. Errors: it does not apply there.
[[nodiscard]] Result<rewrite::Rewrite> findRewrite(ir::TermBank& bank, const ir::Program& program,
                                                   const RewriteRow& row);

}  // namespace mitos::views
