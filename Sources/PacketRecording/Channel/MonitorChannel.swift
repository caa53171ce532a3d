import Bluetooth
import CBluetooth
import Glibc

/// The kernel's monitor channel (HCI_CHANNEL_MONITOR).
///
/// It delivers all packets between the host and its controllers, in order and decrypted. Reading it does not
/// affect the host or the controllers.
public final class MonitorChannel: Sendable {
  /// Size of the receive queue in bytes. It holds several thousand packets while the process is not running.
  private static let queueLength: Int32 = 4 << 20
  /// Maximum size of a message in bytes: the longest HCI packet with the header of the channel.
  static let longestDatagram = 65_536 + 64

  let descriptor: Int32

  /// Opens the channel. The first messages describe the existing controllers.
  /// - Throws: ``RecordingUnavailableError``.
  public convenience init() throws(RecordingUnavailableError) {
    let descriptor = socket(
      AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), BTPROTO_HCI)
    guard descriptor >= 0 else { throw RecordingUnavailableError(errno: errno) }
    self.init(descriptor: descriptor)
    guard cbluetooth_bind_monitor(descriptor) == 0 else { throw RecordingUnavailableError(errno: errno) }
  }

  /// Creates a channel that reads from an existing datagram socket, and closes it later.
  package init(descriptor: Int32, queueLength: Int32 = MonitorChannel.queueLength) {
    self.descriptor = descriptor
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMP, &on, socklen_t(MemoryLayout<Int32>.size))
    var length = queueLength
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Without CAP_NET_ADMIN, the queue cannot be larger than the system's limit.
    if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &length, size) != 0 {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &length, size)
    }
  }

  deinit { close(descriptor) }

  /// The number of packets that the kernel has dropped, because the queue was full, since the channel was
  /// opened.
  var drops: UInt32 { cbluetooth_drops(descriptor) }

  /// The result of a read.
  enum Reading {
    case message(MonitorMessage)
    /// A message that is too short.
    case malformed
    /// No message is available.
    case nothing
  }

  /// Reads the next message without blocking.
  /// - Parameter buffer: At least ``longestDatagram`` bytes.
  /// - Returns: The result, and the wall-clock time before the read.
  /// - Throws: `.refused` with the system's error.
  func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RecordingUnavailableError) -> (Reading, at: ReceiptTime) {
    var time = timeval()
    gettimeofday(&time, nil)
    let before = ReceiptTime(time)
    while true {
      let count = cbluetooth_receive(descriptor, buffer.baseAddress, buffer.count, &time)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return (.nothing, before) }
      guard count >= 0 else { throw .refused(errno) }
      let datagram = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
      let message = MonitorMessage(datagram: datagram.bytes, time: ReceiptTime(time))
      return (message.map(Reading.message) ?? .malformed, before)
    }
  }
}

extension ReceiptTime {
  fileprivate init(_ time: timeval) {
    self.init(microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec))
  }
}

/// A message of the kernel's monitor channel. It has the same content as a record of a btsnoop log (datalink
/// 2001).
struct MonitorMessage: Hashable {
  /// Length of the header in bytes: opcode, controller and length, u16 each, little-endian (Linux, `struct
  /// hci_mon_hdr`).
  static let headerLength = 6

  /// One of the constants in `MonitorOpcode`.
  var opcode: UInt16
  var controller: UInt16
  /// The time at which the kernel received the packet.
  var time: ReceiptTime
  var packet: [UInt8]

  init(opcode: UInt16, controller: UInt16, time: ReceiptTime, packet: [UInt8]) {
    self.opcode = opcode
    self.controller = controller
    self.time = time
    self.packet = packet
  }

  /// Decodes a datagram.
  /// - Parameter datagram: The bytes, including the header.
  /// - Returns: `nil` if the datagram is shorter than its header, or than the length stated there.
  init?(datagram: RawSpan, time: ReceiptTime) {
    guard let opcode = datagram.uint16LE(at: 0), let controller = datagram.uint16LE(at: 2),
      let length = datagram.uint16LE(at: 4), datagram.byteCount >= Self.headerLength + Int(length)
    else { return nil }
    self.init(
      opcode: opcode, controller: controller, time: time,
      packet: datagram.extracting(Self.headerLength..<Self.headerLength + Int(length)).copiedBytes())
  }
}

/// The reason why nothing can be recorded on this machine.
public enum RecordingUnavailableError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The monitor channel requires permission to see raw packets (CAP_NET_RAW).
  case notPermitted
  /// The kernel has no Bluetooth support, or this process may not use it.
  case noBluetooth
  /// The channel cannot be opened. The value is `errno`.
  case refused(Int32)

  init(errno: Int32) {
    switch errno {
    case EPERM, EACCES: self = .notPermitted
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: self = .noBluetooth
    default: self = .refused(errno)
    }
  }

  public var description: String {
    switch self {
    case .notPermitted:
      "This user may not read the packets of the Bluetooth controllers (CAP_NET_RAW); root may"
    case .noBluetooth:
      "This kernel has no Bluetooth, or this process may not use it. Load it: modprobe bluetooth"
    case .refused(let number):
      "The kernel rejects the channel for recording packets (\(String(cString: strerror(number))))"
    }
  }
}

/// Determines where in the sequence of messages the kernel has dropped some.
///
/// The kernel drops messages while the queue is full, and reports only their count. Reading a message makes
/// room in the queue. So if the count has increased after a read, the dropped messages belong before the
/// first message with a time after that read.
struct LossWatch {
  private var drops: UInt32 = 0
  /// The times of the reads after which the kernel's count of dropped messages had increased. Messages are
  /// missing before the first message at or after such a time.
  private var behind: [ReceiptTime] = []

  /// Records the kernel's count of dropped messages after a read, even if no message was read.
  /// - Parameters:
  ///   - drops: The kernel's count of dropped messages after the read.
  ///   - time: The wall-clock time before the read.
  mutating func note(drops: UInt32, readAt time: ReceiptTime) {
    if drops != self.drops { behind.append(time) }
    self.drops = drops
  }

  /// Returns whether messages may be missing before the next one. Each loss is reported once.
  /// - Parameter time: The time of the next message; `nil` if the queue is empty, so that all losses are
  ///   before the next message.
  mutating func isLoss(before time: ReceiptTime?) -> Bool {
    let count = behind.count
    behind.removeAll { loss in time.map { loss <= $0 } ?? true }
    return behind.count < count
  }
}
