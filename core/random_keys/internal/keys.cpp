// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/random_keys/internal/keys.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace mitos::random_keys::internal {

namespace {

constexpr std::size_t WordsOfBlock = 4;
/// A decision that one of two things happens takes 16 bits, so a block serves eight genes.
constexpr std::size_t HalvesOfBlock = 8;
constexpr double HalfRange = 65'536.0;

std::uint32_t thresholdOf(double probability) {
    return static_cast<std::uint32_t>(std::lround(probability * HalfRange));
}

/// Uniform in [0, n). The bias is below n / 2^32.
std::uint32_t below(std::uint32_t n, std::uint32_t bits) {
    return static_cast<std::uint32_t>((std::uint64_t{bits} * n) >> 32U);
}

/// Uniform in [0, 1), from the 24 bits that a float has.
float uniform(std::uint32_t bits) { return static_cast<float>(bits >> 8U) * 0x1.0p-24F; }

std::uint32_t halfOf(const Philox::Block& block, std::size_t i) {
    return (block[i / 2] >> (16U * static_cast<std::uint32_t>(i % 2))) & 0xFFFFU;
}

}  // namespace

KeySource::KeySource(const Settings& settings, std::size_t genes)
    : m_random(settings.seed),
      m_genes(genes),
      m_inheritance(thresholdOf(settings.inheritance)) {
    for (const double probability : settings.inheritanceOfGene) m_inheritanceOfGene.push_back(thresholdOf(probability));
    const MutantDistributions& mutants = settings.mutantKeys;
    std::vector<std::uint16_t> tableOfChoice;
    for (const Beta& choice : mutants.choices) {
        if (!choice.isUniform()) m_tables.emplace_back(choice);
        tableOfChoice.push_back(choice.isUniform() ? std::uint16_t{0} : static_cast<std::uint16_t>(m_tables.size()));
    }
    for (const std::uint16_t choice : mutants.ofGene) m_tableOfGene.push_back(tableOfChoice[choice]);
}

float KeySource::mutantKey(std::size_t gene, std::uint32_t bits) const {
    const float u = uniform(bits);
    const std::uint16_t table = m_tableOfGene.empty() ? std::uint16_t{0} : m_tableOfGene[gene];
    return table == 0 ? u : m_tables[table - 1U](u);
}

void KeySource::mutate(std::span<float> keys, const Place& place) const {
    for (std::size_t gene = 0; gene < keys.size(); gene += WordsOfBlock) {
        const Philox::Block bits = block(Purpose::Mutant, place, gene / WordsOfBlock);
        const std::size_t count = std::min(WordsOfBlock, keys.size() - gene);
        for (std::size_t i = 0; i < count; ++i) keys[gene + i] = mutantKey(gene + i, bits[i]);
    }
}

void KeySource::fillWithMutants(Island& island, Place place, std::uint32_t first) const {
    const auto count = static_cast<std::uint32_t>(island.fitness.size());
    for (place.individual = first; place.individual < count; ++place.individual) {
        mutate(std::span(island.keys).subspan(place.individual * m_genes, m_genes), place);
    }
}

std::pair<std::uint32_t, std::uint32_t> KeySource::parents(const Place& place, std::uint32_t elites,
                                                           std::uint32_t others) const {
    const Philox::Block bits = block(Purpose::Parents, place, 0);
    return {below(elites, bits[0]), below(others, bits[1])};
}

template <typename ThresholdOf>
void KeySource::mateBy(std::span<const float> elite, std::span<const float> other, std::span<float> child,
                       const Place& place, const ThresholdOf& thresholdOf) const {
    // At most as many genes as a block serves. Without branches, since none could be predicted.
    const auto inherit = [&](std::size_t from, std::size_t count) {
        const Philox::Block bits = block(Purpose::Child, place, from / HalvesOfBlock);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t gene = from + i;
            const std::uint32_t mask = 0U - static_cast<std::uint32_t>(halfOf(bits, i) < thresholdOf(gene));
            child[gene] = std::bit_cast<float>((std::bit_cast<std::uint32_t>(elite[gene]) & mask) |
                                               (std::bit_cast<std::uint32_t>(other[gene]) & ~mask));
        }
    };
    const std::size_t whole = child.size() - child.size() % HalvesOfBlock;
    for (std::size_t gene = 0; gene < whole; gene += HalvesOfBlock) inherit(gene, HalvesOfBlock);
    inherit(whole, child.size() - whole);
}

void KeySource::mate(std::span<const float> elite, std::span<const float> other, std::span<float> child,
                     const Place& place) const {
    if (m_inheritanceOfGene.empty()) {
        mateBy(elite, other, child, place, [inheritance = m_inheritance](std::size_t) { return inheritance; });
    } else {
        mateBy(elite, other, child, place, [this](std::size_t gene) { return m_inheritanceOfGene[gene]; });
    }
}

void KeySource::shake(std::span<float> keys, const Place& place, double intensity) const {
    const std::uint32_t threshold = thresholdOf(intensity);
    for (std::size_t gene = 0; gene < keys.size(); ++gene) {
        const Philox::Block bits = block(Purpose::Shaken, place, gene);
        if ((bits[0] & 0xFFFFU) < threshold) keys[gene] = mutantKey(gene, bits[1]);
    }
}

std::uint32_t KeySource::guide(const Place& place, std::uint32_t count) const {
    return below(count, block(Purpose::Guide, place, 0)[0]);
}

std::vector<std::uint32_t> KeySource::orderOfBlocks(const Place& place, std::uint32_t count) const {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint32_t i = count; i > 1; --i) {
        const std::uint32_t number = count - i;
        const std::uint32_t bits = block(Purpose::Path, place, number / WordsOfBlock)[number % WordsOfBlock];
        std::swap(order[i - 1], order[below(i, bits)]);
    }
    return order;
}

}  // namespace mitos::random_keys::internal
