// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of a program on the command line: names, interfaces, costs.
#pragma once

#include "storage/workspace/region_list.h"

namespace mitos::cli {

void printRegion(const storage::ListedRegion& region);
/// Prints each refused match and its law, and the roots that were not finished, but no more than a dozen of each.
void printRefused(const ir::TermBank& bank, const partition::Partition& parts);

}  // namespace mitos::cli
