#include "network.hpp"

#include <algorithm>
#include <cstring>

namespace model {
namespace {

constexpr q::index_t most_elements = q::index_t{1} << 30;

[[noreturn]] void refuse(const std::string& why) { throw refused(why); }
void require(bool holds, const std::string& why) {
  if (!holds) refuse(why);
}

/// Returns the elements of a vector of the file, which may be absent. Copies them, because the verifier does not see whether
/// numbers of 8 bytes are aligned.
template <class To, class Element>
std::vector<To> list(const flatbuffers::Vector<Element>* all) {
  std::vector<To> to;
  for (flatbuffers::uoffset_t i = 0; all != nullptr && i < all->size(); ++i) {
    Element one{};
    std::memcpy(&one, all->Data() + i * sizeof one, sizeof one);
    to.push_back(static_cast<To>(one));
  }
  return to;
}

/// Calls use(i, element) for each table in a vector of the file, which may be absent.
template <class Vector, class Use>
void each(const Vector* all, const Use& use) {
  if (all == nullptr) return;
  for (flatbuffers::uoffset_t i = 0; i < all->size(); ++i) use(i, *all->Get(i));
}

struct type_facts {
  q::element_type element;
  q::index_t bits;
};
/// Returns the library's type and the bits of an element; 0 bits for types without a fixed size here.
type_facts facts_of(tflite::TensorType type) {
  switch (type) {
    case tflite::TensorType_INT4: return {q::element_type::int4, 4};
    case tflite::TensorType_INT8: return {q::element_type::int8, 8};
    case tflite::TensorType_UINT8: return {q::element_type::uint8, 8};
    case tflite::TensorType_INT16: return {q::element_type::int16, 16};
    case tflite::TensorType_INT32: return {q::element_type::int32, 32};
    case tflite::TensorType_INT64: return {q::element_type::int64, 64};
    case tflite::TensorType_BOOL: return {q::element_type::uint8, 8};  // 0 or 1
    case tflite::TensorType_FLOAT16: return {q::element_type::none, 16};
    case tflite::TensorType_FLOAT32: return {q::element_type::none, 32};
    default: return {q::element_type::none, 0};
  }
}

/// Copies the bytes of a constant, which lie in the flatbuffer or after it.
std::vector<unsigned char> data_of(const tflite::Buffer& from, const std::vector<unsigned char>& file, const std::string& name) {
  if (from.offset() <= 1 && from.data() == nullptr) return {};
  if (from.offset() <= 1) return {from.data()->begin(), from.data()->end()};
  require(from.offset() <= file.size() && from.size() <= file.size() - from.offset(),
          name + ": its data are past the end of the file");
  const auto* const begin = file.data() + from.offset();
  return {begin, begin + from.size()};
}

tensor read_tensor(const tflite::Tensor& from, unsigned index, const tflite::Model& model,
                   const std::vector<unsigned char>& file) {
  tensor t{};
  t.name = "tensor " + std::to_string(index) + (from.name() == nullptr ? "" : " '" + from.name()->str() + "'");
  t.type = from.type();
  const type_facts type = facts_of(t.type);
  t.element = type.element;
  t.shape = list<q::index_t>(from.shape());
  t.count = 1;
  for (const q::index_t size : t.shape) {
    require(size >= 0, t.name + ": an axis has " + std::to_string(size) + " elements");
    require(size == 0 || t.count <= most_elements / size, t.name + ": too many elements");
    t.count *= size;
  }
  t.bits = type.bits;
  t.bytes = (t.count * t.bits + 7) / 8;
  require(from.external_buffer() == 0 && from.sparsity() == nullptr, t.name + ": sparse, or in another file");
  t.is_variable = from.is_variable();
  const auto* const buffers = model.buffers();
  require(from.buffer() == 0 || (buffers != nullptr && from.buffer() < buffers->size()),
          t.name + ": buffer " + std::to_string(from.buffer()) + " does not exist");
  if (from.buffer() != 0) t.data = data_of(*buffers->Get(from.buffer()), file, t.name);
  if (t.is_constant())
    require(t.bits > 0 && t.bytes == static_cast<q::index_t>(t.data.size()),
            t.name + ": its shape does not have the size of its data");
  if (const auto* const scale = from.quantization(); scale != nullptr) {
    require(scale->details_type() == 0, t.name + ": scales of blocks");
    t.scales = list<float>(scale->scale());
    const auto zero_points = list<std::int64_t>(scale->zero_point());
    require(zero_points.empty() || zero_points.size() == t.scales.size(), t.name + ": not as many zero points as scales");
    t.zero_points.resize(t.scales.size());
    for (std::size_t i = 0; i < zero_points.size(); ++i) {
      require(q::fits<std::int32_t>(zero_points[i]), t.name + ": a zero point beyond int32");
      t.zero_points[i] = static_cast<std::int32_t>(zero_points[i]);
    }
    t.quantized_axis = scale->quantized_dimension();
  }
  return t;
}

std::string name_of(int code, const tflite::OperatorCode& from) {
  if (code == tflite::BuiltinOperator_CUSTOM)
    return "CUSTOM " + (from.custom_code() == nullptr ? std::string("without a name") : "'" + from.custom_code()->str() + "'");
  const std::string name = tflite::EnumNameBuiltinOperator(static_cast<tflite::BuiltinOperator>(code));
  return name.empty() ? "operator " + std::to_string(code) : name;
}

}  // namespace

void check_order(const network& net) {
  std::vector<char> known(net.tensors.size());
  for (std::size_t i = 0; i < known.size(); ++i) known[i] = net.tensors[i].is_constant() || net.tensors[i].is_variable;
  const auto write = [&](int t, const std::string& by) {
    require(!known[static_cast<std::size_t>(t)],
            by + ": " + net.tensors[static_cast<std::size_t>(t)].name + " has a value already");
    known[static_cast<std::size_t>(t)] = true;
  };
  const auto read = [&](int t, const std::string& by) {
    if (t < 0) return;
    require(known[static_cast<std::size_t>(t)], by + ": " + net.tensors[static_cast<std::size_t>(t)].name + " has no value yet");
  };
  for (const int t : net.inputs) write(t, "inputs");
  for (const operation& op : net.operations) {
    for (const int t : op.inputs) read(t, op.name);
    for (const int t : op.outputs) write(t, op.name);
  }
  for (const int t : net.outputs) read(t, "outputs");
}

namespace {

/// Leaves out a QUANTIZE of a binary32 input of the network, and a DEQUANTIZE to an output. The network then begins and ends with
/// the quantized tensors.
void leave_out_ends(network& net) {
  const auto is_real = [&](int t) { return net.tensors[static_cast<std::size_t>(t)].type == tflite::TensorType_FLOAT32; };
  const auto replaces = [&](std::vector<int>& ends, int real, int quantized) {
    const auto found = std::find(ends.begin(), ends.end(), real);
    if (found == ends.end() || !is_real(real) || is_real(quantized)) return false;
    *found = quantized;
    return true;
  };
  const auto is_end = [&](const operation& op) {
    if (op.inputs.size() != 1 || op.inputs[0] < 0 || op.outputs.size() != 1) return false;
    const bool is_first = op.code == tflite::BuiltinOperator_QUANTIZE && replaces(net.inputs, op.inputs[0], op.outputs[0]);
    const bool is_last = op.code == tflite::BuiltinOperator_DEQUANTIZE && replaces(net.outputs, op.outputs[0], op.inputs[0]);
    if (is_first || is_last) net.left_out.push_back(op.name);
    return is_first || is_last;
  };
  net.operations.erase(std::remove_if(net.operations.begin(), net.operations.end(), is_end), net.operations.end());
}

}  // namespace

network read_network(std::vector<unsigned char> file) {
  network net;
  net.file = std::move(file);
  flatbuffers::Verifier verifier(net.file.data(), net.file.size());
  require(net.file.size() >= 8 && tflite::ModelBufferHasIdentifier(net.file.data()), "not a .tflite file: no identifier TFL3");
  require(net.file.size() < FLATBUFFERS_MAX_BUFFER_SIZE && tflite::VerifyModelBuffer(verifier),
          "damaged: an offset leads astray");
  const tflite::Model& model = *tflite::GetModel(net.file.data());
  require(model.version() == 3, "version " + std::to_string(model.version()) + " of the format, not 3");
  require(model.subgraphs() != nullptr && model.subgraphs()->size() > 0, "no subgraph");
  const tflite::SubGraph& graph = *model.subgraphs()->Get(0);
  each(graph.tensors(), [&](unsigned i, const auto& t) { net.tensors.push_back(read_tensor(t, i, model, net.file)); });
  const auto indices = [&](const auto* all, int least, const std::string& of) {
    const auto found = list<int>(all);
    for (const int i : found)
      require(i >= least && i < static_cast<int>(net.tensors.size()), of + ": tensor " + std::to_string(i) + " does not exist");
    return found;
  };
  net.inputs = indices(graph.inputs(), 0, "inputs");
  net.outputs = indices(graph.outputs(), 0, "outputs");
  each(graph.operators(), [&](unsigned i, const auto& from) {
    operation op{};
    op.name = std::to_string(i);
    const auto* const codes = model.operator_codes();
    require(codes != nullptr && from.opcode_index() < codes->size(), op.name + ": its operator code does not exist");
    const tflite::OperatorCode& code = *codes->Get(from.opcode_index());
    op.code = std::max<int>(code.old_code(), code.code());  // files of before 2020 have the first alone
    op.name += " " + name_of(op.code, code);
    op.inputs = indices(from.inputs(), -1, op.name);
    op.outputs = indices(from.outputs(), 0, op.name);
    op.options = &from;
    net.operations.push_back(op);
  });
  leave_out_ends(net);
  return net;
}

}  // namespace model
