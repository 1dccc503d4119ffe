// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files, and follows saturations, which are runs of the document; the old e-graph stays until the new one is available.
#include "views/document/egraph_document.h"

#include "core/egraph/explain.h"
#include "core/egraph/json.h"
#include "core/egraph/take_snapshot.h"
#include "core/rewrite/detours.h"
#include "core/tasks/files/any_graph.h"
#include "search/saturation/saturation.h"
#include "views/common/format.h"
#include "views/document/document.h"

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

Result<egraph::LoadedSnapshot> readFile(const std::string& path) {
    MITOS_TRY(auto source, readSourceFile(path));
    return egraph::readJson(source);
}

std::shared_ptr<const egraph::Snapshot> snapshotOf(search::SaturationRun& run) {
    // A run with little time may not have priced this iteration.
    run.extraction().update([] { return true; });
    const std::array roots{run.root()};
    return std::make_shared<const egraph::Snapshot>(egraph::takeSnapshot(
        run.graph(), roots, [&run](egraph::ENodeId node) { return run.extraction().pricing().price(node); }));
}

}  // namespace

/// The e-graph of a run. Only one job at a time works on it.
struct EGraphDocument::Live {
    std::mutex mutex;
    std::shared_ptr<search::SaturationRun> run;
    std::string model;  ///< the cost model of the cheapest programs; set before the run begins
    std::shared_ptr<const tensor::Weights> weights;  ///< of the saturated network; likewise
    /// The cheapest program after an iteration, with the path to it; if it stays the same, only its first iteration is stored.
    struct Cheapest {
        std::size_t iteration = 0;
        rewrite::Thread thread;
        double cost = 0.0;
    };
    std::vector<Cheapest> cheapest;

    /// Records the best program after an iteration.
    void note(std::size_t iteration) {
        const extract::CheckedExtraction::Found& best = run->best();
        if (cheapest.empty() || cheapest.back().thread.end().root != best.term) {
            cheapest.push_back({iteration, best.thread, best.cost});
        }
    }
    [[nodiscard]] const Cheapest* cheapestAfter(std::size_t iteration) const {
        const Cheapest* found = nullptr;
        for (const Cheapest& each : cheapest) {
            if (each.iteration <= iteration) found = &each;
        }
        return found;
    }
};

/// Filled by the run's thread, emptied by the GUI thread.
struct EGraphDocument::Mailbox {
    struct Letter {
        Step step;
        std::size_t restarts = 0;  ///< how often the run had begun anew by then
    };
    std::mutex mutex;
    std::vector<Letter> letters;
    std::uint64_t kept = 0;  ///< e-nodes of all snapshots; used only on the run's thread

    void put(search::SaturationRun& run) {
        egraph::EGraph& graph = run.graph();
        kept += graph.nodeCount();
        if (graph.nodeCount() > LargestShown || kept > MostKept) return;
        auto snapshot = snapshotOf(run);
        const std::scoped_lock lock(mutex);
        const auto iteration = static_cast<std::uint32_t>(run.report().iterations.size());
        letters.push_back({{iteration, std::move(snapshot)}, run.report().leftOut.size()});
    }

    /// Takes the snapshots whose iterations are in the report.
    std::vector<Step> take(const egraph::SaturationReport& report) {
        std::vector<Step> steps;
        const std::scoped_lock lock(mutex);
        std::erase_if(letters, [&](Letter& letter) {
            if (letter.restarts < report.leftOut.size() && letter.step.iteration != 0) return true;
            if (letter.restarts > report.leftOut.size()) return false;
            if (letter.step.iteration > report.iterations.size()) return false;
            steps.push_back(std::move(letter.step));
            return true;
        });
        return steps;
    }
};

/// Delivers what the events of a run do not contain: its e-graph and its cheapest programs. Called on the run's thread.
class EGraphDocument::Courier final : public search::SaturationRun::Follower {
public:
    Courier(std::shared_ptr<Live> live, std::shared_ptr<Mailbox> mail)
        : m_live(std::move(live)),
          m_mail(std::move(mail)) {}

    void onStart(search::SaturationRun& run) override {
        m_live->run = run.shared_from_this();
        m_live->note(0);
        m_mail->put(run);
    }
    void onRestart(search::SaturationRun&) override { m_live->cheapest.resize(1); }  // that of the initial graph
    void onIteration(search::SaturationRun& run) override { m_mail->put(run); }
    void onImproved(search::SaturationRun& run) override { m_live->note(run.report().iterations.size()); }

private:
    std::shared_ptr<Live> m_live;
    std::shared_ptr<Mailbox> m_mail;
};

EGraphDocument::EGraphDocument(JobRunner& jobs, QObject* parent) : QObject(parent), m_jobs(jobs) {}

EGraphDocument::~EGraphDocument() {
    if (m_opening != 0) m_jobs.discard(m_opening);
}

bool EGraphDocument::isEGraphFile(const QString& path) {
    if (QFileInfo(path).suffix().compare(QLatin1String("json"), Qt::CaseInsensitive) != 0) return false;
    constexpr qint64 Beginning = 4096;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return true;
    return !tasks::isGraphText(file.read(Beginning).toStdString());
}

void EGraphDocument::reset(const QString& title, const QString& source) {
    m_mailbox.reset();
    m_isSaturating = false;
    m_folded = 0;
    m_live.reset();
    m_subject = std::make_unique<QObject>();
    m_title = title;
    m_source = source;
    m_steps.clear();
    m_shown = 0;
    m_hasReport = false;
    m_report = {};
    m_trees.clear();
    m_tried.reset();
    m_resultCost.reset();
    m_costUnit.clear();
    m_rule.clear();
    m_run = 0;
    m_goal.reset();
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

bool EGraphDocument::saturate(Document& document, const SearchSettings& settings, const QString& goal) {
    const auto live = std::make_shared<Live>();
    const auto mailbox = std::make_shared<Mailbox>();
    live->model = document.costModel().info().name;
    if (const auto model = document.model()) live->weights = model->givenWeights();
    const auto courier = std::make_shared<Courier>(live, mailbox);
    const auto strategies = search::saturationStrategies(courier, goal.toStdString());
    const auto chosen = std::ranges::find_if(
        strategies, [&](const auto& each) { return settings.strategy == fromUtf8(each->info().name); });
    const RunNumber run = document.startSearch(settings, chosen == strategies.end() ? strategies.front() : *chosen);
    if (run == 0) return false;
    if (m_opening != 0) m_jobs.discard(std::exchange(m_opening, 0));
    reset(document.title(), {});
    m_costUnit = fromUtf8(document.costModel().info().unit);
    m_live = live;
    m_mailbox = mailbox;
    m_isSaturating = true;
    m_run = run;
    if (!goal.isEmpty()) m_goal = {.text = goal, .isDecided = false, .foundAfter = {}};
    follow(document, run);
    return true;
}

void EGraphDocument::showRun(const Document& document, const Run& run) {
    reset(document.title(), {});
    if (const cost::CostModelInfo& info = document.costModel().info(); info.name == run.costModel)
        m_costUnit = fromUtf8(info.unit);
    for (const search::SearchEvent& event : run.events) fold(event);
    m_hasReport = true;
    m_resultCost = run.bestCost;
    Q_EMIT opened();
    Q_EMIT stepsChanged();
    Q_EMIT reportChanged();
    Q_EMIT snapshotChanged();
}

/// The run's events stay in the report when the program is closed or the run is discarded; its e-graph is then given up, because
/// the run's thread may still work on it.
void EGraphDocument::follow(Document& document, int run) {
    connect(&document, &Document::runChanged, m_subject.get(), [this, &document, run](int number) {
        const Run* const changed = document.run(number);
        if (number == run && changed != nullptr && m_isSaturating) collect(*changed);
    });
    // After the run's own result has joined the history, so that the goal becomes current.
    connect(&document, &Document::runEnded, m_subject.get(), [this, run](int number) {
        if (number == run && m_run == run) takeGoal();
    });
    const auto giveUp = [this] {
        m_run = 0;  // another program's runs have the same numbers
        if (!std::exchange(m_isSaturating, false)) return;
        m_live.reset();
        m_goal.reset();
        Q_EMIT reportChanged();
    };
    connect(&document, &Document::closed, m_subject.get(), giveUp);
    connect(&document, &Document::runRemoved, m_subject.get(), [giveUp, run](int number) {
        if (number == run) giveUp();
    });
}

void EGraphDocument::fold(const search::SearchEvent& event) {
    search::fold(m_report, event);
    if (event.is<search::Restarted>()) m_trees.clear();
    if (const auto* chosen = std::get_if<search::RuleChosen>(&event.what)) {
        m_trees.resize(m_report.iterations.size() + 1);
        m_trees.back() = std::make_shared<const search::GuideTree>(chosen->tree);
    }
}

void EGraphDocument::collect(const Run& run) {
    const bool first = !m_hasReport;
    const std::size_t restarts = m_report.leftOut.size();
    for (; m_folded < run.events.size(); ++m_folded) {
        fold(run.events[m_folded]);
        m_hasReport = m_hasReport || run.events[m_folded].is<search::GrowthStarted>();
    }
    const bool restarted = m_report.leftOut.size() != restarts && m_steps.size() > 1;
    if (restarted) {
        std::erase_if(m_steps, [](const Step& step) { return step.iteration != 0; });
        m_shown = 0;
    }
    std::vector<Step> fresh = m_hasReport ? m_mailbox->take(m_report) : std::vector<Step>();
    // If an earlier iteration is shown, it stays shown.
    const bool follows = m_steps.empty() || m_shown + 1 == m_steps.size();
    const bool more = !fresh.empty();
    std::ranges::move(fresh, std::back_inserter(m_steps));
    if (follows && more) m_shown = m_steps.size() - 1;
    if (run.job == 0) end(run);
    if (first && m_hasReport) Q_EMIT opened();
    if (more || restarted) Q_EMIT stepsChanged();
    Q_EMIT reportChanged();
    if ((follows && more) || restarted) Q_EMIT snapshotChanged();
}

void EGraphDocument::end(const Run& run) {
    m_isSaturating = false;
    m_leftOut = run.leftOutRules;
    if (!run.events.empty() && run.events.back().is<search::Finished>()) {
        m_resultCost = run.bestCost;
        if (m_goal) {
            const search::SaturationRun::Goal& goal = m_live->run->goals().front();
            m_goal->isDecided = true;
            if (goal.start) m_goal->foundAfter = goal.iteration;
        }
    } else {
        m_live.reset();
        m_goal.reset();
    }
    if (m_report.stop == egraph::StopReason::Contradiction) {
        Q_EMIT failed(tr("Two different constants are equal"), fromUtf8(m_report.detail));
    }
}

std::shared_ptr<const egraph::Snapshot> EGraphDocument::snapshot() const {
    if (m_tried) return m_tried->snapshot;
    return isOpen() ? m_steps[m_shown].snapshot : nullptr;
}

std::shared_ptr<const search::GuideTree> EGraphDocument::treeAfter(std::uint32_t iteration) const {
    return iteration < m_trees.size() ? m_trees[iteration] : nullptr;
}

void EGraphDocument::showTried(std::uint32_t iteration, const std::vector<std::uint32_t>& rules) {
    if (!canExplain() || iteration >= m_trees.size()) return;
    std::vector<std::uint32_t> all;  // from the start
    for (std::uint32_t before = 0; before < iteration; ++before) {
        const auto& tree = m_trees[before];
        if (!tree) return;
        all.push_back(tree->nodes[tree->chosen].rule);
    }
    Tried tried;
    for (const std::uint32_t rule : rules) {
        all.push_back(rule);
        tried.rules << (rule < m_report.rules.size() ? fromUtf8(m_report.rules[rule]) : QString());
    }
    using Made = Result<std::shared_ptr<const egraph::Snapshot>>;
    m_jobs.start(
        tr("Making an e-graph that was tried"), true, m_subject.get(),
        [live = m_live, all](const std::stop_token& stop, const JobRunner::Report&) -> Made {
            const std::scoped_lock lock(live->mutex);
            MITOS_TRY(const std::shared_ptr<search::SaturationRun> made, live->run->after(all, stop));
            return snapshotOf(*made);
        },
        [this, tried = std::move(tried)](const Made& made) mutable {
            if (!made) {
                Q_EMIT failed(tr("The e-graph could not be made"), fromUtf8(made.error().render()));
                return;
            }
            tried.snapshot = *made;
            m_tried = std::move(tried);
            Q_EMIT snapshotChanged();
        });
}

void EGraphDocument::showStep(int step) {
    if (step < 0 || step >= stepCount() || (step == shownStep() && !m_tried)) return;
    m_tried.reset();
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

void EGraphDocument::ask(const QString& what, std::function<Result<Answer>(Live&, const std::stop_token&)> work,
                         std::function<void(const Answer&)> use) {
    if (!canExplain()) return;
    m_jobs.start(
        what, true, m_subject.get(),
        [live = m_live, work = std::move(work)](const std::stop_token& stop, const JobRunner::Report&) {
            const std::scoped_lock lock(live->mutex);
            return work(*live, stop);
        },
        [this, use = std::move(use)](Result<Answer> answer) {
            if (!answer) {
                Q_EMIT failed(tr("There is no explanation"), fromUtf8(answer.error().render()));
                return;
            }
            const auto* const thread = std::get_if<FoundThread>(&*answer);
            if (thread != nullptr && !thread->check.valid) {
                Q_EMIT failed(tr("The checker refused the explanation"),
                              tr("Step %1: %2").arg(thread->check.failedStep).arg(fromUtf8(thread->check.reason)));
                return;
            }
            use(*answer);
        });
}

namespace {

/// Copies the thread into a small bank, and adds the checker's verdict.
FoundThread keep(const search::SaturationRun& run, const rewrite::Thread& thread) {
    FoundThread found;
    found.fromProgram = thread.start.root == run.starts().front().root;
    found.bank = std::make_shared<ir::TermBank>(run.bank()->sharedRegistry());
    found.thread = rewrite::transplant(*run.bank(), thread, *found.bank);
    found.check = rewrite::check(*found.bank, found.thread);
    return found;
}

Result<search::NotEqual> notEqualIn(search::SaturationRun& run, egraph::ENodeId first, egraph::ENodeId second,
                                    const std::shared_ptr<const tensor::Weights>& weights,
                                    const std::vector<std::string>& leftOut, const std::stop_token& stop) {
    eval::EquivalenceOptions options{.seconds = search::LongestComparison, .weights = weights};
    options.limits.stop = stop;
    MITOS_TRY(search::NotEqual answer, search::whyNotEqual(run, first, second, options));
    answer.leftOut = leftOut;
    answer.remedy = EGraphDocument::tr("insist on them in the menu of the rules").toStdString();
    return answer;
}

}  // namespace

std::size_t EGraphDocument::promisedIteration() const {
    const bool isLast = m_shown + 1 >= m_steps.size();
    return isLast ? std::max<std::size_t>(m_report.iterations.size(), iteration()) : iteration();
}

std::optional<double> EGraphDocument::cheapestCost() const {
    const std::size_t number = promisedIteration();
    if (number > m_report.iterations.size()) return std::nullopt;
    if (number == m_report.iterations.size() && m_resultCost) return m_resultCost;
    return number == 0 ? m_report.startCost : m_report.iterations[number - 1].cost;
}

void EGraphDocument::takeCheapest(std::shared_ptr<const cost::CostModel> model) {
    ask(
        tr("Extracting from %1").arg(m_title),
        [model = std::move(model), iteration = promisedIteration()](Live& live,
                                                                    const std::stop_token& stop) -> Result<Answer> {
            const Live::Cheapest* const found = live.cheapestAfter(iteration);
            if (found != nullptr && live.model == model->info().name) return Answer(keep(*live.run, found->thread));
            return Answer(keep(*live.run, live.run->cheapestUnder(*model, stop)));
        },
        [this](const Answer& answer) { Q_EMIT threadFound(std::get<FoundThread>(answer)); });
}

void EGraphDocument::takeGoal() {
    if (!m_goal || !m_goal->isDecided) return;
    ask(
        tr("Explaining the goal"),
        [leftOut = m_leftOut](Live& live, const std::stop_token& stop) -> Result<Answer> {
            const search::SaturationRun::Goal& goal = live.run->goals().front();
            if (!goal.start) {
                MITOS_TRY(search::NotEqual answer,
                          notEqualIn(*live.run, live.run->root(), goal.node, live.weights, leftOut, stop));
                return Answer(std::move(answer));
            }
            MITOS_TRY(const auto thread, live.run->threadTo(goal));
            FoundThread found = keep(*live.run, thread);
            found.leadsToGoal = true;
            return Answer(std::move(found));
        },
        [this](const Answer& answer) {
            if (const auto* const found = std::get_if<FoundThread>(&answer))
                Q_EMIT threadFound(*found);
            else
                Q_EMIT notice(tr("The goal was not found."), fromUtf8(std::get<search::NotEqual>(answer).toString()));
        });
}

QString EGraphDocument::goalText() const {
    if (!m_goal) return {};
    if (!m_goal->isDecided) return tr("Looking for the goal");
    const auto after = [](std::size_t iterations) {
        return iterations == 1 ? tr("after 1 iteration") : tr("after %L1 iterations").arg(iterations);
    };
    if (m_goal->foundAfter) {
        return *m_goal->foundAfter == 0 ? tr("Goal found before the first iteration")
                                        : tr("Goal found %1").arg(after(*m_goal->foundAfter));
    }
    const QString text = tr("Goal not found %1").arg(after(m_report.iterations.size()));
    if (m_report.stop != egraph::StopReason::Saturated) return tr("%1; with higher limits it may be").arg(text);
    return tr("%1: nothing new comes, so these rules do not prove it").arg(text);
}

void EGraphDocument::explain(const QString& from, const QString& to) {
    ask(
        tr("Explaining an equality"),
        [a = egraph::ENodeId(from.toUInt()), b = egraph::ENodeId(to.toUInt()), leftOut = m_leftOut](
            Live& live, const std::stop_token& stop) -> Result<Answer> {
            egraph::EGraph& graph = live.run->graph();
            const ir::Program& start = live.run->starts().front();
            if (graph.find(a) != graph.find(b)) {
                MITOS_TRY(search::NotEqual answer, notEqualIn(*live.run, a, b, live.weights, leftOut, stop));
                return Answer(std::move(answer));
            }
            const bool turned = graph.term(b) == start.root;
            MITOS_TRY(const auto thread, egraph::explainMembers(graph, start.function, turned ? b : a, turned ? a : b));
            return Answer(keep(*live.run, rewrite::shortened(graph.bank(), thread, {}, stop)));
        },
        [this](const Answer& answer) {
            if (const auto* const found = std::get_if<FoundThread>(&answer))
                Q_EMIT explained(*found);
            else
                Q_EMIT notEqual(std::get<search::NotEqual>(answer));
        });
}

}  // namespace mitos::views
