// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices as exported C++: values at sizes within, at and beyond blocks, of matrices and of their columns.
#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/codegen/cpp.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

namespace tst_products {

using namespace mitos;

namespace {

/// A · B, A · Bᵀ, Aᵀ · B or Aᵀ · Bᵀ.
std::string program(bool isLeftTransposed, bool isRightTransposed) {
    const char* const a = isLeftTransposed ? "(index i (index k a))" : "(index k (index i a))";
    const char* const b = isRightTransposed ? "(index k (index j b))" : "(index j (index k b))";
    return fmt::format(
        "(def p (Vec (Vec Float)) ((a : Vec (Vec Float)) (b : Vec (Vec Float)) (n : Integer) (l : "
        "Integer) (m : Integer)) (build n (lam (i : Integer) (build m (lam (j : Integer) (sumbuild l (lam (k : "
        "Integer) (mul {} {}))))))))",
        a, b);
}

/// Compares with plain loops, at all sizes; elements of rows beyond the sizes are not numbers.
constexpr const char* Main = R"(
#include <cmath>
#include <cstdio>
#include <initializer_list>

std::vector<std::vector<double>> matrix(std::int64_t rows, std::int64_t columns, double seed) {
    std::vector<std::vector<double>> made(static_cast<std::size_t>(rows) + 1);
    for (auto& row : made) {
        for (std::int64_t j = 0; j < columns; ++j) row.push_back(std::sin(seed += 1.37));
        row.push_back(std::nan(""));
    }
    for (double& e : made.back()) e = std::nan("");
    return made;
}

int main() {
    for (const std::int64_t n : {1, 8, 13}) {
        for (const std::int64_t l : {1, 128, 131}) {
            for (const std::int64_t m : {1, 32, 37}) {
                const auto a = LEFT ? matrix(l, n, 0.7) : matrix(n, l, 0.7);
                const auto b = RIGHT ? matrix(m, l, 0.9) : matrix(l, m, 0.9);
                const auto made = p(a, b, n, l, m);
                for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
                    for (std::size_t j = 0; j < static_cast<std::size_t>(m); ++j) {
                        double sum = 0.0;
                        for (std::size_t k = 0; k < static_cast<std::size_t>(l); ++k) sum += (LEFT ? a[k][i] : a[i][k]) * (RIGHT ? b[j][k] : b[k][j]);
                        if (!(made[i][j] == sum)) return std::printf("%d %d %d: %g, not %g\n", int(n), int(l), int(m), made[i][j], sum), 1;
                    }
                }
            }
        }
    }
    if (!p({}, {}, 0, 3, 3).empty() || p({{}, {}}, {}, 2, 3, 0).size() != 2) return 1;
    std::printf("same\n");
}
)";

}  // namespace

class TestProducts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void valuesAreThoseOfPlainLoops_data();
    void valuesAreThoseOfPlainLoops();
};

void TestProducts::valuesAreThoseOfPlainLoops_data() {
    QTest::addColumn<bool>("isLeftTransposed");
    QTest::addColumn<bool>("isRightTransposed");
    QTest::addColumn<QString>("call");
    QTest::newRow("rows, columns") << false << false << "ks::addProduct(result, a, b, n, l, m);";
    QTest::newRow("rows, rows") << false << true << "ks::addProduct(result, a, ks::Transposed{b}, n, l, m);";
    QTest::newRow("columns, columns") << true << false << "ks::addProduct(result, ks::Transposed{a}, b, n, l, m);";
    QTest::newRow("columns, rows") << true << true
                                   << "ks::addProduct(result, ks::Transposed{a}, ks::Transposed{b}, n, l, m);";
}

/// Without contraction of operations, values are the same to the last bit.
void TestProducts::valuesAreThoseOfPlainLoops() {
    QFETCH(const bool, isLeftTransposed);
    QFETCH(const bool, isRightTransposed);
    QFETCH(const QString, call);
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> read = ks::parseProgram(bank, "-", program(isLeftTransposed, isRightTransposed));
    QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
    const Result<std::string> cpp = codegen::emitCpp(bank, *read);
    QVERIFY2(cpp.ok(), cpp ? "" : cpp.error().message.c_str());
    QVERIFY2(cpp->find(call.toStdString()) != std::string::npos, cpp->c_str());
    const Result<TemporaryFolder> folder = TemporaryFolder::make();
    QVERIFY(writeFile(folder->path() + "/main.cpp", *cpp + Main).ok());
    ChildOptions child;
    child.folder = folder->path();
    const Result<ChildOutput> compiled =
        runChild({"c++", "-std=c++17", "-O2", "-ffp-contract=off", "-fsanitize=address,undefined",
                  "-fno-sanitize-recover=all", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
                  fmt::format("-DLEFT={}", isLeftTransposed ? 1 : 0),
                  fmt::format("-DRIGHT={}", isRightTransposed ? 1 : 0), "main.cpp", "-o", "main"},
                 child);
    QVERIFY2(compiled->exitStatus == 0, compiled->errors.c_str());
    const Result<ChildOutput> run = runChild({folder->path() + "/main"}, child);
    QCOMPARE(run->output + run->errors, std::string("same\n"));
}

MITOS_TEST(TestProducts)

}  // namespace tst_products

#include "tst_products.moc"
