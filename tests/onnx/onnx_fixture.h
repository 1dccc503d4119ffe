// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of models share: a bank, reading, writing and running.
#pragma once

#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "core/tensor/evaluate.h"
#include "tests/onnx/onnx_models.h"

#include <fmt/format.h>

#include <QTest>

namespace mitos::tests {

/// 0, 1, 2, …
inline tensor::ArrayPtr counting(tensor::Shape shape, ir::Dtype dtype = ir::Dtype::F32) {
    auto array = std::make_shared<tensor::Array>();
    array->dtype = dtype;
    array->elements.resize(static_cast<std::size_t>(tensor::elementCount(shape)));
    array->shape = std::move(shape);
    for (std::size_t i = 0; i < array->elements.size(); ++i) array->elements[i] = static_cast<double>(i);
    return array;
}

/// If something that a test needs fails, the test program ends.
class OnnxFixture {
protected:
    void newBank() { m_bank = std::make_unique<ir::TermBank>(m_registry); }

    /// A graph in ONNX's textual syntax.
    Result<tensor::Model> read(const std::string& graph, int opset = 17) {
        return onnx::importText(
            *m_bank,
            fmt::format("<ir_version: 8, opset_import: [\"\" : {}, \"com.microsoft\" : 1, \"my.ops\" : 2]>\n{}", opset,
                        graph));
    }
    tensor::Model model(const std::string& graph, int opset = 17) { return checked(read(graph, opset)); }
    tensor::Model modelOf(const std::string& bytes) { return checked(onnx::importBytes(*m_bank, bytes)); }

    std::string typeText(const tensor::Model& read) {
        return m_bank->types().toString(m_bank->type(read.program.root));
    }
    std::string programText(const tensor::Model& read) { return text(*m_bank, read.program.root); }

    /// Accepted by ONNX's checker and shape inference.
    std::string written(const tensor::Model& read,
                        const onnx::ExportOptions& options = {.foldWeights = false, .keepIdle = true}) {
        const Result<onnx::ExportedBytes> bytes = onnx::exportBytes(*m_bank, read, options);
        if (!bytes) qFatal("%s", bytes.error().render().c_str());
        if (!bytes->report.isAccepted()) {
            qFatal("%s %s", bytes->report.checkerSays.c_str(), bytes->report.inferenceSays.c_str());
        }
        return bytes->bytes;
    }
    /// What is written is the same program when it is read again.
    void comesBack(const tensor::Model& read) {
        const tensor::Model again = modelOf(written(read));
        QVERIFY2(again.program.root == read.program.root, (programText(read) + "\n" + programText(again)).c_str());
    }
    /// The first output.
    tensor::ArrayPtr evaluated(const tensor::Model& read, const tensor::Inputs& inputs) {
        const auto outputs = tensor::evaluate(*m_bank, read.program.root, inputs, *read.weights);
        if (!outputs) qFatal("%s", outputs.error().message.c_str());
        return outputs->front();
    }

    std::shared_ptr<const ir::OperatorRegistry> m_registry = tensorRegistry();
    std::unique_ptr<ir::TermBank> m_bank;

private:
    static tensor::Model checked(Result<tensor::Model> model) {
        if (!model) qFatal("%s", model.error().render().c_str());
        return *std::move(model);
    }
};

}  // namespace mitos::tests
