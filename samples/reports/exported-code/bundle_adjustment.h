// SPDX-License-Identifier: GPL-3.0-or-later
// The function of bundle_adjustment.cpp, for numbers of any type.
#pragma once

#include "numbers.h"

namespace {

constexpr std::size_t CameraSize = 11;

template <typename T>
struct Three {
    T x, y, z;
};
template <typename T>
Three<T> operator+(const Three<T>& a, const Three<T>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <typename T>
Three<T> operator*(const T& a, const Three<T>& b) {
    return {a * b.x, a * b.y, a * b.z};
}
template <typename T>
Three<T> cross(const Three<T>& a, const Three<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename T>
T dot(const Three<T>& a, const Three<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct Observation {
    std::size_t camera, point;
    double u, v;
};

template <typename T>
Three<T> rotated(const Three<T>& r, const Three<T>& x) {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const T square = dot(r, r);
    if (!(square > T(0.0))) return x + cross(r, x);
    const T angle = sqrt(square), c = cos(angle), s = sin(angle);
    const Three<T> w = T(1.0 / angle) * r;
    return c * x + s * cross(w, x) + T(dot(w, x) * (1.0 - c)) * w;
}

template <typename T>
T bundleAdjustment(const T* cameras, const T* points, const T* weights, const Observation* all, std::size_t count) {
    T sum(0.0);
    for (std::size_t i = 0; i < count; ++i) {
        const T* const camera = cameras + all[i].camera * CameraSize;
        const T* const point = points + all[i].point * 3;
        const T& weight = weights[i];
        const Three<T> from{point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]};
        const Three<T> at = rotated<T>({camera[0], camera[1], camera[2]}, from);
        const T px = at.x / at.z, py = at.y / at.z;
        const T square = px * px + py * py;
        const T scale = camera[6] * (1.0 + square * (camera[9] + square * camera[10]));
        const T eu = weight * (scale * px + camera[7] - all[i].u);
        const T ev = weight * (scale * py + camera[8] - all[i].v);
        const T ew = 1.0 - weight * weight;
        sum += eu * eu + ev * ev + ew * ew;
    }
    return sum;
}

}  // namespace
