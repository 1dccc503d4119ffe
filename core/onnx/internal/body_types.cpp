// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/body_types.h"

#include "core/onnx/internal/graph_reader.h"
#include "core/onnx/internal/tensor_proto.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace mitos::onnx {

namespace {

using FoundType = std::optional<proto::TypeProto>;
using FoundTypes = std::vector<FoundType>;

bool hasShape(const proto::TypeProto& type) { return type.tensor_type().has_shape(); }

/// The same size if it is a number or a name in `names`; else one with neither.
proto::TensorShapeProto::Dimension meaningful(const proto::TensorShapeProto::Dimension& size,
                                              const absl::flat_hash_set<std::string>& names) {
    const bool isName = size.has_dim_param() && names.contains(size.dim_param());
    return size.has_dim_value() || isName ? size : proto::TensorShapeProto::Dimension();
}

bool areSame(const proto::TensorShapeProto::Dimension& a, const proto::TensorShapeProto::Dimension& b) {
    if (a.has_dim_value() || b.has_dim_value()) {
        return a.has_dim_value() && b.has_dim_value() && a.dim_value() == b.dim_value();
    }
    return a.has_dim_param() && b.has_dim_param() && a.dim_param() == b.dim_param();
}

/// The type that holds for both.
FoundType common(const FoundType& a, const FoundType& b) {
    if (!a || !b || !a->has_tensor_type() || !b->has_tensor_type()) return std::nullopt;
    if (a->tensor_type().elem_type() != b->tensor_type().elem_type()) return std::nullopt;
    proto::TypeProto result;
    proto::TypeProto::Tensor& tensor = *result.mutable_tensor_type();
    tensor.set_elem_type(a->tensor_type().elem_type());
    const proto::TensorShapeProto& left = a->tensor_type().shape();
    const proto::TensorShapeProto& right = b->tensor_type().shape();
    if (!hasShape(*a) || !hasShape(*b) || left.dim_size() != right.dim_size()) return result;
    tensor.mutable_shape();
    for (int i = 0; i < left.dim_size(); ++i) {
        proto::TensorShapeProto::Dimension& size = *tensor.mutable_shape()->add_dim();
        if (areSame(left.dim(i), right.dim(i))) size = left.dim(i);
    }
    return result;
}

FoundTypes common(const FoundTypes& a, const FoundTypes& b) {
    FoundTypes result;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) result.push_back(common(a[i], b[i]));
    return result;
}

bool areSame(const FoundTypes& a, const FoundTypes& b) {
    return std::ranges::equal(a, b, [](const FoundType& left, const FoundType& right) {
        return left.has_value() == right.has_value() &&
               (!left || left->SerializeAsString() == right->SerializeAsString());
    });
}

/// The types reduced to their element types.
FoundTypes withoutShapes(FoundTypes types) {
    for (FoundType& type : types) {
        if (type && type->has_tensor_type()) type->mutable_tensor_type()->clear_shape();
    }
    return types;
}

proto::TypeProto scalar(int elementType) {
    proto::TypeProto type;
    type.mutable_tensor_type()->set_elem_type(elementType);
    type.mutable_tensor_type()->mutable_shape();
    return type;
}

/// The type without the size of one axis.
FoundType sliced(const FoundType& type, std::int64_t axis) {
    if (!type || !type->has_tensor_type()) return std::nullopt;
    FoundType result = type;
    if (!hasShape(*type)) return result;
    auto& sizes = *result->mutable_tensor_type()->mutable_shape()->mutable_dim();
    if (axis < 0) axis += sizes.size();
    if (axis < 0 || axis >= sizes.size()) return std::nullopt;
    sizes.DeleteSubrange(static_cast<int>(axis), 1);
    return result;
}

/// The type with another axis, whose size is the unknown number of iterations.
FoundType stacked(const FoundType& type, std::int64_t axis) {
    if (!type || !type->has_tensor_type()) return std::nullopt;
    FoundType result = type;
    if (!hasShape(*type)) return result;
    auto& sizes = *result->mutable_tensor_type()->mutable_shape()->mutable_dim();
    if (axis < 0) axis += sizes.size() + 1;
    if (axis < 0 || axis > sizes.size()) return std::nullopt;
    sizes.Add();
    for (int i = sizes.size() - 1; i > static_cast<int>(axis); --i) sizes.SwapElements(i, i - 1);
    return result;
}

class BodyReader {
public:
    BodyReader(const proto::ModelProto& single, const std::vector<NodeInput>& inputs,
               const std::shared_ptr<const ir::OperatorRegistry>& registry, int depth)
        : m_single(single),
          m_node(single.graph().node(0)),
          m_inputs(inputs),
          m_registry(registry),
          m_depth(depth) {
        for (const NodeInput& input : inputs) {
            if (!input.type) continue;
            for (const auto& size : input.type->tensor_type().shape().dim()) {
                if (size.has_dim_param()) m_names.insert(size.dim_param());
            }
        }
    }

    FoundTypes types() const {
        const auto count = static_cast<std::size_t>(m_node.output_size());
        FoundTypes result;
        if (m_node.op_type() == "If") {
            const proto::GraphProto* const then = body("then_branch");
            const proto::GraphProto* const otherwise = body("else_branch");
            if (then != nullptr && otherwise != nullptr) result = common(outputs(*then, {}), outputs(*otherwise, {}));
        } else if (const proto::GraphProto* const loop = body("body"); loop != nullptr) {
            result = m_node.op_type() == "Loop" ? typesOfLoop(*loop) : typesOfScan(*loop);
        }
        result.resize(count);
        return result;
    }

private:
    const proto::GraphProto* body(std::string_view name) const {
        const proto::AttributeProto* const attribute = findAttribute(m_node, name);
        return attribute != nullptr && attribute->has_g() ? &attribute->g() : nullptr;
    }

    FoundType inputType(int input) const {
        if (input >= m_node.input_size()) return std::nullopt;
        const auto found = std::ranges::find(m_inputs, m_node.input(input), &NodeInput::name);
        return found == m_inputs.end() ? std::nullopt : found->type;
    }

    /// The types of a subgraph's outputs for inputs of those types.
    FoundTypes outputs(const proto::GraphProto& graph, const FoundTypes& given) const {
        constexpr int Deepest = 4;
        FoundTypes declared;
        for (const proto::ValueInfoProto& output : graph.output()) declared.emplace_back(output.type());
        if (m_depth >= Deepest) return withoutShapes(std::move(declared));
        auto model = std::make_shared<proto::ModelProto>();
        model->set_ir_version(m_single.ir_version());
        *model->mutable_opset_import() = m_single.opset_import();
        *model->mutable_functions() = m_single.functions();
        proto::GraphProto& body = *model->mutable_graph();
        body = graph;
        if (given.size() != static_cast<std::size_t>(body.input_size())) return withoutShapes(std::move(declared));
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (!given[i]) return withoutShapes(std::move(declared));
            *body.mutable_input(static_cast<int>(i))->mutable_type() = *given[i];
        }
        const auto isOwn = [&](const std::string& name) {
            return std::ranges::find(m_node.input(), name) != m_node.input().end();
        };
        for (const NodeInput& input : m_inputs) {
            if (!input.type || isOwn(input.name)) continue;
            proto::ValueInfoProto& info = *body.add_input();
            info.set_name(input.name);
            *info.mutable_type() = *input.type;
            if (!input.known) continue;
            proto::TensorProto& tensor = *body.add_initializer();
            writeHead(input.name, input.known->dtype, input.known->shape, tensor);
            tensor.set_raw_data(encoded(*input.known));
        }
        ir::TermBank bank(m_registry);
        const Result<tensor::Model> read =
            GraphReader(bank, {.model = std::move(model)}, ImportOptions(), m_depth + 1).read();
        if (!read) return withoutShapes(std::move(declared));
        return typesOf(bank, read->program.root, declared.size());
    }

    FoundTypes typesOf(const ir::TermBank& bank, ir::TermId root, std::size_t count) const {
        const ir::TypeId type = bank.type(root);
        FoundTypes result;
        for (std::size_t i = 0; i < count; ++i) {
            const ir::TypeId one = count == 1 ? type : bank.types().children(type)[i];
            proto::TypeProto& written = result.emplace_back().emplace();
            writeType(tensor::arrayType(bank.types(), one), bank.symbols(), written);
            if (!hasShape(written)) continue;
            for (auto& size : *written.mutable_tensor_type()->mutable_shape()->mutable_dim()) {
                size = meaningful(size, m_names);
            }
        }
        return result;
    }

    /// The types of `state`, the inputs of the body between `before` and `behind`, that hold after any number of iterations;
    /// `last` is set to the body's output types for them.
    FoundTypes settled(const proto::GraphProto& body, const FoundTypes& before, FoundTypes state,
                       const FoundTypes& behind, std::size_t skipped, FoundTypes& last) const {
        // In each round a size or a rank becomes unknown, so this terminates; if it takes many rounds, the shapes are dropped.
        constexpr int MostRounds = 4;
        for (int round = 0; round < MostRounds; ++round) {
            FoundTypes given = before;
            given.insert(given.end(), state.begin(), state.end());
            given.insert(given.end(), behind.begin(), behind.end());
            last = outputs(body, given);
            if (last.size() < skipped + state.size()) break;
            const auto first = last.begin() + static_cast<std::ptrdiff_t>(skipped);
            FoundTypes next = common(state, FoundTypes(first, first + static_cast<std::ptrdiff_t>(state.size())));
            if (areSame(next, state)) return state;
            state = std::move(next);
        }
        last = withoutShapes(std::move(last));
        return withoutShapes(std::move(state));
    }

    FoundTypes typesOfLoop(const proto::GraphProto& body) const {
        const auto carried = static_cast<std::size_t>(std::max(0, body.input_size() - 2));
        FoundTypes state;
        for (std::size_t i = 0; i < carried; ++i) state.push_back(inputType(static_cast<int>(i) + 2));
        FoundTypes last;
        const FoundTypes before{scalar(proto::TensorProto::INT64), scalar(proto::TensorProto::BOOL)};
        FoundTypes result = settled(body, before, std::move(state), {}, 1, last);
        for (std::size_t i = carried + 1; i < last.size(); ++i) result.push_back(stacked(last[i], 0));
        return result;
    }

    FoundTypes typesOfScan(const proto::GraphProto& body) const {
        const proto::AttributeProto* const scanned = findAttribute(m_node, "num_scan_inputs");
        const std::int64_t count = scanned != nullptr ? scanned->i() : 0;
        if (count < 1 || count > m_node.input_size() || body.input_size() != m_node.input_size()) return {};
        const int states = m_node.input_size() - static_cast<int>(count);
        const auto axisOf = [this](std::string_view list, std::size_t i) {
            const proto::AttributeProto* const axes = findAttribute(m_node, list);
            const bool isGiven = axes != nullptr && i < static_cast<std::size_t>(axes->ints_size());
            return isGiven ? axes->ints(static_cast<int>(i)) : 0;
        };
        FoundTypes state;
        FoundTypes slices;
        for (int i = 0; i < states; ++i) state.push_back(inputType(i));
        for (int i = states; i < m_node.input_size(); ++i) {
            slices.push_back(sliced(inputType(i), axisOf("scan_input_axes", static_cast<std::size_t>(i - states))));
        }
        FoundTypes last;
        FoundTypes result = settled(body, {}, std::move(state), slices, 0, last);
        const std::size_t first = result.size();
        for (std::size_t i = first; i < last.size(); ++i) {
            result.push_back(stacked(last[i], axisOf("scan_output_axes", i - first)));
        }
        return result;
    }

    const proto::ModelProto& m_single;
    const proto::NodeProto& m_node;
    const std::vector<NodeInput>& m_inputs;
    const std::shared_ptr<const ir::OperatorRegistry>& m_registry;
    int m_depth = 0;
    absl::flat_hash_set<std::string> m_names;  ///< names of sizes of inputs
};

}  // namespace

bool isControlFlow(const proto::NodeProto& node) {
    const std::string& type = node.op_type();
    return canonicalDomain(node.domain()).empty() && (type == "If" || type == "Loop" || type == "Scan");
}

FoundTypes typesOfBodies(const proto::ModelProto& single, const std::vector<NodeInput>& inputs,
                         const std::shared_ptr<const ir::OperatorRegistry>& registry, int depth) {
    return BodyReader(single, inputs, registry, depth).types();
}

}  // namespace mitos::onnx
