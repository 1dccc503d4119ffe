// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/shared_values.h"

#include "core/ks/operators.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ks::Op;

namespace {

/// Emits the values of a term to blocks, where equal ones are one variable.
class Sharing {
public:
    Sharing(TermBank& bank, Names& names) : m_bank(bank), m_names(names) {}

    TermId inBlock(const Block* outer, TermId term) {
        Block block(m_bank, m_names, outer);
        const TermId result = visit(block, term);
        return block.close(result);
    }

private:
    TermId visit(Block& block, TermId term) {
        if (m_bank.is(term, CoreOp::Let)) return visitLets(block, term);
        if (m_bank.is(term, CoreOp::Bound)) return m_values[m_values.size() - 1 - m_bank.payload(term).asIndex()];
        if (m_bank.is(term, CoreOp::Lam)) return visitFunction(block, term);
        std::vector<TermId> children;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) {
            const TermId child = m_bank.child(term, i);
            if (i > 0 && mayNotEvaluate(term)) {
                children.push_back(inBlock(&block, child));
                continue;
            }
            const TermId value = visit(block, child);
            children.push_back(isShared(value) ? block.emit(value, "t") : value);
        }
        return children.empty() ? term : *m_bank.withChildren(term, children);
    }

    TermId visitLets(Block& block, TermId term) {
        const std::size_t outside = m_values.size();
        for (; m_bank.is(term, CoreOp::Let); term = m_bank.child(term, 1)) {
            const Symbol hint = m_bank.hint(term);
            const std::string name(hint.isValid() ? m_bank.text(hint) : "t");
            m_values.push_back(block.emit(visit(block, m_bank.child(term, 0)), name, true));
        }
        const TermId result = visit(block, term);
        m_values.resize(outside);
        return result;
    }

    TermId visitFunction(const Block& outer, TermId lambda) {
        Block block(m_bank, m_names, &outer);
        const Symbol hint = m_bank.hint(lambda);
        m_values.push_back(block.parameter(hint.isValid() ? m_bank.text(hint) : "x", m_bank.boundType(lambda)));
        const TermId result = visit(block, m_bank.child(lambda, 0));
        m_values.pop_back();
        return block.closeAsLambda(result);
    }

    /// Whether the operands after the first one are evaluated for some values of the first one only.
    [[nodiscard]] bool mayNotEvaluate(TermId term) const {
        const Op op = ks::ksOp(m_bank.op(term));
        return op == Op::If || op == Op::And || op == Op::Or || op == Op::Assert;
    }

    [[nodiscard]] bool isShared(TermId value) const {
        const bool isElement = m_bank.is(value, CoreOp::Get) || ks::ksOp(m_bank.op(value)) == Op::Index;
        return !isElement && m_bank.type(value) == m_bank.types().floating();
    }

    TermBank& m_bank;
    Names& m_names;
    std::vector<TermId> m_values;  ///< of bound variables, outermost first
};

}  // namespace

TermId withSharedValues(TermBank& bank, Names& names, TermId term) {
    return Sharing(bank, names).inBlock(nullptr, term);
}

}  // namespace mitos::autodiff
