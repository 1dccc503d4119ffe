// SPDX-License-Identifier: GPL-3.0-or-later
// Enforces the limits of an evaluation.
#include "core/eval/internal/meter.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::eval {

namespace {

constexpr std::uint64_t StepsBetweenChecks = 4096;
constexpr std::uint64_t BytesPerElement = sizeof(Value);
constexpr std::uint64_t BytesPerCompound = 96;  // the block, its control block and its counter

using Counter = std::atomic<std::int64_t>;

/// A compound value that releases its counted bytes when it is destroyed.
template <typename T>
struct Counted : T {
    Counted(T value, std::shared_ptr<Counter> counter)
        : T(std::move(value)),
          live(std::move(counter)),
          bytes(static_cast<std::int64_t>(BytesPerCompound + this->elements.size() * BytesPerElement)) {
        live->fetch_add(bytes, std::memory_order_relaxed);
    }
    ~Counted() { live->fetch_sub(bytes, std::memory_order_relaxed); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

    std::shared_ptr<Counter> live;
    std::int64_t bytes;
};

}  // namespace

Meter::Meter(const Limits& limits) : m_limits(limits), m_live(std::make_shared<Counter>(0)) {
    m_nextCheck = std::min(StepsBetweenChecks, limits.steps + 1);
}

void Meter::check() {
    if (m_steps > m_limits.steps) {
        throw Failure{ErrorCode::Limit, fmt::format("more than {} steps were needed", m_limits.steps),
                      "the program may not end, or its inputs are too large"};
    }
    if (m_limits.stop.stop_requested()) throw Failure{ErrorCode::Cancelled, "the evaluation was stopped", {}};
    m_nextCheck = std::min(m_steps + StepsBetweenChecks, m_limits.steps + 1);
}

void Meter::requireRoom(std::uint64_t bytes) const {
    const auto live = static_cast<std::uint64_t>(std::max<std::int64_t>(0, m_live->load(std::memory_order_relaxed)));
    if (bytes > m_limits.bytes || live > m_limits.bytes - bytes) {
        throw Failure{ErrorCode::Limit, fmt::format("more than {} MiB of memory were needed", m_limits.bytes >> 20U),
                      "use smaller inputs, or raise the limit"};
    }
}

Value Meter::tensor(TensorValue value) {
    requireRoom(BytesPerCompound);
    return Value(std::shared_ptr<const TensorValue>(std::make_shared<Counted<TensorValue>>(std::move(value), m_live)));
}

Value Meter::tuple(TupleValue value) {
    requireRoom(BytesPerCompound);
    return Value(std::shared_ptr<const TupleValue>(std::make_shared<Counted<TupleValue>>(std::move(value), m_live)));
}

Value Meter::pair(Value first, Value second) {
    TupleValue both;
    both.elements.reserve(2);
    both.elements.push_back(std::move(first));
    both.elements.push_back(std::move(second));
    return tuple(std::move(both));
}

Meter::Reservation::Reservation(Meter& meter, std::uint64_t elements) : m_meter(meter), m_bytes(0) {
    // The product cannot overflow once the count alone is within the limit.
    if (elements > meter.m_limits.bytes) meter.requireRoom(elements);
    meter.requireRoom(elements * BytesPerElement);
    m_bytes = static_cast<std::int64_t>(elements * BytesPerElement);
    meter.m_live->fetch_add(m_bytes, std::memory_order_relaxed);
}

Meter::Reservation::~Reservation() { m_meter.m_live->fetch_sub(m_bytes, std::memory_order_relaxed); }

}  // namespace mitos::eval
