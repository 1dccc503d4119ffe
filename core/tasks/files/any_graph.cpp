// SPDX-License-Identifier: GPL-3.0-or-later
// See any_graph.h.
#include "core/tasks/files/any_graph.h"

#include "core/base/number_text.h"
#include "core/tasks/files/cost_graph.h"
#include "core/tasks/files/stg.h"
#include "core/tasks/files/task_graph_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace mitos::tasks {

namespace {

constexpr std::string_view Blanks = " \t\r\n";

/// The text behind blanks and comments.
std::string_view behindComments(std::string_view text) {
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(Blanks), text.size()));
        if (!text.starts_with('#')) return text;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
}

/// Removes the next word from the text.
std::string_view nextWord(std::string_view& text) {
    text = behindComments(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n#"));
    text.remove_prefix(word.size());
    return word;
}

/// "4 0 0 0": the number of tasks, and task 0 with its time and the number of its predecessors.
bool isStgText(std::string_view text) {
    constexpr int Words = 4;
    for (int i = 0; i < Words; ++i) {
        const std::string_view word = nextWord(text);
        if (!numberFrom<std::uint32_t>(word) || (i == 1 && word != "0")) return false;
    }
    return true;
}

bool isCostGraphText(std::string_view text) {
    constexpr std::string_view Node = "node";
    text = behindComments(text);
    if (!text.starts_with(Node)) return false;
    text = behindComments(text.substr(Node.size()));
    if (text.starts_with(':')) text = behindComments(text.substr(1));
    return text.starts_with('{');
}

/// A JSON object whose first member is one of those of a graph.
bool isJsonText(std::string_view text) {
    constexpr std::array<std::string_view, 3> Members{"\"operations\"", "\"tensors\"", "\"control\""};
    const auto skip = [&text](std::size_t count) {
        text.remove_prefix(count);
        text.remove_prefix(std::min(text.find_first_not_of(Blanks), text.size()));
    };
    skip(0);
    if (!text.starts_with('{')) return false;
    skip(1);
    return std::ranges::any_of(Members, [text](std::string_view member) { return text.starts_with(member); });
}

template <Result<TaskGraph> (*read)(const SourceText&)>
Result<NamedGraph> namedByFile(const SourceText& source) {
    MITOS_TRY(TaskGraph graph, read(source));
    std::string name = std::filesystem::path(source.name()).stem().string();
    if (name.empty() || name == "-") name = "graph";
    return NamedGraph{std::move(name), std::move(graph)};
}

struct Form {
    std::string_view ending;
    bool (*recognizes)(std::string_view text);
    Result<NamedGraph> (*read)(const SourceText& source);
};
constexpr std::array<Form, 4> Forms{{{".tasks", isTaskText, readTaskText},
                                     {".stg", isStgText, namedByFile<readStg>},
                                     {".pbtxt", isCostGraphText, namedByFile<readCostGraph>},
                                     {".json", isJsonText, namedByFile<readTaskGraph>}}};

}  // namespace

std::vector<std::string> graphEndings() {
    std::vector<std::string> endings;
    for (const Form& form : Forms) endings.emplace_back(form.ending);
    return endings;
}

bool isGraphText(std::string_view text) {
    return std::ranges::any_of(Forms, [text](const Form& form) { return form.recognizes(text); });
}

Result<NamedGraph> readAnyGraph(const SourceText& source) {
    const auto* form = std::ranges::find_if(Forms, [&](const Form& one) { return one.recognizes(source.text()); });
    if (form == Forms.end()) {
        form = std::ranges::find_if(Forms, [&](const Form& one) { return source.name().ends_with(one.ending); });
    }
    if (form != Forms.end()) return form->read(source);
    return inputError(fmt::format("{} is not a task graph", source.name()),
                      "a task graph begins with `tasks`, or is a Standard Task Graph, a CostGraphDef or JSON");
}

}  // namespace mitos::tasks
