#pragma once
/// \file
/// The memory of one description. Each block has exactly the bytes that its view states, so that ASan sees each access outside.

#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

#include "reader.hpp"

namespace fuzz {

/// The number of elements from the first to the last element of a view.
struct extent {
  double elements;  ///< exact where it matters: up to 2^53
  bool sound;       ///< no size and no stride is negative
};

struct axis {
  index_t count;
  index_t stride;
};

/// Returns the extent of nested axes, the innermost axis first.
inline extent extent_of(std::initializer_list<axis> axes) {
  extent e{1, true};
  bool empty = false;
  for (const axis a : axes) {
    e.sound = e.sound && a.count >= 0 && a.stride >= 0;
    empty = empty || a.count == 0;
    e.elements += (static_cast<double>(a.count) - 1) * static_cast<double>(a.stride);
  }
  if (empty) e.elements = 0;
  return e;
}
inline extent extent_of(index_t size) { return extent_of({{size, 1}}); }
inline extent extent_of(index_t rows, index_t cols, index_t stride) { return extent_of({{cols, 1}, {rows, stride}}); }

/// Returns the extent in bytes, with two elements to a byte.
inline extent in_halves(extent e) {
  if (e.sound && e.elements < 1e6) e.elements = static_cast<double>((static_cast<index_t>(e.elements) + 1) / 2);
  return e;
}

/// The memory of a pointer:
/// - `all`: the bytes that its view states;
/// - `impossible`: none, so that the view must be refused; no memory can hold it, or the pointer is not aligned;
/// - `unread`: too little, so that the view must not be read or written, and any answer about it is right.
enum class held : std::uint8_t { all, impossible, unread };

template <class T>
struct block {
  T* data;
  held holds;
  /// Returns true if a function that refuses impossible views may read the block.
  bool may_read() const { return holds != held::unread; }
};

class memory {
 public:
  /// Reads from the description how each block lies: null, in memory of its own, or in the output's block.
  explicit memory(reader& r) : reader_{r} {}

  /// Makes the output's block. On a fault the block has room for other blocks.
  template <class T>
  block<T> output(extent e) {
    const held holds = holds_of(e, sizeof(T));
    const std::size_t bytes = bytes_of(e, sizeof(T), holds);
    T* const own = static_cast<T*>(make(bytes, reader_.fault(8) ? room : 0));
    output_ = {reinterpret_cast<unsigned char*>(own), bytes};
    shared_ = {output_.data, blocks_.back().bytes};
    return block_at(own, e, holds);
  }
  /// Makes a block that `run` must not change. Its bytes are the least integers, the greatest integers, or random.
  template <class T>
  block<T> input(extent e) {
    const block<T> b = writable<T>(e);
    regions_.back().input = true;
    fill(regions_.back().data, regions_.back().bytes);
    return b;
  }
  /// Makes a block that `run` may change.
  template <class T>
  block<T> writable(extent e) {
    const held holds = holds_of(e, sizeof(T));
    const std::size_t bytes = bytes_of(e, sizeof(T), holds);
    const std::size_t align = alignof(T);
    unsigned char* data = nullptr;
    if (shared_.bytes > output_.bytes && shared_.bytes >= bytes && reader_.one_in(2)) {
      // The block lies anywhere in the output's block, often in the output or just behind it.
      const std::size_t last = (shared_.bytes - bytes) / align;
      const std::size_t behind = (output_.bytes + align - 1) / align;
      const std::size_t most = reader_.one_in(2) && behind < last ? behind : last;
      const std::size_t step = reader_.one_in(2) && behind <= last ? behind : reader_.byte() % (most + 1);
      data = shared_.data + step * align;
    } else {
      data = static_cast<unsigned char*>(make(bytes, 0));
    }
    regions_.push_back({data, bytes, false, {}});
    return block_at(reinterpret_cast<T*>(data), e, holds);
  }
  /// Returns the number of the last block, apart from the output.
  std::size_t last() const { return regions_.size() - 1; }
  /// Sets whether `run` must leave a block unchanged from now on.
  void make_input(std::size_t i, bool input = true) { regions_[i].input = input; }

  /// Returns true if each block holds all elements of its view.
  bool holds_all() const { return !impossible() && may_read_all(); }
  /// Returns true if each block holds all elements of its view or must be refused.
  bool may_read_all() const { return noted_[static_cast<int>(held::unread)] == 0; }
  /// Returns true if the description must be refused.
  bool impossible() const { return noted_[static_cast<int>(held::impossible)] != 0; }
  /// Removes a block from the description.
  void forget(held h) { --noted_[static_cast<int>(h)]; }

  /// Stores a copy of all blocks.
  void remember() {
    for (region& r : regions_) r.copy.assign(r.data, r.data + r.bytes);
  }
  bool is_unchanged(std::size_t i) const { return is_unchanged(regions_[i]); }
  /// Paints the output's block, except the inputs in it.
  void paint(int color) {
    if (shared_.bytes != 0) std::memset(shared_.data, color, shared_.bytes);
    for (const region& r : regions_)
      if (r.bytes != 0) std::memcpy(r.data, r.copy.data(), r.bytes);
  }
  /// Returns true if all bytes outside these elements still have their paint.
  template <class T>
  bool all_else_is_unchanged(int color, const std::vector<T*>& elements) const {
    for (const region& r : regions_)
      if (r.input && !is_unchanged(r)) return false;
    std::vector<unsigned char> expected(shared_.bytes, static_cast<unsigned char>(color));
    const auto lay = [&](const unsigned char* data, std::size_t bytes, const void* from) {
      if (bytes != 0 && data >= shared_.data && data < shared_.data + shared_.bytes)
        std::memcpy(expected.data() + (data - shared_.data), from, bytes);
    };
    for (const region& r : regions_) lay(r.data, r.bytes, r.data);
    for (T* element : elements) lay(reinterpret_cast<unsigned char*>(element), sizeof(T), element);
    return shared_.bytes == 0 || std::memcmp(expected.data(), shared_.data, shared_.bytes) == 0;
  }

 private:
  struct span {
    unsigned char* data = nullptr;
    std::size_t bytes = 0;
  };
  struct owned {
    std::unique_ptr<unsigned char[]> data;
    std::size_t bytes;
  };
  struct region {
    unsigned char* data;
    std::size_t bytes;
    bool input;
    std::vector<unsigned char> copy;
  };
  static constexpr std::size_t room = 512;
  static constexpr double most_bytes = 65536;

  static bool is_unchanged(const region& r) { return r.bytes == 0 || std::memcmp(r.data, r.copy.data(), r.bytes) == 0; }
  static held holds_of(extent e, std::size_t size) {
    const double bytes = e.elements * static_cast<double>(size);
    // The limit is twice the address space, so that rounding cannot matter.
    if (!e.sound || bytes > 2 * static_cast<double>(q::limits<index_t>::max)) return held::impossible;
    return bytes <= most_bytes ? held::all : held::unread;
  }
  static std::size_t bytes_of(extent e, std::size_t size, held holds) {
    return holds == held::all ? static_cast<std::size_t>(e.elements) * size : 16;
  }
  held note(held h) {
    ++noted_[static_cast<int>(h)];
    return h;
  }
  void* make(std::size_t bytes, std::size_t more) {
    blocks_.push_back({std::make_unique<unsigned char[]>(bytes + more), bytes + more});
    return blocks_.back().data.get();
  }
  /// Returns a block. On a fault its pointer is null or not aligned.
  template <class T>
  block<T> block_at(T* data, extent e, held holds) {
    if (e.elements == 0) return {reader_.one_in(2) ? nullptr : data, note(holds)};
    if (!reader_.fault()) return {data, note(holds)};
    if (reader_.one_in(2)) return {nullptr, note(holds)};
    if (alignof(T) == 1) return {data, note(holds)};
    void* const odd = reinterpret_cast<unsigned char*>(data) + 1;
    return {static_cast<T*>(odd), note(held::impossible)};
  }
  void fill(unsigned char* data, std::size_t bytes) {
    const int style = reader_.byte() % 6;
    support::random_bits random{reader_.word()};
    for (std::size_t i = 0; i < bytes; ++i)
      data[i] = static_cast<unsigned char>(style == 1 ? 0x80 : style == 2 ? 0x7F : style == 3 ? 0 : random() & 0xFFu);
  }

  reader& reader_;
  std::vector<owned> blocks_;
  std::vector<region> regions_;
  span output_;
  span shared_;
  int noted_[3] = {};
};

/// Calls `run` twice over different paint, the second time in parts, and checks all of the memory.
/// `elements` are the elements of the output; `rows` is the number of its rows.
template <class T, class Run>
void expect_clean_run(reader& r, memory& m, const std::vector<T*>& elements, index_t rows, const Run& run) {
  m.remember();
  m.paint(0xA5);
  run(index_t{0}, rows);
  expect(m.all_else_is_unchanged(0xA5, elements), "run writes its output alone");
  std::vector<T> first;
  for (const T* element : elements) first.push_back(*element);
  m.paint(0x5A);
  for (index_t end = rows; end > 0;) {
    const index_t begin = end - r.between(0, end < 4 ? end : 4);
    run(begin, end);
    end = begin == end ? end - 1 : begin;
    if (begin > end) run(end, begin);  // after an empty range
  }
  expect(m.all_else_is_unchanged(0x5A, elements), "parts of run write their output alone");
  for (std::size_t i = 0; i < first.size(); ++i)
    expect(std::memcmp(&first[i], elements[i], sizeof(T)) == 0, "each element is written, and the same by parts");
}

}  // namespace fuzz
