// SPDX-License-Identifier: GPL-3.0-or-later
// A form generated from the description of parameters: one field each, with its range and its help.
#pragma once

#include "core/base/parameters.h"

#include <QWidget>
#include <map>
#include <vector>

namespace mitos::views {

class ParameterForm : public QWidget {
    Q_OBJECT
public:
    /// `values` fill the fields; parameters without a value get their default.
    ParameterForm(std::vector<ParameterInfo> parameters, const ParameterValues& values, QWidget* parent = nullptr);

    [[nodiscard]] ParameterValues values() const;
    void setDefaults();

Q_SIGNALS:
    void changed();

private:
    QWidget* makeField(const ParameterInfo& parameter);
    void setValue(const ParameterInfo& parameter, const ParameterValue& value);

    std::vector<ParameterInfo> m_parameters;
    std::map<std::string, QWidget*> m_fields;
};

}  // namespace mitos::views
