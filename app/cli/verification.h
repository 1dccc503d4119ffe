// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on a result (core/rewrite/verdict.h) at the command line: its limits, its JSON, its text.
#pragma once

#include "app/cli/context.h"
#include "core/eval/verify.h"
#include "core/rewrite/verdict.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace mitos::cli {

struct VerifyFlags {
    bool isWanted = false;
    double gflop = eval::VerifyOptions{}.flops / 1e9;
    double seconds = eval::EquivalenceOptions{}.seconds;

    void addSeconds(CLI::App& command);  ///< --compare-seconds
    void add(CLI::App& command);         ///< also --verify and --verify-limit

    /// How a result is judged. After a stop, which ends a search but not what is found out about its result, `stop` is left out and
    /// the time is short. `memoryBytes`: a limit on the memory of the process, of which values have what is left.
    [[nodiscard]] rewrite::JudgeOptions judging(std::shared_ptr<const tensor::Weights> weights,
                                                const eval::TrustedRules& rules, std::uint64_t seed,
                                                const std::stop_token& stop,
                                                std::optional<std::uint64_t> memoryBytes = {}) const;
};

/// What is known about the rules that a thread uses; those of the user's files are tested. Warnings go to stderr.
[[nodiscard]] eval::TrustedRules trustInRulesOf(const rewrite::Thread& thread, const rules::RuleBook& book,
                                                const std::stop_token& stop);

/// Adds `verdict`, `thread_checked`, `equivalent` (null: not compared), `max_deviation`, `samples_compared`, `note`, `assumptions`; and
/// `verification` where each step was verified.
void addVerdict(Json& report, const rewrite::Verdict& verdict);
[[nodiscard]] Json verdictJson(const rewrite::Verdict& verdict);
/// Its line on standard output; counterexamples and what is wrong with rules on standard error.
void printResultVerdict(const rewrite::Verdict& verdict);
/// On standard error: that a cheaper result is not given since its values are others.
void printRefused(const rewrite::Verdict& refused);
/// Whether a result may be written; else says on standard error that it is not.
[[nodiscard]] bool mayBeWritten(const rewrite::Verdict& verdict, bool insist);
/// The exit status; an error of verifying each step is said on standard error.
[[nodiscard]] int verdictStatus(const rewrite::Verdict& verdict);

}  // namespace mitos::cli
