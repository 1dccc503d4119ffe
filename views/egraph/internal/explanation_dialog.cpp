// SPDX-License-Identifier: GPL-3.0-or-later
// See explanation_dialog.h.
#include "views/egraph/internal/explanation_dialog.h"

#include "core/dialects/dialects.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/places.h"
#include "views/theme/theme.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableWidget>

namespace mitos::views {

namespace {

enum StepColumn { RuleColumn, PlaceColumn, TermColumn, StepColumnCount };
constexpr QSize UsualSize(760, 460);
constexpr int TermLines = 5;
constexpr int RowMargin = 6;
constexpr qsizetype LongestLine = 160;
constexpr int AnswerWidth = 560;

/// A term that can be scrolled and copied.
QPlainTextEdit* termBox(const char* name, const QString& about, QWidget* parent) {
    auto* box = new QPlainTextEdit(parent);
    setUpWidget(box, name, {}, about);
    box->setReadOnly(true);
    box->setTabChangesFocus(true);
    setOwnFont(box, [] { return programFont(); });
    box->setMaximumHeight(TermLines * box->fontMetrics().lineSpacing());
    return box;
}

}  // namespace

ExplanationDialog::ExplanationDialog(const FoundThread& found, QWidget* parent)
    : QDialog(parent),
      m_found(found),
      m_steps(new QTableWidget(this)),
      m_term(termBox("explanationTerm", tr("The term after the step"), this)) {
    setObjectName(QStringLiteral("explanationDialog"));
    setWindowTitle(tr("Why These Are Equal"));
    const std::size_t steps = m_found.thread.steps.size();
    auto* about = new QLabel(steps == 1 ? tr("1 step, checked: an instance of a rule.")
                                        : tr("%1 steps, checked: each is an instance of a rule.").arg(steps),
                             this);
    about->setObjectName(QStringLiteral("explanationAbout"));
    fill();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    if (m_found.fromProgram) {
        QPushButton* take = buttons->addButton(tr("Into the History"), QDialogButtonBox::ActionRole);
        setUpWidget(take, "explanationTake", tr("Add the steps to the history of the program"));
        connect(take, &QPushButton::clicked, this, [this] {
            Q_EMIT historyRequested(m_found);
            accept();
        });
    }
    fillColumn(this, {about, {m_steps, 1}, m_term, buttons});
    resize(UsualSize);
    connect(m_steps, &QTableWidget::currentCellChanged, this, [this](int row) { showTerm(row); });
    m_steps->setCurrentCell(0, RuleColumn);
}

QString ExplanationDialog::termText(int row) const {
    ir::Program program = m_found.thread.start;
    if (row > 0) program.root = m_found.thread.states[static_cast<std::size_t>(row) - 1];
    return fromUtf8(dialects::printTermAt(*m_found.bank, program, {}, program.root));
}

void ExplanationDialog::fill() {
    setUpWidget(m_steps, "explanationSteps", {}, tr("Steps"));
    m_steps->setWordWrap(false);
    m_steps->setColumnCount(StepColumnCount);
    m_steps->setHorizontalHeaderLabels({tr("Rule"), tr("At"), tr("Term")});
    m_steps->setRowCount(static_cast<int>(m_found.thread.steps.size()) + 1);
    m_steps->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_steps->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_steps->setSelectionMode(QAbstractItemView::SingleSelection);
    m_steps->setTabKeyNavigation(false);
    m_steps->verticalHeader()->hide();
    m_steps->verticalHeader()->setDefaultSectionSize(m_steps->fontMetrics().height() + RowMargin);
    m_steps->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_steps->horizontalHeader()->setSectionResizeMode(TermColumn, QHeaderView::Stretch);
    for (int row = 0; row < m_steps->rowCount(); ++row) {
        QStringList texts{QString(), QString(), termText(row).simplified().left(LongestLine)};
        if (row > 0) {
            const rewrite::Step& step = m_found.thread.steps[static_cast<std::size_t>(row) - 1];
            texts[RuleColumn] = fromUtf8(step.name());
            ir::Program before = m_found.thread.start;
            if (row > 1) before.root = m_found.thread.states[static_cast<std::size_t>(row) - 2];
            texts[PlaceColumn] = PlaceNames(*m_found.bank, before, 0).of(step);
        }
        for (int column = 0; column < StepColumnCount; ++column) {
            m_steps->setItem(row, column, new QTableWidgetItem(texts[column]));
        }
    }
}

void ExplanationDialog::showTerm(int row) {
    if (row >= 0) m_term->setPlainText(termText(row));
}

NotEqualDialog::NotEqualDialog(const search::NotEqual& answer, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("notEqualDialog"));
    setWindowTitle(tr("Why These Are Not Equal"));
    auto* about = new QLabel(fromUtf8(answer.toString()), this);
    setUpPlainLabel(about, "notEqualReason");
    about->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    about->setMinimumWidth(AnswerWidth);
    QPlainTextEdit* first = termBox("notEqualFirst", tr("The first term"), this);
    first->setPlainText(fromUtf8(answer.first));
    QPlainTextEdit* second = termBox("notEqualSecond", tr("The second term"), this);
    second->setPlainText(fromUtf8(answer.second));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    fillColumn(this, {first, second, about, buttons});
}

}  // namespace mitos::views
