// SPDX-License-Identifier: GPL-3.0-or-later
// The rewriter, the checker and the history, with rules that no rule file describes.
#include "core/ks/module.h"
#include "core/rewrite/history.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/rule_everywhere.h"
#include "core/rewrite/thread_parts.h"
#include "tests/rewrite/hand_made_rules.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_rewriter {

using namespace mitos;
using rewrite::Rewrite;
using rewrite::Rewriter;
using rewrite::StateId;
using rewrite::Step;
using rewrite::Thread;
using test::BinaryRule;

namespace {

using RuleList = std::vector<std::shared_ptr<const rules::DirectedRule>>;

struct Fixture {
    ir::TermBank bank{ks::makeRegistry()};
    ir::Program program;

    explicit Fixture(const std::string& text) {
        const Result<ir::Program> parsed = ks::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        program = *parsed;
    }
    [[nodiscard]] std::string print(ir::TermId term) const { return ks::printTerm(bank, term); }
    /// "rule at position: result" of every rewrite.
    [[nodiscard]] std::vector<std::string> rewrites(const RuleList& rules, rewrite::RewriteLimits limits = {}) {
        std::vector<std::string> lines;
        for (const Rewrite& r : Rewriter(bank, rules, ir::Sharing::Tree, limits).all(program.root)) {
            lines.push_back(r.step.rule->name() + " at " + r.step.place() + ": " + print(r.result));
        }
        return lines;
    }
};

void compareLines(const std::vector<std::string>& actual, const std::vector<std::string>& expected) {
    for (std::size_t i = 0; i < std::max(actual.size(), expected.size()); ++i) {
        QCOMPARE(QByteArray::fromStdString(i < actual.size() ? actual[i] : "nothing"),
                 QByteArray::fromStdString(i < expected.size() ? expected[i] : "nothing"));
    }
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// (x + y) * 1 + z, with the thread: commute the inner sum, drop the 1, commute the outer sum.
struct ThreadFixture : Fixture {
    std::shared_ptr<const BinaryRule> commute = test::commuteAdd();
    std::shared_ptr<const BinaryRule> one = test::mulOne();
    Thread thread;

    ThreadFixture() : Fixture("(add (mul (add x y) 1.0) z)") {
        thread.start = program;
        ir::TermId root = program.root;
        Rewriter rewriter(bank, {commute, one});
        for (const auto& [rule, path] :
             {std::pair<std::shared_ptr<const BinaryRule>, ir::Path>{commute, {0, 0}}, {one, {0}}, {commute, {}}}) {
            const ir::TermId subterm = *ir::subterm(bank, root, path);
            const Step step{rule, {path}, BinaryRule::substitution(bank.child(subterm, 0), bank.child(subterm, 1))};
            root = *rewriter.apply({program.function, root}, step);
            thread.steps.push_back(step);
            thread.states.push_back(root);
        }
    }
};

}  // namespace

class TestRewriter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsRewritesInPreOrderAndRuleOrder() {
        Fixture f("(add (mul (add x y) 1.0) (add z 2.0))");
        compareLines(
            f.rewrites({test::commuteAdd(), test::mulOne()}),
            {"commute_add at /: (add (add z 2.0) (mul (add x y) 1.0))", "mul_one at /0: (add (add x y) (add z 2.0))",
             "commute_add at /0/0: (add (mul (add y x) 1.0) (add z 2.0))",
             "commute_add at /1: (add (mul (add x y) 1.0) (add 2.0 z))"});
    }

    /// Innermost places first, and a place that a step before has changed is looked at again.
    void takesARuleEverywhere() {
        Fixture f("(mul (add (mul x 1.0) (mul y 1.0)) 1.0)");
        const Thread thread = rewrite::everywhere(f.bank, f.program, test::mulOne(), [] { return true; });
        std::vector<std::string> places;
        for (const Step& step : thread.steps) places.push_back(step.place());
        compareLines(places, {"/0/1", "/0/0", "/"});
        QCOMPARE(f.print(thread.end().root), std::string("(add x y)"));
        QVERIFY(rewrite::check(f.bank, thread).valid);
        int looks = 0;
        const Thread stopped =
            rewrite::everywhere(f.bank, f.program, test::mulOne(), [&looks] { return ++looks <= 4; });
        QCOMPARE(stopped.steps.size(), std::size_t{1});  // three looks find the places
    }

    void leavesOutWhatChangesNothing() {
        Fixture f("(add (add x x) (add x x))");
        compareLines(f.rewrites({test::commuteAdd()}), {});
    }

    void aDuplicateSubtermHasAPositionEachAndIsMatchedOnce() {
        Fixture f("(mul (add x y) (mul (add x y) (add x y)))");
        const auto rule = test::commuteAdd();
        compareLines(f.rewrites({rule}), {"commute_add at /0: (mul (add y x) (mul (add x y) (add x y)))",
                                          "commute_add at /1/0: (mul (add x y) (mul (add y x) (add x y)))",
                                          "commute_add at /1/1: (mul (add x y) (mul (add x y) (add y x)))"});
        QCOMPARE(rule->matchCalls(), 1);
    }

    void successorsAreDistinctAndNeverTheStart() {
        Fixture f("(add (add x y) (add x y))");
        // At the root the rule changes nothing; two rules that do the same make one successor.
        Rewriter rewriter(f.bank, {test::commuteAdd(), test::commuteAdd()});
        QCOMPARE(rewriter.all(f.program.root).size(), std::size_t(4));
        const std::vector<Rewrite> successors = rewriter.successors(f.program.root);
        QCOMPARE(successors.size(), std::size_t(2));
        QCOMPARE(f.print(successors[0].result).c_str(), "(add (add y x) (add x y))");
        QCOMPARE(f.print(successors[1].result).c_str(), "(add (add x y) (add y x))");
    }

    void stopsWhenTold() {
        Fixture f("(add (add x y) (add y z))");
        Rewriter rewriter(f.bank, {test::commuteAdd()});
        int seen = 0;
        rewriter.forEach(f.program.root, [&](const Rewrite&) { return ++seen < 2; });
        QCOMPARE(seen, 2);
    }

    void onePositionOnly() {
        Fixture f("(add (add x y) z)");
        Rewriter rewriter(f.bank, {test::commuteAdd()});
        const Result<std::vector<Rewrite>> there = rewriter.at(f.program.root, {0});
        QVERIFY(there.ok() && there->size() == 1);
        QCOMPARE(f.print((*there)[0].result).c_str(), "(add (add y x) z)");
        QVERIFY(rewriter.at(f.program.root, {0, 0})->empty());
        const auto nowhere = rewriter.at(f.program.root, {0, 7});
        QVERIFY(!nowhere.ok());
        QVERIFY(contains(nowhere.error().message, "no position /0/7"));
    }

    void limitsLeaveOutLargeResults() {
        // a + b => (a + b) + (a + b) doubles.
        const auto twice =
            std::make_shared<BinaryRule>("twice", ks::Op::Add, [](ir::TermBank& bank, ir::TermId a, ir::TermId b) {
                const ir::TermId sum = *test::made(bank, ks::Op::Add, a, b);
                return test::made(bank, ks::Op::Add, sum, sum);
            });
        Fixture f("(add (add x y) z)");
        QCOMPARE(f.rewrites({twice}).size(), std::size_t(2));
        QCOMPARE(f.rewrites({twice}, {.maxTreeSize = 9, .maxDepth = 100}).size(), std::size_t(1));
        QCOMPARE(f.rewrites({twice}, {.maxTreeSize = 8, .maxDepth = 100}).size(), std::size_t(0));
        QCOMPARE(f.rewrites({twice}, {.maxTreeSize = 100, .maxDepth = 3}).size(), std::size_t(0));
    }

    void wrongRulesDoNoHarm() {
        const auto toInteger = std::make_shared<BinaryRule>(
            "to_integer", ks::Op::Add,
            [](ir::TermBank& bank, ir::TermId, ir::TermId) -> Result<ir::TermId> { return bank.integer(1); });
        const auto unbound = std::make_shared<BinaryRule>(
            "unbound", ks::Op::Add, [](ir::TermBank& bank, ir::TermId, ir::TermId) -> Result<ir::TermId> {
                return bank.bound(0, bank.types().floating());
            });
        Fixture f("(let (i 1) (add x (to_float i)))");
        compareLines(f.rewrites({toInteger}), {});
        // Under the let, whose variable is an Integer, the Float variable 0 would be another one.
        Rewriter rewriter(f.bank, {unbound});
        for (const auto& rule : {toInteger, unbound}) {
            const ir::TermId sum = f.bank.child(f.program.root, 1);
            const auto result = rewriter.apply(
                f.program, {rule, {{1}}, BinaryRule::substitution(f.bank.child(sum, 0), f.bank.child(sum, 1))});
            QVERIFY(!result.ok());
            QVERIFY(contains(result.error().message, rule->name() + " at /1: the result"));
        }
    }

    void deepProgramsAreWalked() {
        Fixture f("(add x y)");
        ir::TermId root = f.program.root;
        for (int i = 0; i < 9'000; ++i) root = *test::made(f.bank, ks::Op::Mul, f.bank.floating(2.0), root);
        std::vector<Rewrite> found = Rewriter(f.bank, {test::commuteAdd()}).all(root);
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].step.positions.front().size(), std::size_t(9'000));
        const Thread thread{{f.program.function, root}, {found[0].step}, {found[0].result}};
        QVERIFY(rewrite::check(f.bank, thread).valid);
    }

    void aThreadChecks() {
        ThreadFixture f;
        const rewrite::ThreadReport report = rewrite::check(f.bank, f.thread);
        QVERIFY2(report.valid, report.reason.c_str());
        QCOMPARE(report.steps, std::size_t(3));
        QCOMPARE(report.failedStep, std::size_t(0));
        QCOMPARE(f.print(f.thread.end().root).c_str(), "(add z (add y x))");
        QVERIFY(rewrite::check(f.bank, {f.program, {}, {}}).valid);
    }

    void tamperedThreadsAreRejected_data() {
        QTest::addColumn<int>("what");
        QTest::addColumn<int>("failedStep");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("a position that is not there") << 0 << 2 << QByteArray("no position /0/5");
        QTest::newRow("another position") << 1 << 1 << QByteArray("left side");
        QTest::newRow("another substitution") << 2 << 1 << QByteArray("left side");
        QTest::newRow("another state") << 3 << 2 << QByteArray("another state");
        QTest::newRow("another rule") << 4 << 1 << QByteArray("left side");
        QTest::newRow("a step too many") << 5 << 4 << QByteArray("4 steps but 3 states");
        QTest::newRow("a state left out") << 6 << 3 << QByteArray("3 steps but 2 states");
        QTest::newRow("steps in another order") << 7 << 2 << QByteArray("left side");
        QTest::newRow("an empty substitution") << 8 << 1 << QByteArray("two values");
        QTest::newRow("another start") << 9 << 1 << QByteArray("no position /0/0");
    }
    void tamperedThreadsAreRejected() {
        QFETCH(int, what);
        QFETCH(int, failedStep);
        QFETCH(QByteArray, reason);
        ThreadFixture f;
        Thread& t = f.thread;
        switch (what) {
            case 0: t.steps[1].positions = {{0, 5}}; break;
            case 1: t.steps[0].positions = {{}}; break;
            case 2: std::swap(t.steps[0].substitution.values[0], t.steps[0].substitution.values[1]); break;
            case 3: t.states[1] = t.states[0]; break;
            case 4: t.steps[0].rule = f.one; break;
            case 5: t.steps.push_back(t.steps[2]); break;
            case 6: t.states.pop_back(); break;
            case 7: {
                // Drop the 1 first: then the inner sum stands at /0.
                std::swap(t.steps[0], t.steps[1]);
                const ir::TermId product = f.bank.child(t.start.root, 0);
                t.steps[0].substitution = BinaryRule::substitution(f.bank.child(product, 0), f.bank.child(product, 1));
                t.states[0] = *Rewriter(f.bank, {}).apply(t.start, t.steps[0]);
                break;
            }
            case 8: t.steps[0].substitution.values.clear(); break;
            default: t.start.root = *ir::subterm(f.bank, t.start.root, {1}); break;
        }
        const rewrite::ThreadReport report = rewrite::check(f.bank, t);
        QVERIFY(!report.valid);
        QVERIFY2(contains(report.reason, reason.toStdString()), report.reason.c_str());
        QCOMPARE(report.failedStep, static_cast<std::size_t>(failedStep));
        QCOMPARE(report.steps, static_cast<std::size_t>(failedStep - 1));
    }

    void aViolatedSideConditionIsRejected() {
        Fixture f("(mul x 2.0)");
        const ir::TermId x = f.bank.child(f.program.root, 0);
        const Thread thread{
            f.program, {{test::mulOne(), {{}}, BinaryRule::substitution(x, f.bank.floating(2.0))}}, {x}};
        const rewrite::ThreadReport report = rewrite::check(f.bank, thread);
        QVERIFY(!report.valid);
        QCOMPARE(report.failedStep, std::size_t(1));
        QVERIFY2(contains(report.reason, "side condition"), report.reason.c_str());
    }

    void consecutiveStepsOfOneNameAreRuns() {
        const auto runsOf = [](const Thread& thread) {
            QByteArray text;
            for (const auto& [first, count] : rewrite::stepRuns(thread))
                text += QByteArray::number(static_cast<qulonglong>(first)) + "+" +
                        QByteArray::number(static_cast<qulonglong>(count)) + " ";
            return text;
        };
        const ThreadFixture f;
        QCOMPARE(runsOf(f.thread), QByteArray("0+1 1+1 2+1 "));
        QCOMPARE(runsOf({f.program, {}, {}}), QByteArray());
        const Step one = f.thread.steps[1];
        const Step inner = f.thread.steps[0];
        Step outer = f.thread.steps[2];   // another place
        outer.rule = test::commuteAdd();  // and another rule of the same name
        Step reversed = inner;
        reversed.isReversed = true;
        QCOMPARE(runsOf({f.program, {one, inner, outer, inner, reversed, one, one}, {}}),
                 QByteArray("0+1 1+3 4+1 5+2 "));
    }

    void threadsMoveBetweenBanks() {
        ThreadFixture f;
        ir::TermBank other(f.bank.sharedRegistry());
        other.floating(99.0);  // so that ids differ
        const Thread copy = rewrite::transplant(f.bank, f.thread, other);
        QVERIFY(rewrite::check(other, copy).valid);
        QCOMPARE(other.hash(copy.end().root), f.bank.hash(f.thread.end().root));
        QVERIFY(copy.end().root != f.thread.end().root);
    }

    void historyIsATreeThatUndoAndRedoWalk() {
        ThreadFixture f;
        rewrite::History history(f.thread.start, 5.0);
        const StateId end = history.addThread(history.start(), f.thread, {5.0, 5.0, 3.0, 3.0}, "astar #1");
        QCOMPARE(history.size(), std::size_t(4));
        QVERIFY(history.current() == end);
        QVERIFY(history.best() == StateId(2));
        QCOMPARE(history.state(end).origin.c_str(), "astar #1");
        QVERIFY(!history.redo());
        QVERIFY(history.undo() && history.undo());
        QVERIFY(history.current() == StateId(1));

        // A branch: the outer sum first. Nothing of the old branch goes away.
        const ir::TermId root = history.state(StateId(1)).root;
        const Step step{f.commute, {{}}, BinaryRule::substitution(f.bank.child(root, 0), f.bank.child(root, 1))};
        const ir::TermId result = *Rewriter(f.bank, {}).apply({f.program.function, root}, step);
        const StateId branch = history.add(StateId(1), step, result, 5.0);
        QCOMPARE(history.size(), std::size_t(5));
        QCOMPARE(history.state(StateId(1)).children.size(), std::size_t(2));
        QVERIFY(!history.state(branch).sameAs.isValid());

        // Redo goes where one was last; undo and redo never lose a state.
        QVERIFY(history.undo() && history.undo() && !history.undo());
        QVERIFY(history.redo() && history.redo() && !history.redo());
        QVERIFY(history.current() == branch);
        history.checkout(end);
        QVERIFY(history.undo() && history.undo() && history.redo() && history.redo());
        QVERIFY(history.current() == end);

        // The same step again is the same state.
        QVERIFY(history.add(StateId(1), step, result, 5.0) == branch);
        QCOMPARE(history.size(), std::size_t(5));
        QVERIFY(history.current() == branch);

        const Thread back = history.threadTo(end);
        QCOMPARE(back.steps.size(), std::size_t(3));
        QVERIFY(rewrite::check(f.bank, back).valid);
        QVERIFY(history.pathTo(branch) == std::vector<StateId>({StateId(0), StateId(1), branch}));
    }

    void duplicatesOfAStateAreLinks() {
        ThreadFixture f;
        rewrite::History history(f.thread.start, 5.0);
        history.addThread(history.start(), f.thread, {5.0, 5.0, 3.0, 3.0}, {});
        // Commuting back leads to the state before, which stands elsewhere in the tree already.
        const ir::TermId root = history.state(StateId(3)).root;
        const Step back{f.commute, {{}}, BinaryRule::substitution(f.bank.child(root, 0), f.bank.child(root, 1))};
        const ir::TermId result = *Rewriter(f.bank, {}).apply({f.program.function, root}, back);
        const StateId link = history.add(StateId(3), back, result, 3.0);
        QCOMPARE(history.size(), std::size_t(5));
        QVERIFY(history.state(link).sameAs == StateId(2));
        QVERIFY(history.state(link).parent == StateId(3));
        QVERIFY(rewrite::check(f.bank, history.threadTo(link)).valid);
        // The earliest of the cheapest states is the best one.
        QVERIFY(history.best() == StateId(2));
        history.setCosts({1.0, 2.0, 3.0, 4.0, 5.0});
        QVERIFY(history.best() == StateId(0));
        history.mark(link, {.name = "back", .note = {}});
        QCOMPARE(history.state(link).marks.name.c_str(), "back");
    }

    void anEmptyThreadChangesNothing() {
        ThreadFixture f;
        rewrite::History history(f.program, 5.0);
        QVERIFY(history.addThread(history.start(), {f.program, {}, {}}, {5.0}, "greedy #1") == history.start());
        QCOMPARE(history.size(), std::size_t(1));
        QVERIFY(!history.undo() && !history.redo());
    }
};

MITOS_TEST(TestRewriter)

}  // namespace tst_rewriter

#include "tst_rewriter.moc"
