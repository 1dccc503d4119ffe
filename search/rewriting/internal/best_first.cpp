// SPDX-License-Identifier: GPL-3.0-or-later
// See best_first.h.
#include "search/rewriting/internal/best_first.h"

#include <algorithm>
#include <bit>
#include <queue>

namespace mitos::search {

namespace {

/// A state of the search: an expression with the time left when it was put on the open list.
struct OpenState {
    double priority = 0.0;
    std::uint32_t timeLeft = 0;
    ExpressionId expression;
};

struct TakenLater {
    bool operator()(const OpenState& a, const OpenState& b) const {
        if (a.priority != b.priority) return a.priority < b.priority;
        if (a.timeLeft != b.timeLeft) return a.timeLeft < b.timeLeft;
        return a.expression > b.expression;
    }
};

}  // namespace

std::vector<double> valuesOf(StateSpace& space, ValueFunction& value, std::span<const ExpressionId> ids,
                             TimesLeft times) {
    const std::size_t batchSize = std::max<std::size_t>(value.batch(), 1);
    std::vector<double> all;
    std::vector<ir::TermId> roots;
    for (std::size_t from = 0; from < ids.size() && !space.ended(); from += batchSize) {
        roots.clear();
        for (const ExpressionId id : ids.subspan(from, std::min(batchSize, ids.size() - from))) {
            roots.push_back(space.root(id));
        }
        const std::vector<double> batch = value.values(roots, times);
        all.insert(all.end(), batch.begin(), batch.end());
    }
    all.resize(ids.size() * times.count());
    return all;
}

void searchBestFirst(StateSpace& space, ValueFunction& value, const BestFirst& how) {
    std::priority_queue<OpenState, std::vector<OpenState>, TakenLater> open;
    double best = space.cost(space.start());
    const auto timeLeft = [&](ExpressionId id) { return how.depth ? *how.depth - space.steps(id) : how.timeLeft; };
    // Reached and not on the open list yet.
    std::vector<OpenState> kept;
    std::vector<ExpressionId> ids;
    const auto put = [&] {
        // An expression was reached by a shorter path since then, and is here once more.
        std::erase_if(kept, [&](const OpenState& state) { return state.timeLeft < timeLeft(state.expression); });
        if (kept.empty()) return;
        const auto [least, most] = std::ranges::minmax(kept, {}, &OpenState::timeLeft);
        const TimesLeft times{least.timeLeft, most.timeLeft};
        ids.clear();
        for (const OpenState& state : kept) ids.push_back(state.expression);
        const std::vector<double> values = valuesOf(space, value, ids, times);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            const double expected = values[i * times.count() + (kept[i].timeLeft - times.least)];
            kept[i].priority = expected + (how.reference - space.cost(ids[i]));
            open.push(kept[i]);
        }
        kept.clear();
    };
    const auto isKept = [&](StateSpace::Arrival arrival, ExpressionId id) {
        if (arrival == StateSpace::Arrival::Closer) return how.depth && space.steps(id) < *how.depth;
        if (arrival != StateSpace::Arrival::New) return false;
        best = std::min(best, space.cost(id));
        if (how.depth && space.steps(id) >= *how.depth) return false;
        return std::isinf(how.relaxation) || space.cost(id) < how.relaxation * best;
    };

    kept.push_back({.timeLeft = timeLeft(space.start()), .expression = space.start()});
    put();
    while (!open.empty()) {
        const OpenState state = open.top();
        open.pop();
        // The expression was reached by a shorter path since then; the state with more time left replaces this one.
        if (state.timeLeft >= timeLeft(state.expression)) {
            // Estimated bytes of a queue in a vector that doubles its capacity; too low for a queue that has shrunk.
            space.hold((std::bit_ceil(open.size()) + kept.capacity()) * sizeof(OpenState) + value.bytes());
            const std::uint64_t frontier = open.size() + kept.size();
            const bool goesOn =
                space.visitSuccessors(state.expression, frontier, [&](StateSpace::Arrival arrival, ExpressionId id) {
                    if (how.edges != nullptr) how.edges->push_back({state.expression.value, id.value});
                    if (isKept(arrival, id)) kept.push_back({.timeLeft = timeLeft(id), .expression = id});
                });
            if (!goesOn) return;
        }
        if (kept.size() >= how.batch || open.empty()) put();
    }
}

}  // namespace mitos::search
