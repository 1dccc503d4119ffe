// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of the ks language as data: its primitives and prelude functions (shared/design ks-language.md 5, 6).
#pragma once

#include "core/ir/operator_registry.h"

#include <memory>

namespace mitos::ks {

/// In the order of registration, directly after ir::CoreOp.
enum class Op : std::uint32_t {
    // control
    If,
    Assert,
    // arithmetic: overloaded for Float and Integer, scalars broadcast over tensors and tuples
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    // comparisons and logic
    Gt,
    Lt,
    Gte,
    Lte,
    Eq,
    Ne,
    And,
    Or,
    Not,
    // functions of Floats
    Log,
    Exp,
    Sin,
    Cos,
    Tanh,
    Cosh,
    Sqrt,
    Erf,
    Lgamma,
    Abs,
    Max,
    Imax,
    Pow,
    ToFloat,
    BoolToFloat,
    Pi,
    Dot,
    Mymul,
    // tensors
    Build,
    Sumbuild,
    Fold,
    Map,
    Map2,
    Index,
    Size,
    Shape,
    Sum,
    Unzip,
    VecInit,
    ConstVec,
    DeltaVec,
    Delta,
    Diag,
    BuildFromSparse,
    BuildFromSparseTupled,
    // tangent space
    TsAdd,
    TsScale,
    TsNeg,
    TsDot,
    // effects and hints
    Print,
    Trace,
    Inline,
    Copydown,
    Check,
    Ranhashdoub,
    Bench,
    Elim,
    Dup,
    // linear maps
    LmZero,
    LmOne,
    LmScale,
    LmScaleR,
    LmDot,
    LmCompose,
    LmAdd,
    LmVCat,
    LmHCat,
    LmVCatV,
    LmHCatV,
    LmApply,
    LmApplyR,
    LmFold,
    FFold,
    RFold,
    // application of a function value, `(apply f x)` in rules
    Apply,
    // a loop with early exits
    Loop,
    Count,
};

[[nodiscard]] constexpr ir::OpId opId(Op op) {
    return ir::OpId(static_cast<std::uint32_t>(ir::CoreOp::Count) + static_cast<std::uint32_t>(op));
}

/// The ks operator of an id; Op::Count for ids that are not ks operators.
[[nodiscard]] constexpr Op ksOp(ir::OpId id) {
    const std::uint32_t first = static_cast<std::uint32_t>(ir::CoreOp::Count);
    const bool inside = id.value >= first && id.value < first + static_cast<std::uint32_t>(Op::Count);
    return inside ? static_cast<Op>(id.value - first) : Op::Count;
}

/// The name of the dialect.
inline constexpr std::string_view DialectName = "ks";

/// Adds the ks operators to a registry that has only those of the core.
void addOperators(ir::OperatorRegistry& registry);
/// A registry with the core and the dialect ks.
[[nodiscard]] std::shared_ptr<const ir::OperatorRegistry> makeRegistry();

}  // namespace mitos::ks
