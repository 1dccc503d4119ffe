// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/value_training.h"

#include "core/base/hash.h"
#include "core/base/json_field.h"
#include "core/base/random.h"
#include "core/ir/transplant.h"
#include "search/learned/graph_network.h"
#include "search/learned/model_fields.h"
#include "search/parallel.h"
#include "search/rewriting/program_variants.h"
#include "search/rewriting/rewriting.h"
#include "search/rewriting/value_learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

namespace mitos::search {

namespace {

using learned::TrainingProgress;
using learned::ValueNetworkKind;
using nlohmann::json;

constexpr const char* ValueTrainingKind = "value-training";
constexpr std::int64_t OfTheSize = -1;

std::int64_t wholeOf(const ParameterValues& values, const char* name) {
    return std::get<std::int64_t>(values.at(name));
}
std::uint32_t countOf(const ParameterValues& values, const char* name) {
    return static_cast<std::uint32_t>(wholeOf(values, name));
}
const std::string& wordOf(const ParameterValues& values, const char* name) {
    return std::get<std::string>(values.at(name));
}
double realOf(const ParameterValues& values, const char* name) { return std::get<double>(values.at(name)); }

/// A number of the network's shape; without a value of its own it is that of the size.
ParameterInfo sizeParameter(const char* name, const char* title, const char* help, double most) {
    return {.name = name,
            .title = title,
            .help = fmt::format("{}; -1: as the size says", help),
            .defaultValue = OfTheSize,
            .minimum = static_cast<double>(OfTheSize),
            .maximum = most};
}

/// The sizes of the paper's Table 2, or small ones, and what parameters say instead.
learned::ValueNetworkShape shapeOf(const ParameterValues& values, std::uint32_t kinds) {
    learned::ValueNetworkShape shape{.kind = *learned::valueNetworkKindFrom(wordOf(values, "network")), .kinds = kinds};
    if (wordOf(values, "size") == "paper") {
        shape.hidden = 200;
        shape.rounds = 10;
        shape.readout = 200;
        shape.layers = 2;
        shape.dropout = 0.2;
    } else if (shape.kind == ValueNetworkKind::Knossos) {
        // A node begins as its kind, a number for each.
        shape.hidden = std::max(shape.hidden, kinds);
    }
    const auto replace = [&](const char* name, std::uint32_t& size) {
        if (wholeOf(values, name) != OfTheSize) size = countOf(values, name);
    };
    replace("hidden", shape.hidden);
    replace("rounds", shape.rounds);
    replace("readout", shape.readout);
    replace("layers", shape.layers);
    if (realOf(values, "dropout") >= 0.0) shape.dropout = realOf(values, "dropout");
    shape.times = countOf(values, "depth");
    return shape;
}

/// The network of the paper takes no hints, and there are none about programs that share by edges.
std::vector<std::string> hintsOf(const ParameterValues& values, const ir::Dialect& dialect) {
    const std::string& asked = wordOf(values, "hints");
    const bool isUseful = wordOf(values, "network") == toString(ValueNetworkKind::Terms) && dialect.sharesByLet();
    if (asked == "all" || (asked == "usual" && isUseful)) return {"sharing", "algebra"};
    return {};
}

/// A number for programs, rules and stored states.
std::string digestOf(const ValueTraining& training) {
    std::uint64_t hash = 1;
    for (const TrainingProgram& one : training.programs) hash = combineHash(hash, one.bank->hash(one.program.root));
    for (const auto& rule : training.rules)
        hash = combineHash(combineHash(hash, hashText(rule->name())), hashText(rule->rule().text));
    for (const Experience& one : training.experiences) {
        for (const ir::TermId root : one.roots) hash = combineHash(hash, one.bank->hash(root));
        for (const StateEdge& edge : one.edges) hash = combineHash(combineHash(hash, edge.from), edge.to);
    }
    return fmt::format("{:016x}", hash);
}

/// The training that a state belongs to.
json subjectOf(const ValueTraining& training, const ValueModel& model) {
    json subject{{"dialect", model.dialect},
                 {"cost", model.cost},
                 {"vocabulary", model.vocabulary},
                 {"seed", training.seed},
                 {"training programs", training.trainingCount},
                 {"digest of programs and rules", digestOf(training)}};
    for (const ParameterInfo& info : valueTrainingParameters())
        subject[info.name] = parameterText(training.parameters.at(info.name));
    return subject;
}

/// What goes on beside the progress.
struct TrainingSums {
    std::vector<double> references = {};  ///< by program for validation: the cost without learning
    double loss = 0.0;                    ///< since the last point
    std::uint32_t epochs = 0;             ///< of these
};

/// One call of trainValue().
class ValueTrainer {
public:
    ValueTrainer(const ValueTraining& training, ValueModel model, std::unique_ptr<learned::ValueNetwork> network)
        : m_training(training),
          m_model(std::move(model)),
          m_network(std::move(network)),
          m_settings(learningSettings(training.parameters)),
          m_subject(subjectOf(training, m_model)) {
        const auto trained = std::span(training.programs).first(training.trainingCount);
        m_bySize.resize(trained.size());
        std::iota(m_bySize.begin(), m_bySize.end(), std::size_t{0});
        std::ranges::stable_sort(m_bySize, {}, [&](std::size_t number) {
            return trained[number].bank->treeSize(trained[number].program.root);
        });
    }

    Result<ValueModel> run() {
        MITOS_REQUIRE(begin());
        const Status done = learn();
        const bool isStop = !done && m_training.stop.stop_requested() && done.error().code == ErrorCode::Cancelled;
        if (!done && !isStop) return done.error();
        if (m_progress.curve.empty())
            return Error{ErrorCode::Cancelled, "stopped before the first validation", std::nullopt, ""};
        // After a stop there are epochs since the last validation.
        MITOS_REQUIRE(save());
        return std::move(m_model);
    }

private:
    [[nodiscard]] std::uint32_t asked(const char* name) const { return countOf(m_training.parameters, name); }

    Status begin() {
        if (m_training.resumes) return resume();
        m_network->initialize(m_training.seed);
        m_progress.parameters.resize(m_network->parameterCount());
        m_network->getParameters(m_progress.parameters);
        m_progress.optimizer = learned::Adam(m_network->parameterCount());
        m_progress.best = m_progress.parameters;
        return Success{};
    }

    Status resume() {
        const std::string path = learned::trainingPath(m_training.path);
        MITOS_TRY(const learned::ModelFile file, learned::loadTraining(m_training.path));
        MITOS_TRY(learned::StoredProgress stored, learned::progressIn(file, ValueTrainingKind, path));
        MITOS_REQUIRE(learned::requireSameTraining(path, stored.fields, m_subject));
        m_progress = std::move(stored.progress);
        readField(stored.fields, "loss_sum", m_sums.loss);
        m_sums.epochs = learned::sizeIn(stored.fields, "loss_epochs");
        const std::size_t validating = m_training.programs.size() - m_training.trainingCount;
        if (!learned::readNumbers(stored.fields, "references", m_sums.references) ||
            m_sums.references.size() != validating || m_progress.curve.empty()) {
            return learned::damagedTraining(path);
        }
        if (m_progress.parameters.size() != m_network->parameterCount())
            return learned::otherTraining(path, "its network has another size");
        m_network->setParameters(m_progress.parameters);
        return Success{};
    }

    Status learn() {
        m_before = m_progress.seconds;
        if (m_progress.curve.empty()) {
            MITOS_REQUIRE(validate());
        }
        while (!isOver()) {
            MITOS_REQUIRE(epoch());
            if (m_progress.step % asked("validate_every") == 0) {
                MITOS_REQUIRE(validate());
            }
        }
        if (m_progress.curve.back().step != m_progress.step) {
            MITOS_REQUIRE(validate());
        }
        return Success{};
    }

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    }
    [[nodiscard]] bool isOver() const {
        const std::uint32_t patience = asked("early_stop");
        return m_training.stop.stop_requested() || (m_training.epochs != 0 && m_progress.step >= m_training.epochs) ||
               (m_training.seconds && elapsed() >= *m_training.seconds) ||
               (patience != 0 && m_progress.step >= m_progress.bestPoint()->step + patience);
    }
    [[nodiscard]] bool isReplaying() const {
        return !m_training.experiences.empty() && m_progress.step < asked("replay");
    }

    /// The programs of the next epoch: at first of the smallest ones, and without repetition if there are enough.
    [[nodiscard]] std::vector<TrainingProgram> drawn() {
        Random random(combineHash(m_training.seed, m_progress.step + std::uint64_t{1}));
        std::vector<std::size_t> pool = m_bySize;
        if (const std::uint32_t curriculum = asked("curriculum"); m_progress.step < curriculum) {
            const double part = (m_progress.step + 1.0) / curriculum;
            pool.resize(std::max<std::size_t>(1, std::llround(part * static_cast<double>(pool.size()))));
        }
        for (std::size_t i = pool.size(); i > 1; --i) std::swap(pool[i - 1], pool[random.below(i)]);
        const double share = realOf(m_training.parameters, "variants");
        const std::size_t wanted = asked("programs_per_epoch");
        std::vector<TrainingProgram> programs;
        for (std::size_t i = 0; i < (share > 0.0 ? wanted : std::min(wanted, pool.size())); ++i) {
            const TrainingProgram& one = m_training.programs[pool[i % pool.size()]];
            const TrainingProgram& other = m_training.programs[pool[random.below(pool.size())]];
            programs.push_back(random.chance(share) ? varied(one, other, random) : one);
        }
        return programs;
    }
    static TrainingProgram varied(const TrainingProgram& one, const TrainingProgram& other, Random& random) {
        const auto bank = std::make_shared<ir::TermBank>(one.bank->sharedRegistry());
        const ir::Program program = ir::Transplanter(*one.bank, *bank).program(one.program);
        ir::Program partner = program;
        partner.root = ir::Transplanter(*other.bank, *bank).term(other.program.root);
        return {bank, variantOf(*bank, program, partner, random)};
    }

    [[nodiscard]] SearchProblem problemOf(const TrainingProgram& one, std::uint64_t evaluations, std::uint64_t seed,
                                          ParameterValues parameters = {}) const {
        return {*one.bank, one.program,          m_training.rules, m_training.cost, {.evaluations = evaluations},
                seed,      std::move(parameters)};
    }

    Status epoch() {
        std::vector<Experience> searched;
        if (!isReplaying()) {
            m_model.parameters = m_progress.current();
            const std::vector<TrainingProgram> programs = drawn();
            std::vector<std::optional<Result<Experience>>> visited(programs.size());
            runEach(programs.size(), m_training.jobs, m_training.stop,
                    [&](std::size_t number, const std::stop_token& token) {
                        auto network = networkOf(m_model);
                        if (!network) {
                            visited[number] = network.error();
                            return;
                        }
                        LearningSettings settings = m_settings;
                        // The network's own searches find what the guide does not, once it knows something.
                        if (m_progress.step >= FirstOwnLabels && number % 2 == 1) settings.labelGuide.clear();
                        const std::uint64_t seed = combineHash(combineHash(m_training.seed, m_progress.step), number);
                        visited[number] = visitedStates(problemOf(programs[number], m_settings.evaluations, seed),
                                                        m_model, **network, settings, token);
                    });
            // Searches that are cut short would have other states.
            if (m_training.stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
            for (auto& one : visited) {
                MITOS_TRY(Experience experience, *std::move(one));
                searched.push_back(std::move(experience));
            }
        }
        const std::vector<Experience>& fitted = isReplaying() ? m_training.experiences : searched;
        m_network->setParameters(m_progress.parameters);
        const std::uint64_t seed = combineHash(m_training.seed ^ FitSeed, m_progress.step);
        learned::Adam optimizer = m_progress.optimizer;
        MITOS_TRY(const double loss, fit(m_model, *m_network, optimizer, fitted, m_settings, seed, m_training.stop));
        m_progress.optimizer = std::move(optimizer);
        m_network->getParameters(m_progress.parameters);
        m_sums.loss += loss;
        ++m_sums.epochs;
        ++m_progress.step;
        return Success{};
    }

    /// The cost that A* finds on each program for validation: with the network, or as it is without learning.
    Result<std::vector<double>> costs(bool isLearned) {
        m_model.parameters = m_progress.current();
        const auto evaluations = static_cast<std::uint64_t>(asked("validation_evaluations"));
        const ParameterValue depth = std::int64_t{m_settings.depth};
        const auto network = [this](const SearchProblem& problem) -> Result<std::unique_ptr<ValueFunction>> {
            MITOS_TRY(auto own, networkOf(m_model));
            MITOS_TRY(std::unique_ptr<LearnedValue> value, LearnedValue::make(m_model, std::move(own), problem));
            return std::unique_ptr<ValueFunction>(std::move(value));
        };
        const std::unique_ptr<Strategy> search =
            isLearned ? makeAStar({{"network", "that of the network", network}}) : makeAStar();
        ParameterValues parameters{{"depth", depth}};
        if (isLearned) parameters.emplace("value", std::string("network"));
        const std::size_t first = m_training.trainingCount;
        std::vector<std::optional<Result<SearchResult>>> found(m_training.programs.size() - first);
        runEach(found.size(), m_training.jobs, m_training.stop, [&](std::size_t number, const std::stop_token& token) {
            UnseenObserver observer;
            found[number] =
                search->run(problemOf(m_training.programs[first + number], evaluations, m_training.seed, parameters),
                            token, observer);
        });
        if (m_training.stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
        std::vector<double> costs;
        for (auto& one : found) {
            MITOS_TRY(const SearchResult result, *std::move(one));
            costs.push_back(result.bestCost);
        }
        return costs;
    }

    Status validate() {
        if (m_sums.references.empty()) {
            MITOS_TRY(m_sums.references, costs(false));
        }
        MITOS_TRY(const std::vector<double> own, costs(true));
        CurvePoint point{.step = m_progress.step};
        for (std::size_t i = 0; i < own.size(); ++i) {
            const double reference = m_sums.references[i];
            const double improvement = reference > 0.0 ? 1.0 - own[i] / reference : 0.0;
            point.improvement += improvement / static_cast<double>(own.size());
            point.better += improvement > LeastChange ? 1 : 0;
            point.worse += improvement < -LeastChange ? 1 : 0;
        }
        point.reward = m_sums.epochs > 0 ? -m_sums.loss / m_sums.epochs : 0.0;
        m_sums.loss = 0.0;
        m_sums.epochs = 0;
        m_progress.seconds = m_before + elapsed();
        point.seconds = m_progress.seconds;
        m_progress.add(point);
        MITOS_REQUIRE(save());
        if (m_training.observer) m_training.observer(m_progress);
        return Success{};
    }

    Status save() {
        json fields{{"subject", m_subject},
                    {"references", m_sums.references},
                    {"loss_sum", m_sums.loss},
                    {"loss_epochs", m_sums.epochs}};
        MITOS_REQUIRE(learned::saveModel(learned::trainingPath(m_training.path),
                                         learned::toFile(m_progress, ValueTrainingKind, std::move(fields))));
        m_model.curve = m_progress.curve;
        m_model.parameters = m_progress.best;
        return learned::saveModel(m_training.path, toFile(m_model));
    }

    class UnseenObserver final : public Observer {
    public:
        void onEvent(const SearchEvent& /*event*/) override {}
    };

    static constexpr double LeastChange = 1e-9;  ///< less is rounding
    static constexpr std::uint64_t FitSeed = 0x666974ULL;
    static constexpr std::uint32_t FirstOwnLabels = 3;

    const ValueTraining& m_training;
    ValueModel m_model;
    std::unique_ptr<learned::ValueNetwork> m_network;
    LearningSettings m_settings;
    json m_subject;
    std::vector<std::size_t> m_bySize;  ///< numbers of programs to train on, the smallest first
    TrainingProgress m_progress;
    TrainingSums m_sums;
    double m_before = 0.0;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

Status checkTraining(const ValueTraining& training) {
    if (training.trainingCount == 0 || training.trainingCount >= training.programs.size()) {
        return inputError(fmt::format("{} programs to train on and {} to validate with", training.trainingCount,
                                      training.programs.size() - training.trainingCount),
                          "at least one of each is needed");
    }
    if (training.rules.empty())
        return inputError("there are no rules to search with", "choose rules for the programs with --rules");
    const auto dialectOf = [](const TrainingProgram& one) -> const ir::Dialect& {
        return one.bank->dialect(one.program.function);
    };
    const ir::Dialect& dialect = dialectOf(training.programs.front());
    for (const TrainingProgram& one : training.programs) {
        if (dialectOf(one).name == dialect.name) continue;
        return inputError(fmt::format("{} programs and {} programs", dialect.name, dialectOf(one).name),
                          "train a model for each dialect");
    }
    return Success{};
}

/// The kinds of all programs, rules and stored states.
std::vector<std::string> vocabularyOf(const ValueTraining& training) {
    std::set<std::string> kinds;
    for (const TrainingProgram& one : training.programs) {
        const SearchProblem problem{*one.bank, one.program, training.rules, training.cost, {}, training.seed, {}};
        std::ranges::move(kindsOf(problem), std::inserter(kinds, kinds.end()));
    }
    for (const Experience& one : training.experiences) {
        const ir::NodeVocabulary own = ir::NodeVocabulary::of(*one.bank, one.roots);
        kinds.insert(own.names().begin(), own.names().end());
    }
    return {kinds.begin(), kinds.end()};
}

}  // namespace

std::vector<ParameterInfo> valueTrainingParameters() {
    constexpr double Many = 1e9;
    std::vector<ParameterInfo> all{
        {.name = "network",
         .title = "Network",
         .help = "terms: embeddings of terms from those of their children, which needs no LibTorch; knossos: the graph "
                 "network of the Knossos paper",
         .defaultValue = std::string(toString(ValueNetworkKind::Terms)),
         .choices = {toString(ValueNetworkKind::Terms), toString(ValueNetworkKind::Knossos)}},
        {.name = "size",
         .title = "Size",
         .help = "of the network: small (32 numbers a node), or the sizes and the dropout of the paper (200)",
         .defaultValue = std::string("small"),
         .choices = {"small", "paper"}},
        sizeParameter("hidden", "Hidden units", "numbers of a node", learned::LargestHidden),
        sizeParameter("rounds", "Rounds of messages", "of network=knossos; 0: without recurrence", learned::MostRounds),
        sizeParameter("readout", "Read-out", "numbers of each hidden layer behind the nodes", learned::LargestHidden),
        sizeParameter("layers", "Layers", "of these", 16),
        {.name = "dropout",
         .title = "Dropout",
         .help = "probability with which numbers of these layers are left out in training; -1: as the size says",
         .defaultValue = -1.0,
         .minimum = -1.0,
         .maximum = 0.9},
        {.name = "hints",
         .title = "Hints",
         .help =
             "all: the network also gets what the value functions sharing and algebra say; usual: if it can use them",
         .defaultValue = std::string("usual"),
         .choices = {"usual", "all", "none"}},
        {.name = "scale",
         .title = "Scale of costs",
         .help = "unit: in parts of `unit`; logarithm: for programs whose costs differ by orders of magnitude",
         .defaultValue = std::string(toString(CostScale::Unit)),
         .choices = {toString(CostScale::Unit), toString(CostScale::Logarithm)}},
        {.name = "unit",
         .title = "Unit of costs",
         .help = "the cost that is 1 for the network",
         .defaultValue = 1.0,
         .minimum = 1e-9,
         .maximum = 1e15},
        {.name = "programs_per_epoch",
         .title = "Programs of an epoch",
         .help = "drawn at random and searched",
         .defaultValue = std::int64_t{6},
         .minimum = 1,
         .maximum = 10'000},
        {.name = "variants",
         .title = "Variants",
         .help = "the share of these programs in which parts are exchanged with those of others; 0: none",
         .defaultValue = 0.9,
         .minimum = 0.0,
         .maximum = 1.0},
        {.name = "curriculum",
         .title = "Curriculum",
         .help = "epochs until all programs are drawn, at first only the smallest; 0: all from the start",
         .defaultValue = std::int64_t{0},
         .minimum = 0,
         .maximum = Many},
        {.name = "early_stop",
         .title = "Early stop",
         .help = "epochs without improvement after which the training ends; 0: it does not",
         .defaultValue = std::int64_t{0},
         .minimum = 0,
         .maximum = Many},
        {.name = "replay",
         .title = "Epochs of replay",
         .help = "with sessions: the first epochs, which fit the threads that are stored there",
         .defaultValue = std::int64_t{10},
         .minimum = 0,
         .maximum = Many},
        {.name = "validation_evaluations",
         .title = "Evaluations to validate",
         .help = "of each search on a program for validation",
         .defaultValue = std::int64_t{300},
         .minimum = 1,
         .maximum = Many},
        {.name = "validate_every",
         .title = "Validate every",
         .help = "epochs between two points of the curve",
         .defaultValue = std::int64_t{1},
         .minimum = 1,
         .maximum = Many}};
    std::ranges::move(learningParameters(), std::back_inserter(all));
    return all;
}

Result<ValueModel> trainValue(const ValueTraining& given) {
    MITOS_REQUIRE(checkTraining(given));
    ValueTraining training = given;
    const ParameterValues& values = training.parameters;
    const TrainingProgram& first = training.programs.front();
    const ir::Dialect& dialect = first.bank->dialect(first.program.function);
    ValueModel model{.vocabulary = vocabularyOf(training),
                     .dialect = std::string(dialect.name),
                     .rules = training.ruleSets,
                     .cost = training.cost->info().name,
                     .scale = *costScaleFrom(wordOf(values, "scale")),
                     .unit = realOf(values, "unit"),
                     .hints = hintsOf(values, dialect),
                     .seed = training.seed,
                     .evaluations = static_cast<std::uint64_t>(wholeOf(values, "search_evaluations")),
                     .programs = training.names,
                     .command = training.command};
    for (const auto& rule : training.rules) model.ruleNames.push_back(rule->name());
    model.shape = shapeOf(values, static_cast<std::uint32_t>(model.vocabulary.size()));
    model.shape.hints = static_cast<std::uint32_t>(model.hints.size()) * model.shape.times;
    MITOS_TRY(auto network, learned::makeValueNetwork(model.shape));
    if (!model.hints.empty()) {
        for (Experience& one : training.experiences) {
            const SearchProblem problem{*one.bank, one.program, training.rules, training.cost, {}, training.seed, {}};
            MITOS_TRY(ValueHints hints, ValueHints::make(model, problem));
            addHints(one, hints);
        }
    }
    return ValueTrainer(training, std::move(model), std::move(network)).run();
}

}  // namespace mitos::search
