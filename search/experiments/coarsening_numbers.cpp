// SPDX-License-Identifier: GPL-3.0-or-later
// See coarsening_numbers.h.
#include "search/experiments/coarsening_numbers.h"

#include "search/experiments/internal/paper_file.h"
#include "search/experiments/shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::search::experiments {

namespace {

Result<PaperSpeedUps> speedUpsFrom(const PaperObject& entry, std::string_view key) {
    PaperSpeedUps speedUps;
    if (!entry.has(key)) return speedUps;
    MITOS_TRY(const std::vector<double> numbers, entry.numbers(key, speedUps.size(), true));
    for (std::size_t i = 0; i < speedUps.size(); ++i) {
        if (std::isnan(numbers[i])) continue;
        if (numbers[i] <= 0.0) return entry.error(fmt::format("a speed-up of \"{}\" is not above 0", key));
        speedUps.at(i) = numbers[i];
    }
    return speedUps;
}

}  // namespace

Result<std::vector<CoarseningNumbers>> readCoarseningNumbers(std::string_view file, std::string_view text) {
    MITOS_TRY(const PaperObject all, PaperObject::parse(file, text));
    MITOS_REQUIRE(all.requireOnly({"paper", "notes", "benchmarks"}));
    MITOS_TRY(const std::vector<PaperObject> entries, all.entries("benchmarks"));
    std::vector<CoarseningNumbers> read;
    for (const PaperObject& entry : entries) {
        MITOS_REQUIRE(entry.requireOnly({"name", "differentiation", "iteration", "primal_over_gradient", "environment",
                                         "without_calculus", "inside_library"}));
        CoarseningNumbers numbers;
        MITOS_TRY(numbers.name, entry.text("name"));
        if (std::ranges::find(read, numbers.name, &CoarseningNumbers::name) != read.end()) {
            return entry.error(fmt::format("{} has numbers already", numbers.name));
        }
        MITOS_TRY(numbers.differentiation, speedUpsFrom(entry, "differentiation"));
        MITOS_TRY(numbers.iteration, speedUpsFrom(entry, "iteration"));
        MITOS_TRY(numbers.primalOverGradient, speedUpsFrom(entry, "primal_over_gradient"));
        MITOS_TRY(numbers.environment, speedUpsFrom(entry, "environment"));
        MITOS_TRY(numbers.withoutCalculus, speedUpsFrom(entry, "without_calculus"));
        MITOS_TRY(numbers.insideLibrary, speedUpsFrom(entry, "inside_library"));
        read.push_back(std::move(numbers));
    }
    return read;
}

Result<std::vector<CoarseningNumbers>> coarseningNumbers() {
    return readCoarseningNumbers("coarsening-paper.json", shippedFile("coarsening-paper"));
}

CoarseningNumbers numbersOf(const std::vector<CoarseningNumbers>& all, std::string_view benchmark) {
    const auto found = std::ranges::find(all, benchmark, &CoarseningNumbers::name);
    return found == all.end() ? CoarseningNumbers{} : *found;
}

}  // namespace mitos::search::experiments
