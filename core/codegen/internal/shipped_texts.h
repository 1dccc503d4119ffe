// SPDX-License-Identifier: GPL-3.0-or-later
// The C++ texts of resources/cpp, which are built in. Private to core/codegen.
#pragma once

#include <string_view>

namespace mitos::codegen {

/// The text of resources/cpp/NAME.txt: "helpers", or "driver", which reads inputs, writes results and measures; the namespaces input and
/// output and the type Arguments precede it, and INPUT and OUTPUT stand for the two functions.
[[nodiscard]] std::string_view shippedText(std::string_view name);

}  // namespace mitos::codegen
