// SPDX-License-Identifier: GPL-3.0-or-later
// The trained models that are known, whether they fit the open program, and what can be done with them.
#pragma once

#include "views/job_runner/query.h"
#include "views/search_dialog/internal/known_model.h"

#include <QSet>
#include <QWidget>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace mitos::views {

class LearningChart;

/// Files are read in a job, so that the list may be that of a moment ago.
class ModelPage final : public QWidget {
    Q_OBJECT
public:
    enum Column {
        NameColumn,
        FitsColumn,
        PurposeColumn,
        SubjectsColumn,
        LengthColumn,
        SeedColumn,
        SizeColumn,
        ImprovementColumn,
        DateColumn,
        ColumnCount
    };

    ModelPage(Document& document, JobRunner& jobs, QWidget* parent);

    /// Reads the models again.
    void refresh();
    /// Adds the model of a file to the list, for this and later dialogs, and chooses it.
    void addModel(const QString& path);
    /// Chooses it once it is read, and uses it as if the user asked for that, or shows why it does not fit.
    void use(const QString& path);

Q_SIGNALS:
    void useRequested(const mitos::views::KnownModel& model);
    void trainOnRequested(const mitos::views::KnownModel& model);

private:
    void take(std::vector<KnownModel> models);
    void showModel();
    void open();
    void useChosen();
    void showInFolder();
    void askToDelete();
    void deleteFiles(const QString& path);
    [[nodiscard]] const KnownModel* chosen() const;
    /// How the list identifies a model: by its path, or by its name if it comes with the program.
    [[nodiscard]] static QString idOf(const KnownModel& model);

    Document& m_document;
    Query m_query;
    QTableWidget* m_table;
    QLabel* m_about;
    LearningChart* m_chart;
    QPushButton* m_reveal;
    QPushButton* m_delete;
    QPushButton* m_trainOn;
    QPushButton* m_use;
    std::vector<KnownModel> m_models;  ///< in the order of the rows
    QString m_wanted;                  ///< the id of the model to choose once it is read
    bool m_usesWanted = false;
    QSet<QString> m_deleted;  ///< files of the session's runs that the user deleted
};

}  // namespace mitos::views
