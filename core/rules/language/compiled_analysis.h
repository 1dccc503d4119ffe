// SPDX-License-Identifier: GPL-3.0-or-later
// Analyses that rule files state, after checking.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/rule.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::rules {

/// A line of an analysis: a value computed from values.
struct AnalysisEquation {
    CompiledRule scope;  ///< its names as variables, its expressions as conditions; the guard is what stands after `if`
    std::uint32_t value = NoNode;
    ir::OpId op = {};                  ///< of an operator's value
    std::vector<VarIndex> operands;    ///< by operand: its name
    std::vector<VarIndex> attributes;  ///< by attribute: its name, or NoVar
    SourcePlace place;
    std::string text;  ///< as written
};

/// What is known of terms, as a rule file states it. The value of a term is computed from those of its operands, by the first equation of
/// its operator whose condition holds and whose value exists; it may exist although that of an operand is not known. Without such an
/// equation nothing is known of a term.
struct CompiledAnalysis {
    std::string name;
    std::string doc;
    std::string text;  ///< as written in the file
    SourcePlace place;
    Soundness soundness = Soundness::Exact;   ///< otherwise it is silent on values that are infinite or NaN
    std::vector<std::string> words;           ///< that may be values
    std::vector<AnalysisEquation> literals;   ///< the value of a literal
    std::vector<AnalysisEquation> operators;  ///< those of operators
    /// What is known of a term that equals two others, of which two different values are known. No value: they cannot both be right.
    std::vector<AnalysisEquation> joins;
    std::optional<AnalysisEquation> means;  ///< whether a number may have a value; unless stated, it is the value
    bool folds = false;                     ///< a term whose value is known is replaced by that constant
    bool prunes = false;                    ///< and e-graphs drop what it replaces
};

/// The analyses that the rules of a set may ask for: those of its file and of the sets that it includes. One that folds constants is also a
/// rule of its name.
[[nodiscard]] AnalysisTable analysesOf(const RuleSet& set);

}  // namespace mitos::rules
