// SPDX-License-Identifier: GPL-3.0-or-later
// See coarsening_claims.h.
#include "search/experiments/coarsening_claims.h"

#include "search/experiments/coarsening_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace mitos::search::experiments {

namespace {

constexpr double Clear = 1.05;           // a smaller speed-up is none
constexpr double LeastMemorySaved = 70;  // per cent, the paper's
constexpr std::string_view Aim = "aim of this project";

/// The smallest and the largest of some speed-ups, how many there are, and how many reach the paper's.
struct SpeedUpRange {
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    std::size_t count = 0;
    std::size_t clear = 0;
    std::size_t asPaper = 0;

    void add(double speedUp, const std::optional<double>& paper) {
        if (speedUp <= 0.0) return;
        least = std::min(least, speedUp);
        most = std::max(most, speedUp);
        ++count;
        clear += speedUp >= Clear ? 1 : 0;
        asPaper += paper && speedUp >= *paper ? 1 : 0;
    }
    [[nodiscard]] std::string text() const {
        const std::string from = fmt::format("{:.3g}", least);
        const std::string to = fmt::format("{:.3g}", most);
        return from == to ? from : fmt::format("{} to {}", from, to);
    }
};

Verdict decided(bool holds) { return holds ? Verdict::Holds : Verdict::Fails; }

/// Whether coarsening is faster than reverse mode wherever the paper says so.
Claim fasterThanReverse(const CoarseningResults& results, bool ofIterations) {
    Claim claim{ofIterations ? "An iteration is 1.08 to 11 times as fast with coarsening."
                             : "Differentiation is 1.03 to 27 times as fast with coarsening.",
                "section 7.2, Table 3", Verdict::Open, "There are no times of the paper's benchmarks."};
    SpeedUpRange range;
    for (const CoarseningRun& run : results.runs) {
        const CoarseningNumbers paper = numbersOf(results.paper, run.benchmark->name);
        if (!paper.iteration[0]) continue;
        for (std::size_t i = 0; i < run.configurations.size(); ++i) {
            const ConfigurationTimes& times = run.configurations[i];
            const auto& measured = ofIterations ? times.iteration : differentiation(times);
            range.add(speedUp(find(measured, VariantName::Reverse), find(measured, VariantName::Coarsened)),
                      (ofIterations ? paper.iteration : paper.differentiation).at(i));
        }
    }
    if (range.count == 0) return claim;
    claim.verdict = decided(range.clear == range.count);
    claim.finding = fmt::format(
        "Coarsening is {} times as fast as reverse mode, more than 5 % faster in {} of {} configurations, and reaches "
        "the paper's speed-up in {}.",
        range.text(), range.clear, range.count, range.asPaper);
    return claim;
}

Claim savesMemory(const CoarseningResults& results) {
    Claim claim{"Coarsening saves over 70 % of BGDHyperOpt's memory allocations.", "section 7.2", Verdict::Open,
                "There are no runs of BGDHyperOpt."};
    double least = std::numeric_limits<double>::infinity();
    for (const CoarseningRun& run : results.runs) {
        if (run.benchmark->name != std::string_view("BGDHyperOpt")) continue;
        for (const ConfigurationTimes& times : run.configurations) {
            const auto reverse = std::ranges::find(times.memory, VariantName::Reverse, &ToolMemory::tool);
            const auto coarsened = std::ranges::find(times.memory, VariantName::Coarsened, &ToolMemory::tool);
            if (reverse == times.memory.end() || coarsened == times.memory.end() || reverse->bytes == 0) continue;
            const double kept = static_cast<double>(coarsened->bytes) / static_cast<double>(reverse->bytes);
            least = std::min(least, 100.0 * (1.0 - kept));
        }
    }
    if (least > 100.0) return claim;
    claim.verdict = decided(least > LeastMemorySaved);
    claim.finding = fmt::format("It saves {:.0f} % at least.", least);
    return claim;
}

Claim fasterThanPrimal(const CoarseningResults& results) {
    Claim claim{"HookeanSpring's coarsened gradient is faster than its primal alone.", "section 7.2", Verdict::Open,
                "There are no runs of HookeanSpring."};
    SpeedUpRange range;
    for (const CoarseningRun& run : results.runs) {
        if (run.benchmark->name != std::string_view("HookeanSpring")) continue;
        for (const ConfigurationTimes& times : run.configurations) {
            range.add(speedUp(find(times.gradient, VariantName::Coarsened), find(times.gradient, VariantName::Primal)),
                      {});
        }
    }
    if (range.count == 0) return claim;
    claim.verdict = decided(range.most < 1.0);
    claim.finding = fmt::format("The gradient takes {} times its primal.", range.text());
    return claim;
}

Claim fasterThanLibraries(const CoarseningResults& results) {
    Claim claim{"The coarsened gradient is faster than those of all libraries found.", std::string(Aim), Verdict::Open,
                "No library was found and measured."};
    bool isFaster = true;
    for (const CoarseningRun& run : results.runs) {
        SpeedUpRange range;
        std::string fastest;
        for (const ConfigurationTimes& times : run.configurations) {
            const ToolTime* const library = fastestLibrary(results, times.gradient);
            range.add(speedUp(library, find(times.gradient, VariantName::Coarsened)), {});
            if (library != nullptr && fastest.find(library->tool) == std::string::npos) {
                fastest += (fastest.empty() ? "" : " or ") + library->tool;
            }
        }
        if (range.count == 0) continue;
        if (claim.verdict == Verdict::Open) claim.finding = "The fastest library takes";
        claim.verdict = Verdict::Holds;
        isFaster = isFaster && range.least > 1.0;
        claim.finding += fmt::format("{} {} times as long on {} ({})", claim.finding.ends_with("takes") ? "" : ",",
                                     range.text(), run.benchmark->name, fastest);
    }
    if (claim.verdict == Verdict::Open) return claim;
    claim.verdict = decided(isFaster);
    claim.finding += '.';
    return claim;
}

Claim agreement(const CoarseningResults& results) {
    Claim claim{"All gradients and iterations agree with hand-written dual numbers.", std::string(Aim), Verdict::Open,
                "There are no runs."};
    if (results.runs.empty()) return claim;
    double apart = 0.0;
    for (const CoarseningRun& run : results.runs) {
        for (const ConfigurationTimes& times : run.configurations) {
            const double most = mostApart(times);
            apart = most <= apart ? apart : most;  // also for NaN
        }
    }
    claim.verdict = decided(apart <= MostApart);
    claim.finding = fmt::format("They differ by {:.1g} at most, relative to the largest element.", apart);
    return claim;
}

}  // namespace

std::vector<Claim> coarseningClaims(const CoarseningResults& results) {
    return {fasterThanReverse(results, false), fasterThanReverse(results, true), savesMemory(results),
            fasterThanPrimal(results),         fasterThanLibraries(results),     agreement(results)};
}

}  // namespace mitos::search::experiments
