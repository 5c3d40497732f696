// Lines for a driver and rows of ratectl.
#include "live/counting_limiter.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "live/real_servers.h"
#include "support/catch.h"
#include "support/places.h"
#include "support/wall_now.h"

namespace ratectl::test {
namespace {

using nlohmann::json;

/// The template with what stands for the holes.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& holes) {
    for (const auto& [hole, by] : holes) {
        if (const auto at = text.find(hole); at != std::string::npos) text.replace(at, hole.size(), by);
    }
    return text;
}

template <class Value>
std::optional<Value> said(const json& answer, const char* name) {
    const auto& value = answer.at(name);
    return value.is_null() ? std::nullopt : std::optional{value.get<Value>()};
}

}  // namespace

std::string npm_folder() { return source_dir() + "/build/limiters/node_modules"; }

LimitedClient CountingLimiter::client(const std::string& name, std::size_t policy) const {
    const auto& its = policies_.at(policy);
    const auto now = wall_now().time_since_epoch().count() / 1000;
    const auto number = name == "{client}" ? std::string("{bucket}") : std::to_string(now / its.seconds);
    return {name, policy,
            filled(kind_.key, {{"POLICY", its.name},
                               {"{bucket}", number},
                               {"LIMIT/UNITS", std::to_string(its.limit) + "/" + its.units},
                               {"{client}", name}})};
}

std::string CountingLimiter::line(const std::string& verb, const LimitedClient& client, std::int64_t cost) const {
    return verb + " " + client.name + " " + policy_of(client).name + " " + std::to_string(cost) + "\n";
}

std::vector<LimiterAnswer> CountingLimiter::ask(const std::string& lines) const {
    auto arguments = kind_.driver;
    arguments.push_back(server_.unix_endpoint().path);
    for (const auto& policy : policies_) {
        arguments.push_back(policy.name + ":" + std::to_string(policy.limit) + ":" + std::to_string(policy.seconds) +
                            ":" + policy.units);
    }
    RunOptions options;
    options.input = lines;
    options.environment = {{"NODE_PATH", npm_folder()}, {"PYTHONDONTWRITEBYTECODE", "1"}};
    const auto result = run_program(system_program(kind_.program), arguments, options);
    INFO(kind_.name << ": " << result.err);
    REQUIRE(result.code == 0);
    std::vector<LimiterAnswer> answers;
    for (const auto& line : lines_of(result.out)) {
        const auto answer = parse_json(line);
        answers.push_back({said<std::int64_t>(answer, "used"), said<std::int64_t>(answer, "remaining"),
                           said<bool>(answer, "limited"),
                           said<std::pair<std::int64_t, std::int64_t>>(answer, "reset")});
    }
    REQUIRE(answers.size() == lines_of(lines).size());
    return answers;
}

std::vector<std::string> CountingLimiter::flags_of(std::size_t policy) const {
    std::vector<std::string> words{"--key", client("{client}", policy).key};
    // What the keys say of limit and period is not said twice.
    if (kind_.key.find("LIMIT") == std::string::npos) {
        words.insert(words.end(), {"--limit", std::to_string(policies_[policy].limit), "--period",
                                   std::to_string(policies_[policy].seconds) + "s"});
    }
    if (kind_.has_burst) {
        words.insert(words.end(), {"--burst", std::to_string(policies_[policy].limit)});
    }
    return words;
}

std::vector<json> CountingLimiter::findings(const std::string& classes) const {
    std::vector<json> found;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
        auto words = flags_of(i);
        words.insert(words.begin(), {"doctor", "--only", classes});
        words.insert(words.end(), {"-u", server_.endpoint().url(), "--scheme", kind_.scheme, "-o", "ndjson"});
        const auto result = run_ratectl(words);
        INFO(kind_.name << ": " << result.err);
        REQUIRE(result.code <= 1);
        for (const auto& line : lines_of(result.out)) found.push_back(parse_json(line));
    }
    return found;
}

std::vector<json> CountingLimiter::check(const std::vector<LimitedClient>& clients) const {
    std::map<std::string, json> rows_by_key;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
        for (auto& row : rows({"check", "-"}, i, clients)) rows_by_key[row.at("key")] = row;
    }
    std::vector<json> ordered;
    ordered.reserve(clients.size());
    for (const auto& client : clients) ordered.push_back(rows_by_key.at(client.key));
    return ordered;
}

void CountingLimiter::change(std::vector<std::string> words, const std::vector<LimitedClient>& clients) const {
    words.insert(words.end(), {"-y", "--confirm", server_.endpoint().address()});
    for (std::size_t i = 0; i < policies_.size(); ++i) rows(words, i, clients);
}

std::vector<json> CountingLimiter::rows(std::vector<std::string> words, std::size_t policy,
                                        const std::vector<LimitedClient>& clients) const {
    std::vector<LimitedClient> its;
    std::copy_if(clients.begin(), clients.end(), std::back_inserter(its),
                 [policy](const auto& client) { return client.policy == policy; });
    if (its.empty()) return {};
    const auto flags = flags_of(policy);
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-u", server_.endpoint().url(), "--scheme", kind_.scheme, "-o", "ndjson"});
    RunOptions options;
    for (const auto& client : its) options.input += client.key + "\n";
    const auto result = run_ratectl(words, options);
    INFO(kind_.name << ": " << result.err);
    std::vector<json> rows;
    for (const auto& line : lines_of(result.out)) rows.push_back(parse_json(line));
    // A write that found nothing at all to change ends with 1: where the limit is 1, no refund takes the floor's 1.
    const bool idle = !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const auto& row) {
        return row.value("why_not", json()) == "nothing-to-take";
    });
    REQUIRE(result.code == (idle ? 1 : 0));
    REQUIRE(rows.size() == its.size());
    return rows;
}

}  // namespace ratectl::test
