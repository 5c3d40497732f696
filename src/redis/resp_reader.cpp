// Reads RESP with hiredis; the only file that includes it, so that differences between 0.14 and 1.x end here.
#include "redis/resp_reader.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <hiredis/hiredis.h>

#include <fmt/format.h>

#include "support/error.h"

namespace ratectl::redis {
namespace {

using Kind = Reply::Kind;

constexpr std::size_t kMostReady = 4096;

#if HIREDIS_MAJOR >= 1
using ElementCount = std::size_t;
const redisReadTask& current_task(const redisReader& from) { return *from.task[from.ridx]; }
#else
using ElementCount = int;
const redisReadTask& current_task(const redisReader& from) { return from.rstack[from.ridx]; }
#endif

}  // namespace

// hiredis calls back into this while it parses; replies are built in place, without its own reply objects.
struct RespReader::Parser {
    struct FreeReader {
        void operator()(redisReader* it) const { redisReaderFree(it); }
    };

    explicit Parser(ReplyCaps limits);

    Reply* slot(const redisReadTask* task, Kind kind);
    /// Its array's elements are not stored.
    bool is_received(const redisReadTask* task) const {
        return received != nullptr && task->parent != nullptr && task->parent->obj == received;
    }
    void refuse(std::string why) {
        if (refusal.empty()) refusal = std::move(why);
    }
    void inspect_incomplete();
    void inspect_bulk_header(std::string_view line, std::string_view begun);
    void feed(std::string_view bytes);
    /// Keeps what is to be kept of the long text that is passing by, and gives back what comes behind it.
    std::string_view pass_by(std::string_view bytes);
    /// The long text whose end has come, or one that has come in one piece.
    CutText cut_of(std::string_view text) const;
    std::string error_words() const;

    ReplyCaps caps;
    std::unique_ptr<redisReader, FreeReader> reader;
    Reply* root = nullptr;
    ElementReceiver* receiver = nullptr;
    Reply* received = nullptr;  // the array whose elements go to it
    Reply dropped;              // an element that it has no use for
    std::size_t elements = 0;
    std::size_t bytes = 0;  // fed for the reply that is being read
    std::string refusal;

    /// A text that is too long for its receiver. It never gets as far as hiredis, which is given an empty one in its
    /// place.
    struct LongText {
        std::size_t length = 0;
        std::size_t passed = 0;  // of it and the two bytes behind it
        std::size_t most = 0;    // of the beginning
        std::string beginning;
        std::string end;

        bool is_whole() const { return passed == length + 2; }
    };
    std::optional<LongText> long_text;
};

namespace {

std::size_t kept_of(std::size_t most) { return std::min(most, CutText::kBeginning); }

// No exception may cross hiredis' C frames; a null makes it stop with an error.
template <class Build>
void* guarded(const redisReadTask* task, Build build) noexcept {
    auto* parser = static_cast<RespReader::Parser*>(task->privdata);
    try {
        return build(*parser);
    } catch (const std::exception& e) {
        parser->refuse(e.what());
        return nullptr;
    }
}

void* create_string(const redisReadTask* task, char* text, std::size_t size) {
    return guarded(task, [&](RespReader::Parser& parser) -> void* {
        const std::string_view view(text, size);
        Kind kind = Kind::text;
        if (task->type == REDIS_REPLY_STRING) {
            // The two bytes behind a bulk string are in the buffer; hiredis skips them unseen.
            if (text[size] != '\r' || text[size + 1] != '\n') parser.refuse("a bulk string does not end where it said");
        } else {
            kind = task->type == REDIS_REPLY_ERROR ? Kind::error : Kind::status;
            if (task->type != REDIS_REPLY_ERROR && task->type != REDIS_REPLY_STATUS) parser.refuse("a type of RESP3");
            if (view.find_first_of("\r\n") != std::string_view::npos) parser.refuse("a line break inside a line");
        }
        if (!parser.refusal.empty()) return nullptr;
        const bool is_cut = kind == Kind::text && parser.receiver != nullptr &&
                            (parser.long_text || view.size() > parser.receiver->most());
        void* taken = parser.received;
        if (kind == Kind::text && parser.is_received(task)) {
            is_cut ? parser.receiver->cut(parser.cut_of(view)) : parser.receiver->text(view);
        } else {
            Reply* reply = parser.slot(task, kind);
            reply->text.assign(is_cut ? parser.cut_of(view).beginning : view);
            taken = reply;
        }
        if (is_cut) parser.long_text.reset();
        return taken;
    });
}

void* create_array(const redisReadTask* task, ElementCount count) {
    return guarded(task, [&](RespReader::Parser& parser) -> void* {
        const auto size = static_cast<std::size_t>(count);
        std::size_t depth = 1;
        for (const redisReadTask* up = task->parent; up != nullptr; up = up->parent) ++depth;
        if (task->type != REDIS_REPLY_ARRAY) parser.refuse("a type of RESP3");
        if (depth > parser.caps.depth) parser.refuse("reply too large: arrays nested too deep");
        if (size > parser.caps.elements - parser.elements) parser.refuse("reply too large: too many elements");
        if (!parser.refusal.empty()) return nullptr;
        parser.elements += size;
        Reply* reply = parser.slot(task, Kind::array);
        const bool received = parser.receiver != nullptr && parser.receiver->depth() == depth;
        if (received) parser.received = reply;
        // Elements that stood there before are written over. A header alone must not cost much memory: beyond so many,
        // what really comes grows the vector.
        reply->elements.resize(received ? 0 : std::min(size, kMostReady));
        return reply;
    });
}

void* create_integer(const redisReadTask* task, long long value) {
    return guarded(task, [&](RespReader::Parser& parser) -> void* {
        Reply* reply = parser.slot(task, Kind::integer);
        reply->integer = value;
        return reply;
    });
}

void* create_nil(const redisReadTask* task) {
    return guarded(task, [&](RespReader::Parser& parser) -> void* {
        // RESP2 has bulk strings and arrays that are none, and no type of its own for it.
        if (task->type == REDIS_REPLY_NIL) parser.refuse("a type of RESP3");
        return parser.slot(task, Kind::nil);
    });
}

void keep(void*) {}

#if HIREDIS_MAJOR >= 1
void* refuse_double(const redisReadTask* task, double, char*, std::size_t) {
    static_cast<RespReader::Parser*>(task->privdata)->refuse("a type of RESP3");
    return nullptr;
}

void* refuse_bool(const redisReadTask* task, int) {
    static_cast<RespReader::Parser*>(task->privdata)->refuse("a type of RESP3");
    return nullptr;
}

redisReplyObjectFunctions functions{create_string, create_array, create_integer, refuse_double, create_nil,
                                    refuse_bool,   keep};
#else
redisReplyObjectFunctions functions{create_string, create_array, create_integer, create_nil, keep};
#endif

}  // namespace

RespReader::Parser::Parser(ReplyCaps limits) : caps(limits), reader(redisReaderCreateWithFunctions(&functions)) {
    if (!reader) throw std::bad_alloc();
    reader->privdata = this;
}

// A reply of another kind than the one whose place it takes leaves nothing of that one behind.
Reply* RespReader::Parser::slot(const redisReadTask* task, Kind kind) {
    Reply* reply = root;
    if (is_received(task)) {
        kind == Kind::nil ? receiver->nil() : receiver->other();
        reply = &dropped;
    } else if (task->parent != nullptr) {
        auto& siblings = static_cast<Reply*>(task->parent->obj)->elements;
        const auto place = static_cast<std::size_t>(task->idx);
        if (place == siblings.size()) siblings.emplace_back();
        reply = &siblings[place];
    }
    reply->kind = kind;
    reply->integer = 0;
    if (kind == Kind::nil || kind == Kind::integer || kind == Kind::array) reply->text.clear();
    if (kind != Kind::array) reply->elements.clear();
    return reply;
}

// What hiredis would wait for although it can never come, or must not be waited for.
void RespReader::Parser::inspect_incomplete() {
    if (bytes > caps.bytes) refuse(fmt::format("reply too large: more than {} bytes", caps.bytes));
    if (reader->ridx < 0 || reader->pos >= reader->len) return;
    const redisReadTask& task = current_task(*reader);
    const std::string_view rest(reader->buf + reader->pos, reader->len - reader->pos);
    if (task.type <= 0) return;
    const std::size_t line_end = rest.find('\n');
    if (line_end == std::string_view::npos) return;
    if (line_end == 0 || rest[line_end - 1] != '\r') return refuse("a line that ends without a carriage return");
    if (task.type == REDIS_REPLY_STRING) inspect_bulk_header(rest.substr(0, line_end - 1), rest.substr(line_end + 1));
}

void RespReader::Parser::inspect_bulk_header(std::string_view line, std::string_view begun) {
    const std::size_t most = receiver != nullptr ? receiver->most() : ElementReceiver::kAny;
    const std::uint64_t longest = most == ElementReceiver::kAny ? caps.bytes : CutText::kLongest;
    std::uint64_t length = 0;
    for (const char digit : line) {
        if (digit < '0' || digit > '9') return;  // hiredis has its own word for that
        length = length * 10 + static_cast<std::uint64_t>(digit - '0');
        if (length > longest) return refuse(fmt::format("reply too large: a value of {} bytes", line));
    }
    if (length <= most || line.empty()) return;
    long_text = LongText{length, 0, kept_of(most), {}, {}};
    pass_by(begun);
    bytes -= begun.size();
    reader->pos = reader->len;
}

void RespReader::Parser::feed(std::string_view more) {
    bytes += more.size();
    if (redisReaderFeed(reader.get(), more.data(), more.size()) != REDIS_OK) refuse("out of memory");
}

std::string_view RespReader::Parser::pass_by(std::string_view more) {
    LongText& text = *long_text;
    std::string_view part = more.substr(0, text.length + 2 - text.passed);
    more.remove_prefix(part.size());
    text.passed += part.size();
    const std::size_t kept = std::min(part.size(), text.most - text.beginning.size());
    text.beginning.append(part.substr(0, kept));
    part.remove_prefix(kept);
    constexpr std::size_t most_of_end = CutText::kEnd + 2;
    if (part.size() >= most_of_end) text.end.clear();
    text.end.append(part.substr(part.size() - std::min(part.size(), most_of_end)));
    if (text.end.size() > most_of_end) text.end.erase(0, text.end.size() - most_of_end);
    if (!text.is_whole()) return more;
    if (!text.end.ends_with("\r\n")) refuse("a bulk string does not end where it said");
    feed("0\r\n\r\n");  // hiredis has read the dollar sign
    return more;
}

CutText RespReader::Parser::cut_of(std::string_view text) const {
    if (long_text) {
        const std::string_view end(long_text->end);
        return {long_text->beginning, end.substr(0, end.size() - 2), long_text->length};
    }
    const std::string_view rest = text.substr(kept_of(receiver->most()));
    return {text.substr(0, text.size() - rest.size()), rest.substr(rest.size() - std::min(rest.size(), CutText::kEnd)),
            text.size()};
}

std::string RespReader::Parser::error_words() const {
    if (!refusal.empty()) return refusal;
    const std::string_view words(reader->errstr);
    return words.empty() ? std::string("bytes that are no reply") : std::string(words);
}

RespReader::RespReader(ReplyCaps caps) : parser_(std::make_unique<Parser>(caps)) {}

RespReader::~RespReader() = default;

void RespReader::feed(std::string_view bytes) {
    const bool passes_by = parser_->long_text && !parser_->long_text->is_whole();
    if (passes_by) bytes = parser_->pass_by(bytes);
    if (!bytes.empty()) parser_->feed(bytes);
}

tl::expected<bool, std::string> RespReader::next(Reply& into, ElementReceiver* elements) {
    Parser& parser = *parser_;
    if (!parser.refusal.empty()) return tl::make_unexpected(parser.refusal);
    if (parser.reader->ridx >= 0 && parser.root != &into) {
        throw support::Failure(support::ExitCode::bug, "a reply was to be built in two places");
    }
    parser.root = &into;
    parser.receiver = elements;
    void* complete = nullptr;
    const int status = redisReaderGetReply(parser.reader.get(), &complete);
    if (status == REDIS_OK && complete != nullptr) {
        parser.received = nullptr;
        parser.elements = 0;
        parser.bytes = left_over();
        return true;
    }
    if (status == REDIS_OK) parser.inspect_incomplete();
    if (status != REDIS_OK || !parser.refusal.empty()) {
        parser.refuse(parser.error_words());
        return tl::make_unexpected(parser.refusal);
    }
    return false;
}

std::size_t RespReader::left_over() const {
    const std::size_t passed = parser_->long_text ? parser_->long_text->passed : 0;
    return parser_->reader->len - parser_->reader->pos + passed;
}

}  // namespace ratectl::redis
