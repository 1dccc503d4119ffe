// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export_dialog/internal/onnx_panel.h"

#include "views/common/format.h"
#include "views/common/widgets.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSettings>
#include <QStyle>
#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {

QString pythonKey() { return QStringLiteral("export/python"); }
/// What is used until an export chooses: Preferences::python.
QString preferredPythonKey() { return QStringLiteral("preferences/python"); }

}  // namespace

OnnxPanel::OnnxPanel(std::shared_ptr<ExportSource> source, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_source(std::move(source)),
      m_writing(jobs),
      m_profile(new QComboBox(this)),
      m_profileNote(new QLabel(this)),
      m_fold(new QCheckBox(tr("Compute what depends on &weights only"), this)),
      m_external(new QCheckBox(tr("Weights in a file &beside the model"), this)),
      m_opset(new QComboBox(this)),
      m_compare(new QCheckBox(tr("Compare &values with the start program"), this)),
      m_compareFile(new QCheckBox(tr("Compare the &file with the one that was opened, before it is saved"), this)),
      m_pythonLabel(new QLabel(tr("&Python with ONNX Runtime"), this)),
      m_python(new QLineEdit(this)),
      m_insist(new QCheckBox(tr("Save the file even if its values differ"), this)),
      m_weights(new QLabel(this)),
      m_verdict(new QLabel(this)),
      m_stop(new QPushButton(tr("Stop Comparing"), this)),
      m_results(new QWidget(this)) {
    setObjectName(QStringLiteral("onnxPanel"));
    setUpWidget(m_profile, "onnxProfile", {}, tr("Operators of the file"));
    m_profile->addItem(tr("ONNX (standard operators)"), static_cast<int>(onnx::Profile::Standard));
    m_profile->addItem(tr("ONNX Runtime (com.microsoft operators)"), static_cast<int>(onnx::Profile::Microsoft));
    setUpPlainLabel(m_profileNote, "onnxProfileNote");
    setUpWidget(m_fold, "onnxFold", tr("They are written as weights; otherwise the file computes them at every run"));
    m_fold->setChecked(true);
    setUpWidget(m_external, "onnxExternal", tr("FILE.data holds weights of 1 kB and more; always so above 2 GB"));
    setUpWidget(m_compare, "onnxCompare",
                tr("On random inputs, by the reference evaluator; seconds for large networks"));
    m_compare->setChecked(true);
    buildComparison();
    setUpPlainLabel(m_weights, "onnxWeights");
    setUpPlainLabel(m_verdict, "onnxVerdict");
    m_stop->setObjectName(QStringLiteral("onnxStop"));
    m_stop->setAutoDefault(false);
    if (const auto& open = m_source->model()) {
        m_runtimeOperators = runtimeOperators(m_source->bank(), m_source->thread().end().root);
        const auto count = static_cast<qulonglong>(open->model.weights->size());
        m_weights->setText(tr("Weights: %L1, %2.").arg(count).arg(fromUtf8(weightsText(*open))));
    }

    auto* form = new QFormLayout(m_results);
    form->setContentsMargins(0, 0, 0, 0);
    m_file = addTextRow(*form, "onnxFile", tr("Written"));
    m_original = addTextRow(*form, "onnxOriginal", tr("Opened file"));
    m_checker = addTextRow(*form, "onnxChecker", tr("ONNX's checker"));
    m_inference = addTextRow(*form, "onnxInference", tr("Its shape inference"));
    m_reading = addTextRow(*form, "onnxReading", tr("Read again"));
    m_values = addTextRow(*form, "onnxValues", tr("Values"));
    m_slow = addTextRow(*form, "onnxSlow", tr("Speed"));
    m_results->hide();

    auto* operatorsLabel = new QLabel(tr("&Operators"), this);
    operatorsLabel->setBuddy(m_profile);
    auto* opsetLabel = new QLabel(tr("Opse&t"), this);
    opsetLabel->setBuddy(m_opset);
    auto* operators = rowOf({operatorsLabel, m_profile, gap(8), opsetLabel, m_opset, stretch()});
    const QMargins indented(style()->pixelMetric(QStyle::PM_IndicatorWidth) + 8, 0, 0, 0);
    auto* runtime = rowOf({m_pythonLabel, {m_python, 1}}, {.margins = indented});
    auto* insist = rowOf({m_insist}, {.margins = indented});
    auto* line = rowOf({{m_verdict, 1}, m_stop});
    fillColumn(this,
               {operators, m_profileNote, m_weights, m_fold, m_external, m_compare, m_compareFile, runtime, insist,
                line, m_results, stretch()},
               {.margins = NoMargins});
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_writing.stop();
        m_stop->setEnabled(false);
    });
    connect(m_profile, &QComboBox::currentIndexChanged, this, &OnnxPanel::explainProfile);
    explainProfile();
    m_verdict->setText(tr("Save the model to see the results of its checks."));
    m_stop->hide();
}

void OnnxPanel::buildComparison() {
    setUpWidget(m_opset, "onnxOpset", tr("The version of ONNX's operators that the file is written for"),
                tr("Version of ONNX's operators"));
    const auto& open = m_source->model();
    const std::int64_t own = open ? open->model.opset : 0;
    m_opset->addItem(tr("as the model: %1").arg(std::max<qint64>(own, onnx::OldestWrittenOpset)), 0);
    for (int opset = onnx::OldestWrittenOpset; opset <= onnx::NewestOpset; ++opset) {
        m_opset->addItem(QString::number(opset), opset);
    }
    const bool isFile = open && open->source.kind == storage::ModelSource::Kind::File;
    setUpWidget(
        m_compareFile, "onnxCompareFile",
        isFile
            ? tr("Reads %1 and the new file, and runs both on the same random inputs").arg(fromUtf8(open->source.place))
            : tr("This program was not read from a file"));
    m_compareFile->setEnabled(isFile);
    setUpWidget(m_python, "onnxPython",
                tr("A Python interpreter that has the modules onnxruntime and numpy, such as python3"));
    m_python->setPlaceholderText(tr("empty: the reference evaluator is used"));
    m_python->setText(QSettings().value(pythonKey(), QSettings().value(preferredPythonKey())).toString());
    m_pythonLabel->setBuddy(m_python);
    m_insist->setObjectName(QStringLiteral("onnxInsist"));
    const auto enable = [this] {
        for (QWidget* part : std::initializer_list<QWidget*>{m_pythonLabel, m_python, m_insist}) {
            part->setEnabled(m_compareFile->isEnabled() && m_compareFile->isChecked());
        }
    };
    connect(m_compareFile, &QCheckBox::toggled, this, enable);
    enable();
}

std::optional<onnx::OriginalFile> OnnxPanel::original() const {
    if (!m_compareFile->isChecked()) return std::nullopt;
    return onnx::OriginalFile{.path = m_source->model()->source.place,
                              .comparing = {.python = m_python->text().trimmed().toStdString()},
                              .insists = m_insist->isChecked()};
}

OnnxPanel::~OnnxPanel() { m_writing.letGo(); }

onnx::Profile OnnxPanel::profile() const { return static_cast<onnx::Profile>(m_profile->currentData().toInt()); }

void OnnxPanel::explainProfile() {
    const bool isStandard = profile() == onnx::Profile::Standard;
    QString note =
        isStandard
            ? tr("The file is valid ONNX and opens everywhere.")
            : tr("⚠ Only ONNX Runtime opens such a file. It makes many of these operators by itself when it opens a "
                 "standard model, and some are slower on processors than what they stand for "
                 "(SkipLayerNormalization about 8 times): measure both.");
    note += QLatin1Char(' ');
    if (m_runtimeOperators == 0) {
        note +=
            tr("This program has no operator of ONNX Runtime's own, so the choice makes no difference; the rules "
               "“fused” make such.");
    } else if (isStandard) {
        note += tr("Operators of ONNX Runtime's own in this program, written as standard operators: %L1.")
                    .arg(static_cast<qulonglong>(m_runtimeOperators));
    } else {
        note += tr("Operators of ONNX Runtime's own in this program, written as they are: %L1.")
                    .arg(static_cast<qulonglong>(m_runtimeOperators));
    }
    m_profileNote->setText(note);
}

void OnnxPanel::showRunning(bool running) {
    m_stop->setVisible(running);
    m_stop->setEnabled(running);
    for (QWidget* choice : std::initializer_list<QWidget*>{m_profile, m_opset, m_fold, m_external, m_compare}) {
        choice->setEnabled(!running);
    }
    const bool isFile = m_source->model() && m_source->model()->source.kind == storage::ModelSource::Kind::File;
    m_compareFile->setEnabled(!running && isFile);
    for (QWidget* part : std::initializer_list<QWidget*>{m_pythonLabel, m_python, m_insist}) {
        part->setEnabled(!running && m_compareFile->isChecked());
    }
    Q_EMIT runningChanged(running);
}

void OnnxPanel::write(const QString& path, bool withThread) {
    if (m_writing.isRunning()) return;
    m_results->hide();
    m_verdict->setText(tr("Writing and checking…"));
    const int chosen = m_opset->currentData().toInt();
    showRunning(true);
    QSettings().setValue(pythonKey(), m_python->text().trimmed());
    const OnnxOptions options{.profile = profile(),
                              .foldWeights = m_fold->isChecked(),
                              .externalData = m_external->isChecked(),
                              .withThread = withThread,
                              .compareValues = m_compare->isChecked(),
                              .opset = chosen > 0 ? std::optional(chosen) : std::nullopt,
                              .original = original()};
    m_writing.askInJobsView(
        tr("Export %1").arg(QFileInfo(path).fileName()),
        [source = m_source, options, native = QFile::encodeName(path).toStdString()](const std::stop_token& stop,
                                                                                     const JobRunner::Report& report) {
            return exportOnnx(*source, *source->model(), native, options, stop,
                              [&report](const char* doing) { report(-1.0, fromUtf8(doing)); });
        },
        [path](const Result<OnnxOutcome>& outcome) { return outcomeOf(outcome, path); },
        [this, path](const Result<OnnxOutcome>& outcome) { finish(outcome, path); });
}

void OnnxPanel::showCheck(QLabel& label, const OnnxCheck& check) {
    const QString text = fromUtf8(check.text);
    switch (check.verdict) {
        case OnnxCheck::Verdict::Passed: label.setText(tr("✓ %1").arg(text)); break;
        case OnnxCheck::Verdict::Failed: label.setText(tr("✗ %1").arg(text)); break;
        case OnnxCheck::Verdict::NotDone: label.setText(tr("– not checked: %1").arg(text)); break;
    }
}

void OnnxPanel::showRow(QLabel& label, bool isShown) {
    label.setVisible(isShown);
    static_cast<QFormLayout*>(m_results->layout())->labelForField(&label)->setVisible(isShown);
}

JobOutcome OnnxPanel::outcomeOf(const Result<OnnxOutcome>& outcome, const QString& path) {
    if (!outcome) return {JobInfo::State::Failed, fromUtf8(outcome.error().message)};
    std::vector<const OnnxCheck*> checks{&outcome->checker, &outcome->inference, &outcome->reading, &outcome->values};
    if (outcome->original) checks.push_back(&*outcome->original);
    const auto is = [](OnnxCheck::Verdict verdict) {
        return [verdict](const OnnxCheck* check) { return check->verdict == verdict; };
    };
    const bool allPassed = std::ranges::all_of(checks, is(OnnxCheck::Verdict::Passed));
    const bool anyFailed = std::ranges::any_of(checks, is(OnnxCheck::Verdict::Failed));
    const bool isCompared = !outcome->original || outcome->original->verdict != OnnxCheck::Verdict::NotDone;
    const QString place = QDir::toNativeSeparators(path);
    QString text;
    if (!outcome->isWritten)
        text = tr("✗ Not saved: the values of the file differ from those of the opened file.");
    else if (anyFailed)
        text = tr("✗ Saved to %1, but a check of it failed.").arg(place);
    else if (!isCompared)
        text = tr("⚠ Saved to %1; it was not compared with the file that was opened.").arg(place);
    else
        text =
            (allPassed ? tr("✓ Saved to %1; every check passed.") : tr("✓ Saved to %1; no check failed.")).arg(place);
    return {anyFailed ? JobInfo::State::Failed : JobInfo::State::Finished, text};
}

void OnnxPanel::finish(const Result<OnnxOutcome>& outcome, const QString& path) {
    showRunning(false);
    if (!outcome) {
        m_verdict->setText(tr("✗ %1").arg(fromUtf8(outcome.error().oneLine())));
        return;
    }
    m_verdict->setText(outcomeOf(outcome, path).status);
    const onnx::ExportReport& report = outcome->report;
    std::vector<std::pair<QLabel*, const OnnxCheck*>> checks{{m_checker, &outcome->checker},
                                                             {m_inference, &outcome->inference},
                                                             {m_reading, &outcome->reading},
                                                             {m_values, &outcome->values}};
    if (outcome->original) checks.emplace_back(m_original, &*outcome->original);
    for (const auto& [label, check] : checks) showCheck(*label, *check);
    showRow(*m_original, outcome->original.has_value());
    QString file = tr("opset %1, %2 nodes, %3 weights, %4")
                       .arg(report.opset)
                       .arg(countText(report.nodes), countText(report.initializers),
                            QLocale().formattedDataSize(static_cast<qint64>(report.bytes)));
    if (report.foldedWeights > 0) {
        file += tr("; %1 computed now").arg(countText(report.foldedWeights));
    }
    if (report.unfolded > 0) {
        file += tr("; %1 left to be computed where it is run").arg(countText(report.unfolded));
    }
    if (report.expanded > 0) {
        file += tr("; operators written out: %1").arg(countText(report.expanded));
    }
    QStringList slow;
    for (const std::string& warning : report.warnings) slow << tr("⚠ %1").arg(fromUtf8(warning));
    m_slow->setText(slow.join(QLatin1Char('\n')));
    showRow(*m_slow, !slow.isEmpty());
    m_file->setText(file);
    m_results->show();
}

}  // namespace mitos::views
