// SPDX-License-Identifier: GPL-3.0-or-later
// Writes threads as text, see thread_format.h.
#include "core/ir/dialect.h"
#include "core/rewrite/internal/thread_format.h"
#include "core/rewrite/substitution_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace mitos::rewrite {

using ir::TermId;

namespace {

std::string commented(const std::string& text, std::string_view first, std::string_view next) {
    std::string result;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        result += fmt::format("{}{}\n", begin == 0 ? first : next, std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
    }
    return result;
}

/// The files or shipped sets that the rules of the thread come from, in the order of use.
std::vector<std::string> ruleSetsOf(const Thread& thread) {
    std::vector<std::string> names;
    for (const Step& step : thread.steps) {
        const std::string& file = step.rule->rule().place.file;
        if (!file.empty() && std::ranges::find(names, file) == names.end()) names.push_back(file);
    }
    return names;
}

std::string stateText(const ir::TermBank& bank, TermId root, const std::vector<double>& costs, std::size_t index) {
    const std::string cost = index < costs.size() ? fmt::format("  cost {:.12g}", costs[index]) : "";
    return fmt::format("{}  state {:016x}", cost, bank.hash(root));
}

std::string programBlock(const ir::TermBank& bank, const ir::Program& program, const ir::PrintOptions& options) {
    std::string text = ir::printProgram(bank, program, options);
    while (text.ends_with('\n')) text.pop_back();
    return fmt::format("{}\n{}\n{}\n", ProgramBegin, text, ProgramEnd);
}

/// The program with a let at the step's position that binds the values; a graph, which has no lets, gets them as further outputs.
TermId withGiven(ir::TermBank& bank, const ir::Program& program, const Step& step, std::vector<TermId> values) {
    const TermId root = program.root;
    if (values.empty()) return root;
    if (bank.function(program.function).sharing == ir::Sharing::Graph) {
        values.insert(values.begin(), root);
        return bank.tuple(values);
    }
    const TermId value = values.size() == 1 ? values.front() : bank.tuple(values);
    const std::optional<TermId> subterm = ir::subterm(bank, root, step.positions.front());
    if (!subterm) return root;
    const TermId given = bank.let(bank.symbols().intern(GivenStep), value, ir::shifted(bank, *subterm, 1));
    return bank.replaceAt(root, step.positions.front(), given);
}

}  // namespace

std::string withRemark(std::string thread, const std::string& remark) {
    if (!remark.empty()) thread.insert(thread.find('\n') + 1, commented(remark, "; ", "; "));
    return thread;
}

std::string writeThread(ir::TermBank& bank, const Thread& thread, const std::vector<double>& costs,
                        std::string_view model, const std::string& remark) {
    const bool hasRegions = std::ranges::any_of(thread.steps, [](const Step& step) { return step.region != nullptr; });
    std::string text = fmt::format("{} {}\n", ThreadSignature, hasRegions ? ThreadVersion : VersionWithoutRegions);
    for (const std::string& set : ruleSetsOf(thread)) text += fmt::format("rules {}\n", set);
    if (!model.empty()) text += fmt::format("costs {}\n", model);
    text += fmt::format("steps {}\n", thread.steps.size());
    text += fmt::format("start{}\n", stateText(bank, thread.start.root, costs, 0));
    // The parameters of a bare expression are the variables it names, in the order of their first appearance. So a program is written
    // as one only if values need no others, and if it is the one that the function began with.
    std::string steps;
    bool isHeaded = bank.function(thread.start.function).body != thread.start.root;
    TermId current = thread.start.root;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const Step& step = thread.steps[i];
        const TermId next = thread.states[i];
        SubstitutionText stated = substitutionText(bank, step, current);
        // What a reversed step brings in stands in the program after it.
        const bool isAfter = step.isReversed && !stated.given.empty();
        const TermId shown = isAfter ? next : current;
        if (isAfter) stated = substitutionText(bank, step, next);
        const bool hasProgram = isAfter || !stated.given.empty();
        if (step.region != nullptr) steps += fmt::format("{}{}\n", RegionOfStep, toString(*step.region));
        steps +=
            fmt::format("{}. {}{} at {}{}{}{}\n", i + 1, step.isReversed ? fmt::format("{} ", ReversedStep) : "",
                        step.rule->name(), step.place(), stated.text.empty() ? "" : fmt::format(" {} ", StatedValues),
                        stated.text, stateText(bank, next, costs, i + 1));
        if (hasProgram) {
            const ir::Program program{thread.start.function, shown};
            steps +=
                programBlock(bank, {program.function, withGiven(bank, program, step, stated.given)}, {.headed = true});
        }
        isHeaded = isHeaded || hasProgram;
        for (const ir::Path& position : step.positions) {
            const std::optional<TermId> before = ir::subterm(bank, current, position);
            const std::optional<TermId> after = ir::subterm(bank, next, position);
            if (!before || !after) continue;
            const ir::PrintOptions options{.width = 100, .compact = true};
            const ir::Program program{thread.start.function, current};
            const auto printed = [&](TermId term) { return ir::printTermAt(bank, program, position, term, options); };
            steps += commented(printed(*before), ";      ", ";      ");
            steps += commented(printed(*after), ";   => ", ";      ");
        }
        current = next;
    }
    text += programBlock(bank, thread.start, {.headed = isHeaded});
    return withRemark(text + steps + std::string(ThreadEnd) + "\n", remark);
}

}  // namespace mitos::rewrite
