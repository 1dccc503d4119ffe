// SPDX-License-Identifier: GPL-3.0-or-later
// Looks names up.
#include "core/rules/language/names.h"

#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::rules {

namespace {

/// An infix sign denotes the first of these operators that a dialect in use has.
struct Spelling {
    std::string_view written;
    std::string_view name;
};
constexpr std::array<Spelling, 8> Spellings{
    {{"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"+", "Add"}, {"-", "Sub"}, {"*", "Mul"}, {"/", "Div"}}};

constexpr std::array<std::string_view, 5> BuiltInClasses{"pointwise", "unary_pointwise", "binary_pointwise",
                                                         "commutative", "binder"};

bool isInClass(std::string_view name, const ir::OperatorInfo& info) {
    if (name == "pointwise") return info.traits.pointwise;
    if (name == "unary_pointwise") return info.traits.pointwise && info.minArity == 1 && info.maxArity == 1;
    if (name == "binary_pointwise") return info.traits.pointwise && info.minArity == 2 && info.maxArity == 2;
    if (name == "commutative") return info.traits.commutative;
    return info.bindingChild != ir::OperatorInfo::BindsNothing;
}

}  // namespace

std::string_view infixSign(std::string_view operatorName) {
    const auto* const found = std::ranges::find(Spellings, operatorName, &Spelling::name);
    return found == Spellings.end() ? std::string_view() : found->written;
}

bool Names::inUse(const ir::OperatorInfo& info) const {
    return m_dialects.empty() || info.dialect == "core" || info.dialect == "user" || m_dialects.contains(info.dialect);
}

ir::OpId Names::find(std::string_view name) const {
    for (const Spelling& spelling : Spellings) {
        if (spelling.written != name) continue;
        const ir::OpId id = m_registry->find(spelling.name);
        if (id.isValid() && inUse(m_registry->info(id))) return id;
    }
    const ir::OpId id = m_registry->find(name);
    // Patterns can name only tuple and get among the core operators; the others have a special syntax, or none.
    if (!id.isValid() || !inUse(m_registry->info(id)) ||
        (id < ir::opId(ir::CoreOp::Count) && name != "tuple" && name != "get")) {
        return {};
    }
    return id;
}

std::string Names::hintFor(std::string_view name, const std::vector<std::string>& others) const {
    if (const ir::OpId other = m_registry->find(name); other.isValid()) {
        const ir::OperatorInfo& info = m_registry->info(other);
        if (info.dialect == "core") return "write it in the language of the rules: let x = e in e, \\x. e, (e, e), e.0";
        return fmt::format("the dialect {} has it: add `use {}`", info.dialect, info.dialect);
    }
    std::vector<std::string_view> candidates(others.begin(), others.end());
    for (std::size_t i = 0; i < m_registry->size(); ++i) {
        const ir::OperatorInfo& info = m_registry->info(ir::OpId(static_cast<std::uint32_t>(i)));
        if (inUse(info) && find(info.name).isValid()) candidates.push_back(info.name);
    }
    if (std::string meant = suggestion(name, candidates); !meant.empty()) return meant;
    return fmt::format("declare it with `op {}(x)`, or name a function variable with one capital letter, F(x)", name);
}

std::vector<std::string> Names::dialects() const {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < m_registry->size(); ++i) {
        const std::string& dialect = m_registry->info(ir::OpId(static_cast<std::uint32_t>(i))).dialect;
        if (dialect == "core" || dialect == "user") continue;
        if (std::ranges::find(result, dialect) == result.end()) result.push_back(dialect);
    }
    return result;
}

void Names::addClass(std::string name, std::vector<std::string> operators) {
    m_classes.emplace_back(std::move(name), std::move(operators));
}

bool Names::isClass(std::string_view name) const {
    return std::ranges::find(BuiltInClasses, name) != BuiltInClasses.end() ||
           std::ranges::any_of(m_classes, [&](const auto& c) { return c.first == name; });
}

std::vector<std::string> Names::classMembers(std::string_view name) const {
    for (const auto& [declared, members] : m_classes) {
        if (declared == name) return members;
    }
    std::vector<std::string> result;
    for (std::size_t i = 0; i < m_registry->size(); ++i) {
        const ir::OperatorInfo& info = m_registry->info(ir::OpId(static_cast<std::uint32_t>(i)));
        if (inUse(info) && isInClass(name, info)) result.push_back(info.name);
    }
    return result;
}

std::string Names::classNames() const {
    std::vector<std::string> names(BuiltInClasses.begin(), BuiltInClasses.end());
    for (const auto& [name, members] : m_classes) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

void Names::addAnalysis(std::string name, const std::vector<std::string>& words) {
    m_analyses.push_back(std::move(name));
    m_analysisWords.insert(words.begin(), words.end());
}

std::optional<std::uint32_t> Names::analysis(std::string_view name) const {
    const auto found = std::ranges::find(m_analyses, name);
    if (found == m_analyses.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - m_analyses.begin());
}

}  // namespace mitos::rules
