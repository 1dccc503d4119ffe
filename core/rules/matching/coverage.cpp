// SPDX-License-Identifier: GPL-3.0-or-later
// See coverage.h.
#include "core/rules/matching/coverage.h"

#include "core/ir/shared.h"
#include "core/rules/matching/internal/instantiate.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

namespace mitos::rules {

Result<std::vector<ir::TermId>> coveredNodes(ir::TermBank& bank, const DirectedRule& rule,
                                             const Substitution& substitution) {
    const CompiledRule* const compiled = compiledOf(rule);
    if (compiled == nullptr)
        return inputError(fmt::format("{} has no pattern", rule.name()), "name a pattern of a rule file");
    Instantiator instantiator(bank, *compiled, substitution);
    std::vector<ir::TermId> made;
    instantiator.recordInto(made);
    MITOS_TRY(const ir::TermId subject, instantiator.left());
    const absl::flat_hash_set<ir::TermId> wanted(made.begin(), made.end());
    std::vector<ir::TermId> covered;
    // A number of open type is tried with several types, so some terms that were made are no part of the program.
    for (const ir::TermId node : ir::SharedNodes(bank, subject)) {
        if (wanted.contains(node) && bank.childCount(node) > 0) covered.push_back(node);
    }
    return covered;
}

}  // namespace mitos::rules
