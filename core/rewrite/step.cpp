// SPDX-License-Identifier: GPL-3.0-or-later
// The names and positions of steps as texts.
#include "core/rewrite/step.h"

#include <algorithm>
#include <utility>

namespace mitos::rewrite {

std::string Step::name() const { return isReversed ? "reversed " + rule->name() : rule->name(); }

std::string Step::place() const {
    std::string text;
    for (const ir::Path& position : positions) text += (text.empty() ? "" : ",") + ir::toString(position);
    return text;
}

Status Step::setPlace(std::string_view text) {
    std::vector<ir::Path> all;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        MITOS_TRY(ir::Path path, ir::parsePath(text.substr(begin, end - begin)));
        all.push_back(std::move(path));
        begin = end + 1;
    }
    positions = std::move(all);
    return Success{};
}

}  // namespace mitos::rewrite
