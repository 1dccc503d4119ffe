// SPDX-License-Identifier: GPL-3.0-or-later
// Finds patterns by the names that users give them.
#include "core/base/suggestion.h"
#include "core/rules/language/pattern_text.h"
#include "core/rules/rule_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace mitos::rules {

namespace {

bool isNameLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The name that the text begins with; empty if it begins with none.
std::string_view nameAtBegin(std::string_view text) {
    const auto end = std::ranges::find_if_not(text, isNameLetter);
    const auto length = static_cast<std::size_t>(end - text.begin());
    const bool isNumber = length > 0 && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
    return isNumber ? std::string_view() : text.substr(0, length);
}

/// A file of definitions with its patterns.
struct PatternSet {
    std::string name;
    SourceText text;
    std::vector<PatternSignature> patterns;
};

Error noSuchPattern(std::string_view name, const std::vector<PatternSet>& sets) {
    std::vector<std::string_view> known;
    for (const PatternSet& set : sets) {
        for (const PatternSignature& pattern : set.patterns) {
            if (std::ranges::find(known, pattern.name) == known.end()) known.push_back(pattern.name);
        }
    }
    return noSuchName("pattern", name, known);
}

}  // namespace

Result<SourceText> patternSetText(const std::string& nameOrFile) {
    if (std::optional<SourceText> shipped = shippedPatternText(nameOrFile)) return *std::move(shipped);
    return ruleSetText(nameOrFile);
}

Result<FoundPattern> findPattern(std::string_view text, std::string_view sets,
                                 std::shared_ptr<const ir::OperatorRegistry> registry) {
    std::vector<std::string> names = RuleChoice::parse(sets).sets;
    const std::size_t named = names.size();
    for (std::string& shipped : shippedPatternSets()) {
        if (std::ranges::find(names, shipped) == names.end()) names.push_back(std::move(shipped));
    }
    std::vector<PatternSet> known;
    for (const std::string& name : names) {
        MITOS_TRY(SourceText definitions, patternSetText(name));
        MITOS_TRY(std::vector<PatternSignature> patterns, namedPatterns(definitions, registry));
        known.push_back({name, std::move(definitions), std::move(patterns)});
    }
    const std::string_view name = nameAtBegin(text);
    const PatternSet* set = nullptr;
    const PatternSignature* signature = nullptr;
    for (const PatternSet& one : known) {
        const auto found = std::ranges::find(one.patterns, name, &PatternSignature::name);
        if (found == one.patterns.end()) continue;
        set = &one;
        signature = &*found;
        break;
    }
    const bool isOnlyName = !name.empty() && name.size() == text.size();
    FoundPattern result;
    result.text = result.name = std::string(text);
    if (isOnlyName) {
        // A pattern that has an error is not listed; loading it gives the reason.
        if (signature == nullptr) {
            for (const PatternSet& one : known) {
                const Result<LoadedPattern> loaded =
                    loadPattern(SourceText("pattern", std::string(text) + "()"), &one.text, registry);
                const std::string complaint = fmt::format("the pattern {} has an error", name);
                if (!loaded && loaded.error().message == complaint) return loaded.error();
            }
            return noSuchPattern(name, known);
        }
        result.text = fmt::format("{}({})", name, fmt::join(signature->parameters, ", "));
    }
    if (set == nullptr && !known.empty()) set = named > 0 ? &known[named - 1] : &known.back();
    if (set != nullptr) result.set = set->name;
    MITOS_TRY(LoadedPattern loaded, loadPattern(SourceText("pattern", result.text),
                                                set == nullptr ? nullptr : &set->text, std::move(registry)));
    static_cast<LoadedPattern&>(result) = std::move(loaded);
    return result;
}

}  // namespace mitos::rules
