// SPDX-License-Identifier: GPL-3.0-or-later
// Costs depend on the term alone here, so each term of the bank is costed once; a vector indexed by its id holds the costs.
#include "core/cost/internal/profile_evaluator.h"

#include "core/base/deep_stack.h"
#include "core/ir/calls.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace mitos::cost {

using ir::CoreOp;
using ir::FunctionId;
using ir::TermId;
using ir::TypeId;

namespace {

using Costs = absl::InlinedVector<double, 4>;

/// Costs of one application of each bound function, with an entry for every enclosing binder, innermost last. Only lets that bind a
/// lambda matter; ks itself has none, but rules may create them.
using FunctionCosts = std::vector<double>;

class ProfileEvaluator : public CostEvaluator {
public:
    ProfileEvaluator(const ir::TermBank& bank, FunctionId function, const Profile& profile, double vectorSize)
        : m_bank(bank),
          m_profile(profile),
          m_entered{function} {
        for (std::size_t rank = 0; rank < m_powers.size(); ++rank) {
            m_powers[rank] = std::min(std::pow(vectorSize, static_cast<double>(rank)), LargestCost);
        }
    }

    Result<double> cost(TermId root, const std::stop_token&) override { return costWith(root, m_memo); }

    Result<std::vector<CostPart>> explain(TermId root, const std::stop_token&) override {
        costWith(root, m_memo);
        std::vector<CostPart> parts;
        FunctionCosts functions;
        withDeepStack(m_bank.depth(root), [&] { explainTerm(root, 1.0, functions, parts); });
        return parts;
    }

    [[nodiscard]] std::size_t bytes() const override { return m_memo.bytes() + m_bodyMemo.bytes(); }

private:
    struct Entry {
        double cost = 0.0;
        /// One more than the largest index of a loose bound variable that is a function: 0 for nearly all terms. The others have a cost
        /// only where that function is known, and the cost is not cached.
        std::uint32_t openFunctions = 0;
        bool known = false;
    };
    /// Entries indexed by term.
    class Memo {
    public:
        void coverTerms(std::size_t count) {
            if (m_entries.size() < count) m_entries.resize(count);
        }
        [[nodiscard]] const Entry& operator[](TermId term) const { return m_entries[term.value]; }
        void set(TermId term, const Entry& entry) {
            m_entries[term.value] = entry;
            m_set.push_back(term);
        }
        /// Removes the entries in time proportional to their number.
        void clear() {
            for (const TermId term : m_set) m_entries[term.value] = {};
            m_set.clear();
        }
        [[nodiscard]] std::size_t bytes() const {
            return m_entries.capacity() * sizeof(Entry) + m_set.capacity() * sizeof(TermId);
        }

    private:
        std::vector<Entry> m_entries;
        std::vector<TermId> m_set;
    };

    class FixedFacts : public Facts {
    public:
        FixedFacts(ProfileEvaluator& owner, TermId term) : m_owner(owner), m_term(term) {}
        [[nodiscard]] double elements(std::size_t child) const override { return m_owner.elementsOf(typeOf(child)); }
        [[nodiscard]] double length(std::size_t child) const override {
            const ir::TypeTable& types = m_owner.m_bank.types();
            return types.isTensor(typeOf(child)) ? m_owner.power(types.rank(typeOf(child))) : 1.0;
        }
        [[nodiscard]] double iterations(std::size_t child) const override {
            const ir::TypeTable& types = m_owner.m_bank.types();
            return types.isTuple(typeOf(child)) ? m_owner.power(types.children(typeOf(child)).size())
                                                : m_owner.power(1);
        }
        [[nodiscard]] double resultElements() const override { return m_owner.elementsOf(m_owner.m_bank.type(m_term)); }
        [[nodiscard]] std::optional<bool> truth(std::size_t) const override { return std::nullopt; }
        [[nodiscard]] std::optional<double> calledBody() const override {
            return m_owner.bodyCost(m_owner.m_bank.payload(m_term).asFunction());
        }

    private:
        [[nodiscard]] TypeId typeOf(std::size_t child) const {
            return m_owner.m_bank.type(m_owner.m_bank.child(m_term, child));
        }
        ProfileEvaluator& m_owner;
        TermId m_term;
    };

    [[nodiscard]] double power(std::size_t rank) const {
        return rank < m_powers.size() ? m_powers[rank]
                                      : std::min(std::pow(m_powers[1], static_cast<double>(rank)), LargestCost);
    }

    double elementsOf(TypeId type) const {
        const ir::TypeTable& types = m_bank.types();
        switch (types.kind(type)) {
            case ir::TypeKind::Tuple: {
                double sum = 0.0;
                for (const TypeId element : types.children(type)) sum += elementsOf(element);
                return std::min(sum, LargestCost);
            }
            case ir::TypeKind::Tensor:
                return std::min(power(types.rank(type)) * elementsOf(types.element(type)), LargestCost);
            default: return 1.0;
        }
    }

    /// Traverses in post-order with an explicit stack: programs may be thousands of levels deep.
    double costWith(TermId root, Memo& memo) {
        memo.coverTerms(m_bank.size());
        absl::InlinedVector<TermId, 64> open{root};
        while (!open.empty()) {
            const TermId term = open.back();
            if (memo[term].known) {
                open.pop_back();
                continue;
            }
            const std::size_t before = open.size();
            for (const TermId child : m_bank.children(term)) {
                if (!memo[child].known) open.push_back(child);
            }
            if (open.size() > before) continue;
            open.pop_back();
            finish(term, memo);
        }
        const Entry& entry = memo[root];
        return entry.openFunctions == 0 ? entry.cost : costOfOpen(root, {}, memo);
    }

    void finish(TermId term, Memo& memo) {
        std::uint32_t openFunctions = 0;
        bool openChild = false;
        if (m_bank.is(term, CoreOp::Bound) && isFunction(m_bank, term))
            openFunctions = m_bank.payload(term).asIndex() + 1;
        Costs costs;
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            const Entry& child = memo[m_bank.child(term, i)];
            const std::uint32_t bound = m_bank.boundIn(term, i);
            openChild = openChild || child.openFunctions > 0;
            openFunctions = std::max(openFunctions, child.openFunctions - std::min(child.openFunctions, bound));
            costs.push_back(child.cost);
        }
        double cost = 0.0;
        if (openFunctions == 0) {
            cost = openChild ? costOfOpen(term, {}, memo)
                             : total(charge(m_bank, term, m_profile, costs, FixedFacts(*this, term)), costs);
        }
        memo.set(term, {cost, openFunctions, true});
    }

    /// Cost of a term; `functions` are the costs of its loose function variables.
    double costOfOpen(TermId term, const FunctionCosts& functions, const Memo& memo) {
        if (m_bank.is(term, CoreOp::Bound)) return boundCost(term, functions);
        const Costs costs = childCosts(term, functions, memo);
        return total(charge(m_bank, term, m_profile, costs, FixedFacts(*this, term)), costs);
    }

    [[nodiscard]] double boundCost(TermId term, const FunctionCosts& functions) const {
        const std::uint32_t index = m_bank.payload(term).asIndex();
        return isFunction(m_bank, term) && index < functions.size() ? functions[functions.size() - 1 - index] : 0.0;
    }

    Costs childCosts(TermId term, const FunctionCosts& functions, const Memo& memo) {
        Costs costs;
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            const TermId child = m_bank.child(term, i);
            const Entry& entry = memo[child];
            costs.push_back(entry.openFunctions == 0 ? entry.cost
                                                     : costOfOpen(child, below(term, i, functions, costs), memo));
        }
        return costs;
    }

    /// The costs of functions known in child i; `costs` are those of the children before it.
    [[nodiscard]] FunctionCosts below(TermId term, std::size_t i, const FunctionCosts& functions,
                                      const Costs& costs) const {
        FunctionCosts known = functions;
        if (m_bank.boundIn(term, i) > 0) {
            const bool bindsFunction = m_bank.is(term, CoreOp::Let) && isFunction(m_bank, m_bank.child(term, 0));
            known.push_back(bindsFunction ? costs[0] : 0.0);
        }
        return known;
    }

    /// Cost of a function's body; empty if the function is being costed already (a recursive call). Callees are costed first, without
    /// recursion, as chains of calls may be thousands of functions long.
    std::optional<double> bodyCost(FunctionId id) {
        if (m_entered.contains(id)) return std::nullopt;
        if (const auto known = m_bodies.find(id); known != m_bodies.end()) return known->second;
        struct Open {
            FunctionId function;
            std::vector<FunctionId> callees;
            std::size_t next = 0;
        };
        std::vector<Open> open;
        const auto enter = [&](FunctionId function) {
            m_entered.insert(function);
            open.push_back({function, ir::calleesOf(m_bank, m_bank.function(function).body)});
        };
        enter(id);
        while (!open.empty()) {
            Open& top = open.back();
            if (top.next < top.callees.size()) {
                const FunctionId callee = top.callees[top.next++];
                const bool isKnown = m_bodies.contains(callee) || m_entered.contains(callee);
                if (!isKnown && m_bank.function(callee).body.isValid()) enter(callee);
                continue;
            }
            // Terms that call the function cost less within it than elsewhere, so no costs are kept from one body to another.
            const double cost = costWith(m_bank.function(top.function).body, m_bodyMemo);
            m_bodyMemo.clear();
            m_bodies.emplace(top.function, cost);
            m_entered.erase(top.function);
            open.pop_back();
        }
        return m_bodies.at(id);
    }

    void explainTerm(TermId term, double times, const FunctionCosts& functions, std::vector<CostPart>& parts) {
        const Costs costs = childCosts(term, functions, m_memo);
        CostPart part{0.0, 0.0, times, {}};
        Charge charged;
        if (m_bank.is(term, CoreOp::Bound) && isFunction(m_bank, term)) {
            part.own = part.total = boundCost(term, functions);
            part.reason = "one application of the function it names";
        } else {
            charged = charge(m_bank, term, m_profile, costs, FixedFacts(*this, term), &part.reason);
            part.own = charged.own;
            part.total = total(charged, costs);
        }
        parts.push_back(std::move(part));
        for (std::size_t i = 0; i < costs.size(); ++i) {
            explainTerm(m_bank.child(term, i), times * charged.times[i], below(term, i, functions, costs), parts);
        }
    }

    const ir::TermBank& m_bank;
    Profile m_profile;
    std::array<double, 8> m_powers{};           // elements of a tensor, by rank
    absl::flat_hash_set<FunctionId> m_entered;  // functions being costed, and the program's own function
    Memo m_memo;
    Memo m_bodyMemo;  // of the body that is being costed
    absl::flat_hash_map<FunctionId, double> m_bodies;
};

}  // namespace

std::shared_ptr<const CostModel> modelOfProfile(CostModelInfo info, const Profile& profile, double vectorSize) {
    return modelOfPrograms(std::move(info), [profile, vectorSize](const ir::TermBank& bank, FunctionId function) {
        return std::make_unique<ProfileEvaluator>(bank, function, profile, vectorSize);
    });
}

}  // namespace mitos::cost
