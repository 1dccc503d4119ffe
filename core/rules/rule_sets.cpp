// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/rule_sets.h"

#include "core/rules/directed_rule.h"
#include "core/rules/multi_rule.h"
#include "core/rules/rule.h"
#include "core/rules/tensat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace mitos::rules {

namespace {

/// The kind of programs whose operators or binders the nodes of a table use; nothing if they use none.
std::optional<ir::Sharing> kindOf(const NodeTable& table, const ir::OperatorRegistry& registry) {
    for (const Node& node : table.nodes) {
        if (node.kind != NodeKind::Apply) continue;
        if (node.isOfArrays) return ir::Sharing::Graph;
        const bool binds = node.op == ir::opId(ir::CoreOp::Let) || node.op == ir::opId(ir::CoreOp::Lam);
        if (binds || registry.info(node.op).dialect == "ks") return ir::Sharing::Tree;
    }
    return std::nullopt;
}

std::optional<ir::Sharing> kindOf(const CompiledRule& rule, const ir::OperatorRegistry& registry) {
    for (const NodeTable* const table : tablesOf(rule)) {
        if (const std::optional<ir::Sharing> kind = kindOf(*table, registry)) return kind;
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> setNames(std::string_view choice) {
    std::vector<std::string> result;
    while (!choice.empty()) {
        const std::size_t comma = std::min(choice.find(','), choice.size());
        std::string_view part = choice.substr(0, comma);
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        if (!part.empty()) result.emplace_back(part);
        choice.remove_prefix(std::min(comma + 1, choice.size()));
    }
    return result;
}

std::string_view defaultRules(ir::Sharing sharing) {
    return sharing == ir::Sharing::Graph ? std::string_view("tensor-default") : DefaultRules;
}

std::vector<std::string> shippedRuleSets(ir::Sharing sharing) {
    std::vector<std::string> sets;
    std::ranges::copy_if(shippedRuleSets(), std::back_inserter(sets),
                         [sharing](const std::string& name) { return isFor(name, sharing); });
    return sets;
}

bool isFor(std::string_view set, ir::Sharing sharing) {
    if (set.starts_with("tensat:")) return sharing == ir::Sharing::Graph;
    if (std::ranges::find(shippedRuleSets(), set) == shippedRuleSets().end()) return true;
    const bool isForGraphs = set == "fused" || set.starts_with("tensor");
    return isForGraphs == (sharing == ir::Sharing::Graph);
}

std::string withWholePaths(std::string_view names) {
    std::vector<std::string> sets = setNames(names);
    for (std::string& set : sets) {
        if (std::ranges::find(shippedRuleSets(), set) != shippedRuleSets().end()) continue;
        const std::optional<std::string> foreign = tensat::fileOf(set);
        const std::string file = foreign.value_or(set);
        std::error_code unknown;
        if (!std::filesystem::exists(file, unknown)) continue;  // loading reports the error, with the name as given
        const std::filesystem::path whole = std::filesystem::absolute(file, unknown);
        if (!unknown) set = (foreign ? "tensat:" : "") + whole.lexically_normal().string();
    }
    return fmt::format("{}", fmt::join(sets, ","));
}

bool isOfOthers(const DirectedRule& rule, const ir::OperatorRegistry& registry, ir::Sharing sharing) {
    const CompiledRule* const compiled = compiledOf(rule);
    const std::optional<ir::Sharing> kind = compiled == nullptr ? std::nullopt : kindOf(*compiled, registry);
    return kind && *kind != sharing;
}

Status requireFor(const DirectedRule& rule, const ir::OperatorRegistry& registry, ir::Sharing sharing) {
    if (!isOfOthers(rule, registry, sharing)) return Success{};
    const bool isGraph = sharing == ir::Sharing::Graph;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} is a rule for {} programs, and this is a {} program", rule.name(),
                             isGraph ? "ks" : "tensor", isGraph ? "tensor" : "ks"),
                 std::nullopt,
                 fmt::format("rules for it are {}", fmt::join(shippedRuleSets(sharing), ", ")),
                 {}};
}

Status requireFor(const RuleBook& book, ir::Sharing sharing) {
    for (const auto& rule : book.all()) {
        if (Status fits = requireFor(*rule, *book.registry(), sharing); !fits) return fits;
    }
    return Success{};
}

}  // namespace mitos::rules
