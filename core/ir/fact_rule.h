// SPDX-License-Identifier: GPL-3.0-or-later
// The part of an operator in the analyses of terms (core/facts): what its result is, and whether it can fail. It stands in the operator's
// row (OperatorInfo::facts), so that nothing else knows such facts about an operator.
#pragma once

#include "core/ir/abstract_value.h"

#include <cstdint>
#include <span>

namespace mitos::ir {

/// An application of an operator to values about which something is known.
struct FactInput {
    AbstractValues& values;
    const TypeTable& types;
    OpId opId;
    const OperatorInfo& op;
    const Payload& payload;
    TypeId type;                             ///< of the result
    std::span<const TypeId> operandTypes;    ///< of the children
    std::span<const ValueId> operands;       ///< of the children; of a function: the lambda
    std::span<const ValueId> results;        ///< the same; of a child that is a function: the value of one application
    std::span<const std::uint32_t> sources;  ///< equal numbers are the same operand: terms, or classes of an e-graph

    [[nodiscard]] const AbstractValue& operand(std::size_t i) const { return values[operands[i]]; }
    [[nodiscard]] bool isTensor(std::size_t i) const { return operand(i).kind == ValueKind::Tensor; }
    [[nodiscard]] ValueRange range(std::size_t i) const { return values.range(results[i]); }
    /// Whether two operands are the same value in every evaluation.
    [[nodiscard]] bool isSame(std::size_t i, std::size_t j) const { return sources[i] == sources[j]; }
    /// What holds for every result of the type.
    [[nodiscard]] ValueId anything() const { return values.anyOfType(types, type); }
};

enum class Certainty : std::uint8_t { Never, Maybe, Always };

/// Facts about one application whose operands have values. What the operands do is not part of them.
struct OperationFacts {
    ValueId value;                       ///< wherever the application has a value
    Certainty fails = Certainty::Never;  ///< the evaluation ends with an error
    Certainty isUndefined =
        Certainty::Never;  ///< there is no value over the reals (Floats may give NaN or an infinity)
};

/// The facts of an application by the operator's rule, or what holds without one.
[[nodiscard]] OperationFacts factsOf(const FactInput& input);
/// A result that is a number, or an array of numbers, of a range that was computed without limits: whole numbers wrap.
[[nodiscard]] ValueId scalarOf(const FactInput& input, const ValueRange& exact);
/// The argument of the function in a child by the operator's rule, or any value of its type.
[[nodiscard]] ValueId argumentOf(const FactInput& input, std::size_t child);

}  // namespace mitos::ir
