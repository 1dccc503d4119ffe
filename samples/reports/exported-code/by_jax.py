# SPDX-License-Identifier: GPL-3.0-or-later
"""Times the gradient of a row by JAX and by Enzyme (enzyme-ad, which compiles the C++ of the row), as measure in this folder needs it:

    python by_jax.py PATH-OF-THE-ROW'S-INPUTS SECONDS FOLDER-WITH-numbers.h

PATH.start, PATH.data and PATH.gradient are doubles that the row's own program wrote (rows.h). A row without a function here gives no line.
"""
import ctypes
import os
import pathlib
import sys
import time

# One thread, as the C++ programs have.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np

jax.config.update("jax_enable_x64", True)
HERE = pathlib.Path(__file__).resolve().parent


def log_sum_exp(v):
    most = jax.lax.stop_gradient(jnp.max(v, axis=-1, keepdims=True))
    return (most + jnp.log(jnp.sum(jnp.exp(v - most), axis=-1, keepdims=True)))[..., 0]


def gmm(d, k, data):
    n, size = 1000, d * (d + 1) // 2
    x = data.reshape(n, d)
    columns, rows = np.triu_indices(d, 1)  # column by column below the diagonal
    gamma, m = 1.0, 0.0
    freedom = d + m + 1.0
    constant = freedom * d * (np.log(gamma) - 0.5 * np.log(2.0)) - 0.25 * d * (d - 1) * np.log(np.pi)
    constant -= sum(float(special.gammaln(0.5 * freedom - 0.5 * j)) for j in range(d))

    def f(p, x):
        alphas, means, icf = p[:k], p[k:k + k * d].reshape(k, d), p[k + k * d:].reshape(k, size)
        diagonal = jnp.exp(icf[:, :d])
        factors = jnp.zeros((k, d, d)).at[:, rows, columns].set(icf[:, d:]) + jax.vmap(jnp.diag)(diagonal)
        logs = jnp.sum(icf[:, :d], axis=1)
        z = jnp.einsum("cij,ncj->nci", factors, x[:, None, :] - means[None])
        terms = alphas + logs - 0.5 * jnp.sum(z * z, axis=2)
        prior = 0.5 * gamma * gamma * (jnp.sum(diagonal ** 2) + jnp.sum(icf[:, d:] ** 2)) - m * jnp.sum(logs) - k * constant
        return jnp.sum(log_sum_exp(terms)) - n * (log_sum_exp(alphas) + 0.5 * d * np.log(2.0 * np.pi)) + prior

    call = f"out[0] = gmm<double>(p, data, {d}, {k}, {n}, {gamma}, {m});"
    return f, x, "gmm.h", call


def bundle_adjustment(data):
    seen = data.reshape(-1, 4)
    cameras, points = seen[:, 0].astype(np.int64), seen[:, 1].astype(np.int64)
    camera_count, point_count = cameras.max() + 1, points.max() + 1

    def error(camera, point, weight, feature):
        r = camera[:3]
        x = point - camera[3:6]
        angle = jnp.sqrt(jnp.dot(r, r))
        w = r / angle
        c, s = jnp.cos(angle), jnp.sin(angle)
        x = c * x + s * jnp.cross(w, x) + jnp.dot(w, x) * (1.0 - c) * w
        at = x[:2] / x[2]
        square = jnp.dot(at, at)
        e = weight * (camera[6] * (1.0 + square * (camera[9] + square * camera[10])) * at + camera[7:9] - feature)
        return jnp.dot(e, e) + (1.0 - weight * weight) ** 2

    def f(p, seen):
        at = camera_count * 11
        camera = p[:at].reshape(-1, 11)
        point = p[at:at + 3 * point_count].reshape(-1, 3)
        return jnp.sum(jax.vmap(error)(camera[cameras], point[points], p[at + 3 * point_count:], seen[:, 2:]))

    call = f"""std::array<Observation, {len(seen)}> all;
    for (std::size_t i = 0; i < all.size(); ++i) {{
        const double* const o = data + 4 * i;
        all[i] = {{static_cast<std::size_t>(o[0]), static_cast<std::size_t>(o[1]), o[2], o[3]}};
    }}
    const double* const points = p + {camera_count * 11};
    out[0] = bundleAdjustment<double>(p, points, points + {3 * point_count}, all.data(), all.size());"""
    return f, seen, "bundle_adjustment.h", call


def lstm(data):
    b = 14
    n = len(data) // b - 4

    def layer(w, bias, hidden, cell, x):
        forget, out = jax.nn.sigmoid(x * w[0] + bias[0]), jax.nn.sigmoid(x * w[2] + bias[2])
        cell = cell * forget + jax.nn.sigmoid(hidden * w[1] + bias[1]) * jnp.tanh(hidden * w[3] + bias[3])
        return out * jnp.tanh(cell), cell

    def f(p, data):
        p = p.reshape(-1, b)
        state, sequence = data[:4 * b].reshape(4, b), data[4 * b:].reshape(n, b)

        def step(state, pair):
            x, wanted = pair
            h1, c1 = layer(p[0:4], p[4:8], state[0], state[1], x * p[16])
            h2, c2 = layer(p[8:12], p[12:16], state[2], state[3], h1)
            y = h2 * p[17] + p[18]
            return jnp.stack([h1, c1, h2, c2]), jnp.sum(wanted * (y - jnp.log(2.0 + jnp.sum(jnp.exp(y)))))

        _, scores = jax.lax.scan(step, state, (sequence[:-1], sequence[1:]))
        return -jnp.sum(scores) / (b * (n - 1))

    return f, data, "lstm.h", f"out[0] = lstm<double>(p, data, data + {4 * b}, {n});"


def hand(data):
    bones, count = 22, 1000

    def whole(moves):
        return jnp.concatenate([moves.reshape(bones, 3, 4), jnp.tile(jnp.array([[[0.0, 0.0, 0.0, 1.0]]]), (bones, 1, 1))], axis=1)

    def joint(x, z):
        cx, sx, cz, sz = jnp.cos(x), jnp.sin(x), jnp.cos(z), jnp.sin(z)
        return jnp.array([[cz, -sz * cx, sz * sx, 0.0], [sz, cz * cx, -cz * sx, 0.0], [0.0, sx, cx, 0.0], [0.0, 0.0, 0.0, 1.0]])

    def f(p, data):
        base, inverses, rest = whole(data[:12 * bones]), whole(data[12 * bones:24 * bones]), data[24 * bones:]
        skin = jnp.concatenate([rest[:3 * count].reshape(count, 3), jnp.ones((count, 1))], axis=1)
        weights = rest[3 * count:(3 + bones) * count].reshape(count, bones)
        points = rest[(3 + bones) * count:].reshape(count, 3)
        places = []
        for b in range(bones):
            finger, part = divmod(b - 2, 4)
            x = p[6 + 4 * finger + (part + 1 if part else 0)] if b >= 2 and part < 3 else 0.0
            z = p[7 + 4 * finger] if b >= 2 and part == 0 else 0.0
            move = base[b] @ joint(x, z)
            parent = -1 if b == 0 else 1 if b > 1 and part == 0 else b - 1
            places.append(move if parent < 0 else places[parent] @ move)
        changes = jnp.stack(places) @ inverses
        moved = jnp.einsum("nb,bij,nj->ni", weights, changes[:, :3], skin)
        r = p[:3]
        angle = jnp.sqrt(jnp.dot(r, r))
        w = r / angle
        across = jnp.cross(jnp.broadcast_to(w, moved.shape), moved)
        there = jnp.cos(angle) * moved + jnp.sin(angle) * across + (1.0 - jnp.cos(angle)) * (moved @ w)[:, None] * w
        e = points - there - p[3:6]
        return jnp.sum(e * e)

    at = 24 * bones
    call = f"""static_assert(sizeof(Move<double>) == 12 * sizeof(double));
    const Skin skin{{reinterpret_cast<const Move<double>*>(data), reinterpret_cast<const Move<double>*>(data) + {bones},
                    data + {at}, data + {at + 3 * count}, data + {at + (3 + bones) * count}, {count}}};
    out[0] = hand<double>(p, skin);"""
    return f, data, "hand.h", call


def sample_gmm(data):
    d = k = 10
    x = data.reshape(-1, d)

    def f(p, x):
        alphas, means, qs = p[:k], p[k:k + k * d].reshape(k, d), p[k + k * d:].reshape(k, d)
        z = jnp.exp(qs) * (x[:, None, :] - means)
        return jnp.sum(log_sum_exp(alphas + jnp.sum(qs - 0.5 * z * z, axis=2))) - len(x) * log_sum_exp(alphas)

    return f, x, None, None


def brachistochrone(data):
    def f(y, _):
        heights = jnp.concatenate([jnp.ones(1), y, jnp.zeros(1)])
        speeds = jnp.concatenate([jnp.zeros(1), jnp.sqrt(19.6 * (1.0 - heights[1:]))])
        dx, dy = 4.0 / (len(y) + 1), heights[1:] - heights[:-1]
        return jnp.sum(jnp.sqrt(dx * dx + dy * dy) / (0.5 * (speeds[1:] + speeds[:-1])))

    return f, data, None, None


def descent(data):
    def f(r, data):
        x, y = data.reshape(2, -1)
        m = x.size

        def step(state, _):
            w, goes_on = state
            d = jnp.sum(2.0 * x * (y - x * w)) / m
            goes_on = goes_on & (jnp.abs(d) >= 0.001)
            return (jnp.where(goes_on, w + r[0] * d, w), goes_on), None

        (w, _), _ = jax.lax.scan(step, (0.0, True), None, length=100)
        e = y - x * w
        return jnp.sqrt(jnp.sum(e * e)) / m

    return f, data, None, None


def cartpole(data):
    farthest, steepest = 2.4, 0.20943951023931953

    def f(actions, _):
        x, v, theta, omega, loss = 0.01, -0.02, 0.03, 0.04, 0.0
        for t in range(10):
            s, c = jnp.sin(theta), jnp.cos(theta)
            temp = (10.0 * actions[t] + 0.05 * omega * omega * s) / 1.1
            turning = (9.8 * s - c * temp) / (0.5 * (4.0 / 3.0 - 0.1 * c * c / 1.1))
            x, v = x + 0.02 * v, v + 0.02 * (temp - 0.05 * turning * c / 1.1)
            theta, omega = theta + 0.02 * omega, omega + 0.02 * turning
            reward = jnp.maximum(0.0, farthest - jnp.abs(x)) * jnp.maximum(0.0, steepest - jnp.abs(theta))
            loss += (reward - farthest * steepest) ** 2
        return loss / 10.0

    return f, data, None, None


def k_means(data):
    x = data.reshape(-1, 8)

    def f(p, x):
        differences = x[:, None, :] - p.reshape(-1, 8)
        return jnp.sum(jnp.min(jnp.sum(differences * differences, axis=2), axis=1))

    return f, x, None, None


def by_enzyme(header, call, folder, start, data):
    """The gradient of the C++ function, compiled by Enzyme."""
    from enzyme_ad.jax import cpp_call

    ctypes.CDLL("libstdc++.so.6", ctypes.RTLD_GLOBAL)  # operator new and delete, which Enzyme's linker looks up

    source = f"""#include "{header}"
#include <array>
void run(enzyme::tensor<double, 1>& out, const enzyme::tensor<double, {start.size}>& input, const enzyme::tensor<double, {data.size}>& more) {{
    const double* const p = &input[0];
    const double* const data = &more[0];
    {call}
}}
"""
    include = f"/usr/lib/gcc/x86_64-linux-gnu/{os.popen('g++ -dumpversion').read().strip()}/include"
    # Flags of the front end proper, which has no -march=native.
    flags = ("-O3", "-target-cpu", "x86-64-v3", "-DNDEBUG", f"-I{HERE}", f"-I{folder}", "-isystem", include)

    def f(p, data):
        return cpp_call(p, data, out_shapes=[jax.core.ShapedArray([1], jnp.float64)], source=source, fn="run", argv=flags)[0][0]

    return f


def report(row, tool, f, start, data, wanted, seconds):
    gradient = jax.jit(jax.grad(f))
    made = np.asarray(gradient(start, data))
    apart = float(np.max(np.abs(made - wanted)) / np.max(np.abs(wanted)))
    times = []
    begin = time.process_time()
    while len(times) < 5 or (time.process_time() - begin < seconds and len(times) < 2000):
        before = time.process_time()
        gradient(start, data).block_until_ready()
        times.append(time.process_time() - before)
    print(f"times\t{row},row,{tool},{apart}\t1\t{' '.join(f'{t:.9g}' for t in times)}", flush=True)


def main():
    path, seconds, folder = pathlib.Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    start, data, wanted = (np.fromfile(f"{path}{end}") for end in (".start", ".data", ".gradient"))
    row = path.name
    words = row.split()
    if words[0] == "gmm":
        made = gmm(int(words[2]), int(words[4]), data)
    else:
        known = {"bundle adjustment": bundle_adjustment, "lstm": lstm, "hand": hand, "sample gmm": sample_gmm, "k-means": k_means,
                 "brachistochrone 1000": brachistochrone, "bgd 1000": descent, "cartpole 10": cartpole}
        if row not in known:
            return
        made = known[row](data)
    f, shaped, header, call = made
    report(row, "JAX", f, jnp.asarray(start), jnp.asarray(shaped), wanted, seconds)
    if header is None:
        return
    try:
        g = by_enzyme(header, call, folder, start, data)
        report(row, "Enzyme", g, jnp.asarray(start), jnp.asarray(data), wanted, seconds)
    except Exception as error:  # whatever JAX and Enzyme raise
        print(f"{row}, Enzyme: {str(error)[:2000]}", file=sys.stderr)


if __name__ == "__main__":
    main()
