// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rewrite/rule_everywhere.h"

#include "core/rewrite/rewriter.h"

namespace mitos::rewrite {

Thread everywhere(ir::TermBank& bank, const ir::Program& program,
                  const std::shared_ptr<const rules::DirectedRule>& rule, absl::FunctionRef<bool()> goesOn) {
    const Rewriter rewriter(bank, {rule}, bank.function(program.function).sharing);
    std::vector<ir::Path> places;
    rewriter.forEach(program.root, [&](const Rewrite& one) {
        if (places.empty() || places.back() != one.step.positions.front()) places.push_back(one.step.positions.front());
        return places.size() < MostPlacesOfRule && goesOn();
    });
    Thread thread{program, {}, {}};
    for (auto place = places.rbegin(); place != places.rend() && goesOn(); ++place) {
        const auto found = rewriter.at(thread.end().root, *place);
        if (!found || found->empty()) continue;
        thread.steps.push_back(found->front().step);
        thread.states.push_back(found->front().result);
    }
    return thread;
}

}  // namespace mitos::rewrite
