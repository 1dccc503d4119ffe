// SPDX-License-Identifier: GPL-3.0-or-later
// Rewriting programs that are graphs: a node is one place and is replaced wherever it is used, and nothing walks the tree.
#include "core/rewrite/history.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/successor_index.h"
#include "tests/dialects/random_graphs.h"
#include "tests/rewrite/hand_made_rules.h"
#include "tests/support/test_program.h"

#include <absl/container/flat_hash_map.h>

#include <QTest>
#include <algorithm>

namespace tst_graphs {

using namespace mitos;
using ir::TermId;
using rewrite::Rewrite;
using rewrite::Rewriter;
using rewrite::Step;
using rewrite::Successor;
using rewrite::SuccessorIndex;
using rewrite::Thread;

namespace {

using RuleList = std::vector<std::shared_ptr<const rules::DirectedRule>>;

constexpr auto Graph = ir::Sharing::Graph;

ir::OpId op(std::string_view name) { return dialects::makeRegistry()->find(name); }

std::shared_ptr<const test::BinaryRule> commute(std::string_view name) {
    return std::make_shared<test::BinaryRule>("commute_" + std::string(name), op(name),
                                              [name = std::string(name)](ir::TermBank& bank, TermId a, TermId b) {
                                                  return Result<TermId>(test::node(bank, name, {b, a}));
                                              });
}

/// a * b => (a + a) * b, whose right side is larger.
std::shared_ptr<const test::BinaryRule> grow() {
    return std::make_shared<test::BinaryRule>("grow", op("Mul"), [](ir::TermBank& bank, TermId a, TermId b) {
        return Result<TermId>(test::node(bank, "Mul", {test::node(bank, "Add", {a, a}), b}));
    });
}

/// a + b => relu(a + b): the replacement contains what it replaces.
std::shared_ptr<const test::BinaryRule> wrap() {
    return std::make_shared<test::BinaryRule>("wrap", op("Add"), [](ir::TermBank& bank, TermId a, TermId b) {
        return Result<TermId>(test::node(bank, "Relu", {test::node(bank, "Add", {a, b})}));
    });
}

/// a * b => a where b is w.
std::shared_ptr<const test::BinaryRule> dropWeight() {
    return std::make_shared<test::BinaryRule>(
        "drop_weight", op("Mul"), [](ir::TermBank&, TermId a, TermId) { return Result<TermId>(a); },
        [](const ir::TermBank& bank, TermId, TermId b) { return bank.opName(b) == tensor::WeightName; });
}

RuleList manyRules() { return {commute("Add"), commute("Mul"), grow(), wrap(), dropWeight()}; }

/// What replacing a node everywhere means, worked out the slow way: by the definition, on the tree with a memo of its own.
TermId replacedEverywhere(ir::TermBank& bank, TermId term, TermId node, TermId by) {
    absl::flat_hash_map<TermId, TermId> done;
    const auto walk = [&](auto& self, TermId at) -> TermId {
        if (at == node) return by;
        if (const auto known = done.find(at); known != done.end()) return known->second;
        std::vector<TermId> children;
        for (std::size_t i = 0; i < bank.childCount(at); ++i) children.push_back(self(self, bank.child(at, i)));
        const TermId made = children.empty() ? at : bank.withChildren(at, children).value();
        done.emplace(at, made);
        return made;
    };
    return walk(walk, term);
}

}  // namespace

class TstGraphs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNodeIsOnePlaceAndChangesEverywhere() {
        ir::TermBank bank(dialects::makeRegistry());
        const TermId x = test::parameter(bank, "x");
        const TermId y = test::parameter(bank, "y");
        const TermId sum = test::node(bank, "Add", {x, y});
        const ir::Program program =
            test::graphProgram(bank, "f", {"x", "y"}, test::node(bank, "Mul", {test::node(bank, "Relu", {sum}), sum}));
        const std::vector<Rewrite> found = Rewriter(bank, {commute("Add")}, Graph).all(program.root);
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].step.place(), std::string("/0/0"));  // the first path in pre-order
        const TermId turned = test::node(bank, "Add", {y, x});
        QCOMPARE(found[0].result, test::node(bank, "Mul", {test::node(bank, "Relu", {turned}), turned}));
        // Any path to the node names it.
        Step step = found[0].step;
        step.positions = {{1}};
        QCOMPARE(Rewriter(bank, {}, Graph).apply(program, step).value(), found[0].result);
        QCOMPARE(Rewriter(bank, {commute("Add")}, Graph).at(program.root, {1})->size(), std::size_t(1));
        // Trees keep their meaning: two places, of which one changes.
        QCOMPARE(Rewriter(bank, {commute("Add")}).all(program.root).size(), std::size_t(2));
    }

    void aReplacementMayContainItsNode() {
        ir::TermBank bank(dialects::makeRegistry());
        const TermId x = test::parameter(bank, "x");
        const TermId sum = test::node(bank, "Add", {x, x});
        const ir::Program program = test::graphProgram(bank, "f", {"x"}, test::node(bank, "Mul", {sum, sum}));
        const std::vector<Rewrite> found = Rewriter(bank, {wrap()}, Graph).all(program.root);
        QCOMPARE(found.size(), std::size_t(1));
        const TermId wrapped = test::node(bank, "Relu", {sum});
        QCOMPARE(found[0].result, test::node(bank, "Mul", {wrapped, wrapped}));
        const Thread thread{program, {found[0].step}, {found[0].result}};
        QVERIFY(rewrite::check(bank, thread).valid);
    }

    void everyRewriteReplacesByTheDefinition() {
        Random random(5);
        std::size_t rewrites = 0;
        for (int round = 0; round < 60; ++round) {
            ir::TermBank bank(dialects::makeRegistry());
            const ir::Program program = test::randomGraph(bank, random, 3 + round % 20);
            Rewriter rewriter(bank, manyRules(), Graph);
            std::vector<ir::Path> positions;
            for (const Rewrite& one : rewriter.all(program.root)) {
                ++rewrites;
                QCOMPARE(one.result, replacedEverywhere(bank, program.root, one.subterm, one.replacement));
                QCOMPARE(bank.type(one.result), bank.type(program.root));
                QCOMPARE(ir::firstPath(bank, program.root, one.subterm), std::optional(one.step.positions.front()));
                QCOMPARE(rewriter.apply(program, one.step).value(), one.result);
                positions.push_back(one.step.positions.front());
            }
            const auto before = [](const ir::Path& a, const ir::Path& b) {
                return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
            };
            QVERIFY(std::is_sorted(positions.begin(), positions.end(), before));  // pre-order
        }
        QVERIFY(rewrites > 500);
    }

    void successorsAreTheRewriters() {
        Random random(9);
        for (int round = 0; round < 30; ++round) {
            ir::TermBank bank(dialects::makeRegistry());
            const ir::Program program = test::randomGraph(bank, random, 4 + round % 15);
            SuccessorIndex index(bank, manyRules(), Graph);
            Rewriter rewriter(bank, manyRules(), Graph);
            TermId root = program.root;
            for (int step = 0; step < 6; ++step) {
                std::vector<Successor> successors;
                const auto count = index.list(root, successors, [] { return true; });
                const std::vector<Rewrite> all = rewriter.all(root);
                QCOMPARE(count.value(), std::uint64_t(all.size()));
                std::vector<TermId> expected;
                for (const Rewrite& one : all) {
                    if (std::ranges::find(expected, one.result) == expected.end()) expected.push_back(one.result);
                }
                std::vector<TermId> built;
                for (const Successor& one : successors) {
                    const TermId result = index.build(root, one);
                    if (std::ranges::find(built, result) == built.end()) built.push_back(result);
                    QCOMPARE(result, all[one.number].result);
                }
                QCOMPARE(built, expected);
                if (built.empty()) break;
                const Rewrite next = index.rewrite(root, successors[random.below(successors.size())]);
                QCOMPARE(rewriter.apply({program.function, root}, next.step).value(), next.result);
                root = next.result;
            }
            QVERIFY(index.bytes() > 0);
        }
    }

    void limitsCountNodes() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = test::doublings(bank, 30);  // 31 nodes, a tree of two billions
        const auto found = [&](rewrite::RewriteLimits limits) {
            const std::size_t listed = Rewriter(bank, {wrap()}, Graph, limits).all(program.root).size();
            std::vector<Successor> successors;
            SuccessorIndex index(bank, {wrap()}, Graph, limits);
            index.list(program.root, successors, [] { return true; });
            return listed == successors.size() ? static_cast<int>(listed) : -1;
        };
        QCOMPARE(found({}), 30);
        QCOMPARE(found({.maxTreeSize = 32}), 30);
        QCOMPARE(found({.maxTreeSize = 31}), 0);
        QCOMPARE(found({.maxSharedDepth = 32}), 30);
        QCOMPARE(found({.maxSharedDepth = 31}), 0);
    }

    /// One rewrite for each sum, which adds one term to the bank: no results are built, which would add all terms above.
    void deepGraphsAreListedWithoutResults() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = test::doublings(bank, 1);
        const TermId sum = program.root;
        TermId root = sum;
        for (int i = 1; i < 16'000; ++i) root = test::node(bank, "Add", {root, bank.child(sum, 0)});
        const std::size_t before = bank.size();
        std::size_t count = 0;
        const auto found = [&](const rewrite::Applicable& one) {
            ++count;
            return bank.child(one.subterm, 0) == bank.child(one.replacement, 1);
        };
        Rewriter(bank, {commute("Add")}, Graph).forEachApplicable(root, found);
        QCOMPARE(count, std::size_t(15'999));  // x + x is left as it is
        QCOMPARE(bank.size() - before, std::size_t(15'999));
    }

    void anApplicableRewriteIsMade() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = test::doublings(bank, 3);
        const Rewriter rewriter(bank, {wrap()}, Graph);
        std::vector<TermId> results;
        rewriter.forEachApplicable(program.root, [&](const rewrite::Applicable& one) {
            const Rewrite made = one.make();
            results.push_back(made.step.positions.front() == *one.position ? made.result : TermId());
            return true;
        });
        std::vector<TermId> expected;
        for (const Rewrite& one : rewriter.all(program.root)) expected.push_back(one.result);
        QCOMPARE(results.size(), std::size_t(3));
        QVERIFY(results == expected);
    }

    void threadsReplay() {
        Random random(21);
        for (int round = 0; round < 20; ++round) {
            ir::TermBank bank(dialects::makeRegistry());
            Thread thread{test::randomGraph(bank, random, 12), {}, {}};
            for (int i = 0; i < 8; ++i) {
                const std::vector<Rewrite> all = Rewriter(bank, manyRules(), Graph).all(thread.end().root);
                if (all.empty()) break;
                const Rewrite& one = all[random.below(all.size())];
                thread.steps.push_back(one.step);
                thread.states.push_back(one.result);
            }
            const rewrite::ThreadReport report = rewrite::check(bank, thread);
            QVERIFY2(report.valid, report.reason.c_str());
            ir::TermBank other(dialects::makeRegistry());
            const Thread copy = rewrite::transplant(bank, thread, other);
            QCOMPARE(other.function(copy.start.function).sharing, Graph);
            QVERIFY(rewrite::check(other, copy).valid);
            if (thread.steps.empty()) continue;
            Thread wrong = thread;
            wrong.states.back() = thread.start.root == thread.states.back() ? thread.states.front() : thread.start.root;
            const bool same = wrong.states.back() == thread.states.back();
            QCOMPARE(rewrite::check(bank, wrong).valid, same);
        }
    }

    void reversedStepsTakeBack() {
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = test::doublings(bank, 20);
        const Rewrite grown = Rewriter(bank, {commute("Add"), wrap()}, Graph).all(program.root).front();
        Step back = grown.step;
        back.isReversed = true;
        const Thread thread{program, {grown.step, back}, {grown.result, program.root}};
        const rewrite::ThreadReport report = rewrite::check(bank, thread);
        QVERIFY2(report.valid, report.reason.c_str());
    }

    void anotherTypeIsRefused() {
        ir::TermBank bank(dialects::makeRegistry());
        const TermId x = test::parameter(bank, "x");
        const ir::TypeId scalar = bank.types().array(ir::Dtype::F32, {});
        const auto narrow =
            std::make_shared<test::BinaryRule>("narrow", op("Add"), [scalar](ir::TermBank& b, TermId, TermId) {
                return Result<TermId>(b.variable(b.symbols().intern("s"), scalar));
            });
        const ir::Program program = test::graphProgram(bank, "f", {"x"}, test::node(bank, "Add", {x, x}));
        QVERIFY(Rewriter(bank, {narrow}, Graph).all(program.root).empty());
        const Step step{narrow, {{}}, test::BinaryRule::substitution(x, x)};
        const Result<TermId> applied = Rewriter(bank, {}, Graph).apply(program, step);
        QVERIFY(!applied);
        QVERIFY(applied.error().message.find("not the f32[2,3] it stands for") != std::string::npos);
    }

    void sixtyDoublingsAreNothing() {
        // Each of these took longer than the age of the universe if it walked the tree of 2^61 nodes.
        ir::TermBank bank(dialects::makeRegistry());
        const ir::Program program = test::doublings(bank, 60);
        Rewriter rewriter(bank, manyRules(), Graph);
        const std::vector<Rewrite> all = rewriter.all(program.root);
        QCOMPARE(all.size(), std::size_t(60));  // wrapped anywhere; turned round they are the same
        const Rewrite& deepest = all.back();
        QCOMPARE(deepest.step.positions.front().size(), std::size_t(59));
        Thread thread{program, {deepest.step}, {deepest.result}};
        QVERIFY(rewrite::check(bank, thread).valid);
        const std::string text = rewrite::writeThread(bank, thread);
        QVERIFY(text.size() < 20'000);
        ir::TermBank other(dialects::makeRegistry());
        QCOMPARE(other.hash(rewrite::transplant(bank, thread, other).states[0]), bank.hash(deepest.result));
        SuccessorIndex index(bank, manyRules(), Graph);
        std::vector<Successor> successors;
        QCOMPARE(index.list(program.root, successors, [] { return true; }).value(), std::uint64_t(60));
        QCOMPARE(index.rewrite(program.root, successors.back()).result, deepest.result);
        rewrite::History history(program, 1.0);
        history.addThread(history.start(), thread, {1.0, 2.0}, "");
        QCOMPARE(history.threadTo(history.current()).states, thread.states);
    }
};

MITOS_TEST(TstGraphs)

}  // namespace tst_graphs

#include "tst_graphs.moc"
