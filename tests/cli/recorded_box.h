// A deployment whose changes are taken back: finds operations, and shows windows with everything that must come back.
#pragma once

#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"
#include "support/json.h"

namespace ratectl::test {

class RecordedBox : public WrittenDeployment {
public:
    explicit RecordedBox(const std::string& settings = "writes = \"allow\"", std::size_t shards = 1)
        : WrittenDeployment(settings, shards) {}

    /// Both halves with type, bytes and the millisecond at which each expires.
    std::string halves_of(const std::string& key) {
        std::string text;
        for (const std::string& half : {key, key + ":exp"}) {
            text += server().command({"TYPE", half}) + "=" + server().command({"GET", half}) + "@" +
                    server().command({"PEXPIRETIME", half}) + " ";
        }
        return text;
    }
    /// A half that expires at that millisecond; 0: never.
    void set_half(const std::string& name, const std::string& value, std::int64_t expires_at_ms) {
        server().command({"SET", name, value});
        if (expires_at_ms > 0) server().command({"PEXPIREAT", name, std::to_string(expires_at_ms)});
    }
    /// Keys that are spread over shards: what is alike to its end hashes alike.
    static std::string spread_key(int number) { return "core:" + std::to_string(number) + "-client"; }
    std::string used(const std::string& key) { return stored(key); }

    /// Runs it as JSON and gives its rows; the exit code must be this.
    std::vector<nlohmann::json> rows(std::vector<std::string> arguments, int code = 0, RunOptions options = {}) const {
        arguments.insert(arguments.end(), {"-o", "ndjson"});
        const auto result = run(arguments, std::move(options));
        INFO(result.err << result.out);
        CHECK(result.code == code);
        std::vector<nlohmann::json> found;
        for (auto& row : parse_json_lines(result.out)) {
            if (row.contains("status")) found.push_back(std::move(row));
        }
        return found;
    }
    /// Counts into one window by so many rows, 1, 2, 3 ...
    RunResult count_by_rows(const std::string& key, int rows, const std::string& op_id, RunOptions options = {}) const {
        for (int i = 1; i <= rows; ++i) options.input += nlohmann::json{{"key", key}, {"amount", i}}.dump() + "\n";
        return run({"increment", "-", "-y", "--input", "ndjson", "--op-id", op_id}, std::move(options));
    }
    /// The newest operation in the journal.
    std::string newest() const {
        const std::string op = rows({"history", "--last", "1"}).at(0).at("op");
        return op.substr(0, op.find('/'));
    }
    /// Changes something, which must work, and gives its operation.
    std::string change(std::vector<std::string> arguments) const {
        for (const auto& row : rows(arguments)) CHECK(row.at("status") == "applied");
        return newest();
    }
    /// The same user at another machine: without this journal.
    RunOptions elsewhere() const {
        RunOptions options;
        options.environment["XDG_STATE_HOME"] = file("elsewhere");
        return options;
    }
};

}  // namespace ratectl::test
