// SPDX-License-Identifier: GPL-3.0-or-later
// The costs of the public Knossos optimizer.
#include "core/cost/internal/profile_evaluator.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

namespace mitos::cost::models {

CostModelFactory ks2021() {
    return {.info = {.name = "ks-2021",
                     .title = "Knossos, public optimizer 2021",
                     .unit = "units",
                     .description = fmt::format(
                         "Analytic model of the public Knossos optimizer: every dimension has N = 16 elements, an "
                         "allocation costs M = 2; arithmetic on tensors and tuples costs so much an element + M, "
                         "sumbuild an addition an element a round; and, or, not cost as the if they stand for. {}",
                         CommonCosts),
                     .dialects = {std::string(ks::DialectName)}},
            .make = [](CostModelInfo info) -> Result<std::shared_ptr<const CostModel>> {
                constexpr double VectorSize = 16.0;
                return modelOfProfile(
                    std::move(info),
                    {.allocation = 2.0, .countsElements = true, .logicIsIf = true, .ignoresAssertCondition = false},
                    VectorSize);
            }};
}

}  // namespace mitos::cost::models
