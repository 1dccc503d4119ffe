// SPDX-License-Identifier: GPL-3.0-or-later
// Rules, and the rule books that users assemble from rule sets.
#include "core/rules/rule.h"

#include "core/rules/directed_rule.h"
#include "core/rules/rule_sets.h"
#include "core/rules/tensat/tensat.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace mitos::rules {

Result<SourceText> ruleSetText(const std::string& name) {
    if (isShipped(name)) return shippedRuleSetText(name);
    if (const std::optional<std::string> folder = tensat::folderOf(name)) {
        MITOS_TRY(const std::vector<SourceText> files, tensat::readFolder(*folder));
        std::string text;
        for (const SourceText& part : files) text += std::string(part.text()) + "\n";
        return SourceText(name, std::move(text));
    }
    const std::optional<std::string> foreign = tensat::fileOf(name);
    const std::string path = foreign.value_or(name);
    Result<SourceText> file = readSourceFile(path);
    if (file && foreign) return SourceText(name, std::string(file->text()));
    if (file) return file;
    Error error = std::move(file).error();
    if (!foreign && name.find('/') == std::string::npos && name.find('.') == std::string::npos) {
        error.message = fmt::format("there is no rule set {}", name);
        error.code = ErrorCode::InvalidInput;
    }
    // If the file exists, the error itself says what to do.
    std::error_code unreadable;
    if (!std::filesystem::exists(path, unreadable)) {
        error.hint = foreign
                         ? "tensat:FILE names a file of TENSAT's rules, tensat:FOLDER all of them"
                         : fmt::format("the rule sets are {}; others are files", fmt::join(shippedRuleSets(), ", "));
    }
    return error;
}

std::vector<std::string> RuleSet::origins() const {
    std::vector<std::string> result;
    for (const auto& rule : rules) {
        if (std::ranges::find(result, rule->place.file) == result.end()) result.push_back(rule->place.file);
    }
    return result;
}

const char* toString(Soundness soundness) {
    switch (soundness) {
        case Soundness::Exact: return "exact";
        case Soundness::ExactButZeroSign: return "exact-but-zero-sign";
        case Soundness::ExactButNaN: return "exact-but-nan";
        case Soundness::RealOnly: return "real-only";
        case Soundness::Domain: return "domain";
    }
    return "";
}

bool Rule::hasSeveralRoots() const { return !directions.empty() && directions.front()->roots().size() > 1; }

bool Rule::hasTag(std::string_view tag) const { return std::ranges::find(tags, tag) != tags.end(); }

Result<RuleBook> RuleBook::load(std::string_view names, std::shared_ptr<const ir::OperatorRegistry> registry,
                                Assumptions assumptions) {
    RuleBook book;
    book.m_assumptions = assumptions;
    book.m_registry = std::move(registry);
    RuleChoice choice = RuleChoice::parse(names);
    if (choice.sets.empty()) {
        return inputError("no rule set is named",
                          fmt::format("the rule sets are {}; others are files", fmt::join(shippedRuleSets(), ", ")));
    }
    std::set<std::string, std::less<>> known;
    const std::set<std::string, std::less<>> leftOut(choice.leftOut.begin(), choice.leftOut.end());
    std::set<std::string, std::less<>> found;  // of those left out
    for (const std::string& name : choice.sets) {
        MITOS_TRY(const SourceText text, ruleSetText(name));
        MITOS_TRY(LoadedRules loaded, loadRules(text, book.m_registry, assumptions));
        book.m_problems.insert(book.m_problems.end(), loaded.errors.begin(), loaded.errors.end());
        book.m_files.insert(book.m_files.end(), loaded.files.begin(), loaded.files.end());
        book.m_registry = loaded.registry;
        loaded.set.name = name;
        std::erase_if(loaded.set.rules, [&](const auto& rule) {
            if (leftOut.contains(rule->name)) found.insert(rule->name);
            return leftOut.contains(rule->name) || !known.insert(rule->name).second;
        });
        book.m_sets.push_back(std::move(loaded.set));
    }
    // A rule that its set does not have any more, or that belongs to a set no longer chosen, need not be left out.
    std::erase_if(choice.leftOut, [&found](const std::string& rule) { return found.erase(rule) == 0; });
    if (known.empty()) {
        return inputError(fmt::format("every rule of {} is left out", fmt::join(choice.sets, ", ")),
                          "leave out fewer rules, or add another set");
    }
    book.m_names = choice.toString();
    book.listDirections();
    return book;
}

RuleBook RuleBook::none(std::shared_ptr<const ir::OperatorRegistry> registry, Assumptions assumptions) {
    RuleBook book;
    book.m_assumptions = assumptions;
    book.m_registry = std::move(registry);
    return book;
}

void RuleBook::listDirections() {
    m_directions.clear();
    for (const RuleSet& set : m_sets) {
        for (const auto& rule : set.rules) {
            m_directions.insert(m_directions.end(), rule->directions.begin(), rule->directions.end());
        }
    }
    std::stable_partition(m_directions.begin(), m_directions.end(),
                          [](const auto& rule) { return rule->roots().size() == 1; });
}

namespace {

CompiledRule with(Assumptions assumptions, CompiledRule rule) {
    rule.allowsAssumptions = assumptions == Assumptions::Allowed;
    return rule;
}

std::shared_ptr<const Rule> with(Assumptions assumptions, const Rule& rule) {
    auto copy = std::make_shared<Rule>(rule);
    for (std::shared_ptr<const DirectedRule>& direction : copy->directions) {
        std::vector<CompiledRule> parts;
        for (const RuleRoot& root : direction->roots()) {
            if (root.alone != nullptr) parts.push_back(with(assumptions, root.alone->compiled()));
        }
        direction = std::make_shared<const CompiledDirection>(
            rule, direction->direction(), with(assumptions, *compiledOf(*direction)), std::move(parts));
    }
    return copy;
}

}  // namespace

RuleBook RuleBook::with(Assumptions assumptions) const {
    RuleBook book = *this;
    if (assumptions == m_assumptions) return book;
    book.m_assumptions = assumptions;
    for (RuleSet& set : book.m_sets) {
        for (auto& rule : set.rules) rule = rules::with(assumptions, *rule);
    }
    book.listDirections();
    return book;
}

std::shared_ptr<const DirectedRule> RuleBook::find(std::string_view directionName) const {
    for (const auto& direction : m_directions) {
        if (direction->name() == directionName) return direction;
        for (const RuleRoot& root : direction->roots()) {
            if (root.alone != nullptr && root.alone->name() == directionName) return root.alone;
        }
    }
    return nullptr;
}

}  // namespace mitos::rules
