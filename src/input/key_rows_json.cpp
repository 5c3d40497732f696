// Key rows as JSON objects, one a line or in a document: only the fields that a row is about are kept of each, no tree
// is built.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "input/key_records.h"

namespace ratectl::input {

namespace {

using nlohmann::json;

/// One field of the object that is being read.
struct JsonField {
    enum class Kind { absent, null, text, integer, other };
    Kind kind = Kind::absent;
    std::string text;  // of an integer: its canonical digits

    bool is_there() const { return kind != Kind::absent && kind != Kind::null; }
};

/// What the parser calls; takes the fields of the outermost object. The signatures are the library's.
class FieldTaker final : public json::json_sax_t {
public:
    /// For the next object.
    void clear() {
        depth_ = 0;
        is_object_ = false;
        twice_ = {};
        current_ = nullptr;
        for (auto& field : fields_) field.kind = JsonField::Kind::absent;
    }
    bool is_object() const { return is_object_; }
    std::string_view twice() const { return twice_; }
    const JsonField& operator[](KeyRowField name) const { return fields_[name]; }

    bool null() override { return take(JsonField::Kind::null, {}); }
    bool boolean(bool) override { return take(JsonField::Kind::other, {}); }
    bool number_integer(number_integer_t value) override { return take_integer(value); }
    bool number_unsigned(number_unsigned_t value) override { return take_integer(value); }
    bool number_float(number_float_t, const string_t&) override { return take(JsonField::Kind::other, {}); }
    bool string(string_t& value) override { return take(JsonField::Kind::text, value); }
    bool binary(binary_t&) override { return take(JsonField::Kind::other, {}); }
    bool start_object(std::size_t) override {
        if (depth_ == 0) is_object_ = true;
        return open();
    }
    bool start_array(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        if (depth_ != 1) return true;
        const auto* known = std::find(kKeyRowNames.begin(), kKeyRowNames.end(), name);
        current_ =
            known == kKeyRowNames.end() ? nullptr : &fields_[static_cast<std::size_t>(known - kKeyRowNames.begin())];
        if (current_ != nullptr && current_->kind != JsonField::Kind::absent) twice_ = *known;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

private:
    bool open() {
        take(JsonField::Kind::other, {});
        ++depth_;
        return true;
    }
    bool close() {
        --depth_;
        return true;
    }
    template <class Integer>
    bool take_integer(Integer value) {
        if (depth_ != 1 || current_ == nullptr) return true;
        const fmt::format_int digits(value);
        return take(JsonField::Kind::integer, {digits.data(), digits.size()});
    }
    bool take(JsonField::Kind kind, std::string_view text) {
        if (depth_ != 1 || current_ == nullptr) return true;
        current_->kind = kind;
        current_->text.assign(text);
        return true;
    }

    std::array<JsonField, kKeyRowFields> fields_;
    JsonField* current_ = nullptr;  // the one whose value comes next
    int depth_ = 0;
    bool is_object_ = false;
    std::string_view twice_;
};

class JsonObjects : public KeyRowReader::Records {
public:
    using Records::Records;

protected:
    void read_object(std::string_view text, KeyRow& row) {
        fields_.clear();
        if (!json::sax_parse(text, &fields_) || !fields_.is_object()) bad("this is not a JSON object");
        if (!fields_.twice().empty()) bad(fmt::format("'{}' occurs twice in the object", fields_.twice()));
        fill(row);
    }

private:
    /// The field's text, null when it is absent.
    const std::string* text_of(KeyRowField name) const {
        const JsonField& field = fields_[name];
        if (!field.is_there()) return nullptr;
        if (field.kind != JsonField::Kind::text) bad(fmt::format("'{}' is not a string", kKeyRowNames[name]));
        return &field.text;
    }

    /// An integer in its canonical text; 1.0 and 1e3 are not integers here.
    const std::string* integer_of(KeyRowField name) const {
        const JsonField& field = fields_[name];
        if (!field.is_there()) return nullptr;
        if (field.kind != JsonField::Kind::integer) bad(fmt::format("'{}' is not a whole number", kKeyRowNames[name]));
        return &field.text;
    }

    /// The string keeps its memory.
    static void set(std::optional<std::string>& to, const std::string* text) {
        if (text == nullptr) {
            to.reset();
        } else if (to) {
            to->assign(*text);
        } else {
            to = *text;
        }
    }

    /// Other commands' fields of these names may hold anything; a half is text.
    void take_others(KeyRow& row) const {
        const auto has = [this](KeyRowField name) {
            return fields_[name].kind == JsonField::Kind::null || fields_[name].kind == JsonField::Kind::text;
        };
        const auto text = [this](KeyRowField name) {
            const JsonField& field = fields_[name];
            return field.kind == JsonField::Kind::text ? std::optional{field.text} : std::nullopt;
        };
        row.actor = actor_of(text);
        take_seen(row.seen, has, text);
    }

    void fill(KeyRow& row) const {
        set(row.key, text_of(kKey));
        const std::string* base64 = text_of(kKeyBase64);
        row.key_exact = base64 != nullptr;
        if (base64 != nullptr) row.key = bytes_of_base64(kKeyBase64, *base64);
        set(row.client, text_of(kClient));
        set(row.deployment, text_of(kDeployment));
        const std::string* amount = integer_of(kAmount);
        row.amount = amount != nullptr ? std::optional{amount_of(*amount)} : std::nullopt;
        const std::string* reset = integer_of(kResetAt);
        row.seen = {};
        if (reset != nullptr) row.seen.reset_at = reset_of(*reset);
        take_others(row);
        row.seen.is_look =
            is_look(row.seen, [this](KeyRowField name) { return fields_[name].kind != JsonField::Kind::absent; });
        check(row, fields_[kOrganisation].is_there());
    }

    FieldTaker fields_;
};

class NdjsonRecords final : public JsonObjects {
public:
    explicit NdjsonRecords(ByteSource& source) : JsonObjects(source, '\n') {}

    bool next(KeyRow& row) override {
        while (const auto line = next_line()) {
            if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
            read_object(*line, row);
            return true;
        }
        return false;
    }
};

/// Cuts the objects that are rows out of JSON laid out in any way: those of the member `rows` of the outermost object,
/// those of an outermost array, or the outermost ones themselves. What stands between them is only looked at as far as
/// that needs.
class JsonDocument final : public JsonObjects {
public:
    explicit JsonDocument(ByteSource& source) : JsonObjects(source, '}') {}

    /// In lines of the text; it is read up to each brace.
    std::uint64_t line() const override { return line_; }

    bool next(KeyRow& row) override {
        for (;;) {
            while (at_ < piece_.size()) {
                if (!take(piece_[at_++])) continue;
                read_object(row_, row);
                row_.clear();
                return true;
            }
            const auto piece = next_line();
            if (!piece) break;
            piece_.assign(*piece);
            if (!unended()) piece_ += '}';
            at_ = 0;
        }
        if (!open_.empty() || in_string_) bad("the JSON breaks off", "was the program that wrote it interrupted?");
        return false;
    }

private:
    /// True when this character is the last one of a row.
    bool take(char c) {
        if (c == '\n') ++line_;
        if (open_.empty() && (c == '{' || c == '[')) rows_are_inside_ = c == '[';
        if (!in_string_ && c == '{' && taking_ == 0 && is_row_place()) taking_ = open_.size() + 1;
        if (taking_ > 0) row_ += c;
        if (row_.size() > kLongest) bad("an object is too long for a row");
        if (in_string_) {
            take_of_string(c);
        } else if (c == '"') {
            if (taking_ == 0 && is_row_place()) bad_place();
            in_string_ = true;
            string_.clear();
        } else if (c == '{' || c == '[') {
            open(c);
        } else if (c == '}' || c == ']') {
            return close(c);
        } else if (taking_ == 0 && is_row_place() && std::string_view(" \t\r\n,").find(c) == std::string_view::npos) {
            bad_place();
        }
        return false;
    }

    /// Whether an object that begins here is a row.
    bool is_row_place() const { return open_.empty() || (rows_are_inside_ && (open_ == "[" || open_ == "{[")); }

    void take_of_string(char c) {
        if (after_backslash_) {
            after_backslash_ = false;
        } else if (c == '\\') {
            after_backslash_ = true;
        } else if (c == '"') {
            in_string_ = false;
        } else if (open_.size() == 1) {
            string_ += c;
        }
    }

    void open(char c) {
        if (c == '[' && taking_ == 0 && !open_.empty() && is_row_place()) bad_place();
        const bool document = c == '[' && open_ == "{" && string_ == "rows";
        if (document) {
            rows_are_inside_ = true;
            taking_ = 0;
            row_.clear();
        }
        open_ += c;
    }

    bool close(char c) {
        if (open_.empty() || (open_.back() == '{') != (c == '}')) bad_place();
        const bool row_ends = taking_ == open_.size();
        open_.pop_back();
        if (row_ends) taking_ = 0;
        if (c == ']' && open_ == "{") rows_are_inside_ = false;
        return row_ends && !row_.empty();
    }

    [[noreturn]] void bad_place() const {
        bad("this is not JSON with rows in it", "an object, an array of objects, or the document that -o json prints");
    }

    static constexpr std::size_t kLongest = std::size_t{1024} * 1024;
    std::string piece_;
    std::size_t at_ = 0;
    std::uint64_t line_ = 1;
    std::string open_;              // the brackets around the place
    std::string row_;               // what is there of the row, or of an outermost object that may be one
    std::size_t taking_ = 0;        // how many brackets are open inside it; 0: none is being taken
    bool rows_are_inside_ = false;  // of the array that is open
    bool in_string_ = false;
    bool after_backslash_ = false;
    std::string string_;  // the last one directly inside the outermost bracket
};

}  // namespace

std::unique_ptr<KeyRowReader::Records> make_ndjson_records(ByteSource& source) {
    return std::make_unique<NdjsonRecords>(source);
}

std::unique_ptr<KeyRowReader::Records> make_json_records(ByteSource& source) {
    return std::make_unique<JsonDocument>(source);
}

}  // namespace ratectl::input
