// SPDX-License-Identifier: GPL-3.0-or-later
// See session_log.h.
#include "app/cli/session_log.h"

#include "core/dialects/dialects.h"
#include "core/rules/rule_sets.h"
#include "storage/model_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

/// The source of the weights. The path is absolute, since the desktop may open the session from another folder.
storage::StoredModel storedModel(const CommonOptions& options, const OpenProgram& program) {
    if (!program.model) return {};
    std::error_code unknown;
    const std::filesystem::path whole = std::filesystem::absolute(options.file, unknown);
    return {.source = {.kind = storage::ModelSource::Kind::File, .place = unknown ? options.file : whole.string()},
            .name = program.model->name,
            .outputs = program.model->outputs};
}

}  // namespace

Result<SessionLog> SessionLog::open(const std::string& path, const CommonOptions& options, OpenProgram& program,
                                    const cost::CostModel& model) {
    SessionLog log;
    MITOS_TRY(storage::Session session, storage::Session::open(path));
    log.m_session = std::make_unique<storage::Session>(std::move(session));
    const std::string name = program.bank->function(program.program.function).name;
    MITOS_TRY(const storage::ProgramId id,
              log.m_session->addProgram(fmt::format("{} — {}", options.file, name), options.file,
                                        dialects::printProgram(*program.bank, program.program)));
    log.m_program = id;
    log.m_rules = rules::withWholePaths(options.rules);
    const std::vector<std::pair<const char*, std::string>> values = {
        {storage::RulesKey, log.m_rules},
        {storage::AssumptionsKey, options.allowAssumptions ? storage::AssumptionsAllowed : "forbidden"},
        {storage::CostModelKey, model.info().name},
        {storage::ModelKey, storage::toJson(storedModel(options, program))},
    };
    for (const auto& [key, value] : values) {
        const bool isMeant = key != storage::ModelKey || program.dialect().canExport("onnx");
        MITOS_REQUIRE(isMeant ? log.m_session->setValue(key, value) : Status(mitos::Success{}));
    }
    log.m_history.emplace(program.program, program.costs(model)->costOrInfinity(program.program.root));
    const Status first =
        log.m_session->addState(id, storage::toStored(*program.bank, *log.m_history, log.m_history->start()));
    if (!first) return first.error();
    return log;
}

Result<std::unique_ptr<storage::RunRecorder>> SessionLog::begin(storage::Run run) const {
    run.program = m_program;
    return storage::RunRecorder::begin(m_session->path(), run, nullptr);
}

Status SessionLog::addThread(OpenProgram& program, const std::string& origin, const search::SearchResult& result) {
    if (!result.check.valid) return mitos::Success{};
    const rewrite::Thread thread = rewrite::transplant(*result.bank, result.thread, *program.bank);
    m_history->addThread(m_history->start(), thread, result.costs, origin);
    std::vector<storage::StoredState> states;
    for (std::uint32_t i = 1; i < m_history->size(); ++i) {
        states.push_back(storage::toStored(*program.bank, *m_history, rewrite::StateId(i)));
    }
    MITOS_REQUIRE(m_session->addStates(m_program, states));
    return m_session->setValue(storage::CurrentStateKey, fmt::format("{}", m_history->current().value));
}

}  // namespace mitos::cli
