// printable(): nothing gets through that could move a cursor, hide or reorder text, and every byte comes back.
#include "output/printable.h"

#include <random>

#include "support/catch.h"

using namespace ratectl::output;

TEST_CASE("printable leaves ordinary text of any script alone") {
    for (const std::string text :
         {"core:alice", "", "a b", "\u00e9\u00df", "\u65e5\u672c\u8a9e", "e\u0301", "\U0001F600"}) {
        CHECK(printable(text) == text);
        CHECK(is_plain(text));
    }
}

TEST_CASE("every byte is plain or not wherever it stands among bytes that are") {
    for (std::size_t length = 1; length <= 17; ++length) {
        for (std::size_t at = 0; at < length; ++at) {
            for (int value = 0; value < 256; ++value) {
                std::string text(length, '~');
                text[at] = static_cast<char>(value);
                if (at > 0) text[at - 1] = ' ';
                const bool plain = value >= 0x20 && value < 0x7f && value != '\\';
                if (is_plain(text) != plain || is_valid_utf8(text) != (value < 0x80))
                    FAIL(length << ' ' << at << ' ' << value);
            }
        }
    }
    SUCCEED();
}

TEST_CASE("printable shows controls as escapes") {
    CHECK(printable("a\nb\rc\td") == "a\\nb\\rc\\td");
    CHECK(printable(std::string("\0\x1b[31m\x7f", 7)) == "\\x00\\x1b[31m\\x7f");
    CHECK(printable("back\\slash") == "back\\\\slash");
    CHECK(printable("\xc2\x9b") == "\\u{009b}");  // C1 CSI as a code point
    CHECK(printable("\x9b") == "\\x9b");          // and as a bare byte
}

TEST_CASE("printable shows bidi controls and invisible characters as escapes") {
    CHECK(printable("a\u202eb") == "a\\u{202e}b");
    CHECK(printable("\u2066x\u2069") == "\\u{2066}x\\u{2069}");
    CHECK(printable("\u200b\u200d\ufeff\u00ad") == "\\u{200b}\\u{200d}\\u{feff}\\u{00ad}");
    CHECK(printable("\u2028\u2029") == "\\u{2028}\\u{2029}");
    CHECK(printable("\ufffe\U0001FFFF") == "\\u{fffe}\\u{1ffff}");
    CHECK(printable("\U000E0041\u3164") == "\\u{e0041}\\u{3164}");
}

TEST_CASE("printable shows bytes that are no UTF-8 as escapes") {
    CHECK(printable("\xff\xfe") == "\\xff\\xfe");
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong slash
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // surrogate
    CHECK(printable("ab\xe2\x82") == "ab\\xe2\\x82");       // cut short
    CHECK_FALSE(is_valid_utf8("\xf4\x90\x80\x80"));
    CHECK(is_valid_utf8("\u20ac\x1b"));
}

TEST_CASE("printable lines keep line breaks and nothing else") {
    CHECK(printable_lines("one\ntwo\x1b\ttab") == "one\ntwo\\x1b\\ttab");
}

TEST_CASE("unprintable gives back any bytes that printable wrote") {
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::string bytes;
        const auto length = random() % 12;
        for (std::size_t i = 0; i < length; ++i) {
            bytes += round % 2 == 0 ? static_cast<char>(random() % 256) : "\\xu{}\n\x1b\xe2\x80\xae"[random() % 10];
        }
        const std::string text = printable(bytes);
        CHECK(is_plain(text) == (text.find('\\') == std::string::npos));
        for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
        const auto back = unprintable(text);
        REQUIRE(back);
        CHECK(*back == bytes);
    }
}

TEST_CASE("unprintable refuses text that printable never writes") {
    for (const std::string text :
         {"\\", "\\q", "\\x", "\\x4", "\\x41", "\\xZZ", "\\u{41}", "\\u{0041}", "\\u{}", "\\u{110000}", "\\u{d800}",
          "\\u{202E}", "\\u202e", "a\nb", "\\u{00202e}", "\xff", "\\x1B"}) {
        INFO(printable(text));
        CHECK_FALSE(unprintable(text));
    }
    CHECK(unprintable("\\\\x41") == "\\x41");
}

TEST_CASE("wide characters count two columns and combining marks none") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("\u65e5\u672c") == 4);
    CHECK(display_width("e\u0301") == 1);
    CHECK(display_width("") == 0);
}

TEST_CASE("long text loses its middle and fits") {
    CHECK(elide_middle("abcdefghij", 10) == "abcdefghij");
    CHECK(elide_middle("abcdefghij", 7) == "abc\u2026hij");
    CHECK(elide_middle("abcdefghij", 7, true) == "ab...ij");
    CHECK(elide_middle("abcdefghij", 1) == "a");
    CHECK(elide_middle("abcdefghij", 0).empty());
    for (std::size_t columns = 0; columns < 12; ++columns) {
        CHECK(display_width(elide_middle("\u65e5\u672c\u8a9e\u65e5e\u0301x", columns)) <= columns);
        CHECK(is_valid_utf8(elide_middle("\u65e5\u672c\u8a9e\u65e5e\u0301x", columns)));
    }
}

TEST_CASE("a terminal that knows only ASCII gets other characters as escapes") {
    CHECK(printable_ascii("core:alice\\") == "core:alice\\\\");
    CHECK(printable_ascii("m\u00fcller \u65e5\x9b\n") == "m\\u{00fc}ller \\u{65e5}\\x9b\\n");
    CHECK(unprintable(printable("\u00fc")) == "\u00fc");
}

TEST_CASE("text is cut where its columns end and never inside a character") {
    CHECK(cut_to_width("abcdef", 4) == "abcd");
    CHECK(cut_to_width("abc", 4) == "abc");
    CHECK(cut_to_width("\u65e5\u672c\u8a9e", 5) == "\u65e5\u672c");
    CHECK(cut_to_width("abc", 0).empty());
}

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
    CHECK(wrap("back: ratectl undo 01", 14, 0, 0) == "back:\nratectl undo 01");
    CHECK(wrap("back: ratectl undo 01, ratectl undo 02", 16, 0, 0) == "back:\nratectl undo 01,\nratectl undo 02");
    CHECK(wrap("how ratectl reads it", 12, 0, 0) == "how ratectl\nreads it");
    CHECK(wrap("the box's 'a b' is", 11, 0, 0) == "the box's\n'a b' is");
    CHECK(wrap("say `a much longer command` now", 12, 0, 0) == "say\n`a much longer command`\nnow");
    CHECK(wrap("say x=`a b` now", 9, 0, 0) == "say\nx=`a b`\nnow");
    CHECK(wrap("an open `quote is no quote", 12, 0, 0) == "an open\n`quote is no\nquote");
}

TEST_CASE("line breaks and the blanks after them stay") {
    CHECK(wrap("three ways:\n  one\n  two", 80, 6, 6) == "three ways:\n  one\n  two");
}
