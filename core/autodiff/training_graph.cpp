// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/training_graph.h"

#include "core/ir/shared.h"
#include "core/tensor/expand.h"
#include "core/tensor/text.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace mitos::autodiff {

using ir::TermId;

namespace {

constexpr std::size_t MostListed = 8;      // names in a message
constexpr std::size_t FirstStatistic = 3;  // of a BatchNormalization's inputs: mean and variance

Error wrongRequest(std::string message, std::string hint = {}) {
    return {ErrorCode::InvalidInput, std::move(message), std::nullopt, std::move(hint)};
}

std::string listed(const std::vector<std::string>& names) {
    const std::size_t shown = std::min(names.size(), MostListed);
    const std::string more = names.size() > shown ? fmt::format(", and {} more", names.size() - shown) : std::string();
    return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       more);
}

/// An input or a weight.
struct Leaf {
    TermId term;
    std::string name;
    bool isWeight = false;
    bool isStatistic = false;  ///< a weight that only means and variances are made of
    bool isUsed = false;       ///< by the output
};

class GraphMaker {
public:
    GraphMaker(ir::TermBank& bank, const tensor::Model& model, const TrainingRequest& request,
               std::vector<TensorObstacle>& obstacles)
        : m_bank(bank),
          m_model(model),
          m_request(request),
          m_obstacles(obstacles),
          m_base(bank.function(model.program.function)) {
        m_graph.source = model;
    }

    Result<TrainingGraph> make() {
        MITOS_TRY(TermId output, chosenOutput());
        findLeaves(output);
        MITOS_TRY(std::vector<Leaf> arrays, chosenArrays());
        output = withInputs(output, arrays);
        MITOS_TRY(const TermId loss, lossOf(output));
        std::vector<TermId> terms;
        for (const Leaf& array : arrays) terms.push_back(array.term);
        MITOS_TRY(TensorGradients found, gradientsOf(m_bank, loss, terms, m_obstacles));
        return assembled(found, arrays);
    }

private:
    Result<TermId> chosenOutput() {
        const TermId root = m_model.program.root;
        std::size_t index = 0;
        if (!m_request.output.empty()) {
            const auto found = std::ranges::find(m_model.outputs, m_request.output);
            if (found == m_model.outputs.end()) {
                return wrongRequest(fmt::format("there is no output {}", m_request.output),
                                    fmt::format("the outputs are {}", listed(m_model.outputs)));
            }
            index = static_cast<std::size_t>(found - m_model.outputs.begin());
        }
        m_graph.output = index < m_model.outputs.size() ? m_model.outputs[index] : "output";
        TermId output = root;
        if (m_bank.types().isTuple(m_bank.type(root))) {
            if (m_bank.types().children(m_bank.type(root)).empty()) return wrongRequest("the graph has no output");
            output = m_bank.is(root, ir::CoreOp::Tuple) ? m_bank.child(root, index)
                                                        : m_bank.get(root, static_cast<std::uint32_t>(index));
        }
        if (!isDifferentiable(m_bank.types(), m_bank.type(output))) {
            return wrongRequest(fmt::format("the output {} is {}, which has no gradient", m_graph.output,
                                            tensor::typeText(m_bank.types(), m_bank.type(output))),
                                "choose an output of floating-point numbers: --of NAME");
        }
        return output;
    }

    /// The inputs in the order of the signature, then the weights of the output in the order of the program.
    void findLeaves(TermId output) {
        const ir::SharedNodes nodes(m_bank, output);
        for (const ir::Parameter& parameter : m_base.parameters) {
            const TermId term = m_bank.variable(parameter.name, parameter.type);
            m_leaves.push_back(
                {.term = term, .name = std::string(m_bank.text(parameter.name)), .isUsed = nodes.contains(term)});
        }
        absl::flat_hash_set<TermId> others;  // used by anything but statistics
        for (const TermId node : nodes) {
            const bool isNormalization = m_bank.opName(node) == "BatchNormalization";
            for (std::size_t i = 0; i < m_bank.childCount(node); ++i) {
                if (!isNormalization || i < FirstStatistic) others.insert(m_bank.child(node, i));
            }
        }
        others.insert(output);
        for (const TermId node : nodes) {
            if (m_bank.opName(node) != tensor::WeightName) continue;
            m_leaves.push_back({.term = node,
                                .name = std::string(m_bank.text(m_bank.payload(node).asSymbol())),
                                .isWeight = true,
                                .isStatistic = !others.contains(node),
                                .isUsed = true});
        }
    }

    [[nodiscard]] bool isRequested(const Leaf& leaf) const {
        if (std::ranges::find(m_request.names, leaf.name) != m_request.names.end()) return true;
        if (!leaf.isUsed || !isDifferentiable(m_bank.types(), m_bank.type(leaf.term))) return false;
        return leaf.isWeight ? m_request.byWeights && !leaf.isStatistic : m_request.byInputs;
    }

    Result<std::vector<Leaf>> chosenArrays() const {
        for (const std::string& name : m_request.names) {
            const auto found = std::ranges::find(m_leaves, name, &Leaf::name);
            if (found == m_leaves.end()) {
                std::vector<std::string> names;
                for (const Leaf& leaf : m_leaves) names.push_back(leaf.name);
                return wrongRequest(
                    fmt::format("no input or weight of the output {} is named {}", m_graph.output, name),
                    fmt::format("it has {}", listed(names)));
            }
            const ir::TypeId type = m_bank.type(found->term);
            if (isDifferentiable(m_bank.types(), type)) continue;
            return wrongRequest(
                fmt::format("{} is {}, which has no gradient", name, tensor::typeText(m_bank.types(), type)));
        }
        std::vector<Leaf> arrays;
        std::ranges::copy_if(m_leaves, std::back_inserter(arrays), [&](const Leaf& leaf) { return isRequested(leaf); });
        if (!arrays.empty()) return arrays;
        return wrongRequest(fmt::format("the output {} has no {} with a gradient", m_graph.output,
                                        m_request.byInputs ? "input or weight" : "weight"),
                            m_request.byInputs ? "" : "differentiate by the inputs: --wrt inputs");
    }

    /// Weights that the loss is differentiated by become inputs.
    TermId withInputs(TermId output, std::vector<Leaf>& arrays) {
        std::vector<ir::NodeReplacement> replacements;
        for (Leaf& array : arrays) {
            if (!array.isWeight) continue;
            const Symbol name = m_bank.payload(array.term).asSymbol();
            const ir::TypeId type = m_bank.type(array.term);
            const TermId input = m_bank.variable(name, type);
            replacements.push_back({array.term, input});
            m_added.push_back({name, type});
            array.term = input;
        }
        const ir::SharedNodes nodes(m_bank, output);
        return ir::replaceShared(m_bank, nodes, replacements);
    }

    [[nodiscard]] bool isTaken(std::string_view name) const {
        const auto isNamed = [&](const ir::Parameter& p) { return m_bank.text(p.name) == name; };
        return std::ranges::any_of(m_base.parameters, isNamed) || std::ranges::any_of(m_added, isNamed) ||
               std::ranges::find(m_leaves, name, &Leaf::name) != m_leaves.end() ||
               std::ranges::find(m_graph.model.outputs, name) != m_graph.model.outputs.end();
    }

    [[nodiscard]] std::string freeName(std::string name) const {
        const std::string wanted = name;
        for (int i = 2; isTaken(name); ++i) name = fmt::format("{}_{}", wanted, i);
        return name;
    }

    /// A further input of the type of the output.
    TermId furtherInput(const char* wanted, TermId output) {
        const Symbol name = m_bank.symbols().intern(freeName(wanted));
        m_added.push_back({name, m_bank.type(output)});
        return m_bank.variable(name, m_bank.type(output));
    }

    Result<TermId> lossOf(TermId output) {
        const tensor::ArrayType type = tensor::arrayType(m_bank.types(), m_bank.type(output));
        const bool isOne = type.isStatic() && tensor::elementCount(type.shape()) == 1;
        m_graph.loss = m_request.loss.value_or(isOne ? Loss::Output : Loss::Cotangent);
        if (m_graph.loss == Loss::Output && !isOne) {
            return wrongRequest(
                fmt::format("the output {} is {}, not one number", m_graph.output,
                            tensor::typeText(m_bank.types(), m_bank.type(output))),
                "choose how the loss is made of it: --loss cotangent, sum, mse or softmax-cross-entropy");
        }
        if (!type.hasRank) return wrongRequest(fmt::format("the rank of the output {} is unknown", m_graph.output));
        if (m_graph.loss == Loss::Output && type.rank() == 0) return output;
        std::vector<std::int64_t> axes(type.rank());
        std::iota(axes.begin(), axes.end(), std::int64_t{0});
        tensor::TermMaker make(m_bank, m_bank.symbols().intern("loss"));
        const auto reduced = [&](std::string_view op, TermId term) {
            return axes.empty() ? term : make.node(op, {term}, {{"axes", axes}, {"keepdims", false}});
        };
        switch (m_graph.loss) {
            case Loss::Output:
            case Loss::Sum: return make.take(reduced("ReduceSum", output));
            case Loss::Cotangent: {
                const TermId weighted = make.node("Mul", {output, furtherInput("cotangent", output)});
                return make.take(reduced("ReduceSum", weighted));
            }
            case Loss::MeanSquare: {
                const TermId apart = make.node("Sub", {output, furtherInput("target", output)});
                return make.take(reduced("ReduceMean", make.node("Mul", {apart, apart})));
            }
            case Loss::SoftmaxCrossEntropy: break;
        }
        if (axes.empty()) return wrongRequest(fmt::format("the output {} has no axis of logits", m_graph.output));
        if (tensor::operatorName(m_bank, output) == "Softmax") {
            m_graph.warnings.push_back(
                fmt::format("the output {} is already a Softmax; the loss applies another one", m_graph.output));
        }
        const std::int64_t last = axes.back();
        axes.pop_back();
        const TermId logarithms = make.node("LogSoftmax", {output}, {{"axis", last}});
        const TermId products = make.node("Mul", {furtherInput("target", output), logarithms});
        const TermId entropies =
            make.node("ReduceSum", {products}, {{"axes", std::vector<std::int64_t>{last}}, {"keepdims", false}});
        return make.take(make.node("Neg", {reduced("ReduceMean", entropies)}));
    }

    Result<TrainingGraph> assembled(const TensorGradients& found, const std::vector<Leaf>& arrays) {
        tensor::Model& made = m_graph.model;
        made = m_model;
        made.outputs.clear();
        made.outputs.push_back(freeName("loss"));
        std::vector<TermId> results{found.result};
        std::vector<std::string> constant;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (!found.gradients[i].isValid()) {
                constant.push_back(arrays[i].name);
                continue;
            }
            m_graph.arrays.push_back(arrays[i].name);
            made.outputs.push_back(freeName(arrays[i].name + "_grad"));
            results.push_back(found.gradients[i]);
        }
        if (m_graph.arrays.empty()) {
            return wrongRequest(fmt::format("the loss does not depend smoothly on {}", listed(constant)));
        }
        if (!constant.empty()) {
            m_graph.warnings.push_back(
                fmt::format("the loss does not depend smoothly on {}: no gradient is written", listed(constant)));
        }
        made.declaredSizes.clear();
        made.name = m_model.name + "_gradient";
        MITOS_TRY(made.program, declared(m_bank.tuple(results)));
        return std::move(m_graph);
    }

    Result<ir::Program> declared(TermId root) {
        ir::Function function = m_base;
        function.name += "_gradient";
        function.parameters.insert(function.parameters.end(), m_added.begin(), m_added.end());
        std::vector<ir::TypeId> types;
        for (const ir::Parameter& parameter : function.parameters) types.push_back(parameter.type);
        function.argument = types.size() == 1 ? types.front() : m_bank.types().tuple(types);
        function.result = function.declaredResult = m_bank.type(root);
        function.body = root;
        MITOS_TRY(const ir::FunctionId id, m_bank.declare(std::move(function)));
        return ir::Program{id, root};
    }

    ir::TermBank& m_bank;
    const tensor::Model& m_model;
    const TrainingRequest& m_request;
    std::vector<TensorObstacle>& m_obstacles;
    const ir::Function m_base;
    std::vector<Leaf> m_leaves;
    std::vector<ir::Parameter> m_added;  ///< inputs that the model does not have
    TrainingGraph m_graph;
};

}  // namespace

Result<TrainingGraph> trainingGraph(ir::TermBank& bank, const tensor::Model& model, const TrainingRequest& request,
                                    std::vector<TensorObstacle>& obstacles) {
    return GraphMaker(bank, model, request, obstacles).make();
}

}  // namespace mitos::autodiff
