#include "report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <sstream>

#include "tensor_file.hpp"
#include "verdict.hpp"

namespace model {
namespace {

constexpr const char* usage = R"(usage: model FILE.tflite [OPTION..]

  --input A.npy,B.raw  the inputs of the network, in their order; random numbers otherwise
  --seed N             the seed of the random numbers; 1
  --runs N             each backend runs the network N times, and the fastest run of each operator counts; 5
  --verdict            decides which engines compute each operator as TFLite does, for every input
  --dump DIR           writes every tensor as NUMBER.npy
  --json FILE          writes the figures
)";

struct options {
  std::string file;
  std::map<std::string, std::string> values{{"--seed", "1"}, {"--runs", "5"}};
  bool verdict = false;
  bool has(const std::string& name) const { return values.count(name) > 0; }
  int number(const std::string& name) const { return std::max(1, std::atoi(values.at(name).c_str())); }
};

/// A column of text that grows to its widest cell.
class table {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print(std::ostream& out) const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) {
        widths.resize(std::max(widths.size(), i + 1));
        widths[i] = std::max(widths[i], row[i].size());
      }
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string gap(widths[i] - row[i].size(), ' ');
        line += (i == 0 ? row[i] + gap : "  " + gap + row[i]);
      }
      out << line << '\n';
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string digits(double x, int after) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", after, x);
  return text;
}
std::string quoted(const std::string& text) {
  std::string to = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') to += '\\';
    to += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return to + '"';
}
std::string shape_of(const std::vector<q::index_t>& shape) {
  std::string text;
  for (const q::index_t size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

/// The words that describe an operator: types and scheme.
struct words {
  std::string types;
  std::string scheme;
};
struct describing {
  const tensor& y;

  words operator()(const q::layer_spec& s) const { return {std::string(q::to_string(s.x)) + " x int8", s.scheme.name()}; }
  words operator()(const moves_spec&) const { return {q::to_string(y.element), "copy"}; }
  template <class Spec>
  words operator()(const Spec&) const {
    return {q::to_string(y.element), "tflite"};
  }
};

std::vector<std::vector<unsigned char>> read_inputs(const network& net, const options& o) {
  std::vector<std::vector<unsigned char>> inputs;
  std::mt19937 bits(static_cast<unsigned>(o.number("--seed")));
  std::istringstream names(o.has("--input") ? o.values.at("--input") : "");
  std::string name;
  for (const int t : net.inputs) {
    const tensor& to = net.tensors[static_cast<std::size_t>(t)];
    if (o.has("--input")) {
      if (!std::getline(names, name, ','))
        throw refused("input: the network has " + std::to_string(net.inputs.size()) + " inputs");
      inputs.push_back(read_input(read_file(name), to));
      continue;
    }
    std::vector<unsigned char> random(static_cast<std::size_t>(to.bytes));
    for (auto& byte : random) byte = static_cast<unsigned char>(bits() >> 9);
    inputs.push_back(random);
  }
  return inputs;
}

using inputs_of_network = std::vector<std::vector<unsigned char>>;
void set_inputs(program& p, const network& net, const inputs_of_network& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].empty()) std::memcpy(p.data(net.inputs[i]), inputs[i].data(), inputs[i].size());
}
std::vector<unsigned char> outputs_of(program& p, const network& net) {
  std::vector<unsigned char> all;
  for (const int t : net.outputs) {
    const unsigned char* const from = p.data(t);
    all.insert(all.end(), from, from + net.tensors[static_cast<std::size_t>(t)].bytes);
  }
  return all;
}

/// Returns the milliseconds of each operator in the fastest of some runs.
std::vector<double> time_steps(program& p, const network& net, const inputs_of_network& inputs, int runs) {
  std::vector<double> best(p.steps().size(), 1e30);
  for (int i = 0; i < runs; ++i) {
    set_inputs(p, net, inputs);
    for (std::size_t k = 0; k < best.size(); ++k) {
      const auto begin = std::chrono::steady_clock::now();
      p.steps()[k].run();
      best[k] = std::min(best[k], std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
  }
  return best;
}

/// The figures of the file's JSON, gathered while they are printed.
struct figures {
  std::string layers, verdicts, runs, names, percents;
};

void print_steps(const network& net, const std::vector<step>& steps, const options& o, const inputs_of_network& inputs,
                 std::ostream& out, figures& json) {
  std::vector<std::unique_ptr<program>> programs;
  std::vector<std::vector<double>> times;
  std::vector<double> sums;
  for (const backend_kinds& kinds : backends()) {
    programs.push_back(std::make_unique<program>(net, steps, kinds));
    times.push_back(time_steps(*programs.back(), net, inputs, o.number("--runs")));
    double sum = 0;
    for (const double ms : times.back()) sum += ms;
    sums.push_back(sum);
    if (outputs_of(*programs.back(), net) != outputs_of(*programs[0], net))
      throw refused(std::string(kinds.name) + " and " + backends()[0].name +
                    " give other outputs: this is an error of the library");
  }
  table t;
  std::vector<std::string> head{"operator", "output", "types", "scheme", "accumulators", "int32"};
  for (const backend_kinds& kinds : backends()) head.push_back(kinds.name + std::string(" ms"));
  for (const char* const name : {"share", "bytes"}) head.emplace_back(name);
  t.row(head);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const prepared_step& made = programs[0]->steps()[i];
    const tensor& y = net.tensors[static_cast<std::size_t>(steps[i].output)];
    const words w = std::visit(describing{y}, steps[i].what);
    const bool is_layer = std::holds_alternative<q::layer_spec>(steps[i].what);
    const bool fits = q::fits<std::int32_t>(made.bound.lowest) && q::fits<std::int32_t>(made.bound.highest);
    const std::string bound = std::to_string(made.bound.lowest) + ".." + std::to_string(made.bound.highest);
    // Sums of int64 fit if the layer's check says so.
    const std::string proved = fits ? "fits" : made.status == q::status::ok ? "int64" : "may wrap";
    std::vector<std::string> row{steps[i].from->name,   shape_of(y.shape),     w.types, w.scheme,
                                 is_layer ? bound : "", is_layer ? proved : ""};
    std::string ms;
    for (std::size_t b = 0; b < times.size(); ++b) {
      row.push_back(digits(times[b][i], 4));
      ms += (b == 0 ? "" : ", ") + quoted(backends()[b].name) + ": " + digits(times[b][i], 6);
    }
    row.push_back(digits(100 * times[0][i] / std::max(sums[0], 1e-9), 1) + " %");
    row.push_back(std::to_string(made.bytes));
    t.row(row);
    json.layers += (i == 0 ? "" : ",\n  ") + ("{\"operator\": " + quoted(steps[i].from->name)) +
                   ", \"shape\": " + quoted(shape_of(y.shape)) + ", \"types\": " + quoted(w.types) +
                   ", \"scheme\": " + quoted(w.scheme) +
                   (is_layer ? ", \"lowest\": " + std::to_string(made.bound.lowest) +
                                   ", \"highest\": " + std::to_string(made.bound.highest) + ", \"accumulator\": " + quoted(proved)
                             : "") +
                   ", \"bytes\": " + std::to_string(made.bytes) + ", \"ms\": {" + ms + "}}";
  }
  t.print(out);
  for (const std::string& name : net.left_out) out << name << " is left out: the network has quantized inputs and outputs here\n";
  out << "all:";
  for (std::size_t b = 0; b < sums.size(); ++b)
    out << (b == 0 ? " " : ", ") << backends()[b].name << ' ' << digits(sums[b], 4) << " ms";
  out << "; arena of " << programs[0]->arena_bytes() << " bytes, " << programs[0]->activation_bytes()
      << " of them for activations\n";
}

std::string cell(const verdict& v) {
  switch (v.found) {
    case finding::equal: return "=";
    case finding::differs: return std::to_string(v.differing) + "/" + std::to_string(v.compared);
    case finding::sampled: return "?";
    case finding::no_rule: break;
  }
  return "-";
}

/// Returns what the picture shows of a verdict: =, a share in percent, ? or -.
std::string percent(const verdict& v) {
  if (v.found != finding::differs) return cell(v);
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", 100.0 * static_cast<double>(v.differing) / static_cast<double>(v.compared));
  return text;
}

void print_verdicts(const network& net, const std::vector<step>& steps, const inputs_of_network& inputs, std::ostream& out,
                    figures& json) {
  out << "\nEach operator in each engine, beside TFLite. =: the same outputs for every input that its weights and types allow.\n"
         "n/m: outputs may differ, on n of m channels, inputs, pairs or sums. ?: not decided. -: no rule; the runs take "
         "TFLite's.\n\n";
  table t;
  std::vector<std::string> head{"operator"};
  head.insert(head.end(), engines().begin(), engines().end());
  t.row(head);
  std::string witnesses;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::vector<verdict> of = decide(steps[i]);
    std::map<std::string, std::string> shown;  // engines, by their witness
    std::vector<std::string> row{steps[i].from->name};
    std::string cells, percents;
    for (std::size_t e = 0; e < of.size(); ++e) {
      row.push_back(cell(of[e]));
      percents += (e == 0 ? "" : ", ") + quoted(percent(of[e]));
      cells += (e == 0 ? "" : ", ") + quoted(engines()[e]) + ": {\"verdict\": " + quoted(cell(of[e])) +
               ", \"witness\": " + quoted(of[e].witness) + ", \"steps\": " + quoted(of[e].steps) + "}";
      if (!of[e].witness.empty()) shown[of[e].witness] += (shown[of[e].witness].empty() ? "" : " ") + engines()[e];
    }
    for (const verdict& v : of) {
      if (shown[v.witness].empty()) continue;
      witnesses +=
          steps[i].from->name + ", " + shown[v.witness] + ": " + v.witness + "\n" + v.steps + (v.steps.empty() ? "" : "\n");
      shown[v.witness].clear();
    }
    t.row(row);
    json.names += (i == 0 ? "" : ", ") + quoted(steps[i].from->name);
    json.percents += (i == 0 ? "[" : ", [") + percents + "]";
    json.verdicts +=
        (i == 0 ? "" : ",\n  ") + ("{\"operator\": " + quoted(steps[i].from->name)) + ", \"engines\": {" + cells + "}}";
  }
  t.print(out);
  if (!witnesses.empty()) out << '\n' << witnesses;
  out << "\nThe whole network on these inputs, beside TFLite:\n";
  const auto grown = compare_runs(net, steps, inputs);
  std::size_t last = 0;  // the operator that writes the first output of the network
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (!net.outputs.empty() && steps[i].output == net.outputs[0]) last = i;
  for (std::size_t e = 1; e < grown.size(); ++e) {
    const auto& g = grown[e];
    const auto say = [&](std::size_t i) {
      if (g[i].differing == 0) return std::string("equal");
      return steps[i].from->name + " (" + std::to_string(g[i].differing) + " of " + std::to_string(g[i].of) + " by up to " +
             std::to_string(g[i].worst) + ")";
    };
    const auto first = std::find_if(g.begin(), g.end(), [](const growth& one) { return one.differing > 0; });
    const auto worst = std::max_element(g.begin(), g.end(), [](const growth& a, const growth& b) { return a.worst < b.worst; });
    out << engines()[e] << ": ";
    if (first == g.end())
      out << "equal\n";
    else
      out << "differs first at " << say(static_cast<std::size_t>(first - g.begin())) << ", most at "
          << say(static_cast<std::size_t>(worst - g.begin())) << ", at the end " << say(last) << '\n';
    std::string all;
    for (std::size_t i = 0; i < g.size(); ++i)
      all += (i == 0 ? "" : ", ") + ("[" + std::to_string(g[i].differing)) + ", " + std::to_string(g[i].of) + ", " +
             std::to_string(g[i].worst) + "]";
    json.runs += (e == 1 ? "" : ", ") + quoted(engines()[e]) + ": [" + all + "]";
  }
}

}  // namespace

int report(const std::vector<std::string>& arguments, std::ostream& out) {
  options o;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string name = arguments[i], value;
    const std::size_t equals = name.rfind("--", 0) == 0 ? name.find('=') : std::string::npos;
    if (equals != std::string::npos) value = name.substr(equals + 1), name.resize(equals);
    const bool takes_value = name == "--input" || name == "--seed" || name == "--runs" || name == "--dump" || name == "--json";
    if (takes_value && equals == std::string::npos && i + 1 < arguments.size()) value = arguments[++i];
    if (name == "--verdict")
      o.verdict = true;
    else if (takes_value && !value.empty())
      o.values[name] = value;
    else if (o.file.empty() && name.rfind("--", 0) != 0)
      o.file = name;
    else
      return out << usage, 2;
  }
  if (o.file.empty()) return out << usage, 2;

  const network net = read_network(read_file(o.file));
  const std::vector<step> steps = describe(net);
  const inputs_of_network inputs = read_inputs(net, o);
  figures json;
  print_steps(net, steps, o, inputs, out, json);
  if (o.verdict) print_verdicts(net, steps, inputs, out, json);
  if (o.has("--dump")) {
    program p(net, steps, backends()[0], kept::all);
    set_inputs(p, net, inputs);
    p.run();
    for (std::size_t i = 0; i < net.tensors.size(); ++i)
      if (const unsigned char* const data = p.data(static_cast<int>(i)); data != nullptr)
        write_npy(o.values.at("--dump") + "/" + std::to_string(i) + ".npy", net.tensors[i], data);
  }
  if (o.has("--json")) {
    std::ofstream to(o.values.at("--json"));
    std::string columns;
    for (const std::string& name : engines()) columns += (columns.empty() ? "" : ", ") + quoted(name);
    to << "{\"operators\": [\n  " << json.layers << "],\n\"verdicts\": [\n  " << json.verdicts << "],\n\"runs\": {" << json.runs
       << "},\n\"tables\": [{\"title\": " << quoted(o.file) << ", \"columns\": [" << columns << "], \"engines\": [" << json.names
       << "],\n  \"percent\": [" << json.percents << "],\n  \"notes\": ["
       << quoted("A cell compares an operator in the engine above its column with the operator in TFLite.") << ", "
       << quoted(
              "equal: for every input, as decided. A number: percent of channels, pairs, inputs or sums whose outputs may "
              "differ.")
       << ", " << quoted("?: not decided. -: the engine has no rule.") << "]}]}\n";
    if (!to.flush()) throw refused(o.values.at("--json") + " cannot be written");
  }
  return 0;
}

}  // namespace model
