// SPDX-License-Identifier: GPL-3.0-or-later
// A button that shows which rule sets are in force, with a menu to choose them.
#pragma once

#include "core/rules/rule_sets.h"
#include "views/document/document.h"

#include <QToolButton>

class QMenu;

namespace mitos::views {

class RuleChooser : public QToolButton {
    Q_OBJECT
public:
    explicit RuleChooser(Document& document, QWidget* parent = nullptr);
    /// The same menu, for the menu bar.
    [[nodiscard]] QMenu* choices() const { return m_menu; }
    void setLabelled(bool isLabelled);
    [[nodiscard]] int labelWidth() const;

Q_SIGNALS:
    void doubtsRequested();  ///< asks for details on rules that failed their test

private:
    void update();
    void choose(const rules::RuleChoice& choice);
    void addFile();
    void showText();
    [[nodiscard]] rules::RuleChoice inForce() const;

    Document& m_document;
    QMenu* m_menu;
    QString m_sets;  ///< those in force, with remarks
    bool m_isLabelled = true;
};

}  // namespace mitos::views
