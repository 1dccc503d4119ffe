// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <string_view>
#include <vector>

namespace mitos::tests {

int runTests(const std::span<const TestClass> classes, const int argc, char** const argv) {
    std::vector<char*> arguments(argv, argv + argc);
    const auto named =
        argc < 2 ? classes.end() : std::ranges::find(classes, std::string_view(argv[1]), &TestClass::name);
    if (named != classes.end()) arguments.erase(arguments.begin() + 1);

    int failed = 0;
    for (const TestClass& testClass : classes) {
        if (named != classes.end() && &testClass != &*named) continue;
        const std::unique_ptr<QObject> test = testClass.make();
        failed += QTest::qExec(test.get(), static_cast<int>(arguments.size()), arguments.data());
    }
    return std::min(failed, 127);
}

}  // namespace mitos::tests
