// FNV (Fowler, Noll and Vo): http://www.isthe.com/chongo/tech/comp/fnv/. Quick and even, against no malice.
#pragma once

#include <cstdint>
#include <string_view>

namespace ratectl::support {

template <class Word>
struct Fnv {
    Word start;
    Word prime;

    /// Goes on from `hash`. `Char` is the byte as C code sees it that adds a plain `char` to an unsigned word.
    template <class Char = unsigned char>
    constexpr Word fnv1(std::string_view bytes, Word hash) const {
        for (const char c : bytes) hash = (hash * prime) ^ static_cast<Word>(static_cast<Char>(c));
        return hash;
    }
    /// The same with the multiplication behind.
    template <class Char = unsigned char>
    constexpr Word fnv1a(std::string_view bytes, Word hash) const {
        for (const char c : bytes) hash = (hash ^ static_cast<Word>(static_cast<Char>(c))) * prime;
        return hash;
    }
};

inline constexpr Fnv<std::uint32_t> kFnv32{2166136261U, 16777619U};
inline constexpr Fnv<std::uint64_t> kFnv64{0xcbf29ce484222325U, 0x100000001b3U};

constexpr std::uint64_t fnv1a_64(std::string_view bytes, std::uint64_t hash = kFnv64.start) {
    return kFnv64.fnv1a(bytes, hash);
}

}  // namespace ratectl::support
