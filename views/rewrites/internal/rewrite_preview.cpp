// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the effect of the selected rewrite.
#include "views/rewrites/internal/rewrite_preview.h"

#include "core/ir/dialect.h"
#include "core/ir/shared.h"
#include "core/tensor/text.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/rewrites/rewrites_model.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTextCursor>
#include <QTextEdit>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr std::ptrdiff_t MostNodes = 60;  // most lines of a preview

/// The nodes of a graph that the other side does not have, children first; only the root if there are none.
QStringList ownNodes(const ir::TermBank& bank, const ir::SharedNodes& nodes, const ir::SharedNodes& others) {
    std::vector<ir::TermId> own;
    // The tuple that joins several roots is not part of the program.
    std::ranges::copy_if(nodes, std::back_inserter(own),
                         [&](ir::TermId node) { return !others.contains(node) && !bank.is(node, ir::CoreOp::Tuple); });
    if (std::ssize(own) > MostNodes) own.erase(own.begin(), own.end() - MostNodes);
    const tensor::PrintedNodes printed = tensor::printNodes(bank, own);
    if (printed.nodes.empty()) return {fromUtf8(tensor::termText(bank, nodes.root(), 1))};
    QStringList lines;
    for (const tensor::PrintedNode& node : printed.nodes) {
        lines << fromUtf8(printed.text.substr(node.begin, node.end - node.begin));
    }
    return lines;
}

QString costLine(const RewritePreviewContent& content) {
    return RewritePreview::tr("%1  (%2, %3)")
        .arg(fromToText(content.costBefore, content.row.costAfter, content.unit),
             deltaText(content.delta, content.unit), content.model);
}

}  // namespace

ReplacedNodes replacedNodes(const ir::TermBank& bank, const ir::Program& program, const rewrite::Rewrite& rewrite) {
    if (!bank.dialect(program.function).sharesNodes()) return {};
    const ir::SharedNodes before(bank, rewrite.subterm);
    const ir::SharedNodes replaced(bank, rewrite.replacement);
    return {ownNodes(bank, before, replaced), ownNodes(bank, replaced, before)};
}

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
    setUpWidget(m_text, "rewritePreviewText", {}, tr("The rule of the rewrite, and the nodes it replaces"));
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);

    auto* lines = columnOf({m_title, m_cost, stretch()}, {.spacing = 2});
    auto* buttons = columnOf({m_apply, m_help, stretch()});
    auto* head = rowOf({{lines, 1}, buttons});
    fillColumn(this, {head, {m_text, 1}, stretch(0)}, {.margins = NoMargins});

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
    m_text->setVisible(m_content.has_value());
    m_text->clear();
    if (!m_content) {
        m_title->setText(tr("Select a rewrite to see what it does."));
        return;
    }
    const Theme theme(palette());
    const rules::Rule& rule = m_content->row.rule->rule();
    m_title->setText(tr("%1 at %2").arg(ruleText(*m_content->row.rule), m_content->row.place));
    m_title->setToolTip(fromUtf8(m_content->row.step().place()));
    m_cost->setText(costLine(*m_content));

    QTextCharFormat plain;
    plain.setForeground(palette().text());
    QTextCharFormat heading = plain;
    heading.setForeground(theme.faintText());
    QTextCharFormat code = plain;
    code.setFont(programFont());

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
    if (const ReplacedNodes& nodes = m_content->nodes; !nodes.after.isEmpty()) {
        cursor.insertText(tr("Before") + QLatin1Char('\n'), heading);
        writeNodes(cursor, nodes.before, theme.removed(), QTextCharFormat::DashUnderline);
        cursor.insertText(tr("After") + QLatin1Char('\n'), heading);
        writeNodes(cursor, nodes.after, theme.added(), QTextCharFormat::SingleUnderline);
        cursor.insertText(QStringLiteral("\n"), plain);
    }
    cursor.insertText(tr("Rule (%1)").arg(RewritesModel::soundnessText(rule.soundness)) + QLatin1Char('\n'), heading);
    if (!rule.doc.empty()) cursor.insertText(fromUtf8(rule.doc).trimmed() + QLatin1Char('\n'), plain);
    cursor.insertText(fromUtf8(rule.text).trimmed(), code);
    cursor.endEditBlock();
    m_text->verticalScrollBar()->setValue(0);
}

/// One line a node, marked by colour and underline.
void RewritePreview::writeNodes(QTextCursor& cursor, const QStringList& nodes, const QColor& ground,
                                QTextCharFormat::UnderlineStyle underline) const {
    QTextCharFormat plain;
    plain.setFont(programFont());
    QTextCharFormat marked = plain;
    marked.setForeground(palette().text());
    marked.setBackground(ground);
    marked.setUnderlineStyle(underline);
    for (const QString& node : nodes) {
        cursor.insertText(node, marked);
        cursor.insertText(QStringLiteral("\n"), plain);
    }
}

}  // namespace mitos::views
