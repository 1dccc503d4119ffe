// SPDX-License-Identifier: GPL-3.0-or-later
// The limits of a search.
#include "views/search_dialog/budget_fields.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QSettings>
#include <QSpinBox>

namespace mitos::views {

namespace {

constexpr std::uint64_t BytesPerMegabyte = 1ULL << 20U;
constexpr int MaxCount = 2'000'000'000;
constexpr double MaxSeconds = 86'400.0;
constexpr double DefaultSeconds = 10.0;
constexpr int DefaultEvaluations = 20'000;
constexpr int DefaultStates = 1'000'000;
constexpr int DefaultMegabytes = 1024;

QString key(const QWidget* field) { return QStringLiteral("search/budget/") + field->objectName(); }

}  // namespace

BudgetFields::BudgetFields(QWidget* parent) : QWidget(parent) {
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setColumnStretch(1, 1);
    addRow(m_useSeconds, m_seconds, QStringLiteral("seconds"), tr("Time"));
    addRow(m_useEvaluations, m_evaluations, QStringLiteral("evaluations"), tr("Expressions evaluated"));
    addRow(m_useStates, m_states, QStringLiteral("states"), tr("States kept"));
    addRow(m_useMemory, m_megabytes, QStringLiteral("memory"), tr("Memory"));
    m_seconds->setDecimals(1);
    m_seconds->setRange(0.1, MaxSeconds);
    m_seconds->setSuffix(tr(" s"));
    m_megabytes->setSuffix(tr(" MB"));
    for (QSpinBox* box : {m_evaluations, m_states, m_megabytes}) {
        box->setRange(1, MaxCount);
        box->setGroupSeparatorShown(true);
        box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    }
    setDefaults();
}

void BudgetFields::setDefaults() {
    m_seconds->setValue(DefaultSeconds);
    m_evaluations->setValue(DefaultEvaluations);
    m_states->setValue(DefaultStates);
    m_megabytes->setValue(DefaultMegabytes);
    for (QCheckBox* use : {m_useEvaluations, m_useStates}) use->setChecked(false);
    for (QCheckBox* use : {m_useSeconds, m_useMemory}) use->setChecked(true);
}

template <typename Box>
void BudgetFields::addRow(QCheckBox*& use, Box*& box, const QString& name, const QString& title) {
    auto* layout = static_cast<QGridLayout*>(this->layout());
    const int row = layout->rowCount();
    use = new QCheckBox(title, this);
    use->setObjectName(QStringLiteral("use.") + name);
    box = new Box(this);
    box->setObjectName(QStringLiteral("budget.") + name);
    box->setAccessibleName(title);
    box->setEnabled(false);
    layout->addWidget(use, row, 0);
    layout->addWidget(box, row, 1);
    connect(use, &QCheckBox::toggled, box, &QWidget::setEnabled);
    connect(use, &QCheckBox::toggled, this, &BudgetFields::changed);
    connect(box, &Box::valueChanged, this, &BudgetFields::changed);
}

search::Budget BudgetFields::budget() const {
    search::Budget budget;
    if (m_useSeconds->isChecked()) budget.seconds = m_seconds->value();
    if (m_useEvaluations->isChecked()) budget.evaluations = static_cast<std::uint64_t>(m_evaluations->value());
    if (m_useStates->isChecked()) budget.states = static_cast<std::uint64_t>(m_states->value());
    if (m_useMemory->isChecked())
        budget.memoryBytes = static_cast<std::uint64_t>(m_megabytes->value()) * BytesPerMegabyte;
    return budget;
}

void BudgetFields::load(const QSettings& settings) {
    for (QCheckBox* use : {m_useSeconds, m_useEvaluations, m_useStates, m_useMemory}) {
        use->setChecked(settings.value(key(use), use->isChecked()).toBool());
    }
    m_seconds->setValue(settings.value(key(m_seconds), m_seconds->value()).toDouble());
    for (QSpinBox* box : {m_evaluations, m_states, m_megabytes}) {
        box->setValue(settings.value(key(box), box->value()).toInt());
    }
}

void BudgetFields::save(QSettings& settings) const {
    for (const QCheckBox* use : {m_useSeconds, m_useEvaluations, m_useStates, m_useMemory}) {
        settings.setValue(key(use), use->isChecked());
    }
    settings.setValue(key(m_seconds), m_seconds->value());
    for (const QSpinBox* box : {m_evaluations, m_states, m_megabytes}) settings.setValue(key(box), box->value());
}

}  // namespace mitos::views
