// SPDX-License-Identifier: GPL-3.0-or-later
/// \file
/// The words and signs of the reading form (math.h): operators with their precedence, names, numbers.
#pragma once

#include "core/ir/payload.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"

#include <array>
#include <string>
#include <string_view>

namespace mitos::ks {

/// How strongly a form binds; a part that binds less strongly than its place requires stands in parentheses.
enum Level : int { Whole, Part, Disjunction, Conjunction, Comparison, Sum, Product, Prefix, Power, Postfix };

struct Infix {
    Op op;
    int level;
    const char* text;
    const char* latex;
};
inline constexpr std::array Infixes{
    Infix{Op::Or, Disjunction, "∨", "\\lor"},
    Infix{Op::And, Conjunction, "∧", "\\land"},
    Infix{Op::Gt, Comparison, ">", ">"},
    Infix{Op::Lt, Comparison, "<", "<"},
    Infix{Op::Gte, Comparison, "≥", "\\ge"},
    Infix{Op::Lte, Comparison, "≤", "\\le"},
    Infix{Op::Eq, Comparison, "=", "="},
    Infix{Op::Ne, Comparison, "≠", "\\ne"},
    Infix{Op::Add, Sum, "+", "+"},
    Infix{Op::Sub, Sum, "−", "-"},
    Infix{Op::TsAdd, Sum, "+", "+"},
    Infix{Op::Mul, Product, "·", "\\cdot"},
    Infix{Op::Div, Product, "/", "/"},
    Infix{Op::TsScale, Product, "·", "\\cdot"},
};
inline constexpr Infix Quotient{Op::Div, Product, "÷", "\\div"};  // of Integers

/// Names, numbers and functions, as plain text or as LaTeX.
class MathWords {
public:
    explicit MathWords(bool isLatex) : m_isLatex(isLatex) {}

    /// A variable: α for alpha; in LaTeX, digits at its end and what follows an underscore become a subscript.
    [[nodiscard]] std::string name(std::string_view name) const;
    [[nodiscard]] std::string function(std::string_view name) const;
    [[nodiscard]] std::string literal(const ir::TermBank& bank, const ir::Payload& payload) const;

private:
    [[nodiscard]] std::string number(double value) const;
    [[nodiscard]] std::string withSign(std::string number) const;

    bool m_isLatex;
};

}  // namespace mitos::ks
