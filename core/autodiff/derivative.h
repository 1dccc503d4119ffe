// SPDX-License-Identifier: GPL-3.0-or-later
// Derivatives of ks functions as functions: forward `[fwd f]` and reverse `[rev f]`, by transformation of terms (linear maps are not
// materialised), and the shape of a result, `[shape f]`.
#pragma once

#include "core/base/result.h"
#include "core/ir/dialect.h"
#include "core/ir/path.h"
#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mitos::autodiff {

/// The form in which the tangents of tensors are added up in reverse mode.
enum class Form : std::uint8_t {
    Scatter,  ///< each value is added at its index (buildFromSparse): for code that runs
    Delta,  ///< sums of tensors that are zero but for one element (deltaVec): the paper's form, input of the optimizer. Sums over
    ///< empty ranges fail, as sumbuild does.
};

enum class Direction : std::uint8_t { Forward, Reverse };

/// "fwd" or "rev".
[[nodiscard]] std::string_view derivationOf(Direction direction);

/// The cause why there is no derivative: an application of `head`, an operator or a function, in the body of a function.
struct Obstacle {
    ir::FunctionId function = {};
    std::string head = {};
};

/// Where terms of a derivative's body come from: the places in its base's body that they are made for, as values of the primal or as tangents.
/// Equal terms have the places of all of them; a term without an entry belongs to the term around it.
using Origins = absl::flat_hash_map<ir::TermId, std::vector<ir::Path>>;

/// The derivative of a function of the bank: with the base f : S -> T, `[fwd f]` takes (S, dS) to dT and `[rev f]` takes (S, dT) to dS.
/// Functions that f calls are derived too, each once; a derivative that the program defines itself is used as it is. A derivative that
/// the bank has already is returned, whatever its form. Fails (Unsupported) if a part of f has no derivative; the message says which
/// one and in which function, and so does `obstacle` if it is not null. `origins`, if it is not null, is filled if the derivative of `base` is
/// made by this call; terms of a call that was opened have the place of the call.
[[nodiscard]] Result<ir::FunctionId> derive(ir::TermBank& bank, Direction direction, ir::FunctionId base,
                                            Form form = Form::Scatter, Obstacle* obstacle = nullptr,
                                            Origins* origins = nullptr);

/// The gradient of a function whose result is one Float, as a function of the same parameters: the tangent of each parameter in `wrt` (their
/// numbers, at least one), as one tuple if there are several. The other parameters are constants, whose tangents are never computed.
/// Its name is that of the base followed by `_gradient`, and a number if there is such a function. Fails as `derive`, and if the
/// result is not a Float or a parameter in `wrt` has no Floats (InvalidInput). `obstacle` and `origins` are filled as by `derive`.
[[nodiscard]] Result<ir::FunctionId> gradient(ir::TermBank& bank, ir::FunctionId base, std::span<const std::size_t> wrt,
                                              Form form = Form::Scatter, Obstacle* obstacle = nullptr,
                                              Origins* origins = nullptr);

/// Gives a function that is declared as a derivative its body, unless it has one, and returns it: "fwd", "rev", "sufrev", "shape" and "CL";
/// "suffwdpass" and "sufrevpass" are also declared here, because their types depend on the body of the base. `[suffwdpass f] : S -> (T, B)`
/// gives the value and what `[sufrevpass f] : (dT, B) -> dS` needs of the way there.
[[nodiscard]] Result<ir::FunctionId> deriveDeclared(ir::TermBank& bank, const ir::DerivedFunction& derived, Form form);

/// The ks text of a program and its derivatives with all that they call, each function after what it calls, the last derivative last.
[[nodiscard]] std::string withDerivatives(const ir::TermBank& bank, const ir::Program& program,
                                          const std::vector<ir::FunctionId>& derivatives);

}  // namespace mitos::autodiff
