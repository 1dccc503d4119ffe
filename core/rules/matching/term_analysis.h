// SPDX-License-Identifier: GPL-3.0-or-later
// Runs an analysis that a rule file states over the terms of a bank.
#pragma once

#include "core/ir/term_bank.h"
#include "core/rules/language/compiled_analysis.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace mitos::rules {

/// What an analysis knows of terms. The value of a term depends on the term alone, so it is the same wherever the term is met: in a
/// program, in a thread, in an e-graph. Values are computed once.
class TermAnalysis {
public:
    /// The bank must outlive it.
    TermAnalysis(ir::TermBank& bank, std::shared_ptr<const CompiledAnalysis> analysis);
    TermAnalysis(TermAnalysis&&) noexcept;
    ~TermAnalysis();

    [[nodiscard]] ir::TermBank& bank() const;
    [[nodiscard]] bool knows(ir::TermId term);
    /// Whether the analysis has an equation for the operator, or the operator is that of literals.
    [[nodiscard]] bool asks(ir::OpId op) const;
    /// Whether something would be known of the operator over such terms; an invalid id is a term of which nothing is known, of that type.
    /// `attributes` are the literals of the operator's attributes.
    [[nodiscard]] bool wouldKnow(ir::OpId op, std::span<const ir::TermId> attributes, std::span<const ir::TermId> terms,
                                 std::span<const ir::TypeId> types);

    /// What is known of a term that equals two terms of which something is known.
    enum class Joined : std::uint8_t {
        Same,           ///< the same is known of both
        First,          ///< what is known of the first says more
        Second,         ///< what is known of the second says more
        Apart,          ///< together they say more than each
        Contradiction,  ///< they cannot be equal
    };
    [[nodiscard]] Joined join(ir::TermId first, ir::TermId second);
    /// Whether what is known of the term admits that its value is the literal.
    [[nodiscard]] bool admits(ir::TermId term, ir::TermId literal);
    /// What is known of the term, as text; "nothing" if nothing is.
    [[nodiscard]] std::string text(ir::TermId term);
    /// The equation that gave the term's value; null if nothing is known of it.
    [[nodiscard]] const AnalysisEquation* equationOf(ir::TermId term);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace mitos::rules
