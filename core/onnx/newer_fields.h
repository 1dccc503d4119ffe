// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of ONNX's messages that came after the library here: protobuf keeps them as fields that it does not know, and so they
// are written again. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/proto.h"

#include <string>

namespace mitos::onnx {

/// Functions of one name that differ in their inputs are told apart by this; "" for the others (IR version 10).
[[nodiscard]] std::string overloadOf(const proto::FunctionProto& function);
[[nodiscard]] std::string overloadOf(const proto::NodeProto& node);

/// The default of an attribute of a function (IR version 9). Nothing: it has none.
[[nodiscard]] std::optional<proto::AttributeProto> defaultOf(const proto::FunctionProto& function,
                                                             const std::string& attribute);

}  // namespace mitos::onnx
