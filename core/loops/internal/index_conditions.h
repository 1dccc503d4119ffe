// SPDX-License-Identifier: GPL-3.0-or-later
// Tells which conditions on the index of a loop hold in some of its iterations. Private to core/loops.
#pragma once

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"
#include "core/loops/internal/whole_sums.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>

namespace mitos::loops {

/// Whether an expression is two conditions with `and` or `or`.
[[nodiscard]] bool isJoined(const Expression& at);

/// Some iterations of a loop.
enum class Part : std::uint8_t {
    First,   ///< where the index is below a first bound
    Middle,  ///< where it is neither among the first nor among the last
    Last     ///< from a second bound on
};
using Parts = std::optional<Part>;  ///< nothing: all of them

/// Conditions of one loop after the other. Comparisons of the index, plus or minus what stays the same in the loop, with what stays the same
/// are understood, and what `and`, `or` and `not` make of them.
class IndexConditions {
public:
    IndexConditions(const ir::TypeTable& types, Function& function, const Effects& effects)
        : m_types(types),
          m_function(function),
          m_effects(effects),
          m_sums(types, function, effects) {}

    /// Looks at a loop, which must not move then; there are no bounds yet. False if its index may be outside of 0 and its end.
    bool enter(const For& loop);
    /// An expression of the loop without names of it; invalid if that is impossible.
    ExpressionId written(ExpressionId expression);
    /// Takes the places where a condition as written changes as bounds; false if these are not two at most.
    bool addBounds(ExpressionId condition);
    void setBounds(std::optional<WholeSum> low, std::optional<WholeSum> high);
    /// The value of a condition of the loop in some iterations; nothing if it is not known or not the same in all.
    std::optional<bool> truth(ExpressionId condition, Parts part);
    /// The same of a condition as written.
    [[nodiscard]] std::optional<bool> truthOf(ExpressionId condition, Parts part) const;

    [[nodiscard]] WholeSums& sums() { return m_sums; }
    [[nodiscard]] const WholeSum& size() const { return *m_size; }                ///< the number of iterations
    [[nodiscard]] const std::optional<WholeSum>& low() const { return m_low; }    ///< where the first iterations end
    [[nodiscard]] const std::optional<WholeSum>& high() const { return m_high; }  ///< where the last ones begin

private:
    /// A comparison of the index.
    struct Test {
        enum class What : std::uint8_t { Below, AtLeast, Equal, NotEqual };
        What what;
        WholeSum at;
    };

    [[nodiscard]] std::optional<Test> testOf(const Expression& at) const;
    bool addBound(const WholeSum& at, bool isOfOne);
    [[nodiscard]] std::optional<bool> isBelow(const WholeSum& at, Parts part) const;

    const ir::TypeTable& m_types;
    Function& m_function;
    const Effects& m_effects;
    WholeSums m_sums;
    const For* m_loop = nullptr;
    LoopPath m_path;
    SymbolSet m_changed;  ///< by the loop
    absl::flat_hash_map<ExpressionId, ExpressionId> m_written;
    std::optional<WholeSum> m_size;
    std::optional<WholeSum> m_low;
    std::optional<WholeSum> m_high;
};

}  // namespace mitos::loops
