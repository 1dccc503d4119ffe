// SPDX-License-Identifier: GPL-3.0-or-later
// The methods of extraction by name, and the one way to run them.
#pragma once

#include "core/base/result.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace mitos::extract {

struct MethodInfo {
    std::string_view name;   ///< of --method and in files
    std::string_view title;  ///< for menus
    std::string_view help;   ///< one sentence
    bool usesSeconds;        ///< goes on improving until the time is up
    bool usesSeed;
};

/// In the order of menus: the quick ones first.
[[nodiscard]] std::span<const MethodInfo> methods();

/// Error: there is no such method, and which there are.
[[nodiscard]] Status requireMethod(std::string_view name);

struct Options {
    double seconds = 10.0;  ///< whatever a method has by then is its answer
    std::uint64_t seed = 1;
    std::uint32_t generations = 0;  ///< of brkga, which then gives the same on every machine; 0: until the time is up
    std::string solver = "cbc";     ///< program of ilp, found on PATH
};

/// Runs a method. The answer is checked (check.h) and holds only what the roots need. When stopped, methods answer with what they
/// have. Where a solver fails, or an answer does not hold, the next method that needs no solver answers, and the note says so.
/// Errors: an unknown method, a root without a finite term (with its class number), a solver that is not there, exact
/// extraction with negative costs.
[[nodiscard]] Result<Extraction> extract(const Problem& problem, std::string_view method, const Options& options = {},
                                         std::stop_token stop = {});

}  // namespace mitos::extract
