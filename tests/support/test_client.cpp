// The one check that every deadline test makes.
#include "support/test_client.h"

#include "support/catch.h"
#include "support/patience.h"

namespace ratectl::test {

WithinDeadline::~WithinDeadline() { CHECK(std::chrono::steady_clock::now() <= latest_ + kPatience); }

}  // namespace ratectl::test
