// SPDX-License-Identifier: GPL-3.0-or-later
// A row of the table of gradients: what Mitos exported, plain C++ and tapes, measured alternately in one process (measure in this folder).
#pragma once

#include "measuring.h"
#include "numbers.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Rows = std::vector<Vector>;

// The end of the name of a row whose sample has vectors where the usual one has numbers and tuples.
#ifdef IN_VECTORS
[[maybe_unused]] constexpr const char* Style = " in vectors";
#else
[[maybe_unused]] constexpr const char* Style = "";
#endif

// Element i, j of the result is u(first + i * columns + j), times scale and moved by shift.
[[maybe_unused]] Vector randoms(std::int64_t first, std::size_t count, double scale = 1.0, double shift = 0.0) {
    Vector all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(shift + scale * u(first + static_cast<std::int64_t>(i)));
    return all;
}
[[maybe_unused]] Rows rows(const Vector& all, std::size_t columns) {
    Rows made;
    for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(columns)) {
        made.emplace_back(at, at + static_cast<std::ptrdiff_t>(columns));
    }
    return made;
}

struct Options {
    double seconds = 1.0;  // for a row
    const char* inputs =
        nullptr;  // a folder that gets the inputs and the gradient of each row as doubles, for other languages
};
[[maybe_unused]] Options optionsOf(int count, char** words) {
    Options options;
    if (count > 1) options.seconds = std::atof(words[1]);
    if (count > 2) options.inputs = words[2];
    return options;
}

[[maybe_unused]] void write(const std::string& file, const Vector& numbers) {
    std::FILE* out = std::fopen(file.c_str(), "wb");
    if (out == nullptr || std::fwrite(numbers.data(), sizeof(double), numbers.size(), out) != numbers.size()) {
        std::fprintf(stderr, "%s cannot be written\n", file.c_str());
        std::exit(1);
    }
    std::fclose(out);
}

// A Program has a name without commas, the point `start`, its `data` (for other languages), the function of numbers of any type, the gradient
// byHand() as a vector in the order of the point, and what Mitos exported: primal() and gradient().
template <typename Program>
void measureRow(const Program& program, const Options& options) {
    const Vector wanted = program.byHand();
    if (options.inputs != nullptr) {
        const std::string file = std::string(options.inputs) + "/" + program.name;
        write(file + ".start", program.start);
        write(file + ".data", program.data());
        write(file + ".gradient", wanted);
    }
    const double value = program(program.start);
    const std::vector<Call> calls{
        {"primal", [&] { use(program.primal()); }, difference({program.primal()}, {value})},
        {"primal by hand", [&] { use(program(program.start)); }, 0.0},
        {"gradient", [&] { use(program.gradient()); }, difference(flat(program.gradient()), wanted)},
        {"by hand", [&] { use(program.byHand()); }, 0.0},
    };
    measure(program.name, "row", calls, 0.7 * options.seconds);
    // Tapes by themselves, as they leave nothing of others' data in the caches.
    std::vector<Call> tapes;
    [[maybe_unused]] const auto add = [&](const char* tool, const std::function<Vector()>& run) {
        tapes.push_back({tool, [run] { use(run()); }, difference(run(), wanted)});
    };
#ifdef WITH_ADOLC
    add("ADOL-C", [&] { return byAdolC(program, program.start).gradient; });
#endif
#ifdef WITH_SACADO
    add("Sacado", [&] { return bySacado(program, program.start).gradient; });
#endif
    if (!tapes.empty()) measure(program.name, "row", tapes, 0.3 * options.seconds);
}

}  // namespace
