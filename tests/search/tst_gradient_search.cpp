// SPDX-License-Identifier: GPL-3.0-or-later
// Searches over gradients: the derivatives of the samples are longer than programs that people write, and full of names and deltas.
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "tests/search/ks_job.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>

namespace tst_gradient_search {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

/// A sample's reverse derivative and all that it calls, as the text of a program.
Result<SourceText> gradientOf(const std::string& sample, autodiff::Form form) {
    ir::TermBank bank(ks::makeRegistry());
    MITOS_TRY(const SourceText source, readSourceFile(MITOS_SOURCE_DIR "/samples/gradients/" + sample));
    MITOS_TRY(const ks::Module module, ks::parseModule(bank, source));
    MITOS_TRY(const ir::Program program, ks::selectProgram(bank, module, ""));
    MITOS_TRY(const ir::FunctionId derivative,
              autodiff::derive(bank, autodiff::Direction::Reverse, program.function, form));
    return SourceText(sample, autodiff::withDerivatives(bank, program, {derivative}));
}

}  // namespace

class TestGradientSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void phasesImproveGradients_data();
    void phasesImproveGradients();
    void sumsOfDeltasBecomeLoops();
    void productsOfMatricesShareTheirFactors();
};

void TestGradientSearch::phasesImproveGradients_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<autodiff::Form>("form");
    QTest::addColumn<double>("share");  // of the initial cost
    QTest::newRow("convolution") << "conv1d.ks" << autodiff::Form::Scatter << 0.8;
    QTest::newRow("convolution, deltas") << "conv1d.ks" << autodiff::Form::Delta << 0.02;
    QTest::newRow("product, deltas") << "matrix_multiply.ks" << autodiff::Form::Delta << 0.03;
    QTest::newRow("long short-term memory") << "lstm.ks" << autodiff::Form::Scatter << 0.99;
    QTest::newRow("long short-term memory, deltas") << "lstm.ks" << autodiff::Form::Delta << 0.7;
    QTest::newRow("mixture") << "gmm.ks" << autodiff::Form::Scatter << 0.97;
}

void TestGradientSearch::phasesImproveGradients() {
    QFETCH(const QString, sample);
    QFETCH(const autodiff::Form, form);
    QFETCH(const double, share);
    const Job job(gradientOf(sample.toStdString(), form), "ks-all");
    const SearchResult result = searched(*makePhases(), job.problem(5000));
    QVERIFY2(result.bestCost <= share * result.initialCost,
             std::to_string(result.bestCost / result.initialCost).c_str());
    verify(result, job.book());
}

void TestGradientSearch::sumsOfDeltasBecomeLoops() {
    const Job job(gradientOf("matrix_multiply.ks", autodiff::Form::Delta), "ks-all");
    const SearchResult result =
        searched(*makePhases(), job.problem(100, {{"schedule", std::string("deltas: exhaust")}}));
    QCOMPARE(ks::printTerm(*result.bank, result.thread.end().root, {.width = 0}),
             std::string("(let (w (get$1$2 args)) (let (image (get$2$2 args)) (let (d (tuple "
                         "(build o (lam (oi : Integer) (let (dt_1 (index oi dt)) "
                         "(build k (lam (ki : Integer) (mul dt_1 (index ki image))))))) "
                         "(sumbuild o (lam (oi : Integer) (let (dt_1 (index oi dt)) "
                         "(build k (lam (ki : Integer) (mul (index ki (index oi w)) dt_1)))))))) "
                         "(let (dw (get$1$2 d)) (let (dimage (get$2$2 d)) (tuple dw dimage))))))"));
}

/// The coarsening paper's form (section 3) of the gradient of (X2 v)' (X1 X2 v): X2' (X1 + X1') X2 v.
void TestGradientSearch::productsOfMatricesShareTheirFactors() {
    const Result<SourceText> source = readSourceFile(MITOS_SOURCE_DIR "/samples/networks/matrix_case.txt");
    QVERIFY(source.ok());
    const rules::RuleBook book = *rules::RuleBook::load("tensor,-gemm_of_matmul", dialects::makeRegistry());
    ir::TermBank bank(book.registry());
    const Result<ir::Program> program = dialects::parseProgram(bank, "matrix_case.txt", std::string(source->text()));
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const SearchProblem problem{.bank = bank,
                                .program = *program,
                                .rules = book.directions(),
                                .cost = *cost::findCostModel("size"),
                                .budget = {.evaluations = 20000, .seconds = {}, .states = {}, .memoryBytes = {}},
                                .parameters = {}};
    const SearchResult result = searched(*makePhases(), problem);
    QCOMPARE(result.initialCost, 17.0);
    QCOMPARE(result.bestCost, 9.0);
    QVERIFY(result.check.valid);
    const std::string text = dialects::printProgram(*result.bank, result.thread.end());
    for (const char* const line :
         {"u_grad = Transpose[perm=[1,0]](x2)", "w_grad = Transpose[perm=[1,0]](x1)", "add = Add(w_grad, x1)",
          "gemm = Gemm(x2, v)", "matmul = MatMul(add, gemm)", "u_grad_2 = MatMul(u_grad, matmul)", "return u_grad_2"}) {
        QVERIFY2(text.find(line) != std::string::npos, text.c_str());
    }
}

MITOS_TEST(TestGradientSearch)

}  // namespace tst_gradient_search

#include "tst_gradient_search.moc"
