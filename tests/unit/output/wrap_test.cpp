// Messages broken between words, with commands in one piece.
#include "output/wrap.h"

#include "support/catch.h"

using ratectl::output::wrap;

TEST_CASE("a message is broken between words and never inside one") {
    CHECK(wrap("one two three", 80, 0, 2) == "one two three");
    CHECK(wrap("one two three", 9, 0, 2) == "one two\n  three");
    CHECK(wrap("one two three", 9, 3, 2) == "one\n  two\n  three");
    CHECK(wrap("a-word-longer-than-the-line b", 10, 0, 2) == "a-word-longer-than-the-line\n  b");
    CHECK(wrap("\u65e5\u672c\u8a9e \u65e5\u672c\u8a9e", 12, 0, 0) == "\u65e5\u672c\u8a9e\n\u65e5\u672c\u8a9e");
    CHECK(wrap("", 10, 0, 2).empty());
    CHECK(wrap("one two", 2, 0, 2) == "one two");
    CHECK(wrap("one two", 0, 0, 0) == "one two");
}

TEST_CASE("a quoted command stays in one piece") {
    CHECK(wrap("say `a b c` now", 9, 0, 0) == "say\n`a b c`\nnow");
    CHECK(wrap("say (`a b c`), now", 11, 0, 0) == "say\n(`a b c`),\nnow");
    CHECK(wrap("the box's 'a b' is", 11, 0, 0) == "the box's\n'a b' is");
    CHECK(wrap("say `a much longer command` now", 12, 0, 0) == "say\n`a much longer command`\nnow");
    CHECK(wrap("say x=`a b` now", 9, 0, 0) == "say\nx=`a b`\nnow");
    CHECK(wrap("an open `quote is no quote", 12, 0, 0) == "an open\n`quote is no\nquote");
}

TEST_CASE("line breaks and the blanks after them stay") {
    CHECK(wrap("three ways:\n  one\n  two", 80, 6, 6) == "three ways:\n  one\n  two");
}
