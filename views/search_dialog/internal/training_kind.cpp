// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search_dialog/internal/training_kind.h"

#include "search/placement/training_run.h"
#include "search/rewriting/value_training_run.h"
#include "storage/workspace/training_graphs.h"
#include "storage/workspace/training_programs.h"
#include "views/common/format.h"

#include <QCoreApplication>
#include <QFile>
#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace mitos::views {

namespace {

QString inWords(const char* text) { return QCoreApplication::translate("mitos::views::training", text); }

std::vector<ParameterInfo> without(std::vector<ParameterInfo> infos, std::initializer_list<std::string_view> names) {
    std::erase_if(infos, [&](const ParameterInfo& info) { return std::ranges::find(names, info.name) != names.end(); });
    return infos;
}

std::function<std::string(const QStringList&)> always(std::string_view subjects) {
    return [subjects](const QStringList& /*others*/) { return std::string(subjects); };
}

TrainingKind policies() {
    using namespace search::placement;
    TrainingKind kind{
        .strategy = std::string(PolicyTrainingName),
        .modelKind = "policy",
        .title = inWords("Policy for schedules"),
        .intro = inWords("Trains a graph network that chooses, for each operation, where the genetic search looks "
                         "for schedules. The best model so far is always in the file."),
        .subjectsTitle = inWords("Graphs"),
        .filesHelp = inWords(
            "One a line: task graphs, models, listings, folders of them, sessions whose programs were scheduled"),
        .fileFilter = inWords("Graphs, models and sessions (*.tasks *.stg *.pbtxt *.json *.onnx *.onnxtxt *.mitos)"),
        .usualFile = QStringLiteral("policy.model"),
        .subjects = "graphs",
        .validation = {},
        .steps = "steps",
        .stepTitle = inWords("step"),
        .stepsTitle = inWords("steps"),
        .improvementTitle = inWords("less cost than uniform mutants (%)"),
        .rewardTitle = inWords("cost of trials (1: the first choice)"),
        .sources = {},
        .parameters = without(trainingRunParameters(), {"model", "graphs", "resume"}),
        .obstacle =
            [](const Document& document) {
                if (document.dialect().can(ir::Capability::Schedule)) return QString();
                return inWords("The open program cannot be scheduled. Train on generated graphs or on files.");
            },
        .make = [](const Document& /*document*/) { return policyTrainingRun(storage::trainingGraphs); }};
    kind.sources = {{inWords("Generated graphs"), {}, always(GeneratedGraphs), false},
                    {inWords("The open program"), {}, always(ProgramGraph), true},
                    {inWords("Files, folders and sessions"), {}, {}, false}};
    return kind;
}

std::string allOpenPrograms(const QStringList& others) {
    std::vector<std::string> lines{std::string(search::OpenProgramSubject)};
    for (const QString& session : others) lines.push_back(QFile::encodeName(session).toStdString());
    return search::learned::pathsText(lines);
}

QString lackOfRules(const Document& document) {
    if (!document.rules().directions().empty()) return {};
    return inWords("There are no rules for %1 programs, so there is nothing to learn.")
        .arg(fromUtf8(document.dialect().name));
}

std::shared_ptr<const search::Strategy> valueTraining(const Document& document) {
    const auto read = [book = document.rules()](const std::vector<std::string>& paths, const std::stop_token& stop) {
        return storage::trainingPrograms(paths, book, stop, storage::WithoutThreads::TakeProgram);
    };
    return search::valueTrainingRun(read, document.rules().names());
}

TrainingKind values() {
    using namespace search;
    TrainingKind kind{
        .strategy = std::string(ValueTrainingName),
        .modelKind = std::string(ValueModelKind),
        .title = inWords("Value of rewriting"),
        .intro = inWords("Trains a network that estimates how much the cost of a program can be reduced, by the "
                         "searches that it guides. A*, greedy, beam and Monte Carlo tree search use it. The best "
                         "model so far is always in the file."),
        .subjectsTitle = inWords("Programs"),
        .filesHelp = inWords("One a line: programs, models, folders of them, and sessions, whose threads are learned "
                             "from first"),
        .fileFilter = inWords("Programs, models and sessions (*.ks *.txt *.onnx *.onnxtxt *.mitos)"),
        .usualFile = QStringLiteral("value.model"),
        .subjects = "programs",
        .validation = "validate",
        .steps = "epochs",
        .stepTitle = inWords("epoch"),
        .stepsTitle = inWords("epochs"),
        .usesRules = true,
        .improvementTitle = inWords("less cost than unlearned A* (%)"),
        .rewardTitle = inWords("mean loss"),
        .sources = {},
        .parameters = without(valueTrainingRunParameters(), {"model", "programs", "validate", "resume"}),
        .obstacle = lackOfRules,
        .make = valueTraining};
    kind.sources = {{inWords("The open program"), inWords("The current state of the program; it also validates"),
                     always(OpenProgramSubject), true},
                    {inWords("All open programs"),
                     inWords("The current state of this program, and what was found in the others or, without any, "
                             "the programs themselves; each fourth one validates"),
                     allOpenPrograms, true},
                    {inWords("Files, folders and sessions"), {}, {}, false}};
    return kind;
}

}  // namespace

std::vector<TrainingKind> trainingKinds() { return {policies(), values()}; }

}  // namespace mitos::views
