// SPDX-License-Identifier: GPL-3.0-or-later
// One line of text that never asks for more room than it has.
#pragma once

#include <QLabel>

namespace mitos::views {

/// Plain text in one line. Where there is too little room, it ends in an ellipsis, and the tool tip begins with all of it: text() is always
/// the whole. It takes the width that the layout gives to it, so that a long text moves nothing beside it.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    /// The text as it is painted.
    [[nodiscard]] QString shownText() const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace mitos::views
