// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: samples on the left, the user's files and sessions on the right.
#include "views/start_page/start_page.h"

#include "views/start_page/entry_list.h"
#include "views/start_page/recent.h"
#include "views/start_page/samples.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace mitos::views {

namespace {

QString groupTitle(const QString& folder) {
    if (folder.isEmpty()) return StartPage::tr("Samples");
    QString title = folder;
    title.replace(QLatin1Char('-'), QLatin1Char(' ')).replace(QLatin1Char('/'), QStringLiteral(" · "));
    return title.left(1).toUpper() + title.mid(1);
}

}  // namespace

StartPage::StartPage(JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_jobs(jobs),
      m_logo(new QLabel(this)),
      m_samples(new EntryList(this)),
      m_recent(new EntryList(this)),
      m_open(new QPushButton(tr("Open File…"), this)),
      m_new(new QPushButton(tr("Type a Program…"), this)),
      m_network(new QPushButton(tr("New from a Network…"), this)) {
    setObjectName(QStringLiteral("startPage"));
    m_samples->setObjectName(QStringLiteral("samples"));
    m_samples->setAccessibleName(tr("Samples"));
    m_recent->setObjectName(QStringLiteral("recent"));
    m_recent->setAccessibleName(tr("Recent files and sessions"));
    m_open->setObjectName(QStringLiteral("openFileButton"));
    m_new->setObjectName(QStringLiteral("newProgramButton"));
    m_network->setObjectName(QStringLiteral("newNetworkButton"));
    setFocusProxy(m_samples);

    auto* title = new QLabel(tr("Mitos"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.8);
    large.setBold(true);
    title->setFont(large);
    auto* subtitle = new QLabel(tr("Open a program or an ONNX model, see every rewrite that applies and what it would "
                                   "cost, step by hand or let a "
                                   "search find the thread.\nEvery step can be walked back, replayed and checked."),
                                this);
    subtitle->setWordWrap(true);
    subtitle->setForegroundRole(QPalette::PlaceholderText);
    auto* hint = new QLabel(tr("Or drop a .ks program, an ONNX model or a session anywhere on this window."), this);
    hint->setForegroundRole(QPalette::PlaceholderText);
    hint->setWordWrap(true);

    auto* words = new QVBoxLayout;
    words->addWidget(title);
    words->addWidget(subtitle);
    auto* head = new QHBoxLayout;
    head->setSpacing(16);
    head->addWidget(m_logo, 0, Qt::AlignTop);
    head->addLayout(words, 1);

    hint->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* right = new QVBoxLayout;
    right->setSpacing(8);
    right->addWidget(m_open);
    right->addWidget(m_new);
    right->addWidget(m_network);
    right->addWidget(hint);
    right->addWidget(m_recent, 1);
    right->addStretch(0);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(24);
    columns->addWidget(m_samples, 3);
    columns->addLayout(right, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(32, 24, 32, 16);
    layout->setSpacing(16);
    layout->addLayout(head);
    layout->addLayout(columns, 1);

    const auto open = [this](QListWidgetItem* item) {
        if (item->flags().testFlag(Qt::ItemIsEnabled)) Q_EMIT fileChosen(item->data(EntryList::PathRole).toString());
    };
    connect(m_samples, &EntryList::chosen, this, open);
    connect(m_recent, &EntryList::chosen, this, open);
    connect(m_open, &QPushButton::clicked, this, &StartPage::openRequested);
    connect(m_new, &QPushButton::clicked, this, &StartPage::newRequested);
    connect(m_network, &QPushButton::clicked, this, &StartPage::networkRequested);
    m_recent->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_recent, &QWidget::customContextMenuRequested, this, [this](const QPoint& place) {
        const QListWidgetItem* item = m_recent->itemAt(place);
        const QString path = item != nullptr ? item->data(EntryList::PathRole).toString() : QString();
        if (path.isEmpty()) return;
        auto* menu = new QMenu(m_recent);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Remove from this list"), this, [this, path] {
            removeRecent(path);
            fillRecent();
        });
        menu->popup(m_recent->viewport()->mapToGlobal(place));
    });
    updateIcons();
    refresh();
}

void StartPage::updateIcons() {
    const Theme theme(palette());
    m_logo->setPixmap(theme.icon(QStringLiteral("mitos")).pixmap(QSize(48, 48), devicePixelRatioF()));
    m_open->setIcon(theme.icon(QStringLiteral("open")));
    m_new->setIcon(theme.icon(QStringLiteral("text")));
    m_network->setIcon(theme.icon(QStringLiteral("graph")));
}

void StartPage::refresh() {
    fillRecent();
    m_jobs.start(
        tr("Reading samples"), false, this,
        [](const std::stop_token&, const JobRunner::Report&) { return readSamples(findSampleFolder()); },
        [this](const QList<Sample>& samples) {
            m_samples->clear();
            QString group;
            for (const Sample& sample : samples) {
                if (m_samples->count() == 0 || sample.group != group) m_samples->addHeading(groupTitle(sample.group));
                group = sample.group;
                const QString title =
                    sample.title.isEmpty() ? sample.name : tr("%1: %2").arg(sample.name, sample.title);
                m_samples->addEntry(title, sample.about, sample.path);
            }
            if (!samples.isEmpty()) {
                m_samples->setCurrentRow(1);  // below the first heading, so that Enter opens it
            } else {
                m_samples->addHeading(tr("Samples"));
                m_samples->addEntry(tr("No samples found"),
                                    tr("They lie in the folder “samples” of the source, or where MITOS_SAMPLES says."),
                                    {}, false);
            }
        });
}

void StartPage::fillRecent() {
    m_recent->clear();
    const QList<RecentEntry> entries = recentEntries();
    for (const bool session : {true, false}) {
        bool first = true;
        for (const RecentEntry& entry : entries) {
            if (entry.session != session) continue;
            if (std::exchange(first, false)) m_recent->addHeading(session ? tr("Sessions") : tr("Files"));
            const QString where =
                entry.exists ? shortenedPath(entry.path) : tr("missing: %1").arg(shortenedPath(entry.path));
            m_recent->addEntry(entry.title, where, entry.path, entry.exists);
        }
    }
    m_recent->setVisible(m_recent->count() > 0);
}

void StartPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) updateIcons();
    QWidget::changeEvent(event);
}

}  // namespace mitos::views
