// SPDX-License-Identifier: GPL-3.0-or-later
// Which parts of a derivative come from which parts of its function, as nodes of both texts.
#pragma once

#include "core/autodiff/derivative.h"
#include "views/program/program_text.h"

#include <vector>

namespace mitos::views {

class Links {
public:
    Links() = default;
    Links(const ProgramText& primal, const ProgramText& derivative, const autodiff::Origins& origins);

    struct Found {
        NodeIndex node =
            0;  ///< of the function: the part asked for, or the nearest one around it that something comes from
        std::vector<ir::DiffMark> marks;  ///< of the nodes of the derivative: Changed if they come from it
        std::size_t parts = 0;            ///< of the derivative, not counting parts of them
    };
    /// The parts of the derivative that come from a part of the function; none if nothing does.
    [[nodiscard]] Found from(const ProgramText& primal, const ProgramText& derivative, NodeIndex part) const;
    /// The parts of the function that a part of the derivative comes from, in order; none for a part that belongs to the whole function.
    [[nodiscard]] const std::vector<NodeIndex>& of(NodeIndex derivativePart) const;

private:
    static constexpr NodeIndex None = 0xFFFFFFFFU;

    std::vector<NodeIndex> m_holders;  ///< by node of the derivative: itself or the nearest around it with origins
    std::vector<std::vector<NodeIndex>> m_places;  ///< by node of the derivative; empty but for holders
};

/// Sorted ranges without overlaps: those inside others are left out.
[[nodiscard]] std::vector<TextRange> outermost(std::vector<TextRange> ranges);

}  // namespace mitos::views
