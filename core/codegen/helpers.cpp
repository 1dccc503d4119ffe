// SPDX-License-Identifier: GPL-3.0-or-later
// The helper templates as text. Each is one function template over all types, so that their order does not matter to name look-up; `kind`
// distinguishes numbers, tuples and vectors.
#include "core/codegen/helpers.h"

#include <array>
#include <cassert>

namespace mitos::codegen {

namespace {

/// Unused entries are null.
using Names = std::array<const char*, 6>;

struct Helper {
    const char* name;
    Names needs;  // other helpers
    Names headers;
    const char* text;
};

/// In the order of definition.
constexpr Helper AllHelpers[] = {
    {"copy", {}, {}, R"(// The value itself; keeps compilers from remarking on comparisons like x == x.
template <typename T>
T copy(const T& x) {
    return x;
}
)"},
    {"kind", {}, {"tuple", "vector"}, R"(enum Kind { Scalar, TupleKind, VectorKind, TensorKind };
template <typename T>
struct KindOf {
    static constexpr Kind value = Scalar;
};
template <typename... T>
struct KindOf<std::tuple<T...>> {
    static constexpr Kind value = TupleKind;
};
template <typename T>
struct KindOf<std::vector<T>> {
    static constexpr Kind value = VectorKind;
};
template <typename T>
constexpr Kind kind = KindOf<T>::value;
)"},
    {"require", {}, {"stdexcept"}, R"(// Ends what cannot go on, and says why. Define NDEBUG to leave these checks out.
inline void require([[maybe_unused]] bool holds, [[maybe_unused]] const char* otherwise) {
#ifndef NDEBUG
    if (!holds) throw std::runtime_error(otherwise);
#endif
}
)"},
    {"asSize", {"require"}, {"cstddef", "cstdint"}, R"(inline std::size_t asSize(std::int64_t n) {
    require(n >= 0, "a size is negative");
    return static_cast<std::size_t>(n);
}
)"},
    {"at", {"require"}, {"cstddef", "cstdint"}, R"(// The element at an index, of a vector of vectors at several.
template <typename V>
decltype(auto) at(V& v, std::int64_t i) {
    require(i >= 0 && static_cast<std::size_t>(i) < v.size(), "an index is outside of a vector");
    return v[static_cast<std::size_t>(i)];
}
template <typename V, typename... More>
decltype(auto) at(V& v, std::int64_t i, More... more) {
    return at(at(v, i), more...);
}
)"},
    {"plus", {}, {"cstdint", "type_traits"}, R"(// Integers wrap around at 64 bits.
template <typename A, typename B>
auto plus(A a, B b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
        return a + b;
    }
}
)"},
    {"minus", {}, {"cstdint", "type_traits"}, R"(template <typename A, typename B>
auto minus(A a, B b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    } else {
        return a - b;
    }
}
)"},
    {"times", {}, {"cstdint", "type_traits"}, R"(template <typename A, typename B>
auto times(A a, B b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
        return a * b;
    }
}
)"},
    {"quotient", {"minus", "require"}, {}, R"(// Of Integers truncated towards zero.
template <typename A, typename B>
auto quotient(A a, B b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
        require(b != 0, "an Integer is divided by zero");
        return b == -1 ? minus(0, a) : std::int64_t{a} / b;
    } else {
        return a / b;
    }
}
)"},
    {"Tensor",
     {"asSize", "kind"},
     {"array", "cstddef", "cstdint", "tuple", "utility", "vector"},
     R"(// A tensor of rank 2 or more: its elements in row-major order.
template <typename T, std::size_t Rank>
struct Tensor {
    std::array<std::int64_t, Rank> dims{};
    std::vector<T> data;

    template <typename... Index>
    std::size_t offset(Index... index) const {
        std::size_t at = 0;
        std::size_t d = 0;
        const auto next = [&](std::int64_t i) {
            require(i >= 0 && i < dims[d], "an index is outside of a tensor");
            at = at * static_cast<std::size_t>(dims[d++]) + static_cast<std::size_t>(i);
        };
        (next(static_cast<std::int64_t>(index)), ...);
        return at;
    }
    template <typename... Index>
    typename std::vector<T>::const_reference operator()(Index... index) const {
        return data[offset(index...)];
    }
    template <typename... Index>
    typename std::vector<T>::reference operator()(Index... index) {
        return data[offset(index...)];
    }
    void resize(const std::array<std::int64_t, Rank>& sizes) {
        std::size_t count = 1;
        for (const std::int64_t size : sizes) count *= asSize(size);
        dims = sizes;
        data.resize(count);
    }
    template <typename F>
    auto mapped(const F& f) const {
        Tensor<decltype(f(std::declval<const T&>())), Rank> result;
        result.dims = dims;
        for (const auto& element : data) result.data.push_back(f(element));
        return result;
    }
    friend bool operator==(const Tensor& a, const Tensor& b) { return a.dims == b.dims && a.data == b.data; }
    friend bool operator!=(const Tensor& a, const Tensor& b) { return !(a == b); }
};
template <typename T, std::size_t Rank>
struct KindOf<Tensor<T, Rank>> {
    static constexpr Kind value = TensorKind;
};
)"},
    {"size", {}, {"cstdint"}, R"(// Number of elements of a vector.
template <typename V>
std::int64_t size(const V& v) {
    return static_cast<std::int64_t>(v.size());
}
)"},
    {"update",
     {"kind", "require"},
     {"type_traits", "utility"},
     R"(// op(a, b) on every number of a and the number of b at its place; a number b goes with all of a.
template <typename Op, typename A, typename B>
void update(const Op& op, A& a, const B& b);
template <typename Op, typename A, typename B, std::size_t... I>
void updateTuple(const Op& op, A& a, const B& b, std::index_sequence<I...>) {
    if constexpr (kind<B> == TupleKind) {
        (update(op, std::get<I>(a), std::get<I>(b)), ...);
    } else {
        (update(op, std::get<I>(a), b), ...);
    }
    static_cast<void>(op);
    static_cast<void>(a);
    static_cast<void>(b);
}
template <typename Op, typename A, typename B>
void update(const Op& op, A& a, const B& b) {
    if constexpr (std::is_same_v<A, std::vector<bool>>) {
        static_cast<void>(b);  // nothing to add in truth values
    } else if constexpr (kind<A> == TupleKind) {
        updateTuple(op, a, b, std::make_index_sequence<std::tuple_size_v<A>>());
    } else if constexpr (kind<A> == VectorKind) {
        if constexpr (kind<B> == VectorKind) require(a.size() == b.size(), "the sizes of two vectors differ");
        for (std::size_t i = 0; i < a.size(); ++i) {
            if constexpr (kind<B> == VectorKind) {
                update(op, a[i], b[i]);
            } else {
                update(op, a[i], b);
            }
        }
    } else if constexpr (kind<A> == TensorKind) {
        if constexpr (kind<B> == TensorKind) {
            require(a.dims == b.dims, "the sizes of two tensors differ");
            update(op, a.data, b.data);
        } else {
            update(op, a.data, b);
        }
    } else {
        op(a, b);
    }
}
)"},
    {"combine", {"update"}, {}, R"(// a op b, part by part; a number on either side goes with all of the other.
template <typename Op, typename A, typename B>
auto combine(const Op& op, const A& a, const B& b) {
    if constexpr (kind<A> == Scalar && kind<B> != Scalar) {
        B result = b;
        update([&op](auto& y, const auto& x) { y = op(x, y); }, result, a);
        return result;
    } else {
        A result = a;
        update([&op](auto& x, const auto& y) { x = op(x, y); }, result, b);
        return result;
    }
}
)"},
    {"add", {"combine", "plus"}, {}, R"(template <typename A, typename B>
auto add(const A& a, const B& b) {
    return combine([](auto x, auto y) { return plus(x, y); }, a, b);
}
)"},
    {"sub", {"combine", "minus"}, {}, R"(template <typename A, typename B>
auto sub(const A& a, const B& b) {
    return combine([](auto x, auto y) { return minus(x, y); }, a, b);
}
)"},
    {"mul", {"combine", "times"}, {}, R"(template <typename A, typename B>
auto mul(const A& a, const B& b) {
    return combine([](auto x, auto y) { return times(x, y); }, a, b);
}
)"},
    {"div", {"combine", "quotient"}, {}, R"(template <typename A, typename B>
auto div(const A& a, const B& b) {
    return combine([](auto x, auto y) { return quotient(x, y); }, a, b);
}
)"},
    {"addTo", {"plus", "update"}, {"string"}, R"(// sum += term, part by part; truth values and texts stay.
template <typename T>
void addTo(T& sum, const T& term) {
    update(
        [](auto& x, const auto& y) {
            using Number = std::decay_t<decltype(x)>;
            if constexpr (std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>) x = plus(x, y);
            static_cast<void>(x);
            static_cast<void>(y);
        },
        sum, term);
}
)"},
    {"tsAdd", {"update"}, {}, R"(// x moved by the tangent dx: Floats are added, the rest stays.
template <typename T, typename D>
T tsAdd(T x, const D& dx) {
    update(
        [](auto& part, const auto& change) {
            if constexpr (std::is_same_v<std::decay_t<decltype(part)>, double>) part += change;
            static_cast<void>(part);
            static_cast<void>(change);
        },
        x, dx);
    return x;
}
)"},
    {"tsScale", {"update"}, {}, R"(// Every Float times the factor.
template <typename T>
T tsScale(double factor, T x) {
    update(
        [](auto& part, double r) {
            if constexpr (std::is_same_v<std::decay_t<decltype(part)>, double>) part = r * part;
            static_cast<void>(part);
            static_cast<void>(r);
        },
        x, factor);
    return x;
}
)"},
    {"tsDot", {"kind", "require"}, {"type_traits"}, R"(// Inner product over all Floats.
template <typename T>
double tsDot(const T& a, const T& b) {
    double sum = 0.0;
    if constexpr (std::is_same_v<T, std::vector<bool>>) {
    } else if constexpr (kind<T> == TupleKind) {
        std::apply([&](const auto&... x) {
            std::apply([&](const auto&... y) { ((sum += tsDot(x, y)), ...); }, b);
        }, a);
    } else if constexpr (kind<T> == VectorKind) {
        require(a.size() == b.size(), "the sizes of two vectors differ");
        for (std::size_t i = 0; i < a.size(); ++i) sum += tsDot(a[i], b[i]);
    } else if constexpr (kind<T> == TensorKind) {
        require(a.dims == b.dims, "the sizes of two tensors differ");
        sum = tsDot(a.data, b.data);
    } else if constexpr (std::is_same_v<T, double>) {
        sum = a * b;
    }
    static_cast<void>(a);
    static_cast<void>(b);
    return sum;
}
)"},
    {"tangent",
     {"kind"},
     {"type_traits"},
     R"(// The value as a tangent of its type: what is no Float becomes the empty tuple.
template <typename T>
auto tangent(const T& x) {
    static_cast<void>(x);
    if constexpr (std::is_same_v<T, double>) {
        return x;
    } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
        return std::vector<std::tuple<>>(x.size());
    } else if constexpr (kind<T> == TupleKind) {
        return std::apply([](const auto&... parts) { return std::make_tuple(tangent(parts)...); }, x);
    } else if constexpr (kind<T> == VectorKind) {
        std::vector<decltype(tangent(std::declval<const typename T::value_type&>()))> parts;
        for (const auto& part : x) parts.push_back(tangent(part));
        return parts;
    } else {
        return std::tuple<>();
    }
}
)"},
    {"zeroLike", {"kind"}, {}, R"(// A zero of the same shape.
template <typename T>
T zeroLike(const T& x) {
    static_cast<void>(x);
    T zero{};
    if constexpr (kind<T> == TupleKind) {
        zero = std::apply([](const auto&... parts) { return T(zeroLike(parts)...); }, x);
    } else if constexpr (kind<T> == VectorKind) {
        zero.reserve(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) zero.push_back(zeroLike<typename T::value_type>(x[i]));
    } else if constexpr (kind<T> == TensorKind) {
        zero.dims = x.dims;
        zero.data = zeroLike(x.data);
    }
    return zero;
}
)"},
    {"deltaVec",
     {"asSize", "zeroLike"},
     {"cstdint", "vector"},
     R"(// n zeros of e's shape with e at i; all zero if i is out of range.
template <typename T>
std::vector<T> deltaVec(std::int64_t n, std::int64_t i, const T& e) {
    std::vector<T> result(asSize(n), zeroLike(e));
    if (i >= 0 && i < n) result[static_cast<std::size_t>(i)] = e;
    return result;
}
)"},
    {"deltaTensor", {"Tensor", "zeroLike"}, {}, R"(// As deltaVec, for tensors of rank 2 and more.
template <typename T, std::size_t Rank>
Tensor<T, Rank> deltaTensor(const std::array<std::int64_t, Rank>& dims, const std::array<std::int64_t, Rank>& at, const T& e) {
    Tensor<T, Rank> result;
    result.resize(dims);
    for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = zeroLike(e);
    std::size_t offset = 0;
    bool inside = true;
    for (std::size_t d = 0; d < Rank; ++d) {
        inside = inside && at[d] >= 0 && at[d] < dims[d];
        offset = offset * static_cast<std::size_t>(dims[d]) + static_cast<std::size_t>(at[d]);
    }
    if (inside) result.data[offset] = e;
    return result;
}
)"},
    {"constTensor", {"Tensor"}, {}, R"(// A tensor with e everywhere.
template <typename T, std::size_t Rank>
Tensor<T, Rank> constTensor(const std::array<std::int64_t, Rank>& dims, const T& e) {
    Tensor<T, Rank> result;
    result.resize(dims);
    for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = e;
    return result;
}
)"},
    {"matVec", {"Tensor"}, {}, R"(// Matrix times vector.
inline std::vector<double> matVec(const Tensor<double, 2>& matrix, const std::vector<double>& vector) {
    require(matrix.dims[1] == static_cast<std::int64_t>(vector.size()), "a matrix's columns and a vector's size differ");
    std::vector<double> product(static_cast<std::size_t>(matrix.dims[0]), 0.0);
    for (std::size_t r = 0; r < product.size(); ++r) {
        for (std::size_t c = 0; c < vector.size(); ++c) product[r] += matrix(r, c) * vector[c];
    }
    return product;
}
)"},
    {"mapExp", {}, {"cmath", "vector"}, R"(// The exponential of each element.
inline std::vector<double> mapExp(std::vector<double> v) {
    for (double& x : v) x = std::exp(x);
    return v;
}
)"},
    {"argMax", {"require"}, {"cstddef", "cstdint", "vector"}, R"(// The place of the first largest element.
inline std::int64_t argMax(const std::vector<double>& v) {
    require(!v.empty(), "the maximum of an empty vector");
    std::size_t best = 0;
    for (std::size_t i = 1; i < v.size(); ++i) {
        if (v[i] > v[best]) best = i;
    }
    return static_cast<std::int64_t>(best);
}
)"},
    {"sum", {"addTo", "require"}, {"cstddef", "vector"}, R"(// The sum of all elements of a vector that is not empty.
template <typename T>
T sum(const std::vector<T>& v) {
    require(!v.empty(), "the sum of an empty tensor");
    T total = v[0];
    for (std::size_t i = 1; i < v.size(); ++i) addTo(total, static_cast<const T&>(v[i]));
    return total;
}
)"},
    {"unzip", {"kind"}, {"utility"}, R"(// A vector of tuples as a tuple of vectors.
template <typename... T, std::size_t... I>
std::tuple<std::vector<T>...> unzipParts(const std::vector<std::tuple<T...>>& v, std::index_sequence<I...>) {
    std::tuple<std::vector<T>...> parts;
    for (const std::tuple<T...>& element : v) {
        (std::get<I>(parts).push_back(std::get<I>(element)), ...);
        static_cast<void>(element);
    }
    return parts;
}
template <typename... T>
std::tuple<std::vector<T>...> unzip(const std::vector<std::tuple<T...>>& v) {
    return unzipParts(v, std::index_sequence_for<T...>());
}
)"},
    {"unzipTensor", {"Tensor", "unzip"}, {}, R"(template <typename... T, std::size_t Rank>
std::tuple<Tensor<T, Rank>...> unzipTensor(const Tensor<std::tuple<T...>, Rank>& t) {
    return std::apply([&](auto&&... parts) {
        return std::tuple<Tensor<T, Rank>...>(Tensor<T, Rank>{t.dims, std::move(parts)}...);
    }, unzip(t.data));
}
)"},
    {"shape", {"kind"}, {"cstdint", "type_traits"}, R"(// Whether the type alone tells the sizes of its values.
template <typename T>
struct HasPlainShape : std::bool_constant<kind<T> == Scalar> {};
template <typename... T>
struct HasPlainShape<std::tuple<T...>> : std::bool_constant<(HasPlainShape<T>::value && ...)> {};
// The sizes in a value that its type does not tell.
template <typename T>
auto shape(const T& x) {
    static_cast<void>(x);
    if constexpr (HasPlainShape<T>::value) {
        return std::tuple<>();
    } else if constexpr (kind<T> == TupleKind) {
        return std::apply([](const auto&... parts) { return std::make_tuple(shape(parts)...); }, x);
    } else if constexpr (kind<T> == TensorKind) {
        if constexpr (HasPlainShape<typename std::decay_t<decltype(x.data)>::value_type>::value) {
            return std::apply([](auto... d) { return std::make_tuple(d...); }, x.dims);
        } else {
            return x.mapped([](const auto& part) { return shape(part); });
        }
    } else if constexpr (HasPlainShape<typename T::value_type>::value) {
        return static_cast<std::int64_t>(x.size());
    } else {
        std::vector<decltype(shape(std::declval<const typename T::value_type&>()))> shapes;
        for (const auto& part : x) shapes.push_back(shape(part));
        return shapes;
    }
}
)"},
    {"zeroOf", {"asSize", "kind"}, {"cstdint", "type_traits", "utility"}, R"(// A zero of type T with the given shape.
template <typename T, typename S>
T zeroOf(const S& shape);
template <typename T, typename S, std::size_t... I>
T zeroOfTuple(const S& shape, std::index_sequence<I...>) {
    return T(zeroOf<std::tuple_element_t<I, T>>(std::get<I>(shape))...);
}
template <typename T, typename S>
T zeroOf(const S& shape) {
    static_cast<void>(shape);
    if constexpr (std::is_same_v<S, std::tuple<>>) {
        return T{};
    } else if constexpr (kind<T> == TupleKind) {
        return zeroOfTuple<T>(shape, std::make_index_sequence<std::tuple_size_v<T>>());
    } else if constexpr (kind<S> == TensorKind) {
        return shape.mapped([](const auto& part) { return zeroOf<std::decay_t<decltype(std::declval<T>().data[0])>>(part); });
    } else if constexpr (kind<S> == VectorKind) {
        T zeros;
        for (const auto& part : shape) zeros.push_back(zeroOf<typename T::value_type>(part));
        return zeros;
    } else if constexpr (kind<T> == TensorKind) {
        T zeros;
        std::apply([&](auto... d) { zeros.resize({d...}); }, shape);
        return zeros;
    } else {
        return T(asSize(shape));
    }
}
)"},
    {"print",
     {"kind"},
     {"iostream", "string"},
     R"(// As ks prints: tuples a,b, vectors [a, b], truth values 0 and 1.
template <typename T>
void print(const T& x) {
    if constexpr (kind<T> == TupleKind) {
        const char* separator = "";
        std::apply([&](const auto&... parts) { ((std::cout << separator, print(parts), separator = ","), ...); }, x);
        static_cast<void>(separator);
    } else if constexpr (kind<T> == VectorKind) {
        const char* separator = "[";
        for (std::size_t i = 0; i < x.size(); ++i) {
            std::cout << separator;
            print<typename T::value_type>(x[i]);
            separator = ", ";
        }
        std::cout << (x.empty() ? "[]" : "]");
    } else if constexpr (kind<T> == TensorKind) {
        print(x.data);
    } else {
        std::cout << x;
    }
}
)"},
    {"hashToUnit", {}, {"cstdint"}, R"(// A fixed random number in [0, 1) for each Integer.
inline double hashToUnit(std::int64_t i) {
    std::uint64_t v = static_cast<std::uint64_t>(i) * 3935559000370003845ULL + 2691343689449507681ULL;
    v ^= v >> 21U;
    v ^= v << 37U;
    v ^= v >> 4U;
    v *= 4768777513237032717ULL;
    v ^= v << 20U;
    v ^= v >> 41U;
    v ^= v << 5U;
    return 5.42101086242752217e-20 * static_cast<double>(v);
}
)"},
};

const Helper* find(const std::string& name) {
    for (const Helper& helper : AllHelpers) {
        if (name == helper.name) return &helper;
    }
    return nullptr;
}

}  // namespace

void Helpers::need(const std::string& name) {
    if (!m_names.insert(name).second) return;
    const Helper* helper = find(name);
    assert(helper != nullptr);
    for (const char* other : helper->needs) {
        if (other != nullptr) need(other);
    }
    for (const char* header : helper->headers) {
        if (header != nullptr) needHeader(header);
    }
}

std::string Helpers::includes() const {
    std::string text;
    for (const std::string& header : m_headers) text += "#include <" + header + ">\n";
    return text;
}

std::string Helpers::definitions() const {
    if (m_names.empty()) return {};
    std::string text = "namespace ks {\n\n";
    for (const Helper& helper : AllHelpers) {
        if (m_names.count(helper.name) > 0) text += std::string(helper.text) + "\n";
    }
    return text + "}  // namespace ks\n";
}

void Helpers::add(const Helpers& other) {
    m_names.insert(other.m_names.begin(), other.m_names.end());
    m_headers.insert(other.m_headers.begin(), other.m_headers.end());
}

}  // namespace mitos::codegen
