import BlueZ
import Bluetooth
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import Gateway
@testable import Ingestion
@testable import hrgate

/// The time of all tests: 2027-01-15 08:00:00 UTC.
private let start = SystemClocks(
  boottimeNanoseconds: 1_000_000_000_000, wall: ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000))

private func clocks(_ seconds: Double) -> SystemClocks {
  SystemClocks(
    boottimeNanoseconds: start.boottimeNanoseconds + UInt64(seconds * 1e9), wall: wall(seconds))
}

private func wall(_ seconds: Double) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: start.wall.microsecondsSince1970 + Int64(seconds * 1e6))
}

private func address(_ number: UInt64) -> BluetoothAddress {
  BluetoothAddress(bits: 0xF00D_BEA7_0100 + number, kind: .random)
}

/// Invented events of a gateway, and the table drawn for them.
private struct Story {
  var state = GatewayState()
  var others = OtherUpdates()

  /// - Parameter names: The names of the monitors; `nil` for a monitor without a name.
  init(_ names: String?...) {
    send(
      0,
      .enrolled(
        names.enumerated().map { number, name in
          EnrolledMonitor(
            address: address(UInt64(number)), name: name, isBonded: true, enrolled: start.wall)
        }))
  }

  mutating func send(_ seconds: Double, _ event: GatewayEvent, of person: String? = nil) {
    state.update(with: TimedGatewayEvent(emitted: clocks(seconds), person: person, event: event))
  }

  mutating func become(_ seconds: Double, _ number: UInt64, _ state: FollowState, detail: String? = nil) {
    send(seconds, .state(FollowStatus(monitor: address(number), state: state, detail: detail)))
  }

  mutating func measure(
    _ seconds: Double, _ number: UInt64, _ heartRate: Int, contact: Bool? = true, received: Double? = nil
  ) {
    send(
      seconds,
      .measured([
        LiveMeasurement(
          monitor: address(number), receiptTime: wall(received ?? seconds), heartRate: heartRate,
          hasContact: contact, intervals: [0.5, 0.4150390625])
      ]))
  }

  mutating func count(_ seconds: Double, _ measurements: [Int], failure: (any Error)? = nil) {
    var tally = IngestionTally()
    tally.measurements = measurements.reduce(0, +)
    tally.stored = [HKQuantityType(.heartRate).identifier: tally.measurements]
    tally.monitors = measurements.enumerated().map { number, count in
      MonitorTally(
        peripheral: .address(address(UInt64(number))), name: "", bundleIdentifier: "", measurements: count)
    }
    send(seconds, .committed(CommitReport(tally: tally, heldBack: 7, failure: failure)))
  }

  func drawn(
    _ columns: Int, at seconds: Double, showsValues: Bool = true, zone: String = "Europe/Berlin"
  ) throws -> [String] {
    var options = RunTable.Options()
    options.showsValues = showsValues
    options.zone = try #require(TimeZone(identifier: zone))
    let size = TerminalSize(rows: 40, columns: columns)
    return RunTable(state: state, others: others, now: clocks(seconds), options: options).lines(size)
  }

  /// Monitors with a long name, without a connection, with a lost bond, and without skin contact.
  static func evening() -> Story {
    var story = Story(
      "Polar H10 A1B2C3D4", "TICKR 1F2E", "Coospo 808S", "Wahoo ELEMNT RIVAL of the club house")
    for number: UInt64 in [0, 3] { story.become(1, number, .following) }
    story.become(2, 1, .away)
    story.become(
      3, 2, .bondLost, detail: "the monitor closes each link as soon as it stands: it has lost the keys")
    story.measure(90, 1, 133)
    story.become(95, 1, .away)
    for second in 90...299 { story.measure(Double(second), 0, 142) }
    story.measure(299, 3, 0, contact: false)
    story.send(200, .battery(LiveBattery(monitor: address(0), percentage: 85)))
    story.send(60, .battery(LiveBattery(monitor: address(1), percentage: 20)))
    story.count(299, [1_234_567, 90, 0, 12])
    return story
  }
}

@Suite struct RunTableTests {
  @Test(arguments: [60, 80, 160])
  func `with several people, a column shows each monitor's person`(columns: Int) throws {
    var story = Story("Mine")
    #expect(try !story.drawn(columns, at: 1).joined().contains("PERSON"))
    for (number, person) in [(2, "Ben"), (1, "Anna Maria of the club house")] as [(UInt64, String)] {
      story.send(
        1,
        .enrolled([
          EnrolledMonitor(address: address(number), name: "Strap", isBonded: true, enrolled: start.wall)
        ]), of: person)
      story.send(2, .state(FollowStatus(monitor: address(number), state: .bondLost)), of: person)
    }
    let lines = try story.drawn(columns, at: 3)
    for line in lines { #expect(line.columns <= columns, "\(line)") }
    let heading = try #require(lines.firstIndex { $0.hasPrefix("NAME") })
    #expect(lines[heading].split(separator: " ").prefix(2) == ["NAME", "PERSON"])
    // The owner's monitor is first, then those of other people by name. A long name is shortened.
    let people = ["-", "Anna Mar…b house", "Ben"]
    // Indented lines are advice.
    let rows = lines.dropFirst(heading + 1).filter { !$0.hasPrefix("  ") }
    #expect(rows.count == people.count)
    for (row, person) in zip(rows, people) { #expect(row.contains("  \(person)  "), "\(row)") }
    let words = lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    #expect(words.contains("--person 'Anna Maria of the club house'") && words.contains("--person Ben"))
    story.send(4, .ended(IngestionTally()), of: "Ben")
    story.send(4, .ended(IngestionTally()), of: "Anna Maria of the club house")
    #expect(try !story.drawn(columns, at: 5).joined().contains("PERSON"))
  }

  @Test(arguments: [60, 80, 110, 160])
  func `at every width no line is wider than the terminal, and nothing is cut`(columns: Int) throws {
    let lines = try Story.evening().drawn(columns, at: 300)
    for line in lines { #expect(line.columns <= columns, "\(line)") }
    let text = lines.joined(separator: "\n")
    for field in ["142 bpm", "following", "bond-lost", "3 min", "TICKR 1F2E", "Coospo 808S", "B2C3D4"] {
      #expect(text.contains(field), "\(field)")
    }
    // A number is never truncated; otherwise its column is hidden.
    #expect(text.contains("1234567 ") == text.contains("MEASURED"))
    // The advice can be read to its end, with the address that the command needs.
    let words = lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    #expect(words.contains("Pair the monitor again: hrgate pair F0:0D:BE:A7:01:02"))
    #expect(words.contains("the monitor closes each link as soon as it stands: it has lost the keys"))
  }

  @Test func `columns without room are hidden, the least important first`() throws {
    func headings(_ columns: Int) throws -> [String] {
      try Story.evening().drawn(columns, at: 300)[1].split(separator: " ").map(String.init)
    }
    let all = [
      "NAME", "PULSE", "AGE", "CONTACT", "BATTERY", "STATE", "SINCE", "MEASURED", "INTERVAL", "ADDRESS",
    ]
    #expect(try headings(160) == all)
    #expect(try headings(60) == ["NAME", "PULSE", "AGE", "CONTACT", "BATTERY", "STATE"])
    #expect(try headings(30) == ["NAME", "PULSE", "STATE"])
    var shown = Set(all)
    for columns in stride(from: 160, through: 20, by: -1) {
      let narrower = Set(try headings(columns))
      #expect(narrower.isSubset(of: shown), "\(columns)")
      shown = narrower
    }
  }

  @Test func `a table is drawn like this`() throws {
    let drawn = try Story.evening().drawn(110, at: 300)
    let expected = [
      "09:05:00 GMT+1  2 of 4 monitors connected  1234669 measurements  1234669 stored",
      "NAME                           PULSE    AGE  CONTACT  BATTERY  STATE      SINCE     MEASURED  INTERVAL",
      "Polar H10 A1B2C3D4           142 bpm    1 s  yes         85 %  following  09:00:01   1234567    415 ms",
      "TICKR 1F2E                         -  3 min  -         (20 %)  away       09:00:02        90         -",
      "Coospo 808S                        -      -  -              -  bond-lost  09:00:03         0         -",
      "  the monitor closes each link as soon as it stands: it has lost the keys",
      "  Pair the monitor again: hrgate pair F0:0D:BE:A7:01:02",
      "Wahoo ELEMNT …he club house        -    1 s  no             -  following  09:00:01        12         -",
    ]
    #expect(drawn.count == expected.count)
    for (line, expected) in zip(drawn, expected) { #expect(line == expected) }
  }

  @Test func `a pulse is shown while it is fresh, and no step of the wall clock makes it so again`() throws {
    var story = Story("Strap")
    story.become(0, 0, .following)
    story.measure(10, 0, 71)
    func row(_ seconds: Double) throws -> String { try story.drawn(110, at: seconds)[2] }
    #expect(try row(10).contains("71 bpm"))
    #expect(try row(20.9).contains("71 bpm"))
    #expect(try !row(21).contains("71 bpm"))
    #expect(try row(21).contains("11 s"))
    #expect(try row(3700).contains("1 h"))
    // After the wall clock is set back by an hour, the age of the value is still counted by the boot-time
    // clock.
    let back = SystemClocks(
      boottimeNanoseconds: clocks(40).boottimeNanoseconds, wall: wall(40 - 3600))
    let lines = RunTable(state: story.state, now: back, options: .init())
      .lines(TerminalSize(rows: 24, columns: 110))
    #expect(lines[2].contains("30 s") && !lines[2].contains("bpm"))
    // The age of a value counts from its receipt, also if it is reported 20 s later.
    story.measure(100, 0, 72, received: 80)
    #expect(try row(100).contains("20 s"))
    #expect(try !row(100).contains("bpm"))
  }

  @Test(arguments: [FollowState.away, .silent, .frozen, .bondLost, .daemonUnresponsive])
  func `a monitor that is not followed has no pulse, however young the last one is`(state: FollowState) throws
  {
    var story = Story("Strap")
    story.become(0, 0, .following)
    story.send(1, .battery(LiveBattery(monitor: address(0), percentage: 64)))
    story.measure(10, 0, 71)
    #expect(try story.drawn(110, at: 10)[2].contains("71 bpm"))
    #expect(try story.drawn(110, at: 10)[2].contains("   64 %"))
    story.become(11, 0, state)
    let row = try story.drawn(110, at: 11)[2]
    #expect(!row.contains("bpm") && !row.contains("415 ms") && row.contains("(64 %)") && row.contains("1 s"))
  }

  @Test func `a gateway that waits for another reports it and shows the followed monitors`() throws {
    var story = Story()
    story.send(1, .waiting(process: 7))
    let waits = "Waiting for another gateway on the store (process 7) to end."
    #expect(try story.drawn(160, at: 2).dropFirst() == [waits])
    let annas = EnrolledMonitor(address: address(1), name: "Hers", isBonded: true, enrolled: start.wall)
    story.send(2, .enrolled([annas]), of: "Anna")
    let lines = try story.drawn(160, at: 3)
    #expect(lines[1] == waits && lines.count == 4 && lines[3].hasPrefix("Hers  Anna"), "\(lines)")
  }

  @Test func `when the run has ended, nothing looks live`() throws {
    var story = Story.evening()
    story.send(300, .ended(story.state.tally))
    let lines = try story.drawn(160, at: 300)
    #expect(lines[0].contains("ended"))
    #expect(!lines.joined().contains("bpm") && !lines.joined().contains("following"))
  }

  @Test func `without values there is no pulse, contact or interval, and the rest is there`() throws {
    let lines = try Story.evening().drawn(160, at: 300, showsValues: false)
    let text = lines.joined(separator: "\n")
    for hidden in ["PULSE", "CONTACT", "INTERVAL", "142", "415"] { #expect(!text.contains(hidden)) }
    for shown in ["AGE", "BATTERY", "85 %", "following", "1234567"] { #expect(text.contains(shown)) }
  }

  @Test func `times are local, and those of another day have their date`() throws {
    var story = Story("Strap")
    story.become(1, 0, .following)
    #expect(try story.drawn(110, at: 60, zone: "Asia/Kolkata")[0].hasPrefix("13:31:00 "))
    #expect(try story.drawn(110, at: 60, zone: "Asia/Kolkata")[2].contains("13:30:01"))
    #expect(try story.drawn(110, at: 86_400, zone: "Asia/Kolkata")[2].contains("01-15 13:30"))
  }

  @Test func `monitors with the same name are distinguishable, and one without a name shows its address`()
    throws
  {
    let lines = try Story("H10", "H10", nil).drawn(60, at: 0)
    #expect(lines[2].hasPrefix("01:00 H10") && lines[3].hasPrefix("01:01 H10"))
    #expect(lines[4].hasPrefix("F0:0D:B…7:01:02"))
  }

  @Test func `a hostile name does not affect the terminal, and the store's error is on top`() throws {
    struct FullError: LocalizedError {
      var errorDescription: String? { "SQLITE_FULL: database or disk is full; make room on the disk" }
    }
    var story = Story("H\u{1B}[2J\u{202E}")
    story.count(1, [5], failure: FullError())
    let lines = try story.drawn(60, at: 2)
    #expect(lines[1].hasPrefix("The store cannot be written to: SQLITE_FULL"))
    #expect(lines.joined().contains("(7 samples wait)"))
    #expect(!lines.joined().unicodeScalars.contains { $0.isControl })
  }

  @Test func `the losses of a failing store are in the table and in the summary`() throws {
    struct FullError: LocalizedError { var errorDescription: String? { "the disk is full" } }
    var story = Story("H10")
    func report(_ failure: (any Error)?) -> GatewayEvent {
      var tally = IngestionTally()
      tally.measurements = 3
      tally.rejected = [.storeFailed: 3]
      return .committed(CommitReport(tally: tally, heldBack: 7, failure: failure))
    }
    story.send(1, report(FullError()))
    let lost = "7 samples wait, 3 measurements are lost; new measurements are lost too"
    #expect(try story.drawn(160, at: 2)[1] == "The store cannot be written to: the disk is full (\(lost))")
    #expect(
      story.state.summary
        == "1 monitor; the store cannot be written to: the disk is full; measurements are lost")
    story.send(3, report(nil))
    #expect(try !story.drawn(160, at: 4).joined().contains("lost") && story.state.summary == "1 monitor")
  }

  @Test func `only failing destinations are below the table`() throws {
    var story = Story("Strap")
    func send(_ name: String, _ state: SyncUpdate.State, _ error: String? = nil) {
      story.others.update(
        with: SyncUpdate(time: .now, destination: name, kind: "file", state: state, error: error))
    }
    for name in ["c", "a", "b"] { send(name, .carrying) }
    #expect(try story.drawn(60, at: 1).count == 3)
    send("c", .blocked, "the folder is gone: make it")
    send("a", .failing, "full\u{1B}[2J")
    send("b", .current)
    let lines = try story.drawn(60, at: 1)
    #expect(
      lines.dropFirst(3) == [
        "Nothing can be sent to a: full\\u{1B}[2J", "Nothing can be sent to c: the folder is gone: make it",
      ])
    send("a", .current)
    send("c", .stopped)
    #expect(try story.drawn(60, at: 1).count == 3)
  }

  @Test func `errors of metrics and bus are above the table`() throws {
    var story = Story("Strap")
    #expect(try story.drawn(60, at: 1).count == 3)
    story.others.update(
      with: MetricsUpdate(time: .now, path: "/m.prom", failure: "/m\u{1B}.prom cannot be written"))
    story.send(1, .hanging(.bus, true))
    let lines = try story.drawn(200, at: 1)
    #expect(
      lines[1].hasPrefix("The bus does not answer: nothing is received, because the thread that reads D-Bus"))
    #expect(lines[2] == "Metrics: /m\\u{1B}.prom cannot be written")
    story.others.update(with: MetricsUpdate(time: .now, path: "/m.prom"))
    story.send(2, .hanging(.bus, false))
    #expect(try story.drawn(60, at: 2).count == 3)
  }

  @Test
  func `a monitor's values stay when another is enrolled, and disappear when it is forgotten`()
    throws
  {
    var story = Story("A", "B")
    story.become(1, 1, .following)
    story.measure(2, 1, 71)
    let two = EnrolledMonitor(address: address(1), name: "B2", isBonded: true, enrolled: start.wall)
    story.send(3, .enrolled([two]))
    #expect(try story.drawn(110, at: 3)[2].hasPrefix("B2"))
    #expect(try story.drawn(110, at: 3)[2].contains("71 bpm"))
    story.send(4, .enrolled([]))
    story.measure(4, 1, 72)
    #expect(
      try story.drawn(60, at: 4).joined(separator: " ").contains("pair it with: hrgate pair ADDRESS"))
    #expect(try !story.drawn(60, at: 4).joined().contains("bpm"))
  }
}

@Suite struct WrappedTextTests {
  @Test func `words are kept whole, and one wider than a line is split`() {
    #expect(WrappedText.lines("one two three", columns: 7) == ["one two", "three"])
    #expect(WrappedText.lines("abcdefgh ij", columns: 5) == ["abcde", "fgh", "ij"])
    #expect(WrappedText.lines("心拍計", columns: 4) == ["心拍", "計"])
    #expect(WrappedText.lines("心", columns: 1) == ["心"])
    #expect(WrappedText.lines("one two", columns: 24, indent: 2) == ["  one two"])
    #expect(WrappedText.lines("", columns: 10) == [])
  }

  @Test(arguments: [
    (0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (172_799, "47 h"),
    (172_800, "2 d"), (-5, "0 s"),
  ])
  func `an age has one unit`(seconds: Int64, text: String) { #expect(Age.text(seconds: seconds) == text) }

  @Test(arguments: [
    (0.25, "0.25 s"), (26.954845, "26.95 s"), (59.999, "60 s"), (60, "1 min 0 s"), (3725, "1 h 2 min"),
    (90_000, "1 d 1 h"),
  ])
  func `a duration has two parts at most`(seconds: Double, text: String) {
    #expect(GapTable.text(seconds) == text)
  }

  @Test(arguments: [60, 160])
  func `a clock that was set back is reported above the monitors in local time`(columns: Int) throws {
    var story = Story("TICKR")
    let error = ClockError(start: wall(86_400), end: wall(86_460), ahead: .seconds(86_400))
    story.send(1, .committed(CommitReport(tally: IngestionTally(), heldBack: 0, clockErrors: [error])))
    story.count(2, [3])
    let lines = try story.drawn(columns, at: 3)
    for line in lines { #expect(line.columns <= columns, "\(line)") }
    let words = lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    #expect(
      words.contains(
        "The clock was set back by 1 d 0 h; samples stored from 01-16 09:00 to 01-16 09:01 are marked."))
  }

  @Test func `a clock change that cannot be stored is shown until it is stored`() throws {
    struct DamagedError: LocalizedError { var errorDescription: String? { "a row is damaged" } }
    var story = Story("TICKR")
    var tally = IngestionTally()
    tally.refusedClockChanges = 1
    story.send(1, .committed(CommitReport(tally: tally, heldBack: 0, clockRefusal: DamagedError())))
    story.send(2, .committed(CommitReport(tally: tally, heldBack: 0)))
    #expect(try story.drawn(160, at: 3).contains { $0.hasSuffix("are not marked: a row is damaged") })
    #expect(try !story.drawn(160, at: 3).contains { $0.contains("cannot be written to") })
    story.send(4, .committed(CommitReport(tally: IngestionTally(), heldBack: 0)))
    #expect(try !story.drawn(160, at: 5).contains { $0.contains("a row is damaged") })
  }
}
