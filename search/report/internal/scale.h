// SPDX-License-Identifier: GPL-3.0-or-later
// An axis of a chart.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace mitos::search::report {

/// Maps values to positions, and computes ticks.
class Scale {
public:
    Scale(double least, double most, bool logarithmic, double from, double to)
        : m_logarithmic(logarithmic),
          m_low(transformed(least)),
          m_high(transformed(most)),
          m_from(from),
          m_to(to) {
        if (m_high <= m_low) {
            const double room = logarithmic ? 0.3 : std::max(std::abs(m_low) * 0.05, 0.5);
            m_low -= room;
            m_high += room;
        }
    }

    [[nodiscard]] bool isLogarithmic() const { return m_logarithmic; }
    [[nodiscard]] double place(double value) const {
        return m_from + (m_to - m_from) * (transformed(value) - m_low) / (m_high - m_low);
    }

    [[nodiscard]] std::vector<double> ticks() const { return m_logarithmic ? logTicks() : linearTicks(); }

private:
    [[nodiscard]] double transformed(double value) const { return m_logarithmic ? std::log10(value) : value; }

    [[nodiscard]] std::vector<double> linearTicks() const {
        const double raw = (m_high - m_low) / 5.0;
        const double power = std::pow(10.0, std::floor(std::log10(raw)));
        const double step = raw / power > 5.0 ? 10.0 * power : raw / power > 2.0 ? 5.0 * power : 2.0 * power;
        std::vector<double> ticks;
        for (double i = std::ceil(m_low / step); i * step <= m_high; ++i) ticks.push_back(i * step);
        return ticks;
    }

    [[nodiscard]] std::vector<double> logTicks() const {
        const double decades = m_high - m_low;
        const double every = std::max(1.0, std::ceil(decades / 6.0));
        std::vector<double> ticks;
        for (double power = std::floor(m_low); power <= m_high; power += every) {
            for (const double digit : {1.0, 2.0, 5.0}) {
                if (digit > 1.0 && decades > 2.5) break;
                const double exponent = power + std::log10(digit);
                if (exponent >= m_low - 1e-9 && exponent <= m_high + 1e-9) ticks.push_back(std::pow(10.0, exponent));
            }
        }
        return ticks;
    }

    bool m_logarithmic;
    double m_low;
    double m_high;
    double m_from;
    double m_to;
};

}  // namespace mitos::search::report
