// SPDX-License-Identifier: GPL-3.0-or-later
// Reads pages from the resources. Links between pages are file names.
#include "views/help/help_window.h"

#include "core/rules/rule.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QString>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <algorithm>

static void initHelpResources() {
    Q_INIT_RESOURCE(help);  // must not be in a namespace; the resources are in a static library
}

namespace mitos::views {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("mitos::views::help", text); }
QString escaped(const std::string& text) { return fromUtf8(text).trimmed().toHtmlEscaped(); }

/// A page with every rule: its comment, its text, and its soundness. Each rule has an anchor with its name.
QString rulesPage(const rules::RuleBook& rules) {
    QString page = QStringLiteral("<h1>%1</h1>").arg(tr("Rules in force"));
    for (const rules::RuleSet& set : rules.sets()) {
        page += QStringLiteral("<h2>%1</h2><p>%2</p><p>%3</p>")
                    .arg(escaped(set.name), escaped(set.title), escaped(set.doc));
        for (const auto& rule : set.rules) {
            page += QStringLiteral("<h3><a name=\"%1\"></a>%1</h3><p>%2</p><pre>%3</pre>")
                        .arg(escaped(rule->name), escaped(rule->doc), escaped(rule->text));
            QStringList facts{tr("soundness: %1").arg(fromUtf8(rules::toString(rule->soundness)))};
            for (const std::string& tag : rule->tags) facts << tr("tag: %1").arg(fromUtf8(tag));
            if (rule->hasSeveralRoots()) facts << tr("several roots: rewrites graphs and e-graphs");
            page += QStringLiteral("<p><i>%1</i></p>").arg(facts.join(QStringLiteral(" · ")));
        }
    }
    return page;
}

constexpr double Margin = 12.0;
constexpr double CellPadding = 4.0;

QString rulesName() { return QStringLiteral("rules"); }
QString keysName() { return QStringLiteral("keys"); }
}  // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent),
      m_list(new QListWidget(this)),
      m_pages(new QStackedWidget(this)),
      m_text(new QTextBrowser(this)),
      m_keys(new KeysPage(this)),
      m_find(new QLineEdit(this)) {
    initHelpResources();
    setObjectName(QStringLiteral("helpWindow"));
    setWindowTitle(tr("Help"));
    setUpWidget(m_list, "helpPages", {}, tr("Help pages"));
    setUpWidget(m_text, "helpText", {}, tr("The help page"));
    m_text->setOpenLinks(false);
    m_find->setObjectName(QStringLiteral("helpFind"));
    m_find->setPlaceholderText(tr("Find in this page"));
    m_find->setAccessibleName(m_find->placeholderText());
    m_find->setClearButtonEnabled(true);
    const auto add = [this](const QString& title, const QString& name) {
        auto* item = new QListWidgetItem(title, m_list);
        item->setData(Qt::UserRole, name);
    };
    add(tr("Stepping through rewrites"), QStringLiteral("stepping"));
    add(tr("Why a rule does not match"), QStringLiteral("matching"));
    add(tr("The history"), QStringLiteral("history"));
    add(tr("Sessions, programs and windows"), QStringLiteral("sessions"));
    add(tr("Searching"), QStringLiteral("searching"));
    add(tr("E-graphs"), QStringLiteral("egraphs"));
    add(tr("Extraction and e-graph files"), QStringLiteral("extraction"));
    add(tr("Tensor programs"), QStringLiteral("tensors"));
    add(tr("Regions of networks"), QStringLiteral("partitioning"));
    add(tr("Cost profiles"), QStringLiteral("cost-profiles"));
    add(tr("Timing with ONNX Runtime"), QStringLiteral("timing"));
    add(tr("Comparing searches"), QStringLiteral("comparing"));
    add(tr("Programs with loops"), QStringLiteral("loops"));
    add(tr("Gradients"), QStringLiteral("gradients"));
    add(tr("Placement and scheduling"), QStringLiteral("scheduling"));
    add(tr("Exporting"), QStringLiteral("exporting"));
    add(tr("Writing rules"), QStringLiteral("writing-rules"));
    add(tr("The rule language"), QStringLiteral("rule-language"));
    add(tr("Rules in force"), rulesName());
    add(tr("Keys"), keysName());
    auto* splitter = new QSplitter(this);
    auto* right = new QWidget(this);
    fillColumn(right, {{m_text, 1}, m_find}, {.margins = NoMargins});
    splitter->addWidget(m_list);
    m_pages->addWidget(right);
    m_pages->addWidget(m_keys);
    splitter->addWidget(m_pages);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({190, 600});
    fillColumn(this, {splitter});
    resize(820, 640);
    connect(m_list, &QListWidget::currentRowChanged, this, &HelpWindow::showCurrent);
    connect(m_keys, &KeysPage::changeRequested, this, &HelpWindow::keysChangeRequested);
    connect(m_find, &QLineEdit::returnPressed, this, &HelpWindow::findNext);
    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        if (link.isRelative() && !link.path().isEmpty())
            showPage(QFileInfo(link.path()).completeBaseName());
        else if (link.isRelative())
            m_text->scrollToAnchor(link.fragment());
        else
            QDesktopServices::openUrl(link);
    });
}

QStringList HelpWindow::pages() const {
    QStringList names;
    for (int row = 0; row < m_list->count(); ++row) names << m_list->item(row)->data(Qt::UserRole).toString();
    return names;
}

void HelpWindow::setRules(const rules::RuleBook& rules) {
    m_rules = rulesPage(rules);
    if (m_list->currentRow() >= 0) showCurrent();
}

void HelpWindow::setKeys(const QList<KeyEntry>& keys) { m_keys->setEntries(keys); }

void HelpWindow::showPage(const QString& name) {
    m_list->setCurrentRow(static_cast<int>(std::max<qsizetype>(0, pages().indexOf(name))));
}

void HelpWindow::showRule(const QString& name) {
    showPage(rulesName());
    m_text->scrollToAnchor(name);
}

void HelpWindow::showCurrent() {
    const QString name = m_list->currentItem()->data(Qt::UserRole).toString();
    m_pages->setCurrentIndex(name == keysName() ? 1 : 0);
    if (name == keysName()) return m_keys->focusSearch();
    if (name == rulesName()) {
        m_text->setHtml(m_rules);
        polish();
        return;
    }
    QFile file(QStringLiteral(":/mitos/help/%1.md").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return;
    m_text->setMarkdown(QString::fromUtf8(file.readAll()));
    polish();
}

/// Adds frames and margins, which Markdown does not describe.
void HelpWindow::polish() {
    const Theme theme(palette());
    QTextDocument& page = *m_text->document();
    page.setDocumentMargin(Margin);
    for (QTextFrame* frame : page.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (table == nullptr) continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderBrush(theme.plotGrid());
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setCellPadding(CellPadding);
        format.setCellSpacing(0);
        table->setFormat(format);
    }
    for (QTextBlock block = page.begin(); block.isValid(); block = block.next()) {
        if (!block.blockFormat().nonBreakableLines()) continue;  // code
        QTextBlockFormat format = block.blockFormat();
        format.setNonBreakableLines(false);
        format.setBackground(palette().alternateBase());
        QTextCursor(block).setBlockFormat(format);
    }
    m_text->moveCursor(QTextCursor::Start);
}

void HelpWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange && m_list->currentRow() >= 0) {
        const int place = m_text->verticalScrollBar()->value();
        showCurrent();
        m_text->verticalScrollBar()->setValue(place);
    }
    QDialog::changeEvent(event);
}

void HelpWindow::findNext() {
    if (m_text->find(m_find->text())) return;
    m_text->moveCursor(QTextCursor::Start);  // wrap around once
    m_text->find(m_find->text());
}

}  // namespace mitos::views
