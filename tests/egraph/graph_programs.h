// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that are graphs, for tests of e-graphs over them.
#pragma once

#include "core/dialects/dialects.h"
#include "core/egraph/runner.h"

#include <QtGlobal>
#include <memory>
#include <string>
#include <vector>

namespace mitos::tests {

struct GraphPrograms {
    std::shared_ptr<const ir::OperatorRegistry> registry = dialects::makeRegistry();
    ir::TermBank bank{registry};

    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
};

inline egraph::SaturationReport saturated(egraph::EGraph& graph,
                                          const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules,
                                          const egraph::SaturationOptions& options) {
    Result<egraph::SaturationReport> report =
        egraph::saturate(graph, rules, options, {}, [](const auto&, auto&) { return true; });
    if (!report) qFatal("%s", report.error().render().c_str());
    return *std::move(report);
}

}  // namespace mitos::tests
