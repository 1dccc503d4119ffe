// SPDX-License-Identifier: GPL-3.0-or-later
// Rewriting without a choice: the first rewrite that leads to something new, until none does.
#include "search/rewriting/state_space.h"
#include "search/rewriting/strategies.h"

namespace mitos::search {

namespace {

class Exhaust final : public Strategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                           Observer& observer) const override {
        const Result<ParameterValues> parameters = resolveParameters(m_info, problem);
        if (!parameters) return parameters.error();
        Result<std::unique_ptr<StateSpace>> opened = StateSpace::open(problem, std::move(stop), observer);
        if (!opened) return std::move(opened).error();
        StateSpace& space = **opened;
        const std::int64_t depth = std::get<std::int64_t>(parameters->at("depth"));
        ExpressionId at = space.start();
        for (std::int64_t step = 0; step < depth; ++step) {
            const ExpressionId next = firstNew(space, at);
            if (!next.isValid()) return space.finish(StopReason::Exhausted, at);
            at = next;
        }
        return space.finish(StopReason::Depth, at);
    }

private:
    static ExpressionId firstNew(StateSpace& space, ExpressionId at) {
        const auto successors = space.expand(at, 0);
        if (!successors) return {};
        for (const Successor& successor : *successors) {
            const auto [arrival, id] = space.reach(at, successor);
            if (arrival == StateSpace::Arrival::New) return id;
            if (arrival == StateSpace::Arrival::Refused) break;
        }
        return {};
    }

    StrategyInfo m_info{.name = "exhaust",
                        .title = "Rewrite until nothing applies",
                        .description =
                            "Takes the first rewrite that leads to a program not met before, whatever it "
                            "costs, until there is none. For rules whose order does not matter.",
                        .parameters = {{.name = "depth",
                                        .title = "Depth",
                                        .help = "Steps at most.",
                                        .defaultValue = std::int64_t{200},
                                        .minimum = 1,
                                        .maximum = 100000,
                                        .choices = {}}}};
};

}  // namespace

std::unique_ptr<Strategy> makeExhaust() { return std::make_unique<Exhaust>(); }

}  // namespace mitos::search
