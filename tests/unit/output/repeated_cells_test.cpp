// Rows made from the rows before them: whatever is said to be the same, the bytes are those of a row written afresh.
#include <charconv>
#include <random>
#include <string>

#include "output/field.h"
#include "output/formats/cell_stamp.h"
#include "output/formats/json_row.h"
#include "output/formats/machine_text.h"
#include "output/row_sink.h"
#include "support/catch.h"

using namespace ratectl;
using namespace ratectl::output;

namespace {

struct Thing {
    std::string name;
    std::int64_t count = 0;
    std::optional<double> share;
    support::Instant at{};
    std::string place;  // a fact of its own
};

constexpr unsigned kPlace = 1;

const std::vector<Field<Thing>>& fields() {
    static const std::vector<Field<Thing>> all{
        {{"name", CellType::key, "NAME", "a key"}, [](const Thing& t) -> Cell { return BytesView{t.name}; }},
        {{"place", CellType::text, "PLACE", "a text"},
         [](const Thing& t) -> Cell { return TextView{t.place}; },
         kPlace},
        {{"count", CellType::integer, "COUNT", "a number"}, [](const Thing& t) -> Cell { return t.count; }},
        {{"share", CellType::number, "SHARE", "a share"},
         [](const Thing& t) -> Cell { return t.share ? Cell{*t.share} : Cell{Null{}}; }},
        {{"at", CellType::time, "AT", "a time"}, [](const Thing& t) -> Cell { return t.at; }},
        {{"odd", CellType::boolean, "ODD", "a truth"}, [](const Thing& t) -> Cell { return t.count % 2 != 0; }},
        {{"word", CellType::word, "WORD", "a word"},
         [](const Thing& t) -> Cell { return t.count > 2 ? Cell{Word{"many"}} : Cell{Word{"few"}}; }},
        {{"owned", CellType::text, "OWNED", "a text of its own"},
         [](const Thing& t) -> Cell { return Text{"so " + t.name}; }},
        {{"there", CellType::bytes, "THERE", "what the thing itself has of its place"},
         [](const Thing& t) -> Cell { return BytesView{t.place}; },
         kPlace,
         true},
    };
    return all;
}

/// Many rows through one sink of the format, with what is known of each beforehand; and each through a sink of its own.
std::pair<std::string, std::string> written_both_ways(Format format) {
    SinkOptions options;
    options.format = format;
    options.header = false;
    const auto columns = columns_of(std::span<const Field<Thing>>(fields()));
    StringSink together;
    StringSink apart;
    const auto sink = make_row_sink(options, columns, together);
    RowFiller<Thing> filler;
    Row row;
    Thing thing;  // one storage for all, as the pages of a sweep have it
    thing.place = "here";
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        const auto one_in = [&random](unsigned n) { return random() % n == 0; };
        unsigned known = kPlace;
        if (one_in(2)) thing.name = one_in(9) ? "k\xff" : "key" + std::to_string(random() % 5);
        if (one_in(2)) thing.count = static_cast<std::int64_t>(random() % 5);
        if (one_in(3))
            thing.share = one_in(4) ? std::nullopt : std::optional{static_cast<double>(random() % 300) / 100};
        if (one_in(5)) thing.at = support::from_epoch(static_cast<std::int64_t>(random() % 4'000'000'000U));
        if (one_in(7)) {
            thing.place = "place" + std::to_string(random() % 1000);
            known = 0;
        }
        const std::uint64_t same = filler.fill(fields(), thing, i == 0 ? 0 : known, row);
        sink->row(row, same);
        Row fresh;
        fill_row(fields(), thing, fresh);
        make_row_sink(options, columns, apart)->row(fresh);
    }
    return {together.text, apart.text};
}

}  // namespace

TEST_CASE("a row made from the row before has the bytes of a row written afresh") {
    for (const Format format : {Format::ndjson, Format::csv, Format::tsv, Format::name}) {
        const auto [together, apart] = written_both_ways(format);
        CHECK(together == apart);
    }
}

TEST_CASE("cells that repeat are told and long text that may have changed where it is never is") {
    RowFiller<Thing> filler;
    Row row;
    Thing thing{"a name of seventeen", 1, 0.5, support::from_epoch(7), "here"};
    CHECK(filler.fill(fields(), thing, kPlace, row) == 0);
    CHECK(filler.fill(fields(), thing, kPlace, row) == 0b1'0111'1110);
    CHECK(filler.fill(fields(), thing, 0, row) == 0b0'0111'1100);
    thing.place = "hero";
    CHECK(filler.fill(fields(), thing, 0, row) == 0b0'0111'1100);
    thing.share.reset();
    thing.count = 3;
    CHECK(filler.fill(fields(), thing, kPlace, row) == 0b1'0011'0010);
}

TEST_CASE("a cell that points into its row is made again although it says the same") {
    RowFiller<Thing> filler;
    Row row;
    const Thing one{"a", 1, {}, {}, "a place of seventeen"};
    const Thing other = one;
    filler.fill(fields(), one, 0, row);
    const std::uint64_t same = filler.fill(fields(), other, kPlace, row);
    CHECK((same >> 8U) == 1);
    CHECK(std::get<BytesView>(row[8]).bytes.data() == other.place.data());
    CHECK(std::get<TextView>(row[1]).text.data() == one.place.data());
}

TEST_CASE("short text is known to repeat by its bytes wherever they differ") {
    CellStamp stamp;
    for (std::size_t size = 0; size <= 16; ++size) {
        std::string text(size, 'x');
        CHECK_FALSE(stamp.repeats(TextView{text}));
        CHECK(stamp.repeats(TextView{text}));
        CHECK_FALSE(stamp.repeats(BytesView{text}));
        CHECK(stamp.repeats(BytesView{text}));
        for (char& byte : text) {
            byte = '\0';
            CHECK_FALSE(stamp.repeats(BytesView{text}));
            CHECK(stamp.repeats(BytesView{text}));
        }
    }
    const std::string longer(17, 'x');
    CHECK_FALSE(stamp.repeats(BytesView{longer}));
    CHECK_FALSE(stamp.repeats(BytesView{longer}));
}

TEST_CASE("a number of two decimals is written as the shortest text that reads back") {
    const auto same = [](double value) {
        std::string text;
        append_number(text, value);
        char expected[64];
        return text == std::string(expected, std::to_chars(expected, expected + sizeof expected, value).ptr);
    };
    int wrong = 0;
    for (int k = 0; k < 150'000; ++k) wrong += same(k / 100.0) ? 0 : 1;
    for (int k = 9'900'000; k < 10'010'000; ++k) wrong += same(k / 100.0) ? 0 : 1;
    for (const double value : {-0.0, -1.5, 0.001, 1.005, 0.1 + 0.2, 99'999.0, 99'999.01, 100'000.0, 1e300, 5e-324})
        wrong += same(value) ? 0 : 1;
    CHECK(wrong == 0);
}
