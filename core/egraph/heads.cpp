// SPDX-License-Identifier: GPL-3.0-or-later
// See heads.h.
#include "core/egraph/heads.h"

#include "core/ir/attributes.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace mitos::egraph {

using ir::CoreOp;
using ir::OpId;
using ir::TermBank;
using ir::TermId;

namespace {

OpId matchedOperator(const TermBank& bank, TermId term) {
    const OpId op = bank.op(term);
    if (!bank.is(term, CoreOp::Call)) return op;
    const OpId named = bank.registry().find(bank.function(bank.payload(term).asFunction()).name);
    return named.isValid() && bank.registry().info(named).dialect == "user" ? named : op;
}

}  // namespace

HeadId HeadTable::of(const TermBank& bank, TermId term) {
    const ir::Payload& payload = bank.payload(term);
    const auto arity = static_cast<std::uint32_t>(bank.childCount(term));
    const OpId op = bank.op(term);
    const ir::TypeId type = bank.type(term);
    const Key key{op.value, static_cast<std::uint8_t>(payload.kind()), payload.rawBits(), type.value, arity};
    const auto [entry, isNew] = m_index.try_emplace(key, HeadId(static_cast<std::uint32_t>(m_heads.size())));
    if (isNew) {
        m_hasOneType = m_hasOneType && (m_heads.empty() || m_heads.front().type == type);
        const bool isLiteral = bank.is(term, CoreOp::Literal);
        const bool isAtom = isLiteral || bank.is(term, CoreOp::Variable) || bank.is(term, CoreOp::Bound);
        m_heads.push_back({op, payload, type, arity, matchedOperator(bank, term), bank.registry().info(op).bindingChild,
                           isLiteral, isAtom, term});
    }
    return entry->second;
}

std::span<const TermId> HeadTable::attributes(TermBank& bank, HeadId id) {
    Head& head = m_heads[id.value];
    if (head.firstAttribute == Head::NotRead) {
        head.firstAttribute = static_cast<std::uint32_t>(m_attributes.size());
        if (head.payload.kind() == ir::PayloadKind::Attributes) {
            const std::string text(bank.text(head.payload.asSymbol()));  // creating literals may move the bank's texts
            for (const std::string_view value : ir::attributeValues(text)) {
                m_attributes.push_back(ir::attributeLiteral(bank, value));
            }
        }
        head.attributeCount = static_cast<std::uint32_t>(m_attributes.size()) - head.firstAttribute;
    }
    return std::span(m_attributes).subspan(head.firstAttribute, head.attributeCount);
}

TermId HeadTable::term(TermBank& bank, HeadId id, std::span<const TermId> children, Symbol hint) const {
    const Head& head = m_heads[id.value];
    if (head.bindingChild == ir::OperatorInfo::BindsNothing) {
        if (children.empty()) return head.sample;
        // Over other children it is another value, which must not reuse the sample's name. An operator without a type
        // rule is identified by its payload, so only its children are replaced.
        const bool isStated =
            bank.registry().info(head.op).typeRule == nullptr && head.op.value >= ir::opId(CoreOp::Count).value;
        if (isStated) return *bank.withChildren(head.sample, children);
        const auto typeOf = [&bank](TermId child) { return bank.type(child); };
        const bool areLikeIt =
            m_hasOneType || std::ranges::equal(children, bank.children(head.sample), {}, typeOf, typeOf);
        return areLikeIt ? bank.stated(head.op, head.type, children, head.payload)
                         : *bank.make(head.op, children, head.payload);
    }
    const Result<TermId> made = bank.make(head.op, children, head.payload, hint);
    assert(made.ok() && bank.type(*made) == head.type);
    return *made;
}

}  // namespace mitos::egraph
