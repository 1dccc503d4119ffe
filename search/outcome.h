// SPDX-License-Identifier: GPL-3.0-or-later
// Results that are other values than programs: a schedule, say. They are judged, recorded, compared and shown as threads are.
#pragma once

#include "core/ir/term_bank.h"

#include <optional>
#include <stop_token>
#include <string>

namespace mitos::search {

/// A value that a search made for a program, with a checker of its own. It names no terms of a bank, since results move between banks: nodes
/// are told by their order in the program. Immutable.
class OutcomeValue {
public:
    virtual ~OutcomeValue() = default;
    [[nodiscard]] virtual std::string kind() const = 0;     ///< as a word: "schedule"
    [[nodiscard]] virtual std::string summary() const = 0;  ///< in one line: "3 devices, 12.1 ms"
    [[nodiscard]] virtual std::string text() const = 0;     ///< the whole value, as it is stored and shown
    /// Why this is no valid value for the program; nothing if it is valid. The checker shares no code with what made the value.
    [[nodiscard]] virtual std::optional<std::string> fault(const ir::TermBank& bank, const ir::Program& program,
                                                           const std::stop_token& stop) const = 0;
};

}  // namespace mitos::search
