// SPDX-License-Identifier: GPL-3.0-or-later
// Steps along a gradient.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::search::learned {

/// The moments of Adam (Kingma and Ba, "Adam: A method for stochastic optimization", 2015), with its usual decays of 0.9 and 0.999.
struct Adam {
    std::vector<float> mean;
    std::vector<float> square;
    std::uint64_t steps = 0;
    /// The exponential moving average of the parameters over the steps (Polyak and Juditsky, "Acceleration of stochastic approximation by averaging",
    /// 1992), which is steadier than they are. Empty without averageOver().
    std::vector<float> average;

    explicit Adam(std::size_t parameters = 0) : mean(parameters), square(parameters) {}
    /// Changes parameters against the gradient of what is minimized. All have the same length.
    void step(std::span<float> parameters, std::span<const float> gradient, double rate);

    /// Takes the parameters after a step into the average, which keeps a share of `kept` of what it was; fewer in the first steps.
    void averageOver(std::span<const float> parameters, double kept);

    friend bool operator==(const Adam&, const Adam&) = default;
};

/// Scales the gradient down to a length of at most `longest`. Returns the length before; a gradient with numbers that are not finite becomes 0.
double clipTo(double longest, std::span<float> gradient);

}  // namespace mitos::search::learned
