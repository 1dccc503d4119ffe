// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a search.
#include "views/search_dialog/search_dialog.h"

#include "core/rewrite/start_term.h"
#include "search/placement/schedule_searches.h"
#include "search/saturation/saturation.h"
#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/common/parameter_form.h"
#include "views/common/widgets.h"
#include "views/document/verdicts.h"
#include "views/search_dialog/internal/budget_fields.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <algorithm>
#include <limits>
#include <utility>

namespace mitos::views {

namespace {

constexpr int DefaultSeed = 1;
constexpr int GoalLines = 4;
constexpr int DescriptionWidth = 430;

QString strategyKey() { return QStringLiteral("search/strategy"); }

QString schedulingKey() { return QStringLiteral("schedule/strategy"); }
QString saturationKey() { return QStringLiteral("saturate/strategy"); }

QString seedKey() { return QStringLiteral("search/seed"); }

/// Settings that suit one dialect rarely suit another, so each has its own. Settings of ks and tensor keep their first names.
QString parameterKey(const std::string& strategy, const ir::Dialect& dialect, const std::string& parameter) {
    const QString folder =
        dialect.sharesNodes() ? QStringLiteral("search/graphs/%1/%2") : QStringLiteral("search/%1/%2");
    return folder.arg(fromUtf8(strategy), fromUtf8(parameter));
}

/// The values used last; values that do not parse any more are left out.
ParameterValues rememberedValues(const search::StrategyInfo& info, const ir::Dialect& dialect,
                                 const QSettings& settings) {
    ParameterValues values;
    for (const ParameterInfo& parameter : info.parameters) {
        const QString key = parameterKey(info.name, dialect, parameter.name);
        if (!settings.contains(key)) continue;
        if (auto value = parseParameter(parameter, settings.value(key).toString().toStdString())) {
            values.emplace(parameter.name, *std::move(value));
        }
    }
    return values;
}

}  // namespace

SearchSettings rememberedSearch(const ir::Dialect& dialect, const QString& strategy) {
    const QSettings stored;
    SearchSettings last;
    last.strategy = strategy.isEmpty() ? stored.value(strategyKey()).toString() : strategy;
    auto found = search::findStrategy(last.strategy.toStdString());
    if (!found) {
        last.strategy = fromUtf8(dialect.defaultStrategy);
        found = search::findStrategy(dialect.defaultStrategy);
    }
    if (found) last.parameters = rememberedValues((*found)->info(), dialect, stored);
    last.budget = BudgetFields::stored(stored);
    last.seed = static_cast<std::uint64_t>(std::max(0, stored.value(seedKey(), DefaultSeed).toInt()));
    return last;
}

SearchSettings rememberedSaturation(const ir::Dialect& dialect) {
    const QString last = QSettings().value(saturationKey()).toString();
    const auto strategies = search::saturationStrategies();
    const bool isOne = std::ranges::any_of(
        strategies, [&](const auto& each) { return last == QString::fromStdString(each->info().name); });
    return rememberedSearch(dialect, isOne ? last : QStringLiteral("saturation"));
}

SearchSettings rememberedScheduling(const ir::Dialect& dialect) {
    const QString last = QSettings().value(schedulingKey()).toString();
    const auto strategies = search::placement::scheduleSearches();
    const bool isOne = std::ranges::any_of(
        strategies, [&](const auto& each) { return last == QString::fromStdString(each->info().name); });
    const std::string usual = search::placement::searchName(search::placement::UsualStrategy);
    return rememberedSearch(dialect, isOne ? last : fromUtf8(usual));
}

std::vector<ScheduleGoal> scheduleGoals(const Document& document) {
    using search::placement::Objective;
    const cost::CostModelInfo& inForce = document.costModel().info();
    const bool isMemory = search::placement::isOfMemory(inForce);
    const std::string& time = isMemory ? document.dialect().defaultCost : inForce.name;
    std::vector<ScheduleGoal> goals{{Objective::Runtime, fromUtf8(time), !isMemory}};
    if (const auto memory = search::placement::memoryModelFor(document.dialect(), inForce))
        goals.push_back({Objective::Memory, fromUtf8(memory->info().name), isMemory});
    return goals;
}

void rememberModel(const ir::Dialect& dialect, const QString& model, int devices) {
    const std::string learned = search::placement::searchName("brkga-learned");
    QSettings settings;
    settings.setValue(schedulingKey(), fromUtf8(learned));
    settings.setValue(parameterKey(learned, dialect, "model"), model);
    settings.setValue(parameterKey(learned, dialect, "devices"), devices);
    settings.remove(parameterKey(learned, dialect, "decode"));
}

SearchDialog::SearchDialog(Document& document, QWidget* parent)
    : SearchDialog(document, rememberedSearch(document.dialect()), parent) {}

SearchDialog::SearchDialog(Document& document, const SearchSettings& begin, QWidget* parent)
    : SearchDialog(document, begin, search::rewritingStrategies(), strategyKey(), parent) {}

SearchDialog* SearchDialog::forSaturation(Document& document, QWidget* parent) {
    auto* dialog = new SearchDialog(document, rememberedSaturation(document.dialect()), search::saturationStrategies(),
                                    saturationKey(), parent);
    dialog->setObjectName(QStringLiteral("saturateDialog"));
    dialog->setWindowTitle(tr("Saturate the Program"));
    dialog->m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Saturate"));
    return dialog;
}

SearchDialog* SearchDialog::forScheduling(Document& document, QWidget* parent) {
    auto* dialog = new SearchDialog(document, rememberedScheduling(document.dialect()),
                                    search::placement::scheduleSearches(), schedulingKey(), parent);
    dialog->setObjectName(QStringLiteral("scheduleDialog"));
    dialog->setWindowTitle(tr("Schedule the Program"));
    dialog->m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Schedule"));
    dialog->askForObjective();
    dialog->validate();
    return dialog;
}

SearchDialog* SearchDialog::forProof(Document& document, QWidget* parent) {
    SearchDialog* const dialog = forSaturation(document, parent);
    dialog->setObjectName(QStringLiteral("proofDialog"));
    dialog->setWindowTitle(tr("Prove That Another Program Is Equal"));
    dialog->m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Prove"));
    dialog->askForGoal();
    return dialog;
}

SearchDialog::SearchDialog(Document& document, const SearchSettings& begin, Strategies strategies, QString strategyKey,
                           QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_strategies(std::move(strategies)),
      m_strategyKey(std::move(strategyKey)),
      m_strategy(new QComboBox(this)),
      m_description(new QLabel(this)),
      m_formPlace(new QVBoxLayout),
      m_budget(new BudgetFields(this)),
      m_seed(new QSpinBox(this)),
      m_insist(new QCheckBox(tr("&Insist: apply rules that failed their test"), this)),
      m_assume(new QCheckBox(tr("Allow &assumptions about signs"), this)),
      m_context(new QLabel(this)),
      m_goalPlace(new QVBoxLayout),
      m_message(new QLabel(this)),
      m_buttons(new QDialogButtonBox(
          QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults, this)) {
    setObjectName(QStringLiteral("searchDialog"));
    setWindowTitle(tr("Search"));
    build();

    m_budget->setBudget(begin.budget);
    m_seed->setValue(static_cast<int>(
        std::min<std::uint64_t>(begin.seed, static_cast<std::uint64_t>(std::numeric_limits<int>::max()))));
    m_strategy->setCurrentIndex(std::max(0, m_strategy->findData(begin.strategy)));
    showParameters(begin.parameters);
    QMetaObject::invokeMethod(this, &SearchDialog::makeRoom, Qt::QueuedConnection);

    connect(m_strategy, &QComboBox::currentIndexChanged, this, &SearchDialog::showStrategy);
    const auto showDoubts = [this] {
        const QString details =
            failedRulesDetails(m_document.failedRules()) + failedRulesDetails(m_document.untestedRules());
        m_insist->setVisible(m_objective == nullptr && m_document.hasDoubtfulRules());
        m_insist->setToolTip(details.isEmpty() ? tr("The rules are being tested") : details);
        validate();
    };
    connect(&document, &Document::trustChanged, this, showDoubts);
    connect(m_insist, &QCheckBox::clicked, this, &SearchDialog::validate);
    m_insist->setChecked(document.isInsisting());
    m_assume->setChecked(document.allowsAssumptions());
    showDoubts();
    connect(m_budget, &BudgetFields::changed, this, &SearchDialog::validate);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &SearchDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &SearchDialog::reject);
    connect(m_buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this] {
        m_form->setDefaults();
        m_budget->setBudget(BudgetFields::usual());
        m_seed->setValue(DefaultSeed);
        m_insist->setChecked(false);
        m_assume->setChecked(false);
        validate();
    });
}

void SearchDialog::build() {
    m_strategy->setObjectName(QStringLiteral("searchStrategy"));
    for (const auto& strategy : m_strategies) {
        m_strategy->addItem(fromUtf8(strategy->info().title), fromUtf8(strategy->info().name));
    }
    setUpPlainLabel(m_description, "searchDescription");
    setUpWidget(m_seed, "searchSeed", tr("The same seed gives the same search, as long as time does not end it"));
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_insist->setObjectName(QStringLiteral("searchInsist"));
    setUpWidget(m_assume, "searchAssume", assumptionsHelp());
    setUpPlainLabel(m_context, "searchContext");
    setUpPlainLabel(m_message, "searchMessage");
    m_buttons->setObjectName(QStringLiteral("searchButtons"));
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Run"));

    auto* strategyBox = new QGroupBox(tr("Strategy"), this);
    fillColumn(strategyBox, {m_strategy, m_description, m_formPlace});
    auto* budgetBox = new QGroupBox(tr("Stop when one of these is reached"), this);
    fillColumn(budgetBox, {m_budget});
    auto* seedLine = new QFormLayout;
    seedLine->addRow(tr("Seed"), m_seed);

    fillColumn(this, {m_context, m_goalPlace, strategyBox, budgetBox, seedLine, m_assume, m_insist, m_message,
                      stretch(), m_buttons});
    // Not of the dialog, which would then be narrower than its fields need.
    m_description->setMinimumWidth(DescriptionWidth);

    if (m_document.isOpen()) {
        const rewrite::History& history = m_document.history();
        const cost::CostModelInfo& model = m_document.costModel().info();
        m_context->setText(tr("From state #%1 of %2, cost %3 (%4). Rules: %5.")
                               .arg(history.current().value)
                               .arg(m_document.title(),
                                    amountText(history.state(history.current()).cost, fromUtf8(model.unit)),
                                    fromUtf8(model.name), fromUtf8(m_document.rules().names())));
    }
}

void SearchDialog::askForGoal() {
    m_goal = new QPlainTextEdit(this);
    const bool isGraph = m_document.dialect().sharesNodes();
    setUpWidget(m_goal, "proofGoal",
                isGraph ? tr("Lines of a listing over the names of the program's listing, or a whole listing")
                        : tr("A term over the parameters of the program, or ks definitions"),
                tr("The program to prove equal"));
    m_goal->setFont(programFont());
    m_goal->setTabChangesFocus(true);
    m_goal->setPlaceholderText(isGraph ? QStringLiteral("y = Relu(x)\nTranspose[perm=[1,0]](y)")
                                       : QStringLiteral("a * (b + c)   or   (mul a (add b c))"));
    m_goal->setFixedHeight(GoalLines * m_goal->fontMetrics().lineSpacing());
    auto* box = new QGroupBox(tr("Is it equal to this program?"), this);
    fillColumn(box, {m_goal});
    m_goalPlace->addWidget(box);
    connect(m_goal, &QPlainTextEdit::textChanged, this, &SearchDialog::validate);
    m_goal->setFocus();
    validate();
}

void SearchDialog::askForObjective() {
    m_objective = new QComboBox(this);
    setUpWidget(m_objective, "scheduleObjective", tr("What is made as small as possible"), tr("Objective"));
    for (const ScheduleGoal& goal : scheduleGoals(m_document)) {
        const bool isMemory = goal.objective == search::placement::Objective::Memory;
        m_objective->addItem(isMemory ? tr("Peak memory") : tr("Run time, by %1").arg(goal.costModel),
                             goal.isInForce ? QString() : goal.costModel);
        if (goal.isInForce) m_objective->setCurrentIndex(m_objective->count() - 1);
    }
    auto* line = new QFormLayout;
    line->addRow(tr("Objective"), m_objective);
    m_goalPlace->addLayout(line);
    if (m_document.isOpen())
        m_context->setText(tr("State #%1 of %2.").arg(m_document.history().current().value).arg(m_document.title()));
    m_assume->hide();
    m_insist->hide();
}

void SearchDialog::chooseObjective(search::placement::Objective objective) {
    if (m_objective == nullptr) return;
    const std::vector<ScheduleGoal> goals = scheduleGoals(m_document);
    const auto found = std::ranges::find(goals, objective, &ScheduleGoal::objective);
    if (found != goals.end()) m_objective->setCurrentIndex(static_cast<int>(found - goals.begin()));
}

QString SearchDialog::goal() const { return m_goal == nullptr ? QString() : m_goal->toPlainText(); }

QString SearchDialog::goalProblem() const {
    if (m_goal == nullptr) return {};
    if (goal().trimmed().isEmpty()) return tr("Write the program that the current one may be equal to.");
    ir::TermBank bank(m_document.bank().sharedRegistry());
    const Result<ir::Program> read =
        rewrite::readProgramLike(bank, "goal", goal().toStdString(), m_document.bank(), m_document.current());
    if (read) return {};
    const Error& error = read.error();
    QString text = fromUtf8(error.message);
    if (error.place) text = tr("Line %1, column %2: %3").arg(error.place->line).arg(error.place->column).arg(text);
    return error.hint.empty() ? text : text + QLatin1Char('\n') + fromUtf8(error.hint);
}

const search::StrategyInfo& SearchDialog::strategy() const {
    return m_strategies[static_cast<std::size_t>(std::max(0, m_strategy->currentIndex()))]->info();
}

void SearchDialog::showStrategy() {
    showParameters(rememberedValues(strategy(), m_document.dialect(), QSettings()));
    // Once the new fields are there: a longer description needs a higher dialog.
    QMetaObject::invokeMethod(this, &SearchDialog::makeRoom, Qt::QueuedConnection);
}

void SearchDialog::makeRoom() {
    m_description->parentWidget()->layout()->activate();
    layout()->activate();
    const int wide = std::max(width(), layout()->minimumSize().width());
    resize(wide, std::max(height(), layout()->heightForWidth(wide)));
}

void SearchDialog::showParameters(const ParameterValues& values) {
    const search::StrategyInfo& info = strategy();
    m_description->setText(fromUtf8(info.description));
    delete m_form;
    m_form = new ParameterForm(search::fitted(info, m_document.dialect()).parameters, values, this);
    m_formPlace->addWidget(m_form);
    connect(m_form, &ParameterForm::changed, this, &SearchDialog::validate);
    validate();
}

void SearchDialog::validate() {
    QString problem;
    QString remark;
    const search::Budget budget = m_budget->budget();
    const auto resolved = search::resolveParameters(strategy(), m_form->values());
    if (!m_document.isOpen()) {
        problem = tr("There is no program to search from. Open one first.");
    } else if (m_objective == nullptr && m_document.rules().directions().empty()) {
        problem =
            m_document.rules().names().empty()
                ? tr("There are no rules for %1 programs.").arg(fromUtf8(m_document.dialect().name))
                : tr("No rule of %1 can be executed. Choose other rules.").arg(fromUtf8(m_document.rules().names()));
    } else if (!resolved.ok()) {
        problem = fromUtf8(resolved.error().message);
    } else if (const QString wrong = goalProblem(); !wrong.isEmpty()) {
        problem = wrong;
    } else if (const auto doubtful =
                   static_cast<int>(m_document.failedRules().size() + m_document.untestedRules().size());
               doubtful > 0 && m_insist->isChecked()) {
        remark =
            tr("⚠ Rules that failed their test or could not be tested are applied: the result may compute something "
               "else. It is compared "
               "with its start on random inputs, as always.");
    } else if (doubtful > 0) {
        remark = tr("Rules left out, as they failed their test or could not be tested: %1.").arg(doubtful);
    } else if (!budget.seconds && !budget.evaluations && !budget.states) {
        const std::optional<std::uint64_t> evaluations = search::completed(budget).evaluations;
        remark = evaluations ? tr("Without any limit %1 expressions are evaluated.").arg(countText(*evaluations))
                             : tr("The search goes on until you stop it, memory is full, or nothing is left to try.");
    }
    m_message->setText(problem.isEmpty() ? remark : tr("⚠ %1").arg(problem));
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

SearchSettings SearchDialog::settings() const {
    return {.strategy = fromUtf8(strategy().name),
            .parameters = m_form->values(),
            .budget = m_budget->budget(),
            .seed = static_cast<std::uint64_t>(m_seed->value()),
            .costModel = m_objective == nullptr ? QString() : m_objective->currentData().toString()};
}

void SearchDialog::remember() {
    QSettings settings;
    const search::StrategyInfo& info = strategy();
    settings.setValue(m_strategyKey, fromUtf8(info.name));
    settings.setValue(seedKey(), m_seed->value());
    for (const auto& [name, value] : m_form->values()) {
        settings.setValue(parameterKey(info.name, m_document.dialect(), name), fromUtf8(parameterText(value)));
    }
    BudgetFields::store(settings, m_budget->budget());
}

void SearchDialog::accept() {
    if (!m_buttons->button(QDialogButtonBox::Ok)->isEnabled()) return;
    remember();
    m_document.setInsisting(m_insist->isChecked());
    m_document.setAllowingAssumptions(m_assume->isChecked());
    QDialog::accept();
}

}  // namespace mitos::views
