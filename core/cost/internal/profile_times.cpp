// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/internal/profile_times.h"

#include "core/tensor/layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace mitos::cost {

namespace {

Operation withoutConstants(Operation operation) {
    for (Operand& input : operation.inputs) input.isConstant = false;
    return operation;
}

/// The operation with its two inputs in the other order; none if its result depends on their order.
std::optional<Operation> swapped(const Operation& operation) {
    const tensor::Operator* const op = tensor::findOperator(operation.op);
    if (op == nullptr || !op->traits.commutative || operation.inputs.size() != 2) return std::nullopt;
    return Operation{operation.op, operation.attributes, {operation.inputs[1], operation.inputs[0]}};
}

/// An operation on images with the channels last, as the same one with the channels first; none for all others.
std::optional<Operation> channelsFirst(const Operation& operation) {
    const tensor::Operator* const op = tensor::findOperator(operation.op);
    const tensor::Operator* const plain = op == nullptr ? nullptr : tensor::channelsFirstForm(*op);
    if (plain == nullptr) return std::nullopt;
    Operation result = operation;
    result.op = plain->name;
    for (std::size_t i = 0; i < result.inputs.size(); ++i) {
        Operand& input = result.inputs[i];
        if (input.isAbsent || !tensor::isImage(*op, i)) continue;
        const std::vector<std::int64_t> shape = input.shape;
        std::ranges::transform(tensor::ToChannelsFirst, input.shape.begin(),
                               [&shape](std::int64_t axis) { return shape[static_cast<std::size_t>(axis)]; });
    }
    return result;
}

double bytesOf(const tensor::Work& work) { return work.readBytes + work.writtenBytes; }

}  // namespace

ProfileTimes::ProfileTimes(std::shared_ptr<const CostProfile> profile) : m_profile(std::move(profile)) {
    assert(!m_profile->times.empty());
    for (const auto& [operation, time] : m_profile->times) {
        m_withoutConstants.emplace(withoutConstants(operation), &time);
        const std::optional<NodeWork> work = workOf(operation);
        if (!work) continue;
        if (work->work.isView) m_copied.insert(operation.op);
        m_samples[operation.op].push_back({work->work.flops, bytesOf(work->work), time.minimum});
    }
    fit();
}

/// The roofline of a device that these times could come from: the shortest time is a launch, and the rates are those that the best
/// tenth of the longer operations reaches.
void ProfileTimes::fit() {
    constexpr double AllButTheBest = 0.9;
    std::vector<double> times;
    for (const auto& [operation, time] : m_profile->times) times.push_back(time.minimum);
    m_launch = *std::ranges::min_element(times);
    std::vector<TimedWork> all;
    for (const auto& [op, samples] : m_samples) all.insert(all.end(), samples.begin(), samples.end());
    m_rates = fittedRates(all, m_launch, AllButTheBest);
    std::vector<double> factors;
    for (const auto& [op, samples] : m_samples) {
        for (const TimedWork& sample : samples)
            factors.push_back(sample.seconds / roofline(sample.flops, sample.bytes));
    }
    if (!factors.empty()) m_usualFactor = quantile(factors, 0.5);
}

double ProfileTimes::roofline(double flops, double bytes) const {
    return m_launch + std::max(flops / m_rates.flopsPerSecond, bytes / m_rates.bytesPerSecond);
}

/// The roofline, times how much slower than theirs the most similar operations of its kind were: those whose flops and bytes differ by
/// the smallest factors.
ProfileTimes::Time ProfileTimes::estimated(const std::string& op, double flops, double bytes) const {
    constexpr std::size_t MostSimilar = 3;
    const double base = roofline(flops, bytes);
    Time time{.source = Source::Estimated, .factor = m_usualFactor};
    if (const auto found = m_samples.find(op); found != m_samples.end()) {
        const auto logDistance = [](double a, double b) { return std::abs(std::log((a + 1.0) / (b + 1.0))); };
        std::vector<std::pair<double, double>> similar;  // distance, factor
        for (const TimedWork& sample : found->second) {
            similar.emplace_back(logDistance(flops, sample.flops) + logDistance(bytes, sample.bytes),
                                 sample.seconds / roofline(sample.flops, sample.bytes));
        }
        time.similar = std::min(MostSimilar, similar.size());
        std::ranges::partial_sort(similar, similar.begin() + static_cast<std::ptrdiff_t>(time.similar));
        double logSum = 0.0;
        for (std::size_t i = 0; i < time.similar; ++i) logSum += std::log(similar[i].second);
        time.factor = std::exp(logSum / static_cast<double>(time.similar));
    }
    time.seconds = time.factor * base;
    return time;
}

ProfileTimes::Time ProfileTimes::of(const Operation& operation, const NodeWork& work) const {
    if (const auto exact = m_profile->times.find(operation); exact != m_profile->times.end()) {
        return {.seconds = exact->second.minimum, .source = Source::Measured, .measurement = exact->second};
    }
    // The estimate must not prefer an order of inputs, or of axes, that was not measured to one that computes the same and was.
    const std::optional<Operation> other = swapped(operation);
    if (other) {
        if (const auto exact = m_profile->times.find(*other); exact != m_profile->times.end())
            return {.seconds = exact->second.minimum, .source = Source::Swapped, .measurement = exact->second};
    }
    for (const Operation* const same : {&operation, other ? &*other : nullptr}) {
        if (same == nullptr) continue;
        if (const auto found = m_withoutConstants.find(withoutConstants(*same)); found != m_withoutConstants.end())
            return {.seconds = found->second->minimum, .source = Source::OtherConstants, .measurement = *found->second};
    }
    if (const auto plain = channelsFirst(operation); plain && !m_samples.contains(operation.op)) {
        Time time = of(*plain, work);
        time.source = Source::OtherOrder;
        return time;
    }
    return estimated(operation.op, work.work.flops, bytesOf(work.work));
}

ProfileTimes::Time ProfileTimes::ofUnknown(const NodeWork& work) const {
    return estimated({}, work.work.flops, bytesOf(work.work));
}

std::string ProfileTimes::whyRefused(const Operation& operation) const {
    const auto found = m_profile->refused.find(operation);
    return found == m_profile->refused.end() ? std::string() : found->second;
}

}  // namespace mitos::cost
