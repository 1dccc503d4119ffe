// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/export_dialog/onnx_panel.h"

#include "views/common/format.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSettings>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>
#include <vector>

namespace mitos::views {

namespace {

QString pythonKey() { return QStringLiteral("export/python"); }

}  // namespace

OnnxPanel::OnnxPanel(std::shared_ptr<ExportSource> source, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_source(std::move(source)),
      m_jobs(jobs),
      m_profile(new QComboBox(this)),
      m_profileNote(new QLabel(this)),
      m_fold(new QCheckBox(tr("Compute what depends on &weights only"), this)),
      m_external(new QCheckBox(tr("Weights in a file &beside the model"), this)),
      m_opset(new QComboBox(this)),
      m_compare(new QCheckBox(tr("Compare &values with the start program"), this)),
      m_compareFile(new QCheckBox(tr("Compare the &file with the one that was opened, before it is saved"), this)),
      m_pythonLabel(new QLabel(tr("&Python with ONNX Runtime"), this)),
      m_python(new QLineEdit(this)),
      m_insist(new QCheckBox(tr("Save it even if it computes something else"), this)),
      m_weights(new QLabel(this)),
      m_verdict(new QLabel(this)),
      m_stop(new QPushButton(tr("Stop Comparing"), this)),
      m_results(new QWidget(this)) {
    setObjectName(QStringLiteral("onnxPanel"));
    m_profile->setObjectName(QStringLiteral("onnxProfile"));
    m_profile->setAccessibleName(tr("Operators of the file"));
    m_profile->addItem(tr("ONNX (standard operators)"), static_cast<int>(onnx::Profile::Standard));
    m_profile->addItem(tr("ONNX Runtime (com.microsoft operators)"), static_cast<int>(onnx::Profile::Microsoft));
    m_profileNote->setObjectName(QStringLiteral("onnxProfileNote"));
    m_profileNote->setWordWrap(true);
    m_profileNote->setTextFormat(Qt::PlainText);
    m_fold->setObjectName(QStringLiteral("onnxFold"));
    m_fold->setToolTip(tr("They are written as weights; otherwise the file computes them at every run"));
    m_fold->setChecked(true);
    m_external->setObjectName(QStringLiteral("onnxExternal"));
    m_external->setToolTip(tr("FILE.data holds weights of 1 kB and more; always so above 2 GB"));
    m_compare->setObjectName(QStringLiteral("onnxCompare"));
    m_compare->setToolTip(tr("On random inputs, by the reference evaluator; seconds for large networks"));
    m_compare->setChecked(true);
    buildComparison();
    m_weights->setObjectName(QStringLiteral("onnxWeights"));
    m_weights->setWordWrap(true);
    m_weights->setTextFormat(Qt::PlainText);
    m_verdict->setObjectName(QStringLiteral("onnxVerdict"));
    m_verdict->setWordWrap(true);
    m_verdict->setTextFormat(Qt::PlainText);
    m_stop->setObjectName(QStringLiteral("onnxStop"));
    m_stop->setAutoDefault(false);
    if (const auto& open = m_source->model()) {
        m_runtimeOperators = runtimeOperators(m_source->bank(), m_source->thread().end().root);
        const auto count = static_cast<qulonglong>(open->model.weights->size());
        m_weights->setText(tr("Weights: %L1, %2.").arg(count).arg(fromUtf8(weightsText(*open))));
    }

    auto* form = new QFormLayout(m_results);
    form->setContentsMargins(0, 0, 0, 0);
    m_file = addRow(*form, "onnxFile", tr("Written"));
    m_original = addRow(*form, "onnxOriginal", tr("Opened file"));
    m_checker = addRow(*form, "onnxChecker", tr("ONNX's checker"));
    m_inference = addRow(*form, "onnxInference", tr("Its shape inference"));
    m_reading = addRow(*form, "onnxReading", tr("Read again"));
    m_values = addRow(*form, "onnxValues", tr("Values"));
    m_slow = addRow(*form, "onnxSlow", tr("Speed"));
    m_results->hide();

    auto* operators = new QHBoxLayout;
    auto* operatorsLabel = new QLabel(tr("&Operators"), this);
    operatorsLabel->setBuddy(m_profile);
    operators->addWidget(operatorsLabel);
    operators->addWidget(m_profile);
    auto* opsetLabel = new QLabel(tr("Opse&t"), this);
    opsetLabel->setBuddy(m_opset);
    operators->addSpacing(8);
    operators->addWidget(opsetLabel);
    operators->addWidget(m_opset);
    operators->addStretch(1);
    auto* runtime = new QHBoxLayout;
    auto* insist = new QHBoxLayout;
    for (QHBoxLayout* below : {runtime, insist}) {
        below->setContentsMargins(style()->pixelMetric(QStyle::PM_IndicatorWidth) + 8, 0, 0, 0);
    }
    insist->addWidget(m_insist);
    runtime->addWidget(m_pythonLabel);
    runtime->addWidget(m_python, 1);
    auto* line = new QHBoxLayout;
    line->addWidget(m_verdict, 1);
    line->addWidget(m_stop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(operators);
    layout->addWidget(m_profileNote);
    layout->addWidget(m_weights);
    layout->addWidget(m_fold);
    layout->addWidget(m_external);
    layout->addWidget(m_compare);
    layout->addWidget(m_compareFile);
    layout->addLayout(runtime);
    layout->addLayout(insist);
    layout->addLayout(line);
    layout->addWidget(m_results);
    layout->addStretch(1);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        m_jobs.stop(m_job);
        m_stop->setEnabled(false);
    });
    connect(m_profile, &QComboBox::currentIndexChanged, this, &OnnxPanel::explainProfile);
    explainProfile();
    m_verdict->setText(tr("Save the model to see what the checks of it say."));
    m_stop->hide();
}

void OnnxPanel::buildComparison() {
    m_opset->setObjectName(QStringLiteral("onnxOpset"));
    m_opset->setAccessibleName(tr("Version of ONNX's operators"));
    m_opset->setToolTip(tr("The version of ONNX's operators that the file is written for"));
    const auto& open = m_source->model();
    const std::int64_t own = open ? open->model.opset : 0;
    m_opset->addItem(tr("as the model: %1").arg(std::max<qint64>(own, onnx::OldestWrittenOpset)), 0);
    for (int opset = onnx::OldestWrittenOpset; opset <= onnx::NewestOpset; ++opset) {
        m_opset->addItem(QString::number(opset), opset);
    }
    const bool isFile = open && open->source.kind == ModelSource::Kind::File;
    m_compareFile->setObjectName(QStringLiteral("onnxCompareFile"));
    m_compareFile->setEnabled(isFile);
    m_compareFile->setToolTip(
        isFile
            ? tr("Reads %1 and the new file, and runs both on the same random inputs").arg(fromUtf8(open->source.place))
            : tr("This program was not read from a file"));
    m_python->setObjectName(QStringLiteral("onnxPython"));
    m_python->setPlaceholderText(tr("none: the reference evaluator computes"));
    m_python->setToolTip(tr("A Python interpreter that has the modules onnxruntime and numpy, such as python3"));
    m_python->setText(QSettings().value(pythonKey()).toString());
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

OnnxPanel::~OnnxPanel() {
    if (m_job != 0) m_jobs.discard(m_job);
}

QLabel* OnnxPanel::addRow(QFormLayout& form, const char* name, const QString& title) {
    auto* label = new QLabel(m_results);
    label->setObjectName(QLatin1String(name));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    form.addRow(title, label);
    return label;
}

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
        note += tr("Operators of ONNX Runtime's own in this program, written out as what they stand for: %L1.")
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
    const bool isFile = m_source->model() && m_source->model()->source.kind == ModelSource::Kind::File;
    m_compareFile->setEnabled(!running && isFile);
    for (QWidget* part : std::initializer_list<QWidget*>{m_pythonLabel, m_python, m_insist}) {
        part->setEnabled(!running && m_compareFile->isChecked());
    }
    Q_EMIT runningChanged(running);
}

void OnnxPanel::write(const QString& path, bool withThread) {
    if (m_job != 0) return;
    m_path = path;
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
    m_job = m_jobs.start(
        tr("Export %1").arg(QFileInfo(path).fileName()), true, this,
        [source = m_source, options, native = QFile::encodeName(path).toStdString()](const std::stop_token& stop,
                                                                                     const JobRunner::Report& report) {
            return exportOnnx(*source, *source->model(), native, options, stop,
                              [&report](const char* doing) { report(-1.0, fromUtf8(doing)); });
        },
        [this](const Result<OnnxOutcome>& outcome) { finish(outcome); });
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

void OnnxPanel::finish(const Result<OnnxOutcome>& outcome) {
    const JobId job = std::exchange(m_job, 0);
    showRunning(false);
    if (!outcome) {
        m_verdict->setText(tr("✗ %1").arg(fromUtf8(outcome.error().oneLine())));
        m_jobs.setOutcome(job, JobInfo::State::Failed, fromUtf8(outcome.error().message));
        return;
    }
    const onnx::ExportReport& report = outcome->report;
    bool allPassed = true;
    bool anyFailed = false;
    std::vector<std::pair<QLabel*, const OnnxCheck*>> checks{{m_checker, &outcome->checker},
                                                             {m_inference, &outcome->inference},
                                                             {m_reading, &outcome->reading},
                                                             {m_values, &outcome->values}};
    if (outcome->original) checks.emplace_back(m_original, &*outcome->original);
    for (const auto& [label, check] : checks) {
        showCheck(*label, *check);
        allPassed = allPassed && check->verdict == OnnxCheck::Verdict::Passed;
        anyFailed = anyFailed || check->verdict == OnnxCheck::Verdict::Failed;
    }
    showRow(*m_original, outcome->original.has_value());
    const QLocale locale;
    QString file = tr("opset %1, %2 nodes, %3 weights, %4")
                       .arg(report.opset)
                       .arg(locale.toString(static_cast<qulonglong>(report.nodes)),
                            locale.toString(static_cast<qulonglong>(report.initializers)),
                            locale.formattedDataSize(static_cast<qint64>(report.bytes)));
    if (report.foldedWeights > 0) {
        file += tr("; %1 computed now").arg(locale.toString(static_cast<qulonglong>(report.foldedWeights)));
    }
    if (report.expanded > 0) {
        file += tr("; operators written out: %1").arg(locale.toString(static_cast<qulonglong>(report.expanded)));
    }
    QStringList slow;
    for (const std::string& warning : report.warnings) slow << tr("⚠ %1").arg(fromUtf8(warning));
    m_slow->setText(slow.join(QLatin1Char('\n')));
    showRow(*m_slow, !slow.isEmpty());
    m_file->setText(file);
    const QString place = QDir::toNativeSeparators(m_path);
    const bool isCompared = !outcome->original || outcome->original->verdict != OnnxCheck::Verdict::NotDone;
    if (!outcome->isWritten) {
        m_verdict->setText(tr("✗ Not saved: the file computes something else than the one that was opened."));
    } else if (anyFailed) {
        m_verdict->setText(tr("✗ Saved to %1, but a check of it failed.").arg(place));
    } else if (!isCompared) {
        m_verdict->setText(tr("⚠ Saved to %1; it was not compared with the file that was opened.").arg(place));
    } else {
        m_verdict->setText(
            (allPassed ? tr("✓ Saved to %1; every check passed.") : tr("✓ Saved to %1; no check failed.")).arg(place));
    }
    m_results->show();
    m_jobs.setOutcome(job, anyFailed ? JobInfo::State::Failed : JobInfo::State::Finished, m_verdict->text());
}

}  // namespace mitos::views
