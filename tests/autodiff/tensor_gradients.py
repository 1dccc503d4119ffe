# SPDX-License-Identifier: GPL-3.0-or-later
# Prints tensor_gradients.txt: losses and gradients of tensor programs, by JAX. Needs the packages jax and numpy.
import jax, jax.numpy as jnp, numpy as np
from jax import lax, nn
from jax.scipy.special import erf, logsumexp

jax.config.update("jax_enable_x64", True)
rows = []


def element(k, i, positive):
    x = 0.9 * np.sin(1 + 1.7 * i + 2.3 * k)
    return 0.6 + 0.5 * abs(x) if positive else x


def array(shape, k, positive=False, integer=False):
    n = int(np.prod(shape)) if shape else 1
    if integer:
        return np.array([i % 3 for i in range(n)]).reshape(shape)
    return np.array([element(k, i, positive) for i in range(n)]).reshape(shape)


def row(name, params, body, f, positive=False):
    # params: list of (name, type string)
    vals = []
    floats = []
    for k, (n, t) in enumerate(params):
        dt, sh = t.split("[")
        sh = [int(s) for s in sh[:-1].split(",") if s]
        v = array(sh, k, positive, dt[0] != "f")
        vals.append(v)
        if dt[0] == "f":
            floats.append(k)
    y = f(*[jnp.asarray(v) for v in vals])
    c = array(np.shape(y), len(params), positive)

    def loss(*fl):
        a = list(vals)
        for k, v in zip(floats, fl):
            a[k] = v
        return jnp.sum(f(*a) * c)

    fl = [jnp.asarray(vals[k]) for k in floats]
    g = jax.grad(loss, argnums=tuple(range(len(fl))))(*fl)
    text = (
        "graph f("
        + ", ".join(f"{n}: {t}" for n, t in params)
        + ")\n"
        + "\n".join("  " + l for l in body.split("\n"))
        + "\n"
    )
    rows.append((name, positive, text, [float(v) for v in [loss(*fl)]], [np.asarray(x).ravel().tolist() for x in g]))


X = [("x", "f32[2,3]")]


def un(name, op, f, positive=False, p=X):
    row(name, p, f"return {op}(x)", f, positive)


un("Relu", "Relu", lambda x: jnp.maximum(x, 0))
un("LeakyRelu", "LeakyRelu[alpha=0.1]", lambda x: jnp.where(x < 0, 0.1 * x, x))
un("ThresholdedRelu", "ThresholdedRelu[alpha=0.3]", lambda x: jnp.where(x > 0.3, x, 0))
un("Elu", "Elu[alpha=0.8]", lambda x: jnp.where(x < 0, 0.8 * jnp.expm1(x), x))
un("Celu", "Celu[alpha=0.7]", lambda x: jnp.where(x < 0, 0.7 * jnp.expm1(x / 0.7), x))
un("Selu", "Selu[alpha=1.6,gamma=1.1]", lambda x: 1.1 * jnp.where(x < 0, 1.6 * jnp.expm1(x), x))
un("Sigmoid", "Sigmoid", nn.sigmoid)
un("HardSigmoid", "HardSigmoid[alpha=0.7,beta=0.4]", lambda x: jnp.clip(0.7 * x + 0.4, 0, 1))
row(
    "HardSwish",
    X,
    "y = Mul(x, Add(x, x))\nz = Mul(Constant[value=4.0,dtype=f32,shape=[]](), x)\nreturn Add(HardSwish(z), y)",
    lambda x: 4 * x * jnp.clip(4 * x / 6 + 0.5, 0, 1) + 2 * x * x,
)
un("Tanh", "Tanh", jnp.tanh)
un("Softplus", "Softplus", nn.softplus)
un("Softsign", "Softsign", lambda x: x / (1 + jnp.abs(x)))
un("Shrink", "Shrink[lambd=0.4,bias=0.2]", lambda x: jnp.where(x < -0.4, x + 0.2, jnp.where(x > 0.4, x - 0.2, 0)))
un("Exp", "Exp", jnp.exp)
un("Log", "Log", jnp.log, True)
un("Sqrt", "Sqrt", jnp.sqrt, True)
un("Reciprocal", "Reciprocal", lambda x: 1 / x, True)
un("Erf", "Erf", erf)
un("Sin", "Sin", jnp.sin)
un("Cos", "Cos", jnp.cos)
un("Tan", "Tan", jnp.tan)
un("Asin", "Asin", jnp.arcsin)
un("Acos", "Acos", jnp.arccos)
un("Atan", "Atan", jnp.arctan)
un("Sinh", "Sinh", jnp.sinh)
un("Cosh", "Cosh", jnp.cosh)
un("Asinh", "Asinh", jnp.arcsinh)
row("Acosh", X, "return Acosh(Add(x, Constant[value=1.0,dtype=f32,shape=[]]()))", lambda x: jnp.arccosh(x + 1), True)
un("Atanh", "Atanh", jnp.arctanh)
un("Abs", "Abs", jnp.abs)
un("Neg", "Neg", lambda x: -x)
row("Round has the derivative 0", X, "return Mul(Round(x), x)", lambda x: lax.stop_gradient(jnp.round(x)) * x)
un("Gelu", "Gelu", lambda x: nn.gelu(x, approximate=False))
un("QuickGelu", "QuickGelu[alpha=1.5]", lambda x: x * nn.sigmoid(1.5 * x))
XB = [("x", "f32[2,3]"), ("b", "f32[3]")]
row("FastGelu", XB, "return FastGelu(x, b)", lambda x, b: nn.gelu(x + b, approximate=True))
row("BiasGelu", XB, "return BiasGelu(x, b)", lambda x, b: nn.gelu(x + b, approximate=False))
un("Clip", "Clip[min=-0.5,max=0.4]", lambda x: jnp.clip(x, -0.5, 0.4))
row(
    "ClipBetween",
    [("x", "f32[2,3]"), ("low", "f32[]"), ("high", "f32[]")],
    "return ClipBetween(x, Neg(Abs(low)), Abs(high))",
    lambda x, l, h: jnp.where(x < -jnp.abs(l), -jnp.abs(l), jnp.where(x > jnp.abs(h), jnp.abs(h), x)),
)
AB = [("a", "f32[2,3]"), ("b", "f32[3]")]


def bi(name, f, positive=False, p=AB, body=None):
    row(name, p, body or f"return {name}(a, b)", f, positive)


bi("Add", lambda a, b: a + b)
bi("Sub", lambda a, b: a - b)
row("Mul", [("a", "f32[2,1]"), ("b", "f32[3]")], "return Mul(a, b)", lambda a, b: a * b)
row("Mul of one array with itself", X, "return Mul(x, x)", lambda x: x * x)
row("Mul with a scalar", [("a", "f32[2,3]"), ("b", "f32[]")], "return Mul(a, b)", lambda a, b: a * b)
bi("Div", lambda a, b: a / b, True)
bi("Max", jnp.maximum)
bi("Min", jnp.minimum)
bi("Pow", lambda a, b: a**b, True)
bi("Mean", lambda a, b: (a + b + a) / 3, False, AB, "return Mean(a, b, a)")
row("PRelu", [("a", "f32[2,3]"), ("b", "f32[3]")], "return PRelu(a, b)", lambda a, b: jnp.where(a < 0, a * b, a))
bi("Where", lambda a, b: jnp.where(a > b, a * b, b), False, AB, "return Where(Greater(a, b), Mul(a, b), b)")
R = [("x", "f32[2,3,2]")]


def red(name, op, f, positive=False, attr="[axes=[1]]"):
    row(name, R, f"return {op}{attr}(x)", f, positive)


red("ReduceSum", "ReduceSum", lambda x: x.sum(1, keepdims=True))
red("ReduceSum without axes", "ReduceSum", lambda x: x.sum((0, 2)), False, "[axes=[0,2],keepdims=false]")
red("ReduceMean", "ReduceMean", lambda x: x.mean((0, 1)), False, "[axes=[0,1],keepdims=false]")
red("ReduceMax", "ReduceMax", lambda x: x.max(1, keepdims=True))
red("ReduceMin", "ReduceMin", lambda x: x.min(1), False, "[axes=[1],keepdims=false]")
red("ReduceL1", "ReduceL1", lambda x: jnp.abs(x).sum(1, keepdims=True))
red("ReduceL2", "ReduceL2", lambda x: jnp.sqrt((x * x).sum(1, keepdims=True)))
red("ReduceSumSquare", "ReduceSumSquare", lambda x: (x * x).sum(1, keepdims=True))
red("ReduceLogSum", "ReduceLogSum", lambda x: jnp.log(x.sum(1, keepdims=True)), True)
red("ReduceLogSumExp", "ReduceLogSumExp", lambda x: logsumexp(x, axis=1, keepdims=True))


def cums(x):
    r = jnp.cumsum(x[:, ::-1], axis=1)[:, ::-1]
    return r - x


row("CumSum", R, "return CumSum[axis=1,exclusive=true,reverse=true](x)", cums)
row("TopK", X, "top = TopK[axis=1,k=2](x)\nreturn top[0]", lambda x: -jnp.sort(-x, axis=1)[:, :2])
un("Softmax", "Softmax[axis=1]", lambda x: nn.softmax(x, axis=1))
un("LogSoftmax", "LogSoftmax[axis=0]", lambda x: nn.log_softmax(x, axis=0))
row("SoftmaxFrom", R, "return SoftmaxFrom[axis=1](x)", lambda x: nn.softmax(x.reshape(2, 6), axis=1).reshape(2, 3, 2))
row(
    "LogSoftmaxFrom",
    R,
    "return LogSoftmaxFrom[axis=1](x)",
    lambda x: nn.log_softmax(x.reshape(2, 6), axis=1).reshape(2, 3, 2),
)


def ch(v):
    return v[:, None]


row(
    "BatchNormalization",
    [("x", "f32[2,2,2]"), ("s", "f32[2]"), ("b", "f32[2]"), ("m", "f32[2]"), ("v", "f32[2]")],
    "return BatchNormalization[epsilon=0.01](x, s, b, m, v)",
    lambda x, s, b, m, v: (x - ch(m)) / jnp.sqrt(ch(v) + 0.01) * ch(s) + ch(b),
    True,
)


def inorm(x, s, b):
    m = x.mean(2, keepdims=True)
    v = ((x - m) ** 2).mean(2, keepdims=True)
    return (x - m) / jnp.sqrt(v + 0.01) * ch(s) + ch(b)


row(
    "InstanceNormalization",
    [("x", "f32[2,2,3]"), ("s", "f32[2]"), ("b", "f32[2]")],
    "return InstanceNormalization[epsilon=0.01](x, s, b)",
    inorm,
)


def lnorm(x, s, b, e=0.01):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) / jnp.sqrt(v + e) * s + b


row(
    "LayerNormalization",
    [("x", "f32[2,2,3]"), ("s", "f32[3]"), ("b", "f32[3]")],
    "return LayerNormalization[axis=2,epsilon=0.01](x, s, b)",
    lnorm,
)
row(
    "SkipLayerNormalization",
    [("x", "f32[1,2,3]"), ("y", "f32[1,2,3]"), ("s", "f32[3]"), ("b", "f32[3]")],
    "return SkipLayerNormalization[epsilon=0.01](x, y, s, b)",
    lambda x, y, s, b: lnorm(x + y, s, b),
)
un("LpNormalization", "LpNormalization[axis=1]", lambda x: x / jnp.sqrt((x * x).sum(1, keepdims=True)))
un("LpNormalization by the sum", "LpNormalization[axis=0,p=1]", lambda x: x / jnp.abs(x).sum(0, keepdims=True))
un(
    "MeanVarianceNormalization",
    "MeanVarianceNormalization[axes=[1]]",
    lambda x: (x - x.mean(1, keepdims=True))
    / (jnp.sqrt(((x - x.mean(1, keepdims=True)) ** 2).mean(1, keepdims=True)) + 1e-9),
)


def mm(name, a, b):
    row(name, [("a", f"f32[{a}]"), ("b", f"f32[{b}]")], "return MatMul(a, b)", jnp.matmul)


mm("MatMul", "2,3", "3,2")
mm("MatMul of a batch with one matrix", "2,2,3", "3,2")
mm("MatMul of batches", "2,2,3", "2,3,2")
mm("MatMul of batches that broadcast", "2,1,1,3", "2,3,2")
mm("MatMul of a vector and a matrix", "3", "3,2")
mm("MatMul of a matrix and a vector", "2,3", "3")
mm("MatMul of vectors", "3", "3")
mm("MatMul of a batch and a vector", "2,2,3", "3")
mm("MatMul of a vector and a batch", "3", "2,3,2")
for ta in (0, 1):
    for tb in (0, 1):
        A = "3,2" if ta else "2,3"
        B = "2,3" if tb else "3,2"
        row(
            f"Gemm {ta}{tb}",
            [("a", f"f32[{A}]"), ("b", f"f32[{B}]"), ("c", "f32[2]")],
            f"return Gemm[alpha=0.5,beta=2.0,transA={'true' if ta else 'false'},transB={'true' if tb else 'false'}](a, b, c)",
            lambda a, b, c, ta=ta, tb=tb: 0.5 * ((a.T if ta else a) @ (b.T if tb else b)) + 2 * c,
        )
row(
    "FusedMatMul",
    [("a", "f32[3,2]"), ("b", "f32[3,2]")],
    "return FusedMatMul[alpha=0.5,transA=true](a, b)",
    lambda a, b: 0.5 * a.T @ b,
)
row("Transpose", R, "return Transpose[perm=[2,0,1]](x)", lambda x: jnp.transpose(x, (2, 0, 1)))
row("Reshape", R, "return Reshape[shape=[4,3]](x)", lambda x: x.reshape(4, 3))
row(
    "Flatten, Squeeze, Unsqueeze",
    [("x", "f32[2,1,2]")],
    "return Squeeze[axes=[1]](Unsqueeze[axes=[1]](Flatten(Squeeze[axes=[1]](x))))",
    lambda x: x.reshape(2, 2),
)
row(
    "Concat",
    [("a", "f32[2,1]"), ("b", "f32[2,2]")],
    "return Concat[axis=1](a, b, a)",
    lambda a, b: jnp.concatenate([a, b, a], 1),
)
row(
    "Split",
    [("x", "f32[2,4]")],
    "parts = Split[axis=1,sizes=[1,2,1]](x)\nreturn Mul(parts[1], parts[0])",
    lambda x: x[:, 1:3] * x[:, :1],
)
S = [("x", "f32[2,6]")]
row("Slice", S, "return Slice[starts=[1],ends=[4],axes=[1],steps=[1]](x)", lambda x: x[:, 1:4])
row("Slice with steps", S, "return Slice[starts=[1],ends=[6],axes=[1],steps=[2]](x)", lambda x: x[:, 1:6:2])
row(
    "Slice with steps that end earlier",
    S,
    "return Slice[starts=[0],ends=[5],axes=[1],steps=[3]](x)",
    lambda x: x[:, 0:5:3],
)
row("Slice backwards", S, "return Slice[starts=[4],ends=[0],axes=[1],steps=[-2]](x)", lambda x: x[:, 4:0:-2])
row("Pad", X, "return Pad[pads=[0,1,1,-1]](x)", lambda x: jnp.pad(x, ((0, 1), (1, 0)))[:, :3])
row("Expand", [("x", "f32[2,1]")], "return Expand[shape=[2,2,3]](x)", lambda x: jnp.broadcast_to(x, (2, 2, 3)))
row("Tile", X, "return Tile[repeats=[2,2]](x)", lambda x: jnp.tile(x, (2, 2)))
row(
    "DepthToSpace",
    [("x", "f32[1,4,1,2]")],
    "return DepthToSpace[blocksize=2](x)",
    lambda x: x.reshape(1, 2, 2, 1, 1, 2).transpose(0, 3, 4, 1, 5, 2).reshape(1, 1, 2, 4),
)
row(
    "SpaceToDepth",
    [("x", "f32[1,1,2,4]")],
    "return SpaceToDepth[blocksize=2](x)",
    lambda x: x.reshape(1, 1, 1, 2, 2, 2).transpose(0, 3, 5, 1, 2, 4).reshape(1, 4, 1, 2),
)
row("Gather", [("x", "f32[3,2]"), ("i", "i64[4]")], "return Gather(x, i)", lambda x, i: x[i])
row(
    "Gather along another axis",
    [("x", "f32[2,3,2]"), ("i", "i64[2,2]")],
    "return Gather[axis=1](x, i)",
    lambda x, i: jnp.take(x, i, axis=1),
)
row(
    "Gather of a scalar index", [("x", "f32[2,3]"), ("i", "i64[]")], "return Gather[axis=1](x, i)", lambda x, i: x[:, 0]
)
row(
    "GatherElements",
    [("x", "f32[3,2]"), ("i", "i64[4,2]")],
    "return GatherElements(x, i)",
    lambda x, i: jnp.take_along_axis(x, i, axis=0),
)
row("GatherND", [("x", "f32[3,2]"), ("i", "i64[4,1]")], "return GatherND(x, i)", lambda x, i: x[i[:, 0]])
row(
    "ScatterElements",
    [("x", "f32[3,2]"), ("i", "i64[2,1]"), ("u", "f32[2,1]")],
    "return ScatterElements(x, i, u)",
    lambda x, i, u: x.at[i[:, 0], 0].set(u[:, 0]),
)
row(
    "ScatterND with sums",
    [("x", "f32[3,2]"), ("i", "i64[4,1]"), ("u", "f32[4,2]")],
    "return ScatterND[reduction=add](x, i, u)",
    lambda x, i, u: x.at[i[:, 0]].add(u),
)
row("Trilu", [("x", "f32[3,3]")], "return Trilu[upper=false,k=-1](x)", lambda x: jnp.tril(x, -1))
row(
    "Einsum",
    [("a", "f32[2,3]"), ("b", "f32[3,2]")],
    "return Einsum[equation=[ab,bc,ca]](a, b)",
    lambda a, b: jnp.einsum("ab,bc->ca", a, b),
)


def conv(x, w, b=None, strides=(1, 1), pads=((0, 0), (0, 0)), dil=(1, 1), g=1):
    n = x.ndim - 2
    y = lax.conv_general_dilated(x, w, strides[:n], pads[:n], rhs_dilation=dil[:n], feature_group_count=g)
    return y if b is None else y + b.reshape((1, -1) + (1,) * n)


def cv(name, x, w, attr, bias=True, **k):
    p = [("x", f"f32[{x}]"), ("w", f"f32[{w}]")] + ([("b", f"f32[{w.split(',')[0]}]")] if bias else [])
    row(name, p, f"return Conv[{attr}](x, w{', b' if bias else ''})", lambda x, w, b=None: conv(x, w, b, **k))


cv("Conv", "2,1,3,3", "2,1,2,2", "strides=[1,1],pads=[0,0,0,0],dilations=[1,1]")
cv(
    "Conv with strides and pads",
    "1,2,4,4",
    "1,2,3,3",
    "strides=[2,2],pads=[1,1,1,1],dilations=[1,1]",
    strides=(2, 2),
    pads=((1, 1), (1, 1)),
)
cv(
    "Conv with a rest",
    "2,1,6,4",
    "1,1,2,2",
    "strides=[3,3],pads=[0,0,1,1],dilations=[1,1]",
    strides=(3, 3),
    pads=((0, 1), (0, 1)),
)
cv(
    "Conv with dilations",
    "1,1,5,5",
    "1,1,2,2",
    "strides=[1,2],pads=[0,1,0,1],dilations=[2,3]",
    strides=(1, 2),
    pads=((0, 0), (1, 1)),
    dil=(2, 3),
)
cv("Conv with groups", "2,4,3,1", "4,2,2,1", "strides=[1,1],pads=[0,0,0,0],dilations=[1,1],group=2", False, g=2)
cv(
    "Conv of one channel each",
    "2,3,3,2",
    "3,1,2,2",
    "strides=[1,1],pads=[1,0,0,0],dilations=[1,1],group=3",
    False,
    g=3,
    pads=((1, 0), (0, 0)),
)
cv("Conv along one axis", "2,2,5", "2,2,2", "strides=[2],pads=[0,0],dilations=[1]", strides=(2,))


def convt(x, w, strides, p, op):
    k = w.shape[2]
    wt = jnp.flip(w, (2,)).swapaxes(0, 1)
    return lax.conv_general_dilated(x, wt, (1,), [(k - 1 - p, k - 1 - p + op)], lhs_dilation=(strides,))


row(
    "ConvTranspose",
    [("x", "f32[2,2,3]"), ("w", "f32[2,1,3]")],
    "return ConvTranspose[strides=[2],pads=[1,1],dilations=[1],output_padding=[1]](x, w)",
    lambda x, w: convt(x, w, 2, 1, 1),
)


def pool(x, k, s, p, init, op):
    return lax.reduce_window(x, init, op, (1, 1) + k, (1, 1) + s, ((0, 0), (0, 0)) + p)


P = [("x", "f32[1,2,4,4]")]
row(
    "MaxPool",
    P,
    "return MaxPool[kernel_shape=[2,2],strides=[2,2],pads=[0,0,0,0],dilations=[1,1]](x)",
    lambda x: pool(x, (2, 2), (2, 2), ((0, 0), (0, 0)), -jnp.inf, lax.max),
)
row(
    "MaxPool with overlapping windows",
    P,
    "return MaxPool[kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1],dilations=[1,1]](x)",
    lambda x: pool(x, (3, 3), (2, 2), ((1, 1), (1, 1)), -jnp.inf, lax.max),
)
row(
    "AveragePool",
    P,
    "return AveragePool[kernel_shape=[2,3],strides=[2,1],pads=[0,0,0,0]](x)",
    lambda x: pool(x, (2, 3), (2, 1), ((0, 0), (0, 0)), 0.0, lax.add) / 6,
)
row(
    "AveragePool without pads",
    P,
    "return AveragePool[kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1]](x)",
    lambda x: pool(x, (3, 3), (2, 2), ((1, 1), (1, 1)), 0.0, lax.add)
    / pool(jnp.ones_like(x), (3, 3), (2, 2), ((1, 1), (1, 1)), 0.0, lax.add),
)
row(
    "AveragePool with pads",
    P,
    "return AveragePool[kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1],count_include_pad=true](x)",
    lambda x: pool(x, (3, 3), (2, 2), ((1, 1), (1, 1)), 0.0, lax.add) / 9,
)
row("GlobalAveragePool", P, "return GlobalAveragePool(x)", lambda x: x.mean((2, 3), keepdims=True))
row("GlobalMaxPool", P, "return GlobalMaxPool(x)", lambda x: x.max((2, 3), keepdims=True))
row(
    "FusedConv",
    [("x", "f32[1,1,3,3]"), ("w", "f32[1,1,2,2]"), ("b", "f32[1]")],
    "return FusedConv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1],activation=Relu](x, w, b)",
    lambda x, w, b: jnp.maximum(conv(x, w, b), 0),
)
row(
    "NhwcConv",
    [("x", "f32[1,3,3,1]"), ("w", "f32[1,1,2,2]")],
    "return NhwcConv[strides=[1,1],pads=[0,0,0,0],dilations=[1,1]](x, w)",
    lambda x, w: conv(x.transpose(0, 3, 1, 2), w).transpose(0, 2, 3, 1),
)


row(
    "Identity, Dropout, Cast",
    [("x", "f64[2,3]")],
    "y = Cast[to=f64](Dropout(Identity(x)))\nreturn Mul(y, y)",
    lambda x: x * x,
)
row(
    "ReshapeTo",
    [("x", "f32[2,3]"), ("y", "f32[3,2]")],
    "return Mul(y, ReshapeTo[sizes=[3,2]](x, Shape[start=0,end=2](y)))",
    lambda x, y: y * x.reshape(3, 2),
)
row(
    "ExpandTo",
    [("x", "f32[2,1]"), ("y", "f32[2,3]")],
    "return Mul(y, ExpandTo[sizes=[2,3]](x, Shape[start=0,end=2](y)))",
    lambda x, y: y * x,
)
row(
    "MaxPoolWithIndices",
    P,
    "both = MaxPoolWithIndices[kernel_shape=[2,2],strides=[1,2],pads=[0,0,0,0],dilations=[1,1]](x)\nreturn both[0]",
    lambda x: pool(x, (2, 2), (1, 2), ((0, 0), (0, 0)), -jnp.inf, lax.max),
)


# Recurrent layers, from ONNX's definition. All inputs but X are given for each direction.
def sig(x):
    return 1 / (1 + jnp.exp(-x))


def rnn(x, w, r, b, h, act=jnp.tanh):
    n = h.shape[-1]
    out = []
    for t in range(x.shape[0]):
        h = act(x[t] @ w.T + h @ r.T + b[:n] + b[n:])
        out.append(h)
    return jnp.stack(out), h


def gru(x, w, r, b, h, linear):
    n = h.shape[-1]
    wz, wr, wh = jnp.split(w, 3)
    rz, rr, rh = jnp.split(r, 3)
    bs = jnp.split(b, 6)
    out = []
    for t in range(x.shape[0]):
        z = sig(x[t] @ wz.T + h @ rz.T + bs[0] + bs[3])
        g = sig(x[t] @ wr.T + h @ rr.T + bs[1] + bs[4])
        inner = g * (h @ rh.T + bs[5]) if linear else (g * h) @ rh.T + bs[5]
        h = (1 - z) * jnp.tanh(x[t] @ wh.T + inner + bs[2]) + z * h
        out.append(h)
    return jnp.stack(out), h


def lstm(x, w, r, b, h, c, p=None, lens=None, clip=None):
    n = h.shape[-1]
    limit = (lambda v: jnp.clip(v, -clip, clip)) if clip else (lambda v: v)
    p = jnp.zeros(3 * n) if p is None else p
    out = []
    for t in range(x.shape[0]):
        i, o, f, g = jnp.split(x[t] @ w.T + h @ r.T + b[: 4 * n] + b[4 * n :], 4, axis=-1)
        c1 = sig(limit(f + p[2 * n :] * c)) * c + sig(limit(i + p[:n] * c)) * jnp.tanh(limit(g))
        h1 = sig(limit(o + p[n : 2 * n] * c1)) * jnp.tanh(c1)
        if lens is None:
            h, c, y = h1, c1, h1
        else:
            on = (t < lens)[:, None]
            h, c, y = jnp.where(on, h1, h), jnp.where(on, c1, c), jnp.where(on, h1, 0)
        out.append(y)
    return jnp.stack(out), h, c


row(
    "RNN",
    [("x", "f32[3,2,2]"), ("w", "f32[1,2,2]"), ("r", "f32[1,2,2]")],
    'return RNN[hidden_size=2,activations=[Tanh]](x, w, r)',
    lambda x, w, r: rnn(x, w[0], r[0], jnp.zeros(4), jnp.zeros((2, 2)))[0][:, None],
)
row(
    "RNN backwards, batch first",
    [("x", "f32[2,3,2]"), ("w", "f32[1,2,2]"), ("r", "f32[1,2,2]"), ("b", "f32[1,4]"), ("h", "f32[2,1,2]")],
    'both = RNN[hidden_size=2,direction=reverse,activations=[Softsign],layout=true,outputs=2](x, w, r, b, _, h)\n'
    "return Concat[axis=1](both[0], Unsqueeze[axes=[1]](both[1]))",
    lambda x, w, r, b, h: (
        lambda y: jnp.concatenate([y[0][::-1].transpose(1, 0, 2)[:, :, None], y[1][:, None, None]], 1)
    )(rnn(x.transpose(1, 0, 2)[::-1], w[0], r[0], b[0], h[:, 0], lambda v: v / (1 + abs(v)))),
)
for linear in (False, True):
    row(
        "GRU" + (", linear before reset" if linear else ""),
        [("x", "f32[3,2,2]"), ("w", "f32[1,6,2]"), ("r", "f32[1,6,2]"), ("b", "f32[1,12]")],
        'return GRU[hidden_size=2,activations=[Sigmoid,Tanh],linear_before_reset=%s](x, w, r, b)'
        % str(linear).lower(),
        lambda x, w, r, b: gru(x, w[0], r[0], b[0], jnp.zeros((2, 2)), linear)[0][:, None],
    )
row(
    "GRU, last state",
    [("x", "f32[2,2,2]"), ("w", "f32[1,6,2]"), ("r", "f32[1,6,2]"), ("b", "f32[1,12]"), ("h", "f32[1,2,2]")],
    'both = GRU[hidden_size=2,activations=[Sigmoid,Tanh],outputs=2](x, w, r, b, _, h)\nreturn both[1]',
    lambda x, w, r, b, h: gru(x, w[0], r[0], b[0], h[0], False)[1][None],
)
L = [("x", "f32[3,2,2]"), ("w", "f32[1,8,2]"), ("r", "f32[1,8,2]")]
ACT = 'activations=[Sigmoid,Tanh,Tanh]'
row(
    "LSTM",
    L,
    f"return LSTM[hidden_size=2,{ACT}](x, w, r)",
    lambda x, w, r: lstm(x, w[0], r[0], jnp.zeros(16), jnp.zeros((2, 2)), jnp.zeros((2, 2)))[0][:, None],
)
row(
    "LSTM, all inputs and outputs",
    L
    + [("b", "f32[1,16]"), ("lens", "i32[2]"), ("h", "f32[1,2,2]"), ("c", "f32[1,2,2]"), ("p", "f32[1,6]")],
    f"all = LSTM[hidden_size=2,{ACT},clip=0.7,outputs=3](x, w, r, b, lens, h, c, p)\n"
    "return Concat[axis=0](Squeeze[axes=[1]](all[0]), all[1], all[2])",
    lambda x, w, r, b, lens, h, c, p: (lambda y: jnp.concatenate([y[0], y[1][None], y[2][None]]))(
        lstm(x, w[0], r[0], b[0], h[0], c[0], p[0], lens, 0.7)
    ),
)
row(
    "LSTM in both directions",
    [("x", "f32[2,1,2]"), ("w", "f32[2,8,2]"), ("r", "f32[2,8,2]"), ("b", "f32[2,16]")],
    'return LSTM[hidden_size=2,direction=bidirectional,activations=[Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh]]'
    "(x, w, r, b)",
    lambda x, w, r, b: jnp.stack(
        [
            lstm(x, w[0], r[0], b[0], jnp.zeros((1, 2)), jnp.zeros((1, 2)))[0],
            lstm(x[::-1], w[1], r[1], b[1], jnp.zeros((1, 2)), jnp.zeros((1, 2)))[0][::-1],
        ],
        1,
    ),
)


def lrn(x, size, alpha, beta, bias):
    n = x.shape[1]
    sums = jnp.stack(
        [
            sum(x[:, j] ** 2 for j in range(max(0, c - (size - 1) // 2), min(n - 1, c + size // 2) + 1))
            for c in range(n)
        ],
        1,
    )
    return x / (bias + alpha / size * sums) ** beta


for size in (3, 4):
    row(
        f"LRN of {size} channels",
        [("x", "f32[1,5,1,2]")],
        f"return LRN[alpha=0.5,beta=0.75,bias=1.5,size={size}](x)",
        lambda x: lrn(x, size, 0.5, 0.75, 1.5),
    )
row(
    "LpPool",
    [("x", "f32[1,1,3,3]")],
    "return LpPool[kernel_shape=[2,2],strides=[1,2],pads=[0,0,0,1],p=3](x)",
    lambda x: pool(abs(x) ** 3, (2, 2), (1, 2), ((0, 0), (0, 1)), 0.0, lax.add) ** (1 / 3),
)
row(
    "GlobalLpPool",
    [("x", "f32[1,2,2,2]")],
    "return GlobalLpPool[p=2](x)",
    lambda x: jnp.sqrt(jnp.sum(x * x, (2, 3), keepdims=True)),
)
row(
    "ReduceProd",
    [("x", "f32[2,3]")],
    "return ReduceProd[axes=[1],keepdims=false](x)",
    lambda x: x[:, 0] * x[:, 1] * x[:, 2],
)
row(
    "ReduceProd with zeros",
    [("x", "f32[2,3]")],
    "return ReduceProd[axes=[0],keepdims=true](Concat[axis=0](Relu(x), x))",
    lambda x: (lambda r: (r[0] * r[1] * x[0] * x[1])[None])(jnp.where(x > 0, x, 0.0)),
)
row(
    "Mod with the sign of A",
    [("x", "f32[2,3]"), ("y", "f32[3]")],
    "return Mod[fmod=true](Exp(x), y)",
    lambda x, y: jnp.exp(x) - jnp.trunc(jnp.exp(x) / y) * y,
)
row(
    "ReverseSequence",
    [("x", "f32[3,2,2]"), ("n", "i64[2]")],
    "y = ReverseSequence[time_axis=0,batch_axis=1](x, Add(n, Constant[value=2.0,dtype=i64,shape=[]]()))\nreturn Mul(y, x)",
    lambda x, n: jnp.stack([jnp.concatenate([x[:2, 0][::-1], x[2:, 0]]), x[:, 1][::-1]], 1) * x,
)


# Interpolation of images, from the definition of each mode of coordinates.
def linear_matrix(n, places):
    m = np.zeros((len(places), n))
    for i, place in enumerate(places):
        place = min(max(place, 0), n - 1)
        low = min(int(np.floor(place)), n - 1)
        m[i, low] += 1 - (place - low)
        if place > low:
            m[i, low + 1] += place - low
    return m


row(
    "Resize, nearest",
    [("x", "f32[1,1,2,3]")],
    "return Resize[scales=[1.0,1.0,2.0,2.0],sizes=[],coordinate_transformation_mode=asymmetric,nearest_mode=floor](x)",
    lambda x: x.repeat(2, 2).repeat(2, 3),
)
row(
    "Resize, linear",
    [("x", "f32[1,1,2,3]")],
    "return Resize[scales=[],sizes=[1,1,4,2],mode=linear](x)",
    lambda x: jnp.einsum(
        "ih,nchw,jw->ncij",
        linear_matrix(2, [(i + 0.5) / 2 - 0.5 for i in range(4)]),
        x,
        linear_matrix(3, [(j + 0.5) * 1.5 - 0.5 for j in range(2)]),
    ),
)
row(
    "Resize, corners aligned",
    [("x", "f32[1,2,3]")],
    "return Resize[scales=[],sizes=[1,2,5],mode=linear,coordinate_transformation_mode=align_corners](x)",
    lambda x: jnp.einsum("nch,ih->nci", x, linear_matrix(3, [i / 2 for i in range(5)])),
)


def num(v):
    text = f"{v:.12g}"
    return text if any(c in text for c in ".en") else text + ".0"


print(
    "# Losses and gradients of tensor programs, computed in double precision with JAX by tensor_gradients.py. Element i of parameter k is\n"
    "# 0.9 sin(1 + 1.7 i + 2.3 k), or x = 0.6 + 0.5 |that| if the program is marked `positive`; of an Integer parameter, i mod 3. The\n"
    "# cotangent is the parameter behind the program's own. `=` is the loss, each `-` a gradient by a floating-point parameter."
)
for name, positive, text, loss, gradients in rows:
    print("\n* " + name + (" (positive)" if positive else ""))
    print(text.rstrip("\n"))
    print("= " + num(loss[0]))
    for gradient in gradients:
        print("- " + " ".join(num(v) for v in gradient))
