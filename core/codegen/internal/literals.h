// SPDX-License-Identifier: GPL-3.0-or-later
// C++ comments and literals. Private to core/codegen.
#pragma once

#include <string>
#include <string_view>

namespace mitos::codegen {

/// Puts `// ` before each line; the text cannot end or continue the comment.
[[nodiscard]] std::string asComment(std::string_view text);

/// A C++ string literal of the bytes.
[[nodiscard]] std::string stringLiteral(std::string_view text);
/// A Float literal that reads back exactly.
[[nodiscard]] std::string floatLiteral(double value);

}  // namespace mitos::codegen
