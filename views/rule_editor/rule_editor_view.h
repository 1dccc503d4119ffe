// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Rules: the sets with what is in force, an editor that checks while one types, the test of the rule under the
// cursor, and the places of the open program where it matches.
#pragma once

#include "views/document/document.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace mitos::views {

struct CheckedText;
class ElidedLabel;
class EmptyState;
class RuleDrafts;
class RuleFile;
struct RuleMatch;
class RulePlaces;
class RuleSetList;
class RuleTextEdit;
class RuleTrial;

class RuleEditorView : public QWidget {
    Q_OBJECT
public:
    RuleEditorView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    /// Keeps text that is not saved as a draft.
    ~RuleEditorView() override;

    void focusText();
    /// Opens a set that comes with Mitos by its name, or a file. Text of the set that was open before is kept as a draft.
    void openSet(const QString& set);
    /// Makes a file with an example for programs of the open kind, and opens it.
    void createSet(const QString& path);
    /// Writes the text in the editor to a file, and opens that.
    void copySet(const QString& path);
    /// Adds a file to the list, and opens it.
    void addSet(const QString& path);
    void save();
    [[nodiscard]] bool canSave() const;
    void openFind();
    void findNext(bool isBackward);
    /// Whether the text is checked and nothing is being read or written.
    [[nodiscard]] bool isSettled() const;

Q_SIGNALS:
    void openRequested();  ///< the user wants a program
    void changed();        ///< canSave()
    void failed(const QString& title, const QString& details);
    void notice(const QString& text);

protected:
    void showEvent(QShowEvent* event) override;

private:
    // rule_editor_view.cpp
    [[nodiscard]] QWidget* buildCentre();
    [[nodiscard]] QWidget* buildRight();
    void follow();
    void checkNow();
    void takeChecked(CheckedText checked);
    void showChecked();
    void showRule();
    void showTitle();
    void textChanged();
    /// Shows a line above the text, with up to two buttons.
    void say(const QString& text, const QString& first = {}, std::function<void()> onFirst = {},
             const QString& second = {}, std::function<void()> onSecond = {});
    // rule_editor_files.cpp
    void setOpened();
    void setLoaded();
    void setSaved();
    void changedOnDisk();
    void keepDraft();
    void removeSet(const QString& set);
    void askForNew(const QString& title, void (RuleEditorView::*take)(const QString& path));
    void askForFile();
    [[nodiscard]] bool isInForce() const;
    void putIntoForce();
    void apply(const RuleMatch& match);
    void goOnApplying();

    Document& m_document;
    JobRunner& m_jobs;
    RuleFile* m_file;
    std::unique_ptr<RuleDrafts> m_drafts;
    RuleSetList* m_list;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    QLabel* m_title;
    ElidedLabel* m_kind;
    QPushButton* m_save;
    QWidget* m_note;
    QLabel* m_noteText;
    QPushButton* m_noteFirst;
    QPushButton* m_noteSecond;
    QWidget* m_findRow;
    QLineEdit* m_find;
    RuleTextEdit* m_edit;
    QLabel* m_summary;
    QListWidget* m_messages;
    RuleTrial* m_trial;
    RulePlaces* m_places;
    QTimer m_checkTimer;
    QTimer m_ruleTimer;
    QTimer m_draftTimer;
    JobId m_checking = 0;
    std::unique_ptr<CheckedText> m_checked;
    std::shared_ptr<const rules::Rule> m_shownRule;
    QString m_opening;   ///< the set that is being opened
    QString m_openNext;  ///< the set to open once the one that is being saved is in force
    int m_lineToShow = 0;
    bool m_isModified = false;
    std::optional<QString> m_draft;  ///< replaces the text once it is loaded
    bool m_isLoading = false;        ///< the text is set by the program
    bool m_isSaving = false;
    bool m_isForceDue = false;  ///< the saved text comes into force if it has no errors
    std::unique_ptr<RuleMatch> m_toApply;
    rewrite::StateId m_applyAt;
};

}  // namespace mitos::views
