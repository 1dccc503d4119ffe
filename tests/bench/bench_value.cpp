// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a search's states by networks with random parameters: in the order in which the search met them, in batches, on one thread. The ratio
// of two lines of the same run is what counts.
#include "core/rewrite/successor_index.h"
#include "search/learned/learned_library.h"
#include "search/rewriting/learned_value.h"
#include "tests/bench/subject.h"

#include <absl/container/flat_hash_set.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace mitos;
using bench::Subject;
using search::learned::ValueNetworkKind;

namespace {

constexpr std::size_t StatesToReach = 5'000;

/// The first states breadth first.
std::vector<ir::TermId> statesOf(Subject& subject) {
    rewrite::SuccessorIndex index(subject.bank, bench::rules().directions());
    std::vector<ir::TermId> states{subject.program.root};
    absl::flat_hash_set<ir::TermId> known{subject.program.root};
    std::vector<rewrite::Successor> successors;
    for (std::size_t next = 0; next < states.size() && states.size() < StatesToReach; ++next) {
        const ir::TermId root = states[next];
        index.list(root, successors, [] { return true; });
        for (const rewrite::Successor& successor : successors) {
            const ir::TermId state = index.build(root, successor);
            if (known.insert(state).second) states.push_back(state);
        }
    }
    states.resize(std::min(states.size(), StatesToReach));
    return states;
}

struct Setting {
    const char* name;
    search::learned::ValueNetworkShape shape;
    std::vector<std::string> hints = {};
    bool forgets = false;  ///< what it knows of terms, before each batch
};

void measure(benchmark::State& state, const char* sample, const Setting& setting, std::size_t batch) {
    Subject subject(sample);
    const std::vector<ir::TermId> states = statesOf(subject);
    const search::SearchProblem problem{
        subject.bank, subject.program, bench::rules().directions(), *cost::findCostModel("ks-2021"), {}, 1, {}};
    search::ValueModel model{.shape = setting.shape, .vocabulary = kindsOf(problem), .hints = setting.hints};
    model.shape.kinds = static_cast<std::uint32_t>(model.vocabulary.size());
    model.shape.hints = static_cast<std::uint32_t>(model.hints.size()) * model.shape.times;
    for (auto _ : state) {
        state.PauseTiming();
        auto network = search::learned::makeValueNetwork(model.shape);
        if (!network) return state.SkipWithError(network.error().message.c_str());
        (*network)->initialize(1);
        search::learned::ValueNetwork& own = **network;
        auto value = search::LearnedValue::make(model, *std::move(network), problem);
        if (!value) return state.SkipWithError(value.error().message.c_str());
        state.ResumeTiming();
        for (std::size_t from = 0; from < states.size(); from += batch) {
            const auto part = std::span(states).subspan(from, std::min(batch, states.size() - from));
            if (setting.forgets) own.forget();
            benchmark::DoNotOptimize((*value)->values(part, {1, model.shape.times}));
        }
    }
    bench::perSecond(state, "states", static_cast<double>(states.size() * state.iterations()));
}

}  // namespace

int main(int argc, char** argv) {
    // It is beside the programs, not beside this one; without it, networks that need it say so.
    static_cast<void>(search::learned::LearnedLibrary::load(MITOS_LEARNED_FILE));
    const search::learned::ValueNetworkShape terms{.kind = ValueNetworkKind::Terms};
    const search::learned::ValueNetworkShape knossos{
        .kind = ValueNetworkKind::Knossos, .hidden = 64, .rounds = 5, .readout = 64};
    for (const std::size_t batch : {16, 256}) {
        for (const Setting& setting : std::vector<Setting>{{"terms", terms},
                                                           {"terms, forgetting", terms, {}, true},
                                                           {"terms with hints", terms, {"sharing", "algebra"}},
                                                           {"knossos", knossos}}) {
            bench::forEachSample(
                (std::string(setting.name) + ", " + std::to_string(batch)).c_str(),
                [=](benchmark::State& state, const char* sample) { measure(state, sample, setting, batch); });
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
