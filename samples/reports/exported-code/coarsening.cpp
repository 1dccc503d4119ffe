// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks of the coarsening paper (samples/coarsening) and samples/gradients/gmm.ks. BENCHMARK chooses one, as in programs.h, which is
// resources/experiments/coarsening_programs.txt.
#include "programs.h"
#include "rows.h"
#include "sample_gradient.h"
#include "sample_primal.h"

namespace {

#if BENCHMARK == 1
constexpr const char* Name = "bgd 1000";
constexpr std::size_t Chosen = 1;
// The data enter by three sums; the iterations carry w and its derivative.
Vector byHandOf(const Program& p) {
    const double m = static_cast<double>(p.x.size());
    double xx = 0.0, xy = 0.0, yy = 0.0;
    for (std::size_t i = 0; i < p.x.size(); ++i) {
        xx += p.x[i] * p.x[i];
        xy += p.x[i] * p.y[i];
        yy += p.y[i] * p.y[i];
    }
    double w = 0.0, dw = 0.0;
    for (int k = 0; k < 100; ++k) {
        const double d = 2.0 * (xy - w * xx) / m;
        if (std::fabs(d) < 0.001) break;
        dw += d - p.start * 2.0 * xx / m * dw;
        w += p.start * d;
    }
    const double error = yy - 2.0 * w * xy + w * w * xx;
    return {(w * xx - xy) * dw / (std::sqrt(error) * m)};
}
#endif

#if BENCHMARK == 2
constexpr const char* Name = "brachistochrone 1000";
constexpr std::size_t Chosen = 2;
Vector byHandOf(const Program& p) {
    const Vector& y = p.start;
    const std::size_t n = y.size() + 1;
    const double dx = 4.0 / static_cast<double>(n);
    Vector result(y.size());
    double height = 1.0, speed = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double next = i < y.size() ? y[i] : 0.0;
        const double nextSpeed = std::sqrt(19.6 * (1.0 - next));
        const double dy = next - height, length = std::sqrt(dx * dx + dy * dy);
        const double perSpeed = 2.0 / (speed + nextSpeed);
        const double slope = dy / length * perSpeed;
        const double slower = 4.9 * length * perSpeed * perSpeed;  // by the speed at an end, times that speed
        if (i > 0) result[i - 1] += slower / speed - slope;
        if (i < y.size()) result[i] += slower / nextSpeed + slope;
        height = next;
        speed = nextSpeed;
    }
    return result;
}
#endif

#if BENCHMARK == 3
constexpr const char* Name = "cartpole 10";
constexpr std::size_t Chosen = 2;
Vector byHandOf(const Program& p) {
    constexpr double Farthest = 2.4, Steepest = 0.20943951023931953;
    struct Step {
        double x, theta, omega, s, c, temp, lever, turning;  // x and theta: after the step
    };
    const std::size_t n = p.start.size();
    std::vector<Step> steps(n);
    double x = 0.01, v = -0.02, theta = 0.03, omega = 0.04;
    for (std::size_t t = 0; t < n; ++t) {
        const double s = std::sin(theta), c = std::cos(theta);
        const double temp = (10.0 * p.start[t] + 0.05 * omega * omega * s) / 1.1;
        const double lever = 1.0 / (0.5 * (4.0 / 3.0 - 0.1 * c * c / 1.1));
        const double turning = (9.8 * s - c * temp) * lever;
        x += 0.02 * v;
        v += 0.02 * (temp - 0.05 * turning * c / 1.1);
        theta += 0.02 * omega;
        steps[t] = {x, theta, omega, s, c, temp, lever, turning};
        omega += 0.02 * turning;
    }
    Vector result(n);
    double dx = 0.0, dv = 0.0, dTheta = 0.0, dOmega = 0.0;
    for (std::size_t t = n; t-- > 0;) {
        const Step& at = steps[t];
        const double byX = std::max(0.0, Farthest - std::fabs(at.x)),
                     byTheta = std::max(0.0, Steepest - std::fabs(at.theta));
        const double dMissed = 2.0 * (byX * byTheta - Farthest * Steepest) / static_cast<double>(n);
        if (byX > 0.0) dx += dMissed * byTheta * (at.x > 0.0 ? -1.0 : 1.0);
        if (byTheta > 0.0) dTheta += dMissed * byX * (at.theta > 0.0 ? -1.0 : 1.0);
        const double dPushing = 0.02 * dv;
        const double dTurning = 0.02 * dOmega - dPushing * 0.05 * at.c / 1.1;
        const double dTemp = dPushing - dTurning * at.c * at.lever;
        const double ds = dTurning * 9.8 * at.lever + dTemp * 0.05 * at.omega * at.omega / 1.1;
        const double dc = -dPushing * 0.05 * at.turning / 1.1 - dTurning * at.lever * at.temp +
                          dTurning * at.turning * at.lever * 0.1 * at.c / 1.1;
        result[t] = dTemp * 10.0 / 1.1;
        dv += 0.02 * dx;
        dOmega += 0.02 * dTheta + dTemp * 0.1 * at.omega * at.s / 1.1;
        dTheta += ds * at.c - dc * at.s;
    }
    return result;
}
#endif

#if BENCHMARK == 5
constexpr const char* Name = "spring 40";
constexpr std::size_t Chosen = 2;
Vector byHandOf(const Program& p) {
    Vector result(2 * p.start.size());
    for (std::size_t e = 0; e < p.edges.size(); ++e) {
        const auto a = static_cast<std::size_t>(std::get<0>(p.edges[e]));
        const auto b = static_cast<std::size_t>(std::get<1>(p.edges[e]));
        const double dx = std::get<0>(p.start[a]) - std::get<0>(p.start[b]);
        const double dy = std::get<1>(p.start[a]) - std::get<1>(p.start[b]);
        const double pull = 1.0 - p.rest[e] / std::sqrt(dx * dx + dy * dy + 1e-6);
        result[2 * a] += pull * dx;
        result[2 * a + 1] += pull * dy;
        result[2 * b] -= pull * dx;
        result[2 * b + 1] -= pull * dy;
    }
    return result;
}
#endif

#if BENCHMARK == 7
constexpr const char* Name = "sample gmm";
constexpr std::size_t Chosen = 0;
Vector byHandOf(const Program& p) {
    const auto& [alphas, means, qs] = p.start;
    const std::size_t k = alphas.size(), d = means[0].size();
    Vector width(k * d), weight(k), term(k), result(k + 2 * k * d);
    for (std::size_t c = 0; c < k; ++c) {
        weight[c] = alphas[c];
        for (std::size_t j = 0; j < d; ++j) {
            width[c * d + j] = std::exp(qs[c][j]);
            weight[c] += qs[c][j];
        }
    }
    double* const dMeans = result.data() + k;
    double* const dWidths = dMeans + k * d;
    for (const Vector& x : p.xs) {
        double most = -HUGE_VAL, sum = 0.0;
        for (std::size_t c = 0; c < k; ++c) {
            double square = 0.0;
            for (std::size_t j = 0; j < d; ++j) {
                const double z = width[c * d + j] * (x[j] - means[c][j]);
                square += z * z;
            }
            term[c] = weight[c] - 0.5 * square;
            most = std::max(most, term[c]);
        }
        for (std::size_t c = 0; c < k; ++c) sum += term[c] = std::exp(term[c] - most);
        for (std::size_t c = 0; c < k; ++c) {
            const double share = term[c] / sum;
            result[c] += share;
            for (std::size_t j = 0; j < d; ++j) {
                const double z = width[c * d + j] * (x[j] - means[c][j]);
                dMeans[c * d + j] += share * z * width[c * d + j];
                dWidths[c * d + j] -= share * z * z;
            }
        }
    }
    const double most = *std::max_element(alphas.begin(), alphas.end());
    double sum = 0.0;
    for (const double alpha : alphas) sum += std::exp(alpha - most);
    for (std::size_t c = 0; c < k; ++c) {
        for (std::size_t j = 0; j < d; ++j) dWidths[c * d + j] += result[c];
        result[c] -= static_cast<double>(p.xs.size()) * std::exp(alphas[c] - most) / sum;
    }
    return result;
}
#endif

struct Row : ::Program {
    Point point;
    Vector start;
    explicit Row(const ::Program& program) : ::Program(program), point(program.start), start(flat(program.start)) {
        name = Name;
    }

#if BENCHMARK == 1
    Vector data() const {
        Vector made = x;
        append(made, y);
        return made;
    }
#elif BENCHMARK == 7
    Vector data() const { return flat(xs); }
#else
    static Vector data() { return {}; }
#endif
    double primal() const { return sample_primal::primal(ARGUMENTS); }
    auto gradient() const { return sample_gradient::gradient(ARGUMENTS); }
    Vector byHand() const { return byHandOf(*this); }
};

}  // namespace

int main(int count, char** words) { measureRow(Row(programs()[Chosen]), optionsOf(count, words)); }
