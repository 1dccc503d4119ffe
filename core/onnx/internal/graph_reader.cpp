// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/graph_reader.h"

#include "core/onnx/export.h"
#include "core/onnx/internal/body_types.h"
#include "core/onnx/internal/known_outputs.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::onnx {

namespace {

using ir::TermId;
using tensor::ArrayPtr;
using tensor::ArrayType;
using tensor::AttributeValue;
using tensor::WeightData;

Error at(const proto::NodeProto& node, Error error) {
    error.message = fmt::format("{}: {}", nodeText(node), error.message);
    return error;
}

/// Removes the sizes from a type; those of sequences and optionals from the type of their elements.
void forgetSizes(proto::TypeProto& type) {
    proto::TypeProto* inner = &type;
    for (int depth = 0; depth < 100; ++depth) {
        if (inner->has_sequence_type())
            inner = inner->mutable_sequence_type()->mutable_elem_type();
        else if (inner->has_optional_type())
            inner = inner->mutable_optional_type()->mutable_elem_type();
        else
            break;
    }
    if (inner->has_tensor_type()) inner->mutable_tensor_type()->clear_shape();
}

}  // namespace

Result<tensor::Model> GraphReader::read() {
    MITOS_REQUIRE(readOpsets());
    if (m_graph.output_size() == 0) return onnxError(ErrorCode::Parse, "the model has no outputs");
    MITOS_TRY(m_order, orderGraph(m_graph));
    MITOS_REQUIRE(readInputs());
    readDeclaredTypes();
    for (const int node : m_order.nodes) MITOS_REQUIRE(readNode(m_graph.node(node)));
    MITOS_REQUIRE(readOutputs());
    keepIdentity();
    writeWarnings();
    return std::move(m_model);
}

Status GraphReader::readOpsets() {
    for (const auto& opset : m_file.model->opset_import()) m_opsets[canonicalDomain(opset.domain())] = opset.version();
    // Before IR 3, files had no opset; the first operator set is meant.
    std::int64_t& own = m_opsets.try_emplace("", 1).first->second;
    if (own > NewestOpset) {
        return onnxError(ErrorCode::Unsupported,
                         fmt::format("the model uses opset {}; opsets up to {} can be read", own, NewestOpset),
                         fmt::format("export it for opset {}, or convert it with onnx.version_converter", NewestOpset));
    }
    if (own < 1) return onnxError(ErrorCode::Parse, fmt::format("opset {} does not exist", own));
    m_model.opset = own;
    return Success{};
}

Result<const Value*> GraphReader::value(const std::string& name) {
    if (const Value* const found = m_values.find(name); found != nullptr) return found;
    const proto::TensorProto& tensor = *m_order.initializers.at(name);
    Result<WeightData> data = m_tensors.read(tensor);
    if (!data && data.error().code == ErrorCode::Unsupported) {
        // Only nodes that stay opaque can read strings and the like.
        proto::NodeProto node;
        node.set_op_type("Constant");
        node.add_output(name);
        proto::AttributeProto& attribute = *node.add_attribute();
        attribute.set_name("value");
        attribute.set_type(proto::AttributeProto::TENSOR);
        *attribute.mutable_t() = tensor;
        attribute.mutable_t()->clear_name();
        MITOS_REQUIRE(readOpaque(node, data.error().message));
        return &m_values.at(name);
    }
    if (!data) {
        Error error = std::move(data).error();
        error.message = fmt::format("the initializer {}: {}", name, error.message);
        return error;
    }
    const WeightData* const replaced = m_options.replaced.find(name);
    const bool isKept = m_options.keepsArraysOfOne && tensor.dims_size() > 0;
    return &m_values.setConstant(name, replaced != nullptr ? *replaced : *std::move(data), isKept);
}

std::string GraphReader::nameOf(const proto::NodeProto& node) const {
    const std::string domain = canonicalDomain(node.domain());
    return domain.empty() ? node.op_type() : fmt::format("{}.{}", domain, node.op_type());
}

Symbol GraphReader::hintOf(const proto::NodeProto& node) {
    return m_bank.symbols().intern(node.output_size() == 1 || node.name().empty() ? node.output(0) : node.name());
}

Status GraphReader::readNode(const proto::NodeProto& node) {
    const bool isOwn = canonicalDomain(node.domain()).empty();
    if (isOwn) {
        const Status checked = checkNode(node, static_cast<int>(m_opsets.at("")));
        if (!checked) return at(node, checked.error());
        const Result<bool> special = readSpecial(node);
        if (!special) return at(node, special.error());
        if (*special) return Success{};
    }
    std::vector<const Value*> inputs;
    for (const std::string& name : node.input()) {
        inputs.push_back(nullptr);
        if (name.empty()) continue;
        MITOS_TRY(const Value* made, value(name));
        inputs.back() = made;
    }
    const NodeInputs context(m_bank, m_values, std::move(inputs));
    const Result<bool> mapped = readMapped(node, context);
    if (!mapped) return at(node, mapped.error());
    return Success{};
}

Result<bool> GraphReader::readSpecial(const proto::NodeProto& node) {
    const std::string& type = node.op_type();
    const bool isPlain = node.output_size() == 1 && node.input_size() == 1;
    const auto yes = [](Success) { return true; };
    if (type == "Constant") return setConstant(node, constantData(node, m_tensors)).map(yes);
    if (type == "If") return readBranch(node);
    if (!isPlain || node.input(0).empty()) return false;
    MITOS_TRY(const Value* input, value(node.input(0)));
    const Value read = *input;
    if (type == "Identity") {
        m_values.set(node.output(0), read);
        return true;
    }
    if (type == "ConstantOfShape") {
        const ArrayPtr sizes = m_values.elements(read);
        if (!sizes && read.sizes) return readFill(node, read);
        const std::optional<tensor::Shape> shape = m_values.integers(read);
        if (!shape) return false;
        return setConstant(node, fillData(node, *shape, m_tensors)).map(yes);
    }
    return false;
}

Result<bool> GraphReader::readFill(const proto::NodeProto& node, const Value& shape) {
    MITOS_TRY(const std::optional<WeightData> one, fillData(node, {}, m_tensors));
    if (!one) return false;
    const Value* const inputs[] = {&m_values.setConstant(node.output(0), *one), &shape};
    const NodeInputs context(m_bank, m_values, {inputs[0], inputs[1]});
    const Result<MappedNode> mapped =
        mapNode({.type = "Expand", .inputs = {"value", "shape"}, .outputs = {node.output(0)}}, context);
    if (!mapped) return false;
    MITOS_TRY(const TermId term, makeTerm(*mapped, {inputs[0]->term, shape.term}, hintOf(node)));
    m_values.set(node.output(0), {.term = term});
    return true;
}

Status GraphReader::setConstant(const proto::NodeProto& node, Result<std::optional<WeightData>> data) {
    if (!data) return std::move(data).error();
    if (!*data) return readOpaque(node, "the element type of the constant cannot be computed with");
    m_values.setConstant(node.output(0), **std::move(data));
    return Success{};
}

Result<bool> GraphReader::readMapped(const proto::NodeProto& node, const NodeInputs& context) {
    tensor::OnnxNode form{.domain = canonicalDomain(node.domain()), .type = node.op_type()};
    const auto opset = m_opsets.find(form.domain);
    form.opset = opset == m_opsets.end() ? 1 : opset->second;
    const auto opaque = [&](const std::string& reason) -> Result<bool> {
        const Result<bool> expanded = readExpanded(node, context);
        if (!expanded || *expanded) return expanded;
        return readOpaque(node, reason).map([](Success) { return true; });
    };
    form.inputs.assign(node.input().begin(), node.input().end());
    for (const std::string& output : node.output())
        form.outputs.push_back(isUsed(output) ? m_sizeNames.stem(output) : "");
    for (const auto& attribute : node.attribute()) {
        std::optional<AttributeValue> value = attributeValue(attribute);
        if (!value && (attribute.has_g() || attribute.graphs_size() > 0)) return opaque("its subgraphs cannot be read");
        if (!value) return opaque(fmt::format("the attribute {} is of an unknown kind", attribute.name()));
        form.attributes.insert_or_assign(attribute.name(), *std::move(value));
    }
    const Result<MappedNode> mapped = mapNode(std::move(form), context);
    if (!mapped && mapped.error().code == ErrorCode::InvalidInput) return mapped.error();
    if (!mapped) return opaque(mapped.error().message);

    const auto known = foldedOutputs(*mapped, context);
    const bool isLearned = known && areOfWeights(*known, *mapped, context);
    if (known && !isLearned) {
        for (std::size_t i = 0; i < known->size() && i < static_cast<std::size_t>(node.output_size()); ++i) {
            const std::string& name = node.output(static_cast<int>(i));
            if (isUsed(name)) m_values.setConstant(name, WeightData::of((*known)[i]));
        }
        return true;
    }
    const std::optional<std::vector<SizeArray>> sizes = sizedOutputs(*mapped, context);
    const auto isKnown = [](const SizeArray& array) { return array.data().has_value(); };
    if (sizes && std::ranges::all_of(*sizes, isKnown)) {
        for (std::size_t i = 0; i < sizes->size() && i < static_cast<std::size_t>(node.output_size()); ++i) {
            const std::string& name = node.output(static_cast<int>(i));
            if (isUsed(name)) m_values.setConstant(name, *(*sizes)[i].data());
        }
        return true;
    }
    std::vector<TermId> inputs;
    for (const int input : mapped->imported.inputs) {
        inputs.push_back(input >= 0 ? context.value(static_cast<std::size_t>(input))->term
                                    : *m_bank.make(m_bank.registry().find(tensor::AbsentName), {}));
    }
    const Result<TermId> term = makeTerm(*mapped, inputs, hintOf(node));
    if (!term) {
        // ONNX's own inference decides whether the node is invalid or too little is known; it says nothing about other domains.
        MITOS_TRY(const KeptNode kept, keepNode(node, *m_file.model, m_opsets, m_tensors, freeBytes()));
        const bool isVague = std::ranges::any_of(inputs, [&](TermId input) {
            const ir::TypeId type = m_bank.type(input);
            return m_bank.types().isArray(type) && m_bank.types().dtype(type) == ir::Dtype::Unknown;
        });
        if (!isVague && canonicalDomain(node.domain()).empty() && !inferred(kept)) return term.error();
        return opaque(term.error().message);
    }
    keepName(node, mapped->op->name);
    const bool isTuple = m_bank.types().isTuple(m_bank.type(*term));
    const std::size_t made = isTuple ? m_bank.types().children(m_bank.type(*term)).size() : 1;
    for (std::size_t i = made; i < static_cast<std::size_t>(node.output_size()); ++i) {
        if (isUsed(node.output(static_cast<int>(i))))
            return opaque(fmt::format("the meaning of output {} is unknown", i + 1));
    }
    for (std::size_t i = 0; i < made && i < static_cast<std::size_t>(node.output_size()); ++i) {
        const std::string& name = node.output(static_cast<int>(i));
        if (!isUsed(name)) continue;
        const TermId output = isTuple ? m_bank.get(*term, static_cast<std::uint32_t>(i)) : *term;
        Value value{.term = output};
        if (sizes && i < sizes->size()) value.sizes = (*sizes)[i];
        if (isLearned) {
            value.known = (*known)[i];
            value.isLearned = true;
        }
        m_values.set(name, std::move(value));
    }
    return true;
}

Result<TermId> GraphReader::makeTerm(const MappedNode& mapped, const std::vector<TermId>& inputs, Symbol hint) {
    const tensor::Operator& op = *mapped.op;
    if (!mapped.imported.isFold) return tensor::make(m_bank, op, inputs, mapped.imported.attributes, hint);
    TermId term = inputs.front();
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const bool isLast = i + 1 == inputs.size();
        MITOS_TRY(term, tensor::make(m_bank, op, std::array{term, inputs[i]}, mapped.imported.attributes,
                                     isLast ? hint : Symbol()));
    }
    return term;
}

Result<std::vector<std::optional<proto::TypeProto>>> GraphReader::inferred(const KeptNode& kept) {
    proto::ModelProto model = keptModel(kept.node);
    proto::OperatorSetIdProto& opset = *model.add_opset_import();
    opset.set_domain("");
    opset.set_version(m_opsets.at(""));
    std::vector<NodeInput> inputs;
    for (std::size_t i = 0; i < kept.inputs.size(); ++i) {
        const std::string& name = kept.canonical[i];
        if (kept.inputs[i].empty()) continue;
        const Value& value = m_values.at(kept.inputs[i]);
        std::optional<proto::TypeProto> type = value.other;
        const ArrayType known = tensor::arrayType(m_bank.types(), m_bank.type(value.term));
        if (!type && known.dtype != ir::Dtype::Unknown) {
            type.emplace();
            writeType(known, m_bank.symbols(), *type);
        }
        inputs.push_back({name, std::move(type), m_values.elements(value)});
    }
    if (isControlFlow(model.graph().node(0))) return typesOfBodies(model, inputs, m_bank.sharedRegistry(), m_depth);
    return inferTypes(std::move(model), inputs);
}

GraphReader::Declared GraphReader::declaredOf(const proto::NodeProto& node) const {
    if (isControlFlow(node)) return Declared::Nothing;
    const bool isOwn = canonicalDomain(node.domain()).empty();
    return isOwn && isKnownOperator(node.op_type()) ? Declared::Rank : Declared::Sizes;
}

bool GraphReader::isSizeOfInput(Symbol name) const {
    return std::ranges::any_of(m_parameters, [&](const ir::Parameter& parameter) {
        if (!m_bank.types().hasRank(parameter.type)) return false;
        return std::ranges::any_of(m_bank.types().dimensions(parameter.type), [&](const ir::Dimension& dimension) {
            return !dimension.isKnown() && dimension.name == name;
        });
    });
}

void GraphReader::compareSizes(const std::string& name, const ArrayType& declared, const ArrayType& found) {
    const auto isNumber = [](const ir::Dimension& dimension) { return dimension.isKnown(); };
    if (!declared.hasRank || std::ranges::none_of(declared.dimensions, isNumber)) return;
    bool isConfirmed = found.hasRank && found.rank() == declared.rank();
    for (std::size_t i = 0; isConfirmed && i < found.rank(); ++i) {
        isConfirmed = !declared.dimensions[i].isKnown() || declared.dimensions[i] == found.dimensions[i];
    }
    if (!isConfirmed) m_unconfirmed.push_back(name);
}

Result<ir::TypeId> GraphReader::outputType(const std::string& name, const std::optional<proto::TypeProto>& inferred,
                                           Declared believed, std::optional<proto::TypeProto>& other) {
    const auto declared = m_declared.find(name);
    std::vector<const proto::TypeProto*> sources;
    if (inferred) sources.push_back(&*inferred);
    if (declared != m_declared.end()) sources.push_back(declared->second);
    std::optional<ArrayType> result;
    std::optional<ArrayType> said;
    for (const proto::TypeProto* const source : sources) {
        MITOS_TRY(std::optional<ArrayType> type, readType(*source, name, m_sizeNames, m_bank.symbols()));
        if (!type) {
            if (source->value_case() == proto::TypeProto::kTensorType || result || other) continue;
            other = *source;
            const bool isDeclared = declared != m_declared.end() && source == declared->second;
            if (isDeclared && believed != Declared::Sizes) forgetSizes(*other);
            continue;
        }
        if (declared != m_declared.end() && source == declared->second) {
            said = *type;
            const bool isInferred = result && result->hasRank;
            if (believed == Declared::Nothing && !isInferred) *type = {.dtype = type->dtype, .hasRank = false};
            for (std::size_t i = 0; believed != Declared::Sizes && i < type->rank(); ++i) {
                ir::Dimension& size = type->dimensions[i];
                // A name that only such outputs have cannot contradict anything.
                const bool isOwn =
                    !size.isKnown() && (believed == Declared::Rank ? !isSizeOfInput(size.name)
                                                                   : SizeNames::isOwn(m_bank.text(size.name), name, i));
                if (!isOwn) size = ir::Dimension::named(m_bank.symbols().intern(m_sizeNames.of(name, i)));
            }
            if (believed == Declared::Sizes && !isInferred && type->hasRank && type->rank() > 0) {
                m_believed.push_back(name);
            }
        }
        if (!result || !result->hasRank) {
            const ir::Dtype dtype = result ? result->dtype : type->dtype;
            result = std::move(type);
            result->dtype = dtype;
            continue;
        }
        // Sizes that inference could not derive may be declared.
        if (!type->hasRank || type->rank() != result->rank()) continue;
        for (std::size_t i = 0; i < result->rank(); ++i) {
            const std::string invented = m_sizeNames.of(name, i);
            ir::Dimension& dimension = result->dimensions[i];
            if (!dimension.isKnown() && m_bank.text(dimension.name) == invented) dimension = type->dimensions[i];
        }
    }
    if (!result && !other) {
        if (!m_elementTypes) m_elementTypes.emplace(m_graph, static_cast<int>(m_opsets.at("")));
        result = ArrayType{.dtype = tensor::dtypeOfOnnx(m_elementTypes->find(name)).value_or(ir::Dtype::Unknown),
                           .hasRank = false};
    }
    if (!result) result = ArrayType{.dtype = ir::Dtype::Unknown, .hasRank = false};
    if (said) compareSizes(name, *said, *result);
    return tensor::typeId(m_bank.types(), *result);
}

void GraphReader::keepName(const proto::NodeProto& node, std::string_view op) {
    const bool hasMany = node.output_size() > 1;
    const bool hasLabel = !node.name().empty() || !node.doc_string().empty();
    if (m_expansionDepth > 0 || (!hasLabel && !hasMany)) return;
    tensor::NodeName kept{
        .name = node.name(), .op = std::string(op), .outputs = {}, .documentation = node.doc_string()};
    if (hasMany) kept.outputs.assign(node.output().begin(), node.output().end());
    m_model.nodeNames.try_emplace(std::string(m_bank.text(hintOf(node))), std::move(kept));
}

Status GraphReader::readOpaque(const proto::NodeProto& node, const std::string& reason) {
    Result<KeptNode> read = keepNode(node, *m_file.model, m_opsets, m_tensors, freeBytes());
    if (!read) return at(node, std::move(read).error());
    KeptNode kept = *std::move(read);
    std::vector<TermId> inputs;
    for (const std::string& name : kept.inputs) {
        if (name.empty()) {
            inputs.push_back(*m_bank.make(m_bank.registry().find(tensor::AbsentName), {}));
            continue;
        }
        MITOS_TRY(const Value* made, value(name));
        inputs.push_back(made->term);
    }
    const Result<std::vector<std::optional<proto::TypeProto>>> types = inferred(kept);
    const bool isOwn = canonicalDomain(node.domain()).empty();
    if (!types && isOwn && sinceVersion("", node.op_type(), static_cast<int>(m_opsets.at("")))) return types.error();
    const auto count = static_cast<std::size_t>(keptModel(kept.node).graph().node(0).output_size());
    std::vector<ir::TypeId> outputTypes;
    std::vector<std::optional<proto::TypeProto>> others(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::optional<proto::TypeProto> none;
        const std::string& name = node.output(static_cast<int>(i));
        MITOS_TRY(ir::TypeId type, outputType(name, types ? (*types)[i] : none, declaredOf(node), others[i]));
        outputTypes.push_back(type);
    }
    while (m_model.opaque.contains(kept.name) && *m_model.opaque.at(kept.name).bytes != *kept.node.bytes) {
        kept.name += '+';
    }
    if (kept.determinism != Determinism::Certain) kept.name = numbered(kept.name, ++m_sameNodes[kept.name]);
    const ir::TypeId type = count == 1 ? outputTypes.front() : m_bank.types().tuple(outputTypes);
    const TermId term = m_bank.stated(m_bank.registry().find(tensor::OpaqueName), type, inputs,
                                      ir::Payload::name(m_bank.symbols().intern(kept.name)), hintOf(node));
    for (std::size_t i = 0; i < count; ++i) {
        const TermId output = count == 1 ? term : m_bank.get(term, static_cast<std::uint32_t>(i));
        m_values.set(node.output(static_cast<int>(i)), {.term = output, .other = others[i]});
    }
    // The warning comes now: after a search it would be too late.
    const int written = std::max(OldestWrittenOpset, static_cast<int>(m_model.opset));
    const Status carried = checkCarried(kept.node, keptModel(kept.node), written);
    const std::string lost =
        carried ? std::string() : fmt::format("; the model cannot be written again: {}", carried.error().message);
    const std::uintmax_t size = kept.node.bytes->size();
    if (m_model.opaque.insert_or_assign(kept.name, std::move(kept.node)).second) m_keptBytes += size;
    keepName(node, tensor::OpaqueName);
    ++m_opaqueCounts[{nameOf(node), reason + lost}];
    return Success{};
}

}  // namespace mitos::onnx
