// SPDX-License-Identifier: GPL-3.0-or-later
// Random keys by their place: mutants, children and shaken individuals.
#pragma once

#include "core/random_keys/philox.h"
#include "core/random_keys/state.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mitos::random_keys::internal {

/// An individual within a search.
struct Place {
    std::uint32_t island = 0;
    std::uint32_t generation = 0;
    std::uint32_t individual = 0;
};

/// All random decisions of a search. Each depends on seed, place and gene only.
class KeySource {
public:
    KeySource(const Settings& settings, std::size_t genes);

    void mutate(std::span<float> keys, const Place& place) const;
    /// The individuals from number `first` on; the place gives island and generation.
    void fillWithMutants(Island& island, Place place, std::uint32_t first) const;
    /// The parents of a child: a number below `elites` and one below `others`.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> parents(const Place& place, std::uint32_t elites,
                                                                  std::uint32_t others) const;
    void mate(std::span<const float> elite, std::span<const float> other, std::span<float> child,
              const Place& place) const;
    /// Draws each key again with this probability.
    void shake(std::span<float> keys, const Place& place, double intensity) const;

    /// A number below `count`: where the search for the end of a path begins.
    [[nodiscard]] std::uint32_t guide(const Place& place, std::uint32_t count) const;
    /// The numbers below `count` in a random order: that of the blocks of genes along a path.
    [[nodiscard]] std::vector<std::uint32_t> orderOfBlocks(const Place& place, std::uint32_t count) const;

private:
    /// Independent numbers of one place are drawn for each of these.
    enum class Purpose : std::uint32_t { Mutant, Child, Parents, Shaken, Guide, Path };

    [[nodiscard]] Philox::Block block(Purpose purpose, const Place& place, std::size_t number) const {
        // The first four purposes of all islands, which are at most 2^16, then the next four.
        constexpr std::uint32_t Purposes = 4;
        constexpr std::uint32_t Group = 1U << 18U;
        const auto i = static_cast<std::uint32_t>(purpose);
        return m_random({static_cast<std::uint32_t>(number), place.individual, place.generation,
                         i / Purposes * Group + place.island * Purposes + i % Purposes});
    }
    template <typename ThresholdOf>
    void mateBy(std::span<const float> elite, std::span<const float> other, std::span<float> child, const Place& place,
                const ThresholdOf& thresholdOf) const;
    [[nodiscard]] float mutantKey(std::size_t gene, std::uint32_t bits) const;

    Philox m_random;
    std::size_t m_genes;
    std::uint32_t m_inheritance;                     ///< of 65,536
    std::vector<std::uint32_t> m_inheritanceOfGene;  ///< empty: the same for all
    std::vector<std::uint16_t>
        m_tableOfGene;  ///< empty if all are uniform; 0: uniform, else the number of a table plus 1
    std::vector<Quantiles> m_tables;
};

}  // namespace mitos::random_keys::internal
