// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs and help windows opened by the main window.
#include "storage/workspace/open_model.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/common/widgets.h"
#include "views/help/help_window.h"
#include "views/main_window/appearance.h"
#include "views/main_window/internal/key_list.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/open_programs.h"
#include "views/main_window/internal/program_dialog.h"
#include "views/main_window/main_window.h"
#include "views/network_dialog/network_dialog.h"
#include "views/partition/partition_dialog.h"
#include "views/preferences/preferences_dialog.h"
#include "views/program/program_view.h"
#include "views/rewrites/rewrites_view.h"
#include "views/start_page/recent.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMessageBox>
#include <QStackedWidget>
#include <QTreeWidget>
#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {

/// Quick access: the user types a few letters of an action, a state or a rule, and presses Enter.
struct GoEntry {
    QString kind;  ///< "action", "state", "rule"
    QString text;
    QString detail;  ///< a shortcut, a cost
    std::function<void()> go;
};

class GoDialog : public QDialog {
public:
    explicit GoDialog(QList<GoEntry> entries, QWidget* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter();
    void choose();

    QList<GoEntry> m_entries;
    QLineEdit* m_edit;
    QTreeWidget* m_list;
};

constexpr int MostShown = 200;

enum Column { KindColumn, TextColumn, DetailColumn, ColumnCount };

GoDialog::GoDialog(QList<GoEntry> entries, QWidget* parent)
    : QDialog(parent),
      m_entries(std::move(entries)),
      m_edit(new QLineEdit(this)),
      m_list(new QTreeWidget(this)) {
    setObjectName(QStringLiteral("goDialog"));
    setWindowTitle(tr("Go to Anything"));
    setUpWidget(m_edit, "goEdit", {}, tr("Go to anything"));
    m_edit->setPlaceholderText(tr("An action, a state, a rule…"));
    setUpWidget(m_list, "goList", {}, tr("Matching entries"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformRowHeights(true);
    m_list->setRootIsDecorated(false);
    m_list->setColumnCount(ColumnCount);
    m_list->header()->hide();
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(TextColumn, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(DetailColumn, QHeaderView::ResizeToContents);
    m_list->setColumnWidth(KindColumn, fontMetrics().horizontalAdvance(tr("Action")) + 24);
    fillColumn(this, {m_edit, {m_list, 1}});
    resize(560, 420);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &GoDialog::filter);
    connect(m_edit, &QLineEdit::returnPressed, this, &GoDialog::choose);
    connect(m_list, &QTreeWidget::itemClicked, this, &GoDialog::choose);
    filter();
}

void GoDialog::filter() {
    const QStringList words = m_edit->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    struct Found {
        int rank;
        int entry;
    };
    std::vector<Found> found;
    for (int i = 0; i < m_entries.size(); ++i) {
        const QString all = m_entries[i].kind + QLatin1Char(' ') + m_entries[i].text;
        const bool matches =
            std::ranges::all_of(words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
        if (!matches) continue;
        const bool begins = !words.isEmpty() && m_entries[i].text.startsWith(words.front(), Qt::CaseInsensitive);
        found.push_back({begins ? 0 : 1, i});
    }
    std::ranges::stable_sort(found, {}, &Found::rank);
    m_list->clear();
    for (const Found& one : found) {
        if (m_list->topLevelItemCount() == MostShown) break;
        const GoEntry& entry = m_entries[one.entry];
        auto* item = new QTreeWidgetItem(m_list, {entry.kind, entry.text, entry.detail});
        item->setData(KindColumn, Qt::UserRole, one.entry);
        item->setForeground(KindColumn, palette().placeholderText());
        item->setTextAlignment(DetailColumn, Qt::AlignRight | Qt::AlignVCenter);
    }
    m_list->setCurrentItem(m_list->topLevelItem(0));
}

void GoDialog::choose() {
    const QTreeWidgetItem* item = m_list->currentItem();
    if (item == nullptr) return;
    const std::function<void()> go = m_entries[item->data(KindColumn, Qt::UserRole).toInt()].go;
    accept();
    go();
}

bool GoDialog::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int by = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (by != 0) {
            const int row = m_list->indexOfTopLevelItem(m_list->currentItem()) + by;
            if (auto* item = m_list->topLevelItem(row); item != nullptr) m_list->setCurrentItem(item);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace

void MainWindow::askForFile() {
    auto* dialog = new QFileDialog(
        this, tr("Open a Program, a Model, a Session or an E-graph"), lastFolder(),
        tr("Programs, models, task graphs, sessions and e-graphs (*.ks *.onnx *.onnxtxt *.txt *.tasks *.stg *.pbtxt "
           "*.mitos *.db *.json);;All files (*)"));
    dialog->setObjectName(QStringLiteral("openDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        rememberFolderOf(path);
        openPath(path);
    });
    dialog->open();
}

void MainWindow::askForText() {
    auto* dialog = new ProgramDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setText(m_typedText);
    connect(dialog, &ProgramDialog::submitted, this,
            [this](const QString& text) { openText(tr("typed program"), text); });
    connect(&m_document, &Document::opened, dialog, &ProgramDialog::finish);
    connect(&m_document, &Document::openingFailed, dialog, &ProgramDialog::showError);
    // The typed text is restored next time, also after the dialog was cancelled.
    connect(dialog, &QDialog::finished, this, [this, dialog] { m_typedText = dialog->text(); });
    dialog->open();
}

void MainWindow::askForNetwork() {
    auto* dialog = new NetworkDialog(m_jobs, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog] { openNetwork(dialog->network(), dialog->isRealistic()); });
    dialog->open();
}

void MainWindow::askForSessionPath() {
    const SaveRequest request{.objectName = QStringLiteral("saveDialog"),
                              .title = tr("Save the Session"),
                              .kinds = {{tr("Mitos sessions"), QStringLiteral("mitos")}}};
    askWhereToSave(this, request, [this](const QString& path) {
        m_document.saveSessionAs(path);
        m_open->update();
        addRecent({path, m_document.title(), true});
    });
}

/// Asks where the model of the session is now.
void MainWindow::askForModel() {
    if (!m_document.isModelMissing()) return;
    const QString place = fromUtf8(m_document.model()->source.place);
    auto* dialog = new QFileDialog(this, tr("Find %1").arg(QFileInfo(place).fileName()), lastFolder(),
                                   tr("ONNX models (*.onnx *.onnxtxt);;All files (*)"));
    dialog->setObjectName(QStringLiteral("findModelDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_messages->hide();
        m_document.findModel(path);
    });
    dialog->open();
}

void MainWindow::showDock(const QString& name) {
    auto* const dock = findChild<QDockWidget*>(name);
    if (dock == nullptr) return;
    if (isMatchInCentre() && dock == this->dock("dockMatch")) return showMatchInCentre(false);
    setAttribute(Qt::WA_KeyboardFocusChange);  // so that the focus is visible
    dock->show();
    dock->raise();
    if (offers(QStringLiteral("bottomPanel")) && dockWidgetArea(dock) == Qt::BottomDockWidgetArea) openPanel(true);
    auto* pages = qobject_cast<QStackedWidget*>(dock->widget());
    pages->setCurrentIndex(0);
    // Moves the focus to a list, a tree or a table; otherwise to the first widget that accepts the focus.
    QWidget* target = nullptr;
    for (QWidget* widget : dock->widget()->findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(dock) || !widget->isEnabled() || widget->focusPolicy() == Qt::NoFocus) continue;
        const bool list = qobject_cast<QAbstractItemView*>(widget) != nullptr;
        if (target == nullptr || list) target = widget;
        if (list) break;
    }
    (target != nullptr ? target : pages->currentWidget())->setFocus(Qt::ShortcutFocusReason);
}

HelpWindow* MainWindow::help() {
    auto* window = findChild<HelpWindow*>();
    if (window == nullptr) {
        window = new HelpWindow(this);
        connect(window, &HelpWindow::keysChangeRequested, this, &MainWindow::showPreferences);
    }
    window->setRules(m_document.rules());
    window->setKeys(allKeys(*this, m_actionOrder));
    window->show();
    window->raise();
    window->activateWindow();
    return window;
}

/// The help page of the view with the focus, else of the perspective.
QString MainWindow::helpPage() const {
    for (const QWidget* at = QApplication::focusWidget(); at != nullptr; at = at->parentWidget()) {
        for (const PlacedDock& docked : m_docks) {
            if (docked.view.widget == at && !docked.about.help.isEmpty()) return docked.about.help;
        }
    }
    const bool hasOwn = shown() != nullptr && !shown()->about.help.isEmpty();
    return hasOwn ? shown()->about.help : m_perspectives.front().about.help;
}

void MainWindow::showHelp() { help()->showPage(helpPage()); }

void MainWindow::showKeys() { help()->showPage(QStringLiteral("keys")); }

void MainWindow::showRuleHelp(const QString& rule) { help()->showRule(rule); }

void MainWindow::goToAnything() {
    QList<GoEntry> entries;
    for (QAction* action : m_actionOrder) {
        if (!action->isEnabled() || action->objectName() == QLatin1String("goto")) continue;
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        entries << GoEntry{tr("Action"), text, action->shortcut().toString(QKeySequence::NativeText),
                           [action] { action->trigger(); }};
    }
    if (m_document.isOpen() && hasDock(QStringLiteral("dockRewrites"))) {
        const rewrite::History& history = m_document.history();
        constexpr std::uint32_t MostStates = 5'000;
        for (std::uint32_t i = 0; i < history.size() && i < MostStates; ++i) {
            const rewrite::StateId id(i);
            const rewrite::HistoryState& state = history.state(id);
            QString text = state.marks.name.empty() ? tr("state %1").arg(i) : fromUtf8(state.marks.name);
            if (state.step) text += QStringLiteral("  ") + fromUtf8(state.step->name());
            entries << GoEntry{tr("State"), text, tr("cost %1").arg(costText(state.cost)),
                               [this, id] { m_document.checkout(id); }};
        }
        for (const rules::RuleSet& set : m_document.rules().sets()) {
            for (const auto& rule : set.rules) {
                const QString name = fromUtf8(rule->name);
                entries << GoEntry{tr("Rule"), name, fromUtf8(set.name), [this, name] {
                                       showDock(QStringLiteral("dockRewrites"));
                                       m_rewrites->filterBy(name);
                                   }};
            }
        }
    }
    auto* dialog = new GoDialog(std::move(entries), this);
    openAboutProgram(dialog);
}

/// Closes a dialog about the open program together with the program.
void MainWindow::openAboutProgram(QDialog* dialog) {
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(&m_document, &Document::closed, dialog, &QDialog::reject);
    dialog->open();
}

/// Modeless, so that the program can be walked through meanwhile; it is closed with the program.
void MainWindow::askForPartition() {
    if (auto* const open = findChild<PartitionDialog*>(); open != nullptr && open->isVisible()) {
        open->raise();
        open->activateWindow();
        return;
    }
    auto* dialog = new PartitionDialog(m_document, m_selection, m_regions, m_jobs, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(&m_document, &Document::closed, dialog, &QDialog::close);
    connect(dialog, &PartitionDialog::openRequested, this, &MainWindow::openText);
    connect(dialog, &PartitionDialog::searchRequested, this,
            [this](const QString& strategy, const ParameterValues& parameters) {
                SearchSettings settings = nextSearch();
                settings.strategy = strategy;
                settings.parameters = parameters;
                m_messages->hide();
                m_result->hide();
                m_document.startSearch(settings);
            });
    dialog->show();
}

void MainWindow::showPreferences(const QString& action) {
    auto* dialog = new PreferencesDialog(Preferences::stored(), m_actionOrder, m_jobs, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!action.isEmpty()) dialog->showShortcut(action);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const Preferences chosen = dialog->preferences();
        chosen.store();
        applyPreferences(*qApp, chosen);
        for (MainWindow* window : allWindows()) {
            if (window != this) applyStoredShortcuts(window->m_actionOrder);
            window->followPreferences(chosen, !window->m_document.isOpen());
        }
    });
    dialog->open();
}

/// Settings for programs opened in the future are applied only if `atStart` is set.
void MainWindow::followPreferences(const Preferences& preferences, bool atStart) {
    for (const WindowView* view : allViews()) {
        if (view->follow) view->follow(preferences);
    }
    if (!atStart) return;
    if (!preferences.costModel.isEmpty()) m_document.setCostModel(preferences.costModel);
    if (!preferences.rules.isEmpty()) m_document.setRules(preferences.rules);
    if (preferences.seconds > 0) m_budget->setValue(preferences.seconds);
}

void MainWindow::showAbout() {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Mitos"),
        tr("<h3>Mitos %1</h3><p>A desktop explorer for program optimization: rewrites, searches, and the "
           "thread that leads from the program to its best form.</p>"
           "<p>Free software under the GNU General Public License, version 3 or later.</p>")
            .arg(QApplication::applicationVersion()),
        QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(Theme(palette()).icon(QStringLiteral("mitos")).pixmap(QSize(64, 64)));
    box->open();
}

}  // namespace mitos::views
