// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/testing/trusted_rules.h"

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

/// The verdict on a direction as a whole: the worst one on its roots.
KnownVerdict wholeOf(const std::vector<RuleVerdict>& roots) {
    const auto failed = std::ranges::find(roots, Verdict::Fail, &RuleVerdict::verdict);
    if (failed != roots.end()) return {Verdict::Fail, failed->name, failed->counterexample->toString()};
    const auto open = std::ranges::find(roots, Verdict::Untested, &RuleVerdict::verdict);
    if (open != roots.end()) return {Verdict::Untested, open->name, open->note};
    return {Verdict::Pass, {}, {}};
}

/// States all that a verdict depends on besides the program; empty if the direction was not read from a text.
std::string keyOf(const rules::DirectedRule& direction, const ir::OperatorRegistry& registry,
                  const RuleTestOptions& options) {
    const auto* const compiled = dynamic_cast<const rules::CompiledDirection*>(&direction);
    if (compiled == nullptr) return {};
    return fmt::format("{} {} {} {}", options.samplesPerRule, options.seed, options.tolerance,
                       rules::contentOf(*compiled, registry));
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
        const KnownVerdict verdict = verdictOn(*direction, book.registry(), options);
        if (verdict.verdict == Verdict::Pass) {
            ++trusted.passed;
            return true;
        }
        const bool hasFailed = verdict.verdict == Verdict::Fail;
        const bool isDefined = !hasFailed && trust.appliesDefinitions && isDefinition(*direction, *book.registry());
        (hasFailed ? trusted.failed : trusted.untested).push_back({verdict.name, set, verdict.reason, isDefined});
        return trust.insists || isDefined;
    };
    std::ranges::copy_if(book.directions(), std::back_inserter(trusted.directions), isGood);
    if (lock && m_known) m_known->store();
    return trusted;
}

KnownVerdict RuleTrust::verdictOn(const rules::DirectedRule& direction,
                                  const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                  const RuleTestOptions& options) {
    if (!m_known) m_known.emplace(m_folder);
    const std::string key = keyOf(direction, *registry, options);
    if (const KnownVerdict* const known = m_known->find(key)) return *known;
    KnownVerdict verdict = wholeOf(testRule(direction, registry, options));
    // A test that ended early says nothing about the rule.
    const bool isWhole = !options.stop.stop_requested() && options.seconds <= 0.0;
    if (isWhole && !key.empty()) m_known->add(key, verdict);
    return verdict;
}

std::vector<std::string> TrustedRules::leftOut() const {
    std::vector<std::string> names;
    if (insisted) return names;
    for (const std::vector<DoubtfulRule>* const doubts : {&failed, &untested}) {
        for (const DoubtfulRule& rule : *doubts) {
            if (!rule.isDefinition) names.push_back(rule.name);
        }
    }
    return names;
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
