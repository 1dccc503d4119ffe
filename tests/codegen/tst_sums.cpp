// SPDX-License-Identifier: GPL-3.0-or-later
// Sums as exported C++, in eight parts and in order: values at sizes within, at and beyond eight.
#include "core/dialects/dialects.h"
#include "core/ks/module.h"
#include "tests/codegen/batch.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <cmath>
#include <limits>

namespace tst_sums {

using namespace mitos;

namespace {

constexpr const char* Program =
    "(def f (Tuple Float Float Float Integer) ((v : Vec n Float) (w : Vec n Float)) (let (s (sumbuild n (lam (i : "
    "Integer) (let (d (sub (index i v) (index i w))) (mul d d))))) (tuple s (sum v) (dot v w) n)))";

eval::Value vectorOf(std::size_t n, double (*element)(std::size_t)) {
    std::vector<eval::Value> elements;
    for (std::size_t i = 0; i < n; ++i) elements.emplace_back(element(i));
    return eval::Value(eval::TensorValue{{static_cast<std::int64_t>(n)}, std::move(elements)});
}

}  // namespace

class TestSums : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void valuesAreThoseOfTheEvaluator();
    void theTextIsTheSame();
};

/// Sums of whole numbers are the same in any order. Negative zeros stay, and what is no number.
void TestSums::valuesAreThoseOfTheEvaluator() {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "f.ks", Program);
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    std::vector<tests::Run> runs;
    const auto add = [&](std::size_t n, double (*v)(std::size_t), double (*w)(std::size_t)) {
        const eval::Inputs inputs{{vectorOf(n, v), vectorOf(n, w)}, {}};
        for (tests::Run& run : tests::evaluated(bank, *program, inputs, {.steps = 100'000})) runs.push_back(run);
    };
    const auto whole = [](std::size_t i) { return static_cast<double>(i * 7919 % 1009) - 500.0; };
    const auto other = [](std::size_t i) { return static_cast<double>(i * 104729 % 211); };
    const auto minusZero = [](std::size_t) { return -0.0; };
    const auto infinite = [](std::size_t i) { return i == 3 ? std::numeric_limits<double>::infinity() : 1.0; };
    for (const std::size_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 100, 1001}) add(n, whole, other);
    for (const std::size_t n : {1, 2, 8, 20}) add(n, minusZero, whole);
    for (const std::size_t n : {5, 8, 20}) add(n, infinite, whole);
    QCOMPARE(runs.size(), std::size_t(18));
    QVERIFY(runs[0].fails() && !runs[1].fails());
    QVERIFY2(runs[11].expected.find(" -0 ") != std::string::npos, runs[11].expected.c_str());
    std::vector<tests::Case> cases{tests::exported(bank, *program, "in parts", codegen::Sums::InParts),
                                   tests::exported(bank, *program, "in order", codegen::Sums::InOrder)};
    for (tests::Case& each : cases) each.runs = runs;
    const std::string wrong = tests::difference(cases, tests::sanitized());
    QVERIFY2(wrong.empty(), wrong.c_str());
}

/// The helper that is called is another one.
void TestSums::theTextIsTheSame() {
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "f.ks", Program);
    for (const codegen::Sums sums : {codegen::Sums::InParts, codegen::Sums::InOrder}) {
        const std::string text = tests::exported(bank, *program, "", sums).source;
        const bool hasParts = text.find("double parts[8] = {};") != std::string::npos;
        QCOMPARE(hasParts, sums == codegen::Sums::InParts);
        const std::string expected = R"(    const double s = ks::sumOf(n, [&](std::int64_t i) {
        const double d = v[i] - ks::at(w, i);
        return d * d;
    });
)";
        QVERIFY2(text.find(expected) != std::string::npos, text.c_str());
    }
}

MITOS_TEST(TestSums)

}  // namespace tst_sums

#include "tst_sums.moc"
