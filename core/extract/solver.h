// SPDX-License-Identifier: GPL-3.0-or-later
// An integer programming solver as a child process.
#pragma once

#include "core/base/result.h"
#include "core/extract/deadline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::extract {

/// Minimize the sum of cost · x over x in {0, 1}, under linear constraints.
struct IntegerProgram {
    enum class Relation : std::uint8_t { AtMost, Equal, AtLeast };
    struct Constraint {
        std::vector<std::pair<std::uint32_t, double>> terms;  ///< variable and factor
        Relation relation = Relation::AtMost;
        double bound = 0.0;
    };
    std::vector<double> cost;  ///< by variable
    std::vector<Constraint> constraints;
    /// Further variables, numbered from cost.size() on: real, from 0 to this, without a cost.
    std::vector<double> orders;
};

struct SolverOutcome {
    bool isOptimal = false;
    std::vector<std::uint32_t> ones;  ///< variables that are 1 in the best solution found, in order; empty: none found
    std::optional<double> bound;      ///< no solution costs less
};

/// What is wrong with an answer of the solver, as an error that names it.
[[nodiscard]] Error wrongAnswer(const std::string& program, const std::string& what);

/// Runs CBC (COIN-OR branch and cut; `program` on PATH) until it has the least cost, or the deadline, when it is killed. It starts from
/// `start`, the variables that are 1 in a solution. Its answer is believed as far as it can be checked: the solution keeps to the
/// constraints over variables without an order, and costs what is said. Errors: the program is not
/// there (Io), fails or answers what is wrong (Evaluation); a time limit is none.
[[nodiscard]] Result<SolverOutcome> solve(const IntegerProgram& problem, const std::vector<std::uint32_t>& start,
                                          const std::string& program, const Deadline& deadline);

}  // namespace mitos::extract
