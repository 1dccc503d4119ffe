// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/decisions.h"

#include "core/base/deep_stack.h"
#include "core/ir/binding.h"
#include "core/ir/calls.h"
#include "core/ks/operators.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::FunctionId;
using ir::TermId;
using ks::Op;

namespace {

class Instrumenter {
public:
    explicit Instrumenter(ir::TermBank& bank) : m_bank(bank) {}

    /// Declares the copies of all functions first, since they may call each other.
    Result<ir::Program> run(const ir::Program& program) {
        std::vector<FunctionId> functions = ir::callOrder(m_bank, program);
        std::erase_if(functions, [&](FunctionId id) { return !m_bank.function(id).body.isValid(); });
        functions.push_back(program.function);
        for (const FunctionId id : functions) {
            ir::Function copy = m_bank.function(id);
            copy.name += "$decisions";
            copy.body = {};
            MITOS_TRY(const FunctionId declared, m_bank.declare(std::move(copy)));
            m_copies[id] = declared;
        }
        for (const FunctionId id : functions) {
            const TermId body = id == program.function ? program.root : m_bank.function(id).body;
            TermId copied;
            withDeepStack(m_bank.depth(body), [&] { copied = instrumented(body); });
            m_bank.define(m_copies[id], copied);
        }
        const FunctionId main = m_copies[program.function];
        return ir::Program{main, m_bank.function(main).body};
    }

private:
    TermId make(Op op, std::initializer_list<TermId> children) {
        const absl::InlinedVector<TermId, 4> list(children);
        return *m_bank.make(opId(op), list);
    }
    TermId traced(TermId term) { return make(Op::Trace, {term}); }

    TermId instrumented(TermId term) {
        if (const auto known = m_done.find(term); known != m_done.end()) return known->second;
        absl::InlinedVector<TermId, 8> children(m_bank.children(term).begin(), m_bank.children(term).end());
        for (TermId& child : children) child = instrumented(child);
        const TermId result = withDecision(term, children);
        m_done.emplace(term, result);
        return result;
    }

    TermId withDecision(TermId term, std::span<const TermId> children) {
        if (m_bank.is(term, CoreOp::Call)) {
            const auto copy = m_copies.find(m_bank.payload(term).asFunction());
            return copy == m_copies.end() ? *m_bank.withChildren(term, children) : *m_bank.call(copy->second, children);
        }
        const Op op = ks::ksOp(m_bank.op(term));
        if (op == Op::Trace) return children[0];
        if (op == Op::Print) return m_bank.integer(static_cast<std::int64_t>(children.size()) - 1);
        const TermId same = children.empty() ? term : *m_bank.withChildren(term, children);
        switch (op) {
            case Op::Gt:
            case Op::Lt:
            case Op::Gte:
            case Op::Lte:
            case Op::Eq:
            case Op::Ne: return hasFloats(m_bank.type(children[0])) ? traced(same) : same;
            case Op::Imax: return traced(same);
            case Op::Abs:
                return decided(children[0], [&](TermId x) {
                    return std::pair(make(Op::Gt, {x, m_bank.floating(0.0)}), make(Op::Abs, {x}));
                });
            case Op::Loop:
                return decided(same, [&](TermId r) {
                    return std::pair(make(Op::Eq, {m_bank.get(r, 0), m_bank.integer(-1)}), r);
                });
            case Op::Max: {
                if (children.size() == 1) {
                    return decided(children[0], [&](TermId v) {
                        return std::pair(make(Op::Eq, {make(Op::Imax, {v}), m_bank.integer(-1)}), make(Op::Max, {v}));
                    });
                }
                return decided(m_bank.tuple(children), [&](TermId pair) {
                    const TermId a = m_bank.get(pair, 0);
                    const TermId b = m_bank.get(pair, 1);
                    return std::pair(make(Op::Gt, {a, b}), make(Op::Max, {a, b}));
                });
            }
            default: return same;
        }
    }

    /// (let (x operand) (if (traced decision) value value)).
    template <typename Parts>
    TermId decided(TermId operand, const Parts& parts) {
        const TermId x = m_bank.bound(0, m_bank.type(operand));
        auto [decision, value] = parts(x);
        if (m_bank.op(decision) == opId(Op::Eq)) {  // an index, printed as it is
            const TermId index = traced(m_bank.child(decision, 0));
            decision = make(Op::Eq, {index, m_bank.child(decision, 1)});
        } else {
            decision = traced(decision);
        }
        return m_bank.let(m_bank.symbols().intern("x"), operand, make(Op::If, {decision, value, value}));
    }

    [[nodiscard]] bool hasFloats(ir::TypeId type) const {
        if (type == m_bank.types().floating()) return true;
        if (!m_bank.types().isTuple(type) && !m_bank.types().isTensor(type)) return false;
        return std::ranges::any_of(m_bank.types().children(type), [&](ir::TypeId part) { return hasFloats(part); });
    }

    ir::TermBank& m_bank;
    absl::flat_hash_map<FunctionId, FunctionId> m_copies;
    absl::flat_hash_map<TermId, TermId> m_done;
};

}  // namespace

Result<ir::Program> printingDecisions(ir::TermBank& bank, const ir::Program& program) {
    return Instrumenter(bank).run(program);
}

}  // namespace mitos::autodiff
