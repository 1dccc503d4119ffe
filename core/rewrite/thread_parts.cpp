// SPDX-License-Identifier: GPL-3.0-or-later
// See thread_parts.h.
#include "core/rewrite/thread_parts.h"

#include "core/ir/shared.h"
#include "core/rewrite/internal/replay.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace mitos::rewrite {

namespace {

using ir::TermId;

/// The nodes that a step of a thread replaces, and what replaces them.
struct Change {
    TermId before;  ///< the root
    TermId after;
    std::vector<TermId> places;  ///< the replaced nodes of `before`
};

Change changeOf(const ir::TermBank& bank, const Thread& thread, std::size_t step) {
    Change change{step == 0 ? thread.start.root : thread.states[step - 1], thread.states[step], {}};
    for (const ir::Path& position : thread.steps[step].positions) {
        if (const std::optional<TermId> place = ir::subterm(bank, change.before, position))
            change.places.push_back(*place);
    }
    return change;
}

/// The forms that the nodes of `before` have after a step. A replacement is found where it stands: nodes with a replaced operand have the
/// same operator in `after`, at the same position.
ir::ChangedNodes formsAfter(ir::TermBank& bank, const Change& change) {
    const absl::flat_hash_set<TermId> replaced(change.places.begin(), change.places.end());
    ir::ChangedNodes forms;
    absl::flat_hash_set<TermId> seen;
    // Nodes of both graphs that stand at the same position. Above the replaced nodes, the graphs differ in operands only.
    std::vector<std::pair<TermId, TermId>> open{{change.before, change.after}};
    while (!open.empty()) {
        const auto [old, now] = open.back();
        open.pop_back();
        if (old == now || !seen.insert(old).second) continue;
        forms.set(old, now);
        if (replaced.contains(old)) continue;
        for (std::size_t i = 0; i < bank.childCount(old) && i < bank.childCount(now); ++i) {
            open.emplace_back(bank.child(old, i), bank.child(now, i));
        }
    }
    return forms;
}

/// Calls `visit` with the nodes of a rule's side under a step: those from `top` down to the step's operands.
template <typename Visit>
void forEachOwn(const ir::TermBank& bank, TermId top, const absl::flat_hash_set<TermId>& operands, Visit visit) {
    absl::flat_hash_set<TermId> seen;
    std::vector<TermId> open{top};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (operands.contains(term) || !seen.insert(term).second) continue;
        visit(term);
        open.insert(open.end(), bank.children(term).begin(), bank.children(term).end());
    }
}

/// Sets that are joined.
class Unions {
public:
    explicit Unions(std::size_t count) : m_parents(count) { std::iota(m_parents.begin(), m_parents.end(), 0U); }
    std::size_t find(std::size_t element) {
        while (m_parents[element] != element) element = m_parents[element] = m_parents[m_parents[element]];
        return element;
    }
    void join(std::size_t a, std::size_t b) { m_parents[std::max(find(a), find(b))] = std::min(find(a), find(b)); }

private:
    std::vector<std::size_t> m_parents;
};

/// Joins the steps that rewrite what others have made.
Unions placesOf(ir::TermBank& bank, const Thread& thread) {
    Unions places(thread.steps.size());
    absl::flat_hash_map<TermId, std::size_t> makers;  // of nodes of the state before the step
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const Change change = changeOf(bank, thread, i);
        const std::vector<TermId> list = operandsOf(bank, thread.steps[i]);
        const absl::flat_hash_set<TermId> operands(list.begin(), list.end());
        for (const TermId place : change.places) {
            forEachOwn(bank, place, operands, [&](TermId node) {
                if (const auto maker = makers.find(node); maker != makers.end()) places.join(i, maker->second);
            });
        }
        const ir::SharedNodes before(bank, change.before);
        const ir::ChangedNodes forms = formsAfter(bank, change);
        absl::flat_hash_map<TermId, std::size_t> next;
        for (const auto& [node, maker] : makers) next.emplace(forms.formOf(node), maker);
        for (const TermId place : change.places) {
            forEachOwn(bank, forms.formOf(place), operands, [&](TermId node) {
                if (!before.contains(node)) next.emplace(node, i);
            });
        }
        makers = std::move(next);
    }
    return places;
}

/// "a, b × 2", in the order of names.
std::string kindOf(const Thread& thread, const std::vector<std::size_t>& steps) {
    absl::btree_map<std::string, std::size_t> counts;
    for (const std::size_t step : steps) ++counts[thread.steps[step].name()];
    std::vector<std::string> names;
    for (const auto& [name, count] : counts) names.push_back(count == 1 ? name : fmt::format("{} × {}", name, count));
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Follows a thread in a second program, which takes some of its steps only.
class Follower {
public:
    Follower(ir::TermBank& bank, const Thread& thread)
        : m_bank(bank),
          m_thread(thread),
          m_result{thread.start, {}, {}} {
        for (const TermId node : ir::SharedNodes(bank, thread.start.root)) m_images.emplace(node, node);
    }

    void next(std::size_t index, bool isKept) {
        const Change change = changeOf(m_bank, m_thread, index);
        const TermId root = m_result.end().root;
        if (!isKept || !take(m_thread.steps[index], change)) {
            carry(change, ir::ChangedNodes());
            return;
        }
        Change own{root, m_result.end().root, {}};
        for (const TermId place : change.places) own.places.push_back(image(place));
        carry(change, formsAfter(m_bank, own));
    }

    [[nodiscard]] Thread take() { return std::move(m_result); }

private:
    /// The form of a node of the thread's program in the second program; it need not occur there.
    TermId image(TermId node) {
        if (const auto known = m_images.find(node); known != m_images.end()) return known->second;
        std::vector<TermId> children;
        // Images are made in the same bank, so a span of the node's children would not stay valid.
        for (std::size_t i = 0; i < m_bank.childCount(node); ++i) children.push_back(image(m_bank.child(node, i)));
        const Result<TermId> made = m_bank.withChildren(node, children);
        return m_images.emplace(node, made ? *made : node).first->second;
    }

    /// Takes the step in the second program. Returns whether it is an instance there.
    bool take(Step step, const Change& change) {
        const ir::Program program = m_result.end();
        step.positions.clear();
        for (const TermId place : change.places) {
            std::optional<ir::Path> position = ir::firstPath(m_bank, program.root, image(place));
            if (!position) return false;
            step.positions.push_back(*std::move(position));
        }
        for (rules::Binding& binding : step.substitution.values) {
            if (binding.term.isValid()) binding.term = image(binding.term);
            for (TermId& term : binding.sequence) term = image(term);
        }
        return add(program, step) || match(program, step, change);
    }

    /// Adds the step, if it is one of the second program.
    bool add(const ir::Program& program, const Step& step) {
        const Result<TermId> state = replayed(m_bank, program, step);
        if (!state || *state == program.root) return false;
        m_result.steps.push_back(step);
        m_result.states.push_back(*state);
        return true;
    }

    /// Takes the first match at the step's places. Equal operands of the thread's program can be different ones of the second program, where
    /// a step is missing that made them equal.
    bool match(const ir::Program& program, Step& step, const Change& change) {
        if (step.isReversed) return false;
        std::vector<TermId> places;
        for (const TermId place : change.places) places.push_back(image(place));
        const TermId subject = places.size() == 1 ? places.front() : m_bank.tuple(places);
        std::vector<rules::Substitution> matches;
        step.rule->match(m_bank, subject, [&](const rules::Substitution& substitution) {
            matches.push_back(substitution);
            return true;
        });
        return std::ranges::any_of(matches, [&](const rules::Substitution& substitution) {
            step.substitution = substitution;
            return add(program, step);
        });
    }

    /// Continues the images after a step of the thread; `own` has the forms that nodes of the second program have now.
    void carry(const Change& change, const ir::ChangedNodes& own) {
        const ir::ChangedNodes forms = formsAfter(m_bank, change);
        absl::flat_hash_map<TermId, TermId> next;
        for (const TermId node : ir::SharedNodes(m_bank, change.before)) {
            next.emplace(forms.formOf(node), own.formOf(image(node)));
        }
        m_images = std::move(next);
        for (const TermId node : ir::SharedNodes(m_bank, change.after)) image(node);  // operands first
    }

    ir::TermBank& m_bank;
    const Thread& m_thread;
    Thread m_result;
    absl::flat_hash_map<TermId, TermId> m_images;  ///< for all nodes of the thread's program before the next step
};

}  // namespace

std::vector<ThreadPart> partsOf(ir::TermBank& bank, const Thread& thread) {
    Unions places = placesOf(bank, thread);
    absl::btree_map<std::size_t, std::vector<std::size_t>> byPlace;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) byPlace[places.find(i)].push_back(i);
    std::vector<ThreadPart> parts;
    for (auto& [first, steps] : byPlace) {
        std::string kind = kindOf(thread, steps);
        const auto known = std::ranges::find(parts, kind, &ThreadPart::kind);
        ThreadPart& part = known != parts.end() ? *known : parts.emplace_back(ThreadPart{std::move(kind), 0, {}});
        ++part.places;
        part.steps.insert(part.steps.end(), steps.begin(), steps.end());
    }
    for (ThreadPart& part : parts) std::ranges::sort(part.steps);
    return parts;
}

Thread onlySteps(ir::TermBank& bank, const Thread& thread, const std::vector<bool>& kept) {
    Follower follower(bank, thread);
    for (std::size_t i = 0; i < thread.steps.size(); ++i) follower.next(i, i < kept.size() && kept[i]);
    return follower.take();
}

}  // namespace mitos::rewrite
