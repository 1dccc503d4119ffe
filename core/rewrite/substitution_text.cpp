// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/substitution_text.h"

#include "core/base/number_text.h"
#include "core/ir/attributes.h"
#include "core/rewrite/internal/replay.h"
#include "core/rules/directed_rule.h"
#include "core/rules/language/compiled.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::rewrite {

using ir::TermId;

namespace {

constexpr std::string_view Given = "_";
constexpr std::string_view Binder = "/binder";
/// The largest number of binders that a value is below, and its place in the program is not.
constexpr std::int32_t MostBinders = 4;

/// A variable with its values as texts: one, or those of a sequence.
struct StatedValue {
    std::string_view name;
    bool isSequence = false;
    std::vector<std::string_view> values;
};

Error wrong(std::string message) {
    return {ErrorCode::InvalidInput, std::move(message), std::nullopt,
            "the values of a rule's variables read `x=./0 y=/1/1`"};
}

/// The parts between the separators that stand outside of brackets, without empty ones at the ends.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> result;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[' || text[i] == '(') ++depth;
        if (text[i] == ']' || text[i] == ')') --depth;
        if (text[i] != separator || depth > 0) continue;
        result.push_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    if (begin < text.size()) result.push_back(text.substr(begin));
    return result;
}

Result<std::vector<StatedValue>> parsed(std::string_view text) {
    std::vector<StatedValue> result;
    for (const std::string_view word : split(text, ' ')) {
        if (word.empty()) continue;
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals + 1 == word.size())
            return wrong(fmt::format("'{}' is not a variable with its value", word));
        const std::string_view value = word.substr(equals + 1);
        const bool isSequence = value.front() == '(' && value.back() == ')';
        const StatedValue& stated = result.emplace_back(
            StatedValue{word.substr(0, equals), isSequence,
                        isSequence ? split(value.substr(1, value.size() - 2), ',') : std::vector{value}});
        if (std::ranges::count(stated.values, std::string_view()) > 0)
            return wrong(fmt::format("'{}' has an empty value", word));
    }
    return result;
}

bool bindsVariable(const ir::TermBank& bank, TermId term) {
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        if (bank.boundIn(term, i) > 0) return true;
    }
    return false;
}

/// Searches a term for a place of a value, breadth first.
class PlaceSearch {
public:
    /// `isNamed`: the binder of a variable must have its name too, not only its type.
    PlaceSearch(ir::TermBank& bank, TermId value, rules::VarKind kind, bool isNamed)
        : m_bank(bank),
          m_value(value),
          m_kind(kind),
          m_isNamed(isNamed) {}

    /// The path with its suffix; nothing if the value does not stand there.
    std::optional<std::string> in(TermId root) {
        m_nodes.assign(1, {root, 0, 0, 0});
        m_seen.clear();
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            if (const std::optional<std::string> suffix = suffixAt(m_nodes[i]))
                return (i == 0 && *suffix == Binder ? "" : pathOf(i)) + *suffix;
            const Node node = m_nodes[i];
            for (std::uint32_t child = 0; child < m_bank.childCount(node.term); ++child) {
                const std::uint32_t binders = m_isClosed ? 0 : node.binders + m_bank.boundIn(node.term, child);
                const TermId term = m_bank.child(node.term, child);
                if (m_bank.depth(term) >= m_leastDepth && m_seen.emplace(term, binders).second)
                    m_nodes.push_back({term, binders, i, child});
            }
        }
        return std::nullopt;
    }

private:
    struct Node {
        TermId term;
        std::uint32_t binders = 0;  ///< between the root and the term
        std::size_t parent = 0;
        std::uint32_t child = 0;
    };

    std::optional<std::string> suffixAt(const Node& node) {
        if (m_kind == rules::VarKind::Binder)
            return isBinderOf(node.term) ? std::optional<std::string>(Binder) : std::nullopt;
        if (node.term == m_value || (m_kind == rules::VarKind::Function && isAppliedLike(node.term)))
            return std::string();
        if (m_isClosed || m_bank.type(node.term) != m_bank.type(m_value)) return std::nullopt;
        for (std::uint32_t from = 0; from < node.binders; ++from) {
            for (std::uint32_t by = 1; from + by <= node.binders; ++by) {
                if (ir::mentions(m_bank, node.term, from + by - 1)) break;
                if (m_bank.shifted(node.term, from, -static_cast<std::int32_t>(by)) != m_value) continue;
                return from == 0 ? fmt::format("^{}", by) : fmt::format("^{}@{}", by, from);
            }
        }
        // The arguments of a function variable are all below its binder, also those that stand outside of it.
        const std::uint32_t outermost = std::min(m_bank.looseBound(node.term), static_cast<std::uint32_t>(MostBinders));
        for (std::uint32_t from = 0; from < outermost; ++from) {
            for (std::int32_t by = 1; by <= MostBinders; ++by) {
                if (m_bank.shifted(node.term, from, by) != m_value) continue;
                return from == 0 ? fmt::format("^-{}", by) : fmt::format("^-{}@{}", by, from);
            }
        }
        return std::nullopt;
    }

    /// Whether the value of a function variable may be this term as well: only operator, payload and hint count.
    bool isAppliedLike(TermId term) const {
        return m_bank.op(term) == m_bank.op(m_value) && m_bank.payload(term) == m_bank.payload(m_value) &&
               m_bank.hint(term) == m_bank.hint(m_value);
    }

    bool isBinderOf(TermId term) const {
        return m_bank.is(m_value, ir::CoreOp::Variable) && bindsVariable(m_bank, term) &&
               (!m_isNamed || m_bank.hint(term) == m_bank.payload(m_value).asSymbol()) &&
               m_bank.boundType(term) == m_bank.type(m_value);
    }

    std::string pathOf(std::size_t index) const {
        ir::Path path;
        for (; index > 0; index = m_nodes[index].parent) path.insert(path.begin(), m_nodes[index].child);
        return ir::toString(path);
    }

    ir::TermBank& m_bank;
    TermId m_value;
    rules::VarKind m_kind;
    bool m_isNamed;
    std::uint32_t m_leastDepth = m_kind == rules::VarKind::Function ? 0 : m_bank.depth(m_value);
    bool m_isClosed = m_bank.looseBound(m_value) == 0;
    std::vector<Node> m_nodes;
    absl::flat_hash_set<std::pair<TermId, std::uint32_t>> m_seen;
};

/// The place of a value: below the step's position, else anywhere in the program. The name of a bound variable has no meaning, and a
/// proof of an e-graph may have it from another member of the class; so a binder of the same type will do where none has the name.
std::optional<std::string> placeText(ir::TermBank& bank, const Step& step, TermId root, TermId value,
                                     rules::VarKind kind) {
    for (const bool isNamed : {true, false}) {
        PlaceSearch search(bank, value, kind, isNamed);
        if (const std::optional<TermId> subject = ir::subterm(bank, root, step.positions.front())) {
            if (const std::optional<std::string> path = search.in(*subject)) return "." + *path;
        }
        if (std::optional<std::string> path = search.in(root)) return path;
        if (kind != rules::VarKind::Binder) break;
    }
    return std::nullopt;
}

/// The text of a value of a variable; `_`, with the value added to `given`, if it has no other.
std::string valueText(ir::TermBank& bank, const Step& step, TermId root, rules::VarKind kind, TermId value,
                      std::vector<TermId>& given) {
    if (const std::optional<std::string> text = ir::attributeText(bank, value)) {
        const bool isOther = *text == Given || std::string_view("./(").find(text->front()) != std::string_view::npos;
        if (!isOther && ir::attributeLiteral(bank, *text) == value) return *text;
    }
    std::optional<std::string> place = placeText(bank, step, root, value, kind);
    // Choices record the names of bound variables too.
    if (!place && kind == rules::VarKind::Choices) place = placeText(bank, step, root, value, rules::VarKind::Binder);
    if (place) return *std::move(place);
    given.push_back(value);
    return std::string(Given);
}

/// The term that a text "./0/1^1@2" names.
Result<TermId> termAt(ir::TermBank& bank, const Step& step, TermId root, std::string_view text) {
    if (text.ends_with(Binder)) {
        const std::string_view place = text.substr(0, text.size() - Binder.size());
        const Result<TermId> binder = termAt(bank, step, root, place == "." ? "./" : place.empty() ? "/" : place);
        if (!binder || bindsVariable(bank, *binder))
            return binder ? bank.variable(bank.hint(*binder), bank.boundType(*binder)) : binder;
        return wrong(fmt::format("the term at {} binds no variable", place));
    }
    const std::size_t caret = std::min(text.find('^'), text.size());
    const bool isRelative = text.front() == '.';
    const auto below = ir::parsePath(std::string(text.substr(isRelative ? 1 : 0, caret - (isRelative ? 1 : 0))));
    if (!below) return wrong(fmt::format("'{}' is not a position", text));
    ir::Path path = isRelative ? step.positions.front() : ir::Path();
    path.insert(path.end(), below->begin(), below->end());
    const Result<TermId> term = subtermAt(bank, root, path);
    if (!term || caret == text.size()) return term;
    const std::size_t at = std::min(text.find('@', caret), text.size());
    const std::optional<std::int32_t> moved = numberFrom<std::int32_t>(text.substr(caret + 1, at - caret - 1));
    const std::optional<std::uint32_t> by =
        moved && *moved >= 0 ? std::optional(static_cast<std::uint32_t>(*moved)) : std::nullopt;
    const std::optional<std::uint32_t> from = at == text.size() ? 0 : numberFrom<std::uint32_t>(text.substr(at + 1));
    const std::uint32_t loose = bank.looseBound(*term);
    const bool isMovedIn = moved && *moved < 0 && *moved >= -MostBinders && from && *from <= loose;
    if (isMovedIn) return bank.shifted(*term, *from, -*moved);
    if (!by || !from || *by > loose || *from > loose)
        return wrong(fmt::format("'{}' is not a number of binders", text.substr(caret)));
    for (std::uint32_t i = *from; i < *from + *by; ++i) {
        if (ir::mentions(bank, *term, i))
            return wrong(fmt::format("the term at {} mentions a binder that it is moved out of", text));
    }
    return bank.shifted(*term, *from, -static_cast<std::int32_t>(*by));
}

}  // namespace

SubstitutionText substitutionText(ir::TermBank& bank, const Step& step, TermId root) {
    SubstitutionText result;
    const rules::CompiledRule* const compiled = rules::compiledOf(*step.rule);
    for (std::size_t i = 0; i < step.substitution.values.size(); ++i) {
        const rules::Binding& binding = step.substitution.values[i];
        const rules::VarKind kind = compiled == nullptr ? rules::VarKind::Term : compiled->variables[i].kind;
        const auto text = [&](TermId value) { return valueText(bank, step, root, kind, value, result.given); };
        std::vector<std::string> sequence;
        for (const TermId value : binding.sequence) sequence.push_back(text(value));
        result.text +=
            fmt::format("{}{}={}", i == 0 ? "" : " ", step.rule->variables()[i],
                        binding.term.isValid() ? text(binding.term) : fmt::format("({})", fmt::join(sequence, ",")));
    }
    return result;
}

Result<std::size_t> givenCount(std::string_view text) {
    MITOS_TRY(const std::vector<StatedValue> stated, parsed(text));
    std::size_t count = 0;
    for (const StatedValue& value : stated) count += static_cast<std::size_t>(std::ranges::count(value.values, Given));
    return count;
}

Result<rules::Substitution> readSubstitution(ir::TermBank& bank, const Step& step, TermId root, std::string_view text,
                                             std::span<const TermId> given) {
    MITOS_TRY(const std::vector<StatedValue> stated, parsed(text));
    const std::vector<std::string>& names = step.rule->variables();
    rules::Substitution result;
    for (const StatedValue& value : stated) {
        const std::size_t index = result.values.size();
        if (index >= names.size() || value.name != names[index])
            return wrong(index < names.size()
                             ? fmt::format("{} found, the value of {} expected", value.name, names[index])
                             : fmt::format("{} has no variable {}", step.name(), value.name));
        rules::Binding& binding = result.values.emplace_back();
        for (const std::string_view one : value.values) {
            const bool isPlace = one.front() == '.' || one.front() == '/';
            Result<TermId> term = TermId();
            if (one == Given) {
                if (given.empty()) return wrong(fmt::format("the value of {} is missing", value.name));
                term = given.front();
                given = given.subspan(1);
            } else {
                term = isPlace ? termAt(bank, step, root, one) : ir::attributeLiteral(bank, one);
            }
            if (!term) return term.error();
            if (value.isSequence)
                binding.sequence.push_back(*term);
            else
                binding.term = *term;
        }
    }
    if (result.values.size() == names.size()) return result;
    return wrong(fmt::format("the value of {} is missing", names[result.values.size()]));
}

Result<rules::Substitution> matchOf(ir::TermBank& bank, const Step& step, TermId root, std::size_t number) {
    MITOS_TRY(const TermId left, subjectAt(bank, root, step));
    rules::Substitution result;
    std::size_t matches = 0;
    step.rule->match(bank, left, [&](const rules::Substitution& substitution) {
        if (++matches == number) result = substitution;
        return matches != number;
    });
    if (number > 0 && matches >= number) return result;
    const std::string there = matches == 0 ? "no match" : fmt::format("{} match{}", matches, matches == 1 ? "" : "es");
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} has {} at {}, there is no #{}", step.rule->name(), there, step.place(), number)};
}

}  // namespace mitos::rewrite
