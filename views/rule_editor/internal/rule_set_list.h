// SPDX-License-Identifier: GPL-3.0-or-later
// The rule sets, each with its rules: what is in force is checked.
#pragma once

#include "views/document/document.h"
#include "views/rule_editor/internal/checked_text.h"

#include <QHash>
#include <QWidget>

class QPushButton;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace mitos::views {

class RuleSetList : public QWidget {
    Q_OBJECT
public:
    RuleSetList(Document& document, JobRunner& jobs, QWidget* parent = nullptr);

    void focusTree();
    /// Lists the sets again: those of the user, and those shipped for programs of the open kind.
    void refresh();
    /// Marks the sets whose text is not saved.
    void setDrafts(const QStringList& sets);
    /// Selects the set, without choosing it.
    void setCurrent(const QString& set);
    /// Reads the rules of a set again, because it was saved.
    void reloadRules(const QString& set);
    [[nodiscard]] QString current() const;
    [[nodiscard]] bool isInForce(const QString& set) const;
    /// Puts a set into force, or takes it out; the last one stays.
    void use(const QString& set, bool isUsed);

Q_SIGNALS:
    void setChosen(const QString& set);
    void ruleChosen(const QString& set, const QString& rule, int line);
    void newRequested();
    void openRequested();
    void copyRequested(const QString& set);
    void removeRequested(const QString& set);
    void notice(const QString& text);

private:
    void addSets(QTreeWidgetItem* group, const QStringList& sets);
    void updateChecks();
    void updateButtons();
    void readRules(QTreeWidgetItem* item);
    void fillRules(QTreeWidgetItem* item);
    void itemChanged(QTreeWidgetItem* item);
    void itemSelected(QTreeWidgetItem* item);
    [[nodiscard]] QTreeWidgetItem* itemOf(const QString& set) const;

    Document& m_document;
    JobRunner& m_jobs;
    QTreeWidget* m_tree;
    QToolButton* m_new;
    QToolButton* m_open;
    QToolButton* m_copy;
    QToolButton* m_remove;
    QStringList m_drafts;
    QStringList m_listed;                             ///< what the tree shows
    QHash<QString, std::vector<ListedRule>> m_rules;  ///< of the sets that were opened once
    bool m_isFilling = false;
};

}  // namespace mitos::views
