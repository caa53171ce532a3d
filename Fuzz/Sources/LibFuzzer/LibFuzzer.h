// The entry point of libFuzzer for a program with its own main (LLVM documentation, "Using libFuzzer as a
// library").
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test_one_input)(const uint8_t *data, size_t size));
