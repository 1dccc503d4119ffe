// SPDX-License-Identifier: GPL-3.0-or-later
// Random instances of rewrite rules inside random programs.
#pragma once

#include "core/base/random.h"
#include "core/rules/directed_rule.h"
#include "core/rules/typing.h"

#include <optional>
#include <vector>

namespace mitos::eval {

/// A program before and after one rewrite. Both roots are bodies of the generator's function.
struct RuleInstance {
    ir::TermId subject;  ///< the matched subterm
    ir::TermId replacement;
    ir::TermId before;  ///< the whole program
    ir::TermId after;
    ir::TermId parts;  ///< a program whose value is a tuple of what the rule's variables stand for; invalid: unknown
};

/// Makes instances of one direction in one bank.
class RuleInstances {
public:
    RuleInstances(ir::TermBank& bank, const rules::CompiledDirection& direction);

    /// A function whose parameters the programs use: Floats, Integers, a Bool, vectors and a matrix.
    [[nodiscard]] ir::FunctionId function() const { return m_function; }
    /// Random terms have about maxSize nodes; without surroundings the rewritten term is the whole program. Nothing if
    /// this attempt led to no instance.
    [[nodiscard]] std::optional<RuleInstance> make(Random& random, std::uint32_t maxSize, bool surroundings);

private:
    std::optional<RuleInstance> fromTyping(Random& random, std::uint32_t maxSize, bool surroundings);
    std::optional<RuleInstance> fromProgram(Random& random, std::uint32_t maxSize);
    std::optional<rules::Substitution> substitution(const rules::Typing& typing, const std::vector<ir::TypeId>& outer,
                                                    Random& random, std::uint32_t maxSize);
    ir::TermId filling(ir::TypeId type, const std::vector<ir::TypeId>& bound, Random& random, std::uint32_t maxSize);
    void choices(const rules::Typing& typing, std::uint32_t node, rules::Binding& into);
    ir::TermId parts(const rules::Typing& typing, const rules::Substitution& substitution,
                     const std::vector<ir::TypeId>& outer, Random& random);
    ir::TermId enclosed(ir::TermId term, const std::vector<ir::TypeId>& outer, std::uint64_t seed);
    ir::TermId withLets(ir::TermId term, Random& random);

    ir::TermBank& m_bank;
    const rules::CompiledDirection& m_direction;
    ir::FunctionId m_function;
    std::vector<rules::Typing> m_typings;
    bool m_constants = false;  ///< numbers of this instance are constants: some rules match nothing else
};

}  // namespace mitos::eval
