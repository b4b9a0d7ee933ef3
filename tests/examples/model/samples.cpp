// samples DIRECTORY: writes the models of the tests as files.
#include "samples.hpp"

#include <fstream>

int main(int count, char** arguments) {
  const std::string directory = count > 1 ? arguments[1] : ".";
  model::places unused{};
  bool written = true;
  const auto write = [&](const std::string& name, const std::vector<unsigned char>& bytes) {
    std::ofstream to(directory + "/" + name + ".tflite", std::ios::binary);
    const void* const data = bytes.data();
    to.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes.size()));
    written = written && to.flush();
  };
  write("digits_int8", model::digits_of_int8());
  write("digits_int16", model::digits_of_int16());
  write("one_of_each", model::one_of_each(unused));
  write("residual_int16", model::residual_of_int16());
  model::head_places head{};
  write("detector_head", model::detector_head(head));
  write("elements", model::operators_on_elements());
  write("lstm_int8", model::lstm_of(tflite::TensorType_INT8, false));
  write("svdf_int8", model::svdf_of<std::int16_t>());
  return written ? 0 : 1;
}
