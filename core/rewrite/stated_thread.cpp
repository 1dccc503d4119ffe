// SPDX-License-Identifier: GPL-3.0-or-later
// See stated_thread.h; statedThread() is in thread_reader.cpp.
#include "core/rewrite/stated_thread.h"

#include "core/base/hash.h"

#include <map>

namespace mitos::rewrite {

namespace {

using RuleTexts = std::map<std::string, std::string>;  // by name of the direction

std::uint64_t hashOf(const RuleTexts& rules) {
    std::uint64_t hash = 0;
    for (const auto& [name, text] : rules) hash = combineHash(combineHash(hash, hashText(name)), hashText(text));
    return hash;
}

}  // namespace

std::uint64_t rulesHash(const Thread& thread) {
    RuleTexts texts;
    for (const Step& step : thread.steps) texts.emplace(step.rule->name(), step.rule->rule().text);
    return hashOf(texts);
}

std::optional<std::uint64_t> rulesHash(const StatedThread& thread, const rules::RuleBook& rules) {
    RuleTexts texts;
    for (const std::string& name : thread.rules) {
        const std::shared_ptr<const rules::DirectedRule> rule = rules.find(name);
        if (rule == nullptr) return std::nullopt;
        texts.emplace(name, rule->rule().text);
    }
    return hashOf(texts);
}

}  // namespace mitos::rewrite
