// SPDX-License-Identifier: GPL-3.0-or-later
// Runs an integer programming solver as a child process.
#pragma once

#include "core/base/result.h"
#include "core/extract/internal/deadline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::extract {

/// Minimizes the sum of cost · x over x in {0, 1}, under linear constraints.
struct IntegerProgram {
    enum class Relation : std::uint8_t { AtMost, Equal, AtLeast };
    struct Constraint {
        std::vector<std::pair<std::uint32_t, double>> terms;  ///< variable and coefficient
        Relation relation = Relation::AtMost;
        double bound = 0.0;
    };
    std::vector<double> cost;  ///< by variable
    std::vector<Constraint> constraints;
    /// Further variables, numbered from cost.size() on: real, from 0 to this upper bound, without a cost.
    std::vector<double> orders;
};

struct SolverOutcome {
    bool isOptimal = false;
    std::vector<std::uint32_t> ones;  ///< variables that are 1 in the best solution, ascending; empty if none was found
    std::optional<double> bound;      ///< lower bound on the cost of every solution
};

/// An error that names the solver and describes its invalid answer.
[[nodiscard]] Error wrongAnswer(const std::string& program, const std::string& what);

/// Runs CBC (COIN-OR branch and cut; `program` on PATH) until it finds the least cost, or kills it at the deadline. It
/// starts from `start`, the variables that are 1 in a solution. Its answer is verified as far as possible: the solution
/// must satisfy the constraints over variables without an order, and have the reported cost. Fails if the program is
/// not found (Io), fails, or gives an invalid answer (Evaluation); reaching the time limit is not an error.
[[nodiscard]] Result<SolverOutcome> solve(const IntegerProgram& problem, const std::vector<std::uint32_t>& start,
                                          const std::string& program, const Deadline& deadline);

}  // namespace mitos::extract
