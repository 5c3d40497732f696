// Lines.
#include "input/line_reader.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "unit/input/sources.h"
#include "unit/random_source.h"

using namespace ratectl;
using namespace ratectl::input;

namespace {

std::vector<std::string> lines_of(ByteSource& source, char separator = '\n') {
    LineReader reader(source, separator);
    std::vector<std::string> lines;
    while (const auto line = reader.next()) {
        lines.emplace_back(*line);
        CHECK(reader.line() == lines.size());
    }
    CHECK_FALSE(reader.next());
    return lines;
}

std::vector<std::string> lines_of(const std::string& text, char separator = '\n') {
    StringSource source(text);
    return lines_of(source, separator);
}

}  // namespace

TEST_CASE("lines come without their separator and the last needs none") {
    using Lines = std::vector<std::string>;
    CHECK(lines_of("").empty());
    CHECK(lines_of("a") == Lines{"a"});
    CHECK(lines_of("a\n") == Lines{"a"});
    CHECK(lines_of("a\n\nb\r\n") == Lines{"a", "", "b\r"});
    CHECK(lines_of("\n") == Lines{""});
    CHECK(lines_of(std::string("a\nb\0c\0", 6), '\0') == Lines{"a\nb", "c"});
}

TEST_CASE("lines do not depend on how the bytes arrive") {
    test::RandomSource random;
    SHOW_SEED(random);
    for (int i = 0; i < 300; ++i) {
        std::string text;
        std::vector<std::string> expected;
        for (auto n = random.number(0, 30); n > 0; --n) {
            expected.push_back(random.bytes("ab\r", 0, random.one_in(10) ? 3000 : 20));
            text += expected.back() + "\n";
        }
        test::DrippingSource source(text, static_cast<std::size_t>(random.number(1, 500)));
        CHECK(lines_of(source) == expected);
    }
}

TEST_CASE("a line over the limit is an error that names it") {
    StringSource fits("ab\nabcde\nabcde", "keys.txt");
    LineReader reader(fits, '\n', 5);
    CHECK(reader.next() == "ab");
    CHECK(reader.next() == "abcde");
    CHECK(reader.next() == "abcde");
    StringSource endless("ab\n" + std::string(1'000'000, 'x'), "keys.txt");
    LineReader limited(endless, '\n', 5);
    CHECK(limited.next() == "ab");
    try {
        limited.next();
        FAIL("the line was returned");
    } catch (const support::Failure& failure) {
        CHECK(failure.error() ==
              support::Error{support::ExitCode::local_io, "keys.txt: line 2 is longer than 5 bytes", ""});
    }
}

TEST_CASE("a reader is ready while it has whole lines or its source has bytes") {
    class WaitingSource final : public ByteSource {
    public:
        std::size_t read(std::span<char> buffer) override {
            return std::string("a\nb\npart").copy(buffer.data(), buffer.size());
        }
        bool ready() override { return false; }
        const std::string& name() const override { return name_; }
        std::string name_ = "waiting";
    };
    WaitingSource source;
    LineReader reader(source);
    CHECK_FALSE(reader.ready());
    CHECK(reader.next() == "a");
    CHECK(reader.ready());
    CHECK(reader.next() == "b");
    CHECK_FALSE(reader.ready());
}
