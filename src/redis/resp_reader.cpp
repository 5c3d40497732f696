// The only file that sees hiredis: what differs between 0.14 and 1.x ends here.
#include "redis/resp_reader.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
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
const redisReadTask& current_task(const redisReader& reader) { return *reader.task[reader.ridx]; }
#else
using ElementCount = int;
const redisReadTask& current_task(const redisReader& reader) { return reader.rstack[reader.ridx]; }
#endif

}  // namespace

// hiredis calls back into this while it parses; replies are built in place, without its own reply objects.
struct RespReader::Parser {
    struct FreeReader {
        void operator()(redisReader* reader) const { redisReaderFree(reader); }
    };

    explicit Parser(ReplyCaps limits);

    Reply* slot(const redisReadTask* task, Kind kind);
    /// Its array's elements are not stored.
    bool is_received(const redisReadTask* task) const { return received != nullptr && task->parent->obj == received; }
    void refuse(std::string why) {
        if (refusal.empty()) refusal = std::move(why);
    }
    void inspect_incomplete();
    void inspect_bulk_header(std::string_view line);
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
};

namespace {

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
        if (kind == Kind::text && parser.is_received(task)) {
            parser.receiver->text(view);
            return parser.received;
        }
        Reply* reply = parser.slot(task, kind);
        reply->text.assign(view);
        return reply;
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
        // Elements that stood there before are written over. A header alone must not cost much memory: beyond so many, what really comes
        // grows the vector.
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
    if (task.type == REDIS_REPLY_STRING) inspect_bulk_header(rest.substr(0, line_end - 1));
}

void RespReader::Parser::inspect_bulk_header(std::string_view line) {
    std::uint64_t length = 0;
    for (const char digit : line) {
        if (digit < '0' || digit > '9') return;  // hiredis has its own word for that
        length = length * 10 + static_cast<std::uint64_t>(digit - '0');
        if (length > caps.bytes) return refuse(fmt::format("reply too large: a value of {} bytes", line));
    }
}

std::string RespReader::Parser::error_words() const {
    if (!refusal.empty()) return refusal;
    const std::string_view words(reader->errstr);
    return words.empty() ? std::string("bytes that are no reply") : std::string(words);
}

RespReader::RespReader(ReplyCaps caps) : parser_(std::make_unique<Parser>(caps)) {}

RespReader::~RespReader() = default;

void RespReader::feed(std::string_view bytes) {
    parser_->bytes += bytes.size();
    if (redisReaderFeed(parser_->reader.get(), bytes.data(), bytes.size()) != REDIS_OK)
        parser_->refuse("out of memory");
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

std::size_t RespReader::left_over() const { return parser_->reader->len - parser_->reader->pos; }

}  // namespace ratectl::redis
