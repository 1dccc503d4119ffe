// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the effect of the selected rewrite.
#include "views/rewrites/internal/rewrite_preview.h"

#include "views/common/format.h"
#include "views/common/layouts.h"
#include "views/common/widgets.h"
#include "views/rewrites/rewrites_model.h"

#include <QEvent>
#include <QFontDatabase>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTextCursor>
#include <QTextEdit>

namespace mitos::views {

namespace {

QString costLine(const RewritePreviewContent& content) {
    return RewritePreview::tr("%1 → %2 %3  (%4, %5)")
        .arg(costText(content.costBefore), costText(content.row.costAfter), content.unit, deltaText(content.delta),
             content.model);
}

}  // namespace

RewritePreview::RewritePreview(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(this)),
      m_cost(new QLabel(this)),
      m_apply(new QPushButton(tr("Apply"), this)),
      m_help(new QPushButton(tr("About the Rule"), this)),
      m_text(new QTextEdit(this)) {
    setObjectName(QStringLiteral("rewritePreview"));
    setUpPlainLabel(m_title, "rewritePreviewTitle");
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    setUpPlainLabel(m_cost, "rewritePreviewCost");
    setUpWidget(m_apply, "applyRewrite", tr("Do this rewrite (Enter)"));
    setUpWidget(m_help, "ruleHelp", tr("The rule among all rules in force, with its documentation"));
    setUpWidget(m_text, "rewritePreviewText", {}, tr("Subterm before and after the rewrite"));
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);

    auto* lines = columnOf({m_title, m_cost}, {.spacing = 2});
    auto* buttons = columnOf({m_apply, m_help, stretch()});
    auto* head = rowOf({{lines, 1}, buttons});
    fillColumn(this, {head, {m_text, 1}}, {.margins = NoMargins});

    connect(m_apply, &QPushButton::clicked, this, &RewritePreview::applyRequested);
    connect(m_help, &QPushButton::clicked, this, &RewritePreview::helpRequested);
    render();
}

void RewritePreview::setContent(std::optional<RewritePreviewContent> content) {
    m_content = std::move(content);
    render();
}

void RewritePreview::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) render();
}

void RewritePreview::render() {
    m_apply->setEnabled(m_content.has_value());
    m_help->setEnabled(m_content.has_value());
    m_cost->setVisible(m_content.has_value());
    m_text->clear();
    if (!m_content) {
        m_title->setText(tr("Select a rewrite to see what it does."));
        return;
    }
    const Theme theme(palette());
    const rules::Rule& rule = m_content->row.rule->rule();
    m_title->setText(tr("%1 at %2").arg(RewritesModel::ruleText(*m_content->row.rule), m_content->row.place));
    m_title->setToolTip(fromUtf8(m_content->row.step().place()));
    m_cost->setText(costLine(*m_content));

    QTextCharFormat plain;
    plain.setForeground(palette().text());
    QTextCharFormat heading = plain;
    heading.setForeground(theme.faintText());
    QTextCharFormat code = plain;
    code.setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));

    QTextCursor cursor(m_text->document());
    cursor.beginEditBlock();
    if (!m_content->doubt.isEmpty()) {
        QTextCharFormat warning = plain;
        warning.setForeground(theme.worse());
        warning.setFontWeight(QFont::Bold);
        cursor.insertText(tr("⚠ This rule failed its test; searches leave it out") + QLatin1Char('\n'), warning);
        cursor.insertText(m_content->doubt.trimmed() + QStringLiteral("\n\n"), code);
    }
    if (!m_content->row.assumed.isEmpty()) {
        QTextCharFormat warning = plain;
        warning.setForeground(theme.worse());
        warning.setFontWeight(QFont::Bold);
        cursor.insertText(tr("⚠ Assuming %1").arg(m_content->row.assumed) + QStringLiteral("\n\n"), warning);
    }
    cursor.insertText(tr("Before") + QLatin1Char('\n'), heading);
    writeRuns(cursor, m_content->difference.before, true, theme);
    cursor.insertText(QLatin1Char('\n') + tr("After") + QLatin1Char('\n'), heading);
    writeRuns(cursor, m_content->difference.after, false, theme);
    if (!m_content->difference.marked) {
        cursor.insertText(QLatin1Char('\n') + tr("The program is too large to mark the difference here."), heading);
    }
    cursor.insertText(
        QStringLiteral("\n\n") + tr("Rule (%1)").arg(RewritesModel::soundnessText(rule.soundness)) + QLatin1Char('\n'),
        heading);
    if (!rule.doc.empty()) cursor.insertText(fromUtf8(rule.doc).trimmed() + QLatin1Char('\n'), plain);
    cursor.insertText(fromUtf8(rule.text).trimmed(), code);
    cursor.endEditBlock();
    m_text->verticalScrollBar()->setValue(0);
}

void RewritePreview::writeRuns(QTextCursor& cursor, const std::vector<DiffRun>& runs, bool before,
                               const Theme& theme) const {
    QTextCharFormat kept;
    kept.setForeground(palette().text());
    kept.setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    QTextCharFormat moved = kept;
    moved.setBackground(theme.moved());
    moved.setUnderlineStyle(QTextCharFormat::DotLine);
    QTextCharFormat changed = kept;  // not by colour alone: removed text has a dashed line, added text a solid one
    changed.setBackground(before ? theme.removed() : theme.added());
    changed.setUnderlineStyle(before ? QTextCharFormat::DashUnderline : QTextCharFormat::SingleUnderline);
    for (const DiffRun& run : runs) {
        const QTextCharFormat& format = run.mark == ir::DiffMark::Kept    ? kept
                                        : run.mark == ir::DiffMark::Moved ? moved
                                                                          : changed;
        cursor.insertText(run.text, format);
    }
}

}  // namespace mitos::views
