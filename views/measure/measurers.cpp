// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/measure/measurers.h"

#include "core/cost/measuring/torch.h"

namespace mitos::views {

std::unique_ptr<cost::Measurer> measurerFor(const MeasuringChoice& choice) {
    cost::TorchOptions options;
    options.device = choice.device.toStdString();
    options.threads = choice.threads;
    return cost::torchMeasurer(options);
}

}  // namespace mitos::views
