// SPDX-License-Identifier: GPL-3.0-or-later
// Reads integers of bare expressions as Floats: `(add x 1)` means 1.0 there, as in Tables 5 and 6 of the paper.
#include "core/ks/internal/expression_reader.h"

#include <algorithm>

namespace mitos::ks {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;

namespace {

bool isArithmetic(Op op) { return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Neg; }

/// Index of the first of the arguments that must have the same type; the number of arguments if there is no such requirement.
std::size_t firstOfOneType(Op op, std::size_t count) {
    switch (op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div:
        case Op::Gt:
        case Op::Lt:
        case Op::Gte:
        case Op::Lte:
        case Op::Eq:
        case Op::Ne:
        case Op::Max:
        case Op::Mymul:
        case Op::VecInit: return 0;
        case Op::If: return 1;
        default: return count;
    }
}

bool isFloatFunction(Op op) { return op >= Op::Log && op <= Op::Abs; }

}  // namespace

bool isIntegerConstant(const TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Literal)) return bank.payload(term).kind() == ir::PayloadKind::Integer;
    if (!isArithmetic(ksOp(bank.op(term)))) return false;
    const auto children = bank.children(term);
    return std::ranges::all_of(children, [&](TermId child) { return isIntegerConstant(bank, child); });
}

void ExpressionReader::makeFloats(Op op, Terms& arguments) {
    const ir::TypeId floating = m_bank.types().floating();
    const std::size_t first = isFloatFunction(op) ? 0 : firstOfOneType(op, arguments.size());
    const bool wanted = isFloatFunction(op) || op == Op::Mymul ||
                        std::any_of(arguments.begin() + static_cast<std::ptrdiff_t>(std::min(first, arguments.size())),
                                    arguments.end(), [&](TermId a) { return m_bank.type(a) == floating; });
    if (!wanted) return;
    for (std::size_t i = first; i < arguments.size(); ++i) {
        if (isIntegerConstant(m_bank, arguments[i])) arguments[i] = asFloats(arguments[i]);
    }
}

TermId ExpressionReader::asFloats(TermId term) {
    if (m_bank.is(term, CoreOp::Literal)) return m_bank.floating(static_cast<double>(m_bank.payload(term).asInteger()));
    Terms children(m_bank.children(term).begin(), m_bank.children(term).end());
    for (TermId& child : children) child = asFloats(child);
    return *m_bank.withChildren(term, children);
}

}  // namespace mitos::ks
