// SPDX-License-Identifier: GPL-3.0-or-later
// Traverses the call graph with explicit stacks.
#include "core/ir/calls.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

namespace mitos::ir {

std::vector<FunctionId> calleesOf(const TermBank& bank, TermId root) {
    std::vector<FunctionId> callees;
    if (!root.isValid()) return callees;
    absl::flat_hash_set<TermId> seen{root};
    absl::flat_hash_set<FunctionId> known;
    std::vector<TermId> open{root};
    while (!open.empty()) {
        const TermId term = open.back();
        open.pop_back();
        if (bank.is(term, CoreOp::Call) && known.insert(bank.payload(term).asFunction()).second) {
            callees.push_back(bank.payload(term).asFunction());
        }
        for (std::size_t i = bank.childCount(term); i-- > 0;) {
            if (seen.insert(bank.child(term, i)).second) open.push_back(bank.child(term, i));
        }
    }
    return callees;
}

std::vector<FunctionId> callOrder(const TermBank& bank, const Program& program) {
    struct Open {
        FunctionId function;
        std::vector<FunctionId> callees;
        std::size_t next = 0;
    };
    std::vector<FunctionId> order;
    absl::flat_hash_set<FunctionId> seen{program.function};
    std::vector<Open> open;
    open.push_back({program.function, calleesOf(bank, program.root)});
    while (!open.empty()) {
        Open& top = open.back();
        if (top.next < top.callees.size()) {
            const FunctionId callee = top.callees[top.next++];
            if (seen.insert(callee).second) open.push_back({callee, calleesOf(bank, bank.function(callee).body)});
            continue;
        }
        if (top.function != program.function) order.push_back(top.function);
        open.pop_back();
    }
    return order;
}

std::size_t nestingWithCalls(const TermBank& bank, const Program& program) {
    absl::flat_hash_map<FunctionId, std::size_t> known;
    const auto nestingOf = [&](TermId body) -> std::size_t {
        if (!body.isValid()) return 0;
        std::size_t deepest = 0;
        for (const FunctionId callee : calleesOf(bank, body)) {
            const auto found = known.find(callee);
            if (found != known.end()) deepest = std::max(deepest, found->second);
        }
        return bank.depth(body) + deepest;
    };
    for (const FunctionId callee : callOrder(bank, program)) known[callee] = nestingOf(bank.function(callee).body);
    return nestingOf(program.root);
}

}  // namespace mitos::ir
