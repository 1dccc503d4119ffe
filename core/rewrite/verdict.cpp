// SPDX-License-Identifier: GPL-3.0-or-later
// See verdict.h.
#include "core/rewrite/verdict.h"

#include "core/base/time_limit.h"
#include "core/rewrite/assumptions.h"
#include "core/rewrite/definedness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace mitos::rewrite {

namespace {

using Kind = RuleRemark::Kind;

constexpr std::array Kinds{Kind::Failed,     Kind::Untested, Kind::Backwards, Kind::Approximate,
                           Kind::NotANumber, Kind::ZeroSign, Kind::RealOnly,  Kind::Dropped};

/// The words for remarks of a kind in a verdict's text.
const char* wordsOf(Kind kind) {
    switch (kind) {
        case Kind::Failed: return "FAILED THEIR TEST";
        case Kind::Untested: return "not tested";
        case Kind::Backwards: return "backwards, may lose a value";
        case Kind::ZeroSign: return "exact but for the sign of zero";
        case Kind::NotANumber: return "exact but for NaN";
        case Kind::RealOnly: return "real-only";
        case Kind::Approximate: return "approximate";
        case Kind::Dropped: return "dropped, as they changed values";
    }
    return "";
}

std::optional<RuleRemark> remarkOn(const rules::DirectedRule& rule, const eval::TrustedRules* trusted) {
    if (trusted != nullptr) {
        if (const eval::DoubtfulRule* doubt = eval::doubtOf(trusted->failed, rule); doubt != nullptr) {
            return RuleRemark{Kind::Failed, rule.name(), doubt->reason};
        }
        if (const eval::DoubtfulRule* doubt = eval::doubtOf(trusted->untested, rule); doubt != nullptr) {
            return RuleRemark{Kind::Untested, rule.name(), doubt->reason};
        }
    }
    if (rule.rule().hasTag("approximate")) return RuleRemark{Kind::Approximate, rule.name(), {}};
    switch (rule.rule().soundness) {
        case rules::Soundness::ExactButZeroSign: return RuleRemark{Kind::ZeroSign, rule.name(), {}};
        case rules::Soundness::ExactButNaN: return RuleRemark{Kind::NotANumber, rule.name(), {}};
        case rules::Soundness::RealOnly: return RuleRemark{Kind::RealOnly, rule.name(), {}};
        case rules::Soundness::Exact:
        case rules::Soundness::Domain: break;
    }
    return std::nullopt;
}

/// Sorts remarks by kind: failed rules first, real-only ones last.
void sortRemarks(std::vector<RuleRemark>& remarks) {
    const auto order = [](const RuleRemark& remark) { return std::ranges::find(Kinds, remark.kind) - Kinds.begin(); };
    std::ranges::stable_sort(remarks, {}, order);
}

std::vector<RuleRemark> remarksOn(const Thread& thread, const eval::TrustedRules* trusted) {
    std::vector<RuleRemark> remarks;
    for (const Step& step : thread.steps) {
        if (std::ranges::find(remarks, step.rule->name(), &RuleRemark::rule) != remarks.end()) continue;
        if (std::optional<RuleRemark> remark = remarkOn(*step.rule, trusted)) remarks.push_back(*std::move(remark));
    }
    sortRemarks(remarks);
    return remarks;
}

void takeValues(Verdict& verdict, const Result<eval::Equivalence>& ends) {
    if (!ends) {
        verdict.valuesNote = ends.error().code == ErrorCode::Cancelled ? "stopped" : ends.error().message;
        return;
    }
    verdict.valuesNote = ends->note;
    verdict.isStepByStep = ends->stepByStep;
    if (ends->compared == 0) return;
    verdict.values = ends->equivalent ? Values::Same : Values::Different;
    verdict.inputs = ends->stepByStep ? 0 : ends->compared;
    verdict.maxDeviation = ends->maxDeviation;
    verdict.counterexample = ends->counterexample;
    verdict.exceptions = ends->exceptions;
}

void verifySteps(Verdict& verdict, const ir::TermBank& bank, const Thread& thread, const JudgeOptions& options) {
    const TimeLimit time(options.sampling.seconds, options.sampling.limits.stop);
    eval::VerifyOptions each = *options.eachStep;
    each.limits.stop = time.token();
    Result<eval::Verification> found = verify(bank, thread, each);
    if (!found) {
        verdict.verificationError = found.error();
        if (time.isOver()) {
            verdict.verificationError->message = fmt::format(
                "verifying each step ended after the {:g} s that comparing may take", options.sampling.seconds);
        }
        return;
    }
    if (found->difference && verdict.values != Values::Different) {
        verdict.values = Values::Different;
        verdict.maxDeviation = std::max(verdict.maxDeviation, found->difference->deviation);
        verdict.counterexample = found->difference->toString();
    }
    verdict.verification = *std::move(found);
}

/// Builds the assumptions, which are terms, in a bank of its own, because `bank` may be in use elsewhere.
void compareAssuming(Verdict& verdict, const ir::TermBank& bank, const Thread& thread, const JudgeOptions& options) {
    ir::TermBank own(bank.sharedRegistry());
    const Thread copy = transplant(bank, thread, own);
    if (own.function(copy.start.function).sharing == ir::Sharing::Tree) {
        const std::size_t defined = stepsThatStayDefined(own, copy);
        if (defined < copy.steps.size()) {
            const std::string reason = fmt::format("step {} may make undefined what the program defines", defined + 1);
            verdict.rules.push_back({Kind::Backwards, copy.steps[defined].rule->name(), reason});
            sortRemarks(verdict.rules);
        }
    }
    const std::vector<Assumption> assumed = assumptionsOf(own, copy);
    for (const Assumption& each : assumed) verdict.assumptions.push_back(each.text);
    JudgeOptions assuming = options;
    assuming.sampling.assumptions = signsOf(own, assumed);
    if (copy.steps.empty()) {
        verdict.values = Values::Same;  // it is the program itself
    } else {
        takeValues(verdict, compareEnds(own, copy, assuming.sampling));
    }
    if (!assuming.eachStep) return;
    assuming.eachStep->assumptions = assuming.sampling.assumptions;
    verifySteps(verdict, own, copy, assuming);
}

std::string threadWords(const Verdict& verdict) {
    if (verdict.isThreadChecked && verdict.steps == 0) return "no steps";
    const std::string counted =
        fmt::format("{} of {} step{} checked", verdict.stepsChecked, verdict.steps, verdict.steps == 1 ? "" : "s");
    if (verdict.isThreadChecked) return counted;
    if (verdict.steps == 0) return "no thread: " + verdict.threadNote;
    return fmt::format("THE THREAD IS NOT VALID ({}): {}", counted, verdict.threadNote);
}

std::string outcomeWords(const OutcomeCheck& outcome) {
    if (outcome.isValid()) return fmt::format("{} checked", outcome.kind);
    return fmt::format("{} NOT VALID: {}", outcome.kind, outcome.fault);
}

/// " but for the sign of zero and NaN"
std::string exceptionWords(const Verdict& verdict) {
    std::vector<std::string> words;
    for (const eval::ValueException& exception : verdict.exceptions) words.emplace_back(eval::toString(exception.kind));
    return words.empty() ? "" : fmt::format(" but for {}", fmt::join(words, " and "));
}

std::string valueWords(const Verdict& verdict) {
    const auto noted = [&verdict](std::string text) {
        return verdict.valuesNote.empty() ? text : fmt::format("{} ({})", text, verdict.valuesNote);
    };
    switch (verdict.values) {
        case Values::NotCompared:
            return verdict.valuesNote.empty() ? "values not compared" : "values not compared: " + verdict.valuesNote;
        case Values::Different: return "DIFFERENT VALUES on some inputs";
        case Values::Same: break;
    }
    if (verdict.isStepByStep) return noted("same values step by step");
    if (verdict.steps == 0 && verdict.inputs == 0) return noted("the program's own values");
    const std::string note = verdict.valuesNote.empty() ? "" : "; " + verdict.valuesNote;
    return fmt::format("same values on {} random input{}{} (largest difference {:.2g}{})", verdict.inputs,
                       verdict.inputs == 1 ? "" : "s", exceptionWords(verdict), verdict.maxDeviation, note);
}

std::string ruleWords(const Verdict& verdict, Kind kind) {
    constexpr std::size_t Shown = 4;
    std::vector<std::string> names;
    for (const RuleRemark& remark : verdict.rules) {
        if (remark.kind == kind) names.push_back(remark.rule);
    }
    if (names.empty()) return {};
    const std::size_t more = names.size() > Shown ? names.size() - Shown : 0;
    names.resize(names.size() - more);
    return fmt::format("; {}: {}{}", wordsOf(kind), fmt::join(names, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

/// The thread's first `steps` steps.
Thread partOf(const Thread& thread, std::size_t steps) {
    const auto count = static_cast<std::ptrdiff_t>(steps);
    return {thread.start,
            {thread.steps.begin(), thread.steps.begin() + count},
            {thread.states.begin(), thread.states.begin() + count}};
}

}  // namespace

const char* toString(Values values) {
    switch (values) {
        case Values::NotCompared: return "not compared";
        case Values::Same: return "same";
        case Values::Different: return "different";
    }
    return "";
}

const char* toString(RuleRemark::Kind kind) {
    switch (kind) {
        case Kind::Failed: return "failed";
        case Kind::Untested: return "untested";
        case Kind::Backwards: return "backwards";
        case Kind::ZeroSign: return "zero_sign";
        case Kind::NotANumber: return "nan";
        case Kind::RealOnly: return "real_only";
        case Kind::Approximate: return "approximate";
        case Kind::Dropped: return "dropped";
    }
    return "";
}

bool Verdict::hasRule(RuleRemark::Kind kind) const {
    return std::ranges::find(rules, kind, &RuleRemark::kind) != rules.end();
}

bool Verdict::isGood() const {
    return isThreadChecked && values == Values::Same && exceptions.empty() && assumptions.empty() &&
           (!outcome || outcome->isValid()) && !hasRule(Kind::Failed) && !hasRule(Kind::Untested) &&
           !hasRule(Kind::Backwards);
}

std::string Verdict::toString() const {
    const std::string outcomeText = outcome ? outcomeWords(*outcome) : std::string();
    if (outcome && isThreadChecked && steps == 0) return outcomeText;  // the program is as it was
    std::string text = (outcome ? outcomeText + "; " : "") + threadWords(*this) + "; " + valueWords(*this);
    if (!assumptions.empty()) text += fmt::format("; assuming {}", fmt::join(assumptions, ", "));
    for (const Kind kind : Kinds) text += ruleWords(*this, kind);
    return text;
}

Verdict judge(const ir::TermBank& bank, const Thread& thread, const ThreadReport& check, const JudgeOptions& options) {
    Verdict verdict;
    verdict.steps = thread.steps.size();
    verdict.isThreadChecked = check.valid;
    verdict.stepsChecked = check.valid ? thread.steps.size() : check.steps;
    verdict.threadNote = check.reason;
    verdict.assumptions = options.assumptions;
    verdict.rules = remarksOn(thread, options.rules);
    verdict.rules.insert(verdict.rules.end(), options.dropped.begin(), options.dropped.end());
    if (!check.valid) {
        verdict.steps = std::max(verdict.steps, check.failedStep);
        verdict.valuesNote = "the thread is not valid";
    } else if (!options.comparesValues) {
        verdict.valuesNote = "not asked for";
    } else {
        compareAssuming(verdict, bank, thread, options);
    }
    return verdict;
}

Verdict judgeWithoutThread(const ir::TermBank& bank, const ir::Program& start, const ir::Program& end,
                           const std::string& note, const JudgeOptions& options) {
    Verdict verdict;
    verdict.threadNote = note;
    verdict.assumptions = options.assumptions;
    verdict.rules = options.dropped;
    if (options.comparesValues) takeValues(verdict, eval::compare(bank, start, end, options.sampling));
    return verdict;
}

Verdict verdictWithoutProgram(const std::string& threadNote, const std::string& valuesNote) {
    Verdict verdict;
    verdict.threadNote = threadNote;
    verdict.valuesNote = valuesNote;
    return verdict;
}

namespace {

/// The index of the step after the first `same` steps that changes the values, where those of the whole thread are known to differ. Empty if
/// the time runs out.
std::optional<std::size_t> guiltyStep(const ir::TermBank& bank, const Thread& thread, std::size_t same,
                                      const JudgeOptions& options, const TimeLimit& time) {
    JudgeOptions left = options;
    left.eachStep.reset();
    std::size_t different = thread.steps.size();
    while (different - same > 1) {
        if (time.token().stop_requested()) return std::nullopt;
        if (options.sampling.seconds > 0.0) {
            left.sampling.seconds = std::max(0.01, options.sampling.seconds - time.elapsed());
        }
        const std::size_t middle = same + (different - same) / 2;
        const ThreadReport report{.valid = true, .steps = middle, .failedStep = 0, .reason = {}};
        const bool differs = judge(bank, partOf(thread, middle), report, left).values == Values::Different;
        (differs ? different : same) = middle;
    }
    return different - 1;
}

}  // namespace

Judged judgeParts(const ir::TermBank& bank, Thread thread, std::vector<double> costs, ThreadReport check,
                  const JudgeOptions& options) {
    const TimeLimit time(options.sampling.seconds, options.sampling.limits.stop);
    Judged judged;
    judged.verdict = judge(bank, thread, check, options);
    const bool isOther = judged.verdict.values == Values::Different;
    std::vector<std::size_t> lengths(isOther ? thread.steps.size() : 0);
    std::iota(lengths.begin(), lengths.end(), std::size_t{0});
    if (costs.size() > thread.steps.size()) {
        std::ranges::stable_sort(lengths, {}, [&costs](std::size_t length) { return costs[length]; });
    } else {
        std::ranges::reverse(lengths);
    }
    JudgeOptions left = options;
    for (const std::size_t length : lengths) {
        if (options.sampling.seconds > 0.0) {
            left.sampling.seconds = std::max(0.01, options.sampling.seconds - time.elapsed());
        }
        const Thread part = partOf(thread, length);
        // After the time limit, only the start is known to have its own values.
        if (time.token().stop_requested() && length > 0) continue;
        const ThreadReport report{.valid = true, .steps = length, .failedStep = 0, .reason = {}};
        Verdict verdict = judge(bank, part, report, left);
        if (verdict.values != Values::Same && length > 0) continue;
        judged.refused = std::exchange(judged.verdict, std::move(verdict));
        judged.guilty = guiltyStep(bank, thread, length, options, time);
        thread = part;
        check = report;
        costs.resize(std::min(costs.size(), length + 1));
        break;
    }
    judged.thread = std::move(thread);
    judged.costs = std::move(costs);
    judged.check = std::move(check);
    return judged;
}

}  // namespace mitos::rewrite
