// SPDX-License-Identifier: GPL-3.0-or-later
// See search_options.h.
#include "app/cli/search_options.h"

#include "core/base/cache_folder.h"
#include "core/base/printable.h"
#include "search/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace mitos::cli {

void SearchOptions::addSearch(CLI::App& command) {
    command.add_option("--seconds", seconds, "stop after that long")->check(positiveNumber());
    command.add_option("--nodes", states, "stop at that many states")->check(wholeNumber(1));
    command
        .add_option(
            "--memory", memoryMiB,
            "stop at that many MiB, held by the search and by the process besides (default 4096); searches at the same "
            "time have as much each")
        ->check(CLI::Range(1, 1 << 20));
    command.add_option("--seed", seed, "the first seed; of the searches and of the comparison on random inputs")
        ->check(wholeNumber())
        ->capture_default_str();
    command.add_option("--seeds", seeds, "that many searches, with seeds one after another")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command.add_option("--jobs", jobs, "searches at the same time (default: one a processor)")
        ->check(CLI::Range(1, 1024));
    addInsist(command, insist);
    command.add_flag("--quiet", quiet, "no progress line");
}

search::Budget SearchOptions::budget(std::optional<std::uint64_t> evaluations) const {
    search::Budget budget{.evaluations = evaluations, .seconds = seconds, .states = states, .memoryBytes = {}};
    budget = search::completed(budget);
    if (memoryMiB) budget.memoryBytes = *memoryMiB << 20U;
    return budget;
}

std::vector<std::uint64_t> SearchOptions::allSeeds() const {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < seeds; ++i) all.push_back(seed + i);
    return all;
}

unsigned SearchOptions::allJobs() const { return jobs > 0 ? jobs : search::defaultJobs(); }

Result<ParameterValues> givenParameters(std::string_view owner, std::span<const ParameterInfo> infos,
                                        const std::vector<std::string>& settings) {
    ParameterValues values;
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        const auto known = std::ranges::find(infos, setting.substr(0, equals), &ParameterInfo::name);
        if (equals == std::string::npos || known == infos.end()) {
            std::vector<std::string> names;
            for (const ParameterInfo& p : infos) names.push_back(p.name);
            return inputError(fmt::format("--set {}: {} has no such parameter", setting, owner),
                              fmt::format("write --set name=value; its parameters: {}", fmt::join(names, ", ")));
        }
        MITOS_TRY(values[known->name], parseParameter(*known, std::string_view(setting).substr(equals + 1)));
    }
    return values;
}

Result<ParameterValues> parametersOf(const search::StrategyInfo& info, const std::vector<std::string>& settings) {
    MITOS_TRY(const ParameterValues values, givenParameters(info.name, info.parameters, settings));
    return search::resolveParameters(info, values);
}

void addInsist(CLI::App& command, bool& insist) {
    command.add_flag(
        "--insist", insist,
        "apply rules of your own files even if they fail their test or could not be tested (`mitos-cli rules "
        "test`), and write results whose values are known to differ");
}

eval::TrustedRules trustedRules(const rules::RuleBook& book, const eval::TrustOptions& trust,
                                const std::stop_token& stop) {
    eval::TrustedRules rules = eval::RuleTrust(cacheFolder()).of(book, trust, stop);
    for (const std::string& line : rules.messages()) fmt::print(stderr, "{}\n", line);
    return rules;
}

void addTrust(Json& report, const eval::TrustedRules& rules) {
    report["rules_failed"] = Json::array();
    for (const eval::DoubtfulRule& rule : rules.failed) {
        report["rules_failed"].push_back(
            {{"name", rule.name}, {"set", rule.set}, {"counterexample", rule.reason}, {"left_out", !rules.insisted}});
    }
    report["rules_untested"] = Json::array();
    for (const eval::DoubtfulRule& rule : rules.untested) {
        report["rules_untested"].push_back({{"name", rule.name},
                                            {"set", rule.set},
                                            {"reason", rule.reason},
                                            {"left_out", !rules.insisted && !rule.isDefinition}});
    }
}

ProgressLine::ProgressLine(bool enabled) : m_enabled(enabled && ::isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const std::string& text) const {
    if (!m_enabled) return;
    send(fmt::format("\r{:<78.78}", printable(text)));
}

void ProgressLine::clear() const {
    if (m_enabled) send(fmt::format("\r{:78}\r", ""));
}

void ProgressLine::send(std::string_view text) {
    std::fflush(stderr);
    // Written directly, since stderr escapes carriage returns. A failure to show the line does not matter.
    static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()));
}

std::string progressText(const search::SearchEvent& event, double best) {
    return fmt::format("{:6.1f} s  {:>9} evaluations  {:>9} states  best {:.6g}", event.seconds, event.evaluations,
                       event.states, best);
}

}  // namespace mitos::cli
