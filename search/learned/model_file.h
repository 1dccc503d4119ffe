// SPDX-License-Identifier: GPL-3.0-or-later
// Files of trained models: numbers, and a description that says what they are for.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::learned {

/// Numbers by their name, such as "parameters".
struct NamedNumbers {
    std::string name;
    std::vector<float> values;

    friend bool operator==(const NamedNumbers&, const NamedNumbers&) = default;
};

/// The contents of a file: a line "mitos-model 1", a line of JSON with the fields below, then the numbers as 32-bit floats of IEEE 754, the
/// lowest byte first.
struct ModelFile {
    static constexpr int CurrentVersion = 1;

    std::string kind;         ///< "policy", or "training" for a state that training goes on from
    std::string description;  ///< a JSON object; what it has depends on the kind
    std::vector<NamedNumbers> parts = {};

    /// Null if there is none of that name.
    [[nodiscard]] const std::vector<float>* find(std::string_view part) const;
    friend bool operator==(const ModelFile&, const ModelFile&) = default;
};

[[nodiscard]] std::string toBytes(const ModelFile& file);
/// Reads what toBytes() wrote; `name` is that of the file, for errors. Fails with Parse for other files and for those that were cut off or changed,
/// and with Incompatible for those of a newer version.
[[nodiscard]] Result<ModelFile> readModel(std::string_view name, std::string_view bytes);

/// Writes the file completely or not at all.
[[nodiscard]] Status saveModel(const std::string& path, const ModelFile& file);
/// Fails as readModel() does, and if the file is missing or larger than 1 GiB.
[[nodiscard]] Result<ModelFile> loadModel(const std::string& path);

}  // namespace mitos::search::learned
