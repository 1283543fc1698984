#include "harness/classes/grade/copies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "harness/core/text.h"
#include "harness/kernel/compile/source/tokens.h"

namespace lab::grade {

namespace {

// Held by tests of copies and of independent kernels (copies_test.cpp).
constexpr double kShare = 0.7;          // of the smaller one's statements
constexpr double kEvidence = 24;        // tokens that hardly anybody else has
constexpr std::size_t kShortest = 40;   // tokens beyond the starter
constexpr std::size_t kFewest = 3;      // texts of which it can be said what many have
constexpr std::size_t kOwnBytes = 120;  // of lines beyond the starter, of the same text twice

// Words whose place in a statement says what it does. Every other name is one name.
constexpr std::array<std::string_view, 26> kKeptNames = {
    "threadIdx", "blockIdx", "blockDim", "gridDim", "x",      "y",     "z",     "w",     "if",
    "else",      "return",   "int",      "float",   "double", "char",  "const", "bool",  "unsigned",
    "float4",    "float2",   "volatile", "switch",  "case",   "break", "goto",  "sizeof"};
// A loop is what is done before it, its condition, and what is done at its end.
constexpr std::array<std::string_view, 3> kLoops = {"for", "while", "do"};

bool is_one_of(std::string_view text, const auto& all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

std::string kept(const source::Token& token) {
  if (token.kind != source::TokenKind::kName) return std::string(token.text);
  const bool known = is_one_of(token.text, kKeptNames) || token.text.starts_with("__");
  return known || token.text.starts_with("atomic") ? std::string(token.text) : "N";
}

/// Tokens between semicolons and braces, in no order.
struct Statement {
  std::string tokens;  ///< sorted
  std::size_t size = 0;
  std::size_t at = 0;  ///< in the text
};

std::vector<Statement> statements_of(std::string_view text) {
  std::vector<Statement> all;
  std::vector<std::string> tokens;
  std::size_t at = 0;
  const auto end = [&] {
    // `i` of `for (int i` or `++i` says nothing.
    constexpr std::size_t kFewestTokens = 3;
    if (tokens.size() >= kFewestTokens) {
      std::sort(tokens.begin(), tokens.end());
      Statement one{{}, tokens.size(), at};
      for (const std::string& token : tokens) one.tokens += token + " ";
      all.push_back(std::move(one));
    }
    tokens.clear();
  };
  for (const source::Token& token : source::tokens_of(text)) {
    if (token.kind == source::TokenKind::kDirective) continue;
    const bool ends = token.text == ";" || token.text == "{" || token.text == "}" ||
                      is_one_of(token.text, kLoops);
    if (ends) {
      end();
      continue;
    }
    if (token.text == "(" || token.text == ")") continue;  // as many as a writer likes
    if (tokens.empty()) at = token.begin;
    tokens.push_back(kept(token));
  }
  end();
  return all;
}

/// What one text has beyond the starter.
struct Own {
  std::map<std::string, std::size_t> counts = {};  // by statement
  std::map<std::string, std::size_t> at = {};
  std::map<std::string, std::size_t> sizes = {};
  std::size_t tokens = 0;
};

Own own_of(std::string_view text, const std::map<std::string, std::size_t>& starter) {
  Own own;
  std::map<std::string, std::size_t> left = starter;
  for (const Statement& one : statements_of(text)) {
    const auto given = left.find(one.tokens);
    if (given != left.end() && given->second > 0) {
      --given->second;
      continue;
    }
    ++own.counts[one.tokens];
    own.at.try_emplace(one.tokens, one.at);
    own.sizes[one.tokens] = one.size;
    own.tokens += one.size;
  }
  return own;
}

std::size_t bytes_beyond(std::string_view text, std::string_view starter) {
  std::set<std::string_view> given;
  for (const std::string_view line : split(starter, '\n')) given.insert(trim(line));
  std::size_t bytes = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (given.count(trim(line)) == 0) bytes += trim(line).size();
  }
  return bytes;
}

/// Groups that grow together.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  void join(std::size_t a, std::size_t b) { parent_[of(b)] = of(a); }

 private:
  std::vector<std::size_t> parent_;
};

class Comparison {
 public:
  Comparison(const std::vector<Handwriting>& all, std::string_view starter) : all_(all) {
    std::map<std::string, std::size_t> given;
    for (const Statement& one : statements_of(starter)) ++given[one.tokens];
    for (const Handwriting& one : all) {
      const auto [at, fresh] = texts_.try_emplace(one.text, first_.size());
      if (fresh) {
        first_.push_back(members_.size());
        own_.push_back(own_of(one.text, given));
        bytes_.push_back(bytes_beyond(one.text, starter));
      }
      members_.push_back(at->second);
    }
    for (const Own& own : own_) {
      for (const auto& [statement, count] : own.counts) ++have_[statement];
    }
  }

  std::vector<Cluster> run() {
    Groups groups(own_.size());
    std::map<std::pair<std::size_t, std::size_t>, double> shares;
    for (std::size_t a = 0; a < own_.size(); ++a) {
      for (std::size_t b = a + 1; b < own_.size(); ++b) {
        const double share = alike(own_[a], own_[b]);
        if (share < kShare) continue;
        shares[{a, b}] = share;
        groups.join(a, b);
      }
    }
    std::map<std::size_t, std::vector<std::size_t>> texts_of;
    for (std::size_t i = 0; i < own_.size(); ++i) texts_of[groups.of(i)].push_back(i);
    std::vector<Cluster> clusters;
    for (const auto& [group, texts] : texts_of) {
      Cluster cluster = cluster_of(texts);
      if (cluster.students.empty()) continue;
      for (const auto& [pair, share] : shares) {
        if (groups.of(pair.first) == group) cluster.share = std::min(cluster.share, share);
      }
      clusters.push_back(std::move(cluster));
    }
    return clusters;
  }

 private:
  // 1 for what one text has alone, 0 for what all have.
  [[nodiscard]] double rarity(const std::string& statement) const {
    const auto texts = static_cast<double>(own_.size());
    return std::log(texts / static_cast<double>(have_.at(statement))) / std::log(texts);
  }

  // The share of the smaller one's statements that the other has, by their tokens and rarity; 0
  // where that is too little to go by.
  [[nodiscard]] double alike(const Own& a, const Own& b) const {
    if (own_.size() < kFewest || std::min(a.tokens, b.tokens) < kShortest) return 0;
    double both = 0;
    double of_a = 0;
    double of_b = 0;
    for (const auto& [statement, count] : a.counts) {
      const double weight = static_cast<double>(a.sizes.at(statement)) * rarity(statement);
      of_a += weight * static_cast<double>(count);
      const auto at = b.counts.find(statement);
      if (at != b.counts.end()) both += weight * static_cast<double>(std::min(count, at->second));
    }
    for (const auto& [statement, count] : b.counts) {
      of_b += static_cast<double>(b.sizes.at(statement)) * rarity(statement) *
              static_cast<double>(count);
    }
    return both < kEvidence ? 0 : both / std::min(of_a, of_b);
  }

  [[nodiscard]] Cluster cluster_of(const std::vector<std::size_t>& texts) const {
    Cluster cluster;
    cluster.alike = texts.size() == 1 ? Alike::kBytes : Alike::kTokens;
    cluster.own_tokens = own_[texts.front()].tokens;
    std::set<std::string> files;
    for (const std::size_t text : texts) {
      cluster.own_tokens = std::min(cluster.own_tokens, own_[text].tokens);
      const bool told_apart = texts.size() > 1 || bytes_[text] >= kOwnBytes;
      for (std::size_t i = 0; i < all_.size() && told_apart; ++i) {
        if (members_[i] != text) continue;
        if (all_[i].student.empty()) {
          cluster.with_solution = true;
          continue;
        }
        cluster.students.push_back(all_[i].student);
        files.insert(all_[i].file.empty() ? all_[i].student : all_[i].file);
      }
    }
    // Two students who handed in one file together are one submission.
    if (files.size() + (cluster.with_solution ? 1 : 0) < 2) cluster.students.clear();
    std::sort(cluster.students.begin(), cluster.students.end());
    cluster.shown = rarest_line(texts);
    return cluster;
  }

  // Of the first text, the statement that all of them have and the fewest others.
  [[nodiscard]] std::string rarest_line(const std::vector<std::size_t>& texts) const {
    const Own& first = own_[texts.front()];
    std::string best;
    double most = -1;
    for (const auto& [statement, size] : first.sizes) {
      const bool all = std::all_of(
          texts.begin(), texts.end(),
          [&, &said = statement](std::size_t text) { return own_[text].counts.count(said) > 0; });
      const double weight = static_cast<double>(size) * rarity(statement);
      if (all && weight > most) {
        most = weight;
        best = statement;
      }
    }
    if (best.empty()) return {};
    const std::string& text = all_[first_[texts.front()]].text;
    const std::size_t at = first.at.at(best);
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return std::string(trim(std::string_view(text).substr(begin, text.find('\n', at) - begin)));
  }

  const std::vector<Handwriting>& all_;
  std::map<std::string, std::size_t> texts_;
  std::vector<std::size_t> members_;  // the text of each
  std::vector<std::size_t> first_;    // who had each text first
  std::vector<Own> own_;
  std::vector<std::size_t> bytes_;
  std::map<std::string, std::size_t> have_;  // how many texts have a statement
};

}  // namespace

std::string_view name_of(Alike alike) { return alike == Alike::kBytes ? "bytes" : "statements"; }

std::vector<Cluster> copies_among(const std::vector<Handwriting>& all, std::string_view starter) {
  return Comparison(all, starter).run();
}

}  // namespace lab::grade
