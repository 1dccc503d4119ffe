// SPDX-License-Identifier: GPL-3.0-or-later
// The gain of a run against the start of its program, and the words for it. Every view that shows the gain of a run takes it from here.
#pragma once

#include "core/cost/cost_model.h"
#include "core/rewrite/history.h"
#include "search/run.h"

#include <QString>

namespace mitos::views {

/// "the start", the user's name for the state, or "state 52".
[[nodiscard]] QString stateName(const rewrite::History& history, rewrite::StateId state);

/// The result of a run in costs of one model. Its gain is against the start of the program, wherever the run began.
struct RunGain {
    double start = 0.0;  ///< of the program
    double own = 0.0;    ///< of the state where the run began
    double cost = 0.0;   ///< the least found so far
    QString from = {};   ///< stateName() of where the run began; empty if that is the start
    QString unit = {};   ///< of the costs

    /// Whether it found something cheaper than the state where it began.
    [[nodiscard]] bool isCheaper() const;
    /// The gain: "▼ −94.3 %"; "▼ −0.1" if it would be rounded to 0.0 %.
    [[nodiscard]] QString text() const;
    /// "from state 52, 47.49 k"; empty if it began at the start.
    [[nodiscard]] QString fromText() const;
    /// "from state 52, 47.49 k (▼ −42.7 %)": also the change against that state, if there is one. Empty if it began at the start.
    [[nodiscard]] QString ownText() const;
    /// "31.88 k → 27.22 k units", exactly; with ownText() on a second line. For tool tips.
    [[nodiscard]] QString exactText() const;
};

/// Under the model in force, whose costs the history has. A run that was searched under another model is priced by its states.
[[nodiscard]] RunGain gainOf(const rewrite::History& history, const cost::CostModelInfo& model,
                             const search::RunFacts& run);

}  // namespace mitos::views
