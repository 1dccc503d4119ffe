// SPDX-License-Identifier: GPL-3.0-or-later
// Gains in the parts of programs, counted by hand under ks-2021 and compared with the value functions themselves.
#include "core/dialects/dialects.h"
#include "core/ir/node_places.h"
#include "core/ir/shared.h"
#include "search/rewriting/gain_map.h"
#include "tests/search/ks_job.h"
#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTest>
#include <cmath>

namespace tst_gain_map {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

constexpr const char* Arithmetic = "ks-simple,ks-folding";
constexpr TimesLeft Steps{1, 30};

Job jobOf(const std::string& text, const char* rules = Arithmetic) { return Job(SourceText("program", text), rules); }

struct Mapped {
    GainMap map;
    ir::NodePlaces places;

    [[nodiscard]] std::size_t node(const ir::Path& path) const { return *places.find(path); }
    [[nodiscard]] double gain(const ir::Path& path, std::uint32_t steps) const {
        return map.gain(node(path), steps).value_or(-1.0);
    }
    [[nodiscard]] double arising(const ir::Path& path, std::uint32_t steps) const {
        return map.arising(node(path), steps).value_or(-1.0);
    }
};

SearchProblem withValue(SearchProblem problem, const char* value) {
    problem.parameters["value"] = std::string(value);
    return problem;
}

Mapped mapped(const SearchProblem& problem, const char* value, const GainLimits& limits = {},
              const ValueInfos& values = allValueFunctions()) {
    Result<GainMap> map = gainMap(values, withValue(problem, value), Steps, limits);
    if (!map) qFatal("%s", map.error().message.c_str());
    ir::NodePlaces places;
    ir::forEachNode(problem.bank, problem.program.root, problem.bank.function(problem.program.function).sharing,
                    [&](const ir::Path& path, ir::TermId) {
                        places.add(path);
                        return true;
                    });
    return {*std::move(map), std::move(places)};
}

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

/// A sum of that many products, as deep.
std::string longSum(int products) {
    std::string text = "(mul x y)";
    for (int i = 1; i < products; ++i) text = "(add (mul x y) " + text + ")";
    return text;
}

/// A balanced sum over 2^levels products.
std::string wideSum(int levels) {
    if (levels == 0) return "(mul x 2.0)";
    const std::string half = wideSum(levels - 1);
    return "(add " + half + " " + half + ")";
}

/// Returns what it is made with, for every program and number of steps.
class Constant final : public ValueFunction {
public:
    explicit Constant(double value) : m_value(value) {}
    [[nodiscard]] std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override {
        return std::vector<double>(roots.size() * times.count(), m_value);
    }

private:
    double m_value;
};

/// The number of distinct nodes.
class NodeCount final : public ValueFunction {
public:
    explicit NodeCount(const ir::TermBank& bank) : m_bank(bank) {}
    [[nodiscard]] std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override {
        std::vector<double> all;
        for (const ir::TermId root : roots)
            all.insert(all.end(), times.count(), static_cast<double>(ir::sharedSize(m_bank, root)));
        return all;
    }

private:
    const ir::TermBank& m_bank;
};

/// Counts calls, and programs with loose variables; 1 for each.
class Closed final : public ValueFunction {
public:
    Closed(const ir::TermBank& bank, int& calls, int& loose) : m_bank(bank), m_calls(calls), m_loose(loose) {}
    [[nodiscard]] std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override {
        ++m_calls;
        for (const ir::TermId root : roots) m_loose += m_bank.looseBound(root) > 0 ? 1 : 0;
        return std::vector<double>(roots.size() * times.count(), 1.0);
    }

private:
    const ir::TermBank& m_bank;
    int& m_calls;
    int& m_loose;
};

}  // namespace

class TestGainMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsWhereSharingPays();
    void agreesWithTheValueFunction_data();
    void agreesWithTheValueFunction();
    void countsHowOftenAPartRuns();
    void marksTheInnermostPlace();
    void heatIsAShareOfTheLargest();
    void knowsEveryNumberOfSteps();
    void closesPartsWithLooseVariables();
    void partsWithoutFiniteNumbersHaveNone();
    void leavesOutWhatIsTooLarge();
    void fillsInParameters();
    void explainsWhatFails();
    void countsNodesOfGraphsOnce();
    void stopsWhenAsked();
};

void TestGainMap::findsWhereSharingPays() {
    // x + y twice: 1 saved, 0.1 for the let.
    const Job job = jobOf("(add (mul (add x y) 2.0) (mul (add x y) 3.0))", "ks-simple");
    const Mapped found = mapped(job.bindingProblem(1), "sharing");
    QCOMPARE(found.map.size(), std::size_t(11));
    QVERIFY(near(found.gain({}, 12), 0.9));
    QVERIFY(near(found.arising({}, 12), 0.9));
    QVERIFY(near(found.map.largest(12), 0.9));
    for (std::size_t node = 1; node < found.map.size(); ++node) {
        QCOMPARE(found.map.gain(node, 12), std::optional(0.0));
        QCOMPARE(found.map.heat(node, 12), std::optional(0.0));
    }
    QCOMPARE(found.map.heat(0, 12), std::optional(1.0));
    QVERIFY(near(found.map.cost(0), 7.0));  // three sums, and two products of 2
    QVERIFY(near(found.map.cost(found.node({0})), 3.0));
    QVERIFY(near(found.map.cost(found.node({0, 0})), 1.0));
}

void TestGainMap::agreesWithTheValueFunction_data() {
    QTest::addColumn<QString>("value");
    for (const char* value : {"sharing", "algebra", "potential"}) QTest::newRow(value) << value;
}

/// The number of the root is the value of the program, for every number of steps.
void TestGainMap::agreesWithTheValueFunction() {
    QFETCH(const QString, value);
    const std::string name = value.toStdString();
    for (const char* sample : {"arithmetic/table6-6.ks", "arithmetic/table6-3.ks", "linear-algebra/gemm.ks"}) {
        const Job job(sample, Arithmetic);
        const Mapped found = mapped(job.problem(1), name.c_str());
        SearchProblem problem = withValue(job.problem(1), name.c_str());
        problem.parameters["discount"] = 1.0;
        const auto direct = *makeValue(allValueFunctions(), problem);
        const std::vector<double> expected = direct->values({&problem.program.root, 1}, Steps);
        for (std::uint32_t steps = Steps.least; steps <= Steps.most; ++steps)
            QVERIFY(near(found.gain({}, steps), expected[steps - Steps.least]));
    }
}

void TestGainMap::countsHowOftenAPartRuns() {
    // exp(v[i]) twice in a loop of 16: 5 for the exponential and the index, 0.1 for the let, in each run.
    const Job job = jobOf(
        "(def f Float ((v : Vec n Float)) (sumbuild n (lam (i : Integer) (mul (exp (index i v)) (exp (index i v))))))",
        "ks-simple");
    const Mapped found = mapped(job.problem(1), "sharing");
    QVERIFY(near(found.gain({}, 12), 16 * 4.9));
    QVERIFY(near(found.gain({1, 0}, 12), 16 * 4.9));
    QVERIFY(!found.map.gain(found.node({1}), 12).has_value());  // a function by itself does not run
    // It arises in the product, not in the loop around it.
    QVERIFY(near(found.arising({1, 0}, 12), 16 * 4.9));
    QCOMPARE(found.arising({}, 12), 0.0);
    QCOMPARE(found.map.large(), std::size_t(0));
}

void TestGainMap::marksTheInnermostPlace() {
    // Only the difference cancels.
    const Job job = jobOf("(exp (add (exp z) (sub (add x (mul y z)) (mul y z))))");
    const Mapped found = mapped(job.problem(1), "algebra");
    QVERIFY(near(found.gain({}, 12), 6.0));  // two products of 2, a sum and a difference
    QVERIFY(near(found.gain({0}, 12), found.gain({}, 12)));
    QVERIFY(near(found.gain({0, 1}, 12), found.gain({}, 12)));
    QCOMPARE(found.arising({}, 12), 0.0);
    QCOMPARE(found.arising({0}, 12), 0.0);
    QVERIFY(near(found.arising({0, 1}, 12), found.gain({}, 12)));
    QCOMPARE(found.gain({0, 0}, 12), 0.0);
    QCOMPARE(found.map.heat(found.node({0, 1}), 12), std::optional(1.0));
}

void TestGainMap::heatIsAShareOfTheLargest() {
    // Units: one operation on the left, two on the right.
    const Job job = jobOf("(add (exp (mul 1.0 x)) (exp (mul 1.0 (mul 1.0 y))))");
    const Mapped found = mapped(job.problem(1), "algebra");
    const double left = found.gain({0}, 12);
    const double right = found.gain({1}, 12);
    QVERIFY(left > 0.0);
    QVERIFY(near(right, 2 * left));
    QVERIFY(near(*found.map.heat(found.node({0, 0}), 12), left / found.map.largest(12)));
    for (std::size_t node = 0; node < found.map.size(); ++node) {
        QVERIFY(*found.map.heat(node, 12) >= 0.0);
        QVERIFY(*found.map.heat(node, 12) <= 1.0);
    }
}

void TestGainMap::knowsEveryNumberOfSteps() {
    // Two steps to bind, three to lift, one to merge.
    const Job job = jobOf("(div (mul x y) (add 1.0 (mul x y)))");
    const Mapped found = mapped(job.problem(1), "sharing");
    QCOMPARE(found.gain({}, 5), 0.0);
    QCOMPARE(found.map.largest(5), 0.0);
    QCOMPARE(found.map.heat(0, 5), std::optional(0.0));
    QVERIFY(near(found.gain({}, 6), 1.9));
    QVERIFY(near(found.gain({}, 12), 1.9));
}

void TestGainMap::closesPartsWithLooseVariables() {
    int calls = 0;
    int loose = 0;
    const ValueInfos values = {
        {"closed", "one", [&](const SearchProblem& problem) -> Result<std::unique_ptr<ValueFunction>> {
             return std::unique_ptr<ValueFunction>(std::make_unique<Closed>(problem.bank, calls, loose));
         }}};
    const Job job("linear-algebra/gemm.ks", "ks-simple");
    const Mapped found = mapped(job.problem(1), "closed", {}, values);
    QCOMPARE(calls, 1);
    QCOMPARE(loose, 0);
    // Within lets and loops, too, the number of the part with loose variables is that of its runs.
    const Job let = jobOf("(let (t (exp x)) (add t (mul t y)))");
    const Mapped small = mapped(let.problem(1), "closed", {}, values);
    for (std::size_t node = 0; node < small.map.size(); ++node) QCOMPARE(small.map.gain(node, 1), std::optional(1.0));
    // The variable is one value: what is in common in the body is found, though the body alone does not bind it.
    const Job body = jobOf("(let (t (exp x)) (div (mul t y) (add 1.0 (mul t y))))");
    QVERIFY(near(mapped(body.problem(1), "sharing").gain({1}, 12), 1.9));
}

void TestGainMap::partsWithoutFiniteNumbersHaveNone() {
    const auto constant = [](double value) {
        return ValueInfos{
            {"constant", "the same", [value](const SearchProblem&) -> Result<std::unique_ptr<ValueFunction>> {
                 return std::unique_ptr<ValueFunction>(std::make_unique<Constant>(value));
             }}};
    };
    const Job job = jobOf("(add x y)");
    const Mapped none = mapped(job.problem(1), "constant", {}, constant(std::nan("")));
    QVERIFY(!none.map.gain(0, 1).has_value());
    QVERIFY(!none.map.heat(0, 1).has_value());
    QCOMPARE(none.map.largest(1), 0.0);
    QCOMPARE(mapped(job.problem(1), "constant", {}, constant(-3.0)).gain({}, 1), 0.0);
    // Each operand can gain as much as the whole, which adds nothing.
    const Mapped same = mapped(job.problem(1), "constant", {}, constant(2.0));
    QCOMPARE(same.gain({}, 1), 2.0);
    QCOMPARE(same.arising({}, 1), 0.0);
    QCOMPARE(same.arising({0}, 1), 2.0);
}

void TestGainMap::leavesOutWhatIsTooLarge() {
    const Job job = jobOf(longSum(100), "ks-simple");
    const Mapped found = mapped(job.bindingProblem(1), "sharing", {.part = 43});
    QVERIFY(!found.map.gain(0, 12).has_value());
    QCOMPARE(found.map.large(), std::size_t(89));  // 99 sums, of which the innermost ten have at most 43 nodes
    QVERIFY(found.map.gain(found.map.size() - 43, 12).has_value());
    // Parts beyond the work for all of them, the largest first: x, y and x * y remain.
    const Mapped few = mapped(job.bindingProblem(1), "sharing", {.allParts = 5});
    QCOMPARE(few.map.large(), std::size_t(99));
    // Large programs take a moment.
    for (const std::string& text : {wideSum(11), longSum(2500)}) {
        const Job large = jobOf(text, "ks-simple");
        QElapsedTimer timer;
        timer.start();
        const Mapped whole = mapped(large.bindingProblem(1), "potential");
        qInfo("%zu nodes: %lld ms", whole.map.size(), static_cast<long long>(timer.elapsed()));
        QVERIFY(whole.map.size() > 8000);
    }
}

void TestGainMap::fillsInParameters() {
    ParameterValues seen;
    const ValueInfos values = {
        {"mine",
         "one",
         [&seen](const SearchProblem& problem) -> Result<std::unique_ptr<ValueFunction>> {
             seen = problem.parameters;
             return std::unique_ptr<ValueFunction>(std::make_unique<Constant>(1.0));
         },
         {{.name = "model", .title = "Model", .help = "A file.", .defaultValue = std::string("usual")},
          {.name = "discount", .title = "Discount", .help = "", .defaultValue = 0.5}}}};
    const Job job = jobOf("(add x y)");
    SearchProblem problem = job.problem(1);
    QVERIFY(gainMap(values, withValue(problem, "mine"), Steps).ok());
    QCOMPARE(std::get<std::string>(seen.at("model")), std::string("usual"));
    QCOMPARE(std::get<double>(seen.at("discount")), 1.0);  // gains are differences of costs
    problem.parameters = {{"model", std::string("other")}, {"discount", 0.9}};
    QVERIFY(gainMap(values, withValue(problem, "mine"), Steps).ok());
    QCOMPARE(std::get<std::string>(seen.at("model")), std::string("other"));
    QCOMPARE(std::get<double>(seen.at("discount")), 0.9);
}

void TestGainMap::explainsWhatFails() {
    const Job job = jobOf("(add x y)");
    const auto message = [](const Result<GainMap>& map) { return map ? std::string("none") : map.error().oneLine(); };
    QCOMPARE(message(gainMap(allValueFunctions(), withValue(job.problem(1), "learnt"), Steps)),
             "there is no value function \"learnt\"");
    QCOMPARE(message(gainMap(allValueFunctions(), withValue(job.problem(1), "sharing"), Steps, {.nodes = 2})),
             "The program has 3 nodes; gains are estimated for at most 2.");
    const ValueInfos broken = {{"broken", "none", [](const SearchProblem&) -> Result<std::unique_ptr<ValueFunction>> {
                                    return inputError("The model m.model is damaged.", "");
                                }}};
    QCOMPARE(message(gainMap(broken, withValue(job.problem(1), "broken"), Steps)), "The model m.model is damaged.");
}

/// Estimates for trees say nothing of graphs; another function's numbers are those of nodes.
void TestGainMap::countsNodesOfGraphsOnce() {
    ir::TermBank bank(dialects::makeRegistry());
    const ir::Program program = *dialects::parseProgram(
        bank, "test", "graph f(x: f32[64,64])\n  s = Relu(x)\n  t = Tanh(s)\n  return Add(Mul(s, t), s)\n");
    const SearchProblem problem{bank, program, {}, *cost::findCostModel("roofline"), {}, 1, {}};
    const Result<GainMap> sharing = gainMap(allValueFunctions(), withValue(problem, "sharing"), Steps);
    QVERIFY(!sharing.ok());
    QCOMPARE(sharing.error().code, ErrorCode::Unsupported);
    QCOMPARE(sharing.error().message,
             std::string("The value function sharing has no estimates for programs of this kind."));
    const ValueInfos values = {
        {"size", "the nodes", [](const SearchProblem& given) -> Result<std::unique_ptr<ValueFunction>> {
             return std::unique_ptr<ValueFunction>(std::make_unique<NodeCount>(given.bank));
         }}};
    const Mapped found = mapped(problem, "size", {}, values);
    QCOMPARE(found.map.size(), std::size_t(5));  // Add, Mul, Relu, x, Tanh
    QCOMPARE(found.gain({}, 1), 5.0);
    QCOMPARE(found.gain({0}, 1), 4.0);
    QCOMPARE(found.gain({0, 0}, 1), 2.0);
    QCOMPARE(found.gain({0, 1}, 1), 3.0);
    QCOMPARE(found.arising({0, 1}, 1), 1.0);
    QCOMPARE(found.arising({0}, 1), 0.0);  // its operands can gain 5 by themselves
}

void TestGainMap::stopsWhenAsked() {
    const Job job = jobOf(longSum(1000), "ks-simple");
    std::stop_source stop;
    int reports = 0;
    const Result<GainMap> map = gainMap(allValueFunctions(), withValue(job.bindingProblem(1), "sharing"), Steps, {},
                                        stop.get_token(), [&](double) {
                                            ++reports;
                                            stop.request_stop();
                                        });
    QVERIFY(!map.ok());
    QCOMPARE(map.error().code, ErrorCode::Cancelled);
    QCOMPARE(reports, 1);
}

MITOS_TEST(TestGainMap)

}  // namespace tst_gain_map

#include "tst_gain_map.moc"
