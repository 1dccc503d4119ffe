// SPDX-License-Identifier: GPL-3.0-or-later
// From programs of ks to their loop form: which values are stored, which loops fill them, and what is added where it is computed.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/loops/form.h"

#include <cstddef>
#include <functional>
#include <string>

namespace mitos::loops {

struct LoweringOptions {
    std::string functionName = {};       ///< if empty, the program's name, made an identifier
    std::string language = "loop form";  ///< in messages: "lmApply has no ..."
    std::size_t longestExpression = 90;  ///< longer expressions with numbers as values get a name
    /// How long an expression is, in characters of the language that the form is translated to. If empty, of text.h. The function's
    /// symbols and the functions of the program have their names already.
    std::function<std::size_t(const Program&, const Function&, ExpressionId)> widthOf = {};
    bool isOptimized = true;  ///< false: without the passes (optimize.h), for comparison
};

/// The program's functions in the order of their calls, its own last. Covers the whole language that the evaluator runs, and takes time
/// in proportion to the size of the form. Errors: edefs without a body; linear
/// maps, and operators of rule files (named in the message).
[[nodiscard]] Result<Program> lower(const ir::TermBank& bank, const ir::Program& program,
                                    const LoweringOptions& options = {});

}  // namespace mitos::loops
