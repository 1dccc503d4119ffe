// SPDX-License-Identifier: GPL-3.0-or-later
// Rules as the rest of the program sees them: loaded, checked, compiled, ready to match and to apply.
#pragma once

#include "core/base/result.h"
#include "core/base/source_text.h"
#include "core/ir/term_bank.h"

#include <absl/container/inlined_vector.h>
#include <absl/functional/function_ref.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

enum class Direction : std::uint8_t { Forward, Backward };

/// How far both sides of a rule agree (knossos-optimizer.md 3.4, soundness notes).
enum class Soundness : std::uint8_t {
    Exact,     ///< the same value, bit for bit, failure and non-termination included
    RealOnly,  ///< equal over the real numbers; rounding may differ
    Domain,    ///< equal over the reals where the left side has a value; may give a value where it has none
};
[[nodiscard]] const char* toString(Soundness soundness);  ///< "exact", "real-only", "domain"

/// What one variable of a rule stands for.
struct Binding {
    /// A term, in the surroundings of the matched subterm extended by the pattern's binders the variable may mention.
    /// For a function variable: a term whose operator, payload and hint it stands for.
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
class MultiRule;

/// One direction of a rule, compiled. Immutable; usable with every bank whose registry extends the one it was loaded
/// with, from several threads at once (each with its own bank).
/// Of a rule with several roots the subject and the result are tuples, of the terms at its roots and of what takes their places.
class DirectedRule {
public:
    virtual ~DirectedRule() = default;

    /// The rule's description; its `directions` is empty (a direction lives on without the others).
    [[nodiscard]] virtual const Rule& rule() const = 0;
    [[nodiscard]] virtual Direction direction() const = 0;
    /// Name of the direction: the rule's, with "~" behind it for the backward one.
    [[nodiscard]] virtual std::string name() const = 0;
    /// Names of the variables, for showing a substitution.
    [[nodiscard]] virtual const std::vector<std::string>& variables() const = 0;

    /// Every way in which the left side matches the term and the guard holds, in a fixed order, each once. Return
    /// false from `found` to stop. The term may have loose bound variables.
    virtual void match(ir::TermBank& bank, ir::TermId subject,
                       absl::FunctionRef<bool(const Substitution&)> found) const = 0;
    /// The right side under a substitution; `subject` is the matched term (its type fixes the types of polymorphic
    /// literals). Errors: no branch's condition holds, types that do not fit, a computed constant that is not finite.
    [[nodiscard]] virtual Result<ir::TermId> apply(ir::TermBank& bank, const Substitution& substitution,
                                                   ir::TermId subject) const = 0;

    /// The left side under a substitution, built without the matcher; side conditions are not asked. Errors: values that
    /// do not fit their variables, types that do not fit.
    [[nodiscard]] virtual Result<ir::TermId> left(ir::TermBank& bank, const Substitution& substitution) const = 0;

    /// For the independent checker: the left side under the substitution equals `subject`, decided by instantiating it
    /// (no matcher involved), and every side condition holds. The error says what does not hold.
    [[nodiscard]] virtual Status isInstance(ir::TermBank& bank, const Substitution& substitution,
                                            ir::TermId subject) const = 0;
    /// Operators at which the left side can match; empty: any.
    [[nodiscard]] virtual const std::vector<ir::OpId>& rootOperators() const = 0;
    /// Itself, if it has several roots (multi_rule.h); null for all others.
    [[nodiscard]] virtual const MultiRule* several() const { return nullptr; }
};

/// A rule as written.
class Rule {
public:
    std::string name;
    std::string doc;                ///< the comment above it
    std::string text;               ///< as written in the file, from `rule` to its end
    std::vector<std::string> tags;  ///< "phase1", "expand", … (without the soundness tags)
    Soundness soundness = Soundness::Exact;
    /// One, two for `<=>`; none for a rule with several roots.
    std::vector<std::shared_ptr<const DirectedRule>> directions;
    /// The directions of a rule with several roots (multi_rule.h): they rewrite e-graphs and programs that are graphs.
    std::vector<std::shared_ptr<const MultiRule>> multis;
    SourcePlace place;

    [[nodiscard]] bool hasTag(std::string_view tag) const;
};

struct RuleSet {
    std::string name;   ///< "ks-simple", or the file's path
    std::string title;  ///< first line of the file's leading comment
    std::string doc;    ///< the rest of it
    std::vector<std::shared_ptr<const Rule>> rules;

    /// Where its rules are written, by name of set or file, in their order: itself, or sets it includes.
    [[nodiscard]] std::vector<std::string> origins() const;
};

/// A loaded file: the good rules, and an error for each bad one (one bad rule does not take the file down).
struct LoadedRules {
    RuleSet set;
    std::vector<Error> errors;
    std::vector<std::string> warnings;
    /// The files that were read: the text's own, if it is one, and those that it includes.
    std::vector<std::string> files = {};
    /// The registry extended by the file's `op` declarations (the given one if there are none).
    std::shared_ptr<const ir::OperatorRegistry> registry;
};

/// Whether rules apply where the sign that their condition asks for is not known. What was taken for granted stands beside the
/// result (rewrite/assumptions.h).
enum class Assumptions : std::uint8_t { Forbidden, Allowed };

/// Parses, checks and compiles. Errors (the Result's) only if nothing at all could be made of the text. The rules of
/// included sets stand where the `include` stands; `Rule::place` tells where a rule is written.
[[nodiscard]] Result<LoadedRules> loadRules(const SourceText& source,
                                            std::shared_ptr<const ir::OperatorRegistry> registry,
                                            Assumptions assumptions = Assumptions::Forbidden);

/// Names and texts of the rule sets that come with the program (embedded at build time), in listing order.
[[nodiscard]] const std::vector<std::string>& shippedRuleSets();
[[nodiscard]] Result<SourceText> shippedRuleSetText(std::string_view name);
/// The text of a set that comes with the program, or of a file.
[[nodiscard]] Result<SourceText> ruleSetText(const std::string& nameOrFile);
/// The rules of whoever chooses none: every set of the ks dialect.
constexpr std::string_view DefaultRules = "ks-all";

/// The rules a user chose: "ks-simple,ks-extended,my.rules", sets by name or file. Each rule name once (the first
/// wins). Rules with errors are left out and listed in problems(); a file without any good rule is an error.
class RuleBook {
public:
    [[nodiscard]] static Result<RuleBook> load(std::string_view names,
                                               std::shared_ptr<const ir::OperatorRegistry> registry,
                                               Assumptions assumptions = Assumptions::Forbidden);

    [[nodiscard]] const std::vector<RuleSet>& sets() const { return m_sets; }
    /// What the user wrote.
    [[nodiscard]] const std::string& names() const { return m_names; }
    [[nodiscard]] Assumptions assumptions() const { return m_assumptions; }
    /// The same rules with assumptions allowed or forbidden; nothing is read or checked again.
    [[nodiscard]] RuleBook with(Assumptions assumptions) const;
    [[nodiscard]] const std::shared_ptr<const ir::OperatorRegistry>& registry() const { return m_registry; }
    /// The directions of all rules with one root, in file order.
    [[nodiscard]] const std::vector<std::shared_ptr<const DirectedRule>>& directions() const { return m_directions; }
    /// The directions of all rules with several roots, in file order.
    [[nodiscard]] const std::vector<std::shared_ptr<const MultiRule>>& multis() const { return m_multis; }
    /// All of them, those with several roots last: the rules that steps of programs are made with.
    [[nodiscard]] std::vector<std::shared_ptr<const DirectedRule>> all() const;
    /// "commute_add" or "distribute~", "merge" for a rule with several roots and "merge.0", "merge.0~" for what it does to one of
    /// them; null if there is none.
    [[nodiscard]] std::shared_ptr<const DirectedRule> find(std::string_view directionName) const;
    /// The files that its rules were read from, also those that others include.
    [[nodiscard]] const std::vector<std::string>& files() const { return m_files; }
    /// The errors of the rules (and other items) that are left out, in file order.
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
    std::vector<std::shared_ptr<const MultiRule>> m_multis;
    std::shared_ptr<const ir::OperatorRegistry> m_registry;
};

}  // namespace mitos::rules
