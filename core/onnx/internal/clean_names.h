// SPDX-License-Identifier: GPL-3.0-or-later
// Cleans names that terminals, listings and JSON cannot show. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/proto.h"

#include <optional>
#include <string>
#include <string_view>

namespace mitos::onnx {

/// Escapes control characters, and bytes that are not UTF-8, in the form %1B in all names of the model: of values, nodes, operators,
/// domains, sizes, attributes, metadata (whose values may contain line breaks). Names of files, and texts that operators compute
/// with, stay as they are. Returns the first changed name in its new form.
std::optional<std::string> cleanNames(proto::ModelProto& model);
/// The same for a text: messages also quote texts that cleanNames leaves as they are.
[[nodiscard]] std::string cleanText(std::string_view text);

}  // namespace mitos::onnx
