import BluetoothCentral
import Gateway
import Glibc
import Ingestion

/// A running gateway on its owner's terminal: a table that is rewritten in place, each second at least, so
/// that a value grows old before one's eyes.
struct RunScreen {
  private static let pause = Duration.seconds(1)

  let options: RunTable.Options

  /// Shows what a gateway says until its run is over.
  /// - Throws: ``ClosedPipe`` if the terminal is gone.
  func show(
    _ events: AsyncStream<TimedGatewayEvent>, _ others: AsyncStream<RunNews>, of main: String? = nil
  ) async throws {
    let state = Latest(RunState(of: main))
    let table = LiveTable(isVisible: true)
    let options = options
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          try? await Task.sleep(for: Self.pause)
          table.redraw()
        }
      }
      await RunNews.forEach(events, others) { news in
        state.update { state in
          switch news {
          case .gateway(let event): state.receive(event)
          case .sync(let news): state.receive(news)
          case .metrics(let news): state.receive(news)
          }
        }
        // Not before: there is nothing to see of a run that does not come about.
        table.show { size in RunTable(state: state.value, now: .now(), options: options).lines(size) }
      }
      group.cancelAll()
    }
    try table.end()
    let last = state.value
    if last.hasEnded {
      try StandardOutput.write(last.tally.text)
      try StandardOutput.flush()
    }
  }
}

extension IngestionTally {
  /// The account of a run, for a person.
  var text: String {
    "\(Counted.text(measurements, "measurement")): \(storedMeasurements) stored, "
      + "\(Counted.text(duplicates, "duplicate")), \(rejectedMeasurements) rejected"
  }
}
