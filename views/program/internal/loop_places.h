// SPDX-License-Identifier: GPL-3.0-or-later
// Where the lines of the loop form come from.
#pragma once

#include "core/ir/term_bank.h"
#include "core/ir/term_origins.h"
#include "core/loops/form.h"
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
    /// Of the form of a program that was made from it (loops::withStaticVectors), in another bank, with the origins of its terms.
    LoopPlaces(const ir::TermBank& bank, const ProgramText& text, const loops::Program& form,
               const ir::TermOrigins& origins);

    /// Places of the subterm that a line comes from, in pre-order, at most `most`: those within `around`, the places of the line around it,
    /// if there are such. What has no places has those around it; empty if there are none.
    [[nodiscard]] std::vector<NodeIndex> of(const loops::Line& line, const std::vector<NodeIndex>& around,
                                            std::size_t most) const;
    /// Whether the line is of the program itself, not of a function that it calls.
    [[nodiscard]] bool isOwn(const loops::Line& line) const;

private:
    using Parts = ir::TermOrigins::Parts;

    void addPlaces();
    [[nodiscard]] bool isSizeOfParameter(const loops::Line& line) const;
    /// The let whose variable the line declares; invalid: none.
    [[nodiscard]] ir::TermId letOf(const loops::Line& line) const;
    [[nodiscard]] std::vector<NodeIndex> placesOf(ir::TermId term) const;

    const ir::TermBank& m_bank;  ///< of the form
    const loops::Program& m_form;
    const ProgramText& m_text;
    absl::flat_hash_map<ir::TermId, Parts> m_origins;  ///< of the terms of the form: terms of the program
    absl::flat_hash_map<std::uint32_t, std::vector<NodeIndex>> m_places;  ///< of the terms of the program
};

}  // namespace mitos::views
