// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/batches.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <utility>

namespace mitos::timing {

namespace {

/// Takes what stands before the mark, and the mark, from the front of the text; all of it if there is no mark.
std::string_view take(std::string_view& text, char mark) {
    const std::size_t end = std::min(text.find(mark), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

template <typename Number>
std::optional<Number> numberIn(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<Batches> batchesIn(std::string_view line) {
    if (take(line, '\t') != "times") return std::nullopt;
    Batches batches{.label = std::string(take(line, '\t')), .seconds = {}};
    const std::optional<std::uint32_t> calls = numberIn<std::uint32_t>(take(line, '\t'));
    if (!calls || *calls == 0) return std::nullopt;
    batches.calls = *calls;
    while (!line.empty()) {
        const std::optional<double> seconds = numberIn<double>(take(line, ' '));
        if (!seconds || !std::isfinite(*seconds) || *seconds < 0.0) return std::nullopt;
        batches.seconds.push_back(*seconds);
    }
    return batches.seconds.empty() ? std::nullopt : std::optional(std::move(batches));
}

std::vector<Batches> allBatchesIn(std::string_view output) {
    std::vector<Batches> all;
    while (!output.empty()) {
        if (std::optional<Batches> batches = batchesIn(take(output, '\n'))) all.push_back(*std::move(batches));
    }
    return all;
}

}  // namespace mitos::timing
