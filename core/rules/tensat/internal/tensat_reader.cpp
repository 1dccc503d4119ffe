// SPDX-License-Identifier: GPL-3.0-or-later
// Turns lines into s-expressions, and s-expressions into terms.
#include "core/rules/tensat/internal/tensat_reader.h"

#include "core/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace mitos::rules::tensat {

namespace {

/// The limit on nested brackets, because the later passes are recursive.
constexpr int MaxDepth = 40;

struct SExpression {
    std::string_view atom;  ///< empty for a list
    std::vector<SExpression> children;
    SourceSpan span;
};

struct Form {
    std::string_view name;
    Op op;
    std::size_t before;  ///< count of numbers before the terms
    std::size_t terms;
    std::size_t behind;  ///< count of numbers after the terms
    std::string_view usage;
};

constexpr std::string_view SplitName = "split";
constexpr std::string_view DropoutName = "dropout";
constexpr std::string_view OnesName = "Iewmul";
constexpr std::int64_t LargestNumber = 1000;  ///< for parameters
constexpr std::int64_t MostMerged = 64;       ///< groups that one merge joins: the translation has a term for each
constexpr std::array<Form, 21> Forms{{
    {"ewadd", Op::Add, 0, 2, 0, "(ewadd a b)"},
    {"ewmul", Op::Mul, 0, 2, 0, "(ewmul a b)"},
    {"smul", Op::Scale, 0, 2, 0, "(smul tensor scalar)"},
    {"relu", Op::Relu, 0, 1, 0, "(relu x)"},
    {"tanh", Op::Tanh, 0, 1, 0, "(tanh x)"},
    {"sigmoid", Op::Sigmoid, 0, 1, 0, "(sigmoid x)"},
    {"matmul", Op::MatMul, 1, 2, 0, "(matmul activation a b)"},
    {"conv2d", Op::Conv, 4, 2, 0, "(conv2d stride-h stride-w padding activation x w)"},
    {"concat", Op::Concat, 2, 2, 0, "(concat axis rank a b)"},
    {"concat3", Op::Concat, 2, 3, 0, "(concat3 axis rank a b c)"},
    {"concat4", Op::Concat, 2, 4, 0, "(concat4 axis rank a b c d)"},
    {"concat5", Op::Concat, 2, 5, 0, "(concat5 axis rank a b c d e)"},
    {"split_0", Op::SplitPart, 0, 1, 0, "(split_0 (split axis x))"},
    {"split_1", Op::SplitPart, 0, 1, 0, "(split_1 (split axis x))"},
    {"transpose", Op::Transpose, 0, 1, 2, "(transpose x 1_0 shuffle)"},
    {"poolmax", Op::MaxPool, 0, 1, 6, "(poolmax x kernel-h kernel-w stride-h stride-w padding activation)"},
    {"poolavg", Op::AveragePool, 0, 1, 6, "(poolavg x kernel-h kernel-w stride-h stride-w padding activation)"},
    {"batchnorm", Op::BatchNorm, 0, 5, 0, "(batchnorm x scale bias mean variance)"},
    {"reshape", Op::Reshape, 0, 1, 1, "(reshape x 1_64_16)"},
    {"enlarge", Op::Enlarge, 0, 2, 0, "(enlarge w reference)"},
    {"merge", Op::Merge, 0, 1, 1, "(merge w count)"},
}};

/// The position of the activation among the numbers; nothing if there is none.
std::optional<std::size_t> activationOf(Op op) {
    switch (op) {
        case Op::MatMul: return 0;
        case Op::Conv: return 3;
        case Op::MaxPool:
        case Op::AveragePool: return 5;
        default: return std::nullopt;
    }
}

std::optional<std::size_t> paddingOf(Op op) {
    switch (op) {
        case Op::Conv: return 2;
        case Op::MaxPool:
        case Op::AveragePool: return 4;
        default: return std::nullopt;
    }
}

/// The numbers in a text such as "1_0".
std::optional<std::vector<std::int64_t>> numbersIn(std::string_view text) {
    std::vector<std::int64_t> result;
    while (true) {
        const std::size_t end = std::min(text.find('_'), text.size());
        const std::optional<std::int64_t> number = numberFrom<std::int64_t>(text.substr(0, end));
        if (!number || *number < 0) return std::nullopt;
        result.push_back(*number);
        if (end == text.size()) return result;
        text.remove_prefix(end + 1);
    }
}

bool isOrderOfAxes(std::vector<std::int64_t> numbers) {
    std::ranges::sort(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
}

/// Why a constant of TENSAT cannot be translated; empty if the name is that of another thing.
std::string_view obstacleOfConstant(std::string_view name) {
    if (name == OnesName) return "Iewmul is translated as the second factor of ewmul only";
    if (name == "Imatmul" || name == "Iconv" || name == "Cpool")
        return "the size of this constant follows from its surroundings, and an array of ours has its own";
    return {};
}

/// Reads one line.
class LineReader {
public:
    LineReader(const SourceText& source, SourceSpan span) : m_source(source), m_at(span.begin), m_end(span.end) {}

    Result<std::pair<Expr, Expr>> run() {
        MITOS_TRY(const SExpression left, expression(0));
        skip();
        if (m_source.text().substr(m_at, 2) != "=>" || m_at + 2 > m_end)
            return expected("'=>' and the right side of the rule");
        m_at += 2;
        MITOS_TRY(const SExpression right, expression(0));
        skip();
        if (m_at < m_end) return expected("the end of the line");
        MITOS_TRY(Expr from, term(left));
        MITOS_TRY(Expr to, term(right));
        return std::pair(std::move(from), std::move(to));
    }

private:
    [[nodiscard]] char peek() const { return m_at < m_end ? m_source.text()[m_at] : '\0'; }
    static bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }
    void skip() {
        while (isSpace(peek())) ++m_at;
    }

    [[nodiscard]] Error expected(std::string_view what) const {
        const std::string found = m_at < m_end ? fmt::format("'{}'", m_source.text()[m_at]) : "the end of the line";
        return m_source.error({m_at, m_at + 1}, fmt::format("expected {}, found {}", what, found),
                              "a line of TENSAT's rules is (left)=>(right)");
    }

    Result<SExpression> expression(int depth) {
        skip();
        SExpression result;
        const std::size_t begin = m_at;
        if (peek() == '(') {
            if (depth >= MaxDepth) {
                return m_source.error({m_at, m_at + 1}, "the rule is nested too deeply",
                                      fmt::format("at most {} brackets", MaxDepth));
            }
            ++m_at;
            for (skip(); peek() != ')'; skip()) {
                if (m_at >= m_end) return expected("')'");
                MITOS_TRY(SExpression child, expression(depth + 1));
                result.children.push_back(std::move(child));
            }
            ++m_at;
            if (result.children.empty()) {
                return m_source.error({begin, m_at}, "these brackets are empty",
                                      "the name of an operator and what it is applied to");
            }
        } else {
            while (m_at < m_end && !isSpace(peek()) && peek() != '(' && peek() != ')' && peek() != '=') ++m_at;
            if (m_at == begin) return expected("'(' or a variable");
            result.atom = m_source.text().substr(begin, m_at - begin);
        }
        result.span = {begin, m_at};
        return result;
    }

    [[nodiscard]] Error unsupported(SourceSpan span, std::string message) const {
        Error error = m_source.error(span, std::move(message));
        error.code = ErrorCode::Unsupported;
        return error;
    }

    [[nodiscard]] Result<Expr> term(const SExpression& from) const {
        if (!from.atom.empty()) {
            if (from.atom.front() == '?' && from.atom.size() > 1) return Expr{.name = std::string(from.atom)};
            if (const std::string_view why = obstacleOfConstant(from.atom); !why.empty())
                return unsupported(from.span, std::string(why));
            return m_source.error(from.span, fmt::format("expected a term, found '{}'", from.atom),
                                  "variables begin with a question mark, ?x; operators are written in brackets");
        }
        const SExpression& head = from.children.front();
        if (head.atom == DropoutName) return inputOfDropout(from);
        const auto* const form = std::ranges::find(Forms, head.atom, &Form::name);
        if (form == Forms.end()) {
            if (head.atom.empty()) return m_source.error(head.span, "expected the name of an operator", "(relu ?x)");
            if (head.atom == SplitName)
                return unsupported(head.span, "the parts of split are taken with split_0 and split_1 only");
            if (const std::string_view why = obstacleOfConstant(head.atom); !why.empty())
                return unsupported(head.span, std::string(why));
            return unsupported(head.span, fmt::format("the operator {} has no translation", head.atom));
        }
        MITOS_REQUIRE(requireArguments(from, form->before + form->terms + form->behind, form->usage));
        return applied(*form, from);
    }

    [[nodiscard]] Status requireArguments(const SExpression& from, std::size_t wanted, std::string_view usage) const {
        if (from.children.size() == wanted + 1) return Success{};
        return m_source.error(from.span,
                              fmt::format("{} takes {} argument{}, {} given", from.children.front().atom, wanted,
                                          wanted == 1 ? "" : "s", from.children.size() - 1),
                              std::string(usage));
    }

    [[nodiscard]] Result<Expr> inputOfDropout(const SExpression& from) const {
        MITOS_REQUIRE(requireArguments(from, 1, "(dropout x)"));
        return term(from.children[1]);
    }

    [[nodiscard]] Result<Expr> applied(const Form& form, const SExpression& from) const {
        Expr result{.op = form.op};
        if (form.op == Op::SplitPart) return splitPart(form, from);
        for (std::size_t i = 1; i < from.children.size(); ++i) {
            const SExpression& argument = from.children[i];
            const bool isTerm = i > form.before && i <= form.before + form.terms;
            if (isTerm && form.op == Op::Scale && i == 2 && !argument.atom.empty() && argument.atom.front() != '?') {
                if (!isNumber(argument.atom)) return m_source.error(argument.span, "expected a number or a variable");
                result.children.push_back({.op = Op::Number, .name = std::string(argument.atom)});
            } else if (form.op == Op::Mul && i == 2 && argument.atom == OnesName) {
                result.op = Op::Scale;
                result.children.push_back({.op = Op::Number, .name = "1"});
            } else if (isTerm) {
                MITOS_TRY(Expr child, term(argument));
                result.children.push_back(std::move(child));
            } else if (form.op == Op::Transpose) {
                if (i == 3) break;  // whether data is moved at once, which does not affect the value
                const auto order = numbersIn(argument.atom);
                if (!order || !isOrderOfAxes(*order))
                    return unsupported(argument.span, "an order of axes is written like 1_0 to be translated");
                result.attributes = *order;
            } else if (form.op == Op::Reshape) {
                const auto sizes = numbersIn(argument.atom);
                if (!sizes) return unsupported(argument.span, "a shape is written like 1_64_16 to be translated");
                result.attributes = *sizes;
            } else {
                MITOS_TRY(const std::int64_t number, parameter(form, result.attributes.size(), argument));
                result.attributes.push_back(number);
            }
        }
        const std::optional<std::size_t> activation = activationOf(form.op);
        if (!activation) return result;
        const std::int64_t kind = result.attributes[*activation];
        result.attributes.erase(result.attributes.begin() + static_cast<std::ptrdiff_t>(*activation));
        constexpr std::array<Op, 4> Activations{Op::Variable, Op::Sigmoid, Op::Relu, Op::Tanh};
        if (kind == 0) return result;
        const bool isFused = form.op == Op::Conv;
        return Expr{
            .op = Activations[static_cast<std::size_t>(kind)], .children = {std::move(result)}, .isFused = isFused};
    }

    static bool isNumber(std::string_view text) {
        const std::size_t digits = text.front() == '-' ? 1 : 0;
        return text.size() > digits && text.find_first_not_of("0123456789.", digits) == std::string_view::npos &&
               text[digits] != '.' && text.back() != '.' && std::ranges::count(text, '.') <= 1;
    }

    [[nodiscard]] Result<Expr> splitPart(const Form& form, const SExpression& from) const {
        const SExpression& split = from.children[1];
        if (split.children.size() != 3 || split.children[0].atom != SplitName) {
            return unsupported(split.span, fmt::format("the argument of {} is not a split", form.name));
        }
        MITOS_TRY(const std::int64_t axis, parameter(form, 0, split.children[1]));
        MITOS_TRY(Expr of, term(split.children[2]));
        return Expr{
            .op = Op::SplitPart, .attributes = {axis, form.name == "split_0" ? 0 : 1}, .children = {std::move(of)}};
    }

    [[nodiscard]] Result<std::int64_t> parameter(const Form& form, std::size_t index, const SExpression& from) const {
        if (!from.atom.empty() && from.atom.front() == '?') {
            return unsupported(from.span, fmt::format("{}: variables for numbers are not translated", form.name));
        }
        const std::optional<std::int64_t> value = numberFrom<std::int64_t>(from.atom);
        std::int64_t least = 0;
        std::int64_t most = LargestNumber;
        if (index == activationOf(form.op)) {
            most = 3;
        } else if (index == paddingOf(form.op)) {
            most = 1;
        } else if (form.op == Op::Conv || form.op == Op::MaxPool || form.op == Op::AveragePool) {
            least = 1;
        } else if (form.op == Op::Merge) {
            least = 2;
            most = MostMerged;
        }
        if (value && *value >= least && *value <= most) return *value;
        return m_source.error(from.span,
                              fmt::format("expected a whole number from {} to {}, found {}", least, most,
                                          from.atom.empty() ? "a term" : fmt::format("'{}'", from.atom)),
                              std::string(form.usage));
    }

    const SourceText& m_source;
    std::size_t m_at;
    std::size_t m_end;
};

void addVariables(const Expr& expr, std::set<std::string>& names) {
    if (expr.op == Op::Variable) names.insert(expr.name);
    for (const Expr& child : expr.children) addVariables(child, names);
}

/// A variable of the right sides that no left side has; empty if there is none.
std::string unboundVariable(const std::vector<Expr>& lefts, const std::vector<Expr>& rights) {
    std::set<std::string> bound;
    std::set<std::string> used;
    for (const Expr& left : lefts) addVariables(left, bound);
    for (const Expr& right : rights) addVariables(right, used);
    for (const std::string& name : used) {
        if (!bound.contains(name)) return name;
    }
    return {};
}

struct Line {
    SourceSpan span;
    Result<std::pair<Expr, Expr>> rule;
};

std::vector<Line> lines(const SourceText& source) {
    std::vector<Line> result;
    const std::string_view text = source.text();
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::size_t next = end + 1;
        while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r')) --end;
        if (end > begin) result.push_back({{begin, end}, LineReader(source, {begin, end}).run()});
        begin = next;
    }
    return result;
}

}  // namespace

std::string text(const Expr& expr) {
    if (expr.op == Op::Variable || expr.op == Op::Number) return expr.name;
    std::string result = fmt::format("({}", static_cast<int>(expr.op));
    for (const std::int64_t attribute : expr.attributes) result += fmt::format(" {}", attribute);
    for (const Expr& child : expr.children) result += " " + text(child);
    return result + ")";
}

RuleFile read(const SourceText& source) {
    RuleFile file;
    const std::vector<Line> all = lines(source);
    const bool isPairs = std::ranges::any_of(all, [](const Line& line) {
        return line.rule && !unboundVariable({line.rule->first}, {line.rule->second}).empty();
    });
    constexpr const char* PairsHint =
        "right sides of this file have variables that their left sides lack, so two lines are one rule";
    const std::size_t step = isPairs ? 2 : 1;
    file.count = (all.size() + step - 1) / step;
    for (std::size_t i = 0; i < all.size(); i += step) {
        if (i + step > all.size()) {
            file.errors.push_back(source.error(all[i].span, "the second line of this rule is missing", PairsHint));
            break;
        }
        RuleText rule{
            .lefts = {}, .rights = {}, .span = {all[i].span.begin, all[i + step - 1].span.end}, .number = i / step};
        bool good = true;
        for (std::size_t k = i; k < i + step; ++k) {
            const Result<std::pair<Expr, Expr>>& line = all[k].rule;
            if (line) {
                rule.lefts.push_back(line->first);
                rule.rights.push_back(line->second);
                continue;
            }
            good = false;
            (line.error().code == ErrorCode::Unsupported ? file.unsupported : file.errors).push_back(line.error());
        }
        if (!good) continue;
        if (const std::string name = unboundVariable(rule.lefts, rule.rights); !name.empty()) {
            file.errors.push_back(
                source.error(rule.span, fmt::format("{} occurs on the right side only", name), PairsHint));
        } else {
            file.rules.push_back(std::move(rule));
        }
    }
    return file;
}

}  // namespace mitos::rules::tensat
