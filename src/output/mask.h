// Masking: shows the clients of secret policies as fingerprints to every reader, whichever command prints them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "output/row_sink.h"

namespace ratectl::output {

class Mask {
public:
    virtual ~Mask() = default;
    /// Whether it changes anything; it may learn of a secret policy later.
    virtual bool hides() const = 0;
    /// The key as it may be shown. What is shown already stays as it is.
    virtual std::string key(std::string_view key) const = 0;
};

/// The text with every key between single quotes as it may be shown. That is how messages name keys: key 'core:alice'.
std::string masked(const Mask* mask, std::string_view text);
/// The sink, given cells of type key as they may be shown, and text and bytes, which may be sentences, masked.
std::unique_ptr<RowSink> masked_sink(std::unique_ptr<RowSink> sink, std::vector<Column> columns,
                                     std::shared_ptr<const Mask> mask);

}  // namespace ratectl::output
