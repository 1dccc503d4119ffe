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
#include <system_error>

namespace mitos::rules::tensat {

namespace {

constexpr std::array<std::string_view, 18> Reserved{"use",   "include", "op",    "class", "pattern", "rule",
                                                    "where", "with",    "local", "let",   "not",     "in",
                                                    "and",   "or",      "if",    "true",  "false",   "parts"};
constexpr std::string_view PatternPrefix = "Conv";  ///< of the names of patterns

bool isNamePart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A valid name of the rule language that resembles the text.
std::string nameLike(std::string_view text) {
    std::string name;
    for (const char c : text) name += isNamePart(c) ? c : '_';
    const bool isDigit = !name.empty() && name[0] >= '0' && name[0] <= '9';
    const bool isReserved = std::ranges::find(Reserved, name) != Reserved.end();
    return name.empty() || isDigit || isReserved || name.starts_with(PatternPrefix) ? "x_" + name : name;
}

/// Whether the translation may generate the name: for groups, pads, cuts, sizes of splits and epsilons.
bool isMadeUp(std::string_view name) {
    return name.size() > 1 && std::string_view("gpcse").find(name[0]) != std::string_view::npos &&
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
constexpr std::array<std::string_view, 19> OperatorNames{
    "",        "",        "Concat",     "Conv",  "MatMul",    "Add",     "Mul",         "Relu",
    "Tanh",    "Sigmoid", "Mul",        "Split", "Transpose", "MaxPool", "AveragePool", "BatchNormalization",
    "Reshape", "Pad",     "MergeGroups"};

std::string_view nameOf(Op op) { return OperatorNames[static_cast<std::size_t>(op)]; }

/// A convolution with an activation, fused or not: a pattern of left sides.
struct ActivePattern {
    Op activation;
    std::array<std::int64_t, 2> strides;

    [[nodiscard]] std::string name() const {
        return fmt::format("{}{}_{}_{}", PatternPrefix, nameOf(activation), strides[0], strides[1]);
    }
    [[nodiscard]] std::string text() const {
        return fmt::format(
            "pattern {0}(x, w, p, g) = {1}(Conv[strides=[{2}, {3}], pads=p, dilations=[1, 1], group=g](x, w))\n"
            "pattern {0}(x, w, p, g) =\n"
            "    FusedConv[strides=[{2}, {3}], pads=p, dilations=[1, 1], group=g, activation=\"{1}\"](x, w)\n",
            name(), nameOf(activation), strides[0], strides[1]);
    }
    friend auto operator<=>(const ActivePattern&, const ActivePattern&) = default;
};

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
    /// Conditions under which joined convolutions keep their values: none has groups, and kernels grow alike on opposite sides.
    [[nodiscard]] std::vector<std::string> restrictions() const {
        std::vector<std::string> conditions = m_evenGrowth;
        const auto groups = m_counts.find('g');
        for (int i = 1; groups != m_counts.end() && i <= groups->second; ++i) {
            conditions.push_back(fmt::format("g{} == 1", i));
        }
        return conditions;
    }
    /// The patterns that the left sides use.
    [[nodiscard]] const std::set<ActivePattern>& patterns() const { return m_patterns; }

private:
    std::string term(const Expr& expr, bool isLeft) {
        if (expr.op == Op::Variable) return m_names.at(expr.name);
        if (expr.op == Op::Number) return expr.name;
        if (expr.op == Op::SplitPart) return fmt::format("{}.{}", split(expr, isLeft), expr.attributes[1]);
        if (expr.isFused) return fusedConv(expr, isLeft);
        if (expr.op == Op::Enlarge) return enlarged(expr);
        const std::string own = attributes(expr, isLeft);
        std::string arguments;
        for (const Expr& child : expr.children) {
            const bool isMerged = child.op == Op::Merge;
            arguments += (arguments.empty() ? "" : ", ") + (isMerged ? merged(expr, child) : term(child, isLeft));
        }
        return fmt::format("{}{}({})", nameOf(expr.op), own, arguments);
    }

    std::string fusedConv(const Expr& expr, bool isLeft) {
        const Expr& conv = expr.children[0];
        const Expr& kernel = conv.children[1];
        if (isLeft) {
            const ActivePattern pattern{expr.op, strides(conv)};
            m_patterns.insert(pattern);
            const std::string placed = padsOf(conv, true);
            return fmt::format("{}({}, {}, {}, {})", pattern.name(), term(conv.children[0], true), term(kernel, true),
                               placed, group(conv, true));
        }
        const std::string own = attributes(conv, false);
        const std::string input = term(conv.children[0], false);
        const std::string weights = kernel.op == Op::Merge ? merged(conv, kernel) : term(kernel, false);
        return fmt::format("Fused{}, activation=\"{}\"]({}, {})", "Conv" + own.substr(0, own.size() - 1),
                           nameOf(expr.op), input, weights);
    }

    /// The kernel with zeros around it, the odd ones behind.
    std::string enlarged(const Expr& expr) {
        std::array<std::string, 2> more;
        for (std::size_t axis = 0; axis < more.size(); ++axis) {
            more[axis] = fmt::format("{} - {}", m_shapes.factor(m_shapes.size(expr.children[1], axis + 2)),
                                     m_shapes.factor(m_shapes.size(expr.children[0], axis + 2)));
            m_evenGrowth.push_back(fmt::format("({}) % 2 == 0", more[axis]));
        }
        return fmt::format("Pad[pads=[0, 0, ({0}) / 2, ({1}) / 2, 0, 0, ({0} + 1) / 2, ({1} + 1) / 2]]({2})", more[0],
                           more[1], term(expr.children[0], false));
    }

    /// The kernel of a convolution in which `count` neighbouring groups at a time become one.
    std::string merged(const Expr& conv, const Expr& expr) {
        const std::int64_t count = expr.attributes[0];
        const Expr& kernel = expr.children[0];
        const std::string inner = kernel.op == Op::Merge ? merged(conv, kernel) : term(kernel, false);
        const std::string groups = value('g', groupsOf(conv, kernel), false);
        const bool isName = groups.find(' ') == std::string::npos;
        m_conditions.push_back(fmt::format("{} % {} == 0", isName ? groups : fmt::format("({})", groups), count));
        return fmt::format("{}[group={}, count={}]({})", nameOf(expr.op), groups, count, inner);
    }

    std::string attributes(const Expr& expr, bool isLeft) {
        switch (expr.op) {
            case Op::Concat: return fmt::format("[axis={}]", expr.attributes[0]);
            case Op::Transpose: return fmt::format("[perm={}]", list(expr.attributes));
            case Op::Reshape: return fmt::format("[shape={}]", list(expr.attributes));
            case Op::BatchNorm: {
                if (isLeft) m_epsilon = "[epsilon=e1]";
                return m_epsilon;
            }
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
        const bool isValid = padding(expr) == Padding::Valid;
        return fmt::format("strides=[{}, {}], pads={}", down, across, isValid ? "[0, 0, 0, 0]" : padsOf(expr, isLeft));
    }

    /// A name on the left side.
    std::string padsOf(const Expr& expr, bool isLeft) {
        if (padding(expr) == Padding::Valid) return value('p', "[0, 0, 0, 0]", isLeft);
        const auto [top, bottom] = m_shapes.samePads(expr, 2);
        const auto [begin, end] = m_shapes.samePads(expr, 3);
        return value('p', fmt::format("[{}, {}, {}, {}]", top, begin, bottom, end), isLeft);
    }

    std::string group(const Expr& conv, bool isLeft) { return value('g', groupsOf(conv, conv.children[1]), isLeft); }

    /// The number of groups that a convolution has with such a kernel.
    [[nodiscard]] std::string groupsOf(const Expr& conv, const Expr& kernel) const {
        return fmt::format("{} / {}", m_shapes.factor(m_shapes.size(conv.children[0], 1)),
                           m_shapes.factor(m_shapes.size(kernel, 1)));
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
    std::vector<std::string> m_evenGrowth;
    std::set<ActivePattern> m_patterns;
    std::string m_epsilon;  ///< the attribute of all batch normalizations: the default, unless the left side has one
};

enum class Reading : std::uint8_t {
    Published,
    Restricted,  ///< Writer::restrictions() are added
};

/// The text of a rule, from `rule` to its end. Adds the patterns that it uses.
std::string ruleText(const std::string& name, const RuleText& rule, const Shapes& shapes,
                     const std::map<std::string, std::string>& names, std::set<ActivePattern>& patterns,
                     Reading reading = Reading::Published) {
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
    const std::string shared = isShared ? "\n    let parts = " + writer.split(first, false) : "";
    for (const Expr& right : rule.rights) {
        rights.push_back(isShared ? fmt::format("parts.{}", right.attributes[1]) : writer.right(right));
    }
    std::vector<std::string> conditions = shapes.conditions();
    conditions.insert(conditions.end(), writer.conditions().begin(), writer.conditions().end());
    if (reading == Reading::Restricted) {
        for (std::string& condition : writer.restrictions()) conditions.push_back(std::move(condition));
    }
    patterns.insert(writer.patterns().begin(), writer.patterns().end());
    return fmt::format("rule {} [real-only]:\n    {}\n    => {}{}{}{}\n", name, fmt::join(lefts, ",\n    "),
                       fmt::join(rights, ",\n       "), shared, conditions.empty() ? "" : "\n    where ",
                       fmt::join(conditions, "\n        and "));
}

/// Whether a convolution of the term makes one of several: its kernel is joined along the outputs, for one input, or along the inputs. With
/// groups, the outputs or inputs come in another order.
bool joinsConvolutions(const Expr& expr) {
    if (expr.op == Op::Conv && expr.children[1].op == Op::Concat) {
        const bool isAlongOutputs = expr.children[1].attributes[0] == 0;
        if (!isAlongOutputs || expr.children[0].op != Op::Concat) return true;
    }
    return std::ranges::any_of(expr.children, joinsConvolutions);
}

/// Translates files to one rule file.
class Translator {
public:
    /// `number`: of the first rule in the file, if rules are named by numbers; otherwise they are named after their lines.
    void add(const SourceText& source, std::optional<std::size_t> number);
    [[nodiscard]] std::size_t count() const { return m_count; }
    [[nodiscard]] Translation finish(const std::string& title) &&;

private:
    void add(const SourceText& source, const RuleText& rule, const std::string& name);

    Translation m_result;
    std::string m_rules;
    std::string m_restricted;  ///< rules of m_rules again, restricted
    std::set<ActivePattern> m_patterns;
    std::size_t m_count = 0;
};

void Translator::add(const SourceText& source, std::optional<std::size_t> number) {
    RuleFile file = read(source);
    m_count += file.count;
    std::vector<Error>& omitted = m_result.omitted;
    m_result.errors.insert(m_result.errors.end(), file.errors.begin(), file.errors.end());
    const std::size_t first = omitted.size();
    omitted.insert(omitted.end(), file.unsupported.begin(), file.unsupported.end());
    const std::string path = fileOf(source.name()).value_or(source.name());
    const std::string stem = nameLike(std::filesystem::path(path).stem().string());
    for (const RuleText& rule : file.rules) {
        const int line = source.place(rule.span.begin).line;
        add(source, rule, number ? fmt::format("tensat_{}", *number + rule.number) : fmt::format("{}_{}", stem, line));
    }
    std::stable_sort(omitted.begin() + static_cast<std::ptrdiff_t>(first), omitted.end(),
                     [](const Error& a, const Error& b) {
                         return std::pair(a.place->line, a.place->column) < std::pair(b.place->line, b.place->column);
                     });
}

void Translator::add(const SourceText& source, const RuleText& rule, const std::string& name) {
    const auto omit = [&](std::string message) {
        Error error = source.error({rule.span.begin, rule.span.begin + 1}, std::move(message));
        error.code = ErrorCode::Unsupported;
        m_result.omitted.push_back(std::move(error));
    };
    if (rule.lefts == rule.rights) {
        return omit(
            "both sides are the same here: an activation is an operator of its own, except behind a convolution, and "
            "dropout does nothing");
    }
    std::map<std::string, std::string> names;
    std::set<std::string> taken;
    for (const Expr& left : rule.lefts) nameVariables(left, names, taken);
    for (const Expr& right : rule.rights) nameVariables(right, names, taken);
    const Shapes shapes(rule, names);
    if (!shapes.obstacle().empty()) return omit(shapes.obstacle());
    m_rules += "\n";
    std::string_view lines = source.text().substr(rule.span.begin, rule.span.end - rule.span.begin);
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        std::string_view line = lines.substr(0, end);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        if (!line.empty()) m_rules += fmt::format("# {}\n", line);
        lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    m_rules += ruleText(name, rule, shapes, names, m_patterns);
    m_result.places.emplace(name, source.place(rule.span.begin));
    if (!std::ranges::any_of(rule.rights, joinsConvolutions)) return;
    if (std::ranges::any_of(rule.lefts, joinsConvolutions)) return;
    const std::string restricted = name + "_restricted";
    m_restricted +=
        fmt::format("\n# {} for convolutions without groups, and kernels that grow alike on opposite sides.\n", name);
    m_restricted += ruleText(restricted, rule, shapes, names, m_patterns, Reading::Restricted);
    m_result.places.emplace(restricted, source.place(rule.span.begin));
}

Translation Translator::finish(const std::string& title) && {
    m_result.text = fmt::format("# TENSAT's rules of {}\n\nuse tensor\n", title);
    for (const ActivePattern& pattern : m_patterns) m_result.text += "\n" + pattern.text();
    m_result.text += m_rules;
    if (!m_restricted.empty()) {
        m_result.text += "\n# Rules that join convolutions, where they hold.\n";
        m_result.text += m_restricted;
    }
    return std::move(m_result);
}

}  // namespace

std::optional<std::string> fileOf(std::string_view setName) {
    if (!setName.starts_with(Prefix)) return std::nullopt;
    return std::string(setName.substr(Prefix.size()));
}

std::optional<std::string> folderOf(std::string_view setName) {
    std::optional<std::string> path = fileOf(setName);
    std::error_code code;
    if (!path || !std::filesystem::is_directory(*path, code)) return std::nullopt;
    return path;
}

Result<std::vector<SourceText>> readFolder(const std::string& folder) {
    std::vector<SourceText> files;
    for (const std::string_view name : FolderFiles) {
        const std::string path = (std::filesystem::path(folder) / name).string();
        Result<SourceText> file = readSourceFile(path);
        if (!file) {
            Error error = std::move(file).error();
            error.hint = fmt::format("a folder of TENSAT's rules has the files {}; one of them alone is tensat:FILE",
                                     fmt::join(FolderFiles, ", "));
            return error;
        }
        files.emplace_back(std::string(Prefix) + path, std::string(file->text()));
    }
    return files;
}

Translation translate(const SourceText& source) {
    Translator translator;
    translator.add(source, std::nullopt);
    return std::move(translator)
        .finish(std::filesystem::path(fileOf(source.name()).value_or(source.name())).filename().string());
}

Translation translateFolder(const std::string& folder, std::span<const SourceText> files) {
    Translator translator;
    for (const SourceText& file : files) translator.add(file, translator.count());
    return std::move(translator).finish(folder);
}

}  // namespace mitos::rules::tensat
