// SPDX-License-Identifier: GPL-3.0-or-later
// The flags that the searching commands share, and their meaning.
#pragma once

#include "app/cli/context.h"
#include "core/eval/testing/trusted_rules.h"
#include "search/strategy.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::cli {

struct SearchOptions : CommonOptions {
    std::optional<double> seconds;
    std::optional<std::uint64_t> states;
    std::optional<std::uint64_t> memoryMiB;
    std::uint64_t seed = 1;
    std::uint64_t seeds = 1;
    unsigned jobs = 0;  ///< 0: one per processor
    std::vector<std::string> set;
    std::string output;
    bool quiet = false;
    bool insist = false;

    /// Adds --seconds, --nodes, --memory, --seed, --seeds, --jobs, --insist and --quiet.
    void addSearch(CLI::App& command);
    /// The budget with defaults: 5000 evaluations if nothing else limits the search, and 4 GiB.
    [[nodiscard]] search::Budget budget(std::optional<std::uint64_t> evaluations) const;
    /// seed, seed + 1, …
    [[nodiscard]] std::vector<std::uint64_t> allSeeds() const;
    [[nodiscard]] unsigned allJobs() const;
};

/// Converts "name=value" settings to values. The error for an unknown name lists the parameters, which are the owner's.
[[nodiscard]] Result<ParameterValues> givenParameters(std::string_view owner, std::span<const ParameterInfo> infos,
                                                      const std::vector<std::string>& settings);
/// Converts "name=value" settings to values of the strategy's parameters and fills in defaults. The error for an unknown name lists
/// the strategy's parameters.
[[nodiscard]] Result<ParameterValues> parametersOf(const search::StrategyInfo& info,
                                                   const std::vector<std::string>& settings);

/// Adds --insist.
void addInsist(CLI::App& command, bool& insist);
/// The rules of the book that a search may apply; rules that failed their test or could not be tested are reported on stderr.
[[nodiscard]] eval::TrustedRules trustedRules(const rules::RuleBook& book, const eval::TrustOptions& trust,
                                              const std::stop_token& stop);
/// Adds the fields rules_failed and rules_untested.
void addTrust(Json& report, const eval::TrustedRules& rules);

/// A progress line on stderr that is rewritten during the work, if stderr is a terminal.
class ProgressLine {
public:
    /// Shows nothing if not enabled, or if stderr is not a terminal.
    explicit ProgressLine(bool enabled);
    void show(const std::string& text) const;
    void clear() const;

private:
    static void send(std::string_view text);
    bool m_enabled;
};

/// Time, evaluations, states and the best cost so far, as a progress line shows them.
[[nodiscard]] std::string progressText(const search::SearchEvent& event, double best);

/// Shows the events of one search on a progress line.
class SearchProgress final : public search::Observer {
public:
    explicit SearchProgress(const ProgressLine& line) : m_line(line) {}
    void onEvent(const search::SearchEvent& event) override { m_line.show(progressText(event, event.best)); }

private:
    const ProgressLine& m_line;
};

}  // namespace mitos::cli
