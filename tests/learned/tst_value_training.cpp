// SPDX-License-Identifier: GPL-3.0-or-later
// The training of value functions: the same seed gives the same model, a pause changes nothing, and what may go wrong. Stored threads as experience.
#include "search/rewriting/value_training.h"
#include "search/rewriting/value_training_run.h"
#include "tests/learned/small_value.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <set>

namespace tst_value_training {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;
using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

TrainingProgram programOf(const rules::RuleBook& book, const std::string& sample) {
    const auto bank = std::make_shared<ir::TermBank>(book.registry());
    const auto source = readSourceFile(MITOS_SOURCE_DIR "/samples/arithmetic/" + sample + ".ks");
    if (!source) qFatal("%s", source.error().message.c_str());
    const auto module = ks::parseModule(*bank, *source);
    return {bank, *ks::selectProgram(*bank, *module, "")};
}

/// Four epochs on two small programs, in a fraction of a second; a third one validates.
ValueTraining trainingTo(const rules::RuleBook& book, const QString& path) {
    ValueTraining training{.trainingCount = 2,
                           .names = {"three programs"},
                           .rules = book.directions(),
                           .ruleSets = SmallRules,
                           .cost = *cost::findCostModel("ks-2021"),
                           .parameters = {{"hidden", std::int64_t{8}},
                                          {"readout", std::int64_t{8}},
                                          {"layers", std::int64_t{1}},
                                          {"programs_per_epoch", std::int64_t{2}},
                                          {"search_evaluations", std::int64_t{60}},
                                          {"labels", std::int64_t{4}},
                                          {"label_evaluations", std::int64_t{60}},
                                          {"validation_evaluations", std::int64_t{60}},
                                          {"validate_every", std::int64_t{2}}},
                           .path = path.toStdString(),
                           .epochs = 4};
    for (const char* const sample : {"table6-1", "table6-4", "table6-5"})
        training.programs.push_back(programOf(book, sample));
    training.parameters = *resolveParameters("train value", valueTrainingParameters(), training.parameters);
    return training;
}

ValueModel trained(const ValueTraining& training) {
    const auto model = trainValue(training);
    if (!model) qFatal("%s", model.error().message.c_str());
    return *model;
}

QString messageOf(const Result<ValueModel>& result) {
    return result ? u"no error"_s : QString::fromStdString(result.error().message);
}

std::vector<CurvePoint> withoutTimes(std::vector<CurvePoint> curve) {
    for (CurvePoint& point : curve) point.seconds = 0.0;
    return curve;
}

}  // namespace

class TestValueTraining : public QObject {
    Q_OBJECT

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder->filePath(name); }
    [[nodiscard]] learned::TrainingProgress stateOf(const ValueTraining& training) const {
        const auto stored = learned::progressIn(*learned::loadTraining(training.path), "value-training", training.path);
        if (!stored) qFatal("%s", stored.error().message.c_str());
        learned::TrainingProgress progress = stored->progress;
        progress.curve = withoutTimes(progress.curve);
        progress.seconds = 0.0;
        return progress;
    }

    rules::RuleBook m_book = *rules::RuleBook::load(SmallRules, ks::makeRegistry());
    std::unique_ptr<QTemporaryDir> m_folder;

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void theSeedDeterminesTheModel() {
        ValueTraining training = trainingTo(m_book, path(u"a.model"_s));
        const ValueModel first = trained(training);
        QCOMPARE(first.curve.size(), 3U);
        QCOMPARE(first.ruleNames.size(), m_book.directions().size());
        QCOMPARE(first.hints, (std::vector<std::string>{"sharing", "algebra"}));
        const auto read = loadValueModel(training.path);
        QVERIFY(read.ok());
        QCOMPARE(read->parameters, first.parameters);
        QCOMPARE(descriptionOf(*read), descriptionOf(first));
        const auto state = stateOf(training);
        training.path = path(u"b.model"_s).toStdString();
        training.jobs = 3;
        const ValueModel second = trained(training);
        QCOMPARE(second.parameters, first.parameters);
        QCOMPARE(withoutTimes(second.curve), withoutTimes(first.curve));
        QVERIFY(stateOf(training) == state);
        training.path = path(u"c.model"_s).toStdString();
        training.seed = 2;
        trained(training);
        QVERIFY(stateOf(training).parameters != state.parameters);
    }

    /// The parameters of the best point are those of the model.
    void keepsTheBest() {
        ValueTraining training = trainingTo(m_book, path(u"a.model"_s));
        std::vector<std::vector<float>> parameters;
        training.observer = [&](const learned::TrainingProgress& progress) {
            parameters.push_back(progress.parameters);
        };
        const ValueModel model = trained(training);
        const CurvePoint* const best = bestIn(model.curve);
        QCOMPARE(model.parameters, parameters[static_cast<std::size_t>(best - model.curve.data())]);
        QCOMPARE(model.curve.front().reward, 0.0);
        QVERIFY(model.curve.back().reward < 0.0);
    }

    void goesOnFromItsFile() {
        ValueTraining training = trainingTo(m_book, path(u"a.model"_s));
        trained(training);
        training.epochs = 8;
        training.resumes = true;
        const ValueModel paused = trained(training);
        ValueTraining whole = training;
        whole.resumes = false;
        whole.path = path(u"b.model"_s).toStdString();
        const ValueModel direct = trained(whole);
        QCOMPARE(paused.parameters, direct.parameters);
        QCOMPARE(withoutTimes(paused.curve), withoutTimes(direct.curve));
        QVERIFY(stateOf(training) == stateOf(whole));
    }

    /// The stop comes while the second epoch is not over, or behind it: what was not validated is kept, too.
    void goesOnAfterAStop() {
        ValueTraining whole = trainingTo(m_book, path(u"whole.model"_s));
        whole.epochs = 6;
        trained(whole);
        ValueTraining training = whole;
        training.path = path(u"a.model"_s).toStdString();
        std::stop_source source;
        training.stop = source.get_token();
        training.observer = [&](const learned::TrainingProgress& progress) {
            if (progress.step == 2) source.request_stop();
        };
        const ValueModel stopped = trained(training);
        QCOMPARE(stopped.curve.size(), 2U);
        training.stop = {};
        training.observer = {};
        training.resumes = true;
        trained(training);
        QVERIFY(stateOf(training) == stateOf(whole));
        source = {};
        source.request_stop();
        training.stop = source.get_token();
        training.resumes = false;
        QCOMPARE(messageOf(trainValue(training)), u"stopped before the first validation"_s);
    }

    void refusesToGoOnWithAnother() {
        ValueTraining training = trainingTo(m_book, path(u"a.model"_s));
        training.resumes = true;
        QVERIFY(messageOf(trainValue(training)).contains(u"there is no training to go on with"_s));
        training.resumes = false;
        trained(training);
        training.resumes = true;
        ValueTraining other = training;
        other.parameters["search_evaluations"] = std::int64_t{70};
        QVERIFY(messageOf(trainValue(other)).contains(u"search_evaluations is \"60\" there and \"70\" here"_s));
        other = training;
        other.seed = 3;
        QVERIFY(messageOf(trainValue(other)).contains(u"seed is 1 there and 3 here"_s));
        other = training;
        std::swap(other.programs.front(), other.programs.back());
        QVERIFY(messageOf(trainValue(other)).contains(u"digest of programs and rules"_s));
        QFile state(QString::fromStdString(learned::trainingPath(training.path)));
        QVERIFY(state.resize(state.size() / 2));
        QVERIFY(messageOf(trainValue(training)).contains(u"damaged model"_s));
        QVERIFY(QFile::remove(state.fileName()));
        QVERIFY(QFile::copy(QString::fromStdString(training.path), state.fileName()));
        QVERIFY(messageOf(trainValue(training)).contains(u"is no state that training can go on from"_s));
    }

    void refusesWhatMakesNoSense() {
        const ValueTraining training = trainingTo(m_book, path(u"a.model"_s));
        ValueTraining other = training;
        other.trainingCount = 3;
        QVERIFY(messageOf(trainValue(other)).contains(u"3 programs to train on and 0 to validate with"_s));
        other = training;
        other.rules.clear();
        QVERIFY(messageOf(trainValue(other)).contains(u"there are no rules"_s));
        other = training;
        other.path = "/no/such/folder/a.model";
        QVERIFY(!trainValue(other).ok());
        QVERIFY(!QFile::exists(path(u"a.model"_s)));
    }

    void endsEarly() {
        ValueTraining training = trainingTo(m_book, path(u"a.model"_s));
        training.epochs = 0;
        training.parameters["early_stop"] = std::int64_t{3};
        training.parameters["validate_every"] = std::int64_t{1};
        const ValueModel model = trained(training);
        QCOMPARE(model.curve.back().step, bestIn(model.curve)->step + 3);
    }

    /// A curriculum of as many epochs as there are programs begins with the smallest one alone.
    void aCurriculumBeginsWithTheSmallest() {
        ValueTraining training = trainingTo(m_book, path(u"a.model"_s));
        training.parameters["curriculum"] = std::int64_t{2};
        training.parameters["validate_every"] = std::int64_t{1};
        training.epochs = 1;
        trained(training);
        ValueTraining alone = training;
        // The second one is smaller.
        QVERIFY(alone.programs[1].bank->treeSize(alone.programs[1].program.root) <
                alone.programs[0].bank->treeSize(alone.programs[0].program.root));
        alone.programs.erase(alone.programs.begin());
        alone.trainingCount = 1;
        alone.path = path(u"b.model"_s).toStdString();
        trained(alone);
        QCOMPARE(stateOf(training).parameters, stateOf(alone).parameters);
    }

    void threadsAreExperience() {
        const Job job("arithmetic/table6-5.ks", SmallRules);
        const SearchResult found = searched("astar", job.problem(300));
        QVERIFY(found.thread.steps.size() >= 3);
        const auto all =
            experienceOf(std::vector<StoredThread>{{found.bank, found.thread}}, **cost::findCostModel("ks-2021"));
        QCOMPARE(all.size(), 1U);
        const Experience& one = all.front();
        QCOMPARE(one.costs, found.costs);
        QCOMPARE(one.edges.size(), found.thread.steps.size());
        for (std::uint32_t i = 0; i < one.edges.size(); ++i) QCOMPARE(one.edges[i], (StateEdge{i, i + 1}));
        for (std::size_t i = 0; i < found.thread.states.size(); ++i)
            QCOMPARE(one.bank->hash(one.roots[i + 1]), found.bank->hash(found.thread.states[i]));
        const auto times = static_cast<std::uint32_t>(one.edges.size());
        QCOMPARE(reductionsWithin(one.costs, one.edges, times)[times - 1], found.initialCost - found.bestCost);
        // A thread that ends earlier adds nothing, and one that has no steps is none.
        rewrite::Thread shorter = found.thread;
        shorter.steps.resize(2);
        shorter.states.resize(2);
        const std::vector<StoredThread> threads{
            {found.bank, shorter}, {found.bank, {found.thread.start, {}, {}}}, {found.bank, found.thread}};
        const auto merged = experienceOf(threads, **cost::findCostModel("ks-2021"));
        QCOMPARE(merged.size(), 1U);
        QCOMPARE(merged.front().costs, one.costs);
        QCOMPARE(merged.front().edges, one.edges);
    }

    /// Epochs of replay fit the threads and search nothing, so that programs to train on do not matter.
    void threadsAreReplayedFirst() {
        const Job job("arithmetic/table6-5.ks", SmallRules);
        const SearchResult found = searched("astar", job.problem(300));
        ValueTraining training = trainingTo(m_book, path(u"a.model"_s));
        training.experiences = experienceOf(std::vector<StoredThread>{{found.bank, found.thread}}, *training.cost);
        training.parameters["replay"] = std::int64_t{2};
        training.epochs = 2;
        trained(training);
        ValueTraining other = training;
        other.path = path(u"b.model"_s).toStdString();
        std::swap(other.programs[0], other.programs[1]);
        trained(other);
        QCOMPARE(stateOf(training).parameters, stateOf(other).parameters);
        other = training;
        other.path = path(u"c.model"_s).toStdString();
        other.experiences.clear();
        trained(other);
        QVERIFY(stateOf(training).parameters != stateOf(other).parameters);
    }

    /// The strategy, on the open program: it validates itself.
    void isARun() {
        const Job job("arithmetic/table6-4.ks", SmallRules);
        const auto strategy = valueTrainingRun({}, SmallRules, 1);
        SearchProblem problem = job.problem(0, {{"model", path(u"a.model"_s).toStdString()},
                                                {"epochs", std::int64_t{1}},
                                                {"search_evaluations", std::int64_t{60}},
                                                {"programs_per_epoch", std::int64_t{2}},
                                                {"labels", std::int64_t{4}},
                                                {"labels", std::int64_t{4}},
                                                {"label_evaluations", std::int64_t{60}},
                                                {"hidden", std::int64_t{8}}});
        problem.budget = {};
        Recorder recorder;
        const SearchResult result = searched(*strategy, problem, recorder);
        QVERIFY(result.outcome != nullptr);
        QCOMPARE(result.bestCost, result.initialCost);
        QCOMPARE(result.outcome->fault(*result.bank, result.thread.end(), {}), std::nullopt);
        QCOMPARE(std::ranges::count_if(recorder.events,
                                       [](const SearchEvent& event) { return event.as<Validated>() != nullptr; }),
                 2);
        QVERIFY(QFile::resize(path(u"a.model"_s), 100));
        QVERIFY(result.outcome->fault(*result.bank, result.thread.end(), {}).has_value());
        problem.parameters.insert_or_assign("programs", std::string("file.ks"));
        QVERIFY(!strategy->run(problem, {}, recorder).ok());
    }

    /// The open program beside programs of files, in one training.
    void learnsFromTheOpenProgramAndOthers() {
        const Job job("arithmetic/table6-4.ks", SmallRules);
        const auto book = rules::RuleBook::load(SmallRules, job.book().registry());
        QVERIFY(book.ok());
        std::vector<std::string> asked;
        const auto strategy = valueTrainingRun(
            [&](const std::vector<std::string>& paths, const std::stop_token&) -> Result<TrainingPrograms> {
                asked = paths;
                return TrainingPrograms{.programs = {programOf(*book, "table6-5")}, .names = {"other"}};
            },
            SmallRules, 1);
        SearchProblem problem = job.problem(0, {{"model", path(u"b.model"_s).toStdString()},
                                                {"programs", std::string("program\nother.ks")},
                                                {"epochs", std::int64_t{1}},
                                                {"search_evaluations", std::int64_t{60}},
                                                {"labels", std::int64_t{4}},
                                                {"label_evaluations", std::int64_t{60}},
                                                {"hidden", std::int64_t{8}}});
        problem.budget = {};
        Recorder recorder;
        QVERIFY(searched(*strategy, problem, recorder).outcome != nullptr);
        QCOMPARE(asked, std::vector<std::string>{"other.ks"});
        const auto model = loadValueModel(path(u"b.model"_s).toStdString());
        QVERIFY(model.ok());
        QCOMPARE(model->programs, (std::vector<std::string>{"the open program", "other (validation)"}));
    }
};

MITOS_TEST(TestValueTraining)

}  // namespace tst_value_training

#include "tst_value_training.moc"
