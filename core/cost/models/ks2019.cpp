// SPDX-License-Identifier: GPL-3.0-or-later
// The costs of the Knossos paper.
#include "core/cost/internal/profile_evaluator.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

namespace mitos::cost::models {

CostModelFactory ks2019() {
    return {.info = {.name = "ks-2019",
                     .title = "Knossos paper, 2019",
                     .unit = "units",
                     .description = fmt::format(
                         "Analytic model of the Knossos paper: every dimension has N = 100 elements, an allocation "
                         "costs M = 100; arithmetic costs the same on tensors as on numbers, sumbuild N - 1 additions "
                         "whatever the element; and, or, not are free. N, M and these details are fitted to the costs "
                         "that the paper prints. {}",
                         CommonCosts),
                     .dialects = {std::string(ks::DialectName)}},
            .make = [](CostModelInfo info) -> Result<std::shared_ptr<const CostModel>> {
                constexpr double VectorSize = 100.0;
                return modelOfProfile(
                    std::move(info),
                    {.allocation = 100.0, .countsElements = false, .logicIsIf = false, .ignoresAssertCondition = false},
                    VectorSize);
            }};
}

}  // namespace mitos::cost::models
