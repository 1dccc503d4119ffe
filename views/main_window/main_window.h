// SPDX-License-Identifier: GPL-3.0-or-later
// The window: the program in the middle, the views around it, and the actions that drive the document.
#pragma once

#include "search/placement/placement.h"
#include "views/document/document.h"
#include "views/document/egraph_document.h"
#include "views/document/paying_steps.h"
#include "views/document/regions.h"
#include "views/document/result_times.h"
#include "views/document/runtime_graph.h"
#include "views/job_runner/job_runner.h"
#include "views/main_window/perspectives.h"
#include "views/preferences/preferences.h"
#include "views/theme/theme.h"

#include <QList>
#include <QMainWindow>
#include <QMap>
#include <QPointer>
#include <functional>
#include <vector>

class QComboBox;
class QDialog;
class QDoubleSpinBox;
class QStackedWidget;
class QToolButton;

namespace mitos::views {

class BottomPanel;
class HelpWindow;
class MatchView;
class MessageBar;
class OpenPrograms;
class ResultBanner;
struct FoundResult;
class ProgramView;
class RewritesView;
class RuleChooser;
class StartPage;
class Tour;
struct TourStop;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a .ks file, a session or an e-graph (.json). The start page stays until it is open.
    void openPath(const QString& path, const QString& function = {});
    void openText(const QString& title, const QString& text);
    void openNetwork(const QString& name, bool realistic);
    void openSession(const QString& path);
    /// Reopens the session used last, if it still exists.
    void reopenLastSession();
    void showStartPage();
    /// Opens the file in a new window. A session that is open in this window, and does not search, moves there.
    void openInNewWindow(const QString& path);
    /// Starts a search with the tool bar's strategy and budget.
    void runSearch();
    /// Grows an e-graph from the current program.
    void saturate(const SearchSettings& settings, const QString& goal = {});
    /// Shows the perspective of that name; nothing happens if there is none.
    void showPerspective(const QString& name);
    [[nodiscard]] QString shownPerspective() const;  ///< its name; empty: the start page is shown
    void showProgramAs(const QString& rendering);    ///< "math", "text", "tree", "graph"
    void setBudgetSeconds(double seconds);
    /// Whether nothing is being opened, computed or laid out.
    [[nodiscard]] bool isSettled() const;

    [[nodiscard]] Document& document() { return m_document; }
    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] JobRunner& jobs() { return m_jobs; }
    [[nodiscard]] EGraphDocument& egraph() { return m_egraph; }
    [[nodiscard]] Regions& regions() { return m_regions; }
    [[nodiscard]] const ResultTimer& timer() const { return m_timer; }
    [[nodiscard]] MessageBar& messages() { return *m_messages; }

    // --- what its views ask for ---
    void askForFile();
    void askForSaturation();
    void askForSchedule(std::optional<search::placement::Objective> objective = std::nullopt);
    void askForTraining();
    void askForPartition();
    /// Begins the usual search for a schedule on so many devices, without asking.
    void scheduleOn(int devices);
    void schedule(const SearchSettings& settings);
    void askForProof();
    void askForComparison();
    void searchSettings();
    void askForSearch(const SearchSettings& begin);
    /// Opens the session at the state that its run found.
    void openAtResult(const QString& session, int run);
    /// Lets steps that lead through the e-graph join the history.
    void takeThread(const FoundThread& found);
    /// Lets the steps to the cheapest program of the e-graph join the history.
    void takeCheapest();
    void time(const TimedResult& result);
    /// Shows the docked view of that name, and moves the keyboard focus to it.
    void showDock(const QString& name);
    void showRuleHelp(const QString& rule);
    /// After a change of what can be done now.
    void updateActions();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// A perspective, and its page in this window. The page is a stack, because another view may be shown in place of its own.
    struct PlacedPerspective {
        Perspective about;
        WindowView view;
        QStackedWidget* page = nullptr;
    };
    struct PlacedDock {
        DockedView about;
        WindowView view;
        QDockWidget* dock = nullptr;
    };

    // main_window_docks.cpp
    void buildDocks();
    void addDock(const DockedView& docked);
    void buildPages();
    /// Null while the start page is shown.
    [[nodiscard]] const PlacedPerspective* shown() const;
    /// Whether the perspective shown has that docked view.
    [[nodiscard]] bool hasDock(const QString& name) const;
    /// Whether the window's action of that name is possible in the perspective shown.
    [[nodiscard]] bool offers(const QString& action) const;
    /// The effect of an action in the views shown; null if it does nothing there.
    [[nodiscard]] const ViewAction* actionHere(const QString& name) const;
    [[nodiscard]] std::vector<const WindowView*> allViews() const;
    void defaultLayout();  ///< for the perspective shown
    void keepLayout();
    /// Opens or collapses the panel below the program: as the user left it for this program, otherwise open if there is a run.
    void followPanel();
    void openPanel(bool open);  ///< because the user wants it so
    [[nodiscard]] QByteArray dockLayout() const;
    [[nodiscard]] bool setDockLayout(const QByteArray& layout);
    [[nodiscard]] bool isMatchInCentre() const;
    /// Shows the match debugger instead of the program, or in its dock again.
    void showMatchInCentre(bool inCentre);
    void arrangeDocks();
    void resetLayout();
    void hideDocks();
    // main_window_layouts.cpp
    void fillLayoutMenu(QMenu* menu);
    void useLayout(const QString& name);
    void askForLayout();
    // main_window_sessions.cpp
    void buildSessionActions();
    void openAndSearch(const QString& path);
    void fillRecentMenu();
    [[nodiscard]] bool isShown(const QString& session) const;
    void switchTo(const QString& session);
    void goToResult(RunNumber run);
    void stepProgram(int by);
    void closeProgram();
    void closeProgram(const QString& session);
    void announceLeft();
    /// The warning that the session is not being saved, which stays until it is saved again or another program is open.
    void buildSessionWarning();
    [[nodiscard]] bool isSessionLost() const;
    /// Whether something would be lost now: then the user is asked, and `goOn` is called once the answer is to lose it.
    [[nodiscard]] bool asksAboutLoss(std::function<void()> goOn);
    /// Opens another program, unless something would be lost and the user wants to keep it.
    void replaceProgram(const std::function<void()>& open);
    void leaveProgram();
    void announceBackground(const QString& session, const Run& run, const QString& error);
    void fillProgramMenu(QMenu* menu);
    MainWindow* openWindow();
    [[nodiscard]] static QList<MainWindow*> allWindows();
    [[nodiscard]] static MainWindow* windowShowing(const QString& session);
    void showInFront();
    void fillWindowMenu(QMenu* menu);
    void editLabels();
    void browseSessions();
    void offerRestore(const QString& session, const QString& text);
    void showTitle();
    // main_window.cpp
    void connectDocument();
    void programOpened();
    void keepPerspective();
    [[nodiscard]] bool isReady(const Perspective& perspective);
    [[nodiscard]] bool comesBack(const Perspective& perspective);
    void egraphOpened();
    void restoreSettings();
    void saveSettings();
    void askForText();
    void askForNetwork();
    void askForSessionPath();
    void askForModel();
    void exportCode();
    [[nodiscard]] SearchSettings nextSearch() const;
    void showBudget();
    [[nodiscard]] FoundResult resultOf(const Run& run);
    void announceRun(const Run& run);
    // main_window_times.cpp
    void connectTimes();
    void presentResult(const FoundResult& result, const StatePair& states);
    /// The way from the start to the current state as a result: that of the run that found it, if one did.
    void presentCurrent();
    /// Presents the current state if the session has times of it.
    void recallTimes();
    void timeCurrent();
    [[nodiscard]] static ResultTiming resultTiming();
    /// `doing` says what failed.
    void reportRuntime(const QString& doing, const Error& error);
    void buildRuntimeActions();
    void updateRuntimeActions();
    void compareWithRuntime(onnx::OptimizationLevel level);
    void askForRuntimeGraph(onnx::OptimizationLevel level);
    [[nodiscard]] static QString growthText(const egraph::SaturationReport& report);
    [[nodiscard]] static QString textAboutJoined(std::size_t steps, std::size_t added, bool isGoal);
    [[nodiscard]] bool isOwnEGraph();
    void stopSearch();
    void showKeys();
    void showPreferences(const QString& action = {});  ///< of that action the keys
    [[nodiscard]] QString helpPage() const;
    void followPreferences(const Preferences& preferences, bool atStart);
    [[nodiscard]] QDockWidget* dock(const char* name) const;
    void showHelp();
    HelpWindow* help();
    void goToAnything();
    void openAboutProgram(QDialog* dialog);
    void showAbout();
    // main_window_tour.cpp
    [[nodiscard]] QList<TourStop> tourStops();
    /// Opens a sample first if no program is open.
    void startTour();
    void rememberTour();
    // main_window_actions.cpp
    void buildActions();
    void buildFileActions();
    void buildViewActions();
    void buildGoActions();
    void buildSearchActions();
    /// Creates an action that calls `work`; the name of its icon may be empty.
    void define(const char* name, const QString& text, const char* icon, const QList<QKeySequence>& shortcuts,
                std::function<void()> work, const QString& toolTip = {});
    /// Creates an action that does something else in each view, or nothing (WindowView::actions).
    void defineHere(const char* name, const QString& text, const char* icon, const QList<QKeySequence>& shortcuts,
                    const QString& toolTip = {});
    void buildMenus();
    void buildToolBar();
    void buildRail();
    QAction* action(const QString& name, const QString& text, const QString& icon, const QList<QKeySequence>& keys,
                    const QString& toolTip = {});
    [[nodiscard]] QAction* act(const QString& name) const { return m_actions.value(name); }
    [[nodiscard]] QAction* act(const Perspective& perspective) const;
    void updatePerspectives();
    void updateIcons();
    void addAppearanceMenu(QMenu* menu);
    void addCostModelMenu(QMenu* menu);
    void fillCostModels();
    void chooseCostModel();

    // The views hold references to these members; the destructor deletes the views first.
    JobRunner m_jobs;
    Selection m_selection;
    Document m_document;
    EGraphDocument m_egraph;
    ResultTimer m_timer;
    PayingSteps m_paying;
    RuntimeGraph m_runtimeGraph;
    Regions m_regions;
    OpenPrograms* m_open;

    QStackedWidget* m_pages;
    StartPage* m_startPage;
    std::vector<PlacedPerspective> m_perspectives;
    std::vector<PlacedDock> m_docks;
    // Views among these that the window itself uses.
    ProgramView* m_program = nullptr;
    RewritesView* m_rewrites = nullptr;
    MatchView* m_match = nullptr;
    MessageBar* m_messages;
    ResultBanner* m_result;
    QToolButton* m_title = nullptr;  ///< the open program; a menu of others
    RuleChooser* m_rules = nullptr;
    QComboBox* m_strategy = nullptr;
    QDoubleSpinBox* m_budget = nullptr;
    QToolButton* m_mainButton = nullptr;
    QComboBox* m_costModel = nullptr;
    QMenu* m_recentMenu = nullptr;
    BottomPanel* m_panel;
    QMap<QString, QAction*> m_actions;
    QMap<QString, QString> m_actionIcons;
    QList<QAction*> m_actionOrder;
    QList<QAction*> m_actionsHere;        ///< those of `defineHere`
    QMap<QString, QByteArray> m_layouts;  ///< of perspectives with docks, stored while another page is shown
    QString m_typedText;
    QString m_searchOnOpening;  ///< the file that a search starts on once it is open
    QPointer<Tour> m_tour;
    bool m_startsTour = false;          ///< once a program is open
    bool m_isShowingOpened = false;     ///< the perspective shown is that of the open program
    bool m_offersModel = false;         ///< the next message offers to find the open session's missing model
    rewrite::StateId m_saturatedState;  ///< the state whose program the run's e-graph begins with
};

}  // namespace mitos::views
