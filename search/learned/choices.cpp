// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/choices.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mitos::search::learned {

namespace {

/// Stands for the probability 0 of choices that are never drawn, in logarithms.
constexpr double LeastProbability = 1e-30;

double entropyOf(std::span<const double> probabilities) {
    double sum = 0.0;
    for (const double p : probabilities) sum -= p * std::log(std::max(p, LeastProbability));
    return sum;
}

}  // namespace

std::vector<double> probabilitiesOf(const ChoiceSpace& space, std::span<const float> outputs) {
    const std::size_t choices = space.choices();
    std::vector<double> probabilities(outputs.size());
    for (std::size_t begin = 0; begin < outputs.size(); begin += choices) {
        double highest = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < choices; ++i) {
            probabilities[begin + i] = static_cast<double>(outputs[begin + i]) + static_cast<double>(space.prior[i]);
            highest = std::max(highest, probabilities[begin + i]);
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < choices; ++i) {
            probabilities[begin + i] = std::exp(probabilities[begin + i] - highest);
            sum += probabilities[begin + i];
        }
        for (std::size_t i = 0; i < choices; ++i) probabilities[begin + i] /= sum;
    }
    return probabilities;
}

Choices drawn(const ChoiceSpace& space, std::span<const double> probabilities, Random& random) {
    const std::size_t choices = space.choices();
    Choices found(probabilities.size() / choices);
    for (std::size_t row = 0; row < found.size(); ++row) {
        double rest = random.uniform();
        std::size_t i = 0;
        while (i + 1 < choices && rest >= probabilities[row * choices + i]) rest -= probabilities[row * choices + i++];
        found[row] = static_cast<std::uint8_t>(i);
    }
    return found;
}

Choices mostProbable(const ChoiceSpace& space, std::span<const double> probabilities) {
    const std::size_t choices = space.choices();
    Choices found(probabilities.size() / choices);
    for (std::size_t row = 0; row < found.size(); ++row) {
        const auto begin = probabilities.begin() + static_cast<std::ptrdiff_t>(row * choices);
        const auto highest = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(choices));
        found[row] = static_cast<std::uint8_t>(highest - begin);
    }
    return found;
}

double meanEntropy(const ChoiceSpace& space, std::span<const double> probabilities) {
    return probabilities.empty()
               ? 0.0
               : entropyOf(probabilities) * space.choices() / static_cast<double>(probabilities.size());
}

void addLossDerivative(const ChoiceSpace& space, std::span<const double> probabilities, std::span<const Sample> samples,
                       double entropy, double weight, std::span<float> byOutput) {
    const std::size_t choices = space.choices();
    const double share = samples.empty() ? 0.0 : 1.0 / static_cast<double>(samples.size());
    for (std::size_t row = 0; row * choices < probabilities.size(); ++row) {
        const std::span<const double> own = probabilities.subspan(row * choices, choices);
        const double disorder = entropyOf(own);
        for (std::size_t i = 0; i < choices; ++i) {
            double slope = entropy * own[i] * (std::log(std::max(own[i], LeastProbability)) + disorder);
            for (const Sample& sample : samples)
                slope -= share * sample.advantage * ((sample.choices[row] == i ? 1.0 : 0.0) - own[i]);
            byOutput[row * choices + i] += static_cast<float>(weight * slope);
        }
    }
}

void addValueDerivative(const ChoiceSpace& space, std::span<const double> probabilities, std::span<const float> values,
                        double entropy, double weight, std::span<float> byOutput) {
    const std::size_t choices = space.choices();
    if (probabilities.empty()) return;
    const double share = weight * static_cast<double>(choices) / static_cast<double>(probabilities.size());
    for (std::size_t row = 0; row * choices < probabilities.size(); ++row) {
        const std::span<const double> own = probabilities.subspan(row * choices, choices);
        const std::span<const float> value = values.subspan(row * choices, choices);
        const double disorder = entropyOf(own);
        const double expected = std::inner_product(own.begin(), own.end(), value.begin(), 0.0);
        for (std::size_t i = 0; i < choices; ++i) {
            const double slope = entropy * (std::log(std::max(own[i], LeastProbability)) + disorder);
            byOutput[row * choices + i] += static_cast<float>(share * own[i] * (slope - (value[i] - expected)));
        }
    }
}

}  // namespace mitos::search::learned
