// Reads the answers to a page's commands: keys found, worth a look or not, and the time they took the server.
#include <functional>
#include <utility>

#include "domain/key_template.h"
#include "redis/server_facts.h"
#include "store/sweep/page_pipeline.h"

namespace ratectl::store {

PagePipeline::Done PagePipeline::take(const Awaited& awaited) {
    switch (awaited.kind) {
        case Kind::counters: return take_counters(awaited);
        case Kind::partners: return take_partners(awaited);
        case Kind::size: return take_size();
        case Kind::history: owner_.hear_history(facts_reply_.is_text() ? facts_reply_.text : ""); return Done{};
        case Kind::scan:
        case Kind::looks:
        case Kind::clock_before:
        case Kind::clock_after: break;
    }
    take_clock(awaited);
    return Done{};
}

PagePipeline::Done PagePipeline::take_found(SweepPage& page) {
    if (scan_reply_.is_error()) return redis::fault(refused(scan_reply_, "SCAN"));
    auto& parts = scan_reply_.elements;
    if (!scan_reply_.is_array() || parts.size() != 2 || !parts[0].is_text() || !parts[1].is_array()) {
        return redis::fault(odd_reply("SCAN"));
    }
    if (auto endless = guard_.passes(parts[0].text, page.count)) {
        return redis::fault(endless_scan(channel_.where(), *endless));
    }
    const auto& question = state_.question;
    const auto& scheme = *state_.core->scheme;
    const bool pairs_up = !two_phases_ && question.orphan_counters;
    page.next_cursor = parts[0].text;
    page.scan_key.resize(page.keys.size());
    page.scan_keys = 0;
    std::size_t named = 0;
    const std::size_t found = std::exchange(page.size, 0);
    for (std::size_t i = 0; i < found; ++i) {
        std::string& key = page.keys[i];
        const auto scanned = scheme.scanned_as(key);
        if (!scanned) continue;
        const auto [window, scan_key] = *scanned;
        if (question.glob != "*" && !domain::glob_matches(question.glob, window)) continue;
        if (state_.slots && is_scattered(window)) continue;
        ++named;
        if (!is_asked_about(key, window, scan_key)) continue;
        if (pairs_up && pairs_.pairs(window) && !scan_key) continue;  // its scan key has been found
        key.resize(window.size());
        if (page.size != i) std::swap(page.keys[page.size], key);
        page.scan_key[page.size++] = scan_key ? 1 : 0;
    }
    leave_out_long_names(page);
    if (2 * page.bytes <= SweepPage::kMostNames) page_size_.grow();
    cursor_ = page.next_cursor;
    scan_wanted_ = !page.is_last();
    // Comparing names costs the server more than sending a few that we turn away.
    matches_ = !by_name_ || named * 10 < 9 * (matches_ ? page.count : page.scanned);
    if (pairs_up || by_name_) put_anchors_first(page);
    const bool asks_first = (two_phases_ || pairs_up) && page.scan_keys < page.size;
    next_stage(page, !asks_first ? Stage::looking : two_phases_ ? Stage::counting : Stage::partnering);
    page.kept = page.scan_keys;
    return Done{};
}

// Another application's keys may be called so; they are counted, and told of once.
bool PagePipeline::is_scattered(std::string_view window) {
    auto error = state_.core->scattered(window);
    if (!error) return false;
    state_.scattered.insert(std::hash<std::string_view>{}(window));
    if (!state_.first_scattered) state_.first_scattered = std::move(error);
    return true;
}

// What a window is called is known by the beginning and the end.
void PagePipeline::leave_out_long_names(SweepPage& page) const {
    const auto& scheme = *state_.core->scheme;
    std::erase_if(page.too_long, [&](const LongName& name) {
        const auto scanned = scheme.scanned_as(name.shown);
        if (!scanned || (!scanned->is_scan_key && !state_.question.orphan_counters)) return true;
        return !domain::glob_matches(state_.question.glob, scanned->window);
    });
}

PagePipeline::Done PagePipeline::take_size() {
    std::optional<std::int64_t> keys;
    if (facts_reply_.kind == redis::Reply::Kind::integer) keys = facts_reply_.integer;
    if (auto endless = guard_.learns_size(keys)) return redis::fault(endless_scan(channel_.where(), *endless));
    return Done{};
}

bool PagePipeline::is_asked_about(std::string_view scanned, std::string_view window, bool scan_key) {
    const auto& question = state_.question;
    if (!scan_key && !by_name_ && (!question.orphan_counters || !question.orphan_counters(window))) return false;
    if (by_name_) {
        return scan_key ? owner_.wants_without_counter(window, scanned) : question.by_name->counter_found(window);
    }
    return !scan_key || !question.is_meant || question.is_meant(window);
}

void PagePipeline::put_anchors_first(SweepPage& page) {
    page.scan_keys = 0;
    for (std::size_t i = 0; i < page.size; ++i) {
        if (page.scan_key[i] == 0) continue;
        std::swap(page.keys[page.scan_keys], page.keys[i]);
        std::swap(page.scan_key[page.scan_keys++], page.scan_key[i]);
    }
}

// As many scan keys as counters: each has its own, and was, or will be, found by it. Else it is not known which one has
// none.
PagePipeline::Done PagePipeline::take_partners(const Awaited& awaited) {
    SweepPage& page = *awaited.page;
    if (partners_reply_.is_error()) {
        auto refusal = refused(partners_reply_, "EXISTS");
        if (!is_left_for_later(refusal, awaited)) return redis::fault(std::move(refusal));
        partners_reply_.integer = static_cast<std::int64_t>(awaited.count);
    } else if (partners_reply_.kind != redis::Reply::Kind::integer) {
        return redis::fault(odd_reply("EXISTS"));
    }
    if (partners_reply_.integer != static_cast<std::int64_t>(awaited.count)) {
        for (std::size_t i = 0; i < awaited.count; ++i) {
            std::swap(page.keys[page.kept], page.keys[awaited.first + i]);
            page.scan_key[page.kept++] = 0;
        }
    }
    if (!is_answered(page)) return Done{};
    page.size = page.kept;
    next_stage(page, Stage::looking);
    return Done{};
}

PagePipeline::Done PagePipeline::take_counters(const Awaited& awaited) {
    SweepPage& page = *awaited.page;
    const auto& counters = counters_reply_.elements;
    if (counters_reply_.is_error()) {
        auto refusal = refused(counters_reply_, "MGET");
        if (!is_left_for_later(refusal, awaited)) return redis::fault(std::move(refusal));
        counters_reply_.elements.clear();
    } else if (!counters_reply_.is_array() || counters.size() != awaited.count) {
        return redis::fault(odd_reply("MGET"));
    }
    for (std::size_t i = 0; i < counters.size(); ++i) {
        const std::size_t at = awaited.first + i;
        const auto counter = counters[i].is_text() ? std::string_view(counters[i].text) : std::string_view();
        if (!owner_.wants(page.keys[at], counter)) continue;
        std::swap(page.keys[page.kept], page.keys[at]);
        page.scan_key[page.kept++] = page.scan_key[at];
    }
    if (!is_answered(page)) return Done{};
    page.size = page.kept;
    page.measured = false;
    next_stage(page, Stage::looking);
    return Done{};
}

void PagePipeline::take_clock(const Awaited& awaited) {
    const auto clock = redis::parse_microseconds(facts_reply_);
    if (!clock) measures_ = awaited.page->measured = false;
    if (!clock) return;
    if (awaited.kind == Kind::clock_before) {
        clock_before_ = *clock;
        return;
    }
    SweepPage& page = *awaited.page;
    const auto took = *clock - clock_before_;
    if (awaited.count == 0) {
        page.busy = took;
        if (page.stage != Stage::done) return;
    } else {
        page.busy += took * static_cast<std::int64_t>(page.size) / static_cast<std::int64_t>(awaited.count);
    }
    page_size_.took(page.count, page.busy);
}

}  // namespace ratectl::store
