// SPDX-License-Identifier: GPL-3.0-or-later
// The file of a record: a JSON object with its digest, a hash over the record and the settings that the runs of its folder share. The hash
// has no secret: it shows edits, damage and records of other experiments, but does not protect against deliberate forgery.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace mitos::search::experiments {

/// The text of the file. Requires that the record is a JSON object.
[[nodiscard]] std::string sealRecord(const std::string& record, std::string_view settings);
/// The record in the text. Fails if the text is none, or if its digest does not fit the record and the settings.
[[nodiscard]] Result<std::string> openRecord(const std::string& text, std::string_view settings);

/// The error of a text that is not a record.
[[nodiscard]] Error noRecord(std::string_view reason);

}  // namespace mitos::search::experiments
