// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/import.h"

#include "core/base/read_file.h"
#include "core/onnx/internal/clean_names.h"
#include "core/onnx/internal/graph_reader.h"
#include "core/onnx/internal/read_model.h"

#include <fmt/format.h>

#include <fstream>

namespace mitos::onnx {

namespace {

Result<tensor::Model> importModel(ir::TermBank& bank, Result<ModelFile> file, const ImportOptions& options) {
    if (!file) return std::move(file).error();
    GraphReader reader(bank, *std::move(file), options);
    Result<tensor::Model> model = reader.read();
    if (model) {
        model->dataFiles = reader.dataFiles();
        for (std::string& warning : model->warnings) warning = cleanText(warning);
        return model;
    }
    Error error = std::move(model).error();
    error.message = cleanText(error.message);
    return error;
}

}  // namespace

bool isModelFile(const std::filesystem::path& path) { return isBinaryModelFile(path) || hasEnding(path, TextEnding); }

bool isBinaryModelFile(const std::filesystem::path& path) { return hasEnding(path, BinaryEnding); }

Result<tensor::Model> importFile(ir::TermBank& bank, const std::filesystem::path& path, const ImportOptions& options) {
    MITOS_TRY(ModelFile file, readModelFile(path));
    Result<tensor::Model> model = importModel(bank, std::move(file), options);
    if (model) {
        model->file = path.string();
        return model;
    }
    Error error = std::move(model).error();
    error.message = fmt::format("{}: {}", path.string(), error.message);
    return error;
}

Result<tensor::Model> importBytes(ir::TermBank& bank, std::string_view bytes, const ImportOptions& options) {
    return importModel(bank, parseModel(bytes), options);
}

Result<tensor::Model> importText(ir::TermBank& bank, std::string_view text, const ImportOptions& options) {
    return importModel(bank, parseModelText(text), options);
}

Result<tensor::ArrayPtr> readTensorFile(const std::filesystem::path& path) {
    const auto failed = [&path](ErrorCode code, std::string_view message) {
        return onnxError(code, fmt::format("{}: {}", path.string(), message));
    };
    MITOS_TRY(std::ifstream bytes, openFile(path.string()));
    proto::TensorProto tensor;
    if (!tensor.ParseFromIstream(&bytes))
        return failed(ErrorCode::Parse, "this is not a tensor, or the file is cut off");
    const Result<tensor::WeightData> data = TensorReader(ModelFile()).read(tensor);
    if (!data) return failed(data.error().code, data.error().message);
    return data->read();
}

}  // namespace mitos::onnx
