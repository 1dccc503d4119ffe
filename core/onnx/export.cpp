// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/export.h"

#include "core/base/source_text.h"
#include "core/ir/transplant.h"
#include "core/onnx/graph_writer.h"
#include "core/onnx/library.h"
#include "core/onnx/tensor_proto.h"
#include "core/onnx/weight_folding.h"
#include "core/tensor/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace mitos::onnx {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view MicrosoftDomain = "com.microsoft";
/// Of what one file can hold; the rest is for names and nodes.
constexpr std::uintmax_t MostInlineBytes = 2'000'000'000;
constexpr std::uintmax_t SmallestExternal = 1024;
/// Where weights begin in their file, so that programs can map them.
constexpr std::uintmax_t Alignment = 64;

std::uintmax_t byteCount(const tensor::WeightData& data) {
    return static_cast<std::uintmax_t>(tensor::elementCount(data.shape())) * ir::dtypeBytes(data.dtype());
}

std::uintmax_t byteCount(const WrittenModel& written) {
    std::uintmax_t bytes = 0;
    for (const WrittenModel::Weight& weight : written.weights) bytes += byteCount(weight.data);
    return bytes;
}

/// Calls `use` with the bytes as a file holds them.
template <typename Use>
Status withBytes(const tensor::WeightData& data, const Use& use) {
    if (!data.bytes().empty()) {
        use(std::string_view(reinterpret_cast<const char*>(data.bytes().data()), data.bytes().size()));
        return Success{};
    }
    const Result<tensor::ArrayPtr> array = data.read();
    if (!array) return array.error();
    use(encoded(**array));
    return Success{};
}

/// Weights in a file of their own, under another name until all is written.
Status writeExternal(WrittenModel& written, const fs::path& dataFile) {
    const fs::path unfinished = dataFile.string() + ".part";
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    proto::GraphProto& graph = *written.model.mutable_graph();
    std::uintmax_t at = 0;
    for (const WrittenModel::Weight& weight : written.weights) {
        proto::TensorProto& tensor = *graph.mutable_initializer(weight.initializer);
        const Status status = withBytes(weight.data, [&](std::string_view bytes) {
            if (bytes.size() < SmallestExternal) {
                tensor.set_raw_data(std::string(bytes));
                return;
            }
            const std::string padding((Alignment - at % Alignment) % Alignment, '\0');
            out << padding << bytes;
            at += padding.size();
            tensor.set_data_location(proto::TensorProto::EXTERNAL);
            const auto add = [&tensor](const char* key, const std::string& value) {
                proto::StringStringEntryProto& entry = *tensor.add_external_data();
                entry.set_key(key);
                entry.set_value(value);
            };
            add("location", dataFile.filename().string());
            add("offset", std::to_string(at));
            add("length", std::to_string(bytes.size()));
            at += bytes.size();
        });
        if (!status) return status;
    }
    out.close();
    std::error_code code;
    if (out) fs::rename(unfinished, dataFile, code);
    if (out && !code) return Success{};
    fs::remove(unfinished, code);
    return onnxError(ErrorCode::Io, fmt::format("{} cannot be written", dataFile.string()));
}

Status writeInline(WrittenModel& written) {
    proto::GraphProto& graph = *written.model.mutable_graph();
    for (const WrittenModel::Weight& weight : written.weights) {
        proto::TensorProto& tensor = *graph.mutable_initializer(weight.initializer);
        const Status status =
            withBytes(weight.data, [&](std::string_view bytes) { tensor.set_raw_data(bytes.data(), bytes.size()); });
        if (!status) return status;
    }
    return Success{};
}

bool isAllowed(const tensor::Operator& op, Profile profile) {
    return tensor::isStandard(op) || (profile == Profile::Microsoft && op.onnx.domain == MicrosoftDomain);
}

/// The program in the operators that the profile has.
Result<WrittenModel> writeProgram(const ir::TermBank& bank, const tensor::Model& model, const ExportOptions& options) {
    const std::vector<ir::TermId> terms = childrenFirst(bank, model.program.root);
    const auto count = std::ranges::count_if(terms, [&](ir::TermId term) {
        const tensor::Operator* const op = tensor::operatorOf(bank, term);
        return op != nullptr && !isAllowed(*op, options.profile);
    });
    if (count == 0) return GraphWriter(bank, model).write(options.foldWeights);
    ir::TermBank own(bank.sharedRegistry());
    tensor::Model written = model;
    written.program = ir::Transplanter(bank, own).program(model.program);
    const Result<ir::TermId> root = tensor::expanded(
        own, written.program.root, options.profile == Profile::Microsoft ? MicrosoftDomain : std::string_view());
    if (!root) return root.error();
    written.program.root = *root;
    Result<WrittenModel> result = GraphWriter(own, written).write(options.foldWeights);
    if (result) result->expanded = static_cast<std::size_t>(count);
    return result;
}

/// Measured with ONNX Runtime 1.30 on processors, all of its own optimizations on and off.
std::vector<std::string> slowOperators(const proto::GraphProto& graph) {
    int normalizations = 0;
    int convolutions = 0;
    for (const proto::NodeProto& node : graph.node()) {
        if (node.domain() != MicrosoftDomain) continue;
        if (node.op_type() == "SkipLayerNormalization") ++normalizations;
        if (node.op_type() == "FusedConv" && node.input_size() > 3) ++convolutions;
    }
    std::vector<std::string> result;
    if (normalizations > 0) {
        result.push_back(
            fmt::format("{} SkipLayerNormalization: on processors ONNX Runtime takes about 8 times as long "
                        "for it as for Add and LayerNormalization",
                        normalizations));
    }
    if (convolutions > 0) {
        result.push_back(
            fmt::format("{} FusedConv with a summand: on processors ONNX Runtime is about 1.4 times as fast "
                        "with Conv, Add and the activation, which it fuses in another layout",
                        convolutions));
    }
    return result;
}

Result<WrittenModel> writeGraph(const ir::TermBank& bank, const tensor::Model& model, const ExportOptions& options) {
    Result<WrittenModel> written = writeProgram(bank, model, options);
    if (!written) return written;
    auto metadata = model.metadata;
    for (const auto& [key, value] : options.metadata) metadata.insert_or_assign(key, value);
    for (const auto& [key, value] : metadata) {
        proto::StringStringEntryProto& entry = *written->model.add_metadata_props();
        entry.set_key(key);
        entry.set_value(value);
    }
    return written;
}

ExportReport reportOf(WrittenModel& written) {
    ExportReport report;
    report.nodes = static_cast<std::size_t>(written.model.graph().node_size());
    report.initializers = static_cast<std::size_t>(written.model.graph().initializer_size());
    report.foldedWeights = written.folded;
    report.expanded = written.expanded;
    report.warnings = slowOperators(written.model.graph());
    report.inferenceSays = checkShapes(written.model, written.unsafe);
    return report;
}

}  // namespace

Result<ExportReport> exportFile(const ir::TermBank& bank, const tensor::Model& model, const fs::path& path,
                                const ExportOptions& options) {
    Result<WrittenModel> written = writeGraph(bank, model, options);
    if (!written) return std::move(written).error();
    const std::uintmax_t weightBytes = byteCount(*written);
    const bool isExternal = options.externalData || weightBytes > MostInlineBytes;
    const fs::path dataFile = path.string() + ".data";
    const Status filled = isExternal ? writeExternal(*written, dataFile) : writeInline(*written);
    if (!filled) return filled.error();
    ExportReport report = reportOf(*written);
    const std::string bytes = written->model.SerializeAsString();
    if (const Status saved = writeFile(path.string(), bytes); !saved) return saved.error();
    report.bytes = bytes.size();
    if (isExternal) {
        report.dataFile = dataFile;
        std::error_code code;
        report.bytes += fs::file_size(dataFile, code);
    }
    report.checkerSays = isExternal ? checkModelFile(path) : checkModel(written->model);
    return report;
}

Result<ExportedBytes> exportBytes(const ir::TermBank& bank, const tensor::Model& model, const ExportOptions& options) {
    Result<WrittenModel> written = writeGraph(bank, model, options);
    if (!written) return std::move(written).error();
    if (byteCount(*written) > MostInlineBytes) {
        return onnxError(ErrorCode::Limit, "the weights take more than the 2 GB that one ONNX file can hold",
                         "export to a file, with the weights in a file of their own");
    }
    if (const Status filled = writeInline(*written); !filled) return filled.error();
    ExportedBytes result{.bytes = {}, .report = reportOf(*written)};
    result.report.checkerSays = checkModel(written->model);
    result.bytes = written->model.SerializeAsString();
    result.report.bytes = result.bytes.size();
    return result;
}

}  // namespace mitos::onnx
