// SPDX-License-Identifier: GPL-3.0-or-later
// Reads requests, and has them answered by a process that may crash or hang: the others are answered all the same.
#pragma once

#include "app/measure/settings.h"

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

namespace mitos::measure {

/// Why requests cannot be read, for the user.
class BadRequests : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Reads requests (README.md) to their end. Their first line may state settings, which are set. Throws BadRequests if that line is of
/// another version, or if there are fewer requests than it states.
[[nodiscard]] std::vector<std::string> readRequests(std::istream& input, Settings& settings);

/// Answers requests on standard output by processes that it starts, one at a time. Returns the exit status: that of the first process if
/// it cannot begin, whose reason is on standard error.
[[nodiscard]] int supervise(const Settings& settings, const std::vector<std::string>& requests);

}  // namespace mitos::measure
