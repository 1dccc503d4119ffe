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

/// Printing two programs with this many nodes in total takes a few milliseconds.
constexpr std::uint64_t MaxMarkedNodes = 1500;
constexpr std::size_t MaxUnmarkedBytes = 4'000;
constexpr std::ptrdiff_t MostNodes = 60;  // most lines of a preview
constexpr ir::PrintOptions Preview{.width = 60, .compact = true};

/// Cuts the subterm out of its printed program, removes its indentation there, and marks each byte by its node.
std::vector<DiffRun> markedRuns(const ir::PrintedText& printed, const ir::Path& position,
                                const std::vector<ir::DiffMark>& marks) {
    const auto first = std::ranges::find(printed.spans, position, &ir::PrintedSpan::path);
    if (first == printed.spans.end()) return {};
    const std::size_t begin = first->begin;
    const std::size_t end = first->end;

    std::vector<ir::DiffMark> byteMarks(end - begin, ir::DiffMark::Kept);
    const auto nodes = std::min<std::size_t>(marks.size(), static_cast<std::size_t>(printed.spans.end() - first));
    for (std::size_t i = 0; i < nodes; ++i) {  // in pre-order, so that a child's mark overrides its parent's
        const ir::PrintedSpan& span = first[static_cast<std::ptrdiff_t>(i)];
        std::fill(byteMarks.begin() + static_cast<std::ptrdiff_t>(span.begin - begin),
                  byteMarks.begin() + static_cast<std::ptrdiff_t>(span.end - begin), marks[i]);
    }

    const std::size_t newline = printed.text.rfind('\n', begin);
    const std::size_t indent = begin - (newline == std::string::npos ? 0 : newline + 1);

    std::vector<DiffRun> runs;
    std::string pending;
    ir::DiffMark pendingMark = ir::DiffMark::Kept;
    const auto flush = [&] {
        if (!pending.empty()) runs.push_back({fromUtf8(pending), pendingMark});
        pending.clear();
    };
    bool atLineStart = false;
    std::size_t column = 0;
    for (std::size_t at = begin; at < end; ++at) {
        const char c = printed.text[at];
        if (atLineStart && c == ' ' && column++ < indent) continue;
        if (c != ' ') atLineStart = false;
        // Line breaks and indentation carry no mark, because a marked margin has no meaning.
        const ir::DiffMark mark = c == '\n' || atLineStart ? ir::DiffMark::Kept : byteMarks[at - begin];
        if (mark != pendingMark) {
            flush();
            pendingMark = mark;
        }
        pending.push_back(c);
        if (c == '\n') {
            atLineStart = true;
            column = 0;
        }
    }
    flush();
    return runs;
}

std::vector<DiffRun> plainRuns(const ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                               ir::TermId term) {
    const ir::PrintOptions options =
        bank.treeSize(term) > MaxMarkedNodes ? ir::PrintOptions{.width = 0, .compact = true} : Preview;
    std::string text = ir::printTermAt(bank, program, position, term, options);
    if (text.size() > MaxUnmarkedBytes) text = text.substr(0, MaxUnmarkedBytes) + " …";
    return {{fromUtf8(text), ir::DiffMark::Kept}};
}

/// The nodes of a graph that the other side does not have, children first; only the root if there are none.
std::vector<DiffRun> nodeRuns(const ir::TermBank& bank, const ir::SharedNodes& nodes, const ir::SharedNodes& others) {
    std::vector<ir::TermId> own;
    // The tuple that joins several roots is not part of the program.
    std::ranges::copy_if(nodes, std::back_inserter(own),
                         [&](ir::TermId node) { return !others.contains(node) && !bank.is(node, ir::CoreOp::Tuple); });
    if (std::ssize(own) > MostNodes) own.erase(own.begin(), own.end() - MostNodes);
    const tensor::PrintedNodes printed = tensor::printNodes(bank, own);
    if (printed.nodes.empty()) return {{fromUtf8(tensor::termText(bank, nodes.root(), 1)), ir::DiffMark::Kept}};
    std::vector<DiffRun> runs;
    for (const tensor::PrintedNode& node : printed.nodes) {
        if (!runs.empty()) runs.push_back({QStringLiteral("\n"), ir::DiffMark::Kept});
        runs.push_back({fromUtf8(printed.text.substr(node.begin, node.end - node.begin)), ir::DiffMark::Changed});
    }
    return runs;
}

QString costLine(const RewritePreviewContent& content) {
    return RewritePreview::tr("%1 → %2 %3  (%4, %5)")
        .arg(costText(content.costBefore), costText(content.row.costAfter), content.unit, deltaText(content.delta),
             content.model);
}

}  // namespace

DiffText diffText(const ir::TermBank& bank, const ir::Program& program, const rewrite::Rewrite& rewrite) {
    if (bank.dialect(program.function).sharesNodes()) {
        const ir::SharedNodes before(bank, rewrite.subterm);
        const ir::SharedNodes replaced(bank, rewrite.replacement);
        return {nodeRuns(bank, before, replaced), nodeRuns(bank, replaced, before), true};
    }
    const ir::Program after{program.function, rewrite.result};
    if (bank.treeSize(program.root) + bank.treeSize(after.root) > MaxMarkedNodes) {
        const ir::Path& position = rewrite.step.positions.front();
        return {plainRuns(bank, program, position, rewrite.subterm),
                plainRuns(bank, program, position, rewrite.replacement), false};
    }
    const ir::Diff difference = ir::diff(bank, rewrite.subterm, rewrite.replacement);
    return {markedRuns(ir::printWithSpans(bank, program, Preview), rewrite.step.positions.front(), difference.before),
            markedRuns(ir::printWithSpans(bank, after, Preview), rewrite.step.positions.front(), difference.after),
            true};
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
    kept.setFont(programFont());
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
