// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/measuring/measurer.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::cost {

std::vector<Operation> missingIn(const CostProfile& known, std::span<const Operation> operations, Remeasure remeasure) {
    std::vector<Operation> missing;
    for (const Operation& operation : operations) {
        const bool isKnown = known.times.contains(operation) || known.refused.contains(operation);
        if (!isKnown || remeasure == Remeasure::Always) missing.push_back(operation);
    }
    return missing;
}

Status measureInto(CostProfile& known, Measurer& measurer, std::span<const Operation> operations, Remeasure remeasure,
                   const MeasureObserver& observer, const std::stop_token& stop) {
    MITOS_TRY(const MeasuringSetup setup, measurer.setup(stop));
    if (known.times.empty() && known.refused.empty()) known.setup = setup;
    if (const std::string other = differences(setup, known.setup); !other.empty()) {
        return inputError(fmt::format("the profile was measured differently: {}", other),
                          "measure into another file, or as the profile was measured");
    }
    const std::vector<Operation> missing = missingIn(known, operations, remeasure);
    if (missing.empty()) return Success{};
    const MeasuredProfile measured = measurer.measure(
        missing,
        [&](const OperationOutcome& outcome) {
            if (outcome.time) {
                known.times.insert_or_assign(outcome.operation, *outcome.time);
                known.refused.erase(outcome.operation);
            } else if (!known.times.contains(outcome.operation)) {
                known.refused.insert_or_assign(outcome.operation, outcome.refused);
            }
            if (observer) observer(outcome);
        },
        stop);
    known.drift = std::max(known.drift, measured.profile.drift);
    if (measured.ended) return *measured.ended;
    return Success{};
}

}  // namespace mitos::cost
