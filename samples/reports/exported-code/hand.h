// SPDX-License-Identifier: GPL-3.0-or-later
// The function of hand.cpp, for numbers of any type.
#pragma once

#include "bundle_adjustment.h"

#include <array>

namespace {

constexpr std::size_t Bones = 22;

// The first three rows of a transformation of space; the fourth is (0, 0, 0, 1).
template <typename T>
using Move = std::array<std::array<T, 4>, 3>;

template <typename A, typename B, typename T>
void multiply(const Move<A>& a, const Move<B>& b, Move<T>& made) {
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            made[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
            if (j == 3) made[i][j] += a[i][3];
        }
    }
}

// The places in theta of the angles of a bone; 0: the bone does not bend.
struct Joint {
    std::size_t bend = 0, sideways = 0;
};
[[maybe_unused]] Joint jointOf(std::size_t bone) {
    if (bone < 2) return {};
    const std::size_t first = 6 + (bone - 2) / 4 * 4, joint = (bone - 2) % 4;
    if (joint == 0) return {first, first + 1};
    return joint < 3 ? Joint{first + joint + 1, 0} : Joint{};
}
[[maybe_unused]] int parentOf(std::size_t bone) {
    if (bone == 0) return -1;
    return bone > 1 && (bone - 2) % 4 == 0 ? 1 : static_cast<int>(bone) - 1;
}

// The rotation around x, then around z.
template <typename T>
Move<T> jointRotation(const T& x, const T& z) {
    using std::cos;
    using std::sin;
    const T cx = cos(x), sx = sin(x), cz = cos(z), sz = sin(z), zero(0.0);
    return {{{cz, T(-sz * cx), T(sz * sx), zero}, {sz, T(cz * cx), T(-cz * sx), zero}, {zero, sx, cx, zero}}};
}

// What the points of a hand are computed from.
struct Skin {
    const Move<double>* baseMoves;
    const Move<double>* inverses;
    const double* places;   // three numbers a point
    const double* weights;  // Bones numbers a point
    const double* points;   // three numbers a point
    std::size_t count;
};

template <typename T>
T hand(const T* theta, const Skin& skin) {
    std::array<Move<T>, Bones> moves, places, changes;
    for (std::size_t b = 0; b < Bones; ++b) {
        const Joint joint = jointOf(b);
        const T zero(0.0);
        const Move<T> turn =
            jointRotation(joint.bend > 0 ? theta[joint.bend] : zero, joint.sideways > 0 ? theta[joint.sideways] : zero);
        const int parent = parentOf(b);
        multiply(skin.baseMoves[b], turn, parent < 0 ? places[b] : moves[b]);
        if (parent >= 0) multiply(places[static_cast<std::size_t>(parent)], moves[b], places[b]);
        multiply(places[b], skin.inverses[b], changes[b]);
    }
    T sum(0.0);
    for (std::size_t p = 0; p < skin.count; ++p) {
        const double* const at = skin.places + 3 * p;
        std::array<T, 3> moved;
        for (T& m : moved) m = T(0.0);
        for (std::size_t b = 0; b < Bones; ++b) {
            const double weight = skin.weights[p * Bones + b];
            for (std::size_t i = 0; i < 3; ++i) {
                const auto& row = changes[b][i];
                moved[i] += weight * (row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3]);
            }
        }
        const Three<T> there = rotated<T>({theta[0], theta[1], theta[2]}, {moved[0], moved[1], moved[2]});
        const double* const seen = skin.points + 3 * p;
        const Three<T> e{seen[0] - there.x - theta[3], seen[1] - there.y - theta[4], seen[2] - there.z - theta[5]};
        sum += dot(e, e);
    }
    return sum;
}

}  // namespace
