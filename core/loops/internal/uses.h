// SPDX-License-Identifier: GPL-3.0-or-later
// How bound variables occur in terms, computed once for each term. Private to core/loops.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <memory>

namespace mitos::loops {

/// A set of bound variables by their de Bruijn indices.
class VariableSet {
public:
    [[nodiscard]] bool contains(std::uint32_t variable) const;
    void insert(std::uint32_t variable);
    void insert(const VariableSet& others);
    /// The variables of both sets.
    [[nodiscard]] VariableSet common(const VariableSet& other) const;
    /// The variables as seen from outside of so many binders, without those of the binders.
    [[nodiscard]] VariableSet outside(std::uint32_t binders) const;

private:
    absl::InlinedVector<std::uint64_t, 1> m_words;
};

/// Answers take a time that does not depend on the size of the term, once it was asked about a term that contains it.
class Uses {
public:
    explicit Uses(const ir::TermBank& bank) : m_bank(bank) {}

    /// Whether the bound variable occurs.
    bool mentions(ir::TermId term, std::uint32_t variable);
    /// Occurrences of the bound variable, as far as 2. One in a function counts as many.
    int count(ir::TermId term, std::uint32_t variable);
    /// The same for one part of the variable's value, a tuple. Occurrences of the whole count, too. Takes time for each term between.
    int countOfPart(ir::TermId term, std::uint32_t variable, std::uint32_t part);
    /// Whether the bound variable occurs only as the tuple of projections.
    bool isOnlyProjected(ir::TermId term, std::uint32_t variable);
    /// Whether the bound variable occurs only as a vector that single elements are read of.
    bool isOnlyIndexed(ir::TermId term, std::uint32_t variable);
    /// The free variables of a term, by name.
    [[nodiscard]] absl::flat_hash_set<Symbol> freeVariables(ir::TermId term) const;

    /// The terms looked at so far, each once.
    [[nodiscard]] std::size_t looked() const { return m_facts.size(); }

private:
    struct Facts {
        VariableSet used = {};
        VariableSet usedTwice = {};      ///< or in a function
        VariableSet usedWhole = {};      ///< not only as the tuple of projections
        VariableSet usedUnindexed = {};  ///< not only as a vector that elements are read of
    };
    const Facts& of(ir::TermId term);
    Facts made(ir::TermId term);

    const ir::TermBank& m_bank;
    absl::flat_hash_map<ir::TermId, std::unique_ptr<const Facts>> m_facts;
};

}  // namespace mitos::loops
