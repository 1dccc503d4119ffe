// SPDX-License-Identifier: GPL-3.0-or-later
// The size-aware ks model.
#include "core/cost/internal/profile_evaluator.h"
#include "core/cost/internal/sized_evaluator.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

namespace mitos::cost::models {

namespace {

constexpr std::int64_t UnknownVectorSize = 100;

Result<std::shared_ptr<const CostModel>> makeSized(CostModelInfo info) {
    MITOS_TRY(AssumedSizes sizes, parseSizes(info.name, info.values, UnknownVectorSize));
    return modelOfPrograms(
        std::move(info), [sizes = std::move(sizes)](const ir::TermBank& bank, ir::FunctionId function) {
            constexpr Profile Constants{
                .allocation = 100.0, .countsElements = true, .logicIsIf = true, .ignoresAssertCondition = true};
            return sizedEvaluator(bank, function, Constants, sizes);
        });
}

}  // namespace

CostModelFactory sized() {
    return {.info = {.name = "ks-sized",
                     .title = "Knossos, size-aware",
                     .unit = "units",
                     .description = fmt::format(
                         "Abstract interpretation with real sizes, M = 100: sizes come from the arguments "
                         "(`ks-sized:64` or `ks-sized:n=64,m=8`; 100 where none is given), loops count their actual "
                         "rounds, an if with a known condition costs the arm it takes. {}",
                         CommonCosts),
                     .dialects = {std::string(ks::DialectName)},
                     .parameters = {sizesParameter(UnknownVectorSize)}},
            .make = makeSized};
}

}  // namespace mitos::cost::models
