// Changes what top's screen shows: one key, one change.
#include "commands/top/view.h"

#include <algorithm>

#include "domain/key_template.h"
#include "output/utf8.h"

namespace ratectl::commands::top {
namespace {

using output::Key;

/// The last character, all of its bytes.
void erase_last(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
    if (!text.empty()) text.pop_back();
}

void type(View& view, const Key& key) {
    switch (key.kind) {
        case Key::Kind::character:
            if (key.character >= U' ') output::append_utf8(view.filter, key.character);
            return;
        case Key::Kind::erase: erase_last(view.filter); return;
        case Key::Kind::escape:
            view.filter.clear();
            view.typing = false;
            return;
        case Key::Kind::enter: view.typing = false; return;
        default: return;
    }
}

void sort_by(View& view, SortKey by) {
    view.order = {by, false};
    view.cursor = view.first = 0;
}

void press_character(View& view, char32_t c) {
    switch (c) {
        case U'q': view.leaving = true; return;
        case U'u': return sort_by(view, SortKey::used);
        case U'p': return sort_by(view, SortKey::percent);
        case U'r': return sort_by(view, SortKey::rate);
        case U't': return sort_by(view, SortKey::reset);
        case U'n': return sort_by(view, SortKey::key);
        case U'R': view.order.reversed = !view.order.reversed; return;
        case U'/': view.typing = true; return;
        case U' ': view.paused = !view.paused; return;
        case U's': view.shard_column = !view.shard_column; return;
        case U'h':
        case U'?': view.help = true; return;
        default: return;
    }
}

/// The letters under which editors have the arrows.
Key::Kind as_arrow(const Key& key) {
    if (key == Key{Key::Kind::character, U'j'}) return Key::Kind::down;
    if (key == Key{Key::Kind::character, U'k'}) return Key::Kind::up;
    return key.kind;
}

/// One thing at a time: the details, then the filter.
void escape(View& view) {
    if (view.details) {
        view.details.reset();
    } else {
        view.filter.clear();
    }
}

void move(View& view, Key::Kind kind, const Shown& shown) {
    switch (kind) {
        case Key::Kind::up: view.cursor -= std::min<std::size_t>(view.cursor, 1); return;
        case Key::Kind::down: ++view.cursor; return;
        case Key::Kind::page_up: view.cursor -= std::min(view.cursor, shown.page); return;
        case Key::Kind::page_down: view.cursor += shown.page; return;
        case Key::Kind::home: view.cursor = 0; return;
        case Key::Kind::end: view.cursor = shown.ids.size(); return;
        default: return;
    }
}

}  // namespace

void press(View& view, const Key& key, const Shown& shown) {
    if (key.kind == Key::Kind::resized) return;
    if (view.typing) return type(view, key);
    if (view.help) {
        view.help = false;  // any key
        view.leaving = key == Key{Key::Kind::character, U'q'};
        return;
    }
    const Key::Kind kind = as_arrow(key);
    if (kind == Key::Kind::character) return press_character(view, key.character);
    if (kind == Key::Kind::escape) return escape(view);
    const bool shows_details = view.details.has_value();
    move(view, kind, shown);
    settle(view, shown.ids.size(), shown.page);
    const bool wanted = shows_details != (kind == Key::Kind::enter) && view.cursor < shown.ids.size();
    view.details = wanted ? std::optional(shown.ids[view.cursor]) : std::nullopt;
}

void follow(View& view, std::span<const std::string> ids) {
    const auto place = view.details ? std::find(ids.begin(), ids.end(), *view.details) : ids.end();
    if (place != ids.end()) view.cursor = static_cast<std::size_t>(place - ids.begin());
}

void settle(View& view, std::size_t rows, std::size_t page) {
    view.cursor = std::min(view.cursor, rows == 0 ? 0 : rows - 1);
    view.first = std::min(view.first, view.cursor);
    if (page > 0 && view.cursor >= view.first + page) view.first = view.cursor + 1 - page;
    const std::size_t last_first = rows > page ? rows - page : 0;
    view.first = std::min(view.first, last_first);
}

bool passes_filter(std::string_view filter, std::string_view visible_key) {
    if (filter.empty()) return true;
    // Half a pattern, while it is being typed, is no reason to complain.
    if (domain::has_wildcard(filter) && domain::check_glob(filter)) return domain::glob_matches(filter, visible_key);
    return visible_key.find(filter) != std::string_view::npos;
}

}  // namespace ratectl::commands::top
