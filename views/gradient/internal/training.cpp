// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/training.h"

#include "core/dialects/dialects.h"
#include "views/common/format.h"
#include "views/document/cost_text.h"

#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int Columns = 100;
constexpr qsizetype GradientEnd = 5;  // of "_grad"

ProgramContent laidOut(const ir::TermBank& bank, const ir::Program& program, const cost::CostModel& costs) {
    ProgramContent content;
    content.text = ProgramText(bank, program, Columns);
    content.costs = explainedParts(*costs.evaluator(bank, program.function), bank, program);
    content.findLineCosts();
    content.parts = findParts(bank, content.text, content.costs);
    return content;
}

/// "conv1" of "conv1_grad_2"; the name itself for other nodes.
QString sourceName(const QString& name) {
    const qsizetype at = name.lastIndexOf(QLatin1String("_grad"));
    if (at <= 0) return name;
    const QString rest = name.mid(at + GradientEnd);
    const auto isDigit = [](QChar c) { return c.isDigit(); };
    const bool isNumber =
        rest.size() > 1 && rest[0] == QLatin1Char('_') && std::all_of(rest.cbegin() + 1, rest.cend(), isDigit);
    return rest.isEmpty() || isNumber ? name.left(at) : name;
}

/// The node of the network that a term stands for: the same term, or, where weights below it have become inputs, one of the same name, or
/// the only one of the same operator.
std::optional<NodeIndex> nodeOf(const ProgramContent& network, const ir::TermBank& bank, ir::TermId term) {
    const auto& nodes = network.text.nodes();
    const auto same = std::ranges::find(nodes, term, &ProgramText::Node::term);
    if (same != nodes.end()) return static_cast<NodeIndex>(same - nodes.begin());
    const Symbol hint = bank.hint(term);
    std::vector<NodeIndex> found;
    for (NodeIndex node = 0; node < nodes.size(); ++node) {
        const Symbol other = bank.hint(nodes[node].term);
        if (bank.op(nodes[node].term) == bank.op(term) && other == hint) found.push_back(node);
    }
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

/// Whether a node of the network stands in the training graph, where some operators are replaced: both have the same name of their own, or one
/// that the listings made up, for the same operator and shape.
bool isSame(const Training& both, NodeIndex node, NodeIndex other) {
    const Symbol hint = both.bank->hint(both.network.text.nodes()[node].term);
    if (hint.isValid()) return hint == both.bank->hint(both.training.text.nodes()[other].term);
    const PartNode& first = both.network.parts.nodes[node];
    const PartNode& second = both.training.parts.nodes[other];
    const auto isGiven = [](const PartNode& part) {
        return part.kind == PartNode::Kind::Input || part.kind == PartNode::Kind::Weight;
    };
    if (first.name != second.name || first.shape != second.shape) return false;
    return isGiven(first) ? isGiven(second) : first.title == second.title;
}

}  // namespace

std::vector<NodeIndex> Training::madeFor(NodeIndex node) const {
    std::vector<NodeIndex> found;
    const QString& name = network.parts.nodes[node].name;
    if (name.isEmpty() || !graph) return found;
    // The gradients are outputs behind the loss.
    const auto array = std::ranges::find(graph->arrays, name.toStdString());
    if (array != graph->arrays.end()) {
        const auto output = static_cast<std::uint32_t>(array - graph->arrays.begin()) + 1;
        if (const auto gradient = training.text.find({output})) found.push_back(*gradient);
    }
    for (NodeIndex other = 0; other < training.parts.nodes.size(); ++other) {
        const QString& of = training.parts.nodes[other].name;
        const bool isGradient = of != name && sourceName(of) == name;
        if (isGradient || isSame(*this, node, other)) found.push_back(other);
    }
    return found;
}

std::optional<NodeIndex> Training::sourceOf(NodeIndex node) const {
    const QString& of = training.parts.nodes[node].name;
    const QString name = sourceName(of);
    for (NodeIndex other = 0; other < network.parts.nodes.size() && !of.isEmpty(); ++other) {
        if (network.parts.nodes[other].name != name) continue;
        if (of != name || isSame(*this, other, node)) return other;
    }
    return std::nullopt;
}

Training trained(const TrainingOrder& order) {
    Training result;
    const ProgramCopy copy = order.program.copy();
    ir::TermBank& bank = *copy.bank;
    result.bank = copy.bank;
    result.network = laidOut(bank, copy.program, *order.costs);
    tensor::Model model = order.model->model;
    model.program = copy.program;
    std::vector<autodiff::TensorObstacle> obstacles;
    Result<autodiff::TrainingGraph> made = autodiff::trainingGraph(bank, model, order.request, obstacles);
    if (!made) {
        result.problem = std::move(made).error();
        for (const autodiff::TensorObstacle& obstacle : obstacles) {
            result.obstacles.push_back(
                {fromUtf8(autodiff::describe(bank, obstacle)), nodeOf(result.network, bank, obstacle.node)});
        }
        return result;
    }
    result.graph = *std::move(made);
    result.training = laidOut(bank, result.graph->model.program, *order.costs);
    result.text = fromUtf8(dialects::printProgram(bank, result.graph->model.program));
    return result;
}

Result<autodiff::TensorCheckReport> checked(const Training& training, const std::stop_token& stop,
                                            const std::function<void(double share)>& progress) {
    if (!training.graph) return Error{ErrorCode::Unsupported, "there is no training graph"};
    autodiff::TensorCheckOptions options;
    options.evaluation.stop = stop;
    options.progress = progress;
    return autodiff::checkGradients(*training.bank, *training.graph, options);
}

}  // namespace mitos::views
