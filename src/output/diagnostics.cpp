// Writes messages to standard error, line by line.
#include "output/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "output/formats/human_cell.h"
#include "output/formats/machine_text.h"
#include "output/mask.h"
#include "output/printable.h"

namespace ratectl::output {
namespace {

constexpr std::string_view kWipeLine = "\r\x1b[K";
constexpr int kNoCode = -1;
constexpr std::string_view kHint = "hint: ";

/// Foreign bytes with a line break in them can never begin a line: continuation lines are indented.
std::string indented(std::string_view text) {
    std::string out;
    for (const char c : printable_lines(text)) {
        out += c;
        if (c == '\n') out.append(kHint.size(), ' ');
    }
    return out;
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
    out.append(",\"").append(name).append("\":");
    text.empty() ? void(out += "null") : append_json_string(out, text);
}

std::string tinted(bool color, Tone tone, std::string_view text) {
    if (!color) return std::string(text);
    return std::string(tone_on(tone)).append(text).append(tone_off(tone));
}

}  // namespace

void Diagnostics::notice(std::string_view message, std::string_view hint) {
    if (!options_.quiet) line("notice", message, hint, kNoCode, {}, {});
}

void Diagnostics::warning(std::string_view message, std::string_view hint) {
    if (!options_.quiet) line("warning", message, hint, kNoCode, {}, {});
}

void Diagnostics::warning_about(std::string_view message, const std::vector<std::string>& keys, std::uint64_t more) {
    if (options_.quiet) return;
    std::string members = ",\"keys\":[";
    std::string below;
    for (const std::string& key : keys) {
        if (&key != keys.data()) members += ',';
        append_json_string(members, key);
        const std::string text = printable(key);
        below += "  " + (options_.terminal ? elide_middle(text, std::max<std::size_t>(options_.width, 20) - 2) : text) +
                 "\n";
    }
    members += "],\"more\":";
    append_integer(members, static_cast<std::int64_t>(more));
    if (more > 0) below += "  and " + std::to_string(more) + " more\n";
    line("warning", message, {}, kNoCode, {}, {}, members);
    if (!options_.json) say(below);
}

void Diagnostics::error(const support::Error& error, std::string_view shard, std::string_view node) {
    line("error", error.message, error.hint, static_cast<int>(error.code), shard, node);
}

void Diagnostics::line(std::string_view kind, std::string_view message, std::string_view hint, int code,
                       std::string_view shard, std::string_view node, std::string_view members) {
    clear_progress();
    const std::string shown_message = masked(options_.mask.get(), message);
    const std::string shown_hint = masked(options_.mask.get(), hint);
    message = shown_message;
    hint = shown_hint;
    std::string out;
    if (options_.json) {
        out.append("{\"kind\":\"").append(kind).append("\",\"code\":");
        code == kNoCode ? void(out += "null") : append_integer(out, code);
        append_member(out, "shard", shard);
        append_member(out, "node", node);
        append_member(out, "message", message);
        append_member(out, "hint", hint);
        out.append(members).append("}\n");
    } else {
        const Tone tone = kind == "error" ? Tone::bad : kind == "warning" ? Tone::warning : Tone::plain;
        out += tinted(options_.color, tone, options_.program + ":");
        std::string lead = " ";
        if (kind != "error") lead.append(kind).append(": ");
        out += lead;
        out.append(fitted(printable(message), options_.program.size() + 1 + lead.size(), 2)).append("\n");
        if (!hint.empty() && hint != hint_)
            out.append(kHint).append(fitted(indented(hint), kHint.size(), kHint.size())).append("\n");
        hint_ = hint;
    }
    say(out);
}

/// Broken between words on a terminal; elsewhere a message is one line.
std::string Diagnostics::fitted(const std::string& text, std::size_t used, std::size_t indent) const {
    return options_.terminal ? wrap(text, options_.width, used, indent) : text;
}

void Diagnostics::say(const std::string& lines) {
    if (holding_) {
        held_ += lines;
        return;
    }
    err_.write(lines);
    err_.flush();
}

void Diagnostics::release() {
    holding_ = false;
    if (!held_.empty()) say(std::exchange(held_, {}));
}

void Diagnostics::progress(std::string_view text) {
    if (holding_ || !options_.terminal || options_.json || options_.quiet) return;
    err_.write(std::string(kWipeLine) +
               elide_middle(printable(masked(options_.mask.get(), text)), options_.width > 1 ? options_.width - 1 : 1));
    err_.flush();
    progress_shown_ = true;
}

void Diagnostics::clear_progress() {
    if (!progress_shown_) return;
    progress_shown_ = false;
    err_.write(kWipeLine);
    err_.flush();
}

void Diagnostics::summary(std::string_view message, const std::vector<std::pair<std::string, std::int64_t>>& counts,
                          const std::vector<std::pair<std::string, std::string>>& facts) {
    clear_progress();
    if (options_.quiet && !options_.json) return;
    const std::string shown = masked(options_.mask.get(), message);
    std::string out;
    if (options_.json) {
        out += "{\"kind\":\"summary\"";
        for (const auto& [name, count] : counts) {
            out += ',';
            append_json_string(out, name);
            out += ':';
            append_integer(out, count);
        }
        for (const auto& [name, text] : facts) append_member(out, name, text);
        append_member(out, "message", shown);
        summary_ = out + "}\n";
        return;
    }
    out = options_.program + ": ";
    out.append(fitted(printable(shown), out.size(), 2)).append("\n");
    say(out);
}

void Diagnostics::end(support::ExitCode code) {
    if (!options_.json) return;
    if (summary_.empty()) {
        const auto number = static_cast<std::int64_t>(code);
        summary(fmt::format("the command ended with exit code {}", number), {{"code", number}});
    }
    say(std::exchange(summary_, {}));
}

}  // namespace ratectl::output
