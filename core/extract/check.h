// SPDX-License-Identifier: GPL-3.0-or-later
// Judges a choice by the definition alone; no method has a part in it.
#pragma once

#include "core/extract/problem.h"

#include <string>

namespace mitos::extract {

struct CheckReport {
    bool valid = false;
    double cost = 0.0;      ///< of all chosen nodes that the roots need, each once, however many roots need it
    double treeCost = 0.0;  ///< the same as trees, every root for itself; may be infinite
    std::string problem;    ///< why it is not valid: the first class where it fails
};

/// Valid is a choice that has, for every root and every child of a node it needs, a node of that class, and in which no
/// class needs itself. Entries that no root needs are not looked at.
[[nodiscard]] CheckReport check(const Problem& problem, const Choice& choice);

/// The entries that the roots need, None for the rest. The choice must be complete.
[[nodiscard]] Choice needed(const Problem& problem, const Choice& choice);

}  // namespace mitos::extract
