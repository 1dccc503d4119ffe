// SPDX-License-Identifier: GPL-3.0-or-later
// ADBench's hand tracking (samples/adbench/hand.ks), with a hand of random bones.
#include "hand.h"

#include "rows.h"
#include "sample_gradient.h"
#include "sample_primal.h"

namespace {

struct Program {
    std::string name = "hand";
    std::size_t count = 1000;
    Vector start = randoms(1, 26, 0.8, -0.4);
    std::vector<Move<double>> baseMoves = {}, inverses = {};
    Vector places = randoms(10000, 3 * count, 2.0, -1.0);
    Vector weights = {};
    Vector points = randoms(40000, 3 * count, 2.0, -1.0);
    std::vector<Rows> baseRows = {}, inverseRows = {};
    Rows skinRows = {}, weightRows = {};
    std::vector<std::tuple<double, double, double>> pointRows = {};
    std::vector<std::int64_t> parents = {};

    Program() {
        for (std::size_t b = 0; b < Bones; ++b) {
            const auto at = static_cast<std::int64_t>(1000 + 10 * b);
            const Move<double> turn = jointRotation(u(at) - 0.5, u(at + 1) - 0.5);
            baseMoves.push_back(turn);
            inverses.push_back(jointRotation(u(at + 2) - 0.5, u(at + 3) - 0.5));
            for (std::size_t i = 0; i < 3; ++i) {
                baseMoves.back()[i][3] = u(at + 4 + static_cast<std::int64_t>(i)) - 0.5;
                inverses.back()[i][3] = u(at + 7 + static_cast<std::int64_t>(i)) - 0.5;
            }
            baseRows.push_back(whole(baseMoves.back()));
            inverseRows.push_back(whole(inverses.back()));
            parents.push_back(parentOf(b));
        }
        weights = randoms(20000, count * Bones, 1.0 / Bones);
        weightRows = rows(weights, Bones);
        for (std::size_t p = 0; p < count; ++p) {
            skinRows.push_back({places[3 * p], places[3 * p + 1], places[3 * p + 2], 1.0});
            pointRows.emplace_back(points[3 * p], points[3 * p + 1], points[3 * p + 2]);
        }
    }
    static Rows whole(const Move<double>& move) {
        Rows made;
        for (const auto& row : move) made.emplace_back(row.begin(), row.end());
        made.push_back({0.0, 0.0, 0.0, 1.0});
        return made;
    }

    Vector data() const {
        Vector made;
        for (const auto* moves : {&baseMoves, &inverses}) {
            for (const Move<double>& move : *moves) {
                for (const auto& row : move) made.insert(made.end(), row.begin(), row.end());
            }
        }
        for (const Vector* part : {&places, &weights, &points}) append(made, *part);
        return made;
    }
    double primal() const {
        return sample_primal::primal(start, baseRows, inverseRows, skinRows, weightRows, pointRows, parents);
    }
    auto gradient() const {
        return sample_gradient::gradient(start, baseRows, inverseRows, skinRows, weightRows, pointRows, parents);
    }

    Skin skin() const {
        return {baseMoves.data(), inverses.data(), places.data(), weights.data(), points.data(), count};
    }
    template <typename T>
    T operator()(const std::vector<T>& theta) const {
        return hand(theta.data(), skin());
    }
    Vector byHand() const;
};

// Adds the tangents of a and b for the tangent of their product.
void timesBack(const Move<double>& a, const Move<double>& b, const Move<double>& made, Move<double>& da,
               Move<double>& db) {
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
            for (std::size_t k = 0; k < 3; ++k) {
                da[i][k] += made[i][j] * b[k][j];
                db[k][j] += made[i][j] * a[i][k];
            }
        }
        da[i][3] += made[i][3];
    }
}

// The gradient, written by hand: from the points to the places of all bones, and from the last bone to the first.
Vector Program::byHand() const {
    std::array<Move<double>, Bones> local, moves, inHand, changes;
    for (std::size_t b = 0; b < Bones; ++b) {
        const Joint joint = jointOf(b);
        local[b] =
            jointRotation(joint.bend > 0 ? start[joint.bend] : 0.0, joint.sideways > 0 ? start[joint.sideways] : 0.0);
        multiply(baseMoves[b], local[b], moves[b]);
        const int parent = parentOf(b);
        inHand[b] = moves[b];
        if (parent >= 0) multiply(inHand[static_cast<std::size_t>(parent)], moves[b], inHand[b]);
        multiply(inHand[b], inverses[b], changes[b]);
    }
    const double angle = std::sqrt(start[0] * start[0] + start[1] * start[1] + start[2] * start[2]);
    const double c = std::cos(angle), s = std::sin(angle), rest = 1.0 - c;
    const double wx = start[0] / angle, wy = start[1] / angle, wz = start[2] / angle;
    const double turn[3][3] = {{c + rest * wx * wx, rest * wx * wy - s * wz, rest * wx * wz + s * wy},
                               {rest * wx * wy + s * wz, c + rest * wy * wy, rest * wy * wz - s * wx},
                               {rest * wx * wz - s * wy, rest * wy * wz + s * wx, c + rest * wz * wz}};
    Vector result(start.size());
    std::array<Move<double>, Bones> dChanges{}, dInHand{};
    double d[3][3] = {};  // the tangent of turn
    for (std::size_t p = 0; p < count; ++p) {
        const double* const at = &places[3 * p];
        const double* const weight = &weights[p * Bones];
        double moved[3] = {}, dMoved[3] = {};
        for (std::size_t b = 0; b < Bones; ++b) {
            for (std::size_t i = 0; i < 3; ++i) {
                const auto& row = changes[b][i];
                moved[i] += weight[b] * (row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3]);
            }
        }
        for (std::size_t i = 0; i < 3; ++i) {
            const double there = turn[i][0] * moved[0] + turn[i][1] * moved[1] + turn[i][2] * moved[2] + start[3 + i];
            const double g = 2.0 * (there - points[3 * p + i]);
            result[3 + i] += g;
            for (std::size_t j = 0; j < 3; ++j) {
                d[i][j] += g * moved[j];
                dMoved[j] += g * turn[i][j];
            }
        }
        for (std::size_t b = 0; b < Bones; ++b) {
            for (std::size_t i = 0; i < 3; ++i) {
                const double g = weight[b] * dMoved[i];
                for (std::size_t j = 0; j < 3; ++j) dChanges[b][i][j] += g * at[j];
                dChanges[b][i][3] += g;
            }
        }
    }
    for (std::size_t b = Bones; b-- > 0;) {
        Move<double> unused{}, dMove{}, dLocal{};
        timesBack(inHand[b], inverses[b], dChanges[b], dInHand[b], unused);
        if (const int parent = parentOf(b); parent < 0) {
            dMove = dInHand[b];
        } else {
            const auto before = static_cast<std::size_t>(parent);
            timesBack(inHand[before], moves[b], dInHand[b], dInHand[before], dMove);
        }
        const Joint joint = jointOf(b);
        if (joint.bend == 0) continue;
        timesBack(baseMoves[b], local[b], dMove, unused, dLocal);
        const Move<double>& r = local[b];
        for (std::size_t i = 0; i < 3; ++i) result[joint.bend] += dLocal[i][2] * -r[i][1] + dLocal[i][1] * r[i][2];
        if (joint.sideways == 0) continue;
        for (std::size_t j = 0; j < 3; ++j) result[joint.sideways] += dLocal[1][j] * r[0][j] - dLocal[0][j] * r[1][j];
    }
    // From the tangent of the rotation to that of its axis and angle.
    const double w[3] = {wx, wy, wz};
    double dw[3] = {d[2][1] - d[1][2], d[0][2] - d[2][0], d[1][0] - d[0][1]};
    const double ds = wx * dw[0] + wy * dw[1] + wz * dw[2];
    double dc = d[0][0] + d[1][1] + d[2][2], along = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
        dw[i] *= s;
        for (std::size_t j = 0; j < 3; ++j) {
            dw[i] += rest * (d[i][j] + d[j][i]) * w[j];
            dc -= w[i] * d[i][j] * w[j];
        }
        along += dw[i] * w[i];
    }
    for (std::size_t i = 0; i < 3; ++i) result[i] = dw[i] / angle + (c * ds - s * dc - along / angle) * w[i];
    return result;
}

}  // namespace

int main(int count, char** words) { measureRow(Program(), optionsOf(count, words)); }
