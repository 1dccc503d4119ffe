// SPDX-License-Identifier: GPL-3.0-or-later
// See well_scoped.h.
#include "core/egraph/internal/well_scoped.h"

#include "core/base/deep_stack.h"
#include "core/ir/binding.h"
#include "core/rewrite/detours.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::egraph {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ir::TypeKind;

namespace {

Error notExplained(std::string message) { return {ErrorCode::Unsupported, std::move(message)}; }

/// The part of a term that a closed term replaces.
enum class Replaced : std::uint8_t {
    Operations,  ///< an operation on the variable that can fail; the variable where there is none around it
    Variables,
};

/// Replaces the variables that are not bound in the context of a term.
class Closing {
public:
    Closing(ir::TermBank& bank, ir::FunctionId function, Replaced replaced) : m_bank(bank), m_replaced(replaced) {
        const ir::Function& own = bank.function(function);
        for (const ir::Parameter& parameter : own.parameters) {
            const TypeId type = bank.types().erased(parameter.type);
            m_own.emplace(parameter.name, type);
            m_values.try_emplace(type, bank.variable(parameter.name, type));
        }
        for (const ir::SizeName& size : own.sizes) {
            const TypeId type = bank.types().integer();
            m_own.emplace(size.name, type);
            m_values.try_emplace(type, bank.variable(size.name, type));
        }
    }

    TermId operator()(TermId root) {
        TermId result;
        withDeepStack(m_bank.depth(root), [&] { result = closed(root, Outside).term; });
        return result;
    }

private:
    /// The binders above a place, interned: equal lists of types have equal numbers.
    using Context = std::uint32_t;
    static constexpr Context Outside = 0;

    [[nodiscard]] bool isBound(TermId term, Context context) const {
        for (std::uint32_t index = m_bank.payload(term).asIndex(); context != Outside; --index) {
            const auto& [outer, type] = m_contexts[context - 1];
            if (index == 0) return type == m_bank.type(term);
            context = outer;
        }
        return false;
    }

    [[nodiscard]] bool isOwn(TermId term) const {
        const auto own = m_own.find(m_bank.payload(term).asSymbol());
        return own != m_own.end() && own->second == m_bank.type(term);
    }

    Context below(Context outer, TypeId type) {
        const auto [known, isNew] = m_inner.try_emplace({outer, type}, 0);
        if (isNew) {
            m_contexts.emplace_back(outer, type);
            known->second = static_cast<Context>(m_contexts.size());
        }
        return known->second;
    }

    struct Closed {
        TermId term;
        bool isTouched = false;  ///< contains a value in place of a variable, not in place of an operation around it
    };

    Closed closed(TermId term, Context context) {
        if (m_bank.is(term, CoreOp::Bound) && !isBound(term, context)) return {valueOf(m_bank.type(term)), true};
        if (m_bank.is(term, CoreOp::Variable) && !isOwn(term)) return {valueOf(m_bank.type(term)), true};
        if (m_bank.childCount(term) == 0) return {term};
        const Context seen = m_bank.looseBound(term) == 0 ? Outside : context;
        if (const auto known = m_done.find({seen, term}); known != m_done.end()) return known->second;
        absl::InlinedVector<TermId, 8> children(m_bank.children(term).begin(), m_bank.children(term).end());
        bool isSame = true;
        Closed result;
        for (std::size_t i = 0; i < children.size(); ++i) {
            const bool binds = m_bank.boundIn(term, i) != 0;
            const Closed child = closed(children[i], binds ? below(context, m_bank.boundType(term)) : context);
            isSame = isSame && child.term == children[i];
            result.isTouched = result.isTouched || child.isTouched;
            children[i] = child.term;
        }
        const bool canFail = m_bank.registry().info(m_bank.op(term)).traits.mayFail;
        if (result.isTouched && canFail && m_replaced == Replaced::Operations) {
            result = {valueOf(m_bank.type(term))};
        } else {
            result.term = isSame ? term
                                 : m_bank.stated(m_bank.op(term), m_bank.type(term), children, m_bank.payload(term),
                                                 m_bank.hint(term));
        }
        m_done.emplace(std::pair(seen, term), result);
        return result;
    }

    /// A closed term of the type; the same one for each call.
    TermId valueOf(TypeId type) {
        if (const auto known = m_values.find(type); known != m_values.end()) return known->second;
        TermId value;
        switch (m_bank.types().kind(type)) {
            case TypeKind::Float: value = m_bank.floating(1.0); break;
            case TypeKind::Integer: value = m_bank.integer(1); break;
            case TypeKind::Bool: value = m_bank.boolean(true); break;
            default: value = *m_bank.make(opId(CoreOp::Dummy), {}, ir::Payload::type(type)); break;
        }
        m_values.emplace(type, value);
        return value;
    }

    ir::TermBank& m_bank;
    Replaced m_replaced;
    absl::flat_hash_map<Symbol, TypeId> m_own;
    absl::flat_hash_map<TypeId, TermId> m_values;
    std::vector<std::pair<Context, TypeId>> m_contexts;
    absl::flat_hash_map<std::pair<Context, TypeId>, Context> m_inner;
    absl::flat_hash_map<std::pair<Context, TermId>, Closed> m_done;
};

/// The step between two states, with its substitution recomputed.
std::optional<rewrite::Step> stepBetween(ir::TermBank& bank, const rewrite::Step& step, TermId before, TermId after) {
    const std::optional<TermId> from = ir::subterm(bank, step.isReversed ? after : before, step.positions.front());
    const std::optional<TermId> to = ir::subterm(bank, step.isReversed ? before : after, step.positions.front());
    if (!from || !to) return std::nullopt;
    std::optional<rewrite::Step> found;
    step.rule->match(bank, *from, [&](const rules::Substitution& substitution) {
        const Result<TermId> result = step.rule->apply(bank, substitution, *from);
        if (!result || *result != *to) return true;
        found = step;
        found->substitution = substitution;
        return false;
    });
    return found;
}

Error refused(const rewrite::ThreadReport& report) {
    return notExplained(
        fmt::format("step {} of the thread that was found does not hold: {}", report.failedStep, report.reason));
}

/// The checker's report; Cancelled after `mayGoOn` returned false.
Result<rewrite::ThreadReport> checked(ir::TermBank& bank, const rewrite::Thread& thread, MayGoOn mayGoOn) {
    rewrite::ThreadReport all;
    all.valid = true;
    ir::Program before = thread.start;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        if (!mayGoOn()) return explanationStopped();
        rewrite::ThreadReport step = rewrite::check(bank, {before, {thread.steps[i]}, {thread.states[i]}});
        if (!step.valid) return rewrite::ThreadReport{false, i, i + 1, std::move(step.reason)};
        before.root = thread.states[i];
        all.steps = i + 1;
    }
    return all;
}

/// The thread with these replacements; fails if the checker does not accept it.
Result<rewrite::Thread> withReplaced(ir::TermBank& bank, const rewrite::Thread& thread, Replaced replaced,
                                     MayGoOn mayGoOn) {
    Closing closed(bank, thread.start.function, replaced);
    const TermId end = thread.end().root;
    if (closed(thread.start.root) != thread.start.root || closed(end) != end) {
        return notExplained("the term mentions variables that are not the program's");
    }
    rewrite::Thread result{thread.start, {}, {}};
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        if (!mayGoOn()) return explanationStopped();
        const TermId before = result.end().root;
        const TermId after = closed(thread.states[i]);
        if (after == before) continue;
        const bool isSame = after == thread.states[i] && before == (i == 0 ? thread.start.root : thread.states[i - 1]);
        std::optional<rewrite::Step> step =
            isSame ? std::optional(thread.steps[i]) : stepBetween(bank, thread.steps[i], before, after);
        if (!step) {
            return notExplained(fmt::format("{} holds only where a variable is not bound", thread.steps[i].name()));
        }
        result.steps.push_back(*std::move(step));
        result.states.push_back(after);
    }
    result = rewrite::withoutDetours(bank, std::move(result));
    MITOS_TRY(const rewrite::ThreadReport report, checked(bank, result, mayGoOn));
    if (!report.valid) return refused(report);
    return result;
}

}  // namespace

Result<rewrite::Thread> wellScoped(ir::TermBank& bank, rewrite::Thread thread, MayGoOn mayGoOn) {
    MITOS_TRY(const rewrite::ThreadReport asFound, checked(bank, thread, mayGoOn));
    if (asFound.valid) return thread;
    if (bank.function(thread.start.function).sharing == ir::Sharing::Graph) return refused(asFound);
    Result<rewrite::Thread> result = withReplaced(bank, thread, Replaced::Operations, mayGoOn);
    return result ? result : withReplaced(bank, thread, Replaced::Variables, mayGoOn);
}

}  // namespace mitos::egraph
