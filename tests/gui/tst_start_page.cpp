// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: cards that open what they show, sessions to continue, samples to filter; by mouse and by keyboard.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/main_window/internal/message_bar.h"
#include "views/program/program_thumbnail.h"
#include "views/start_page/internal/start_card.h"
#include "views/start_page/recent.h"
#include "views/start_page/start_page.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTemporaryDir>

namespace tst_start_page {

using namespace mitos;
using namespace mitos::views;
using mitos::test::sample;

namespace {

class Window : public test::ShownWindow {
public:
    [[nodiscard]] bool isReady() { return QTest::qWaitForWindowActive(&window) && settle(); }
    /// The first entry of the list Continue with a title that begins so; null if there is none.
    [[nodiscard]] QListWidgetItem* entry(const QString& title) {
        const QList<QListWidgetItem*> found = child<EntryList>("recent")->findItems(title, Qt::MatchStartsWith);
        return found.isEmpty() ? nullptr : found.front();
    }
    [[nodiscard]] QStringList shownSamples() {
        const auto* list = child<EntryList>("samples");
        QStringList shown;
        for (int row = 0; row < list->count(); ++row) {
            if (!list->isRowHidden(row)) shown << list->item(row)->text();
        }
        return shown;
    }
    static void press(int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(QApplication::focusWidget(), static_cast<Qt::Key>(key), modifiers);
    }
};

QString detailOf(const QListWidgetItem* item) { return item->data(EntryList::DetailRole).toString(); }

/// Opens the sample, applies the rule once, and closes the window; returns the path of the session.
QString makeSession(const QString& path, const std::string& rule) {
    Window shown;
    if (!shown.open(path)) return {};
    Document& document = shown.window.document();
    const auto step = test::findStep(document, rule);
    if (!step) return {};
    document.apply(*step);
    if (!shown.settle()) return {};
    return document.sessionPath();
}

}  // namespace

class TestStartPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        test::forgetEverything();
        qputenv("MITOS_SAMPLES", MITOS_SOURCE_DIR "/samples");
    }

    // --- cards ---

    void cardsShowWhatTheyOpen() {
        Window shown;
        QVERIFY(shown.isReady());
        QVERIFY2(shown.child<ProgramThumbnail>("stepPicture")->text().startsWith(u"gemm(α, mat_a, mat_b, β, mat_c) ="),
                 qPrintable(shown.child<ProgramThumbnail>("stepPicture")->text()));
        QVERIFY(shown.child<ProgramThumbnail>("searchPicture")->text().startsWith(u"polynomial(x, a, b) ="));
        QCOMPARE(shown.child<CurvePicture>("searchCurve")->change(), QStringLiteral("▼ −90.7 %"));
        QVERIFY(shown.child<ProgramThumbnail>("networkPicture")->boxes() > 50);
        for (const char* name : {"stepCard", "searchCard", "networkCard"}) {
            const auto* card = shown.child<StartCard>(name);
            QVERIFY2(card->isEnabled(), name);
            QVERIFY2(card->accessibleName().startsWith(card->text()), name);
            QCOMPARE(card->focusPolicy(), Qt::StrongFocus);
        }
    }

    void theFirstCardOpensGemm() {
        Window shown;
        QVERIFY(shown.isReady());
        QTest::mouseClick(shown.child<StartCard>("stepCard"), Qt::LeftButton);
        QVERIFY(shown.isOpen());
        QCOMPARE(shown.window.document().title(), QStringLiteral("gemm.ks · gemm"));
        QVERIFY(shown.window.document().runs().empty());
    }

    void theSecondCardSearches() {
        Window shown;
        QVERIFY(shown.isReady());
        shown.child<QComboBox>("strategy")->setCurrentText(QStringLiteral("phases"));
        shown.window.setBudgetSeconds(0.5);
        shown.child<StartCard>("searchCard")->setFocus();
        Window::press(Qt::Key_Return);
        Window::press(Qt::Key_Return);  // a second time has no effect
        QTRY_COMPARE(shown.window.document().title(), QStringLiteral("polynomial.ks · polynomial"));
        QTRY_COMPARE(shown.window.document().runs().size(), std::size_t(1));
        QVERIFY(shown.settle());
        QVERIFY(shown.window.document().runs().front().bestCost < 1000.0);
        // Only once: the next program that is opened is not searched.
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        QVERIFY(shown.window.document().runs().empty());
    }

    void theThirdCardOpensANetwork() {
        Window shown;
        QVERIFY(shown.isReady());
        shown.child<StartCard>("networkCard")->setFocus();
        Window::press(Qt::Key_Space);
        QVERIFY(shown.isOpen());
        QCOMPARE(shown.window.document().title(), QStringLiteral("SqueezeNet 1.1, as in the papers"));
    }

    void cardsWithoutTheirSampleSayWhy() {
        const QTemporaryDir folder;
        qputenv("MITOS_SAMPLES", QFile::encodeName(folder.path()));
        Window shown;
        QVERIFY(shown.isReady());
        QVERIFY(!shown.child<StartCard>("stepCard")->isEnabled());
        QVERIFY(!shown.child<StartCard>("stepCard")->toolTip().isEmpty());
        QVERIFY(!shown.child<StartCard>("searchCard")->isEnabled());
        QVERIFY(shown.child<StartCard>("networkCard")->isEnabled());
        QCOMPARE(shown.shownSamples().last(), QStringLiteral("No samples found"));
    }

    // --- continue ---

    void aSessionIsContinued() {
        QVERIFY(!makeSession(sample("teaching/factor.ks"), "add_of_muls").isEmpty());
        Window shown;
        QVERIFY(shown.isReady());
        QVERIFY(!shown.child<QLabel>("noSession")->isVisible());
        const QListWidgetItem* item = shown.entry(QStringLiteral("factor"));
        QVERIFY(item != nullptr);
        QCOMPARE(detailOf(item), QStringLiteral("just now · 2 states"));
        // A product less, which costs 2 under ks-2021; a sum costs 1.
        QCOMPARE(item->data(EntryList::ChangeRole).toString(), QStringLiteral("▼ −40.0 %"));
        QCOMPARE(item->data(EntryList::DirectionRole).toInt(), -1);
        const QList<QPointF> curve{{1.0, 5.0}, {2.0, 3.0}};
        QCOMPARE(item->data(EntryList::CurveRole).value<QList<QPointF>>(), curve);
        QVERIFY2(item->toolTip().contains(QStringLiteral("cost 5 → 3")), qPrintable(item->toolTip()));
        QCOMPARE(item->data(Qt::AccessibleTextRole).toString(),
                 item->text() + QStringLiteral(", just now · 2 states, ▼ −40.0 %"));
        QVERIFY2(item->text().startsWith(QLatin1String("factor, today ")), qPrintable(item->text()));
        auto* list = shown.child<EntryList>("recent");
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(item).center());
        QVERIFY(shown.isOpen());
        QCOMPARE(shown.window.document().history().size(), std::size_t(2));
    }

    void aRunLeavesItsCurve() {
        {
            Window shown;
            QVERIFY(shown.open(sample("teaching/polynomial.ks")));
            QVERIFY(shown.window.document().startSearch(
                        {.strategy = QStringLiteral("phases"), .parameters = {}, .budget = {.evaluations = 1000}}) > 0);
            QVERIFY(shown.settle());
        }
        Window shown;
        QVERIFY(shown.isReady());
        const QListWidgetItem* item = shown.entry(QStringLiteral("polynomial, today "));
        QVERIFY(item != nullptr);
        QCOMPARE(item->data(EntryList::ChangeRole).toString(), QStringLiteral("▼ −90.7 %"));
        QVERIFY2(detailOf(item).endsWith(QStringLiteral(" · 1 run")), qPrintable(detailOf(item)));
        const auto curve = item->data(EntryList::CurveRole).value<QList<QPointF>>();
        QVERIFY(curve.size() > 2);
        QCOMPARE(curve.first().y(), 1923.6);
        QCOMPARE(curve.last().y(), 178.0);
    }

    void sessionsThatCannotBeReadSayWhy_data() {
        QTest::addColumn<qint64>("place");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("damaged") << qint64(4096) << QByteArray(8000, '\x5a') << QStringLiteral("is damaged");
        QTest::newRow("newer") << qint64(60) << QByteArray("\0\0\x12\x67", 4)
                               << QStringLiteral("was written by a newer Mitos");
        QTest::newRow("foreign") << qint64(0) << QByteArray("no session") << QStringLiteral("is not a Mitos session");
    }

    void sessionsThatCannotBeReadSayWhy() {
        QFETCH(const qint64, place);
        QFETCH(const QByteArray, bytes);
        QFETCH(const QString, text);
        const QString path = makeSession(sample("teaching/factor.ks"), "add_of_muls");
        QVERIFY(!path.isEmpty());
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadWrite));
            QVERIFY(file.seek(place));
            QCOMPARE(file.write(bytes), bytes.size());
        }
        Window shown;
        QVERIFY(shown.isReady());
        const QListWidgetItem* item = shown.entry(QStringLiteral("factor"));
        QVERIFY(item != nullptr);
        QCOMPARE(detailOf(item), text);
        QVERIFY(item->toolTip().contains(path));
        QVERIFY(item->data(EntryList::TroubleRole).toBool());
        QVERIFY(item->data(EntryList::ChangeRole).toString().isEmpty());
        // Choosing it explains more.
        auto* list = shown.child<EntryList>("recent");
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(item).center());
        QTRY_VERIFY(shown.child<MessageBar>("messageBar")->isVisible());
        QVERIFY(shown.settle());
        QVERIFY(!shown.window.document().isOpen());
    }

    void entriesAreRemoved() {
        QVERIFY(!makeSession(sample("teaching/factor.ks"), "add_of_muls").isEmpty());
        Window shown;
        QVERIFY(shown.isReady());
        auto* list = shown.child<EntryList>("recent");
        QCOMPARE(recentEntries().size(), 2);
        Q_EMIT list->customContextMenuRequested(list->visualItemRect(shown.entry(QStringLiteral("factor"))).center());
        auto* menu = list->findChild<QMenu*>();
        QVERIFY(menu != nullptr);
        QCOMPARE(menu->actions().size(), 2);
        menu->actions().back()->trigger();
        menu->close();
        QCOMPARE(recentEntries().size(), 1);
        // The sample itself remains, among the files.
        QVERIFY(shown.child<QLabel>("noSession")->isVisible());
        list->setCurrentItem(shown.entry(QStringLiteral("factor")));
        list->setFocus();
        Window::press(Qt::Key_Delete);
        QVERIFY(recentEntries().isEmpty());
        QVERIFY(!list->isVisible());
    }

    void momentsAreTold_data() {
        QTest::addColumn<qint64>("seconds");
        QTest::addColumn<QString>("text");
        constexpr qint64 Hour = 3600;
        QTest::newRow("now") << qint64(20) << QStringLiteral("just now");
        QTest::newRow("future") << qint64(-90) << QStringLiteral("just now");
        QTest::newRow("minute") << qint64(90) << QStringLiteral("1 minute ago");
        QTest::newRow("minutes") << qint64(300) << QStringLiteral("5 minutes ago");
        QTest::newRow("hour") << Hour << QStringLiteral("1 hour ago");
        QTest::newRow("hours") << 2 * Hour << QStringLiteral("2 hours ago");
        QTest::newRow("yesterday") << 15 * Hour << QStringLiteral("yesterday");
        QTest::newRow("days") << 72 * Hour << QStringLiteral("3 days ago");
        QTest::newRow("date") << 24 * Hour * 40 << QStringLiteral("10/16/26");
    }

    void momentsAreTold() {
        QFETCH(const qint64, seconds);
        QFETCH(const QString, text);
        const QDateTime now(QDate(2026, 11, 25), QTime(12, 0));
        QCOMPARE(agoText(now.addSecs(-seconds), now, QLocale(QLocale::English, QLocale::UnitedStates)), text);
    }

    // --- samples ---

    void theFilterFindsSamples() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("one")) && QDir(folder.path()).mkpath(QStringLiteral("two")));
        test::writeText(folder, QStringLiteral("one/apple.ks"), "; A fruit\n; Try: eat it.\n(add x y)\n");
        test::writeText(folder, QStringLiteral("one/pear.ks"), "; Another fruit\n; Try: wait.\n(add x y)\n");
        test::writeText(folder, QStringLiteral("two/leek.ks"), "; A vegetable\n; Try: cook it.\n(mul x y)\n");
        qputenv("MITOS_SAMPLES", QFile::encodeName(folder.path()));
        Window shown;
        QVERIFY(shown.isReady());
        const auto* count = shown.child<QLabel>("sampleCount");
        QCOMPARE(count->text(), QStringLiteral("3"));
        QCOMPARE(shown.shownSamples().size(), 5);
        // Typing in the list goes to the filter.
        QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("samples"));
        auto* filter = shown.child<QLineEdit>("sampleFilter");
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("f"));
        QVERIFY(filter->hasFocus());
        QTest::keyClicks(filter, QStringLiteral("RUIT"));
        QCOMPARE(filter->text(), QStringLiteral("fRUIT"));
        const QStringList fruit{QStringLiteral("One"), QStringLiteral("apple: A fruit"),
                                QStringLiteral("pear: Another fruit")};
        QCOMPARE(shown.shownSamples(), fruit);
        QCOMPARE(count->text(), QStringLiteral("2 of 3"));
        // By description, by group, by several words.
        filter->setText(QStringLiteral("cook"));
        QCOMPARE(shown.shownSamples(), QStringList({QStringLiteral("Two"), QStringLiteral("leek: A vegetable")}));
        filter->setText(QStringLiteral("two"));
        QCOMPARE(count->text(), QStringLiteral("1 of 3"));
        filter->setText(QStringLiteral("wait fruit one"));
        QCOMPARE(count->text(), QStringLiteral("1 of 3"));
        filter->setText(QStringLiteral("meat"));
        QCOMPARE(count->text(), QStringLiteral("none matches"));
        QVERIFY(shown.shownSamples().isEmpty());
        Window::press(Qt::Key_Return);
        QVERIFY(shown.settle());
        QVERIFY(!shown.window.document().isOpen());
        // Escape clears it, also from the list, then leaves it; Ctrl+F comes back.
        shown.child<EntryList>("samples")->setFocus();
        Window::press(Qt::Key_Escape);
        QVERIFY(filter->text().isEmpty());
        filter->setText(QStringLiteral("meat"));
        filter->setFocus();
        Window::press(Qt::Key_Escape);
        QVERIFY(filter->text().isEmpty());
        QCOMPARE(shown.shownSamples().size(), 5);
        Window::press(Qt::Key_Escape);
        QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("samples"));
        Window::press(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(filter->hasFocus());
        // The arrows choose among the matches, and Enter opens.
        filter->setText(QStringLiteral("fruit"));
        Window::press(Qt::Key_Down);
        Window::press(Qt::Key_Return);
        QVERIFY(shown.isOpen());
        QCOMPARE(shown.window.document().title(), QStringLiteral("pear.ks"));
    }

    void networksAreAmongTheSamples() {
        Window shown;
        QVERIFY(shown.isReady());
        shown.child<QLineEdit>("sampleFilter")->setText(QStringLiteral("channels_last"));
        QCOMPARE(
            shown.shownSamples(),
            QStringList({QStringLiteral("Networks"),
                         QStringLiteral("channels_last: Which order of axes? Two convolutions, a sum and a pool, as "
                                        "in image networks")}));
        auto* list = shown.child<EntryList>("samples");
        const QList<QListWidgetItem*> found = list->findItems(QStringLiteral("channels_last"), Qt::MatchStartsWith);
        QCOMPARE(found.size(), 1);
        QVERIFY2(detailOf(found.front()).startsWith(u"Try: choose the rules tensor-default"),
                 qPrintable(detailOf(found.front())));
        QVERIFY2(detailOf(found.front()).endsWith(u"are gone."), qPrintable(detailOf(found.front())));
        shown.child<QLineEdit>("sampleFilter")->setFocus();
        Window::press(Qt::Key_Down);
        Window::press(Qt::Key_Return);
        QVERIFY(shown.isOpen());
        QCOMPARE(shown.window.document().title(), QStringLiteral("channels_last.txt · block"));
        QVERIFY(!shown.window.document().sourcePath().isEmpty());
    }

    void textsThatAreNoNetworksAreNotAmongTheSamples() {
        const QTemporaryDir folder;
        test::writeText(folder, QStringLiteral("notes.txt"), "# Notes\nbuy apples\n");
        test::writeText(folder, QStringLiteral("net.txt"),
                        "# A small network\n\ngraph f(x: f32[2])\n  return Relu(x)\n");
        qputenv("MITOS_SAMPLES", QFile::encodeName(folder.path()));
        Window shown;
        QVERIFY(shown.isReady());
        QCOMPARE(shown.shownSamples(),
                 QStringList({QStringLiteral("Samples"), QStringLiteral("net: A small network")}));
    }

    void theKeyboardReachesEverything() {
        QVERIFY(!makeSession(sample("teaching/factor.ks"), "add_of_muls").isEmpty());
        Window shown;
        QVERIFY(shown.isReady());
        shown.child<QWidget>("openFileButton")->setFocus();
        QStringList reached;
        for (int i = 0; i < 11; ++i) {
            reached << QApplication::focusWidget()->objectName();
            Window::press(Qt::Key_Tab);
        }
        const QStringList expected{
            QStringLiteral("openFileButton"), QStringLiteral("newProgramButton"), QStringLiteral("newNetworkButton"),
            QStringLiteral("tourStart"),      QStringLiteral("tourDecline"),      QStringLiteral("stepCard"),
            QStringLiteral("searchCard"),     QStringLiteral("networkCard"),      QStringLiteral("allSessions"),
            QStringLiteral("recent"),         QStringLiteral("sampleFilter")};
        QCOMPARE(reached, expected);
        QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("samples"));
    }

    // --- pictures ---

    void itLooksRightAtEverySize() {
        QVERIFY(!makeSession(sample("teaching/factor.ks"), "add_of_muls").isEmpty());
        const QString damaged = makeSession(sample("teaching/cancel.ks"), "commute_mul");
        {
            QFile file(damaged);
            QVERIFY(file.open(QIODevice::ReadWrite));
            QVERIFY(file.resize(file.size() / 2));
        }
        for (const char* path : {"teaching/polynomial.ks", "linear-algebra/gemm.ks"}) {
            Window shown;
            QVERIFY(shown.open(sample(path)));
            QVERIFY(shown.window.document().startSearch(
                        {.strategy = QStringLiteral("phases"), .parameters = {}, .budget = {.evaluations = 3000}}) > 0);
            QVERIFY(shown.settle());
        }
        Window shown;
        QVERIFY(shown.isReady());
        for (const QSize& size : {QSize(1024, 640), QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440)}) {
            shown.window.resize(size);
            QVERIFY(shown.settle());
            const auto* page = shown.child<StartPage>("startPage");
            // Nothing overlaps or leaves the page.
            const auto rectOf = [&](const char* name) {
                const auto* widget = shown.child<QWidget>(name);
                return QRect(widget->mapTo(page, QPoint()), widget->size());
            };
            QVERIFY(rectOf("stepCard").right() < rectOf("searchCard").left());
            QVERIFY(rectOf("searchCard").right() < rectOf("networkCard").left());
            QVERIFY(std::abs(rectOf("stepCard").width() - rectOf("networkCard").width()) <= 1);
            QVERIFY(rectOf("stepCard").bottom() < rectOf("recent").top());
            QVERIFY(rectOf("recent").right() < rectOf("samples").left());
            QVERIFY(page->rect().contains(rectOf("samples")));
            QVERIFY(rectOf("samples").height() > 120);
            QVERIFY(test::takePictures(shown.window, QStringLiteral("start-%1").arg(size.width())));
        }
        shown.window.resize(1280, 800);
        shown.child<StartCard>("searchCard")->setFocus();
        shown.child<QLineEdit>("sampleFilter")->setText(QStringLiteral("matrix"));
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("start-filtered")));
    }
};

MITOS_TEST(TestStartPage)

}  // namespace tst_start_page

#include "tst_start_page.moc"
