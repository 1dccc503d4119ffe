// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/opset_changes.h"

#include "core/onnx/internal/opaque.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/tensor/onnx_hooks.h"

#include <absl/container/btree_map.h>
#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace mitos::onnx {

namespace {

using tensor::AttributeValue;
using tensor::notThisForm;
using tensor::OnnxNode;

/// The change of an operator by an opset.
struct Change {
    std::string_view type;
    int since = 0;
    bool takesOlder = false;  ///< whether nodes of the previous version mean the same
};
/// Changes from ONNX's docs/Changelog.md. Versions that only add element types are not listed, unless nodes with them
/// would be invalid before.
constexpr std::array Changes{
    Change{"AffineGrid", 20},
    Change{"Attention", 23},
    Change{"Attention", 24, true},    // nonpad_kv_seqlen
    Change{"Attention", 25, true},    // windows of keys
    Change{"AveragePool", 19, true},  // dilations
    Change{"BitwiseAnd", 18},
    Change{"BitwiseNot", 18},
    Change{"BitwiseOr", 18},
    Change{"BitwiseXor", 18},
    Change{"Cast", 19, true},  // saturate, numbers of 8 bits
    Change{"Cast", 24, true},  // round_mode, powers of two
    Change{"Cast", 25, true},  // numbers of 2 bits
    Change{"CastLike", 19, true},
    Change{"CastLike", 24, true},
    Change{"CastLike", 25, true},
    Change{"CenterCropPad", 18},
    Change{"Col2Im", 18},
    Change{"DFT", 20},  // the axis is an input
    Change{"DeformConv", 19},
    Change{"DequantizeLinear", 19, true},  // scales in half precision
    Change{"DequantizeLinear", 21, true},  // blocks
    Change{"DequantizeLinear", 23, true},  // output_dtype
    Change{"DequantizeLinear", 24, true},  // scales that are powers of two
    Change{"DequantizeLinear", 25, true},  // numbers of 2 bits
    Change{"Equal", 19, true},             // texts
    Change{"Gelu", 20},
    Change{"GridSample", 20},          // bilinear is linear, bicubic is cubic
    Change{"GroupNormalization", 18},  // a scale for each group
    Change{"GroupNormalization", 21},  // a scale for each channel
    Change{"ImageDecoder", 20},
    Change{"LpPool", 18, true},  // dilations, ceil_mode
    Change{"Mish", 18},
    Change{"OptionalGetElement", 18, true},
    Change{"OptionalHasElement", 18, true},
    Change{"Pad", 18, true},             // axes
    Change{"Pad", 19, true},             // wrap
    Change{"QLinearMatMul", 21, true},   // scales in half precision
    Change{"QuantizeLinear", 19, true},  // saturate
    Change{"QuantizeLinear", 21, true},  // blocks, output_dtype
    Change{"QuantizeLinear", 23, true},  // precision
    Change{"QuantizeLinear", 24, true},  // scales that are powers of two
    Change{"QuantizeLinear", 25, true},  // numbers of 2 bits
    Change{"RMSNormalization", 23},
    Change{"ReduceL1", 18},  // axes are an input
    Change{"ReduceL2", 18},
    Change{"ReduceLogSum", 18},
    Change{"ReduceLogSumExp", 18},
    Change{"ReduceMax", 18},
    Change{"ReduceMax", 20, true},  // truth values
    Change{"ReduceMean", 18},
    Change{"ReduceMin", 18},
    Change{"ReduceMin", 20, true},
    Change{"ReduceProd", 18},
    Change{"ReduceSumSquare", 18},
    Change{"RegexFullMatch", 20},
    Change{"Resize", 18, true},  // antialias, axes, keep_aspect_ratio_policy
    Change{"Resize", 19, true},  // half_pixel_symmetric
    Change{"RotaryEmbedding", 23},
    Change{"ScatterElements", 18, true},  // max, min
    Change{"ScatterND", 18, true},
    Change{"Split", 18},  // num_outputs where there are no sizes
    Change{"StringConcat", 20},
    Change{"StringSplit", 20},
    Change{"Swish", 24},
    Change{"TensorScatter", 24},
};

/// An operator of ONNX Runtime that became one of ONNX's own, for nodes with one input.
struct Adopted {
    std::string_view from;
    std::string_view type;
    int since = 0;
};
constexpr std::array AdoptedOperators{Adopted{"Gelu", "Gelu", 20}, Adopted{"FastGelu", "Gelu", 20},
                                      Adopted{"QuickGelu", "Swish", 24}};

/// The entry of an operator of ONNX Runtime with that many inputs; null if ONNX has none in `opset`.
const Adopted* adopted(std::string_view domain, std::string_view type, std::size_t inputs, int opset) {
    if (domain != "com.microsoft" || inputs != 1) return nullptr;
    const auto* const found = std::ranges::find(AdoptedOperators, type, &Adopted::from);
    return found == AdoptedOperators.end() || opset < found->since ? nullptr : found;
}

bool isReductionWithAxes(std::string_view type) { return type.starts_with("Reduce") && !hasFormOfOpset17(type, 18); }

void removeAttribute(proto::NodeProto& node, std::string_view name) {
    auto& list = *node.mutable_attribute();
    for (int i = list.size(); i-- > 0;) {
        if (list[i].name() == name) list.DeleteSubrange(i, 1);
    }
}

void addAttribute(proto::NodeProto& node, const char* name, std::int64_t value) {
    proto::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(proto::AttributeProto::INT);
    attribute.set_i(value);
}

/// Since opset 20, bilinear interpolation is named linear, for any number of axes, and bicubic is named cubic.
std::string renamedMode(const std::string& mode, bool isRaised) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> Modes{
        {{"bilinear", "linear"}, {"bicubic", "cubic"}}};
    for (const auto& [before, after] : Modes) {
        if (mode == (isRaised ? before : after)) return std::string(isRaised ? after : before);
    }
    return mode;
}

Result<OnnxNode> loweredGelu(OnnxNode node) {
    const std::string approximate = tensor::wordOf(node, "approximate", "none");
    if (approximate != "none" && approximate != "tanh") {
        return notThisForm(fmt::format("Gelu approximated by {}", approximate));
    }
    node.domain = "com.microsoft";
    node.type = approximate == "none" ? "Gelu" : "FastGelu";
    node.opset = 1;
    node.attributes.clear();
    return node;
}

OnnxNode loweredSwish(OnnxNode node) {
    node.domain = "com.microsoft";
    node.type = "QuickGelu";
    node.opset = 1;
    node.attributes.try_emplace("alpha", 1.0);
    return node;
}

/// The table's operators have one scale, or one for each position along an axis; other forms fail.
Result<OnnxNode> loweredQuantization(OnnxNode node, const tensor::OnnxContext& context) {
    if (tensor::integerOf(node, "block_size", 0) != 0) return notThisForm(node.type + " with a scale for each block");
    if (tensor::integerOf(node, "precision", 0) > 1) return notThisForm(node.type + " in another precision");
    const std::int64_t to = tensor::integerOf(node, "output_dtype", 0);
    const bool isBack = node.type == "DequantizeLinear";
    const tensor::ArrayType* const like = context.type(isBack ? 1 : 2);
    const std::int64_t plain = like != nullptr ? tensor::onnxNumber(like->dtype) : tensor::onnxNumber(ir::Dtype::U8);
    if (to != 0 && to != plain) return notThisForm(fmt::format("{} to another element type", node.type));
    for (const char* const name : {"block_size", "output_dtype", "precision", "saturate"}) node.attributes.erase(name);
    return node;
}

Result<OnnxNode> loweredResize(OnnxNode node) {
    if (tensor::wordOf(node, "keep_aspect_ratio_policy", "stretch") != "stretch") {
        return notThisForm("Resize that keeps the ratio of sizes");
    }
    node.attributes.erase("keep_aspect_ratio_policy");
    return node;
}

/// Makes the node that of ONNX's own operator.
void adopt(const Adopted& entry, proto::NodeProto& node) {
    node.clear_domain();
    node.set_op_type(std::string(entry.type));
    if (entry.from == "Gelu") return;
    const bool isSwish = entry.type == "Swish";
    const char* const name = isSwish ? "alpha" : "approximate";
    if (findAttribute(node, name) != nullptr) return;
    proto::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(isSwish ? proto::AttributeProto::FLOAT : proto::AttributeProto::STRING);
    if (isSwish)
        attribute.set_f(1.702F);  // the default of ONNX Runtime
    else
        attribute.set_s("tanh");
}

}  // namespace

bool hasNode(const tensor::Operator& op, std::size_t inputs, int opset) {
    if (op.onnx.domain.empty()) return op.onnx.since <= opset;
    return adopted(op.onnx.domain, op.name, inputs, opset) != nullptr;
}

bool hasFormOfOpset17(std::string_view type, int opset) {
    return std::ranges::none_of(Changes, [&](const Change& c) { return c.type == type && c.since <= opset; });
}

bool isCarriedAfter17(std::string_view type, int before, int after) {
    return std::ranges::none_of(Changes, [&](const Change& c) {
        if (c.type != type) return false;
        const bool isUp = before < c.since && c.since <= after;
        const bool isDown = after < c.since && c.since <= before;
        return isDown || (isUp && !c.takesOlder);
    });
}

Result<OnnxNode> lowered(OnnxNode node, const tensor::OnnxContext& context) {
    if (node.type == "Gelu") return loweredGelu(std::move(node));
    if (node.type == "Swish") return loweredSwish(std::move(node));
    if (node.type == "QuantizeLinear" || node.type == "DequantizeLinear") {
        return loweredQuantization(std::move(node), context);
    }
    if (node.type == "Resize") return loweredResize(std::move(node));
    // Both concern 8-bit floating-point types, which have no name here.
    if (node.type == "Cast" || node.type == "CastLike") {
        for (const char* const name : {"round_mode", "saturate"}) node.attributes.erase(name);
    }
    if (node.type == "Split") node.attributes.erase("num_outputs");
    if (node.type == "GridSample") {
        node.attributes.insert_or_assign("mode", renamedMode(tensor::wordOf(node, "mode", "linear"), false));
    }
    return node;
}

void raise(proto::ModelProto& model, int opset, UniqueNames& names) {
    proto::GraphProto& graph = *model.mutable_graph();
    absl::btree_map<std::vector<std::int64_t>, std::string> constants;
    const auto constant = [&](const std::vector<std::int64_t>& values) {
        std::string& name = constants[values];
        if (!name.empty()) return name;
        name = names.unique("axes");
        proto::TensorProto& tensor = *graph.add_initializer();
        const tensor::WeightData data = integerData({static_cast<std::int64_t>(values.size())}, values);
        writeHead(name, data.dtype(), data.shape(), tensor);
        tensor.set_raw_data(encoded(data));
        return name;
    };
    for (proto::NodeProto& node : *graph.mutable_node()) {
        const auto inputs = static_cast<std::size_t>(node.input_size());
        if (const Adopted* const entry = adopted(node.domain(), node.op_type(), inputs, opset); entry != nullptr) {
            adopt(*entry, node);
        }
        if (!node.domain().empty()) continue;
        if (opset >= 20 && node.op_type() == "GridSample") {
            for (proto::AttributeProto& attribute : *node.mutable_attribute()) {
                if (attribute.name() == "mode") attribute.set_s(renamedMode(attribute.s(), true));
            }
        }
        if (opset < 18 || !isReductionWithAxes(node.op_type())) continue;
        const proto::AttributeProto* const axes = findAttribute(node, "axes");
        if (axes == nullptr) continue;
        const std::vector<std::int64_t> values(axes->ints().begin(), axes->ints().end());
        removeAttribute(node, "axes");
        if (values.empty())
            addAttribute(node, "noop_with_empty_axes", 1);
        else
            node.add_input(constant(values));
    }
    for (auto& import : *model.mutable_opset_import()) {
        if (import.domain().empty()) import.set_version(opset);
    }
    bool usesMicrosoft = model.functions_size() > 0;
    for (const proto::NodeProto& node : graph.node()) {
        visitNodes(node, [&](const proto::NodeProto& inner) {
            usesMicrosoft = usesMicrosoft || inner.domain() == "com.microsoft";
        });
    }
    auto& imports = *model.mutable_opset_import();
    for (int i = imports.size(); i-- > 0 && !usesMicrosoft;) {
        if (imports[i].domain() == "com.microsoft") imports.DeleteSubrange(i, 1);
    }
    model.set_ir_version(irVersionOf(opset));
}

int irVersionOf(int opset) {
    if (opset <= 18) return 8;
    if (opset <= 20) return 9;
    if (opset <= 22) return 10;
    if (opset == 23) return 11;
    return opset == 24 ? 12 : 13;
}

namespace {

// Field numbers from onnx.proto.
constexpr int NodeOverload = 8;
constexpr int FunctionAttributes = 11;
constexpr int FunctionOverload = 13;

const google::protobuf::UnknownFieldSet& unknownFields(const google::protobuf::Message& message) {
    return message.GetReflection()->GetUnknownFields(message);
}

std::string unknownText(const google::protobuf::Message& message, int field) {
    const google::protobuf::UnknownFieldSet& fields = unknownFields(message);
    std::string result;
    for (int i = 0; i < fields.field_count(); ++i) {
        const google::protobuf::UnknownField& found = fields.field(i);
        const bool isText = found.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
        if (found.number() == field && isText) result = found.length_delimited();
    }
    return result;
}

}  // namespace

std::string overloadOf(const proto::FunctionProto& function) { return unknownText(function, FunctionOverload); }

std::string overloadOf(const proto::NodeProto& node) { return unknownText(node, NodeOverload); }

std::optional<proto::AttributeProto> defaultOf(const proto::FunctionProto& function, const std::string& attribute) {
    const google::protobuf::UnknownFieldSet& fields = unknownFields(function);
    for (int i = 0; i < fields.field_count(); ++i) {
        const google::protobuf::UnknownField& field = fields.field(i);
        const bool isMessage = field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
        if (field.number() != FunctionAttributes || !isMessage) continue;
        proto::AttributeProto read;
        if (read.ParseFromString(field.length_delimited()) && read.name() == attribute) return read;
    }
    return std::nullopt;
}

}  // namespace mitos::onnx
