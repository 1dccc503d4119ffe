// SPDX-License-Identifier: GPL-3.0-or-later
// See inline_call.h.
#include "core/ir/inline_call.h"

#include "core/ir/binding.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <cassert>
#include <utility>
#include <vector>

namespace mitos::ir {

namespace {

bool isAtom(const TermBank& bank, TermId term) {
    return bank.is(term, CoreOp::Variable) || bank.is(term, CoreOp::Bound) || bank.is(term, CoreOp::Literal);
}

/// Inlines one call.
class CallInliner {
public:
    CallInliner(TermBank& bank, TermId call)
        : m_bank(bank),
          m_function(bank.function(bank.payload(call).asFunction())),
          m_arguments(bank.children(call).begin(), bank.children(call).end()) {}

    std::optional<TermId> run() {
        for (std::size_t i = 0; i < m_arguments.size(); ++i) bindParameter(i);
        for (const SizeName& size : m_function.sizes) {
            if (m_replacements.contains(size.name) || !mentionsFree(m_bank, m_function.body, size.name)) continue;
            if (!size.parameter || !bindSize(size)) return std::nullopt;
        }
        TermId result = replaced(m_function.body, 0);
        if (m_isOpen) return std::nullopt;
        for (auto let = m_lets.rbegin(); let != m_lets.rend(); ++let)
            result = m_bank.let(let->first, let->second, result);
        return result;
    }

private:
    /// The replacement of a free variable of the body: the variable of a let, or a term of the call's context.
    struct Replacement {
        std::optional<std::uint32_t> let;
        TermId atom;
        TypeId type;
    };

    [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(m_lets.size()); }

    void bind(Symbol name, TermId value) {
        m_replacements[name] = {depth(), {}, m_bank.type(value)};
        m_lets.emplace_back(name, value);
    }

    void bindParameter(std::size_t i) {
        const Symbol name = m_function.parameters[i].name;
        const TermId argument = m_arguments[i];
        if (isAtom(m_bank, argument)) {
            m_replacements[name] = {std::nullopt, argument, m_bank.type(argument)};
        } else {
            bind(name, shifted(m_bank, argument, depth()));
        }
    }

    /// The replacement as a term below all current lets and `further` binders.
    TermId placed(const Replacement& replacement, std::uint32_t further) {
        if (!replacement.let) return shifted(m_bank, replacement.atom, depth() + further);
        return m_bank.bound(depth() - 1 - *replacement.let + further, replacement.type);
    }

    bool bindSize(const SizeName& size) {
        const Symbol parameter = m_function.parameters[*size.parameter].name;
        const Result<TermId> value = sizeIn(placed(m_replacements.at(parameter), 0), size.steps, size.dimension);
        if (value) bind(size.name, *value);
        return value.ok();
    }

    Result<TermId> made(std::string_view op, std::initializer_list<TermId> children) {
        const OpId id = m_bank.registry().find(op);
        if (!id.isValid()) return Error{ErrorCode::Unsupported, "the dialect has no sizes"};
        return m_bank.make(id, std::span<const TermId>(children.begin(), children.size()));
    }

    /// Element `i` of the size of a tensor.
    Result<TermId> sizeOf(TermId tensor, std::uint32_t i) {
        Result<TermId> size = made("size", {tensor});
        if (!size || !m_bank.types().isTuple(m_bank.type(*size))) return size;
        return m_bank.get(*size, i);
    }

    /// The size of the tensor at the end of the steps; 0 if a tensor on the way is empty and has no element to read.
    Result<TermId> sizeIn(TermId value, std::span<const std::uint32_t> steps, std::uint32_t dimension) {
        if (steps.empty()) return sizeOf(value, dimension);
        const TypeId type = m_bank.type(value);
        if (m_bank.types().isTuple(type)) return sizeIn(m_bank.get(value, steps[0]), steps.subspan(1), dimension);
        const std::uint32_t rank = m_bank.types().rank(type);
        const std::vector<TermId> zeros(rank, m_bank.integer(0));
        const TermId first = rank == 1 ? zeros[0] : m_bank.tuple(zeros);
        MITOS_TRY(TermId element, made("index", {first, value}));
        Result<TermId> result = sizeIn(element, steps.subspan(1), dimension);
        for (std::uint32_t i = rank; result && i-- > 0;) {
            MITOS_TRY(const TermId extent, sizeOf(value, i));
            MITOS_TRY(const TermId isThere, made("gt", {extent, zeros[0]}));
            result = made("if", {isThere, *result, zeros[0]});
        }
        return result;
    }

    /// A subterm of the body with its free variables replaced, below `further` binders of its own.
    TermId replaced(TermId term, std::uint32_t further) {
        if (m_bank.is(term, CoreOp::Variable)) {
            const auto known = m_replacements.find(m_bank.payload(term).asSymbol());
            m_isOpen = m_isOpen || known == m_replacements.end() || known->second.type != m_bank.type(term);
            return m_isOpen ? term : placed(known->second, further);
        }
        if (m_bank.childCount(term) == 0) return term;
        const std::pair key(term, further);
        if (const auto done = m_done.find(key); done != m_done.end()) return done->second;
        absl::InlinedVector<TermId, 8> children(m_bank.children(term).begin(), m_bank.children(term).end());
        for (std::size_t i = 0; i < children.size(); ++i) {
            children[i] = replaced(children[i], further + m_bank.boundIn(term, i));
        }
        const Result<TermId> result = m_bank.withChildren(term, children);
        assert(result.ok());  // the children have the same types
        m_done.emplace(key, *result);
        return *result;
    }

    TermBank& m_bank;
    const Function m_function;
    const std::vector<TermId> m_arguments;
    std::vector<std::pair<Symbol, TermId>> m_lets;  ///< outermost first; each is below the previous ones
    absl::flat_hash_map<Symbol, Replacement> m_replacements;
    absl::flat_hash_map<std::pair<TermId, std::uint32_t>, TermId> m_done;
    bool m_isOpen = false;  ///< whether a variable of the body has no replacement
};

}  // namespace

bool isRecursive(const TermBank& bank, FunctionId function) {
    absl::flat_hash_set<FunctionId> entered;
    absl::flat_hash_set<TermId> seen;
    std::vector<TermId> open;
    if (bank.function(function).body.isValid()) open.push_back(bank.function(function).body);
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (!seen.insert(term).second) continue;
        if (bank.is(term, CoreOp::Call)) {
            const FunctionId callee = bank.payload(term).asFunction();
            if (callee == function) return true;
            const TermId body = bank.function(callee).body;
            if (body.isValid() && entered.insert(callee).second) open.push_back(body);
        }
        open.insert(open.end(), bank.children(term).begin(), bank.children(term).end());
    }
    return false;
}

std::optional<TermId> inlinedCall(TermBank& bank, TermId call) {
    if (!bank.is(call, CoreOp::Call)) return std::nullopt;
    const FunctionId id = bank.payload(call).asFunction();
    const Function& function = bank.function(id);
    const bool isPlain = function.body.isValid() && function.sharing == Sharing::Tree &&
                         function.parameters.size() == bank.childCount(call);
    if (!isPlain || isRecursive(bank, id)) return std::nullopt;
    return CallInliner(bank, call).run();
}

}  // namespace mitos::ir
