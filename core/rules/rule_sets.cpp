// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/rule_sets.h"

#include "core/base/suggestion.h"
#include "core/rules/directed_rule.h"
#include "core/rules/rule.h"
#include "core/rules/tensat/tensat.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace mitos::rules {

namespace {

constexpr char LeavesOut = '-';  ///< before the name of a rule

/// The other dialect to whose programs the rule belongs; empty if it applies to programs of `own`.
std::string_view otherDialect(const CompiledRule& rule, const ir::OperatorRegistry& registry, const ir::Dialect& own) {
    for (const NodeTable* const table : tablesOf(rule)) {
        for (const Node& node : table->nodes) {
            if (node.kind != NodeKind::Apply) continue;
            const ir::Dialect* const used = registry.findDialect(registry.info(node.op).dialect);
            if (used != nullptr && used->name != own.name) return used->name;
            const bool binds = node.op == ir::opId(ir::CoreOp::Let) || node.op == ir::opId(ir::CoreOp::Lam);
            if (used != nullptr || !binds || own.sharesByLet()) continue;
            const auto all = registry.dialects();
            const auto other = std::ranges::find_if(all, [](const auto& one) { return one->sharesByLet(); });
            if (other != all.end()) return (*other)->name;
        }
    }
    return {};
}

}  // namespace

RuleChoice RuleChoice::parse(std::string_view text) {
    RuleChoice result;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, comma);
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        const bool isLeftOut = part.size() > 1 && part.front() == LeavesOut;
        if (isLeftOut) part.remove_prefix(1);
        std::vector<std::string>& list = isLeftOut ? result.leftOut : result.sets;
        if (!part.empty()) list.emplace_back(part);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return result;
}

void RuleChoice::use(const std::string& set, bool isUsed) {
    std::erase(sets, set);
    if (isUsed) sets.push_back(set);
}

void RuleChoice::leaveOut(const std::string& rule, bool isLeftOut) {
    std::erase(leftOut, rule);
    if (isLeftOut) leftOut.push_back(rule);
}

std::string RuleChoice::toString() const {
    std::vector<std::string> parts = sets;
    for (const std::string& rule : leftOut) parts.push_back(LeavesOut + rule);
    return fmt::format("{}", fmt::join(parts, ","));
}

Status requireLeftOut(std::string_view choice, const RuleBook& book) {
    const std::vector<std::string> found = RuleChoice::parse(book.names()).leftOut;
    std::vector<std::string_view> names;
    for (const RuleSet& set : book.sets()) {
        for (const auto& rule : set.rules) names.emplace_back(rule->name);
    }
    for (const std::string& rule : RuleChoice::parse(choice).leftOut) {
        if (std::ranges::find(found, rule) != found.end()) continue;
        return inputError(fmt::format("there is no rule {} to leave out", rule),
                          suggestion(rule, names, "`mitos-cli rules list` shows the rules of a set"));
    }
    return Success{};
}

std::string_view declaredDialect(std::string_view text) {
    constexpr std::string_view Use = "use ";
    std::string_view declared;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (!line.starts_with(Use)) continue;
        line.remove_prefix(std::min(line.find_first_not_of(' ', Use.size()), line.size()));
        const std::string_view name = line.substr(0, line.find_first_of(" #\t\r"));
        if (!declared.empty() && declared != name) return {};
        declared = name;
    }
    return declared;
}

bool isShipped(std::string_view name) { return std::ranges::find(shippedRuleSets(), name) != shippedRuleSets().end(); }

std::vector<std::string> shippedRuleSets(const ir::Dialect& dialect) {
    std::vector<std::string> sets;
    std::ranges::copy_if(shippedRuleSets(), std::back_inserter(sets),
                         [&dialect](const std::string& name) { return isFor(name, dialect); });
    return sets;
}

bool isFor(std::string_view set, const ir::Dialect& dialect) {
    if (tensat::fileOf(set)) return dialect.name == tensor::DialectName;
    const Result<SourceText> shipped = shippedRuleSetText(set);
    return !shipped || declaredDialect(shipped->text()) == dialect.name;
}

std::string withWholePaths(std::string_view names) {
    RuleChoice choice = RuleChoice::parse(names);
    for (std::string& set : choice.sets) {
        if (isShipped(set)) continue;
        const std::optional<std::string> foreign = tensat::fileOf(set);
        const std::string file = foreign.value_or(set);
        std::error_code unknown;
        if (!std::filesystem::exists(file, unknown)) continue;  // loading reports the error, with the name as given
        const std::filesystem::path whole = std::filesystem::absolute(file, unknown);
        if (!unknown) set = (foreign ? "tensat:" : "") + whole.lexically_normal().string();
    }
    return choice.toString();
}

Status requireFor(const DirectedRule& rule, const ir::OperatorRegistry& registry, const ir::Dialect& dialect) {
    std::string_view other = rule.rule().dialect;
    if (const CompiledRule* const compiled = compiledOf(rule); other.empty() && compiled != nullptr) {
        other = otherDialect(*compiled, registry, dialect);
    }
    if (other.empty() || other == dialect.name) return Success{};
    const std::vector<std::string> sets = shippedRuleSets(dialect);
    return inputError(
        fmt::format("{} is a rule for {} programs, and this is a {} program", rule.name(), other, dialect.name),
        sets.empty() ? fmt::format("none come with Mitos; a file of your own begins with `use {}`", dialect.name)
                     : fmt::format("rules for it are {}", fmt::join(sets, ", ")));
}

Status requireFor(const RuleBook& book, const ir::Dialect& dialect) {
    for (const auto& rule : book.directions()) MITOS_REQUIRE(requireFor(*rule, *book.registry(), dialect));
    return Success{};
}

}  // namespace mitos::rules
