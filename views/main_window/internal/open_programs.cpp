// SPDX-License-Identifier: GPL-3.0-or-later
// See open_programs.h.
#include "views/main_window/internal/open_programs.h"

#include <algorithm>

namespace mitos::views {

namespace {
constexpr int SettlingMs = 1500;  // after which the order of last use counts again
}

OpenPrograms::OpenPrograms(Document& document, QObject* parent) : QObject(parent), m_document(document) {
    m_settling.setSingleShot(true);
    m_settling.setInterval(SettlingMs);
    connect(&m_settling, &QTimer::timeout, this, [this] { m_order.clear(); });
    connect(&document, &Document::opened, this, &OpenPrograms::opened);
    connect(&document, &Document::closed, this, [this] {
        m_isFirstShown = false;
        // Without a session there is nothing to come back to.
        erase_if(m_programs, [](const OpenProgram& program) { return program.session.isEmpty(); });
    });
    for (const auto changed : {&Document::historyChanged, &Document::labelsChanged, &Document::costModelChanged}) {
        connect(&document, changed, this, &OpenPrograms::update);
    }
    connect(&document, &Document::endedInBackground, this, &OpenPrograms::changed);
}

void OpenPrograms::opened() {
    const QString session = m_document.sessionPath();
    erase_if(m_programs, [&session](const OpenProgram& program) { return program.session == session; });
    m_programs.prepend({.session = session, .name = {}});
    m_isFirstShown = true;
    update();
}

void OpenPrograms::update() {
    if (!m_isFirstShown || !m_document.isOpen()) return;
    const rewrite::History& history = m_document.history();
    OpenProgram& shown = m_programs.front();
    shown.session = m_document.sessionPath();
    shown.name = m_document.sessionName();
    shown.initialCost = history.state(history.start()).cost;
    shown.bestCost = history.state(history.best()).cost;
    Q_EMIT changed();
}

const OpenProgram* OpenPrograms::find(const QString& session) const {
    const auto found = std::ranges::find(m_programs, session, &OpenProgram::session);
    return found == m_programs.end() ? nullptr : &*found;
}

QString OpenPrograms::step(int by) {
    if (m_order.isEmpty()) {
        for (const OpenProgram& program : m_programs) m_order << program.session;
        m_at = m_isFirstShown ? 0 : -std::min(by, 0) - 1;
    }
    m_settling.start();
    const auto count = static_cast<int>(m_order.size());
    if (count == 0 || (count == 1 && m_isFirstShown)) return {};
    m_at = ((m_at + by) % count + count) % count;
    return m_order.at(m_at);
}

bool OpenPrograms::isShown(const OpenProgram& program) const {
    return m_isFirstShown && &program == &m_programs.front();
}

int OpenPrograms::searchesOf(const OpenProgram& program) const {
    return isShown(program) ? m_document.runningSearches() : m_document.searchesInBackground(program.session);
}

void OpenPrograms::handOver(const QString& session) {
    m_document.keep(session);
    remove(session);
}

void OpenPrograms::remove(const QString& session) {
    m_order.clear();
    erase_if(m_programs, [&session](const OpenProgram& program) { return program.session == session; });
    m_document.forget(session);
    Q_EMIT changed();
}

}  // namespace mitos::views
