// SPDX-License-Identifier: GPL-3.0-or-later
// Policies for the genetic algorithm: what they see, what their choices mean, their files, and what fits.
#include "core/base/result.h"
#include "search/placement/learned_strategy.h"
#include "search/placement/partition.h"
#include "search/placement/policy_trainer.h"
#include "search/placement/shipped_models.h"
#include "tests/learned/small_training.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <vector>

namespace tst_policy {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using namespace Qt::StringLiterals;
using mitos::ErrorCode;
using mitos::random_keys::Beta;

namespace {

bool isNear(float a, double b) { return std::abs(static_cast<double>(a) - b) < 1e-6; }

/// With all parameters of the genetic algorithm.
PolicyTraining sampleTraining() {
    PolicyTraining training = smallTraining();
    training.evaluations = 100;
    training.parameters.emplace("checkpoint", std::string());
    return training;
}

QString messageOf(const mitos::Error& error) { return QString::fromStdString(error.message); }

}  // namespace

class TestPolicy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The diamond: durations 2, 3, 1, 2 with a mean of 2; every tensor has the mean size. The longest path is a, b, e with 7.
    void seesTheGraph() {
        const PolicyGraph graph = policyGraph(mustMake(diamond(), equalDevices(2)), Objective::Runtime);
        QCOMPARE(graph.nodes, 4U);
        QCOMPARE(nodeFeatureNames(PolicyView::All, 2).size(), 8U);
        QCOMPARE(graph.nodeFeatures.size(), 32U);
        QCOMPARE(graph.from, (std::vector<std::uint32_t>{0, 0, 1, 2}));
        QCOMPARE(graph.to, (std::vector<std::uint32_t>{1, 2, 3, 3}));
        const auto feature = [&](std::size_t node, std::size_t column) {
            return graph.nodeFeatures[node * 8 + column];
        };
        QVERIFY(isNear(feature(0, 0), std::log(2.0)));
        QVERIFY(isNear(feature(1, 0), std::log(2.5)));
        QVERIFY(isNear(feature(0, 1), std::log(2.0)));
        QVERIFY(isNear(feature(3, 2), std::log(3.0)));
        QVERIFY(isNear(feature(0, 3), 0.0));
        QVERIFY(isNear(feature(3, 3), std::log(3.0)));
        QVERIFY(isNear(feature(0, 4), std::log(3.0)));
        QVERIFY(feature(0, 5) != feature(1, 5));
        QVERIFY(isNear(feature(0, 6), 1.0));
        QVERIFY(isNear(feature(2, 6), 3.0 / 7.0));
        QVERIFY(isNear(feature(0, 7), 0.0));
        QVERIFY(isNear(feature(3, 7), 5.0 / 7.0));
        QVERIFY(isNear(graph.edgeFeatures[0], std::log(2.0)));
        QVERIFY(isNear(graph.edgeFeatures[2], std::log(3.0)));
        QVERIFY(isNear(graph.edgeFeatures[11], std::log(2.0)));
    }

    void theUnitDoesNotMatter() {
        TaskGraph graph = diamond();
        const PolicyGraph before = policyGraph(mustMake(graph, equalDevices(2)), Objective::Runtime);
        for (Operation& operation : graph.operations) operation.duration *= 1024.0;
        for (Tensor& tensor : graph.tensors) tensor.bytes *= 4096;
        QVERIFY(policyGraph(mustMake(graph, equalDevices(2)), Objective::Runtime) == before);
    }

    /// The list schedule of the diamond runs c on the other device and has the least run time, 7; all on one device take 8.
    void seesWhatMethodsDo() {
        const PolicyGraph graph =
            policyGraph(mustMake(diamond(), equalDevices(2)), Objective::Runtime, PolicyView::Methods);
        const std::vector<std::string> names = nodeFeatureNames(PolicyView::Methods, 2);
        QCOMPARE(names.size(), std::size_t{8 + 6 * 4 + 4});
        QCOMPARE(graph.nodeFeatures.size(), 4 * names.size());
        const auto feature = [&](std::size_t node, std::string_view name) {
            const auto column = std::ranges::find(names, name) - names.begin();
            return graph.nodeFeatures[node * names.size() + static_cast<std::size_t>(column)];
        };
        QCOMPARE(feature(0, "list device 0") + feature(0, "list device 1"), 1.0F);
        QVERIFY(feature(1, "list device 0") != feature(2, "list device 0"));
        QVERIFY(feature(0, "list priority") > feature(3, "list priority"));
        QCOMPARE(feature(0, "list quality"), 1.0F);
        QVERIFY(isNear(feature(2, "one-device quality"), 7.0 / 8.0));
        QCOMPARE(feature(3, "one-device device 0"), 1.0F);
        QVERIFY(isNear(feature(1, "log_operations"), std::log(5.0)));
        QVERIFY(isNear(feature(1, "log_depth"), std::log(4.0) / std::log(5.0)));
    }

    /// A method that has no schedule is seen as zeros: there is no partition into one part.
    void seesThatAMethodHasNothing() {
        const PolicyGraph graph =
            policyGraph(mustMake(diamond(), equalDevices(1)), Objective::Memory, PolicyView::Methods);
        const std::vector<std::string> names = nodeFeatureNames(PolicyView::Methods, 1);
        QCOMPARE(graph.nodeFeatures.size(), 4 * names.size());
        const auto column = std::ranges::find(names, "partition device 0") - names.begin();
        for (std::size_t i = 0; i < 3; ++i) QCOMPARE(graph.nodeFeatures[static_cast<std::size_t>(column) + i], 0.0F);
    }

    /// Densities computed with Python's lgamma.
    void choicesAreWorthTheirDensity() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        const std::vector<Beta> betas{{1.0, 1.0}, Beta::ofMean(0.95, 8.0)};
        Schedule schedule =
            inOrder(*partitioned(problem, {.objective = Objective::Memory}), std::vector<std::uint32_t>{0, 1, 2, 3});
        const std::vector<float> values =
            valuesOfChoices(problem, Objective::Memory, Decode::Paper, betas, std::vector{schedule});
        QCOMPARE(values.size(), std::size_t{4 * 3 * 2});
        for (std::size_t i = 0; i < values.size(); i += 2) QVERIFY(isNear(values[i], 0.0));
        for (std::size_t i = 0; i < 4; ++i) {
            const float own = std::max(values[i * 6 + 1], values[i * 6 + 3]);
            const float other = std::min(values[i * 6 + 1], values[i * 6 + 3]);
            QVERIFY2(std::abs(own - 0.061258F) < 1e-4F && std::abs(other + 2.995656F) < 1e-4F,
                     qPrintable(QString::number(own)));
        }
        // The first operation of the order has the highest key.
        QVERIFY(values[5] > values[3 * 6 + 5]);
        // The names of equal devices do not matter.
        for (std::uint32_t& device : schedule.device) device = 1 - device;
        QCOMPARE(valuesOfChoices(problem, Objective::Memory, Decode::Paper, betas, std::vector{schedule}), values);
    }

    void seesControlEdgesAndGraphsWithoutNumbers() {
        TaskGraph graph = makeGraph({{"a", 0.0}, {"b", 0.0}});
        graph.controlEdges.emplace_back(0, 1);
        const PolicyGraph seen =
            policyGraph(mustMake(graph, equalDevices(2)), Objective::Runtime, PolicyView::NoLevels);
        QCOMPARE(seen.nodeFeatures.size(), 12U);
        QCOMPARE(seen.edgeFeatures, (std::vector<float>{0.0F, 1.0F, 0.0F}));
        for (const float number : policyGraph(mustMake(graph, equalDevices(2)), Objective::Runtime).nodeFeatures)
            QVERIFY(std::isfinite(number));
        QCOMPARE(policyGraph(mustMake(graph, equalDevices(2)), Objective::Runtime, PolicyView::Nothing).nodeFeatures,
                 (std::vector<float>{1.0F, 1.0F}));
    }

    void choicesAreDistributionsOfGenes() {
        const std::vector<Beta> betas = policyBetas();
        QCOMPARE(betas.size(), 21U);
        QVERIFY(betas[0].isUniform());
        QVERIFY(std::abs(betas[1].alpha - 0.15) < 1e-9 && std::abs(betas[1].beta - 2.85) < 1e-9);
        QVERIFY(std::abs(betas[20].alpha - 7.6) < 1e-9 && std::abs(betas[20].beta - 0.4) < 1e-9);
        const Problem problem = mustMake(diamond(), equalDevices(2, UnlimitedMemory, TransferMode::Rendezvous));
        QCOMPARE(policyHeads(Decode::Paper, 2), 3U);
        const std::vector<std::uint8_t> choices{1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5};
        // Affinities of each operation, priorities, and eight priorities of transfers, which are not learned.
        QCOMPARE(distributionsOf(problem, Decode::Paper, betas, choices).ofGene,
                 (std::vector<std::uint16_t>{1, 2, 4, 5, 0, 1, 3, 4, 3, 6, 2, 5, 0, 0, 0, 0, 0, 0, 0, 0}));
        QCOMPARE(policyHeads(Decode::EarliestFinish, 2), 1U);
        QCOMPARE(distributionsOf(problem, Decode::EarliestFinish, betas, std::vector<std::uint8_t>{6, 0, 1, 2}).ofGene,
                 (std::vector<std::uint16_t>{6, 0, 1, 2}));
        // Without a uniform distribution in front, one is added for the other genes.
        const std::vector<Beta> others{{2.0, 1.0}};
        const auto mutants = distributionsOf(problem, Decode::Paper, others, std::vector<std::uint8_t>(12, 0));
        QVERIFY(mutants.choices[mutants.ofGene.back()].isUniform());
        QCOMPARE(mutants.ofGene.front(), std::uint16_t{0});
    }

    /// The longest path has 7: a is on it from its start, c has 3 behind it, e has 2.
    void theCriticalPathIsABias() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        const auto mutants = criticalPathDistributions(problem, Decode::Paper);
        QVERIFY(mitos::random_keys::checkDistributions(mutants, geneCount(problem, Decode::Paper)).ok());
        const auto mean = [&](std::size_t gene) {
            const Beta& beta = mutants.choices[mutants.ofGene[gene]];
            return beta.alpha / (beta.alpha + beta.beta);
        };
        QVERIFY(mutants.choices[mutants.ofGene[0]].isUniform());
        QVERIFY(std::abs(mean(8) - 1.0) < 0.02);
        QVERIFY(std::abs(mean(10) - 3.0 / 7.0) < 0.02);
        QVERIFY(std::abs(mean(11) - 2.0 / 7.0) < 0.02);
    }

    void aModelIsReadAsWritten() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(u"m.model"_s).toStdString();
        PolicyModel model{.objective = Objective::Memory,
                          .decode = Decode::Paper,
                          .devices = 4,
                          .machine = "4 devices",
                          .features = PolicyView::NoLevels,
                          .seed = 9,
                          .generations = 1,
                          .variants = 4,
                          .noise = 0.25,
                          .graphs = {"a", "b"},
                          .command = "mitos-cli",
                          .curve = {{.step = 5, .improvement = 0.25, .better = 3}},
                          .parameters = {1.0F, 2.0F}};
        model.shape = policyShape(model, 16, 2);
        QCOMPARE(model.shape.outputs, 105U);
        QVERIFY(mitos::search::learned::saveModel(path, toFile(model)).ok());
        const auto read = loadPolicy(path);
        QVERIFY2(read.ok(), read ? "" : read.error().message.c_str());
        QCOMPARE(descriptionOf(*read), descriptionOf(model));
        QVERIFY(read->shape == model.shape && read->parameters == model.parameters && read->betas == model.betas);
    }

    void saysWhichNetworkItIsFor() {
        using mitos::search::learned::NetworkKind;
        PolicyModel model;
        model.shape = policyShape(model, 16, 2, NetworkKind::Sequence);
        QByteArray text = QByteArray::fromStdString(descriptionOf(model));
        QCOMPARE(policyIn(text.toStdString(), "m")->shape.kind, NetworkKind::Sequence);
        // It takes programs, not task graphs.
        const auto foreign = policyIn(QByteArray(text).replace("sequence", "gated").toStdString(), "m");
        QVERIFY(!foreign);
        QCOMPARE(foreign.error().message,
                 std::string("m cannot be used: it needs a kind of network that this version of Mitos does not have"));
        // As the first files were.
        text.replace(R"("network":"sequence",)", "");
        QCOMPARE(policyIn(text.toStdString(), "m")->shape.kind, NetworkKind::Graph);
    }

    /// Every file of resources/models can be read and has learned something; the test is beside them by its build.
    void shippedModelsCanBeUsed() {
        const std::vector<ShippedModel> models = shippedModels();
        QStringList names;
        for (const ShippedModel& shipped : models) {
            names.append(QString::fromStdString(shipped.name));
            const PolicyModel& model = shipped.model;
            QVERIFY(!model.curve.empty() && !model.command.empty());
            QVERIFY(std::ranges::max(model.curve, {}, &mitos::search::CurvePoint::improvement).improvement > 0.0);
            QVERIFY(shippedModelFor(model.objective, model.devices, std::nullopt).has_value());
        }
        const QDir folder(QStringLiteral(MITOS_SOURCE_DIR "/resources/models"));
        QStringList files;
        for (const QFileInfo& file : folder.entryInfoList({u"*.model"_s}, QDir::Files, QDir::Name)) {
            const auto read = mitos::search::learned::loadModel(file.filePath().toStdString());
            QVERIFY(read.ok());
            if (read->kind == "policy") files.append(file.completeBaseName());
        }
        QCOMPARE(names, files);
        QCOMPARE(shippedModelFor(Objective::Memory, 2, std::nullopt)->name, "memory-2");
        QCOMPARE(shippedModelFor(Objective::Runtime, 2, Decode::Paper)->name, "time-2");
        QVERIFY(!shippedModelFor(Objective::Runtime, 2, Decode::EarliestFinish));
        QVERIFY(!shippedModelFor(Objective::Memory, 3, std::nullopt));
    }

    void refusesDescriptionsOfOthers_data() {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* from, const char* to, const char* message) {
            QTest::newRow(name) << QByteArray(from) << QByteArray(to) << QString::fromLatin1(message);
        };
        row("objective", R"("objective":"time")", R"("objective":"energy")", "its objective is not known");
        row("decode", R"("decode":"finish")", R"("decode":"other")", "its meaning of keys is not known");
        row("features", "bottom_level", "color", "features of graphs that this version of Mitos does not have");
        row("devices", R"("devices":2)", R"("devices":0)", "number of devices makes no sense");
        row("distributions", R"([1.0,1.0])", R"([1.0,-1.0])", "its distributions make no sense");
        row("network", R"("network":"graph")", R"("network":"tree")", "kind of network");
        row("size", R"("hidden":32)", R"("hidden":99999)", "hidden units");
    }
    void refusesDescriptionsOfOthers() {
        QFETCH(const QByteArray, from);
        QFETCH(const QByteArray, to);
        QFETCH(const QString, message);
        PolicyModel model;
        model.shape = policyShape(model, 32, 3);
        QByteArray text = QByteArray::fromStdString(descriptionOf(model));
        QVERIFY2(text.contains(from), text.constData());
        QVERIFY(policyIn(text.toStdString(), "m").ok());
        text.replace(from, to);
        const auto read = policyIn(text.toStdString(), "m.model");
        QVERIFY(!read);
        QVERIFY2(messageOf(read.error()).contains(message), read.error().message.c_str());
    }

    void saysWhatDoesNotFit() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        const PolicyModel model;
        const auto fit = [&](const PolicyModel& one, const Problem& on, Objective objective, Decode decode) {
            const auto status = checkFit(one, "m", on, objective, decode);
            return status ? u"fits"_s : messageOf(status.error());
        };
        QCOMPARE(fit(model, problem, Objective::Runtime, Decode::EarliestFinish), u"fits"_s);
        QVERIFY(
            fit(model, problem, Objective::Memory, Decode::Paper).contains(u"--objective time, and this is memory"_s));
        QVERIFY(fit(model, problem, Objective::Runtime, Decode::Paper).contains(u"decode=finish, and this is paper"_s));
        QVERIFY(fit(model, mustMake(diamond(), equalDevices(3)), Objective::Runtime, Decode::EarliestFinish)
                    .contains(u"2 devices, and there are 3"_s));
    }

    void theStrategyWithoutAModelSaysHowToGetOne() {
        const Problem problem = mustMake(diamond(), equalDevices(3));
        const Strategy strategy = *findStrategy("brkga-learned");
        const auto found = place(strategy, problem, {.evaluations = 100});
        QVERIFY(!found);
        QVERIFY(QString::fromStdString(found.error().hint).contains(u"mitos-cli train policy"_s));
        const auto missing = place(strategy, problem, {.parameters = {{"model", std::string("/no/such.model")}}});
        QCOMPARE(missing.error().code, ErrorCode::Io);
    }

    /// "uniform" is the strategy without learning; the critical path is another one.
    void controlsNeedNoLibrary() {
        const Problem problem = mustMake(syntheticGraph({.operations = 40}, 3), equalDevices(2));
        const auto search = [&](const char* strategy, mitos::ParameterValues values) {
            values.insert_or_assign("decode", std::string("paper"));
            values.insert_or_assign("starts", false);
            const auto found = place(*findStrategy(strategy), problem,
                                     {.seed = 5, .evaluations = 300, .parameters = std::move(values)});
            if (!found) qFatal("%s", found.error().message.c_str());
            return *found;
        };
        const Placement plain = search("brkga", {});
        QVERIFY(search("brkga-learned", {{"model", std::string("uniform")}}) == plain);
        QVERIFY(search("brkga-learned", {{"model", std::string("critical-path")}}).schedule != plain.schedule);
    }

    void refusesGraphsWithoutAnythingToLearn() {
        const PolicyTraining training = sampleTraining();
        const PolicyModel model{.decode = Decode::Paper};
        const auto made = [&](std::vector<Problem> problems, std::size_t count) {
            const auto task =
                PolicyTask::make(std::move(problems), count, model, {.parameters = training.parameters}, 1);
            return task ? u"made"_s : messageOf(task.error());
        };
        const Problem good = training.problems[0];
        const Problem empty = mustMake(makeGraph({{"a", 0.0}, {"b", 0.0}}), equalDevices(2));
        QCOMPARE(made({good, good}, 1), u"made"_s);
        QVERIFY(made({good}, 1).contains(u"1 graph to learn from"_s));
        QVERIFY(made({good, empty}, 1).contains(u"run time of graph 2 is 0"_s));
        QVERIFY(made({good, mustMake(diamond(), equalDevices(3))}, 1).contains(u"graph 2 is for 3 devices"_s));
    }

    /// Costs are those of the strategy with the same seed, for any number of threads.
    void costsAreThoseOfTheSearch() {
        const PolicyTraining training = sampleTraining();
        const PolicyModel model{.decode = Decode::Paper};
        for (const unsigned jobs : {1U, 3U}) {
            const auto task = PolicyTask::make(training.problems, 4, model,
                                               {.evaluations = 100, .parameters = training.parameters}, jobs);
            QVERIFY(task.ok());
            const std::vector<std::uint8_t> first(std::size_t{(*task)->graph(1).nodes} * 3, 0);
            const std::vector<mitos::search::learned::Trial> trials{
                {.graph = 0, .seed = 7}, {.graph = 1, .seed = 8}, {.graph = 1, .choices = first, .seed = 8}};
            const auto costs = (*task)->costs(trials, {});
            QVERIFY(costs.ok());
            const auto alone = [&](std::size_t graph, std::uint64_t seed) {
                mitos::ParameterValues values;
                for (const auto& info : geneticParameters())
                    values.emplace(info.name, training.parameters.contains(info.name)
                                                  ? training.parameters.at(info.name)
                                                  : info.defaultValue);
                return place(*findStrategy("brkga"), training.problems[graph],
                             {.seed = seed, .evaluations = 100, .parameters = values})
                    ->score.runtime;
            };
            QCOMPARE((*costs)[0], alone(0, 7));
            QCOMPARE((*costs)[1], alone(1, 8));
            QCOMPARE((*costs)[2], (*costs)[1]);
            std::stop_source stop;
            stop.request_stop();
            QCOMPARE((*task)->costs(trials, stop.get_token()).error().code, ErrorCode::Cancelled);
        }
    }
};

MITOS_TEST(TestPolicy)

}  // namespace tst_policy

#include "tst_policy.moc"
