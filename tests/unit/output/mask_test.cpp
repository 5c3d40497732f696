// What a mask changes, and what it leaves alone.
#include "output/mask.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "support/quote.h"

using namespace ratectl;
using namespace ratectl::output;

namespace {

/// Hides what follows `key:`.
class KeyMask final : public Mask {
public:
    explicit KeyMask(bool hides = true) : hides_(hides) {}
    bool hides() const override { return hides_; }
    std::string key(std::string_view key) const override {
        return key.starts_with("key:") ? "key:###" : std::string(key);
    }

private:
    bool hides_;
};

std::string shown(const std::string& text) {
    const KeyMask mask;
    return masked(&mask, text);
}

}  // namespace

TEST_CASE("a key between quotes is hidden wherever it stands in a message") {
    CHECK(shown("key 'key:tok' is gone") == "key 'key:###' is gone");
    CHECK(shown("'key:tok'") == "'key:###'");
    CHECK(shown("'key:a' is not 'key:b', nor 'open:c'") == "'key:###' is not 'key:###', nor 'open:c'");
    CHECK(shown("don't: shard 'key:o'neil': no") == "don't: shard 'key:###': no");
    CHECK(shown("shard 'alpha' (key 'key:x').") == "shard 'alpha' (key 'key:###').");
    for (const std::string text : {"", "'", "''", "no quotes", "'alpha' and 'beta'", "it's 'one", "x 'key:tok"})
        CHECK(shown(text) == text);
}

TEST_CASE("a key that holds quotes itself is hidden to its end") {
    CHECK(shown("key 'key:a' SECRET:exp' ends in ':exp'") == "key 'key:###' ends in ':exp'");
    CHECK(shown("key 'key:a', SECRET' is gone") == "key 'key:###' is gone");
    CHECK(shown("key 'key:a' 'SECRET' is gone") == "key 'key:###' is gone");
    CHECK(shown("'key:a' isn't on 'alpha', but 'key:b' is") == "'key:###' isn't on 'alpha', but 'key:###' is");
    CHECK(shown("keys 'key:a', 'key:b'") == "keys 'key:###', 'key:###'");
}

TEST_CASE("a quoted key is hidden to its end whatever it holds") {
    const std::string far(2000, 'x');
    const std::vector<std::string> rests{"' SECRET 'x",   "' is gone, SECRET 'x'", "'", "''", "' '",
                                         "SECRET'' x ''", "' " + far + "' SECRET", far};
    for (const std::string& rest : rests) {
        const std::string key = "key:a" + rest;
        const std::string text = shown("key " + support::quoted(key) + " is on 'alpha'");
        INFO(text);
        CHECK(text.find("SECRET") == std::string::npos);
        CHECK(text.find("xxx") == std::string::npos);
        CHECK(text.starts_with("key '"));
        if (key.size() < 1000) CHECK(text == "key 'key:###' is on 'alpha'");
    }
    CHECK(shown("key " + support::quoted("open:o'neil' x 'y") + " is gone") == "key 'open:o''neil'' x ''y' is gone");
}

TEST_CASE("a text full of quotes is masked in time that grows with its length alone") {
    CHECK(shown("key 'key:" + std::string(200'000, '\'') + ":exp' ends") == "key '(hidden: too long)' ends");
    std::string blocks;
    for (int i = 0; i < 400; ++i) blocks += std::string(1'000, '\'') + "a";
    CHECK(shown("key 'key:" + blocks + "' ends") == "key '(hidden: too long)' ends");
    std::string opens;
    for (int i = 0; i < 40'000; ++i) opens += " 'a";
    CHECK(shown(opens) == opens);
    std::string doubles;
    for (int i = 0; i < 20'000; ++i) doubles += " 'a'' ";
    CHECK(shown(doubles) == doubles);
}

TEST_CASE("a mask that hides nothing changes nothing") {
    const KeyMask mask(false);
    CHECK(masked(&mask, "key 'key:tok'") == "key 'key:tok'");
    CHECK(masked(nullptr, "key 'key:tok'") == "key 'key:tok'");
}

TEST_CASE("cells of keys and sentences are masked in every format") {
    for (const char* format : {"table", "wide", "json", "ndjson", "csv", "tsv", "name"}) {
        CAPTURE(format);
        SinkOptions options;
        options.format = support::value_or_throw(parse_format(format));
        options.mask = std::make_shared<KeyMask>();
        StringSink out;
        const auto sink = make_row_sink(options,
                                        {{"key", CellType::key, "KEY", "", Column::Shown::table},
                                         {"why", CellType::text, "WHY", "", Column::Shown::table},
                                         {"message", CellType::bytes, "MESSAGE", "", Column::Shown::table}},
                                        out);
        sink->row(Row{BytesView{"key:tok"}, TextView{"key 'key:tok' is gone"}, BytesView{"'key:tok' is protected"}});
        sink->row(Row{BytesView{"open:ann"}, Null{}, Null{}});
        sink->end({{{"alpha", "", 4, "key 'key:tok' failed", "see 'key:tok'"}}, false});
        CHECK(out.text.find("tok") == std::string::npos);
        CHECK(out.text.find("key:###") != std::string::npos);
        CHECK(out.text.find("open:ann") != std::string::npos);
    }
}
