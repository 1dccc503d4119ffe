// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a screenshot: open, search if requested, wait until the window is idle, grab.
#include "app/mitos/screenshot.h"

#include "core/base/printable.h"
#include "core/base/source_text.h"
#include "core/ir/path.h"
#include "views/document/compared_programs.h"
#include "views/search_dialog/compare_dialog.h"
#include "views/search_dialog/search_dialog.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFile>
#include <QPixmap>
#include <cstdio>
#include <utility>

namespace mitos::app {

namespace {
constexpr int LookEveryMs = 60;
constexpr int QuietLooks = 5;  // plots are redrawn later through the event queue, and rows arrive in batches
constexpr int BadInput = 2;
constexpr qint64 PatienceMs = 120'000;
}  // namespace

Screenshot::Screenshot(views::MainWindow& window, ScreenshotOrder order, QObject* parent)
    : QObject(parent),
      m_window(window),
      m_order(std::move(order)) {
    const auto fail = [this](const QString& title, const QString& details) {
        finish(BadInput, title + QStringLiteral(": ") + details);
    };
    connect(&m_window.document(), &views::Document::failed, this, fail);
    connect(&m_window.egraph(), &views::EGraphDocument::failed, this, fail);
    connect(&m_timer, &QTimer::timeout, this, &Screenshot::look);
    m_clock.start();
    m_timer.start(LookEveryMs);
}

void Screenshot::look() {
    const bool ready =
        m_order.perspective == QLatin1String("start") || m_window.document().isOpen() || m_window.egraph().isOpen();
    m_quiet = ready && m_window.isSettled() ? m_quiet + 1 : 0;
    if (m_clock.elapsed() > PatienceMs + static_cast<qint64>(m_order.searchSeconds * 1000)) {
        finish(1, tr("The window did not come to rest."));
        return;
    }
    if (m_quiet < QuietLooks) return;
    m_quiet = 0;
    if (m_order.perspective == views::saturatePerspective() && !m_window.egraph().isOpen() &&
        !std::exchange(m_searched, true)) {
        views::SearchSettings settings = views::rememberedSaturation(m_window.document().dialect());
        if (m_order.searchSeconds > 0) settings.budget.seconds = m_order.searchSeconds;
        m_window.saturate(settings);
        return;
    }
    if (!std::exchange(m_shown, true)) {
        if (m_order.perspective == views::comparePerspective() && m_order.searchSeconds > 0) {
            std::vector<views::SearchSettings> searches =
                views::CompareDialog(m_window.document(), m_window.jobs()).searches();
            for (views::SearchSettings& settings : searches) settings.budget.seconds = m_order.searchSeconds;
            std::vector<views::ProgramChoice> programs;
            for (const QString& file : m_order.compared) programs.push_back({file});
            m_window.document().startComparison(searches, programs);
            m_searched = true;
        }
        m_window.showPerspective(m_order.perspective);
        return;
    }
    if (m_window.document().comparison().isRunning()) return;
    if (m_order.searchSeconds > 0 && !std::exchange(m_searched, true)) {
        m_window.setBudgetSeconds(m_order.searchSeconds);
        m_window.runSearch();
        return;
    }
    if (!m_order.subterm.isEmpty() && !std::exchange(m_selected, true)) {
        const auto path = ir::parsePath(m_order.subterm.toStdString());
        if (!path) {
            finish(BadInput, QString::fromStdString(path.error().message));
            return;
        }
        m_window.selection().setSubterm(*path);
        return;
    }
    if (!m_order.rendering.isEmpty() && !std::exchange(m_rendered, true)) {
        m_window.showProgramAs(m_order.rendering);
        return;
    }
    QByteArray picture;
    QBuffer buffer(&picture);
    m_window.grab().save(&buffer, "PNG");
    const Status written = writeFile(QFile::encodeName(m_order.target).toStdString(), picture.toStdString());
    finish(written ? 0 : 1, written ? QString() : QString::fromStdString(written.error().oneLine()));
}

void Screenshot::finish(int code, const QString& complaint) {
    m_timer.stop();
    if (!complaint.isEmpty()) std::fprintf(stderr, "mitos: %s\n", printable(complaint.toStdString()).c_str());
    QCoreApplication::exit(code);
}

}  // namespace mitos::app
