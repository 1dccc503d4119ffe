// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes large binary models without a copy of their weights: protobuf parses the file without the elements of its large
// initializers, and these are written weight by weight instead of being serialized. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/proto.h"

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
    /// For each initializer its elements, if they were left out.
    std::vector<std::optional<std::span<const std::byte>>> elements;
};
/// nullopt if nothing in the model is large, or if it is not encoded as models usually are; protobuf's parser then decides.
[[nodiscard]] std::optional<LiftedModel> liftElements(std::span<const std::byte> model);

/// Calls `use` with pieces of an initializer's elements, as files hold them, in order.
using ElementSource = absl::FunctionRef<Status(int initializer, absl::FunctionRef<void(std::string_view)> use)>;
/// Writes the model with the elements of those initializers that have none in the message: `sizes` has their numbers of bytes, by
/// initializer, 0 for those that are complete. The model is restored afterwards. Returns the number of bytes written. Fails as
/// `source` does, or above the 2 GB that a file can have.
[[nodiscard]] Result<std::uintmax_t> writeModel(proto::ModelProto& model, const std::vector<std::uintmax_t>& sizes,
                                                ElementSource source, std::ostream& out);

}  // namespace mitos::onnx
