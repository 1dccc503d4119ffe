// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles the input and the output program with the same flags, compares with the evaluator, and times both.
#include "core/codegen/cpp.h"
#include "core/codegen/internal/driver.h"
#include "core/eval/samples.h"
#include "core/timing/compiled_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace mitos::codegen {

namespace {

using ir::TypeId;

constexpr double Tolerance = 1e-8;       // on eval::deviation
constexpr double RunSeconds = 60.0;      // for the check of all samples
constexpr double GoodRunSeconds = 1e-3;  // a timed call takes at least this long, if a size up to 1000 suffices
constexpr std::int64_t UsualSize = 8;
constexpr double ProbeSeconds = 0.01;
constexpr int TimedBlocks = 3;  // processes, as places in memory differ between them
constexpr std::array<std::int64_t, 10> TimingSizes{2, 4, 8, 16, 32, 64, 128, 256, 512, 1000};

bool hasSize(const ir::TypeTable& types, TypeId type) {
    if (types.isTensor(type) || type == types.integer()) return true;
    const auto parts = types.children(type);
    return std::ranges::any_of(parts, [&](TypeId part) { return hasSize(types, part); });
}

/// The value with every Integer in it changed by `by`.
eval::Value shifted(const eval::Value& value, std::int64_t by) {
    if (value.isInteger()) return eval::Value(value.asInteger() + by);
    if (value.isTuple()) {
        eval::TupleValue tuple = value.asTuple();
        for (eval::Value& part : tuple.elements) part = shifted(part, by);
        return eval::Value(std::move(tuple));
    }
    if (!value.isTensor()) return value;
    eval::TensorValue tensor = value.asTensor();
    for (eval::Value& part : tensor.elements) part = shifted(part, by);
    return eval::Value(std::move(tensor));
}

class Checker {
public:
    Checker(const ir::TermBank& bank, const ir::Program& input, const ir::Program& output, const CheckOptions& options)
        : m_bank(bank),
          m_input(input),
          m_output(output),
          m_options(options) {}

    Result<CheckReport> run() {
        // Missing inputs are detected before a compiler runs.
        Random random(m_options.seed);
        MITOS_REQUIRE(eval::randomInputs(m_bank, m_bank.function(m_input.function), random));
        MITOS_TRY(const timing::CompiledPrograms programs,
                  timing::CompiledPrograms::make(
                      {.compiler = m_options.compiler, .seconds = m_options.compileSeconds, .stop = m_options.stop}));
        m_report.compilerVersion = programs.compilerVersion();
        m_report.flags = timing::flagsText();
        MITOS_REQUIRE(compile(programs));
        if (m_report.compiled) MITOS_REQUIRE(compareAll(programs));
        if (m_report.passed) MITOS_REQUIRE(measure(programs));
        return std::move(m_report);
    }

private:
    Status compile(const timing::CompiledPrograms& programs) {
        MITOS_TRY(const EmittedProgram input, emitProgram(m_bank, m_input, {}));
        MITOS_TRY(const EmittedProgram output, emitProgram(m_bank, m_output, {}));
        MITOS_REQUIRE(programs.write("check.cpp", driverSource(m_bank, m_input, input, output)));
        MITOS_TRY(const timing::Compilation compiled, programs.compile({"check.cpp", "-o", "check"}));
        m_report.compiled = compiled.isAccepted;
        if (!m_report.compiled)
            m_report.message = fmt::format("the compiler refused the program:\n{}", compiled.messages);
        return Success{};
    }

    /// Compares the output program's results with the evaluator on the input program.
    Status compareAll(const timing::CompiledPrograms& programs) {
        if (!eval::isRepeatable(m_bank, m_input) || !eval::isRepeatable(m_bank, m_output)) {
            m_report.message = eval::NotRepeatable;
            return Success{};
        }
        eval::Limits limits;
        limits.steps = 20'000'000;
        limits.stop = m_options.stop;
        Result<eval::Samples> drawn = eval::drawSamples(m_bank, m_input, m_options.samples, m_options.seed, limits);
        if (!drawn) return drawn.error();
        eval::keepAssumed(m_bank, m_input.function, m_options.assumptions, limits, drawn->samples);
        if (drawn->samples.empty()) {
            m_report.message = "no input was found on which the input program has a finite value";
            if (!drawn->lastError.empty()) m_report.message += ": " + drawn->lastError;
            return Success{};
        }
        std::string bytes = packCount(std::ssize(drawn->samples));
        for (const eval::Sample& sample : drawn->samples) bytes += packInputs(sample.inputs);
        MITOS_REQUIRE(programs.write("samples", bytes));
        const Result<ChildOutput> run = programs.run("check", {"check", "samples"}, RunSeconds);
        if (!run && run.error().code != ErrorCode::Limit) return run.error();
        std::string_view results = run ? std::string_view(run->output) : std::string_view();
        const ir::Function& function = m_bank.function(m_input.function);
        for (const eval::Sample& sample : drawn->samples) {
            const std::string where = eval::describeInputs(m_bank, function, sample.inputs);
            const std::optional<eval::Value> finished = unpackValue(m_bank.types(), m_bank.types().boolean(), results);
            if (!finished) {
                m_report.message =
                    !run ? run.error().message
                         : fmt::format("{}: the compiled program ended with status {} before it gave a value", where,
                                       run->exitStatus);
                return Success{};
            }
            std::optional<eval::Value> value;
            if (finished->asBool()) value = unpackValue(m_bank.types(), m_bank.type(m_output.root), results);
            ++m_report.samples;
            const double apart = value ? eval::deviation(sample.expected, *value) : HUGE_VAL;
            m_report.maxError = std::max(m_report.maxError, apart);
            if (apart <= Tolerance) continue;
            m_report.message = fmt::format("{}: the evaluator gives {}, the compiled program {}", where,
                                           eval::toString(sample.expected), value ? eval::toString(*value) : "fails");
            return Success{};
        }
        m_report.passed = true;
        return Success{};
    }

    Status measure(const timing::CompiledPrograms& programs) {
        const ir::Function& function = m_bank.function(m_input.function);
        const bool sized =
            std::ranges::any_of(function.parameters,
                                [&](const ir::Parameter& p) { return hasSize(m_bank.types(), p.type); }) ||
            std::ranges::any_of(function.sizes, [](const ir::SizeName& size) { return !size.parameter; });
        chooseIntegers();
        std::int64_t size = m_options.timingSize > 0 ? m_options.timingSize : UsualSize;
        if (sized && m_options.timingSize == 0) {
            for (const std::int64_t candidate : TimingSizes) {
                MITOS_REQUIRE(time(programs, candidate, ProbeSeconds, 1));
                if (!m_report.isTimed()) break;  // too large, or undefined for this size: keep the last one
                size = candidate;
                if (std::max(m_report.input.seconds.median, m_report.output.seconds.median) >= GoodRunSeconds) break;
            }
        }
        MITOS_REQUIRE(time(programs, size, 2.0 * m_options.secondsPerProgram, TimedBlocks));
        m_report.timingSize = sized ? size : 0;
        if (!m_report.isTimed())
            m_report.message = fmt::format("the programs could not be timed with inputs of size {}", size);
        return Success{};
    }

    Result<eval::Inputs> timingInputs(std::int64_t size) const {
        Random random(m_options.seed);
        Result<eval::Inputs> inputs = eval::sizedInputs(m_bank, m_bank.function(m_input.function), random, size);
        if (!inputs || m_integerShift == 0) return inputs;
        for (eval::Value& argument : inputs->arguments) argument = shifted(argument, m_integerShift);
        return inputs;
    }

    /// Integers among the arguments may be sizes or indices: they are one less than the size if the program fails otherwise.
    void chooseIntegers() {
        eval::Limits limits;
        limits.steps = 5'000'000;
        limits.stop = m_options.stop;
        const Result<eval::Inputs> inputs = timingInputs(UsualSize);
        if (!inputs) return;
        const Result<eval::Evaluation> result = eval::evaluate(m_bank, m_input, *inputs, limits);
        if (!result && result.error().code == ErrorCode::Evaluation) m_integerShift = -1;
    }

    /// Measures the times in so many processes; there are none if the programs cannot be run on inputs of that size.
    Status time(const timing::CompiledPrograms& programs, std::int64_t size, double seconds, int blocks) {
        m_report.input = m_report.output = {};
        const Result<eval::Inputs> inputs = timingInputs(size);
        if (!inputs) return inputs.error().code == ErrorCode::Limit ? Status(Success{}) : Status(inputs.error());
        MITOS_REQUIRE(programs.write("timing", packCount(1) + packInputs(*inputs)));
        const double budget = seconds / blocks;
        timing::Blocks input;
        timing::Blocks output;
        std::vector<timing::PairedTimes> pairs;
        std::array<std::uint32_t, 2> calls{1, 1};
        for (int block = 0; block < blocks; ++block) {
            const Result<std::string> run =
                programs.measure("check", {"time", "timing", fmt::format("{}", budget)}, std::max(20.0, 10.0 * budget));
            if (!run && !timing::isOfProgram(run.error())) return run.error();
            const std::vector<timing::Batches> both = timing::allBatchesIn(run ? *run : std::string());
            if (both.size() != 2) return Success{};
            for (std::size_t i = 0; i < both.size(); ++i) calls[i] = std::max(calls[i], both[i].calls);
            input.push_back(both[0].seconds);
            output.push_back(both[1].seconds);
            pairs.push_back({both[0].seconds, both[1].seconds});
        }
        m_report.input = timing::summaryOf(input, calls[0]);
        m_report.output = timing::summaryOf(output, calls[1]);
        m_report.ratio = timing::timeRatio(pairs);
        return Success{};
    }

    const ir::TermBank& m_bank;
    const ir::Program& m_input;
    const ir::Program& m_output;
    const CheckOptions& m_options;
    std::int64_t m_integerShift = 0;
    CheckReport m_report;
};

}  // namespace

Result<CheckReport> checkCpp(const ir::TermBank& bank, const ir::Program& input, const ir::Program& output,
                             const CheckOptions& options) {
    const ir::Function& first = bank.function(input.function);
    const ir::Function& second = bank.function(output.function);
    if (first.argument != second.argument || bank.type(input.root) != bank.type(output.root)) {
        return Error{ErrorCode::InvalidInput, "the input and the output program have different signatures"};
    }
    return Checker(bank, input, output, options).run();
}

}  // namespace mitos::codegen
