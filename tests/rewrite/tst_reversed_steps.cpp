// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that take an instance of a rule back: checked, tampered with, written, read; and whole threads turned round.
#include "core/eval/testing/random_terms.h"
#include "core/rewrite/history.h"
#include "core/rewrite/rewriter.h"
#include "tests/rewrite/hand_made_rules.h"
#include "tests/rewrite/programs.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>

namespace tst_reversed_steps {

using namespace mitos;
using rewrite::Replay;
using rewrite::Step;
using rewrite::Thread;
using test::BinaryRule;
using test::book;
using test::parse;
using test::qt;

namespace {

Result<Replay> read(ir::TermBank& bank, const std::string& text, const rules::RuleBook& rules) {
    return rewrite::readThread(bank, SourceText("t.thread", text), rules);
}

/// From the end of the thread to its start: its steps, each taken back.
Thread turnedRound(const Thread& thread) {
    Thread result{thread.end(), {}, {}};
    for (std::size_t i = thread.steps.size(); i-- > 0;) {
        result.steps.push_back(thread.steps[i]);
        result.steps.back().isReversed = !thread.steps[i].isReversed;
        result.states.push_back(i == 0 ? thread.start.root : thread.states[i - 1]);
    }
    return result;
}

/// 0 + y  =>  0 * x + y  =>  y + 0 * x, the first step being mul_zero from right to left.
struct Fixture {
    rules::RuleBook rules = book("ks-simple");
    ir::TermBank bank{rules.registry()};
    Thread thread;

    Fixture() {
        thread.start = parse(bank, "(def f Float ((x : Float) (y : Float)) (add 0.0 y))");
        const ir::TermId product = *ir::subterm(bank, at("(add (mul 0.0 x) y)"), {0});
        add({rules.find("mul_zero"), {{0}}, firstMatch("mul_zero", product), true}, "(add (mul 0.0 x) y)");
        add({rules.find("commute_add"), {{}}, firstMatch("commute_add", thread.end().root), false},
            "(add y (mul 0.0 x))");
    }
    /// The body of f, of the same parameters.
    [[nodiscard]] ir::TermId at(const std::string& body) {
        return parse(bank, "(def f Float ((x : Float) (y : Float)) " + body + ")").root;
    }
    [[nodiscard]] rules::Substitution firstMatch(const char* rule, ir::TermId subject) {
        std::optional<rules::Substitution> found;
        rules.find(rule)->match(bank, subject, [&](const rules::Substitution& substitution) {
            found = substitution;
            return false;
        });
        if (!found) qFatal("%s does not match", rule);
        return *found;
    }
    void add(Step step, const std::string& body) {
        thread.steps.push_back(std::move(step));
        thread.states.push_back(at(body));
    }
};

}  // namespace

class TestReversedSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theLeftSideTakesThePlaceOfTheRight() {
        Fixture f;
        const rewrite::ThreadReport report = rewrite::check(f.bank, f.thread);
        QVERIFY2(report.valid, report.reason.c_str());
        QCOMPARE(report.steps, std::size_t(2));
        QCOMPARE(qt(f.thread.steps[0].name()), qt("reversed mul_zero"));
        QCOMPARE(qt(f.thread.steps[1].name()), qt("commute_add"));
        const Result<ir::TermId> applied = rewrite::Rewriter(f.bank, {}).apply(f.thread.start, f.thread.steps[0]);
        QVERIFY(applied.ok() && *applied == f.thread.states[0]);
        const Thread back = turnedRound(f.thread);
        QVERIFY(rewrite::check(f.bank, back).valid);
        QCOMPARE(back.end().root, f.thread.start.root);
    }

    void tamperedStepsAreRejected_data() {
        QTest::addColumn<int>("what");
        QTest::addColumn<QString>("reason");
        QTest::newRow("not reversed") << 0 << qt("left side of mul_zero");
        QTest::newRow("another position") << 1 << qt("right side of mul_zero");
        QTest::newRow("another state") << 2 << qt("another state");
        QTest::newRow("no substitution") << 3 << qt("values");
        QTest::newRow("a variable that is not bound") << 4 << qt("not bound there");
        QTest::newRow("a variable of no parameter") << 5 << qt("not bound there");
        QTest::newRow("a parameter under another type") << 6 << qt("not bound there");
        QTest::newRow("a condition that does not hold") << 7 << qt("condition");
        QTest::newRow("a step forward is called reversed") << 8 << qt("right side of commute_add");
        QTest::newRow("another rule") << 9 << qt("not of its kind");
    }
    void tamperedStepsAreRejected() {
        QFETCH(int, what);
        QFETCH(QString, reason);
        Fixture f;
        std::size_t failed = 1;
        Step& step = f.thread.steps[0];
        const Symbol free = f.bank.symbols().intern(what == 5 ? "z" : "x");
        switch (what) {
            case 0: step.isReversed = false; break;
            case 1: step.positions = {{1}}; break;
            case 2: f.thread.states[0] = f.thread.start.root; break;
            case 3: step.substitution.values.clear(); break;
            case 4: step.substitution.values[0].term = f.bank.bound(0, f.bank.types().floating()); break;
            case 5: step.substitution.values[0].term = f.bank.variable(free, f.bank.types().floating()); break;
            case 6: step.substitution.values[0].term = f.bank.variable(free, f.bank.types().integer()); break;
            case 7: {
                // y  =>  y * 2, with the rule y * 1 => y.
                const ir::TermId y = f.bank.child(f.thread.start.root, 1);
                step = {test::mulOne(), {{1}}, BinaryRule::substitution(y, f.bank.floating(2.0)), true};
                f.thread.states[0] = f.at("(add 0.0 (mul y 2.0))");
                break;
            }
            case 8:
                f.thread.steps[1].isReversed = true;
                f.thread.steps[1].substitution = f.firstMatch("commute_add", f.thread.states[0]);
                failed = 2;
                break;
            default: step.rule = f.rules.find("commute_add"); break;
        }
        const rewrite::ThreadReport report = rewrite::check(f.bank, f.thread);
        QVERIFY(!report.valid);
        QVERIFY2(qt(report.reason).contains(reason), report.reason.c_str());
        QCOMPARE(report.failedStep, failed);
    }

    void aBoundVariableMayComeInWhereItIsBound() {
        Fixture f;
        // let t = x * x in 0: the zero may become 0 * t.
        const ir::TermId let = f.at("(let (t (mul x x)) 0.0)");
        const ir::TermId wanted = f.at("(let (t (mul x x)) (mul 0.0 t))");
        const ir::TermId product = f.bank.child(wanted, 1);
        const Step step{f.rules.find("mul_zero"), {{1}}, f.firstMatch("mul_zero", product), true};
        const ir::Program program{f.thread.start.function, let};
        const Result<ir::TermId> result = rewrite::Rewriter(f.bank, {}).apply(program, step);
        QVERIFY2(result.ok(), result.ok() ? "" : result.error().message.c_str());
        QCOMPARE(*result, wanted);
        // In the value of the let there is no t; and a t of another type is another variable.
        const ir::TermId zeros = f.at("(let (t 0.0) 0.0)");
        QVERIFY(rewrite::Rewriter(f.bank, {}).apply({program.function, zeros}, step).ok());
        Step inValue = step;
        inValue.positions = {{0}};
        QVERIFY(!rewrite::Rewriter(f.bank, {}).apply({program.function, zeros}, inValue).ok());
        const ir::TermId integer = f.at("(let (t 1) 0.0)");
        QVERIFY(!rewrite::Rewriter(f.bank, {}).apply({program.function, integer}, step).ok());
    }

    void reversedStepsAreTextWithWhatTheyBringIn() {
        Fixture f;
        QCOMPARE(qt(rewrite::writeThread(f.bank, f.thread, {1.0, 2.0, 2.0})),
                 qt(fmt::format("mitos-thread 4\n"
                                "rules ks-simple\n"
                                "steps 2\n"
                                "start  cost 1  state {:016x}\n"
                                "program\n"
                                "(def f Float ((x : Float) (y : Float))\n"
                                "  (add 0.0 y))\n"
                                "end program\n"
                                "1. reversed mul_zero at /0 with a=./1 choices=(0.0)  cost 2  state {:016x}\n"
                                "program\n"
                                "(def f Float ((x : Float) (y : Float))\n"
                                "  (add (mul 0.0 x) y))\n"
                                "end program\n"
                                ";      0.0\n"
                                ";   => (mul 0.0 x)\n"
                                "2. commute_add at / with a=./0 b=./1  cost 2  state {:016x}\n"
                                ";      (add (mul 0.0 x) y)\n"
                                ";   => (add y (mul 0.0 x))\n"
                                "end\n",
                                f.bank.hash(f.thread.start.root), f.bank.hash(f.thread.states[0]),
                                f.bank.hash(f.thread.states[1]))));
    }

    void aBareProgramKeepsItsParameters() {
        // As bare expressions the states would have fewer parameters, in another order.
        const rules::RuleBook rules = book("ks-simple");
        ir::TermBank bank(rules.registry());
        Thread forward{parse(bank, "(add (mul 0.0 x) y)"), {}, {}};
        rewrite::Rewriter rewriter(bank, {rules.find("mul_zero"), rules.find("add_zero")});
        while (forward.steps.size() < 2) {
            const rewrite::Rewrite next = rewriter.all(forward.end().root).at(0);
            forward.steps.push_back(next.step);
            forward.states.push_back(next.result);
        }
        QCOMPARE(ks::printTerm(bank, forward.end().root), std::string("y"));
        const Thread back = turnedRound(forward);
        const std::string text = rewrite::writeThread(bank, back);
        for (const bool own : {true, false}) {
            ir::TermBank other(rules.registry());
            const Result<Replay> replay = read(own ? bank : other, text, rules);
            QVERIFY2(replay.ok(), replay.ok() ? "" : replay.error().render().c_str());
            QVERIFY2(replay->report.valid, replay->report.reason.c_str());
            if (own) QCOMPARE(replay->thread.start.function, back.start.function);
            if (own) QCOMPARE(replay->thread.end().root, forward.start.root);
        }
    }

    void damagedTextIsRefused_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("by");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("message");
        QTest::addColumn<bool>("isReport");
        const auto row = [](const char* name, const char* what, const char* by, int line, const char* message) {
            QTest::newRow(name) << qt(what) << qt(by) << line << qt(message) << (line == 0);
        };
        row("no program", "1. reversed mul_zero at /0 with a=./1 choices=(0.0)  cost 2  state", "; ", 10, "expected");
        row("the program is cut out",
            "program\n(def f Float ((x : Float) (y : Float))\n  (add (mul 0.0 x) y))\nend program\n", "", 0,
            "no position /0/1");
        row("another program", "(add (mul 0.0 x) y))\nend", "(add (mul 0.0 y) y))\nend", 11, "as the file says");
        row("a program that does not parse", "(add (mul 0.0 x) y))\nend", "(add (mul 0.0 x y))\nend", 11, "");
        row("a program of another function", "(def f Float ((x : Float) (y : Float))\n  (add (mul",
            "(def g Float ((x : Float) (y : Float))\n  (add (mul", 11, "another function");
        row("the word is twice there", "reversed mul_zero", "reversed reversed mul_zero", 9, "does not read as a step");
        row("another value", "a=./1", "a=./0", 0, "leads to the state");
        row("another position", "at /0 with", "at /1 with", 0, "no position /1/1");
        row("another rule", "reversed mul_zero", "reversed commute_mul", 0, "the value of b expected");
        row("not reversed", "1. reversed", "1.", 10, "'program' found");
    }
    void damagedTextIsRefused() {
        QFETCH(QString, what);
        QFETCH(QString, by);
        QFETCH(int, line);
        QFETCH(QString, message);
        QFETCH(bool, isReport);
        Fixture f;
        std::string text = rewrite::writeThread(f.bank, f.thread, {1.0, 2.0, 2.0});
        const std::size_t at = text.find(what.toStdString());
        QVERIFY(at != std::string::npos);
        text.replace(at, static_cast<std::size_t>(what.size()), by.toStdString());
        const Result<Replay> replay = read(f.bank, text, f.rules);
        QCOMPARE(replay.ok(), isReport);
        if (isReport) {
            QVERIFY(!replay->report.valid);
            QCOMPARE(replay->report.failedStep, std::size_t(1));
            QVERIFY2(qt(replay->report.reason).contains(message), replay->report.reason.c_str());
            return;
        }
        QVERIFY2(qt(replay.error().message).contains(message), replay.error().render().c_str());
        QVERIFY(replay.error().place.has_value());
        QVERIFY2(replay.error().place->line == line, replay.error().render().c_str());
    }

    void everyPrefixOfATextIsRefused() {
        Fixture f;
        const std::string text = rewrite::writeThread(f.bank, f.thread);
        for (std::size_t n = 0; n + 4 < text.size(); ++n) QVERIFY(!read(f.bank, text.substr(0, n), f.rules).ok());
    }

    void historiesHoldThem() {
        Fixture f;
        rewrite::History history(f.thread.start, 1.0);
        const rewrite::StateId end = history.addThread(history.start(), f.thread, {1.0, 2.0, 2.0}, "saturation #1");
        const Thread back = history.threadTo(end);
        QVERIFY(back.steps[0].isReversed && !back.steps[1].isReversed);
        QVERIFY(rewrite::check(f.bank, back).valid);
    }

    void randomThreadsTurnedRoundCheckAndComeBackFromText() {
        const rules::RuleBook rules = book("ks-simple,ks-extended");
        Random random(1147);
        std::size_t steps = 0;
        std::size_t introducing = 0;  // variables that come back where they went away
        for (int i = 0; i < 60; ++i) {
            ir::TermBank bank(rules.registry());
            ir::Program program = parse(bank, "(def f Float ((x : Float) (v : Vec n Float) (b : Bool)) x)");
            eval::TermScope scope;
            scope.free = bank.function(program.function).parameters;
            program.root = eval::randomTerm(bank, bank.types().floating(), scope, random, 24);
            const rewrite::Rewriter rewriter(bank, rules.directions(), ir::Sharing::Tree,
                                             {.maxTreeSize = 300, .maxDepth = 100});
            Thread thread{program, {}, {}};
            for (int s = 0; s < 12; ++s) {
                const std::vector<rewrite::Rewrite> next = rewriter.successors(thread.end().root);
                if (next.empty()) break;
                const rewrite::Rewrite& chosen = next[random.below(next.size())];
                for (const ir::Parameter& p : scope.free) {
                    if (ir::mentionsFree(bank, chosen.subterm, p.name) &&
                        !ir::mentionsFree(bank, chosen.replacement, p.name))
                        ++introducing;
                }
                thread.steps.push_back(chosen.step);
                thread.states.push_back(chosen.result);
            }
            // The whole thread, and a part of it there and back again.
            Thread mixed = turnedRound(thread);
            for (std::size_t s = 0; s < thread.steps.size() / 2; ++s) {
                mixed.steps.push_back(thread.steps[s]);
                mixed.states.push_back(thread.states[s]);
            }
            const rewrite::ThreadReport report = rewrite::check(bank, mixed);
            QVERIFY2(report.valid, report.reason.c_str());
            steps += report.steps;

            ir::TermBank other(rules.registry());
            other.floating(99.0);  // so that ids differ
            QVERIFY(rewrite::check(other, rewrite::transplant(bank, mixed, other)).valid);
            const std::string text = rewrite::writeThread(bank, mixed);
            ir::TermBank reader(rules.registry());
            const Result<Replay> replay = read(reader, text, rules);
            QVERIFY2(replay.ok(), replay.ok() ? "" : (replay.error().render() + text).c_str());
            QVERIFY2(replay->report.valid, (replay->report.reason + "\n" + text).c_str());
            QCOMPARE(reader.hash(replay->thread.end().root), bank.hash(mixed.end().root));
            for (std::size_t s = 0; s < mixed.steps.size(); ++s) {
                QCOMPARE(replay->thread.steps[s].name(), mixed.steps[s].name());
                QCOMPARE(reader.hash(replay->thread.states[s]), bank.hash(mixed.states[s]));
            }
        }
        QVERIFY2(steps > 400, std::to_string(steps).c_str());
        QVERIFY2(introducing > 10, std::to_string(introducing).c_str());
    }
};

MITOS_TEST(TestReversedSteps)

}  // namespace tst_reversed_steps

#include "tst_reversed_steps.moc"
