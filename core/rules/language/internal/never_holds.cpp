// SPDX-License-Identifier: GPL-3.0-or-later
// Expands the conditions to a disjunction of conjunctions and checks in each conjunction that the requirements on each subject agree.
#include "core/rules/language/internal/never_holds.h"

#include "core/rules/matching/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mitos::rules {

namespace {

constexpr std::size_t MostConjunctions = 64;
constexpr double Infinite = std::numeric_limits<double>::infinity();

/// A condition that is neither a conjunction nor a disjunction, or the negation of one.
struct Atom {
    std::uint32_t node = NoNode;
    bool negated = false;
};
using Conjunction = std::vector<Atom>;

/// The numbers that an expression may have as its value.
struct Interval {
    double least = -Infinite;
    double most = Infinite;
    bool withoutLeast = false;
    bool withoutMost = false;
    bool isWhole = false;
    std::set<double> excluded = {};

    void atLeast(double bound, bool strictly) {
        if (bound < least || (bound == least && !strictly)) return;
        least = bound;
        withoutLeast = strictly;
    }
    void atMost(double bound, bool strictly) {
        if (bound > most || (bound == most && !strictly)) return;
        most = bound;
        withoutMost = strictly;
    }
    [[nodiscard]] bool isEmpty() const {
        double from = least;
        double to = most;
        if (isWhole) {
            from = withoutLeast && std::floor(least) == least ? least + 1.0 : std::ceil(least);
            to = withoutMost && std::ceil(most) == most ? most - 1.0 : std::floor(most);
            while (excluded.contains(from) && from <= to) from += 1.0;
            return from > to;
        }
        if (from == to) return withoutLeast || withoutMost || excluded.contains(from);
        return from > to;
    }
};

/// The words (operators, types, element types) that an expression may have as its value.
struct Words {
    std::optional<std::set<std::string>> allowed;
    std::set<std::string> excluded;

    void restrictTo(const std::set<std::string>& words) {
        if (!allowed) {
            allowed = words;
        } else {
            std::erase_if(*allowed, [&](const std::string& word) { return !words.contains(word); });
        }
    }
    [[nodiscard]] bool isEmpty() const {
        return allowed &&
               std::ranges::all_of(*allowed, [&](const std::string& word) { return excluded.contains(word); });
    }
};

ConditionKind negation(ConditionKind kind) {
    switch (kind) {
        case ConditionKind::Equal: return ConditionKind::NotEqual;
        case ConditionKind::NotEqual: return ConditionKind::Equal;
        case ConditionKind::Less: return ConditionKind::GreaterEqual;
        case ConditionKind::LessEqual: return ConditionKind::Greater;
        case ConditionKind::Greater: return ConditionKind::LessEqual;
        default: return ConditionKind::Less;
    }
}

/// The comparison with exchanged sides: a < b becomes b > a.
ConditionKind mirrored(ConditionKind kind) {
    switch (kind) {
        case ConditionKind::Less: return ConditionKind::Greater;
        case ConditionKind::LessEqual: return ConditionKind::GreaterEqual;
        case ConditionKind::Greater: return ConditionKind::Less;
        case ConditionKind::GreaterEqual: return ConditionKind::LessEqual;
        default: return kind;
    }
}

bool isComparison(ConditionKind kind) { return kind >= ConditionKind::Equal && kind <= ConditionKind::GreaterEqual; }

class Contradictions {
public:
    Contradictions(const NodeTable& table, const ir::OperatorRegistry& registry)
        : m_table(table),
          m_bank(std::shared_ptr<const ir::OperatorRegistry>(std::shared_ptr<void>(), &registry)) {}

    Contradiction run(std::span<const std::uint32_t> conditions) {
        std::vector<Conjunction> all{{}};
        for (const std::uint32_t condition : conditions) {
            if (condition == NoNode) continue;
            const std::optional<std::vector<Conjunction>> parts = disjunction(condition, false);
            if (!parts || !combine(all, *parts)) return Contradiction::None;
        }
        Contradiction last = Contradiction::None;
        for (const Conjunction& one : all) {
            last = contradiction(one);
            if (last == Contradiction::None) break;
        }
        return last;
    }

private:
    [[nodiscard]] const ConditionNode& at(std::uint32_t index) const { return m_table.conditions[index]; }

    /// The condition as a disjunction of conjunctions; nothing if there are too many.
    std::optional<std::vector<Conjunction>> disjunction(std::uint32_t index, bool negated) const {
        const ConditionNode& node = at(index);
        if (node.kind == ConditionKind::Not) return disjunction(node.left, !negated);
        if (node.kind != ConditionKind::And && node.kind != ConditionKind::Or) {
            return std::vector<Conjunction>{{Atom{index, negated}}};
        }
        std::optional<std::vector<Conjunction>> left = disjunction(node.left, negated);
        const std::optional<std::vector<Conjunction>> right = disjunction(node.right, negated);
        if (!left || !right) return std::nullopt;
        if ((node.kind == ConditionKind::And) != negated) return combine(*left, *right) ? left : std::nullopt;
        left->insert(left->end(), right->begin(), right->end());
        return left->size() <= MostConjunctions ? left : std::nullopt;
    }

    /// Combines each of `all` with each of `others`; returns false if these are too many.
    static bool combine(std::vector<Conjunction>& all, const std::vector<Conjunction>& others) {
        if (all.size() * others.size() > MostConjunctions) return false;
        std::vector<Conjunction> result;
        for (const Conjunction& one : all) {
            for (const Conjunction& other : others) {
                Conjunction& both = result.emplace_back(one);
                both.insert(both.end(), other.begin(), other.end());
            }
        }
        all = std::move(result);
        return true;
    }

    [[nodiscard]] bool hasVariable(std::uint32_t index) const {
        return isOfVariable(at(index)) ||
               std::ranges::any_of(partsOf(at(index)), [this](std::uint32_t part) { return hasVariable(part); });
    }

    [[nodiscard]] static std::string subjectOf(const ConditionNode& node) {
        return fmt::format("{}.{}", static_cast<int>(node.owner), node.var);
    }

    /// A text that is the same for the same expression.
    [[nodiscard]] std::string keyOf(std::uint32_t index) const {
        const ConditionNode& node = at(index);
        // c and c.value are the same.
        const bool isValue = node.kind == ConditionKind::Value ||
                             (node.kind == ConditionKind::Attribute && node.attribute == Attribute::Value);
        std::string key = isValue ? "value " + subjectOf(node)
                                  : fmt::format("{} {}.{} {} {} {} {} {} {} [{}] {}", static_cast<int>(node.kind),
                                                static_cast<int>(node.attribute), node.analysis, subjectOf(node),
                                                node.binder, node.integer, node.number, node.isBoolean, node.text,
                                                fmt::join(node.words, ","), static_cast<int>(node.function));
        if (node.kind == ConditionKind::Type) key += typeKey(node.type);
        for (const std::uint32_t part : partsOf(node)) key += fmt::format("({})", keyOf(part));
        return key;
    }

    [[nodiscard]] static std::string typeKey(const TypeSpec& type) {
        std::string key = fmt::format("{}:{}", static_cast<int>(type.kind), type.rank);
        for (const TypeSpec& child : type.children) key += fmt::format("<{}>", typeKey(child));
        return key;
    }

    /// The value of an expression without variables; nothing if it has variables or is not a number.
    std::optional<double> numberOf(std::uint32_t index) {
        if (hasVariable(index)) return std::nullopt;
        const std::optional<ir::TermId> literal = constant(index);
        if (!literal || !m_bank.is(*literal, ir::CoreOp::Literal)) return std::nullopt;
        const ir::Payload& payload = m_bank.payload(*literal);
        if (payload.kind() == ir::PayloadKind::Integer) return static_cast<double>(payload.asInteger());
        if (payload.kind() == ir::PayloadKind::Float) return payload.asFloat();
        return std::nullopt;
    }

    std::optional<ir::TermId> constant(std::uint32_t index) {
        return computedConstant({m_bank, m_rule, {}, m_table, {}, {}}, index);
    }

    /// The word of an expression; nothing if it is not a word.
    [[nodiscard]] std::optional<std::string> wordOf(std::uint32_t index) const {
        const ConditionNode& node = at(index);
        if (node.kind == ConditionKind::Word) return node.text;
        if (node.kind == ConditionKind::Type) return "type " + typeKey(node.type);
        return std::nullopt;
    }

    Contradiction contradiction(const Conjunction& atoms) {
        m_truths.clear();
        m_numbers.clear();
        m_words.clear();
        m_pairs.clear();
        for (const Atom& atom : atoms) {
            if (!add(atom)) return Contradiction::Conditions;
        }
        const bool isEmpty = std::ranges::any_of(m_numbers, [](const auto& e) { return e.second.isEmpty(); }) ||
                             std::ranges::any_of(m_words, [](const auto& e) { return e.second.isEmpty(); });
        if (isEmpty) return Contradiction::Conditions;
        for (const Pair& pair : m_pairs) {
            if (const Contradiction found = contradiction(pair); found != Contradiction::None) return found;
        }
        return Contradiction::None;
    }

    /// Two words of m_words that a condition requires to be equal or different.
    struct Pair {
        std::string left;
        std::string right;
        bool areEqual = true;
    };

    Contradiction contradiction(const Pair& pair) {
        const std::optional<std::set<std::string>>& left = m_words[pair.left].allowed;
        const std::optional<std::set<std::string>>& right = m_words[pair.right].allowed;
        if (!left || !right) return Contradiction::None;
        const bool canBeEqual =
            std::ranges::any_of(*left, [&](const std::string& word) { return right->contains(word); });
        if (pair.areEqual) return canBeEqual ? Contradiction::None : Contradiction::Conditions;
        if (left->size() > 1 || *left != *right) return Contradiction::None;
        return *left->begin() == nameOf(ir::CoreOp::Variable) ? Contradiction::Operators : Contradiction::Conditions;
    }

    [[nodiscard]] std::string nameOf(ir::CoreOp op) const { return m_bank.registry().info(ir::opId(op)).name; }

    /// The key of the operator of a term in m_words. No term has the operator of bound variables, as these have that of variables.
    std::string operatorKey(const ConditionNode& of) {
        std::string key = "operator " + subjectOf(of);
        m_words[key].excluded.insert(nameOf(ir::CoreOp::Bound));
        return key;
    }

    [[nodiscard]] static std::string formKey(const ConditionNode& of) { return "form " + subjectOf(of); }

    void restrictForm(const ConditionNode& of, Attribute form) {
        m_words[formKey(of)].restrictTo({std::to_string(static_cast<int>(form))});
        const auto op = form == Attribute::IsVar      ? std::optional(ir::CoreOp::Variable)
                        : form == Attribute::IsLet    ? std::optional(ir::CoreOp::Let)
                        : form == Attribute::IsLambda ? std::optional(ir::CoreOp::Lam)
                                                      : std::nullopt;
        if (op) m_words[operatorKey(of)].restrictTo({nameOf(*op)});
    }

    /// Only a constant has a value that is compared with a number.
    void requireConstants(std::uint32_t index) {
        const ConditionNode& node = at(index);
        const bool isValue = node.kind == ConditionKind::Value ||
                             (node.kind == ConditionKind::Attribute && node.attribute == Attribute::Value);
        const bool isArithmetic = (node.kind >= ConditionKind::Add && node.kind <= ConditionKind::Remainder) ||
                                  node.kind == ConditionKind::Negate || node.kind == ConditionKind::Apply;
        if (isValue) restrictForm(node, Attribute::IsConst);
        if (!isArithmetic) return;
        for (const std::uint32_t part : partsOf(node)) requireConstants(part);
    }

    /// Adds an atom; returns false if it contradicts itself or another one.
    bool add(const Atom& atom) {
        const ConditionNode& node = at(atom.node);
        if (!hasVariable(atom.node)) {
            const std::optional<ir::TermId> literal = constant(atom.node);
            if (!literal || m_bank.payload(*literal).kind() != ir::PayloadKind::Bool) return false;
            return m_bank.payload(*literal).asBool() != atom.negated;
        }
        if (isComparison(node.kind)) return addComparison(node, atom.negated ? negation(node.kind) : node.kind);
        if (node.kind == ConditionKind::MemberOf) {
            Words& words = m_words[operatorKey(node)];
            if (atom.negated) {
                words.excluded.insert(node.words.begin(), node.words.end());
            } else {
                words.restrictTo({node.words.begin(), node.words.end()});
            }
            return true;
        }
        return addTruth(atom.node, !atom.negated);
    }

    bool addTruth(std::uint32_t index, bool value) {
        const ConditionNode& node = at(index);
        if (node.kind == ConditionKind::Attribute && value) {
            // A term has at most one of these forms.
            const bool isForm = node.attribute == Attribute::IsConst || node.attribute == Attribute::IsVar ||
                                node.attribute == Attribute::IsLet || node.attribute == Attribute::IsLambda;
            if (isForm) restrictForm(node, node.attribute);
            const bool isKind = node.attribute == Attribute::IsScalar || node.attribute == Attribute::IsTuple;
            if (isKind) {
                m_words["kind " + subjectOf(node)].restrictTo({std::to_string(static_cast<int>(node.attribute))});
                addRank(node, 0.0);
            }
        }
        const auto [known, isNew] = m_truths.emplace(keyOf(index), value);
        return isNew || known->second == value;
    }

    /// Records the rank that a condition on the subject's type implies; every ks type has a rank.
    void addRank(const ConditionNode& of, double rank) {
        Interval& ranks = m_numbers[rankKey(of)];
        ranks.isWhole = true;
        ranks.atLeast(rank, false);
        ranks.atMost(rank, false);
    }

    [[nodiscard]] static std::string rankKey(const ConditionNode& of) { return "rank " + subjectOf(of); }

    [[nodiscard]] std::string numberKey(std::uint32_t index) const {
        const ConditionNode& node = at(index);
        const bool isRank = node.kind == ConditionKind::Attribute && node.attribute == Attribute::Rank;
        return isRank ? rankKey(node) : keyOf(index);
    }

    bool addComparison(const ConditionNode& node, ConditionKind kind) {
        const bool isEquality = kind == ConditionKind::Equal || kind == ConditionKind::NotEqual;
        if (isEquality) {
            for (const auto& [side, other] : {std::pair(node.left, node.right), std::pair(node.right, node.left)}) {
                if (const std::optional<std::string> word = wordOf(other)) {
                    addWord(side, *word, other, kind == ConditionKind::Equal);
                    return true;
                }
                if (at(other).kind == ConditionKind::Constant && at(other).isBoolean) {
                    return addTruth(side, (at(other).integer == 1) == (kind == ConditionKind::Equal));
                }
            }
        }
        if (const std::optional<double> bound = numberOf(node.right)) return addBound(node.left, kind, *bound);
        if (const std::optional<double> bound = numberOf(node.left))
            return addBound(node.right, mirrored(kind), *bound);
        if (isEquality) addPair(node, kind == ConditionKind::Equal);
        std::string left = keyOf(node.left);
        std::string right = keyOf(node.right);
        if (left == right)
            return kind != ConditionKind::NotEqual && kind != ConditionKind::Less && kind != ConditionKind::Greater;
        if (left > right) {
            std::swap(left, right);
            kind = mirrored(kind);
        }
        return restrictTo(m_numbers[fmt::format("{} - {}", left, right)], kind, 0.0);
    }

    /// Two operators, or two names: these denote terms, which are of one form if they are equal.
    void addPair(const ConditionNode& node, bool areEqual) {
        const ConditionNode& left = at(node.left);
        const ConditionNode& right = at(node.right);
        const auto isOperator = [](const ConditionNode& of) {
            return of.kind == ConditionKind::Attribute && of.attribute == Attribute::Op;
        };
        if (isOperator(left) && isOperator(right)) {
            m_pairs.push_back({operatorKey(left), operatorKey(right), areEqual});
        } else if (areEqual && left.kind == ConditionKind::Value && right.kind == ConditionKind::Value) {
            m_pairs.push_back({formKey(left), formKey(right), true});
        }
    }

    void addWord(std::uint32_t side, const std::string& word, std::uint32_t wordNode, bool isEqual) {
        const ConditionNode& of = at(side);
        const bool isOperator = of.kind == ConditionKind::Attribute && of.attribute == Attribute::Op;
        Words& words = m_words[isOperator ? operatorKey(of) : keyOf(side)];
        if (!isEqual) {
            words.excluded.insert(word);
            return;
        }
        words.restrictTo({word});
        const bool isType = of.kind == ConditionKind::Attribute && of.attribute == Attribute::Type;
        if (!isType || at(wordNode).kind != ConditionKind::Type) return;
        const TypeSpec& type = at(wordNode).type;
        addRank(of, type.kind == ir::TypeKind::Tensor ? static_cast<double>(type.rank) : 0.0);
        const bool isScalar = type.kind == ir::TypeKind::Float || type.kind == ir::TypeKind::Integer;
        const Attribute kind = isScalar                           ? Attribute::IsScalar
                               : type.kind == ir::TypeKind::Tuple ? Attribute::IsTuple
                                                                  : Attribute::Type;
        m_words["kind " + subjectOf(of)].restrictTo({std::to_string(static_cast<int>(kind))});
    }

    bool addBound(std::uint32_t side, ConditionKind kind, double bound) {
        Interval& interval = m_numbers[numberKey(side)];
        const ConditionNode& of = at(side);
        requireConstants(side);
        const bool isCount = (of.kind == ConditionKind::Attribute &&
                              (of.attribute == Attribute::Rank || of.attribute == Attribute::Length ||
                               of.attribute == Attribute::Nodes || of.attribute == Attribute::Arity)) ||
                             (of.kind == ConditionKind::ListCall && of.function == ListFunction::Length);
        if (isCount) {
            interval.isWhole = true;
            const bool isOfNodes = of.kind == ConditionKind::Attribute && of.attribute == Attribute::Nodes;
            interval.atLeast(isOfNodes ? 1.0 : 0.0, false);
        }
        return restrictTo(interval, kind, bound);
    }

    static bool restrictTo(Interval& interval, ConditionKind kind, double bound) {
        switch (kind) {
            case ConditionKind::Equal:
                interval.atLeast(bound, false);
                interval.atMost(bound, false);
                break;
            case ConditionKind::NotEqual: interval.excluded.insert(bound); break;
            case ConditionKind::Less: interval.atMost(bound, true); break;
            case ConditionKind::LessEqual: interval.atMost(bound, false); break;
            case ConditionKind::Greater: interval.atLeast(bound, true); break;
            default: interval.atLeast(bound, false);
        }
        return !interval.isEmpty();
    }

    const NodeTable& m_table;
    ir::TermBank m_bank;
    CompiledRule m_rule;  // empty, because no variable has a value here
    std::map<std::string, bool> m_truths;
    std::map<std::string, Interval> m_numbers;
    std::map<std::string, Words> m_words;
    std::vector<Pair> m_pairs;
};

}  // namespace

std::vector<std::uint32_t> partsOf(const ConditionNode& node) {
    std::vector<std::uint32_t> parts;
    switch (node.kind) {
        case ConditionKind::Constant:
        case ConditionKind::Word:
        case ConditionKind::Type:
        case ConditionKind::Value:
        case ConditionKind::Attribute:
        case ConditionKind::Mentions:
        case ConditionKind::MemberOf:
        case ConditionKind::List:
        case ConditionKind::ListCall: break;
        case ConditionKind::Not:
        case ConditionKind::Negate:
        case ConditionKind::Slice: parts = {node.left}; break;
        case ConditionKind::Apply:
            parts = {node.left};
            if (node.text == "min" || node.text == "max") parts.push_back(node.right);
            break;
        default: parts = {node.left, node.right};
    }
    parts.insert(parts.end(), node.elements.begin(), node.elements.end());
    return parts;
}

bool isOfVariable(const ConditionNode& node) {
    return node.kind == ConditionKind::Value || node.kind == ConditionKind::Attribute ||
           node.kind == ConditionKind::Mentions || node.kind == ConditionKind::MemberOf ||
           (node.kind == ConditionKind::ListCall && node.function == ListFunction::Sizes);
}

Contradiction contradictionOf(const NodeTable& table, std::span<const std::uint32_t> conditions,
                              const ir::OperatorRegistry& registry) {
    const bool isFree = std::ranges::all_of(conditions, [](std::uint32_t condition) { return condition == NoNode; });
    return isFree ? Contradiction::None : Contradictions(table, registry).run(conditions);
}

std::string hintFor(Contradiction contradiction, std::string consequence) {
    if (contradiction != Contradiction::Operators) return consequence;
    return "all variables of programs have the operator `variable`; to state that two terms differ, write a != b";
}

}  // namespace mitos::rules
