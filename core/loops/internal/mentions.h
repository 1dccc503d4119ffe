// SPDX-License-Identifier: GPL-3.0-or-later
// Which statements of a block mention a symbol. Private to core/loops.
#pragma once

#include "core/loops/internal/effects.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <vector>

namespace mitos::loops {

/// The statements of one block by the symbols that they, or blocks inside of them, mention or declare. Passes that drop statements leave
/// empty ones, so that places stay what they are, and remove these at the end.
class Mentions {
public:
    Mentions(const Function& function, const Block& block);

    /// The places of the statements that mention a symbol, in their order; empty statements are not among them.
    [[nodiscard]] const std::vector<std::size_t>& of(SymbolId symbol) const;
    /// Takes note of a statement that has changed.
    void update(const Statement& statement, std::size_t place);
    /// Forgets a statement that is dropped or moved.
    void forget(const Statement& statement, std::size_t place);

private:
    const Function& m_function;
    absl::flat_hash_map<SymbolId, std::vector<std::size_t>> m_places;
    std::vector<std::size_t> m_none;
};

/// A statement that does nothing.
[[nodiscard]] Statement emptyStatement();
/// Removes the statements that do nothing.
void removeEmptyStatements(Block& block);

}  // namespace mitos::loops
