// SPDX-License-Identifier: GPL-3.0-or-later
// See alignment.h.
#include "search/compare/alignment.h"

#include "core/ir/binding.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

namespace mitos::search {

namespace {

constexpr std::size_t MostPairs = 1'000'000;  // a few milliseconds, as views align on the GUI thread

/// Two steps are the same if these are: the direction, the subterms that it replaces, and their replacements.
using StepKey = std::tuple<std::string, std::vector<ir::TermId>, std::vector<ir::TermId>>;

std::vector<StepKey> keysOf(const ir::TermBank& bank, const rewrite::Thread& thread) {
    std::vector<StepKey> keys;
    ir::TermId before = thread.start.root;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        StepKey& key = keys.emplace_back();
        std::get<0>(key) = thread.steps[i].name();
        const auto collect = [&](ir::TermId root, std::vector<ir::TermId>& terms) {
            for (const ir::Path& position : thread.steps[i].positions) {
                if (const auto term = ir::subterm(bank, root, position)) terms.push_back(*term);
            }
        };
        collect(before, std::get<1>(key));
        before = thread.states[i];
        collect(before, std::get<2>(key));
    }
    return keys;
}

/// Equal numbers for equal keys of both threads, so that comparing steps is cheap.
std::vector<std::uint32_t> numbersOf(const std::vector<StepKey>& keys, std::map<StepKey, std::uint32_t>& known) {
    std::vector<std::uint32_t> numbers;
    for (const StepKey& key : keys)
        numbers.push_back(known.try_emplace(key, static_cast<std::uint32_t>(known.size())).first->second);
    return numbers;
}

/// The lengths of the longest common subsequences of all ends of the two ranges, row by row.
class Lengths {
public:
    Lengths(const std::vector<std::uint32_t>& left, const std::vector<std::uint32_t>& right, std::size_t begin,
            std::size_t leftEnd, std::size_t rightEnd)
        : m_begin(begin),
          m_columns(rightEnd - begin + 1),
          m_cells((leftEnd - begin + 1) * m_columns) {
        for (std::size_t i = leftEnd; i-- > begin;) {
            for (std::size_t j = rightEnd; j-- > begin;) {
                at(i, j) = left[i] == right[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
            }
        }
    }
    [[nodiscard]] std::uint32_t& at(std::size_t i, std::size_t j) {
        return m_cells[(i - m_begin) * m_columns + (j - m_begin)];
    }

private:
    std::size_t m_begin;
    std::size_t m_columns;
    std::vector<std::uint32_t> m_cells;
};

}  // namespace

std::vector<AlignedStep> alignedSteps(const ir::TermBank& bank, const rewrite::Thread& left,
                                      const rewrite::Thread& right) {
    std::map<StepKey, std::uint32_t> known;
    const std::vector<std::uint32_t> a = numbersOf(keysOf(bank, left), known);
    const std::vector<std::uint32_t> b = numbersOf(keysOf(bank, right), known);
    std::vector<AlignedStep> aligned;
    std::size_t i = 0;
    for (; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i) aligned.push_back({i, i});
    std::size_t tail = 0;
    while (tail < std::min(a.size(), b.size()) - i && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    const std::size_t leftEnd = a.size() - tail;
    const std::size_t rightEnd = b.size() - tail;
    std::size_t j = i;
    if ((leftEnd - i) <= MostPairs / std::max<std::size_t>(rightEnd - j, 1)) {
        Lengths lengths(a, b, i, leftEnd, rightEnd);
        while (i < leftEnd && j < rightEnd) {
            if (a[i] == b[j]) {
                aligned.push_back({i++, j++});
            } else if (lengths.at(i + 1, j) >= lengths.at(i, j + 1)) {
                aligned.push_back({i++, std::nullopt});
            } else {
                aligned.push_back({std::nullopt, j++});
            }
        }
    }
    while (i < leftEnd) aligned.push_back({i++, std::nullopt});
    while (j < rightEnd) aligned.push_back({std::nullopt, j++});
    while (i < a.size()) aligned.push_back({i++, j++});
    return aligned;
}

std::vector<RuleGain> ruleGains(const rewrite::Thread& thread, const std::vector<double>& costs) {
    std::vector<RuleGain> gains;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const std::string& name = thread.steps[i].rule->rule().name;
        auto found = std::ranges::find(gains, name, &RuleGain::rule);
        if (found == gains.end()) found = gains.insert(gains.end(), RuleGain{.rule = name});
        ++found->steps;
        found->gain += costs[i] - costs[i + 1];
    }
    return gains;
}

std::vector<RuleGainSpread> gainSpreads(const std::vector<std::vector<RuleGain>>& results) {
    std::vector<RuleGainSpread> spreads;
    std::vector<std::vector<double>> gains;
    for (const std::vector<RuleGain>& result : results) {
        for (const RuleGain& one : result) {
            auto found = std::ranges::find(spreads, one.rule, &RuleGainSpread::rule);
            if (found == spreads.end()) {
                spreads.push_back({.rule = one.rule, .gain = {}, .results = results.size()});
                gains.emplace_back();
                found = std::prev(spreads.end());
            }
            ++found->uses;
            found->steps += one.steps;
            gains[static_cast<std::size_t>(found - spreads.begin())].push_back(one.gain);
        }
    }
    for (std::size_t i = 0; i < spreads.size(); ++i) {
        gains[i].resize(results.size(), 0.0);
        spreads[i].gain = spreadOf(std::move(gains[i]));
    }
    return spreads;
}

std::vector<RuleUse> ruleUses(const egraph::SaturationReport& growth) {
    std::vector<RuleUse> uses;
    std::vector<std::size_t> places(growth.rules.size(), growth.rules.size());  // of each rule in `uses`
    for (const egraph::IterationReport& iteration : growth.iterations) {
        for (std::size_t rule = 0; rule < iteration.rules.size(); ++rule) {
            if (iteration.rules[rule].applied == 0) continue;
            if (places[rule] == growth.rules.size()) {
                places[rule] = uses.size();
                uses.push_back({growth.rules[rule], 0.0});
            }
            uses[places[rule]].uses += static_cast<double>(iteration.rules[rule].applied);
        }
    }
    return uses;
}

std::vector<RuleUse> ruleUses(const rewrite::Thread& thread) {
    std::vector<RuleUse> uses;
    for (const rewrite::Step& step : thread.steps) {
        const std::string& rule = step.rule->name();
        auto found = std::ranges::find(uses, rule, &RuleUse::rule);
        if (found == uses.end()) found = uses.insert(uses.end(), {rule, 0.0});
        found->uses += 1.0;
    }
    return uses;
}

}  // namespace mitos::search
