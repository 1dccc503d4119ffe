// SPDX-License-Identifier: GPL-3.0-or-later
// Threads of the shipped rules: written, read back, replayed, tampered with; and rewriting against the evaluator.
#include "core/eval/evaluator.h"
#include "core/eval/testing/random_terms.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/stated_thread.h"
#include "tests/rewrite/programs.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>

namespace tst_threads {

using namespace mitos;
using rewrite::Replay;
using rewrite::Rewrite;
using rewrite::Rewriter;
using rewrite::Thread;
using test::book;
using test::parse;
using test::qt;

namespace {

/// Random steps from a program; every state is new.
Thread randomWalk(ir::TermBank& bank, const ir::Program& start, const rules::RuleBook& rules, Random& random,
                  std::size_t steps) {
    Rewriter rewriter(bank, rules.directions(), ir::Sharing::Tree, {.maxTreeSize = 300, .maxDepth = 100});
    Thread thread{start, {}, {}};
    for (std::size_t i = 0; i < steps; ++i) {
        const std::vector<Rewrite> next = rewriter.successors(thread.end().root);
        if (next.empty()) break;
        const Rewrite& chosen = next[random.below(next.size())];
        thread.steps.push_back(chosen.step);
        thread.states.push_back(chosen.result);
    }
    return thread;
}

Result<Replay> read(ir::TermBank& bank, const std::string& text, const rules::RuleBook& rules) {
    return rewrite::readThread(bank, SourceText("t.thread", text), rules);
}

/// x * 1 + y  =>  x + y  =>  y + x, as text.
struct Written {
    rules::RuleBook rules = book("ks-simple");
    ir::TermBank bank{rules.registry()};
    Thread thread;
    std::string text;

    Written() {
        thread.start = parse(bank, "(add (mul 1.0 x) y)");
        Rewriter rewriter(bank, rules.directions());
        for (const char* wanted : {"mul_one", "commute_add"}) {
            for (const Rewrite& r : rewriter.all(thread.end().root)) {
                if (r.step.rule->name() != wanted) continue;
                thread.steps.push_back(r.step);
                thread.states.push_back(r.result);
                break;
            }
        }
        text = rewrite::writeThread(bank, thread, {3.0, 1.0, 1.0});
    }
    [[nodiscard]] std::string replaced(const std::string& what, const std::string& by) const {
        std::string result = text;
        const std::size_t at = result.find(what);
        if (at == std::string::npos) qFatal("the thread's text has no '%s':\n%s", what.c_str(), text.c_str());
        return result.replace(at, what.size(), by);
    }
};

}  // namespace

class TestThreads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aThreadIsReadableText() {
        const Written w;
        const ir::TermId start = w.thread.start.root;
        QCOMPARE(qt(w.text),
                 qt(fmt::format("mitos-thread 4\n"
                                "rules ks-simple\n"
                                "steps 2\n"
                                "start  cost 3  state {:016x}\n"
                                "program\n"
                                "(add (mul 1.0 x) y)\n"
                                "end program\n"
                                "1. mul_one at /0 with a=./1 choices=(1.0)  cost 1  state {:016x}\n"
                                ";      (mul 1.0 x)\n"
                                ";   => x\n"
                                "2. commute_add at / with a=./0 b=./1  cost 1  state {:016x}\n"
                                ";      (add x y)\n"
                                ";   => (add y x)\n"
                                "end\n",
                                w.bank.hash(start), w.bank.hash(w.thread.states[0]), w.bank.hash(w.thread.states[1]))));
    }

    void aThreadReplaysInItsOwnAndInAnotherBank() {
        Written w;
        for (const bool own : {true, false}) {
            ir::TermBank other(w.rules.registry());
            ir::TermBank& bank = own ? w.bank : other;
            const Result<Replay> replay = read(bank, w.text, w.rules);
            QVERIFY2(replay.ok(), replay.ok() ? "" : replay.error().render().c_str());
            QVERIFY2(replay->report.valid, replay->report.reason.c_str());
            QCOMPARE(replay->report.steps, std::size_t(2));
            QCOMPARE(bank.hash(replay->thread.end().root), w.bank.hash(w.thread.end().root));
            QVERIFY(rewrite::check(bank, replay->thread).valid);
            QCOMPARE(qt(rewrite::writeThread(bank, replay->thread, {3.0, 1.0, 1.0})), qt(w.text));
            if (own) QVERIFY(replay->thread.start == w.thread.start);
        }
    }

    void costsAreReadWithTheirModelAndLines() {
        Written w;
        const std::string text = rewrite::writeThread(w.bank, w.thread, {3.0, 1.5, 1.0}, "size");
        const Result<rewrite::StatedThread> costs = rewrite::statedThread(SourceText("t", text));
        QVERIFY2(costs.ok(), costs.ok() ? "" : costs.error().render().c_str());
        QCOMPARE(qt(costs->costModel), QStringLiteral("size"));
        QCOMPARE(costs->states.size(), std::size_t{3});
        QCOMPARE(costs->states[0].line, 5);
        QCOMPARE(costs->states[1].cost.value_or(0.0), 1.5);
        QCOMPARE(costs->states[1].line, 9);
        QVERIFY(read(w.bank, text, w.rules)->report.valid);
        const std::string silent = rewrite::writeThread(w.bank, w.thread);
        QVERIFY(!rewrite::statedThread(SourceText("t", silent))->states[2].cost);
        QVERIFY(!rewrite::statedThread(SourceText("t", "mitos-thread 1\nsteps 0\nstart  cost nan  state ")).ok());
    }

    void windowsLineEndsCommentsAndMissingCostsAreFine() {
        Written w;
        std::string text = "\n; a comment\n";
        for (const char c : rewrite::writeThread(w.bank, w.thread)) {
            if (c == '\n') text += "\r";
            text += c;
        }
        const Result<Replay> replay = read(w.bank, text, w.rules);
        QVERIFY2(replay.ok(), replay.ok() ? "" : replay.error().render().c_str());
        QVERIFY(replay->report.valid);
    }

    void stepsThatDoNotReplayAreReported_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("by");
        QTest::addColumn<int>("failedStep");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const char* what, const char* by, int step, const char* reason) {
            QTest::newRow(name) << qt(what) << qt(by) << step << qt(reason);
        };
        row("no such position", "at /0 with", "at /0/3 with", 1, "no position /0/3/1 (line 8 of t.thread)");
        row("another position", "at /0 with a=./1", "at /1 with a=/0/1", 1,
            "the left side of mul_one under the substitution is not the subterm at the position");
        row("another value", "with a=./0", "with a=./1", 2, "is not the subterm at the position");
        row("a value that is no place", "with a=./0", "with a=./7", 2, "no position /7");
        row("a position that is none", "with a=./0", "with a=.0", 2, "'.0' is not a position");
        row("a literal", "with a=./0", "with a=2.0", 2, "is not the subterm at the position");
        row("a literal of another type", "with a=./0", "with a=yes", 2, "commute_add");
        row("a sequence", "with a=./0", "with a=(./0,./1)", 2, "commute_add");
        row("no value", "with a=./0", "with a=()", 2, "commute_add");
        row("no binders there", "with a=./0", "with a=./0^1", 2, "'^1' is not a number of binders");
        row("below too many binders", "with a=./0", "with a=./0^-9", 2, "'^-9' is not a number of binders");
        row("no number of binders", "with a=./0", "with a=./0^x@y", 2, "'^x@y' is not a number of binders");
        row("a variable is missing", " b=./1", "", 2, "the value of b is missing");
        row("another variable", " b=./1", " c=./1", 2, "c found, the value of b expected");
        row("a variable twice", " b=./1", " b=./1 b=./1", 2, "commute_add has no variable b");
        row("no substitution", " with a=./0 b=./1", "", 2, "the value of a is missing");
        row("another choice", "choices=(1.0)", "choices=(2.0)", 1, "mul_one");
        row("a choice too many", "choices=(1.0)", "choices=(1.0,1.0)", 1, "choices");
        row("no choice", "choices=(1.0)", "choices=()", 1, "mul_one");
        row("another rule", "2. commute_add", "2. new_bind", 2, "a found, the value of e expected");
    }
    void stepsThatDoNotReplayAreReported() {
        QFETCH(QString, what);
        QFETCH(QString, by);
        QFETCH(int, failedStep);
        QFETCH(QString, reason);
        Written w;
        const Result<Replay> replay = read(w.bank, w.replaced(what.toStdString(), by.toStdString()), w.rules);
        QVERIFY2(replay.ok(), replay.ok() ? "" : replay.error().render().c_str());
        QVERIFY(!replay->report.valid);
        QCOMPARE(replay->report.failedStep, static_cast<std::size_t>(failedStep));
        QCOMPARE(replay->thread.steps.size(), static_cast<std::size_t>(failedStep - 1));
        QVERIFY2(qt(replay->report.reason).contains(reason), replay->report.reason.c_str());
    }

    void aChangedStateIsReported() {
        Written w;
        const std::string hash = fmt::format("{:016x}", w.bank.hash(w.thread.states[0]));
        const Result<Replay> replay = read(w.bank, w.replaced(hash, "0000000000000000"), w.rules);
        QVERIFY(replay.ok() && !replay->report.valid);
        QCOMPARE(replay->report.failedStep, std::size_t(1));
        QVERIFY(qt(replay->report.reason).contains(qt(hash)));
    }

    void badFilesAreRefusedWithAPlace_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("by");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* what, const char* by, int line, int column,
                            const char* message) {
            QTest::newRow(name) << qt(what) << qt(by) << line << column << qt(message);
        };
        row("no thread", "mitos-thread 4", "(add x y)", 1, 1, "not a thread");
        row("newer", "mitos-thread 4", "mitos-thread 6", 1, 14, "has format 6");
        row("no version", "mitos-thread 4", "mitos-thread x", 1, 14, "'x' is not a version");
        row("unknown line", "steps 2", "stepz 2", 3, 1, "'stepz 2' is not expected");
        row("no number", "steps 2", "steps two", 3, 7, "'two' is not a number");
        row("no step count", "steps 2\n", "", 4, 1, "number of steps is missing");
        row("another step count", "steps 2", "steps 3", 3, 7, "3 steps are announced, 2 follow");
        row("bad cost", "cost 3 ", "cost three ", 4, 13, "'three' is not a cost");
        row("program does not parse", "(add (mul 1.0 x) y)", "(add (mul 1.0 x y)", 6, 0, "");
        row("program changed", "(add (mul 1.0 x) y)", "(add (mul 1.0 x) z)", 6, 1, "not");
        row("unknown rule", "2. commute_add", "2. commute_sub", 11, 4, "no rule 'commute_sub' in ks-simple");
        row("wrong number", "2. commute_add", "3. commute_add", 11, 1, "'3.' found, step 2");
        row("no position", "at / with", "at with", 11, 0, "");
        row("bad position", "at / with", "at x with", 11, 19, "'x' is not a position");
        row("bad match", "with a=./0 b=./1", "#one", 11, 21, "'#one' is not the number");
        row("match 0", "with a=./0 b=./1", "#0", 11, 21, "'#0' is not the number");
        row("not a value", "a=./0 b", "a b", 11, 0, "'a' is not a variable with its value");
        row("an empty value", "a=./0 b", "a= b", 11, 0, "'a=' is not a variable with its value");
        row("an empty value of a sequence", "a=./0 b", "a=(1,,2) b", 11, 0, "'a=(1,,2)' has an empty value");
        row("a value that nothing gives", "a=./0 b", "a=_ b", 14, 0, "`program` expected");
        row("cut off", "end\n", "", 0, 0, "ends early");
        row("text behind", "end\n", "end\nmore\n", 0, 0, "stands behind the end");
    }
    void badFilesAreRefusedWithAPlace() {
        QFETCH(QString, what);
        QFETCH(QString, by);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(QString, message);
        Written w;
        std::string text = w.text;
        const std::size_t at = what == qt("end\n") ? text.rfind("end\n") : text.find(what.toStdString());
        QVERIFY(at != std::string::npos);
        text.replace(at, static_cast<std::size_t>(what.size()), by.toStdString());
        const Result<Replay> replay = read(w.bank, text, w.rules);
        QVERIFY(!replay.ok());
        const Error& error = replay.error();
        QVERIFY2(qt(error.message).contains(message), error.render().c_str());
        QVERIFY2(error.place.has_value(), error.render().c_str());
        if (line > 0) QCOMPARE(error.place->line, line);
        if (column > 0) QCOMPARE(error.place->column, column);
        const bool other = message.startsWith(qt("has format")) || message == qt("not");
        QVERIFY(error.code == (other ? ErrorCode::Incompatible : ErrorCode::Parse));
    }

    void emptyAndBinaryFilesAreRefused() {
        Written w;
        for (const std::string& text : {std::string(), std::string("\n\n"), std::string("; only a comment\n"),
                                        std::string("\x01\x02\x03\n\x04", 5), std::string("mitos-thread 4\n")}) {
            const Result<Replay> replay = read(w.bank, text, w.rules);
            QVERIFY(!replay.ok() && replay.error().place.has_value());
        }
        // Every prefix of a thread is refused, none crashes.
        for (std::size_t n = 0; n + 4 < w.text.size(); ++n) QVERIFY(!read(w.bank, w.text.substr(0, n), w.rules).ok());
    }

    void anUnknownRuleNamesTheSetThatHasIt() {
        Written w;
        const Result<Replay> replay = read(w.bank, w.replaced("2. commute_add", "2. eq_self"), w.rules);
        QVERIFY(!replay.ok());
        QVERIFY2(qt(replay.error().hint).contains(qt("ks-extended")), replay.error().hint.c_str());
    }

    void aThreadOfAnotherProgramOfThatNameIsRefused() {
        const rules::RuleBook rules = book("ks-simple");
        ir::TermBank bank(rules.registry());
        const Thread thread{
            parse(bank, "(def g Float ((x : Float)) (add x 1.0)) (def f Float ((x : Float)) (g x))"), {}, {}};
        const std::string text = rewrite::writeThread(bank, thread);
        QVERIFY(read(bank, text, rules).ok());
        for (const char* program : {"(def g Float ((x : Float)) (add x 2.0)) (def f Float ((x : Float)) (g x))",
                                    "(def g Float ((x : Float)) (add x 1.0)) (def f Float ((y : Float)) (g y))"}) {
            ir::TermBank other(rules.registry());
            parse(other, program);
            const Result<Replay> replay = read(other, text, rules);
            QVERIFY(!replay.ok());
            QVERIFY(replay.error().code == ErrorCode::Incompatible);
        }
        // The program's own body may be any state of it.
        ir::TermBank other(rules.registry());
        parse(other, "(def g Float ((x : Float)) (add x 1.0)) (def f Float ((x : Float)) (add (g x) 0.0))");
        QVERIFY(read(other, text, rules).ok());
    }

    void randomThreadsCheckAndComeBackFromText() {
        const rules::RuleBook rules = book("ks-simple,ks-extended");
        Random random(4711);
        int steps = 0;
        for (int i = 0; i < 40; ++i) {
            ir::TermBank bank(rules.registry());
            ir::Program program = parse(bank, "(def f Float ((x : Float) (v : Vec n Float) (b : Bool)) x)");
            eval::TermScope scope;
            scope.free = bank.function(program.function).parameters;
            program.root = eval::randomTerm(bank, bank.types().floating(), scope, random, 24);
            const Thread thread = randomWalk(bank, program, rules, random, 12);
            const rewrite::ThreadReport report = rewrite::check(bank, thread);
            QVERIFY2(report.valid, report.reason.c_str());
            steps += static_cast<int>(report.steps);

            const std::string text = rewrite::writeThread(bank, thread);
            ir::TermBank other(rules.registry());
            const Result<Replay> replay = read(other, text, rules);
            QVERIFY2(replay.ok(), replay.ok() ? "" : (replay.error().render() + text).c_str());
            QVERIFY2(replay->report.valid, (replay->report.reason + "\n" + text).c_str());
            QCOMPARE(other.hash(replay->thread.end().root), bank.hash(thread.end().root));
            QVERIFY(rewrite::check(other, replay->thread).valid);
        }
        QVERIFY(steps > 200);
    }

    void rewritingKeepsTypesAndValues() {
        const rules::RuleBook rules = book("ks-simple,ks-extended");
        Random random(99);
        int compared = 0;
        for (int i = 0; i < 60; ++i) {
            ir::TermBank bank(rules.registry());
            ir::Program program = parse(bank, "(def f Float ((x : Float) (y : Float) (v : Vec n Float) (b : Bool)) x)");
            eval::TermScope scope;
            scope.free = bank.function(program.function).parameters;
            program.root = eval::randomTerm(bank, bank.types().floating(), scope, random, 24);
            std::vector<Rewrite> rewrites = Rewriter(bank, rules.directions()).successors(program.root);
            for (const Rewrite& r : rewrites) {
                QCOMPARE(bank.type(r.result), bank.type(program.root));
                QVERIFY(bank.looseBound(r.result) == 0);
            }
            std::erase_if(rewrites,
                          [](const Rewrite& r) { return r.step.rule->rule().soundness == rules::Soundness::Domain; });
            for (int n = 0; n < 4 && !rewrites.empty(); ++n) {
                const Rewrite& r = rewrites[random.below(rewrites.size())];
                const eval::EquivalenceOptions options{
                    .samples = 12, .seed = static_cast<std::uint64_t>(i), .tolerance = 1e-6};
                const auto verdict = eval::compare(bank, program, {program.function, r.result}, options);
                QVERIFY2(verdict.ok(), verdict.ok() ? "" : verdict.error().render().c_str());
                if (verdict->compared == 0) continue;
                ++compared;
                QVERIFY2(verdict->equivalent, fmt::format("{} at {}\n{}\n=> {}\n{}", r.step.rule->name(),
                                                          r.step.place(), ks::printTerm(bank, program.root),
                                                          ks::printTerm(bank, r.result), verdict->counterexample)
                                                  .c_str());
            }
        }
        QVERIFY2(compared > 100, std::to_string(compared).c_str());
    }
};

MITOS_TEST(TestThreads)

}  // namespace tst_threads

#include "tst_threads.moc"
