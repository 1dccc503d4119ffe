// SPDX-License-Identifier: GPL-3.0-or-later
// The lines that ask mitos-measure for times (app/measure/README.md describes them).
#pragma once

#include "core/base/result.h"
#include "core/cost/operation.h"

#include <span>
#include <string>
#include <string_view>

namespace mitos::cost {

/// The fields of a line, which tabs separate; at least one.
[[nodiscard]] std::vector<std::string_view> fieldsOf(std::string_view line);

/// The line that asks for an operation, without its end. Attributes have names, so that who answers needs no table of operators.
[[nodiscard]] std::string requestLine(const Operation& operation);
/// The inverse of requestLine(). Fails as operationFrom() does, and if the line has another form.
[[nodiscard]] Result<Operation> requestedOperation(std::string_view line);

/// Requests for operations in their order, with the settings that are wished, "device=cuda" and "threads=4". The first line states
/// how many there are, so that a text that was cut off is noticed.
[[nodiscard]] std::string requestsText(std::span<const std::string> settings, std::span<const Operation> operations);

}  // namespace mitos::cost
