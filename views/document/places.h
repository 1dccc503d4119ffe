// SPDX-License-Identifier: GPL-3.0-or-later
// Readable names of places in a program: in a graph the names of nodes, as in its listing and picture; in a tree the
// subterm itself, shortened, and the `let` whose value contains it. Numeric paths mean little to a reader.
#pragma once

#include "core/ir/node_places.h"
#include "core/ir/reading_form.h"
#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>

#include <QString>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::views {

/// The places of the program's nodes (ir::forEachNode).
[[nodiscard]] ir::NodePlaces nodePlaces(const ir::TermBank& bank, const ir::Program& program);

/// Names for one program; its bank must outlive this object. Names are computed on first use: all names of a graph at
/// once, and the names bound in a tree, in time linear in its nodes (under a millisecond for a thousand).
class PlaceNames {
public:
    /// For the GUI thread: larger programs use plain names of nodes and of bound variables, without the numbering that
    /// printing may add.
    static constexpr std::size_t MostInPlace = 1'000;

    PlaceNames(const ir::TermBank& bank, const ir::Program& program, std::size_t most = MostInPlace);

    /// The name of a place: "conv1"; in a tree "(mul x y) in t1".
    [[nodiscard]] QString at(const ir::Path& place);
    /// The term at a place, on one line: in a tree, small terms in full, larger ones with only the heads of their large
    /// children: "(add (mul …) x)".
    [[nodiscard]] QString term(const ir::Path& place);
    /// "in t1" for a place in the value that a tree's innermost enclosing `let` gives to t1; else empty.
    [[nodiscard]] QString surroundings(const ir::Path& place);
    /// The places that a step rewrites, and the region that it is taken in: "conv1, conv2" for a rule with several roots, "relu in Epilog 2".
    [[nodiscard]] QString of(const rewrite::Step& step);

private:
    [[nodiscard]] bool isTree() const;
    /// Names of the variables bound at a place, outermost first.
    [[nodiscard]] std::vector<std::string> boundNames(const ir::Path& place) const;

    const ir::TermBank& m_bank;
    ir::Program m_program;
    std::size_t m_most;
    std::optional<absl::flat_hash_map<ir::TermId, std::string>> m_names;
    std::map<ir::Path, QString> m_lets;  ///< results of surroundings(), by place
};

/// The subterms of a tree in the reading form, on a line each.
class ReadingTexts {
public:
    ReadingTexts(const ir::TermBank& bank, const ir::Program& program);

    /// The text of a place, cut off where a row has no space for more. A `let` is its own line; one that the signature stands for is
    /// the name there.
    [[nodiscard]] QString at(const ir::Path& path) const;

private:
    [[nodiscard]] std::string_view textAt(const ir::Path& path) const;

    const ir::TermBank& m_bank;
    ir::TermId m_root;
    ir::ReadingForm m_form;
};

}  // namespace mitos::views
