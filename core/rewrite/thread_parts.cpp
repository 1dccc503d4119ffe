// SPDX-License-Identifier: GPL-3.0-or-later
// See thread_parts.h.
#include "core/rewrite/thread_parts.h"

#include "core/ir/shared.h"
#include "core/rewrite/internal/follower.h"
#include "core/rewrite/internal/region_check.h"

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace mitos::rewrite {

namespace {

using ir::TermId;

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
        for (const auto& [node, maker] : makers) {
            // Nodes that became one were made by both steps.
            if (const auto [known, isNew] = next.emplace(forms.formOf(node), maker); !isNew)
                places.join(known->second, maker);
        }
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
    absl::flat_hash_map<TermId, TermId> images;
    for (const TermId node : ir::SharedNodes(bank, thread.start.root)) images.emplace(node, node);
    Thread result{thread.start, {}, {}};
    Follower follower(bank, thread, std::move(images));
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        if (i < kept.size() && kept[i])
            follower.take(i, result);
        else
            follower.leaveOut(i);
    }
    return result;
}

std::vector<TermId> formsAtEnd(const ir::TermBank& bank, const Thread& thread, std::vector<TermId> nodes) {
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        const ir::ChangedNodes forms = formsAfter(bank, changeOf(bank, thread, i));
        for (TermId& node : nodes) node = forms.formOf(node);
    }
    return nodes;
}

bool repeats(const Step& step, const Step& before) {
    // Rules are compared first, because Step::name() builds a string.
    return step.isReversed == before.isReversed && (step.rule == before.rule || step.name() == before.name());
}

std::vector<StepRun> stepRuns(const Thread& thread) {
    std::vector<StepRun> runs;
    for (std::size_t i = 0; i < thread.steps.size(); ++i) {
        if (i == 0 || !repeats(thread.steps[i], thread.steps[i - 1])) runs.push_back({i, 0});
        ++runs.back().count;
    }
    return runs;
}

Thread everywhere(ir::TermBank& bank, const ir::Program& whole, const std::vector<PartThread>& parts,
                  absl::FunctionRef<bool()> goesOn) {
    Thread result{whole, {}, {}};
    std::vector<std::vector<Follower>> followers;  // for each part: those in its copies
    for (const PartThread& part : parts) {
        std::vector<Follower>& copies = followers.emplace_back();
        for (std::size_t i = 0; i < part.part.images.size(); ++i) {
            copies.emplace_back(bank, part.thread, part.part.images[i],
                                i < part.regions.size() ? part.regions[i] : std::string());
        }
    }
    const auto takeEverywhere = [&](std::vector<Follower>& copies, std::size_t step) {
        for (Follower& copy : copies) {
            if (!goesOn()) return false;
            const ir::ChangedNodes changed = copy.take(step, result);
            for (std::vector<Follower>& others : followers) {
                for (Follower& other : others) {
                    if (&other != &copy) other.update(changed);
                }
            }
        }
        return true;
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t step = 0; step < parts[i].thread.steps.size(); ++step) {
            if (!takeEverywhere(followers[i], step)) return result;
        }
    }
    return result;
}

}  // namespace mitos::rewrite
