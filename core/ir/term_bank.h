// SPDX-License-Identifier: GPL-3.0-or-later
// The store of all terms: hash-consed, append-only and typed. Equal terms have equal ids.
#pragma once

#include "core/base/chunked_vector.h"
#include "core/base/result.h"
#include "core/base/symbol_table.h"
#include "core/ir/function.h"
#include "core/ir/ids.h"
#include "core/ir/operator_registry.h"
#include "core/ir/payload.h"
#include "core/ir/type_table.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::ir {

/// A term consists of an operator, a payload, a type and children. Bound variables are de Bruijn indices, so α-equivalent terms are
/// one term. The names of binders are hints for printing and do not affect equality; the first hint of a term is kept.
/// Not thread-safe: each thread uses its own bank, or reads one that does not change (frozen()). Transplanter moves programs between
/// banks.
class TermBank {
public:
    explicit TermBank(std::shared_ptr<const OperatorRegistry> registry);
    /// The bank as it is now, for other threads to read: terms, types, names and functions have the same ids. It shares most of its memory
    /// with this bank, so that it costs little even if the bank is large. Nothing can be added to it.
    [[nodiscard]] std::shared_ptr<const TermBank> frozen();
    /// An independent bank with the same terms, types, names and functions under the same ids, for another thread to extend. It shares most
    /// of the terms' memory with this one, until one of them changes.
    [[nodiscard]] std::unique_ptr<TermBank> copy();
    /// Increases with every change of terms and functions.
    [[nodiscard]] std::uint64_t revision() const { return m_revision; }
    TermBank(const TermBank&) = delete;
    TermBank& operator=(const TermBank&) = delete;

    [[nodiscard]] const OperatorRegistry& registry() const { return *m_registry; }
    [[nodiscard]] const std::shared_ptr<const OperatorRegistry>& sharedRegistry() const { return m_registry; }
    SymbolTable& symbols() { return m_symbols; }
    [[nodiscard]] const SymbolTable& symbols() const { return m_symbols; }
    TypeTable& types() { return m_types; }
    [[nodiscard]] const TypeTable& types() const { return m_types; }

    // --- building -------------------------------------------------------------------------------------------------

    /// The term of an operator, with the type computed by the operator's type rule. Fails if the number of children is wrong or
    /// their types do not match; the error has no place. Not for literals, variables and bound variables.
    Result<TermId> make(OpId op, std::span<const TermId> children, Payload payload = {}, Symbol hint = {});
    /// The term of an operator with the stated type. Weights and unknown operators have no type rule; for other operators it must
    /// be the type that the rule would return. The rule is not applied again (for copies from another bank).
    TermId stated(OpId op, TypeId type, std::span<const TermId> children, Payload payload, Symbol hint = {});
    TermId integer(std::int64_t value);
    TermId floating(double value);
    TermId boolean(bool value);
    TermId string(std::string_view value);
    TermId variable(Symbol name, TypeId type);
    TermId bound(std::uint32_t index, TypeId type);
    TermId let(Symbol hint, TermId value, TermId body);
    TermId lambda(Symbol hint, TypeId parameter, TermId body);
    TermId tuple(std::span<const TermId> elements);
    /// Element `index` (0-based) of a term whose type is a tuple.
    TermId get(TermId tuple, std::uint32_t index);
    /// Fails unless the arguments have the types of the function's parameters.
    Result<TermId> call(FunctionId function, std::span<const TermId> arguments);
    /// The same operator, payload and hint with other children. Fails if the types do not match.
    Result<TermId> withChildren(TermId term, std::span<const TermId> children);
    /// The root with the subterm at `path` (the child index at each level; must exist) replaced by a term of the same
    /// type. No type rule is applied.
    TermId replaceAt(TermId root, std::span<const std::uint32_t> path, TermId replacement);
    /// Adds `by` to every loose index of at least `from`. If `by` is negative, the indices in between must not occur.
    /// Recent results are cached, since neighbouring states of a search share most of their subterms.
    TermId shifted(TermId term, std::uint32_t from, std::int32_t by);

    // --- reading --------------------------------------------------------------------------------------------------

    [[nodiscard]] OpId op(TermId id) const { return node(id).op; }
    [[nodiscard]] bool is(TermId id, CoreOp op) const { return node(id).op == opId(op); }
    [[nodiscard]] const Payload& payload(TermId id) const { return node(id).payload; }
    [[nodiscard]] TypeId type(TermId id) const { return node(id).type; }
    /// The span is valid until the next term is made.
    [[nodiscard]] std::span<const TermId> children(TermId id) const {
        const Node& n = node(id);
        return {m_children.data() + n.firstChild, n.childCount};
    }
    [[nodiscard]] TermId child(TermId id, std::size_t index) const { return m_children[node(id).firstChild + index]; }
    [[nodiscard]] std::size_t childCount(TermId id) const { return node(id).childCount; }
    /// The name hint of the variable that this binder binds; invalid if no hint was given.
    [[nodiscard]] Symbol hint(TermId id) const { return node(id).hint; }
    /// Number of variables `term` binds in its child (0 or 1).
    [[nodiscard]] std::uint32_t boundIn(TermId id, std::size_t child) const {
        return m_registry->info(node(id).op).bindingChild == static_cast<int>(child) ? 1 : 0;
    }
    /// Type of the variable that a binder (let, lam) binds.
    [[nodiscard]] TypeId boundType(TermId binder) const;
    /// Number of nodes of the term's tree (shared subterms count once per occurrence); saturates at 2^63.
    [[nodiscard]] std::uint64_t treeSize(TermId id) const { return node(id).treeSize; }
    [[nodiscard]] std::uint32_t depth(TermId id) const { return node(id).depth; }
    /// One more than the largest loose de Bruijn index of the term; 0 if no bound variable is loose.
    [[nodiscard]] std::uint32_t looseBound(TermId id) const { return node(id).loose; }
    /// Whether a loose index in first … first + count - 1 may occur in the term. If it returns false, none occurs.
    [[nodiscard]] bool mayMention(TermId id, std::uint32_t first, std::uint32_t count) const;
    /// Content hash of an operator with its payload and type, the same on every run and in every bank.
    [[nodiscard]] std::uint64_t headHash(OpId op, const Payload& payload, TypeId type) const;
    /// Content hash, the same on every run and in every bank.
    [[nodiscard]] std::uint64_t hash(TermId id) const { return node(id).hash; }
    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }
    /// Bytes held by terms and by the data kept with them (functions, names and types not counted).
    [[nodiscard]] std::size_t bytes() const;
    [[nodiscard]] std::string_view opName(TermId id) const { return m_registry->info(node(id).op).name; }
    [[nodiscard]] std::string_view text(Symbol symbol) const { return m_symbols.text(symbol); }

    // --- data kept with terms ------------------------------------------------------------------------------------

    /// Data that a client derives from the terms. Terms never change, so that it stays valid as the bank grows.
    struct Companion {
        Companion() = default;
        Companion(const Companion&) = delete;
        Companion& operator=(const Companion&) = delete;
        virtual ~Companion() = default;
        [[nodiscard]] virtual std::size_t bytes() const = 0;
    };
    /// The companion of this bank, which copies do not have: the facts about its terms (core/facts).
    [[nodiscard]] std::unique_ptr<Companion>& companion() { return m_companion; }

    // --- functions ------------------------------------------------------------------------------------------------

    /// Functions are identified by (name, argument). Fails if the function is already declared.
    Result<FunctionId> declare(Function function);
    /// Sets the body of a declared function, once. Declaration and definition are separate because recursive bodies need the id.
    void define(FunctionId id, TermId body);
    void setDeclaredCost(FunctionId id, double cost);
    [[nodiscard]] const Function& function(FunctionId id) const { return m_functions[id.value]; }
    /// The dialect that the function names, else the first one of the registry, which must have one.
    [[nodiscard]] const Dialect& dialect(FunctionId id) const;
    [[nodiscard]] std::size_t functionCount() const { return m_functions.size(); }
    /// The function with that name and (erased) argument type; invalid if there is none.
    [[nodiscard]] FunctionId findFunction(std::string_view name, TypeId argument) const;

private:
    struct Node {
        OpId op;
        TypeId type;
        Payload payload;
        std::uint32_t firstChild = 0;
        std::uint32_t childCount = 0;
        std::uint64_t hash = 0;
        std::uint64_t treeSize = 1;
        std::uint32_t loose = 0;
        std::uint32_t depth = 1;
        Symbol hint;
        std::int32_t looseMask = 0;  ///< bit i: the loose index i occurs; sign bit: an index of 31 or more may occur
    };
    static_assert(sizeof(Node) == 64);  // one cache line; banks hold millions of nodes

    [[nodiscard]] const Node& node(TermId id) const { return m_nodes[id.value]; }
    /// A slot of the hash table. The tag, the low half of the hash, avoids reading the nodes of most other terms.
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t term = TermId::Invalid;  ///< invalid if the slot is free
    };
    /// An entry of the direct-mapped cache of shifts: a newer entry replaces an older one.
    struct Shift {
        TermId term;
        std::uint32_t from = 0;
        std::int32_t by = 0;
        TermId result;
    };
    /// The children of a term with one of them replaced.
    class OneReplaced;

    struct Frozen {};
    TermBank(TermBank& source, Frozen);

    Result<TypeId> typeByRule(OpId op, std::span<const TermId> children, const Payload& payload);
    TermId intern(OpId op, const Payload& payload, TypeId type, std::span<const TermId> children, Symbol hint);
    /// Interns `wanted`, whose hash is set. The data derived from the children are computed only for a new term.
    template <typename Children>
    TermId internHashed(Node& wanted, const Children& children);
    [[nodiscard]] std::uint64_t payloadHash(const Payload& payload) const;
    void grow();

    std::shared_ptr<const OperatorRegistry> m_registry;
    SymbolTable m_symbols;
    TypeTable m_types;
    ChunkedVector<Node> m_nodes;
    std::vector<TermId> m_children;
    std::vector<std::uint64_t> m_plainHeads;  // by operator: part of headHash for terms without payload
    std::vector<Shift> m_shifts;
    std::vector<Slot> m_slots;  // open addressing over m_nodes, at most two thirds full; empty in a frozen bank
    std::vector<Function> m_functions;
    absl::flat_hash_map<std::pair<Symbol, TypeId>, FunctionId> m_functionIndex;
    std::uint64_t m_revision = 0;
    std::unique_ptr<Companion> m_companion;
};

}  // namespace mitos::ir
