// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the perspective Rules, and what follows the text.
#include "views/rule_editor/rule_editor_view.h"

#include "core/dialects/dialects.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/rule_editor/internal/checked_text.h"
#include "views/rule_editor/internal/rule_drafts.h"
#include "views/rule_editor/internal/rule_file.h"
#include "views/rule_editor/internal/rule_places.h"
#include "views/rule_editor/internal/rule_set_list.h"
#include "views/rule_editor/internal/rule_text_edit.h"
#include "views/rule_editor/internal/rule_trial.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBlock>
#include <utility>

namespace mitos::views {

namespace {

constexpr int CheckMs = 150;
constexpr int DraftMs = 400;
constexpr std::size_t MostFreedHere = 100;  // rules whose memory is freed on this thread
constexpr int MostMessageRows = 5;
constexpr int ListWidth = 250;
constexpr int RightWidth = 400;

}  // namespace

RuleEditorView::RuleEditorView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_jobs(jobs),
      m_file(new RuleFile(jobs, this)),
      m_drafts(std::make_unique<RuleDrafts>()),
      m_list(new RuleSetList(document, jobs, this)),
      m_pages(new QStackedWidget(this)),
      m_empty(new EmptyState(this)),
      m_title(new QLabel(this)),
      m_kind(new ElidedLabel(this)),
      m_save(new QPushButton(tr("&Save"), this)),
      m_note(new QWidget(this)),
      m_noteText(new QLabel(m_note)),
      m_noteFirst(new QPushButton(m_note)),
      m_noteSecond(new QPushButton(m_note)),
      m_findRow(new QWidget(this)),
      m_find(new QLineEdit(m_findRow)),
      m_edit(new RuleTextEdit(this)),
      m_summary(new QLabel(this)),
      m_messages(new QListWidget(this)),
      m_trial(new RuleTrial(jobs, this)),
      m_places(new RulePlaces(document, selection, jobs, this)),
      m_checked(std::make_unique<CheckedText>()) {
    setObjectName(QStringLiteral("ruleEditorView"));
    auto* parts = new QSplitter(Qt::Horizontal, this);
    parts->addWidget(m_list);
    parts->addWidget(buildCentre());
    parts->addWidget(buildRight());
    parts->setChildrenCollapsible(false);
    parts->setHandleWidth(1);
    parts->setStretchFactor(1, 1);
    parts->setSizes({ListWidth, RightWidth * 2, RightWidth});
    fillColumn(this, {{parts, 1}}, {.margins = NoMargins, .spacing = 0});
    follow();
    m_list->setDrafts(m_drafts->sets());
    m_list->refresh();
    m_empty->explain(tr("Choose a set at the left to read its rules, or make one of your own."), tr("New Set…"),
                     [this] { askForNew(tr("New Rule Set"), &RuleEditorView::createSet); });
    m_pages->setCurrentWidget(m_empty);
    say({});
    showRule();
}

RuleEditorView::~RuleEditorView() {
    // The jobs of the window may have ended already.
    if (m_isModified && m_file->isOpen()) (void)m_drafts->keep(m_file->name(), m_edit->toPlainText())();
    m_edit->disconnect(this);
}

QWidget* RuleEditorView::buildCentre() {
    QFont strong = m_title->font();
    strong.setWeight(QFont::DemiBold);
    m_title->setFont(strong);
    setUpPlainLabel(m_title, "ruleTitle");
    m_title->setWordWrap(false);
    m_kind->setObjectName(QStringLiteral("ruleKind"));
    m_kind->setForegroundRole(QPalette::PlaceholderText);
    setOwnFont(m_kind, [] { return smallFont(QApplication::font()); });
    setUpWidget(m_save, "ruleSave", tr("Save this set; if it is in force, its rules are in force at once (Ctrl+S)"));
    setUpPlainLabel(m_noteText, "ruleNote");
    m_noteFirst->setObjectName(QStringLiteral("ruleNoteFirst"));
    m_noteSecond->setObjectName(QStringLiteral("ruleNoteSecond"));
    m_note->setObjectName(QStringLiteral("ruleNoteRow"));
    m_note->setAutoFillBackground(true);
    fillRow(m_note, {{m_noteText, 1}, m_noteFirst, m_noteSecond}, {.margins = QMargins(12, 6, 12, 6)});
    m_findRow->setObjectName(QStringLiteral("ruleFindRow"));
    m_find->setObjectName(QStringLiteral("ruleFind"));
    m_find->setPlaceholderText(tr("Find in this set"));
    m_find->setAccessibleName(tr("Find in this set"));
    m_find->setClearButtonEnabled(true);
    fillRow(m_findRow, {{m_find, 1}}, {.margins = QMargins(12, 4, 12, 6)});
    m_findRow->hide();
    setUpPlainLabel(m_summary, "ruleSummary");
    setUpWidget(m_messages, "ruleMessages", {}, tr("Errors and warnings"));
    m_messages->setFrameShape(QFrame::NoFrame);
    m_messages->setUniformItemSizes(true);
    m_messages->hide();
    auto* top = rowOf({m_title, {m_kind, 1}, m_save}, {.margins = QMargins(12, 8, 12, 8), .spacing = 12});
    auto* below = rowOf({{m_summary, 1}}, {.margins = QMargins(12, 6, 12, 6)});
    auto* page = new QWidget(this);
    auto* list = rowOf({{m_messages, 1}}, {.margins = QMargins(8, 0, 0, 0)});
    fillColumn(page, {top, m_note, m_findRow, {m_edit, 1}, below, list}, {.margins = NoMargins, .spacing = 0});
    m_pages->addWidget(page);
    m_pages->addWidget(m_empty);
    return m_pages;
}

QWidget* RuleEditorView::buildRight() {
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("ruleTrialScroll"));
    scroll->setAccessibleName(tr("Trial of the rule"));
    scroll->setFocusPolicy(Qt::NoFocus);  // its controls take the focus
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_trial);
    auto* right = new QSplitter(Qt::Vertical, this);
    right->addWidget(scroll);
    right->addWidget(m_places);
    right->setChildrenCollapsible(false);
    right->setHandleWidth(1);
    right->setSizes({220, 480});
    return right;
}

void RuleEditorView::follow() {
    m_checkTimer.setSingleShot(true);
    m_checkTimer.setInterval(CheckMs);
    connect(&m_checkTimer, &QTimer::timeout, this, &RuleEditorView::checkNow);
    m_ruleTimer.setSingleShot(true);
    m_ruleTimer.setInterval(CheckMs);
    connect(&m_ruleTimer, &QTimer::timeout, this, &RuleEditorView::showRule);
    m_draftTimer.setSingleShot(true);
    m_draftTimer.setInterval(DraftMs);
    connect(&m_draftTimer, &QTimer::timeout, this, &RuleEditorView::keepDraft);
    connect(m_edit, &QPlainTextEdit::textChanged, this, &RuleEditorView::textChanged);
    connect(m_edit, &QPlainTextEdit::cursorPositionChanged, this, [this] { m_ruleTimer.start(); });
    connect(m_save, &QPushButton::clicked, this, &RuleEditorView::save);
    auto* closeFind = new QShortcut(Qt::Key_Escape, m_findRow);
    closeFind->setContext(Qt::WidgetWithChildrenShortcut);
    connect(closeFind, &QShortcut::activated, this, [this] {
        m_findRow->hide();
        m_edit->setFocus();
    });
    connect(m_find, &QLineEdit::returnPressed, this, [this] { findNext(false); });
    connect(m_messages, &QListWidget::itemClicked, this, [this](const QListWidgetItem* item) {
        const QPoint place = item->data(Qt::UserRole).toPoint();
        if (place.y() > 0) m_edit->goTo(place.y(), place.x());
        m_edit->setFocus();
    });
    connect(m_messages, &QListWidget::itemActivated, m_messages, &QListWidget::itemClicked);
    connect(m_file, &RuleFile::opened, this, &RuleEditorView::setOpened);
    connect(m_edit, &RuleTextEdit::loaded, this, &RuleEditorView::setLoaded);
    connect(m_file, &RuleFile::saved, this, &RuleEditorView::setSaved);
    connect(m_file, &RuleFile::changedOnDisk, this, &RuleEditorView::changedOnDisk);
    connect(m_file, &RuleFile::written, this, &RuleEditorView::addSet);
    connect(m_file, &RuleFile::failed, this, [this](const QString& title, const QString& details) {
        m_opening.clear();
        m_openNext.clear();
        m_toApply.reset();
        if (std::exchange(m_isSaving, false))
            say(tr("%1. Your text is kept as a draft.").arg(title), tr("Save a Copy…"),
                [this] { askForNew(tr("Save a Copy of This Set"), &RuleEditorView::copySet); });
        m_list->setCurrent(m_file->name());
        showTitle();
        Q_EMIT failed(title, details);
    });
    connect(m_list, &RuleSetList::setChosen, this, &RuleEditorView::openSet);
    connect(m_list, &RuleSetList::ruleChosen, this, [this](const QString& set, const QString&, int line) {
        if (set == m_file->name() && !m_isLoading) {
            if (line > 0) m_edit->goTo(line, 1);
            return;
        }
        m_lineToShow = line;
        openSet(set);
    });
    connect(m_list, &RuleSetList::newRequested, this,
            [this] { askForNew(tr("New Rule Set"), &RuleEditorView::createSet); });
    connect(m_list, &RuleSetList::copyRequested, this,
            [this] { askForNew(tr("Copy to a Set of Your Own"), &RuleEditorView::copySet); });
    connect(m_list, &RuleSetList::openRequested, this, &RuleEditorView::askForFile);
    connect(m_list, &RuleSetList::removeRequested, this, &RuleEditorView::removeSet);
    connect(m_list, &RuleSetList::notice, this, &RuleEditorView::notice);
    connect(m_places, &RulePlaces::openRequested, this, &RuleEditorView::openRequested);
    connect(m_places, &RulePlaces::applyRequested, this, &RuleEditorView::apply);
    // The open program decides which operators there are, and whether assumptions are allowed.
    connect(&m_document, &Document::opened, this, [this] {
        m_toApply.reset();
        if (m_file->isOpen()) m_checkTimer.start();
    });
    connect(&m_document, &Document::closed, this, [this] { m_toApply.reset(); });
    connect(&m_document, &Document::rulesChanged, this, [this] {
        showTitle();
        goOnApplying();
    });
    followPalette(m_note, [this] {
        QPalette colours = m_note->palette();
        const QColor ground = Theme(palette()).selected();
        if (colours.color(QPalette::Window) == ground) return;
        colours.setColor(QPalette::Window, ground);
        m_note->setPalette(colours);
    });
}

void RuleEditorView::focusText() {
    if (m_file->isOpen())
        m_edit->setFocus();
    else
        m_list->focusTree();
}

bool RuleEditorView::isSettled() const {
    return m_opening.isEmpty() && !m_isLoading && !m_checkTimer.isActive() && !m_ruleTimer.isActive() &&
           !m_draftTimer.isActive() && m_checking == 0 && !m_trial->isTesting() && !m_places->isMatching();
}

// --- the text ------------------------------------------------------------------------------------------------------------

void RuleEditorView::textChanged() {
    if (m_isLoading) return;
    m_isModified = m_edit->toPlainText() != m_file->savedText();
    m_checkTimer.start();
    m_draftTimer.start();
    showTitle();
}

bool RuleEditorView::canSave() const {
    return m_isModified && !m_isSaving && m_file->isOpen() && !m_file->isReadOnly();
}

void RuleEditorView::showTitle() {
    Q_EMIT changed();
    if (!m_file->isOpen()) return;
    const QString name = m_file->isReadOnly() ? m_file->name() : QFileInfo(m_file->name()).fileName();
    m_title->setText(m_isModified ? name + QStringLiteral(" •") : name);
    m_title->setToolTip(m_file->name());
    const QString force = isInForce() ? tr("in force") : tr("not in force");
    m_kind->setText(m_file->isReadOnly()
                        ? tr("read-only, comes with Mitos; Copy… makes a set of your own  ·  %1").arg(force)
                    : m_isModified ? tr("not saved  ·  %1").arg(force)
                                   : tr("saved  ·  %1").arg(force));
    m_save->setVisible(!m_file->isReadOnly());
    m_save->setEnabled(canSave());
    m_places->setBefore(m_isModified, !isInForce());
}

void RuleEditorView::checkNow() {
    m_checkTimer.stop();
    if (!m_file->isOpen() || m_isLoading) return;
    m_jobs.discard(m_checking);
    const auto registry = m_document.isOpen() ? m_document.bank().sharedRegistry() : nullptr;
    m_checking = m_jobs.start(
        tr("Checking rules"), false, this,
        [name = m_file->name().toStdString(), text = m_edit->toPlainText().toStdString(), registry,
         assumptions = m_document.rules().assumptions()](const std::stop_token&, const JobRunner::Report&) {
            return checkRules(SourceText(name, text), registry ? registry : dialects::makeRegistry(), assumptions);
        },
        [this](CheckedText checked) {
            m_checking = 0;
            takeChecked(std::move(checked));
            showChecked();
            if (std::exchange(m_isForceDue, false)) putIntoForce();
            if (!m_openNext.isEmpty()) openSet(std::exchange(m_openNext, {}));
        });
}

void RuleEditorView::takeChecked(CheckedText checked) {
    auto before = std::make_shared<CheckedText>(std::exchange(*m_checked, std::move(checked)));
    if (before->rules.size() > MostFreedHere) m_jobs.release(std::move(before));
}

void RuleEditorView::showChecked() {
    m_edit->setMessages(m_checked->messages);
    m_edit->setWords(m_checked->words);
    m_messages->clear();
    for (const RuleMessage& message : m_checked->messages) {
        const QString sign = message.isError ? QStringLiteral("✗") : QStringLiteral("!");
        auto* item = new QListWidgetItem(message.line > 0 ? QStringLiteral("%1  %2:%3  %4")
                                                                .arg(sign, QString::number(message.line),
                                                                     QString::number(message.column), message.text)
                                                          : QStringLiteral("%1  %2").arg(sign, message.text),
                                         m_messages);
        item->setData(Qt::UserRole, QPoint(message.column, message.line));
        item->setToolTip(QStringLiteral("<pre>%1</pre>").arg(message.details.toHtmlEscaped()));
    }
    const auto rows = static_cast<int>(m_checked->messages.size());
    m_messages->setVisible(rows > 0);
    m_messages->setFixedHeight(std::min(rows, MostMessageRows) * std::max(1, m_messages->sizeHintForRow(0)) + 4);
    const int warnings = rows - m_checked->errors;
    const auto counted = [](int count, const QString& one, const QString& many) {
        return count == 1 ? one : many.arg(count);
    };
    const QString rules = counted(m_checked->ruleCount, tr("1 rule"), tr("%1 rules"));
    const QString errors =
        m_checked->errors == 0 ? tr("no errors") : counted(m_checked->errors, tr("1 error"), tr("%1 errors"));
    m_summary->setText(
        (m_checked->errors == 0 ? QStringLiteral("✓ ") : QStringLiteral("✗ ")) + rules + QStringLiteral("  ·  ") +
        errors +
        (warnings > 0 ? QStringLiteral("  ·  ") + counted(warnings, tr("1 warning"), tr("%1 warnings")) : QString()));
    m_shownRule.reset();
    showRule();
}

/// Tests and matches the rule under the cursor.
void RuleEditorView::showRule() {
    m_ruleTimer.stop();
    const int line = m_edit->cursorLine();
    const std::shared_ptr<const rules::Rule> rule = m_file->isOpen() ? m_checked->ruleAt(line) : nullptr;
    if (rule != nullptr && rule == m_shownRule) return;
    m_shownRule = rule;
    if (rule == nullptr) {
        const bool isWrong = m_file->isOpen() && m_checked->errors > 0;
        const QString reason =
            isWrong ? tr("There is no rule without errors under the cursor.") : tr("Put the cursor into a rule.");
        m_trial->explain(reason);
        m_places->explain(reason);
        return;
    }
    m_trial->test(rule, m_checked->registry);
    m_places->find(rule, m_checked->registry);
}

void RuleEditorView::openFind() {
    m_findRow->show();
    const QString chosen = m_edit->textCursor().selectedText();
    if (!chosen.isEmpty() && !chosen.contains(QChar::ParagraphSeparator)) m_find->setText(chosen);
    m_find->selectAll();
    m_find->setFocus();
}

void RuleEditorView::findNext(bool isBackward) {
    if (m_find->text().isEmpty()) return openFind();
    if (!m_edit->findText(m_find->text(), isBackward)) say(tr("%1 does not occur in this set.").arg(m_find->text()));
}

void RuleEditorView::say(const QString& text, const QString& first, std::function<void()> onFirst,
                         const QString& second, std::function<void()> onSecond) {
    m_noteText->setText(text);
    const auto set = [this](QPushButton* button, const QString& label, std::function<void()> work) {
        button->disconnect(this);
        button->setText(label);
        button->setVisible(!label.isEmpty());
        if (!work) return;
        connect(button, &QPushButton::clicked, this, [this, work = std::move(work)] {
            const auto kept = work;  // the button may be set up for something else by then
            say({});
            kept();
        });
    };
    set(m_noteFirst, first, std::move(onFirst));
    set(m_noteSecond, second, std::move(onSecond));
    m_note->setVisible(!text.isEmpty());
}

}  // namespace mitos::views
