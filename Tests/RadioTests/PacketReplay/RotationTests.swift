import Bluetooth
import Foundation
import Testing

@testable import PacketReplay
@testable import TestSupport

/// Tests several logs in one replay: which log continues the connections of another one.
@Suite struct RotationTests {
  private let first: WrittenLog
  private let kept = Kept()

  /// Keeps logs alive, because a log's file is removed with it.
  private final class Kept { var logs: [WrittenLog] = [] }

  /// A connection, its discovery and a value: seconds 0 to 4.
  init() throws {
    first = try WrittenLog()
    try first.appear()
    try first.connect()
    try first.declareMeasurement()
    try first.notify([0x06, 60])
  }

  /// - Returns: The events of each log of one command, in the order in which they are read.
  private func replay(_ logs: [WrittenLog]) async throws -> [Replayed] {
    let paths = try logs.map { try $0.finish() }
    let memory = ReplayMemory()
    var result: [Replayed] = []
    for log in ReplayPlan(paths: paths).logs {
      result.append(
        try await Replayed(
          PacketReplayCentral(path: log.path, memory: memory, isContinued: log.isContinued)))
    }
    return result
  }

  private func part(from second: Int64, _ rates: [UInt8] = [61, 62]) throws -> WrittenLog {
    let part = try WrittenLog(from: second)
    for rate in rates { try part.notify([0x06, rate]) }
    kept.logs.append(part)
    return part
  }

  private func kinds(_ replayed: Replayed) -> [String] {
    replayed.events.map { event in
      switch event {
      case .connected(let peripheral, _): "connected \(peripheral)"
      case .disconnected(let peripheral, _): "disconnected \(peripheral)"
      case .notified(let notification): "\(notification.value.bytes[1]) of \(notification.peripheral)"
      case .interrupted: "interrupted"
      default: "…"
      }
    }
  }

  @Test func `a log that begins where another ended continues its links`() async throws {
    let replayed = try await replay([first, part(from: 5), part(from: 20, [63])])
    #expect(kinds(replayed[1]) == ["61 of \(WrittenLog.strap)", "62 of \(WrittenLog.strap)"])
    #expect(kinds(replayed[2]) == ["63 of \(WrittenLog.strap)"])
    #expect(replayed.allSatisfy { $0.tally.unresolved.isEmpty && $0.tally.inferred.isEmpty })
  }

  @Test func `logs are read in chronological order`() async throws {
    let replayed = try await replay([part(from: 20, [63]), first, part(from: 5)])
    #expect(replayed.map(\.values.count) == [1, 2, 1])
    let plan = ReplayPlan(paths: [try part(from: 9).finish(), try part(from: 5).finish()])
    #expect(plan.isReordered)
    #expect(!ReplayPlan(paths: plan.logs.map(\.path)).isReordered)
  }

  @Test func `after half a minute without packets a link is not continued`() async throws {
    let silence = ReplayPlan.longestSilence / 1_000_000
    #expect(try await replay([first, part(from: 4 + silence)])[1].values.count == 2)
    #expect(try await replay([first, part(from: 5 + silence)])[1].values.isEmpty)
  }

  @Test func `overlapping logs are separate`() async throws {
    // The first log ends at second 4, so a log that begins at second 3 does not continue it.
    #expect(try await replay([first, part(from: 3)])[1].values.isEmpty)
    #expect(try await replay([first, part(from: 4)])[1].values.count == 2)
  }

  @Test func `a log that is specified twice does not continue itself, however short it is`() throws {
    let path = try part(from: 5, [61]).finish()
    #expect(ReplayPlan(paths: [path, path]).logs.allSatisfy { !$0.isContinued })
  }

  @Test func `with a third log at the same time, continuation is undecided`() async throws {
    let beside = try part(from: 5, [70, 71, 72, 73])
    let replayed = try await replay([first, beside, part(from: 6)])
    #expect(replayed.map(\.values.count) == [1, 0, 0])
    // A third log with later times does not change which log continues the first.
    let later = try part(from: 100)
    #expect(try await replay([first, part(from: 5), later]).map(\.values.count) == [1, 2, 0])
  }

  @Test func `a restarted recorder restates its controllers, and that ends no link`() async throws {
    let second = try WrittenLog(from: 5)
    try second.appear()
    try second.notify([0x06, 61])
    let replayed = try await replay([first, second])
    #expect(kinds(replayed[1]) == ["61 of \(WrittenLog.strap)"])
  }

  @Test func `a recorder that restates a link ends none, and the part can also be read alone`() async throws {
    let second = try WrittenLog(from: 5)
    try second.appear()
    try second.connect()
    try second.notify([0x06, 61])
    try second.disconnect()
    let replayed = try await replay([first, second])
    #expect(kinds(replayed[1]) == ["61 of \(WrittenLog.strap)", "…", "disconnected \(WrittenLog.strap)"])
    let alone = try await Replayed(PacketReplayCentral(path: second.finish(), measurementHandle: 0x12))
    #expect(
      kinds(alone) == [
        "connected \(WrittenLog.strap)", "61 of \(WrittenLog.strap)", "…",
        "disconnected \(WrittenLog.strap)",
      ])
  }

  @Test func `a link that begins in a continued log is reported, to another peer and after an end`()
    async throws
  {
    let other = BluetoothAddress(bits: 0xC011_2233_4466, kind: .random)
    let second = try WrittenLog(from: 5)
    try second.appear()
    try second.connect(to: other)
    let third = try WrittenLog(from: 5)
    try third.disconnect()
    try third.connect()
    for (part, peer) in [(second, other), (third, WrittenLog.strap)] {
      let replayed = try await replay([first, part])
      #expect(kinds(replayed[1]) == ["…", "disconnected \(WrittenLog.strap)", "connected \(peer)"])
    }
  }

  @Test func `another controller and another boot end the existing links`() async throws {
    let controller = try WrittenLog(from: 5)
    try controller.appear(0x02A5_5FFF_0002)
    let boot = try WrittenLog(from: 5)
    try boot.appear()
    try boot.reset()
    for second in [controller, boot] {
      try second.notify([0x06, 61])
      let replayed = try await replay([first, second])
      #expect(kinds(replayed[1]) == ["…", "disconnected \(WrittenLog.strap)", "connected unidentified"])
      #expect(replayed[1].tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 1])
    }
  }

  @Test func `a controller that is added later in the log has lost its links`() async throws {
    let second = try part(from: 5)
    try second.appear()
    try second.notify([0x06, 63])
    #expect(try await replay([first, second])[1].values.count == 2)
  }

  @Test func `a link without a reported end passes its handle to the next peer on it`() async throws {
    let other = BluetoothAddress(bits: 0xC0FF_0000_0001, kind: .random)
    let second = try WrittenLog(from: 5)
    try second.connect(to: other)
    try second.declareMeasurement()
    try second.notify([0x06, 61])
    let replayed = try await replay([first, second])
    #expect(kinds(replayed[1]).suffix(2) == ["connected \(other)", "61 of \(other)"])
  }

  @Test func `a fragment, a request and held values are continued in the next part`() async throws {
    let begin = try WrittenLog()
    for rate in 60..<64 as Range<UInt8> { try begin.notify([0x06, rate]) }
    try begin.host([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
    let end = try WrittenLog(from: 5)
    try end.notify([0x06, 64])
    try end.peer([0x09, 0x07, 0x11, 0x00, 0x10, 0x12, 0x00, 0x37, 0x2A])
    try end.notify([0x06, 65])
    let replayed = try await replay([begin, end])
    #expect(replayed[0].values.isEmpty)
    #expect(replayed[0].tally.unresolved == [UnresolvedHandle(peer: nil, handle: 0x12): 4])
    #expect(replayed[1].values.map { $0.bytes[1] } == Array(60..<66))
    #expect(replayed[1].tally.unresolved.isEmpty)
    #expect(replayed[1].tally.fromEarlierLogs == 4)
    #expect(replayed[1].tally.notifications == 2)
  }

  @Test func `values may be missing where a part broke off`() async throws {
    let bytes = try Data(contentsOf: URL(filePath: first.finish()))
    let folder = try TemporaryFolder()
    let cut = try folder.file("cut", Array(bytes.dropLast(1)))
    let paths = [cut, try part(from: 5).finish()]
    let memory = ReplayMemory()
    var result: [Replayed] = []
    for log in ReplayPlan(paths: paths).logs {
      result.append(
        try await Replayed(
          PacketReplayCentral(path: log.path, memory: memory, isContinued: log.isContinued)))
    }
    #expect(kinds(result[1]).first == "interrupted")
    #expect(result[1].values.count == 2)
  }

  @Test func `a part that was abandoned has lost its links`() async throws {
    let paths = try [first, part(from: 5), part(from: 8, [63])].map { try $0.finish() }
    let memory = ReplayMemory()
    _ = try await Replayed(PacketReplayCentral(path: paths[0], memory: memory, isContinued: true))
    // Start to read the second log, and stop after its first event.
    for try await _ in PacketReplayCentral(path: paths[1], memory: memory, isContinued: true).events() {
      break
    }
    let third = try await Replayed(PacketReplayCentral(path: paths[2], memory: memory))
    #expect(third.values.isEmpty)
  }

  @Test func `a pipe, a log without wall time and an invalid log keep their positions`() throws {
    let folder = try TemporaryFolder()
    let stream = try folder.file("stream", monitorStreamLog(SamplePackets.commandEventACL))
    let none = try folder.file("none", [1, 2, 3])
    let late = try part(from: 9).finish()
    let early = try part(from: 5).finish()
    let plan = ReplayPlan(paths: ["-", late, stream, none, folder.path("missing"), early])
    #expect(plan.logs.map(\.path) == ["-", early, stream, none, folder.path("missing"), late])
    #expect(plan.logs.allSatisfy { !$0.isContinued })
    let given = ReplayPlan(paths: [late, early]) { true }
    #expect(given.logs.map(\.path) == [late, early])
    #expect(!given.isReordered)
  }
}

private let hasZip = ["zip", "unzip"].allSatisfy { program in
  FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
}

/// Tests the replay of several logs in one archive.
@Suite(.enabled(if: hasZip, "zip or unzip is not installed"))
struct ArchiveReplayTests {
  private let folder: TemporaryFolder
  private let logs = "FS/data/misc/bluetooth/logs"

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path(logs), withIntermediateDirectories: true)
  }

  private func add(_ name: String, _ log: [UInt8], to archive: String = "bugreport.zip") throws {
    _ = try folder.file("\(logs)/\(name)", log)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/zip")
    process.arguments = ["-q", archive, "\(logs)/\(name)"]
    process.currentDirectoryURL = folder.url
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  private var beginning: StrapPackets {
    var session = StrapPackets()
    session.connect()
    session.declareMeasurement()
    session.measure([60])
    return session
  }

  private func part(from second: Int64, _ rates: [UInt8]) -> [LoggedPacket] {
    var session = StrapPackets(from: second)
    session.measure(rates)
    return session.packets
  }

  private func rates(_ plan: ReplayPlan) async throws -> [UInt8] {
    let memory = ReplayMemory()
    var rates: [UInt8] = []
    for log in plan.logs {
      let replayed = try await Replayed(
        PacketReplayCentral(
          path: log.path, member: log.member, memory: memory, isContinued: log.isContinued))
      rates += replayed.values.map { $0.bytes[1] }
    }
    return rates
  }

  @Test func `the logs of a bug report are read in chronological order, and continue each other`()
    async throws
  {
    try add("btsnoop_hci.log", btsnoopH4Log(part(from: 4, [61, 62])))
    try add("btsnoop_hci.log.last", btsnoopH4Log(beginning.packets))
    let plan = ReplayPlan(paths: [folder.path("bugreport.zip")])
    #expect(
      plan.logs.map(\.member) == ["\(logs)/btsnoop_hci.log.last", "\(logs)/btsnoop_hci.log"])
    #expect(!plan.isReordered)
    #expect(try await rates(plan) == [60, 61, 62])
  }

  @Test func `the short copies of a bug report are read too, as separate recordings`() async throws {
    var short = beginning
    short.cutLast(to: 13)
    try add("btsnoop_hci.log", btsnoopH4Log(part(from: 4, [61, 62])))
    try add("btsnooz_hci.log", btsnoopH4Log(part(from: 3, [70])))
    try add("btsnooz_hci.log.last", btsnoopH4Log(short.packets))
    try add("btsnoop_hci.log.last", btsnoopH4Log(beginning.packets))
    let plan = ReplayPlan(paths: [folder.path("bugreport.zip")])
    let names = ["btsnooz_hci.log.last", "btsnooz_hci.log", "btsnoop_hci.log.last", "btsnoop_hci.log"]
    #expect(plan.logs.map(\.member) == names.map { "\(logs)/\($0)" })
    #expect(try await rates(plan) == [60, 70, 60, 61, 62])
  }

  @Test func `an archive is ordered among other logs by its first log`() async throws {
    try add("btsnoop_hci.log", btsnoopH4Log(part(from: 4, [61])))
    try add("btsnoop_hci.log.last", btsnoopH4Log(beginning.packets))
    let next = try folder.file("next", btsnoopH4Log(part(from: 6, [63])))
    let plan = ReplayPlan(paths: [next, folder.path("bugreport.zip")])
    #expect(plan.logs.map(\.member) == ["\(logs)/btsnoop_hci.log.last", "\(logs)/btsnoop_hci.log", nil])
    #expect(plan.isReordered)
    #expect(try await rates(plan) == [60, 61, 63])
  }

  @Test func `an archive with one log or none is not changed`() throws {
    try add("btsnoop_hci.log", btsnoopH4Log(beginning.packets), to: "one.zip")
    try add("letter.txt", Array("letter".utf8), to: "none.zip")
    for name in ["one.zip", "none.zip"] {
      #expect(ReplayPlan(paths: [folder.path(name)]).logs.map(\.member) == [nil])
    }
  }
}
