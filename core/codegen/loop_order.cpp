// SPDX-License-Identifier: GPL-3.0-or-later
// See loop_order.h.
#include "core/codegen/loop_order.h"

#include "core/ir/binding.h"
#include "core/ks/operators.h"

#include <algorithm>

namespace mitos::codegen {

using ir::CoreOp;
using ir::TermId;
using ks::Op;

namespace {

bool is(const ir::TermBank& bank, TermId term, Op op) {
    const ir::OpId id = bank.op(term);
    return id.value >= static_cast<std::uint32_t>(CoreOp::Count) && ks::ksOp(id) == op;
}

/// The loops along which a summand reads tensors.
struct Reads {
    bool alongElements = false;  ///< index j (… k …)
    bool alongSum = false;       ///< index k (… j …)
    bool loops = false;          ///< it has loops or functions of its own
};

/// `sum` and `element` are the de Bruijn indices of k and j in the scope of `term`.
void read(const ir::TermBank& bank, TermId term, std::uint32_t sum, std::uint32_t element, Reads& reads) {
    if (bank.is(term, CoreOp::Lam)) reads.loops = true;
    if (reads.loops) return;
    if (is(bank, term, Op::Index)) {
        const TermId at = bank.child(term, 0);
        const TermId tensor = bank.child(term, 1);
        if (ir::mentions(bank, at, element) && ir::mentions(bank, tensor, sum)) reads.alongElements = true;
        if (ir::mentions(bank, at, sum) && ir::mentions(bank, tensor, element)) reads.alongSum = true;
    }
    for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
        const std::uint32_t bound = bank.boundIn(term, i);
        read(bank, bank.child(term, i), sum + bound, element + bound, reads);
    }
}

/// Whether the number of summands may be computed even if no element needs it: a name, or the size of one.
bool cannotFail(const ir::TermBank& bank, TermId count) {
    const TermId name = is(bank, count, Op::Size) ? bank.child(count, 0) : count;
    return bank.childCount(name) == 0;
}

/// Whether a subterm of e is a sum to be computed across; it is under no binder, so that j is variable 0.
bool isAcross(const ir::TermBank& bank, TermId term) {
    if (!is(bank, term, Op::Sumbuild) || bank.type(term) != bank.types().floating()) return false;
    const TermId count = bank.child(term, 0);
    const TermId lambda = bank.child(term, 1);
    if (bank.type(count) != bank.types().integer() || !bank.is(lambda, CoreOp::Lam)) return false;
    if (!cannotFail(bank, count) || ir::mentions(bank, count, 0)) return false;
    Reads reads;
    read(bank, bank.child(lambda, 0), 0, 1, reads);
    return reads.alongElements && !reads.alongSum && !reads.loops;
}

void collect(const ir::TermBank& bank, TermId term, std::vector<TermId>& sums) {
    if (isAcross(bank, term)) {
        if (std::ranges::find(sums, term) == sums.end()) sums.push_back(term);
        return;
    }
    if (is(bank, term, Op::If) || is(bank, term, Op::Assert)) return;
    for (std::uint32_t i = 0; i < bank.childCount(term); ++i) {
        if (bank.boundIn(term, i) == 0) collect(bank, bank.child(term, i), sums);
    }
}

}  // namespace

std::vector<TermId> sumsAcross(const ir::TermBank& bank, TermId build) {
    const TermId lambda = bank.child(build, 1);
    if (bank.type(bank.child(build, 0)) != bank.types().integer() || !bank.is(lambda, CoreOp::Lam)) return {};
    const TermId element = bank.child(lambda, 0);
    if (bank.type(element) != bank.types().floating()) return {};
    std::vector<TermId> sums;
    collect(bank, element, sums);
    return sums;
}

}  // namespace mitos::codegen
