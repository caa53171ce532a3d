// The kernel's HCI sockets for Swift: their constants and structures are in BlueZ's headers (nothing of its library is
// used), and what comes beside a datagram is read by macros, which Swift does not import.

#ifndef CBLUETOOTH_SHIM_H
#define CBLUETOOTH_SHIM_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <linux/sock_diag.h>
#include <string.h>
// How a thread that waits is woken; Glibc's module leaves it out.
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

/// Binds an HCI socket to the monitor channel of all controllers; as bind(2).
static inline int cbluetooth_bind_monitor(int descriptor) {
  struct sockaddr_hci address;
  memset(&address, 0, sizeof address);
  address.hci_family = AF_BLUETOOTH;
  address.hci_dev = HCI_DEV_NONE;
  address.hci_channel = HCI_CHANNEL_MONITOR;
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

/// Receives one datagram without waiting, with the time at which the kernel got it (SO_TIMESTAMP has to be on); as
/// recv(2). Where the kernel gave no time it is left as it was.
static inline ssize_t cbluetooth_receive(int descriptor, void *buffer, size_t size, struct timeval *time) {
  union {
    char octets[CMSG_SPACE(sizeof(struct timeval))];
    struct cmsghdr alignment;
  } control;
  struct iovec room = {buffer, size};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &room;
  message.msg_iovlen = 1;
  message.msg_control = control.octets;
  message.msg_controllen = sizeof control.octets;
  ssize_t count = recvmsg(descriptor, &message, MSG_DONTWAIT);
  if (count < 0) return count;
  for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item))
    if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_TIMESTAMP)
      memcpy(time, CMSG_DATA(item), sizeof *time);
  return count;
}

/// How many datagrams the kernel has dropped because the socket's queue was full, since the socket was made; 0 from a
/// kernel that does not say. Not by SO_RXQ_OVFL: HCI sockets hand on no count beside a datagram.
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

/// The links of a controller as the kernel knows them, by an HCI socket of the raw channel; their number, or -1.
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
