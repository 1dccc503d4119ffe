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
                    const auto after =
                        block.statements.erase(block.statements.begin() + static_cast<std::ptrdiff_t>(i));
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
    /// The statements instead of a loop over the rows of a product: what comes before it, the product, and what is done with the rows.
    std::optional<Block> productOf(For& rows, ir::TermId term) {
        if (!isPlain(rows)) return std::nullopt;
        std::vector<Statement>& body = rows.body.statements;
        const auto nest = std::ranges::find_if(
            body, [](const Statement& statement) { return std::holds_alternative<For>(statement.what); });
        if (nest == body.end()) return std::nullopt;
        std::optional<AddProduct> product = match(rows, std::get<For>(nest->what));
        if (!product || !std::all_of(body.begin(), nest, [](const Statement& statement) {
                const auto* const require = std::get_if<Require>(&statement.what);
                return std::holds_alternative<Resize>(statement.what) || (require != nullptr && !require->isAlways);
            }))
            return std::nullopt;
        const SymbolId matrix = std::get<SymbolId>(m_function.at(product->place).payload);
        SymbolSet changed;
        m_effects.addChanged(rows.body, changed);
        SymbolSet rest;
        for (auto each = std::next(nest); each != body.end(); ++each) {
            m_effects.addChanged(*each, rest);
            if (!readsRowsOnly(*each, matrix, rows.index)) return std::nullopt;
        }
        const bool isSafe =
            !m_effects.mentionsAny(product->left, changed) && !m_effects.mentionsAny(product->right, changed) &&
            !m_effects.mentionsAny(product->terms, changed) && !m_effects.mentionsAny(product->columns, changed);
        if (!isSafe || !resizesRowsOnly(body.begin(), nest, matrix, rows.index)) return std::nullopt;

        Block made;
        addLoop(made, rows, term, body.begin(), nest);
        made.statements.push_back({*product, nest->term});
        addLoop(made, rows, term, std::next(nest), body.end());
        return made;
    }

    using Iterator = std::vector<Statement>::iterator;

    void addLoop(Block& made, const For& rows, ir::TermId term, Iterator first, Iterator last) {
        if (first == last) return;
        For loop{m_function.add(SymbolInfo(m_function.at(rows.index))), {}, rows.end};
        loop.body.statements.assign(std::make_move_iterator(first), std::make_move_iterator(last));
        renameIndex(m_function, loop.body, rows.index, loop.index);
        made.statements.push_back({std::move(loop), term});
    }

    [[nodiscard]] std::optional<AddProduct> match(const For& rows, const For& terms) const {
        if (!isPlain(terms) || terms.body.statements.size() != 1) return std::nullopt;
        const auto* const columns = std::get_if<For>(&terms.body.statements[0].what);
        if (columns == nullptr || !isPlain(*columns) || columns->body.statements.size() != 1) return std::nullopt;
        const auto* const add = std::get_if<Accumulate>(&columns->body.statements[0].what);
        if (add == nullptr || add->isDifference || add->isByParts) return std::nullopt;
        const Expression& value = m_function.at(add->value);
        if (value.payload != Expression::Payload(Operator::Mul)) return std::nullopt;
        const std::optional<MatrixElement> sum = elementOf(add->place);
        std::optional<MatrixElement> left = elementOf(value.operands[0]);
        std::optional<MatrixElement> right = elementOf(value.operands[1]);
        if (!sum || !left || !right || m_function.at(sum->matrix).kind != ExpressionKind::Name) return std::nullopt;
        if (!isName(m_function, sum->row, rows.index) || !isName(m_function, sum->column, columns->index))
            return std::nullopt;
        const auto isRight = [&](const MatrixElement& at) {
            return isName(m_function, at.row, terms.index) && isName(m_function, at.column, columns->index);
        };
        if (!isRight(*right)) std::swap(left, right);
        const bool isPlainLeft =
            isName(m_function, left->row, rows.index) && isName(m_function, left->column, terms.index);
        const bool isTransposed =
            isName(m_function, left->row, terms.index) && isName(m_function, left->column, rows.index);
        if (!isRight(*right) || (!isPlainLeft && !isTransposed)) return std::nullopt;
        return AddProduct{sum->matrix, left->matrix, right->matrix, rows.end, terms.end, columns->end, isTransposed};
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
    [[nodiscard]] bool resizesRowsOnly(Iterator first, Iterator last, SymbolId matrix, SymbolId row) const {
        return std::all_of(first, last, [&](const Statement& statement) {
            const auto* const resize = std::get_if<Resize>(&statement.what);
            if (resize == nullptr) return true;
            const Expression& place = m_function.at(resize->place);
            return place.kind == ExpressionKind::Element && place.operands.size() == 2 &&
                   isName(m_function, place.operands[0], matrix) && isName(m_function, place.operands[1], row);
        });
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
};

}  // namespace

void findProducts(const ir::TypeTable& types, Function& function) { Products(types, function).run(function.body); }

}  // namespace mitos::loops
