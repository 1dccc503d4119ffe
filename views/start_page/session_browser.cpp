// SPDX-License-Identifier: GPL-3.0-or-later
// See session_browser.h.
#include "views/start_page/session_browser.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/document/document.h"
#include "views/document/session_names.h"
#include "views/program/program_thumbnail.h"
#include "views/start_page/entry_list.h"
#include "views/start_page/internal/card_content.h"
#include "views/start_page/internal/session_entry.h"
#include "views/start_page/internal/strong_font.h"
#include "views/start_page/labels_dialog.h"
#include "views/start_page/recent.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace mitos::views {

namespace {

constexpr QSize BrowserSize(900, 600);
constexpr qsizetype BatchSize = 40;
constexpr int DrawDelayMs = 150;
constexpr int DetailsWidth = 320;
constexpr int PictureHeight = 200;
constexpr int SearchedRole = Qt::UserRole + 20;  ///< all words of the session
constexpr int TagsRole = Qt::UserRole + 21;
constexpr int UsedRole = Qt::UserRole + 22;
constexpr int GainRole = Qt::UserRole + 23;

enum Order { ByUse, ByGain, ByName };

/// Compares as the list is ordered now.
class SessionItem final : public QListWidgetItem {
public:
    SessionItem(EntryList* list, const QComboBox& order) : QListWidgetItem(list), m_order(order) {}

    bool operator<(const QListWidgetItem& other) const override {
        switch (m_order.currentIndex()) {
            case ByGain: return data(GainRole).toDouble() > other.data(GainRole).toDouble();
            case ByName: return text().localeAwareCompare(other.text()) < 0;
            default: return data(UsedRole).toDateTime() > other.data(UsedRole).toDateTime();
        }
    }

private:
    const QComboBox& m_order;
};

QString wordsOf(const storage::SessionSummary& summary) {
    QStringList words{nameOf(summary), fromUtf8(summary.title), fromUtf8(summary.labels.note)};
    for (const std::string& strategy : summary.strategies)
        words << fromUtf8(strategy) << strategyLabel(fromUtf8(strategy));
    for (const std::string& tag : summary.labels.tags) words << fromUtf8(tag);
    return words.join(QLatin1Char('\n'));
}

bool matches(const QListWidgetItem& item, const QString& word) {
    const QLatin1String tag("tag:");
    if (!word.startsWith(tag, Qt::CaseInsensitive))
        return item.data(SearchedRole).toString().contains(word, Qt::CaseInsensitive);
    return std::ranges::any_of(item.data(TagsRole).toStringList(), [&](const QString& one) {
        return one.startsWith(word.mid(tag.size()), Qt::CaseInsensitive);
    });
}

/// Sessions of the folder, and those used recently elsewhere; used last first.
QStringList sessionsIn(const QString& folder, const QList<RecentEntry>& recent) {
    std::vector<std::pair<QDateTime, QString>> found;
    std::set<QString> known;
    const auto take = [&](const QString& path) {
        if (known.insert(path).second) found.emplace_back(lastUse(path), path);
    };
    for (const QFileInfo& file : QDir(folder).entryInfoList({QStringLiteral("*.mitos")}, QDir::Files))
        take(file.absoluteFilePath());
    for (const RecentEntry& entry : recent) {
        if (entry.session && entry.exists) take(QFileInfo(entry.path).absoluteFilePath());
    }
    std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<QDateTime, QString>::first);
    QStringList paths;
    for (const auto& [used, path] : found) paths << path;
    return paths;
}

}  // namespace

SessionBrowser::SessionBrowser(JobRunner& jobs, QStringList open, QWidget* parent)
    : QDialog(parent),
      m_jobs(jobs),
      m_openPaths(std::move(open)),
      m_search(new QLineEdit),
      m_order(new QComboBox),
      m_count(new QLabel),
      m_list(new EntryList),
      m_name(new QLabel),
      m_picture(new ProgramThumbnail),
      m_note(new QLabel),
      m_open(new QPushButton(tr("&Open"))),
      m_openElsewhere(new QPushButton(tr("Open in a New &Window"))),
      m_labels(new QPushButton(tr("&Name, Tags and Note…"))),
      m_remove(new QPushButton(tr("Move to the &Trash"))),
      m_message(new QLabel),
      m_undo(new QPushButton(tr("&Undo"))) {
    setObjectName(QStringLiteral("sessionBrowser"));
    setWindowTitle(tr("All Sessions"));
    setUpWidget(m_search, "sessionSearch",
                tr("Words of the program, the strategies, the note and the tags; tag:paper finds a tag"),
                tr("Search sessions"));
    m_search->setPlaceholderText(tr("Program, strategy, note; tag:paper"));
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    setUpWidget(m_order, "sessionOrder", {}, tr("Order"));
    m_order->addItems({tr("Used last"), tr("Largest gain"), tr("Name")});
    m_count->setObjectName(QStringLiteral("sessionCount"));
    setUpWidget(m_list, "sessionList", {}, tr("Sessions"));
    m_list->setOpensOnClick(false);
    m_list->setUniformItemSizes(true);
    m_message->setObjectName(QStringLiteral("browserMessage"));
    m_message->setWordWrap(true);
    setUpWidget(m_undo, "undoTrash", tr("Bring the session back"));
    m_message->hide();
    m_undo->hide();
    auto* close = new QPushButton(tr("&Close"));
    close->setObjectName(QStringLiteral("closeBrowser"));
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    for (QPushButton* button : {m_openElsewhere, m_labels, m_remove, m_undo, close}) button->setAutoDefault(false);

    fillColumn(this, {rowOf({{m_search, 1}, m_count, m_order}),
                      {rowOf({{m_list, 1}, makeDetails()}), 1},
                      rowOf({{m_message, 1}, m_undo, stretch(0), close})});
    resize(BrowserSize);

    connect(m_search, &QLineEdit::textChanged, this, &SessionBrowser::filter);
    connect(m_search, &QLineEdit::returnPressed, this, [this] { openCurrent(false); });
    connect(m_order, &QComboBox::activated, this, &SessionBrowser::order);
    connect(m_list, &QListWidget::currentItemChanged, this, &SessionBrowser::showDetails);
    connect(m_list, &EntryList::chosen, this, [this] { openCurrent(false); });
    connect(m_list, &EntryList::removalRequested, this, &SessionBrowser::moveToTrash);
    connect(m_list, &EntryList::typed, this, [this](const QString& text) {
        m_search->setFocus(Qt::OtherFocusReason);
        m_search->setText(m_search->text() + text);
    });
    connect(m_open, &QPushButton::clicked, this, [this] { openCurrent(false); });
    connect(m_openElsewhere, &QPushButton::clicked, this, [this] { openCurrent(true); });
    connect(m_labels, &QPushButton::clicked, this, &SessionBrowser::editLabels);
    connect(m_remove, &QPushButton::clicked, this, &SessionBrowser::moveToTrash);
    connect(m_undo, &QPushButton::clicked, this, &SessionBrowser::undo);
    m_drawTimer.setSingleShot(true);
    m_drawTimer.setInterval(DrawDelayMs);
    connect(&m_drawTimer, &QTimer::timeout, this, &SessionBrowser::drawPicture);
    showDetails();
    findSessions();
    m_search->setFocus();
}

SessionBrowser::~SessionBrowser() = default;

QWidget* SessionBrowser::makeDetails() {
    setUpPlainLabel(m_name, "sessionTitle");
    setOwnFont(m_name, [] { return strongFont(QApplication::font()); });
    m_picture->setObjectName(QStringLiteral("sessionPicture"));
    m_picture->setFixedHeight(PictureHeight);
    setUpPlainLabel(m_note, "sessionDetails");
    m_note->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_open->setObjectName(QStringLiteral("openSession"));
    m_open->setDefault(true);
    setUpWidget(m_openElsewhere, "openSessionInWindow", {});
    setUpWidget(m_labels, "editLabels", {});
    setUpWidget(m_remove, "trashSession", {});
    auto* details = new QWidget;
    details->setFixedWidth(DetailsWidth);
    fillColumn(details, {m_name, m_picture, {m_note, 1}, m_labels, m_remove, m_openElsewhere, m_open});
    return details;
}

// --- reading -----------------------------------------------------------------------------------------------------------------

void SessionBrowser::findSessions() {
    m_count->setText(tr("reading…"));
    m_jobs.start(
        tr("Listing sessions"), false, this,
        [folder = Document::sessionFolder(), recent = recentEntries()](
            const std::stop_token&, const JobRunner::Report&) { return sessionsIn(folder, recent); },
        [this](const QStringList& paths) {
            m_unread = paths;
            readNext();
        });
}

void SessionBrowser::readNext() {
    if (m_unread.isEmpty()) {
        filter();
        if (m_list->count() == 0) say(tr("There are no sessions yet. Whatever you do with a program begins one."));
        return;
    }
    const QStringList next = m_unread.mid(0, BatchSize);
    m_unread = m_unread.mid(next.size());
    m_jobs.start(
        tr("Reading sessions"), false, this,
        [next](const std::stop_token& stop, const JobRunner::Report&) {
            Batch batch;
            for (const QString& path : next) {
                if (stop.stop_requested()) break;
                batch.emplace_back(path, storage::summaryOf(QFile::encodeName(path).toStdString()));
            }
            return batch;
        },
        [this](const Batch& batch) {
            add(batch);
            readNext();
        });
}

void SessionBrowser::add(const Batch& batch) {
    for (const auto& [path, summary] : batch) {
        auto* item = new SessionItem(m_list, *m_order);
        item->setData(EntryList::PathRole, path);
        item->setText(programName(QFileInfo(path).fileName()));
        showRow(*item, path, summary);
    }
    order();
    filter();
}

void SessionBrowser::showRow(QListWidgetItem& item, const QString& path, const Summary& summary) {
    m_summaries.insert(path, summary);
    showSession(item, path, summary);
    item.setData(UsedRole, lastUse(path));
    item.setData(GainRole, summary ? gainOf(*summary) : -1.0);
    QStringList tags;
    if (summary) {
        for (const std::string& tag : summary->labels.tags) tags << fromUtf8(tag);
    }
    item.setData(TagsRole, tags);
    item.setData(SearchedRole, summary ? wordsOf(*summary) : item.text());
}

// --- searching ---------------------------------------------------------------------------------------------------------------

void SessionBrowser::filter() {
    const QStringList words = m_search->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const int shown = m_list->showOnly([&](const QListWidgetItem& item, const QString&) {
        return std::ranges::all_of(words, [&](const QString& word) { return matches(item, word); });
    });
    if (!m_unread.isEmpty())
        m_count->setText(tr("reading…"));
    else
        m_count->setText(words.isEmpty() ? QLocale().toString(m_list->count())
                         : shown == 0    ? tr("none matches")
                                         : tr("%L1 of %L2").arg(shown).arg(m_list->count()));
    showDetails();
}

void SessionBrowser::order() {
    m_list->sortItems();
    if (m_list->currentItem() != nullptr) m_list->scrollToItem(m_list->currentItem());
}

/// The list follows the arrows that are pressed in the search field.
bool SessionBrowser::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape && !m_search->text().isEmpty()) {
        m_search->clear();
        return true;
    }
    if (key != Qt::Key_Down && key != Qt::Key_Up) return false;
    m_list->step(key == Qt::Key_Down ? 1 : -1);
    return true;
}

// --- one session -------------------------------------------------------------------------------------------------------------

QString SessionBrowser::currentPath() const {
    const QListWidgetItem* item = m_list->currentItem();
    return item == nullptr || item->isHidden() ? QString() : item->data(EntryList::PathRole).toString();
}

void SessionBrowser::showDetails() {
    const QString path = currentPath();
    const auto found = m_summaries.constFind(path);
    const bool isKnown = !path.isEmpty() && found != m_summaries.cend();
    const bool isReadable = isKnown && found->ok();
    const bool isInUse = m_openPaths.contains(path) || (isReadable && (*found)->isInUse);
    m_name->setText(isKnown ? m_list->currentItem()->text() : QString());
    QStringList lines;
    if (isReadable) {
        QStringList tags;
        for (const std::string& tag : (*found)->labels.tags) tags << QLatin1Char('#') + fromUtf8(tag);
        if (!tags.isEmpty()) lines << tags.join(QLatin1Char(' '));
        if (!(*found)->labels.note.empty()) lines << fromUtf8((*found)->labels.note);
    } else if (isKnown && !isInUse) {
        lines << fromUtf8(found->error().render());
    }
    if (isInUse) lines << tr("It is open in a window.");
    m_note->setText(lines.join(QLatin1Char('\n')));
    m_open->setEnabled(isKnown);
    m_openElsewhere->setEnabled(isKnown);
    m_labels->setEnabled(isReadable && !isInUse);
    m_labels->setToolTip(isInUse ? tr("It is open in a window: File ▸ About This Session…") : QString());
    m_remove->setEnabled(isKnown && !isInUse);
    m_remove->setToolTip(isInUse ? tr("Close it first") : QString());
    m_picture->setVisible(isReadable);
    m_picture->setContent(nullptr);
    m_drawing.cancel();
    if (isReadable)
        m_drawTimer.start();
    else
        m_drawTimer.stop();
}

void SessionBrowser::drawPicture() {
    m_drawing.ask(
        tr("Drawing a session"),
        [path = QFile::encodeName(currentPath()).toStdString(), font = font()](
            const std::stop_token& stop, const JobRunner::Report&) { return sessionCard(path, font, stop); },
        [this](const Result<CardContent>& content) {
            if (content) m_picture->setContent(content->program);
        });
}

void SessionBrowser::openCurrent(bool inNewWindow) {
    const QString path = currentPath();
    if (path.isEmpty()) return;
    accept();
    if (inNewWindow)
        Q_EMIT windowRequested(path);
    else
        Q_EMIT chosen(path);
}

void SessionBrowser::editLabels() {
    const QString path = currentPath();
    const auto found = m_summaries.constFind(path);
    if (found == m_summaries.cend() || !found->ok()) return;
    auto* dialog = new LabelsDialog(programName(fromUtf8((*found)->title)), (*found)->labels, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, path] {
        m_jobs.start(
            tr("Labelling a session"), false, this,
            [file = QFile::encodeName(path).toStdString(), labels = dialog->labels()](
                const std::stop_token&, const JobRunner::Report&) { return storage::storeLabels(file, labels); },
            [this, path](const Status& stored) {
                if (!stored) say(fromUtf8(stored.error().render()));
                readAgain(path);
            });
    });
    dialog->open();
}

void SessionBrowser::readAgain(const QString& path) {
    m_jobs.start(
        tr("Reading sessions"), false, this,
        [file = QFile::encodeName(path).toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return storage::summaryOf(file);
        },
        [this, path](const Summary& summary) {
            for (int row = 0; row < m_list->count(); ++row) {
                QListWidgetItem& item = *m_list->item(row);
                if (item.data(EntryList::PathRole).toString() == path) showRow(item, path, summary);
            }
            filter();
        });
}

// --- the trash ---------------------------------------------------------------------------------------------------------------

void SessionBrowser::moveToTrash() {
    const QString path = currentPath();
    if (path.isEmpty() || !m_remove->isEnabled()) return;
    const QString name = m_list->currentItem()->text();
    QList<std::pair<QString, QString>> removed;
    for (const char* suffix : {"", "-wal", "-shm"}) {
        const QString file = path + QLatin1String(suffix);
        QString place;
        if (!QFile::exists(file)) continue;
        if (!QFile::moveToTrash(file, &place)) {
            for (const auto& [from, to] : removed) QFile::rename(to, from);
            say(tr("%1 could not be moved to the trash; nothing was deleted. Check that its folder may be written.")
                    .arg(name));
            return;
        }
        removed.append({file, place});
    }
    m_removed = removed;
    removeRecent(path);
    m_summaries.remove(path);
    delete m_list->takeItem(m_list->currentRow());
    filter();
    say(tr("%1 was moved to the trash.").arg(name), true);
}

void SessionBrowser::undo() {
    QString path;
    for (const auto& [from, place] : m_removed) {
        if (path.isEmpty()) path = from;
        if (QFile::exists(from) || !QFile::rename(place, from)) {
            say(tr("The session could not be brought back; it is still in the trash: %1").arg(place));
            return;
        }
        const QFileInfo trashed(place);
        QFile::remove(trashed.path() + QStringLiteral("/../info/") + trashed.fileName() + QStringLiteral(".trashinfo"));
    }
    m_removed.clear();
    say({});
    m_unread << path;
    readNext();
}

void SessionBrowser::say(const QString& text, bool canUndo) {
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
    m_undo->setVisible(canUndo);
}

}  // namespace mitos::views
