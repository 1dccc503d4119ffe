// SPDX-License-Identifier: GPL-3.0-or-later
// A dialect that Mitos does not ship is opened, stepped, searched, saved, reopened and exported by the functions that the programs
// use; its only registration is its value in the list.
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/ir/draw.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/verdict.h"
#include "core/rules/rule_sets.h"
#include "search/strategies/strategies.h"
#include "storage/session.h"
#include "tests/dialects/circuit_dialect.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace tst_third_dialect {

using namespace mitos;

namespace {

const std::string Twice = "circuit twice(a, b) = flip(disj(flip(conj(a, a)), flip(flip(flip(b)))))";

const std::string Rules =
    "use circuit\n"
    "rule flip_flip [exact]: flip(flip(a)) => a\n"
    "rule conj_same [exact]: conj(a, a) => a\n"
    "rule de_morgan [exact]: disj(flip(a), flip(b)) <=> flip(conj(a, b))\n";

std::shared_ptr<const ir::OperatorRegistry> registry() {
    std::vector<ir::Dialect> dialects = dialects::all();
    dialects.push_back(tests::circuits());
    return dialects::makeRegistry(std::move(dialects));
}

class Silent final : public search::Observer {
public:
    void onEvent(const search::SearchEvent&) override {}
};

}  // namespace

class TstThirdDialect : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const std::string path = m_folder.filePath(QStringLiteral("circuit.rules")).toStdString();
        QVERIFY(writeFile(path, Rules).ok());
        Result<rules::RuleBook> book = rules::RuleBook::load(path, registry());
        QVERIFY2(book.ok(), book ? "" : book.error().render().c_str());
        m_rules = *std::move(book);
    }

    void opens() {
        ir::TermBank bank(m_rules.registry());
        const ir::Program program = opened(bank, Twice);
        QCOMPARE(bank.dialect(program.function).name, std::string("circuit"));
        QCOMPARE(dialects::printProgram(bank, program), Twice);
        QCOMPARE(dialects::printWithSpans(bank, program).spans.size(), std::size_t(10));
        QCOMPARE(ir::labelOf(bank, program.root), std::string("flip"));
        const Result<ir::Program> wrong = dialects::parseProgram(bank, "wrong", "circuit f(a) = both(a, a)");
        QVERIFY(!wrong.ok());
        QCOMPARE(wrong.error().message, std::string("there is no gate both"));
        // The texts of the other dialects are read as before.
        QCOMPARE(bank.dialect(opened(bank, "(mul x 2.0)").function).name, std::string("ks"));
        QCOMPARE(bank.dialect(opened(bank, "graph g(x: f32[2])\n  return Relu(x)\n").function).name,
                 std::string("tensor"));
    }

    void rulesDeclareIt() {
        QCOMPARE(rules::declaredDialect(Rules), std::string_view("circuit"));
        QVERIFY(rules::requireFor(m_rules, tests::circuits()).ok());
        const Status refused = rules::requireFor(m_rules, dialects::all().front());
        QCOMPARE(refused.error().message,
                 std::string("flip_flip is a rule for circuit programs, and this is a ks program"));
        Result<rules::RuleBook> ks = rules::RuleBook::load("ks-simple", m_rules.registry());
        QVERIFY(!rules::requireFor(*ks, tests::circuits()).ok());
        QVERIFY(rules::shippedRuleSets(tests::circuits()).empty());
    }

    void steps() {
        ir::TermBank bank(m_rules.registry());
        const ir::Program program = opened(bank, Twice);
        const rewrite::Rewriter rewriter(bank, m_rules.directions(), bank.dialect(program.function).sharing);
        const std::vector<rewrite::Rewrite> found = rewriter.all(program.root);
        QCOMPARE(found.size(), std::size_t(5));
        QCOMPARE(found.front().step.name(), std::string("de_morgan"));
        QCOMPARE(dialects::printTermAt(bank, program, found.front().step.positions.front(), found.front().replacement),
                 std::string("flip(conj(conj(a, a), flip(flip(b))))"));
    }

    void evaluates() {
        ir::TermBank bank(m_rules.registry());
        const ir::Program program = opened(bank, Twice);
        const Result<eval::Evaluation> value =
            eval::evaluate(bank, program, {.arguments = {eval::Value(true), eval::Value(true)}, .extraSizes = {}});
        QVERIFY(value.ok() && value->value.asBool());
        const ir::Program other = opened(bank, "circuit other(a, b) = disj(a, b)");
        QVERIFY(!eval::compare(bank, program, other)->equivalent);
    }

    void searches_data() {
        QTest::addColumn<QString>("strategy");
        for (const char* const name : {"greedy", "astar", "mcts", "beam", "saturation", "phases", "portfolio"}) {
            QTest::newRow(name) << QString::fromLatin1(name);
        }
    }
    void searches() {
        QFETCH(QString, strategy);
        ir::TermBank bank(m_rules.registry());
        const search::SearchResult result = searched(bank, strategy.toStdString());
        QCOMPARE(result.bestCost, 3.0);
        QCOMPARE(dialects::printProgram(*result.bank, result.thread.end()),
                 std::string("circuit twice(a, b) = conj(a, b)"));
        QVERIFY(result.check.valid);
        const rewrite::Verdict verdict = rewrite::judge(*result.bank, result.thread, result.check);
        QCOMPARE(verdict.values, rewrite::Values::Same);
    }

    void strategiesHaveItsDefaults() {
        const search::StrategyInfo astar = (*search::findStrategy("astar"))->info();
        const search::StrategyInfo own = search::fitted(astar, tests::circuits());
        QCOMPARE(std::get<std::int64_t>(own.parameters.front().defaultValue), std::int64_t{7});
        QCOMPARE(std::get<std::int64_t>(astar.parameters.front().defaultValue), std::int64_t{10});
    }

    void isSavedAndReopened() {
        ir::TermBank bank(m_rules.registry());
        const search::SearchResult result = searched(bank, "greedy");
        ir::TermBank& own = *result.bank;
        rewrite::History history(result.thread.start, result.initialCost);
        history.addThread(history.start(), result.thread, result.costs, "greedy");
        const std::string path = m_folder.filePath(QStringLiteral("circuit.mitos")).toStdString();
        {
            Result<storage::Session> session = storage::Session::open(path);
            QVERIFY(session.ok());
            const Result<search::ProgramId> id =
                session->addProgram("twice", "", dialects::printProgram(own, result.thread.start));
            QVERIFY(id.ok());
            for (std::uint32_t i = 0; i < history.size(); ++i) {
                QVERIFY(session->addStates(*id, {storage::toStored(own, history, rewrite::StateId(i))}).ok());
            }
        }
        Result<storage::Session> session = storage::Session::open(path);
        QVERIFY(session.ok());
        const storage::StoredProgram stored = session->programs()->front();
        ir::TermBank fresh(m_rules.registry());
        const Result<storage::RestoredHistory> restored =
            storage::restoreHistory(fresh, opened(fresh, stored.text), *session->states(stored.id), m_rules);
        QVERIFY2(restored.ok(), restored ? "" : restored.error().message.c_str());
        QCOMPARE(restored->lost, std::size_t(0));
        QCOMPARE(dialects::printProgram(fresh, restored->history.program(restored->history.best())),
                 std::string("circuit twice(a, b) = conj(a, b)"));
    }

    void threadsAreFiles() {
        ir::TermBank bank(m_rules.registry());
        const search::SearchResult result = searched(bank, "greedy");
        const std::string text = rewrite::writeThread(*result.bank, result.thread, result.costs, "size");
        QVERIFY(text.find(Twice) != std::string::npos);
        ir::TermBank fresh(m_rules.registry());
        const Result<rewrite::Replay> read = rewrite::readThread(fresh, SourceText("thread", text), m_rules);
        QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
        QVERIFY(read->report.valid);
        QCOMPARE(dialects::printProgram(fresh, read->thread.end()), std::string("circuit twice(a, b) = conj(a, b)"));
    }

private:
    static ir::Program opened(ir::TermBank& bank, const std::string& text) {
        const Result<ir::Program> program = dialects::parseProgram(bank, "test", text);
        if (!program) qFatal("%s", program.error().render().c_str());
        return *program;
    }

    [[nodiscard]] search::SearchResult searched(ir::TermBank& bank, const std::string& strategy) const {
        const ir::Program program = opened(bank, Twice);
        const ir::Dialect& dialect = bank.dialect(program.function);
        Silent silent;
        Result<search::SearchResult> result =
            (*search::findStrategy(strategy))
                ->run({.bank = bank,
                       .program = program,
                       .rules = m_rules.directions(),
                       .cost = *cost::findCostModel(dialect.defaultCost, dialect.name),
                       .budget = {.evaluations = 200, .seconds = {}, .states = {}, .memoryBytes = {}},
                       .parameters = {}},
                      {}, silent);
        if (!result) qFatal("%s", result.error().render().c_str());
        return *std::move(result);
    }

    QTemporaryDir m_folder;
    rules::RuleBook m_rules;
};

MITOS_TEST(TstThirdDialect)

}  // namespace tst_third_dialect

#include "tst_third_dialect.moc"
