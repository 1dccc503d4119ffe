// SPDX-License-Identifier: GPL-3.0-or-later
// Derives what the two sides of a TENSAT rule imply about shapes, as expressions of the rule language: "x.shape[1] + y.shape[1]".
#pragma once

#include "core/rules/tensat/internal/tensat_reader.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mitos::rules::tensat {

/// Classes of texts with the same meaning (a union-find); one text represents each class.
class SameTexts {
public:
    [[nodiscard]] std::string of(const std::string& text) const;
    void unite(const std::string& a, const std::string& b);

private:
    std::map<std::string, std::string> m_parents;
};

/// A size: the terms of a sum.
using Size = std::vector<std::string>;

/// The sizes that the rule determines. A rule that does not fix a rank holds for every rank.
class Shapes {
public:
    /// `names` maps variables to their names in the rule language; it must outlive this object.
    Shapes(const RuleText& rule, const std::map<std::string, std::string>& names);

    /// Why the rule is contradictory or cannot be expressed; empty if it can be translated.
    [[nodiscard]] const std::string& obstacle() const { return m_obstacle; }
    /// The conditions on shapes that TENSAT requires: the ranks it prints, operands of equal shape (there is no broadcasting), and for the
    /// right side the requirements of its operators. Requirements that hold in every matched program are left out.
    [[nodiscard]] const std::vector<std::string>& conditions() const { return m_conditions; }

    /// The size along an axis of a term whose rank is known.
    [[nodiscard]] Size size(const Expr& expr, std::size_t axis) const;
    [[nodiscard]] std::string text(const Size& size) const;
    /// The text of a size as a factor of a product or quotient.
    [[nodiscard]] std::string factor(const Size& size) const;
    /// The padding of a window with TENSAT's "same" padding: the numbers of zeros before and after, along an axis of the input (2 or 3).
    [[nodiscard]] std::array<std::string, 2> samePads(const Expr& window, std::size_t axis) const;
    /// The sizes of the two parts of TENSAT's split, which cuts where the Concat that made the tensor joined. Nothing if there is no such
    /// Concat, or if several disagree.
    [[nodiscard]] std::optional<std::array<Size, 2>> cut(const Expr& expr, std::size_t axis) const;
    /// The name bound to the sizes of a split on the left side whose cut is not known there.
    [[nodiscard]] std::string splitName(const Expr& split) const;

private:
    struct Shape {
        bool isOpen = false;  ///< the rank is unknown: only the last two sizes are known, or none
        std::vector<Size> sizes;
    };

    void unite(const Expr& expr, bool isLeft);
    void rank(const Expr& expr, std::int64_t rank);
    /// `isKernel`: whether the term is the kernel of a convolution.
    void check(const Expr& expr, bool isLeft, bool isKernel = false);
    /// Visits the pairs of sizes that the operator itself requires to be equal.
    template <typename Visit>
    void forEachEqual(const Expr& expr, const Visit& visit) const;
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
    SameTexts m_ranks;                             ///< terms of equal rank
    SameTexts m_typed;                             ///< terms of equal rank in every program that the left side matches
    SameTexts m_sizes;                             ///< sizes that are equal where the rule applies
    std::map<std::string, std::int64_t> m_rankOf;  ///< by class of m_ranks
    std::map<std::string, bool> m_isOfMatrices;    ///< by class of m_ranks
    std::map<std::string, std::string> m_splitNames;
    std::map<std::string, std::string> m_firstOfClass;  ///< first variable, by class of m_ranks of unknown rank
    std::vector<std::string> m_conditions;
    std::string m_obstacle;
};

/// The numbers of a window: strides and padding.
[[nodiscard]] std::array<std::int64_t, 2> strides(const Expr& window);
[[nodiscard]] Padding padding(const Expr& window);

}  // namespace mitos::rules::tensat
