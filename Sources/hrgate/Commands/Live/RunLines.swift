import BlueZ
import Bluetooth
import Foundation
import Gateway
import Glibc
import HealthDataSync
import HealthSystem
import Ingestion

/// Prints the events of a running gateway, one line for each.
///
/// Lines contain no health values unless the options ask for them: the output may be a log.
struct RunLines {
  struct Options {
    var isJSON = false
    /// Whether each measurement is printed too. Only with JSON.
    var showsMeasurements = false
    /// The person whose store the run is for; `nil` for the account owner.
    var main: String?
    /// The journal to write events to instead of the output.
    var journal: Journal?
  }

  private let options: Options
  private let events: EventLines
  private let notices: EventLines
  private let journal: JournalOutput?
  private var state: GatewayState
  /// The people whose `start` event was printed.
  private var hasStarted: Set<String?> = []
  /// The problems of monitors that were reported: each is reported once in a run.
  private var reportedAdvice: Set<String> = []

  /// Prints the events of a gateway until its run ends.
  ///
  /// - Parameters:
  ///   - others: The updates of metrics and sync destinations.
  ///   - output: The file descriptor to print to.
  /// - Throws: ``ClosedPipeError`` if the reader closed the pipe; ``CommandError`` if the reader does not
  ///   read the last lines.
  static func show(
    _ updates: AsyncStream<GatewayUpdate>, _ options: Options, others: AsyncStream<RunUpdate> = .none,
    to output: Int32 = STDOUT_FILENO
  ) async throws {
    var lines = RunLines(options, to: output)
    try await RunUpdate.forEach(updates, others) { update in
      switch update {
      case .gateway(let update): try lines.show(update)
      case .sync(let update): lines.write(RunEvent.Sync(update), of: update.person)
      case .metrics(let update): lines.write(RunEvent.Metrics(update), of: nil)
      }
    }
  }

  private init(_ options: Options, to output: Int32) {
    self.options = options
    state = GatewayState(of: options.main)
    journal = options.journal.map(JournalOutput.init)
    let isJSON = options.isJSON
    events = EventLines(to: output) { count in
      (isJSON ? try? JSONLine.text(RunEvent.Dropped(count: count)) : nil)
        ?? "\(Counted.text(count, "line is", "lines are")) missing here: the reader was too slow"
    }
    notices = EventLines(to: STDERR_FILENO) {
      StandardError.sentence(
        "\(Counted.text($0, "notice is", "notices are")) missing here: the reader was too slow")
    }
  }

  private mutating func show(_ update: GatewayUpdate) throws {
    let event = update.event
    let person = event.person
    let before = state.accounts[person]
    state = update.state
    let account = state.accounts[person]
    // Computed lazily: most events print no line.
    var time: String { Timestamp.text(event.emitted.wall) }
    switch event.event {
    case .waiting(let process): write(RunEvent.Waiting(time: time, process: process), of: person)
    case .refused(let reason):
      guard account?.refusal != before?.refusal else { return }
      write(RunEvent.Refused(time: time, failure: reason), of: person)
    case .enrolled(let monitors): enrolled(monitors, person, time)
    case .state(let status):
      guard let monitor = state.monitor(status.monitor, of: person) else { return }
      write(
        RunEvent.State(status, name: monitor.enrolled.name, advice: monitor.stateAdvice, at: time), of: person
      )
    case .measured(let measurements):
      // Measurements never go to the journal, whatever the options are.
      guard options.showsMeasurements, journal == nil else { return }
      for measurement in measurements {
        guard let name = name(measurement.monitor, person) else { continue }
        write(RunEvent.Measurement(measurement, name: name.text), of: person)
      }
    case .battery(let battery):
      guard let name = name(battery.monitor, person) else { return }
      write(RunEvent.Battery(battery, name: name.text, at: time), of: person)
    // These events can occur several times a second while scanning or while a store hangs, so they print no
    // line.
    case .heard, .stopping: break
    case .counted: if account?.storeFailure != nil { printLoss(person, before, time) }
    case .committed(let report): committed(report, person, before, time)
    case .derived:
      // Derived samples such as the heart-rate variability are computed every five minutes. Print only
      // failures and recoveries.
      guard account?.derivationFailure != before?.derivationFailure else { return }
      write(RunEvent.Derived(time: time, failure: account?.derivationFailure), of: person)
    case .condensed:
      guard account?.condensingFailure != before?.condensingFailure else { return }
      write(RunEvent.Condensed(time: time, failure: account?.condensingFailure), of: person)
    case .damaged(let reason): write(RunEvent.Damaged(time: time, failure: reason), of: person)
    case .hanging(.bus, _): write(RunEvent.Bus(time: time, failure: state.busFailure), of: person)
    case .hanging(.store, _):
      write(
        RunEvent.Store(
          time: time, heldBack: account?.heldBack ?? 0, lost: account?.lost ?? 0,
          failure: account?.storeFailure),
        of: person)
    case .missed(let count): write(RunEvent.Missed(time: time, count: count), of: person)
    case .ended(let tally):
      write(RunEvent.End(tally, at: time), of: person)
      hasStarted.remove(person)
      if state.hasEnded { try finish() }
    }
  }

  private mutating func committed(
    _ report: CommitReport, _ person: String?, _ before: GatewayState.Account?, _ time: String
  ) {
    for gap in report.gaps {
      write(RunEvent.Gap(GapView(gap, name: name(gap.monitor, person)?.text), at: time), of: person)
    }
    for tally in report.tally.monitors {
      guard case .address(let address) = tally.peripheral else { continue }
      for advice in state.monitor(address, of: person)?.problemAdvice ?? []
      where reportedAdvice.insert("\(address) \(advice.problem)").inserted {
        write(RunEvent.Advice(advice, of: tally, at: time), of: person)
      }
    }
    for notice in report.inboxNotices { write(RunEvent.Damaged(time: time, failure: notice), of: person) }
    for error in report.clockErrors { write(RunEvent.Clock(error, at: time), of: person) }
    if let refusal = report.clockRefusal {
      write(RunEvent.ClockRefused(time: time, failure: refusal.localizedDescription), of: person)
    }
    let account = state.accounts[person]
    guard account?.commitFailure == before?.commitFailure else {
      return write(
        RunEvent.Store(
          time: time, heldBack: report.heldBack, lost: account?.lost ?? 0, failure: account?.commitFailure),
        of: person)
    }
    if report.failure != nil { printLoss(person, before, time) }
  }

  /// Reports once that memory is full and measurements are lost because the store keeps failing.
  private func printLoss(_ person: String?, _ before: GatewayState.Account?, _ time: String) {
    guard let account = state.accounts[person], account.lost > 0, before?.lost ?? 0 == 0 else { return }
    write(
      RunEvent.Store(
        time: time, heldBack: account.heldBack, lost: account.lost, failure: account.storeFailure),
      of: person)
  }

  private mutating func enrolled(_ monitors: [EnrolledMonitor], _ person: String?, _ time: String) {
    write(RunEvent.Enrolled(monitors, isStart: hasStarted.insert(person).inserted, at: time), of: person)
    // Do not print that there is no monitor if there are several people, because another person may have one.
    guard monitors.isEmpty, person == options.main, state.accounts.count == 1 else { return }
    let notice =
      "no monitor is paired yet; find yours with: hrgate scan, then pair it with: hrgate pair ADDRESS"
    guard let journal else { return notices.write(StandardError.sentence(notice)) }
    journal.write(JournalEntry(notice: notice))
  }

  private func finish() throws {
    try events.finish()
    guard let missing = journal?.finish(), missing > 0 else { return }
    throw CommandError(
      "systemd-journald did not accept \(Counted.text(missing, "entry", "entries")); check it: systemctl "
        + "status systemd-journald"
    )
  }

  /// The name of an enrolled monitor; the text is `nil` if the monitor has no name.
  private struct Name {
    var text: String?
  }

  /// Returns the name of a monitor for its events.
  /// - Returns: `nil` if the monitor was forgotten, so that its events are not printed.
  private func name(_ monitor: BluetoothAddress, _ person: String?) -> Name? {
    state.monitor(monitor, of: person).map { Name(text: $0.enrolled.name) }
  }

  /// Writes an event. A reader that is gone or slow does not end the gateway, which continues to store data.
  private func write(_ event: some RunEvent.Printable, of person: String?) {
    let event = RunEvent.OfPerson(person: person, event: event)
    if let journal, let entry = try? JournalEntry(event) { return journal.write(entry) }
    if let line = options.isJSON ? try? JSONLine.text(event) : event.text { events.write(line) }
  }
}
