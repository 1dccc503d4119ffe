// SPDX-License-Identifier: GPL-3.0-or-later
// From bytes or texts to ONNX's own message. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/proto.h"

#include <string_view>

namespace mitos::onnx {

inline constexpr std::string_view BinaryEnding = ".onnx";
inline constexpr std::string_view TextEnding = ".onnxtxt";
/// In small letters or capitals.
[[nodiscard]] bool hasEnding(const std::filesystem::path& path, std::string_view ending);

/// Errors: missing, unreadable, larger than 2 GB (a limit of the format), not an ONNX model, nested more than 100 deep.
[[nodiscard]] Result<ModelFile> readModelFile(const std::filesystem::path& path);
[[nodiscard]] Result<ModelFile> parseModel(std::string_view bytes);
/// ONNX's textual syntax. Errors carry the parser's words.
[[nodiscard]] Result<ModelFile> parseModelText(std::string_view text);

}  // namespace mitos::onnx
