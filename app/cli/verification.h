// SPDX-License-Identifier: GPL-3.0-or-later
// --verify: evaluating before and after each step of a thread, and telling what came out.
#pragma once

#include "app/cli/context.h"
#include "core/eval/verify.h"
#include "core/rewrite/assumptions.h"
#include "core/rewrite/step.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace mitos::cli {

struct VerifyFlags {
    bool isWanted = false;
    double gflop = eval::VerifyOptions{}.flops / 1e9;

    void add(CLI::App& command);  ///< --verify, --verify-limit
};

/// Nothing where it is not wanted. Errors: Cancelled, inputs that cannot be made.
[[nodiscard]] Result<std::optional<eval::Verification>> verified(const VerifyFlags& flags, const OpenProgram& open,
                                                                 ir::TermBank& bank, const rewrite::Thread& thread,
                                                                 std::uint64_t seed, const std::stop_token& stop);
/// What a thread takes for granted (rewrite/assumptions.h): text, step and rule of each.
[[nodiscard]] Json assumptionsJson(const std::vector<rewrite::Assumption>& assumptions);
/// The same on standard output, a line each.
void printAssumptions(const std::vector<rewrite::Assumption>& assumptions);
/// verdict (same, different, undecided), steps checked within the program, alone and not at all, the difference or null.
[[nodiscard]] Json verificationJson(const eval::Verification& verification);
/// The summary on standard output; a difference on standard error.
void printVerification(const eval::Verification& verification);

}  // namespace mitos::cli
