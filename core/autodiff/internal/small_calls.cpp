// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/small_calls.h"

#include "core/ir/inline_call.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;

namespace {

/// The largest body that is inlined, in nodes.
constexpr std::uint64_t LargestBody = 150;
/// The growth of a program at which inlining ends, in nodes.
constexpr std::uint64_t MostGrowth = 2'000;

class Inliner {
public:
    Inliner(TermBank& bank, absl::FunctionRef<bool(ir::FunctionId)> keeps) : m_bank(bank), m_keeps(keeps) {}

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
        return visit(*inlined);
    }

private:
    TermBank& m_bank;
    absl::FunctionRef<bool(ir::FunctionId)> m_keeps;
    std::uint64_t m_growth = 0;
};

}  // namespace

TermId withSmallCallsInlined(TermBank& bank, TermId term, absl::FunctionRef<bool(ir::FunctionId)> keeps) {
    return Inliner(bank, keeps).visit(term);
}

}  // namespace mitos::autodiff
