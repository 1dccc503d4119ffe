// SPDX-License-Identifier: GPL-3.0-or-later
// The perspective Gradient on screen, alone and in the window, as tests drive it.
#pragma once

#include "tests/gui/gui_support.h"
#include "tests/gui/shown_window.h"
#include "views/common/widgets.h"
#include "views/gradient/gradient_view.h"
#include "views/program/code_view.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>

namespace mitos::test {

struct GradientDesk : Desk {
    views::GradientView view{document, selection, jobs};
    QStringList failures;
    QStringList notices;

    GradientDesk() {
        view.resize(1280, 800);
        view.show();
        QObject::connect(&view, &views::GradientView::failed, &view,
                         [this](const QString& title, const QString& details) { failures << title + details; });
        QObject::connect(&view, &views::GradientView::notice, &view, [this](const QString& text) { notices << text; });
    }
    [[nodiscard]] bool load(const char* text) { return open(QString::fromUtf8(text)) && isShown(); }
    [[nodiscard]] bool isShown() {
        return QTest::qWaitFor([this] { return view.isVisible(); }) && settle() && settle();
    }
    template <typename Widget>
    [[nodiscard]] Widget& child(const char* name) {
        auto* found = view.findChild<Widget*>(QLatin1String(name));
        if (found == nullptr) qFatal("no %s", name);
        return *found;
    }
    [[nodiscard]] views::CodeView& function() { return child<views::CodeView>("gradientFunctionText"); }
    [[nodiscard]] views::CodeView& derivative() { return child<views::CodeView>("gradientText"); }
    void showTexts(int tab) { child<QTabBar>("gradientTexts").setCurrentIndex(tab); }
    void choose(const char* box, const QString& text) {
        auto& combo = child<QComboBox>(box);
        combo.setCurrentText(text);
        Q_EMIT combo.activated(combo.currentIndex());
    }
    void click(const char* button) { QTest::mouseClick(&child<QPushButton>(button), Qt::LeftButton); }
    /// Clicks the text where it stands first.
    static void clickOn(views::CodeView& code, const QString& text) {
        const qsizetype at = code.text().indexOf(text);
        QVERIFY2(at >= 0, qPrintable(text + QStringLiteral(" is not in ") + code.text()));
        const QRect rect = code.rectOf({at, at + 1});
        QTest::mouseClick(code.viewport(), Qt::LeftButton, {}, rect.center());
    }
    /// The marked parts of a text.
    [[nodiscard]] static QString marked(const views::CodeView& code) {
        QStringList parts;
        for (const views::TextRange& range : code.marks(views::CodeView::Mark::Shared))
            parts << code.text().mid(range.begin, range.end - range.begin);
        return parts.join(QStringLiteral(" | "));
    }
    [[nodiscard]] QString links() { return child<QLabel>("gradientLinks").text(); }
    [[nodiscard]] QString result() { return child<QLabel>("gradientResult").text(); }
    [[nodiscard]] QString problem() { return child<views::EmptyState>("gradientProblem").text(); }
};

/// Until the derivative is there; views are filled in an event after they are shown.
[[nodiscard]] inline bool showGradient(ShownWindow& shown) {
    shown.trigger("perspectiveGradient");
    return QTest::qWaitFor([&] { return !shown.child<views::CodeView>("gradientText")->text().isEmpty(); }) &&
           shown.settle();
}

}  // namespace mitos::test
