// SPDX-License-Identifier: GPL-3.0-or-later
// Steps and threads: derivations of one program from another.
#pragma once

#include "core/base/source_text.h"
#include "core/ir/binding.h"
#include "core/ir/transplant.h"
#include "core/rules/rule.h"

#include <memory>
#include <string>
#include <vector>

namespace mitos::rewrite {

/// A region of a partition (core/partition): the nodes of a graph from `outputs` down to `inputs`, which are paths in the program before a step
/// that is taken within it. Weights and numbers are no inputs.
struct StepRegion {
    std::string name;  ///< "MatMulEpilog 2"; one line
    std::vector<ir::Path> outputs;
    std::vector<ir::Path> inputs;
};

/// One rule instance at one position, or at one position for each of the rule's roots. A value: it can be stored, replayed, checked.
/// Explanations of an e-graph also use instances from right to left, whether or not the rule has that direction: such a step
/// is reversed.
/// A step of a rule with several roots replaces the nodes of a graph at all its positions at once. These are different nodes,
/// and no result contains a node that is replaced, which would then stand below itself.
struct Step {
    std::shared_ptr<const rules::DirectedRule> rule;  ///< never null; carries rule and direction
    std::vector<ir::Path> positions;  ///< of the subterms that the roots match, in their order, from the program's root
    rules::Substitution substitution;
    /// Whether the instance is applied from right to left: its left side replaces its right side.
    bool isReversed = false;
    /// The region that the step is taken within. The checker confirms that the instance consists of its nodes, and that the step has no effect on
    /// its inputs, and outside only through its outputs. Null: the step belongs to no region. Never changes.
    std::shared_ptr<const StepRegion> region = nullptr;

    /// The step's name in texts: the direction's name, preceded by "reversed " for a reversed step.
    [[nodiscard]] std::string name() const;
    /// The text of the positions: "/0/2", or "/0/2,/1" for several.
    [[nodiscard]] std::string place() const;
    /// Reads the positions from such a text. Fails if it is not a list of positions.
    [[nodiscard]] Status setPlace(std::string_view text);
};

/// The text of a region, "/0/1 over /0/1/0,/2 in MatMulEpilog 2"; "-" for no input.
[[nodiscard]] std::string toString(const StepRegion& region);
/// Reads such a text. Fails if it is none.
[[nodiscard]] Result<StepRegion> parseStepRegion(std::string_view text);

/// The values of the step's variables that are terms or sequences of terms of the program: what the sides of its instance have in common.
[[nodiscard]] std::vector<ir::TermId> operandsOf(const ir::TermBank& bank, const Step& step);

/// A start program and the steps that lead away from it. states[i] is the root after steps[i]; both have equal size.
struct Thread {
    ir::Program start;
    std::vector<Step> steps;
    std::vector<ir::TermId> states;

    [[nodiscard]] ir::Program end() const { return {start.function, states.empty() ? start.root : states.back()}; }
};

/// The result of the checker.
struct ThreadReport {
    bool valid = false;
    std::size_t steps = 0;       ///< number of leading steps that are right
    std::size_t failedStep = 0;  ///< 1-based index of the first wrong step, if not valid
    std::string reason;          ///< why that step is wrong
};

/// Replays a thread step by step without the matcher (and confirms the regions of its steps): the left side under the step's substitution must equal the subterm
/// at the position (the subterms at the positions), the side conditions must hold, and replacing it by the right side must give the
/// recorded next state.
/// For a reversed step, left and right are exchanged; in addition, the left side may name only the program's own variables.
[[nodiscard]] ThreadReport check(ir::TermBank& bank, const Thread& thread);

/// Copies a thread to another bank one step at a time, for callers that must not block for long. Both banks and the thread must
/// outlive this object.
class ThreadTransplanter {
public:
    ThreadTransplanter(const ir::TermBank& from, const Thread& thread, ir::TermBank& to);

    [[nodiscard]] bool isDone() const { return m_result.steps.size() == m_thread.steps.size(); }
    /// Copies one more step, with the state that it reaches.
    void next();
    /// Moves the result out; call it once, when isDone().
    [[nodiscard]] Thread take() { return std::move(m_result); }

private:
    const Thread& m_thread;
    ir::Transplanter m_copy;
    Thread m_result;
};

/// Copies a thread to another bank (rules are shared between banks).
[[nodiscard]] Thread transplant(const ir::TermBank& from, const Thread& thread, ir::TermBank& to);

/// Writes a readable text that can be replayed without the matcher: the start program, then one line per step (rule, position,
/// substitution, cost if given, content hash of the state reached) and the rewritten subterm before and after as
/// comments. `costs` has one entry per state, the start first, and `model` is the name of their model; not written if empty.
/// statedThread() reads them. A remark about the whole, such as its verdict, is a comment that readers skip.
[[nodiscard]] std::string writeThread(ir::TermBank& bank, const Thread& thread, const std::vector<double>& costs = {},
                                      std::string_view model = {}, const std::string& remark = {});
/// Adds such a remark to the text of a thread.
[[nodiscard]] std::string withRemark(std::string thread, const std::string& remark);
/// A thread read from a file. If a step cannot be replayed (it is no instance of its rule, or it reaches another state than the recorded one),
/// the thread ends before it, and the report contains its number and the reason.
struct Replay {
    Thread thread;
    ThreadReport report;
};

/// Reads a thread and replays each step in the bank. Fails, with line and column, if the text is not a thread, has a newer version, has a
/// start program that does not parse, or names a rule that none of the given sets has. A step that cannot be replayed gives an invalid
/// report, not an error.
[[nodiscard]] Result<Replay> readThread(ir::TermBank& bank, const SourceText& source, const rules::RuleBook& rules);

}  // namespace mitos::rewrite
