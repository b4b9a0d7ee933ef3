// dyadic_identify --samples=FILE [--output=TYPE] [--zero-point=N], or --smoke: names the schemes that give the recorded outputs
// of a device.
//
// FILE has a row for each output, "accumulator,scale,output" or "accumulator,mantissa,right_shift,output". The first line may be
// a header with these names.

#include <dyadic/identify.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace bench {
namespace {

namespace q = dyadic;

struct recorded {
  std::vector<std::int64_t> accs;
  std::vector<q::any_multiplier> multipliers;
  std::vector<std::int64_t> outputs;
  std::vector<int> lines;  ///< the line number of each row
  std::string wrong;       ///< says why a line cannot be read, or is empty
};

/// Returns the cells of a line without the spaces around them.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) {
    const char* const spaces = " \t\r";
    const std::size_t begin = cell.find_first_not_of(spaces);
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, cell.find_last_not_of(spaces) - begin + 1));
  }
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

bool is_integer(const std::string& cell, std::int64_t least, std::int64_t most, std::int64_t& to) {
  char* end = nullptr;
  errno = 0;
  to = std::strtoll(cell.c_str(), &end, 10);
  return !cell.empty() && *end == '\0' && errno == 0 && to >= least && to <= most;
}
bool is_scale(const std::string& cell, q::any_multiplier& to) {
  char* end = nullptr;
  const double scale = std::strtod(cell.c_str(), &end);
  to = {0, 0, scale};
  return !cell.empty() && *end == '\0' && std::isfinite(scale);
}

/// Quotes a cell for a message, cut to its first 30 characters.
std::string quoted(const std::string& cell) {
  std::string shown = cell.substr(0, 30);
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return "'" + shown + (cell.size() > 30 ? "..'" : "'");
}

/// Reads the rows up to the first wrong line.
recorded read(std::istream& file, const std::string& name, q::output_range range) {
  constexpr std::int64_t least = q::limits<std::int64_t>::min;
  constexpr std::int64_t most = q::limits<std::int64_t>::max;
  recorded all;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty() || (cells.size() == 1 && cells[0].empty())) continue;
    if (number == 1 && cells[0] == "accumulator") continue;
    const auto is_wrong = [&](const std::string& what) {
      all.wrong = name + ", line " + std::to_string(number) + ": " + what;
      return all;
    };
    if (cells.size() != 3 && cells.size() != 4)
      return is_wrong("has " + std::to_string(cells.size()) +
                      " columns; a row is accumulator,scale,output or accumulator,mantissa,right_shift,output");
    std::int64_t acc = 0;
    std::int64_t shift = 0;
    std::int64_t output = 0;
    q::any_multiplier m{};
    if (!is_integer(cells[0], least, most, acc))
      return is_wrong("accumulator " + quoted(cells[0]) + " is not an integer of 64 bits");
    if (cells.size() == 3) {
      if (!is_scale(cells[1], m)) return is_wrong("scale " + quoted(cells[1]) + " is not a finite number");
    } else {
      if (!is_integer(cells[1], q::int32_min, q::int32_max, m.mantissa))
        return is_wrong("mantissa " + quoted(cells[1]) + " is not an integer of 32 bits");
      if (!is_integer(cells[2], -127, 127, shift))
        return is_wrong("right_shift " + quoted(cells[2]) + " is not an integer from -127 to 127");
      m.right_shift = static_cast<std::int32_t>(shift);
    }
    if (!is_integer(cells.back(), least, most, output))
      return is_wrong("output " + quoted(cells.back()) + " is not an integer of 64 bits");
    if (output < range.min || output > range.max)
      return is_wrong("output " + cells.back() + " is not within " + std::to_string(range.min) + " .. " +
                      std::to_string(range.max) + "; --output names the type");
    all.accs.push_back(acc);
    all.multipliers.push_back(m);
    all.outputs.push_back(output);
    all.lines.push_back(number);
  }
  if (all.accs.empty()) all.wrong = name + ": has no rows";
  return all;
}

/// Returns the line at which a scheme first differs from the recorded outputs.
int line_of(const recorded& all, const q::candidate& c) {
  std::size_t i = 0;
  while (all.accs[i] != c.first.acc || all.outputs[i] != c.first.a || !q::detail::is_same(all.multipliers[i], c.multiplier)) ++i;
  return all.lines[i];
}

/// Returns the distinct multipliers of the file, at most 16, because each multiplier takes a search.
std::vector<q::any_multiplier> distinct(const std::vector<q::any_multiplier>& all) {
  std::vector<q::any_multiplier> found;
  for (const q::any_multiplier& m : all) {
    const auto is_m = [&](const q::any_multiplier& other) { return q::detail::is_same(m, other); };
    if (found.size() < 16 && std::none_of(found.begin(), found.end(), is_m)) found.push_back(m);
  }
  return found;
}

/// Finds the next question. Tries the multipliers of the file first, because the device accepts them, then the library's list.
q::result<q::question> ask(const recorded& all, const q::identification& found) {
  const q::result<q::question> next = q::next_question(found, distinct(all.multipliers), q::all_int32());
  if (next.status == q::status::ok) return next;
  if (q::detail::is_scale(all.multipliers[0])) return q::next_question(found);
  return q::next_question(found, q::multipliers_to_try, q::all_int32());
}

void print(const recorded& all, const q::identification& found) {
  std::vector<const q::candidate*> remaining;
  std::vector<const q::candidate*> others;
  for (const q::candidate& c : found.schemes) {
    if (c.remains()) remaining.push_back(&c);
    if (c.differing != 0) others.push_back(&c);
  }
  std::sort(others.begin(), others.end(), [](const q::candidate* a, const q::candidate* b) {
    return q::detail::is_nearer(*a, *b) || (!q::detail::is_nearer(*b, *a) && a < b);
  });
  const unsigned long long rows = found.points;
  std::printf("%zu of %zu schemes agree with all %llu rows%s\n", remaining.size(), std::size(found.schemes), rows,
              remaining.empty() ? "" : ":");
  for (const q::candidate* c : remaining) {
    std::printf("  %s", c->name);
    if (c->compared != found.points) std::printf(" (defined for %llu of them)", static_cast<unsigned long long>(c->compared));
    std::printf("\n");
  }
  if (remaining.empty() && found.range.max == q::int32_max) {
    const auto [least, most] = std::minmax_element(all.outputs.begin(), all.outputs.end());
    if (*least >= -32768 && *most <= 65535)
      std::printf("  the outputs are %lld to %lld: if the device saturates them, name their type by --output\n",
                  static_cast<long long>(*least), static_cast<long long>(*most));
  }
  if (!others.empty()) std::printf("\nnearest of %zu schemes that differ:\n", others.size());
  for (std::size_t i = 0; i < others.size() && i < 5; ++i)
    std::printf("  line %d: %s\n", line_of(all, *others[i]), q::to_string(*others[i]).c_str());
  bool is_first = true;
  for (const q::candidate& c : found.schemes) {
    if (c.compared != 0) continue;
    std::printf("%s  %s: %s\n", is_first ? "\nnot tried:\n" : "", c.name, q::to_string(c.status));
    is_first = false;
  }
  if (remaining.size() < 2) return;
  const q::result<q::question> next = ask(all, found);
  if (next.status == q::status::ok)
    std::printf("\ngive to the device next:\n  %s\n", q::to_string(next.value).c_str());
  else
    std::printf("\nno input was found that tells these schemes apart\n");
}

/// Identifies recorded outputs, and prints what it finds. Returns the exit code.
int report(std::istream& file, const std::string& name, q::output_range range) {
  const recorded all = read(file, name, range);
  if (!all.wrong.empty()) return std::fprintf(stderr, "%s\n", all.wrong.c_str()), 1;
  const q::result<q::identification> found = q::identify(all.accs, all.multipliers, all.outputs, range);
  if (found.status != q::status::ok) return std::fprintf(stderr, "%s: %s\n", name.c_str(), q::to_string(found.status)), 1;
  return print(all, found.value), 0;
}

/// Stores the range of the named output type in `to`. Returns false if the name is unknown.
bool is_type(const std::string& name, q::output_range& to) {
  const struct {
    const char* name;
    q::output_range range;
  } types[] = {{"int8", q::range_of<std::int8_t>()},
               {"uint8", q::range_of<std::uint8_t>()},
               {"int16", q::range_of<std::int16_t>()},
               {"uint16", q::range_of<std::uint16_t>()},
               {"int32", q::range_of<std::int32_t>()}};
  for (const auto& type : types)
    if (name == type.name) return to = type.range, true;
  return false;
}

/// Identifies the outputs of a device that rounds twice, in both forms of a row, then expects that wrong files are refused.
/// Returns the exit code.
int smoke() {
  const auto run = [](const std::string& text) {
    std::istringstream file(text);
    return report(file, "smoke.csv", q::range_of<std::int8_t>());
  };
  if (run("accumulator,scale,output\n1,0.25,1\n-1,0.25,0\n\n5, 0.0235, 0") != 0) return 1;
  if (run("-6,1431655765,34,0\r\n6,1431655765,34,1\r\n") != 0) return 1;
  for (const char* wrong : {"", "accumulator,scale,output\n", "1,0.25\n", "1,0.25,1,\n", "1,0.25,1,1,1\n", "1,quarter,1\n",
                            "1,nan,1\n", "1.5,0.25,1\n", "1,0.25,128\n", "1,0.25,1\n9223372036854775808,0.25,1\n",
                            "1,2147483648,31,1\n", "1,5,200,1\n", "scale,accumulator,output\n"})
    if (run(wrong) != 1) return 1;
  return 0;
}

int usage() {
  std::fprintf(stderr,
               "usage: bench/run identify --samples FILE [--output int8|uint8|int16|uint16|int32] [--zero-point N]\n"
               "a row of FILE is accumulator,scale,output or accumulator,mantissa,right_shift,output\n");
  return 2;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  using namespace bench;
  if (argc == 2 && std::strcmp(argv[1], "--smoke") == 0) return smoke();
  std::string name;
  q::output_range range;
  std::int64_t zero_point = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string option = argument.substr(0, argument.find('='));
    const std::string value = option == argument ? "" : argument.substr(option.size() + 1);
    bool is_known = false;
    if (option == "--samples")
      is_known = !(name = value).empty();
    else if (option == "--output")
      is_known = is_type(value, range);
    else if (option == "--zero-point")
      is_known = is_integer(value, q::int32_min, q::int32_max, zero_point);
    if (!is_known) return usage();
  }
  if (name.empty()) return usage();
  range.zero_point = static_cast<std::int32_t>(zero_point);
  if (name == "-") return report(std::cin, "standard input", range);
  std::ifstream file(name);
  if (!file) return std::fprintf(stderr, "%s: cannot be read\n", name.c_str()), 1;
  return report(file, name, range);
}
