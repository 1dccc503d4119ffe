// SPDX-License-Identifier: GPL-3.0-or-later
// One test program a folder: each tst_*.cpp says with MITOS_TEST which class it tests with, and the program's main, written
// by CMake (mitos_tests in resources/cmake/MitosTargets.cmake), knows them all by the names of their files.
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

/// In tst_FILE.cpp, at global scope, where the main function would stand: MITOS_TEST(tst_FILE, TheTestClass)
#define MITOS_TEST(FILE, CLASS)             \
    std::unique_ptr<QObject> make_##FILE(); \
    std::unique_ptr<QObject> make_##FILE() { return std::make_unique<CLASS>(); }
