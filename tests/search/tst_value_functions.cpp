// SPDX-License-Identifier: GPL-3.0-or-later
// What strategies pass to value functions: their parameters, and programs in batches. Searches of graphs of numbers, followed by hand.
#include "tests/search/graph_world.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>
#include <algorithm>

namespace tst_value_functions {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

/// Is 0, and records how many programs it gets at once, and which.
class Batches final : public ValueFunction {
public:
    struct Record {
        std::vector<std::size_t> sizes = {};
        std::vector<std::int64_t> numbers = {};
    };
    Batches(const ir::TermBank& bank, std::size_t least, std::size_t most, Record& record)
        : m_bank(bank),
          m_least(least),
          m_most(most),
          m_record(record) {}
    std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override {
        m_record.sizes.push_back(roots.size());
        for (const ir::TermId root : roots) m_record.numbers.push_back(numberOf(m_bank, root));
        return std::vector<double>(roots.size() * times.count());
    }
    [[nodiscard]] std::size_t batch() const override { return m_most; }
    [[nodiscard]] std::size_t leastBatch() const override { return m_least; }

private:
    const ir::TermBank& m_bank;
    std::size_t m_least;
    std::size_t m_most;
    Record& m_record;
};

ValueInfos batches(std::size_t least, std::size_t most, Batches::Record& record) {
    return {{"potential", "0", [=, &record](const SearchProblem& problem) {
                 return Result(
                     std::unique_ptr<ValueFunction>(std::make_unique<Batches>(problem.bank, least, most, record)));
             }}};
}

}  // namespace

class TestValueFunctions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void strategiesTakeTheParametersOfValueFunctions();
    void statesAreExpandedUntilABatchIsFull();
    void aShorterPathReplacesAStateThatWaitsForItsValue();
};

void TestValueFunctions::strategiesTakeTheParametersOfValueFunctions() {
    const auto namesOf = [](const Strategy& strategy) {
        std::vector<std::string> names;
        for (const ParameterInfo& parameter : strategy.info().parameters) names.push_back(parameter.name);
        return names;
    };
    QCOMPARE(namesOf(*makeAStar()), (std::vector<std::string>{"depth", "value", "discount", "model"}));
    ParameterValues seen;
    const ParameterInfo model{.name = "model", .title = "Model", .help = "", .defaultValue = std::string("usual")};
    const auto recorded = [&seen](const SearchProblem& problem) -> Result<std::unique_ptr<ValueFunction>> {
        seen = problem.parameters;
        return std::unique_ptr<ValueFunction>(std::make_unique<ZeroValue>());
    };
    const ValueInfos values{
        {"zero", "none", recorded}, {"one", "1", recorded, {model}}, {"two", "2", recorded, {model}}};
    const std::unique_ptr<Strategy> strategies[] = {makeMcts(values), makeGreedy(values), makeBeam(values)};
    for (const auto& strategy : strategies) {
        const std::vector<std::string> names = namesOf(*strategy);
        QCOMPARE(names[names.size() - 2], std::string("value"));
        QCOMPARE(names.back(), std::string("model"));
        Budget budget;
        budget.evaluations = 5;
        searched(*strategy, endlessTree().problem(budget, {{"value", std::string("two")}}));
        QCOMPARE(std::get<std::string>(seen.at("model")), std::string("usual"));
        searched(*strategy,
                 endlessTree().problem(budget, {{"value", std::string("two")}, {"model", std::string("m")}}));
        QCOMPARE(std::get<std::string>(seen.at("model")), std::string("m"));
        QVERIFY(!resolveParameters(strategy->info(), {{"discount", 0.5}}).ok());
    }
}

/// A binary tree whose numbers cost themselves, down to 14: the cheapest comes first.
void TestValueFunctions::statesAreExpandedUntilABatchIsFull() {
    const GraphWorld tree{
        0,
        [](std::int64_t n) {
            return n < 7 ? std::vector<std::int64_t>{2 * n + 1, 2 * n + 2} : std::vector<std::int64_t>();
        },
        [](std::int64_t n) { return static_cast<double>(n + 1); }};
    using Sizes = std::vector<std::size_t>;
    const auto sizes = [&](std::size_t least, std::size_t most) {
        Batches::Record record;
        const SearchResult found = searched(*makeAStar(batches(least, most, record)), tree.problem());
        QTest::qCompare(found.statistics.evaluations, std::uint64_t{15}, "evaluations", "15", __FILE__, __LINE__);
        return record.sizes;
    };
    QCOMPARE(sizes(1, 16), (Sizes{1, 2, 2, 2, 2, 2, 2, 2}));
    // 0; its successors 1 and 2; those of 1 and 2; those of 3 and 4; those of 5 and 6.
    QCOMPARE(sizes(4, 16), (Sizes{1, 2, 4, 4, 4}));
    // Three states for at least five; the last has no others beside it.
    QCOMPARE(sizes(5, 16), (Sizes{1, 2, 4, 6, 2}));
    QCOMPARE(sizes(100, 16), (Sizes{1, 2, 4, 8}));
    QCOMPARE(sizes(100, 3), (Sizes{1, 2, 3, 1, 3, 3, 2}));
    QCOMPARE(sizes(1, 1), Sizes(15, 1));
}

/// From 0 by 1 and 3 to 4 in three steps, by 2 in two. Of the open states 3, 2 and 6, the best two are expanded for a batch of two: 4 is
/// reached with two steps left, then with three, and waits only once. One by one, 4 is valued with each of both times.
void TestValueFunctions::aShorterPathReplacesAStateThatWaitsForItsValue() {
    const GraphWorld world = worldOf({{0, {1, 2}}, {1, {3, 6}}, {2, {4}}, {3, {4}}, {4, {5}}},
                                     {{0, 10.0}, {1, 1.0}, {2, 9.0}, {3, 2.0}, {4, 8.0}, {5, 0.5}, {6, 9.5}});
    for (const auto& [least, times] : {std::pair{std::size_t{1}, 2}, std::pair{std::size_t{2}, 1}}) {
        Batches::Record record;
        const SearchResult found =
            searched(*makeAStar(batches(least, 16, record)), world.problem({}, {{"depth", std::int64_t{5}}}));
        QCOMPARE(numbersOf(found), (std::vector<std::int64_t>{0, 2, 4, 5}));
        QCOMPARE(std::ranges::count(record.numbers, 4), std::ptrdiff_t{times});
    }
}

MITOS_TEST(TestValueFunctions)

}  // namespace tst_value_functions

#include "tst_value_functions.moc"
