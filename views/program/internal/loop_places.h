// SPDX-License-Identifier: GPL-3.0-or-later
// Where the lines of the loop form come from.
#pragma once

#include "core/ir/term_bank.h"
#include "core/loops/form.h"
#include "core/loops/static_vectors.h"
#include "core/loops/text.h"
#include "views/program/program_text.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

namespace mitos::views {

/// The places in a program of the lines of its form. All arguments must outlive it.
class LoopPlaces {
public:
    /// Of the form of the program itself, which is that of `text`.
    LoopPlaces(const ir::TermBank& bank, const ProgramText& text, const loops::Program& form);
    /// Of the form of the program whose short vectors became numbers. Its terms are those of another bank, and bound variables count other
    /// binders, so terms are compared with their variables by name. Adds the terms of the program to the other bank.
    LoopPlaces(const ir::TermBank& bank, const ir::Program& program, const ProgramText& text, loops::OwnProgram& own,
               const loops::Program& form);

    /// Places of the subterm that a line comes from, in pre-order, at most `most`: those within `around`, the places of the line around it,
    /// if there are such. Empty if there are none.
    [[nodiscard]] std::vector<NodeIndex> of(const loops::Line& line, const std::vector<NodeIndex>& around,
                                            std::size_t most) const;
    /// Whether the line is of the program itself, not of a function that it calls.
    [[nodiscard]] bool isOwn(const loops::Line& line) const;

private:
    using Key = std::uint64_t;

    [[nodiscard]] bool isSizeOfParameter(const loops::Line& line) const;
    /// The let whose variable the line declares; invalid: none.
    [[nodiscard]] ir::TermId letOf(const loops::Line& line) const;
    [[nodiscard]] std::vector<NodeIndex> placesOf(ir::TermId term) const;

    const ir::TermBank& m_bank;  ///< of the form
    const loops::Program& m_form;
    const ProgramText& m_text;
    absl::flat_hash_map<ir::TermId, std::vector<Key>> m_keys;  ///< of the terms of the form, each once
    absl::flat_hash_map<Key, std::vector<NodeIndex>> m_places;
    absl::flat_hash_map<Symbol, std::vector<NodeIndex>> m_lets;  ///< the values of lets, by the name of the variable
};

}  // namespace mitos::views
