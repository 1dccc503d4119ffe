// SPDX-License-Identifier: GPL-3.0-or-later
// Table 1: the cost of a program as extraction methods see it in its initial e-graph, which holds nothing but the program.
#pragma once

#include "search/compare/comparison.h"

#include <string>

namespace mitos::search::experiments {

struct InitialCosts {
    std::string program;
    double cost = 0.0;   ///< of the program under the model
    double exact = 0.0;  ///< by the exact method
    bool isProven = false;
    double tree = 0.0;   ///< by egg's default cost function, which pays for a shared class at each use; may be infinite
    double paper = 0.0;  ///< as predicted by the paper's cost function

    /// Whether the method is right but for rounding.
    [[nodiscard]] bool isTreeExact() const;
    [[nodiscard]] bool isPaperExact() const;
};

/// Fails if a method fails, for instance because no program has a finite cost under the model.
[[nodiscard]] Result<InitialCosts> initialCosts(const ComparisonPlan::Subject& subject, const cost::CostModel& model);

}  // namespace mitos::search::experiments
