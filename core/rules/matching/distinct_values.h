// SPDX-License-Identifier: GPL-3.0-or-later
// Removes duplicate matches: matches that give all variables the same values count as one.
#pragma once

#include "core/rules/language/compiled.h"
#include "core/rules/matching/substitution_words.h"

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <vector>

namespace mitos::rules {

/// The set of values found so far. The alternates that produced them (the choices) are not compared.
class DistinctValues {
public:
    explicit DistinctValues(const CompiledRule& rule) : m_choices(rule.choices) {}

    void clear() { m_seen.clear(); }
    [[nodiscard]] bool contains(const Substitution& match) {
        fillKey(match);
        return m_seen.contains(m_key);
    }
    /// Adds the values of a match; returns whether they are new.
    bool insert(const Substitution& match) {
        fillKey(match);
        return m_seen.insert(m_key).second;
    }

private:
    void fillKey(const Substitution& match) {
        m_key.clear();
        for (std::size_t i = 0; i < match.values.size(); ++i) {
            if (i != m_choices) appendWords(match.values[i], m_key);
        }
    }

    VarIndex m_choices;
    absl::flat_hash_set<std::vector<std::uint32_t>> m_seen;
    std::vector<std::uint32_t> m_key;
};

}  // namespace mitos::rules
