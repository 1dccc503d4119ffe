// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/regions_page.h"

#include "views/common/format.h"
#include "views/common/share_delegate.h"
#include "views/common/widgets.h"
#include "views/program/code_pane.h"
#include "views/program/code_view.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSplitter>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <algorithm>
#include <optional>
#include <vector>

namespace mitos::views {

namespace {

enum Column { RegionColumn, SizeColumn, VerdictColumn, SegmentColumn, DefinitionsColumn, ColumnCount };
constexpr int ShareRole = Qt::UserRole;        // of the size column
constexpr int PlacesRole = Qt::UserRole + 1;   // of the region column: the texts of the places of its definitions
constexpr int SegmentRole = Qt::UserRole + 2;  // of the region column
constexpr int SwatchSize = 12;
constexpr int NarrowestTree = 380;
constexpr int HalfOfMany = 10'000;  // pixels, of which each pane gets its share
constexpr int SizeWidth = 120;      // of a column with bars
constexpr int RegionRoom = 12;      // behind the text of the first column
constexpr qsizetype LongestDefinitions = 200;

QPixmap swatch(const QColor& colour) {
    QPixmap pixmap(SwatchSize, SwatchSize);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(pixmap.rect(), 3, 3);
    return pixmap;
}

std::vector<ir::Path> placesOf(const QTreeWidgetItem& item) {
    std::vector<ir::Path> places;
    for (const QString& text : item.data(RegionColumn, PlacesRole).toStringList()) {
        if (const Result<ir::Path> place = ir::parsePath(text.toStdString())) places.push_back(*place);
    }
    return places;
}

QStringList listOf(const std::vector<std::string>& texts) {
    QStringList list;
    for (const std::string& text : texts) list << fromUtf8(text);
    return list;
}

}  // namespace

RegionsPage::RegionsPage(QWidget* parent)
    : QWidget(parent),
      m_tree(new QTreeWidget(this)),
      m_text(new CodePane(QStringLiteral("gradientRegionText"), tr("Function"), false)),
      m_summary(new QLabel(this)) {
    setUpWidget(m_tree, "gradientRegions", {}, tr("Regions"));
    m_tree->setColumnCount(ColumnCount);
    m_tree->setHeaderLabels({tr("Region"), tr("Size"), tr("Verdict"), tr("Segment"), tr("Definitions")});
    m_tree->setUniformRowHeights(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_tree->header()->setSectionResizeMode(SizeColumn, QHeaderView::Fixed);
    m_tree->header()->setSectionResizeMode(RegionColumn, QHeaderView::Interactive);
    m_tree->header()->resizeSection(SizeColumn, SizeWidth);
    m_tree->header()->setStretchLastSection(true);
    m_tree->setItemDelegateForColumn(SizeColumn, new ShareDelegate(ShareRole, m_tree));
    m_tree->setMinimumWidth(NarrowestTree);
    connect(m_tree, &QTreeWidget::currentItemChanged, this, &RegionsPage::showRegion);
    connect(m_tree, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        const auto segment = item->data(RegionColumn, SegmentRole).toULongLong();
        if (segment > 0) Q_EMIT segmentChosen(static_cast<std::size_t>(segment));
    });
    connect(&m_text->code(), &CodeView::clicked, this, &RegionsPage::selectAt);
    connect(&m_text->code(), &CodeView::clickedBeside, this, [this] { m_tree->setCurrentItem(nullptr); });
    m_text->code().setShortNotes(true);
    m_text->show();
    auto* panes = new QSplitter(Qt::Horizontal, this);
    panes->addWidget(m_tree);
    panes->addWidget(m_text);
    panes->setChildrenCollapsible(false);
    panes->setHandleWidth(1);
    panes->setStretchFactor(0, 1);
    panes->setStretchFactor(1, 1);
    panes->setSizes({HalfOfMany, HalfOfMany});
    setUpPlainLabel(m_summary, "gradientRegionSummary");
    m_summary->setContentsMargins(12, 6, 12, 8);
    fillColumn(this, {{panes, 1}, m_summary}, {.margins = NoMargins, .spacing = 0});
    followPalette(this, [this] { paintSegments(); });
}

void RegionsPage::showDerivation(std::shared_ptr<const Derivation> derivation, std::size_t sizeLimit) {
    const bool isCoarsened = derivation && derivation->coarsened;
    // The same regions laid out anew keep the chosen one.
    const bool isSame = isCoarsened && m_shown && m_shown->coarsened == derivation->coarsened;
    m_shown = isCoarsened ? std::move(derivation) : nullptr;
    m_sizeLimit = sizeLimit;
    if (isSame) return setForm(m_form);
    m_tree->clear();
    setForm(m_form);
    m_summary->setText(summary());
    if (!m_shown) return;
    add(m_shown->coarsened->root, nullptr, 0);
    m_tree->expandAll();
    m_tree->resizeColumnToContents(RegionColumn);
    m_tree->setColumnWidth(RegionColumn, m_tree->columnWidth(RegionColumn) + RegionRoom);
    paintSegments();
    m_tree->setCurrentItem(m_tree->topLevelItem(0));
}

void RegionsPage::setForm(ProgramText::Form form) {
    m_form = form;
    m_text->code().setText(m_shown ? m_shown->function.text.text(form) : QString(), true, languageOf(form));
    m_text->setTitle(m_shown ? fromUtf8(m_shown->bank->function(m_shown->primal.function).name) : QString());
    showRegion();
}

void RegionsPage::zoom(int steps) { m_text->code().zoom(steps); }

QString RegionsPage::summary() const {
    if (!m_shown) return {};
    const coarsening::Coarsened& made = *m_shown->coarsened;
    const auto segments = static_cast<int>(made.segments.size());
    const QString time = durationText(made.seconds);
    const bool isWhole = segments == 1 && made.segments.front().isWhole;
    if (isWhole) return tr("The whole function is one segment. Its symbolic form took %1.").arg(time);
    if (segments == 0) return tr("No segment: no region has an operator.");
    return segments == 1 ? tr("1 segment. Its symbolic form took %1.").arg(time)
                         : tr("%L1 segments. Their symbolic forms took %2.").arg(segments).arg(time);
}

void RegionsPage::add(const coarsening::Region& region, QTreeWidgetItem* parent, std::size_t around) {
    const std::size_t segment = region.segment > 0 ? region.segment : around;
    auto* item = parent == nullptr ? new QTreeWidgetItem(m_tree) : new QTreeWidgetItem(parent);
    QStringList places;
    for (const ir::Path& place : region.places) places << fromUtf8(ir::toString(place));
    item->setText(RegionColumn, fromUtf8(coarsening::toString(region.kind)));
    item->setData(RegionColumn, PlacesRole, places);
    item->setData(RegionColumn, SegmentRole, static_cast<qulonglong>(segment));
    // A region with a large part has no symbolic form of its own.
    const bool hasForm = !region.isLarge || region.size > 0;
    item->setText(SizeColumn, hasForm ? tr("%L1 of %L2").arg(region.size).arg(m_sizeLimit) : QStringLiteral("–"));
    item->setToolTip(SizeColumn, hasForm ? tr("Operators of its symbolic form, beside the size limit")
                                         : tr("A part of it is larger than the limit"));
    item->setData(SizeColumn, ShareRole,
                  hasForm ? static_cast<double>(region.size) / static_cast<double>(m_sizeLimit) : 0.0);
    item->setText(VerdictColumn, region.isLarge ? tr("large") : tr("small"));
    item->setText(SegmentColumn, segment > 0 ? QString::number(segment) : QStringLiteral("–"));
    item->setToolTip(SegmentColumn, segment > 0 ? tr("Enter or a double click shows the steps of the segment")
                                                : tr("Belongs to no segment"));
    const QString definitions = listOf(region.definitions).join(QStringLiteral(", "));
    item->setText(DefinitionsColumn, shortened(definitions, LongestDefinitions));
    item->setToolTip(DefinitionsColumn, definitions);
    for (const coarsening::Region& child : region.children) add(child, item, segment);
}

void RegionsPage::paintSegments() {
    const Theme theme(palette());
    for (QTreeWidgetItemIterator it(m_tree); *it != nullptr; ++it) {
        const int segment = (*it)->data(RegionColumn, SegmentRole).toInt();
        (*it)->setIcon(SegmentColumn, segment > 0 ? QIcon(swatch(theme.category(segment - 1))) : QIcon());
    }
}

/// Marks the definitions of the region in the function.
void RegionsPage::showRegion() {
    CodeView& code = m_text->code();
    code.setMarks(CodeView::Mark::Shared, {});
    const QTreeWidgetItem* item = m_tree->currentItem();
    if (!m_shown || item == nullptr) return;
    std::vector<TextRange> ranges;
    for (const ir::Path& place : placesOf(*item)) {
        if (const auto node = m_shown->function.text.find(place))
            ranges.push_back(m_shown->function.text.range(*node, m_form));
    }
    ranges = outermost(std::move(ranges));
    if (!ranges.empty()) code.ensureVisible(ranges.front());
    code.setMarks(CodeView::Mark::Shared, std::move(ranges));
}

/// Selects the innermost region with a definition there.
void RegionsPage::selectAt(qsizetype position) {
    if (!m_shown) return;
    const std::optional<NodeIndex> node = m_shown->function.text.at(position, m_form);
    if (!node) return;
    const ir::Path path = m_shown->function.text.path(*node);
    QTreeWidgetItem* found = nullptr;
    // Regions come before those inside them, so the last one is the innermost.
    for (QTreeWidgetItemIterator it(m_tree); *it != nullptr; ++it) {
        const std::vector<ir::Path> places = placesOf(**it);
        if (std::ranges::any_of(places, [&](const ir::Path& place) { return ir::isWithin(path, place); })) found = *it;
    }
    m_tree->setCurrentItem(found);
}

}  // namespace mitos::views
