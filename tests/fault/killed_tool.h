// A bulk reset that is killed somewhere in its middle, and what is left to know about every window.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fault/linked_deployment.h"
#include "sandbox/process.h"

namespace ratectl::test {

/// Where the tool is killed.
struct KillPoint {
    enum class At {
        moment,   // so long after its start
        request,  // when a write comes; it is lost
        sent,     // when a write comes; it passes
        reply,    // when the reply to a write comes; it is lost
        later,    // so long after the reply to a write has passed
        held      // when a write comes; it passes so much later
    };
    At at = At::moment;
    std::uint64_t write = 1;  // the how manieth that it sends
    std::chrono::microseconds wait{0};

    std::string shown() const;
};

/// `windows` windows core:0 ... of different values, ends and lifetimes (some without one), behind a link.
class KilledReset {
public:
    explicit KilledReset(std::size_t windows);

    /// Makes a plan of all windows; its operation's id.
    std::string make_plan();
    /// A file that names all windows, for a reset that reads its keys.
    const std::string& keys_file() const { return keys_file_; }
    std::string plan_file() const { return box.file("all.plan"); }

    /// Starts the tool on the link and kills it there; false when it came to its end before. `input` is its standard
    /// input.
    bool kill_at(const KillPoint& point, std::vector<std::string> arguments, const std::string& input = "/dev/null");
    /// How long the tool takes when it is not killed.
    std::chrono::microseconds duration(std::vector<std::string> arguments, const std::string& input = "/dev/null");

    /// Every window is untouched, or removed and recorded with what it held; nothing else. `words` begins messages.
    void check_account(const std::string& operation, const std::string& words);
    /// The tool's last word about a resumed run: all rows are there, each removed now or before, each with what it
    /// held.
    void check_finished(const RunResult& result, const std::string& words);
    /// Takes the operation back; then everything is as it was, to the millisecond. `whole`: it had come to its end.
    void check_taken_back(const std::string& operation, const std::string& words, bool whole);
    bool is_as_it_was() { return stored() == original_; }

    LinkedDeployment box;

private:
    /// used, its PEXPIRETIME, reset, its PEXPIRETIME; as redis-cli shows them.
    using Window = std::array<std::string, 4>;

    sandbox::ChildProcess start(const std::vector<std::string>& arguments, const std::string& input);
    std::map<std::string, Window> stored();
    std::map<std::string, nlohmann::json> history_of(const std::string& operation, const std::string& words);

    std::size_t windows_;
    std::string keys_file_;
    std::map<std::string, Window> original_;
    std::atomic<pid_t> pid_ = 0;
};

/// Kills plans and streams of so many windows at points drawn from the seed; each time the account is checked, half of
/// the times the rest is done, and all is taken back.
void try_points(std::uint64_t seed, std::size_t windows, int points);

}  // namespace ratectl::test
