// SPDX-License-Identifier: GPL-3.0-or-later
// How programs are compiled together and run on inputs.
#include "tests/codegen/batch.h"

#include "core/base/child_process.h"
#include "core/base/source_text.h"
#include "core/loops/interpreter.h"
#include "core/loops/lowering.h"
#include "core/loops/static_vectors.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

namespace mitos::tests {

namespace {

constexpr double Seconds = 280.0;
constexpr double Tolerance = 1e-12;
constexpr std::uint64_t StepsPerStep = 100;  // of the form, for one of the evaluator

void addWords(std::string& out, const eval::Value& value) {
    if (value.isFloat()) {
        out += std::isnan(value.asFloat()) ? "nan " : fmt::format("{:.17g} ", value.asFloat());
    } else if (value.isInteger()) {
        out += fmt::format("{} ", value.asInteger());
    } else if (value.isBool()) {
        out += value.asBool() ? "1 " : "0 ";
    } else if (value.isString()) {
        out += value.asString() + " ";
    } else if (value.isTuple()) {
        for (const eval::Value& part : value.asTuple().elements) addWords(out, part);
    } else {
        for (const std::int64_t d : value.asTensor().dims) out += fmt::format("[{}] ", d);
        for (const eval::Value& part : value.asTensor().elements) addWords(out, part);
    }
}

constexpr const char* ReadingAndWriting = R"(
template <typename T> struct IsTuple : std::false_type {};
template <typename... T> struct IsTuple<std::tuple<T...>> : std::true_type {};
template <typename T> struct IsVector : std::false_type {};
template <typename T> struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
void write(const T& x) {
    if constexpr (std::is_same_v<T, double>) {
        if (x != x) std::printf("nan ");
        else std::printf("%.17g ", x);
    } else if constexpr (std::is_arithmetic_v<T>) {
        std::printf("%lld ", static_cast<long long>(x));
    } else if constexpr (std::is_same_v<T, std::string>) {
        std::printf("%s ", x.c_str());
    } else if constexpr (IsTuple<T>::value) {
        std::apply([](const auto&... parts) { (write(parts), ...); }, x);
    } else if constexpr (IsVector<T>::value) {
        std::printf("[%zu] ", x.size());
        for (std::size_t i = 0; i < x.size(); ++i) write<typename T::value_type>(x[i]);
    } else {
        for (const auto d : x.dims) std::printf("[%lld] ", static_cast<long long>(d));
        for (std::size_t i = 0; i < x.data.size(); ++i) write<typename std::decay_t<decltype(x.data)>::value_type>(x.data[i]);
    }
}
inline std::string word() {
    std::string text;
    std::cin >> text;
    return text;
}
inline long long size() { return std::atoll(word().c_str() + 1); }
template <typename T>
void read(T& x) {
    if constexpr (std::is_same_v<T, double>) {
        x = std::strtod(word().c_str(), nullptr);
    } else if constexpr (std::is_arithmetic_v<T>) {
        x = static_cast<T>(std::atoll(word().c_str()));
    } else if constexpr (std::is_same_v<T, std::string>) {
        x = word();
    } else if constexpr (IsTuple<T>::value) {
        std::apply([](auto&... parts) { (read(parts), ...); }, x);
    } else if constexpr (IsVector<T>::value) {
        x.resize(static_cast<std::size_t>(size()));
        for (std::size_t i = 0; i < x.size(); ++i) {
            typename T::value_type element{};
            read(element);
            x[i] = element;
        }
    } else {
        auto dims = x.dims;
        for (auto& d : dims) d = size();
        x.resize(dims);
        for (std::size_t i = 0; i < x.data.size(); ++i) {
            typename std::decay_t<decltype(x.data)>::value_type element{};
            read(element);
            x.data[i] = element;
        }
    }
}
template <typename Result, typename... Parameters>
void run(Result (*f)(Parameters...), int runs) {
    std::stringbuf printed;  // by the program itself
    for (int i = 0; i < runs; ++i) {
        std::tuple<std::decay_t<Parameters>...> arguments;
        read(arguments);
        std::streambuf* const usual = std::cout.rdbuf(&printed);
        try {
            write(std::apply(f, arguments));
        } catch (const std::exception& e) {
            std::printf("error: %s", e.what());
        }
        std::cout.rdbuf(usual);
        std::printf("\n");
        std::fflush(stdout);
    }
}
)";

bool agrees(const std::string& line, const Run& run) {
    if (line == run.expected || (!run.orElse.empty() && line == run.orElse)) return true;
    return run.expected == "error:" && line.starts_with(run.expected);
}

}  // namespace

Case exported(const ir::TermBank& bank, const ir::Program& program, std::string name, codegen::Sums sums) {
    codegen::CppOptions options;
    options.functionName = "f";
    options.sums = sums;
    const Result<std::string> text = codegen::emitCpp(bank, program, options);
    return {std::move(name), text ? *text : "#error " + text.error().message, {}};
}

std::vector<Run> evaluated(const ir::TermBank& bank, const ir::Program& program, const eval::Inputs& inputs,
                           const eval::Limits& limits) {
    const Result<eval::Evaluation> evaluation = eval::evaluate(bank, program, inputs, limits);
    if (!evaluation && evaluation.error().code != ErrorCode::Evaluation) return {};
    const loops::OwnProgram own = loops::withStaticVectors(bank, program);
    const Result<loops::Program> form = loops::lower(*own.bank, own.program, {.isOptimized = false});
    if (!form) return {};
    const Result<loops::Interpretation> run = loops::interpret(*own.bank, *form, inputs, StepsPerStep * limits.steps);
    if (!run && run.error().code != ErrorCode::Evaluation) return {};
    Run result{{}, "error:"};
    for (const eval::Value& argument : inputs.arguments) addWords(result.input, argument);
    for (const std::int64_t size : inputs.extraSizes) result.input += fmt::format("{} ", size);
    std::string value;
    if (run) addWords(value, run->value);
    if (!evaluation) {
        result.orElse = value;
    } else if (run && eval::deviation(evaluation->value, run->value) < Tolerance) {
        result.expected = value;
    } else {
        result.expected.clear();
        addWords(result.expected, evaluation->value);
    }
    return {result};
}

std::string batchSource(const std::vector<Case>& cases) {
    std::set<std::string> includes{"#include <cstdio>",   "#include <cstdlib>",     "#include <exception>",
                                   "#include <iostream>", "#include <sstream>",     "#include <string>",
                                   "#include <tuple>",    "#include <type_traits>", "#include <vector>"};
    std::string bodies;
    std::string main = "int main() {\n";
    for (std::size_t i = 0; i < cases.size(); ++i) {
        bodies += fmt::format("namespace p{} {{\n", i);
        std::istringstream lines(cases[i].source);
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("#include")) {
                includes.insert(line);
            } else {
                bodies += line + "\n";
            }
        }
        bodies += "}\n";
        main += fmt::format("    run(p{}::f, {});\n", i, cases[i].runs.size());
    }
    std::string text;
    for (const std::string& include : includes) text += include + "\n";
    return text + ReadingAndWriting + bodies + main + "}\n";
}

std::vector<std::string> sanitized() {
    return {"-O0",    "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-builtin", "-Wall", "-Wextra",
            "-Werror"};
}

std::string difference(const std::vector<Case>& cases, const std::vector<std::string>& flags) {
    const Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder) return folder.error().message;
    const std::string source = batchSource(cases);
    if (const char* const kept = std::getenv("MITOS_KEEP_CPP"); kept != nullptr)
        static_cast<void>(writeFile(kept, source));
    if (const Status written = writeFile(folder->path() + "/batch.cpp", source); !written)
        return written.error().message;
    ChildOptions options;
    options.folder = folder->path();
    options.seconds = Seconds;
    std::vector<std::string> command{"c++", "-std=c++17", "batch.cpp", "-o", "batch"};
    command.insert(command.end(), flags.begin(), flags.end());
    const Result<ChildOutput> compiled = runChild(command, options);
    if (!compiled) return compiled.error().message;
    if (compiled->exitStatus != 0) return compiled->errors.substr(0, 3000);
    for (const Case& c : cases) {
        for (const Run& run : c.runs) options.input += run.input + "\n";
    }
    const Result<ChildOutput> ran = runChild({folder->path() + "/batch"}, options);
    if (!ran) return ran.error().message;
    std::istringstream lines(ran->output);
    for (const Case& c : cases) {
        for (const Run& run : c.runs) {
            std::string line;
            std::getline(lines, line);
            if (agrees(line, run)) continue;
            return fmt::format("input:     {}\nevaluator: {}\ncompiled:  {}\n{}\n{}", run.input, run.expected, line,
                               ran->errors.substr(0, 1000), c.name);
        }
    }
    return ran->exitStatus == 0 ? std::string() : ran->errors.substr(0, 3000);
}

}  // namespace mitos::tests
