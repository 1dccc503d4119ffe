// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of a program on the command line: names, interfaces, costs; as text and as JSON.
#pragma once

#include "app/cli/context.h"
#include "core/partition/region_program.h"

#include <optional>
#include <string>
#include <vector>

namespace mitos::cli {

/// A value that a region takes or gives.
struct RegionValue {
    std::string name;
    std::string type;
};

/// A form of a region: before or after a search.
struct RegionForm {
    std::size_t nodes = 0;  ///< operators
    std::vector<RegionValue> inputs;
    std::vector<RegionValue> outputs;
    std::optional<double> cost;                       ///< of its program; nothing if the model does not price it
    std::optional<partition::RegionProgram> program;  ///< nothing if no operator is left
    std::string problem;                              ///< why there is no program or no cost
};

struct RegionRow {
    std::size_t number = 0;              ///< from 1
    std::string root;                    ///< name of the node where the pattern matches
    std::string position;                ///< of that node
    std::vector<std::string> operators;  ///< names of its operators before
    RegionForm before;
    std::optional<RegionForm> after;  ///< if a strategy was run
    std::size_t steps = 0;            ///< of the thread that were taken within it
};

/// The name of a node: that of its value, else its operator's.
[[nodiscard]] std::string nodeName(const ir::TermBank& bank, ir::TermId node);
/// The form of a region of a program, priced as a program of its own.
[[nodiscard]] RegionForm formOf(ir::TermBank& bank, const ir::Program& whole, const partition::Region& region,
                                const cost::CostModel& model, const std::stop_token& stop);

void printRegion(const RegionRow& row);
[[nodiscard]] Json regionJson(const RegionRow& row);
/// Prints each refused match and its law, and the roots that were not finished, but no more than a dozen of each.
void printRefused(const ir::TermBank& bank, const partition::Partition& parts);
[[nodiscard]] Json refusedJson(const ir::TermBank& bank, const partition::Partition& parts);

}  // namespace mitos::cli
