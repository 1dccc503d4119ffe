// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/library.h"

#include "core/onnx/internal/opset_changes.h"
#include "core/onnx/internal/tensor_proto.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <onnx/checker.h>
#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace mitos::onnx {

namespace {

/// The library's newest schema of an operator; null if there is none. For ONNX's own operators after opset 17 it is the one of
/// opset 17, whose inputs and attributes differ unless hasFormOfOpset17(), but whose element types are the same.
const proto::OpSchema* newestSchema(const std::string& type, int opset, const std::string& domain) {
    const std::string own = canonicalDomain(domain);
    return proto::OpSchemaRegistry::Schema(type, own.empty() ? std::min(opset, Opset) : opset, own);
}

/// The same for element types alone; null for quantization after opset 17, which then takes scales in half precision.
const proto::OpSchema* typeSchema(const std::string& type, int opset, const std::string& domain) {
    const bool isOther = type == "DequantizeLinear" || type == "QuantizeLinear" || type == "QLinearMatMul";
    return isOther && opset > Opset ? nullptr : newestSchema(type, opset, domain);
}

/// The same, but null if the operator has another form in that opset.
const proto::OpSchema* schemaOf(const std::string& type, int opset, const std::string& domain) {
    if (canonicalDomain(domain).empty() && opset > Opset && !hasFormOfOpset17(type, opset)) return nullptr;
    return newestSchema(type, opset, domain);
}

/// Calls `work` and returns the message of an exception that it throws.
template <typename Work>
std::string complaintOf(const Work& work) {
    try {
        work();
        return {};
    } catch (const std::exception& problem) {
        const std::string text = problem.what();
        return text.empty() ? "ONNX's library refuses the model without a reason" : text;
    }
}

void collectNames(const proto::TypeProto& type, absl::flat_hash_set<std::string>& names) {
    for (const auto& dim : type.tensor_type().shape().dim()) {
        if (dim.has_dim_param()) names.insert(dim.dim_param());
    }
}

/// Drops the names that inference invents for unknown sizes: it restarts numbering for each model, so they mean nothing.
void dropInventedNames(proto::TypeProto& type, const absl::flat_hash_set<std::string>& given) {
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return;
    for (auto& dim : *type.mutable_tensor_type()->mutable_shape()->mutable_dim()) {
        if (dim.has_dim_param() && !given.contains(dim.dim_param())) dim.clear_value();
    }
}

/// ONNX's operators that draw random numbers. A Dropout is one unless the table reads it, as that of inference.
constexpr std::array RandomOperators{"Bernoulli",        "Dropout",       "Multinomial",      "RandomNormal",
                                     "RandomNormalLike", "RandomUniform", "RandomUniformLike"};

constexpr std::array SafeOperators{
    // Operators that only broadcast.
    "Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod",
    "Mul", "Or", "PRelu", "Pow", "Sub", "Sum", "Where", "Xor",
    // Operators whose sizes depend on values; for sequences and texts, only types are inferred.
    "Compress", "ConstantOfShape", "Expand", "GRU", "LSTM", "NonMaxSuppression", "NonZero", "Optional",
    "OptionalGetElement", "OptionalHasElement", "RNN", "Reshape", "SequenceAt", "SequenceConstruct", "SequenceEmpty",
    "SequenceErase", "SequenceInsert", "SequenceLength", "StringNormalizer", "Unique"};

/// Whether inference checks the values that it reads from known inputs of this operator.
bool readsKnownInputsSafely(const std::string& type) {
    return type == "Reshape" || type == "Expand" || type == "ConstantOfShape";
}

bool isSafeInteger(std::string_view name, std::int64_t value, std::int64_t rank) {
    if (name == "axis") return rank < 0 || (value >= -rank && value < rank);
    return value >= 0 && value <= std::int64_t{1} << 31U;
}

/// The rank of the first input, if it is known.
std::optional<std::size_t> firstRank(const std::vector<NodeInput>& inputs) {
    if (inputs.empty() || !inputs.front().type || !inputs.front().type->tensor_type().has_shape()) return std::nullopt;
    return static_cast<std::size_t>(inputs.front().type->tensor_type().shape().dim_size());
}

/// The type of an array of that element type and of unknown rank; nullopt for texts that are not such a type.
std::optional<proto::TypeProto> typeOfText(std::string_view text) {
    const std::int32_t number = elementTypeOf(text);
    if (number == 0) return std::nullopt;
    proto::TypeProto type;
    type.mutable_tensor_type()->set_elem_type(number);
    return type;
}

/// The element type of an output if the schema ties it to those of inputs, or fixes it.
std::optional<proto::TypeProto> schemaType(const proto::OpSchema& schema, std::size_t output,
                                           const std::vector<NodeInput>& inputs) {
    if (schema.outputs().empty()) return std::nullopt;
    const std::string& text = schema.outputs()[std::min(output, schema.outputs().size() - 1)].GetTypeStr();
    for (std::size_t i = 0; i < inputs.size() && !schema.inputs().empty(); ++i) {
        const auto& formal = schema.inputs()[std::min(i, schema.inputs().size() - 1)];
        if (formal.GetTypeStr() != text || !inputs[i].type || !inputs[i].type->has_tensor_type()) continue;
        proto::TypeProto type;
        type.mutable_tensor_type()->set_elem_type(inputs[i].type->tensor_type().elem_type());
        return type;
    }
    for (const auto& constraint : schema.typeConstraintParams()) {
        if (constraint.type_param_str == text && constraint.allowed_type_strs.size() == 1) {
            return typeOfText(constraint.allowed_type_strs.front());
        }
    }
    return typeOfText(text);
}

using Sizes = proto::TensorShapeProto;

/// The sizes of an input; null if its rank is not known.
const Sizes* inputSizes(const std::vector<NodeInput>& inputs, std::size_t input) {
    if (input >= inputs.size() || !inputs[input].type) return nullptr;
    const auto& type = inputs[input].type->tensor_type();
    return type.has_shape() ? &type.shape() : nullptr;
}

/// The output sizes of operators with sliding windows: batch and channels. The others depend on unknown values, or the node would
/// not be opaque.
std::optional<Sizes> windowedSizes(const std::string& type, const Sizes& x, const Sizes* kernel) {
    if (x.dim_size() < 2) return std::nullopt;
    Sizes result;
    *result.add_dim() = x.dim(0);
    if (type.find("Conv") == std::string::npos)
        *result.add_dim() = x.dim(1);
    else if (type != "ConvTranspose" && kernel != nullptr && kernel->dim_size() > 0)
        *result.add_dim() = kernel->dim(0);
    while (result.dim_size() < x.dim_size()) result.add_dim();
    return result;
}

/// The sizes of a matrix product. Batch sizes are derived only if the second operand has none.
std::optional<Sizes> productSizes(const Sizes& a, const Sizes* b) {
    if (b == nullptr || a.dim_size() < 2 || b->dim_size() < 2) return std::nullopt;
    Sizes result;
    for (int i = 0; i < std::max(a.dim_size(), b->dim_size()) - 2; ++i) {
        Sizes::Dimension& size = *result.add_dim();
        if (b->dim_size() == 2) size = a.dim(i);
    }
    *result.add_dim() = a.dim(a.dim_size() - 2);
    *result.add_dim() = b->dim(b->dim_size() - 1);
    return result;
}

/// The sizes of a node's first output as they follow from those of its inputs, for nodes on which inference is not run.
std::optional<Sizes> relatedSizes(const proto::NodeProto& node, const std::vector<NodeInput>& inputs) {
    constexpr std::array Same{"BitwiseNot",     "DequantizeLinear",   "DynamicQuantizeLinear",
                              "Gelu",           "GroupNormalization", "Mish",
                              "QuantizeLinear", "RMSNormalization",   "RotaryEmbedding"};
    constexpr std::array Windowed{"AveragePool", "Conv",    "ConvInteger", "ConvTranspose",
                                  "LpPool",      "MaxPool", "QLinearConv"};
    if (!canonicalDomain(node.domain()).empty()) return std::nullopt;
    const std::string& type = node.op_type();
    const Sizes* const first = inputSizes(inputs, 0);
    if (first == nullptr) return std::nullopt;
    if (std::ranges::find(Same, type) != Same.end()) return *first;
    // Operators on quantized numbers have scale and zero point of the first operand before the second.
    const Sizes* const second = inputSizes(inputs, type.starts_with("QLinear") ? 3 : 1);
    if (std::ranges::find(Windowed, type) != Windowed.end()) return windowedSizes(type, *first, second);
    if (type == "MatMulInteger" || type == "QLinearMatMul") return productSizes(*first, second);
    if (type != "Resize" && type != "Upsample") return std::nullopt;
    Sizes unknown;
    while (unknown.dim_size() < first->dim_size()) unknown.add_dim();
    return unknown;
}

/// The input that gives the element type of the first output, for an operator that the library does not support in that opset.
std::size_t elementSource(const std::string& type) {
    if (type == "DequantizeLinear") return 1;
    if (type == "QuantizeLinear") return 2;
    return type == "QLinearMatMul" ? 7 : 0;
}

/// The types of outputs as far as they are known without inference.
std::vector<std::optional<proto::TypeProto>> typesWithoutInference(const proto::ModelProto& single,
                                                                   const std::vector<NodeInput>& inputs) {
    const proto::NodeProto& node = single.graph().node(0);
    std::vector<std::optional<proto::TypeProto>> types(static_cast<std::size_t>(node.output_size()));
    int opset = 1;
    for (const auto& import : single.opset_import()) {
        if (import.domain() == node.domain()) opset = static_cast<int>(import.version());
    }
    const proto::OpSchema* const schema = typeSchema(node.op_type(), opset, node.domain());
    for (std::size_t i = 0; schema != nullptr && i < types.size(); ++i) types[i] = schemaType(*schema, i, inputs);
    const std::optional<Sizes> sizes = relatedSizes(node, inputs);
    if (!sizes || types.empty()) return types;
    if (!types[0]) {
        const std::size_t like = elementSource(node.op_type());
        if (like < inputs.size()) types[0] = inputs[like].type;
    }
    if (types[0] && types[0]->has_tensor_type()) *types[0]->mutable_tensor_type()->mutable_shape() = *sizes;
    return types;
}

/// The value of an attribute of a node, or its default; null if it has neither.
const proto::AttributeProto* attributeOf(const proto::NodeProto& node, const std::string& name,
                                         const proto::OpSchema* schema) {
    const auto given = std::ranges::find(node.attribute(), name, &proto::AttributeProto::name);
    if (given != node.attribute().end()) return &*given;
    if (schema == nullptr) return nullptr;
    const auto known = schema->attributes().find(name);
    const bool hasDefault =
        known != schema->attributes().end() && known->second.default_value.type() != proto::AttributeProto::UNDEFINED;
    return hasDefault ? &known->second.default_value : nullptr;
}

/// The nodes of a function, applied to the inputs and outputs of a node that calls it.
proto::GraphProto instantiated(const proto::FunctionProto& function, const proto::NodeProto& node,
                               const proto::OpSchema* schema) {
    // The type keeps names distinct if a function's last node also calls a function.
    const std::string prefix = node.output(0) + "." + node.op_type() + ".";
    absl::flat_hash_map<std::string, std::string> names{{"", ""}};
    for (int i = 0; i < function.input_size(); ++i) {
        names.emplace(function.input(i), i < node.input_size() ? node.input(i) : "");
    }
    for (int i = 0; i < node.output_size(); ++i) {
        if (!node.output(i).empty()) names.emplace(function.output(i), node.output(i));
    }
    const auto rename = [&](std::string& name) {
        const auto found = names.find(name);
        name = found == names.end() ? prefix + name : found->second;
    };
    proto::GraphProto result;
    for (const proto::NodeProto& inner : function.node()) {
        proto::NodeProto& copy = *result.add_node();
        copy = inner;
        for (std::string& name : *copy.mutable_input()) rename(name);
        for (std::string& name : *copy.mutable_output()) rename(name);
        copy.clear_attribute();
        for (const proto::AttributeProto& attribute : inner.attribute()) {
            const bool isReference = attribute.has_ref_attr_name();
            const proto::AttributeProto* value =
                isReference ? attributeOf(node, attribute.ref_attr_name(), schema) : &attribute;
            const std::optional<proto::AttributeProto> byDefault =
                value == nullptr ? defaultOf(function, attribute.ref_attr_name()) : std::nullopt;
            if (byDefault) value = &*byDefault;
            if (value == nullptr) continue;  // an attribute left to its default is left to it inside too
            proto::AttributeProto& added = *copy.add_attribute();
            added = *value;
            added.set_name(attribute.name());
        }
    }
    return result;
}

/// Operators with schemas that look alike but differ in meaning, with the first version that has the meaning of opset 17.
struct Redefined {
    std::string_view type;
    int since = 1;
};
constexpr std::array RedefinedOperators{
    Redefined{"AveragePool", 7},  // it was not specified whether padding counts
    Redefined{"OneHot", 11},      // negative indices were out of range
    Redefined{"PRelu", 7},        // a slope of one axis was one for each channel
    Redefined{"RoiAlign", 16},    // coordinates were not shifted by half a pixel
};

/// Whether the later version takes all that the earlier one takes, with the same meaning.
bool areCarried(const std::vector<proto::OpSchema::FormalParameter>& before,
                const std::vector<proto::OpSchema::FormalParameter>& after) {
    return std::ranges::equal(before, after, [](const auto& a, const auto& b) {
        const auto& types = b.GetTypes();
        return a.GetOption() == b.GetOption() &&
               std::ranges::all_of(a.GetTypes(), [&](const auto type) { return types.contains(type); });
    });
}

bool areCarried(const std::map<std::string, proto::OpSchema::Attribute>& before,
                const std::map<std::string, proto::OpSchema::Attribute>& after) {
    const bool areThere = std::ranges::all_of(before, [&](const auto& entry) {
        const auto found = after.find(entry.first);
        if (found == after.end()) return false;
        const proto::OpSchema::Attribute& a = entry.second;
        const proto::OpSchema::Attribute& b = found->second;
        return a.type == b.type && a.required == b.required &&
               a.default_value.SerializeAsString() == b.default_value.SerializeAsString();
    });
    return areThere && std::ranges::all_of(after, [&](const auto& entry) {
               return !entry.second.required || before.contains(entry.first);
           });
}

}  // namespace

std::string canonicalDomain(const std::string& domain) { return domain == "ai.onnx" ? std::string() : domain; }

std::optional<int> sinceVersion(const std::string& domain, const std::string& type, int opset) {
    const proto::OpSchema* const schema = schemaOf(type, opset, domain);
    if (schema == nullptr) return std::nullopt;
    return schema->SinceVersion();
}

bool isKnownOperator(const std::string& type) { return proto::OpSchemaRegistry::Schema(type, Opset, "") != nullptr; }

bool meansTheSame(const std::string& type, int before, int after) {
    if (!isCarriedAfter17(type, std::max(before, Opset), std::max(after, Opset))) return false;
    const proto::OpSchema* const a = newestSchema(type, before, "");
    const proto::OpSchema* const b = newestSchema(type, after, "");
    if (a == nullptr || b == nullptr || a->SinceVersion() == b->SinceVersion()) return true;
    const auto* const redefined = std::ranges::find(RedefinedOperators, type, &Redefined::type);
    if (redefined != RedefinedOperators.end() && a->SinceVersion() < redefined->since) return false;
    return !b->Deprecated() && areCarried(a->inputs(), b->inputs()) && areCarried(a->outputs(), b->outputs()) &&
           areCarried(a->attributes(), b->attributes());
}

bool isOptionalOutput(const std::string& type, int opset, std::size_t output) {
    const proto::OpSchema* const schema = newestSchema(type, opset, "");
    if (schema == nullptr || output >= schema->outputs().size()) return false;
    return schema->outputs()[output].GetOption() == proto::OpSchema::Optional;
}

Determinism determinismOf(const proto::NodeProto& node) {
    const std::string domain = canonicalDomain(node.domain());
    if (domain.empty()) {
        const bool isRandom = std::ranges::find(RandomOperators, node.op_type()) != RandomOperators.end();
        return isRandom ? Determinism::Random : Determinism::Certain;
    }
    const bool isKnown = proto::OpSchemaRegistry::Schema(node.op_type(), domain) != nullptr;
    return isKnown ? Determinism::Certain : Determinism::Unknown;
}

Status checkNode(const proto::NodeProto& node, int opset) {
    const proto::OpSchema* const schema = schemaOf(node.op_type(), opset, node.domain());
    if (schema == nullptr || schema->Deprecated()) return Success{};
    const std::string complaint = complaintOf([&] { schema->Verify(node); });
    if (!complaint.empty()) return onnxError(ErrorCode::Parse, complaint);
    return Success{};
}

bool isSafeToInfer(const proto::NodeProto& node, std::optional<std::size_t> rank) {
    if (std::ranges::find(SafeOperators, node.op_type()) == SafeOperators.end()) return false;
    if (!canonicalDomain(node.domain()).empty()) return false;
    for (const proto::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_g() || attribute.graphs_size() > 0) return false;
        const std::int64_t known = rank ? static_cast<std::int64_t>(*rank) : -1;
        const auto isSafe = [&](std::int64_t value) { return isSafeInteger(attribute.name(), value, known); };
        if (attribute.type() == proto::AttributeProto::INT && !isSafe(attribute.i())) return false;
        if (!std::ranges::all_of(attribute.ints(), isSafe)) return false;
    }
    return true;
}

TypeNames typeNames(const proto::NodeProto& node, int opset) {
    if (!canonicalDomain(node.domain()).empty()) return {};
    const proto::OpSchema* const schema = typeSchema(node.op_type(), opset, "");
    if (schema == nullptr) return {};
    const auto named = [&](const auto& formals, int count) {
        std::vector<std::string> names(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < names.size() && !formals.empty(); ++i) {
            const auto& formal = formals[std::min(i, formals.size() - 1)];
            if (i >= formals.size() && formal.GetOption() != proto::OpSchema::Variadic) break;  // of a newer version
            if (formal.GetIsHomogeneous()) names[i] = formal.GetTypeStr();
            for (const auto& constraint : schema->typeConstraintParams()) {
                const bool isIt = constraint.type_param_str == names[i] && constraint.allowed_type_strs.size() == 1;
                if (isIt) names[i] = constraint.allowed_type_strs.front();
            }
        }
        return names;
    };
    return {named(schema->inputs(), node.input_size()), named(schema->outputs(), node.output_size())};
}

std::int32_t elementTypeOf(std::string_view typeName) {
    constexpr std::string_view Begin = "tensor(";
    if (!typeName.starts_with(Begin)) return 0;
    return proto::PrimitiveTypeNameMap::Lookup(
        std::string(typeName.substr(Begin.size(), typeName.size() - Begin.size() - 1)));
}

Result<std::vector<std::optional<proto::TypeProto>>> inferTypes(proto::ModelProto single,
                                                                const std::vector<NodeInput>& inputs) {
    proto::GraphProto& graph = *single.mutable_graph();
    const bool isTyped = std::ranges::all_of(inputs, [](const NodeInput& input) { return input.type.has_value(); });
    int opset = 1;
    for (auto& import : *single.mutable_opset_import()) {
        if (!canonicalDomain(import.domain()).empty()) continue;
        opset = static_cast<int>(import.version());
        import.set_version(std::min(opset, Opset));
    }
    const bool isNewer = canonicalDomain(graph.node(0).domain()).empty() && opset > Opset &&
                         !hasFormOfOpset17(graph.node(0).op_type(), opset);
    if (isNewer || !isTyped || single.functions_size() > 0 || !isSafeToInfer(graph.node(0), firstRank(inputs))) {
        return typesWithoutInference(single, inputs);
    }
    absl::flat_hash_set<std::string> names;
    for (const NodeInput& input : inputs) {
        if (!input.type) continue;
        collectNames(*input.type, names);
        proto::ValueInfoProto& info = *graph.add_input();
        info.set_name(input.name);
        *info.mutable_type() = *input.type;
        if (!input.known || !readsKnownInputsSafely(graph.node(0).op_type())) continue;
        proto::TensorProto& tensor = *graph.add_initializer();
        writeHead(input.name, input.known->dtype, input.known->shape, tensor);
        tensor.set_raw_data(encoded(*input.known));
    }
    const std::string complaint = complaintOf([&] {
        proto::shape_inference::InferShapes(single, proto::OpSchemaRegistry::Instance(),
                                            proto::ShapeInferenceOptions(false, 1, false));
    });
    if (!complaint.empty()) return onnxError(ErrorCode::Parse, complaint);
    std::vector<std::optional<proto::TypeProto>> result;
    for (const std::string& output : graph.node(0).output()) {
        const auto found = std::find_if(graph.value_info().begin(), graph.value_info().end(),
                                        [&](const proto::ValueInfoProto& info) { return info.name() == output; });
        result.emplace_back();
        if (output.empty() || found == graph.value_info().end()) continue;
        result.back() = found->type();
        dropInventedNames(*result.back(), names);
    }
    return result;
}

std::optional<Expansion> expanded(const proto::NodeProto& node, int opset,
                                  const std::vector<proto::TypeProto>& inputTypes, const proto::ModelProto& file) {
    proto::FunctionProto function;
    bool isKnown = false;
    const auto own = std::ranges::find_if(file.functions(), [&](const proto::FunctionProto& candidate) {
        return candidate.name() == node.op_type() && candidate.domain() == node.domain() &&
               overloadOf(candidate) == overloadOf(node);
    });
    const proto::OpSchema* const schema = schemaOf(node.op_type(), opset, node.domain());
    const std::string complaint = complaintOf([&] {
        if (own != file.functions().end()) {
            function = *own;
            isKnown = true;
        } else if (schema != nullptr && schema->HasFunction()) {
            function = *schema->GetFunction();
            isKnown = true;
        } else if (schema != nullptr && schema->HasContextDependentFunction()) {
            const proto::FunctionBodyBuildContextImpl context(node, inputTypes);
            isKnown = schema->BuildContextDependentFunction(context, function);
        }
    });
    if (!isKnown || !complaint.empty() || node.input_size() > function.input_size() ||
        node.output_size() > function.output_size()) {
        return std::nullopt;
    }
    Expansion result{.nodes = instantiated(function, node, schema)};
    for (const auto& import : function.opset_import()) {
        if (canonicalDomain(import.domain()).empty()) result.opset = static_cast<int>(import.version());
    }
    return result;
}

std::string checkModel(const proto::ModelProto& model) {
    return complaintOf([&] { proto::checker::check_model(model); });
}

std::string checkModelFile(const std::filesystem::path& path) {
    return complaintOf([&] { proto::checker::check_model(path.string()); });
}

std::string checkShapes(proto::ModelProto& model, const std::vector<int>& unsafe) {
    // Inference skips operators of unknown domains.
    constexpr const char* Hidden = "not.inferred";
    proto::GraphProto& graph = *model.mutable_graph();
    const auto values = graph.value_info();
    const auto outputs = graph.output();
    std::vector<std::string> domains;
    for (const int node : unsafe) {
        domains.push_back(graph.node(node).domain());
        graph.mutable_node(node)->set_domain(Hidden);
    }
    proto::OperatorSetIdProto& opset = *model.add_opset_import();
    opset.set_domain(Hidden);
    opset.set_version(1);
    const std::string complaint = complaintOf([&] {
        proto::shape_inference::InferShapes(model, proto::OpSchemaRegistry::Instance(),
                                            proto::ShapeInferenceOptions(true, 1, true));
    });
    model.mutable_opset_import()->RemoveLast();
    for (std::size_t i = 0; i < unsafe.size(); ++i) graph.mutable_node(unsafe[i])->set_domain(domains[i]);
    *graph.mutable_value_info() = values;
    *graph.mutable_output() = outputs;
    return complaint;
}

}  // namespace mitos::onnx
