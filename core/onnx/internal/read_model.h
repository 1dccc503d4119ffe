// SPDX-License-Identifier: GPL-3.0-or-later
// Parses bytes or texts into ONNX's own message. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/proto.h"

#include <string_view>

namespace mitos::onnx {

inline constexpr std::string_view BinaryEnding = ".onnx";
inline constexpr std::string_view TextEnding = ".onnxtxt";
/// Whether the file name has that ending, in lower or upper case.
[[nodiscard]] bool hasEnding(const std::filesystem::path& path, std::string_view ending);

/// Fails if the file is missing, unreadable, larger than 2 GB (a limit of the format), not an ONNX model, or nested more than 100
/// deep.
[[nodiscard]] Result<ModelFile> readModelFile(const std::filesystem::path& path);
/// The path of a binary file of the model: `path` itself, or `binary`, which is written if the model is a text.
[[nodiscard]] Result<std::filesystem::path> binaryModel(const std::filesystem::path& path,
                                                        const std::filesystem::path& binary);
[[nodiscard]] Result<ModelFile> parseModel(std::string_view bytes);
/// Parses ONNX's textual syntax. Errors have the parser's message.
[[nodiscard]] Result<ModelFile> parseModelText(std::string_view text);

}  // namespace mitos::onnx
