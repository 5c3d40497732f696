// Starts and ends a sandbox.
// All servers start at once; then they are tied together as their kind wants it; the folder tells later runs what
// belongs to it.
#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sandbox/cluster.h"
#include "sandbox/sentinels.h"

namespace ratectl::sandbox {

namespace {

constexpr support::Milliseconds kGrace{0};  // nothing in these servers is worth saving

constexpr std::array<const char*, 24> kLetters = {
    "alpha", "beta", "gamma",   "delta", "epsilon", "zeta",  "eta", "theta",   "iota", "kappa", "lambda", "mu",
    "nu",    "xi",   "omicron", "pi",    "rho",     "sigma", "tau", "upsilon", "phi",  "chi",   "psi",    "omega"};

support::Result<std::string> make_folder(const SandboxOptions& options) {
    if (options.folder.empty()) {
        auto made = TemporaryFolder::make(options.parent, "ratectl-sandbox");
        if (!made) return tl::make_unexpected(made.error());
        return made->release();
    }
    std::error_code error;
    std::filesystem::create_directories(options.folder, error);
    const auto path = std::filesystem::absolute(options.folder).lexically_normal().string();
    if (error)
        return support::failure(support::ExitCode::local_io, "cannot make the folder " + path + ": " + error.message());
    if (!std::filesystem::is_empty(path, error) || error) {
        return support::failure(support::ExitCode::local_io,
                                "the folder " + path + " is not empty; nothing was started",
                                "choose a new one, or end the sandbox in it first: ratectl sandbox down --dir " + path);
    }
    return path;
}

/// Only what a sandbox makes: its members' folders and its own files, then the folder if that leaves it empty. What is
/// left of it.
std::vector<std::string> remove_files(const std::string& folder, const std::vector<Member>& members) {
    std::error_code ignored;
    for (const auto& member : members) std::filesystem::remove_all(folder + "/" + member.folder, ignored);
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})  // SQLite's own, where a process was killed
        std::filesystem::remove(folder + "/" + kJournalFile + suffix, ignored);
    for (const char* file : {kConfigFile, kPasswordFile, kStateFile, kLockFile})
        std::filesystem::remove(folder + "/" + file, ignored);
    std::filesystem::remove(folder, ignored);
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
        left.push_back(entry.path().filename().string());
    return left;
}

/// Closed when another process has it.
support::Descriptor lock(const std::string& folder) {
    support::Descriptor file(
        ::open((folder + "/" + kLockFile).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.close();
    return file;
}

/// Its number may have become another process's, and the state file may have been written by anyone.
bool is_ours(const std::string& folder, const Member& member) {
    return works_in(member.mark, folder + "/" + member.folder, std::to_string(member.port));
}

support::Result<std::vector<Member>> members_in(const std::string& folder) {
    const std::string path = folder + "/" + kStateFile;
    auto text = read_file(path);
    if (!text)
        return support::failure(support::ExitCode::local_io, "there is no sandbox in " + folder,
                                "start one: ratectl sandbox up");
    return members_from(*text, path);
}

}  // namespace

std::string shard_name(unsigned index) {
    return index < kLetters.size() ? kLetters[index] : "shard" + std::to_string(index + 1);
}

support::Result<Sandbox> Sandbox::up(const SandboxOptions& options) {
    Sandbox sandbox;
    auto folder = make_folder(options);
    if (!folder) return tl::make_unexpected(folder.error());
    sandbox.folder_ = *folder;
    sandbox.owned_ = true;
    sandbox.kind_ = options.kind;
    sandbox.password_ = options.password;
    sandbox.lock_ = lock(*folder);
    const auto deadline = std::chrono::steady_clock::now() + options.patience;
    auto done = sandbox.launch(options)
                    .and_then([&] { return sandbox.save(); })
                    .and_then([&] { return sandbox.await_servers(deadline); })
                    .and_then([&] { return sandbox.tie(options, deadline); })
                    .and_then([&] { return sandbox.save(); });
    if (done && options.stop != nullptr && *options.stop) {
        done = support::failure(support::ending_by(options.stop->signal()),
                                "stopped while the sandbox came up; its servers were ended");
    }
    if (!done) return tl::make_unexpected(done.error());
    return sandbox;
}

Sandbox::~Sandbox() {
    if (!owned_ || folder_.empty()) return;
    for (auto& server : servers_) server.process().signal(15);
    for (auto& server : servers_) server.process().kill();
    remove_files(folder_, members_);
}

void Sandbox::release() {
    for (auto& server : servers_) server.process().release();
    owned_ = false;
    lock_.close();
}

support::Result<void> Sandbox::launch(const SandboxOptions& options) {
    for (unsigned shard = 0; shard < options.shards; ++shard) {
        for (unsigned node = 0; node <= options.replicas; ++node) {
            Member member;
            member.shard = shard_name(shard);
            member.part = node == 0 ? Part::primary : Part::replica;
            member.folder = member.shard + (node == 0 ? std::string("-primary") : "-replica-" + std::to_string(node));
            if (auto done = launch_one(options, std::move(member), {}); !done) return done;
        }
    }
    return {};
}

support::Result<void> Sandbox::launch_one(const SandboxOptions& options, Member member, std::string config) {
    const std::string path = folder_ + "/" + member.folder;
    if (::mkdir(path.c_str(), 0700) != 0) {
        return support::failure(support::ExitCode::local_io,
                                "cannot make the folder " + path + ": " + std::strerror(errno));
    }
    ServerOptions wanted;
    wanted.program = options.program;
    wanted.folder = path;
    wanted.password = password_;
    wanted.config = std::move(config);
    wanted.die_with_parent = options.die_with_parent;
    wanted.cluster = options.kind == Kind::cluster;
    if (member.part == Part::sentinel) wanted.arguments.emplace_back("--sentinel");
    members_.push_back(std::move(member));
    auto server = LocalServer::launch(std::move(wanted));
    if (!server) return tl::make_unexpected(server.error());
    servers_.push_back(std::move(*server));
    return {};
}

support::Result<void> Sandbox::save() {
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        members_[i].port = servers_[i].port();
        members_[i].mark = mark_of(servers_[i].process().pid()).value_or(ProcessMark{});
    }
    const bool locked = !password_.empty();
    auto written =
        locked ? write_file(folder_ + "/" + kPasswordFile, password_.reveal() + "\n") : support::Result<void>{};
    return written
        .and_then([&] { return write_file(folder_ + "/" + kConfigFile, config_text(kind_, members_, locked)); })
        .and_then([&] { return write_file(folder_ + "/" + kStateFile, to_text(members_)); });
}

support::Result<void> Sandbox::await_servers(support::Deadline deadline) {
    for (auto& server : servers_) {
        if (auto ready = server.await(deadline); !ready) return ready;
    }
    return {};
}

support::Result<void> Sandbox::tie(const SandboxOptions& options, support::Deadline deadline) {
    switch (kind_) {
        case Kind::shards: return link(deadline);
        case Kind::cluster: return join(deadline);
        case Kind::sentinel: return link(deadline).and_then([&] { return watch(options, deadline); });
    }
    return {};
}

support::Result<void> Sandbox::link(support::Deadline deadline) {
    std::vector<domain::Endpoint> replicas;
    const LocalServer* primary = nullptr;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (members_[i].part == Part::primary) {
            primary = &servers_[i];
            continue;
        }
        replicas.push_back(servers_[i].unix_endpoint());
        if (auto followed = follow(replicas.back(), primary->endpoint()); !followed) return followed;
    }
    for (const auto& replica : replicas) {
        if (auto up = await_link(replica, deadline); !up) return up;
    }
    return {};
}

support::Result<void> Sandbox::join(support::Deadline deadline) {
    std::vector<ClusterNode> nodes;
    std::optional<std::size_t> primary;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        const bool is_primary = members_[i].part == Part::primary;
        if (is_primary) primary = i;
        nodes.push_back({servers_[i].endpoint(), servers_[i].bus_port(), is_primary ? std::nullopt : primary});
    }
    return join_cluster(nodes, deadline);
}

support::Result<void> Sandbox::watch(const SandboxOptions& options, support::Deadline deadline) {
    std::vector<Watched> primaries;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (members_[i].part == Part::primary)
            primaries.push_back({members_[i].shard, servers_[i].endpoint(), options.replicas});
    }
    std::vector<domain::Endpoint> sentinels;
    for (unsigned i = 1; i <= kSentinels; ++i) {
        Member member;
        member.part = Part::sentinel;
        member.folder = "sentinel-" + std::to_string(i);
        auto done = launch_one(options, std::move(member), sentinel_config(primaries, kSentinels, {}));
        if (!done) return done;
    }
    auto ready = save().and_then([&] { return await_servers(deadline); });
    if (!ready) return ready;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        if (members_[i].part == Part::sentinel) sentinels.push_back(servers_[i].endpoint());
    }
    return await_sentinels(sentinels, primaries, deadline);
}

support::Result<std::vector<MemberStatus>> status(const std::string& folder) {
    auto members = members_in(folder);
    if (!members) return tl::make_unexpected(members.error());
    std::vector<MemberStatus> result;
    for (auto& member : *members) {
        MemberStatus one;
        one.running = is_ours(folder, member);
        one.answers = one.running && answers(member.endpoint());
        one.member = std::move(member);
        result.push_back(std::move(one));
    }
    return result;
}

support::Result<Ended> down(const std::string& folder) {
    auto members = members_in(folder);
    if (!members) return tl::make_unexpected(members.error());
    const auto locked = lock(folder);
    if (!locked.is_open()) {
        return support::failure(support::ExitCode::local_io,
                                "the sandbox in " + folder + " belongs to a ratectl that is running; nothing was ended",
                                "it is gone when that `ratectl sandbox run` is");
    }
    Ended ended;
    // Replicas first, so that none complains about its primary.
    for (auto it = members->rbegin(); it != members->rend(); ++it) {
        if (!is_running(it->mark)) continue;
        if (!is_ours(folder, *it)) {
            ended.strangers.push_back(*it);
        } else if (end_process(it->mark, kGrace)) {
            ++ended.servers;
        } else {
            return support::failure(support::ExitCode::local_io,
                                    "the server with process number " + std::to_string(it->mark.pid) +
                                        " does not end; the files in " + folder + " stay",
                                    "`ratectl sandbox down` once more ends what is left");
        }
    }
    ended.left = remove_files(folder, *members);
    return ended;
}

}  // namespace ratectl::sandbox
