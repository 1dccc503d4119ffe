// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: samples on the left, the user's files and sessions on the right.
#include "views/start_page/start_page.h"

#include "views/common/widgets.h"
#include "views/start_page/recent.h"
#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QLabel>
#include <QList>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QString>
#include <QStyledItemDelegate>
#include <algorithm>
#include <tuple>
#include <utility>

namespace mitos::views {

namespace {

constexpr int Padding = 6;
constexpr int DetailLines = 3;

class EntryDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const bool heading = index.data(EntryList::HeadingRole).toBool();
        const bool selected = option.state.testFlag(QStyle::State_Selected) && !heading;
        const bool enabled = index.flags().testFlag(Qt::ItemIsEnabled) || heading;
        const QColor highlighted = option.palette.color(QPalette::HighlightedText);
        const QColor faint = Theme(option.palette).faintText();
        painter->save();
        if (selected)
            painter->fillRect(option.rect, option.palette.highlight());
        else if (option.state.testFlag(QStyle::State_MouseOver) && !heading && enabled) {
            QColor hover = option.palette.color(QPalette::Highlight);
            hover.setAlphaF(0.12F);
            painter->fillRect(option.rect, hover);
        }
        const QRect room = option.rect.adjusted(2 * Padding, Padding, -2 * Padding, -Padding);
        QFont font = option.font;
        font.setBold(true);
        painter->setFont(font);
        const QColor title =
            heading ? faint : option.palette.color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::Text);
        painter->setPen(selected ? highlighted : title);
        const QString text = QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, room.width());
        painter->drawText(room, heading ? Qt::AlignBottom | Qt::AlignLeft : Qt::AlignTop | Qt::AlignLeft, text);
        if (!heading) {
            painter->setFont(option.font);
            painter->setPen(selected ? highlighted : faint);
            const QRect detail = room.adjusted(0, QFontMetrics(font).height() + 1, 0, 0);
            painter->drawText(detail, Qt::TextWordWrap | Qt::AlignTop | Qt::AlignLeft,
                              index.data(EntryList::DetailRole).toString());
        } else {
            painter->drawLine(room.left(), option.rect.bottom(), room.right(), option.rect.bottom());
        }
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QFontMetrics metrics(option.font);
        if (index.data(EntryList::HeadingRole).toBool()) return {100, metrics.height() * 2 + Padding};
        const auto* list = qobject_cast<const QListWidget*>(option.widget);
        const int width = list != nullptr ? list->viewport()->width() : 300;
        const QRect detail = metrics.boundingRect(QRect(0, 0, width - 4 * Padding, metrics.lineSpacing() * DetailLines),
                                                  Qt::TextWordWrap, index.data(EntryList::DetailRole).toString());
        QFont bold = option.font;
        bold.setBold(true);
        return {100, QFontMetrics(bold).height() + detail.height() + 2 * Padding + 2};
    }
};

struct Sample {
    QString group;  ///< folder
    QString name;
    QString path;
    QString title;  ///< first line of its leading comment
    QString about;  ///< the next two lines: what to try
};

/// A sample's comment has a title, then two lines with suggestions; later lines about sources and repairs are not shown.
constexpr int ShownLines = 3;
constexpr qint64 LongestLine = 4096;

/// Teaching groups come first, long tables of expressions last, and all other groups in between.
int rank(const QString& group) {
    static const QStringList first = {QStringLiteral("teaching"), QStringLiteral("linear-algebra"),
                                      QStringLiteral("convolution")};
    if (group == QLatin1String("arithmetic")) return static_cast<int>(first.size()) + 1;
    const qsizetype place = first.indexOf(group);
    return static_cast<int>(place < 0 ? first.size() : place);
}

QStringList leadingComment(const QString& path) {
    QFile file(path);
    QStringList lines;
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) return lines;
    while (lines.size() < ShownLines && !file.atEnd()) {
        QString line = QString::fromUtf8(file.readLine(LongestLine)).trimmed();
        if (!line.startsWith(QLatin1Char(';'))) break;
        while (line.startsWith(QLatin1Char(';'))) line.remove(0, 1);
        line = line.trimmed();
        if (!line.isEmpty() && !line.startsWith(QLatin1String("SPDX-"))) lines << line;
    }
    return lines;
}

/// $MITOS_SAMPLES if it is set, else the installed folder, else `samples` next to or above the executable; empty if there is none.
QString findSampleFolder() {
    const QString chosen = qEnvironmentVariable("MITOS_SAMPLES");
    if (!chosen.isEmpty()) return QDir(chosen).exists() ? chosen : QString();
    QDir folder(QCoreApplication::applicationDirPath());
    const QString installed = folder.filePath(QStringLiteral("../share/mitos/samples"));
    if (QDir(installed).exists()) return QDir::cleanPath(installed);
    do {
        const QString samples = folder.filePath(QStringLiteral("samples"));
        if (QDir(samples).exists()) return samples;
    } while (folder.cdUp());
    return {};
}

/// All .ks files below the folder, sorted by group and name. Reads files, so call it in a job.
QList<Sample> readSamples(const QString& folder) {
    QList<Sample> samples;
    if (folder.isEmpty()) return samples;
    QDirIterator files(folder, {QStringLiteral("*.ks")}, QDir::Files | QDir::Readable, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QFileInfo file(files.next());
        Sample sample;
        sample.group = QDir(folder).relativeFilePath(file.absolutePath());
        if (sample.group == QLatin1String(".")) sample.group.clear();
        sample.name = file.completeBaseName();
        sample.path = file.absoluteFilePath();
        const QStringList comment = leadingComment(sample.path);
        sample.title = comment.value(0);
        sample.about = comment.mid(1).join(QLatin1Char(' '));
        samples << sample;
    }
    std::ranges::sort(samples, [](const Sample& a, const Sample& b) {
        return std::tuple(rank(a.group), a.group, a.name) < std::tuple(rank(b.group), b.group, b.name);
    });
    return samples;
}

QString groupTitle(const QString& folder) {
    if (folder.isEmpty()) return StartPage::tr("Samples");
    QString title = folder;
    title.replace(QLatin1Char('-'), QLatin1Char(' ')).replace(QLatin1Char('/'), QStringLiteral(" · "));
    return title.left(1).toUpper() + title.mid(1);
}

}  // namespace

EntryList::EntryList(QWidget* parent) : QListWidget(parent) {
    setItemDelegate(new EntryDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setResizeMode(QListView::Adjust);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(true);
    setSelectionMode(QAbstractItemView::SingleSelection);
    // A single click opens an entry; with the keyboard, Enter does.
    connect(this, &QListWidget::itemClicked, this, &EntryList::chosen);
    connect(this, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
        if (!style()->styleHint(QStyle::SH_ItemView_ActivateItemOnSingleClick)) Q_EMIT chosen(item);
    });
}

void EntryList::addHeading(const QString& text) {
    auto* item = new QListWidgetItem(text, this);
    item->setData(HeadingRole, true);
    item->setFlags(Qt::NoItemFlags);
}

QListWidgetItem* EntryList::addEntry(const QString& title, const QString& detail, const QString& path, bool enabled) {
    auto* item = new QListWidgetItem(title, this);
    item->setData(DetailRole, detail);
    item->setData(PathRole, path);
    item->setToolTip(path);
    if (!enabled) item->setFlags(Qt::NoItemFlags);
    return item;
}

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
    setUpWidget(m_samples, "samples", {}, tr("Samples"));
    setUpWidget(m_recent, "recent", {}, tr("Recent files and sessions"));
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

    auto* words = columnOf({title, subtitle});
    auto* head = rowOf({{m_logo, 0, Qt::AlignTop}, {words, 1}}, {.spacing = 16});

    hint->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* right = columnOf({m_open, m_new, m_network, hint, {m_recent, 1}, stretch(0)}, {.spacing = 8});
    auto* columns = rowOf({{m_samples, 3}, {right, 2}}, {.spacing = 24});
    fillColumn(this, {head, {columns, 1}}, {.margins = QMargins(32, 24, 32, 16), .spacing = 16});

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
    followPalette(this, [this] { updateIcons(); });
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
                m_samples->addEntry(
                    tr("No samples found"),
                    tr("Samples are in the folder “samples” of the source, or in the folder that MITOS_SAMPLES names."),
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

}  // namespace mitos::views
