// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of ONNX's messages that are newer than the library in use: protobuf keeps them as unknown fields, so they are written
// again. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/proto.h"

#include <string>

namespace mitos::onnx {

/// The overload, which distinguishes functions of one name that differ in their inputs; empty for others (IR version 10).
[[nodiscard]] std::string overloadOf(const proto::FunctionProto& function);
[[nodiscard]] std::string overloadOf(const proto::NodeProto& node);

/// The default of an attribute of a function (IR version 9); nullopt if it has none.
[[nodiscard]] std::optional<proto::AttributeProto> defaultOf(const proto::FunctionProto& function,
                                                             const std::string& attribute);

}  // namespace mitos::onnx
