// Wipes secrets: whatever buffer held one is overwritten when it is given up, so that no copy stays behind.
#include <cstring>
#include <utility>

#include "domain/endpoint.h"

namespace ratectl::domain {

Secret::Secret(Secret&& other) noexcept : bytes_(std::move(other.bytes_)) { other.wipe(); }

Secret& Secret::operator=(const Secret& other) {
    if (this != &other) *this = Secret(other);
    return *this;
}

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this == &other) return *this;
    wipe();
    bytes_ = std::move(other.bytes_);
    other.wipe();
    return *this;
}

Secret::~Secret() { wipe(); }

void Secret::wipe() noexcept {
    // A string that was moved from or shortened still has the bytes behind its end.
    bytes_.resize(bytes_.capacity());
    explicit_bzero(bytes_.data(), bytes_.size());
    bytes_.clear();
}

}  // namespace ratectl::domain
