// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads side by side: common steps, and the gain of each rule. Programs are whole numbers, steps lead from one to the next.
#include "search/compare/alignment.h"
#include "tests/search/graph_world.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>
#include <numeric>

namespace tst_alignment {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

struct Walks {
    ir::TermBank bank{ks::makeRegistry()};
    std::shared_ptr<const rules::DirectedRule> rule =
        std::make_shared<GraphRule>("edge", [](std::int64_t) { return std::vector<std::int64_t>{}; });
    std::shared_ptr<const rules::DirectedRule> other =
        std::make_shared<GraphRule>("other", [](std::int64_t) { return std::vector<std::int64_t>{}; });

    /// A thread over these numbers; steps to negative numbers are of the other rule.
    [[nodiscard]] rewrite::Thread walk(const std::vector<std::int64_t>& numbers) {
        rewrite::Thread thread{{ir::FunctionId(), bank.integer(numbers.front())}, {}, {}};
        for (std::size_t i = 1; i < numbers.size(); ++i) {
            thread.steps.push_back(
                {.rule = numbers[i] < 0 ? other : rule, .positions = {ir::Path{}}, .substitution = {}});
            thread.states.push_back(bank.integer(numbers[i]));
        }
        return thread;
    }
};

/// "0=0 1- -1": the indices of both sides; a dash where a side has no such step.
std::string text(const std::vector<AlignedStep>& aligned) {
    std::string all;
    for (const AlignedStep& step : aligned) {
        if (!all.empty()) all += ' ';
        if (step.left) all += std::to_string(*step.left);
        all += step.isCommon() ? '=' : '-';
        if (step.right) all += std::to_string(*step.right);
    }
    return all;
}

}  // namespace

class TestAlignment : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsAreAligned_data() {
        QTest::addColumn<std::vector<std::int64_t>>("left");
        QTest::addColumn<std::vector<std::int64_t>>("right");
        QTest::addColumn<std::string>("aligned");
        const auto row = [](const char* name, const std::vector<std::int64_t>& left,
                            const std::vector<std::int64_t>& right,
                            const char* aligned) { QTest::newRow(name) << left << right << std::string(aligned); };
        row("no steps", {1}, {1}, "");
        row("the same", {0, 1, 2}, {0, 1, 2}, "0=0 1=1");
        row("one is empty", {0, 1, 2}, {0}, "0- 1-");
        row("common beginning", {0, 1, 2}, {0, 1, 3}, "0=0 1- -1");
        row("common end", {0, 1, 7, 8}, {0, 2, 7, 8}, "0- 1- -0 -1 2=2");
        row("common middle", {0, 1, 5, 6, 9}, {0, 2, 5, 6, 7}, "0- 1- -0 -1 2=2 3- -3");
        row("a detour", {0, 1, 2, 3}, {0, 1, 5, 1, 2, 3}, "0=0 -1 -2 1=3 2=4");
        row("twice the same step", {0, 1, 0, 1}, {0, 1}, "0=0 1- 2-");
        row("another rule", {0, -1}, {0, 1}, "0- -0");
    }

    void stepsAreAligned() {
        QFETCH(std::vector<std::int64_t>, left);
        QFETCH(std::vector<std::int64_t>, right);
        QFETCH(std::string, aligned);
        Walks walks;
        QCOMPARE(text(alignedSteps(walks.bank, walks.walk(left), walks.walk(right))), aligned);
    }

    /// All steps stand in the alignment once, in order, however long the threads are.
    void longThreadsKeepTheirSteps() {
        Walks walks;
        std::vector<std::int64_t> up(3'001);
        std::iota(up.begin(), up.end(), 0);
        std::vector<std::int64_t> twos(3'001);
        for (std::size_t i = 0; i < twos.size(); ++i) twos[i] = static_cast<std::int64_t>(2 * i);
        const auto aligned = alignedSteps(walks.bank, walks.walk(up), walks.walk(twos));
        QCOMPARE(aligned.size(), std::size_t{6'000});
        std::size_t left = 0;
        std::size_t right = 0;
        for (const AlignedStep& step : aligned) {
            if (step.left) QCOMPARE(*step.left, left++);
            if (step.right) QCOMPARE(*step.right, right++);
        }
    }

    void gainsAreSummedByRule() {
        Walks walks;
        const auto gains = ruleGains(walks.walk({0, 1, -2, 3, 4}), {10.0, 12.0, 7.0, 7.0, 6.5});
        QCOMPARE(gains.size(), std::size_t{2});
        QCOMPARE(gains[0].rule, std::string("edge"));
        QCOMPARE(gains[0].steps, std::size_t{3});
        QCOMPARE(gains[0].gain, -1.5);  // 2 more, then 0 and 0.5 less
        QCOMPARE(gains[1].rule, std::string("other"));
        QCOMPARE(gains[1].gain, 5.0);
        QVERIFY(ruleGains(walks.walk({0}), {10.0}).empty());
    }

    void usesAreCountedInTheEGraphAndOnThreads() {
        egraph::SaturationReport growth;
        growth.rules = {"never", "second", "first"};
        const auto iteration = [](std::initializer_list<std::uint64_t> applied) {
            egraph::IterationReport report;
            for (const std::uint64_t times : applied) report.rules.emplace_back().applied = times;
            return report;
        };
        growth.iterations = {iteration({0, 0, 3}), iteration({0, 2, 4})};
        const auto uses = ruleUses(growth);
        QCOMPARE(uses.size(), std::size_t(2));
        QCOMPARE(uses[0].rule, std::string("first"));
        QCOMPARE(uses[0].uses, 7.0);
        QCOMPARE(uses[1].rule, std::string("second"));
        QCOMPARE(uses[1].uses, 2.0);

        Walks walks;
        const auto steps = ruleUses(walks.walk({0, 1, -2, 3, 4}));
        QCOMPARE(steps.size(), std::size_t(2));
        QCOMPARE(steps[0].uses + steps[1].uses, 4.0);
    }
};

MITOS_TEST(TestAlignment)

}  // namespace tst_alignment

#include "tst_alignment.moc"
