// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on a result: what is known about a thread and about the values of its end. It is made here, stored with the result
// as JSON, and shown wherever the cost is.
#pragma once

#include "core/eval/trusted_rules.h"
#include "core/rewrite/verify.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rewrite {

/// Values of a thread's start and end, on random inputs.
enum class Values : std::uint8_t { NotCompared, Same, Different };
[[nodiscard]] const char* toString(Values values);  ///< "not compared", "same", "different"

/// What a reader must know about a rule that a thread uses.
struct RuleRemark {
    enum class Kind : std::uint8_t {
        Failed,    ///< a counterexample is known
        Untested,  ///< its test did not reach it
        Backwards,  ///< a `domain` rule taken backwards by a step that may lose a value; only the comparison says that it does not
        RealOnly,     ///< equal over the real numbers; rounding or overflow may differ
        Approximate,  ///< keeps values only nearly
    };
    Kind kind = Kind::RealOnly;
    std::string rule;    ///< name of the direction
    std::string reason;  ///< the counterexample, or why it is untested; else empty
};
[[nodiscard]] const char* toString(
    RuleRemark::Kind kind);  ///< "failed", "untested", "backwards", "real_only", "approximate"

struct Verdict {
    std::size_t steps = 0;         ///< of the thread
    std::size_t stepsChecked = 0;  ///< replayed and found right by the checker
    bool isThreadChecked = false;  ///< all of them
    std::string threadNote;        ///< why not

    Values values = Values::NotCompared;
    int inputs = 0;              ///< random inputs on which the ends were compared; 0: only each step was, or nothing
    double maxDeviation = 0.0;   ///< the largest, as eval::deviation()
    bool isStepByStep = false;   ///< the values of each step were compared, as no input tells about the ends
    std::string valuesNote;      ///< how inputs were chosen, or why values were not compared
    std::string counterexample;  ///< of different values

    std::vector<std::string> assumptions;  ///< what the result relies on, as text: "x + 3 > 0"
    std::vector<RuleRemark> rules;         ///< of rules that the thread uses: failed ones first, each rule once

    /// Where JudgeOptions::eachStep asked for it, or why it ended. Neither is part of the JSON.
    std::optional<eval::Verification> verification;
    std::optional<Error> verificationError;

    /// Whether a checked thread leads to a result that has the same values, without a failed or untested rule, a
    /// step that may lose a value, or an assumption.
    [[nodiscard]] bool isGood() const;
    /// Whether the result is known to be wrong.
    [[nodiscard]] bool isRefuted() const { return !isThreadChecked || values == Values::Different; }
    [[nodiscard]] bool hasRule(RuleRemark::Kind kind) const;
    /// In one line: "6 of 6 steps checked; same values on 24 random inputs (largest difference 3e-16); real-only: add_assoc".
    [[nodiscard]] std::string toString() const;
};

struct JudgeOptions {
    eval::EquivalenceOptions sampling = {};
    /// What is known about rules that do not come with the program; null: nothing is.
    const eval::TrustedRules* rules = nullptr;
    /// What the caller knows of, beside what the thread's rules take for granted (assumptions.h).
    std::vector<std::string> assumptions = {};
    bool comparesValues = true;
    /// Compares the values before and after each step as well; a difference there makes the values different. It has the time of
    /// `sampling` again.
    std::optional<eval::VerifyOptions> eachStep = {};
};

/// The verdict on a thread that the checker (step.h) gave this report on. Values are compared by compareEnds(), within its limits; a
/// stop, a limit and an error are notes of the verdict. The values of a thread that is not valid are not compared. Inputs on which an
/// assumption of the thread does not hold are left out.
[[nodiscard]] Verdict judge(const ir::TermBank& bank, const Thread& thread, const ThreadReport& check,
                            const JudgeOptions& options = {});
/// The verdict on a result without a thread: `note` says why there is none.
[[nodiscard]] Verdict judgeWithoutThread(const ir::TermBank& bank, const ir::Program& start, const ir::Program& end,
                                         const std::string& note, const JudgeOptions& options = {});

/// The verdict on what is no program: there is nothing to check or to compare, as the notes say.
[[nodiscard]] Verdict verdictWithoutProgram(const std::string& threadNote, const std::string& valuesNote);

/// A thread with its verdict.
struct Judged {
    Thread thread;
    std::vector<double> costs;  ///< of its states, the start first; empty where none were given
    ThreadReport check;
    Verdict verdict;
    /// The verdict on the thread that was judged first, where that has other values than its start: `thread` is then its
    /// cheapest part, from the start on, that has the same.
    std::optional<Verdict> refused;
};
/// Judges a thread; where its end is known to have other values, its parts from the start on, the cheapest first (without costs the
/// longest), until one has the same. The last is the start itself.
[[nodiscard]] Judged judgeParts(const ir::TermBank& bank, Thread thread, std::vector<double> costs, ThreadReport check,
                                const JudgeOptions& options = {});

/// All fields of a verdict, and its text.
[[nodiscard]] std::string toJson(const Verdict& verdict);
/// Reads what toJson() wrote; nothing: it is not that.
[[nodiscard]] std::optional<Verdict> verdictFromJson(std::string_view json);

}  // namespace mitos::rewrite
