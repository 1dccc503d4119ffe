// SPDX-License-Identifier: GPL-3.0-or-later
// Random terms and patterns that are likely to match them: a pattern is a term with parts replaced by what could stand for
// them, and then sometimes spoilt.
#pragma once

#include "core/base/random.h"
#include "core/ir/attributes.h"
#include "core/ks/operators.h"
#include "tests/rules/rule_helpers.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace mitos::tests {

/// What the random patterns may use: named patterns of every construct, declared operators, a class.
inline constexpr const char* PatternDefinitions = R"(use ks
op Join[axis, mode](x, y)
op Mark(x)
op Known(x, y)
op Unit()
class trig = sin, cos
pattern Half(x) = x / 2
pattern Half(x) = x * 0.5
pattern Opt(x) = exp(x)
pattern Opt(x) = x
pattern Opt(x) = neg(x)
pattern Chain(x, F) = F(Chain(x, F))
pattern Chain(x, F) = F(x)
pattern Tree(x, F, G) = x  with local y,    x <= F(Tree(y, F, G))
pattern Tree(x, F, G) = x  with local y, z, x <= G(Tree(y, F, G), Tree(z, F, G))
pattern Tree(x, F, G) = x
pattern Epilog(x) = Op(Epilog(x))  with local Op  where Op: unary_pointwise
pattern Epilog(x) = x
pattern Loop(x) = x  with local n, b, x <= sumbuild(n, \i. b)
pattern Named(x) = let v = y in z  with local y, z, y <= Opt(x)
pattern Twice(x) = x + x
pattern Twice(x) = x * y  with local y  where y == 2
pattern Small(x) = x  where x.nodes < 4
pattern Joined(x, y) = Join[axis=a](x, y)  with local a  where a > 0
pattern Both(x, y) = x * y
pattern Both(x, y) = y * x
pattern Both(x, y) = Known(x, y)
pattern Either(x, y) = exp(x)
pattern Either(x, y) = neg(y)
pattern Either(x, y) = x
pattern Needs(x) = Either(x, y)  with local y
pattern Asks(x, y) = Either(x, y)  with y <= Opt(x)
pattern Outer(x) = let v = x in y  with local y  where v not in y
pattern Inner(x) = let v = exp(v0) in y  with local v0, y, y <= x * v
pattern Steps(x) = sumbuild(n, \i: Integer. x)  with local n  where n > 1
)";

/// The same patterns without those that need more than CorePyPM (paper, Figure 15).
inline std::string coreDefinitions() {
    std::string result;
    std::istringstream lines{std::string(PatternDefinitions)};
    for (std::string line; std::getline(lines, line);) {
        const bool isCore = line.find("let ") == std::string::npos && line.find("\\i") == std::string::npos;
        if (isCore) result += line + "\n";
    }
    return result;
}

/// Core: what CorePyPM has: no binders, tuples and sequences.
enum class Constructs : std::uint8_t { All, Core };

/// Terms over Float variables, with binders, tuples, numbers, declared operators and calls; equal subterms are common.
class RandomTerms {
public:
    RandomTerms(ir::TermBank& bank, ir::FunctionId known, Random& random, Constructs constructs = Constructs::All)
        : m_bank(bank),
          m_known(known),
          m_random(random),
          m_constructs(constructs) {}

    ir::TermId floating(int size) {
        m_made.clear();
        return make(size, {});
    }

private:
    using Bound = std::vector<ir::TypeId>;  // outermost first

    ir::TermId leaf(const Bound& bound) {
        static constexpr std::array<double, 5> Numbers{0.5, 1.0, 2.0, 2.0, -1.0};
        const ir::TypeId floating = m_bank.types().floating();
        if (!bound.empty() && m_random.chance(0.6)) {
            const std::size_t at = m_random.below(bound.size());
            const ir::TermId variable = m_bank.bound(static_cast<std::uint32_t>(bound.size() - 1 - at), bound[at]);
            if (bound[at] == floating) return variable;
            return op(ks::Op::ToFloat, {variable});
        }
        if (m_random.chance(0.4)) return m_bank.floating(Numbers.at(m_random.below(Numbers.size())));
        static constexpr std::array<const char*, 3> Names{"a", "b", "c"};
        return m_bank.variable(m_bank.symbols().intern(Names.at(m_random.below(Names.size()))), floating);
    }

    ir::TermId op(ks::Op which, std::vector<ir::TermId> children) { return *m_bank.make(ks::opId(which), children); }

    ir::TermId declared(const char* name, std::vector<ir::TermId> children, ir::Payload payload = {}) {
        return *m_bank.make(m_bank.registry().find(name), children, payload);
    }

    ir::TermId make(int size, const Bound& bound) {
        if (size <= 1) return leaf(bound);
        // A term that stands elsewhere already, so that variables that stand twice find something.
        if (bound.empty() && !m_made.empty() && m_random.chance(0.25)) return m_made[m_random.below(m_made.size())];
        const ir::TermId result = inner(size, bound);
        if (bound.empty()) m_made.push_back(result);
        return result;
    }

    ir::TermId inner(int size, const Bound& bound) {
        const int half = size / 2;
        const auto any = [&](int n) { return make(n, bound); };
        static constexpr std::array<std::size_t, 13> CoreCases{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15};
        const bool isCore = m_constructs == Constructs::Core;
        switch (isCore ? CoreCases.at(m_random.below(CoreCases.size())) : m_random.below(20)) {
            case 0:
            case 1: return op(ks::Op::Exp, {any(size - 1)});
            case 2: return op(ks::Op::Neg, {any(size - 1)});
            case 3: return op(ks::Op::Sin, {any(size - 1)});
            case 4:
            case 5: return op(ks::Op::Add, {any(half), any(half)});
            case 6:
            case 7: return op(ks::Op::Mul, {any(half), any(half)});
            case 8: return op(ks::Op::Div, {any(half), any(half)});
            case 9:
            case 16:
            case 17: {
                Bound inner = bound;
                inner.push_back(m_bank.types().floating());
                const ir::TermId value = any(half);
                return m_bank.let(m_bank.symbols().intern("v"), value, make(half, inner));
            }
            case 10:
            case 18: {
                Bound inner = bound;
                inner.push_back(m_bank.types().integer());
                const ir::TermId body = make(size - 3, inner);
                const ir::TermId lambda = m_bank.lambda(m_bank.symbols().intern("i"), m_bank.types().integer(), body);
                return op(ks::Op::Sumbuild, {m_bank.integer(m_random.integer(1, 3)), lambda});
            }
            case 11:
            case 19: {
                const std::array elements{any(half), any(2), any(2)};
                return m_bank.get(m_bank.tuple(elements), static_cast<std::uint32_t>(m_random.below(3)));
            }
            case 12: {
                const std::array<std::string, 2> values{m_random.chance(0.5) ? "1" : "0",
                                                        m_random.chance(0.5) ? "fast" : "slow"};
                return declared("Join", {any(half), any(half)}, ir::attributesPayload(m_bank, values));
            }
            case 13: return m_random.chance(0.2) ? declared("Unit", {}) : declared("Mark", {any(size - 1)});
            case 14: {
                const std::array arguments{any(half), any(half)};
                return *m_bank.call(m_known, arguments);
            }
            default: return op(ks::Op::Max, {any(half), any(half)});
        }
    }

    ir::TermBank& m_bank;
    ir::FunctionId m_known;
    Random& m_random;
    Constructs m_constructs;
    std::vector<ir::TermId> m_made;
};

/// The text of a pattern that was made from a term.
class RandomPattern {
public:
    /// `definitions` are the names of definitions (see below) that it may use.
    RandomPattern(const ir::TermBank& bank, Random& random, Constructs constructs = Constructs::All,
                  std::vector<std::string> definitions = {})
        : m_bank(bank),
          m_random(random),
          m_constructs(constructs),
          m_definitions(std::move(definitions)) {}

    std::string make(ir::TermId term) {
        std::string left = pattern(term, {}, 5);
        std::string with;
        // A match constraint on a variable that stands for a known term; it may bind locals.
        if (!m_variables.empty() && m_random.chance(0.35)) {
            auto chosen = m_variables.begin();
            std::advance(chosen, m_random.below(m_variables.size()));
            const std::string subject = chosen->second;
            const std::size_t before = m_next;
            const std::string constraint = pattern(chosen->first, {}, 3);
            std::string locals;
            for (std::size_t i = before; i < m_next; ++i) {
                if (m_isTerm[i]) locals += fmt::format("{}v{}, ", locals.empty() ? "local " : "", i);
            }
            with = fmt::format(" with {}{} <= {}", m_random.chance(0.5) ? locals : "", subject, constraint);
        }
        return left + with + guard();
    }

    /// An alternate of a named pattern NAME(v0, v1, F, G) that is likely to match the term; it may use itself.
    std::string alternate(const std::string& name, ir::TermId term) {
        m_self = name;
        const std::string body = pattern(term, {}, 4);
        std::string constraint;
        if (!m_variables.empty() && m_random.chance(0.35)) {
            auto chosen = m_variables.begin();
            std::advance(chosen, m_random.below(m_variables.size()));
            const std::string subject = chosen->second;
            constraint = fmt::format("{} <= {}", subject, pattern(chosen->first, {}, 3));
        }
        std::string with;
        for (std::size_t i = 2; i < m_next; ++i) with += fmt::format("{}v{}", with.empty() ? "local " : ", ", i);
        if (!constraint.empty()) with += (with.empty() ? "" : ", ") + constraint;
        if (!with.empty()) with = " with " + with;
        return fmt::format("pattern {}(v0, v1, F, G) = {}{}{}\n", name, body, with, guard());
    }

private:
    /// A use of one of the definitions; the term is likely to match it only if its definition was made for such a term.
    std::string defined(const std::string& name, ir::TermId term, const std::vector<std::string>& bound, int depth) {
        const bool isInner = m_bank.childCount(term) > 0 && m_random.chance(0.6);
        const std::string first = pattern(isInner ? m_bank.child(term, 0) : term, bound, depth - 2);
        return fmt::format("{}({}, {}, {}, {})", name, first, pattern(term, bound, depth - 2), function(), function());
    }

    std::string variable(ir::TermId term) {
        const auto known = m_variables.find(term);
        if (known != m_variables.end() && m_random.chance(0.6)) return known->second;
        // Rarely the same name for another term: a conflict.
        if (!m_variables.empty() && m_random.chance(0.04)) return m_variables.begin()->second;
        m_isTerm.push_back(true);
        std::string name = fmt::format("v{}", m_next++);
        m_variables[term] = name;
        return name;
    }

    std::string number(ir::TermId term) {
        const ir::Payload& payload = m_bank.payload(term);
        if (payload.kind() == ir::PayloadKind::Integer) return fmt::format("{}", payload.asInteger());
        if (payload.kind() != ir::PayloadKind::Float) return payload.asBool() ? "true" : "false";
        const double value = m_random.chance(0.05) ? payload.asFloat() + 1 : payload.asFloat();
        const bool whole = value == static_cast<double>(static_cast<long>(value));
        if (m_random.chance(0.3)) return fmt::format("~{}", value);
        if (whole && m_random.chance(0.6)) return fmt::format("{}", static_cast<long>(value));
        return whole ? fmt::format("{:.1f}", value) : fmt::format("{}", value);
    }

    std::string function() {
        std::string name = m_random.chance(0.5) ? "F" : "G";
        m_functions.push_back(name);
        return name;
    }

    std::string arguments(ir::TermId term, const std::vector<std::string>& bound, int depth, bool sequences) {
        std::string text;
        const std::size_t count = m_bank.childCount(term);
        std::size_t i = 0;
        while (i < count || (sequences && m_constructs == Constructs::All && m_random.chance(0.1))) {
            if (!text.empty()) text += ", ";
            if (sequences && m_constructs == Constructs::All && m_random.chance(0.25)) {
                text += fmt::format("s{}...", m_random.below(2));
                i += m_random.below(count - std::min(i, count) + 1);
                if (i >= count) break;
                continue;
            }
            if (i >= count) break;
            std::vector<std::string> inside = bound;
            if (m_bank.boundIn(term, i) > 0) inside.emplace_back("?");
            text += pattern(m_bank.child(term, i), inside, depth - 1);
            ++i;
        }
        while (text.ends_with(", ")) text.resize(text.size() - 2);
        return text;
    }

    std::string named(ir::TermId term, const std::vector<std::string>& bound, int depth) {
        const auto inner = [&](ir::TermId t) { return pattern(t, bound, depth - 2); };
        const std::size_t count = m_bank.childCount(term);
        const bool unary = count == 1 && !m_bank.is(term, ir::CoreOp::Lam);
        if (!m_definitions.empty() && m_random.chance(0.5))
            return defined(m_definitions[m_random.below(m_definitions.size())], term, bound, depth);
        static constexpr std::array<std::size_t, 12> CoreCases{0, 1, 2, 3, 4, 5, 8, 9, 10, 12, 13, 19};
        const bool isCore = m_constructs == Constructs::Core;
        switch (isCore ? CoreCases.at(m_random.below(CoreCases.size())) : m_random.below(20)) {
            case 0: return count == 2 ? fmt::format("Half({})", inner(m_bank.child(term, 0))) : "";
            case 1: return fmt::format("Opt({})", inner(unary ? m_bank.child(term, 0) : term));
            case 2: {
                if (!unary) return "";
                ir::TermId leaf = m_bank.child(term, 0);
                if (m_bank.op(leaf) == m_bank.op(term)) leaf = m_bank.child(leaf, 0);
                return fmt::format("Chain({}, {})", inner(leaf), function());
            }
            case 3:
            case 4: return fmt::format("Tree({}, F, G)", m_random.chance(0.8) ? variable(term) : inner(term));
            case 5: return fmt::format("Epilog({})", inner(unary ? m_bank.child(term, 0) : term));
            case 6: return fmt::format("Loop({})", variable(term));
            case 7: return count == 2 ? fmt::format("Named({})", inner(m_bank.child(term, 0))) : "";
            case 8: return count == 2 ? fmt::format("Twice({})", inner(m_bank.child(term, 0))) : "";
            case 9: return fmt::format("Small({})", inner(term));
            case 10:
            case 11:
                if (count != 2) return "";
                return fmt::format("Joined({}, {})", inner(m_bank.child(term, 0)), inner(m_bank.child(term, 1)));
            case 12: return unary ? fmt::format("Needs({})", inner(m_bank.child(term, 0))) : "";
            case 13:
            case 14: return unary ? fmt::format("Asks({}, {})", inner(m_bank.child(term, 0)), variable(term)) : "";
            case 15: return count == 2 ? fmt::format("Outer({})", inner(m_bank.child(term, 0))) : "";
            case 16: return fmt::format("Inner({})", variable(term));
            case 17: return fmt::format("Steps({})", variable(term));
            default:
                if (count != 2) return "";
                return fmt::format("Both({}, {})", inner(m_bank.child(term, m_random.below(2))),
                                   inner(m_bank.child(term, 1)));
        }
    }

    std::string pattern(ir::TermId term, const std::vector<std::string>& bound, int depth) {
        if (m_bank.is(term, ir::CoreOp::Bound)) {
            const std::uint32_t index = m_bank.payload(term).asIndex();
            const bool known = index < bound.size() && bound[bound.size() - 1 - index] != "?";
            // Rarely another bound variable: a conflict.
            if (!bound.empty() && bound.back() != "?" && m_random.chance(0.25)) return bound.back();
            if (known && m_random.chance(0.75)) return bound[bound.size() - 1 - index];
            return variable(term);
        }
        const bool isLambda = m_bank.is(term, ir::CoreOp::Lam);
        if (!isLambda && (depth <= 0 || m_random.chance(0.2))) return variable(term);
        if (m_bank.is(term, ir::CoreOp::Literal)) return number(term);
        if (m_bank.is(term, ir::CoreOp::Variable)) return variable(term);
        if (!m_self.empty() && depth < 4 && m_random.chance(0.25)) return defined(m_self, term, bound, depth);
        if (!isLambda && m_random.chance(0.25)) {
            std::string text = named(term, bound, depth);
            if (!text.empty()) return text;
        }
        if (isLambda || m_bank.is(term, ir::CoreOp::Let)) {
            std::vector<std::string> inside = bound;
            inside.push_back(fmt::format("b{}", inside.size()));
            m_binders.push_back(inside.back());
            if (isLambda) {
                static constexpr std::array<const char*, 4> Types{"", "", ": Integer", ": Float"};
                return fmt::format("\\{}{}. {}", inside.back(), Types.at(m_random.below(Types.size())),
                                   pattern(m_bank.child(term, 0), inside, depth));
            }
            if (m_random.chance(0.7)) {
                const std::string value = pattern(m_bank.child(term, 0), bound, depth - 1);
                const std::string body = pattern(m_bank.child(term, 1), inside, depth - 1);
                return fmt::format("(let {} = {} in {})", inside.back(), value, body);
            }
            return fmt::format("{}({})", function(), arguments(term, bound, depth, true));
        }
        if (m_bank.is(term, ir::CoreOp::Get)) {
            const std::uint32_t index = m_bank.payload(term).projectionIndex();
            const std::string tuple = pattern(m_bank.child(term, 0), bound, depth);
            if (m_random.chance(0.7)) return fmt::format("get[index=k](({}))", tuple);
            return fmt::format("select({}, {})", tuple, index);
        }
        if (m_bank.is(term, ir::CoreOp::Tuple)) return fmt::format("tuple({})", arguments(term, bound, depth, true));
        if (m_random.chance(0.2)) return fmt::format("{}({})", function(), arguments(term, bound, depth, true));
        std::string name(m_bank.opName(term));
        if (m_bank.is(term, ir::CoreOp::Call)) name = m_bank.function(m_bank.payload(term).asFunction()).name;
        if (m_random.chance(0.03)) name = "max";
        if (name == "Join") {
            static constexpr std::array<const char*, 5> Attributes{"", "[axis=1]", "[axis=k2]", "[mode=\"fast\"]",
                                                                   "[mode=m, axis=k2]"};
            name += Attributes.at(m_random.below(m_self.empty() ? Attributes.size() : 2));
        }
        return fmt::format("{}({})", name, arguments(term, bound, depth, false));
    }

    std::string guard() {
        if (m_variables.empty() || m_random.chance(0.7)) return "";
        const std::string x = m_variables.begin()->second;
        const std::string y = m_variables.rbegin()->second;
        if (!m_binders.empty() && m_random.chance(0.6)) {
            return fmt::format(" where {} {} {}", m_binders[m_random.below(m_binders.size())],
                               m_random.chance(0.7) ? "not in" : "in", m_random.chance(0.5) ? x : y);
        }
        switch (m_random.below(8)) {
            case 0: return fmt::format(" where {}.is_const", x);
            case 1: return fmt::format(" where not {}.is_var", x);
            case 2: return fmt::format(" where {}.nodes < 4", x);
            case 3: return fmt::format(" where {}.nodes <= {}.nodes and {}.type == Float", x, y, y);
            case 4: return fmt::format(" where {} == 2 or {}.op == exp", x, y);
            default: break;
        }
        if (m_functions.empty()) return "";
        static constexpr std::array<const char*, 4> About{": unary_pointwise", " == exp", " not in {add, let}",
                                                          " in trig"};
        return fmt::format(" where {}{}", m_functions.front(), About.at(m_random.below(About.size())));
    }

    const ir::TermBank& m_bank;
    Random& m_random;
    Constructs m_constructs;
    std::vector<std::string> m_definitions;
    std::string m_self;  ///< the definition of which this is an alternate
    std::map<ir::TermId, std::string> m_variables;
    std::vector<bool> m_isTerm;
    std::vector<std::string> m_functions;
    std::vector<std::string> m_binders;
    std::size_t m_next = 0;
};

}  // namespace mitos::tests
