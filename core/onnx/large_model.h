// SPDX-License-Identifier: GPL-3.0-or-later
// Large binary models without a copy of their weights: what protobuf parses is the file without the elements of its large
// initializers, and what it would have to serialize is written weight by weight. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/proto.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::onnx {

/// A binary model in parts.
struct LiftedModel {
    std::string rest;  ///< the same message without the elements of large initializers
    /// By initializer: its elements, where they were left out.
    std::vector<std::optional<std::span<const std::byte>>> elements;
};
/// Nothing: there is nothing large in it, or it is not written as models usually are; protobuf's parser has to judge it.
[[nodiscard]] std::optional<LiftedModel> liftElements(std::span<const std::byte> model);

/// Calls `use` with pieces of an initializer's elements, as files hold them, in order.
using ElementSource = absl::FunctionRef<Status(int initializer, absl::FunctionRef<void(std::string_view)> use)>;
/// Writes the model with the elements of those initializers that have none in the message: `sizes` has their bytes, by
/// initializer, 0 for those that are complete. The model is as before afterwards. Gives the bytes written. Errors: those of
/// `source`; more than the 2 GB that a file can have.
[[nodiscard]] Result<std::uintmax_t> writeModel(proto::ModelProto& model, const std::vector<std::uintmax_t>& sizes,
                                                ElementSource source, std::ostream& out);

}  // namespace mitos::onnx
