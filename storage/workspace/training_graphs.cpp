// SPDX-License-Identifier: GPL-3.0-or-later
#include "storage/workspace/training_graphs.h"

#include "core/dialects/dialects.h"
#include "core/tasks/files/any_graph.h"
#include "search/placement/schedule_searches.h"
#include "storage/session.h"
#include "storage/workspace/internal/training_files.h"
#include "storage/workspace/program_file.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace mitos::storage {

namespace {

using search::placement::TrainingGraphs;

Result<schedule::TaskGraph> graphIn(const ProgramFile& file, std::size_t devices) {
    ir::TermBank bank(dialects::makeRegistry());
    MITOS_TRY(const ReadModule read, readModule(bank, file, ""));
    MITOS_TRY(const ir::Program program, chosenProgram(bank, read, file, ""));
    const ir::Dialect& dialect = bank.dialect(program.function);
    if (!dialect.can(ir::Capability::Schedule)) {
        return inputError(fmt::format("{}: {} programs are not scheduled", file.path, dialect.name),
                          "give tensor programs, models, or task graphs (.tasks, .stg, .pbtxt, .json)");
    }
    MITOS_TRY(const auto model, cost::findCostModel(cost::settledName(dialect.defaultCost).name, dialect.name));
    MITOS_TRY(schedule::ProgramGraph graph,
              search::placement::graphUnder(*model, model->info(), bank, program, devices));
    return std::move(graph.graph);
}

std::vector<std::string> endings() {
    std::vector<std::string> all = tasks::graphEndings();
    all.insert(all.end(), {".onnx", ".onnxtxt"});
    return all;
}

Status addStored(TrainingGraphs& all, const std::string& path, std::size_t devices) {
    MITOS_TRY(Session session, Session::open(path));
    MITOS_TRY(const std::vector<Run> runs, session.runs());
    MITOS_TRY(const std::vector<StoredProgram> programs, session.programs());
    std::set<std::uint64_t> scheduled;
    for (const Run& run : runs) {
        if (run.strategy.starts_with(search::placement::searchName(""))) scheduled.insert(run.program.value);
    }
    for (const StoredProgram& program : programs) {
        if (!scheduled.contains(program.id.value)) continue;
        MITOS_TRY(schedule::TaskGraph graph, graphIn(typedProgram(SourceText(program.title, program.text)), devices));
        all.graphs.push_back(std::move(graph));
        all.names.push_back(fmt::format("{} of {}", program.title, path));
    }
    if (scheduled.empty()) {
        return inputError(fmt::format("{} has no programs that were scheduled", path),
                          "schedule a program of the session first");
    }
    return mitos::Success{};
}

}  // namespace

Result<TrainingGraphs> trainingGraphs(const std::vector<std::string>& paths, std::size_t devices,
                                      const std::stop_token& stop) {
    TrainingGraphs all;
    for (const std::string& path : paths) {
        if (looksLikeSession(path)) {
            MITOS_REQUIRE(addStored(all, path, devices));
            continue;
        }
        MITOS_TRY(const std::vector<std::string> files, filesAt(path, endings(), "task graphs or models"));
        for (const std::string& file : files) {
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled, "stopped while graphs were read", std::nullopt, ""};
            MITOS_TRY(const ProgramFile loaded, loadProgramFile(file));
            MITOS_TRY(schedule::TaskGraph graph, graphIn(loaded, devices));
            all.graphs.push_back(std::move(graph));
            all.names.push_back(file);
        }
    }
    return all;
}

}  // namespace mitos::storage
