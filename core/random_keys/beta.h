// SPDX-License-Identifier: GPL-3.0-or-later
// The distributions from which mutants draw their keys.
#pragma once

#include "core/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mitos::random_keys {

/// A beta distribution over [0, 1] by its two shapes; Beta(1, 1) is uniform.
struct Beta {
    double alpha = 1.0;
    double beta = 1.0;

    /// The distribution with this mean in (0, 1) and concentration alpha + beta > 0.
    [[nodiscard]] static Beta ofMean(double mean, double concentration) {
        return {mean * concentration, (1.0 - mean) * concentration};
    }
    [[nodiscard]] bool isUniform() const { return alpha == 1.0 && beta == 1.0; }
    friend bool operator==(const Beta&, const Beta&) = default;
};

/// A distribution for each gene (REGAL, section 3.1, where a policy chooses them); all uniform if `ofGene` is empty.
struct MutantDistributions {
    std::vector<Beta> choices;
    std::vector<std::uint16_t> ofGene;  ///< by gene: its number in `choices`

    friend bool operator==(const MutantDistributions&, const MutantDistributions&) = default;
};

/// Fails unless each gene has a choice whose shapes are in [0.01, 10,000].
[[nodiscard]] Status checkDistributions(const MutantDistributions& mutants, std::size_t genes);

/// The regularized incomplete beta function I_x(alpha, beta): the probability of at most x.
[[nodiscard]] double probabilityUpTo(const Beta& distribution, double x);

/// The inverse of probabilityUpTo as a table with linear interpolation, so that a draw takes one uniform number. The ends are the
/// quantiles of a sixteenth of an interval, since a tail drawn from a straight line up to 0 or 1 would be too heavy.
class Quantiles {
public:
    explicit Quantiles(const Beta& distribution);

    /// The quantile of u in [0, 1).
    [[nodiscard]] float operator()(float u) const {
        const float place = u * static_cast<float>(Intervals);
        const auto i = static_cast<std::size_t>(place);
        return m_at[i] + (place - static_cast<float>(i)) * (m_at[i + 1] - m_at[i]);
    }

private:
    static constexpr std::size_t Intervals = 256;

    std::array<float, Intervals + 1> m_at;
};

}  // namespace mitos::random_keys
