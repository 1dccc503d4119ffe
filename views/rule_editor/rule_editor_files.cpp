// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, saving and using rule sets, and applying a rule that was just written.
#include "core/rules/rule_sets.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/common/widgets.h"
#include "views/document/own_rule_sets.h"
#include "views/rule_editor/internal/checked_text.h"
#include "views/rule_editor/internal/rule_drafts.h"
#include "views/rule_editor/internal/rule_file.h"
#include "views/rule_editor/internal/rule_matches.h"
#include "views/rule_editor/internal/rule_set_list.h"
#include "views/rule_editor/internal/rule_text_edit.h"
#include "views/rule_editor/rule_editor_view.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString lastKey() { return QStringLiteral("rule-editor/set"); }
QString filter() { return RuleEditorView::tr("Rules (*.rules);;All files (*)"); }

/// A set with one rule, which can be tested and matched at once.
QString exampleFor(const ir::Dialect& dialect) {
    return RuleEditorView::tr("# My rules\n\nuse %1\n\n").arg(fromUtf8(dialect.name)) + fromUtf8(dialect.exampleRule);
}

}  // namespace

void RuleEditorView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_file->isOpen() || !m_opening.isEmpty()) return;
    const QStringList drafts = m_drafts->sets();
    const QString last = QSettings().value(lastKey()).toString();
    const auto sets = rules::RuleChoice::parse(m_document.rules().names()).sets;
    const bool isThere = rules::isShipped(last.toStdString()) || (!last.isEmpty() && QFileInfo::exists(last));
    if (!drafts.isEmpty())
        openSet(drafts.front());
    else if (isThere)
        openSet(last);
    else if (!sets.empty())
        openSet(fromUtf8(sets.back()));
}

void RuleEditorView::openSet(const QString& set) {
    if (m_isSaving || m_isForceDue) {
        m_openNext = set;
        return;
    }
    if (set == m_file->name() || set == m_opening) return;
    keepDraft();
    m_opening = set;
    m_file->open(set);
}

void RuleEditorView::setOpened() {
    m_opening.clear();
    m_isSaving = false;
    m_isForceDue = false;
    m_toApply.reset();
    const QString name = m_file->name();
    std::optional<QString> draft = m_drafts->text(name);
    if (draft && (m_file->isReadOnly() || *draft == m_file->savedText())) {
        draft.reset();
        m_jobs.start(
            tr("Removing a draft"), false, this,
            [work = m_drafts->drop(name)](const std::stop_token&, const JobRunner::Report&) { return work(); },
            [](const Status&) {});
    }
    m_draft = draft;
    m_isModified = false;
    m_isLoading = true;
    m_pages->setCurrentIndex(0);
    say({});
    takeChecked({});
    m_edit->setMessages({});
    showTitle();
    m_edit->setReadOnly(true);
    m_edit->load(m_file->savedText());
}

void RuleEditorView::setLoaded() {
    const std::optional<QString> draft = std::exchange(m_draft, std::nullopt);
    const QString name = m_file->name();
    m_edit->setReadOnly(m_file->isReadOnly());
    if (draft) m_edit->replaceText(*draft);
    m_isLoading = false;
    if (!m_file->isOpen()) return;  // the set was removed from the list
    m_isModified = draft.has_value();
    if (draft) {
        say(tr("Text that was not saved is here again."), tr("Discard It"),
            [this] { m_edit->replaceText(m_file->savedText()); });
    }
    if (m_lineToShow > 0) m_edit->goTo(std::exchange(m_lineToShow, 0), 1);
    QSettings().setValue(lastKey(), name);
    m_list->setDrafts(m_drafts->sets());
    m_list->setCurrent(name);
    showTitle();
    checkNow();
}

// --- saving --------------------------------------------------------------------------------------------------------------

void RuleEditorView::save() {
    if (!canSave()) return;
    m_isSaving = true;
    m_save->setEnabled(false);
    m_file->save(m_edit->toPlainText());
}

void RuleEditorView::setSaved() {
    m_isSaving = false;
    m_isModified = m_edit->toPlainText() != m_file->savedText();
    say({});
    m_draftTimer.stop();
    keepDraft();
    m_list->reloadRules(m_file->name());
    showTitle();
    m_isForceDue = true;
    checkNow();
}

/// Keeps or removes the draft, as the text is.
void RuleEditorView::keepDraft() {
    m_draftTimer.stop();
    const QString name = m_file->name();
    if (m_isLoading || !m_file->isOpen() || m_file->isReadOnly() || (!m_isModified && !m_drafts->has(name))) return;
    if (m_isModified && m_drafts->text(name) == m_edit->toPlainText()) return;
    m_jobs.start(
        tr("Keeping a draft"), false, this,
        [work = m_isModified ? m_drafts->keep(name, m_edit->toPlainText()) : m_drafts->drop(name)](
            const std::stop_token&, const JobRunner::Report&) { return work(); },
        [this](const Status& kept) {
            if (!kept) say(tr("The draft could not be kept: %1").arg(fromUtf8(kept.error().message)));
        });
    m_list->setDrafts(m_drafts->sets());
}

void RuleEditorView::changedOnDisk() {
    if (m_isLoading) return setOpened();
    if (m_isModified) {
        m_isModified = m_edit->toPlainText() != m_file->savedText();
        if (m_isModified) {
            say(
                tr("Another program has changed this file, and your text is not saved."), tr("Take the File"),
                [this] { m_edit->replaceText(m_file->savedText()); }, tr("Keep Mine"), [] {});
        }
        showTitle();
        return;
    }
    const int line = m_edit->cursorLine();
    m_isLoading = true;
    m_edit->replaceText(m_file->savedText());
    m_isLoading = false;
    m_edit->goTo(line, 1);
    say(tr("Another program has changed this file; its text was read again."));
    m_list->reloadRules(m_file->name());
    showTitle();
    m_isForceDue = true;
    checkNow();
}

// --- sets ----------------------------------------------------------------------------------------------------------------

void RuleEditorView::createSet(const QString& path) { m_file->writeNew(path, exampleFor(m_document.dialect())); }

void RuleEditorView::copySet(const QString& path) {
    m_file->writeNew(path, m_isLoading ? m_file->savedText() : m_edit->toPlainText());
}

void RuleEditorView::addSet(const QString& path) {
    addOwnRuleSet(path);
    m_list->refresh();
    openSet(QFileInfo(path).absoluteFilePath());
}

void RuleEditorView::removeSet(const QString& set) {
    if (m_drafts->has(set) || (set == m_file->name() && m_isModified)) {
        Q_EMIT notice(tr("%1 has text that is not saved. Save it or discard it first.").arg(QFileInfo(set).fileName()));
        return;
    }
    removeOwnRuleSet(set);
    if (set == m_file->name()) {
        m_file->close();
        m_jobs.discard(std::exchange(m_checking, 0));
        m_isForceDue = false;
        m_isModified = false;
        m_draft.reset();
        m_isLoading = true;
        m_edit->load({});
        takeChecked({});
        m_pages->setCurrentWidget(m_empty);
        showRule();
    }
    m_list->refresh();
}

void RuleEditorView::askForNew(const QString& title, void (RuleEditorView::*take)(const QString& path)) {
    QDir().mkpath(ownRuleFolder());
    const bool isCopy = m_file->isOpen() && take == &RuleEditorView::copySet;
    const SaveRequest request{
        .objectName = QStringLiteral("newRuleSetDialog"),
        .title = title,
        .kinds = {{tr("Rule sets"), QStringLiteral("rules")}},
        .fileName = isCopy ? QStringLiteral("my-%1.rules").arg(QFileInfo(m_file->name()).completeBaseName())
                           : QStringLiteral("my.rules"),
        .folder = ownRuleFolder()};
    askWhereToSave(this, request, [this, take](const QString& path) { (this->*take)(path); });
}

void RuleEditorView::askForFile() {
    auto* dialog = new QFileDialog(window(), tr("Open a Rule Set"), ownRuleFolder(), filter());
    dialog->setObjectName(QStringLiteral("openRuleSetDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &RuleEditorView::addSet);
    dialog->open();
}

// --- rules in force ------------------------------------------------------------------------------------------------------

bool RuleEditorView::isInForce() const {
    const auto& files = m_document.rules().files();
    return m_list->isInForce(m_file->name()) || std::ranges::find(files, m_file->name().toStdString()) != files.end();
}

/// The saved text has been checked: its rules come into force, unless it has errors.
void RuleEditorView::putIntoForce() {
    const bool isWanted = m_toApply != nullptr;
    if (!isInForce() && !isWanted) return;
    if (m_checked->errors > 0) {
        m_toApply.reset();
        say(isInForce() ? tr("Saved with errors: the rules in force are still those of before.")
                        : tr("A set with errors does not come into force. Correct it first."));
        return;
    }
    if (isInForce())
        m_document.reloadRules();
    else
        m_list->use(m_file->name(), true);
}

void RuleEditorView::apply(const RuleMatch& match) {
    m_toApply = std::make_unique<RuleMatch>(match);
    m_applyAt = m_document.history().current();
    if (m_isModified)
        save();
    else if (!isInForce())
        putIntoForce();
    else
        goOnApplying();
}

/// Called when other rules are in force.
void RuleEditorView::goOnApplying() {
    if (m_toApply == nullptr || m_isSaving || m_isForceDue || !m_document.isOpen()) return;
    const std::unique_ptr<RuleMatch> match = std::move(m_toApply);
    if (m_document.history().current() != m_applyAt) return;
    const auto rule = m_document.rules().find(match->direction);
    if (rule == nullptr) {
        if (isInForce())
            say(tr("%1 is switched off. Switch it on in the list at the left.").arg(fromUtf8(match->direction)));
        return;
    }
    if (m_shownRule != nullptr && rule->rule().place.file != m_shownRule->place.file) {
        say(tr("Another set in force has a rule %1, which comes first.").arg(fromUtf8(match->direction)));
        return;
    }
    const auto step = stepOf(m_document.bank(), m_document.current(), rule, *match);
    if (!step) {
        say(fromUtf8(step.error().message));
        return;
    }
    m_document.apply(*step);
    Q_EMIT notice(tr("%1 was applied; the new state is in the history.").arg(fromUtf8(match->direction)));
}

}  // namespace mitos::views
