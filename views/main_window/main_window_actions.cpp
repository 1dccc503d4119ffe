// SPDX-License-Identifier: GPL-3.0-or-later
// Menus, tool bar and shortcuts of the main window.
#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/document/verdicts.h"
#include "views/egraph/egraph_view.h"
#include "views/gradient/gradient_view.h"
#include "views/main_window/appearance.h"
#include "views/main_window/internal/bar_widgets.h"
#include "views/main_window/internal/bottom_panel.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/open_programs.h"
#include "views/main_window/internal/rule_chooser.h"
#include "views/main_window/main_window.h"
#include "views/program/program_view.h"
#include "views/rule_editor/rule_editor_view.h"
#include "views/saturation/saturation_view.h"
#include "views/search_dialog/cost_dialog.h"
#include "views/theme/style.h"
#include "views/theme/theme.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QMenuBar>
#include <QStackedWidget>
#include <QToolBar>
#include <QToolButton>
#include <utility>

namespace mitos::views {

namespace {

constexpr double UsualSeconds = 10.0;
constexpr int RailWidth = 66;

QKeySequence keys(QKeyCombination combination) { return QKeySequence(combination); }

/// The platform's keys, or the given ones if it has none.
QList<QKeySequence> standard(QKeySequence::StandardKey key, const QKeySequence& otherwise = {}) {
    const QList<QKeySequence> bindings = QKeySequence::keyBindings(key);
    return bindings.isEmpty() && !otherwise.isEmpty() ? QList<QKeySequence>{otherwise} : bindings;
}

}  // namespace

QAction* MainWindow::action(const QString& name, const QString& text, const QString& icon,
                            const QList<QKeySequence>& shortcuts, const QString& toolTip) {
    auto* made = new QAction(text, this);
    made->setObjectName(name);
    made->setShortcuts(shortcuts);
    if (!toolTip.isEmpty()) {
        const QString key = made->shortcut().toString(QKeySequence::NativeText);
        made->setToolTip(key.isEmpty() ? toolTip : tr("%1 (%2)").arg(toolTip, key));
    }
    if (!icon.isEmpty()) m_actionIcons.insert(name, icon);
    m_actions.insert(name, made);
    m_actionOrder << made;
    return made;
}

void MainWindow::define(const char* name, const QString& text, const char* icon, const QList<QKeySequence>& shortcuts,
                        std::function<void()> work, const QString& toolTip) {
    QAction* made = action(QLatin1String(name), text, QLatin1String(icon), shortcuts, toolTip);
    connect(made, &QAction::triggered, this, std::move(work));
}

void MainWindow::buildActions() {
    buildFileActions();
    buildSessionActions();
    buildViewActions();
    buildGoActions();
    buildSearchActions();
    buildRuntimeActions();
    applyStoredShortcuts(m_actionOrder);
}

/// Actions of the menus File and Edit.
void MainWindow::buildFileActions() {
    using K = QKeySequence;
    define("new", tr("&Type a Program…"), "text", standard(K::New), [this] { askForText(); });
    define(
        "network", tr("New from a Net&work…"), "graph", {keys(Qt::CTRL | Qt::SHIFT | Qt::Key_N)},
        [this] { askForNetwork(); }, tr("Make one of the networks on which searches are compared"));
    define(
        "open", tr("&Open…"), "open", standard(K::Open), [this] { askForFile(); },
        tr("Open a program, a model, a session or an e-graph"));
    define("saveAs", tr("&Save Session As…"), "save", {keys(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
           [this] { askForSessionPath(); });
    define(
        "saveRules", tr("Save &Rules"), "save", standard(K::Save), [this] { m_ruleEditor->save(); },
        tr("Save the rule set in the editor"));
    define(
        "findModel", tr("Find the &Model…"), "", {}, [this] { askForModel(); },
        tr("Locate the model of this session, to continue with its weights"));
    define("export", tr("&Export…"), "export", {keys(Qt::CTRL | Qt::Key_E)}, [this] { exportCode(); });
    define("picture", tr("Save the Graph as a P&icture…"), "", {}, [this] {
        if (isSaturating())
            m_egraphView->exportPicture();
        else
            m_program->exportPicture();
    });
    define("start", tr("Start &Page"), "", {}, [this] { showStartPage(); });
    define("quit", tr("&Quit"), "", standard(K::Quit, keys(Qt::CTRL | Qt::Key_Q)),
           [] { QApplication::closeAllWindows(); });
    define(
        "undo", tr("&Undo"), "undo", standard(K::Undo), [this] { m_document.undo(); }, tr("Back to the parent state"));
    define(
        "redo", tr("&Redo"), "redo", standard(K::Redo), [this] { m_document.redo(); },
        tr("On to the child visited last"));
    define("copy", tr("&Copy Subterm"), "copy", standard(K::Copy),
           [this] { QApplication::clipboard()->setText(m_program->subtermText()); });
    define("find", tr("&Find…"), "find", standard(K::Find), [this] {
        if (isWritingRules())
            m_ruleEditor->openFind();
        else
            m_program->openFind();
    });
    define("findNext", tr("Find &Next"), "", {keys(Qt::Key_F3)}, [this] { findNext(1); });
    define("findPrevious", tr("Find &Previous"), "", {keys(Qt::SHIFT | Qt::Key_F3)}, [this] { findNext(-1); });
    define("preferences", tr("&Preferences…"), "settings", standard(K::Preferences, keys(Qt::CTRL | Qt::Key_Comma)),
           [this] { showPreferences(); });
}

void MainWindow::buildViewActions() {
    define(
        "perspectiveStep", tr("&Step"), "perspective-step", {keys(Qt::CTRL | Qt::Key_1)}, [this] { showProgram(); },
        tr("The program, its rewrites and its history"));
    define(
        "perspectiveSaturate", tr("Sa&turate"), "perspective-saturate", {keys(Qt::CTRL | Qt::Key_2)},
        [this] { showEGraph(); }, tr("The e-graph"));
    define(
        "perspectiveCompare", tr("Com&pare"), "perspective-compare", {keys(Qt::CTRL | Qt::Key_3)},
        [this] { showComparison(); }, tr("The searches of the program side by side"));
    define(
        "perspectiveRules", tr("R&ules"), "perspective-rules", {keys(Qt::CTRL | Qt::Key_4)}, [this] { showRules(); },
        tr("Write rules, test them, and see where they match"));
    define(
        "perspectiveMeasure", tr("&Measure"), "perspective-measure", {keys(Qt::CTRL | Qt::Key_5)},
        [this] { showMeasuring(); }, tr("The times of operations as they were measured"));
    define(
        "perspectiveGradient", tr("Gra&dient"), "perspective-gradient", {keys(Qt::CTRL | Qt::Key_6)},
        [this] { showGradient(); }, tr("A function of the program beside its derivative"));
    define("asMath", tr("Program as &Math"), "math", {}, [this] { m_program->showAs(ProgramView::MathTab); });
    define("asText", tr("Program as &Text"), "text", {}, [this] { m_program->showAs(ProgramView::TextTab); });
    define("asTree", tr("Program as T&ree"), "tree", {}, [this] { m_program->showAs(ProgramView::TreeTab); });
    define("asGraph", tr("Program as &Graph"), "graph", {}, [this] { m_program->showAs(ProgramView::GraphTab); });
    define("compareParent", tr("&Compare with the Parent State"), "", {keys(Qt::CTRL | Qt::Key_D)}, [this] {
        const rewrite::History& history = m_document.history();
        m_selection.setCompared(history.state(history.current()).parent);
    });
    define("compareStart", tr("Compare with the &Start"), "", {keys(Qt::CTRL | Qt::SHIFT | Qt::Key_D)},
           [this] { m_selection.setCompared(m_document.history().start()); });
    define("compareNone", tr("Stop C&omparing"), "", {}, [this] { m_selection.setCompared(std::nullopt); });
    define(
        "matchInCentre", tr("Matc&h in the Centre"), "", {keys(Qt::CTRL | Qt::Key_M)},
        [this] { showMatchInCentre(!isMatchInCentre()); }, tr("Show why rules match or not instead of the program"));
    act(QStringLiteral("matchInCentre"))->setCheckable(true);
    const auto zoom = [this](int steps) { isDifferentiating() ? m_gradientView->zoom(steps) : m_program->zoom(steps); };
    define("larger", tr("&Larger"), "", {keys(Qt::CTRL | Qt::Key_Plus), keys(Qt::Key_Plus)}, [zoom] { zoom(1); });
    define("smaller", tr("&Smaller"), "", {keys(Qt::CTRL | Qt::Key_Minus), keys(Qt::Key_Minus)}, [zoom] { zoom(-1); });
    define("usualSize", tr("&Usual Size"), "", {keys(Qt::CTRL | Qt::Key_0), keys(Qt::Key_Equal)}, [zoom] { zoom(0); });
    define(
        "layouts", tr("&Layouts…"), "", {}, [this] { askForLayout(); },
        tr("Name the arrangement of the views, and choose another one"));
    define(
        "largerText", tr("&Larger"), "",
        {keys(Qt::CTRL | Qt::ALT | Qt::Key_Plus), keys(Qt::CTRL | Qt::ALT | Qt::Key_Equal)},
        [] { scaleTexts(*qApp, 1); }, tr("All texts, up to twice their usual size"));
    define(
        "smallerText", tr("&Smaller"), "", {keys(Qt::CTRL | Qt::ALT | Qt::Key_Minus)}, [] { scaleTexts(*qApp, -1); },
        tr("All texts, down to 80 % of their usual size"));
    define("usualText", tr("&Usual Size"), "", {keys(Qt::CTRL | Qt::ALT | Qt::Key_0)}, [] { scaleTexts(*qApp, 0); });
    define(
        "bottomPanel", tr("Lower &Panel"), "panel", {keys(Qt::CTRL | Qt::Key_J)},
        [this] { openPanel(!m_panel->isOpen()); }, tr("Open or collapse the panel below the program"));
    act(QStringLiteral("bottomPanel"))->setCheckable(true);
    m_panel->setToggle(act(QStringLiteral("bottomPanel")));
    define("resetLayout", tr("&Reset Layout"), "", {keys(Qt::CTRL | Qt::SHIFT | Qt::Key_0)}, [this] { resetLayout(); });
    define("fullScreen", tr("&Full Screen"), "", {keys(Qt::Key_F11)},
           [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
}

void MainWindow::buildGoActions() {
    define("back", tr("&Back"), "back", {keys(Qt::ALT | Qt::Key_Left)}, [this] { m_selection.back(); });
    define("forward", tr("&Forward"), "forward", {keys(Qt::ALT | Qt::Key_Right)}, [this] { m_selection.forward(); });
    define("widen", tr("&Widen Selection"), "widen", {keys(Qt::ALT | Qt::Key_Up)},
           [this] { isDifferentiating() ? m_gradientView->widen() : m_program->widen(); });
    define("narrow", tr("&Narrow Selection"), "narrow", {keys(Qt::ALT | Qt::Key_Down)},
           [this] { isDifferentiating() ? m_gradientView->narrow() : m_program->narrow(); });
    define("previousSibling", tr("&Previous Sibling"), "", {keys(Qt::ALT | Qt::SHIFT | Qt::Key_Left)},
           [this] { m_program->selectSibling(-1); });
    define("nextSibling", tr("Ne&xt Sibling"), "", {keys(Qt::ALT | Qt::SHIFT | Qt::Key_Right)},
           [this] { m_program->selectSibling(1); });
    define("deselect", tr("&Select Nothing"), "", {keys(Qt::Key_Escape)}, [this] {
        if (isMatchInCentre()) return showMatchInCentre(false);
        if (m_program->closeFind()) return;
        if (m_selection.rewrite())
            m_selection.setRewrite(std::nullopt);
        else
            m_selection.setSubterm(std::nullopt);
    });
    define("toStart", tr("S&tart State"), "", {}, [this] { m_document.checkout(m_document.history().start()); });
    define(
        "best", tr("B&est State"), "best", {keys(Qt::Key_B)}, [this] { m_document.goToBest(); },
        tr("To the state of least cost"));
    define("goto", tr("Go to &Anything…"), "find", {keys(Qt::CTRL | Qt::Key_K)}, [this] { goToAnything(); });
    define("focusProgram", tr("To the Progra&m"), "", {keys(Qt::ALT | Qt::Key_0)},
           [this] { m_program->focusProgram(); });
    constexpr int MostDockKeys = 9;
    for (int i = 0; i < m_docks.size() && i < MostDockKeys; ++i) {
        const auto key = static_cast<Qt::Key>(Qt::Key_1 + i);
        QAction* made = action(QStringLiteral("toDock%1").arg(i + 1), tr("To %1").arg(m_docks[i]->windowTitle()), {},
                               {keys(Qt::ALT | key)});
        connect(made, &QAction::triggered, this, [this, dock = m_docks[i]] { showDock(dock); });
    }
}

/// Actions of the menus Rewrite, Search and Help.
void MainWindow::buildSearchActions() {
    define("apply", tr("&Apply Selected Rewrite"), "apply", {}, [this] {
        if (const auto step = m_selection.rewrite()) m_document.apply(*step);
    });
    define(
        "applyEverywhere", tr("Apply &Everywhere"), "",
        {keys(Qt::CTRL | Qt::Key_Return), keys(Qt::CTRL | Qt::Key_Enter)},
        [this] {
            if (const auto step = m_selection.rewrite()) m_document.applyEverywhere(*step);
        },
        tr("The selected rewrite's rule, wherever it applies; a state a step"));
    define(
        "run", tr("&Run"), "run", {keys(Qt::Key_F5)}, [this] { runSearch(); },
        tr("Search from the current state with this strategy and budget"));
    define(
        "stop", tr("&Stop"), "stop", {keys(Qt::SHIFT | Qt::Key_F5)}, [this] { stopSearch(); },
        tr("Stop the search and keep its results"));
    define(
        "searchSettings", tr("Search Se&ttings…"), "settings", {keys(Qt::CTRL | Qt::Key_F5)},
        [this] { searchSettings(); }, tr("All parameters of the strategies, the budget and the seed"));
    define(
        "saturate", tr("Sat&urate…"), "", {keys(Qt::SHIFT | Qt::CTRL | Qt::Key_F5)}, [this] { askForSaturation(); },
        tr("Grow an e-graph of all programs equal to the current one"));
    define(
        "prove", tr("Prove E&qual…"), "", {}, [this] { askForProof(); },
        tr("Ask whether another program is equal to the current one, and keep the steps that prove it"));
    define(
        "compareSearches", tr("&Compare Searches…"), "", {keys(Qt::ALT | Qt::Key_F5)}, [this] { askForComparison(); },
        tr("Run several strategies, with several seeds, and compare what they find"));
    define("iterationBack", tr("&Previous Iteration"), "", {keys(Qt::Key_BracketLeft)},
           [this] { m_saturation->step(-1); });
    define("iterationOn", tr("Ne&xt Iteration"), "", {keys(Qt::Key_BracketRight)}, [this] { m_saturation->step(1); });
    define(
        "help", tr("&Help Pages"), "info", {keys(Qt::Key_F1)}, [this] { showHelp(); },
        tr("The help page about the view with the focus"));
    define(
        "tour", tr("Guided &Tour"), "", {}, [this] { startTour(); }, tr("Six call-outs that show where things are"));
    define("ruleHelp", tr("&Rules in Force"), "rules", {}, [this] { showRuleHelp({}); });
    define(
        "keys", tr("&Keys"), "", {keys(Qt::Key_Question)}, [this] { showKeys(); },
        tr("All keys, by menu and by view, with a search"));
    define("about", tr("&About Mitos"), "info", {}, [this] { showAbout(); });
}

void MainWindow::buildMenus() {
    const auto fill = [this](QMenu* menu, std::initializer_list<const char*> names) {
        for (const char* name : names) {
            if (*name == '\0')
                menu->addSeparator();
            else
                menu->addAction(act(QLatin1String(name)));
        }
    };
    QMenu* file = menuBar()->addMenu(tr("&File"));
    fill(file, {"new", "network", "open"});
    m_recentMenu = file->addMenu(tr("Open &Recent"));
    connect(file, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    fill(file->addMenu(tr("Open ONNX R&untime's Graph")),
         {"openRuntime-basic", "openRuntime-extended", "openRuntime-all"});
    fill(file, {"sessions", "", "saveAs", "saveRules", "labels", "findModel", "export", "picture", "", "start", "",
                "closeProgram", "close", "quit"});
    fill(menuBar()->addMenu(tr("&Edit")),
         {"undo", "redo", "", "copy", "", "find", "findNext", "findPrevious", "", "preferences"});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    fill(view,
         {"perspectiveStep", "perspectiveSaturate", "perspectiveCompare", "perspectiveRules", "perspectiveMeasure",
          "perspectiveGradient", "", "asMath", "asText", "asTree", "asGraph", "", "compareParent", "compareStart"});
    fill(view->addMenu(tr("Compare with ONNX Ru&ntime's Graph")),
         {"compareRuntime-basic", "compareRuntime-extended", "compareRuntime-all"});
    fill(view, {"compareNone", "matchInCentre", "", "larger", "smaller", "usualSize", ""});
    for (QDockWidget* dock : m_docks) view->addAction(dock->toggleViewAction());
    fill(view, {"bottomPanel"});
    QMenu* layouts = view->addMenu(tr("La&youts"));
    connect(layouts, &QMenu::aboutToShow, this, [this, layouts] { fillLayoutMenu(layouts); });
    fill(view, {"", "resetLayout", "fullScreen", ""});
    fill(view->addMenu(tr("All Te&xts")), {"largerText", "smallerText", "usualText"});
    addAppearanceMenu(view->addMenu(tr("&Appearance")));
    fill(menuBar()->addMenu(tr("&Go")), {"back", "forward", "", "widen", "narrow", "previousSibling", "nextSibling",
                                         "deselect", "", "toStart", "best", "", "goto", "focusProgram"});
    QMenu* views = menuBar()->actions().last()->menu()->addMenu(tr("To a &View"));
    for (QAction* made : m_actionOrder) {
        if (made->objectName().startsWith(QLatin1String("toDock"))) views->addAction(made);
    }
    QMenu* rewrite = menuBar()->addMenu(tr("&Rewrite"));
    fill(rewrite, {"apply", "applyEverywhere", ""});
    m_rules = new RuleChooser(m_document, this);
    connect(m_rules, &RuleChooser::doubtsRequested, this, [this] {
        m_messages->showError(
            tr("Searches omit rules that failed their test, unless you insist."),
            failedRulesDetails(m_document.failedRules()) + failedRulesDetails(m_document.untestedRules()));
    });
    rewrite->addMenu(m_rules->choices());
    addCostModelMenu(rewrite->addMenu(tr("&Cost Model")));
    fill(menuBar()->addMenu(tr("&Search")), {"run", "stop", "", "searchSettings", "compareSearches", "timeResult", "",
                                             "saturate", "prove", "iterationBack", "iterationOn"});
    QMenu* windows = menuBar()->addMenu(tr("&Window"));
    fillWindowMenu(windows);
    connect(windows, &QMenu::aboutToShow, this, [this, windows] { fillWindowMenu(windows); });
    fill(menuBar()->addMenu(tr("&Help")), {"help", "ruleHelp", "keys", "tour", "", "about"});
}

void MainWindow::buildToolBar() {
    QToolBar* bar = addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(20, 20));
    // An action in the bar itself could not be left out there without being left out in the menus.
    QMap<QString, QAction*> places;
    const auto put = [&](const char* name, bool withText) {
        auto* button = new QToolButton;
        button->setObjectName(QLatin1String(name) + QStringLiteral("Button"));
        button->setDefaultAction(act(QLatin1String(name)));
        button->setAutoRaise(true);
        button->setIconSize(bar->iconSize());
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolButtonStyle(withText ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        places.insert(QLatin1String(name), bar->addWidget(button));
        return button;
    };
    const auto space = [&] {
        auto* filler = new QWidget;
        filler->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        bar->addWidget(filler);
    };
    m_title = new QToolButton;
    setUpWidget(m_title, "programTitle", tr("The open programs"), tr("Program"));
    m_title->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_title->setPopupMode(QToolButton::InstantPopup);
    auto* programs = new QMenu(m_title);
    connect(programs, &QMenu::aboutToShow, this, [this, programs] { fillProgramMenu(programs); });
    m_title->setMenu(programs);
    bar->addWidget(m_title);
    put("undo", false);
    put("redo", false);
    put("best", false);
    space();
    bar->addWidget(m_rules);
    auto* cost = new LabelledBox(tr("Cost"));
    m_costModel = cost;
    m_costModel->setObjectName(QStringLiteral("costModel"));
    fillCostModels();
    connect(m_costModel, &QComboBox::activated, this,
            [this](int row) { m_document.setCostModel(m_costModel->itemData(row).toString()); });
    bar->addWidget(m_costModel);
    auto* strategy = new LabelledBox(tr("Strategy"));
    m_strategy = strategy;
    m_strategy->setObjectName(QStringLiteral("strategy"));
    for (const auto& strategy : search::allStrategies()) {
        const search::StrategyInfo& info = strategy->info();
        m_strategy->addItem(fromUtf8(info.label), fromUtf8(info.name));
        m_strategy->setItemData(m_strategy->count() - 1, fromUtf8(info.title + "\n" + info.description),
                                Qt::ToolTipRole);
    }
    bar->addWidget(m_strategy);
    m_budget = new QDoubleSpinBox;
    m_budget->setObjectName(QStringLiteral("budget"));
    m_budget->setAccessibleName(tr("Budget"));
    m_budget->setRange(0.0, Preferences::LongestSeconds);
    m_budget->setSpecialValueText(tr("no limit"));
    m_budget->setDecimals(1);
    m_budget->setSuffix(tr(" s"));
    m_budget->setValue(UsualSeconds);
    bar->addWidget(m_budget);
    setMainButton(put("run", true));
    QToolButton* const stop = put("stop", true);
    put("searchSettings", false);
    space();
    auto* anything = new FieldButton(act(QStringLiteral("goto")), tr("Go to anything"));
    anything->setObjectName(QStringLiteral("goToAnything"));
    bar->addWidget(anything);
    // First words, then what the menus have too; Run stays.
    std::vector<BarPart> parts{
        {[anything] { return anything->cutWidth(); }, [anything](bool shown) { anything->setNarrow(!shown); }},
        {[this] { return m_rules->labelWidth(); }, [this](bool shown) { m_rules->setLabelled(shown); }},
    };
    for (LabelledBox* box : {cost, strategy}) {
        parts.push_back({[box] { return box->labelWidth(); }, [box](bool shown) { box->setLabelled(shown); }});
    }
    parts.push_back({[stop] { return stop->fontMetrics().horizontalAdvance(QStringLiteral("  ") + stop->text()) + 4; },
                     [stop](bool shown) {
                         stop->setToolButtonStyle(shown ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
                     }});
    for (const char* name : {"best", "redo", "undo"}) {
        QAction* const place = places.value(QLatin1String(name));
        parts.push_back({[bar, place] { return bar->widgetForAction(place)->sizeHint().width(); },
                         [place](bool shown) { place->setVisible(shown); }});
    }
    for (LabelledBox* box : {cost, strategy}) {
        parts.push_back({[box] { return box->cutWidth(); }, [box](bool shown) { box->setNarrow(!shown); }});
    }
    QAction* const settings = places.value(QStringLiteral("searchSettings"));
    parts.push_back({[bar, settings] { return bar->widgetForAction(settings)->sizeHint().width(); },
                     [settings](bool shown) { settings->setVisible(shown); }});
    new BarFit(*bar, std::move(parts));
}

/// The rail of perspectives at the left edge.
void MainWindow::buildRail() {
    auto* rail = new QToolBar(tr("Perspectives"));
    rail->setObjectName(QStringLiteral("rail"));
    rail->setMovable(false);
    rail->setIconSize(QSize(20, 20));
    rail->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    addToolBar(Qt::LeftToolBarArea, rail);
    for (const char* name : {"perspectiveStep", "perspectiveSaturate", "perspectiveCompare", "perspectiveRules",
                             "perspectiveMeasure", "perspectiveGradient"}) {
        QAction* const perspective = act(QLatin1String(name));
        perspective->setCheckable(true);
        rail->addAction(perspective);
        QWidget* const button = rail->widgetForAction(perspective);
        button->setObjectName(QLatin1String(name) + QStringLiteral("Rail"));
        button->setFocusPolicy(Qt::TabFocus);
        button->setMinimumWidth(RailWidth);
    }
}

void MainWindow::addAppearanceMenu(QMenu* menu) {
    auto* group = new QActionGroup(this);
    const auto choice = [&](const QString& text, Appearance appearance) {
        QAction* made = menu->addAction(text);
        made->setCheckable(true);
        connect(menu, &QMenu::aboutToShow, made,
                [made, appearance] { made->setChecked(Preferences::stored().appearance == appearance); });
        group->addAction(made);
        connect(made, &QAction::triggered, this, [appearance] {
            Preferences preferences = Preferences::stored();
            preferences.appearance = appearance;
            preferences.store();
            applyPreferences(*qApp, preferences);
        });
    };
    choice(tr("As the &System"), Appearance::System);
    choice(tr("&Light"), Appearance::Light);
    choice(tr("&Dark"), Appearance::Dark);
}

void MainWindow::fillCostModels() {
    const QString inForce = fromUtf8(m_document.costModel().info().name);
    m_costModel->clear();
    for (const CostModelChoice& choice : costModelChoices(&m_document.dialect(), inForce)) {
        m_costModel->addItem(choice.name, choice.name);
        m_costModel->setItemData(m_costModel->count() - 1, choice.title, Qt::ToolTipRole);
    }
    m_costModel->setCurrentIndex(m_costModel->findData(inForce));
}

void MainWindow::addCostModelMenu(QMenu* menu) {
    auto* group = new QActionGroup(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, group] {
        qDeleteAll(group->actions());
        const QString inForce = fromUtf8(m_document.costModel().info().name);
        for (const CostModelChoice& choice : costModelChoices(&m_document.dialect(), inForce)) {
            QAction* made = group->addAction(tr("%1: %2").arg(choice.name, choice.title));
            made->setCheckable(true);
            made->setChecked(choice.name == inForce);
            connect(made, &QAction::triggered, this, [this, name = choice.name] { m_document.setCostModel(name); });
        }
        group->addAction(tr("&Parameters…"))->setObjectName(QStringLiteral("costParameters"));
        connect(group->actions().back(), &QAction::triggered, this, &MainWindow::chooseCostModel);
        menu->addActions(group->actions());
    });
}

void MainWindow::chooseCostModel() {
    auto* dialog = new CostDialog(m_document.dialect(), m_document.costModel().info(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { m_document.setCostModel(dialog->name()); });
    dialog->open();
}

void MainWindow::updateActions() {
    const bool open = m_document.isOpen();
    const bool shown = open && isStepping();
    for (const char* name : {"find", "findNext", "findPrevious"})
        act(QLatin1String(name))->setEnabled(shown || isWritingRules());
    act(QStringLiteral("saveRules"))->setEnabled(isWritingRules() && m_ruleEditor->canSave());
    for (const char* name : {"copy", "asMath", "asText", "asTree", "asGraph", "back", "forward"})
        act(QLatin1String(name))->setEnabled(shown);
    for (const char* name : {"larger", "smaller", "usualSize", "widen", "narrow"})
        act(QLatin1String(name))->setEnabled(shown || (open && isDifferentiating()));
    const bool compared = open && isComparing();
    for (const char* name : {"saveAs", "export", "run", "searchSettings"})
        act(QLatin1String(name))->setEnabled(shown || compared);
    const bool around = shown || isSaturating();
    for (const char* name : {"picture", "resetLayout"}) act(QLatin1String(name))->setEnabled(around);
    for (QDockWidget* dock : m_docks) dock->toggleViewAction()->setEnabled(around);
    followPanel();
    act(QStringLiteral("bottomPanel"))->setEnabled(shown);
    act(QStringLiteral("bottomPanel"))->setChecked(m_panel->isOpen());
    const rewrite::History* history = open ? &m_document.history() : nullptr;
    const auto allow = [this, shown](const char* name, bool possible) {
        act(QLatin1String(name))->setEnabled(shown && possible);
    };
    const rewrite::StateId current = open ? history->current() : rewrite::StateId();
    allow("findModel", m_document.isModelMissing());
    allow("undo", open && history->state(current).parent.isValid());
    allow("compareParent", open && history->state(current).parent.isValid());
    allow("compareStart", open && history->start() != current);
    allow("compareNone", m_selection.isComparing());
    allow("redo", open && !history->state(current).children.empty());
    allow("best", open && history->best() != current);
    updateRuntimeActions();
    allow("toStart", open && history->start() != current);
    allow("applyEverywhere", m_selection.rewrite().has_value());
    allow("focusProgram", open);
    for (QAction* made : m_actionOrder) {
        if (made->objectName().startsWith(QLatin1String("toDock"))) made->setEnabled(around);
    }
    allow("apply", m_selection.rewrite().has_value());
    allow("matchInCentre", open);
    act(QStringLiteral("matchInCentre"))->setChecked(isMatchInCentre());
    allow("deselect", isMatchInCentre() || m_selection.subterm().has_value() || m_selection.rewrite().has_value());
    const bool inside = m_selection.subterm() && !m_selection.subterm()->empty();
    allow("previousSibling", inside);
    allow("nextSibling", inside);
    act(QStringLiteral("start"))->setEnabled(m_pages->currentIndex() != 0);
    act(QStringLiteral("perspectiveStep"))->setEnabled(open);
    act(QStringLiteral("perspectiveStep"))->setChecked(shown);
    act(QStringLiteral("perspectiveSaturate"))->setEnabled(m_egraph.isOpen() || open);
    act(QStringLiteral("perspectiveSaturate"))->setChecked(isSaturating());
    showTitle();
    keepPerspective();
    const bool hasOther = m_open->programs().size() > (open ? 1 : 0);
    for (const char* name : {"nextProgram", "previousProgram"}) act(QLatin1String(name))->setEnabled(hasOther);
    act(QStringLiteral("labels"))->setEnabled(open);
    act(QStringLiteral("layouts"))->setEnabled(around);
    act(QStringLiteral("perspectiveCompare"))->setEnabled(open);
    act(QStringLiteral("perspectiveCompare"))->setChecked(compared);
    act(QStringLiteral("perspectiveRules"))->setChecked(isWritingRules());
    act(QStringLiteral("perspectiveMeasure"))->setChecked(isMeasuring());
    act(QStringLiteral("perspectiveGradient"))->setChecked(isDifferentiating());
    act(QStringLiteral("compareSearches"))->setEnabled(open && (around || compared));
    for (const char* name : {"saturate", "prove"})
        act(QLatin1String(name))->setEnabled(open && (shown || isSaturating()));
    act(QStringLiteral("stop"))
        ->setEnabled((around || compared) && ((open && m_document.runningSearches() > 0) || m_egraph.isSaturating()));
    act(QStringLiteral("iterationBack"))->setEnabled(isSaturating() && m_egraph.shownStep() > 0);
    act(QStringLiteral("iterationOn"))->setEnabled(isSaturating() && m_egraph.shownStep() + 1 < m_egraph.stepCount());
    for (QWidget* widget : {static_cast<QWidget*>(m_strategy), static_cast<QWidget*>(m_budget)})
        widget->setEnabled(shown || compared);
}

void MainWindow::updateIcons() {
    const Theme theme(palette());
    for (auto icon = m_actionIcons.cbegin(); icon != m_actionIcons.cend(); ++icon) {
        m_actions.value(icon.key())->setIcon(theme.icon(icon.value()));
    }
    setWindowIcon(theme.icon(QStringLiteral("mitos")));
    m_title->setIcon(theme.icon(QStringLiteral("mitos")));
}

}  // namespace mitos::views
