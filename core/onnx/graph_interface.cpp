// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs and outputs of a graph, and the model that is made of both.
#include "core/ir/shared.h"
#include "core/onnx/internal/graph_reader.h"
#include "core/tensor/dimension.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mitos::onnx {

namespace {

using ir::TermId;
using tensor::ArrayPtr;
using tensor::ArrayType;
using tensor::WeightData;

/// The inverse of numbered().
std::string withoutNumber(const std::string& name) { return name.substr(0, name.find('.', name.find('#'))); }

}  // namespace

std::string numbered(const std::string& name, int number) {
    return number == 1 ? name : fmt::format("{}.{}", name, number);
}

Status GraphReader::readInputs() {
    for (const proto::ValueInfoProto& input : m_graph.input()) {
        if (m_order.initializers.contains(input.name())) {
            // Before IR 4, every initializer was an input.
            if (m_file.model->ir_version() >= 4 && isUsed(input.name())) m_defaults.push_back(input.name());
            continue;
        }
        const Result<std::optional<ArrayType>> type =
            readType(input.type(), input.name(), m_sizeNames, m_bank.symbols());
        if (!type)
            return onnxError(ErrorCode::Parse, fmt::format("the input {}: {}", input.name(), type.error().message));
        if (!*type) {
            return onnxError(ErrorCode::Unsupported, fmt::format("the input {} is not a dense tensor", input.name()),
                             "sequences, maps and sparse tensors cannot be inputs");
        }
        if (const auto constant = m_options.constants.find(input.name()); constant != m_options.constants.end()) {
            MITOS_REQUIRE(readConstantInput(input.name(), **type, constant->second));
            continue;
        }
        const Symbol name = m_bank.symbols().intern(input.name());
        const ir::TypeId id = tensor::typeId(m_bank.types(), **type);
        m_parameters.push_back({name, id});
        keepNotes(input);
        m_values.set(input.name(), {.term = m_bank.variable(name, id)});
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
    m_values.setConstant(name, WeightData::of(array));
    return Success{};
}

void GraphReader::readDeclaredTypes() {
    for (const auto& info : m_graph.value_info()) m_declared.insert_or_assign(info.name(), &info.type());
    for (const auto& info : m_graph.output()) m_declared.insert_or_assign(info.name(), &info.type());
}

Status GraphReader::readOutputs() {
    std::vector<TermId> roots;
    for (const proto::ValueInfoProto& output : m_graph.output()) {
        MITOS_TRY(const Value* made, value(output.name()));
        const ir::TypeId type = m_bank.type(made->term);
        if (!made->other && m_bank.types().dtype(type) == ir::Dtype::Unknown) {
            return onnxError(
                ErrorCode::Unsupported,
                fmt::format("the type of the output {} is unknown: neither the model nor the operators that "
                            "produce it determine it",
                            output.name()),
                "declare it among the graph's outputs");
        }
        if (made->other) {
            return onnxError(ErrorCode::Unsupported, fmt::format("the output {} is not a dense tensor", output.name()),
                             "sequences, maps and sparse tensors cannot be outputs; skl2onnx writes a tensor with "
                             "options={\"zipmap\": False}");
        }
        if (!m_bank.types().hasRank(type)) keepDeclaredSizes(output);
        keepNotes(output);
        compareDeclared(output, type);
        roots.push_back(made->term);
        m_model.outputs.push_back(output.name());
    }
    const TermId root = withNumberedNodes(roots.size() == 1 ? roots.front() : m_bank.tuple(roots));
    keepUsed(root);
    m_model.name = m_graph.name();
    MITOS_TRY(const ir::FunctionId function, makeFunction(root));
    m_model.program = {function, root};
    return Success{};
}

void GraphReader::keepIdentity() {
    const proto::ModelProto& file = *m_file.model;
    m_model.identity = {.producer = file.producer_name(),
                        .producerVersion = file.producer_version(),
                        .domain = file.domain(),
                        .version = file.model_version(),
                        .documentation = file.doc_string(),
                        .graphDocumentation = m_graph.doc_string()};
    for (const auto& entry : file.metadata_props()) m_model.metadata[entry.key()] = entry.value();
}

void GraphReader::keepNotes(const proto::ValueInfoProto& info) {
    tensor::ValueNotes notes{.documentation = info.doc_string(), .denotation = info.type().denotation()};
    const auto& sizes = info.type().tensor_type().shape().dim();
    const bool hasAxes = std::ranges::any_of(sizes, [](const auto& size) { return !size.denotation().empty(); });
    for (const auto& size : sizes) {
        if (hasAxes) notes.axes.push_back(size.denotation());
    }
    if (notes != tensor::ValueNotes{}) m_model.notes.try_emplace(info.name(), std::move(notes));
}

void GraphReader::keepDeclaredSizes(const proto::ValueInfoProto& output) {
    const Result<std::optional<ArrayType>> declared =
        readType(output.type(), output.name(), m_sizeNames, m_bank.symbols());
    if (!declared || !*declared || !(*declared)->hasRank) return;
    std::vector<std::string>& sizes = m_model.declaredSizes[output.name()];
    for (const ir::Dimension size : (*declared)->dimensions) {
        sizes.push_back(tensor::dimensionText(size, m_bank.symbols()));
    }
}

void GraphReader::compareDeclared(const proto::ValueInfoProto& output, ir::TypeId type) {
    const Result<std::optional<ArrayType>> declared =
        readType(output.type(), output.name(), m_sizeNames, m_bank.symbols());
    if (!declared || !*declared) return;
    const ArrayType& said = **declared;
    const ArrayType found = tensor::arrayType(m_bank.types(), type);
    bool fits = said.dtype == found.dtype;
    if (said.hasRank && found.hasRank) {
        // A name matches any size.
        fits = fits && std::ranges::equal(said.dimensions, found.dimensions, tensor::mayBeEqual);
    }
    if (fits) return;
    m_model.warnings.push_back(fmt::format("the output {} is declared as {}, and is {}", output.name(),
                                           m_bank.types().toString(tensor::typeId(m_bank.types(), said)),
                                           m_bank.types().toString(type)));
}

Result<ir::FunctionId> GraphReader::makeFunction(TermId root) {
    std::vector<ir::TypeId> types;
    for (const ir::Parameter& parameter : m_parameters) types.push_back(parameter.type);
    ir::Function function;
    function.parameters = m_parameters;
    function.argument = types.size() == 1 ? types.front() : m_bank.types().tuple(types);
    function.result = m_bank.type(root);
    function.declaredResult = function.result;
    function.dialect = tensor::DialectName;
    const std::string name = m_graph.name().empty() ? "model" : m_graph.name();
    function.name = name;
    for (int number = 2; m_bank.findFunction(function.name, function.argument).isValid(); ++number) {
        function.name = fmt::format("{}_{}", name, number);
    }
    const Result<ir::FunctionId> id = m_bank.declare(std::move(function));
    if (id) m_bank.define(*id, root);
    return id;
}

TermId GraphReader::withNumberedNodes(TermId root) {
    if (m_sameNodes.empty()) return root;
    const ir::OpId opaque = m_bank.registry().find(tensor::OpaqueName);
    absl::flat_hash_map<std::string, int> numbers;
    ir::ChangedNodes changed;
    std::vector<TermId> children;
    for (const TermId term : ir::SharedNodes(m_bank, root)) {
        const bool isChanged = changed.childrenOf(m_bank, term, children);
        if (m_bank.op(term) != opaque) {
            if (isChanged) changed.set(term, *m_bank.withChildren(term, children));
            continue;
        }
        std::string name(m_bank.text(m_bank.payload(term).asSymbol()));
        if (const std::string same = withoutNumber(name); m_sameNodes.contains(same))
            name = numbered(same, ++numbers[same]);
        const ir::Payload payload = ir::Payload::name(m_bank.symbols().intern(name));
        if (!isChanged && payload == m_bank.payload(term)) continue;
        changed.set(term, m_bank.stated(opaque, m_bank.type(term), children, payload, m_bank.hint(term)));
    }
    return changed.formOf(root);
}

void GraphReader::keepUsed(TermId root) {
    tensor::Weights weights;
    absl::btree_map<std::string, tensor::OpaqueNode, std::less<>> opaque;
    const ir::OpId weightOp = m_bank.registry().find(tensor::WeightName);
    const ir::OpId opaqueOp = m_bank.registry().find(tensor::OpaqueName);
    for (const TermId term : ir::SharedNodes(m_bank, root)) {
        if (m_bank.op(term) == weightOp || m_bank.op(term) == opaqueOp) {
            const std::string name(m_bank.text(m_bank.payload(term).asSymbol()));
            if (m_bank.op(term) == weightOp)
                weights.set(name, m_values.weight(name));
            else
                opaque.insert_or_assign(name, m_model.opaque.at(name));
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
    const auto all = [](std::vector<std::string>& names) {
        std::ranges::sort(names);
        names.erase(std::unique(names.begin(), names.end()), names.end());
        const std::size_t count = names.size();
        constexpr std::size_t Shown = 3;
        names.resize(std::min(count, Shown));
        return fmt::format("{}{}", fmt::join(names, ", "), count > Shown ? ", …" : "");
    };
    if (!m_unconfirmed.empty()) {
        m_model.warnings.push_back(
            fmt::format("declared sizes that do not follow from the operators, or that do not always hold, are taken "
                        "as unknown: {}",
                        all(m_unconfirmed)));
    }
    if (!m_believed.empty()) {
        m_model.warnings.push_back(
            fmt::format("sizes behind unknown operators are taken as the file declares them: {}", all(m_believed)));
    }
    if (m_file.cleanedName) {
        m_model.warnings.push_back(
            fmt::format("names with control characters, or that are not UTF-8, are changed: {}", *m_file.cleanedName));
    }
    if (m_defaults.empty()) return;
    const bool isOne = m_defaults.size() == 1;
    m_model.warnings.push_back(fmt::format(
        "{} with a default value {} read as {}: {}{}", isOne ? "1 input" : fmt::format("{} inputs", m_defaults.size()),
        isOne ? "is" : "are", isOne ? "a weight" : "weights", m_defaults.front(), isOne ? "" : ", …"));
}

}  // namespace mitos::onnx
