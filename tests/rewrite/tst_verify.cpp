// SPDX-License-Identifier: GPL-3.0-or-later
// Values along threads: rules that hold keep them, rules that do not are found with step, place and values.
#include "core/ks/module.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/verify.h"
#include "tests/dialects/random_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>

namespace tst_verify {

using namespace mitos;
using eval::StepCheck;

namespace {

constexpr const char* TensorRules =
    "# For tests.\n"
    "use tensor\n"
    "rule merged [real-only]: MatMul(x, y), MatMul(x, z) => s.0, s.1\n"
    "  let m = MatMul(x, Concat[axis=1](y, z)), s = Split[axis=1, sizes=[y.shape[1], z.shape[1]]](m)\n"
    "  where x.rank == 2 and y.rank == 2 and z.rank == 2\n"
    "rule crossed [real-only]: MatMul(x, y), MatMul(x, z) => s.1, s.0\n"
    "  let m = MatMul(x, Concat[axis=1](y, z)), s = Split[axis=1, sizes=[y.shape[1], z.shape[1]]](m)\n"
    "  where x.rank == 2 and y.rank == 2 and z.rank == 2\n"
    "rule commute_add [real-only]: Add(a, b) => Add(b, a)\n"
    "rule commute_mul [real-only]: Mul(a, b) => Mul(b, a)\n"
    "rule associate_mul [real-only]: Mul(Mul(a, b), c) => Mul(a, Mul(b, c))\n"
    "rule factor [real-only]: Add(Mul(a, b), Mul(a, c)) => Mul(a, Add(b, c))\n"
    "rule relu_twice: Relu(Relu(a)) => Relu(a)\n"
    "rule not_a_sum [real-only]: Add(a, b) => Sub(a, b)\n"
    "rule one_more [real-only]: Add(a, b) => Add(Add(a, b), 1)\n"
    "rule nearly [real-only, approximate]: Relu(a) => Mul(Relu(a), 1.001)\n"
    "rule root_of_two [real-only]: Mul(a, ~1.41421356) => Mul(a, 1.4142135623730951)\n"
    "rule lost_sign [real-only]: Sqrt(Mul(a, a)) => a\n"
    "rule flattened: Concat[axis=a](x..., Concat[axis=a](y...), z...) => Concat[axis=a](x..., y..., z...)\n"
    "rule swapped: Concat[axis=a](x..., Concat[axis=a](y, w), z...) => Concat[axis=a](x..., w, y, z...)\n";
constexpr const char* KsRules =
    "use ks\n"
    "rule sum_turned [real-only]: a + b => b + a\n"
    "rule sum_wrong [real-only]: a + b => a - b\n"
    "rule x_over_x [domain]: x / x => 1\n";

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};
    std::vector<std::shared_ptr<const rules::Rule>> known;
    rewrite::Thread thread;

    Fixture() {
        for (const char* text : {TensorRules, KsRules}) {
            Result<rules::LoadedRules> loaded = rules::loadRules(SourceText("test.rules", text), bank.sharedRegistry());
            if (!loaded) qFatal("%s", loaded.error().render().c_str());
            for (const Error& error : loaded->errors) qFatal("%s", error.render().c_str());
            known.insert(known.end(), loaded->set.rules.begin(), loaded->set.rules.end());
        }
    }
    [[nodiscard]] ir::Sharing sharing() const { return bank.function(thread.start.function).sharing; }
    [[nodiscard]] std::vector<std::shared_ptr<const rules::DirectedRule>> named(const std::string& name) const {
        std::vector<std::shared_ptr<const rules::DirectedRule>> found;
        for (const auto& rule : known) {
            if (rule->name != name) continue;
            found.insert(found.end(), rule->directions.begin(), rule->directions.end());
        }
        return found;
    }
    void start(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        thread = {*parsed, {}, {}};
    }
    /// The first place at which the rule applies.
    void apply(const std::string& name) {
        const std::vector<rewrite::Rewrite> all =
            rewrite::Rewriter(bank, named(name), sharing()).all(thread.end().root);
        if (all.empty()) qFatal("%s does not apply", name.c_str());
        add(all.front());
    }
    void add(const rewrite::Rewrite& rewrite) {
        thread.steps.push_back(rewrite.step);
        thread.states.push_back(rewrite.result);
    }
    [[nodiscard]] eval::Verification verify(const eval::VerifyOptions& options = {}) const {
        const Result<eval::Verification> verified = rewrite::verify(bank, thread, options);
        if (!verified) qFatal("%s", verified.error().render().c_str());
        return *verified;
    }
};

}  // namespace

class TstVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goodStepsHold() {
        Fixture f;
        f.start(
            "graph f(x: f32[4,4], y: f32[4,4], z: f32[4,4])\n"
            "  s = Relu(Relu(x))\n"
            "  sum = Add(Mul(s, y), Mul(z, s))\n"
            "  return (Mul(sum, sum), s)\n");
        f.apply("relu_twice");
        // Turned round where it is the second product, the sum can be factored.
        const auto turned =
            rewrite::Rewriter(f.bank, f.named("commute_mul"), ir::Sharing::Graph).all(f.thread.end().root);
        for (const rewrite::Rewrite& one : turned) {
            const auto factored = rewrite::Rewriter(f.bank, f.named("factor"), ir::Sharing::Graph).all(one.result);
            if (factored.empty()) continue;
            f.add(one);
            f.add(factored.front());
            break;
        }
        f.apply("commute_add");
        QCOMPARE(f.thread.steps.size(), std::size_t{4});
        const eval::Verification verified = f.verify();
        QVERIFY2(verified.holds(), verified.summary().c_str());
        QCOMPARE(verified.count(StepCheck::Whole), std::size_t{4});
        QVERIFY(verified.maxDeviation() < 1e-12);
        for (const eval::StepVerdict& step : verified.steps) QCOMPARE(step.samples, 4);
        QVERIFY(verified.summary().starts_with("4 of 4 steps keep the values: 4 within the program"));
    }

    void theFirstWrongStepIsNamed() {
        Fixture f;
        f.start(
            "graph f(x: f32[2], y: f32[2])\n"
            "  s = Add(x, y)\n"
            "  return Mul(Relu(Relu(s)), s)\n");
        f.apply("relu_twice");
        f.apply("not_a_sum");
        f.apply("commute_mul");
        const eval::Verification verified = f.verify();
        QVERIFY(verified.difference.has_value());
        const eval::StepDifference& difference = *verified.difference;
        QCOMPARE(difference.step, std::size_t{2});
        QCOMPARE(difference.rule, std::string("not_a_sum"));
        QCOMPARE(difference.position, f.thread.steps[1].place());
        QCOMPARE(difference.before, std::string("Add(x, y)"));
        QCOMPARE(difference.after, std::string("Sub(x, y)"));
        QVERIFY2(difference.place.starts_with("element [") && difference.place.ends_with("] of f32[2]"),
                 difference.place.c_str());
        // x + y - (x - y) is 2 y, and no input is above 1.
        const double apart = std::stod(difference.beforeValue) - std::stod(difference.afterValue);
        QVERIFY(apart != 0.0 && std::abs(apart) <= 2.0);
        QVERIFY(difference.inputs.starts_with("x = ["));
        QCOMPARE(difference.check, StepCheck::Whole);
        QVERIFY(verified.steps[0].check == StepCheck::Whole && verified.steps[2].check == StepCheck::None);
        QVERIFY(!verified.holds());
        QVERIFY(difference.toString().starts_with("step 2, not_a_sum at /"));
    }

    void valuesThatGrowAreCheckedAlone() {
        Fixture f;
        // A number above 4, squared twelve times, overflows.
        std::string text = "graph f(x: f32[3])\n  s0 = Exp(Exp(Exp(x)))\n";
        for (int i = 0; i < 12; ++i) text += fmt::format("  s{} = Mul(s{}, s{})\n", i + 1, i, i);
        f.start(text + "  return Add(Relu(Relu(s12)), s12)\n");
        f.apply("relu_twice");
        f.apply("commute_add");
        const eval::Verification verified = f.verify();
        QVERIFY2(verified.holds(), verified.summary().c_str());
        QCOMPARE(verified.count(StepCheck::Alone), std::size_t{2});
        // The ends are infinite on every input; the steps tell.
        const Result<eval::Equivalence> ends = rewrite::compareEnds(f.bank, f.thread);
        QVERIFY(ends.ok() && ends->equivalent && ends->stepByStep);
        QVERIFY(!eval::compare(f.bank, f.thread.start, f.thread.end())->equivalent);
        f.apply("not_a_sum");
        const eval::Verification wrong = f.verify();
        QVERIFY(wrong.difference && wrong.difference->step == 3 && wrong.difference->check == StepCheck::Alone);
        const Result<eval::Equivalence> others = rewrite::compareEnds(f.bank, f.thread);
        QVERIFY(others.ok() && !others->equivalent && others->compared == 1 && !others->counterexample.empty());
    }

    void stepsThatDoTheSameAreComparedOnce() {
        Fixture f;
        std::string text = "graph f(x: f32[3])\n  s0 = Exp(Exp(Exp(x)))\n";
        for (int i = 0; i < 12; ++i) text += fmt::format("  s{} = Mul(s{}, s{})\n", i + 1, i, i);
        f.start(text + "  return Add(Relu(Relu(s12)), Exp(Relu(Relu(Exp(s12)))))\n");
        f.apply("relu_twice");
        f.apply("relu_twice");
        const eval::Verification verified = f.verify();
        QVERIFY2(verified.holds(), verified.summary().c_str());
        QCOMPARE(verified.count(StepCheck::Alone), std::size_t{2});
        QVERIFY(verified.steps[0].note.empty());
        QVERIFY2(verified.steps[1].note.starts_with("as step 1: "), verified.steps[1].note.c_str());
    }

    void agreementThatTellsNothingIsNotTrusted() {
        Fixture f;
        // One class is left of the softmax, whatever the inputs: its numbers are some hundred apart.
        f.start(
            "graph f(x: f32[2], y: f32[2])\n"
            "  c = Constant[value=1000,dtype=f32,shape=[]]()\n"
            "  far = Concat[axis=0](Mul(Exp(x), c), Neg(Mul(Exp(y), c)))\n"
            "  return Softmax[axis=0](Add(far, Relu(far)))\n");
        const Result<eval::Equivalence> alike = eval::compare(f.bank, f.thread.start, f.thread.start, {.samples = 1});
        QVERIFY(alike.ok() && alike->equivalent && !alike->isTelling);
        f.apply("commute_add");
        const Result<eval::Equivalence> ends = rewrite::compareEnds(f.bank, f.thread, {.samples = 1});
        QVERIFY2(ends.ok() && ends->equivalent && ends->stepByStep, ends ? ends->note.c_str() : "");
        Fixture other;
        other.start("graph f(x: f32[2], y: f32[2])\n  return Softmax[axis=0](Add(x, y))\n");
        QVERIFY(eval::compare(other.bank, other.thread.start, other.thread.start)->isTelling);
    }

    /// One term is bound to a variable and named by its parts: its value is the same on both sides.
    void anOperandThatTheRuleTakesApartHasOneValue() {
        for (const auto& [rule, holds] : {std::pair{"flattened", true}, {"swapped", false}}) {
            Fixture f;
            f.start(
                "graph g(x: f32[3])\n"
                "  n = Constant[value=nan,dtype=f32,shape=[1]]()\n"
                "  a = Concat[axis=0](x, n)\n"
                "  return Concat[axis=0](a, a)\n");
            f.apply(rule);
            const eval::Verification verified = f.verify();
            QCOMPARE(!verified.difference, holds);
            QCOMPARE(verified.count(StepCheck::Alone), std::size_t{1});
        }
    }

    void whatIsUnknownBelowDoesNotMatter() {
        Fixture f;
        f.start("graph f(x: f32[2])\n  o = Opaque[\"d::O#1\"](x): f32[2]\n  return Add(Relu(Relu(o)), x)\n");
        f.apply("relu_twice");
        const eval::Verification verified = f.verify();
        QVERIFY2(verified.holds(), verified.summary().c_str());
        QCOMPARE(verified.steps[0].check, StepCheck::Alone);
        const Result<eval::Equivalence> ends = rewrite::compareEnds(f.bank, f.thread);
        QVERIFY(ends.ok() && ends->equivalent && ends->stepByStep);
    }

    void whatIsTooDearIsSaid() {
        Fixture f;
        f.start("graph f(x: f32[64,64])\n  p = MatMul(x, x)\n  return Mul(MatMul(p, p), Relu(Relu(p)))\n");
        f.apply("relu_twice");
        f.apply("commute_mul");
        // A product of matrices takes 524,288 operations: too expensive with the whole, and not needed alone.
        const eval::Verification alone = f.verify({.flops = 100'000});
        QVERIFY2(alone.holds(), alone.summary().c_str());
        QCOMPARE(alone.count(StepCheck::Alone), std::size_t{2});
        const eval::Verification none = f.verify({.flops = 10});
        QVERIFY(!none.holds() && !none.difference);
        QVERIFY2(none.steps[0].note.find("GFLOP") != std::string::npos, none.steps[0].note.c_str());
        QVERIFY(none.summary().starts_with("no step could be verified: "));
    }

    void approximateStepsDoNotBlurOthers() {
        Fixture f;
        f.start("graph f(x: f32[8], y: f32[8])\n  return Add(Mul(Relu(x), y), x)\n");
        f.apply("nearly");
        f.apply("associate_mul");
        f.apply("commute_add");
        const eval::Verification verified = f.verify();
        QVERIFY2(verified.holds(), verified.summary().c_str());
        QVERIFY(verified.steps[0].maxDeviation > 1e-5 && verified.steps[2].maxDeviation < 1e-12);
    }

    void numbersOfFilesAreRounded() {
        // What f32 has for the root of 2 is 2e-8 off, and its shortest decimals 6e-8: more than the tolerance.
        Fixture f;
        f.start("graph f(x: f32[8])\n  return Mul(x, Constant[value=1.4142135,dtype=f32,shape=[]]())\n");
        f.apply("root_of_two");
        const eval::Verification verified = f.verify();
        QVERIFY2(verified.holds(), verified.summary().c_str());
        QVERIFY(verified.maxDeviation() > 1e-8 && verified.maxDeviation() < 1e-7);
        const Result<eval::Equivalence> ends = rewrite::compareEnds(f.bank, f.thread, {});
        QVERIFY(ends.ok() && ends->equivalent && ends->stepByStep && ends->compared > 0);
        QVERIFY2(ends->note.find("keep values only nearly") != std::string::npos, ends->note.c_str());
        // What another step does wrong is not put down to rounding.
        f.start("graph f(x: f32[8])\n  return Add(Mul(x, Constant[value=1.4142135,dtype=f32,shape=[]]()), x)\n");
        f.apply("root_of_two");
        f.apply("not_a_sum");
        const Result<eval::Equivalence> wrong = rewrite::compareEnds(f.bank, f.thread, {});
        QVERIFY(wrong.ok() && !wrong->equivalent && wrong->compared > 0);
        QVERIFY2(wrong->counterexample.find("not_a_sum") != std::string::npos ||
                     wrong->counterexample.find("Sub(") != std::string::npos,
                 wrong->counterexample.c_str());
    }

    void positiveNumbersAloneDoNotTell() {
        Fixture f;
        f.start("graph f(x: f32[8])\n  return Relu(Sqrt(Mul(x, x)))\n");
        f.apply("lost_sign");
        QVERIFY(f.verify().difference.has_value());
        QVERIFY(f.verify({.flops = 1}).count(StepCheck::None) == 1);
    }

    void ksStepsAreVerified() {
        Fixture f;
        f.start("(def f Float ((x : Float) (y : Float)) (mul (add x y) (add x 1.0)))");
        f.apply("sum_turned");
        const eval::Verification good = f.verify();
        QVERIFY2(good.holds(), good.summary().c_str());
        QCOMPARE(good.count(StepCheck::Whole), std::size_t{1});
        f.apply("sum_wrong");
        const eval::Verification bad = f.verify();
        QVERIFY(bad.difference.has_value());
        QCOMPARE(bad.difference->step, std::size_t{2});
        QCOMPARE(bad.difference->rule, std::string("sum_wrong"));
        QCOMPARE(bad.difference->place, std::string("the program's value"));
        QCOMPARE(bad.difference->before, std::string("(add y x)"));
    }

    void droppedFailuresAreNoDifference() {
        Fixture f;
        // 0 / 0 has no finite value; elsewhere it is 1.
        f.start("(def f Float ((x : Float)) (add 1.0 (div x x)))");
        f.apply("x_over_x");
        QVERIFY(f.verify({.samples = 20}).holds());
    }

    void severalRootsAreOneStep() {
        Fixture f;
        f.start(
            "graph f(x: f32[4,4], y: f32[4,3], z: f32[4,3])\n"
            "  p = MatMul(x, y)\n"
            "  return (p, Relu(Mul(MatMul(x, z), p)))\n");
        f.apply("merged");
        QCOMPARE(f.thread.steps[0].positions.size(), std::size_t{2});
        const eval::Verification good = f.verify();
        QVERIFY2(good.holds(), good.summary().c_str());
        QCOMPARE(good.steps[0].check, StepCheck::Whole);
        QVERIFY(f.verify({.flops = 100}).count(StepCheck::None) == 1);
        f.thread.steps.clear();
        f.thread.states.clear();
        f.apply("crossed");
        const eval::Verification bad = f.verify();
        QVERIFY(bad.difference && bad.difference->step == 1 && bad.difference->rule == "crossed");
    }

    void anEmptyThreadHolds() {
        Fixture f;
        f.start("graph f(x: f32[2])\n  return Relu(x)\n");
        const eval::Verification verified = f.verify();
        QVERIFY(verified.holds() && verified.steps.empty());
        QCOMPARE(verified.summary(), std::string("there are no steps to verify"));
    }

    void aStopIsHeard() {
        Fixture f;
        f.start("graph f(x: f32[2], y: f32[2])\n  return Add(x, y)\n");
        f.apply("commute_add");
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = rewrite::verify(f.bank, f.thread, {.limits = {.stop = stop.get_token()}});
        QVERIFY(!stopped.ok() && stopped.error().code == ErrorCode::Cancelled);
    }

    /// Random walks: with rules that hold every step does, and each wrong step is found where it is made.
    void randomThreads() {
        Random random(77);
        std::size_t whole = 0;
        std::size_t wrong = 0;
        for (int round = 0; round < 60; ++round) {
            Fixture f;
            f.thread = {test::randomGraph(f.bank, random, 4 + round % 12), {}, {}};
            std::vector<std::shared_ptr<const rules::DirectedRule>> good;
            for (const char* name : {"commute_add", "commute_mul", "associate_mul", "factor", "relu_twice"}) {
                good.push_back(f.named(name).front());
            }
            const rewrite::Rewriter rewriter(f.bank, good, ir::Sharing::Graph);
            const auto walk = [&](int steps) {
                for (int i = 0; i < steps; ++i) {
                    const std::vector<rewrite::Rewrite> all = rewriter.successors(f.thread.end().root);
                    if (!all.empty()) f.add(all[random.below(all.size())]);
                }
            };
            walk(6);
            const eval::Verification verified = f.verify({.samples = 2});
            QVERIFY2(verified.holds(),
                     (verified.summary() + (verified.difference ? verified.difference->toString() : "")).c_str());
            whole += verified.count(StepCheck::Whole);
            const rewrite::Rewriter bad(f.bank, f.named("one_more"), ir::Sharing::Graph);
            const std::vector<rewrite::Rewrite> sums = bad.all(f.thread.end().root);
            if (sums.empty()) continue;
            const std::size_t place = f.thread.steps.size() + 1;
            f.add(sums[random.below(sums.size())]);
            walk(3);
            const eval::Verification found = f.verify({.samples = 2});
            QVERIFY2(found.difference.has_value(), found.summary().c_str());
            QCOMPARE(found.difference->step, place);
            ++wrong;
        }
        QVERIFY(whole > 200 && wrong > 20);
    }
};

MITOS_TEST(TstVerify)

}  // namespace tst_verify

#include "tst_verify.moc"
