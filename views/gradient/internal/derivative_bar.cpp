// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/derivative_bar.h"

#include "core/coarsening/coarsen.h"
#include "core/ir/calls.h"
#include "views/common/format.h"
#include "views/common/widgets.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>

namespace mitos::views {

namespace {

using autodiff::Direction;
using autodiff::Form;

constexpr int NameLetters = 12;
constexpr int LimitStep = 50;
constexpr int MostLimit = 1'000'000;
constexpr qsizetype LongestParameters = 16;

QString functionKey() { return QStringLiteral("gradient-function"); }
QString directionKey() { return QStringLiteral("gradient-direction"); }
QString formKey() { return QStringLiteral("gradient-form"); }
QString coarsenKey() { return QStringLiteral("gradient-coarsen"); }
QString limitKey() { return QStringLiteral("gradient-size-limit"); }
QString wrtKey() { return QStringLiteral("gradient-wrt"); }

int usualLimit() { return static_cast<int>(coarsening::CoarsenOptions().sizeLimit); }

}  // namespace

DerivativeBar::DerivativeBar(QWidget* parent)
    : QWidget(parent),
      m_function(new QComboBox(this)),
      m_direction(new QComboBox(this)),
      m_form(new QComboBox(this)),
      m_coarsen(new QCheckBox(tr("&Coarsen"), this)),
      m_limit(new QSpinBox(this)),
      m_parameters(new QToolButton(this)),
      m_menu(new QMenu(this)) {
    build();
    fillRow(this,
            {new QLabel(tr("Function"), this), m_function, m_direction, m_form, gap(8), m_coarsen, m_limit, gap(8),
             m_parameters, stretch()},
            {.margins = NoMargins});
    for (QComboBox* box : {m_function, m_direction, m_form}) {
        connect(box, &QComboBox::activated, this, [this] {
            showState();
            Q_EMIT chosen();
        });
    }
    connect(m_coarsen, &QCheckBox::clicked, this, [this] {
        showState();
        Q_EMIT chosen();
    });
    connect(m_limit, &QSpinBox::valueChanged, this, &DerivativeBar::chosen);
    showState();
}

void DerivativeBar::build() {
    setUpWidget(m_function, "gradientFunction", tr("The function that is differentiated"), tr("Function"));
    m_function->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_function->setMinimumContentsLength(NameLetters);
    setUpWidget(
        m_direction, "gradientDirection",
        tr("Reverse: the gradient, for a tangent of the result. Forward: the tangent of the result for one of the "
           "arguments"),
        tr("Direction"));
    m_direction->addItem(tr("reverse"), static_cast<int>(Direction::Reverse));
    m_direction->addItem(tr("forward"), static_cast<int>(Direction::Forward));
    setUpWidget(
        m_form, "gradientForm",
        tr("How reverse mode adds up tangents of vectors. Scatter: each value at its index, for code that runs. "
           "Delta: vectors that are zero but for one element, for searches"),
        tr("Form"));
    m_form->addItem(tr("scatter"), static_cast<int>(Form::Scatter));
    m_form->addItem(tr("delta"), static_cast<int>(Form::Delta));
    setUpWidget(m_coarsen, "gradientCoarsen",
                tr("Differentiate symbolic forms: loops become closed forms where rules give them"));
    setUpWidget(m_limit, "gradientSizeLimit", tr("The largest segment, in operators of its symbolic form"),
                tr("Size limit"));
    m_limit->setRange(1, MostLimit);
    m_limit->setSingleStep(LimitStep);
    m_limit->setValue(usualLimit());
    m_limit->setPrefix(tr("up to "));
    m_limit->setSuffix(tr(" operators"));
    m_limit->setKeyboardTracking(false);
    setUpWidget(m_parameters, "gradientParameters", {}, tr("Parameters of the gradient"));
    m_parameters->setPopupMode(QToolButton::InstantPopup);
    m_parameters->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_menu->setObjectName(QStringLiteral("gradientParametersMenu"));
    m_parameters->setMenu(m_menu);
}

void DerivativeBar::fill(Document& document) {
    const QString kept = m_function->count() == 0 ? m_storedFunction : m_function->currentText();
    const QSignalBlocker blocker(m_function);
    m_function->clear();
    const ir::Program program = document.current();
    std::vector<ir::FunctionId> functions = ir::callOrder(document.bank(), program);
    functions.push_back(program.function);
    std::ranges::reverse(functions);
    for (const ir::FunctionId id : functions) {
        const ir::Function& function = document.bank().function(id);
        if (id == program.function || function.body.isValid()) m_function->addItem(fromUtf8(function.name), id.value);
    }
    m_function->setCurrentIndex(std::max(0, m_function->findText(kept)));
    fillParameters(document);
    showState();
}

void DerivativeBar::clear() {
    m_function->clear();
    m_names.clear();
    m_offered.clear();
}

/// A gradient belongs to a result that is one Float, and to parameters with Floats.
void DerivativeBar::fillParameters(Document& document) {
    ir::TermBank& bank = document.bank();
    const ir::Function& base = bank.function(function());
    const bool isFloat = bank.types().erased(base.declaredResult) == bank.types().floating();
    m_names.clear();
    m_offered.clear();
    for (const ir::Parameter& parameter : base.parameters) {
        m_names << fromUtf8(bank.text(parameter.name));
        const bool hasTangent = bank.types().tangent(bank.types().erased(parameter.type)) != bank.types().unit();
        if (isFloat && hasTangent) m_offered << m_names.back();
    }
    m_menu->clear();
    auto* whole = m_menu->addAction(tr("All parameters, as [rev f]"));
    whole->setObjectName(QStringLiteral("gradientWhole"));
    // Queued, because the actions are made again after a choice.
    const auto takeAll = [this] {
        m_wanted.clear();
        showState();
        Q_EMIT chosen();
    };
    connect(whole, &QAction::triggered, this, takeAll, Qt::QueuedConnection);
    m_menu->addSeparator();
    for (const QString& name : m_offered) {
        QAction* action = m_menu->addAction(name);
        action->setCheckable(true);
        action->setChecked(m_wanted.contains(name));
        const auto toggle = [this, name](bool isWanted) { toggleParameter(name, isWanted); };
        connect(action, &QAction::toggled, this, toggle, Qt::QueuedConnection);
    }
}

void DerivativeBar::toggleParameter(const QString& name, bool isWanted) {
    m_wanted.removeAll(name);
    if (isWanted) m_wanted << name;
    showState();
    Q_EMIT chosen();
}

void DerivativeBar::restore(const Document& document) {
    const QSignalBlocker limit(m_limit);
    m_storedFunction = document.viewValue(functionKey());
    m_direction->setCurrentIndex(document.viewValue(directionKey()) == QLatin1String("fwd") ? 1 : 0);
    m_form->setCurrentIndex(document.viewValue(formKey()) == QLatin1String("delta") ? 1 : 0);
    m_coarsen->setChecked(document.viewValue(coarsenKey()) == QLatin1String("on"));
    const int stored = document.viewValue(limitKey()).toInt();
    m_limit->setValue(stored > 0 ? stored : usualLimit());
    m_wanted = document.viewValue(wrtKey()).split(QLatin1Char(','), Qt::SkipEmptyParts);
    showState();
}

void DerivativeBar::store(Document& document) const {
    document.setViewValue(functionKey(), m_function->currentText());
    document.setViewValue(directionKey(), isForward() ? QStringLiteral("fwd") : QString());
    document.setViewValue(formKey(), m_form->currentIndex() == 1 ? QStringLiteral("delta") : QString());
    document.setViewValue(coarsenKey(), m_coarsen->isChecked() ? QStringLiteral("on") : QString());
    document.setViewValue(limitKey(), m_limit->value() == usualLimit() ? QString() : QString::number(m_limit->value()));
    document.setViewValue(wrtKey(), m_wanted.join(QLatin1Char(',')));
}

ir::FunctionId DerivativeBar::function() const { return ir::FunctionId(m_function->currentData().toUInt()); }

QString DerivativeBar::functionName() const { return m_function->currentText(); }

bool DerivativeBar::offersFunction(const QString& name) const { return m_function->findText(name) >= 0; }

bool DerivativeBar::chooseFunction(const QString& name) {
    const int index = m_function->findText(name);
    if (index < 0) return false;
    m_function->setCurrentIndex(index);
    return true;
}

bool DerivativeBar::isForward() const { return m_direction->currentIndex() == 1; }

autodiff::Direction DerivativeBar::direction() const {
    return static_cast<Direction>(m_direction->currentData().toInt());
}

autodiff::Form DerivativeBar::form() const { return static_cast<Form>(m_form->currentData().toInt()); }

bool DerivativeBar::coarsens() const { return m_coarsen->isChecked() && !isForward(); }

void DerivativeBar::setCoarsening(bool coarsens) {
    if (coarsens) m_direction->setCurrentIndex(0);
    m_coarsen->setChecked(coarsens);
    showState();
    Q_EMIT chosen();
}

std::size_t DerivativeBar::sizeLimit() const { return static_cast<std::size_t>(m_limit->value()); }

std::vector<std::size_t> DerivativeBar::wrt() const {
    std::vector<std::size_t> numbers;
    for (qsizetype i = 0; i < m_names.size() && !isForward(); ++i) {
        if (m_wanted.contains(m_names[i]) && m_offered.contains(m_names[i]))
            numbers.push_back(static_cast<std::size_t>(i));
    }
    return numbers;
}

void DerivativeBar::showState() {
    m_form->setEnabled(!isForward());
    m_coarsen->setEnabled(!isForward());
    m_limit->setEnabled(coarsens());
    QStringList chosen;
    for (const QString& name : m_offered) {
        if (m_wanted.contains(name)) chosen << name;
    }
    m_parameters->setEnabled(!isForward() && !m_offered.isEmpty());
    m_parameters->setText(chosen.isEmpty()
                              ? tr("In all parameters")
                              : tr("In %1").arg(shortened(chosen.join(QStringLiteral(", ")), LongestParameters)));
    m_parameters->setToolTip(
        m_offered.isEmpty() ? tr("A gradient in chosen parameters is for functions whose result is one Float")
                            : tr("The parameters in which the gradient is wanted; nothing is computed for others"));
}

}  // namespace mitos::views
