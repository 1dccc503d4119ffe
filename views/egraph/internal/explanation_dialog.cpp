// SPDX-License-Identifier: GPL-3.0-or-later
// See explanation_dialog.h.
#include "views/egraph/internal/explanation_dialog.h"

#include "core/dialects/dialects.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/program/thread_steps.h"
#include "views/theme/theme.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>

namespace mitos::views {

namespace {

constexpr QSize UsualSize(760, 460);
constexpr int TermLines = 5;
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
      m_steps(new ThreadSteps("explanationSteps", this)),
      m_term(termBox("explanationTerm", tr("The term after the step"), this)) {
    setObjectName(QStringLiteral("explanationDialog"));
    setWindowTitle(tr("Why These Are Equal"));
    const std::size_t steps = m_found.thread.steps.size();
    auto* about = new QLabel(steps == 1 ? tr("1 step, checked: an instance of a rule.")
                                        : tr("%1 steps, checked: each is an instance of a rule.").arg(steps),
                             this);
    about->setObjectName(QStringLiteral("explanationAbout"));
    m_steps->setRows(threadRows(*m_found.bank, m_found.thread));
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
    connect(m_steps, &ThreadSteps::stateChosen, this, [this](int state) { showTerm(state); });
    m_steps->showState(0);
}

QString ExplanationDialog::termText(int state) const {
    ir::Program program = m_found.thread.start;
    if (state > 0) program.root = m_found.thread.states[static_cast<std::size_t>(state) - 1];
    return fromUtf8(dialects::printTermAt(*m_found.bank, program, {}, program.root));
}

void ExplanationDialog::showTerm(int state) { m_term->setPlainText(termText(state)); }

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
