// SPDX-License-Identifier: GPL-3.0-or-later
// Symbolic elevation: loops of a ks program become closed forms, by steps of the rules of `ks-phi` and of the other shipped sets.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"
#include "core/rules/rule.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace mitos::coarsening {

enum class Rule : std::uint8_t;  // internal/known_rules.h

/// The rules of elevation: the rule sets that its steps are taken from, and those of their rules that it applies by name.
class ElevationRules {
public:
    static constexpr const char* Sets = "ks-all,ks-phi";
    /// Loads the sets. Fails as rules::RuleBook::load() does.
    [[nodiscard]] static Result<ElevationRules> load(std::shared_ptr<const ir::OperatorRegistry> registry);
    /// Fails if a rule that elevation applies is not in the book.
    [[nodiscard]] static Result<ElevationRules> in(rules::RuleBook book);

    [[nodiscard]] const rules::RuleBook& book() const { return m_book; }
    [[nodiscard]] const std::shared_ptr<const rules::DirectedRule>& operator[](Rule rule) const {
        return m_known[static_cast<std::size_t>(rule)];
    }

private:
    explicit ElevationRules(rules::RuleBook book) : m_book(std::move(book)) {}

    rules::RuleBook m_book;
    std::vector<std::shared_ptr<const rules::DirectedRule>> m_known;
};

/// The largest loops that are written out.
struct UnrollLimits {
    std::size_t iterations = 16;  ///< 0: none is written out
    std::size_t operators = 600;  ///< of all iterations of a loop together
};

/// The steps that elevate a program, in a fixed order: inner loops first, and for each loop the first form that fits of: a state that
/// does not change, C6, C7, C8 without a summand, C9. Of what is left, a loop with a small constant trip count is written out, and its
/// tuples and vectors become scalars; any other stays as it is (C5). Logarithms and quotients of
/// exponentials get forms that do not overflow. The thread is empty if nothing of this applies. The steps are instances of these rules
/// and can be replayed, checked and written like any others. A stop request ends it with the steps found by then.
[[nodiscard]] rewrite::Thread elevate(ir::TermBank& bank, const ir::Program& program, const ElevationRules& rules,
                                      UnrollLimits limits = {}, const std::stop_token& stop = {});

/// The program at the end of that thread, without the thread.
[[nodiscard]] ir::TermId symbolicForm(ir::TermBank& bank, const ir::Program& program, const ElevationRules& rules,
                                      UnrollLimits limits = {}, const std::stop_token& stop = {});

}  // namespace mitos::coarsening
