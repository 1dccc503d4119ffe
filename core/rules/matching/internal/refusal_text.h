// SPDX-License-Identifier: GPL-3.0-or-later
// Refusals of the matching machine in plain words. Private to core/rules.
#pragma once

#include "core/rules/matching/machine.h"
#include "core/rules/matching/trace.h"

#include <string>

namespace mitos::rules {

struct RefusalPrinters {
    const PlacePrinter& atPlace;
    const TermPrinter& term;  ///< of terms that are no places, such as attributes
};

/// The reason for a refusal, which continues "it does not match: …": what the pattern needs, in the words of the rule, and what there is.
/// The report is that of a machine that explains refusals.
[[nodiscard]] std::string refusalText(ir::TermBank& bank, const CompiledRule& rule, ir::TermId subject,
                                      const Machine::Report& report, const RefusalPrinters& print);

}  // namespace mitos::rules
