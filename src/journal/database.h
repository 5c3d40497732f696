// SQLite as values that clean up after themselves: a connection, a prepared statement, a transaction. Every failure is
// a support::Failure (local_io) that names the file and says what is wrong with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ratectl::journal {

/// A connection to an existing file that holds nothing, or a journal. Waits up to ten seconds for other processes.
class Database {
public:
    explicit Database(std::string path);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    const std::string& path() const { return path_; }
    sqlite3* handle() const { return handle_; }
    /// Statements without answers.
    void run(const std::string& sql);
    /// The first column of the first row.
    std::int64_t number(const std::string& sql);
    /// Of the row that was inserted last.
    std::int64_t last_id() const;
    /// Write-ahead log, every commit on disk when it returns.
    void make_durable();
    /// What SQLite's result code means for people.
    [[noreturn]] void fail(int code) const;

private:
    void close();

    std::string path_;
    sqlite3* handle_ = nullptr;
};

/// Used again and again: reset() after the last step(). Parameters and columns count from 1 and 0, as in SQLite.
class Statement {
public:
    Statement(Database& database, std::string_view sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    Statement& bind(int parameter, std::int64_t value);
    /// These are not copied: they live until reset().
    Statement& bind_text(int parameter, std::string_view text);
    Statement& bind_bytes(int parameter, std::string_view bytes);
    /// True: a row is there.
    bool step();
    /// For statements without rows: step() and reset().
    void run();
    void reset();

    std::int64_t integer(int column) const;
    std::string bytes(int column) const;
    /// Until the next step() or reset().
    std::string_view bytes_view(int column) const;
    std::optional<std::string> maybe_bytes(int column) const;

private:
    void check(int code) const;

    Database& database_;
    sqlite3_stmt* statement_ = nullptr;
};

/// Begins as a writer at once; rolls back unless committed.
class Transaction {
public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& database_;
    bool open_ = true;
};

}  // namespace ratectl::journal
