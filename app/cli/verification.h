// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on a result (core/rewrite/verdict.h) on the command line: flags for its limits, JSON and text.
#pragma once

#include "app/cli/context.h"
#include "core/eval/verify/verify.h"
#include "core/rewrite/verdict.h"
#include "search/judged_run.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace mitos::cli {

struct VerifyFlags {
    bool isWanted = false;
    double gflop = eval::VerifyOptions{}.flops / 1e9;
    std::optional<double> seconds;  ///< of comparing values, if the user said so

    void addSeconds(CLI::App& command);  ///< adds --compare-seconds
    void add(CLI::App& command);         ///< adds also --verify and --verify-limit

    [[nodiscard]] double secondsToCompare() const { return seconds.value_or(eval::EquivalenceOptions{}.seconds); }
    /// How results are judged. Unless the user gave time for it, comparing values counts as part of a search (Judging::isPartOfSearch). `memoryBytes` limits the memory of the process; the values get what is left of it.
    [[nodiscard]] search::Judging judging(std::shared_ptr<const tensor::Weights> weights, eval::TrustedRules rules,
                                          std::optional<std::uint64_t> memoryBytes = {}) const;
};

/// The trust in the rules that a thread uses; rules from the user's files are tested. Warnings go to stderr.
[[nodiscard]] eval::TrustedRules trustInRulesOf(const rewrite::Thread& thread, const rules::RuleBook& book,
                                                const std::stop_token& stop);

/// Adds the fields `verdict`, `thread_checked`, `equivalent` (null: not compared), `max_deviation`, `samples_compared`, `note` and
/// `assumptions`, and `verification` if each step was verified.
void addVerdict(Json& report, const rewrite::Verdict& verdict);
[[nodiscard]] Json verdictJson(const rewrite::Verdict& verdict);
/// Prints the verdict on one line of standard output; counterexamples and problems with rules go to standard error.
void printResultVerdict(const rewrite::Verdict& verdict);
/// Reports on standard error that a cheaper result was rejected because its values differ.
void printRefused(const rewrite::Verdict& refused);
/// Whether a result may be written; if not, reports this on standard error.
[[nodiscard]] bool mayBeWritten(const rewrite::Verdict& verdict, bool insist);
/// The exit status; an error in the verification of steps is reported on standard error.
[[nodiscard]] int verdictStatus(const rewrite::Verdict& verdict);

}  // namespace mitos::cli
