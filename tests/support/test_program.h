// SPDX-License-Identifier: GPL-3.0-or-later
// One test program a folder. All that a tst_*.cpp defines is in a namespace with the file's name, because the build compiles several of
// them together; MITOS_TEST names the class that the file tests with. The program's main, written by CMake (mitos_tests in
// resources/cmake/MitosTargets.cmake), calls the classes by the names of their files.
#pragma once

#include <QObject>
#include <memory>
#include <span>

namespace mitos::tests {

/// A test class by the name of its file without ending, as ctest calls it.
struct TestClass {
    const char* name;
    std::unique_ptr<QObject> (*make)();
};

/// Runs the class that the first argument names, with the other arguments, or all of them with all arguments if the first
/// is no name of a class. Returns the number of failed tests, at most 127.
[[nodiscard]] int runTests(std::span<const TestClass> classes, int argc, char** argv);

}  // namespace mitos::tests

/// At the end of the file's namespace: MITOS_TEST(TheTestClass)
#define MITOS_TEST(CLASS)            \
    std::unique_ptr<QObject> make(); \
    std::unique_ptr<QObject> make() { return std::make_unique<CLASS>(); }
