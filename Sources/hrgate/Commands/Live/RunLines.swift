import BlueZ
import Bluetooth
import BluetoothCentral
import Foundation
import Gateway
import Glibc
import HealthDataSync
import Ingestion

/// A running gateway as lines, one for each event.
///
/// No value of a measurement is in them unless it is asked for: what is written here may end in a log.
struct RunLines {
  struct Options {
    var isJSON = false
    /// Tell each measurement too. For JSON alone.
    var showsMeasurements = false
  }

  private let options: Options
  private let events: EventLines
  private let notices: EventLines
  private var state = RunState()
  private var hasStarted = false

  /// Shows what a gateway says until its run is over.
  ///
  /// - Parameters:
  ///   - sync: What the synchronisation beside it says.
  ///   - output: Where the lines go.
  /// - Throws: ``ClosedPipe`` if the reader is gone; ``Failure`` if what was written last is not read.
  static func show(
    _ events: AsyncStream<TimedGatewayEvent>, _ options: Options, sync: AsyncStream<SyncNews> = .none,
    to output: Int32 = STDOUT_FILENO
  ) async throws {
    var lines = RunLines(options, to: output)
    try await RunNews.forEach(events, sync) { news in
      switch news {
      case .gateway(let event): try lines.show(event)
      case .sync(let news): lines.write(RunEvent.Sync(news))
      }
    }
  }

  private init(_ options: Options, to output: Int32) {
    self.options = options
    let isJSON = options.isJSON
    events = EventLines(to: output) { count in
      (isJSON ? try? JSONLine.text(RunEvent.Dropped(count: count)) : nil)
        ?? "\(Counted.text(count, "line is", "lines are")) missing here: nobody read them"
    }
    notices = EventLines(to: STDERR_FILENO) {
      StandardError.sentence("\(Counted.text($0, "notice is", "notices are")) missing here: nobody read them")
    }
  }

  private mutating func show(_ event: TimedGatewayEvent) throws {
    let before = state
    state.receive(event)
    let time = Timestamp.text(event.told.wall)
    switch event.event {
    case .waiting(let process): write(RunEvent.Waiting(time: time, process: process))
    case .enrolled(let monitors): enrolled(monitors, time)
    case .state(let status):
      guard let name = name(status.monitor) else { return }
      write(RunEvent.State(status, name: name.text, at: time))
    case .measured(let measurements):
      guard options.showsMeasurements else { return }
      for measurement in measurements {
        guard let name = name(measurement.monitor) else { continue }
        write(RunEvent.Measurement(measurement, name: name.text))
      }
    case .battery(let battery):
      guard let name = name(battery.monitor) else { return }
      write(RunEvent.Battery(battery, name: name.text, at: time))
    // Several a second while a monitor is sought, and worth no line.
    case .heard: break
    case .committed(let report):
      for gap in report.gaps { write(RunEvent.Gap(GapLine(gap, name: name(gap.monitor)?.text), at: time)) }
      for error in report.clockErrors { write(RunEvent.Clock(error, at: time)) }
      if let refusal = report.clockRefusal {
        write(RunEvent.ClockRefused(time: time, failure: refusal.localizedDescription))
      }
      guard state.storeFailure != before.storeFailure else { return }
      write(RunEvent.Store(time: time, heldBack: report.heldBack, failure: state.storeFailure))
    case .derived:
      // Figures that are there every five minutes are worth no line.
      guard state.derivationFailure != before.derivationFailure else { return }
      write(RunEvent.Derived(time: time, failure: state.derivationFailure))
    case .missed(let count): write(RunEvent.Missed(time: time, count: count))
    case .ended(let tally):
      write(RunEvent.End(tally, at: time))
      try events.finish()
    }
  }

  private mutating func enrolled(_ monitors: [EnrolledMonitor], _ time: String) {
    write(RunEvent.Enrolled(monitors, isStart: !hasStarted, at: time))
    hasStarted = true
    guard monitors.isEmpty else { return }
    notices.write(
      StandardError.sentence(
        "no monitor is enrolled yet: hrgate scan shows which there are, hrgate pair ADDRESS enrols one"))
  }

  /// A monitor's name, which it need not have.
  private struct Name {
    var text: String?
  }

  /// - Returns: `nil` for a monitor that was forgotten, of which nothing is told any more.
  private func name(_ monitor: BluetoothAddress) -> Name? {
    state.monitor(monitor).map { Name(text: $0.enrolled.name) }
  }

  /// A reader that is gone, or does not read, does not end the gateway: its work is the store's.
  private func write(_ event: some RunEvent.Told) {
    if let line = options.isJSON ? try? JSONLine.text(event) : event.text { events.write(line) }
  }
}
