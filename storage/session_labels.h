// SPDX-License-Identifier: GPL-3.0-or-later
// The user's labels of a session as a whole.
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace mitos::storage {

/// Key of Session::setValue(): the labels, as a JSON object.
inline constexpr const char* LabelsKey = "labels";

struct SessionLabels {
    std::string name;  ///< in place of the program's; may be empty
    std::string note;  ///< of several lines; may be empty
    std::vector<std::string> tags;

    friend bool operator==(const SessionLabels&, const SessionLabels&) = default;
};

[[nodiscard]] std::string toJson(const SessionLabels& labels);
/// Fields that cannot be read stay empty, since a session without them is still valid.
[[nodiscard]] SessionLabels labelsFromJson(const std::string& json);
/// Stores the labels in a session file. Fails as Session does, and with Io if there is no such file.
[[nodiscard]] Status storeLabels(const std::string& path, const SessionLabels& labels);

}  // namespace mitos::storage
