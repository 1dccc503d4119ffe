// SPDX-License-Identifier: GPL-3.0-or-later
// See analysed_terms.h.
#include "core/eval/testing/internal/analysed_terms.h"

#include "core/eval/testing/random_terms.h"

#include <array>
#include <limits>

namespace mitos::eval {

using ir::TermId;
using ir::TypeId;

namespace {

constexpr int Attempts = 8;

/// A constant, special ones included.
TermId constantTerm(ir::TermBank& bank, TypeId type, Random& random) {
    constexpr std::array<double, 9> Reals{0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e300, -1e-300, 4503599627370497.5};
    constexpr std::array<std::int64_t, 8> Wholes{0,
                                                 1,
                                                 -1,
                                                 2,
                                                 3,
                                                 3'037'000'500,
                                                 std::numeric_limits<std::int64_t>::max(),
                                                 std::numeric_limits<std::int64_t>::min()};
    if (random.chance(0.5)) {
        if (type == bank.types().floating()) return bank.floating(Reals.at(random.below(Reals.size())));
        if (type == bank.types().integer()) return bank.integer(Wholes.at(random.below(Wholes.size())));
    }
    return randomTerm(bank, type, {}, random, 1);
}

TermId leafTerm(ir::TermBank& bank, TypeId type, const std::vector<ir::Parameter>& free, Random& random) {
    if (!free.empty() && random.chance(0.3)) {
        const ir::Parameter& one = free[random.below(free.size())];
        if (one.type == type) return bank.variable(one.name, type);
    }
    return constantTerm(bank, type, random);
}

}  // namespace

TermId analysedTerm(ir::TermBank& bank, const rules::CompiledAnalysis& analysis, TypeId type,
                    const std::vector<ir::Parameter>& free, Random& random, std::uint32_t maxSize) {
    for (int i = 0; maxSize > 0 && !analysis.operators.empty() && i < Attempts; ++i) {
        const rules::AnalysisEquation& equation = analysis.operators[random.below(analysis.operators.size())];
        const TermId made = analysedTerm(bank, analysis, equation, free, random, maxSize);
        if (made.isValid() && bank.type(made) == type) return made;
    }
    return leafTerm(bank, type, free, random);
}

TermId analysedTerm(ir::TermBank& bank, const rules::CompiledAnalysis& analysis,
                    const rules::AnalysisEquation& equation, const std::vector<ir::Parameter>& free, Random& random,
                    std::uint32_t maxSize) {
    ir::TypeTable& types = bank.types();
    const std::array kinds{types.floating(), types.integer(), types.boolean()};
    const TypeId usual = kinds.at(random.below(kinds.size()));
    const std::uint32_t below = maxSize <= 1 || random.chance(0.6) ? 0 : maxSize / 2;
    std::vector<TermId> operands;
    for (std::size_t k = 0; k < equation.operands.size(); ++k) {
        const TypeId own = random.chance(0.8) ? usual : kinds.at(random.below(kinds.size()));
        operands.push_back(analysedTerm(bank, analysis, own, free, random, below));
    }
    const Result<TermId> made = bank.make(equation.op, operands);
    return made ? *made : TermId();
}

}  // namespace mitos::eval
