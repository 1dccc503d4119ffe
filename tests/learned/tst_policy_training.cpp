// SPDX-License-Identifier: GPL-3.0-or-later
// Training with LibTorch: a network learns what only messages tell it, and policies for schedules come out of files as they went in.
#include "core/base/random.h"
#include "search/placement/learned_strategy.h"
#include "search/placement/policy_trainer.h"
#include "tests/learned/small_training.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <vector>

namespace tst_policy_training {

using namespace mitos;
using namespace mitos::search::learned;
using namespace mitos::search::placement;
using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

const QString Library = QStringLiteral(MITOS_BINARY_DIR "/app/mitos-learned.so");

/// Chains of three nodes with equal features. The cost is less if the first node of a chain chooses 1, and the others 2: only messages tell which is
/// the first one.
class ChainTask final : public Task {
public:
    [[nodiscard]] std::size_t trainingCount() const override { return 2; }
    [[nodiscard]] std::size_t graphCount() const override { return 3; }
    [[nodiscard]] GraphView graph(std::size_t) const override {
        return {6, m_nodeFeatures, m_edgeFeatures, m_from, m_to};
    }
    [[nodiscard]] Result<std::vector<double>> costs(std::span<const Trial> trials, const std::stop_token&) override {
        std::vector<double> costs;
        for (const Trial& trial : trials) {
            double cost = 12.0;
            for (std::size_t i = 0; i < trial.choices.size(); ++i)
                cost -= trial.choices[i] == (i % 3 == 0 ? 1 : 2) ? 1.0 : 0.0;
            costs.push_back(cost);
        }
        return costs;
    }

private:
    std::vector<float> m_nodeFeatures = std::vector<float>(6, 1.0F);
    std::vector<float> m_edgeFeatures = std::vector<float>(4, 1.0F);
    std::vector<std::uint32_t> m_from{0, 1, 3, 4};
    std::vector<std::uint32_t> m_to{1, 2, 4, 5};
};

PolicyTraining trainingTo(const QString& path, Objective objective = Objective::Runtime) {
    PolicyTraining training = smallTraining();
    training.objective = objective;
    training.path = path.toStdString();
    training.library = Library.toStdString();
    return training;
}

QString messageOf(const Result<PolicyModel>& result) {
    return result ? u"no error"_s : QString::fromStdString(result.error().message);
}

}  // namespace

class TestPolicyTraining : public QObject {
    Q_OBJECT

private:
    static double learned(std::uint32_t rounds) {
        const auto library = LearnedLibrary::load(Library.toStdString());
        auto network =
            *library->makeNetwork({.nodeFeatures = 1, .edgeFeatures = 1, .hidden = 8, .rounds = rounds, .outputs = 3});
        network->initialize(2);
        ChainTask task;
        TrainingState state = *startTraining({.seed = 1, .learningRate = 0.01, .validateEvery = 20}, *network);
        const ChoiceSpace space{.heads = 1, .prior = {1.5F, 0.0F, 0.0F}};
        if (const Status done = train(state, space, *network, task, {.steps = 200}); !done)
            qFatal("%s", done.error().message.c_str());
        return state.bestPoint()->improvement;
    }

private Q_SLOTS:
    void initTestCase() {
        if (!QFile::exists(Library)) QSKIP("built without LibTorch");
    }

    /// Without messages all nodes choose the same: 2 is right for four of the six.
    void messagesTellWhereANodeIs() {
        QCOMPARE(learned(1), 0.5);
        QCOMPARE(learned(0), 4.0 / 12.0);
    }

    void theSeedDeterminesTheModel() {
        const QTemporaryDir folder;
        const auto train = [&](const QString& name, std::uint64_t seed, unsigned jobs) {
            PolicyTraining training = trainingTo(folder.filePath(name));
            training.seed = seed;
            training.jobs = jobs;
            const auto model = trainPolicy(training);
            if (!model) qFatal("%s", model.error().message.c_str());
            return *model;
        };
        const PolicyModel first = train(u"a.model"_s, 1, 1);
        QCOMPARE(first.parameters, train(u"b.model"_s, 1, 3).parameters);
        QVERIFY(first.parameters != train(u"c.model"_s, 2, 1).parameters);
        const auto read = loadPolicy(folder.filePath(u"a.model"_s).toStdString());
        QVERIFY(read.ok());
        QCOMPARE(read->parameters, first.parameters);
        QCOMPARE(read->curve.size(), 3U);
    }

    void goesOnFromItsFile() {
        const QTemporaryDir folder;
        PolicyTraining training = trainingTo(folder.filePath(u"a.model"_s), Objective::Memory);
        QVERIFY(trainPolicy(training).ok());
        training.steps = 8;
        training.resumes = true;
        const auto paused = trainPolicy(training);
        QVERIFY2(paused.ok(), qPrintable(messageOf(paused)));
        PolicyTraining whole = training;
        whole.resumes = false;
        whole.path = folder.filePath(u"b.model"_s).toStdString();
        const auto direct = trainPolicy(whole);
        QVERIFY(direct.ok());
        QCOMPARE(paused->parameters, direct->parameters);
        const auto state = loadModel(trainingPath(whole.path));
        const auto other = loadModel(trainingPath(training.path));
        QVERIFY(state.ok() && other.ok());
        QVERIFY(*state->find("parameters") == *other->find("parameters"));
    }

    void refusesToGoOnWithAnother() {
        const QTemporaryDir folder;
        PolicyTraining training = trainingTo(folder.filePath(u"a.model"_s));
        training.resumes = true;
        QVERIFY(messageOf(trainPolicy(training)).contains(u"there is no training to go on with"_s));
        training.resumes = false;
        QVERIFY(trainPolicy(training).ok());
        training.resumes = true;
        PolicyTraining other = training;
        other.evaluations = 70;
        QVERIFY(messageOf(trainPolicy(other)).contains(u"evaluations is 60 there and 70 here"_s));
        other = training;
        other.objective = Objective::Memory;
        QVERIFY(messageOf(trainPolicy(other)).contains(u"objective is \"time\" there and \"memory\" here"_s));
        other = training;
        std::swap(other.problems.front(), other.problems.back());
        QVERIFY(messageOf(trainPolicy(other)).contains(u"digest of the graphs"_s));
        other = training;
        other.parameters["learning_rate"] = 0.5;
        QVERIFY(messageOf(trainPolicy(other)).contains(u"settings of steps"_s));
        QFile state(QString::fromStdString(trainingPath(training.path)));
        QVERIFY(state.resize(state.size() / 2));
        QVERIFY(messageOf(trainPolicy(training)).contains(u"damaged model"_s));
    }

    /// A file that cannot be written ends the training with an error before anything is lost.
    void saysIfItCannotWrite() {
        PolicyTraining training = trainingTo(u"/no/such/folder/a.model"_s);
        QVERIFY(!trainPolicy(training).ok());
    }

    /// The file says which network it is for; files without that are for graph networks.
    void sequencesAreTrainedLikeGraphs() {
        const QTemporaryDir folder;
        PolicyTraining training = trainingTo(folder.filePath(u"a.model"_s));
        training.parameters["network"] = std::string("sequence");
        const auto model = trainPolicy(training);
        QVERIFY2(model.ok(), qPrintable(messageOf(model)));
        QCOMPARE(model->shape.kind, NetworkKind::Sequence);
        QCOMPARE(model->shape.rounds, 1U);
        const auto read = loadPolicy(training.path);
        QVERIFY(read.ok());
        QCOMPARE(read->shape, model->shape);
        const auto library = LearnedLibrary::load(Library.toStdString());
        QVERIFY(distributionsBy(*read, training.problems.back(), *library).ok());
        training.resumes = true;
        training.steps = 6;
        QVERIFY(trainPolicy(training).ok());
        training.parameters["network"] = std::string("graph");
        QVERIFY(messageOf(trainPolicy(training)).contains(u"belongs to another training"_s));
    }

    /// A policy for random search (IDRS).
    void oneGenerationIsRemembered() {
        const QTemporaryDir folder;
        PolicyTraining training = trainingTo(folder.filePath(u"a.model"_s));
        training.parameters["generations"] = std::int64_t{1};
        const auto model = trainPolicy(training);
        QVERIFY2(model.ok(), qPrintable(messageOf(model)));
        QCOMPARE(model->generations, 1U);
        const auto read = loadPolicy(training.path);
        QVERIFY(read.ok());
        QCOMPARE(read->generations, 1U);
    }

    /// The graphs that validate are the same, so that the improvements of both trainings can be compared.
    void variantsAreTrainedOn() {
        const QTemporaryDir folder;
        PolicyTraining training = trainingTo(folder.filePath(u"a.model"_s));
        std::vector<std::vector<double>> validations;
        for (const std::int64_t variants : {1, 3}) {
            training.parameters["variants"] = variants;
            const auto model = trainPolicy(training);
            QVERIFY2(model.ok(), qPrintable(messageOf(model)));
            const auto file = loadModel(trainingPath(training.path));
            QVERIFY(file.ok());
            const auto state = stateIn(*file, "state");
            QVERIFY(state.ok());
            QCOMPARE(state->references.size(), static_cast<std::size_t>(4 * variants + 2));
            validations.push_back(state->validations);
        }
        QCOMPARE(validations[0], validations[1]);
        training.resumes = true;
        training.steps = 6;
        QVERIFY(trainPolicy(training).ok());
        training.parameters["noise"] = 0.1;
        QVERIFY(messageOf(trainPolicy(training)).contains(u"belongs to another training"_s));
    }

    void aModelGuidesTheSearch() {
        const QTemporaryDir folder;
        const PolicyTraining training = trainingTo(folder.filePath(u"a.model"_s));
        auto model = trainPolicy(training);
        QVERIFY(model.ok());
        const auto library = LearnedLibrary::load(Library.toStdString());
        QVERIFY(library.ok());
        const schedule::Problem& problem = training.problems.back();
        const auto mutants = distributionsBy(*model, problem, *library);
        QVERIFY(mutants.ok());
        QVERIFY(random_keys::checkDistributions(*mutants, geneCount(problem, Decode::Paper)).ok());
        model->parameters.pop_back();
        QCOMPARE(distributionsBy(*model, problem, *library).error().code, ErrorCode::Incompatible);
    }
};

MITOS_TEST(TestPolicyTraining)

}  // namespace tst_policy_training

#include "tst_policy_training.moc"
