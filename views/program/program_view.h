// SPDX-License-Identifier: GPL-3.0-or-later
// The program at the centre: as on paper, as text, tree and graph, with the selected subterm, its cost, and differences to another program.
#pragma once

#include "views/document/document.h"
#include "views/job_runner/query.h"
#include "views/program/program_tree_model.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

class QSplitter;
class QStackedWidget;
class QTabBar;
class QTreeView;

namespace mitos::views {

class CodeView;
class CodePane;
class ElidedLabel;
class FindBar;
class GainOverlay;
class LoopsPage;
class ProgramGraph;
class Regions;

class ProgramView : public QWidget {
    Q_OBJECT
public:
    ProgramView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    ~ProgramView() override;

    /// Whether the current state is laid out, costs included.
    [[nodiscard]] bool isComplete() const { return m_complete; }
    /// The selected subterm, or the whole program if nothing is selected: as it is shown, or in another form.
    [[nodiscard]] QString subtermText() const;
    [[nodiscard]] QString subtermAsExchange() const;
    [[nodiscard]] QString subtermAsLatex() const;
    [[nodiscard]] QString subtermAsMarkdown() const;

    // --- what menus and shortcuts do ---
    void widen();
    void narrow();
    void selectSibling(int by);
    void openFind();
    bool closeFind();  ///< false if it was not open
    void findNext(int by);
    void zoom(int steps);
    /// Shows these regions from now on.
    void follow(Regions& regions);
    void focusProgram();  ///< moves the keyboard focus to the shown rendering
    enum Tab { MathTab, TextTab, TreeTab, GraphTab, LoopsTab };
    /// Does nothing for LoopsTab if there are no loops (canHaveLoops).
    void showAs(int tab);
    /// Whether programs of the open one's dialect have a loop form, which is that of exported C++.
    [[nodiscard]] bool canHaveLoops() const;
    void exportPicture();  ///< of the graph
    void setReducedMotion(bool reduced);
    [[nodiscard]] int shownAs() const;
    /// Scrolls the text to a line, once it is laid out.
    void scrollTo(int line);

Q_SIGNALS:
    void shownAsChanged(int tab);
    void scrolled(int line);  ///< the first line that is visible

protected:
    void changeEvent(QEvent* event) override;

private:
    static constexpr int LargeColumns = 100;      ///< width of the text of large programs
    static constexpr int SideBySideWidth = 1000;  ///< from this width on, differences are shown side by side

    void refresh();
    void takeContent(std::shared_ptr<const ProgramContent> content);
    /// Drops a content, on another thread if it is large.
    void free(std::shared_ptr<const ProgramContent> content);
    void showTab(int tab);
    void showPage(int tab);
    void showText(bool toTop);
    void showContextMenu(const QPoint& at);
    [[nodiscard]] TextRange rangeOf(NodeIndex node) const { return m_content->text.range(node, m_form); }
    [[nodiscard]] bool showsText() const;
    void showSelection();
    void showStatus(std::optional<NodeIndex> node, std::size_t occurrences);
    // program_view_difference.cpp
    struct Difference;
    void showBeside();
    void showTouched();
    [[nodiscard]] QString placesText(const rewrite::Step& step) const;
    void showPreview();
    void showComparison();
    void showDifference(const ir::Program& other, CodePane& pane, bool otherIsBefore);
    void takeDifference(const Difference& difference, CodePane& pane, bool otherIsBefore);
    // program_view_gain.cpp
    /// The gains in the nodes shown; null if they are not known, or not wanted.
    [[nodiscard]] std::shared_ptr<const ShownGain> gain() const;
    void showGain();
    // program_view_loops.cpp
    void connectLoops();
    void updateLoopsTab();
    void clickLine(qsizetype position);
    void showLoopsMenu(const QPoint& at);
    // program_view_regions.cpp
    void showRegions();
    void showRegionRanges();  ///< in the text
    void showChosenRegion();
    /// The nodes of the region that the user looks at.
    [[nodiscard]] std::vector<NodeIndex> chosenNodes() const;
    /// "in Epilog 2"; empty if the node is in no region.
    [[nodiscard]] QString regionText(NodeIndex node) const;
    [[nodiscard]] std::vector<TextRange> rangesOf(const std::vector<NodeIndex>& nodes) const;
    void find(const QString& text);
    void clickAt(qsizetype position);
    void click(std::optional<NodeIndex> innermost);  ///< widens the selection if it was clicked before
    [[nodiscard]] CodeView& foundIn() const;         ///< the text that is searched
    [[nodiscard]] bool showsLoops() const;
    void hoverAt(qsizetype position);
    void select(NodeIndex node);
    void expandTree();
    [[nodiscard]] std::optional<NodeIndex> selectedNode() const;
    [[nodiscard]] bool isLarge(ir::TermId root) const;
    [[nodiscard]] bool findsNodes() const;
    [[nodiscard]] QString nodeText(NodeIndex node) const;

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    std::shared_ptr<const ProgramContent> m_content;
    Query m_contentQuery{m_jobs};
    Query m_besideQuery{m_jobs};
    std::optional<int> m_scrollTo;  ///< once the text is laid out
    bool m_complete = false;
    bool m_otherProgram = true;
    std::optional<NodeIndex> m_clicked;  ///< the innermost subterm clicked last
    ir::Path m_narrowest;                ///< the target of repeated Alt+Down
    std::vector<TextRange> m_found;
    std::vector<NodeIndex> m_foundNodes;
    std::vector<NodeIndex> m_replaced;  ///< by the rewrite that is previewed
    int m_foundAt = -1;
    Regions* m_regions = nullptr;
    std::vector<std::vector<NodeIndex>>
        m_regionNodes;  ///< of each region; none while the regions of the state are not known
    QStringList m_regionNames;
    QTimer m_columnsTimer;

    ProgramText::Form m_form = ProgramText::Form::Reading;  ///< of the text that is shown, or was shown last
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
    QSplitter* m_splitter;
    CodeView* m_code;
    CodePane* m_before;
    CodePane* m_after;
    QTreeView* m_tree;
    ProgramTreeModel* m_model;
    ProgramGraph* m_graph;
    LoopsPage* m_loops;
    FindBar* m_findBar;
    GainOverlay* m_gain;
    ElidedLabel* m_status;
};

}  // namespace mitos::views
