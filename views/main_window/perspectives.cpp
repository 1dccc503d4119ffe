// SPDX-License-Identifier: GPL-3.0-or-later
// How each view is made for a window: what it asks the window for, and what the window's actions do in it.
#include "views/main_window/perspectives.h"

#include "core/ir/dialect.h"
#include "search/events.h"
#include "views/compare/compare_view.h"
#include "views/cost/cost_view.h"
#include "views/cost_curve/cost_curve_view.h"
#include "views/egraph/egraph_view.h"
#include "views/gradient/gradient_view.h"
#include "views/history/history_view.h"
#include "views/jobs/jobs_view.h"
#include "views/main_window/internal/measurers.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/main_window.h"
#include "views/match/match_view.h"
#include "views/measure/measure_view.h"
#include "views/program/program_view.h"
#include "views/rewrites/rewrites_view.h"
#include "views/rule_editor/rule_editor_view.h"
#include "views/saturation/saturation_view.h"
#include "views/schedule/schedule_view.h"

#include <QApplication>
#include <QClipboard>
#include <algorithm>
#include <initializer_list>

namespace mitos::views {

namespace {

constexpr int HistoryWidth = 320;
constexpr int RewritesWidth = 385;
constexpr double LargestRewrites = 0.32;

QStringList names(std::initializer_list<const char*> names) {
    QStringList list;
    for (const char* name : names) list << QString::fromLatin1(name);
    return list;
}

bool always() { return true; }

bool hasProgram(MainWindow& window) { return window.document().isOpen(); }

/// The messages of a view appear above the program, and it can ask for a program.
template <typename View>
void connectCommon(View* view, MainWindow& window) {
    MessageBar* const messages = &window.messages();
    QObject::connect(view, &View::openRequested, &window, &MainWindow::askForFile);
    QObject::connect(view, &View::failed, messages, &MessageBar::showError);
    QObject::connect(view, &View::notice, messages, [messages](const QString& text) { messages->showNotice(text); });
}

/// Larger, smaller, and the usual size.
template <typename View>
void addZoom(QMap<QString, ViewAction>& actions, View* view) {
    actions[QStringLiteral("larger")] = {[view] { view->zoom(1); }};
    actions[QStringLiteral("smaller")] = {[view] { view->zoom(-1); }};
    actions[QStringLiteral("usualSize")] = {[view] { view->zoom(0); }};
}

template <typename View>
void addWidening(QMap<QString, ViewAction>& actions, View* view) {
    actions[QStringLiteral("widen")] = {[view] { view->widen(); }};
    actions[QStringLiteral("narrow")] = {[view] { view->narrow(); }};
}

// --- perspectives ----------------------------------------------------------------------------------------------------------

WindowView programIn(MainWindow& window) {
    auto* view = new ProgramView(window.document(), window.selection(), window.jobs());
    view->follow(window.regions());
    const auto showAs = [view](ProgramView::Tab tab) { return ViewAction{[view, tab] { view->showAs(tab); }}; };
    const auto toSibling = [view, &window](int by) {
        return ViewAction{[view, by] { view->selectSibling(by); },
                          [&window] {
                              const auto& selected = window.selection().subterm();
                              return window.document().isOpen() && selected && !selected->empty();
                          }};
    };
    QMap<QString, ViewAction> actions{
        {QStringLiteral("copy"), {[view] { QApplication::clipboard()->setText(view->subtermText()); }}},
        {QStringLiteral("picture"), {[view] { view->exportPicture(); }}},
        {QStringLiteral("find"), {[view] { view->openFind(); }}},
        {QStringLiteral("findNext"), {[view] { view->findNext(1); }}},
        {QStringLiteral("findPrevious"), {[view] { view->findNext(-1); }}},
        {QStringLiteral("asMath"), showAs(ProgramView::MathTab)},
        {QStringLiteral("asText"), showAs(ProgramView::TextTab)},
        {QStringLiteral("asTree"), showAs(ProgramView::TreeTab)},
        {QStringLiteral("asGraph"), showAs(ProgramView::GraphTab)},
        {QStringLiteral("asLoops"),
         {[view] { view->showAs(ProgramView::LoopsTab); }, [view] { return view->canHaveLoops(); }}},
        {QStringLiteral("previousSibling"), toSibling(-1)},
        {QStringLiteral("nextSibling"), toSibling(1)},
        {QStringLiteral("focusProgram"), {[view] { view->focusProgram(); }}},
    };
    addZoom(actions, view);
    addWidening(actions, view);
    return {.widget = view,
            .focus = [view] { view->focusProgram(); },
            .actions = actions,
            .follow = [view](const Preferences& preferences) { view->setReducedMotion(preferences.reducedMotion); }};
}

WindowView egraphIn(MainWindow& window) {
    auto* view = new EGraphView(window.egraph(), window.jobs());
    QObject::connect(view, &EGraphView::openRequested, &window, &MainWindow::askForFile);
    QObject::connect(view, &EGraphView::saturateRequested, &window, &MainWindow::askForSaturation);
    QObject::connect(view, &EGraphView::threadTaken, &window, &MainWindow::takeThread);
    QObject::connect(&window.document(), &Document::opened, view, &EGraphView::offerSaturation);
    return {.widget = view,
            .focus = [view] { view->focusList(); },
            .actions = {{QStringLiteral("picture"), {[view] { view->exportPicture(); }, always}}},
            .follow = [view](const Preferences& preferences) { view->setReducedMotion(preferences.reducedMotion); }};
}

WindowView comparisonIn(MainWindow& window) {
    auto* view = new CompareView(window.document(), window.selection(), window.jobs());
    connectCommon(view, window);
    QObject::connect(view, &CompareView::compareRequested, &window, &MainWindow::askForComparison);
    QObject::connect(view, &CompareView::stateTaken, &window, [&window] { window.showPerspective(stepPerspective()); });
    QObject::connect(view, &CompareView::otherStateRequested, &window, &MainWindow::openAtResult);
    QObject::connect(view, &CompareView::timeRequested, &window, &MainWindow::time);
    QObject::connect(&window.timer(), &ResultTimer::changed, view,
                     [view, &window] { view->showTimes(window.timer()); });
    return {.widget = view, .focus = [view] { view->focusTable(); }};
}

WindowView rulesIn(MainWindow& window) {
    auto* view = new RuleEditorView(window.document(), window.selection(), window.jobs());
    connectCommon(view, window);
    QObject::connect(view, &RuleEditorView::changed, &window, &MainWindow::updateActions);
    return {.widget = view,
            .focus = [view] { view->focusText(); },
            .actions = {
                {QStringLiteral("saveRules"), {[view] { view->save(); }, [view] { return view->canSave(); }}},
                {QStringLiteral("find"), {[view] { view->openFind(); }, always}},
                {QStringLiteral("findNext"), {[view] { view->findNext(false); }, always}},
                {QStringLiteral("findPrevious"), {[view] { view->findNext(true); }, always}},
            }};
}

WindowView measuringIn(MainWindow& window) {
    auto* view = new MeasureView(window.document(), window.jobs(), measurerFor);
    connectCommon(view, window);
    QObject::connect(view, &MeasureView::costModelRequested, &window.document(), &Document::setCostModel);
    return {.widget = view, .focus = [view] { view->focusTable(); }};
}

WindowView scheduleIn(MainWindow& window) {
    auto* view = new ScheduleView(window.document(), window.selection(), window.jobs());
    connectCommon(view, window);
    QObject::connect(view, &ScheduleView::scheduleRequested, &window, [&window] { window.askForSchedule(); });
    QObject::connect(view, &ScheduleView::quickRequested, &window, [&window] { window.scheduleOn(2); });
    const auto hasSchedule = [view] { return view->hasSchedule(); };
    QMap<QString, ViewAction> actions{{QStringLiteral("picture"), {[view] { view->exportPicture(); }, hasSchedule}}};
    addZoom(actions, view);
    return {.widget = view, .focus = [view] { view->focusChart(); }, .actions = actions};
}

WindowView gradientIn(MainWindow& window) {
    auto* view = new GradientView(window.document(), window.selection(), window.jobs());
    connectCommon(view, window);
    QObject::connect(view, &GradientView::programRequested, &window, &MainWindow::openText);
    QObject::connect(view, &GradientView::walkRequested, &window,
                     [&window] { window.showPerspective(stepPerspective()); });
    QMap<QString, ViewAction> actions;
    addZoom(actions, view);
    addWidening(actions, view);
    return {.widget = view, .focus = [view] { view->focusFunction(); }, .actions = actions};
}

// --- docked views ----------------------------------------------------------------------------------------------------------

WindowView historyIn(MainWindow& window) {
    auto* view = new HistoryView(window.document(), window.selection());
    return {.widget = view, .isSettled = [view] { return view->isSettled(); }};
}

WindowView rewritesIn(MainWindow& window) {
    auto* view = new RewritesView(window.document(), window.selection(), window.jobs());
    QObject::connect(view, &RewritesView::ruleHelpRequested, &window, &MainWindow::showRuleHelp);
    QObject::connect(view, &RewritesView::nearMissesRequested, &window,
                     [&window] { window.showDock(QStringLiteral("dockMatch")); });
    return {.widget = view};
}

WindowView costCurveIn(MainWindow& window) {
    auto* view = new CostCurveView(window.document(), window.selection());
    QObject::connect(view, &CostCurveView::searchRequested, &window, &MainWindow::searchSettings);
    return {.widget = view};
}

WindowView saturationIn(MainWindow& window) {
    auto* view = new SaturationView(window.egraph());
    QObject::connect(view, &SaturationView::saturateRequested, &window, &MainWindow::askForSaturation);
    QObject::connect(view, &SaturationView::proofRequested, &window, &MainWindow::askForProof);
    QObject::connect(view, &SaturationView::cheapestRequested, &window, &MainWindow::takeCheapest);
    QObject::connect(&window.document(), &Document::opened, view, &SaturationView::offerSaturation);
    EGraphDocument* const egraph = &window.egraph();
    return {.widget = view,
            .actions = {
                {QStringLiteral("iterationBack"),
                 {[view] { view->step(-1); }, [egraph] { return egraph->shownStep() > 0; }}},
                {QStringLiteral("iterationOn"),
                 {[view] { view->step(1); }, [egraph] { return egraph->shownStep() + 1 < egraph->stepCount(); }}},
            }};
}

}  // namespace

QString stepPerspective() { return QStringLiteral("step"); }
QString saturatePerspective() { return QStringLiteral("saturate"); }
QString comparePerspective() { return QStringLiteral("compare"); }
QString schedulePerspective() { return QStringLiteral("schedule"); }

QString actionName(const Perspective& perspective) {
    return QStringLiteral("perspective") + perspective.name.left(1).toUpper() + perspective.name.mid(1);
}

QList<Perspective> perspectives() {
    using W = MainWindow;
    return {
        {.name = stepPerspective(),
         .text = W::tr("&Step"),
         .icon = QStringLiteral("perspective-step"),
         .toolTip = W::tr("The program, its rewrites and its history"),
         .help = QStringLiteral("stepping"),
         .make = programIn,
         .docks = names({"dockHistory", "dockRewrites", "dockCostCurve", "dockCost", "dockMatch", "dockJobs"}),
         .actions = names(
             {"saveAs",      "export",   "findModel",       "undo",     "redo", "compareParent",  "compareStart",
              "compareNone", "back",     "forward",         "toStart",  "best", "deselect",       "matchInCentre",
              "bottomPanel", "apply",    "applyEverywhere", "run",      "stop", "searchSettings", "compareSearches",
              "timeResult",  "saturate", "prove",           "partition"}),
         .isReady = hasProgram},
        {.name = saturatePerspective(),
         .text = W::tr("Sa&turate"),
         .icon = QStringLiteral("perspective-saturate"),
         .toolTip = W::tr("The e-graph"),
         .help = QStringLiteral("egraphs"),
         .make = egraphIn,
         .docks = names({"dockSaturation"}),
         .actions = names({"stop", "compareSearches", "saturate", "prove"}),
         .mainAction = QStringLiteral("saturate"),
         .isReady = [](W& window) { return window.egraph().isOpen() || hasProgram(window); },
         .comesBack =
             [](W& window) {
                 return std::ranges::any_of(window.document().runs(),
                                            [](const Run& run) { return search::growthIn(run.events).has_value(); });
             },
         .title =
             [](W& window) {
                 const QString title = window.egraph().title();
                 return title == window.document().title() ? QString() : title;
             }},
        {.name = comparePerspective(),
         .text = W::tr("Com&pare"),
         .icon = QStringLiteral("perspective-compare"),
         .toolTip = W::tr("The searches of the program side by side"),
         .help = QStringLiteral("comparing"),
         .make = comparisonIn,
         .actions = names({"saveAs", "export", "run", "stop", "searchSettings", "compareSearches"}),
         .isReady = hasProgram},
        {.name = QStringLiteral("rules"),
         .text = W::tr("R&ules"),
         .icon = QStringLiteral("perspective-rules"),
         .toolTip = W::tr("Write rules, test them, and see where they match"),
         .help = QStringLiteral("writing-rules"),
         .make = rulesIn,
         .comesBack = [](W& /*window*/) { return false; }},
        {.name = QStringLiteral("measure"),
         .text = W::tr("&Measure"),
         .icon = QStringLiteral("perspective-measure"),
         .toolTip = W::tr("The times of operations as they were measured"),
         .help = QStringLiteral("cost-profiles"),
         .make = measuringIn},
        {.name = schedulePerspective(),
         .text = W::tr("Sc&hedule"),
         .icon = QStringLiteral("perspective-schedule"),
         .toolTip = W::tr("Which device runs each operation, and when"),
         .help = QStringLiteral("scheduling"),
         .make = scheduleIn,
         .actions = names({"saveAs", "stop", "compareSearches", "schedule"}),
         .mainAction = QStringLiteral("schedule"),
         .suits = [](const ir::Dialect& dialect) { return dialect.can(ir::Capability::Schedule); },
         .isReady = hasProgram},
        {.name = QStringLiteral("gradient"),
         .text = W::tr("Gra&dient"),
         .icon = QStringLiteral("perspective-gradient"),
         .toolTip = W::tr("A function of the program beside its derivative"),
         .help = QStringLiteral("gradients"),
         .make = gradientIn,
         // Networks have training graphs.
         .suits =
             [](const ir::Dialect& dialect) {
                 return dialect.derive != nullptr || dialect.can(ir::Capability::Train);
             }},
    };
}

QList<DockedView> dockedViews() {
    using W = MainWindow;
    return {
        {.name = QStringLiteral("dockHistory"),
         .title = W::tr("History"),
         .help = QStringLiteral("history"),
         .area = Qt::LeftDockWidgetArea,
         .width = HistoryWidth,
         .make = historyIn},
        {.name = QStringLiteral("dockRewrites"),
         .title = W::tr("Rewrites"),
         .area = Qt::RightDockWidgetArea,
         .width = RewritesWidth,
         .largestShare = LargestRewrites,
         .make = rewritesIn},
        {.name = QStringLiteral("dockCostCurve"),
         .title = W::tr("Cost over the path"),
         .help = QStringLiteral("searching"),
         .make = costCurveIn},
        {.name = QStringLiteral("dockCost"),
         .title = W::tr("Cost explained"),
         .make =
             [](W& window) { return WindowView{new CostView(window.document(), window.selection(), window.jobs())}; }},
        {.name = QStringLiteral("dockMatch"),
         .title = W::tr("Match"),
         .help = QStringLiteral("matching"),
         .make =
             [](W& window) { return WindowView{new MatchView(window.document(), window.selection(), window.jobs())}; }},
        {.name = QStringLiteral("dockJobs"),
         .title = W::tr("Jobs"),
         .help = QStringLiteral("searching"),
         .make = [](W& window) { return WindowView{new JobsView(window.document(), window.jobs())}; }},
        {.name = QStringLiteral("dockSaturation"),
         .title = W::tr("Saturation"),
         .help = QStringLiteral("egraphs"),
         .make = saturationIn},
    };
}

}  // namespace mitos::views
