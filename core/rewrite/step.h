// SPDX-License-Identifier: GPL-3.0-or-later
// Steps and threads: how one program becomes another.
#pragma once

#include "core/base/source_text.h"
#include "core/ir/binding.h"
#include "core/ir/transplant.h"
#include "core/rules/rule.h"

#include <memory>
#include <string>
#include <vector>

namespace mitos::rewrite {

/// One rule instance at one place, or at one place for each of the rule's roots. A value: it can be stored, replayed, checked.
/// Explanations of an e-graph also use instances from right to left, whether or not the rule has that direction: such a step
/// is reversed.
/// A step of a rule with several roots replaces the nodes of a graph at all its positions at once. These are different nodes,
/// and none of the results needs one of the nodes that go away: it would then stand below itself.
struct Step {
    std::shared_ptr<const rules::DirectedRule> rule;  ///< never null; carries rule and direction
    ir::Path position;                                ///< of the matched subterm, from the program's root
    rules::Substitution substitution;
    /// The step takes an instance back: its right side stands at the position, its left side takes that place.
    bool isReversed = false;
    /// Of a rule with several roots, which stands at `position` with its first one: where the others stand, in their order.
    std::vector<ir::Path> furtherPositions = {};

    /// As texts name it: the direction's name, with "reversed " before it for such a step.
    [[nodiscard]] std::string name() const;
    /// Where all roots stand.
    [[nodiscard]] std::vector<ir::Path> positions() const;
    /// As texts name the positions: "/0/2", of several "/0/2,/1".
    [[nodiscard]] std::string place() const;
    /// Takes the positions from such a text. Error: it is none.
    [[nodiscard]] Status setPlace(std::string_view text);
};

/// A start program and the steps that lead away from it. states[i] is the root after steps[i]; both have equal size.
struct Thread {
    ir::Program start;
    std::vector<Step> steps;
    std::vector<ir::TermId> states;

    [[nodiscard]] ir::Program end() const { return {start.function, states.empty() ? start.root : states.back()}; }
};

/// Verdict of the checker.
struct ThreadReport {
    bool valid = false;
    std::size_t steps = 0;       ///< steps that are right
    std::size_t failedStep = 0;  ///< 1-based index of the first wrong step, if not valid
    std::string reason;          ///< why it is wrong
};

/// Replays a thread step by step without the matcher: the left side under the step's substitution must BE the subterm
/// at the position (the subterms at the positions), the side conditions must hold, the right side put in its place must be the
/// recorded next state.
/// Of a reversed step the same is asked the other way round; and the left side may name only the program's own variables.
[[nodiscard]] ThreadReport check(ir::TermBank& bank, const Thread& thread);

/// Copies a thread to another bank a step at a time, for whoever must not be kept for long. Banks and thread must outlive
/// it.
class ThreadTransplanter {
public:
    ThreadTransplanter(const ir::TermBank& from, const Thread& thread, ir::TermBank& to);

    [[nodiscard]] bool isDone() const { return m_result.steps.size() == m_thread.steps.size(); }
    /// One step more, with the state it reaches.
    void next();
    /// Asked once, when it is done.
    [[nodiscard]] Thread take() { return std::move(m_result); }

private:
    const Thread& m_thread;
    ir::Transplanter m_copy;
    Thread m_result;
};

/// The thread in another bank (rules are shared between banks).
[[nodiscard]] Thread transplant(const ir::TermBank& from, const Thread& thread, ir::TermBank& to);

/// Readable text that replays: the start program in ks, then a line a step (rule, position, number among the matches of
/// that rule there, cost if given, content hash of the state reached) and the rewritten subterm before and after as
/// comments. Costs: one a state, start first, and the name of their model; empty: not written. statedThread() reads them. A remark
/// about the whole, such as its verdict, is a comment that readers skip.
[[nodiscard]] std::string writeThread(ir::TermBank& bank, const Thread& thread, const std::vector<double>& costs = {},
                                      std::string_view model = {}, const std::string& remark = {});
/// The text of a thread with such a remark.
[[nodiscard]] std::string withRemark(std::string thread, const std::string& remark);
/// A thread read from a file. Where a step does not replay (no such match, another state reached than the file says), the
/// thread ends before it and the report says which step and why.
struct Replay {
    Thread thread;
    ThreadReport report;
};

/// Reads it back, replaying each step in the bank. Errors, with line and column: not a thread, a newer version, a start
/// program that does not parse, a rule that none of the given sets has. A step that does not replay is no error but an invalid report.
[[nodiscard]] Result<Replay> readThread(ir::TermBank& bank, const SourceText& source, const rules::RuleBook& rules);

}  // namespace mitos::rewrite
