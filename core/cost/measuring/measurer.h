// SPDX-License-Identifier: GPL-3.0-or-later
// Measures operations by running them in a runtime. Runtimes are never loaded into this process: each measurer starts a process of its
// own (LibTorch: measuring/torch.h).
#pragma once

#include "core/base/result.h"
#include "core/cost/profile.h"

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::cost {

/// The time of one operation after its turn, or why it has none.
struct OperationOutcome {
    const Operation& operation;
    std::optional<Measurement> time;
    std::string refused;  ///< why it could not be measured, if it has no time
};
/// Called in the thread that measures, after each operation. It must return soon.
using MeasureObserver = std::function<void(const OperationOutcome&)>;

/// A profile of the operations whose turn came, whether the measuring ended well or not. Its name and title are empty.
struct MeasuredProfile {
    CostProfile profile;
    /// Why it ended before the last operation: stopped (Cancelled), or the process failed, hung or gave a wrong answer.
    std::optional<Error> ended;
};

/// A runtime with its settings. Both functions block, and may be called from any thread but one at a time.
class Measurer {
public:
    virtual ~Measurer() = default;
    /// The setup that the times of measure() will depend on. Fails if the runtime is not there; the hint says how to get it.
    [[nodiscard]] virtual Result<MeasuringSetup> setup(const std::stop_token& stop) = 0;
    /// Whether the runtime does nothing for the operation, so that it need not be measured: by default, whether it is a view.
    [[nodiscard]] virtual bool isFree(const Operation& operation) const { return isView(operation); }
    /// Measures operations in their order. An operation that the runtime refuses does not end the measuring.
    [[nodiscard]] virtual MeasuredProfile measure(std::span<const Operation> operations,
                                                  const MeasureObserver& observer, const std::stop_token& stop) = 0;
};

/// Which operations are measured if a profile has some of them already.
enum class Remeasure { Never, Always };

/// Measures the operations that are not in `known` (with Remeasure::Always, all of them). Each joins `known` before the observer is
/// called, which may therefore store it; `known` keeps them if the result is an error. A profile without operations gets the measurer's
/// setup. Errors: `known` is of another setup (the
/// message has the differences), and those of MeasuredProfile::ended.
[[nodiscard]] Status measureInto(CostProfile& known, Measurer& measurer, std::span<const Operation> operations,
                                 Remeasure remeasure, const MeasureObserver& observer, const std::stop_token& stop);
/// The operations that measureInto() would measure.
[[nodiscard]] std::vector<Operation> missingIn(const CostProfile& known, std::span<const Operation> operations,
                                               Remeasure remeasure);

}  // namespace mitos::cost
