// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/sizes.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

constexpr std::size_t NoDepth = 64;  // deeper than types are

/// A vector or one of its elements, which may be vectors: a symbol and the number of indices.
struct Place {
    SymbolId symbol;
    std::size_t depth = 0;
};

class SizeNames {
public:
    SizeNames(const ir::TypeTable& types, Function& function, bool makesZeros)
        : m_types(types),
          m_function(function),
          m_makesZeros(makesZeros),
          m_sizes(function.symbols.size()),
          m_changes(function.symbols.size(), NoDepth),
          m_changeCounts(function.symbols.size(), 0),
          m_aliases(function.symbols.size()),
          m_isDeclared(function.symbols.size()) {}

    void run() {
        findPlaces(m_function.body);
        findChanges(m_function.body);
        for (const Parameter& parameter : m_function.parameters) {
            m_declaredTypes.emplace(parameter.symbol, m_function.at(parameter.symbol).type);
        }
        visit(m_function.body);
    }

private:
    /// The place that an expression names, through views and parts of tuples that are places themselves.
    [[nodiscard]] std::optional<Place> placeOf(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) return Place{std::get<SymbolId>(at.payload)};
        if (at.kind != ExpressionKind::Element) return std::nullopt;
        std::optional<Place> whole = placeOf(at.operands[0]);
        if (whole) whole->depth += levelsOf(at);
        return whole;
    }

    /// The number of vectors that an element is read through: one expression may have the indices of several.
    [[nodiscard]] std::size_t levelsOf(const Expression& element) const {
        // The type of a series is that of its elements.
        std::size_t levels = isSeries(m_function, element.operands[0]) ? 1 : 0;
        ir::TypeId type = m_function.at(element.operands[0]).type;
        for (std::size_t used = 1 + levels; used < element.operands.size(); ++levels) {
            used += m_types.rank(type);
            type = m_types.element(type);
        }
        return levels;
    }

    /// What other names for places stand for.
    void findPlaces(const Block& block) {
        for (const Statement& statement : block.statements) {
            if (const auto* const declare = std::get_if<Declare>(&statement.what);
                declare && declare->value.isValid()) {
                const Storage storage = m_function.at(declare->symbol).storage;
                if (storage == Storage::Place || storage == Storage::View) {
                    if (const auto place = placeOf(declare->value)) m_places[declare->symbol] = *place;
                }
            }
            forEachBlock(statement, [this](const Block& inner) { findPlaces(inner); });
        }
    }

    void findChanges(const Block& block) {
        for (const Statement& statement : block.statements) {
            if (const auto* const resize = std::get_if<Resize>(&statement.what)) change(resize->place);
            if (const auto* const assign = std::get_if<Assign>(&statement.what)) {
                const ir::TypeId type = m_function.at(assign->place).type;
                if (type.isValid() && !m_types.isNumeric(type) && type != m_types.boolean()) change(assign->place);
            }
            forEachExpression(statement, [this](ExpressionId expression) { findMoves(expression); });
            forEachBlock(statement, [this](const Block& inner) { findChanges(inner); });
        }
    }
    void findMoves(ExpressionId expression) {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Move && m_function.at(at.operands[0]).kind != ExpressionKind::Name)
            change(at.operands[0]);
        for (const ExpressionId operand : at.operands) findMoves(operand);
    }
    void change(ExpressionId expression) {
        std::optional<Place> place = placeOf(expression);
        if (!place) {
            // A part of a tuple, or one of two places: nothing is known of its symbols from now on.
            for (const ExpressionId operand : m_function.at(expression).operands) change(operand);
            return;
        }
        while (true) {
            std::size_t& least = m_changes[place->symbol.value];
            least = std::min(least, place->depth);
            ++m_changeCounts[place->symbol.value];
            const auto through = m_places.find(place->symbol);
            if (through == m_places.end()) return;
            place = Place{through->second.symbol, through->second.depth + place->depth};
        }
    }

    /// The size that the declared type of a parameter, or of a part of it, names.
    [[nodiscard]] ExpressionId declaredSize(ir::TypeId type) const {
        if (!type.isValid() || !m_types.isTensor(type) || m_types.rank(type) != 1 || m_types.sizes(type).empty())
            return {};
        const Symbol name = m_types.sizes(type)[0];
        if (!name.isValid()) return {};
        const auto known = std::ranges::find(m_function.sizes, name, &NamedSize::name);
        // Its own definition reads the sizes of parameters.
        const bool isDefined = known != m_function.sizes.end() &&
                               m_isDeclared[std::get<SymbolId>(m_function.at(known->value).payload).value];
        return isDefined ? known->value : ExpressionId();
    }

    [[nodiscard]] ir::TypeId declaredType(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) {
            const auto known = m_declaredTypes.find(std::get<SymbolId>(at.payload));
            return known == m_declaredTypes.end() ? ir::TypeId() : known->second;
        }
        if (at.kind != ExpressionKind::Element && at.kind != ExpressionKind::Part) return {};
        ir::TypeId whole = declaredType(at.operands[0]);
        if (!whole.isValid()) return {};
        if (at.kind == ExpressionKind::Element) {
            for (std::size_t used = 1; used < at.operands.size(); ++used) {
                if (!m_types.isTensor(whole) || m_types.rank(whole) != 1) return {};
                whole = m_types.element(whole);
            }
            return whole;
        }
        return m_types.isTuple(whole)
                   ? m_types.children(whole)[static_cast<std::size_t>(std::get<std::int64_t>(at.payload))]
                   : ir::TypeId();
    }

    /// The known size of a place; invalid if there is none.
    [[nodiscard]] ExpressionId sizeOf(ExpressionId expression) const {
        if (const auto place = placeOf(expression)) {
            const std::vector<ExpressionId>& sizes = m_sizes[place->symbol.value];
            if (place->depth < sizes.size() && place->depth < m_changes[place->symbol.value])
                return sizes[place->depth];
        }
        const Expression& at = m_function.at(expression);
        if (isDelta(at) &&
            std::ranges::all_of(at.operands, [this](ExpressionId each) { return isTotal(m_types, m_function, each); }))
            return sizesOf(expression)[0];
        return declaredSize(declaredType(expression));
    }

    /// The known sizes of a value and of its elements.
    [[nodiscard]] std::vector<ExpressionId> sizesOf(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Filled && m_types.isTensor(at.type) && m_types.rank(at.type) == 1) {
            std::vector<ExpressionId> sizes{isAtom(at.operands[0]) ? at.operands[0] : ExpressionId()};
            if (at.operands.size() > 1) {
                for (const ExpressionId inner : sizesOf(at.operands[1])) sizes.push_back(inner);
            }
            return sizes;
        }
        if (at.kind == ExpressionKind::Filled && at.operands.size() == 1 && isAtom(at.operands[0]))
            return {at.operands[0]};
        if (at.kind == ExpressionKind::Run && std::get<Operation>(at.payload) == Operation::ZeroLike)
            return sizesOf(at.operands[0]);
        if (at.kind == ExpressionKind::Move) return sizesOf(at.operands[0]);
        if (isDelta(at)) return {at.operands[0]};
        std::vector<ExpressionId> sizes;
        if (const std::optional<Place> place = placeOf(expression)) {
            const std::vector<ExpressionId>& whole = m_sizes[place->symbol.value];
            for (std::size_t d = place->depth; d < whole.size() && d < m_changes[place->symbol.value]; ++d) {
                sizes.push_back(whole[d]);
            }
        }
        return sizes.empty() ? declaredSizes(declaredType(expression)) : sizes;
    }
    /// The sizes that a type names, from the outermost one.
    [[nodiscard]] std::vector<ExpressionId> declaredSizes(ir::TypeId type) const {
        std::vector<ExpressionId> sizes;
        for (; type.isValid() && m_types.isTensor(type); type = m_types.element(type)) {
            const ExpressionId size = declaredSize(type);
            if (!size.isValid()) break;
            sizes.push_back(size);
        }
        return sizes;
    }

    /// Whether a value is a vector of zeros with one element of a known size.
    [[nodiscard]] bool isDelta(const Expression& at) const {
        return at.kind == ExpressionKind::Run && std::get<Operation>(at.payload) == Operation::DeltaVector &&
               isAtom(at.operands[0]) && m_function.at(at.operands[0]).range.low >= 0.0;
    }

    [[nodiscard]] bool isAtom(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Literal) return true;
        if (at.kind != ExpressionKind::Name) return false;
        const Storage storage = m_function.at(std::get<SymbolId>(at.payload)).storage;
        return storage == Storage::Constant || storage == Storage::Parameter || storage == Storage::Index;
    }

    void visit(Block& block) {
        const std::size_t outside = m_learned.size();
        std::vector<Statement> kept;
        kept.reserve(block.statements.size());
        for (Statement& statement : block.statements) {
            replaceExpressions(statement, [this](ExpressionId expression) { return rewritten(expression); });
            if (const auto* const declare = std::get_if<Declare>(&statement.what);
                declare && declare->value.isValid()) {
                m_isDeclared[declare->symbol.value] = true;
                if (isAlias(*declare)) continue;
                learn(*declare);
            }
            if (isTrue(statement)) continue;
            forEachBlock(statement, [this](Block& inner) { visit(inner); });
            if (const auto* const loop = std::get_if<For>(&statement.what)) learnRows(*loop);
            kept.push_back(std::move(statement));
        }
        block.statements = std::move(kept);
        // The names of this block are not visible after it.
        for (; m_learned.size() > outside; m_learned.pop_back()) m_sizes[m_learned.back().value].clear();
    }

    /// Whether a statement requires a size to be itself.
    [[nodiscard]] bool isTrue(const Statement& statement) const {
        const auto* const require = std::get_if<Require>(&statement.what);
        if (require == nullptr || require->isAlways) return false;
        const Expression& condition = m_function.at(require->condition);
        if (condition.kind != ExpressionKind::Binary || std::get<Operator>(condition.payload) != Operator::Equal)
            return false;
        const ExpressionId a = condition.operands[0];
        const ExpressionId b = condition.operands[1];
        if (areSameShapes(m_function.at(a), m_function.at(b))) return true;
        const ExpressionId size = shapeSize(a);
        return isAtom(size) && areSame(m_function, size, shapeSize(b));
    }
    /// The known size of a vector of numbers, for its shape or a name of that; else the expression.
    [[nodiscard]] ExpressionId shapeSize(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) {
            const auto shape = m_shapes.find(std::get<SymbolId>(at.payload));
            return shape == m_shapes.end() ? expression : shapeSize(shape->second);
        }
        const bool isShape = at.kind == ExpressionKind::Run && at.type == m_types.integer() &&
                             std::get<Operation>(at.payload) == Operation::Shape;
        const ExpressionId size = isShape ? sizeOf(at.operands[0]) : ExpressionId();
        return size.isValid() ? size : expression;
    }
    /// Whether two expressions are the shapes of vectors of the same known sizes.
    [[nodiscard]] bool areSameShapes(const Expression& a, const Expression& b) const {
        const auto isShape = [](const Expression& at) {
            return at.kind == ExpressionKind::Run && std::get<Operation>(at.payload) == Operation::Shape;
        };
        if (!isShape(a) || !isShape(b)) return false;
        const std::vector<ExpressionId> sizes = sizesOf(a.operands[0]);
        const std::vector<ExpressionId> others = sizesOf(b.operands[0]);
        std::size_t levels = 0;
        ir::TypeId type = m_function.at(a.operands[0]).type;
        for (; m_types.isTensor(type) && m_types.rank(type) == 1; type = m_types.element(type)) ++levels;
        if (!m_types.isNumeric(type) || sizes.size() < levels || others.size() < levels) return false;
        return std::equal(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(levels), others.begin(),
                          [this](ExpressionId x, ExpressionId y) { return areSame(m_function, x, y); });
    }

    /// Whether a constant is only another name for a size; its uses read that from now on.
    bool isAlias(const Declare& declare) {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (symbol.storage != Storage::Constant || symbol.type != m_types.integer() || !isAtom(declare.value))
            return false;
        m_aliases[declare.symbol.value] = declare.value;
        return true;
    }

    void learn(const Declare& declare) {
        const SymbolInfo& symbol = m_function.at(declare.symbol);
        if (symbol.storage == Storage::Constant) {
            if (symbol.type != m_types.integer()) return;
            const ExpressionId name = m_function.add(
                {ExpressionKind::Name, symbol.type, declare.symbol, {}, {}, 0, m_function.at(declare.value).range});
            const Expression& value = m_function.at(declare.value);
            if (value.kind != ExpressionKind::Run) return;
            if (std::get<Operation>(value.payload) == Operation::Shape) m_shapes[declare.symbol] = declare.value;
            if (std::get<Operation>(value.payload) != Operation::Size) return;
            const auto place = placeOf(value.operands[0]);
            if (!place || place->depth != 0) return;
            std::vector<ExpressionId>& sizes = m_sizes[place->symbol.value];
            if (!sizes.empty()) return;
            sizes.push_back(name);
            m_learned.push_back(place->symbol);
            return;
        }
        std::vector<ExpressionId> sizes = sizesOf(declare.value);
        while (!sizes.empty() && !sizes.back().isValid()) sizes.pop_back();
        m_sizes[declare.symbol.value] = std::move(sizes);
        if (symbol.storage == Storage::View || symbol.storage == Storage::Place) {
            const ir::TypeId type = declaredType(declare.value);
            if (type.isValid()) m_declaredTypes.emplace(declare.symbol, type);
        }
    }

    /// The lengths of the rows of a vector, and of their rows, if a nest of loops gives all of one depth the same one and nothing else changes them.
    void learnRows(const For& loop) {
        if (!isPlain(loop) || mayLeave(loop.body)) return;
        for (const Statement& statement : loop.body.statements) {
            const auto* const resize = std::get_if<Resize>(&statement.what);
            const auto* const assign = std::get_if<Assign>(&statement.what);
            if (resize == nullptr && assign == nullptr) continue;
            const std::optional<Place> row = placeOf(resize != nullptr ? resize->place : assign->place);
            if (!row || row->depth != 1) continue;
            std::vector<ExpressionId>& sizes = m_sizes[row->symbol.value];
            const bool isWhole = sizes.size() == 1 && areSame(m_function, sizes[0], loop.end);
            if (!isWhole) continue;
            std::vector<ExpressionId> rows;
            std::size_t changes = 1;
            if (resize != nullptr) {
                findRows(loop, loop, {row->symbol}, rows);
                changes = rows.size();
            } else if (isElement(assign->place, std::vector{row->symbol, loop.index})) {
                rows = sizesOf(assign->value);
                const auto isKnownAfter = [&](ExpressionId size) {
                    return size.isValid() && !isMadeIn(loop.body, size) && !isName(m_function, size, loop.index);
                };
                rows.erase(std::ranges::find_if_not(rows, isKnownAfter), rows.end());
            }
            if (rows.empty() || m_changeCounts[row->symbol.value] != changes) continue;
            m_changes[row->symbol.value] = NoDepth;
            sizes.insert(sizes.end(), rows.begin(), rows.end());
            m_learned.push_back(row->symbol);
        }
    }
    /// The lengths that a loop of a nest gives to the elements of `whole`, a vector and the indices of the loops around, and to the elements of those.
    void findRows(const For& nest, const For& loop, std::vector<SymbolId> whole,
                  std::vector<ExpressionId>& rows) const {
        whole.push_back(loop.index);
        ExpressionId length;
        for (const Statement& statement : loop.body.statements) {
            if (const auto* const resize = std::get_if<Resize>(&statement.what)) {
                if (length.isValid() || resize->sizes.size() != 1 || !isElement(resize->place, whole)) continue;
                const ExpressionId size = resize->sizes[0];
                const auto isIndex = [&](SymbolId index) { return isName(m_function, size, index); };
                if (!isAtom(size) || isMadeIn(nest.body, size) || std::ranges::any_of(whole, isIndex)) return;
                length = size;
                rows.push_back(length);
            } else if (const auto* const inner = std::get_if<For>(&statement.what); inner && length.isValid()) {
                if (isPlain(*inner) && areSame(m_function, length, inner->end)) findRows(nest, *inner, whole, rows);
            }
        }
    }
    /// Whether an expression is the element of a vector at all these indices.
    [[nodiscard]] bool isElement(ExpressionId expression, std::span<const SymbolId> path) const {
        const Expression& at = m_function.at(expression);
        if (path.size() == 1) return isName(m_function, expression, path[0]);
        if (at.kind != ExpressionKind::Element || at.operands.size() > path.size()) return false;
        const std::size_t before = path.size() - (at.operands.size() - 1);
        for (std::size_t i = 1; i < at.operands.size(); ++i) {
            if (!isName(m_function, at.operands[i], path[before + i - 1])) return false;
        }
        return isElement(at.operands[0], path.first(before));
    }
    [[nodiscard]] bool isMadeIn(const Block& block, ExpressionId size) const {
        return std::ranges::any_of(block.statements, [&](const Statement& statement) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            if (declare != nullptr && isName(m_function, size, declare->symbol)) return true;
            bool isMade = false;
            forEachBlock(statement, [&](const Block& inner) { isMade = isMade || isMadeIn(inner, size); });
            return isMade;
        });
    }

    ExpressionId rewritten(ExpressionId expression) {
        Expression made = m_function.at(expression);
        if (made.kind == ExpressionKind::Name) {
            const ExpressionId alias = m_aliases[std::get<SymbolId>(made.payload).value];
            return alias.isValid() ? alias : expression;
        }
        const std::vector<ExpressionId> before = made.operands;
        for (ExpressionId& operand : made.operands) operand = rewritten(operand);
        // The shape of a vector of numbers is its size.
        const bool isSize =
            made.kind == ExpressionKind::Run && (std::get<Operation>(made.payload) == Operation::Size ||
                                                 (std::get<Operation>(made.payload) == Operation::Shape &&
                                                  made.type == m_types.integer() && !isChecked(made.operands[0])));
        if (isSize) {
            if (const ExpressionId known = sizeOf(made.operands[0]); known.isValid()) return known;
        }
        if (m_makesZeros && made.kind == ExpressionKind::Run &&
            std::get<Operation>(made.payload) == Operation::ZeroLike && !isChecked(made.operands[0])) {
            if (const ExpressionId zeros = zerosOf(made.type, sizesOf(made.operands[0])); zeros.isValid()) return zeros;
        }
        return made.operands == before ? expression : m_function.add(std::move(made));
    }
    /// Whether a value is no place, or one that may be outside of a vector.
    [[nodiscard]] bool isChecked(ExpressionId expression) const {
        return !isPlace(m_function, expression) || hasChecks(expression);
    }
    [[nodiscard]] bool hasChecks(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Element && at.payload == Expression::Payload(true)) return true;
        return std::ranges::any_of(at.operands, [this](ExpressionId operand) { return hasChecks(operand); });
    }
    /// Zeros of a vector of numbers, or of vectors of them; invalid where a size has no name.
    ExpressionId zerosOf(ir::TypeId type, std::span<const ExpressionId> sizes) {
        if (!m_types.isTensor(type) || m_types.rank(type) != 1 || sizes.empty() || !sizes[0].isValid()) return {};
        std::vector<ExpressionId> operands{sizes[0]};
        const bool isOfVectors = m_types.isTensor(m_types.element(type));
        if (isOfVectors) {
            const ExpressionId row = zerosOf(m_types.element(type), sizes.subspan(1));
            if (!row.isValid()) return {};
            operands.push_back(row);
        } else if (!isOfNumbers(m_types.element(type))) {
            return {};
        }
        return m_function.add({ExpressionKind::Filled, type, isOfVectors, std::move(operands)});
    }
    [[nodiscard]] bool isOfNumbers(ir::TypeId type) const {
        if (!m_types.isTuple(type)) return m_types.isNumeric(type);
        return std::ranges::all_of(m_types.children(type), [this](ir::TypeId part) { return isOfNumbers(part); });
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    bool m_makesZeros;
    std::vector<std::vector<ExpressionId>>
        m_sizes;                              ///< by symbol: the sizes of its vectors, by depth; invalid: not known
    std::vector<std::size_t> m_changes;       ///< by symbol: the least depth at which sizes change
    std::vector<std::size_t> m_changeCounts;  ///< by symbol: statements that change sizes
    std::vector<ExpressionId> m_aliases;      ///< by symbol
    std::vector<bool> m_isDeclared;           ///< by symbol
    absl::flat_hash_map<SymbolId, Place> m_places;
    absl::flat_hash_map<SymbolId, ir::TypeId> m_declaredTypes;
    absl::flat_hash_map<SymbolId, ExpressionId> m_shapes;  ///< of constants
    std::vector<SymbolId> m_learned;  ///< those whose sizes are known by names of the blocks around
};

}  // namespace

void nameSizes(const ir::TypeTable& types, Function& function) { SizeNames(types, function, false).run(); }

void makeZerosBySizes(const ir::TypeTable& types, Function& function) { SizeNames(types, function, true).run(); }

}  // namespace mitos::loops
