// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations shared by the files that use ONNX's own types. Only for .cpp files of this folder.
#pragma once

#include "core/base/result.h"
#include "core/onnx/internal/mapped_file.h"

#include <absl/container/flat_hash_map.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace mitos::onnx {

namespace proto = ::onnx;

/// The version of ONNX's own operators in whose forms nodes are read and written, the newest that the ONNX library in use supports.
/// opset_changes.h handles later versions.
inline constexpr int Opset = 17;

/// A file as it was read: weights point into it and keep it alive.
struct ModelFile {
    std::shared_ptr<const proto::ModelProto> model;
    std::filesystem::path folder = {};  ///< folder of external data; empty if there is none (bytes, texts)
    /// The elements of initializers that were left in the file, which is mapped into memory.
    absl::flat_hash_map<const proto::TensorProto*, std::span<const std::byte>> lifted = {};
    std::shared_ptr<const MappedFile> mapped = nullptr;
    std::optional<std::string> cleanedName = std::nullopt;  ///< the first name that was cleaned (clean_names.h)
};

[[nodiscard]] inline Error onnxError(ErrorCode code, std::string message, std::string hint = {}) {
    return Error{code, std::move(message), std::nullopt, std::move(hint)};
}

}  // namespace mitos::onnx
