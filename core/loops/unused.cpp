// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/unused.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

class Unused {
public:
    Unused(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run() {
        findLoops(m_function.body);
        for (const SymbolId symbol : m_reshaped) m_lengths.erase(symbol);
        do {
            m_hasGrown = false;
            visit(m_function.body);
        } while (m_hasGrown);
        remove(m_function.body);
    }

private:
    /// Takes note of what the statements of a block that are needed use; whether there are any.
    bool visit(const Block& block) {
        bool isAnyNeeded = false;
        for (auto each = block.statements.rbegin(); each != block.statements.rend(); ++each)
            isAnyNeeded = visit(*each) || isAnyNeeded;
        return isAnyNeeded;
    }
    bool visit(const Statement& statement) {
        bool isNeeded = isNeededItself(statement);
        if (!std::holds_alternative<DefineFunction>(statement.what)) {
            forEachBlock(statement, [&](const Block& inner) { isNeeded = visit(inner) || isNeeded; });
        }
        if (!isNeeded) return false;
        if (const ExpressionId value = droppedValue(statement); value.isValid()) {
            use(value);
            return true;
        }
        if (std::holds_alternative<DefineFunction>(statement.what)) {
            SymbolSet mentioned;
            addMentioned(m_function, statement, mentioned);
            for (const SymbolId symbol : mentioned) use(symbol);
            return true;
        }
        if (const auto* const loop = std::get_if<For>(&statement.what); loop && loop->isVisibleAfter) use(loop->index);
        forEachExpression(statement, [this](ExpressionId expression) { use(expression); });
        return true;
    }

    [[nodiscard]] bool isNeededItself(const Statement& statement) const {
        bool mayFail = false;
        forEachExpression(statement, [&](ExpressionId expression) { mayFail = mayFail || this->mayFail(expression); });
        if (mayFail) return true;
        return std::visit(
            [this](const auto& what) {
                using What = std::decay_t<decltype(what)>;
                if constexpr (std::is_same_v<What, Declare>) {
                    return m_function.at(what.symbol).storage == Storage::Kept || m_used.contains(what.symbol);
                } else if constexpr (std::is_same_v<What, DefineFunction>) {
                    return m_used.contains(what.symbol);
                } else if constexpr (std::is_same_v<What, Assign> || std::is_same_v<What, Resize> ||
                                     std::is_same_v<What, Accumulate> || std::is_same_v<What, Clear>) {
                    return isUsedPlace(what.place);
                } else if constexpr (std::is_same_v<What, For>) {
                    return what.isVisibleAfter && m_used.contains(what.index);
                } else {
                    return !std::is_same_v<What, If> && !std::is_same_v<What, Drop>;
                }
            },
            statement.what);
    }
    /// The number that a statement computes for a place that nothing reads; computing it may fail. Invalid for other statements.
    [[nodiscard]] ExpressionId droppedValue(const Statement& statement) const {
        ExpressionId value;
        if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
            const bool isUsed =
                m_function.at(declare->symbol).storage == Storage::Kept || m_used.contains(declare->symbol);
            if (!isUsed) value = declare->value;
        } else if (const auto* const assign = std::get_if<Assign>(&statement.what)) {
            if (!isUsedPlace(assign->place) && !mayFail(assign->place)) value = assign->value;
        } else if (const auto* const add = std::get_if<Accumulate>(&statement.what)) {
            if (!isUsedPlace(add->place) && !mayFail(add->place)) value = add->value;
        }
        // A series has the type of its elements.
        const bool isNumber = value.isValid() && m_types.isNumeric(m_function.at(value).type) &&
                              m_function.at(value).kind != ExpressionKind::Filled && mayFail(value);
        return isNumber ? value : ExpressionId();
    }
    [[nodiscard]] bool isUsedPlace(ExpressionId place) const {
        SymbolSet owners;
        m_effects.addChanged(Statement{Clear{place}}, owners);
        return std::ranges::any_of(owners, [this](SymbolId owner) { return m_used.contains(owner); });
    }

    /// Whether computing a value may end the program, or does more than that.
    [[nodiscard]] bool mayFail(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        switch (at.kind) {
            case ExpressionKind::Element:
                if (at.payload == Expression::Payload(true) && !isInside(at)) return true;
                break;
            case ExpressionKind::Call:
            case ExpressionKind::Apply: return true;
            case ExpressionKind::Binary:
                if (mayDivideByZero(m_types, m_function, at)) return true;
                break;
            case ExpressionKind::Run:
                if (mayFail(std::get<Operation>(at.payload))) return true;
                break;
            default: break;
        }
        return std::ranges::any_of(at.operands, [this](ExpressionId operand) { return mayFail(operand); });
    }
    [[nodiscard]] static bool mayFail(Operation operation) {
        switch (operation) {
            case Operation::Quotient:
            case Operation::AddParts:
            case Operation::SubParts:
            case Operation::MulParts:
            case Operation::DivParts:
            case Operation::AddTangent:
            case Operation::Dot:
            case Operation::MatrixTimesVector:
            case Operation::AsSize:
            case Operation::Sum:
            case Operation::PlaceOfMax:
            case Operation::DeltaVector:
            case Operation::DeltaTensor:
            case Operation::ToTangent: return true;
            default: return false;
        }
    }

    /// Whether each index is that of a loop over the size that a parameter's type names, or that a vector is made with.
    [[nodiscard]] bool isInside(const Expression& element) const {
        if (element.operands.size() == 2 && isOfLength(element.operands[0], element.operands[1])) return true;
        ir::TypeId type = declaredType(element.operands[0]);
        for (std::size_t i = 1; i < element.operands.size(); ++i) {
            if (!type.isValid() || !m_types.isTensor(type) || m_types.rank(type) != 1 || m_types.sizes(type).empty())
                return false;
            const Symbol size = m_types.sizes(type)[0];
            const auto named = std::ranges::find(m_function.sizes, size, &NamedSize::name);
            const Expression& index = m_function.at(element.operands[i]);
            if (!size.isValid() || named == m_function.sizes.end() || index.kind != ExpressionKind::Name) return false;
            const auto end = m_ends.find(std::get<SymbolId>(index.payload));
            if (end == m_ends.end() || !areSame(m_function, end->second, named->value)) return false;
            type = m_types.element(type);
        }
        return true;
    }
    /// Whether the index is that of a loop over the length that the vector is made with, and keeps.
    [[nodiscard]] bool isOfLength(ExpressionId vector, ExpressionId index) const {
        const Expression& name = m_function.at(vector);
        const Expression& at = m_function.at(index);
        if (name.kind != ExpressionKind::Name || at.kind != ExpressionKind::Name) return false;
        const auto length = m_lengths.find(std::get<SymbolId>(name.payload));
        const auto end = m_ends.find(std::get<SymbolId>(at.payload));
        return length != m_lengths.end() && end != m_ends.end() && areSame(m_function, length->second, end->second);
    }
    /// The type of a parameter, or of an element or a part of one, with the names of its sizes; invalid for other values.
    [[nodiscard]] ir::TypeId declaredType(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Element) {
            ir::TypeId type = declaredType(at.operands[0]);
            for (std::size_t i = 1; type.isValid() && i < at.operands.size(); ++i) {
                const bool isVector = m_types.isTensor(type) && m_types.rank(type) == 1;
                type = isVector ? m_types.element(type) : ir::TypeId();
            }
            return type;
        }
        if (at.kind == ExpressionKind::Part) {
            const ir::TypeId whole = declaredType(at.operands[0]);
            const auto part = static_cast<std::size_t>(std::get<std::int64_t>(at.payload));
            return whole.isValid() && m_types.isTuple(whole) ? m_types.children(whole)[part] : ir::TypeId();
        }
        if (at.kind != ExpressionKind::Name) return {};
        const SymbolInfo& symbol = m_function.at(std::get<SymbolId>(at.payload));
        if (symbol.storage == Storage::Parameter) return symbol.type;
        return symbol.storage == Storage::View ? declaredType(m_effects.definition(std::get<SymbolId>(at.payload)))
                                               : ir::TypeId();
    }
    void findLoops(const Block& block) {
        for (const Statement& statement : block.statements) {
            const auto* const loop = std::get_if<For>(&statement.what);
            if (loop != nullptr && !loop->isVisibleAfter) m_ends.emplace(loop->index, loop->end);
            findLengths(statement);
            forEachBlock(statement, [this](const Block& inner) { findLoops(inner); });
        }
    }

    void findLengths(const Statement& statement) {
        if (const auto* const declare = std::get_if<Declare>(&statement.what); declare && declare->value.isValid()) {
            const Expression& value = m_function.at(declare->value);
            const SymbolInfo& symbol = m_function.at(declare->symbol);
            const bool isVector = value.kind == ExpressionKind::Filled && value.operands.size() == 1 &&
                                  symbol.storage == Storage::Variable && isFixed(value.operands[0]);
            if (isVector) m_lengths.emplace(declare->symbol, value.operands[0]);
        }
        if (const auto* const assign = std::get_if<Assign>(&statement.what)) noteReshaped(assign->place);
        if (const auto* const resize = std::get_if<Resize>(&statement.what)) noteReshaped(resize->place);
        forEachExpression(statement, [this](ExpressionId expression) { findMoves(expression); });
    }
    /// Whether an expression has one value wherever it is visible.
    [[nodiscard]] bool isFixed(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Literal) return true;
        if (at.kind != ExpressionKind::Name) return false;
        const Storage storage = m_function.at(std::get<SymbolId>(at.payload)).storage;
        return storage == Storage::Constant || storage == Storage::Parameter;
    }
    void findMoves(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Move) noteReshaped(at.operands[0]);
        for (const ExpressionId operand : at.operands) findMoves(operand);
    }
    void noteReshaped(ExpressionId place) {
        const Expression& at = m_function.at(place);
        if (at.kind == ExpressionKind::Name) m_reshaped.insert(std::get<SymbolId>(at.payload));
    }

    void use(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) use(std::get<SymbolId>(at.payload));
        for (const ExpressionId operand : at.operands) use(operand);
    }
    /// Names for places, and these.
    void use(SymbolId symbol) {
        m_effects.forEachOwner(symbol,
                               [this](SymbolId owner) { m_hasGrown = m_used.insert(owner).second || m_hasGrown; });
    }

    void remove(Block& block) {
        for (Statement& statement : block.statements) {
            if (std::holds_alternative<DefineFunction>(statement.what)) continue;
            forEachBlock(statement, [this](Block& inner) { remove(inner); });
            if (const ExpressionId value = droppedValue(statement); value.isValid()) statement.what = Drop{value};
        }
        std::erase_if(block.statements, [this](const Statement& statement) {
            if (isNeededItself(statement)) return false;
            bool isEmpty = true;
            if (!std::holds_alternative<DefineFunction>(statement.what)) {
                forEachBlock(statement, [&](const Block& inner) { isEmpty = isEmpty && inner.isEmpty(); });
            }
            return isEmpty;
        });
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    SymbolSet m_used;
    absl::flat_hash_map<SymbolId, ExpressionId> m_ends;     ///< of loops, by index
    absl::flat_hash_map<SymbolId, ExpressionId> m_lengths;  ///< of vectors that are made here and keep their length
    SymbolSet m_reshaped;                                   ///< vectors that may get another length
    bool m_hasGrown = false;
};

/// Counts what is read.
class Marker {
public:
    Marker(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_mentions(function.symbols.size()) {}

    void run() {
        count(m_function.body);
        mark(m_function.body);
        for (Parameter& parameter : m_function.parameters) {
            parameter.isUsed = parameter.isUsed && isMentioned(parameter.symbol);
        }
    }

private:
    [[nodiscard]] bool isMentioned(SymbolId symbol) const { return m_mentions[symbol.value] > 0; }

    void count(const Block& block) {
        for (const Statement& statement : block.statements) {
            const auto* const loop = std::get_if<For>(&statement.what);
            if (loop != nullptr && loop->isVisibleAfter) ++m_mentions[loop->index.value];
            const ExpressionId place = placeOf(statement);
            forEachExpression(statement, [&](ExpressionId expression) {
                const bool isOnlySet = expression == place && m_function.at(place).kind == ExpressionKind::Name;
                if (!isOnlySet) add(expression);
            });
            forEachBlock(statement, [this](const Block& inner) { count(inner); });
        }
    }
    /// The place that a statement sets, if it does.
    [[nodiscard]] static ExpressionId placeOf(const Statement& statement) {
        if (const auto* const assign = std::get_if<Assign>(&statement.what)) return assign->place;
        if (const auto* const accumulate = std::get_if<Accumulate>(&statement.what)) return accumulate->place;
        return {};
    }
    void add(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) ++m_mentions[std::get<SymbolId>(at.payload).value];
        for (const ExpressionId operand : at.operands) add(operand);
    }

    void mark(Block& block) {
        for (Statement& statement : block.statements) {
            forEachBlock(statement, [this](Block& inner) { mark(inner); });
            if (auto* const function = std::get_if<DefineFunction>(&statement.what))
                function->isArgumentUsed = function->isArgumentUsed && isMentioned(function->argument);
            auto* const declare = std::get_if<Declare>(&statement.what);
            if (declare == nullptr) continue;
            declare->mayBeUnused =
                !isMentioned(declare->symbol) && (declare->mayBeUnused || isRemarkedOn(declare->symbol));
        }
    }

    /// Whether compilers remark on a symbol of which nothing is read: not if it is a vector or a second name for what is set.
    [[nodiscard]] bool isRemarkedOn(SymbolId symbol) const {
        const SymbolInfo& info = m_function.at(symbol);
        return info.type.isValid() && info.storage != Storage::Place &&
               (info.storage != Storage::Variable || !m_types.isTensor(info.type));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    std::vector<int> m_mentions;  ///< by symbol; places that are only set do not count
};

}  // namespace

void removeUnused(const ir::TypeTable& types, Function& function) { Unused(types, function).run(); }

void markUnused(const ir::TypeTable& types, Function& function) { Marker(types, function).run(); }

}  // namespace mitos::loops
