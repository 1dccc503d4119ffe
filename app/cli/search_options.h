// SPDX-License-Identifier: GPL-3.0-or-later
// The flags that every command which searches takes, and what they mean.
#pragma once

#include "app/cli/context.h"
#include "core/eval/trusted_rules.h"
#include "search/strategy.h"

#include <cstdint>
#include <optional>
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
    unsigned jobs = 0;  ///< 0: one a processor
    std::vector<std::string> set;
    std::string output;
    bool quiet = false;
    bool insist = false;

    /// --seconds, --nodes, --memory, --seed, --seeds, --jobs, --insist, --quiet.
    void addSearch(CLI::App& command);
    /// With the defaults: 5000 evaluations if nothing limits the search, 4 GiB.
    [[nodiscard]] search::Budget budget(std::optional<std::uint64_t> evaluations) const;
    /// seed, seed + 1, …
    [[nodiscard]] std::vector<std::uint64_t> allSeeds() const;
    [[nodiscard]] unsigned allJobs() const;
};

/// "name=value" settings as values of the strategy's parameters, defaults filled in. Errors name the parameters there are.
[[nodiscard]] Result<search::ParameterValues> parametersOf(const search::StrategyInfo& info,
                                                           const std::vector<std::string>& settings);

/// --insist.
void addInsist(CLI::App& command, bool& insist);
/// The rules of the book that a search may apply; what failed its test or has none is said on stderr.
[[nodiscard]] eval::TrustedRules trustedRules(const rules::RuleBook& book, const eval::TrustOptions& trust,
                                              const std::stop_token& stop);
/// Adds rules_failed and rules_untested.
void addTrust(Json& report, const eval::TrustedRules& rules);

/// One line on stderr that is rewritten as the work goes, where somebody watches.
class ProgressLine {
public:
    /// Shows nothing if not enabled, or if stderr is no terminal.
    explicit ProgressLine(bool enabled);
    void show(const std::string& text) const;
    void clear() const;

private:
    static void send(std::string_view text);
    bool m_enabled;
};

}  // namespace mitos::cli
