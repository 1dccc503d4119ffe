// SPDX-License-Identifier: GPL-3.0-or-later
// The banner with a search's result.
#include "views/main_window/internal/result_banner.h"

#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

namespace mitos::views {

namespace {
constexpr double Radius = 4.0;
constexpr int Stripe = 3;  // the coloured edge at the left
constexpr int PartGap = 12;
constexpr int AroundParts = 60;  // pixels for margins, gaps and the button that closes it
}  // namespace

ResultBanner::ResultBanner(const ResultTimer& timer, const PayingSteps& paying, JobRunner& jobs, QWidget* parent)
    : QFrame(parent),
      m_costs(new QLabel(this)),
      m_change(new QLabel(this)),
      m_how(new QLabel(this)),
      m_marksRow(new QHBoxLayout),
      m_remarks(new QLabel(this)),
      m_times(new TimesPanel(timer, paying, jobs, this)),
      m_compare(new QPushButton(tr("Compare"), this)),
      m_export(new QPushButton(tr("Export…"), this)),
      m_close(new QToolButton(this)),
      m_found(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_way(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_buttons(new QBoxLayout(QBoxLayout::LeftToRight)) {
    setObjectName(QStringLiteral("resultBanner"));
    setUpPlainLabel(m_costs, "resultCosts");
    setUpPlainLabel(m_change, "resultChange");
    setUpPlainLabel(m_how, "resultHow");
    setUpPlainLabel(m_remarks, "resultRemarks");
    for (QLabel* label : {m_costs, m_change}) {
        setOwnFont(label, [isLarge = label == m_costs] {
            QFont font = QApplication::font();
            font.setWeight(QFont::DemiBold);
            if (isLarge) font.setPointSizeF(font.pointSizeF() * 1.15);
            return font;
        });
        label->setWordWrap(false);
    }
    setUpWidget(m_compare, "resultCompare", tr("Show the start of the program beside the result"));
    setUpWidget(m_export, "resultExport", tr("Export the current program as C++, ONNX or text"));
    setUpWidget(m_close, "resultClose", tr("Close this message"), tr("Close"));
    m_close->setAutoRaise(true);
    m_marksRow->setSpacing(12);
    m_found->addWidget(m_costs);
    m_found->addWidget(m_change);
    m_way->addWidget(m_how);
    m_way->addLayout(m_marksRow);
    auto* said = columnOf({rowOf({m_found, stretch()}, {.margins = NoMargins}),
                           rowOf({m_way, stretch()}, {.margins = NoMargins}), m_remarks},
                          {.margins = NoMargins, .spacing = 4});
    m_buttons->addWidget(m_compare);
    m_buttons->addWidget(m_export);
    auto* head = rowOf({{said, 1}, m_buttons, m_close}, {.margins = NoMargins, .spacing = 8});
    fillColumn(this, {head, m_times}, {.margins = QMargins(16, 10, 10, 8), .spacing = 4});
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_compare, &QPushButton::clicked, this, &ResultBanner::compareRequested);
    connect(m_export, &QPushButton::clicked, this, &ResultBanner::exportRequested);
    connect(m_times, &TimesPanel::timeRequested, this, &ResultBanner::timeRequested);
    connect(m_times, &TimesPanel::payingRequested, this, &ResultBanner::payingRequested);
    followPalette(this, [this] { updateColours(); });
    hide();
}

void ResultBanner::present(const FoundResult& result) {
    m_costs->setText(result.costs);
    m_costs->setToolTip(result.exactCosts);
    m_change->setText(result.change);
    m_change->setVisible(!result.change.isEmpty());
    m_isGain = result.isGain;
    m_how->setText(result.how);
    m_how->setToolTip(result.how);
    m_remarks->setText(result.remarks);
    m_remarks->setVisible(!result.remarks.isEmpty());
    m_compare->setVisible(result.isCheaper);
    m_times->setStates(result.states);
    qDeleteAll(m_markLabels);
    m_markLabels.clear();
    m_marks = result.marks;
    QStringList parts{result.costs, result.change, result.how};
    for (const VerdictMark& mark : m_marks) {
        auto* label = new QLabel(mark.text, this);
        label->setTextFormat(Qt::PlainText);
        label->setToolTip(result.verdict);
        m_marksRow->addWidget(label);
        m_markLabels.push_back(label);
        parts << label->text();
    }
    parts.removeAll(QString());
    const QString line = parts.join(QStringLiteral(" · "));
    setAccessibleName(result.remarks.isEmpty() ? line : line + QLatin1Char('\n') + result.remarks);
    updateColours();
    arrange(parentWidget() != nullptr ? parentWidget()->width() : width());
    show();
    QAccessibleEvent alert(this, QAccessible::Alert);  // announces it to screen readers
    QAccessible::updateAccessibility(&alert);
}

/// In a narrow window the parts stand below each other.
void ResultBanner::arrange(int width) {
    int way = m_how->fontMetrics().horizontalAdvance(m_how->text());
    for (const QLabel* mark : m_markLabels) way += PartGap + mark->sizeHint().width();
    const int compare = m_compare->isHidden() ? 0 : m_compare->sizeHint().width();
    const int buttons = compare + m_export->sizeHint().width();
    const bool isNarrow = width < way + buttons + AroundParts;
    const int beside = isNarrow ? std::max(compare, m_export->sizeHint().width()) : buttons;
    const int found = m_costs->sizeHint().width() + PartGap + m_change->sizeHint().width();
    const auto arrangeLine = [](QBoxLayout& line, bool isColumn) {
        line.setDirection(isColumn ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        line.setSpacing(isColumn ? 4 : PartGap);
    };
    arrangeLine(*m_buttons, isNarrow);
    arrangeLine(*m_way, isNarrow);
    arrangeLine(*m_found, width < found + beside + AroundParts);
    m_how->setWordWrap(isNarrow);
}

void ResultBanner::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrange(width());
}

void ResultBanner::updateColours() {
    const Theme theme(palette());
    setTextColour(*m_change, m_isGain ? theme.better() : theme.worse());
    setTextColour(*m_how, theme.faintText());
    setTextColour(*m_remarks, theme.faintText());
    for (std::size_t i = 0; i < m_markLabels.size(); ++i) {
        const bool isPassed = m_marks[i].kind == VerdictMark::Kind::Passed;
        setTextColour(*m_markLabels[i], isPassed ? theme.passed() : theme.worse());
        QFont font = this->font();
        font.setWeight(isPassed ? QFont::Normal : QFont::Bold);
        m_markLabels[i]->setFont(font);
    }
    m_close->setIcon(theme.icon(QStringLiteral("close")));
    update();
}

void ResultBanner::paintEvent(QPaintEvent* /*event*/) {
    const Theme theme(palette());
    const bool hasDoubts =
        std::ranges::any_of(m_marks, [](const VerdictMark& mark) { return mark.kind != VerdictMark::Kind::Passed; });
    const QColor edge = hasDoubts ? theme.worse() : theme.best();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(4.5, 4.5, -4.5, -2.5);
    painter.setPen(hasDoubts ? edge : theme.line());
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(box, Radius, Radius);
    painter.setPen(Qt::NoPen);
    painter.setBrush(edge);
    painter.drawRoundedRect(QRectF(box.left(), box.top(), Stripe + 1, box.height()), 2, 2);
}

}  // namespace mitos::views
