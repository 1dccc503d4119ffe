// SPDX-License-Identifier: GPL-3.0-or-later
// The list of cost models, and the search for one by name.
#include "core/cost/cost_model.h"
#include "core/cost/device.h"
#include "core/cost/graph_costs.h"
#include "core/cost/profile_model.h"
#include "core/cost/roofline_model.h"
#include "core/cost/sized_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>

namespace mitos::cost {

namespace {

constexpr std::int64_t LargestSize = 1'000'000'000;

class SizeEvaluator : public CostEvaluator {
public:
    SizeEvaluator(const ir::TermBank& bank, ir::Sharing sharing) : m_bank(bank), m_sharing(sharing) {}

    double cost(ir::TermId root) override {
        const bool isTree = m_sharing == ir::Sharing::Tree;
        return static_cast<double>(isTree ? m_bank.treeSize(root) : ir::sharedSize(m_bank, root));
    }
    std::vector<CostPart> explain(ir::TermId root) override {
        if (m_sharing == ir::Sharing::Graph) {
            return graphParts(m_bank, root, [](ir::TermId) { return OwnCost{1.0, "1 node"}; });
        }
        std::vector<CostPart> parts;
        ir::forEachSubterm(m_bank, root, [&](const ir::Path& path, ir::TermId term) {
            parts.push_back({path, 1.0, static_cast<double>(m_bank.treeSize(term)), 1.0, "1 node"});
            return true;
        });
        return parts;
    }

private:
    const ir::TermBank& m_bank;
    ir::Sharing m_sharing;
};

class SizeModel : public CostModel {
public:
    [[nodiscard]] const CostModelInfo& info() const override { return m_info; }
    [[nodiscard]] std::unique_ptr<CostEvaluator> evaluator(const ir::TermBank& bank,
                                                           ir::FunctionId function) const override {
        return std::make_unique<SizeEvaluator>(
            bank, function.isValid() ? bank.function(function).sharing : ir::Sharing::Tree);
    }

private:
    CostModelInfo m_info{
        "size",
        "Term size",
        "nodes",
        "Number of nodes. In ks of the program as a tree: shared subterms count as often as they occur; of a "
        "tensor program of its graph, each once.",
        true,
        true};
};

constexpr const char* CommonCosts =
    "let 0.1, tuple 0.1 an element, if 1 + condition + dearer arm + 0.0001 x the cheaper one, add and sub 1, mul and "
    "div "
    "2, log, exp and their like 4, comparisons, index, size and conversions 1, a call 2 + the body (an external "
    "function: "
    "2 + its cost$f, else 7; a recursive call: 2). Allocation, build: M; constVec, deltaVec: M + 1 an element "
    "(ks-2019: M); loops: rounds x body.";

std::shared_ptr<const CostModel> makeKs2021() {
    return makeProfileModel(
        {"ks-2021", "Knossos, public optimizer 2021", "units",
         fmt::format("Analytic model of the public Knossos optimizer: every dimension has N = 16 "
                     "elements, an allocation costs M = 2; arithmetic on tensors and tuples costs so "
                     "much an element + M, sumbuild an addition an element a round; and, or, not cost "
                     "as the if they stand for. {}",
                     CommonCosts)},
        {.allocation = 2.0, .countsElements = true, .logicIsIf = true, .ignoresAssertCondition = false}, 16.0);
}

std::shared_ptr<const CostModel> makeKs2019() {
    return makeProfileModel(
        {"ks-2019", "Knossos paper, 2019", "units",
         fmt::format("Analytic model of the Knossos paper: every dimension has N = 100 elements, an "
                     "allocation costs M = 100; arithmetic costs the same on tensors as on numbers, "
                     "sumbuild N - 1 additions whatever the element; and, or, not are free. N, M and "
                     "these details are fitted to the costs that the paper prints. {}",
                     CommonCosts)},
        {.allocation = 100.0, .countsElements = false, .logicIsIf = false, .ignoresAssertCondition = false}, 100.0);
}

std::shared_ptr<const CostModel> makeKsSized(std::string name, AssumedSizes sizes) {
    return makeSizedModel(
        {std::move(name), "Knossos, size-aware", "units",
         fmt::format("Abstract interpretation with real sizes, M = 100: sizes come from the arguments "
                     "(`ks-sized:64` or `ks-sized:n=64,m=8`; 100 where none is given), loops count their "
                     "actual rounds, an if with a known condition costs the arm it takes. {}",
                     CommonCosts)},
        {.allocation = 100.0, .countsElements = true, .logicIsIf = true, .ignoresAssertCondition = true},
        std::move(sizes));
}

std::shared_ptr<const CostModel> makeRoofline(std::string name, Device device, AssumedSizes sizes) {
    const std::string description = fmt::format(
        "Time of a tensor program on {}: for each node {} µs to launch it, then what takes longer, computing or "
        "moving its inputs and outputs once. What depends on weights only, and views, cost nothing. Devices: "
        "`roofline:laptop`, or a .json file; sizes that are names count as {} (`roofline:a100,N=8`).",
        device.title, device.launchSeconds * 1e6, sizes.otherwise);
    return makeRooflineModel({std::move(name), "Roofline", "µs", description, false, true}, std::move(device),
                             std::move(sizes));
}

std::shared_ptr<const CostModel> makePeakMemory(std::string name, AssumedSizes sizes) {
    return makePeakMemoryModel(
        {std::move(name), "Peak memory", "bytes",
         "The most that is held at a time: weights all the time, inputs and results until their last "
         "use. Sizes that are names count as 1 (`peak-memory:N=8`).",
         false, true},
        std::move(sizes));
}

/// The sizes that tensor models assume for dimensions that are only known when the program runs.
AssumedSizes arraySizes() { return {.otherwise = 1, .named = {}}; }

Error badName(std::string_view name, std::string message) {
    const std::string_view base = name.substr(0, name.find(':'));
    return {ErrorCode::InvalidInput,
            fmt::format("cost model '{}': {}", name, message),
            std::nullopt,
            fmt::format("write {0}:64 for all sizes, or {0}:n=64,m=8 by name", base == name ? "ks-sized" : base),
            {}};
}

Result<AssumedSizes> parseSizes(std::string_view name, std::string_view text, AssumedSizes sizes = {}) {
    while (true) {
        const std::string_view item = text.substr(0, text.find(','));
        const std::size_t equals = item.find('=');
        const std::string_view key = equals == std::string_view::npos ? std::string_view() : item.substr(0, equals);
        const std::string_view digits = equals == std::string_view::npos ? item : item.substr(equals + 1);
        std::int64_t value = 0;
        const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (code != std::errc() || end != digits.data() + digits.size() || value < 1 || value > LargestSize) {
            return badName(name, fmt::format("'{}' is not a size from 1 to {}", item, LargestSize));
        }
        if (equals == 0) return badName(name, fmt::format("'{}' names no size", item));
        if (key.empty())
            sizes.otherwise = value;
        else
            sizes.named[std::string(key)] = value;
        if (item.size() == text.size()) return sizes;
        text.remove_prefix(item.size() + 1);
    }
}

/// Reads roofline:DEVICE, roofline:DEVICE,SIZES or roofline:SIZES.
Result<std::shared_ptr<const CostModel>> rooflineOf(std::string_view name, std::string_view given) {
    const std::string_view first = given.substr(0, given.find(','));
    const bool isSize = first.find('=') != std::string_view::npos ||
                        (!first.empty() && std::ranges::all_of(first, [](char c) { return c >= '0' && c <= '9'; }));
    Result<Device> device = findDevice(isSize ? DefaultDevice : first);
    if (!device) return std::move(device).error();
    const std::string_view rest = isSize ? given : given.substr(std::min(first.size() + 1, given.size()));
    AssumedSizes sizes = arraySizes();
    if (!rest.empty()) {
        Result<AssumedSizes> stated = parseSizes(name, rest, std::move(sizes));
        if (!stated) return std::move(stated).error();
        sizes = *std::move(stated);
    }
    // The name is stored in sessions, so it must identify the device from any folder (a file is named by its whole path).
    std::string found = isSize ? std::string(name) : fmt::format("roofline:{}", device->name);
    if (!isSize && !rest.empty()) found += fmt::format(",{}", rest);
    return makeRoofline(std::move(found), *std::move(device), std::move(sizes));
}

}  // namespace

std::vector<std::shared_ptr<const CostModel>> allCostModels() {
    std::vector<std::shared_ptr<const CostModel>> models{makeKs2021(), makeKs2019(), makeKsSized("ks-sized", {})};
    Result<Device> device = findDevice(DefaultDevice);
    assert(device.ok());  // it comes with the program
    models.push_back(makeRoofline("roofline", *std::move(device), arraySizes()));
    models.push_back(makePeakMemory("peak-memory", arraySizes()));
    models.push_back(std::make_shared<SizeModel>());
    return models;
}

std::vector<std::shared_ptr<const CostModel>> costModelsFor(ir::Sharing sharing) {
    std::vector<std::shared_ptr<const CostModel>> models = allCostModels();
    std::erase_if(models, [&](const auto& model) { return !model->info().prices(sharing); });
    return models;
}

Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name) {
    const std::string_view base = name.substr(0, name.find(':'));
    std::string known;
    for (const std::shared_ptr<const CostModel>& model : allCostModels()) {
        if (model->info().name == name) return model;
        if (model->info().name == base) {
            const std::string_view given = name.substr(base.size() + 1);
            if (base == "roofline") return rooflineOf(name, given);
            if (base != "ks-sized" && base != "peak-memory") {
                return badName(name, fmt::format("{} takes no sizes", base));
            }
            if (base == "peak-memory") {
                Result<AssumedSizes> sizes = parseSizes(name, given, arraySizes());
                if (!sizes) return std::move(sizes).error();
                return makePeakMemory(std::string(name), *std::move(sizes));
            }
            Result<AssumedSizes> sizes = parseSizes(name, name.substr(base.size() + 1));
            if (!sizes) return std::move(sizes).error();
            return makeKsSized(std::string(name), *std::move(sizes));
        }
        known += (known.empty() ? "" : ", ") + model->info().name;
    }
    return Error{ErrorCode::InvalidInput,
                 fmt::format("there is no cost model '{}'", name),
                 std::nullopt,
                 fmt::format("cost models: {}; sizes for the size-aware one: ks-sized:n=64,m=8", known),
                 {}};
}

Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name, ir::Sharing sharing) {
    if (name.empty()) return costModelsFor(sharing).front();
    Result<std::shared_ptr<const CostModel>> model = findCostModel(name);
    if (!model || (*model)->info().prices(sharing)) return model;
    std::string known;
    for (const auto& other : costModelsFor(sharing)) known += (known.empty() ? "" : ", ") + other->info().name;
    const std::string_view kind = sharing == ir::Sharing::Graph ? "tensor" : "ks";
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the cost model {} does not price {} programs", name, kind),
                 std::nullopt,
                 fmt::format("cost models for {} programs: {}", kind, known),
                 {}};
}

}  // namespace mitos::cost
