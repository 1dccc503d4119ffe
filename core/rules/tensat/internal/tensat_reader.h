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
    BatchNorm,  ///< children: input, scale, bias, mean, variance
    Reshape,    ///< attributes: the sizes
    Enlarge,  ///< children: kernel, and the kernel whose height and width it is padded to with zeros, on all sides alike
    Merge,    ///< attributes: count; child: a kernel, whose groups are joined, `count` neighbours to one
};

enum class Padding : std::uint8_t { Same, Valid };

/// A term of a rule. An activation that TENSAT writes as a parameter of conv2d, matmul and pools is an operator applied to them here.
/// Dropout, which does nothing when a network runs, is left out.
struct Expr {
    Op op = Op::Variable;
    std::string name = {};  ///< Variable: with its question mark; Number: as written
    std::vector<std::int64_t> attributes = {};
    std::vector<Expr> children = {};
    bool isFused = false;  ///< an activation that is a parameter of the convolution below it

    friend bool operator==(const Expr&, const Expr&) = default;
};

/// The term as an s-expression: two terms have the same value if their texts are equal. It does not show whether an activation is fused.
[[nodiscard]] std::string text(const Expr& expr);

/// A rule: one line, or a pair of lines for a rule with two roots.
struct RuleText {
    std::vector<Expr> lefts;
    std::vector<Expr> rights;
    SourceSpan span;         ///< of the lines
    std::size_t number = 0;  ///< among all rules of the file, those that cannot be read included
};

struct RuleFile {
    std::vector<RuleText> rules;
    std::size_t count = 0;           ///< of all rules, those that cannot be read included
    std::vector<Error> errors;       ///< for lines that are not rules
    std::vector<Error> unsupported;  ///< rules with an operator that has no translation, by name
};

/// Reads a file of rules. Each line is a rule, unless the right side of some line has a variable that its left side lacks: then the file
/// contains rules with two roots, and each two consecutive lines are one rule. Empty lines do not count.
[[nodiscard]] RuleFile read(const SourceText& source);

}  // namespace mitos::rules::tensat
