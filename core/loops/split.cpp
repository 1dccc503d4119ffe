// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/split.h"

#include "core/loops/internal/effects.h"
#include "core/loops/internal/outside.h"
#include "core/loops/internal/signed_zeros.h"
#include "core/loops/internal/whole_sums.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace mitos::loops {

namespace {

constexpr std::size_t MostStatements = 8;
/// A loop that is known to make fewer iterations is left to compilers, which unroll it.
constexpr double FewestIterations = 16.0;
/// An index is equal to a number that is so near to an end of the range.
constexpr std::int64_t NearEnd = 2;

/// Some iterations of a loop.
enum class Part : std::uint8_t { First, Middle, Last };
using Parts = std::optional<Part>;  ///< nothing: all of them

/// A comparison of the index.
struct Test {
    enum class What : std::uint8_t { Below, AtLeast, Equal, NotEqual };
    What what;
    WholeSum at;
};

class Splitting {
public:
    Splitting(const ir::TypeTable& types, Function& function)
        : m_types(types),
          m_function(function),
          m_effects(function),
          m_sums(types, function, m_effects) {}

    void run(Block& block) {
        for (std::size_t i = 0; i < block.statements.size(); ++i) {
            forEachBlock(block.statements[i], [this](Block& inner) { run(inner); });
            auto* const loop = std::get_if<For>(&block.statements[i].what);
            if (loop == nullptr || !enter(*loop)) continue;
            settle(loop->body);
            if (!mayBeSplit(*loop) || !findBounds(*loop)) continue;
            Block made = parts(*loop, block.statements[i].term);
            m_effects.learn(made);
            const std::size_t count = made.statements.size();
            const auto at = block.statements.begin() + static_cast<std::ptrdiff_t>(i);
            block.statements.insert(block.statements.erase(at), std::make_move_iterator(made.statements.begin()),
                                    std::make_move_iterator(made.statements.end()));
            i += count - 1;
        }
    }

private:
    /// Takes note of a loop whose index is between 0 and its end; false if it may not be.
    bool enter(const For& loop) {
        if (loop.begin.isValid() || loop.isVisibleAfter) return false;
        m_loop = &loop;
        m_path = {&loop};
        m_changed.clear();
        m_effects.addChanged(loop.body, m_changed);
        m_changed.insert(loop.index);
        m_written.clear();
        m_names.clear();
        m_low.reset();
        m_high.reset();
        m_size = m_sums.of(loop.end, loop.index);
        return m_size.has_value();
    }
    /// Forgets conditions that are known in all iterations.
    void settle(Block& block) {
        std::vector<Statement> statements;
        for (Statement& statement : block.statements) {
            if (auto* const choice = std::get_if<If>(&statement.what)) {
                if (const std::optional<bool> isThen = truth(choice->condition, {})) {
                    Block taken = std::move(*isThen ? choice->then : choice->otherwise);
                    settle(taken);
                    std::ranges::move(taken.statements, std::back_inserter(statements));
                    continue;
                }
            }
            if (holds(statement, {})) continue;
            if (!std::holds_alternative<DefineFunction>(statement.what)) {
                replaceExpressions(statement, [this](ExpressionId expression) { return copied(expression, {}); });
                forEachBlock(statement, [this](Block& inner) { settle(inner); });
            }
            statements.push_back(std::move(statement));
        }
        block.statements = std::move(statements);
    }
    /// Whether a statement requires what is known.
    bool holds(const Statement& statement, Parts part) {
        const auto* const require = std::get_if<Require>(&statement.what);
        return require != nullptr && truth(require->condition, part) == true;
    }

    // --- loops that are split -----------------------------------------------------------------------------------------

    [[nodiscard]] bool mayBeSplit(const For& loop) const {
        std::size_t count = 0;
        if (!isPlain(loop) || !isArithmetic(loop.body, count)) return false;
        const Expression& end = m_function.at(loop.end);
        const bool isSize = end.kind == ExpressionKind::Name || end.kind == ExpressionKind::Literal;
        const ir::ValueRange range = m_sums.rangeOf(loop.end);
        return isSize && range.isNonnegative() && range.high >= FewestIterations;
    }
    /// Whether a block has few statements, which compute numbers and do nothing that takes long; adds their number.
    bool isArithmetic(const Block& block, std::size_t& count) const {
        count += block.statements.size();
        return count <= MostStatements && std::ranges::all_of(block.statements, [&](const Statement& statement) {
                   bool isFine = isArithmetic(statement);
                   forEachExpression(statement, [&](ExpressionId each) { isFine = isFine && isArithmetic(each); });
                   if (const auto* const choice = std::get_if<If>(&statement.what))
                       return isFine && isArithmetic(choice->then, count) && isArithmetic(choice->otherwise, count);
                   return isFine;
               });
    }
    [[nodiscard]] bool isArithmetic(const Statement& statement) const {
        if (const auto* const declare = std::get_if<Declare>(&statement.what)) {
            const SymbolInfo& symbol = m_function.at(declare->symbol);
            const bool isNumber = symbol.storage == Storage::Constant || symbol.storage == Storage::Variable;
            return (isNumber && isScalar(symbol.type)) || symbol.storage == Storage::View ||
                   symbol.storage == Storage::Place;
        }
        if (const auto* const assign = std::get_if<Assign>(&statement.what))
            return isScalar(m_function.at(assign->value).type);
        if (const auto* const add = std::get_if<Accumulate>(&statement.what))
            return isScalar(m_function.at(add->value).type);
        const auto* const require = std::get_if<Require>(&statement.what);
        return std::holds_alternative<If>(statement.what) || (require != nullptr && !require->isAlways);
    }
    [[nodiscard]] bool isArithmetic(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        const bool isFine = [&] {
            switch (at.kind) {
                case ExpressionKind::Literal:
                case ExpressionKind::Name:
                case ExpressionKind::Element:
                case ExpressionKind::Part:
                case ExpressionKind::Unary:
                case ExpressionKind::Binary:
                case ExpressionKind::Choice:
                case ExpressionKind::Convert: return true;
                case ExpressionKind::Run: return isArithmetic(std::get<Operation>(at.payload));
                default: return false;
            }
        }();
        return isFine && std::ranges::all_of(at.operands, [this](ExpressionId each) { return isArithmetic(each); });
    }
    [[nodiscard]] static bool isArithmetic(Operation operation) {
        switch (operation) {
            case Operation::Plus:
            case Operation::Minus:
            case Operation::Times:
            case Operation::Abs:
            case Operation::Max:
            case Operation::Size:
            case Operation::Copy: return true;
            default: return false;
        }
    }
    [[nodiscard]] bool isScalar(ir::TypeId type) const { return m_types.isNumeric(type) || type == m_types.boolean(); }

    // --- conditions ---------------------------------------------------------------------------------------------------

    /// Finds where the range of a loop has to be split; false if that would leave a condition in the middle, or there is none.
    bool findBounds(const For& loop) {
        std::vector<ExpressionId> guards;
        addGuards(loop.body, guards);
        return !guards.empty() &&
               std::ranges::all_of(guards, [this](ExpressionId guard) { return addBounds(written(guard)); }) &&
               std::ranges::all_of(guards,
                                   [this](ExpressionId guard) { return truth(guard, Part::Middle).has_value(); });
    }
    /// The conditions that decide about statements, or about a value with an element.
    void addGuards(const Block& block, std::vector<ExpressionId>& guards) const {
        for (const Statement& statement : block.statements) {
            if (const auto* const choice = std::get_if<If>(&statement.what)) guards.push_back(choice->condition);
            forEachExpression(statement, [&](ExpressionId expression) { addGuards(expression, guards); });
            forEachBlock(statement, [&](const Block& inner) { addGuards(inner, guards); });
        }
    }
    void addGuards(ExpressionId expression, std::vector<ExpressionId>& guards) const {
        const Expression& at = m_function.at(expression);
        if (at.kind == ExpressionKind::Choice && (hasElement(at.operands[1]) || hasElement(at.operands[2])))
            guards.push_back(at.operands[0]);
        for (const ExpressionId operand : at.operands) addGuards(operand, guards);
    }
    [[nodiscard]] bool hasElement(ExpressionId expression) const {
        const Expression& at = m_function.at(expression);
        return at.kind == ExpressionKind::Element ||
               std::ranges::any_of(at.operands, [this](ExpressionId operand) { return hasElement(operand); });
    }

    /// A condition without names of the loop; invalid if that is impossible.
    ExpressionId written(ExpressionId condition) {
        const auto [known, isNew] = m_written.try_emplace(condition);
        if (!isNew) return known->second;
        const std::optional<Outside> found = outside(m_function, m_effects, condition, m_changed, m_path);
        return known->second = found ? found->expression : ExpressionId();
    }
    [[nodiscard]] bool isOneOf(const Expression& at, Operator a, Operator b) const {
        return at.payload == Expression::Payload(a) || at.payload == Expression::Payload(b);
    }
    [[nodiscard]] std::optional<Test> testOf(const Expression& at) const {
        if (at.kind != ExpressionKind::Binary || m_function.at(at.operands[0]).type != m_types.integer()) return {};
        auto op = std::get<Operator>(at.payload);
        std::optional<WholeSum> left = m_sums.of(at.operands[0], m_loop->index);
        const std::optional<WholeSum> right = m_sums.of(at.operands[1], m_loop->index);
        if (!left || !right) return {};
        // The index is moved to the left side, and all else to the right.
        m_sums.add(*left, *right, -1);
        const std::int64_t sign = std::exchange(left->ofIndex, 0);
        if (sign != 1 && sign != -1) return {};
        Test test{Test::What::Equal, {}};
        m_sums.add(test.at, *left, -sign);
        if (sign < 0) op = turned(op);
        switch (op) {
            case Operator::Less: test.what = Test::What::Below; break;
            case Operator::LessEqual:
                test.what = Test::What::Below;
                ++test.at.number;
                break;
            case Operator::Greater:
                test.what = Test::What::AtLeast;
                ++test.at.number;
                break;
            case Operator::GreaterEqual: test.what = Test::What::AtLeast; break;
            case Operator::Equal: break;
            case Operator::NotEqual: test.what = Test::What::NotEqual; break;
            default: return {};
        }
        return test;
    }
    [[nodiscard]] static Operator turned(Operator op) {
        switch (op) {
            case Operator::Less: return Operator::Greater;
            case Operator::LessEqual: return Operator::GreaterEqual;
            case Operator::Greater: return Operator::Less;
            case Operator::GreaterEqual: return Operator::LessEqual;
            default: return op;
        }
    }
    [[nodiscard]] static WholeSum after(WholeSum sum) {
        ++sum.number;
        return sum;
    }

    /// Takes note of the places where a condition changes; false if there are too many.
    bool addBounds(ExpressionId condition) {
        if (!condition.isValid()) return false;
        const Expression at = m_function.at(condition);
        if (at.kind == ExpressionKind::Literal) return true;
        if (at.kind == ExpressionKind::Unary || isOneOf(at, Operator::And, Operator::Or))
            return std::ranges::all_of(at.operands, [this](ExpressionId operand) { return addBounds(operand); });
        const std::optional<Test> test = testOf(at);
        if (!test) return false;
        if (test->what == Test::What::Below || test->what == Test::What::AtLeast) return addBound(test->at, false);
        return addBound(test->at, true) && addBound(after(test->at), true);
    }
    /// Takes note of the first index for which a condition is another one; `isOfOne` if it is known at one place only.
    bool addBound(const WholeSum& at, bool isOfOne) {
        if (isBelow(at, {})) return true;
        if (!m_sums.fits(at)) return false;
        const std::optional<std::int64_t> toEnd = m_sums.difference(*m_size, at);
        const std::optional<std::int64_t> fromBegin = m_sums.difference(at, {});
        const bool isNear = (toEnd && *toEnd <= NearEnd) || (fromBegin && *fromBegin <= NearEnd);
        if (isOfOne && !isNear) return false;
        // The last iterations are those that the size of the range tells.
        WholeSum rest = at;
        m_sums.add(rest, *m_size, -1);
        const bool isHigh =
            toEnd ? !fromBegin || *toEnd < *fromBegin : !fromBegin && rest.terms.size() < at.terms.size();
        std::optional<WholeSum>& bound = isHigh ? m_high : m_low;
        if (!bound) {
            bound = at;
            return true;
        }
        // Of several places near to each other that one counts after which all is known.
        const std::optional<std::int64_t> distance = m_sums.difference(at, *bound);
        if (distance && (isHigh ? *distance < 0 : *distance > 0)) bound = at;
        return distance.has_value();
    }

    /// Whether all indices of some iterations, or of all, are below a number; nothing if that is not known, or differs.
    [[nodiscard]] std::optional<bool> isBelow(const WholeSum& at, Parts part) const {
        const auto isAtMost = [&](const WholeSum& a, const WholeSum& b) {
            const std::optional<std::int64_t> distance = m_sums.difference(b, a);
            return distance && *distance >= 0;
        };
        const bool isBelowLow = part == Part::First;
        const bool isAboveLow = m_low && part && part != Part::First;
        const bool isBelowHigh = m_high && part == Part::Middle;
        const bool isAboveHigh = part == Part::Last;
        if (isAtMost(at, {}) || (isAboveLow && isAtMost(at, *m_low)) || (isAboveHigh && isAtMost(at, *m_high)))
            return false;
        if (isAtMost(*m_size, at) || (isBelowLow && isAtMost(*m_low, at)) || (isBelowHigh && isAtMost(*m_high, at)))
            return true;
        return {};
    }
    /// The value that a condition of the loop has in some iterations, if it is the same in all.
    std::optional<bool> truth(ExpressionId condition, Parts part) {
        const ExpressionId at = written(condition);
        return at.isValid() ? truthOf(at, part) : std::nullopt;
    }
    [[nodiscard]] std::optional<bool> truthOf(ExpressionId condition, Parts part) const {
        const Expression& at = m_function.at(condition);
        if (at.kind == ExpressionKind::Literal) return std::get<bool>(at.payload);
        if (at.kind == ExpressionKind::Unary) {
            const std::optional<bool> inner = truthOf(at.operands[0], part);
            return inner ? std::optional(!*inner) : inner;
        }
        if (isOneOf(at, Operator::And, Operator::Or)) {
            const bool decides = at.payload == Expression::Payload(Operator::Or);
            const std::optional<bool> left = truthOf(at.operands[0], part);
            const std::optional<bool> right = truthOf(at.operands[1], part);
            // What may fail is computed before the right side.
            if (left == decides || (right == decides && isTotal(m_types, m_function, at.operands[0]))) return decides;
            if (right == decides) return {};
            return left && right ? std::optional(!decides) : std::nullopt;
        }
        const std::optional<Test> test = testOf(at);
        if (!test) return {};
        const std::optional<bool> isBelowIt = isBelow(test->at, part);
        if (test->what == Test::What::Below) return isBelowIt;
        if (test->what == Test::What::AtLeast) return isBelowIt ? std::optional(!*isBelowIt) : isBelowIt;
        const bool isWanted = test->what == Test::What::Equal;
        const std::optional<bool> isUpToIt = isBelow(after(test->at), part);
        if (isBelowIt == true || isUpToIt == false) return !isWanted;
        return isBelowIt == false && isUpToIt == true ? std::optional(isWanted) : std::nullopt;
    }

    // --- the parts ----------------------------------------------------------------------------------------------------

    /// The statements instead of the loop.
    Block parts(const For& loop, ir::TermId term) {
        Block made;
        const ExpressionId zero = m_sums.expression(WholeSum{});
        ExpressionId begin;
        ExpressionId end = loop.end;
        if (m_low) begin = declareBound("begin", *m_low, zero, made);
        if (m_high) end = declareBound("end", *m_high, m_low ? begin : zero, made);
        if (m_low) addLoop(loop, {}, begin, Part::First, made);
        addLoop(loop, begin, end, Part::Middle, made);
        if (m_high) addLoop(loop, end, loop.end, Part::Last, made);
        for (Statement& statement : made.statements) statement.term = term;
        return made;
    }
    /// Declares a number that is not below the least one, and not above the size of the range.
    ExpressionId declareBound(const char* hint, const WholeSum& value, ExpressionId least, Block& block) {
        const ir::TypeId type = m_types.integer();
        const SymbolId symbol = m_function.add({hint, {}, type, Storage::Constant});
        const ExpressionId clamped = m_function.add(
            {ExpressionKind::Run, type, Operation::Clamp, {m_sums.expression(value), least, m_loop->end}});
        block.statements.push_back({Declare{symbol, clamped}});
        return m_function.add({ExpressionKind::Name, type, symbol, {}, {}, 0, ir::sizeRange()});
    }
    void addLoop(const For& loop, ExpressionId begin, ExpressionId end, Part which, Block& block) {
        m_names.clear();
        For made{fresh(loop.index), begin, end};
        copy(loop.body, made.body, which);
        if (!made.body.isEmpty()) block.statements.push_back({std::move(made)});
    }
    SymbolId fresh(SymbolId symbol) {
        const SymbolId made = m_function.add(SymbolInfo(m_function.at(symbol)));
        m_names[symbol] = m_function.add({ExpressionKind::Name, m_function.at(symbol).type, made});
        return made;
    }

    void copy(const Block& from, Block& to, Part part) {
        for (const Statement& statement : from.statements) {
            if (const auto* const choice = std::get_if<If>(&statement.what)) {
                copyChoice(*choice, statement.term, to, part);
                continue;
            }
            if (addsNothing(statement, part) || holds(statement, part)) continue;
            Statement made = statement;
            replaceExpressions(made, [&](ExpressionId expression) { return copied(expression, part); });
            if (auto* const declare = std::get_if<Declare>(&made.what)) {
                const bool isLiteral =
                    declare->value.isValid() && m_function.at(declare->value).kind == ExpressionKind::Literal;
                if (isLiteral && m_function.at(declare->symbol).storage == Storage::Constant) {
                    m_names[declare->symbol] = declare->value;
                    continue;
                }
                declare->symbol = fresh(declare->symbol);
            }
            to.statements.push_back(std::move(made));
        }
    }
    /// Whether a statement adds a zero to a number that stays the same.
    bool addsNothing(const Statement& statement, Part part) {
        const auto* const add = std::get_if<Accumulate>(&statement.what);
        if (add == nullptr || m_function.at(add->place).kind != ExpressionKind::Name) return false;
        const Expression value = m_function.at(copied(add->value, part));
        const auto* const zero = std::get_if<double>(&value.payload);
        if (value.kind != ExpressionKind::Literal || zero == nullptr || *zero != 0.0) return false;
        if (!m_zeros) m_zeros.emplace(m_types, m_function);
        return std::signbit(*zero) != add->isDifference || m_zeros->hasNone(add->place);
    }
    void copyChoice(const If& choice, ir::TermId term, Block& to, Part part) {
        if (const std::optional<bool> isThen = truth(choice.condition, part))
            return copy(*isThen ? choice.then : choice.otherwise, to, part);
        If made{copied(choice.condition, part)};
        copy(choice.then, made.then, part);
        copy(choice.otherwise, made.otherwise, part);
        to.statements.push_back({std::move(made), term});
    }
    ExpressionId copied(ExpressionId expression, Parts part) {
        const Expression at = m_function.at(expression);  // a copy: expressions are added
        if (at.kind == ExpressionKind::Name) {
            const auto known = m_names.find(std::get<SymbolId>(at.payload));
            if (known != m_names.end()) return known->second;
        }
        if (at.type == m_types.boolean() && at.kind != ExpressionKind::Literal) {
            if (const std::optional<bool> known = truth(expression, part))
                return m_function.add({ExpressionKind::Literal, at.type, *known});
        }
        if (at.kind == ExpressionKind::Choice) {
            if (const std::optional<bool> isFirst = truth(at.operands[0], part))
                return copied(at.operands[*isFirst ? 1 : 2], part);
        }
        if (isOneOf(at, Operator::And, Operator::Or)) {
            const bool decides = at.payload == Expression::Payload(Operator::Or);
            const std::optional<bool> left = truth(at.operands[0], part);
            if (left == decides) return m_function.add({ExpressionKind::Literal, at.type, decides});
            if (left) return copied(at.operands[1], part);
            if (truth(at.operands[1], part) == !decides) return copied(at.operands[0], part);
        }
        Expression made = at;
        for (ExpressionId& operand : made.operands) operand = copied(operand, part);
        return made.operands == at.operands ? expression : m_function.add(std::move(made));
    }

    const ir::TypeTable& m_types;
    Function& m_function;
    Effects m_effects;
    WholeSums m_sums;
    std::optional<SignedZeros> m_zeros;  ///< of the function before; found when they are needed
    const For* m_loop = nullptr;
    LoopPath m_path;
    SymbolSet m_changed;  ///< by the loop
    absl::flat_hash_map<ExpressionId, ExpressionId> m_written;
    std::optional<WholeSum> m_size;                       ///< of the range
    std::optional<WholeSum> m_low;                        ///< where the first iterations end
    std::optional<WholeSum> m_high;                       ///< where the last iterations begin
    absl::flat_hash_map<SymbolId, ExpressionId> m_names;  ///< of the loop, in a part of it
};

}  // namespace

void splitRanges(const ir::TypeTable& types, Function& function) { Splitting(types, function).run(function.body); }

}  // namespace mitos::loops
