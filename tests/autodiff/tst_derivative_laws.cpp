// SPDX-License-Identifier: GPL-3.0-or-later
// Both directions against differences and against each other: random programs, programs of the samples.
#include "core/eval/samples.h"
#include "core/eval/testing/random_terms.h"
#include "tests/autodiff/derived.h"
#include "tests/support/fold_programs.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
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

/// A random function of two Floats, a vector and an Integer, and of a vector of vectors if wanted.
std::string randomFunction(std::uint64_t seed, bool hasRows = false) {
    ir::TermBank bank(dialects::makeRegistry());
    Random random(seed);
    ir::TypeTable& types = bank.types();
    const auto parameter = [&](const char* name, ir::TypeId type) {
        return ir::Parameter{bank.symbols().intern(name), type};
    };
    const ir::TypeId vec = types.vec(types.floating());
    std::vector<ir::Parameter> parameters{parameter("x", types.floating()), parameter("y", types.floating()),
                                          parameter("v", vec), parameter("n", types.integer())};
    if (hasRows) parameters.push_back(parameter("w", types.vec(vec)));
    const eval::TermScope scope{.free = parameters, .bound = {}, .usualSize = hasRows ? 0 : 2, .hasLoops = true};
    const ir::TypeId result = seed % 3 == 0 ? vec : types.floating();
    const ir::TermId term = eval::randomTerm(bank, result, scope, random, 40);
    return fmt::format("(def f {} ((x : Float) (y : Float) (v : Vec Float) (n : Integer){}) {})",
                       types.toString(result), hasRows ? " (w : Vec (Vec Float))" : "",
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

/// Loops that may make no iteration, and branches, around elements and rows that exist only where they are read.
constexpr Nest Guarded[] = {
    {"a loop that ends at once",
     "(def f Float ((x : Float) (v : Vec m Float) (w : Vec n (Vec m Float))) (do (var s x) (for k 3 (if (gt (abs s) "
     "1.0) "
     "(break)) (set s (mul s (dot v (index 1 w))))) (return s)))"},
    {"the same without named sizes",
     "(def f Float ((x : Float) (v : Vec Float) (w : Vec (Vec Float))) (do (var s x) (for k 3 (if (gt (abs s) 1.0) "
     "(break)) (set s (mul s (dot v (index 1 w))))) (return s)))"},
    {"a loop of loops",
     "(def f Float ((x : Float) (k : Integer) (w : Vec (Vec (Vec Float)))) (do (var s x) (for i k (for j (size (index "
     "i "
     "w)) (set s (add s (mul s (sum (index j (index i w)))))))) (return s)))"},
    {"sizes that fail",
     "(def f Float ((n : Integer) (v : (Vec Float)) (w : (Vec Float)) (u : (Vec Float))) (ts_dot (build n (lam (i : "
     "Integer) (index (sub (size (add v w)) 1) u))) (build n (lam (i : Integer) (to_float i)))))"},
    {"a fold over nothing that reads a row",
     "(def f Float ((x : Float) (v : Vec Float) (w : Vec (Vec Float))) (fold (lam (p : (Tuple Float Float)) (mul "
     "(get$1$2 "
     "p) (mul (get$2$2 p) (sum (index 1 w))))) x v))"},
    {"rows in a map",
     "(def f (Vec Float) ((v : Vec Float) (w : Vec (Vec Float))) (map (lam (x : Float) (mul x (sum (index 0 w)))) v))"},
    {"rows of computed indices",
     "(def f (Vec Float) ((at : Vec Integer) (w : Vec (Vec Float))) (build (size at) (lam (i : Integer) (let (r (index "
     "(index i at) w)) (dot r r)))))"},
    {"a row in a branch",
     "(def f Float ((x : Float) (k : Integer) (w : Vec (Vec Float))) (if (gt x 0.0) (let (r (index k w)) (mul x (dot r "
     "r))) "
     "x))"},
    {"a row in a branch in a loop",
     "(def f (Vec Float) ((v : Vec Float) (w : Vec (Vec Float))) (build (size v) (lam (i : Integer) (if (gt (index i "
     "v) "
     "1.5) (mul (index i v) (sum (index i w))) (index i v)))))"},
    {"rows of rows in a sum in a branch",
     "(def f Float ((n : Integer) (w : Vec (Vec (Vec Float)))) (if (gt n 0) (sumbuild n (lam (i : Integer) (dot (index "
     "0 "
     "(index i w)) (index i (index 0 w))))) 1.0))"},
    {"added where they belong",
     "(def f (Vec Float) ((n : Integer) (v : Vec Float) (w : Vec (Vec Float))) (buildFromSparse (constVec (size v) "
     "(tuple)) "
     "n (lam (i : Integer) (tuple i (mul (index i v) (sum (index 1 w)))))))"},
    {"a call in a loop",
     "(def g Float ((r : Vec Float) (i : Integer)) (mul (index i r) (index 0 r))) (def f Float ((n : Integer) (w : Vec "
     "(Vec Float))) (fold (lam (p : (Tuple Float Integer)) (add (get$1$2 p) (g (index 2 w) (get$2$2 p)))) 0.5 (build n "
     "(lam (i : Integer) i))))"},
    {"a recursive function",
     "(def go Float ((i : Integer) (w : Vec (Vec Float)) (s : Float)) (if (gte i (size w)) s (go (add i 1) w (add s "
     "(mul s "
     "(index 0 (index i w))))))) (def f Float ((x : Float) (w : Vec (Vec Float))) (go 0 w x))"},
};

}  // namespace

class DerivativeLaws : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void holdForRandomPrograms();
    void holdForNestedLoops_data();
    void holdForNestedLoops();
    void holdForFolds_data();
    void holdForFolds();
    void holdForTheSamples_data();
    void holdForTheSamples();
    void areDefinedWhereTheFunctionIs_data();
    void areDefinedWhereTheFunctionIs();
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

void DerivativeLaws::holdForFolds_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<bool>("isKeeping");
    for (const tests::FoldProgram& fold : tests::FoldPrograms)
        QTest::newRow(fold.name) << QString::fromUtf8(fold.text) << fold.isKeeping;
}

void DerivativeLaws::holdForFolds() {
    QFETCH(QString, program);
    QFETCH(bool, isKeeping);
    for (const Form form : {Form::Scatter, Form::Delta}) {
        Derived f(program.toStdString());
        QVERIFY2(f.program().ok(), f.program() ? "" : f.program().error().render().c_str());
        const Result<autodiff::CheckReport> report = f.check(form);
        QVERIFY2(report.ok(), report ? "" : report.error().message.c_str());
        QVERIFY2(report->passed, qPrintable(textOf(*report)));
        QCOMPARE(report->points, 20);
        // The third part of the argument of the step back is what the step kept.
        const QString text = QString::fromStdString(f.text(autodiff::Direction::Reverse, form));
        const bool reads = text.contains(QRegularExpression(QStringLiteral("\\(get\\$3\\$3 p(_\\d+)?\\)")));
        QCOMPARE(reads, isKeeping && form == Form::Scatter);
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

void DerivativeLaws::areDefinedWhereTheFunctionIs_data() {
    QTest::addColumn<QString>("program");
    for (const Nest& nest : Nests) QTest::newRow(nest.name) << QString::fromUtf8(nest.program);
    for (const Nest& nest : Guarded) QTest::newRow(nest.name) << QString::fromUtf8(nest.program);
    for (std::uint64_t seed = 1001; seed <= 1300; ++seed) {
        QTest::newRow(fmt::format("random {}", seed).c_str()) << QString::fromStdString(randomFunction(seed, true));
    }
}

void DerivativeLaws::areDefinedWhereTheFunctionIs() {
    QFETCH(QString, program);
    Derived f(program.toStdString());
    QVERIFY(f.program().ok());
    const eval::Limits limits{.steps = 50'000};
    eval::DecidingNumbers numbers;
    eval::addDecidingNumbers(f.bank(), f.program()->root, numbers, 10);
    const Result<eval::Samples> drawn =
        eval::drawCoveringSamples(f.bank(), *f.program(), 10, 1, limits, {numbers, 150, 1'000'000});
    QVERIFY2(drawn.ok(), drawn ? "" : drawn.error().message.c_str());
    for (const autodiff::Direction direction : {autodiff::Direction::Forward, autodiff::Direction::Reverse}) {
        const Result<ir::FunctionId> made = f.derivative(direction);
        if (!made && made.error().code == ErrorCode::Unsupported) continue;
        QVERIFY2(made.ok(), made ? "" : made.error().message.c_str());
        for (const eval::Sample& sample : drawn->samples) {
            const Result<eval::Evaluation> value = f.at(*made, sample, direction);
            if (!value && value.error().code == ErrorCode::Limit) continue;
            QVERIFY2(value.ok(), (value ? ""
                                        : program.toStdString() + "\n" + value.error().message + " at " +
                                              eval::describeInputs(f.bank(), f.bank().function(f.program()->function),
                                                                   sample.inputs))
                                     .c_str());
        }
    }
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
