// SPDX-License-Identifier: GPL-3.0-or-later
// The times of operations by a profile. Those that it lacks are estimated from those that it has.
#pragma once

#include "core/cost/internal/node_work.h"
#include "core/cost/internal/roofline_fit.h"
#include "core/cost/profile.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::cost {

class ProfileTimes {
public:
    /// How a time is known.
    enum class Source {
        Measured,
        Swapped,  ///< measured of the same operation with its two inputs in the other order, which its result does not depend on
        OtherConstants,  ///< measured of the same operation, in either order, with other inputs constant
        OtherOrder,      ///< of the same operation with the channels first: no operation of its kind was measured
        Estimated,
    };
    struct Time {
        double seconds = 0.0;
        Source source = Source::Measured;
        Measurement measurement = {};  ///< unless estimated
        double factor = 1.0;           ///< how much slower than its roofline an estimated operation counts as
        std::size_t similar = 0;       ///< the measured operations of its kind that say so; 0: all operations do
    };

    /// The profile must have times.
    explicit ProfileTimes(std::shared_ptr<const CostProfile> profile);

    [[nodiscard]] const CostProfile& profile() const { return *m_profile; }
    /// The time of an operation with that work.
    [[nodiscard]] Time of(const Operation& operation, const NodeWork& work) const;
    /// Whether the operation costs nothing: it is a view, and no view of its operator was measured. Some runtimes copy views.
    [[nodiscard]] bool isFree(std::string_view op, const NodeWork& work) const {
        return work.work.isView && !m_copied.contains(op);
    }
    /// The time of an operator without a table entry, by what it moves.
    [[nodiscard]] Time ofUnknown(const NodeWork& work) const;
    /// Why the profile has no time; empty if it was not asked for.
    [[nodiscard]] std::string whyRefused(const Operation& operation) const;

private:
    void fit();
    [[nodiscard]] double roofline(double flops, double bytes) const;
    [[nodiscard]] Time estimated(const std::string& op, double flops, double bytes) const;

    std::shared_ptr<const CostProfile> m_profile;
    std::map<Operation, const Measurement*> m_withoutConstants;
    std::map<std::string, std::vector<TimedWork>, std::less<>> m_samples;  ///< by operator
    std::set<std::string, std::less<>> m_copied;                           ///< operators with measured views
    double m_launch = 0.0;                                                 ///< seconds
    FittedRates m_rates;
    double m_usualFactor = 1.0;
};

}  // namespace mitos::cost
