// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the text rules of TENSAT (Yang et al., "Equality Saturation for Tensor Graph Superoptimization", MLSys 2021; operators: Table
// 2): one `(left)=>(right)` per line, s-expressions with variables `?x`.
#pragma once

#include "core/base/source_text.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mitos::rules::tensat {

enum class Op : std::uint8_t {
    Variable,
    Number,  ///< the scalar of smul
    Concat,  ///< attributes: axis, rank
    Conv,    ///< attributes: stride h, stride w, padding; children: input, kernel
    MatMul,
    Add,
    Mul,
    Relu,
    Tanh,
    Sigmoid,
    Scale,      ///< children: tensor, scalar
    SplitPart,  ///< attributes: axis, number of the part (of two)
    Transpose,  ///< attributes: the order of axes
    MaxPool,    ///< attributes: kernel h, kernel w, stride h, stride w, padding
    AveragePool,
};

enum class Padding : std::uint8_t { Same, Valid };

/// A term of a rule. An activation that TENSAT writes as a parameter of conv2d, matmul and pools is an operator applied to them here.
struct Expr {
    Op op = Op::Variable;
    std::string name = {};  ///< Variable: with its question mark; Number: as written
    std::vector<std::int64_t> attributes = {};
    std::vector<Expr> children = {};

    friend bool operator==(const Expr&, const Expr&) = default;
};

/// The term as an s-expression: two terms are equal if and only if their texts are.
[[nodiscard]] std::string text(const Expr& expr);

/// A rule: one line, or a pair of lines for a rule with two roots.
struct RuleText {
    std::vector<Expr> lefts;
    std::vector<Expr> rights;
    SourceSpan span;  ///< of the lines
};

struct RuleFile {
    std::vector<RuleText> rules;
    std::vector<Error> errors;       ///< for lines that are not rules
    std::vector<Error> unsupported;  ///< rules with an operator that has no translation, by name
};

/// Reads a file of rules. Each line is a rule, unless the right side of some line has a variable that its left side lacks: then the file
/// contains rules with two roots, and each two consecutive lines are one rule. Empty lines do not count.
[[nodiscard]] RuleFile read(const SourceText& source);

}  // namespace mitos::rules::tensat
