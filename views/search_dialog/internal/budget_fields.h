// SPDX-License-Identifier: GPL-3.0-or-later
// The limits of a search, as fields of a dialog.
#pragma once

#include "search/strategy.h"

#include <QWidget>

class QCheckBox;
class QDoubleSpinBox;
class QSettings;
class QSpinBox;

namespace mitos::views {

/// The limits of a search: each can be set or omitted.
class BudgetFields : public QWidget {
    Q_OBJECT
public:
    explicit BudgetFields(QWidget* parent = nullptr);

    [[nodiscard]] search::Budget budget() const;
    void setBudget(const search::Budget& budget);

    /// The default budget: ten seconds and the usual memory.
    [[nodiscard]] static search::Budget usual();
    /// The budget stored last; the default one if there is none.
    [[nodiscard]] static search::Budget stored(const QSettings& settings);
    static void store(QSettings& settings, const search::Budget& budget);

Q_SIGNALS:
    void changed();

private:
    template <typename Box>
    void addRow(QCheckBox*& use, Box*& box, const QString& name, const QString& title);

    QCheckBox* m_useSeconds = nullptr;
    QCheckBox* m_useEvaluations = nullptr;
    QCheckBox* m_useStates = nullptr;
    QCheckBox* m_useMemory = nullptr;
    QDoubleSpinBox* m_seconds = nullptr;
    QSpinBox* m_evaluations = nullptr;
    QSpinBox* m_states = nullptr;
    QSpinBox* m_megabytes = nullptr;
};

}  // namespace mitos::views
