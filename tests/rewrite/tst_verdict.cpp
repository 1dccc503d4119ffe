// SPDX-License-Identifier: GPL-3.0-or-later
// The one verdict on a result: what it says, its limits, its JSON, and the part of a thread that is given instead.
#include "core/base/time_limit.h"
#include "core/dialects/dialects.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/verdict.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <chrono>

namespace tst_verdict {

using namespace mitos;
using rewrite::RuleRemark;
using rewrite::Values;
using rewrite::Verdict;

namespace {

constexpr const char* VerdictRules =
    "use ks\n"
    "rule turned [real-only]: a + b => b + a\n"
    "rule wrong [real-only]: a + b => a - b\n"
    "rule unit [exact]: a * 1.0 => a\n"
    "rule unnamed [domain]: let x = e in b => b[x := e]\n"
    "rule nothing [exact-but-zero-sign]: 0 + a => a\n"
    "rule itself [domain]: eq(a, a) => true\n"
    "rule first [exact]: if(true, a, b) => a\n";

/// A thread that is made rule by rule, each where it applies first.
struct VerdictFixture {
    ir::TermBank bank{dialects::makeRegistry()};
    rules::RuleSet set;
    rewrite::Thread thread;

    explicit VerdictFixture(const std::string& program, const std::vector<std::string>& steps) {
        Result<rules::LoadedRules> loaded =
            rules::loadRules(SourceText("test.rules", VerdictRules), bank.sharedRegistry());
        if (!loaded || !loaded->errors.empty()) qFatal("the rules do not load");
        set = std::move(loaded->set);
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", program);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        thread = {*parsed, {}, {}};
        for (const std::string& name : steps) apply(name);
    }
    void apply(const std::string& name) {
        std::vector<std::shared_ptr<const rules::DirectedRule>> found;
        for (const auto& rule : set.rules) {
            if (rule->name == name) found = rule->directions;
        }
        const std::vector<rewrite::Rewrite> all =
            rewrite::Rewriter(bank, found, ir::Sharing::Tree).all(thread.end().root);
        if (all.empty()) qFatal("%s does not apply", name.c_str());
        thread.steps.push_back(all.front().step);
        thread.states.push_back(all.front().result);
    }
    /// The thread from its end to its start, of one step.
    void turnAround() {
        std::swap(thread.start.root, thread.states.front());
        thread.steps.front().isReversed = true;
    }
    [[nodiscard]] Verdict judge(const rewrite::JudgeOptions& options = {}) {
        return rewrite::judge(bank, thread, rewrite::check(bank, thread), options);
    }
    [[nodiscard]] rewrite::Judged parts(std::vector<double> costs) {
        return rewrite::judgeParts(bank, thread, std::move(costs), rewrite::check(bank, thread));
    }
};

constexpr const char* Sum = "(def f Float ((x : Float) (y : Float)) (add (mul x 1.0) y))";
/// Millions of steps for each input.
constexpr const char* Slow =
    "(def f Float ((x : Float)) (add (sumbuild 3000000 (lam (i : Integer) (mul x (to_float i)))) (mul x 1.0)))";

}  // namespace

class TstVerdict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsKnownStandsInOneLine() {
        VerdictFixture f(Sum, {"turned", "unit"});
        const Verdict verdict = f.judge();
        QVERIFY2(verdict.isGood(), verdict.toString().c_str());
        QCOMPARE(verdict.stepsChecked, std::size_t{2});
        QVERIFY(verdict.values == Values::Same);
        QVERIFY(verdict.inputs > 1);
        const std::string start =
            "2 of 2 steps checked; same values on " + std::to_string(verdict.inputs) + " random inputs";
        QVERIFY2(verdict.toString().starts_with(start), verdict.toString().c_str());
        // The exact rule needs no remark.
        QVERIFY2(verdict.toString().ends_with("; real-only: turned"), verdict.toString().c_str());
    }

    void otherValuesAreNotGood() {
        VerdictFixture f(Sum, {"wrong"});
        const Verdict verdict = f.judge();
        QVERIFY(verdict.isThreadChecked);  // it is an instance of its rule
        QVERIFY(verdict.values == Values::Different && verdict.isRefuted() && !verdict.isGood());
        QVERIFY(verdict.toString().find("DIFFERENT VALUES") != std::string::npos);
        QVERIFY(!verdict.counterexample.empty());
    }

    /// Values that differ for NaN or for the sign of a zero are the same over the reals: the verdict states it and is not good.
    void exceptionsAreStated() {
        using Exception = eval::ValueException::Kind;
        VerdictFixture nan("(if (eq x x) y z)", {"itself", "first"});
        Verdict verdict = nan.judge();
        QVERIFY(verdict.values == Values::Same && !verdict.isRefuted() && !verdict.isGood());
        QCOMPARE(verdict.exceptions.size(), std::size_t{1});
        QVERIFY(verdict.exceptions[0].kind == Exception::NotANumber && verdict.exceptions[0].inputs > 0);
        QVERIFY2(verdict.toString().find(" random inputs but for NaN (largest") != std::string::npos,
                 verdict.toString().c_str());
        VerdictFixture zero("(if (gt (div 1.0 (add 0.0 x)) 0.0) 5.0 3.0)", {"nothing"});
        verdict = zero.judge();
        QVERIFY(verdict.values == Values::Same && !verdict.isRefuted() && !verdict.isGood());
        QVERIFY2(verdict.toString().find(" random inputs but for the sign of zero (largest") != std::string::npos,
                 verdict.toString().c_str());
        QVERIFY2(verdict.toString().ends_with("; exact but for the sign of zero: nothing"), verdict.toString().c_str());
        const std::optional<Verdict> read = rewrite::verdictFromJson(rewrite::toJson(verdict));
        QVERIFY(read && read->exceptions == verdict.exceptions && !read->isGood());
        QVERIFY(read->hasRule(RuleRemark::Kind::ZeroSign));
        // The rule alone is no reason for doubt.
        VerdictFixture plain("(mul 2.0 (add 0.0 x))", {"nothing"});
        verdict = plain.judge();
        QVERIFY2(verdict.isGood() && verdict.hasRule(RuleRemark::Kind::ZeroSign), verdict.toString().c_str());
    }

    void anInvalidThreadIsNotCompared() {
        VerdictFixture f(Sum, {"turned", "unit"});
        f.thread.states[1] = f.thread.start.root;
        const Verdict verdict = f.judge();
        QVERIFY(verdict.isRefuted() && verdict.values == Values::NotCompared);
        QCOMPARE(verdict.stepsChecked, std::size_t{1});
        QVERIFY2(verdict.toString().starts_with("THE THREAD IS NOT VALID (1 of 2 steps checked): "),
                 verdict.toString().c_str());
    }

    void aStepThatMayLoseAValueIsNotGood() {
        // An arm that is not taken may fail; both arms that need the element may name it.
        for (const auto& [arm, isGood] : {std::pair{"x", false}, {"(neg t)", true}}) {
            VerdictFixture f(std::string("(def f Float ((p : Bool) (x : Float) (v : (Vec Float))) "
                                         "(let (t (index 0 v)) (if p t ") +
                                 arm + ")))",
                             {"unnamed"});
            f.turnAround();
            const Verdict verdict = f.judge();
            QVERIFY(verdict.isThreadChecked);
            QCOMPARE(verdict.isGood(), isGood);
            QCOMPARE(verdict.hasRule(RuleRemark::Kind::Backwards), !isGood);
            const bool says = verdict.toString().find("backwards, may lose a value: unnamed") != std::string::npos;
            QCOMPARE(says, !isGood);
            const std::optional<Verdict> read = rewrite::verdictFromJson(rewrite::toJson(verdict));
            QVERIFY(read && read->hasRule(RuleRemark::Kind::Backwards) == !isGood);
        }
    }

    void rulesInDoubtAndAssumptionsAreNotGood() {
        VerdictFixture f(Sum, {"turned", "unit"});
        eval::TrustedRules trusted;
        trusted.untested.push_back({"unit", "own.rules", "no instance could be compared"});
        Verdict verdict = f.judge({.rules = &trusted});
        QVERIFY(verdict.values == Values::Same && !verdict.isGood() && !verdict.isRefuted());
        QCOMPARE(verdict.rules.size(), std::size_t{2});
        QVERIFY(verdict.rules[0].kind == RuleRemark::Kind::Untested && verdict.rules[0].rule == "unit");
        QVERIFY2(verdict.toString().ends_with("; not tested: unit; real-only: turned"), verdict.toString().c_str());
        trusted.failed.push_back({"turned", "own.rules", "1 + 2 = 3, but …"});
        verdict = f.judge({.rules = &trusted});
        QVERIFY2(verdict.toString().ends_with("; FAILED THEIR TEST: turned; not tested: unit"),
                 verdict.toString().c_str());
        verdict = f.judge({.dropped = {{RuleRemark::Kind::Dropped, "nudge", "x = 1"}}});
        QVERIFY(verdict.isGood() && verdict.hasRule(RuleRemark::Kind::Dropped));
        QVERIFY2(verdict.toString().ends_with("; dropped, as they changed values: nudge"), verdict.toString().c_str());
        QCOMPARE(rewrite::verdictFromJson(rewrite::toJson(verdict))->rules, verdict.rules);
        verdict = f.judge({.assumptions = {"x + 3 > 0"}});
        QVERIFY(!verdict.isGood());
        QVERIFY(verdict.toString().find("; assuming x + 3 > 0") != std::string::npos);
    }

    /// The cheapest part of the thread with the same values; where it costs no less than the start, the start.
    void aPartWithTheSameValuesIsOffered() {
        VerdictFixture f(Sum, {"turned", "unit", "wrong"});
        const rewrite::Judged part = f.parts({10.0, 12.0, 9.0, 5.0});
        QCOMPARE(part.thread.steps.size(), std::size_t{2});
        QCOMPARE(part.costs, (std::vector<double>{10.0, 12.0, 9.0}));
        QVERIFY(part.verdict.isGood());
        QVERIFY(part.refused && part.refused->values == Values::Different && part.refused->steps == 3);
        QCOMPARE(part.guilty, std::optional<std::size_t>(2));
        const rewrite::Judged start = f.parts({8.0, 12.0, 9.0, 5.0});
        QCOMPARE(start.thread.steps.size(), std::size_t{0});
        QVERIFY(start.check.valid && start.refused);
        QCOMPARE(start.guilty, std::optional<std::size_t>(2));
        // Nothing is taken away from a result that has the same values.
        VerdictFixture good(Sum, {"turned", "unit"});
        const rewrite::Judged whole = good.parts({10.0, 12.0, 9.0});
        QCOMPARE(whole.thread.steps.size(), std::size_t{2});
        QVERIFY(!whole.refused);
    }

    void comparingHasItsOwnTime() {
        VerdictFixture f(Slow, {"unit"});
        rewrite::JudgeOptions options;
        options.sampling.seconds = 0.05;
        const auto start = std::chrono::steady_clock::now();
        const Verdict verdict = f.judge(options);
        QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
        QVERIFY(verdict.values == Values::NotCompared && !verdict.isGood());
        QVERIFY2(verdict.valuesNote.find("the 0.05 s that comparing may take ended") != std::string::npos,
                 verdict.valuesNote.c_str());
    }

    void aStopIsToldFromTheTime() {
        std::stop_source stop;
        {
            const TimeLimit time(3600.0, stop.get_token());
            QVERIFY(!time.token().stop_requested());
            stop.request_stop();
            QVERIFY(time.token().stop_requested() && !time.isOver());
        }
        const TimeLimit brief(0.001, std::stop_token());
        QTRY_VERIFY(brief.token().stop_requested());
        QVERIFY(brief.isOver());
        VerdictFixture f(Sum, {"turned"});
        rewrite::JudgeOptions options;
        options.sampling.limits.stop = stop.get_token();
        const Verdict verdict = f.judge(options);
        QVERIFY(verdict.values != Values::Different);
    }

    /// Without steps there is nothing to compare, however short the time is.
    void noStepsKeepTheValues() {
        VerdictFixture f(Sum, {});
        rewrite::JudgeOptions options;
        std::stop_source stop;
        stop.request_stop();
        options.sampling.limits.stop = stop.get_token();
        const Verdict verdict = rewrite::judge(f.bank, f.thread, rewrite::check(f.bank, f.thread), options);
        QVERIFY(verdict.isGood());
        QCOMPARE(verdict.inputs, 0);
        QCOMPARE(verdict.toString(), std::string("no steps; the program's own values"));
    }

    /// A model that computes more than a comparison may is compared step by step, and the verdict does not claim inputs.
    void tooMuchWorkIsComparedStepByStep() {
        ir::TermBank bank(dialects::makeRegistry());
        const auto loaded = rules::loadRules(
            SourceText("test.rules", "use tensor\nrule twice: Relu(Relu(a)) => Relu(a)\n"), bank.sharedRegistry());
        QVERIFY(loaded.ok() && loaded->errors.empty());
        const Result<ir::Program> program = dialects::parseProgram(
            bank, "test", "graph f(x: f32[8,8], y: f32[8,8])\n  return MatMul(Relu(Relu(x)), y)\n");
        QVERIFY(program.ok());
        const auto all =
            rewrite::Rewriter(bank, loaded->set.rules.front()->directions, ir::Sharing::Graph).all(program->root);
        QCOMPARE(all.size(), std::size_t{1});
        const rewrite::Thread thread{*program, {all.front().step}, {all.front().result}};
        rewrite::JudgeOptions options;
        options.sampling.flops = 1.0;
        const Verdict verdict = rewrite::judge(bank, thread, rewrite::check(bank, thread), options);
        QVERIFY2(verdict.values == Values::Same && verdict.isStepByStep, verdict.toString().c_str());
        QCOMPARE(verdict.inputs, 0);
        QVERIFY2(verdict.toString().find("same values step by step") != std::string::npos, verdict.toString().c_str());
        // A comparison that is stopped says so, and nothing claims that the values are the same.
        std::stop_source stop;
        stop.request_stop();
        options.sampling.limits.stop = stop.get_token();
        const Verdict stopped = rewrite::judge(bank, thread, rewrite::check(bank, thread), options);
        QVERIFY(stopped.isThreadChecked && !stopped.isGood());
        QCOMPARE(stopped.toString(), std::string("1 of 1 step checked; values not compared: stopped"));
    }

    void jsonKeepsAll() {
        VerdictFixture f(Sum, {"turned", "wrong"});
        eval::TrustedRules trusted;
        trusted.failed.push_back({"wrong", "own.rules", "a \"counterexample\""});
        const Verdict verdict = f.judge({.rules = &trusted, .assumptions = {"x > 0"}});
        const std::optional<Verdict> read = rewrite::verdictFromJson(rewrite::toJson(verdict));
        QVERIFY(read.has_value());
        QCOMPARE(rewrite::toJson(*read), rewrite::toJson(verdict));
        QCOMPARE(read->toString(), verdict.toString());
        QCOMPARE(read->counterexample, verdict.counterexample);
        QCOMPARE(read->rules[0].reason, std::string("a \"counterexample\""));
        for (const char* other : {"", "[]", "{}", "{\"values\": 3}", "{\"values\": \"same\", \"rules\": [1]}"}) {
            const std::optional<Verdict> found = rewrite::verdictFromJson(other);
            QVERIFY(!found || !found->isGood());
        }
    }
};

MITOS_TEST(TstVerdict)

}  // namespace tst_verdict

#include "tst_verdict.moc"
