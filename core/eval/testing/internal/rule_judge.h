// SPDX-License-Identifier: GPL-3.0-or-later
// Whether one instance of a rule holds on one input. Private to core/eval.
#pragma once

#include "core/eval/evaluator.h"
#include "core/eval/testing/internal/rule_instances.h"
#include "core/eval/testing/rule_test.h"
#include "core/eval/verify/internal/agreement.h"

#include <string>

namespace mitos::eval {

enum class Outcome : std::uint8_t {
    Agree,
    Differ,    ///< over the reals: the values differ, or only the right side has none
    RealOnly,  ///< Agreement::RealOnly
    Defines,   ///< the right side has a value although the left side fails
    NotCompared,
};

struct Comparison {
    Outcome outcome = Outcome::NotCompared;
    std::string before;  ///< values, or the failures; if not compared, the reason if it can never be compared
    std::string after;
    Agreement agreement = Agreement::Same;
};

/// Judges instances by the rule's tags; see testRules().
class RuleJudge {
public:
    RuleJudge(const ir::TermBank& bank, ir::FunctionId function, const rules::Rule& rule,
              const RuleTestOptions& options);

    [[nodiscard]] Comparison compare(const RuleInstance& instance, const Inputs& inputs) const;
    /// Inputs that suit the instance: every second one is plain, the others are from each Region in turn.
    [[nodiscard]] Result<Inputs> inputsFor(const RuleInstance& instance, Random& random);

private:
    [[nodiscard]] Result<Evaluation> evaluated(ir::TermId root, const Inputs& inputs) const;

    const ir::TermBank& m_bank;
    ir::FunctionId m_function;
    rules::Soundness m_soundness;
    double m_tolerance;
    Limits m_limits;
    std::size_t m_draws = 0;
};

}  // namespace mitos::eval
