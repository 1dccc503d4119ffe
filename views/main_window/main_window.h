// SPDX-License-Identifier: GPL-3.0-or-later
// The window: the program in the middle, the views around it, and the actions that drive the document.
#pragma once

#include "views/document/document.h"
#include "views/document/egraph_document.h"
#include "views/document/paying_steps.h"
#include "views/document/result_times.h"
#include "views/document/runtime_graph.h"
#include "views/job_runner/job_runner.h"
#include "views/preferences/preferences.h"
#include "views/theme/theme.h"

#include <QList>
#include <QMainWindow>
#include <QMap>
#include <QPointer>
#include <functional>

class QComboBox;
class QDialog;
class QDoubleSpinBox;
class QStackedWidget;
class QToolButton;

namespace mitos::views {

class BottomPanel;
class CompareView;
class EGraphView;
class GradientView;
class HelpWindow;
class HistoryView;
class MatchView;
class MeasureView;
class MessageBar;
class OpenPrograms;
class ResultBanner;
struct FoundResult;
class ProgramView;
class RewritesView;
class RuleChooser;
class RuleEditorView;
class SaturationView;
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
    /// Shows the perspective Compare.
    void showComparison();
    /// Shows the perspective Measure.
    void showMeasuring();
    /// Shows the perspective Gradient.
    void showGradient();
    /// Shows the perspective Rules.
    void showRules();
    void showProgramAs(const QString& rendering);  ///< "math", "text", "tree", "graph"
    void setBudgetSeconds(double seconds);
    /// Whether nothing is being opened, computed or laid out.
    [[nodiscard]] bool isSettled() const;

    [[nodiscard]] Document& document() { return m_document; }
    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] JobRunner& jobs() { return m_jobs; }
    [[nodiscard]] EGraphDocument& egraph() { return m_egraph; }
    [[nodiscard]] const ResultTimer& timer() const { return m_timer; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    // main_window_docks.cpp
    void buildDocks();
    QDockWidget* addDock(const QString& name, const QString& title, QWidget* view, Qt::DockWidgetArea area);
    [[nodiscard]] bool isStepping() const;
    [[nodiscard]] bool isSaturating() const;
    [[nodiscard]] bool isComparing() const;
    [[nodiscard]] bool isMeasuring() const;
    [[nodiscard]] bool isDifferentiating() const;
    [[nodiscard]] bool isWritingRules() const;
    void defaultLayout();  ///< for the perspective shown
    void keepLayout();
    /// Opens or collapses the panel below the program: as the user left it for this program, otherwise open if there is a run.
    void followPanel();
    void openPanel(bool open);  ///< because the user wants it so
    void showPerspective(QWidget* centre, const QByteArray& layout);
    void showWithoutDocks(QWidget* centre);
    void findNext(int by);
    [[nodiscard]] QString perspectiveName()
        const;  ///< "step", "saturate", "compare", "measure", "gradient"; empty for pages that are not about a program
    [[nodiscard]] QByteArray dockLayout() const;
    [[nodiscard]] bool setDockLayout(const QByteArray& layout);
    void showProgram();
    void showEGraph();
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
    /// Opens the session at the state that its run found.
    void openAtResult(const QString& session, int run);
    void goToResult(RunNumber run);
    void stepProgram(int by);
    void closeProgram();
    void closeProgram(const QString& session);
    void announceLeft();
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
    void egraphOpened();
    void restoreSettings();
    void saveSettings();
    void askForFile();
    void askForText();
    void askForNetwork();
    void askForSessionPath();
    void askForModel();
    void exportCode();
    void searchSettings();
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
    void time(const TimedResult& result);
    [[nodiscard]] static ResultTiming resultTiming();
    /// `doing` says what failed.
    void reportRuntime(const QString& doing, const Error& error);
    void buildRuntimeActions();
    void updateRuntimeActions();
    void compareWithRuntime(onnx::OptimizationLevel level);
    void askForRuntimeGraph(onnx::OptimizationLevel level);
    [[nodiscard]] static QString growthText(const egraph::SaturationReport& report);
    void askForSaturation();
    void askForProof();
    void askForComparison();
    void takeThread(const FoundThread& found);
    [[nodiscard]] static QString textAboutJoined(std::size_t steps, std::size_t added, bool isGoal);
    [[nodiscard]] bool isOwnEGraph();
    void stopSearch();
    void showKeys();
    void showPreferences(const QString& action = {});  ///< of that action the keys
    [[nodiscard]] QString helpPage() const;
    void followPreferences(const Preferences& preferences, bool atStart);
    void showDock(QDockWidget* dock);
    [[nodiscard]] QDockWidget* dock(const char* name) const;
    void showHelp();
    void showRuleHelp(const QString& rule);
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
    void buildMenus();
    void buildToolBar();
    void buildRail();
    QAction* action(const QString& name, const QString& text, const QString& icon, const QList<QKeySequence>& keys,
                    const QString& toolTip = {});
    [[nodiscard]] QAction* act(const QString& name) const { return m_actions.value(name); }
    void updateActions();
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
    OpenPrograms* m_open;

    QStackedWidget* m_pages;
    StartPage* m_startPage;
    QStackedWidget* m_stepCentre;  ///< the program, or the match debugger instead
    ProgramView* m_program;
    EGraphView* m_egraphView;
    CompareView* m_compareView;
    MeasureView* m_measureView;
    GradientView* m_gradientView;
    RuleEditorView* m_ruleEditor;
    HistoryView* m_history = nullptr;
    RewritesView* m_rewrites = nullptr;
    MatchView* m_match = nullptr;
    SaturationView* m_saturation = nullptr;
    MessageBar* m_messages;
    ResultBanner* m_result;
    QToolButton* m_title = nullptr;  ///< the open program; a menu of others
    RuleChooser* m_rules = nullptr;
    QComboBox* m_strategy = nullptr;
    QDoubleSpinBox* m_budget = nullptr;
    QComboBox* m_costModel = nullptr;
    QMenu* m_recentMenu = nullptr;
    QList<QDockWidget*> m_docks;
    BottomPanel* m_panel;
    QMap<QString, QAction*> m_actions;
    QMap<QString, QString> m_actionIcons;
    QList<QAction*> m_actionOrder;
    QByteArray m_stepLayout;      ///< docks of the perspective Step, stored while another page is shown
    QByteArray m_saturateLayout;  ///< likewise of the perspective Saturate
    QString m_typedText;
    QString m_searchOnOpening;  ///< the file that a search starts on once it is open
    QPointer<Tour> m_tour;
    bool m_startsTour = false;          ///< once a program is open
    bool m_isShowingOpened = false;     ///< the perspective shown is that of the open program
    bool m_offersModel = false;         ///< the next message offers to find the open session's missing model
    rewrite::StateId m_saturatedState;  ///< the state whose program the run's e-graph begins with
};

}  // namespace mitos::views
