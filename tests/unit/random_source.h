// Randomness for property tests: a fresh seed every run, shown when a check fails; RATECTL_TEST_SEED repeats one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace ratectl::test {

class RandomSource {
public:
    RandomSource() : seed_(chosen_seed()), engine_(seed_) {}
    std::uint64_t seed() const { return seed_; }

    /// Any number from low to high, both included.
    std::int64_t number(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
    }
    bool one_in(std::int64_t n) { return number(1, n) == 1; }
    std::string bytes(std::string_view alphabet, std::int64_t shortest, std::int64_t longest) {
        std::string text(static_cast<std::size_t>(number(shortest, longest)), '\0');
        for (char& c : text) {
            c = alphabet.empty()
                    ? static_cast<char>(number(0, 255))
                    : alphabet[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(alphabet.size()) - 1))];
        }
        return text;
    }

private:
    static std::uint64_t chosen_seed() {
        const char* fixed = std::getenv("RATECTL_TEST_SEED");
        return fixed != nullptr ? std::strtoull(fixed, nullptr, 10) : std::random_device{}();
    }
    std::uint64_t seed_;
    std::mt19937_64 engine_;
};

}  // namespace ratectl::test

/// Prints the seed with whatever fails below it.
#define SHOW_SEED(source) INFO("RATECTL_TEST_SEED=" << (source).seed())
