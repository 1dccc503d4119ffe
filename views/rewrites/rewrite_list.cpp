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
    RootPlaces(const ir::TermBank& bank, const ir::Program& program)
        : m_bank(bank),
          m_places(std::make_shared<const ir::NodePlaces>(nodePlaces(bank, program))) {
        if (!bank.dialect(program.function).sharesNodes()) return;
        ir::forEachShared(bank, program.root, [&](const ir::Path&, ir::TermId node) {
            m_ofNodes.emplace(node, static_cast<ir::NodePlaces::Index>(m_ofNodes.size()));
            return true;
        });
    }

    [[nodiscard]] const std::shared_ptr<const ir::NodePlaces>& places() const { return m_places; }
    [[nodiscard]] std::vector<ir::NodePlaces::Index> of(const rewrite::Applicable& found) const {
        std::vector<ir::NodePlaces::Index> roots;
        if (found.position == nullptr) {
            for (const ir::TermId node : m_bank.children(found.subterm)) roots.push_back(m_ofNodes.at(node));
        } else {
            roots.push_back(m_ofNodes.empty() ? *m_places->find(*found.position) : m_ofNodes.at(found.subterm));
        }
        return roots;
    }

private:
    const ir::TermBank& m_bank;
    std::shared_ptr<const ir::NodePlaces> m_places;
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
    using Clock = std::chrono::steady_clock;
    const ProgramCopy own = snapshot.copy();
    ir::TermBank& bank = *own.bank;
    const ir::TermId root = own.program.root;
    const ir::Dialect& dialect = bank.dialect(own.program.function);
    Outcomes outcomes(bank, own.program, model);
    const rewrite::Rewriter rewriter(bank, rules, dialect.sharing);

    RewriteTotals totals;
    std::vector<RewriteRow> batch;
    Clock::time_point lastPush = Clock::now();
    PlaceNames names(bank, own.program, std::numeric_limits<std::size_t>::max());
    const RootPlaces rootPlaces(bank, own.program);
    std::vector<ir::NodePlaces::Index> roots;  // the places that the texts below belong to
    QString name;
    QString subterm;
    QString where;
    QString shown;
    const std::optional<ReadingTexts> reading =
        dialect.sharesNodes() ? std::nullopt : std::optional<ReadingTexts>(std::in_place, bank, own.program);
    const rules::DirectedRule* lastRule = nullptr;
    std::uint32_t match = 0;

    const auto add = [&](const rewrite::Applicable& found) {
        if (totals.found == MaxRewriteRows) {
            totals.cutOff = true;
            return false;
        }
        const Outcome outcome = outcomes.of(found, stop);
        const rewrite::Step step = found.step();
        if (std::vector<ir::NodePlaces::Index> here = rootPlaces.of(found); roots != here) {
            roots = std::move(here);
            const ir::Path& place = step.positions.front();
            subterm = names.term(place);
            name = names.of(step);
            where = dialect.sharesNodes() ? name + QStringLiteral("  ") + subterm
                                          : subterm + QLatin1Char(' ') + names.surroundings(place);
            shown = (reading ? reading->at(place) + QStringLiteral("  ") + names.surroundings(place) : where).trimmed();
            lastRule = nullptr;
        }
        match = step.rule.get() == lastRule ? match + 1 : 0;
        lastRule = step.rule.get();

        batch.push_back({.rule = step.rule,
                         .places = rootPlaces.places(),
                         .roots = roots,
                         .match = match,
                         .place = reading ? shown : name,
                         .subterm = subterm,
                         .where = where.trimmed(),
                         .shown = shown,
                         .costAfter = outcome.cost,
                         .sizeChange = outcome.sizeChange,
                         .resultHash = outcome.hash,
                         .assumed = assumedBy(bank, root, step)});
        ++totals.found;
        if (batch.size() >= BatchRows || Clock::now() - lastPush >= BatchTime) {
            channel.push(batch);
            lastPush = Clock::now();
        }
        return true;
    };
    rewriter.forEachApplicable(root, add, stop);
    channel.push(batch);
    return totals;
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
