// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the Knossos paper on arithmetic: its statistics by hand, its programs, its runs, and its folder.
#include "core/ks/operators.h"
#include "core/rules/rule.h"
#include "search/experiments/knossos_claims.h"
#include "search/experiments/knossos_experiment.h"
#include "search/experiments/knossos_report.h"
#include "search/experiments/knossos_tables.h"
#include "search/experiments/paired_statistics.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>
#include <set>
#include <string>
#include <vector>

using namespace Qt::StringLiterals;

namespace tst_knossos_experiment {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::experiments;

namespace {

bool isNear(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

/// Table 6 with a network without hints, two epochs and searches of tens of evaluations.
KnossosPlan smallPlan(const std::string& folder) {
    const rules::RuleBook book = *rules::RuleBook::load(KnossosRules, ks::makeRegistry());
    KnossosPlan plan{.tasks = {"bootstrap"},
                     .methods = {"terms-plain", "astar-zero", "random"},
                     .repetitions = 1,
                     .epochs = 2,
                     .stage = 1,
                     .budgets = {20, 60},
                     .training = {{"labels", std::int64_t{2}},
                                  {"label_evaluations", std::int64_t{30}},
                                  {"search_evaluations", std::int64_t{30}},
                                  {"passes", std::int64_t{1}},
                                  {"validation_evaluations", std::int64_t{20}},
                                  {"hidden", std::int64_t{8}},
                                  {"readout", std::int64_t{8}}},
                     .registry = book.registry(),
                     .cost = *cost::findCostModel(KnossosCost),
                     .folder = folder};
    plan.rules.directions = book.directions();
    return plan;
}

std::unique_ptr<KnossosExperiment> opened(KnossosPlan plan) {
    auto experiment = KnossosExperiment::open(std::move(plan));
    if (!experiment) qFatal("%s", experiment.error().render().c_str());
    return *std::move(experiment);
}

ExperimentRuns carriedOut(const KnossosExperiment& experiment, const std::string& folder,
                          const std::stop_token& stop = {}, const OnProgress& progress = {}) {
    auto runs = carryOut(experiment, folder, stop, progress);
    if (!runs) qFatal("%s", runs.error().render().c_str());
    return *std::move(runs);
}

/// A search that has its best cost after half its evaluations and seconds.
KnossosSearch searchOf(const std::string& program, double initial, double cost, std::uint64_t evaluations) {
    return {.program = program,
            .initialCost = initial,
            .cost = cost,
            .evaluations = evaluations,
            .seconds = 1.0,
            .isGood = true,
            .way = {{1, 0.0, initial}, {evaluations / 2, 0.5, cost}}};
}

/// Two programs, 10 at first, with these costs after 100 and after 300 evaluations.
std::pair<KnossosRun, KnossosRecord> recordOf(std::string_view method, std::uint32_t repetition,
                                              const std::vector<double>& few, const std::vector<double>& many) {
    const KnossosRun run{KnossosTask::Bootstrap, findKnossosMethod(method), repetition};
    KnossosStage stage{.epochs = 5, .trainingSeconds = 2.0, .loss = 0.5};
    for (const auto& [budget, costs] : {std::pair(100, few), std::pair(300, many)}) {
        KnossosEvaluation evaluation{.strategy = run.method->strategy, .budget = static_cast<std::uint64_t>(budget)};
        for (std::size_t i = 0; i < costs.size(); ++i)
            evaluation.searches.push_back(
                searchOf("p" + std::to_string(i), 10.0, costs[i], static_cast<std::uint64_t>(budget)));
        stage.evaluations.push_back(std::move(evaluation));
    }
    return {run, {.run = run.name(), .stages = {stage}, .statesPerSecond = 1'000.0}};
}

KnossosPlan planByHand() {
    KnossosPlan plan;
    plan.budgets = {100, 300};
    return plan;
}

/// The totals of a record, stage by stage.
std::vector<double> totalsIn(const std::string& text) {
    const Result<KnossosRecord> record = readKnossosRecord(text);
    if (!record) qFatal("%s", record.error().message.c_str());
    std::vector<double> totals;
    for (const KnossosStage& stage : record->stages) {
        for (const KnossosEvaluation& evaluation : stage.evaluations) totals.push_back(evaluation.total());
    }
    return totals;
}

const Claim& claimWith(const std::vector<Claim>& claims, std::string_view text) {
    for (const Claim& claim : claims) {
        if (claim.claim.find(text) != std::string::npos) return claim;
    }
    qFatal("no such claim");
}

}  // namespace

class TestKnossosExperiment : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void percentilesAreInterpolated() {
        QVERIFY(isNear(quantileOf(std::vector<double>{5, 1, 4, 2, 3}, 0.2), 1.8));
        QVERIFY(isNear(quantileOf(std::vector<double>{5, 1, 4, 2, 3}, 0.8), 4.2));
        QCOMPARE(quantileOf(std::vector<double>{7}, 0.2), 7.0);
        QCOMPARE(quantileOf(std::vector<double>{1, 3}, 1.0), 3.0);
        QVERIFY(isNear(deviationOf({1.0, 2.0, 3.0}), 1.0));
    }

    /// knossos-optimizer.md 3.3: the totals before any optimization.
    void theProgramsAreThosePrinted() {
        const KnossosPlan plan = smallPlan({});
        const auto programs = KnossosPrograms::load(plan.registry);
        QVERIFY2(programs.ok(), programs ? "" : programs.error().message.c_str());
        const auto totalOf = [&](const std::vector<std::string>& names) {
            double total = 0.0;
            for (const std::string& name : names) {
                const TrainingProgram& one = (*programs)[name];
                total += *plan.cost->evaluator(*one.bank, one.program.function)->cost(one.program.root);
            }
            return total;
        };
        QCOMPARE(totalOf(infoOf(KnossosTask::Generalization).training), 482.0);
        QCOMPARE(totalOf(infoOf(KnossosTask::Generalization).tested), 161.0);
        QCOMPARE(totalOf(infoOf(KnossosTask::Bootstrap).tested), 64.0);
    }

    void thePaperNumbersAreThere() {
        const auto numbers = namedNumbers("knossos-paper");
        QVERIFY2(numbers.ok(), numbers ? "" : numbers.error().message.c_str());
        for (const KnossosTaskInfo& info : knossosTasks()) {
            for (const char* const rest : {"_initial", "_knossos", "_flat", "_greedy", "_random"})
                QVERIFY2(numbers->find(std::string(info.name) + rest) != nullptr, rest);
        }
        QCOMPARE(numbers->find("generalization_knossos")->value, 125.2);
        QCOMPARE(numbers->find("bootstrap_knossos")->value, 40.6);
        QCOMPARE(numbers->find("evaluations")->value, 5'000.0);
    }

    void runsAreNamedOnce() {
        KnossosPlan plan;
        plan.repetitions = 3;
        std::set<std::string> names;
        const std::vector<KnossosRun> runs = knossosRuns(plan);
        for (const KnossosRun& run : runs) names.insert(run.name());
        QCOMPARE(names.size(), runs.size());
        QVERIFY(names.contains("generalization-terms-03") && names.contains("bootstrap-astar-zero-01"));
        QVERIFY(!names.contains("bootstrap-astar-zero-02") && !names.contains("bootstrap-knossos-01"));
        QVERIFY(names.contains("bootstrap-random-02"));
        plan.methods = {"knossos-flat", "paper"};
        QCOMPARE(knossosRuns(plan).size(), 12U);
    }

    void badPlansAreNamed() {
        const auto refused = [](const KnossosPlan& plan) {
            const Status status = checkPlan(plan);
            return status ? QString() : QString::fromStdString(status.error().message + status.error().hint);
        };
        QCOMPARE(refused({}), QString());
        QVERIFY(refused({.tasks = {"bootstrp"}}).contains(u"bootstrap"_s));
        QVERIFY(refused({.methods = {"term"}}).contains(u"terms"_s));
        QVERIFY(refused({.budgets = {300, 100}}).contains(u"ascending"_s));
        QVERIFY(refused({.budgets = {}}).contains(u"ascending"_s));
        QVERIFY(refused({.epochs = 0}).contains(u"at least 1"_s));
        QVERIFY(refused({.paperNetwork = "large"}).contains(u"small"_s));
        QVERIFY(refused({.training = {{"depht", std::int64_t{3}}}}).contains(u"depth"_s));
        QVERIFY(refused({.training = {{"discount", 2.0}}}).contains(u"discount"_s));
    }

    /// Appendix B: 5,000 evaluations for an expression of an epoch, no labels, no discount, Table 2's learning rate and batches.
    void algorithm1IsAsPrinted() {
        KnossosPlan plan;
        plan.paperNetwork = "paper";
        const auto values = trainingParameters(plan, *findKnossosMethod("paper"));
        QVERIFY(values.ok());
        QCOMPARE(std::get<std::int64_t>(values->at("search_evaluations")), 5'000);
        QCOMPARE(std::get<std::int64_t>(values->at("labels")), 0);
        QCOMPARE(std::get<std::int64_t>(values->at("batch")), 16);
        QCOMPARE(std::get<std::int64_t>(values->at("programs_per_epoch")), 6);
        QCOMPARE(std::get<double>(values->at("discount")), 1.0);
        QCOMPARE(std::get<double>(values->at("learning_rate")), 1e-4);
        QCOMPARE(std::get<std::string>(values->at("size")), std::string("paper"));
        const auto flat = trainingParameters(plan, *findKnossosMethod("knossos-flat"));
        QCOMPARE(std::get<std::int64_t>(flat->at("rounds")), 0);
    }

    /// Costs 10 and 10 at first. 12 is reached when the first has 5 (after 40 evaluations, 3 s) and the second 7 (after 70, 1 s).
    void effortIsThatByHand() {
        KnossosEvaluation evaluation{.strategy = "astar", .budget = 100};
        evaluation.searches.push_back({.program = "p", .initialCost = 10.0, .way = {{1, 0.0, 10.0}, {40, 3.0, 5.0}}});
        evaluation.searches.push_back(
            {.program = "p", .initialCost = 10.0, .way = {{1, 0.0, 10.0}, {70, 1.0, 7.0}, {90, 4.0, 6.0}}});
        const auto twelve = effortTo(12.0, evaluation);
        QVERIFY(twelve.has_value());
        QCOMPARE(twelve->evaluations, 70.0);
        QCOMPARE(twelve->seconds, 3.0);
        QCOMPARE(effortTo(15.0, evaluation)->evaluations, 40.0);
        QCOMPARE(effortTo(20.0, evaluation)->evaluations, 1.0);
        QVERIFY(!effortTo(10.9, evaluation));
    }

    void nineOfTenRepetitionsDecide() {
        QCOMPARE(nineOfTen(9, 10), Verdict::Holds);
        QCOMPARE(nineOfTen(8, 10), Verdict::Fails);
        QCOMPARE(nineOfTen(3, 3), Verdict::Open);
        QCOMPARE(nineOfTen(2, 3), Verdict::Open);
        QCOMPARE(nineOfTen(1, 3), Verdict::Fails);
        QCOMPARE(nineOfTen(18, 20), Verdict::Holds);
        QCOMPARE(nineOfTen(17, 20), Verdict::Fails);
    }

    void recordsAreReadAsWritten() {
        const auto [run, record] = recordOf("terms", 2, {8, 9}, {7, 7});
        const std::string text = writeKnossosRecord(record);
        const Result<KnossosRecord> read = readKnossosRecord(text);
        QVERIFY(read.ok());
        QVERIFY(*read == record);
        QVERIFY(!readKnossosRecord(text.substr(0, text.size() / 2)).ok());
        QVERIFY(!readKnossosRecord("{}").ok());
    }

    /// Three repetitions of a training with totals 12, 13 and 14, and two searches without learning with 15 and 16.
    void numbersAreThoseByHand() {
        std::vector<std::pair<KnossosRun, KnossosRecord>> records;
        records.push_back(recordOf("astar-zero", 1, {9, 9}, {8, 8}));
        records.push_back(recordOf("greedy-zero", 1, {9, 8}, {8, 7}));
        for (std::uint32_t i = 0; i < 3; ++i) records.push_back(recordOf("terms", i + 1, {8, 8}, {5, 7.0 + i}));
        const KnossosResults results(planByHand(), *namedNumbers("knossos-paper"), std::move(records));
        const KnossosTask task = KnossosTask::Bootstrap;
        const KnossosKey terms = ownKey(task, *findKnossosMethod("terms"));
        QCOMPARE(results.totals(terms, 300), (std::vector<double>{12, 13, 14}));
        QCOMPARE(results.totalsAt(terms, 100, 5), (std::vector<double>{16, 16, 16}));
        QVERIFY(results.totalsAt(terms, 100, 10).empty());
        QCOMPARE(results.programCosts(terms, 300), (std::vector<double>{5, 8}));
        QCOMPARE(results.initial(task).value_or(0.0), 20.0);
        QCOMPARE(std::string(results.bestUnlearned(task, 300)->method->name), std::string("greedy-zero"));
        QCOMPARE(results.target(task)->total, 15.0);
        QCOMPARE(results.target(task)->effort->evaluations, 150.0);
        QCOMPARE(results.target(task, findKnossosMethod("astar-zero"))->total, 16.0);
        QVERIFY(!results.target(task, findKnossosMethod("random")));
        const KnossosEfforts efforts = results.efforts(terms, 15.0);
        QCOMPARE(efforts.reached.size(), 3U);
        QCOMPARE(efforts.reached.front().evaluations, 150.0);
        QVERIFY(results.efforts(ownKey(task, *findKnossosMethod("greedy-zero")), 14.0).reached.empty());
        // Three repetitions decide nothing but that 40.6 is not missed.
        const std::vector<Claim> claims = knossosClaims(results);
        QCOMPARE(claimWith(claims, "better than every search").verdict, Verdict::Open);
        QVERIFY(claimWith(claims, "better than every search").finding.find("15.00") != std::string::npos);
        QCOMPARE(claimWith(claims, "with five times fewer").verdict, Verdict::Open);
        QCOMPARE(claimWith(claims, "with recurrence").finding,
                 std::string("There are no runs of Graph network for bootstrap."));
        const ReportTable totals = totalsTable(results, task);
        QCOMPARE(totals.rows.size(), 3U);
        QCOMPARE(totals.rows[0][0], std::string("Terms"));
        QCOMPARE(totals.rows[0][3], std::string("16.00 (16.00 to 16.00)"));
        QCOMPARE(totals.rows[2][5], std::string("44.7"));
    }

    /// Ten repetitions that are all better, and ten that are all worse.
    void tenRepetitionsDecide() {
        for (const bool isBetter : {true, false}) {
            std::vector<std::pair<KnossosRun, KnossosRecord>> records;
            records.push_back(recordOf("astar-zero", 1, {9, 9}, {25, 25}));
            for (std::uint32_t i = 0; i < 10; ++i)
                records.push_back(
                    recordOf("terms", i + 1, {9, 9},
                             isBetter ? std::vector<double>{20, 20.0 + 0.01 * i} : std::vector<double>{30, 30}));
            const KnossosResults results(planByHand(), *namedNumbers("knossos-paper"), std::move(records));
            const std::vector<Claim> claims = knossosClaims(results);
            const Verdict verdict = isBetter ? Verdict::Holds : Verdict::Fails;
            QCOMPARE(claimWith(claims, "(Terms) comes to a total").verdict, verdict);
            QCOMPARE(claimWith(claims, "better than every search").verdict, verdict);
        }
    }

    /// A run that is stopped in its second stage goes on behind the first, and ends as one without a pause.
    void runsAreKeptAndContinued() {
        const QTemporaryDir folder;
        const std::string whole = folder.filePath(u"whole"_s).toStdString();
        const std::string paused = folder.filePath(u"paused"_s).toStdString();
        const auto experiment = opened(smallPlan(whole));
        const ExperimentRuns runs = carriedOut(*experiment, whole);
        QVERIFY2(runs.failures.empty(), runs.failures.empty() ? "" : runs.failures.front().second.c_str());
        QCOMPARE(runs.ended(), 3U);
        QCOMPARE(totalsIn(*runs.records[2]).size(), 10U);  // A* after each epoch, and three further searches at the end
        QVERIFY(QFile::exists(folder.filePath(u"whole/models/bootstrap-terms-plain-01.model"_s)));
        QCOMPARE(carriedOut(*experiment, whole).found, 3U);

        const auto second = opened(smallPlan(paused));
        std::stop_source stop;
        std::size_t steps = 0;
        const auto stopInSecond = [&](const ExperimentProgress& progress) {
            if (progress.step == "epoch 2 of 2") stop.request_stop();
            if (progress.step.starts_with("epoch")) ++steps;
        };
        const ExperimentRuns stopped = carriedOut(*second, paused, stop.get_token(), stopInSecond);
        QCOMPARE(stopped.ended(), 2U);
        QVERIFY(stopped.isStopped && stopped.failures.empty());
        QCOMPARE(steps, 2U);
        QVERIFY(QFile::exists(folder.filePath(u"paused/models/bootstrap-terms-plain-01.model.stages.json"_s)));
        steps = 0;
        const auto count = [&](const ExperimentProgress& progress) {
            if (progress.step.starts_with("epoch")) ++steps;
        };
        const ExperimentRuns ended = carriedOut(*second, paused, {}, count);
        QCOMPARE(ended.ended(), 3U);
        QCOMPARE(steps, 1U);
        QCOMPARE(totalsIn(*ended.records[2]), totalsIn(*runs.records[2]));

        const ExperimentReport report = experiment->report(runs, {});
        QVERIFY(report.isRight && report.failures.empty());
        QVERIFY(writeReport(report, experiment->facts(), whole).ok());
        QFile page(folder.filePath(u"whole/report.html"_s));
        QVERIFY(page.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(page.readAll());
        int figures = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == u"svg"_s) ++figures;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(figures >= 6);
        QVERIFY(QFile::exists(folder.filePath(u"whole/bootstrap-totals.csv"_s)));
    }

    void theFolderMustBeItsOwn() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(u"x"_s).toStdString();
        KnossosPlan plan = smallPlan(path);
        plan.methods = {"random"};
        QCOMPARE(carriedOut(*opened(plan), path).ended(), 1U);
        plan.epochs = 3;
        const auto other = carryOut(*opened(plan), path, {});
        QVERIFY(!other.ok());
        QVERIFY2(other.error().message.find("epochs is 2 there and 3 here") != std::string::npos,
                 other.error().message.c_str());
        plan.epochs = 2;
        plan.methods = {"random", "astar-zero"};
        plan.repetitions = 2;
        const ExperimentRuns more = carriedOut(*opened(plan), path);
        QCOMPARE(more.found, 1U);
        QCOMPARE(more.ended(), 3U);
    }
};

MITOS_TEST(TestKnossosExperiment)

}  // namespace tst_knossos_experiment

#include "tst_knossos_experiment.moc"
