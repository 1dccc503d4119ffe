// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/form.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mitos::loops {

Block::Block() = default;
Block::Block(const Block& other) = default;
Block::Block(Block&& other) noexcept = default;
Block& Block::operator=(const Block& other) = default;
Block& Block::operator=(Block&& other) noexcept = default;
Block::~Block() {
    while (!statements.empty()) {
        Statement last = std::move(statements.back());
        statements.pop_back();
        for (Block* const inner : blocksOf(last)) {
            std::ranges::move(inner->statements, std::back_inserter(statements));
            inner->statements.clear();
        }
    }
}

bool Block::isEmpty() const { return statements.empty(); }

std::vector<Block*> blocksOf(Statement& statement) {
    if (auto* const conditional = std::get_if<If>(&statement.what)) {
        return {&conditional->then, &conditional->otherwise};
    }
    if (auto* const loop = std::get_if<For>(&statement.what)) return {&loop->body};
    if (auto* const function = std::get_if<DefineFunction>(&statement.what)) return {&function->body};
    return {};
}

SymbolId Function::add(SymbolInfo symbol) {
    symbols.push_back(std::move(symbol));
    return SymbolId(static_cast<std::uint32_t>(symbols.size() - 1));
}

ExpressionId Function::add(Expression expression) {
    expressions.push_back(std::move(expression));
    return ExpressionId(static_cast<std::uint32_t>(expressions.size() - 1));
}

bool areSame(const Function& function, ExpressionId a, ExpressionId b) {
    if (a == b) return true;
    if (!a.isValid() || !b.isValid()) return false;
    const Expression& x = function.at(a);
    const Expression& y = function.at(b);
    // Types of places may differ in the names of their sizes.
    const bool isMade = x.kind == ExpressionKind::Filled || x.kind == ExpressionKind::Tuple ||
                        x.kind == ExpressionKind::Empty || x.kind == ExpressionKind::Convert;
    return x.kind == y.kind && (!isMade || x.type == y.type) && x.payload == y.payload && x.told == y.told &&
           x.number == y.number &&
           std::ranges::equal(x.operands, y.operands,
                              [&](ExpressionId left, ExpressionId right) { return areSame(function, left, right); });
}

bool isLiteral(const Function& function, ExpressionId expression, const Expression::Payload& value) {
    const Expression& at = function.at(expression);
    return at.kind == ExpressionKind::Literal && at.payload == value;
}

bool isSeries(const Function& function, ExpressionId expression) {
    const Expression& at = function.at(expression);
    return at.kind == ExpressionKind::Name && function.at(std::get<SymbolId>(at.payload)).storage == Storage::Series;
}

const Function* addingCallee(const Program& program, const Function& function, ExpressionId expression) {
    const Expression& at = function.at(expression);
    if (at.kind != ExpressionKind::Call) return nullptr;
    const Function& callee = program.functions[std::get<FunctionIndex>(at.payload).value];
    return callee.sum.isValid() ? &callee : nullptr;
}

bool isPlace(const Function& function, ExpressionId expression) {
    const Expression& at = function.at(expression);
    switch (at.kind) {
        case ExpressionKind::Name:
        case ExpressionKind::Element: return true;
        case ExpressionKind::Part:
        case ExpressionKind::Elements: return isPlace(function, at.operands[0]);
        case ExpressionKind::Choice: return isPlace(function, at.operands[1]) && isPlace(function, at.operands[2]);
        default: return false;
    }
}

}  // namespace mitos::loops
