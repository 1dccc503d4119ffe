// SPDX-License-Identifier: GPL-3.0-or-later
// The six benchmark programs of the coarsening paper: values and gradients by reverse mode, evaluated and compiled, against numbers that
// were computed independently (closed forms, dual numbers, central differences). Inputs come from $ranhashdoub.
#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/codegen/cpp.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QFile>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tst_coarsening_benchmarks {

using namespace mitos;

namespace {

struct Benchmark {
    const char* name;
    const char* file;
    std::string driver;    ///< a function without parameters, with its result type
    const char* expected;  ///< the numbers in its value; each may differ by one unit of its last digit
    bool isLong = false;   ///< only the compiled program runs it
};

std::string bgd(const char* name, int m, double r) {
    return fmt::format(R"(
(gdef rev [{0} (Tuple Float (Vec Float) (Vec Float) Integer Float)])
(def result (Tuple Float Float) ()
  (let ((x (build {1} (lam (i : Integer) (sub (mul 2.0 ($ranhashdoub i)) 1.0))))
        (y (build {1} (lam (i : Integer)
             (add (mul 1.7 (index i x)) (mul 0.2 (sub ($ranhashdoub (add 100000 i)) 0.5)))))))
    (tuple ({0} {2} x y 100 0.001) (get$1$5 ([rev {0}] (tuple {2} x y 100 0.001) 1.0)))))
)",
                       name, m, r);
}

constexpr const char* Line = R"(
(gdef rev [brachistochrone (Vec Float)])
(def line (Vec Float) (n : Integer)
  (build (sub n 1) (lam (i : Integer) (sub 1.0 (div (to_float (add i 1)) (to_float n))))))
(def descended Float ((n : Integer) (steps : Integer) (rate : Float))
  (brachistochrone (fold (lam (p : (Tuple (Vec Float) Integer))
    (ts_add (get$1$2 p) (ts_scale (neg rate) ([rev brachistochrone] (get$1$2 p) 1.0))))
    (line n) (build steps (lam (i : Integer) i)))))
)";

std::string cartpole(int b) {
    std::string gradient;
    for (int i = 0; i < b; ++i) gradient += fmt::format(" (index {} d)", i);
    std::string types;
    for (int i = 0; i < b; ++i) types += " Float";
    return fmt::format(R"(
(gdef rev [cartpole_environment (Tuple (Vec Float) (Tuple Float Float Float Float))])
(def result (Tuple Float{2}) ()
  (let ((all (Vec_init 1.0 -1.0 1.0 1.0 -1.0 -1.0 1.0 -1.0 1.0 -1.0))
        (actions (build {0} (lam (i : Integer) (index i all))))
        (start (tuple 0.01 -0.02 0.03 0.04))
        (d (get$1$2 ([rev cartpole_environment] (tuple actions start) 1.0))))
    (tuple (cartpole_environment actions start){1})))
)",
                       b, gradient, types);
}

std::string hmc(int n, int k) {
    std::string gradient;
    std::string types;
    for (int i = 0; i < k; ++i) {
        gradient += fmt::format(" (index {} d)", i);
        types += " Float";
    }
    return fmt::format(R"(
(gdef rev [hmc (Tuple (Vec Float) (Vec (Vec Float)) (Vec Float) Float)])
(def firstOf (Vec Float) (v : Vec Float) (build {1} (lam (j : Integer) (index j v))))
(def product Float ((a : Vec Float) (b : Vec Float)) (sumbuild {1} (lam (j : Integer) (mul (index j a) (index j b)))))
(def result (Tuple Float Float{3} Float) ()
  (let ((x (build {0} (lam (i : Integer) (build {1} (lam (j : Integer)
             (sub (mul 2.0 ($ranhashdoub (add 200000 (add (mul i {1}) j)))) 1.0))))))
        (true_beta (firstOf (Vec_init 0.8 -0.5 0.3)))
        (y (build {0} (lam (i : Integer)
             (if (lt ($ranhashdoub (add 300000 i)) (div 1.0 (add 1.0 (exp (neg (product (index i x) true_beta))))))
                 1.0 0.0))))
        (beta (firstOf (Vec_init 0.4 -0.2 0.1)))
        (d (get$1$4 ([rev hmc] (tuple beta x y 1000.0) 1.0))))
    (tuple (sum y) (hmc beta x y 1000.0){2} (hmc (firstOf (Vec_init -200.0 150.0 90.0)) x y 1000.0))))
)",
                       n, k, gradient, types);
}

std::string hookean(int vertices) {
    const int rows = vertices / 2;
    return fmt::format(R"(
(gdef rev [hookean_spring (Tuple (Vec (Tuple Float Float)) (Vec (Tuple Integer Integer)) (Vec Float) Float)])
(def result (Tuple Float Float Float Float) ()
  (let ((points (build {0} (lam (i : Integer)
          (tuple (add (to_float (sub i (mul 2 (div i 2)))) (mul 0.4 (sub ($ranhashdoub (add 400000 (mul 2 i))) 0.5)))
                 (add (to_float (div i 2)) (mul 0.4 (sub ($ranhashdoub (add 400001 (mul 2 i))) 0.5)))))))
        (edges (build {2} (lam (e : Integer)
          (if (lt e {1}) (tuple (mul 2 e) (add (mul 2 e) 1))
            (let ((q (sub e {1})) (r (mul 2 (div q 4))) (s (sub q (mul 4 (div q 4)))))
              (if (eq s 0) (tuple r (add r 2))
                (if (eq s 1) (tuple (add r 1) (add r 3))
                  (if (eq s 2) (tuple r (add r 3)) (tuple (add r 1) (add r 2))))))))))
        (rest (build {2} (lam (e : Integer)
          (if (and (gte e {1}) (gte (sub (sub e {1}) (mul 4 (div (sub e {1}) 4))) 2)) (sqrt 2.0) 1.0))))
        (d (get$1$4 ([rev hookean_spring] (tuple points edges rest 1.0) 1.0)))
        (relaxed (fold (lam (p : (Tuple (Vec (Tuple Float Float)) Integer))
            (ts_add (get$1$2 p) (ts_scale -0.05
              (get$1$4 ([rev hookean_spring] (tuple (get$1$2 p) edges rest 1.0) 1.0)))))
          points (build 100 (lam (i : Integer) i)))))
    (tuple (hookean_spring points edges rest 1.0) (get$1$2 (index 0 d)) (get$2$2 (index 0 d))
           (hookean_spring relaxed edges rest 1.0))))
)",
                       vertices, rows, rows + 4 * (rows - 1));
}

constexpr const char* SinePlan =
    "(def plan (Vec Float) () (build 40 (lam (i : Integer) (mul 0.6 (sin (mul 0.7 (to_float i)))))))";

std::string qwopRun(const char* plan, double mass) {
    return fmt::format("{}\n(def result Float () (qwop {} {:.1f} 200))", SinePlan, plan, mass);
}

std::string qwopGradient(int steps) {
    return fmt::format(R"({}
(gdef rev [qwop (Tuple (Vec Float) Float Integer)])
(def result (Tuple Float Float Float Float) ()
  (let (d (get$1$3 ([rev qwop] (tuple (plan) 1.0 {}) 1.0)))
    (tuple (qwop (plan) 1.0 {}) (index 0 d) (index 1 d) (index 5 d))))
)",
                       SinePlan, steps, steps);
}

/// Gradient descent on the polygon is unstable at the rate 0.1, so that only two decimals hold; the reference of the last two gradients is
/// a central difference.
std::vector<Benchmark> benchmarks() {
    const auto descended = [](int steps, double rate) {
        return Line + fmt::format("(def result Float () (descended 100 {} {}))", steps, rate);
    };
    return {
        {"BGD 200, 0.05", "bgd_descent", bgd("bgd_descent", 200, 0.05), "0.00450788520002 -0.049985317442"},
        {"BGD 1000, 0.05", "bgd_descent", bgd("bgd_descent", 1000, 0.05), "0.00212098109292 -0.0328870209066"},
        {"BGD 2000, 0.05", "bgd_descent", bgd("bgd_descent", 2000, 0.05), "0.00147806705484 -0.0232599186167", true},
        {"BGD 200, 0.5", "bgd_descent", bgd("bgd_descent", 200, 0.5), "0.00416759321759 -1.01861598261e-05"},
        {"BGD 1000, 0.5", "bgd_descent", bgd("bgd_descent", 1000, 0.5), "0.00187172074458 -3.3250770524e-06"},
        {"BGD 2000, 0.5", "bgd_descent", bgd("bgd_descent", 2000, 0.5), "0.00130231146769 -4.92060098086e-06", true},
        {"BGD as printed, 200", "bgd_printed", bgd("bgd_printed", 200, 0.05), "2.67439591574 189.512973557"},
        {"BGD as printed, 1000", "bgd_printed", bgd("bgd_printed", 1000, 0.05), "0.870969389731 57.0275918821"},
        {"BGD as printed, 2000", "bgd_printed", bgd("bgd_printed", 2000, 0.05), "0.624133145755 40.9951891331", true},
        {"Brachistochrone, straight line", "brachistochrone",
         std::string(Line) +
             "(def result (Tuple Float Float Float Float Float) () (let (d ([rev brachistochrone] (line 100) 1.0)) "
             "(tuple (brachistochrone (line 100)) (index 0 d) (index 36 d) (index 49 d) (index 98 d))))",
         "1.86262925863 10.2692043109 0.0194775383 0.01239757599 0.00444937025"},
        {"Brachistochrone, 400 steps", "brachistochrone", descended(400, 0.1), "1.39"},
        {"Brachistochrone, 10000 steps", "brachistochrone", descended(10000, 0.01), "1.2399591887", true},
        {"CartPole 6", "cartpole_environment", cartpole(6),
         "0.00325862016092 -2.806108e-3 -1.699856e-3 -8.854504e-4 -3.711534e-4 -1.101119e-4 0"},
        {"CartPole 8", "cartpole_environment", cartpole(8), "0.0026026082695 -3.173273e-3 * * * * * -6.645633e-5 0"},
        {"CartPole 10", "cartpole_environment", cartpole(10),
         "0.0021682425051 -3.476801e-3 * * * * * * * -4.166121e-5 0"},
        {"HMC 100, 1", "hmc", hmc(100, 1), "57 -66.9855739781 4.22531450737 -6450.702708"},
        {"HMC 1000, 2", "hmc", hmc(1000, 2), "498 -672.871839579 20.263226541 -19.4390453343 -76427.16643"},
        {"HMC 800, 3", "hmc", hmc(800, 3),
         "400 -538.907543169 13.0014144612 -10.6302460034 15.5485290723 -60134.27675"},
        {"HookeanSpring 10", "hookean_spring", hookean(10),
         "0.177031581963 0.00876136780848 -0.0509827637192 5.96743e-5"},
        {"HookeanSpring 20", "hookean_spring", hookean(20),
         "0.420981297663 0.00876136780848 -0.0509827637192 5.32359e-4"},
        {"HookeanSpring 40", "hookean_spring", hookean(40),
         "1.0657987002 0.00876136780848 -0.0509827637192 1.446178e-3"},
        {"QWOP, no plan", "qwop", qwopRun("(constVec 40 0.0)", 1.0), "1.98289480044"},
        {"QWOP, ones", "qwop", qwopRun("(constVec 40 1.0)", 1.0), "1.95479614888"},
        {"QWOP, sine", "qwop", qwopRun("(plan)", 1.0), "2.44788790992"},
        {"QWOP, sine, heavy", "qwop", qwopRun("(plan)", 2.0), "2.40012189990"},
        {"QWOP, no plan, heavy", "qwop", qwopRun("(constVec 40 0.0)", 2.0), "1.95564014212"},
        {"QWOP, no plan, light", "qwop", qwopRun("(constVec 40 0.0)", 0.8), "0.9039"},
        {"QWOP, sine, light", "qwop", qwopRun("(plan)", 0.8), "1.835"},
        {"QWOP, 20 steps", "qwop", qwopGradient(20), "0.13598447718 -0.06342801 0.06168275 *"},
        {"QWOP, 60 steps", "qwop", qwopGradient(60), "0.901258672682 0.4688776 -0.2749745 0.0497118"},
    };
}

std::string source(const Benchmark& benchmark) {
    QFile file(QStringLiteral(MITOS_SOURCE_DIR "/samples/coarsening/%1.ks").arg(QLatin1String(benchmark.file)));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return file.readAll().toStdString() + "\n" + benchmark.driver;
}

/// The Floats in a value, separated by spaces.
void flatten(std::string& text, const eval::Value& value) {
    if (value.isFloat()) text += fmt::format("{:.15g} ", value.asFloat());
    if (!value.isTuple()) return;
    for (const eval::Value& part : value.asTuple().elements) flatten(text, part);
}

/// Half a unit of the last digit of a number for its rounding, and half a unit for that of the computations.
double toleranceOf(const std::string& number) {
    const std::size_t exponent = number.find_first_of("eE");
    const std::string digits = number.substr(0, exponent);
    const std::size_t point = digits.find('.');
    const double decimals = point == std::string::npos ? 0.0 : static_cast<double>(digits.size() - point - 1);
    const double power = exponent == std::string::npos ? 0.0 : std::stod(number.substr(exponent + 1));
    return std::pow(10.0, power - decimals);
}

/// Whether the numbers agree with the expected ones; * stands for any number.
bool agree(const std::string& expected, const std::string& found) {
    std::istringstream left(expected);
    std::istringstream right(found);
    std::string wanted;
    std::string number;
    while (left >> wanted) {
        if (!(right >> number)) return false;
        if (wanted == "*") continue;
        if (wanted == "0" ? std::stod(number) != 0.0
                          : !(std::abs(std::stod(wanted) - std::stod(number)) <= toleranceOf(wanted))) {
            return false;
        }
    }
    return !(right >> number);
}

}  // namespace

class TestCoarseningBenchmarks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void evaluate_data();
    void evaluate();
    void compile();
};

void TestCoarseningBenchmarks::evaluate_data() {
    QTest::addColumn<int>("index");
    const std::vector<Benchmark> all = benchmarks();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].isLong) QTest::newRow(all[i].name) << static_cast<int>(i);
    }
}

void TestCoarseningBenchmarks::evaluate() {
    QFETCH(int, index);
    const Benchmark benchmark = benchmarks()[static_cast<std::size_t>(index)];
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = dialects::parseProgram(bank, "benchmark.ks", source(benchmark));
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<eval::Evaluation> result = eval::evaluate(bank, *program, {}, {.steps = 1'000'000'000});
    QVERIFY2(result.ok(), result ? "" : result.error().message.c_str());
    std::string found;
    flatten(found, result->value);
    QVERIFY2(agree(benchmark.expected, found), fmt::format("{}\n{}", benchmark.expected, found).c_str());
}

/// All benchmarks in one program, without a warning of either compiler.
void TestCoarseningBenchmarks::compile() {
    std::set<std::string> includes{"#include <cstdio>", "#include <tuple>"};
    std::string bodies =
        "void put(double x) { std::printf(\"%.15g \", x); }\n"
        "template <typename... T> void put(const std::tuple<T...>& x) {\n"
        "    std::apply([](const auto&... parts) { (put(parts), ...); }, x);\n}\n";
    std::string main = "int main() {\n";
    const std::vector<Benchmark> all = benchmarks();
    for (std::size_t i = 0; i < all.size(); ++i) {
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = dialects::parseProgram(bank, "benchmark.ks", source(all[i]));
        QVERIFY(program.ok());
        codegen::CppOptions options;
        options.functionName = "f";
        const Result<std::string> text = codegen::emitCpp(bank, *program, options);
        QVERIFY2(text.ok(), text ? "" : text.error().message.c_str());
        bodies += fmt::format("namespace p{} {{\n", i);
        std::istringstream lines(*text);
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("#include")) {
                includes.insert(line);
            } else {
                bodies += line + "\n";
            }
        }
        bodies += "}\n";
        main += fmt::format("    put(p{}::f());\n    std::printf(\"\\n\");\n", i);
    }
    std::string whole;
    for (const std::string& include : includes) whole += include + "\n";
    whole += bodies + main + "}\n";
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    QVERIFY(folder.ok());
    QVERIFY(writeFile(folder->path() + "/all.cpp", whole).ok());
    ChildOptions options;
    options.folder = folder->path();
    options.seconds = 250;
    const Result<ChildOutput> compiled =
        runChild({"c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "all.cpp", "-o", "all"}, options);
    QVERIFY2(compiled.ok() && compiled->exitStatus == 0, compiled ? compiled->errors.substr(0, 3000).c_str() : "");
    const Result<ChildOutput> run = runChild({folder->path() + "/all"}, options);
    QVERIFY(run.ok() && run->exitStatus == 0);
    std::istringstream lines(run->output);
    for (const Benchmark& benchmark : all) {
        std::string line;
        std::getline(lines, line);
        QVERIFY2(agree(benchmark.expected, line),
                 fmt::format("{}\n{}\n{}", benchmark.name, benchmark.expected, line).c_str());
    }
    for (const char* compiler : {"clang++", "clang++-14"}) {
        const Result<ChildOutput> other =
            runChild({compiler, "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "all.cpp"}, options);
        if (other.ok()) QVERIFY2(other->exitStatus == 0, other->errors.substr(0, 3000).c_str());
    }
}

MITOS_TEST(TestCoarseningBenchmarks)

}  // namespace tst_coarsening_benchmarks

#include "tst_coarsening_benchmarks.moc"
