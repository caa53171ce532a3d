// dl_iterate_phdr(3): which objects the dynamic loader has put where. <link.h> has it for _GNU_SOURCE only, which Swift's module of the C
// library is made without; so it is declared here, up to the fields that are used. The caller of the callback owns the structure.
#pragma once
#include <elf.h>
#include <stddef.h>

struct dl_phdr_info {
  Elf64_Addr dlpi_addr;
  const char *dlpi_name;
  const Elf64_Phdr *dlpi_phdr;
  Elf64_Half dlpi_phnum;
};

int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *data), void *data);
