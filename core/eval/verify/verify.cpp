// SPDX-License-Identifier: GPL-3.0-or-later
// Reports, and verification of ks programs by the values of consecutive states.
#include "core/eval/verify/verify.h"

#include "core/eval/internal/finite.h"
#include "core/eval/internal/scalars.h"
#include "core/eval/samples.h"
#include "core/eval/verify/internal/agreement.h"
#include "core/eval/verify/internal/verify_graphs.h"
#include "core/ir/binding.h"
#include "core/ir/dialect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace mitos::eval {

using ir::TermId;

namespace {

/// Evaluates the states in order for each input; only the first `m_end` steps are compared, fewer after a difference.
class TreeVerification {
public:
    TreeVerification(const ir::TermBank& bank, const ir::Program& start, const std::vector<VerifyStep>& steps,
                     const VerifyOptions& options)
        : m_bank(bank),
          m_start(start),
          m_steps(steps),
          m_options(options),
          m_end(steps.size()) {
        m_found.steps.resize(steps.size());
    }

    Result<Verification> run() {
        const bool repeatable = isRepeatable(m_bank, m_start) && std::ranges::all_of(m_steps, [&](const VerifyStep& s) {
                                    return isRepeatable(m_bank, {m_start.function, s.result});
                                });
        if (!repeatable) return noted(std::move(m_found), NotRepeatable);
        DecidingNumbers numbers;
        addDecidingNumbers(m_bank, m_start.root, numbers);
        if (!m_steps.empty()) addDecidingNumbers(m_bank, m_steps.back().result, numbers);
        // Each input is evaluated by every state of the thread.
        const std::size_t states = m_steps.size() + 1;
        const int more = static_cast<int>(std::clamp<std::size_t>(MostComparisons / states, 8, 250));
        MITOS_TRY(Samples drawn,
                  drawCoveringSamples(m_bank, m_start, m_options.samples, m_options.seed, m_options.limits,
                                      {.numbers = numbers, .most = more, .steps = MostStepsBeyond / states}));
        keepAssumed(m_bank, m_start.function, m_options.assumptions, m_options.limits, drawn.samples);
        for (const Sample& sample : drawn.samples) MITOS_REQUIRE(walk(sample));
        if (drawn.samples.empty()) {
            return noted(std::move(m_found), "no input was found on which the program has a finite value" +
                                                 (drawn.lastError.empty() ? "" : ": " + drawn.lastError));
        }
        return noted(std::move(m_found), "on no input were the values before and after it finite");
    }

private:
    Status walk(const Sample& sample) {
        std::optional<Value> before = sample.expected;
        for (std::size_t i = 0; i < m_end; ++i) {
            Limits limits = m_options.limits;
            if (sample.isWide) limits.steps = std::min(limits.steps, MostStepsOfWide);
            const Result<Evaluation> after =
                evaluate(m_bank, {m_start.function, m_steps[i].result}, sample.inputs, limits);
            if (!after && after.error().code == ErrorCode::Cancelled) return after.error();
            MITOS_TRY(const bool differs, compare(i, before, after, sample));
            if (differs) return Success{};
            before = after && isFinite(after->value) ? std::optional(after->value) : std::nullopt;
        }
        return Success{};
    }

    /// Whether the step changes the value.
    Result<bool> compare(std::size_t i, const std::optional<Value>& before, const Result<Evaluation>& after,
                         const Sample& sample) {
        const VerifyStep& step = m_steps[i];
        if (!before || (!after && after.error().code == ErrorCode::Limit)) return false;  // slower, not different
        // A rule that may drop failures introduces them from right to left.
        const bool mayFail = step.isReversed && step.soundness == rules::Soundness::Domain;
        if (mayFail && (!after || !isFinite(after->value))) return false;
        const TermId state = i == 0 ? m_start.root : m_steps[i - 1].result;
        const double tolerance = std::max(step.allowed.value_or(0.0), m_options.tolerance);
        MITOS_TRY(const Judged judged, judge(m_bank, {m_start.function, state}, {m_start.function, step.result},
                                             {sample.inputs, *before, after}, tolerance, m_options.limits));
        if (judged.agreement == Agreement::Undecided) return false;
        StepVerdict& verdict = m_found.steps[i];
        const auto isException = judged.agreement == Agreement::ZeroSign || judged.agreement == Agreement::NotANumber;
        if (isException || judged.agreement == Agreement::RealOnly) {
            ++verdict.realOnly;
            return false;
        }
        const double apart = judged.deviation;
        verdict.check = StepCheck::Whole;
        verdict.maxDeviation = std::max(verdict.maxDeviation, apart);
        ++verdict.samples;
        if (apart <= tolerance) return false;
        StepDifference difference = differenceAt(m_bank, {m_start.function, state}, step, i + 1);
        difference.place = "the program's value";
        difference.beforeValue = toString(*before);
        difference.afterValue = after ? toString(after->value) : "fails: " + after.error().message;
        difference.inputs = describeInputs(m_bank, m_bank.function(m_start.function), sample.inputs);
        difference.deviation = apart;
        difference.tolerance = tolerance;
        m_found.difference = std::move(difference);
        m_end = i;  // another input may show an earlier one
        return true;
    }

    /// Limits on evaluated states and their steps, on inputs beyond the plain ones.
    static constexpr std::size_t MostComparisons = 6000;
    static constexpr std::uint64_t MostStepsBeyond = 30'000'000;

    const ir::TermBank& m_bank;
    const ir::Program& m_start;
    const std::vector<VerifyStep>& m_steps;
    const VerifyOptions& m_options;
    std::size_t m_end;
    Verification m_found;
};

}  // namespace

Verification noted(Verification found, const std::string& note) {
    for (std::size_t i = 0; i < found.steps.size(); ++i) {
        StepVerdict& verdict = found.steps[i];
        const bool isBehind = found.difference && i + 1 > found.difference->step;
        if (isBehind) verdict = {.check = StepCheck::None, .note = "it comes behind a difference"};
        if (verdict.check == StepCheck::None && verdict.note.empty()) verdict.note = note;
    }
    return found;
}

StepDifference differenceAt(const ir::TermBank& bank, const ir::Program& before, const VerifyStep& step,
                            std::size_t number) {
    StepDifference difference;
    difference.step = number;
    difference.rule = step.name;
    for (const ir::Path& position : step.positions) {
        const bool isFirst = difference.position.empty();
        difference.position += (isFirst ? "" : " and ") + ir::toString(position);
        const auto text = [&](TermId root) {
            const std::optional<TermId> term = ir::subterm(bank, root, position);
            return term ? ir::printTermAt(bank, before, position, *term, {.width = 0, .compact = true}) : "";
        };
        difference.before += (isFirst ? "" : "; ") + text(before.root);
        difference.after += (isFirst ? "" : "; ") + text(step.result);
    }
    return difference;
}

std::string StepDifference::toString() const {
    return fmt::format(
        "step {}, {} at {}, changes a value: {}\n  before {} = {}\n  after  {} = {}\n  deviation {:.3g}, allowed "
        "{:.2g}; {}\n",
        step, rule, position, place, before, beforeValue, after, afterValue, deviation, tolerance, inputs);
}

std::size_t Verification::count(StepCheck check) const {
    return static_cast<std::size_t>(std::ranges::count(steps, check, &StepVerdict::check));
}

double Verification::maxDeviation() const {
    double largest = 0.0;
    for (const StepVerdict& verdict : steps) largest = std::max(largest, verdict.maxDeviation);
    return largest;
}

std::string Verification::summary() const {
    if (difference) return fmt::format("step {} ({}) changes a value", difference->step, difference->rule);
    if (steps.empty()) return "there are no steps to verify";
    const std::size_t open = count(StepCheck::None);
    if (open == steps.size()) return "no step could be verified: " + steps.front().note;
    const std::size_t checked = steps.size() - open;
    std::vector<std::string> ways;
    if (count(StepCheck::Whole) > 0) ways.push_back(fmt::format("{} within the program", count(StepCheck::Whole)));
    if (count(StepCheck::Alone) > 0)
        ways.push_back(fmt::format("{} alone on random operands", count(StepCheck::Alone)));
    std::string text =
        fmt::format("{} of {} step{} keep{} the values: {}; largest deviation {:.2g}", checked, steps.size(),
                    steps.size() == 1 ? "" : "s", checked == 1 ? "s" : "", fmt::join(ways, ", "), maxDeviation());
    if (open == 0) return text;
    const auto first = std::ranges::find(steps, StepCheck::None, &StepVerdict::check);
    return text + fmt::format("; step {} was not verified: {}", first - steps.begin() + 1, first->note);
}

Result<Verification> verifyTrees(const ir::TermBank& bank, const ir::Program& start,
                                 const std::vector<VerifyStep>& steps, const VerifyOptions& options) {
    return TreeVerification(bank, start, steps, options).run();
}

}  // namespace mitos::eval
