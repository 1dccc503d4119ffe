// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files and runs saturations in jobs; the old e-graph stays until the new one is available.
#include "views/document/egraph_document.h"

#include "core/egraph/explain.h"
#include "core/egraph/json.h"
#include "core/egraph/runner.h"
#include "core/egraph/take_snapshot.h"
#include "core/extract/checked.h"
#include "core/extract/rule_gains.h"
#include "search/strategy.h"
#include "views/common/format.h"
#include "views/document/document.h"
#include "views/document/verdicts.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <mutex>
#include <utility>

namespace mitos::views {

namespace {

constexpr int MailMs = 50;
/// Time limit of extracting a graph, whose parts are shared, after each iteration.
constexpr double SharedSeconds = 0.5;

Result<egraph::LoadedSnapshot> readFile(const std::string& path) {
    auto source = readSourceFile(path);
    if (!source) return source.error();
    return egraph::readJson(*source);
}

}  // namespace

/// The e-graph of a run. Only one job at a time works on it.
struct EGraphDocument::Live {
    std::mutex mutex;
    std::shared_ptr<ir::TermBank> bank;
    ir::Program program;
    std::unique_ptr<egraph::EGraph> graph;
    egraph::ENodeId root;
    std::string model;  ///< the cost model of the cheapest programs
    /// The cheapest program after an iteration, with the path to it; if it stays the same, only its first iteration is stored.
    struct Cheapest {
        std::size_t iteration = 0;
        rewrite::Thread thread;
    };
    std::vector<Cheapest> cheapest;

    /// Records the best program after an iteration.
    void note(std::size_t iteration, const extract::CheckedExtraction& extraction) {
        const rewrite::Thread& thread = extraction.best().thread;
        if (cheapest.empty() || cheapest.back().thread.end().root != thread.end().root) {
            cheapest.push_back({iteration, thread});
        }
    }
    [[nodiscard]] const rewrite::Thread* cheapestAfter(std::size_t iteration) const {
        const rewrite::Thread* found = nullptr;
        for (const Cheapest& each : cheapest) {
            if (each.iteration <= iteration) found = &each.thread;
        }
        return found;
    }
};

/// Filled by the run's thread, emptied by the GUI thread.
struct EGraphDocument::Mailbox {
    std::mutex mutex;
    bool started = false;
    egraph::SaturationReport begin;  ///< of the run, without its iterations
    std::vector<egraph::IterationReport> iterations;
    std::vector<Step> steps;
    bool isAnew = false;     ///< earlier deliveries are invalid
    std::uint64_t kept = 0;  ///< e-nodes of all snapshots; used only on the run's thread

    void put(const egraph::SaturationReport& now, egraph::EGraph& graph, egraph::ENodeId root,
             extract::Pricing& pricing) {
        Step step{static_cast<std::uint32_t>(now.iterations.size()), nullptr};
        kept += graph.nodeCount();
        if (graph.nodeCount() <= LargestShown && kept <= MostKept) {
            const std::array roots{root};
            step.snapshot = std::make_shared<const egraph::Snapshot>(
                egraph::takeSnapshot(graph, roots, [&pricing](egraph::ENodeId node) { return pricing.price(node); }));
        }
        const std::scoped_lock lock(mutex);
        if (!std::exchange(started, true)) begin = now;
        begin.leftOut = now.leftOut;
        if (!now.iterations.empty()) iterations.push_back(now.iterations.back());
        if (step.snapshot) steps.push_back(std::move(step));
    }

    /// Called when the run starts over: only the initial graph is kept.
    void beginAnew() {
        const std::scoped_lock lock(mutex);
        isAnew = true;
        iterations.clear();
        std::erase_if(steps, [](const Step& step) { return step.iteration != 0; });
    }
};

EGraphDocument::EGraphDocument(JobRunner& jobs, QObject* parent) : QObject(parent), m_jobs(jobs) {
    m_mailTimer.setObjectName(QStringLiteral("egraphMail"));
    m_mailTimer.setInterval(MailMs);
    connect(&m_mailTimer, &QTimer::timeout, this, &EGraphDocument::collect);
}

EGraphDocument::~EGraphDocument() {
    if (m_opening != 0) m_jobs.discard(m_opening);
    if (m_running != 0) m_jobs.discard(m_running);
}

bool EGraphDocument::isEGraphFile(const QString& path) {
    return QFileInfo(path).suffix().compare(QLatin1String("json"), Qt::CaseInsensitive) == 0;
}

void EGraphDocument::reset(const QString& title, const QString& source) {
    if (m_running != 0) m_jobs.discard(std::exchange(m_running, 0));
    m_mailTimer.stop();
    m_mailbox.reset();
    m_live.reset();
    m_subject = std::make_unique<QObject>();
    m_title = title;
    m_source = source;
    m_steps.clear();
    m_shown = 0;
    m_hasReport = false;
    m_report = {};
    m_rule.clear();
}

void EGraphDocument::openFile(const QString& path) {
    if (m_opening != 0) m_jobs.discard(m_opening);
    const QString name = QFileInfo(path).fileName();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    m_opening = m_jobs.start(
        tr("Opening %1").arg(name), false, this,
        [file = QFile::encodeName(absolute).toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return readFile(file);
        },
        [this, name, absolute](Result<egraph::LoadedSnapshot> loaded) {
            m_opening = 0;
            if (!loaded) {
                Q_EMIT failed(tr("Could not open %1").arg(name), fromUtf8(loaded.error().render()));
                return;
            }
            reset(name, absolute);
            m_steps = {{0, std::make_shared<const egraph::Snapshot>(std::move(loaded->snapshot))}};
            Q_EMIT opened();
            Q_EMIT stepsChanged();
            Q_EMIT reportChanged();
            Q_EMIT snapshotChanged();
            for (const std::string& warning : loaded->warnings) Q_EMIT notice(fromUtf8(warning));
        });
}

void EGraphDocument::saturate(const QString& title, const Snapshot& program, const SearchRules& rules,
                              std::shared_ptr<const cost::CostModel> model, const SaturationSettings& settings) {
    if (m_opening != 0) m_jobs.discard(std::exchange(m_opening, 0));
    reset(title, {});
    m_mailbox = std::make_shared<Mailbox>();
    m_live = std::make_shared<Live>();
    m_mailTimer.start();
    egraph::SaturationOptions options;
    options.limits.iterations = settings.iterations;
    options.limits.nodes = settings.nodes;
    options.limits.seconds = settings.seconds;
    options.limits.memoryBytes = search::DefaultMemoryBytes;
    options.scheduler = settings.scheduler.toStdString();
    const auto trusted = std::make_shared<eval::TrustedRules>();  // used by the job until it ends
    m_running = m_jobs.start(
        tr("Saturating %1").arg(title), true, m_subject.get(),
        [program, rules, trusted, model = std::move(model), options, live = m_live, mail = m_mailbox](
            const std::stop_token& stop, const JobRunner::Report& report) -> Result<egraph::SaturationReport> {
            const std::scoped_lock lock(live->mutex);
            ProgramCopy copy = program.copy();
            live->bank = copy.bank;
            live->program = copy.program;
            live->graph = std::make_unique<egraph::EGraph>(*live->bank);
            live->root = live->graph->add(copy.program.root);
            live->graph->rebuild();
            if (rules.areForeign) report(-1.0, tr("testing rules"));
            Result<eval::TrustedRules> allowed = rules.trusted(stop);
            if (!allowed) return std::move(allowed).error();
            *trusted = *std::move(allowed);
            auto prepared = egraph::prepareRules(trusted->directions, trusted->multis);
            if (!prepared) return prepared.error();
            egraph::SaturationReport start;
            for (const auto& rule : *prepared) start.rules.push_back(rule->name());
            start.startNodes = live->graph->nodeCount();
            start.startClasses = live->graph->classCount();
            const auto costs = model->evaluator(*live->bank, live->program.function);
            const bool isGraph = live->bank->function(live->program.function).sharing == ir::Sharing::Graph;
            extract::CheckedExtraction extraction(*live->graph, *costs, {live->program});
            const auto cheapest = [&](egraph::ENodeId node) { return extraction.cheapest(node); };
            const auto mayGoOn = [&stop] { return !stop.stop_requested(); };
            // The cost reported for an iteration must be obtainable, so it is that of the best program with a thread.
            const auto look = [&](std::size_t iteration) {
                extraction.update(mayGoOn);
                extraction.extract("tree");
                if (isGraph) extraction.extract("dag", {.seconds = SharedSeconds}, stop);
                live->note(iteration, extraction);
            };
            live->model = model->info().name;
            look(0);
            std::optional<extract::RuleGains> gains;
            gains.emplace(*live->graph, *costs, *prepared, std::vector{live->program}, cheapest);
            gains->record(cheapest, start, mayGoOn);
            mail->put(start, *live->graph, live->root, extraction.pricing());
            egraph::SaturationOptions settled = options;
            if (isGraph) {
                settled.cycles = egraph::CycleFilter::Efficient;
                settled.roots = egraph::RootChoice::Apart;
            }
            const auto follow = [&](const egraph::SaturationReport& now) {
                if (!extraction.follow(now)) return;
                live->cheapest.clear();
                look(0);
                gains.emplace(*live->graph, *costs, *prepared, std::vector{live->program}, cheapest);
                mail->beginAnew();
            };
            Result<egraph::SaturationReport> done = egraph::saturate(
                *live->graph, *prepared, settled, stop, [&](egraph::SaturationReport& now, egraph::EGraph& graph) {
                    follow(now);
                    look(now.iterations.size());
                    gains->record(cheapest, now, mayGoOn);
                    mail->put(now, graph, live->root, extraction.pricing());
                    const auto limit = static_cast<double>(*options.limits.iterations);
                    report(static_cast<double>(now.iterations.size()) / limit,
                           tr("iteration %1, %2 e-nodes")
                               .arg(now.iterations.size())
                               .arg(QLocale().toString(static_cast<qulonglong>(now.iterations.back().nodes))));
                    return !stop.stop_requested();
                });
            if (done) follow(*done);
            return done;
        },
        [this, trusted](Result<egraph::SaturationReport> ended) {
            const JobId job = std::exchange(m_running, 0);
            if (const QString text = failedRulesText(*trusted); !text.isEmpty()) {
                Q_EMIT notice(text, doubtfulRulesDetails(*trusted));
            }
            collect();
            m_mailTimer.stop();
            if (!ended) {
                m_live.reset();
                m_jobs.setOutcome(job, JobInfo::State::Failed, fromUtf8(ended.error().message));
                Q_EMIT failed(tr("The saturation failed"), fromUtf8(ended.error().render()));
            } else {
                m_report = std::move(*ended);
                const bool stopped = m_report.stop == egraph::StopReason::Stopped;
                m_jobs.setOutcome(job, stopped ? JobInfo::State::Stopped : JobInfo::State::Finished,
                                  fromUtf8(egraph::toString(m_report.stop)));
                if (m_report.stop == egraph::StopReason::Contradiction) {
                    Q_EMIT failed(tr("Two different constants are equal"), fromUtf8(m_report.detail));
                }
                for (const egraph::LeftOutRule& rule : m_report.leftOut) {
                    Q_EMIT notice(tr("%1 was left out: with it, different constants became equal. The run began anew "
                                     "without it.")
                                      .arg(fromUtf8(rule.rule)),
                                  fromUtf8(rule.reason));
                }
            }
            Q_EMIT reportChanged();
        });
}

void EGraphDocument::stop() {
    if (m_running != 0) m_jobs.stop(m_running);
}

void EGraphDocument::collect() {
    if (!m_mailbox) return;
    std::vector<Step> fresh;
    std::vector<egraph::IterationReport> iterations;
    const bool first = !m_hasReport;
    bool isAnew = false;
    {
        const std::scoped_lock lock(m_mailbox->mutex);
        if (!m_mailbox->started) return;
        isAnew = std::exchange(m_mailbox->isAnew, false);
        fresh = std::exchange(m_mailbox->steps, {});
        iterations = std::exchange(m_mailbox->iterations, {});
        if (first) m_report = m_mailbox->begin;
    }
    if (!first && !isAnew && fresh.empty() && iterations.empty()) return;
    const bool fellBack = isAnew && !m_steps.empty() && m_steps.size() > 1;
    if (isAnew) {
        m_report.iterations.clear();
        std::erase_if(m_steps, [](const Step& step) { return step.iteration != 0; });
        m_shown = 0;
    }
    std::move(iterations.begin(), iterations.end(), std::back_inserter(m_report.iterations));
    m_hasReport = true;
    // If an earlier iteration is shown, it stays shown.
    const bool follows = m_steps.empty() || m_shown + 1 == m_steps.size();
    const bool more = !fresh.empty();
    for (Step& step : fresh) m_steps.push_back(std::move(step));
    if (follows && more) m_shown = m_steps.size() - 1;
    if (first) Q_EMIT opened();
    if (more || fellBack) Q_EMIT stepsChanged();
    Q_EMIT reportChanged();
    if ((follows && more) || fellBack) Q_EMIT snapshotChanged();
}

std::shared_ptr<const egraph::Snapshot> EGraphDocument::snapshot() const {
    return isOpen() ? m_steps[m_shown].snapshot : nullptr;
}

void EGraphDocument::showStep(int step) {
    if (step < 0 || step >= stepCount() || step == shownStep()) return;
    m_shown = static_cast<std::size_t>(step);
    Q_EMIT snapshotChanged();
}

void EGraphDocument::showNearest(std::uint32_t iteration) {
    int nearest = 0;
    for (int step = 0; step < stepCount(); ++step) {
        const auto distance = [&](int of) {
            return std::abs(static_cast<double>(m_steps[static_cast<std::size_t>(of)].iteration) - iteration);
        };
        if (distance(step) < distance(nearest)) nearest = step;
    }
    showStep(nearest);
}

void EGraphDocument::setRule(const QString& rule) {
    if (rule == m_rule) return;
    m_rule = rule;
    Q_EMIT ruleChanged();
}

// --- threads -------------------------------------------------------------------------------------------------------------

void EGraphDocument::ask(const QString& what, std::function<Result<FoundThread>(Live&, const std::stop_token&)> work,
                         void (EGraphDocument::*found)(const FoundThread&)) {
    if (!canExplain()) return;
    m_jobs.start(
        what, true, m_subject.get(),
        [live = m_live, work = std::move(work)](const std::stop_token& stop, const JobRunner::Report&) {
            const std::scoped_lock lock(live->mutex);
            return work(*live, stop);
        },
        [this, found](Result<FoundThread> answer) {
            if (!answer) {
                Q_EMIT failed(tr("There is no explanation"), fromUtf8(answer.error().render()));
            } else if (!answer->check.valid) {
                Q_EMIT failed(tr("The checker refused the explanation"),
                              tr("Step %1: %2").arg(answer->check.failedStep).arg(fromUtf8(answer->check.reason)));
            } else {
                Q_EMIT(this->*found)(*answer);
            }
        });
}

namespace {

/// Copies the thread into a small bank, and adds the checker's verdict.
FoundThread keep(ir::TermBank& bank, const rewrite::Thread& thread, const ir::Program& program) {
    FoundThread found;
    found.fromProgram = thread.start.root == program.root;
    found.bank = std::make_shared<ir::TermBank>(bank.sharedRegistry());
    found.thread = rewrite::transplant(bank, thread, *found.bank);
    found.check = rewrite::check(*found.bank, found.thread);
    return found;
}

}  // namespace

std::size_t EGraphDocument::promisedIteration() const {
    const bool isLast = m_shown + 1 == m_steps.size();
    return isLast ? std::max<std::size_t>(m_report.iterations.size(), iteration()) : iteration();
}

std::optional<double> EGraphDocument::cheapestCost() const {
    const std::size_t number = promisedIteration();
    if (number > m_report.iterations.size()) return std::nullopt;
    return number == 0 ? m_report.startCost : m_report.iterations[number - 1].cost;
}

void EGraphDocument::takeCheapest(std::shared_ptr<const cost::CostModel> model) {
    ask(
        tr("Extracting from %1").arg(m_title),
        [model = std::move(model), iteration = promisedIteration()](
            Live& live, const std::stop_token& stop) -> Result<FoundThread> {
            if (const rewrite::Thread* const found = live.cheapestAfter(iteration);
                found != nullptr && live.model == model->info().name) {
                return keep(*live.bank, *found, live.program);
            }
            const auto costs = model->evaluator(*live.bank, live.program.function);
            extract::CheckedExtraction extraction(*live.graph, *costs, {live.program});
            // When stopped, the result is the best program found so far.
            extraction.update([&stop] { return !stop.stop_requested(); });
            extraction.extract("tree");
            if (live.bank->function(live.program.function).sharing == ir::Sharing::Graph) {
                extraction.extract("dag", {.seconds = SharedSeconds}, stop);
            }
            return keep(*live.bank, extraction.best().thread, live.program);
        },
        &EGraphDocument::threadFound);
}

void EGraphDocument::explain(const QString& from, const QString& to) {
    ask(
        tr("Explaining an equality"),
        [a = egraph::ENodeId(from.toUInt()), b = egraph::ENodeId(to.toUInt())](
            Live& live, const std::stop_token&) -> Result<FoundThread> {
            const bool turned = live.graph->term(b) == live.program.root;
            auto thread = egraph::explainMembers(*live.graph, live.program.function, turned ? b : a, turned ? a : b);
            if (!thread) return thread.error();
            return keep(*live.bank, *thread, live.program);
        },
        &EGraphDocument::explained);
}

}  // namespace mitos::views
