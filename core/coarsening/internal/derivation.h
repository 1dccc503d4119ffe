// SPDX-License-Identifier: GPL-3.0-or-later
// A thread under construction: known rules are applied at chosen positions.
#pragma once

#include "core/coarsening/elevate.h"
#include "core/coarsening/internal/known_rules.h"
#include "core/ir/path.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"
#include "core/rewrite/step.h"
#include "core/rules/rule.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::coarsening {

/// The position that these steps lead to from another one.
[[nodiscard]] inline ir::Path below(ir::Path position, std::initializer_list<std::uint32_t> steps) {
    position.insert(position.end(), steps.begin(), steps.end());
    return position;
}

/// A term that is read and changed at positions near each other. The terms above the last position are made again when a position is
/// looked at that is not below them, so a change costs the steps between two positions, not the depth of the term.
class EditedTerm {
public:
    EditedTerm(ir::TermBank& bank, ir::TermId root) : m_bank(bank), m_spine{root} {}

    /// The term at a position, which must exist.
    [[nodiscard]] ir::TermId at(const ir::Path& position);
    /// Replaces the term there by another one. Returns false, and changes nothing, if the terms around it do not accept its type.
    bool replace(const ir::Path& position, ir::TermId replacement);

private:
    void moveTo(const ir::Path& position);

    ir::TermBank& m_bank;
    ir::Path m_path;
    std::vector<ir::TermId> m_spine;  ///< the terms from the root to that at the path
    std::size_t m_outdated = 0;  ///< the number of terms at the start of the spine whose child on the path has changed
};

class Derivation {
public:
    Derivation(ir::TermBank& bank, const ir::Program& program, const ElevationRules& rules);

    [[nodiscard]] ir::TermBank& bank() const { return m_bank; }
    /// The term at a position, which must exist.
    [[nodiscard]] ir::TermId at(const ir::Path& position) { return m_term.at(position); }
    [[nodiscard]] bool is(ir::TermId term, ks::Op op) const { return m_bank.op(term) == ks::opId(op); }
    [[nodiscard]] bool isNumber(ir::TermId term, double value) const;

    /// Applies the rule at the position by its first match whose result is accepted. Returns whether there is one.
    bool apply(Rule rule, const ir::Path& position, absl::FunctionRef<bool(ir::TermId)> accepts);
    bool apply(Rule rule, const ir::Path& position) {
        return apply(rule, position, [](ir::TermId) { return true; });
    }

    [[nodiscard]] std::size_t length() const { return m_changes.size(); }
    /// Takes the last steps back.
    void backTo(std::size_t length);
    /// The program after all steps.
    [[nodiscard]] ir::TermId end() { return m_term.at({}); }
    /// The steps with the programs after each of them.
    [[nodiscard]] rewrite::Thread thread() const;

    /// Moves the let at a position up to `top`, out of operators, lets and sums. Returns whether it arrives; if not, some steps were made.
    bool lift(ir::Path position, const ir::Path& top);
    /// Simplifies a term and its subterms by rules that make it smaller.
    void simplify(const ir::Path& position);

private:
    struct Change {
        rewrite::Step step;  ///< at one position
        ir::TermId before;
        ir::TermId after;
    };
    bool simplifyOnce(const ir::Path& position);
    bool simplifySum(const ir::Path& position, ir::TermId term);
    bool simplifyProduct(const ir::Path& position, ir::TermId term);
    bool simplifyLet(const ir::Path& position, ir::TermId term);
    bool simplifyLoop(const ir::Path& position, ir::TermId term);

    ir::TermBank& m_bank;
    const ElevationRules& m_rules;
    ir::Program m_start;
    EditedTerm m_term;
    std::vector<Change> m_changes;
    absl::flat_hash_set<ir::TermId> m_simplified;  ///< terms that simplify() leaves as they are
};

}  // namespace mitos::coarsening
