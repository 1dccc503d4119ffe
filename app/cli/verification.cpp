// SPDX-License-Identifier: GPL-3.0-or-later
// See verification.h.
#include "app/cli/verification.h"

#include "core/base/cache_folder.h"

#include <fmt/format.h>

#include <utility>

namespace mitos::cli {

void VerifyFlags::addSeconds(CLI::App& command) {
    command
        .add_option("--compare-seconds", seconds,
                    fmt::format("time for comparing the values of the result with the input's (default: {:g}; with "
                                "--seconds, a tenth of that, and what the search leaves)",
                                eval::EquivalenceOptions{}.seconds))
        ->check(positiveNumber());
}

void VerifyFlags::add(CLI::App& command) {
    addSeconds(command);
    command.add_flag("--verify", isWanted,
                     "evaluate before and after each step on random inputs; a difference is a failed check (status 1)");
    command
        .add_option("--verify-limit", gflop,
                    "tensor programs: GFLOP that --verify may compute; steps of programs that take more are checked "
                    "alone, on random operands")
        ->check(positiveNumber())
        ->capture_default_str();
}

search::Judging VerifyFlags::judging(std::shared_ptr<const tensor::Weights> weights, eval::TrustedRules rules,
                                     std::optional<std::uint64_t> memoryBytes) const {
    search::Judging judging{.rules = std::make_shared<const eval::TrustedRules>(std::move(rules)),
                            .weights = std::move(weights),
                            .seconds = secondsToCompare(),
                            .isPartOfSearch = !seconds.has_value(),
                            .memoryBytes = memoryBytes};
    if (!isWanted) return judging;
    judging.eachStep = eval::VerifyOptions{};
    judging.eachStep->flops = gflop * 1e9;
    return judging;
}

eval::TrustedRules trustInRulesOf(const rewrite::Thread& thread, const rules::RuleBook& book,
                                  const std::stop_token& stop) {
    eval::TrustOptions options{.insists = true, .appliesDefinitions = false, .only = {}};
    for (const rewrite::Step& step : thread.steps) options.only.insert(step.rule->rule().name);
    if (options.only.empty()) return {};
    eval::TrustedRules rules = eval::RuleTrust(cacheFolder()).of(book, options, stop);
    for (const std::string& line : rules.messages()) fmt::print(stderr, "warning: {}\n", line);
    return rules;
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

}  // namespace

Json verdictJson(const rewrite::Verdict& verdict) { return Json::parse(rewrite::toJson(verdict)); }

void addVerdict(Json& report, const rewrite::Verdict& verdict) {
    report["thread_checked"] = verdict.isThreadChecked;
    report["equivalent"] =
        verdict.values == rewrite::Values::NotCompared ? Json(nullptr) : Json(verdict.values == rewrite::Values::Same);
    report["max_deviation"] = verdict.maxDeviation;
    report["samples_compared"] = verdict.inputs;
    report["note"] = verdict.valuesNote;
    report["assumptions"] = verdict.assumptions;
    report["verdict"] = verdictJson(verdict);
    if (verdict.verification) report["verification"] = verificationJson(*verdict.verification);
}

void printResultVerdict(const rewrite::Verdict& verdict) {
    fmt::print("{}\n", verdict.toString());
    if (verdict.verification) fmt::print("verified: {}\n", verdict.verification->summary());
    const bool hasStep = verdict.verification && verdict.verification->difference;
    if (hasStep) fmt::print(stderr, "{}", verdict.verification->difference->toString());
    if (!hasStep && verdict.values == rewrite::Values::Different) fmt::print(stderr, "{}\n", verdict.counterexample);
    for (const rewrite::RuleRemark& remark : verdict.rules) {
        if (remark.kind != rewrite::RuleRemark::Kind::Dropped) continue;
        fmt::print(stderr, "{} changed values, so the search went on without it (--insist keeps it):\n{}\n",
                   remark.rule, remark.reason);
    }
}

void printRefused(const rewrite::Verdict& refused) {
    fmt::print(stderr,
               "a cheaper program, after {} steps, is left out, as it has DIFFERENT VALUES (--insist gives it all the "
               "same):\n{}\n",
               refused.steps, refused.counterexample);
}

bool mayBeWritten(const rewrite::Verdict& verdict, bool insist) {
    if (!verdict.isRefuted() || (insist && verdict.isThreadChecked)) return true;
    fmt::print(
        stderr, "nothing is written: the result {}\n",
        verdict.isThreadChecked ? "has different values (--insist writes it all the same)" : "has no valid thread");
    return false;
}

int verdictStatus(const rewrite::Verdict& verdict) {
    if (verdict.verificationError) return fail(*verdict.verificationError, false);
    return verdict.isRefuted() ? ExitStatus::CheckFailed : ExitStatus::Success;
}

}  // namespace mitos::cli
