// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/small_calls.h"

#include "core/base/number_text.h"
#include "core/ir/binding.h"
#include "core/ir/inline_call.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// The largest body that is inlined, in nodes.
constexpr std::uint64_t LargestBody = 150;
/// The growth of a program at which inlining ends, in nodes.
constexpr std::uint64_t MostGrowth = 2'000;

class Inliner {
public:
    Inliner(TermBank& bank, ir::FunctionId function, absl::FunctionRef<bool(ir::FunctionId)> keeps)
        : m_bank(bank),
          m_keeps(keeps) {
        for (const ir::Parameter& parameter : bank.function(function).parameters)
            m_declared.emplace(parameter.name, parameter.type);
    }

    TermId visit(TermId term) {
        std::vector<TermId> children;
        for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) children.push_back(visit(m_bank.child(term, i)));
        if (!children.empty()) term = *m_bank.withChildren(term, children);
        if (!m_bank.is(term, CoreOp::Call)) return term;
        const ir::FunctionId callee = m_bank.payload(term).asFunction();
        const TermId body = m_bank.function(callee).body;
        if (!body.isValid() || m_keeps(callee)) return term;
        const std::uint64_t size = m_bank.treeSize(body);
        if (size > LargestBody || m_growth + size > MostGrowth) return term;
        const std::optional<TermId> inlined = ir::inlinedCall(m_bank, term);
        if (!inlined) return term;
        m_growth += size;
        return visit(withStatedSizes(*inlined));
    }

private:
    /// The body of an inlined call without lets for sizes that have a name.
    TermId withStatedSizes(TermId term) {
        if (!m_bank.is(term, CoreOp::Let)) return term;
        const TermId value = m_bank.child(term, 0);
        if (const TermId size = statedSize(value); size.isValid())
            return withStatedSizes(ir::instantiate(m_bank, m_bank.child(term, 1), size));
        const std::array children{value, withStatedSizes(m_bank.child(term, 1))};
        return *m_bank.withChildren(term, children);
    }

    /// The name or the number that is the value of `(size p)`, or of `(if (gt (size q) 0) (size p) 0)` for a q that is not empty; invalid for
    /// other terms.
    TermId statedSize(TermId term) {
        if (isOp(term, Op::Size)) {
            const TypeId type = declaredType(m_bank.child(term, 0));
            const ir::TypeTable& types = m_bank.types();
            if (!type.isValid() || types.rank(type) != 1 || types.sizes(type).empty()) return {};
            const Symbol name = types.sizes(type)[0];
            if (!name.isValid()) return {};
            const std::optional<std::int64_t> number = numberFrom<std::int64_t>(m_bank.text(name));
            return number ? m_bank.integer(*number) : m_bank.variable(name, types.integer());
        }
        if (!isOp(term, Op::If) || !isOp(m_bank.child(term, 0), Op::Gt)) return {};
        const TermId count = statedSize(m_bank.child(m_bank.child(term, 0), 0));
        const bool isThere = count.isValid() && m_bank.is(count, CoreOp::Literal) &&
                             m_bank.payload(count).asInteger() > 0 &&
                             m_bank.child(m_bank.child(term, 0), 1) == m_bank.integer(0);
        return isThere ? statedSize(m_bank.child(term, 1)) : TermId();
    }

    [[nodiscard]] bool isOp(TermId term, Op op) const { return ks::ksOp(m_bank.op(term)) == op; }

    /// The declared type of a part of a parameter; invalid for other terms.
    [[nodiscard]] TypeId declaredType(TermId place) const {
        if (m_bank.is(place, CoreOp::Variable)) {
            const auto known = m_declared.find(m_bank.payload(place).asSymbol());
            return known == m_declared.end() ? TypeId() : known->second;
        }
        const bool isElement = isOp(place, Op::Index);
        if (!isElement && !m_bank.is(place, CoreOp::Get)) return {};
        const TypeId whole = declaredType(m_bank.child(place, isElement ? 1 : 0));
        if (!whole.isValid()) return {};
        return m_bank.types().children(whole)[isElement ? 0 : m_bank.payload(place).projectionIndex()];
    }

    TermBank& m_bank;
    absl::FunctionRef<bool(ir::FunctionId)> m_keeps;
    absl::flat_hash_map<Symbol, TypeId> m_declared;  ///< types of parameters, with the names of sizes
    std::uint64_t m_growth = 0;
};

}  // namespace

TermId withSmallCallsInlined(TermBank& bank, ir::FunctionId function, absl::FunctionRef<bool(ir::FunctionId)> keeps) {
    return Inliner(bank, function, keeps).visit(bank.function(function).body);
}

}  // namespace mitos::autodiff
