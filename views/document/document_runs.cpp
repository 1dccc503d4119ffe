// SPDX-License-Identifier: GPL-3.0-or-later
// Searches: starting, following and stopping them, and adding their results to the history.
#include "search/parallel.h"
#include "search/strategies/strategies.h"
#include "storage/workspace/run_recorder.h"
#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/internal/document_private.h"
#include "views/document/verdicts.h"

#include <QDateTime>
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace mitos::views {

const std::vector<Run>& Document::runs() const { return m_private->searches.runs(); }

const Run* Document::run(RunNumber number) const { return m_private->searches.find(number); }

int Document::runningSearches() const { return m_private->searches.running(); }

std::optional<PreparedSearch> Document::prepareSearch(const SearchSettings& settings, rewrite::StateId from,
                                                      std::shared_ptr<const search::Strategy> strategy) {
    const bool isTraining = strategy && strategy->info().isTraining;
    const bool mayContinue = strategy == nullptr || isTraining;
    if (!strategy) {
        auto found = search::findStrategy(settings.strategy.toStdString());
        if (!found) {
            Q_EMIT failed(tr("There is no such strategy"), fromUtf8(found.error().render()));
            return std::nullopt;
        }
        strategy = *std::move(found);
    }
    if (m_rules->directions().empty() && strategy->info().needs != ir::Capability::Schedule) {
        Q_EMIT failed(
            tr("There are no rules for %1 programs, so there is nothing to search").arg(fromUtf8(dialect().name)),
            tr("A file of rules of your own begins with \"use %1\".").arg(fromUtf8(dialect().name)));
        return std::nullopt;
    }
    auto parameters = search::resolveParameters(search::fitted(strategy->info(), dialect()), settings.parameters);
    if (!parameters) {
        Q_EMIT failed(tr("The search cannot start"), fromUtf8(parameters.error().render()));
        return std::nullopt;
    }
    std::shared_ptr<const cost::CostModel> model = m_costModel;
    if (!settings.costModel.isEmpty()) {
        auto found = cost::findCostModel(settings.costModel.toStdString(), dialect().name);
        if (!found) {
            Q_EMIT failed(tr("The search cannot start"), fromUtf8(found.error().render()));
            return std::nullopt;
        }
        model = *std::move(found);
    }
    const Snapshot start = snapshot(m_history->program(from));
    SearchOrder order{.strategy = strategy,
                      .bank = start.bank,
                      .rules = searchRules(),
                      .problem = {.bank = *start.bank,
                                  .program = start.program,
                                  .rules = {},
                                  .cost = model,
                                  .budget = settings.budget,
                                  .seed = settings.seed,
                                  .parameters = *parameters},
                      .model = m_model};
    if (!mayContinue) order.problem.comparingSeconds = 0.0;  // a view follows one growth
    Run run = search::requestedRun(settings.strategy.toStdString(), order.problem, m_rules->names());
    run.startState = from.value;
    run.startedAt = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    run.allowsAssumptions = allowsAssumptions();
    const bool isInForce = model->info().name == m_costModel->info().name;
    run.initialCost = run.bestCost =
        isInForce ? m_history->state(from).cost : std::numeric_limits<double>::quiet_NaN();  // not known yet
    return PreparedSearch{tr("%1 on %2").arg(fromUtf8(strategy->info().name), m_title), std::move(order),
                          std::move(run), mayContinue};
}

RunNumber Document::beginSearch(PreparedSearch prepared) {
    return m_private->searches.start(std::move(prepared), m_private->session.writer());
}

RunNumber Document::startSearch(const SearchSettings& settings, std::shared_ptr<const search::Strategy> strategy) {
    if (!isOpen()) return 0;
    std::optional<PreparedSearch> prepared = prepareSearch(settings, m_history->current(), std::move(strategy));
    if (!prepared) return 0;
    const RunNumber number = beginSearch(*std::move(prepared));
    m_selection.setRun(number);
    Q_EMIT runChanged(number);
    return number;
}

// --- comparing -------------------------------------------------------------------------------------------------------------

void Document::startComparison(const std::vector<SearchSettings>& searches, const std::vector<ProgramChoice>& programs,
                               std::optional<rewrite::StateId> from) {
    if (!isOpen()) return;
    const rewrite::StateId begin = from.value_or(m_history->current());
    if (begin.value >= m_history->size()) return;
    std::deque<PreparedSearch> all;
    std::vector<AskedSearch> asked;
    for (const SearchSettings& settings : searches) {
        std::optional<PreparedSearch> prepared = prepareSearch(settings, begin, nullptr);
        if (!prepared) return;
        const search::SearchProblem& problem = prepared->order.problem;
        asked.push_back({prepared->order.strategy, problem.parameters, problem.budget, problem.seed});
        all.push_back(*std::move(prepared));
    }
    Private::Comparing& comparing = m_private->comparing;
    if (!comparison().isRunning()) {
        comparing.searches = 0;
        m_private->further.forgetAsked();
    }
    comparing.searches += static_cast<int>(all.size());
    std::ranges::move(all, std::back_inserter(comparing.waiting));
    m_private->further.add(programs, asked, comparedSettings());
    goOnComparing();
}

void Document::goOnComparing() {
    Private::Comparing& comparing = m_private->comparing;
    const auto active = [this, &comparing] {
        return comparing.active.size() + static_cast<std::size_t>(m_private->further.active());
    };
    while (!comparing.waiting.empty() && active() < search::defaultJobs()) {
        PreparedSearch next = std::move(comparing.waiting.front());
        comparing.waiting.pop_front();
        next.run.startedAt = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
        next.mayContinue = false;  // the searches after it would not start
        const RunNumber number = beginSearch(std::move(next));
        comparing.active.insert(number);
        comparing.compared.insert(number);
        Q_EMIT runChanged(number);
    }
    while (active() < search::defaultJobs() && m_private->further.startNext()) {
    }
    Q_EMIT comparisonChanged();
}

ComparedSettings Document::comparedSettings() const {
    return {.title = m_title,
            .surroundings = surroundings(),
            .rules = searchRules(),
            .costModel = m_costModel,
            .costModelName = m_private->costModelName.toStdString(),
            .dialect = dialect().name};
}

const ComparedPrograms& Document::comparedPrograms() const { return m_private->further; }

void Document::setComparedValue(int program, const QString& key, const QString& value) {
    m_private->further.setStoredValue(program, key, value);
}

void Document::endCompared(RunNumber number) {
    if (m_private->comparing.active.erase(number) > 0) goOnComparing();
}

void Document::stopComparison() {
    Private::Comparing& comparing = m_private->comparing;
    comparing.searches -= static_cast<int>(comparing.waiting.size());
    comparing.waiting.clear();
    for (const RunNumber number : comparing.active) m_private->searches.stop(number);
    m_private->further.stop();
    Q_EMIT comparisonChanged();
}

ComparisonProgress Document::comparison() const {
    const Private::Comparing& comparing = m_private->comparing;
    const ComparedPrograms& further = m_private->further;
    const auto open = static_cast<int>(comparing.waiting.size() + comparing.active.size());
    const int searches = comparing.searches + further.asked();
    return {searches, searches - open - further.waiting() - further.active()};
}

bool Document::isCompared(RunNumber run) const { return m_private->comparing.compared.contains(run); }

// --- results ---------------------------------------------------------------------------------------------------------------

void Document::finishRun(RunNumber number, JobId job, const std::shared_ptr<const SearchOutcome>& outcome) {
    if (outcome->recordError) {
        Q_EMIT failed(tr("The search could not be recorded in the session"), fromUtf8(outcome->recordError->render()));
    }
    if (!outcome->result) {
        m_jobs.setOutcome(job, JobInfo::State::Failed, fromUtf8(outcome->error->message));
        Q_EMIT failed(tr("The search failed"), fromUtf8(outcome->error->render()));
        Q_EMIT runChanged(number);
        endCompared(number);
        return;
    }
    const search::SearchResult& result = *outcome->result;
    if (const QString text = failedRulesText(outcome->trusted); !text.isEmpty()) {
        Q_EMIT notice(text, doubtfulRulesDetails(outcome->trusted));
    }
    for (const std::string& note : result.notes) Q_EMIT notice(fromUtf8(note));
    for (const rewrite::RuleRemark& rule : result.dropped) {
        Q_EMIT notice(tr("%1 changed values, so the search went on without it.").arg(fromUtf8(rule.rule)),
                      fromUtf8(rule.reason));
    }
    const Run& run = *this->run(number);
    if (!result.check.valid) {
        m_jobs.setOutcome(job, JobInfo::State::Failed, tr("the checker refused its thread"));
        Q_EMIT failed(tr("The checker refused the thread of %1").arg(fromUtf8(run.strategy)),
                      tr("Step %1: %2\nThe result is not shown.")
                          .arg(result.check.failedStep)
                          .arg(fromUtf8(result.check.reason)));
        Q_EMIT runChanged(number);
        endCompared(number);
        return;
    }
    const QString found =
        run.outcomeKind.empty()
            ? tr("best %1 after %2 steps").arg(costText(result.bestCost)).arg(result.thread.steps.size())
            : tr("%1: %2").arg(fromUtf8(run.outcomeKind), fromUtf8(run.outcomeSummary));
    m_jobs.setOutcome(
        job, result.reason == search::StopReason::Stopped ? JobInfo::State::Stopped : JobInfo::State::Finished,
        tr("%1; %2, %3")
            .arg(stopText(fromUtf8(search::toString(result.reason))), found, durationText(result.statistics.seconds)));
    const rewrite::StateId start(run.startState);
    if (result.thread.steps.empty()) {
        endRun(number, job, *outcome, start);
        return;
    }
    m_private->arrivals->add(
        result.bank, result.thread,
        [this, number, job, start, outcome](const rewrite::Thread& thread, const std::vector<double>& costs) {
            const Run* run = this->run(number);
            if (run == nullptr) return;  // discarded meanwhile
            const Joined joined = join(start, thread, costs, originOf(*run), !isCompared(number));
            announce(joined);
            endRun(number, job, *outcome, joined.end);
        });
}

namespace {

/// The fault of a result in a sentence; its details.
QString refusalText(const Run& run, const rewrite::Verdict& refused) {
    const QString origin = fromUtf8(originOf(run));
    if (refused.outcome && !refused.outcome->isValid())
        return Document::tr("The %1 of %2 is not valid").arg(fromUtf8(refused.outcome->kind), origin);
    return Document::tr("The result of %1 differs from its input on some inputs").arg(origin);
}

QString refusalDetails(const rewrite::Verdict& refused) {
    return fromUtf8(refused.outcome && !refused.outcome->isValid() ? refused.outcome->fault : refused.counterexample);
}

}  // namespace

void Document::endRun(RunNumber number, JobId job, const SearchOutcome& outcome, rewrite::StateId end) {
    Run* run = m_private->searches.find(number);
    run->resultState = end;
    const rewrite::Verdict& verdict = *run->verdict;
    if (outcome.refused) sayRefused(*run, outcome.refused->verdict);
    if (verdict.isRefuted())
        Q_EMIT failed(refusalText(*run, verdict), refusalDetails(verdict));  // the user insists on it
    for (const JobInfo& one : m_jobs.jobs()) {
        if (one.id != job) continue;
        m_jobs.setOutcome(job, verdict.isRefuted() ? JobInfo::State::Failed : one.state,
                          tr("%1; %2").arg(one.status, verdictText(verdict)));
        break;
    }
    m_private->session.writeRun(*run);
    Q_EMIT runChanged(number);
    Q_EMIT runEnded(number);
    endCompared(number);
}

void Document::sayRefused(const Run& run, const rewrite::Verdict& refused) {
    const auto dropped = static_cast<int>(refused.steps - run.verdict->steps);
    const QString before = dropped == 1 ? tr("one step") : tr("%1 steps").arg(dropped);
    QString details = refusalDetails(refused);
    if (dropped > 0) details += tr("\nThe result is the state %1 before it, which has the same values.").arg(before);
    Q_EMIT failed(refusalText(run, refused), details);
}

void Document::joinThread(rewrite::StateId start, const std::shared_ptr<const ir::TermBank>& bank,
                          const rewrite::Thread& found, const QString& origin,
                          std::function<void(std::size_t)> joinedWith) {
    if (!isOpen() || start.value >= m_history->size()) return;
    if (found.steps.empty()) {
        Q_EMIT notice(tr("The program is already the extracted one."));
        return;
    }
    m_private->arrivals->add(bank, found,
                             [this, start, bank, found, origin, joinedWith = std::move(joinedWith)](
                                 const rewrite::Thread& thread, const std::vector<double>& costs) {
                                 if (thread.start.root != m_history->state(start).root) {
                                     Q_EMIT failed(tr("This thread does not begin with that state"),
                                                   tr("Another program was opened meanwhile."));
                                     return;
                                 }
                                 m_history->checkout(start);
                                 const std::size_t before = m_history->size();
                                 const Joined joined = join(start, thread, costs, origin.toStdString());
                                 announce(joined);
                                 if (joinedWith) joinedWith(m_history->size() - before);
                                 sayAssumptions(start, joined.end, origin);
                                 judgeJoined(joined.end, bank, found, costs, origin);
                             });
}

void Document::stopRun(RunNumber number) { m_private->searches.stop(number); }

void Document::discardRun(RunNumber number) {
    const std::optional<Run> removed = m_private->searches.remove(number);
    if (!removed) return;
    if (removed->job == 0) m_private->session.removeRun(*removed);
    m_private->session.forgetRun(number);
    if (m_selection.run() == number) m_selection.setRun(runs().empty() ? 0 : runs().back().number);
    Q_EMIT runRemoved(number);
    endCompared(number);
}

}  // namespace mitos::views
