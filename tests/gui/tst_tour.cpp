// SPDX-License-Identifier: GPL-3.0-or-later
// The guided tour: offered on the first run, walked by keys, skipped, taken in small windows, and while programs come and go.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/main_window/internal/tour.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QToolBar>

namespace tst_tour {

using namespace mitos;
using namespace mitos::views;

namespace {

struct Window : test::ShownWindow {
    Window() { window.activateWindow(); }
    [[nodiscard]] Tour* tour() { return child<Tour>("tour"); }
    [[nodiscard]] QString title() { return child<QLabel>("tourTitle")->text(); }
    void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
    [[nodiscard]] bool begin() {
        window.openPath(test::sample("teaching/factor.ks"));
        if (!isOpen()) return false;
        trigger("tour");
        return QTest::qWaitFor([this] { return tour() != nullptr && !tour()->outline().isEmpty(); });
    }
    /// Whether the whole card is inside the window.
    [[nodiscard]] bool isCardInside() {
        const auto* card = child<QWidget>("tourCard");
        return window.rect().contains(QRect(card->mapTo(&window, QPoint()), card->size()));
    }
};

}  // namespace

class TestTour : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }
    void cleanup() { applyAppearance(*qApp, Appearance::Light); }

    void itIsOfferedOnceAndOpensTheSample() {
        {
            Window shown;
            auto* offer = shown.child<QWidget>("tourOffer");
            QVERIFY(offer->isVisible());
            QVERIFY(shown.tour() == nullptr);  // never by itself
            QVERIFY(test::takePictures(shown.window, QStringLiteral("tour-offer")));
            shown.child<QPushButton>("tourStart")->click();
            QVERIFY(shown.isOpen());
            QTRY_VERIFY(shown.tour() != nullptr);
            QCOMPARE(shown.window.document().title(), QStringLiteral("gemm.ks · gemm"));
            shown.tour()->skip();
            QVERIFY(!offer->isVisibleTo(offer->parentWidget()));
        }
        Window again;
        QVERIFY(!again.child<QWidget>("tourOffer")->isVisible());
        // It can be taken again, and keeps the program that is open.
        QVERIFY(again.begin());
        QCOMPARE(again.window.document().title(), QStringLiteral("factor.ks"));
    }

    void theOfferIsDeclined() {
        {
            Window shown;
            shown.child<QPushButton>("tourDecline")->click();
            QVERIFY(!shown.child<QWidget>("tourOffer")->isVisible());
        }
        // Other preferences do not bring it back.
        Preferences preferences = Preferences::stored();
        QVERIFY(preferences.tourSeen);
        Window again;
        QVERIFY(!again.child<QWidget>("tourOffer")->isVisible());
    }

    void sixStopsByKeys() {
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.begin());
        const QStringList titles{QStringLiteral("The program"),        QStringLiteral("Rewrites and their costs"),
                                 QStringLiteral("The history"),        QStringLiteral("Run a search"),
                                 QStringLiteral("Other perspectives"), QStringLiteral("Take the result with you")};
        const char* const targets[] = {"programView", "dockRewrites", "dockHistory", nullptr, "rail", nullptr};
        for (int stop = 0; stop < titles.size(); ++stop) {
            QCOMPARE(shown.title(), titles[stop]);
            QCOMPARE(shown.child<QLabel>("tourCount")->text(), QStringLiteral("%1 of 6").arg(stop + 1));
            QVERIFY(QTest::qWaitFor([&] { return shown.isCardInside(); }));
            QVERIFY(!shown.tour()->outline().isEmpty());
            if (targets[stop] != nullptr) {
                const auto* target = shown.child<QWidget>(targets[stop]);
                QCOMPARE(shown.tour()->outline(), QRect(target->mapTo(&shown.window, QPoint()), target->size()));
            }
            QVERIFY(test::takePictures(shown.window, QStringLiteral("tour-%1").arg(stop + 1)));
            shown.press(Qt::Key_Return);
        }
        QTRY_VERIFY(shown.tour() == nullptr);
        QVERIFY(Preferences::stored().tourSeen);
    }

    void backTabAndSkip() {
        Window shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        QVERIFY(shown.begin());
        QVERIFY(!shown.child<QPushButton>("tourBack")->isEnabled());
        shown.press(Qt::Key_Right);
        shown.press(Qt::Key_Right);
        QCOMPARE(shown.title(), QStringLiteral("The history"));
        shown.press(Qt::Key_Left);
        QCOMPARE(shown.title(), QStringLiteral("Rewrites and their costs"));
        // Tab walks around the card and does not leave it.
        QStringList visited;
        for (int i = 0; i < 4; ++i) {
            shown.press(Qt::Key_Tab);
            visited << QApplication::focusWidget()->objectName();
        }
        QCOMPARE(visited, (QStringList{QStringLiteral("tourSkip"), QStringLiteral("tourBack"),
                                       QStringLiteral("tourNext"), QStringLiteral("tourSkip")}));
        // Keys of the window do nothing meanwhile.
        const auto states = shown.window.document().history().size();
        shown.press(Qt::Key_J);
        shown.press(Qt::Key_F5);
        QCOMPARE(shown.window.document().history().size(), states);
        QCOMPARE(shown.window.document().runningSearches(), 0);
        shown.press(Qt::Key_Escape);
        QTRY_VERIFY(shown.tour() == nullptr);
        QVERIFY(Preferences::stored().tourSeen);
    }

    void inTheSmallestWindowAndResized() {
        Window shown;
        shown.window.resize(shown.window.minimumSize());
        QVERIFY(shown.begin());
        for (int stop = 0; stop < 6; ++stop) {
            QVERIFY(QTest::qWaitFor([&] { return shown.isCardInside(); }));
            QVERIFY2(!shown.tour()->outline().isEmpty(), qPrintable(shown.title()));
            if (stop == 1) QVERIFY(test::takePictures(shown.window, QStringLiteral("tour-small")));
            shown.child<QPushButton>(stop < 5 ? "tourNext" : "tourBack")->click();
        }
        shown.window.resize(1500, 900);
        QTRY_COMPARE(shown.tour()->size(), shown.window.size());
        shown.window.resize(1100, 700);
        QTRY_VERIFY(shown.tour()->size() == shown.window.size() && shown.isCardInside());
    }

    void otherPerspectivesAndPrograms() {
        Window shown;
        QVERIFY(shown.begin());
        // The target is hidden: the call-out stays, and the next stop brings its own target back.
        shown.window.showStartPage();
        QTRY_VERIFY(shown.tour()->outline().isEmpty());
        QVERIFY(shown.isCardInside());
        shown.child<QPushButton>("tourNext")->click();
        QTRY_VERIFY(!shown.tour()->outline().isEmpty());
        QVERIFY(shown.child<QDockWidget>("dockRewrites")->isVisible());
        // A dock that was closed is shown again.
        shown.child<QDockWidget>("dockHistory")->hide();
        shown.child<QPushButton>("tourNext")->click();
        QTRY_VERIFY(shown.child<QDockWidget>("dockHistory")->isVisible());
        // A second program, and one that cannot be opened, in the middle.
        shown.window.document().openText(QStringLiteral("typed"), QString::fromUtf8(test::CancelText));
        QVERIFY(shown.isOpen());
        QTRY_COMPARE(shown.window.document().sourcePath(), QString());
        shown.window.openPath(QStringLiteral("/no/such/file.ks"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.title(), QStringLiteral("The history"));
        shown.child<QPushButton>("tourNext")->click();
        QCOMPARE(shown.title(), QStringLiteral("Run a search"));
        shown.window.close();
    }
};

MITOS_TEST(TestTour)

}  // namespace tst_tour

#include "tst_tour.moc"
