// SPDX-License-Identifier: GPL-3.0-or-later
// The work of the perspective Gradient on networks: making training graphs, laying them out, checking them. For jobs.
#pragma once

#include "core/autodiff/tensor_check.h"
#include "core/autodiff/training_graph.h"
#include "core/cost/cost_model.h"
#include "storage/workspace/open_model.h"
#include "views/document/document.h"
#include "views/program/program_tree_model.h"

#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace mitos::views {

/// The training graph that the user wants to see.
struct TrainingOrder {
    Snapshot program;  ///< the open one
    std::shared_ptr<const OpenModel> model;
    autodiff::TrainingRequest request;
    std::shared_ptr<const cost::CostModel> costs;
};

/// An operator without a derivative that is in the way.
struct TrainingObstacle {
    QString text;
    std::optional<NodeIndex> node = {};  ///< of the network
};

/// A network beside its training graph.
struct Training {
    std::shared_ptr<const ir::TermBank> bank;  ///< of both
    ProgramContent network;
    std::optional<autodiff::TrainingGraph> graph;
    ProgramContent training;
    QString text;  ///< the training graph as a listing
    /// Set if there is no training graph; then the rest is not.
    std::optional<Error> problem = {};
    std::vector<TrainingObstacle> obstacles = {};

    /// The nodes of the training graph that stand for a node of the network, or are made for its gradient.
    [[nodiscard]] std::vector<NodeIndex> madeFor(NodeIndex node) const;
    /// The node of the network that one of the training graph stands for or is made for.
    [[nodiscard]] std::optional<NodeIndex> sourceOf(NodeIndex node) const;
};

[[nodiscard]] Training trained(const TrainingOrder& order);

/// Fails with Cancelled after a stop request.
[[nodiscard]] Result<autodiff::TensorCheckReport> checked(const Training& training, const std::stop_token& stop,
                                                          const std::function<void(double share)>& progress);

}  // namespace mitos::views
