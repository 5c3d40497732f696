// The paths that the build knows.
#include "support/places.h"

namespace ratectl::test {

std::string source_dir() { return RATECTL_SOURCE_DIR; }

std::string test_data() { return RATECTL_TEST_DATA; }

}  // namespace ratectl::test
