// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of a derivative: the function, direction and form, coarsening and its size limit, the parameters of a gradient.
#pragma once

#include "core/autodiff/derivative.h"
#include "views/document/document.h"

#include <QStringList>
#include <QWidget>
#include <cstddef>
#include <vector>

class QCheckBox;
class QComboBox;
class QMenu;
class QSpinBox;
class QToolButton;

namespace mitos::views {

class DerivativeBar : public QWidget {
    Q_OBJECT
public:
    explicit DerivativeBar(QWidget* parent = nullptr);

    /// Offers the functions of the open program: its own first, then those that it calls. Another choice than that which is stored is
    /// kept, where it is still offered.
    void fill(Document& document);
    void clear();
    void restore(const Document& document);  ///< the choices stored with the program
    void store(Document& document) const;

    [[nodiscard]] ir::FunctionId function() const;
    [[nodiscard]] QString functionName() const;
    /// Chooses another function that is offered; false if there is none of that name.
    bool chooseFunction(const QString& name);
    [[nodiscard]] bool offersFunction(const QString& name) const;
    [[nodiscard]] autodiff::Direction direction() const;
    [[nodiscard]] autodiff::Form form() const;
    [[nodiscard]] bool coarsens() const;
    void setCoarsening(bool coarsens);
    [[nodiscard]] std::size_t sizeLimit() const;
    /// The numbers of the parameters in which the gradient is wanted; empty for the whole derivative.
    [[nodiscard]] std::vector<std::size_t> wrt() const;

Q_SIGNALS:
    void chosen();  ///< the user chose something else

private:
    void build();
    void fillParameters(Document& document);
    void toggleParameter(const QString& name, bool isWanted);
    void showState();
    [[nodiscard]] bool isForward() const;

    QComboBox* m_function;
    QComboBox* m_direction;
    QComboBox* m_form;
    QCheckBox* m_coarsen;
    QSpinBox* m_limit;
    QToolButton* m_parameters;
    QMenu* m_menu;
    QString m_storedFunction;
    QStringList m_names;    ///< of the function's parameters
    QStringList m_offered;  ///< those that have a tangent; empty if the result is not one Float
    QStringList m_wanted;   ///< those chosen; may name parameters of another function, which are left out
};

}  // namespace mitos::views
