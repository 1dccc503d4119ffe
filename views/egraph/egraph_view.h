// SPDX-License-Identifier: GPL-3.0-or-later
// The e-graph: a picture of a part of it, the list of all its classes, and the e-nodes of the selected class.
#pragma once

#include "views/document/egraph_document.h"
#include "views/egraph/class_list_model.h"
#include "views/egraph/egraph_picture.h"
#include "views/job_runner/query.h"

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace mitos::views {

class EmptyState;
class ExtractionPanel;
class FlowRow;
class GraphPane;
class MemberTableModel;

/// Indexing, searching and choosing what to draw run in jobs; a newer request discards the result of an older one.
class EGraphView : public QWidget {
    Q_OBJECT
public:
    EGraphView(EGraphDocument& document, JobRunner& jobs, QWidget* parent = nullptr);
    ~EGraphView() override;

    void setReducedMotion(bool reduced);
    /// Lets the empty state offer saturation, because a program is open.
    void offerSaturation();
    void exportPicture();
    void focusList();
    [[nodiscard]] const EGraphPicture& picture() const { return m_picture; }
    [[nodiscard]] std::optional<ClassIndex> selected() const { return m_selected; }
    /// Selects a class in all parts of the view; the picture moves to it if it is not drawn.
    void select(std::optional<ClassIndex> which);

Q_SIGNALS:
    /// Emitted by the button of the empty state; one of these signals.
    void openRequested();
    void saturateRequested();
    /// An explanation's thread should join the history.
    void threadTaken(const mitos::views::FoundThread& found);

private:
    // egraph_view_parts.cpp
    void buildControls(FlowRow& row);
    QWidget* buildLists();
    void connectPicture();
    // egraph_view.cpp
    void invalidate();
    void refresh();
    void takeIndex(std::shared_ptr<const EGraphIndex> index);
    void follow(const EGraphIndex& before);
    void explainChosen();
    void explainClasses();
    void search();
    void redraw(bool sameSubject);
    void takePicture(EGraphPicture picture, bool sameSubject);
    void changeHops(int by);
    void expandSelected();
    void toggle(ClassIndex which);
    void collapseSelected();
    void hideSelected();
    void isolateSelected();
    void showRoots();
    void showSelection();
    /// Selects a second class beside the selected one, or takes it out again.
    void selectToo(ClassIndex which);
    void updateControls();
    [[nodiscard]] QString footer() const;
    [[nodiscard]] QString aboutClass(ClassIndex which) const;

    EGraphDocument& m_document;
    JobRunner& m_jobs;
    std::shared_ptr<const EGraphIndex> m_index;
    EGraphScope m_scope;
    /// E-nodes of expanded, collapsed or hidden classes that are missing from the snapshot shown.
    struct Absent {
        std::vector<std::string> expanded;
        std::vector<std::string> collapsed;
        std::vector<std::string> hidden;
    };
    Absent m_absent;
    EGraphMarks m_marks;
    EGraphPicture m_picture;
    ClassQuery m_query;
    std::optional<ClassIndex> m_selected;
    bool m_stale = false;
    bool m_followingSelection = false;  ///< the list's selection is set by code, not by the user
    Query m_indexing{m_jobs};
    Query m_searching{m_jobs};
    Query m_drawing{m_jobs};
    QTimer m_searchTimer;
    QTimer m_liveTimer;  ///< limits updates while an e-graph grows to a few pictures a second

    QStackedWidget* m_stack;
    EmptyState* m_empty;
    GraphPane* m_pane;
    ClassListModel* m_classes;
    MemberTableModel* m_members;
    ExtractionPanel* m_extraction;
    QTableView* m_classTable;
    QTableView* m_memberTable;
    QLineEdit* m_search;
    QLabel* m_count;
    QLabel* m_about;
    QLabel* m_hops;
    QToolButton* m_allRules;
    QToolButton* m_why;
    QToolButton* m_whyClasses;
    QToolButton* m_lessHops = nullptr;
    QToolButton* m_moreHops = nullptr;
    QToolButton* m_expand = nullptr;
    QToolButton* m_collapse = nullptr;
    QToolButton* m_hide = nullptr;
    QToolButton* m_isolate = nullptr;
    QToolButton* m_reset = nullptr;
    QCheckBox* m_extractionOnly;
    QCheckBox* m_inlineLeaves;
    QCheckBox* m_hideSubsumed;
};

}  // namespace mitos::views
