// SPDX-License-Identifier: GPL-3.0-or-later
// What each construct of ks costs, for all analytic models: one table, several profiles.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/inlined_vector.h>

#include <optional>
#include <span>
#include <string>

namespace mitos::cost {

/// The constants in which the published cost models differ (knossos-optimizer.md 3.1).
struct Profile {
    double allocation = 2.0;              ///< M: making a tensor
    bool countsElements = true;           ///< operators on tensors and tuples, and sumbuild, cost so much an element
    bool logicIsIf = true;                ///< and, or, not cost as the `if` they stand for (1), else nothing
    bool ignoresAssertCondition = false;  ///< assert costs 1 and its value
};

/// What charging has to know about a term besides the costs of its children. Children are counted from 0.
class Facts {
public:
    Facts() = default;
    Facts(const Facts&) = delete;
    Facts& operator=(const Facts&) = delete;
    virtual ~Facts() = default;
    [[nodiscard]] virtual double elements(std::size_t child) const = 0;    ///< scalars in the child's value
    [[nodiscard]] virtual double length(std::size_t child) const = 0;      ///< elements of the tensor in the child
    [[nodiscard]] virtual double iterations(std::size_t child) const = 0;  ///< indices below the size in the child
    [[nodiscard]] virtual double resultElements() const = 0;               ///< scalars in the term's value
    [[nodiscard]] virtual std::optional<bool> truth(std::size_t child) const = 0;  ///< of a Bool, if it is known
    /// Cost of the body of the function that the term calls; nothing for a call of a function within itself.
    [[nodiscard]] virtual std::optional<double> calledBody() const = 0;
};

/// Cost of a term = own + sum of times[i] x cost of child i.
struct Charge {
    double own = 0.0;
    absl::InlinedVector<double, 4> times;
};

/// Charges one operator. `childCosts` of function values (lambdas) are what one application costs; as a mere value a
/// function costs nothing (times 0). With `reason`, own is explained there in a sentence.
[[nodiscard]] Charge charge(const ir::TermBank& bank, ir::TermId term, const Profile& profile,
                            std::span<const double> childCosts, const Facts& facts, std::string* reason = nullptr);

/// Costs stay below this, so that sums and products of them are finite.
constexpr double LargestCost = 1e300;

/// own + sum of times x cost, at most LargestCost.
[[nodiscard]] double total(const Charge& charge, std::span<const double> childCosts);

/// Whether the type is a function's, (Lam S T).
[[nodiscard]] bool isFunction(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::cost
