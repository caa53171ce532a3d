import Bluetooth
import Dispatch
import Foundation
import Gateway

/// The metrics file became unwritable, or writable again.
struct MetricsUpdate: Hashable, Sendable {
  var time: Date
  var path: String
  /// The error; `nil` if the file is written again.
  var failure: String?
}

/// Writes the metrics of a running gateway to a file for Prometheus until the run ends.
struct MetricsReport: Sendable {
  /// Time between two writes: the usual scrape interval of Prometheus.
  private static let pause = Duration.seconds(15)

  private let path: String
  private let writer: MetricsWriter
  private let states: AsyncStream<GatewayState>
  private let destinations: @Sendable () -> [DestinationStatusStore.Entry]
  private let person: String?
  private let version: String
  private let clock: any Clock<Duration>
  /// Timeout for a write, after which the file system is reported as hanging.
  private let timeout: DispatchTimeInterval
  private let ending: Ending
  private let report: @Sendable (MetricsUpdate) -> Void

  /// - Parameters:
  ///   - destinations: Returns the last known status of the destinations.
  ///   - report: Receives the changes of the file's state.
  init(
    of gateway: MultiUserGateway, to file: MetricsFile,
    destinations: @escaping @Sendable () -> [DestinationStatusStore.Entry], version: String,
    until ending: Ending,
    report: @escaping @Sendable (MetricsUpdate) -> Void
  ) {
    self.init(
      gateway.states(), of: gateway.person, to: file.path, MetricsWriter { try file.write($0) },
      destinations: destinations, version: version, clock: ContinuousClock(), until: ending, report: report)
  }

  init(
    _ states: AsyncStream<GatewayState>, of person: String?, to path: String, _ writer: MetricsWriter,
    destinations: @escaping @Sendable () -> [DestinationStatusStore.Entry] = { [] }, version: String,
    clock: any Clock<Duration>, timeout: DispatchTimeInterval = .seconds(10),
    until ending: Ending = Ending(),
    report: @escaping @Sendable (MetricsUpdate) -> Void
  ) {
    self.path = path
    self.writer = writer
    self.states = states
    self.destinations = destinations
    self.person = person
    self.version = version
    self.clock = clock
    self.timeout = timeout
    self.ending = ending
    self.report = report
  }

  /// Writes the metrics until the run ends, and then a last time.
  /// - Returns: The error of the last write, unless it was reported before. ``report`` is not called for it,
  ///   because its updates are no longer read at that time.
  func run() async -> String? {
    let latest = Latest(GatewayState(of: person))
    let failure = Latest<String?>(nil)
    var hasBegun = false
    await withTaskGroup(of: Void.self) { group in
      for await state in states {
        latest.value = state
        // While this gateway waits for another one, the other one writes the metrics file.
        guard !hasBegun, !state.isOnlyWaiting else { continue }
        hasBegun = true
        group.addTask {
          while !Task.isCancelled {
            if let reason = await write(latest.value) { note(reason.text, failure) }
            try? await clock.sleep(for: Self.pause)
          }
        }
      }
      group.cancelAll()
    }
    // The final write has the counts of the complete run.
    guard hasBegun, let last = await write(latest.value, isLast: true)?.text else { return nil }
    return last == failure.value ? nil : last
  }

  /// The outcome of a write.
  private struct Outcome {
    /// The error; `nil` if it succeeded.
    var text: String?
  }

  /// Writes the metrics of a state to the file.
  /// - Returns: `nil` if the run ended meanwhile.
  private func write(_ state: GatewayState, isLast: Bool = false) async -> Outcome? {
    let text = MetricFamily.text(
      state.metrics(now: .now(), version: version, isRunning: !isLast, destinations: destinations()))
    do {
      try await writer.put(text, isLast: isLast, within: isLast ? ending.interval : timeout)
      return Outcome()
    } catch is CancellationError {
      return nil
    } catch {
      return Outcome(text: error.localizedDescription)
    }
  }

  private func note(_ reason: String?, _ failure: Latest<String?>) {
    guard reason != failure.value else { return }
    failure.value = reason
    report(MetricsUpdate(time: Date(), path: path, failure: reason))
  }
}
