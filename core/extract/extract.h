// SPDX-License-Identifier: GPL-3.0-or-later
// The extraction methods by name, and the function that runs them.
#pragma once

#include "core/base/result.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace mitos::extract {

struct MethodInfo {
    std::string_view name;   ///< for --method and in files
    std::string_view title;  ///< for menus
    std::string_view help;   ///< one sentence
    bool usesSeconds;        ///< improves its answer until the time limit
    bool usesSeed;
};

/// In menu order: fast methods first.
[[nodiscard]] std::span<const MethodInfo> methods();

/// Fails if there is no such method; the error lists the methods.
[[nodiscard]] Status requireMethod(std::string_view name);

struct Options {
    double seconds = 10.0;  ///< time limit, after which a method returns its best answer
    /// For CheckedExtraction: when a thread must be found, counted from the beginning; empty: no limit.
    std::optional<double> threadSeconds = {};
    /// For CheckedExtraction: the bytes of the bank at which no thread is sought any longer; empty: no limit.
    std::optional<std::uint64_t> threadBytes = {};
    std::uint64_t seed = 1;
    std::uint32_t generations = 0;  ///< for brkga, which is then the same on every machine; 0: until the time limit
    std::string solver = "cbc";     ///< program that ilp runs where branch and bound does not end, found on PATH
    /// For ilp: the number of nodes that branch and bound looks at for each independent part, before the solver is run; 0: it is always
    /// run.
    std::uint64_t branchWork = 120'000;
};

/// Runs a method. The answer is checked (check.h) and contains only what the roots need. When stopped, methods return
/// their best answer so far. If a solver fails or an answer is invalid, the next method that needs no solver answers,
/// and the note says so. Fails for an unknown method, a root without a finite term (the error has its class number), a
/// missing solver, and exact extraction with negative costs.
[[nodiscard]] Result<Extraction> extract(const Problem& problem, std::string_view method, const Options& options = {},
                                         std::stop_token stop = {});

}  // namespace mitos::extract
