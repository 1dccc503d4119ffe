// SPDX-License-Identifier: GPL-3.0-or-later
// Tests rules that do not come with Mitos, and compares results by value.
#include "core/rewrite/assumptions.h"
#include "core/rewrite/stated_thread.h"
#include "views/common/format.h"
#include "views/document/internal/document_private.h"
#include "views/document/verdicts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace mitos::views {

namespace {

bool isShipped(const rules::RuleSet& set) {
    const auto& shipped = rules::shippedRuleSets();
    return std::ranges::all_of(
        set.origins(), [&](const std::string& origin) { return std::ranges::find(shipped, origin) != shipped.end(); });
}

}  // namespace

// --- texts ---------------------------------------------------------------------------------------------------------------

QString failedRulesText(const eval::TrustedRules& trusted) {
    const auto failed = static_cast<int>(trusted.failed.size());
    const auto untested = static_cast<int>(trusted.untested.size());
    QStringList counts;
    if (failed == 1) counts << Document::tr("The rule %1 failed its test").arg(fromUtf8(trusted.failed.front().name));
    if (failed > 1) counts << Document::tr("%1 rules failed their test").arg(failed);
    if (untested == 1) {
        const QString name = fromUtf8(trusted.untested.front().name);
        counts << (failed > 0 ? Document::tr("the rule %1 could not be tested").arg(name)
                              : Document::tr("The rule %1 could not be tested").arg(name));
    }
    if (untested > 1) counts << Document::tr("%1 rules could not be tested").arg(untested);
    if (counts.isEmpty()) return {};
    const QString subject = counts.join(Document::tr(", and "));
    const bool isOne = failed + untested == 1;
    if (!trusted.insisted) {
        return isOne ? Document::tr("%1, and was left out.").arg(subject)
                     : Document::tr("%1, and were left out.").arg(subject);
    }
    return isOne ? Document::tr("%1, and was applied all the same, as you insist.").arg(subject)
                 : Document::tr("%1, and were applied all the same, as you insist.").arg(subject);
}

QString failedRulesDetails(const std::vector<eval::DoubtfulRule>& failed) {
    QStringList lines;
    for (const eval::DoubtfulRule& rule : failed) {
        lines << Document::tr("%1 (%2)\n    %3")
                     .arg(fromUtf8(rule.name), fromUtf8(rule.set),
                          fromUtf8(rule.reason).trimmed().replace(QLatin1Char('\n'), QStringLiteral("\n    ")));
    }
    return lines.join(QLatin1Char('\n'));
}

QString doubtfulRulesDetails(const eval::TrustedRules& trusted) {
    std::vector<eval::DoubtfulRule> all = trusted.failed;
    all.insert(all.end(), trusted.untested.begin(), trusted.untested.end());
    return failedRulesDetails(all);
}

QString assumptionsHelp() {
    return Document::tr(
        "Rules that need a sign, such as log(a · b) → log(a) + log(b), then apply where nothing is known against it. "
        "The verdict names what was assumed, and values are compared where it is true.");
}

namespace {
QString signedText(VerdictMark::Kind kind, const QString& text) {
    switch (kind) {
        case VerdictMark::Kind::Passed: return QStringLiteral("✓ ") + text;
        case VerdictMark::Kind::Doubtful: return QStringLiteral("⚠ ") + text;
        case VerdictMark::Kind::Wrong: return QStringLiteral("✗ ") + text;
    }
    return text;
}
}  // namespace

QString verdictText(const rewrite::Verdict& verdict) {
    using Kind = VerdictMark::Kind;
    const Kind kind = verdict.isGood() ? Kind::Passed : verdict.isRefuted() ? Kind::Wrong : Kind::Doubtful;
    return signedText(kind, fromUtf8(verdict.toString()));
}

namespace {
VerdictMark outcomeMark(const rewrite::OutcomeCheck& outcome) {
    const auto kind = outcome.isValid() ? VerdictMark::Kind::Passed : VerdictMark::Kind::Wrong;
    const QString text = outcome.isValid() ? Document::tr("%1 checked") : Document::tr("%1 not valid");
    return {kind, signedText(kind, text.arg(fromUtf8(outcome.kind)))};
}
}  // namespace

std::vector<VerdictMark> verdictMarks(const rewrite::Verdict& verdict) {
    using Kind = VerdictMark::Kind;
    const bool isSame = verdict.values == rewrite::Values::Same;
    const QString values = verdict.values == rewrite::Values::NotCompared ? Document::tr("values not compared")
                           : !isSame                                      ? Document::tr("other values")
                           : verdict.isGood()                             ? Document::tr("same values")
                           : !verdict.exceptions.empty()                  ? Document::tr("same values, with exceptions")
                           : !verdict.assumptions.empty() ? Document::tr("same values where assumptions hold")
                                                          : Document::tr("same values on the inputs tried");
    const bool isChecked = verdict.isThreadChecked;
    const auto mark = [](Kind kind, const QString& text) { return VerdictMark{kind, signedText(kind, text)}; };
    std::vector<VerdictMark> marks;
    if (verdict.outcome) marks.push_back(outcomeMark(*verdict.outcome));
    if (verdict.outcome && isChecked && verdict.steps == 0) return marks;  // the program is as it was
    marks.push_back(mark(isChecked ? Kind::Passed : Kind::Wrong,
                         isChecked ? Document::tr("replayed") : Document::tr("not replayed")));
    marks.push_back(mark(verdict.values == rewrite::Values::Different ? Kind::Wrong
                         : isSame && (verdict.isGood() || !isChecked) ? Kind::Passed
                                                                      : Kind::Doubtful,
                         values));
    return marks;
}

QString marksText(const rewrite::Verdict& verdict) {
    QStringList parts;
    for (const VerdictMark& mark : verdictMarks(verdict)) parts << mark.text;
    return parts.join(QStringLiteral("  "));
}

QString verdictText(const Run& run) { return run.verdict ? verdictText(*run.verdict) : QString(); }

QString leftOutText(const Run& run) {
    if (run.failedRules.empty()) return {};
    const auto count = static_cast<int>(run.failedRules.size());
    if (!run.appliesFailedRules)
        return count == 1 ? Document::tr("1 failed rule left out")
                          : Document::tr("%1 failed rules left out").arg(count);
    return count == 1 ? Document::tr("with 1 rule that failed its test")
                      : Document::tr("with %1 rules that failed their test").arg(count);
}

// --- rules ---------------------------------------------------------------------------------------------------------------

Result<eval::TrustedRules> SearchRules::trusted(const std::stop_token& stop) const {
    eval::TrustedRules allowed = trust->of(book, {.insists = isInsisting}, stop);
    const bool isDoubted = !allowed.failed.empty() || !allowed.untested.empty();
    if (!allowed.directions.empty() || !isDoubted) return allowed;
    return Error{.code = ErrorCode::InvalidInput,
                 .message = "every rule of " + book.names() +
                            " failed its test or could not be tested: nothing is left to search with",
                 .hint = "Choose other rules, or insist on these in the menu of the rules.\n" +
                         doubtfulRulesDetails(allowed).toStdString()};
}

bool Document::hasDoubtfulRules() const {
    return m_private->testJob != 0 || !m_private->failed.empty() || !m_private->untested.empty();
}

const std::vector<eval::DoubtfulRule>& Document::failedRules() const { return m_private->failed; }

const std::vector<eval::DoubtfulRule>& Document::untestedRules() const { return m_private->untested; }

bool Document::isInsisting() const { return m_private->isInsisting; }

void Document::setInsisting(bool insisting) {
    if (std::exchange(m_private->isInsisting, insisting) != insisting) Q_EMIT trustChanged();
}

SearchRules Document::searchRules() const {
    return {*m_rules, m_private->trust, m_private->isForeign, m_private->isInsisting};
}

bool Document::allowsAssumptions() const { return m_rules->assumptions() == rules::Assumptions::Allowed; }

void Document::setAllowingAssumptions(bool allowed) {
    if (allowed == allowsAssumptions()) return;
    m_rules = m_rules->with(allowed ? rules::Assumptions::Allowed : rules::Assumptions::Forbidden);
    applyRules();
    Q_EMIT rulesChanged();
}

QStringList Document::assumptions(rewrite::StateId state) {
    std::vector<std::optional<QStringList>>& known = m_private->assumed;
    known.resize(m_history->size());
    if (known[state.value]) return *known[state.value];
    const std::vector<rewrite::StateId> way = m_history->pathTo(state);
    const auto unknown = std::ranges::find_if(way.rbegin(), way.rend(),
                                              [&](rewrite::StateId id) { return known[id.value].has_value(); });
    for (auto id = unknown.base(); id != way.end(); ++id) {
        const rewrite::HistoryState& reached = m_history->state(*id);
        QStringList& all = known[id->value].emplace();
        if (!reached.step) continue;
        all = *known[reached.parent.value];
        const ir::TermId before = m_history->state(reached.parent).root;
        for (const std::string& text : rewrite::assumptionTexts(*m_bank, before, *reached.step)) {
            if (!all.contains(fromUtf8(text))) all << fromUtf8(text);
        }
    }
    return *known[state.value];
}

void Document::sayAssumptions(rewrite::StateId from, rewrite::StateId to, const QString& what) {
    QStringList added = assumptions(to);
    for (const QString& known : assumptions(from)) added.removeAll(known);
    if (!added.isEmpty()) Q_EMIT notice(tr("%1: assuming %2").arg(what, added.join(QStringLiteral(", "))));
}

void Document::testRules() {
    if (m_private->testJob != 0) m_jobs.discard(std::exchange(m_private->testJob, 0));
    m_private->isForeign = !std::ranges::all_of(m_rules->sets(), isShipped);
    m_private->isInsisting = false;
    m_private->failed.clear();
    m_private->untested.clear();
    m_private->appliedUntested.clear();
    if (m_private->isForeign) {
        m_private->testJob = m_jobs.start(
            tr("Testing rules"), true, this,
            [rules = *m_rules, trust = m_private->trust](const std::stop_token& stop, const JobRunner::Report&) {
                return trust->of(rules, {}, stop);
            },
            [this](eval::TrustedRules tested) {
                const JobId job = std::exchange(m_private->testJob, 0);
                m_jobs.setOutcome(job, JobInfo::State::Finished,
                                  tr("%1 passed, %2 failed, %3 could not be tested")
                                      .arg(tested.passed)
                                      .arg(tested.failed.size())
                                      .arg(tested.untested.size()));
                if (const QString text = failedRulesText(tested); !text.isEmpty()) {
                    Q_EMIT notice(text, doubtfulRulesDetails(tested));
                }
                m_private->failed = std::move(tested.failed);
                m_private->untested = std::move(tested.untested);
                for (const rewrite::Step& step : std::exchange(m_private->appliedUntested, {})) warnAbout(step);
                Q_EMIT trustChanged();
            });
    }
    Q_EMIT trustChanged();
}

void Document::warnAbout(const rewrite::Step& step) {
    if (m_private->testJob != 0) {
        m_private->appliedUntested.push_back(step);
        return;
    }
    const eval::DoubtfulRule* doubt = doubtOf(m_private->failed, *step.rule);
    if (doubt == nullptr) return;
    Q_EMIT failed(
        tr("%1 failed its test: the program may compute something else after this step").arg(fromUtf8(step.name())),
        failedRulesDetails({*doubt}));
}

// --- results -------------------------------------------------------------------------------------------------------------

Document::Judging Document::judgingOf(std::shared_ptr<const ir::TermBank> bank, const rewrite::Thread& thread,
                                      std::vector<double> costs, std::uint64_t seed) const {
    return [bank = std::move(bank), thread, costs = std::move(costs), seed, model = m_model, rules = searchRules()](
               const std::stop_token& stop, const JobRunner::Report&) {
        // Failed rules that were applied by insisting are still reported.
        eval::TrustOptions used{.insists = true, .appliesDefinitions = false, .only = {}};
        for (const rewrite::Step& step : thread.steps) used.only.insert(step.rule->rule().name);
        const search::Judging how{
            .rules = std::make_shared<const eval::TrustedRules>(rules.trust->of(rules.book, used, stop)),
            .weights = model ? model->givenWeights() : nullptr};
        // Threads arrive here already checked.
        const rewrite::ThreadReport check{.valid = true, .steps = thread.steps.size(), .failedStep = 0, .reason = {}};
        return rewrite::judgeParts(*bank, thread, costs, check, how.options(seed, stop));
    };
}

void Document::judgeRecovered(storage::RecoveredThread found) {
    const Run& recovered = *run(found.run);
    const auto own = std::make_shared<JobId>(0);
    *own = m_jobs.start(
        tr("Comparing the result of %1").arg(fromUtf8(originOf(recovered))), true, m_private->program.get(),
        judgingOf(std::move(found.bank), found.thread, std::move(found.costs), recovered.seed),
        [this, own, number = found.run, rules = rewrite::rulesHash(found.thread)](const rewrite::Judged& judged) {
            const rewrite::Verdict& verdict = judged.refused ? *judged.refused : judged.verdict;
            sayVerdict(*own, verdict);
            Run* run = m_private->searches.find(number);
            if (run == nullptr) return;
            run->verdict = verdict;
            run->judgedRules = rules;
            if (judged.refused) offerPart(run->resultState, judged, fromUtf8(originOf(*run)));
            m_private->session.writeRun(*run);
            Q_EMIT runChanged(number);
        });
}

void Document::sayVerdict(JobId job, const rewrite::Verdict& verdict) {
    const bool differs = verdict.values == rewrite::Values::Different;
    m_jobs.setOutcome(job, differs ? JobInfo::State::Failed : JobInfo::State::Finished, verdictText(verdict));
}

void Document::offerPart(rewrite::StateId end, const rewrite::Judged& judged, const QString& origin) {
    const auto dropped = static_cast<int>(judged.refused->steps - judged.thread.steps.size());
    rewrite::StateId state = end;
    for (int i = 0; i < dropped && state.isValid(); ++i) state = m_history->state(state).parent;
    QString details = fromUtf8(judged.refused->counterexample);
    if (state.isValid()) {
        const bool goesBack = !isInsisting() && m_history->current() == end;
        if (goesBack) checkout(state);
        const QString before = dropped == 1 ? tr("one step") : tr("%1 steps").arg(dropped);
        details += goesBack ? tr("\nThe current state is now #%1, %2 before it, which has the same values.")
                                  .arg(state.value)
                                  .arg(before)
                            : tr("\nState #%1, %2 before it, has the same values.").arg(state.value).arg(before);
    }
    Q_EMIT failed(tr("The result of %1 differs from its input on some inputs").arg(origin), details);
}

void Document::judgeJoined(rewrite::StateId end, std::shared_ptr<const ir::TermBank> bank,
                           const rewrite::Thread& thread, std::vector<double> costs, const QString& origin) {
    const auto job = std::make_shared<JobId>(0);
    *job = m_jobs.start(tr("Comparing the result of %1").arg(origin), true, m_private->program.get(),
                        judgingOf(std::move(bank), thread, std::move(costs), 1),
                        [this, job, end, origin](const rewrite::Judged& judged) {
                            sayVerdict(*job, judged.refused ? *judged.refused : judged.verdict);
                            if (judged.refused) offerPart(end, judged, origin);
                        });
}

}  // namespace mitos::views
