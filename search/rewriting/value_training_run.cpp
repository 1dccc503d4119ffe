// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/value_training_run.h"

#include "search/learned/model_value.h"
#include "search/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace mitos::search {

namespace {

const std::string& textIn(const ParameterValues& values, const char* name) {
    return std::get<std::string>(values.at(name));
}

/// The command with all that the model depends on, so that it can be trained again.
std::string commandOf(const ParameterValues& values, const ValueTraining& training) {
    std::string text =
        fmt::format("mitos-cli train value --cost {} --seed {}", training.cost->info().name, training.seed);
    if (!training.ruleSets.empty()) text += fmt::format(" --rules {}", training.ruleSets);
    for (const ParameterInfo& info : valueTrainingParameters()) {
        const ParameterValue& value = values.at(info.name);
        if (value != info.defaultValue) text += fmt::format(" --set {}={}", info.name, parameterText(value));
    }
    if (training.epochs > 0) text += fmt::format(" --epochs {}", training.epochs);
    if (training.seconds) text += fmt::format(" --seconds {:g}", *training.seconds);
    for (const std::string& path : learned::pathsIn(textIn(values, "validate"))) text += " --validate " + path;
    for (const std::string& path : learned::pathsIn(textIn(values, "programs"))) {
        if (path != OpenProgramSubject) text += " " + path;
    }
    return text;
}

void addProgram(ValueTraining& training, TrainingProgram program, std::string name) {
    training.programs.push_back(std::move(program));
    training.names.push_back(std::move(name));
}

/// Those to train on come first.
void addPrograms(ValueTraining& training, TrainingPrograms found, TrainingPrograms others) {
    const std::size_t count = found.programs.size();
    const bool splits = others.programs.empty() && count > 1;
    for (std::size_t i = 0; i < count; ++i) {
        if (splits && learned::validates(i, count)) {
            others.programs.push_back(std::move(found.programs[i]));
            others.names.push_back(std::move(found.names[i]));
        } else {
            addProgram(training, found.programs[i], found.names[i]);
        }
    }
    training.trainingCount = training.programs.size();
    if (others.programs.empty()) {
        others.programs = found.programs;
        others.names = found.names;
    }
    for (std::size_t i = 0; i < others.programs.size(); ++i)
        addProgram(training, std::move(others.programs[i]), others.names[i] + " (validation)");
}

class ValueTrainingRun final : public DescribedStrategy {
public:
    ValueTrainingRun(ProgramReader read, std::string ruleSets, unsigned jobs)
        : m_read(std::move(read)),
          m_ruleSets(std::move(ruleSets)),
          m_jobs(jobs) {
        m_info.name = ValueTrainingName;
        m_info.label = "Train a value function";
        m_info.title = "Training of a value function";
        m_info.description =
            "Trains a network that estimates how much the cost of a program can be reduced, by the searches that it "
            "guides (Knossos paper, section 3.3, Algorithm 1). The result is a model for value=learned of A*, greedy "
            "search, beam search and Monte Carlo tree search.";
        m_info.parameters = valueTrainingRunParameters();
        m_info.randomized = true;
        m_info.isTraining = true;
    }

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& values, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        ValueTraining training{.rules = problem.rules,
                               .ruleSets = m_ruleSets,
                               .cost = problem.cost,
                               .seed = problem.seed,
                               .resumes = std::get<bool>(values.at("resume")),
                               .epochs = static_cast<std::uint32_t>(std::get<std::int64_t>(values.at("epochs"))),
                               .seconds = problem.budget.seconds,
                               .jobs = m_jobs > 0 ? m_jobs : defaultJobs(),
                               .stop = stop};
        const bool hasLimit =
            training.epochs > 0 || training.seconds || std::get<std::int64_t>(values.at("early_stop")) > 0;
        if (!hasLimit) training.seconds = learned::UsualTrainingSeconds;
        for (const ParameterInfo& info : valueTrainingParameters())
            training.parameters.insert_or_assign(info.name, values.at(info.name));
        training.command = commandOf(values, training);
        const auto train = [&](const std::string& path, const learned::ModelTraining::Report& report) -> Status {
            training.path = path;
            MITOS_REQUIRE(addSubjects(training, values, problem, stop));
            const auto validating = static_cast<std::uint32_t>(training.programs.size() - training.trainingCount);
            training.observer = [&](const learned::TrainingProgress& progress) { report(progress, validating); };
            MITOS_TRY(const ValueModel trained, trainValue(training));
            return Success{};
        };
        return learned::runTraining({.modelKind = std::string(ValueModelKind),
                                     .model = textIn(values, "model"),
                                     .steps = training.epochs,
                                     .train = train},
                                    problem, stop, observer);
    }

private:
    [[nodiscard]] Result<TrainingPrograms> read(const std::vector<std::string>& paths,
                                                const std::stop_token& stop) const {
        if (paths.empty()) return TrainingPrograms();
        if (!m_read) return inputError("no files of programs can be read here", "train on the open program");
        return m_read(paths, stop);
    }

    [[nodiscard]] Status addSubjects(ValueTraining& training, const ParameterValues& values,
                                     const SearchProblem& problem, const std::stop_token& stop) const {
        std::vector<std::string> paths = learned::pathsIn(textIn(values, "programs"));
        const bool takesOpenProgram = std::erase(paths, OpenProgramSubject) > 0;
        MITOS_TRY(TrainingPrograms found, read(paths, stop));
        if (takesOpenProgram) {
            const auto bank = std::make_shared<ir::TermBank>(problem.bank.sharedRegistry());
            const rewrite::Thread own = rewrite::transplant(problem.bank, {problem.program, {}, {}}, *bank);
            found.programs.insert(found.programs.begin(), {bank, own.start});
            found.names.emplace(found.names.begin(), "the open program");
        }
        MITOS_TRY(TrainingPrograms others, read(learned::pathsIn(textIn(values, "validate")), stop));
        if (found.programs.empty())
            return inputError("there are no programs to learn from", "name programs, folders of them, or sessions");
        training.experiences = experienceOf(found.threads, *training.cost);
        addPrograms(training, std::move(found), std::move(others));
        return Success{};
    }

    ProgramReader m_read;
    std::string m_ruleSets;
    unsigned m_jobs;
    StrategyInfo m_info;
};

}  // namespace

std::vector<ParameterInfo> valueTrainingRunParameters() {
    std::vector<ParameterInfo> all{
        {.name = "model",
         .title = "Model",
         .help = "the file to write, which ends in .model",
         .defaultValue = std::string("value.model")},
        {.name = "programs",
         .title = "Programs",
         .help = "files, folders and sessions, one a line; program: the open program",
         .defaultValue = std::string(OpenProgramSubject)},
        {.name = "validate",
         .title = "Programs that validate",
         .help = "files and folders, one a line; empty: each fourth program, or the only one",
         .defaultValue = std::string()},
        {.name = "epochs",
         .title = "Epochs",
         .help = "of training in all, also of those before it is resumed; 0: no limit",
         .defaultValue = std::int64_t{0},
         .minimum = 0,
         .maximum = 1e9},
        {.name = "resume",
         .title = "Resume",
         .help = "go on with the training whose state is stored beside the model",
         .defaultValue = false}};
    std::ranges::move(valueTrainingParameters(), std::back_inserter(all));
    return all;
}

std::shared_ptr<const Strategy> valueTrainingRun(ProgramReader read, std::string ruleSets, unsigned jobs) {
    return std::make_shared<const ValueTrainingRun>(std::move(read), std::move(ruleSets), jobs);
}

}  // namespace mitos::search
