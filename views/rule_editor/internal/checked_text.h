// SPDX-License-Identifier: GPL-3.0-or-later
// What the checker says about the text of a rule set, and the words that can be completed in it. Computed in a job.
#pragma once

#include "core/base/source_text.h"
#include "core/rules/rule.h"

#include <QString>
#include <memory>
#include <vector>

namespace mitos::views {

/// An error or a warning of the checker.
struct RuleMessage {
    bool isError = true;
    int line = 0;  ///< from 1; 0 if the message has no place in this text
    int column = 0;
    QString text;     ///< the message
    QString details;  ///< with the line, a caret and the hint
};

/// A rule of the text, as far as it has no error.
struct TypedRule {
    std::shared_ptr<const rules::Rule> rule;
    int firstLine = 0;  ///< of its comment, from 1
    int lastLine = 0;
};

/// A word that may be completed.
struct RuleWord {
    enum class Kind { Keyword, Operator, Pattern, Attribute, Function, Variable };
    Kind kind = Kind::Keyword;
    QString text;       ///< what is inserted
    QString signature;  ///< "add(a, b)"
    QString meaning;    ///< "ks: sum of two numbers"; may be empty
};

struct CheckedText {
    std::vector<RuleMessage> messages;
    int errors = 0;
    std::vector<TypedRule> rules;
    /// Rules in the set, those of included sets too.
    int ruleCount = 0;
    std::vector<RuleWord> words;
    /// The registry with the operators that the text declares.
    std::shared_ptr<const ir::OperatorRegistry> registry;

    /// The rule that a line belongs to; null if there is none without errors.
    [[nodiscard]] std::shared_ptr<const rules::Rule> ruleAt(int line) const;
};

[[nodiscard]] CheckedText checkRules(const SourceText& source,
                                     const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                     rules::Assumptions assumptions);

/// A rule of a set, for lists.
struct ListedRule {
    QString name;
    QString doc;
    QString text;
    int line = 0;  ///< in the set's own text; 0 if an included set has the rule
};
/// All rules of a set that comes with Mitos or of a file; empty if it cannot be read.
[[nodiscard]] std::vector<ListedRule> rulesOf(const std::string& set,
                                              const std::shared_ptr<const ir::OperatorRegistry>& registry);

}  // namespace mitos::views
