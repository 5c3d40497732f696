// What is put aside comes back, and nothing is left of it.
#include "support/temporary_file.h"

#include <algorithm>
#include <string>

#include "support/catch.h"
#include "support/error.h"
#include "unit/random_source.h"

using namespace ratectl;
using support::TemporaryFile;

TEST_CASE("a temporary file gives back what was put into it, in pieces of any size") {
    test::RandomSource random;
    SHOW_SEED(random);
    TemporaryFile file("/tmp", "a test", "");
    std::string whole;
    for (int i = 0; i < 200; ++i) {
        const std::string piece = random.bytes("abc", 0, 5000);
        file.append(piece);
        whole += piece;
    }
    file.flush();
    CHECK(file.length() == whole.size());
    TemporaryFile::Reader reader(file, {100, file.length() - 100}, 1000);
    std::string read;
    while (reader.left() > 0) {
        const auto size = static_cast<std::size_t>(random.number(1, 3000));
        const auto piece = reader.take(size);
        CHECK(piece.size() == std::min(size, whole.size() - 100 - read.size()));
        read += piece;
    }
    CHECK(read == whole.substr(100));
    CHECK(reader.take(1).empty());
}

TEST_CASE("a folder that takes no temporary file is named with what was to be kept") {
    TemporaryFile file("/nowhere/at/all", "the list of keys", "TMPDIR names another folder");
    file.append("x");
    try {
        file.flush();
        FAIL("it was kept");
    } catch (const support::Failure& failure) {
        CHECK(failure.error().message ==
              "cannot keep the list of keys in a temporary file in '/nowhere/at/all': No such file or directory");
        CHECK(failure.error().hint == "TMPDIR names another folder");
    }
}
