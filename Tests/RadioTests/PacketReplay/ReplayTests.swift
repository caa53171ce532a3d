import Bluetooth
import Foundation
import Glibc
import PacketLog
import Testing

@testable import PacketReplay
@testable import TestSupport

@Suite struct ReplayTests {
  private let log: WrittenLog

  init() throws {
    log = try WrittenLog()
    try log.advertise("Belt")
    try log.connect()
    try log.declareMeasurement()
  }

  @Test func `a connection is reported before the advertised name of its peer`() async throws {
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    var story: [String] = []
    for event in replayed.events {
      switch event {
      case .connected(.address(WrittenLog.strap), _): story.append("connected")
      case .named(.address(WrittenLog.strap), let name): story.append(name)
      default: story.append("\(event)")
      }
    }
    #expect(story == ["connected", "Belt"])
  }

  @Test func `a name from an earlier log is known in the next one`() async throws {
    let later = try WrittenLog()
    try later.advertise("Belt")
    try later.connect()
    let memory = ReplayMemory()
    _ = try await Replayed(PacketReplayCentral(path: log.finish(), memory: memory))
    let replayed = try await Replayed(PacketReplayCentral(path: later.finish(), memory: memory))
    #expect(replayed.events.contains { if case .named(_, "Belt") = $0 { true } else { false } })
  }

  @Test func `values have a characteristic, a peer and a time`() async throws {
    try log.notify([0x06, 60])
    let replayed = try await Replayed(PacketReplayCentral(path: log.finish()))
    guard case .notified(let notification)? = replayed.events.last else {
      Issue.record("no notification")
      return
    }
    #expect(notification.characteristic == .heartRateMeasurement)
    #expect(notification.peripheral == .address(WrittenLog.strap))
    #expect(notification.receiptTime.microsecondsSince1970 == WrittenLog.start + 4_000_000)
    #expect(replayed.tally.records == 5)
    #expect(replayed.tally.format?.rawValue == "btsnoop-2001")
    #expect(replayed.tally.lastTime == notification.receiptTime)
  }

  @Test func `a log that ends within a record gives the earlier ones, and the position of the damage`()
    async throws
  {
    for rate in 60..<70 as Range<UInt8> { try log.notify([0x06, rate]) }
    let bytes = try Data(contentsOf: URL(filePath: log.finish()))
    let folder = try TemporaryFolder()
    let cut = try folder.file("cut", Array(bytes.dropLast(1)))
    let replayed = try await Replayed(PacketReplayCentral(path: cut))
    #expect(replayed.values.count == 9)
    let damage = try #require(replayed.tally.damage)
    #expect(damage.code == .truncated)
    #expect(damage.offset > 0 && damage.offset < Int64(bytes.count))
  }

  @Test func `records that the recorder dropped interrupt the following ones`() async throws {
    try log.notify([0x06, 60])
    try log.notify([0x06, 61])
    var bytes = Array(try Data(contentsOf: URL(filePath: log.finish())))
    // Set the cumulative drop count of the last record, which follows its two lengths and its flags.
    let lastRecord = bytes.count - (24 + 13)
    bytes[lastRecord + 15] = 3
    let folder = try TemporaryFolder()
    let replayed = try await Replayed(PacketReplayCentral(path: folder.file("lost", bytes)))
    let kinds = replayed.events.suffix(3).map { event in
      switch event {
      case .notified: "value"
      case .interrupted: "interrupted"
      default: "\(event)"
      }
    }
    #expect(kinds == ["value", "interrupted", "value"])
    #expect(replayed.tally.anomalies == ["recorderLostPackets": 1])
  }

  @Test func `a stop ends the stream after the delivered events`() async throws {
    for _ in 0..<5000 { try log.notify([0x06, 60]) }
    let central = PacketReplayCentral(path: try log.finish())
    var delivered = 0
    for try await batch in central.events() {
      delivered += batch.count
      central.stop()
    }
    #expect(delivered > 0 && delivered < 5000)
    #expect(central.tally.wasStopped)
  }

  @Test func `a paced replay waits for the time of each value`() async throws {
    try log.notify([0x06, 60])
    let central = PacketReplayCentral(path: try log.finish(), pace: .multiple(20))
    let start = ContinuousClock.now
    for try await _ in central.events() {}
    // The delivered events span four seconds of the log, 0.2 s at twenty times the speed. 0.14 s is a safe
    // limit.
    #expect(ContinuousClock.now - start >= .milliseconds(140))
  }

  @Test func `a stop ends a long wait`() async throws {
    try log.notify([0x06, 60])
    let central = PacketReplayCentral(path: try log.finish(), pace: .multiple(0.001))
    // At this pace the second batch is due in more than an hour, so `stop` must interrupt the wait.
    for try await _ in central.events() { Thread.detachNewThread { central.stop() } }
    #expect(central.tally.wasStopped)
  }

  @Test func `a stop ends a running wait`() async throws {
    let begin = ReceiptTime(microsecondsSince1970: WrittenLog.start)
    let end = ReceiptTime(microsecondsSince1970: WrittenLog.start + 4_000_000)
    var schedule = ReplaySchedule(pace: .multiple(0.001))
    try await schedule.wait(until: begin) { false }
    var asked = 0
    try await schedule.wait(until: end) {
      asked += 1
      return asked == 3
    }
    #expect(asked == 3)
  }

  @Test func `a stop ends the reading of a silent pipe without an error`() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let central = PacketReplayCentral(path: pipe)
    // Wait on a separate thread, because blocking would occupy one of the few threads that tasks share.
    Thread.detachNewThread {
      while !Self.isOpen(pipe) { sched_yield() }
      central.stop()
    }
    for try await _ in central.events() {}
    #expect(central.tally.wasStopped)
    #expect(central.tally.damage == nil)
  }

  /// Whether this process has the file open.
  private static func isOpen(_ path: String) -> Bool {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
  }

  @Test func `a named pipe is read as it is written`() async throws {
    for rate in 60..<70 as Range<UInt8> { try log.notify([0x06, rate]) }
    let bytes = try Data(contentsOf: URL(filePath: log.finish()))
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    Thread.detachNewThread {
      // Opening the pipe for writing blocks until a reader opens it.
      guard let writer = FileHandle(forWritingAtPath: pipe) else { return }
      for part in [bytes.prefix(40), bytes.dropFirst(40)] {
        try? writer.write(contentsOf: part)
        while Self.hasUnread(writer.fileDescriptor) { sched_yield() }
      }
      try? writer.close()
    }
    #expect(try await Replayed(PacketReplayCentral(path: pipe)).values.count == 10)
  }

  /// Whether data in a pipe has not been read.
  private static func hasUnread(_ descriptor: Int32) -> Bool {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 0
  }

  @Test func `canceling ends a wait`() async throws {
    try log.notify([0x06, 60])
    let central = PacketReplayCentral(path: try log.finish(), pace: .multiple(0.001))
    let task = Task {
      for try await _ in central.events() {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(
    arguments: [("max", .maximum), ("real", .multiple(1)), ("4x", .multiple(4)), ("0.5x", .multiple(0.5))]
      as [(String, ReplayPace)])
  func `a pace is a word or a multiple`(text: String, pace: ReplayPace) { #expect(ReplayPace(text) == pace) }

  @Test(arguments: ["", "fast", "x", "0x", "-1x", "infx", "nanx", "4"])
  func `other text is not a pace`(text: String) { #expect(ReplayPace(text) == nil) }
}
