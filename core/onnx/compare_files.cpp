// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/compare_files.h"

#include "core/base/child_process.h"
#include "core/base/read_file.h"
#include "core/base/source_text.h"
#include "core/base/time_limit.h"
#include "core/onnx/import.h"
#include "core/onnx/internal/opaque.h"
#include "core/onnx/internal/operations.h"
#include "core/onnx/internal/read_model.h"
#include "core/onnx/internal/runtime_worker.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/tensor/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace mitos::onnx {

namespace {

namespace fs = std::filesystem;
using ir::Dtype;
using tensor::ArrayPtr;

/// NumPy's names of element types.
constexpr std::array<std::pair<Dtype, std::string_view>, 12> NumpyNames{{{Dtype::F32, "float32"},
                                                                         {Dtype::F64, "float64"},
                                                                         {Dtype::F16, "float16"},
                                                                         {Dtype::I8, "int8"},
                                                                         {Dtype::I16, "int16"},
                                                                         {Dtype::I32, "int32"},
                                                                         {Dtype::I64, "int64"},
                                                                         {Dtype::U8, "uint8"},
                                                                         {Dtype::U16, "uint16"},
                                                                         {Dtype::U32, "uint32"},
                                                                         {Dtype::U64, "uint64"},
                                                                         {Dtype::Bool, "bool"}}};

/// Reads its instructions from the file `job` in its folder, one per line, and writes each output to a file of its own. Its
/// description of them on standard output is checked, not trusted.
constexpr std::string_view Script = R"(
import sys
import numpy
import onnxruntime
lines = open('job', encoding='utf-8').read().split('\n')
take = iter(lines).__next__
paths = [take(), take()]
samples, inputs, outputs = int(take()), int(take()), int(take())
names = [take() for _ in range(outputs)]
print('onnxruntime', onnxruntime.__version__, flush=True)
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
sessions = [onnxruntime.InferenceSession(p, options, providers=['CPUExecutionProvider']) for p in paths]
for sample in range(samples):
    feed = {}
    for _ in range(inputs):
        name, kind, shape, path = take(), take(), take(), take()
        sizes = [int(size) for size in shape.split(',') if size]
        feed[name] = numpy.fromfile(path, dtype=kind).reshape(sizes)
    for file, session in enumerate(sessions):
        results = session.run(names, feed)
        for index, result in enumerate(results):
            array = numpy.ascontiguousarray(result)
            array.tofile('out_%d_%d_%d' % (sample, file, index))
            print('output', sample, file, index, array.dtype.name, ','.join(map(str, result.shape)) or '-', flush=True)
)";

std::optional<std::string_view> numpyName(Dtype dtype) {
    const auto* const found = std::ranges::find(NumpyNames, dtype, &std::pair<Dtype, std::string_view>::first);
    return found == NumpyNames.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Dtype> dtypeOfNumpy(std::string_view name) {
    const auto* const found = std::ranges::find(NumpyNames, name, &std::pair<Dtype, std::string_view>::second);
    return found == NumpyNames.end() ? std::nullopt : std::optional(found->first);
}

FileComparison undecided(std::string by, std::string note) {
    return {.verdict = FileVerdict::Undecided, .by = std::move(by), .note = std::move(note)};
}

/// A file that was read into its own bank.
struct ReadFile {
    std::unique_ptr<ir::TermBank> bank;
    tensor::Model model;
};

Result<ReadFile> read(const std::shared_ptr<const ir::OperatorRegistry>& registry, const fs::path& path) {
    ReadFile file{.bank = std::make_unique<ir::TermBank>(registry), .model = {}};
    MITOS_TRY(file.model, importFile(*file.bank, path));
    return file;
}

/// The deviation of b from a, without the elements that have no finite value in a: what is made of them is no mistake.
Result<double> deviationFrom(const tensor::Array& a, const tensor::Array& b) {
    if (std::ranges::all_of(a.elements, [](double x) { return std::isfinite(x); }) || a.shape != b.shape)
        return tensor::maxDeviation(a, b);
    tensor::Array compared = b;
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
        if (!std::isfinite(a.elements[i])) compared.elements[i] = a.elements[i];
    }
    return tensor::maxDeviation(a, compared);
}

/// Compares the outputs of two files for one input and adds the result.
void compare(std::span<const ArrayPtr> a, std::span<const ArrayPtr> b, const std::vector<std::string>& names,
             double tolerance, FileComparison& comparison) {
    const auto hasValue = [](const ArrayPtr& array) {
        return std::ranges::any_of(array->elements, [](double x) { return std::isfinite(x); });
    };
    // A result that is NaN everywhere is equal to any other, which is no evidence.
    if (std::ranges::none_of(a, hasValue)) return;
    ++comparison.samples;
    if (comparison.verdict == FileVerdict::Undecided) comparison.verdict = FileVerdict::Same;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Result<double> apart = deviationFrom(*a[i], *b[i]);
        const double deviation = apart ? *apart : HUGE_VAL;
        comparison.deviation = std::max(comparison.deviation, deviation);
        if (deviation <= tolerance || comparison.verdict == FileVerdict::Different) continue;
        comparison.verdict = FileVerdict::Different;
        comparison.note = apart ? fmt::format("the output {} deviates by {:.3g}", names[i], deviation)
                                : fmt::format("the output {}: {}", names[i], apart.error().message);
    }
}

constexpr const char* Evaluator = "the evaluator";
constexpr const char* NoValue = "no output has a finite value on random inputs";

Result<FileComparison> evaluated(const ReadFile& original, const ReadFile& written,
                                 const FileComparisonOptions& options) {
    FileComparison comparison{.by = Evaluator, .note = {}};
    if (!original.model.opaque.empty() || !written.model.opaque.empty()) {
        return undecided(Evaluator, "the models have operators that it does not know");
    }
    const double operations = operationsOf(*original.bank, original.model.program.root) +
                              operationsOf(*written.bank, written.model.program.root);
    if (operations > options.operations) {
        return undecided(Evaluator, fmt::format("it would compute {:.3g} operations, and the limit is {:.3g}",
                                                operations, options.operations));
    }
    const TimeLimit time(options.seconds, options.stop);
    Random random(options.seed);
    const ir::Function& function = original.bank->function(original.model.program.function);
    for (int sample = 0; sample < options.samples && (sample == 0 || time.elapsed() < options.seconds / 2); ++sample) {
        const Result<tensor::Inputs> inputs = tensor::randomInputs(*original.bank, function, {}, random);
        if (!inputs) return undecided(Evaluator, inputs.error().message);
        std::vector<std::vector<ArrayPtr>> results;
        for (const ReadFile* const file : {&original, &written}) {
            Result<std::vector<ArrayPtr>> outputs = tensor::evaluate(*file->bank, file->model.program.root, *inputs,
                                                                     *file->model.weights, {.stop = time.token()});
            if (!outputs && time.isOver()) {
                if (comparison.samples > 0) return comparison;
                return undecided(Evaluator, fmt::format("it takes more than {:g} s", options.seconds));
            }
            if (!outputs && outputs.error().code == ErrorCode::Cancelled) return std::move(outputs).error();
            if (!outputs) {
                const char* const which = file == &original ? "the original" : "the written file";
                return undecided(Evaluator, fmt::format("{}: {}", which, outputs.error().message));
            }
            results.push_back(*std::move(outputs));
        }
        compare(results[0], results[1], original.model.outputs, options.tolerance, comparison);
    }
    if (comparison.samples == 0) comparison.note = NoValue;
    return comparison;
}

// --- ONNX Runtime -----------------------------------------------------------------------------------------------------

/// One run of an interpreter in a folder of its own.
class RuntimeRun {
public:
    RuntimeRun(const ReadFile& original, const FileComparisonOptions& options)
        : m_original(original),
          m_options(options) {}

    Result<FileComparison> run(const fs::path& original, const fs::path& written) {
        Result<TemporaryFolder> folder = TemporaryFolder::make();
        if (!folder) return undecided(m_by, folder.error().message);
        m_folder = folder->path();
        const Result<fs::path> binary = binaryModel(original, m_folder / "original.onnx");
        if (!binary) return undecided(m_by, binary.error().message);
        if (const Status made = writeJob(*binary, written); !made) return undecided(m_by, made.error().message);
        const Result<ChildOutput> child =
            runChild({m_options.python, "-c", std::string(Script)},
                     {.seconds = m_options.seconds, .folder = m_folder.string(), .stop = m_options.stop});
        if (!child && child.error().code == ErrorCode::Cancelled) return child.error();
        if (!child) return undecided(m_by, fmt::format("{}: {}", m_options.python, child.error().message));
        return judged(*child);
    }

private:
    Status writeJob(const fs::path& original, const fs::path& written) {
        const ir::TermBank& bank = *m_original.bank;
        const ir::Function& function = bank.function(m_original.model.program.function);
        std::string job =
            fmt::format("{}\n{}\n{}\n{}\n{}\n", fs::absolute(original).string(), fs::absolute(written).string(),
                        m_options.samples, function.parameters.size(), m_original.model.outputs.size());
        for (const std::string& name : m_original.model.outputs) job += name + '\n';
        Random random(m_options.seed);
        for (int sample = 0; sample < m_options.samples; ++sample) {
            MITOS_TRY(const tensor::Inputs inputs, tensor::randomInputs(bank, function, {}, random));
            std::size_t number = 0;
            for (const ir::Parameter& parameter : function.parameters) {
                const std::string name(bank.text(parameter.name));
                const tensor::Array& array = *inputs.find(name)->second;
                const std::optional<std::string_view> dtype = numpyName(array.dtype);
                if (!dtype) {
                    return onnxError(ErrorCode::Unsupported,
                                     fmt::format("the input {} is of type {}", name, ir::dtypeName(array.dtype)));
                }
                const std::string file = fmt::format("in_{}_{}", sample, number++);
                MITOS_REQUIRE(writeFile((m_folder / file).string(), encoded(array)));
                job += fmt::format("{}\n{}\n{}\n{}\n", name, *dtype, fmt::join(array.shape, ","), file);
            }
        }
        return writeFile((m_folder / "job").string(), job);
    }

    /// Checks the interpreter's output against the files that it wrote, and compares them.
    Result<FileComparison> judged(const ChildOutput& child) {
        std::istringstream lines(child.output);
        std::map<std::array<int, 3>, ArrayPtr> arrays;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string kind;
            words >> kind;
            if (std::string version; kind == "onnxruntime" && words >> version)
                m_by = "ONNX Runtime " + lastLine(version);
            std::array<int, 3> place{};
            std::string dtype;
            std::string shape;
            if (kind != "output" || !(words >> place[0] >> place[1] >> place[2] >> dtype >> shape)) continue;
            Result<ArrayPtr> array = readOutput(place, dtype, shape);
            if (!array) return undecided(m_by, array.error().message);
            arrays.insert_or_assign(place, *std::move(array));
        }
        if (child.exitStatus != 0) {
            const std::string why = lastLine(child.errors);
            return undecided(m_by, fmt::format("{} ended with status {}{}{}", m_options.python, child.exitStatus,
                                               why.empty() ? "" : ": ", why));
        }
        FileComparison comparison{.by = m_by, .note = {}};
        const std::vector<std::string>& names = m_original.model.outputs;
        for (int sample = 0; sample < m_options.samples; ++sample) {
            std::array<std::vector<ArrayPtr>, 2> both;
            for (std::size_t file = 0; file < 2; ++file) {
                for (std::size_t i = 0; i < names.size(); ++i) {
                    const auto found = arrays.find({sample, static_cast<int>(file), static_cast<int>(i)});
                    if (found == arrays.end()) {
                        return undecided(m_by,
                                         fmt::format("{} ended without the values of all outputs", m_options.python));
                    }
                    both[file].push_back(found->second);
                }
            }
            compare(both[0], both[1], names, m_options.tolerance, comparison);
        }
        if (comparison.samples == 0) comparison.note = NoValue;
        return comparison;
    }

    Result<ArrayPtr> readOutput(const std::array<int, 3>& place, const std::string& dtypeName,
                                const std::string& shapeText) const {
        const auto wrong = [this](const char* what) {
            return onnxError(ErrorCode::InvalidInput, fmt::format("{} gave {}", m_options.python, what));
        };
        const std::optional<Dtype> dtype = dtypeOfNumpy(dtypeName);
        if (!dtype) return wrong("an output of an unknown element type");
        tensor::Shape sizes;
        for (std::size_t at = shapeText == "-" ? shapeText.size() : 0; at < shapeText.size(); ++at) {
            std::int64_t size = 0;
            const char* const end = shapeText.data() + shapeText.size();
            const auto [next, failure] = std::from_chars(shapeText.data() + at, end, size);
            if (failure != std::errc() || (next != end && *next != ',')) return wrong("sizes that are not numbers");
            sizes.push_back(size);
            at = static_cast<std::size_t>(next - shapeText.data());
        }
        MITOS_TRY(const tensor::Shape shape, tensorShape(sizes));
        Result<std::ifstream> file =
            openFile((m_folder / fmt::format("out_{}_{}_{}", place[0], place[1], place[2])).string());
        const auto bytes = std::make_shared<const std::string>(
            file ? std::istreambuf_iterator<char>(*file) : std::istreambuf_iterator<char>(),
            std::istreambuf_iterator<char>());
        const auto wanted = static_cast<std::size_t>(tensor::elementCount(shape)) * ir::dtypeBytes(*dtype);
        if (!file || !*file || bytes->size() != wanted)
            return wrong("an output with fewer or more numbers than its shape has");
        MITOS_TRY(const tensor::WeightData data,
                  tensor::WeightData::raw(*dtype, shape, std::as_bytes(std::span(*bytes)), bytes));
        return data.read();
    }

    const ReadFile& m_original;
    const FileComparisonOptions& m_options;
    fs::path m_folder;
    std::string m_by = "ONNX Runtime";
};

}  // namespace

std::string FileComparison::toString() const {
    const std::string on = fmt::format("on {} random input{}", samples, samples == 1 ? "" : "s");
    switch (verdict) {
        case FileVerdict::Same:
            return fmt::format(
                "the written file computes the same as the original {}, by {} (largest deviation {:.2g})", on, by,
                deviation);
        case FileVerdict::Different: return fmt::format("DIFFERENT VALUES by {}: {} from the original's", by, note);
        case FileVerdict::Undecided: break;
    }
    return fmt::format("the written file could not be compared with the original by {}: {}", by, note);
}

Result<FileComparison> compareFiles(const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                    const fs::path& original, const fs::path& written,
                                    const FileComparisonOptions& options) {
    const Result<ReadFile> before = read(registry, original);
    const std::string by = options.python.empty() ? Evaluator : "ONNX Runtime";
    if (!before) return undecided(by, before.error().message);
    const Result<ReadFile> after = read(registry, written);
    if (!after) return undecided(by, after.error().message);
    if (before->model.outputs != after->model.outputs) {
        return FileComparison{.verdict = FileVerdict::Different, .by = by, .note = "the files have different outputs"};
    }
    for (const ReadFile* const file : {&*before, &*after}) {
        const bool isRandom = std::ranges::any_of(file->model.opaque, [](const auto& opaque) {
            return determinismOf(keptModel(opaque.second)) == Determinism::Random;
        });
        if (isRandom) return undecided(by, "the models draw random numbers");
    }
    if (options.python.empty()) return evaluated(*before, *after, options);
    return RuntimeRun(*before, options).run(original, written);
}

}  // namespace mitos::onnx
