// SPDX-License-Identifier: GPL-3.0-or-later
// The row of flat buttons at the top of a view.
#pragma once

#include <QHBoxLayout>

class QToolButton;

namespace mitos::views {

/// New buttons are inserted after the earlier ones, at the left; items added to the layout itself follow the stretch after the buttons.
class ButtonRow : public QHBoxLayout {
    Q_OBJECT
public:
    ButtonRow();

    /// The layout's parent widget owns the button.
    QToolButton* addButton(const QString& name, const QString& text, const QString& toolTip);

private:
    int m_buttons = 0;
};

}  // namespace mitos::views
