// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of large programs: a user waits for them.
#include "core/base/random.h"
#include "core/ir/binding.h"
#include "core/ir/diff.h"
#include "core/ks/operators.h"

#include <benchmark/benchmark.h>

#include <array>
#include <string>

using namespace mitos;

namespace {

/// Lets over sums of products of different variables, `lets` of them: about 24 nodes each.
ir::TermId program(ir::TermBank& bank, int lets, Random& random) {
    const ir::TypeId real = bank.types().floating();
    const auto variable = [&] {
        return bank.variable(bank.symbols().intern("x" + std::to_string(random.below(40))), real);
    };
    const auto make = [&](ks::Op op, ir::TermId a, ir::TermId b) { return *bank.make(ks::opId(op), std::array{a, b}); };
    ir::TermId body = bank.bound(0, real);
    for (int i = 0; i < lets; ++i) {
        ir::TermId value = variable();
        for (int k = 0; k < 5; ++k) value = make(ks::Op::Add, value, make(ks::Op::Mul, variable(), variable()));
        body = bank.let({}, value, make(ks::Op::Add, bank.bound(0, real), body));
    }
    return bank.let({}, variable(), body);
}

void diffOfLets(benchmark::State& state) {
    ir::TermBank bank(ks::makeRegistry());
    Random random(3);
    const ir::TermId before = program(bank, static_cast<int>(state.range(0)), random);
    // The first let is inlined (everything below changes its indices), and something deep inside is replaced.
    const ir::TermId inlined = ir::instantiate(bank, bank.child(before, 1), bank.child(before, 0));
    ir::Path deep(static_cast<std::size_t>(state.range(0)), 1);
    deep.push_back(0);
    const auto after = ir::replaceAt(bank, inlined, deep, bank.floating(2.0));
    const ir::TermId to = after ? *after : inlined;
    for (auto _ : state) benchmark::DoNotOptimize(ir::diff(bank, before, to));
    state.counters["nodes"] = static_cast<double>(bank.treeSize(before));
    std::size_t kept = 0;
    for (const ir::DiffMark mark : ir::diff(bank, before, to).before) kept += mark == ir::DiffMark::Kept ? 1 : 0;
    state.counters["kept"] = static_cast<double>(kept);
}
BENCHMARK(diffOfLets)->Arg(100)->Arg(1000)->Arg(7000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
