// SPDX-License-Identifier: GPL-3.0-or-later
// See analysis_laws.h.
#include "core/rules/language/internal/analysis_laws.h"

#include "core/rules/matching/internal/analysis_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace mitos::rules {

namespace {

using Kind = Value::Kind;

/// Limits on the values tried: laws are about up to three of them.
constexpr std::size_t MostValues = 16;
constexpr std::size_t MostOperands = 3;

class Laws {
public:
    Laws(const CompiledAnalysis& analysis, const ir::OperatorRegistry& registry)
        : m_analysis(analysis),
          m_bank(std::shared_ptr<const ir::OperatorRegistry>(std::shared_ptr<void>(), &registry)) {}

    std::optional<BrokenLaw> run() {
        constexpr std::int64_t Least = std::numeric_limits<std::int64_t>::min();
        constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max();
        constexpr double Infinite = std::numeric_limits<double>::infinity();
        constexpr double NotANumber = std::numeric_limits<double>::quiet_NaN();
        // Equal terms have one type, so values that come from literals of several types are never joined.
        std::vector<Value> literals;
        for (const std::int64_t whole :
             {std::int64_t(0), std::int64_t(1), std::int64_t(-1), std::int64_t(2), Least, Most})
            literals.push_back(Value::whole(whole));
        ir::TypeTable& types = m_bank.types();
        if (auto broken = onLiterals(literals, types.integer())) return broken;
        literals.clear();
        for (const double real : {0.0, 1.0, -1.0, 0.5, 1e300, Infinite, NotANumber})
            literals.push_back(Value::real(real));
        if (auto broken = onLiterals(literals, types.floating())) return broken;
        return onLiterals({Value::boolean(false), Value::boolean(true)}, types.boolean());
    }

private:
    /// `type`: of the literals, and of operands.
    std::optional<BrokenLaw> onLiterals(const std::vector<Value>& literals, ir::TypeId type) {
        m_type = type;
        collect(literals);
        if (auto broken = ofJoin()) return broken;
        for (const AnalysisEquation& equation : m_analysis.operators) {
            const bool isFirst = std::ranges::find_if(m_analysis.operators, [&](const AnalysisEquation& other) {
                                     return other.op == equation.op;
                                 }) == m_analysis.operators.begin() + (&equation - m_analysis.operators.data());
            if (!isFirst || equation.operands.size() > MostOperands) continue;
            if (auto broken = ofOperator(equation)) return broken;
        }
        return std::nullopt;
    }

    /// What is known after a union: a value, nothing, or too much.
    struct Joined {
        Value value;
        bool isContradiction = false;
        std::size_t number = NoNumber;  ///< in m_values
    };
    static constexpr std::size_t NoNumber = MostValues;

    void keep(Value value) {
        if (value.kind == Kind::Undefined || m_values.size() >= MostValues) return;
        const bool isKnown =
            std::ranges::any_of(m_values, [&](const Value& other) { return areSame(value, other, m_bank.types()); });
        if (!isKnown) m_values.push_back(std::move(value));
    }

    /// The values of literals, the words, and what equations make of them.
    void collect(const std::vector<Value>& literals) {
        m_values.clear();
        m_joins.clear();
        for (const std::string& word : m_analysis.words) keep(Value::text(word));
        for (const Value& literal : literals) keep(literalValue(m_bank, m_analysis, literal).value);
        const std::size_t ofLiterals = m_values.size();
        for (const AnalysisEquation& equation : m_analysis.operators) {
            forEachChoice(ofLiterals, equation.operands.size(), [&](const std::vector<std::size_t>& numbers) {
                std::vector<Value> operands;
                for (const std::size_t number : numbers) operands.push_back(m_values[number]);
                keep(valueFor(equation, operands).value);
                return m_values.size() < MostValues;
            });
        }
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                if (mayMeet(m_values[i], m_values[k])) keep(joined(m_bank, m_analysis, m_values[i], m_values[k]));
            }
        }
    }

    EquationValue valueFor(const AnalysisEquation& first, const std::vector<Value>& operands) {
        const std::vector<ir::TypeId> types(operands.size(), m_type);
        return operatorValue(m_bank, m_analysis, first.op, operands, types, {});
    }

    /// Equal terms have one type, and so have their values.
    static bool mayMeet(const Value& a, const Value& b) {
        if (a.isList() && b.isList() && a.list.size() == b.list.size())
            return std::ranges::equal(a.list, b.list, mayMeet);
        return !a.isNumber() || !b.isNumber() || a.kind == b.kind;
    }

    /// Calls `use` with lists of numbers below `values`, the first one changing fastest, until it returns false.
    template <typename Use>
    static void forEachChoice(std::size_t values, std::size_t count, Use use) {
        if (values == 0 || count > MostOperands) return;
        std::vector<std::size_t> at(count, 0);
        while (use(at)) {
            std::size_t place = 0;
            while (place < count && ++at[place] == values) at[place++] = 0;
            if (place == count) return;
        }
    }

    Joined join(const Joined& a, const Joined& b) {
        if (a.isContradiction || b.isContradiction) return {{}, true};
        if (a.value.kind == Kind::Undefined) return b;
        if (b.value.kind == Kind::Undefined) return a;
        const bool areListed = a.number < NoNumber && b.number < NoNumber;
        if (areListed && !m_joins.empty()) return m_joins[a.number * m_values.size() + b.number];
        Joined both{joined(m_bank, m_analysis, a.value, b.value)};
        both.isContradiction = both.value.kind == Kind::Undefined;
        for (std::size_t i = 0; i < m_values.size() && !both.isContradiction && both.number == NoNumber; ++i) {
            if (areSame(both.value, m_values[i], m_bank.types())) both.number = i;
        }
        return both;
    }

    /// Joins all pairs of values; laws about three then need no more.
    void joinPairs() {
        m_joins.clear();
        std::vector<Joined> joins;
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            for (std::size_t k = 0; k < m_values.size(); ++k) joins.push_back(join(given(i), given(k)));
        }
        m_joins = std::move(joins);
    }

    [[nodiscard]] Joined given(std::size_t number) const { return {m_values[number], false, number}; }

    [[nodiscard]] bool areEqual(const Joined& a, const Joined& b) const {
        return a.isContradiction == b.isContradiction && areSame(a.value, b.value, m_bank.types());
    }
    static std::string textOf(const Joined& joined) { return joined.isContradiction ? "no value" : text(joined.value); }

    [[nodiscard]] BrokenLaw broken(const AnalysisEquation& equation, std::string message, std::string hint) const {
        return {equation.scope.guardSpan, std::move(message), std::move(hint)};
    }

    std::optional<BrokenLaw> ofJoin() {
        static constexpr const char* Hint =
            "what is known of equal terms must not depend on the order of the equalities";
        for (const AnalysisEquation& equation : m_analysis.joins) {
            for (const Value& a : m_values) {
                const Value own = valueOf(m_bank, equation, {a, a});
                if (own.kind == Kind::Undefined || areSame(own, a, m_bank.types())) continue;
                return broken(equation, fmt::format("the join of {0} and {0} is {1}", text(a), text(own)), Hint);
            }
        }
        joinPairs();
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            const Value& a = m_values[i];
            for (std::size_t k = 0; k < m_values.size(); ++k) {
                const Value& b = m_values[k];
                if (!mayMeet(a, b)) continue;
                const Joined both = join(given(i), given(k));
                const Joined other = join(given(k), given(i));
                if (!areEqual(both, other)) {
                    return broken(m_analysis.joins.front(),
                                  fmt::format("the join of {} and {} is {}, that of {} and {} is {}", text(a), text(b),
                                              textOf(both), text(b), text(a), textOf(other)),
                                  Hint);
                }
                if (!areEqual(join(both, given(i)), both)) {
                    return broken(m_analysis.joins.front(),
                                  fmt::format("the join of {} and {} is {}, which does not say as much as {}", text(a),
                                              text(b), textOf(both), text(a)),
                                  "a join knows what both values know");
                }
                for (std::size_t m = 0; m < m_values.size(); ++m) {
                    const Value& c = m_values[m];
                    if (!mayMeet(a, c)) continue;
                    const Joined left = join(both, given(m));
                    const Joined right = join(given(i), join(given(k), given(m)));
                    if (areEqual(left, right)) continue;
                    return broken(
                        m_analysis.joins.front(),
                        fmt::format("the join of {}, {} and {} is {} or {}, depending on which two are joined "
                                    "first",
                                    text(a), text(b), text(c), textOf(left), textOf(right)),
                        Hint);
                }
            }
        }
        return std::nullopt;
    }

    /// Whether the second value says at least as much as the first.
    bool isBelow(const Value& a, const Value& b) {
        return mayMeet(a, b) && (areSame(a, b, m_bank.types()) || areEqual(join({a}, {b}), {b}));
    }

    std::optional<BrokenLaw> ofOperator(const AnalysisEquation& equation) {
        const std::size_t count = m_values.size();
        std::vector<bool> isMore(count * count);  // by two values: whether the second says more
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t k = 0; k < count; ++k) {
                isMore[i * count + k] =
                    i != k && mayMeet(m_values[i], m_values[k]) && m_joins[i * count + k].number == k;
            }
        }
        std::optional<BrokenLaw> found;
        // Number `count` is an operand of which nothing is known.
        forEachChoice(count + 1, equation.operands.size(), [&](const std::vector<std::size_t>& numbers) {
            std::vector<Value> operands;
            for (const std::size_t number : numbers) operands.push_back(number < count ? m_values[number] : Value());
            const EquationValue less = valueFor(equation, operands);
            if (less.value.kind == Kind::Undefined) return true;
            for (std::size_t i = 0; i < operands.size(); ++i) {
                for (std::size_t more = 0; more < count; ++more) {
                    if (numbers[i] < count && !isMore[numbers[i] * count + more]) continue;
                    std::vector<Value> raised = operands;
                    raised[i] = m_values[more];
                    const Value value = valueFor(equation, raised).value;
                    if (isBelow(less.value, value)) continue;
                    found = broken(*less.equation,
                                   fmt::format("less is known where more is known: with {} for {} the value is {}, "
                                               "with {} it is {}",
                                               text(operands[i]), nameOf(*less.equation, i), text(less.value),
                                               text(raised[i]), text(value)),
                                   "a value that holds although an operand is not known holds whatever the operand is");
                    return false;
                }
            }
            return true;
        });
        return found;
    }

    static const std::string& nameOf(const AnalysisEquation& equation, std::size_t operand) {
        return equation.scope.variables[equation.operands[operand]].name;
    }

    const CompiledAnalysis& m_analysis;
    ir::TermBank m_bank;
    ir::TypeId m_type;
    std::vector<Value> m_values;
    std::vector<Joined> m_joins;  ///< of all pairs of values, by number
};

}  // namespace

std::optional<BrokenLaw> brokenLaw(const CompiledAnalysis& analysis, const ir::OperatorRegistry& registry) {
    return Laws(analysis, registry).run();
}

}  // namespace mitos::rules
