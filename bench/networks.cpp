// dyadic_networks: the layers of whole networks on each backend. Layers of int8 are also measured on other engines.

#include "networks.hpp"

#include "peers/engines.hpp"

#include <map>
#include <set>

namespace bench {
namespace {

/// The cells of a row.
enum : std::size_t { format_cell, layer_cell, contender_cell, outputs_cell };
constexpr double most_of_scalar = 1e7;  ///< scalar code runs only networks of fewer multiply-adds
const std::string proved = ", proved";  ///< appended to the name of a backend that uses proved epilogues

constexpr const char* kinds[] = {"stem", "1x1", "3x3", "depthwise", "linear"};
/// Returns the index in `kinds` of the layer at a place of the network.
std::size_t kind_of(std::size_t place, const shape& s) {
  if (s.op == operation::linear) return 4;
  if (s.is_depthwise()) return 3;
  if (place == 0) return 0;
  return s.kernel.y * s.kernel.x == 1 ? 1 : 2;
}

/// Figures of a layer for --json: its multiply-adds, and how often each network has it. Equal layers share one row.
using counters = std::vector<std::pair<std::string, double>>;
counters networks_with(const shape& s) {
  counters found{{"multiply_adds", static_cast<double>(s.multiply_adds())}};
  for (const network& n : networks()) {
    double times = 0;
    for (const network_layer& l : n.layers) times += name_of(l.of) == name_of(s) ? 1 : 0;
    if (times > 0) found.emplace_back(n.name, times);
  }
  return found;
}

template <class Problem>
void add_layer(table& t, const std::string& format, const shape& s, bool with_scalar, bool smoke) {
  const auto in = std::make_shared<contest>(smoke);
  std::shared_ptr<Problem> p;
  const auto name_of_row = [&](const std::string& name) {
    return "networks<" + name + ">/" + operator_of(s) + "/" + format + "/" + name_of(s);
  };
  const auto work = [&] {
    amount each = amount_of(*p, nullptr);
    each.counters = networks_with(s);
    return each;
  };
  const auto add_contender = [&](const std::string& name, contest::contender contender) {
    add(t, name_of_row(name), {format, name_of(s), name, "exact"}, in, std::move(contender), work());
  };
  if constexpr (std::is_same_v<Problem, problem_a8w8>)
    p = std::make_shared<Problem>(s, 1);  // Other engines have one multiplier for all channels.
  else
    p = std::make_shared<Problem>(s);
  for (const implementation& i : backends_of(p))
    if (with_scalar || i.backend != "scalar") add_contender(i.backend, i.contender);
  if constexpr (std::is_same_v<Problem, problem_a8w8>) {
    for (const implementation& i : proved_of(p)) add_contender(i.backend + i.variant, i.contender);
    for (const engine& e : engines(smoke)) {
      if (std::string(e.name) == "gemmlowp") continue;  // gemmlowp has no convolution.
      const peer_run run = run_of(e, p);
      if (run.contender) add_peer(t, e.name, name_of_row, {format, name_of(s)}, in, run, p->expected(), 1, work());
    }
  }
}

/// Returns the name of the contender of a row. A peer has one name for the layers at which it is exact or inexact.
const std::string& contender_of(const row& r) { return r.peer.empty() ? r.cells[contender_cell] : r.peer; }

/// Returns the row of one layer by a contender, or nullptr if there is none.
const row* row_of(const table& t, const std::string& format, const shape& s, const std::string& contender) {
  for (const row& r : t.rows)
    if (contender_of(r) == contender && r.cells[format_cell] == format && r.cells[layer_cell] == name_of(s)) return &r;
  return nullptr;
}

/// Returns the seconds of a layer, or 0 if there is no row or the row is not timed.
double seconds_of(const row* r, const shape& s) {
  return r != nullptr && r->items_per_second > 0 ? static_cast<double>(s.multiply_adds()) / r->items_per_second : 0;
}

std::vector<std::string> formats() { return {"a8w8", "a16w8"}; }
/// Returns the contenders, in the order of the rows.
std::vector<std::string> contenders(const table& t, const std::string& format) {
  std::vector<std::string> found;
  for (const row& r : t.rows)
    if (r.cells[format_cell] == format && std::count(found.begin(), found.end(), contender_of(r)) == 0)
      found.push_back(contender_of(r));
  return found;
}

/// Formats a time in milliseconds with at least 3 significant digits.
std::string milliseconds(double seconds) {
  return fixed(1e3 * seconds, std::max(0, 2 - static_cast<int>(std::floor(std::log10(1e3 * seconds)))));
}

/// Returns a line for each network, format and contender that supports all layers of the network. A peer that is inexact at a
/// layer is inexact for the network.
lines whole_networks(const table& t) {
  lines all{t.header};
  for (const network& n : networks()) {
    for (const std::string& format : formats()) {
      for (const std::string& contender : contenders(t, format)) {
        double sum = 0;
        double of_kind[std::size(kinds)] = {};
        bool complete = true, inexact = false;
        int distance = 0;
        for (std::size_t i = 0; i < n.layers.size(); ++i) {
          const row* const layer = row_of(t, format, n.layers[i].of, contender);
          const double seconds = seconds_of(layer, n.layers[i].of);
          complete = complete && seconds > 0;
          if (!complete) break;
          inexact = inexact || layer->is_inexact;
          distance = std::max(distance, layer->distance);
          sum += seconds;
          of_kind[kind_of(i, n.layers[i].of)] += seconds;
        }
        if (!complete) continue;
        all.push_back({n.name, format, contender + (inexact ? ", inexact" : ""),
                       distance == 0 ? "exact" : "off by " + std::to_string(distance), milliseconds(sum),
                       rounded(n.multiply_adds() / sum / 1e9)});
        for (const double seconds : of_kind) all.back().push_back(seconds > 0 ? fixed(100 * seconds / sum, 0) : "");
      }
    }
  }
  return all;
}

/// Lists the layers of a network at which the backend `best` is slower than an exact peer, or than an inexact peer. Returns an
/// empty text if no layer has such a peer.
std::string behind_peers(const table& t, const network& n, const std::string& best, bool inexact) {
  std::map<std::string, std::pair<double, std::string>> least;  // for each layer the least share, and the contender
  for (const network_layer& l : n.layers) {
    const double ours = seconds_of(row_of(t, "a8w8", l.of, best), l.of);
    for (const row& r : t.rows) {
      if (ours == 0 || r.peer.empty() || r.is_inexact != inexact || r.cells[layer_cell] != name_of(l.of)) continue;
      const std::pair share{seconds_of(&r, l.of) / ours, r.cells[contender_cell]};
      if (share.first == 0) continue;
      auto& of_layer = least.try_emplace(name_of(l.of), share).first->second;
      of_layer = std::min(of_layer, share);
    }
  }
  if (least.empty()) return "";
  std::vector<std::string> slower;
  for (const auto& [layer, share] : least)
    if (share.first < 0.95) slower.push_back(fixed(share.first, 2) + " " + share.second + ", " + layer);
  std::sort(slower.begin(), slower.end());
  return std::string(n.name) + (inexact ? ", inexact" : ", exact") + " engines: " + std::to_string(slower.size()) + " of " +
         std::to_string(least.size()) + "\n" + wrapped(slower, "  ");
}

/// Lists for each network the layers at which the backend `best` is slower than other engines.
std::string behind_peers(const table& t, const std::string& best) {
  std::string text = "a8w8 layers at which another engine is faster than " + best + " by more than 5 %, and the speed of " +
                     best + " as a share of its:\n";
  for (const network& n : networks())
    for (const bool inexact : {false, true}) text += behind_peers(t, n, best, inexact);
  return text;
}

/// Lists the layers at which an inexact peer is off by more than 1, and by how much.
std::string inexact_peers(const table& t) {
  std::map<std::string, std::vector<std::string>> layers;
  for (const row& r : t.rows)
    if (r.is_inexact && r.distance > 1)
      layers[r.cells[contender_cell]].push_back(r.cells[layer_cell] + ": " + r.cells[outputs_cell]);
  std::string text;
  for (const auto& [contender, of] : layers)
    text += contender + ", is off by more than 1 at these layers:\n" + wrapped(of, "  ") + "\n";
  return text;
}

table whole(bool smoke) {
  table t{
      "Networks: layers of a whole network, in one thread",
      {"network", "format", "contender", "outputs", "ms", "GMAC/s", "% stem", "1x1", "3x3", "depthwise", "linear"},
      4,
      "outputs: how far they are from the definition of the layer at most. inexact: the outputs of some layers are off by more\n"
      "than 1. oneDNN is inexact without VNNI: it halves int8 weights, so that sums of two products fit 16 bits.\n"
      "ms: the sum of all layers, of which equal ones are measured once; what is between them is left out. GMAC/s: 10^9\n"
      "multiply-adds per second. %: of that time in the layers of a kind. Each layer is measured by itself, in turn with the "
      "other\n"
      "contenders, its operands where the last run left them.\n"
      "a8w8: int8 both, tflite::double_rounding, one multiplier, as oneDNN and XNNPACK have it, whose outputs may differ by 1.\n"
      "proved: with the cheaper epilogue of `prove_epilogue` in each layer for which it is proved to give the same outputs.\n"
      "a16w8: int16 activations, int8 weights, tosa::scale16, a multiplier per channel; no other engine has it.",
      nullptr};
  t.lines_of = whole_networks;
  t.remarks = [](const table& of) {
    const auto all = contenders(of, "a8w8");
    const std::string& best = all.front();
    const bool proves = std::count(all.begin(), all.end(), best + proved) > 0;
    return inexact_peers(of) + behind_peers(of, best) + "\n" + (proves ? behind_peers(of, best + proved) + "\n" : "") +
           state_of_machine(of);
  };
  t.notes += notes_of_engines();
  std::set<std::string> small, added;
  for (const network& n : networks())
    for (const network_layer& l : n.layers)
      if (n.multiply_adds() < most_of_scalar) small.insert(name_of(l.of));
  for (const network& n : networks()) {
    if (smoke && n.multiply_adds() > 1e9) continue;
    for (const network_layer& l : n.layers) {
      const std::string name = name_of(l.of);
      if (!added.insert(name).second) continue;
      add_layer<problem_a8w8>(t, "a8w8", l.of, small.count(name) > 0, smoke);
      add_layer<problem_a16w8>(t, "a16w8", l.of, small.count(name) > 0, smoke);
    }
  }
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::whole); }
