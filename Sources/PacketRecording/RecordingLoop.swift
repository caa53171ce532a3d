import Bluetooth
import CBluetooth
import Glibc
import PacketLog
import Synchronization

/// The work of the recording thread: read the available messages, write them, and wait for more.
struct RecordingLoop: ~Copyable {
  private let channel: MonitorChannel
  private let inbox: RecordingInbox
  private let log: LogSeries
  private let kernel = KernelLinks()
  private let buffer: UnsafeMutableRawBufferPointer
  /// `nil` if everything is recorded.
  private var traffic: StrapTraffic?
  /// `nil` if keys are kept.
  private var mask: KeyMask?
  private var losses = LossWatch()
  private var tally = RecordingTally()

  init(
    _ channel: MonitorChannel, _ inbox: RecordingInbox, _ log: LogSeries, _ options: RecordingOptions
  ) {
    self.channel = channel
    self.inbox = inbox
    self.log = log
    if case .straps(let straps) = options.scope { traffic = StrapTraffic(straps: straps) }
    mask = options.keepsKeys ? nil : KeyMask()
    buffer = .allocate(byteCount: MonitorChannel.longestDatagram, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Records until the inbox requests the end.
  /// - Throws: `PacketLogError` if the log cannot be written; ``RecordingUnavailableError`` if the channel
  ///   cannot be read. The log contains everything up to the error.
  mutating func run() throws -> RecordingTally {
    while true {
      // Check before reading, so that all messages from before the request are recorded.
      let isEnding = inbox.isEnding
      if let straps = inbox.takeStraps() { traffic?.record(straps) }
      try takeAll()
      try log.flush()
      if isEnding { break }
      wait()
    }
    try log.close()
    tally.recorded = log.records
    tally.files = log.files
    return tally
  }

  private mutating func takeAll() throws {
    // Maximum number of messages per call, so that a request to end is noticed even under constant traffic.
    let most = 16_384
    // If the disk is full, all records since the last flush are lost.
    let recordsPerFlush = 64
    for count in 1...most {
      if count % recordsPerFlush == 0 { try log.flush() }
      let (reading, time) = try channel.read(into: buffer)
      // Written with the next record: the dropped packets came after all those in the queue.
      tally.dropped = channel.drops
      losses.note(drops: tally.dropped, readAt: time)
      switch reading {
      case .nothing: return regard(losses.isLoss(before: nil))
      case .malformed: tally.seen += 1
      case .message(let message):
        tally.seen += 1
        regard(losses.isLoss(before: message.time))
        for message in select(message) { try log.append(message, drops: tally.dropped) }
      }
    }
  }

  private mutating func regard(_ isLoss: Bool) {
    guard isLoss else { return }
    mask?.loseMessages()
    traffic?.loseMessages()
  }

  private mutating func select(_ message: MonitorMessage) -> [MonitorMessage] {
    let kernel = kernel
    // Mask every message, because the mask tracks fragmented frames.
    var message = message
    mask?.mask(&message)
    return traffic?.select(message) { kernel.peer($0, $1) } ?? [message]
  }

  private func wait() {
    var waiting = [
      pollfd(fd: channel.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: inbox.bell, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&waiting, nfds_t(waiting.count), -1)
    inbox.hush()
  }
}

/// Requests to the recording thread, with an event file descriptor that wakes it.
final class RecordingInbox: Sendable {
  private struct Content {
    var straps: Set<BluetoothAddress>?
    var isEnding = false
  }

  private let content = Mutex(Content())
  /// Readable while there is a request.
  let bell: Int32

  init() {
    bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    // Without file descriptors the process cannot do anything useful.
    precondition(bell >= 0, "no descriptor for the bell of a recording")
  }

  deinit { close(bell) }

  var isEnding: Bool { content.withLock(\.isEnding) }

  func takeStraps() -> Set<BluetoothAddress>? {
    content.withLock { content in
      defer { content.straps = nil }
      return content.straps
    }
  }

  func put(_ straps: Set<BluetoothAddress>) {
    content.withLock { $0.straps = straps }
    ring()
  }

  func end() {
    content.withLock { $0.isEnding = true }
    ring()
  }

  /// Resets the event file descriptor. Call it before reading the requests, so that a later one wakes the
  /// thread again.
  func hush() {
    var count: UInt64 = 0
    _ = read(bell, &count, MemoryLayout<UInt64>.size)
  }

  private func ring() {
    var one: UInt64 = 1
    _ = write(bell, &one, MemoryLayout<UInt64>.size)
  }
}
