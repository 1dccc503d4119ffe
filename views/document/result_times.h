// SPDX-License-Identifier: GPL-3.0-or-later
// Results timed in ONNX Runtime as whole models, against the states that they were made of. The times are stored in the session of their
// program.
#pragma once

#include "core/cost/profile.h"
#include "core/onnx/runtime.h"
#include "core/timing/summary.h"
#include "core/timing/time_ratio.h"
#include "views/document/document.h"
#include "views/job_runner/query.h"

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::views {

/// Two states of a history.
struct StatePair {
    rewrite::StateId start;
    rewrite::StateId result;

    friend bool operator==(const StatePair&, const StatePair&) = default;
};

/// A result of a program of a comparison; the open program is number 0.
struct TimedResult {
    int program = 0;
    StatePair states;

    friend bool operator==(const TimedResult&, const TimedResult&) = default;
};

/// A state and one that was made of it, timed alternately.
struct ResultTimes {
    struct Side {
        double cost = 0.0;                ///< under the cost model
        std::optional<double> operators;  ///< seconds that its operators take by themselves, summed
        timing::TimeSummary whole;
    };
    StatePair states;
    QString costModel;
    QString costUnit;
    Side start;
    Side result;
    timing::TimeRatio ratio;
    QString runtime;  ///< "ONNX Runtime 1.32.0"
    QString python;   ///< its version
    QString level;    ///< of ONNX Runtime's own optimizations
    int threads = 1;
    int rounds = 0;          ///< how often each model was timed
    double elsewhere = 0.0;  ///< part of the time in which other programs had the processor
    qint64 when = 0;         ///< seconds since 1970, UTC

    /// Whether the cost model or the operators' sum expected another outcome than was measured (timing::Expectation::isMet).
    [[nodiscard]] bool isUnexpected() const;
};

/// "0.81", in more digits close to 1.
[[nodiscard]] QString ratioText(double ratio);
/// "1.06 (1.03 to 1.09)".
[[nodiscard]] QString ratioText(const timing::TimeRatio& ratio);
/// "The cost model roofline expected 0.81 of the time; measured 1.06 (1.03 to 1.09): slower."
[[nodiscard]] QString timesSentence(const ResultTimes& times);
/// The runtime and when it ran: "ONNX Runtime 1.32.0, today 14:05"; and whether other programs disturbed it.
[[nodiscard]] QString timesOrigin(const ResultTimes& times);
/// The runtime, its settings and how often it ran.
[[nodiscard]] QString timesDetails(const ResultTimes& times);

/// The times that the session of the open program has, or that of a program compared with it.
[[nodiscard]] std::vector<ResultTimes> storedTimes(const Document& document, int program = 0);

/// How results are timed.
struct ResultTiming {
    onnx::RuntimeOptions runtime;
    double seconds = onnx::TimingOptions{}.seconds;
    /// The times of operators that are known for a setup, and where they are kept; called by the job.
    std::function<Result<cost::CostProfile>(const cost::MeasuringSetup&)> known;
    std::function<Status(const cost::CostProfile&)> keep;
};

/// Times results of the open program and of those compared with it, one pair after the other, because two at a time would disturb each
/// other.
class ResultTimer : public QObject {
    Q_OBJECT
public:
    ResultTimer(Document& document, JobRunner& jobs, QObject* parent = nullptr);

    /// The times measured last of a pair of the open program; null if there are none.
    [[nodiscard]] const ResultTimes* timesOf(const StatePair& states) const;
    /// Does nothing while another pair is being timed. changed() follows, and failed() if it fails.
    void time(const TimedResult& result, const ResultTiming& how);
    /// The pair that is being timed, with its job.
    [[nodiscard]] const std::optional<TimedResult>& running() const { return m_running; }
    [[nodiscard]] JobId job() const { return m_timing.job(); }

Q_SIGNALS:
    void changed();  ///< a timing began or ended, or another program is open
    void failed(const mitos::Error& error);
    void letGo();  ///< the program is left, and its timing goes on in the Jobs view

private:
    void recall();
    /// The times of a pair, and all that its session has, if the job has stored them there.
    struct Measured {
        ResultTimes times;
        QString stored;
    };
    /// The work of the job.
    using Work = std::function<Result<Measured>(const std::stop_token&, const JobRunner::Report&)>;
    [[nodiscard]] Work workOnOpen(const StatePair& states, const ResultTiming& how) const;
    [[nodiscard]] Work workOnOther(const TimedResult& result, const ResultTiming& how) const;
    [[nodiscard]] static JobOutcome outcomeOf(const Result<Measured>& measured);
    void take(const Result<Measured>& measured);
    /// Also after the program was left, whose session is given.
    void keep(const QString& session, const ResultTimes& times);

    Document& m_document;
    JobRunner& m_jobs;
    std::vector<ResultTimes> m_times;
    std::optional<TimedResult> m_running;
    Query m_timing{m_jobs};
};

}  // namespace mitos::views
