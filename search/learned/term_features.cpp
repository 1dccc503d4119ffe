// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/term_features.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace mitos::search::learned {

namespace {

using ir::CoreOp;
using ir::TermBank;
using ir::TermId;

constexpr std::uint32_t Levels = 12;
constexpr std::size_t MostNear = 64;  // of wide terms, the first ones

/// Places of the features.
enum Feature : std::size_t {
    Zero,
    One,
    MinusOne,
    Two,
    OtherLiteral,
    FirstIndex,  // to index 3 or more
    Free = FirstIndex + 4,
    Equal,
    FirstInSecond,
    SecondInFirst,
    OneSharedTerm,
    SharedTerms,
    OneSharedVariable,
    SharedVariables,
    Unused,  // of the binder's variable, to used three times or more
    Size = Unused + 4,
    Depth,
    Open,
    LargestShared,
    DepthInFirst,
    DepthInSecond,
    SharedCount,
};
static_assert(SharedCount + 1 == TermFeatureCount);

struct NearTerm {
    TermId term;
    std::uint32_t depth;
};
using Near = absl::InlinedVector<NearTerm, 32>;

/// The distinct subterms down to some levels, without literals.
Near nearTo(const TermBank& bank, TermId term) {
    Near all;
    const auto add = [&](TermId one, std::uint32_t depth) {
        if (!bank.is(one, CoreOp::Literal) && all.size() < MostNear &&
            std::ranges::find(all, one, &NearTerm::term) == all.end())
            all.push_back({one, depth});
    };
    add(term, 1);
    std::size_t begin = 0;
    for (std::uint32_t level = 0; level < Levels; ++level) {
        const std::size_t end = all.size();
        for (; begin < end; ++begin) {
            for (const TermId child : bank.children(all[begin].term)) add(child, level + 2);
        }
    }
    return all;
}

std::optional<double> literal(const TermBank& bank, TermId term) {
    if (!bank.is(term, CoreOp::Literal)) return std::nullopt;
    const ir::Payload& payload = bank.payload(term);
    if (payload.kind() == ir::PayloadKind::Float) return payload.asFloat();
    if (payload.kind() == ir::PayloadKind::Integer) return static_cast<double>(payload.asInteger());
    if (payload.kind() == ir::PayloadKind::Bool) return payload.asBool() ? 1.0 : 0.0;
    return std::nan("");
}

void addLiteral(double value, TermFeatures& features) {
    constexpr std::array<double, 4> Known{0.0, 1.0, -1.0, 2.0};
    const auto found = std::ranges::find(Known, value);
    features[static_cast<std::size_t>(Zero) + static_cast<std::size_t>(found - Known.begin())] = 1.0F;
}

void addCommon(const TermBank& bank, TermId term, TermFeatures& features) {
    const TermId first = bank.child(term, 0);
    const TermId second = bank.child(term, 1);
    if (first == second) {
        features[Equal] = 1.0F;
        return;
    }
    const Near inFirst = nearTo(bank, first);
    const Near inSecond = nearTo(bank, second);
    std::size_t terms = 0;
    std::size_t variables = 0;
    std::uint64_t largest = 0;
    for (const auto& [one, depth] : inFirst) {
        const auto other = std::ranges::find(inSecond, one, &NearTerm::term);
        if (other == inSecond.end()) continue;
        if (bank.treeSize(one) > largest && bank.childCount(one) > 0) {
            largest = bank.treeSize(one);
            features[LargestShared] = static_cast<float>(std::log2(static_cast<double>(largest)) / 8.0);
            features[DepthInFirst] = static_cast<float>(depth) / 4.0F;
            features[DepthInSecond] = static_cast<float>(other->depth) / 4.0F;
        }
        if (one == first) features[FirstInSecond] = 1.0F;
        if (one == second) features[SecondInFirst] = 1.0F;
        ++(bank.childCount(one) > 0 ? terms : variables);
    }
    features[SharedCount] = static_cast<float>(terms) / 4.0F;
    if (terms > 0) features[terms > 1 ? SharedTerms : OneSharedTerm] = 1.0F;
    if (variables > 0) features[variables > 1 ? SharedVariables : OneSharedVariable] = 1.0F;
}

}  // namespace

LooseUses looseUses(const TermBank& bank, TermId term, std::span<const LooseUses> ofChildren) {
    constexpr std::uint32_t Most = 255;
    LooseUses uses{};
    if (bank.is(term, CoreOp::Bound)) {
        const std::uint32_t index = bank.payload(term).asIndex();
        if (index < uses.size()) uses[index] = 1;
        return uses;
    }
    for (std::size_t child = 0; child < ofChildren.size(); ++child) {
        const std::size_t bound = bank.boundIn(term, child);
        for (std::size_t i = bound; i < uses.size(); ++i) {
            const std::uint32_t sum = std::uint32_t{uses[i - bound]} + ofChildren[child][i];
            uses[i - bound] = static_cast<std::uint8_t>(std::min(Most, sum));
        }
    }
    return uses;
}

TermFeatures featuresOf(const TermBank& bank, TermId term, std::span<const LooseUses> ofChildren) {
    constexpr double SizeScale = 8.0;
    constexpr double DepthScale = 16.0;
    TermFeatures features{};
    if (const std::optional<double> value = literal(bank, term)) addLiteral(*value, features);
    if (bank.is(term, CoreOp::Bound)) features[FirstIndex + std::min(3U, bank.payload(term).asIndex())] = 1.0F;
    if (bank.is(term, CoreOp::Variable)) features[Free] = 1.0F;
    if (bank.childCount(term) >= 2) addCommon(bank, term, features);
    for (std::size_t child = 0; child < ofChildren.size(); ++child) {
        if (bank.boundIn(term, child) > 0) features[Unused + std::min<std::size_t>(3, ofChildren[child][0])] = 1.0F;
    }
    features[Size] = static_cast<float>(std::log2(static_cast<double>(bank.treeSize(term))) / SizeScale);
    features[Depth] = static_cast<float>(static_cast<double>(bank.depth(term)) / DepthScale);
    features[Open] = bank.looseBound(term) > 0 ? 1.0F : 0.0F;
    return features;
}

}  // namespace mitos::search::learned
