// SPDX-License-Identifier: GPL-3.0-or-later
// Symbolic elevation: loops of a ks program become closed forms, by steps of the rules of `ks-phi` and of the other shipped sets.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"
#include "core/rules/rule.h"

#include <cstddef>
#include <memory>
#include <stop_token>

namespace mitos::coarsening {

/// The rules that elevation uses: by name, and loaded.
inline constexpr const char* ElevationRules = "ks-all,ks-phi";
[[nodiscard]] Result<rules::RuleBook> elevationRules(std::shared_ptr<const ir::OperatorRegistry> registry);

/// The largest loops that are written out.
struct UnrollLimits {
    std::size_t iterations = 16;  ///< 0: none is written out
    std::size_t operators = 600;  ///< of all iterations of a loop together
};

/// The steps that elevate a program, in a fixed order: inner loops first, and for each loop the first form that fits of: a state that
/// does not change, C6, C7, C8 without a summand, C9. Of what is left, a loop with a small constant trip count is written out, and its
/// tuples and vectors become scalars; any other stays as it is (C5). Logarithms and quotients of
/// exponentials get forms that do not overflow. The thread is empty if nothing of this applies. The steps are instances of the book's rules
/// and can be replayed, checked and written like any others. A stop request ends it with the steps found by then.
[[nodiscard]] rewrite::Thread elevate(ir::TermBank& bank, const ir::Program& program, const rules::RuleBook& book,
                                      UnrollLimits limits = {}, const std::stop_token& stop = {});

}  // namespace mitos::coarsening
