import Bluetooth
import Glibc
import PacketLog

/// The thread's work of a ``PacketRecorder``: takes what is there, writes it, and waits for more.
struct RecordingLoop: ~Copyable {
  private let channel: MonitorChannel
  private let inbox: RecordingInbox
  private let log: LogSeries
  private let kernel = KernelLinks()
  private let buffer: UnsafeMutableRawBufferPointer
  /// `nil` where everything is recorded.
  private var traffic: StrapTraffic?
  /// `nil` where keys are kept.
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

  /// - Throws: `PacketLogError` where the log cannot be written, ``RecordingUnavailable`` where the channel
  ///   cannot be read. The log then holds what came before.
  mutating func run() throws -> RecordingTally {
    while true {
      // Asked first: what came before the wish to end is there to be taken.
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
    /// So that a wish to end is heard on a radio that never rests.
    let most = 16_384
    // What a flush carries is lost together where the disk is full.
    let recordsPerFlush = 64
    for count in 1...most {
      if count % recordsPerFlush == 0 { try log.flush() }
      let (reading, time) = try channel.read(into: buffer)
      // Told with the next record that is written: what was dropped came after all that was queued.
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
    // Every message passes the mask, for it follows frames that are cut.
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
