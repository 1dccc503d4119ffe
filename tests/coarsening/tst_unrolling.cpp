// SPDX-License-Identifier: GPL-3.0-or-later
// Loops with a constant trip count: written out as threads of rule steps, their values, and the limits.
#include "core/autodiff/derivative.h"
#include "core/base/random.h"
#include "core/rewrite/verify.h"
#include "tests/coarsening/elevated.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QFile>
#include <algorithm>

namespace tst_unrolling {

using namespace mitos;
using namespace mitos::tests;

class TestUnrolling : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writesLoopsOut_data();
    void writesLoopsOut();
    void keepsLoops_data();
    void keepsLoops();
    void inlinesCallsOnVectors();
    void takesAWholeWhosePartsAreLarge();
    void randomLoops();
    void gradientsOfTheBenchmarks_data();
    void gradientsOfTheBenchmarks();
};

/// A function of a Float a and a vector v.
std::string inVector(const std::string& body) { return "(def f Float ((a : Float) (v : (Vec Float))) " + body + ")"; }

/// The values are those of the loops as written, at a = 0.9 and v = [0.5, -1.25, 2.0, 0.75, -0.5].
void TestUnrolling::writesLoopsOut_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("form");
    QTest::addColumn<double>("expected");
    const auto row = [](const char* name, const char* body, const char* form, double expected) {
        QTest::newRow(name) << QString::fromUtf8(body) << QString::fromUtf8(form) << expected;
    };
    row("a fold",
        "(fold (lam (p : (Tuple Float Integer)) (sin (add (get$1$2 p) (index (get$2$2 p) v)))) a "
        "(build 2 (lam (i : Integer) i)))",
        "(let (x (sin (add a (index 0 v)))) (sin (add x (index 1 v))))", -0.2614752106383719);
    row("a state of two variables",
        "(get$1$2 (fold (lam (p : (Tuple (Tuple Float Float) Integer)) (tuple (get$2$2 (get$1$2 p)) (mul (get$1$2 "
        "(get$1$2 p)) (index (get$2$2 p) v)))) (tuple a 2.0) (build 3 (lam (i : Integer) i))))",
        "(mul 2.0 (index 1 v))", -2.5);
    row("a sum", "(sumbuild 3 (lam (i : Integer) (mul (index i v) (to_float i))))",
        "(add (index 1 v) (mul 2.0 (index 2 v)))", 2.75);
    row("vectors read at constant places",
        "(let (d (build 2 (lam (i : Integer) (sub (index (add i 1) v) (index i v))))) (mul (index 0 d) (mul (index 0 "
        "d) (index 1 d))))",
        "(let (x (sub (index 1 v) (index 0 v))) (let (x_1 (sub (index 2 v) (index 1 v))) (mul x (mul x x_1))))",
        9.953125);
    row("a table of places",
        "(let (from (Vec_init 3 0 1)) (sumbuild 2 (lam (k : Integer) (mul a (index (index k from) v)))))",
        "(add (mul a (index 3 v)) (mul a (index 0 v)))", 1.125);
    row("constant factors", "(sumbuild 2 (lam (i : Integer) (div (mul (mul 3.0 (index i v)) a) 4.0)))",
        "(add (mul 0.75 (mul (index 0 v) a)) (mul 0.75 (mul (index 1 v) a)))", -0.50625);
    row("a choice by the place", "(sumbuild 3 (lam (i : Integer) (if (eq i 1) (index i v) 0.0)))", "(index 1 v)",
        -1.25);
}

void TestUnrolling::writesLoopsOut() {
    QFETCH(const QString, body);
    QFETCH(const QString, form);
    QFETCH(const double, expected);
    Elevated f(inVector(body.toStdString()));
    const rewrite::Thread thread = f.thread();
    QCOMPARE(QString::fromStdString(f.text(thread.end().root)), form);
    const rewrite::ThreadReport report = rewrite::check(f.bank(), thread);
    QVERIFY2(report.valid, report.reason.c_str());
    for (const ir::TermId term : {thread.start.root, thread.end().root}) {
        const double value = f.value(thread.start.function, term, {"0.9", "[0.5, -1.25, 2.0, 0.75, -0.5]"});
        QVERIFY2(std::abs(value - expected) <= 1e-14 * std::abs(expected), std::to_string(value).c_str());
    }
}

void TestUnrolling::keepsLoops_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("iterations");
    QTest::addColumn<int>("operators");
    const QString loop = QStringLiteral(
        "(fold (lam (p : (Tuple Float Integer)) (sin (add (get$1$2 p) (index (get$2$2 p) v)))) a (build %1 (lam (i : "
        "Integer) i)))");
    QTest::newRow("17 iterations") << loop.arg(17) << 16 << 600;
    QTest::newRow("3 iterations of 3 operators") << loop.arg(3) << 16 << 8;
    QTest::newRow("none is wanted") << loop.arg(2) << 0 << 600;
    QTest::newRow("a trip count that is not constant") << loop.arg(QStringLiteral("(size v)")) << 16 << 600;
}

void TestUnrolling::keepsLoops() {
    QFETCH(const QString, body);
    QFETCH(const int, iterations);
    QFETCH(const int, operators);
    Elevated f(inVector(body.toStdString()));
    const rewrite::Thread thread =
        coarsening::elevate(f.bank(), f.program(), elevationRules(),
                            {static_cast<std::size_t>(iterations), static_cast<std::size_t>(operators)});
    QCOMPARE(thread.steps.size(), std::size_t{0});
}

/// A call that gets numbers only stays a call.
void TestUnrolling::inlinesCallsOnVectors() {
    Elevated f("(def at Float ((w : (Vec Float)) (i : Integer)) (index i w))\n(def g Float (x : Float) (sin x))\n" +
               inVector("(sumbuild 2 (lam (i : Integer) (mul a (g (at v i)))))"));
    QCOMPARE(QString::fromStdString(f.text(f.thread().end().root)),
             QStringLiteral("(add (mul a (g (index 0 v))) (mul a (g (index 1 v))))"));
    // A loop that stays keeps its calls.
    QVERIFY(coarsening::elevate(f.bank(), f.program(), elevationRules(), {16, 5}).steps.empty());
}

/// Where the table is in sight, the loop is small; by itself, it is not.
void TestUnrolling::takesAWholeWhosePartsAreLarge() {
    Elevated f(
        inVector("(let (from (Vec_init 0 0 0 0)) (let (s (sumbuild 4 (lam (k : Integer) (sin (index (index k from) "
                 "v))))) (mul a s)))"));
    const Result<coarsening::Coarsened> result =
        coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.sizeLimit = 12});
    QVERIFY(result.ok());
    QCOMPARE(QString::fromStdString(coarsening::toString(result->root)),
             QStringLiteral("function from s result, size 6, segment 1\n"
                            "  block from, size 1\n"
                            "  loop s, size 15\n"
                            "    block result, size 3\n"
                            "  block result, size 1\n"));
}

namespace {

/// Expressions over the Float a, vectors of known sizes and indices of loops with constant trip counts.
class RandomProgram {
public:
    explicit RandomProgram(std::uint64_t seed) : m_random(seed) {}

    std::string number(int depth) {
        if (depth == 0) return leaf();
        switch (m_random.below(8)) {
            case 0: return fmt::format("(sin {})", number(depth - 1));
            case 1: return fmt::format("(div {} 3.0)", number(depth - 1));
            case 2: return fmt::format("(sub {} {})", number(depth - 1), number(depth - 1));
            case 3: return fmt::format("(mul {} {})", number(depth - 1), number(depth - 1));
            case 4:
                return fmt::format("(if (gt {} 0.0) {} {})", number(depth - 1), number(depth - 1), number(depth - 1));
            case 5: {
                const auto [i, body, trips] = looped(depth);
                return fmt::format("(sumbuild {} (lam ({} : Integer) {}))", trips, i, body);
            }
            case 6: {
                const auto [i, body, trips] = looped(depth);
                const std::string w = fresh("w");
                m_vectors.emplace_back(w, trips);
                const std::string rest = number(depth - 1);
                m_vectors.pop_back();
                return fmt::format("(let ({} (build {} (lam ({} : Integer) {}))) {})", w, trips, i, body, rest);
            }
            default: return fold(depth);
        }
    }

private:
    struct Looped {
        std::string index;
        std::string body;
        std::size_t trips;
    };

    std::string fresh(const char* hint) { return fmt::format("{}{}", hint, ++m_next); }

    Looped looped(int depth) {
        Looped loop{fresh("i"), {}, 1 + m_random.below(4)};
        m_indices.emplace_back(loop.index, loop.trips);
        loop.body = number(depth - 1);
        m_indices.pop_back();
        return loop;
    }

    std::string fold(int depth) {
        const std::string start = fmt::format("(tuple {} a)", leaf());
        const std::size_t trips = 1 + m_random.below(4);
        const std::string p = fresh("p");
        m_indices.emplace_back(fmt::format("(get$2$2 {})", p), trips);
        m_floats.push_back(fmt::format("(get$1$2 (get$1$2 {}))", p));
        m_floats.push_back(fmt::format("(get$2$2 (get$1$2 {}))", p));
        const std::string step = fmt::format("(tuple {} {})", number(depth - 1), number(depth - 1));
        m_floats.resize(m_floats.size() - 2);
        m_indices.pop_back();
        return fmt::format(
            "(get${}$2 (fold (lam ({} : (Tuple (Tuple Float Float) Integer)) {}) {} (build {} (lam (i "
            ": Integer) i))))",
            1 + m_random.below(2), p, step, start, trips);
    }

    std::string leaf() {
        const std::size_t kind = m_random.below(3);
        if (kind == 0) return fmt::format("{:.3f}", m_random.uniform(-2.0, 2.0));
        if (kind == 1) return m_floats[m_random.below(m_floats.size())];
        const auto& [vector, size] = m_vectors[m_random.below(m_vectors.size())];
        if (!m_indices.empty()) {
            const auto& [index, trips] = m_indices[m_random.below(m_indices.size())];
            if (trips <= size) return fmt::format("(index {} {})", index, vector);
        }
        return fmt::format("(index {} {})", m_random.below(size), vector);
    }

    Random m_random;
    std::size_t m_next = 0;
    std::vector<std::string> m_floats{"a"};
    std::vector<std::pair<std::string, std::size_t>> m_vectors{{"v", 5}};
    std::vector<std::pair<std::string, std::size_t>> m_indices;
};

}  // namespace

void TestUnrolling::randomLoops() {
    int unrolled = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const std::string program = inVector(RandomProgram(seed).number(4));
        Elevated f(program);
        const rewrite::Thread thread = f.thread();
        unrolled += thread.steps.empty() ? 0 : 1;
        const rewrite::ThreadReport report = rewrite::check(f.bank(), thread);
        QVERIFY2(report.valid, report.reason.c_str());
        const std::vector<std::string> arguments{"0.9", "[0.5, -1.25, 2.0, 0.75, -0.5]"};
        const double before = f.value(thread.start.function, thread.start.root, arguments);
        const double after = f.value(thread.start.function, thread.end().root, arguments);
        QVERIFY2(std::abs(before - after) <= 1e-11 * std::max(1.0, std::abs(before)),
                 fmt::format("seed {}: {} and {}\n{}", seed, before, after, program).c_str());
    }
    QVERIFY2(unrolled >= 100, std::to_string(unrolled).c_str());
}

/// The numbers of the design: dual numbers and central differences of the loops as written.
void TestUnrolling::gradientsOfTheBenchmarks_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("function");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QList<double>>("expected");
    QTest::addColumn<double>("tolerance");
    const QStringList actions{QStringLiteral("1.0"), QStringLiteral("-1.0"), QStringLiteral("1.0"),
                              QStringLiteral("1.0"), QStringLiteral("-1.0"), QStringLiteral("-1.0"),
                              QStringLiteral("1.0"), QStringLiteral("-1.0"), QStringLiteral("1.0"),
                              QStringLiteral("-1.0")};
    const auto cartpole = [&](int steps, const QList<double>& expected) {
        const QString first = QStringLiteral("[%1]").arg(actions.first(steps).join(QStringLiteral(", ")));
        QTest::addRow("CartPole, %d steps", steps)
            << QStringLiteral("cartpole_steps") << QStringLiteral("cartpole_%1").arg(steps)
            << QStringList{first, QStringLiteral(R"({"tuple": [0.01, -0.02, 0.03, 0.04]})")} << expected << 5e-10;
    };
    cartpole(6, {-2.806108e-3, -1.699856e-3, -8.854504e-4, -3.711534e-4, -1.101119e-4, 0.0});
    cartpole(8, {-3.173273e-3, NAN, NAN, NAN, NAN, NAN, -6.645633e-5, 0.0});
    cartpole(10, {-3.476801e-3, NAN, NAN, NAN, NAN, NAN, NAN, NAN, -4.166121e-5, 0.0});
    QStringList plan;
    for (int i = 0; i < 40; ++i) plan.push_back(QString::number(0.6 * std::sin(0.7 * i), 'g', 17));
    const QString sines = QStringLiteral("[%1]").arg(plan.join(QStringLiteral(", ")));
    QTest::newRow("QWOP, 20 steps") << QStringLiteral("qwop") << QStringLiteral("qwop")
                                    << QStringList{sines, QStringLiteral("1.0"), QStringLiteral("20")}
                                    << QList<double>{-0.0634280132, 0.0616827473} << 5e-8;
    QTest::newRow("QWOP, 60 steps") << QStringLiteral("qwop") << QStringLiteral("qwop")
                                    << QStringList{sines, QStringLiteral("1.0"), QStringLiteral("60")}
                                    << QList<double>{0.468877614, -0.274974535, NAN, NAN, NAN, 0.0497118285} << 5e-8;
}

void TestUnrolling::gradientsOfTheBenchmarks() {
    QFETCH(const QString, sample);
    QFETCH(const QString, function);
    QFETCH(const QStringList, arguments);
    QFETCH(const QList<double>, expected);
    QFETCH(const double, tolerance);
    QFile file(QStringLiteral(MITOS_SOURCE_DIR "/samples/coarsening/%1.ks").arg(sample));
    QVERIFY(file.open(QIODevice::ReadOnly));
    Elevated f(file.readAll().toStdString(), function.toStdString());
    const Result<coarsening::Coarsened> result =
        coarsening::coarsen(f.bank(), f.program(), elevationRules(), {.wrt = {0}});
    QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
    QCOMPARE(result->segments.size(), std::size_t{1});
    QVERIFY(result->segments[0].isWhole);
    QVERIFY(rewrite::check(f.bank(), result->segments[0].thread).valid);
    std::vector<std::string> inputs;
    for (const QString& argument : arguments) inputs.push_back(argument.toStdString());
    const std::vector<double> gradient = f.vector(result->derivative, inputs);
    QVERIFY(static_cast<qsizetype>(gradient.size()) >= expected.size());
    for (qsizetype i = 0; i < expected.size(); ++i) {
        if (std::isnan(expected[i])) continue;
        const double value = gradient[static_cast<std::size_t>(i)];
        QVERIFY2(std::abs(value - expected[i]) <= tolerance,
                 qPrintable(QStringLiteral("%1: %2 instead of %3").arg(i).arg(value).arg(expected[i])));
    }
}

MITOS_TEST(TestUnrolling)

}  // namespace tst_unrolling

#include "tst_unrolling.moc"
