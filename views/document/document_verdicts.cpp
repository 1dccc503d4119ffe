// SPDX-License-Identifier: GPL-3.0-or-later
// What is not taken on trust: rules that do not come with the program are tested, and results are compared by value.
#include "core/rewrite/verify.h"
#include "views/common/format.h"
#include "views/document/document_private.h"
#include "views/document/verdicts.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
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

QJsonObject statisticsOf(const Run& run) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(run.stored.statistics)).object();
}

constexpr const char* NoteField = "equivalent_note";
constexpr const char* SamplesField = "equivalent_samples";

/// What a comparison said; nothing: no input told.
std::optional<bool> sameIn(const Result<eval::Equivalence>& verdict) {
    return verdict && verdict->compared > 0 ? std::optional(verdict->equivalent) : std::nullopt;
}

QString noteIn(const Result<eval::Equivalence>& verdict) {
    return fromUtf8(verdict ? verdict->note : verdict.error().message);
}

QString textOf(std::optional<bool> same, int samples, const QString& note) {
    if (!same)
        return note.isEmpty() ? Document::tr("values not compared") : Document::tr("values not compared: %1").arg(note);
    if (!*same) return Document::tr("✗ OTHER VALUES than its start");
    const QString text = samples == 1 ? Document::tr("✓ same values on 1 random input")
                                      : Document::tr("✓ same values on %1 random inputs").arg(samples);
    return note.isEmpty() ? text : text + QStringLiteral("; ") + note;
}

void noteVerdict(std::string& statistics, const Result<eval::Equivalence>& verdict) {
    const std::optional<bool> same = sameIn(verdict);
    addField(statistics, EquivalentField, same ? QJsonValue(*same) : QJsonValue());
    addField(statistics, NoteField, noteIn(verdict));
    if (!verdict) return;
    addField(statistics, SamplesField, verdict->compared);
    addField(statistics, "equivalent_deviation", verdict->maxDeviation);
    if (!verdict->counterexample.empty()) {
        addField(statistics, "counterexample", fromUtf8(verdict->counterexample));
    }
}

}  // namespace

// --- texts ---------------------------------------------------------------------------------------------------------------

const eval::DoubtfulRule* doubtOf(const std::vector<eval::DoubtfulRule>& failed, const rules::DirectedRule& rule) {
    const std::string name = rule.name();
    const auto found = std::ranges::find_if(failed, [&name](const eval::DoubtfulRule& one) {
        return one.name == name || one.name.starts_with(name + ".");  // "merge.1" of "merge"
    });
    return found == failed.end() ? nullptr : &*found;
}

QString failedRulesText(const eval::TrustedRules& trusted) {
    const auto count = static_cast<int>(trusted.failed.size());
    if (count == 1) {
        const QString name = fromUtf8(trusted.failed.front().name);
        return trusted.insisted
                   ? Document::tr("The rule %1 failed its test, and was applied all the same, as you insist.").arg(name)
                   : Document::tr("The rule %1 failed its test, and was left out.").arg(name);
    }
    return trusted.insisted
               ? Document::tr("%1 rules failed their test, and were applied all the same, as you insist.").arg(count)
               : Document::tr("%1 rules failed their test, and were left out.").arg(count);
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

QString verdictText(const Run& run) {
    const QJsonObject statistics = statisticsOf(run);
    if (!statistics.contains(QLatin1String(EquivalentField))) return {};
    const QJsonValue same = statistics.value(QLatin1String(EquivalentField));
    return textOf(same.isBool() ? std::optional(same.toBool()) : std::nullopt,
                  statistics.value(QLatin1String(SamplesField)).toInt(),
                  statistics.value(QLatin1String(NoteField)).toString());
}

QString leftOutText(const Run& run) {
    const QJsonArray failed = statisticsOf(run).value(QLatin1String(FailedRulesField)).toArray();
    if (failed.isEmpty()) return {};
    const bool leftOut = failed.first().toObject().value(QLatin1String("left_out")).toBool();
    const auto count = static_cast<int>(failed.size());
    if (leftOut)
        return count == 1 ? Document::tr("1 failed rule left out")
                          : Document::tr("%1 failed rules left out").arg(count);
    return count == 1 ? Document::tr("with 1 rule that failed its test")
                      : Document::tr("with %1 rules that failed their test").arg(count);
}

// --- rules ---------------------------------------------------------------------------------------------------------------

Result<eval::TrustedRules> SearchRules::trusted(const std::stop_token& stop) const {
    eval::TrustedRules allowed = trust->of(book, isInsisting, stop);
    if (!allowed.directions.empty() || !allowed.multis.empty() || allowed.failed.empty()) return allowed;
    return Error{.code = ErrorCode::InvalidInput,
                 .message = "every rule of " + book.names() + " failed its test: nothing is left to search with",
                 .place = {},
                 .hint = "Choose other rules, or insist on these in the menu of the rules.\n" +
                         failedRulesDetails(allowed.failed).toStdString(),
                 .others = {}};
}

bool Document::hasDoubtfulRules() const { return m_private->testJob != 0 || !m_private->failed.empty(); }

const std::vector<eval::DoubtfulRule>& Document::failedRules() const { return m_private->failed; }

bool Document::isInsisting() const { return m_private->isInsisting; }

void Document::setInsisting(bool insisting) {
    if (std::exchange(m_private->isInsisting, insisting) != insisting) Q_EMIT trustChanged();
}

SearchRules Document::searchRules() const {
    return {*m_rules, m_private->trust, m_private->isForeign, m_private->isInsisting};
}

void Document::testRules() {
    if (m_private->testJob != 0) m_jobs.discard(std::exchange(m_private->testJob, 0));
    m_private->isForeign = !std::ranges::all_of(m_rules->sets(), isShipped);
    m_private->isInsisting = false;
    m_private->failed.clear();
    m_private->appliedUntested.clear();
    if (m_private->isForeign) {
        m_private->testJob = m_jobs.start(
            tr("Testing rules"), true, this,
            [rules = *m_rules, trust = m_private->trust](const std::stop_token& stop, const JobRunner::Report&) {
                return trust->of(rules, false, stop);
            },
            [this](eval::TrustedRules tested) {
                const JobId job = std::exchange(m_private->testJob, 0);
                m_private->failed = std::move(tested.failed);
                const auto failed = static_cast<int>(m_private->failed.size());
                m_jobs.setOutcome(job, JobInfo::State::Finished,
                                  tr("%1 passed, %2 failed").arg(tested.passed).arg(failed));
                if (failed > 0) {
                    Q_EMIT notice(failed == 1 ? tr("The rule %1 failed its test: searches leave it out.")
                                                    .arg(fromUtf8(m_private->failed.front().name))
                                              : tr("%1 rules failed their test: searches leave them out.").arg(failed),
                                  failedRulesDetails(m_private->failed));
                }
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

Document::Comparison Document::comparisonOf(std::shared_ptr<const ir::TermBank> bank, const rewrite::Thread& thread,
                                            std::uint64_t seed) const {
    return
        [bank = std::move(bank), thread, seed, model = m_model](const std::stop_token& stop, const JobRunner::Report&) {
            eval::EquivalenceOptions options;
            options.seed = seed;
            if (model) options.weights = model->givenWeights();
            options.limits.stop = stop;
            return rewrite::compareEnds(*bank, thread, options);
        };
}

/// By value, not by what the rules promise. The result's bank belongs to nobody else any more.
void Document::verify(RunNumber number, JobId job, const search::SearchResult& result) {
    const Run& compared = *findRun(number);
    const auto own = std::make_shared<JobId>(0);
    *own = m_jobs.start(tr("Comparing the result of %1").arg(fromUtf8(originOf(compared))), true,
                        m_private->program.get(), comparisonOf(result.bank, result.thread, compared.stored.seed),
                        [this, own, number, job](const Result<eval::Equivalence>& verdict) {
                            sayComparison(*own, verdict);
                            if (Run* run = findRun(number); run != nullptr) {
                                noteVerdict(run->stored.statistics, verdict);
                                sayVerdict(*run, job);
                                storeRun(*run);
                                Q_EMIT runChanged(number);
                            }
                        });
}

void Document::sayComparison(JobId job, const Result<eval::Equivalence>& verdict) {
    const std::optional<bool> same = sameIn(verdict);
    const bool differs = same && !*same;
    const bool isStopped = !verdict && verdict.error().code == ErrorCode::Cancelled;
    m_jobs.setOutcome(job,
                      differs     ? JobInfo::State::Failed
                      : isStopped ? JobInfo::State::Stopped
                                  : JobInfo::State::Finished,
                      textOf(same, verdict ? verdict->compared : 0, noteIn(verdict)));
}

void Document::compareJoined(std::shared_ptr<const ir::TermBank> bank, const rewrite::Thread& thread,
                             const QString& origin) {
    const auto job = std::make_shared<JobId>(0);
    *job = m_jobs.start(tr("Comparing the result of %1").arg(origin), true, m_private->program.get(),
                        comparisonOf(std::move(bank), thread, 1),
                        [this, job, origin](const Result<eval::Equivalence>& verdict) {
                            sayComparison(*job, verdict);
                            if (sameIn(verdict) == false) {
                                Q_EMIT failed(tr("The result of %1 differs from its input on some inputs").arg(origin),
                                              fromUtf8(verdict->counterexample));
                            }
                        });
}

void Document::sayVerdict(const Run& run, JobId job) {
    const QString verdict = verdictText(run);
    for (const JobInfo& one : m_jobs.jobs()) {
        if (one.id != job) continue;
        m_jobs.setOutcome(job, one.state, tr("%1; %2").arg(one.status, verdict));
        break;
    }
    const QJsonValue same = statisticsOf(run).value(QLatin1String(EquivalentField));
    if (!same.isBool() || same.toBool()) return;
    Q_EMIT failed(tr("The result of %1 #%2 differs from its input on some inputs")
                      .arg(fromUtf8(run.stored.strategy))
                      .arg(run.number),
                  statisticsOf(run).value(QLatin1String("counterexample")).toString());
}

}  // namespace mitos::views
