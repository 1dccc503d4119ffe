// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules of a shipped set make of tensor programs, as text that tests can compare.
#pragma once

#include "core/dialects/dialects.h"
#include "core/rules/directed_rule.h"
#include "core/rules/rule.h"
#include "core/tensor/operator.h"
#include "core/tensor/text.h"

#include <memory>
#include <string>

namespace mitos::tests {

inline std::shared_ptr<const ir::OperatorRegistry> graphRegistry() {
    static const auto shared = dialects::makeRegistry();
    return shared;
}

/// What a direction of a rule (`name` or `name~`) makes of the root of a graph; "none".
inline std::string rewrittenRoot(const rules::LoadedRules& loaded, const std::string& name,
                                 const std::string& parameters, const std::string& body) {
    ir::TermBank bank(graphRegistry());
    const Result<ir::Program> program =
        tensor::parseListing(bank, SourceText("test", "graph g(" + parameters + ")\n" + body + "\n"));
    if (!program) return program.error().render();
    for (const auto& rule : loaded.set.rules) {
        for (const auto& direction : rule->directions) {
            if (direction->name() != name) continue;
            std::string result = "none";
            direction->match(bank, program->root, [&](const rules::Substitution& match) {
                const Result<ir::TermId> after = direction->apply(bank, match, program->root);
                if (!after) return true;
                result = tensor::termText(bank, *after, 20);
                return false;
            });
            return result;
        }
    }
    return "there is no such rule";
}

}  // namespace mitos::tests
