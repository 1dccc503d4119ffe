// SPDX-License-Identifier: GPL-3.0-or-later
// The facts about the terms of a bank: what values they can have, the sizes of these, and whether evaluating them can fail. There is one
// analysis of terms; conditions of rules, definedness, costs, derivatives and code ask it.
#pragma once

#include "core/ir/abstract_value.h"
#include "core/ir/fact_rule.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace mitos::facts {

using ir::EnvId;
using ir::TermId;
using ir::ValueId;

/// Facts about a term in its surroundings.
struct Facts {
    ValueId value;  ///< of every evaluation that does not fail
    /// How certainly the term's own operation fails or is undefined, if its operands have values.
    ir::Certainty fails = ir::Certainty::Never;
    ir::Certainty isUndefined = ir::Certainty::Never;
    /// Whether nothing in the term can fail, or be undefined over the reals: neither the operation nor an operand, nor a function that it
    /// applies.
    bool isTotal = true;
    bool isDefined = true;
};

/// Abstract interpretation of terms (P. and R. Cousot, 1977): runs a term once on abstract values, by the transfer rules in the rows of its
/// operators. Facts about a term follow from the term and its surroundings alone, so they are kept as long as the analysis exists,
/// and are the same in every bank and in every order of questions. Takes time linear in the size of the term's tree (of its graph, for
/// arrays); nothing is known of parts of ks terms beyond MostNodes nodes or MostLevels levels, of calls inside of MostCalls others, and of
/// calls of functions without a body or with one of more than MostCalledNodes nodes or MostCalledLevels levels.
class Analysis : public ir::TermBank::Companion {
public:
    static constexpr std::uint64_t MostNodes = 50'000;
    static constexpr std::uint32_t MostLevels = 400;
    static constexpr std::uint32_t MostCalls = 3;
    static constexpr std::uint64_t MostCalledNodes = 2'000;
    static constexpr std::uint32_t MostCalledLevels = 40;

    /// Facts about terms alone: free variables may have any value. The bank must outlive the analysis.
    explicit Analysis(const ir::TermBank& bank);
    /// Facts about terms of this function: the names of its sizes are sizes, and its parameters have the sizes that their types name.
    Analysis(const ir::TermBank& bank, const ir::Function& function);

    // --- surroundings ----------------------------------------------------------------------------------------------

    /// No variable is bound around the term. Bound variables of terms that are loose there may have any value.
    [[nodiscard]] EnvId outside() const { return EnvId(0); }
    /// The surroundings of a child that is evaluated with the term, or of the body of a `let`. In an arm of an `if` its condition is known.
    EnvId below(TermId term, std::size_t child, EnvId surroundings);
    /// The surroundings of the body of a lambda that is a child of the term, whose operator applies it.
    EnvId inFunction(TermId term, std::size_t child, EnvId surroundings);

    // --- facts -----------------------------------------------------------------------------------------------------

    Facts of(TermId term, EnvId surroundings);
    Facts of(TermId term) { return of(term, outside()); }
    [[nodiscard]] const ir::AbstractValues& values() const { return m_values; }
    [[nodiscard]] std::size_t bytes() const override;
    /// The bounds of all numbers in the term's value.
    ir::ValueRange range(TermId term, EnvId surroundings) { return m_values.range(of(term, surroundings).value); }
    ir::ValueRange range(TermId term) { return range(term, outside()); }
    /// Whether evaluating the term cannot fail.
    bool isTotal(TermId term) { return of(term).isTotal; }
    /// Whether the value of a term has the same sizes at every level for all values of the `loops` innermost variables around it: those of
    /// a ragged vector of vectors, too, if it does not depend on the variables. False if the sizes are not known well enough.
    bool hasOneShape(TermId term, std::uint32_t loops);

private:
    /// Around a term: a bound variable with its value, a fact about a term that the condition of an `if` implies, or the call whose function's
    /// body it is in.
    struct Environment {
        EnvId outer;    ///< of a call: the surroundings of the call, which are not those of the body
        EnvId plain;    ///< without facts
        EnvId base;     ///< the nearest call outwards, or outside()
        TermId source;  ///< the term that binds the variable, or that the fact is about; the call
        std::uint32_t child = 0;
        ValueId value;  ///< of the variable; invalid if nothing but its type is known
        bool isFact = false;
        bool isCall = false;
        ir::ValueRange fact = {};
        std::uint32_t depth = 0;     ///< variables bound here and outside
        std::uint32_t level = 0;     ///< loops on whose iterations the variable depends
        std::uint32_t loops = 0;     ///< loops around
        std::uint32_t closures = 0;  ///< functions applied that are not written where they are applied
        std::uint32_t calls = 0;     ///< calls around
        bool hasFacts = false;
    };
    using EnvironmentKey =
        std::tuple<EnvId, TermId, std::uint32_t, ValueId, ir::ValueRange, std::uint32_t, std::uint32_t>;
    class Application;

    EnvId intern(const Environment& environment);
    EnvId bound(EnvId outer, TermId source, std::uint32_t child, ValueId value, std::uint32_t level,
                std::uint32_t loops, std::uint32_t closures);
    EnvId withFact(EnvId outer, TermId subject, const ir::ValueRange& fact);
    EnvId inCall(TermId call, EnvId outer);

    Facts evaluate(TermId term, EnvId at);
    /// The same of a part of a term, about which nothing is known if it is too large.
    Facts operand(TermId term, EnvId at);
    Facts settled(Facts facts, TermId term, EnvId at);
    Facts computed(TermId term, EnvId at);
    Facts leaf(TermId term, EnvId at);
    Facts applied(TermId term, EnvId at);
    Facts called(TermId call, EnvId at);
    /// Whether the arguments have the sizes that the types of the parameters state: a call fails if two sizes of one name differ.
    bool haveStatedSizes(TermId call, EnvId at);
    bool hasStatedSizes(ValueId value, ir::TypeId type, bool isElement,
                        absl::flat_hash_map<Symbol, ir::Size>& stated) const;
    [[nodiscard]] Facts unknown(TermId term);
    ValueId variable(TermId term);
    /// The value of a parameter, or of the name of a size, in the body of a called function.
    ValueId argument(TermId variable, const Environment& call);
    ValueId boundVariable(TermId term, EnvId at);
    void prepare(TermId term);
    [[nodiscard]] bool isTooLarge(TermId term) const;

    /// The loops on whose iterations the term depends.
    [[nodiscard]] std::uint32_t level(TermId term, EnvId at) const;
    /// Gives unknown sizes and Integers of a value the term's symbols.
    ValueId named(ValueId value, ir::TypeId type, TermId term, EnvId at, std::uint32_t level, std::uint32_t& part,
                  bool isElement);
    ValueId refined(ValueId value, TermId term, EnvId at);

    EnvId learned(TermId condition, bool holds, EnvId at);
    EnvId noted(TermId subject, const ir::ValueRange& own, const ir::ValueRange& fact, EnvId at);

    const ir::TermBank& m_bank;
    const ir::Function* m_function = nullptr;
    ir::AbstractValues m_values;
    std::vector<Environment> m_environments;
    absl::flat_hash_map<EnvironmentKey, EnvId> m_environmentIds;
    absl::flat_hash_map<std::pair<TermId, EnvId>, Facts> m_facts;
};

/// The analysis of the bank's terms alone, which the bank keeps.
[[nodiscard]] Analysis& of(ir::TermBank& bank);

}  // namespace mitos::facts
