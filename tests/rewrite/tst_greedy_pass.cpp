// SPDX-License-Identifier: GPL-3.0-or-later
// PyPM's pass: which match it takes, where it goes on, and when it ends.
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/rewrite/greedy_pass.h"
#include "core/rules/rule.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QTemporaryDir>
#include <QTest>
#include <string>

using namespace Qt::StringLiterals;

namespace tst_greedy_pass {

using namespace mitos;
using rewrite::GreedyPass;
using rewrite::WalkOrder;

namespace {

/// A program with the rules of a file, and a pass over it.
class Subject {
public:
    Subject(const std::string& rules, const std::string& program, const std::string& dialect = "tensor")
        : m_book(written("use " + dialect + "\n" + rules)),
          m_bank(m_book.registry()) {
        const Result<ir::Program> parsed = dialects::parseProgram(m_bank, "test", program);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        m_program = *parsed;
    }

    GreedyPass pass(WalkOrder order = WalkOrder::UsersFirst, std::uint64_t most = 100) {
        GreedyPass pass =
            rewrite::greedyPass(m_bank, m_program, m_book.directions(), order,
                                [most](const rewrite::Thread& thread) { return thread.steps.size() < most; });
        const rewrite::ThreadReport report = rewrite::check(m_bank, pass.thread);
        if (!report.valid) qFatal("%s", report.reason.c_str());
        return pass;
    }
    /// The operations of the listing, "; " between them.
    std::string end(const GreedyPass& pass) {
        const QString text = QString::fromStdString(dialects::printProgram(m_bank, pass.thread.end()));
        QStringList operations;
        for (const QString& line : text.split(u'\n')) {
            if (line.contains(u" = "_s)) operations.append(line.section(u" = "_s, 1).section(u'#', 0, 0).trimmed());
        }
        return operations.join(u"; "_s).toStdString();
    }
    /// "rule at place" of each step.
    static std::string steps(const GreedyPass& pass) {
        std::vector<std::string> texts;
        for (const rewrite::Step& step : pass.thread.steps) texts.push_back(step.name() + " at " + step.place());
        return fmt::format("{}", fmt::join(texts, "; "));
    }
    ir::TermBank& bank() { return m_bank; }
    [[nodiscard]] const ir::Program& program() const { return m_program; }
    [[nodiscard]] const rules::RuleBook& book() const { return m_book; }

private:
    static rules::RuleBook written(const std::string& text) {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("own.rules")).toStdString();
        if (const Status file = writeFile(path, text + "\n"); !file) qFatal("cannot write");
        Result<rules::RuleBook> loaded = rules::RuleBook::load(path, dialects::makeRegistry());
        if (!loaded) qFatal("%s", loaded.error().render().c_str());
        return *std::move(loaded);
    }

    rules::RuleBook m_book;
    ir::TermBank m_bank;
    ir::Program m_program;
};

}  // namespace

class TestGreedyPass : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Four Relus become one in three steps of one walk, since what is below a step is as it was; the second walk finds nothing.
    void goesOnWithinAWalk() {
        Subject subject("rule once: Relu(Relu(x)) => Relu(x)\n",
                        "graph f(x: f32[2])\n  return Relu(Relu(Relu(Relu(x))))\n");
        const GreedyPass pass = subject.pass();
        QCOMPARE(subject.end(pass), std::string("Relu(x)"));
        QCOMPARE(Subject::steps(pass), std::string("once at /; once at /; once at /"));
        QCOMPARE(pass.walks, std::uint64_t{2});
        QVERIFY(pass.isFixedPoint);
    }

    void takesTheFirstRuleOfTheFile() {
        const char* const program = "graph f(x: f32[2])\n  return Neg(x)\n";
        const std::string one = "rule one: Neg(x) => Exp(x)\n";
        const std::string other = "rule other: Neg(x) => Sigmoid(x)\n";
        Subject first(one + other, program);
        QCOMPARE(Subject::steps(first.pass()), std::string("one at /"));
        Subject second(other + one, program);
        QCOMPARE(Subject::steps(second.pass()), std::string("other at /"));
    }

    /// From the outputs the large pattern comes first; from the inputs its operand is gone before.
    void ordersNodesByUsersOrByOperands() {
        Subject subject("rule small: Neg(x) => Exp(x)\nrule large: Relu(Neg(x)) => Sigmoid(x)\n",
                        "graph f(x: f32[2])\n  return Relu(Neg(x))\n");
        QCOMPARE(subject.end(subject.pass(WalkOrder::UsersFirst)), std::string("Sigmoid(x)"));
        QCOMPARE(subject.end(subject.pass(WalkOrder::OperandsFirst)), std::string("Exp(x); Relu(exp)"));
    }

    /// A node that is used twice is one place, and a step replaces it wherever it is used.
    void rewritesSharedNodesOnce() {
        Subject subject("rule small: Neg(x) => Exp(x)\n",
                        "graph f(x: f32[2])\n  a = Neg(x)\n  return (Relu(a), Sigmoid(a))\n");
        const GreedyPass pass = subject.pass();
        QCOMPARE(pass.thread.steps.size(), std::size_t{1});
        QCOMPARE(subject.end(pass), std::string("Exp(x); Relu(exp); Sigmoid(exp)"));
    }

    /// A program that the thread has had is not reached again: x + y, y + x, and nothing more.
    void endsWithRulesThatGoRound() {
        Subject subject("rule swap: x + y => y + x\n", "graph f(x: f32[2], y: f32[2])\n  return Add(x, y)\n");
        const GreedyPass pass = subject.pass();
        QCOMPARE(Subject::steps(pass), std::string("swap at /"));
        QVERIFY(pass.isFixedPoint);
    }

    void endsAtItsLimits() {
        Subject subject("rule grow: Relu(x) => Relu(Relu(x))\n", "graph f(x: f32[2])\n  return Relu(x)\n");
        const GreedyPass limited = subject.pass(WalkOrder::UsersFirst, 7);
        QCOMPARE(limited.thread.steps.size(), std::size_t{7});
        QVERIFY(!limited.isFixedPoint);
        int asked = 0;
        const GreedyPass ended =
            rewrite::greedyPass(subject.bank(), subject.program(), subject.book().directions(), WalkOrder::UsersFirst,
                                [&](const rewrite::Thread&) { return ++asked < 20; });
        QVERIFY(!ended.isFixedPoint);
        QVERIFY(ended.thread.steps.size() < 20);
        const GreedyPass none = rewrite::greedyPass(subject.bank(), subject.program(), {}, WalkOrder::UsersFirst,
                                                    [](const rewrite::Thread&) { return true; });
        QVERIFY(none.isFixedPoint && none.thread.steps.empty());
    }

    /// In a tree each occurrence is a place of its own, and what a step has made is visited in the next walk.
    void walksOverTrees() {
        Subject subject("rule mul_one: 1 * a => a\nrule add_zero: 0 + a => a\n",
                        "(def f Float (a : Float) (add (mul 1.0 (add 0.0 a)) (mul 1.0 (add 0.0 a))))\n", "ks");
        const GreedyPass users = subject.pass();
        QCOMPARE(Subject::steps(users), std::string("mul_one at /0; mul_one at /1; add_zero at /0; add_zero at /1"));
        QCOMPARE(users.walks, std::uint64_t{3});
        const GreedyPass operands = subject.pass(WalkOrder::OperandsFirst);
        QCOMPARE(Subject::steps(operands),
                 std::string("add_zero at /1/1; add_zero at /0/1; mul_one at /1; mul_one at /0"));
        QCOMPARE(users.thread.end().root, operands.thread.end().root);
    }
};

MITOS_TEST(TestGreedyPass)

}  // namespace tst_greedy_pass

#include "tst_greedy_pass.moc"
