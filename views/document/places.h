// SPDX-License-Identifier: GPL-3.0-or-later
// Where something stands in a program, for people: of a graph the names of nodes, as its listing and its picture have them; of
// a tree the subterm itself, shortened, and the `let` whose value it is a part of. Paths of numbers tell nothing.
#pragma once

#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>

#include <QString>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mitos::views {

/// Of one program, in a bank that outlives it. Nothing is computed before it is asked; then all names of a graph at once, and the
/// names of what is bound in a tree, in time linear in its nodes (a thousand take less than a millisecond).
class PlaceNames {
public:
    /// For the GUI thread: nodes of a larger graph, and what is bound in a larger tree, are called by their own names, which
    /// printing may have numbered.
    static constexpr std::size_t MostInPlace = 1'000;

    PlaceNames(const ir::TermBank& bank, const ir::Program& program, std::size_t most = MostInPlace);

    /// "conv1"; of a tree "(mul x y) in t1".
    [[nodiscard]] QString at(const ir::Path& place);
    /// What stands there, on one line: of a tree small terms whole, larger ones with the heads of their large children: "(add (mul …) x)".
    [[nodiscard]] QString term(const ir::Path& place);
    /// "in t1" for a place in the value that a tree's `let` gives to t1, the innermost one; else empty.
    [[nodiscard]] QString surroundings(const ir::Path& place);
    /// Where a step rewrites the program: "conv1, conv2" of one with several roots.
    [[nodiscard]] QString of(const rewrite::Step& step);

private:
    [[nodiscard]] bool isTree() const;
    /// Names of what is bound at a place, outermost first.
    [[nodiscard]] std::vector<std::string> boundNames(const ir::Path& place) const;

    const ir::TermBank& m_bank;
    ir::Program m_program;
    std::size_t m_most;
    std::optional<absl::flat_hash_map<ir::TermId, std::string>> m_names;
    std::map<ir::Path, QString> m_lets;  ///< their surroundings, by place
};

}  // namespace mitos::views
