// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the value function whose gains are drawn over the program, estimates them in a job, and shows the legend.
#pragma once

#include "views/document/document.h"
#include "views/job_runner/query.h"
#include "views/program/shown_gain.h"

#include <QWidget>
#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace mitos::views {

class HeatScale;

/// The row below the tabs: the scale, the number of steps, and what is to be said; hidden while the overlay is off. The choice
/// of the value function stands elsewhere. Both settings are kept.
class GainOverlay : public QWidget {
    Q_OBJECT
public:
    /// Steps that the user may choose; gains are estimated for all of them at once.
    static constexpr search::TimesLeft Steps{1, 30};
    static constexpr std::uint32_t UsualSteps = 10;

    /// `parent` is the view whose program is estimated: nothing is while it is hidden.
    GainOverlay(Document& document, JobRunner& jobs, QWidget* parent);
    ~GainOverlay() override;

    /// Follows the document from now on; called once the view follows it, so that the view shows a new state before its gains change.
    void follow();
    /// The box with the value functions; trained ones are listed for each file of a model that is known.
    [[nodiscard]] QComboBox& choice() { return *m_choice; }
    [[nodiscard]] bool isOn() const;
    /// The gains in the current state of the document; null if the overlay is off, or while they are not known.
    [[nodiscard]] std::shared_ptr<const ShownGain> shown() const { return m_shown; }
    /// The root of the program that they are for.
    [[nodiscard]] ir::TermId root() const { return m_root; }

Q_SIGNALS:
    void changed();  ///< shown() is another one

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// Lists the value functions again and chooses one, by the data of its item.
    void list(const QString& chosen);
    void listAgain();
    void addModelItem(const QString& path);
    void askForModel();
    void restore();
    void drop();
    void choose();
    void ask();
    void showProgress(JobId job);
    void take(Result<search::GainMap> found);
    void show(std::shared_ptr<const ShownGain> gain);
    void say(const QString& text, const QString& toolTip = {});
    void showLegend();
    [[nodiscard]] QString unit() const;
    [[nodiscard]] std::uint32_t steps() const;

    Document& m_document;
    JobRunner& m_jobs;
    QWidget& m_view;
    Query m_query;
    std::shared_ptr<const ShownGain> m_shown;
    ir::TermId m_root;
    bool m_isOutdated = true;
    QComboBox* m_choice;
    QPushButton* m_model;  ///< chooses the file of a trained value function
    QSpinBox* m_steps;
    HeatScale* m_scale;
    QLabel* m_least;
    QLabel* m_most;
    QLabel* m_note;
};

}  // namespace mitos::views
