// SPDX-License-Identifier: GPL-3.0-or-later
// The program at the centre: as text, tree and graph, the selected subterm, what it costs, and how it differs from another.
#pragma once

#include "views/document/document.h"
#include "views/program/program_tree_model.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QSplitter;
class QTabWidget;
class QTreeView;

namespace mitos::views {

class CodeView;
class DifferencePane;
class FindBar;
class ProgramGraph;

class ProgramView : public QWidget {
    Q_OBJECT
public:
    ProgramView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    ~ProgramView() override;

    /// The current state is laid out, costs included.
    [[nodiscard]] bool isComplete() const { return m_complete; }
    [[nodiscard]] QString subtermText() const;  ///< of the selected subterm; the whole program if there is none

    // --- what menus and shortcuts do ---
    void widen();
    void narrow();
    void selectSibling(int by);
    void openFind();
    bool closeFind();  ///< false: it was not open
    void findNext(int by);
    void zoom(int steps);
    void focusProgram();  ///< the keyboard goes to the rendering that is shown
    enum Tab { TextTab, TreeTab, GraphTab };
    void showAs(int tab);
    void exportPicture();  ///< of the graph
    void setReducedMotion(bool reduced);
    [[nodiscard]] int shownAs() const;

Q_SIGNALS:
    void shownAsChanged(int tab);

protected:
    void changeEvent(QEvent* event) override;

private:
    static constexpr int LargeColumns = 100;      ///< width of the text of large programs
    static constexpr int SideBySideWidth = 1000;  ///< from here on differences stand beside each other

    void refresh();
    void takeContent(std::shared_ptr<const ProgramContent> content);
    void showSelection();
    void showStatus(std::optional<NodeIndex> node, std::size_t occurrences);
    // program_view_difference.cpp
    struct Difference;
    void showBeside();
    void showTouched();
    [[nodiscard]] QString placesText(const rewrite::Step& step) const;
    void showPreview();
    void showComparison();
    void showDifference(ir::TermId other, DifferencePane& pane, bool otherIsBefore);
    void takeDifference(const Difference& difference, DifferencePane& pane, bool otherIsBefore);
    void find(const QString& text);
    void clickAt(qsizetype position);
    void hoverAt(qsizetype position);
    void select(NodeIndex node);
    void expandTree();
    [[nodiscard]] std::optional<NodeIndex> selectedNode() const;
    [[nodiscard]] bool isGraph() const;
    [[nodiscard]] bool isLarge(ir::TermId root) const;
    [[nodiscard]] bool findsNodes() const;
    [[nodiscard]] QString nodeText(NodeIndex node) const;

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    std::shared_ptr<const ProgramContent> m_content;
    std::unique_ptr<QObject> m_contentQuery;  ///< a newer query drops the older one's result
    std::unique_ptr<QObject> m_besideQuery;
    bool m_complete = false;
    bool m_otherProgram = true;
    std::optional<NodeIndex> m_clicked;  ///< innermost subterm clicked last
    ir::Path m_narrowest;                ///< where Alt+Down leads back to
    std::vector<TextRange> m_found;
    std::vector<NodeIndex> m_foundNodes;
    std::vector<NodeIndex> m_replaced;  ///< by the rewrite that is previewed
    int m_foundAt = -1;
    QTimer m_columnsTimer;

    QTabWidget* m_tabs;
    QSplitter* m_splitter;
    CodeView* m_code;
    DifferencePane* m_before;
    DifferencePane* m_after;
    QTreeView* m_tree;
    ProgramTreeModel* m_model;
    ProgramGraph* m_graph;
    FindBar* m_findBar;
    QLabel* m_status;
};

}  // namespace mitos::views
