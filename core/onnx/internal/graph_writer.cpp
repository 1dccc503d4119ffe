// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/graph_writer.h"

#include "core/base/time_limit.h"
#include "core/ir/shared.h"
#include "core/onnx/internal/library.h"
#include "core/onnx/internal/node_mapping.h"
#include "core/onnx/internal/node_order.h"
#include "core/onnx/internal/opset_changes.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/onnx/internal/weight_folding.h"
#include "core/tensor/dimension.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::onnx {

namespace {

using ir::TermId;
using tensor::ArrayType;
using tensor::AttributeValue;
using tensor::WeightData;

constexpr int IrVersion = 8;
/// Fills of this many elements or more are written as ConstantOfShape.
constexpr std::int64_t LargeFill = 16384;

void writeAttribute(const std::string& name, const AttributeValue& value, proto::NodeProto& node) {
    struct Writer {
        proto::AttributeProto& to;
        void operator()(std::int64_t v) const {
            to.set_type(proto::AttributeProto::INT);
            to.set_i(v);
        }
        void operator()(double v) const {
            to.set_type(proto::AttributeProto::FLOAT);
            to.set_f(static_cast<float>(v));
        }
        void operator()(bool v) const { (*this)(std::int64_t{v ? 1 : 0}); }
        void operator()(const std::string& v) const {
            to.set_type(proto::AttributeProto::STRING);
            to.set_s(v);
        }
        void operator()(const std::vector<std::int64_t>& v) const {
            to.set_type(proto::AttributeProto::INTS);
            to.mutable_ints()->Assign(v.begin(), v.end());
        }
        void operator()(const std::vector<double>& v) const {
            to.set_type(proto::AttributeProto::FLOATS);
            to.mutable_floats()->Assign(v.begin(), v.end());
        }
        void operator()(const std::vector<std::string>& v) const {
            to.set_type(proto::AttributeProto::STRINGS);
            to.mutable_strings()->Assign(v.begin(), v.end());
        }
    };
    proto::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    std::visit(Writer{attribute}, value);
}

void setLabel(const NodeLabel& label, proto::NodeProto& node) {
    node.set_name(label.name);
    if (!label.documentation.empty()) node.set_doc_string(label.documentation);
}

tensor::ArrayPtr arrayOf(ir::Dtype dtype, tensor::Shape shape, std::vector<double> elements) {
    auto array = std::make_shared<tensor::Array>();
    array->dtype = dtype;
    array->shape = std::move(shape);
    array->elements = std::move(elements);
    return array;
}

}  // namespace

Result<WrittenModel> GraphWriter::write(const ExportOptions& options) {
    if (options.foldWeights) {
        const TimeLimit limit(options.foldingSeconds, options.foldingStop);
        FoldedWeights folded = foldedWeights(m_bank, m_model.program.root, *m_model.weights, limit.token());
        m_folded = std::move(folded.values);
        m_written.unfolded = folded.leftOut;
    }
    m_written.folded = m_folded.size();
    m_written.model.set_ir_version(IrVersion);
    writeIdentity();
    const std::string& function = m_bank.function(m_model.program.function).name;
    m_written.model.mutable_graph()->set_name(m_model.name.empty() ? function : m_model.name);
    useDomain("", Opset);
    MITOS_REQUIRE(reserveNames());
    MITOS_REQUIRE(writeInputs());
    nameOutputs();
    // Terms that only folded terms read are not written.
    absl::flat_hash_set<TermId> needed;
    const ir::SharedNodes order(m_bank, m_model.program.root);
    needed.insert(m_model.program.root);
    for (auto term = order.end(); term != order.begin();) {
        --term;
        if (!needed.contains(*term) || m_folded.contains(*term)) continue;
        for (const TermId child : m_bank.children(*term)) {
            needed.insert(child);
            m_read.insert(outputOf(child));
        }
    }
    const std::vector<TermId> terms = inOrder(m_bank, order, options.order);
    for (const TermId term : terms) {
        if (!needed.contains(term)) continue;
        MITOS_REQUIRE(writeTerm(term));
    }
    writeOutputs();
    writeOpsets();
    m_written.names = std::move(m_names.values());
    return std::move(m_written);
}

void GraphWriter::writeIdentity() {
    proto::ModelProto& model = m_written.model;
    const tensor::Identity& identity = m_model.identity;
    model.set_producer_name(identity.producer.empty() ? ProducerName : identity.producer);
    if (!identity.producerVersion.empty()) model.set_producer_version(identity.producerVersion);
    if (!identity.domain.empty()) model.set_domain(identity.domain);
    if (identity.version != 0) model.set_model_version(identity.version);
    if (!identity.documentation.empty()) model.set_doc_string(identity.documentation);
    if (!identity.graphDocumentation.empty()) {
        model.mutable_graph()->set_doc_string(identity.graphDocumentation);
    }
}

void GraphWriter::writeNotes(proto::ValueInfoProto& info) const {
    const auto found = m_model.notes.find(info.name());
    if (found == m_model.notes.end()) return;
    const tensor::ValueNotes& notes = found->second;
    if (!notes.documentation.empty()) info.set_doc_string(notes.documentation);
    proto::TypeProto& type = *info.mutable_type();
    if (!notes.denotation.empty()) type.set_denotation(notes.denotation);
    if (notes.axes.size() != static_cast<std::size_t>(type.tensor_type().shape().dim_size())) return;
    proto::TensorShapeProto& shape = *type.mutable_tensor_type()->mutable_shape();
    for (std::size_t i = 0; i < notes.axes.size(); ++i) {
        if (!notes.axes[i].empty()) shape.mutable_dim(static_cast<int>(i))->set_denotation(notes.axes[i]);
    }
}

GraphWriter::Output GraphWriter::outputOf(TermId term) const {
    if (m_folded.contains(term) || !m_bank.is(term, ir::CoreOp::Get)) return {term, 0};
    const TermId tuple = m_bank.child(term, 0);
    const std::uint32_t index = m_bank.payload(term).projectionIndex();
    if (m_bank.is(tuple, ir::CoreOp::Tuple)) return outputOf(m_bank.child(tuple, index));
    return {tuple, index};
}

std::size_t GraphWriter::outputCount(TermId term) const {
    const ir::TypeId type = m_bank.type(term);
    return m_bank.types().isTuple(type) ? m_bank.types().children(type).size() : 1;
}

ArrayType GraphWriter::typeOf(TermId node, std::uint32_t output) const {
    const ir::TypeId type = m_bank.type(node);
    return tensor::arrayType(m_bank.types(),
                             m_bank.types().isTuple(type) ? m_bank.types().children(type)[output] : type);
}

std::vector<GraphWriter::Output> GraphWriter::rootOutputs() const {
    const TermId root = m_model.program.root;
    std::vector<Output> result;
    if (m_bank.is(root, ir::CoreOp::Tuple)) {
        for (const TermId child : m_bank.children(root)) result.push_back(outputOf(child));
    } else if (m_bank.types().isTuple(m_bank.type(root))) {
        for (std::uint32_t i = 0; i < outputCount(root); ++i) result.emplace_back(root, i);
    } else {
        result.push_back(outputOf(root));
    }
    return result;
}

bool GraphWriter::isLeaf(TermId term) const { return m_folded.contains(term) || m_bank.childCount(term) == 0; }

Status GraphWriter::reserveNames() {
    const ir::Function& function = m_bank.function(m_model.program.function);
    for (const ir::Parameter& parameter : function.parameters) m_names.values().take(m_bank.text(parameter.name));
    const std::vector<Output> outputs = rootOutputs();
    if (m_model.outputs.size() != outputs.size()) {
        return onnxError(ErrorCode::InvalidInput, fmt::format("the program has {} outputs, but names for {}",
                                                              outputs.size(), m_model.outputs.size()));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string& name = m_model.outputs[i];
        const bool isNew = m_names.values().take(name);
        const TermId made = outputs[i].first;
        const bool isWeight = m_bank.opName(made) == tensor::WeightName;
        const bool isThat =
            (isWeight || m_bank.is(made, ir::CoreOp::Variable)) && m_bank.text(m_bank.payload(made).asSymbol()) == name;
        if (isThat) continue;
        if (!isNew) {
            return onnxError(ErrorCode::InvalidInput,
                             fmt::format("an output is called {}, like another output or an input", name));
        }
        if (m_model.weights->find(name) != nullptr) {
            return onnxError(ErrorCode::InvalidInput, fmt::format("an output is called {}, like a weight", name));
        }
    }
    for (const auto& weight : *m_model.weights) m_names.values().take(weight.first);
    for (const auto& opaque : m_model.opaque) {
        const proto::ModelProto kept = keptModel(opaque.second);
        visitNodes(kept.graph().node(0), [this](const proto::NodeProto& inner) {
            for (const std::string& output : inner.output()) m_names.values().take(output);
        });
    }
    return Success{};
}

Status GraphWriter::writeInputs() {
    for (const ir::Parameter& parameter : m_bank.function(m_model.program.function).parameters) {
        if (!m_bank.types().isArray(parameter.type)) {
            return onnxError(ErrorCode::Unsupported,
                             fmt::format("the input {} is of type {}, which is not an array",
                                         m_bank.text(parameter.name), m_bank.types().toShortString(parameter.type)));
        }
        proto::ValueInfoProto& input = *m_written.model.mutable_graph()->add_input();
        input.set_name(std::string(m_bank.text(parameter.name)));
        writeType(tensor::arrayType(m_bank.types(), parameter.type), m_bank.symbols(), *input.mutable_type());
        writeNotes(input);
    }
    return Success{};
}

void GraphWriter::nameOutputs() {
    const std::vector<Output> outputs = rootOutputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        m_read.insert(outputs[i]);
        if (!isLeaf(outputs[i].first)) m_valueNames.try_emplace(outputs[i], m_model.outputs[i]);
    }
}

Status GraphWriter::writeTerm(TermId term) {
    if (const auto folded = m_folded.find(term); folded != m_folded.end()) {
        return writeWeight(term, folded->second, m_names.values().unique(m_names.wanted(term)));
    }
    const std::string_view op = m_bank.opName(term);
    if (m_bank.is(term, ir::CoreOp::Tuple) || m_bank.is(term, ir::CoreOp::Get) || op == tensor::AbsentName) {
        return Success{};
    }
    if (m_bank.is(term, ir::CoreOp::Variable)) {
        const std::string name(m_bank.text(m_bank.payload(term).asSymbol()));
        m_valueNames.emplace(Output{term, 0}, name);
        const auto& parameters = m_bank.function(m_model.program.function).parameters;
        const bool isParameter = std::ranges::any_of(
            parameters, [&](const ir::Parameter& p) { return p.name == m_bank.payload(term).asSymbol(); });
        if (isParameter) return Success{};
        return onnxError(ErrorCode::InvalidInput, fmt::format("{} is not an input of the program", name));
    }
    if (op == tensor::WeightName) {
        const std::string name(m_bank.text(m_bank.payload(term).asSymbol()));
        const WeightData* const data = m_model.weights->find(name);
        if (data != nullptr) return writeWeight(term, *data, name);
        return onnxError(ErrorCode::InvalidInput, fmt::format("the weight {} has no numbers", name));
    }
    if (op == tensor::OpaqueName) return writeOpaque(term);
    if (op == "Constant") return writeConstant(term);
    if (const tensor::Operator* const known = tensor::operatorOf(m_bank, term); known != nullptr) {
        return writeOperator(term, *known);
    }
    return onnxError(ErrorCode::Unsupported, fmt::format("ONNX has no equivalent of the operator {}", op));
}

void GraphWriter::addInitializer(const std::string& name, WeightData data) {
    proto::GraphProto& graph = *m_written.model.mutable_graph();
    writeHead(name, data.dtype(), data.shape(), *graph.add_initializer());
    m_written.weights.push_back({graph.initializer_size() - 1, std::move(data)});
}

Status GraphWriter::writeWeight(TermId term, const WeightData& data, const std::string& name) {
    m_valueNames.insert_or_assign(Output{term, 0}, name);
    const std::optional<double> fill = data.fill();
    if (!fill || tensor::elementCount(data.shape()) < LargeFill) {
        addInitializer(name, data);
        return Success{};
    }
    proto::NodeProto& node = *m_written.model.mutable_graph()->add_node();
    node.set_op_type("ConstantOfShape");
    node.set_name(m_names.nodes().unique(name));
    node.add_input(constantInput(AttributeValue(data.shape()), ir::Dtype::I64));
    node.add_output(name);
    proto::AttributeProto& value = *node.add_attribute();
    value.set_name("value");
    value.set_type(proto::AttributeProto::TENSOR);
    writeHead("", data.dtype(), {1}, *value.mutable_t());
    value.mutable_t()->clear_name();
    value.mutable_t()->set_raw_data(encoded(*arrayOf(data.dtype(), {1}, {*fill})));
    return Success{};
}

Status GraphWriter::writeConstant(TermId term) {
    const tensor::Attributes attributes = tensor::attributesOf(m_bank, term);
    MITOS_TRY(const tensor::Shape shape, tensorShape(attributes.integers("shape")));
    const std::optional<ir::Dtype> dtype = ir::dtypeFromName(attributes.word("dtype"));
    return writeWeight(term, WeightData::filled(*dtype, shape, attributes.floating("value")),
                       m_names.values().unique(m_names.wanted(term)));
}

std::string GraphWriter::inputName(TermId term) const {
    const auto found = m_valueNames.find(outputOf(term));
    return found == m_valueNames.end() ? std::string() : found->second;  // Absent
}

std::vector<std::string> GraphWriter::outputNames(TermId term, absl::FunctionRef<bool(std::size_t)> mayBeLeftOut) {
    std::vector<std::string> names;
    const std::size_t count = outputCount(term);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Output output{term, i};
        if (!m_read.contains(output) && mayBeLeftOut(i)) {
            names.emplace_back();
            continue;
        }
        const auto [found, isNew] = m_valueNames.try_emplace(output);
        if (isNew) found->second = m_names.ofOutput(term, i, count);
        names.push_back(found->second);
    }
    while (names.size() > 1 && names.back().empty()) names.pop_back();
    return names;
}

bool GraphWriter::nameOwnSizes(TermId term, const std::vector<std::string>& outputs) const {
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
        const ArrayType type = typeOf(term, i);
        for (std::size_t axis = 0; axis < type.rank(); ++axis) {
            const ir::Dimension size = type.dimensions[axis];
            if (!size.isKnown() && SizeNames::isOwn(m_bank.text(size.name), outputs[i], axis)) return true;
        }
    }
    return false;
}

void GraphWriter::describeOutputs(TermId term, const std::vector<std::string>& names) {
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        const bool isOutput = std::ranges::find(m_model.outputs, names[i]) != m_model.outputs.end();
        const ArrayType type = typeOf(term, i);
        if (names[i].empty() || isOutput || type.dtype == ir::Dtype::Unknown) continue;
        proto::ValueInfoProto& info = *m_written.model.mutable_graph()->add_value_info();
        info.set_name(names[i]);
        writeType(type, m_bank.symbols(), *info.mutable_type());
    }
}

Status GraphWriter::writeOpaque(TermId term) {
    const std::string name(m_bank.text(m_bank.payload(term).asSymbol()));
    const auto found = m_model.opaque.find(name);
    if (found == m_model.opaque.end()) {
        return onnxError(ErrorCode::InvalidInput, fmt::format("the meaning of {} has been lost", name));
    }
    const proto::ModelProto kept = keptModel(found->second);
    MITOS_REQUIRE(checkCarried(found->second, kept, m_written.opset));
    std::vector<std::string> inputs;
    for (const TermId child : m_bank.children(term)) inputs.push_back(inputName(child));
    const proto::NodeProto& original = kept.graph().node(0);
    // Keeps every output that the node named: leaving one out may change what the node computes.
    const std::vector<std::string> outputs =
        outputNames(term, [&](std::size_t i) { return original.output(static_cast<int>(i)).empty(); });
    std::optional<std::size_t> rank;
    if (m_bank.childCount(term) > 0 && m_bank.types().isArray(m_bank.type(m_bank.child(term, 0)))) {
        const ArrayType first = tensor::arrayType(m_bank.types(), m_bank.type(m_bank.child(term, 0)));
        if (first.hasRank) rank = first.rank();
    }
    if (kept.functions_size() > 0 || !isSafeToInfer(original, rank)) {
        m_written.unsafe.push_back(m_written.model.graph().node_size());
    }
    if (found->second.opset > Opset) m_written.newer.push_back(m_written.model.graph().node_size());
    proto::NodeProto& node = *m_written.model.mutable_graph()->add_node();
    node = restoredNode(kept, inputs, outputs);
    const auto first = std::ranges::find_if(outputs, [](const std::string& output) { return !output.empty(); });
    setLabel(m_names.ofNode(term, node.op_type(), *first), node);
    describeOutputs(term, outputs);
    for (const auto& function : kept.functions()) {
        const std::string name = fmt::format("{}::{}:{}", function.domain(), function.name(), overloadOf(function));
        if (m_functions.insert(name).second) *m_written.model.add_functions() = function;
    }
    for (const auto& opset : kept.opset_import()) useDomain(opset.domain(), opset.version());
    return Success{};
}

std::string GraphWriter::constantInput(const AttributeValue& values, ir::Dtype scalarType) {
    struct Reader {
        using Data = std::optional<WeightData>;
        ir::Dtype scalarType;
        Data operator()(std::int64_t v) const { return integerData({}, std::array{v}); }
        Data operator()(double v) const {
            // Integers have no infinity; an input left out means "no bound".
            if (!std::isfinite(v) && !ir::isFloating(scalarType)) return std::nullopt;
            return WeightData::of(arrayOf(scalarType, {}, {v}));
        }
        Data operator()(bool v) const { return WeightData::of(arrayOf(ir::Dtype::Bool, {}, {v ? 1.0 : 0.0})); }
        Data operator()(const std::string&) const { return std::nullopt; }
        Data operator()(const std::vector<std::int64_t>& v) const {
            return integerData({static_cast<std::int64_t>(v.size())}, v);
        }
        Data operator()(const std::vector<double>& v) const {
            return WeightData::of(arrayOf(ir::Dtype::F32, {static_cast<std::int64_t>(v.size())}, v));
        }
        Data operator()(const std::vector<std::string>&) const { return std::nullopt; }
    };
    std::optional<WeightData> data = std::visit(Reader{scalarType}, values);
    if (!data) return {};
    const std::string content =
        fmt::format("{}{}{}", ir::dtypeName(data->dtype()), data->shape().size(), encoded(*data));
    std::string& name = m_constants[content];
    if (name.empty()) {
        name = m_names.values().unique("constant");
        addInitializer(name, *std::move(data));
    }
    return name;
}

Status GraphWriter::writeOperator(TermId term, const tensor::Operator& op) {
    std::vector<ArrayType> types;
    std::vector<std::string> own;
    for (const TermId child : m_bank.children(term)) {
        own.push_back(inputName(child));
        const bool isArray = m_bank.types().isArray(m_bank.type(child));
        types.push_back(isArray ? tensor::arrayType(m_bank.types(), m_bank.type(child)) : ArrayType::absent());
    }
    const tensor::Exported form = exportedForm(op, tensor::attributesOf(m_bank, term), types);
    const ir::Dtype scalarType = types.empty() ? ir::Dtype::F32 : types.front().dtype;
    const tensor::Exported& last = form.then.empty() ? form : form.then.back();
    // The first output is always written, since a node must have one.
    const std::vector<std::string> outputs = outputNames(
        term, [&](std::size_t i) { return i > 0 && last.domain.empty() && isOptionalOutput(last.type, Opset, i); });
    const tensor::Exported* node = &form;
    for (const tensor::Exported& following : form.then) {
        const std::string between = m_names.values().unique(outputs.front());
        writeNode(*node, own, scalarType, {between}, {m_names.nodes().unique(between)});
        own = {between};
        node = &following;
    }
    writeNode(*node, own, scalarType, outputs, m_names.ofNode(term, node->type, outputs.front()));
    // Inference does not support the operator, or counts windows differently: it includes a last one outside of the input.
    const auto ceil = node->attributes.find("ceil_mode");
    const bool isCeil = ceil != node->attributes.end() && ceil->second == AttributeValue(std::int64_t{1});
    if (isCeil) m_written.unsafe.push_back(m_written.model.graph().node_size() - 1);
    const bool isNewer = op.onnx.since > Opset;
    if (isNewer) m_written.newer.push_back(m_written.model.graph().node_size() - 1);
    if (isCeil || isNewer || !node->domain.empty() || nameOwnSizes(term, outputs)) describeOutputs(term, outputs);
    return Success{};
}

/// `own` are the inputs that are not constants, in their order.
void GraphWriter::writeNode(const tensor::Exported& form, const std::vector<std::string>& own, ir::Dtype scalarType,
                            const std::vector<std::string>& outputs, const NodeLabel& label) {
    std::vector<std::string> inputs;
    for (const tensor::OnnxConstant& constant : form.constants) {
        inputs.resize(std::max(inputs.size(), constant.input + 1));
        inputs[constant.input] = constantInput(constant.values, scalarType);
    }
    std::size_t at = 0;
    for (const std::string& name : own) {
        const auto isTaken = [&] {
            return std::ranges::any_of(form.constants, [at](const auto& constant) { return constant.input == at; });
        };
        while (isTaken()) ++at;
        inputs.resize(std::max(inputs.size(), at + 1));
        inputs[at++] = name;
    }
    while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();

    proto::NodeProto& node = *m_written.model.mutable_graph()->add_node();
    node.set_op_type(form.type);
    node.set_domain(form.domain);
    setLabel(label, node);
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    for (const auto& [attribute, value] : form.attributes) writeAttribute(attribute, value, node);
    if (!form.domain.empty()) useDomain(form.domain, 1);
}

void GraphWriter::writeOutputs() {
    proto::GraphProto& graph = *m_written.model.mutable_graph();
    const std::vector<Output> outputs = rootOutputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string& name = m_model.outputs[i];
        const std::string& value = m_valueNames.at(outputs[i]);
        if (value != name) {
            proto::NodeProto& node = *graph.add_node();
            node.set_op_type("Identity");
            node.set_name(m_names.nodes().unique(name));
            node.add_input(value);
            node.add_output(name);
        }
        proto::ValueInfoProto& info = *graph.add_output();
        info.set_name(name);
        const ArrayType type = typeOf(outputs[i].first, outputs[i].second);
        writeType(type, m_bank.symbols(), *info.mutable_type());
        const auto declared = m_model.declaredSizes.find(name);
        if (!type.hasRank && declared != m_model.declaredSizes.end()) {
            SymbolTable symbols;
            ArrayType sized{.dtype = type.dtype};
            for (const std::string& size : declared->second) {
                sized.dimensions.push_back(tensor::readDimension(size, symbols));
            }
            writeType(sized, symbols, *info.mutable_type());
        }
        writeNotes(info);
    }
}

void GraphWriter::useDomain(const std::string& domain, std::int64_t version) {
    std::int64_t& used = m_opsets[domain];
    used = std::max(used, version);
}

void GraphWriter::writeOpsets() {
    for (const auto& [domain, version] : m_opsets) {
        proto::OperatorSetIdProto& opset = *m_written.model.add_opset_import();
        opset.set_domain(domain);
        opset.set_version(version);
    }
}

}  // namespace mitos::onnx
