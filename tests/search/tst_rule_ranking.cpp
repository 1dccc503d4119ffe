// SPDX-License-Identifier: GPL-3.0-or-later
// What rules gained in the threads of runs, and the order that e-graphs take from it.
#include "core/dialects/dialects.h"
#include "core/rewrite/start_term.h"
#include "search/rule_ranking.h"
#include "search/saturation/saturation.h"
#include "tests/search/ks_job.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <limits>

namespace tst_rule_ranking {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

/// A finished run with the thread of a search.
Run runOf(const SearchResult& result) {
    Run run;
    run.threadChecked = result.check.valid;
    run.thread = rewrite::writeThread(*result.bank, result.thread, result.costs, "ks-2021");
    return run;
}

SearchResult simplified() {
    const Job job(SourceText("job", "(mul (add x 0.0) (mul 1.0 (add y 0.0)))"), "ks-simple");
    return searched("greedy", job.problem(200));
}

QByteArray whyNot(const char* text) {
    const Result<RuleRanking> read = readRanking(SourceText("some.json", text));
    return read ? QByteArray() : QByteArray::fromStdString(read.error().message);
}

/// (a · 2) / 2 in a small e-graph, as in tst_guided_growth.
class RankedPhases {
public:
    RankedPhases()
        : m_book(*rules::RuleBook::load(MITOS_SOURCE_DIR "/samples/egraphs/phase-order.rules", ks::makeRegistry())),
          m_bank(m_book.registry()),
          m_program(*rewrite::readStartTerm(m_bank, "test", "over(times(a, two()), two())")) {}

    struct Grown {
        double cost = 0.0;
        std::string note;
        std::vector<std::string> applied;  ///< rules, by iteration
    };
    [[nodiscard]] Result<Grown> grow(SaturationPlan plan) {
        plan.growth.limits.iterations = 100;
        SaturationRun run(m_bank, {m_program}, *cost::findCostModel("size"), std::move(plan));
        SaturationRun::Follower follower;
        MITOS_TRY(const auto rules, egraph::prepareRules(m_book.directions()));
        MITOS_TRY(const StopReason reason, run.run(rules, {}, follower));
        static_cast<void>(reason);
        Grown grown{.cost = run.best().cost, .note = run.rankingNote(), .applied = {}};
        for (const egraph::IterationReport& iteration : run.report().iterations) {
            for (std::size_t i = 0; i < iteration.rules.size(); ++i) {
                if (iteration.rules[i].applied > 0) grown.applied.push_back(run.report().rules[i]);
            }
        }
        return grown;
    }
    [[nodiscard]] static SaturationPlan guided(std::uint64_t seed, std::uint32_t budget, const std::string& ranking) {
        SaturationPlan plan;
        plan.growth.limits.nodes = 10;
        plan.seed = seed;
        plan.guide = GuideSettings{.budget = budget, .keepsBest = false};
        plan.ranking = ranking;
        return plan;
    }

private:
    rules::RuleBook m_book;
    ir::TermBank m_bank;
    ir::Program m_program;
};

}  // namespace

class TestRuleRanking : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        RuleRanking useful;
        useful.rules = {{"unit", {0.9, 10}}, {"cancel", {0.8, 10}}, {"regroup", {0.7, 10}}, {"elsewhere", {0.5, 1}}};
        m_useful = write("useful.json", toText(useful));
        RuleRanking useless;
        useless.rules = {{"commute", {0.9, 10}}, {"strength", {0.8, 10}}, {"twice", {0.7, 10}}};
        m_useless = write("useless.json", toText(useless));
    }

    /// A way over a hill: the gain of a step is what is reached after it.
    void gainsAreReductionsRealizedAfterwards() {
        using Gains = std::vector<double>;
        const auto gains = [](std::vector<double> costs) { return gainsOfSteps(costs); };
        QCOMPARE(gains({10.0, 8.0, 12.0, 5.0, 6.0}), (Gains{0.5, 0.3, 0.7, 0.0}));
        QCOMPARE(gains({10.0, 1000.0, 4.0}), (Gains{0.6, 1.0}));
        QCOMPARE(gains({4.0, 5.0}), (Gains{0.0}));
        QVERIFY(gains({4.0}).empty() && gains({}).empty() && gains({0.0, 0.0}).empty());
        QVERIFY(gains({4.0, std::numeric_limits<double>::infinity(), 1.0}).empty());
    }

    void averagesByRule() {
        RuleRanking ranking;
        for (const double gain : {0.5, 0.1, 0.3}) ranking.add("a", gain);
        ranking.add("b", 0.4);
        QVERIFY(std::abs(ranking.rules.at("a").gain - 0.3) < 1e-15);
        QCOMPARE(ranking.rules.at("a").uses, std::uint64_t{3});
        QVERIFY(std::abs(ranking.weight("a") - 0.225) < 1e-15);  // 0.9 / 4
        QCOMPARE(ranking.weight("b"), 0.2);
        QCOMPARE(ranking.weight("c"), 0.0);
    }

    /// Each step of a stored thread is a use of its rule; runs without one are counted.
    void foldsRuns() {
        const SearchResult result = simplified();
        const std::size_t steps = result.thread.steps.size();
        QVERIFY(result.check.valid && steps > 1);
        RuleRanking expected;
        const std::vector<double> gains = gainsOfSteps(result.costs);
        for (std::size_t i = 0; i < steps; ++i) expected.add(result.thread.steps[i].rule->name(), gains[i]);

        RuleRankingFold fold;
        Run run = runOf(result);
        fold.add(run);
        QCOMPARE(fold.ranking(), expected);
        run.integrity = Integrity::Changed;
        fold.add(run);
        run.integrity = Integrity::Intact;
        run.threadChecked = false;
        fold.add(run);
        run.threadChecked = true;
        run.thread = rewrite::writeThread(*result.bank, result.thread);  // without costs
        fold.add(run);
        run.thread = "(no thread)";
        fold.add(run);
        run.thread = rewrite::writeThread(*result.bank, {result.thread.start, {}, {}}, {1.0}, "ks-2021");
        fold.add(run);
        QCOMPARE(fold.ranking(), expected);
        QCOMPARE(fold.counts().threads, std::uint64_t{1});
        QCOMPARE(fold.counts().steps, std::uint64_t{steps});
        QCOMPARE(fold.counts().unusable, std::uint64_t{4});
        QCOMPARE(fold.counts().empty, std::uint64_t{1});

        const std::string first = result.thread.steps.front().rule->name();
        RuleRankingFold others([&first](const std::string& rule) { return rule != first; });
        others.add(runOf(result));
        QVERIFY(!others.ranking().rules.contains(first));
        QCOMPARE(others.ignoredRules(), std::set<std::string>{first});
        QCOMPARE(others.counts().steps + others.counts().ignored, std::uint64_t{steps});
    }

    void isReadAsWritten() {
        RuleRanking ranking;
        ranking.rules = {{"a~", {1.0 / 3.0, 7}}, {"reversed \"b\"", {0.0, 1}}};
        const Result<RuleRanking> read = readRanking(SourceText("some.json", toText(ranking)));
        QVERIFY(read.ok());
        QCOMPARE(*read, ranking);
        QVERIFY(readRanking(SourceText("some.json", toText({})))->rules.empty());
    }

    void refusesWhatIsNoRanking() {
        QVERIFY(whyNot("{\"mitos-rule-ranking\": 1, \"rul").contains("not JSON, or it was cut off"));
        QVERIFY(whyNot("{\"gain\": 1}").contains("the field \"mitos-rule-ranking\" is missing"));
        QVERIFY(whyNot("[[[[[1]]]]]").contains("nested too deeply"));
        QVERIFY(whyNot("{\"mitos-rule-ranking\": 2}").contains("format 2, and this program reads format 1"));
        QVERIFY(whyNot("{\"mitos-rule-ranking\": 1, \"rules\": 5}").contains("no object \"rules\""));
        const auto entry = [](const char* fields) {
            return whyNot((std::string("{\"mitos-rule-ranking\": 1, \"rules\": {\"r\": ") + fields + "}}").c_str());
        };
        QVERIFY(entry("{\"gain\": 0.5, \"uses\": 3}").isEmpty());
        QVERIFY(entry("{\"gain\": 1.5, \"uses\": 3}").contains("the gain of r"));
        QVERIFY(entry("{\"gain\": -0.5, \"uses\": 3}").contains("the gain of r"));
        QVERIFY(entry("{\"uses\": 3}").contains("the gain of r"));
        QVERIFY(entry("{\"gain\": 0.5, \"uses\": 0}").contains("the uses of r"));
        QVERIFY(entry("{\"gain\": 0.5, \"uses\": 1.5}").contains("the uses of r"));
        QVERIFY(entry("3").contains("the gain of r"));
    }

    /// Three quarters in proportion to the weights 9/11, 8/11 and 7/11 of 10; a quarter for all seven rules.
    void ranksBecomeProbabilities() {
        const auto book =
            *rules::RuleBook::load(MITOS_SOURCE_DIR "/samples/egraphs/phase-order.rules", ks::makeRegistry());
        const auto rules = *egraph::prepareRules(book.directions());
        const Result<RankedRules> ranked = rankRules(m_useful, rules);
        QVERIFY(ranked.ok());
        double sum = 0.0;
        for (std::size_t i = 0; i < rules.size(); ++i) {
            const std::string name = rules[i]->name();
            const double part = name == "unit"      ? 9.0 / 24
                                : name == "cancel"  ? 8.0 / 24
                                : name == "regroup" ? 7.0 / 24
                                                    : 0.0;
            QVERIFY(std::abs(ranked->probabilities[i] - (0.75 * part + 0.25 / 7)) < 1e-12);
            sum += ranked->probabilities[i];
        }
        QVERIFY(std::abs(sum - 1.0) < 1e-12);
        QVERIFY2(ranked->note.starts_with("1 of the 4 rules"), ranked->note.c_str());
        QVERIFY(ranked->note.ends_with("4 of 7 have no rank"));
        QVERIFY(rankRules(m_useless, rules)->note.empty());
        const std::string other = write("other.json", R"({"mitos-rule-ranking": 1, "rules": {}})");
        QCOMPARE(rankRules(other, rules)->probabilities, std::vector<double>(7, 1.0 / 7));
        QVERIFY(!rankRules(m_folder.filePath(QStringLiteral("missing.json")).toStdString(), rules).ok());
    }

    /// With a budget of one, tree search takes the first rule that changes the graph: the one with the highest rank, whatever the seed.
    void theFirstRuleIsTheBestRanked() {
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto useful = RankedPhases().grow(RankedPhases::guided(seed, 1, m_useful));
            QCOMPARE(useful->cost, 1.0);
            QVERIFY(useful->applied.size() >= 3);
            QCOMPARE(std::vector(useful->applied.begin(), useful->applied.begin() + 3),
                     (std::vector<std::string>{"regroup", "cancel", "unit"}));
            const auto useless = RankedPhases().grow(RankedPhases::guided(seed, 1, m_useless));
            QCOMPARE(useless->applied.front(), std::string("commute"));
        }
    }

    /// A good ranking needs few iterations, and enough of them make up for a misleading one. (Of 20 seeds find the term with 4, 8, 16, 64 and 256
    /// iterations: without a ranking 12, 17, 20, 20, 20; with the good one all; with the misleading one 0, 12, 16, 19, 20.)
    void theSearchOverrulesTheRanking() {
        const auto found = [](std::uint32_t budget, const std::string& ranking) {
            int found = 0;
            for (std::uint64_t seed = 1; seed <= 10; ++seed)
                found += RankedPhases().grow(RankedPhases::guided(seed, budget, ranking))->cost == 1.0;
            return found;
        };
        QCOMPARE(found(4, m_useful), 10);
        QVERIFY(found(4, NoRanking) < 10);
        QCOMPARE(found(4, m_useless), 0);
        QCOMPARE(found(256, m_useless), 10);
    }

    /// Where the limit of e-nodes ends an iteration, the rules with the highest ranks were applied: in so few e-nodes a smaller term is found.
    void rulesAreAppliedInRankedOrder() {
        const auto cost = [](std::uint64_t nodes, const std::string& ranking) {
            SaturationPlan plan;
            plan.growth.limits.nodes = nodes;
            plan.ranking = ranking;
            return RankedPhases().grow(plan)->cost;
        };
        QCOMPARE(cost(11, NoRanking), 5.0);
        QCOMPARE(cost(11, m_useful), 3.0);
        QCOMPARE(cost(11, m_useless), 5.0);
        QCOMPARE(cost(15, NoRanking), 3.0);
        QCOMPARE(cost(15, m_useful), 1.0);
        QCOMPARE(cost(15, m_useless), 3.0);
    }

    void aMissingFileEndsTheSearch() {
        const auto missing = RankedPhases().grow(
            RankedPhases::guided(1, 1, m_folder.filePath(QStringLiteral("missing.json")).toStdString()));
        QVERIFY(!missing.ok() && missing.error().message.find("missing.json") != std::string::npos);
        const auto strategy = *findStrategy("saturation");
        QVERIFY(resolveParameters(strategy->info(), {{"ranking", std::string("my.json")}}).ok());
        QVERIFY(!resolveParameters(strategy->info(), {{"ranking", std::string("my.txt")}}).ok());
    }

private:
    std::string write(const char* name, const std::string& text) const {
        const std::string path = m_folder.filePath(QString::fromUtf8(name)).toStdString();
        if (!writeFile(path, text)) qFatal("%s", path.c_str());
        return path;
    }

    QTemporaryDir m_folder;
    std::string m_useful;
    std::string m_useless;
};

MITOS_TEST(TestRuleRanking)

}  // namespace tst_rule_ranking

#include "tst_rule_ranking.moc"
