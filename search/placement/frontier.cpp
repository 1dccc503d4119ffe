// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/frontier.h"

#include "core/base/hash.h"
#include "search/placement/memory_orders.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

namespace mitos::search::placement {

namespace {

using schedule::Problem;

constexpr std::uint32_t None = std::numeric_limits<std::uint32_t>::max();

/// The peak of an order that a heuristic made.
std::uint64_t peakOf(const Problem& problem, std::span<const std::uint32_t> order) {
    std::vector<std::size_t> open(problem.tensorCount());
    for (std::uint32_t t = 0; t < problem.tensorCount(); ++t) open[t] = problem.consumersOf(t).size();
    std::uint64_t inUse = 0;
    std::uint64_t peak = 0;
    const auto release = [&](std::uint32_t tensor) {
        if (open[tensor] == 0 && !problem.isRetained(tensor)) inUse -= problem.bytesOf(tensor);
    };
    for (const std::uint32_t operation : order) {
        for (const std::uint32_t tensor : problem.outputsOf(operation)) inUse += problem.bytesOf(tensor);
        peak = std::max(peak, inUse);
        for (const std::uint32_t tensor : problem.inputsOf(operation)) {
            --open[tensor];
            release(tensor);
        }
        for (const std::uint32_t tensor : problem.outputsOf(operation)) release(tensor);
    }
    return peak;
}

/// A set of operations that have run, reached by running `operation` after those of `parent`.
struct State {
    std::uint64_t inUse = 0;
    std::uint64_t peak = 0;
    std::uint32_t parent = None;
    std::uint32_t operation = None;
    std::uint32_t count = 0;
    bool isClosed = false;
};

class FrontierSearch {
public:
    FrontierSearch(const Problem& problem, const FrontierLimits& limits)
        : m_problem(problem),
          m_limits(limits),
          m_words((problem.operationCount() + 63) / 64),
          m_isCut(cuts()) {}

    MemoryOrder run() {
        startWithHeuristics();
        addState(std::vector<std::uint64_t>(m_words), {});
        while (!m_queue.empty()) {
            const auto [peak, remaining, index] = m_queue.top();
            m_queue.pop();
            if (m_states[index].isClosed || m_states[index].peak != peak) continue;
            m_bound = std::max(m_bound, peak);
            if (remaining == 0) {
                m_answer.order = pathTo(index);
                m_answer.peak = peak;
                m_bound = peak;
                break;
            }
            if (m_states.size() >= m_limits.states || m_limits.stop.stop_requested()) {
                m_answer.bound = m_bound;
                return std::move(m_answer);
            }
            expand(index);
        }
        // Without states below the peak of the heuristics, theirs is the least.
        m_answer.bound = m_answer.peak;
        return std::move(m_answer);
    }

private:
    void startWithHeuristics() {
        const XlaOrders orders = xlaOrders(m_problem);
        m_answer.order = orders.list;
        m_answer.peak = peakOf(m_problem, orders.list);
        for (const auto* const order : {&orders.depthFirst, &orders.postOrder}) {
            if (const std::uint64_t peak = peakOf(m_problem, *order); peak < m_answer.peak) {
                m_answer.order = *order;
                m_answer.peak = peak;
            }
        }
    }

    /// By operation: whether each other one comes before or after it in every order. In a topological order, all later ones depend on it if each
    /// has a predecessor that is not earlier than it: going back ends there. Likewise, it depends on all earlier ones if each has a successor that is
    /// not later.
    [[nodiscard]] std::vector<bool> cuts() const {
        const std::size_t count = m_problem.operationCount();
        const std::span<const std::uint32_t> order = m_problem.topologicalOrder();
        std::vector<std::size_t> place(count);
        for (std::size_t i = 0; i < count; ++i) place[order[i]] = i + 1;  // 0 and count + 1: none
        std::vector<bool> isCut(count);
        std::size_t firstSuccessor = 0;  // the latest of those of the earlier ones
        for (std::size_t i = 0; i < count; ++i) {
            isCut[order[i]] = firstSuccessor <= i + 1;
            std::size_t first = count + 1;
            for (const std::uint32_t next : m_problem.successorsOf(order[i])) first = std::min(first, place[next]);
            firstSuccessor = std::max(firstSuccessor, first);
        }
        std::size_t lastPredecessor = count + 1;  // the earliest of those of the later ones
        for (std::size_t i = count; i-- > 0;) {
            if (lastPredecessor < i + 1) isCut[order[i]] = false;
            std::size_t last = 0;
            for (const std::uint32_t before : m_problem.predecessorsOf(order[i])) last = std::max(last, place[before]);
            lastPredecessor = std::min(lastPredecessor, last);
        }
        return isCut;
    }

    [[nodiscard]] std::span<const std::uint64_t> bitsOf(std::uint32_t index) const {
        return std::span(m_bits).subspan(std::size_t{index} * m_words, m_words);
    }
    static bool has(std::span<const std::uint64_t> bits, std::uint32_t operation) {
        return ((bits[operation / 64] >> (operation % 64)) & 1U) != 0;
    }

    /// Adds a set, or reaches a known one with a lower peak.
    void addState(const std::vector<std::uint64_t>& bits, const State& state) {
        const auto index = static_cast<std::uint32_t>(m_states.size());
        m_bits.insert(m_bits.end(), bits.begin(), bits.end());
        m_states.push_back(state);
        const auto [known, isNew] = m_known.insert(index);
        std::uint32_t target = index;
        if (!isNew) {
            m_bits.resize(m_bits.size() - m_words);
            m_states.pop_back();
            target = *known;
            if (m_states[target].isClosed || m_states[target].peak <= state.peak) return;
            m_states[target] = state;
        }
        m_queue.emplace(state.peak, m_problem.operationCount() - state.count, target);
    }

    /// The set after one more operation.
    [[nodiscard]] State after(std::uint32_t index, std::uint32_t operation) const {
        const State& before = m_states[index];
        const std::span<const std::uint64_t> bits = bitsOf(index);
        State state{before.inUse, before.peak, index, operation, before.count + 1, false};
        std::uint64_t released = 0;
        for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
            state.inUse += m_problem.bytesOf(tensor);
            if (m_problem.consumersOf(tensor).empty() && !m_problem.isRetained(tensor))
                released += m_problem.bytesOf(tensor);
        }
        state.peak = std::max(state.peak, state.inUse);
        for (const std::uint32_t tensor : m_problem.inputsOf(operation)) {
            if (m_problem.isRetained(tensor)) continue;
            const bool isLast = std::ranges::all_of(m_problem.consumersOf(tensor), [&](std::uint32_t consumer) {
                return consumer == operation || has(bits, consumer);
            });
            if (isLast) released += m_problem.bytesOf(tensor);
        }
        state.inUse -= released;
        return state;
    }

    void expand(std::uint32_t index) {
        ++m_answer.states;
        m_states[index].isClosed = true;
        if (const std::uint32_t last = m_states[index].operation; last != None && m_isCut[last]) forgetOthers(index);
        const std::vector<std::uint64_t> bits(bitsOf(index).begin(), bitsOf(index).end());
        std::vector<State> next;
        for (std::uint32_t operation = 0; operation < m_problem.operationCount(); ++operation) {
            if (has(bits, operation)) continue;
            const bool isReady = std::ranges::all_of(m_problem.predecessorsOf(operation),
                                                     [&](std::uint32_t before) { return has(bits, before); });
            if (!isReady) continue;
            const State state = after(index, operation);
            const bool isFree = state.peak == m_states[index].peak && state.inUse <= m_states[index].inUse;
            if (isFree) next.clear();
            next.push_back(state);
            if (isFree) break;
        }
        for (const State& state : next) {
            if (state.peak >= m_answer.peak) continue;
            std::vector<std::uint64_t> extended = bits;
            extended[state.operation / 64] |= std::uint64_t{1} << (state.operation % 64);
            addState(extended, state);
        }
    }

    /// All orders pass through the set of this state, which was reached with the least peak. The states on the way stay for the order.
    void forgetOthers(std::uint32_t index) {
        m_queue = {};
        m_known.clear();
        m_known.insert(index);
    }

    [[nodiscard]] std::vector<std::uint32_t> pathTo(std::uint32_t index) const {
        std::vector<std::uint32_t> order;
        for (; m_states[index].parent != None; index = m_states[index].parent)
            order.push_back(m_states[index].operation);
        std::ranges::reverse(order);
        return order;
    }

    struct Hash {
        const FrontierSearch* search;
        std::size_t operator()(std::uint32_t index) const {
            std::uint64_t hash = 0;
            for (const std::uint64_t word : search->bitsOf(index)) hash = combineHash(hash, word);
            return hash;
        }
    };
    struct Equal {
        const FrontierSearch* search;
        bool operator()(std::uint32_t a, std::uint32_t b) const {
            return std::ranges::equal(search->bitsOf(a), search->bitsOf(b));
        }
    };

    using Entry = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // peak, operations left, state

    const Problem& m_problem;
    const FrontierLimits& m_limits;
    const std::size_t m_words;
    const std::vector<bool> m_isCut;
    std::vector<std::uint64_t> m_bits;
    std::vector<State> m_states;
    absl::flat_hash_set<std::uint32_t, Hash, Equal> m_known{0, Hash{this}, Equal{this}};
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_queue;
    MemoryOrder m_answer;
    std::uint64_t m_bound = 0;
};

}  // namespace

MemoryOrder leastMemoryOrder(const Problem& problem, const FrontierLimits& limits) {
    return FrontierSearch(problem, limits).run();
}

}  // namespace mitos::search::placement
