// SPDX-License-Identifier: GPL-3.0-or-later
// Copies and prices arriving threads in short slices.
#include "views/document/internal/thread_arrivals.h"

#include <QElapsedTimer>
#include <optional>
#include <utility>

namespace mitos::views {

struct ThreadArrivals::Arrival {
    Arrival(std::shared_ptr<const ir::TermBank> bank, rewrite::Thread found, ir::TermBank& to, Done whenDone)
        : from(std::move(bank)),
          thread(std::move(found)),
          copy(*from, thread, to),
          done(std::move(whenDone)) {}

    std::shared_ptr<const ir::TermBank> from;
    rewrite::Thread thread;
    rewrite::ThreadTransplanter copy;
    std::optional<rewrite::Thread> copied;
    std::vector<double> costs;
    Done done;
};

ThreadArrivals::ThreadArrivals(ir::TermBank& to, Cost cost) : m_to(to), m_cost(std::move(cost)) {
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &ThreadArrivals::work);
}

ThreadArrivals::~ThreadArrivals() = default;

void ThreadArrivals::add(std::shared_ptr<const ir::TermBank> from, rewrite::Thread thread, Done done) {
    const bool isFirst = isIdle();
    m_waiting.push_back(std::make_unique<Arrival>(std::move(from), std::move(thread), m_to, std::move(done)));
    m_timer.start();
    if (isFirst) work();
}

void ThreadArrivals::priceAgain() {
    for (const auto& arrival : m_waiting) arrival->costs.clear();
}

void ThreadArrivals::work() {
    constexpr qint64 SliceMs = 6;  // less than half a frame, because events wait meanwhile
    QElapsedTimer clock;
    clock.start();
    Arrival& next = *m_waiting.front();
    while (!next.copy.isDone()) {
        next.copy.next();
        if (clock.elapsed() >= SliceMs) return;
    }
    if (!next.copied) next.copied = next.copy.take();
    while (next.costs.size() <= next.copied->states.size()) {
        const std::size_t index = next.costs.size();
        next.costs.push_back(m_cost(index == 0 ? next.copied->start.root : next.copied->states[index - 1]));
        if (clock.elapsed() >= SliceMs && next.costs.size() <= next.copied->states.size()) return;
    }
    const std::unique_ptr<Arrival> arrived = std::move(m_waiting.front());
    m_waiting.pop_front();
    if (m_waiting.empty()) m_timer.stop();
    arrived->done(*arrived->copied, arrived->costs);
}

}  // namespace mitos::views
