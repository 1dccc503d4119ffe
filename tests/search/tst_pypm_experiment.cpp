// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the PyPM paper: its statistics by hand, its four compilations, its runs with a program in the place of a Python, and its
// folder.
#include "core/dialects/dialects.h"
#include "search/experiments/histogram.h"
#include "search/experiments/pypm_claims.h"
#include "search/experiments/pypm_experiment.h"
#include "search/experiments/pypm_results.h"
#include "search/experiments/pypm_tables.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>
#include <string>
#include <vector>

using namespace Qt::StringLiterals;

namespace tst_pypm_experiment {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::experiments;

namespace {

bool isNear(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

/// Attention of two heads, and a dense layer behind it.
constexpr const char* HeadsAndLayer =
    "graph f(q: f32[2,3,8], k: f32[2,5,8], v: f32[2,5,8], w: f32[8,4], b: f32[4])\n"
    "  half = Constant[value=0.5,dtype=f32,shape=[]]()\n"
    "  qh = Transpose[perm=[0,2,1,3]](Reshape[shape=[2,3,2,4]](q))\n"
    "  kt = Transpose[perm=[0,2,3,1]](Reshape[shape=[2,5,2,4]](k))\n"
    "  vh = Transpose[perm=[0,2,1,3]](Reshape[shape=[2,5,2,4]](v))\n"
    "  p = Softmax[axis=3](Mul(MatMul(qh, kt), half))\n"
    "  a = Reshape[shape=[2,3,8]](Transpose[perm=[0,2,1,3]](MatMul(p, vh)))\n"
    "  x = Reshape[shape=[6,8]](a)\n"
    "  return Relu(Add(MatMul(x, w), b))\n";
constexpr const char* NothingToFuse = "graph g(x: f32[2,3], y: f32[2,3])\n  return Add(Relu(x), Exp(y))\n";

PypmModel modelOf(const std::string& name, const char* text,
                  const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    auto bank = std::make_shared<ir::TermBank>(registry);
    const Result<ir::Program> program = dialects::parseProgram(*bank, name, text);
    if (!program) qFatal("%s", program.error().render().c_str());
    tensor::Model model = tensor::modelOf(*bank, *program);
    return {.name = name, .title = name, .suite = "Small", .bank = std::move(bank), .model = std::move(model)};
}

PypmPlan smallPlan() {
    const rules::RuleBook book = *rules::RuleBook::load(PypmRules, dialects::makeRegistry());
    PypmPlan plan{.cost = *cost::findCostModel("roofline"), .repetitions = 3};
    plan.rules.directions = book.directions();
    plan.models.push_back(modelOf("heads", HeadsAndLayer, book.registry()));
    plan.models.push_back(modelOf("nothing", NothingToFuse, book.registry()));
    return plan;
}

std::unique_ptr<PypmExperiment> opened(PypmPlan plan) {
    auto experiment = PypmExperiment::open(std::move(plan));
    if (!experiment) qFatal("%s", experiment.error().render().c_str());
    return *std::move(experiment);
}

ExperimentRuns carriedOut(const PypmExperiment& experiment, const std::string& folder, const std::stop_token& stop = {},
                          const OnProgress& progress = {}) {
    auto runs = carryOut(experiment, folder, stop, progress);
    if (!runs) qFatal("%s", runs.error().render().c_str());
    return *std::move(runs);
}

PypmRecord recordIn(const ExperimentRuns& runs, std::size_t run) {
    if (!runs.records[run]) qFatal("the run has not ended");
    const Result<PypmRecord> record = readPypmRecord(*runs.records[run]);
    if (!record) qFatal("%s", record.error().message.c_str());
    return *record;
}

/// A program in the place of a Python: of four models, the others take 0.5, 0.8 and 0.4 times as long as the first.
std::string fakePython(const QTemporaryDir& folder, bool isBroken) {
    QByteArray commands =
        "#!/bin/sh\nread job\n"
        R"(echo '{"onnxruntime": "9.9.0", "python": "3.99.1"}')"
        "\ncase \"$job\" in *check*) echo '{\"done\": 0}'; exit;; esac\n";
    if (isBroken) commands += "kill -9 $$\n";
    for (int block = 0; block < 5; ++block) {
        const QByteArray number = QByteArray::number(block);
        commands += "echo '{\"block\": " + number + ", \"launches\": [1, 1, 1, 1]}'\n";
        commands += "echo '{\"block\": " + number + ", \"seconds\": [1, 0.5, 0.8, 0.4], \"elapsed\": 4}'\n";
    }
    QFile file(folder.filePath(isBroken ? u"broken"_s : u"python"_s));
    if (!file.open(QIODevice::WriteOnly)) qFatal("the script cannot be written");
    file.write(commands + "echo '{\"done\": 5}'\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName().toStdString();
}

/// A record with these seconds, matches and costs of the four compilations.
PypmRecord recordOf(const std::string& name, std::uint64_t nodes, const std::vector<double>& seconds,
                    const std::vector<std::uint64_t>& matches, const std::vector<double>& costs) {
    PypmRecord record{.run = name, .program = "0", .nodes = nodes};
    for (const PypmCompilationInfo& info : pypmCompilations()) {
        const std::size_t i = indexOf(info.compilation);
        PypmPass pass{.compilation = info.name, .seconds = {seconds[i]}, .walks = 1, .cost = costs[i], .nodes = nodes};
        if (matches[i] > 0) pass.rules.emplace_back("rule", matches[i]);
        record.passes.push_back(std::move(pass));
    }
    return record;
}

const Claim& claimWith(const std::vector<Claim>& claims, std::string_view text) {
    for (const Claim& claim : claims) {
        if (claim.claim.find(text) != std::string::npos) return claim;
    }
    qFatal("no such claim");
}

}  // namespace

class TestPypmExperiment : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// 1.1 / 0.1 is below 11 in binary numbers.
    void binsHoldAllNumbers() {
        const std::vector<double> numbers{0.95, 1.1, 1.45};
        const Bins bins = binsOf(numbers, 1.0, 16.0);
        QCOMPARE(bins.width, 0.05);
        QCOMPARE(bins.count, 11U);
        QVERIFY(isNear(bins.begin, 0.95));
        QCOMPARE(bins.text(0), std::string("0.95 to 1"));
        const std::vector<double> shares = binShares(numbers, bins, 4);
        QCOMPARE(shares[0], 25.0);
        QCOMPARE(shares[3], 25.0);
        QCOMPARE(shares[10], 25.0);
        QCOMPARE(binsOf(std::vector<double>{1.0}, 1.0, 16.0).count, 1U);
        QCOMPARE(binsOf(std::vector<double>{-1.0}, 0.0, 5.0).text(0), std::string("-1 to -0.8"));
        QCOMPARE(binsOf(std::vector<double>{-1.0}, 0.0, 5.0).text(4), std::string("-0.2 to 0"));
    }

    /// Ranks 1, 2, 3, 4 and 2, 1, 4, 3: 1 - 6 · 4 / (4 · 15). With ties: ranks 1.5, 1.5, 3 and 1, 2, 3 give 1.5 / sqrt(1.5 · 2).
    void rankCorrelationsAreThoseByHand() {
        const auto of = [](const std::vector<double>& one, const std::vector<double>& other) {
            return rankCorrelation(one, other);
        };
        QVERIFY(isNear(*of({1, 2, 3, 4}, {20, 10, 40, 30}), 0.6));
        QVERIFY(isNear(*of({5, 5, 9}, {1, 2, 3}), 1.5 / std::sqrt(3.0)));
        QVERIFY(isNear(*of({1, 2, 3}, {9, 4, 1}), -1.0));
        QVERIFY(!of({1}, {1}) && !of({1, 1}, {1, 2}));
    }

    /// Speed-ups 2, 1 and 0.5 have the geometric mean 1.
    void summariesAreThoseByHand() {
        const std::vector<PypmSpeedup> speedups{{.value = 2.0, .isFaster = true}, {}, {.value = 0.5, .isSlower = true}};
        const PypmSpeedupSummary summary = summaryOf(speedups);
        QVERIFY(isNear(summary.mean, 1.0));
        QCOMPARE(summary.least, 0.5);
        QCOMPARE(summary.most, 2.0);
        QCOMPARE(summary.faster, 1U);
        QCOMPARE(summary.slower, 1U);
    }

    void recordsAreReadAsWritten() {
        PypmRecord record = recordOf("m", 7, {0.1, 0.2, 0.3, 0.4}, {0, 1, 2, 3}, {4, 3, 2, 1});
        record.passes[2].cost = std::nullopt;
        record.runtime = "ONNX Runtime 9";
        PypmTimes times{.level = "all"};
        for (const PypmCompilationInfo& info : pypmCompilations())
            times.compilations.push_back({.compilation = info.name,
                                          .timedAs = "neither",
                                          .seconds = 0.5,
                                          .ratio = {.value = 0.5, .low = 0.4, .high = 0.6}});
        record.times.push_back(times);
        const std::string text = writePypmRecord(record);
        const Result<PypmRecord> read = readPypmRecord(text);
        QVERIFY2(read.ok(), read ? "" : read.error().message.c_str());
        QVERIFY(*read == record);
        QVERIFY(!readPypmRecord(text.substr(0, text.size() / 2)).ok());
        record.passes.pop_back();
        QVERIFY(!readPypmRecord(writePypmRecord(record)).ok());
    }

    void thePaperNumbersAreThere() {
        const auto numbers = namedNumbers("pypm-paper");
        QVERIFY2(numbers.ok(), numbers ? "" : numbers.error().message.c_str());
        QCOMPARE(numbers->find("seconds")->value, 3.0);
        QCOMPARE(numbers->find("epilog_times")->value, 100.0);
    }

    void badPlansAreNamed() {
        const auto refused = [](const auto& change) {
            PypmPlan plan = smallPlan();
            change(plan);
            const Status status = checkPlan(plan);
            return status ? QString() : QString::fromStdString(status.error().message + status.error().hint);
        };
        QCOMPARE(refused([](PypmPlan&) {}), QString());
        QVERIFY(refused([](PypmPlan& plan) { plan.parts = {"figure10"}; }).contains(u"speedups"_s));
        QVERIFY(refused([](PypmPlan& plan) { plan.models.clear(); }).contains(u"no model"_s));
        QVERIFY(refused([](PypmPlan& plan) { plan.models[1].name = "heads"; }).contains(u"heads"_s));
        QVERIFY(refused([](PypmPlan& plan) { plan.rules.directions.clear(); }).contains(u"tag attention"_s));
        QVERIFY(refused([](PypmPlan& plan) { plan.repetitions = 0; }).contains(u"at least once"_s));
    }

    void runsHaveNamesOfFiles() {
        const PypmPlan plan = smallPlan();
        QCOMPARE(pypmRunName("a b/c.onnx", plan.models), std::string("a-b-c.onnx"));
        QCOMPARE(pypmRunName("heads", plan.models), std::string("heads-2"));
        QCOMPARE(pypmRunName("../x", {}), std::string("model..-x"));
    }

    /// The attention is one match, the dense layer another, and neither hides the other.
    void modelsAreCompiledInFourWays() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(u"x"_s).toStdString();
        const auto experiment = opened(smallPlan());
        const ExperimentRuns runs = carriedOut(*experiment, path);
        QVERIFY2(runs.failures.empty(), runs.failures.empty() ? "" : runs.failures.front().second.c_str());
        const PypmRecord heads = recordIn(runs, 0);
        std::vector<std::uint64_t> matches;
        for (const PypmPass& pass : heads.passes) {
            matches.push_back(pass.matches());
            QVERIFY(pass.isFixedPoint && !pass.isRefuted);
            QCOMPARE(pass.seconds.size(), 3U);
            QVERIFY(pass.cost.has_value());
        }
        QCOMPARE(matches, (std::vector<std::uint64_t>{0, 1, 1, 2}));
        QCOMPARE(heads.passes[1].rules.front().first, std::string("fuse_attention"));
        QCOMPARE(heads.passes[2].rules.front().first, std::string("fuse_dense_activation"));
        QVERIFY(heads.passes[3].nodes < heads.passes[0].nodes);
        QVERIFY2(heads.passes[3].verdict.find("2 of 2 steps checked") != std::string::npos,
                 heads.passes[3].verdict.c_str());
        const PypmRecord nothing = recordIn(runs, 1);
        for (const PypmPass& pass : nothing.passes) {
            QCOMPARE(pass.matches(), 0U);
            QCOMPARE(pass.walks, 1U);
        }
        QVERIFY(nothing.times.empty() && nothing.runtime.empty());

        const ExperimentReport report = experiment->report(runs, {});
        QVERIFY(report.isRight && report.failures.empty());
        QVERIFY(report.page.introduction.find("No model was run") != std::string::npos);
        QVERIFY(writeReport(report, experiment->facts(), path).ok());
        QFile page(folder.filePath(u"x/report.html"_s));
        QVERIFY(page.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(page.readAll());
        int figures = 0;
        int points = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement) continue;
            if (xml.name() == u"svg"_s) ++figures;
            if (xml.name() == u"circle"_s) ++points;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(figures, 3);
        QCOMPARE(points, 6);  // two compilations of two models by their matches, and two without a match by their nodes
        QVERIFY(QFile::exists(folder.filePath(u"x/matching.csv"_s)));
    }

    void compiledModelsAreRun() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(u"x"_s).toStdString();
        PypmPlan plan = smallPlan();
        plan.runtime.python = fakePython(folder, false);
        const auto version = onnx::checkRuntime(plan.runtime);
        QVERIFY2(version.ok(), version ? "" : version.error().message.c_str());
        plan.version = *version;
        const auto experiment = opened(plan);
        const ExperimentRuns runs = carriedOut(*experiment, path);
        const PypmRecord heads = recordIn(runs, 0);
        QCOMPARE(heads.timingError, std::string());
        QVERIFY(heads.runtime.starts_with("ONNX Runtime 9.9.0"));
        QCOMPARE(heads.times.size(), 2U);
        std::vector<double> speedups;
        for (const PypmTime& time : heads.find("basic")->compilations) speedups.push_back(time.speedup());
        QVERIFY(isNear(speedups[0], 1.0) && isNear(speedups[1], 2.0) && isNear(speedups[2], 1.25) &&
                isNear(speedups[3], 2.5));
        // One program four times: it is not run.
        const PypmRecord nothing = recordIn(runs, 1);
        for (const PypmTime& time : nothing.find("all")->compilations) {
            QCOMPARE(time.timedAs, std::string("neither"));
            QCOMPARE(time.speedup(), 1.0);
            QCOMPARE(time.seconds, 0.0);
        }
        QVERIFY(experiment->report(runs, {}).page.introduction.find("Speed-ups are measured") != std::string::npos);
        // Without ONNX Runtime the records are taken as they are; those without times are made again with it.
        PypmPlan without = smallPlan();
        QCOMPARE(carriedOut(*opened(without), path).found, 2U);
        const std::string other = folder.filePath(u"y"_s).toStdString();
        QCOMPARE(carriedOut(*opened(without), other).found, 0U);
        QCOMPARE(carriedOut(*opened(plan), other).found, 0U);
    }

    void aKilledRuntimeIsNamed() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(u"x"_s).toStdString();
        PypmPlan plan = smallPlan();
        plan.runtime.python = fakePython(folder, true);
        plan.version = *onnx::checkRuntime(plan.runtime);
        const auto experiment = opened(plan);
        const ExperimentRuns runs = carriedOut(*experiment, path);
        const PypmRecord heads = recordIn(runs, 0);
        QVERIFY(!heads.timingError.empty() && heads.times.empty());
        QCOMPARE(heads.passes[3].matches(), 2U);
        const ExperimentReport report = experiment->report(runs, {});
        QCOMPARE(report.failures.size(), 1U);
        QCOMPARE(report.failures.front().first, std::string("heads"));
        QCOMPARE(carriedOut(*experiment, path).found, 1U);
    }

    void runsAreKeptAndContinued() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(u"x"_s).toStdString();
        std::stop_source stop;
        const auto stopInSecond = [&](const ExperimentProgress& progress) {
            if (progress.run == "nothing") stop.request_stop();
        };
        const auto experiment = opened(smallPlan());
        const ExperimentRuns stopped = carriedOut(*experiment, path, stop.get_token(), stopInSecond);
        QCOMPARE(stopped.ended(), 1U);
        QVERIFY(stopped.isStopped && stopped.failures.empty());
        QVERIFY(experiment->report(stopped, {}).page.warnings.front().find("1 of 2") != std::string::npos);
        const ExperimentRuns ended = carriedOut(*experiment, path);
        QCOMPARE(ended.found, 1U);
        QCOMPARE(ended.ended(), 2U);
        // A model that has changed is compiled again.
        PypmPlan changed = smallPlan();
        changed.models[1].bank = changed.models[0].bank;
        changed.models[1].model = changed.models[0].model;
        QCOMPARE(carriedOut(*opened(changed), path).found, 1U);
        PypmPlan other = smallPlan();
        other.repetitions = 4;
        const auto refused = carryOut(*opened(other), path, {});
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().message.find("repetitions is 3 there and 4 here") != std::string::npos,
                 refused.error().message.c_str());
    }

    /// Ten models: the time grows with the matches and not with the nodes, and epilogs take 200 times as long to look for.
    void claimsAreDecidedByHand() {
        PypmPlan plan = smallPlan();
        const PypmModel model = plan.models.front();
        plan.models.assign(20, model);
        std::vector<PypmResults::Entry> entries;
        for (std::uint64_t i = 0; i < 10; ++i) {
            const double time = 0.001 * static_cast<double>(i + 1);
            entries.emplace_back(&plan.models[i], recordOf("with", 100 - i, {1e-6, time, time, time},
                                                           {0, i + 1, 0, i + 1}, {4, 2, 4, 2}));
            const double idle = 1e-6 * static_cast<double>(i + 1);
            entries.emplace_back(&plan.models[10 + i], recordOf("without", 10 + i, {1e-6, idle, 200 * idle, 1e-6},
                                                                {0, 0, 0, 0}, {4, 4, 4, 4}));
        }
        const PypmResults results(plan, *namedNumbers("pypm-paper"), entries);
        const std::vector<Claim> claims = pypmClaims(results);
        QCOMPARE(claimWith(claims, "3 seconds").verdict, Verdict::Holds);
        QCOMPARE(claimWith(claims, "30 ms").verdict, Verdict::Holds);
        QVERIFY(claimWith(claims, "30 ms").finding.find("10.0 ms") != std::string::npos);
        QCOMPARE(claimWith(claims, "primary determiner").verdict, Verdict::Holds);
        QCOMPARE(claimWith(claims, "size of the model").verdict, Verdict::Holds);
        QCOMPARE(claimWith(claims, "two orders").verdict, Verdict::Holds);
        QCOMPARE(claimWith(claims, "looking for epilogs takes longer").verdict, Verdict::Holds);
        QCOMPARE(claimWith(claims, "faster on average").verdict, Verdict::Holds);
        QCOMPARE(claimWith(claims, "no model is slower").verdict, Verdict::Holds);
        QVERIFY(claimWith(claims, "faster on average").finding.find("10 are faster") != std::string::npos);
        const ReportTable summary = speedupSummaryTable(results);
        QCOMPARE(summary.rows.size(), 3U);
        QCOMPARE(summary.rows[0][4], std::string("1.414"));  // ten times 2 and ten times 1

        // A pass of four seconds, one that does not end, and a model that is dearer.
        entries.resize(1);
        entries[0].second.passes[3].seconds = {4.0, 4.0, 4.0};
        entries[0].second.passes[3].cost = 5.0;
        const std::vector<Claim> few = pypmClaims(PypmResults(plan, *namedNumbers("pypm-paper"), entries));
        QCOMPARE(claimWith(few, "3 seconds").verdict, Verdict::Fails);
        QCOMPARE(claimWith(few, "no model is slower").verdict, Verdict::Fails);
        QCOMPARE(claimWith(few, "primary determiner").verdict, Verdict::Open);
        entries[0].second.passes[3].seconds = {1.0};
        entries[0].second.passes[3].isFixedPoint = false;
        const std::vector<Claim> endless = pypmClaims(PypmResults(plan, *namedNumbers("pypm-paper"), entries));
        QCOMPARE(claimWith(endless, "3 seconds").verdict, Verdict::Fails);
    }
};

MITOS_TEST(TestPypmExperiment)

}  // namespace tst_pypm_experiment

#include "tst_pypm_experiment.moc"
