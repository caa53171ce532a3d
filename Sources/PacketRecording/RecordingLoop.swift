import Bluetooth
import CBluetooth
import Glibc
import PacketLog
import Synchronization

/// The loop of the recording thread: reads the available messages, writes them, and waits for more.
struct RecordingLoop: ~Copyable {
  private let channel: MonitorChannel
  private let inbox: RecordingInbox
  private let log: LogSeries
  private let kernel = KernelLinks()
  private let buffer: UnsafeMutableRawBufferPointer
  /// Selects the messages of certain straps; `nil` if everything is recorded.
  private var traffic: StrapTraffic?
  /// Removes keys; `nil` if keys are kept.
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

  /// Records until ``RecordingInbox`` requests the end.
  /// - Throws: `PacketLogError` if the log cannot be written; ``RecordingUnavailableError`` if the channel
  ///   cannot be read. The log contains everything up to the error.
  mutating func run() throws -> RecordingTally {
    while true {
      // Check for a request to end before reading, so that all messages from before that request are
      // recorded.
      let isEnding = inbox.isEnding
      if let straps = inbox.takeStraps() { traffic?.record(straps) }
      try drainAll()
      try log.flush()
      if isEnding { break }
      wait()
    }
    try log.close()
    tally.recorded = log.records
    tally.files = log.files
    return tally
  }

  private mutating func drainAll() throws {
    // Maximum number of messages per call, so that a request to end is noticed even if messages keep
    // arriving.
    let most = 16_384
    // If the disk is full, the records since the last flush are lost, so flush often.
    let recordsPerFlush = 64
    for count in 1...most {
      if count % recordsPerFlush == 0 { try log.flush() }
      let (reading, time) = try channel.read(into: buffer)
      // The count of dropped packets is written with the next record, because the kernel dropped the packets
      // after those in the queue.
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
    // Mask every message, even one that is not recorded, because keys may be split into several fragments.
    var message = message
    mask?.mask(&message)
    return traffic?.select(message) { kernel.peer($0, $1) } ?? [message]
  }

  private func wait() {
    var waiting = [
      pollfd(fd: channel.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: inbox.wakeUp, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&waiting, nfds_t(waiting.count), -1)
    inbox.hush()
  }
}

/// The requests to the recording thread, and an eventfd that wakes it up.
final class RecordingInbox: Sendable {
  private struct Content {
    var straps: Set<BluetoothAddress>?
    var isEnding = false
  }

  private let content = Mutex(Content())
  /// The eventfd, which is readable while there is a request.
  let wakeUp: Int32

  init() {
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    // A process that cannot open another file descriptor cannot record.
    precondition(wakeUp >= 0, "no eventfd to wake up a recording")
  }

  deinit { close(wakeUp) }

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

  /// Resets the eventfd. Call it before reading the requests, so that a later request wakes the thread again.
  func hush() {
    var count: UInt64 = 0
    _ = read(wakeUp, &count, MemoryLayout<UInt64>.size)
  }

  private func ring() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, MemoryLayout<UInt64>.size)
  }
}
