#include "check.h"

__managed__ int calls = 5;

struct Node {
  int value;
  Node* next;
};

__global__ void add_up(const Node* head, int* sum) {
  for (const Node* at = head; at; at = at->next) *sum += at->value;
  ++calls;
}

int main() {
  Node* head = nullptr;
  int* sum;
  CHECK(cudaMallocManaged(&sum, sizeof *sum));
  *sum = 0;
  for (int i = 1; i <= 10; ++i) {
    Node* node;
    CHECK(cudaMallocManaged(&node, sizeof *node));
    node->value = i;
    node->next = head;
    head = node;
  }
  calls += 1;
  add_up<<<1, 1>>>(head, sum);
  CHECK(cudaDeviceSynchronize());
  printf("sum %d, calls %d\n", *sum, calls);
  const bool fine = *sum == 55 && calls == 7;
  while (head) {
    Node* next = head->next;
    CHECK(cudaFree(head));
    head = next;
  }
  cudaFree(sum);
  return verdict(fine);
}
