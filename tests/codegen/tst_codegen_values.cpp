// SPDX-License-Identifier: GPL-3.0-or-later
// C++ from ks: that it compiles without a warning and computes what the evaluator computes. Many programs share one compilation,
// because a compiler's start is what takes time.
#include "core/autodiff/derivative.h"
#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/eval/samples.h"
#include "core/eval/testing/random_terms.h"
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "tests/codegen/batch.h"
#include "tests/support/fold_programs.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

namespace tst_codegen_values {

using namespace mitos;
using tests::Case;

namespace {

/// A program without parameters as a case; nothing if the evaluator has no finite value for it.
std::optional<Case> makeCase(const ir::TermBank& bank, const ir::Program& program, std::string name) {
    const std::vector<tests::Run> runs = tests::evaluated(bank, program, {}, {.steps = 1'000'000});
    if (runs.empty() || runs[0].fails()) return std::nullopt;
    if (runs[0].expected.find("nan") != std::string::npos || runs[0].expected.find("inf") != std::string::npos)
        return std::nullopt;
    Case result = tests::exported(bank, program, std::move(name));
    result.runs = runs;
    return result;
}

/// Gradients of random functions of a Float, a vector and a vector of vectors, at a point.
void addGradients(std::vector<Case>& cases, std::size_t count) {
    Random random(21);
    const std::size_t wanted = cases.size() + count;
    while (cases.size() < wanted) {
        ir::TermBank bank(dialects::makeRegistry());
        ir::TypeTable& types = bank.types();
        const ir::TypeId vec = types.vec(types.floating());
        const std::vector<ir::Parameter> parameters{{bank.symbols().intern("x"), types.floating()},
                                                    {bank.symbols().intern("v"), vec},
                                                    {bank.symbols().intern("m"), types.vec(vec)}};
        const eval::TermScope scope{.free = parameters, .bound = {}, .usualSize = 2};
        const ir::TermId body = eval::randomTerm(bank, types.floating(), scope, random, 50);
        const std::string function = fmt::format("(def f Float ((x : Float) (v : Vec Float) (m : Vec (Vec Float))) {})",
                                                 ks::printTerm(bank, body, {.width = 0}));
        const std::string text = function +
                                 " (gdef rev [f (Tuple Float (Vec Float) (Vec (Vec Float)))]) (def main (Tuple Float "
                                 "(Vec Float) (Vec (Vec Float))) () ([rev f] (tuple 1.5 (Vec_init 0.5 -1.25) (Vec_init "
                                 "(Vec_init 1.0 2.0) (Vec_init -0.5 0.75))) 1.0))";
        ir::TermBank read(dialects::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(read, "gradient.ks", text);
        if (!program) continue;
        if (const std::optional<Case> made = makeCase(read, *program, text)) cases.push_back(*made);
    }
}

/// Gradients of folds whose steps keep values, on samples.
void addFolds(std::vector<Case>& cases) {
    for (const tests::FoldProgram& fold : tests::FoldPrograms) {
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(bank, "fold.ks", fold.text);
        const ir::FunctionId derived = *autodiff::derive(bank, autodiff::Direction::Reverse, program->function);
        const ir::Program reverse{derived, bank.function(derived).body};
        const Result<eval::Samples> drawn = eval::drawSamples(bank, reverse, 6, 3, {.steps = 200'000});
        Case made = tests::exported(bank, reverse, fold.name);
        for (const eval::Sample& sample : drawn->samples) {
            for (tests::Run& run : tests::evaluated(bank, reverse, sample.inputs, {.steps = 1'000'000})) {
                made.runs.push_back(std::move(run));
            }
        }
        cases.push_back(std::move(made));
    }
}

}  // namespace

class TestCodegenValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void programsComputeWhatTheEvaluatorDoes();
    void whatTheEvaluatorRefusesEndsWithAMessage();
};

void TestCodegenValues::programsComputeWhatTheEvaluatorDoes() {
    const std::vector<std::pair<const char*, const char*>> expressions{
        {"(Vec Float)", "(sub (Vec_init 1.0 2.0) 0.5)"},
        {"(Vec Integer)", "(sub 5 (Vec_init 1 2))"},
        {"(Tuple Float (Vec Float))", "(add (tuple 1.0 (Vec_init 2.0)) (tuple 0.5 (Vec_init 0.25)))"},
        {"(Vec Float)",
         "(mul (build (tuple 2 3) (lam (ij : (Tuple Integer Integer)) (to_float (add (mul 10 (get$1$2 ij)) (get$2$2 "
         "ij))))) "
         "(Vec_init 1.0 2.0 3.0))"},
        {"Integer", "(mul 100000 100000)"},
        {"Integer", "(sub (neg -3) -4)"},
        // Integers wrap around.
        {"(Tuple Integer Integer)", "(let (n 9223372036854775807) (tuple (add n (mul n n)) (sub -2 n)))"},
        {"(Tuple Integer Integer)", "(let (n -9223372036854775808) (tuple (neg n) (div n (sub 2 3))))"},
        {"Integer", "(sumbuild 3 (lam (i : Integer) (sub 9223372036854775807 i)))"},
        {"(Vec Integer)", "(mul 4611686018427387904 (add (Vec_init 9223372036854775807 2) 1))"},
        {"Bool", "(or (and (gt 2.0 1.0) (eq 1 1)) (not (ne (Vec_init 1) (Vec_init 1))))"},
        {"(Tuple Float Float Float)", "(tuple (max (Vec_init 1.0 5.0 3.0)) (pow 2.0 -2) (lgamma 3.5))"},
        {"Integer", "(imax (Vec_init 1.0 5.0 3.0 5.0))"},
        {"(Vec Float)", "(exp (Vec_init 0.5 1.0))"},
        {"(Vec (Vec Integer))",
         "(build 3 (lam (i : Integer) (if (gt i 1) (build i (lam (j : Integer) (add i j))) (Vec_init 7))))"},
        {"(Vec Bool)", "(map (lam (x : Integer) (gt x 1)) (Vec_init 1 2))"},
        {"(Tensor 2 Integer)",
         "(build (tuple 2 3) (lam (t : (Tuple Integer Integer)) (add (mul 10 (get$1$2 t)) (get$2$2 t))))"},
        {"(Tuple Integer Integer)", "(let (t (constVec (tuple 2 5) 1.0)) (size t))"},
        {"(Tuple Float (Vec Float))", "(sumbuild 3 (lam (i : Integer) (tuple (to_float i) (deltaVec 3 i 1.0))))"},
        {"(Tuple Float Integer)", "(sumbuild (tuple 2 2) (lam (t : (Tuple Integer Integer)) (tuple 0.5 (get$1$2 t))))"},
        {"Float", "(fold (lam (t : (Tuple Float Float)) (sub (get$2$2 t) (get$1$2 t))) 1.0 (Vec_init 10.0 20.0))"},
        {"(Vec Float)",
         "(fold (lam (t : (Tuple (Vec Float) Float)) (ts_add (get$1$2 t) (build 2 (lam (i : Integer) "
         "(mul (index i (get$1$2 t)) (get$2$2 t)))))) (Vec_init 1.0 2.0) (Vec_init 0.5 3.0))"},
        {"(Vec Float)",
         "(map2 (lam (t : (Tuple Float Integer)) (mul (get$1$2 t) (get$2$2 t))) (Vec_init 1.5 2.0) (Vec_init 2 3))"},
        {"(Tuple (Tuple) Integer)", "(shape (tuple 1.0 (Vec_init 1 2 3)))"},
        {"(Vec Integer)", "(shape (build 3 (lam (i : Integer) (constVec i 1.0))))"},
        {"(Tuple (Vec Integer) (Vec Float))", "(unzip (Vec_init (tuple 1 2.0) (tuple 3 4.0)))"},
        {"(Vec (Vec Float))", "(deltaVec 2 -1 (Vec_init 1.0 2.0))"},
        {"(Tensor 2 Float)", "(deltaVec (tuple 2 2) (tuple 0 1) 3.0)"},
        {"(Vec Float)", "(delta 2 3 (Vec_init 1.5))"},
        {"(Vec (Vec Integer))", "(diag 2 3 (lam (i : Integer) (add i 5)))"},
        {"(Vec Float)", "(buildFromSparse (constVec 3 (tuple)) 4 (lam (i : Integer) (tuple (div i 2) (to_float i))))"},
        {"(Vec (Vec Float))",
         "(buildFromSparse (Vec_init 1 2) 2 (lam (i : Integer) (tuple i (constVec (add i 1) 3.0))))"},
        {"(Tuple (Vec Float) (Vec Integer))",
         "(buildFromSparseTupled (tuple (constVec 2 (tuple)) (constVec 1 (tuple))) 3 (lam (i : Integer) (tuple (tuple "
         "1 2.0) (tuple 0 i))))"},
        {"(Tuple Float Integer)", "(ts_add (tuple 1.0 5) (tuple 0.5 (tuple)))"},
        {"(Tuple Float Integer)", "(ts_scale 2.0 (tuple 1.5 3))"},
        {"Float", "(ts_dot (tuple 2.0 (Vec_init 1.0 3.0)) (tuple 4.0 (Vec_init 5.0 6.0)))"},
        {"(Tuple Integer Integer)", "(dup$2 (mul 2 3))"},
        {"(Tuple)", "(let (x 2.0) (elim x))"},
        {"(Tuple Float Bool)", "(tuple ($ranhashdoub 3) (gte ($BENCH (lam (u : (Tuple)) 1.0)) 0.0))"},
        {"(Tuple String Integer)", "(tuple \"a\\\"?b\" (let (x (elim (mul 2 3))) 4))"},
        {"Bool",
         "(lt ($check (lam (x : Float) (mul x x)) (lam (t : (Tuple Float Float)) (mul 2.0 (mul (get$1$2 t) (get$2$2 "
         "t)))) "
         "3.0 0.00001 1.0) 0.0001)"},
        {"Float",
         "(FFold (lam (t : (Tuple Float Float)) (mul (get$1$2 t) (get$2$2 t))) 1.0 (Vec_init 2.0 3.0) "
         "(lam (q : (Tuple (Tuple Float Float) (Tuple Float Float))) (add (mul (get$1$2 (get$2$2 q)) (get$2$2 (get$1$2 "
         "q))) "
         "(mul (get$1$2 (get$1$2 q)) (get$2$2 (get$2$2 q))))) 0.0 (Vec_init 1.0 0.0))"},
        {"(Tuple (Tuple) (Tuple Float (Vec Float)))",
         "(RFold (tuple) (lam (t : (Tuple Float Float)) (mul (get$1$2 t) (get$2$2 t))) "
         "(lam (q : (Tuple (Tuple Float Float) Float)) (tuple (tuple) (tuple (mul (get$2$2 q) (get$2$2 (get$1$2 q))) "
         "(mul (get$2$2 q) (get$1$2 (get$1$2 q)))))) 1.0 (Vec_init 2.0 3.0) 1.0)"},
        // 2 * (i / 2) keeps its parentheses
        {"(Vec Integer)", "(build 5 (lam (i : Integer) (mul 2 (div i 2))))"},
        // loops with exits: two of them, of a state in parts, one within another, one whose test stands behind the step
        {"(Tuple Integer Float)",
         "(loop 50 1.0 (lam (p : (Tuple Integer Float)) (if (gt (get$1$2 p) 40) (tuple true (get$2$2 p)) (let (w (mul "
         "1.5 (get$2$2 p))) (if (gt w 100.0) (tuple true 0.25) (tuple false w))))))"},
        {"(Tuple Integer (Tuple (Vec Float) Integer))",
         "(loop 9 (tuple (Vec_init 1.0 2.0) 7) (lam (p : (Tuple Integer (Tuple (Vec Float) Integer))) (let ((v "
         "(get$1$2 "
         "(get$2$2 p))) (n (get$2$2 (get$2$2 p)))) (if (lt (index 0 v) 20.0) (tuple false (tuple (build 2 (lam (i : "
         "Integer) (add (index (sub 1 i) v) (index i v)))) (add n (get$1$2 p)))) (tuple true (tuple v n))))))"},
        {"Integer",
         "(get$2$2 (loop 4 0 (lam (p : (Tuple Integer Integer)) (let (q (loop (get$1$2 p) 1 (lam (r : (Tuple Integer "
         "Integer)) (tuple (gt (get$2$2 r) 3) (mul 3 (get$2$2 r)))))) (tuple false (add (get$2$2 p) (mul (get$1$2 q) "
         "(get$2$2 q))))))))"},
        {"(Tuple Integer (Tuple Float Float))",
         "(loop 9 (tuple 1.0 2.0) (lam (p : (Tuple Integer (Tuple Float Float))) (tuple (gt (get$1$2 (get$2$2 p)) 5.0) "
         "(tuple (get$2$2 (get$2$2 p)) (add (get$1$2 (get$2$2 p)) (get$2$2 (get$2$2 p)))))))"},
        // sums of vectors: in a loop, of parts of two kinds, without summands, of lengths that only the values tell
        {"(Vec Float)", "(sumbuild 3 (lam (i : Integer) (build 2 (lam (j : Integer) (to_float (add i j))))))"},
        {"(Vec (Vec Float))",
         "(let (v (Vec_init 0.5 1.5)) (build 2 (lam (q : Integer) (let (m (mul 3 q)) (ts_add (build (size v) (lam (i : "
         "Integer) (mul 2.0 (index i v)))) (if (gt m 0) (sumbuild m (lam (k : Integer) (if (eq k 1) (constVec (size v) "
         "0.0) (build (size v) (lam (i : Integer) (to_float (mul k i))))))) (constVec (size v) 0.0)))))))"},
        {"(Vec (Tuple Float Float))",
         "(let (d (buildFromSparseTupled (tuple (constVec 3 (tuple)) (constVec 3 (tuple))) 2 (lam (e : Integer) (let "
         "(x "
         "(to_float e)) (tuple (tuple e (tuple x 1.0)) (tuple (add e 1) (tuple (neg x) 2.0))))))) (ts_add (get$1$2 d) "
         "(get$2$2 d)))"},
        {"(Vec Float)",
         "(let (v (Vec_init 1.0 2.0)) (ts_add (if (gt (size v) 2) v (Vec_init 3.0 4.0)) (sumbuild 2 (lam (i : Integer) "
         "(if (gt (size v) i) (Vec_init 5.0 6.0) v)))))"},
        {"(Vec Float)",
         "(ts_add (build 3 (lam (i : Integer) 1.0)) (if (lt 1.0 2.0) (build 3 (lam (i : Integer) (to_float i))) (build "
         "4 "
         "(lam (i : Integer) 2.0))))"},
        {"Float",
         "(let (n (size (build 0 (lam (i : Integer) 1.0)))) (if (gt n 0) (sumbuild n (lam (i : Integer) 2.0)) 0.0))"},
        // vectors of a sparse build that are added to each other, in part and as a whole
        {"(Tuple (Vec Float) (Vec Float))",
         "(let (d (buildFromSparseTupled (tuple (constVec 2 (tuple)) (constVec 2 (tuple)) (constVec 2 (tuple)) "
         "(constVec "
         "3 (tuple))) 2 (lam (e : Integer) (tuple (tuple e 1.0) (tuple 0 2.0) (tuple 1 4.0) (tuple 2 8.0))))) (tuple "
         "(ts_add (ts_add (get$3$4 d) (Vec_init 0.5 0.25)) (ts_add (get$2$4 d) (get$1$4 d))) (get$4$4 d)))"},
        {"(Tuple (Vec Float) (Vec Float))",
         "(let (d (buildFromSparseTupled (tuple (constVec 2 (tuple)) (constVec 2 (tuple))) 2 (lam (e : Integer) (tuple "
         "(tuple e 1.0) (tuple 0 2.0))))) (tuple (ts_add (get$1$2 d) (get$2$2 d)) (get$2$2 d)))"},
        // Integers are divided before they are multiplied
        {"(Vec Integer)", "(build 8 (lam (i : Integer) (mul 2 (mul (div i 2) 3))))"},
        {"(Vec Integer)", "(build 8 (lam (i : Integer) (mul 2 (mul (mul (div i 2) 3) i))))"},
        // rows that are added up where a condition holds, and as multiples, sums and differences
        {"(Vec (Vec Float))",
         "(let (e (Vec_init (Vec_init 1.0 2.0) (Vec_init 3.0 4.0) (Vec_init 5.0 6.0))) (sumbuild 5 (lam (i : Integer) "
         "(if (gt i 2) (deltaVec 3 (sub i 2) (ts_scale 2.0 (Vec_init 1.0 10.0))) (if (eq i 0) (buildFromSparse (shape "
         "e) 1 (lam (k : Integer) (tuple k (ts_neg (Vec_init 7.0 8.0))))) (build 3 (lam (k : Integer) (constVec 2 "
         "0.0))))))))"},
        {"(Vec (Vec Float))",
         "(sumbuild 4 (lam (i : Integer) (deltaVec 2 (sub i 1) (ts_add (Vec_init 1.0 2.0) (ts_scale (to_float i) "
         "(Vec_init 3.0 4.0))))))"},
        {"(Vec (Vec Float))",
         "(let (p (Vec_init (Vec_init 1.0 2.0) (Vec_init 3.0 5.0) (Vec_init 7.0 8.0))) (sumbuild 3 (lam (i : Integer) "
         "(let (d (sub (index i p) (index 0 p))) (let (at (Vec_init i 0)) (let (added (Vec_init d (ts_neg d))) "
         "(buildFromSparse (shape p) 2 (lam (k : Integer) (tuple (index k at) (index k added))))))))))"},
        {"(Tuple (Vec Float) (Vec (Vec Float)))",
         "(let (v (Vec_init 1.0 2.0)) (sumbuild 3 (lam (i : Integer) (if (eq i 1) (tuple (ts_scale 3.0 v) (constVec 1 "
         "(constVec 2 0.0))) (tuple v (deltaVec 1 0 (ts_add v (sub v (ts_scale (to_float i) v)))))))))"},
        {"(Vec Float)",
         "(let (v (Vec_init 1.0 2.0)) (ts_add (ts_neg v) (ts_add (build 2 (lam (i : Integer) (to_float i))) (ts_scale "
         "0.5 (sub v (Vec_init -0.0 9.0))))))"},
        // a step back whose tangents are added up by one loop
        {"(Tuple (Tuple (Vec (Vec Float)) (Vec Float)) (Tuple (Vec Float) (Vec Float)))",
         "(let (w (Vec_init (Vec_init 0.5 1.0) (Vec_init -1.0 2.0))) (RFold (tuple (build 2 (lam (i : Integer) "
         "(constVec 2 0.0))) (constVec 2 0.0)) (lam (p : (Tuple (Vec Float) Float)) (build 2 (lam (i : Integer) (mul "
         "(dot (index i w) (get$1$2 p)) (get$2$2 p))))) (lam (p : (Tuple (Tuple (Vec Float) Float) (Vec Float))) (let "
         "(q (get$1$2 p)) (let (dt (get$2$2 p)) (let (d (buildFromSparseTupled (tuple (shape w) (constVec 2 (tuple)) "
         "(constVec 1 (shape (get$1$2 q))) (constVec 1 (tuple))) 2 (lam (i : Integer) (let (t (index i dt)) (tuple "
         "(tuple i (ts_scale (mul t (get$2$2 q)) (get$1$2 q))) (tuple i t) (tuple 0 (ts_scale (mul t (get$2$2 q)) "
         "(index i w))) (tuple 0 (mul t (dot (index i w) (get$1$2 q))))))))) (tuple (tuple (get$1$4 d) (get$2$4 d)) "
         "(tuple (index 0 (get$3$4 d)) (index 0 (get$4$4 d)))))))) (Vec_init 1.0 2.0) (Vec_init 3.0 -1.0) (Vec_init "
         "1.0 1.0)))"},
        // a reverse mode convolution in the manner of the paper
        {"(Vec Float)",
         "(let ((kernel (Vec_init 0.5 -1.0 2.0)) (dr (Vec_init 1.0 2.0 3.0 4.0))) (sumbuild 4 (lam (ni : Integer) "
         "(sumbuild 3 "
         "(lam (kni : Integer) (let (noi (sub (add ni 1) kni)) (if (and (gte noi 0) (lt noi 4)) (deltaVec 4 noi "
         "(mul (index kni kernel) (index ni dr))) (constVec 4 0.0))))))))"},
    };
    std::vector<Case> cases;
    for (const auto& [type, expression] : expressions) {
        ir::TermBank bank(ks::makeRegistry());
        const Result<ir::Program> program =
            ks::parseProgram(bank, "-", fmt::format("(def f {} () {})", type, expression));
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        const std::optional<Case> made = makeCase(bank, *program, expression);
        QVERIFY2(made.has_value(), expression);
        cases.push_back(*made);
    }
    {
        ir::TermBank bank(ks::makeRegistry());
        const Result<ir::Program> program =
            ks::parseProgram(bank, "-",
                             "(def fac Integer (n : Integer) (if (lte n 1) 1 (mul n (fac (sub n 1))))) "
                             "(def swap (Tuple Float Integer) ((x : Float) (n : Integer)) (tuple x (fac n))) (def f "
                             "(Tuple Float Integer) () (swap 1.5 10))");
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        cases.push_back(*makeCase(bank, *program, "calls and recursion"));
    }
    {
        ir::TermBank bank(ks::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(
            bank, "-",
            "(def tabulate (Vec Float) ((h : Lam Integer Float) (n : Integer)) (build n h)) "
            "(def both Float ((g : Lam Float Float) (h : Lam Float Float) (p : Lam (Tuple Float Float) Float) (v : Vec "
            "Float)) (let (gg (if (gt (size v) 2) g h)) (add (add (sum (map gg v)) (fold p 0.5 v)) (add (sumbuild 3 "
            "(lam i (h (to_float i)))) (sum (map2 p v (map h v))))))) "
            "(def f (Tuple Float (Vec Float)) () (let ((a 3.0) (v (Vec_init 1.0 2.0))) (tuple (both (lam x (mul a x)) "
            "(lam y (let (s (sin y)) (add s a))) (lam t (sub (get$1$2 t) (get$2$2 t))) v) (tabulate (lam i (mul a "
            "(to_float i))) 3))))");
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        cases.push_back(*makeCase(bank, *program, "functions as values"));
    }
    {
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = ks::parseProgram(
            bank, "-",
            "(def times (Vec (Vec Float)) ((a : Vec 2 (Vec 2 Float)) (b : Vec 2 (Vec 2 Float))) (build 2 (lam (i : "
            "Integer) (build 2 (lam (j : Integer) (sumbuild 2 (lam (k : Integer) (mul (index k (index i a)) (index "
            "j (index k b)))))))))) (def path (Vec (Vec Float)) ((k : Integer) (m : Vec n (Vec 2 (Vec 2 Float)))) "
            "(if (lt k 1) (index k m) (times (path (sub k 1) m) (index k m)))) (def f Float (m : Vec n (Vec 2 (Vec "
            "2 Float))) (sumbuild n (lam (i : Integer) (index 1 (index 0 (path i m)))))) (gdef rev [f (Vec (Vec "
            "(Vec Float)))]) (def main (Vec (Vec (Vec Float))) () ([rev f] (build 9 (lam (i : Integer) (Vec_init "
            "(Vec_init 0.5 (mul 0.1 (to_float i))) (Vec_init 2.0 0.25)))) 2.0))");
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        cases.push_back(*makeCase(bank, *program, "the derivative of a recursion over short vectors"));
    }
    // Random programs over a Float, a vector and an Integer.
    ir::TermBank bank(ks::makeRegistry());
    ir::TypeTable& types = bank.types();
    const std::vector<ir::TypeId> pair{types.floating(), types.vec(types.floating())};
    const std::vector<ir::TypeId> wanted{types.floating(),
                                         types.vec(types.floating()),
                                         types.tuple(pair),
                                         types.integer(),
                                         types.boolean(),
                                         types.vec(types.vec(types.floating())),
                                         types.tensor(2, types.floating())};
    const std::vector<ir::TermId> numbers{bank.floating(0.5), bank.floating(-1.25), bank.floating(2.0)};
    const ir::TermId vector = *bank.make(ks::opId(ks::Op::VecInit), numbers);
    const eval::TermScope scope{
        .free = {}, .bound = {types.floating(), types.vec(types.floating()), types.integer()}, .hasLoops = true};
    Random random(20);
    for (int i = 0; cases.size() < expressions.size() + 60; ++i) {
        const ir::TypeId type = wanted[static_cast<std::size_t>(i) % wanted.size()];
        ir::Function function;
        function.name = fmt::format("random{}", i);
        function.argument = types.unit();
        function.result = function.declaredResult = type;
        const ir::FunctionId id = *bank.declare(function);
        ir::TermId term = eval::randomTerm(bank, type, scope, random, 30);
        term = bank.let(bank.symbols().intern("n"), bank.integer(2), term);
        term = bank.let(bank.symbols().intern("v"), vector, term);
        term = bank.let(bank.symbols().intern("x"), bank.floating(1.5), term);
        const ir::Program program{id, term};
        if (const std::optional<Case> made = makeCase(bank, program, ks::printTerm(bank, term))) cases.push_back(*made);
    }

    addGradients(cases, 40);
    addFolds(cases);

    const std::string difference = tests::difference(cases, tests::sanitized());
    QVERIFY2(difference.empty(), difference.c_str());
    // The other compiler, where it is installed.
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    QVERIFY(folder.ok());
    QVERIFY(writeFile(folder->path() + "/batch.cpp", tests::batchSource(cases)).ok());
    ChildOptions options;
    options.folder = folder->path();
    options.seconds = 250;
    for (const char* compiler : {"clang++", "clang++-14"}) {
        std::vector<std::string> command{compiler,  "-fsyntax-only", "-std=c++17", "-Wall",
                                         "-Wextra", "-Werror",       "batch.cpp"};
        const Result<ChildOutput> other = runChild(command, options);
        if (other.ok()) QVERIFY2(other->exitStatus == 0, other->errors.substr(0, 3000).c_str());
    }
}

void TestCodegenValues::whatTheEvaluatorRefusesEndsWithAMessage() {
    const std::vector<std::array<const char*, 3>> refused{
        {"Float", "(fold (lam (p : (Tuple Float Integer)) (get$1$2 p)) 0.5 (build (sub 1 3) (lam (i : Integer) i)))",
         "a size is negative"},
        {"(Vec (Vec Float))",
         "(buildFromSparse (constVec 1 2) 1 (lam (i : Integer) (tuple 0 (deltaVec 2 5 (index 3 (Vec_init 1.0))))))",
         "an index is outside of a vector"},
        // Sums into places that exist already have the sizes of these.
        {"(Vec (Vec Float))",
         "(buildFromSparse (Vec_init 3) 1 (lam (i : Integer) (tuple 0 (build 2 (lam (j : Integer) 1.0)))))",
         "the sizes of two vectors differ"},
        {"(Vec (Vec Float))",
         "(buildFromSparse (constVec 1 3) 1 (lam (i : Integer) (let (d (buildFromSparseTupled (tuple (constVec 2 "
         "(tuple)) (constVec 2 (tuple))) 1 (lam (j : Integer) (tuple (tuple 0 1.0) (tuple 1 2.0))))) (tuple 0 (get$1$2 "
         "d)))))",
         "the sizes of two vectors differ"},
        {"(Vec (Vec (Vec Float)))",
         "(buildFromSparse (constVec 1 (Vec_init 1 3)) 1 (lam (i : Integer) (let (d (buildFromSparseTupled (tuple "
         "(Vec_init 1 2) (constVec 1 (Vec_init 1 2))) 0 (lam (j : Integer) (tuple (tuple 0 (Vec_init 1.0)) (tuple 0 "
         "(Vec_init (Vec_init 1.0) (Vec_init 1.0))))))) (tuple 0 (ts_add (get$1$2 d) (index 0 (get$2$2 d)))))))",
         "the sizes of two vectors differ"},
        {"Float", "(index 2 (Vec_init 1.0 2.0))", "an index is outside of a vector"},
        {"Float", "(index -1 (Vec_init 1.0 2.0))", "an index is outside of a vector"},
        {"Float", "(index 1 (index 1 (Vec_init (Vec_init 1.0 2.0) (Vec_init 3.0))))",
         "an index is outside of a vector"},
        {"Float", "(index (tuple 0 2) (constVec (tuple 2 2) 1.0))", "an index is outside of a tensor"},
        {"Integer", "(div 1 (sub 2 2))", "an Integer is divided by zero"},
        {"(Vec Integer)", "(div (Vec_init 1 2) 0)", "an Integer is divided by zero"},
        {"(Vec Float)", "(build (sub 2 3) (lam (i : Integer) 1.0))", "a size is negative"},
        {"(Tensor 2 Float)", "(build (tuple 2 (sub 2 3)) (lam (t : (Tuple Integer Integer)) 1.0))",
         "a size is negative"},
        {"(Vec Float)", "(constVec -1 1.0)", "a size is negative"},
        {"(Vec Float)", "(deltaVec -1 0 1.0)", "a size is negative"},
        {"Float", "(sumbuild (sub 2 2) (lam (i : Integer) 1.0))", "sumbuild needs a size above 0"},
        {"Float", "(sum (build 0 (lam (i : Integer) 1.0)))", "the sum of an empty tensor"},
        {"Float", "(max (build 0 (lam (i : Integer) 1.0)))", "the maximum of an empty vector"},
        {"Integer", "(imax (build 0 (lam (i : Integer) 1.0)))", "the maximum of an empty vector"},
        {"Float", "(dot (Vec_init 1.0) (Vec_init 1.0 2.0))", "the sizes of two vectors differ"},
        {"Float", "(ts_dot (Vec_init 1.0) (Vec_init 1.0 2.0))", "the sizes of two vectors differ"},
        {"(Vec Float)", "(add (Vec_init 1.0 2.0) (Vec_init 1.0))", "the sizes of two vectors differ"},
        {"(Vec Float)", "(ts_add (Vec_init 1.0 2.0) (Vec_init 1.0))", "the sizes of two vectors differ"},
        {"(Vec Float)", "(sumbuild 2 (lam (i : Integer) (constVec i 1.0)))", "the sizes of two vectors differ"},
        {"(Vec Float)", "(sumbuild (sub 2 2) (lam (i : Integer) (constVec 2 1.0)))", "sumbuild needs a size above 0"},
        {"(Vec Float)", "(ts_add (build 2 (lam (i : Integer) 1.0)) (sumbuild 2 (lam (i : Integer) (constVec 3 0.0))))",
         "the sizes of two vectors differ"},
        {"(Vec Float)",
         "(let (n (size (build 0 (lam (i : Integer) 1.0)))) (ts_add (build 2 (lam (i : Integer) 1.0)) (if (gt n 0) "
         "(sumbuild n (lam (i : Integer) (constVec 3 1.0))) (constVec 3 0.0))))",
         "the sizes of two vectors differ"},
        {"(Tensor 2 Float)", "(add (constVec (tuple 1 2) 1.0) (constVec (tuple 2 1) 1.0))",
         "the sizes of two tensors differ"},
        {"(Vec Float)", "(mul (constVec (tuple 2 2) 1.0) (Vec_init 1.0))",
         "a matrix's columns and a vector's size differ"},
        {"(Vec Float)", "(map2 (lam (t : (Tuple Float Float)) (get$1$2 t)) (Vec_init 1.0 2.0) (Vec_init 1.0))",
         "map2: the sizes differ"},
        {"(Vec Float)", "(buildFromSparse (constVec 2 (tuple)) 3 (lam (i : Integer) (tuple i 1.0)))",
         "an index is outside of a vector"},
        {"Float", "(assert (gt 1.0 2.0) 3.0)", "an assertion does not hold"},
    };
    std::vector<Case> cases;
    for (const auto& [type, expression, message] : refused) {
        ir::TermBank bank(ks::makeRegistry());
        const Result<ir::Program> program =
            ks::parseProgram(bank, "-", fmt::format("(def f {} () {})", type, expression));
        QVERIFY2(program.ok(), program ? "" : program.error().render().c_str());
        QVERIFY2(!eval::evaluate(bank, *program, {}), expression);
        cases.push_back(tests::exported(bank, *program, expression));
        cases.back().runs.push_back({{}, fmt::format("error: {}", message)});
    }
    const std::string difference = tests::difference(cases, tests::sanitized());
    QVERIFY2(difference.empty(), difference.c_str());
}

MITOS_TEST(TestCodegenValues)

}  // namespace tst_codegen_values

#include "tst_codegen_values.moc"
