// SPDX-License-Identifier: GPL-3.0-or-later
// See experiment.h.
#include "search/experiments/experiment.h"

#include "search/experiments/experiment_folder.h"
#include "search/parallel.h"

#include <mutex>
#include <optional>

namespace mitos::search::experiments {

namespace {

/// The runs of a plan, some of which have ended.
class Runs {
public:
    Runs(const ExperimentPlan& plan, const ExperimentFolder& folder, const OnProgress& progress)
        : m_plan(plan),
          m_folder(folder),
          m_progress(progress),
          m_keys(runsOf(plan)),
          m_records(m_keys.size()) {
        for (std::size_t i = 0; i < m_keys.size(); ++i) {
            m_records[i] = folder.held(plan, m_keys[i]);
            if (m_records[i]) ++m_done;
        }
        m_found = m_done;
    }

    /// Carries out those that the folder does not hold.
    [[nodiscard]] Status carryOut(const EGraphRules& rules, const std::stop_token& stop) {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < m_keys.size(); ++i) {
            if (!m_records[i]) open.push_back(i);
        }
        std::stop_source stopAll;
        const std::stop_callback relay(stop, [&stopAll] { stopAll.request_stop(); });
        runEach(open.size(), m_plan.jobs, stopAll.get_token(), [&](std::size_t number, const std::stop_token& ended) {
            carryOutOne(open[number], rules, ended, stopAll);
        });
        return m_unwritten ? Status(*std::move(m_unwritten)) : Status(Success{});
    }

    /// Moves what has ended to the results.
    void enterInto(ExperimentResults& results) {
        results.wanted = m_keys.size();
        results.found = m_found;
        for (std::optional<RunRecord>& record : m_records) {
            if (record) results.runs.push_back(*std::move(record));
        }
        results.failures.insert(results.failures.end(), m_failures.begin(), m_failures.end());
    }

private:
    void carryOutOne(std::size_t number, const EGraphRules& rules, const std::stop_token& stop,
                     std::stop_source& stopAll) {
        const std::string name = nameOf(m_plan, m_keys[number]);
        report(name, nullptr);
        Result<FinishedRun> run = runOnce(m_plan, m_keys[number], rules, stop);
        const Status kept = run ? m_folder.keep(m_plan, m_keys[number], *run) : Status(Success{});
        const std::scoped_lock lock(m_mutex);
        if (!run) {
            if (run.error().code != ErrorCode::Cancelled) m_failures.emplace_back(name, run.error().message);
            return;
        }
        if (!kept) {  // the disk is full, say: further runs would be lost, too
            if (!m_unwritten) m_unwritten = kept.error();
            stopAll.request_stop();
            return;
        }
        ++m_done;
        m_records[number] = std::move(run->record);
        if (m_progress) m_progress({m_done, m_keys.size(), name, &*m_records[number]});
    }

    void report(const std::string& name, const RunRecord* ended) {
        const std::scoped_lock lock(m_mutex);
        if (m_progress) m_progress({m_done, m_keys.size(), name, ended});
    }

    const ExperimentPlan& m_plan;
    const ExperimentFolder& m_folder;
    const OnProgress& m_progress;
    std::vector<RunKey> m_keys;
    std::vector<std::optional<RunRecord>> m_records;  ///< by key
    std::size_t m_done = 0;
    std::size_t m_found = 0;
    std::vector<std::pair<std::string, std::string>> m_failures;
    std::optional<Error> m_unwritten;
    std::mutex m_mutex;
};

}  // namespace

Result<ExperimentResults> runExperiment(const ExperimentPlan& plan, const std::string& folder,
                                        const std::stop_token& stop, const OnProgress& progress) {
    MITOS_TRY(const EGraphRules rules, egraph::prepareRules(plan.rules.directions));
    MITOS_TRY(const ExperimentFolder kept, ExperimentFolder::open(plan, folder));
    ExperimentResults results;
    if (plan.parts.contains(Part::Table1)) {
        for (const ComparisonPlan::Subject& subject : plan.programs) {
            if (stop.stop_requested()) break;
            Result<InitialCosts> costs = initialCosts(subject, *plan.cost);
            if (costs) {
                results.initial.push_back(*std::move(costs));
            } else {
                results.failures.emplace_back(subject.name, costs.error().message);
            }
        }
    }
    Runs runs(plan, kept, progress);
    MITOS_REQUIRE(runs.carryOut(rules, stop));
    runs.enterInto(results);
    results.isStopped = stop.stop_requested();
    return results;
}

}  // namespace mitos::search::experiments
