// A plugin of qemu that prints how many instructions the guest has executed. The plugin interface, version 1 of qemu 4.2 and
// newer, is declared here, because packages of qemu come without its header.

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum { add_to_uint64 = 0 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*use)(plugin_id id, struct qemu_plugin_tb* block));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, int operation, void* to, uint64_t by);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*use)(plugin_id id, void* data), void* data);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

static uint64_t executed;

static void on_translation(plugin_id id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, add_to_uint64, &executed, qemu_plugin_tb_n_insns(block));
}

static void on_exit(plugin_id id, void* data) {
  (void)id;
  (void)data;
  fprintf(stderr, "instructions %" PRIu64 "\n", executed);
}

EXPORTED int qemu_plugin_install(plugin_id id, const void* info, int count, char** arguments) {
  (void)info;
  (void)count;
  (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_exit, NULL);
  return 0;
}
