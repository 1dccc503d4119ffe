// SPDX-License-Identifier: GPL-3.0-or-later
// Detects how the Floats of an evaluation differ from the real numbers that they represent.
#pragma once

#include "core/base/random.h"

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace mitos::eval {

/// Receives every operation on Floats of an evaluation (Limits::watch), and every Float that the program states. With noise, each result
/// is perturbed by a random part of at most Noise of itself, so that the spread of several evaluations bounds the effect of rounding on the
/// value (stochastic arithmetic). Without signs of zeros, every -0 becomes 0.
class RealWatch {
public:
    /// Some ten million times the rounding of a Float: a difference below the spread may be a rounding error.
    static constexpr double Noise = 0x1p-30;

    RealWatch() = default;
    explicit RealWatch(std::uint64_t seed) : m_random(seed), m_hasNoise(true) {}
    [[nodiscard]] static RealWatch withoutZeroSigns() {
        RealWatch watch;
        watch.m_hasZeroSigns = false;
        return watch;
    }

    /// Returns the result of an operation on a and b with which the evaluation continues. isDefined: the operation has a real result;
    /// isZero: that result is zero; isExact: the Float equals it and gets no noise.
    double made(double result, double a, double b, bool isDefined, bool isZero, bool isExact) {
        if (std::isfinite(a) && std::isfinite(b)) {
            if (!isDefined) {
                m_isUndefined = true;
            } else if (!std::isfinite(result) || (!isZero && std::abs(result) < DBL_MIN)) {
                m_leftRange = true;
            }
        }
        m_metNaN = m_metNaN || std::isnan(result);
        if (!m_hasZeroSigns) return result + 0.0;
        return m_hasNoise && !isExact ? result * (1.0 + Noise * m_random.uniform(-1.0, 1.0)) : result;
    }

    /// Whether some number became too large or too small for Floats.
    [[nodiscard]] bool leftRange() const { return m_leftRange; }
    /// Whether some operation has no real result: a division by zero, the logarithm or the root of a negative number.
    [[nodiscard]] bool isUndefined() const { return m_isUndefined; }
    /// Whether some result was NaN.
    [[nodiscard]] bool metNaN() const { return m_metNaN; }

private:
    Random m_random{0};
    bool m_hasNoise = false;
    bool m_hasZeroSigns = true;
    bool m_metNaN = false;
    bool m_leftRange = false;
    bool m_isUndefined = false;
};

}  // namespace mitos::eval
