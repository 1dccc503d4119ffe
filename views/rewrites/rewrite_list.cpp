// SPDX-License-Identifier: GPL-3.0-or-later
// Collecting the rewrites of one program state.
#include "views/rewrites/rewrite_list.h"

#include "core/ks/module.h"
#include "views/common/format.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace mitos::views {

namespace {

constexpr std::uint64_t WholeTermSize = 14;
constexpr std::uint64_t WholeChildSize = 5;
constexpr qsizetype MaxSubtermLength = 80;
constexpr std::size_t BatchRows = 256;
constexpr std::chrono::milliseconds BatchTime{30};

constexpr ks::PrintOptions OneLine{.width = 0, .compact = true};

}  // namespace

void RewriteChannel::push(std::vector<RewriteRow>& rows) {
    const std::lock_guard lock(m_mutex);
    m_rows.insert(m_rows.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    rows.clear();
}

std::vector<RewriteRow> RewriteChannel::take() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_rows, {});
}

QString shortTerm(const ir::TermBank& bank, ir::TermId term, const std::vector<std::string>& outerNames) {
    const std::size_t children = bank.childCount(term);
    QString text;
    if (children == 0 || bank.treeSize(term) <= WholeTermSize) {
        text = fromUtf8(ks::printTerm(bank, term, OneLine, outerNames));
    } else {
        text = QLatin1Char('(') + fromUtf8(bank.opName(term));
        for (std::size_t i = 0; i < children; ++i) {
            const ir::TermId child = bank.child(term, i);
            const bool whole = bank.boundIn(term, i) == 0 && bank.treeSize(child) <= WholeChildSize;
            text += QLatin1Char(' ') +
                    (whole ? fromUtf8(ks::printTerm(bank, child, OneLine, outerNames)) : QStringLiteral("…"));
        }
        text += QLatin1Char(')');
    }
    if (text.size() > MaxSubtermLength) text = text.left(MaxSubtermLength - 1) + QStringLiteral("…");
    return text;
}

RewriteTotals collectRewrites(const Snapshot& snapshot,
                              const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
                              const cost::CostModel& model, RewriteChannel& channel, const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    const ProgramCopy own = snapshot.copy();
    ir::TermBank& bank = *own.bank;
    const ir::TermId root = own.program.root;
    const auto sizeBefore = static_cast<std::int64_t>(bank.treeSize(root));
    const std::unique_ptr<cost::CostEvaluator> costs = model.evaluator(bank, own.program.function);
    rewrite::Rewriter rewriter(bank, rules);

    RewriteTotals totals;
    std::vector<RewriteRow> batch;
    Clock::time_point lastPush = Clock::now();
    std::optional<ir::Path> place;  // the texts below belong to this position
    QString placeText;
    const rules::DirectedRule* lastRule = nullptr;
    std::uint32_t match = 0;
    std::vector<ir::Path> further;  // as `place`

    rewriter.forEach(root, [&](const rewrite::Rewrite& found) {
        if (stop.stop_requested()) return false;
        if (totals.found == MaxRewriteRows) {
            totals.cutOff = true;
            return false;
        }
        if (further != found.step.furtherPositions) place.reset();
        further = found.step.furtherPositions;
        if (!place || *place != found.step.position) {
            place = found.step.position;
            const bool needsNames = bank.looseBound(found.subterm) > 0;
            placeText = shortTerm(bank, found.subterm,
                                  needsNames ? ks::binderNames(bank, own.program, *place) : std::vector<std::string>());
            lastRule = nullptr;
        }
        match = found.step.rule.get() == lastRule ? match + 1 : 0;
        lastRule = found.step.rule.get();

        batch.push_back({.rule = found.step.rule,
                         .position = found.step.position,
                         .match = match,
                         .subterm = placeText,
                         .costAfter = costs->cost(found.result),
                         .sizeChange = static_cast<std::int64_t>(bank.treeSize(found.result)) - sizeBefore,
                         .resultHash = bank.hash(found.result),
                         .furtherPositions = further});
        ++totals.found;
        if (batch.size() >= BatchRows || Clock::now() - lastPush >= BatchTime) {
            channel.push(batch);
            lastPush = Clock::now();
        }
        return true;
    });
    channel.push(batch);
    return totals;
}

Result<rewrite::Rewrite> findRewrite(ir::TermBank& bank, ir::TermId root, const RewriteRow& row) {
    rewrite::Rewriter rewriter(bank, {row.rule});
    return rewriter.at(root, row.position)
        .andThen([&](const std::vector<rewrite::Rewrite>& found) -> Result<rewrite::Rewrite> {
            std::uint32_t match = 0;
            for (const rewrite::Rewrite& one : found) {
                if (one.step.positions() == row.step().positions() && match++ == row.match) return one;
            }
            return Error{.code = ErrorCode::InvalidInput,
                         .message = "rule " + row.rule->name() + " does not apply at " + ir::toString(row.position),
                         .place = {},
                         .hint = {},
                         .others = {}};
        });
}

}  // namespace mitos::views
