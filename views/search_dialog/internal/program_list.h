// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of a comparison: the open one, and those that the user adds.
#pragma once

#include "views/document/compared_programs.h"
#include "views/document/document.h"

#include <QStringList>
#include <QWidget>
#include <vector>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QToolButton;

namespace mitos::views {

/// Files are read in jobs, for their functions and errors; a file that cannot be read is not listed, and the reason is shown.
class ProgramList final : public QWidget {
    Q_OBJECT
public:
    ProgramList(const Document& document, JobRunner& jobs, QWidget* parent);

    void add(const ProgramCandidate& candidate);
    /// Reads the file, then lists and chooses it.
    void addFile(const QString& path);
    /// The programs chosen beside the open one.
    [[nodiscard]] std::vector<ProgramChoice> choices() const;

Q_SIGNALS:
    void changed();

private:
    struct Entry {
        QString name;
        ProgramChoice choice;
        QStringList functions;  ///< those that the file has to choose among
    };
    void insert(Entry entry, bool isChosen);
    void take(const QString& path, const Result<std::vector<std::string>>& functions);
    void askForFiles();
    void fillSamples();
    void showSelected();
    void chooseFunction();
    [[nodiscard]] bool isListed(const ProgramChoice& choice) const;

    const Document& m_document;
    JobRunner& m_jobs;
    std::vector<Entry> m_entries;  ///< in the order of the list, which begins with the open program
    QListWidget* m_list;
    QPushButton* m_file;
    QToolButton* m_sample;
    QLabel* m_functionTitle;
    QComboBox* m_function;
    QLabel* m_problem;
};

}  // namespace mitos::views
