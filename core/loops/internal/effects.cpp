// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/effects.h"

#include <algorithm>
#include <variant>

namespace mitos::loops {

namespace {

/// `visit` gets each expression of a statement, by reference.
template <typename StatementType, typename Visit>
void expressionsOf(StatementType& statement, const Visit& visit) {
    const auto one = [&](auto& expression) {
        if (expression.isValid()) visit(expression);
    };
    std::visit(
        [&](auto& what) {
            if constexpr (requires { what.begin; }) one(what.begin);
            if constexpr (requires { what.end; }) one(what.end);
            if constexpr (requires { what.condition; }) one(what.condition);
            if constexpr (requires { what.place; }) one(what.place);
            if constexpr (requires { what.value; }) one(what.value);
            if constexpr (requires { what.left; }) {
                for (auto* const part : {&what.left, &what.right, &what.rows, &what.terms, &what.columns}) one(*part);
            }
            if constexpr (requires { what.sizes; }) {
                for (auto& size : what.sizes) one(size);
            }
        },
        statement.what);
}

template <typename StatementType, typename Visit>
void blocksOf(StatementType& statement, const Visit& visit) {
    std::visit(
        [&](auto& what) {
            if constexpr (requires { what.body; }) visit(what.body);
            if constexpr (requires { what.then; }) {
                visit(what.then);
                visit(what.otherwise);
            }
        },
        statement.what);
}

}  // namespace

void forEachExpression(const Statement& statement, absl::FunctionRef<void(ExpressionId)> visit) {
    expressionsOf(statement, [&](ExpressionId expression) { visit(expression); });
}

void replaceExpressions(Statement& statement, absl::FunctionRef<ExpressionId(ExpressionId)> replace) {
    expressionsOf(statement, [&](ExpressionId& expression) { expression = replace(expression); });
}

void forEachBlock(const Statement& statement, absl::FunctionRef<void(const Block&)> visit) {
    blocksOf(statement, visit);
}

void forEachBlock(Statement& statement, absl::FunctionRef<void(Block&)> visit) { blocksOf(statement, visit); }

namespace {

void addMentioned(const Function& function, ExpressionId expression, SymbolSet& symbols) {
    const Expression& at = function.at(expression);
    if (at.kind == ExpressionKind::Name) symbols.insert(std::get<SymbolId>(at.payload));
    for (const ExpressionId operand : at.operands) addMentioned(function, operand, symbols);
}

}  // namespace

bool isName(const Function& function, ExpressionId expression, SymbolId symbol) {
    const Expression& at = function.at(expression);
    return at.kind == ExpressionKind::Name && std::get<SymbolId>(at.payload) == symbol;
}

bool mentionsName(const Function& function, ExpressionId expression, SymbolId symbol) {
    return isName(function, expression, symbol) ||
           std::ranges::any_of(function.at(expression).operands,
                               [&](ExpressionId operand) { return mentionsName(function, operand, symbol); });
}

void addMentioned(const Function& function, const Statement& statement, SymbolSet& symbols) {
    if (const auto* const declare = std::get_if<Declare>(&statement.what)) symbols.insert(declare->symbol);
    forEachExpression(statement, [&](ExpressionId expression) { addMentioned(function, expression, symbols); });
    forEachBlock(statement, [&](const Block& inner) {
        for (const Statement& each : inner.statements) addMentioned(function, each, symbols);
    });
}

void addDeclared(const Statement& statement, SymbolSet& symbols) {
    if (const auto* const declare = std::get_if<Declare>(&statement.what)) symbols.insert(declare->symbol);
    if (const auto* const loop = std::get_if<For>(&statement.what); loop != nullptr && !loop->isVisibleAfter)
        symbols.insert(loop->index);
    if (const auto* const loop = std::get_if<For>(&statement.what); loop != nullptr && loop->sum.isValid())
        symbols.insert(loop->sum);
    forEachBlock(statement, [&](const Block& inner) { addDeclared(inner, symbols); });
}

void addDeclared(const Block& block, SymbolSet& symbols) {
    for (const Statement& statement : block.statements) addDeclared(statement, symbols);
}

Effects::Effects(const Function& function)
    : m_function(function),
      m_owners(function.symbols.size()),
      m_definitions(function.symbols.size()) {
    learn(function.body);
}

void Effects::learn(const Block& block) {
    for (const Statement& statement : block.statements) learn(statement);
}

void Effects::learn(const Statement& statement) {
    m_owners.resize(m_function.symbols.size());
    m_definitions.resize(m_function.symbols.size());
    if (const auto* const declare = std::get_if<Declare>(&statement.what); declare && declare->value.isValid()) {
        const Storage storage = m_function.at(declare->symbol).storage;
        const bool isName = storage == Storage::View || storage == Storage::Place;
        m_owners[declare->symbol.value].clear();
        if (isName) addOwners(declare->value, m_owners[declare->symbol.value]);
        if (storage == Storage::View || storage == Storage::Constant)
            m_definitions[declare->symbol.value] = declare->value;
    }
    forEachBlock(statement, [this](const Block& inner) { learn(inner); });
}

void Effects::addOwners(ExpressionId place, std::vector<SymbolId>& owners) const {
    const Expression& at = m_function.at(place);
    if (at.kind == ExpressionKind::Name) {
        const SymbolId symbol = std::get<SymbolId>(at.payload);
        const bool isKnown = symbol.value < m_owners.size() && !m_owners[symbol.value].empty();
        if (isKnown) {
            const std::vector<SymbolId> through = m_owners[symbol.value];
            owners.insert(owners.end(), through.begin(), through.end());
        } else {
            owners.push_back(symbol);
        }
        return;
    }
    const std::size_t first = at.kind == ExpressionKind::Choice ? 1 : 0;
    const std::size_t last = at.kind == ExpressionKind::Choice ? 3 : std::min<std::size_t>(1, at.operands.size());
    for (std::size_t i = first; i < last; ++i) addOwners(at.operands[i], owners);
}

void Effects::addMoved(ExpressionId expression, SymbolSet& changed) const {
    const Expression& at = m_function.at(expression);
    if (at.kind == ExpressionKind::Move) {
        std::vector<SymbolId> owners;
        addOwners(at.operands[0], owners);
        changed.insert(owners.begin(), owners.end());
    }
    for (const ExpressionId operand : at.operands) addMoved(operand, changed);
}

void Effects::addChanged(const Statement& statement, SymbolSet& changed) const {
    const auto changes = [&](ExpressionId place) {
        std::vector<SymbolId> owners;
        addOwners(place, owners);
        changed.insert(owners.begin(), owners.end());
    };
    std::visit(
        [&](const auto& what) {
            if constexpr (requires { what.place; }) changes(what.place);
            if constexpr (requires { what.symbol; }) changed.insert(what.symbol);
            if constexpr (requires { what.index; }) changed.insert(what.index);
            if constexpr (requires { what.argument; }) changed.insert(what.argument);
            if constexpr (requires { what.clock; }) changed.insert(what.clock);
            if constexpr (requires { what.seconds; }) changed.insert(what.seconds);
        },
        statement.what);
    forEachExpression(statement, [&](ExpressionId expression) { addMoved(expression, changed); });
    forEachBlock(statement, [&](const Block& block) { addChanged(block, changed); });
}

void Effects::addChanged(const Block& block, SymbolSet& changed) const {
    for (const Statement& statement : block.statements) addChanged(statement, changed);
}

bool Effects::isIn(SymbolId symbol, const SymbolSet& set) const {
    if (set.contains(symbol)) return true;
    if (symbol.value >= m_owners.size()) return false;
    return std::ranges::any_of(m_owners[symbol.value], [&](SymbolId owner) { return set.contains(owner); });
}

bool Effects::mentionsAny(ExpressionId expression, const SymbolSet& set) const {
    const Expression& at = m_function.at(expression);
    if (at.kind == ExpressionKind::Name && isIn(std::get<SymbolId>(at.payload), set)) return true;
    return std::ranges::any_of(at.operands, [&](ExpressionId operand) { return mentionsAny(operand, set); });
}

void Effects::forEachOwner(SymbolId symbol, absl::FunctionRef<void(SymbolId)> visit) const {
    visit(symbol);
    if (symbol.value >= m_owners.size()) return;
    for (const SymbolId owner : m_owners[symbol.value]) visit(owner);
}

ExpressionId Effects::definition(SymbolId symbol) const {
    return symbol.value < m_definitions.size() ? m_definitions[symbol.value] : ExpressionId();
}

}  // namespace mitos::loops
