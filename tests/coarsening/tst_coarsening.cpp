// SPDX-License-Identifier: GPL-3.0-or-later
// Coarsened gradients: the gradient of gradient descent against golden numbers, segments and region trees, laws.
#include "core/autodiff/check.h"
#include "core/ir/calls.h"
#include "tests/coarsening/elevated.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

namespace tst_coarsening {

using namespace mitos;
using namespace mitos::tests;

namespace {

/// The error of a regression after gradient descent, as a function of the learning rate (BGDHyperOpt); `state` gives the weight.
std::string regression(int records, const std::string& state) {
    return fmt::format(
        "(def bgd Float (r : Float)"
        " (let (x (build {0} (lam (i : Integer) (sub (mul 2.0 ($ranhashdoub i)) 1.0))))"
        " (let (y (build {0} (lam (i : Integer) (add (mul 1.7 (index i x)) (mul 0.2 (sub ($ranhashdoub (add 100000 i)) "
        "0.5))))))"
        " (let (w {1})"
        " (div (sqrt (sumbuild {0} (lam (i : Integer) (let (e (sub (index i y) (mul (index i x) w))) (mul e e))))) "
        "{0}.0)))))",
        records, state);
}

/// The negative gradient at the weight w.
std::string direction(int records) {
    return fmt::format(
        "(div (sumbuild {0} (lam (i : Integer) (mul (mul 2.0 (index i x)) (sub (index i y) (mul (index i x) "
        "w))))) {0}.0)",
        records);
}

/// A fixed number of steps. Ascent is the sign that the paper prints.
std::string descent(int records, int steps, bool isAscent = false) {
    return regression(records,
                      fmt::format("(fold (lam (s : (Tuple Float Integer)) (let (w (get$1$2 s)) ({} w (mul r {})))) "
                                  "0.0 (build {} (lam (k : Integer) k)))",
                                  isAscent ? "sub" : "add", direction(records), steps));
}

/// At most 100 steps, until the gradient is below 0.001.
std::string descentWithExit(int records) {
    return regression(records,
                      fmt::format("(get$2$2 (loop 100 0.0 (lam (s : (Tuple Integer Float)) (let (w (get$2$2 s)) "
                                  "(let (d {}) (if (lt (abs d) 0.001) (tuple true w) (tuple false (add w (mul r "
                                  "d)))))))))",
                                  direction(records)));
}

const char* const TwoLoops =
    "(def f Float ((a : Float) (v : Vec Float))"
    " (let (s (sin a))"
    " (let (t (fold (lam (p : (Tuple Float Float)) (add (mul s (get$1$2 p)) 0.5)) 1.0 v))"
    " (let (u (mul t (exp s)))"
    " (let (unused (exp u))"
    " (let (w (sumbuild (size v) (lam (i : Integer) (let (x (index i v)) (let (y (mul x u)) (tanh (mul y y)))))))"
    " (add w (mul u t))))))))";

}  // namespace

class TestCoarsening : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gradientDescent_data();
    void gradientDescent();
    void takesTheWholeFunction();
    void selectsSegments_data();
    void selectsSegments();
    void splitsAtTheMostUsedVariable();
    void takesWorkAsLongAsTheProgram();
    void makesEachStatementASegment();
    void keepsGradients_data();
    void keepsGradients();
    void gradientsDoNotOverflow_data();
    void gradientsDoNotOverflow();
    void gradientsInChosenParameters();
    void forwardAndSecondDerivatives();
    void refusesDefinedDerivatives();
};

void TestCoarsening::gradientDescent_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("rate");
    QTest::addColumn<double>("error");
    QTest::addColumn<double>("gradient");
    const auto row = [](const char* name, const std::string& program, const char* rate, double error, double gradient) {
        QTest::newRow(name) << QString::fromStdString(program) << QString::fromUtf8(rate) << error << gradient;
    };
    row("200 records", descent(200, 100), "0.05", 0.00450788520002, -0.049985317442);
    row("1000 records", descent(1000, 100), "0.05", 0.00212098109292, -0.0328870209066);
    row("2000 records", descent(2000, 100), "0.05", 0.00147806705484, -0.0232599186167);
    row("200 records, converged", descent(200, 16), "0.5", 0.00416759321759, -1.01861598261e-05);
    row("1000 records, converged", descent(1000, 18), "0.5", 0.00187172074458, -3.3250770524e-06);
    row("200 records, 100 of 100 steps", descentWithExit(200), "0.05", 0.00450788520002, -0.049985317442);
    row("200 records, 16 of 100 steps", descentWithExit(200), "0.5", 0.00416759321759, -1.01861598261e-05);
    row("1000 records, 18 of 100 steps", descentWithExit(1000), "0.5", 0.00187172074458, -3.3250770524e-06);
    row("2000 records, 17 of 100 steps", descentWithExit(2000), "0.5", 0.00130231146769, -4.92060098086e-06);
    row("200 records, ascent", descent(200, 100, true), "0.05", 2.67439591574, 189.512973557);
    row("1000 records, ascent", descent(1000, 100, true), "0.05", 0.870969389731, 57.0275918821);
}

void TestCoarsening::gradientDescent() {
    QFETCH(const QString, program);
    QFETCH(const QString, rate);
    QFETCH(const double, error);
    QFETCH(const double, gradient);
    Elevated bgd(program.toStdString());
    const Result<coarsening::Coarsened> result = coarsening::coarsen(bgd.bank(), bgd.program(), elevationRules(), {});
    QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
    const rewrite::Thread& thread = result->segments.at(0).thread;
    QVERIFY(rewrite::check(bgd.bank(), thread).valid);
    std::vector<std::string> rules{"loop_of_affine", "geometric_sum"};
    if (program.contains(u"(loop ")) rules.insert(rules.begin(), "loop_with_exits");
    QCOMPARE(Elevated::rulesOf(thread), rules);
    const std::string point = rate.toStdString();
    const double value = bgd.value(thread.start.function, thread.end().root, {point});
    QVERIFY2(std::abs(value - error) <= 1e-11 * error, fmt::format("{:.15g}", value).c_str());
    const double slope = bgd.value(result->derivative, bgd.bank().function(result->derivative).body, {point, "1.0"});
    QVERIFY2(std::abs(slope - gradient) <= 2e-11 * std::abs(gradient), fmt::format("{:.15g}", slope).c_str());
}

void TestCoarsening::takesTheWholeFunction() {
    Elevated f(TwoLoops);
    const Result<coarsening::Coarsened> result = coarsening::coarsen(f.bank(), f.program(), elevationRules(), {});
    QVERIFY(result.ok());
    QCOMPARE(coarsening::toString(result->root), std::string("function s t u w result, size 24, segment 1\n"
                                                             "  block s, size 1\n"
                                                             "  loop t, size 14\n"
                                                             "    block result, size 2\n"
                                                             "  block u, size 2\n"
                                                             "  loop w, size 6\n"
                                                             "    block x y result, size 4\n"
                                                             "  block result, size 2\n"));
    QCOMPARE(result->segments.size(), std::size_t{1});
    QVERIFY(result->segments[0].isWhole);
    // Where the definitions stand in the body as written.
    const auto places = [](const coarsening::Region& region) {
        std::string text;
        for (const ir::Path& place : region.places) text += (text.empty() ? "" : " ") + ir::toString(place);
        return text;
    };
    QCOMPARE(places(result->root), std::string("/0 /1/0 /1/1/0 /1/1/1/1/0 /1/1/1/1/1"));
    QCOMPARE(places(result->root.children.at(1).children.at(0)), std::string("/1/0/0/0"));
    QCOMPARE(places(result->root.children.at(3).children.at(0)),
             std::string("/1/1/1/1/0/1/0/0 /1/1/1/1/0/1/0/1/0 /1/1/1/1/0/1/0/1/1"));
}

void TestCoarsening::selectsSegments_data() {
    QTest::addColumn<int>("limit");
    QTest::addColumn<QString>("regions");
    QTest::newRow("the loops separate") << 15
                                        << QStringLiteral(
                                               "function s t u w result, size 24, large\n"
                                               "  block s, size 1, segment 1\n"
                                               "  loop t, size 14, segment 1\n"
                                               "    block result, size 2\n"
                                               "  block u, size 2, segment 2\n"
                                               "  loop w, size 6, segment 2\n"
                                               "    block x y result, size 4\n"
                                               "  block result, size 2, segment 2\n");
    QTest::newRow("a loop that is too large") << 13
                                              << QStringLiteral(
                                                     "function s t u w result, large\n"
                                                     "  block s, size 1, segment 2\n"
                                                     "  loop t, size 14, large\n"
                                                     "    block result, size 2, segment 1\n"
                                                     "  block u, size 2, segment 3\n"
                                                     "  loop w, size 6, segment 3\n"
                                                     "    block x y result, size 4\n"
                                                     "  block result, size 2, segment 3\n");
}

void TestCoarsening::selectsSegments() {
    QFETCH(const int, limit);
    QFETCH(const QString, regions);
    Elevated f(TwoLoops);
    const Result<coarsening::Coarsened> result =
        coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.sizeLimit = static_cast<std::size_t>(limit)});
    QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
    QCOMPARE(QString::fromStdString(coarsening::toString(result->root)), regions);
    for (const coarsening::Segment& segment : result->segments) {
        QVERIFY(!segment.isWhole);
        QVERIFY(ir::calleesOf(f.bank(), f.bank().function(result->derivative).body).size() >= result->segments.size());
        QVERIFY(rewrite::check(f.bank(), segment.thread).valid);
    }
}

void TestCoarsening::splitsAtTheMostUsedVariable() {
    Elevated f(
        "(def f Float ((a : Float) (b : Float)) (let (p (sin a)) (let (q (cos b)) (let (r (mul p q)) (let (s (exp r)) "
        "(let (t (mul r r)) (add (mul r s) t)))))))");
    const Result<coarsening::Coarsened> result =
        coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.sizeLimit = 4});
    QVERIFY(result.ok());
    QCOMPARE(coarsening::toString(result->root), std::string("function p q r s t result, size 7, large\n"
                                                             "  part of a block p q r, size 3, segment 1\n"
                                                             "  part of a block s t result, size 4, segment 2\n"));
    const ir::Function& last = f.bank().function(result->segments.at(1).function);
    QCOMPARE(last.name, std::string("f$segment2"));
    QCOMPARE(last.parameters.size(), std::size_t{1});
    QCOMPARE(f.text(last.body), std::string("(let (s (exp r)) (let (t (mul r r)) (add (mul r s) t)))"));
}

/// The terms that are made for ten times the loops, of which each segment has as many: not more than twenty times as many.
void TestCoarsening::takesWorkAsLongAsTheProgram() {
    const auto termsFor = [](int loops) {
        std::string text = "(def f Float ((t0 : Float) (a : Vec m Float)) ";
        for (int k = 1; k <= loops; ++k) {
            text += fmt::format(
                "(let (t{} (fold (lam (p : Tuple Float Float) (add (mul 0.9 (get$1$2 p)) (sin (get$2$2 p)))) t{} a)) ",
                k, k - 1);
        }
        text += fmt::format("t{}", loops) + std::string(static_cast<std::size_t>(loops) + 1, ')');
        Elevated f(text);
        const Result<coarsening::Coarsened> result =
            coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.sizeLimit = 30, .wrt = {0}});
        return result && result->segments.size() > 1 ? f.bank().size() : 0;
    };
    const std::size_t few = termsFor(30);
    const std::size_t many = termsFor(300);
    QVERIFY(few > 0);
    QVERIFY2(many > 0 && many < 20 * few, fmt::format("{} terms, then {}", few, many).c_str());
}

void TestCoarsening::makesEachStatementASegment() {
    Elevated f(TwoLoops);
    const Result<coarsening::Coarsened> result =
        coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.selects = coarsening::Selects::Statements});
    QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
    QCOMPARE(coarsening::toString(result->root), std::string("function s t u w result, large\n"
                                                             "  part of a block s, size 1, segment 1\n"
                                                             "  loop t, large\n"
                                                             "    part of a block result, size 2, segment 2\n"
                                                             "  part of a block u, size 2, segment 3\n"
                                                             "  loop w, large\n"
                                                             "    part of a block x, size 1, segment 4\n"
                                                             "    part of a block y, size 1, segment 5\n"
                                                             "    part of a block result, size 2, segment 6\n"
                                                             "  part of a block result, size 2, segment 7\n"));
    QCOMPARE(result->segments.size(), std::size_t{7});
    const Result<ir::FunctionId> forward =
        autodiff::derive(f.bank(), autodiff::Direction::Forward, f.program().function);
    QVERIFY(forward.ok());
    const Result<autodiff::CheckReport> report =
        autodiff::check(f.bank(), {f.program().function, *forward, result->derivative}, {});
    QVERIFY2(report.ok(), report ? "" : report.error().render().c_str());
    QVERIFY2(report->passed && report->points >= 10, report->worst.c_str());
}

void TestCoarsening::keepsGradients_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<int>("limit");
    for (const int limit : {1, 4, 8, 13, 15, 600}) {
        QTest::addRow("two loops, %d", limit) << QString::fromUtf8(TwoLoops) << limit;
        QTest::addRow("indexed sums, %d", limit)
            << QString::fromStdString(loopOf("(add (mul a (get$1$2 p)) (index (get$2$2 p) v))")) << limit;
        QTest::addRow("a matrix, %d", limit)
            << QStringLiteral(
                   "(def g (Vec Float) ((m : Vec (Vec Float)) (x : Vec Float)) (build (size m) (lam (i : Integer) "
                   "(let (row (index i m)) (let (s (sumbuild (size row) (lam (j : Integer) (mul (index j row) (index j "
                   "row))))) (mul s (tanh (index 0 x))))))))")
            << limit;
    }
}

void TestCoarsening::keepsGradients() {
    QFETCH(const QString, program);
    QFETCH(const int, limit);
    Elevated f(program.toStdString());
    const Result<coarsening::Coarsened> result =
        coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.sizeLimit = static_cast<std::size_t>(limit)});
    QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
    const Result<ir::FunctionId> forward =
        autodiff::derive(f.bank(), autodiff::Direction::Forward, f.program().function);
    QVERIFY(forward.ok());
    const Result<autodiff::CheckReport> report =
        autodiff::check(f.bank(), {f.program().function, *forward, result->derivative}, {});
    QVERIFY2(report.ok(), report ? "" : report.error().render().c_str());
    QVERIFY2(report->passed && report->points >= 10, report->worst.c_str());
}

/// As written, each is infinite or NaN at 1000, in the value or in the gradient.
void TestCoarsening::gradientsDoNotOverflow_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("slope");
    QTest::newRow("log(1 + exp x)") << QStringLiteral("(log (add 1.0 (exp x)))") << 1000.0 << 1.0;
    QTest::newRow("log(exp x + 1)") << QStringLiteral("(log (add (exp x) 1.0))") << 1000.0 << 1.0;
    QTest::newRow("logistic") << QStringLiteral("(div (exp x) (add 1.0 (exp x)))") << 1.0 << 0.0;
    QTest::newRow("log-sum-exp") << QStringLiteral("(log (sumbuild 2 (lam (i : Integer) (exp (mul x (to_float i))))))")
                                 << 1000.0 << 1.0;
}

void TestCoarsening::gradientsDoNotOverflow() {
    QFETCH(const QString, body);
    QFETCH(const double, value);
    QFETCH(const double, slope);
    Elevated f("(def f Float (x : Float) " + body.toStdString() + ")");
    const Result<coarsening::Coarsened> result = coarsening::coarsen(f.bank(), f.program(), elevationRules(), {});
    QVERIFY(result.ok());
    const rewrite::Thread& thread = result->segments.at(0).thread;
    QVERIFY(rewrite::check(f.bank(), thread).valid);
    QCOMPARE(f.value(thread.start.function, thread.end().root, {"1000.0"}), value);
    QCOMPARE(f.value(result->derivative, f.bank().function(result->derivative).body, {"1000.0", "1.0"}), slope);
}

/// For 1.5 a^n + b (1 + a + ...), n = 5, at a = 0.9 and b = 0.25: the derivatives are 7.5 a^4 + b (1 + 2a + 3a^2 + 4a^3) and the sum.
void TestCoarsening::gradientsInChosenParameters() {
    Elevated f(
        "(def f Float ((a : Float) (n : Integer) (b : Float)) (fold (lam (p : (Tuple Float Integer)) (add (mul a "
        "(get$1$2 "
        "p)) b)) 1.5 (build n (lam (k : Integer) k))))");
    const Result<coarsening::Coarsened> inB =
        coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.wrt = {2}});
    QVERIFY2(inB.ok(), inB ? "" : inB.error().render().c_str());
    const ir::Function& gradient = f.bank().function(inB->derivative);
    QCOMPARE(gradient.name, std::string("f_gradient"));
    QVERIFY(std::abs(f.value(inB->derivative, gradient.body, {"0.9", "5", "0.25"}) - 4.0951) < 1e-12);
    Elevated g(
        "(def f Float ((a : Float) (n : Integer) (b : Float)) (fold (lam (p : (Tuple Float Integer)) (add (mul a "
        "(get$1$2 "
        "p)) b)) 1.5 (build n (lam (k : Integer) k))))");
    const Result<coarsening::Coarsened> inA =
        coarsening::coarsen(g.bank(), g.program(), elevationRules(), {.wrt = {0}});
    QVERIFY(inA.ok());
    const double slope = g.value(inA->derivative, g.bank().function(inA->derivative).body, {"0.9", "5", "0.25"});
    QVERIFY2(std::abs(slope - 6.95725) < 1e-11, fmt::format("{:.15g}", slope).c_str());
}

/// The same function at the same point; its second derivative in a is 30 a^3 + b (2 + 6a + 12a^2).
void TestCoarsening::forwardAndSecondDerivatives() {
    Elevated f(
        "(def f Float ((a : Float) (n : Integer) (b : Float)) (fold (lam (p : (Tuple Float Integer)) (add (mul a "
        "(get$1$2 p)) b)) 1.5 (build n (lam (k : Integer) k))))");
    const Result<coarsening::Coarsened> made =
        coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.wrt = {0}, .forward = true});
    QVERIFY2(made.ok(), made ? "" : made.error().render().c_str());
    const ir::Function& forward = f.bank().function(made->forward);
    QCOMPARE(forward.name, std::string("[fwd [f (Tuple Float Integer Float)]]"));
    QVERIFY2(f.text(forward.body).find("fold") == std::string::npos, f.text(forward.body).c_str());
    const std::string point = R"({"tuple": [0.9, 5, 0.25]})";
    QVERIFY(std::abs(f.value(made->forward, forward.body, {point, R"({"tuple": [1.0, {"tuple": []}, 2.0]})"}) -
                     15.14745) < 1e-11);
    const Result<ir::FunctionId> second = autodiff::derive(f.bank(), autodiff::Direction::Forward, made->derivative);
    QVERIFY2(second.ok(), second ? "" : second.error().render().c_str());
    const double curvature =
        f.value(*second, f.bank().function(*second).body, {point, R"({"tuple": [1.0, {"tuple": []}, 0.0]})"});
    QVERIFY2(std::abs(curvature - 26.15) < 1e-10, fmt::format("{:.15g}", curvature).c_str());
    const Result<autodiff::CheckReport> report = autodiff::check(f.bank(), {made->derivative, *second, {}}, {});
    QVERIFY(report.ok());
    QVERIFY2(report->passed && report->isForwardOnly && report->points >= 10, report->worst.c_str());
    // A wrong second derivative does not agree with differences.
    const Result<autodiff::CheckReport> wrong = autodiff::check(f.bank(), {made->derivative, made->forward, {}}, {});
    QVERIFY(wrong.ok());
    QVERIFY(!wrong->passed);
}

void TestCoarsening::refusesDefinedDerivatives() {
    Elevated f(
        "(def f Float (x : Float) (mul x x)) (def [rev f] Float ((x : Float) (dt : Float)) (mul 2.0 (mul x dt)))"
        "(def g Float (x : Float) (f x))");
    const ir::FunctionId base = f.bank().findFunction("f", f.bank().types().floating());
    const Result<coarsening::Coarsened> result =
        coarsening::coarsen(f.bank(), {base, f.bank().function(base).body}, elevationRules(), {});
    QVERIFY(!result.ok());
    QCOMPARE(result.error().message, std::string("the program defines [rev f] itself"));
}

MITOS_TEST(TestCoarsening)

}  // namespace tst_coarsening

#include "tst_coarsening.moc"
