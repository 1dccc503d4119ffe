// SPDX-License-Identifier: GPL-3.0-or-later
#include "storage/workspace/training_programs.h"

#include "core/rules/rule_sets.h"
#include "storage/session.h"
#include "storage/workspace/internal/training_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace mitos::storage {

namespace {

using search::TrainingPrograms;

const std::vector<std::string>& programEndings() {
    static const std::vector<std::string> endings{".ks", ".txt", ".onnx", ".onnxtxt"};
    return endings;
}

Result<search::TrainingProgram> programIn(const ProgramFile& file, const rules::RuleBook& rules) {
    const auto bank = std::make_shared<ir::TermBank>(rules.registry());
    MITOS_TRY(const ReadModule read, readModule(*bank, file, ""));
    MITOS_TRY(const ir::Program program, chosenProgram(*bank, read, file, ""));
    MITOS_REQUIRE(rules::requireFor(rules, bank->dialect(program.function)));
    return search::TrainingProgram{bank, program};
}

bool isUsable(const Run& run) {
    return run.threadChecked && run.integrity != Integrity::Changed && !run.thread.empty() && !search::isTraining(run);
}

/// The first program of a session.
Status addStoredProgram(TrainingPrograms& all, Session& session, const std::string& path,
                        const rules::RuleBook& rules) {
    MITOS_TRY(const std::vector<StoredProgram> programs, session.programs());
    if (programs.empty()) return inputError(path + " has no program", "name another session");
    const StoredProgram& stored = programs.front();
    const ProgramFile file = typedProgram(SourceText(stored.title, stored.text));
    MITOS_TRY(search::TrainingProgram program, programIn(file, rules));
    all.programs.push_back(std::move(program));
    all.names.push_back(fmt::format("{} of {}", stored.title, path));
    return mitos::Success{};
}

Status addThreads(TrainingPrograms& all, const std::string& path, const rules::RuleBook& rules,
                  WithoutThreads withoutThreads) {
    MITOS_TRY(Session session, Session::open(path));
    MITOS_TRY(const std::vector<Run> runs, session.runs());
    // Programs of one session may have functions of one name.
    std::map<std::uint64_t, std::shared_ptr<ir::TermBank>> banks;
    std::set<std::uint64_t> starts;
    for (const Run& run : runs) {
        if (!isUsable(run)) continue;
        std::shared_ptr<ir::TermBank>& bank = banks[run.program.value];
        if (!bank) bank = std::make_shared<ir::TermBank>(rules.registry());
        const std::string name = fmt::format("{} of {}", search::originOf(run), path);
        Result<rewrite::Replay> replay = rewrite::readThread(*bank, SourceText(name, run.thread), rules);
        if (!replay || replay->thread.steps.empty()) {
            if (!replay || !replay->report.valid) ++all.leftOut;
            continue;
        }
        const ir::Program& start = replay->thread.start;
        if (starts.insert(bank->hash(start.root)).second) {
            all.programs.push_back({bank, start});
            all.names.push_back("the start of " + name);
        }
        all.threads.push_back({bank, std::move(replay->thread)});
    }
    if (starts.empty() && withoutThreads == WithoutThreads::TakeProgram)
        return addStoredProgram(all, session, path, rules);
    if (starts.empty()) {
        return inputError(fmt::format("{} has no threads that these rules replay", path),
                          "search a program of the session first, or choose the rules of its searches");
    }
    return mitos::Success{};
}

}  // namespace

Result<TrainingPrograms> trainingPrograms(const std::vector<std::string>& paths, const rules::RuleBook& rules,
                                          const std::stop_token& stop, WithoutThreads withoutThreads) {
    TrainingPrograms all;
    for (const std::string& path : paths) {
        if (looksLikeSession(path)) {
            MITOS_REQUIRE(addThreads(all, path, rules, withoutThreads));
            continue;
        }
        MITOS_TRY(const std::vector<std::string> files, filesAt(path, programEndings(), "programs"));
        for (const std::string& file : files) {
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled, "stopped while programs were read", std::nullopt, ""};
            MITOS_TRY(const ProgramFile loaded, loadProgramFile(file));
            MITOS_TRY(search::TrainingProgram program, programIn(loaded, rules));
            all.programs.push_back(std::move(program));
            all.names.push_back(file);
        }
    }
    return all;
}

Result<ProgramFile> firstTrainingProgram(const std::vector<std::string>& paths) {
    if (paths.empty()) return inputError("there are no programs", "name programs, folders of them, or sessions");
    const std::string& path = paths.front();
    if (!looksLikeSession(path)) {
        MITOS_TRY(const std::vector<std::string> files, filesAt(path, programEndings(), "programs"));
        return loadProgramFile(files.front());
    }
    MITOS_TRY(Session session, Session::open(path));
    MITOS_TRY(const std::vector<StoredProgram> programs, session.programs());
    MITOS_TRY(const std::vector<Run> runs, session.runs());
    for (const StoredProgram& program : programs) {
        const bool isSearched =
            std::ranges::any_of(runs, [&](const Run& run) { return run.program == program.id && isUsable(run); });
        if (isSearched) return typedProgram(SourceText(program.title, program.text));
    }
    return inputError(path + " has no threads", "search a program of the session first");
}

}  // namespace mitos::storage
