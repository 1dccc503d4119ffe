// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/trusted_rules.h"

#include "core/base/hash.h"
#include "core/rules/directed_rule.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace mitos::eval {

namespace {

/// The origin (where its rule is written) of each direction.
using Origins = absl::flat_hash_map<const void*, std::string>;

Origins originsOf(const rules::RuleBook& book) {
    Origins origins;
    for (const rules::RuleSet& set : book.sets()) {
        for (const auto& rule : set.rules) {
            for (const auto& direction : rule->directions) origins.emplace(direction.get(), rule->place.file);
        }
    }
    return origins;
}

/// Hash of the texts of all files of the book together: a rule may use patterns and operators of another file.
std::uint64_t hashOfTexts(const rules::RuleBook& book, const absl::flat_hash_set<std::string>& shipped) {
    std::uint64_t hash = 0;
    for (const rules::RuleSet& set : book.sets()) {
        for (const std::string& origin : set.origins()) {
            if (shipped.contains(origin)) continue;
            const Result<SourceText> text = rules::ruleSetText(origin);
            hash = combineHash(hash, hashText(text ? text->text() : std::string_view(origin)));
        }
    }
    return hash;
}

/// See DoubtfulRule::isDefinition.
bool isDefinition(const rules::DirectedRule& rule, const ir::OperatorRegistry& registry) {
    const rules::CompiledRule* const compiled = rules::compiledOf(rule);
    if (compiled == nullptr) return false;
    // Several roots are matched as a tuple.
    const auto isOfRoots = [&rule](ir::OpId op) {
        return rule.roots().size() > 1 && op == ir::opId(ir::CoreOp::Tuple);
    };
    // A declared operator may be bound to a function of the program, which then is its meaning; a start term has none.
    const auto isDeclared = [&](ir::OpId op) {
        return registry.info(op).dialect == "user" || op == ir::opId(ir::CoreOp::Call);
    };
    const auto begins = [&](const rules::RuleRoot& root) {
        return !root.operators.empty() && std::ranges::all_of(root.operators, isDeclared);
    };
    if (!std::ranges::all_of(rule.roots(), begins)) return false;
    return std::ranges::all_of(rules::tablesOf(*compiled), [&](const rules::NodeTable* table) {
        return std::ranges::all_of(table->nodes, [&](const rules::Node& node) {
            const bool mayStandForAny = node.kind == rules::NodeKind::Function;
            return !mayStandForAny && (node.kind != rules::NodeKind::Apply || node.isDeclared || isOfRoots(node.op));
        });
    });
}

}  // namespace

const DoubtfulRule* doubtOf(const std::vector<DoubtfulRule>& rules, const rules::DirectedRule& rule) {
    const std::string name = rule.name();
    const auto found = std::ranges::find_if(rules, [&name](const DoubtfulRule& one) {
        // Matches "merge.1" with "merge" and vice versa: an e-graph explains one root at a time.
        return one.name == name || one.name.starts_with(name + ".") || name.starts_with(one.name + ".");
    });
    return found == rules.end() ? nullptr : &*found;
}

TrustedRules RuleTrust::of(const rules::RuleBook& book, const TrustOptions& trust, const std::stop_token& stop) {
    std::unique_lock lock(m_mutex, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(20)) && !stop.stop_requested()) {
    }
    const absl::flat_hash_set<std::string> shipped(rules::shippedRuleSets().begin(), rules::shippedRuleSets().end());
    const Origins origins = originsOf(book);
    const std::uint64_t text = hashOfTexts(book, shipped);
    RuleTestOptions options = m_options;
    options.stop = stop;
    TrustedRules trusted;
    trusted.insisted = trust.insists;
    // Tests the direction if needed; returns whether it may be applied.
    const auto isGood = [&](const std::shared_ptr<const rules::DirectedRule>& direction) {
        if (!trust.only.empty() && !trust.only.contains(direction->rule().name)) return false;
        const auto origin = origins.find(direction.get());
        const std::string set = origin == origins.end() ? std::string() : origin->second;
        if (shipped.contains(set)) return true;
        if (!lock) {  // stopped while another thread tested
            trusted.untested.push_back({direction->name(), set, "stopped"});
            return trust.insists;
        }
        const std::string key = fmt::format("{}\n{}\n{}", text, set, direction->name());
        auto known = m_known.find(key);
        if (known == m_known.end()) known = m_known.emplace(key, testRule(*direction, book.registry(), options)).first;
        const std::vector<RuleVerdict>& verdicts = known->second;
        const auto failed = std::ranges::find(verdicts, Verdict::Fail, &RuleVerdict::verdict);
        const auto open = std::ranges::find(verdicts, Verdict::Untested, &RuleVerdict::verdict);
        bool isAllowed = true;
        if (failed != verdicts.end()) {
            trusted.failed.push_back({failed->name, set, failed->counterexample->toString()});
            isAllowed = trust.insists;
        } else if (open != verdicts.end()) {
            const bool defines = isDefinition(*direction, *book.registry());
            trusted.untested.push_back({open->name, set, open->note, defines && trust.appliesDefinitions});
            isAllowed = trust.insists || (defines && trust.appliesDefinitions);
        } else {
            ++trusted.passed;
        }
        if (stop.stop_requested()) m_known.erase(key);
        return isAllowed;
    };
    std::ranges::copy_if(book.directions(), std::back_inserter(trusted.directions), isGood);
    return trusted;
}

std::vector<std::string> TrustedRules::messages() const {
    std::vector<std::string> lines;
    for (const DoubtfulRule& rule : failed) {
        lines.push_back(fmt::format("{} ({}) failed its test and is {}: {}", rule.name, rule.set,
                                    insisted ? "applied all the same" : "left out", rule.reason));
    }
    // Each reason is printed once, for all rules that have it.
    for (auto first = untested.begin(); first != untested.end();) {
        const auto last = std::find_if(first, untested.end(), [&](const DoubtfulRule& rule) {
            return rule.set != first->set || rule.reason != first->reason || rule.isDefinition != first->isDefinition;
        });
        const auto others = last - first - 1;
        const char* const applied = first->isDefinition ? ""
                                    : insisted          ? " and applied all the same"
                                                        : " and left out (--insist applies it)";
        lines.push_back(fmt::format("{}{} ({}) {} not tested{}: {}", first->name,
                                    others > 0 ? fmt::format(" and {} more", others) : "", first->set,
                                    others > 0 ? "are" : "is", applied, first->reason));
        first = last;
    }
    return lines;
}

}  // namespace mitos::eval
