// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/ablation.h"

#include "core/base/random.h"
#include "core/eval/evaluator.h"
#include "core/eval/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace mitos::search::experiments {

namespace {

using codegen::TimedProgram;
using eval::Inputs;
using eval::Value;

constexpr int Samples = 20;  // of which the largest is taken
constexpr std::uint64_t MostSteps = 50'000'000;
constexpr std::array<const char*, 4> VariantNames{"the function", "reverse mode", "segments without closed forms",
                                                  "closed forms"};

std::size_t floatsIn(const Value& value) {
    if (value.isFloat()) return 1;
    if (!value.isTuple() && !value.isTensor()) return 0;
    std::size_t count = 0;
    for (const Value& part : value.isTuple() ? value.asTuple().elements : value.asTensor().elements)
        count += floatsIn(part);
    return count;
}

std::size_t floatsIn(const Inputs& inputs) {
    std::size_t count = 0;
    for (const Value& argument : inputs.arguments) count += floatsIn(argument);
    return count;
}

/// A tangent of the value with all its Floats 1.
Value unitTangent(const Value& value) {
    if (value.isFloat()) return Value(1.0);
    if (value.isTuple()) {
        eval::TupleValue tuple;
        for (const Value& part : value.asTuple().elements) tuple.elements.push_back(unitTangent(part));
        return Value(std::move(tuple));
    }
    if (!value.isTensor()) return Value();
    eval::TensorValue tensor{value.asTensor().dims, {}};
    for (const Value& part : value.asTensor().elements) tensor.elements.push_back(unitTangent(part));
    return Value(std::move(tensor));
}

/// The parameters of a gradient: those that are wanted, or all that have one; none for `[rev f]`.
std::vector<std::size_t> parametersOf(ir::TermBank& bank, ir::FunctionId id, const AblationPlan& plan) {
    const ir::Function function = bank.function(id);
    if (bank.types().erased(function.declaredResult) != bank.types().floating()) return {};
    if (!plan.wrt.empty()) return plan.wrt;
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const ir::TypeId type = bank.types().erased(function.parameters[i].type);
        if (bank.types().tangent(type) != bank.types().unit()) all.push_back(i);
    }
    return all;
}

class Ablation {
public:
    explicit Ablation(const AblationPlan& plan) : m_plan(plan) {
        m_limits.steps = MostSteps;
        m_limits.stop = plan.timing.compiling.stop;
    }

    Result<AblationReport> run() {
        say("choosing inputs");
        MITOS_TRY(const OwnProgram primal, m_plan.make());
        MITOS_TRY(const Inputs inputs, inputsFor(*primal.bank, primal.program));
        m_report.numbers = floatsIn(inputs);
        m_wrt = parametersOf(*primal.bank, primal.program.function, m_plan);
        Inputs derivativeInputs = inputs;
        if (m_wrt.empty()) {
            MITOS_TRY(derivativeInputs, withTangent(*primal.bank, primal.program, inputs));
        }
        add(AblationTime::Variant::Primal, primal.bank, primal.program, inputs);
        for (const AblationTime::Variant variant :
             {AblationTime::Variant::Reverse, AblationTime::Variant::Segments, AblationTime::Variant::Coarsened}) {
            if (m_limits.stop.stop_requested()) return Error{ErrorCode::Cancelled, "the measurement was stopped"};
            say(fmt::format("making {}", nameOf(variant)));
            const Result<OwnProgram> made = derivative(variant);
            if (!made && (variant == AblationTime::Variant::Reverse || made.error().code == ErrorCode::Cancelled))
                return made.error();
            if (made) {
                add(variant, made->bank, made->program, derivativeInputs);
            } else {
                m_report.times.push_back({variant, {.problem = made.error().message}});
            }
        }
        MITOS_REQUIRE(measure());
        return std::move(m_report);
    }

private:
    static const char* nameOf(AblationTime::Variant variant) { return VariantNames[static_cast<std::size_t>(variant)]; }

    void say(const std::string& doing) const {
        if (m_plan.timing.onStep) m_plan.timing.onStep(0.0, doing);
    }

    void add(AblationTime::Variant variant, std::shared_ptr<ir::TermBank> bank, const ir::Program& program,
             Inputs inputs) {
        m_programs.push_back({nameOf(variant), bank.get(), program, std::move(inputs)});
        m_banks.push_back(std::move(bank));
        m_places.push_back(m_report.times.size());
        m_report.times.push_back({variant, {}});
    }

    [[nodiscard]] Result<Inputs> inputsFor(const ir::TermBank& bank, const ir::Program& program) const {
        if (m_plan.size > 0) {
            Random random(m_plan.seed);
            return eval::sizedInputs(bank, bank.function(program.function), random, m_plan.size);
        }
        MITOS_TRY(const eval::Samples drawn, eval::drawSamples(bank, program, Samples, m_plan.seed, m_limits));
        if (drawn.samples.empty()) {
            return Error{ErrorCode::Evaluation, "no input was found on which the function has a finite value"};
        }
        const auto size = [](const eval::Sample& sample) { return floatsIn(sample.inputs); };
        return std::ranges::max_element(drawn.samples, {}, size)->inputs;
    }

    /// The inputs of `[rev f]`: a point and a tangent of the result there.
    [[nodiscard]] Result<Inputs> withTangent(const ir::TermBank& bank, const ir::Program& program,
                                             const Inputs& inputs) const {
        const Result<eval::Evaluation> result = eval::evaluate(bank, program, inputs, m_limits);
        if (!result && result.error().code == ErrorCode::Limit) {
            return Error{ErrorCode::Limit,
                         "the inputs are too large for the evaluator, which gives the shape of the result",
                         {},
                         "choose a smaller size"};
        }
        if (!result) return result.error();
        Inputs both{{}, inputs.extraSizes};
        if (inputs.arguments.size() == 1) {
            both.arguments.push_back(inputs.arguments[0]);
        } else {
            both.arguments.emplace_back(eval::TupleValue{inputs.arguments});
        }
        both.arguments.push_back(unitTangent(result->value));
        return both;
    }

    [[nodiscard]] Result<OwnProgram> derivative(AblationTime::Variant variant) const {
        if (variant == AblationTime::Variant::Reverse) return reverseDerivative(m_plan.make, m_wrt);
        coarsening::CoarsenOptions options;
        options.sizeLimit = m_plan.sizeLimit;
        options.wrt = m_wrt;
        options.closesLoops = variant == AblationTime::Variant::Coarsened;
        options.stop = m_limits.stop;
        MITOS_TRY(CoarsenedProgram coarsened, coarsenedDerivative(m_plan.make, options));
        return std::move(coarsened.derivative);
    }

    Status measure() {
        Result<codegen::TimingReport> timed = codegen::timeCpp(m_programs, m_plan.timing);
        if (timed) {
            m_report.isCompiled = true;
            m_report.compiler = timed->compilerVersion + " " + timed->flags;
            for (std::size_t i = 0; i < m_places.size(); ++i) m_report.times[m_places[i]].time = timed->times[i];
            return Success{};
        }
        if (timed.error().code != ErrorCode::Io) return std::move(timed).error();
        return evaluateAll();
    }

    /// Without a compiler: the evaluator's times.
    Status evaluateAll() {
        std::vector<std::vector<double>> seconds(m_programs.size());
        for (int round = 0; round < m_plan.timing.rounds; ++round) {
            if (m_plan.timing.onStep) {
                m_plan.timing.onStep(static_cast<double>(round) / m_plan.timing.rounds,
                                     fmt::format("evaluating, round {} of {}", round + 1, m_plan.timing.rounds));
            }
            for (std::size_t i = 0; i < m_programs.size(); ++i) {
                const TimedProgram& timed = m_programs[i];
                std::string& problem = m_report.times[m_places[i]].time.problem;
                if (!problem.empty()) continue;
                const auto start = std::chrono::steady_clock::now();
                const Result<eval::Evaluation> result =
                    eval::evaluate(*timed.bank, timed.program, timed.inputs, m_limits);
                const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
                if (!result && result.error().code == ErrorCode::Cancelled) return result.error();
                if (result) {
                    seconds[i].push_back(passed.count());
                } else {
                    problem = result.error().message;
                }
            }
        }
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            codegen::ProgramTime& time = m_report.times[m_places[i]].time;
            if (time.problem.empty()) time.call = timing::summaryOf({seconds[i]});
        }
        return Success{};
    }

    const AblationPlan& m_plan;
    eval::Limits m_limits;
    std::vector<std::size_t> m_wrt;
    std::vector<TimedProgram> m_programs;
    std::vector<std::shared_ptr<ir::TermBank>> m_banks;  // of the programs
    std::vector<std::size_t> m_places;                   // of the programs among the times
    AblationReport m_report;
};

}  // namespace

Result<AblationReport> measureAblation(const AblationPlan& plan) { return Ablation(plan).run(); }

}  // namespace mitos::search::experiments
