// SPDX-License-Identifier: GPL-3.0-or-later
// A form generated from the description of parameters.
#include "views/common/parameter_form.h"

#include "views/common/format.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <algorithm>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

int clampedInt(double value) {
    return static_cast<int>(std::clamp(value, static_cast<double>(std::numeric_limits<int>::min()),
                                       static_cast<double>(std::numeric_limits<int>::max())));
}

/// More parameters than these are in two columns, so that the dialog is not higher than small screens.
constexpr std::size_t MostRows = 10;
constexpr int ColumnSpacing = 8;

QFormLayout* addColumn(QHBoxLayout& columns) {
    if (columns.count() > 0) columns.addSpacing(ColumnSpacing);
    auto* column = new QFormLayout;
    column->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    columns.addLayout(column, 1);
    return column;
}

/// Shows no zeros at the end of a number: "10", "0.5".
class NumberBox : public QDoubleSpinBox {
public:
    using QDoubleSpinBox::QDoubleSpinBox;
    [[nodiscard]] QString textFromValue(double value) const override {
        QLocale plain = locale();
        plain.setNumberOptions(QLocale::OmitGroupSeparator);
        return plain.toString(value, 'f', QLocale::FloatingPointShortest);
    }
};

}  // namespace

ParameterForm::ParameterForm(std::vector<ParameterInfo> parameters, const ParameterValues& values, QWidget* parent)
    : QWidget(parent),
      m_parameters(std::move(parameters)) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* columns = new QHBoxLayout(this);
    columns->setContentsMargins(0, 0, 0, 0);
    QFormLayout* layout = addColumn(*columns);
    if (m_parameters.empty()) {
        auto* none = new QLabel(tr("There are no parameters."), this);
        none->setForegroundRole(QPalette::PlaceholderText);
        layout->addRow(none);
    }
    const std::size_t rows = m_parameters.size() > MostRows ? (m_parameters.size() + 1) / 2 : m_parameters.size();
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        const ParameterInfo& parameter = m_parameters[i];
        if (i > 0 && i == rows) layout = addColumn(*columns);
        QWidget* field = makeField(parameter);
        field->setObjectName(QStringLiteral("parameter.") + fromUtf8(parameter.name));
        field->setToolTip(fromUtf8(parameter.help));
        field->setAccessibleName(fromUtf8(parameter.title));
        field->setAccessibleDescription(fromUtf8(parameter.help));
        m_fields.emplace(parameter.name, field);
        auto* label = new QLabel(fromUtf8(parameter.title), this);
        label->setToolTip(fromUtf8(parameter.help));
        label->setBuddy(field);
        layout->addRow(label, field);
        const auto given = values.find(parameter.name);
        const bool fits = given != values.end() && given->second.index() == parameter.defaultValue.index();
        setValue(parameter, fits ? given->second : parameter.defaultValue);
    }
}

QWidget* ParameterForm::makeField(const ParameterInfo& parameter) {
    if (std::holds_alternative<bool>(parameter.defaultValue)) {
        auto* box = new QCheckBox(this);
        connect(box, &QCheckBox::toggled, this, &ParameterForm::changed);
        return box;
    }
    if (std::holds_alternative<std::int64_t>(parameter.defaultValue)) {
        auto* box = new QSpinBox(this);
        box->setRange(clampedInt(parameter.minimum), clampedInt(parameter.maximum));
        box->setGroupSeparatorShown(true);
        connect(box, &QSpinBox::valueChanged, this, &ParameterForm::changed);
        return box;
    }
    if (std::holds_alternative<double>(parameter.defaultValue)) {
        auto* box = new NumberBox(this);
        box->setDecimals(4);
        if (parameter.name.ends_with("seconds")) box->setSuffix(tr(" s"));
        box->setRange(parameter.minimum, parameter.maximum);
        box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
        connect(box, &QDoubleSpinBox::valueChanged, this, &ParameterForm::changed);
        return box;
    }
    if (!parameter.choices.empty()) {
        auto* box = new QComboBox(this);
        for (const std::string& choice : parameter.choices) box->addItem(fromUtf8(choice));
        box->setEditable(!parameter.fileEnding.empty());
        connect(box, &QComboBox::currentTextChanged, this, &ParameterForm::changed);
        return box;
    }
    auto* edit = new QLineEdit(this);
    connect(edit, &QLineEdit::textChanged, this, &ParameterForm::changed);
    return edit;
}

void ParameterForm::setValue(const ParameterInfo& parameter, const ParameterValue& value) {
    QWidget* field = m_fields.at(parameter.name);
    if (auto* check = qobject_cast<QCheckBox*>(field)) {
        check->setChecked(std::get<bool>(value));
    } else if (auto* whole = qobject_cast<QSpinBox*>(field)) {
        whole->setValue(clampedInt(static_cast<double>(std::get<std::int64_t>(value))));
    } else if (auto* number = qobject_cast<QDoubleSpinBox*>(field)) {
        number->setValue(std::get<double>(value));
    } else if (auto* combo = qobject_cast<QComboBox*>(field)) {
        const QString text = fromUtf8(std::get<std::string>(value));
        combo->setCurrentIndex(std::max(0, combo->findText(text)));
        if (combo->isEditable()) combo->setCurrentText(text);
    } else if (auto* edit = qobject_cast<QLineEdit*>(field)) {
        edit->setText(fromUtf8(std::get<std::string>(value)));
    }
}

void ParameterForm::setDefaults() {
    for (const ParameterInfo& parameter : m_parameters) setValue(parameter, parameter.defaultValue);
}

ParameterValues ParameterForm::values() const {
    ParameterValues values;
    for (const auto& [name, field] : m_fields) {
        if (const auto* check = qobject_cast<const QCheckBox*>(field)) {
            values[name] = check->isChecked();
        } else if (const auto* whole = qobject_cast<const QSpinBox*>(field)) {
            values[name] = static_cast<std::int64_t>(whole->value());
        } else if (const auto* number = qobject_cast<const QDoubleSpinBox*>(field)) {
            values[name] = number->value();
        } else if (const auto* combo = qobject_cast<const QComboBox*>(field)) {
            values[name] = combo->currentText().toStdString();
        } else if (const auto* edit = qobject_cast<const QLineEdit*>(field)) {
            values[name] = edit->text().toStdString();
        }
    }
    return values;
}

}  // namespace mitos::views
