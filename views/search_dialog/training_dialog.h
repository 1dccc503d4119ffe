// SPDX-License-Identifier: GPL-3.0-or-later
// Trains models of every kind: the settings of a training, the learning curves of all trainings, live, and the models that are known.
#pragma once

#include "search/placement/placement.h"
#include "views/document/document.h"
#include "views/job_runner/query.h"

#include <QDialog>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QTabWidget;

namespace mitos::views {

class LearningChart;
class ModelPage;
class ParameterForm;
struct KnownModel;
struct TrainingKind;

/// Modeless, since a training takes minutes. A training is a run of the document; closing the dialog does not stop it. Rules and cost
/// model are those in force, which can be chosen here, too: a search with the model needs the same.
class TrainingDialog : public QDialog {
    Q_OBJECT
public:
    /// The sessions of the programs that are open beside the document's.
    using OtherPrograms = std::function<QStringList()>;

    TrainingDialog(Document& document, JobRunner& jobs, OtherPrograms others = {}, QWidget* parent = nullptr);
    ~TrainingDialog() override;

    /// The settings of a training, with `resume` as asked.
    [[nodiscard]] SearchSettings settings(bool resumes) const;
    /// Adds the model of a file to the list and chooses it; the error is shown if it cannot be read.
    void addModel(const QString& path);

Q_SIGNALS:
    /// The user asks for a search for schedules with that value of the parameter "model", for what the model fits.
    void useRequested(const QString& model, int devices, search::placement::Objective objective);
    /// The same for a search of programs with a learned value function.
    void valueUseRequested(const QString& model);

private:
    [[nodiscard]] QWidget* makeTrainingPage();
    [[nodiscard]] QFormLayout* makeFields(QWidget* page);
    void connectFields();
    [[nodiscard]] const TrainingKind& kind() const;
    /// Shows the fields of the kind that is chosen; what was entered for another one comes back with it.
    void showKind();
    void showChoices();
    void showAxes();
    void chooseFiles();
    void chooseFolder();
    void chooseModelFile();
    void begin(bool resumes);
    void stop();
    void follow();
    void showProgress();
    void validate();
    [[nodiscard]] QString problem() const;
    [[nodiscard]] QString remark() const;
    [[nodiscard]] QString modelPath() const;
    [[nodiscard]] bool hasState() const;
    [[nodiscard]] const Run* running() const;
    /// The last training of the kind that wrote a model.
    [[nodiscard]] QString trainedModel() const;
    void use(const KnownModel& model);
    void trainOn(const KnownModel& model);
    void fill(const Run& run);
    /// From the names that the model has of what it was trained on, and the settings in the state beside it.
    void fillFromState(const KnownModel& model, const std::map<std::string, std::string>& subject);
    void setParameters(const ParameterValues& values);
    void setSubjects(const std::string& subjects, const std::string& validation);

    /// What was entered for a kind that is not chosen now.
    struct Entered {
        QString model;
        ParameterValues parameters;
        int source = 0;
        QString files;
    };

    Document& m_document;
    OtherPrograms m_others;
    std::vector<TrainingKind> m_kinds;
    std::map<int, Entered> m_entered;
    int m_shownKind = -1;
    Query m_query;
    QTimer m_clock;  ///< while a training runs
    QString m_note;  ///< on what was filled in
    QTabWidget* m_pages;
    QComboBox* m_kind;
    QLabel* m_intro;
    QFormLayout* m_fields = nullptr;
    QComboBox* m_source;
    QPlainTextEdit* m_files;
    QWidget* m_adders;  ///< the row with the next two
    QPushButton* m_addFiles;
    QPushButton* m_addFolder;
    QPlainTextEdit* m_validation;
    QWidget* m_choices;  ///< the row with the next two
    QComboBox* m_rules;
    QComboBox* m_cost;
    QLineEdit* m_model;
    QPushButton* m_browse;
    QScrollArea* m_scroll;
    ParameterForm* m_form = nullptr;
    QDoubleSpinBox* m_seconds;
    QSpinBox* m_seed;
    QLabel* m_message;
    QPushButton* m_train;
    QPushButton* m_resume;
    QPushButton* m_stop;
    QPushButton* m_search;
    QComboBox* m_measure;
    QComboBox* m_axis;
    LearningChart* m_chart;
    QLabel* m_state;
    QProgressBar* m_progress;
    ModelPage* m_models;
};

}  // namespace mitos::views
