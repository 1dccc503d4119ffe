// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: three cards, then the user's sessions and files beside the samples.
#include "views/start_page/start_page.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/document.h"
#include "views/document/samples.h"
#include "views/document/session_names.h"
#include "views/program/program_thumbnail.h"
#include "views/start_page/internal/card_content.h"
#include "views/start_page/internal/session_entry.h"
#include "views/start_page/internal/start_card.h"
#include "views/start_page/internal/strong_font.h"
#include "views/start_page/recent.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QList>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QString>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int WidestContent = 1600;
constexpr QMargins PageMargins(32, 24, 32, 16);
constexpr int Gap = 16;
constexpr int LogoSize = 40;
constexpr int FilterWidth = 240;
constexpr int LowestCards = 224;
constexpr int HighestCards = 320;
constexpr double CardShare = 0.3;  // of the page's height
constexpr const char* SteppedSample = "linear-algebra/gemm.ks";
constexpr const char* SearchedSample = "teaching/polynomial.ks";
constexpr const char* Network = "squeezenet";

QString samplePath(const char* sample) {
    const QString folder = sampleFolder();
    return folder.isEmpty() ? QString() : QDir(folder).filePath(QLatin1String(sample));
}

QLabel* sectionTitle(const QString& text) {
    auto* label = new QLabel(text);
    setOwnFont(label, [] { return strongFont(QApplication::font()); });
    return label;
}

QLabel* faintLabel(const QString& text) {
    auto* label = new QLabel(text);
    setOwnFont(label, [] { return smallFont(QApplication::font()); });
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    return label;
}

/// A hairline in the colour of the theme.
class Hairline final : public QWidget {
public:
    Hairline() { setFixedHeight(1); }

protected:
    void paintEvent(QPaintEvent* /*event*/) override { QPainter(this).fillRect(rect(), Theme(palette()).line()); }
};

}  // namespace

StartPage::StartPage(JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_jobs(jobs),
      m_logo(new QLabel),
      m_open(new QPushButton(tr("Open File…"))),
      m_new(new QPushButton(tr("Type a Program…"))),
      m_network(new QPushButton(tr("New from a Network…"))),
      m_stepCard(new StartCard("stepCard", tr("Step through GEMM"),
                               tr("See every rewrite of a matrix product, priced before you take it."))),
      m_searchCard(new StartCard("searchCard", tr("Search a polynomial"),
                                 tr("Let a search find the cheapest form, then walk every step of the way."))),
      m_networkCard(new StartCard("networkCard", tr("Optimize a network"),
                                  tr("SqueezeNet with the rules for tensors, priced for a GPU."))),
      m_stepPicture(new ProgramThumbnail),
      m_searchPicture(new ProgramThumbnail),
      m_searchCurve(new CurvePicture),
      m_networkPicture(new ProgramThumbnail),
      m_recent(new EntryList),
      m_noSession(faintLabel(
          tr("No session yet: what you do with a program is saved as you go, and waits here.\n\nPrograms, ONNX models "
             "and sessions can also be dropped on this window."))),
      m_samples(new EntryList),
      m_filter(new QLineEdit),
      m_findIcon(m_filter->addAction(QIcon(), QLineEdit::LeadingPosition)),
      m_count(faintLabel({})) {
    setObjectName(QStringLiteral("startPage"));
    auto* content = new QWidget;
    content->setMaximumWidth(WidestContent);
    auto* columns = rowOf({{makeRecent(), 2}, {makeSamples(), 3}}, {.spacing = 2 * Gap});
    fillColumn(content, {makeHead(), gap(Gap), makeTourOffer(), makeCards(), gap(Gap + Gap / 2), {columns, 1}},
               {.margins = NoMargins, .spacing = 0});
    constexpr int All = 1'000;  // the rest is beside the content once that is as wide as it may be
    fillRow(this, {stretch(), {content, All}, stretch()}, {.margins = PageMargins, .spacing = 0});
    setFocusProxy(m_samples);
    auto* find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, m_filter, [this] {
        m_filter->setFocus(Qt::ShortcutFocusReason);
        m_filter->selectAll();
    });
    followPalette(this, [this] { updateIcons(); });
    whenShown(this, Qt::QueuedConnection, [this] { drawCards(); });
    refresh();
}

StartPage::~StartPage() = default;

QWidget* StartPage::makeHead() {
    m_open->setObjectName(QStringLiteral("openFileButton"));
    m_open->setToolTip(tr("Open a .ks program, an ONNX model, a session or an e-graph; or drop it on this window"));
    m_new->setObjectName(QStringLiteral("newProgramButton"));
    m_network->setObjectName(QStringLiteral("newNetworkButton"));
    connect(m_open, &QPushButton::clicked, this, &StartPage::openRequested);
    connect(m_new, &QPushButton::clicked, this, &StartPage::newRequested);
    connect(m_network, &QPushButton::clicked, this, &StartPage::networkRequested);
    auto* title = new QLabel(tr("Mitos"));
    setOwnFont(title, [] {
        QFont large = strongFont(QApplication::font());
        large.setPointSizeF(large.pointSizeF() * 1.8);
        return large;
    });
    QLabel* about = faintLabel(tr("Every rewrite with its cost; every step can be checked."));
    about->setWordWrap(false);
    about->setMinimumWidth(1);  // a narrow window shows its beginning
    auto* head = new QWidget;
    fillRow(head,
            {{m_logo, 0, Qt::AlignVCenter},
             gap(Gap),
             {columnOf({title, about}, {.margins = NoMargins, .spacing = 0}), 1},
             gap(Gap),
             {m_open, 0, Qt::AlignVCenter},
             gap(Gap / 2),
             {m_new, 0, Qt::AlignVCenter},
             gap(Gap / 2),
             {m_network, 0, Qt::AlignVCenter}},
            {.margins = NoMargins, .spacing = 0});
    head->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    return head;
}

QWidget* StartPage::makeCards() {
    m_stepPicture->setObjectName(QStringLiteral("stepPicture"));
    m_searchPicture->setObjectName(QStringLiteral("searchPicture"));
    m_searchCurve->setObjectName(QStringLiteral("searchCurve"));
    m_networkPicture->setObjectName(QStringLiteral("networkPicture"));
    m_stepCard->addPicture(m_stepPicture, 1);
    m_searchPicture->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_searchCard->addPicture(m_searchPicture, 0);
    m_searchCard->addPicture(m_searchCurve, 1);
    m_networkCard->addPicture(m_networkPicture, 1);
    connect(m_stepCard, &QAbstractButton::clicked, this, [this] { Q_EMIT fileChosen(samplePath(SteppedSample)); });
    connect(m_searchCard, &QAbstractButton::clicked, this, [this] { Q_EMIT searchChosen(samplePath(SearchedSample)); });
    connect(m_networkCard, &QAbstractButton::clicked, this, [this] { Q_EMIT networkChosen(QLatin1String(Network)); });
    m_cards = new QWidget;
    fillRow(m_cards, {{m_stepCard, 1}, {m_searchCard, 1}, {m_networkCard, 1}}, {.margins = NoMargins, .spacing = Gap});
    m_cards->setFixedHeight(LowestCards);
    return m_cards;
}

/// One line above the cards, for people who are new.
QWidget* StartPage::makeTourOffer() {
    m_tour = new QWidget;
    m_tour->setObjectName(QStringLiteral("tourOffer"));
    auto* text = new QLabel(tr("New here? A tour of six steps shows where things are; it takes two minutes."));
    text->setMinimumWidth(1);  // a narrow window shows its beginning
    auto* start = new QPushButton(tr("Start the &Tour"));
    start->setObjectName(QStringLiteral("tourStart"));
    auto* decline = new QPushButton(tr("N&o, Thanks"));
    decline->setObjectName(QStringLiteral("tourDecline"));
    connect(start, &QPushButton::clicked, this, &StartPage::tourRequested);
    connect(decline, &QPushButton::clicked, this, &StartPage::tourDeclined);
    fillRow(m_tour, {{text, 1}, start, gap(Gap / 2), decline}, {.margins = QMargins(0, 0, 0, Gap), .spacing = 0});
    m_tour->hide();
    return m_tour;
}

void StartPage::offerTour(bool offered) { m_tour->setVisible(offered); }

QString StartPage::firstSample() { return samplePath(SteppedSample); }

QWidget* StartPage::makeRecent() {
    setUpWidget(m_recent, "recent", {}, tr("Recent sessions and files"));
    m_noSession->setObjectName(QStringLiteral("noSession"));
    const auto remove = [this](const QString& path) {
        removeRecent(path);
        fillRecent();
    };
    connect(m_recent, &EntryList::chosen, this, &StartPage::open);
    connect(m_recent, &EntryList::removalRequested, this,
            [remove](QListWidgetItem* item) { remove(item->data(EntryList::PathRole).toString()); });
    m_recent->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_recent, &QWidget::customContextMenuRequested, this, [this, remove](const QPoint& place) {
        const QListWidgetItem* item = m_recent->itemAt(place);
        const QString path = item != nullptr ? item->data(EntryList::PathRole).toString() : QString();
        if (path.isEmpty()) return;
        auto* menu = new QMenu(m_recent);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Open in a New Window"), this, [this, path] { Q_EMIT windowRequested(path); })
            ->setEnabled(item->flags().testFlag(Qt::ItemIsEnabled));
        menu->addAction(tr("Remove from This List"), this, [remove, path] { remove(path); });
        menu->popup(m_recent->viewport()->mapToGlobal(place));
    });
    auto* all = new QWidget;
    QLabel* title = sectionTitle(tr("Continue"));
    title->setFixedHeight(m_filter->sizeHint().height());  // in line with the other section
    auto* sessions = new QPushButton(tr("All Sessions…"));
    setUpWidget(sessions, "allSessions", tr("Search, label and delete the sessions"));
    sessions->setFlat(true);
    connect(sessions, &QPushButton::clicked, this, &StartPage::sessionsRequested);
    auto* head = rowOf({title, stretch(), sessions}, {.margins = NoMargins, .spacing = 0});
    fillColumn(all, {head, gap(Gap / 2), new Hairline, gap(Gap / 2), m_noSession, {m_recent, 1}, stretch(0)},
               {.margins = NoMargins, .spacing = 0});
    return all;
}

QWidget* StartPage::makeSamples() {
    setUpWidget(m_samples, "samples", {}, tr("Samples"));
    setUpWidget(m_filter, "sampleFilter",
                tr("Words that a sample's name, title, description or group contains (Ctrl+F)"), tr("Filter samples"));
    m_filter->setPlaceholderText(tr("Filter samples"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedWidth(FilterWidth);
    m_filter->installEventFilter(this);
    m_samples->installEventFilter(this);
    m_count->setObjectName(QStringLiteral("sampleCount"));
    m_count->setWordWrap(false);
    connect(m_filter, &QLineEdit::textChanged, this, &StartPage::filterSamples);
    connect(m_samples, &EntryList::chosen, this, &StartPage::open);
    connect(m_filter, &QLineEdit::returnPressed, this, [this] { open(m_samples->currentItem()); });
    for (EntryList* list : {m_samples, m_recent}) {
        connect(list, &EntryList::typed, this, [this](const QString& text) {
            m_filter->setFocus(Qt::OtherFocusReason);
            m_filter->setText(m_filter->text() + text);
        });
    }
    auto* all = new QWidget;
    auto* head = rowOf({sectionTitle(tr("Samples")), gap(Gap / 2), m_count, stretch(), m_filter},
                       {.margins = NoMargins, .spacing = 0});
    fillColumn(all, {head, gap(Gap / 2), new Hairline, gap(Gap / 2), {m_samples, 1}},
               {.margins = NoMargins, .spacing = 0});
    return all;
}

void StartPage::open(const QListWidgetItem* item) {
    if (item == nullptr || item->isHidden() || !item->flags().testFlag(Qt::ItemIsEnabled)) return;
    const QString path = item->data(EntryList::PathRole).toString();
    if (item->listWidget() == m_samples && isSession(path))
        openCopyOf(path);
    else if (QGuiApplication::keyboardModifiers().testFlag(Qt::ControlModifier))
        Q_EMIT windowRequested(path);
    else
        Q_EMIT fileChosen(path);
}

/// A session is written while it is open, and samples stay as they are.
void StartPage::openCopyOf(const QString& session) {
    m_jobs.start(
        tr("Copying the sample"), false, this,
        [session, folder = Document::sessionFolder()](const std::stop_token&, const JobRunner::Report&) {
            return copyOfSession(session, folder);
        },
        [this](const Result<QString>& copy) {
            if (copy)
                Q_EMIT fileChosen(*copy);
            else
                Q_EMIT failed(tr("The sample could not be opened"), fromUtf8(copy.error().render()));
        });
}

void StartPage::updateIcons() {
    const Theme theme(palette());
    m_logo->setPixmap(theme.icon(QStringLiteral("mitos")).pixmap(QSize(LogoSize, LogoSize), devicePixelRatioF()));
    m_open->setIcon(theme.icon(QStringLiteral("open")));
    m_new->setIcon(theme.icon(QStringLiteral("text")));
    m_network->setIcon(theme.icon(QStringLiteral("graph")));
    m_findIcon->setIcon(theme.icon(QStringLiteral("find")));
}

void StartPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    // Larger texts need higher cards.
    constexpr int UsualLine = 16;
    const int larger = std::max(0, fontMetrics().height() - UsualLine) * 5;
    m_cards->setFixedHeight(std::clamp(static_cast<int>(height() * CardShare), LowestCards, HighestCards) + larger);
}

// --- cards ---------------------------------------------------------------------------------------------------------------

/// The pictures do not change, so they are computed once, when the page is first seen.
void StartPage::drawCards() {
    if (std::exchange(m_areCardsDrawn, true)) return;
    const auto native = [](const char* sample) { return QFile::encodeName(samplePath(sample)).toStdString(); };
    drawCard(*m_stepCard, *m_stepPicture, nullptr, [native](const QFont& font, const std::stop_token& stop) {
        return programCard(native(SteppedSample), font, stop);
    });
    drawCard(*m_searchCard, *m_searchPicture, m_searchCurve, [native](const QFont& font, const std::stop_token& stop) {
        return searchCard(native(SearchedSample), font, stop);
    });
    drawCard(*m_networkCard, *m_networkPicture, nullptr,
             [](const QFont& font, const std::stop_token& stop) { return networkCard(Network, font, stop); });
}

void StartPage::drawCard(StartCard& card, ProgramThumbnail& program, CurvePicture* curve, CardWork work) {
    m_jobs.start(
        tr("Drawing the start page"), false, this,
        [work = std::move(work), font = font()](const std::stop_token& stop, const JobRunner::Report&) {
            return work(font, stop);
        },
        [&card, &program, curve](const Result<CardContent>& content) {
            if (!content) return card.setUnavailable(fromUtf8(content.error().message));
            program.setContent(content->program);
            if (curve != nullptr) curve->setCurve(content->curve, content->unit);
        });
}

// --- samples -------------------------------------------------------------------------------------------------------------

void StartPage::refresh() {
    fillRecent();
    m_jobs.start(
        tr("Reading samples"), false, this,
        [](const std::stop_token&, const JobRunner::Report&) { return readSamples(sampleFolder()); },
        [this](const QList<Sample>& samples) { fillSamples(samples); });
}

void StartPage::fillSamples(const QList<Sample>& samples) {
    m_samples->clear();
    m_sampleCount = static_cast<int>(samples.size());
    QString group;
    for (const Sample& sample : samples) {
        if (m_samples->count() == 0 || sample.group != group) m_samples->addHeading(groupTitle(sample));
        group = sample.group;
        const QString title = sample.title.isEmpty() ? sample.name : tr("%1: %2").arg(sample.name, sample.title);
        m_samples->addEntry(title, sample.about, sample.path);
    }
    if (samples.isEmpty()) {
        m_samples->addHeading(tr("Samples"));
        m_samples->addEntry(
            tr("No samples found"),
            tr("Samples are in the folder “samples” of the source, or in the folder that MITOS_SAMPLES names."), {},
            false);
    } else {
        m_samples->setCurrentRow(1);  // below the first heading, so that Enter opens it
    }
    filterSamples();
}

void StartPage::filterSamples() {
    const QStringList words = m_filter->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_count->clear();
    if (m_sampleCount == 0) return;
    const int shown = m_samples->showOnly([&](const QListWidgetItem& entry, const QString& heading) {
        const QString all = heading + QLatin1Char('\n') + entry.text() + QLatin1Char('\n') +
                            entry.data(EntryList::DetailRole).toString();
        return std::ranges::all_of(words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
    });
    m_count->setText(words.isEmpty() ? QLocale().toString(m_sampleCount)
                     : shown == 0    ? tr("none matches")
                                     : tr("%L1 of %L2").arg(shown).arg(m_sampleCount));
    m_samples->scrollToTop();
}

/// Escape clears the filter, also from the list; the list follows the arrows that are pressed in the filter.
bool StartPage::eventFilter(QObject* watched, QEvent* event) {
    const auto type = event->type();
    if (type != QEvent::KeyPress && type != QEvent::ShortcutOverride) return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (type == QEvent::ShortcutOverride) {
        if (key == Qt::Key_Escape) event->accept();  // it is no shortcut here
        return false;
    }
    if (key == Qt::Key_Escape) {
        if (m_filter->text().isEmpty()) m_samples->setFocus();
        m_filter->clear();
        return true;
    }
    if (watched != m_filter || (key != Qt::Key_Down && key != Qt::Key_Up)) return false;
    m_samples->step(key == Qt::Key_Down ? 1 : -1);
    return true;
}

// --- sessions and files --------------------------------------------------------------------------------------------------

void StartPage::fillRecent() {
    m_reading = std::make_unique<QObject>();
    m_restorable.clear();
    m_unread = 0;
    m_recent->clear();
    const QList<RecentEntry> entries = recentEntries();
    const auto isSession = [](const RecentEntry& entry) { return entry.session; };
    for (const RecentEntry& entry : entries) {
        if (!entry.session) continue;
        QListWidgetItem* item = m_recent->addEntry(programName(entry.title), {}, entry.path);
        EntryList::setDetails(*item, {.text = tr("reading…")});
        summarize(entry);
    }
    bool isFirst = true;
    for (const RecentEntry& entry : entries) {
        if (entry.session) continue;
        if (std::exchange(isFirst, false)) m_recent->addHeading(tr("Files"));
        const QString where =
            entry.exists ? shortenedPath(entry.path) : tr("missing: %1").arg(shortenedPath(entry.path));
        m_recent->addEntry(entry.title, where, entry.path, entry.exists);
    }
    m_noSession->setVisible(std::ranges::none_of(entries, isSession));
    m_recent->setVisible(m_recent->count() > 0);
}

void StartPage::summarize(const RecentEntry& session) {
    ++m_unread;
    m_jobs.start(
        tr("Reading a session"), false, m_reading.get(),
        [path = QFile::encodeName(session.path).toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return storage::summaryOf(path);
        },
        [this, path = session.path](const Result<storage::SessionSummary>& summary) { showSummary(path, summary); });
}

void StartPage::showSummary(const QString& path, const Result<storage::SessionSummary>& summary) {
    for (int row = 0; row < m_recent->count(); ++row) {
        QListWidgetItem& item = *m_recent->item(row);
        if (item.data(EntryList::PathRole).toString() == path) showSession(item, path, summary);
    }
    if (summary) m_restorable.insert(path, restoreText(*summary));
    if (--m_unread == 0) offerRestore();
}

/// Offers the session used last of those that were cut off.
void StartPage::offerRestore() {
    if (std::exchange(m_hasOffered, true)) return;
    for (int row = 0; row < m_recent->count(); ++row) {
        const QString path = m_recent->item(row)->data(EntryList::PathRole).toString();
        const QString text = m_restorable.value(path);
        if (!text.isEmpty()) return Q_EMIT restoreOffered(path, text);
    }
}

}  // namespace mitos::views
