// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/internal/measurers.h"

#include "core/cost/measuring/torch.h"
#include "core/dialects/dialects.h"
#include "core/onnx/measure_operators.h"
#include "views/preferences/preferences.h"

#include <QFile>

namespace mitos::views {

onnx::RuntimeOptions preferredRuntime() {
    onnx::RuntimeOptions options;
    if (const QString python = Preferences::stored().python; !python.isEmpty())
        options.python = QFile::encodeName(python).toStdString();
    return options;
}

std::unique_ptr<cost::Measurer> measurerFor(const MeasuringChoice& choice) {
    if (choice.runtime == MeasuringRuntime::OnnxRuntime) {
        onnx::RuntimeOptions options = preferredRuntime();
        options.threads = choice.threads;
        return onnx::runtimeMeasurer(dialects::makeRegistry(), options);
    }
    cost::TorchOptions options;
    options.device = choice.device.toStdString();
    options.threads = choice.threads;
    return cost::torchMeasurer(options);
}

}  // namespace mitos::views
