// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window as a user drives it: open, select, rewrite, undo, search, stop, close, reopen; and pictures of it.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_egraphs.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/document/verdicts.h"
#include "views/main_window/appearance.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/program_dialog.h"
#include "views/main_window/internal/result_banner.h"
#include "views/program/code_view.h"
#include "views/program/program_view.h"
#include "views/search_dialog/search_dialog.h"
#include "views/start_page/recent.h"
#include "views/start_page/start_page.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

namespace tst_desktop {

using namespace mitos;
using namespace mitos::views;
using mitos::test::sample;

namespace {

struct Window : test::ShownWindow {
    [[nodiscard]] MessageBar* messages() { return child<MessageBar>("messageBar"); }
};

QString picture(const char* name) {
    QDir().mkpath(QStringLiteral(MITOS_BINARY_DIR "/screenshots"));
    return QStringLiteral(MITOS_BINARY_DIR "/screenshots/%1.png").arg(QLatin1String(name));
}

/// Distinct colours of a picture, coarsely: an empty window has few.
int colours(const QImage& image) {
    QSet<QRgb> seen;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3) seen.insert(image.pixel(x, y));
    }
    return static_cast<int>(seen.size());
}

}  // namespace

class TestDesktop : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void lettersAreDrawn() {
        // Without a font every letter is the same box.
        const auto drawn = [](const QString& text) {
            QLabel label(text);
            label.resize(40, 40);
            return label.grab().toImage();
        };
        QVERIFY(drawn(QStringLiteral("A")) != drawn(QStringLiteral("B")));
    }

    void startPageOffersSamples() {
        qputenv("MITOS_SAMPLES", MITOS_SOURCE_DIR "/samples");
        Window shown;
        QVERIFY(shown.settle());
        auto* samples = shown.child<QListWidget>("samples");
        QVERIFY(samples->isVisible());
        QVERIFY(samples->count() > 10);
        for (const auto* dock : shown.window.findChildren<QDockWidget*>()) QVERIFY(!dock->isVisible());
        QListWidgetItem* cancel = nullptr;
        for (int row = 0; row < samples->count(); ++row) {
            if (samples->item(row)->data(EntryList::PathRole).toString().endsWith(QLatin1String("/cancel.ks"))) {
                cancel = samples->item(row);
            }
        }
        QVERIFY(cancel != nullptr);
        QVERIFY(cancel->data(EntryList::DetailRole).toString().startsWith(QLatin1String("Try:")));
        QVERIFY(shown.window.grab().save(picture("start-light")));
        samples->scrollToItem(cancel);
        QTest::mouseClick(samples->viewport(), Qt::LeftButton, {}, samples->visualItemRect(cancel).center());
        QTRY_VERIFY(shown.window.document().isOpen());
        QVERIFY(shown.child<QWidget>("programView")->isVisible());
        for (const char* name : {"dockHistory", "dockRewrites", "dockCostCurve"}) {
            QVERIFY2(shown.child<QDockWidget>(name)->isVisible(), name);
        }
    }

    void stepsThroughTheRewritesView() {
        Window shown;
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        Document& document = shown.window.document();
        const ir::TermId start = document.current().root;
        auto* rewrites = shown.child<QDockWidget>("dockRewrites")->widget()->findChild<QTableView*>();
        QVERIFY(rewrites != nullptr);
        QTRY_VERIFY(rewrites->model()->rowCount() > 0);
        QVERIFY(shown.settle());
        rewrites->setFocus();
        rewrites->selectRow(0);
        QTRY_VERIFY(shown.window.selection().rewrite().has_value());
        QVERIFY(shown.child<CodeView>("programAfter")->isVisible());
        QTest::keyClick(rewrites, Qt::Key_Return);
        QTRY_COMPARE(document.history().size(), std::size_t(2));
        QVERIFY(document.current().root != start);
        shown.trigger("undo");
        QCOMPARE(document.current().root, start);
        shown.trigger("redo");
        QVERIFY(document.current().root != start);
        QVERIFY(shown.child<QLabel>("sessionStatus")->text().contains(QLatin1String("2 states")));
    }

    void keysOfTheWindow() {
        Window shown;
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        shown.window.activateWindow();
        auto* code = shown.child<CodeView>("programText");
        code->setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&shown.window));
        shown.window.selection().setSubterm(ir::Path{0, 1});
        QTest::keyClick(&shown.window, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(*shown.window.selection().subterm(), (ir::Path{0}));
        QTest::keyClick(&shown.window, Qt::Key_Right, Qt::AltModifier | Qt::ShiftModifier);
        QCOMPARE(*shown.window.selection().subterm(), (ir::Path{1}));
        QTest::keyClick(&shown.window, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(*shown.window.selection().subterm(), (ir::Path{0}));
        QTest::keyClick(&shown.window, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("a · b"));
        QTest::keyClick(&shown.window, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(shown.child<QLineEdit>("findEdit")->isVisible());
        QTest::keyClick(shown.child<QLineEdit>("findEdit"), Qt::Key_Escape);
        QTest::keyClick(&shown.window, Qt::Key_Escape);
        QVERIFY(!shown.window.selection().subterm());
    }

    void searchesStopsAndReopens() {
        QString path;
        std::size_t states = 0;
        {
            Window shown;
            QVERIFY(shown.open(sample("linear-algebra/gemm.ks")));
            Document& document = shown.window.document();
            shown.window.setBudgetSeconds(600.0);
            shown.trigger("run");
            QTRY_VERIFY_WITH_TIMEOUT(document.runs().front().events.size() > 3, 20'000);
            QVERIFY(shown.child<QToolButton>("jobStop")->isVisible());
            shown.trigger("stop");
            QVERIFY(shown.settle(60'000));
            QCOMPARE(document.runs().front().stop, std::string("stopped"));
            QVERIFY(!shown.child<QToolButton>("jobStop")->isVisible());
            shown.window.selection().setSubterm(ir::Path{0});
            path = document.sessionPath();
            states = document.history().size();
            QVERIFY(shown.window.grab().save(picture("step-search-light")));
            shown.window.close();
        }
        const QList<RecentEntry> recent = recentEntries();
        QVERIFY(std::any_of(recent.begin(), recent.end(),
                            [&](const RecentEntry& entry) { return entry.session && entry.path == path; }));
        Window again;
        QVERIFY(again.open(path));
        QCOMPARE(again.window.document().history().size(), states);
        QCOMPARE(again.window.document().runs().size(), std::size_t(1));
        QCOMPARE(*again.window.selection().subterm(), (ir::Path{0}));
    }

    void closingWhileSearchingEndsQuickly() {
        auto shown = std::make_unique<Window>();
        QVERIFY(shown->open(sample("teaching/factor.ks")));
        shown->child<QComboBox>("strategy")->setCurrentText(QStringLiteral("random"));
        shown->window.setBudgetSeconds(600.0);
        shown->trigger("run");
        QTRY_VERIFY(!shown->window.document().runs().front().events.empty());
        QElapsedTimer clock;
        clock.start();
        shown->window.close();
        shown.reset();
        QVERIFY(clock.elapsed() < 3'000);
    }

    void errorsStandInTheMessageBar() {
        QTemporaryDir folder;
        Window shown;
        shown.window.openPath(QStringLiteral("/no/such/file.ks"));
        QTRY_VERIFY(shown.messages()->isVisible());
        QVERIFY(shown.messages()->text().contains(QLatin1String("file.ks")));
        QVERIFY(shown.settle());
        shown.window.openPath(
            test::writeText(folder, QStringLiteral("bad.ks"), "(def f Float ((x : Integer)) (add x 1.0))"));
        QTRY_VERIFY(shown.messages()->text().contains(QLatin1String("bad.ks")));
        QVERIFY(shown.messages()->details().contains(QLatin1String("bad.ks:1:")));
        const auto* details = shown.child<QPlainTextEdit>("messageDetails");
        QTRY_VERIFY(details->isVisible() && details->geometry().bottom() < shown.messages()->height());
        QVERIFY(shown.window.grab().save(picture("message-light")));
        QTest::mouseClick(shown.child<QToolButton>("messageClose"), Qt::LeftButton);
        QVERIFY(!shown.messages()->isVisible());
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        QVERIFY(!shown.messages()->isVisible());
    }

    void anEGraphStandsInTheCentre() {
        QTemporaryDir folder;
        Window shown;
        QVERIFY(!shown.child<QAction>("perspectiveSaturate")->isEnabled());
        const QString path = test::writeText(folder, QStringLiteral("shift.json"), test::ShiftText);
        QMimeData dropped;
        dropped.setUrls({QUrl::fromLocalFile(path)});
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        static_cast<QObject&>(shown.window).event(&drop);  // as it arrives after a drag
        QTRY_VERIFY(shown.child<QWidget>("egraphView")->isVisible());
        QVERIFY(shown.settle());
        QCOMPARE(shown.window.windowTitle(), QStringLiteral("shift.json"));
        QVERIFY(!shown.child<QDockWidget>("dockHistory")->isVisible());
        QCOMPARE(recentEntries().front().path, path);
        QVERIFY(!shown.child<QAction>("perspectiveStep")->isEnabled());  // no program is open
        QVERIFY(shown.child<QAction>("picture")->isEnabled());
        QVERIFY(shown.window.grab().save(picture("saturate-light")));
        // What is wrong with a file is said; the e-graph that was open stays.
        shown.window.openPath(test::writeText(folder, QStringLiteral("bad.json"), "{\"nodes\": 3}"));
        QTRY_VERIFY(shown.messages()->isVisible());
        QVERIFY(shown.messages()->text().contains(QLatin1String("bad.json")));
        QVERIFY(shown.child<QWidget>("egraphView")->isVisible());
        // A program and an e-graph stand side by side.
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        QVERIFY(shown.child<QWidget>("programView")->isVisible());
        QVERIFY(shown.child<QDockWidget>("dockHistory")->isVisible());
        shown.trigger("perspectiveSaturate");
        QVERIFY(shown.child<QWidget>("egraphView")->isVisible());
        QVERIFY(!shown.child<QDockWidget>("dockHistory")->isVisible());
        QVERIFY(!shown.child<QAction>("asTree")->isEnabled());
        shown.trigger("perspectiveStep");
        QVERIFY(shown.child<QDockWidget>("dockHistory")->isVisible());
        QVERIFY(shown.window.windowTitle() != QLatin1String("shift.json"));
    }

    void typesAProgram() {
        Window shown;
        QVERIFY(shown.settle());
        shown.trigger("new");
        auto* dialog = shown.child<QDialog>("programDialog");
        QVERIFY(dialog != nullptr && dialog->isVisible());
        dialog->findChild<QPlainTextEdit*>(QStringLiteral("programEdit"))
            ->setPlainText(QLatin1String(test::CancelText));
        dialog->accept();
        QTRY_VERIFY(shown.window.document().isOpen());
        QTRY_VERIFY(shown.child<QDialog>("programDialog") == nullptr);
    }

    void whatIsTypedIsNotLost() {
        const QString text = QStringLiteral("(def f Float ((x : Float))\n  (ad x 1.0))\n");
        Window shown;
        QVERIFY(shown.settle());
        shown.trigger("new");
        auto* dialog = shown.child<ProgramDialog>("programDialog");
        auto* edit = dialog->findChild<QPlainTextEdit*>(QStringLiteral("programEdit"));
        edit->setPlainText(text);
        dialog->accept();
        QTRY_VERIFY(!dialog->error().isEmpty());
        // The text stays, with the cursor at the error.
        QVERIFY(dialog->isVisible());
        QCOMPARE(edit->toPlainText(), text);
        QVERIFY2(dialog->error().startsWith(QStringLiteral("⚠ Line 2, column ")), qPrintable(dialog->error()));
        QCOMPARE(edit->textCursor().blockNumber(), 1);
        QVERIFY(edit->textCursor().positionInBlock() >= 2);
        QCOMPARE(edit->extraSelections().size(), 1);
        QVERIFY(!shown.window.document().isOpen());
        QVERIFY(dialog->grab().save(picture("typed-error")));
        // Cancelled, it is there again; mended, it opens.
        dialog->reject();
        QTRY_VERIFY(shown.child<ProgramDialog>("programDialog") == nullptr);
        shown.trigger("new");
        dialog = shown.child<ProgramDialog>("programDialog");
        QCOMPARE(dialog->text(), text);
        QVERIFY(dialog->error().isEmpty());
        dialog->setText(QString(text).replace(QLatin1String("ad"), QLatin1String("add")));
        dialog->accept();
        QTRY_VERIFY(shown.window.document().isOpen());
        QTRY_VERIFY(shown.child<ProgramDialog>("programDialog") == nullptr);
    }

    void aSearchGetsTheBudgetThatIsShown() {
        Window shown;
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        auto* seconds = shown.child<QDoubleSpinBox>("budget");
        seconds->setValue(0.4);
        // The dialog begins with what the tool bar shows.
        shown.trigger("searchSettings");
        auto* dialog = shown.child<SearchDialog>("searchDialog");
        QCOMPARE(dialog->settings().budget.seconds.value_or(0), 0.4);
        dialog->findChild<QSpinBox*>(QStringLiteral("budget.evaluations"))->setValue(321);
        dialog->findChild<QCheckBox*>(QStringLiteral("use.evaluations"))->setChecked(true);
        dialog->findChild<QCheckBox*>(QStringLiteral("use.seconds"))->setChecked(false);
        dialog->accept();
        QVERIFY(shown.settle());
        const search::Budget chosen = shown.window.document().runs().back().budget;
        QVERIFY(chosen.evaluations == std::uint64_t{321} && !chosen.seconds);
        // The tool bar says that there is no limit of time, and which other ones there are; F5 does the same again.
        QCOMPARE(seconds->text(), QStringLiteral("no limit"));
        QVERIFY2(seconds->toolTip().contains(QLatin1String("321 expressions")), qPrintable(seconds->toolTip()));
        shown.trigger("run");
        QVERIFY(shown.settle());
        QVERIFY(shown.window.document().runs().back().budget == chosen);
    }

    /// Neither opening a program nor a result makes the window larger than the user made it.
    void theSmallestWindowStaysSmall() {
        Window shown;
        shown.window.resize(1024, 640);
        QVERIFY(shown.open(sample("linear-algebra/gemm.ks")));
        QCOMPARE(shown.window.size(), QSize(1024, 640));
        shown.window.setBudgetSeconds(0.4);
        shown.trigger("run");
        QVERIFY(shown.settle());
        QTRY_VERIFY(shown.child<ResultBanner>("resultBanner")->isVisible());
        QCOMPARE(shown.window.size(), QSize(1024, 640));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("result-1024")));
    }

    void theResultOfARunIsAnnounced() {
        Window shown;
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        shown.window.setBudgetSeconds(0.4);
        shown.trigger("run");
        QVERIFY(shown.settle());
        auto* result = shown.child<ResultBanner>("resultBanner");
        QTRY_VERIFY(result->isVisible());
        // (x · 2) / 2 costs 4 units under ks-2021, 2 for each operator, and x costs 0.
        const QString text = result->text();
        QVERIFY2(text.startsWith(QStringLiteral("4 → 0 units · ▼ −100.0 % · Portfolio, ")), qPrintable(text));
        QVERIFY2(text.endsWith(QStringLiteral(" · ✓ replayed · ✓ same values")), qPrintable(text));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("result")));
        // From the result one goes on: to the difference from the start, and to the export.
        QTest::mouseClick(shown.child<QPushButton>("resultCompare"), Qt::LeftButton);
        QCOMPARE(shown.window.selection().compared(), std::optional(rewrite::StateId(0)));
        QTest::mouseClick(shown.child<QPushButton>("resultExport"), Qt::LeftButton);
        QTRY_VERIFY(shown.window.findChild<QDialog*>(QStringLiteral("exportDialog")) != nullptr);
        shown.window.findChild<QDialog*>(QStringLiteral("exportDialog"))->close();
        // Again: there is nothing left to find, which is reported too.
        shown.trigger("run");
        QVERIFY(shown.settle());
        QVERIFY2(result->text().startsWith(QLatin1String("Nothing cheaper than 0 units was found")),
                 qPrintable(result->text()));
        QVERIFY(!shown.child<QPushButton>("resultCompare")->isVisible());
        // It speaks about this program only.
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        QVERIFY(!result->isVisible());
    }

    void layoutsAreKeptAndReset() {
        {
            Window shown;
            QVERIFY(shown.open(sample("teaching/cancel.ks")));
            shown.child<QDockWidget>("dockHistory")->hide();
            shown.window.close();
        }
        Window shown;
        QVERIFY(shown.open(sample("teaching/cancel.ks")));
        QVERIFY(!shown.child<QDockWidget>("dockHistory")->isVisible());
        shown.trigger("resetLayout");
        QVERIFY(shown.child<QDockWidget>("dockHistory")->isVisible());
    }

    void fourPanesWithoutScrollBars() {
        Window shown;
        QVERIFY(shown.open(sample("teaching/factor.ks")));
        shown.trigger("bottomPanel");
        for (const char* name : {"dockHistory", "dockRewrites", "dockCostCurve"}) {
            auto* dock = shown.child<QDockWidget>(name);
            QVERIFY2(dock->isVisible() && dock->width() > 150 && dock->height() > 120, name);
            for (const auto* area : dock->findChildren<QAbstractScrollArea*>()) {
                if (area->isVisible()) QVERIFY2(!area->horizontalScrollBar()->isVisible(), name);
            }
        }
        QVERIFY(!shown.child<CodeView>("programText")->horizontalScrollBar()->isVisible());
        QCOMPARE(shown.window.size(), QSize(1280, 800));
    }

    void lightAndDark_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void lightAndDark() {
        QFETCH(bool, dark);
        Window shown;
        QVERIFY(shown.open(sample("linear-algebra/gemm.ks")));
        // Changed while the window is open: everything follows.
        applyAppearance(*qApp, dark ? Appearance::Dark : Appearance::Light);
        shown.window.setBudgetSeconds(0.5);
        shown.trigger("run");
        QVERIFY(shown.settle(60'000));
        shown.trigger("toStart");
        QVERIFY(shown.settle());
        auto* rewrites = shown.child<QDockWidget>("dockRewrites")->widget()->findChild<QTableView*>();
        QTRY_VERIFY(rewrites->model()->rowCount() > 0);
        QVERIFY(shown.settle());
        shown.window.selection().setSubterm(ir::Path{1});
        rewrites->selectRow(0);
        QVERIFY(shown.settle());
        const QImage image = shown.window.grab().toImage();
        QVERIFY(image.save(picture(dark ? "step-dark" : "step-light")));
        QVERIFY(colours(image) > 60);
        const QImage average = image.scaled(1, 1, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        QCOMPARE(qGray(average.pixel(0, 0)) < 128, dark);
        shown.child<QAction>("asTree")->trigger();
        QVERIFY(shown.settle());
        QVERIFY(shown.window.grab().save(picture(dark ? "tree-dark" : "tree-light")));
    }
};

MITOS_TEST(TestDesktop)

}  // namespace tst_desktop

#include "tst_desktop.moc"
