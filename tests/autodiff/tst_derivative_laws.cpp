// SPDX-License-Identifier: GPL-3.0-or-later
// Both directions against differences and against each other: random programs, programs of the samples.
#include "core/eval/testing/random_terms.h"
#include "tests/autodiff/derived.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QDirIterator>
#include <QFile>
#include <string>

namespace tst_derivative_laws {

using namespace mitos;
using autodiff::Form;
using tests::Derived;

namespace {

QString textOf(const autodiff::CheckReport& report) {
    return QString::fromStdString(fmt::format(
        "points {}, redrawn {}, unsettled {}, singular {}, skipped {}; forward {:.3g}, reverse {:.3g}, law {:.3g}; {} "
        "{}",
        report.points, report.redrawn, report.unsettled, report.singular, report.skipped, report.forwardDeviation,
        report.reverseDeviation, report.lawDeviation, report.worst, report.failure));
}

/// A random function of two Floats, a vector and an Integer.
std::string randomFunction(std::uint64_t seed) {
    ir::TermBank bank(dialects::makeRegistry());
    Random random(seed);
    ir::TypeTable& types = bank.types();
    const auto parameter = [&](const char* name, ir::TypeId type) {
        return ir::Parameter{bank.symbols().intern(name), type};
    };
    const ir::TypeId vec = types.vec(types.floating());
    const std::vector<ir::Parameter> parameters{parameter("x", types.floating()), parameter("y", types.floating()),
                                                parameter("v", vec), parameter("n", types.integer())};
    const eval::TermScope scope{.free = parameters, .bound = {}, .usualSize = 2, .hasLoops = true};
    const ir::TypeId result = seed % 3 == 0 ? vec : types.floating();
    const ir::TermId term = eval::randomTerm(bank, result, scope, random, 40);
    return fmt::format("(def f {} ((x : Float) (y : Float) (v : Vec Float) (n : Integer)) {})", types.toString(result),
                       ks::printTerm(bank, term, {.width = 0}));
}

struct Nest {
    const char* name;
    const char* program;
};

/// Loops whose indices reach into a tensor in another order, with computed indices, with branches, or with expensive iterations.
constexpr Nest Nests[] = {
    {"jagged rows",
     "(def f (Vec Float) ((m : Vec (Vec Float))) (build (size m) (lam (a : Integer) (if (gt (size (index a m)) 0) "
     "(sumbuild (size (index a m)) (lam (b : Integer) (mul (index b (index a m)) (index 0 (index a m))))) 1.0))))"},
    {"three levels in another order",
     "(def f (Vec (Vec Float)) ((t : Vec a (Vec b (Vec c Float)))) (build c (lam (z : Integer) (build a (lam (x : "
     "Integer) "
     "(sumbuild b (lam (y : Integer) (let (u (index z (index y (index x t)))) (mul u (exp u))))))))))"},
    {"vectors in tuples in vectors",
     "(def f (Vec Float) ((ps : Vec n (Tuple (Vec d Float) Float)) (w : Vec d Float)) (build n (lam (i : Integer) "
     "(sumbuild d "
     "(lam (j : Integer) (mul (index j w) (mul (index j (get$1$2 (index i ps))) (get$2$2 (index (sub (sub n 1) i) "
     "ps)))))))))"},
    {"computed indices in a branch",
     "(def f (Vec Float) ((m : Vec n (Vec n Float))) (build n (lam (i : Integer) (sumbuild n (lam (j : Integer) (if "
     "(lte j i) "
     "(mul (index i (index j m)) (index (sub i j) (index j m))) (index j (index i m))))))))"},
    {"calls in the loops",
     "(def g Float (x : Float) (mul x (sin x))) (def f (Vec Float) ((m : Vec n (Vec k Float)) (v : Vec k Float)) "
     "(build k (lam "
     "(j : Integer) (let (s (g (index j v))) (sumbuild n (lam (i : Integer) (mul s (mul (g (index j (index i m))) "
     "(index j "
     "(index 0 m))))))))))"},
    {"a fold that reads elements of vectors",
     "(def f Float ((v : Vec n Float) (w : Vec n Float) (a : Float)) (fold (lam (p : (Tuple Float Integer)) (let (i "
     "(get$2$2 "
     "p)) (let (j (sub (sub n 1) i)) (add (mul (get$1$2 p) (index i v)) (mul a (index j w)))))) 1.0 (build n (lam (i : "
     "Integer) i))))"},
    {"a fold that reads elements in a branch",
     "(def f (Tuple Float Float) ((v : Vec n Float) (a : Float)) (fold (lam (p : (Tuple (Tuple Float Float) Integer)) "
     "(let (s "
     "(get$1$2 p)) (if (gt (get$2$2 p) 0) (tuple (mul (get$1$2 s) (index (sub (get$2$2 p) 1) v)) (get$2$2 s)) (tuple "
     "(index "
     "(get$2$2 p) v) (add (get$1$2 s) (index (get$2$2 p) v)))))) (tuple 1.0 a) (build n (lam (i : Integer) i))))"},
    {"a fold that reads rows",
     "(def f Float ((m : Vec n (Vec k Float)) (x : Float)) (fold (lam (p : (Tuple Float Integer)) (add (get$1$2 p) "
     "(mul x "
     "(sumbuild (size (index (get$2$2 p) m)) (lam (j : Integer) (mul (index j (index (get$2$2 p) m)) (get$1$2 p))))))) "
     "0.5 "
     "(build n (lam (i : Integer) i))))"},
    {"through a variable",
     "(def f Float ((m : Vec n (Vec k Float))) (let (sq (build k (lam (j : Integer) (build n (lam (i : Integer) (mul "
     "2.0 (index "
     "j (index i m)))))))) (sumbuild k (lam (j : Integer) (sumbuild n (lam (i : Integer) (mul (index i (index j sq)) "
     "(index "
     "(sub (sub k j) 1) (index (sub (sub n i) 1) m)))))))))"},
};

}  // namespace

class DerivativeLaws : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void holdForRandomPrograms();
    void holdForNestedLoops_data();
    void holdForNestedLoops();
    void holdForTheSamples_data();
    void holdForTheSamples();
    void findWrongGradients();
    void findWrongDerivatives();
    void takeRoundingForZero();
    void drawPointsAgainWhereABranchChanges();
};

void DerivativeLaws::holdForRandomPrograms() {
    int compared = 0;
    int refused = 0;
    constexpr int Programs = 400;
    for (std::uint64_t seed = 1; seed <= Programs; ++seed) {
        const std::string text = randomFunction(seed);
        for (const Form form : {Form::Scatter, Form::Delta}) {
            Derived f(text);
            QVERIFY2(f.program().ok(), f.program() ? "" : f.program().error().render().c_str());
            const Result<autodiff::CheckReport> report = f.check(form, {.points = 3, .limits = {.steps = 100'000}});
            if (!report) {
                QVERIFY2(report.error().message.find("has no derivative") != std::string::npos,
                         (text + "\n" + report.error().message).c_str());
                ++refused;
                continue;
            }
            if (report->points == 0 && report->failure.empty()) continue;
            // Sums of nothing have no shape in delta form.
            const bool isEmptySum =
                form == Form::Delta && report->failure.find("sumbuild of size 0") != std::string::npos;
            QVERIFY2(report->passed || isEmptySum, (text + "\n" + textOf(*report).toStdString()).c_str());
            ++compared;
        }
    }
    qInfo("%d of %d checks compared values, %d were refused", compared, 2 * Programs, refused);
    QVERIFY(compared > Programs);
    QVERIFY(refused < Programs / 10);
}

void DerivativeLaws::holdForNestedLoops_data() {
    QTest::addColumn<QString>("program");
    for (const Nest& nest : Nests) QTest::newRow(nest.name) << QString::fromUtf8(nest.program);
}

void DerivativeLaws::holdForNestedLoops() {
    QFETCH(QString, program);
    for (const Form form : {Form::Scatter, Form::Delta}) {
        Derived f(program.toStdString());
        const Result<autodiff::CheckReport> report = f.check(form);
        QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
        QVERIFY2(report->passed, qPrintable(textOf(*report)));
        QCOMPARE(report->points, 20);
    }
}

void DerivativeLaws::holdForTheSamples_data() {
    QTest::addColumn<QString>("path");
    QDirIterator files(QStringLiteral(MITOS_SOURCE_DIR "/samples"), {QStringLiteral("*.ks")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        QTest::newRow(qPrintable(path.section(QLatin1Char('/'), -2))) << path;
    }
}

void DerivativeLaws::holdForTheSamples() {
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const std::string text = file.readAll().toStdString();
    Derived f(text);
    QVERIFY(f.program().ok());
    const Result<autodiff::CheckReport> report = f.check(Form::Scatter, {.points = 8});
    QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
    QVERIFY2(report->passed, qPrintable(textOf(*report)));
}

void DerivativeLaws::findWrongGradients() {
    // The tangents of v and a; k has none.
    const char* const program = "(def f Float ((v : Vec Float) (k : Integer) (a : Float)) (mul (index k v) (sin a)))";
    Derived right(program);
    QVERIFY(right.program().ok());
    const std::vector<std::size_t> both{0, 2};
    const Result<ir::FunctionId> made = autodiff::gradient(right.bank(), right.program()->function, both);
    QVERIFY(made.ok());
    const Result<autodiff::CheckReport> report = right.checkGradient(*made, both);
    QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
    QVERIFY2(report->passed && report->hasGradient, qPrintable(textOf(*report)));
    QVERIFY(report->gradientDeviation < 1e-14);
    // One of the other parameters is another gradient, and so is one that is slightly off.
    const Result<autodiff::CheckReport> other = right.checkGradient(*made, {2, 0});
    QVERIFY(other.ok() && !other->passed);
    Derived wrong(
        "(def near Float ((v : Vec Float) (k : Integer) (a : Float)) (mul 1.00001 (mul (index k v) (cos a))))"
        "(def f Float ((v : Vec Float) (k : Integer) (a : Float)) (mul (index k v) (sin a)))");
    const ir::TypeId argument = wrong.bank().function(wrong.program()->function).argument;
    const ir::FunctionId near = wrong.bank().findFunction("near", argument);
    QVERIFY(near.isValid());
    const Result<autodiff::CheckReport> second = wrong.checkGradient(near, {2});
    QVERIFY2(second.ok(), second ? "" : second.error().message.c_str());
    QVERIFY(!second->passed);
    QVERIFY(second->lawDeviation < 1e-9 && second->forwardDeviation < 1e-6);
    QVERIFY(second->gradientDeviation > 0.9e-5 && second->gradientDeviation < 1.1e-5);
}

void DerivativeLaws::findWrongDerivatives() {
    Derived wrong(
        "(def h Float (x : Float) (mul x x)) (def [rev h] Float ((x : Float) (dt : Float)) (mul x dt))"
        "(def f Float (x : Float) (h x))");
    const Result<autodiff::CheckReport> report = wrong.check();
    QVERIFY(report.ok());
    QVERIFY(!report->passed);
    QVERIFY(report->forwardDeviation < 1e-6);
    QVERIFY(report->reverseDeviation > 0.1);
    QVERIFY(report->lawDeviation > 0.1);
    Derived slightly(
        "(def h Float (x : Float) (mul x x)) (def [fwd h] Float ((x : Float) (dx : Float)) (mul 2.00001 (mul x dx)))"
        "(def f Float (x : Float) (h x))");
    const Result<autodiff::CheckReport> second = slightly.check();
    QVERIFY(second.ok());
    QVERIFY(!second->passed);
}

void DerivativeLaws::takeRoundingForZero() {
    // Over the reals this telescopes: the gradient is zero everywhere, and Floats add up to their rounding.
    const char* const stencil =
        "(def f Float (v : Vec n Float) (sumbuild n (lam (i : Integer) (mul (index i v) (sub (if (eq i 0) 0.0 (index "
        "(sub i 1) v)) (if (eq i (sub n 1)) 0.0 (index (add i 1) v)))))))";
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
        Derived zero(stencil);
        const Result<autodiff::CheckReport> report = zero.check(Form::Scatter, {.seed = seed});
        QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
        QVERIFY2(report->passed, qPrintable(textOf(*report)));
        QCOMPARE(report->points, 20);
    }
    Derived right(stencil);
    const Result<ir::FunctionId> made =
        autodiff::gradient(right.bank(), right.program()->function, std::vector<std::size_t>{0});
    QVERIFY(made.ok());
    const Result<autodiff::CheckReport> report = right.checkGradient(*made, {0});
    QVERIFY(report.ok());
    QVERIFY2(report->passed, qPrintable(textOf(*report)));
    // A slope of 1e-9 in place of zero is found beside numbers of the same size.
    Derived wrong(
        "(def h Float (x : Float) (mul 3.0 (sub x x))) (def [rev h] Float ((x : Float) (dt : Float)) (mul 1e-9 dt))"
        "(def f Float (x : Float) (h x))");
    const Result<autodiff::CheckReport> slope = wrong.check();
    QVERIFY(slope.ok());
    QVERIFY(!slope->passed);
}

void DerivativeLaws::drawPointsAgainWhereABranchChanges() {
    // Random inputs hold zeros, where abs has no derivative.
    Derived f("(def f Float (x : Float) (abs x))");
    const Result<autodiff::CheckReport> report = f.check();
    QVERIFY(report.ok());
    QVERIFY2(report->passed, qPrintable(textOf(*report)));
    QVERIFY(report->redrawn > 0);
    QCOMPARE(report->points, 20);
}

MITOS_TEST(DerivativeLaws)

}  // namespace tst_derivative_laws

#include "tst_derivative_laws.moc"
