// SPDX-License-Identifier: GPL-3.0-or-later
// Threads of formats 1 to 3, which name instances by the number of the match, as earlier versions wrote them.
#include "core/base/write_file.h"
#include "core/dialects/dialects.h"
#include "core/ks/operators.h"
#include "core/rewrite/step.h"
#include "core/rules/rule_sets.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace tst_old_threads {

using namespace mitos;

namespace {

constexpr const char* Plain = R"(mitos-thread 1
rules ks-simple
costs ks-2021
steps 1
start  cost 3  state 81c6259e9de1e44c
program
(add (mul 1.0 x) y)
end program
1. mul_one at /0 #1  cost 1  state 5b9d7eb6cddadacf
;      (mul 1.0 x)
;   => x
end
)";

constexpr const char* Reversed = R"(mitos-thread 2
rules tensor-elementwise
costs roofline
steps 1
start  cost 17.8717190205  state b49203b107e88bdf
program
graph f(x: f32[64,300], y: f32[64,300])
  weight w: f32[300,400]
  weight v: f32[300,400]
  add = Add(x, y)                                             # f32[64,300]
  matmul = MatMul(add, w)                                     # f32[64,400]
  add_2 = Add(y, x)                                           # f32[64,300]
  matmul_2 = MatMul(add_2, v)                                 # f32[64,400]
  return (matmul, matmul_2)
end program
1. reversed tensor_add_commute at /0/0 #1  cost 13.723551818  state 967351dd8dda3517
program
graph f(x: f32[64,300], y: f32[64,300])
  weight w: f32[300,400]
  weight v: f32[300,400]
  add = Add(y, x)                                             # f32[64,300]
  matmul = MatMul(add, w)                                     # f32[64,400]
  matmul_2 = MatMul(add, v)                                   # f32[64,400]
  return (matmul, matmul_2)
end program
end
)";

// The rules of these two come with the test.
constexpr const char* Given = R"(mitos-thread 2
steps 1
start  state GIVEN_BEFORE
program
(def f Float ((a : Float) (b : Float) (c : Float))
  (add (mul a b) (div b c)))
end program
1. given(z) swap.0 at /0 #1  state GIVEN_AFTER
program
(def f Float ((a : Float) (b : Float) (c : Float))
  (add (let (given c) (mul a b)) (div b c)))
end program
end
)";

constexpr const char* Several = R"(mitos-thread 3
steps 1
start  state SEVERAL_BEFORE
program
graph f(x: f32[2,3], y: f32[2,3])
  return (Relu(x), Relu(y))
end program
1. both at /0,/1 #1  state SEVERAL_AFTER
end
)";

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

rules::RuleBook book(const std::string& names) {
    Result<rules::RuleBook> loaded = rules::RuleBook::load(names, dialects::makeRegistry());
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return *std::move(loaded);
}

rules::RuleBook written(const std::string& text) {
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("own.rules")).toStdString();
    if (const Status file = writeFile(path, text); !file) qFatal("cannot write");
    return book(path);
}

std::string hashOf(const std::string& program) {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", program);
    if (!parsed) qFatal("%s", parsed.error().render().c_str());
    return QString::asprintf("%016llx", static_cast<unsigned long long>(bank.hash(parsed->root))).toStdString();
}

/// The texts with the rules of their steps.
std::pair<std::string, rules::RuleBook> oldThread(const QString& name) {
    if (name == qt("plain")) return {Plain, book("ks-simple")};
    if (name == qt("reversed")) return {Reversed, book("tensor")};
    const auto filled = [](QString text, const char* before, const std::string& start, const char* after,
                           const std::string& end) {
        text.replace(qt(before), qt(hashOf(start)));
        return text.replace(qt(after), qt(hashOf(end))).toStdString();
    };
    if (name == qt("given")) {
        const std::string head = "(def f Float ((a : Float) (b : Float) (c : Float)) ";
        return {filled(qt(Given), "GIVEN_BEFORE", head + "(add (mul a b) (div b c)))", "GIVEN_AFTER",
                       head + "(add (add c a) (div b c)))"),
                written("use ks\nrule swap: x * y, y / z => z + x, y / z   where z.nodes < 4\n")};
    }
    const std::string head = "graph f(x: f32[2,3], y: f32[2,3])\n  return ";
    return {filled(qt(Several), "SEVERAL_BEFORE", head + "(Relu(x), Relu(y))\n", "SEVERAL_AFTER",
                   head + "(Max(x, x), Max(y, y))\n"),
            written("use tensor\nrule both: Relu(a), Relu(b) => Max(a, a), Max(b, b)\n")};
}

}  // namespace

class TestOldThreads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areReadAndWrittenAnew_data() {
        QTest::addColumn<QString>("line");
        QTest::newRow("plain") << qt("1. mul_one at /0 with a=./1 choices=(1.0)  state");
        QTest::newRow("reversed") << qt("1. reversed tensor_add_commute at /0/0 with x=./1 y=./0  state");
        QTest::newRow("given") << qt("1. swap.0 at /0 with x=./0 y=./1 z=/1/1  state");
        QTest::newRow("several roots") << qt("1. both at /0,/1 with a=./0 b=/1/0  state");
    }
    void areReadAndWrittenAnew() {
        QFETCH(const QString, line);
        const auto [text, rules] = oldThread(qt(QTest::currentDataTag()));
        ir::TermBank bank(rules.registry());
        const Result<rewrite::Replay> read = rewrite::readThread(bank, SourceText("old", text), rules);
        QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
        QVERIFY2(read->report.valid, read->report.reason.c_str());
        QVERIFY(rewrite::check(bank, read->thread).valid);
        const std::string now = rewrite::writeThread(bank, read->thread);
        QVERIFY2(qt(now).contains(line), now.c_str());
        const Result<rewrite::Replay> again = rewrite::readThread(bank, SourceText("new", now), rules);
        QVERIFY(again.ok() && again->report.valid);
        QVERIFY(again->thread.steps[0].substitution == read->thread.steps[0].substitution);
        QCOMPARE(again->thread.states, read->thread.states);
    }

    void whatDoesNotReplayIsReported_data() {
        QTest::addColumn<QString>("thread");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* thread, const char* from, const char* to, const char* message) {
            QTest::addRow("%s: %s", thread, to) << qt(thread) << qt(from) << qt(to) << qt(message);
        };
        row("plain", "#1", "#2", "mul_one has 1 match at /0, there is no #2");
        row("plain", "#1", "#0", "'#0' is not the number of a match");
        row("plain", "#1", "#one", "'#one' is not the number of a match");
        row("plain", "at /0", "at /1", "mul_one has no match at /1, there is no #1");
        row("plain", "at /0", "at /0/3", "no position /0/3");
        row("plain", "5b9d7eb6cddadacf", "0000000000000000", "leads to the state");
        row("reversed", "#1", "#2", "there is no #2");
        row("reversed", "/0/0 #1", "/1/0 #1", "right side of tensor_add_commute");
        row("reversed", "1. reversed", "1.", "'program' found");
        row("given", "given(z)", "given(w)", "leaves no variable w open");
        row("given", "given(z)", "given(x)", "leaves no variable x open");
        row("given", "given(z)", "given(y,z)", "there is no tuple of 2 given values");
        row("given", "given(z)", "given(z=1.0)", "'program' found");
        row("given", "(given c)", "(given a)", "leads to the state");
        row("given", "(given c)", "(given (exp (exp (exp (exp c)))))", "condition");
        row("given", "(let (given c) (mul a b))", "(mul a b)", "there is no `let` of given values at /0");
        row("several roots", "#1", "#2", "there is no #2");
        row("several roots", "/0,/1", "/0,/0", "at once");
        row("several roots", "/0,/1", "/0", "no match");
        row("several roots", "1. both", "1. reversed both", "`program` expected");
    }
    void whatDoesNotReplayIsReported() {
        QFETCH(const QString, thread);
        QFETCH(const QString, from);
        QFETCH(const QString, to);
        QFETCH(const QString, message);
        const auto [text, rules] = oldThread(thread);
        const QString changed = qt(text).replace(qt(text).lastIndexOf(from), from.size(), to);
        ir::TermBank bank(rules.registry());
        const auto read = rewrite::readThread(bank, SourceText("old", changed.toStdString()), rules);
        QVERIFY(!read || !read->report.valid);
        const QString found = qt(read ? read->report.reason : read.error().render());
        QVERIFY2(found.contains(message), qPrintable(found));
    }
};

MITOS_TEST(TestOldThreads)

}  // namespace tst_old_threads

#include "tst_old_threads.moc"
