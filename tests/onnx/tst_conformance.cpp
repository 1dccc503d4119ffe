// SPDX-License-Identifier: GPL-3.0-or-later
// The models with expected outputs that Debian packages: read, evaluated, compared; written, and read again.
#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/samples.h"
#include "tests/onnx/onnx_models.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <map>
#include <optional>

namespace tst_conformance {

using namespace mitos;
using namespace mitos::tests;
namespace fs = std::filesystem;

namespace {

/// Of half precision, of all others: expected outputs were computed in the precision of their types.
constexpr double HalfTolerance = 2e-2;
constexpr double Tolerance = 1e-3;

struct Outcome {
    bool passed = false;
    bool isFloating = true;  ///< its outputs are; unknown ones count as such
    std::string reason;      ///< why not
};

class Runner {
public:
    Outcome run(const fs::path& path) {
        Outcome outcome = run(path, {});
        // Shapes, axes and the like are inputs in many of these models.
        for (const bool onlyIntegers : {true, false}) {
            if (!outcome.passed) outcome = run(path, {.constants = smallInputs(path, onlyIntegers)});
        }
        return outcome;
    }

private:
    Outcome run(const fs::path& path, const onnx::ImportOptions& options) {
        ir::TermBank bank(m_registry);
        const Result<tensor::Model> model = onnx::importFile(bank, path, options);
        if (!model) return {false, isFloating(path), reason(model.error())};
        Outcome outcome;
        if (!model->opaque.empty()) {
            outcome.isFloating = isFloating(path);
            const std::string& warning = model->warnings.front();
            outcome.reason = warning.substr(warning.find(" of ") + 4);
            return outcome;
        }
        bool hasOne = false;
        for (int set = 0; fs::is_directory(folder(path, set)); ++set) {
            hasOne = true;
            outcome = compare(path, *model, bank, folder(path, set));
            if (!outcome.passed) return outcome;
        }
        if (!hasOne) outcome.reason = "no data";
        return outcome;
    }

    static fs::path folder(const fs::path& path, int set) {
        return path.parent_path() / fmt::format("test_data_set_{}", set);
    }

    /// The message without the path, which is different for every model.
    static std::string reason(const Error& error) {
        const std::size_t end = error.message.find(".onnx: ");
        return end == std::string::npos ? error.message : error.message.substr(end + 7);
    }

    static bool isFloating(const fs::path& path) {
        const Result<tensor::ArrayPtr> output = onnx::readTensorFile(folder(path, 0) / "output_0.pb");
        return output && ir::isFloating((*output)->dtype);
    }

    /// What the model's inputs are called, in order: those of the program whose inputs are all parameters.
    std::vector<std::string> inputNames(const fs::path& path) const {
        ir::TermBank bank(m_registry);
        std::vector<std::string> names;
        const Result<tensor::Model> model = onnx::importFile(bank, path);
        if (!model) return names;
        for (const ir::Parameter& parameter : bank.function(model->program.function).parameters) {
            names.emplace_back(bank.text(parameter.name));
        }
        return names;
    }

    Result<tensor::Inputs> readInputs(const fs::path& path, const fs::path& data) const {
        tensor::Inputs inputs;
        const std::vector<std::string> names = inputNames(path);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const Result<tensor::ArrayPtr> input = onnx::readTensorFile(data / fmt::format("input_{}.pb", i));
            if (!input) return input.error();
            inputs.emplace(names[i], *input);
        }
        return inputs;
    }

    tensor::Inputs smallInputs(const fs::path& path, bool onlyIntegers) const {
        Result<tensor::Inputs> inputs = readInputs(path, folder(path, 0));
        if (!inputs) return {};
        for (auto input = inputs->begin(); input != inputs->end();) {
            const tensor::Array& array = *input->second;
            const bool isSmall = array.shape.size() <= 1 && array.elements.size() <= 16;
            const bool isWanted = isSmall && !(onlyIntegers && ir::isFloating(array.dtype));
            input = isWanted ? std::next(input) : inputs->erase(input);
        }
        return *std::move(inputs);
    }

    Outcome compare(const fs::path& path, const tensor::Model& model, const ir::TermBank& bank,
                    const fs::path& data) const {
        const Result<tensor::Inputs> given = readInputs(path, data);
        if (!given) return {false, true, reason(given.error())};
        const tensor::Inputs& inputs = *given;
        const Result<std::vector<tensor::ArrayPtr>> outputs =
            tensor::evaluate(bank, model.program.root, inputs, *model.weights);
        Outcome outcome;
        if (!outputs) return {false, true, reason(outputs.error())};
        for (std::size_t i = 0; i < outputs->size(); ++i) {
            const Result<tensor::ArrayPtr> expected = onnx::readTensorFile(data / fmt::format("output_{}.pb", i));
            if (!expected) return {false, true, reason(expected.error())};
            if (i == 0) outcome.isFloating = ir::isFloating((*expected)->dtype);
            const Result<double> deviation = tensor::maxDeviation(*(*outputs)[i], **expected);
            if (!deviation) return {false, outcome.isFloating, reason(deviation.error())};
            const ir::Dtype dtype = (*expected)->dtype;
            const bool isHalf = dtype == ir::Dtype::F16 || dtype == ir::Dtype::Bf16;
            if (*deviation > (isHalf ? HalfTolerance : Tolerance)) {
                return {false, outcome.isFloating, fmt::format("output {} deviates by {}", i, *deviation)};
            }
        }
        outcome.passed = true;
        return outcome;
    }

    std::shared_ptr<const ir::OperatorRegistry> m_registry = tensorRegistry();
};

}  // namespace

class TestConformance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        QVERIFY2(!conformanceModels().empty(),
                 "the models of the Debian package libonnx-testdata are not installed (resources/debian-packages.txt)");
    }
    void modelsComputeWhatIsExpected();
    void whatIsWrittenIsReadAsTheSameProgram();
};

void TestConformance::modelsComputeWhatIsExpected() {
    Runner runner;
    int floating = 0;
    int floatingPassed = 0;
    int others = 0;
    int othersPassed = 0;
    std::map<std::string, std::vector<std::string>> failed;  // by reason
    for (const fs::path& path : conformanceModels()) {
        const Outcome outcome = runner.run(path);
        (outcome.isFloating ? floating : others) += 1;
        if (outcome.passed) (outcome.isFloating ? floatingPassed : othersPassed) += 1;
        if (!outcome.passed) failed[outcome.reason].push_back(path.parent_path().filename().string());
    }
    for (const auto& [reason, models] : failed) {
        qInfo("%4zu  %s (%s%s)", models.size(), reason.c_str(), models.front().c_str(), models.size() > 1 ? ", …" : "");
    }
    qInfo("floating-point: %d of %d pass; others: %d of %d", floatingPassed, floating, othersPassed, others);
    QVERIFY(floatingPassed >= 0.91 * floating);
    QVERIFY(othersPassed >= 0.7 * others);
}

void TestConformance::whatIsWrittenIsReadAsTheSameProgram() {
    const auto registry = tensorRegistry();
    int written = 0;
    for (const fs::path& path : conformanceModels()) {
        ir::TermBank bank(registry);
        const Result<tensor::Model> model = onnx::importFile(bank, path);
        if (!model) continue;
        const Result<onnx::ExportedBytes> bytes =
            onnx::exportBytes(bank, *model, {.foldWeights = false, .keepIdle = true});
        if (!bytes) {
            // Only for this reason; tst_onnx_export has a test of it.
            const bool isOld = bytes.error().message.find("has another meaning") != std::string::npos;
            QVERIFY2(isOld, fmt::format("{}: {}", path.string(), bytes.error().message).c_str());
            continue;
        }
        ++written;
        // ONNX has no words for inputs and outputs of unknown rank.
        if (bytes->report.checkerSays.find("Field 'shape' of 'type' is required") == std::string::npos) {
            const std::string verdict =
                fmt::format("{}: {} {}", path.string(), bytes->report.checkerSays, bytes->report.inferenceSays);
            QVERIFY2(bytes->report.isAccepted(), verdict.c_str());
        }
        const Result<tensor::Model> again = onnx::importBytes(bank, bytes->bytes);
        QVERIFY2(again, again ? "" : fmt::format("{}: {}", path.string(), again.error().message).c_str());
        QVERIFY2(
            again->program.root == model->program.root,
            fmt::format("{}:\n{}\n{}", path.string(), text(bank, model->program.root), text(bank, again->program.root))
                .c_str());
        QCOMPARE(again->outputs, model->outputs);
        QCOMPARE(again->weights->size(), model->weights->size());
        for (const auto& [name, data] : *model->weights) {
            const tensor::WeightData* const other = again->weights->find(name);
            QVERIFY(other != nullptr);
            const Result<tensor::ArrayPtr> before = data.read();
            const Result<tensor::ArrayPtr> after = other->read();
            QVERIFY(before && after);
            QCOMPARE((*after)->shape, (*before)->shape);
            QVERIFY(tensor::maxDeviation(**before, **after).value() == 0.0);
            if (!data.bytes().empty() && !other->bytes().empty()) {  // also what doubles do not tell apart
                QVERIFY(std::ranges::equal(data.bytes(), other->bytes()));
            }
        }
    }
    QVERIFY(written > 800);
}

MITOS_TEST(TestConformance)

}  // namespace tst_conformance

#include "tst_conformance.moc"
