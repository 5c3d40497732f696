// Key rows.
#include "input/key_rows.h"

#include <string>
#include <vector>

#include "support/base64.h"
#include "support/catch.h"
#include "support/contains.h"
#include "unit/random_source.h"

using namespace ratectl;
using ratectl::test::contains;
using namespace ratectl::input;
using support::from_epoch;

namespace {

std::vector<KeyRow> rows_of(const std::string& text, RowFormat format, char separator = '\n') {
    StringSource source(text, "rows");
    KeyRowReader reader(source, format, separator);
    std::vector<KeyRow> rows;
    while (auto* row = reader.next()) rows.push_back(std::move(*row));
    return rows;
}

std::string rows_error(const std::string& text, RowFormat format) {
    try {
        rows_of(text, format);
    } catch (const support::Failure& failure) {
        CHECK(failure.error().code == support::ExitCode::local_io);
        return failure.error().message;
    }
    return "no error";
}

KeyRow key(std::string bytes, bool exact = false) {
    KeyRow row;
    row.key = std::move(bytes);
    row.key_exact = exact;
    return row;
}

/// Of a look, as its columns show, and no more is said of it.
KeyRow seen_key(std::string bytes, bool exact = false) {
    auto row = key(std::move(bytes), exact);
    row.seen.is_look = true;
    return row;
}

}  // namespace

TEST_CASE("plain keys are one a line and nothing else is read into them") {
    CHECK(rows_of("core:a\n\n{\"key\":1}\n a,b \n", RowFormat::keys) ==
          std::vector<KeyRow>{key("core:a"), key("{\"key\":1}"), key(" a,b ")});
    CHECK(rows_of(std::string("a\nb\0c", 5), RowFormat::keys, '\0') == std::vector<KeyRow>{key("a\nb"), key("c")});
}

TEST_CASE("ndjson rows give key amount and guard and ignore other fields") {
    const auto rows =
        rows_of(R"({"key":"core:ann","used":7,"amount":3,"reset_at":1500,"reset_at_iso":"x","client":"ann"}

{"client":"bob","amount":-2,"key":null}
{"key":"c\u00e4","key_b64":null,"reset_at":null}
{"key":"\\xff","key_b64":"/w=="}
)",
                RowFormat::ndjson);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].key == "core:ann");
    CHECK(rows[0].amount == 3);
    CHECK(rows[0].seen.reset_at == from_epoch(1500));
    CHECK(rows[0].client == "ann");
    CHECK_FALSE(rows[1].key);
    CHECK(rows[1].client == "bob");
    CHECK(rows[1].amount == -2);
    CHECK(rows[2] == seen_key("c\xc3\xa4"));
    CHECK(rows[3] == key("\xff", true));
}

TEST_CASE("a bad ndjson row is refused with its line") {
    const std::vector<std::pair<std::string, std::string>> bad{
        {"[1]", "not a JSON object"},
        {"{", "not a JSON object"},
        {"core:a", "not a JSON object"},
        {"{}", "neither a key nor a client"},
        {R"({"key":7})", "'key' is not a string"},
        {R"({"key":"a","amount":"5"})", "'amount' is not a whole number"},
        {R"({"key":"a","amount":1.0})", "'amount'"},
        {R"({"key":"a","amount":1e3})", "'amount'"},
        {R"({"key":"a","amount":010})", "not a JSON object"},
        {R"({"key":"a","amount":9007199254740992})", "amount '9007199254740992'"},
        {R"({"key":"a","amount":99999999999999999999})", "'amount'"},
        {R"({"key":"a","reset_at":-1})", "reset_at '-1'"},
        {R"({"key":"a","reset_at":true})", "'reset_at'"},
        {R"({"key_b64":"@"})", "key_b64 '@'"},
        {R"({"key":"a","key":"b"})", "'key' occurs twice"},
        {"{\"key\":\"\xff\"}", "not a JSON object"},
        {R"({"key":"\ud800"})", "not a JSON object"}};
    for (const auto& [line, why] : bad) {
        const std::string message = rows_error("{\"key\":\"fine\"}\n" + line + "\n", RowFormat::ndjson);
        CAPTURE(line, message);
        CHECK(message.find("rows, line 2: ") == 0);
        CHECK(message.find(why) != std::string::npos);
    }
    CHECK(rows_of(R"({"key":"a","nested":{"key":"b"}})", RowFormat::ndjson) == std::vector<KeyRow>{key("a")});
}

TEST_CASE("a client's row that names its organisation is refused since its window would be left out") {
    // `org` was a field like any other, and only the client's own windows were looked at or changed.
    const std::string why = "the client has an organisation";
    CHECK(contains(rows_error(R"({"client":"7","org":"acme"})", RowFormat::ndjson), "rows, line 1: " + why));
    CHECK(contains(rows_error(R"([{"client":"7","org":5}])", RowFormat::json), why));
    CHECK(contains(rows_error("client,org\n7,\n8,acme\n", RowFormat::csv), "rows, line 3: " + why));
    CHECK(contains(rows_error("client\torg\n7\tacme\n", RowFormat::tsv), why));
    CHECK(rows_of(R"({"client":"7","org":null})", RowFormat::ndjson).size() == 1);
    CHECK(rows_of(R"({"key":"core:7","client":"7","org":"acme"})", RowFormat::ndjson).size() == 1);
}

TEST_CASE("a row says what was there as far as its fields tell") {
    const std::string ndjson = R"({"key":"a","state":"absent","reset_at":null,"stored_used":null,"stored_reset_at":null}
{"key":"b","state":"corrupt","stored_used":"\\xff","stored_used_b64":"/w==","stored_reset_at":"soon"}
{"key":"c","state":"orphan-counter","used":5}
{"key":"d","class":"orphan-expiry","counter":null,"expiry":"1500"}
{"key":"e","state":"open","reset_at":1500,"stored_used":"5","stored_reset_at":"1500"}
{"key":"f","reset_at":1500,"layout":"window:exp"}
{"key":"g","reset_at":1500,"layout":null}
)";
    const std::string csv =
        "key,state,reset_at,stored_used,stored_used_b64,stored_reset_at,stored_reset_at_b64\na,absent,,,,,\n"
        "b,corrupt,,x,/w==,soon,\nc,corrupt,,\"\",,'-7,\ne,open,1500,5,,1500,\n";
    const auto rows = rows_of(ndjson, RowFormat::ndjson);
    const auto cells = rows_of(csv, RowFormat::csv);
    REQUIRE(rows.size() == 7);
    REQUIRE(cells.size() == 4);
    CHECK(rows[0].seen == SeenWindow{{}, "absent", domain::StoredWindow{}});
    CHECK(rows[1].seen == SeenWindow{{}, "corrupt", domain::StoredWindow{"\xff", "soon", {}}});
    CHECK(rows[2].seen == SeenWindow{{}, "orphan-counter", {}});
    CHECK(rows[3].seen == SeenWindow{{}, "", domain::StoredWindow{std::nullopt, "1500", {}}});
    CHECK(rows[4].seen == SeenWindow{from_epoch(1500), "open", domain::StoredWindow{"5", "1500", {}}});
    CHECK(rows[5].seen == SeenWindow{from_epoch(1500), "", {}, false, "window:exp"});
    CHECK(rows[6].seen == SeenWindow{from_epoch(1500), "", {}});
    CHECK(rows_of("key,layout\na,counter\n", RowFormat::csv).at(0).seen.layout == "counter");
    CHECK(cells[0].seen == rows[0].seen);
    CHECK(cells[1].seen == rows[1].seen);
    CHECK(cells[2].seen == SeenWindow{{}, "corrupt", domain::StoredWindow{"", "-7", {}}});
    CHECK(cells[3].seen == rows[4].seen);
}

TEST_CASE("csv rows are read by the names in their header") {
    const auto rows = rows_of(
        "\xef\xbb\xbfshard,amount,key,key_b64,reset_at,client\r\nalpha,3,core:ann,,1500,ann\r\n\r\nb,,\"a,"
        "\"\"b\"\"\nc\",,,\n,,x,/w==,,\n,,,,,bob\n",
        RowFormat::csv);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].key == "core:ann");
    CHECK(rows[0].amount == 3);
    CHECK(rows[0].seen.reset_at == from_epoch(1500));
    CHECK(rows[0].client == "ann");
    auto placed = key("a,\"b\"\nc");
    placed.seen.is_placed = true;  // and nothing says what was there
    placed.seen.shard = "b";
    CHECK(rows[1] == placed);
    CHECK(rows[2] == seen_key("\xff", true));
    CHECK_FALSE(rows[3].key);
    CHECK(rows[3].client == "bob");
}

TEST_CASE("one guarding apostrophe is taken off again") {
    const auto first_key = [](const std::string& cell) {
        return rows_of("key\n" + cell + "\n", RowFormat::csv).at(0).key;
    };
    CHECK(first_key("'=1+1") == "=1+1");
    CHECK(first_key("'-x") == "-x");
    CHECK(first_key("''@x") == "'@x");
    CHECK(first_key("'x") == "'x");
    CHECK(first_key("'") == "'");
    CHECK(first_key("-x") == "-x");
    CHECK(first_key("\"'\tx\"") == "\tx");
    CHECK(first_key("\"\"").value().empty());
}

TEST_CASE("a bad csv row is refused with its line") {
    const std::vector<std::pair<std::string, std::string>> bad{{"a,b,c", "3 cells under a header of 2"},
                                                               {"a", "1 cells"},
                                                               {"a,x", "amount 'x'"},
                                                               {"a,01", "amount '01'"},
                                                               {"a, 1", "amount ' 1'"},
                                                               {"a,'-1", "amount"},
                                                               {"a\"b,1", "quote in the middle"},
                                                               {"\"a\"b,1", "follows a closing quote"},
                                                               {"\"a,1", "not closed"},
                                                               {",1", "neither a key nor a client"}};
    for (const auto& [line, why] : bad) {
        const std::string message = rows_error("key,amount\n" + line + "\n", RowFormat::csv);
        CAPTURE(line, message);
        CHECK(message.find("rows, line 2: ") == 0);
        CHECK(message.find(why) != std::string::npos);
    }
    CHECK(rows_error("core:a\ncore:b\n", RowFormat::csv).find("line 1: the header names no column") !=
          std::string::npos);
    CHECK(rows_error("key,key\na,b\n", RowFormat::csv).find("occurs twice") != std::string::npos);
    CHECK(rows_of("", RowFormat::csv).empty());
}

TEST_CASE("any bytes written as a quoted cell read back") {
    test::RandomSource random;
    SHOW_SEED(random);
    for (int i = 0; i < 3000; ++i) {
        const std::string bytes =
            random.bytes(random.one_in(2) ? std::string_view{} : std::string_view("a\",\r\n'=-"), 0, 12);
        std::string cell;
        const std::size_t first = bytes.find_first_not_of('\'');
        if (first != std::string::npos && std::string_view("=+-@\t\r").find(bytes[first]) != std::string_view::npos)
            cell += '\'';
        for (const char c : bytes) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
        const auto rows = rows_of("key,amount\n\"" + cell + "\",5\n", RowFormat::csv);
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].key == bytes);
        CHECK(rows[0].amount == 5);
    }
}

TEST_CASE("a quoted cell of many lines costs time in proportion to its length") {
    // A million lines were looked at from the first one anew with each of them: half a million megabytes.
    const std::string cell(500'000, '\n');
    const auto rows = rows_of("key,amount\n\"" + cell + "\",5\n\"a\n\"\"b\"\"\n\",6\n", RowFormat::csv);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].key == cell);
    CHECK(rows[1].key == "a\n\"b\"\n");
    CHECK(rows_error("key\n\"a\nb\"c\n", RowFormat::csv).find("follows a closing quote") != std::string::npos);
    CHECK(rows_error("key\n\"a\nb\n", RowFormat::csv).find("not closed") != std::string::npos);
}

TEST_CASE("the words of the input flag name the formats") {
    CHECK(row_format_from("keys") == RowFormat::keys);
    CHECK(row_format_from("ndjson") == RowFormat::ndjson);
    CHECK(row_format_from("csv") == RowFormat::csv);
    CHECK(row_format_from("tsv") == RowFormat::tsv);
    CHECK(row_format_from("json") == RowFormat::json);
    CHECK_FALSE(row_format_from("table"));
}

TEST_CASE("tsv rows are read by their header and their text is still escaped") {
    const auto rows = rows_of("key\tkey_b64\tamount\tclient\n\ncore:a\\tb\t\t3\tann\r\nx\t/w==\t\t\n", RowFormat::tsv);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].key == "core:a\\tb");
    CHECK(rows[0].escaped);
    CHECK(rows[0].amount == 3);
    CHECK(rows[0].client == "ann");
    CHECK(rows[1].key == "\xff");
    CHECK(rows[1].key_exact);
    CHECK(rows_error("key\tused\na\n", RowFormat::tsv) == "rows, line 2: 1 cells under a header of 2");
}

TEST_CASE("a json document gives its rows however it is laid out") {
    const std::vector<KeyRow> wanted{key("core:a}"), seen_key("core:\"b\"[")};
    const std::string a = R"({"key":"core:a}","nested":{"rows":[{"key":"no"}]}})";
    const std::string b = "{\n \"used\" : 3 ,\n \"key\":\"core:\\\"b\\\"[\"}";
    const std::string failures = R"("failures":[{"shard":"s","message":"key]}"}],"complete":false)";
    for (const std::string& text : {R"({"schema":"rows","rows":[)" + a + "," + b + "]," + failures + "}\n",
                                    "{" + failures + ",\"rows\" : [\n" + a + ",\n" + b + "\n]\n}",
                                    "[" + a + "," + b + "]", a + "\n" + b + "\n", "\xef\xbb\xbf" + a + b}) {
        CAPTURE(text);
        CHECK(rows_of(text, RowFormat::json) == wanted);
    }
    for (const std::string& text :
         {R"({"schema":"rows","rows":[],)" + failures + "}", std::string("[]"), std::string()}) {
        CHECK(rows_of(text, RowFormat::json).empty());
    }
}

TEST_CASE("a json document that is cut or holds no rows is refused with its line") {
    for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
             {"{\"rows\":[\n{\"key\":\"a\"},\n{\"key\":\"b", "line 3: the JSON breaks off"},
             {"{\"rows\":[\n{\"key\":\"a\"}", "line 2: the JSON breaks off"},
             {"[\"core:a\"]", "line 1: this is not JSON with rows in it"},
             {"[1]", "this is not JSON with rows"},
             {"[[]]", "this is not JSON with rows"},
             {"{\"key\":\"a\"}]", "this is not JSON with rows"},
             {"[{\"key\":\"a\"},\n{\"used\":1}]", "line 2: there is neither a key nor a client"},
             {"[{\"key\" \"a\"}]", "line 1: this is not a JSON object"},
             {"{\"resources\":{\"core\":{\"limit\":1}}}", "neither a key nor a client"}}) {
        CAPTURE(text);
        CHECK(rows_error(text, RowFormat::json).find(why) != std::string::npos);
    }
}

TEST_CASE("a text of lines has no NUL in it and may begin with a byte order mark") {
    CHECK(rows_error(std::string("a\nb\0c\n", 6), RowFormat::keys).find("line 2: there is a NUL byte") !=
          std::string::npos);
    CHECK(rows_of("\xef\xbb\xbf"
                  "core:a\ncore:b\n",
                  RowFormat::keys) == std::vector<KeyRow>{key("core:a"), key("core:b")});
}

TEST_CASE("the format of rows is seen in their first line") {
    for (const char* line : {"{\"schema\":\"ratectl.windows.v1\",\"rows\":[", "{\"schema\": \"x\", \"rows\": []}", "{",
                             "[", "[]", "{\n  \"key\": 1", "[{\"key\":\"a\"}]", "{ \"key\": \"a\","}) {
        CAPTURE(line);
        CHECK(recognise_rows(line) == RowFormat::json);
    }
    CHECK(recognise_rows("{\"key\":\"a\"}\n") == RowFormat::ndjson);
    CHECK(recognise_rows("\r\n{ \"key\": \"a\"}\r\n") == RowFormat::ndjson);
    for (const char* line : {"key,key_b64,used\n", "shard,client", "\xef\xbb\xbfkey\r\n", "\"used\",\"key\""}) {
        CAPTURE(line);
        CHECK(recognise_rows(line) == RowFormat::csv);
    }
    CHECK(recognise_rows("used\tkey\tkey_b64\n") == RowFormat::tsv);
    for (const char* line : {"KEY          STATE      USED\n", "SHARD  KEY\n", "KEY\n"}) {
        CAPTURE(line);
        CHECK_FALSE(recognise_rows(line));
    }
    for (const char* line : {"", "\n", "core:a", "{user}:a", "[::1]", "core:a,b", "keys", "a KEY"}) {
        CAPTURE(line);
        CHECK(recognise_rows(line) == RowFormat::keys);
    }
}

TEST_CASE("a line that is surely no key is told from one that may be") {
    for (const char* line : {"core:a", "{user}:a", "a b", " a", "a, b", "core:75.97.9.59", "  padded", "ends  "}) {
        CAPTURE(line);
        CHECK(seen_instead_of_key(line).empty());
    }
    CHECK(seen_instead_of_key("core:a,,3") == "a row of csv");
    CHECK(seen_instead_of_key("core:a\t\t3") == "a row of tsv");
    CHECK(seen_instead_of_key("core:a  open  3") == "a line of a table");
    CHECK(seen_instead_of_key("{\"key\":\"a\"}") == "a row of ndjson");
    // What ratectl prints without a header was read back as other keys.
    for (const char* line : {"core:2,", "\"core:a,b\",", "core:2,,", "core:\\xff,Y29yZTr/", "core:\\xff,Y29yZTr/,7"}) {
        CAPTURE(line);
        CHECK(seen_instead_of_key(line) == "a row of csv");
    }
    for (const char* line : {"Key,Used", "key;used", "\"CLIENT\";\"USED\"", "Shard\tKey", "used,KEY_B64"}) {
        CAPTURE(line);
        CHECK(seen_instead_of_key(line) == "a header of csv or tsv");
    }
    for (const char* line : {"core:a,b", "core:a;b", "core:\\xff", "a\\b,c d"}) {
        CAPTURE(line);
        CHECK(seen_instead_of_key(line).empty());
    }
}

TEST_CASE("a plain name is not searched for rows and none of those has anything in it") {
    for (const char* line : {"core:a", "{core:75.97.9.59}", "{user}:a:exp", "a{b", "{"}) {
        CAPTURE(line);
        CHECK(is_plain_name(line));
        CHECK(seen_instead_of_key(line).empty());
        CHECK(seen_around_key(line).empty());
    }
    for (const char* line :
         {"{\"key\":\"a\"}", "core:a,,3", "core:a  open  3", "Key", "[\"core:1\"]", "<xml/>", "core:\\xff", "a\r"}) {
        CAPTURE(line);
        CHECK_FALSE(is_plain_name(line));
    }
}

TEST_CASE("what stands around keys in JSON, markup and answers of redis-cli is seen") {
    for (const char* line : {"\"core:1\"", "'core:1'", "\"\""}) CHECK(seen_around_key(line) == "a quoted text");
    for (const char* line : {"[\"core:1\"]", "[ \"core:1\", \"core:2\" ]", "[\"core:1\","})
        CHECK(seen_around_key(line) == "JSON");
    for (const char* line : {"<xml/>", "<?xml version='1.0'?>", "</a>", "<!doctype html>"})
        CHECK(seen_around_key(line) == "markup");
    CHECK(seen_around_key("12) \"core:1\"") == "an answer of redis-cli");
    for (const char* line : {"", "\"", "[::1]", "[a]", "<", "<1", "core:\"a\"", "1) a", "12", "\"a\":b"}) {
        CAPTURE(line);
        CHECK(seen_around_key(line).empty());
    }
}
