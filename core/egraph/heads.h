// SPDX-License-Identifier: GPL-3.0-or-later
// Heads: e-nodes without their children, interned as numbers.
#pragma once

#include "core/base/strong_id.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace mitos::egraph {

using HeadId = StrongId<struct HeadTag>;

/// Operator, payload, type and number of children. Nodes with equal heads and equal children are congruent.
struct Head {
    ir::OpId op;
    ir::Payload payload;
    ir::TypeId type;
    std::uint32_t arity = 0;
    /// The operator by which patterns find it: `op`, except for a call of a function with the name of an operator from
    /// a rule file, which is matched as that operator (rules::hasOperator).
    ir::OpId matched;
    int bindingChild = ir::OperatorInfo::BindsNothing;
    bool isLiteral = false;
    /// A literal or a variable, bound or free: two different atoms are not equal for all values of the variables.
    bool isAtom = false;
    /// The first term with this head: over children of the same types, further terms are made from it without calling
    /// the operator's type rule, which may infer shapes.
    ir::TermId sample;
    /// Range of the literals of its attributes, once they were read.
    std::uint32_t firstAttribute = NotRead;
    std::uint32_t attributeCount = 0;

    static constexpr std::uint32_t NotRead = 0xFFFFFFFFU;
};

/// Interns heads: dense numbers in the order of first use.
class HeadTable {
public:
    HeadId of(const ir::TermBank& bank, ir::TermId term);
    [[nodiscard]] const Head& operator[](HeadId id) const { return m_heads[id.value]; }
    [[nodiscard]] std::size_t size() const { return m_heads.size(); }
    /// Whether all heads so far have the same type, as in a free algebra.
    [[nodiscard]] bool hasOneType() const { return m_hasOneType; }
    [[nodiscard]] std::size_t bytes() const {
        return m_heads.size() * (sizeof(Head) + 2 * sizeof(Key)) + m_attributes.capacity() * sizeof(ir::TermId);
    }

    /// The literals of the attribute values in the head's payload (ir/attributes.h), in the operator's order; empty if
    /// the payload carries none. They are read once for each head. The span is valid until the next call.
    [[nodiscard]] std::span<const ir::TermId> attributes(ir::TermBank& bank, HeadId head);

    /// Builds the term of a head over children of the right types. `hint` is the name of the variable that a binder
    /// binds.
    [[nodiscard]] ir::TermId term(ir::TermBank& bank, HeadId head, std::span<const ir::TermId> children,
                                  Symbol hint) const;

private:
    using Key = std::tuple<std::uint32_t, std::uint8_t, std::uint64_t, std::uint32_t, std::uint32_t>;

    std::vector<Head> m_heads;
    std::vector<ir::TermId> m_attributes;  // of all heads whose attributes were read
    bool m_hasOneType = true;
    absl::flat_hash_map<Key, HeadId> m_index;
};

}  // namespace mitos::egraph
