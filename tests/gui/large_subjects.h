// SPDX-License-Identifier: GPL-3.0-or-later
// Long sessions and large programs, for benchmarks and for tests of what is done in portions.
#pragma once

#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "core/rewrite/rewriter.h"
#include "storage/session.h"

#include <QTemporaryDir>
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace mitos::test {

/// A history of so many states: a line that turns the sum again and again, with a branch at every hundredth state.
inline rewrite::History longHistory(ir::TermBank& bank, const rules::RuleBook& book, const ir::Program& program,
                                    int states) {
    rewrite::History history(program, 7.0);
    rewrite::Rewriter rewriter(bank, book.directions());
    while (history.size() < static_cast<std::size_t>(states)) {
        const rewrite::StateId at = history.current();
        const bool branches = history.size() % 100 == 0;
        const std::vector<rewrite::Rewrite> all = rewriter.all(history.state(at).root);
        const auto add = [&](const char* rule) {
            const auto found = std::ranges::find_if(
                all, [rule](const rewrite::Rewrite& one) { return one.step.rule->name() == rule; });
            return history.add(at, found->step, found->result, 7.0);
        };
        const rewrite::StateId next = add("commute_add");
        if (branches && history.size() < static_cast<std::size_t>(states)) {
            add("commute_mul");
            history.checkout(next);
        }
    }
    return history;
}

/// A session with that history and a run of so many events, each of which found something better.
inline std::string makeSession(const QTemporaryDir& folder, int states, int events) {
    const std::string path = folder.filePath(QStringLiteral("bench.mitos")).toStdString();
    const auto registry = ks::makeRegistry();
    const rules::RuleBook book = *rules::RuleBook::load("ks-simple,ks-extended", registry);
    ir::TermBank bank(book.registry());
    const ir::Program program = *ks::parseProgram(bank, "bench", "(add (mul a b) (mul a c))");
    const rewrite::History history = longHistory(bank, book, program, states);
    storage::Session session = *storage::Session::open(path);
    search::Run run;
    run.program = *session.addProgram("bench", "", ks::printProgram(bank, program));
    std::vector<storage::StoredState> rows;
    for (std::uint32_t i = 0; i < history.size(); ++i) {
        rows.push_back(storage::toStored(bank, history, rewrite::StateId(i)));
    }
    if (!session.addStates(run.program, rows)) std::abort();
    run.strategy = "astar";
    run.costModel = "ks-2021";
    run.id = *session.beginRun(run);
    std::vector<search::SearchEvent> all(static_cast<std::size_t>(events));
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].what = search::Improved{};
        all[i].evaluations = i + 1;
        all[i].seconds = 0.01 * static_cast<double>(i);
        all[i].best = 1e6 / static_cast<double>(i + 1);
    }
    if (!session.appendEvents(run.id, all) || !session.finishRun(run)) std::abort();
    return path;
}

/// A balanced sum of so many different numbers: as many terms as nodes, nothing is shared.
inline std::string sumOf(int leaves, int& next) {
    if (leaves <= 1) return std::to_string(next++) + ".5";
    std::string left = sumOf(leaves / 2, next);
    return "(add " + std::move(left) + " " + sumOf(leaves - leaves / 2, next) + ")";
}

}  // namespace mitos::test
