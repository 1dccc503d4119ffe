// SPDX-License-Identifier: GPL-3.0-or-later
// Sums that run over the rows of a matrix while their loop would go down its columns: turned round, and only those.
#include "core/codegen/cpp.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

namespace tst_loop_order {

using namespace mitos;

namespace {

/// A function of two matrices and a vector whose result is `build n \i. build m \j. element`.
std::string program(const std::string& element) {
    return fmt::format(
        "(def f (Vec n (Vec m Float)) ((a : (Vec n (Vec l Float))) (b : (Vec l (Vec m Float))) (t : (Vec m (Vec l "
        "Float))) (v : (Vec m Integer))) (build n (lam (i : Integer) (build m (lam (j : Integer) {})))))",
        element);
}

/// No products of matrices, which would be one statement.
const char* const Product = "(sumbuild l (lam (k : Integer) (mul (index k (index i a)) (abs (index j (index k b))))))";
const char* const Transposed =
    "(sumbuild l (lam (k : Integer) (mul (index k (index i a)) (abs (index k (index j t))))))";

/// The loops of the function, outermost first, as "i(k(j()) j())".
std::string loopsOf(const std::string& cpp) {
    std::string loops;
    std::vector<bool> isLoop;
    const std::string text = cpp.substr(cpp.find("f("));
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
        const std::size_t head = line.find("for (std::int64_t ");
        if (head != std::string::npos) {
            if (!loops.empty() && loops.back() == ')') loops += ' ';
            loops += line.substr(head + 18, line.find(' ', head + 18) - head - 18) + "(";
        }
        const std::size_t word = line.find_first_not_of(' ');
        if (word == std::string::npos) continue;
        if (line[word] == '}') {
            if (!isLoop.empty() && isLoop.back()) loops += ')';
            if (!isLoop.empty()) isLoop.pop_back();
        }
        if (line.ends_with('{')) isLoop.push_back(head != std::string::npos);
    }
    return loops;
}

}  // namespace

class TestLoopOrder : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void loopsAreInOrder_data();
    void loopsAreInOrder();
    void valuesStayTheSame();
};

void TestLoopOrder::loopsAreInOrder_data() {
    QTest::addColumn<QString>("element");
    QTest::addColumn<QString>("loops");
    const auto row = [](const char* name, const std::string& element, const char* loops) {
        QTest::newRow(name) << QString::fromStdString(element) << loops;
    };
    const std::string product = Product;
    row("the sum alone", product, "i(k(j()))");
    row("in an expression", "(mul 2.0 " + product + ")", "i(k(j()) j())");
    row("twice the same", "(mul " + product + " " + product + ")", "i(k(j()) k(j()) j())");
    row("in the value of a let", "(let (s " + product + ") (mul s s))", "i(k(j()) j())");
    row("under a binder", "(let (x (to_float j)) (mul x " + product + "))", "i(k(j()) j())");
    row("with a loop that is the same for all summands",
        "(sumbuild l (lam (k : Integer) (sumbuild l (lam (h : Integer) (mul (index h (index i a)) (abs (index j (index "
        "h "
        "b))))))))",
        "i(h(j()) j(k()))");
    // Left alone: what is read along the sum already, and what is not certain to be needed for every element.
    row("transposed", Transposed, "i(j(k()))");
    row("both ways", "(sumbuild l (lam (k : Integer) (mul (index j (index k b)) (index k (index j t)))))", "i(j(k()))");
    row("under a condition", "(if (gt j 0) " + product + " 0.0)", "i(j(k()))");
    row("as many summands as the element says", "(sumbuild (index j v) (lam (k : Integer) (index j (index k b))))",
        "i(j(k()))");
    row("with a loop of its own",
        "(sumbuild l (lam (k : Integer) (sumbuild l (lam (h : Integer) (index j (index k b))))))", "i(j(k(h())))");
}

void TestLoopOrder::loopsAreInOrder() {
    QFETCH(const QString, element);
    QFETCH(const QString, loops);
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> read = ks::parseProgram(bank, "-", program(element.toStdString()));
    QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
    const Result<std::string> cpp = codegen::emitCpp(bank, *read);
    QVERIFY2(cpp.ok(), cpp ? "" : cpp.error().message.c_str());
    QVERIFY2(loopsOf(*cpp) == loops.toStdString(), (loopsOf(*cpp) + "\n" + *cpp).c_str());
}

/// Compiled, against the evaluator, on matrices of many sizes, no rows and no columns among them.
void TestLoopOrder::valuesStayTheSame() {
    const std::string product = Product;
    const std::string element =
        "(add (mul " + product + " " + Transposed + ") (let (s (sub " + product +
        " (sumbuild l (lam (k : Integer) (let (x (index j (index k b))) (mul x x)))))) (mul s s)))";
    ir::TermBank bank(ks::makeRegistry());
    const Result<ir::Program> read = ks::parseProgram(bank, "-", program(element));
    QVERIFY2(read.ok(), read ? "" : read.error().render().c_str());
    const Result<codegen::CheckReport> report =
        codegen::checkCpp(bank, *read, *read, {.samples = 40, .timingSize = 3, .secondsPerProgram = 0.05});
    QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
    QVERIFY2(report->passed, report->message.c_str());
    QVERIFY(report->maxError < 1e-12);
}

MITOS_TEST(TestLoopOrder)

}  // namespace tst_loop_order

#include "tst_loop_order.moc"
