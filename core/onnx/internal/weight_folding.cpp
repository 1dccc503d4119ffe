// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/weight_folding.h"

#include "core/ir/shared.h"
#include "core/onnx/internal/operations.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/idle.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::onnx {

namespace {

using ir::TermId;

constexpr std::int64_t MostFolded = std::int64_t{1} << 26U;
/// These take about ten seconds.
constexpr double MostOperations = 2e10;

bool isModestArray(const ir::TypeTable& types, ir::TypeId type) {
    if (!types.isArray(type)) return false;
    const tensor::ArrayType array = tensor::arrayType(types, type);
    return array.isStatic() && tensor::isComputable(array.dtype) && tensor::elementCount(array.shape()) <= MostFolded;
}

/// The value of a term, if the evaluator rounds no Integer in computing it.
std::optional<tensor::ArrayPtr> exactValue(const ir::TermBank& bank, TermId term, const tensor::Weights& weights,
                                           const std::stop_token& stop) {
    std::vector<TermId> wanted{term};
    for (const TermId below : ir::SharedNodes(bank, term)) {
        const ir::TypeId type = bank.type(below);
        const bool isInteger = !bank.types().isArray(type) || !ir::isFloating(bank.types().dtype(type));
        if (isInteger && below != term) wanted.push_back(below);
    }
    const Result<tensor::NodeValues> values =
        tensor::evaluateNodes(bank, wanted, {}, {}, weights, {.stop = stop, .maxElements = MostFolded});
    if (!values) return std::nullopt;
    for (const auto& [node, arrays] : *values) {
        for (const tensor::ArrayPtr& array : arrays) {
            if (array && !tensor::isExact(*array)) return std::nullopt;
        }
    }
    return values->at(term).front();
}

}  // namespace

FoldedWeights foldedWeights(const ir::TermBank& bank, TermId root, const tensor::Weights& weights,
                            const std::stop_token& stop) {
    absl::flat_hash_set<TermId> known;
    absl::flat_hash_set<TermId> wanted;
    const ir::SharedNodes order(bank, root);  // children first
    for (const TermId term : order) {
        const auto children = bank.children(term);
        const bool isLeaf = bank.opName(term) == tensor::WeightName || bank.opName(term) == "Constant" ||
                            bank.opName(term) == tensor::AbsentName;
        const bool isComputed = !children.empty() &&
                                (tensor::operatorOf(bank, term) != nullptr || bank.is(term, ir::CoreOp::Get)) &&
                                !tensor::widens(bank, term);
        if (isLeaf || (isComputed && std::ranges::all_of(children, [&](TermId c) { return known.contains(c); }))) {
            known.insert(term);
            continue;
        }
        for (const TermId child : children) {
            if (known.contains(child) && bank.childCount(child) > 0) wanted.insert(child);
        }
    }
    if (known.contains(root) && bank.childCount(root) > 0) wanted.insert(root);
    std::vector<std::pair<double, TermId>> modest;  // with their operations
    for (const TermId term : order) {
        if (!wanted.contains(term) || !isModestArray(bank.types(), bank.type(term))) continue;
        const double operations = operationsOf(bank, term);
        if (operations <= MostOperations) modest.emplace_back(operations, term);
    }
    std::ranges::stable_sort(modest, {}, &std::pair<double, TermId>::first);
    FoldedWeights result;
    for (const auto& [operations, term] : modest) {
        const std::optional<tensor::ArrayPtr> value = exactValue(bank, term, weights, stop);
        if (!value) {
            if (stop.stop_requested()) ++result.leftOut;
            continue;
        }
        const auto bytes = std::make_shared<const std::string>(encoded(**value));
        Result<tensor::WeightData> data =
            tensor::WeightData::raw((*value)->dtype, (*value)->shape, std::as_bytes(std::span(*bytes)), bytes);
        if (data) result.values.emplace(term, *std::move(data));
    }
    return result;
}

}  // namespace mitos::onnx
