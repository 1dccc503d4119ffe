// SPDX-License-Identifier: GPL-3.0-or-later
// The list of cost models, and finding one by name.
#include "core/cost/cost_model.h"
#include "core/cost/profile_model.h"
#include "core/cost/sized_model.h"

#include <fmt/format.h>

#include <charconv>

namespace mitos::cost {

namespace {

constexpr std::int64_t LargestSize = 1'000'000'000;

class SizeEvaluator : public CostEvaluator {
public:
    explicit SizeEvaluator(const ir::TermBank& bank) : m_bank(bank) {}

    double cost(ir::TermId root) override { return static_cast<double>(m_bank.treeSize(root)); }
    std::vector<CostPart> explain(ir::TermId root) override {
        std::vector<CostPart> parts;
        ir::forEachSubterm(m_bank, root, [&](const ir::Path& path, ir::TermId term) {
            parts.push_back({path, 1.0, static_cast<double>(m_bank.treeSize(term)), 1.0, "1 node"});
            return true;
        });
        return parts;
    }

private:
    const ir::TermBank& m_bank;
};

class SizeModel : public CostModel {
public:
    [[nodiscard]] const CostModelInfo& info() const override { return m_info; }
    [[nodiscard]] std::unique_ptr<CostEvaluator> evaluator(const ir::TermBank& bank, ir::FunctionId) const override {
        return std::make_unique<SizeEvaluator>(bank);
    }

private:
    CostModelInfo m_info{"size", "Term size", "nodes",
                         "Number of nodes of the program as a tree: shared subterms count as often as they occur."};
};

constexpr const char* CommonCosts =
    "let 0.1, tuple 0.1 an element, if 1 + condition + dearer arm + 0.0001 x the cheaper one, add and sub 1, mul and "
    "div "
    "2, log, exp and their like 4, comparisons, index, size and conversions 1, a call 2 + the body (an external "
    "function: "
    "2 + its cost$f, else 7; a recursive call: 2). Allocation, build, constVec, deltaVec: M; loops: rounds x body.";

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

Error badName(std::string_view name, std::string message) {
    return {ErrorCode::InvalidInput,
            fmt::format("cost model '{}': {}", name, message),
            std::nullopt,
            "write ks-sized:64 for all sizes, or ks-sized:n=64,m=8 by name",
            {}};
}

Result<AssumedSizes> parseSizes(std::string_view name, std::string_view text) {
    AssumedSizes sizes;
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

}  // namespace

std::vector<std::shared_ptr<const CostModel>> allCostModels() {
    return {makeKs2021(), makeKs2019(), makeKsSized("ks-sized", {}), std::make_shared<SizeModel>()};
}

Result<std::shared_ptr<const CostModel>> findCostModel(std::string_view name) {
    const std::string_view base = name.substr(0, name.find(':'));
    std::string known;
    for (const std::shared_ptr<const CostModel>& model : allCostModels()) {
        if (model->info().name == name) return model;
        if (model->info().name == base) {
            if (base != "ks-sized") return badName(name, fmt::format("{} takes no sizes", base));
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

}  // namespace mitos::cost
