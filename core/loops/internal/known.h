// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions that are known to hold at a statement of a function. Private to core/loops.
#pragma once

#include "core/ir/type_table.h"
#include "core/loops/internal/effects.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::loops {

/// The symbols whose numbers statements change, and those that may get other sizes.
struct Changes {
    SymbolSet values;
    SymbolSet sizes;
};
void addChanges(const ir::TypeTable& types, const Function& function, const Effects& effects,
                const Statement& statement, Changes& changes);
/// Whether an expression has another value after these changes.
[[nodiscard]] bool isAffected(const Function& function, const Effects& effects, ExpressionId expression,
                              const Changes& changes);

/// The places that names stand for.
using Places = absl::flat_hash_map<SymbolId, ExpressionId>;

/// Conditions that hold, or do not. Only the last ones are kept, so that each question takes a bounded time.
class Known {
public:
    /// `places` gets the names that declarations give to places.
    Known(const ir::TypeTable& types, const Function& function, const Effects& effects, Places& places)
        : m_types(&types),
          m_function(&function),
          m_effects(&effects),
          m_places(&places) {}

    void learn(ExpressionId condition, bool holds);
    /// A name for a place, a number, or zeros of the shape of another value; `name` is that of the symbol.
    void learn(const Declare& declare, ExpressionId name);
    /// The size of a vector that was made with it.
    void learnSize(ExpressionId size, ExpressionId number);
    /// The range of an index, in the body of its loop.
    void learnRange(const For& loop, ExpressionId index);
    void forget(const Changes& changes);

    /// Whether a condition holds; nothing if that is not known, or if asking for it could fail.
    [[nodiscard]] std::optional<bool> holds(ExpressionId condition) const;
    /// Whether an index is not negative, and below a size.
    [[nodiscard]] bool isInside(ExpressionId index, ExpressionId size) const;

private:
    struct Truth {
        ExpressionId condition;
        bool holds;
    };
    /// A number and an offset; without a number that is 0.
    struct Term {
        ExpressionId number;
        std::int64_t offset = 0;
    };
    /// small - large <= most; invalid: 0.
    struct Bound {
        ExpressionId small;
        ExpressionId large;
        std::int64_t most;
    };
    struct Pair {
        ExpressionId a;
        ExpressionId b;
    };

    void learnAtMost(ExpressionId a, ExpressionId b, std::int64_t most);
    [[nodiscard]] std::optional<bool> compared(const Expression& at) const;
    [[nodiscard]] std::optional<bool> followsFromRanges(ExpressionId condition) const;
    [[nodiscard]] std::optional<bool> joined(const Expression& at) const;
    [[nodiscard]] bool isAtMost(ExpressionId a, ExpressionId b, std::int64_t most) const;
    [[nodiscard]] bool isAtMost(const Term& small, const Term& large) const;
    [[nodiscard]] double highest(ExpressionId number) const;
    [[nodiscard]] double lowest(ExpressionId number) const;
    [[nodiscard]] Term termOf(ExpressionId number) const;
    [[nodiscard]] bool isSame(ExpressionId a, ExpressionId b) const;
    [[nodiscard]] bool areAlike(ExpressionId a, ExpressionId b) const;
    [[nodiscard]] ExpressionId whole(ExpressionId place) const;
    [[nodiscard]] bool isSafe(ExpressionId expression) const;
    [[nodiscard]] bool isInteger(ExpressionId expression) const;

    const ir::TypeTable* m_types;
    const Function* m_function;
    const Effects* m_effects;
    std::vector<Truth> m_truths;
    std::vector<Bound> m_bounds;
    std::vector<Pair> m_alike;   ///< values of the same sizes
    std::vector<Pair> m_values;  ///< names of constants, and the sizes or shapes that they are
    Places* m_places;
};

}  // namespace mitos::loops
