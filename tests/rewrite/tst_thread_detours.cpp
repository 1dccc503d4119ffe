// SPDX-License-Identifier: GPL-3.0-or-later
// Threads without what they undo, and shortcuts by other instances of their rules.
#include "core/ks/module.h"
#include "core/rewrite/detours.h"
#include "tests/rewrite/programs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_thread_detours {

using namespace mitos;
using rewrite::Thread;
using test::book;
using test::parse;
using test::qt;

namespace {

/// Threads over programs with the parameters x, y and z, by the names of rules and the bodies that they lead to.
struct Fixture {
    rules::RuleBook rules = book("ks-simple");
    ir::TermBank bank{rules.registry()};
    Thread thread;

    explicit Fixture(const std::string& start) { thread.start = program(start); }

    ir::Program program(const std::string& body) {
        return parse(bank, "(def f Float ((x : Float) (y : Float) (z : Float)) " + body + ")");
    }
    /// Appends the step by which the rule leads to the body, at the position; backwards for "reversed".
    void add(const std::string& rule, const ir::Path& position, const std::string& body, bool isReversed = false) {
        const ir::TermId before = thread.end().root;
        const ir::TermId after = program(body).root;
        const ir::TermId from = *ir::subterm(bank, isReversed ? after : before, position);
        const ir::TermId to = *ir::subterm(bank, isReversed ? before : after, position);
        std::optional<rewrite::Step> step;
        rules.find(rule)->match(bank, from, [&](const rules::Substitution& substitution) {
            const Result<ir::TermId> result = rules.find(rule)->apply(bank, substitution, from);
            if (result && *result == to) step = {rules.find(rule), {position}, substitution, isReversed};
            return !step;
        });
        if (!step) qFatal("%s does not lead to %s", rule.c_str(), body.c_str());
        thread.steps.push_back(*step);
        thread.states.push_back(after);
    }
    /// "commute_add / => (add y x)", one line for each step.
    QString text(const Thread& of) {
        QString result;
        for (std::size_t i = 0; i < of.steps.size(); ++i) {
            result +=
                qt(of.steps[i].name() + " " + of.steps[i].place() + " => " + ks::printTerm(bank, of.states[i]) + "\n");
        }
        return result;
    }
    void requireValid(const Thread& of) {
        const rewrite::ThreadReport report = rewrite::check(bank, of);
        QVERIFY2(report.valid, report.reason.c_str());
        QCOMPARE(of.end().root, thread.end().root);
    }
};

}  // namespace

class TestThreadDetours : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The left sum is turned and turned back; the step between is in the right sum.
    void aStepAndItsInverseCancelAcrossAnother() {
        Fixture f("(mul (add x y) (add y z))");
        f.add("commute_add", {0}, "(mul (add y x) (add y z))");
        f.add("commute_add", {1}, "(mul (add y x) (add z y))");
        f.add("commute_add", {0}, "(mul (add x y) (add z y))");
        const Thread found = rewrite::withoutDetours(f.bank, f.thread);
        QCOMPARE(f.text(found), qt("commute_add /1 => (mul (add x y) (add z y))\n"));
        f.requireValid(found);
    }

    /// The right sum makes a detour of three steps while the product changes on the left.
    void aDetourOfAPartIsCut() {
        Fixture f("(mul x (add y z))");
        f.add("commute_add", {1}, "(mul x (add z y))");
        f.add("mul_one", {0}, "(mul (mul 1.0 x) (add z y))", true);
        f.add("mul_one", {1}, "(mul (mul 1.0 x) (mul 1.0 (add z y)))", true);
        f.add("mul_one", {1}, "(mul (mul 1.0 x) (add z y))");
        f.add("commute_add", {1}, "(mul (mul 1.0 x) (add y z))");
        const Thread found = rewrite::withoutDetours(f.bank, f.thread);
        QCOMPARE(f.text(found), qt("reversed mul_one /0 => (mul (mul 1.0 x) (add y z))\n"));
        f.requireValid(found);
    }

    void stepsThatAreNotUndoneKeepTheirOrder() {
        Fixture f("(mul (add x y) (add y z))");
        f.add("commute_add", {1}, "(mul (add x y) (add z y))");
        f.add("commute_add", {0}, "(mul (add y x) (add z y))");
        const Thread found = rewrite::withoutDetours(f.bank, f.thread);
        QCOMPARE(f.text(found), f.text(f.thread));
    }

    /// As for an operand of a rule: what is bound on the way and dropped again is left out, and the rule applies to the operand as it is.
    void aRuleIsAppliedWithoutWhatWasBoundForIt() {
        Fixture f("(sub (add x z) y)");
        f.add("inline_let", {1}, "(sub (add x z) (let (k (sub x x)) y))", true);
        f.add("sub_sub_to_sub_add", {}, "(sub x (sub (let (k (sub x x)) y) z))", true);
        f.add("inline_let", {1, 0}, "(sub x (sub y z))");
        const Thread found = rewrite::shortened(f.bank, f.thread);
        QCOMPARE(f.text(found), qt("reversed sub_sub_to_sub_add / => (sub x (sub y z))\n"));
        f.requireValid(found);
    }

    /// x / y - x / y has no value where y is 0, and 0 has one.
    void theDetourThroughAnUndefinedTermIsAvoided() {
        Fixture f("(add 0.0 z)");
        f.add("sub_self", {0}, "(add (sub (div x y) (div x y)) z)", true);
        f.add("commute_add", {}, "(add z (sub (div x y) (div x y)))");
        f.add("sub_self", {1}, "(add z 0.0)");
        const Thread found = rewrite::shortened(f.bank, f.thread);
        QCOMPARE(f.text(found), qt("commute_add / => (add z 0.0)\n"));
        f.requireValid(found);
    }

    void withoutWorkNothingChangesButDetours() {
        Fixture f("(sub (add x z) y)");
        f.add("inline_let", {1}, "(sub (add x z) (let (k (sub x x)) y))", true);
        f.add("sub_sub_to_sub_add", {}, "(sub x (sub (let (k (sub x x)) y) z))", true);
        f.add("inline_let", {1, 0}, "(sub x (sub y z))");
        const Thread found = rewrite::shortened(f.bank, f.thread, {.rewrites = 0});
        QCOMPARE(f.text(found), f.text(f.thread));
    }
};

MITOS_TEST(TestThreadDetours)

}  // namespace tst_thread_detours

#include "tst_thread_detours.moc"
