// SPDX-License-Identifier: GPL-3.0-or-later
// The report: its answer, its warnings, the steps of its threads, and the page as a whole.
#include "core/dialects/dialects.h"
#include "core/rewrite/stated_thread.h"
#include "search/report/html.h"
#include "search/report/html_report.h"
#include "search/report/internal/answer.h"
#include "search/report/internal/stepped_thread.h"
#include "search/report/svg_bars.h"
#include "search/report/svg_chart.h"
#include "tests/search/comparison_job.h"
#include "tests/support/test_program.h"

#include <QCryptographicHash>
#include <QObject>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

namespace tst_report {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

enum class Outcome { Confirmed, NotCompared, Wrong };

struct Point {
    double seconds;
    double best;
};

/// A run with the curve, which begins with the start's cost.
Run runOf(const std::string& strategy, const std::vector<Point>& curve, Outcome outcome = Outcome::Confirmed,
          std::uint64_t seed = 1) {
    std::vector<Improvement> improvements;
    for (const Point& point : curve) improvements.push_back({improvements.size() + 1, point.seconds, point.best});
    Run run = recordOf(curve.front().best, improvements, 100).run;
    run.strategy = strategy;
    run.seed = seed;
    run.stop = "evaluations";
    run.budget.evaluations = 100;
    run.statistics.seconds = 10.0;
    rewrite::Verdict& verdict = run.verdict.emplace();
    verdict.isThreadChecked = true;
    verdict.values = outcome == Outcome::Confirmed ? rewrite::Values::Same
                     : outcome == Outcome::Wrong   ? rewrite::Values::Different
                                                   : rewrite::Values::NotCompared;
    verdict.inputs = 24;
    if (outcome == Outcome::Wrong) verdict.counterexample = "x = <3>";
    return run;
}

Run failedRun(const std::string& strategy, const std::string& reason) {
    Run run;
    run.strategy = strategy;
    run.budget.evaluations = 100;
    enterFailure(run, Error{ErrorCode::InvalidInput, reason});
    return run;
}

std::vector<StrategyInfo> infos() {
    std::vector<StrategyInfo> all;
    for (const auto& strategy : allStrategies()) all.push_back(strategy->info());
    return all;
}

/// The text of a piece of HTML, on one line.
QString plain(const std::string& html) {
    static const QRegularExpression tag(QStringLiteral("<[^>]*>"));
    return QString::fromStdString(html).remove(tag).simplified();
}

struct Answer {
    QString text;
    QString warnings;
};
/// What the page says about the runs of one program.
Answer answerTo(const std::vector<Run>& runs) {
    std::vector<TableRun> table;
    for (const Run& run : runs) table.push_back({"p", &run});
    const report::Contest contest(table, infos(), "units");
    const std::vector<report::Outcome> outcomes{outcomeOf(contest, 0)};
    return {plain(answerText(contest, outcomes.front(), 0)), plain(warningBoxes(contest, outcomes))};
}

/// Rules that no thread of these tests uses.
rules::RuleBook otherRules() { return *rules::RuleBook::load("ks-if", ks::makeRegistry()); }

/// Reads the page as XML, which is stricter than HTML; empty if it is well-formed.
QString xmlError(const std::string& page) {
    QXmlStreamReader reader(QByteArray::fromStdString(page));
    while (!reader.atEnd()) reader.readNext();
    return reader.hasError() ? QStringLiteral("%1 at line %2").arg(reader.errorString()).arg(reader.lineNumber())
                             : QString();
}

QString between(const std::string& text, const char* begin, const char* end) {
    return QString::fromStdString(text).section(QLatin1String(begin), 1, 1).section(QLatin1String(end), 0, 0);
}

/// The elements of a page with the name and class, each as its text.
QStringList elements(const std::string& page, QLatin1String name, QLatin1String ofClass = {}) {
    QXmlStreamReader reader(QByteArray::fromStdString(page));
    QStringList texts;
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement || reader.name() != name) continue;
        if (!ofClass.isEmpty() && reader.attributes().value(QLatin1String("class")) != ofClass) continue;
        texts << reader.readElementText(QXmlStreamReader::IncludeChildElements);
    }
    return texts;
}

}  // namespace

class TestReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theAnswer_data();
    void theAnswer();
    void aWrongResultCountsNowhere();
    void anUnconfirmedResultIsNoAnswer();
    void failuresAreNamed();
    void theAnswerForSeveralPrograms();
    void contestantsHaveDifferentNames();
    void gainsAreAgainstTheStartOfTheProgram();
    void numbersAreShort_data();
    void numbersAreShort();
    void changesAndUnitsAreReadable();
    void theStepsAreThoseOfTheThread();
    void changesAreMarked();
    void longThreadsAreCutShort();
    void threadsOfUnknownRulesHaveNamesAndCosts();
    void theReportShowsEverything();
    void theReportEscapesWhatItShows();
    void thePolicyPermitsItsOwnScriptOnly();
    void chartsStayInTheirFrame();
    void barsBeginAtZero();
    void heatmapsShowCounts();
};

void TestReport::theAnswer_data() {
    QTest::addColumn<std::vector<Run>>("runs");
    QTest::addColumn<QString>("answer");
    const std::vector<Point> start{{0.0, 31880}};
    const std::vector<Point> saturation{{0.0, 31880}, {0.8, 26200}, {2.0, 26160}};
    QTest::newRow("a clear winner")
        << std::vector<Run>{runOf("astar", {{0.0, 31880}, {4.2, 26300}}), runOf("mcts", {{0.0, 31880}, {3.0, 26944.8}}),
                            runOf("saturation", saturation)}
        << QStringLiteral(
               "Saturation found the cheapest program: 26.16 k units, ▼ 17.9 % below the start of 31.88 k units, "
               "within 1 % of that after 800 ms. A* search came within 0.5 % after 4.20 s; MCTS stayed 3.0 % "
               "above it.");
    QTest::newRow("two of three")
        << std::vector<Run>{runOf("astar", saturation), runOf("greedy", start),
                            runOf("saturation", {{0.0, 31880}, {0.1, 26160}})}
        << QStringLiteral(
               "A* search and Saturation tie for the cheapest program: 26.16 k units, ▼ 17.9 % below "
               "the start of 31.88 k units; Saturation was within 1 % of that first, after 100 ms. "
               "Greedy stayed 21.9 % above it.");
    QTest::newRow("all three")
        << std::vector<Run>{runOf("astar", saturation), runOf("greedy", saturation), runOf("mcts", saturation)}
        << QStringLiteral(
               "All 3 strategies tie for the cheapest program: 26.16 k units, ▼ 17.9 % below the start of "
               "31.88 k units; A* search was within 1 % of that first, after 800 ms.");
    QTest::newRow("one of several seeds")
        << std::vector<Run>{runOf("mcts", {{0.0, 14}, {0.01, 8}}), runOf("mcts", {{0.0, 14}, {0.01, 10}}, {}, 2),
                            runOf("mcts", {{0.0, 14}}, {}, 3)}
        << QStringLiteral(
               "MCTS found the cheapest program in 1 of 3 seeds: 8 units, ▼ 42.9 % below the start of 14 units, "
               "within 1 % of that after 10.0 ms.");
    QTest::newRow("nothing cheaper") << std::vector<Run>{runOf("astar", start), runOf("mcts", start)}
                                     << QStringLiteral(
                                            "None of the 2 strategies found a program cheaper than the start, "
                                            "31.88 k units.");
    QTest::newRow("nothing cheaper alone")
        << std::vector<Run>{runOf("astar", start)}
        << QStringLiteral("A* search found no program cheaper than the start, 31.88 k units.");
    QTest::newRow("a start without cost") << std::vector<Run>{runOf("astar", {{0.0, 0}, {0.1, -2}})}
                                          << QStringLiteral(
                                                 "A* search found the cheapest program: −2 units, ▼ 2 below the "
                                                 "start of 0 units, within 1 % of that after 100 ms.");
    QTest::newRow("no result") << std::vector<Run>{failedRun("astar", "no cost"), Run()}
                               << QStringLiteral("No answer: no search has a result.");
}

void TestReport::theAnswer() {
    QFETCH(const std::vector<Run>, runs);
    QTEST(answerTo(runs).text, "answer");
}

void TestReport::aWrongResultCountsNowhere() {
    const std::vector<Run> runs{runOf("astar", {{0.0, 10}, {0.1, 8}}),
                                runOf("mcts", {{0.0, 10}, {0.1, 2}}, Outcome::Wrong),
                                runOf("mcts", {{0.0, 10}, {0.1, 9}}, Outcome::Confirmed, 2)};
    const Answer answer = answerTo(runs);
    QCOMPARE(answer.text,
             QStringLiteral("A* search found the cheapest program: 8 units, ▼ 20.0 % below the start of 10 units, "
                            "within 1 % of that after 100 ms. MCTS stayed 12.5 % above it."));
    QCOMPARE(
        answer.warnings,
        QStringLiteral("⚠ Wrong results. They count nowhere on this page: 1 of 2 by MCTS. For example 2 units by MCTS "
                       "with seed 1: no steps; DIFFERENT VALUES on some inputs; x = &lt;3&gt;."));
    std::vector<TableRun> table;
    for (const Run& run : runs) table.push_back({"p", &run});
    const std::string page = htmlReport(table, {.title = "t", .unit = "units", .strategies = infos()}, otherRules());
    QVERIFY(page.find("class=\"alarm\"") < page.find("class=\"answer\""));
    QVERIFY(page.find("<span class=\"doubtful\">1 of 2 WRONG, 1 of 2 checked</span>") != std::string::npos);
    // The best and median of MCTS are those of the other run.
    QVERIFY(plain(page).contains(QStringLiteral("MCTS29▼ −10.0 %9")));
    // A program with wrong results only has no answer.
    QCOMPARE(answerTo({runs[1]}).text, QStringLiteral("No answer: no result passed all checks."));
}

void TestReport::anUnconfirmedResultIsNoAnswer() {
    const Run cheaper = runOf("mcts", {{0.0, 10}, {0.1, 2}}, Outcome::NotCompared);
    const Answer answer = answerTo({runOf("astar", {{0.0, 10}, {0.1, 8}}), cheaper});
    QCOMPARE(answer.text,
             QStringLiteral("A* search found the cheapest program: 8 units, ▼ 20.0 % below the start of 10 units, "
                            "within 1 % of that after 100 ms. MCTS has no confirmed result."));
    QCOMPARE(answer.warnings,
             QStringLiteral("⚠ Not confirmed. The result of MCTS with seed 1, 2 units, is cheaper than the "
                            "answer, but not confirmed: no steps; values not compared. Do not rely on it."));
    const Answer alone = answerTo({cheaper});
    QCOMPARE(alone.text, QStringLiteral("No answer: no result passed all checks."));
    QVERIFY(
        alone.warnings.startsWith(QStringLiteral("⚠ Not confirmed. The result of MCTS with seed 1, 2 units, is the "
                                                 "cheapest, but not confirmed")));
    Run unchecked = cheaper;
    unchecked.verdict.reset();
    QVERIFY(answerTo({unchecked}).warnings.contains(QStringLiteral("not confirmed: it is not checked.")));
}

void TestReport::failuresAreNamed() {
    Run notRun = runOf("greedy", {{0.0, 10}});
    notRun.state = RunState::NotRun;
    Run killed = notRun;
    killed.state = RunState::Interrupted;
    const Answer answer =
        answerTo({runOf("astar", {{0.0, 10}, {0.1, 8}}), failedRun("mcts", "exp has <no> cost"), notRun, killed});
    QCOMPARE(answer.warnings,
             QStringLiteral("⚠ Failed. 1 search failed: exp has &lt;no&gt; cost. ⚠ Stopped early. 1 search was "
                            "not run. ⚠ Unfinished. 1 search has not ended."));
    QVERIFY(answer.text.startsWith(QStringLiteral("A* search found the cheapest program: 8 units")));
}

void TestReport::theAnswerForSeveralPrograms() {
    const std::vector<Run> runs{
        runOf("astar", {{0.0, 10}, {0.1, 8}}),   runOf("mcts", {{0.0, 10}, {0.1, 8}}),
        runOf("astar", {{0.0, 100}, {0.1, 60}}), runOf("mcts", {{0.0, 100}, {0.1, 70}}),
        runOf("astar", {{0.0, 7}, {0.1, 5}}),    runOf("mcts", {{0.0, 7}, {0.1, 4}}, Outcome::NotCompared)};
    const auto overall = [&runs](std::size_t programs) {
        std::vector<TableRun> table;
        for (std::size_t i = 0; i < 2 * programs; ++i) table.push_back({"p" + std::to_string(i / 2), &runs[i]});
        const report::Contest contest(table, infos(), "units");
        std::vector<report::Outcome> outcomes;
        for (std::size_t p = 0; p < programs; ++p) outcomes.push_back(outcomeOf(contest, p));
        return Answer{plain(overallAnswerText(contest, outcomes)), plain(warningBoxes(contest, outcomes))};
    };
    QCOMPARE(overall(2).text,
             QStringLiteral(
                 "Over 2 programs, A* search found the least total cost: 68 units, ▼ 38.2 % below the starts. The "
                 "cheapest program was found by A* search for 2 of 2 programs and MCTS for 1."));
    QCOMPARE(overall(2).warnings, QString());
    QCOMPARE(overall(3).text,
             QStringLiteral(
                 "Over the 2 of 3 programs that every strategy finished, A* search found the least total cost: 68 "
                 "units, ▼ 38.2 % below the starts. The cheapest program was found by A* search for 3 of 3 programs "
                 "and MCTS for 1."));
    QVERIFY(overall(3).warnings.startsWith(QStringLiteral("⚠ Not confirmed for p2. The result of MCTS")));
}

void TestReport::contestantsHaveDifferentNames() {
    std::vector<Run> runs(5, runOf("mcts", {{0.0, 10}}));
    runs[1].parameters = {{"depth", std::int64_t{7}}};
    runs[2].budget.seconds = 2.0;
    runs[3].budget.evaluations = 5000;  // only the limit differs: another group of the first contestant
    runs[4].startState = 3;
    std::vector<TableRun> table;
    for (const Run& run : runs) table.push_back({"p", &run});
    table.back().from = Beginning{.name = "state 3", .startCost = 12};
    const report::Contest contest(table, infos(), "units");
    QCOMPARE(contest.programs, (std::vector<std::string>{"p", "p, from state 3"}));
    QStringList labels;
    for (const report::Contestant& one : contest.contestants) labels << QString::fromStdString(one.label);
    QCOMPARE(labels,
             (QStringList{QStringLiteral("MCTS"), QStringLiteral("MCTS, depth = 7"), QStringLiteral("MCTS, 2 s")}));
    QVERIFY(contest.hasSeveralLimits());
    QCOMPARE(*contest.contestants.front().group(0)->asked().budget.evaluations, std::uint64_t{5000});
}

void TestReport::gainsAreAgainstTheStartOfTheProgram() {
    const auto answerFrom = [](const std::vector<Run>& runs) {
        std::vector<TableRun> table;
        for (const Run& run : runs)
            table.push_back({.program = "p", .run = &run, .from = Beginning{.name = "state 52", .startCost = 31.88}});
        const report::Contest contest(table, infos(), "units");
        return std::pair{plain(answerText(contest, outcomeOf(contest, 0), 0)),
                         htmlReport(table, {.title = "t", .unit = "units", .strategies = infos()}, otherRules())};
    };
    const auto [cheaper, page] = answerFrom({runOf("astar", {{0.0, 47.49}, {0.1, 26.17}})});
    QCOMPARE(cheaper, QStringLiteral("A* search found the cheapest program: 26.17 units, ▼ 17.9 % below the start of "
                                     "31.88 units and 44.9 % below state 52, 47.49 units, where the searches began, "
                                     "within 1 % of that after 100 ms."));
    QVERIFY(plain(page).contains(QStringLiteral("▼ −17.9 %")));
    QVERIFY(!plain(page).contains(QStringLiteral("−44.9 %")));
    // Cheaper than where it began, but not than the start.
    QCOMPARE(
        answerFrom({runOf("astar", {{0.0, 47.49}, {0.1, 40}})}).first,
        QStringLiteral("A* search found the cheapest program: 40 units, ▲ 25.5 % above the start of 31.88 units and "
                       "15.8 % below state 52, 47.49 units, where the searches began, within 1 % of that after "
                       "100 ms."));
    QCOMPARE(answerFrom({runOf("astar", {{0.0, 47.49}})}).first,
             QStringLiteral("A* search found no program cheaper than state 52, 47.49 units."));
    // In tables.
    const Run run = runOf("astar", {{0.0, 47.49}, {0.1, 26.17}});
    const std::vector<TableRun> table{
        {.program = "p", .run = &run, .from = Beginning{.name = "state 52", .startCost = 31.88}}};
    const std::string markdown = writeTable(groupedRuns(table), TableFormat::Markdown, "units", infos());
    QVERIFY2(markdown.find("| state 52 | A\\* search |") != std::string::npos, markdown.c_str());
    QVERIFY2(markdown.find("| 31.88 | 26.17 |  | −17.9 % |") != std::string::npos, markdown.c_str());
    const std::string csv = writeTable(groupedRuns(table), TableFormat::Csv, "units", infos());
    QVERIFY2(csv.find(",state 52,31.88,47.49,26.17,-17.91") != std::string::npos, csv.c_str());
}

void TestReport::numbersAreShort_data() {
    QTest::addColumn<double>("number");
    QTest::addColumn<QString>("text");
    QTest::newRow("small") << 14.0 << QStringLiteral("14");
    QTest::newRow("decimals") << 4.1 << QStringLiteral("4.1");
    QTest::newRow("thousand") << 1205.25 << QStringLiteral("1,205");
    QTest::newRow("ten thousand") << 9999.96 << QStringLiteral("10 k");
    QTest::newRow("units") << 30242.3 << QStringLiteral("30.24 k");
    QTest::newRow("giga") << 1.865e9 << QStringLiteral("1.865 G");
    QTest::newRow("negative") << -2500000.0 << QStringLiteral("−2.5 M");
    QTest::newRow("tiny") << 1.25e-7 << QStringLiteral("1.25e-07");
    QTest::newRow("zero") << 0.0 << QStringLiteral("0");
}

void TestReport::numbersAreShort() {
    QFETCH(const double, number);
    QTEST(QString::fromStdString(report::costText(number)), "text");
}

void TestReport::changesAndUnitsAreReadable() {
    using report::changeHtml;
    QCOMPARE(changeHtml(200, 190), std::string("<span class=\"better\" title=\"-10\">▼ −5.0 %</span>"));
    QCOMPARE(changeHtml(1e9, 1e9 - 330), std::string("<span class=\"soft\" title=\"-330\">no change</span>"));
    QCOMPARE(changeHtml(7, 7), std::string("<span class=\"soft\" title=\"+0\">no change</span>"));
    QCOMPARE(changeHtml(100, 1250), std::string("<span class=\"worse\" title=\"+1150\">▲ × 12.5</span>"));
    QCOMPARE(changeHtml(1, -20), std::string("<span class=\"better\" title=\"-21\">▼ −21</span>"));
    QCOMPARE(changeHtml(0, 3), std::string("<span class=\"worse\" title=\"+3\">▲ +3</span>"));
    QCOMPARE(report::costHtml(10190, "µs"), std::string("<span title=\"10190 µs\">10.19 ms</span>"));
    QCOMPARE(report::costHtml(31880, "units"), std::string("<span title=\"31880 units\">31.88 k units</span>"));
    QCOMPARE(report::percentText(3.3e-5), std::string("less than 0.1 %"));
    QCOMPARE(report::shortened("(add (mul x y) z)", 9), std::string("(add (mul…))"));
}

void TestReport::theStepsAreThoseOfTheThread() {
    const ComparisonJob job({First});
    const Comparison comparison = *compare(job.plan, {});
    const std::string page = job.report(comparison, {.title = "steps"});
    QCOMPARE(xmlError(page), QString());
    const Run* best = nullptr;
    for (const TableRun& one : tableRunsOf(comparison)) {
        if (best == nullptr || one.run->bestCost < best->bestCost) best = one.run;
    }
    const report::SteppedThread thread = report::steppedThread(*best, job.book(), 1'000'000);
    const auto stated = rewrite::statedThread(SourceText("thread", best->thread));
    QVERIFY(stated.ok() && stated->states.size() > 2);
    QCOMPARE(thread.note, std::string());
    QCOMPARE(thread.states.size(), stated->states.size());
    for (std::size_t i = 0; i < thread.states.size(); ++i) {
        QCOMPARE(thread.states[i].rule, i == 0 ? std::string() : stated->rules[i - 1]);
        QVERIFY(thread.states[i].cost == stated->states[i].cost);
    }
    QCOMPARE(thread.start, comparison.programs.front().text);
    // Without its marks, the last program is the best one.
    ir::TermBank bank(job.book().registry());
    const ir::Program end = *dialects::parseProgram(bank, "end", thread.end);
    QCOMPARE(
        plain(thread.states.back().program),
        QString::fromStdString(report::escaped(dialects::printMath(bank, end, ir::MathForm::Text).text)).simplified());
    // The page lists the states of the thread of the same cost; its first step leads away from the start.
    const QStringList heads = elements(page, QLatin1String("div"), QLatin1String("head"));
    QCOMPARE(heads.front(), QStringLiteral("Start 7 units"));
    QVERIFY2(heads.back().endsWith(QStringLiteral("%")) || heads.back().endsWith(QStringLiteral("no change")),
             qPrintable(heads.back()));
    QVERIFY(page.find("max=\"" + std::to_string(heads.size() - 1) + "\"") != std::string::npos);
    QVERIFY(page.find("id=\"p1-s" + std::to_string(heads.size() - 1) + "\" data-x=") != std::string::npos);
}

void TestReport::changesAreMarked() {
    Run run;
    run.thread = R"(mitos-thread 4
rules ks-simple
steps 1
start  cost 12  state 0000000000000000
program
(add 1.0 (mul x 1.0))
end program
1. commute_mul at /1 with a=./0 b=./1  cost 12  state 0000000000000000
end
)";
    // The hashes of the states are those that the writer gives.
    const ComparisonJob job({First});
    ir::TermBank bank(job.book().registry());
    rewrite::Thread thread{*dialects::parseProgram(bank, "p", "(add 1.0 (mul x 1.0))"), {}, {}};
    const ir::Program after = *dialects::parseProgram(bank, "p", "(add 1.0 (mul 1.0 x))");
    const auto hash = [&bank](ir::TermId term) {
        return QString::number(bank.hash(term), 16).rightJustified(16, u'0');
    };
    QString text = QString::fromStdString(run.thread);
    text.replace(text.indexOf(QLatin1String("0000000000000000")), 16, hash(thread.start.root));
    text.replace(text.lastIndexOf(QLatin1String("0000000000000000")), 16, hash(after.root));
    run.thread = text.toStdString();
    const report::SteppedThread shown = report::steppedThread(run, job.book(), 10'000);
    QCOMPARE(QString::fromStdString(shown.note), QString());
    QCOMPARE(shown.states.size(), std::size_t{2});
    QCOMPARE(shown.states[1].rule, std::string("commute_mul"));
    QCOMPARE(shown.states[1].before, std::string("x · 1"));
    QCOMPARE(shown.states[1].after, std::string("1 · x"));
    QVERIFY2(shown.states[0].program.find("<u>") != std::string::npos, shown.states[0].program.c_str());
    QVERIFY2(shown.states[1].program.find("<ins") != std::string::npos, shown.states[1].program.c_str());
    QVERIFY(shown.states[1].program.find("<u>") == std::string::npos);
}

void TestReport::longThreadsAreCutShort() {
    const ComparisonJob job({First});
    const Comparison comparison = *compare(job.plan, {});
    const Run& run = comparison.run(0, 0, 1, 0).run;
    const report::SteppedThread whole = report::steppedThread(run, job.book(), 1'000'000);
    const std::size_t enough = whole.states[0].program.size() + whole.states[1].program.size() + 5;
    const report::SteppedThread part = report::steppedThread(run, job.book(), enough);
    QCOMPARE(part.states.size(), whole.states.size());
    QCOMPARE(part.states[1].program, whole.states[1].program);
    QCOMPARE(part.states[2].program, std::string());
    QCOMPARE(part.states.back().rule, whole.states.back().rule);
    QVERIFY(part.states.back().cost == whole.states.back().cost);
    QCOMPARE(part.note, "The programs of " + std::to_string(whole.states.size() - 2) + " of " +
                            std::to_string(whole.states.size() - 1) + " steps are left out, to keep this page small.");
}

void TestReport::threadsOfUnknownRulesHaveNamesAndCosts() {
    const ComparisonJob job({First});
    const Comparison comparison = *compare(job.plan, {});
    const Run& run = comparison.run(0, 0, 1, 0).run;
    const report::SteppedThread known = report::steppedThread(run, job.book(), 1'000'000);
    const report::SteppedThread unknown = report::steppedThread(run, otherRules(), 1'000'000);
    QCOMPARE(unknown.states.size(), known.states.size());
    QCOMPARE(unknown.states.back().rule, known.states.back().rule);
    QVERIFY(unknown.states.back().program.empty());
    QVERIFY2(unknown.note.starts_with("The programs are not shown: "), unknown.note.c_str());
    const std::string page = htmlReport(tableRunsOf(comparison), {.title = "t", .unit = "units"}, otherRules());
    QVERIFY(page.find("To get the whole thread: <code>mitos-cli optimize FILE --strategy ") != std::string::npos);
    Run broken = run;
    broken.thread = "no thread";
    QVERIFY(report::steppedThread(broken, job.book(), 1'000).states.empty());
    QCOMPARE(xmlError(htmlReport(std::vector<TableRun>{{"p", &broken}}, {}, job.book())), QString());
    QCOMPARE(xmlError(htmlReport({}, {.title = "nothing"}, job.book())), QString());
}

void TestReport::theReportShowsEverything() {
    const ComparisonJob job({First, Fourth});
    const Comparison comparison = *compare(job.plan, {});
    const std::string page = job.report(comparison, {.title = "Two of Table 6",
                                                     .environment = {{"Machine", "a machine"}, {"Rules", "ks-simple"}},
                                                     .failures = {{"gone.ks", "no such file"}}});
    QCOMPARE(xmlError(page), QString());
    for (const char* piece :
         {"<h1>Two of Table 6</h1>", "prefers-color-scheme: dark", "<h2>Strategies</h2>", "<h2>Programs</h2>",
          "a machine", "gone.ks", "no such file", "How to read this page", "the middle half of the", "over evaluations",
          "over time", "over the limit of evaluations", "2 programs, 3 strategies, 3 seeds: 36 searches", "alpha = 5",
          "A* search", "evaluation limit", "Under every limit"}) {
        QVERIFY2(page.find(piece) != std::string::npos, piece);
    }
    // The answer is the first paragraph after the warnings; all explanations are folded.
    QVERIFY(page.find("class=\"answer\"") < page.find("<svg"));
    QVERIFY(page.find("<svg") < page.find("<table"));
    QVERIFY(page.find("<dl>") > page.find("<h2>Details</h2>"));
    QVERIFY(page.size() < 200'000);
}

void TestReport::theReportEscapesWhatItShows() {
    ComparisonJob job({First});
    job.plan.programs[0].name = "<img src=x onerror=alert(1)> ' \" & \xff \x1b ]]> </script><script>";
    const Comparison comparison = *compare(job.plan, {});
    const std::string page = job.report(
        comparison, {.title = "<b>&\"", .environment = {{"<i id=1>", "<u class=1>"}}, .failures = {{"<s>", "'<a>'"}}});
    QCOMPARE(xmlError(page), QString());
    for (const char* raw : {"<b>&", "<i id", "<u class", "<s>", "<a>", "<img", "<script>\n</"}) {
        QVERIFY2(page.find(raw) == std::string::npos, raw);
    }
    QVERIFY(page.find("&lt;img src=x onerror=alert(1)&gt; &#39; &quot; &amp; \\xff") != std::string::npos);
    QVERIFY(page.find("&lt;b&gt;&amp;&quot;") != std::string::npos);
    // The names that come from files and from users of the desktop.
    Run run = runOf("<x>", {{0.0, 10}, {0.1, 8}});
    run.parameters = {{"<y>", std::string("'\"&")}};
    run.thread = "mitos-thread 4\n<z>";
    run.stop = "<stop>";
    run.verdict->valuesNote = "<note>";
    Run failed = failedRun("<x>", "<reason>");
    const std::vector<TableRun> table{{"<p>", &run}, {"<p>", &failed}, {"<q>", &run}};
    const std::string other = htmlReport(table, {.title = "t", .unit = "<unit>"}, job.book());
    QCOMPARE(xmlError(other), QString());
    for (const char* raw : {"<x>", "<y>", "<z>", "<stop>", "<note>", "<reason>", "<q>", "<unit>"}) {
        QVERIFY2(other.find(raw) == std::string::npos, raw);
    }
}

void TestReport::thePolicyPermitsItsOwnScriptOnly() {
    const ComparisonJob job({First, Fourth});
    const std::string page = job.report(*compare(job.plan, {}));
    const QString policy = between(page, "Content-Security-Policy\" content=\"", "\"");
    const auto hashOf = [](const QString& text) {
        return QString::fromLatin1(QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toBase64());
    };
    QCOMPARE(policy,
             QStringLiteral("default-src 'none'; style-src 'sha256-%1'; script-src 'sha256-%2'; base-uri 'none'; "
                            "form-action 'none'")
                 .arg(hashOf(between(page, "<style>", "</style>")), hashOf(between(page, "<script>", "</script>"))));
    // One script, no handlers, no styles of elements, nothing from elsewhere.
    QCOMPARE(elements(page, QLatin1String("script")).size(), qsizetype{1});
    QXmlStreamReader reader(QByteArray::fromStdString(page));
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement) continue;
        for (const auto& attribute : reader.attributes()) {
            const QString name = attribute.qualifiedName().toString();
            const QString value = attribute.value().toString();
            QVERIFY2(
                !name.startsWith(QLatin1String("on")) && name != QLatin1String("src") && name != QLatin1String("style"),
                qPrintable(name));
            QVERIFY2(name != QLatin1String("href") || value.startsWith(u'#'), qPrintable(value));
        }
    }
    for (const char* piece : {"http:", "https:", "@import", "url("}) {
        QVERIFY2(page.find(piece) == std::string::npos, piece);
    }
}

void TestReport::chartsStayInTheirFrame() {
    using report::Chart;
    using report::svgChart;
    const auto chartOf = [](std::vector<report::ChartPoint> points) {
        return Chart{.title = "t",
                     .xTitle = "x",
                     .yTitle = "y",
                     .steps = true,
                     .markPeak = true,
                     .showsHere = true,
                     .endLabels = true,
                     .series = {{.label = "s", .style = 9, .points = std::move(points)}}};
    };
    QVERIFY(svgChart(chartOf({})).empty());
    const std::vector<std::vector<report::ChartPoint>> shapes{
        {{1, 5, 5, 5}},
        {{0, 0, 0, 0}, {10, 0, 0, 0}},
        {{1, 1, 2, 3}, {1e6, 1e-3, 1e10, 1e11}},
        {{1, -5, -4, -3}, {2, -50, -40, -30}},
        {{1, 7070102.7, 7070102.7, 7070102.7}, {2, 1e11, 1e11, 1e11}, {3, 7e10, 7e10, 7e10}},
    };
    for (const auto& shape : shapes) {
        const std::string svg = svgChart(chartOf(shape));
        QVERIFY(svg.find("nan") == std::string::npos && svg.find("inf") == std::string::npos);
        const QString text = QString::fromStdString(svg);
        static const QRegularExpression pairs(QStringLiteral("(-?\\d+\\.\\d),(-?\\d+\\.\\d)"));
        auto match = pairs.globalMatch(text);
        QVERIFY(match.hasNext());
        while (match.hasNext()) {
            const auto pair = match.next();
            const double x = pair.captured(1).toDouble();
            const double y = pair.captured(2).toDouble();
            QVERIFY2(x >= 0 && x <= 480 && y >= 0 && y <= 270, qPrintable(pair.captured(0)));
        }
    }
}

void TestReport::barsBeginAtZero() {
    report::BarChart chart{.title = "gain", .yTitle = "%", .groups = {"one", "two"}, .series = {}};
    QVERIFY(report::svgBars(chart).empty());
    chart.series = {{"a", 0, {report::Bar{10.0}, report::Bar{-5.0}}}, {"b", 1, {std::nullopt, report::Bar{20.0, 1.0}}}};
    const QString svg = QString::fromStdString(report::svgBars(chart));
    static const QRegularExpression rectangle(
        QStringLiteral("x=\"[\\d.]+\" y=\"([\\d.]+)\" width=\"[\\d.]+\" height=\"([\\d.]+)\"><title>([^<]*)<"));
    QMap<QString, std::pair<double, double>> bars;  // top and height by title
    for (auto match = rectangle.globalMatch(svg); match.hasNext();) {
        const auto one = match.next();
        bars[one.captured(3)] = {one.captured(1).toDouble(), one.captured(2).toDouble()};
    }
    QCOMPARE(bars.size(), 3);
    const auto [top, height] = bars[QStringLiteral("one, a: 10")];
    const auto [negativeTop, negativeHeight] = bars[QStringLiteral("two, a: −5")];
    QVERIFY(height > 20.0);
    QVERIFY(qAbs(negativeHeight * 2 - height) < 0.3);
    QVERIFY(qAbs(negativeTop - (top + height)) < 0.2);  // both begin at zero
    QVERIFY(qAbs(bars[QStringLiteral("two, b: 20")].second - 2 * height) < 0.3);
    QCOMPARE(svg.count(QStringLiteral("class=\"error\"")), 1);
}

void TestReport::heatmapsShowCounts() {
    QVERIFY(report::svgHeatmap({.title = "empty", .rows = {}, .columns = {"m"}, .counts = {}}).empty());
    const QString svg = QString::fromStdString(report::svgHeatmap(
        {.title = "rules", .rows = {"fuse", "split<"}, .columns = {"m", "n"}, .counts = {{3, 0}, {12, 1}}}));
    QVERIFY(svg.contains(QStringLiteral("<title>split&lt;, m: 12</title>")));
    QCOMPARE(svg.count(QStringLiteral("class=\"bar c0\"")), 3);
    QCOMPARE(svg.count(QStringLiteral("class=\"empty\"")), 1);
}

MITOS_TEST(TestReport)

}  // namespace tst_report

#include "tst_report.moc"
