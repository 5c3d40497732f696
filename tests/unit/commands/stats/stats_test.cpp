// stats over pretended servers: its figures against those of a plain scan, its formats, what is missing, what is
// refused.
#include "commands/all_commands.h"

#include <map>
#include <regex>
#include <sstream>

#include "output/mask.h"
#include "support/catch.h"
#include "support/contains.h"
#include "support/json.h"
#include "unit/commands/fake_context.h"
#include "unit/random_source.h"

using namespace ratectl;
using nlohmann::json;
using support::ExitCode;
using test::contains;
using test::FakeContext;
using test::parse_json;
using test::parse_json_lines;

namespace {

ExitCode stats(FakeContext& context, const std::string& format, std::vector<std::string> arguments = {}) {
    if (!format.empty()) context.given.output = format;
    return context.run(commands::stats_command(), std::move(arguments));
}

/// The JSON that the page holds.
json data_of(const std::string& page) {
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = page.find(open) + open.size();
    return parse_json(page.substr(begin, page.find("</script>", begin) - begin));
}

/// Windows of every kind on three shards, and what is stored there.
void fill_at_random(FakeContext& context, test::RandomSource& random) {
    for (int i = 0; i < 400; ++i) {
        const std::string id = std::to_string(i);
        const std::string key = random.one_in(3) ? "search:" + id : random.one_in(4) ? "repo:a/" + id : "core:" + id;
        context.put(key, std::to_string(random.one_in(20) ? -3 : random.number(0, 25)),
                    std::to_string(random.number(990, 1200)));
    }
    context.put("core:word", "seventeen", "1600");
    context.put("core:midas", "45", "1600");
    context.put_raw(0, "core:half:exp", "1600");
}

struct Sample {
    std::string name;
    std::map<std::string, std::string> labels;
    double value = 0;
};

/// The text format, strictly: HELP and TYPE before each family, every family once, labels escaped, no timestamp.
std::vector<Sample> parse_metrics(const std::string& text) {
    static const std::regex help(R"(# HELP ([a-z_]+) [^\n]+)");
    static const std::regex type(R"(# TYPE ([a-z_]+) (gauge|histogram))");
    static const std::regex sample(R"re(([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (-?[0-9.e+]+))re");
    static const std::regex label(R"re(([a-z_]+)="((?:[^"\\]|\\.)*)")re");
    std::vector<Sample> samples;
    std::set<std::string> families;
    std::string family;
    std::string kind;
    std::smatch match;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        INFO(line);
        if (std::regex_match(line, match, help)) {
            family = match[1];
            CHECK(families.insert(family).second);
        } else if (std::regex_match(line, match, type)) {
            CHECK(match[1] == family);
            kind = match[2];
        } else {
            REQUIRE(std::regex_match(line, match, sample));
            Sample read{match[1], {}, std::stod(match[3])};
            const std::string rest = read.name.substr(std::min(read.name.size(), family.size()));
            CHECK(read.name.starts_with(family));
            CHECK((kind == "gauge" ? rest.empty() : rest == "_bucket" || rest == "_sum" || rest == "_count"));
            const std::string labels = match[2];
            for (std::sregex_iterator i(labels.begin(), labels.end(), label), end; i != end; ++i)
                read.labels[(*i)[1]] = (*i)[2];
            samples.push_back(read);
        }
    }
    return samples;
}

}  // namespace

TEST_CASE("the figures of stats are those that a scan adds up to") {
    test::RandomSource random;
    SHOW_SEED(random);
    FakeContext context(3);
    fill_at_random(context, random);
    context.given.output = "ndjson";
    REQUIRE(context.run(commands::scan_command(), {}) == ExitCode::done);
    const std::size_t scanned = context.output().size();
    std::map<std::string, std::int64_t> states, bands, by_shard, by_policy, limited;
    std::int64_t live = 0, sum = 0, over = 0;
    for (const auto& row : parse_json_lines(context.output())) {
        if (!row.contains("state")) continue;
        ++states[row.at("state")];
        if (row.at("used").is_null() || row.at("reset_at").is_null() || row.at("reset_at") < 1000) continue;
        const std::int64_t used = row.at("used");
        ++live;
        sum += used;
        ++by_shard[row.at("shard")];
        ++by_policy[row.at("policy")];
        if (used >= 10) ++limited[row.at("policy")], over += used - 10;
        if (row.at("limit").is_null()) {
            ++bands["unknown"];
            continue;
        }
        const double percent = 100.0 * static_cast<double>(used) / row.at("limit").get<double>();
        ++bands[percent >= 100 ? "exhausted"
                : used <= 0    ? "0"
                : percent < 25 ? "<25"
                : percent < 50 ? "<50"
                : percent < 80 ? "<80"
                               : "<100"];
    }
    REQUIRE(live > 200);
    REQUIRE(stats(context, "json", {"--at-limit=10,50%"}) == ExitCode::done);
    const json told = parse_json(context.output().substr(scanned));
    CHECK(told.at("schema") == "ratectl.stats.v1");
    CHECK(told.at("live") == live);
    CHECK(told.at("used_sum") == sum);
    CHECK(told.at("complete") == true);
    for (const json& state : told.at("states")) CHECK(state.at("windows") == states[state.at("state")]);
    for (const json& band : told.at("bands")) CHECK(band.at("windows") == bands[band.at("percent_of_limit")]);
    for (const json& shard : told.at("shards")) CHECK(shard.at("live") == by_shard[shard.at("shard")]);
    REQUIRE(told.at("policies").size() == 3);
    for (const json& policy : told.at("policies")) CHECK(policy.at("live") == by_policy[policy.at("policy")]);
    std::int64_t ahead = told.at("resets_later");
    for (const json& slice : told.at("resets_ahead")) ahead += slice.at("windows").get<std::int64_t>();
    CHECK(ahead == live);
    for (const json& trial : told.at("at_limit")) {
        if (trial.at("limit") == "10" && trial.at("all_policies") == true) CHECK(trial.at("requests_over") == over);
        if (trial.at("limit") == "10" && trial.at("all_policies") == false)
            CHECK(trial.at("limited") == limited[trial.at("policy")]);
        if (trial.at("limit") == "today" && trial.at("all_policies") == true)
            CHECK(trial.at("limited") == bands["exhausted"]);
        if (trial.at("limit") == "50%" && trial.at("policy") == "search") {
            CHECK(trial.at("limited") == 0);
            CHECK(trial.at("limit_unknown") == by_policy["search"]);
        }
    }
    CHECK(told.at("heaviest").size() == 20);
    CHECK(told.at("heaviest").at(0).at("key") == "core:midas");
    CHECK(told.at("heaviest").at(0).at("limit") == 50);
}

TEST_CASE("metrics are well formed and say what the document says") {
    test::RandomSource random;
    SHOW_SEED(random);
    FakeContext context(3);
    fill_at_random(context, random);
    context.configured.deployment = "we\"ird\\name\nhere";
    REQUIRE(stats(context, "json", {"--at-limit=10"}) == ExitCode::done);
    const std::size_t begin = context.output().size();
    const json told = parse_json(context.output());
    REQUIRE(stats(context, "prometheus", {"--at-limit=10"}) == ExitCode::done);
    const auto samples = parse_metrics(context.output().substr(begin));
    std::map<std::string, double> states;
    double before = 0;
    double used = 0, reset_count = 0;
    for (const Sample& sample : samples) {
        INFO(sample.name);
        CHECK(sample.labels.at("deployment") == "we\\\"ird\\\\name\\nhere");
        for (const auto& [name, value] : sample.labels) {
            CHECK(!contains(value, "core:"));
            CHECK((name == "deployment" || name == "shard" || name == "policy" || name == "state" || name == "le" ||
                   name == "share" || name == "limit"));
        }
        if (sample.name == "ratectl_windows") states[sample.labels.at("state")] += sample.value;
        if (sample.name == "ratectl_used_requests") used += sample.value;
        if (sample.name.ends_with("_bucket")) {
            if (sample.labels.at("le") == "0" || sample.labels.at("le") == "10")
                before = std::min(before, sample.value);
            CHECK(sample.value >= before);
            before = sample.labels.at("le") == "+Inf" ? 0 : sample.value;
        }
        if (sample.name == "ratectl_window_reset_in_seconds_count") reset_count = sample.value;
        if (sample.name == "ratectl_complete") CHECK(sample.value == 1);
    }
    for (const json& state : told.at("states"))
        CHECK(states.at(state.at("state")) == state.at("windows").get<double>());
    CHECK(used == told.at("used_sum").get<double>());
    CHECK(reset_count == told.at("live").get<double>());
}

TEST_CASE("a dead shard is named in every format and the command ends with 9") {
    for (const std::string format : {"table", "json", "ndjson", "csv", "tsv", "prometheus", "html"}) {
        FakeContext context(3);
        for (int i = 0; i < 30; ++i) context.put("core:" + std::to_string(i), "7", "1600");
        context.kill_primary(1);
        context.kill_replica(1);
        INFO(format);
        CHECK(stats(context, format) == ExitCode::partial);
        CHECK(contains(context.errors(), "shard 'beta'"));
        const std::string& text = context.output();
        if (format == "table") {
            CHECK(contains(text, "INCOMPLETE"));
            CHECK(contains(text, "\n  shard 'beta': connection refused\n"));
        }
        if (format == "json" || format == "html") {
            const json told = format == "json" ? parse_json(text) : data_of(text);
            CHECK(told.at("complete") == false);
            CHECK(told.at("failures").at(0).at("shard") == "beta");
            CHECK(told.at("shards").at(1).at("complete") == false);
            CHECK(told.at("shards").at(0).at("complete") == true);
        }
        if (format == "prometheus") {
            CHECK(contains(text, "ratectl_shard_complete{deployment=\"test\",shard=\"beta\"} 0\n"));
            CHECK(contains(text, "ratectl_shard_complete{deployment=\"test\",shard=\"alpha\"} 1\n"));
            CHECK(contains(text, "ratectl_complete{deployment=\"test\"} 0\n"));
        }
    }
}

/// A person looks at what it prints.
class OnTerminal final : public FakeContext {
public:
    explicit OnTerminal(bool ascii) : FakeContext(3), ascii_(ascii) {}
    output::SinkOptions sink_options(std::string_view schema) override {
        auto options = FakeContext::sink_options(schema);
        options.terminal = true;
        options.ascii = ascii_;
        return options;
    }

private:
    bool ascii_;
};

TEST_CASE("statistics as json have the rows that ndjson has, and only a person's terminal has bars and thousands") {
    FakeContext lines(3);
    FakeContext document(3);
    FakeContext table(3);
    for (FakeContext* each : {&lines, &document, &table})
        for (int i = 0; i < 1200; ++i) each->put("core:" + std::to_string(i), "7", "1600");
    CHECK(stats(lines, "ndjson") == ExitCode::done);
    CHECK(stats(document, "json") == ExitCode::done);
    const json told = parse_json(document.output());
    REQUIRE(!told.at("rows").empty());
    CHECK(told.at("rows") == json(parse_json_lines(lines.output())));
    CHECK(stats(table, "") == ExitCode::done);
    CHECK(contains(table.output(), "1200 live windows"));
    CHECK(!contains(table.output(), "1,200"));
    CHECK(!contains(table.output(), "##"));
    CHECK(!contains(table.output(), "\u2588"));
    for (const bool ascii : {true, false}) {
        OnTerminal looked_at(ascii);
        for (int i = 0; i < 1200; ++i) looked_at.put("core:" + std::to_string(i), "7", "1600");
        CHECK(stats(looked_at, "") == ExitCode::done);
        CHECK(contains(looked_at.output(), "1,200 live windows"));
        CHECK(contains(looked_at.output(), ascii ? "########" : "\u2588"));
    }
}

TEST_CASE("statistics that were stopped call no shard complete") {
    class Stopped final : public FakeContext {
    public:
        Stopped() : FakeContext(3) { stop_.set(SIGINT); }
        const support::StopSignal& stop() const override { return stop_; }

    private:
        support::StopSignal stop_;
    };
    for (const std::string format : {"json", "prometheus", "table"}) {
        Stopped context;
        for (int i = 0; i < 30; ++i) context.put("core:" + std::to_string(i), "7", "1600");
        INFO(format);
        CHECK(stats(context, format) == ExitCode::interrupted);
        const std::string& text = context.output();
        if (format == "json") {
            const json told = parse_json(text);
            for (const json& shard : told.at("shards")) CHECK(shard.at("complete") == false);
        } else if (format == "prometheus") {
            CHECK(contains(text, "ratectl_shard_complete{deployment=\"test\",shard=\"beta\"} 0\n"));
        } else {
            CHECK(contains(text, "stopped before its end"));
        }
    }
}

TEST_CASE("what failed is masked in every format of statistics") {
    class HidesBeta final : public output::Mask {
        bool hides() const override { return true; }
        std::string key(std::string_view key) const override { return key == "beta" ? "###" : std::string(key); }
    };
    for (const std::string format : {"table", "json", "html"}) {
        FakeContext context(2);
        output::DiagnosticsOptions said;
        said.mask = std::make_shared<HidesBeta>();
        context.messages().configure(said);
        context.put("core:0", "7", "1600");
        context.kill_primary(1);
        context.kill_replica(1);
        INFO(format);
        CHECK(stats(context, format) == ExitCode::partial);
        CHECK(!contains(context.output(), "'beta'"));
        CHECK(contains(context.output(), "shard '###': connection refused"));
    }
}

TEST_CASE("rows of statistics have a kind and a name or a bin") {
    FakeContext context;
    context.put("core:alice", "7", "1600");
    context.put("core:bob", "20", "1600");
    REQUIRE(stats(context, "csv", {"--at-limit=5"}) == ExitCode::done);
    const std::string& text = context.output();
    CHECK(text.starts_with("kind,name,from,to,count\nstate,open,,,1\nstate,exhausted,,,1\n"));
    CHECK(contains(text, "\nused,,6,10,1\nused,,11,20,1\n"));
    CHECK(contains(text, "\nband,exhausted,,,1\n"));
    CHECK(contains(text, "\nreset-at,,1600,1600,2\n"));
    CHECK(contains(text, "\nshard-used,alpha,,,27\n"));
    CHECK(contains(text, "\nat-limit,5,,,2\n"));
}

TEST_CASE("a page holds hostile keys as text that cannot end its element") {
    FakeContext context;
    const std::string hostile = "core:</script><script>alert(1)</script><!--";
    context.put(hostile, "9", "1600");
    context.put("core:\xE2\x80\xA8\xff&", "8", "1600");
    REQUIRE(stats(context, "html") == ExitCode::done);
    const std::string& page = context.output();
    CHECK(!contains(page, "alert(1)</script"));
    CHECK(!contains(page, "\xE2\x80\xA8"));
    CHECK(std::regex_search(
        page, std::regex("style-src 'sha256-[A-Za-z0-9+/]{43}='; script-src 'sha256-[A-Za-z0-9+/]{43}='")));
    for (const char* place : {"%STYLE", "%SCRIPT", "%DATA"}) CHECK(!contains(page, place));
    const json table = data_of(page).at("table");
    CHECK(table.at("count") == 2);
    std::string key;
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < 2; ++i) {
        key = key.substr(0, table.at("shared")[i].get<std::size_t>()) + table.at("rest")[i].get<std::string>();
        keys.push_back(key);
    }
    CHECK(keys == std::vector<std::string>{hostile, "core:\\u{2028}\\xff&"});
    CHECK(table.at("used") == json{9, 8});
    CHECK(table.at("groups").at(table.at("group").at(0).get<std::size_t>()).at("limit") == 20);
}

TEST_CASE("stats with exit status tells of exhausted windows and of unknown limits") {
    const auto code = [](const std::string& key, const std::string& used) {
        FakeContext context;
        context.put(key, used, "1600");
        return stats(context, "json", {"--exit-status"});
    };
    CHECK(code("core:alice", "7") == ExitCode::done);
    CHECK(code("core:alice", "20") == ExitCode::attention);
    CHECK(code("search:alice", "20") == ExitCode::configuration);
}

TEST_CASE("stats without a window says so and refuses what it cannot mean") {
    FakeContext nothing(2);
    CHECK(stats(nothing, "table") == ExitCode::done);
    CHECK(contains(nothing.output(), "No window is live."));
    for (const std::string format : {"json", "html", "prometheus", "csv"}) {
        FakeContext context(2);
        CHECK(stats(context, format) == ExitCode::done);
    }
    const auto refused = [](const std::string& format, const std::string& argument) {
        FakeContext context;
        const ExitCode code = stats(context, format, {argument});
        CHECK(context.output().empty());
        return code;
    };
    CHECK(refused("table", "--at-limit=ten") == ExitCode::usage);
    CHECK(refused("table", "--at-limit=0") == ExitCode::usage);
    CHECK(refused("table", "--names=some") == ExitCode::usage);
    CHECK(refused("name", "--names=1") == ExitCode::usage);
    FakeContext all;
    all.configured.from_given = true;
    all.configured.read_from = domain::parse_read_from("all");
    CHECK(stats(all, "json") == ExitCode::usage);
}

TEST_CASE("filters narrow what stats counts") {
    FakeContext context(2);
    for (int i = 0; i < 20; ++i) context.put("core:" + std::to_string(i), std::to_string(i), "1600");
    context.put("search:x", "100", "1600");
    REQUIRE(stats(context, "json", {"core:*", "--min-used=15"}) == ExitCode::done);
    const json told = parse_json(context.output());
    CHECK(told.at("windows") == 5);
    CHECK(told.at("used_min") == 15);
}
