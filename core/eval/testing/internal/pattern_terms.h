// SPDX-License-Identifier: GPL-3.0-or-later
// Terms that the left side of a rule is likely to match. Private to core/eval.
#pragma once

#include "core/base/random.h"
#include "core/eval/testing/random_terms.h"
#include "core/rules/language/compiled.h"
#include "core/rules/matching/frame.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::eval {

/// Generates terms for rules whose types are not searched (rules::canBeTyped): named patterns are unfolded at random, function variables
/// become random operators, variables become random closed terms. A term is only a guess: guards are not checked, and the matcher decides
/// whether the rule applies.
class PatternTerms {
public:
    /// `free` lists the variables that the terms may mention.
    PatternTerms(ir::TermBank& bank, const rules::CompiledRule& rule, const std::vector<ir::Parameter>& free)
        : m_bank(bank),
          m_rule(rule),
          m_free(free) {}

    /// Invalid if this attempt gave no well-typed term.
    [[nodiscard]] ir::TermId make(Random& random, std::uint32_t maxSize);

private:
    using Frame = rules::Frame;

    ir::TermId build(const rules::NodeTable& table, std::uint32_t index, Frame* frame);
    ir::TermId apply(const rules::NodeTable& table, const rules::Node& node, Frame* frame);
    ir::TermId function(const rules::NodeTable& table, const rules::Node& node, Frame* frame);
    ir::TermId binder(const rules::NodeTable& table, const rules::Node& node, ir::TypeId type, Frame* frame);
    ir::TermId unfold(const rules::NodeTable& table, const rules::Node& node, Frame* outer);
    bool constraints(const rules::NodeTable& table, const std::vector<rules::CompiledConstraint>& all, Frame* frame);
    /// The arguments of an operator; variables without a value get one of a type that the operator accepts.
    std::optional<std::vector<ir::TermId>> arguments(const rules::NodeTable& table, const rules::Node& node,
                                                     ir::OpId op, Frame* frame);
    /// The stored value of a variable node; null if the node is not a variable.
    ir::TermId* valueOf(const rules::Node& node, Frame* frame);
    ir::TermId filled(ir::TermId* value, ir::TypeId type);
    /// A call of a random function with up to three parameters, which is declared for the purpose.
    ir::TermId randomCall();
    ir::OpId operatorFor(const rules::Node& node, const rules::NodeTable& table, std::size_t arity);
    [[nodiscard]] ir::TypeId candidate();

    ir::TermBank& m_bank;
    const rules::CompiledRule& m_rule;
    const std::vector<ir::Parameter> m_free;  ///< a copy, because declaring functions moves those of the bank
    // state of one attempt
    Random* m_random = nullptr;
    std::uint32_t m_maxSize = 1;
    std::vector<ir::TermId> m_values;  ///< indexed by variable of the rule
    std::vector<std::pair<rules::BinderKey, ir::TypeId>> m_scope;
    std::uint32_t m_frames = 0;
};

}  // namespace mitos::eval
