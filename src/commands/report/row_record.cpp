// Packs kept rows into bytes; the layout of a record: length, order, key, then the rest of the row.
#include "commands/report/row_record.h"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "output/formats/machine_text.h"

namespace ratectl::commands {
namespace {

using output::Cell;

/// Of a look that did not ask for the server's clock.
constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;

template <class T>
void put(std::string& out, T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

void put_text(std::string& out, std::string_view text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out += text;
}

void put_number(std::string& out, const std::optional<std::int64_t>& number) {
    put(out, number.has_value());
    if (number) put(out, *number);
}

void put_text(std::string& out, const std::optional<std::string>& text) {
    put(out, text.has_value());
    if (text) put_text(out, std::string_view(*text));
}

void put_part(std::string& out, const domain::StoredKey& stored) {
    put_text(out, stored.value);
    put_text(out, stored.type);
    put_number(out, stored.ttl_ms);
    put_number(out, stored.expires_at_ms);
}

class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    template <class T>
    T get() {
        T value{};
        std::memcpy(&value, bytes_.data(), sizeof value);
        bytes_.remove_prefix(sizeof value);
        return value;
    }
    std::string_view text() {
        const auto length = get<std::uint32_t>();
        const auto text = bytes_.substr(0, length);
        bytes_.remove_prefix(length);
        return text;
    }
    void read(std::optional<std::int64_t>& number) {
        number.reset();
        if (get<bool>()) number = get<std::int64_t>();
    }
    void read(std::optional<std::string>& into) {
        if (!get<bool>()) {
            into.reset();
        } else {
            into.emplace(text());
        }
    }
    void read(domain::StoredKey& stored) {
        read(stored.value);
        read(stored.type);
        read(stored.ttl_ms);
        read(stored.expires_at_ms);
    }

private:
    std::string_view bytes_;
};

/// What an order cell is in a record: text is text whatever its kind, and the numbers keep theirs.
enum class OrderKind : std::uint8_t { null, boolean, integer, number, second, wall_time, duration, text };

void put_order(std::string& out, const Cell& cell) {
    output::with_cell(cell, [&out, &cell](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        const auto both = [&out](OrderKind kind, auto number) {
            put(out, kind);
            put(out, number);
        };
        if constexpr (std::is_same_v<T, output::Null>) {
            put(out, OrderKind::null);
        } else if constexpr (std::is_same_v<T, bool>) {
            both(OrderKind::boolean, value);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
            both(OrderKind::integer, value);
        } else if constexpr (std::is_same_v<T, double>) {
            both(OrderKind::number, value);
        } else if constexpr (std::is_same_v<T, support::Instant>) {
            both(OrderKind::second, value);
        } else if constexpr (std::is_same_v<T, support::WallTime>) {
            both(OrderKind::wall_time, value);
        } else if constexpr (std::is_same_v<T, support::Milliseconds>) {
            both(OrderKind::duration, value);
        } else {
            put(out, OrderKind::text);
            put_text(out, *output::text_of(cell));
        }
    });
}

Cell get_order(Reader& reader) {
    switch (reader.get<OrderKind>()) {
        case OrderKind::boolean: return reader.get<bool>();
        case OrderKind::integer: return reader.get<std::int64_t>();
        case OrderKind::number: return reader.get<double>();
        case OrderKind::second: return reader.get<support::Instant>();
        case OrderKind::wall_time: return reader.get<support::WallTime>();
        case OrderKind::duration: return reader.get<support::Milliseconds>();
        case OrderKind::text: return output::BytesView{reader.text()};
        case OrderKind::null: break;
    }
    return output::Null{};
}

std::uint64_t ascending(std::int64_t number) { return static_cast<std::uint64_t>(number) ^ kSign; }

std::uint64_t ascending(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);  // -0 is 0
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

std::uint64_t ascending(std::string_view text) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof number; ++i) {
        number = number << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
    }
    return number;
}

}  // namespace

RowRank rank_of(const Cell& order, bool descending) {
    if (std::holds_alternative<output::Null>(order)) return {true, 0};
    const std::uint64_t number = output::with_cell(order, [&order](const auto& value) -> std::uint64_t {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, output::Null>) {
            return 0;
        } else if constexpr (std::is_same_v<T, bool>) {
            return value ? 1 : 0;
        } else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>) {
            return ascending(value);
        } else if constexpr (std::is_same_v<T, support::Instant> || std::is_same_v<T, support::WallTime>) {
            return ascending(std::int64_t{value.time_since_epoch().count()});
        } else if constexpr (std::is_same_v<T, support::Milliseconds>) {
            return ascending(std::int64_t{value.count()});
        } else {
            return ascending(*output::text_of(order));
        }
    });
    return {false, descending ? ~number : number};
}

void append_record(std::string& out, const KeptRow& row) {
    const std::size_t begin = out.size();
    put(out, std::uint32_t{0});
    put_order(out, row.order);
    put_text(out, std::string_view(row.look.key));
    put(out, row.look.depth);
    put(out, reinterpret_cast<std::uintptr_t>(row.look.limiter));
    put(out, static_cast<std::uint8_t>(row.look.parts.size()));
    for (const auto& part : row.look.parts) put_part(out, part);
    put(out, row.look.server_ms.value_or(kNoTime));
    put(out, row.place);
    put(out, row.read_at);
    put(out, row.stale);
    const auto length = static_cast<std::uint32_t>(out.size() - begin - kRecordHead);
    std::memcpy(out.data() + begin, &length, sizeof length);
}

std::size_t record_length(std::string_view record) { return Reader(record).get<std::uint32_t>(); }

RecordOrder order_of(std::string_view record) {
    Reader reader(record.substr(kRecordHead));
    Cell order = get_order(reader);
    return {std::move(order), reader.text()};
}

void read_record(std::string_view record, KeptRow& row) {
    Reader reader(record.substr(kRecordHead));
    get_order(reader);
    row.order = output::Null{};
    row.look.key = reader.text();
    row.look.depth = reader.get<domain::LookDepth>();
    // Records do not outlive the process.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    row.look.limiter = reinterpret_cast<const domain::Limiter*>(reader.get<std::uintptr_t>());
    row.look.parts.resize(reader.get<std::uint8_t>());
    for (auto& part : row.look.parts) reader.read(part);
    if (const auto ms = reader.get<std::int64_t>(); ms != kNoTime) row.look.server_ms = ms;
    row.place = reader.get<std::uint32_t>();
    row.read_at = reader.get<support::WallTime>();
    row.stale = reader.get<bool>();
}

}  // namespace ratectl::commands
