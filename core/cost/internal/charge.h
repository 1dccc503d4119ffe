// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of each construct of ks, for all analytic models: one table, several profiles.
#pragma once

#include "core/cost/cost_model.h"

#include <absl/container/inlined_vector.h>

#include <optional>
#include <span>
#include <string>

namespace mitos::cost {

/// The constants in which the published cost models differ (knossos-optimizer.md 3.1).
struct Profile {
    double allocation = 2.0;              ///< M: allocation of a tensor
    bool countsElements = true;           ///< operators on tensors and tuples, and sumbuild, have a cost per element
    bool logicIsIf = true;                ///< and, or, not cost as the `if` that they abbreviate (1), else nothing
    bool ignoresAssertCondition = false;  ///< assert costs 1 and its value only
};

/// Facts about a term that charging needs besides the costs of its children. Children are counted from 0.
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
    [[nodiscard]] virtual std::optional<bool> truth(std::size_t child) const = 0;  ///< value of a Bool, if it is known
    /// Cost of the body of the function that the term calls; empty for a call of a function within itself.
    [[nodiscard]] virtual std::optional<double> calledBody() const = 0;
};

/// Cost of a term = own + sum of times[i] x cost of child i.
struct Charge {
    double own = 0.0;
    absl::InlinedVector<double, 4> times;
};

/// Charges one operator. The `childCosts` of function values (lambdas) are the costs of one application; as a mere value a function costs
/// nothing (times 0). A sentence that explains `own` is stored in `reason` unless that is null.
[[nodiscard]] Charge charge(const ir::TermBank& bank, ir::TermId term, const Profile& profile,
                            std::span<const double> childCosts, const Facts& facts, std::string* reason = nullptr);

/// own + sum of times x cost, at most LargestCost.
[[nodiscard]] double total(const Charge& charge, std::span<const double> childCosts);

/// Whether the term's type is a function type, (Lam S T).
[[nodiscard]] bool isFunction(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::cost
