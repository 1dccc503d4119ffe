// SPDX-License-Identifier: GPL-3.0-or-later
// Symbolic elevation: loops of a ks program become closed forms, by steps of the rules of `ks-phi` and of the other shipped sets.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"
#include "core/rules/rule.h"

#include <memory>

namespace mitos::coarsening {

/// The rules that elevation uses.
[[nodiscard]] Result<rules::RuleBook> elevationRules(std::shared_ptr<const ir::OperatorRegistry> registry);

/// The steps that elevate a program, in a fixed order: inner loops first, and for each loop the first form that fits of: a state that
/// does not change, C6, C7, C8 without a summand, C9. A loop without such a form stays as it is (C5). Logarithms and quotients of
/// exponentials get forms that do not overflow. The thread is empty if nothing of this applies. The steps are instances of the book's rules
/// and can be replayed, checked and written like any others.
[[nodiscard]] rewrite::Thread elevate(ir::TermBank& bank, const ir::Program& program, const rules::RuleBook& book);

}  // namespace mitos::coarsening
