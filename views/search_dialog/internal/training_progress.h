// SPDX-License-Identifier: GPL-3.0-or-later
// How far a training is, and how long it may still take.
#pragma once

#include "search/run.h"

#include <QString>
#include <optional>
#include <string>

namespace mitos::views {

struct TrainingProgressNow {
    std::uint32_t step = 0;            ///< of the last point
    std::uint32_t steps = 0;           ///< the limit; 0: none
    double elapsed = 0.0;              ///< seconds since the run began
    std::optional<double> share = {};  ///< 0…1 of the limit that will be reached first; nothing before that can be told
    std::optional<double> secondsLeft = {};  ///< until that limit
};

/// `steps` is the run's parameter that limits the steps. A training without any limit has learned::UsualTrainingSeconds. Times are those of the
/// run alone, also if it goes on with an earlier training, whose steps count.
[[nodiscard]] TrainingProgressNow progressOf(const search::Run& run, const std::string& steps, double elapsed);

/// "epoch 12 of 30, 45 s so far, about 1 min 20 s left"
[[nodiscard]] QString progressText(const TrainingProgressNow& now, const QString& stepTitle);

}  // namespace mitos::views
