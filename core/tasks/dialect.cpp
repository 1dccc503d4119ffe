// SPDX-License-Identifier: GPL-3.0-or-later
// See dialect.h.
#include "core/tasks/dialect.h"

#include "core/ir/draw.h"
#include "core/ir/shared.h"
#include "core/tasks/files/any_graph.h"
#include "core/tasks/program.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

namespace mitos::tasks {

namespace {

using ir::TermBank;
using ir::TermId;

/// A file has one graph.
Result<ir::ParsedText> parse(TermBank& bank, const SourceText& source, std::string_view /*function*/) {
    MITOS_TRY(const NamedGraph read, readAnyGraph(source));
    MITOS_TRY(const ir::Program program, programOf(bank, read.graph, read.name));
    return ir::ParsedText{program};
}

/// A program that is no task graph, which no function here makes, is shown as a comment.
ir::PrintedText printed(const TermBank& bank, const ir::Program& program, const ir::PrintOptions& /*options*/) {
    ir::PrintedText out;
    const Result<ProgramTasks> tasks = tasksOf(bank, program.root);
    if (!tasks) {
        out.text = fmt::format("# {}\n", tasks.error().message);
        out.places.add({});
        out.spans.push_back({0, out.text.size()});
        return out;
    }
    PrintedGraph text = printGraph(tasks->graph, bank.function(program.function).name);
    absl::flat_hash_map<TermId, PrintedGraph::Run> runs;
    for (std::size_t i = 0; i < tasks->terms.size(); ++i) runs.emplace(tasks->terms[i], text.operations[i]);
    for (std::size_t i = 0; i < tasks->tensors.size(); ++i) runs.emplace(tasks->tensors[i], text.tensors[i]);
    ir::forEachShared(bank, program.root, [&](const ir::Path& path, TermId term) {
        const auto found = runs.find(term);
        const PrintedGraph::Run run = found == runs.end() ? text.header : found->second;
        out.places.add(path);
        out.spans.push_back({run.begin, run.end});
        return true;
    });
    out.text = std::move(text.text);
    return out;
}

std::string print(const TermBank& bank, const ir::Program& program, const ir::PrintOptions& options) {
    return printed(bank, program, options).text;
}

std::optional<std::string> label(const TermBank& bank, TermId term, const std::vector<TermId>& /*above*/) {
    if (bank.registry().info(bank.op(term)).dialect != DialectName) return std::nullopt;
    if (bank.opName(term) == FinishName) return "end";
    const std::optional<TaskLabel> own = labelOf(bank, bank.payload(term));
    return own ? own->name : std::string(TaskName);
}

/// "b(a, c[0]) takes 3": a node with the names of its children.
std::string nodeText(const TermBank& bank, TermId term) {
    constexpr std::size_t MostChildren = 8;
    const auto name = [&bank](TermId node) {
        if (!bank.is(node, ir::CoreOp::Get)) return ir::labelOf(bank, node);
        return fmt::format("{}[{}]", ir::labelOf(bank, bank.child(node, 0)), bank.payload(node).projectionIndex());
    };
    std::string text = name(term);
    if (bank.is(term, ir::CoreOp::Get)) return text;
    text += '(';
    for (std::size_t i = 0; i < bank.childCount(term); ++i) {
        if (i > 0) text += ", ";
        if (i == MostChildren) {
            text += "…";
            break;
        }
        text += name(bank.child(term, i));
    }
    text += ')';
    const std::optional<TaskLabel> own = labelOf(bank, bank.payload(term));
    return own ? fmt::format("{} takes {}", text, own->duration) : text;
}

std::string termText(const TermBank& bank, TermId term, const ir::PrintOptions& /*options*/) {
    return nodeText(bank, term);
}

ir::TermPrinter printerAt(const TermBank& bank, const ir::Program& /*program*/, const ir::Path& /*position*/) {
    return [&bank](TermId term, const ir::PrintOptions& /*options*/) { return nodeText(bank, term); };
}

}  // namespace

ir::Dialect dialect() {
    return {.name = std::string(DialectName),
            .sharing = ir::Sharing::Graph,
            .addOperators = addOperators,
            .recognizes = isGraphText,
            .fileEndings = graphEndings(),
            .parse = parse,
            .print = print,
            .printWithSpans = printed,
            .printTerm = termText,
            .printerAt = printerAt,
            .printsWholeTerms = false,
            .nodeLabel = label,
            .defaultCost = "task-time",
            .defaultStrategy = "greedy",
            .capabilities = {ir::Capability::Schedule, ir::Capability::Divide}};
}

}  // namespace mitos::tasks
