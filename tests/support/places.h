// Where the sources under test and the tests' data stand: absolute paths, known to one object only, so that every other
// is the same in any clone.
#pragma once

#include <string>

namespace ratectl::test {

/// The project's folder.
std::string source_dir();
/// tests/data.
std::string test_data();

}  // namespace ratectl::test
