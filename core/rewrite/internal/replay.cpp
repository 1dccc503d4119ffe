// SPDX-License-Identifier: GPL-3.0-or-later
// The part that is independent of the matcher: instances of rules are decided by instantiating their sides, never by matching.
#include "core/rewrite/internal/replay.h"

#include "core/base/deep_stack.h"
#include "core/rewrite/internal/region_check.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

namespace mitos::rewrite {

using ir::TermId;

namespace {

/// The name and type of each variable that a function's body may name: the parameters, and the names of sizes.
using OwnVariables = absl::flat_hash_map<Symbol, ir::TypeId>;

OwnVariables ownVariables(ir::TermBank& bank, ir::FunctionId id) {
    OwnVariables own;
    if (!id.isValid()) return own;
    for (const ir::Parameter& p : bank.function(id).parameters) own.emplace(p.name, bank.types().erased(p.type));
    for (const ir::SizeName& size : bank.function(id).sizes) own.emplace(size.name, bank.types().integer());
    return own;
}

/// Checks that every bound variable has a binder of its own type, and that every free one belongs to the function. Closed subterms are
/// visited once, and not at all if they are known to be well-scoped.
class ScopeCheck {
public:
    ScopeCheck(const ir::TermBank& bank, OwnVariables own, std::vector<ir::TypeId> binders)
        : m_bank(bank),
          m_own(std::move(own)),
          m_binders(std::move(binders)) {}

    /// Closed subterms near the top of this part of the program are well-scoped wherever they stand. A rule moves few subterms, which it
    /// matched near the top, so that a replacement costs little even if they are large.
    void trust(TermId part) {
        constexpr std::size_t MostTrusted = 256;
        std::vector<TermId> open{part};
        for (std::size_t i = 0; i < open.size() && i < MostTrusted; ++i) {
            if (m_bank.looseBound(open[i]) == 0) m_closed.insert(open[i]);
            for (const TermId child : m_bank.children(open[i])) open.push_back(child);
        }
    }

    bool holds(TermId term) {
        if (m_bank.is(term, ir::CoreOp::Variable)) {
            const auto own = m_own.find(m_bank.payload(term).asSymbol());
            return own != m_own.end() && own->second == m_bank.type(term);
        }
        if (m_bank.is(term, ir::CoreOp::Bound)) {
            const std::uint32_t index = m_bank.payload(term).asIndex();
            return index < m_binders.size() && m_binders[m_binders.size() - 1 - index] == m_bank.type(term);
        }
        if (m_bank.looseBound(term) == 0 && !m_closed.insert(term).second) return true;
        for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
            const bool binds = m_bank.boundIn(term, i) > 0;
            if (binds) m_binders.push_back(m_bank.boundType(term));
            const bool good = holds(m_bank.child(term, i));
            if (binds) m_binders.pop_back();
            if (!good) return false;
        }
        return true;
    }

private:
    const ir::TermBank& m_bank;
    OwnVariables m_own;
    std::vector<ir::TypeId> m_binders;  // innermost last
    absl::flat_hash_set<TermId> m_closed;
};

bool isWellScoped(ir::TermBank& bank, const ir::Program& program, const ir::Path& position, TermId subterm,
                  TermId replacement) {
    std::vector<ir::TypeId> binders;
    for (const TermId binder : ir::bindersAbove(bank, program.root, position))
        binders.push_back(bank.boundType(binder));
    bool holds = false;
    withDeepStack(bank.depth(replacement), [&] {
        ScopeCheck check(bank, ownVariables(bank, program.function), std::move(binders));
        check.trust(subterm);
        holds = check.holds(replacement);
    });
    return holds;
}

std::string counted(std::size_t number, std::string_view what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

Error misfit(const Step& step, std::string what) {
    return {ErrorCode::InvalidInput, fmt::format("{} at {}: {}", step.name(), step.place(), std::move(what))};
}

/// The reason why a step cannot be taken at its positions; empty if it can.
std::string wrongPlace(const ir::TermBank& bank, const ir::Program& program, const Step& step) {
    const std::size_t roots = step.rule->roots().size();
    if (step.positions.size() != roots) {
        return fmt::format("the rule has {}, the step {}", counted(roots, "root"),
                           counted(step.positions.size(), "position"));
    }
    if (roots == 1) return {};
    if (bank.function(program.function).sharing == ir::Sharing::Tree) {
        return "a rule with several roots rewrites programs that are graphs";
    }
    return step.isReversed ? "a step at several roots is not taken back" : "";
}

/// The replacement of a subterm by a step.
Result<TermId> replacementFor(ir::TermBank& bank, const Step& step, TermId subterm) {
    if (!step.isReversed) {
        MITOS_REQUIRE(step.rule->isInstance(bank, step.substitution, subterm));
        return step.rule->apply(bank, step.substitution, subterm);
    }
    MITOS_TRY(const TermId left, step.rule->left(bank, step.substitution));
    MITOS_REQUIRE(step.rule->isInstance(bank, step.substitution, left));
    const Result<TermId> right = step.rule->apply(bank, step.substitution, left);
    if (!right || *right == subterm) return right ? left : right;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("the right side of {} under the substitution is not the subterm at the position",
                             step.rule->name())};
}

}  // namespace

Result<TermId> subtermAt(const ir::TermBank& bank, TermId root, const ir::Path& position) {
    if (const std::optional<TermId> found = ir::subterm(bank, root, position)) return *found;
    return inputError(fmt::format("the program has no position {}", ir::toString(position)),
                      "list the positions with `mitos-cli rewrites` or `mitos-cli show --as tree`");
}

Result<TermId> subjectAt(ir::TermBank& bank, TermId root, const Step& step) {
    if (step.positions.size() == 1) return subtermAt(bank, root, step.positions.front());
    std::vector<TermId> terms;
    for (const ir::Path& position : step.positions) {
        MITOS_TRY(const TermId term, subtermAt(bank, root, position));
        terms.push_back(term);
    }
    return bank.tuple(terms);
}

Result<TermId> replacedAt(ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                          TermId replacement) {
    if (bank.function(program.function).sharing == ir::Sharing::Tree) {
        return ir::replaceAt(bank, program.root, position, replacement);
    }
    const Result<TermId> node = subtermAt(bank, program.root, position);
    return node ? ir::replaceShared(bank, ir::SharedNodes(bank, program.root), *node, replacement) : node;
}

bool fits(const ir::TermBank& bank, TermId subterm, TermId replacement) {
    return bank.type(subterm) == bank.type(replacement) && bank.looseBound(replacement) <= bank.looseBound(subterm);
}

std::vector<ir::NodeReplacement> paired(const ir::TermBank& bank, TermId nodes, TermId replacements) {
    std::vector<ir::NodeReplacement> pairs;
    for (std::size_t i = 0; i < bank.childCount(nodes); ++i) {
        pairs.push_back({bank.child(nodes, i), bank.child(replacements, i)});
    }
    return pairs;
}

bool fitTogether(const ir::TermBank& bank, TermId nodes, TermId replacements) {
    absl::flat_hash_set<TermId> all;
    absl::flat_hash_set<TermId> gone;
    std::uint32_t least = bank.depth(nodes);  // terms of less depth contain none of the replaced nodes
    for (const auto& [node, replacement] : paired(bank, nodes, replacements)) {
        if (!all.insert(node).second) return false;
        if (node == replacement) continue;
        gone.insert(node);
        least = std::min(least, bank.depth(node));
    }
    absl::flat_hash_set<TermId> seen;
    std::vector<TermId> open;
    for (const auto& [node, replacement] : paired(bank, nodes, replacements)) {
        if (node != replacement) open.push_back(replacement);
    }
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (bank.depth(term) < least || !seen.insert(term).second) continue;
        if (gone.contains(term)) return false;
        open.insert(open.end(), bank.children(term).begin(), bank.children(term).end());
    }
    return true;
}

Result<TermId> replayed(ir::TermBank& bank, const ir::Program& program, const Step& step) {
    if (const std::string wrong = wrongPlace(bank, program, step); !wrong.empty()) return misfit(step, wrong);
    if (step.region != nullptr) {
        if (const Status within = withinRegion(bank, program, step); !within)
            return misfit(step, within.error().message);
    }
    MITOS_TRY(const TermId subterm, subjectAt(bank, program.root, step));
    const Result<TermId> replacement = replacementFor(bank, step, subterm);
    if (!replacement) return misfit(step, replacement.error().message);
    if (bank.type(subterm) != bank.type(*replacement)) {
        return misfit(step, fmt::format("the result is a {}, not the {} it stands for",
                                        bank.types().toString(bank.type(*replacement)),
                                        bank.types().toString(bank.type(subterm))));
    }
    if (!isWellScoped(bank, program, step.positions.front(), subterm, *replacement)) {
        return misfit(step, "the result mentions a variable that is not bound there");
    }
    if (step.positions.size() == 1) return replacedAt(bank, program, step.positions.front(), *replacement);
    if (!fitTogether(bank, subterm, *replacement)) {
        return misfit(step,
                      "the places cannot be replaced at once: two are the same node, or a result needs one of them");
    }
    return ir::replaceShared(bank, ir::SharedNodes(bank, program.root), paired(bank, subterm, *replacement));
}

ThreadReport check(ir::TermBank& bank, const Thread& thread) {
    ThreadReport report;
    const auto wrong = [&](std::string reason) {
        report.failedStep = report.steps + 1;
        report.reason = std::move(reason);
        return report;
    };
    if (thread.steps.size() != thread.states.size()) {
        report.steps = std::min(thread.steps.size(), thread.states.size());
        return wrong(fmt::format("the thread has {} steps but {} states", thread.steps.size(), thread.states.size()));
    }
    TermId current = thread.start.root;
    for (; report.steps < thread.steps.size(); ++report.steps) {
        const Result<TermId> next = replayed(bank, {thread.start.function, current}, thread.steps[report.steps]);
        if (!next) return wrong(next.error().message);
        if (*next != thread.states[report.steps]) {
            const Step& step = thread.steps[report.steps];
            return wrong(
                fmt::format("{} at {} leads to another state than the recorded one", step.name(), step.place()));
        }
        current = *next;
    }
    report.valid = true;
    return report;
}

ThreadTransplanter::ThreadTransplanter(const ir::TermBank& from, const Thread& thread, ir::TermBank& to)
    : m_thread(thread),
      m_copy(from, to),
      m_result{m_copy.program(thread.start), {}, {}} {
    m_result.steps.reserve(thread.steps.size());
    m_result.states.reserve(thread.states.size());
}

void ThreadTransplanter::next() {
    const std::size_t index = m_result.steps.size();
    Step& step = m_result.steps.emplace_back(m_thread.steps[index]);
    for (rules::Binding& binding : step.substitution.values) {
        if (binding.term.isValid()) binding.term = m_copy.term(binding.term);
        for (TermId& term : binding.sequence) term = m_copy.term(term);
    }
    m_result.states.push_back(m_copy.term(m_thread.states[index]));
}

Thread transplant(const ir::TermBank& from, const Thread& thread, ir::TermBank& to) {
    ThreadTransplanter copy(from, thread, to);
    while (!copy.isDone()) copy.next();
    return copy.take();
}

}  // namespace mitos::rewrite
