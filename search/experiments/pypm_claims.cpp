// SPDX-License-Identifier: GPL-3.0-or-later
// See pypm_claims.h.
#include "search/experiments/pypm_claims.h"

#include "search/experiments/paired_statistics.h"
#include "search/experiments/pypm_tables.h"
#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace mitos::search::experiments {

namespace {

constexpr const char* PypmAim = "aim of this project";
constexpr const char* PypmPlace = "section 4.1, Figures 12 and 13";
constexpr double OurSeconds = 0.03;
constexpr const char* NoCompilations = "There are no runs.";

/// The slowest pass of all models, as its repetitions are summarized.
struct SlowestPass {
    double seconds = 0.0;
    std::string text;
    std::size_t unfinished = 0;  ///< passes that did not come to a fixed point
};

template <typename SecondsOf>
SlowestPass slowestOf(const PypmResults& results, SecondsOf secondsOf) {
    SlowestPass slowest;
    for (const auto& [model, record] : results.entries()) {
        for (const PypmPass& pass : record.passes) {
            if (!pass.isFixedPoint) ++slowest.unfinished;
            const double seconds = secondsOf(pass);
            if (seconds <= slowest.seconds) continue;
            slowest.seconds = seconds;
            slowest.text =
                fmt::format("{} ({}, {}, {}, {} nodes)", report::durationText(seconds), model->title, pass.compilation,
                            report::plural(pass.matches(), "match", "matches"), record.nodes);
        }
    }
    return slowest;
}

/// No pass takes longer.
Claim withinSeconds(const PypmResults& results, std::string text, std::string place, double limit,
                    const SlowestPass& slowest) {
    Claim claim{std::move(text), std::move(place), Verdict::Open, NoCompilations};
    if (results.entries().empty()) return claim;
    const bool isWithin = slowest.seconds <= limit && slowest.unfinished == 0;
    claim.verdict = !isWithin ? Verdict::Fails : results.isComplete() ? Verdict::Holds : Verdict::Open;
    claim.finding = fmt::format("The slowest takes {}.", slowest.text);
    if (slowest.unfinished > 0)
        claim.finding +=
            fmt::format(" {} did not come to a fixed point.", report::plural(slowest.unfinished, "pass", "passes"));
    return claim;
}

/// Numbers of the passes of one compilation, by model.
struct PassNumbers {
    std::vector<double> seconds;
    std::vector<double> matches;
    std::vector<double> nodes;
};
PassNumbers passNumbersOf(const PypmResults& results, PypmCompilation compilation, bool withoutMatches = false) {
    PassNumbers numbers;
    for (const auto& [model, record] : results.entries()) {
        const PypmPass& pass = PypmResults::pass(record, compilation);
        if (withoutMatches && pass.matches() > 0) continue;
        numbers.seconds.push_back(pass.medianSeconds());
        numbers.matches.push_back(static_cast<double>(pass.matches()));
        numbers.nodes.push_back(static_cast<double>(record.nodes));
    }
    return numbers;
}

std::string correlationText(const std::optional<double>& correlation) {
    return correlation ? fmt::format("{:.2f}", *correlation) : "none";
}

Claim matchesDetermine(const PypmResults& results) {
    Claim claim{"The number of matches is the primary determiner of the cost of matching.", PypmPlace, Verdict::Open,
                NoCompilations};
    if (results.entries().empty()) return claim;
    const PassNumbers numbers = passNumbersOf(results, PypmCompilation::Both);
    const auto byMatches = rankCorrelation(numbers.seconds, numbers.matches);
    const auto byNodes = rankCorrelation(numbers.seconds, numbers.nodes);
    claim.finding = fmt::format(
        "With both optimizations, the rank correlation of the time with the matches is {}, and with the nodes {}.",
        correlationText(byMatches), correlationText(byNodes));
    if (numbers.seconds.size() >= DecidingCount && byMatches && byNodes)
        claim.verdict = *byMatches > *byNodes ? Verdict::Holds : Verdict::Fails;
    return claim;
}

Claim sizeMatters(const PypmResults& results) {
    Claim claim{"The time also depends on the size of the model, where nothing matches, too.", PypmPlace, Verdict::Open,
                NoCompilations};
    if (results.entries().empty()) return claim;
    const PassNumbers numbers = passNumbersOf(results, PypmCompilation::Attention, true);
    const auto correlation = rankCorrelation(numbers.seconds, numbers.nodes);
    claim.finding =
        fmt::format("Over {} without attention, the rank correlation of time and nodes is {}.",
                    report::plural(numbers.seconds.size(), "model", "models"), correlationText(correlation));
    if (numbers.seconds.size() < DecidingCount || !correlation) return claim;
    constexpr double NormalQuantile = 1.96;  // of 97.5 %
    const double chance = NormalQuantile / std::sqrt(static_cast<double>(numbers.seconds.size()) - 1.0);
    claim.verdict = *correlation > chance ? Verdict::Holds : Verdict::Fails;
    claim.finding += fmt::format(" By chance it would be below {:.2f} with a confidence of 97.5 %.", chance);
    return claim;
}

/// How much longer the pass for epilogs takes than that for attention, over models that have neither.
Claim epilogsCostMore(const PypmResults& results, double times, std::string text) {
    Claim claim{std::move(text), PypmPlace, Verdict::Open, "There are no models without a match."};
    std::vector<double> logarithms;
    for (const auto& [model, record] : results.entries()) {
        if (PypmResults::pass(record, PypmCompilation::Both).matches() > 0) continue;
        logarithms.push_back(std::log(PypmResults::pass(record, PypmCompilation::Epilogs).medianSeconds() /
                                      PypmResults::pass(record, PypmCompilation::Attention).medianSeconds()));
    }
    if (logarithms.empty()) return claim;
    const IntervalMean mean = intervalMean(logarithms);
    claim.verdict = times > 1.0 ? reaches(mean, std::log(times)) : exceeds(mean, 0.0);
    claim.finding = fmt::format("Over {} it takes {:.2f} times as long ({:.2f} to {:.2f}; geometric mean).",
                                report::plural(logarithms.size(), "model without a match", "models without a match"),
                                std::exp(mean.mean), std::exp(mean.low), std::exp(mean.high));
    return claim;
}

Claim isFasterWithBoth(const PypmResults& results, const PypmMeasure& measure) {
    Claim claim{fmt::format("{}: with both optimizations models are faster on average.", measure.title),
                "section 4.1, Figures 10 and 11", Verdict::Open, NoCompilations};
    const std::vector<PypmSpeedup> speedups = results.speedups(measure, PypmCompilation::Both);
    if (speedups.empty()) return claim;
    std::vector<double> gains;
    for (const PypmSpeedup& one : speedups) gains.push_back(report::Percent * (one.value - 1.0));
    claim.verdict = exceeds(intervalMean(gains), 0.0);
    const PypmSpeedupSummary summary = summaryOf(speedups);
    claim.finding =
        fmt::format("The mean gain of {} is {}; {} {} faster beyond noise, {} slower; the greatest speed-up is {}.",
                    report::plural(summary.models, "model", "models"), gainText(intervalMean(gains)), summary.faster,
                    summary.faster == 1 ? "is" : "are", summary.slower, speedupText(summary.most));
    return claim;
}

Claim noneIsSlower(const PypmResults& results, const PypmMeasure& measure) {
    Claim claim{fmt::format("{}: no model is slower with both optimizations.", measure.title), PypmAim, Verdict::Open,
                NoCompilations};
    std::vector<std::string> slower;
    std::size_t known = 0;
    for (const auto& [model, record] : results.entries()) {
        const auto speedup = PypmResults::speedup(record, measure, PypmCompilation::Both);
        if (!speedup) continue;
        ++known;
        if (speedup->isSlower) slower.push_back(fmt::format("{} ({})", model->title, speedupText(speedup->value)));
    }
    if (known == 0) return claim;
    const bool isAll = known == results.plan().models.size();
    claim.verdict = !slower.empty() ? Verdict::Fails : isAll ? Verdict::Holds : Verdict::Open;
    claim.finding = fmt::format(
        "Of {}, {} slower beyond noise", report::plural(known, "model", "models"),
        slower.empty() ? "none is" : fmt::format("{} {}", slower.size(), slower.size() == 1 ? "is" : "are"));
    for (std::size_t i = 0; i < slower.size(); ++i) claim.finding += (i == 0 ? ": " : ", ") + slower[i];
    claim.finding += ".";
    return claim;
}

}  // namespace

std::vector<Claim> pypmClaims(const PypmResults& results) {
    const auto paper = [&results](std::string_view name) {
        const NamedNumber* const number = results.paper().find(name);
        return number == nullptr ? 0.0 : number->value;
    };
    std::vector<Claim> claims;
    if (results.plan().hasPart("speedups")) {
        for (const PypmMeasure& measure : results.measures()) {
            claims.push_back(isFasterWithBoth(results, measure));
            claims.push_back(noneIsSlower(results, measure));
        }
    }
    if (!results.plan().hasPart("matching")) return claims;
    claims.push_back(withinSeconds(
        results, fmt::format("No pass takes longer than {:g} seconds to its fixed point.", paper("seconds")), PypmPlace,
        paper("seconds"),
        slowestOf(results, [](const PypmPass& pass) { return *std::ranges::max_element(pass.seconds); })));
    claims.push_back(withinSeconds(
        results, fmt::format("No pass takes longer than {:.0f} ms (median of its repetitions).", 1e3 * OurSeconds),
        PypmAim, OurSeconds, slowestOf(results, [](const PypmPass& pass) { return pass.medianSeconds(); })));
    claims.push_back(matchesDetermine(results));
    claims.push_back(sizeMatters(results));
    claims.push_back(epilogsCostMore(
        results, paper("epilog_times"),
        "Where there is no match, looking for epilogs takes two orders of magnitude longer than for attention."));
    claims.push_back(
        epilogsCostMore(results, 1.0, "Where there is no match, looking for epilogs takes longer than for attention."));
    return claims;
}

}  // namespace mitos::search::experiments
