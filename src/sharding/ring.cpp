// The ring: labelled points on a circle of numbers, and the five ways libraries look a hash up on it.

#include <algorithm>
#include <cmath>
#include <utility>

#include "sharding/placement.h"

namespace ratectl::sharding {

namespace {

// Envoy's defaults for the size of its ring.
constexpr double kMinimumRing = 1024.0;
constexpr double kMaximumRing = 8388608.0;

struct Point {
    HashValue at;
    std::uint32_t member = 0;
    std::uint32_t label = 0;
};

class Ring final : public Placement {
public:
    Ring(const RingRules& rules, HashFunction point_hash, std::vector<Member> members, std::uint32_t points)
        : rules_(rules), hash_(point_hash), members_(std::move(members)) {
        if (rules_.running_sum) {
            add_by_running_sum();
        } else {
            add_by_count(points);
        }
        settle();
    }

    std::size_t find(const HashValue& hash) const override { return members_[points_[index_of(hash)].member].server; }
    Hit explain(const HashValue& hash) const override;
    std::vector<Collision> collisions() const override { return collisions_; }
    std::vector<std::size_t> points_per_server() const override;

private:
    void add_by_count(std::uint32_t points);
    void add_by_running_sum();
    void add(std::uint32_t member, std::uint32_t label);
    void settle();
    std::size_t index_of(const HashValue& hash) const;
    std::size_t last_probe(const HashValue& at) const;
    std::string label_of(const Point& point) const {
        const Member& member = members_[point.member];
        return rules_.label(member.label, member.weight, point.label);
    }

    RingRules rules_;
    HashFunction hash_;
    std::vector<Member> members_;
    std::vector<Point> points_;
    std::vector<Collision> collisions_;
};

void Ring::add(std::uint32_t member, std::uint32_t label) {
    Point point{{}, member, label};
    const HashValue hash = hash_(label_of(point));
    if (!rules_.four_points) {
        point.at = hash.reordered(rules_.order);
        points_.push_back(point);
        return;
    }
    for (std::size_t word = 0; word < 4; ++word) {
        point.at = HashValue::of_32(hashes::byte_swapped(hash.words[word]));
        points_.push_back(point);
    }
}

void Ring::add_by_count(std::uint32_t points) {
    Share share{1, 0, static_cast<std::uint32_t>(members_.size()), points};
    for (const Member& member : members_) share.total_weight += member.weight;
    for (std::uint32_t m = 0; m < members_.size(); ++m) {
        share.weight = members_[m].weight;
        const std::uint32_t labels = rules_.labels(share);
        for (std::uint32_t i = 0; i < labels; ++i) add(m, i);
    }
}

/// Envoy: the lightest server gets a whole number of points, the rest what a running sum of doubles leaves them.
void Ring::add_by_running_sum() {
    double sum = 0.0;
    for (const Member& member : members_) sum += member.weight;
    double lightest = 1.0;
    for (const Member& member : members_) lightest = std::min(lightest, member.weight / sum);
    const double scale = std::min(std::ceil(lightest * kMinimumRing) / lightest, kMaximumRing);
    double have = 0.0;
    double want = 0.0;
    for (std::uint32_t m = 0; m < members_.size(); ++m) {
        const double part = members_[m].weight / sum;
        const double portion = scale * part;
        want += portion;
        for (std::uint32_t i = 0; have < want; ++i, have += 1.0) add(m, i);
    }
}

/// Sorts, and lets the library's rule decide who owns a point that several servers have.
void Ring::settle() {
    std::stable_sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) { return a.at < b.at; });
    std::vector<Point> owned;
    owned.reserve(points_.size());
    for (const Point& point : points_) {
        if (owned.empty() || owned.back().at != point.at) {
            owned.push_back(point);
            continue;
        }
        Point& owner = owned.back();
        if (owner.member != point.member) {
            collisions_.push_back({point.at.reordered(rules_.order).leading_64(), members_[owner.member].server,
                                   members_[point.member].server, rules_.collisions != Collisions::undefined});
        }
        if (rules_.collisions == Collisions::last_added) owner = point;
    }
    points_ = std::move(owned);
}

/// Halves the list and stops where it stops, be it one off: the answer is the point looked at last.
std::size_t Ring::last_probe(const HashValue& at) const {
    std::size_t low = 0;
    std::size_t end = points_.size();
    std::size_t probe = 0;
    while (low < end) {
        probe = (low + end - 1) / 2;
        if (at < points_[probe].at) {
            end = probe;
        } else if (at > points_[probe].at) {
            low = probe + 1;
        } else {
            break;
        }
    }
    return probe;
}

std::size_t Ring::index_of(const HashValue& hash) const {
    const HashValue at = hash.reordered(rules_.order);
    if (rules_.lookup == Lookup::last_probe) return last_probe(at);
    const auto first_after = [&] {
        return std::upper_bound(points_.begin(), points_.end(), at,
                                [](const HashValue& h, const Point& p) { return h < p.at; });
    };
    const auto first_at_or_after = [&] {
        return std::lower_bound(points_.begin(), points_.end(), at,
                                [](const Point& p, const HashValue& h) { return p.at < h; });
    };
    const auto found = rules_.lookup == Lookup::at_or_after ? first_at_or_after() : first_after();
    const auto index = static_cast<std::size_t>(found - points_.begin());
    const std::size_t last = points_.size() - 1;
    switch (rules_.lookup) {
        case Lookup::at_or_before:
            return index == 0 ? last : index - 1;
        case Lookup::after_or_last:
            return std::min(index, last);
        default:
            return index > last ? 0 : index;
    }
}

Hit Ring::explain(const HashValue& hash) const {
    const std::size_t index = index_of(hash);
    const Point& point = points_[index];
    Hit hit;
    hit.server = members_[point.member].server;
    hit.point = point.at.reordered(rules_.order);
    hit.label = label_of(point);
    const bool downwards = rules_.lookup == Lookup::at_or_before;
    const std::size_t size = points_.size();
    for (std::size_t step = 1; step < size; ++step) {
        const Point& next = points_[(index + (downwards ? size - step : step)) % size];
        if (next.member == point.member) continue;
        hit.runner_up = members_[next.member].server;
        break;
    }
    return hit;
}

std::vector<std::size_t> Ring::points_per_server() const {
    std::vector<std::size_t> counts(members_.size(), 0);
    for (const Point& point : points_) ++counts[members_[point.member].server];
    return counts;
}

}  // namespace

std::unique_ptr<Placement> make_ring(const RingRules& rules, HashFunction point_hash, std::vector<Member> members,
                                     std::optional<std::uint32_t> points) {
    return std::make_unique<Ring>(rules, point_hash, std::move(members), points.value_or(rules.points));
}

}  // namespace ratectl::sharding
