// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/export.h"

#include "core/base/hash.h"
#include "core/base/write_file.h"
#include "core/ir/shared.h"
#include "core/ir/transplant.h"
#include "core/onnx/internal/graph_writer.h"
#include "core/onnx/internal/large_model.h"
#include "core/onnx/internal/library.h"
#include "core/onnx/internal/opaque.h"
#include "core/onnx/internal/opset_changes.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/onnx/internal/weight_folding.h"
#include "core/tensor/expand.h"
#include "core/tensor/idle.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <system_error>

namespace mitos::onnx {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view MicrosoftDomain = "com.microsoft";
/// The part of one file's limit that weights may take; the rest is for names and nodes.
constexpr std::uintmax_t MostInlineBytes = 2'000'000'000;
constexpr std::uintmax_t SmallestExternal = 1024;
/// The alignment of weights in their file, so that programs can map them.
constexpr std::uintmax_t Alignment = 64;

std::uintmax_t byteCount(const tensor::WeightData& data) {
    return static_cast<std::uintmax_t>(tensor::elementCount(data.shape())) * ir::dtypeBytes(data.dtype());
}

std::uintmax_t byteCount(const WrittenModel& written) {
    std::uintmax_t bytes = 0;
    for (const WrittenModel::Weight& weight : written.weights) bytes += byteCount(weight.data);
    return bytes;
}

/// Calls `use` with the weight's bytes as a file holds them.
template <typename Use>
Status withBytes(const tensor::WeightData& data, const Use& use) {
    if (!data.bytes().empty()) {
        MITOS_REQUIRE(data.check());
        use(std::string_view(reinterpret_cast<const char*>(data.bytes().data()), data.bytes().size()));
        return Success{};
    }
    MITOS_TRY(const tensor::ArrayPtr array, data.read());
    use(encoded(*array));
    return Success{};
}

/// Puts small weights into the message. Returns the numbers of bytes of the others, which are written later, by initializer.
Result<std::vector<std::uintmax_t>> fillSmall(WrittenModel& written) {
    proto::GraphProto& graph = *written.model.mutable_graph();
    std::vector<std::uintmax_t> left(static_cast<std::size_t>(graph.initializer_size()), 0);
    for (const WrittenModel::Weight& weight : written.weights) {
        const std::uintmax_t size = byteCount(weight.data);
        if (size >= SmallestExternal) {
            left[static_cast<std::size_t>(weight.initializer)] = size;
            continue;
        }
        const Status status = withBytes(weight.data, [&](std::string_view bytes) {
            graph.mutable_initializer(weight.initializer)->set_raw_data(bytes.data(), bytes.size());
        });
        if (!status) return status.error();
    }
    return left;
}

/// The path of a file's weights: beside it, named after it and after their contents, so that other weights never replace those
/// that a model reads.
Result<fs::path> dataFileOf(const fs::path& path, const WrittenModel& written,
                            const std::vector<std::uintmax_t>& large) {
    std::uint64_t hash = 0;
    for (const WrittenModel::Weight& weight : written.weights) {
        if (large[static_cast<std::size_t>(weight.initializer)] == 0) continue;
        const Status read = withBytes(weight.data, [&hash](std::string_view bytes) {
            hash = combineHash(combineHash(hash, bytes.size()), hashText(bytes));
        });
        if (!read) return read.error();
    }
    return fs::path(fmt::format("{}.{:016x}.data", path.string(), hash));
}

/// Files of weights, recognized by their names, of models that were written to `path`.
std::vector<fs::path> oldDataFiles(const fs::path& path) {
    std::vector<fs::path> found;
    const std::string model = path.filename().string();
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const auto isHash = [](std::string_view text) {
        return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    };
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        const std::string name = at->path().filename().string();
        constexpr std::string_view Ending = ".data";
        if (!name.starts_with(model + ".") || !name.ends_with(Ending)) continue;
        const std::size_t between = name.size() - model.size() - 1;
        const bool isOurs =
            between > Ending.size() && isHash(std::string_view(name).substr(model.size() + 1, between - Ending.size()));
        if (isOurs && at->is_regular_file(code) && !at->is_symlink(code)) found.push_back(at->path());
    }
    return found;
}

/// Whether a file of weights belongs to the model that was read, and that model is another file than `path` because it was
/// renamed.
bool isNeeded(const fs::path& data, const fs::path& path, const tensor::Model& model) {
    std::error_code code;
    if (fs::equivalent(path, model.file, code)) return false;
    return std::ranges::any_of(model.dataFiles,
                               [&](const std::string& read) { return fs::equivalent(data, read, code); });
}

/// Writes large weights, one by one, to a file of their own.
Result<std::uintmax_t> writeExternal(WrittenModel& written, const std::vector<std::uintmax_t>& large,
                                     const fs::path& dataFile) {
    proto::GraphProto& graph = *written.model.mutable_graph();
    std::uintmax_t at = 0;
    const auto write = [&](std::ostream& out) -> Status {
        for (const WrittenModel::Weight& weight : written.weights) {
            const std::uintmax_t size = large[static_cast<std::size_t>(weight.initializer)];
            if (size == 0) continue;
            const std::string padding((Alignment - at % Alignment) % Alignment, '\0');
            out << padding;
            at += padding.size();
            const Status copied = withBytes(weight.data, [&out](std::string_view bytes) { out << bytes; });
            if (!copied) return copied;
            proto::TensorProto& tensor = *graph.mutable_initializer(weight.initializer);
            tensor.set_data_location(proto::TensorProto::EXTERNAL);
            const auto add = [&tensor](const char* key, const std::string& value) {
                proto::StringStringEntryProto& entry = *tensor.add_external_data();
                entry.set_key(key);
                entry.set_value(value);
            };
            add("location", dataFile.filename().string());
            add("offset", std::to_string(at));
            add("length", std::to_string(size));
            at += size;
        }
        return Success{};
    };
    // The user did not name this file, so a link in its place is replaced and its target stays.
    MITOS_REQUIRE(writeFileWith(dataFile.string(), write, Links::Replace));
    return at;
}

/// Writes the model with all weights, the large ones one by one.
Result<std::uintmax_t> writeInline(WrittenModel& written, const std::vector<std::uintmax_t>& large, std::ostream& out) {
    std::vector<const tensor::WeightData*> data(large.size(), nullptr);
    for (const WrittenModel::Weight& weight : written.weights) {
        data[static_cast<std::size_t>(weight.initializer)] = &weight.data;
    }
    return writeModel(
        written.model, large,
        [&](int initializer, absl::FunctionRef<void(std::string_view)> use) {
            return withBytes(*data[static_cast<std::size_t>(initializer)], use);
        },
        out);
}

/// During its lifetime, nodes unknown to the library have no attributes and belong to a domain that is unknown to it too, and the
/// functions of a newer file are left out.
class HiddenNodes {
public:
    explicit HiddenNodes(WrittenModel& written) : m_written(written) {
        if (written.opset > Opset) m_functions.Swap(written.model.mutable_functions());
        if (written.newer.empty()) return;
        proto::OperatorSetIdProto& opset = *written.model.add_opset_import();
        opset.set_domain("not.known");
        opset.set_version(1);
        for (const int index : written.newer) {
            proto::NodeProto& node = *written.model.mutable_graph()->mutable_node(index);
            m_nodes.push_back(node);
            node.clear_attribute();
            node.set_domain("not.known");
        }
    }
    ~HiddenNodes() {
        if (m_written.opset > Opset) m_functions.Swap(m_written.model.mutable_functions());
        if (m_nodes.empty()) return;
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            m_written.model.mutable_graph()->mutable_node(m_written.newer[i])->Swap(&m_nodes[i]);
        }
        m_written.model.mutable_opset_import()->RemoveLast();
    }
    HiddenNodes(const HiddenNodes&) = delete;
    HiddenNodes& operator=(const HiddenNodes&) = delete;

private:
    WrittenModel& m_written;
    std::vector<proto::NodeProto> m_nodes;
    google::protobuf::RepeatedPtrField<proto::FunctionProto> m_functions;
};

/// Runs ONNX's checks. They see large weights as inputs: they would look at their sizes alone, which are right.
void judge(WrittenModel& written, const std::vector<std::uintmax_t>& large, ExportReport& report) {
    proto::GraphProto& graph = *written.model.mutable_graph();
    google::protobuf::RepeatedPtrField<proto::TensorProto> all;
    all.Swap(graph.mutable_initializer());
    const int inputs = graph.input_size();
    const HiddenNodes hidden(written);
    for (int i = 0; i < all.size(); ++i) {
        if (large[static_cast<std::size_t>(i)] == 0) {
            *graph.add_initializer() = all[i];
            continue;
        }
        proto::ValueInfoProto& input = *graph.add_input();
        input.set_name(all[i].name());
        proto::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
        type.set_elem_type(all[i].data_type());
        type.mutable_shape();
        for (const std::int64_t size : all[i].dims()) type.mutable_shape()->add_dim()->set_dim_value(size);
    }
    report.inferenceSays = checkShapes(written.model, written.unsafe);
    report.checkerSays = checkModel(written.model);
    graph.mutable_input()->DeleteSubrange(inputs, graph.input_size() - inputs);
    all.Swap(graph.mutable_initializer());
}

/// Converts the model to its intended opset.
void finish(WrittenModel& written, std::vector<std::uintmax_t>& large) {
    if (written.opset > Opset) raise(written.model, written.opset, written.names);
    large.resize(static_cast<std::size_t>(written.model.graph().initializer_size()), 0);
}

/// Whether the file can have the node.
bool isAllowed(const ir::TermBank& bank, ir::TermId term, Profile profile, int opset) {
    const tensor::Operator& op = *tensor::operatorOf(bank, term);
    if (profile == Profile::Microsoft && op.onnx.domain == MicrosoftDomain) return true;
    return hasNode(op, bank.childCount(term), opset);
}

/// The opset that is written if none is asked for: that of the file, or a newer one that has the program's operators, if all nodes can be
/// written there.
int usualOpset(const ir::TermBank& bank, const tensor::Model& model) {
    const int usual = std::max(OldestWrittenOpset, static_cast<int>(model.opset));
    int needed = usual;
    for (const ir::TermId term : ir::SharedNodes(bank, model.program.root)) {
        if (const tensor::Operator* const op = tensor::operatorOf(bank, term))
            needed = std::max(needed, op->onnx.since);
    }
    const bool fits = std::ranges::all_of(model.opaque, [needed](const auto& opaque) {
        return checkCarried(opaque.second, keptModel(opaque.second), needed).ok();
    });
    return fits ? needed : usual;
}

/// Fails if models are not written at that opset.
Result<int> writable(int opset) {
    if (opset >= OldestWrittenOpset && opset <= NewestOpset) return opset;
    return onnxError(ErrorCode::InvalidInput, fmt::format("models are written at opsets {} to {}, not {}",
                                                          OldestWrittenOpset, NewestOpset, opset));
}

/// Writes the program in the operators of the profile, without those that do nothing.
Result<WrittenModel> writeProgram(const ir::TermBank& bank, const tensor::Model& model, const ExportOptions& options) {
    MITOS_TRY(const int opset, writable(options.opset ? *options.opset : usualOpset(bank, model)));
    const ir::SharedNodes terms(bank, model.program.root);
    const auto count = std::ranges::count_if(terms, [&](ir::TermId term) {
        return tensor::operatorOf(bank, term) != nullptr && !isAllowed(bank, term, options.profile, opset);
    });
    const auto idle = options.keepIdle
                          ? 0
                          : std::ranges::count_if(terms, [&](ir::TermId term) { return tensor::isIdle(bank, term); });
    if (count == 0 && idle == 0) return GraphWriter(bank, model, opset).write(options);
    ir::TermBank own(bank.sharedRegistry());
    tensor::Model written = model;
    written.program = ir::Transplanter(bank, own).program(model.program);
    const Result<ir::TermId> root = tensor::expanded(
        own, written.program.root, [&](ir::TermId term) { return isAllowed(own, term, options.profile, opset); });
    if (!root) return root.error();
    written.program.root = options.keepIdle ? *root : tensor::withoutIdle(own, *root);
    Result<WrittenModel> result = GraphWriter(own, written, opset).write(options);
    if (result) result->expanded = static_cast<std::size_t>(count);
    if (result) result->idle = static_cast<std::size_t>(idle);
    return result;
}

/// Operators measured as slower, with ONNX Runtime 1.30 on CPUs, with all of its own optimizations on and off.
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
    MITOS_TRY(WrittenModel written, writeProgram(bank, model, options));
    auto metadata = model.metadata;
    if (written.model.producer_name() != ProducerName) metadata.insert_or_assign(VersionKey, MITOS_VERSION);
    for (const auto& [key, value] : options.metadata) metadata.insert_or_assign(key, value);
    for (const auto& [key, value] : metadata) {
        proto::StringStringEntryProto& entry = *written.model.add_metadata_props();
        entry.set_key(key);
        entry.set_value(value);
    }
    return written;
}

ExportReport reportOf(const WrittenModel& written) {
    ExportReport report;
    report.nodes = static_cast<std::size_t>(written.model.graph().node_size());
    report.opset = written.opset;
    report.initializers = static_cast<std::size_t>(written.model.graph().initializer_size());
    report.foldedWeights = written.folded;
    report.unfolded = written.unfolded;
    report.expanded = written.expanded;
    report.idle = written.idle;
    report.warnings = slowOperators(written.model.graph());
    return report;
}

}  // namespace

Status checkExportable(const tensor::Model& model, std::optional<int> opset) {
    MITOS_TRY(const int written, writable(opset.value_or(std::max(OldestWrittenOpset, static_cast<int>(model.opset)))));
    for (const auto& opaque : model.opaque) {
        MITOS_REQUIRE(checkCarried(opaque.second, keptModel(opaque.second), written));
    }
    return Success{};
}

Result<ExportReport> exportFile(const ir::TermBank& bank, const tensor::Model& model, const fs::path& path,
                                const ExportOptions& options) {
    MITOS_TRY(WrittenModel written, writeGraph(bank, model, options));
    MITOS_TRY(std::vector<std::uintmax_t> large, fillSmall(written));
    ExportReport report = reportOf(written);
    judge(written, large, report);
    finish(written, large);
    const bool hasLarge = std::ranges::any_of(large, [](std::uintmax_t size) { return size > 0; });
    const bool isExternal = hasLarge && (options.externalData || byteCount(written) > MostInlineBytes);
    // The weights have a name that no model uses yet, so replacing the model is the only atomic step: if the process stops at
    // any time, there is either the old model with its weights or the new one with its own.
    const std::vector<fs::path> old = oldDataFiles(path);
    if (isExternal) {
        MITOS_TRY(const fs::path dataFile, dataFileOf(path, written, large));
        MITOS_TRY(const std::uintmax_t bytes, writeExternal(written, large, dataFile));
        report.dataFile = dataFile;
        report.bytes = bytes;
    }
    const std::vector<std::uintmax_t> none(large.size(), 0);
    const Status saved = writeFileWith(path.string(), [&](std::ostream& out) -> Status {
        MITOS_TRY(const std::uintmax_t bytes, writeInline(written, isExternal ? none : large, out));
        report.bytes += bytes;
        return Success{};
    });
    if (!saved) return saved.error();
    for (const fs::path& data : old) {
        std::error_code ignored;  // a leftover file only takes space
        if (report.dataFile && data.filename() == report.dataFile->filename()) continue;
        if (!isNeeded(data, path, model)) fs::remove(data, ignored);
    }
    // The library rejects files that are newer than itself.
    if (isExternal && report.checkerSays.empty() && report.opset == Opset) report.checkerSays = checkModelFile(path);
    return report;
}

Result<ExportedBytes> exportBytes(const ir::TermBank& bank, const tensor::Model& model, const ExportOptions& options) {
    MITOS_TRY(WrittenModel written, writeGraph(bank, model, options));
    MITOS_TRY(std::vector<std::uintmax_t> large, fillSmall(written));
    ExportedBytes result{.bytes = {}, .report = reportOf(written)};
    judge(written, large, result.report);
    finish(written, large);
    std::ostringstream out;
    MITOS_REQUIRE(writeInline(written, large, out));
    result.bytes = std::move(out).str();
    result.report.bytes = result.bytes.size();
    return result;
}

}  // namespace mitos::onnx
