// SPDX-License-Identifier: GPL-3.0-or-later
// A page of its own around HTML content.
#pragma once

#include <span>
#include <string>
#include <utility>

namespace mitos::search::report {

/// A whole page in the style of the reports, light or dark as the reader's system. It needs nothing else: no network, no file; its policy
/// permits only its own script and style. It is well-formed XML if the content is. The title is plain text.
[[nodiscard]] std::string page(const std::string& title, const std::string& content);

/// A list of names and values, both plain text.
[[nodiscard]] std::string factList(std::span<const std::pair<std::string, std::string>> facts);

}  // namespace mitos::search::report
