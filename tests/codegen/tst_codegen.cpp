// SPDX-License-Identifier: GPL-3.0-or-later
// C++ from ks: its form, alone and linked with other code.
#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/codegen/cpp.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/codegen/gemm.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

namespace tst_codegen {

using namespace mitos;
using mitos::tests::Gemm;

class TestCodegen : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void gemmReadsLikeC();
    void tablesAndPairsTakeNoMemory();
    void sumsOfVectorsAreAddedUpInPlace();
    void rowsAreAddedUpWhereAConditionHolds();
    void productsAreLoopsOrCallsOfEigen();
    void bareExpression();
    void commentsCannotEscape();
    void namesAreValid();
    void whatHasNoCppIsNamed_data();
    void whatHasNoCppIsNamed();
    void testMainRuns();
    void twoFilesAreLinkedIntoOneProgram();
    void longChainsOfCallsAreWritten();
};

void TestCodegen::gemmReadsLikeC() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "gemm.ks", Gemm);
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<std::string> text = codegen::emitCpp(bank, *program);
    QVERIFY2(text.ok(), text ? "" : text.error().message.c_str());
    const std::string expected =
        R"(std::vector<std::vector<double>> gemm(double alpha, const std::vector<std::vector<double>>& a,
        const std::vector<std::vector<double>>& b, double beta, const std::vector<std::vector<double>>& c) {
    const std::int64_t n = ks::size(a);
    const std::int64_t l = a.empty() ? 0 : ks::size(a[0]);
    const std::int64_t m = b.empty() ? 0 : ks::size(b[0]);
    std::vector<std::vector<double>> result(n, std::vector<double>(m));
    ks::require(n == 0 || m == 0 || l > 0, "sumbuild needs a size above 0");
    ks::addProduct(result, a, b, n, l, m);
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < m; ++j) {
            result[i][j] = alpha * result[i][j] + beta * ks::at(c, i, j);
        }
    }
    return result;
}
)";
    QVERIFY2(text->ends_with(expected), text->c_str());
}

/// A vector that is only read by elements is an array, and a tuple that is only projected does not exist.
void TestCodegen::tablesAndPairsTakeNoMemory() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(
        bank, "f.ks",
        "(def f Float ((v : Vec Float) (k : Integer)) (let (t (Vec_init 0.5 2.0 4.0)) (let (p (tuple (index 0 v) "
        "(tuple k (exp (index k t))))) (let (q (get$2$2 p)) (mul (get$1$2 p) (mul (get$2$2 q) (to_float (get$1$2 "
        "q))))))))");
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<std::string> text = codegen::emitCpp(bank, *program);
    QVERIFY2(text.ok(), text ? "" : text.error().message.c_str());
    const std::string expected =
        R"(double f(const std::vector<double>& v, std::int64_t k) {
    const std::array<double, 3> t{{0.5, 2.0, 4.0}};
    const double p_1 = ks::at(v, 0);
    const double p_2_2 = std::exp(ks::at(t, k));
    return p_1 * (p_2_2 * static_cast<double>(k));
}
)";
    QVERIFY2(text->find(expected) != std::string::npos, text->c_str());
    QVERIFY(text->find("#include <array>") != std::string::npos);
}

void TestCodegen::sumsOfVectorsAreAddedUpInPlace() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(
        bank, "sums.ks",
        "(def f (Tuple (Vec Float) (Vec Float)) ((x : Vec n (Vec k Float)) (v : Vec k Float)) (let ((s (ts_add (build "
        "k "
        "(lam (j : Integer) (mul 2.0 (index j v)))) (if (gt n 0) (sumbuild n (lam (i : Integer) (build k (lam (j : "
        "Integer) (index j (index i x)))))) (constVec k 0.0)))) (d (buildFromSparseTupled (tuple (constVec k (tuple)) "
        "(constVec k (tuple))) k (lam (j : Integer) (tuple (tuple j (index j v)) (tuple 0 1.0)))))) "
        "(tuple s (ts_add (get$2$2 d) (get$1$2 d)))))");
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<std::string> text = codegen::emitCpp(bank, *program);
    QVERIFY2(text.ok(), text ? "" : text.error().message.c_str());
    const std::string expected =
        R"(    std::vector<double> s(k);
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < k; ++j) {
            s[j] += ks::at(x, i, j);
        }
    }
    for (std::int64_t j = 0; j < k; ++j) {
        s[j] += 2.0 * ks::at(v, j);
    }
    std::vector<double> scattered(k);
    for (std::int64_t j = 0; j < k; ++j) {
        scattered[j] += ks::at(v, j);
        scattered[0] += 1.0;
    }
    return {std::move(s), std::move(scattered)};
}
)";
    QVERIFY2(text->ends_with(expected), text->c_str());
}

/// The gradient of a masked embedding: each iteration adds to one row, and makes no matrix.
void TestCodegen::rowsAreAddedUpWhereAConditionHolds() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program =
        ks::parseProgram(bank, "rows.ks",
                         "(def f (Vec (Vec Float)) ((e : Vec k (Vec d Float)) (t : Vec n Integer)) (sumbuild n (lam (i "
                         ": Integer) (if (gt (index i t) 0) (let (r (index (index i t) e)) (deltaVec k (index i t) "
                         "(ts_scale 2.0 r))) (build k (lam (j : Integer) (constVec d 0.0)))))))");
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<std::string> text = codegen::emitCpp(bank, *program);
    QVERIFY2(text.ok(), text ? "" : text.error().message.c_str());
    const std::string expected =
        R"(    std::vector<std::vector<double>> result(k, std::vector<double>(d));
    ks::require(n > 0, "sumbuild needs a size above 0");
    for (std::int64_t i = 0; i < n; ++i) {
        if (t[i] > 0) {
            const std::vector<double>& r = ks::at(e, t[i]);
            if (t[i] < k) {
                std::vector<double>& total = result[t[i]];
                for (std::int64_t i2 = 0; i2 < d; ++i2) {
                    total[i2] += 2.0 * r[i2];
                }
            }
        }
    }
    return result;
}
)";
    QVERIFY2(text->ends_with(expected), text->c_str());
}

/// The functions are the same; the helper that they call is another one, with the header of the library.
void TestCodegen::productsAreLoopsOrCallsOfEigen() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program =
        ks::parseProgram(bank, "p.ks",
                         "(def p (Vec n (Vec m Float)) ((a : Vec n (Vec l Float)) (b : Vec l (Vec m Float))) (build n "
                         "(lam (i : Integer) (build m (lam (j : Integer) (sumbuild l (lam (k : Integer) (mul (index k "
                         "(index i a)) (index j (index k b))))))))))");
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<std::string> plain = codegen::emitCpp(bank, *program);
    const Result<std::string> byEigen =
        codegen::emitCpp(bank, *program, {.functionName = {}, .comment = {}, .products = codegen::Products::Eigen});
    QVERIFY(plain.ok() && byEigen.ok());
    const std::string call = "    ks::addProduct(result, a, b, n, l, m);\n";
    QVERIFY2(plain->find(call) != std::string::npos, plain->c_str());
    QVERIFY2(byEigen->find(call) != std::string::npos, byEigen->c_str());
    QVERIFY(plain->find("Eigen") == std::string::npos);
    QVERIFY(byEigen->find("#include <Eigen/Core>\n") != std::string::npos);
}

void TestCodegen::bareExpression() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "-", "(div (mul x y) (sub x (add y 1.0)))");
    const Result<std::string> text = codegen::emitCpp(bank, *program);
    QVERIFY2(text->ends_with("double expression(double x, double y) {\n    return x * y / (x - (y + 1.0));\n}\n"),
             text->c_str());
}

void TestCodegen::commentsCannotEscape() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "-", "(add x 1.0)");
    codegen::CppOptions options;
    options.comment = "first\r\nends with \\\n#error */ int x;\n\x01\xff \u202E reordered\nplain é";
    const Result<std::string> text = codegen::emitCpp(bank, *program, options);
    QVERIFY2(
        text->find("//\n// first\n// ends with \\ .\n// #error */ int x;\n// ?? ? reordered\n// plain é\n\ndouble ") !=
            std::string::npos,
        text->c_str());
}

void TestCodegen::namesAreValid() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program =
        ks::parseProgram(bank, "-",
                         "(def rev$f Float ((double : Float) (d$r : Float) (d_r : Float) (unused : Float)) "
                         "(let (for (mul double 2.0)) (let (x@1 (add for d$r)) (add x@1 d_r))))");
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<std::string> text = codegen::emitCpp(bank, *program);
    QVERIFY2(text->ends_with("double rev_f(double double_, double d_r, double d_r2, [[maybe_unused]] double unused) {\n"
                             "    const double for_ = double_ * 2.0;\n"
                             "    const double x_1 = for_ + d_r;\n"
                             "    return x_1 + d_r2;\n}\n"),
             text->c_str());
}

void TestCodegen::whatHasNoCppIsNamed_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("expected");
    QTest::newRow("edef") << "(edef g Float (Float)) (def f Float (x : Float) (g x))"
                          << "g is declared (edef) but not defined, so it has no C++";
    QTest::newRow("linear map") << "(def f Float (x : Float) (lmApply (lmScale 1.0 x) 2.0))"
                                << "lmApply has no C++";
}

void TestCodegen::whatHasNoCppIsNamed() {
    QFETCH(QString, program);
    QFETCH(QString, expected);
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> parsed = ks::parseProgram(bank, "-", program.toStdString());
    QVERIFY2(parsed.ok(), parsed ? "" : parsed.error().render().c_str());
    const Result<std::string> text = codegen::emitCpp(bank, *parsed);
    QVERIFY(!text.ok());
    QCOMPARE(QString::fromStdString(text.error().message), expected);
}

void TestCodegen::testMainRuns() {
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(
        bank, "-",
        "(def f (Tuple Integer Bool) ((v : (Vec n Float)) (t : (Tensor 2 Float)) (s : String)) (tuple n (eq s s)))");
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    codegen::CppOptions options;
    options.testMain = true;
    const Result<std::string> text = codegen::emitCpp(bank, *program, options);
    QVERIFY2(text.ok(), text ? "" : text.error().message.c_str());
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    QVERIFY(writeFile(folder->path() + "/main.cpp", *text).ok());
    ChildOptions child;
    child.folder = folder->path();
    const Result<ChildOutput> compiled =
        runChild({"c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main"}, child);
    QVERIFY2(compiled->exitStatus == 0, compiled->errors.c_str());
    const Result<ChildOutput> run = runChild({folder->path() + "/main"}, child);
    QCOMPARE(run->output, std::string("3,1\n"));
}

void TestCodegen::twoFilesAreLinkedIntoOneProgram() {
    constexpr const char* Before =
        "(def g Float (x : Float) (mul x 2.0)) (def f Float ((m : Tensor 2 Float) (t : (Tuple Float Bool)) "
        "(v : Vec n Float)) (add (add (index (tuple 0 1) m) (get$1$2 t)) (g (index 1 v))))";
    constexpr const char* After =
        "(def g Float (x : Float) (add x x)) (def f Float ((m : Tensor 2 Float) (t : (Tuple Float Bool)) "
        "(v : Vec n Float)) (add (index (tuple 0 1) m) (add (get$1$2 t) (g (index 1 v)))))";
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    const auto write = [&](const char* source, const std::string& name) {
        ir::TermBank bank(ks::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(bank, "-", source);
        const codegen::CppOptions options{.functionName = {},
                                          .testMain = false,
                                          .comment = {},
                                          .nameSpace = codegen::nameSpaceFor(bank, *program, "out/" + name + ".cpp")};
        return writeFile(folder->path() + "/" + name + ".cpp", *codegen::emitCpp(bank, *program, options)).ok() &&
               writeFile(folder->path() + "/" + name + ".h", *codegen::emitCppHeader(bank, *program, options)).ok();
    };
    QVERIFY(write(Before, "before") && write(After, "after"));
    constexpr const char* Main =
        "#include \"after.h\"\n#include \"before.h\"\n"
        R"(#include <cstdio>
template <typename Tensor>
Tensor matrix() {
    Tensor m;
    m.resize({1, 2});
    m(0, 1) = 10.0;
    return m;
}
int main() {
    const double a = ks_before::f(matrix<ks_before::ks::Tensor<double, 2>>(), {0.5, true}, {1.0, 3.0});
    const double b = ks_after::f(matrix<ks_after::ks::Tensor<double, 2>>(), {0.5, true}, {1.0, 3.0});
    std::printf("%g %g\n", a, b);
}
)";
    QVERIFY(writeFile(folder->path() + "/main.cpp", Main).ok());
    ChildOptions child;
    child.folder = folder->path();
    const Result<ChildOutput> compiled = runChild(
        {"c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "main.cpp", "before.cpp", "after.cpp", "-o", "main"},
        child);
    QVERIFY2(compiled->exitStatus == 0, compiled->errors.c_str());
    const Result<ChildOutput> run = runChild({folder->path() + "/main"}, child);
    QCOMPARE(run->output, std::string("16.5 16.5\n"));  // 10 + 0.5 + 2 · 3
}

void TestCodegen::longChainsOfCallsAreWritten() {
    constexpr int Functions = 8'000;
    std::string text = "(def f0 Float (x : Float) (mul x x))\n";
    for (int i = 1; i <= Functions; ++i) {
        text += fmt::format("(def f{} Float (x : Float) (add (f{} x) 1.0))\n", i, i - 1);
    }
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "-", text);
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<std::string> cpp = codegen::emitCpp(bank, *program);
    QVERIFY2(cpp.ok(), cpp ? "" : cpp.error().message.c_str());
    QVERIFY(cpp->ends_with("double f8000(double x) {\n    return f7999(x) + 1.0;\n}\n"));
    QVERIFY(cpp->find("double f1(double x)") < cpp->find("double f2(double x)"));  // callees first
}

MITOS_TEST(TestCodegen)

}  // namespace tst_codegen

#include "tst_codegen.moc"
