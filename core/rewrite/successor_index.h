// SPDX-License-Identifier: GPL-3.0-or-later
// The successors of search states, cached by subterm: subterms that did not change between two states are neither matched nor
// counted again, and a successor is built only when it is visited.
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

/// The rewrites at and below a term, and which of them lead to the same result, depend on the term alone. The index stores, for every
/// term it has visited, the replacements at the term and the number of rewrites at or below it. For a state that differs from a known one
/// in a spine, only that spine is matched; rewrite number n of a state is found by descending from the root. Two rewrites of a state have
/// equal results only if one is at or above the other (otherwise they change different children), so duplicates are found locally too,
/// once for each term. This holds for trees; graphs have an index of their own behind the same interface.
/// Must be used from one thread only.
class SuccessorIndex {
public:
    SuccessorIndex(ir::TermBank& bank, std::vector<std::shared_ptr<const rules::DirectedRule>> rules,
                   ir::Sharing sharing = ir::Sharing::Tree, RewriteLimits limits = {});

    [[nodiscard]] const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules() const {
        return m_known.local().rules();
    }

    /// Replaces `successors` by one for each distinct result other than the root itself, in the rewriter's order (the
    /// first of those with equal results; in a graph, the first of those that replace a node by the same term). Returns the
    /// number of rewrites including duplicates; nothing if `goOn`, which is called from time to time, returned false.
    std::optional<std::uint64_t> list(ir::TermId root, std::vector<Successor>& successors,
                                      absl::FunctionRef<bool()> goOn);
    /// The root after a rewrite that list() gave for `root`.
    [[nodiscard]] ir::TermId build(ir::TermId root, Successor successor);
    /// The same rewrite with its step.
    [[nodiscard]] Rewrite rewrite(ir::TermId root, Successor successor);

    /// The bytes held by the caches.
    [[nodiscard]] std::size_t bytes() const;

private:
    using Local = KnownRewrites::Local;
    /// The cached data of a term besides its own rewrites.
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
    std::optional<GraphSuccessors> m_graph;  ///< set for graphs, to which all calls are then forwarded
    std::vector<Entry> m_entries;            // by the terms' numbers
    /// The numbers, counted from the term, of rewrites with the same result as an earlier one, which are rare.
    absl::flat_hash_map<ir::TermId, std::vector<std::uint32_t>> m_duplicates;
    std::size_t m_duplicateCount = 0;
};

}  // namespace mitos::rewrite
