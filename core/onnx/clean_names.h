// SPDX-License-Identifier: GPL-3.0-or-later
// Names that no terminal, no listing and no JSON can show. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/proto.h"

#include <optional>
#include <string>
#include <string_view>

namespace mitos::onnx {

/// Writes control characters, and bytes that are not UTF-8, as %1B in all names of the model: of values, nodes, operators, domains,
/// sizes, attributes, metadata (whose values may have lines). Left alone are the names of files, and texts that operators compute with. Gives the first that was
/// changed, as it is now.
std::optional<std::string> cleanNames(proto::ModelProto& model);
/// The same for a text: messages quote also what is left alone.
[[nodiscard]] std::string cleanText(std::string_view text);

}  // namespace mitos::onnx
