// SPDX-License-Identifier: GPL-3.0-or-later
// See regions.h.
#include "views/document/regions.h"

#include "core/ir/shared.h"
#include "core/partition/region_form.h"
#include "core/partition/region_groups.h"
#include "core/rules/language/pattern_text.h"
#include "views/common/format.h"

#include <absl/container/flat_hash_map.h>

#include <QStringList>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

QString regionsKey() { return QStringLiteral("regions"); }

using Terms = absl::flat_hash_map<ir::TermId, ir::TermId>;

partition::Region translated(const partition::Region& region, const Terms& terms) {
    const auto all = [&](std::vector<ir::TermId> nodes) {
        for (ir::TermId& node : nodes) node = terms.at(node);
        return nodes;
    };
    return {terms.at(region.root), all(region.nodes), all(region.inputs), all(region.outputs)};
}

partition::RefusedMatch translated(partition::RefusedMatch match, const Terms& terms) {
    match.root = terms.at(match.root);
    if (match.node.isValid()) match.node = terms.at(match.node);
    return match;
}

/// The terms of the same program in two banks; both visit them in the same order.
Terms pairsOf(const ir::TermBank& from, ir::TermId root, const ir::TermBank& to, ir::TermId sameRoot) {
    const ir::SharedNodes keys(from, root);
    const ir::SharedNodes values(to, sameRoot);
    Terms terms;
    terms.reserve(keys.size());
    auto value = values.begin();
    for (const ir::TermId key : keys) terms.emplace(key, *value++);
    return terms;
}

QString namesOf(const ir::TermBank& bank, const std::vector<ir::TermId>& nodes) {
    QStringList names;
    for (const ir::TermId node : nodes) names << fromUtf8(partition::nodeName(bank, node));
    return names.join(QStringLiteral(", "));
}

Result<FoundRegions> divided(const Snapshot& snapshot, const RegionRequest& request, const cost::CostModel& model,
                             const std::stop_token& stop) {
    const ProgramCopy copy = snapshot.copy();
    ir::TermBank& bank = *copy.bank;
    MITOS_TRY(const rules::FoundPattern pattern,
              rules::findPattern(request.pattern.toStdString(), request.sets.toStdString(), bank.sharedRegistry()));
    MITOS_TRY(
        const partition::Partition parts,
        partition::divide(bank, copy.program, *pattern.pattern,
                          {.leastNodes = static_cast<std::size_t>(std::max(1, request.leastNodes)), .stop = stop}));
    FoundRegions found;
    found.program = snapshot.program;
    found.request = request;
    found.pattern = fromUtf8(pattern.text);
    found.name = fromUtf8(pattern.name);
    found.set = fromUtf8(pattern.set);
    found.unfinished = parts.unfinished.size();
    found.isStopped = parts.isStopped;
    absl::flat_hash_map<ir::TermId, ir::Path> places;  // of roots
    for (const partition::Region& region : parts.regions) places.emplace(region.root, ir::Path());
    for (const partition::RefusedMatch& match : parts.refused) places.emplace(match.root, ir::Path());
    ir::forEachShared(bank, copy.program.root, [&](const ir::Path& path, ir::TermId node) {
        const bool isResults = node == copy.program.root && bank.is(node, ir::CoreOp::Tuple);
        if (bank.childCount(node) > 0 && !isResults) ++found.operators;
        if (const auto place = places.find(node); place != places.end()) place->second = path;
        return true;
    });
    if (const Result<double> cost = model.evaluator(bank, copy.program.function)->cost(copy.program.root, stop); cost)
        found.cost = *cost;
    const Terms terms = pairsOf(bank, copy.program.root, *snapshot.bank, snapshot.program.root);
    for (std::size_t i = 0; i < parts.regions.size(); ++i) {
        const partition::Region& region = parts.regions[i];
        const partition::RegionForm form = partition::formOf(bank, copy.program, region, model, stop);
        found.covered += region.nodes.size();
        found.regions.push_back({.region = translated(region, terms),
                                 .form = 0,
                                 .name = fromUtf8(partition::regionName(pattern.name, i)),
                                 .root = fromUtf8(partition::nodeName(bank, region.root)),
                                 .place = places.at(region.root),
                                 .operators = namesOf(bank, region.nodes),
                                 .inputs = fromUtf8(partition::inWords(form.inputs)),
                                 .outputs = fromUtf8(partition::inWords(form.outputs)),
                                 .cost = form.cost,
                                 .problem = fromUtf8(form.problem)});
    }
    const std::vector<partition::RegionGroup> forms = partition::groupsOf(bank, parts.regions);
    found.forms = forms.size();
    for (std::size_t form = 0; form < forms.size(); ++form) {
        for (const std::size_t region : forms[form].regions) found.regions[region].form = form + 1;
    }
    for (const partition::RefusedMatch& match : parts.refused) {
        found.refused.push_back({.match = translated(match, terms),
                                 .root = fromUtf8(partition::nodeName(bank, match.root)),
                                 .place = places.at(match.root),
                                 .reason = fromUtf8(partition::reasonOf(bank, match)),
                                 .law = fromUtf8(partition::inWords(match.law))});
    }
    return found;
}

}  // namespace

QString regionObstacle(const ir::Dialect& dialect) {
    if (dialect.can(ir::Capability::Divide)) return {};
    return Regions::tr("A %1 program is not divided into regions; networks are").arg(fromUtf8(dialect.name));
}

double FoundRegions::share(std::size_t region) const {
    const std::optional<double>& own = regions[region].cost;
    return own && cost && *cost > 0.0 ? *own / *cost : -1.0;
}

RegionCopies copyOf(const Snapshot& snapshot, const FoundRegions& found) {
    RegionCopies made{snapshot.copy(), {}, {}};
    const Terms terms = pairsOf(*snapshot.bank, snapshot.program.root, *made.copy.bank, made.copy.program.root);
    for (const ShownRegion& region : found.regions) made.regions.push_back(translated(region.region, terms));
    for (const ShownRefusal& refusal : found.refused) made.refused.push_back(translated(refusal.match, terms));
    return made;
}

Regions::Regions(Document& document, JobRunner& jobs, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_query(jobs) {
    connect(&document, &Document::closed, this, [this] {
        m_request.reset();
        drop();
        Q_EMIT changed();
    });
    connect(&document, &Document::opened, this, &Regions::recall);
    connect(&document, &Document::currentChanged, this, &Regions::ask);
    connect(&document, &Document::costModelChanged, this, &Regions::ask);
}

void Regions::find(const RegionRequest& request) {
    m_request = request;
    remember();
    ask();
}

void Regions::stop() { m_query.stop(); }

void Regions::clear() {
    if (!m_request) return;
    m_request.reset();
    remember();
    drop();
    Q_EMIT changed();
}

void Regions::choose(std::optional<std::size_t> region) {
    if (region && (m_found == nullptr || *region >= m_found->regions.size())) region.reset();
    if (region == m_chosen) return;
    m_chosen = region;
    Q_EMIT chosenChanged();
}

void Regions::drop() {
    m_query.cancel();
    m_error.reset();
    m_found.reset();
    choose(std::nullopt);
}

void Regions::ask() {
    if (!m_request || !m_document.isOpen()) return;
    drop();
    if (const QString obstacle = regionObstacle(m_document.dialect()); !obstacle.isEmpty()) {
        m_error = Error{ErrorCode::Unsupported, obstacle.toStdString()};
        Q_EMIT changed();
        return;
    }
    m_query.ask(
        tr("Dividing the program into regions"),
        [snapshot = m_document.snapshot(m_document.current()), request = *m_request,
         model = m_document.sharedCostModel()](const std::stop_token& stop, const JobRunner::Report&) {
            return divided(snapshot, request, *model, stop);
        },
        [this](Result<FoundRegions> found) { take(std::move(found)); });
    Q_EMIT changed();
}

void Regions::take(Result<FoundRegions> found) {
    if (found)
        m_found = std::make_shared<const FoundRegions>(*std::move(found));
    else
        m_error = found.error();
    Q_EMIT changed();
}

void Regions::remember() {
    const QString text =
        m_request ? QStringList{QString::number(m_request->leastNodes), m_request->sets, m_request->pattern}.join(
                        QLatin1Char('\n'))
                  : QString();
    m_document.setViewValue(regionsKey(), text);
}

void Regions::recall() {
    const QString text = m_document.viewValue(regionsKey());
    if (text.isEmpty()) return;
    m_request = RegionRequest{.pattern = text.section(QLatin1Char('\n'), 2),
                              .sets = text.section(QLatin1Char('\n'), 1, 1),
                              .leastNodes = std::max(1, text.section(QLatin1Char('\n'), 0, 0).toInt())};
    ask();
}

}  // namespace mitos::views
