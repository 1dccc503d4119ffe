// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the ks reader share while one file is read.
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
    /// Names whose definition has errors: using them is not another error.
    absl::flat_hash_set<std::string> broken;
    /// Names that are defined further down, with the place of their definition.
    absl::flat_hash_map<std::string, SourceSpan> later;
    /// Functions that the bank holds with another body than this file gives: calls of them would mean the wrong one.
    absl::flat_hash_set<ir::FunctionId> redefined;

    /// Reports and returns an invalid term, type or id, for `return fail(…)`.
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
