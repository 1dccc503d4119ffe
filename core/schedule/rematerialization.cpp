// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/rematerialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace mitos::schedule {

namespace {

bool uses(const Tensor& tensor, std::uint32_t operation) {
    return std::ranges::find(tensor.consumers, operation) != tensor.consumers.end();
}

/// The tensors that an operation uses, in ascending order.
std::vector<std::uint32_t> inputsOfOperation(const TaskGraph& graph, std::uint32_t operation) {
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t t = 0; t < graph.tensors.size(); ++t) {
        if (uses(graph.tensors[t], operation)) inputs.push_back(t);
    }
    return inputs;
}

Error refusal(std::string message) {
    return inputError(std::move(message), "choose another tensor or other consumers to recompute");
}

Status checkConsumers(const TaskGraph& graph, const Recomputation& recomputation) {
    const Tensor& tensor = graph.tensors[recomputation.tensor];
    if (recomputation.consumers.empty()) return refusal("a recomputed tensor needs a consumer");
    for (const std::uint32_t consumer : recomputation.consumers) {
        if (!uses(tensor, consumer)) {
            return refusal(fmt::format("operation {} does not use tensor {}", consumer, recomputation.tensor));
        }
    }
    const bool isOneLeft = std::ranges::any_of(tensor.consumers, [&](std::uint32_t consumer) {
        return std::ranges::find(recomputation.consumers, consumer) == recomputation.consumers.end();
    });
    if (!isOneLeft) return refusal(fmt::format("nothing would use the first copy of tensor {}", recomputation.tensor));
    return Success{};
}

}  // namespace

RematerializedGraph withoutRecomputation(TaskGraph graph) {
    RematerializedGraph result{.original = std::vector<std::uint32_t>(graph.operations.size()),
                               .originalTensor = std::vector<std::uint32_t>(graph.tensors.size())};
    std::iota(result.original.begin(), result.original.end(), 0U);
    std::iota(result.originalTensor.begin(), result.originalTensor.end(), 0U);
    result.graph = std::move(graph);
    return result;
}

Result<RematerializedGraph> withRecomputation(RematerializedGraph graph, const Recomputation& recomputation) {
    TaskGraph& tasks = graph.graph;
    if (recomputation.tensor >= tasks.tensors.size()) {
        return refusal(fmt::format("there is no tensor {} to recompute", recomputation.tensor));
    }
    MITOS_REQUIRE(checkConsumers(tasks, recomputation));
    const std::uint32_t producer = tasks.tensors[recomputation.tensor].producer;
    if (std::ranges::count(tasks.tensors, producer, &Tensor::producer) != 1) {
        return refusal(fmt::format("operation {} makes several tensors, so it is not repeated for one", producer));
    }
    const std::vector<std::uint32_t> usual = inputsOfOperation(tasks, producer);
    if (usual.empty()) {
        return refusal(fmt::format("operation {} has no inputs, so its tensor comes from outside", producer));
    }
    const std::vector<std::uint32_t>& inputs = recomputation.inputs.empty() ? usual : recomputation.inputs;
    const bool areCopies =
        inputs.size() == usual.size() &&
        std::ranges::equal(inputs, usual, [&](std::uint32_t given, std::uint32_t input) {
            return given < tasks.tensors.size() && graph.originalTensor[given] == graph.originalTensor[input];
        });
    if (!areCopies) return refusal(fmt::format("the inputs are not copies of those of operation {}", producer));

    const auto again = static_cast<std::uint32_t>(tasks.operations.size());
    Operation repeated = tasks.operations[producer];
    if (!repeated.name.empty()) repeated.name += " again";
    graph.addedDuration += repeated.duration;
    tasks.operations.push_back(std::move(repeated));
    graph.original.push_back(graph.original[producer]);
    for (const std::uint32_t input : inputs) tasks.tensors[input].consumers.push_back(again);
    const std::size_t edges = tasks.controlEdges.size();
    for (std::size_t i = 0; i < edges; ++i) {
        const std::pair<std::uint32_t, std::uint32_t> edge = tasks.controlEdges[i];
        if (edge.second == producer) tasks.controlEdges.emplace_back(edge.first, again);
    }
    tasks.controlEdges.emplace_back(producer, again);
    Tensor& first = tasks.tensors[recomputation.tensor];
    Tensor copy{.bytes = first.bytes, .producer = again, .consumers = recomputation.consumers};
    std::erase_if(first.consumers, [&](std::uint32_t consumer) { return uses(copy, consumer); });
    tasks.tensors.push_back(std::move(copy));
    graph.originalTensor.push_back(graph.originalTensor[recomputation.tensor]);
    return graph;
}

}  // namespace mitos::schedule
