// SPDX-License-Identifier: GPL-3.0-or-later
// Trained value functions: their files, what they fit, and the searches that use them.
#include "search/strategies/strategies.h"
#include "tests/learned/small_value.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

namespace tst_value_model {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;
using namespace mitos::tests;
using namespace Qt::StringLiterals;

namespace {

constexpr const char* Program = "arithmetic/table6-4.ks";

QString messageOf(const Error& error) { return QString::fromStdString(error.message); }

}  // namespace

class TestValueModel : public QObject {
    Q_OBJECT

private:
    [[nodiscard]] std::string written(const ValueModel& model, const QString& name = u"a.model"_s) const {
        const std::string path = m_folder.filePath(name).toStdString();
        if (const Status done = learned::saveModel(path, toFile(model)); !done)
            qFatal("%s", done.error().message.c_str());
        return path;
    }
    static Result<SearchResult> searchWith(const char* strategy, const SearchProblem& problem) {
        Recorder ignored;
        return (*findStrategy(strategy))->run(problem, {}, ignored);
    }

    QTemporaryDir m_folder;
    Job m_job{Program, SmallRules};

private Q_SLOTS:
    void aFileHasAllOfTheModel() {
        ValueModel model = trainedValue(m_job.problem(200), 1, {"sharing", "algebra"});
        model.scale = CostScale::Logarithm;
        model.unit = 2.5;
        model.seed = 7;
        model.evaluations = 200;
        model.command = "mitos-cli train value";
        model.shape.dropout = 0.25;
        model.curve = {{.step = 3, .seconds = 1.5, .improvement = 0.25, .better = 2, .worse = 1, .reward = -0.5}};
        const auto read = readValueModel("a", learned::toBytes(toFile(model)));
        QVERIFY2(read.ok(), read ? "" : read.error().message.c_str());
        QCOMPARE(descriptionOf(*read), descriptionOf(model));
        QCOMPARE(read->shape, model.shape);
        QCOMPARE(read->shape.hints, 20U);
        QCOMPARE(read->vocabulary, model.vocabulary);
        QCOMPARE(read->ruleNames, model.ruleNames);
        QCOMPARE(read->hints, model.hints);
        QCOMPARE(read->scale, CostScale::Logarithm);
        QCOMPARE(read->unit, 2.5);
        QCOMPARE(read->curve, model.curve);
        QCOMPARE(read->parameters, model.parameters);
    }

    void refusesOtherFiles() {
        const ValueModel model = trainedValue(m_job.problem(200), 0);
        const auto refuses = [](const learned::ModelFile& file, const QString& message) {
            const auto read = readValueModel("a", learned::toBytes(file));
            QVERIFY(!read.ok());
            QVERIFY2(messageOf(read.error()).contains(message), read.error().message.c_str());
        };
        learned::ModelFile file = toFile(model);
        file.kind = "policy";
        refuses(file, u"a cannot be used: it is no value function, but a model of the kind \"policy\""_s);
        refuses({.kind = "value", .description = file.description}, u"it has no parameters"_s);
        refuses({.kind = "value", .description = "{}", .parts = file.parts}, u"a kind of network"_s);
        ValueModel other = model;
        other.hints = {"future"};
        refuses(toFile(other), u"it needs a value function, \"future\""_s);
        other = model;
        other.unit = 0.0;
        refuses(toFile(other), u"its scale of costs makes no sense"_s);
        other = model;
        other.vocabulary.clear();
        refuses(toFile(other), u"it has no vocabulary"_s);
        std::string bytes = learned::toBytes(toFile(model));
        bytes.back() = static_cast<char>(bytes.back() ^ 1);
        QVERIFY(messageOf(readValueModel("a", bytes).error()).contains(u"damaged model"_s));
        other = model;
        other.parameters.pop_back();
        QVERIFY(messageOf(networkOf(other).error()).contains(u"parameters, and its network takes"_s));
    }

    void saysWhatDoesNotFit() {
        const SearchProblem problem = m_job.problem(200);
        const ValueModel model = trainedValue(problem, 0);
        QVERIFY(checkFit(model, "a", problem).ok());
        const auto refuses = [&](const ValueModel& own, const SearchProblem& asked, const QString& message) {
            const Status fits = checkFit(own, "a", asked);
            QVERIFY(!fits.ok());
            QVERIFY2(messageOf(fits.error()).contains(message), fits.error().message.c_str());
            QVERIFY(!fits.error().hint.empty());
        };
        refuses(model, m_job.problem(200, {}, "size"), u"it was trained for --cost ks-2021"_s);
        ValueModel other = model;
        other.dialect = "tensor";
        refuses(other, problem, u"it was trained for tensor programs, and this is a ks program"_s);
        other = model;
        std::erase(other.vocabulary, "div");
        refuses(other, problem, u"it does not know \"div\", a kind of node of the program"_s);
        const Job exponential(Result<SourceText>(SourceText("e", "(def f Float (x : Float) (exp x))")), SmallRules);
        refuses(model, exponential.problem(200), u"\"exp\", a kind of node of the program"_s);
        const Job others(Program, "ks-all");
        refuses(model, others.problem(200), u"a kind of node that a rule may add"_s);
    }

    void otherRulesAreANote() {
        SearchProblem problem =
            m_job.problem(50, {{"value", "learned:" + written(trainedValue(m_job.problem(50), 0))}});
        auto found = searchWith("greedy", problem);
        QVERIFY(found.ok());
        QCOMPARE(found->notes.size(), 0U);
        problem.rules.resize(problem.rules.size() - 2);
        found = searchWith("greedy", problem);
        QVERIFY(found.ok());
        QCOMPARE(found->notes.size(), 1U);
        QVERIFY2(
            found->notes.front().ends_with(
                "was trained with other rules (ks-simple): 0 of those here were not among them, and 2 are missing"),
            found->notes.front().c_str());
    }

    /// The states of one search, which the network does not guide.
    void fittingLowersTheLoss() {
        const SearchProblem problem = m_job.problem(200);
        for (const auto& hints : {std::vector<std::string>(), std::vector<std::string>{"sharing", "algebra"}}) {
            ValueModel model = trainedValue(problem, 0, hints);
            const auto network = *networkOf(model);
            const LearningSettings settings{
                .evaluations = 200, .guide = "potential", .labels = 0, .passes = 1, .learningRate = 0.01};
            const auto visited = visitedStates(problem, model, **networkOf(model), settings, {});
            QVERIFY(visited.ok());
            QCOMPARE(visited->size(), 200U);
            learned::Adam adam(network->parameterCount());
            std::vector<double> losses;
            for (std::uint64_t pass = 0; pass < 10; ++pass)
                losses.push_back(*fit(model, *network, adam, {&*visited, 1}, settings, pass));
            QVERIFY2(losses.back() < 0.5 * losses.front(),
                     qPrintable(u"%1 %2"_s.arg(losses.front()).arg(losses.back())));
        }
    }

    /// The same program, so that the network knows what to expect.
    void guidesSearches_data() {
        QTest::addColumn<QString>("strategy");
        for (const char* const name : {"astar", "greedy", "beam", "mcts"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void guidesSearches() {
        QFETCH(const QString, strategy);
        const std::string path = written(trainedValue(m_job.problem(200), 8, {"sharing"}));
        const auto found =
            searchWith(qPrintable(strategy), m_job.problem(300, {{"value", std::string("learned")}, {"model", path}}));
        QVERIFY2(found.ok(), found ? "" : found.error().message.c_str());
        verify(*found, m_job.book());
        if (strategy == u"astar"_s) QVERIFY(found->bestCost < found->initialCost);
        const auto brief = searchWith(qPrintable(strategy), m_job.problem(300, {{"value", "learned:" + path}}));
        QVERIFY(brief.ok());
        QCOMPARE(brief->bestCost, found->bestCost);
        QCOMPARE(brief->statistics.evaluations, found->statistics.evaluations);
    }

    /// Figure 3 of the Knossos paper: two expressions that look alike, one to cancel and one to share. With one trained value function A* finds
    /// both costs of the paper in 300 evaluations; with the value function that needs no training it finds the first only.
    void cancelsInOneAndSharesInTheOther_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("untrained");
        QTest::addColumn<QString>("rule");
        QTest::newRow("cancel") << u"arithmetic/table6-1.ks"_s << 3.0 << 3.0 << u"div_by_self"_s;
        QTest::newRow("share") << u"arithmetic/table6-3.ks"_s << 6.1 << 8.0 << u"cse_bind"_s;
    }
    void cancelsInOneAndSharesInTheOther() {
        QFETCH(const QString, program);
        QFETCH(const double, least);
        QFETCH(const double, untrained);
        QFETCH(const QString, rule);
        const Job job(program.toStdString(), "ks-arithmetic");
        const auto best = [&](const std::string& value) {
            const auto found = searchWith("astar", job.problem(300, {{"value", value}, {"depth", std::int64_t{10}}}));
            if (!found) qFatal("%s", found.error().message.c_str());
            verify(*found, job.book());
            return *found;
        };
        const SearchResult learned = best("learned:" MITOS_SOURCE_DIR "/samples/arithmetic/table6.model");
        QCOMPARE(learned.bestCost, least);
        QCOMPARE(learned.thread.steps.back().name(), rule.toStdString());
        QCOMPARE(best("potential").bestCost, untrained);
    }

    void saysWhyThereIsNone() {
        const auto refuses = [&](ParameterValues values, const QString& message) {
            const auto found = searchWith("astar", m_job.problem(50, std::move(values)));
            QVERIFY(!found.ok());
            QVERIFY2(messageOf(found.error()).contains(message), found.error().message.c_str());
        };
        refuses({{"value", std::string("learned:/no/such.model")}}, u"/no/such.model"_s);
        refuses({{"value", std::string("learner")}}, u"value cannot be \"learner\""_s);
        if (shippedValues().empty())
            refuses({{"value", std::string("learned")}},
                    u"no trained value function that fits comes with this program"_s);
    }

    /// Every model of this kind in the folder is built in, says how it was made, and was worth its training.
    void shippedValuesCanBeUsed() {
        QStringList names;
        for (const ShippedValue& shipped : shippedValues()) {
            names.append(QString::fromStdString(shipped.name));
            QVERIFY(!shipped.model.command.empty());
            QVERIFY(bestIn(shipped.model.curve) != nullptr && bestIn(shipped.model.curve)->improvement > 0.0);
            QVERIFY(networkOf(shipped.model).ok());
        }
        QStringList files;
        const QDir folder(QStringLiteral(MITOS_SOURCE_DIR "/resources/models"));
        for (const QFileInfo& file : folder.entryInfoList({u"*.model"_s}, QDir::Files, QDir::Name)) {
            const auto read = learned::loadModel(file.filePath().toStdString());
            QVERIFY(read.ok());
            if (read->kind == ValueModelKind) files.append(file.completeBaseName());
        }
        QCOMPARE(names, files);
    }

    /// One call a state for a network of terms; the paper's takes batches.
    void batchesDependOnTheNetwork() {
        const SearchProblem problem = m_job.problem(50);
        const ValueModel model = trainedValue(problem, 0);
        const auto value = *LearnedValue::make(model, *networkOf(model), problem);
        QCOMPARE(value->batch(), 256U);
        QCOMPARE(value->leastBatch(), 1U);
        const std::vector<double> values = value->values({&problem.program.root, 1}, {0, 12});
        QCOMPARE(values.size(), 13U);
        QCOMPARE(values.front(), 0.0);
        QCOMPARE(values[11], values[10]);
    }
};

MITOS_TEST(TestValueModel)

}  // namespace tst_value_model

#include "tst_value_model.moc"
