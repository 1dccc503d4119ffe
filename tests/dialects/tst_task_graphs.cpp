// SPDX-License-Identifier: GPL-3.0-or-later
// A task graph is opened, priced, scheduled, saved and reopened by the functions that both programs use.
#include "core/dialects/dialects.h"
#include "core/rules/rule_sets.h"
#include "core/schedule/program_graph.h"
#include "core/tasks/program.h"
#include "search/placement/strategies.h"
#include "storage/session.h"
#include "storage/workspace/new_program.h"
#include "storage/workspace/opening.h"
#include "storage/workspace/program_file.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace tst_task_graphs {

using namespace mitos;
using tasks::TaskGraph;

namespace {

const std::string Sample = MITOS_SOURCE_DIR "/samples/task-graphs/four.tasks";
const std::string Text =
    "tasks four\n"
    "  a() takes 2, makes 16\n"
    "  b(a) takes 3, makes 8\n"
    "  c(a) takes 1, makes 8\n"
    "  e(b, c) takes 2, makes 4\n";

storage::Surroundings surroundings() {
    const auto registry = dialects::makeRegistry();
    storage::Surroundings result{.registry = registry, .rules = std::nullopt, .choices = {}};
    for (const auto& dialect : registry->dialects()) {
        result.choices[dialect->name] = {dialect->defaultRules, dialect->defaultCost};
    }
    return result;
}

storage::Opened opened(const std::string& path) {
    Result<storage::Opened> result =
        storage::openAnyFile(path, "", surroundings(), {.stop = {}, .report = [](const char*) {}});
    if (!result) qFatal("%s", result.error().render().c_str());
    return *std::move(result);
}

}  // namespace

class TstTaskGraphs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isOpened() {
        const storage::Opened open = opened(Sample);
        QCOMPARE(open.bank->dialect(open.history->program(open.history->start()).function).name, std::string("tasks"));
        QCOMPARE(open.title, std::string("four.tasks · four"));
        QCOMPARE(open.text, Text);
        QVERIFY(open.rules.directions().empty());
        QVERIFY(open.rules.names().empty());
        QVERIFY(open.notices.empty());
        QVERIFY(open.model == nullptr);
    }

    void isPriced() {
        const storage::Opened open = opened(Sample);
        const ir::Program program = open.history->program(open.history->start());
        QCOMPARE(open.costModel->info().name, std::string("task-time"));
        QCOMPARE(*open.costs->cost(program.root), 8.0);
        std::vector<std::string> names;
        for (const auto& model : cost::costModelsFor("tasks")) names.push_back(model->info().name);
        QVERIFY((names == std::vector<std::string>{"task-time", "task-memory", "size"}));
        const auto memory = (*cost::findCostModel("task-memory", "tasks"))->evaluator(*open.bank, program.function);
        // When c runs, the tensors of a, b and c are held.
        QCOMPARE(*memory->cost(program.root), 32.0);
        double sum = 0.0;
        const Result<std::vector<cost::CostPart>> parts = memory->explain(program.root);
        for (const cost::CostPart& part : *parts) sum += part.own * part.times;
        QCOMPARE(sum, 32.0);
        const Result<std::vector<cost::CostPart>> times = open.costs->explain(program.root);
        QCOMPARE(times->size(), std::size_t{5});
        QCOMPARE(times->front().total, 8.0);
        QVERIFY(!cost::findCostModel("task-time", "ks").ok());
        QVERIFY(!cost::findCostModel("roofline", "tasks").ok());
    }

    void isScheduled() {
        const storage::Opened open = opened(Sample);
        const ir::Program program = open.history->program(open.history->start());
        const Result<std::vector<cost::NodeCost>> costs = open.costs->explainNodes(program.root);
        const Result<schedule::ProgramGraph> made = schedule::graphOf(*open.bank, program, *costs);
        QVERIFY2(made.ok(), made ? "" : made.error().message.c_str());
        QVERIFY(made->graph == *tasks::graphOf(*open.bank, program));
        QVERIFY(made->hasOwnDurations);
        QCOMPARE(ir::labelOf(*open.bank, made->terms[3]), std::string("e"));
        const Result<schedule::Problem> problem = schedule::Problem::make(made->graph, schedule::equalDevices(2));
        const auto strategy = search::placement::findStrategy("list");
        search::placement::Request request;
        request.evaluations = 100;
        const auto placed = search::placement::place(*strategy, *problem, std::move(request));
        QVERIFY2(placed.ok(), placed ? "" : placed.error().message.c_str());
        QCOMPARE(placed->score.runtime, 7.0);
    }

    void isSavedAndReopened() {
        const storage::Opened open = opened(Sample);
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("four.mitos")).toStdString();
        {
            Result<storage::Session> session = storage::Session::open(path);
            QVERIFY(session.ok());
            const storage::NewProgram program{.title = open.title,
                                              .source = open.source,
                                              .text = open.text,
                                              .rules = open.rules.names(),
                                              .costModel = open.costModelName,
                                              .states = {}};
            QVERIFY(storage::storeProgram(*session, program).ok());
        }
        const storage::Opened again = opened(path);
        QVERIFY(again.notices.empty());
        QCOMPARE(again.title, open.title);
        QCOMPARE(again.costModelName, std::string("task-time"));
        QCOMPARE(dialects::printProgram(*again.bank, again.history->program(again.history->start())), Text);
        QVERIFY(*tasks::graphOf(*again.bank, again.history->program(again.history->start())) ==
                *tasks::graphOf(*open.bank, open.history->program(open.history->start())));
    }

    void everyFormIsOpened_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("time");
        QTest::newRow("stg") << QStringLiteral("a.stg") << QByteArray("1\n0 0 0\n1 4 1 0\n2 0 1 1\n") << 4.0;
        QTest::newRow("cost graph") << QStringLiteral("a.pbtxt")
                                    << QByteArray("node { name: \"x\" compute_cost: 5 output_info { size: 3 } }\n")
                                    << 5.0;
        QTest::newRow("json") << QStringLiteral("a.json")
                              << QByteArray(R"({"operations": [{"duration": 1.5}, {"duration": 2}]})") << 3.5;
    }
    void everyFormIsOpened() {
        QFETCH(QString, name);
        QFETCH(QByteArray, text);
        QFETCH(double, time);
        const QTemporaryDir folder;
        const std::string path = folder.filePath(name).toStdString();
        QVERIFY(writeFile(path, text.toStdString()).ok());
        const storage::Opened open = opened(path);
        QCOMPARE(*open.costs->cost(open.history->program(open.history->start()).root), time);
    }

    void mistakesAreFoundInTheFormOfTheFile() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("cut.stg")).toStdString();
        QVERIFY(writeFile(path, "3\n0 0").ok());
        const Result<storage::Opened> open =
            storage::openAnyFile(path, "", surroundings(), {.stop = {}, .report = [](const char*) {}});
        QVERIFY(!open.ok());
        QVERIFY(open.error().message.starts_with("the first line announces 3 tasks"));
    }

    void rulesOfOthersAreRefused() {
        const Result<rules::RuleBook> book = rules::RuleBook::load("ks-simple", dialects::makeRegistry());
        const ir::Dialect& tasks = *book->registry()->findDialect("tasks");
        const Status refused = rules::requireFor(*book, tasks);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().hint, std::string("none come with Mitos; a file of your own begins with `use tasks`"));
        QVERIFY(rules::requireFor(rules::RuleBook::none(dialects::makeRegistry()), tasks).ok());
        QVERIFY(rules::shippedRuleSets(tasks).empty());
    }
};

MITOS_TEST(TstTaskGraphs)

}  // namespace tst_task_graphs

#include "tst_task_graphs.moc"
