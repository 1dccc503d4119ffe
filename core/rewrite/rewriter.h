// SPDX-License-Identifier: GPL-3.0-or-later
// All rewrites of a program, and doing one. Hand stepping and every search expand states here and nowhere else.
#pragma once

#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <vector>

namespace mitos::rewrite {

/// A rewrite that applies: the step, and the program's root after it.
struct Rewrite {
    Step step;
    ir::TermId subterm;      ///< at the position, before
    ir::TermId replacement;  ///< at the position, after
    ir::TermId result;       ///< the whole root after
};

struct RewriteLimits {
    std::uint64_t maxTreeSize = 1'000'000;  ///< results larger than this are left out
    std::uint32_t maxDepth = 10'000;        ///< results deeper than this are left out
};

/// Finds and applies the directed rules it was given, in one bank. Belongs to one thread.
class Rewriter {
public:
    Rewriter(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
             RewriteLimits limits = {});

    [[nodiscard]] const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules() const { return m_rules; }

    /// Every rewrite of the term, in a fixed order: positions in pre-order, rules in their order, matches in the
    /// matcher's. Rewrites that change nothing are left out. Return false from `found` to stop.
    void forEach(ir::TermId root, absl::FunctionRef<bool(const Rewrite&)> found);
    [[nodiscard]] std::vector<Rewrite> all(ir::TermId root);
    /// Those at one position only.
    [[nodiscard]] Result<std::vector<Rewrite>> at(ir::TermId root, const ir::Path& position);
    /// all(), one a distinct result (the first), the root itself left out: the successors of a search state.
    [[nodiscard]] std::vector<Rewrite> successors(ir::TermId root);
    /// Does a step on a root. Errors: no such position, not an instance, types that do not fit.
    [[nodiscard]] Result<ir::TermId> apply(ir::TermId root, const Step& step);

private:
    /// A rewrite of a term wherever it stands: what a rule does depends on the term alone.
    struct Local {
        std::uint32_t rule;
        rules::Substitution substitution;
        ir::TermId replacement;
    };

    [[nodiscard]] const std::vector<Local>& localRewrites(ir::TermId term);
    bool emit(ir::TermId root, const ir::Path& position, ir::TermId subterm,
              absl::FunctionRef<bool(const Rewrite&)> found);

    ir::TermBank& m_bank;
    std::vector<std::shared_ptr<const rules::DirectedRule>> m_rules;
    std::vector<std::vector<std::uint32_t>> m_rulesByOperator;  // by operator id, in the order of m_rules
    RewriteLimits m_limits;
    absl::flat_hash_map<ir::TermId, std::vector<Local>> m_local;  // successive states share most of their terms
    std::size_t m_localCount = 0;
};

}  // namespace mitos::rewrite
