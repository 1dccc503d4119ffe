// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of rules: loaded, checked, compiled, ready to match and to apply.
#pragma once

#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/ir/term_bank.h"

#include <absl/container/inlined_vector.h>
#include <absl/functional/function_ref.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

enum class Direction : std::uint8_t { Forward, Backward };

/// The degree to which both sides of a rule agree (knossos-optimizer.md 3.4, soundness notes), the soundest first. Integers wrap around and
/// are always the same.
enum class Soundness : std::uint8_t {
    Exact,             ///< the same value, bit for bit but for payloads of NaN, failure and non-termination included
    ExactButZeroSign,  ///< exact if zeros have no sign: 0.0 may stand for -0.0, and what depends on that may differ
    ExactButNaN,       ///< exact where no operand and no intermediate result is NaN
    RealOnly,          ///< equal over the real numbers; rounding, signs of zeros and NaN may differ
    Domain,            ///< equal over the reals where the left side has a value; may give a value where it has none
};
/// The tag in rule files: "exact", "exact-but-zero-sign", "exact-but-nan", "real-only", "domain".
[[nodiscard]] const char* toString(Soundness soundness);
/// Whether the sides have the same value, bit for bit, with at most one exception.
[[nodiscard]] constexpr bool isExact(Soundness soundness) { return soundness <= Soundness::ExactButNaN; }

/// The value of one variable of a rule.
struct Binding {
    /// A term, in the surroundings of the matched subterm extended by the pattern's binders that the variable may mention.
    /// For a function variable: a term whose operator, payload and hint are the value.
    ir::TermId term;
    /// For a sequence variable `a...`: its terms.
    absl::InlinedVector<ir::TermId, 2> sequence;

    friend bool operator==(const Binding&, const Binding&) = default;
};

/// A value for every variable of a directed rule, in the order of DirectedRule::variables().
struct Substitution {
    absl::InlinedVector<Binding, 6> values;

    friend bool operator==(const Substitution&, const Substitution&) = default;
};

class Rule;
class CompiledDirection;
struct CompiledRule;

/// One root of a rule.
struct RuleRoot {
    /// The operators at which the left side of the root can match; empty if it can match at any.
    std::vector<ir::OpId> operators;
    /// The left side of the root alone, over the variables of the rule. With several roots it lacks the match constraints, the condition and
    /// the locals of the rule: a term must match it before it is joined with others. Null for rules that do not come from a rule file.
    std::shared_ptr<const CompiledRule> pattern = {};
    /// With several roots: the rewrite of this one as a rule "NAME.i" of its own (directed_rule.h). Null if the rule has one root.
    std::shared_ptr<const CompiledDirection> alone = {};
};

/// One direction of a rule, compiled. Immutable; usable with every bank whose registry extends the one it was loaded
/// with, from several threads at once (each with its own bank).
/// A rule has one root or several (TENSAT's multi-patterns). With several, one substitution matches all roots and all are replaced
/// together: the subject is the tuple of the terms at the roots, and the result the tuple of their replacements.
class DirectedRule {
public:
    virtual ~DirectedRule() = default;

    /// The rule's description; its `directions` is empty, because a direction does not keep the others alive.
    [[nodiscard]] virtual const Rule& rule() const = 0;
    [[nodiscard]] virtual Direction direction() const = 0;
    /// The name of the direction: the rule's name, followed by "~" for the backward one.
    [[nodiscard]] virtual std::string name() const = 0;
    /// Names of the variables, for showing a substitution.
    [[nodiscard]] virtual const std::vector<std::string>& variables() const = 0;

    /// Reports every match of the left side at the term for which the guard holds, in a fixed order, each once. Return
    /// false from `found` to stop. The term may have loose bound variables.
    virtual void match(ir::TermBank& bank, ir::TermId subject,
                       absl::FunctionRef<bool(const Substitution&)> found) const = 0;
    /// The right side under a substitution; `subject` is the matched term (its type fixes the types of polymorphic
    /// literals). Fails if no branch's condition holds, if types do not fit, or if a computed constant is not finite.
    [[nodiscard]] virtual Result<ir::TermId> apply(ir::TermBank& bank, const Substitution& substitution,
                                                   ir::TermId subject) const = 0;

    /// The left side under a substitution, built without the matcher; side conditions are not evaluated. Fails if values
    /// do not fit their variables or types do not fit.
    [[nodiscard]] virtual Result<ir::TermId> left(ir::TermBank& bank, const Substitution& substitution) const = 0;

    /// For the independent checker: succeeds if the left side under the substitution equals `subject`, decided by instantiating it
    /// (without the matcher), and every side condition holds. Otherwise the error says what does not hold.
    [[nodiscard]] virtual Status isInstance(ir::TermBank& bank, const Substitution& substitution,
                                            ir::TermId subject) const = 0;
    /// The roots of the left side, at least one.
    [[nodiscard]] virtual std::span<const RuleRoot> roots() const = 0;
};

/// A rule as written in a file.
class Rule {
public:
    std::string name;
    std::string doc;                ///< the comment above the rule
    std::string text;               ///< as written in the file, from `rule` to its end
    std::string dialect;            ///< that its file declares (rule_sets.h); empty if it declares none
    std::vector<std::string> tags;  ///< "phase1", "expand", … (without the soundness tags)
    Soundness soundness = Soundness::Exact;
    /// One direction, or two for `<=>`.
    std::vector<std::shared_ptr<const DirectedRule>> directions;
    SourcePlace place;

    /// Whether the rule has several roots. Such a rule rewrites e-graphs and programs that are graphs.
    [[nodiscard]] bool hasSeveralRoots() const;
    [[nodiscard]] bool hasTag(std::string_view tag) const;
};

struct RuleSet {
    std::string name;   ///< "ks-simple", or the file's path
    std::string title;  ///< first line of the file's leading comment
    std::string doc;    ///< the rest of that comment
    std::vector<std::shared_ptr<const Rule>> rules;

    /// The names of the sets or files that contain its rules, in the order of the rules: this set, or sets that it includes.
    [[nodiscard]] std::vector<std::string> origins() const;
};

/// A loaded file: the rules without errors, and an error for each other rule, which does not invalidate the rest of the file.
struct LoadedRules {
    RuleSet set;
    std::vector<Error> errors;
    std::vector<std::string> warnings;
    /// The files that were read: the source itself, if it is a file, and those that it includes.
    std::vector<std::string> files = {};
    /// The registry extended by the file's `op` declarations (the given one if there are none).
    std::shared_ptr<const ir::OperatorRegistry> registry;
};

/// Whether rules apply if the sign that their condition requires is not known. The assumptions made are reported with the result
/// (rewrite/assumptions.h).
enum class Assumptions : std::uint8_t { Forbidden, Allowed };

/// Parses, checks and compiles the rules of a text. The Result is an error only if the text yields no rule at all. The rules of
/// an included set take the place of its `include`; `Rule::place` is the place where a rule is written.
[[nodiscard]] Result<LoadedRules> loadRules(const SourceText& source,
                                            std::shared_ptr<const ir::OperatorRegistry> registry,
                                            Assumptions assumptions = Assumptions::Forbidden);

/// The names and texts of the rule sets that come with the program (embedded at build time), in listing order.
[[nodiscard]] const std::vector<std::string>& shippedRuleSets();
[[nodiscard]] Result<SourceText> shippedRuleSetText(std::string_view name);
/// The text of a set that comes with the program, of a file, or of TENSAT's files in a folder.
[[nodiscard]] Result<SourceText> ruleSetText(const std::string& nameOrFile);

/// The rules that the user chose, for example "ks-simple,my.rules,-commute_add" (RuleChoice in rule_sets.h). If several rules have the same
/// name, the first is kept. Rules with errors are left out and listed in problems(); a file without any valid rule is an error.
class RuleBook {
public:
    [[nodiscard]] static Result<RuleBook> load(std::string_view names,
                                               std::shared_ptr<const ir::OperatorRegistry> registry,
                                               Assumptions assumptions = Assumptions::Forbidden);
    /// The book without rules, for programs of a dialect without shipped ones. Its names are empty.
    [[nodiscard]] static RuleBook none(std::shared_ptr<const ir::OperatorRegistry> registry,
                                       Assumptions assumptions = Assumptions::Forbidden);

    [[nodiscard]] const std::vector<RuleSet>& sets() const { return m_sets; }
    /// The text of the user's choice.
    [[nodiscard]] const std::string& names() const { return m_names; }
    [[nodiscard]] Assumptions assumptions() const { return m_assumptions; }
    /// The same rules with assumptions allowed or forbidden; nothing is read or checked again.
    [[nodiscard]] RuleBook with(Assumptions assumptions) const;
    [[nodiscard]] const std::shared_ptr<const ir::OperatorRegistry>& registry() const { return m_registry; }
    /// The directions of all rules in file order, those with several roots after the others.
    [[nodiscard]] const std::vector<std::shared_ptr<const DirectedRule>>& directions() const { return m_directions; }
    /// The direction with a name such as "commute_add" or "distribute~"; "merge" for a rule with several roots, and "merge.0", "merge.0~"
    /// for its rewrite of one root. Null if there is none.
    [[nodiscard]] std::shared_ptr<const DirectedRule> find(std::string_view directionName) const;
    /// The files that the rules were read from, including those that other files include.
    [[nodiscard]] const std::vector<std::string>& files() const { return m_files; }
    /// The errors of the rules and other items that were left out, in file order.
    [[nodiscard]] const std::vector<Error>& problems() const { return m_problems; }

private:
    /// Collects the directions of m_sets.
    void listDirections();

    std::string m_names;
    std::vector<std::string> m_files;
    Assumptions m_assumptions = Assumptions::Forbidden;
    std::vector<Error> m_problems;
    std::vector<RuleSet> m_sets;
    std::vector<std::shared_ptr<const DirectedRule>> m_directions;
    std::shared_ptr<const ir::OperatorRegistry> m_registry;
};

}  // namespace mitos::rules
