// What an operation key may be called, and hold: any client can write there.
#pragma once

#include <string>
#include <string_view>

#include "fuzz/broken.h"
#include "schemes/operation_key.h"
#include "schemes/packed.h"
#include "schemes/write_answer.h"

namespace ratectl::fuzz {

inline void operation(std::string_view bytes) {
    if (const auto id = schemes::operation_of(bytes)) {
        promise(schemes::operation_key(*id) == bytes, "a name of an operation key has two spellings");
    }
    if (const auto texts = schemes::texts_of(bytes)) {
        std::string again;
        for (const auto& text : *texts) again += schemes::packed({text});
        promise(again == bytes, "packed texts have two spellings");
    }
    const domain::SliceId id{"OP", 1};
    const auto record = schemes::decode_operation(id, bytes);
    if (!record) {
        promise(record.error().message.starts_with("the operation key of OP.1 "), "an error that names no key");
        return;
    }
    promise(record->id == id, "another operation");
    promise(record->windows.size() <= bytes.size(), "windows out of nothing");
    for (const auto& window : record->windows) {
        promise(window.why.empty() == (window.status == domain::WriteStatus::applied), "a word without a reason");
        promise(schemes::answer_of(window).status == window.status, "an answer means two things");
    }
}

}  // namespace ratectl::fuzz
