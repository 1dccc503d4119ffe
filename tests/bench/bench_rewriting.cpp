// SPDX-License-Identifier: GPL-3.0-or-later
// States of searches: found incrementally and from scratch, costed locally and in full, and whole searches. The ratio of
// two lines of the same run is what counts.
#include "core/base/random.h"
#include "core/cost/cost_model.h"
#include "core/rewrite/successor_index.h"
#include "search/strategies/strategies.h"
#include "tests/bench/subject.h"

#include <absl/container/flat_hash_set.h>
#include <benchmark/benchmark.h>

#include <vector>

using namespace mitos;
using bench::Subject;

namespace {

constexpr std::size_t StatesToReach = 5'000;
constexpr std::uint64_t EvaluationsOfASearch = 50'000;
constexpr int RolloutDepth = 10;

/// The common part of both ways to expand a state: `expand` calls back with each distinct successor's builder.
class Incremental {
public:
    explicit Incremental(Subject& subject) : m_index(subject.bank, bench::rules().directions()) {}
    std::size_t expand(ir::TermId root) {
        m_root = root;
        m_index.list(root, m_successors, [] { return true; });
        return m_successors.size();
    }
    ir::TermId successor(std::size_t i) { return m_index.build(m_root, m_successors[i]); }
    [[nodiscard]] std::size_t bytes() const { return m_index.bytes(); }

private:
    rewrite::SuccessorIndex m_index;
    ir::TermId m_root;
    std::vector<rewrite::Successor> m_successors;
};

/// Matches every term of every state and builds every successor.
class FromScratch {
public:
    explicit FromScratch(Subject& subject) : m_rewriter(subject.bank, bench::rules().directions()) {}
    std::size_t expand(ir::TermId root) {
        m_rewrites = m_rewriter.successors(root);
        return m_rewrites.size();
    }
    ir::TermId successor(std::size_t i) { return m_rewrites[i].result; }
    [[nodiscard]] static std::size_t bytes() { return 0; }

private:
    rewrite::Rewriter m_rewriter;
    std::vector<rewrite::Rewrite> m_rewrites;
};

/// Breadth first, up to StatesToReach distinct states, the start included.
template <typename Expander>
std::vector<ir::TermId> breadthFirst(Subject& subject, Expander& expander) {
    std::vector<ir::TermId> states{subject.program.root};
    absl::flat_hash_set<ir::TermId> seen{subject.program.root};
    for (std::size_t next = 0; next < states.size() && states.size() < StatesToReach; ++next) {
        const std::size_t count = expander.expand(states[next]);
        for (std::size_t i = 0; i < count && states.size() < StatesToReach; ++i) {
            const ir::TermId successor = expander.successor(i);
            if (seen.insert(successor).second) states.push_back(successor);
        }
    }
    return states;
}

/// Random rollouts, up to a tenth as many states: each is expanded, one of its successors is followed.
template <typename Expander>
std::vector<ir::TermId> rollouts(Subject& subject, Expander& expander) {
    std::vector<ir::TermId> states;
    absl::flat_hash_set<ir::TermId> seen;
    Random random(1);
    while (states.size() < StatesToReach / 10) {
        ir::TermId at = subject.program.root;
        for (int step = 0; step < RolloutDepth; ++step) {
            const std::size_t count = expander.expand(at);
            if (count == 0) break;
            at = expander.successor(random.below(count));
            if (seen.insert(at).second) states.push_back(at);
        }
    }
    return states;
}

template <typename Expander>
void measure(benchmark::State& state, const char* sample,
             std::vector<ir::TermId> (*walk)(Subject& subject, Expander& expander)) {
    double states = 0;
    double bytes = 0;
    for (auto _ : state) {
        state.PauseTiming();
        Subject subject(sample);
        state.ResumeTiming();
        Expander expander(subject);
        states += static_cast<double>(walk(subject, expander).size());
        bytes += static_cast<double>(subject.bank.bytes() + expander.bytes());
    }
    bench::perSecond(state, "states", states);
    state.counters["bytes_per_state"] = bytes / states;
}

/// One evaluator for all states, or a new one for each.
void costs(benchmark::State& state, const char* sample, const char* model, bool local) {
    Subject subject(sample);
    Incremental expander(subject);
    const std::vector<ir::TermId> roots = breadthFirst(subject, expander);
    const auto chosen = *cost::findCostModel(model);
    double costed = 0;
    for (auto _ : state) {
        auto evaluator = chosen->evaluator(subject.bank, subject.program.function);
        const std::size_t count = local ? roots.size() : roots.size() / 50;
        for (std::size_t i = 0; i < count; ++i) {
            if (!local) evaluator = chosen->evaluator(subject.bank, subject.program.function);
            benchmark::DoNotOptimize(*evaluator->cost(roots[i]));
        }
        costed += static_cast<double>(count);
    }
    bench::perSecond(state, "states", costed);
}

class Deaf final : public search::Observer {
public:
    void onEvent(const search::SearchEvent&) override {}
};

void searches(benchmark::State& state, const char* sample, const char* strategy) {
    Subject subject(sample);
    const auto chosen = *search::findStrategy(strategy);
    search::SearchProblem problem{.bank = subject.bank,
                                  .program = subject.program,
                                  .rules = bench::rules().directions(),
                                  .cost = *cost::findCostModel("ks-2021"),
                                  .budget = {},
                                  .seed = 1,
                                  .parameters = {}};
    problem.budget.evaluations = EvaluationsOfASearch;
    double states = 0;
    double bytes = 0;
    for (auto _ : state) {
        Deaf deaf;
        const Result<search::SearchResult> result = chosen->run(problem, {}, deaf);
        if (!result) bench::fail(result.error());
        states += static_cast<double>(result->statistics.states);
        bytes += static_cast<double>(result->statistics.memoryBytes);
    }
    bench::perSecond(state, "states", states);
    state.counters["bytes_per_state"] = bytes / states;
}

[[maybe_unused]] const bool Registered = [] {
    bench::forEachSample("states/incremental", [](benchmark::State& state, const char* sample) {
        measure<Incremental>(state, sample, breadthFirst<Incremental>);
    });
    bench::forEachSample("states/from-scratch", [](benchmark::State& state, const char* sample) {
        measure<FromScratch>(state, sample, breadthFirst<FromScratch>);
    });
    bench::forEachSample("rollouts/incremental", [](benchmark::State& state, const char* sample) {
        measure<Incremental>(state, sample, rollouts<Incremental>);
    });
    bench::forEachSample("rollouts/from-scratch", [](benchmark::State& state, const char* sample) {
        measure<FromScratch>(state, sample, rollouts<FromScratch>);
    });
    for (const char* model : {"ks-2021", "ks-sized"}) {
        for (const bool local : {true, false}) {
            const std::string name = std::string("costs/") + model + (local ? "/local" : "/in-full");
            bench::forEachSample(
                name.c_str(), [=](benchmark::State& state, const char* sample) { costs(state, sample, model, local); });
        }
    }
    for (const char* strategy : {"greedy", "astar", "random"}) {
        bench::forEachSample((std::string("search/") + strategy).c_str(),
                             [=](benchmark::State& state, const char* sample) { searches(state, sample, strategy); });
    }
    return true;
}();

}  // namespace
