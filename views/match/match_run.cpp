// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/match_run.h"

#include "core/ir/binding.h"
#include "core/ir/dialect.h"
#include "core/ir/reading_form.h"
#include "core/ir/shared.h"
#include "core/tensor/text.h"
#include "views/common/format.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int SubjectColumns = 48;
constexpr std::size_t LongestSubject = 8'000;  // bytes; the pane shows a few lines, but lays out all of its text
constexpr std::uint64_t LargestPrinted = 150;  // nodes of a term in a cell; each repaint lays out all of its text
constexpr ir::PrintOptions OneLine{.width = 0, .compact = true};

/// For graphs: the depth below the subject to which patterns are followed in the text, and the maximum number of paths.
constexpr std::size_t ShownLevels = 5;
constexpr std::size_t MostPaths = 200;

/// Whether a listing has a line for each node.
bool isListed(const ProgramCopy& own) { return own.bank->dialect(own.program.function).sharesNodes(); }

rules::TermPrinter printer(const ProgramCopy& own, const ir::Path& position) {
    const ir::TermBank& bank = *own.bank;
    if (isListed(own)) return [&bank](ir::TermId term) { return tensor::termText(bank, term, 2); };
    return [&bank, print = bank.dialect(own.program.function).printerAt(bank, own.program, position)](ir::TermId term) {
        if (bank.treeSize(term) > LargestPrinted) return "(" + std::string(bank.opName(term)) + " …)";
        return print(term, OneLine);
    };
}

/// Removes the indentation that the lines have in the whole program.
void moveLeft(ir::PrintedText& subject, std::size_t columns) {
    std::string text;
    std::vector<std::size_t> places;  // new offset of each old one
    bool lineBegins = false;
    std::size_t skipped = 0;
    for (const char c : subject.text) {
        places.push_back(text.size());
        if (lineBegins && c == ' ' && skipped < columns) {
            ++skipped;
            continue;
        }
        lineBegins = c == '\n';
        skipped = 0;
        text += c;
    }
    places.push_back(text.size());
    subject.text = std::move(text);
    for (ir::PrintedSpan& span : subject.spans) {
        span.begin = places[span.begin];
        span.end = places[span.end];
    }
}

/// The subject and the nodes near it, one line per node, the subject last.
ir::PrintedText printNodes(const ir::TermBank& bank, ir::TermId subject) {
    std::vector<std::pair<ir::Path, ir::TermId>> reached{{ir::Path(), subject}};
    absl::flat_hash_set<ir::TermId> shown{subject};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const auto [path, term] = reached[i];
        if (path.size() == ShownLevels) continue;
        for (std::size_t child = 0; child < bank.childCount(term) && reached.size() < MostPaths; ++child) {
            ir::Path below = path;
            below.push_back(static_cast<std::uint32_t>(child));
            shown.insert(bank.child(term, child));
            reached.emplace_back(std::move(below), bank.child(term, child));
        }
    }
    std::vector<ir::TermId> nodes;
    std::ranges::copy_if(ir::SharedNodes(bank, subject), std::back_inserter(nodes),
                         [&](ir::TermId node) { return shown.contains(node); });
    const tensor::PrintedNodes printed = tensor::printNodes(bank, nodes);
    std::ranges::sort(reached, {}, &std::pair<ir::Path, ir::TermId>::first);
    ir::PrintedText result;
    result.text = printed.text;
    for (const auto& [path, term] : reached) {
        const auto line = std::ranges::find(printed.nodes, term, &tensor::PrintedNode::node);
        result.places.add(path);
        result.spans.push_back(line == printed.nodes.end() ? ir::PrintedSpan()
                                                           : ir::PrintedSpan{line->begin, line->end});
    }
    return result;
}

ir::PrintedText printSubject(const ProgramCopy& own, const ir::Path& position) {
    if (isListed(own)) return printNodes(*own.bank, *ir::subterm(*own.bank, own.program.root, position));
    ir::PrintOptions options;
    options.width = SubjectColumns;
    const ir::PrintedText printed = ir::printWithSpans(*own.bank, own.program, options);
    ir::PrintedText subject;
    const auto place = printed.places.find(position);
    if (!place) return subject;
    const auto [begin, end] = printed.spans[*place];
    subject.text = printed.text.substr(begin, end - begin);
    for (ir::NodePlaces::Index part = *place; part < printed.places.end(*place); ++part) {
        const bool isRoot = part == *place;
        subject.places.add(isRoot ? 0 : printed.places.parent(part) - *place, isRoot ? 0 : printed.places.row(part));
        subject.spans.push_back({printed.spans[part].begin - begin, printed.spans[part].end - begin});
    }
    const std::size_t lineBegin = begin == 0 ? std::string::npos : printed.text.rfind('\n', begin - 1);
    moveLeft(subject, lineBegin == std::string::npos ? begin : begin - lineBegin - 1);
    if (subject.text.size() > LongestSubject) {
        const std::size_t lineEnd = subject.text.rfind('\n', LongestSubject);
        subject.text.resize(lineEnd != std::string::npos ? lineEnd : LongestSubject);
        for (ir::PrintedSpan& span : subject.spans) {
            if (span.end > subject.text.size()) span = {};
        }
        subject.text += "\n…";
    }
    return subject;
}

}  // namespace

MatchRanking rankRules(const Snapshot& snapshot, const ir::Path& position, const DirectedRules& rules,
                       const std::stop_token& stop) {
    MatchRanking ranking;
    const ProgramCopy own = snapshot.copy();
    const std::optional<ir::TermId> subject = ir::subterm(*own.bank, own.program.root, position);
    if (!subject) return ranking;
    ranking.subject = printSubject(own, position);
    const rules::TermPrinter print = printer(own, position);
    const ir::ReadingForm reading(*own.bank, own.program, position);
    const rules::TraceOptions options{.maxStates = 0, .atPlace = [&reading](const ir::Path& path, ir::TermId term) {
                                          return reading.at(path, term);
                                      }};
    for (const auto& rule : rules) {
        if (stop.stop_requested()) return ranking;
        if (rule->roots().size() > 1) continue;  // it matches several nodes together, not one
        const rules::MatchTrace trace = rules::traceMatch(*own.bank, *subject, *rule, options, print);
        RuleVerdict verdict{.rule = rule, .matches = trace.matched(), .progress = 0, .reason = {}};
        if (trace.furthest) {
            verdict.progress = trace.furthest->progress;
            verdict.reason = fromUtf8(trace.furthest->text).remove(QLatin1Char('`'));
        }
        ranking.verdicts.push_back(std::move(verdict));
    }
    std::ranges::stable_sort(ranking.verdicts, [](const RuleVerdict& a, const RuleVerdict& b) {
        return std::pair(!a.matches, b.progress) < std::pair(!b.matches, a.progress);
    });
    return ranking;
}

rules::ExplainedMatch explainRule(const Snapshot& snapshot, const ir::Path& position, const rules::DirectedRule& rule) {
    const ProgramCopy own = snapshot.copy();
    if (!ir::subterm(*own.bank, own.program.root, position)) return {};
    return rules::explainMatch(*own.bank, own.program, position, rule, {.allMatches = true}, printer(own, position));
}

}  // namespace mitos::views
