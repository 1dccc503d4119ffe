// SPDX-License-Identifier: GPL-3.0-or-later
// Steps within regions: lifted to the whole program, confirmed by the checker, written and read.
#include "core/ir/shared.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/thread_parts.h"
#include "tests/dialects/random_graphs.h"
#include "tests/partition/partition_fixture.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>

namespace tst_region_threads {

using namespace mitos;
using namespace mitos::test;
using ir::TermId;
using partition::Partition;

namespace {

const rules::RuleBook& rulesOfTensors() {
    static const rules::RuleBook book = [] {
        Result<rules::RuleBook> loaded = rules::RuleBook::load("tensor-default", dialects::makeRegistry());
        if (!loaded) qFatal("%s", loaded.error().render().c_str());
        return *std::move(loaded);
    }();
    return book;
}

/// A thread of random steps over each region, as steps of the whole program.
rewrite::Thread randomThread(ir::TermBank& bank, const ir::Program& whole, const Partition& parts, Random& random,
                             int steps) {
    std::vector<rewrite::PartThread> found;
    for (std::size_t i = 0; i < parts.regions.size(); ++i) {
        Result<partition::RegionProgram> program = partition::programOf(bank, whole, parts.regions[i]);
        if (!program) qFatal("%s", program.error().message.c_str());
        const rewrite::Rewriter rewriter(bank, rulesOfTensors().directions(), ir::Sharing::Graph);
        rewrite::Thread thread{program->program(), {}, {}};
        for (int k = 0; k < steps; ++k) {
            const std::vector<rewrite::Rewrite> all = rewriter.successors(thread.end().root);
            if (all.empty()) break;
            const rewrite::Rewrite& chosen = all[random.below(all.size())];
            thread.steps.push_back(chosen.step);
            thread.states.push_back(chosen.result);
        }
        found.push_back({std::move(program->part), std::move(thread), {fmt::format("Tree {}", i + 1)}});
    }
    return rewrite::everywhere(bank, whole, found, [] { return true; });
}

/// Relu(Relu(x)) in two regions, each with one step; s is used outside.
struct TwoRegions : PartitionFixture {
    ir::Program whole = parse(
        "graph f(x: f32[4,4])\n  weight w: f32[4,4]\n  a = Relu(x)\n  b = Relu(a)\n  m = MatMul(b, w)\n"
        "  c = Relu(m)\n  d = Relu(c)\n  return (d, b)\n");
    Partition parts = divided(whole, "Tree(x)");

    rewrite::Thread thread() {
        std::vector<rewrite::PartThread> found;
        for (std::size_t i = 0; i < parts.regions.size(); ++i) {
            Result<partition::RegionProgram> program = partition::programOf(bank, whole, parts.regions[i]);
            if (!program) qFatal("%s", program.error().message.c_str());
            const rewrite::Rewriter rewriter(bank, rulesOfTensors().directions(), ir::Sharing::Graph);
            for (const rewrite::Rewrite& rewrite : rewriter.all(program->program().root)) {
                if (rewrite.step.name() != "tensor_relu_relu") continue;
                const rewrite::Thread one{program->program(), {rewrite.step}, {rewrite.result}};
                found.push_back({program->part, one, {fmt::format("Tree {}", i + 1)}});
                break;
            }
        }
        return rewrite::everywhere(bank, whole, found, [] { return true; });
    }
};

}  // namespace

class RegionThreads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsNameTheirRegions() {
        TwoRegions f;
        QCOMPARE(f.texts(f.parts), (std::vector<std::string>{"c d: m -> d", "a b: x -> b"}));
        const rewrite::Thread thread = f.thread();
        QCOMPARE(thread.steps.size(), 2U);
        QVERIFY(rewrite::check(f.bank, thread).valid);
        QCOMPARE(rewrite::toString(*thread.steps[0].region), std::string("/0 over /0/0/0 in Tree 1"));
        QCOMPARE(rewrite::toString(*thread.steps[1].region), std::string("/0/0/0 over /0/0/0/0/0 in Tree 2"));
        // The ends of the regions: both are one node now.
        std::vector<TermId> ends = rewrite::formsAtEnd(
            f.bank, thread, {f.parts.regions[0].outputs.front(), f.parts.regions[1].outputs.front()});
        for (const TermId end : ends) {
            QCOMPARE(f.bank.opName(end), std::string_view("Relu"));
            QVERIFY(f.bank.opName(f.bank.child(end, 0)) != std::string_view("Relu"));
        }
    }

    /// A step that the region does not have room for is refused, and the reason is said.
    void theCheckerKnowsRegions() {
        TwoRegions f;
        const rewrite::Thread good = f.thread();
        const auto reason = [&](const char* region) {
            rewrite::Thread changed = good;
            const auto parsed = rewrite::parseStepRegion(region);
            if (!parsed) qFatal("%s", parsed.error().message.c_str());
            changed.steps[0].region = std::make_shared<const rewrite::StepRegion>(*parsed);
            const rewrite::ThreadReport report = rewrite::check(f.bank, changed);
            return report.valid ? std::string() : report.reason;
        };
        QCOMPARE(reason("/0 over /0/0/0 in A"), std::string());
        QCOMPARE(
            reason("/0 over /0/0/0/1 in A"),
            std::string("tensor_relu_relu at /0: not within the region A: it needs x, which is none of its inputs"));
        QCOMPARE(reason("/0 over /0/0 in A"),
                 std::string("tensor_relu_relu at /0: not within the region A: the rule reaches beyond its inputs"));
        QCOMPARE(reason("/1 over /1/0/0 in A"),
                 std::string("tensor_relu_relu at /0: not within the region A: it has no node at /0"));
        QCOMPARE(reason("/9 over - in A"),
                 std::string("tensor_relu_relu at /0: not within the region A: the program has no position /9"));
    }

    /// A node that a step replaces is not used outside unless it is an output, and is not needed by an input.
    void effectsOutsideAreRefused() {
        PartitionFixture f;
        const ir::Program whole =
            f.parse("graph f(x: f32[4])\n  a = Relu(x)\n  b = Relu(a)\n  c = Exp(b)\n  d = Tanh(b)\n  return (c, d)\n");
        const rewrite::Rewriter rewriter(f.bank, rulesOfTensors().directions(), ir::Sharing::Graph);
        const std::vector<rewrite::Rewrite> all = rewriter.all(whole.root);
        const auto found =
            std::ranges::find_if(all, [](const rewrite::Rewrite& r) { return r.step.name() == "tensor_relu_relu"; });
        QVERIFY(found != all.end());
        const auto reason = [&](const char* region) {
            rewrite::Thread thread{whole, {found->step}, {found->result}};
            thread.steps[0].region = std::make_shared<const rewrite::StepRegion>(*rewrite::parseStepRegion(region));
            return rewrite::check(f.bank, thread).reason;
        };
        QCOMPARE(reason("/0,/1 over /0/0/0/0 in A"), std::string());
        QVERIFY(
            reason("/0 over /0/0/0/0 in A").ends_with("the replaced value is used outside and is none of its outputs"));
        QVERIFY(reason("/0,/1/0 over /1,/0/0/0/0 in A").ends_with("something leads out of it there and back into it"));
    }

    /// Threads with regions are written as version 5, and read with them; others as before.
    void textsHaveRegions() {
        TwoRegions f;
        const rewrite::Thread thread = f.thread();
        const std::string text = rewrite::writeThread(f.bank, thread);
        QVERIFY(text.starts_with("mitos-thread 5\n"));
        QVERIFY(text.find("\nregion /0 over /0/0/0 in Tree 1\n1. tensor_relu_relu at /0") != std::string::npos);
        ir::TermBank other(dialects::makeRegistry());
        const auto read = rewrite::readThread(other, SourceText("t", text), rulesOfTensors());
        QVERIFY(read.ok());
        QVERIFY(read->report.valid);
        QCOMPARE(rewrite::toString(*read->thread.steps[1].region), std::string("/0/0/0 over /0/0/0/0/0 in Tree 2"));
        QCOMPARE(rewrite::writeThread(other, read->thread), text);

        rewrite::Thread plain = thread;
        for (rewrite::Step& step : plain.steps) step.region = nullptr;
        QVERIFY(rewrite::writeThread(f.bank, plain).starts_with("mitos-thread 4\n"));

        // A file that names another region does not replay.
        std::string changed = text;
        changed.replace(changed.find("over /0/0/0 in"), 14, "over /0/0 in");
        const auto wrong = rewrite::readThread(other, SourceText("t", changed), rulesOfTensors());
        QVERIFY(wrong.ok());
        QVERIFY(!wrong->report.valid);
        QCOMPARE(wrong->report.failedStep, 1U);
        changed = text;
        changed.replace(changed.find(" in Tree 1"), 10, "");
        const auto unread = rewrite::readThread(other, SourceText("t", changed), rulesOfTensors());
        QVERIFY(!unread.ok());
        QVERIFY(unread.error().message.find("is no region") != std::string::npos);
    }

    /// Any threads over the regions of any graph are one thread of the whole that the checker confirms, and so are parts of it.
    void anyStepsAreLifted() {
        Random random(14);
        std::size_t steps = 0;
        for (int round = 0; round < 60; ++round) {
            PartitionFixture f;
            const ir::Program whole = randomGraph(f.bank, random, 10 + round % 20);
            const Partition parts = f.divided(whole, round % 2 == 0 ? "Tree(x)" : "F(G(x, y))");
            const rewrite::Thread thread = randomThread(f.bank, whole, parts, random, 4);
            const rewrite::ThreadReport report = rewrite::check(f.bank, thread);
            QVERIFY2(report.valid, report.reason.c_str());
            for (const rewrite::Step& step : thread.steps) QVERIFY(step.region != nullptr);
            std::vector<bool> kept(thread.steps.size());
            for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = random.below(3) > 0;
            const rewrite::Thread some = rewrite::onlySteps(f.bank, thread, kept);
            QVERIFY(rewrite::check(f.bank, some).valid);
            for (const rewrite::Step& step : some.steps) QVERIFY(step.region != nullptr);
            steps += thread.steps.size();
        }
        QVERIFY(steps > 100);
    }
};

MITOS_TEST(RegionThreads)

}  // namespace tst_region_threads

#include "tst_region_threads.moc"
