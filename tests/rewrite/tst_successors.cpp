// SPDX-License-Identifier: GPL-3.0-or-later
// Successors found incrementally are those found from scratch; costs updated along a walk are those of a fresh model.
#include "core/base/random.h"
#include "core/cost/cost_model.h"
#include "core/eval/testing/random_terms.h"
#include "core/ks/module.h"
#include "core/rewrite/successor_index.h"
#include "tests/rewrite/hand_made_rules.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_successors {

using namespace mitos;
using rewrite::Rewrite;
using rewrite::Rewriter;
using rewrite::Successor;
using rewrite::SuccessorIndex;
using test::BinaryRule;

namespace {

using RuleList = std::vector<std::shared_ptr<const rules::DirectedRule>>;

constexpr rewrite::RewriteLimits Limits{.maxTreeSize = 2'000, .maxDepth = 200};

rules::RuleBook book() {
    Result<rules::RuleBook> loaded = rules::RuleBook::load("ks-simple,ks-extended", ks::makeRegistry());
    if (!loaded) qFatal("%s", loaded.error().render().c_str());
    return *std::move(loaded);
}

ir::Program parse(ir::TermBank& bank, const std::string& name, const std::string& text) {
    const Result<ir::Program> parsed = ks::parseProgram(bank, name, text);
    if (!parsed) qFatal("%s", parsed.error().render().c_str());
    return *parsed;
}

ir::Program sample(ir::TermBank& bank, const std::string& name) {
    const Result<SourceText> text = readSourceFile(MITOS_SOURCE_DIR "/samples/" + name);
    if (!text) qFatal("%s", text.error().render().c_str());
    return parse(bank, name, std::string(text->text()));
}

std::vector<Successor> listed(SuccessorIndex& index, ir::TermId root) {
    std::vector<Successor> successors;
    if (!index.list(root, successors, [] { return true; })) qFatal("nobody said stop");
    return successors;
}

/// Compares everything the index says of a state with a rewriter that knows nothing yet. The state's successors.
std::vector<ir::TermId> checkState(ir::TermBank& bank, SuccessorIndex& index, const RuleList& rules, ir::TermId root,
                                   rewrite::RewriteLimits limits = Limits) {
    const Rewriter fromScratch(bank, rules, ir::Sharing::Tree, limits);
    const std::vector<Rewrite> expected = fromScratch.successors(root);
    std::vector<Successor> actual;
    const auto rewrites = index.list(root, actual, [] { return true; });
    if (rewrites != fromScratch.all(root).size()) qFatal("another number of rewrites");
    std::vector<ir::TermId> results;
    for (std::size_t i = 0; i < std::max(actual.size(), expected.size()); ++i) {
        if (i >= actual.size()) qFatal("too few: %s", expected[i].step.rule->name().c_str());
        if (i >= expected.size()) qFatal("too many: %s", rules[actual[i].rule]->name().c_str());
        results.push_back(index.build(root, actual[i]));
        if (results.back() != expected[i].result) qFatal("successor %zu is another", i);
        if (rules[actual[i].rule] != expected[i].step.rule) qFatal("successor %zu is another rule's", i);
        const Rewrite found = index.rewrite(root, actual[i]);
        const bool same =
            found.step.positions == expected[i].step.positions && found.step.rule == expected[i].step.rule &&
            found.step.substitution == expected[i].step.substitution && found.subterm == expected[i].subterm &&
            found.replacement == expected[i].replacement && found.result == expected[i].result;
        if (!same) qFatal("successor %zu is made by another step", i);
    }
    return results;
}

}  // namespace

class TestSuccessors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void incrementalIsFromScratchOnRandomPrograms() {
        const rules::RuleBook rules = book();
        Random random(20260);
        std::size_t checked = 0;
        for (int i = 0; i < 60; ++i) {
            ir::TermBank bank(rules.registry());
            const ir::Program program =
                parse(bank, "f", "(def f Float ((x : Float) (y : Float) (v : Vec n Float) (b : Bool)) x)");
            eval::TermScope scope;
            scope.free = bank.function(program.function).parameters;
            SuccessorIndex index(bank, rules.directions(), ir::Sharing::Tree, Limits);
            // Several programs share the index, so that much is known already and some of it from elsewhere.
            for (int k = 0; k < 4; ++k) {
                ir::TermId state = eval::randomTerm(bank, bank.types().floating(), scope, random, 30);
                for (int step = 0; step < 8; ++step) {
                    const std::vector<ir::TermId> next = checkState(bank, index, rules.directions(), state);
                    checked += next.size();
                    if (next.empty()) break;
                    state = next[random.below(next.size())];
                }
            }
        }
        QVERIFY2(checked > 10'000, std::to_string(checked).c_str());
    }

    void incrementalIsFromScratchAlongRandomWalks_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<int>("steps");
        QTest::newRow("table 5") << std::string("arithmetic/table5-test-12.ks") << 200;
        QTest::newRow("gemm") << std::string("linear-algebra/gemm.ks") << 60;
        QTest::newRow("rev_conv1d") << std::string("convolution/rev_conv1d.ks") << 30;
    }
    void incrementalIsFromScratchAlongRandomWalks() {
        QFETCH(std::string, name);
        QFETCH(int, steps);
        const rules::RuleBook rules = book();
        ir::TermBank bank(rules.registry());
        const ir::Program program = sample(bank, name);
        SuccessorIndex index(bank, rules.directions(), ir::Sharing::Tree, Limits);
        Random random(7);
        ir::TermId state = program.root;
        for (int step = 0; step < steps; ++step) {
            if (step % 20 == 0) state = program.root;
            const std::vector<ir::TermId> next = checkState(bank, index, rules.directions(), state);
            QVERIFY(!next.empty());
            state = next[random.below(next.size())];
        }
        QVERIFY(index.bytes() > 0);
    }

    void costsAlongAWalkAreThoseOfAFreshModel_data() {
        QTest::addColumn<std::string>("name");
        for (const char* name :
             {"arithmetic/table5-test-12.ks", "linear-algebra/gemm.ks", "convolution/rev_conv1d.ks"}) {
            QTest::newRow(name) << std::string(name);
        }
    }
    void costsAlongAWalkAreThoseOfAFreshModel() {
        QFETCH(std::string, name);
        const rules::RuleBook rules = book();
        ir::TermBank bank(rules.registry());
        const ir::Program program = sample(bank, name);
        for (const auto& model : cost::costModelsFor("ks")) {
            SuccessorIndex index(bank, rules.directions(), ir::Sharing::Tree, Limits);
            const auto evaluator = model->evaluator(bank, program.function);
            Random random(11);
            ir::TermId state = program.root;
            for (int step = 0; step < 40; ++step) {
                const std::vector<Successor> next = listed(index, state);
                QVERIFY(!next.empty());
                state = index.build(state, next[random.below(next.size())]);
                QCOMPARE(*evaluator->cost(state), *model->evaluator(bank, program.function)->cost(state));
            }
            QVERIFY(model->info().name == "size" || evaluator->bytes() > 0);
        }
    }

    void aTermIsMatchedOnceHoweverOftenItIsMet() {
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program program = parse(bank, "p", "(mul (add x y) (mul (add x y) (add x z)))");
        const auto rule = test::commuteAdd();
        SuccessorIndex index(bank, {rule});
        const std::vector<Successor> first = listed(index, program.root);
        QCOMPARE(first.size(), std::size_t(3));
        QCOMPARE(rule->matchCalls(), 2);  // x + y and x + z
        // In the state after the first rewrite only y + x is new.
        const ir::TermId next = index.build(program.root, first[0]);
        QCOMPARE(listed(index, next).size(), std::size_t(3));
        QCOMPARE(rule->matchCalls(), 3);
        QCOMPARE(listed(index, program.root).size(), std::size_t(3));
        QCOMPARE(rule->matchCalls(), 3);
    }

    void nothingIsBuiltBeforeSomebodyGoesThere() {
        ir::TermBank bank(ks::makeRegistry());
        const ir::Program program = parse(bank, "p", "(mul 2.0 (mul 3.0 (mul 4.0 (add x y))))");
        SuccessorIndex index(bank, {test::commuteAdd()});
        const std::size_t before = bank.size();
        const std::vector<Successor> successors = listed(index, program.root);
        QCOMPARE(successors.size(), std::size_t(1));
        QCOMPARE(bank.size(), before + 1);  // y + x itself
        const ir::TermId built = index.build(program.root, successors[0]);
        QCOMPARE(bank.size(), before + 4);
        QCOMPARE(ks::printTerm(bank, built).c_str(), "(mul 2.0 (mul 3.0 (mul 4.0 (add y x))))");
    }

    void equalResultsAreFoundAtAllLevels() {
        // (a + b) + c => (b + a) + c at the outer sum does what commuting does at the inner one; its twin does it again.
        const auto inner = [](const char* name) {
            return std::make_shared<BinaryRule>(
                name, ks::Op::Add,
                [](ir::TermBank& bank, ir::TermId a, ir::TermId c) {
                    const ir::TermId swapped = *test::made(bank, ks::Op::Add, bank.child(a, 1), bank.child(a, 0));
                    return test::made(bank, ks::Op::Add, swapped, c);
                },
                [](const ir::TermBank& bank, ir::TermId a, ir::TermId) { return bank.opName(a) == "add"; });
        };
        const RuleList rules{test::commuteAdd(), inner("inner"), inner("twin")};
        ir::TermBank bank(ks::makeRegistry());
        for (const char* text :
             {"(add (add x y) z)", "(add (add (add x y) z) x)", "(add (add (add x x) (add y z)) (add (add x y) z))",
              "(mul (add (add x y) z) (add (add (add x y) z) (add x y)))"}) {
            SuccessorIndex index(bank, rules);
            const ir::Program program = parse(bank, "p", text);
            for (const ir::TermId next : checkState(bank, index, rules, program.root)) {
                checkState(bank, index, rules, next);
            }
        }
        SuccessorIndex index(bank, rules);
        const std::vector<Successor> two = listed(index, parse(bank, "p", "(add (add x y) z)").root);
        QCOMPARE(two.size(), std::size_t(2));  // of the four rewrites, one at the inner sum
        QCOMPARE(two[0].rule, 0U);
        QCOMPARE(two[1].rule, 1U);
        QCOMPARE(two[1].number, 1U);
    }

    void limitsLeaveOutTheSameAsTheRewriter() {
        const auto twice =
            std::make_shared<BinaryRule>("twice", ks::Op::Add, [](ir::TermBank& bank, ir::TermId a, ir::TermId b) {
                const ir::TermId sum = *test::made(bank, ks::Op::Add, a, b);
                return test::made(bank, ks::Op::Add, sum, sum);
            });
        const RuleList rules{test::commuteAdd(), twice};
        ir::TermBank bank(ks::makeRegistry());
        const ir::TermId root = parse(bank, "p", "(add (add x y) z)").root;
        for (const rewrite::RewriteLimits limits :
             {rewrite::RewriteLimits{}, rewrite::RewriteLimits{.maxTreeSize = 9, .maxDepth = 100},
              rewrite::RewriteLimits{.maxTreeSize = 8, .maxDepth = 100},
              rewrite::RewriteLimits{.maxTreeSize = 100, .maxDepth = 3}}) {
            SuccessorIndex index(bank, rules, ir::Sharing::Tree, limits);
            checkState(bank, index, rules, root, limits);
        }
    }

    void stopsWhenTold() {
        ir::TermBank bank(ks::makeRegistry());
        ir::TermId root = parse(bank, "p", "(add x y)").root;
        const auto rule = test::commuteAdd();
        SuccessorIndex index(bank, {rule});
        std::vector<Successor> successors;
        int asked = 0;
        QVERIFY(!index.list(root, successors, [&] { return ++asked < 3; }).has_value());
        QCOMPARE(asked, 3);
        QVERIFY(index.list(root, successors, [] { return true; }).has_value());
        QCOMPARE(successors.size(), std::size_t(1));
        // A tree of 2^40 sums, of which all results are too large: walking it would take hours.
        for (int i = 0; i < 40; ++i) root = *test::made(bank, ks::Op::Add, root, bank.child(root, i % 2));
        for (int i = 0; i < 40; ++i) root = *test::made(bank, ks::Op::Add, root, root);
        asked = 0;
        QVERIFY(!index.list(root, successors, [&] { return ++asked < 200; }).has_value());
        QCOMPARE(asked, 200);
    }

    void deepProgramsAreListed() {
        ir::TermBank bank(ks::makeRegistry());
        ir::TermId root = parse(bank, "p", "(add x y)").root;
        for (int i = 0; i < 9'000; ++i) root = *test::made(bank, ks::Op::Mul, bank.floating(2.0), root);
        SuccessorIndex index(bank, {test::commuteAdd()});
        const std::vector<Successor> successors = listed(index, root);
        QCOMPARE(successors.size(), std::size_t(1));
        const Rewrite found = index.rewrite(root, successors[0]);
        QCOMPARE(found.step.positions.front().size(), std::size_t(9'000));
        QCOMPARE(found.result, index.build(root, successors[0]));
    }
};

MITOS_TEST(TestSuccessors)

}  // namespace tst_successors

#include "tst_successors.moc"
