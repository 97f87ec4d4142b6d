// Builds a tree of boxed nodes and walks it again and again, as tree.nika does it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

struct Tree {
  std::unique_ptr<Tree> left;
  std::int64_t value;
  std::unique_ptr<Tree> right;
};

static std::unique_ptr<Tree> build(std::int64_t depth, std::int64_t value) {
  if (depth == 0) return nullptr;
  auto left = build(depth - 1, value * 2);
  auto right = build(depth - 1, value * 2 + 1);
  return std::make_unique<Tree>(Tree{std::move(left), value, std::move(right)});
}

static std::int64_t sum(const Tree* tree) {
  if (tree == nullptr) return 0;
  return sum(tree->left.get()) + tree->value + sum(tree->right.get());
}

static std::int64_t largest(const Tree* tree, std::int64_t so_far) {
  if (tree == nullptr) return so_far;
  return largest(tree->right.get(), largest(tree->left.get(), tree->value > so_far ? tree->value : so_far));
}

int main(int argc, char** argv) {
  const std::int64_t depth = argc > 1 ? std::atoll(argv[1]) : 10;
  const std::unique_ptr<Tree> tree = build(depth, 1);
  std::int64_t all = 0;
  for (std::int64_t turn = 0; turn < 20; ++turn) all += sum(tree.get()) + largest(tree.get(), turn);
  std::printf("%lld\n", static_cast<long long>(all));
}
