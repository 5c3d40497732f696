// The scripts of sliding windows against what the libraries themselves do, on random states and a real server.
#include <fmt/format.h>

#include "lua/window_fixture.h"

namespace ratectl::test {
namespace {

// So long that nothing fades between two commands.
constexpr std::int64_t kSlidDay = 86'400;
constexpr std::int64_t kSlidMs = kSlidDay * 1000;
constexpr std::int64_t kSlidNumber = 20'000;
constexpr std::int64_t kRequestsADay = 20;

enum class SlidingKind { limits, upstash };

/// What the libraries' own scripts find, and do with requests that pass. KEYS: present, before. ARGV: period in ms, how
/// many, now (Upstash's). Returns what counts of both.
const char* sliding_library(SlidingKind kind) {
    if (kind == SlidingKind::limits)
        return "local expiry, amount = tonumber(ARGV[1]), tonumber(ARGV[2]) "
               "local current_ttl = redis.call('pttl', KEYS[1]) "
               "if current_ttl > 0 and current_ttl < expiry then redis.call('rename', KEYS[1], KEYS[2]) "
               "redis.call('set', KEYS[1], 0, 'PX', current_ttl + expiry) end "
               "local previous = tonumber(redis.call('get', KEYS[2]) or '0') "
               "local previous_ttl = math.max(0, redis.call('pttl', KEYS[2])) "
               "local current = tonumber(redis.call('get', KEYS[1]) or '0') "
               "if amount > 0 then if redis.call('exists', KEYS[1]) == 1 then redis.call('incrby', KEYS[1], amount) "
               "else redis.call('set', KEYS[1], amount, 'PX', expiry * 2) end end "
               "return { current, math.floor(previous * previous_ttl / expiry) }";
    return "local window, amount, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]) "
           "local current = tonumber(redis.call('GET', KEYS[1]) or '0') "
           "local previous = tonumber(redis.call('GET', KEYS[2]) or '0') "
           "local percentage = (now % window) / window "
           "if amount > 0 and redis.call('INCRBY', KEYS[1], amount) == amount then "
           "redis.call('PEXPIRE', KEYS[1], window * 2 + 1000) end "
           "return { current, math.floor((1 - percentage) * previous) }";
}

/// What counts.
struct SlidUse {
    std::int64_t present = 0, before = 0;
    std::int64_t all() const { return present + before; }
    bool any() const { return present != 0 || before != 0; }
};

class SlidingBox {
public:
    SlidingBox(SlidingKind kind, std::uint32_t seed)
        : kind_(kind),
          window_(seed),
          key_(is_limits() ? "LIMITS:{LIMITER/x/20/1/day}" : numbered(0)),
          scheme_(made()) {}

    bool is_limits() const { return kind_ == SlidingKind::limits; }
    WindowFixture& window() { return window_; }
    const schemes::Scheme& scheme() const { return scheme_; }
    const std::string& key() const { return key_; }
    std::string before() const { return is_limits() ? key_ + "/-1" : numbered(-1); }
    support::Moment now() const { return support::WallTime{support::Milliseconds{now_ms_}}; }
    const std::string& odd() const { return odd_; }
    /// Of Upstash, by how many periods the clock is behind the window.
    std::int64_t late() const { return is_limits() ? 0 : now_ms_ / kSlidMs - kSlidNumber; }

    void randomize() {
        auto& server = window_.server();
        server.command({"FLUSHALL"});
        odd_.clear();
        now_ms_ = is_limits() ? window_.server_ms() - 3000
                              : (kSlidNumber + day()) * kSlidMs + window_.between(0, kSlidMs - 1);
        if (window_.one_in(8)) return;
        const auto lives = window_.between(60'000, (is_limits() ? 2 : 3) * kSlidMs);
        const bool present = !window_.one_in(5);
        if (present) put(key_, lives);
        if (!present || window_.one_in(2)) put(before(), std::max<std::int64_t>(lives - kSlidMs, 60'000));
    }

    SlidUse library(std::int64_t amount, std::string present, std::string previous) {
        const auto reply =
            window_.server().reply({"EVAL", sliding_library(kind_), "2", std::move(present), std::move(previous),
                                    std::to_string(kSlidMs), std::to_string(amount), std::to_string(now_ms_)});
        REQUIRE(reply.items.size() == 2);
        return {*support::parse_decimal(reply.items[0].text), *support::parse_decimal(reply.items[1].text)};
    }
    /// What it would find now.
    SlidUse library_finds() {
        if (late() < 0 || late() > 1) return {};
        copy();
        return late() == 0 ? library(0, "copy", "copied before") : library(0, "none", "copy");
    }
    void copy() {
        window_.server().command({"DEL", "copy", "copied before"});
        window_.server().command({"COPY", key_, "copy"});
        window_.server().command({"COPY", before(), "copied before"});
    }

    domain::WindowLook look() {
        const std::vector<std::string> keys{key_};
        std::vector<redis::Reply> replies;
        for (const auto& call : scheme_.script_look_calls(keys)) replies.push_back(window_.call(call));
        std::vector<schemes::Scheme::Look> looks(1, tl::make_unexpected(support::Error{}));
        scheme_.decode_script_looks(keys, replies, looks);
        REQUIRE(looks.front().has_value());
        return *looks.front();
    }
    domain::Window judged() { return scheme_.judge(look(), now(), kRequestsADay); }

    template <class Item>
    schemes::WriteAnswer write(redis::ScriptCall (schemes::Scheme::*call)(std::span<const Item* const>,
                                                                          const schemes::CallHead&) const,
                               const Item& item) {
        const std::vector<const Item*> all{&item};
        const std::vector<std::string_view> keys{key_};
        const auto reply = window_.call((scheme_.*call)(all, {}));
        INFO(reply.text);
        const auto answers = schemes::decode_writes(keys, reply);
        REQUIRE(answers.has_value());
        window_.words.insert(answers->windows.at(0).reason);
        return answers->windows.at(0);
    }

private:
    static std::string numbered(std::int64_t by) { return fmt::format("u:c:{}", kSlidNumber + by); }
    const schemes::Scheme& made() const {
        std::vector<domain::Policy> policies(1);
        policies[0].name = "api";
        policies[0].key = support::value_or_throw(
            domain::KeyTemplate::parse(is_limits() ? "LIMITS:{{LIMITER/{client}/20/1/day}}" : "u:{client}:{bucket}"));
        policies[0].limit = kRequestsADay;
        policies[0].period = support::Seconds{kSlidDay};
        return schemes::scheme_of(
            schemes::scheme_of({is_limits() ? "limits-sliding" : "upstash-sliding", ""}, policies).of(key_));
    }
    std::int64_t day() { return window_.one_in(4) ? window_.between(-1, 2) : 0; }
    void put(const std::string& key, std::int64_t lives) {
        auto& server = window_.server();
        server.command({"SET", key, std::to_string(window_.between(window_.one_in(6) ? -3 : 0, 25))});
        if (odd_.empty() && window_.one_in(16)) odd_ = "not-an-integer";
        if (odd_ == "not-an-integer") server.command({"SET", key, "soon"});
        if (window_.one_in(20)) {
            odd_ = "wrong-type";
            server.command({"DEL", key});
            server.command({"RPUSH", key, "1"});
        }
        if (!window_.one_in(10)) server.command({"PEXPIRE", key, std::to_string(lives)});
    }

    SlidingKind kind_;
    WindowFixture window_;
    std::string key_;
    const schemes::Scheme& scheme_;
    std::int64_t now_ms_ = 0;
    std::string odd_;
};

/// Both keys; an expiry that the write has set is about the same.
void same_key(const StoredHalf& ours, const StoredHalf& theirs) {
    constexpr std::int64_t slack_ms = 3000;
    CHECK(ours.type == theirs.type);
    CHECK(ours.value == theirs.value);
    CHECK(std::abs(ours.expires_ms - theirs.expires_ms) <= slack_ms);
}

void agrees_with_sliding_library(SlidingBox& box) {
    const auto found = box.library_finds();
    const auto window = box.judged();
    CHECK((window.used.has_value() ? *window.used : 0) == (found.any() ? found.all() : 0));
    if (!found.any()) CHECK_FALSE(window.used);
    if (found.any())
        CHECK(window.remaining == std::max<std::int64_t>(0, kRequestsADay - std::max<std::int64_t>(found.all(), 0)));
}

/// The answer says what is there now.
void answer_is_true(SlidingBox& box, const schemes::WriteAnswer& answer) {
    const auto window = box.judged();
    CHECK(answer.after.used == std::to_string(window.used.value_or(0)));
    if (window.reset_at) CHECK(answer.after.reset_at == std::to_string(support::epoch_seconds(*window.reset_at)));
    CHECK(answer.after.state == box.scheme().stored(box.look(), box.now()).state);
}

void count_into(SlidingBox& box) {
    const domain::CountItem item{{box.key(), 0}, box.window().between(0, 9), {}, box.now()};
    const auto present = box.window().read_half(box.key());
    const auto all = box.window().snapshot();
    const bool endless = box.is_limits() && present.type == "string" && present.expires_ms == -1;
    const std::string word = !box.odd().empty() ? box.odd()
                             : item.amount == 0 ? "nothing-to-count"
                             : box.late() != 0  ? "closed"
                             : endless          ? "no-expiry"
                                                : "";
    const auto answer = box.write(&schemes::Scheme::count_call, item);
    CHECK(answer.reason == word);
    if (!word.empty()) {
        CHECK(box.window().snapshot() == all);
        return;
    }
    CHECK(answer.taken == item.amount);
    answer_is_true(box, answer);
}

void give_back_of(SlidingBox& box, const SlidUse& found) {
    auto& window = box.window();
    domain::RefundItem item{{box.key(), 0}, window.between(0, 9)};
    item.now = box.now();
    item.clamp = window.one_in(2);
    const auto present = window.read_half(box.key());
    const auto before = window.read_half(box.before());
    const bool endless = box.is_limits() && present.type == "string" && present.expires_ms == -1;
    const auto most = box.late() == 0 ? std::max<std::int64_t>(found.present, 0) : 0;
    const auto taken = std::min(item.amount, most);
    const std::string word = !box.odd().empty()                                ? box.odd()
                             : present.type == "none" && before.type == "none" ? "no-window"
                             : !found.any()                                    ? "closed"
                             : most < item.amount && !item.clamp               ? "below-zero"
                             : taken == 0                                      ? "nothing-to-take"
                             : endless                                         ? "no-expiry"
                                                                               : "";
    const auto answer = box.write(&schemes::Scheme::refund_call, item);
    CHECK(answer.reason == word);
    CHECK(window.read_half(box.before()) == before);
    auto after = window.read_half(box.key());
    if (word.empty()) {
        CHECK(answer.taken == taken);
        CHECK(after.number() == *present.number() - taken);
        after.value = present.value;
        answer_is_true(box, answer);
    }
    CHECK(after == present);
}

TEST_CASE("Counts into and refunds of sliding windows leave what their libraries would have left") {
    for (const auto kind : {SlidingKind::limits, SlidingKind::upstash}) {
        SlidingBox box(kind, 21);
        auto& window = box.window();
        for (int i = 0; i < random_states(500); ++i) {
            box.randomize();
            INFO(static_cast<int>(kind) << ' ' << i << ' ' << box.odd() << ' ' << window.read_half(box.key()) << "; "
                                        << window.read_half(box.before()) << " late " << box.late());
            CHECK((box.judged().state == domain::WindowState::corrupt) == !box.odd().empty());
            SlidUse found;
            if (box.odd().empty()) {
                agrees_with_sliding_library(box);
                found = box.library_finds();
            }
            if (window.one_in(2)) {
                count_into(box);
            } else {
                give_back_of(box, found);
            }
            if (box.odd().empty()) agrees_with_sliding_library(box);
        }
        for (const char* word : {"", "wrong-type", "not-an-integer", "no-window", "closed", "below-zero",
                                 "nothing-to-count", "nothing-to-take"}) {
            INFO(word);
            CHECK(window.words.contains(word));
        }
        CHECK(window.words.contains("no-expiry") == box.is_limits());
    }
}

TEST_CASE("A request that is counted moves a sliding window as its library's own does") {
    for (const auto kind : {SlidingKind::limits, SlidingKind::upstash}) {
        SlidingBox box(kind, 22);
        auto& window = box.window();
        int moved = 0;
        for (int i = 0; i < random_states(300); ++i) {
            do {
                box.randomize();
            } while (!box.odd().empty() || box.late() != 0);
            const auto present = window.read_half(box.key());
            if (box.is_limits() && present.expires_ms == -1) continue;
            INFO(i << ' ' << present << "; " << window.read_half(box.before()));
            box.copy();
            box.library(3, "copy", "copied before");
            const domain::CountItem item{{box.key(), 0}, 3, {}, box.now()};
            CHECK(box.write(&schemes::Scheme::count_call, item).status == domain::WriteStatus::applied);
            same_key(window.read_half(box.key()), window.read_half("copy"));
            same_key(window.read_half(box.before()), window.read_half("copied before"));
            if (window.read_half(box.key()).value == "3" && present.number().value_or(0) > 0) ++moved;
        }
        CHECK((moved > 20) == box.is_limits());
    }
}

TEST_CASE("A sliding window that was removed comes back byte for byte and on top of what came since") {
    for (const auto kind : {SlidingKind::limits, SlidingKind::upstash}) {
        SlidingBox box(kind, 23);
        auto& window = box.window();
        for (int i = 0; i < random_states(100); ++i) {
            SlidUse found;
            do {
                box.randomize();
                found = box.odd().empty() && box.late() == 0 ? box.library_finds() : SlidUse();
            } while (found.present < 1 || found.before < 0);
            window.server().command({"DEL", "copy", "copied before"});
            if (window.read_half(box.key()).expires_ms == -1) continue;
            INFO(i << ' ' << window.read_half(box.key()) << "; " << window.read_half(box.before()));
            const auto before = window.snapshot();
            const domain::ResetItem all{{box.key(), 0}, std::nullopt, std::nullopt, {}, box.now()};
            auto another = all;
            another.if_stored = domain::StoredWindow{{}, {}, {}, "2:99-"};
            CHECK(box.write(&schemes::Scheme::reset_call, another).reason == "window-changed");
            const auto removed = box.write(&schemes::Scheme::reset_call, all);
            CHECK(removed.status == domain::WriteStatus::applied);
            CHECK(removed.before.used == std::to_string(found.all()));
            CHECK(window.server().command({"DBSIZE"}) == "0");
            domain::RestoreItem back{{box.key(), 0}, removed.before, false, box.now()};
            CHECK(box.write(&schemes::Scheme::restore_call, back).status == domain::WriteStatus::applied);
            CHECK(window.snapshot() == before);
            CHECK(box.write(&schemes::Scheme::restore_call, back).reason == "window-there");
            window.server().command({"FLUSHALL"});
            const domain::CountItem two{{box.key(), 0}, 2, {}, box.now()};
            CHECK(box.write(&schemes::Scheme::count_call, two).status == domain::WriteStatus::applied);
            back.merge = true;
            const auto merged = box.write(&schemes::Scheme::restore_call, back);
            CHECK(merged.after.used == std::to_string(found.all() + 2));
            agrees_with_sliding_library(box);
            answer_is_true(box, merged);
        }
    }
}

TEST_CASE("Two windows that share a key come back one after the other") {
    SlidingBox box(SlidingKind::upstash, 24);
    auto& window = box.window();
    do {
        box.randomize();
    } while (box.late() != 0);
    window.server().command({"FLUSHALL"});
    window.server().command({"SET", box.key(), "3", "PX", "900000"});
    window.server().command({"SET", box.before(), "5", "PX", "800000"});
    const auto before = window.snapshot();
    const domain::ResetItem present{{box.key(), 0}, std::nullopt, std::nullopt, {}, box.now()};
    // The other one was removed first, and put back first.
    const auto other = window.read_half(box.before());
    window.server().command({"DEL", box.before()});
    const auto removed = box.write(&schemes::Scheme::reset_call, present);
    window.server().command({"SET", box.before(), *other.value, "PXAT", std::to_string(other.expires_ms)});
    const domain::RestoreItem back{{box.key(), 0}, removed.before, false, box.now()};
    CHECK(box.write(&schemes::Scheme::restore_call, back).status == domain::WriteStatus::applied);
    CHECK(window.snapshot() == before);
}

}  // namespace
}  // namespace ratectl::test
