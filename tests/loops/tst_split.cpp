// SPDX-License-Identifier: GPL-3.0-or-later
// Loops whose ranges are split, or that keep a value for the next iteration, give the same values, bit for bit, and fail where they
// failed before.
#include "core/eval/samples.h"
#include "core/loops/interpreter.h"
#include "core/loops/text.h"
#include "tests/loops/lowered.h"
#include "tests/support/edge_programs.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tst_split {

using namespace mitos;
using tests::Lowered;

namespace {

bool areSame(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether two Floats, or vectors of them, are the same, bit for bit.
bool areSame(const eval::Value& a, const eval::Value& b) {
    if (a.isFloat()) return areSame(a.asFloat(), b.asFloat());
    return std::ranges::equal(a.asTensor().elements, b.asTensor().elements,
                              [](const eval::Value& left, const eval::Value& right) { return areSame(left, right); });
}

/// Sizes from none to more than all offsets, and numbers of all kinds.
std::vector<eval::InputOptions> inputOptions() {
    using eval::Region;
    std::vector<eval::InputOptions> all;
    for (const Region region : {Region::Plain, Region::Zero, Region::Wide, Region::Infinite, Region::NotANumber}) {
        all.push_back({.minSize = 0, .maxSize = 12, .region = region});
    }
    for (const std::int64_t size : {0, 1, 2, 20}) all.push_back({.minSize = size, .maxSize = size});
    for (int i = 0; i < 4; ++i) all.push_back({.minSize = 0, .maxSize = 20});
    return all;
}

}  // namespace

class TestSplit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void valuesStayTheSame();
};

void TestSplit::valuesStayTheSame() {
    constexpr int Programs = 400;
    int split = 0;
    int carried = 0;
    int failures = 0;
    int values = 0;
    Random random(3);
    for (int i = 0; i < Programs; ++i) {
        const std::string text = tests::programOfEdges(random);
        const Lowered lowered(text);
        const Result<loops::Program> before = loops::lower(lowered.bank, lowered.program, {.isOptimized = false});
        QVERIFY(before.ok());
        const std::string form = loops::text(lowered.bank, lowered.form);
        split += form.find("clamp(") != std::string::npos ? 1 : 0;
        carried += form.find("right := ") != std::string::npos ? 1 : 0;
        for (const eval::InputOptions& options : inputOptions()) {
            const ir::Function& function = lowered.bank.function(lowered.program.function);
            const Result<eval::Inputs> inputs = eval::randomInputs(lowered.bank, function, random, options);
            QVERIFY(inputs.ok());
            const std::string at = text + " at " + eval::describeInputs(lowered.bank, function, *inputs);
            const Result<loops::Interpretation> wanted = loops::interpret(lowered.bank, *before, *inputs);
            const Result<loops::Interpretation> run = loops::interpret(lowered.bank, lowered.form, *inputs);
            QVERIFY2(run.ok() == wanted.ok(), (at + (run ? "" : run.error().message)).c_str());
            QCOMPARE(run.ok(), eval::evaluate(lowered.bank, lowered.program, *inputs).ok());
            ++(run ? values : failures);
            if (!run) continue;
            QVERIFY2(areSame(run->value, wanted->value),
                     fmt::format("{}: {} instead of {}", at, eval::toString(run->value), eval::toString(wanted->value))
                         .c_str());
        }
    }
    qInfo("of %d programs, %d were split and %d carry a value; %d values, %d failures", Programs, split, carried,
          values, failures);
    QVERIFY(split > Programs / 4);
    QVERIFY(carried > Programs / 40);
    QVERIFY(failures > values / 20);
}

MITOS_TEST(TestSplit)

}  // namespace tst_split

#include "tst_split.moc"
