// SPDX-License-Identifier: GPL-3.0-or-later
// A claim of a paper, or an aim of ours, checked against our runs.
#pragma once

#include <cstdint>
#include <string>

namespace mitos::search::experiments {

enum class Verdict : std::uint8_t {
    Holds,
    Fails,
    Open,  ///< the runs that decide it are missing, or they are too few
};
[[nodiscard]] const char* toString(Verdict verdict);  ///< "holds", "does not hold", "not decided"

struct Claim {
    std::string claim;  ///< the paper's, or ours
    std::string place;  ///< in the paper; "aim of this project"
    Verdict verdict = Verdict::Open;
    std::string finding;  ///< our numbers in one or two sentences
};

}  // namespace mitos::search::experiments
