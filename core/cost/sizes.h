// SPDX-License-Identifier: GPL-3.0-or-later
// The parameter `sizes` of cost models: numbers for sizes that are names.
#pragma once

#include "core/base/parameters.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace mitos::cost {

/// The sizes that a model assumes: by name, and one for dimensions without a name or with an unlisted name.
struct AssumedSizes {
    std::int64_t otherwise = 1;
    std::map<std::string, std::int64_t> named;
};

/// Describes the parameter, with one size for all names as its default.
[[nodiscard]] ParameterInfo sizesParameter(std::int64_t otherwise);
/// Reads the values of the parameter `sizes`, "64,n=8"; a name that is not listed has the default size unless the text gives another
/// one. `model` names the model in errors.
[[nodiscard]] Result<AssumedSizes> parseSizes(std::string_view model, const ParameterValues& values,
                                              std::int64_t otherwise);
/// Reads "64,n=8": a number for all names, and numbers for single names. Fails if the text is no such list.
[[nodiscard]] Result<AssumedSizes> readSizes(std::string_view text, std::int64_t otherwise);
/// The value of a size's name for assumed sizes, at least 1. A name may be computed from others, "(N+1)/2".
[[nodiscard]] std::int64_t sizeOf(std::string_view name, const AssumedSizes& sizes);

}  // namespace mitos::cost
