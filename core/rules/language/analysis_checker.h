// SPDX-License-Identifier: GPL-3.0-or-later
// Checks and compiles the analyses that a rule file states.
#pragma once

#include "core/rules/language/compiled_analysis.h"
#include "core/rules/language/names.h"
#include "core/rules/language/syntax.h"

#include <memory>
#include <vector>

namespace mitos::rules {

/// Compiles an analysis. Returns null if there are errors (they are added to `errors`), among which are laws that its join or its values
/// break (analysis_laws.h).
[[nodiscard]] std::shared_ptr<const CompiledAnalysis> checkAnalysis(const syntax::Analysis& analysis,
                                                                    const std::shared_ptr<const SourceText>& source,
                                                                    const Names& names, std::vector<Error>& errors);

}  // namespace mitos::rules
