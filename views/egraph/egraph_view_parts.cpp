// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the view: controls, lists, and the keys of the picture.
#include "views/common/flow_row.h"
#include "views/common/view_keys.h"
#include "views/common/widgets.h"
#include "views/egraph/class_list_model.h"
#include "views/egraph/egraph_view.h"
#include "views/egraph/internal/explanation_dialog.h"
#include "views/egraph/internal/extraction_panel.h"
#include "views/graph/graph_pane.h"

#include <QCheckBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

namespace mitos::views {

namespace {

constexpr int IdWidth = 90;  // ids in files may be long; the tool tip shows them in full

}  // namespace

void EGraphView::buildControls(FlowRow& row) {
    const auto add = [&](const char* name, const QString& text, const QString& toolTip, auto slot) {
        QToolButton* made = flatButton(QLatin1String(name), text, toolTip);
        row.addWidget(made);
        connect(made, &QToolButton::clicked, this, slot);
        return made;
    };
    m_lessHops =
        add("egraphLessHops", QStringLiteral("−"), tr("Show less around the extraction"), [this] { changeHops(-1); });
    m_lessHops->setAccessibleName(tr("Fewer hops"));
    m_moreHops =
        add("egraphMoreHops", QStringLiteral("+"), tr("Show more around the extraction"), [this] { changeHops(1); });
    m_moreHops->setAccessibleName(tr("More hops"));
    m_expand = add("egraphExpand", tr("Expand"), tr("Show the arguments of all e-nodes of the class (Enter)"),
                   [this] { expandSelected(); });
    m_collapse = add("egraphCollapse", tr("Collapse"), tr("Draw the class as one box without its e-nodes (C)"),
                     [this] { collapseSelected(); });
    m_hide = add("egraphHide", tr("Hide"), tr("Leave the class out of the picture (S)"), [this] { hideSelected(); });
    m_isolate = add("egraphIsolate", tr("Isolate"), tr("Show only the class and its surroundings (U)"),
                    [this] { isolateSelected(); });
    m_reset = add("egraphReset", tr("Roots"), tr("Begin at the roots again, nothing hidden, expanded or collapsed (R)"),
                  [this] { showRoots(); });
    m_hops->setObjectName(QStringLiteral("egraphHops"));
    row.insertWidget(1, m_hops);
    for (QCheckBox* box : {m_extractionOnly, m_inlineLeaves, m_hideSubsumed}) row.addWidget(box);
    setUpWidget(m_extractionOnly, "egraphExtractionOnly", tr("Only classes of the extracted terms"));
    setUpWidget(m_inlineLeaves, "egraphInline", tr("Literals and variables stand in the e-nodes that use them"));
    setUpWidget(m_hideSubsumed, "egraphHideSubsumed", tr("Leave out e-nodes that must not be chosen any more"));
    const auto follow = [this](QCheckBox* box, bool EGraphScope::*what) {
        connect(box, &QCheckBox::toggled, this, [this, what](bool on) {
            m_scope.*what = on;
            redraw(true);
        });
    };
    follow(m_extractionOnly, &EGraphScope::extractionOnly);
    follow(m_inlineLeaves, &EGraphScope::inlineLeaves);
    follow(m_hideSubsumed, &EGraphScope::hideSubsumed);
}

QWidget* EGraphView::buildLists() {
    setUpWidget(m_search, "egraphSearch", {}, tr("Search classes"));
    m_search->setPlaceholderText(tr("Search by operator, class or rule"));
    m_search->setClearButtonEnabled(true);
    m_count->setObjectName(QStringLiteral("egraphCount"));
    m_count->setForegroundRole(QPalette::PlaceholderText);
    setUpPlainLabel(m_about, "egraphAbout");
    setUpRowTable(*m_classTable, *m_classes, QStringLiteral("egraphClasses"), tr("All classes of the e-graph"));
    m_classTable->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_classTable->setSortingEnabled(true);
    m_classTable->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_classTable->horizontalHeader()->setSectionResizeMode(ClassListModel::ContentColumn, QHeaderView::Stretch);
    m_classTable->horizontalHeader()->setSectionResizeMode(ClassListModel::IdColumn, QHeaderView::Interactive);
    m_classTable->setColumnWidth(ClassListModel::IdColumn, IdWidth);
    setUpRowTable(*m_memberTable, *m_members, QStringLiteral("egraphMembers"), tr("E-nodes of the selected class"));
    m_memberTable->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_memberTable->horizontalHeader()->setSectionResizeMode(MemberTableModel::NodeColumn, QHeaderView::Stretch);

    const auto page = [this](std::initializer_list<LayoutItem> widgets) {
        auto* made = new QWidget(this);
        fillColumn(made, widgets, {.margins = NarrowMargins});
        return made;
    };
    auto* lists = new QSplitter(Qt::Vertical, this);
    setUpWidget(m_allRules, "egraphAllRules", tr("List the classes of all rules again"));
    m_allRules->setText(tr("All rules"));
    m_allRules->setVisible(false);
    connect(m_allRules, &QToolButton::clicked, this, [this] { m_document.setRule({}); });
    auto* counts = new QWidget(this);
    fillRow(counts, {{m_count, 1}, m_allRules}, {.margins = NoMargins});
    setUpWidget(m_why, "egraphWhy",
                tr("Select two e-nodes: the steps from one to the other, each an instance of a rule"));
    m_why->setText(tr("Why are these two equal?"));
    m_why->setVisible(false);
    connect(m_why, &QToolButton::clicked, this, &EGraphView::explainChosen);
    connect(m_memberTable->selectionModel(), &QItemSelectionModel::selectionChanged, this, &EGraphView::updateControls);
    m_memberTable->setSelectionMode(QAbstractItemView::ExtendedSelection);
    setUpWidget(m_whyClasses, "egraphWhyClasses",
                tr("Select two classes, with Ctrl also in the picture: why they are equal, or why they are not"));
    m_whyClasses->setText(tr("Why are these two not equal?"));
    m_whyClasses->setVisible(false);
    connect(m_whyClasses, &QToolButton::clicked, this, &EGraphView::explainClasses);
    connect(m_classTable->selectionModel(), &QItemSelectionModel::selectionChanged, this, &EGraphView::updateControls);
    m_classTable->setSelectionMode(QAbstractItemView::ExtendedSelection);
    lists->addWidget(page({m_search, counts, m_classTable, m_whyClasses}));
    lists->addWidget(page({m_about, m_memberTable, m_why}));
    lists->addWidget(m_extraction);
    m_extraction->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(m_extraction, &ExtractionPanel::changed, this, [this] {
        m_marks.extractions = m_extraction->choices();
        redraw(true);
        showSelection();
    });
    connect(m_extraction, &ExtractionPanel::differenceChosen, this, [this](quint32 which) { select(which); });
    lists->setStretchFactor(0, 2);
    lists->setStretchFactor(1, 1);
    lists->setChildrenCollapsible(false);
    return lists;
}

void EGraphView::connectPicture() {
    GraphView& view = m_pane->view();
    view.setAccessibleName(tr("E-graph"));
    connect(&view, &GraphView::nodeClicked, this, [this](int box) {
        const ClassIndex clicked = m_picture.classes[static_cast<std::size_t>(box)];
        if (QGuiApplication::keyboardModifiers().testFlag(Qt::ControlModifier))
            selectToo(clicked);
        else
            select(clicked);
    });
    connect(&view, &GraphView::nodeToggled, this,
            [this](int box) { toggle(m_picture.classes[static_cast<std::size_t>(box)]); });
    connect(&view, &GraphView::backgroundClicked, this, [this] { select(std::nullopt); });
    connect(&m_document, &EGraphDocument::explained, this, [this](const FoundThread& found) {
        auto* dialog = new ExplanationDialog(found, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &ExplanationDialog::historyRequested, this, &EGraphView::threadTaken);
        dialog->open();
    });
    connect(&m_document, &EGraphDocument::notEqual, this, [this](const search::NotEqual& answer) {
        auto* dialog = new NotEqualDialog(answer, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
    auto* keys = new ViewKeys(&view, tr("E-graph"));
    keys->add({Qt::Key_S}, tr("Hide the class"), [this] { hideSelected(); });
    keys->add({Qt::Key_U}, tr("Show only the class"), [this] { isolateSelected(); });
    keys->add({Qt::Key_C}, tr("Draw the class as one box"), [this] { collapseSelected(); });
    keys->add({Qt::Key_R}, tr("Begin at the roots again"), [this] { showRoots(); });
}

}  // namespace mitos::views
