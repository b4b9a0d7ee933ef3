#include "tensor_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace model {
namespace {

void require(bool holds, const std::string& why) {
  if (!holds) throw refused(why);
}

/// Returns the type of an element as .npy names it.
const char* name_of_type(const tensor& t) {
  switch (t.element) {
    case q::element_type::int8: return "|i1";
    case q::element_type::int16: return "<i2";
    case q::element_type::int32: return "<i4";
    case q::element_type::int64: return "<i8";
    default: return "|u1";
  }
}

}  // namespace

std::vector<unsigned char> read_file(const std::string& path) {
  std::ifstream from(path, std::ios::binary);
  std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
  require(from.good() || from.eof(), path + " cannot be read");
  require(!bytes.empty(), path + " cannot be read, or is empty");
  return bytes;
}

std::vector<unsigned char> read_input(std::vector<unsigned char> bytes, const tensor& to) {
  const std::string magic = "\x93NUMPY";
  if (bytes.size() >= 10 && std::equal(magic.begin(), magic.end(), bytes.begin(),
                                       [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; })) {
    // 6 bytes of magic, 2 of the version, 2 or 4 of the length of the header, the header, the elements.
    const std::size_t at = bytes[6] == 1 ? 10 : 12;
    require(bytes.size() >= at, "input: the .npy header is cut off");
    std::size_t length = bytes[8] + std::size_t{256} * bytes[9];
    if (at == 12) length += std::size_t{65536} * bytes[10] + std::size_t{16777216} * bytes[11];
    require(length <= bytes.size() - at, "input: the .npy header is cut off");
    const std::string header(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                             bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
    const std::string wanted = name_of_type(to);
    require(header.find("'descr': '" + wanted + "'") != std::string::npos,
            "input: " + to.name + " takes elements of type " + wanted);
    require(header.find("'fortran_order': False") != std::string::npos, "input: not in C order");
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
  }
  require(static_cast<q::index_t>(bytes.size()) == to.bytes,
          "input: " + std::to_string(bytes.size()) + " bytes of elements, but " + to.name + " has " + std::to_string(to.bytes));
  return bytes;
}

void write_npy(const std::string& path, const tensor& t, const unsigned char* data) {
  const char* const type = name_of_type(t);
  std::string header = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  if (std::strcmp(type, "|u1") == 0)
    header += std::to_string(t.bytes) + ", ";
  else
    for (const q::index_t size : t.shape) header += std::to_string(size) + ", ";
  header += ")}";
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::ofstream to(path, std::ios::binary);
  const char begin[] = {
      '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  to.write(begin, sizeof begin) << header;
  const void* const bytes = data;
  to.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(t.bytes));
  if (!to.flush()) throw refused(path + " cannot be written");
}

}  // namespace model
