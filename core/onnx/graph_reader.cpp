// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/graph_reader.h"

#include "core/tensor/evaluate.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mitos::onnx {

namespace {

using ir::TermId;
using tensor::ArrayPtr;
using tensor::ArrayType;
using tensor::AttributeValue;
using tensor::WeightData;

constexpr int NewestOpset = 17;
/// Constants of at most so many elements may become attributes.
constexpr std::int64_t ModestSize = 4096;

/// The shortest decimal number that is this float: 0.1, as somebody wrote it, and not 0.10000000149.
double shortest(float value) {
    const std::string text = fmt::format("{}", value);
    double result = value;
    std::from_chars(text.data(), text.data() + text.size(), result);
    return result;
}

/// Nothing for kinds that the table does not have: tensors, graphs, lists of strings.
std::optional<AttributeValue> attributeValue(const proto::AttributeProto& attribute) {
    using proto::AttributeProto;
    switch (attribute.type()) {
        case AttributeProto::INT: return attribute.i();
        case AttributeProto::FLOAT: return shortest(attribute.f());
        case AttributeProto::STRING: return attribute.s();
        case AttributeProto::INTS: return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
        case AttributeProto::FLOATS: {
            std::vector<double> values;
            for (const float value : attribute.floats()) values.push_back(shortest(value));
            return values;
        }
        default: return std::nullopt;
    }
}

const proto::AttributeProto* findAttribute(const proto::NodeProto& node, std::string_view name) {
    const auto found =
        std::ranges::find_if(node.attribute(), [&](const proto::AttributeProto& a) { return a.name() == name; });
    return found == node.attribute().end() ? nullptr : &*found;
}

ArrayPtr integerArray(std::vector<std::int64_t> values) {
    auto array = std::make_shared<tensor::Array>();
    array->dtype = ir::Dtype::I64;
    array->shape = {static_cast<std::int64_t>(values.size())};
    array->elements.assign(values.begin(), values.end());
    return array;
}

Error at(const proto::NodeProto& node, Error error) {
    error.message = fmt::format("{}: {}", nodeText(node), error.message);
    return error;
}

/// A Constant term keeps its value as a double.
bool isExact(ir::Dtype dtype, double value) { return ir::isFloating(dtype) || std::fabs(value) <= 0x1p53; }

}  // namespace

class GraphReader::Context : public tensor::OnnxContext {
public:
    Context(const GraphReader& reader, std::vector<const Value*> inputs) : m_inputs(std::move(inputs)) {
        for (const Value* const input : m_inputs) {
            m_types.emplace_back();
            m_known.push_back(input != nullptr ? reader.elements(*input) : nullptr);
            if (input == nullptr) continue;
            m_types.back() = tensor::arrayType(reader.m_bank.types(), reader.m_bank.type(input->term));
        }
    }

    [[nodiscard]] const ArrayType* type(std::size_t input) const override {
        return input < m_types.size() && m_types[input] ? &*m_types[input] : nullptr;
    }
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t input) const override {
        const ArrayPtr array = known(input);
        if (!array || ir::isFloating(array->dtype)) return std::nullopt;
        std::vector<std::int64_t> result;
        for (const double element : array->elements) result.push_back(static_cast<std::int64_t>(element));
        return result;
    }
    [[nodiscard]] std::optional<std::vector<double>> floats(std::size_t input) const override {
        const ArrayPtr array = known(input);
        if (!array || !ir::isFloating(array->dtype)) return std::nullopt;
        std::vector<double> result = array->elements;
        if (array->dtype == ir::Dtype::F32) {
            for (double& element : result) element = shortest(static_cast<float>(element));
        }
        return result;
    }
    [[nodiscard]] ArrayPtr known(std::size_t input) const { return input < m_known.size() ? m_known[input] : nullptr; }
    /// Null: left out.
    [[nodiscard]] const Value* value(std::size_t input) const { return m_inputs[input]; }

private:
    std::vector<const Value*> m_inputs;
    std::vector<std::optional<ArrayType>> m_types;
    std::vector<ArrayPtr> m_known;
};

Result<tensor::Model> GraphReader::read() {
    if (const Status status = readOpsets(); !status) return status.error();
    if (m_graph.output_size() == 0) return onnxError(ErrorCode::Parse, "the model has no outputs");
    Result<GraphOrder> order = orderGraph(m_graph);
    if (!order) return std::move(order).error();
    m_order = *std::move(order);
    if (const Status status = readInputs(); !status) return status.error();
    readDeclaredTypes();
    for (const int node : m_order.nodes) {
        if (const Status status = readNode(m_graph.node(node)); !status) return status.error();
    }
    if (const Status status = readOutputs(); !status) return status.error();
    for (const auto& entry : m_file.model->metadata_props()) m_model.metadata[entry.key()] = entry.value();
    writeWarnings();
    return std::move(m_model);
}

Status GraphReader::readOpsets() {
    for (const auto& opset : m_file.model->opset_import()) {
        m_opsets[canonicalDomain(opset.domain())] = opset.version();
    }
    // Before IR 3 files did not say; the first operator set is meant.
    std::int64_t& own = m_opsets.try_emplace("", 1).first->second;
    if (own > NewestOpset) {
        return onnxError(ErrorCode::Unsupported,
                         fmt::format("the model uses opset {}; opsets up to {} can be read", own, NewestOpset),
                         fmt::format("export it for opset {}, or convert it with onnx.version_converter", NewestOpset));
    }
    if (own < 1) return onnxError(ErrorCode::Parse, fmt::format("there is no opset {}", own));
    return Success{};
}

Status GraphReader::readInputs() {
    for (const proto::ValueInfoProto& input : m_graph.input()) {
        if (m_order.initializers.contains(input.name())) continue;
        const Result<std::optional<ArrayType>> type = readType(input.type(), input.name(), m_bank.symbols());
        if (!type)
            return onnxError(ErrorCode::Parse, fmt::format("the input {}: {}", input.name(), type.error().message));
        if (!*type) {
            return onnxError(ErrorCode::Unsupported, fmt::format("the input {} is no dense tensor", input.name()),
                             "sequences, maps and sparse tensors cannot be inputs");
        }
        if (const auto constant = m_constants.find(input.name()); constant != m_constants.end()) {
            if (const Status read = readConstantInput(input.name(), **type, constant->second); !read) return read;
            continue;
        }
        const Symbol name = m_bank.symbols().intern(input.name());
        const ir::TypeId id = tensor::typeId(m_bank.types(), **type);
        m_parameters.push_back({name, id});
        m_values.emplace(input.name(), Value{m_bank.variable(name, id), nullptr, std::nullopt});
    }
    return Success{};
}

Status GraphReader::readConstantInput(const std::string& name, const ArrayType& type, const ArrayPtr& array) {
    bool fits = type.dtype == array->dtype && (!type.hasRank || type.rank() == array->shape.size());
    for (std::size_t i = 0; fits && i < type.rank(); ++i) {
        fits = !type.dimensions[i].isKnown() || type.dimensions[i].size == array->shape[i];
    }
    if (!fits) {
        return onnxError(ErrorCode::InvalidInput,
                         fmt::format("the constant for the input {} is not of its type", name));
    }
    m_values.emplace(name, constant(name, WeightData::of(array)));
    return Success{};
}

void GraphReader::readDeclaredTypes() {
    for (const auto& info : m_graph.value_info()) m_declared.insert_or_assign(info.name(), &info.type());
    for (const auto& info : m_graph.output()) m_declared.insert_or_assign(info.name(), &info.type());
}

Result<Value*> GraphReader::value(const std::string& name) {
    if (const auto found = m_values.find(name); found != m_values.end()) return &found->second;
    const proto::TensorProto& tensor = *m_order.initializers.at(name);
    Result<WeightData> data = m_tensors.read(tensor);
    if (!data && data.error().code == ErrorCode::Unsupported) {
        // Strings and such are what only nodes that stay opaque can read.
        proto::NodeProto node;
        node.set_op_type("Constant");
        node.add_output(name);
        proto::AttributeProto& attribute = *node.add_attribute();
        attribute.set_name("value");
        attribute.set_type(proto::AttributeProto::TENSOR);
        *attribute.mutable_t() = tensor;
        attribute.mutable_t()->clear_name();
        if (const Status status = readOpaque(node, data.error().message); !status) return status.error();
        return &m_values.at(name);
    }
    if (!data) {
        Error error = std::move(data).error();
        error.message = fmt::format("the initializer {}: {}", name, error.message);
        return error;
    }
    return &m_values.insert_or_assign(name, constant(name, *std::move(data))).first->second;
}

Value GraphReader::constant(const std::string& name, WeightData data) {
    const Symbol symbol = m_bank.symbols().intern(name);
    if (tensor::elementCount(data.shape()) == 1) {
        const Result<ArrayPtr> array = data.read();
        if (array && isExact(data.dtype(), (*array)->elements.front())) {
            const tensor::Operator& op = *tensor::findOperator("Constant");
            tensor::Attributes attributes(op);
            const double value = (*array)->elements.front();
            attributes.set("value", data.dtype() == ir::Dtype::F32 ? shortest(static_cast<float>(value)) : value);
            attributes.set("dtype", std::string(ir::dtypeName(data.dtype())));
            attributes.set("shape", data.shape());
            const Result<TermId> term = tensor::make(m_bank, op, {}, attributes, symbol);
            assert(term.ok());
            return {*term, *array, std::nullopt};
        }
    }
    std::vector<ir::Dimension> dimensions;
    for (const std::int64_t size : data.shape()) dimensions.push_back(ir::Dimension::of(size));
    const ir::TypeId type = m_bank.types().array(data.dtype(), dimensions);
    m_weights.set(name, std::move(data));
    const TermId term =
        m_bank.stated(m_bank.registry().find(tensor::WeightName), type, {}, ir::Payload::name(symbol), symbol);
    return {term, nullptr, std::nullopt};
}

ArrayPtr GraphReader::elements(const Value& value) const {
    if (value.known || m_bank.opName(value.term) != tensor::WeightName) return value.known;
    const WeightData& data = *m_weights.find(m_bank.text(m_bank.payload(value.term).asSymbol()));
    if (tensor::elementCount(data.shape()) > ModestSize) return nullptr;
    const Result<ArrayPtr> array = data.read();
    return array ? *array : nullptr;
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
        if (!name.empty()) {
            if (const Result<Value*> made = value(name); !made) return made.error();
        }
    }
    // Only now, since making values moves them.
    for (const std::string& name : node.input()) inputs.push_back(name.empty() ? nullptr : &m_values.at(name));
    const Context context(*this, std::move(inputs));
    const Result<bool> mapped = readMapped(node, context);
    if (!mapped) return at(node, mapped.error());
    return Success{};
}

Result<bool> GraphReader::readSpecial(const proto::NodeProto& node) {
    const std::string& type = node.op_type();
    const bool isPlain = node.output_size() == 1 && node.input_size() == 1;
    if (type == "Constant") return readConstant(node).map([](Success) { return true; });
    if (!isPlain || node.input(0).empty()) return false;
    const Result<Value*> input = value(node.input(0));
    if (!input) return input.error();
    const Value read = **input;
    if (type == "Identity") {
        m_values.emplace(node.output(0), read);
        return true;
    }
    if (type == "ConstantOfShape") {
        const ArrayPtr sizes = elements(read);
        if (!sizes || ir::isFloating(sizes->dtype)) return false;
        const tensor::Shape shape(sizes->elements.begin(), sizes->elements.end());
        return readConstantOfShape(node, shape).map([](Success) { return true; });
    }
    const ArrayType of = tensor::arrayType(m_bank.types(), m_bank.type(read.term));
    if ((type != "Shape" && type != "Size") || !of.isStatic()) return false;
    std::vector<std::int64_t> shape = of.shape();
    ArrayPtr array;
    if (type == "Size") {
        auto scalar = std::make_shared<tensor::Array>();
        scalar->dtype = ir::Dtype::I64;
        scalar->elements = {static_cast<double>(tensor::elementCount(shape))};
        array = std::move(scalar);
    } else {
        const auto rank = static_cast<std::int64_t>(shape.size());
        const auto bound = [&](const char* name, std::int64_t otherwise) {
            const proto::AttributeProto* const attribute = findAttribute(node, name);
            const std::int64_t given = attribute != nullptr ? attribute->i() : otherwise;
            return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
        };
        const std::int64_t first = bound("start", 0);
        const std::int64_t last = std::max(first, bound("end", rank));
        array = integerArray({shape.begin() + first, shape.begin() + last});
    }
    Value made = constant(node.output(0), WeightData::of(array));
    made.known = array;
    m_values.emplace(node.output(0), std::move(made));
    return true;
}

Status GraphReader::readConstant(const proto::NodeProto& node) {
    if (node.output_size() != 1 || node.attribute_size() != 1) {
        return readOpaque(node, "it is not one constant");
    }
    const proto::AttributeProto& attribute = node.attribute(0);
    const std::string& name = node.output(0);
    std::optional<WeightData> data;
    const auto scalar = [](ir::Dtype dtype, double value) {
        auto array = std::make_shared<tensor::Array>();
        array->dtype = dtype;
        array->elements = {value};
        return WeightData::of(std::move(array));
    };
    if (attribute.name() == "value" && attribute.has_t()) {
        Result<WeightData> read = m_tensors.read(attribute.t());
        if (!read && read.error().code != ErrorCode::Unsupported) return read.error();
        if (read) data = *std::move(read);
    } else if (attribute.name() == "value_int") {
        if (std::abs(static_cast<double>(attribute.i())) <= 0x1p53) {
            data = scalar(ir::Dtype::I64, static_cast<double>(attribute.i()));
        }
    } else if (attribute.name() == "value_float") {
        data = scalar(ir::Dtype::F32, static_cast<double>(attribute.f()));
    } else if (attribute.name() == "value_ints") {
        data = WeightData::of(integerArray({attribute.ints().begin(), attribute.ints().end()}));
    } else if (attribute.name() == "value_floats") {
        auto array = std::make_shared<tensor::Array>();
        array->shape = {attribute.floats_size()};
        array->elements.assign(attribute.floats().begin(), attribute.floats().end());
        data = WeightData::of(std::move(array));
    }
    if (!data) return readOpaque(node, "the constant is neither numbers nor truth values");
    m_values.emplace(name, constant(name, *std::move(data)));
    return Success{};
}

Status GraphReader::readConstantOfShape(const proto::NodeProto& node, const tensor::Shape& sizes) {
    Result<tensor::Shape> shape = tensorShape(sizes);
    if (!shape) return std::move(shape).error();
    ir::Dtype dtype = ir::Dtype::F32;
    double fill = 0.0;
    if (const proto::AttributeProto* const attribute = findAttribute(node, "value"); attribute != nullptr) {
        const Result<WeightData> read = m_tensors.read(attribute->t());
        if (!read && read.error().code == ErrorCode::Unsupported) return readOpaque(node, read.error().message);
        if (!read) return read.error();
        const std::optional<double> value = read->fill();
        if (!value) return onnxError(ErrorCode::Parse, "the value of a ConstantOfShape has one element");
        dtype = read->dtype();
        fill = *value;
    }
    const std::string& name = node.output(0);
    m_values.emplace(name, constant(name, WeightData::filled(dtype, *std::move(shape), fill)));
    return Success{};
}

Result<bool> GraphReader::readMapped(const proto::NodeProto& node, const Context& context) {
    tensor::OnnxNode form{.domain = canonicalDomain(node.domain()), .type = node.op_type()};
    const auto opset = m_opsets.find(form.domain);
    form.opset = opset == m_opsets.end() ? 1 : opset->second;
    const auto opaque = [&](const std::string& reason) -> Result<bool> {
        const Result<bool> expanded = readExpanded(node, context);
        if (!expanded || *expanded) return expanded;
        return readOpaque(node, reason).map([](Success) { return true; });
    };
    form.inputs.assign(node.input().begin(), node.input().end());
    for (const std::string& output : node.output()) form.outputs.push_back(isUsed(output) ? output : "");
    for (const auto& attribute : node.attribute()) {
        std::optional<AttributeValue> value = attributeValue(attribute);
        if (!value) return opaque(fmt::format("the attribute {} is of a kind that is not known", attribute.name()));
        form.attributes.insert_or_assign(attribute.name(), *std::move(value));
    }
    const Result<MappedNode> mapped = mapNode(std::move(form), context);
    if (!mapped) return opaque(mapped.error().message);

    if (const auto known = folded(*mapped, context)) {
        for (std::size_t i = 0; i < known->size() && i < static_cast<std::size_t>(node.output_size()); ++i) {
            const std::string& name = node.output(static_cast<int>(i));
            if (isUsed(name)) m_values.insert_or_assign(name, constant(name, WeightData::of((*known)[i])));
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
        // Is the node wrong, or do we know too little about it?
        const KeptNode kept = keepNode(node, *m_file.model, m_opsets);
        const bool isVague = std::ranges::any_of(inputs, [&](TermId input) {
            const ir::TypeId type = m_bank.type(input);
            return m_bank.types().isArray(type) && m_bank.types().dtype(type) == ir::Dtype::Unknown;
        });
        if (!isVague && (!isSafeToInfer(node, std::nullopt) || !inferred(kept))) return term.error();
        return opaque(term.error().message);
    }
    const bool isTuple = m_bank.types().isTuple(m_bank.type(*term));
    const std::size_t made = isTuple ? m_bank.types().children(m_bank.type(*term)).size() : 1;
    for (std::size_t i = made; i < static_cast<std::size_t>(node.output_size()); ++i) {
        if (isUsed(node.output(static_cast<int>(i)))) return opaque(fmt::format("output {} is not known", i + 1));
    }
    for (std::size_t i = 0; i < made && i < static_cast<std::size_t>(node.output_size()); ++i) {
        const std::string& name = node.output(static_cast<int>(i));
        if (!isUsed(name)) continue;
        const TermId output = isTuple ? m_bank.get(*term, static_cast<std::uint32_t>(i)) : *term;
        m_values.insert_or_assign(name, Value{output, nullptr, std::nullopt});
    }
    return true;
}

Result<bool> GraphReader::readExpanded(const proto::NodeProto& node, const Context& context) {
    constexpr int Deepest = 8;
    if (m_expansionDepth >= Deepest) return false;
    const auto imported = m_opsets.find(canonicalDomain(node.domain()));
    std::vector<proto::TypeProto> types;
    for (std::size_t i = 0; i < static_cast<std::size_t>(node.input_size()); ++i) {
        types.emplace_back();
        const ArrayType* const type = context.type(i);
        if (type != nullptr && type->dtype != ir::Dtype::Unknown) writeType(*type, m_bank.symbols(), types.back());
    }
    std::optional<Expansion> expansion =
        expanded(node, imported == m_opsets.end() ? 1 : static_cast<int>(imported->second), types, *m_file.model);
    if (!expansion) return false;
    m_expansions.push_back(std::move(expansion->nodes));
    const proto::GraphProto& body = m_expansions.back();
    absl::flat_hash_set<std::string_view> made;
    for (const proto::NodeProto& inner : body.node()) {
        const auto isThere = [&](const std::string& name) {
            return name.empty() || made.contains(name) || m_values.contains(name);
        };
        if (!std::ranges::all_of(inner.input(), isThere) || !capturedNames(inner).empty()) return false;
        if (std::ranges::any_of(inner.output(), [&](const std::string& name) { return m_values.contains(name); })) {
            return false;
        }
        for (const std::string& name : inner.output()) {
            if (!name.empty() && !made.insert(name).second) return false;
        }
    }
    const bool isWhole = std::ranges::all_of(
        node.output(), [&](const std::string& name) { return name.empty() || made.contains(name); });
    if (!isWhole) return false;
    m_order.used.insert(made.begin(), made.end());
    const Opsets opsets = m_opsets;
    const auto opaqueCounts = m_opaqueCounts;
    m_opsets[""] = expansion->opset;
    ++m_expansionDepth;
    bool isKnown = true;
    for (const proto::NodeProto& inner : body.node()) {
        // Nobody wrote these nodes, so nobody is to blame for them: then the node stays what it is.
        isKnown = readNode(inner).ok() && m_opaqueCounts == opaqueCounts;
        if (!isKnown) break;
    }
    --m_expansionDepth;
    m_opsets = opsets;
    if (isKnown) return true;
    for (const std::string_view name : made) m_values.erase(std::string(name));
    m_opaqueCounts = opaqueCounts;
    return false;
}

Result<TermId> GraphReader::makeTerm(const MappedNode& mapped, const std::vector<TermId>& inputs, Symbol hint) {
    const tensor::Operator& op = *mapped.op;
    if (!mapped.imported.isFold) return tensor::make(m_bank, op, inputs, mapped.imported.attributes, hint);
    TermId term = inputs.front();
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const bool isLast = i + 1 == inputs.size();
        const Result<TermId> next =
            tensor::make(m_bank, op, std::array{term, inputs[i]}, mapped.imported.attributes, isLast ? hint : Symbol());
        if (!next) return next;
        term = *next;
    }
    return term;
}

std::optional<std::vector<ArrayPtr>> GraphReader::folded(const MappedNode& mapped, const Context& context) const {
    if (mapped.imported.isFold || mapped.imported.inputs.empty()) return std::nullopt;
    std::vector<ArrayPtr> inputs;
    bool hasIntegers = false;
    for (const int input : mapped.imported.inputs) {
        inputs.push_back(input < 0 ? nullptr : context.known(static_cast<std::size_t>(input)));
        if (input < 0) continue;
        if (!inputs.back() || inputs.back()->elements.size() > ModestSize) return std::nullopt;
        hasIntegers = hasIntegers || !ir::isFloating(inputs.back()->dtype);
    }
    if (!hasIntegers) return std::nullopt;  // weights stay as the file has them
    Result<std::vector<ArrayPtr>> outputs =
        tensor::apply(*mapped.op, mapped.imported.attributes, inputs, {.stop = {}, .maxElements = ModestSize});
    if (!outputs) return std::nullopt;
    return *std::move(outputs);
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
        inputs.push_back({name, std::move(type), elements(value)});
    }
    return inferTypes(std::move(model), inputs);
}

Result<ir::TypeId> GraphReader::outputType(const std::string& name, const std::optional<proto::TypeProto>& inferred,
                                           std::optional<proto::TypeProto>& other) {
    const auto declared = m_declared.find(name);
    std::vector<const proto::TypeProto*> sources;
    if (inferred) sources.push_back(&*inferred);
    if (declared != m_declared.end()) sources.push_back(declared->second);
    std::optional<ArrayType> result;
    for (const proto::TypeProto* const source : sources) {
        Result<std::optional<ArrayType>> type = readType(*source, name, m_bank.symbols());
        if (!type) return std::move(type).error();
        if (!*type) {
            if (source->value_case() != proto::TypeProto::kTensorType && !result && !other) other = *source;
            continue;
        }
        if (!result || !result->hasRank) {
            const ir::Dtype dtype = result ? result->dtype : (*type)->dtype;
            result = *std::move(type);
            result->dtype = dtype;
            continue;
        }
        // Sizes that inference could not tell may be declared.
        if (!(*type)->hasRank || (*type)->rank() != result->rank()) continue;
        for (std::size_t i = 0; i < result->rank(); ++i) {
            const std::string invented = fmt::format("{}_{}", name, i);
            ir::Dimension& dimension = result->dimensions[i];
            if (!dimension.isKnown() && m_bank.text(dimension.name) == invented) dimension = (*type)->dimensions[i];
        }
    }
    if (!result) result = ArrayType{.dtype = ir::Dtype::Unknown, .hasRank = false};
    return tensor::typeId(m_bank.types(), *result);
}

Status GraphReader::readOpaque(const proto::NodeProto& node, const std::string& reason) {
    KeptNode kept = keepNode(node, *m_file.model, m_opsets);
    std::vector<TermId> inputs;
    for (const std::string& name : kept.inputs) {
        if (name.empty()) {
            inputs.push_back(*m_bank.make(m_bank.registry().find(tensor::AbsentName), {}));
            continue;
        }
        const Result<Value*> read = value(name);
        if (!read) return read.error();
        inputs.push_back((*read)->term);
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
        Result<ir::TypeId> type = outputType(name, types ? (*types)[i] : none, others[i]);
        if (!type) return std::move(type).error();
        outputTypes.push_back(*type);
    }
    while (m_model.opaque.contains(kept.name) && *m_model.opaque.at(kept.name).bytes != *kept.node.bytes) {
        kept.name += '+';
    }
    const ir::TypeId type = count == 1 ? outputTypes.front() : m_bank.types().tuple(outputTypes);
    const TermId term = m_bank.stated(m_bank.registry().find(tensor::OpaqueName), type, inputs,
                                      ir::Payload::name(m_bank.symbols().intern(kept.name)), hintOf(node));
    for (std::size_t i = 0; i < count; ++i) {
        const TermId output = count == 1 ? term : m_bank.get(term, static_cast<std::uint32_t>(i));
        m_values.insert_or_assign(node.output(static_cast<int>(i)), Value{output, nullptr, others[i]});
    }
    m_model.opaque.insert_or_assign(kept.name, std::move(kept.node));
    ++m_opaqueCounts[{nameOf(node), reason}];
    return Success{};
}

Status GraphReader::readOutputs() {
    std::vector<TermId> roots;
    for (const proto::ValueInfoProto& output : m_graph.output()) {
        const Result<Value*> made = value(output.name());
        if (!made) return made.error();
        const ir::TypeId type = m_bank.type((*made)->term);
        if ((*made)->other || m_bank.types().dtype(type) == ir::Dtype::Unknown) {
            return onnxError(ErrorCode::Unsupported, fmt::format("the output {} is no dense tensor", output.name()),
                             "sequences, maps and sparse tensors cannot be outputs");
        }
        roots.push_back((*made)->term);
        m_model.outputs.push_back(output.name());
    }
    const TermId root = roots.size() == 1 ? roots.front() : m_bank.tuple(roots);
    keepUsed(root);
    m_model.name = m_graph.name();
    const Result<ir::FunctionId> function = makeFunction(root);
    if (!function) return function.error();
    m_model.program = {*function, root};
    return Success{};
}

Result<ir::FunctionId> GraphReader::makeFunction(TermId root) {
    std::vector<ir::TypeId> types;
    for (const ir::Parameter& parameter : m_parameters) types.push_back(parameter.type);
    ir::Function function;
    function.parameters = m_parameters;
    function.argument = types.size() == 1 ? types.front() : m_bank.types().tuple(types);
    function.result = m_bank.type(root);
    function.declaredResult = function.result;
    function.sharing = ir::Sharing::Graph;
    const std::string name = m_graph.name().empty() ? "model" : m_graph.name();
    function.name = name;
    for (int number = 2; m_bank.findFunction(function.name, function.argument).isValid(); ++number) {
        function.name = fmt::format("{}_{}", name, number);
    }
    const Result<ir::FunctionId> id = m_bank.declare(std::move(function));
    if (id) m_bank.define(*id, root);
    return id;
}

void GraphReader::keepUsed(TermId root) {
    tensor::Weights weights;
    absl::btree_map<std::string, tensor::OpaqueNode, std::less<>> opaque;
    absl::flat_hash_set<TermId> seen{root};
    std::vector<TermId> open{root};
    const ir::OpId weightOp = m_bank.registry().find(tensor::WeightName);
    const ir::OpId opaqueOp = m_bank.registry().find(tensor::OpaqueName);
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (m_bank.op(term) == weightOp || m_bank.op(term) == opaqueOp) {
            const std::string name(m_bank.text(m_bank.payload(term).asSymbol()));
            if (m_bank.op(term) == weightOp)
                weights.set(name, *m_weights.find(name));
            else
                opaque.insert_or_assign(name, m_model.opaque.at(name));
        }
        for (const TermId child : m_bank.children(term)) {
            if (seen.insert(child).second) open.push_back(child);
        }
    }
    m_model.weights = std::make_shared<const tensor::Weights>(std::move(weights));
    m_model.opaque = std::move(opaque);
}

void GraphReader::writeWarnings() {
    for (const auto& [what, count] : m_opaqueCounts) {
        const bool isOne = count == 1;
        m_model.warnings.push_back(fmt::format("{} of {} {}: {}", isOne ? "1 node" : fmt::format("{} nodes", count),
                                               what.first, isOne ? "is kept as it is" : "are kept as they are",
                                               what.second));
    }
}

}  // namespace mitos::onnx
