// The kernel's HCI sockets for Swift. Constants and structures come from BlueZ's headers (its library is not
// used). The functions below replace macros for control messages, which Swift does not import.

#ifndef CBLUETOOTH_SHIM_H
#define CBLUETOOTH_SHIM_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <linux/sock_diag.h>
#include <string.h>
// For eventfd, which Glibc's module does not contain.
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

/// Binds an HCI socket to the monitor channel of all controllers. Returns like bind(2).
static inline int cbluetooth_bind_monitor(int descriptor) {
  struct sockaddr_hci address;
  memset(&address, 0, sizeof address);
  address.hci_family = AF_BLUETOOTH;
  address.hci_dev = HCI_DEV_NONE;
  address.hci_channel = HCI_CHANNEL_MONITOR;
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

/// Receives one datagram without waiting, with the time at which the kernel received it (SO_TIMESTAMP has to
/// be on). Returns like recv(2). If the kernel provides no time, `time` is not changed.
static inline ssize_t cbluetooth_receive(int descriptor, void *buffer, size_t size, struct timeval *time) {
  union {
    char bytes[CMSG_SPACE(sizeof(struct timeval))];
    struct cmsghdr alignment;
  } control;
  struct iovec room = {buffer, size};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &room;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT);
  if (count < 0) return count;
  for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item))
    if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_TIMESTAMP)
      memcpy(time, CMSG_DATA(item), sizeof *time);
  return count;
}

/// Returns the number of datagrams that the kernel has dropped because the socket's queue was full; 0 if the
/// kernel does not report it. SO_RXQ_OVFL does not work here, because HCI sockets do not attach its count to
/// datagrams.
static inline uint32_t cbluetooth_drops(int descriptor) {
  uint32_t memory[SK_MEMINFO_VARS];
  socklen_t length = sizeof memory;
  memset(memory, 0, sizeof memory);
  if (getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, memory, &length) < 0) return 0;
  return memory[SK_MEMINFO_DROPS];
}

enum { cbluetooth_most_links = 64 };

struct cbluetooth_links {
  struct hci_conn_list_req request;
  struct hci_conn_info room[cbluetooth_most_links];
};

/// Reads the links of a controller from the kernel, through an HCI socket of the raw channel. Returns their
/// number, or -1.
static inline int cbluetooth_links(int descriptor, uint16_t controller, struct hci_conn_info *into) {
  struct cbluetooth_links links;
  memset(&links, 0, sizeof links);
  links.request.dev_id = controller;
  links.request.conn_num = cbluetooth_most_links;
  if (ioctl(descriptor, HCIGETCONNLIST, &links) < 0) return -1;
  memcpy(into, links.room, sizeof links.room);
  return links.request.conn_num;
}

#endif
