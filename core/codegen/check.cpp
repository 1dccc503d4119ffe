// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles the input and the output program with the same flags, compares with the evaluator, and times both.
#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/codegen/cpp.h"
#include "core/codegen/internal/driver.h"
#include "core/eval/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace mitos::codegen {

namespace {

using ir::TypeId;

constexpr double Tolerance = 1e-8;       // on eval::deviation
constexpr double RunSeconds = 60.0;      // for the check of all samples
constexpr double GoodRunSeconds = 1e-3;  // a timed call takes at least this long, if a size up to 1000 suffices
constexpr std::int64_t UsualSize = 8;
constexpr double ProbeSeconds = 0.01;
constexpr std::array<std::int64_t, 10> TimingSizes{2, 4, 8, 16, 32, 64, 128, 256, 512, 1000};
constexpr std::size_t MaxMessage = 4000;  // bytes of a compiler's error message

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
    Checker(const ir::TermBank& bank, const ir::Program& input, const ir::Program& output, const CheckOptions& options,
            std::string folder)
        : m_bank(bank),
          m_input(input),
          m_output(output),
          m_options(options),
          m_folder(std::move(folder)) {}

    Result<CheckReport> run() {
        for (const char* const flag : CompilerFlags)
            m_report.flags += std::string(m_report.flags.empty() ? "" : " ") + flag;
        // Missing inputs are detected before a compiler runs.
        Random random(m_options.seed);
        MITOS_TRY(const eval::Inputs inputs, eval::randomInputs(m_bank, m_bank.function(m_input.function), random));
        if (std::optional<Error> error = compile()) return *error;
        if (!m_report.compiled) return m_report;
        if (std::optional<Error> error = compareAll()) return *error;
        if (!m_report.passed) return m_report;
        if (std::optional<Error> error = measure()) return *error;
        return m_report;
    }

private:
    [[nodiscard]] ChildOptions childOptions(double seconds) const {
        ChildOptions options;
        options.seconds = seconds;
        options.folder = m_folder;
        options.stop = m_options.stop;
        return options;
    }

    std::optional<Error> compile() {
        MITOS_TRY(EmittedProgram input, emitProgram(m_bank, m_input, {}));
        MITOS_TRY(EmittedProgram output, emitProgram(m_bank, m_output, {}));
        const Result<ChildOutput> version = runChild({m_options.compiler, "--version"}, childOptions(20.0));
        if (!version) {
            Error error = version.error();
            if (error.code == ErrorCode::Io)
                error.hint = "install a C++ compiler (Debian: g++), or export without the check";
            return error;
        }
        m_report.compilerVersion = version->output.substr(0, version->output.find('\n'));
        const Status written = writeFile(m_folder + "/check.cpp", driverSource(m_bank, m_input, input, output));
        if (!written) return written.error();
        std::vector<std::string> command{m_options.compiler};
        command.insert(command.end(), CompilerFlags.begin(), CompilerFlags.end());
        command.insert(command.end(), {"check.cpp", "-o", "check"});
        MITOS_TRY(const ChildOutput compiled, runChild(command, childOptions(m_options.compileSeconds)));
        m_report.compiled = compiled.exitStatus == 0;
        if (!m_report.compiled) {
            m_report.message =
                fmt::format("the compiler refused the program:\n{}", compiled.errors.substr(0, MaxMessage));
        }
        return std::nullopt;
    }

    /// Compares the output program's results with the evaluator on the input program.
    std::optional<Error> compareAll() {
        if (!eval::isRepeatable(m_bank, m_input) || !eval::isRepeatable(m_bank, m_output)) {
            m_report.message = eval::NotRepeatable;
            return std::nullopt;
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
            return std::nullopt;
        }
        std::string bytes = packCount(std::ssize(drawn->samples));
        for (const eval::Sample& sample : drawn->samples) bytes += packInputs(sample.inputs);
        MITOS_REQUIRE(writeFile(m_folder + "/samples", bytes));
        const Result<ChildOutput> run = runChild({m_folder + "/check", "check", "samples"}, childOptions(RunSeconds));
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
                return std::nullopt;
            }
            std::optional<eval::Value> value;
            if (finished->asBool()) value = unpackValue(m_bank.types(), m_bank.type(m_output.root), results);
            ++m_report.samples;
            const double apart = value ? eval::deviation(sample.expected, *value) : HUGE_VAL;
            m_report.maxError = std::max(m_report.maxError, apart);
            if (apart <= Tolerance) continue;
            m_report.message = fmt::format("{}: the evaluator gives {}, the compiled program {}", where,
                                           eval::toString(sample.expected), value ? eval::toString(*value) : "fails");
            return std::nullopt;
        }
        m_report.passed = true;
        return std::nullopt;
    }

    std::optional<Error> measure() {
        const ir::Function& function = m_bank.function(m_input.function);
        const bool sized =
            std::ranges::any_of(function.parameters,
                                [&](const ir::Parameter& p) { return hasSize(m_bank.types(), p.type); }) ||
            std::ranges::any_of(function.sizes, [](const ir::SizeName& size) { return !size.parameter; });
        chooseIntegers();
        std::int64_t size = m_options.timingSize > 0 ? m_options.timingSize : UsualSize;
        if (sized && m_options.timingSize == 0) {
            for (const std::int64_t candidate : TimingSizes) {
                if (std::optional<Error> error = time(candidate, ProbeSeconds)) return error;
                if (m_report.repetitions == 0) break;  // too large, or undefined for this size: keep the last one
                size = candidate;
                if (std::max(m_report.inputSeconds, m_report.outputSeconds) >= GoodRunSeconds) break;
            }
        }
        if (std::optional<Error> error = time(size, 2.0 * m_options.secondsPerProgram)) return error;
        m_report.timingSize = sized ? size : 0;
        if (m_report.repetitions == 0)
            m_report.message = fmt::format("the programs could not be timed with inputs of size {}", size);
        return std::nullopt;
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

    /// Measures the times; repetitions stay 0 if the programs cannot be run on inputs of that size.
    std::optional<Error> time(std::int64_t size, double seconds) {
        m_report.repetitions = 0;
        const Result<eval::Inputs> inputs = timingInputs(size);
        if (!inputs)
            return inputs.error().code == ErrorCode::Limit ? std::nullopt : std::optional<Error>(inputs.error());
        MITOS_REQUIRE(writeFile(m_folder + "/timing", packCount(1) + packInputs(*inputs)));
        const Result<ChildOutput> run = runChild({m_folder + "/check", "time", "timing", fmt::format("{}", seconds)},
                                                 childOptions(std::max(20.0, 10.0 * seconds)));
        if (!run) return run.error().code == ErrorCode::Limit ? std::nullopt : std::optional<Error>(run.error());
        std::istringstream numbers(run->output);
        double first = 0.0;
        double second = 0.0;
        int repetitions = 0;
        if (run->exitStatus != 0 || !(numbers >> first >> second >> repetitions)) return std::nullopt;
        m_report.inputSeconds = first;
        m_report.outputSeconds = second;
        m_report.repetitions = repetitions;
        return std::nullopt;
    }

    const ir::TermBank& m_bank;
    const ir::Program& m_input;
    const ir::Program& m_output;
    const CheckOptions& m_options;
    std::string m_folder;
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
    MITOS_TRY(TemporaryFolder folder, TemporaryFolder::make());
    return Checker(bank, input, output, options, folder.path()).run();
}

}  // namespace mitos::codegen
