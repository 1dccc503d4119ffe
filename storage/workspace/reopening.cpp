// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a session: settings, program, history, runs.
#include "core/base/number_text.h"
#include "core/base/read_file.h"
#include "core/dialects/dialects.h"
#include "core/rewrite/stated_thread.h"
#include "core/rewrite/verdict.h"
#include "storage/workspace/internal/begin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace mitos::storage {

namespace {

/// Fails if rule sets or a cost model of a session, "a,b" or "model:name=value", name standard input or another descriptor, for which
/// this process would wait.
Status requireNoStream(std::string_view names) {
    while (!names.empty()) {
        const std::size_t end = std::min(names.find_first_of(",:= "), names.size());
        const std::string_view name = names.substr(0, end);
        if (isDescriptorName(name)) return inputError(fmt::format("{} is not a file", name), "name a file");
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return Success{};
}

/// Runs of the program with their events. `places` maps stored states to states of the history.
Result<std::vector<Run>> readRuns(Session& session, ProgramId program,
                                  const std::vector<std::optional<rewrite::StateId>>& places) {
    MITOS_TRY(auto runs, session.runs(program));
    for (Run& run : runs) {
        MITOS_TRY(run.events, session.events(run.id));
        const auto placeOf = [&places](std::size_t stored) {
            return stored < places.size() && places[stored] ? *places[stored] : rewrite::StateId();
        };
        run.resultState = placeOf(run.resultState.value);
        // If the start state of a run was lost, the run is placed at the start of the history.
        const rewrite::StateId start = placeOf(run.startState);
        run.startState = start.isValid() ? start.value : 0;
    }
    return runs;
}

/// Recovers threads of searches that ended while the window was closing: they are in the session, but not in the history. A search
/// that still runs adds its thread itself.
void recoverThreads(Opened& opened) {
    for (Run& run : opened.runs) {
        if (run.state == search::RunState::Running) continue;
        if (run.resultState.isValid() || !run.threadChecked || run.startState >= opened.history->size()) continue;
        auto own = std::make_shared<ir::TermBank>(opened.bank->sharedRegistry());
        ir::TermBank& bank = *own;
        const SourceText text(originOf(run), run.thread);
        auto read = rewrite::readThread(bank, text, opened.rules);
        if (read && !read->report.valid) {
            // Assumptions may have been allowed during the search, but not when the session was closed.
            read = rewrite::readThread(bank, text, opened.rules.with(rules::Assumptions::Allowed));
        }
        if (!read || !read->report.valid) continue;
        const rewrite::StateId start(run.startState);
        rewrite::Thread thread = rewrite::transplant(bank, read->thread, *opened.bank);
        if (thread.start.root != opened.history->state(start).root) continue;
        std::vector<double> costs{opened.history->state(start).cost};
        for (const ir::TermId state : thread.states) costs.push_back(opened.costs->costOrInfinity(state));
        run.resultState = thread.steps.empty() ? start : opened.history->addThread(start, thread, costs, originOf(run));
        run.recovered = true;
        if (!thread.steps.empty()) {
            opened.recovered.push_back({run.number, std::move(own), read->thread, std::move(costs)});
        }
    }
}

/// The part of the history from one state to another; nothing if the first is not an ancestor of the other.
std::optional<rewrite::Thread> threadBetween(const rewrite::History& history, rewrite::StateId start,
                                             rewrite::StateId end) {
    const std::vector<rewrite::StateId> path = history.pathTo(end);
    auto at = std::ranges::find(path, start);
    if (at == path.end()) return std::nullopt;
    rewrite::Thread thread{history.program(start), {}, {}};
    for (++at; at != path.end(); ++at) {
        thread.steps.push_back(*history.state(*at).step);
        thread.states.push_back(history.state(*at).root);
    }
    return thread;
}

/// Replaces a verdict that does not belong to the run's thread by what is known without comparing values.
void replaceVerdict(Opened& opened, Run& run, const char* why) {
    run.verdict.reset();
    if (!run.resultState.isValid()) return;
    const auto thread = threadBetween(*opened.history, rewrite::StateId(run.startState), run.resultState);
    if (!thread) return;
    rewrite::Verdict verdict =
        rewrite::judge(*opened.bank, *thread, rewrite::check(*opened.bank, *thread), {.comparesValues = false});
    verdict.valuesNote = why;
    if (!run.outcomeKind.empty()) verdict.outcome = {run.outcomeKind, std::string("not checked ") + why};
    run.verdict = std::move(verdict);
    run.judgedRules = rewrite::rulesHash(*thread);
}

bool areEqualCosts(double stored, double now) {
    constexpr double Rounding = 1e-9;
    return std::abs(stored - now) <= Rounding * std::max(1.0, std::abs(now));
}

/// Does not trust a session's data about its runs: costs are recomputed from the programs, verdicts that do not belong
/// to the thread are replaced, and the events of a run that was changed are left out.
void checkRuns(Opened& opened) {
    const ir::FunctionId function = opened.history->function();
    const std::string& dialect = opened.bank->dialect(function).name;
    std::map<std::string, std::unique_ptr<cost::CostEvaluator>> evaluators;
    const auto costsOf = [&](const std::string& name) -> cost::CostEvaluator* {
        const auto [entry, isNew] = evaluators.try_emplace(name);
        if (isNew) {
            const Status named = requireNoStream(name);
            const Result<std::shared_ptr<const cost::CostModel>> model =
                named ? cost::findCostModel(name, dialect) : named.error();
            if (model) entry->second = (*model)->evaluator(*opened.bank, function);
        }
        return entry->second.get();
    };
    std::vector<std::string> changed;
    for (Run& run : opened.runs) {
        const rewrite::StateId start(run.startState);
        const bool hasEnds = run.resultState.isValid() && start.value < opened.history->size();
        bool isAsStored = run.integrity != Integrity::Changed;
        if (cost::CostEvaluator* const costs = hasEnds ? costsOf(run.costModel) : nullptr; costs != nullptr) {
            const double initial = costs->costOrInfinity(opened.history->state(start).root);
            // The cost of an outcome is that of a value, not of the program.
            const double best = run.outcomeKind.empty()
                                    ? costs->costOrInfinity(opened.history->state(run.resultState).root)
                                    : run.bestCost;
            isAsStored = isAsStored && areEqualCosts(run.initialCost, initial) && areEqualCosts(run.bestCost, best);
            run.initialCost = initial;
            run.bestCost = best;
        }
        if (!isAsStored) {
            run.events.clear();
            changed.push_back(fmt::format("#{} {}", run.number, run.strategy));
        }
        if (!run.verdict) continue;
        const auto hashOf = [&](rewrite::StateId id) { return opened.bank->hash(opened.history->state(id).root); };
        if (hasEnds && isVerdictOf(run, hashOf(start), hashOf(run.resultState), opened.rules)) continue;
        replaceVerdict(opened, run,
                       run.integrity == Integrity::Unknown ? "an earlier version of Mitos wrote the session"
                                                           : "not since the session, or a rule, was changed");
    }
    if (changed.empty()) return;
    opened.notices.push_back(fmt::format(
        "{} of this session {} changed by something else than Mitos, or by another version of it: costs are "
        "worked out again, and the curve is left out.",
        fmt::join(changed, ", "), changed.size() == 1 ? "was" : "were"));
}

/// A session whose parts are put into an Opened, one after the other.
class Reopening {
public:
    Reopening(Session session, const Surroundings& surroundings, const OpeningJob& job)
        : m_session(std::move(session)),
          m_surroundings(surroundings),
          m_job(job) {}

    [[nodiscard]] Result<Opened> run() {
        MITOS_TRY(const std::vector<StoredProgram> programs, m_session.programs());
        if (programs.empty()) {
            return Error{.code = ErrorCode::InvalidInput,
                         .message = "The session " + m_session.path() + " holds no program.",
                         .hint = "Open a .ks file instead."};
        }
        m_stored = programs.back();
        MITOS_REQUIRE(openProgram());
        MITOS_REQUIRE(m_job.enter("replaying the history"));
        MITOS_TRY(const bool isReplayed, replayHistory());
        if (!isReplayed) return std::move(m_opened);
        MITOS_TRY(m_opened.runs, readRuns(m_session, m_stored.id, m_places));
        recoverThreads(m_opened);
        checkRuns(m_opened);
        restoreView();
        return std::move(m_opened);
    }

private:
    [[nodiscard]] std::string text(const char* key, const std::string& otherwise) {
        const auto value = m_session.value(key);
        return value && *value ? **value : otherwise;
    }

    /// Rules, program, cost model and weights.
    Status openProgram() {
        const ir::Dialect& dialect = ir::recognized(*m_surroundings.registry, m_stored.text);
        const Choice& choice = m_surroundings.choices.at(dialect.name);
        MITOS_REQUIRE(m_job.enter("loading rules"));
        const bool assumes = text(AssumptionsKey, {}) == AssumptionsAllowed;
        const auto assumptions = assumes ? rules::Assumptions::Allowed : rules::Assumptions::Forbidden;
        const std::string names = text(RulesKey, choice.rules);
        const Status noStream = requireNoStream(names);
        if (const Status rules = noStream ? takeRules(m_opened, names, dialect, m_surroundings, assumptions) : noStream;
            !rules) {
            m_opened.notices.push_back("The rules of this session are not there: " + rules.error().oneLine());
            MITOS_REQUIRE(takeRules(m_opened, choice.rules, dialect, m_surroundings, assumptions));
        }
        MITOS_REQUIRE(m_job.enter("reading the program"));
        MITOS_TRY(m_program, dialects::parseProgram(*m_opened.bank, m_stored.title, m_stored.text));
        m_opened.costModelName = text(CostModelKey, choice.costModel);
        const Status named = requireNoStream(m_opened.costModelName);
        if (const Status prepared = named ? prepare(m_opened, m_program) : named; !prepared) {
            m_opened.notices.push_back("The cost model of this session is not there: " + prepared.error().oneLine());
            m_opened.costModelName = choice.costModel;
            MITOS_REQUIRE(prepare(m_opened, m_program));
        }
        if (dialect.can(ir::Capability::Weights)) {
            MITOS_REQUIRE(m_job.enter("reading the model"));
            m_opened.model = std::make_shared<const OpenModel>(
                restoreModel(*m_opened.bank, m_program, modelFromJson(text(ModelKey, "{}")), m_opened.notices));
        }
        m_opened.title = m_stored.title;
        m_opened.source = m_stored.source;
        m_opened.text = m_stored.text;
        m_opened.labels = labelsFromJson(text(LabelsKey, "{}"));
        m_places = {m_opened.history->start()};
        return Success{};
    }

    /// Returns false if the history cannot be replayed. The program itself is valid then: it opens with a new history, and the old file
    /// stays unchanged.
    Result<bool> replayHistory() {
        MITOS_TRY(const std::vector<StoredState> states, m_session.states(m_stored.id));
        if (!states.empty()) {
            Result<RestoredHistory> restored = restoreHistory(*m_opened.bank, m_program, states, m_opened.rules);
            if (!restored) {
                m_opened.notices.push_back("The history of this session could not be replayed: " +
                                           restored.error().oneLine());
                return false;
            }
            if (restored->lost > 0) {
                m_opened.notices.push_back(fmt::format(
                    "{} of the {} states of this session could not be replayed, so a new session was begun with "
                    "the others and {} was left as it is: {}",
                    restored->lost, states.size(), std::filesystem::path(m_session.path()).filename().string(),
                    restored->firstLost->oneLine()));
            }
            takeHistory(*std::move(restored));
        }
        // If states are missing, the session is not written to, because it contains more than the history.
        if (m_places.size() == m_opened.history->size()) {
            m_opened.sessionPath = m_session.path();
            m_opened.program = m_stored.id;
            m_opened.begunAt = m_stored.openedAt;
            m_opened.storedStates = states.size();
        }
        return true;
    }

    /// The cost model may have changed after the states were written; the one in force counts.
    void takeHistory(RestoredHistory restored) {
        m_opened.history = std::move(restored.history);
        m_places = std::move(restored.states);
        std::vector<double> costs;
        for (std::uint32_t id = 0; id < m_opened.history->size(); ++id) {
            costs.push_back(m_opened.costs->costOrInfinity(m_opened.history->state(rewrite::StateId(id)).root));
        }
        m_opened.history->setCosts(costs);
    }

    /// The current state, and what the views stored.
    void restoreView() {
        const std::size_t current = numberFrom<std::size_t>(text(CurrentStateKey, "0")).value_or(0);
        if (current < m_places.size() && m_places[current]) m_opened.history->checkout(*m_places[current]);
        const auto values = nlohmann::json::parse(text(ViewValuesKey, "{}"), nullptr, false);
        for (const auto& [key, value] : values.items()) {
            if (value.is_string()) m_opened.viewValues[key] = value.get<std::string>();
        }
        if (m_session.report().interruptedRuns > 0) {
            m_opened.notices.emplace_back("A search of this session was interrupted; what it had recorded is shown.");
        }
    }

    Session m_session;
    const Surroundings& m_surroundings;
    const OpeningJob& m_job;
    StoredProgram m_stored;
    ir::Program m_program;
    Opened m_opened;
    std::vector<std::optional<rewrite::StateId>> m_places;  ///< states of the history by stored id
};

}  // namespace

Result<Opened> openStored(const std::string& path, const Surroundings& surroundings, const OpeningJob& job) {
    if (!std::filesystem::exists(path)) {
        return Error{.code = ErrorCode::Io,
                     .message = "There is no session file " + path + ".",
                     .hint = "It may have been moved or deleted."};
    }
    MITOS_TRY(Session session, Session::open(path));
    return Reopening(std::move(session), surroundings, job).run();
}

Status storeViewValue(Session& session, const std::string& name, const std::string& value) {
    MITOS_TRY(const std::optional<std::string> stored, session.value(ViewValuesKey));
    nlohmann::json values = nlohmann::json::parse(stored.value_or("{}"), nullptr, false);
    if (!values.is_object()) values = nlohmann::json::object();
    values[name] = value;
    return session.setValue(ViewValuesKey, values.dump());
}

}  // namespace mitos::storage
