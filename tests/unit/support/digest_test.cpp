// Digests as md5sum, sha1sum and sha256sum print them.
#include "support/digest.h"

#include <string>

#include "support/catch.h"

using namespace ratectl::support;

TEST_CASE("digests are those of the standards") {
    CHECK(to_hex(md5("")) == "d41d8cd98f00b204e9800998ecf8427e");
    CHECK(to_hex(md5("alice")) == "6384e2b2184bcbf58eccf10ca7a6563c");
    CHECK(to_hex(sha1("alice")) == "522b276a356bdf39013dfabea2cd43e141ecc9e8");
    CHECK(to_hex(sha256("alice")) == "2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90");
    CHECK(to_hex(sha256(std::string(1000, 'a'))) == "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}
