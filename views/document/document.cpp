// SPDX-License-Identifier: GPL-3.0-or-later
// Opens programs and sessions, and moves through the history.
#include "views/document/document.h"

#include "core/dialects/dialects.h"
#include "core/ir/dialect.h"
#include "core/ir/transplant.h"
#include "core/onnx/import.h"
#include "core/rewrite/rule_everywhere.h"
#include "core/rules/rule_sets.h"
#include "views/common/format.h"
#include "views/document/cost_text.h"
#include "views/document/internal/document_private.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

struct OwnThread {
    std::shared_ptr<const ir::TermBank> bank;
    rewrite::Thread thread;
};

}  // namespace

Document::Document(JobRunner& jobs, Selection& selection, QObject* parent)
    : QObject(parent),
      m_private(std::make_unique<Private>(jobs)),
      m_jobs(jobs),
      m_selection(selection) {
    m_private->registry = dialects::makeRegistry();
    for (const auto& dialect : m_private->registry->dialects()) {
        m_private->choices[dialect->name] = {dialect->defaultRules, cost::settledName(dialect->defaultCost).name};
    }
    m_private->ruleNames = fromUtf8(dialect().defaultRules);
    m_private->costModelName = fromUtf8(cost::settledName(dialect().defaultCost).name);
    connect(&m_private->session, &SessionFile::broke, this, [this](const Error& error) {
        Q_EMIT failed(tr("The session is no longer being saved"),
                      fromUtf8(error.render()) + QLatin1Char('\n') +
                          tr("You can go on working. File ▸ Save Session As… keeps everything in another place."));
    });
    m_rules.emplace();
    connect(&m_private->searches, &Searches::progressed, this, &Document::runChanged);
    connect(&m_private->searches, &Searches::ended, this, &Document::finishRun);
    connect(&m_private->searches, &Searches::endedInBackground, this,
            [this](const QString& session, JobId job, const std::shared_ptr<const SearchOutcome>& outcome) {
                if (!m_private->further.finish(session, job, outcome)) reportBackground(session, job, *outcome);
            });
    connect(&m_private->further, &ComparedPrograms::changed, this, &Document::comparedProgramsChanged);
    connect(&m_private->further, &ComparedPrograms::runChanged, this, &Document::comparedRunChanged);
    connect(&m_private->further, &ComparedPrograms::failed, this, &Document::failed);
    connect(&m_private->further, &ComparedPrograms::notice, this, &Document::notice);
    connect(&m_private->further, &ComparedPrograms::searchesChanged, this, &Document::goOnComparing);
    connect(&m_private->further, &ComparedPrograms::sessionsChanged, this, &Document::rememberCompared);
    m_private->pricingTimer.setInterval(0);
    connect(&m_private->pricingTimer, &QTimer::timeout, this, &Document::goOnPricing);
    if (auto model = cost::findCostModel(m_private->costModelName.toStdString()); model) m_costModel = *model;
    setRules(m_private->ruleNames);
}

Document::~Document() {
    endSession(false);
    for (const QString& session : m_private->untouched) deleteUntouched(session);
}

// --- opening -------------------------------------------------------------------------------------------------------------

QString Document::sessionFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/sessions");
}

bool Document::isReceiving() const {
    return m_private->pricing || (m_private->arrivals && !m_private->arrivals->isIdle());
}

bool Document::isOpening() const { return m_private->openingJob != 0 || m_private->openNext != nullptr; }

void Document::openFile(const QString& path, const QString& function) {
    const std::string name = nativePath(QFileInfo(path).absoluteFilePath());
    startOpening(path, onnx::isModelFile(name),
                 [name, function = function.toStdString()](const Surroundings& around, const OpeningJob& job) {
                     return storage::openAnyFile(name, function, around, job);
                 });
}

void Document::openText(const QString& title, const QString& text) {
    startOpening(
        title, false,
        [source = SourceText(title.toStdString(), text.toStdString())](
            const Surroundings& around, const OpeningJob& job) { return storage::openTyped(source, around, job); });
}

void Document::openNetwork(const QString& name, bool realistic) {
    startOpening(name, true, [name = name.toStdString(), realistic](const Surroundings& around, const OpeningJob& job) {
        return storage::openNetwork(name, realistic, around, job);
    });
}

void Document::openSession(const QString& path) {
    startOpening(path, false,
                 [name = nativePath(path), writer = m_private->session.formerWriter(path),
                  deletion = m_private->deletionOf(path)](const Surroundings& around, const OpeningJob& job) {
                     if (deletion.valid()) deletion.wait();
                     if (writer) static_cast<void>(writer->place());  // waits until everything posted is written
                     return storage::openStored(name, around, job);
                 });
}

Surroundings Document::surroundings() const {
    Surroundings around;
    around.registry = m_private->registry;
    if (m_private->rulesLoaded) around.rules = *m_rules;
    around.choices = m_private->choices;
    return around;
}

void Document::startOpening(const QString& what, bool isLong, Opening work) {
    if (m_private->openingJob != 0) m_jobs.discard(std::exchange(m_private->openingJob, 0));
    if (m_private->rulesJob != 0) {
        // The program must be opened with the rules requested before.
        m_private->openNext = [this, what, isLong, work = std::move(work)] { startOpening(what, isLong, work); };
        return;
    }
    const QString name = QFileInfo(what).fileName();
    m_private->openingJob = m_jobs.start(
        tr("Opening %1").arg(name), isLong, this,
        [work = std::move(work), around = surroundings()](std::stop_token stop, const JobRunner::Report& report) {
            const OpeningJob job{std::move(stop), [&report](const char* doing) { report(-1.0, fromUtf8(doing)); }};
            return work(around, job);
        },
        [this, name](Result<Opened> opened) {
            const JobId job = std::exchange(m_private->openingJob, 0);
            if (opened) {
                adopt(std::move(*opened));
            } else if (opened.error().code == ErrorCode::Cancelled) {
                m_jobs.setOutcome(job, JobInfo::State::Stopped, tr("stopped by you"));
            } else {
                m_jobs.setOutcome(job, JobInfo::State::Failed, fromUtf8(opened.error().message));
                Q_EMIT openingFailed(opened.error());
                Q_EMIT failed(tr("Could not open %1").arg(name), fromUtf8(opened.error().render()));
            }
        });
}

void Document::leave() {
    // The session keeps what was selected and compared, so it ends first.
    endSession(true);
    // Done while the old program still exists, because the selection belongs to it.
    m_selection.clear();
    m_selection.setRun(0);
    m_selection.setCompared(std::nullopt);
    m_private->program = std::make_unique<QObject>();
    m_private->arrivals.reset();
    m_private->pricing.reset();
    m_private->pricingTimer.stop();
    m_private->rewriter.reset();
    m_private->assumed.clear();
    struct Left {
        std::shared_ptr<const ir::TermBank> bank;
        std::shared_ptr<const ir::TermBank> frozen;
        std::shared_ptr<const OpenModel> model;
        std::shared_ptr<cost::CostEvaluator> costs;  // refers to the bank
        std::optional<rewrite::History> history;
    };
    const bool wasOpen = isOpen();
    const auto left = std::make_shared<const Left>(
        Left{m_bank, std::exchange(m_private->frozen, nullptr), std::exchange(m_model, nullptr),
             std::exchange(m_costs, nullptr), std::exchange(m_history, std::nullopt)});
    m_labels = {};
    m_title.clear();
    m_source.clear();
    Q_EMIT closed();
    if (wasOpen) m_jobs.release(left);
}

void Document::adopt(Opened opened) {
    leave();
    m_jobs.release(std::exchange(m_bank, std::move(opened.bank)));
    m_model = std::move(opened.model);
    m_history = std::move(opened.history);
    if (m_private->rulesJob != 0) m_jobs.discard(std::exchange(m_private->rulesJob, 0));
    const bool otherRules = !m_private->rulesLoaded || m_rules->names() != opened.rules.names();
    const bool otherSigns = m_rules->assumptions() != opened.rules.assumptions();
    m_rules = std::move(opened.rules);
    m_private->rulesLoaded = true;
    m_private->ruleNames = fromUtf8(m_rules->names());
    m_private->choices[dialect().name] = {m_rules->names(), opened.costModelName};
    const bool otherModel = m_private->costModelName.toStdString() != opened.costModelName;
    m_private->costModelName = fromUtf8(opened.costModelName);
    m_costModel = opened.costModel;
    m_costs = std::move(opened.costs);
    m_private->rewriter = std::make_unique<rewrite::Rewriter>(*m_bank, m_rules->directions(), dialect().sharing);
    m_private->arrivals =
        std::make_unique<ThreadArrivals>(*m_bank, [this](ir::TermId root) { return m_costs->costOrInfinity(root); });
    m_private->searches.enter(QFile::decodeName(QByteArray::fromStdString(opened.sessionPath)), std::move(opened.runs));
    m_title = fromUtf8(opened.title);
    m_labels = std::move(opened.labels);
    m_begunAt = opened.begunAt.empty() ? QDateTime::currentDateTime()
                                       : QDateTime::fromString(fromUtf8(opened.begunAt), Qt::ISODate).toLocalTime();
    m_source = fromUtf8(opened.source);
    m_private->storedText = opened.text;
    startSession(opened);
    recallCompared();
    if (otherRules) testRules();

    Q_EMIT this->opened();
    if (!runs().empty()) m_selection.setRun(runs().back().number);
    if (otherRules || otherSigns) Q_EMIT rulesChanged();
    if (otherModel) Q_EMIT costModelChanged();
    for (storage::RecoveredThread& found : opened.recovered) {
        if (!run(found.run)->verdict) judgeRecovered(std::move(found));
    }
    if (opened.notices.size() == 1) {
        Q_EMIT notice(fromUtf8(opened.notices.front()));
    } else if (!opened.notices.empty()) {
        QStringList lines;
        for (const std::string& text : opened.notices) lines << fromUtf8(text);
        Q_EMIT notice(tr("%1 was opened; there are %2 remarks.").arg(m_title).arg(lines.size()),
                      lines.join(QLatin1Char('\n')));
    }
}

// --- reading -------------------------------------------------------------------------------------------------------------

const ir::Dialect& Document::dialect() const {
    return isOpen() ? m_bank->dialect(m_history->function()) : *m_private->registry->dialects().front();
}

double Document::cost(ir::TermId root) { return m_costs->costOrInfinity(root); }

std::vector<cost::CostPart> Document::explainCost(ir::TermId root) {
    return explainedParts(*m_costs, *m_bank, {m_history->function(), root});
}

ProgramCopy Snapshot::copy() const {
    ProgramCopy made;
    made.bank = std::make_shared<ir::TermBank>(bank->sharedRegistry());
    made.program = ir::Transplanter(*bank, *made.bank).program(program);
    return made;
}

Snapshot Document::snapshot(const ir::Program& program) const {
    std::shared_ptr<const ir::TermBank>& frozen = m_private->frozen;
    if (frozen == nullptr || frozen->revision() != m_bank->revision()) frozen = m_bank->frozen();
    return {frozen, program};
}

Result<ir::TermId> Document::resultOf(const rewrite::Step& step) { return m_private->rewriter->apply(current(), step); }

// --- changing ------------------------------------------------------------------------------------------------------------

void Document::stateChanged() {
    m_private->session.writeStates(*m_bank, *m_history);
    m_private->session.writeValue(storage::CurrentStateKey, std::to_string(m_history->current().value));
    // The selection stays at its place, as far as the new state has that place.
    std::optional<ir::Path> kept = m_selection.subterm();
    m_selection.clear();
    Q_EMIT currentChanged();
    if (!kept) return;
    while (!ir::subterm(*m_bank, current().root, *kept)) kept->pop_back();
    m_selection.setSubterm(kept);
}

void Document::apply(const rewrite::Step& step) {
    if (!isOpen()) return;
    auto root = resultOf(step);
    if (!root) {
        Q_EMIT failed(tr("%1 does not apply here").arg(fromUtf8(step.name())), fromUtf8(root.error().render()));
        return;
    }
    const rewrite::StateId before = m_history->current();
    m_history->add(before, step, *root, m_costs->costOrInfinity(*root));
    Q_EMIT historyChanged();
    stateChanged();
    sayAssumptions(before, m_history->current(), fromUtf8(step.name()));
    warnAbout(step);
}

void Document::applyEverywhere(const rewrite::Step& step) {
    if (!isOpen()) return;
    warnAbout(step);
    m_jobs.start(
        tr("Applying %1 everywhere").arg(fromUtf8(step.name())), false, m_private->program.get(),
        [snapshot = snapshot(current()), rule = step.rule](const std::stop_token& stop, const JobRunner::Report&) {
            const ProgramCopy own = snapshot.copy();
            const auto goesOn = [&stop] { return !stop.stop_requested(); };
            return OwnThread{own.bank, rewrite::everywhere(*own.bank, own.program, rule, goesOn)};
        },
        [this, start = m_history->current(), name = fromUtf8(step.name())](OwnThread found) {
            if (found.thread.steps.empty()) return;
            m_private->arrivals->add(
                std::move(found.bank), std::move(found.thread),
                [this, start, name](const rewrite::Thread& thread, const std::vector<double>& costs) {
                    const Joined joined = join(start, thread, costs, {});
                    announce(joined);
                    sayAssumptions(start, joined.end, name);
                });
        });
}

Document::Joined Document::join(rewrite::StateId start, rewrite::Thread thread, const std::vector<double>& costs,
                                const std::string& origin, bool mayBeCurrent) {
    const rewrite::StateId before = m_history->current();
    thread.start.root = m_history->state(start).root;
    const Joined joined{m_history->addThread(start, thread, costs, origin), mayBeCurrent && before == start};
    if (!joined.isCurrent) m_history->checkout(before);
    return joined;
}

void Document::announce(const Joined& joined) {
    Q_EMIT historyChanged();
    if (joined.isCurrent)
        stateChanged();
    else
        m_private->session.writeStates(*m_bank, *m_history);
}

void Document::checkout(rewrite::StateId state) {
    if (!isOpen() || state == m_history->current() || state.value >= m_history->size()) return;
    m_history->checkout(state);
    stateChanged();
}

void Document::undo() {
    if (isOpen() && m_history->undo()) stateChanged();
}

void Document::redo() {
    if (isOpen() && m_history->redo()) stateChanged();
}

void Document::goToBest() {
    if (isOpen()) checkout(m_history->best());
}

void Document::mark(rewrite::StateId state, const rewrite::Marks& marks) {
    if (!isOpen() || state.value >= m_history->size() || m_history->state(state).marks == marks) return;
    m_history->mark(state, marks);
    m_private->session.writeMarks(state, marks);
    Q_EMIT marksChanged(state);
}

void Document::setRules(const QString& names) {
    if (m_private->rulesJob != 0) m_jobs.discard(std::exchange(m_private->rulesJob, 0));
    const std::string chosen = rules::withWholePaths(names.toStdString());
    if (m_private->rulesLoaded && chosen == m_rules->names()) {
        if (const auto openNext = std::exchange(m_private->openNext, nullptr)) openNext();
        return;
    }
    loadRules(chosen);
}

void Document::reloadRules() {
    m_private->isReloadDue = m_private->rulesJob != 0;
    if (m_private->rulesLoaded && m_private->rulesJob == 0) loadRules(m_rules->names());
}

void Document::loadRules(const std::string& chosen) {
    const auto registry = m_bank ? m_bank->sharedRegistry() : m_private->registry;
    const bool mayBeNone = isOpen() && dialect().defaultRules.empty();
    m_private->rulesJob = m_jobs.start(
        tr("Loading rules"), false, this,
        [text = chosen, registry, mayBeNone](const std::stop_token&, const JobRunner::Report&) {
            return text.empty() && mayBeNone ? rules::RuleBook::none(registry) : rules::RuleBook::load(text, registry);
        },
        [this, registry](Result<rules::RuleBook> loaded) {
            m_private->rulesJob = 0;
            const std::function<void()> openNext = std::exchange(m_private->openNext, nullptr);
            takeRules(std::move(loaded), registry);
            if (std::exchange(m_private->isReloadDue, false)) reloadRules();
            if (openNext) openNext();
        });
}

void Document::takeRules(Result<rules::RuleBook> loaded, const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    if (!loaded) {
        Q_EMIT failed(tr("Could not load the rules"), fromUtf8(loaded.error().render()));
        Q_EMIT rulesChanged();  // listeners then show the rules in force again
        return;
    }
    if (isOpen() && loaded->registry()->size() > registry->size()) {
        Q_EMIT failed(tr("These rules declare operators of their own"),
                      tr("The open program does not know them. Choose the rules first, then open the program."));
        Q_EMIT rulesChanged();
        return;
    }
    if (isOpen()) {
        if (const Status fits = rules::requireFor(*loaded, dialect()); !fits) {
            Q_EMIT failed(tr("These rules are for other programs"), fromUtf8(fits.error().render()));
            Q_EMIT rulesChanged();
            return;
        }
    }
    m_rules = loaded->with(m_rules->assumptions());
    m_private->rulesLoaded = true;
    m_private->ruleNames = fromUtf8(m_rules->names());
    chooseRules();
    applyRules();
    testRules();
    Q_EMIT rulesChanged();
    if (const std::vector<Error>& problems = m_rules->problems(); !problems.empty()) {
        Q_EMIT notice(tr("%1 rules or other items are left out; the first: %2")
                          .arg(problems.size())
                          .arg(fromUtf8(problems.front().oneLine())));
    }
}

void Document::applyRules() {
    if (!isOpen()) return;
    m_private->rewriter = std::make_unique<rewrite::Rewriter>(*m_bank, m_rules->directions(), dialect().sharing);
    m_selection.setRewrite(std::nullopt);
    writeRules();
}

void Document::chooseRules() {
    if (isOpen()) {
        m_private->choices[dialect().name].rules = m_rules->names();
        return;
    }
    for (const auto& own : m_private->registry->dialects()) {
        rules::RuleChoice choice = rules::RuleChoice::parse(m_rules->names());
        std::erase_if(choice.sets, [&own](const std::string& set) { return !rules::isFor(set, *own); });
        if (!choice.sets.empty()) m_private->choices[own->name].rules = choice.toString();
    }
}

void Document::setCostModel(const QString& given) {
    const QString name = fromUtf8(cost::settledName(given.toStdString()).name);
    if (isOpen() && name == m_private->costModelName) {
        m_private->pricing.reset();
        m_private->pricingTimer.stop();
        return;
    }
    auto model =
        isOpen() ? cost::findCostModel(name.toStdString(), dialect().name) : cost::findCostModel(name.toStdString());
    if (!model) {
        Q_EMIT failed(tr("There is no such cost model"), fromUtf8(model.error().render()));
        return;
    }
    for (const auto& own : m_private->registry->dialects()) {
        const bool chosen = isOpen() ? own->name == dialect().name : (*model)->info().prices(own->name);
        if (chosen) m_private->choices[own->name].costModel = name.toStdString();
    }
    if (!(*model)->info().prices(dialect().name)) return;  // stored for the next program it can price
    if (!isOpen()) {
        m_costModel = *model;
        m_private->costModelName = name;
        Q_EMIT costModelChanged();
        return;
    }
    m_private->pricing = Private::Pricing{name, *model, (*model)->evaluator(*m_bank, m_history->function()), {}};
    m_private->pricingTimer.start();
    goOnPricing();
}

void Document::goOnPricing() {
    constexpr qint64 SliceMs = 6;  // less than half a frame, because events wait meanwhile
    QElapsedTimer clock;
    clock.start();
    Private::Pricing& next = *m_private->pricing;
    while (next.costs.size() < m_history->size()) {
        const rewrite::StateId state(static_cast<std::uint32_t>(next.costs.size()));
        next.costs.push_back(next.evaluator->costOrInfinity(m_history->state(state).root));
        if (clock.elapsed() >= SliceMs && next.costs.size() < m_history->size()) return;
    }
    m_private->pricingTimer.stop();
    const Private::Pricing priced = *std::exchange(m_private->pricing, std::nullopt);
    m_costModel = priced.model;
    m_private->costModelName = priced.name;
    m_costs = priced.evaluator;
    m_history->setCosts(priced.costs);
    m_private->arrivals->priceAgain();
    m_private->session.writeValue(storage::CostModelKey, priced.name.toStdString());
    Q_EMIT costModelChanged();
    Q_EMIT historyChanged();
}

}  // namespace mitos::views
