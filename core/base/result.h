// SPDX-License-Identifier: GPL-3.0-or-later
// Result<T>: a value or an Error. Every failure that a user can cause is returned this way; exceptions stay inside a module.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mitos {

enum class ErrorCode {
    InvalidInput,  ///< an invalid value or argument
    Parse,         ///< text that does not follow its grammar, or does not type-check
    Unsupported,   ///< valid, but not supported by this build
    Io,            ///< access to a file or a child process failed
    Incompatible,  ///< written by another version, or for another program
    Limit,         ///< a step, memory, depth or time limit was reached
    Evaluation,    ///< a program failed while running (index out of range, assertion, …)
    Cancelled,     ///< the user stopped it
};

/// Name of the code as it appears in JSON output, e.g. "parse".
[[nodiscard]] const char* toString(ErrorCode code);

/// A place in a text: 1-based line and column (columns count Unicode code points), and the line itself.
struct SourcePlace {
    std::string file;
    int line = 0;
    int column = 0;
    std::string lineText;
};

/// An error: what went wrong, where, and what the user can do about it.
struct Error {
    ErrorCode code = ErrorCode::InvalidInput;
    std::string message;  ///< one sentence in the user's terms: what was found, what was expected
    std::optional<SourcePlace> place = std::nullopt;  ///< where in a text, if the error is about a text
    std::string hint = {};                            ///< what to do next; may be empty
    std::vector<Error> others = {};  ///< further errors of the same run (parsers recover), in source order

    /// Several lines: `file:line:column: error: message`, the line with a caret, the hint, then the others (at most 20).
    [[nodiscard]] std::string render() const;
    /// One line without caret: `file:line:column: message`.
    [[nodiscard]] std::string oneLine() const;
};

/// An error of code InvalidInput: `message` says why the request is invalid, `hint` what to do.
[[nodiscard]] Error inputError(std::string message, std::string hint);

template <typename T>
class [[nodiscard]] Result {
public:
    using Value = T;

    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] const T& value() const& {
        assert(ok());
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] T& value() & {
        assert(ok());
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] T&& value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&m_state));
    }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    [[nodiscard]] const Error& error() const& {
        assert(!ok());
        return *std::get_if<1>(&m_state);
    }
    [[nodiscard]] Error&& error() && {
        assert(!ok());
        return std::move(*std::get_if<1>(&m_state));
    }

    /// Applies f to the value, or passes the error on.
    template <typename F>
    [[nodiscard]] auto map(F&& f) const& -> Result<std::invoke_result_t<F, const T&>> {
        if (!ok()) return error();
        return std::forward<F>(f)(value());
    }
    /// Like map, for an f that returns a Result.
    template <typename F>
    [[nodiscard]] auto andThen(F&& f) const& -> std::invoke_result_t<F, const T&> {
        if (!ok()) return error();
        return std::forward<F>(f)(value());
    }

private:
    std::variant<T, Error> m_state;
};

/// The value of a Result without a payload: `return Success{};`
struct Success {};
using Status = Result<Success>;

}  // namespace mitos

/// `MITOS_TRY(const T name, expression);` declares the value of a Result (or assigns it: `MITOS_TRY(name, expression);`), or returns its
/// error from the function. It is two statements, so it stands in braces after an `if`.
#define MITOS_TRY(declaration, ...) MITOS_TRY_INTO(MITOS_NAME_OF_LINE(__LINE__), declaration, __VA_ARGS__)
#define MITOS_TRY_INTO(result, declaration, ...)        \
    auto result = __VA_ARGS__;                          \
    if (!result.ok()) return std::move(result).error(); \
    declaration = *std::move(result)

/// `MITOS_REQUIRE(expression);` returns the error of a Result, a Status above all, from the function.
#define MITOS_REQUIRE(...) MITOS_REQUIRE_OF(MITOS_NAME_OF_LINE(__LINE__), __VA_ARGS__)
#define MITOS_REQUIRE_OF(result, ...) \
    if (auto result = __VA_ARGS__; !result.ok()) return std::move(result).error()

#define MITOS_NAME_OF_LINE(line) MITOS_JOINED(resultOfLine, line)
#define MITOS_JOINED(name, line) name##line
