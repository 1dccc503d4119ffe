// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/program_variants.h"

#include "core/base/random.h"
#include "core/ir/shared.h"

#include <vector>

namespace mitos::search {

namespace {

/// Subterms that may be replaced, and those that may replace others.
constexpr std::uint64_t LargestReplaced = 9;
constexpr std::uint64_t LargestReplacement = 7;

std::vector<ir::TermId> partsOf(const ir::TermBank& bank, ir::TermId root, std::uint64_t largest) {
    std::vector<ir::TermId> parts;
    for (const ir::TermId term : ir::SharedNodes(bank, root)) {
        if (term != root && bank.looseBound(term) == 0 && bank.treeSize(term) <= largest) parts.push_back(term);
    }
    return parts;
}

}  // namespace

ir::Program variantOf(ir::TermBank& bank, const ir::Program& program, const ir::Program& other, Random& random) {
    ir::Program variant = program;
    const std::vector<ir::TermId> replacements = partsOf(bank, other.root, LargestReplacement);
    const std::size_t count = 1 + random.below(2);
    for (std::size_t i = 0; i < count && !replacements.empty(); ++i) {
        std::vector<ir::TermId> parts;
        for (const ir::TermId term : partsOf(bank, variant.root, LargestReplaced)) {
            if (!bank.is(term, ir::CoreOp::Literal)) parts.push_back(term);
        }
        if (parts.empty()) break;
        const ir::TermId part = parts[random.below(parts.size())];
        const ir::TermId replacement = replacements[random.below(replacements.size())];
        if (bank.type(part) != bank.type(replacement)) continue;
        variant.root = ir::replaceShared(bank, ir::SharedNodes(bank, variant.root), part, replacement);
    }
    return variant;
}

}  // namespace mitos::search
