// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the rewrites of one program state.
#include "views/rewrites/rewrite_list.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/rewrite/assumptions.h"
#include "views/common/format.h"
#include "views/document/places.h"

#include <QStringList>
#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

namespace mitos::views {

namespace {

constexpr std::size_t BatchRows = 256;
constexpr std::chrono::milliseconds BatchTime{30};

QString assumedBy(ir::TermBank& bank, ir::TermId root, const rewrite::Step& step) {
    QStringList texts;
    for (const std::string& text : rewrite::assumptionTexts(bank, root, step)) texts << fromUtf8(text);
    return texts.join(QStringLiteral(", "));
}

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

RewriteTotals collectRewrites(const Snapshot& snapshot,
                              const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
                              const cost::CostModel& model, RewriteChannel& channel, const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    const ProgramCopy own = snapshot.copy();
    ir::TermBank& bank = *own.bank;
    const ir::TermId root = own.program.root;
    const ir::Dialect& dialect = bank.dialect(own.program.function);
    const auto sizeOf = [&](ir::TermId term) {
        return static_cast<std::int64_t>(ir::sizeOf(bank, term, dialect.sharing));
    };
    const std::int64_t sizeBefore = sizeOf(root);
    const std::unique_ptr<cost::CostEvaluator> costs = model.evaluator(bank, own.program.function);
    const rewrite::Rewriter rewriter(bank, rules, dialect.sharing);

    RewriteTotals totals;
    std::vector<RewriteRow> batch;
    Clock::time_point lastPush = Clock::now();
    PlaceNames names(bank, own.program, std::numeric_limits<std::size_t>::max());
    std::vector<ir::Path> places;  // the positions that the texts below belong to
    QString name;
    QString subterm;
    QString where;
    QString shown;
    const std::optional<ReadingTexts> reading =
        dialect.sharesNodes() ? std::nullopt : std::optional<ReadingTexts>(std::in_place, bank, own.program);
    const rules::DirectedRule* lastRule = nullptr;
    std::uint32_t match = 0;

    const auto add = [&](const rewrite::Rewrite& found) {
        if (totals.found == MaxRewriteRows) {
            totals.cutOff = true;
            return false;
        }
        if (places != found.step.positions) {
            places = found.step.positions;
            subterm = names.term(places.front());
            name = names.of(found.step);
            where = dialect.sharesNodes() ? name + QStringLiteral("  ") + subterm
                                          : subterm + QLatin1Char(' ') + names.surroundings(places.front());
            shown = (reading ? reading->at(places.front()) + QStringLiteral("  ") + names.surroundings(places.front())
                             : where)
                        .trimmed();
            lastRule = nullptr;
        }
        match = found.step.rule.get() == lastRule ? match + 1 : 0;
        lastRule = found.step.rule.get();

        batch.push_back({.rule = found.step.rule,
                         .positions = places,
                         .match = match,
                         .place = reading ? shown : name,
                         .subterm = subterm,
                         .where = where.trimmed(),
                         .shown = shown,
                         .costAfter = costs->costOrInfinity(found.result, stop),
                         .sizeChange = sizeOf(found.result) - sizeBefore,
                         .resultHash = bank.hash(found.result),
                         .assumed = assumedBy(bank, root, found.step)});
        ++totals.found;
        if (batch.size() >= BatchRows || Clock::now() - lastPush >= BatchTime) {
            channel.push(batch);
            lastPush = Clock::now();
        }
        return true;
    };
    rewriter.forEach(root, add, stop);
    channel.push(batch);
    return totals;
}

Result<rewrite::Rewrite> findRewrite(ir::TermBank& bank, const ir::Program& program, const RewriteRow& row) {
    const rewrite::Rewriter rewriter(bank, {row.rule}, bank.function(program.function).sharing);
    return rewriter.at(program.root, row.positions.front())
        .andThen([&](const std::vector<rewrite::Rewrite>& found) -> Result<rewrite::Rewrite> {
            std::uint32_t match = 0;
            for (const rewrite::Rewrite& one : found) {
                if (one.step.positions == row.positions && match++ == row.match) return one;
            }
            return Error{.code = ErrorCode::InvalidInput,
                         .message = "rule " + row.rule->name() + " does not apply there"};
        });
}

}  // namespace mitos::views
