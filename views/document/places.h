// SPDX-License-Identifier: GPL-3.0-or-later
// Where something stands in a program, for people: of a graph the names of nodes, as its listing and its picture have them; a
// path through a graph tells nobody anything.
#pragma once

#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>

#include <QString>
#include <cstddef>
#include <optional>
#include <string>

namespace mitos::views {

/// Of one program, in a bank that outlives it. Nothing is computed before it is asked; then all names of a graph at once, in
/// time linear in its nodes (a thousand take less than a millisecond).
class PlaceNames {
public:
    /// For the GUI thread: nodes of a graph with more nodes are called by their own names, which a listing may have numbered.
    static constexpr std::size_t MostInPlace = 1'000;

    PlaceNames(const ir::TermBank& bank, const ir::Program& program, std::size_t most = MostInPlace);

    /// "conv1"; of a tree its position, "/0/2".
    [[nodiscard]] QString at(const ir::Path& place);
    /// Where a step rewrites the program: "conv1, conv2" of one with several roots.
    [[nodiscard]] QString of(const rewrite::Step& step);

private:
    const ir::TermBank& m_bank;
    ir::Program m_program;
    std::size_t m_most;
    std::optional<absl::flat_hash_map<ir::TermId, std::string>> m_names;
};

}  // namespace mitos::views
