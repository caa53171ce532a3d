import BlueZ
import Bluetooth
import Dispatch
import Foundation
import Gateway
import Ingestion
import Synchronization
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests the journal entries of `hrgate run`.
@Suite(.timeLimit(.minutes(30))) struct JournalLinesTests {
  private let folder: TemporaryFolder
  private let journald: DatagramReceiver

  init() throws {
    folder = try TemporaryFolder()
    journald = try #require(DatagramReceiver(at: folder.path("journal")))
  }

  /// Reads the datagrams continuously on its own thread, because the queue of a socket is short.
  private final class Reader: Sendable {
    private let isOver = Mutex(false)
    private let messages = Mutex<[String]>([])
    private let ended = DispatchSemaphore(value: 0)
    private let journald: DatagramReceiver

    init(_ journald: DatagramReceiver) {
      self.journald = journald
      Thread { [self] in
        while !isOver.withLock(\.self) {
          let read = journald.take()
          messages.withLock { $0 += read }
          usleep(1000)
        }
        ended.signal()
      }.start()
    }

    /// Stops reading and returns all messages.
    func end() -> [String] {
      isOver.withLock { $0 = true }
      ended.wait()
      return messages.withLock(\.self) + journald.take()
    }
  }

  /// Parses a message of journald's protocol.
  private func fields(_ message: String) throws -> [String: String] {
    var fields: [String: String] = [:]
    // No value in these tests contains a line feed.
    for line in message.split(separator: "\n") {
      let sign = try #require(line.firstIndex(of: "="), "\(line)")
      let name = String(line[..<sign])
      #expect(name.wholeMatch(of: #/[A-Z][A-Z0-9_]{0,63}/#) != nil, "\(name)")
      #expect(fields.updateValue(String(line[line.index(after: sign)...]), forKey: name) == nil, "\(name)")
    }
    return fields
  }

  private func entries(
    _ events: AsyncStream<TimedGatewayEvent>, _ options: RunLines.Options = .init(), output: String = "out"
  ) async throws -> [[String: String]] {
    let path = folder.path(output)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    var options = options
    options.journal = Journal(at: journald.place, as: "hrgate")
    let reader = Reader(journald)
    var failure: (any Error)?
    do {
      try await RunLines.show(events.updates(of: options.main), options, to: file)
    } catch {
      failure = error
    }
    let messages = reader.end()
    if let failure { throw failure }
    #expect(try String(contentsOfFile: path, encoding: .utf8).isEmpty)
    return try messages.map(fields)
  }

  @Test(arguments: [nil, "Anna"])
  func `each event is an entry with its line, without the time, and the JSON fields`(person: String?)
    async throws
  {
    let path = folder.path("json")
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(file) }
    let events = { EveryEvent.timed(EveryEvent.all, of: person) }
    try await RunLines.show(events().updates(of: person), .init(isJSON: true, main: person), to: file)
    let objects = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let entries = try await entries(events(), .init(main: person))
    #expect(entries.count == objects.count)
    for (entry, object) in zip(entries, objects) {
      #expect(entry["SYSLOG_IDENTIFIER"] == "hrgate")
      let known = object.count { !($0.value is NSNull) }
      #expect(entry.keys.count { $0.hasPrefix("HRGATE_") } == known, "\(entry)")
      for key in ["event", "time", "monitor", "name", "person", "state", "cause", "failure", "advice"] {
        #expect(entry["HRGATE_\(key.uppercased())"] == object[key] as? String, "\(key): \(entry)")
      }
      #expect(entry["HRGATE_HELD_BACK"] == (object["heldBack"] as? Int).map(String.init))
      #expect(entry["HRGATE_BATTERY"] == (object["battery"] as? Int).map(String.init))
      let message = try #require(entry["MESSAGE"])
      #expect(!message.isEmpty && !message.hasPrefix("20"), "\(message)")
      #expect(!message.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(message)")
    }
    let end = try #require(entries.last?["HRGATE_REJECTED"])
    #expect(end == #"{"contactNotDetected":1}"#)
  }

  @Test func `severe events have a higher priority`() async throws {
    let entries = try await entries(EveryEvent.timed(EveryEvent.all))
    func priorities(_ event: String, _ field: String? = nil, _ value: String? = nil) -> Set<String> {
      Set(
        entries.filter { $0["HRGATE_EVENT"] == event && (field == nil || $0[field ?? ""] == value) }
          .compactMap {
            $0["PRIORITY"]
          })
    }
    #expect(priorities("state", "HRGATE_STATE", "following") == ["6"])
    #expect(priorities("state", "HRGATE_STATE", "bond-lost") == ["4"])
    #expect(priorities("store", "HRGATE_FAILURE", "the disk is full") == ["3"])
    #expect(priorities("store", "HRGATE_FAILURE", nil) == ["5"])
    #expect(priorities("gap") == ["5"] && priorities("missed") == ["4"] && priorities("clock") == ["4"])
    #expect(priorities("clock-refused") == ["3"] && priorities("derived") == ["4"])
    #expect(priorities("start") == ["6"] && priorities("end") == ["6"])
  }

  @Test func `entries never contain measured values, even with --measurements`() async throws {
    let entries = try await entries(
      EveryEvent.timed(EveryEvent.all), .init(isJSON: false, showsMeasurements: true))
    let text = entries.map { "\($0)" }.joined()
    #expect(!entries.isEmpty)
    for value in ["300", "0.8125", "65535", "HEART", "heartRate", "INTERVALS", "ENERGY", "CONTACT="] {
      #expect(!text.contains(value), "\(value)")
    }
  }

  @Test func `an unavailable journal does not end the run, and the missing entries are counted`() async throws
  {
    var options = RunLines.Options()
    options.journal = Journal(at: folder.path("none"), as: "hrgate")
    let failure = await #expect(throws: CommandError.self) {
      try await RunLines.show(EveryEvent.timed([.missed(1), .ended(.init())]).updates(), options)
    }
    #expect(failure?.message.hasPrefix("systemd-journald did not accept 2 entries;") == true)
  }

  @Test func `entries that were not delivered are counted before the next entry`() async throws {
    let place = folder.path("late")
    let output = JournalOutput(to: try #require(Journal(at: place, as: "hrgate")))
    for number in 1...3 { output.write(JournalEntry("lost \(number)", .information)) }
    #expect(output.finish() == 3)
    let late = try #require(DatagramReceiver(at: place))
    output.write(JournalEntry("heard", .information))
    #expect(output.finish() == 0)
    let entries = try late.take().map(fields)
    #expect(
      entries.map { $0["MESSAGE"] } == [
        "3 entries are missing here: the journal did not accept them", "heard",
      ])
    #expect(entries.first?["HRGATE_COUNT"] == "3" && entries.first?["PRIORITY"] == "4")
  }

  @Test func `if the journal is slow, the oldest entries are dropped and counted in their place`() async {
    let shut = DispatchSemaphore(value: 0)
    let taken = Mutex<[String]>([])
    let output = JournalOutput(capacity: 2) { entry in
      let isFirst = taken.withLock { taken in
        taken.append(entry.message)
        return taken.count == 1
      }
      if isFirst { shut.wait() }
      return true
    }
    output.write(JournalEntry("1", .information))
    #expect(await eventually { taken.withLock { $0.count } == 1 })
    for number in 2...5 { output.write(JournalEntry("\(number)", .information)) }
    // One entry is being written, two are pending, and two were dropped.
    #expect(output.finish(within: .milliseconds(1)) == 5)
    shut.signal()
    #expect(output.finish(within: .seconds(600)) == 0)
    #expect(
      taken.withLock(\.self) == [
        "1", "2 entries are missing here: the journal did not accept them", "4", "5",
      ])
  }

  @Test func `rejected and dropped entries are counted together at their position`() async {
    let refuses = Mutex(true)
    let taken = Mutex<[String]>([])
    let output = JournalOutput(capacity: 2) { entry in
      guard !refuses.withLock(\.self) else { return false }
      taken.withLock { $0.append(entry.message) }
      return true
    }
    for number in 1...7 { output.write(JournalEntry("\(number)", .information)) }
    #expect(output.finish(within: .seconds(600)) == 7)
    refuses.withLock { $0 = false }
    output.write(JournalEntry("8", .information))
    #expect(output.finish(within: .seconds(600)) == 0)
    #expect(taken.withLock(\.self) == ["7 entries are missing here: the journal did not accept them", "8"])
  }

  /// Runs a gateway without a bus and returns its output, which is a file.
  private func output(_ arguments: [String], stream: (stat) -> String) async throws -> String {
    let path = try folder.file("output", [])
    let file = try #require(FileHandle(forWritingAtPath: path))
    var status = stat()
    #expect(fstat(file.fileDescriptor, &status) == 0)
    let process = Process()
    process.executableURL = Command.hrgate
    process.arguments = ["run", "--wait", "--bus", "none", "--store", folder.path("s.sqlite")] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
      .merging(["JOURNAL_STREAM": stream(status)]) { $1 }
    process.standardOutput = file
    process.standardError = FileHandle.nullDevice
    try process.run()
    let isStarted = try await eventually {
      try String(contentsOfFile: path, encoding: .utf8).contains("start")
    }
    process.terminate()
    process.waitUntilExit()
    #expect(isStarted && process.terminationStatus == 0)
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `an output that is not the journal gets lines, and so do --no-journal and --json`()
    async throws
  {
    // JOURNAL_STREAM is set, as inherited from a service, but does not match the output of the program.
    #expect(try await output([]) { "\($0.st_dev):\($0.st_ino + 1)" }.contains("start  0 monitors"))
    let own = { (status: stat) in "\(status.st_dev):\(status.st_ino)" }
    #expect(try await output(["--no-journal"], stream: own).contains("start  0 monitors"))
    #expect(try await output(["--json"], stream: own).contains(#""event":"start""#))
  }
}
