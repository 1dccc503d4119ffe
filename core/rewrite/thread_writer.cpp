// SPDX-License-Identifier: GPL-3.0-or-later
// Writes threads as text, see thread_format.h.
#include "core/ir/attributes.h"
#include "core/ir/dialect.h"
#include "core/rewrite/internal/thread_format.h"
#include "core/rewrite/match_number.h"

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
        if (!file.empty() && std::find(names.begin(), names.end(), file) == names.end()) names.push_back(file);
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

/// The data by which a reader finds a step's instance.
struct Instance {
    std::size_t number = 0;         ///< of the match
    std::vector<std::size_t> open;  ///< variables that the match leaves open
};

Instance instanceOf(ir::TermBank& bank, const Step& step, TermId before, TermId after) {
    const std::optional<TermId> left = leftSide(bank, step, before, after);
    if (!left) return {};
    if (const std::size_t number = matchNumber(bank, step, *left); number > 0) return {number, {}};
    const std::optional<PartialMatch> partial = partialMatch(bank, step, *left);
    return partial ? Instance{partial->number, partial->open} : Instance{};
}

/// A given value that is written in the step's line: an attribute of a graph's node, which cannot be an output of a program.
std::optional<std::string> attributeOf(const ir::TermBank& bank, const Step& step, std::size_t variable,
                                       ir::Sharing sharing) {
    if (sharing == ir::Sharing::Tree) return std::nullopt;
    return ir::attributeText(bank, step.substitution.values[variable].term);
}

/// The text "given(y,z,p=[1,1]) ".
std::string givenNames(const ir::TermBank& bank, const Step& step, const std::vector<std::size_t>& variables,
                       ir::Sharing sharing) {
    std::vector<std::string> names;
    for (const std::size_t variable : variables) {
        const std::optional<std::string> text = attributeOf(bank, step, variable, sharing);
        names.push_back(step.rule->variables()[variable] + (text ? "=" + *text : ""));
    }
    return fmt::format("{}({}) ", GivenStep, fmt::join(names, ","));
}

/// The program with a let at the step's position that binds the values of the variables; a graph, which has no lets, gets the values as
/// further outputs.
TermId withGiven(ir::TermBank& bank, const ir::Program& program, const Step& step,
                 const std::vector<std::size_t>& variables) {
    const TermId root = program.root;
    const ir::Sharing sharing = bank.function(program.function).sharing;
    std::vector<TermId> values;
    for (const std::size_t variable : variables) {
        if (!attributeOf(bank, step, variable, sharing)) values.push_back(step.substitution.values[variable].term);
    }
    if (values.empty()) return root;
    if (sharing == ir::Sharing::Graph) {
        values.insert(values.begin(), root);
        return bank.tuple(values);
    }
    const TermId value = values.size() == 1 ? values.front() : bank.tuple(values);
    const TermId subterm = *ir::subterm(bank, root, step.positions.front());
    const TermId given = bank.let(bank.symbols().intern(GivenStep), value, ir::shifted(bank, subterm, 1));
    return bank.replaceAt(root, step.positions.front(), given);
}

}  // namespace

std::string withRemark(std::string thread, const std::string& remark) {
    if (!remark.empty()) thread.insert(thread.find('\n') + 1, commented(remark, "; ", "; "));
    return thread;
}

std::string writeThread(ir::TermBank& bank, const Thread& thread, const std::vector<double>& costs,
                        std::string_view model, const std::string& remark) {
    std::vector<Instance> instances;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const TermId before = i == 0 ? thread.start.root : thread.states[i - 1];
        instances.push_back(instanceOf(bank, thread.steps[i], before, thread.states[i]));
    }
    int version = PlainThreadVersion;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const bool isGiven = thread.steps[i].isReversed || !instances[i].open.empty();
        if (isGiven) version = std::max(version, GivenThreadVersion);
        if (thread.steps[i].positions.size() > 1) version = ThreadVersion;
    }
    std::string text = fmt::format("{} {}\n", ThreadSignature, version);
    for (const std::string& set : ruleSetsOf(thread)) text += fmt::format("rules {}\n", set);
    if (!model.empty()) text += fmt::format("costs {}\n", model);
    text += fmt::format("steps {}\n", thread.steps.size());
    text += fmt::format("start{}\n", stateText(bank, thread.start.root, costs, 0));
    // The parameters of a bare expression are the variables it names, so a program is written as one only while it names them all.
    text += programBlock(bank, thread.start, {.headed = version > PlainThreadVersion});

    const ir::Sharing sharing = bank.function(thread.start.function).sharing;
    TermId current = thread.start.root;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const Step& step = thread.steps[i];
        const TermId next = thread.states[i];
        const Instance& instance = instances[i];
        const bool isGiven = !instance.open.empty();
        text += fmt::format("{}. {}{}{} at {} #{}{}\n", i + 1, step.isReversed ? fmt::format("{} ", ReversedStep) : "",
                            isGiven ? givenNames(bank, step, instance.open, sharing) : "", step.rule->name(),
                            step.place(), instance.number, stateText(bank, next, costs, i + 1));
        if (step.isReversed || isGiven) {
            const TermId matched = step.isReversed ? next : current;
            const TermId shown =
                isGiven ? withGiven(bank, {thread.start.function, matched}, step, instance.open) : matched;
            if (step.isReversed || shown != matched)
                text += programBlock(bank, {thread.start.function, shown}, {.headed = true});
        }
        for (const ir::Path& position : step.positions) {
            const std::optional<TermId> before = ir::subterm(bank, current, position);
            const std::optional<TermId> after = ir::subterm(bank, next, position);
            if (!before || !after) continue;
            const ir::PrintOptions options{.width = 100, .compact = true};
            const ir::Program program{thread.start.function, current};
            const auto printed = [&](TermId term) { return ir::printTermAt(bank, program, position, term, options); };
            text += commented(printed(*before), ";      ", ";      ");
            text += commented(printed(*after), ";   => ", ";      ");
        }
        current = next;
    }
    return withRemark(text + std::string(ThreadEnd) + "\n", remark);
}

}  // namespace mitos::rewrite
