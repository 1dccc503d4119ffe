// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of threads over graphs, and the choice of those that pay.
#include "core/ir/shared.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/thread_parts.h"
#include "search/paying_parts.h"
#include "tests/dialects/random_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

namespace tst_paying_parts {

using namespace mitos;

namespace {

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};
    rules::RuleBook book = load();

    static rules::RuleBook load() {
        Result<rules::RuleBook> loaded = rules::RuleBook::load("tensor", dialects::makeRegistry());
        if (!loaded) qFatal("%s", loaded.error().render().c_str());
        return *std::move(loaded);
    }
    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    /// The thread of these rules, each at the first place where it applies.
    rewrite::Thread thread(const ir::Program& start, const std::vector<std::string>& rules) {
        const rewrite::Rewriter rewriter(bank, book.directions(), ir::Sharing::Graph);
        rewrite::Thread thread{start, {}, {}};
        for (const std::string& rule : rules) {
            const std::vector<rewrite::Rewrite> all = rewriter.all(thread.end().root);
            const auto found =
                std::ranges::find_if(all, [&](const rewrite::Rewrite& r) { return r.step.name() == rule; });
            if (found == all.end()) qFatal("%s does not apply", rule.c_str());
            thread.steps.push_back(found->step);
            thread.states.push_back(found->result);
        }
        return thread;
    }
    std::string text(const rewrite::Thread& thread) { return dialects::printProgram(bank, thread.end()); }
};

/// Two branches with the same steps, and a third one with others.
constexpr const char* Branches =
    "graph f(x: f32[4,6], y: f32[4,6])\n"
    "  a = Relu(x)\n  b = Relu(a)\n  c = Abs(b)\n"
    "  d = Relu(y)\n  e = Relu(d)\n  g = Abs(e)\n"
    "  h = Neg(x)\n  i = Neg(h)\n"
    "  j = Add(c, g)\n  k = Mul(j, i)\n  return k\n";
const std::vector<std::string> BranchRules{"tensor_relu_relu", "tensor_abs_relu", "tensor_neg_neg", "tensor_relu_relu",
                                           "tensor_abs_relu"};

}  // namespace

class TstPayingParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Steps that rewrite what others made are in one place; places with the same rules are one part.
    void stepsAreGroupedByPlaceAndKind() {
        Fixture f;
        const rewrite::Thread thread = f.thread(f.parse(Branches), BranchRules);
        const std::vector<rewrite::ThreadPart> parts = rewrite::partsOf(f.bank, thread);
        std::size_t steps = 0;
        for (const rewrite::ThreadPart& part : parts) steps += part.steps.size();
        QCOMPARE(steps, thread.steps.size());
        const auto neg = std::ranges::find(parts, "tensor_neg_neg", &rewrite::ThreadPart::kind);
        QVERIFY(neg != parts.end());
        QCOMPARE(neg->places, 1U);
        QCOMPARE(neg->steps, std::vector<std::size_t>{2});
    }

    /// Without a step, those that need it are left out, and the others stay.
    void stepsThatNeedOthersAreLeftOut() {
        Fixture f;
        const ir::Program start = f.parse(
            "graph f(x: f32[4,6])\n  a = Transpose[perm=[1,0]](x)\n  b = Transpose[perm=[1,0]](a)\n"
            "  c = Neg(b)\n  d = Neg(c)\n  return Relu(d)\n");
        // The second step takes away what the first one leaves.
        const rewrite::Thread thread = f.thread(start, {"transpose_transpose", "transpose_nothing", "tensor_neg_neg"});
        QCOMPARE(thread.steps.size(), 3U);
        const rewrite::Thread none = rewrite::onlySteps(f.bank, thread, {false, false, false});
        QCOMPARE(none.end().root, start.root);
        const rewrite::Thread all = rewrite::onlySteps(f.bank, thread, {true, true, true});
        QCOMPARE(all.end().root, thread.end().root);
        const rewrite::Thread last = rewrite::onlySteps(f.bank, thread, {false, true, true});
        QCOMPARE(last.steps.size(), 1U);
        QCOMPARE(last.steps.front().name(), "tensor_neg_neg");
        QVERIFY(rewrite::check(f.bank, last).valid);
        const rewrite::Thread first = rewrite::onlySteps(f.bank, thread, {true, true, false});
        QCOMPARE(first.steps.size(), 2U);
        QVERIFY(rewrite::check(f.bank, first).valid);
    }

    /// Any choice of steps of any thread is a thread that the checker confirms and that keeps the values.
    void anyChoiceIsValid() {
        Random random(5);
        int several = 0;
        for (int round = 0; round < 40; ++round) {
            Fixture f;
            const ir::Program start = test::randomGraph(f.bank, random, 4 + round % 7);
            const rewrite::Rewriter rewriter(f.bank, f.book.directions(), ir::Sharing::Graph);
            rewrite::Thread thread{start, {}, {}};
            for (int i = 0; i < 12; ++i) {
                const std::vector<rewrite::Rewrite> all = rewriter.successors(thread.end().root);
                if (all.empty()) break;
                const rewrite::Rewrite& chosen = all[random.below(all.size())];
                thread.steps.push_back(chosen.step);
                thread.states.push_back(chosen.result);
            }
            std::vector<bool> kept;
            for (std::size_t i = 0; i < thread.steps.size(); ++i) kept.push_back(random.below(3) > 0);
            const rewrite::Thread part = rewrite::onlySteps(f.bank, thread, kept);
            const rewrite::ThreadReport report = rewrite::check(f.bank, part);
            QVERIFY2(report.valid, report.reason.c_str());
            QVERIFY(part.steps.size() <= static_cast<std::size_t>(std::ranges::count(kept, true)));
            several += part.steps.size() > 2 ? 1 : 0;
            QCOMPARE(rewrite::onlySteps(f.bank, thread, std::vector<bool>(kept.size(), true)).steps.size() > 0,
                     !thread.steps.empty());
        }
        QVERIFY(several > 10);
    }

    /// Parts that make the program faster are kept, others are not, however they are mixed.
    void partsThatPayAreKept() {
        Fixture f;
        const rewrite::Thread thread = f.thread(f.parse(Branches), BranchRules);
        // In this runtime Neg is fast if it occurs twice, and every other operator takes one unit.
        const auto time = [&f](const ir::Program& program) {
            double units = 0.0;
            double negations = 0.0;
            for (const ir::TermId node : ir::SharedNodes(f.bank, program.root)) {
                const std::string_view op = f.bank.opName(node);
                if (op == "Neg")
                    ++negations;
                else if (f.bank.childCount(node) > 0)
                    ++units;
            }
            return units + (negations == 2.0 ? 0.0 : 9.0);
        };
        int measured = 0;
        const search::ComparePace compare = [&](const ir::Program& first,
                                                const ir::Program& other) -> Result<search::Pace> {
            ++measured;
            const double difference = time(other) - time(first);
            return difference < 0.0   ? search::Pace::Faster
                   : difference > 0.0 ? search::Pace::Slower
                                      : search::Pace::Same;
        };
        const search::Pace whole = *compare(thread.start, thread.end());
        QCOMPARE(static_cast<int>(whole), static_cast<int>(search::Pace::Slower));
        measured = 0;
        const Result<search::PayingParts> found =
            search::payingParts(f.bank, thread, {10.0, 9.0, 8.0, 7.0, 6.0, 5.0}, whole, 16, compare);
        QVERIFY(found);
        QCOMPARE(found->measurements, static_cast<std::size_t>(measured));
        QVERIFY(found->measurements <= 17U);
        QCOMPARE(found->thread.steps.size(), 4U);
        for (const search::JudgedPart& part : found->parts) {
            QCOMPARE(part.isKept, part.part.kind != "tensor_neg_neg");
        }
        QVERIFY(rewrite::check(f.bank, found->thread).valid);
    }

    /// Without measurements left, nothing that was measured as slower stays.
    void nothingSlowerIsKept() {
        Fixture f;
        const rewrite::Thread thread = f.thread(f.parse(Branches), BranchRules);
        const search::ComparePace slower = [](const ir::Program&, const ir::Program&) -> Result<search::Pace> {
            return search::Pace::Slower;
        };
        for (const std::size_t most : {0U, 1U, 2U, 100U}) {
            const Result<search::PayingParts> found =
                search::payingParts(f.bank, thread, {6, 5, 4, 3, 2, 1}, search::Pace::Slower, most, slower);
            QVERIFY(found);
            QVERIFY(found->thread.steps.empty());
            QVERIFY(found->measurements <= most);
        }
        const search::ComparePace fails = [](const ir::Program&, const ir::Program&) -> Result<search::Pace> {
            return Error{ErrorCode::Io, "no runtime"};
        };
        QVERIFY(!search::payingParts(f.bank, thread, {6, 5, 4, 3, 2, 1}, search::Pace::Slower, 9, fails));
    }
};

MITOS_TEST(TstPayingParts)

}  // namespace tst_paying_parts

#include "tst_paying_parts.moc"
