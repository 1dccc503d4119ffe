// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/result_times.h"

#include "core/base/time_unit.h"
#include "core/cost/measuring/measurer.h"
#include "core/onnx/measure_operators.h"
#include "core/onnx/time_programs.h"
#include "core/timing/expectation.h"
#include "storage/session.h"
#include "views/common/format.h"
#include "views/document/compared_programs.h"
#include "views/document/internal/session_file.h"
#include "views/document/left_session.h"
#include "views/document/runtime_graph.h"
#include "views/document/session_names.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPointer>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace mitos::views {

namespace {

constexpr double PerMicro = 1e-6;

QString timesKey() { return QStringLiteral("result-times"); }

/// Costs of this model are sums of operators' times already.
bool isMeasured(const cost::CostModelInfo& model) { return model.baseName() == "measured"; }

// --- stored form -----------------------------------------------------------------------------------------------------------

QJsonObject sideToJson(const ResultTimes::Side& side) {
    QJsonObject json{{QStringLiteral("cost"), side.cost},
                     {QStringLiteral("minimum"), side.whole.seconds.least},
                     {QStringLiteral("lower"), side.whole.seconds.lower},
                     {QStringLiteral("median"), side.whole.seconds.median},
                     {QStringLiteral("upper"), side.whole.seconds.upper},
                     {QStringLiteral("maximum"), side.whole.seconds.most},
                     {QStringLiteral("spread"), side.whole.seconds.width()},
                     {QStringLiteral("low"), side.whole.likely.low},
                     {QStringLiteral("high"), side.whole.likely.high}};
    if (side.operators) json[QStringLiteral("operators")] = *side.operators;
    return json;
}

ResultTimes::Side sideFrom(const QJsonObject& json) {
    ResultTimes::Side side;
    side.cost = json[QStringLiteral("cost")].toDouble();
    if (json.contains(QStringLiteral("operators"))) side.operators = json[QStringLiteral("operators")].toDouble();
    const double median = json[QStringLiteral("median")].toDouble();
    // Earlier versions stored the distance of the quartiles, but not where they lie.
    const double half = 0.5 * json[QStringLiteral("spread")].toDouble();
    const double upper = json[QStringLiteral("upper")].toDouble(median + half);
    side.whole.seconds = {.least = json[QStringLiteral("minimum")].toDouble(),
                          .lower = json[QStringLiteral("lower")].toDouble(median - half),
                          .median = median,
                          .upper = upper,
                          .most = json[QStringLiteral("maximum")].toDouble(upper)};
    side.whole.likely = {json[QStringLiteral("low")].toDouble(), json[QStringLiteral("high")].toDouble()};
    return side;
}

QJsonObject toJson(const ResultTimes& times) {
    return {{QStringLiteral("from"), static_cast<qint64>(times.states.start.value)},
            {QStringLiteral("to"), static_cast<qint64>(times.states.result.value)},
            {QStringLiteral("model"), times.costModel},
            {QStringLiteral("unit"), times.costUnit},
            {QStringLiteral("start"), sideToJson(times.start)},
            {QStringLiteral("result"), sideToJson(times.result)},
            {QStringLiteral("ratio"), QJsonArray{times.ratio.value, times.ratio.low, times.ratio.high}},
            {QStringLiteral("runtime"), times.runtime},
            {QStringLiteral("python"), times.python},
            {QStringLiteral("level"), times.level},
            {QStringLiteral("threads"), times.threads},
            {QStringLiteral("rounds"), times.rounds},
            {QStringLiteral("elsewhere"), times.elsewhere},
            {QStringLiteral("when"), times.when}};
}

/// Nothing if these are no times of states of the history.
std::optional<ResultTimes> timesFrom(const QJsonObject& json, std::size_t states) {
    const auto state = [&](const char* key) {
        const qint64 number = json[QLatin1String(key)].toInteger(-1);
        return number < 0 || std::cmp_greater_equal(number, states)
                   ? rewrite::StateId()
                   : rewrite::StateId(static_cast<std::uint32_t>(number));
    };
    ResultTimes times;
    times.states = {state("from"), state("to")};
    times.costModel = json[QStringLiteral("model")].toString();
    times.costUnit = json[QStringLiteral("unit")].toString();
    times.start = sideFrom(json[QStringLiteral("start")].toObject());
    times.result = sideFrom(json[QStringLiteral("result")].toObject());
    const QJsonArray ratio = json[QStringLiteral("ratio")].toArray();
    times.ratio = {ratio.at(0).toDouble(), ratio.at(1).toDouble(), ratio.at(2).toDouble()};
    times.runtime = json[QStringLiteral("runtime")].toString();
    times.python = json[QStringLiteral("python")].toString();
    times.level = json[QStringLiteral("level")].toString();
    times.threads = json[QStringLiteral("threads")].toInt(1);
    times.rounds = json[QStringLiteral("rounds")].toInt();
    times.elsewhere = json[QStringLiteral("elsewhere")].toDouble();
    times.when = json[QStringLiteral("when")].toInteger();
    const bool isWhole = times.states.start.isValid() && times.states.result.isValid() &&
                         times.start.whole.seconds.median > 0.0 && times.result.whole.seconds.median > 0.0 &&
                         times.ratio.value > 0.0;
    return isWhole ? std::optional(times) : std::nullopt;
}

// --- the job ---------------------------------------------------------------------------------------------------------------

/// The work of a job that times, with all that it needs.
struct Timing {
    std::shared_ptr<const OpenModel> model;
    Snapshot start;
    Snapshot result;
    bool isFileStart = false;  ///< the start is the program of the model's file
    std::shared_ptr<const cost::CostModel> costs;
    ResultTiming how;
};

Result<onnx::PairTimes> measure(const Timing& work, const std::stop_token& stop, const JobRunner::Report& report) {
    tensor::Model start = work.model->model;
    start.program = work.start.program;
    tensor::Model result = work.model->model;
    result.program = work.result.program;
    onnx::ProgramToTime first{*work.start.bank, start};
    // The user's own file is timed as it is, unless it was changed.
    const std::string& place = work.model->source.place;
    if (work.isFileStart && storage::findMovedModel(*work.start.bank, start.program, *work.model, place))
        first.file = place;
    onnx::PairTiming how{
        .runtime = work.how.runtime, .seconds = work.how.seconds, .sizes = cost::sizesOf(work.costs->info())};
    how.runtime.stop = stop;
    how.progress = [&report](double part, const std::string& doing) { report(part, fromUtf8(doing)); };
    const onnx::ProgramToTime other{*work.result.bank, result};
    if (isMeasured(work.costs->info())) return onnx::timePair(first, other, how);
    report(-1.0, ResultTimer::tr("asking for the runtime"));
    MITOS_TRY(const cost::MeasuringSetup setup,
              onnx::runtimeMeasurer(work.start.bank->sharedRegistry(), how.runtime)->setup(stop));
    MITOS_TRY(cost::CostProfile operators, work.how.known(setup));
    how.operators = &operators;
    Result<onnx::PairTimes> times = onnx::timePair(first, other, how);
    if (!operators.times.empty()) MITOS_REQUIRE(work.how.keep(operators));
    return times;
}

Result<ResultTimes> timed(const Timing& work, const std::stop_token& stop, const JobRunner::Report& report) {
    const auto costOf = [&work](const Snapshot& state) {
        return work.costs->evaluator(*state.bank, state.program.function)->cost(state.program.root);
    };
    ResultTimes times;
    MITOS_TRY(times.start.cost, costOf(work.start));
    MITOS_TRY(times.result.cost, costOf(work.result));
    times.costModel = fromUtf8(work.costs->info().name);
    times.costUnit = fromUtf8(work.costs->info().unit);
    MITOS_TRY(const onnx::PairTimes measured, measure(work, stop, report));
    const auto seconds = [](const std::optional<double>& micros) {
        return micros ? std::optional(*micros * PerMicro) : std::nullopt;
    };
    times.start.operators = seconds(measured.firstOperators);
    times.result.operators = seconds(measured.otherOperators);
    times.start.whole = measured.models.models[0];
    times.result.whole = measured.models.models[1];
    times.ratio = measured.models.ratios[1];
    times.runtime = ResultTimer::tr("ONNX Runtime %1").arg(fromUtf8(measured.models.by.runtime));
    times.python = fromUtf8(measured.models.by.python);
    times.level = fromUtf8(onnx::toString(work.how.runtime.level));
    times.threads = work.how.runtime.threads;
    times.rounds = static_cast<int>(measured.models.rounds);
    times.elsewhere = measured.models.elsewhere;
    times.when = QDateTime::currentSecsSinceEpoch();
    return times;
}

std::optional<timing::Expectation> costsExpectation(const ResultTimes& times) {
    return timing::expectationOf(times.start.cost, times.result.cost, times.ratio);
}
std::optional<timing::Expectation> operatorsExpectation(const ResultTimes& times) {
    return timing::expectationOf(times.start.operators, times.result.operators, times.ratio);
}
bool isMissed(const std::optional<timing::Expectation>& expectation) { return expectation && !expectation->isMet(); }

std::string localRatio(double ratio) { return ratioText(ratio).toStdString(); }

}  // namespace

bool ResultTimes::isUnexpected() const {
    return isMissed(costsExpectation(*this)) || isMissed(operatorsExpectation(*this));
}

// --- texts -----------------------------------------------------------------------------------------------------------------

QString ratioText(double ratio) { return QLocale().toString(ratio, 'f', timing::ratioDigits(ratio)); }

QString ratioText(const timing::TimeRatio& ratio) { return fromUtf8(timing::ratioText(ratio, localRatio)); }

QString timesSentence(const ResultTimes& times) {
    QStringList sentences;
    const auto add = [&sentences](const std::string& who, const timing::Expectation& expectation, bool isTime) {
        sentences << fromUtf8(timing::expectationText(who, expectation, isTime ? "time" : "cost", localRatio));
    };
    if (const auto costs = costsExpectation(times))
        add(timing::costModelText(times.costModel.toStdString()), *costs, isTimeUnit(times.costUnit.toStdString()));
    else
        sentences << fromUtf8(timing::measuredText(times.ratio, localRatio)) + QLatin1Char('.');
    if (const auto operators = operatorsExpectation(times); isMissed(operators))
        add(timing::OperatorsText, *operators, true);
    return sentences.join(QLatin1Char(' '));
}

QString timesOrigin(const ResultTimes& times) {
    const QString moment = momentText(QDateTime::fromSecsSinceEpoch(times.when), QDateTime::currentDateTime());
    const QString text = ResultTimer::tr("%1, %2").arg(times.runtime, moment);
    constexpr double Busy = 0.1;
    if (times.elsewhere <= Busy) return text;
    return ResultTimer::tr("%1; other programs had the processor for %2 % of the time")
        .arg(text, QLocale().toString(100.0 * times.elsewhere, 'f', 0));
}

QString timesDetails(const ResultTimes& times) {
    return ResultTimer::tr("%1, Python %2\nONNX Runtime's own optimizations: %3\n%4\n%L5 rounds of runs of each model")
        .arg(times.runtime, times.python, times.level,
             times.threads == 1 ? ResultTimer::tr("processor time of 1 thread")
                                : ResultTimer::tr("%L1 threads").arg(times.threads))
        .arg(times.rounds);
}

namespace {

std::vector<ResultTimes> timesIn(const QString& stored, std::size_t states) {
    std::vector<ResultTimes> all;
    const QJsonArray array = QJsonDocument::fromJson(stored.toUtf8()).array();
    for (const auto& value : array) {
        if (auto times = timesFrom(value.toObject(), states)) all.push_back(*std::move(times));
    }
    return all;
}

/// The stored form of all times of a session after those of a pair.
QString withTimes(std::vector<ResultTimes> all, const ResultTimes& times) {
    std::erase_if(all, [&times](const ResultTimes& old) { return old.states == times.states; });
    all.push_back(times);
    QJsonArray array;
    for (const ResultTimes& each : all) array.append(toJson(each));
    return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

QString valueOf(const std::map<std::string, std::string>& values, const QString& key) {
    const auto found = values.find(key.toStdString());
    return found == values.end() ? QString() : fromUtf8(found->second);
}

bool isOwnFile(const OpenModel& model) {
    return !model.isSampled && model.source.kind == storage::ModelSource::Kind::File;
}

}  // namespace

std::vector<ResultTimes> storedTimes(const Document& document, int program) {
    if (program == 0) return timesIn(document.viewValue(timesKey()), document.history().size());
    const ComparedProgram& compared = document.comparedPrograms().at(program);
    if (!compared.opened) return {};
    return timesIn(valueOf(compared.viewValues, timesKey()), compared.opened->history->size());
}

// --- timer -----------------------------------------------------------------------------------------------------------------

ResultTimer::ResultTimer(Document& document, JobRunner& jobs, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_jobs(jobs) {
    connect(&m_document, &Document::closed, this, [this] {
        if (m_timing.letGo()) Q_EMIT letGo();
        m_running.reset();
        m_times.clear();
        Q_EMIT changed();
    });
    connect(&m_document, &Document::opened, this, &ResultTimer::recall);
}

void ResultTimer::recall() {
    m_times = storedTimes(m_document);
    Q_EMIT changed();
}

const ResultTimes* ResultTimer::timesOf(const StatePair& states) const {
    const auto found = std::ranges::find(m_times, states, &ResultTimes::states);
    return found == m_times.end() ? nullptr : &*found;
}

void ResultTimer::time(const TimedResult& result, const ResultTiming& how) {
    if (m_running || !m_document.isOpen()) return;
    const bool isOpen = result.program == 0;
    const ComparedPrograms& others = m_document.comparedPrograms();
    const QString reason = isOpen ? runtimeObstacle(m_document) : others.at(result.program).runtimeObstacle;
    if (!reason.isEmpty()) {
        Q_EMIT failed(inputError(reason.toStdString(), {}));
        return;
    }
    m_running = result;
    m_timing.askInJobsView(
        tr("Timing %1 with ONNX Runtime").arg(isOpen ? m_document.title() : others.at(result.program).title),
        isOpen ? workOnOpen(result.states, how) : workOnOther(result, how),
        [timer = QPointer(this), isOpen, session = m_document.sessionPath()](const Result<Measured>& measured) {
            if (timer != nullptr && isOpen && measured) timer->keep(session, measured->times);
            return outcomeOf(measured);
        },
        [this](const Result<Measured>& measured) { take(measured); });
    Q_EMIT changed();
}

ResultTimer::Work ResultTimer::workOnOpen(const StatePair& states, const ResultTiming& how) const {
    const rewrite::History& history = m_document.history();
    const std::shared_ptr<const OpenModel> model = m_document.model();
    const Timing work{.model = model,
                      .start = m_document.snapshot(history.program(states.start)),
                      .result = m_document.snapshot(history.program(states.result)),
                      .isFileStart = states.start == history.start() && isOwnFile(*model),
                      .costs = m_document.sharedCostModel(),
                      .how = how};
    return [work, states](const std::stop_token& stop, const JobRunner::Report& report) -> Result<Measured> {
        MITOS_TRY(ResultTimes times, timed(work, stop, report));
        times.states = states;
        return Measured{std::move(times), {}};
    };
}

ResultTimer::Work ResultTimer::workOnOther(const TimedResult& result, const ResultTiming& how) const {
    const ComparedPrograms& others = m_document.comparedPrograms();
    return [read = others.reading(result.program), session = nativePath(others.at(result.program).session),
            states = result.states, costs = m_document.sharedCostModel(),
            how](const std::stop_token& stop, const JobRunner::Report& report) -> Result<Measured> {
        // Its weights are not held in memory, and another window may have timed it meanwhile.
        MITOS_TRY(const Opened opened, read(stop, report));
        if (const QString reason = runtimeObstacle(opened.model.get()); !reason.isEmpty())
            return inputError(reason.toStdString(), {});
        const rewrite::History& history = *opened.history;
        if (std::max(states.start.value, states.result.value) >= history.size())
            return inputError("The session has no such state any more.", "open it by itself");
        const Timing work{.model = opened.model,
                          .start = {opened.bank, history.program(states.start)},
                          .result = {opened.bank, history.program(states.result)},
                          .isFileStart = states.start == history.start() && isOwnFile(*opened.model),
                          .costs = costs,
                          .how = how};
        MITOS_TRY(ResultTimes times, timed(work, stop, report));
        times.states = states;
        const QString all = withTimes(timesIn(valueOf(opened.viewValues, timesKey()), history.size()), times);
        MITOS_TRY(storage::Session file, storage::Session::open(session));
        MITOS_REQUIRE(storage::storeViewValue(file, timesKey().toStdString(), all.toStdString()));
        return Measured{std::move(times), all};
    };
}

void ResultTimer::keep(const QString& session, const ResultTimes& times) {
    changeViewValue(m_document, m_jobs, session, timesKey(), [times](const QString& stored) {
        return withTimes(timesIn(stored, std::numeric_limits<std::size_t>::max()), times);
    });
    if (m_document.isOpen() && session == m_document.sessionPath()) recall();
}

JobOutcome ResultTimer::outcomeOf(const Result<Measured>& measured) {
    if (measured) return {JobInfo::State::Finished, timesSentence(measured->times)};
    if (measured.error().code == ErrorCode::Cancelled) return {JobInfo::State::Stopped, tr("stopped by you")};
    return {JobInfo::State::Failed, fromUtf8(measured.error().message)};
}

void ResultTimer::take(const Result<Measured>& measured) {
    const TimedResult result = *std::exchange(m_running, std::nullopt);
    if (measured && result.program > 0) m_document.setComparedValue(result.program, timesKey(), measured->stored);
    Q_EMIT changed();
    if (!measured && measured.error().code != ErrorCode::Cancelled) Q_EMIT failed(measured.error());
}

}  // namespace mitos::views
