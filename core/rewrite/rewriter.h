// SPDX-License-Identifier: GPL-3.0-or-later
// Lists all rewrites of one program with their steps, and applies one: for hand stepping, for the lists of the desktop and of the
// command line, and for threads read from files. Searches use successor_index.h.
#pragma once

#include "core/ir/shared.h"
#include "core/rewrite/local_rewrites.h"
#include "core/rewrite/step.h"

#include <absl/functional/function_ref.h>

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace mitos::rewrite {

/// A rewrite that applies: the step, and the program's root after it.
struct Rewrite {
    Step step;
    ir::TermId subterm;      ///< at the position before the step; a tuple if there are several positions
    ir::TermId replacement;  ///< at the position after the step; a tuple if there are several positions
    ir::TermId result;       ///< the program's root after the step
};

/// A rewrite that applies, without its step and result, which take time and memory proportional to the program's size. Refers to data of
/// the enumeration, and is valid during the call only.
struct Applicable {
    const rules::DirectedRule& rule;
    const ir::Path* position;  ///< of the subterm; null if there are several positions
    ir::TermId subterm;        ///< as in Rewrite
    ir::TermId replacement;    ///< as in Rewrite
    absl::FunctionRef<Step()> step;
    absl::FunctionRef<Rewrite()> make;
};

struct RewriteLimits {
    std::uint64_t maxTreeSize = 1'000'000;  ///< results larger than this are left out; for graphs, distinct nodes count
    std::uint32_t maxDepth = 10'000;        ///< results deeper than this are left out
    std::uint32_t maxSharedDepth = 1'000'000;  ///< the same for graphs, which are not walked recursively

    /// Whether `replacement` may take the place of `subterm`, `level` levels below `root`.
    [[nodiscard]] bool allow(const ir::TermBank& bank, ir::TermId root, std::size_t level, ir::TermId subterm,
                             ir::TermId replacement) const;
    /// The same for nodes of a graph and maxSharedDepth. Never allows a result that is too large or too deep, but may reject others: nodes that the
    /// graph loses by the replacement still count.
    [[nodiscard]] bool allowShared(const ir::TermBank& bank, const ir::SharedNodes& graph,
                                   std::span<const ir::NodeReplacement> replacements) const;
};

/// Matches and applies the given directed rules, in one bank. In a graph each distinct node is one place, named by its
/// first path (ir/shared.h), and a rewrite replaces it wherever it is used. Rules with several roots rewrite graphs only.
/// Must be used from one thread only.
class Rewriter {
public:
    Rewriter(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
             ir::Sharing sharing = ir::Sharing::Tree, RewriteLimits limits = {});

    [[nodiscard]] const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules() const {
        return m_local.rules();
    }

    /// Reports every rewrite of the term, in a fixed order: positions in pre-order, rules in their order, matches in the
    /// matcher's; then those of rules with several roots, each set of nodes in one order only. Rewrites that change nothing are left
    /// out. Return false from `found`, or request a stop, to end the enumeration.
    void forEach(ir::TermId root, absl::FunctionRef<bool(const Rewrite&)> found,
                 const std::stop_token& stop = {}) const;
    /// The same without steps and results, so that it takes time proportional to the numbers of nodes and rewrites.
    void forEachApplicable(ir::TermId root, absl::FunctionRef<bool(const Applicable&)> found,
                           const std::stop_token& stop = {}) const;
    [[nodiscard]] std::vector<Rewrite> all(ir::TermId root) const;
    /// The rewrites at one position only, or with a root there. Fails if there is no such position.
    [[nodiscard]] Status forEachAt(ir::TermId root, const ir::Path& position,
                                   absl::FunctionRef<bool(const Applicable&)> found) const;
    [[nodiscard]] Result<std::vector<Rewrite>> at(ir::TermId root, const ir::Path& position) const;
    /// The rewrites of all(), reduced to the first one for each distinct result, without those whose result is the root itself.
    [[nodiscard]] std::vector<Rewrite> successors(ir::TermId root) const;
    /// The root after a step. Fails if there is no such position, if the step is not an instance, or if types do not fit.
    [[nodiscard]] Result<ir::TermId> apply(const ir::Program& program, const Step& step) const;

private:
    struct Local {
        std::uint32_t rule;
        rules::Substitution substitution;
        ir::TermId replacement;
    };

    [[nodiscard]] std::vector<Local> localRewrites(ir::TermId term) const;
    bool emit(ir::TermId root, const ir::Path& position, ir::TermId subterm, const std::vector<Local>& locals,
              absl::FunctionRef<bool(const Applicable&)> found) const;
    bool emitShared(const ir::SharedNodes& graph, const ir::Path& position, ir::TermId node,
                    const std::vector<Local>& locals, absl::FunctionRef<bool(const Applicable&)> found) const;
    bool emitJoint(const ir::SharedNodes& graph, std::optional<ir::TermId> among,
                   absl::FunctionRef<bool(const Applicable&)> found, const std::stop_token& stop) const;

    LocalRewrites m_local;
    LocalRewrites m_joint;  ///< the rules with several roots
    ir::Sharing m_sharing;
    RewriteLimits m_limits;
};

}  // namespace mitos::rewrite
