// SPDX-License-Identifier: GPL-3.0-or-later
// The help pages and the documentation of the rules, in a separate window.
#pragma once

#include "core/rules/rule.h"

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace mitos::views {

class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent = nullptr);

    /// Sets the rules to document, and rebuilds their page.
    void setRules(const rules::RuleBook& rules);
    /// Shows a page: "stepping", "searching", "exporting", "rule-language", "rules".
    void showPage(const QString& name);
    /// Shows the page of the rules at that rule.
    void showRule(const QString& name);
    [[nodiscard]] QStringList pages() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void showCurrent();
    void polish();
    void findNext();

    QListWidget* m_list;
    QTextBrowser* m_text;
    QLineEdit* m_find;
    QString m_rules;
};

}  // namespace mitos::views
