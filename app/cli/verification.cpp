// SPDX-License-Identifier: GPL-3.0-or-later
// See verification.h.
#include "app/cli/verification.h"

#include "core/rewrite/verify.h"

#include <fmt/format.h>

namespace mitos::cli {

void VerifyFlags::add(CLI::App& command) {
    command.add_flag("--verify", isWanted,
                     "evaluate before and after each step on random inputs; a difference is a failed check (status 1)");
    command
        .add_option("--verify-limit", gflop,
                    "tensor programs: GFLOP that --verify may compute; steps of programs that take more are checked "
                    "alone, on random operands")
        ->check(positiveNumber())
        ->capture_default_str();
}

Result<std::optional<eval::Verification>> verified(const VerifyFlags& flags, const OpenProgram& open,
                                                   ir::TermBank& bank, const rewrite::Thread& thread,
                                                   std::uint64_t seed, const std::stop_token& stop) {
    if (!flags.isWanted) return std::optional<eval::Verification>();
    eval::VerifyOptions options;
    options.seed = seed;
    options.flops = flags.gflop * 1e9;
    options.limits.stop = stop;
    options.weights = open.weights();
    options.assumptions = rewrite::signsOf(bank, rewrite::assumptionsOf(bank, thread));
    Result<eval::Verification> verification = rewrite::verify(bank, thread, options);
    if (!verification) return std::move(verification).error();
    return std::optional(*std::move(verification));
}

namespace {

const char* nameOf(eval::StepCheck check) {
    switch (check) {
        case eval::StepCheck::None: return "none";
        case eval::StepCheck::Whole: return "within the program";
        case eval::StepCheck::Alone: return "alone";
    }
    return "";
}

}  // namespace

Json assumptionsJson(const std::vector<rewrite::Assumption>& assumptions) {
    Json list = Json::array();
    for (const rewrite::Assumption& each : assumptions) {
        list.push_back({{"text", each.text}, {"step", each.step}, {"rule", each.rule}});
    }
    return list;
}

void printAssumptions(const std::vector<rewrite::Assumption>& assumptions) {
    for (const rewrite::Assumption& each : assumptions) {
        fmt::print("assuming {}  (step {}, {})\n", each.text, each.step, each.rule);
    }
}

Json verificationJson(const eval::Verification& verification) {
    Json open = Json::array();
    for (std::size_t i = 0; i < verification.steps.size(); ++i) {
        const eval::StepVerdict& verdict = verification.steps[i];
        if (verdict.check == eval::StepCheck::None) open.push_back({{"step", i + 1}, {"reason", verdict.note}});
    }
    Json json{{"verdict", verification.difference ? "different"
                          : verification.holds()  ? "same"
                                                  : "undecided"},
              {"steps", verification.steps.size()},
              {"within_program", verification.count(eval::StepCheck::Whole)},
              {"alone", verification.count(eval::StepCheck::Alone)},
              {"not_verified", std::move(open)},
              {"max_deviation", verification.maxDeviation()},
              {"difference", nullptr}};
    if (!verification.difference) return json;
    const eval::StepDifference& difference = *verification.difference;
    json["difference"] = {{"step", difference.step},
                          {"rule", difference.rule},
                          {"position", difference.position},
                          {"before", difference.before},
                          {"after", difference.after},
                          {"place", difference.place},
                          {"before_value", difference.beforeValue},
                          {"after_value", difference.afterValue},
                          {"deviation", difference.deviation},
                          {"tolerance", difference.tolerance},
                          {"check", nameOf(difference.check)},
                          {"inputs", difference.inputs}};
    return json;
}

void printVerification(const eval::Verification& verification) {
    fmt::print("verified: {}\n", verification.summary());
    if (verification.difference) fmt::print(stderr, "{}", verification.difference->toString());
}

}  // namespace mitos::cli
