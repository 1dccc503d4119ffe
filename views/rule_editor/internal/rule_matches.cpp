// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rule_editor/internal/rule_matches.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/rules/rule_sets.h"
#include "views/common/format.h"
#include "views/document/places.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace mitos::views {

namespace {

/// A program is printed once for each result, so the results of a large one are shown for the first places only.
constexpr std::size_t MostPrinted = 400'000;  // nodes

/// The texts of places of one program, in the form in which it is read.
class PlaceTexts {
public:
    PlaceTexts(const ir::TermBank& bank, const ir::Program& program)
        : m_names(bank, program, std::numeric_limits<std::size_t>::max()) {
        if (!bank.dialect(program.function).sharesNodes()) m_reading.emplace(bank, program);
    }
    [[nodiscard]] QString at(const ir::Path& place) { return m_reading ? m_reading->at(place) : m_names.term(place); }
    /// With the line or the node that the place belongs to.
    [[nodiscard]] QString placeOf(const rewrite::Step& step) {
        const ir::Path& place = step.positions.front();
        if (!m_reading) return m_names.of(step) + QStringLiteral("  ") + at(place);
        return (at(place) + QStringLiteral("  ") + m_names.surroundings(place)).trimmed();
    }

private:
    PlaceNames m_names;
    std::optional<ReadingTexts> m_reading;
};

}  // namespace

RuleMatches matchesOf(const rules::Rule& rule, const Snapshot& snapshot, const cost::CostModel& model,
                      const std::stop_token& stop) {
    RuleMatches result;
    const ProgramCopy own = snapshot.copy();
    ir::TermBank& bank = *own.bank;
    const ir::Program program = own.program;
    const ir::Dialect& dialect = bank.dialect(program.function);
    for (const auto& direction : rule.directions) {
        if (const Status fits = rules::requireFor(*direction, bank.registry(), dialect); !fits) {
            result.refusal = fromUtf8(fits.error().message);
            return result;
        }
    }
    if (rule.hasSeveralRoots() && !dialect.sharesNodes()) {
        result.refusal = Document::tr("A rule with several roots rewrites e-graphs and programs that are graphs.");
        return result;
    }
    const std::unique_ptr<cost::CostEvaluator> costs = model.evaluator(bank, program.function);
    result.costBefore = costs->costOrInfinity(program.root, stop);
    PlaceTexts texts(bank, program);
    const auto size = static_cast<std::size_t>(ir::sizeOf(bank, program.root, dialect.sharing));
    std::size_t printed = 0;
    const rewrite::Rewriter rewriter(bank, rule.directions, dialect.sharing);
    const auto add = [&](const rewrite::Rewrite& found) {
        ++result.total;
        if (result.rows.size() == MostMatches) return true;
        RuleMatch match{.direction = found.step.rule->name(),
                        .positions = found.step.positions,
                        .number = 0,
                        .place = texts.placeOf(found.step),
                        .becomes = {},
                        .cost = costs->costOrInfinity(found.result, stop)};
        match.number = static_cast<int>(std::ranges::count_if(result.rows, [&match](const RuleMatch& other) {
            return other.direction == match.direction && other.positions == match.positions;
        }));
        if (printed <= MostPrinted) {
            printed += size;
            match.becomes = PlaceTexts(bank, {program.function, found.result}).at(found.step.positions.front());
        }
        result.rows.push_back(std::move(match));
        return true;
    };
    rewriter.forEach(program.root, add, stop);
    std::ranges::stable_sort(result.rows, {}, &RuleMatch::cost);
    return result;
}

Result<rewrite::Step> stepOf(ir::TermBank& bank, const ir::Program& program,
                             const std::shared_ptr<const rules::DirectedRule>& rule, const RuleMatch& match) {
    const rewrite::Rewriter rewriter(bank, {rule}, bank.function(program.function).sharing);
    MITOS_TRY(const std::vector<rewrite::Rewrite> found, rewriter.at(program.root, match.positions.front()));
    int number = 0;
    for (const rewrite::Rewrite& one : found) {
        if (one.step.positions == match.positions && number++ == match.number) return one.step;
    }
    return inputError("rule " + rule->name() + " does not match there", "choose another place");
}

}  // namespace mitos::views
