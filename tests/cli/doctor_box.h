// Three shards full of sound windows, with faults of every class planted among them, and what doctor has to say of
// each.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

namespace ratectl::test {

/// The classes that --fix repairs when it is told `all`, those that have to be named, and those that cannot be repaired
/// without guessing.
inline const std::set<std::string> kFixedByAll{"expiry-past", "leaked", "ttl-short", "ttl-long"};
inline const std::set<std::string> kFixedByName{"orphan-counter", "orphan-expiry", "expiry-absurd"};

class DoctorBox {
public:
    using Findings = std::multiset<std::pair<std::string, std::string>>;  // class, key

    /// `faults` of so many windows are faulty, the classes in turn.
    DoctorBox(std::size_t windows, std::size_t faults) : box_("writes = \"allow\"", 3) {
        place(windows);
        std::vector<std::vector<std::string>> sound(3);
        for (std::size_t i = 0; i < windows; ++i) {
            if (i % (windows / faults) == 0 && i / (windows / faults) < faults) {
                plant(i / (windows / faults), keys_[i], shards_[i]);
            } else {
                sound[shards_[i]].push_back(keys_[i]);
            }
        }
        for (std::size_t shard = 0; shard < 3; ++shard) store_sound(shard, sound[shard]);
    }

    WrittenDeployment& box() { return box_; }
    const Findings& planted() const { return planted_; }
    /// Keys of the faults, with and without the suffix.
    const std::set<std::string>& faulty_keys() const { return faulty_keys_; }

    /// What a run of doctor prints as ndjson.
    static Findings findings(const std::string& ndjson) {
        Findings found;
        std::istringstream lines(ndjson);
        for (std::string line; std::getline(lines, line);) {
            const auto row = parse_json(line);
            found.emplace(row.at("class").get<std::string>(),
                          row.at("key").is_null() ? "" : row.at("key").get<std::string>());
        }
        return found;
    }

    /// Of every key of a shard that is no record of an operation: a digest of its type and value, and when it expires.
    std::map<std::string, std::string> snapshot(std::size_t shard) {
        const auto text = box_.server(shard).command(
            {"EVAL",
             "local t = {} for _, k in ipairs(redis.call('KEYS', '*')) do if k:sub(1, 11) ~= 'ratectl:op:' then "
             "t[#t + 1] = k .. ' ' .. redis.sha1hex(redis.call('DUMP', k)) .. ' ' .. redis.call('PEXPIRETIME', k) end "
             "end return table.concat(t, '\\n')",
             "0"});
        std::map<std::string, std::string> keys;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) keys[line.substr(0, line.find(' '))] = line;
        return keys;
    }

private:
    void place(std::size_t windows) {
        std::string input;
        for (std::size_t i = 0; i < windows; ++i) {
            keys_.push_back("core:w" + std::to_string(i));
            input += keys_.back() + "\n";
        }
        shards_ = shards_of(input);
    }

    std::vector<std::size_t> shards_of(const std::string& input) {
        const auto located = box_.run_with_input({"locate", "-", "-o", "ndjson", "--columns", "shard"}, input);
        std::vector<std::size_t> shards;
        std::istringstream lines(located.out);
        for (std::string line; std::getline(lines, line);) {
            const auto shard = parse_json(line).at("shard").get<std::string>();
            shards.push_back(shard == "alpha" ? 0 : shard == "beta" ? 1 : 2);
        }
        return shards;
    }

    void store_sound(std::size_t shard, const std::vector<std::string>& keys) {
        constexpr std::size_t kAtOnce = 1000;
        for (std::size_t first = 0; first < keys.size(); first += kAtOnce) {
            std::vector<std::string> words{
                "EVAL",
                "for i, k in ipairs(ARGV) do if i > 1 then local e = tonumber(ARGV[1]) + i % 600 "
                "redis.call('SET', k, i, 'EXAT', e + 1) redis.call('SET', k .. ':exp', string.format('%d', e), 'EXAT', "
                "e + 1) end end",
                "0", std::to_string(end_)};
            words.insert(words.end(), keys.begin() + static_cast<std::ptrdiff_t>(first),
                         keys.begin() + static_cast<std::ptrdiff_t>(std::min(keys.size(), first + kAtOnce)));
            box_.server(shard).command(words);
        }
    }

    /// Both halves; an empty value: that half is left out; expiries in milliseconds, 0: none.
    void store(std::size_t shard, const std::string& key, const std::string& used, const std::string& end,
               std::int64_t counter_ms, std::int64_t expiry_ms) {
        auto& server = box_.server(shard);
        for (const auto& [name, value, at] :
             {std::tuple{key, used, counter_ms}, std::tuple{key + ":exp", end, expiry_ms}}) {
            faulty_keys_.insert(name);
            if (value.empty()) continue;
            server.command({"SET", name, value});
            if (at != 0) server.command({"PEXPIREAT", name, std::to_string(at)});
        }
    }

    void plant(std::size_t number, const std::string& key, std::size_t shard) {
        const std::int64_t right = (end_ + 1) * 1000;
        const std::string end = std::to_string(end_);
        const auto other = (shard + 1) % 3;
        switch (number % 13) {
            case 0: store(shard, key, "7", "", number % 2 == 0 ? 0 : right, 0); return expect("orphan-counter", key);
            case 1: store(shard, key, "", end, 0, right); return expect("orphan-expiry", key);
            case 2: store(shard, key, "7", end, 0, number % 2 == 0 ? 0 : right); return expect("leaked", key);
            case 3: store(shard, key, "7", end, right - 60'000, right); return expect("ttl-short", key);
            case 4: store(shard, key, "7", end, right, right + 60'000); return expect("ttl-long", key);
            case 5: store(shard, key, "7", std::to_string(end_ - 4000), 0, right); return expect("expiry-past", key);
            case 6:
                store(shard, key, "7", std::to_string(end_ * 1000), (end_ * 1000 + 1) * 1000, (end_ * 1000 + 1) * 1000);
                return expect("expiry-absurd", key);
            case 7: store(shard, key, "12.5", end, right, right); return expect("corrupt", key);
            case 8:
                store(shard, key, "", end, 0, right);
                box_.server(shard).command({"RPUSH", key, "x"});
                box_.server(shard).command({"PEXPIREAT", key, std::to_string(right)});
                return expect("corrupt", key);
            case 9: store(shard, key, "-7", end, right, right); return expect("negative", key);
            case 10: store(other, key, "7", end, right, right); return expect("misplaced", key);
            case 11:
                store(shard, key, "7", end, right, right);
                store(other, key, "9", end, right, right);
                expect("duplicate", key);
                return expect("misplaced", key);
            default: {
                const auto clash = key + ":exp";
                store(shards_of(clash + "\n").front(), clash, "7", end, right, right);
                return expect("suffix-clash", clash);
            }
        }
    }

    void expect(const std::string& what, const std::string& key) { planted_.emplace(what, key); }

    WrittenDeployment box_;
    std::int64_t end_ = seconds_from_now(3000);
    std::vector<std::string> keys_;
    std::vector<std::size_t> shards_;
    Findings planted_;
    std::set<std::string> faulty_keys_;
};

/// Those of these classes, or all others.
inline DoctorBox::Findings of_classes(const DoctorBox::Findings& findings, const std::set<std::string>& classes,
                                      bool others = false) {
    DoctorBox::Findings chosen;
    for (const auto& finding : findings) {
        if (classes.contains(finding.first) != others) chosen.insert(finding);
    }
    return chosen;
}

/// `+class key` for each that was found and not expected, `-class key` for the reverse; empty: the same. The first
/// twenty.
inline std::string difference(const DoctorBox::Findings& found, const DoctorBox::Findings& expected) {
    constexpr std::size_t kMost = 20;
    std::vector<std::pair<std::string, std::string>> extra;
    std::vector<std::pair<std::string, std::string>> missing;
    std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(), std::back_inserter(extra));
    std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(), std::back_inserter(missing));
    std::string text;
    for (std::size_t i = 0; i < extra.size() && i < kMost; ++i)
        text += "+" + extra[i].first + " " + extra[i].second + "\n";
    for (std::size_t i = 0; i < missing.size() && i < kMost; ++i)
        text += "-" + missing[i].first + " " + missing[i].second + "\n";
    return text;
}

/// The whole promise: doctor finds exactly what was planted, repairs exactly what can be, finds nothing more to repair,
/// and every sound window is as it was, byte for byte and to the millisecond.
inline void examine_and_repair(DoctorBox& planted) {
    auto& box = planted.box();
    std::vector<std::map<std::string, std::string>> before;
    for (std::size_t shard = 0; shard < 3; ++shard) before.push_back(planted.snapshot(shard));
    RunOptions patient;
    patient.timeout = std::chrono::minutes(5);

    const auto first = box.run({"doctor", "-o", "ndjson"}, patient);
    INFO(first.err);
    CHECK(first.code == 1);
    REQUIRE(difference(DoctorBox::findings(first.out), planted.planted()) == "");

    const auto fixed = box.run({"doctor", "--fix", "all", "-y", "-o", "ndjson"}, patient);
    INFO(fixed.err);
    CHECK(fixed.code == 1);  // the others are still there
    CHECK(difference(DoctorBox::findings(fixed.out), planted.planted()) == "");
    const auto second = box.run({"doctor", "-o", "ndjson"}, patient);
    CHECK(difference(DoctorBox::findings(second.out), of_classes(planted.planted(), kFixedByAll, true)) == "");

    const auto named =
        box.run({"doctor", "--fix", "orphan-counter,orphan-expiry,expiry-absurd", "-y", "-o", "ndjson"}, patient);
    INFO(named.err);
    const auto left = of_classes(of_classes(planted.planted(), kFixedByAll, true), kFixedByName, true);
    CHECK(difference(DoctorBox::findings(box.run({"doctor", "-o", "ndjson"}, patient).out), left) == "");

    const auto again = box.run({"doctor", "--fix", "all", "-y", "-o", "ndjson"}, patient);
    CHECK(again.code == 1);
    CHECK(contains(again.err, "nothing to repair"));
    CHECK_FALSE(contains(again.out, "\"applied\""));
    for (std::size_t shard = 0; shard < 3; ++shard) {
        const auto after = planted.snapshot(shard);
        std::size_t untouched = 0;
        for (const auto& [key, text] : before[shard]) {
            if (planted.faulty_keys().contains(key)) continue;
            const auto found = after.find(key);
            if (found != after.end() && found->second == text) ++untouched;
        }
        const auto sound = std::count_if(before[shard].begin(), before[shard].end(),
                                         [&](const auto& key) { return !planted.faulty_keys().contains(key.first); });
        CHECK(untouched == static_cast<std::size_t>(sound));
    }
}

}  // namespace ratectl::test
