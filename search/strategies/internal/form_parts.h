// SPDX-License-Identifier: GPL-3.0-or-later
// Parses which strategy searches the regions of which form.
//
//   greedy; 2, 4-6: mcts(depth=100); 3: none
//
// Entries are separated by semicolons; of those that name a form the last one holds. An entry is a strategy for all forms, with parameters
// in parentheses, or lists numbers of forms (partition::groupsOf, from 1), `all` among them, then a colon and the strategy. `none`, and a form that
// no entry names, are not searched.
#pragma once

#include "search/strategies/internal/schedule.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search {

class FormParts {
public:
    /// `name` is that of the parameter, for messages. Fails on a syntax error, an unknown strategy or parameter, a strategy that does not rewrite,
    /// and one that divides by itself.
    [[nodiscard]] static Result<FormParts> parse(std::string_view name, std::string_view text);

    /// The search of a form, by its number; null if it is not searched.
    [[nodiscard]] const SearchPart* of(std::size_t form) const;
    /// The entry as it was written, without its forms: "mcts(depth=100)"; "none".
    [[nodiscard]] std::string_view textOf(std::size_t form) const;
    /// The largest number that is named; 0 if none is.
    [[nodiscard]] std::size_t largestForm() const;
    /// Whether all forms have one strategy.
    [[nodiscard]] bool isOne() const { return m_entries.size() == 1 && m_entries.front().forms.empty(); }

private:
    using Range = std::pair<std::size_t, std::size_t>;
    struct Entry {
        std::vector<Range> forms;  ///< first and last; empty: all
        std::optional<SearchPart> part;
        std::string text;
    };
    [[nodiscard]] static Result<std::vector<Range>> parseForms(std::string_view entry, std::string_view text);
    [[nodiscard]] const Entry* entryOf(std::size_t form) const;

    std::vector<Entry> m_entries;
};

}  // namespace mitos::search
