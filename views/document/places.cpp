// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/places.h"

#include "core/dialects/dialects.h"
#include "core/ir/binding.h"
#include "core/ir/shared.h"
#include "core/ks/module.h"
#include "core/tensor/text.h"
#include "views/common/format.h"

#include <QCoreApplication>
#include <QStringList>
#include <vector>

namespace mitos::views {

namespace {

constexpr std::uint64_t WholeTermSize = 14;
constexpr std::uint64_t WholeChildSize = 5;
constexpr qsizetype LongestTerm = 80;
constexpr qsizetype LongestTree = 40;

constexpr ks::PrintOptions OneLine{.width = 0, .compact = true};

/// The head of a printed term.
std::string headOf(const ir::TermBank& bank, ir::TermId term) {
    if (bank.is(term, ir::CoreOp::Call)) return bank.function(bank.payload(term).asFunction()).name;
    return std::string(bank.opName(term));
}

/// Prints a ks term in about forty characters.
std::string shortTerm(const ir::TermBank& bank, ir::TermId term, const std::vector<std::string>& outerNames) {
    const std::size_t children = bank.childCount(term);
    if (children == 0 || bank.treeSize(term) <= WholeTermSize) return ks::printTerm(bank, term, OneLine, outerNames);
    std::string text = "(" + headOf(bank, term);
    for (std::size_t i = 0; i < children; ++i) {
        const ir::TermId child = bank.child(term, i);
        const bool whole = bank.boundIn(term, i) == 0 && bank.treeSize(child) <= WholeChildSize;
        text += whole                         ? " " + ks::printTerm(bank, child, OneLine, outerNames)
                : bank.childCount(child) == 0 ? " …"
                                              : " (" + headOf(bank, child) + " …)";
    }
    return text + ")";
}

}  // namespace

ir::NodePlaces nodePlaces(const ir::TermBank& bank, const ir::Program& program) {
    ir::NodePlaces places;
    ir::forEachNode(bank, program.root, bank.dialect(program.function).sharing, [&](const ir::Path& path, ir::TermId) {
        places.add(path);
        return true;
    });
    return places;
}

PlaceNames::PlaceNames(const ir::TermBank& bank, const ir::Program& program, std::size_t most)
    : m_bank(bank),
      m_program(program),
      m_most(most) {}

QString PlaceNames::at(const ir::Path& place) {
    const auto node = ir::subterm(m_bank, m_program.root, place);
    if (!node) return positionText(place);
    if (isTree()) return (shortened(term(place), LongestTree) + QLatin1Char(' ') + surroundings(place)).trimmed();
    if (!m_names) {
        m_names.emplace();
        if (m_most > 0 && ir::sharedSize(m_bank, m_program.root) <= m_most)
            m_names = tensor::listingNames(m_bank, m_program);
    }
    const auto name = m_names->find(*node);
    return fromUtf8(name == m_names->end() ? tensor::nodeText(m_bank, *node) : name->second);
}

bool PlaceNames::isTree() const { return !m_bank.dialect(m_program.function).sharesNodes(); }

std::vector<std::string> PlaceNames::boundNames(const ir::Path& place) const {
    if (m_bank.treeSize(m_program.root) <= m_most) return ks::binderNames(m_bank, m_program, place);
    std::vector<std::string> names;
    for (const ir::TermId binder : ir::bindersAbove(m_bank, m_program.root, place)) {
        const Symbol hint = m_bank.hint(binder);
        names.emplace_back(hint.isValid() ? m_bank.text(hint) : std::string_view("_"));
    }
    return names;
}

QString PlaceNames::term(const ir::Path& place) {
    const auto node = ir::subterm(m_bank, m_program.root, place);
    if (!node) return positionText(place);
    if (!isTree()) return shortened(fromUtf8(dialects::printTermAt(m_bank, m_program, place, *node)), LongestTerm);
    const bool needsNames = m_bank.looseBound(*node) > 0;
    return shortened(fromUtf8(shortTerm(m_bank, *node, needsNames ? boundNames(place) : std::vector<std::string>())),
                     LongestTerm);
}

QString PlaceNames::surroundings(const ir::Path& place) {
    if (!isTree()) return {};
    std::optional<std::size_t> levels;  // of the innermost let
    ir::TermId term = m_program.root;
    for (std::size_t level = 0; level < place.size(); ++level) {
        if (place[level] >= m_bank.childCount(term)) return {};
        if (m_bank.is(term, ir::CoreOp::Let) && place[level] == 0) levels = level;
        term = m_bank.child(term, place[level]);
    }
    if (!levels) return {};
    const ir::Path let(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(*levels));
    const auto [known, isNew] = m_lets.try_emplace(let);
    if (!isNew) return known->second;
    const std::vector<std::string> names = boundNames(ir::child(let, 1));
    if (!names.empty()) {
        known->second = QCoreApplication::translate("mitos::views::places", "in %1").arg(fromUtf8(names.back()));
    }
    return known->second;
}

QString PlaceNames::of(const rewrite::Step& step) {
    QStringList places;
    for (const ir::Path& place : step.positions) places << at(place);
    const QString all = places.join(QStringLiteral(", "));
    if (step.region == nullptr) return all;
    return QCoreApplication::translate("mitos::views::places", "%1 in %2").arg(all, fromUtf8(step.region->name));
}

ReadingTexts::ReadingTexts(const ir::TermBank& bank, const ir::Program& program)
    : m_bank(bank),
      m_root(program.root),
      m_form(bank, program, {}) {}

QString ReadingTexts::at(const ir::Path& path) const {
    const std::string_view text = textAt(path);
    const auto term = ir::subterm(m_bank, m_root, path);
    if (!term || !m_bank.is(*term, ir::CoreOp::Let)) return fromUtf8(text).simplified();
    const bool isInSignature = text.data() == m_form.text().data();
    return fromUtf8(isInSignature ? textAt(ir::child(path, 0)) : text.substr(0, text.find('\n'))).simplified();
}

std::string_view ReadingTexts::textAt(const ir::Path& path) const {
    constexpr std::size_t Longest = 400;  // bytes
    return m_form.textAt(path).substr(0, Longest);
}

}  // namespace mitos::views
