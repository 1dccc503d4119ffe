// SPDX-License-Identifier: GPL-3.0-or-later
// The cheap gradient principle (Griewank and Walther, Evaluating Derivatives, 2008, 4.6): a gradient takes at most five times the operations
// of its function. Operations of the loop forms are counted while they run, at growing sizes.
#include "core/autodiff/derivative.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/eval/testing/random_terms.h"
#include "core/ks/module.h"
#include "core/loops/interpreter.h"
#include "core/loops/lowering.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tst_cheap_gradients {

using namespace mitos;

namespace {

constexpr double CheapBound = 5.0;
constexpr std::int64_t Sizes[] = {16, 64, 256};

struct Kernel {
    const char* name;
    const char* program;
    std::vector<std::size_t> wrt;  ///< numbers of the parameters
    double bound = CheapBound;     ///< larger: a gradient that is known to take more, and may not take still more
};

/// Shapes of programs whose gradients are easily made too expensive: rows that are read in branches, states of folds that grow, and elements
/// that are read at computed places. Dimensions that do not grow are numbers.
const std::vector<Kernel>& kernels() {
    static const std::vector<Kernel> all{
        {"robust regression: a branch on a row's residual",
         "(def f Float ((w : Vec 8 Float) (x : Vec n (Vec 8 Float)) (y : Vec n Float)) (sumbuild n (lam (i : Integer) "
         "(let (e (sub (index i y) (dot w (index i x)))) (if (gt (abs e) 1.5) (sub (mul 3.0 (abs e)) 2.25) (mul e "
         "e))))))",
         {0}},
        {"nearest centre: the least value of a fold",
         "(def f Float ((c : Vec k (Vec 4 Float)) (x : Vec k (Vec 4 Float))) (sumbuild k (lam (i : Integer) (fold (lam "
         "(p : Tuple Float Integer) (let (q (let (e (sub (index (get$2$2 p) c) (index i x))) (dot e e))) (if (lt q "
         "(get$1$2 p)) q (get$1$2 p)))) 1e6 (build k (lam (j : Integer) j))))))",
         {0}},
        {"nearest centre: by points as well, of which a fold reads one",
         "(def f Float ((c : Vec k (Vec 4 Float)) (x : Vec n (Vec 4 Float))) (sumbuild n (lam (i : Integer) (let (d "
         "(let "
         "(e (sub (index 0 c) (index i x))) (dot e e))) (fold (lam (p : Tuple Float (Vec Float)) (let (q (let (e (sub "
         "(get$2$2 p) (index i x))) (dot e e))) (if (lt q (get$1$2 p)) q (get$1$2 p)))) d c)))))",
         {0, 1}},
        {"nearest centre: the largest element of a vector",
         "(def f Float ((c : Vec k (Vec 4 Float)) (x : Vec k (Vec 4 Float))) (sumbuild k (lam (i : Integer) (max "
         "(build k (lam (j : Integer) (let (e (sub (index j c) (index i x))) (neg (dot e e)))))))))",
         {0}},
        {"two layers with a rectifier",
         "(def rect Float (z : Float) (if (lt z 0.0) 0.0 z)) (def f Float ((a : Vec h (Vec 4 Float)) (b : Vec h Float) "
         "(x : Vec h (Vec 4 Float)) (y : Vec h Float)) (sumbuild h (lam (i : Integer) (let (r (sub (index i y) "
         "(sumbuild h (lam (j : Integer) (mul (rect (dot (index i x) (index j a))) (index j b)))))) (mul r r)))))",
         {0, 1}},
        {"rows of a table at places that are data, masked",
         "(def f Float ((e : Vec n (Vec 8 Float)) (t : Vec n Integer)) (sumbuild n (lam (i : Integer) (let (k (index i "
         "t)) (if (eq k 0) 0.0 (let (r (index k e)) (dot r r)))))))",
         {0}},
        {"recurrent network",
         "(def f Float ((w : Vec h (Vec h Float)) (u : Vec h Float) (x : Vec 5 Float)) (sum (fold (lam (p : Tuple (Vec "
         "Float) Float) (build h (lam (i : Integer) (tanh (add (mul (get$2$2 p) (index i u)) (dot (get$1$2 p) (index i "
         "w))))))) (constVec h 0.0) x)))",
         {0, 1}},
        {"diffusion: a stencil in a fold",
         "(def f Float ((u : Vec n Float) (a : Float)) (let (e (fold (lam (p : Tuple (Vec Float) Integer) (let (s "
         "(get$1$2 p)) (build n (lam (i : Integer) (if (or (lt i 1) (gte i (sub n 1))) (index i s) (add (index i s) "
         "(mul "
         "a (sub (add (index (add i 1) s) (index (sub i 1) s)) (mul 2.0 (index i s)))))))))) u (build 10 (lam (k : "
         "Integer) k)))) (dot e e)))",
         {0, 1}},
        {"cross entropy: a normalization that is written in each summand",
         "(def f Float ((x : Vec n Float) (t : Vec n Float)) (sumbuild n (lam (i : Integer) (mul (index i t) (sub "
         "(index "
         "i x) (log (sumbuild n (lam (j : Integer) (exp (index j x))))))))))",
         {0, 1}},
        {"variance: the mean within each summand",
         "(def f Float (x : Vec n Float) (sumbuild n (lam (i : Integer) (let (d (sub (index i x) (div (sum x) "
         "(to_float "
         "n)))) (mul d d)))))",
         {0}},
        {"a row that is chosen by a branch",
         "(def f Float ((w : Vec 2 (Vec 8 Float)) (x : Vec n (Vec 8 Float))) (sumbuild n (lam (i : Integer) (let (r "
         "(index i x)) (if (lt (index 0 r) 0.25) (dot r (index 1 w)) (dot r (index 0 w)))))))",
         {0}},
        {"forward substitution: a state that grows by an element",
         "(def f Float ((l : Vec n (Vec n Float)) (b : Vec n Float)) (sum (fold (lam (p : Tuple (Vec Float) Integer) "
         "(let ((y (get$1$2 p)) (i (get$2$2 p))) (ts_add y (deltaVec n i (div (sub (index i b) (dot y (index i l))) "
         "(add 4.0 (index i (index i l)))))))) (constVec n 0.0) (build n (lam (i : Integer) i)))))",
         {0, 1}},
        {"energy of pairs of tuples",
         "(def f Float ((p : Vec n (Tuple Float Float))) (sumbuild n (lam (i : Integer) (sumbuild n (lam (j : Integer) "
         "(if (gt j i) (let ((a (index i p)) (b (index j p)) (x (sub (get$1$2 b) (get$1$2 a))) (y (sub (get$2$2 b) "
         "(get$2$2 a)))) (div 1.0 (sqrt (add 0.5 (add (mul x x) (mul y y)))))) 0.0))))))",
         {0}},
        {"energy of pairs of vectors",
         "(def f Float ((p : Vec n (Vec 2 Float))) (sumbuild n (lam (i : Integer) (sumbuild n (lam (j : Integer) (if "
         "(gt j i) (let (e (sub (index j p) (index i p))) (div 1.0 (sqrt (add 0.5 (dot e e))))) 0.0))))))",
         {0}},
    };
    return all;
}

/// Inputs of one size; Integers in vectors are places in vectors.
eval::Value withPlaces(const eval::Value& value, std::int64_t size, Random& random) {
    if (!value.isTensor()) return value;
    eval::TensorValue tensor = value.asTensor();
    for (eval::Value& element : tensor.elements) {
        element = element.isInteger()
                      ? eval::Value(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size))))
                      : withPlaces(element, size, random);
    }
    return eval::Value(std::move(tensor));
}

/// Iterations of loops that compute nothing are work of a function, too, which its gradient has to undo.
Result<loops::Counts> counted(const ir::TermBank& bank, ir::FunctionId function, const eval::Inputs& inputs) {
    constexpr std::uint64_t MostSteps = 40'000'000;
    MITOS_TRY(const loops::Program form, loops::lower(bank, {function, bank.function(function).body}));
    MITOS_TRY(loops::Interpretation run, loops::interpret(bank, form, inputs, MostSteps));
    return std::move(run.counts);
}

struct Pair {
    double primal = 0.0;
    double iterations = 0.0;  ///< of the primal
    double gradient = 0.0;
};

/// The operations of a function and its gradient at a size.
Result<Pair> pairAt(const ir::TermBank& bank, ir::FunctionId primal, ir::FunctionId gradient, std::int64_t size) {
    Random random(5);
    MITOS_TRY(eval::Inputs inputs, eval::sizedInputs(bank, bank.function(primal), random, size));
    for (eval::Value& argument : inputs.arguments) argument = withPlaces(argument, size, random);
    MITOS_TRY(const loops::Counts own, counted(bank, primal, inputs));
    MITOS_TRY(const loops::Counts derived, counted(bank, gradient, inputs));
    return Pair{static_cast<double>(own.operations()), static_cast<double>(own.iterations),
                static_cast<double>(derived.operations())};
}

/// A random program whose gradient takes more.
struct ExpensiveGradient {
    int number;
    double bound;
};
constexpr ExpensiveGradient Expensive[] = {
    {44, 19.0},  // the derivative of lgamma is a series
    {52, 8.0},   // a step of a fold that depends on nothing: the function computes it once
    {98, 6.0},   // the same
};

}  // namespace

class TestCheapGradients : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void kernelsHaveCheapGradients_data();
    void kernelsHaveCheapGradients();
    void randomProgramsHaveCheapGradients();
};

void TestCheapGradients::kernelsHaveCheapGradients_data() {
    QTest::addColumn<int>("number");
    for (std::size_t i = 0; i < kernels().size(); ++i) QTest::newRow(kernels()[i].name) << static_cast<int>(i);
}

void TestCheapGradients::kernelsHaveCheapGradients() {
    QFETCH(const int, number);
    const Kernel& kernel = kernels()[static_cast<std::size_t>(number)];
    ir::TermBank bank(dialects::makeRegistry());
    const Result<ir::Program> program = ks::parseProgram(bank, "kernel.ks", kernel.program);
    QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
    const Result<ir::FunctionId> gradient = autodiff::gradient(bank, program->function, kernel.wrt);
    QVERIFY2(gradient.ok(), gradient ? "" : gradient.error().message.c_str());
    for (const std::int64_t size : Sizes) {
        const Result<Pair> pair = pairAt(bank, program->function, *gradient, size);
        QVERIFY2(pair.ok(), pair ? "" : pair.error().message.c_str());
        const double ratio = pair->gradient / pair->primal;
        QVERIFY2(ratio <= kernel.bound, fmt::format("size {}: {:.2f} times", size, ratio).c_str());
    }
}

void TestCheapGradients::randomProgramsHaveCheapGradients() {
    constexpr int Programs = 120;
    int compared = 0;
    Random random(11);
    for (int i = 0; i < Programs; ++i) {
        ir::TermBank bank(dialects::makeRegistry());
        ir::TypeTable& types = bank.types();
        const ir::TypeId vec = types.vec(types.floating());
        const std::vector<ir::Parameter> parameters{{bank.symbols().intern("x"), types.floating()},
                                                    {bank.symbols().intern("v"), vec},
                                                    {bank.symbols().intern("m"), types.vec(vec)}};
        const eval::TermScope scope{.free = parameters, .bound = {}, .hasLoops = i % 2 == 0};
        const ir::TermId body = eval::randomTerm(bank, types.floating(), scope, random, 60);
        const std::string text =
            fmt::format("(def f Float ((x : Float) (v : Vec n Float) (m : Vec n (Vec n Float))) {})",
                        ks::printTerm(bank, body, {.width = 0}));
        ir::TermBank own(dialects::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(own, "random.ks", text);
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        const std::vector<std::size_t> all{0, 1, 2};
        const Result<ir::FunctionId> gradient = autodiff::gradient(own, program->function, all);
        if (!gradient) continue;
        for (const std::int64_t size : Sizes) {
            const Result<Pair> pair = pairAt(own, program->function, *gradient, size);
            if (!pair) continue;
            ++compared;
            const auto* const expensive = std::ranges::find(Expensive, i, &ExpensiveGradient::number);
            const double bound = expensive == std::end(Expensive) ? CheapBound : expensive->bound;
            const double work = pair->primal + pair->iterations;
            QVERIFY2(pair->gradient <= bound * work,
                     fmt::format("program {}, size {}: {} operations and iterations, gradient {}: {}", i, size, work,
                                 pair->gradient, text)
                         .c_str());
        }
    }
    QVERIFY2(compared > 2 * Programs, qPrintable(QString::number(compared)));
}

MITOS_TEST(TestCheapGradients)

}  // namespace tst_cheap_gradients

#include "tst_cheap_gradients.moc"
