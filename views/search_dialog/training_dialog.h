// SPDX-License-Identifier: GPL-3.0-or-later
// Trains policies for schedules: the settings of a training, the learning curves of all trainings, live, and the models that are known.
#pragma once

#include "search/placement/training_run.h"
#include "views/document/document.h"

#include <QDialog>
#include <optional>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QTableWidget;
class QTabWidget;

namespace mitos::views {

class LearningChart;
class ParameterForm;

/// Modeless, since a training takes minutes. A training is a run of the document; closing the dialog does not stop it.
class TrainingDialog : public QDialog {
    Q_OBJECT
public:
    explicit TrainingDialog(Document& document, QWidget* parent = nullptr);

    /// The settings of a training, with `resume` as asked.
    [[nodiscard]] SearchSettings settings(bool resumes) const;
    /// Adds the model of a file to the list and chooses it; the error is shown if it cannot be read.
    void addModel(const QString& path);

Q_SIGNALS:
    /// The user asks for a search for schedules with that value of the parameter "model", for what the model fits.
    void useRequested(const QString& model, int devices, search::placement::Objective objective);

private:
    struct KnownModel {
        QString name;                                         ///< as listed
        QString path;                                         ///< empty: it comes with the program
        std::optional<search::placement::PolicyModel> model;  ///< empty: `problem` says why
        QString problem;
    };
    [[nodiscard]] QWidget* makeTrainingPage();
    [[nodiscard]] QWidget* makeModelPage();
    void chooseFiles();
    void chooseFolder();
    void chooseModelFile();
    void begin(bool resumes);
    void stop();
    void follow();
    void validate();
    void fillModels();
    void showModel();
    /// Why the model does not fit the open program; empty if it does, for its number of devices.
    [[nodiscard]] QString misfit(const KnownModel& known) const;
    /// Whether it fits, in words.
    [[nodiscard]] QString fitText(const KnownModel& known) const;
    [[nodiscard]] const Run* running() const;

    Document& m_document;
    QTabWidget* m_pages;
    QComboBox* m_graphs;
    QPlainTextEdit* m_files;
    QPushButton* m_addFiles;
    QPushButton* m_addFolder;
    QLineEdit* m_model;
    ParameterForm* m_form;
    QDoubleSpinBox* m_seconds;
    QSpinBox* m_seed;
    QLabel* m_message;
    QPushButton* m_train;
    QPushButton* m_resume;
    QPushButton* m_stop;
    QComboBox* m_axis;
    LearningChart* m_chart;
    QLabel* m_state;
    QTableWidget* m_table;
    LearningChart* m_modelChart;
    QLabel* m_about;
    QPushButton* m_use;
    QStringList m_opened;  ///< files that the user added to the list
    std::vector<KnownModel> m_models;
};

}  // namespace mitos::views
