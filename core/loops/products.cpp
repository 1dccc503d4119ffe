// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/products.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::loops {

namespace {

/// An element of a vector of rows: m[row][column].
struct MatrixElement {
    ExpressionId matrix;
    ExpressionId row;
    ExpressionId column;
};

class Products {
public:
    Products(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function) {}

    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            if (auto* const loop = std::get_if<For>(&block.statements[i].what)) {
                if (std::optional<Block> product = productOf(*loop, block.statements[i].term)) {
                    const auto at = block.statements.begin() + static_cast<std::ptrdiff_t>(i);
                    const auto after = block.statements.erase(at);
                    block.statements.insert(after, std::make_move_iterator(product->statements.begin()),
                                            std::make_move_iterator(product->statements.end()));
                    --i;
                    continue;
                }
            }
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
        }
    }

private:
    using Statements = std::vector<Statement>;

    /// A loop over rows, taken apart: statements, a product, and statements about the rows.
    struct Parts {
        AddProduct product;
        ExpressionId element;     ///< to which each product is added, or that gets the sum
        bool isAssigned = false;  ///< it gets the sum
        Statements before = {};
        Statements after = {};
    };

    /// The statements instead of a loop over the rows of a product: what comes before it, the product, and what is done with the rows.
    std::optional<Block> productOf(const For& rows, ir::TermId term) {
        if (!isPlain(rows)) return std::nullopt;
        const Statements& body = rows.body.statements;
        const auto nest = std::ranges::find_if(
            body, [](const Statement& statement) { return std::holds_alternative<For>(statement.what); });
        if (nest == body.end()) return std::nullopt;
        SymbolSet changed;
        m_effects.addChanged(rows.body, changed);
        changed.insert(rows.index);
        const auto& loop = std::get<For>(nest->what);
        std::optional<Parts> parts = termByTerm(rows, loop, changed);
        if (!parts) parts = columnByColumn(rows, loop, changed);
        if (!parts) return std::nullopt;
        parts->before.insert(parts->before.begin(), body.begin(), nest);
        parts->after.assign(std::next(nest), body.end());
        if (!findPlace(rows, *parts) || !isSafe(rows, *parts, changed)) return std::nullopt;

        Block made;
        addLoop(made, rows, term, std::move(parts->before));
        made.statements.push_back({parts->product, nest->term});
        addLoop(made, rows, term, std::move(parts->after));
        return made;
    }

    void addLoop(Block& made, const For& rows, ir::TermId term, Statements body) {
        if (body.empty()) return;
        For loop{m_function.add(SymbolInfo(m_function.at(rows.index))), {}, rows.end, Block()};
        loop.body.statements = std::move(body);
        renameIndex(m_function, loop.body, rows.index, loop.index);
        made.statements.push_back({std::move(loop), term});
    }

    /// A loop of terms that adds to all elements of a row.
    std::optional<Parts> termByTerm(const For& rows, const For& terms, const SymbolSet& changed) {
        if (!isPlain(terms) || terms.body.isEmpty()) return std::nullopt;
        const Statements& body = terms.body.statements;
        const auto* const columns = std::get_if<For>(&body.back().what);
        if (columns == nullptr || !isPlain(*columns) || columns->body.statements.size() != 1) return std::nullopt;
        const auto* const add = std::get_if<Accumulate>(&columns->body.statements[0].what);
        if (add == nullptr || !areConstants(body.begin(), std::prev(body.end()))) return std::nullopt;
        const std::optional<AddProduct> product = match(rows, terms, *columns, *add, changed);
        return product ? std::optional(Parts{*product, add->place}) : std::nullopt;
    }

    /// A loop of columns with a sum in each.
    std::optional<Parts> columnByColumn(const For& rows, const For& columns, const SymbolSet& changed) {
        const Statements& body = columns.body.statements;
        if (!isPlain(columns) || body.size() < 3) return std::nullopt;
        const auto* const assign = std::get_if<Assign>(&body.back().what);
        const auto* const terms = std::get_if<For>(&body[body.size() - 2].what);
        const auto* const declare = std::get_if<Declare>(&body[body.size() - 3].what);
        if (assign == nullptr || terms == nullptr || declare == nullptr || !isPlain(*terms) || terms->body.isEmpty() ||
            !isName(m_function, assign->value, declare->symbol) || !isZero(declare->value))
            return std::nullopt;
        const Statements& summands = terms->body.statements;
        const auto* const add = std::get_if<Accumulate>(&summands.back().what);
        if (add == nullptr || !isName(m_function, add->place, declare->symbol) ||
            !areConstants(summands.begin(), std::prev(summands.end())))
            return std::nullopt;
        const std::optional<AddProduct> product = match(rows, *terms, columns, *add, changed);
        if (!product) return std::nullopt;
        Parts parts{*product, assign->place, true};
        SymbolSet inside;
        m_effects.addChanged(columns.body, inside);
        inside.insert(columns.index);
        for (auto each = body.begin(); each != std::prev(body.end(), 3); ++each) {
            if (isConstant(*each)) continue;
            const auto* const require = std::get_if<Require>(&each->what);
            if (require == nullptr || require->isAlways || m_effects.mentionsAny(require->condition, inside))
                return std::nullopt;
            parts.before.push_back({requiredIfAny(m_types, m_function, *require, columns.end), each->term});
        }
        return parts;
    }
    /// Whether a statement only gives a value or a place a name.
    [[nodiscard]] bool isConstant(const Statement& statement) const {
        const auto* const declare = std::get_if<Declare>(&statement.what);
        if (declare == nullptr || !declare->value.isValid()) return false;
        const Storage storage = m_function.at(declare->symbol).storage;
        return (storage == Storage::Constant || storage == Storage::View) && isPlace(m_function, declare->value);
    }
    [[nodiscard]] bool areConstants(Statements::const_iterator first, Statements::const_iterator last) const {
        return std::all_of(first, last, [this](const Statement& statement) { return isConstant(statement); });
    }
    [[nodiscard]] bool isZero(ExpressionId expression) const {
        return expression.isValid() && m_function.at(expression).payload == Expression::Payload(0.0);
    }

    /// The product whose summands are added, without its place.
    [[nodiscard]] std::optional<AddProduct> match(const For& rows, const For& terms, const For& columns,
                                                  const Accumulate& add, const SymbolSet& changed) {
        if (add.isDifference || add.isByParts) return std::nullopt;
        const Expression value = m_function.at(add.value);
        if (value.payload != Expression::Payload(Operator::Mul)) return std::nullopt;
        const LoopPath path{&rows, &terms, &columns};
        std::vector<MatrixElement> factors;
        for (const ExpressionId operand : value.operands) {
            const std::optional<Outside> factor = outside(m_function, m_effects, operand, changed, path);
            const std::optional<MatrixElement> at = factor ? elementOf(factor->expression) : std::nullopt;
            if (!at) return std::nullopt;
            factors.push_back(*at);
        }
        const auto isAt = [&](const MatrixElement& at, const For& row, const For& column) {
            return isName(m_function, at.row, row.index) && isName(m_function, at.column, column.index);
        };
        for (const std::size_t first : {0, 1}) {
            const MatrixElement& left = factors[first];
            const MatrixElement& right = factors[1 - first];
            const bool isLeftTransposed = isAt(left, terms, rows);
            const bool isRightTransposed = isAt(right, columns, terms);
            if ((isLeftTransposed || isAt(left, rows, terms)) && (isRightTransposed || isAt(right, terms, columns)))
                return AddProduct{{},        left.matrix, right.matrix,     rows.end,
                                  terms.end, columns.end, isLeftTransposed, isRightTransposed};
        }
        return std::nullopt;
    }

    /// Finds the matrix to whose elements the products are added. They may be added up in a row that becomes one of the matrix.
    [[nodiscard]] bool findPlace(const For& rows, Parts& parts) {
        const Expression element = m_function.at(parts.element);
        if (element.kind != ExpressionKind::Element) return false;
        if (const std::optional<MatrixElement> at = elementOf(parts.element)) {
            parts.product.place = at->matrix;
            if (!isName(m_function, at->row, rows.index)) return false;
            if (!parts.isAssigned) return true;
            // The row has to begin with zeros.
            for (Statement& statement : parts.before) {
                auto* const resize = std::get_if<Resize>(&statement.what);
                if (resize == nullptr || !isRow(resize->place, at->matrix, rows)) continue;
                resize->isOverwritten = false;
                return resize->sizes.size() == 1 && isSameSize(m_function, resize->sizes[0], parts.product.columns);
            }
            return false;
        }
        if (element.operands.size() != 2 || m_function.at(element.operands[0]).kind != ExpressionKind::Name ||
            parts.after.empty())
            return false;
        const SymbolId row = std::get<SymbolId>(m_function.at(element.operands[0]).payload);
        const auto declared = std::ranges::find_if(parts.before, [&](const Statement& statement) {
            const auto* const declare = std::get_if<Declare>(&statement.what);
            return declare != nullptr && declare->symbol == row;
        });
        const auto* const assign = std::get_if<Assign>(&parts.after.front().what);
        if (declared == parts.before.end() || assign == nullptr) return false;
        const Expression& zeros = m_function.at(std::get<Declare>(declared->what).value);
        const Expression& value = m_function.at(assign->value);
        const Expression& place = m_function.at(assign->place);
        const bool isMoved = value.kind == ExpressionKind::Move && isName(m_function, value.operands[0], row);
        if (!isMoved || zeros.kind != ExpressionKind::Filled || zeros.operands.size() != 1 ||
            place.kind != ExpressionKind::Element || place.operands.size() != 2 ||
            !isName(m_function, place.operands[1], rows.index) ||
            !isSameSize(m_function, zeros.operands[0], parts.product.columns))
            return false;
        parts.product.place = place.operands[0];
        declared->what = Resize{assign->place, {zeros.operands[0]}};
        parts.after.erase(parts.after.begin());
        return true;
    }
    [[nodiscard]] bool isRow(ExpressionId expression, ExpressionId matrix, const For& rows) const {
        const Expression& at = m_function.at(expression);
        return at.kind == ExpressionKind::Element && at.operands.size() == 2 &&
               areSame(m_function, at.operands[0], matrix) && isName(m_function, at.operands[1], rows.index);
    }

    /// Whether the product may be computed after what comes before it in all rows, and before what comes after it.
    [[nodiscard]] bool isSafe(const For& rows, Parts& parts, const SymbolSet& changed) {
        AddProduct& product = parts.product;
        if (m_function.at(product.place).kind != ExpressionKind::Name) return false;
        const SymbolId matrix = std::get<SymbolId>(m_function.at(product.place).payload);
        SymbolSet others = changed;
        others.insert(matrix);
        for (const ExpressionId read : {product.left, product.right, product.terms, product.columns}) {
            if (m_effects.mentionsAny(read, others)) return false;
        }
        SymbolSet dropped;
        std::erase_if(parts.before, [&](const Statement& statement) {
            if (isConstant(statement)) dropped.insert(std::get<Declare>(statement.what).symbol);
            return isConstant(statement);
        });
        const auto isKept = [&](const Statement& statement) {
            SymbolSet symbols;
            addMentioned(m_function, statement, symbols);
            return std::ranges::none_of(symbols, [&](SymbolId symbol) { return dropped.contains(symbol); });
        };
        for (const Statement& statement : parts.before) {
            const auto* const require = std::get_if<Require>(&statement.what);
            const auto* const resize = std::get_if<Resize>(&statement.what);
            const bool isFine = resize != nullptr ? isRow(resize->place, product.place, rows)
                                                  : require != nullptr && !require->isAlways;
            if (!isFine || !isKept(statement)) return false;
        }
        return std::ranges::all_of(parts.after, [&](const Statement& statement) {
            return isKept(statement) && readsRowsOnly(statement, matrix, rows.index);
        });
    }

    [[nodiscard]] std::optional<MatrixElement> elementOf(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        if (at.kind != ExpressionKind::Element || at.type != m_types.floating()) return std::nullopt;
        MatrixElement element;
        if (at.operands.size() == 3) {
            element = {at.operands[0], at.operands[1], at.operands[2]};
        } else if (const Expression& row = m_function.at(at.operands[0]);
                   at.operands.size() == 2 && row.kind == ExpressionKind::Element && row.operands.size() == 2) {
            element = {row.operands[0], row.operands[1], at.operands[1]};
        } else {
            return std::nullopt;
        }
        const ir::TypeId matrix = m_function.at(element.matrix).type;
        const bool isOfRows = m_types.isTensor(matrix) && m_types.rank(matrix) == 1 &&
                              m_types.isTensor(m_types.element(matrix)) && m_types.rank(m_types.element(matrix)) == 1;
        return isOfRows && isPlace(m_function, element.matrix) ? std::optional(element) : std::nullopt;
    }

    /// Whether a statement uses the matrix by elements of this row only.
    [[nodiscard]] bool readsRowsOnly(const Statement& statement, SymbolId matrix, SymbolId row) const {
        bool isFine = true;
        forEachExpression(statement,
                          [&](ExpressionId expression) { isFine = isFine && readsRowsOnly(expression, matrix, row); });
        forEachBlock(statement, [&](const Block& inner) {
            for (const Statement& each : inner.statements) isFine = isFine && readsRowsOnly(each, matrix, row);
        });
        return isFine;
    }
    [[nodiscard]] bool readsRowsOnly(ExpressionId expression, SymbolId matrix, SymbolId row) const {
        const Expression& at = m_function.at(expression);
        if (isName(m_function, expression, matrix)) return false;
        const bool isElement = at.kind == ExpressionKind::Element && isName(m_function, at.operands[0], matrix);
        if (isElement && !isName(m_function, at.operands[1], row)) return false;
        for (std::size_t i = isElement ? 1 : 0; i < at.operands.size(); ++i) {
            if (!readsRowsOnly(at.operands[i], matrix, row)) return false;
        }
        return true;
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
};

}  // namespace

void findProducts(const ir::TypeTable& types, Function& function) { Products(types, function).run(function.body); }

}  // namespace mitos::loops
