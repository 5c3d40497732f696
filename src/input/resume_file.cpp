// Reads and writes the resume file, a small JSON document: written under another name, synced, then renamed.
#include "input/resume_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "support/descriptor.h"
#include "support/error.h"
#include "support/number_text.h"
#include "support/quote.h"

namespace ratectl::input {

namespace {

using nlohmann::ordered_json;
using support::Descriptor;
using support::ExitCode;
using support::Failure;

constexpr std::size_t kLargest = 8U << 20U;
constexpr int kMostLinks = 40;  // as the kernel has it
constexpr int kDeepest =
    3;  // a value of a shard of the document; what goes deeper would cost memory before it is refused

[[noreturn]] void not_one(const std::string& path) {
    throw Failure(ExitCode::usage, fmt::format("'{}' is there and is not a file that --resume has written", path),
                  "it was not touched; give another name");
}

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
    throw Failure(ExitCode::usage, fmt::format("'{}' is damaged, and windows would be missing: {}", path, what),
                  "it was not touched; put back a copy of it, or remove it to scan from the beginning");
}

/// `0-5460 5470`, in their order.
bool is_list_of_slots(std::string_view text) {
    constexpr std::uint64_t slots = 16'384;
    std::uint64_t next = 0;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        const auto dash = word.find('-');
        const auto first = support::parse_unsigned(word.substr(0, dash), slots - 1);
        const auto last =
            dash == std::string_view::npos ? first : support::parse_unsigned(word.substr(dash + 1), slots - 1);
        if (!first || !last || *first < next || *last < *first) return false;
        next = *last + 1;
        const bool is_last = word.size() == text.size();
        text.remove_prefix(is_last ? word.size() : word.size() + 1);
        if (!is_last && text.empty()) return false;
    }
    return true;
}

/// What would be taken for less than there is. Throws Failure.
void check(const ResumeState& state, const std::string& path) {
    const auto check_slots = [&path](const std::string& where, const std::string& slots) {
        if (!is_list_of_slots(slots))
            damaged(path,
                    fmt::format("{} is {}, no list of slots such as '0-5460 5470'", where, support::quoted(slots)));
    };
    const bool of_all_nodes =
        std::ranges::find(state.question, std::pair<std::string, std::string>("--from", "all")) != state.question.end();
    std::set<std::pair<std::string, std::string>> nodes;
    for (const auto& each : state.shards) {
        if (!nodes.emplace(each.shard, of_all_nodes ? each.node : "").second)
            damaged(path, fmt::format("shard {} is there twice", support::quoted(each.shard)));
    }
    std::set<std::string> shards;
    for (const auto& each : state.slots) {
        if (!shards.insert(each.shard).second)
            damaged(path, fmt::format("the slots of shard {} are there twice", support::quoted(each.shard)));
        check_slots(fmt::format("slots of shard {}", support::quoted(each.shard)), each.slots);
    }
    check_slots("moved_slots", state.moved_slots);
}

/// Null when there is no such file.
std::optional<std::string> content_of(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) {
        if (errno == ENOENT) return std::nullopt;
        throw Failure(ExitCode::local_io, fmt::format("cannot read '{}': {}", path, support::errno_text(errno)));
    }
    struct stat facts {};
    if (::fstat(file.get(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) not_one(path);
    std::string text;
    char buffer[65'536];
    for (;;) {
        const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
        if (n == 0) return text;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            throw Failure(ExitCode::local_io, fmt::format("cannot read '{}': {}", path, support::errno_text(errno)));
        text.append(buffer, static_cast<std::size_t>(n));
        if (text.size() > kLargest) not_one(path);
    }
}

ResumeState state_of(const ordered_json& document, const std::string& path) {
    ResumeState state;
    state.deployment = document.at("deployment").get<std::string>();
    state.complete = document.at("complete").get<bool>();
    for (const auto& [name, value] : document.at("question").items())
        state.question.emplace_back(name, value.get<std::string>());
    for (const auto& each : document.at("shards")) {
        ResumeShard shard;
        shard.shard = each.at("shard").get<std::string>();
        shard.node = each.at("node").get<std::string>();
        shard.run_id = each.at("run_id").get<std::string>();
        shard.cursor = each.at("cursor").get<std::string>();
        shard.complete = each.at("complete").get<bool>();
        if (!each.at("windows").is_number_unsigned())
            damaged(path, fmt::format("windows of shard {} is {}, no count", support::quoted(shard.shard),
                                      each.at("windows").dump()));
        shard.windows = each.at("windows").get<std::uint64_t>();
        const bool is_number = !shard.cursor.empty() && shard.cursor.size() <= 20 &&
                               shard.cursor.find_first_not_of("0123456789") == std::string::npos;
        if (!is_number) throw std::invalid_argument("cursor");
        state.shards.push_back(std::move(shard));
    }
    if (!document.contains("slots")) return state;
    state.moved_slots = document.at("moved_slots").get<std::string>();
    for (const auto& each : document.at("slots")) {
        state.slots.push_back({each.at("shard").get<std::string>(), each.at("id").get<std::string>(),
                               each.at("epoch").get<std::string>(), each.at("slots").get<std::string>()});
    }
    return state;
}

/// What symbolic links lead to, also where nothing is there yet: renamed over, a link would be one no more.
std::string behind_links(const std::string& path) {
    std::filesystem::path at(path);
    for (int links = 0; links < kMostLinks; ++links) {
        std::error_code is_none;
        const auto target = std::filesystem::read_symlink(at, is_none);
        if (is_none) return at.string();
        at = at.parent_path() / target;
    }
    return path;
}

void sync_folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.get() >= 0) ::fsync(file.get());
}

/// The new file, locked; or an error's number.
tl::expected<Descriptor, int> write_whole(const std::string& path, std::string_view text) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) return tl::unexpected(errno);
    (void)::flock(file.get(), LOCK_EX | LOCK_NB);  // it is ours alone, or its file system has no locks
    while (!text.empty()) {
        const ssize_t n = ::write(file.get(), text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return tl::unexpected(n == 0 ? ENOSPC : errno);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    if (::fsync(file.get()) != 0) return tl::unexpected(errno);
    return file;
}

}  // namespace

Descriptor claim_resume_file(const std::string& path) {
    for (;;) {
        Descriptor file(::open(path.c_str(), O_RDONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600));
        if (!file.is_open()) return file;
        if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            throw Failure(ExitCode::local_io, fmt::format("another scan goes on with '{}' just now", path),
                          "let it end, or give --resume another file; nothing was read");
        }
        // The other scan may have put a new one in its place between the two.
        struct stat held {};
        struct stat there {};
        if (::fstat(file.get(), &held) != 0 || ::stat(path.c_str(), &there) != 0) return file;
        if (held.st_dev == there.st_dev && held.st_ino == there.st_ino) return file;
    }
}

std::optional<ResumeState> read_resume_file(const std::string& path) {
    const auto text = content_of(path);
    if (!text || text->empty()) return std::nullopt;
    try {
        const auto document =
            ordered_json::parse(*text, [](int depth, ordered_json::parse_event_t, const ordered_json&) {
                if (depth > kDeepest) throw std::invalid_argument("depth");
                return true;
            });
        if (document.at("schema").get<std::string>() != kResumeSchema) not_one(path);
        auto state = state_of(document, path);
        check(state, path);
        return state;
    } catch (const nlohmann::json::exception&) {
        not_one(path);
    } catch (const std::invalid_argument&) {
        not_one(path);
    }
}

Descriptor write_resume_file(const std::string& path, const ResumeState& state) {
    ordered_json document{{"schema", kResumeSchema}, {"deployment", state.deployment}};
    document["question"] = ordered_json::object();
    for (const auto& [name, value] : state.question) document["question"][name] = value;
    document["complete"] = state.complete;
    document["shards"] = ordered_json::array();
    for (const ResumeShard& shard : state.shards) {
        document["shards"].push_back({{"shard", shard.shard},
                                      {"node", shard.node},
                                      {"run_id", shard.run_id},
                                      {"cursor", shard.cursor},
                                      {"complete", shard.complete},
                                      {"windows", shard.windows}});
    }
    if (!state.slots.empty() || !state.moved_slots.empty()) {
        document["slots"] = ordered_json::array();
        for (const ResumeSlots& each : state.slots)
            document["slots"].push_back(
                {{"shard", each.shard}, {"id", each.id}, {"epoch", each.epoch}, {"slots", each.slots}});
        document["moved_slots"] = state.moved_slots;
    }
    const std::string text = document.dump(1, ' ', true, ordered_json::error_handler_t::replace) + '\n';
    const std::string place = behind_links(path);
    const std::string unfinished = fmt::format("{}.{}.unfinished", place, ::getpid());
    auto file = write_whole(unfinished, text);
    // A process of our number was killed before it had finished.
    if (!file && file.error() == EEXIST && ::unlink(unfinished.c_str()) == 0) file = write_whole(unfinished, text);
    if (file && ::rename(unfinished.c_str(), place.c_str()) != 0) file = tl::unexpected(errno);
    if (file) {
        sync_folder_of(place);
        return *std::move(file);
    }
    if (file.error() != EEXIST) ::unlink(unfinished.c_str());
    throw Failure(ExitCode::local_io,
                  fmt::format("cannot write how far the scan is to '{}': {}", path, support::errno_text(file.error())),
                  "the rows that were printed are right; the file still says what it said before");
}

}  // namespace ratectl::input
