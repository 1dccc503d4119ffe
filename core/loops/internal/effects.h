// SPDX-License-Identifier: GPL-3.0-or-later
// Tells which symbols statements change and expressions read; walks over statements. Private to core/loops.
#pragma once

#include "core/loops/form.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <vector>

namespace mitos::loops {

using SymbolSet = absl::flat_hash_set<SymbolId>;

/// Calls `visit` with each expression of a statement, not with those of the blocks inside it.
void forEachExpression(const Statement& statement, absl::FunctionRef<void(ExpressionId)> visit);
/// The same, where `visit` may put another expression in the place of one.
void replaceExpressions(Statement& statement, absl::FunctionRef<ExpressionId(ExpressionId)> replace);
/// Calls `visit` with each block directly inside a statement.
void forEachBlock(const Statement& statement, absl::FunctionRef<void(const Block&)> visit);
void forEachBlock(Statement& statement, absl::FunctionRef<void(Block&)> visit);

/// Whether an expression is the name of a symbol.
[[nodiscard]] bool isName(const Function& function, ExpressionId expression, SymbolId symbol);
/// Whether the name of a symbol occurs in an expression.
[[nodiscard]] bool mentionsName(const Function& function, ExpressionId expression, SymbolId symbol);
/// Adds the symbols that a statement, or a block inside of it, mentions or declares.
void addMentioned(const Function& function, const Statement& statement, SymbolSet& symbols);

/// Adds the symbols that a statement, or a block inside of it, declares.
void addDeclared(const Statement& statement, SymbolSet& symbols);
void addDeclared(const Block& block, SymbolSet& symbols);

/// The storage that symbols name. A function's statements may move while it is used, but not declare new names for places.
class Effects {
public:
    explicit Effects(const Function& function);

    /// Takes note of what the declarations in a block say, which may be new or changed.
    void learn(const Block& block);
    void learn(const Statement& statement);
    /// Adds the symbols that a block declares, and those whose storage it changes.
    void addChanged(const Block& block, SymbolSet& changed) const;
    void addChanged(const Statement& statement, SymbolSet& changed) const;
    /// Whether a symbol, or the storage that it is a name for, is in the set.
    [[nodiscard]] bool isIn(SymbolId symbol, const SymbolSet& set) const;
    /// Whether an expression reads a symbol of the set, or the storage of one.
    [[nodiscard]] bool mentionsAny(ExpressionId expression, const SymbolSet& set) const;
    /// Calls `visit` with a symbol and all storage that it is a name for.
    void forEachOwner(SymbolId symbol, absl::FunctionRef<void(SymbolId)> visit) const;
    /// The value that a constant or a view is declared with; invalid for others.
    [[nodiscard]] ExpressionId definition(SymbolId symbol) const;

private:
    void addOwners(ExpressionId place, std::vector<SymbolId>& owners) const;
    void addMoved(ExpressionId expression, SymbolSet& changed) const;

    const Function& m_function;
    std::vector<std::vector<SymbolId>> m_owners;  ///< by symbol: the storage that it is another name for
    std::vector<ExpressionId> m_definitions;      ///< by symbol
};

}  // namespace mitos::loops
