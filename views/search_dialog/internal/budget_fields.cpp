// SPDX-License-Identifier: GPL-3.0-or-later
// The limits of a search, as fields of a dialog.
#include "views/search_dialog/internal/budget_fields.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QSettings>
#include <QSpinBox>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr std::uint64_t BytesPerMegabyte = 1ULL << 20U;
constexpr int MaxCount = 2'000'000'000;
constexpr double MaxSeconds = 86'400.0;
constexpr double DefaultSeconds = 10.0;
constexpr int DefaultEvaluations = 20'000;
constexpr int DefaultStates = 1'000'000;
constexpr double SmallestSeconds = 0.1;

QString useKey(const char* name) { return QStringLiteral("search/budget/use.") + QLatin1String(name); }

QString valueKey(const char* name) { return QStringLiteral("search/budget/budget.") + QLatin1String(name); }

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
    m_seconds->setRange(SmallestSeconds, MaxSeconds);
    m_seconds->setSuffix(tr(" s"));
    m_megabytes->setSuffix(tr(" MB"));
    for (QSpinBox* box : {m_evaluations, m_states, m_megabytes}) {
        box->setRange(1, MaxCount);
        box->setGroupSeparatorShown(true);
        box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    }
    m_evaluations->setValue(DefaultEvaluations);
    m_states->setValue(DefaultStates);
    setBudget(usual());
}

search::Budget BudgetFields::usual() {
    return search::completed({.evaluations = {}, .seconds = DefaultSeconds, .states = {}, .memoryBytes = {}});
}

void BudgetFields::setBudget(const search::Budget& budget) {
    m_useSeconds->setChecked(budget.seconds.has_value());
    m_useEvaluations->setChecked(budget.evaluations.has_value());
    m_useStates->setChecked(budget.states.has_value());
    m_useMemory->setChecked(budget.memoryBytes.has_value());
    if (budget.seconds) m_seconds->setValue(*budget.seconds);
    const auto count = [](std::uint64_t value) {
        return static_cast<int>(std::clamp<std::uint64_t>(value, 1, std::uint64_t{MaxCount}));
    };
    if (budget.evaluations) m_evaluations->setValue(count(*budget.evaluations));
    if (budget.states) m_states->setValue(count(*budget.states));
    if (budget.memoryBytes) m_megabytes->setValue(count(*budget.memoryBytes / BytesPerMegabyte));
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

search::Budget BudgetFields::stored(const QSettings& settings) {
    search::Budget budget = usual();
    const auto read = [&settings](const char* name, auto& limit, auto usualValue, auto take) {
        const QVariant use = settings.value(useKey(name));
        if (use.isValid() ? !use.toBool() : !limit.has_value()) {
            limit.reset();
            return;
        }
        limit = take(settings.value(valueKey(name)), limit.value_or(usualValue));
    };
    const auto count = [](const QVariant& value, std::uint64_t otherwise) {
        const int number = value.toInt();
        return number > 0 ? static_cast<std::uint64_t>(std::min(number, MaxCount)) : otherwise;
    };
    read("seconds", budget.seconds, DefaultSeconds, [](const QVariant& value, double otherwise) {
        const double seconds = value.toDouble();
        return seconds >= SmallestSeconds ? std::min(seconds, MaxSeconds) : otherwise;  // also rejects NaN
    });
    read("evaluations", budget.evaluations, std::uint64_t{DefaultEvaluations}, count);
    read("states", budget.states, std::uint64_t{DefaultStates}, count);
    read("memory", budget.memoryBytes, search::DefaultMemoryBytes,
         [&count](const QVariant& value, std::uint64_t otherwise) {
             return count(value, otherwise / BytesPerMegabyte) * BytesPerMegabyte;
         });
    return budget;
}

void BudgetFields::store(QSettings& settings, const search::Budget& budget) {
    const auto write = [&settings](const char* name, bool used, const QVariant& value) {
        settings.setValue(useKey(name), used);
        if (used) settings.setValue(valueKey(name), value);
    };
    const auto count = [](const std::optional<std::uint64_t>& limit) {
        return static_cast<qulonglong>(limit.value_or(0));
    };
    write("seconds", budget.seconds.has_value(), budget.seconds.value_or(0.0));
    write("evaluations", budget.evaluations.has_value(), count(budget.evaluations));
    write("states", budget.states.has_value(), count(budget.states));
    write("memory", budget.memoryBytes.has_value(),
          static_cast<qulonglong>(budget.memoryBytes.value_or(0) / BytesPerMegabyte));
}

}  // namespace mitos::views
