// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the REGAL paper: its statistics by hand, its runs, its folder, and which models it takes.
#include "core/base/source_text.h"
#include "search/experiments/histogram.h"
#include "search/experiments/paired_statistics.h"
#include "search/experiments/regal_claims.h"
#include "search/experiments/regal_experiment.h"
#include "search/experiments/regal_report.h"
#include "search/experiments/regal_tables.h"
#include "search/experiments/report_table.h"
#include "search/placement/policy_trainer.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

using namespace Qt::StringLiterals;

namespace tst_regal_experiment {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::experiments;
using placement::Objective;
using placement::PolicyModel;

namespace {

bool isNear(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

/// Four graphs, 200 evaluations, one seed.
RegalPlan smallPlan(std::vector<std::string> parts) {
    RegalPlan plan;
    plan.parts = std::move(parts);
    plan.graphs = 4;
    plan.seeds = 1;
    plan.evaluations = 200;
    plan.variants = 1;
    plan.exactSeconds = 0.05;
    return plan;
}

std::unique_ptr<RegalExperiment> opened(RegalPlan plan) {
    auto experiment = RegalExperiment::open(std::move(plan));
    if (!experiment) qFatal("%s", experiment.error().render().c_str());
    return *std::move(experiment);
}

ExperimentRuns carriedOut(const RegalExperiment& experiment, const QTemporaryDir& folder) {
    auto runs = carryOut(experiment, folder.filePath(u"x"_s).toStdString(), {});
    if (!runs) qFatal("%s", runs.error().render().c_str());
    return *std::move(runs);
}

/// A record of one search for each graph with these run times; 0: the schedule does not fit.
std::pair<RegalRun, RegalRecord> recordOf(RegalTask task, RegalMethod method, std::uint64_t evaluations,
                                          const std::vector<std::vector<double>>& values) {
    RegalRun run{.key = {task, RegalSet::Unseen, method, evaluations},
                 .first = 0,
                 .count = static_cast<std::uint32_t>(values.size())};
    RegalRecord record{.run = run.name()};
    for (const std::vector<double>& seeds : values) {
        RegalOutcome outcome{.graph = "g", .operations = 10};
        for (const double value : seeds) {
            outcome.searches.push_back({.runtime = value,
                                        .peak = static_cast<std::uint64_t>(value),
                                        .overflow = value == 0.0 ? 1U : 0U,
                                        .evaluations = evaluations,
                                        .seconds = 0.5});
        }
        record.outcomes.push_back(std::move(outcome));
    }
    return {run, record};
}

PolicyModel modelFor(Objective objective, std::uint32_t rounds) {
    PolicyModel model{
        .objective = objective, .decode = placement::Decode::Paper, .machine = "2 devices, instant transfers"};
    model.shape = placement::policyShape(model, 8, rounds);
    return model;
}

/// Writes a model, whose parameters nobody looks at here.
void save(const QTemporaryDir& folder, const QString& name, const PolicyModel& model) {
    const Status saved = learned::saveModel(folder.filePath(name).toStdString(), placement::toFile(model));
    if (!saved) qFatal("%s", saved.error().message.c_str());
}

QString textOf(const std::string& text) { return QString::fromStdString(text); }

}  // namespace

class TestRegalExperiment : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comparesGraphByGraph() {
        const PairedComparison comparison =
            compared(std::vector<double>{90.0, 110.0, 100.0, 50.0}, std::vector<double>{100.0, 100.0, 100.0, 100.0});
        QVERIFY(isNear(comparison.improvement.mean, 12.5));
        QCOMPARE(comparison.better, 2U);
        QCOMPARE(comparison.equal, 1U);
        QCOMPARE(comparison.worse, 1U);
        QVERIFY(isNear(comparison.best, 50.0));
        QVERIFY(isNear(comparison.worst, -10.0));
        QVERIFY(isNear(comparison.notWorse().mean, 75.0));
    }

    /// Of a hundred numbers, half 0 and half 1, the mean of a new draw is binomial: 95 % of them lie between 0.40 and 0.60.
    void intervalsAreThoseOfNewDraws() {
        std::vector<double> numbers(100, 0.0);
        std::fill(numbers.begin(), numbers.begin() + 50, 1.0);
        const IntervalMean mean = intervalMean(numbers);
        QVERIFY(isNear(mean.mean, 0.5));
        QVERIFY(isNear(mean.low, 0.4, 0.011));
        QVERIFY(isNear(mean.high, 0.6, 0.011));
        const IntervalMean same = intervalMean(std::vector<double>(12, 3.0));
        QCOMPARE(same.low, 3.0);
        QCOMPARE(same.high, 3.0);
        QCOMPARE(intervalMean({}).count, 0U);
    }

    void intervalsDecide() {
        const IntervalMean mean{.count = 20, .mean = 2.0, .low = 1.0, .high = 3.0};
        QCOMPARE(reaches(mean, 1.0), Verdict::Holds);
        QCOMPARE(exceeds(mean, 1.0), Verdict::Open);
        QCOMPARE(exceeds(mean, 0.5), Verdict::Holds);
        QCOMPARE(reaches(mean, 2.0), Verdict::Open);
        QCOMPARE(reaches(mean, 3.5), Verdict::Fails);
        QCOMPARE(exceeds(mean, 3.0), Verdict::Fails);
        QCOMPARE(reaches({.count = 4, .mean = 2.0, .low = 1.0, .high = 3.0}, 0.0), Verdict::Open);
    }

    void binsHaveTheirLowerBorder() {
        QCOMPARE(
            binShares(std::vector<double>{-0.5, 0.0, 0.9, 1.0, 7.0}, {.begin = -1.0, .width = 1.0, .count = 3}, 10),
            (std::vector<double>{10.0, 20.0, 20.0}));
    }

    /// Two actions of equal shares have ln 2. Two operations: affinities (0, 1) and (0, 1), priorities 2 and 0.
    void actionsHaveEntropies() {
        QVERIFY(isNear(entropyOf({4, 4, 7, 7}), std::log(2.0)));
        QCOMPARE(entropyOf({3, 3, 3}), 0.0);
        const ChosenActions actions = actionsOf({{{}, {}, {}}, {0, 1, 0, 1, 2, 0}}, 2);
        QCOMPARE(actions.devices, 0.0);
        QVERIFY(isNear(actions.priorities, std::log(2.0)));
        // (0, 1) and (1, 0) are two actions.
        QVERIFY(isNear(actionsOf({{{}, {}}, {0, 1, 1, 0, 0, 0}}, 2).devices, std::log(2.0)));
    }

    void thePaperNumbersAreThere() {
        const auto numbers = namedNumbers("regal-paper");
        QVERIFY2(numbers.ok(), numbers ? "" : numbers.error().message.c_str());
        for (const char* const name : {"evaluations", "memory_gain", "memory_times_next", "memory_next_gain",
                                       "memory_headroom", "time_times_next", "memory_not_worse", "time_not_worse",
                                       "memory_best", "time_best", "memory_worst", "time_worst", "long_evaluations",
                                       "entropy", "actions", "time_transfer_gain", "memory_transfer_gain", "seconds"})
            QVERIFY2(numbers->find(name) != nullptr, name);
        QCOMPARE(numbers->find("memory_gain")->value, 3.56);
        QVERIFY(!numbers->notFound.empty());
        const std::string twice = R"({"paper": "p", "notes": "n", "not_found": [], "numbers": [
            {"name": "a", "value": 1, "meaning": "m", "source": "s"},
            {"name": "a", "value": 2, "meaning": "m", "source": "s"}]})";
        QVERIFY(textOf(readNamedNumbers("f", twice).error().message).contains(u"a is there already"_s));
        QVERIFY(!readNamedNumbers("f", R"({"paper": "p", "other": 1})").ok());
    }

    void runsAreNamedOnce() {
        const RegalPlan plan;
        QCOMPARE(plan.limits(), (std::vector<std::uint64_t>{100, 500, 1'000, 2'500, 5'000, 10'000, 20'000, 50'000}));
        const std::vector<RegalRun> runs = regalRuns(plan);
        std::set<std::string> names;
        for (const RegalRun& run : runs) names.insert(run.name());
        QCOMPARE(names.size(), runs.size());
        QVERIFY(names.contains("memory-unseen-regal-5000-0020"));
        QVERIFY(names.contains("time-unseen-brkga-50000-0080"));
        QVERIFY(names.contains("capped-unseen-gp-dfs-0-0000"));
        QVERIFY(!names.contains("capped-unseen-exact-0-0000"));
        RegalPlan less = plan;
        less.parts = {"figure2"};
        QCOMPARE(regalRuns(less).size(), 20U);  // two tasks, two methods, a hundred graphs by twenty
        less.parts = {"figure5"};
        QVERIFY(textOf(checkPlan(less).error().message).contains(u"no part figure5"_s));
    }

    /// Means of seeds 100 and 200; the best known are 80 and 160; one search of the third graph does not fit.
    void numbersAreThoseByHand() {
        RegalPlan plan;
        plan.graphs = 3;
        plan.seeds = 2;
        std::vector<std::pair<RegalRun, RegalRecord>> records;
        records.push_back(recordOf(RegalTask::Time, RegalMethod::Brkga, 5'000, {{90, 110}, {200, 200}, {10, 10}}));
        records.push_back(recordOf(RegalTask::Time, RegalMethod::Regal, 5'000, {{80, 100}, {220, 220}, {10, 0}}));
        records.push_back(recordOf(RegalTask::Time, RegalMethod::LocalSearch, 5'000, {{98, 98}, {196, 196}, {9, 9}}));
        records.push_back(recordOf(RegalTask::Time, RegalMethod::Brkga, 50'000, {{85, 85}, {160, 160}, {8, 8}}));
        const RegalResults results(plan, {}, *namedNumbers("regal-paper"), std::move(records));
        const RegalKey regal = usualKey(plan, RegalTask::Time, RegalSet::Unseen, RegalMethod::Regal);
        QVERIFY(isNear(*results.objective(regal, 0), 90.0));
        QVERIFY(!results.objective(regal, 2).has_value());
        QCOMPARE(*results.bestKnown(RegalTask::Time, RegalSet::Unseen, 0), 80.0);
        QCOMPARE(*results.bestKnown(RegalTask::Time, RegalSet::Unseen, 1), 160.0);
        const auto summary = results.summary(regal);
        QCOMPARE(summary->graphs, 3U);
        QCOMPARE(summary->unfit, 1U);
        QCOMPARE(summary->numbers, (std::vector<std::uint32_t>{0, 1}));
        QVERIFY(isNear(summary->comparison.improvement.mean, 0.0));  // +10 % and -10 %
        QVERIFY(isNear(summary->gap.mean, (12.5 + 37.5) / 2));
        QVERIFY(isNear(summary->seconds, 0.5));
        const auto next = results.nextBest(RegalTask::Time, RegalSet::Unseen);
        QCOMPARE(next->key.method, RegalMethod::LocalSearch);
        QVERIFY(isNear(next->comparison.improvement.mean, (2.0 + 2.0 + 10.0) / 3));
        // On the two graphs that both have: 10 - 2 × 2 and -10 - 2 × 2.
        const IntervalMean advantage = results.advantage(regal, next->key, 2.0);
        QCOMPARE(advantage.count, 2U);
        QVERIFY(isNear(advantage.mean, -4.0));
        // The room is 20 % and 20 %.
        QVERIFY(isNear(results.beyondRoom(regal, 0.5).mean, -10.0));
        QCOMPARE(textOf(results.title({RegalTask::Time, RegalSet::Unseen, RegalMethod::Brkga, 50'000})),
                 u"BRKGA, 50,000 evaluations"_s);
        QVERIFY(!results.summary(usualKey(plan, RegalTask::Memory, RegalSet::Unseen, RegalMethod::Regal)).has_value());
        const ReportTable table = methodTable(results, RegalTask::Time, RegalSet::Unseen);
        QCOMPARE(table.rows.size(), 4U);
        QCOMPARE(textOf(table.rows[1][2]), u"reference"_s);
        QCOMPARE(textOf(table.rows[3][5]), u"1 / 0 / 1"_s);
    }

    /// Twelve graphs on which REGAL gains exactly 4 %, 2 % in the second case, and the next best 1 %.
    void verdictsFollowTheRuns() {
        RegalPlan plan;
        plan.graphs = 12;
        plan.seeds = 1;
        const auto verdictsFor = [&](double peak) {
            const auto all = [](double value) { return std::vector<std::vector<double>>(12, {value}); };
            std::vector<std::pair<RegalRun, RegalRecord>> records;
            records.push_back(recordOf(RegalTask::Memory, RegalMethod::Brkga, 5'000, all(1'000)));
            records.push_back(recordOf(RegalTask::Memory, RegalMethod::TunedBrkga, 5'000, all(990)));
            records.push_back(recordOf(RegalTask::Memory, RegalMethod::Brkga, 50'000, all(970)));
            records.push_back(recordOf(RegalTask::Memory, RegalMethod::Regal, 5'000, all(peak)));
            const RegalResults results(plan, {}, *namedNumbers("regal-paper"), std::move(records));
            return regalClaims(results);
        };
        const auto of = [](const std::vector<Claim>& claims, const QString& part) {
            for (const Claim& claim : claims) {
                if (textOf(claim.claim).contains(part)) return claim.verdict;
            }
            qFatal("there is no such claim");
        };
        const std::vector<Claim> good = verdictsFor(960);
        const std::vector<Claim> poor = verdictsFor(980);
        QCOMPARE(of(good, u"REGAL is 3.56 % better"_s), Verdict::Holds);
        QCOMPARE(of(poor, u"REGAL is 3.56 % better"_s), Verdict::Fails);
        QCOMPARE(of(good, u"Peak memory: REGAL matches or beats"_s), Verdict::Holds);
        QCOMPARE(of(good, u"does not match REGAL"_s), Verdict::Holds);
        QCOMPARE(of(poor, u"does not match REGAL"_s), Verdict::Fails);
        QCOMPARE(of(good, u"gain of REGAL is 4.4 times"_s), Verdict::Fails);  // 4 times
        QCOMPARE(of(good, u"54 % of the room"_s), Verdict::Holds);
        // Methods without runs leave a claim about all of them open.
        QCOMPARE(of(good, u"Peak memory: REGAL outperforms all"_s), Verdict::Open);
        QCOMPARE(of(good, u"Run time: the gain of REGAL"_s), Verdict::Open);
    }

    void recordsAreReadAsWritten() {
        RegalRecord record = recordOf(RegalTask::Memory, RegalMethod::Regal, 5'000, {{10, 0}, {}}).second;
        record.model = "abc";
        record.outcomes[0].actions = ChosenActions{0.25, 1.5};
        record.outcomes[0].isProven = true;
        const auto read = readRegalRecord(writeRegalRecord(record));
        QVERIFY2(read.ok(), read ? "" : read.error().message.c_str());
        QCOMPARE(writeRegalRecord(*read), writeRegalRecord(record));
        QVERIFY(read->outcomes[0].searches == record.outcomes[0].searches);
        QVERIFY(!readRegalRecord("{}").ok());
        QVERIFY(!readRegalRecord(R"({"run": "a", "model": "", "outcomes": [{"graph": 1}]})").ok());
    }

    /// Without models their methods are named, and all others run. What is there is kept; what is damaged is made again.
    void goesOnWhereItStopped() {
        const QTemporaryDir folder;
        const QTemporaryDir noModels;
        RegalPlan plan = smallPlan({"table1", "figure3", "noise"});
        plan.models = noModels.path().toStdString();
        const auto experiment = opened(std::move(plan));
        const ExperimentRuns first = carriedOut(*experiment, folder);
        QVERIFY(first.failures.empty());
        QCOMPARE(first.found, 0U);
        QCOMPARE(first.ended(), first.records.size());
        const ExperimentReport report = experiment->report(first, {});
        QStringList missing;
        for (const auto& [name, reason] : report.failures) {
            missing.append(textOf(name));
            QVERIFY2(reason.find("mitos-cli train policy") != std::string::npos, reason.c_str());
        }
        QVERIFY2(missing.contains(u"REGAL for memory"_s) && missing.contains(u"Graph as sequence (GAS) for run time"_s),
                 qPrintable(missing.join(u"; "_s)));
        QXmlStreamReader xml(textOf(htmlOf(report.page, report.claims, {})));
        while (!xml.atEnd()) xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(report.text.find("Tuned BRKGA") != std::string::npos);
        QVERIFY(report.text.find("REGAL  ") == std::string::npos);
        // No number of a method that has no model.
        const auto csv = std::ranges::find(report.files, "runs.csv", &ExperimentFile::path);
        QVERIFY(csv != report.files.end());
        QVERIFY(csv->text.find(",regal,") == std::string::npos);

        QFile damaged(folder.filePath(u"x/runs/memory-unseen-brkga-200-0000.json"_s));
        QVERIFY(damaged.open(QIODevice::ReadWrite));
        QByteArray text = damaged.readAll();
        QVERIFY(text.contains("\"peak\": "));
        text.replace("\"peak\": ", "\"peak\": 1");
        QVERIFY(damaged.resize(0) && damaged.seek(0) && damaged.write(text) == text.size());
        damaged.close();
        const ExperimentRuns second = carriedOut(*experiment, folder);
        QCOMPARE(second.found, first.records.size() - 1);
        const auto peaks = [](const ExperimentRuns& runs) {
            std::vector<std::uint64_t> all;
            for (const auto& text : runs.records) {
                const auto record = readRegalRecord(*text);
                for (const RegalOutcome& outcome : record->outcomes) {
                    for (const RegalSearch& search : outcome.searches) all.push_back(search.peak);
                }
            }
            return all;
        };
        QCOMPARE(peaks(second), peaks(first));

        // More graphs may be added; those that are there stay as they are.
        RegalPlan more = smallPlan({"figure2"});
        more.models = noModels.path().toStdString();
        more.graphs = 21;
        const auto larger = opened(more);
        QCOMPARE(carriedOut(*larger, folder).found, 0U);  // the first twenty are one record, of which there were four
        more.graphs = 22;
        QCOMPARE(carriedOut(*opened(more), folder).found, 2U);
        more.seeds = 2;
        QVERIFY(!carryOut(*opened(more), folder.filePath(u"x"_s).toStdString(), {}).ok());
    }

    /// The limit is that of the unlearned search for memory, which any search for memory keeps.
    void theLimitOfMemoryIsThatOfASearch() {
        RegalPlan plan = smallPlan({"capped"});
        plan.graphs = 2;
        const RegalGraphs graphs(plan);
        const auto capped = graphs.problem(RegalTask::Capped, RegalSet::Unseen, 1, {});
        QVERIFY(capped.ok());
        const auto open = graphs.problem(RegalTask::Memory, RegalSet::Unseen, 1, {});
        QCOMPARE(open->machine().devices[0].memory, schedule::UnlimitedMemory);
        const auto found = searchedBy(RegalMethod::Brkga, *open, {.objective = Objective::Memory, .evaluations = 200});
        QCOMPARE(capped->machine().devices[1].memory,
                 static_cast<std::uint64_t>(std::ceil(1.1 * static_cast<double>(found->score.peak))));
    }

    void oneGenerationIsRandomSearch() {
        const RegalPlan plan = smallPlan({});
        const RegalGraphs graphs(plan);
        const auto problem = graphs.problem(RegalTask::Time, RegalSet::Unseen, 0, {});
        const auto found = searchedBy(RegalMethod::RandomSearch, *problem, {.seed = 3, .evaluations = 2'000});
        const auto bred = searchedBy(RegalMethod::Brkga, *problem, {.seed = 3, .evaluations = 2'000});
        QVERIFY2(found.ok(), found ? "" : found.error().message.c_str());
        QCOMPARE(found->evaluations, std::uint64_t{2'000});
        QVERIFY(found->score.runtime > bred->score.runtime);
    }

    void modelsSayWhatTheyAreFor() {
        const QTemporaryDir folder;
        const auto curve = [](double improvement) {
            return std::vector<learned::CurvePoint>{{.step = 0}, {.step = 5, .improvement = improvement}};
        };
        PolicyModel good = modelFor(Objective::Memory, 3);
        good.curve = curve(0.02);
        PolicyModel better = modelFor(Objective::Memory, 2);
        better.curve = curve(0.03);
        PolicyModel shorter = modelFor(Objective::Memory, 3);
        shorter.curve = curve(0.2);
        shorter.evaluations = 100;
        PolicyModel constant = modelFor(Objective::Runtime, 3);
        constant.features = placement::PolicyView::Nothing;
        constant.shape = placement::policyShape(constant, 8, 3);
        PolicyModel finish = modelFor(Objective::Runtime, 3);
        finish.decode = placement::Decode::EarliestFinish;
        PolicyModel wide = modelFor(Objective::Runtime, 3);
        wide.devices = 4;
        PolicyModel slow = modelFor(Objective::Runtime, 3);
        slow.machine = "2 devices, rendezvous transfers";
        PolicyModel noisy = modelFor(Objective::Memory, 3);
        noisy.curve = curve(0.01);
        noisy.variants = 4;
        noisy.noise = 0.2;
        PolicyModel sequence = modelFor(Objective::Memory, 1);
        sequence.shape = placement::policyShape(sequence, 8, 1, learned::NetworkKind::Sequence);
        PolicyModel once = modelFor(Objective::Memory, 3);
        once.generations = 1;
        save(folder, u"j.model"_s, noisy);
        save(folder, u"k.model"_s, sequence);
        save(folder, u"l.model"_s, once);
        save(folder, u"a.model"_s, good);
        save(folder, u"b.model"_s, better);
        save(folder, u"c.model"_s, shorter);
        save(folder, u"d.model"_s, modelFor(Objective::Memory, 0));
        save(folder, u"e.model"_s, constant);
        save(folder, u"f.model"_s, finish);
        save(folder, u"g.model"_s, wide);
        save(folder, u"h.model"_s, slow);
        QVERIFY(writeFile(folder.filePath(u"i.model"_s).toStdString(), "no model"));
        QVERIFY(writeFile(folder.filePath(u"notes.txt"_s).toStdString(), "no model"));
        const auto models = RegalModels::in(folder.path().toStdString(), 1'000);
        QVERIFY2(models.ok(), models ? "" : models.error().message.c_str());
        const auto fileOf = [&](Objective objective, RegalRole role) {
            const RegalModel* const model = models->find(objective, role);
            return model == nullptr ? QString() : textOf(model->file);
        };
        QCOMPARE(fileOf(Objective::Memory, RegalRole::Regal), u"b.model"_s);
        QCOMPARE(fileOf(Objective::Memory, RegalRole::Isolated), u"d.model"_s);
        QCOMPARE(fileOf(Objective::Runtime, RegalRole::Constant), u"e.model"_s);
        QCOMPARE(fileOf(Objective::Runtime, RegalRole::Regal), QString());
        QCOMPARE(fileOf(Objective::Memory, RegalRole::Other), u"j.model"_s);
        QCOMPARE(fileOf(Objective::Memory, RegalRole::Sequence), u"k.model"_s);
        QCOMPARE(fileOf(Objective::Memory, RegalRole::Random), u"l.model"_s);
        QStringList ignored;
        for (const auto& [file, reason] : models->ignored()) {
            ignored.append(textOf(file));
            QVERIFY2(!textOf(reason).contains(folder.path()), reason.c_str());
        }
        QCOMPARE(ignored, (QStringList{u"f.model"_s, u"g.model"_s, u"h.model"_s, u"i.model"_s}));
        QVERIFY(models->ignored()[0].second.find("priorities alone") != std::string::npos);
        QVERIFY(models->ignored()[1].second.find("4 devices") != std::string::npos);
        QVERIFY(models->ignored()[2].second.find("rendezvous") != std::string::npos);
        const auto nearest = RegalModels::in(folder.path().toStdString(), 100);
        QCOMPARE(textOf(nearest->find(Objective::Memory, RegalRole::Regal)->file), u"c.model"_s);
        const auto nowhere = RegalModels::in("/no/such/folder", 1'000);
        QVERIFY(!nowhere && textOf(nowhere.error().hint).contains(u"--models"_s));
    }

    /// Where the library is missing, only the methods that need it are.
    void withoutTheLibraryAllOthersRun() {
        const QTemporaryDir folder;
        const QTemporaryDir models;
        save(models, u"a.model"_s, modelFor(Objective::Memory, 3));
        RegalPlan plan = smallPlan({"figure2"});
        plan.models = models.path().toStdString();
        plan.library = "/no/such/library.so";
        const auto experiment = opened(plan);
        const ExperimentRuns runs = carriedOut(*experiment, folder);
        QVERIFY(runs.failures.empty());
        QCOMPARE(runs.ended(), 2U);  // the reference for both tasks
        const ExperimentReport report = experiment->report(runs, {});
        const auto failure =
            std::ranges::find(report.failures, "REGAL for memory", &std::pair<std::string, std::string>::first);
        QVERIFY(failure != report.failures.end());
        QVERIFY2(failure->second.find("library.so") != std::string::npos, failure->second.c_str());
    }
};

MITOS_TEST(TestRegalExperiment)

}  // namespace tst_regal_experiment

#include "tst_regal_experiment.moc"
