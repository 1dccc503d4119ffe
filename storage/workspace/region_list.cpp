// SPDX-License-Identifier: GPL-3.0-or-later
// See region_list.h.
#include "storage/workspace/region_list.h"

#include "core/base/write_file.h"
#include "core/ir/shared.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace mitos::storage {

namespace {

using Json = nlohmann::ordered_json;

Json valuesJson(const std::vector<partition::RegionValue>& values) {
    Json list = Json::array();
    for (const partition::RegionValue& value : values) list.push_back({{"name", value.name}, {"type", value.type}});
    return list;
}

Json costJson(const std::optional<double>& cost) { return cost ? Json(*cost) : Json(nullptr); }

Json formJson(const partition::RegionForm& form) {
    Json json{{"nodes", form.nodes},
              {"inputs", valuesJson(form.inputs)},
              {"outputs", valuesJson(form.outputs)},
              {"cost", costJson(form.cost)}};
    if (!form.problem.empty()) json["problem"] = form.problem;
    return json;
}

Json regionJson(const ListedRegion& region) {
    Json json{{"number", region.number},
              {"form", region.form},
              {"root", region.root},
              {"position", region.position},
              {"operators", region.operators}};
    json.update(formJson(region.before));
    json["after"] = region.after ? formJson(*region.after) : Json(nullptr);
    if (region.after) json["steps"] = region.steps;
    return json;
}

std::string regionListPath(const std::string& folder) {
    return (std::filesystem::path(folder) / "regions.json").string();
}

Json refusedJson(const ir::TermBank& bank, const std::vector<partition::RefusedMatch>& refused) {
    Json list = Json::array();
    for (const partition::RefusedMatch& match : refused) {
        list.push_back({{"root", partition::nodeName(bank, match.root)},
                        {"nodes", match.nodes},
                        {"law", partition::inWords(match.law)},
                        {"reason", partition::reasonOf(bank, match)},
                        {"region", match.region ? Json(*match.region + 1) : Json(nullptr)},
                        {"instead", match.instead ? Json(*match.instead + 1) : Json(nullptr)}});
    }
    return list;
}

}  // namespace

std::vector<ListedRegion> listedRegions(ir::TermBank& bank, const ir::Program& whole,
                                        const std::vector<partition::Region>& regions, const cost::CostModel& model,
                                        const std::stop_token& stop) {
    std::vector<ListedRegion> listed;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const partition::Region& region = regions[i];
        ListedRegion& one = listed.emplace_back();
        one.number = i + 1;
        one.root = partition::nodeName(bank, region.root);
        if (const auto path = ir::firstPath(bank, whole.root, region.root)) one.position = ir::toString(*path);
        for (const ir::TermId node : region.nodes) one.operators.push_back(partition::nodeName(bank, node));
        one.before = partition::formOf(bank, whole, region, model, stop);
    }
    const std::vector<partition::RegionGroup> forms = partition::groupsOf(bank, regions);
    for (std::size_t form = 0; form < forms.size(); ++form) {
        for (const std::size_t region : forms[form].regions) listed[region].form = form + 1;
    }
    return listed;
}

Json toJson(const ir::TermBank& bank, const RegionList& list) {
    Json regions = Json::array();
    for (const ListedRegion& region : list.regions) regions.push_back(regionJson(region));
    return {{"pattern", list.pattern},       {"patterns", list.patterns}, {"cost_model", list.costModel},
            {"cost", costJson(list.cost)},   {"regions", regions},        {"refused", refusedJson(bank, list.refused)},
            {"unfinished", list.unfinished}, {"stopped", list.isStopped}};
}

Json toJson(const std::vector<RegionFile>& files) {
    Json list = Json::array();
    for (const RegionFile& file : files) {
        list.push_back({{"region", file.number},
                        {"file", file.path.empty() ? Json(nullptr) : Json(file.path)},
                        {"error", file.error ? Json(file.error->message) : Json(nullptr)},
                        {"findings", file.findings}});
    }
    return list;
}

Status writeRegionList(const std::string& folder, const Json& list) {
    return writeFile(regionListPath(folder), list.dump(2) + "\n");
}

Status writeRegionList(const std::string& folder, const ir::TermBank& bank, const RegionList& list,
                       const std::vector<RegionFile>& files) {
    Json json = toJson(bank, list);
    json["files"] = toJson(files);
    return writeRegionList(folder, json);
}

void removeRegionList(const std::string& folder) {
    std::error_code failure;  // what cannot be removed cannot be replaced either, which is reported then
    std::filesystem::remove(regionListPath(folder), failure);
}

}  // namespace mitos::storage
