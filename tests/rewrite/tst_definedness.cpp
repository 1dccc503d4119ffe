// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a rewritten program has a value wherever it had one.
#include "core/ir/binding.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/definedness.h"
#include "core/rewrite/internal/replay.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_definedness {

using namespace mitos;

namespace {

constexpr const char* Plain =
    "(def f Float ((x : Float) (y : Float) (p : Bool) (k : Integer) (v : (Vec Float)) (w : (Vec Float))) ";
constexpr const char* Named =
    "(def f Float ((a : (Vec n (Vec m Float))) (b : (Vec n Float)) (c : (Vec n Float)) (k : Integer)) ";

ir::Program program(ir::TermBank& bank, const char* header, const QString& body) {
    Result<ir::Program> read = ks::parseProgram(bank, "-", header + body.toStdString() + ")");
    if (!read) qFatal("%s", read.error().render().c_str());
    return *read;
}

}  // namespace

class TestDefinedness : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comparesWhatIsEvaluated_data();
    void comparesWhatIsEvaluated();
    void looksAtTheStepOnly();
    void largeTermsEnd();
};

void TestDefinedness::comparesWhatIsEvaluated_data() {
    QTest::addColumn<QString>("header");
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<bool>("expected");
    const auto row = [](const char* name, const char* before, const char* after, bool expected,
                        const char* header = Plain) {
        QTest::newRow(name) << QString::fromUtf8(header) << QString::fromUtf8(before) << QString::fromUtf8(after)
                            << expected;
    };
    row("names what is evaluated", "(mul (index k v) (index k v))", "(let (t (index k v)) (mul t t))", true);
    row("names what is evaluated in one arm", "(if p (index k v) x)", "(let (t (index k v)) (if p t x))", false);
    row("names what is evaluated in both arms", "(if p (index k v) (neg (index k v)))",
        "(let (t (index k v)) (if p t (neg t)))", true);
    row("names what the condition evaluates", "(if (gt (index k v) x) (index k v) x)",
        "(let (t (index k v)) (if (gt t x) t x))", true);
    row("names what cannot fail", "(if p (exp x) y)", "(let (t (exp x)) (if p t y))", true);
    row("names what the reals leave undefined, without using it", "(if p (div x y) x)",
        "(let (t (div x y)) (if p t x))", true);
    row("names a negative size", "(if p (sum (constVec k x)) y)", "(let (t (constVec k x)) (if p (sum t) y))", false);
    row("out of a fold", "(fold (lam (s : (Tuple Float Float)) (index k w)) x v)",
        "(let (t (index k w)) (fold (lam (s : (Tuple Float Float)) t) x v))", false);
    row("out of a sum that fails when it is empty", "(sumbuild k (lam (i : Integer) (index 0 w)))",
        "(let (t (index 0 w)) (sumbuild k (lam (i : Integer) t)))", true);
    row("out of a loop", "(to_float (size (build k (lam (i : Integer) (index 0 w)))))",
        "(let (t (index 0 w)) (to_float (size (build k (lam (i : Integer) t)))))", false);
    row("out of a loop that runs", "(sum (build 3 (lam (i : Integer) (index 0 w))))",
        "(let (t (index 0 w)) (sum (build 3 (lam (i : Integer) t))))", true);
    row("a value that is not used", "x", "(let (t (index k v)) x)", false);
    row("an element that is not used", "x", "(get$1$2 (tuple x (index k v)))", false);
    row("a quotient of nothing by nothing", "1.0", "(div x x)", false);
    row("a quotient that is defined", "1.0", "(div (exp x) (exp x))", true);
    row("a quotient by what is divided by", "(mul (div 1.0 (sub y 1.0)) x)", "(div x (sub y 1.0))", true);
    row("a quotient by what one arm divides by", "(if p (div 1.0 y) x)", "(div x y)", false);
    row("a logarithm", "0.0", "(mul 0.0 (log x))", false);
    row("a logarithm of a positive number", "0.0", "(mul 0.0 (log (exp x)))", true);
    row("a let that was there", "(mul (if p (let (t (index k v)) (add t 1.0)) x) y)",
        "(let (s y) (mul (if p (let (t (index k v)) (add t 1.0)) x) s))", true);
    row("a let that was in one arm", "(if p (let (t (index k v)) (exp x)) (exp x))", "(let (t (index k v)) (exp x))",
        false);
    row("lets change places", "(let (s (index k v)) (let (t (index 0 w)) (mul s t)))",
        "(let (t (index 0 w)) (let (s (index k v)) (mul s t)))", true);
    row("a row in a loop over the rows",
        "(sum (build n (lam (i : Integer) (sum (build m (lam (j : Integer) (index j (index i a))))))))",
        "(sum (build n (lam (i : Integer) (let (r (index i a)) (sum (build m (lam (j : Integer) (index j r))))))))",
        true, Named);
    row("a row in a loop over something else",
        "(sum (build k (lam (i : Integer) (sum (build m (lam (j : Integer) (index j (index i a))))))))",
        "(sum (build k (lam (i : Integer) (let (r (index i a)) (sum (build m (lam (j : Integer) (index j r))))))))",
        false, Named);
    row("a row of elements named outside",
        "(let (r (size a)) (sum (build r (lam (i : Integer) (if (gt k 0) (index i b) 0.0)))))",
        "(let (r (size a)) (sum (build r (lam (i : Integer) (let (t (index i b)) (if (gt k 0) t 0.0))))))", true,
        Named);
    row("sums of vectors of one size", "(if (gt k 0) (sum (add b c)) 0.0)",
        "(let (t (add b c)) (if (gt k 0) (sum t) 0.0))", true, Named);
    row("sums of vectors of any sizes", "(if p (sum (add v w)) 0.0)", "(let (t (add v w)) (if p (sum t) 0.0))", false);
}

void TestDefinedness::comparesWhatIsEvaluated() {
    QFETCH(const QString, header);
    QFETCH(const QString, before);
    QFETCH(const QString, after);
    QFETCH(const bool, expected);
    ir::TermBank bank(ks::makeRegistry());
    const ir::Program start = program(bank, header.toUtf8().constData(), before);
    const QString other = QString(header).replace(QStringLiteral("def f"), QStringLiteral("def g"));
    const ir::TermId end = program(bank, other.toUtf8().constData(), after).root;
    QCOMPARE(rewrite::staysDefined(bank, start, end, {}), expected);
}

void TestDefinedness::looksAtTheStepOnly() {
    ir::TermBank bank(ks::makeRegistry());
    const ir::Program start = program(
        bank, Named,
        QStringLiteral("(sumbuild n (lam (i : Integer) (let (r (index i a)) (if (gt k 0) (index i b) (size r)))))")
            .replace(QStringLiteral("(size r)"), QStringLiteral("(index 0 r)")));
    const QString other = QString::fromUtf8(Named).replace(QStringLiteral("def f"), QStringLiteral("def g"));
    const ir::TermId end = program(bank, other.toUtf8().constData(),
                                   QStringLiteral("(sumbuild n (lam (i : Integer) (let (r (index i a)) (let (t (index "
                                                  "i b)) (if (gt k 0) t (index 0 r))))))"))
                               .root;
    // Below the loop, which stays inside of b, and below a let.
    QVERIFY(rewrite::staysDefined(bank, start, end, {1, 0, 1}));
    QVERIFY(!rewrite::staysDefined(bank, start, end, {1, 0, 7}));
}

void TestDefinedness::largeTermsEnd() {
    ir::TermBank bank(ks::makeRegistry());
    QString body = QStringLiteral("(index k v)");
    for (int i = 0; i < 200; ++i) body = QStringLiteral("(let (t %1) (add t t))").arg(body);
    const ir::Program start = program(bank, Plain, QStringLiteral("x"));
    const QString other = QString::fromUtf8(Plain).replace(QStringLiteral("def f"), QStringLiteral("def g"));
    QVERIFY(!rewrite::staysDefined(bank, start, program(bank, other.toUtf8().constData(), body).root, {}));
}

MITOS_TEST(TestDefinedness)

}  // namespace tst_definedness

#include "tst_definedness.moc"
