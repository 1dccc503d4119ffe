// SPDX-License-Identifier: GPL-3.0-or-later
// Making statements, symbols and expressions of the form.
#include "core/loops/internal/lowerer.h"
#include "core/loops/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace mitos::loops {

using ir::TypeId;

Block FunctionLowerer::inBlock(absl::FunctionRef<void()> fill) {
    Block outside = std::exchange(m_block, {});
    const std::size_t mark = m_scope.mark();
    fill();
    m_scope.leave(mark);
    return std::exchange(m_block, std::move(outside));
}

void FunctionLowerer::openLoop(For loop, const std::string& index) {
    m_open.push_back({std::move(loop), std::exchange(m_block, {}), m_term, m_scope.mark()});
    if (!index.empty()) m_scope.declare(index);
}

void FunctionLowerer::closeLoop() {
    OpenLoop open = std::move(m_open.back());
    m_open.pop_back();
    m_scope.leave(open.mark);
    open.loop.body = std::exchange(m_block, std::move(open.outside));
    m_block.statements.push_back({std::move(open.loop), open.term});
}

SymbolId FunctionLowerer::symbol(std::string_view hint, TypeId type, Storage storage) {
    return m_result.add(SymbolInfo{std::string(hint), m_scope.declare(hint), type, storage});
}

ExpressionId FunctionLowerer::variable(std::string_view hint, TypeId type, ExpressionId value, bool isConstructed) {
    const SymbolId made = symbol(hint, type, Storage::Variable);
    append(Declare{made, value, false, isConstructed});
    return name(made);
}

ExpressionId FunctionLowerer::overwritten(std::string_view hint, TypeId type, ExpressionId value) {
    const SymbolId made = symbol(hint, type, Storage::Variable);
    append(Declare{made, value, false, true, true});
    return name(made);
}

ExpressionId FunctionLowerer::make(ExpressionKind kind, TypeId type, Expression::Payload payload,
                                   std::vector<ExpressionId> operands) {
    return m_result.add(Expression{kind, type, payload, std::move(operands)});
}

ExpressionId FunctionLowerer::name(SymbolId symbol) {
    return make(ExpressionKind::Name, m_result.at(symbol).type, symbol);
}

ExpressionId FunctionLowerer::integer(std::int64_t value) {
    return make(ExpressionKind::Literal, m_types.integer(), value);
}

ExpressionId FunctionLowerer::floating(double value) {
    return make(ExpressionKind::Literal, m_types.floating(), value);
}

ExpressionId FunctionLowerer::boolean(bool value) { return make(ExpressionKind::Literal, m_types.boolean(), value); }

ExpressionId FunctionLowerer::part(ExpressionId tuple, std::uint32_t place) {
    const TypeId type = m_types.children(m_result.at(tuple).type)[place];
    return make(ExpressionKind::Part, type, static_cast<std::int64_t>(place), {tuple});
}

ExpressionId FunctionLowerer::element(ExpressionId vector, std::vector<ExpressionId> indices, bool isChecked) {
    TypeId type = m_result.at(vector).type;
    if (!isSeries(m_result, vector)) {
        for (std::size_t used = 0; used < indices.size();) {
            used += m_types.rank(type);
            type = m_types.element(type);
        }
    }
    indices.insert(indices.begin(), vector);
    return make(ExpressionKind::Element, type, isChecked, std::move(indices));
}

ExpressionId FunctionLowerer::element(ExpressionId vector, const Binding& index) {
    if (index.parts.empty()) return element(vector, std::vector{index.expression});
    std::vector<ExpressionId> parts;
    for (const Binding& part : index.parts) parts.push_back(part.expression);
    return element(vector, std::move(parts));
}

ExpressionId FunctionLowerer::elementsOf(ExpressionId tensor) {
    const TypeId type = m_result.at(tensor).type;
    return m_types.rank(type) == 1 ? tensor : make(ExpressionKind::Elements, type, {}, {tensor});
}

ExpressionId FunctionLowerer::run(Operation operation, TypeId type, std::vector<ExpressionId> operands, TypeId told) {
    Expression made{ExpressionKind::Run, type, operation, std::move(operands)};
    made.told = told;
    return m_result.add(std::move(made));
}

ExpressionId FunctionLowerer::unary(Operator op, TypeId type, ExpressionId operand) {
    return make(ExpressionKind::Unary, type, op, {operand});
}

ExpressionId FunctionLowerer::binary(Operator op, TypeId type, ExpressionId left, ExpressionId right) {
    return make(ExpressionKind::Binary, type, op, {left, right});
}

ExpressionId FunctionLowerer::choice(TypeId type, ExpressionId condition, ExpressionId value, ExpressionId otherwise) {
    return make(ExpressionKind::Choice, type, {}, {condition, value, otherwise});
}

ExpressionId FunctionLowerer::tuple(TypeId type, std::vector<ExpressionId> parts) {
    return make(ExpressionKind::Tuple, type, {}, std::move(parts));
}

ExpressionId FunctionLowerer::filled(TypeId type, std::vector<ExpressionId> sizes, ExpressionId element) {
    if (element.isValid()) sizes.push_back(element);
    return make(ExpressionKind::Filled, type, element.isValid(), std::move(sizes));
}

ExpressionId FunctionLowerer::zeroLike(TypeId type, ExpressionId value) {
    return run(Operation::ZeroLike, type, {value}, type);
}

ExpressionId FunctionLowerer::dimension(ExpressionId tensor, std::uint32_t place) {
    Expression made{ExpressionKind::Run, m_types.integer(), Operation::Dimension, {tensor}};
    made.number = place;
    return m_result.add(std::move(made));
}

ExpressionId FunctionLowerer::moved(ExpressionId place) {
    return make(ExpressionKind::Move, m_result.at(place).type, {}, {place});
}

bool FunctionLowerer::isWord(ExpressionId expression) const {
    const Expression& at = m_result.at(expression);
    if (at.kind == ExpressionKind::Name) return true;
    if (at.kind != ExpressionKind::Literal) return false;
    if (const auto* const number = std::get_if<std::int64_t>(&at.payload)) return *number >= 0;
    if (const auto* const number = std::get_if<double>(&at.payload)) {
        const auto isPlain = [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; };
        return std::isfinite(*number) && std::ranges::all_of(fmt::format("{}", *number), isPlain);
    }
    return std::holds_alternative<bool>(at.payload);
}

std::size_t FunctionLowerer::widthOf(ExpressionId expression) const {
    const LoweringOptions& options = m_lowering.options;
    if (options.widthOf) return options.widthOf(m_lowering.program, m_result, expression);
    return expressionText(m_bank, m_lowering.program, m_result, expression).size();
}

}  // namespace mitos::loops
