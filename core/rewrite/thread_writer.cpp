// SPDX-License-Identifier: GPL-3.0-or-later
// Threads as text, see thread_format.h.
#include "core/ks/module.h"
#include "core/rewrite/match_number.h"
#include "core/rewrite/thread_format.h"

#include <fmt/format.h>

#include <algorithm>

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

std::string programBlock(const ir::TermBank& bank, const ir::Program& program, const ks::PrintOptions& options) {
    std::string text = ks::printProgram(bank, program, options);
    while (text.ends_with('\n')) text.pop_back();
    return fmt::format("{}\n{}\n{}\n", ProgramBegin, text, ProgramEnd);
}

}  // namespace

std::string writeThread(ir::TermBank& bank, const Thread& thread, const std::vector<double>& costs,
                        std::string_view model) {
    const bool isPlain =
        std::none_of(thread.steps.begin(), thread.steps.end(), [](const Step& step) { return step.isReversed; });
    std::string text = fmt::format("{} {}\n", ThreadSignature, isPlain ? PlainThreadVersion : ThreadVersion);
    for (const std::string& set : ruleSetsOf(thread)) text += fmt::format("rules {}\n", set);
    if (!model.empty()) text += fmt::format("costs {}\n", model);
    text += fmt::format("steps {}\n", thread.steps.size());
    text += fmt::format("start{}\n", stateText(bank, thread.start.root, costs, 0));
    // The parameters of a bare expression are the variables it names, so it is one only as long as it names them all.
    text += programBlock(bank, thread.start, {.headed = !isPlain});

    TermId current = thread.start.root;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const Step& step = thread.steps[i];
        const TermId next = thread.states[i];
        const std::optional<TermId> before = ir::subterm(bank, current, step.position);
        const std::optional<TermId> after = ir::subterm(bank, next, step.position);
        const std::optional<TermId> left = leftSide(bank, step, current, next);
        const std::size_t number = left ? matchNumber(bank, step, *left) : 0;
        text += fmt::format("{}. {} at {} #{}{}\n", i + 1, step.name(), ir::toString(step.position), number,
                            stateText(bank, next, costs, i + 1));
        if (step.isReversed) text += programBlock(bank, {thread.start.function, next}, {.headed = true});
        if (before && after) {
            const ks::PrintOptions options{.width = 100, .compact = true};
            const std::vector<std::string> names =
                ks::binderNames(bank, {thread.start.function, current}, step.position);
            text += commented(ks::printTerm(bank, *before, options, names), ";      ", ";      ");
            text += commented(ks::printTerm(bank, *after, options, names), ";   => ", ";      ");
        }
        current = next;
    }
    return text + std::string(ThreadEnd) + "\n";
}

}  // namespace mitos::rewrite
