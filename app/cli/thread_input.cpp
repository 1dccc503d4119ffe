// SPDX-License-Identifier: GPL-3.0-or-later
// See thread_input.h.
#include "app/cli/thread_input.h"

#include "core/rewrite/stated_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::cli {

namespace {

/// Makes the report invalid at the first cost that differs from the cost of its state.
void compareCosts(ReadThread& read, const rewrite::StatedThread& stated, const std::string& file) {
    constexpr double Printed = 1e-10;  // costs are written with twelve digits
    for (std::size_t i = 0; i < std::min(stated.states.size(), read.costs.size()); ++i) {
        const rewrite::StatedThread::State& state = stated.states[i];
        const double actual = read.costs[i];
        if (!state.cost || std::abs(*state.cost - actual) <= Printed * std::max(1.0, std::abs(actual))) continue;
        read.report.valid = false;
        read.report.steps = i == 0 ? 0 : i - 1;
        read.report.failedStep = i;
        read.report.reason = fmt::format("the {} costs {:.12g} ({}), not {:.12g} as the file says (line {} of {})",
                                         i == 0 ? "start" : "program it leads to", actual, stated.costModel,
                                         *state.cost, state.line, file);
        return;
    }
}

}  // namespace

Result<ReadThread> openThread(const std::string& path, const CommonOptions& options, const OpenProgram& open,
                              const rules::RuleBook& book) {
    MITOS_TRY(const SourceText text, readSourceFile(path));
    MITOS_TRY(rewrite::Replay replay, rewrite::readThread(*open.bank, text, book));
    if (replay.thread.start.root != open.program.root) {
        return Error{ErrorCode::Incompatible, fmt::format("the thread {} does not start at {}", path, options.file),
                     std::nullopt, "it starts at another program; name that file, or its --function"};
    }
    const Result<rewrite::StatedThread> stated = rewrite::statedThread(text);
    if (!stated) return stated.error();
    ReadThread read{
        .thread = std::move(replay.thread), .report = std::move(replay.report), .costs = {}, .costModel = {}};
    read.costModel = stated->costModel.empty() ? options.cost : stated->costModel;
    MITOS_TRY(const auto model, cost::findCostModel(read.costModel, open.dialect().name));
    const std::unique_ptr<cost::CostEvaluator> costs = open.costs(*model);
    std::vector<ir::TermId> states{read.thread.start.root};
    states.insert(states.end(), read.thread.states.begin(), read.thread.states.end());
    MITOS_TRY(read.costs, costs->costs(states));
    if (read.report.valid) read.report = rewrite::check(*open.bank, read.thread);
    if (read.report.valid && !stated->costModel.empty()) compareCosts(read, *stated, text.name());
    return read;
}

}  // namespace mitos::cli
