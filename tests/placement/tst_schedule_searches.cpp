// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules as results of searches: what is asked, what is stored, and what its checker refuses.
#include "core/dialects/dialects.h"
#include "core/schedule/files/schedule_files.h"
#include "search/judged_run.h"
#include "search/placement/schedule_searches.h"
#include "search/placement/schedule_value.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <string>
#include <vector>

namespace tst_schedule_searches {

using namespace mitos;
using search::placement::ScheduleValue;

namespace {

/// Two chains of the same length, which two devices share.
const std::string Branches =
    "graph g(x: f32[64,64])\n"
    "  a = Relu(x)\n"
    "  b = Exp(a)\n"
    "  c = Sigmoid(x)\n"
    "  d = Tanh(c)\n"
    "  return Add(b, d)\n";

class Collecting final : public search::Observer {
public:
    void onEvent(const search::SearchEvent& event) override { events.push_back(event); }
    std::vector<search::SearchEvent> events;
};

std::shared_ptr<const search::Strategy> strategyNamed(std::string_view name) {
    for (const auto& each : search::placement::scheduleSearches()) {
        if (each->info().name == name) return each;
    }
    qFatal("there is no such strategy");
}

const ScheduleValue& valueOf(const search::SearchResult& result) {
    return dynamic_cast<const ScheduleValue&>(*result.outcome);
}

}  // namespace

class TestScheduleSearches : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_bank = std::make_shared<ir::TermBank>(dialects::makeRegistry());
        Result<ir::Program> read = dialects::parseProgram(*m_bank, "g", Branches);
        QVERIFY(read.ok());
        m_program = *read;
    }

    void everyStrategyMakesOne_data() {
        QTest::addColumn<QString>("name");
        for (const auto& each : search::placement::scheduleSearches())
            QTest::newRow(each->info().name.c_str()) << QString::fromStdString(each->info().name);
    }
    void everyStrategyMakesOne() {
        QFETCH(const QString, name);
        const bool isOrder = name == QStringLiteral("schedule-frontier");
        // A trained model takes LibTorch, and none comes with the program.
        ParameterValues parameters;
        if (name == QStringLiteral("schedule-brkga-learned")) parameters["model"] = std::string("critical-path");
        const Result<search::SearchResult> result =
            run(name.toStdString(), isOrder ? "peak-memory" : "roofline", isOrder ? 1 : 2, std::move(parameters));
        QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
        const ScheduleValue& value = valueOf(*result);
        QCOMPARE(value.fault(*result->bank, result->thread.end(), {}), std::nullopt);
        QVERIFY(result->bestCost <= result->initialCost * (1.0 + 1e-12));
        QCOMPARE(value.kind(), std::string("schedule"));
        const Result<schedule::ReadSchedule> again = schedule::readSchedule(SourceText("again", value.text()));
        QVERIFY2(again.ok(), again ? "" : again.error().render().c_str());
        QVERIFY(again->scheduled == value.scheduled());
        QVERIFY(again->timeline == value.timeline());
    }

    /// Both chains side by side: the time of one of them, and of the sum; in nodes of the program these are 2 + 1, and in all 5.
    void theRunTimeIsThatOfTheLongerChain() {
        const Result<search::SearchResult> timed = run("schedule-list", "roofline", 2);
        QVERIFY(timed.ok());
        const schedule::Timeline& timeline = valueOf(*timed).timeline();
        double longest = 0.0;
        for (const schedule::OperationRun& each : timeline.operations) longest = std::max(longest, each.end);
        QCOMPARE(timed->bestCost, longest);
        QCOMPARE(timed->bestCost, timeline.runtime);
        QVERIFY(timed->bestCost < timed->initialCost);
        QVERIFY(valueOf(*timed).scheduled().bound.value() <= timed->bestCost);
        const Result<search::SearchResult> counted = run("schedule-list", "size", 2);
        QVERIFY(counted.ok());
        QCOMPARE(counted->bestCost, 3.0);
    }

    /// x, a and c, b, d, the sum: 16 KiB each. On one device two chains need x and three more at the most.
    void theObjectiveIsThatOfTheCostModel() {
        const Result<search::SearchResult> result = run("schedule-brkga", "peak-memory", 1);
        QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
        const ScheduleValue& value = valueOf(*result);
        QVERIFY(value.scheduled().isForMemory);
        QCOMPARE(result->bestCost, 3.0 * 64 * 64 * 4);
        QCOMPARE(value.scheduled().bound, std::optional(3.0 * 64 * 64 * 4));
        QVERIFY(value.summary().starts_with("1 device, "));
        QVERIFY(value.timeline().runtime > 0.0);
    }

    void reportsGenerations() {
        Collecting seen;
        const Result<search::SearchResult> result = run("schedule-brkga", "roofline", 2, {}, &seen);
        QVERIFY(result.ok());
        QVERIFY(seen.events.front().is<search::Started>());
        QVERIFY(seen.events.back().is<search::Finished>());
        QCOMPARE(seen.events.back().best, result->bestCost);
        const auto generation = std::ranges::find_if(
            seen.events, [](const search::SearchEvent& event) { return event.is<search::Generation>(); });
        QVERIFY(generation != seen.events.end());
        const auto again = search::eventFromJson(search::kindOf(*generation), search::toJson(*generation));
        QVERIFY(again.has_value());
        QCOMPARE(again->as<search::Generation>()->mean, generation->as<search::Generation>()->mean);
    }

    void isRefused() {
        QCOMPARE(messageOf(run("schedule-brkga", "roofline", 2, {{"device_memory", 0.04}})),
                 std::string("no schedule was found that fits: the best one needs 7,209 bytes more than a device has"));
        QCOMPARE(messageOf(run("schedule-list", "roofline", 2, {{"speeds", std::string("1,2,3")}})),
                 std::string("there are 3 speeds for 2 devices"));
        QVERIFY(!run("schedule-list", "roofline", 2, {{"speeds", std::string("1,fast")}}).ok());
        QVERIFY(!run("schedule-list", "roofline", 0).ok());
        QVERIFY(!run("schedule-list", "peak-memory", 2, {{"durations", std::string("peak-memory")}}).ok());
        Result<ir::Program> ks = dialects::parseProgram(*m_bank, "ks", "(mul x 2.0)");
        QVERIFY(ks.ok());
        m_program = *ks;
        QCOMPARE(messageOf(run("schedule-list", "ks-2021", 2)), std::string("ks programs are not scheduled"));
    }

    void theCheckerComparesWithTheProgram() {
        const Result<search::SearchResult> result = run("schedule-list", "roofline", 2);
        QVERIFY(result.ok());
        const ScheduleValue& value = valueOf(*result);
        // A program that has a node more than was scheduled.
        Result<ir::Program> longer = dialects::parseProgram(
            *m_bank, "longer",
            "graph g(x: f32[64,64])\n  a = Relu(x)\n  b = Exp(a)\n  c = Sigmoid(x)\n  d = Tanh(c)\n"
            "  s = Add(b, d)\n  return Relu(s)\n");
        QVERIFY(longer.ok());
        QVERIFY(value.fault(*m_bank, *longer, {}).has_value());
        schedule::ScheduledGraph twice = value.scheduled();
        for (std::uint32_t& node : twice.nodes) node = node == schedule::NoNode ? node : 1;
        QCOMPARE(ScheduleValue(twice, value.timeline()).fault(*m_bank, m_program, {}),
                 std::optional<std::string>("the node 1 runs twice"));
        // An operation that starts before its input is there.
        schedule::Timeline early = value.timeline();
        early.operations.back().start = early.operations.back().end = 0.0;
        QVERIFY(ScheduleValue(value.scheduled(), early).fault(*m_bank, m_program, {}).has_value());
        // An order of nodes that is not that of the program: the numbers of two nodes are exchanged.
        schedule::ScheduledGraph exchanged = value.scheduled();
        std::swap(exchanged.nodes[1], exchanged.nodes[2]);
        QVERIFY(ScheduleValue(exchanged, value.timeline()).fault(*m_bank, m_program, {}).has_value());
    }

    void textsThatDoNotFitAreRefused() {
        const Result<search::SearchResult> result = run("schedule-list", "roofline", 2);
        QVERIFY(result.ok());
        const std::string text = valueOf(*result).text();
        const auto isRefused = [](const std::string& changed) {
            return !schedule::readSchedule(SourceText("changed", changed)).ok();
        };
        QVERIFY(!isRefused(text));
        QVERIFY(isRefused(""));
        QVERIFY(isRefused("{}"));
        QVERIFY(isRefused("[1, 2"));
        QVERIFY(isRefused(text.substr(0, text.size() / 2)));
        const auto replaced = [&text](const std::string& from, const std::string& to) {
            std::string changed = text;
            const std::size_t at = changed.find(from);
            if (at == std::string::npos) qFatal("%s does not occur", from.c_str());
            return changed.replace(at, from.size(), to);
        };
        QVERIFY(isRefused(replaced("\"runtime\": ", "\"runtime\": 1")));
        QVERIFY(isRefused(replaced("\"transfers\": \"instant\"", "\"transfers\": \"magic\"")));
        QVERIFY(isRefused(replaced("\"speed\": 1.0", "\"speed\": -1.0")));
        QVERIFY(isRefused(replaced("\"priority\": [", "\"priority\": [0.5,")));
        QVERIFY(isRefused(replaced("\"producer\": 0", "\"producer\": 99")));
    }

    void aRunRecordsIt() {
        const auto cost = cost::findCostModel("roofline", "tensor");
        QVERIFY(cost.ok());
        search::SearchTask task{
            .strategy = strategyNamed("schedule-heft"),
            .problem = {
                .bank = *m_bank, .program = m_program, .rules = {}, .cost = *cost, .budget = {}, .parameters = {}}};
        task.run = search::requestedRun("schedule-heft", task.problem, "");
        Collecting seen;
        const search::JudgedRun over = search::runJudged(task, {}, seen);
        QVERIFY(over.result.has_value());
        QCOMPARE(over.run.outcomeKind, std::string("schedule"));
        QVERIFY(over.run.verdict->outcome->isValid());
        QVERIFY(over.run.verdict->isGood());
        QCOMPARE(over.run.bestCost, over.result->bestCost);
    }

private:
    Result<search::SearchResult> run(std::string_view strategy, std::string_view model, std::int64_t devices,
                                     ParameterValues parameters = {}, Collecting* seen = nullptr) {
        const auto cost = cost::findCostModel(model);
        if (!cost) return cost.error();
        parameters["devices"] = devices;
        const search::SearchProblem problem{.bank = *m_bank,
                                            .program = m_program,
                                            .rules = {},
                                            .cost = *cost,
                                            .budget = {.evaluations = 500},
                                            .parameters = parameters};
        Collecting own;
        return strategyNamed(strategy)->run(problem, {}, seen == nullptr ? own : *seen);
    }
    static std::string messageOf(const Result<search::SearchResult>& result) {
        return result ? std::string("no error") : result.error().message;
    }

    std::shared_ptr<ir::TermBank> m_bank;
    ir::Program m_program;
};

MITOS_TEST(TestScheduleSearches)

}  // namespace tst_schedule_searches

#include "tst_schedule_searches.moc"
