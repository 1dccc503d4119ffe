// SPDX-License-Identifier: GPL-3.0-or-later
// Regions for people: names, interfaces, costs, and why a match is no region.
#pragma once

#include "core/cost/cost_model.h"
#include "core/partition/region_program.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::partition {

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
    std::optional<double> cost;            ///< of its program; nothing if the model does not price it
    std::optional<RegionProgram> program;  ///< nothing if no operator is left
    std::string problem;                   ///< why there is no program or no cost
};

/// The name of a node: that of its value, else its operator's; empty for an invalid id.
[[nodiscard]] std::string nodeName(const ir::TermBank& bank, ir::TermId node);
/// The values of an interface: "x: f32[4,8], s: f32[4,8]"; "none" if there are none.
[[nodiscard]] std::string inWords(const std::vector<RegionValue>& values);
/// The form of a region of a program, priced as a program of its own.
[[nodiscard]] RegionForm formOf(ir::TermBank& bank, const ir::Program& whole, const Region& region,
                                const cost::CostModel& model, const std::stop_token& stop);
/// Why a match is no region, as a sentence without its end: "t leads out of it and back into it".
[[nodiscard]] std::string reasonOf(const ir::TermBank& bank, const RefusedMatch& match);

}  // namespace mitos::partition
