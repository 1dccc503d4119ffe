// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/read_model.h"

#include "core/base/read_file.h"
#include "core/base/source_text.h"
#include "core/onnx/internal/clean_names.h"
#include "core/onnx/internal/large_model.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/defs/parser.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <limits>
#include <system_error>

namespace mitos::onnx {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t FormatLimit = std::numeric_limits<std::int32_t>::max();
constexpr int DeepestNesting = 100;
/// Smaller files are read as a whole, so they may be overwritten while a program has them open.
constexpr std::uintmax_t SmallestMapped = 1U << 20U;
constexpr std::size_t LongestText = std::size_t{64} << 20U;

Error tooLarge(std::uintmax_t bytes) {
    return onnxError(
        ErrorCode::Limit,
        fmt::format("the model has {:.1f} GB; one ONNX file holds at most 2 GB", static_cast<double>(bytes) / 1e9),
        "save the model with its weights in a file of their own (external data)");
}

Error notAModel() {
    return onnxError(ErrorCode::Parse, "this is not an ONNX model, or the file is cut off",
                     "files of ONNX's textual syntax are named .onnxtxt");
}

ModelFile modelFile(std::shared_ptr<proto::ModelProto> model) {
    std::optional<std::string> cleaned = cleanNames(*model);
    return {.model = std::move(model), .cleanedName = std::move(cleaned)};
}

Result<ModelFile> parseStream(google::protobuf::io::ZeroCopyInputStream& stream) {
    google::protobuf::io::CodedInputStream coded(&stream);
    coded.SetTotalBytesLimit(std::numeric_limits<std::int32_t>::max());
    coded.SetRecursionLimit(DeepestNesting);
    auto model = std::make_shared<proto::ModelProto>();
    if (!model->ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage()) return notAModel();
    if (!model->has_graph()) return notAModel();  // nearly every text parses as a message of unknown fields
    return modelFile(std::move(model));
}

/// Parses a file that is mapped into memory, where the elements of large initializers stay.
Result<ModelFile> parseMapped(const std::shared_ptr<const MappedFile>& file) {
    const std::span<const std::byte> bytes = file->bytes();
    std::optional<LiftedModel> lifted = liftElements(bytes);
    if (!lifted) return parseModel({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    MITOS_TRY(ModelFile model, parseModel(lifted->rest));
    model.mapped = file;
    const proto::GraphProto& graph = model.model->graph();
    for (std::size_t i = 0; i < lifted->elements.size(); ++i) {
        if (lifted->elements[i]) model.lifted.emplace(&graph.initializer(static_cast<int>(i)), *lifted->elements[i]);
    }
    return model;
}

/// Whether the text is nested too deep for ONNX's parser, which reads nested graphs by recursion.
bool isNestedTooDeep(std::string_view text) {
    int depth = 0;
    for (const char c : text) {
        if (c == '(' || c == '{' || c == '<' || c == '[') ++depth;
        if (c == ')' || c == '}' || c == '>' || c == ']') --depth;
        if (depth > DeepestNesting) return true;
    }
    return false;
}

}  // namespace

bool hasEnding(const fs::path& path, std::string_view ending) {
    const std::string found = path.extension().string();
    return std::ranges::equal(found, ending, [](unsigned char a, char b) { return std::tolower(a) == b; });
}

Result<ModelFile> parseModel(std::string_view bytes) {
    if (bytes.size() > FormatLimit) return tooLarge(bytes.size());
    google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
    return parseStream(stream);
}

Result<ModelFile> parseModelText(std::string_view text) {
    if (text.size() > LongestText) {
        return onnxError(ErrorCode::Limit, "the text has more than 64 MB", "save the model as a binary .onnx file");
    }
    if (text.find('\0') != std::string_view::npos) {
        return onnxError(ErrorCode::Parse, "this is not a text in ONNX's textual syntax",
                         "binary models are named .onnx");
    }
    if (isNestedTooDeep(text)) {
        return onnxError(ErrorCode::Limit, fmt::format("brackets are nested more than {} deep", DeepestNesting));
    }
    auto model = std::make_shared<proto::ModelProto>();
    try {
        const std::string copy(text);  // the parser requires a terminating NUL
        const auto status = proto::OnnxParser::Parse(*model, copy.c_str());
        if (!status.IsOK()) return onnxError(ErrorCode::Parse, status.ErrorMessage());
    } catch (const std::exception& problem) {  // numbers that are out of range
        return onnxError(ErrorCode::Parse, fmt::format("ONNX's parser gave up: {}", problem.what()));
    }
    return modelFile(std::move(model));
}

Result<ModelFile> readModelFile(const fs::path& path) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (!fs::exists(status)) return onnxError(ErrorCode::Io, fmt::format("{}: there is no such file", path.string()));
    if (fs::is_directory(status)) {
        return onnxError(ErrorCode::Io, fmt::format("{} is a folder, not a model", path.string()));
    }
    const auto named = [&path](Error error) {
        error.message = fmt::format("{}: {}", path.string(), error.message);
        return error;
    };
    Result<ModelFile> file = notAModel();
    if (hasEnding(path, TextEnding)) {
        MITOS_TRY(const SourceText text, readSourceFile(path.string()));
        file = parseModelText(text.text());
    } else {
        const std::uintmax_t size = fs::file_size(path, code);
        if (!code && size > FormatLimit) return named(tooLarge(size));
        if (!code && size >= SmallestMapped) {
            MITOS_TRY(const std::shared_ptr<const MappedFile> mapped, MappedFile::open(path));
            file = parseMapped(mapped);
            if (!file) return named(std::move(file).error());
            file->folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
            return file;
        }
        MITOS_TRY(std::ifstream bytes, openFile(path.string()));
        google::protobuf::io::IstreamInputStream stream(&bytes);
        file = parseStream(stream);
    }
    if (!file) return named(std::move(file).error());
    file->folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return file;
}

Result<fs::path> binaryModel(const fs::path& path, const fs::path& binary) {
    if (!hasEnding(path, TextEnding)) return path;
    MITOS_TRY(const ModelFile file, readModelFile(path));
    const Status put = writeFile(binary.string(), file.model->SerializeAsString());
    return put ? Result<fs::path>(binary) : put.error();
}

}  // namespace mitos::onnx
