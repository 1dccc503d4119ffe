// SPDX-License-Identifier: GPL-3.0-or-later
// The state shared by the parts of the ks reader while one file is read.
#pragma once

#include "core/ir/term_bank.h"
#include "core/ks/diagnostics.h"
#include "core/ks/forms.h"
#include "core/ks/functions.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <vector>

namespace mitos::ks {

struct FileContext {
    FileContext(ir::TermBank& b, const SourceText& s, const FormTree& f, Diagnostics& d)
        : bank(b),
          source(s),
          forms(f),
          diagnostics(d),
          functions(b) {}

    ir::TermBank& bank;
    const SourceText& source;
    const FormTree& forms;
    Diagnostics& diagnostics;
    FunctionTable functions;
    /// Names whose definition has errors. Their uses are not reported again.
    absl::flat_hash_set<std::string> broken;
    /// Names that are defined later in the file, with the place of their definition.
    absl::flat_hash_map<std::string, SourceSpan> later;
    /// Functions whose body in the bank differs from that in this file. Calls of them would refer to the wrong body.
    absl::flat_hash_set<ir::FunctionId> redefined;

    /// Reports an error and returns an invalid term, type or id, for `return fail(…)`.
    struct Failure {
        operator ir::TermId() const { return {}; }
        operator ir::TypeId() const { return {}; }
    };
    Failure fail(FormId form, std::string message, std::string hint = {}) {
        diagnostics.error(forms.span(form), std::move(message), std::move(hint));
        return {};
    }
};

}  // namespace mitos::ks
