// SPDX-License-Identifier: GPL-3.0-or-later
// The selection bus and the trail of subterms selected earlier.
#include "views/document/selection.h"

#include <utility>

namespace mitos::views {

namespace {
constexpr std::size_t LongestTrail = 200;
}

Selection::Selection(QObject* parent) : QObject(parent) {}

void Selection::setSubterm(std::optional<ir::Path> path) {
    if (path == m_subterm) return;
    m_subterm = std::move(path);
    if (m_subterm) {
        // As in a browser, a new selection drops the forward entries.
        if (!m_visited.empty()) m_visited.resize(m_visitedAt + 1);
        m_visited.push_back(*m_subterm);
        if (m_visited.size() > LongestTrail) m_visited.erase(m_visited.begin());
        m_visitedAt = m_visited.size() - 1;
    }
    Q_EMIT subtermChanged();
}

void Selection::setRewrite(std::optional<rewrite::Step> step) {
    if (!step && !m_rewrite) return;
    m_rewrite = std::move(step);
    Q_EMIT rewriteChanged();
}

void Selection::setTouched(std::vector<ir::Path> places, std::size_t roots) {
    if (places == m_touched && roots == m_touchedRoots) return;
    m_touchedRoots = roots;
    m_touched = std::move(places);
    Q_EMIT touchedChanged();
}

void Selection::setRun(RunNumber run) {
    if (run == m_run) return;
    m_run = run;
    Q_EMIT runChanged();
}

void Selection::setCompared(std::optional<rewrite::StateId> state) {
    if (state == m_compared && !m_comparedProgram) return;
    m_compared = state;
    m_comparedProgram.reset();
    Q_EMIT comparedChanged();
}

void Selection::setComparedProgram(OtherProgram program) {
    m_compared.reset();
    m_comparedProgram = std::move(program);
    Q_EMIT comparedChanged();
}

void Selection::back() {
    if (m_visited.empty()) return;
    // If nothing is selected, the last one is restored first.
    if (m_subterm) {
        if (m_visitedAt == 0) return;
        --m_visitedAt;
    }
    m_subterm = m_visited[m_visitedAt];
    Q_EMIT subtermChanged();
}

void Selection::forward() {
    if (m_visitedAt + 1 >= m_visited.size()) return;
    ++m_visitedAt;
    m_subterm = m_visited[m_visitedAt];
    Q_EMIT subtermChanged();
}

void Selection::clear() {
    m_visited.clear();
    m_visitedAt = 0;
    setTouched({}, 0);
    setRewrite(std::nullopt);
    setSubterm(std::nullopt);
}

}  // namespace mitos::views
