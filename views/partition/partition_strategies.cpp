// SPDX-License-Identifier: GPL-3.0-or-later
// The strategies of the dialog: which one searches the regions of which form, its parameters, and the search.
#include "search/strategies/strategies.h"
#include "views/common/format.h"
#include "views/partition/internal/region_strategies.h"
#include "views/partition/internal/region_tables.h"
#include "views/partition/partition_dialog.h"

#include <fmt/format.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr const char* UsualRegionStrategy = "greedy";

}  // namespace

void PartitionDialog::listStrategies() {
    for (const auto& strategy : search::rewritingStrategies()) {
        const search::StrategyInfo& info = strategy->info();
        if (!info.suits(m_document.dialect()) || !search::searchesRegions(info)) continue;
        m_strategy->addItem(fromUtf8(info.label), fromUtf8(info.name));
        m_strategy->setItemData(m_strategy->count() - 1, fromUtf8(info.title), Qt::ToolTipRole);
        if (info.name == UsualRegionStrategy) m_strategies->setAll({strategy, {}});
    }
    m_strategy->addItem(tr("Not searched"), QString());
}

std::optional<std::size_t> PartitionDialog::formInQuestion() const {
    if (m_scope->currentIndex() == AllScope || !m_regions.chosen()) return std::nullopt;
    return m_regions.found()->regions[*m_regions.chosen()].form;
}

const RegionStrategy& PartitionDialog::strategyInQuestion() const {
    const std::optional<std::size_t> form = formInQuestion();
    return form ? m_strategies->of(*form) : m_strategies->all();
}

void PartitionDialog::setStrategy(RegionStrategy strategy) {
    if (const std::optional<std::size_t> form = formInQuestion())
        m_strategies->set(*form, std::move(strategy));
    else
        m_strategies->setAll(std::move(strategy));
    showActions();
}

void PartitionDialog::chooseStrategy() {
    const std::string name = m_strategy->currentData().toString().toStdString();
    if (name.empty()) return setStrategy({});
    if (const Result<std::shared_ptr<const search::Strategy>> strategy = search::findStrategy(name); strategy)
        setStrategy({*strategy, {}});
}

void PartitionDialog::askForParameters() {
    const RegionStrategy& asked = strategyInQuestion();
    if (!asked.strategy) return;
    auto* dialog =
        new RegionParameterDialog(search::fitted(asked.strategy->info(), m_document.dialect()), asked.values, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, strategy = asked.strategy] {
        setStrategy({strategy, dialog->changedValues()});
    });
    dialog->open();
}

/// The fields show the strategy in question, the table those of all forms.
void PartitionDialog::showStrategies() {
    const RegionStrategy& shown = strategyInQuestion();
    const QString name = shown.strategy ? fromUtf8(shown.strategy->info().name) : QString();
    m_strategy->setCurrentIndex(std::max(0, m_strategy->findData(name)));
    const bool isPossible = m_scope->currentIndex() == AllScope || m_regions.chosen();
    m_strategy->setEnabled(isPossible);
    m_parameters->setEnabled(isPossible && shown.strategy && !shown.strategy->info().parameters.empty());
    QStringList texts;
    const std::shared_ptr<const FoundRegions>& found = m_regions.found();
    for (std::size_t form = 1; found && form <= found->forms; ++form) {
        const RegionStrategy& strategy = m_strategies->of(form);
        texts << (strategy.strategy ? fromUtf8(strategy.text()) : tr("not searched"));
    }
    m_model->setStrategies(std::move(texts));
}

bool PartitionDialog::canSearch() const {
    if (inQuestion().empty()) return false;
    const std::optional<std::size_t> form = formInQuestion();
    return form ? m_strategies->of(*form).strategy != nullptr : m_strategies->searchesAny(m_regions.found()->forms);
}

void PartitionDialog::search() {
    const std::shared_ptr<const FoundRegions>& found = m_regions.found();
    if (!found || !canSearch()) return;
    const std::optional<std::size_t> form = formInQuestion();
    const bool isOne = m_scope->currentIndex() == RegionScope;
    const std::string part = form ? fmt::format("{}: {}", *form, m_strategies->of(*form).text()) : m_strategies->text();
    const std::int64_t region = isOne ? static_cast<std::int64_t>(*m_regions.chosen()) + 1 : 0;
    const ParameterValues parameters{{"pattern", found->request.pattern.toStdString()},
                                     {"patterns", found->request.sets.toStdString()},
                                     {"part", part},
                                     {"region", region},
                                     {"least", std::int64_t{found->request.leastNodes}}};
    const QString what = isOne  ? tr("Searching region %1").arg(region)
                         : form ? tr("Searching the regions of form %1").arg(*form)
                                : tr("Searching all regions");
    Q_EMIT searchRequested(fromUtf8(search::RegionsName), parameters);
    m_status->setText(tr("%1: %2. The run is in the history and in the Jobs view.").arg(what, fromUtf8(part)));
}

}  // namespace mitos::views
