// SPDX-License-Identifier: GPL-3.0-or-later
// Reading programs and sessions into a fresh bank.
#include "views/document/opening.h"

#include "views/common/format.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <charconv>
#include <filesystem>
#include <utility>

namespace mitos::views {

namespace {

Status prepare(Opened& opened, const ir::Program& start) {
    auto model = cost::findCostModel(opened.costModelName);
    if (!model) return model.error();
    opened.costModel = *model;
    opened.costs = opened.costModel->evaluator(*opened.bank, start.function);
    opened.history.emplace(start, opened.costs->cost(start.root));
    return Success{};
}

Status takeRules(Opened& opened, const Surroundings& surroundings) {
    if (surroundings.rules && surroundings.rules->names() == surroundings.ruleNames) {
        opened.rules = *surroundings.rules;
        return Success{};
    }
    auto loaded = rules::RuleBook::load(surroundings.ruleNames, surroundings.registry);
    if (!loaded) return loaded.error();
    opened.rules = std::move(*loaded);
    return Success{};
}

Error noProgram(const std::string& name) {
    return {.code = ErrorCode::InvalidInput,
            .message = "There is no program in " + name + ".",
            .place = {},
            .hint = "A program is a (def …) or one expression, such as (div (mul x y) x).",
            .others = {}};
}

QJsonObject jsonObject(const std::string& text) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
}

/// Runs of the program with their events; positions in the history as they were noted when the runs ended.
Result<std::vector<Run>> readRuns(storage::Session& session, storage::ProgramId program, std::size_t states) {
    auto stored = session.runs(program);
    if (!stored) return stored.error();
    std::vector<Run> runs;
    for (const storage::StoredRun& one : *stored) {
        Run run;
        run.number = static_cast<RunNumber>(runs.size()) + 1;
        run.stored = one;
        auto events = session.events(one.id);
        if (!events) return events.error();
        run.events = std::move(*events);
        const int state = jsonObject(one.statistics).value(QLatin1String(ResultStateField)).toInt(-1);
        if (state >= 0 && static_cast<std::size_t>(state) < states) {
            run.resultState = rewrite::StateId(static_cast<std::uint32_t>(state));
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

/// A search that ended while its window was closing left its thread in the session, but not in the history.
void recoverThreads(Opened& opened) {
    for (Run& run : opened.runs) {
        const storage::StoredRun& stored = run.stored;
        if (run.resultState.isValid() || !stored.threadChecked || stored.startState >= opened.history->size()) continue;
        ir::TermBank bank(opened.bank->sharedRegistry());
        const auto read = rewrite::readThread(bank, SourceText(originOf(run), stored.thread), opened.rules);
        if (!read || !read->report.valid) continue;
        const rewrite::StateId start(stored.startState);
        rewrite::Thread thread = rewrite::transplant(bank, read->thread, *opened.bank);
        if (thread.start.root != opened.history->state(start).root) continue;
        std::vector<double> costs{opened.history->state(start).cost};
        for (const ir::TermId state : thread.states) costs.push_back(opened.costs->cost(state));
        run.resultState = thread.steps.empty() ? start : opened.history->addThread(start, thread, costs, originOf(run));
        run.recovered = true;
        addField(run.stored.statistics, ResultStateField, static_cast<int>(run.resultState.value));
    }
}

}  // namespace

std::string originOf(const Run& run) { return run.stored.strategy + " #" + std::to_string(run.number); }

void addField(std::string& json, const char* key, const QJsonValue& value) {
    QJsonObject object = jsonObject(json);
    object.insert(QLatin1String(key), value);
    json = QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString();
}

Result<Opened> openSource(const SourceText& source, const std::string& path, const std::string& function,
                          const Surroundings& surroundings) {
    Opened opened;
    if (Status rules = takeRules(opened, surroundings); !rules) return rules.error();
    // Rule files may declare operators: the bank knows them all.
    opened.bank = std::make_shared<ir::TermBank>(opened.rules.registry());
    auto module = ks::parseModule(*opened.bank, source);
    if (!module) return module.error();
    if (module->functions.empty()) return noProgram(source.name());
    auto program = ks::selectProgram(*opened.bank, *module, function);
    if (!program) return program.error();

    opened.notices = module->warnings;
    opened.costModelName = surroundings.costModelName;
    if (Status prepared = prepare(opened, *program); !prepared) return prepared.error();
    const ir::Function& chosen = opened.bank->function(program->function);
    const std::string file = path.empty() ? source.name() : std::filesystem::path(path).filename().string();
    opened.title = chosen.bareExpression ? file : file + " · " + chosen.name;
    opened.source = path;
    opened.text = ks::printProgram(*opened.bank, *program);
    return opened;
}

Result<Opened> openStored(const std::string& path, const Surroundings& surroundings) {
    if (!std::filesystem::exists(path)) {
        return Error{.code = ErrorCode::Io,
                     .message = "There is no session file " + path + ".",
                     .place = {},
                     .hint = "It may have been moved or deleted.",
                     .others = {}};
    }
    auto session = storage::Session::open(path);
    if (!session) return session.error();
    const auto text = [&](const char* key, const std::string& otherwise) {
        auto value = session->value(key);
        return value && *value ? **value : otherwise;
    };
    Surroundings asStored = surroundings;
    asStored.ruleNames = text(RulesKey, surroundings.ruleNames);
    Opened opened;
    opened.costModelName = text(CostModelKey, surroundings.costModelName);

    auto programs = session->programs();
    if (!programs) return programs.error();
    if (programs->empty()) {
        return Error{.code = ErrorCode::InvalidInput,
                     .message = "The session " + path + " holds no program.",
                     .place = {},
                     .hint = "Open a .ks file instead.",
                     .others = {}};
    }
    const storage::StoredProgram& stored = programs->back();
    // A session keeps its programs printed; their function is the last one of the text.
    auto states = session->states(stored.id);
    if (!states) return states.error();
    if (Status rules = takeRules(opened, asStored); !rules) return rules.error();
    opened.bank = std::make_shared<ir::TermBank>(opened.rules.registry());
    auto program = ks::parseProgram(*opened.bank, stored.title, stored.text);
    if (!program) return program.error();
    if (Status prepared = prepare(opened, *program); !prepared) return prepared.error();

    opened.title = stored.title;
    opened.source = stored.source;
    opened.text = stored.text;
    if (!states->empty()) {
        auto history = storage::restoreHistory(*opened.bank, *program, *states, opened.rules);
        if (!history) {
            // The program itself is fine: it opens with a history of its own, and the old file stays as it is.
            opened.notices.push_back("The history of this session could not be replayed: " + history.error().oneLine());
            return opened;
        }
        opened.history = std::move(*history);
        // The model may have been changed after states were written: what counts is the one in force.
        std::vector<double> costs;
        for (std::size_t id = 0; id < opened.history->size(); ++id) {
            const rewrite::StateId state(static_cast<std::uint32_t>(id));
            costs.push_back(opened.costs->cost(opened.history->state(state).root));
        }
        opened.history->setCosts(costs);
    }
    opened.sessionPath = path;
    opened.program = stored.id;
    auto runs = readRuns(*session, stored.id, opened.history->size());
    if (!runs) return runs.error();
    opened.runs = std::move(*runs);
    opened.storedStates = states->size();
    recoverThreads(opened);

    std::uint32_t current = 0;
    const std::string last = text(CurrentStateKey, "0");
    std::from_chars(last.data(), last.data() + last.size(), current);
    if (current < opened.history->size()) opened.history->checkout(rewrite::StateId(current));
    const QJsonObject values = jsonObject(text(ViewValuesKey, "{}"));
    for (auto value = values.begin(); value != values.end(); ++value) {
        opened.viewValues[value.key().toStdString()] = value.value().toString().toStdString();
    }
    if (const int interrupted = session->report().interruptedRuns; interrupted > 0) {
        opened.notices.emplace_back("A search of this session was interrupted; what it had recorded is shown.");
    }
    return opened;
}

}  // namespace mitos::views
