// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the rewrites of one program state.
#include "views/rewrites/rewrite_list.h"

#include "core/cost/replacement_costs.h"
#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/rewrite/assumptions.h"
#include "views/common/format.h"
#include "views/document/places.h"

#include <absl/container/flat_hash_map.h>

#include <QStringList>
#include <algorithm>
#include <chrono>
#include <cmath>
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

/// The program after a rewrite, as its row describes it.
struct Outcome {
    double cost = 0.0;
    std::int64_t sizeChange = 0;
    std::uint64_t hash = 0;  ///< 0: unknown
};

/// The places of the roots of rewrites.
class RootPlaces {
public:
    RootPlaces(const ir::TermBank& bank, const ir::Program& program, const ir::NodePlaces& places)
        : m_bank(bank),
          m_places(places) {
        if (!bank.dialect(program.function).sharesNodes()) return;
        ir::forEachShared(bank, program.root, [&](const ir::Path&, ir::TermId node) {
            m_ofNodes.emplace(node, static_cast<ir::NodePlaces::Index>(m_ofNodes.size()));
            return true;
        });
    }

    [[nodiscard]] std::vector<ir::NodePlaces::Index> of(const rewrite::Applicable& found) const {
        std::vector<ir::NodePlaces::Index> roots;
        if (found.position == nullptr) {
            for (const ir::TermId node : m_bank.children(found.subterm)) roots.push_back(m_ofNodes.at(node));
        } else {
            roots.push_back(m_ofNodes.empty() ? *m_places.find(*found.position) : m_ofNodes.at(found.subterm));
        }
        return roots;
    }

private:
    const ir::TermBank& m_bank;
    const ir::NodePlaces& m_places;
    absl::flat_hash_map<ir::TermId, ir::NodePlaces::Index> m_ofNodes;  ///< of a graph
};

/// Costs and sizes after rewrites, of graphs by the parts that they change where that is possible.
class Outcomes {
public:
    Outcomes(ir::TermBank& bank, const ir::Program& program, const cost::CostModel& model)
        : m_bank(bank),
          m_sharing(bank.function(program.function).sharing),
          m_costs(model.evaluator(bank, program.function)),
          m_sizeBefore(sizeOf(program.root)),
          m_mostTerms(bank.size() + MaxNewTerms) {
        const auto sizes = cost::findCostModel("size", bank.dialect(program.function).name);
        if (m_sharing != ir::Sharing::Graph || !sizes) return;
        m_sizes = (*sizes)->evaluator(bank, program.function);
        m_partSizes.emplace(bank, *m_sizes, program.root);
        m_partCosts.emplace(bank, *m_costs, program.root);
    }

    Outcome of(const rewrite::Applicable& found, const std::stop_token& stop) {
        const bool isOfOneNode = found.position != nullptr && m_partCosts;
        const auto cost = isOfOneNode ? m_partCosts->of(found.subterm, found.replacement) : std::nullopt;
        const auto size = isOfOneNode ? m_partSizes->of(found.subterm, found.replacement) : std::nullopt;
        const std::int64_t sizeKnown = size ? static_cast<std::int64_t>(std::llround(*size)) : 0;
        if (cost && size && m_bank.size() >= m_mostTerms) return {*cost, sizeKnown - m_sizeBefore, 0};
        const ir::TermId result = found.make().result;
        return {cost ? *cost : m_costs->costOrInfinity(result, stop),
                (size ? sizeKnown : sizeOf(result)) - m_sizeBefore, m_bank.hash(result)};
    }

private:
    [[nodiscard]] std::int64_t sizeOf(ir::TermId term) const {
        return static_cast<std::int64_t>(ir::sizeOf(m_bank, term, m_sharing));
    }

    ir::TermBank& m_bank;
    ir::Sharing m_sharing;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    std::unique_ptr<cost::CostEvaluator> m_sizes;
    std::optional<cost::ReplacementCosts> m_partCosts;
    std::optional<cost::ReplacementCosts> m_partSizes;
    std::int64_t m_sizeBefore;
    std::size_t m_mostTerms;
};

/// Lists the rewrites of one state. Their results stay in the bank that they are made in, and each of a tree has new terms from its place up
/// to the root. So a new copy of the bank takes over when it has many of them, and passes over the rewrites that are listed already.
class Collection {
public:
    Collection(const Snapshot& snapshot, const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
               const cost::CostModel& model, RewriteChannel& channel, const std::stop_token& stop)
        : m_snapshot(snapshot),
          m_rules(rules),
          m_model(model),
          m_channel(channel),
          m_stop(stop) {}

    RewriteTotals run() {
        bool isComplete = false;
        while (!isComplete) isComplete = goOn();
        m_channel.push(m_batch);
        return m_totals;
    }

private:
    using Clock = std::chrono::steady_clock;

    /// Goes on with the list in a new copy of the bank. Returns whether that was enough for the rest.
    bool goOn() {
        const ProgramCopy own = m_snapshot.copy();
        ir::TermBank& bank = *own.bank;
        const ir::Dialect& dialect = bank.dialect(own.program.function);
        if (!m_places) m_places = std::make_shared<const ir::NodePlaces>(nodePlaces(bank, own.program));
        Outcomes outcomes(bank, own.program, m_model);
        const RootPlaces rootPlaces(bank, own.program, *m_places);
        PlaceNames names(bank, own.program, std::numeric_limits<std::size_t>::max());
        std::optional<ReadingTexts> reading;
        if (!dialect.sharesNodes()) reading.emplace(bank, own.program);
        std::size_t listed = m_totals.found;
        std::optional<std::size_t> most;  // of the bank's terms
        bool isFull = false;
        const auto add = [&](const rewrite::Applicable& found) {
            if (listed > 0) {
                --listed;
                return true;
            }
            m_totals.cutOff = m_totals.found == MaxRewriteRows;
            if (!most) most = bank.size() + MaxNewTerms;
            isFull = reading && bank.size() >= *most;
            if (m_totals.cutOff || isFull) return false;
            const Outcome outcome = outcomes.of(found, m_stop);
            const rewrite::Step step = found.step();
            if (std::vector<ir::NodePlaces::Index> here = rootPlaces.of(found); m_roots != here) {
                m_roots = std::move(here);
                setTexts(names, reading, step);
                m_lastRule = nullptr;
            }
            m_match = step.rule.get() == m_lastRule ? m_match + 1 : 0;
            m_lastRule = step.rule.get();
            push(step, outcome, assumedBy(bank, own.program.root, step));
            return true;
        };
        rewrite::Rewriter(bank, m_rules, dialect.sharing).forEachApplicable(own.program.root, add, m_stop);
        return !isFull;
    }

    /// The texts of the step's places. `reading`: of a tree.
    void setTexts(PlaceNames& names, const std::optional<ReadingTexts>& reading, const rewrite::Step& step) {
        const ir::Path& place = step.positions.front();
        m_subterm = names.term(place);
        if (!reading) {
            m_place = names.of(step);
            m_where = m_shown = (m_place + QStringLiteral("  ") + m_subterm).trimmed();
            return;
        }
        const QString surroundings = names.surroundings(place);
        m_where = (m_subterm + QLatin1Char(' ') + surroundings).trimmed();
        m_place = m_shown = (reading->at(place) + QStringLiteral("  ") + surroundings).trimmed();
    }

    void push(const rewrite::Step& step, const Outcome& outcome, const QString& assumed) {
        m_batch.push_back({.rule = step.rule,
                           .places = m_places,
                           .roots = m_roots,
                           .match = m_match,
                           .place = m_place,
                           .subterm = m_subterm,
                           .where = m_where,
                           .shown = m_shown,
                           .costAfter = outcome.cost,
                           .sizeChange = outcome.sizeChange,
                           .resultHash = outcome.hash,
                           .assumed = assumed});
        ++m_totals.found;
        if (m_batch.size() < BatchRows && Clock::now() - m_lastPush < BatchTime) return;
        m_channel.push(m_batch);
        m_lastPush = Clock::now();
    }

    const Snapshot& m_snapshot;
    const std::vector<std::shared_ptr<const rules::DirectedRule>>& m_rules;
    const cost::CostModel& m_model;
    RewriteChannel& m_channel;
    std::stop_token m_stop;
    std::shared_ptr<const ir::NodePlaces> m_places;
    RewriteTotals m_totals;
    std::vector<RewriteRow> m_batch;
    Clock::time_point m_lastPush = Clock::now();
    // The last rewrite: the places of its roots, their texts, and its number among those of its rule there.
    std::vector<ir::NodePlaces::Index> m_roots;
    QString m_place;
    QString m_subterm;
    QString m_where;
    QString m_shown;
    const rules::DirectedRule* m_lastRule = nullptr;
    std::uint32_t m_match = 0;
};

}  // namespace

rewrite::Step RewriteRow::step() const {
    rewrite::Step step{.rule = rule, .positions = {}, .substitution = {}};
    for (const ir::NodePlaces::Index root : roots) step.positions.push_back(places->path(root));
    return step;
}

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
    return Collection(snapshot, rules, model, channel, stop).run();
}

Result<rewrite::Rewrite> findRewrite(ir::TermBank& bank, const ir::Program& program, const RewriteRow& row) {
    const rewrite::Rewriter rewriter(bank, {row.rule}, bank.function(program.function).sharing);
    const std::vector<ir::Path> positions = row.step().positions;
    return rewriter.at(program.root, positions.front())
        .andThen([&](const std::vector<rewrite::Rewrite>& found) -> Result<rewrite::Rewrite> {
            std::uint32_t match = 0;
            for (const rewrite::Rewrite& one : found) {
                if (one.step.positions == positions && match++ == row.match) return one;
            }
            return Error{.code = ErrorCode::InvalidInput,
                         .message = "rule " + row.rule->name() + " does not apply there"};
        });
}

}  // namespace mitos::views
