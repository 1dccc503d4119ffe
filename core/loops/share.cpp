// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/share.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

class Sharing {
public:
    Sharing(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { run(inner); });
        }
        m_known.clear();
        m_readers.clear();
        m_order = 0;
        m_block = &block;
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            m_at = i;
            m_changed.clear();
            m_effects.addChanged(block.statements[i], m_changed);
            m_path.clear();
            visit(block, i, true);
            forgetChanged();
        }
        replaceAll();
        insertAll();
    }

private:
    /// A place in a block, before one of its statements.
    struct Position {
        Block* block;
        std::size_t index;
        std::size_t depth;  ///< number of loops around it
    };
    /// A value that was computed, and is kept once it is needed again.
    struct Known {
        Outside value;
        ExpressionId original;
        Position position;  ///< of the statement that computes it
        bool isInBranch = false;
        std::size_t statement = 0;  ///< of the block
        std::size_t order = 0;      ///< among the values of the block; one that is part of another comes first
        SymbolId symbol = {};       ///< where it is kept
    };
    /// A condition around a statement, with the branch it stands in.
    struct Condition {
        std::string key;
        ExpressionId expression;
    };
    struct Insert {
        Position position;
        Statement statement;
        std::size_t order = 0;
    };
    /// An expression of a statement, and what is read instead of it.
    struct Replacement {
        Position position;
        ExpressionId original;
        ExpressionId read;
        std::size_t order = 0;
    };

    void visit(Block& block, std::size_t index, bool isCertain) {
        Statement& statement = block.statements[index];
        if (std::holds_alternative<DefineFunction>(statement.what)) return;
        const auto* const require = std::get_if<Require>(&statement.what);
        const Position position{&block, index, m_path.size() + m_conditions.size()};
        if (require == nullptr || require->isAlways) {
            replaceExpressions(statement, [&](ExpressionId expression) {
                return rewritten(expression, position, isCertain && !std::holds_alternative<For>(statement.what));
            });
        }
        if (auto* const loop = std::get_if<For>(&statement.what)) {
            m_path.push_back(loop);
            const bool isWhole = isCertain && !mayLeave(loop->body);
            for (std::size_t i = 0; i < loop->body.statements.size(); ++i) visit(loop->body, i, isWhole);
            m_path.pop_back();
        } else if (auto* const either = std::get_if<If>(&statement.what)) {
            const std::optional<Outside> condition =
                outside(m_function, m_effects, either->condition, m_changed, m_path);
            visitBranch(either->then, condition, 'T', isCertain);
            visitBranch(either->otherwise, condition, 'F', isCertain);
        }
    }

    /// A branch of a condition that is not known the same elsewhere only reads values that are computed in any case.
    void visitBranch(Block& block, const std::optional<Outside>& condition, char branch, bool isCertain) {
        if (condition) m_conditions.push_back({branch + keyOf(m_function, *condition), condition->expression});
        for (std::size_t i = 0; i < block.statements.size(); ++i) visit(block, i, isCertain && condition);
        if (condition) m_conditions.pop_back();
    }

    ExpressionId rewritten(ExpressionId expression, const Position& position, bool isCertain) {
        Expression made = m_function.at(expression);
        const std::vector<ExpressionId> before = made.operands;
        const auto* const op = std::get_if<Operator>(&made.payload);
        const bool isLazy =
            made.kind == ExpressionKind::Choice || (op != nullptr && (*op == Operator::And || *op == Operator::Or));
        for (std::size_t i = 0; i < made.operands.size(); ++i) {
            made.operands[i] = rewritten(made.operands[i], position, isCertain && (i == 0 || !isLazy));
        }
        if (made.operands != before) expression = m_function.add(std::move(made));
        if (m_function.at(expression).kind != ExpressionKind::Run) return expression;
        if (!isCostlyNumber(m_types, m_function, expression)) return expression;
        return shared(expression, position, isCertain);
    }

    ExpressionId shared(ExpressionId expression, const Position& position, bool isCertain) {
        std::optional<Outside> value = outside(m_function, m_effects, expression, m_changed, m_path);
        if (!value || value->loops != m_path || !haveKnownRanges(m_path)) return expression;
        // It may have been computed in any case, or where some of the conditions around it hold.
        std::string key = keyOf(m_function, *value);
        for (std::size_t i = 0;; ++i) {
            const auto known = m_known.find(key);
            if (known != m_known.end()) return keptValue(known->second, value->loops);
            if (i == m_conditions.size()) break;
            key += m_conditions[i].key;
        }
        if (!isCertain || value->loops.size() > MostDimensions) return expression;
        registerReader(key, value->expression);
        for (const For* const loop : value->loops) registerReader(key, loop->end);
        for (const Condition& condition : m_conditions) registerReader(key, condition.expression);
        const bool isInBranch = !m_conditions.empty();
        m_known.emplace(key, Known{*std::move(value), expression, position, isInBranch, m_at, m_order++});
        return expression;
    }

    [[nodiscard]] bool haveKnownRanges(const LoopPath& loops) const {
        return std::ranges::all_of(loops, [this](const For* loop) {
            return !loop->begin.isValid() && !loop->isVisibleAfter && isUnchanged(loop->end);
        });
    }
    [[nodiscard]] bool isUnchanged(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name && m_effects.isIn(std::get<SymbolId>(at.payload), m_changed)) return false;
        return isTotal(m_types, m_function, expression) &&
               std::ranges::all_of(at.operands, [this](ExpressionId operand) { return isUnchanged(operand); });
    }

    /// The value that was computed before; from now on it is kept.
    ExpressionId keptValue(Known& known, const LoopPath& loops) {
        if (!known.symbol.isValid()) keep(known);
        if (loops.empty()) return name(known.symbol);
        return element(known.symbol, loops);
    }

    void keep(Known& known) {
        const bool isTable = !known.value.loops.empty();
        const std::string word = isTable ? "kept" : "same";
        known.symbol = m_function.add({word,
                                       {},
                                       m_types.floating(),
                                       isTable            ? Storage::Series
                                       : known.isInBranch ? Storage::Variable
                                                          : Storage::Constant});
        const Position before{m_block, known.statement, 0};
        if (!isTable && known.isInBranch) {
            const ExpressionId zero = m_function.add({ExpressionKind::Literal, m_types.floating(), 0.0});
            m_inserts.push_back({before, {Declare{known.symbol, zero}}, known.order});
            m_inserts.push_back({known.position, {Assign{name(known.symbol), known.original}}, known.order});
        } else if (!isTable) {
            m_inserts.push_back({known.position, {Declare{known.symbol, known.original}}, known.order});
        } else {
            ExpressionId count = known.value.loops[0]->end;
            for (std::size_t i = 1; i < known.value.loops.size(); ++i)
                count = product(count, known.value.loops[i]->end);
            const ExpressionId zeros = m_function.add({ExpressionKind::Filled, m_types.floating(), false, {count}});
            m_inserts.push_back({before, {Declare{known.symbol, zeros, false, true, !known.isInBranch}}, known.order});
            const ExpressionId place = element(known.symbol, known.value.loops);
            m_inserts.push_back({known.position, {Assign{place, known.original}}, known.order});
        }
        const ExpressionId read = isTable ? element(known.symbol, known.value.loops) : name(known.symbol);
        m_replacements.push_back({known.position, known.original, read, known.order});
    }

    static bool isSame(const Position& a, const Position& b) { return a.block == b.block && a.index == b.index; }

    void replaceAll() {
        for (const Replacement& one : m_replacements) {
            const auto replace = [&](ExpressionId expression) { return replaced(expression, one.original, one.read); };
            replaceExpressions(one.position.block->statements[one.position.index], replace);
            for (Insert& insert : m_inserts) {
                if (isSame(insert.position, one.position) && insert.order > one.order)
                    replaceExpressions(insert.statement, replace);
            }
        }
        m_replacements.clear();
    }

    ExpressionId replaced(ExpressionId expression, ExpressionId from, ExpressionId to) {
        if (expression == from) return to;
        Expression made = m_function.at(expression);
        const std::vector<ExpressionId> before = made.operands;
        for (ExpressionId& operand : made.operands) operand = replaced(operand, from, to);
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    void registerReader(const std::string& key, ExpressionId expression) {
        const Expression at = m_function.at(expression);
        // The indices of the statement's own loops are not read elsewhere.
        if (at.kind == ExpressionKind::Name && !m_changed.contains(std::get<SymbolId>(at.payload))) {
            m_effects.forEachOwner(std::get<SymbolId>(at.payload),
                                   [&](SymbolId symbol) { m_readers[symbol].push_back(key); });
        }
        for (const ExpressionId operand : at.operands) registerReader(key, operand);
    }

    void forgetChanged() {
        for (const SymbolId symbol : m_changed) {
            const auto readers = m_readers.find(symbol);
            if (readers == m_readers.end()) continue;
            for (const std::string& key : readers->second) m_known.erase(key);
            m_readers.erase(readers);
        }
    }

    /// Inner blocks first, and last statements first, so that positions stay what they are.
    void insertAll() {
        std::ranges::stable_sort(m_inserts, [](const Insert& a, const Insert& b) {
            if (a.position.depth != b.position.depth) return a.position.depth > b.position.depth;
            if (a.position.index != b.position.index) return a.position.index > b.position.index;
            return a.order > b.order;
        });
        for (Insert& insert : m_inserts) {
            auto& statements = insert.position.block->statements;
            insert.statement.term = statements[insert.position.index].term;
            statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(insert.position.index),
                              std::move(insert.statement));
        }
        m_inserts.clear();
    }

    ExpressionId name(SymbolId symbol) {
        const bool isIndex = m_function.at(symbol).storage == Storage::Index;
        return m_function.add({ExpressionKind::Name,
                               m_function.at(symbol).type,
                               symbol,
                               {},
                               {},
                               0,
                               isIndex ? ir::sizeRange() : ir::ValueRange()});
    }
    ExpressionId product(ExpressionId a, ExpressionId b) {
        return m_function.add(
            {ExpressionKind::Binary, m_types.integer(), Operator::Mul, {a, b}, {}, 0, ir::sizeRange()});
    }
    ExpressionId element(SymbolId table, const LoopPath& loops) {
        ExpressionId at = name(loops[0]->index);
        for (std::size_t i = 1; i < loops.size(); ++i) {
            at = m_function.add({ExpressionKind::Binary,
                                 m_types.integer(),
                                 Operator::Add,
                                 {product(at, loops[i]->end), name(loops[i]->index)},
                                 {},
                                 0,
                                 ir::sizeRange()});
        }
        return m_function.add({ExpressionKind::Element, m_types.floating(), false, {name(table), at}});
    }

    static constexpr std::size_t MostDimensions = 2;

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    Block* m_block = nullptr;
    std::size_t m_at = 0;
    SymbolSet m_changed;
    LoopPath m_path;
    std::vector<Condition> m_conditions;
    absl::flat_hash_map<std::string, Known> m_known;
    absl::flat_hash_map<SymbolId, std::vector<std::string>> m_readers;
    std::size_t m_order = 0;
    std::vector<Insert> m_inserts;
    std::vector<Replacement> m_replacements;
};

}  // namespace

void share(const ir::TypeTable& types, Function& function) { Sharing(types, function).run(function.body); }

}  // namespace mitos::loops
