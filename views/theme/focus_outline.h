// SPDX-License-Identifier: GPL-3.0-or-later
// An outline around the widget with the keyboard focus, where the style draws none: lists without a frame, charts, program text. It is
// shown once the window is used by keys (Qt::WA_KeyboardFocusChange), which Qt notes for Tab.
#pragma once

#include <QObject>
#include <QPointer>

class QApplication;
class QFocusFrame;
class QWidget;

namespace mitos::views {

class FocusOutline final : public QObject {
public:
    explicit FocusOutline(QApplication& application);

private:
    void follow(QWidget* focus);

    QPointer<QFocusFrame> m_frame;  ///< owned by the widget's parent
};

}  // namespace mitos::views
