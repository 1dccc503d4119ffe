// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of the experiments, which are built in: samples/coarsening, samples/arithmetic, and resources/experiments.
#pragma once

#include <string_view>

namespace mitos::search::experiments {

/// The text of a file by its name without folder and extension; empty if there is none.
[[nodiscard]] std::string_view shippedFile(std::string_view name);

}  // namespace mitos::search::experiments
