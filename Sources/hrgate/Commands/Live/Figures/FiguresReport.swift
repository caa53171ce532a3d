import BluetoothCentral
import Gateway
import PrometheusText

/// Writes how a running gateway stands into a file for Prometheus, again and again until the run is over.
struct FiguresReport: Sendable {
  /// As often as Prometheus usually looks.
  private static let pause = Duration.seconds(15)

  private let file: MetricsFile
  private let events: AsyncStream<TimedGatewayEvent>
  private let person: String?
  private let version: String
  private let clock: any Clock<Duration>
  private let complain: @Sendable (String) -> Void

  /// - Parameter complain: Called where the file can no longer be written, with the reason, and when it can
  ///   again.
  init(
    of gateway: HouseholdGateway, to file: MetricsFile, version: String,
    clock: any Clock<Duration> = ContinuousClock(), complain: @escaping @Sendable (String) -> Void
  ) {
    self.init(
      gateway.timedEvents(), of: gateway.person, to: file, version: version, clock: clock, complain: complain)
  }

  init(
    _ events: AsyncStream<TimedGatewayEvent>, of person: String?, to file: MetricsFile, version: String,
    clock: any Clock<Duration>, complain: @escaping @Sendable (String) -> Void
  ) {
    self.file = file
    self.events = events
    self.person = person
    self.version = version
    self.clock = clock
    self.complain = complain
  }

  func run() async {
    let state = Latest(RunState(of: person))
    let isFailing = Latest(false)
    var hasBegun = false
    await withTaskGroup(of: Void.self) { group in
      for await event in events {
        state.update { $0.receive(event) }
        // A gateway that waits for another leaves the file to that one.
        guard !hasBegun, state.value.waiting == nil else { continue }
        hasBegun = true
        group.addTask {
          while !Task.isCancelled {
            write(state.value, isRunning: true, isFailing)
            try? await clock.sleep(for: Self.pause)
          }
        }
      }
      group.cancelAll()
    }
    // The last word is that of the whole account.
    if hasBegun { write(state.value, isRunning: false, isFailing) }
  }

  private func write(_ state: RunState, isRunning: Bool, _ isFailing: Latest<Bool>) {
    let text = MetricFamily.text(state.figures(now: .now(), version: version, isRunning: isRunning))
    do throws(MetricsFileFault) {
      try file.write(text)
      if isFailing.value { complain("figures are written to \(file.path) again") }
      isFailing.value = false
    } catch {
      if !isFailing.value { complain("figures: \(error.description); it is tried again") }
      isFailing.value = true
    }
  }
}
