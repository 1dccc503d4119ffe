// SPDX-License-Identifier: GPL-3.0-or-later
// See paper_numbers.h.
#include "search/experiments/paper_numbers.h"

#include "core/base/suggestion.h"
#include "search/experiments/internal/paper_file.h"
#include "search/experiments/plan.h"
#include "search/experiments/shipped_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::search::experiments {

namespace {

constexpr double MostGain = 100.0;  // per cent

struct DeviceName {
    PaperDevice device;
    const char* option;
    const char* name;
};
constexpr std::array Devices{DeviceName{PaperDevice::A100, "a100", "A100"},
                             DeviceName{PaperDevice::P100, "p100", "P100"}};

Result<PaperDevice> deviceOf(const PaperObject& entry) {
    MITOS_TRY(const std::string name, entry.text("device"));
    const Result<PaperDevice> device = paperDeviceNamed(name);
    if (!device) return entry.error(device.error().message);
    return *device;
}

Status requireApproach(const PaperObject& entry, const std::string& name) {
    if (std::ranges::find(approaches(), name, &Approach::name) != approaches().end()) return Success{};
    return entry.error(fmt::format("there is no approach \"{}\"", name));
}

Result<PaperInitialCosts> initialCostsFrom(const PaperObject& entry) {
    MITOS_REQUIRE(entry.requireOnly({"device", "network", "ilp", "default", "own"}));
    PaperInitialCosts costs;
    MITOS_TRY(costs.device, deviceOf(entry));
    MITOS_TRY(costs.model, entry.text("network"));
    MITOS_TRY(costs.exact, entry.number("ilp"));
    MITOS_TRY(costs.tree, entry.number("default"));
    MITOS_TRY(costs.paper, entry.number("own"));
    if (std::min({costs.exact, costs.tree, costs.paper}) <= 0.0) return entry.error("a cost must be above 0");
    return costs;
}

Result<PaperMeasure> measureFrom(const PaperObject& entry, std::string_view key) {
    MITOS_TRY(const std::vector<double> numbers, entry.numbers(key, 2));
    if (numbers[1] < 0.0) return entry.error(fmt::format("the standard deviation of \"{}\" is negative", key));
    return PaperMeasure{numbers[0], numbers[1]};
}

Result<PaperResult> resultFrom(const PaperObject& entry) {
    MITOS_REQUIRE(entry.requireOnly({"device", "network", "approach", "k_multi", "gain", "seconds"}));
    PaperResult result;
    MITOS_TRY(result.device, deviceOf(entry));
    MITOS_TRY(result.model, entry.text("network"));
    MITOS_TRY(result.approach, entry.text("approach"));
    MITOS_REQUIRE(requireApproach(entry, result.approach));
    if (result.approach == "tensat") {
        MITOS_TRY(result.multiIterations, entry.count("k_multi"));
    } else if (entry.has("k_multi")) {
        return entry.error("only \"tensat\" has a \"k_multi\"");
    }
    MITOS_TRY(result.gain, measureFrom(entry, "gain"));
    MITOS_TRY(result.seconds, measureFrom(entry, "seconds"));
    if (result.gain.mean > MostGain) return entry.error("\"gain\" is above 100 %");
    if (result.seconds.mean < 0.0) return entry.error("\"seconds\" is negative");
    return result;
}

}  // namespace

const char* toString(PaperDevice device) { return std::ranges::find(Devices, device, &DeviceName::device)->name; }

Result<PaperDevice> paperDeviceNamed(std::string_view name) {
    std::vector<std::string_view> names;
    for (const DeviceName& device : Devices) {
        if (device.option == name) return device.device;
        names.emplace_back(device.option);
    }
    return noSuchName("device of the paper", name, names);
}

std::optional<PaperInitialCosts> PaperNumbers::initialCostsOf(PaperDevice device, std::string_view model) const {
    for (const PaperInitialCosts& costs : initialCosts) {
        if (costs.device == device && costs.model == model) return costs;
    }
    return std::nullopt;
}

std::optional<PaperResult> PaperNumbers::result(PaperDevice device, std::string_view model,
                                                std::string_view approach) const {
    for (const PaperResult& row : results) {
        if (row.device == device && row.model == model && row.approach == approach) return row;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> PaperNumbers::rulesUsedBy(std::string_view approach) const {
    for (const auto& [name, count] : rulesUsed) {
        if (name == approach) return count;
    }
    return std::nullopt;
}

Result<PaperNumbers> readPaperNumbers(std::string_view file, std::string_view text) {
    MITOS_TRY(const PaperObject all, PaperObject::parse(file, text));
    MITOS_REQUIRE(all.requireOnly({"paper", "notes", "initial_costs", "results", "rules", "rules_used"}));
    PaperNumbers numbers;
    MITOS_TRY(const std::vector<PaperObject> columns, all.entries("initial_costs"));
    for (const PaperObject& entry : columns) {
        MITOS_TRY(PaperInitialCosts costs, initialCostsFrom(entry));
        if (numbers.initialCostsOf(costs.device, costs.model)) {
            return entry.error(fmt::format("{} has costs already", costs.model));
        }
        numbers.initialCosts.push_back(std::move(costs));
    }
    MITOS_TRY(const std::vector<PaperObject> rows, all.entries("results"));
    for (const PaperObject& entry : rows) {
        MITOS_TRY(PaperResult result, resultFrom(entry));
        if (numbers.result(result.device, result.model, result.approach)) {
            return entry.error(fmt::format("{} has a result of {} already", result.model, result.approach));
        }
        numbers.results.push_back(std::move(result));
    }
    MITOS_TRY(numbers.rules, all.count("rules"));
    MITOS_TRY(const PaperObject used, all.object("rules_used"));
    for (const std::string& approach : used.keys()) {
        MITOS_REQUIRE(requireApproach(used, approach));
        MITOS_TRY(const std::uint32_t count, used.count(approach));
        if (count > numbers.rules) {
            return used.error(fmt::format("{} used {} of {} rules", approach, count, numbers.rules));
        }
        numbers.rulesUsed.emplace_back(approach, count);
    }
    return numbers;
}

Result<PaperNumbers> paperNumbers() {
    return readPaperNumbers("egraph-mcts-paper.json", shippedFile("egraph-mcts-paper"));
}

}  // namespace mitos::search::experiments
