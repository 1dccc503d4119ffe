// SPDX-License-Identifier: GPL-3.0-or-later
// How much rules gained in earlier runs: what a search over e-graphs may try first.
#pragma once

#include "core/base/source_text.h"
#include "search/run.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace mitos::search {

/// A value: it can be stored, merged and edited. Rules are known by the names of their directions ("distribute~").
struct RuleRanking {
    struct Entry {
        double gain = 0.0;       ///< average over the uses, in parts of the cost at the start of a thread: 0 to 1
        std::uint64_t uses = 0;  ///< steps of threads

        /// The gain as if the rule had been used once more without any, so that one lucky use counts for little.
        [[nodiscard]] double weight() const {
            return gain * static_cast<double>(uses) / (static_cast<double>(uses) + 1.0);
        }
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    std::map<std::string, Entry, std::less<>> rules = {};

    /// One more use of a rule.
    void add(const std::string& rule, double gain);
    /// Entry::weight(); 0 for a rule that was never used.
    [[nodiscard]] double weight(std::string_view rule) const;
    friend bool operator==(const RuleRanking&, const RuleRanking&) = default;
};

/// The ending of files with rankings, by which parameters recognize them.
inline constexpr const char* RankingEnding = ".json";

/// JSON: {"mitos-rule-ranking": 1, "rules": {"distribute~": {"gain": 0.25, "uses": 12}, …}}.
[[nodiscard]] std::string toText(const RuleRanking& ranking);
/// Fails with Parse if the text is something else or damaged, and with Incompatible if a later version wrote it.
[[nodiscard]] Result<RuleRanking> readRanking(const SourceText& source);
/// Fails as readRanking() and readSourceFile() do.
[[nodiscard]] Result<RuleRanking> loadRanking(const std::string& path);

/// The gains of the steps of a thread whose states have these costs, the start first: by how much the least cost of any later state is
/// lower than the cost before the step, in parts of the cost at the start, between 0 and 1. (The way down from a hill a thousand times as high as the
/// start would otherwise outweigh a thousand other steps.) Empty if the cost at the start is not above 0, or a cost is not finite.
[[nodiscard]] std::vector<double> gainsOfSteps(std::span<const double> costs);

/// Makes a ranking from stored runs: each step of a checked thread is a use of its rule, with its gain.
class RuleRankingFold {
public:
    /// `isKnown`: the names of the rules that count; without it all do.
    explicit RuleRankingFold(std::function<bool(const std::string& rule)> isKnown = {})
        : m_isKnown(std::move(isKnown)) {}

    void add(const Run& run);

    [[nodiscard]] const RuleRanking& ranking() const { return m_ranking; }
    struct Counts {
        std::uint64_t threads = 0;   ///< that were added
        std::uint64_t steps = 0;     ///< of them, of known rules
        std::uint64_t ignored = 0;   ///< of them, of other rules
        std::uint64_t empty = 0;     ///< runs that have ended without a step
        std::uint64_t unusable = 0;  ///< runs whose thread is not checked, was changed since, or states no costs
    };
    [[nodiscard]] const Counts& counts() const { return m_counts; }
    /// The names of rules that are not known.
    [[nodiscard]] const std::set<std::string>& ignoredRules() const { return m_ignored; }

private:
    std::function<bool(const std::string&)> m_isKnown;
    RuleRanking m_ranking;
    Counts m_counts;
    std::set<std::string> m_ignored;
};

}  // namespace mitos::search
