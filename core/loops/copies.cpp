// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/copies.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/mentions.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

class Copies {
public:
    Copies(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function),
          m_changes(function.symbols.size()),
          m_hasPlaces(function.symbols.size()) {}

    void run() {
        findChanges(m_function.body);
        visit(m_function.body);
    }

private:
    void findChanges(const Block& block) {
        for (const Statement& statement : block.statements) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            SymbolSet changed;
            m_effects.addChanged(statement, changed);
            if (declare != nullptr) {
                changed.erase(declare->symbol);
                if (declare->value.isValid() && m_function.at(declare->symbol).storage == Storage::Place)
                    m_effects.forEachOwner(declare->symbol, [&](SymbolId owner) { m_hasPlaces[owner.value] = true; });
            }
            bool hasBlocks = false;
            forEachBlock(statement, [&](const Block& inner) {
                hasBlocks = true;
                findChanges(inner);
            });
            if (const auto* const loop = std::get_if<For>(&statement.what)) {
                ++m_changes[loop->index.value];
            } else if (!hasBlocks) {
                for (const SymbolId symbol : changed) ++m_changes[symbol.value];
            }
        }
    }

    /// Outer blocks first: names from outside are the right ones inside then.
    void visit(Block& block) {
        Mentions mentioned(m_function, block);
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            Statement& statement = block.statements[i];
            if (std::holds_alternative<Declare>(statement.what) && declareLater(block, i, mentioned)) continue;
            if (auto* const declare = std::get_if<Declare>(&statement.what)) {
                makeConstant(*declare);
                makeView(*declare);
                constructInPlace(*declare);
                makeRows(block, i, mentioned);
                removeCopy(block, i, mentioned);
                removePart(block, i, mentioned);
            } else if (auto* const assign = std::get_if<Assign>(&statement.what)) {
                if (isItself(*assign)) {
                    mentioned.forget(statement, i);
                    statement = emptyStatement();
                } else if (const std::optional<Accumulate> sum = sumOf(*assign)) {
                    statement.what = *sum;
                }
            }
        }
        removeEmptyStatements(block);
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { visit(inner); });
        }
    }

    [[nodiscard]] bool isScalar(ir::TypeId type) const { return m_types.isNumeric(type) || type == m_types.boolean(); }
    [[nodiscard]] std::optional<SymbolId> nameOf(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        return at.kind == ExpressionKind::Name ? std::optional(std::get<SymbolId>(at.payload)) : std::nullopt;
    }

    /// Declares a variable where it gets its first value.
    bool declareLater(Block& block, std::size_t at, Mentions& mentioned) {
        const Declare& declare = std::get<Declare>(block.statements[at].what);
        const SymbolId variable = declare.symbol;
        if (m_function.at(variable).storage != Storage::Variable) return false;
        if (declare.value.isValid() && m_function.at(declare.value).kind != ExpressionKind::Empty) return false;
        const std::vector<std::size_t>& uses = mentioned.of(variable);
        if (uses.size() < 2) return false;
        Statement& first = block.statements[uses[1]];
        const auto* const assign = std::get_if<Assign>(&first.what);
        if (assign == nullptr || !isName(m_function, assign->place, variable) ||
            mentionsName(m_function, assign->value, variable))
            return false;
        first.what = Declare{variable, assign->value};
        m_effects.learn(first);
        --m_changes[variable.value];
        mentioned.forget(block.statements[at], at);
        block.statements[at] = emptyStatement();
        return true;
    }

    void makeConstant(const Declare& declare) {
        SymbolInfo& symbol = m_function.symbols[declare.symbol.value];
        if (symbol.storage != Storage::Variable || !isScalar(symbol.type) || m_changes[declare.symbol.value] > 0 ||
            m_hasPlaces[declare.symbol.value] || !declare.value.isValid() ||
            m_function.at(declare.value).kind == ExpressionKind::Empty)
            return;
        symbol.storage = Storage::Constant;
    }

    /// A vector that nothing changes, and that is a part of a parameter, is not copied.
    void makeView(const Declare& declare) {
        if (!isUnchangedVector(declare.symbol) || !declare.value.isValid()) return;
        const ExpressionKind kind = m_function.at(declare.value).kind;
        if (kind != ExpressionKind::Element && kind != ExpressionKind::Part) return;
        SymbolSet owners;
        m_effects.addChanged(Statement{Clear{declare.value}}, owners);
        const bool isOfParameter = std::ranges::all_of(owners, [this](SymbolId owner) {
            return m_function.at(owner).storage == Storage::Parameter && owner != m_function.sum;
        });
        if (!isPlace(m_function, declare.value) || !isOfParameter) return;
        m_function.symbols[declare.symbol.value].storage = Storage::View;
        m_effects.learn(Statement{declare});
    }
    void constructInPlace(Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (symbol.storage != Storage::Variable || !declare.value.isValid()) return;
        const bool isVector = m_types.isTensor(symbol.type) && m_types.rank(symbol.type) == 1;
        declare.isConstructed =
            declare.isConstructed || (isVector && m_function.at(declare.value).kind == ExpressionKind::Filled);
    }

    /// Makes the rows of a vector with it, if nothing is done before a loop makes all of them with the same size.
    void makeRows(Block& block, std::size_t at, Mentions& mentioned) {
        auto& declare = std::get<Declare>(block.statements[at].what);
        const std::vector<std::size_t>& uses = mentioned.of(declare.symbol);
        if (!declare.isConstructed || uses.size() < 2) return;
        const std::size_t next = uses[1];
        for (std::size_t i = at + 1; i < next; ++i) {
            if (!std::holds_alternative<Require>(block.statements[i].what)) return;
        }
        const Expression& value = m_function.at(declare.value);
        if (value.kind != ExpressionKind::Filled || value.operands.size() != 1) return;
        const auto* const loop = std::get_if<For>(&block.statements[next].what);
        if (loop == nullptr || !isPlain(*loop) || loop->body.statements.size() != 1 ||
            !isSameSize(m_function, loop->end, value.operands[0]))
            return;
        const Statement& only = loop->body.statements[0];
        const auto* const resize = std::get_if<Resize>(&only.what);
        const auto* const assign = std::get_if<Assign>(&only.what);
        if (resize == nullptr && assign == nullptr) return;
        const Expression& row = m_function.at(resize != nullptr ? resize->place : assign->place);
        if (row.kind != ExpressionKind::Element || row.operands.size() != 2 ||
            !isName(m_function, row.operands[0], declare.symbol) || !isName(m_function, row.operands[1], loop->index))
            return;
        ExpressionId made;
        if (assign != nullptr) {
            made = assign->value;
        } else if (resize->sizes.size() == 1 && m_types.isTensor(row.type) && m_types.rank(row.type) == 1) {
            made = m_function.add({ExpressionKind::Filled, row.type, false, {resize->sizes[0]}});
        }
        if (!made.isValid() || m_function.at(made).kind != ExpressionKind::Filled ||
            mentionsName(m_function, made, loop->index) ||
            !isTotal(m_types, m_function, m_function.at(made).operands[0]))
            return;
        const Expression whole = m_function.at(declare.value);
        declare.value = m_function.add({ExpressionKind::Filled, whole.type, true, {whole.operands[0], made}});
        declare.isOverwritten = false;
        mentioned.forget(block.statements[next], next);
        block.statements[next] = emptyStatement();
        mentioned.update(block.statements[at], at);
    }

    void removeCopy(Block& block, std::size_t at, Mentions& mentioned) {
        const auto& declare = std::get<Declare>(block.statements[at].what);
        if (!declare.value.isValid()) return;
        const Expression& value = m_function.at(declare.value);
        const ExpressionId name = value.kind == ExpressionKind::Move ? value.operands[0] : declare.value;
        const std::optional<SymbolId> original = nameOf(name);
        const SymbolId copy = declare.symbol;
        if (!original || *original == copy) return;
        const std::vector<std::size_t> uses = mentioned.of(copy);
        const bool isOther = value.kind == ExpressionKind::Move
                                 ? isSuccessor(block, copy, *original, at, mentioned)
                                 : isSteady(copy, *original) || isKept(block, copy, *original, uses, mentioned);
        if (!isOther) return;
        takeHint(*original, copy);
        if (value.kind == ExpressionKind::Move) {
            m_changes[original->value] += m_changes[copy.value];
            m_hasPlaces[original->value] = m_hasPlaces[original->value] || m_hasPlaces[copy.value];
        }
        mentioned.forget(block.statements[at], at);
        block.statements[at] = emptyStatement();
        for (const std::size_t use : uses) {
            if (use == at) continue;
            replaceName(m_function, block.statements[use], copy, name);
            mentioned.update(block.statements[use], use);
            m_effects.learn(block.statements[use]);
        }
    }
    /// Puts a long number without a name where the next statement stores, or adds, only that.
    void removePart(Block& block, std::size_t at, Mentions& mentioned) {
        const auto* const declare = std::get_if<Declare>(&block.statements[at].what);
        if (declare == nullptr || !declare->value.isValid() || at + 1 == block.statements.size()) return;
        const SymbolId part = declare->symbol;
        const SymbolInfo& symbol = m_function.at(part);
        if (symbol.storage != Storage::Constant || !symbol.isNameless) return;
        const std::vector<std::size_t>& uses = mentioned.of(part);
        if (uses.size() != 2 || uses.back() != at + 1) return;
        Statement& next = block.statements[at + 1];
        auto* const assign = std::get_if<Assign>(&next.what);
        auto* const add = std::get_if<Accumulate>(&next.what);
        if (assign == nullptr && add == nullptr) return;
        ExpressionId& value = assign != nullptr ? assign->value : add->value;
        const ExpressionId place = assign != nullptr ? assign->place : add->place;
        if (!isName(m_function, value, part) || mentionsName(m_function, place, part)) return;
        mentioned.forget(next, at + 1);
        value = declare->value;
        mentioned.update(next, at + 1);
        mentioned.forget(block.statements[at], at);
        block.statements[at] = emptyStatement();
    }
    /// Whether a variable takes over the storage of another one of its block, which is not used afterwards.
    [[nodiscard]] bool isSuccessor(const Block& block, SymbolId variable, SymbolId original, std::size_t at,
                                   const Mentions& mentioned) const {
        if (m_function.at(variable).storage != Storage::Variable ||
            m_function.at(original).storage != Storage::Variable)
            return false;
        const std::vector<std::size_t>& uses = mentioned.of(original);
        const auto* const declare = std::get_if<Declare>(&block.statements[uses.front()].what);
        if (declare == nullptr || declare->symbol != original || uses.back() != at) return false;
        return std::none_of(uses.begin(), uses.end(),
                            [&](std::size_t use) { return hasFunctions(block.statements[use]); });
    }
    /// Whether a name stands for the storage of another one, or for a value that never changes.
    [[nodiscard]] bool isSteady(SymbolId copy, SymbolId original) const {
        const SymbolInfo& symbol = m_function.at(copy);
        const SymbolInfo& of = m_function.at(original);
        const bool isValue = symbol.storage == Storage::Constant || isUnchangedVector(copy);
        switch (of.storage) {
            case Storage::Parameter:
            case Storage::Argument: return original != m_function.sum && (isValue || symbol.storage == Storage::View);
            case Storage::Constant: return isValue || symbol.storage == Storage::View;
            case Storage::Index: return isValue;
            case Storage::View: return symbol.storage == Storage::View;
            case Storage::Place:
            case Storage::Variable: return symbol.storage == Storage::View || symbol.storage == Storage::Place;
            default: return false;
        }
    }
    [[nodiscard]] bool isUnchangedVector(SymbolId symbol) const {
        return m_function.at(symbol).storage == Storage::Variable && m_types.isTensor(m_function.at(symbol).type) &&
               m_changes[symbol.value] == 0 && !m_hasPlaces[symbol.value];
    }
    /// Whether a variable has the value that was copied until the copy is used last.
    [[nodiscard]] bool isKept(const Block& block, SymbolId copy, SymbolId original,
                              const std::vector<std::size_t>& uses, const Mentions& mentioned) const {
        const bool isNumber = m_function.at(copy).storage == Storage::Constant && isScalar(m_function.at(copy).type);
        if (!isNumber && !isUnchangedVector(copy)) return false;
        if (m_function.at(original).storage != Storage::Variable || m_hasPlaces[original.value]) return false;
        for (const std::size_t use : uses) {
            if (hasFunctions(block.statements[use])) return false;
        }
        for (const std::size_t place : mentioned.of(original)) {
            if (place <= uses.front() || place > uses.back()) continue;
            const Statement& statement = block.statements[place];
            SymbolSet changed;
            m_effects.addChanged(statement, changed);
            if (!changed.contains(original)) continue;
            // A value is computed before it is stored.
            const bool isLast =
                place == uses.back() && isNumber &&
                (std::holds_alternative<Assign>(statement.what) || std::holds_alternative<Accumulate>(statement.what));
            if (!isLast) return false;
        }
        return true;
    }
    [[nodiscard]] static bool hasFunctions(const Statement& statement) {
        if (std::holds_alternative<DefineFunction>(statement.what)) return true;
        bool isInside = false;
        forEachBlock(statement, [&](const Block& inner) {
            isInside = isInside || std::ranges::any_of(inner.statements, hasFunctions);
        });
        return isInside;
    }
    /// A variable without a name of the program, such as a part of a tuple, is named after its copy.
    void takeHint(SymbolId original, SymbolId copy) {
        SymbolInfo& symbol = m_function.symbols[original.value];
        if (!symbol.isNameless) return;
        symbol.hint = m_function.at(copy).hint;
        symbol.isNameless = m_function.at(copy).isNameless;
    }

    [[nodiscard]] bool isItself(const Assign& assign) const {
        const std::optional<SymbolId> place = nameOf(assign.place);
        return place && isName(m_function, assign.value, *place);
    }
    /// The statement that adds the rest of a sum to its first summand.
    [[nodiscard]] std::optional<Accumulate> sumOf(const Assign& assign) const {
        const Expression& value = m_function.at(assign.value);
        if (value.kind != ExpressionKind::Binary || value.type != m_types.floating()) return std::nullopt;
        const auto op = std::get<Operator>(value.payload);
        if (op != Operator::Add && op != Operator::Sub) return std::nullopt;
        if (!isSamePlace(assign.place, value.operands[0])) return std::nullopt;
        return Accumulate{assign.place, value.operands[1], op == Operator::Sub};
    }
    /// Whether two places are the same, checked or not: a place that is written is inside.
    [[nodiscard]] bool isSamePlace(ExpressionId a, ExpressionId b) const {
        const Expression& x = m_function.at(a);
        const Expression& y = m_function.at(b);
        if (x.kind != ExpressionKind::Element || y.kind != ExpressionKind::Element) return areSame(m_function, a, b);
        return std::ranges::equal(x.operands, y.operands,
                                  [this](ExpressionId p, ExpressionId q) { return isSamePlace(p, q); });
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    std::vector<std::size_t> m_changes;  ///< by symbol: statements that change it after its declaration
    std::vector<bool> m_hasPlaces;       ///< by symbol: it, or a part of it, is written by another name
};

}  // namespace

void removeCopies(const ir::TypeTable& types, Function& function) { Copies(types, function).run(); }

}  // namespace mitos::loops
