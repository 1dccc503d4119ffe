// SPDX-License-Identifier: GPL-3.0-or-later
// See rule_ranking.h.
#include "search/rule_ranking.h"

#include "core/base/json_field.h"
#include "core/rewrite/stated_thread.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace mitos::search {

namespace {

constexpr const char* RankingMark = "mitos-rule-ranking";
constexpr std::uint64_t RankingVersion = 1;

Error noRanking(const SourceText& source, std::string_view why) {
    return Error{ErrorCode::Parse, fmt::format("{} is no ranking of rules: {}", source.name(), why), std::nullopt,
                 "rankings are written by `mitos-cli train rules SESSIONS -o FILE.json`"};
}

/// The costs of the thread's states, if all are stated.
std::optional<std::vector<double>> costsOf(const rewrite::StatedThread& thread) {
    std::vector<double> costs;
    for (const rewrite::StatedThread::State& state : thread.states) {
        if (!state.cost) return std::nullopt;
        costs.push_back(*state.cost);
    }
    return costs;
}

}  // namespace

void RuleRanking::add(const std::string& rule, double gain) {
    Entry& entry = rules[rule];
    ++entry.uses;
    entry.gain += (gain - entry.gain) / static_cast<double>(entry.uses);
}

double RuleRanking::weight(std::string_view rule) const {
    const auto found = rules.find(rule);
    return found == rules.end() ? 0.0 : found->second.weight();
}

std::string toText(const RuleRanking& ranking) {
    nlohmann::ordered_json entries = nlohmann::ordered_json::object();
    for (const auto& [rule, entry] : ranking.rules) entries[rule] = {{"gain", entry.gain}, {"uses", entry.uses}};
    constexpr int Indentation = 1;
    const nlohmann::ordered_json whole{{RankingMark, RankingVersion}, {"rules", std::move(entries)}};
    return whole.dump(Indentation, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<RuleRanking> readRanking(const SourceText& source) {
    constexpr std::size_t Depth = 3;
    if (jsonNesting(source.text()) > Depth) return noRanking(source, "it is nested too deeply");
    const auto whole = nlohmann::json::parse(source.text(), nullptr, false);
    if (whole.is_discarded()) return noRanking(source, "it is not JSON, or it was cut off");
    const auto version = whole.is_object() ? fieldOf<std::uint64_t>(whole, RankingMark) : std::nullopt;
    if (!version) return noRanking(source, fmt::format("the field \"{}\" is missing", RankingMark));
    if (*version != RankingVersion) {
        return Error{ErrorCode::Incompatible,
                     fmt::format("{} is a ranking of format {}, and this program reads format {}", source.name(),
                                 *version, RankingVersion),
                     std::nullopt, "use the version of Mitos that wrote it, or make the ranking again"};
    }
    const auto entries = whole.find("rules");
    if (entries == whole.end() || !entries->is_object()) return noRanking(source, "it has no object \"rules\"");
    RuleRanking ranking;
    for (const auto& [rule, fields] : entries->items()) {
        const auto gain = fields.is_object() ? fieldOf<double>(fields, "gain") : std::nullopt;
        const auto uses = fields.is_object() ? fieldOf<std::uint64_t>(fields, "uses") : std::nullopt;
        if (!gain || !(*gain >= 0.0 && *gain <= 1.0))
            return noRanking(source, fmt::format("the gain of {} is not a number from 0 to 1", rule));
        if (!uses || *uses == 0)
            return noRanking(source, fmt::format("the uses of {} are not a whole number above 0", rule));
        ranking.rules[rule] = {*gain, *uses};
    }
    return ranking;
}

Result<RuleRanking> loadRanking(const std::string& path) {
    MITOS_TRY(const SourceText source, readSourceFile(path));
    return readRanking(source);
}

std::vector<double> gainsOfSteps(std::span<const double> costs) {
    const bool isFinite = std::ranges::all_of(costs, [](double cost) { return std::isfinite(cost); });
    if (costs.size() < 2 || !isFinite || costs.front() <= 0.0) return {};
    std::vector<double> gains(costs.size() - 1);
    double least = costs.back();
    for (std::size_t i = gains.size(); i-- > 0;) {
        gains[i] = std::clamp((costs[i] - least) / costs.front(), 0.0, 1.0);
        least = std::min(least, costs[i]);
    }
    return gains;
}

void RuleRankingFold::add(const Run& run) {
    const bool isTrusted = run.threadChecked && run.integrity != Integrity::Changed && !run.thread.empty();
    const auto thread = isTrusted ? rewrite::statedThread(SourceText("the run's thread", run.thread))
                                  : Result<rewrite::StatedThread>(Error{});
    if (thread && thread->rules.empty()) {
        ++m_counts.empty;
        return;
    }
    const auto costs = thread ? costsOf(*thread) : std::nullopt;
    const std::vector<double> gains = costs ? gainsOfSteps(*costs) : std::vector<double>();
    if (gains.empty() || gains.size() != thread->rules.size()) {
        ++m_counts.unusable;
        return;
    }
    ++m_counts.threads;
    for (std::size_t i = 0; i < gains.size(); ++i) {
        const std::string& rule = thread->rules[i];
        if (m_isKnown && !m_isKnown(rule)) {
            ++m_counts.ignored;
            m_ignored.insert(rule);
            continue;
        }
        ++m_counts.steps;
        m_ranking.add(rule, gains[i]);
    }
}

}  // namespace mitos::search
