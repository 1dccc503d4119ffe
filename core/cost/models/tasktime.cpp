// SPDX-License-Identifier: GPL-3.0-or-later
// The time that one device takes for all operations of a task graph.
#include "core/cost/factory.h"
#include "core/tasks/program.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace mitos::cost::models {

namespace {

double durationOf(const Node& node) {
    const std::optional<tasks::TaskLabel> label = tasks::labelOf(node.bank, node.payload);
    return label ? label->duration : 0.0;
}

class Durations final : public NodeCosts {
public:
    [[nodiscard]] Status costs(std::span<const Node> nodes, std::span<double> costs, const std::stop_token&) override {
        std::ranges::transform(nodes, costs.begin(), durationOf);
        return Success{};
    }
    [[nodiscard]] Result<NodeCost> explain(const Node& node) override {
        return NodeCost{durationOf(node), node.opName() == tasks::TaskName ? "its duration" : "takes no time"};
    }
};

}  // namespace

CostModelFactory tasktime() {
    return {.info = {.name = "task-time",
                     .title = "Time of all tasks",
                     .unit = "units",
                     .description = "The durations of all operations of a task graph together: what one device takes. "
                                    "The unit is that of the graph's file.",
                     .dialects = {std::string(tasks::DialectName)}},
            .make = [](CostModelInfo info) -> Result<std::shared_ptr<const CostModel>> {
                return modelOfNodes(std::move(info), [] { return std::make_unique<Durations>(); });
            }};
}

}  // namespace mitos::cost::models
