// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/internal/stated_types.h"

#include "core/ks/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace mitos::autodiff {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

class Reader {
public:
    Reader(ir::TermBank& bank, const StatedTypes& variables, absl::FunctionRef<TermId(TermId)> definition)
        : m_bank(bank),
          m_variables(variables),
          m_definition(definition) {}

    TypeId of(TermId term) {
        const TypeId plain = m_bank.type(term);
        if (!hasTensors(plain) || m_steps == 0) return plain;
        --m_steps;
        const auto child = [&](std::uint32_t i) { return m_bank.child(term, i); };
        if (m_bank.is(term, CoreOp::Variable)) {
            const auto known = m_variables.find(term);
            if (known != m_variables.end()) return known->second;
            const TermId value = m_definition(term);
            return value.isValid() ? closed(value) : plain;
        }
        if (m_bank.is(term, CoreOp::Bound)) {
            const std::uint32_t back = m_bank.payload(term).asIndex();
            return back < m_bound.size() ? m_bound[m_bound.size() - 1 - back] : plain;
        }
        if (m_bank.is(term, CoreOp::Let)) return below(of(child(0)), child(1));
        if (m_bank.is(term, CoreOp::Tuple)) {
            std::vector<TypeId> parts;
            for (std::uint32_t i = 0; i < m_bank.childCount(term); ++i) parts.push_back(of(child(i)));
            return m_bank.types().tuple(parts);
        }
        if (m_bank.is(term, CoreOp::Get)) {
            return m_bank.types().children(of(child(0)))[m_bank.payload(term).projectionIndex()];
        }
        if (m_bank.is(term, CoreOp::Call)) return ofCall(term);
        switch (ks::ksOp(m_bank.op(term))) {
            case Op::Build: return vectorOf(term, ofBody(child(1), {}));
            case Op::ConstVec: return vectorOf(term, of(child(1)));
            case Op::DeltaVec: return vectorOf(term, of(child(2)));
            case Op::Index: return m_bank.types().element(of(child(1)));
            case Op::Add:
            case Op::TsAdd:
            case Op::TsNeg:
            case Op::Sub: return m_bank.type(child(0)) == plain ? of(child(0)) : plain;
            case Op::Mul: return ofProduct(term);
            case Op::TsScale: return m_bank.type(child(1)) == plain ? of(child(1)) : plain;
            case Op::If: return common(of(child(1)), of(child(2)));
            case Op::Fold: return ofFold(term);
            default: return plain;
        }
    }

private:
    [[nodiscard]] bool hasTensors(TypeId type) const {
        const ir::TypeTable& types = m_bank.types();
        if (types.isTensor(type)) return true;
        if (!types.isTuple(type)) return false;
        for (const TypeId part : types.children(type)) {
            if (hasTensors(part)) return true;
        }
        return false;
    }

    /// The type of a term without bound variables of its surroundings.
    TypeId closed(TermId term) {
        std::vector<TypeId> outside = std::exchange(m_bound, {});
        const TypeId type = of(term);
        m_bound = std::move(outside);
        return type;
    }

    TypeId below(TypeId bound, TermId body) {
        m_bound.push_back(bound);
        const TypeId type = of(body);
        m_bound.pop_back();
        return type;
    }

    /// The type of a function's result, for an argument of a type; without one, of the declared type.
    TypeId ofBody(TermId function, TypeId argument) {
        if (!m_bank.is(function, CoreOp::Lam)) return m_bank.types().children(m_bank.type(function))[1];
        return below(argument.isValid() ? argument : m_bank.boundType(function), m_bank.child(function, 0));
    }

    /// The type of a function's body, with the sizes that the arguments state for the names in the types of its parameters.
    TypeId ofCall(TermId term) {
        const ir::Function& function = m_bank.function(m_bank.payload(term).asFunction());
        const TermId body = function.body;
        if (!body.isValid() || m_calls == DeepestCalls) return m_bank.type(term);
        SizeNames names;
        StatedTypes parameters;
        for (std::uint32_t i = 0; i < function.parameters.size(); ++i) {
            const ir::Parameter& parameter = function.parameters[i];
            read(parameter.type, of(m_bank.child(term, i)), names);
            parameters.emplace(m_bank.variable(parameter.name, m_bank.types().erased(parameter.type)), parameter.type);
        }
        Reader inside(m_bank, parameters, [](TermId) { return TermId(); });
        inside.m_steps = m_steps;
        inside.m_calls = m_calls + 1;
        const TypeId stated = inside.of(body);
        m_steps = inside.m_steps;
        return renamed(stated, names);
    }

    /// By name in a called function: the name at the call; an invalid one if there are several.
    using SizeNames = absl::flat_hash_map<Symbol, Symbol>;

    void read(TypeId declared, TypeId stated, SizeNames& names) const {
        const ir::TypeTable& types = m_bank.types();
        if (types.isTuple(declared)) {
            for (std::size_t i = 0; i < types.children(declared).size(); ++i)
                read(types.children(declared)[i], types.children(stated)[i], names);
        }
        if (!types.isTensor(declared)) return;
        for (std::size_t d = 0; d < types.sizes(declared).size(); ++d) {
            const Symbol name = types.sizes(declared)[d];
            const Symbol given = types.sizes(stated).empty() ? Symbol() : types.sizes(stated)[d];
            // All arguments of a name have the same size, so each that states it may tell it.
            if (name.isValid() && given.isValid()) names.try_emplace(name, given);
        }
        read(types.element(declared), types.element(stated), names);
    }

    [[nodiscard]] bool isNumber(Symbol name) const {
        return std::ranges::all_of(m_bank.text(name), [](unsigned char c) { return std::isdigit(c) != 0; });
    }

    TypeId renamed(TypeId type, const SizeNames& names) {
        ir::TypeTable& types = m_bank.types();
        if (types.isTuple(type)) {
            const std::vector<TypeId> before(types.children(type).begin(), types.children(type).end());
            std::vector<TypeId> parts;
            for (const TypeId part : before) parts.push_back(renamed(part, names));
            return types.tuple(parts);
        }
        if (!types.isTensor(type)) return type;
        std::vector<Symbol> sizes(types.sizes(type).begin(), types.sizes(type).end());
        bool isStated = !sizes.empty();
        for (Symbol& size : sizes) {
            if (!size.isValid() || isNumber(size)) continue;
            const auto known = names.find(size);
            isStated = isStated && known != names.end();
            if (known != names.end()) size = known->second;
        }
        const std::uint32_t rank = types.rank(type);
        const TypeId element = renamed(types.element(type), names);
        return isStated ? types.tensor(rank, element, sizes) : types.tensor(rank, element);
    }

    /// A vector whose first child is its size.
    TypeId vectorOf(TermId term, TypeId element) {
        ir::TypeTable& types = m_bank.types();
        const TermId size = m_bank.child(term, 0);
        if (types.rank(m_bank.type(term)) != 1) return m_bank.type(term);
        Symbol name;
        if (m_bank.is(size, CoreOp::Variable)) name = m_bank.payload(size).asSymbol();
        if (m_bank.is(size, CoreOp::Literal) && m_bank.payload(size).asInteger() >= 0) {
            name = m_bank.types().symbols().intern(fmt::format("{}", m_bank.payload(size).asInteger()));
        }
        const std::array names{name};
        return name.isValid() ? types.tensor(1, element, names) : types.tensor(1, element);
    }

    /// A number times each element of the other operand.
    TypeId ofProduct(TermId term) {
        const TypeId floating = m_bank.types().floating();
        const TermId a = m_bank.child(term, 0);
        const TermId b = m_bank.child(term, 1);
        if (m_bank.type(a) == floating) return of(b);
        return m_bank.type(b) == floating ? of(a) : m_bank.type(term);
    }

    TypeId ofFold(TermId term) {
        ir::TypeTable& types = m_bank.types();
        const TermId function = m_bank.child(term, 0);
        const TypeId element = types.element(of(m_bank.child(term, 2)));
        TypeId state = of(m_bank.child(term, 1));
        // The state loses the sizes that a step does not keep, until a step keeps all that are left.
        while (true) {
            const std::array parts{state, element};
            const TypeId kept = common(state, ofBody(function, types.tuple(parts)));
            if (kept == state) return state;
            state = kept;
        }
    }

    /// The sizes that both types name alike.
    TypeId common(TypeId a, TypeId b) {
        ir::TypeTable& types = m_bank.types();
        if (a == b) return a;
        if (types.isTuple(a) && types.isTuple(b)) {
            const std::vector<TypeId> left(types.children(a).begin(), types.children(a).end());
            const std::vector<TypeId> right(types.children(b).begin(), types.children(b).end());
            std::vector<TypeId> parts;
            for (std::size_t i = 0; i < left.size(); ++i) parts.push_back(common(left[i], right[i]));
            return types.tuple(parts);
        }
        if (!types.isTensor(a) || !types.isTensor(b)) return types.erased(a);
        const std::vector<Symbol> left(types.sizes(a).begin(), types.sizes(a).end());
        const std::vector<Symbol> right(types.sizes(b).begin(), types.sizes(b).end());
        const TypeId element = common(types.element(a), types.element(b));
        if (left.empty() || left != right) return types.tensor(types.rank(a), element);
        return types.tensor(types.rank(a), element, left);
    }

    static constexpr int DeepestCalls = 4;  ///< a recursion states nothing

    ir::TermBank& m_bank;
    const StatedTypes& m_variables;
    absl::FunctionRef<TermId(TermId)> m_definition;
    std::size_t m_steps = 10'000;  ///< nothing is stated by larger terms, or by deeply nested folds
    int m_calls = 0;               ///< around the term
    std::vector<TypeId> m_bound;   ///< of the binders around the term, outermost first
};

}  // namespace

TypeId statedType(ir::TermBank& bank, const StatedTypes& variables, absl::FunctionRef<TermId(TermId)> definition,
                  TermId term) {
    return Reader(bank, variables, definition).of(term);
}

}  // namespace mitos::autodiff
