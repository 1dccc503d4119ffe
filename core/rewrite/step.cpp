// SPDX-License-Identifier: GPL-3.0-or-later
// The names and positions of steps as texts.
#include "core/rewrite/step.h"

#include <algorithm>

namespace mitos::rewrite {

std::string Step::name() const { return isReversed ? "reversed " + rule->name() : rule->name(); }

std::vector<ir::Path> Step::positions() const {
    std::vector<ir::Path> all{position};
    all.insert(all.end(), furtherPositions.begin(), furtherPositions.end());
    return all;
}

std::string Step::place() const {
    std::string text = ir::toString(position);
    for (const ir::Path& further : furtherPositions) text += "," + ir::toString(further);
    return text;
}

Status Step::setPlace(std::string_view text) {
    std::vector<ir::Path> all;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        Result<ir::Path> path = ir::parsePath(text.substr(begin, end - begin));
        if (!path) return std::move(path).error();
        all.push_back(*std::move(path));
        begin = end + 1;
    }
    position = all.front();
    furtherPositions.assign(all.begin() + 1, all.end());
    return Success{};
}

}  // namespace mitos::rewrite
