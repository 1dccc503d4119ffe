// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a line of code, for colouring.
#pragma once

#include "views/program/code_view.h"

#include <QStringView>
#include <utility>

namespace mitos::views {

enum class Token { Plain, Keyword, Literal, Type, Comment, Bracket };

/// The length, at least 1, of the token that begins at `at`, which is within the line, and its kind.
[[nodiscard]] std::pair<qsizetype, Token> nextToken(CodeLanguage language, QStringView line, qsizetype at);

}  // namespace mitos::views
