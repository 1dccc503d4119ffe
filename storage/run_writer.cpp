// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a run's events in batches while it runs.
#include "storage/session.h"

#include <algorithm>
#include <chrono>

namespace mitos::storage {

namespace {
constexpr std::size_t BatchEvents = 256;
}  // namespace

RunWriter::RunWriter(Session& session, RunId run, search::Observer* next, double batchSeconds)
    : m_session(session),
      m_run(run),
      m_next(next),
      m_batchSeconds(batchSeconds) {}

RunWriter::~RunWriter() { static_cast<void>(flush()); }

void RunWriter::onEvent(const search::SearchEvent& event) {
    m_best = event.best;
    m_seconds = event.seconds;
    if (!m_keptBest) m_keptBest = event.best;
    m_pending.push_back(event);
    const bool due = event.is<search::Finished>() || m_pending.size() >= BatchEvents ||
                     event.seconds - m_lastWrite >= m_batchSeconds;
    // After a failure only explicit calls of flush() try again, since waiting for a locked file at every batch would delay the search.
    if (due && !m_error) {
        m_lastWrite = event.seconds;
        static_cast<void>(flush());
    }
    if (m_next != nullptr) m_next->onEvent(event);
}

void RunWriter::onBest(search::FindBest find) {
    if (!m_error && m_best && *m_best < *m_keptBest && m_seconds >= m_nextKeep) {
        constexpr double LargestShare = 0.1;  // of the search's time
        const auto started = std::chrono::steady_clock::now();
        const std::optional<search::BestSoFar> found = find();
        if (found) {
            m_keptBest = found->cost();  // events may already report a lower cost
            if (const Status kept = m_session.keepBest(m_run, *found); !kept) m_error = kept.error();
        }
        const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        m_nextKeep = m_seconds + std::max(m_batchSeconds, taken / LargestShare);
    }
    if (m_next != nullptr) m_next->onBest(find);
}

Status RunWriter::flush() {
    if (!m_pending.empty()) {
        const Status written = m_session.appendEvents(m_run, m_pending);
        if (written) {
            m_pending.clear();
        } else if (!m_error) {
            m_error = written.error();
        }
    }
    if (m_error) return *m_error;
    return Success{};
}

}  // namespace mitos::storage
