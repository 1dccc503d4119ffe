// SPDX-License-Identifier: GPL-3.0-or-later
// Adds threads found elsewhere to the document's bank. That bank belongs to the GUI thread, and a long thread of a
// network takes longer than a frame, so a few steps are added at a time, between events.
#pragma once

#include "core/ir/term_bank.h"
#include "core/rewrite/step.h"

#include <QObject>
#include <QTimer>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace mitos::views {

class ThreadArrivals : public QObject {
    Q_OBJECT
public:
    using Cost = std::function<double(ir::TermId)>;
    /// The thread in the document's bank and the cost of each state, start first.
    using Done = std::function<void(const rewrite::Thread&, const std::vector<double>&)>;

    ThreadArrivals(ir::TermBank& to, Cost cost);
    ~ThreadArrivals() override;

    /// Threads are added one after the other. A short thread is added at once if no other is waiting: `done` is called
    /// before this returns. `done` may delete this object.
    void add(std::shared_ptr<const ir::TermBank> from, rewrite::Thread thread, Done done);
    /// Prices the steps added so far again, because another cost model is in force.
    void priceAgain();
    [[nodiscard]] bool isIdle() const { return m_waiting.empty(); }

private:
    struct Arrival;
    void work();

    ir::TermBank& m_to;
    Cost m_cost;
    QTimer m_timer;
    std::deque<std::unique_ptr<Arrival>> m_waiting;
};

}  // namespace mitos::views
