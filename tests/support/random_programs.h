// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs of several functions: calls, also from loops, and recursion around random terms.
#pragma once

#include "core/dialects/dialects.h"
#include "core/eval/testing/random_terms.h"
#include "core/ks/module.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace mitos::tests {

/// A program whose last function is `f`, of a Float, a vector, an Integer and a vector of vectors, with terms of about `size` nodes. The type of
/// its result follows the number: all of them occur among seven consecutive ones, each seventh is a Float. Every second program calls
/// a function `g` at a point and in a loop, and a recursive function `r`, too. Most have a value where all sizes are 2.
inline std::string randomProgram(int number, Random& random, std::uint32_t size) {
    ir::TermBank bank(dialects::makeRegistry());
    ir::TypeTable& types = bank.types();
    const ir::TypeId real = types.floating();
    const ir::TypeId vec = types.vec(real);
    const std::vector<ir::TypeId> two{real, vec};
    const ir::TypeId pair = types.tuple(two);
    const std::array results{real, vec, pair, types.integer(), types.boolean(), types.vec(vec), types.tensor(2, real)};
    const auto parameter = [&](const char* name, ir::TypeId type) {
        return ir::Parameter{bank.symbols().intern(name), type};
    };
    const auto term = [&](ir::TypeId type, const std::vector<ir::Parameter>& free, std::uint32_t nodes) {
        const eval::TermScope scope{.free = free, .bound = {}, .usualSize = 2, .hasLoops = random.chance(0.5)};
        return ks::printTerm(bank, eval::randomTerm(bank, type, scope, random, nodes), {.width = 0});
    };
    const ir::TypeId result = results[static_cast<std::size_t>(number) % results.size()];
    std::vector<ir::Parameter> known{parameter("x", real), parameter("v", vec), parameter("k", types.integer()),
                                     parameter("m", types.vec(vec))};
    const std::string signature = fmt::format(
        "(def f {} ((x : Float) (v : Vec Float) (k : Integer) (m : Vec (Vec Float))) ", types.toString(result));
    if (number % 2 == 0) return signature + term(result, known, size) + ")";

    const std::array called{real, vec, pair, types.vec(vec)};
    const ir::TypeId ofG = called[random.below(called.size())];
    const ir::TypeId ofR = called[random.below(called.size())];
    const ir::TypeId element = random.chance(0.7) ? real : vec;
    const std::vector<ir::Parameter> inG{known.begin(), known.begin() + 3};
    const std::vector<ir::Parameter> inR{parameter("n", types.integer()), known[0], known[1]};
    std::vector<ir::Parameter> inStep = inR;
    inStep.push_back(parameter("q", ofR));
    std::vector<ir::Parameter> inLoop{parameter("i", types.integer()), known[0], known[1], known[3],
                                      parameter("p", ofG)};
    std::string text = fmt::format("(def g {} ((x : Float) (v : Vec Float) (k : Integer)) {}) ", types.toString(ofG),
                                   term(ofG, inG, size / 2));
    text += fmt::format(
        "(def r {} ((n : Integer) (x : Float) (v : Vec Float)) (if (lte n 0) {} (let (q (r (sub n 1) {} {})) {}))) ",
        types.toString(ofR), term(ofR, inR, size / 4), term(real, inR, size / 8), term(vec, inR, size / 8),
        term(ofR, inStep, size / 2));
    const std::string elements = term(element, inLoop, size / 2);
    inLoop.back() = parameter("p", ofR);
    const std::string summands = term(pair, inLoop, size / 2);
    known.push_back(parameter("a", ofG));
    known.push_back(parameter("b", ofR));
    known.push_back(parameter("c", types.vec(element)));
    known.push_back(parameter("d", pair));
    return text + signature +
           fmt::format(
               "(let ((a (g x v k)) (b (r (if (gt k 3) 3 k) x v)) (c (build (size v) (lam (i : Integer) (let (p "
               "(g (index i v) v i)) {})))) (d (sumbuild 2 (lam (i : Integer) (let (p (r i x v)) {}))))) {}))",
               elements, summands, term(result, known, size));
}

}  // namespace mitos::tests
