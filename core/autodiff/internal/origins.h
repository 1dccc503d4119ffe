// SPDX-License-Identifier: GPL-3.0-or-later
// Records for which part of the primal the terms of a derivative are made.
#pragma once

#include "core/autodiff/derivative.h"
#include "core/ir/term_origins.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace mitos::autodiff {

/// A place in the primal, as the log numbers it; the root is 0. Inside a whole place, parts are not told apart, because the term that is
/// differentiated there stands for another one.
struct Origin {
    std::uint32_t place = 0;
    bool isWhole = false;
};

class OriginLog {
public:
    [[nodiscard]] Origin inner(Origin origin, std::uint32_t child);
    /// The value of a variable is made for that place.
    void note(Symbol variable, Origin origin) { m_made.note(variable, origin.place); }
    /// The term is made for that place.
    void noteTerm(ir::TermId term, Origin origin) { m_made.note(term, origin.place); }
    /// The term is the value of the variable.
    void noteValue(Symbol variable, ir::TermId term) { m_made.noteValue(variable, term); }
    /// The term replaces another one.
    void carry(ir::TermId from, ir::TermId to) { m_made.carry(from, to); }
    [[nodiscard]] Origins origins() const;

private:
    std::vector<ir::Path> m_paths{ir::Path{}};
    absl::flat_hash_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> m_children;
    ir::TermOrigins m_made;
};

}  // namespace mitos::autodiff
