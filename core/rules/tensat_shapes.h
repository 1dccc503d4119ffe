// SPDX-License-Identifier: GPL-3.0-or-later
// What the two sides of one of TENSAT's rules say about shapes, in the words of the rule language: "x.shape[1] + y.shape[1]".
#pragma once

#include "core/rules/tensat_reader.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mitos::rules::tensat {

/// Which texts mean the same; the first one seen stands for all.
class SameTexts {
public:
    [[nodiscard]] std::string of(const std::string& text) const;
    void unite(const std::string& a, const std::string& b);

private:
    std::map<std::string, std::string> m_parents;
};

/// A size: a sum.
using Size = std::vector<std::string>;

/// Sizes, as far as the rule tells them; a rule that says nothing of a rank holds for every rank.
class Shapes {
public:
    /// `names`: what variables are called in the rule language. The rule outlives this.
    Shapes(const RuleText& rule, const std::map<std::string, std::string>& names);

    /// Why the rule makes no sense, or cannot be said; empty: it can.
    [[nodiscard]] const std::string& obstacle() const { return m_obstacle; }
    /// What TENSAT asks of shapes: the ranks it prints, operands of one shape (there is no broadcasting), and on the right side what
    /// its operators ask for. What the operators of a matched program ask for anyway is not among it.
    [[nodiscard]] const std::vector<std::string>& conditions() const { return m_conditions; }

    /// The size along an axis of a term whose rank is known.
    [[nodiscard]] Size size(const Expr& expr, std::size_t axis) const;
    [[nodiscard]] std::string text(const Size& size) const;
    /// In a product or quotient.
    [[nodiscard]] std::string factor(const Size& size) const;
    /// How a window of TENSAT's padding lies: zeros before, zeros behind, along the axis of `input` (2 or 3).
    [[nodiscard]] std::array<std::string, 2> samePads(const Expr& window, std::size_t axis) const;
    /// Where TENSAT's split cuts: the place it remembers from the Concat that made the tensor. Nothing if there is none, or if
    /// several disagree.
    [[nodiscard]] std::optional<std::array<Size, 2>> cut(const Expr& expr, std::size_t axis) const;
    /// The name of the sizes of a split on the left side whose cut is not known there.
    [[nodiscard]] std::string splitName(const Expr& split) const;

private:
    struct Shape {
        bool isOpen = false;  ///< of unknown rank: only the last two sizes are known, or none
        std::vector<Size> sizes;
    };

    void unite(const Expr& expr, bool isLeft);
    void rank(const Expr& expr, std::int64_t rank);
    void check(const Expr& expr, bool isLeft);
    void learn(const Expr& expr);
    void require(const Expr& expr);
    void require(const Expr& a, const Expr& b);
    void requireEqual(const Size& a, const Size& b);
    void requireRanks(const Expr& expr);
    void fail(std::string obstacle);

    [[nodiscard]] std::optional<std::int64_t> rankOf(const Expr& expr) const;
    [[nodiscard]] bool isOfMatrices(const Expr& expr) const;
    [[nodiscard]] Shape shape(const Expr& expr) const;
    [[nodiscard]] Size spatial(const Expr& window, std::size_t axis) const;
    [[nodiscard]] Size kernel(const Expr& window, std::size_t axis) const;
    [[nodiscard]] Size canonical(const Size& size) const;
    [[nodiscard]] Size sorted(const Size& size) const;
    [[nodiscard]] const std::string& nameOf(const Expr& variable) const { return m_names.at(variable.name); }

    const std::map<std::string, std::string>& m_names;
    SameTexts m_ranks;                             ///< terms of one rank
    SameTexts m_typed;                             ///< terms of one rank in every program that the left side matches
    SameTexts m_sizes;                             ///< sizes that are equal where the rule applies
    std::map<std::string, std::int64_t> m_rankOf;  ///< by class of m_ranks
    std::map<std::string, bool> m_isOfMatrices;    ///< by class of m_ranks
    std::map<std::string, std::string> m_splitNames;
    std::map<std::string, std::string> m_firstOfClass;  ///< variables met, by class of m_ranks of unknown rank
    std::vector<std::string> m_conditions;
    std::string m_obstacle;
};

/// The numbers of a window: strides and padding.
[[nodiscard]] std::array<std::int64_t, 2> strides(const Expr& window);
[[nodiscard]] Padding padding(const Expr& window);

}  // namespace mitos::rules::tensat
