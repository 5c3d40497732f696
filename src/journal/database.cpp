// Calls SQLite, and puts its result codes into words.
#include "journal/database.h"

#include <sqlite3.h>

#include <cstring>
#include <new>

#include "support/error.h"

namespace ratectl::journal {
namespace {

using support::ExitCode;
using support::Failure;

constexpr int kBusyTimeoutMs = 10'000;
constexpr int kPauseMs = 10;

/// Transactions are short: SQLite's own handler, which soon sleeps a tenth of a second at a time, would leave most of
/// the time unused.
int wait_for_others(void*, int tries) {
    if (tries >= kBusyTimeoutMs / kPauseMs) return 0;
    sqlite3_sleep(tries < kPauseMs ? tries + 1 : kPauseMs);
    return 1;
}

std::string system_words(sqlite3* handle) {
    const int error = handle == nullptr ? 0 : sqlite3_system_errno(handle);
    return error == 0 ? std::string() : std::string(": ") + std::strerror(error);
}

}  // namespace

Database::Database(std::string path) : path_(std::move(path)) {
    const int code = sqlite3_open_v2(path_.c_str(), &handle_,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, nullptr);
    try {
        if (code != SQLITE_OK) fail(code);
        sqlite3_extended_result_codes(handle_, 1);
        sqlite3_busy_handler(handle_, wait_for_others, nullptr);
        // What a damaged or hostile file says of itself is checked, and runs nothing.
        run("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA cache_size=-8000");
    } catch (...) {
        close();
        throw;
    }
}

Database::~Database() { close(); }

void Database::close() { sqlite3_close_v2(handle_); }

void Database::run(const std::string& sql) {
    const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const std::string& sql) {
    Statement statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_); }

void Database::make_durable() {
    // Only the first process changes the mode, and SQLite does not wait by itself for the others to let go then.
    for (int waited = 0;; waited += kPauseMs) {
        const int code = sqlite3_exec(handle_, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
        if (code == SQLITE_OK) break;
        if ((code & 0xff) != SQLITE_BUSY || waited >= kBusyTimeoutMs) fail(code);
        sqlite3_sleep(kPauseMs);
    }
    run("PRAGMA synchronous=FULL");
    Statement mode(*this, "PRAGMA journal_mode");
    if (!mode.step() || mode.bytes(0) != "wal") {
        throw Failure(ExitCode::local_io, "the journal '" + path_ + "' cannot keep a write-ahead log where it is",
                      "--journal PATH names a file on a local disk");
    }
}

void Database::fail(int code) const {
    const std::string file = "the journal '" + path_ + "' ";
    switch (code & 0xff) {
        case SQLITE_NOMEM: throw std::bad_alloc();
        case SQLITE_FULL:
            throw Failure(ExitCode::local_io, file + "cannot be written: no space left on its disk",
                          "make room, or name another file with --journal PATH");
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            throw Failure(ExitCode::local_io, file + "is damaged, or no journal at all: " + sqlite3_errmsg(handle_),
                          "move it away and a new one is begun; `ratectl history --on-servers` shows what the servers "
                          "still know");
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw Failure(ExitCode::local_io, file + "is held by another process for longer than 10s",
                          "try again when that one is done");
        case SQLITE_IOERR:
            throw Failure(
                ExitCode::local_io,
                file + (code == SQLITE_IOERR_READ ? "cannot be read" : "cannot be written") + system_words(handle_),
                "check the disk and limits on file sizes, or name another file with --journal PATH");
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH:
            throw Failure(ExitCode::local_io, file + "cannot be written" + system_words(handle_),
                          "it and its folder must be ours to write; or name another file with --journal PATH");
        default:
            throw Failure(ExitCode::local_io, file + "fails: " + sqlite3_errmsg(handle_),
                          "name another file with --journal PATH");
    }
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
    check(sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::check(int code) const {
    if (code != SQLITE_OK) database_.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    check(sqlite3_bind_int64(statement_, parameter, value));
    return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view text) {
    check(sqlite3_bind_text64(statement_, parameter, text.data() == nullptr ? "" : text.data(), text.size(),
                              SQLITE_STATIC, SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind_bytes(int parameter, std::string_view bytes) {
    check(sqlite3_bind_blob64(statement_, parameter, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(),
                              SQLITE_STATIC));
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    sqlite3_reset(statement_);
    database_.fail(code);
}

void Statement::run() {
    step();
    reset();
}

void Statement::reset() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Statement::bytes_view(int column) const {
    const void* bytes = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

std::string Statement::bytes(int column) const { return std::string(bytes_view(column)); }

std::optional<std::string> Statement::maybe_bytes(int column) const {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
    return bytes(column);
}

Transaction::Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
    // A full disk may have ended it already; then there is nothing to take back, and no caller to tell.
    if (open_ && sqlite3_get_autocommit(database_.handle()) == 0)
        sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    database_.run("COMMIT");
    open_ = false;
}

}  // namespace ratectl::journal
