// SPDX-License-Identifier: GPL-3.0-or-later
// What the default strategy promises: what is always good is done whatever the budget, several strategies share one
// budget and the best of them is named, calls are seen into, and loops give up what does not depend on them.
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/ir/transplant.h"
#include "core/networks/networks.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/verify.h"
#include "search/strategies/internal/schedule.h"
#include "tests/search/ks_job.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <thread>

namespace tst_portfolio {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

SourceText source(const char* text) { return SourceText("test.ks", text); }

std::string printed(const SearchResult& result) { return dialects::printProgram(*result.bank, result.thread.end()); }

void hasTheSameValues(const SearchResult& result) {
    const Result<eval::Equivalence> same = rewrite::compareEnds(*result.bank, result.thread);
    QVERIFY2(same.ok(), same ? "" : same.error().render().c_str());
    QVERIFY2(same->equivalent, same->counterexample.c_str());
}

std::size_t countOf(const ir::TermBank& bank, ir::TermId root, std::string_view op) {
    std::size_t count = 0;
    ir::forEachShared(bank, root, [&](const ir::Path&, ir::TermId node) {
        count += bank.opName(node) == op ? 1 : 0;
        return true;
    });
    return count;
}

/// The programs that one rule makes of the whole program, as text.
std::vector<std::string> rewritten(const char* text, const char* rule) {
    const Job job(source(text), "ks-all");
    ir::TermBank bank(job.book().registry());
    const SearchProblem problem = job.problem(1);
    const ir::Program program = ir::Transplanter(problem.bank, bank).program(problem.program);
    const rewrite::Rewriter rewriter(bank, {job.book().find(rule)});
    std::vector<std::string> results;
    for (const rewrite::Rewrite& each : rewriter.all(program.root)) {
        if (each.step.positions.front().empty())
            results.push_back(ks::printProgram(bank, {program.function, each.result}));
    }
    return results;
}

QString onlyBody(const char* text, const char* rule) {
    const std::vector<std::string> results = rewritten(text, rule);
    if (results.size() != 1) return QStringLiteral("%1 results").arg(results.size());
    const QString all = QString::fromStdString(results.front()).simplified();
    return all;
}

}  // namespace

class TestPortfolio : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foldsEveryBatchNormalizationWhateverTheBudget();
    void simplifyingIsNoEvaluation();
    void whatWouldBeDearerIsNoSimplification();
    void inlinesCalls_data();
    void inlinesCalls();
    void leavesOtherCallsAlone_data();
    void leavesOtherCallsAlone();
    void theFunctionsNoLongerCalledAreNotWritten();
    void hoistsOutOfLoops_data();
    void hoistsOutOfLoops();
    void doesNotMakeUndefinedWhatWasDefined_data();
    void doesNotMakeUndefinedWhatWasDefined();
    void theSamplesAreSolvedAsTheirTextsAsk();
    void namesThePartThatFoundIt();
    void isAtLeastAsGoodAsItsParts();
    void runsSideBySideWhereOnlyTimeIsLimited();
    void saysWhatIsWrongWithItsParts();
};

void TestPortfolio::foldsEveryBatchNormalizationWhateverTheBudget() {
    const rules::RuleBook book = *rules::RuleBook::load("tensor-default", dialects::makeRegistry());
    ir::TermBank bank(book.registry());
    const Result<const networks::Network*> network = networks::findNetwork("resnet-50");
    QVERIFY(network.ok());
    const Result<tensor::Model> model = networks::build(bank, **network, networks::Style::Realistic);
    QVERIFY(model.ok());
    // Each of ResNet-50's 53 convolutions has one behind it.
    QCOMPARE(countOf(bank, model->program.root, "BatchNormalization"), std::size_t{53});
    for (const char* name : {"phases", "portfolio"}) {
        Budget budget;
        budget.evaluations = 2;
        const SearchResult result =
            searched(name, {bank, model->program, book.directions(), *cost::findCostModel("roofline"), budget, 1, {}});
        QVERIFY2(result.check.valid, result.check.reason.c_str());
        QCOMPARE(countOf(*result.bank, result.thread.end().root, "BatchNormalization"), std::size_t{0});
        QVERIFY(result.thread.steps.size() >= 53);
        QVERIFY(result.bestCost < result.initialCost);
        QVERIFY(result.statistics.evaluations <= 2);
    }
}

void TestPortfolio::simplifyingIsNoEvaluation() {
    const auto phases = parseSchedule("always: simplify; all: greedy");
    QVERIFY(phases.ok());
    QVERIFY((*phases)[0].isFree() && !(*phases)[1].isFree());
}

void TestPortfolio::whatWouldBeDearerIsNoSimplification() {
    const Job job(source("(mul x (add y z))"), "ks-simple");
    SearchProblem problem = job.problem(100);
    problem.rules = {job.book().find("mul_by_add")};
    const SearchResult kept = searched(*makeSimplify(), problem);
    QCOMPARE(kept.thread.steps.size(), std::size_t{0});
    QCOMPARE(searched(*makeExhaust(), problem).thread.steps.size(), std::size_t{1});
    problem.rules = {job.book().find("commute_mul")};  // costs the same, and comes back to what was met
    QCOMPARE(searched(*makeSimplify(), problem).thread.steps.size(), std::size_t{1});
}

void TestPortfolio::inlinesCalls_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("result");
    const auto row = [](const char* name, const char* text, const char* result) {
        QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(result);
    };
    row("names and numbers stand where the parameters stood",
        "(def f Float ((a : Float) (b : Float)) (mul a (sub b a)))\n(def g Float (x : Float) (f x 2.0))",
        "(def g Float (x : Float) (mul x (sub 2.0 x)))");
    row("other arguments are bound, in their order",
        "(def f Float ((a : Float) (b : Float)) (mul a (sub b a)))\n(def g Float (x : Float) (f (exp x) (log x)))",
        "(def g Float (x : Float) (let ((a (exp x)) (b (log x))) (mul a (sub b a))))");
    row("nothing is captured",
        "(def f Float (a : Float) (let (x 3.0) (add a x)))\n(def g Float (x : Float) (f (mul x x)))",
        "(def g Float (x : Float) (let ((a (mul x x)) (x_2 3.0)) (add a x_2)))");
    row("sizes come from the arguments",
        "(def f Float ((v : Vec n Float)) (to_float n))\n(def g Float ((w : Vec Float)) (f w))",
        "(def g Float ((w : Vec Float)) (let (n (size w)) (to_float n)))");
}

void TestPortfolio::inlinesCalls() {
    QFETCH(const QString, text);
    QFETCH(const QString, result);
    const std::string program = text.toStdString();
    const QString written = onlyBody(program.c_str(), "inline_call");
    // The names of binders are the printer's; what counts is the term.
    const Job expected(source(result.toUtf8().constData()), "ks-simple");
    const Job found(source(written.toUtf8().constData()), "ks-simple");
    const SearchProblem a = expected.problem(1);
    const SearchProblem b = found.problem(1);
    QVERIFY2(a.bank.hash(a.program.root) == b.bank.hash(b.program.root), qPrintable(written));
}

void TestPortfolio::leavesOtherCallsAlone_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("defined elsewhere") << "(edef f Float (Float))\n(def g Float (x : Float) (f x))";
    QTest::newRow("recursive") << "(def f Float (a : Float) (if (gt a 0.0) (f (sub a 1.0)) a))\n"
                                  "(def g Float (x : Float) (f x))";
    QTest::newRow("a size that only the result names")
        << "(def f (Vec n Float) ((a : Float)) (build n (lam (i : Integer) a)))\n"
           "(def g (Vec Float) ((x : Float)) (f x))";
}

void TestPortfolio::leavesOtherCallsAlone() {
    QFETCH(const QString, text);
    QVERIFY(rewritten(text.toUtf8().constData(), "inline_call").empty());
}

void TestPortfolio::theFunctionsNoLongerCalledAreNotWritten() {
    const Job job(source("(def half Float (a : Float) (div a 2.0))\n"
                         "(def twice Float (a : Float) (mul 2.0 (half a)))\n"
                         "(def g Float (x : Float) (add (twice x) (twice x)))"),
                  "ks-all");
    const SearchResult result = searched("saturation", job.problem(3000));
    verify(result, job.book());
    hasTheSameValues(result);
    const QString text = QString::fromStdString(printed(result));
    QVERIFY2(!text.contains(QStringLiteral("half")) && !text.contains(QStringLiteral("twice")), qPrintable(text));
}

void TestPortfolio::hoistsOutOfLoops_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("result");
    const auto row = [](const char* rule, const char* name, const char* text, const char* result) {
        QTest::newRow(name) << QString::fromUtf8(rule) << QString::fromUtf8(text) << QString::fromUtf8(result);
    };
    row("hoist_of_sumbuild", "a sum has a round",
        "(def f Float ((v : Vec n Float)) (sumbuild n (lam (i : Integer) (let (s (sum v)) (mul s (index i v))))))",
        "(def f Float ((v : Vec n Float)) (let (s (sum v)) (sumbuild n (lam (i : Integer) (mul s (index i v))))))");
    row("hoist_of_build", "what cannot fail",
        "(def f (Vec Float) ((x : Float) (v : Vec n Float)) "
        "(build n (lam (i : Integer) (let (s (exp x)) (mul s (index i v))))))",
        "(def f (Vec Float) ((x : Float) (v : Vec n Float)) "
        "(let (s (exp x)) (build n (lam (i : Integer) (mul s (index i v))))))");
    row("hoist_of_build_if_run", "what fails only where it is not needed",
        "(def f (Vec Float) ((v : Vec n Float)) "
        "(build n (lam (i : Integer) (let (s (sum v)) (div (index i v) s)))))",
        "(def f (Vec Float) ((v : Vec n Float)) "
        "(let (s (if (gt n 0) (sum v) 0.0)) (build n (lam (i : Integer) (div (index i v) s)))))");
    row("hoist_of_map", "out of map",
        "(def f (Vec Float) ((x : Float) (v : Vec Float)) (map (lam (y : Float) (let (s (exp x)) (mul s y))) v))",
        "(def f (Vec Float) ((x : Float) (v : Vec Float)) (let (s (exp x)) (map (lam (y : Float) (mul s y)) v)))");
    row("hoist_of_fold", "out of fold",
        "(def f Float ((x : Float) (v : Vec Float)) "
        "(fold (lam (t : Tuple Float Float) (let (s (exp x)) (add (mul s (get$1$2 t)) (get$2$2 t)))) 0.0 v))",
        "(def f Float ((x : Float) (v : Vec Float)) "
        "(let (s (exp x)) (fold (lam (t : Tuple Float Float) (add (mul s (get$1$2 t)) (get$2$2 t))) 0.0 v)))");
}

void TestPortfolio::hoistsOutOfLoops() {
    QFETCH(const QString, rule);
    QFETCH(const QString, text);
    QFETCH(const QString, result);
    const QString written = onlyBody(text.toUtf8().constData(), rule.toUtf8().constData());
    const Job expected(source(result.toUtf8().constData()), "ks-simple");
    const Job found(source(written.toUtf8().constData()), "ks-simple");
    const SearchProblem a = expected.problem(1);
    const SearchProblem b = found.problem(1);
    QVERIFY2(a.bank.hash(a.program.root) == b.bank.hash(b.program.root), qPrintable(written));
}

void TestPortfolio::doesNotMakeUndefinedWhatWasDefined_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("an index out of range") << "(def f (Vec Float) ((v : Vec n Float)) "
                                              "(build n (lam (i : Integer) (let (s (index 0 v)) s))))";
    QTest::newRow("a tensor that cannot be made") << "(def f (Vec (Tuple Float Float)) ((v : Vec n Float)) "
                                                     "(build n (lam (i : Integer) (let (s (tuple (sum v) 1.0)) s))))";
    QTest::newRow("what depends on the loop") << "(def f (Vec Float) ((v : Vec n Float)) "
                                                 "(build n (lam (i : Integer) (let (s (index i v)) (mul s s)))))";
    QTest::newRow("an effect") << "(def f (Vec Integer) ((x : Float) (n : Integer)) "
                                  "(build n (lam (i : Integer) (let (s (print x)) (add s i)))))";
}

void TestPortfolio::doesNotMakeUndefinedWhatWasDefined() {
    QFETCH(const QString, text);
    QVERIFY(rewritten(text.toUtf8().constData(), "hoist_of_build").empty());
    QVERIFY(rewritten(text.toUtf8().constData(), "hoist_of_sumbuild").empty());
}

/// "Bind it and lift the binding out of the loop", "bind it outside the loop": the largest sum or element is worked out once.
void TestPortfolio::theSamplesAreSolvedAsTheirTextsAsk() {
    for (const char* sample : {"linear-algebra/rscl.ks", "teaching/log_sum_exp.ks"}) {
        const Job job(sample, "ks-all");
        const SearchResult result = searched("portfolio", job.problem(5000));
        verify(result, job.book());
        hasTheSameValues(result);
        const ir::TermBank& bank = *result.bank;
        const bool isScaling = std::string(sample).find("rscl") != std::string::npos;
        std::size_t inLoops = 0;
        std::size_t all = 0;
        ir::forEachSubterm(bank, result.thread.end().root, [&](const ir::Path& path, ir::TermId term) {
            if (bank.opName(term) != (isScaling ? "sum" : "max")) return true;
            ++all;
            const std::vector<ir::TermId> binders = ir::bindersAbove(bank, result.thread.end().root, path);
            inLoops += std::ranges::any_of(binders, [&](ir::TermId b) { return bank.is(b, ir::CoreOp::Lam); }) ? 1 : 0;
            return true;
        });
        const std::string text = printed(result);
        QVERIFY2(inLoops == 0 && all == 1, text.c_str());
    }
}

void TestPortfolio::namesThePartThatFoundIt() {
    const Job job("arithmetic/table6-1.ks", "ks-all");
    Recorder recorder;
    const SearchResult result = searched(*makePortfolio(), job.problem(3000), recorder);
    verify(result, job.book());
    QVERIFY(result.statistics.evaluations <= 3000);
    QVERIFY(result.statistics.part.starts_with("saturation") || result.statistics.part.starts_with("phases"));
    QVERIFY(recorder.events.front().is<Started>());
    QVERIFY(recorder.events.back().is<Finished>());
    QCOMPARE(recorder.events.back().part, result.statistics.part);
    std::uint64_t evaluations = 0;
    double best = result.initialCost;
    for (const SearchEvent& event : recorder.events) {
        QVERIFY(event.evaluations >= evaluations && event.best <= best);
        evaluations = event.evaluations;
        best = event.best;
        QVERIFY(!event.is<Improved>() || !event.part.empty());
    }
    QCOMPARE(best, result.bestCost);
    // The same again: nothing depends on the clock.
    const SearchResult again = searched(*makePortfolio(), job.problem(3000));
    QCOMPARE(printed(again), printed(result));
    QCOMPARE(again.statistics.part, result.statistics.part);
    QCOMPARE(again.statistics.evaluations, result.statistics.evaluations);
}

/// A sharing that rewriting finds and e-graphs do not (table5-test-11), and a detour of which it is the other way round.
void TestPortfolio::isAtLeastAsGoodAsItsParts() {
    for (const char* sample : {"arithmetic/table5-test-11.ks", "arithmetic/table5-test-10.ks"}) {
        const Job job(sample, "ks-all");
        const double together = searched("portfolio", job.problem(20'000)).bestCost;
        QVERIFY(together <= searched("saturation", job.problem(5000)).bestCost + 1e-9);
        QVERIFY(together <= searched("phases", job.problem(5000)).bestCost + 1e-9);
    }
}

void TestPortfolio::runsSideBySideWhereOnlyTimeIsLimited() {
    const Job job("arithmetic/table6-2.ks", "ks-all");
    SearchProblem problem = job.problem(1, {{"threads", std::int64_t{2}}});
    problem.budget.evaluations.reset();
    Recorder recorder;
    const std::thread::id home = std::this_thread::get_id();
    class SameThread final : public Observer {
    public:
        SameThread(Observer& next, std::thread::id home) : m_next(next), m_home(home) {}
        void onEvent(const SearchEvent& event) override {
            isHome = isHome && std::this_thread::get_id() == m_home;
            m_next.onEvent(event);
        }
        bool isHome = true;

    private:
        Observer& m_next;
        std::thread::id m_home;
    } observer(recorder, home);
    // A slow machine needs longer.
    bool isFound = false;
    for (const double seconds : {0.5, 2.0, 8.0}) {
        if (isFound) break;
        problem.budget.seconds = seconds;
        const SearchResult result = searched(*makePortfolio(), problem, observer);
        verify(result, job.book());
        QVERIFY(observer.isHome);
        QVERIFY(result.statistics.seconds < seconds + 5.0);
        isFound = result.bestCost <= 6.1;
    }
    QVERIFY(isFound);
    std::stop_source stop;
    stop.request_stop();
    const Result<SearchResult> stopped = makePortfolio()->run(problem, stop.get_token(), recorder);
    QVERIFY(stopped.ok());
    QCOMPARE(stopped->reason, StopReason::Stopped);
}

void TestPortfolio::saysWhatIsWrongWithItsParts() {
    const Job job("arithmetic/table6-1.ks", "ks-all");
    const auto complaint = [&](const char* parts) {
        Recorder recorder;
        const Result<SearchResult> result =
            makePortfolio()->run(job.problem(10, {{"parts", std::string(parts)}}), {}, recorder);
        return result ? std::string() : result.error().message;
    };
    QCOMPARE(complaint("portfolio"), std::string("schedule, phase \"portfolio\": a portfolio cannot hold another one"));
    QCOMPARE(complaint("astro @ 10%"), std::string("schedule, phase \"astro @ 10%\": there is no strategy \"astro\""));
    QCOMPARE(complaint("greedy; astar(depth=3) @ 20%"), std::string());
}

MITOS_TEST(TestPortfolio)

}  // namespace tst_portfolio

#include "tst_portfolio.moc"
