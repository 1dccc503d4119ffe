// SPDX-License-Identifier: GPL-3.0-or-later
// Running a strategy in a test.
#pragma once

#include "search/rewriting/rewriting.h"
#include "search/strategies/strategies.h"

#include <QtGlobal>
#include <utility>
#include <vector>

namespace mitos::search::test {

class Recorder final : public Observer {
public:
    void onEvent(const SearchEvent& event) override { events.push_back(event); }
    std::vector<SearchEvent> events;
};

inline SearchResult searched(const Strategy& strategy, const SearchProblem& problem, Observer& observer) {
    Result<SearchResult> result = strategy.run(problem, {}, observer);
    if (!result) qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

inline SearchResult searched(const Strategy& strategy, const SearchProblem& problem) {
    Recorder ignored;
    return searched(strategy, problem, ignored);
}

inline SearchResult searched(const char* strategy, const SearchProblem& problem) {
    return searched(**findStrategy(strategy), problem);
}

}  // namespace mitos::search::test
