// fuzz [N]: reads N damaged copies of each model of the tests. A copy is refused, or its network runs. Nothing else may happen.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "program.hpp"
#include "samples.hpp"
#include "verdict.hpp"

namespace {

using bytes = std::vector<unsigned char>;

/// Changes some bytes, writes numbers that are often wrong, or cuts the file.
void damage(bytes& file, support::random_bits& random) {
  const auto place = [&](std::size_t size) {
    return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(file.size() - size)));
  };
  constexpr std::uint32_t numbers[] = {0,   1,   2,   3,      4,       7,           16,          17,         126,
                                       127, 128, 255, 0x7FFF, 0x10000, 0x7FFF'FFFF, 0x8000'0000, 0xFFFF'FFFF};
  for (int changes = random.below(2) + 1; changes > 0; --changes) switch (random.below(16)) {
      case 0: file.resize(std::max<std::size_t>(8, place(1))); break;
      case 1: file[place(1)] = static_cast<unsigned char>(random()); break;
      case 2: file[place(1)] ^= static_cast<unsigned char>(1 << random.below(8)); break;
      default: {
        const std::uint32_t number = numbers[random.below(17)];
        const std::size_t at = place(4) / 4 * 4;
        std::memcpy(file.data() + at, &number, random.one_in(3) ? 4 : 1);
      }
    }
}

/// Returns about how many multiply-adds and elements a network computes.
double work(const model::network& net, const std::vector<model::step>& steps) {
  double all = 0;
  for (const model::step& s : steps) {
    double of_output = 1;
    if (const auto* const layer = std::get_if<model::q::layer_spec>(&s.what); layer != nullptr)
      of_output = static_cast<double>(layer->depth) * static_cast<double>(layer->window.y.kernel) *
                  static_cast<double>(layer->window.x.kernel);
    if (std::holds_alternative<model::typed_spec>(s.what)) of_output = 64;
    if (const auto* const pool = std::get_if<model::q::pool_spec>(&s.what); pool != nullptr)
      of_output = static_cast<double>(pool->window.y.kernel) * static_cast<double>(pool->window.x.kernel);
    all += of_output * static_cast<double>(net.tensors[static_cast<std::size_t>(s.output)].count);
    for (const int t : s.inputs) all += static_cast<double>(net.tensors[static_cast<std::size_t>(t)].count);
  }
  return all;
}

struct counts {
  int unread = 0, refused = 0, unprepared = 0, too_long = 0, ran = 0;
};

void try_file(const bytes& file, bool judge, counts& all) {
  int* stage = &all.unread;
  try {
    const model::network net = model::read_network(file);
    stage = &all.refused;
    const std::vector<model::step> steps = model::describe(net);
    stage = &all.unprepared;
    if (work(net, steps) > 1e6) {
      ++all.too_long;
      return;
    }
    model::program p(net, steps, model::backends().back());
    p.run();
    if (judge)
      for (const model::step& s : steps) static_cast<void>(model::decide(s));
    ++all.ran;
  } catch (const model::refused&) {
    ++*stage;
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  const int copies = argument_count > 1 ? std::atoi(arguments[1]) : 3000;
  model::places at{};
  support::random_bits random;
  counts all;
  model::head_places head{};
  for (const bytes& whole : {model::one_of_each(at), model::digits_of_int16(), model::digits_of_int8(),
                             model::residual_of_int16(), model::detector_head(head), model::operators_on_elements(),
                             model::lstm_of(tflite::TensorType_INT8, true), model::svdf_of<std::int16_t>()})
    for (int i = 0; i < copies; ++i) {
      bytes file = whole;
      damage(file, random);
      try_file(file, i % 256 == 0, all);
    }
  std::printf("not read: %d, refused: %d, not prepared: %d, too long: %d, computed: %d\n", all.unread, all.refused,
              all.unprepared, all.too_long, all.ran);
  return all.unread > 0 && all.refused > 0 && all.unprepared > 0 && all.ran > 0 ? 0 : 1;
}
