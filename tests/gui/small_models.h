// SPDX-License-Identifier: GPL-3.0-or-later
// Small tensor programs, as listings and as ONNX files.
#pragma once

#include "core/dialects/dialects.h"
#include "core/onnx/export.h"

#include <QFile>
#include <QString>
#include <string>

namespace mitos::test {

/// Two convolutions with their relus on one input, then their sum: two relus in a row, of which one is redundant.
inline constexpr const char* TwoBranches = R"(graph branches(x: f32[1,3,8,8])
  weight w1: f32[4,3,1,1]
  weight w2: f32[4,3,1,1]
  c1 = Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1],group=1](x, w1)
  r1 = Relu(Relu(c1))
  c2 = Conv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1],group=1](x, w2)
  r2 = Relu(c2)
  y = Add(r1, r2)
  return y
)";

/// Writes a listing as an ONNX model with random weights of that seed. Empty: it could not be written.
inline QString writeModel(const QString& path, const char* listing, std::uint64_t seed = 1) {
    ir::TermBank bank(dialects::makeRegistry());
    const auto program = dialects::parseProgram(bank, "test", listing);
    if (!program) return {};
    tensor::Model model = tensor::modelOf(bank, *program);
    model.outputs = {"sum"};
    model.weights = std::make_shared<const tensor::Weights>(tensor::sampledWeights(bank, program->root, seed));
    const auto report =
        onnx::exportFile(bank, model, QFile::encodeName(path).toStdString(), {.foldWeights = false, .metadata = {}});
    return report && report->isAccepted() ? path : QString();
}

}  // namespace mitos::test
