// The digits networks without any work at start-up. The compiler folds the biases, derives the multipliers and packs the weights
// for the backend that its flags allow. All of this data lies in read-only memory. The program prints the logits of each held-out
// image and how many images were recognised. The printed bytes are equal on every machine.

#include <dyadic/native.hpp>

#include <unistd.h>

#include "network.hpp"

namespace {

using namespace dyadic;

constexpr digits::network<digits::linear_a16w8, tosa::scale16, native> linear_a16w8;
constexpr digits::network<digits::linear_a8w8, tflite::double_rounding, native> linear_a8w8;
constexpr digits::network<digits::convolutional_a16w8, tosa::scale16, native> convolutional_a16w8;
static_assert(linear_a16w8.status() == status::ok);
static_assert(linear_a8w8.status() == status::ok);
static_assert(convolutional_a16w8.status() == status::ok);

/// A line of output. It calls few functions of the C library, so that it also runs on a bare machine.
class line {
 public:
  void add(const char* text) {
    while (*text != 0) text_[size_++] = *text++;
  }
  void add(int number) {
    char reversed[12];
    int count = 0;
    unsigned left = number < 0 ? 0u - static_cast<unsigned>(number) : static_cast<unsigned>(number);
    do reversed[count++] = static_cast<char>('0' + left % 10);
    while ((left /= 10) != 0);
    if (number < 0) text_[size_++] = '-';
    while (count > 0) text_[size_++] = reversed[--count];
  }
  bool write() {
    text_[size_++] = '\n';
    return ::write(1, text_, static_cast<unsigned>(size_)) == size_;
  }

 private:
  char text_[200];
  int size_ = 0;
};

/// Prints the network's answers. Returns whether it recognised at least `least` images.
template <class Network>
bool classify_all(const char* name, const Network& network, int least) {
  int correct = 0;
  for (int i = 0; i < digits::image_count; ++i) {
    const auto logits = network.logits(digits::image(i));
    const int digit = digits::largest(logits);
    correct += digit == digits::labels[i];
    line l;
    l.add(digit);
    l.add(":");
    for (const auto logit : logits) {
      l.add(" ");
      l.add(logit);
    }
    if (!l.write()) return false;
  }
  line l;
  l.add(name);
  l.add(": ");
  l.add(correct);
  l.add(" of ");
  l.add(digits::image_count);
  return l.write() && correct >= least;
}

}  // namespace

int main() {
  const bool first = classify_all("linear a16w8", linear_a16w8, 589);
  const bool second = classify_all("linear a8w8", linear_a8w8, 587);
  const bool third = classify_all("convolutional a16w8", convolutional_a16w8, 579);
  return first && second && third ? 0 : 1;
}
