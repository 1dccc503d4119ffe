// SPDX-License-Identifier: GPL-3.0-or-later
// A form generated from the description of a strategy's parameters: one field each, with its range and its help.
#pragma once

#include "search/strategy.h"

#include <QWidget>
#include <map>

namespace mitos::views {

class ParameterForm : public QWidget {
    Q_OBJECT
public:
    /// `values` fill the fields; parameters without a value get their default.
    ParameterForm(const search::StrategyInfo& info, const search::ParameterValues& values, QWidget* parent = nullptr);

    [[nodiscard]] search::ParameterValues values() const;
    void setDefaults();

Q_SIGNALS:
    void changed();

private:
    QWidget* makeField(const search::ParameterInfo& parameter);
    void setValue(const search::ParameterInfo& parameter, const search::ParameterValue& value);

    search::StrategyInfo m_info;
    std::map<std::string, QWidget*> m_fields;
};

}  // namespace mitos::views
