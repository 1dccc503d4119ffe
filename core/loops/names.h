// SPDX-License-Identifier: GPL-3.0-or-later
// Identifiers of C++ from names of ks.
#pragma once

#include "core/loops/form.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::loops {

/// A valid C++ identifier that resembles the text: no keyword, no reserved form, no name that an exported file uses itself.
[[nodiscard]] std::string toIdentifier(std::string_view text, std::string_view otherwise);

/// Names in scope, innermost last. A name is unique while it is visible, so no declaration shadows another.
class NameScope {
public:
    /// The wanted name, or the name with a number; visible until its block is left.
    std::string declare(std::string_view wanted, std::string_view otherwise = "value");
    [[nodiscard]] std::size_t mark() const { return m_names.size(); }
    void leave(std::size_t mark);

private:
    struct Name {
        std::string text;
        std::string base;
        int number;  ///< 1: the base itself
    };
    std::vector<Name> m_names;
    absl::flat_hash_set<std::string> m_visible;
    absl::flat_hash_map<std::string, int> m_next;  ///< by base: lower numbers are taken
};

/// Names all symbols of a program by their hints, as lower() does: for a form in which a pass has added or moved symbols. Functions keep
/// their names, which no symbol gets.
void chooseNames(Program& program);

}  // namespace mitos::loops
