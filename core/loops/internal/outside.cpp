// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/outside.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace mitos::loops {

namespace {

constexpr std::size_t LargestExpression = 60;  // nodes

bool isCostlyOperation(Operation operation) {
    switch (operation) {
        case Operation::Exp:
        case Operation::Log:
        case Operation::Sin:
        case Operation::Cos:
        case Operation::Tanh:
        case Operation::Cosh:
        case Operation::Sqrt:
        case Operation::Erf:
        case Operation::Lgamma:
        case Operation::Pow: return true;
        default: return false;
    }
}

/// Whether an operation goes through all elements of vectors.
bool isReduction(Operation operation) {
    return operation == Operation::Sum || operation == Operation::Dot || operation == Operation::PlaceOfMax;
}

/// Rewrites one expression; fails by returning an invalid id.
class Outward {
public:
    Outward(Function& function, const Effects& effects, const SymbolSet& changed, const LoopPath& path)
        : m_function(function),
          m_effects(effects),
          m_changed(changed),
          m_path(path),
          m_isUsed(path.size()) {}

    ExpressionId of(ExpressionId expression) {
        if (++m_nodes > LargestExpression) return {};
        const Expression at = m_function.at(expression);  // a copy: expressions are added
        if (at.kind == ExpressionKind::Name) return ofName(expression, std::get<SymbolId>(at.payload));
        Expression made = at;
        for (ExpressionId& operand : made.operands) {
            operand = of(operand);
            if (!operand.isValid()) return {};
        }
        return made.operands == at.operands ? expression : m_function.add(std::move(made));
    }

    /// The loops of the path whose indices are mentioned.
    [[nodiscard]] LoopPath loops() const {
        LoopPath used;
        for (std::size_t i = 0; i < m_path.size(); ++i) {
            if (m_isUsed[i]) used.push_back(m_path[i]);
        }
        return used;
    }

private:
    ExpressionId ofName(ExpressionId name, SymbolId symbol) {
        if (!m_effects.isIn(symbol, m_changed)) return name;
        for (std::size_t i = 0; i < m_path.size(); ++i) {
            if (m_path[i]->index != symbol || m_path[i]->isVisibleAfter) continue;
            m_isUsed[i] = true;
            return name;
        }
        const ExpressionId definition = m_effects.definition(symbol);
        return definition.isValid() && m_changed.contains(symbol) ? of(definition) : ExpressionId();
    }

    Function& m_function;
    const Effects& m_effects;
    const SymbolSet& m_changed;
    const LoopPath& m_path;
    std::vector<bool> m_isUsed;
    std::size_t m_nodes = 0;
};

class Key {
public:
    Key(const Function& function, const LoopPath& loops) : m_function(function), m_loops(loops) {}

    void add(ExpressionId expression) {
        if (!expression.isValid()) return add('0');
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Name) return addName(std::get<SymbolId>(at.payload));
        m_text += fmt::format("({}.{}.{}.{}.{}", static_cast<int>(at.kind), at.type.value, at.told.value, at.number,
                              at.payload.index());
        std::visit([this](const auto& payload) { addPayload(payload); }, at.payload);
        for (const ExpressionId operand : at.operands) add(operand);
        add(')');
    }
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    void add(char c) { m_text += c; }
    void addName(SymbolId symbol) {
        for (std::size_t i = 0; i < m_loops.size(); ++i) {
            if (m_loops[i]->index == symbol) {
                m_text += fmt::format("#{}", i);
                return;
            }
        }
        m_text += fmt::format("${}", symbol.value);
    }
    template <typename Payload>
    void addPayload(const Payload& payload) {
        if constexpr (std::is_same_v<Payload, double>) {
            m_text += fmt::format(":{}", std::bit_cast<std::uint64_t>(payload));
        } else if constexpr (std::is_enum_v<Payload>) {
            m_text += fmt::format(":{}", static_cast<int>(payload));
        } else if constexpr (requires { payload.value; }) {
            m_text += fmt::format(":{}", payload.value);
        } else if constexpr (!std::is_same_v<Payload, std::monostate>) {
            m_text += fmt::format(":{}", static_cast<std::int64_t>(payload));
        }
    }

    const Function& m_function;
    const LoopPath& m_loops;
    std::string m_text;
};

}  // namespace

bool isComputedBy(const Function& function, ExpressionId expression, absl::FunctionRef<bool(Operation)> isAllowed) {
    const Expression& at = function.at(expression);
    switch (at.kind) {
        case ExpressionKind::Literal:
        case ExpressionKind::Name:
        case ExpressionKind::Element:
        case ExpressionKind::Part:
        case ExpressionKind::Unary:
        case ExpressionKind::Binary:
        case ExpressionKind::Choice:
        case ExpressionKind::Convert: break;
        case ExpressionKind::Run:
            if (!isAllowed(std::get<Operation>(at.payload))) return false;
            break;
        default: return false;
    }
    return std::ranges::all_of(at.operands,
                               [&](ExpressionId operand) { return isComputedBy(function, operand, isAllowed); });
}

bool isCostlyNumber(const ir::TypeTable& types, const Function& function, ExpressionId expression) {
    if (function.at(expression).type != types.floating()) return false;
    bool isCostly = false;
    const bool isPlain = isComputedBy(function, expression, [&](Operation operation) {
        isCostly = isCostly || isCostlyOperation(operation) || isReduction(operation);
        return true;
    });
    return isPlain && isCostly;
}

bool isTotal(const ir::TypeTable& types, const Function& function, ExpressionId expression) {
    const Expression& at = function.at(expression);
    const bool mayFail = [&] {
        switch (at.kind) {
            case ExpressionKind::Literal:
            case ExpressionKind::Name:
            case ExpressionKind::Part:
            case ExpressionKind::Unary:
            case ExpressionKind::Choice:
            case ExpressionKind::Convert: return false;
            case ExpressionKind::Binary: return mayDivideByZero(types, function, at);
            case ExpressionKind::Run:
                return !isCostlyOperation(std::get<Operation>(at.payload)) &&
                       std::get<Operation>(at.payload) != Operation::Size;
            default: return true;
        }
    }();
    return !mayFail &&
           std::ranges::all_of(at.operands, [&](ExpressionId operand) { return isTotal(types, function, operand); });
}

bool mayDivideByZero(const ir::TypeTable& types, const Function& function, const Expression& binary) {
    if (binary.payload != Expression::Payload(Operator::Div) || binary.type == types.floating()) return false;
    const Expression& divisor = function.at(binary.operands[1]);
    return divisor.kind != ExpressionKind::Literal || divisor.payload == Expression::Payload(std::int64_t{0}) ||
           divisor.payload == Expression::Payload(std::int64_t{-1});
}

bool mayLeave(const Statement& statement) {
    if (std::holds_alternative<Break>(statement.what) || std::holds_alternative<Return>(statement.what)) return true;
    if (std::holds_alternative<DefineFunction>(statement.what)) return false;
    bool leaves = false;
    forEachBlock(statement, [&](const Block& inner) { leaves = leaves || mayLeave(inner); });
    return leaves;
}

bool mayLeave(const Block& block) {
    return std::ranges::any_of(block.statements, [](const Statement& statement) { return mayLeave(statement); });
}

std::optional<Outside> outside(Function& function, const Effects& effects, ExpressionId expression,
                               const SymbolSet& changed, const LoopPath& path) {
    Outward outward(function, effects, changed, path);
    const ExpressionId written = outward.of(expression);
    if (!written.isValid()) return std::nullopt;
    return Outside{written, outward.loops()};
}

std::string keyOf(const Function& function, const Outside& value) {
    Key key(function, value.loops);
    key.add(value.expression);
    for (const For* const loop : value.loops) {
        key.add(loop->begin);
        key.add(loop->end);
    }
    return key.take();
}

ExpressionId renamed(Function& function, ExpressionId expression,
                     const absl::flat_hash_map<SymbolId, SymbolId>& names) {
    Expression made = function.at(expression);
    const std::vector<ExpressionId> before = made.operands;
    if (made.kind == ExpressionKind::Name) {
        const auto known = names.find(std::get<SymbolId>(made.payload));
        if (known == names.end()) return expression;
        made.payload = known->second;
        return function.add(std::move(made));
    }
    for (ExpressionId& operand : made.operands) operand = renamed(function, operand, names);
    return made.operands == before ? expression : function.add(std::move(made));
}

bool isPositive(const Function& function, ExpressionId number) {
    const Expression& at = function.at(number);
    const auto* const literal = std::get_if<std::int64_t>(&at.payload);
    return at.range.low > 0.0 || (at.kind == ExpressionKind::Literal && literal != nullptr && *literal > 0);
}

bool isRequiredToIterate(const Function& function, const Block& block, std::size_t loop) {
    const ExpressionId end = std::get<For>(block.statements[loop].what).end;
    if (function.at(end).kind != ExpressionKind::Name) return false;
    const auto last = block.statements.begin() + static_cast<std::ptrdiff_t>(loop);
    return std::any_of(block.statements.begin(), last, [&](const Statement& statement) {
        const auto* const require = std::get_if<Require>(&statement.what);
        if (require == nullptr) return false;
        const Expression& condition = function.at(require->condition);
        if (condition.kind != ExpressionKind::Binary || std::get<Operator>(condition.payload) != Operator::Greater)
            return false;
        return areSame(function, condition.operands[0], end) &&
               isLiteral(function, condition.operands[1], std::int64_t{0});
    });
}

bool isPlain(const For& loop) {
    return !loop.begin.isValid() && !loop.isBackwards && !loop.isVisibleAfter && !mayLeave(loop.body);
}

namespace {

/// Whether one of two conditions holds, read from the left to the right.
ExpressionId either(Function& function, ExpressionId first, ExpressionId second) {
    const Expression at = function.at(second);
    std::vector<ExpressionId> operands{first, second};
    if (at.kind == ExpressionKind::Binary && std::get<Operator>(at.payload) == Operator::Or)
        operands = {either(function, first, at.operands[0]), at.operands[1]};
    return function.add({ExpressionKind::Binary, at.type, Operator::Or, std::move(operands)});
}

}  // namespace

Require requiredIfAny(const ir::TypeTable& types, Function& function, Require require, ExpressionId count) {
    const Expression at = function.at(count);
    const auto* const number = std::get_if<std::int64_t>(&at.payload);
    if (at.kind == ExpressionKind::Literal && number != nullptr && *number > 0) return require;
    const ir::TypeId truth = types.boolean();
    const ExpressionId zero = function.add({ExpressionKind::Literal, types.integer(), std::int64_t(0)});
    const ExpressionId none = function.add({ExpressionKind::Binary, truth, Operator::Equal, {count, zero}});
    require.condition = either(function, none, require.condition);
    return require;
}

ExpressionId replaced(Function& function, ExpressionId expression, SymbolId symbol, ExpressionId by) {
    if (isName(function, expression, symbol)) return by;
    Expression made = function.at(expression);
    const std::vector<ExpressionId> before = made.operands;
    for (ExpressionId& operand : made.operands) operand = replaced(function, operand, symbol, by);
    return made.operands == before ? expression : function.add(std::move(made));
}

void replaceName(Function& function, Statement& statement, SymbolId symbol, ExpressionId by) {
    replaceExpressions(statement, [&](ExpressionId expression) { return replaced(function, expression, symbol, by); });
    forEachBlock(statement, [&](Block& inner) {
        for (Statement& each : inner.statements) replaceName(function, each, symbol, by);
    });
}

std::vector<ExpressionId> indicesOf(const Function& function, ExpressionId expression, SymbolId vector) {
    const Expression& at = function.at(expression);
    if (at.kind != ExpressionKind::Element) return {};
    std::vector<ExpressionId> indices;
    if (!isName(function, at.operands[0], vector)) {
        indices = indicesOf(function, at.operands[0], vector);
        if (indices.empty()) return {};
    }
    indices.insert(indices.end(), std::next(at.operands.begin()), at.operands.end());
    return indices;
}

bool isSameSize(const Function& function, ExpressionId a, ExpressionId b) {
    const auto unchecked = [&](ExpressionId size) {
        const Expression& at = function.at(size);
        return at.payload == Expression::Payload(Operation::AsSize) ? at.operands[0] : size;
    };
    return areSame(function, unchecked(a), unchecked(b));
}

void renameIndex(Function& function, Block& block, SymbolId index, SymbolId other) {
    const absl::flat_hash_map<SymbolId, SymbolId> names{{index, other}};
    for (Statement& statement : block.statements) {
        replaceExpressions(statement, [&](ExpressionId expression) { return renamed(function, expression, names); });
        forEachBlock(statement, [&](Block& inner) { renameIndex(function, inner, index, other); });
    }
}

}  // namespace mitos::loops
