// SPDX-License-Identifier: GPL-3.0-or-later
// The work of the perspective Gradient: making derivatives of a program's function, with and without coarsening, laying them out, checking
// them. For jobs.
#pragma once

#include "core/autodiff/check.h"
#include "core/autodiff/derivative.h"
#include "core/coarsening/coarsen.h"
#include "core/cost/cost_model.h"
#include "views/document/document.h"
#include "views/gradient/internal/links.h"
#include "views/program/program_tree_model.h"

#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::views {

/// The derivative that the user wants to see.
struct DerivationOrder {
    Snapshot program;  ///< the open one
    ir::FunctionId function;
    autodiff::Direction direction = autodiff::Direction::Reverse;
    autodiff::Form form = autodiff::Form::Scatter;
    bool coarsens = false;  ///< reverse mode of the symbolic form
    std::size_t sizeLimit = coarsening::CoarsenOptions().sizeLimit;
    /// The numbers of the parameters of a gradient (autodiff::gradient); none: the derivative of the direction.
    std::vector<std::size_t> wrt = {};
    std::shared_ptr<const cost::CostModel> costs;
    int columns = 0;  ///< of the texts
};

/// A function beside its derivative.
struct Derivation {
    std::shared_ptr<const ir::TermBank> bank;  ///< of both
    ir::Program primal;
    ProgramContent function;
    QString name;  ///< of the derivative, without its types: "[rev gemm]"
    ProgramContent derivative;
    Links links;
    QString text;  ///< the whole program with the derivative, as ks text
    /// The regions and segments, if it was coarsened; there are no links then. The threads were checked.
    std::shared_ptr<const coarsening::Coarsened> coarsened = {};
    ir::Program derived = {};        ///< the derivative's function
    autodiff::Origins origins = {};  ///< of its terms
    /// Set if there is no derivative; then the rest is not.
    std::optional<Error> problem = {};
    QString problemFunction = {};                ///< the function whose part has no derivative
    std::optional<NodeIndex> problemPlace = {};  ///< the part, if it is one of the function shown
};

/// The problem is Cancelled after a stop request.
[[nodiscard]] Derivation derived(const DerivationOrder& order, const std::stop_token& stop);

/// The same derivation with texts of other widths.
[[nodiscard]] Derivation laidOutAnew(const Derivation& derivation, const DerivationOrder& order);

/// The function alone in a bank of its own, so that its derivative is made anew. Functions defined outside of the program bring their
/// derivatives along.
[[nodiscard]] Result<ProgramCopy> aloneOf(const DerivationOrder& order);

/// Checks the derivatives as they are ordered. Fails if there is no derivative, or with Cancelled.
[[nodiscard]] Result<autodiff::CheckReport> checked(const DerivationOrder& order, const std::stop_token& stop,
                                                    const std::function<void(int compared)>& progress);

}  // namespace mitos::views
