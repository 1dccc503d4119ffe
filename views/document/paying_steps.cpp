// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/paying_steps.h"

#include "core/onnx/time_programs.h"
#include "search/paying_parts.h"
#include "views/common/format.h"
#include "views/document/runtime_graph.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {

/// The most measurements of one result; each takes as long as a timing.
constexpr std::size_t MostMeasurements = 16;

struct Work {
    std::shared_ptr<const OpenModel> model;
    Snapshot start;
    rewrite::Thread thread;  ///< in the bank of `start`
    std::vector<double> costs;
    timing::TimeRatio ratio;
    std::shared_ptr<const cost::CostModel> costModel;
    ResultTiming how;
};

struct Found {
    std::shared_ptr<ir::TermBank> bank;
    search::PayingParts parts;
};

Result<Found> measured(const Work& work, const std::stop_token& stop, const JobRunner::Report& report) {
    auto bank = std::make_shared<ir::TermBank>(work.start.bank->sharedRegistry());
    const rewrite::Thread thread = rewrite::transplant(*work.start.bank, work.thread, *bank);
    std::size_t done = 0;
    onnx::PairTiming timing{.runtime = work.how.runtime,
                            .seconds = work.how.seconds,
                            .sizes = cost::sizesOf(work.costModel->info()),
                            .operators = nullptr};
    timing.runtime.stop = stop;
    timing.progress = [&](double part, const std::string& doing) {
        report((static_cast<double>(done) + std::max(part, 0.0)) / static_cast<double>(MostMeasurements + 1),
               PayingSteps::tr("measurement %L1 of at most %L2: %3")
                   .arg(done + 1)
                   .arg(MostMeasurements)
                   .arg(fromUtf8(doing)));
    };
    const search::ComparePace compare = [&](const ir::Program& first,
                                            const ir::Program& other) -> Result<search::Pace> {
        MITOS_TRY(const timing::TimeRatio ratio,
                  onnx::timeRatioOf(*bank, work.model->model, {first, std::nullopt}, {other, std::nullopt}, timing));
        ++done;
        return ratio.pace();
    };
    const search::Pace whole = work.ratio.pace();
    MITOS_TRY(search::PayingParts parts,
              search::payingParts(*bank, thread, work.costs, whole, MostMeasurements, compare));
    return Found{std::move(bank), std::move(parts)};
}

QString summaryOf(const search::PayingParts& parts) {
    const auto kept = std::ranges::count_if(parts.parts, &search::JudgedPart::isKept);
    return PayingSteps::tr("%L1 of %L2 groups of steps pay (%L3 measurements)")
        .arg(kept)
        .arg(parts.parts.size())
        .arg(parts.measurements);
}

}  // namespace

PayingSteps::PayingSteps(Document& document, JobRunner& jobs, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_jobs(jobs),
      m_program(std::make_unique<QObject>()) {
    connect(&m_document, &Document::closed, this, [this] {
        if (m_running) m_jobs.discard(m_job);
        m_running.reset();
        m_program = std::make_unique<QObject>();
        Q_EMIT changed();
    });
}

void PayingSteps::find(const ResultTimes& times, const ResultTiming& how) {
    if (m_running || !m_document.isOpen()) return;
    if (const QString reason = runtimeObstacle(m_document); !reason.isEmpty()) {
        Q_EMIT failed(inputError(reason.toStdString(), {}));
        return;
    }
    const rewrite::History& history = m_document.history();
    const StatePair states = times.states;
    const std::vector<rewrite::StateId> path = history.pathTo(states.result);
    const auto begin = std::ranges::find(path, states.start);
    if (begin == path.end()) return;
    const auto skipped = static_cast<std::ptrdiff_t>(begin - path.begin());
    rewrite::Thread thread = history.threadTo(states.result);
    thread.start = history.program(states.start);
    thread.steps.erase(thread.steps.begin(), thread.steps.begin() + skipped);
    thread.states.erase(thread.states.begin(), thread.states.begin() + skipped);
    Work work{.model = m_document.model(),
              .start = m_document.snapshot(history.program(states.start)),
              .thread = std::move(thread),
              .costs = {},
              .ratio = times.ratio,
              .costModel = m_document.sharedCostModel(),
              .how = how};
    for (auto state = begin; state != path.end(); ++state) work.costs.push_back(history.state(*state).cost);
    m_running = states;
    m_job = m_jobs.start(
        tr("Measuring the steps of %1 with ONNX Runtime").arg(m_document.title()), true, m_program.get(),
        [work = std::move(work)](const std::stop_token& stop, const JobRunner::Report& report) {
            return measured(work, stop, report);
        },
        [this, states](const Result<Found>& found) {
            m_running.reset();
            if (found) {
                const QString summary = summaryOf(found->parts);
                m_jobs.setOutcome(m_job, JobInfo::State::Finished, summary);
                if (found->parts.thread.steps.empty())
                    m_document.checkout(states.start);
                else
                    m_document.joinThread(states.start, found->bank, found->parts.thread, tr("the steps that pay"),
                                          [this](std::size_t /*added*/) { Q_EMIT joined(); });
                Q_EMIT changed();
                Q_EMIT this->found(summary);
                return;
            }
            const bool isStopped = found.error().code == ErrorCode::Cancelled;
            m_jobs.setOutcome(m_job, isStopped ? JobInfo::State::Stopped : JobInfo::State::Failed,
                              isStopped ? tr("stopped by you") : fromUtf8(found.error().message));
            Q_EMIT changed();
            if (!isStopped) Q_EMIT failed(found.error());
        });
    Q_EMIT changed();
}

}  // namespace mitos::views
