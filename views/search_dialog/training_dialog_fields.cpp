// SPDX-License-Identifier: GPL-3.0-or-later
// What fills the fields of a training: files that the user chooses, and the settings of a training to go on with, which come from its run in the
// session, or else from the state beside the model.
#include "search/learned/model_value.h"
#include "search/learned/training_file.h"
#include "search/rewriting/value_training_run.h"
#include "views/common/format.h"
#include "views/common/parameter_form.h"
#include "views/search_dialog/internal/known_model.h"
#include "views/search_dialog/internal/training_kind.h"
#include "views/search_dialog/training_dialog.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTabWidget>
#include <algorithm>
#include <string_view>
#include <utility>

namespace mitos::views {

namespace {

using Subject = std::map<std::string, std::string>;

Result<Subject> subjectOf(const std::string& model) {
    MITOS_TRY(const nlohmann::json stored, search::learned::storedSubject(model));
    Subject subject;
    for (const auto& [name, value] : stored.items())
        subject.emplace(name, value.is_string() ? value.get<std::string>() : value.dump());
    return subject;
}

QString linesOf(const std::vector<std::string>& paths) {
    return QFile::decodeName(search::learned::pathsText(paths).c_str());
}

/// What a value function was trained on, as a training takes it; nothing if it is not files and the open program alone.
struct TrainedOn {
    std::vector<std::string> programs;
    std::vector<std::string> validation;
};
std::optional<TrainedOn> subjectsOf(const search::ValueModel& model) {
    constexpr std::string_view Mark = " (validation)";
    TrainedOn found;
    for (std::string name : model.programs) {
        const bool validates = name.ends_with(Mark);
        if (validates) name.resize(name.size() - Mark.size());
        if (name == "the open program") {
            if (!validates) found.programs.emplace_back(search::OpenProgramSubject);
            continue;
        }
        if (!QFileInfo::exists(QFile::decodeName(name.c_str()))) return std::nullopt;
        (validates ? found.validation : found.programs).push_back(std::move(name));
    }
    if (found.validation == found.programs) found.validation.clear();
    return found.programs.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace

void TrainingDialog::chooseFiles() {
    auto* dialog = new QFileDialog(this, tr("Add Files"));
    dialog->setObjectName(QStringLiteral("trainingFileDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({kind().fileFilter, tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& paths) {
        for (const QString& path : paths) m_files->appendPlainText(path);
    });
    dialog->open();
}

void TrainingDialog::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Add a Folder"));
    dialog->setObjectName(QStringLiteral("trainingFolderDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, m_files, &QPlainTextEdit::appendPlainText);
    dialog->open();
}

void TrainingDialog::chooseModelFile() {
    auto* dialog = new QFileDialog(this, tr("Model"));
    dialog->setObjectName(QStringLiteral("trainingModelDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite);  // the dialog says what is replaced
    dialog->setNameFilters({tr("Models (*.model)")});
    dialog->setDefaultSuffix(QStringLiteral("model"));
    dialog->selectFile(modelPath());
    connect(dialog, &QFileDialog::fileSelected, m_model, &QLineEdit::setText);
    dialog->open();
}

void TrainingDialog::setSubjects(const std::string& subjects, const std::string& validation) {
    const std::vector<TrainingSource>& sources = kind().sources;
    const QStringList others = m_others ? m_others() : QStringList();
    const auto known = std::ranges::find_if(
        sources, [&](const TrainingSource& source) { return source.subjects && source.subjects(others) == subjects; });
    const auto files = std::ranges::find_if(sources, [](const TrainingSource& source) { return !source.subjects; });
    const auto chosen = known != sources.end() ? known : files;
    m_source->setCurrentIndex(static_cast<int>(chosen - sources.begin()));
    if (chosen == files) {
        m_files->setPlainText(linesOf(search::learned::pathsIn(subjects)));
        m_validation->setPlainText(linesOf(search::learned::pathsIn(validation)));
    }
}

void TrainingDialog::trainOn(const KnownModel& model) {
    const auto of = std::ranges::find(m_kinds, model.kind(), &TrainingKind::modelKind);
    if (of == m_kinds.end()) return;
    m_pages->setCurrentIndex(0);
    m_kind->setCurrentIndex(static_cast<int>(of - m_kinds.begin()));
    m_model->setText(model.path);
    const Run* last = nullptr;
    if (m_document.isOpen()) {
        for (const Run& run : m_document.runs()) {
            const auto path = run.parameters.find("model");
            if (run.strategy != kind().strategy || path == run.parameters.end()) continue;
            const QFileInfo file(QFile::decodeName(std::get<std::string>(path->second).c_str()));
            if (file.absoluteFilePath() == model.path) last = &run;
        }
    }
    if (last != nullptr) return fill(*last);
    m_query.ask(
        tr("Reading the state of a training"),
        [path = QFile::encodeName(model.path).toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return subjectOf(path);
        },
        [this, model](const Result<Subject>& subject) {
            if (subject) return fillFromState(model, *subject);
            m_note = tr("⚠ The training cannot go on: %1").arg(fromUtf8(subject.error().oneLine()));
            validate();
        });
}

void TrainingDialog::fill(const Run& run) {
    const auto text = [&](const std::string& name) {
        const auto found = run.parameters.find(name);
        const auto* const value = found != run.parameters.end() ? std::get_if<std::string>(&found->second) : nullptr;
        return value != nullptr ? *value : std::string();
    };
    setParameters(run.parameters);
    setSubjects(text(kind().subjects), kind().validation.empty() ? std::string() : text(kind().validation));
    m_seed->setValue(static_cast<int>(
        std::min<std::uint64_t>(run.seed, static_cast<std::uint64_t>(std::numeric_limits<int>::max()))));
    m_seconds->setValue(run.budget.seconds.value_or(0.0));
    QStringList other;
    if (kind().usesRules && run.rules != m_document.rules().names())
        other << tr("the rules %1").arg(fromUtf8(run.rules));
    if (kind().usesRules && run.costModel != m_document.costModel().info().name)
        other << tr("the cost model %1").arg(fromUtf8(run.costModel));
    m_note = other.isEmpty() ? tr("These are the settings of training #%1. Resume goes on with it.").arg(run.number)
                             : tr("These are the settings of training #%1. To go on with it, choose %2, too.")
                                   .arg(run.number)
                                   .arg(other.join(tr(" and ")));
    validate();
}

void TrainingDialog::fillFromState(const KnownModel& model, const Subject& subject) {
    ParameterValues values;
    for (const ParameterInfo& info : kind().parameters) {
        const auto found = subject.find(info.name);
        if (found == subject.end()) continue;
        if (auto value = parseParameter(info, found->second)) values.emplace(info.name, *std::move(value));
    }
    setParameters(values);
    if (const auto seed = subject.find("seed"); seed != subject.end())
        m_seed->setValue(QString::fromStdString(seed->second).toInt());
    m_note = tr("These are the settings of the stored training. Choose what it learned from, as it was, to go on.");
    if (const search::ValueModel* const value = model.value()) {
        QStringList needs;
        if (const auto trained = subjectsOf(*value)) {
            setSubjects(search::learned::pathsText(trained->programs), search::learned::pathsText(trained->validation));
        } else {
            needs << tr("what it learned from");
        }
        if (value->rules != m_document.rules().names()) needs << tr("the rules %1").arg(fromUtf8(value->rules));
        if (value->cost != m_document.costModel().info().name)
            needs << tr("the cost model %1").arg(fromUtf8(value->cost));
        m_note = needs.isEmpty()
                     ? tr("These are the settings of the stored training. Resume goes on with it.")
                     : tr("These are the settings of the stored training. To go on with it, choose %1, too.")
                           .arg(needs.join(tr(" and ")));
    }
    validate();
}

}  // namespace mitos::views
