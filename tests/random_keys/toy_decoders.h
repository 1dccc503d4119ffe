// SPDX-License-Identifier: GPL-3.0-or-later
// Problems whose solutions are known.
#pragma once

#include "core/random_keys/decoder.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mitos::tests {

/// The sum of squared distances of gene i from (i mod 10) / 10.
struct Distances {
    std::uint64_t* calls = nullptr;
    std::uint64_t* decoded = nullptr;

    void decode(std::span<random_keys::Candidate> batch) const {
        if (calls != nullptr) ++*calls;
        for (random_keys::Candidate& candidate : batch) {
            if (decoded != nullptr) ++*decoded;
            double sum = 0.0;
            for (std::size_t i = 0; i < candidate.keys.size(); ++i) {
                const double distance = static_cast<double>(candidate.keys[i]) - static_cast<double>(i % 10) / 10.0;
                sum += distance * distance;
            }
            candidate.fitness = {sum, 0.0};
        }
    }
};

/// Every solution is as good as any other.
struct Indifferent {
    void decode(std::span<random_keys::Candidate> batch) const {
        for (random_keys::Candidate& candidate : batch) candidate.fitness = {1.0, 0.0};
    }
};

}  // namespace mitos::tests
