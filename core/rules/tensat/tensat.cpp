// SPDX-License-Identifier: GPL-3.0-or-later
// Writes rules as text.
#include "core/rules/tensat/tensat.h"

#include "core/rules/tensat/internal/tensat_reader.h"
#include "core/rules/tensat/internal/tensat_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace mitos::rules::tensat {

namespace {

constexpr std::array<std::string_view, 18> Reserved{"use",   "include", "op",    "class", "pattern", "rule",
                                                    "where", "with",    "local", "let",   "not",     "in",
                                                    "and",   "or",      "if",    "true",  "false",   "parts"};

bool isNamePart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A valid name of the rule language that resembles the text.
std::string nameLike(std::string_view text) {
    std::string name;
    for (const char c : text) name += isNamePart(c) ? c : '_';
    const bool isDigit = !name.empty() && name[0] >= '0' && name[0] <= '9';
    const bool isReserved = std::ranges::find(Reserved, name) != Reserved.end();
    return name.empty() || isDigit || isReserved ? "x_" + name : name;
}

/// Whether the translation may generate the name, for groups, pads, cuts and sizes of splits.
bool isMadeUp(std::string_view name) {
    return name.size() > 1 && std::string_view("gpcs").find(name[0]) != std::string_view::npos &&
           name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

void nameVariables(const Expr& expr, std::map<std::string, std::string>& names, std::set<std::string>& taken) {
    for (const Expr& child : expr.children) nameVariables(child, names, taken);
    if (expr.op != Op::Variable || names.contains(expr.name)) return;
    std::string name = nameLike(std::string_view(expr.name).substr(1));
    if (isMadeUp(name)) name = "x_" + name;
    while (!taken.insert(name).second) name += "_";
    names.emplace(expr.name, std::move(name));
}

/// By Op.
constexpr std::array<std::string_view, 15> OperatorNames{"",    "",      "Concat",    "Conv",    "MatMul",
                                                         "Add", "Mul",   "Relu",      "Tanh",    "Sigmoid",
                                                         "Mul", "Split", "Transpose", "MaxPool", "AveragePool"};

std::string list(const std::vector<std::int64_t>& numbers) { return fmt::format("[{}]", fmt::join(numbers, ", ")); }

/// Writes the terms of one rule. The value of an attribute is computed on the right side; on the left side a name is bound to the
/// attribute, and a condition compares it with the computed value. Equal computations share one name.
class Writer {
public:
    Writer(const Shapes& shapes, const std::map<std::string, std::string>& names) : m_shapes(shapes), m_names(names) {}

    std::string left(const Expr& expr) { return term(expr, true); }
    std::string right(const Expr& expr) { return term(expr, false); }
    /// The text of the split that the term is a part of.
    std::string split(const Expr& part, bool isLeft) {
        const std::string sizes = splitSizes(part, isLeft);
        return fmt::format("Split[axis={}, sizes={}]({})", part.attributes[0], sizes, term(part.children[0], isLeft));
    }
    [[nodiscard]] const std::vector<std::string>& conditions() const { return m_conditions; }

private:
    std::string term(const Expr& expr, bool isLeft) {
        if (expr.op == Op::Variable) return m_names.at(expr.name);
        if (expr.op == Op::Number) return expr.name;
        if (expr.op == Op::SplitPart) return fmt::format("{}.{}", split(expr, isLeft), expr.attributes[1]);
        const std::string own = attributes(expr, isLeft);
        std::string arguments;
        for (const Expr& child : expr.children) arguments += (arguments.empty() ? "" : ", ") + term(child, isLeft);
        return fmt::format("{}{}({})", OperatorNames[static_cast<std::size_t>(expr.op)], own, arguments);
    }

    std::string attributes(const Expr& expr, bool isLeft) {
        switch (expr.op) {
            case Op::Concat: return fmt::format("[axis={}]", expr.attributes[0]);
            case Op::Transpose: return fmt::format("[perm={}]", list(expr.attributes));
            case Op::Conv: {
                const std::string placed = window(expr, isLeft);  // the condition of the window comes first
                return fmt::format("[{}, dilations=[1, 1], group={}]", placed, group(expr, isLeft));
            }
            case Op::MaxPool:
                return fmt::format("[{}, {}, dilations=[1, 1], ceil_mode=false]", kernel(expr), window(expr, isLeft));
            case Op::AveragePool:
                return fmt::format("[{}, {}, ceil_mode=false, count_include_pad=false]", kernel(expr),
                                   window(expr, isLeft));
            default: return "";
        }
    }

    static std::string kernel(const Expr& expr) {
        return fmt::format("kernel_shape=[{}, {}]", expr.attributes[0], expr.attributes[1]);
    }

    std::string window(const Expr& expr, bool isLeft) {
        const auto [down, across] = strides(expr);
        return fmt::format("strides=[{}, {}], pads={}", down, across, pads(expr, isLeft));
    }

    std::string pads(const Expr& expr, bool isLeft) {
        if (padding(expr) == Padding::Valid) return "[0, 0, 0, 0]";
        const auto [top, bottom] = m_shapes.samePads(expr, 2);
        const auto [begin, end] = m_shapes.samePads(expr, 3);
        return value('p', fmt::format("[{}, {}, {}, {}]", top, begin, bottom, end), isLeft);
    }

    std::string group(const Expr& expr, bool isLeft) {
        const std::string channels = m_shapes.factor(m_shapes.size(expr.children[0], 1));
        const std::string own = m_shapes.factor(m_shapes.size(expr.children[1], 1));
        return value('g', fmt::format("{} / {}", channels, own), isLeft);
    }

    std::string splitSizes(const Expr& part, bool isLeft) {
        if (const auto cut = m_shapes.cut(part.children[0], static_cast<std::size_t>(part.attributes[0]))) {
            return value('c', fmt::format("[{}, {}]", m_shapes.text((*cut)[0]), m_shapes.text((*cut)[1])), isLeft);
        }
        const std::string name = m_shapes.splitName(part);
        if (isLeft && m_openSplits.insert(name).second) m_conditions.push_back(fmt::format("len({}) == 2", name));
        return name;
    }

    std::string value(char kind, const std::string& computation, bool isLeft) {
        const auto found = m_bound.find(computation);
        if (found != m_bound.end()) return found->second;
        if (!isLeft) return computation;
        std::string name = fmt::format("{}{}", kind, ++m_counts[kind]);
        m_conditions.push_back(fmt::format("{} == {}", name, computation));
        m_bound.emplace(computation, name);
        return name;
    }

    const Shapes& m_shapes;
    const std::map<std::string, std::string>& m_names;
    std::map<std::string, std::string> m_bound;  ///< names, by required value
    std::map<char, int> m_counts;
    std::set<std::string> m_openSplits;
    std::vector<std::string> m_conditions;
};

/// The text of a rule, from `rule` to its end.
std::string ruleText(const std::string& name, const RuleText& rule, const Shapes& shapes,
                     const std::map<std::string, std::string>& names) {
    Writer writer(shapes, names);
    std::vector<std::string> lefts;
    std::vector<std::string> rights;
    for (const Expr& left : rule.lefts) lefts.push_back(writer.left(left));
    // Parts of the same split share one term.
    const Expr& first = rule.rights.front();
    const bool isShared = rule.rights.size() > 1 && std::ranges::all_of(rule.rights, [&](const Expr& right) {
                              return right.op == Op::SplitPart && right.children == first.children &&
                                     right.attributes[0] == first.attributes[0];
                          });
    std::string shared;
    if (isShared) shared = fmt::format("\n    let parts = {}", writer.split(first, false));
    for (const Expr& right : rule.rights) {
        rights.push_back(isShared ? fmt::format("parts.{}", right.attributes[1]) : writer.right(right));
    }
    std::vector<std::string> conditions = shapes.conditions();
    conditions.insert(conditions.end(), writer.conditions().begin(), writer.conditions().end());
    return fmt::format("rule {} [real-only]:\n    {}\n    => {}{}{}{}\n", name, fmt::join(lefts, ",\n    "),
                       fmt::join(rights, ",\n       "), shared, conditions.empty() ? "" : "\n    where ",
                       fmt::join(conditions, "\n        and "));
}

}  // namespace

std::optional<std::string> fileOf(std::string_view setName) {
    if (!setName.starts_with(Prefix)) return std::nullopt;
    return std::string(setName.substr(Prefix.size()));
}

Translation translate(const SourceText& source) {
    Translation result;
    RuleFile file = read(source);
    result.errors = std::move(file.errors);
    result.omitted = std::move(file.unsupported);
    const std::string path = fileOf(source.name()).value_or(source.name());
    const std::string stem = nameLike(std::filesystem::path(path).stem().string());
    result.text =
        fmt::format("# TENSAT's rules of {}\n\nuse tensor\n", std::filesystem::path(path).filename().string());
    for (const RuleText& rule : file.rules) {
        const SourcePlace place = source.place(rule.span.begin);
        const auto omit = [&](std::string message) {
            Error error = source.error({rule.span.begin, rule.span.begin + 1}, std::move(message));
            error.code = ErrorCode::Unsupported;
            result.omitted.push_back(std::move(error));
        };
        if (rule.lefts == rule.rights) {
            omit("both sides are the same here: an activation is always an operator of its own");
            continue;
        }
        std::map<std::string, std::string> names;
        std::set<std::string> taken;
        for (const Expr& left : rule.lefts) nameVariables(left, names, taken);
        for (const Expr& right : rule.rights) nameVariables(right, names, taken);
        const Shapes shapes(rule, names);
        if (!shapes.obstacle().empty()) {
            omit(shapes.obstacle());
            continue;
        }
        const std::string name = fmt::format("{}_{}", stem, place.line);
        result.text += "\n";
        std::string_view lines = source.text().substr(rule.span.begin, rule.span.end - rule.span.begin);
        while (!lines.empty()) {
            const std::size_t end = std::min(lines.find('\n'), lines.size());
            std::string_view line = lines.substr(0, end);
            while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
            if (!line.empty()) result.text += fmt::format("# {}\n", line);
            lines.remove_prefix(std::min(end + 1, lines.size()));
        }
        result.text += ruleText(name, rule, shapes, names);
        result.places.emplace(name, place);
    }
    const auto inOrder = [](const Error& a, const Error& b) {
        return std::pair(a.place->line, a.place->column) < std::pair(b.place->line, b.place->column);
    };
    std::ranges::stable_sort(result.errors, inOrder);
    std::ranges::stable_sort(result.omitted, inOrder);
    return result;
}

}  // namespace mitos::rules::tensat
