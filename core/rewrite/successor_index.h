// SPDX-License-Identifier: GPL-3.0-or-later
// The successors of search states, kept by subterm: what did not change between two states is neither matched nor
// counted again, and a successor is built only when somebody goes there.
#pragma once

#include "core/rewrite/graph_successors.h"
#include "core/rewrite/local_rewrites.h"
#include "core/rewrite/rewriter.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::rewrite {

/// What a rule does depends on the term alone, and so do the rewrites at and below a term, and which of them lead to the
/// same result. The index keeps, for every term it has met, the replacements at the term and the number of rewrites at
/// or below it. A state that differs from a known one in a spine costs the matching of that spine; rewrite number n of a
/// state is found by descending from the root. Two rewrites of a state have equal results only if one stands at or above
/// the other (elsewhere they change different children), so duplicates are found locally too, once for each term. That is
/// so in trees; graphs have an index of their own behind the same questions.
/// Belongs to one thread.
class SuccessorIndex {
public:
    SuccessorIndex(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
                   ir::Sharing sharing = ir::Sharing::Tree, RewriteLimits limits = {});

    [[nodiscard]] const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules() const {
        return m_known.local().rules();
    }

    /// Replaces `successors` by one for each distinct result, the root itself left out, in the rewriter's order (the
    /// first of those with equal results; of a graph, the first of those that replace a node by the same). Returns how
    /// many rewrites there are before duplicates are left out; nothing if `goOn`, asked every now and then, said no.
    std::optional<std::uint64_t> list(ir::TermId root, std::vector<Successor>& successors,
                                      absl::FunctionRef<bool()> goOn);
    /// The root after a rewrite that list() gave for `root`.
    [[nodiscard]] ir::TermId build(ir::TermId root, Successor successor);
    /// The same with its step.
    [[nodiscard]] Rewrite rewrite(ir::TermId root, Successor successor);

    /// Held by what is remembered.
    [[nodiscard]] std::size_t bytes() const;

private:
    using Local = KnownRewrites::Local;
    /// What is known of a term besides its own rewrites.
    struct Entry {
        std::uint32_t total = 0;     ///< rewrites at and below the term, duplicates included; saturates
        bool hasDuplicates = false;  ///< see m_duplicates
    };
    struct Place {
        ir::Path position;
        ir::TermId subterm;
        std::uint32_t local = 0;  ///< number among the rewrites at the subterm
    };

    [[nodiscard]] ir::TermBank& bank() const { return m_known.local().bank(); }
    [[nodiscard]] const Entry& entry(ir::TermId term) const { return m_entries[m_known.number(term)]; }
    [[nodiscard]] std::span<const Local> locals(ir::TermId term) const { return m_known.at(m_known.number(term)); }
    bool prepare(ir::TermId root, absl::FunctionRef<bool()> goOn);
    void add(ir::TermId term);
    void findDuplicates(ir::TermId term, std::span<const Local> locals, Entry& entry);
    [[nodiscard]] Place place(ir::TermId root, std::uint32_t number) const;
    [[nodiscard]] std::optional<std::uint32_t> numberOf(ir::TermId root, ir::TermId result) const;
    [[nodiscard]] std::optional<std::uint32_t> numberBelow(ir::TermId term, ir::TermId result) const;
    [[nodiscard]] std::uint32_t differingChild(ir::TermId a, ir::TermId b) const;

    KnownRewrites m_known;
    RewriteLimits m_limits;
    std::optional<GraphSuccessors> m_graph;  ///< of graphs: it answers instead
    std::vector<Entry> m_entries;            // by the terms' numbers
    /// Numbers, counted from the term, of rewrites whose result an earlier one has: rare.
    absl::flat_hash_map<ir::TermId, std::vector<std::uint32_t>> m_duplicates;
    std::size_t m_duplicateCount = 0;
};

}  // namespace mitos::rewrite
