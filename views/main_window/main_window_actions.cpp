// SPDX-License-Identifier: GPL-3.0-or-later
// Menus, tool bar and shortcuts of the main window.
#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/document/verdicts.h"
#include "views/main_window/appearance.h"
#include "views/main_window/internal/bar_widgets.h"
#include "views/main_window/internal/bottom_panel.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/open_programs.h"
#include "views/main_window/internal/rule_chooser.h"
#include "views/main_window/main_window.h"
#include "views/program/program_view.h"
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
constexpr std::size_t MostNumberKeys = 9;

QKeySequence keys(QKeyCombination combination) { return QKeySequence(combination); }

/// The key of the entry at that place of a list, with a modifier; those after the ninth have none.
QList<QKeySequence> numberKey(Qt::Modifier modifier, std::size_t place) {
    if (place >= MostNumberKeys) return {};
    return {keys(modifier | static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(place)))};
}

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

void MainWindow::defineHere(const char* name, const QString& text, const char* icon,
                            const QList<QKeySequence>& shortcuts, const QString& toolTip) {
    define(
        name, text, icon, shortcuts,
        [this, name = QString::fromLatin1(name)] {
            if (const ViewAction* const here = actionHere(name); here != nullptr) here->run();
        },
        toolTip);
    m_actionsHere << m_actionOrder.back();
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
    defineHere("saveRules", tr("Save &Rules"), "save", standard(K::Save), tr("Save the rule set in the editor"));
    define(
        "findModel", tr("Find the &Model…"), "", {}, [this] { askForModel(); },
        tr("Locate the model of this session, to continue with its weights"));
    define("export", tr("&Export…"), "export", {keys(Qt::CTRL | Qt::Key_E)}, [this] { exportCode(); });
    defineHere("picture", tr("Save the Graph as a P&icture…"), "", {});
    define("start", tr("Start &Page"), "", {}, [this] { showStartPage(); });
    define("quit", tr("&Quit"), "", standard(K::Quit, keys(Qt::CTRL | Qt::Key_Q)),
           [] { QApplication::closeAllWindows(); });
    define(
        "undo", tr("&Undo"), "undo", standard(K::Undo), [this] { m_document.undo(); }, tr("Back to the parent state"));
    define(
        "redo", tr("&Redo"), "redo", standard(K::Redo), [this] { m_document.redo(); },
        tr("On to the child visited last"));
    defineHere("copy", tr("&Copy Subterm"), "copy", standard(K::Copy));
    defineHere("find", tr("&Find…"), "find", standard(K::Find));
    defineHere("findNext", tr("Find &Next"), "", {keys(Qt::Key_F3)});
    defineHere("findPrevious", tr("Find &Previous"), "", {keys(Qt::SHIFT | Qt::Key_F3)});
    define("preferences", tr("&Preferences…"), "settings", standard(K::Preferences, keys(Qt::CTRL | Qt::Key_Comma)),
           [this] { showPreferences(); });
}

void MainWindow::buildViewActions() {
    for (std::size_t i = 0; i < m_perspectives.size(); ++i) {
        const Perspective& about = m_perspectives[i].about;
        const QString icon = about.icon.isEmpty() ? QStringLiteral("perspective") : about.icon;
        QAction* const made = action(actionName(about), about.text, icon, numberKey(Qt::CTRL, i), about.toolTip);
        made->setCheckable(true);
        connect(made, &QAction::triggered, this, [this, name = about.name] {
            showPerspective(name);
            updatePerspectives();  // the action of the one shown stays checked
        });
    }
    defineHere("asMath", tr("Program as &Math"), "math", {});
    defineHere("asText", tr("Program as &Text"), "text", {});
    defineHere("asTree", tr("Program as T&ree"), "tree", {});
    defineHere("asGraph", tr("Program as &Graph"), "graph", {});
    defineHere("asLoops", tr("Program as Loo&ps"), "loops", {});
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
    defineHere("larger", tr("&Larger"), "", {keys(Qt::CTRL | Qt::Key_Plus), keys(Qt::Key_Plus)});
    defineHere("smaller", tr("&Smaller"), "", {keys(Qt::CTRL | Qt::Key_Minus), keys(Qt::Key_Minus)});
    defineHere("usualSize", tr("&Usual Size"), "", {keys(Qt::CTRL | Qt::Key_0), keys(Qt::Key_Equal)});
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
    defineHere("widen", tr("&Widen Selection"), "widen", {keys(Qt::ALT | Qt::Key_Up)});
    defineHere("narrow", tr("&Narrow Selection"), "narrow", {keys(Qt::ALT | Qt::Key_Down)});
    defineHere("previousSibling", tr("&Previous Sibling"), "", {keys(Qt::ALT | Qt::SHIFT | Qt::Key_Left)});
    defineHere("nextSibling", tr("Ne&xt Sibling"), "", {keys(Qt::ALT | Qt::SHIFT | Qt::Key_Right)});
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
    defineHere("focusProgram", tr("To the Progra&m"), "", {keys(Qt::ALT | Qt::Key_0)});
    for (std::size_t i = 0; i < m_docks.size() && i < MostNumberKeys; ++i) {
        const DockedView& about = m_docks[i].about;
        QAction* made =
            action(QStringLiteral("toDock%1").arg(i + 1), tr("To %1").arg(about.title), {}, numberKey(Qt::ALT, i));
        connect(made, &QAction::triggered, this, [this, name = about.name] { showDock(name); });
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
        "saturate", tr("Sat&urate…"), "run", {keys(Qt::SHIFT | Qt::CTRL | Qt::Key_F5)}, [this] { askForSaturation(); },
        tr("Grow an e-graph of all programs equal to the current one"));
    define(
        "schedule", tr("Sc&hedule…"), "run", {}, [this] { askForSchedule(); },
        tr("Place the operations of the program on devices, and order them"));
    define(
        "train", tr("&Train…"), "run", {}, [this] { askForTraining(); },
        tr("Train a model that tells searches what to expect of programs, or where to look for schedules, and see the "
           "models there are"));
    define("partition", tr("Part&ition…"), "", {}, [this] { askForPartition(); });
    define(
        "prove", tr("Prove E&qual…"), "", {}, [this] { askForProof(); },
        tr("Ask whether another program is equal to the current one, and keep the steps that prove it"));
    define(
        "compareSearches", tr("&Compare Searches…"), "", {keys(Qt::ALT | Qt::Key_F5)}, [this] { askForComparison(); },
        tr("Run several strategies, with several seeds, and compare what they find"));
    defineHere("iterationBack", tr("&Previous Iteration"), "", {keys(Qt::Key_BracketLeft)});
    defineHere("iterationOn", tr("Ne&xt Iteration"), "", {keys(Qt::Key_BracketRight)});
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
    for (const PlacedPerspective& each : m_perspectives) view->addAction(act(each.about));
    fill(view, {"", "asMath", "asText", "asTree", "asGraph", "asLoops", "", "compareParent", "compareStart"});
    fill(view->addMenu(tr("Compare with ONNX Ru&ntime's Graph")),
         {"compareRuntime-basic", "compareRuntime-extended", "compareRuntime-all"});
    fill(view, {"compareNone", "matchInCentre", "", "larger", "smaller", "usualSize", ""});
    for (const PlacedDock& each : m_docks) view->addAction(each.dock->toggleViewAction());
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
    QMenu* search = menuBar()->addMenu(tr("&Search"));
    search->setToolTipsVisible(true);  // an action that is not possible says why
    fill(search, {"run", "stop", "", "searchSettings", "compareSearches", "timeResult", "", "saturate", "prove",
                  "iterationBack", "iterationOn", "", "partition", "schedule", "train"});
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
    for (const auto& strategy : search::rewritingStrategies()) {
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
    m_mainButton = put("run", true);
    setMainButton(m_mainButton);
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
    for (const PlacedPerspective& each : m_perspectives) {
        QAction* const perspective = act(each.about);
        rail->addAction(perspective);
        QWidget* const button = rail->widgetForAction(perspective);
        button->setObjectName(perspective->objectName() + QStringLiteral("Rail"));
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

QAction* MainWindow::act(const Perspective& perspective) const { return act(actionName(perspective)); }

void MainWindow::updatePerspectives() {
    const bool open = m_document.isOpen();
    for (const PlacedPerspective& each : m_perspectives) {
        const bool suits = !open || !each.about.suits || each.about.suits(m_document.dialect());
        act(each.about)->setVisible(suits);
        act(each.about)->setEnabled(suits && isReady(each.about));
        act(each.about)->setChecked(&each == shown());
    }
    const bool hasOwn = shown() != nullptr && !shown()->about.mainAction.isEmpty();
    QAction* const main = act(hasOwn ? shown()->about.mainAction : QStringLiteral("run"));
    if (m_mainButton->defaultAction() != main) {
        m_mainButton->removeAction(m_mainButton->defaultAction());
        m_mainButton->setDefaultAction(main);
    }
}

void MainWindow::updateActions() {
    const bool open = m_document.isOpen();
    for (QAction* const made : m_actionsHere) {
        const ViewAction* const here = actionHere(made->objectName());
        made->setEnabled(here != nullptr && (here->isPossible ? here->isPossible() : open));
    }
    const bool hasDocks = shown() != nullptr && !shown()->about.docks.isEmpty() && isReady(shown()->about);
    for (const char* name : {"resetLayout", "layouts"}) act(QLatin1String(name))->setEnabled(hasDocks);
    for (const PlacedDock& each : m_docks) each.dock->toggleViewAction()->setEnabled(hasDocks);
    for (QAction* made : m_actionOrder) {
        if (made->objectName().startsWith(QLatin1String("toDock"))) made->setEnabled(hasDocks);
    }
    followPanel();
    act(QStringLiteral("bottomPanel"))->setChecked(m_panel->isOpen());
    act(QStringLiteral("matchInCentre"))->setChecked(isMatchInCentre());
    const auto allow = [this](const char* name, bool isPossible) {
        act(QLatin1String(name))->setEnabled(isPossible && offers(QLatin1String(name)));
    };
    for (const char* name : {"saveAs", "export", "run", "searchSettings", "back", "forward", "bottomPanel",
                             "matchInCentre", "compareSearches", "saturate", "prove"})
        allow(name, open);
    const rewrite::History* history = open ? &m_document.history() : nullptr;
    const rewrite::StateId current = open ? history->current() : rewrite::StateId();
    allow("schedule", open && m_document.dialect().can(ir::Capability::Schedule));
    const QString obstacle = open ? regionObstacle(m_document.dialect()) : QString();
    allow("partition", open && obstacle.isEmpty());
    act(QStringLiteral("partition"))
        ->setToolTip(obstacle.isEmpty()
                         ? tr("Divide the network into regions by a pattern, and search or export each by itself")
                         : obstacle);
    allow("findModel", m_document.isModelMissing());
    allow("undo", open && history->state(current).parent.isValid());
    allow("compareParent", open && history->state(current).parent.isValid());
    allow("compareStart", open && history->start() != current);
    allow("compareNone", open && m_selection.isComparing());
    allow("redo", open && !history->state(current).children.empty());
    allow("best", open && history->best() != current);
    allow("toStart", open && history->start() != current);
    for (const char* name : {"apply", "applyEverywhere"}) allow(name, open && m_selection.rewrite().has_value());
    allow("deselect",
          open && (isMatchInCentre() || m_selection.subterm().has_value() || m_selection.rewrite().has_value()));
    allow("stop", (open && m_document.runningSearches() > 0) || m_egraph.isSaturating());
    updateRuntimeActions();
    act(QStringLiteral("start"))->setEnabled(shown() != nullptr);
    updatePerspectives();
    showTitle();
    keepPerspective();
    const bool hasOther = m_open->programs().size() > (open ? 1 : 0);
    for (const char* name : {"nextProgram", "previousProgram"}) act(QLatin1String(name))->setEnabled(hasOther);
    act(QStringLiteral("labels"))->setEnabled(open);
    for (QWidget* widget : {static_cast<QWidget*>(m_strategy), static_cast<QWidget*>(m_budget)})
        widget->setEnabled(open && offers(QStringLiteral("run")));
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
