// SPDX-License-Identifier: GPL-3.0-or-later
// The models that are built in, of all kinds: the bytes of resources/models.
#pragma once

#include <span>
#include <string_view>

namespace mitos::search::learned {

struct ShippedFile {
    std::string_view name;  ///< without folder and ending
    std::string_view bytes;
};

[[nodiscard]] std::span<const ShippedFile> shippedFiles();

}  // namespace mitos::search::learned
