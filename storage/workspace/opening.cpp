// SPDX-License-Identifier: GPL-3.0-or-later
// Reads programs into a new bank. For sessions see reopening.cpp.
#include "core/dialects/dialects.h"
#include "core/ks/operators.h"
#include "core/networks/networks.h"
#include "core/rules/rule_sets.h"
#include "core/tensor/operator.h"
#include "storage/workspace/internal/begin.h"
#include "storage/workspace/program_file.h"

#include <memory>
#include <utility>

namespace mitos::storage {

namespace {

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

/// Opens a program of any dialect from its start.
Result<Opened> openProgram(const ProgramFile& file, const std::string& function, const Surroundings& surroundings,
                           const OpeningJob& job) {
    const ir::Dialect& dialect = dialectOf(file, *surroundings.registry);
    MITOS_REQUIRE(job.enter("loading rules"));
    MITOS_TRY(Opened opened, fresh(dialect, surroundings));
    MITOS_REQUIRE(job.enter(file.isModel() ? "reading the model" : "reading the program"));
    MITOS_TRY(const ReadModule read, readModule(*opened.bank, file, function));
    MITOS_TRY(const ir::Program program, chosenProgram(*opened.bank, read, file, function));
    opened.title = titleOf(*opened.bank, program, file);
    if (read.model) {
        MITOS_TRY(OpenModel model, modelOfFile(*read.model, file.path));
        MITOS_REQUIRE(job.enter("costs"));
        MITOS_REQUIRE(takeModel(opened, std::move(model)));
        return opened;
    }
    opened.notices.insert(opened.notices.end(), read.warnings.begin(), read.warnings.end());
    if (dialect.can(ir::Capability::Weights)) {
        MITOS_REQUIRE(takeModel(opened, sampledModel(*opened.bank, program)));
        return opened;
    }
    MITOS_REQUIRE(prepare(opened, program));
    opened.text = dialects::printProgram(*opened.bank, program);
    return opened;
}

/// The value of that key in the session; empty if there is none.
std::string valueOf(Session& session, const char* key) {
    const auto value = session.value(key);
    return value && *value ? **value : std::string();
}

}  // namespace

Status OpeningJob::enter(const char* doing) const {
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped"};
    report(doing);
    return Success{};
}

Status prepare(Opened& opened, const ir::Program& start) {
    const ir::Dialect& dialect = opened.bank->dialect(start.function);
    MITOS_TRY(opened.costModel, cost::findCostModel(opened.costModelName, dialect.name));
    opened.costs = opened.costModel->evaluator(*opened.bank, start.function);
    opened.history.emplace(start, opened.costs->costOrInfinity(start.root));
    return Success{};
}

Status takeRules(Opened& opened, const std::string& names, const ir::Dialect& dialect, const Surroundings& surroundings,
                 rules::Assumptions assumptions) {
    const bool needsNone = dialect.defaultRules.empty();
    if (surroundings.rules && surroundings.rules->names() == names) {
        opened.rules = *surroundings.rules;
    } else if (names.empty() && needsNone) {
        opened.rules = rules::RuleBook::none(surroundings.registry);
    } else {
        MITOS_TRY(opened.rules, rules::RuleBook::load(names, surroundings.registry));
        for (const Error& problem : opened.rules.problems()) {
            opened.notices.push_back("A rule is left out: " + problem.oneLine());
        }
    }
    if (const Status fits = rules::requireFor(opened.rules, dialect); !fits) {
        opened.notices.push_back("The default rules are in force: " + fits.error().message);
        if (needsNone) {
            opened.rules = rules::RuleBook::none(surroundings.registry);
        } else {
            MITOS_TRY(opened.rules, rules::RuleBook::load(dialect.defaultRules, surroundings.registry));
        }
    }
    opened.rules = opened.rules.with(assumptions);
    opened.bank = std::make_shared<ir::TermBank>(opened.rules.registry());
    return Success{};
}

Result<Opened> openAnyFile(const std::string& path, const std::string& function, const Surroundings& surroundings,
                           const OpeningJob& job) {
    if (looksLikeSession(path)) return openStored(path, surroundings, job);
    MITOS_TRY(const ProgramFile file, loadProgramFile(path));
    MITOS_TRY(Opened opened, openProgram(file, function, surroundings, job));
    opened.source = path;
    return opened;
}

Result<Opened> openTyped(const SourceText& text, const Surroundings& surroundings, const OpeningJob& job) {
    return openProgram(typedProgram(text), {}, surroundings, job);
}

Result<Opened> openNetwork(const std::string& name, bool realistic, const Surroundings& surroundings,
                           const OpeningJob& job) {
    MITOS_TRY(const networks::Network* network, networks::findNetwork(name));
    MITOS_REQUIRE(job.enter("loading rules"));
    MITOS_TRY(Opened opened, fresh(tensorDialect(surroundings), surroundings));
    MITOS_REQUIRE(job.enter("making the network"));
    MITOS_TRY(OpenModel model, makeNetwork(*opened.bank, name, realistic));
    opened.title = network->title + (realistic ? ", realistic" : ", as in the papers");
    MITOS_REQUIRE(takeModel(opened, std::move(model)));
    return opened;
}

Result<Opened> openStoredAnew(const std::string& path, const Surroundings& surroundings, const OpeningJob& job) {
    MITOS_TRY(Session session, Session::open(path));
    MITOS_TRY(const std::vector<StoredProgram> programs, session.programs());
    if (programs.empty()) return Error{ErrorCode::InvalidInput, "The session " + path + " holds no program."};
    const StoredProgram& stored = programs.back();
    const ir::Dialect& dialect = ir::recognized(*surroundings.registry, stored.text);
    MITOS_REQUIRE(job.enter("loading rules"));
    MITOS_TRY(Opened opened, fresh(dialect, surroundings));
    MITOS_REQUIRE(job.enter("reading the program"));
    MITOS_TRY(const ir::Program program, dialects::parseProgram(*opened.bank, stored.title, stored.text));
    MITOS_REQUIRE(prepare(opened, program));
    if (dialect.can(ir::Capability::Weights)) {
        MITOS_REQUIRE(job.enter("reading the model"));
        opened.model = std::make_shared<const OpenModel>(
            restoreModel(*opened.bank, program, modelFromJson(valueOf(session, ModelKey)), opened.notices));
    }
    opened.title = stored.title;
    opened.source = stored.source;
    opened.text = stored.text;
    return opened;
}

Result<std::vector<std::string>> functionsIn(const std::string& path,
                                             const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    std::vector<std::string> names;
    if (looksLikeSession(path)) return names;
    MITOS_TRY(const ProgramFile file, loadProgramFile(path));
    if (dialectOf(file, *registry).name != ks::DialectName) return names;
    ir::TermBank bank(registry);
    MITOS_TRY(const ReadModule read, readModule(bank, file, {}));
    const ks::Module& module = read.module;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
        const ir::Function& function = bank.function(module.functions[i]);
        if (module.bodies[i].isValid() && !function.bareExpression) names.push_back(function.name);
    }
    return names;
}

}  // namespace mitos::storage
