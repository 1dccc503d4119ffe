// SPDX-License-Identifier: GPL-3.0-or-later
// A rewritten subterm before and after as marked text.
#include "views/rewrites/internal/diff_text.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/tensor/text.h"
#include "views/common/format.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace mitos::views {

namespace {

/// Printing two programs with this many nodes in total takes a few milliseconds.
constexpr std::uint64_t MaxMarkedNodes = 1500;
constexpr std::size_t MaxUnmarkedBytes = 4'000;
constexpr std::ptrdiff_t MostNodes = 60;  // most lines of a preview
constexpr ir::PrintOptions Preview{.width = 60, .compact = true};

/// Cuts the subterm out of its printed program, removes its indentation there, and marks each byte by its node.
std::vector<DiffRun> markedRuns(const ir::PrintedText& printed, const ir::Path& position,
                                const std::vector<ir::DiffMark>& marks) {
    const auto first = std::ranges::find(printed.spans, position, &ir::PrintedSpan::path);
    if (first == printed.spans.end()) return {};
    const std::size_t begin = first->begin;
    const std::size_t end = first->end;

    std::vector<ir::DiffMark> byteMarks(end - begin, ir::DiffMark::Kept);
    const auto nodes = std::min<std::size_t>(marks.size(), static_cast<std::size_t>(printed.spans.end() - first));
    for (std::size_t i = 0; i < nodes; ++i) {  // in pre-order, so that a child's mark overrides its parent's
        const ir::PrintedSpan& span = first[static_cast<std::ptrdiff_t>(i)];
        std::fill(byteMarks.begin() + static_cast<std::ptrdiff_t>(span.begin - begin),
                  byteMarks.begin() + static_cast<std::ptrdiff_t>(span.end - begin), marks[i]);
    }

    const std::size_t newline = printed.text.rfind('\n', begin);
    const std::size_t indent = begin - (newline == std::string::npos ? 0 : newline + 1);

    std::vector<DiffRun> runs;
    std::string pending;
    ir::DiffMark pendingMark = ir::DiffMark::Kept;
    const auto flush = [&] {
        if (!pending.empty()) runs.push_back({fromUtf8(pending), pendingMark});
        pending.clear();
    };
    bool atLineStart = false;
    std::size_t column = 0;
    for (std::size_t at = begin; at < end; ++at) {
        const char c = printed.text[at];
        if (atLineStart && c == ' ' && column++ < indent) continue;
        if (c != ' ') atLineStart = false;
        // Line breaks and indentation carry no mark, because a marked margin has no meaning.
        const ir::DiffMark mark = c == '\n' || atLineStart ? ir::DiffMark::Kept : byteMarks[at - begin];
        if (mark != pendingMark) {
            flush();
            pendingMark = mark;
        }
        pending.push_back(c);
        if (c == '\n') {
            atLineStart = true;
            column = 0;
        }
    }
    flush();
    return runs;
}

std::vector<DiffRun> plainRuns(const ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                               ir::TermId term) {
    const ir::PrintOptions options =
        bank.treeSize(term) > MaxMarkedNodes ? ir::PrintOptions{.width = 0, .compact = true} : Preview;
    std::string text = ir::printTermAt(bank, program, position, term, options);
    if (text.size() > MaxUnmarkedBytes) text = text.substr(0, MaxUnmarkedBytes) + " …";
    return {{fromUtf8(text), ir::DiffMark::Kept}};
}

/// The nodes of a graph that the other side does not have, children first; only the root if there are none.
std::vector<DiffRun> nodeRuns(const ir::TermBank& bank, const ir::SharedNodes& nodes, const ir::SharedNodes& others) {
    std::vector<ir::TermId> own;
    // The tuple that joins several roots is not part of the program.
    std::ranges::copy_if(nodes, std::back_inserter(own),
                         [&](ir::TermId node) { return !others.contains(node) && !bank.is(node, ir::CoreOp::Tuple); });
    if (std::ssize(own) > MostNodes) own.erase(own.begin(), own.end() - MostNodes);
    const tensor::PrintedNodes printed = tensor::printNodes(bank, own);
    if (printed.nodes.empty()) return {{fromUtf8(tensor::termText(bank, nodes.root(), 1)), ir::DiffMark::Kept}};
    std::vector<DiffRun> runs;
    for (const tensor::PrintedNode& node : printed.nodes) {
        if (!runs.empty()) runs.push_back({QStringLiteral("\n"), ir::DiffMark::Kept});
        runs.push_back({fromUtf8(printed.text.substr(node.begin, node.end - node.begin)), ir::DiffMark::Changed});
    }
    return runs;
}

}  // namespace

DiffText diffText(const ir::TermBank& bank, const ir::Program& program, const rewrite::Rewrite& rewrite) {
    if (bank.dialect(program.function).sharesNodes()) {
        const ir::SharedNodes before(bank, rewrite.subterm);
        const ir::SharedNodes replaced(bank, rewrite.replacement);
        return {nodeRuns(bank, before, replaced), nodeRuns(bank, replaced, before), true};
    }
    const ir::Program after{program.function, rewrite.result};
    if (bank.treeSize(program.root) + bank.treeSize(after.root) > MaxMarkedNodes) {
        const ir::Path& position = rewrite.step.positions.front();
        return {plainRuns(bank, program, position, rewrite.subterm),
                plainRuns(bank, program, position, rewrite.replacement), false};
    }
    const ir::Diff difference = ir::diff(bank, rewrite.subterm, rewrite.replacement);
    return {markedRuns(ir::printWithSpans(bank, program, Preview), rewrite.step.positions.front(), difference.before),
            markedRuns(ir::printWithSpans(bank, after, Preview), rewrite.step.positions.front(), difference.after),
            true};
}

}  // namespace mitos::views
