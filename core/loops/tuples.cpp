// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/tuples.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

constexpr int MostLevels = 8;  // of tuples in tuples

class Splitting {
public:
    Splitting(const ir::TypeTable& types, Function& function) : m_types(types), m_function(function) {}

    /// False if nothing was split.
    bool run() {
        openViews();
        findTuples(m_function.body);
        if (m_tuples.empty()) return false;
        keepWhole(m_function.body);
        absl::erase_if(m_tuples, [](const auto& each) { return !each.second.isSplit; });
        if (m_tuples.empty()) return false;
        const auto count = static_cast<std::uint32_t>(m_function.symbols.size());
        for (std::uint32_t symbol = 0; symbol < count; ++symbol) {
            const auto found = m_tuples.find(SymbolId(symbol));
            if (found != m_tuples.end()) addParts(found->first, found->second);
        }
        rewrite(m_function.body);
        sequence(m_function.body);
        return true;
    }

private:
    /// A symbol and what becomes of it.
    struct Split {
        bool isVector = false;  ///< of tuples
        bool isSplit = true;
        std::vector<SymbolId> parts = {};
    };
    /// One of several assignments that are made at once.
    struct Change {
        ExpressionId place;
        ExpressionId value;
    };

    // --- what can be split --------------------------------------------------------------------------------------------

    /// Other names for tuples stand for the places that they name.
    void openViews() {
        absl::flat_hash_map<SymbolId, ExpressionId> views;
        openViews(m_function.body, views);
    }
    void openViews(Block& block, absl::flat_hash_map<SymbolId, ExpressionId>& views) {
        std::erase_if(block.statements, [&](Statement& statement) {
            replaceExpressions(statement, [&](ExpressionId expression) { return opened(expression, views); });
            const auto* const declare = std::get_if<Declare>(&statement.what);
            if (declare != nullptr && isOpenView(*declare)) {
                views.emplace(declare->symbol, declare->value);
                return true;
            }
            forEachBlock(statement, [&](Block& inner) { openViews(inner, views); });
            return false;
        });
    }
    [[nodiscard]] bool isOpenView(const Declare& declare) const {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (symbol.storage != Storage::View || !m_types.isTuple(symbol.type)) return false;
        const Expression* place = &m_function.at(declare.value);
        while (place->kind == ExpressionKind::Part) place = &m_function.at(place->operands[0]);
        if (place->kind == ExpressionKind::Element) {
            if (place->operands.size() != 2) return false;
            const Expression& index = m_function.at(place->operands[1]);
            const bool stays = index.kind == ExpressionKind::Name &&
                               m_function.at(std::get<SymbolId>(index.payload)).storage == Storage::Index;
            if (!stays) return false;
            place = &m_function.at(place->operands[0]);
        }
        if (place->kind != ExpressionKind::Name) return false;
        const Storage storage = m_function.at(std::get<SymbolId>(place->payload)).storage;
        return storage == Storage::Variable || storage == Storage::Series;
    }
    ExpressionId opened(ExpressionId expression, const absl::flat_hash_map<SymbolId, ExpressionId>& views) {
        Expression made = m_function.at(expression);
        if (made.kind == ExpressionKind::Name) {
            const auto found = views.find(std::get<SymbolId>(made.payload));
            return found == views.end() ? expression : found->second;
        }
        const std::vector<ExpressionId> before = made.operands;
        for (ExpressionId& operand : made.operands) operand = opened(operand, views);
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    void findTuples(const Block& block) {
        for (const Statement& statement : block.statements) {
            if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
                const SymbolInfo& symbol = m_function.at(declare->symbol);
                const bool isSeries = symbol.storage == Storage::Series;
                if (isSeries || symbol.storage == Storage::Variable) {
                    const bool isTuple = m_types.isTuple(symbol.type);
                    const bool isVector = !isSeries && m_types.isTensor(symbol.type) &&
                                          m_types.rank(symbol.type) == 1 &&
                                          m_types.isTuple(m_types.element(symbol.type));
                    if (isTuple || isVector) m_tuples.emplace(declare->symbol, Split{isSeries || isVector});
                }
            }
            forEachBlock(statement, [this](const Block& inner) { findTuples(inner); });
        }
    }

    /// The symbol whose tuple an expression is; null if it is another value.
    [[nodiscard]] const Split* splitOf(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        const bool isElement = at.kind == ExpressionKind::Element;
        if (at.kind != ExpressionKind::Name && !isElement) return nullptr;
        if (isElement && at.operands.size() != 2) return nullptr;
        const Expression& name = isElement ? m_function.at(at.operands[0]) : at;
        if (name.kind != ExpressionKind::Name) return nullptr;
        const auto found = m_tuples.find(std::get<SymbolId>(name.payload));
        return found != m_tuples.end() && found->second.isVector == isElement ? &found->second : nullptr;
    }

    /// Whether a value is a tuple whose parts are known one by one.
    [[nodiscard]] bool hasParts(ExpressionId value) const {
        const Expression& at = m_function.at(value);
        switch (at.kind) {
            case ExpressionKind::Tuple:
            case ExpressionKind::Empty: return true;
            case ExpressionKind::Move: return isPlainPlace(at.operands[0]);
            default: return isPlainPlace(value);
        }
    }
    /// Whether a place may be named more than once.
    [[nodiscard]] bool isPlainPlace(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        return at.kind == ExpressionKind::Name || at.kind == ExpressionKind::Literal ||
               ((at.kind == ExpressionKind::Part || at.kind == ExpressionKind::Element) &&
                std::ranges::all_of(at.operands, [this](ExpressionId operand) { return isPlainPlace(operand); }));
    }

    void keepWhole(const Block& block) {
        for (const Statement& statement : block.statements) {
            std::visit([this](const auto& what) { keepWholeIn(what); }, statement.what);
            const bool isFunction = std::holds_alternative<DefineFunction>(statement.what);
            forEachBlock(statement, [&](const Block& inner) { isFunction ? keepMentioned(inner) : keepWhole(inner); });
        }
    }
    template <typename Other>
    void keepWholeIn(const Other& what) {
        forEachExpression(Statement{what}, [this](ExpressionId expression) { keepRead(expression); });
    }
    void keepWholeIn(const Declare& declare) {
        const auto found = m_tuples.find(declare.symbol);
        if (found == m_tuples.end()) {
            if (!declare.value.isValid()) return;
            const Storage storage = m_function.at(declare.symbol).storage;
            const bool isName = storage == Storage::View || storage == Storage::Place;
            return isName ? keepRead(declare.value) : keepAssigned(declare.value);
        }
        Split& split = found->second;
        const Expression* const value = declare.value.isValid() ? &m_function.at(declare.value) : nullptr;
        if (split.isVector) {
            const bool isMade = value != nullptr && value->kind == ExpressionKind::Filled &&
                                value->operands.size() == 1 && m_function.at(value->operands[0]).type.isValid();
            const ir::TypeId type = m_function.at(declare.symbol).type;
            const ir::TypeId tuple = m_types.isTuple(type) ? type : m_types.element(type);
            // Something has to have the size.
            split.isSplit = split.isSplit && isMade && declare.isOverwritten && !m_types.children(tuple).empty();
        } else if (value != nullptr && !hasParts(declare.value)) {
            split.isSplit = false;
        }
        if (declare.value.isValid()) keepAssigned(declare.value);
    }
    void keepWholeIn(const Assign& assign) {
        if (splitOf(assign.place) != nullptr && hasParts(assign.value)) {
            keepOperands(assign.place);
        } else {
            keepRead(assign.place);
        }
        keepAssigned(assign.value);
    }
    void keepWholeIn(const Accumulate& accumulate) {
        const auto keep = [&](ExpressionId tuple) {
            splitOf(tuple) != nullptr ? keepOperands(tuple) : keepRead(tuple);
        };
        if (!m_types.isTuple(m_function.at(accumulate.value).type) || !hasParts(accumulate.value)) {
            keepRead(accumulate.place);
            return keepRead(accumulate.value);
        }
        keep(accumulate.place);
        m_function.at(accumulate.value).kind == ExpressionKind::Tuple ? keepAssigned(accumulate.value)
                                                                      : keep(accumulate.value);
    }
    void keepWholeIn(const Return& returned) { keepAssigned(returned.value); }

    /// A value that is made of its parts where it is assigned.
    void keepAssigned(ExpressionId value) {
        const Expression& at = m_function.at(value);
        const ExpressionId place = at.kind == ExpressionKind::Move ? at.operands[0] : value;
        if (splitOf(place) != nullptr) return keepOperands(place);
        if (at.kind != ExpressionKind::Tuple) return keepRead(value);
        for (const ExpressionId part : at.operands) keepAssigned(part);
    }
    void keepRead(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Part && splitOf(at.operands[0]) != nullptr) return keepOperands(at.operands[0]);
        if (isSizeOfSplit(at)) return;
        if (at.kind == ExpressionKind::Name) {
            const auto found = m_tuples.find(std::get<SymbolId>(at.payload));
            if (found != m_tuples.end()) found->second.isSplit = false;
        }
        for (const ExpressionId operand : at.operands) keepRead(operand);
    }
    [[nodiscard]] bool isSizeOfSplit(const Expression& at) const {
        if (at.kind != ExpressionKind::Run || at.payload != Expression::Payload(Operation::Size)) return false;
        const Expression& vector = m_function.at(at.operands[0]);
        if (vector.kind != ExpressionKind::Name) return false;
        const auto found = m_tuples.find(std::get<SymbolId>(vector.payload));
        return found != m_tuples.end() && found->second.isVector;
    }
    /// The indices of an element.
    void keepOperands(ExpressionId tuple) {
        const Expression& at = m_function.at(tuple);
        for (std::size_t i = 1; i < at.operands.size(); ++i) keepRead(at.operands[i]);
    }
    void keepMentioned(const Block& block) {
        SymbolSet mentioned;
        for (const Statement& statement : block.statements) addMentioned(m_function, statement, mentioned);
        for (const SymbolId symbol : mentioned) {
            if (const auto found = m_tuples.find(symbol); found != m_tuples.end()) found->second.isSplit = false;
        }
    }

    // --- splitting ----------------------------------------------------------------------------------------------------

    void addParts(SymbolId symbol, Split& split) {
        const SymbolInfo whole = m_function.at(symbol);
        const ir::TypeId tuple = m_types.isTuple(whole.type) ? whole.type : m_types.element(whole.type);
        const auto& children = m_types.children(tuple);
        for (std::size_t i = 0; i < children.size(); ++i) {
            split.parts.push_back(m_function.add({fmt::format("{}_{}", whole.hint, i + 1),
                                                  {},
                                                  children[i],
                                                  split.isVector ? Storage::Series : Storage::Variable,
                                                  true}));
        }
    }

    ExpressionId name(SymbolId symbol) {
        return m_function.add({ExpressionKind::Name, m_function.at(symbol).type, symbol});
    }
    /// A part of a tuple that is a place.
    ExpressionId partOf(ExpressionId tuple, std::size_t part) {
        const Expression at = m_function.at(tuple);
        if (const Split* const split = splitOf(tuple)) {
            const SymbolId symbol = split->parts[part];
            if (!split->isVector) return name(symbol);
            return m_function.add({ExpressionKind::Element,
                                   m_function.at(symbol).type,
                                   at.payload,
                                   {name(symbol), rewritten(at.operands[1])}});
        }
        return m_function.add({ExpressionKind::Part,
                               m_types.children(at.type)[part],
                               static_cast<std::int64_t>(part),
                               {rewritten(tuple)}});
    }
    /// A part of a value, as something that is assigned.
    ExpressionId valueOf(ExpressionId value, std::size_t part) {
        const Expression at = m_function.at(value);
        if (at.kind == ExpressionKind::Tuple) return assigned(at.operands[part]);
        if (at.kind == ExpressionKind::Empty)
            return m_function.add({ExpressionKind::Empty, m_types.children(at.type)[part]});
        const bool isMoved = at.kind == ExpressionKind::Move;
        const ExpressionId place = partOf(isMoved ? at.operands[0] : value, part);
        const ir::TypeId type = m_function.at(place).type;
        const bool isScalar = m_types.isNumeric(type) || type == m_types.boolean();
        return isMoved && !isScalar ? m_function.add({ExpressionKind::Move, type, {}, {place}}) : place;
    }
    /// A value that is assigned, with tuples made of their parts.
    ExpressionId assigned(ExpressionId value) {
        Expression at = m_function.at(value);
        const ExpressionId place = at.kind == ExpressionKind::Move ? at.operands[0] : value;
        const Split* const split = splitOf(place);
        if (split == nullptr && at.kind != ExpressionKind::Tuple) return rewritten(value);
        Expression tuple{ExpressionKind::Tuple, at.type};
        const std::size_t count = split != nullptr ? split->parts.size() : at.operands.size();
        for (std::size_t i = 0; i < count; ++i) tuple.operands.push_back(valueOf(value, i));
        return m_function.add(std::move(tuple));
    }

    ExpressionId rewritten(ExpressionId expression) {
        Expression made = m_function.at(expression);
        if (made.kind == ExpressionKind::Part && splitOf(made.operands[0]) != nullptr)
            return partOf(made.operands[0], static_cast<std::size_t>(std::get<std::int64_t>(made.payload)));
        const std::vector<ExpressionId> before = made.operands;
        if (isSizeOfSplit(made)) {
            made.operands[0] = name(m_tuples.at(std::get<SymbolId>(m_function.at(made.operands[0]).payload)).parts[0]);
            return m_function.add(std::move(made));
        }
        for (ExpressionId& operand : made.operands) operand = rewritten(operand);
        return made.operands == before ? expression : m_function.add(std::move(made));
    }

    void rewrite(Block& block) {
        std::vector<Statement> made;
        made.reserve(block.statements.size());
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { rewrite(inner); });
            if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
                declareParts(*declare, statement.term, made);
            } else if (const auto* const assign = std::get_if<Assign>(&statement.what)) {
                assignParts(*assign, statement.term, made);
            } else if (const auto* const add = std::get_if<Accumulate>(&statement.what); add && isByParts(*add)) {
                addParts(*add, statement.term, made);
            } else if (const auto* const returned = std::get_if<Return>(&statement.what)) {
                made.push_back({Return{result(returned->value)}, statement.term});
            } else {
                replaceExpressions(statement, [this](ExpressionId expression) { return rewritten(expression); });
                made.push_back(std::move(statement));
            }
        }
        block.statements = std::move(made);
    }

    /// What a function returns may be moved from its variables.
    ExpressionId result(ExpressionId value) {
        if (splitOf(value) == nullptr) return assigned(value);
        return assigned(m_function.add({ExpressionKind::Move, m_function.at(value).type, {}, {value}}));
    }

    void declareParts(Declare declare, ir::TermId term, std::vector<Statement>& made) {
        const auto found = m_tuples.find(declare.symbol);
        if (found == m_tuples.end()) {
            if (declare.value.isValid()) {
                const Storage storage = m_function.at(declare.symbol).storage;
                const bool isName = storage == Storage::View || storage == Storage::Place;
                declare.value = isName ? rewritten(declare.value) : assigned(declare.value);
            }
            made.push_back({declare, term});
            return;
        }
        const std::vector<SymbolId> parts = found->second.parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            Declare part{parts[i], {}, declare.mayBeUnused};
            const ir::TypeId type = m_function.at(parts[i]).type;
            if (found->second.isVector) {
                part.value = m_function.add(
                    {ExpressionKind::Filled, type, false, {rewritten(m_function.at(declare.value).operands[0])}});
                part.isConstructed = part.isOverwritten = true;
            } else {
                part.value =
                    declare.value.isValid() ? valueOf(declare.value, i) : m_function.add({ExpressionKind::Empty, type});
                const ExpressionKind kind = m_function.at(part.value).kind;
                part.isConstructed =
                    kind == ExpressionKind::Tuple || (declare.isConstructed && kind == ExpressionKind::Filled);
            }
            made.push_back({part, term});
        }
    }

    void assignParts(const Assign& assign, ir::TermId term, std::vector<Statement>& made) {
        const Split* const split = splitOf(assign.place);
        if (split == nullptr) {
            made.push_back({Assign{rewritten(assign.place), assigned(assign.value)}, term});
            return;
        }
        // In one statement, to be taken apart when all names are known.
        Expression places{ExpressionKind::Tuple, m_function.at(assign.place).type};
        Expression values = places;
        const std::size_t count = split->parts.size();
        for (std::size_t i = 0; i < count; ++i) {
            places.operands.push_back(partOf(assign.place, i));
            values.operands.push_back(valueOf(assign.value, i));
        }
        made.push_back({Assign{m_function.add(std::move(places)), m_function.add(std::move(values))}, term});
    }

    [[nodiscard]] bool isByParts(const Accumulate& add) const {
        if (!m_types.isTuple(m_function.at(add.value).type) || !hasParts(add.value)) return false;
        return splitOf(add.place) != nullptr || splitOf(add.value) != nullptr;
    }
    void addParts(const Accumulate& add, ir::TermId term, std::vector<Statement>& made) {
        const std::size_t count = m_types.children(m_function.at(add.value).type).size();
        for (std::size_t i = 0; i < count; ++i) {
            const ExpressionId value = valueOf(add.value, i);
            if (!hasNumbers(m_function.at(value).type)) continue;
            made.push_back({Accumulate{partOf(add.place, i), value, add.isDifference, add.isByParts}, term});
        }
    }
    [[nodiscard]] bool hasNumbers(ir::TypeId type) const {
        if (m_types.isTuple(type)) {
            return std::ranges::any_of(m_types.children(type), [this](ir::TypeId part) { return hasNumbers(part); });
        }
        return m_types.isTensor(type) ? hasNumbers(m_types.element(type)) : m_types.isNumeric(type);
    }

    // --- one after the other ------------------------------------------------------------------------------------------

    void sequence(Block& body) {
        const Effects effects(m_function);
        sequence(body, effects);
    }
    void sequence(Block& block, const Effects& effects) {
        std::vector<Statement> made;
        made.reserve(block.statements.size());
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [&](Block& inner) { sequence(inner, effects); });
            if (auto* const loop = std::get_if<For>(&statement.what)) takeOutCopies(*loop, statement.term, made);
            const auto* const assign = std::get_if<Assign>(&statement.what);
            if (assign == nullptr || m_function.at(assign->place).kind != ExpressionKind::Tuple) {
                made.push_back(std::move(statement));
                continue;
            }
            std::vector<Change> changes;
            for (std::size_t i = 0; i < m_function.at(assign->place).operands.size(); ++i) {
                const Change change{m_function.at(assign->place).operands[i], m_function.at(assign->value).operands[i]};
                if (!isIdle(change, effects)) changes.push_back(change);
            }
            sequence(std::move(changes), statement.term, effects, made);
        }
        block.statements = std::move(made);
    }
    /// Whether a part stays as it is.
    [[nodiscard]] bool isIdle(const Change& change, const Effects& effects) const {
        ExpressionId value = change.value;
        if (m_function.at(value).kind == ExpressionKind::Move) value = m_function.at(value).operands[0];
        while (!areSame(m_function, change.place, value)) {
            const Expression& at = m_function.at(value);
            if (at.kind != ExpressionKind::Name) return false;
            const SymbolId symbol = std::get<SymbolId>(at.payload);
            if (m_function.at(symbol).storage != Storage::View) return false;
            value = effects.definition(symbol);
        }
        return true;
    }
    /// A part changes when no value that is still to be computed reads it; if all are read, one value is computed before.
    void sequence(std::vector<Change> changes, ir::TermId term, const Effects& effects, std::vector<Statement>& made) {
        std::vector<Statement> last;
        while (!changes.empty()) {
            const auto isReadElsewhere = [&](const Change& change) {
                SymbolSet changed;
                effects.addChanged(Statement{Assign{change.place, change.place}}, changed);
                return std::ranges::any_of(changes, [&](const Change& other) {
                    return &other != &change &&
                           (effects.mentionsAny(other.value, changed) ||
                            (m_function.at(other.place).kind == ExpressionKind::Element &&
                             effects.mentionsAny(m_function.at(other.place).operands[1], changed)));
                });
            };
            auto next = std::ranges::find_if_not(changes, isReadElsewhere);
            if (next == changes.end()) {
                next = changes.begin();
                const ir::TypeId type = m_function.at(next->place).type;
                const bool isScalar = m_types.isNumeric(type) || type == m_types.boolean();
                const SymbolId kept =
                    m_function.add({"next", {}, type, isScalar ? Storage::Constant : Storage::Variable});
                made.push_back({Declare{kept, next->value}, term});
                ExpressionId value = name(kept);
                if (!isScalar) value = m_function.add({ExpressionKind::Move, type, {}, {value}});
                last.push_back({Assign{next->place, value}, term});
            } else {
                made.push_back({Assign{next->place, next->value}, term});
            }
            changes.erase(next);
        }
        std::ranges::move(last, std::back_inserter(made));
    }

    /// Parts of vectors that are copies of what exists are made by loops of their own, which later passes do without.
    void takeOutCopies(For& loop, ir::TermId term, std::vector<Statement>& made) {
        if (!isPlain(loop) || loop.body.statements.size() < 2) return;
        const auto isPart = [&](const Statement& statement) {
            const auto* const assign = std::get_if<Assign>(&statement.what);
            if (assign == nullptr) return false;
            const Expression& place = m_function.at(assign->place);
            return place.kind == ExpressionKind::Element && isSeries(m_function, place.operands[0]) &&
                   isName(m_function, place.operands[1], loop.index);
        };
        if (!std::ranges::all_of(loop.body.statements, isPart)) return;
        std::erase_if(loop.body.statements, [&](const Statement& statement) {
            const Assign& assign = std::get<Assign>(statement.what);
            const ir::TypeId type = m_function.at(assign.place).type;
            const bool isCopy = (type == m_types.floating() || type == m_types.integer()) && isPlainPlace(assign.value);
            if (!isCopy || mentionsSeries(assign.value)) return false;
            const SymbolId index = m_function.add(SymbolInfo(m_function.at(loop.index)));
            For copies{index, {}, loop.end};
            copies.body.statements.push_back(statement);
            renameIndex(m_function, copies.body, loop.index, index);
            made.push_back({std::move(copies), term});
            return true;
        });
    }
    [[nodiscard]] bool mentionsSeries(ExpressionId expression) const {
        return isSeries(m_function, expression) ||
               std::ranges::any_of(m_function.at(expression).operands,
                                   [this](ExpressionId operand) { return mentionsSeries(operand); });
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    absl::flat_hash_map<SymbolId, Split> m_tuples;
};

}  // namespace

void splitTuples(const ir::TypeTable& types, Function& function) {
    for (int level = 0; level < MostLevels && Splitting(types, function).run(); ++level) {
    }
}

}  // namespace mitos::loops
