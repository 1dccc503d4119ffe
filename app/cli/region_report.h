// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of a program on the command line: names, interfaces, costs; as text and as JSON.
#pragma once

#include "app/cli/context.h"
#include "core/partition/region_form.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::cli {

struct RegionRow {
    std::size_t number = 0;              ///< from 1
    std::string root;                    ///< name of the node where the pattern matches
    std::string position;                ///< of that node
    std::vector<std::string> operators;  ///< names of its operators before
    partition::RegionForm before;
    std::optional<partition::RegionForm> after;  ///< if a strategy was run
    std::size_t steps = 0;                       ///< of the thread that were taken within it
};

void printRegion(const RegionRow& row);
[[nodiscard]] Json regionJson(const RegionRow& row);
/// Prints each refused match and its law, and the roots that were not finished, but no more than a dozen of each.
void printRefused(const ir::TermBank& bank, const partition::Partition& parts);
[[nodiscard]] Json refusedJson(const ir::TermBank& bank, const partition::Partition& parts);

}  // namespace mitos::cli
