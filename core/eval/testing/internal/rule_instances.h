// SPDX-License-Identifier: GPL-3.0-or-later
// Random instances of rewrite rules inside random programs.
#pragma once

#include "core/base/random.h"
#include "core/eval/evaluator.h"
#include "core/ir/path.h"
#include "core/rules/directed_rule.h"
#include "core/rules/language/typing.h"

#include <absl/functional/function_ref.h>

#include <memory>
#include <optional>
#include <vector>

namespace mitos::eval {

/// A program before and after one rewrite. Both roots are bodies of the generator's function.
struct RuleInstance {
    ir::TermId before;  ///< the whole program
    ir::TermId after;
    ir::Path position;           ///< of the rewritten subterm
    ir::TermId subject;          ///< the matched subterm
    ir::TermId replacement;      ///< the term that replaces it
    std::int64_t usualSize = 0;  ///< most literal sizes in it are this; 0: unknown
    bool isWide = false;         ///< it states an Integer that is too large for a size
};

/// Makes instances of one direction in one bank.
class RuleInstances {
public:
    RuleInstances(ir::TermBank& bank, const rules::CompiledDirection& direction);

    /// A function whose parameters the programs use: Floats, Integers, a Bool, vectors and a matrix.
    [[nodiscard]] ir::FunctionId function() const { return m_function; }
    /// Random terms have about maxSize nodes; without surroundings the rewritten term is the whole program. Empty if this attempt gave no
    /// instance.
    [[nodiscard]] std::optional<RuleInstance> make(Random& random, std::uint32_t maxSize, bool surroundings);
    /// Calls `found` for every rewrite of a program by the direction, positions in pre-order, until it returns false.
    void forEachIn(ir::TermId program, absl::FunctionRef<bool(const RuleInstance&)> found);

private:
    /// The kind of value that the conditions of the rule require for a variable.
    enum class Wish : std::uint8_t { Anything, Constant, Zero, Positive, Nonzero, Analysed };

    void readWishes();
    std::optional<RuleInstance> fromTyping(Random& random, std::uint32_t maxSize, bool surroundings);
    std::optional<RuleInstance> fromProgram(Random& random, std::uint32_t maxSize);
    std::optional<RuleInstance> at(ir::TermId program, const ir::Path& position, ir::TermId subject,
                                   const rules::Substitution& substitution);
    std::optional<rules::Substitution> substitution(const rules::Typing& typing, const std::vector<ir::TypeId>& outer,
                                                    Random& random, std::uint32_t maxSize);
    ir::TermId filling(ir::TypeId type, Wish wish, const std::vector<ir::TypeId>& bound, Random& random,
                       std::uint32_t maxSize);
    /// One of the rule's numbers, mostly one that it states. Invalid for other types than numbers.
    ir::TermId ownNumber(ir::TypeId type, Random& random);
    ir::TermId signedTerm(ir::TypeId type, bool isNegative, const std::vector<ir::TypeId>& bound, Random& random,
                          std::uint32_t maxSize);
    void choices(const rules::Typing& typing, std::uint32_t node, rules::Binding& into);
    ir::TermId enclosed(ir::TermId term, const std::vector<ir::TypeId>& outer, Random& random, ir::Path& position);
    ir::TermId applied(ir::TermId map, const std::vector<ir::TypeId>& outer, Random& random, ir::Path& position);
    ir::TermId withLets(ir::TermId term, Random& random);

    ir::TermBank& m_bank;
    const rules::CompiledDirection& m_direction;
    ir::FunctionId m_function;
    std::vector<rules::Typing> m_typings;
    std::vector<Wish> m_wishes;  ///< indexed by variable
    /// An analysis that the conditions ask for; null if there is none.
    std::shared_ptr<const rules::CompiledAnalysis> m_analysis;
    std::int64_t m_usualSize = 1;
    DecidingNumbers m_numbers;          ///< of the rule's patterns, with their neighbours
    std::vector<std::int64_t> m_sizes;  ///< those of them that may be sizes
    bool m_hasLoops = false;            ///< the rule is about loops with exits
    bool m_isOfWideIntegers = false;    ///< this instance has Integers of all 64 bits
    bool m_isWide = false;              ///< see RuleInstance::isWide
    bool m_isOfEmptyLoops = false;      ///< this instance has loops that do not run, with terms that would fail in them
};

}  // namespace mitos::eval
