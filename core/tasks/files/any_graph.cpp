// SPDX-License-Identifier: GPL-3.0-or-later
// See any_graph.h.
#include "core/tasks/files/any_graph.h"

#include "core/tasks/files/cost_graph.h"
#include "core/tasks/files/stg.h"
#include "core/tasks/files/task_graph_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::tasks {

namespace {

struct Form {
    std::string_view ending;
    Result<TaskGraph> (*read)(const SourceText& source);
};
constexpr std::array<Form, 3> Forms{{{".stg", readStg}, {".pbtxt", readCostGraph}, {".json", readTaskGraph}}};

const Form* formOf(std::string_view path) {
    const auto* const found =
        std::ranges::find_if(Forms, [path](const Form& form) { return path.ends_with(form.ending); });
    return found == Forms.end() ? nullptr : found;
}

}  // namespace

bool isGraphName(std::string_view path) { return formOf(path) != nullptr; }

Result<TaskGraph> readAnyGraph(const SourceText& source) {
    if (const Form* const form = formOf(source.name())) return form->read(source);
    return inputError(fmt::format("{} is not the name of a task graph", source.name()),
                      "Standard Task Graphs end in .stg, CostGraphDefs in .pbtxt, others in .json");
}

}  // namespace mitos::tasks
