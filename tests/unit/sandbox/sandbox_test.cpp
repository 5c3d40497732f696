// A sandbox comes up whole, is found and ended from its folder alone, and ends nothing that is not its own.
#include "sandbox/sandbox.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "support/catch.h"
#include "support/plain_client.h"
#include "support/redis_server.h"

using namespace ratectl::sandbox;

namespace {

SandboxOptions options_of(unsigned shards, unsigned replicas) {
    SandboxOptions options;
    options.shards = shards;
    options.replicas = replicas;
    options.program = ratectl::test::redis_server_program();
    return options;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

TEST_CASE("a sandbox has the shards and replicas asked for and their links are up") {
    const auto sandbox = Sandbox::up(options_of(3, 1)).value();
    REQUIRE(sandbox.members().size() == 6);
    std::set<std::uint16_t> ports;
    for (const auto& member : sandbox.members()) {
        ports.insert(member.port);
        CHECK(is_running(member.mark));
        ratectl::test::PlainClient client(member.endpoint());
        const auto role = client.command({"ROLE"}).value();
        CHECK(role.items.at(0).text == (member.part == Part::primary ? "master" : "slave"));
        if (member.part == Part::replica) CHECK(role.items.at(3).text == "connected");
    }
    CHECK(ports.size() == 6);
    CHECK(sandbox.members().front().shard == "alpha");
    CHECK(sandbox.members().back().shard == "gamma");
}

TEST_CASE("a sandbox of a cluster is one whose slots are all served and whose nodes know one another") {
    auto options = options_of(2, 1);
    options.kind = Kind::cluster;
    options.patience = std::chrono::seconds(60);
    options.password = ratectl::domain::Secret("open-sesame");
    const auto sandbox = Sandbox::up(options).value();
    REQUIRE(sandbox.members().size() == 4);
    for (const auto& member : sandbox.members()) {
        auto endpoint = member.endpoint();
        endpoint.credentials.password = options.password;
        ratectl::test::PlainClient client(endpoint);
        const auto info = client.command({"CLUSTER", "INFO"}).value().text;
        CHECK(info.find("cluster_state:ok") != std::string::npos);
        CHECK(info.find("cluster_slots_ok:16384") != std::string::npos);
        CHECK(info.find("cluster_size:2") != std::string::npos);
        const auto role = client.command({"ROLE"}).value().items.at(0).text;
        CHECK(role == (member.part == Part::primary ? "master" : "slave"));
    }
}

TEST_CASE("a sandbox under sentinels has three that know every shard and are ended with it") {
    auto options = options_of(2, 1);
    options.kind = Kind::sentinel;
    options.patience = std::chrono::seconds(60);
    options.password = ratectl::domain::Secret("open-sesame");
    std::vector<Member> members;
    {
        const auto sandbox = Sandbox::up(options).value();
        members = sandbox.members();
        REQUIRE(members.size() == 7);
        auto endpoint = members.back().endpoint();
        endpoint.credentials.password = options.password;
        ratectl::test::PlainClient client(endpoint);
        for (std::size_t shard = 0; shard < 2; ++shard) {
            CHECK(client.command({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", shard_name(static_cast<unsigned>(shard))})
                      .value()
                      .items.at(1)
                      .text == std::to_string(members[2 * shard].port));
            CHECK(client.command({"SENTINEL", "CKQUORUM", shard_name(static_cast<unsigned>(shard))})
                      .value()
                      .text.starts_with("OK 3 usable"));
        }
        CHECK(std::count_if(members.begin(), members.end(),
                            [](const Member& one) { return one.part == Part::sentinel; }) == 3);
    }
    for (const auto& member : members) CHECK_FALSE(is_running(member.mark));
}

TEST_CASE("a released sandbox is ended from its folder by a later run") {
    std::string folder;
    std::vector<Member> members;
    {
        auto sandbox = Sandbox::up(options_of(2, 1)).value();
        folder = sandbox.folder();
        members = sandbox.members();
        sandbox.release();
    }
    const auto seen = status(folder).value();
    REQUIRE(seen.size() == 4);
    for (const auto& one : seen) {
        CHECK(one.running);
        CHECK(one.answers);
    }
    CHECK(down(folder).value().servers == 4);
    for (const auto& member : members) CHECK_FALSE(is_running(member.mark));
    CHECK_FALSE(exists(folder));
    CHECK_FALSE(status(folder).has_value());
    CHECK(down(folder).error().code == ratectl::support::ExitCode::local_io);
}

TEST_CASE("an owned sandbox is gone with its owner") {
    std::string folder;
    Member member;
    {
        const auto sandbox = Sandbox::up(options_of(1, 0)).value();
        folder = sandbox.folder();
        member = sandbox.members().front();
    }
    CHECK_FALSE(is_running(member.mark));
    CHECK_FALSE(exists(folder));
}

TEST_CASE("ending a sandbox spares a process that now has a pid of its") {
    ratectl::test::RedisServer bystander;
    auto folder = TemporaryFolder::make("/tmp", "ratectl-test").value();
    Member member;
    member.shard = "alpha";
    member.folder = "alpha-primary";
    member.mark = mark_of(bystander.pid()).value();
    --member.mark.started;
    REQUIRE(write_file(folder.path() + "/" + kStateFile, to_text({member})).has_value());
    CHECK(down(folder.path()).value().servers == 0);
    CHECK(bystander.command({"PING"}) == "PONG");
}

TEST_CASE("ending a sandbox spares a process that its state names rightly but that is none of its servers") {
    ratectl::test::RedisServer bystander;
    auto folder = TemporaryFolder::make("/tmp", "ratectl-test").value();
    REQUIRE(std::filesystem::create_directory(folder.path() + "/alpha-primary"));
    Member member;
    member.shard = "alpha";
    member.folder = "alpha-primary";
    member.port = bystander.endpoint().port;
    member.mark = mark_of(bystander.pid()).value();
    REQUIRE(write_file(folder.path() + "/" + kStateFile, to_text({member})).has_value());
    CHECK_FALSE(status(folder.path()).value().at(0).running);
    const auto ended = down(folder.path()).value();
    CHECK(ended.servers == 0);
    REQUIRE(ended.strangers.size() == 1);
    CHECK(ended.strangers[0].mark == member.mark);
    CHECK(bystander.command({"PING"}) == "PONG");
}

TEST_CASE("a sandbox whose owner is there is not ended by another run") {
    const auto sandbox = Sandbox::up(options_of(1, 0)).value();
    const auto ended = down(sandbox.folder());
    REQUIRE_FALSE(ended.has_value());
    CHECK(ended.error().message.find("belongs to a ratectl that is running") != std::string::npos);
    CHECK(is_running(sandbox.members().front().mark));
}

TEST_CASE("servers of a sandbox want the password that only its owner can read") {
    auto options = options_of(1, 1);
    options.password = ratectl::domain::Secret("open-sesame");
    const auto sandbox = Sandbox::up(options).value();
    for (const auto& member : sandbox.members()) {
        auto endpoint = member.endpoint();
        CHECK(ratectl::test::PlainClient(endpoint).command({"PING"}).value().text.starts_with("NOAUTH"));
        endpoint.credentials.password = options.password;
        CHECK(ratectl::test::PlainClient(endpoint).command({"PING"}).value().text == "PONG");
        std::ifstream command("/proc/" + std::to_string(member.mark.pid) + "/cmdline");
        const std::string words{std::istreambuf_iterator<char>(command), {}};
        CHECK(!words.empty());
        CHECK(words.find("open-sesame") == std::string::npos);
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(sandbox.folder())) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        INFO(entry.path());
        const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
        if (text.find("open-sesame") != std::string::npos)
            CHECK((entry.status().permissions() & others) == std::filesystem::perms::none);
    }
}

TEST_CASE("ending a sandbox removes only its own files") {
    auto parent = TemporaryFolder::make("/tmp", "ratectl-test").value();
    auto options = options_of(1, 0);
    options.folder = parent.path() + "/box";
    auto sandbox = Sandbox::up(options).value();
    CHECK(sandbox.folder() == options.folder);
    std::ofstream(options.folder + "/notes") << "mine";
    sandbox.release();
    const auto ended = down(options.folder).value();
    CHECK(ended.servers == 1);
    CHECK(ended.left == std::vector<std::string>{"notes"});
    CHECK(exists(options.folder + "/notes"));
    CHECK_FALSE(exists(options.folder + "/alpha-primary"));
}

TEST_CASE("a folder that holds something is not taken for a sandbox") {
    auto parent = TemporaryFolder::make("/tmp", "ratectl-test").value();
    std::ofstream(parent.path() + "/notes") << "mine";
    auto options = options_of(1, 0);
    options.folder = parent.path();
    const auto sandbox = Sandbox::up(options);
    REQUIRE_FALSE(sandbox.has_value());
    CHECK(sandbox.error().message.find("is not empty") != std::string::npos);
    CHECK(exists(parent.path() + "/notes"));
}

TEST_CASE("a server that cannot start leaves nothing of the sandbox") {
    auto parent = TemporaryFolder::make("/tmp", "ratectl-test").value();
    auto options = options_of(2, 0);
    options.parent = parent.path();
    options.program = "/bin/false";
    CHECK_FALSE(Sandbox::up(options).has_value());
    CHECK(std::filesystem::is_empty(parent.path()));
}

TEST_CASE("the state of a sandbox survives writing and reading and nothing else passes for one") {
    Member member;
    member.shard = "alpha";
    member.part = Part::replica;
    member.port = 7001;
    member.folder = "alpha-replica-1";
    member.mark = {42, 4711};
    const auto back = members_from(to_text({member}), "file").value();
    REQUIRE(back.size() == 1);
    CHECK(back[0].mark == member.mark);
    CHECK(back[0].port == 7001);
    CHECK(back[0].part == Part::replica);
    Member sentinel;
    sentinel.part = Part::sentinel;
    sentinel.port = 7002;
    sentinel.folder = "sentinel-1";
    const auto two = members_from(to_text({member, sentinel}), "file").value();
    REQUIRE(two.size() == 2);
    CHECK(two[1].part == Part::sentinel);
    CHECK(two[1].shard.empty());
    CHECK_FALSE(members_from("ratectl-sandbox 1\n- sentinel 7001 alpha-primary 42 4711\n", "file").has_value());
    CHECK_FALSE(members_from("ratectl-sandbox 1\nalpha boss 7001 alpha-boss 42 4711\n", "file").has_value());
    CHECK_FALSE(members_from("", "file").has_value());
    CHECK_FALSE(members_from("something\n", "file").has_value());
    CHECK_FALSE(members_from("ratectl-sandbox 1\nalpha primary 7001 ../../etc 42 4711\n", "file").has_value());
    CHECK_FALSE(members_from("ratectl-sandbox 1\nalpha primary 7001 alpha-primary -1 4711\n", "file").has_value());
    CHECK_FALSE(members_from("ratectl-sandbox 1\nalpha primary 7001\n", "file").has_value());
}

TEST_CASE("shards have names for as long as there are letters and then numbers") {
    CHECK(shard_name(0) == "alpha");
    CHECK(shard_name(23) == "omega");
    CHECK(shard_name(24) == "shard25");
}
