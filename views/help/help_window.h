// SPDX-License-Identifier: GPL-3.0-or-later
// The help pages and the documentation of the rules, in a separate window.
#pragma once

#include "core/rules/rule.h"
#include "views/help/keys_page.h"

#include <QDialog>

class QLineEdit;
class QListWidget;
class QStackedWidget;
class QTextBrowser;

namespace mitos::views {

class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent = nullptr);

    /// Sets the rules to document, and rebuilds their page.
    void setRules(const rules::RuleBook& rules);
    /// Sets what the page of keys lists.
    void setKeys(const QList<KeyEntry>& keys);
    /// Shows a page: "stepping", "searching", "exporting", "rule-language", "rules", "keys".
    void showPage(const QString& name);
    /// Shows the page of the rules at that rule.
    void showRule(const QString& name);
    [[nodiscard]] QStringList pages() const;

Q_SIGNALS:
    void keysChangeRequested(const QString& action);  ///< for the action of that name

protected:
    void changeEvent(QEvent* event) override;

private:
    void showCurrent();
    void polish();
    void findNext();

    QListWidget* m_list;
    QStackedWidget* m_pages;  ///< the text, or the keys
    QTextBrowser* m_text;
    KeysPage* m_keys;
    QLineEdit* m_find;
    QString m_rules;
};

}  // namespace mitos::views
