// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a choice by the definition alone, independently of all methods.
#pragma once

#include "core/extract/problem.h"

#include <string>

namespace mitos::extract {

struct CheckReport {
    bool valid = false;
    double cost = 0.0;      ///< of all chosen nodes that the roots need, each counted once, however many roots need it
    double treeCost = 0.0;  ///< the cost as trees, separately for each root; may be infinite
    std::string problem;    ///< why it is not valid: the first class that fails
};

/// A choice is valid if it has, for every root and every child of a node it needs, a node of that class, and if no
/// class needs itself. Entries that no root needs are ignored.
[[nodiscard]] CheckReport check(const Problem& problem, const Choice& choice);

/// The entries that the roots need, and None for the others. The choice must be complete.
[[nodiscard]] Choice needed(const Problem& problem, const Choice& choice);

}  // namespace mitos::extract
