// SPDX-License-Identifier: GPL-3.0-or-later
// Exports of random programs, compiled with both sanitizers: they compute what the evaluator does, fail where it fails, and stay in bounds.
#include "core/autodiff/derivative.h"
#include "tests/codegen/batch.h"
#include "tests/support/edge_programs.h"
#include "tests/support/random_programs.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tst_codegen_random {

using namespace mitos;
using tests::Case;

namespace {

constexpr int Programs = 500;
constexpr int ProgramsPerFile = 100;

/// Most inputs have the sizes with which most programs have a value; others are empty, of any sizes, or ragged.
std::vector<eval::InputOptions> inputOptions() {
    using eval::Region;
    std::vector<eval::InputOptions> all;
    for (const Region region : {Region::Plain, Region::Zero, Region::Mixed, Region::Infinite, Region::NotANumber,
                                Region::Wide, Region::Tiny}) {
        all.push_back({.minSize = 2, .maxSize = 2, .region = region});
    }
    for (const std::int64_t size : {0, 1, 3}) all.push_back({.minSize = size, .maxSize = size});
    for (int i = 0; i < 4; ++i) all.push_back({.minSize = 0, .isRagged = i % 2 == 1});
    return all;
}

/// Sizes up to above the usual offsets from an index.
std::vector<eval::InputOptions> edgeOptions() {
    using eval::Region;
    std::vector<eval::InputOptions> all;
    for (const Region region : {Region::Plain, Region::Wide, Region::Infinite}) {
        all.push_back({.minSize = 0, .maxSize = 9, .region = region});
    }
    for (const std::int64_t size : {0, 1, 2, 20}) all.push_back({.minSize = size, .maxSize = size});
    return all;
}

void add(std::vector<Case>& cases, const ir::TermBank& bank, const ir::Program& program, const std::string& name,
         const std::vector<eval::InputOptions>& all, Random& random) {
    const eval::Limits limits{.steps = 200'000, .bytes = 16U << 20U};
    Case made = tests::exported(bank, program, name);
    for (const eval::InputOptions& options : all) {
        const Result<eval::Inputs> inputs = eval::randomInputs(bank, bank.function(program.function), random, options);
        QVERIFY(inputs.ok());
        for (const tests::Run& run : tests::evaluated(bank, program, *inputs, limits)) made.runs.push_back(run);
    }
    cases.push_back(std::move(made));
}

/// The program and, every second time, its gradient or derivative.
void addWithDerivative(std::vector<Case>& cases, int number, Random& random) {
    const std::string text = tests::randomProgram(number, random, 40);
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "random.ks", text);
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    add(cases, bank, *program, text, inputOptions(), random);
    if (number % 4 > 1) return;
    const std::vector<std::size_t> real{0, 1, 3};
    const Result<ir::FunctionId> derived =
        bank.type(program->root) == bank.types().floating()
            ? autodiff::gradient(bank, program->function, real)
            : autodiff::derive(bank, autodiff::Direction::Reverse, program->function);
    if (derived)
        add(cases, bank, {*derived, bank.function(*derived).body}, "derivative of " + text, inputOptions(), random);
}

}  // namespace

class TestCodegenRandom : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void programsStayInBounds_data();
    void programsStayInBounds();
    void loopsWithEdgesStayInBounds();
};

void TestCodegenRandom::programsStayInBounds_data() {
    QTest::addColumn<int>("first");
    for (int i = 0; i < Programs; i += ProgramsPerFile) QTest::newRow(qPrintable(QString::number(i))) << i;
}

void TestCodegenRandom::programsStayInBounds() {
    QFETCH(const int, first);
    Random random(static_cast<std::uint64_t>(first) + 1);
    std::vector<Case> cases;
    for (int i = first; i < first + ProgramsPerFile; ++i) addWithDerivative(cases, i, random);
    std::size_t values = 0;
    std::size_t failures = 0;
    for (const Case& c : cases) {
        for (const tests::Run& run : c.runs) ++(run.fails() ? failures : values);
    }
    QVERIFY2(values > 10 * cases.size() && failures > cases.size(), fmt::format("{} {}", values, failures).c_str());
    const std::string difference = tests::difference(cases, tests::sanitized());
    QVERIFY2(difference.empty(), difference.c_str());
}

void TestCodegenRandom::loopsWithEdgesStayInBounds() {
    constexpr int Loops = 150;
    Random random(5);
    std::vector<Case> cases;
    for (int i = 0; i < Loops; ++i) {
        const std::string text = tests::programOfEdges(random);
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(bank, "edges.ks", text);
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        add(cases, bank, *program, text, edgeOptions(), random);
    }
    QVERIFY(std::ranges::count_if(
                cases, [](const Case& c) { return c.source.find("std::clamp<") != std::string::npos; }) > Loops / 4);
    const std::string difference = tests::difference(cases, tests::sanitized());
    QVERIFY2(difference.empty(), difference.c_str());
}

MITOS_TEST(TestCodegenRandom)

}  // namespace tst_codegen_random

#include "tst_codegen_random.moc"
