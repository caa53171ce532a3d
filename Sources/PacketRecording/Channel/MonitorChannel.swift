import Bluetooth
internal import CBluetooth
internal import Glibc

/// The kernel's monitor channel (HCI_CHANNEL_MONITOR): every packet between the host and its controllers,
/// after decryption, in order. Nobody notices that it is read.
public final class MonitorChannel: Sendable {
  /// Room for what comes while the machine has other things to do: some thousand packets.
  private static let queueLength: Int32 = 4 << 20
  /// No packet of HCI is longer, with the header of the channel.
  static let longestDatagram = 65_536 + 64

  let descriptor: Int32

  /// Opens the channel; the kernel first tells which controllers there are.
  /// - Throws: ``RecordingUnavailable``.
  public convenience init() throws(RecordingUnavailable) {
    let descriptor = socket(
      AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), BTPROTO_HCI)
    guard descriptor >= 0 else { throw RecordingUnavailable(errno: errno) }
    self.init(descriptor: descriptor)
    guard cbluetooth_bind_monitor(descriptor) == 0 else { throw RecordingUnavailable(errno: errno) }
  }

  /// Reads from a datagram socket, which it closes in the end.
  package init(descriptor: Int32, queueLength: Int32 = MonitorChannel.queueLength) {
    self.descriptor = descriptor
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMP, &on, socklen_t(MemoryLayout<Int32>.size))
    var length = queueLength
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Without the capability for it the system's limit stands.
    if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &length, size) != 0 {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &length, size)
    }
  }

  deinit { close(descriptor) }

  /// How many packets the kernel has dropped since the channel was opened, because they were not read in
  /// time.
  var drops: UInt32 { cbluetooth_drops(descriptor) }

  /// What a look for the next message found.
  enum Reading {
    case message(MonitorMessage)
    /// A datagram that is none of the channel's.
    case malformed
    /// Nothing is there yet.
    case nothing
  }

  /// Takes the next message, without waiting.
  ///
  /// - Parameter buffer: Of ``longestDatagram`` octets at least.
  /// - Returns: What was found, and the wall time before.
  /// - Throws: `.refused` with what the system says.
  func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(RecordingUnavailable) -> (Reading, at: ReceiptTime) {
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
