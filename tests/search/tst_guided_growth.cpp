// SPDX-License-Identifier: GPL-3.0-or-later
// E-graphs whose rules are chosen by tree search: the phase-ordering problem of the e-graph MCTS paper, and what the choice must keep.
#include "core/rewrite/start_term.h"
#include "search/saturation/saturation.h"
#include "tests/search/ks_job.h"

#include <QTest>

namespace tst_guided_growth {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

/// (a · 2) / 2 with the rules of the sample, in an e-graph of at most so many e-nodes.
class PhaseOrder {
public:
    PhaseOrder()
        : m_book(*rules::RuleBook::load(MITOS_SOURCE_DIR "/samples/egraphs/phase-order.rules", ks::makeRegistry())),
          m_bank(m_book.registry()),
          m_program(*rewrite::readStartTerm(m_bank, "test", "over(times(a, two()), two())")) {}

    struct Grown {
        double cost = 0.0;  ///< of the smallest term, in nodes
        std::size_t nodes = 0;
        std::vector<std::string> rules;  ///< by iteration
        egraph::StopReason stop = egraph::StopReason::Stopped;
    };
    [[nodiscard]] Grown grow(SaturationPlan plan) {
        if (!plan.growth.limits.iterations) plan.growth.limits.iterations = 100;
        SaturationRun run(m_bank, {m_program}, *cost::findCostModel("size"), std::move(plan));
        SaturationRun::Follower follower;
        const auto rules = egraph::prepareRules(m_book.directions());
        if (!rules || !run.run(*rules, {}, follower)) return {};
        Grown grown{.cost = run.best().cost, .nodes = run.graph().nodeCount(), .rules = {}, .stop = run.report().stop};
        for (const egraph::IterationReport& iteration : run.report().iterations) {
            std::string applied;
            for (std::size_t i = 0; i < iteration.rules.size(); ++i) {
                if (iteration.rules[i].applied > 0) applied += (applied.empty() ? "" : " ") + run.report().rules[i];
            }
            grown.rules.push_back(applied);
        }
        return grown;
    }
    [[nodiscard]] static SaturationPlan guided(std::uint64_t seed, std::uint32_t budget = 128) {
        SaturationPlan plan;
        plan.growth.limits.nodes = 10;
        plan.seed = seed;
        plan.guide = GuideSettings{.budget = budget, .keepsBest = false};
        return plan;
    }

private:
    rules::RuleBook m_book;
    ir::TermBank m_bank;
    ir::Program m_program;
};

}  // namespace

class TestGuidedGrowth : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Figure 2: with the limit of ten e-nodes, a fixed order of all rules does not reach a.
    void aFixedOrderDoesNotFindIt() {
        SaturationPlan plan;
        plan.growth.limits.nodes = 10;
        const PhaseOrder::Grown grown = PhaseOrder().grow(plan);
        QCOMPARE(grown.stop, egraph::StopReason::Nodes);
        QCOMPARE(grown.cost, 5.0);
        plan.growth.limits.nodes = 1000;
        QCOMPARE(PhaseOrder().grow(plan).cost, 1.0);
    }

    /// The order that tree search chooses does, whatever the seed.
    void treeSearchFindsIt() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const PhaseOrder::Grown grown = PhaseOrder().grow(PhaseOrder::guided(seed));
            QCOMPARE(grown.cost, 1.0);
            QVERIFY(grown.nodes <= 10);
            const auto at = [&](const char* rule) {
                return std::ranges::find(grown.rules, rule) - grown.rules.begin();
            };
            QVERIFY(at("regroup") < at("cancel") && at("cancel") < at("unit"));
            QVERIFY(at("unit") < std::ssize(grown.rules));
        }
    }

    /// Each iteration applies one rule, and each application changes the e-graph except possibly the last one, which meets the limit.
    void anIterationIsOneRule() {
        const PhaseOrder::Grown grown = PhaseOrder().grow(PhaseOrder::guided(3));
        QVERIFY(grown.rules.size() >= 3);
        for (std::size_t i = 0; i + 1 < grown.rules.size(); ++i) {
            QVERIFY2(!grown.rules[i].empty() && grown.rules[i].find(' ') == std::string::npos, grown.rules[i].c_str());
        }
    }

    /// With one iteration of the search, a rule is drawn at random: that is seldom the right one.
    void aBudgetOfOneDrawsAtRandom() {
        int found = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed)
            found += PhaseOrder().grow(PhaseOrder::guided(seed, 1)).cost == 1.0;
        QVERIFY2(found < 15, std::to_string(found).c_str());
    }

    /// The e-graph grows by one rule only, but simulations from there meet a.
    void whatSimulationsFindIsKept() {
        SaturationPlan plan = PhaseOrder::guided(1);
        plan.growth.limits.iterations = 1;
        QCOMPARE(PhaseOrder().grow(plan).cost, 5.0);
        plan.guide->keepsBest = true;
        QCOMPARE(PhaseOrder().grow(plan).cost, 1.0);
    }

    void theSameSeedChoosesTheSameRules() {
        for (const bool reuses : {false, true}) {
            SaturationPlan plan = PhaseOrder::guided(7);
            plan.guide->reusesTree = reuses;
            QCOMPARE(PhaseOrder().grow(plan).rules, PhaseOrder().grow(plan).rules);
        }
    }

    void theTreeIsReused() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            SaturationPlan plan = PhaseOrder::guided(seed);
            plan.guide->reusesTree = true;
            QCOMPARE(PhaseOrder().grow(plan).cost, 1.0);
        }
    }

    /// Without a limit in the way it ends when no rule changes anything, and finds what saturation finds.
    void endsWhenNothingChanges() {
        const Job job(SourceText("job", "(mul (add x 0.0) (mul 1.0 (add y 0.0)))"), "ks-simple");
        SearchProblem problem = job.problem(1'000'000);
        problem.rules.clear();
        for (const char* name : {"mul_one", "add_zero", "commute_mul", "commute_add"})
            problem.rules.push_back(job.book().find(name));
        const SearchResult guided = searched("egraph-mcts", problem);
        const SearchResult plain = searched("saturation", problem);
        QCOMPARE(guided.reason, StopReason::Exhausted);
        QCOMPARE(guided.bestCost, plain.bestCost);
        QCOMPARE(guided.statistics.states, plain.statistics.states);
        verify(guided, job.book());
    }
};

MITOS_TEST(TestGuidedGrowth)

}  // namespace tst_guided_growth

#include "tst_guided_growth.moc"
