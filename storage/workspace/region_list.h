// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of a program as JSON: the file regions.json beside the files of regions, and the output of `mitos-cli partition --json`.
#pragma once

#include "core/partition/region_form.h"
#include "core/partition/region_groups.h"
#include "storage/workspace/region_files.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::storage {

/// A region as it is listed.
struct ListedRegion {
    std::size_t number = 0;              ///< from 1
    std::size_t form = 0;                ///< number of its form (partition::groupsOf), from 1
    std::string root;                    ///< name of the node where the pattern matches
    std::string position;                ///< of that node
    std::vector<std::string> operators;  ///< names of its operators before
    partition::RegionForm before;
    std::optional<partition::RegionForm> after;  ///< if a strategy was run
    std::size_t steps = 0;                       ///< of the thread that were taken within it
};

/// The regions of a program, in their order. A stop leaves costs out.
[[nodiscard]] std::vector<ListedRegion> listedRegions(ir::TermBank& bank, const ir::Program& whole,
                                                      const std::vector<partition::Region>& regions,
                                                      const cost::CostModel& model, const std::stop_token& stop);

struct RegionList {
    std::string pattern;   ///< as it was loaded: "Epilog(a, b)"
    std::string patterns;  ///< the set or file that defines it
    std::string costModel;
    std::optional<double> cost;  ///< of the whole program
    std::vector<ListedRegion> regions;
    std::vector<partition::RefusedMatch> refused;
    std::size_t unfinished = 0;  ///< roots at which not all matches were looked at
    bool isStopped = false;
};

[[nodiscard]] nlohmann::ordered_json toJson(const ir::TermBank& bank, const RegionList& list);
[[nodiscard]] nlohmann::ordered_json toJson(const std::vector<RegionFile>& files);

/// Writes DIR/regions.json, after the regions. The one of an earlier export is removed before any region is written, so that all files exist that a
/// list names.
[[nodiscard]] Status writeRegionList(const std::string& folder, const nlohmann::ordered_json& list);
[[nodiscard]] Status writeRegionList(const std::string& folder, const ir::TermBank& bank, const RegionList& list,
                                     const std::vector<RegionFile>& files);
void removeRegionList(const std::string& folder);

}  // namespace mitos::storage
