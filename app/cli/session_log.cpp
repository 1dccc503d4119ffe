// SPDX-License-Identifier: GPL-3.0-or-later
// See session_log.h.
#include "app/cli/session_log.h"

#include "core/dialects/dialects.h"
#include "core/rules/rule_sets.h"
#include "storage/workspace/new_program.h"
#include "storage/workspace/open_model.h"
#include "storage/workspace/opening.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace mitos::cli {

namespace {

/// The source of the weights; that of a model from standard input is lost. The path is absolute, since the desktop may open the session
/// from another folder.
Result<std::optional<storage::StoredModel>> storedModel(const CommonOptions& options, const OpenProgram& program) {
    if (!program.dialect().can(ir::Capability::Weights)) return std::optional<storage::StoredModel>();
    storage::StoredModel stored;
    if (!program.read.model) return std::optional(stored);
    stored.name = program.read.model->name;
    stored.outputs = program.read.model->outputs;
    if (const auto file = options.program.modelFile()) {
        std::error_code unknown;
        const std::filesystem::path whole = std::filesystem::absolute(*file, unknown);
        stored.source = {.kind = storage::ModelSource::Kind::File, .place = unknown ? options.file : whole.string()};
        MITOS_TRY(stored.source.digest, storage::digestOf(*program.read.model->weights));
    }
    return std::optional(stored);
}

}  // namespace

std::vector<NamedFile> sessionFiles(const std::string& path) {
    if (path.empty()) return {};
    return {{"--session", path}, {"the log of --session", path + "-wal"}, {"the log of --session", path + "-shm"}};
}

Result<SessionLog> SessionLog::open(const std::string& path, const CommonOptions& options, OpenProgram& program,
                                    const cost::CostModel& model) {
    SessionLog log;
    MITOS_TRY(storage::Session session, storage::Session::open(path));
    log.m_session = std::make_unique<storage::Session>(std::move(session));
    log.m_rules = rules::withWholePaths(options.rules);
    log.m_history.emplace(program.program, program.costs(model)->costOrInfinity(program.program.root));
    storage::NewProgram stored{
        .title = storage::titleOf(*program.bank, program.program, options.program),
        .source = options.file,
        .text = dialects::printProgram(*program.bank, program.program),
        .rules = log.m_rules,
        .assumptions = options.allowAssumptions ? rules::Assumptions::Allowed : rules::Assumptions::Forbidden,
        .costModel = model.info().name,
        .states = storage::storedStates(*program.bank, *log.m_history, 0)};
    MITOS_TRY(stored.model, storedModel(options, program));
    MITOS_TRY(log.m_program, storage::storeProgram(*log.m_session, stored));
    return log;
}

search::BeginLog SessionLog::recording() const { return storage::recordingIn(m_session->path(), m_program); }

Status SessionLog::setViewValue(const std::string& name, const std::string& value) {
    return storage::storeViewValue(*m_session, name, value);
}

Status SessionLog::addThread(OpenProgram& program, const std::string& origin, const search::SearchResult& result) {
    if (!result.check.valid) return mitos::Success{};
    const rewrite::Thread thread = rewrite::transplant(*result.bank, result.thread, *program.bank);
    m_history->addThread(m_history->start(), thread, result.costs, origin);
    MITOS_REQUIRE(m_session->addStates(m_program, storage::storedStates(*program.bank, *m_history, 1)));
    return m_session->setValue(storage::CurrentStateKey, fmt::format("{}", m_history->current().value));
}

}  // namespace mitos::cli
