// SPDX-License-Identifier: GPL-3.0-or-later
// The central view. Small programs are laid out at once; large ones in a job, on a copy.
#include "views/program/program_view.h"

#include "core/dialects/dialects.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/share_delegate.h"
#include "views/common/widgets.h"
#include "views/document/cost_text.h"
#include "views/document/places.h"
#include "views/program/code_pane.h"
#include "views/program/code_view.h"
#include "views/program/internal/find_bar.h"
#include "views/program/internal/gain_overlay.h"
#include "views/program/internal/loops_page.h"
#include "views/program/internal/program_graph.h"
#include "views/program/line_notes.h"

#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTreeView>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

/// Laying out and pricing this many nodes takes a few milliseconds.
constexpr std::uint64_t LargestInPlace = 1500;
constexpr std::uint64_t LargestHovered = 20'000;
constexpr std::size_t LargestExpanded = 400;
constexpr int ExpandedDepth = 3;
constexpr int ColumnsDelayMs = 120;
constexpr int TreeIndentation = 11;     // programs are deeply nested
constexpr int MeasuredRowsOfTree = 32;  // besides the visible ones, for the width of columns

}  // namespace

ProgramView::ProgramView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_tabs(new QTabBar(this)),
      m_pages(new QStackedWidget(this)),
      m_splitter(new QSplitter(Qt::Vertical)),
      m_code(new CodeView),
      m_before(new CodePane(QStringLiteral("programBefore"), tr("Program compared with"), true)),
      m_after(new CodePane(QStringLiteral("programAfter"), tr("Program after the selected rewrite"), false)),
      m_tree(new QTreeView),
      m_model(new ProgramTreeModel(this)),
      m_graph(new ProgramGraph(jobs)),
      m_loops(new LoopsPage(document, jobs)),
      m_findBar(new FindBar(this)),
      m_gain(new GainOverlay(document, jobs, this)),
      m_status(new ElidedLabel(this)) {
    setObjectName(QStringLiteral("programView"));
    setUpWidget(m_code, "programText", {}, tr("Program text"));
    setUpWidget(m_tree, "programTree", {}, tr("Program tree"));
    m_status->setObjectName(QStringLiteral("programStatus"));
    m_status->setContentsMargins(8, 3, 8, 3);
    m_code->setFrameShape(QFrame::NoFrame);
    for (QWidget* pane :
         {static_cast<QWidget*>(m_before), static_cast<QWidget*>(m_code), static_cast<QWidget*>(m_after)}) {
        m_splitter->addWidget(pane);
    }
    m_splitter->setChildrenCollapsible(false);
    m_before->hide();
    m_after->hide();

    m_tree->setModel(m_model);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(TreeIndentation);
    m_tree->setAlternatingRowColors(false);
    m_tree->setItemDelegateForColumn(ProgramTreeModel::Share, new ShareDelegate(ProgramTreeModel::ShareRole, m_tree));
    QHeaderView* header = m_tree->header();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(ProgramTreeModel::Term, QHeaderView::Stretch);
    header->setSectionResizeMode(ProgramTreeModel::Type, QHeaderView::Interactive);
    // Numbers are never cut off; the text is shortened instead.
    header->setResizeContentsPrecision(MeasuredRowsOfTree);
    for (const int column : {ProgramTreeModel::Own, ProgramTreeModel::Total, ProgramTreeModel::Gain})
        header->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_tree->setColumnHidden(ProgramTreeModel::Gain, true);
    const int unit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    header->resizeSection(ProgramTreeModel::Type, unit * 15);
    header->resizeSection(ProgramTreeModel::Share, unit * 11);

    m_tabs->setObjectName(QStringLiteral("programTabs"));
    m_tabs->setAccessibleName(tr("Form of the program"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    for (const QString& name : {tr("Math"), tr("Text"), tr("Tree"), tr("Graph"), tr("Loops")}) m_tabs->addTab(name);
    for (QWidget* page : {static_cast<QWidget*>(m_splitter), static_cast<QWidget*>(m_tree),
                          static_cast<QWidget*>(m_graph), static_cast<QWidget*>(m_loops)}) {
        m_pages->addWidget(page);
    }
    showsSizeOfCurrentPage(*m_pages);
    m_findBar->hide();
    auto* top = rowOf({{m_tabs, 1}, &m_gain->choice()}, {.margins = NoMargins, .spacing = 0});
    fillColumn(this, {top, m_gain, {m_pages, 1}, m_findBar, m_status}, {.margins = NoMargins, .spacing = 0});

    m_columnsTimer.setSingleShot(true);
    m_columnsTimer.setInterval(ColumnsDelayMs);
    connect(&m_columnsTimer, &QTimer::timeout, this, &ProgramView::refresh);
    connect(m_code, &CodeView::columnsChanged, this, [this] {
        // The text of a large program keeps its width, because laying it out again is slow.
        if (m_document.isOpen() && !isLarge(m_document.current().root)) m_columnsTimer.start();
    });
    connect(m_code, &CodeView::clicked, this, &ProgramView::clickAt);
    connect(m_code->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int line) {
        if (m_complete) Q_EMIT scrolled(line);
    });
    connect(m_code, &CodeView::clickedBeside, this, [this] { m_selection.setSubterm(std::nullopt); });
    connect(m_code, &CodeView::hovered, this, &ProgramView::hoverAt);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        if (current.isValid()) select(m_model->nodeOf(current));
    });
    connect(m_graph, &ProgramGraph::chosen, this, [this](quint32 node) { select(node); });
    connect(m_graph, &ProgramGraph::drawn, this, &ProgramView::showTouched);
    connect(m_gain, &GainOverlay::changed, this, &ProgramView::showGain);
    connect(m_graph, &ProgramGraph::nothingChosen, this, [this] { m_selection.setSubterm(std::nullopt); });
    connect(m_before, &CodePane::closed, this, [this] { m_selection.setCompared(std::nullopt); });
    connect(m_tabs, &QTabBar::currentChanged, this, &ProgramView::showTab);
    m_code->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_code, &QWidget::customContextMenuRequested, this, &ProgramView::showContextMenu);
    connectLoops();
    connect(m_findBar, &FindBar::textChanged, this, &ProgramView::find);
    connect(m_findBar, &FindBar::next, this, [this] { findNext(1); });
    connect(m_findBar, &FindBar::previous, this, [this] { findNext(-1); });
    connect(m_findBar, &FindBar::closed, this, &ProgramView::closeFind);
    connect(&document, &Document::closed, this, [this] {
        m_otherProgram = true;
        m_complete = false;
        m_scrollTo.reset();
        m_contentQuery.cancel();
        m_columnsTimer.stop();
        m_model->setContent(nullptr, nullptr);
        m_graph->setContent(nullptr, nullptr, false);
        m_loops->clear();
        m_clicked.reset();
        m_narrowest.clear();
        m_code->setText({}, true);
        free(std::exchange(m_content, nullptr));
        m_code->setToolTip({});
        m_status->clear();
        m_status->setToolTip({});
        showBeside();
    });
    connect(&document, &Document::opened, this, [this] {
        updateLoopsTab();
        refresh();
    });
    connect(&document, &Document::currentChanged, this, &ProgramView::refresh);
    connect(&document, &Document::costModelChanged, this, &ProgramView::refresh);
    m_gain->follow();
    connect(&selection, &Selection::subtermChanged, this, &ProgramView::showSelection);
    connect(&selection, &Selection::rewriteChanged, this, &ProgramView::showBeside);
    connect(&selection, &Selection::touchedChanged, this, &ProgramView::showTouched);
    connect(&selection, &Selection::comparedChanged, this, &ProgramView::showBeside);
}

ProgramView::~ProgramView() = default;

/// Graphs count as large, because they are drawn in jobs anyway.
bool ProgramView::isLarge(ir::TermId root) const {
    return m_document.dialect().sharesNodes() || m_document.bank().treeSize(root) > LargestInPlace;
}

// --- laying out ----------------------------------------------------------------------------------------------------------

void ProgramView::refresh() {
    if (!m_document.isOpen()) return;
    m_complete = false;
    const ir::Program program = m_document.current();
    m_contentQuery.cancel();
    m_loops->setContent(nullptr, program);
    if (!isLarge(program.root)) {
        auto content = std::make_shared<ProgramContent>();
        content->text = ProgramText(m_document.bank(), program, m_code->columns());
        content->costs = m_document.explainCost(program.root);
        content->findLineCosts();
        takeContent(std::move(content));
        return;
    }
    m_contentQuery.ask(
        tr("Laying out the program"),
        [copy = m_document.snapshot(program), model = m_document.sharedCostModel()](const std::stop_token&,
                                                                                    const JobRunner::Report&) {
            auto content = std::make_shared<ProgramContent>();
            content->text = ProgramText(*copy.bank, copy.program, LargeColumns);
            content->costs =
                explainedParts(*model->evaluator(*copy.bank, copy.program.function), *copy.bank, copy.program);
            content->findLineCosts();
            if (content->text.isGraph()) content->parts = findParts(*copy.bank, content->text, content->costs);
            return content;
        },
        [this](std::shared_ptr<ProgramContent> content) { takeContent(std::move(content)); });
}

void ProgramView::takeContent(std::shared_ptr<const ProgramContent> content) {
    std::shared_ptr<const ProgramContent> before = std::exchange(m_content, std::move(content));
    m_complete = true;
    const bool otherProgram = std::exchange(m_otherProgram, false);
    m_clicked.reset();
    showText(otherProgram);
    m_model->setContent(m_content, &m_document.bank());
    m_graph->setContent(m_content, &m_document.bank(), !otherProgram);
    m_graph->setTitle(m_document.title());
    if (canHaveLoops()) m_loops->setContent(m_content, m_document.current());
    expandTree();
    if (!m_findBar->text().isEmpty()) find(m_findBar->text());
    showGain();
    showBeside();
    showRegions();
    if (const auto line = std::exchange(m_scrollTo, std::nullopt)) m_code->verticalScrollBar()->setValue(*line);
    free(std::move(before));
}

void ProgramView::free(std::shared_ptr<const ProgramContent> content) {
    if (content && content->text.nodes().size() > LargestInPlace) m_jobs.release(std::move(content));
}

void ProgramView::scrollTo(int line) {
    if (m_complete)
        m_code->verticalScrollBar()->setValue(line);
    else
        m_scrollTo = line;
}

void ProgramView::showText(bool toTop) {
    m_code->setText(m_content->text.text(m_form), toTop, languageOf(m_form));
    m_code->setNotes(lineNotes(*m_content, m_form), fromUtf8(m_document.costModel().info().unit));
}

bool ProgramView::showsText() const { return m_pages->currentWidget() == m_splitter; }

void ProgramView::showTab(int tab) {
    showPage(tab);
    Q_EMIT shownAsChanged(tab);
}

void ProgramView::showPage(int tab) {
    m_pages->setCurrentIndex(tab <= TextTab ? 0 : tab - TextTab);
    const auto form = tab == MathTab ? ProgramText::Form::Reading : ProgramText::Form::Exchange;
    if (showsText() && form != std::exchange(m_form, form) && m_complete) {
        m_clicked.reset();
        showText(true);
        showGain();
        showBeside();
        showRegionRanges();
    }
    if (!m_findBar->isHidden()) find(m_findBar->text());
}

void ProgramView::expandTree() {
    if (m_content->text.nodes().size() <= LargestExpanded)
        m_tree->expandAll();
    else
        m_tree->expandToDepth(ExpandedDepth);
}

// --- selection -----------------------------------------------------------------------------------------------------------

std::optional<NodeIndex> ProgramView::selectedNode() const {
    if (!m_content || !m_selection.subterm()) return std::nullopt;
    return m_content->text.find(*m_selection.subterm());
}

void ProgramView::select(NodeIndex node) { m_selection.setSubterm(m_content->text.path(node)); }

void ProgramView::showSelection() {
    if (!m_complete || !m_document.isOpen()) return;
    const std::optional<NodeIndex> node = selectedNode();
    const Theme theme(palette());
    std::vector<NodeIndex> places;
    std::vector<TextRange> shared;
    if (node) {
        places = m_content->text.occurrences(m_document.bank(), *node);
        for (const NodeIndex place : places) {
            if (place != *node) shared.push_back(rangeOf(place));
        }
        const ir::Path& path = *m_selection.subterm();
        if (!ir::isWithin(m_narrowest, path)) m_narrowest = path;
    } else {
        m_narrowest.clear();
    }
    m_code->setMarks(CodeView::Mark::Shared, shared.empty() ? rangesOf(chosenNodes()) : std::move(shared));
    m_code->setSelected(node ? std::optional(rangeOf(*node)) : std::nullopt);
    if (const auto known = gain(); known && node)
        m_code->setAccessibleDescription(tr("%1: %2").arg(m_code->accessibleDescription(), known->text(*node)));
    if (node) m_code->ensureVisible(rangeOf(*node));
    // A node of a graph has one place only.
    m_model->setHighlighted(places.size() > 1 ? places : chosenNodes(), theme.shared());
    const QModelIndex index = node ? m_model->indexOf(*node) : QModelIndex();
    if (index != m_tree->currentIndex()) {
        const QSignalBlocker blocker(m_tree->selectionModel());
        m_tree->setCurrentIndex(index);
    }
    m_tree->viewport()->update();
    if (index.isValid()) m_tree->scrollTo(index);
    m_graph->setSelected(node, places);
    m_loops->setSelected(node);
    showStatus(node, places.size());
}

void ProgramView::showStatus(std::optional<NodeIndex> node, std::size_t occurrences) {
    const NodeIndex which = node.value_or(0);
    const ProgramText& text = m_content->text;
    if (text.nodes().empty()) return;
    const ir::TermBank& bank = m_document.bank();
    const ir::TermId term = text.nodes()[which].term;
    QStringList parts;
    QStringList toolTip;
    parts << (!node ? tr("Whole program") : text.isGraph() ? nodeText(which) : text.label(which));
    parts << tr("type %1").arg(fromUtf8(bank.types().toString(bank.type(term))));
    if (which < m_content->costs.size()) {
        const cost::CostPart& part = m_content->costs[which];
        const QString cost = costSummary(m_content->costs, which, m_document.costModel().info(), m_document.dialect());
        // One line has space only for the node's own cost; the tool tip shows all.
        const QString own = cost.section(QLatin1Char(';'), 0, 0);
        parts << (text.isGraph() && which != 0 ? own : tr("cost %1").arg(own));
        if (own != cost) toolTip << cost;
        toolTip << fromUtf8(part.reason);
    }
    if (const auto known = gain()) {
        parts << tr("gain %1").arg(known->amountText(which));
        toolTip << known->text(which);
    }
    if (node) {
        // The path is shown for use on the command line.
        toolTip << tr("at %1").arg(positionText(text.path(which)));
        const QString surroundings = PlaceNames(bank, m_document.current()).surroundings(text.path(which));
        if (!surroundings.isEmpty()) parts << surroundings;
        if (const QString region = regionText(which); !region.isEmpty()) parts << region;
        if (occurrences > 1) parts << tr("stands in %1 places").arg(occurrences);
    } else {
        parts << tr("%1 nodes").arg(countText(text.nodes().size()));
    }
    m_status->setToolTip(toolTip.join(QLatin1Char('\n')));
    m_status->setText(parts.join(QStringLiteral("  ·  ")));
}

void ProgramView::clickAt(qsizetype position) {
    if (m_complete) click(m_content->text.at(position, m_form));
}

void ProgramView::click(std::optional<NodeIndex> innermost) {
    if (!innermost) {
        m_clicked.reset();
        m_selection.setSubterm(std::nullopt);
        return;
    }
    const std::optional<NodeIndex> selected = selectedNode();
    const bool again = innermost == std::exchange(m_clicked, innermost) && selected && *selected != 0 &&
                       m_content->text.places().isWithin(*innermost, *selected);
    select(again ? m_content->text.nodes()[*selected].parent : *innermost);
}

void ProgramView::hoverAt(qsizetype position) {
    m_code->setMarks(CodeView::Mark::Hovered, {});
    if (!m_complete || m_content->text.nodes().size() > LargestHovered) return;
    const std::optional<NodeIndex> node = position < 0 ? std::nullopt : m_content->text.at(position, m_form);
    if (!node) {
        m_code->setToolTip({});
        return;
    }
    // All places of the same term: a rewrite here would leave the others unchanged.
    const std::vector<NodeIndex> places = m_content->text.occurrences(m_document.bank(), *node);
    if (places.size() > 1) {
        std::vector<TextRange> ranges;
        for (const NodeIndex place : places) ranges.push_back(rangeOf(place));
        m_code->setMarks(CodeView::Mark::Hovered, std::move(ranges));
    }
    const ir::TermBank& bank = m_document.bank();
    const ir::TermId term = m_content->text.nodes()[*node].term;
    QString tip = tr("%1 : %2").arg(m_content->text.label(*node), fromUtf8(bank.types().toString(bank.type(term))));
    if (*node < m_content->costs.size()) {
        tip +=
            tr("\ncost %1; %2").arg(costText(m_content->costs[*node].total), fromUtf8(m_content->costs[*node].reason));
    }
    if (const auto known = gain()) tip += QLatin1Char('\n') + known->text(*node);
    if (const QString region = regionText(*node); !region.isEmpty()) tip += QLatin1Char('\n') + region;
    m_code->setToolTip(tip);
}

QString ProgramView::nodeText(NodeIndex node) const {
    const QString label = m_content->text.label(node);
    const QString name = m_content->text.name(node);
    return label == name ? label : tr("%1 %2").arg(label, name);
}

void ProgramView::widen() {
    const std::optional<NodeIndex> node = selectedNode();
    if (!node) {
        if (m_content && m_complete) select(0);
        return;
    }
    if (*node == 0) return;
    select(m_content->text.nodes()[*node].parent);
}

void ProgramView::narrow() {
    const std::optional<NodeIndex> node = selectedNode();
    if (!node) {
        if (m_content && m_complete) select(0);
        return;
    }
    const ir::Path& path = *m_selection.subterm();
    if (m_narrowest.size() > path.size() && ir::isWithin(m_narrowest, path)) {
        m_selection.setSubterm(ir::child(path, m_narrowest[path.size()]));
    } else if (m_content->text.childCount(*node) > 0) {
        select(m_content->text.child(*node, 0));
    }
}

void ProgramView::selectSibling(int by) {
    const std::optional<NodeIndex> node = selectedNode();
    if (!node || *node == 0) return;
    const ProgramText::Node& here = m_content->text.nodes()[*node];
    const int row = static_cast<int>(here.row) + by;
    if (row < 0 || row >= static_cast<int>(m_content->text.childCount(here.parent))) return;
    select(m_content->text.child(here.parent, static_cast<std::uint32_t>(row)));
}

QString ProgramView::subtermText() const {
    if (!m_content) return {};
    if (showsLoops()) return m_loops->selectedText();
    const std::optional<NodeIndex> node = selectedNode();
    return node ? m_content->text.text(*node, m_form) : m_content->text.text(m_form);
}

QString ProgramView::subtermAsExchange() const {
    if (!m_content) return {};
    const std::optional<NodeIndex> node = selectedNode();
    return node ? m_content->text.text(*node) : m_content->text.text();
}

/// A part over several lines, or of a line that is aligned, needs an environment of its own.
QString ProgramView::subtermAsLatex() const {
    if (!m_content) return {};
    const ir::PrintedText printed = dialects::printMath(m_document.bank(), m_document.current(), ir::MathForm::Latex);
    const std::optional<NodeIndex> node = selectedNode();
    if (!node || m_content->text.isGraph()) return fromUtf8(printed.text);
    const ir::PrintedSpan& span = printed.spans[*node];
    const QString part = fromUtf8(std::string_view(printed.text).substr(span.begin, span.end - span.begin)).trimmed();
    if (!part.contains(QLatin1String("\\\\"))) return part;
    return QStringLiteral("\\begin{aligned}\n%1\n\\end{aligned}").arg(part);
}

QString ProgramView::subtermAsMarkdown() const {
    if (!m_content) return {};
    const std::optional<NodeIndex> node = selectedNode();
    constexpr auto Reading = ProgramText::Form::Reading;
    return QStringLiteral("```\n%1\n```\n")
        .arg((node ? m_content->text.text(*node, Reading) : m_content->text.text(Reading)).trimmed());
}

void ProgramView::showContextMenu(const QPoint& at) {
    if (!m_complete) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("programMenu"));
    const bool isPart = selectedNode().has_value();
    const auto add = [&](const char* name, const QString& text, QString (ProgramView::*form)() const) {
        QAction* action =
            menu->addAction(text, this, [this, form] { QGuiApplication::clipboard()->setText((this->*form)()); });
        action->setObjectName(QLatin1String(name));
    };
    add("copyShown", isPart ? tr("Copy the selected part") : tr("Copy the program"), &ProgramView::subtermText);
    add("copyMarkdown", tr("Copy as Markdown"), &ProgramView::subtermAsMarkdown);
    add("copyLatex", tr("Copy as LaTeX"), &ProgramView::subtermAsLatex);
    add("copyExchange", m_content->text.isGraph() ? tr("Copy as listing") : tr("Copy as ks text"),
        &ProgramView::subtermAsExchange);
    menu->popup(m_code->viewport()->mapToGlobal(at));
}

// --- finding -------------------------------------------------------------------------------------------------------------

/// Searches for operators if no text is shown.
bool ProgramView::findsNodes() const { return m_complete && m_content->text.isGraph() && !showsText(); }

CodeView& ProgramView::foundIn() const { return showsLoops() ? m_loops->code() : *m_code; }

void ProgramView::openFind() {
    m_findBar->open();
    find(m_findBar->text());
}

void ProgramView::find(const QString& text) {
    m_found.clear();
    m_foundNodes.clear();
    m_foundAt = -1;
    if (findsNodes()) {
        m_foundNodes = findNodes(m_content->parts, text);
        m_graph->setFound(m_foundNodes);
        m_findBar->showCount(0, static_cast<int>(m_foundNodes.size()));
        return;
    }
    if (m_content && !text.isEmpty()) {
        const QString& all = foundIn().text();
        for (qsizetype at = all.indexOf(text, 0, Qt::CaseInsensitive); at >= 0;
             at = all.indexOf(text, at + text.size(), Qt::CaseInsensitive)) {
            m_found.push_back({at, at + text.size()});
        }
    }
    for (CodeView* code : {m_code, &m_loops->code()}) {
        code->setMarks(CodeView::Mark::Found, code == &foundIn() ? m_found : std::vector<TextRange>());
    }
    m_findBar->showCount(0, static_cast<int>(m_found.size()));
    if (!m_found.empty()) foundIn().ensureVisible(m_found.front());
}

void ProgramView::findNext(int by) {
    const int count = static_cast<int>(m_found.size() + m_foundNodes.size());  // one of them is empty
    if (count == 0) return;
    if (m_foundAt < 0)
        m_foundAt = by > 0 ? 0 : count - 1;
    else
        m_foundAt = (m_foundAt + by + count) % count;
    m_findBar->showCount(m_foundAt + 1, count);
    if (!m_foundNodes.empty()) {
        const NodeIndex node = m_foundNodes[static_cast<std::size_t>(m_foundAt)];
        m_graph->uncover(node);
        select(node);
        return;
    }
    const TextRange range = m_found[static_cast<std::size_t>(m_foundAt)];
    if (showsLoops()) {
        if (const auto nodes = m_loops->nodesAt(range.begin); !nodes.empty()) select(nodes.front());
    } else if (const auto node = m_content->text.at(range.begin, m_form)) {
        select(*node);
    }
    foundIn().ensureVisible(range);
}

bool ProgramView::closeFind() {
    if (m_findBar->isHidden()) return false;
    m_findBar->hide();
    m_found.clear();
    m_foundNodes.clear();
    m_graph->setFound({});
    for (CodeView* code : {m_code, &m_loops->code()}) code->setMarks(CodeView::Mark::Found, {});
    focusProgram();
    return true;
}

// --- the rest ------------------------------------------------------------------------------------------------------------

void ProgramView::zoom(int steps) {
    if (m_pages->currentWidget() == m_graph) {
        m_graph->view().zoom(steps);
        return;
    }
    m_code->zoom(steps);
    m_loops->code().zoom(steps);
    m_before->code().zoom(steps);
    m_after->code().zoom(steps);
}

void ProgramView::exportPicture() {
    showAs(GraphTab);
    m_graph->exportPicture();
}

void ProgramView::setReducedMotion(bool reduced) { m_graph->view().setReducedMotion(reduced); }

void ProgramView::focusProgram() { (showsText() || showsLoops() ? &foundIn() : m_pages->currentWidget())->setFocus(); }

void ProgramView::showAs(int tab) {
    if (tab != LoopsTab || canHaveLoops()) m_tabs->setCurrentIndex(tab);
}

int ProgramView::shownAs() const { return m_tabs->currentIndex(); }

void ProgramView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && m_complete) showGain();
    QWidget::changeEvent(event);
}

}  // namespace mitos::views
