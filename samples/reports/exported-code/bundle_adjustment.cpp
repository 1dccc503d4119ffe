// SPDX-License-Identifier: GPL-3.0-or-later
// ADBench's bundle adjustment (samples/adbench/bundle_adjustment.ks, with IN_VECTORS bundle_vectors.ks).
#include "bundle_adjustment.h"

#include "rows.h"
#include "sample_gradient.h"
#include "sample_primal.h"

namespace {

struct Program {
    std::string name = std::string("bundle adjustment") + Style;
    std::size_t cameraCount = 20, pointCount = 500, count = 4000;
    Vector start;  // cameras, points, weights
    std::vector<Observation> all = {};
    Rows cameras = {}, points = {};
    Vector weights = {};
    std::vector<std::tuple<std::int64_t, std::int64_t>> seen = {};
    std::vector<std::tuple<double, double>> features = {};

    Program() {
        for (std::size_t c = 0; c < cameraCount; ++c) {
            // Rotation, centre, focal length, principal point, distortion.
            const double about[CameraSize] = {0.1, -0.2, 0.15, 0.0, 0.0, -6.0, 500.0, 320.0, 240.0, 0.01, 0.001};
            const double around[CameraSize] = {0.2, 0.2, 0.2, 0.5, 0.5, 0.5, 20.0, 10.0, 10.0, 0.01, 0.001};
            cameras.emplace_back();
            for (std::size_t i = 0; i < CameraSize; ++i) {
                cameras.back().push_back(about[i] +
                                         around[i] * (u(static_cast<std::int64_t>(1000 + c * CameraSize + i)) - 0.5));
            }
        }
        points = rows(randoms(20000, 3 * pointCount, 2.0, -1.0), 3);
        weights = randoms(40000, count);
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back({i % cameraCount, i * 7 % pointCount, 640.0 * u(static_cast<std::int64_t>(60000 + 2 * i)),
                           480.0 * u(static_cast<std::int64_t>(60001 + 2 * i))});
            seen.emplace_back(static_cast<std::int64_t>(all.back().camera),
                              static_cast<std::int64_t>(all.back().point));
            features.emplace_back(all.back().u, all.back().v);
        }
        start = flat(cameras);
        append(start, points);
        append(start, weights);
    }

    Vector data() const {
        Vector made;
        for (const Observation& o : all) {
            for (const double x : {static_cast<double>(o.camera), static_cast<double>(o.point), o.u, o.v})
                made.push_back(x);
        }
        return made;
    }
    double primal() const { return sample_primal::primal(cameras, points, weights, features, seen); }
    auto gradient() const { return sample_gradient::gradient(cameras, points, weights, features, seen); }

    template <typename T>
    T operator()(const std::vector<T>& p) const {
        const T* const point = p.data() + cameraCount * CameraSize;
        return bundleAdjustment(p.data(), point, point + pointCount * 3, all.data(), count);
    }
    Vector byHand() const;
};

// The tangents of r and x for the tangent g of rotated(r, x).
std::pair<Three<double>, Three<double>> rotatedBack(const Three<double>& r, const Three<double>& x,
                                                    const Three<double>& g) {
    const double square = dot(r, r);
    if (!(square > 0.0)) return {cross(x, g), g + cross(g, r)};
    const double angle = std::sqrt(square), perAngle = 1.0 / angle, c = std::cos(angle), s = std::sin(angle);
    const Three<double> w = perAngle * r;
    const double wx = dot(w, x), gw = dot(g, w);
    const double dAngle = s * (wx * gw - dot(g, x)) + c * dot(g, cross(w, x));
    const Three<double> dw = s * cross(x, g) + (1.0 - c) * (wx * g + gw * x);
    return {perAngle * dw + (dAngle - dot(dw, w) * perAngle) * w, c * g + s * cross(g, w) + (1.0 - c) * gw * w};
}

// The gradient, written by hand: each observation adds to the tangents of its camera, point and weight.
Vector Program::byHand() const {
    Vector result(start.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t cameraAt = all[i].camera * CameraSize;
        const std::size_t pointAt = cameraCount * CameraSize + all[i].point * 3;
        const std::size_t weightAt = cameraCount * CameraSize + pointCount * 3 + i;
        const double* const camera = &start[cameraAt];
        const double weight = start[weightAt];
        const Three<double> r{camera[0], camera[1], camera[2]};
        const Three<double> from{start[pointAt] - camera[3], start[pointAt + 1] - camera[4],
                                 start[pointAt + 2] - camera[5]};
        const Three<double> x = rotated(r, from);
        const double perDepth = 1.0 / x.z, px = x.x * perDepth, py = x.y * perDepth, square = px * px + py * py;
        const double distortion = 1.0 + square * (camera[9] + square * camera[10]), scale = camera[6] * distortion;
        const double ru = scale * px + camera[7] - all[i].u, rv = scale * py + camera[8] - all[i].v;
        const double du = 2.0 * weight * weight * ru, dv = 2.0 * weight * weight * rv;
        double* const dCamera = &result[cameraAt];
        result[weightAt] += 2.0 * weight * (ru * ru + rv * rv) - 4.0 * weight * (1.0 - weight * weight);
        dCamera[7] += du;
        dCamera[8] += dv;
        const double dScale = du * px + dv * py, dDistortion = dScale * camera[6];
        dCamera[6] += dScale * distortion;
        dCamera[9] += dDistortion * square;
        dCamera[10] += dDistortion * square * square;
        const double dSquare = dDistortion * (camera[9] + 2.0 * square * camera[10]);
        const double dpx = du * scale + 2.0 * dSquare * px, dpy = dv * scale + 2.0 * dSquare * py;
        const auto [dr, dFrom] =
            rotatedBack(r, from, {dpx * perDepth, dpy * perDepth, -(dpx * px + dpy * py) * perDepth});
        dCamera[0] += dr.x;
        dCamera[1] += dr.y;
        dCamera[2] += dr.z;
        dCamera[3] -= dFrom.x;
        dCamera[4] -= dFrom.y;
        dCamera[5] -= dFrom.z;
        result[pointAt] += dFrom.x;
        result[pointAt + 1] += dFrom.y;
        result[pointAt + 2] += dFrom.z;
    }
    return result;
}

}  // namespace

int main(int count, char** words) { measureRow(Program(), optionsOf(count, words)); }
