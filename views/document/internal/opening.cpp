// SPDX-License-Identifier: GPL-3.0-or-later
// Reads programs and sessions into a new bank.
#include "views/document/internal/opening.h"

#include "core/dialects/dialects.h"
#include "core/networks/networks.h"
#include "core/onnx/import.h"
#include "core/rewrite/stated_thread.h"
#include "core/rewrite/verdict.h"
#include "core/rules/rule_sets.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

namespace mitos::views {

namespace {

Status prepare(Opened& opened, const ir::Program& start) {
    const ir::Sharing sharing = opened.bank->function(start.function).sharing;
    MITOS_TRY(opened.costModel, cost::findCostModel(opened.costModelName, sharing));
    opened.costs = opened.costModel->evaluator(*opened.bank, start.function);
    opened.history.emplace(start, opened.costs->costOrInfinity(start.root));
    return Success{};
}

/// Puts the named rules into force, with a bank whose registry contains the operators they declare. Rules for another
/// dialect are replaced by the default, with a notice.
Status takeRules(Opened& opened, const std::string& names, const ir::Dialect& dialect, const Surroundings& surroundings,
                 rules::Assumptions assumptions = rules::Assumptions::Forbidden) {
    if (surroundings.rules && surroundings.rules->names() == names) {
        opened.rules = *surroundings.rules;
    } else {
        MITOS_TRY(opened.rules, rules::RuleBook::load(names, surroundings.registry));
        for (const Error& problem : opened.rules.problems()) {
            opened.notices.push_back("A rule is left out: " + problem.oneLine());
        }
    }
    if (const Status fits = rules::requireFor(opened.rules, dialect); !fits) {
        opened.notices.push_back("The default rules are in force: " + fits.error().message);
        MITOS_TRY(opened.rules, rules::RuleBook::load(dialect.defaultRules, surroundings.registry));
    }
    opened.rules = opened.rules.with(assumptions);
    opened.bank = std::make_shared<ir::TermBank>(opened.rules.registry());
    return Success{};
}

/// The rules and the cost model with which a program of the dialect is opened.
Result<Opened> fresh(const ir::Dialect& dialect, const Surroundings& surroundings) {
    Opened opened;
    const Choice& choice = surroundings.choices.at(dialect.name);
    MITOS_REQUIRE(takeRules(opened, choice.rules, dialect, surroundings));
    opened.costModelName = choice.costModel;
    return opened;
}

/// The dialect of models.
const ir::Dialect& tensorDialect(const Surroundings& surroundings) {
    return *surroundings.registry->findDialect(tensor::DialectName);
}

/// Adds a model that was read or built in the bank of `opened`.
Status takeModel(Opened& opened, OpenModel model) {
    const ir::Program program = model.model.program;
    opened.notices.insert(opened.notices.end(), model.model.warnings.begin(), model.model.warnings.end());
    opened.text = dialects::printProgram(*opened.bank, program);
    opened.model = std::make_shared<const OpenModel>(std::move(model));
    return prepare(opened, program);
}

QJsonObject jsonObject(const std::string& text) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
}

/// Runs of the program with their events. `places` maps stored states to states of the history.
Result<std::vector<Run>> readRuns(storage::Session& session, storage::ProgramId program,
                                  const std::vector<std::optional<rewrite::StateId>>& places) {
    MITOS_TRY(auto runs, session.runs(program));
    RunNumber number = 0;
    for (Run& run : runs) {
        run.number = ++number;
        MITOS_TRY(run.events, session.events(run.id));
        const int state = jsonObject(run.statistics).value(QLatin1String(storage::ResultStateField)).toInt(-1);
        if (state >= 0 && static_cast<std::size_t>(state) < places.size() && places[state]) {
            run.resultState = *places[state];
            storage::setField(run.statistics, storage::ResultStateField, std::to_string(run.resultState.value));
        }
        // If the start state of a run was lost, the run is placed at the start of the history.
        const std::size_t start = run.startState;
        run.startState = start < places.size() && places[start] ? places[start]->value : 0;
    }
    return runs;
}

/// Recovers threads of searches that ended while the window was closing: they are in the session, but not in the history.
void recoverThreads(Opened& opened) {
    for (Run& run : opened.runs) {
        const Run& stored = run;
        if (run.resultState.isValid() || !stored.threadChecked || stored.startState >= opened.history->size()) continue;
        auto own = std::make_shared<ir::TermBank>(opened.bank->sharedRegistry());
        ir::TermBank& bank = *own;
        const SourceText text(originOf(run), stored.thread);
        auto read = rewrite::readThread(bank, text, opened.rules);
        if (read && !read->report.valid) {
            // Assumptions may have been allowed during the search, but not when the session was closed.
            read = rewrite::readThread(bank, text, opened.rules.with(rules::Assumptions::Allowed));
        }
        if (!read || !read->report.valid) continue;
        const rewrite::StateId start(stored.startState);
        rewrite::Thread thread = rewrite::transplant(bank, read->thread, *opened.bank);
        if (thread.start.root != opened.history->state(start).root) continue;
        std::vector<double> costs{opened.history->state(start).cost};
        for (const ir::TermId state : thread.states) costs.push_back(opened.costs->costOrInfinity(state));
        run.resultState = thread.steps.empty() ? start : opened.history->addThread(start, thread, costs, originOf(run));
        run.recovered = true;
        if (!thread.steps.empty()) {
            opened.recovered.push_back({run.number, std::move(own), read->thread, std::move(costs)});
        }
        storage::setField(run.statistics, storage::ResultStateField, std::to_string(run.resultState.value));
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
    std::string& statistics = run.statistics;
    statistics = storage::withoutVerdict(statistics);
    if (!run.resultState.isValid()) return;
    const auto thread = threadBetween(*opened.history, rewrite::StateId(run.startState), run.resultState);
    if (!thread) return;
    rewrite::Verdict verdict =
        rewrite::judge(*opened.bank, *thread, rewrite::check(*opened.bank, *thread), {.comparesValues = false});
    verdict.valuesNote = why;
    statistics = storage::withVerdict(statistics, verdict, rewrite::rulesHash(*thread));
}

bool areEqualCosts(double stored, double now) {
    constexpr double Rounding = 1e-9;
    return std::abs(stored - now) <= Rounding * std::max(1.0, std::abs(now));
}

/// Does not trust a session's data about its runs: costs are recomputed from the programs, verdicts that do not belong
/// to the thread are replaced, and the events of a run that was changed are left out.
void checkRuns(Opened& opened) {
    const ir::FunctionId function = opened.history->function();
    const ir::Sharing sharing = opened.bank->function(function).sharing;
    std::map<std::string, std::unique_ptr<cost::CostEvaluator>> evaluators;
    const auto costsOf = [&](const std::string& name) -> cost::CostEvaluator* {
        const auto [entry, isNew] = evaluators.try_emplace(name);
        if (isNew) {
            const auto model = cost::findCostModel(name, sharing);
            if (model) entry->second = (*model)->evaluator(*opened.bank, function);
        }
        return entry->second.get();
    };
    std::vector<std::string> changed;
    for (Run& run : opened.runs) {
        Run& stored = run;
        const rewrite::StateId start(stored.startState);
        const bool hasEnds = run.resultState.isValid() && start.value < opened.history->size();
        bool isAsStored = stored.integrity != storage::Integrity::Changed;
        if (cost::CostEvaluator* const costs = hasEnds ? costsOf(stored.costModel) : nullptr; costs != nullptr) {
            const double initial = costs->costOrInfinity(opened.history->state(start).root);
            const double best = costs->costOrInfinity(opened.history->state(run.resultState).root);
            isAsStored =
                isAsStored && areEqualCosts(stored.initialCost, initial) && areEqualCosts(stored.bestCost, best);
            stored.initialCost = initial;
            stored.bestCost = best;
        }
        if (!isAsStored) {
            run.events.clear();
            changed.push_back(fmt::format("#{} {}", run.number, stored.strategy));
        }
        if (!storage::verdictIn(stored)) continue;
        const auto hashOf = [&](rewrite::StateId id) { return opened.bank->hash(opened.history->state(id).root); };
        if (hasEnds && storage::isVerdictOf(stored, hashOf(start), hashOf(run.resultState), opened.rules)) continue;
        replaceVerdict(opened, run,
                       stored.integrity == storage::Integrity::Unknown
                           ? "an earlier version of Mitos wrote the session"
                           : "not since the session, or a rule, was changed");
    }
    if (changed.empty()) return;
    opened.notices.push_back(fmt::format(
        "{} of this session {} changed by something else than Mitos, or by another version of it: costs are "
        "worked out again, and the curve is left out.",
        fmt::join(changed, ", "), changed.size() == 1 ? "was" : "were"));
}

}  // namespace

std::string originOf(const Run& run) { return run.strategy + " #" + std::to_string(run.number); }

Status OpeningJob::enter(const char* doing) const {
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped"};
    report(doing);
    return Success{};
}

namespace {

Result<Opened> openModelFile(const std::string& path, const Surroundings& surroundings, const OpeningJob& job) {
    MITOS_REQUIRE(job.enter("loading rules"));
    Result<Opened> opened = fresh(tensorDialect(surroundings), surroundings);
    if (!opened) return opened;
    MITOS_REQUIRE(job.enter("reading the model"));
    MITOS_TRY(OpenModel model, readModel(*opened->bank, path));
    MITOS_REQUIRE(job.enter("costs"));
    opened->title = std::filesystem::path(path).filename().string();
    opened->source = path;
    MITOS_REQUIRE(takeModel(*opened, std::move(model)));
    return opened;
}

}  // namespace

Result<Opened> openAnyFile(const std::string& path, const std::string& function, const Surroundings& surroundings,
                           const OpeningJob& job) {
    if (storage::looksLikeSession(path)) return openStored(path, surroundings, job);
    if (onnx::isModelFile(path)) return openModelFile(path, surroundings, job);
    MITOS_TRY(auto source, readSourceFile(path));
    return openSource(source, path, function, surroundings, job);
}

Result<Opened> openSource(const SourceText& source, const std::string& path, const std::string& function,
                          const Surroundings& surroundings, const OpeningJob& job) {
    const ir::Dialect& dialect = ir::recognized(*surroundings.registry, source.text());
    MITOS_REQUIRE(job.enter("loading rules"));
    Result<Opened> opened = fresh(dialect, surroundings);
    if (!opened) return opened;
    opened->source = path;
    const std::string file = path.empty() ? source.name() : std::filesystem::path(path).filename().string();
    MITOS_REQUIRE(job.enter("reading the program"));
    MITOS_TRY(const ir::ParsedText parsed, dialect.parse(*opened->bank, source, function));
    const ir::Function& chosen = opened->bank->function(parsed.program.function);
    opened->title = chosen.bareExpression ? file : file + " · " + chosen.name;
    opened->notices.insert(opened->notices.end(), parsed.warnings.begin(), parsed.warnings.end());
    if (dialect.canExport("onnx")) {
        OpenModel model = sampledModel(*opened->bank, parsed.program);
        MITOS_REQUIRE(takeModel(*opened, std::move(model)));
        return opened;
    }
    MITOS_REQUIRE(prepare(*opened, parsed.program));
    opened->text = dialects::printProgram(*opened->bank, parsed.program);
    return opened;
}

Result<Opened> openNetwork(const std::string& name, bool realistic, const Surroundings& surroundings,
                           const OpeningJob& job) {
    MITOS_TRY(const networks::Network* network, networks::findNetwork(name));
    MITOS_REQUIRE(job.enter("loading rules"));
    Result<Opened> opened = fresh(tensorDialect(surroundings), surroundings);
    if (!opened) return opened;
    MITOS_REQUIRE(job.enter("making the network"));
    MITOS_TRY(OpenModel model, makeNetwork(*opened->bank, name, realistic));
    opened->title = network->title + (realistic ? ", realistic" : ", as in the papers");
    MITOS_REQUIRE(takeModel(*opened, std::move(model)));
    return opened;
}

Result<Opened> openStored(const std::string& path, const Surroundings& surroundings, const OpeningJob& job) {
    if (!std::filesystem::exists(path)) {
        return Error{.code = ErrorCode::Io,
                     .message = "There is no session file " + path + ".",
                     .hint = "It may have been moved or deleted."};
    }
    MITOS_TRY(auto session, storage::Session::open(path));
    const auto text = [&](const char* key, const std::string& otherwise) {
        auto value = session.value(key);
        return value && *value ? **value : otherwise;
    };
    MITOS_TRY(auto programs, session.programs());
    if (programs.empty()) {
        return Error{.code = ErrorCode::InvalidInput,
                     .message = "The session " + path + " holds no program.",
                     .hint = "Open a .ks file instead."};
    }
    const storage::StoredProgram& stored = programs.back();
    // A session stores its programs as printed text; the program's function is the last one in the text.
    auto states = session.states(stored.id);
    if (!states) return states.error();
    const ir::Dialect& dialect = ir::recognized(*surroundings.registry, stored.text);
    const Choice& choice = surroundings.choices.at(dialect.name);
    MITOS_REQUIRE(job.enter("loading rules"));
    Opened opened;
    opened.costModelName = text(CostModelKey, choice.costModel);
    const bool assumes = text(AssumptionsKey, {}) == storage::AssumptionsAllowed;
    const auto assumptions = assumes ? rules::Assumptions::Allowed : rules::Assumptions::Forbidden;
    if (Status rules = takeRules(opened, text(RulesKey, choice.rules), dialect, surroundings, assumptions); !rules) {
        opened.notices.push_back("The rules of this session are not there: " + rules.error().oneLine());
        if (rules = takeRules(opened, choice.rules, dialect, surroundings, assumptions); !rules) return rules.error();
    }
    MITOS_REQUIRE(job.enter("reading the program"));
    MITOS_TRY(auto program, dialects::parseProgram(*opened.bank, stored.title, stored.text));
    if (Status prepared = prepare(opened, program); !prepared) {
        opened.notices.push_back("The cost model of this session is not there: " + prepared.error().oneLine());
        opened.costModelName = choice.costModel;
        if (prepared = prepare(opened, program); !prepared) return prepared.error();
    }
    if (dialect.canExport("onnx")) {
        MITOS_REQUIRE(job.enter("reading the model"));
        opened.model = std::make_shared<const OpenModel>(
            restoreModel(*opened.bank, program, storage::modelFromJson(text(ModelKey, "{}")), opened.notices));
    }
    MITOS_REQUIRE(job.enter("replaying the history"));

    opened.title = stored.title;
    opened.source = stored.source;
    opened.text = stored.text;
    std::vector<std::optional<rewrite::StateId>> places{opened.history->start()};  // history states of stored ones
    if (!states->empty()) {
        auto restored = storage::restoreHistory(*opened.bank, program, *states, opened.rules);
        if (!restored) {
            // The program itself is valid: it opens with a new history, and the old file stays unchanged.
            opened.notices.push_back("The history of this session could not be replayed: " +
                                     restored.error().oneLine());
            return opened;
        }
        opened.history = std::move(restored->history);
        places = std::move(restored->states);
        // The cost model may have changed after the states were written; the one in force counts.
        std::vector<double> costs;
        for (std::size_t id = 0; id < opened.history->size(); ++id) {
            const rewrite::StateId state(static_cast<std::uint32_t>(id));
            costs.push_back(opened.costs->costOrInfinity(opened.history->state(state).root));
        }
        opened.history->setCosts(costs);
        if (restored->lost > 0) {
            opened.notices.push_back(fmt::format(
                "{} of the {} states of this session could not be replayed, so a new session was begun with "
                "the others and {} was left as it is: {}",
                restored->lost, states->size(), std::filesystem::path(path).filename().string(),
                restored->firstLost->oneLine()));
        }
    }
    // If states are missing, the session is not written to, because it contains more than the history.
    if (places.size() == opened.history->size()) {
        opened.sessionPath = path;
        opened.program = stored.id;
        opened.storedStates = states->size();
    }
    MITOS_TRY(opened.runs, readRuns(session, stored.id, places));
    recoverThreads(opened);
    checkRuns(opened);

    std::uint32_t current = 0;
    const std::string last = text(CurrentStateKey, "0");
    std::from_chars(last.data(), last.data() + last.size(), current);
    if (current < places.size() && places[current]) opened.history->checkout(*places[current]);
    const QJsonObject values = jsonObject(text(ViewValuesKey, "{}"));
    for (auto value = values.begin(); value != values.end(); ++value) {
        opened.viewValues[value.key().toStdString()] = value.value().toString().toStdString();
    }
    if (const int interrupted = session.report().interruptedRuns; interrupted > 0) {
        opened.notices.emplace_back("A search of this session was interrupted; what it had recorded is shown.");
    }
    return opened;
}

}  // namespace mitos::views
