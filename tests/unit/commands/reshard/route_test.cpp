// The pure parts of a reshard: names of deployments, who is who, routes, and what a copy has to equal.
#include "commands/reshard/route.h"
#include "commands/request/deployment_name.h"
#include "commands/reshard/snapshot.h"
#include "support/catch.h"
#include "support/window_look.h"

namespace ratectl::commands::reshard {
namespace {

std::shared_ptr<store::Directory> shards_of(std::size_t count, const char* preset) {
    store::ConfiguredShards configured{std::vector<domain::Shard>(count), std::vector<sharding::Server>(count), {}};
    for (std::size_t i = 0; i < count; ++i) configured.servers[i].name = "shard" + std::to_string(i);
    if (preset != nullptr) configured.sharding.emplace().preset = preset;
    return store::configured_directory(std::move(configured));
}

ServerIdentity server(const std::string& host, std::optional<std::string> run_id, int db = 0) {
    domain::Endpoint endpoint;
    endpoint.host = host;
    endpoint.db = db;
    return {endpoint, std::move(run_id)};
}

domain::WindowLook look_of(const std::string& used, std::int64_t reset, std::int64_t ttl_ms,
                           std::optional<std::int64_t> expires) {
    auto look = test::window_look();
    look.key = "core:1";
    look.depth = domain::LookDepth::full;
    counter_part(look) = {used, "string", ttl_ms, expires};
    expiry_part(look) = {std::to_string(reset), "string", ttl_ms, expires};
    return look;
}

support::WallTime wall(std::int64_t ms) { return support::WallTime{support::Milliseconds{ms}}; }

}  // namespace

TEST_CASE("a deployment is named by itself or by its file or by both") {
    const auto parts = [](const std::string& text) {
        const auto name = parse_deployment_name(text);
        return name.file.value_or("-") + " " + name.deployment.value_or("-");
    };
    CHECK(parts("production") == "- production");
    CHECK(parts("a.toml") == "a.toml -");
    CHECK(parts("./a") == "./a -");
    CHECK(parts("a.toml:new") == "a.toml new");
    CHECK(parts("/etc/x:y/a.toml") == "/etc/x:y/a.toml -");
    CHECK(parts("/etc/a:new") == "/etc/a new");
    CHECK_THROWS_AS(parse_deployment_name(""), support::Failure);
    CHECK_THROWS_AS(parse_deployment_name("a.toml:"), support::Failure);
}

TEST_CASE("two servers are one by address or by run id and two only by run ids") {
    CHECK(match_of(server("a", {}), server("A", {})) == ServerMatch::same);
    CHECK(match_of(server("a", "1"), server("b", "1")) == ServerMatch::same);
    CHECK(match_of(server("a", "1"), server("b", "1", 2)) == ServerMatch::other);
    CHECK(match_of(server("a", "1"), server("a", "1", 2)) == ServerMatch::other);
    CHECK(match_of(server("a", "1"), server("b", "2")) == ServerMatch::other);
    CHECK(match_of(server("a", "1"), server("b", {})) == ServerMatch::unproven);
    CHECK(match_of(server("a", {}), server("b", "2")) == ServerMatch::unproven);
}

TEST_CASE("a window goes where the new map says unless it is there or was never at home") {
    const auto from = shards_of(3, "modulo");
    const auto to = shards_of(4, "modulo");
    const auto no_rule = shards_of(3, nullptr);
    std::vector<std::vector<ServerMatch>> match(3, std::vector<ServerMatch>(4, ServerMatch::other));
    for (std::size_t i = 0; i < 3; ++i) match[i][i] = ServerMatch::same;
    match[2][3] = ServerMatch::unproven;
    const Router router(*from, *to, match);
    const Router everywhere(*no_rule, *to, match);
    std::vector<int> fates(5);
    for (int i = 0; i < 2000; ++i) {
        const auto key = "core:" + std::to_string(i);
        const auto a = from->place_of(key)->shard;
        const auto b = to->place_of(key)->shard;
        const auto route = router.route_of(key, a);
        ++fates[static_cast<std::size_t>(route.decision)];
        CHECK(route.to == b);
        CHECK(route.decision == (a == b             ? MoveDecision::stays
                                 : a == 2 && b == 3 ? MoveDecision::unproven
                                                    : MoveDecision::moves));
        const auto elsewhere = (a + 1) % 3;
        CHECK(router.route_of(key, elsewhere).decision ==
              (elsewhere == b ? MoveDecision::arrived : MoveDecision::misplaced));
        if (elsewhere == b) CHECK(everywhere.route_of(key, elsewhere).decision == MoveDecision::stays);
    }
    CHECK(fates[static_cast<std::size_t>(MoveDecision::stays)] > 300);
    CHECK(fates[static_cast<std::size_t>(MoveDecision::moves)] > 1000);
    CHECK(fates[static_cast<std::size_t>(MoveDecision::unproven)] > 50);
}

TEST_CASE("live windows are those that anybody would miss") {
    using domain::WindowState;
    const auto now = support::from_epoch(1000);
    const auto open = look_of("5", 2000, -1, {});
    const auto over = look_of("5", 900, -1, {});
    CHECK(standing_of(open, WindowState::open, now) == Standing::live);
    CHECK(standing_of(open, WindowState::exhausted, now) == Standing::live);
    CHECK(standing_of(open, WindowState::negative, now) == Standing::live);
    CHECK(standing_of(open, WindowState::leaked, now) == Standing::live);
    CHECK(standing_of(over, WindowState::leaked, now) == Standing::closed);
    CHECK(standing_of(over, WindowState::closed, now) == Standing::closed);
    CHECK(standing_of(over, WindowState::orphan_counter, now) == Standing::orphan);
    CHECK(standing_of(over, WindowState::orphan_expiry, now) == Standing::orphan);
    CHECK(standing_of(over, WindowState::corrupt, now) == Standing::corrupt);
}

TEST_CASE("a copy equals its source in bytes and to the millisecond in expiries") {
    const auto source = snapshot_of(look_of("5", 2000, 900'000, 2'001'000), wall(1'100'000));
    CHECK(source.exact_expiry);
    CHECK(source.window.expires[0] == 2'001'000);
    CHECK(is_same(source, snapshot_of(look_of("5", 2000, 800'000, 2'001'000), wall(1'200'000))));
    CHECK_FALSE(is_same(source, snapshot_of(look_of("6", 2000, 900'000, 2'001'000), wall(1'100'000))));
    CHECK_FALSE(is_same(source, snapshot_of(look_of("5", 2001, 900'000, 2'001'000), wall(1'100'000))));
    CHECK_FALSE(is_same(source, snapshot_of(look_of("5", 2000, 900'000, 2'001'001), wall(1'100'000))));
    CHECK_FALSE(is_same(source, snapshot_of(look_of("5", 2000, -1, {}), wall(1'100'000))));
    const auto endless = snapshot_of(look_of("5", 2000, -1, {}), wall(1'100'000));
    CHECK(endless.exact_expiry);
    CHECK_FALSE(endless.window.expires[0]);
    CHECK(is_same(endless, endless));
}

TEST_CASE("before Redis 7 an expiry is the usual second after the reset if the ttl fits it") {
    const auto usual = snapshot_of(look_of("5", 2000, 900'400, {}), wall(1'100'000));
    CHECK_FALSE(usual.exact_expiry);
    CHECK(usual.window.expires[0] == 2'001'000);
    const auto odd = snapshot_of(look_of("5", 2000, 500'000, {}), wall(1'100'000));
    CHECK(odd.window.expires[0] == 1'600'000);
    CHECK(is_same(odd, snapshot_of(look_of("5", 2000, 400'700, {}), wall(1'200'000))));
    CHECK_FALSE(is_same(odd, usual));
    auto list = look_of("5", 2000, 500'000, {});
    counter_part(list).value.reset();
    counter_part(list).type = "list";
    CHECK_FALSE(snapshot_of(list, wall(1'100'000)).strings);
}

}  // namespace ratectl::commands::reshard
