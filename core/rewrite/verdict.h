// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on a result: the facts established about a thread and about the values of its end. It is computed here, stored with the
// result as JSON, and shown wherever the cost is shown.
#pragma once

#include "core/eval/testing/trusted_rules.h"
#include "core/rewrite/verify.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rewrite {

/// The comparison of the values of a thread's start and end on random inputs.
enum class Values : std::uint8_t { NotCompared, Same, Different };
[[nodiscard]] const char* toString(Values values);  ///< "not compared", "same", "different"

/// A remark about a rule that a thread uses, or that its search did without.
struct RuleRemark {
    enum class Kind : std::uint8_t {
        Failed,    ///< a counterexample is known
        Untested,  ///< its test did not reach it
        Backwards,  ///< a `domain` rule applied backwards by a step that may lose a value; only the comparison rules it out
        ZeroSign,     ///< exact but for the sign of zero
        NotANumber,   ///< exact but for NaN
        RealOnly,     ///< equal over the real numbers; rounding or overflow may differ
        Approximate,  ///< keeps values only approximately
        Dropped,      ///< not used: a result through it had other values than its start
    };
    Kind kind = Kind::RealOnly;
    std::string rule;    ///< name of the direction
    std::string reason;  ///< the counterexample, or why it is untested; else empty

    friend bool operator==(const RuleRemark&, const RuleRemark&) = default;
};
[[nodiscard]] const char* toString(
    RuleRemark::Kind
        kind);  ///< "failed", "untested", "backwards", "zero_sign", "nan", "real_only", "approximate", "dropped"

/// The check of a result that is another value than a program, such as a schedule, by a checker of its own.
struct OutcomeCheck {
    std::string kind;   ///< "schedule"
    std::string fault;  ///< why it is not valid; empty if it is

    [[nodiscard]] bool isValid() const { return fault.empty(); }
    friend bool operator==(const OutcomeCheck&, const OutcomeCheck&) = default;
};

struct Verdict {
    std::size_t steps = 0;         ///< of the thread
    std::size_t stepsChecked = 0;  ///< steps replayed and confirmed by the checker
    bool isThreadChecked = false;  ///< whether all steps were confirmed
    std::string threadNote;        ///< why the thread is not checked

    Values values = Values::NotCompared;
    int inputs = 0;              ///< random inputs on which the ends were compared; 0 if only steps were, or nothing
    double maxDeviation = 0.0;   ///< the largest deviation, as eval::deviation()
    bool isStepByStep = false;   ///< each step was compared, because no input decides about the ends
    std::string valuesNote;      ///< how inputs were chosen, or why values were not compared
    std::string counterexample;  ///< if the values differ
    /// Inputs on which the values differ because of the sign of a zero or NaN, although they are the same otherwise.
    std::vector<eval::ValueException> exceptions;

    std::vector<std::string> assumptions;  ///< what the result relies on, as text: "x + 3 > 0"
    std::vector<RuleRemark> rules;         ///< failed ones first, dropped ones last; each rule once

    /// Set if the result is more than the program at the end of the thread.
    std::optional<OutcomeCheck> outcome;

    /// The step-by-step comparison if JudgeOptions::eachStep requested it, or the error that ended it. Neither is part of the JSON.
    std::optional<eval::Verification> verification;
    std::optional<Error> verificationError;

    /// Whether the thread is checked and the values are the same, without exceptions, a failed or untested rule, a
    /// step that may lose a value, or an assumption, and the outcome, if there is one, is valid.
    [[nodiscard]] bool isGood() const;
    /// Whether the result is known to be wrong.
    [[nodiscard]] bool isRefuted() const {
        return !isThreadChecked || values == Values::Different || (outcome && !outcome->isValid());
    }
    [[nodiscard]] bool hasRule(RuleRemark::Kind kind) const;
    /// The verdict in one line: "6 of 6 steps checked; same values on 24 random inputs (largest difference 3e-16); real-only: add_assoc".
    [[nodiscard]] std::string toString() const;
};

struct JudgeOptions {
    eval::EquivalenceOptions sampling = {};
    /// Test results of rules that do not come with the program; null if there are none.
    const eval::TrustedRules* rules = nullptr;
    /// Assumptions supplied by the caller, in addition to those of the thread's rules (assumptions.h).
    std::vector<std::string> assumptions = {};
    /// Rules that the search dropped (RuleRemark::Kind::Dropped).
    std::vector<RuleRemark> dropped = {};
    bool comparesValues = true;
    /// If set, the values before and after each step are compared as well; a difference there makes the values different. This comparison
    /// gets the time limit of `sampling` again.
    std::optional<eval::VerifyOptions> eachStep = {};
};

/// The verdict on a thread with this report of the checker (step.h). Values are compared by compareEnds(), within its limits; a
/// stop, a limit or an error becomes a note of the verdict. The values of an invalid thread are not compared. Inputs on which an
/// assumption of the thread does not hold are left out.
[[nodiscard]] Verdict judge(const ir::TermBank& bank, const Thread& thread, const ThreadReport& check,
                            const JudgeOptions& options = {});
/// The verdict on a result without a thread; `note` gives the reason that there is none.
[[nodiscard]] Verdict judgeWithoutThread(const ir::TermBank& bank, const ir::Program& start, const ir::Program& end,
                                         const std::string& note, const JudgeOptions& options = {});

/// The verdict on a result that is not a program, so that there is nothing to check or to compare; the notes say why.
[[nodiscard]] Verdict verdictWithoutProgram(const std::string& threadNote, const std::string& valuesNote);

/// A thread with its verdict.
struct Judged {
    Thread thread;
    std::vector<double> costs;  ///< of its states, the start first; empty if none were given
    ThreadReport check;
    Verdict verdict;
    /// Set if the end of the whole thread has other values than its start: the verdict on the whole thread. `thread` is then the prefix
    /// with the cheapest end that has the same values.
    std::optional<Verdict> refused;
    /// If `refused` is set: the index of a step of the whole thread that changes the values, while the steps before it do not. Empty if the
    /// time did not suffice to find one.
    std::optional<std::size_t> guilty;
};
/// Judges a thread. If its end is known to have other values than its start, judges its prefixes, the cheapest first (without costs the
/// longest), until one has the same values; the start itself always does.
[[nodiscard]] Judged judgeParts(const ir::TermBank& bank, Thread thread, std::vector<double> costs, ThreadReport check,
                                const JudgeOptions& options = {});

/// Writes all fields of a verdict, and its text.
[[nodiscard]] std::string toJson(const Verdict& verdict);
/// Reads the output of toJson(); nothing if the text is not such output.
[[nodiscard]] std::optional<Verdict> verdictFromJson(std::string_view json);

}  // namespace mitos::rewrite
