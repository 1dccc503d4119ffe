// SPDX-License-Identifier: GPL-3.0-or-later
// Which strategy searches the regions of which form, and the dialog for its parameters.
#pragma once

#include "search/strategy.h"

#include <QDialog>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <string>

class QDialogButtonBox;
class QLabel;

namespace mitos::views {

class ParameterForm;

/// A strategy and those of its parameters that differ from their defaults.
struct RegionStrategy {
    std::shared_ptr<const search::Strategy> strategy;  ///< null: regions are not searched
    ParameterValues values = {};

    /// As the strategy `regions` reads it: "mcts(depth=100)"; "none".
    [[nodiscard]] std::string text() const;
};

/// Why these values cannot be written in the text of a strategy; empty if they can.
[[nodiscard]] QString obstacleOf(const ParameterValues& values);

/// Each form has the strategy of all, unless it has one of its own.
class RegionStrategies {
public:
    void setAll(RegionStrategy strategy);  ///< forms have no strategies of their own any more
    void set(std::size_t form, RegionStrategy strategy);
    void forgetForms() { m_forms.clear(); }

    [[nodiscard]] const RegionStrategy& all() const { return m_all; }
    [[nodiscard]] const RegionStrategy& of(std::size_t form) const;
    /// Whether regions of one of the forms 1 to `forms` are searched.
    [[nodiscard]] bool searchesAny(std::size_t forms) const;
    /// As the strategy `regions` reads it: "greedy; 2: mcts(depth=100)".
    [[nodiscard]] std::string text() const;

private:
    RegionStrategy m_all;
    std::map<std::size_t, RegionStrategy> m_forms;
};

/// The parameters of a strategy that searches regions, generated from its description.
class RegionParameterDialog : public QDialog {
    Q_OBJECT
public:
    /// `info` has the defaults for the program's dialect.
    RegionParameterDialog(search::StrategyInfo info, const ParameterValues& values, QWidget* parent);

    /// Those that differ from their defaults.
    [[nodiscard]] ParameterValues changedValues() const;

private:
    void validate();

    search::StrategyInfo m_info;
    ParameterForm* m_form;
    QLabel* m_message;
    QDialogButtonBox* m_buttons;
};

}  // namespace mitos::views
